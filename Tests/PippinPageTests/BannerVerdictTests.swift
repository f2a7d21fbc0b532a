import Testing

@testable import PippinPage

/// Verdicts on banners that are not written as Apple documents them.
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
        #expect(page.card.findings("L05").map(\.noteCode) == ["banner-key-broken"])
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
}
