import Testing

@testable import PippinPage

@Suite struct DecodedDocumentTests {
    private func title(_ page: DecodedDocument) -> String? {
        page.document.elements(named: .title).first.map { page.document.collapsedText(of: $0) }
    }

    private func latin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    @Test func `a declaration far down still decides, and the page is read again`() {
        let filler = "<!--" + String(repeating: "x", count: 2_000) + "-->"
        let page = DecodedDocument(bytes: latin1("<title>Caf\u{E9}</title>\(filler)<meta charset=iso-8859-15>"))
        #expect(page.encoding.name == "iso-8859-15")
        #expect(page.encodingSource == .meta)
        #expect(title(page) == "Café")
        #expect(page.notes.map(\.code.rawValue) == ["charset-declared-late"])
    }

    @Test func `a header beats a late declaration`() {
        let filler = String(repeating: " ", count: 2_000)
        let page = DecodedDocument(
            bytes: latin1("<title>Caf\u{E9}</title>\(filler)<meta charset=koi8-r>"),
            headers: HTTPHeaders([("Content-Type", "text/html; charset=windows-1252")]))
        #expect(title(page) == "Café")
        #expect(page.encoding.name == "windows-1252")
    }

    @Test func `bytes that are no text never cut the page short, and are counted`() {
        let page = DecodedDocument(
            bytes: Array("<meta charset=utf-8><title>a".utf8) + [0xFF, 0xC3] + Array("b</title><p>c".utf8))
        #expect(title(page) == "a\u{FFFD}\u{FFFD}b")
        #expect(page.replacements == 2)
        #expect(page.document.elements(named: .p).count == 1)
    }

    @Test func `a page over the limit is read as far as the limit goes`() {
        var limits = ReadingLimits()
        limits.maximumBodyBytes = 100
        let page = DecodedDocument(
            bytes: Array(("<title>x</title>" + String(repeating: "<p>", count: 1_000)).utf8), limits: limits)
        #expect(page.notes.map(\.code.rawValue) == ["page-too-large"])
        #expect(page.document.elements.count < 40)
    }
}
