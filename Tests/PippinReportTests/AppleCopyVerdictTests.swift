import Foundation
import Testing

@testable import PippinPage
@testable import PippinReport

/// What the report card says of Apple's copy of the association file (L26), and of links that worked at the last crawl (L27).
@Suite struct AppleCopyVerdictTests {
    private static let banner = ReportCheckCase.banner(ReportCheckCase.good)
    private static let file = AssociationFetch.apple((app: "ABCDE12345.example.shop", components: #"{"/":"/mug"}"#))

    private static func told(_ page: ReportPage, _ check: String) -> String {
        page.card.findings(check).map { "\($0.outcome): \($0.sentence)" }.joined(separator: "\n")
    }

    // MARK: L26

    private static func card(site: AssociationFetch, cdn answer: AppleCDNEvidence.Answer) throws -> ReportCard {
        let host = try #require(WebURL("https://shop.example/"))
        let url = try #require(AppleAssociationOutcome.locationAtApple(of: host))
        return banner.associated(apple: site).with { page in
            page.probe = { $0.appleCDN = .made([AppleCDNEvidence(site: host, url: url, answer: answer)]) }
        }.card
    }

    private static func answer(_ fetch: AssociationFetch) throws -> AppleCDNEvidence.Answer {
        .file(AppleAssociationOutcome(fetch, at: try #require(WebURL("https://app-site-association.cdn-apple.com/"))))
    }

    private static func told(site: AssociationFetch = file, cdn: AppleCDNEvidence.Answer) throws -> String {
        try card(site: site, cdn: cdn).findings("L26").map { "\($0.outcome): \($0.sentence)" }.joined()
    }

    @Test func `a copy that is written differently says the same`() throws {
        let written = """
            { "appclips": {"apps": []},
              "applinks": { "apps": [], "details": [
                { "components": [{ "comment": "mugs", "/": "/mug" }], "appID": "ABCDE12345.example.shop" } ] } }
            """
        let copy = AssociationFetch.fetched(bytes: Array(written.utf8), mediaType: "application/json")
        #expect(try Self.told(cdn: Self.answer(copy)).hasPrefix("pass: "))
    }

    @Test(arguments: [
        (("ABCDE12345.example.shop", #"{"/":"/cup"}"#), "it has other patterns for ABCDE12345.example.shop."),
        (("ABCDE12345.example.shop", #"{"/":"/mug","caseSensitive":false}"#), "it has other patterns for"),
        (("ABCDE12345.example.shop", #"{"/":"/mug","exclude":true}"#), "it has other patterns for"),
        (
            ("ABCDE12345.example.old", #"{"/":"/mug"}"#),
            "it lacks ABCDE12345.example.shop and names ABCDE12345.example.old, which the site's does not."
        ),
    ])
    func `another copy is told with its difference`(entry: (String, String), difference: String) throws {
        let told = try Self.told(cdn: Self.answer(.apple((app: entry.0, components: entry.1))))
        #expect(told.hasPrefix("warning: Apple's CDN has another association file of shop.example than the site: "))
        #expect(told.contains(difference), "\(told)")
    }

    @Test func `a copy with other App Clips differs too`() throws {
        let copy = AssociationFetch.apple(
            (app: "ABCDE12345.example.shop", components: #"{"/":"/mug"}"#), clips: ["ABCDE12345.example.shop.Clip"])
        #expect(try Self.told(cdn: Self.answer(copy)).contains("it differs in what is not for links."))
    }

    @Test func `the CDN's failure is told with its headers and what to do`() throws {
        let failure = AppleCDNEvidence.Failure(
            status: 404, reason: "SWCERR00301 Timeout", details: "{\"cause\":\"\u{1B}[2J\"}",
            source: "https://shop.example/.well-known/apple-app-site-association")
        let card = try Self.card(site: Self.file, cdn: .failure(failure))
        let finding = try #require(card.findings("L26").first)
        #expect(finding.outcome == .warning)
        #expect(finding.sentence.contains("status 404, “SWCERR00301 Timeout”, “{"))
        #expect(finding.sentence.contains("asking “https://shop.example/.well-known/"))
        #expect(finding.remedy?.text.contains("within five seconds") == true)
        #expect(finding.place?.name == "Apple-Failure-Reason")
    }

    @Test func `a file that is on one side only is told`() throws {
        #expect(try Self.told(site: .status(404), cdn: Self.answer(Self.file)).contains("does not serve any more"))
        // Neither side has one.
        #expect(try Self.told(site: .status(404), cdn: .failure(AppleCDNEvidence.Failure(status: 404))).isEmpty)
        #expect(
            try Self.told(cdn: Self.answer(.fetched(bytes: Array("Sorry".utf8), mediaType: "text/html")))
                .hasPrefix("warning: Apple's CDN answers for shop.example with a file that devices do not use."))
    }

    @Test func `what was not seen is unknown, with the reason`() throws {
        #expect(try Self.told(cdn: .unseen("its robots.txt forbids it")).contains("unknown: Not seen: whether Apple's"))
        #expect(try Self.told(site: .status(503), cdn: Self.answer(Self.file)).hasPrefix("unknown: "))
        #expect(Self.told(Self.banner.associated(apple: Self.file), "L26").contains("--apple-cdn"))
        #expect(ReportPage().card.findings("L26").isEmpty)
    }

    @Test(arguments: [
        ("https://shop.example/mug", "https://app-site-association.cdn-apple.com/a/v1/shop.example"),
        ("http://www.shop.example/", "https://app-site-association.cdn-apple.com/a/v1/www.shop.example"),
    ])
    func `the CDN keeps a file for each host`(site: String, address: String) throws {
        #expect(AppleAssociationOutcome.locationAtApple(of: try #require(WebURL(site)))?.href == address)
    }

    @Test(arguments: ["https://shop.example:8443/", "https://127.0.0.1/", "https://localhost/", "ftp://shop.example/"])
    func `the CDN is not asked for hosts that it cannot know`(site: String) throws {
        #expect(AppleAssociationOutcome.locationAtApple(of: try #require(WebURL(site))) == nil)
    }

    // MARK: L27

    private static let since = Date(timeIntervalSince1970: 1_790_000_000)

    private static func link(
        _ status: DeepLinkRecord.Verification.Status, app: String = "123456789", removedAt: Date? = nil,
        previous: DeepLinkRecord.Verification.Status? = nil
    ) -> EarlierDeepLink {
        EarlierDeepLink(
            state: DeepLinkState(
                platform: .iOS, storeIdentifier: app, url: "https://shop.example/mug", status: status),
            since: since, removedAt: removedAt, previous: previous)
    }

    private static let closed = AssociationFetch.apple((app: "ABCDE12345.example.shop", components: #"{"/":"/cup"}"#))

    @Test func `a link that worked and is blocked now is told`() {
        let page = Self.banner.compared(with: Self.link(.verified)).associated(apple: Self.closed)
        #expect(
            Self.told(page, "L27").hasPrefix(
                "warning: The iOS deep link of “123456789” to “https://shop.example/mug” was verified since 2026-09-21, and is not covered now: "
            ), "\(Self.told(page, "L27"))")
    }

    @Test func `a link that a crawl saw break is told as long as it is broken`() {
        let broken = Self.banner.compared(with: Self.link(.notCovered, previous: .verified))
            .with { $0.lookup = #"{"results":[{"trackId":123456789,"bundleId":"example.shop","trackName":"Shop"}]}"# }
        #expect(Self.told(broken.associated(apple: Self.closed), "L27").contains("is not covered since 2026-09-21"))
        #expect(
            Self.told(broken.associated(apple: Self.file), "L27") == "pass: 1 deep link of the last crawl works still.")
    }

    @Test func `a link that is gone is told, with the day when a crawl missed it`() {
        let page = ReportPage().compared(with: Self.link(.verified)).associated(apple: .status(404))
        #expect(Self.told(page, "L27").hasSuffix("is gone from the page. It was verified since 2026-09-21."))
        let missed = ReportPage().compared(with: Self.link(.verified, removedAt: ReportPage.now))
        #expect(Self.told(missed.associated(apple: .status(404)), "L27").contains(", as a crawl saw on 2026-11-18."))
    }

    @Test func `what never worked is no loss, and what cannot be checked is unknown`() {
        let never = Self.banner.compared(with: Self.link(.notCovered)).associated(apple: Self.closed)
        #expect(Self.told(never, "L27") == "pass: No deep link was verified at the last crawl.")
        let unseen = Self.banner.compared(with: Self.link(.verified)).associated(apple: .status(503))
        #expect(Self.told(unseen, "L27").hasPrefix("unknown: "), "\(Self.told(unseen, "L27"))")
        #expect(Self.told(Self.banner, "L27").contains("--storage"))
    }

    @Test func `five broken links are enough`() {
        let links = (1...50).map { Self.link(.verified, app: "\($0)") }
        let page = ReportPage().with { page in page.probe = { $0.earlierDeepLinks = .made(links) } }
        let found = page.card.findings("L27")
        #expect(found.count == 5 && found.last?.unlisted == ReportCard.Counts(warning: 45))
    }

    @Test func `a link that is gone counts, also behind many that cannot be checked`() throws {
        let links = (1...10).map { _ in Self.link(.verified) } + [Self.link(.verified, app: "7")]
        let page = Self.banner.with { page in page.probe = { $0.earlierDeepLinks = .made(links) } }
            .associated(apple: .status(503))
        let found = page.card.findings("L27")
        #expect(try #require(found.first).sentence.contains("“7”") && found.first?.outcome == .warning)
        #expect(found.count == 5 && found.last?.unlisted == ReportCard.Counts(unknown: 6))
    }
}
