import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

@Suite struct StructuredDataTests {
    private func document(_ html: String, limits: ReadingLimits = .standard) -> HTMLDocument {
        HTMLDocument(utf8: Array(html.utf8), limits: limits)
    }

    private func base() throws -> WebURL {
        try #require(WebURL("https://example.org/"))
    }

    // MARK: Bounds

    @Test(.slow) func `fifty thousand nested items end at the limit of items`() throws {
        let page = document(
            String(repeating: "<div itemscope itemprop='a b' itemtype='http://schema.org/Thing'>x", count: 50_000))
        let found = Microdata(page, baseURL: try base())
        #expect(found.structuredData.items.count == 10_000)
        #expect(found.notes.contains { $0.code.rawValue == "too-many-items" })
        #expect(found.json["items"]?.array?.count == 0)
        #expect(found.nquads.isEmpty)
    }

    @Test(.slow) func `an item under two names does not double its JSON form with every level`() throws {
        let page = document("<div itemscope>" + String(repeating: "<div itemscope itemprop='a b'>", count: 100))
        let (json, notes) = Microdata(page, baseURL: try base()).jsonWithNotes
        #expect(notes.map(\.code.rawValue).contains("microdata-too-large"))
        #expect(json.bytes().count < 10_000_000)
    }

    @Test(.slow) func `a web of itemrefs is followed as far as there is work to spend`() throws {
        let items = (0..<3_000).map { "<i itemscope itemref='r'></i><i id=x\($0)></i>" }.joined()
        let shared = "<div id=r>" + String(repeating: "<b itemprop=p></b>", count: 3_000) + "</div>"
        let found = Microdata(document(items + shared), baseURL: try base())
        #expect(found.notes.contains { $0.code.rawValue == "microdata-too-many-references" })
        #expect(found.structuredData.items.reduce(0) { $0 + $1.properties.count } < 110_000)
    }

    @Test func `texts inside texts are copied as far as the budget goes`() throws {
        var limits = ReadingLimits()
        limits.maximumBodyBytes = 10_000
        let page = document(
            "<div itemscope>" + String(repeating: "<div><span itemprop=a>", count: 100)
                + String(repeating: "x", count: 1_000))
        let found = Microdata(page, baseURL: try base(), limits: limits)
        #expect(found.notes.contains { $0.code.rawValue == "texts-too-long" })
    }

    @Test func `statements of RDFa are bounded although relations multiply`() throws {
        let terms = (0..<2_000).map { "ex:t\($0)" }.joined(separator: " ")
        let page = document(
            "<div prefix='ex: http://example.org/' about='#a' rel='\(terms)'>"
                + (0..<2_000).map { "<p about='#x\($0)'></p>" }.joined())
        var limits = ReadingLimits()
        limits.maximumItems = 1_000
        let found = RDFa(page, baseURL: try base(), limits: limits)
        #expect(found.notes.contains { $0.code.rawValue == "too-many-items" })
        #expect(found.dataset.quads.count <= 10_000)
    }

    @Test func `JSON-LD of too many nodes or levels is cut or left out with a note`() throws {
        let nodes = (0..<12_000).map { "{\"name\":\"n\($0)\"}" }.joined(separator: ",")
        let many = JSONLD(
            document("<script type='application/ld+json'>[\(nodes)]</script>"), baseURL: try base())
        #expect(many.structuredData.items.count == 10_000)
        #expect(many.notes.contains { $0.code.rawValue == "too-many-items" })
        let deep = JSONLD(
            document(
                "<script type='application/ld+json'>" + String(repeating: "[", count: 100_000) + "</script>"),
            baseURL: try base())
        #expect(deep.documents.isEmpty)
        #expect(deep.notes.map(\.code.rawValue) == ["json-ld-too-large"])
    }

    @Test(.slow) func `an element of many names that many items share is read as far as the limit of properties`()
        throws
    {
        let names = (0..<2_000).map { "n\($0)" }.joined(separator: " ")
        let page = document(
            "<b id=r itemprop='\(names)'>x</b>" + String(repeating: "<i itemscope itemref=r></i>", count: 2_000))
        let found = Microdata(page, baseURL: try base())
        #expect(found.structuredData.items.reduce(0) { $0 + $1.properties.count } < 110_000)
        #expect(found.jsonWithNotes.notes.map(\.code.rawValue) == ["microdata-too-large", "texts-too-long"])
        #expect(found.dataset.quads.count < 110_000)
    }

    @Test(.slow) func `a vocabulary of a megabyte is not put before every name`() throws {
        let long = "http://example.org/" + String(repeating: "x", count: 1_000_000)
        let script = "{\"@context\":{\"@vocab\":\"\(long)\",\"p\":\"\(long)\"},\"p:a\":1,\"b\":2}"
        let page = document(
            "<script type='application/ld+json'>\(script)</script><p vocab='\(long)' typeof=T prefix='p: \(long)'></p>")
        let names = JSONLD(page, baseURL: try base()).structuredData.items.flatMap(\.properties).map(\.name)
        #expect(names == ["p:a", "b"])
        #expect(RDFa(page, baseURL: try base()).nquads.count < 1_000)
    }

    @Test func `relations of one list below many elements are bounded too`() throws {
        let terms = (0..<2_000).map { "ex:t\($0)" }.joined(separator: " ")
        let page = document(
            "<div prefix='ex: http://example.org/' about='#a' inlist rel='\(terms)'>"
                + String(repeating: "<p about='#x'></p>", count: 2_000))
        var limits = ReadingLimits()
        limits.maximumItems = 1_000
        #expect(RDFa(page, baseURL: try base(), limits: limits).dataset.quads.count < 40_000)
    }

    // MARK: Shape

    @Test func `items of several syntaxes join with their references`() throws {
        let html = """
            <script type="application/ld+json">{"@context":"https://schema.org","@type":"A","x":{"@type":"B"}}</script>
            <div itemscope itemtype="https://schema.org/C"><b itemprop="y" itemscope itemtype="https://schema.org/D"></b></div>
            """
        let page = document(html)
        var data = JSONLD(page, baseURL: try base()).structuredData
        data.append(Microdata(page, baseURL: try base()).structuredData)
        #expect(data.items.map(\.types) == [["A"], ["B"], ["C"], ["D"]])
        let y = try #require(data.items[2].values("y").first)
        guard case .item(let index) = y else {
            Issue.record("y is no item")
            return
        }
        #expect(index == 3)
        #expect(data.items.map(\.isTopLevel) == [true, false, true, false])
    }

    @Test func `a page with Open Graph only costs nothing and still has its statements`() throws {
        let page = document("<meta property='og:title' content='T'>")
        let found = RDFa(page, baseURL: try base())
        #expect(found.structuredData.items.isEmpty)
        #expect(
            String(decoding: found.nquads, as: UTF8.self)
                == "<https://example.org/> <http://ogp.me/ns#title> \"T\" .\n")
    }

    @Test func `the statements of all syntaxes are one dataset, in which blank nodes stay apart`() throws {
        let page = """
            <div itemscope itemtype=http://schema.org/Thing><b itemprop=name>microdata</b></div>
            <div vocab=http://schema.org/ typeof=Thing><b property=name>RDFa</b></div>
            <script type=application/ld+json>
            {"@context": "https://schema.org", "@type": "Thing", "name": "JSON-LD"}
            </script>
            """
        let source = PageSource(
            url: try base(), bytes: Array(page.utf8), fetchedAt: Date(timeIntervalSince1970: 1_800_000_000))
        let names = PageFacts(source).dataset.quads.filter { $0.predicate == .iri("http://schema.org/name") }
        #expect(names.map(\.object) == ["microdata", "RDFa", "JSON-LD"].map { .literal($0) })
        #expect(Set(names.map(\.subject)).count == 3)
    }

    @Test(arguments: ["http", "https"])
    func `schema.org's additionalType is a type too, in both spellings of its address`(scheme: String) throws {
        let page = document(
            "<div itemscope itemid=/a itemtype='\(scheme)://schema.org/Product'><link itemprop=additionalType href=/T></div>"
                + "<div itemscope itemid=/b itemtype='http://v.example/X'><link itemprop=additionalType href=/T></div>")
        let type = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
        let lines = Set(
            String(decoding: Microdata(page, baseURL: try base()).nquads, as: UTF8.self).split(separator: "\n").map(
                String.init))
        #expect(
            lines == [
                "<https://example.org/a> \(type) <\(scheme)://schema.org/Product> .",
                "<https://example.org/a> <\(scheme)://schema.org/additionalType> <https://example.org/T> .",
                "<https://example.org/a> \(type) <https://example.org/T> .",
                "<https://example.org/b> \(type) <http://v.example/X> .",
                "<https://example.org/b> <http://v.example/additionalType> <https://example.org/T> .",
            ])
    }

    @Test func `N-Quads leave out what they cannot write and escape the rest`() {
        var dataset = RDFDataset()
        let page = RDFTerm.iri("http://example.org/a b{\u{7F}")
        let name = RDFTerm.iri("http://example.org/name")
        dataset.insert(RDFQuad(page, name, .literal("\"\\\n\r\t\u{1}é", language: "en-US")))
        dataset.insert(RDFQuad(page, name, .literal("5", datatype: "http://www.w3.org/2001/XMLSchema#integer")))
        dataset.insert(RDFQuad(page, name, .literal("x", language: "no tag")))
        dataset.insert(RDFQuad(.iri("relative"), name, .blank(0)))
        dataset.insert(RDFQuad(.blank(3), name, .blank(0), graph: .iri("http://example.org/g")))
        dataset.insert(RDFQuad(.blank(3), .blank(4), .blank(0)))
        dataset.insert(RDFQuad(.literal("x"), name, .blank(0)))
        #expect(
            String(decoding: dataset.nquads, as: UTF8.self)
                == #"""
                <http://example.org/a\u0020b\u007B> <http://example.org/name> "\"\\\n\r\t\u0001é"@en-US .
                <http://example.org/a\u0020b\u007B> <http://example.org/name> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .
                _:b3 <http://example.org/name> _:b0 <http://example.org/g> .

                """#.replacing("\\u007B>", with: "\\u007B\u{7F}>"))
    }
}
