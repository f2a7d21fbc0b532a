import Testing

@testable import PippinPage
@testable import PippinReport

/// Verdicts on banners that are not written as Apple documents them, on canonical links, and on pages without an app.
@Suite struct BannerVerdictTests {
    private func banner(_ content: String, name: String = "apple-itunes-app") -> ReportPage {
        ReportPage("<meta name=\"\(name)\" content=\"\(content)\">")
    }

    @Test func `Apple's sample, wrapped inside a key, has both its keys`() throws {
        let page = banner(
            "app-id=958625272, app-   argument=http://www.rwdevcon.com/\n   videos/talk-ray-wenderlich-teamwork.html")
        let read = try #require(page.facts.smartAppBanner)
        #expect(read.appID == "958625272")
        #expect(read.appArgumentURL?.href == "http://www.rwdevcon.com/videos/talk-ray-wenderlich-teamwork.html")
        #expect(page.card.outcome("L05") == .warning)
        #expect(page.card.findings("L05").map(\.noteCode?.rawValue) == ["banner-key-broken"])
        #expect(page.card.outcome("L04") == .pass && page.card.outcome("L06") == .pass)
    }

    @Test(arguments: ["app-\n  id=123456789", "app\n-id = 123456789", "APP- ID=123456789"])
    func `a known key may be broken anywhere`(content: String) {
        #expect(banner(content).facts.smartAppBanner?.appID == "123456789")
    }

    @Test(arguments: [
        "app-id=123456789 or not", "123456789", "", "app-id=com.example.app", "app-id=", "see the App Store",
        "app-id=123456789, app-argument=no address", "app-id=id123456789",
    ])
    func `what was not understood is never called well written`(content: String) {
        #expect(!banner(content).card.findings("L05").contains { $0.outcome == .pass })
    }

    @Test func `a tag that is no banner has one finding for its name and none for its content`() {
        let card = banner("app-id=123456789, app-argument=https://shop.example/mug", name: "myApp").card
        #expect(card.outcome("L03") == .error)
        for check in ["L04", "L05", "L06", "L07"] { #expect(card.findings(check).isEmpty, "\(check)") }
    }

    // MARK: Canonical links

    @Test(arguments: ["/mug", "mug", "//shop.example/mug"])
    func `a relative canonical link is a warning`(href: String) {
        let page = ReportPage("<link rel=\"canonical\" href=\"\(href)\">")
        #expect(page.card.findings("T04").map(\.noteCode?.rawValue) == ["canonical-relative"])
        #expect(page.card.outcome("T04") == .warning)
        #expect(page.facts.metadata.canonical?.href == "https://shop.example/mug")
    }

    // MARK: Pages without an app

    private static func files(_ pattern: String) -> AssociationFetch {
        let file =
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.example.shop"],"components":[{"/":"\#(pattern)"}]}]}}"#
        return .fetched(bytes: Array(file.utf8), mediaType: "application/json")
    }

    @Test func `a page is told of no app where nothing suggests one, and its site's app is missed`() throws {
        let plain = ReportPage("<title>Mug</title>")
        #expect(plain.card.findings("L01").isEmpty)
        #expect(plain.associated().card.findings("L01").isEmpty)
        let store = plain.with { $0.body += "<a href=\"https://apps.apple.com/app/id123456789\">Get it</a>" }
        #expect(store.associated().card.findings("L01").isEmpty)
        #expect(plain.associated(apple: Self.files("/cup")).card.outcome("L01") == .error)
    }

    @Test func `an app without a way into it is an error only where the association files were looked at`() throws {
        let named = ReportPage("<meta name=\"apple-itunes-app\" content=\"app-id=123456789\">")
        let unseen = try #require(named.card.findings("L01").first)
        #expect(unseen.outcome == .unknown && unseen.sentence.hasPrefix("Not checked: "))
        #expect(unseen.sentence.hasSuffix("Association files were not looked at."))
        let refused = named.associated(apple: .status(503), root: .status(503))
        #expect(refused.card.outcome("L01") == .unknown)
        #expect(named.associated().card.outcome("L01") == .error)
        #expect(named.associated(apple: Self.files("/mug")).card.outcome("L01") == .pass)
        var asked = ReportPage("<title>Mug</title>")
        asked.options.appIdentifier = "ABCDE12345.example.shop"
        #expect(asked.card.outcome("L01") == .unknown)
        #expect(asked.associated().card.outcome("L01") == .error)
    }

    @Test func `a banner without app-argument is a warning where it opens other content than the page's`() throws {
        let named = ReportPage("<meta name=\"apple-itunes-app\" content=\"app-id=123456789\">")
        #expect(named.card.outcome("L06") == .warning)
        #expect(named.associated(apple: Self.files("/cup")).card.outcome("L06") == .warning)
        #expect(named.associated(apple: Self.files("/mug")).card.outcome("L06") == .pass)
        // Another address of the page that the file opens is not this content.
        let other = named.with { $0.head += "<meta property=\"al:ios:url\" content=\"https://shop.example/cup\">" }
        #expect(other.associated(apple: Self.files("/cup")).card.outcome("L06") == .warning)
        #expect(named.with { $0.url = "https://shop.example/" }.card.outcome("L06") == .pass)
        #expect(named.with { $0.url = UnknownAddress.url.href }.card.outcome("L06") == .warning)
    }

    @Test func `what the crawl shows of the site is told of a page without an app`() throws {
        let plain = ReportPage("<title>Mug</title>").associated()
        var crawl = CrawlEvidence()
        crawl.siteApp = "other pages of the site do, such as https://shop.example/cup"
        let together = plain.with { $0.crawl = crawl }.card
        let later = plain.card.completed(by: crawl)
        for card in [together, later] {
            let findings = card.findings("L01")
            #expect(findings.map(\.outcome) == [.error])
            #expect(findings.first?.sentence.contains("https://shop.example/cup") == true)
        }
        #expect(plain.card.completed(by: CrawlEvidence()).findings("L01").isEmpty)
        // The association files may open it.
        #expect(ReportPage("<title>Mug</title>").card.completed(by: crawl).findings("L01").isEmpty)
    }

    // MARK: Services that ended

    @Test(arguments: [
        ("https://maps.app.goo.gl/KMcdrQzx5", false), ("https://photos.app.goo.gl/Qe1xu4v9", false),
        ("https://shop.app.goo.gl/x", true), ("https://shop.page.link/x", true), ("https://shop.app.link/x", false),
        ("https://app.goo.gl/x", false), ("https://page.link/", false), ("https://maps.app.goo.gl.example/x", false),
    ]) func `links of services that ended are told from those that live`(address: String, isDead: Bool) throws {
        let link = ReportPage(body: "<p><a href=\"\(address)\">Map</a></p>")
        #expect(link.card.findings("L23").map(\.outcome) == (isDead ? [.warning] : []))
        let argument = ReportPage(
            "<meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-argument=\(address)\">")
        #expect(argument.card.outcome("L23") == (isDead ? .warning : .pass))
        #expect(argument.card.record?.deepLinks.map(\.url) == [isDead ? nil : try #require(WebURL(address)).href])
    }

    @Test func `a link to another's app is not to be replaced with a link to this page`() throws {
        let others = ReportPage(
            body: "<p><a href=\"https://tea.page.link/x\">Tea</a> <a href=\"https://shop.page.link/x\">Mug</a></p>"
        ).card.findings("L23")
        #expect(others.map(\.outcome) == [.warning, .warning])
        let own = try #require(others.first { $0.sentence.contains("shop.page.link") })
        #expect(own.remedy?.code?.contains("https://shop.example/mug") == true)
        let other = try #require(others.first { $0.sentence.contains("tea.page.link") })
        #expect(other.remedy?.code == nil && other.remedy?.text.contains("Remove the link") == true)
    }

    @Test(arguments: [
        "<meta name=\"twitter:app:id:iphone\" content=\"123456789\">",
        "<meta property=\"al:ios:app_store_id\" content=\"123456789\"><meta property=\"al:ios:url\" content=\"shop://mug\">",
        "<link rel=\"alternate\" href=\"ios-app://123456789/shop/mug\">",
    ]) func `a banner is advice for a page that names an app without one`(head: String) {
        #expect(ReportPage(head).card.findings("L02").map(\.outcome) == [.info])
    }

    // MARK: Addresses that agree

    private func destinations(_ argument: String, _ other: String) -> ReportCard {
        ReportPage(
            """
            <meta name="apple-itunes-app" content="app-id=123456789, app-argument=\(argument)">
            <meta property="al:ios:url" content="\(other)"><meta property="al:ios:app_store_id" content="123456789">
            """
        ).card
    }

    @Test(arguments: [
        ("https://shop.example/mug", "https://shop.example/mug?utm_source=x&amp;fbclid=1"),
        ("https://shop.example/mug?utm_medium=banner", "https://shop.example/mug?utm_medium=al"),
        ("shop://mug?id=1&amp;utm_source=banner", "shop://mug?id=1&amp;utm_source=al"),
        ("shop:mug?gclid=1", "shop:mug"), ("shop://mug/", "shop://mug"),
    ]) func `markup that differs in what a campaign adds leads to the same place`(argument: String, other: String) {
        #expect(destinations(argument, other).outcome("L17") == .pass)
    }

    @Test(arguments: [
        ("https://shop.example/mug", "https://shop.example/cup"), ("shop://mug?id=1", "shop://mug?id=2"),
        ("shop://mug", "shop://cup"),
    ]) func `markup that leads elsewhere is told`(argument: String, other: String) {
        #expect(destinations(argument, other).outcome("L17") == .warning)
    }

    @Test func `two long addresses are shown where they differ`() throws {
        let path = "https://shop.example/" + String(repeating: "kitchenware/", count: 12)
        let finding = try #require(destinations(path + "mug-in-red", path + "cup-in-blue").findings("L17").first)
        #expect(
            finding.sentence.contains("mug-in-red”") && finding.sentence.contains("cup-in-blue”"), "\(finding.sentence)"
        )
        #expect(finding.sentence.contains("“https://shop.example"))
        let page = ReportPage(
            "<link rel=canonical href=\"\(path)mug\"><meta property=\"og:url\" content=\"\(path)cup\">")
        let graph = try #require(page.card.findings("S14").first { $0.sentence.contains("canonical") })
        #expect(graph.sentence.contains("/mug”") && graph.sentence.contains("/cup”"), "\(graph.sentence)")
    }
}
