import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// What the card says of links into an app that App Intents do not take (L09), and of the age of Apple's copy (L26).
@Suite struct UniversalLinkVerdictTests {
    private static func twitter(_ url: String) -> String {
        "<title>Mug</title><meta name=\"twitter:app:name:iphone\" content=\"Shop\"><meta name=\"twitter:app:id:iphone\" content=\"123456789\">"
            + "<meta name=\"twitter:app:url:iphone\" content=\"\(url)\">"
    }

    private static func told(_ page: ReportPage) -> String {
        page.card.findings("L09").map { "\($0.outcome): \($0.sentence)" }.joined(separator: "\n")
    }

    @Test func `a page that leads into its app only by a scheme is advised`() {
        let told = Self.told(ReportPage(Self.twitter("shop://mug")))
        #expect(
            told.hasPrefix("info: The page leads into an app on iOS only by a custom scheme, “shop://mug”;"), "\(told)")
        #expect(told.contains("App Intents"))
    }

    @Test func `a universal link beside it is enough, in markup, banner or association file`() {
        #expect(Self.told(ReportPage(Self.twitter("https://shop.example/mug"))).isEmpty)
        let banner = ReportCheckCase.banner(ReportCheckCase.good).with { $0.head += Self.twitter("shop://mug") }
        #expect(Self.told(banner) == "pass: app-argument is an https address.")
        let file = ReportPage(Self.twitter("shop://mug")).associated(
            apple: .apple((app: "ABCDE12345.example.shop", components: #"{"/":"/mug"}"#)))
        #expect(Self.told(file).isEmpty, "\(Self.told(file))")
    }

    @Test func `a page without an app, or with one for Android alone, is not asked for universal links`() {
        #expect(Self.told(ReportPage("<title>Mug</title>")).isEmpty)
        let android =
            "<title>Mug</title><meta property=\"al:android:url\" content=\"shop://mug\"><meta property=\"al:android:package\" content=\"org.example.shop\">"
        #expect(Self.told(ReportPage(android)).isEmpty)
    }

    // MARK: L26

    private static func age(_ age: Duration?) throws -> String {
        let host = try #require(WebURL("https://shop.example/"))
        let url = try #require(AppleAssociationOutcome.locationAtApple(of: host))
        let file = AssociationFetch.apple((app: "ABCDE12345.example.shop", components: #"{"/":"/mug"}"#))
        let copy = AppleCDNEvidence(
            site: host, url: url, answer: .file(AppleAssociationOutcome(file, at: url)), age: age)
        let page = ReportCheckCase.banner(ReportCheckCase.good).associated(apple: file).with { page in
            page.probe = { $0.appleCDN = .made([copy]) }
        }
        return page.card.findings("L26").map(\.sentence).joined()
    }

    @Test func `the age of Apple's copy is told from an hour on`() throws {
        #expect(try Self.age(.seconds(10_900)).hasSuffix("as the site serves it. The CDN's copy is 3 hours old."))
        #expect(try Self.age(.seconds(3_600)).hasSuffix("The CDN's copy is 1 hour old."))
        #expect(try Self.age(.seconds(5 * 86_400)).hasSuffix("The CDN's copy is 5 days old."))
        for short in [nil, Duration.zero, .seconds(3_599)] {
            #expect(try Self.age(short).hasSuffix("as the site serves it."))
        }
    }

    @Test func `the age is what header fields say of it`() throws {
        let url = try #require(WebURL("https://cdn.example/"))
        func age(_ fields: [(name: String, value: String)]) -> Duration {
            FetchResponse(
                url: url, status: 200, headers: HTTPHeaders(fields), body: [], fetchedAt: ReportPage.now
            ).age
        }
        #expect(age([("Age", "7200")]) == .seconds(7_200))
        #expect(age([("Age", "-5")]) == .zero && age([("Age", "soon")]) == .zero && age([]) == .zero)
        #expect(age([("Age", String(repeating: "9", count: 50))]) <= .seconds(366 * 86_400))
    }
}
