import Testing

@testable import PippinPage
@testable import PippinReport

/// What reads an address that its author wrapped over lines, and which check says so.
@Suite struct WrappedAddressTests {
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
}
