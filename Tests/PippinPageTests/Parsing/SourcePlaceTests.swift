import Testing

@testable import PippinPage

/// Where a page says something: lines and columns both ways, attributes, and the nodes of scripts.
@Suite struct SourcePlaceTests {
    @Test func `every place leads back to its offset`() {
        let lines = ["é".repeated(700), "\r", "x".repeated(1_300), "漢字😀", "y".repeated(511), "", "z"]
        let text = Array(lines.joined(separator: "\n").utf8)
        let places = SourceLines(text)
        for offset in 0...text.count where offset == text.count || text[offset] & 0xC0 != 0x80 {
            let place = places.place(at: offset)
            #expect(places.offset(line: place.line, column: place.column) == offset, "\(offset) \(place)")
        }
        for (line, column) in [(0, 1), (1, 0), (1, 702), (99, 1), (4, 5), (7, 3)] {
            #expect(places.offset(line: line, column: column) == nil, "\(line):\(column)")
        }
        #expect(SourceLines([]).offset(line: 1, column: 1) == 0)
    }

    @Test(arguments: [
        ("<meta name=a content=\"b > c\" x>", 22, "\"b > c\""), ("<meta CONTENT = 'é' name=a>", 17, "'é'"),
        ("<meta content=b/>", 15, "b/"), ("<meta x=\"content='n'\" content=y>", 31, "y"),
    ])
    func `the value of an attribute is found as it is written`(html: String, column: Int, written: String) throws {
        let page = HTMLDocument(utf8: Array(html.utf8))
        let meta = try #require(page.elements(named: .meta).first)
        let place = try #require(page.place(ofValue: .content, on: meta))
        #expect(place.column == column)
        let end = try #require(page.sourceText.endOfToken(at: place.byteOffset))
        #expect(String(decoding: Array(html.utf8)[place.byteOffset..<end], as: UTF8.self) == written)
        #expect(page.place(ofValue: .href, on: meta) == nil)
    }

    @Test func `an attribute without a value has no place`() throws {
        let page = HTMLDocument(utf8: Array("<meta content><meta content=>".utf8))
        for meta in page.elements(named: .meta) { #expect(page.place(ofValue: .content, on: meta) == nil) }
    }

    @Test func `each node of a script has its own place, and its keys are its own`() throws {
        let page = HTMLDocument(
            utf8: Array(
                """
                <p>ä</p><script type="application/ld+json">{"@context":"https://schema.org","@graph":[
                  {"@type":"Person","name":"A"},
                  {"@type":"Event","name":"B","location":
                    {"@type":"Place","nam":"C"}}]}</script>
                """.utf8))
        let base = try #require(WebURL("https://example.org/"))
        let found = JSONLD(page, baseURL: base)
        let places = found.structuredData.items.map { "\($0.types.joined()) \($0.line ?? 0):\($0.column ?? 0)" }
        #expect(places.sorted() == ["Event 3:3", "Person 2:3", "Place 4:5"])
        for item in found.structuredData.items {
            let key = item.types == ["Place"] ? "nam" : "name"
            let place = try #require(found.place(of: key, isKey: true, inNodeAt: (item.line, item.column)))
            #expect(place.line == item.line)
            #expect(place.column == (item.types == ["Event"] ? 20 : item.types == ["Person"] ? 21 : 22))
        }
        #expect(found.place(of: "absent", isKey: true, inNodeAt: (3, 3)) == nil)
    }

    @Test func `a wide character takes two columns, an accent none`() {
        #expect("a漢😀e\u{301}".unicodeScalars.map { TerminalText.cells(of: $0) } == [1, 2, 2, 1, 0])
    }
}
