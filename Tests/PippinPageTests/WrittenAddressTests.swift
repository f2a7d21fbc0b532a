import Testing

@testable import PippinPage

/// Addresses that their author wrapped over lines, with an indentation.
@Suite struct WrittenAddressTests {
    @Test(arguments: [
        ("https://a.test/\n      videos/x.html", "https://a.test/videos/x.html"),
        ("https://a.test/a \r\n\t b\n c", "https://a.test/abc"), ("\n https://a.test/x\n ", "https://a.test/x"),
        ("https://a.test/a b", "https://a.test/a b"), ("https://a.test/a  b", "https://a.test/a  b"), ("", ""),
        ("\n \n", ""),
    ])
    func `line ends and the white space beside them are no part of an address`(written: String, text: String) {
        let address = WrittenAddress(written)
        #expect(address.text == text)
        #expect(address.isWrapped == (written.trimmingHTMLSpace() != text))
    }

    private static let url = "https://shop.example/\n        mug"

    /// One page a carrier, the code of its note, and the check that shows it.
    @Test(arguments: [
        (
            "<meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-argument=\(url)\">",
            "banner-argument-space", "L07"
        ),
        (
            "<meta name=\"twitter:app:id:iphone\" content=\"123456789\"><meta name=\"twitter:app:url:iphone\" content=\"\(url)\">",
            "twitter-app-url-wrapped", "L18"
        ),
        ("<meta name=\"twitter:image\" content=\"\(url)\">", "twitter-url-wrapped", "S15"),
        ("<meta name=\"twitter:player:stream\" content=\"\(url)\">", "twitter-url-wrapped", "S15"),
        (
            "<meta property=\"al:ios:app_store_id\" content=\"123456789\"><meta property=\"al:ios:url\" content=\"\(url)\">",
            "app-links-url-wrapped", "L19"
        ),
        ("<meta property=\"al:web:url\" content=\"\(url)\">", "app-links-url-wrapped", "L19"),
        ("<meta property=\"og:url\" content=\"\(url)\">", "og-url-wrapped", "S14"),
        ("<meta property=\"og:image\" content=\"\(url)\">", "og-url-wrapped", "S14"),
        ("<meta property=\"og:video:secure_url\" content=\"\(url)\">", "og-url-wrapped", "S14"),
        ("<link rel=\"canonical\" href=\"\(url)\">", "canonical-wrapped", "T04"),
        ("<link rel=\"amphtml\" href=\"\(url)\">", "link-url-wrapped", "T09"),
        (
            "<link rel=\"alternate\" href=\"android-app://org.shop/https/\n  shop.example/mug\">",
            "app-alternate-wrapped", "L21"
        ),
        ("<meta http-equiv=\"refresh\" content=\"3; url=\(url)\">", "refresh-url-wrapped", "T02"),
        ("<base href=\"\(url)\">", "base-wrapped", "T09"),
        (
            "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"image\":\"https://shop.example/\\n   mug\"}</script>",
            "json-ld-url-wrapped", "S05"
        ),
    ])
    func `a wrapped address is read without the line end, with a note`(head: String, code: String, check: String) throws
    {
        let page = ReportPage(head)
        let facts = page.facts
        let conclusion = RecordBuilder.conclusion(from: facts, now: ReportPage.now)
        guard case .record(let record, let more) = conclusion else {
            Issue.record("the page has no record")
            return
        }
        let note = try #require((facts.notes + more).first { $0.code.rawValue == code })
        #expect(NoteMapping.entry(for: note.code).check.rawValue == check)
        let findings = page.card.findings(check)
        #expect(findings.contains { $0.noteCode?.rawValue == code && $0.outcome == .warning })
        #expect(!findings.contains { $0.outcome == .pass })
        #expect(!record.json.text().contains("%20"))
    }

    @Test func `items of all syntaxes and plain links have it too`() throws {
        let page = ReportPage(
            body: """
                <a href="\(Self.url)">Mug</a>
                <div itemscope itemtype="https://schema.org/Product"><a itemprop="url" href="\(Self.url)">A</a></div>
                <div vocab="https://schema.org/" typeof="Recipe"><a property="url" href="\(Self.url)">B</a></div>
                """)
        let facts = page.facts
        #expect(facts.outlinks.links.map(\.url.href) == ["https://shop.example/mug"])
        let joined = JoinedItems(facts.structuredData)
        let urls = joined.items.flatMap { $0.values("url") }.map { "\($0)" }
        #expect(urls == Array(repeating: "url(\"https://shop.example/mug\")", count: 2))
        let codes = (facts.notes + joined.notes).map(\.code.rawValue)
        for code in ["link-url-wrapped", "microdata-url-wrapped", "rdfa-url-wrapped"] {
            #expect(codes.filter { $0 == code }.count == 1, "\(code)")
        }
    }

    @Test func `texts keep their line ends`() throws {
        let page = ReportPage(
            "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"description\":\"https://a.test/ and\\n  more\"}</script>"
        )
        let joined = JoinedItems(page.facts.structuredData)
        #expect(
            joined.items.flatMap { $0.values("description") }.map { "\($0)" }.first?.contains("and\\n  more") == true)
        #expect(joined.notes.isEmpty)
    }
}
