import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Pages whose content scripts make, in a crawl with a made-up browser.
@Suite struct RenderedCrawlTests {
    private static let shell = "<div id=\"root\"></div><script src=\"/app.js\"></script>"
    private static let banner = "<meta name=\"apple-itunes-app\" content=\"app-id=123456789\">"

    /// A site with an app shell at `/`.
    private func site(_ change: (FakeWeb) -> Void = { _ in }) -> FakeWeb {
        let web = FakeWeb(time: MadeUpTime())
        web.page("https://a.test/", deepLink: false, body: Self.shell)
        web["https://a.test/app.js"] = [.text("<h1>Clowns</h1><a href=\"/act\">Act</a>\ngo clownapp://open")]
        web.page("https://a.test/act")
        change(web)
        return web
    }

    private func crawl(
        _ web: FakeWeb, _ renderer: FakeRenderer = FakeRenderer(), seeds: [String] = ["https://a.test/"],
        mode: RenderSettings.Mode = .auto,
        configure: (inout CrawlConfiguration) -> Void = { _ in }
    ) async throws -> FakeCrawl {
        try await FakeCrawl.run(
            web, seeds: seeds,
            configure: {
                $0.render.mode = mode
                $0.records = .all
                configure(&$0)
            }, renderer: renderer)
    }

    @Test func `a page that scripts make is recorded as they make it, and its links are followed`() async throws {
        let renderer = FakeRenderer()
        let web = site()
        let crawl = try await crawl(web, renderer)
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/act"])
        let record = try #require(crawl.records.first { $0.uniqueIdentifier == "https://a.test/" })
        #expect(record.deepLinks.map(\.sources) == [[.script]])
        #expect(record.deepLinks.first?.url == "clownapp://open")
        #expect(record.provenance.contains(DeepLinkRecord.Provenance(field: "page", source: .scripts)))
        #expect(renderer.rendered.first == "https://a.test/")
        #expect(crawl.summary.statistics.renderings == ["settled": renderer.rendered.count])
    }

    @Test func `a page that says enough is not rendered`() async throws {
        let renderer = FakeRenderer()
        let web = site {
            $0.page("https://a.test/", body: String(repeating: "Clowns juggle. ", count: 60) + Self.shell)
        }
        _ = try await crawl(web, renderer)
        #expect(renderer.rendered.isEmpty)
        #expect(!web.visited.contains("https://a.test/app.js"))
    }

    @Test func `without a mode nothing is rendered, and the seeds and hosts decide`() async throws {
        let renderer = FakeRenderer()
        _ = try await crawl(site(), renderer, mode: .never)
        #expect(renderer.rendered.isEmpty)
        _ = try await crawl(site(), renderer, seeds: ["https://a.test/ render=always"], mode: .never)
        #expect(renderer.rendered == ["https://a.test/", "https://a.test/act"])
        let other = FakeRenderer()
        _ = try await crawl(site(), other, mode: .never) {
            var sheet = HostSheet()
            sheet.render = .auto
            $0.hosts = HostSheets(["*.test": sheet])
        }
        #expect(other.rendered == ["https://a.test/"])
    }

    @Test func `requests of scripts wait for the host's turn, and are made once`() async throws {
        let web = site {
            $0.page("https://a.test/act", deepLink: false, body: Self.shell)
        }
        _ = try await crawl(web) { $0.politeness.delay = .seconds(3) }
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(3))
        #expect(web.log.filter { $0.url == "https://a.test/app.js" }.map(\.purpose) == [.subresource])
    }

    @Test func `a forbidden script is not fetched, and the page is read without it`() async throws {
        let web = site {
            $0.robots("https://a.test", "User-agent: *\nDisallow: /app.js")
        }
        let crawl = try await crawl(web)
        #expect(crawl.recorded == ["https://a.test/"])
        #expect(!web.visited.contains("https://a.test/app.js"))
    }

    @Test func `another host's script is asked for under its own rules, through redirects`() async throws {
        let web = site {
            $0["https://a.test/app.js"] = [.redirect(302, to: "https://cdn.test/app.js")]
            $0["https://cdn.test/app.js"] = [.text("<h1>From the CDN</h1>")]
            $0.page(
                "https://b.test/", deepLink: false,
                body: "<div id=\"root\"></div><script src=\"https://no.test/x.js\"></script>")
            $0.robots("https://no.test", "User-agent: *\nDisallow: /")
        }
        let crawl = try await crawl(web, seeds: ["https://a.test/", "https://b.test/"])
        #expect(crawl.recorded == ["https://a.test/", "https://b.test/"])
        #expect(web.log.contains { $0.url == "https://cdn.test/robots.txt" })
        #expect(web.visited.contains("https://cdn.test/app.js"))
        #expect(!web.visited.contains("https://no.test/x.js"))
    }

    @Test func `a script at an address that was not named for the shard is missing at once`() async throws {
        let web = site {
            $0.page(
                "https://a.test/", deepLink: false, body: Self.shell.replacing("/app.js", with: "https://b.test/app.js")
            )
            $0["https://b.test/app.js"] = [.text("<h1>Clowns</h1>")]
            $0.address("203.0.113.1", of: ["a.test"])
            $0.address("203.0.113.2", of: ["b.test"])
        }
        let slots = try #require(AddressSlots(place: 0, of: 1))
        let crawl = try await crawl(web) {
            var addresses = AddressShares()
            _ = addresses.add(slots, of: "203.0.113.1")
            $0.cluster.addresses = addresses
        }
        #expect(crawl.summary.statistics.siteFiles["subresource-address-not-named"] == 1)
        #expect(crawl.summary.statistics.hostsUnnamed == 1)
        #expect(!web.log.isEmpty && web.log.allSatisfy { $0.host == "a.test" })
    }

    @Test func `a page that asks not to be indexed is not rendered, and scripts cannot change it`() async throws {
        let renderer = FakeRenderer()
        let web = site {
            $0.page(
                "https://a.test/", deepLink: false, head: "<meta name=robots content=noindex>", body: Self.shell)
        }
        let crawl = try await crawl(web, renderer, mode: .always)
        #expect(renderer.rendered.isEmpty)
        #expect(crawl.recorded == [])
        #expect(!web.visited.contains("https://a.test/app.js"))
    }

    @Test func `nofollow of the HTML holds for what scripts add`() async throws {
        let web = site {
            $0.page(
                "https://a.test/", deepLink: false, head: "<meta name=robots content=nofollow>", body: Self.shell)
        }
        let crawl = try await crawl(web)
        #expect(crawl.recorded == ["https://a.test/"])
        #expect(!web.visited.contains("https://a.test/act"))
    }

    @Test func `a page that cannot be rendered is recorded as it was fetched`() async throws {
        let renderer = FakeRenderer(failures: ["https://a.test/": .pageCrashed])
        let crawl = try await crawl(site(), renderer)
        let record = try #require(crawl.records.first)
        #expect(!record.provenance.contains { $0.source == .scripts })
        #expect(crawl.summary.statistics.renderings == ["page_crashed": 1])
    }

    /// What may become of a page in the browser, and what is said of it.
    private static let unfit: [(code: String, change: @Sendable (inout RenderedPage) -> Void)] = [
        ("timed_out", { $0.ending = .timedOut }),
        ("stalled", { $0.ending = .stalled }),
        ("limited", { ($0.ending, $0.refusedByLimits) = (.limited, 3) }),
        ("poorer", { $0.html = Array("<h1>Clowns</h1><a href=/act>Act</a> and what they do".utf8) }),
        ("error_page", { $0.html = Array("\(banner)<h1>Something went wrong</h1>".utf8) }),
        ("brought_nothing", { $0.html = Array("\(banner)\(shell)".utf8) }),
    ]

    @Test(arguments: unfit.indices) func `the fetched page is the floor`(_ index: Int) async throws {
        let (code, change) = Self.unfit[index]
        let web = site {
            $0["https://a.test/"] = [.html("\(Self.banner)\(Self.shell)")]
            $0["https://a.test/app.js"] = [.text("<h1>Clowns</h1><a href=\"/act\">Act</a>")]
        }
        let crawl = try await crawl(web, FakeRenderer(change: change))
        let record = try #require(crawl.records.first { $0.uniqueIdentifier == "https://a.test/" })
        #expect(record.deepLinks.map(\.storeIdentifier) == ["123456789"])
        #expect(!record.provenance.contains { $0.source == .scripts })
        #expect(crawl.summary.statistics.renderings == [code: 1])
        #expect(!web.visited.contains("https://a.test/act"))
    }

    @Test func `where the scripts of an empty page go is a redirect, and a page with content stays`() async throws {
        let renderer = FakeRenderer { $0.redirect = WebURL("https://a.test/new") }
        let web = site { $0.page("https://a.test/new", body: String(repeating: "Clowns juggle. ", count: 60)) }
        #expect(try await crawl(web, renderer).recorded == ["https://a.test/new"])
        let full = site {
            $0.page("https://a.test/", body: String(repeating: "Clowns juggle. ", count: 60))
            $0.page("https://a.test/new")
        }
        #expect(try await crawl(full, renderer, mode: .always).recorded == ["https://a.test/"])
        // Scripts may also write a refresh.
        let refresh = FakeRenderer {
            $0.html = Array("<meta http-equiv=refresh content='0;url=/new'>".utf8) + $0.html
        }
        let kept = try await crawl(full, refresh, mode: .always)
        #expect(kept.recorded == ["https://a.test/"])
        #expect(kept.summary.statistics.renderings == ["poorer": 1])
    }

    @Test func `scripts may ask that their page is not indexed`() async throws {
        let renderer = FakeRenderer { $0.html = Array("<meta name=robots content=noindex>".utf8) + $0.html }
        let web = site { $0.page("https://a.test/", body: String(repeating: "Clowns juggle. ", count: 60)) }
        #expect(try await crawl(web, renderer, mode: .always).recorded == [])
    }

    /// A host of app shells whose script brings something or not.
    private func shells(_ count: Int, script: String) -> FakeWeb {
        site {
            $0["https://a.test/app.js"] = [.text(script)]
            let links = (1...count).map { "<a href=\"/\($0)\"></a>" }.joined()
            $0.page("https://a.test/", deepLink: false, body: "<nav>\(links)</nav>" + Self.shell)
            for number in 1...count { $0.page("https://a.test/\(number)", deepLink: false, body: Self.shell) }
        }
    }

    @Test func `after renderings that brought nothing, a host's pages are left but for every twentieth`() async throws {
        let renderer = FakeRenderer()
        let crawl = try await crawl(shells(50, script: ""), renderer)
        // One more may have begun before the last lesson.
        let rendered = RenderLessons.patience + (51 - RenderLessons.patience) / RenderLessons.interval
        #expect(rendered...rendered + 1 ~= renderer.rendered.count)
        #expect(crawl.summary.statistics.renderings["left"] == 51 - renderer.rendered.count)
        #expect(crawl.recorded.count == 51)
    }

    @Test func `renderings that bring something go on, and those that the configuration asks for`() async throws {
        let useful = FakeRenderer()
        _ = try await crawl(shells(30, script: "<p>Clowns</p>"), useful)
        #expect(useful.rendered.count == 31)
        let always = FakeRenderer()
        _ = try await crawl(shells(30, script: ""), always, mode: .always)
        #expect(always.rendered.count == 31)
    }

    @Test func `a rendering that brings something takes the lesson back`() {
        let lessons = RenderLessons()
        for _ in 0..<RenderLessons.patience {
            #expect(lessons.admitsNext(of: "a.test"))
            lessons.learn(of: "a.test", broughtNothing: true)
        }
        let admitted = (1...40).filter { _ in lessons.admitsNext(of: "a.test") }
        #expect(admitted == [20, 40])
        #expect(lessons.admitsNext(of: "b.test"))
        lessons.learn(of: "a.test", broughtNothing: false)
        #expect(lessons.admitsNext(of: "a.test"))
    }

    @Test func `lessons of many hosts are bounded, and a browser that is missing teaches nothing`() {
        let lessons = RenderLessons(maximumHosts: 100)
        for number in 0..<1_000 {
            for _ in 0..<RenderLessons.patience { lessons.learn(of: "\(number).test", broughtNothing: true) }
        }
        let left = (0..<1_000).count { !lessons.admitsNext(of: "\($0).test") }
        #expect(left > 0 && left <= 100)
        let missing = RenderOutcome(reason: .need(.hardlyAnything), verdict: .failed(.browserUnavailable("")))
        for _ in 0..<10 { lessons.learn(from: missing, of: "c.test") }
        #expect(lessons.admitsNext(of: "c.test"))
    }

    @Test func `the operator's fields count among what not modified depends on`() throws {
        func key(_ fields: String) throws -> UInt16 {
            RevalidationKey.ofCrawl(
                configuration: try CrawlConfiguration(yaml: "extract: { fields: {\(fields)} }", file: "c.yaml"),
                host: "a.test", seeds: [], sitemap: SitemapFacts(), lookup: nil)
        }
        let texts = [
            "", "a: { selector: b }", "c: { selector: b }", "a: { selector: i }", "a: { selector: b, attribute: id }",
            "a: { selector: b, type: number }", "a: { selector: b, all: true }", "a: { selector: b, path: $.x }",
        ]
        #expect(Set(try texts.map(key)).count == texts.count)
        let plain = RevalidationKey.ofCrawl(
            configuration: CrawlConfiguration(), host: "a.test", seeds: [], sitemap: SitemapFacts(), lookup: nil)
        #expect(try key("") == plain)
    }

    @Test func `settings of rendering count among what not modified depends on`() throws {
        func key(_ mode: RenderSettings.Mode, _ change: (inout RenderSettings) -> Void = { _ in }) -> UInt16 {
            var configuration = CrawlConfiguration()
            change(&configuration.render)
            return RevalidationKey.ofCrawl(
                configuration: configuration, host: "a.test", seeds: [], sitemap: SitemapFacts(), lookup: nil,
                renderMode: mode)
        }
        let keys = [key(.never), key(.auto), key(.always), key(.auto) { $0.settle = .seconds(1) }]
        #expect(Set(keys).count == 4)
        #expect(key(.never) == key(.never) { $0.settle = .seconds(1) })
    }
}
