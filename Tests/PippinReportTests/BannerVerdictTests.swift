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

    @Test func `a page without an app is an error where its site has one, else a warning`() throws {
        let plain = ReportPage("<title>Mug</title>")
        #expect(plain.card.outcome("L01") == .warning)
        let file = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.example.shop"],"components":[{"/":"/cup"}]}]}}"#
        let named = plain.associated(apple: .fetched(bytes: Array(file.utf8), mediaType: "application/json"))
        #expect(named.card.outcome("L01") == .error)
    }

    @Test func `what the crawl shows of the site takes the place of the warning`() throws {
        let plain = ReportPage("<title>Mug</title>")
        var crawl = CrawlEvidence()
        crawl.siteApp = "other pages of the site do, such as https://shop.example/cup"
        let together = plain.with { $0.crawl = crawl }.card
        let later = plain.card.completed(by: crawl)
        for card in [together, later] {
            let findings = card.findings("L01")
            #expect(findings.map(\.outcome) == [.error])
            #expect(findings.first?.sentence.contains("https://shop.example/cup") == true)
        }
        #expect(plain.card.completed(by: CrawlEvidence()).findings("L01").map(\.outcome) == [.warning])
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
}
