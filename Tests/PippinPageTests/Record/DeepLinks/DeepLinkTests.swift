import PippinTestSupport
import Testing

@testable import PippinPage

/// From markup to deep links: what each source gives, and how they are joined.
@Suite struct DeepLinkTests {
    private static let address = "https://shows.example/s/1"

    private func read(
        _ html: String, headers: [(name: String, value: String)] = [], manifest: WebAppManifest? = nil,
        sitemapAlternates: [String] = [], page: String = DeepLinkTests.address
    ) throws -> (links: [DeepLinkRecord.DeepLink], notes: [ParseNote]) {
        let facts = try RecordBuilderTests.facts(html, url: page, headers: HTTPHeaders(headers))
        let conclusion = RecordBuilder.conclusion(
            from: facts, manifest: manifest, sitemap: SitemapFacts(alternates: sitemapAlternates),
            now: RecordBuilderTests.fetchedAt)
        guard case .record(let record, let notes) = conclusion else { return ([], []) }
        return (record.deepLinks, facts.notes + notes)
    }

    /// `platform app url | further urls | sources`, what is not there as `-`.
    private func lines(_ links: [DeepLinkRecord.DeepLink]) -> [String] {
        links.map { link in
            let app = link.storeIdentifier ?? link.packageName ?? link.bundleIdentifier ?? "-"
            let further = link.alternativeURLs.isEmpty ? "" : " | " + link.alternativeURLs.joined(separator: " ")
            return "\(link.platform.rawValue) \(app) \(link.url ?? "-")\(further) | "
                + link.sources.map(\.rawValue).joined(separator: " ")
        }
    }

    private func lines(_ html: String) throws -> [String] { lines(try read(html).links) }

    private func schema(_ json: String) -> String {
        #"<script type="application/ld+json">{"@context":"https://schema.org",\#(json)}</script>"#
    }

    // MARK: Banner

    @Test func `placeholders, bundle identifiers and look-alike names give no deep link`() throws {
        for content in [
            "YOUR_APP_ID", "myAppStoreID", "${id}", "{{id}}", "<APP_ID>", "000000000", "com.example.app",
            "ABCDE12345.com.example.app", "",
        ] {
            let escaped = content.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            let (links, notes) = try read("<meta name=apple-itunes-app content='app-id=\(escaped)'>")
            #expect(links.isEmpty, "\(content)")
            #expect(notes.contains { $0.code.rawValue.hasPrefix("banner-app-id-") && $0.line == 1 && $0.column != nil })
        }
        for name in ["custom-apple-itunes-app", "apple-itunes-app-tab", "myApp"] {
            let (links, notes) = try read("<meta name='\(name)' content='app-id=123456789'>")
            #expect(links.isEmpty && notes.map(\.code.rawValue) == ["banner-lookalike"], "\(name)")
        }
        let (links, notes) = try read("<meta name='google-play-app-tab' content='app-id=org.example.app'>")
        #expect(links.isEmpty && notes.map(\.code.rawValue) == ["google-play-app-lookalike"])
    }

    @Test func `a banner with quirks opens what it means, and every quirk is noted with its place`() throws {
        let (links, notes) = try read(
            "<!doctype html>\n<meta property='apple-itunes-app' content='app-id=id901; app-argument=shows://s/1?a=1&amp;b=2,'>"
        )
        #expect(lines(links) == ["ios 901 shows://s/1?a=1&b=2 | smart-app-banner"])
        let codes = [
            "banner-attribute", "banner-separator-semicolon", "banner-app-id-prefix", "banner-argument-scheme",
        ]
        #expect(Set(codes).isSubset(of: Set(notes.map(\.code.rawValue))))
        #expect(notes.allSatisfy { $0.line == 2 && $0.column != nil })
    }

    @Test func `an App Clip stands beside its app, or for itself`() throws {
        let both = try read(
            "<meta name=apple-itunes-app content='app-id=901, app-clip-bundle-id=org.example.shows.Clip, app-argument=https://shows.example/s/1'>"
        ).links
        #expect(lines(both) == ["ios 901 https://shows.example/s/1 | smart-app-banner"])
        #expect(both.first?.appClipBundleIdentifier == "org.example.shows.Clip")
        #expect(both.first?.bundleIdentifier == nil)
        let clip =
            "<meta name=apple-itunes-app content='app-clip-bundle-id=org.example.shows.Clip, app-clip-display=card'>"
        let alone = try read(clip + "<a href='https://appclip.apple.com/id?p=org.example.shows.Clip'>x</a>").links
        #expect(lines(alone) == ["ios org.example.shows.Clip - | smart-app-banner store-link"])
        #expect(alone.first?.appClipBundleIdentifier == "org.example.shows.Clip")
        let linked = try read("<a href='https://appclip.apple.com/id?p=example.shows.Clip&amp;x=1'>x</a>").links
        #expect(linked.first?.appClipBundleIdentifier == "example.shows.Clip")
    }

    // MARK: Twitter and App Links

    @Test func `the three Twitter apps become three platforms, with the country of the store`() throws {
        let links = try read(
            """
            <meta property="twitter:app:id:iphone" value="id901"><meta name="twitter:app:url:iphone" content="shows://s/1">
            <meta name="twitter:app:name:iphone" content="Shows"><meta name="twitter:app:country" content="de">
            <meta name="twitter:app:id:ipad" content="902"><meta name="twitter:app:url:ipad" content="shows-hd://s/1">
            <meta name="twitter:app:id:googleplay" content="org.example.shows">
            <meta name="twitter:app:url:googleplay" content="https://shows.example/s/1">
            """
        ).links
        #expect(
            lines(links) == [
                "ios 901 shows://s/1 | twitter-card", "ipados 902 shows-hd://s/1 | twitter-card",
                "android org.example.shows https://shows.example/s/1 | twitter-card",
            ])
        #expect(links.map(\.storeCountry) == ["DE", "DE", nil])
        #expect(links.first?.appName == "Shows")
    }

    @Test func `what a template left behind opens nothing`() throws {
        let (links, notes) = try read(
            """
            <meta name="twitter:app:url:iphone" content="shows://{{ id }}"><meta name="twitter:app:id:iphone" content="${ID}">
            <meta property="al:ios:url" content="${url}"><meta property="al:android:url" content="s/1">
            """)
        #expect(links.isEmpty)
        for code in [
            "twitter-app-placeholder", "twitter-app-id-malformed", "app-links-placeholder", "app-links-url-malformed",
        ] {
            #expect(notes.contains { $0.code.rawValue == code && $0.line != nil && $0.column != nil }, "\(code)")
        }
    }

    @Test func `every target of App Links is a deep link, in order of preference`() throws {
        let html = """
            <meta property="al:ios:url" content="paid://1"><meta property="al:ios:app_store_id" content="1">
            <meta property="al:ios:url" content="free://1"><meta property="al:ios:app_store_id" content="2">
            <meta property="al:iphone:url" content="phone://1"><meta property="al:iphone:app_store_id" content="3">
            <meta property="al:ipad:url" content="pad://1"><meta property="al:ipad:app_store_id" content="4">
            <meta property="al:android:package" content="org.example.a"><meta property="al:android:url" content="a://1">
            <meta property="al:windows_phone:url" content="wp:1">
            <meta property="al:windows_phone:app_id" content="0f1e2d3c-aaaa-bbbb-cccc-000011112222">
            <meta property="al:windows:url" content="w:1"><meta property="al:windows_universal:url" content="wu:1">
            <meta property="al:web:url" content="/web">
            """
        let wanted = [
            "ios 3 phone://1 | app-links", "ios 1 paid://1 | app-links", "ios 2 free://1 | app-links",
            "ipados 4 pad://1 | app-links", "android org.example.a a://1 | app-links", "windows - wu:1 | app-links",
            "windows - w:1 | app-links", "windows 0f1e2d3c-aaaa-bbbb-cccc-000011112222 wp:1 | app-links",
        ]
        #expect(try lines(html) == wanted + ["web - https://shows.example/web | app-links"])
        for word in ["no", "False", "0"] {
            #expect(try lines(html + "<meta property='al:web:should_fallback' content='\(word)'>") == wanted)
        }
    }

    // MARK: Alternates

    @Test func `alternates of element, header and sitemap name the app and what to open in it`() throws {
        let (links, _) = try read(
            """
            <link rel="alternate" href="android-app://org.example.shows/https/shows.example/s/1">
            <link rel=alternate href="ios-app://901/shows/s/1">
            """, headers: [("Link", "<android-app://org.example.other/other/s/1>; rel=\"alternate\"")],
            sitemapAlternates: ["android-app://org.example.third", "ios-app://901/http/shows.example/s/1", "junk:"])
        #expect(
            lines(links) == [
                "ios 901 shows://s/1 | http://shows.example/s/1 | alternate",
                "android org.example.other other://s/1 | alternate",
                "android org.example.shows https://shows.example/s/1 | alternate",
                "android org.example.third - | alternate",
            ])
    }

    // MARK: schema.org

    private static let action = """
        "potentialAction":{"@type":"ViewAction","target":[
         {"@type":"EntryPoint","urlTemplate":"https://shows.example/s/1","actionPlatform":["http://schema.org/IOSPlatform",
          "https://schema.org/AndroidPlatform","http://schema.org/DesktopWebPlatform"]},
         "android-app://org.example.shows/shows/s/1"]}
        """

    @Test func `actions open apps in all three syntaxes`() throws {
        let json = schema("\"@type\":\"TVSeries\",\"name\":\"One\",\(Self.action)")
        let microdata = """
            <div itemscope itemtype="https://schema.org/TVSeries"><b itemprop=name>One</b>
            <div itemprop=potentialAction itemscope itemtype="https://schema.org/ViewAction">
            <div itemprop=target itemscope itemtype="https://schema.org/EntryPoint">
            <meta itemprop=urlTemplate content="https://shows.example/s/1">
            <link itemprop=actionPlatform href="http://schema.org/IOSPlatform">
            <meta itemprop=actionPlatform content="Android"><link itemprop=actionPlatform href="http://schema.org/DesktopWebPlatform"></div>
            <link itemprop=target href="android-app://org.example.shows/shows/s/1"></div></div>
            """
        let rdfa = """
            <div vocab="https://schema.org/" typeof="TVSeries"><b property=name>One</b>
            <div property=potentialAction typeof="ViewAction"><div property=target typeof="EntryPoint">
            <meta property=urlTemplate content="https://shows.example/s/1">
            <link property=actionPlatform href="http://schema.org/IOSPlatform">
            <link property=actionPlatform href="https://schema.org/AndroidPlatform"></div>
            <link property=target href="android-app://org.example.shows/shows/s/1"></div></div>
            """
        let wanted = [
            "ios - https://shows.example/s/1 | schema-org", "android - https://shows.example/s/1 | schema-org",
            "android org.example.shows shows://s/1 | schema-org",
        ]
        for html in [json, microdata, rdfa] { #expect(try lines(html) == wanted) }
    }

    @Test func `an action's application tells platform and app`() throws {
        let html = schema(
            #""@type":"Recipe","name":"One","potentialAction":{"@type":"ListenAction","target":{"@type":"EntryPoint","urlTemplate":"shows://s/1","#
                + #""actionApplication":{"@type":"MobileApplication","name":"Shows","installUrl":"https://apps.apple.com/de/app/shows/id901"}}}"#
        )
        let links = try read(html).links
        #expect(lines(links) == ["ios 901 shows://s/1 | schema-org"])
        #expect(links.first?.appName == "Shows")
    }

    @Test func `a target without platform is no deep link unless its scheme is known`() throws {
        func recipe(_ target: String) -> String {
            schema(#""@type":"Recipe","name":"One","potentialAction":{"@type":"ViewAction","target":\#(target)}"#)
        }
        for target in [
            #""https://shows.example/s/1""#, #"{"@type":"EntryPoint","urlTemplate":"https://shows.example/s/1"}"#,
            #"{"@type":"EntryPoint","urlTemplate":"shows://s/{id}","actionPlatform":"http://schema.org/IOSPlatform"}"#,
        ] {
            #expect(try lines(recipe(target)).isEmpty, "\(target)")
        }
        let (links, notes) = try read(recipe(#""shows://s/1/play""#))
        #expect(links.isEmpty && notes.contains { $0.code.rawValue == "action-platform-missing" })
        let banner = "<meta name=apple-itunes-app content='app-id=901, app-argument=shows://s/1'>"
        #expect(
            try lines(banner + recipe(#""shows://s/1/play""#)) == [
                "ios 901 shows://s/1 | shows://s/1/play | smart-app-banner schema-org"
            ])
    }

    @Test func `applications describe the app that other sources name, several of one store only the page's own`()
        throws
    {
        let one = schema(
            #""@type":"SoftwareApplication","name":"Shows","sameAs":["https://apps.apple.com/us/app/shows/id901"],"#
                + #""identifier":{"@type":"PropertyValue","name":"Play","value":"market://details?id=org.example.shows"}"#
        )
        let banner = "<meta name=apple-itunes-app content='app-id=901'>"
        let twitter = "<meta name='twitter:app:id:googleplay' content='org.example.shows'>"
        let described = try read(banner + twitter + one).links
        #expect(
            lines(described) == [
                "ios 901 - | smart-app-banner schema-org", "android org.example.shows - | twitter-card schema-org",
            ])
        #expect(described.map(\.appName) == ["Shows", "Shows"] && described.first?.storeCountry == "US")
        // The same app by its name.
        #expect(
            try lines(
                "<meta property='al:ios:url' content='shows://s/1'><meta property='al:ios:app_name' content='Shows'>"
                    + one)
                == ["ios 901 shows://s/1 | app-links schema-org"])
        let list = schema(
            #""@graph":[{"@type":"MobileApplication","name":"A","downloadUrl":"https://apps.apple.com/app/id1"},"#
                + #"{"@type":"MobileApplication","name":"B","url":"https://apps.apple.com/app/id2"}]"#)
        #expect(try lines(list).isEmpty)
    }

    // MARK: Witnesses

    /// Markup about apps that anybody may write about anybody's: in the page `https://shows.example/s/1`.
    private static let withoutWitness = [
        "<a href='https://apps.apple.com/us/app/evil/id666'>x</a>",
        "<a href='https://play.google.com/store/apps/details?id=com.evil.app'>x</a>",
        "<a href='itms-apps://itunes.apple.com/app/id666'>x</a>", "<a href='market://details?id=com.evil.app'>x</a>",
        "<a href='https://appclip.apple.com/id?p=com.evil.app.Clip'>x</a>",
        "<area href='https://apps.apple.com/us/app/evil/id666'>",
        "<iframe src='market://details?id=com.evil.app'></iframe>",
        "<a href='evil://shows.example/s/1'>x</a>", "<a href='evil:s:1'>x</a>",
        "<a href='intent://x#Intent;scheme=evil;package=com.evil.app;end'>x</a>",
        "<a href='intent://shows.example/s/1#Intent;scheme=https;package=com.evil.app;end'>x</a>",
        "<a href='intent://shows.example/s/1#Intent;scheme=https;end'>x</a>",
        "<a href='intent://x#Intent;scheme=evil;S.browser_fallback_url=https%3A%2F%2Fshows.example%2Fs%2F1;end'>x</a>",
        "<meta http-equiv=refresh content='9;url=evil://x'>",
        "<meta http-equiv=refresh content='9;url=market://details?id=com.evil.app'>",
        application(#""@type":"MobileApplication","name":"Evil","installUrl":"https://apps.apple.com/app/id666""#),
        application(
            #""@type":"SoftwareApplication","name":"Evil","downloadUrl":"https://play.google.com/store/apps/details?id=com.evil.app""#
        ),
        application(
            #""@type":"VideoGame","name":"Evil","url":"https://play.google.com/store/apps/details?id=com.evil.app""#),
        application(
            #""@type":"Review","itemReviewed":{"@type":"MobileApplication","name":"Evil","sameAs":"https://apps.apple.com/app/id666"}"#
        ),
        application(
            #""@type":"MobileApplication","name":"Evil","potentialAction":{"@type":"InstallAction","target":{"@type":"EntryPoint","urlTemplate":"https://play.google.com/store/apps/details?id=com.evil.app","actionPlatform":"http://schema.org/AndroidPlatform"}}"#
        ),
        "<div itemscope itemtype='https://schema.org/MobileApplication'><b itemprop=name>Evil</b><link itemprop=installUrl href='market://details?id=com.evil.app'></div>",
        "<div vocab='https://schema.org/' typeof=MobileApplication><b property=name>Evil</b><a property=installUrl href='https://apps.apple.com/app/id666'>x</a></div>",
    ]

    private static func application(_ json: String) -> String {
        #"<script type="application/ld+json">{"@context":"https://schema.org",\#(json)}</script>"#
    }

    /// What only a page's owner writes.
    private static let witnesses = [
        "<meta name=apple-itunes-app content='app-id=901'>", "<meta name='twitter:app:id:iphone' content='901'>",
        "<meta name='twitter:app:id:googleplay' content='org.example.shows'>",
        "<meta property='al:ios:app_store_id' content='901'><meta property='al:ios:url' content='shows://s/1'>",
        "<link rel=alternate href='android-app://org.example.shows/shows/s/1'>",
        "<meta name='google-play-app' content='app-id=org.example.shows'>",
    ]

    @Test(arguments: withoutWitness) func `what anybody may write about any app shows none of the site`(markup: String)
        throws
    {
        #expect(try lines(markup).isEmpty)
        // Neither do two of them, nor all.
        #expect(try lines(Self.withoutWitness.joined() + markup).isEmpty)
        for witness in Self.witnesses {
            let found = try lines(witness + markup)
            #expect(!found.contains { $0.contains("com.evil.app") || $0.contains("666") }, "\(witness) \(markup)")
        }
    }

    @Test func `what the owner writes is a witness for the same app`() throws {
        let markup = Self.withoutWitness.map {
            $0.replacing("com.evil.app", with: "org.example.shows").replacing("666", with: "901").replacing(
                "evil", with: "shows"
            )
            .replacing("Evil", with: "Shows")
        }
        #expect(markup.count { !((try? lines($0)) ?? []).isEmpty } > 0)
        for witness in Self.witnesses {
            let alone = try lines(witness)
            #expect(alone.count == 1)
            #expect(try markup.contains { try lines(witness + $0) != alone }, "\(witness)")
        }
        #expect(
            try lines(
                "<meta name='twitter:app:id:googleplay' content='org.example.shows'>"
                    + "<a href='intent://shows.example/s/1#Intent;scheme=https;package=org.example.shows;end'>x</a>")
                == ["android org.example.shows https://shows.example/s/1 | twitter-card intent-link"])
    }

    // MARK: Meta tags

    @Test func `windows apps are known by their family, their store's product and what they are handed`() throws {
        let family = try read(
            """
            <meta name="msApplication-ID" content="App"><meta name="msApplication-PackageFamilyName" content="Example.Shows_8wekyb3d8bbwe">
            <meta name="msApplication-Arguments" content="show=1"><meta name="msApplication-MinVersion" content="1.2.0.0">
            """
        ).links
        #expect(lines(family) == ["windows Example.Shows_8wekyb3d8bbwe - | app-meta"])
        #expect(family.first?.launchArguments == "show=1" && family.first?.minimumVersion == "1.2.0.0")
        let phone =
            "<meta name='msApplication-WinPhonePackageUrl' content='app-id=0F1E2D3C-aaaa-bbbb-cccc-000011112222'>"
        #expect(try lines(phone) == ["windows 0f1e2d3c-aaaa-bbbb-cccc-000011112222 - | app-meta"])
        #expect(
            try lines("<meta name='msApplication-ID' content='9wzdncrfj3tj'>") == ["windows 9WZDNCRFJ3TJ - | app-meta"])
        #expect(try lines("<meta name='msApplication-ID' content='App'>").isEmpty)
        #expect(try lines(phone + "<meta name='msApplication-OptOut' content='both'>").isEmpty)
    }

    @Test func `banner libraries and Branch name apps`() throws {
        #expect(
            try lines("<meta name='google-play-app' content='app-id=org.example.shows'>") == [
                "android org.example.shows - | app-meta"
            ])
        let (links, notes) = try read(
            """
            <meta name="branch:deeplink:$deeplink_path" content="shows://s/1"><meta name="branch:deeplink:$ios_deeplink_path" content="s/1">
            <meta name="branch:deeplink:$canonical_identifier" content="s1"><a href="https://shows.app.link/x">x</a>
            """)
        #expect(lines(links) == ["ios - shows://s/1 | app-meta", "android - shows://s/1 | app-meta"])
        #expect(notes.map(\.code.rawValue) == ["branch-path-without-scheme"])
    }

    @Test func `dead dynamic links and stores in the place of an address are noted`() throws {
        let (links, notes) = try read(
            """
            <meta name="twitter:app:id:iphone" content="901"><meta name="twitter:app:url:iphone" content="https://x.page.link/a">
            <meta property="al:android:package" content="org.example.a">
            <meta property="al:android:url" content="market://details?id=org.example.a"><a href="https://x.page.link/b">b</a>
            """)
        #expect(lines(links) == ["ios 901 - | twitter-card", "android org.example.a - | app-links"])
        #expect(notes.map(\.code.rawValue) == ["dynamic-link-dead", "deep-link-to-store", "dynamic-link-dead"])
        #expect(notes.allSatisfy { $0.line != nil && $0.column != nil })
    }

    // MARK: Links

    @Test func `a store link confirms apps that other sources name, and shows none alone`() throws {
        let store = "<a href='https://apps.apple.com/de/app/shows/id901'>x</a>"
        #expect(try lines(store).isEmpty)
        #expect(try lines("<a href='https://play.google.com/store/apps/details?id=org.example.a'>x</a>").isEmpty)
        #expect(try lines("<a href='https://appclip.apple.com/id?p=org.example.a.Clip'>x</a>").isEmpty)
        #expect(try lines(store + "<a href='itms-apps://itunes.apple.com/app/id902'>y</a>").isEmpty)
        let banner = "<meta name=apple-itunes-app content='app-id=903'>"
        #expect(try lines(banner + store) == ["ios 903 - | smart-app-banner"])
        let ipad = "<meta name='twitter:app:id:ipad' content='901'>"
        let confirmed = try read(ipad + store).links
        #expect(lines(confirmed) == ["ipados 901 - | twitter-card store-link"])
    }

    @Test func `a store link shows the site's app if a seed names it, or the site's domain is in its name`() throws {
        func found(_ html: String, apps: [RecordBuilder.AppIdentity] = [], page: String) throws -> [DeepLinkRecord
            .DeepLink]
        {
            try #require(try RecordBuilderTests.conclusion(html, url: page, apps: apps).record).deepLinks
        }
        let play = "<a href='https://play.google.com/store/apps/details?id=example.shows.tv'>x</a>"
        let others = "<a href='https://play.google.com/store/apps/details?id=com.other.app'>y</a>"
        let own = try found(play + others, page: "https://www.shows.example/s/1")
        #expect(lines(own) == ["android example.shows.tv - | store-link"])
        #expect(!own.contains { $0.opensInApp || $0.leadsIntoApp })
        #expect(try found(play, page: "https://shows.example.org/").isEmpty)
        #expect(try found(play, page: "https://example.test/").isEmpty)
        let whole = "<a href='https://play.google.com/store/apps/details?id=example.shows'>x</a>"
        #expect(try found(whole, page: "https://shows.example/").count == 1)
        #expect(try found(whole, page: "https://show.example/").isEmpty)
        let hyphen = "<a href='https://play.google.com/store/apps/details?id=example.tv_shows.app'>x</a>"
        #expect(try found(hyphen, page: "https://tv-shows.example/").count == 1)
        let clip = "<a href='https://appclip.apple.com/id?p=example.shows.tv.Clip'>x</a>"
        #expect(
            try found(clip, page: "https://shows.example/").map(\.appClipBundleIdentifier) == ["example.shows.tv.Clip"])
        let store = "<a href='https://apps.apple.com/de/app/shows/id901'>x</a>"
        let seeded = try found(
            store, apps: [RecordBuilder.AppIdentity(storeIdentifier: "901", bundleIdentifier: "org.example.tv")],
            page: "https://shows.example/")
        #expect(lines(seeded) == ["ios 901 - | store-link"])
        #expect(seeded.first?.storeCountry == "DE" && seeded.first?.bundleIdentifier == "org.example.tv")
        #expect(
            try found(store, apps: [RecordBuilder.AppIdentity(storeIdentifier: "902")], page: "https://shows.example/")
                .isEmpty)
    }

    @Test func `a deep link and its JSON say the same about opening in an app, from any source`() throws {
        var record = DeepLinkRecord(
            uniqueIdentifier: Self.address, domainIdentifier: "shows.example", url: Self.address,
            fetchedAt: RecordBuilderTests.fetchedAt, contentHash: nil)
        var opening = 0
        for source in AppClaim.Source.allCases {
            for sources in [[source], [source, .storeLink], [source, .association]] {
                for platform in [Platform.iOS, .android, .web] {
                    for url in [nil, Self.address, "shows://s/1"] {
                        for pattern in [nil, "/s/*"] {
                            var link = DeepLinkRecord.DeepLink(platform: platform, sources: sources)
                            link.url = url
                            link.verification.pattern = pattern
                            record.deepLinks = [link]
                            let json = try #require(record.json["deepLinks"]?.array?.first)
                            #expect(DeepLinkRecord.DeepLink.opensInApp(json: json) == link.opensInApp, "\(link)")
                            if link.opensInApp { opening += 1 }
                            if url == nil || platform == .web { #expect(!link.opensInApp, "\(link)") }
                        }
                    }
                }
            }
        }
        #expect(opening > 0)
    }

    @Test func `an intent is a deep link of the page it leads back to`() throws {
        func toPage(_ package: String) -> String {
            "<a href='intent://shows.example/s/1#Intent;scheme=https;\(package)end'>x</a>"
        }
        #expect(
            try lines(toPage("package=example.shows.tv;")) == [
                "android example.shows.tv https://shows.example/s/1 | intent-link"
            ])
        let twitter = "<meta name='twitter:app:id:googleplay' content='org.example.a'>"
        for package in ["", "package=org.example.a;"] {
            #expect(
                try lines(twitter + toPage(package)) == [
                    "android org.example.a https://shows.example/s/1 | twitter-card intent-link"
                ])
            #expect(try lines(toPage(package)).isEmpty)
        }
        // The scheme is named after the site.
        let byFallback =
            "<a href='intent://s/1#Intent;scheme=shows;package=org.example.a;S.browser_fallback_url=https%3A%2F%2Fshows.example%2Fs%2F1%23top;end'>x</a>"
        #expect(try lines(byFallback) == ["android org.example.a shows://s/1 | intent-link"])
        #expect(try lines(byFallback.replacing("scheme=shows", with: "scheme=tents")).isEmpty)
        let elsewhere = "<a href='intent://s/2#Intent;scheme=shows;package=org.example.a;end'>x</a>"
        // Its package alone says no more than a link to a store.
        #expect(try lines(elsewhere).isEmpty)
        let another = "<a href='intent://s/2#Intent;scheme=shows;package=org.example.b;end'>x</a>"
        #expect(try lines(elsewhere + another).isEmpty)
        let named = "<meta name='twitter:app:id:googleplay' content='org.example.a'>"
        #expect(try lines(named + elsewhere) == ["android org.example.a - | twitter-card intent-link"])
    }

    // MARK: Merging

    @Test func `sources of one app are joined in fixed order, and other addresses stay`() throws {
        let (links, notes) = try read(
            """
            <link rel=alternate href="ios-app://901/shows/s/1"><meta property="al:ios:app_store_id" content="901">
            <meta property="al:ios:url" content="shows://s/1?ref=al"><meta name="twitter:app:id:iphone" content="901">
            <meta name="twitter:app:url:iphone" content="shows://s/1">
            <meta name="apple-itunes-app" content="app-id=901, app-argument=https://shows.example/s/1">
            """)
        #expect(
            lines(links) == [
                "ios 901 https://shows.example/s/1 | shows://s/1 shows://s/1?ref=al | smart-app-banner twitter-card app-links alternate"
            ])
        let note = try #require(notes.first { $0.code.rawValue == "deep-link-urls-differ" })
        #expect(note.message.contains("https://shows.example/s/1") && note.message.contains("shows://s/1"))
        #expect(note.line != nil && note.column != nil)
    }

    @Test func `sources that name different apps are both believed, and noted`() throws {
        let (links, notes) = try read(
            """
            <meta name="apple-itunes-app" content="app-id=1, app-argument=https://shows.example/s/1">
            <meta property="al:ios:app_store_id" content="2"><meta property="al:ios:url" content="https://shows.example/s/1">
            """)
        #expect(
            lines(links) == [
                "ios 1 https://shows.example/s/1 | smart-app-banner", "ios 2 https://shows.example/s/1 | app-links",
            ])
        let note = try #require(notes.first { $0.code.rawValue == "deep-link-apps-differ" })
        #expect(note.message.contains("app 1 ") && note.message.contains("app 2;"))
        #expect(note.line == 2 && note.column != nil)
    }

    @Test func `a paid and a free app of one source are no conflict`() throws {
        let (_, notes) = try read(
            """
            <meta name="apple-itunes-app" content="app-id=2, app-argument=a://1"><meta property="al:ios:app_store_id" content="1">
            <meta property="al:ios:url" content="b://1"><meta property="al:ios:app_store_id" content="2">
            <meta property="al:ios:url" content="a://1">
            """)
        #expect(!notes.contains { $0.code.rawValue.hasPrefix("deep-link-") })
    }

    @Test func `two entries that a later claim shows to be one app become one`() throws {
        let html = """
            <meta name="apple-itunes-app" content="app-id=901"><meta property="al:ios:url" content="shows://s/1">
            <link rel=alternate href="ios-app://901/shows/s/1">
            """
        #expect(try lines(html) == ["ios 901 shows://s/1 | smart-app-banner app-links alternate"])
    }

    @Test(.slow) func `thousands of claims cost little and are cut`() throws {
        let targets = (0..<5_000).map {
            "<meta property='al:ios:url' content='a\($0)://x'><meta property='al:ios:app_store_id' content='\($0 + 1)'>"
        }
        let alternates = (0..<5_000).map { "<link rel=alternate href='android-app://org.example.a\($0)/a\($0)/x'>" }
        let intents = (0..<5_000).map {
            "<a href='intent://\($0)#Intent;scheme=s\($0);package=org.example.b\($0);end'>"
        }
        let links = try read(targets.joined() + alternates.joined() + intents.joined()).links
        #expect(links.count == 20)
    }
}
