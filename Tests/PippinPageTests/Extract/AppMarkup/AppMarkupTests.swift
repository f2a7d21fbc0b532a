import PippinTestSupport
import Testing

@testable import PippinPage

/// Markup that ties a page to an app: banners, App Links, store addresses, intents.
@Suite struct AppMarkupTests {
    private func banner(_ content: String) -> SmartAppBanner? {
        let escaped = content.map { $0 == "&" ? "&amp;" : String($0) }.joined()
        let document = HTMLDocument(utf8: Array("<meta name='apple-itunes-app' content='\(escaped)'>".utf8))
        return SmartAppBanner(document, meta: MetaTags(document))
    }

    private struct BannerCase: Sendable {
        var content: String
        var id: String?
        var argument: String?
        var affiliate: String?
        var notes: [String] = []
    }

    private static let banners: [BannerCase] = [
        BannerCase(
            content: "app-id=958625272, app-argument=http://www.rwdevcon.com/videos/x.html", id: "958625272",
            argument: "http://www.rwdevcon.com/videos/x.html"),
        BannerCase(
            content: "app-id=1 app-argument=https://e.com/a,b=c", id: "1", argument: "https://e.com/a,b=c",
            notes: ["banner-separator-missing"]),
        BannerCase(
            content: "app-id=1; app-argument=app://x", id: "1", argument: "app://x",
            notes: ["banner-separator-semicolon", "banner-argument-scheme"]),
        BannerCase(
            content: "app-id=id465984761, affiliate-data=, app-argument=https://e.com/", id: "465984761",
            argument: "https://e.com/", notes: ["banner-app-id-prefix", "banner-affiliate-empty"]),
        BannerCase(
            content: "app-id=3, affiliate-data=ct=a&pt=9, app-argument=e://", id: "3", argument: "e://",
            affiliate: "ct=a&pt=9", notes: ["banner-argument-bare-scheme"]),
        BannerCase(content: "app-id=1&mt=8", id: "1", notes: ["banner-app-id-prefix"]),
        BannerCase(
            content: "app-id=id1?hl=fr, app-argument=e://x", id: "1", argument: "e://x",
            notes: ["banner-app-id-prefix", "banner-argument-scheme"]),
        BannerCase(
            content: "app-id=1&app-argument=https://e.com/?a=1&app-id=2", id: "1",
            argument: "https://e.com/?a=1&app-id=2", notes: ["banner-separator-missing"]),
        BannerCase(content: "894009181", notes: ["banner-no-key"]),
        BannerCase(content: "app-id=com.example.app", notes: ["banner-app-id-bundle"]),
        BannerCase(content: "app-id=${id}", notes: ["banner-app-id-placeholder"]),
        BannerCase(content: "app-id=<APP_ID>", notes: ["banner-app-id-placeholder"]),
        BannerCase(content: "app-id=12a", notes: ["banner-app-id-malformed"]),
        BannerCase(content: "app-id=https://apps.apple.com/us/app/x/id77", id: "77", notes: ["banner-app-id-prefix"]),
        BannerCase(
            content: "app-argument=https://e.com/?app-id=5,app-id=6", id: "6", argument: "https://e.com/?app-id=5"),
        BannerCase(
            content: "app-id=686449807, app-argument: tg://resolve?domain=x", id: "686449807",
            argument: "tg://resolve?domain=x", notes: ["banner-key-colon", "banner-argument-scheme"]),
        BannerCase(content: "app-id=1, app-id=2", id: "1", notes: ["banner-key-repeated"]),
        BannerCase(
            content: "app-id=1, app-argument={{ url }}", id: "1", argument: "{{ url }}",
            notes: ["banner-argument-placeholder"]),
        BannerCase(
            content: "app-id=1, app-argument=item/7", id: "1", argument: "item/7", notes: ["banner-argument-malformed"]),
    ]

    /// Every place that takes a package or an App Store ID takes it with what is copied along from a store's address.
    @Test(arguments: [
        ("org.example.app", "901"), ("org.example.app&hl=fr", "901&mt=8"), ("org.example.app?hl=fr", "id901?mt=8"),
        ("id=org.example.app&gl=US", "901;x"), ("org.example.app#top", "901#top"),
        (
            "https://play.google.com/store/apps/details?id=org.example.app&hl=fr",
            "https://apps.apple.com/app/id901?mt=8"
        ),
    ]) func `identifiers are read with the parameters of a copied address behind them`(package: String, id: String)
        throws
    {
        func escaped(_ text: String) -> String { text.replacing("&", with: "&amp;") }
        let metas = [
            ("google-play-app", "app-id=" + package), ("twitter:app:id:googleplay", package),
            ("al:android:package", package), ("twitter:app:id:iphone", id), ("al:ios:app_store_id", id),
            ("apple-itunes-app", "app-id=" + id),
        ]
        for (name, content) in metas {
            let url = name.hasPrefix("al:ios") ? "<meta property='al:ios:url' content='e://x'>" : ""
            let facts = try RecordBuilderTests.facts(
                url + "<meta \(name.hasPrefix("al:") ? "property" : "name")='\(name)' content='\(escaped(content))'>",
                url: "https://e.com/x")
            let found = facts.appClaims.compactMap { $0.packageName ?? $0.storeIdentifier }
            #expect(found == [content.contains("org") ? "org.example.app" : "901"], "\(name): \(content)")
            #expect(!facts.notes.contains { $0.code.rawValue.hasSuffix("malformed") }, "\(name): \(content)")
        }
        guard !package.contains(":"), !package.contains("#"), !package.contains("?") else { return }
        let alternate = try RecordBuilderTests.facts(
            "<link rel=alternate href='android-app://\(escaped(package))/https/e.com/x'>", url: "https://e.com/x")
        #expect(alternate.appClaims.map(\.packageName) == ["org.example.app"])
        #expect(AndroidPackage.reading("{{package}}") == nil && AndroidPackage.reading("&hl=fr") == nil)
    }

    @Test(arguments: banners.indices)
    func `a banner's content is searched for its keys, and what is forgiven is noted`(index: Int) throws {
        let wanted = Self.banners[index]
        let found = try #require(banner(wanted.content))
        #expect(found.appID == wanted.id, "\(wanted.content)")
        #expect(found.appArgument == wanted.argument, "\(wanted.content)")
        #expect(found.affiliateData == wanted.affiliate, "\(wanted.content)")
        #expect(found.notes.map(\.code.rawValue) == wanted.notes, "\(wanted.content)")
    }

    @Test func `a clip alone is a banner, with a warning`() throws {
        let clip = try #require(banner("app-clip-bundle-id=com.e.App.Clip, app-clip-display=card"))
        #expect(clip.isValid && clip.appID == nil)
        #expect(clip.appClipBundleID == "com.e.App.Clip")
        #expect(clip.notes.map(\.code.rawValue) == ["banner-clip-only"])
    }

    @Test func `a bare al:ios keeps a missing ID from slipping to the wrong target`() throws {
        func targets(_ between: String) throws -> [String] {
            let document = HTMLDocument(
                utf8: Array(
                    """
                    <meta property="al:ios:url" content="a"><meta property="al:ios:app_name" content="A">\(between)
                    <meta property="al:ios:url" content="b"><meta property="al:ios:app_store_id" content="1">
                    <meta property="al:ios:app_name" content="B">
                    """.utf8))
            let base = try #require(WebURL("https://example.org/"))
            let links = try #require(AppLinks(document, meta: MetaTags(document), baseURL: base))
            return links.targets.map { "\($0.url ?? "-") \($0.appStoreID ?? "-") \($0.appName ?? "-")" }
        }
        #expect(try targets("") == ["a 1 A", "b - B"])
        #expect(try targets("<meta property='al:ios'>") == ["a - A", "b 1 B"])
    }

    @Test func `structured properties belong to the latest image`() throws {
        let document = HTMLDocument(
            utf8: Array(
                [
                    ("og:image", "1"), ("og:image:width", "300"), ("og:image:height", "300"), ("og:image", "2"),
                    ("og:image", "3"),
                    ("og:image:height", "1000"),
                ].map { "<meta property='\($0.0)' content='\($0.1)'>" }.joined().utf8))
        let base = try #require(WebURL("https://example.org/"))
        let graph = try #require(OpenGraph(document, meta: MetaTags(document), baseURL: base))
        #expect(graph.images.map(\.source) == ["1", "2", "3"])
        #expect(graph.images.map(\.width) == [300, nil, nil])
        #expect(graph.images.map(\.height) == [300, nil, 1000])
    }

    @Test(arguments: [
        ("https://apps.apple.com/us/app/some-app/id123456789", "app-store 123456789 us"),
        ("https://apps.apple.com/app/id1?mt=8", "app-store 1 -"),
        ("https://itunes.apple.com/DE/app/name/id465984761?mt=8&uo=4", "app-store 465984761 de"),
        ("http://itunes.apple.com/WebObjects/MZStore.woa/wa/viewSoftware?id=284882215&mt=8", "app-store 284882215 -"),
        ("itms-apps://itunes.apple.com/app/id42", "app-store 42 -"),
        ("itms-apps://?action=discover", "-"),
        ("https://itunes.apple.com/us/album/name/id5", "-"),
        ("https://apps.apple.com/us/developer/name/id6", "-"),
        ("https://apps.apple.com/us/app/name/idx", "-"),
        ("https://play.google.com/store/apps/details?hl=en&id=com.example.app", "google-play com.example.app -"),
        ("https://play.google.com/store/apps/dev?id=123", "-"),
        ("https://play.google.com/store/apps/details?id=<package>", "-"),
        ("market://details?id=com.example.app", "google-play com.example.app -"),
        ("market://search?q=x", "-"),
        ("intent://x#Intent;package=com.example.app;end", "google-play com.example.app -"),
        ("https://example.org/app/id7", "-"),
    ])
    func `a store's URL names an app`(href: String, wanted: String) {
        let link = StoreLink(href: href)
        #expect((link.map { "\($0.store.rawValue) \($0.identifier) \($0.country ?? "-")" } ?? "-") == wanted)
    }

    @Test func `an intent is taken apart`() throws {
        let intent = try #require(
            IntentURI(
                "intent://scan/#x#Intent;scheme=ZXing;package=com.example.app;action=VIEW;category=a;category=b;"
                    + "component=.Main;S.browser_fallback_url=https%3A%2F%2Fexample.org%2F%3Fa;i.n=5;junk;end;S.late=1")
        )
        #expect(intent.data == "//scan/#x")
        #expect(intent.launchURL == "zxing://scan/#x")
        #expect(intent.packageName == "com.example.app")
        #expect(intent.action == "VIEW")
        #expect(intent.categories == ["a", "b"])
        #expect(intent.component == ".Main")
        #expect(intent.fallbackURL == "https://example.org/?a")
        #expect(intent.extras.map { "\($0.key)=\($0.value)" } == ["n=5"])
        #expect(IntentURI("intent://x") == nil)
        #expect(IntentURI("https://x#Intent;end") == nil)
    }

    @Test(.slow) func `hostile content is read in time`() throws {
        let long = String(repeating: "app-id ", count: 100_000) + String(repeating: " ", count: 500_000) + "x"
        #expect(banner(long)?.appID == nil)
        #expect(banner(String(repeating: ", k=", count: 100_000))?.extras.count == 1)
        #expect(IntentURI("intent:" + String(repeating: "#Intent", count: 100_000)) == nil)
    }
}
