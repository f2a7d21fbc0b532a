import PippinTestSupport
import Testing

@testable import PippinPage

/// What we chose for JSON-LD in pages: kindness where the standard has an error, and bounds.
@Suite struct JSONLDPageTests {
    private func read(_ script: String, limits: ReadingLimits = .standard) throws -> JSONLD {
        let page = HTMLDocument(
            utf8: Array("<script type='application/ld+json'>\(script)</script>".utf8), limits: limits)
        return JSONLD(page, baseURL: try #require(WebURL("https://example.org/dir/page")), limits: limits)
    }

    @Test func `scoped contexts, maps and nesting reach the items`() throws {
        let found = try read(
            ##"""
            {"@context":["https://schema.org",{"labels":{"@id":"name","@container":"@language"},"data":"@nest",
              "Dish":{"@id":"Recipe","@context":{"minutes":"totalTime"}}}],
             "@type":"Dish","labels":{"en":"Pie","de":"Kuchen"},"data":{"minutes":"PT30M"}}
            """##)
        #expect(found.notes.isEmpty)
        let item = try #require(found.structuredData.items.first)
        #expect(item.types == ["Recipe"])
        #expect(item.properties.map { "\($0.name) \($0.value)" }.count == 3)
        #expect(item.properties.map(\.name) == ["name", "name", "totalTime"])
    }

    @Test func `an error is noted with its place, and the rest of the script is read`() throws {
        let found = try read("\n{\"@context\":\"https://schema.org\",\"@type\":\"Thing\",\"name\":\"A\",\"@id\":5}")
        #expect(found.notes.map(\.code.rawValue) == ["json-ld-invalid-id-value"])
        #expect(found.notes.first?.line == 1)
        #expect(found.notes.first?.column != nil)
        #expect(found.structuredData.items.first?.properties.map(\.name) == ["name"])
    }

    @Test func `a context that is not at hand is noted where it stands`() throws {
        let found = try read("{\n \"@context\": [\"https://a.example/c\",\"https://b.example/d\"], \"name\": \"A\"}")
        #expect(found.notes.map(\.code.rawValue) == ["json-ld-context-unknown", "json-ld-context-unknown"])
        #expect(found.notes.map(\.line) == [2, 2])
        #expect(found.notes.map(\.column) == [15, 37])
        #expect(found.structuredData.items.first?.properties.map(\.name) == ["name"])
    }

    @Test func `terms that a context without vocabulary leaves out are schema.org's`() throws {
        let found = try read(
            ##"{"@context":{"schema":"http://schema.org/"},"@type":"schema:Product","name":"A","url":"b"}"##)
        let item = try #require(found.structuredData.items.first)
        #expect(item.types == ["Product"])
        #expect(item.properties.map(\.name) == ["name", "url"])
        let other = try read(##"{"@context":{"@vocab":"http://v.example/"},"@type":"T","url":"b"}"##)
        #expect(other.structuredData.items.first?.properties.map(\.name) == ["http://v.example/url"])
    }

    @Test func `blank nodes of two scripts are two, others are joined`() throws {
        let type = "type='application/ld+json'"
        let page = HTMLDocument(
            utf8: Array(
                """
                <script \(type)>{"@context":"https://schema.org","@id":"_:a","name":"1","about":{"@id":"#x"}}</script>
                <script \(type)>{"@context":"https://schema.org","@graph":[{"@id":"_:a","name":"2"},{"@id":"#x"}]}</script>
                <script \(type)>{"@context":["https://schema.org",{"n":"name"}],"@id":"#x","n":"3"}</script>
                """.utf8))
        let data = JSONLD(page, baseURL: try #require(WebURL("https://example.org/"))).structuredData
        #expect(data.items.count == 3)
        #expect(data.items.compactMap(\.id) == ["_:a", "_:a", "https://example.org/#x"])
        guard case .item(2)? = data.items.first?.values("about").first else {
            Issue.record("the reference across scripts is not joined")
            return
        }
    }

    // MARK: Bounds

    @Test func `a large context of a type that all nodes have is processed once`() throws {
        let terms = (0..<2_000).map { "\"t\($0)\":\"http://e.example/\($0)\"" }.joined(separator: ",")
        let nodes = (0..<9_000).map { "{\"@type\":\"T\",\"t5\":\($0)}" }.joined(separator: ",")
        let found = try read(
            "{\"@context\":{\"@vocab\":\"http://v.example/\",\"T\":{\"@context\":{\(terms)}}},\"@graph\":[\(nodes)]}")
        #expect(found.notes.isEmpty)
        #expect(found.structuredData.items.count == 9_000)
        #expect(found.structuredData.items.last?.properties.map(\.name) == ["http://e.example/5"])
    }

    @Test(.slow) func `contexts that multiply end at the limit of work`() throws {
        let terms = (0..<500).map { "\"t\($0)\":\"http://e.example/\($0)\"" }.joined(separator: ",")
        let nodes = (0..<5_000).map { "{\"@context\":{\"x\($0)\":\"http://e.example/x\"},\"@type\":\"T\",\"t5\":1}" }
        let found = try read(
            "{\"@context\":{\"@vocab\":\"http://v.example/\",\"T\":{\"@context\":{\(terms)}}},\"@graph\":["
                + nodes.joined(separator: ",") + "]}")
        #expect(found.notes.map(\.code.rawValue) == ["json-ld-context-overflow"])
        #expect(found.structuredData.items.count == 5_000)
    }

    @Test func `contexts that ask for too much cost other scripts nothing`() throws {
        let chain = (0..<20_000).map { "\"t\($0)\":\"t\($0 + 1):x\"" }.joined(separator: ",")
        let terms = (0..<500).map { "\"t\($0)\":\"http://e.example/\($0)\"" }.joined(separator: ",")
        let nodes = (0..<5_000).map { "{\"@context\":{\"x\($0)\":\"http://e.example/x\"},\"@type\":\"T\"}" }
            .joined(separator: ",")
        for first in [
            "{\"@context\":{\(chain)}}",
            "{\"@context\":{\"@vocab\":\"http://v.example/\",\"T\":{\"@context\":{\(terms)}}},\"@graph\":[\(nodes)]}",
        ] {
            for context in [#""https://schema.org""#, #"{"@vocab":"https://schema.org/"}"#] {
                let found = try read(
                    first + "</script><script type='application/ld+json'>"
                        + "{\"@context\":\(context),\"@type\":\"Product\",\"url\":\"b\"}")
                #expect(found.notes.map(\.code.rawValue) == ["json-ld-context-overflow"])
                let item = try #require(found.structuredData.items.last)
                #expect(item.types == ["Product"])
                #expect(item.properties.map { "\($0.name) \($0.value)" } == ["url url(\"https://example.org/dir/b\")"])
            }
        }
    }

    @Test func `terms that need terms, nulls in a row and lists in sets end soon`() throws {
        let chain = (0..<20_000).map { "\"t\($0)\":\"t\($0 + 1):x\"" }.joined(separator: ",")
        #expect(try read("{\"@context\":{\(chain)}}").notes.map(\.code.rawValue) == ["json-ld-context-overflow"])

        let nulls = Array(repeating: "null", count: 50_000).joined(separator: ",")
        let nulled = try read(
            "{\"@context\":{\"@vocab\":\"http://v.example/\",\"T\":{\"@context\":[\(nulls)]}},\"@type\":\"T\",\"http://e.example/p\":1}"
        )
        #expect(nulled.structuredData.items.first?.properties.count == 1)

        var doubled = "1"
        for _ in 0..<60 { doubled = "{\"@list\":\(doubled),\"@set\":[]}" }
        #expect(
            try read("{\"@context\":\"https://schema.org\",\"name\":\(doubled)}").notes.map(\.code.rawValue)
                == ["json-ld-invalid-set-or-list-object"])

        var nested = "{}"
        for level in 0..<30 {
            let chain = (0..<100).map { "\"t\(level)x\($0)\":\"t\(level)x\($0 + 1):x\"" }.joined(separator: ",")
            nested = "{\(chain),\"t\(level)x100\":{\"@id\":\"http://e.example/\",\"@context\":\(nested)}}"
        }
        #expect(try read("{\"@context\":\(nested)}").notes.map(\.code.rawValue) == ["json-ld-context-overflow"])
    }

    @Test(.slow) func `contexts within contexts do not copy what they inherit`() throws {
        let terms = (0..<2_000).map { "\"t\($0)\":\"http://e.example/\($0)\"" }.joined(separator: ",")
        let nodes = (0..<8_000).map { "{\"@context\":{\"x\":\"http://e.example/x\($0)\"},\"x\":1}" }
        let found = try read("{\"@context\":{\(terms)},\"@graph\":[\(nodes.joined(separator: ","))]}")
        #expect(found.notes.isEmpty)
        #expect(found.structuredData.items.last?.properties.map(\.name) == ["http://e.example/x7999"])
    }
}
