import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Step 8: association files in the crawl, and what they make of deep links. Proven from the web's log.
@Suite struct AssociationCrawlTests {
    private let web = FakeWeb(time: MadeUpTime())
    private static let app = "ABCDE12345.org.example.app"
    private static let seed = "https://a.test/ app=123456789 bundle=org.example.app package=org.example.app"

    private static func banner(_ argument: String) -> String {
        "<meta name=apple-itunes-app content='app-id=123456789, app-argument=\(argument)'>"
    }

    /// A page with a banner that opens it in the app.
    private func page(_ url: String, links: [String] = []) {
        web.page(url, links: links, deepLink: false, head: Self.banner(url))
    }

    private func asked(_ web: FakeWeb? = nil) -> [String] {
        (web ?? self.web).log.filter { $0.purpose == .associationFile }.sorted { $0.start < $1.start }.map(\.url)
    }

    private func links(_ crawl: FakeCrawl, of url: String) -> [DeepLinkRecord.DeepLink] {
        crawl.records.first { $0.uniqueIdentifier == url }?.deepLinks ?? []
    }

    private func verification(_ crawl: FakeCrawl, of url: String) -> DeepLinkRecord.Verification? {
        links(crawl, of: url).first { $0.platform == .iOS }?.verification
    }

    // MARK: What files make of deep links

    @Test func `every deep link says whether the site's own file backs it`() async throws {
        web.associations("https://a.test", app: Self.app, patterns: ["NOT /closed/*", "/open/*"])
        web.page("https://a.test/", links: ["/open/1", "/closed/1", "/other", "/scheme", "/stranger"])
        for path in ["open/1", "closed/1", "other"] { page("https://a.test/\(path)") }
        web.page("https://a.test/scheme")
        web.page("https://a.test/stranger", deepLink: false, head: Self.banner("https://b.test/x"))
        web.associations("https://b.test", app: Self.app)
        let crawl = try await FakeCrawl.run(web, seeds: [Self.seed])
        let open = try #require(verification(crawl, of: "https://a.test/open/1"))
        #expect(open.status == .verified && open.applicationIdentifier == Self.app && open.pattern == "/open/*")
        let closed = try #require(verification(crawl, of: "https://a.test/closed/1"))
        #expect(closed.status == .blocked && closed.pattern == "NOT /closed/*")
        #expect(verification(crawl, of: "https://a.test/other")?.status == .notCovered)
        #expect(verification(crawl, of: "https://a.test/scheme")?.status == .unverifiable)
        let stranger = try #require(verification(crawl, of: "https://a.test/stranger"))
        #expect(stranger.status == .unchecked && stranger.reason?.contains("outside the crawl's scope") == true)
        #expect(!web.log.contains { $0.host == "b.test" })
        #expect(
            links(crawl, of: "https://a.test/open/1").map(\.sources) == [[.smartAppBanner, .association]])
    }

    @Test func `a page without any markup becomes a record through the file`() async throws {
        web.associations("https://a.test", app: Self.app, patterns: ["/open/*"], package: "org.example.app")
        web.associations("https://b.test", app: Self.app, patterns: ["/open/*"])
        for host in ["a", "b"] {
            web.page("https://\(host).test/", links: ["/open/1"], deepLink: false)
            web.page("https://\(host).test/open/1", deepLink: false)
        }
        let crawl = try await FakeCrawl.run(web, seeds: [Self.seed, "https://b.test/"])
        #expect(crawl.recorded == ["https://a.test/open/1", "https://b.test/open/1"])
        let found = links(crawl, of: "https://a.test/open/1")
        #expect(found.map(\.platform) == [.iOS, .android])
        #expect(found.allSatisfy { $0.sources == [.association] && $0.verification.status == .verified })
        let apple = try #require(found.first)
        #expect(apple.bundleIdentifier == "org.example.app" && apple.storeIdentifier == "123456789")
        #expect(apple.url == "https://a.test/open/1")
        // Nobody says which app in the store it is.
        #expect(links(crawl, of: "https://b.test/open/1").map(\.storeIdentifier) == [nil])
        // That a host vouches for a package says nothing of its single pages.
        #expect(crawl.outcomes["without-deep-links"] == 2)
    }

    @Test func `a lookup file ties the store's identifier to the bundle, and nothing else does`() async throws {
        web.associations("https://a.test", app: Self.app)
        page("https://a.test/")
        let guessed = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        let unknown = try #require(links(guessed, of: "https://a.test/").first { $0.storeIdentifier != nil })
        #expect(unknown.verification.status == .unverifiable && unknown.bundleIdentifier == nil)
        let reply =
            #"{"resultCount":1,"results":[{"trackId":123456789,"bundleId":"org.example.app","trackName":"App"}]}"#
        let again = FakeWeb(time: MadeUpTime())
        again.associations("https://a.test", app: Self.app)
        again.page("https://a.test/", deepLink: false, head: Self.banner("https://a.test/"))
        let crawl = try await FakeCrawl.run(
            again, seeds: ["https://a.test/"], appLookup: AppLookup(bytes: Array(reply.utf8)))
        #expect(verification(crawl, of: "https://a.test/")?.status == .verified)
        #expect(links(crawl, of: "https://a.test/").map(\.appName) == ["App"])
    }

    // MARK: Asking

    @Test func `files are asked for once a host, in its turn, before the next page`() async throws {
        web.associations("https://a.test", app: Self.app)
        for host in ["a", "b"] {
            page("https://\(host).test/", links: (1...9).map { "/\($0)" })
            for number in 1...9 { page("https://\(host).test/\(number)") }
        }
        let crawl = try await FakeCrawl.run(web, seeds: [Self.seed, "https://b.test/"])
        #expect(crawl.records.count == 20)
        let files = Dictionary(grouping: asked()) { String($0.prefix("https://a.test".count)) }
        #expect(
            files["https://a.test"] == [
                "https://a.test/.well-known/apple-app-site-association", "https://a.test/.well-known/assetlinks.json",
            ])
        // The older place is tried where the newer one has nothing.
        #expect(
            files["https://b.test"] == [
                "https://b.test/.well-known/apple-app-site-association", "https://b.test/.well-known/assetlinks.json",
                "https://b.test/apple-app-site-association",
            ])
        for host in ["a", "b"] {
            let purposes = web.log.filter { $0.host == "\(host).test" }.sorted { $0.start < $1.start }.map(\.purpose)
            #expect(purposes.prefix(4) == [.robots, .page, .associationFile, .associationFile])
            #expect(purposes.drop { $0 != .associationFile }.drop { $0 == .associationFile }.allSatisfy { $0 == .page })
        }
        #expect(crawl.siteFiles(.appleAssociation) == ["found": 1, "status": 2])
        #expect(crawl.siteFiles(.assetLinks) == ["status": 2])
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `files are kept a day`() async throws {
        web.associations("https://a.test", app: Self.app)
        page("https://a.test/", links: (1...40).map { "/\($0)" })
        for number in 1...40 { page("https://a.test/\(number)") }
        let crawl = try await FakeCrawl.run(web, seeds: [Self.seed]) {
            $0.politeness.delay = .seconds(3600)
            $0.fetch.maximumWait = .seconds(7200)
        }
        let times = web.log.filter { $0.url.hasSuffix("/apple-app-site-association") }.map(\.start).sorted()
        try #require(times.count == 2)
        #expect(times[1] - times[0] > .seconds(86_400))
        #expect(crawl.records.count == 41)
        #expect(crawl.records.allSatisfy { $0.deepLinks.first?.verification.status == .verified })
    }

    @Test func `when files are too many to be kept, pages still get theirs`() async throws {
        // Of 120,000 bytes each, so that some 130 are kept.
        let file = FakeWeb.appleFile(app: Self.app, patterns: ["/*"])
        let padded = file + String(repeating: " ", count: 120_000 - file.utf8.count)
        let hosts = (0..<160).map { "https://h\($0).test" }
        for host in hosts {
            web[host + "/.well-known/apple-app-site-association"] = [.json(padded)]
            page(host + "/", links: ["/1"])
            page(host + "/1")
        }
        let crawl = try await FakeCrawl.run(
            web, seeds: hosts.map { $0 + "/ app=123456789 bundle=org.example.app" })
        #expect(crawl.records.count == 2 * hosts.count)
        #expect(crawl.records.allSatisfy { $0.deepLinks.first?.verification.status == .verified })
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `what is in the way of a file is told, and no page is lost`() async throws {
        let place = "/.well-known/apple-app-site-association"
        let cases:
            [(answer: FakeWeb.Answer, status: DeepLinkRecord.Verification.Status, reason: String, code: String)] =
                [
                    (.status(404), .notCovered, "no such file (status 404)", "status"),
                    (.status(403), .notCovered, "status 403", "status"),
                    (.status(500), .unchecked, "status 500", "status"),
                    (.status(203), .notCovered, "status 203", "status"),
                    (
                        .redirect(to: "/aasa.json"), .notCovered, "/aasa.json”, which devices do not follow",
                        "redirect-refused"
                    ),
                    (.redirect(to: "mailto:x"), .notCovered, "redirects to “mailto:x”", "redirect-refused"),
                    (
                        .failure(.timedOut("no answer within 10 s")), .unchecked,
                        "cannot be fetched: h6.test took too long",
                        "failed"
                    ),
                    (.failure(.tls(.expired, reason: "expired")), .notCovered, "no valid TLS: expired", "failed"),
                    (.json(String(repeating: " ", count: 1_048_577)), .notCovered, "more than 1048576 bytes", "failed"),
                    (.json(String(repeating: " ", count: 140_000)), .notCovered, "140000 bytes", "unusable"),
                    (.json(#"{"applinks": {"details": [}}"#), .notCovered, "not valid JSON", "unusable"),
                    (.html("<!doctype html><p>404"), .notCovered, "not valid JSON", "unusable"),
                ]
        for (index, item) in cases.enumerated() {
            page("https://h\(index).test/", links: ["/1"])
            page("https://h\(index).test/1")
            web["https://h\(index).test\(place)"] = [item.answer]
            web["https://h\(index).test/aasa.json"] = [.json(FakeWeb.appleFile(app: Self.app, patterns: ["/*"]))]
        }
        web.robots("https://shut.test", "User-agent: *\nDisallow: /.well-known/")
        web.associations("https://shut.test", app: Self.app)
        page("https://shut.test/")
        let seeds = (0..<cases.count).map { "https://h\($0).test/ app=123456789 bundle=org.example.app" }
        let crawl = try await FakeCrawl.run(web, seeds: seeds + ["https://shut.test/"])
        #expect(crawl.records.count == 2 * cases.count + 1)
        for (index, item) in cases.enumerated() {
            for page in ["", "1"] {
                let found = try #require(verification(crawl, of: "https://h\(index).test/\(page)"))
                #expect(found.status == item.status, "\(index): \(found)")
                #expect(found.reason?.contains(item.reason) == true, "\(index): \(found.reason ?? "")")
            }
        }
        let shut = try #require(verification(crawl, of: "https://shut.test/"))
        #expect(shut.status == .unchecked && shut.reason?.contains("robots.txt does not allow it") == true)
        #expect(!asked().contains { $0.contains("shut.test") })
        #expect(!web.log.contains { $0.url.hasSuffix("/aasa.json") })
        #expect(crawl.siteFiles(.appleAssociation)["disallowed"] == 1)
        for (code, items) in Dictionary(grouping: cases, by: \.code) where code != "status" {
            #expect(crawl.siteFiles(.appleAssociation)[code] == items.count, "\(code)")
        }
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `the copy at the root counts where the other place has none`() async throws {
        web["https://a.test/apple-app-site-association"] = [.json(FakeWeb.appleFile(app: Self.app, patterns: ["/*"]))]
        page("https://a.test/")
        let crawl = try await FakeCrawl.run(web, seeds: [Self.seed])
        #expect(verification(crawl, of: "https://a.test/")?.status == .verified)
    }

    @Test func `hosts that were met over http alone are not asked`() async throws {
        web.page("http://a.test/", deepLink: false, head: Self.banner("http://a.test/"))
        let crawl = try await FakeCrawl.run(web, seeds: ["http://a.test/"])
        let found = try #require(verification(crawl, of: "http://a.test/"))
        #expect(found.status == .unchecked && found.reason?.contains("only met over http") == true)
        #expect(asked().isEmpty && !web.log.contains { $0.url.hasPrefix("https:") })
    }

    @Test func `another host of the site is asked for what its links need, by its own rules`() async throws {
        web.page(
            "https://www.a.test/", links: ["/1"], deepLink: false,
            head: Self.banner("https://links.a.test/x")
                + "<meta property=al:android:package content=org.example.app>"
                + "<meta property=al:android:url content=https://droid.a.test/x>")
        page("https://www.a.test/1")
        web.associations("https://links.a.test", app: Self.app)
        web.robots("https://links.a.test", "User-agent: *\nDisallow: /\nAllow: /.well-known/")
        web["https://droid.a.test/.well-known/assetlinks.json"] = [
            .json("[\(FakeWeb.assetStatement(package: "org.example.app"))]")
        ]
        let crawl = try await FakeCrawl.run(
            web, seeds: ["https://www.a.test/ app=123456789 bundle=org.example.app"])
        let found = links(crawl, of: "https://www.a.test/")
        #expect(found.map(\.platform) == [.iOS, .android])
        #expect(found.allSatisfy { $0.verification.status == .verified }, "\(found.map(\.verification))")
        #expect(
            asked().filter { !$0.hasPrefix("https://www.") }.sorted() == [
                "https://droid.a.test/.well-known/assetlinks.json",
                "https://links.a.test/.well-known/apple-app-site-association",
            ])
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `a manifest comes first, then the files that its apps need`() async throws {
        web["https://a.test/m.json"] = [
            .json(#"{"related_applications":[{"platform":"play","id":"org.example.app"}]}"#)
        ]
        web.associations("https://a.test", app: Self.app, package: "org.example.app")
        web.page("https://a.test/", deepLink: false, head: "<link rel=manifest href=/m.json>")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        let android = try #require(links(crawl, of: "https://a.test/").first { $0.platform == .android })
        #expect(android.sources == [.webManifest, .association] && android.verification.status == .verified)
        #expect(web.log.sorted { $0.start < $1.start }.map(\.purpose).prefix(3) == [.robots, .page, .manifest])
    }

    // MARK: Includes

    private func include(_ urls: String..., and statement: String? = nil) -> FakeWeb.Answer {
        .json(
            "[" + (urls.map { #"{"include": "\#($0)"}"# } + [statement].compactMap(\.self)).joined(separator: ",") + "]"
        )
    }

    @Test func `included files are asked for in their own hosts' turns, once for all who include them`() async throws {
        for host in ["a", "b"] {
            web["https://\(host).test/.well-known/assetlinks.json"] = [
                include("https://company.test/links.json", "https://shut.test/x", "https://gone.test/x")
            ]
            web.page("https://\(host).test/", links: ["/1"], deepLink: false)
            web.page("https://\(host).test/1", deepLink: false)
        }
        web["https://company.test/links.json"] = [
            include("https://deeper.test/x", and: FakeWeb.assetStatement(package: "org.example.app"))
        ]
        web.robots("https://shut.test", "User-agent: *\nDisallow: /x")
        web["https://shut.test/x"] = [.json("[\(FakeWeb.assetStatement(package: "org.example.shut"))]")]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/", "https://b.test/"]) { $0.records = .all }
        #expect(crawl.records.count == 4)
        #expect(crawl.records.allSatisfy { $0.deepLinks.map(\.packageName) == ["org.example.app"] })
        let included = asked().filter { !$0.contains("/.well-known/") && !$0.hasSuffix("site-association") }
        #expect(included.sorted() == ["https://company.test/links.json", "https://gone.test/x"])
        #expect(!web.log.contains { $0.host == "deeper.test" })
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `includes are bounded, and those that the crawl must not ask are left out`() async throws {
        web["https://a.test/.well-known/assetlinks.json"] = [
            .json(
                "["
                    + (["http://plain.test/x", "https://example.org/x", "https://a.test/.well-known/assetlinks.json"]
                    + (1...30).map { "https://i\($0).test/x" }).map { #"{"include": "\#($0)"}"# }
                    .joined(separator: ",") + "]")
        ]
        page("https://a.test/")
        let crawl = try await FakeCrawl.run(web, seeds: [Self.seed])
        #expect(crawl.records.count == 1)
        // No contact is configured, so no public host is asked.
        #expect(!web.log.contains { $0.host == "plain.test" || $0.host == "example.org" })
        #expect(asked().count <= 3 + AssetLinksGathering.maximumFetches)
        #expect(Set(asked()).count == asked().count)
    }

    // MARK: Ends of a run

    @Test func `a host that is left keeps its pages for the next run, and what was read is filed unchecked`()
        async throws
    {
        web["https://a.test/.well-known/apple-app-site-association"] = [
            .status(503, headers: [("Retry-After", "86400")])
        ]
        page("https://a.test/", links: ["/1", "/2"])
        page("https://a.test/1")
        let crawl = try await FakeCrawl.run(web, seeds: [Self.seed])
        #expect(crawl.recorded == ["https://a.test/"])
        #expect(verification(crawl, of: "https://a.test/")?.status == .unchecked)
        #expect(crawl.summary.unvisited == 2)
        #expect(asked() == ["https://a.test/.well-known/apple-app-site-association"])
    }

    @Test(arguments: [2, 3, 4])
    func `a stop gives pages back that wait for files`(request: Int) async throws {
        page("https://a.test/", links: ["/1"])
        page("https://a.test/1")
        let crawl = try await FakeCrawl.run(web, seeds: [Self.seed]) { _ in
        } start: { crawler in
            web.onRequest { if $0 == request { crawler.stop() } }
        }
        #expect(crawl.summary.ending == .interrupted)
        #expect(crawl.records.isEmpty && crawl.summary.unvisited >= 1)
    }

    @Test func `the page limit holds, and the last page is still verified`() async throws {
        web.associations("https://a.test", app: Self.app)
        page("https://a.test/", links: ["/1"])
        page("https://a.test/1")
        let crawl = try await FakeCrawl.run(web, seeds: [Self.seed]) { $0.scope.maximumPages = 1 }
        #expect(crawl.summary.ending == .pageLimit && crawl.records.count == 1)
        #expect(verification(crawl, of: "https://a.test/")?.status == .verified)
    }

    @Test func `what is recorded does not depend on how fast files come`() async throws {
        func run(_ latency: UInt64) async throws -> [DeepLinkRecord] {
            let web = FakeWeb(time: MadeUpTime(), latencySeed: latency, slowest: .seconds(3))
            for host in 0..<6 {
                let origin = "https://s\(host).test"
                if host % 3 != 2 {
                    web.associations(origin, app: Self.app, patterns: ["NOT /p3", "/*"], package: "org.example.app")
                }
                if host % 3 == 1 {
                    web[origin + "/.well-known/assetlinks.json"] = [
                        include("https://s0.test/.well-known/assetlinks.json", "https://shared.test/x")
                    ]
                }
                for page in 0..<8 {
                    web.page(
                        origin + (page == 0 ? "/" : "/p\(page)"),
                        links: ["/p\(page + 1)", "https://s\((host + 1) % 6).test/p\(page)"], deepLink: false,
                        head: page % 2 == 0 ? Self.banner("https://s\((host + page) % 6).test/p\(page)") : "")
                }
            }
            web["https://shared.test/x"] = [.json("[\(FakeWeb.assetStatement(package: "org.example.shared"))]")]
            let crawl = try await FakeCrawl.run(
                web, seeds: (0..<6).map { "https://s\($0).test/ app=123456789 bundle=org.example.app" }
            ) {
                $0.scope.maximumDepth = 100
                $0.politeness.adaptive = false
            }
            CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
            return crawl.records.sorted { $0.uniqueIdentifier < $1.uniqueIdentifier }
        }
        let first = try await run(1)
        let second = try await run(2)
        #expect(first.count > 30)
        #expect(first.map(\.uniqueIdentifier) == second.map(\.uniqueIdentifier))
        #expect(first.map(\.deepLinks) == second.map(\.deepLinks))
    }

    // MARK: A name with an extension

    private func look(at host: String) async throws -> HostAssociations {
        var configuration = CrawlConfiguration()
        configuration.agent.contact = "https://example.org/bot"
        let settings = configuration
        let site = try #require(WebURL("https://\(host)/"))
        return try await web.time.run { [web] in
            var single = SingleFetch(configuration: settings, fetcher: web, clock: web.time.clock)
            return try await single.hostAssociations(of: site)
        }
    }

    @Test(arguments: ["/.well-known", ""])
    func `a file that is only there with .json at its end is named as the cause`(folder: String) async throws {
        let place = "https://a.test\(folder)/apple-app-site-association.json"
        web[place] = [.json(FakeWeb.appleFile(app: "ABCDE12345.test.a", patterns: ["/*"]))]
        let found = try await look(at: "a.test")
        #expect(found.misnamed?.href == place)
        #expect(found.notes.map(\.code.rawValue) == ["aasa-json-extension"])
        #expect(found.notes.first?.associationSeverity == .error)
        // It is not in force: devices do not ask for it.
        #expect(found.apple == nil)
    }

    @Test func `names with an extension are asked for only where both places are empty, and never in a crawl`()
        async throws
    {
        web.page("https://b.test/", links: [])
        _ = try await FakeCrawl.run(web, seeds: ["https://b.test/"])
        #expect(!web.log.contains { $0.url.hasSuffix(".json") && $0.url.contains("apple") })
        web["https://b.test/.well-known/apple-app-site-association.json"] = [.text("<html>not found</html>")]
        web["https://b.test/apple-app-site-association.json"] = [.json(#"{"error": "no such page"}"#)]
        let empty = try await look(at: "b.test")
        #expect(empty.misnamed == nil && empty.notes.isEmpty)
        let before = web.log.count
        web["https://c.test/apple-app-site-association"] = [
            .json(FakeWeb.appleFile(app: "ABCDE12345.test.c", patterns: ["/*"]))
        ]
        #expect(try await look(at: "c.test").misnamed == nil)
        #expect(!web.log.dropFirst(before).contains { $0.url.contains("association.json") })
    }
}
