import PippinTestSupport
import Testing

@testable import PippinPage

/// Apps that a page names by its own address, by links with custom schemes, and by actions on itself.
@Suite struct PageLinkTests {
    private static let address = "https://www.clownfair.example/acts/42"

    private func lines(
        _ html: String, url: String = PageLinkTests.address, apps: [RecordBuilder.AppIdentity] = []
    ) throws -> [String] {
        let record = try #require(try RecordBuilderTests.conclusion(html, url: url, apps: apps).record)
        return record.deepLinks.map { link in
            let app = link.storeIdentifier ?? link.packageName ?? link.bundleIdentifier ?? "-"
            let further = link.alternativeURLs.isEmpty ? "" : " | " + link.alternativeURLs.joined(separator: " ")
            return "\(link.platform.rawValue) \(app) \(link.url ?? "-")\(further) | "
                + link.sources.map(\.rawValue).joined(separator: " ")
        }
    }

    private func link(_ address: String) -> String { "<a href='\(address)'>x</a>" }

    // MARK: Pages of stores

    @Test(arguments: [
        ("https://apps.apple.com/us/app/x/id123", "ios 123"), ("https://apps.apple.com/app/id123?mt=8#s", "ios 123"),
        ("https://itunes.apple.com/gb/app/x/id123?mt=8", "ios 123"),
        ("https://play.google.com/store/apps/details?id=org.example.a&hl=de", "android org.example.a"),
    ]) func `a page of a store is the page of its app`(url: String, app: String) throws {
        #expect(try lines("<title>x</title>", url: url) == ["\(app) - | page-url"])
        let others =
            link("https://apps.apple.com/us/app/y/id4") + link("https://apps.apple.com/us/app/z/id5")
            + link("https://play.google.com/store/apps/details?id=org.example.b")
        let own = try lines(others, url: url).filter { $0.contains("page-url") }
        #expect(own == ["\(app) - | page-url"])
    }

    @Test(arguments: [
        "https://apps.apple.com/us/developer/x/id123", "https://apps.apple.com/us/story/id123",
        "https://music.apple.com/us/album/x/123", "https://play.google.com/store/apps/dev?id=123",
        "https://play.google.com/store/books/details?id=abc", "https://apps.apple.example/us/app/x/id123",
    ]) func `other pages of stores are of no app`(url: String) throws {
        #expect(try lines("<title>x</title>", url: url).isEmpty)
    }

    // MARK: Whose scheme

    private let banner = "<meta name=apple-itunes-app content='app-id=901'>"

    @Test func `the only scheme that no other app is known by is that of the app which the page names`() throws {
        for address in ["circus://acts/42", "circus:acts:42"] {
            #expect(try lines(link(address)).isEmpty)
            #expect(try lines(banner + link(address)) == ["ios 901 \(address) | smart-app-banner page-link"])
        }
        #expect(
            try lines(banner + link("circus://acts/42") + link("tents://x")) == ["ios 901 - | smart-app-banner"])
        // The name of site or app decides between several.
        #expect(
            try lines(link("clownfair-app://acts/42") + link("tents://x")) == [
                "ios - clownfair-app://acts/42 | page-link"
            ])
        #expect(try lines(link("clownapp://acts/42") + link("tents://x")) == ["ios - clownapp://acts/42 | page-link"])
        #expect(
            try lines(link("org.clownfair.acts://acts/42") + link("tents://x")) == [
                "ios - org.clownfair.acts://acts/42 | page-link"
            ])
        let apps = [RecordBuilder.AppIdentity(storeIdentifier: "1", bundleIdentifier: "org.example.bozo")]
        #expect(
            try lines(link("bozo://acts/42") + link("tents://x"), apps: apps) == ["ios - bozo://acts/42 | page-link"])
    }

    @Test(arguments: [
        "whatsapp://send?text=x", "whatsapp://send", "fb://profile/1", "fb-messenger://share?link=https://a.test/",
        "tg://resolve?domain=x", "viber://chat", "mailto:a@b.example", "tel:+15550100", "sms:1", "javascript:x()",
        "data:text/html,x", "blob:https://a.test/1", "file:///x", "ftp://a.test/x", "magnet:?xt=urn:btih:1",
        "about:blank",
        "callto:x", "x-apple-data-detectors://4", "web+mastodon://share?text=x", "ms-settings:x",
        "webcal://a.test/c.ics",
        "clown://", "clown://{{id}}", "newmessenger://share?text=x",
        "reader://add?url=https://www.clownfair.example/acts/42",
        "bitcoin:1abc", "market://search?q=x", "zoommtg://zoom.us/join?confno=1", "slack://open",
    ]) func `links of others and of systems are no claims`(address: String) throws {
        #expect(try lines(banner + link(address)).filter { $0.contains("page-link") } == [])
        #expect(
            try lines(banner + link(address) + link("circus://acts/42")) == [
                "ios 901 circus://acts/42 | smart-app-banner page-link"
            ], "\(address)")
    }

    @Test func `a well-known app's own site links to its own app`() throws {
        let page = "https://open.spotify.com/track/66op"
        #expect(
            try lines(link("spotify://track/66op"), url: page) == ["ios - spotify://track/66op | page-link"])
        #expect(try lines(link("spotify://track/66op")).isEmpty)
    }

    // MARK: Which address, which app

    @Test func `of several addresses the one counts that leads to this page`() throws {
        let others = link("clownfair://acts/41") + link("clownfair://home")
        #expect(try lines(others).isEmpty)
        #expect(try lines(others + link("clownfair://acts/42")) == ["ios - clownfair://acts/42 | page-link"])
        #expect(
            try lines(others + link("clownfair://open/www.clownfair.example/acts/42?x=1")) == [
                "ios - clownfair://open/www.clownfair.example/acts/42?x=1 | page-link"
            ])
        #expect(
            try lines(
                link("clownfair://story/1234567") + link("clownfair://story/7654321"),
                url: "https://www.clownfair.example/2026/11/20/bozo-falls-1234567.html") == [
                    "ios - clownfair://story/1234567 | page-link"
                ])
    }

    @Test func `the link opens the app that the page names, and a scheme that is known stays with its app`() throws {
        #expect(
            try lines(banner + link("circus://acts/42")) == ["ios 901 circus://acts/42 | smart-app-banner page-link"])
        let play = link("https://play.google.com/store/apps/details?id=org.example.a")
        let package = "<meta name='twitter:app:id:googleplay' content='org.example.a'>"
        #expect(
            try lines(package + play + link("circus://acts/42")) == [
                "android org.example.a circus://acts/42 | twitter-card page-link store-link"
            ])
        let argument = "<meta name=apple-itunes-app content='app-id=901, app-argument=circus://acts/42?b'>"
        #expect(
            try lines(argument + link("circus://acts/42") + link("tents://acts/42")) == [
                "ios 901 circus://acts/42?b | circus://acts/42 | smart-app-banner page-link"
            ])
        // Elsewhere in the app.
        #expect(
            try lines(argument + link("circus://home")) == ["ios 901 circus://acts/42?b | smart-app-banner"])
    }

    @Test func `where the site vouches for the page's address, that opens the app, and the link is another way`() {
        var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.smartAppBanner, .pageLink])
        (link.bundleIdentifier, link.url, link.urlSource) = ("org.example.a", "circus://acts/42", .pageLink)
        var associated = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.association])
        (associated.bundleIdentifier, associated.url) = ("org.example.a", Self.address)
        var links = [link]
        DeepLinkMerge.add(associated: associated, isOnly: true, to: &links)
        #expect(links.map(\.url) == [Self.address] && links.first?.alternativeURLs == ["circus://acts/42"])
    }

    @Test(.slow) func `thousands of schemes cost little`() throws {
        let html = (0..<20_000).map { link("s\($0)://acts/42?\(String(repeating: "a=b&", count: 20))") }.joined()
        #expect(try lines(html).isEmpty)
    }

    // MARK: Actions on the page itself

    private func target(_ address: String) -> String {
        #"<script type="application/ld+json">{"@context":"https://schema.org","@type":"Event","name":"x","url":"\#(Self.address)","potentialAction":"#
            + #"{"@type":"ViewAction","target":{"@type":"EntryPoint","urlTemplate":"\#(address)","actionPlatform":"http://schema.org/IOSPlatform"}}}</script>"#
    }

    @Test(arguments: ["", "?utm_source=a&utm_medium=b", "?gclid=1", "#top"])
    func `a target that is the page, whatever campaign it names, is no second entry`(more: String) throws {
        let target = target(Self.address + more)
        #expect(try lines(target).count == 1)
        if !more.hasPrefix("#") { #expect(try lines(target) == ["ios - \(Self.address) | schema-org"]) }
        for (banner, wanted) in [
            ("app-id=901", "ios 901 \(Self.address) | smart-app-banner schema-org"),
            ("app-id=901, app-argument=\(Self.address)", "ios 901 \(Self.address) | smart-app-banner schema-org"),
            (
                "app-id=901, app-argument=circus://acts/42",
                "ios 901 circus://acts/42 | \(Self.address) | smart-app-banner schema-org"
            ),
        ] where !more.hasPrefix("#") {
            #expect(try lines("<meta name=apple-itunes-app content='\(banner)'>" + target) == [wanted])
        }
    }

    @Test func `a target that is the page with an order for the app keeps it`() throws {
        let banner = "<meta name=apple-itunes-app content='app-id=901, app-argument=circus://acts/42'>"
        #expect(
            try lines(banner + target(Self.address + "?autoplay=true")) == [
                "ios 901 circus://acts/42 | \(Self.address)?autoplay=true | smart-app-banner schema-org"
            ])
        // Another page is another entry.
        #expect(try lines(banner + target("https://www.clownfair.example/acts/43")).count == 2)
        // Of two apps none is meant.
        let two =
            "<meta property='al:ios:app_store_id' content='1'><meta property='al:ios:url' content='a://1'>"
            + "<meta property='al:ios:app_store_id' content='2'><meta property='al:ios:url' content='b://1'>"
        #expect(try lines(two + target(Self.address)).count == 3)
    }
}
