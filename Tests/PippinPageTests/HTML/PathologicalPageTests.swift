import PippinTestSupport
import Testing

import struct Foundation.Date

@testable import PippinPage

/// Pages that no author would write: what is read of them stays within `ReadingLimits`, and every limit that bites is noted.
@Suite struct PathologicalPageTests {
    private func read(_ html: String, headers: [(String, String)] = []) throws -> PageFacts {
        let url = try #require(WebURL("https://example.org/dir/page.html"))
        let facts = PageFacts(
            PageSource(
                url: url, headers: HTTPHeaders(headers), bytes: Array(html.utf8),
                fetchedAt: Date(timeIntervalSince1970: 1_800_000_000)))
        let limits = ReadingLimits.standard
        #expect(facts.notes.count <= limits.maximumNotes)
        #expect(facts.document.elements.count <= limits.maximumNodes)
        #expect(facts.structuredData.items.count <= 3 * limits.maximumItems)
        #expect(facts.structuredData.items.reduce(0) { $0 + $1.properties.count } <= 30 * limits.maximumItems)
        #expect(facts.outlinks.links.count <= limits.maximumOutlinks)
        return facts
    }

    private func codes(_ facts: PageFacts) -> Set<String> { Set(facts.notes.map(\.code.rawValue)) }

    private func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    private func numbered(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }

    // MARK: Markup

    @Test func `elements in each other end up as siblings, beside any number of stray end tags`() throws {
        let facts = try read(times(2_000, "<div>") + "x" + times(2_000, "</span></b>"))
        #expect(codes(facts) == ["document-too-deep"])
        #expect(facts.document.elements.count == 2_003)
    }

    @Test func `names made up for every element end the reading`() throws {
        let facts = try read(numbered(21_000) { "<x\($0)>" })
        #expect(codes(facts).isSuperset(of: ["too-many-names"]))
        #expect(facts.document.elements.count <= 20_010)
        #expect(codes(try read(numbered(21_000) { "<p x\($0)>" })) == ["too-many-names"])
    }

    @Test func `formatting that is never closed is repeated as often as the page has tags`() throws {
        let facts = try read(numbered(200) { "<b class=c\($0)>" } + times(1_000, "<p>x"))
        #expect(facts.document.elements.count < 10_000)
        #expect(facts.document.text.count == 1_000)
    }

    @Test func `formatting that ends wrongly around a large block moves it a bounded number of times`() throws {
        let open = numbered(200) { "<b class=c\($0)>" }
        let facts = try read(open + "<div>" + times(20_000, "<i>x</i>") + times(200, "</b>") + "y")
        #expect(facts.document.text.count == 20_001)
        #expect(facts.document.elements.count < 30_000)
    }

    @Test func `text before tables, and tables in tables, stay in order`() throws {
        let facts = try read(times(300, "<table>x<tr>y<td>") + times(300, "z</table>"))
        #expect(facts.document.text.count == 900)
        #expect(codes(facts).isSubset(of: ["document-too-deep"]))
    }

    @Test func `end tags of names made up end the reading as start tags do`() throws {
        #expect(codes(try read("<p>x" + numbered(21_000) { "</x\($0)>" })) == ["too-many-names"])
    }

    @Test func `whatever is begun and never ended is read to its end`() throws {
        let pieces = [
            "<", "<a href=\"", "<!--", "<![CDATA[", "</", "<script>", "<style>", "<title>", "<textarea>", "<p", "<p>",
            "<a>", "<table>", "<svg><![CDATA[", "&", "&#x", "<?",
        ]
        for piece in pieces { _ = try read(times(3_000, piece)) }
    }

    @Test func `one text of a megabyte is read whole, and its record stays small`() throws {
        let facts = try read("<p>" + times(500_000, "x "))
        #expect(facts.notes.isEmpty)
        #expect(facts.document.text.count == 1_000_000)
        let record = RecordBuilder.conclusion(from: facts, now: Date(timeIntervalSince1970: 1_800_000_000)).record
        var line: [UInt8] = []
        record?.appendJSON(to: &line)
        #expect(line.count < 20_000)
    }

    @Test func `a base longer than any address is not honored, with a note that says where it stands`() throws {
        let facts = try read("<base href='http://example.com/\(times(3_000, "b"))/'><a href=x>x</a>")
        #expect(facts.baseURL.href == "https://example.org/dir/page.html")
        #expect(facts.outlinks.links.map(\.url.href) == ["https://example.org/dir/x"])
        let note = try #require(facts.notes.first)
        #expect(note.code.rawValue == "base-too-long" && note.line == 1 && note.column != nil)
        #expect(codes(try read("<base href='http://[/'>")) == ["base-malformed"])
    }

    // MARK: Tags

    @Test func `crowds of meta elements, links and header fields are cut`() throws {
        #expect(codes(try read(times(6_000, "<meta property=og:image content=/x.png>"))).contains("too-many-meta"))
        #expect(codes(try read(times(6_000, "<meta name=robots content=nofollow>"))).contains("too-many-meta"))
        #expect(
            codes(try read(numbered(6_000) { "<meta property=al:ios:url content=a://\($0)>" })).contains(
                "too-many-meta"))
        #expect(
            codes(try read(numbered(6_000) { "<link rel=alternate hreflang=en href=/\($0)>" })) == ["too-many-links"])
        let header = numbered(6_000) { "</\($0)>; rel=alternate; hreflang=en, " }
        #expect(codes(try read("", headers: [("Link", header)])) == ["too-many-links"])
        #expect(
            codes(try read(numbered(12_000) { "<a href=https://apps.apple.com/app/id\($0)>x</a>" })) == [
                "too-many-links"
            ])
    }

    @Test func `lists of words are read as far as anyone means them`() throws {
        let robots = try read("<meta name=robots content='\(times(20_000, "nofollow "))'>")
        #expect(robots.directives.nofollow)
        #expect(codes(robots).contains("robots-directives-too-long"))
        let link = try read("<a href=/x rel='\(times(20_000, "nofollow "))' class='\(times(20_000, "a "))'>x</a>")
        #expect(link.outlinks.links.count == 1)
        let names = numbered(3_000) { "n\($0) " }
        let item = try read("<div itemscope itemtype='\(names)' itemref='\(names)'><b itemprop='\(names)'>x</b></div>")
        #expect(codes(item).contains("microdata-too-many-names"))
        #expect(item.structuredData.items.map(\.types.count) == [1_000])
        #expect(item.structuredData.items.map(\.properties.count) == [1_000])
        let node = try read("<div vocab=http://schema.org/ typeof='\(names)'><b property='\(names)'>x</b></div>")
        #expect(codes(node) == ["rdfa-too-many-names"])
        #expect(node.structuredData.items.map(\.types.count) == [1_000])
        #expect(node.structuredData.items.map(\.properties.count) == [1_000])
    }

    // MARK: Structured data

    @Test func `items beyond the limit are left out with a note`() throws {
        #expect(codes(try read(times(11_000, "<p itemscope></p>"))) == ["too-many-items"])
        #expect(codes(try read(times(11_000, "<p itemscope itemprop=a>"))).contains("too-many-items"))
        let rdfa = try read("<div vocab=http://schema.org/>" + times(11_000, "<p typeof=T></p>"))
        #expect(rdfa.structuredData.items.count == 10_000)
        #expect(codes(rdfa) == ["too-many-items"])
    }

    @Test func `items that refer to each other in webs, chains and circles are read once`() throws {
        let ids = numbered(200) { "i\($0) " }
        _ = try read(numbered(200) { "<p itemscope itemprop=p id=i\($0) itemref='\(ids)'></p>" })
        let circle = try read(
            "<p itemscope itemref=i0></p>"
                + numbered(2_000) { "<p id=i\($0) itemprop=p itemscope itemref=i\(($0 + 1) % 2_000)></p>" })
        #expect(circle.structuredData.items.count == 2_001)
        let doubling = try read(
            "<p itemscope itemref='a0 b0'></p>"
                + numbered(30) { i in
                    ["a", "b"].map { "<p id=\($0)\(i) itemprop=p itemscope itemref='a\(i + 1) b\(i + 1)'></p>" }
                        .joined()
                })
        let form = doubling.microdata.jsonWithNotes
        #expect(form.notes.map(\.code.rawValue) == ["microdata-too-large"])
        #expect(form.json.bytes().count < 20_000_000)
        #expect(doubling.microdata.dataset.count < 1_000)
    }

    @Test func `texts that properties repeat are copied some times and then left empty`() throws {
        for start in [
            "<div itemscope>" + times(400, "<b itemprop=a>"),
            "<div typeof=schema:T>" + times(400, "<b property=schema:a>"),
        ] {
            let facts = try read(start + times(50_000, "x "))
            #expect(codes(facts) == ["texts-too-long"])
            let bytes = facts.structuredData.items.flatMap(\.properties).reduce(0) { sum, property in
                if case .text(let text, _) = property.value { sum + text.utf8.count } else { sum }
            }
            #expect(bytes < 2_000_000)
        }
    }

    @Test func `a long address of which much is said makes no output out of proportion`() throws {
        let properties = numbered(2_000) { "<b property=n\($0)>x</b>" }
        let facts = try read("<div vocab=http://schema.org/ resource='/\(times(20_000, "v"))' typeof=T>" + properties)
        #expect(codes(facts) == ["rdfa-too-long"])
        #expect(facts.rdfa.nquads.count < 4_000_000)
        let microdata = try read(
            "<div itemscope itemtype=http://schema.org/T itemid='/\(times(20_000, "v"))'>"
                + numbered(2_000) { "<b itemprop=n\($0)>x</b>" })
        #expect(microdata.microdata.nquads.count < 4_000_000)
    }

    @Test func `a prefix ends with the element that declares it, however many declare it anew`() throws {
        let open = numbered(400) { "<div prefix='p: http://example.com/\($0)# q\($0): http://example.com/q#'>" }
        let names = numbered(900) { "zz:n\($0) " }
        let page =
            open + "<p about=#a property='p:x \(names)'>x</p>" + times(400, "</div>")
            + "<p about=#b property='p:x q1:y'>y</p>"
        let facts = try read("<div typeof=schema:T></div>" + page)
        let lines = String(decoding: facts.rdfa.nquads, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains { $0.contains("#a> <http://example.com/399#x> \"x\"") })
        #expect(lines.contains { $0.contains("#b> <p:x> \"y\"") })
        #expect(lines.contains { $0.contains("#b> <q1:y> \"y\"") })
    }

    @Test func `relations that wait for an object, and lists, stay within the limit of statements`() throws {
        let names = numbered(1_000) { "n\($0) " }
        let start = "<div vocab=http://schema.org/ about=#a rel='\(names)'"
        for inList in [">", " inlist>"] {
            let facts = try read(start + inList + numbered(200) { "<a href=/x\($0)>x</a>" })
            #expect(codes(facts) == [inList == ">" ? "rdfa-too-long" : "too-many-items"])
            #expect(facts.rdfa.dataset.count <= 210_000)
        }
        let deep = try read(
            "<div vocab=http://schema.org/ typeof=T>" + times(3_000, "<p rel='a b' inlist>") + "<a href=/x>x</a>")
        #expect(deep.rdfa.dataset.count < 20_000)
    }

    @Test func `patterns that copy each other come to an end`() throws {
        let patterns = numbered(500) {
            "<p resource=#p\($0) typeof=rdfa:Pattern><b property=a\($0)>x</b>"
                + "<a property=rdfa:copy href=#p\(($0 + 1) % 500)></a></p>"
        }
        let facts = try read(
            "<div vocab=http://schema.org/>\(patterns)<div typeof=T><a property=rdfa:copy href=#p0></a></div>")
        #expect(facts.structuredData.items.map(\.properties.count) == [500])
    }
}
