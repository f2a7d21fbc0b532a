import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What rendered pages wait for, in made-up time: dead hosts cost next to nothing, and waiting pages keep nobody from the browser.
@Suite struct RenderedCrawlPaceTests {
    /// A fake browser that notes how long each page is open.
    private final class TimedRenderer: Renderer {
        private let browser = FakeRenderer()
        private let time: MadeUpTime
        private let log = Mutex<[(url: String, open: Duration, page: RenderedPage)]>([])

        init(_ time: MadeUpTime) { self.time = time }

        func render(
            _ page: FetchResponse, loading loader: any SubresourceLoader
        ) async -> Result<RenderedPage, RenderFailure> {
            let start = time.now
            let result = await browser.render(page, loading: loader)
            if case .success(let rendered) = result {
                log.withLock { $0.append((page.url.href, time.now - start, rendered)) }
            }
            return result
        }

        /// Pages in the order in which they were closed.
        var pages: [(url: String, open: Duration, page: RenderedPage)] { log.withLock { $0 } }
        func seconds(_ url: String) -> Double? { pages.first { $0.url == url }.map { $0.open / .seconds(1) } }
    }

    private static func shell(_ scripts: String...) -> String {
        "<div id=\"root\"></div>" + scripts.map { "<script src=\"\($0)\"></script>" }.joined()
    }

    /// A crawl that renders every page, one after the other unless `configure` says otherwise.
    private func crawl(
        _ web: FakeWeb, _ renderer: TimedRenderer, seeds: [String],
        configure: (inout CrawlConfiguration) -> Void = { _ in }
    ) async throws -> FakeCrawl {
        try await FakeCrawl.run(
            web, seeds: seeds,
            configure: {
                $0.render.mode = .always
                $0.render.concurrency = 1
                $0.render.maximumOpenPages = 1
                $0.records = .all
                configure(&$0)
            }, renderer: renderer)
    }

    // MARK: Dead hosts

    /// A way in which a file of a page does not come.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case refusedConnection, noName, privateAddress, silent, silentAfterRobots, certificate, resetInBody
        case robots503, robotsTimeout, robots429, throttled, throttledForLong

        var testDescription: String { rawValue }

        /// Lets `https://dead.test` fail in this way.
        func prepare(_ web: FakeWeb) {
            let never = FakeWeb.Answer.text("late").taking(.seconds(1000))
            func robots(_ answer: FakeWeb.Answer) { web["https://dead.test/robots.txt"] = [answer] }
            func files(_ answer: FakeWeb.Answer) {
                for file in ["x", "y", "z"] { web["https://dead.test/\(file).js"] = [answer] }
            }
            files(.text("<p>There</p>"))
            switch self {
            case .refusedConnection: web.refuses { $0.url.host == "dead.test" }
            case .noName: web.names { $0 == "dead.test" ? .hostNotFound : nil }
            case .privateAddress: web.names { $0 == "dead.test" ? .addressRefused("10.0.0.1") : nil }
            case .silent:
                robots(never)
                files(never)
            case .silentAfterRobots: files(never)
            case .certificate:
                robots(.failure(.tls(.expired, reason: "expired")))
                files(.failure(.tls(.expired, reason: "expired")))
            case .resetInBody: files(.failure(.truncatedBody))
            case .robots503: robots(.status(503))
            case .robotsTimeout: robots(never)
            case .robots429: robots(.status(429, headers: [("Retry-After", "30")]))
            case .throttled: files(.status(429))
            case .throttledForLong: files(.status(429, headers: [("Retry-After", "120")]))
            }
        }

        /// The seconds that the first page with two files of the host may take, and the second with two, one of them the same.
        var most: (first: Double, second: Double) {
            switch self {
            // The time limit of its robots.txt.
            case .silent, .robotsTimeout: (6, 0)
            // The time limit of a file.
            case .silentAfterRobots: (13, 0)
            // Each file has its turn, and each failure doubles the host's delay.
            case .resetInBody: (4, 5)
            // It answers, so its first rest is waited for.
            case .throttled: (14, 0)
            case .throttledForLong: (3, 0)
            case .refusedConnection, .noName, .privateAddress, .certificate, .robots503, .robots429: (2, 0)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a file that does not come costs a page little, and the next page nothing`(way: Way) async throws {
        let web = FakeWeb(time: MadeUpTime())
        way.prepare(web)
        web.page(
            "https://a.test/", deepLink: false,
            body: Self.shell("https://dead.test/x.js", "https://dead.test/y.js", "/app.js"))
        web.page(
            "https://a.test/2", deepLink: false,
            body: Self.shell("https://dead.test/z.js", "https://dead.test/x.js", "/app.js"))
        web["https://a.test/app.js"] = [.text("<h1>Clowns</h1>")]
        let renderer = TimedRenderer(web.time)
        let crawl = try await crawl(web, renderer, seeds: ["https://a.test/", "https://a.test/2"])
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/2"])
        let open = renderer.pages.map { $0.open / .seconds(1) }
        let (first, second) = (try #require(open.first), try #require(open.last))
        // The page's own script, once.
        #expect(first <= way.most.first + 2, "\(way): \(first) s")
        #expect(second <= way.most.second + 0.1, "\(way): \(second) s")
        #expect(renderer.pages.allSatisfy { String(decoding: $0.page.html, as: UTF8.self).contains("Clowns") })
    }

    @Test func `ten pages of ten hosts ask a dead host once`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        Way.silent.prepare(web)
        let seeds = (0..<10).map { "https://site\($0).test/" }
        for seed in seeds {
            web.page(seed, deepLink: false, body: Self.shell("https://dead.test/x.js", "https://dead.test/y.js"))
        }
        let renderer = TimedRenderer(web.time)
        let crawl = try await crawl(web, renderer, seeds: seeds)
        #expect(crawl.recorded == seeds)
        #expect(web.log.filter { $0.host == "dead.test" }.map(\.url) == ["https://dead.test/robots.txt"])
        #expect(renderer.pages.reduce(.zero) { $0 + $1.open } <= .seconds(6))
    }

    @Test func `a host that was dead is asked again after a while`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.refuses { [time = web.time] in $0.url.host == "cdn.test" && time.now < .seconds(120) }
        web["https://cdn.test/x.js"] = [.text("<h1>Back</h1>")]
        for page in 0..<15 {
            web.page(
                "https://a.test/\(page)", links: ["/\(page + 1)"], deepLink: false,
                body: Self.shell("https://cdn.test/x.js?\(page)"))
            web["https://cdn.test/x.js?\(page)"] = [.text("<h1>Back</h1>")]
        }
        let renderer = TimedRenderer(web.time)
        _ = try await crawl(web, renderer, seeds: ["https://a.test/0"]) { $0.politeness.delay = .seconds(60) }
        let hasIt = renderer.pages.map { String(decoding: $0.page.html, as: UTF8.self).contains("Back") }
        #expect(hasIt.first == false)
        #expect(hasIt.last == true, "\(hasIt)")
        // Once in ten minutes.
        #expect(web.log.filter { $0.host == "cdn.test" && $0.start < .seconds(600) }.count <= 2)
    }

    @Test func `a visit of a host is more patient than the scripts that ask it first`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web["https://b.test/robots.txt"] = [.status(503), .text("")]
        web.page(
            "https://a.test/", links: ["https://b.test/"], deepLink: false, body: Self.shell("https://b.test/x.js"))
        web.page("https://b.test/", deepLink: false)
        let renderer = TimedRenderer(web.time)
        let crawl = try await crawl(web, renderer, seeds: ["https://a.test/"]) { $0.scope.follow = .any }
        #expect(crawl.recorded == ["https://a.test/", "https://b.test/"])
        let open = try #require(renderer.seconds("https://a.test/"))
        #expect(open < 2)
    }

    @Test func `scripts do not wait for the robots.txt that a visit asks for again`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web["https://b.test/robots.txt"] = [.status(503), .status(503), .text("")]
        web.page("https://b.test/", deepLink: false)
        web.page("https://a.test/", deepLink: false, body: Self.shell("https://b.test/x.js"))
        let renderer = TimedRenderer(web.time)
        let crawl = try await crawl(web, renderer, seeds: ["https://b.test/", "https://a.test/"])
        #expect(crawl.recorded == ["https://a.test/", "https://b.test/"])
        let open = try #require(renderer.seconds("https://a.test/"))
        #expect(open < 2)
    }

    @Test func `what robots.txt forbids waits for no turn once the rules are known`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.robots("https://b.test", "User-agent: *\nDisallow: /no\nCrawl-delay: 20")
        web.page("https://b.test/", deepLink: false)
        web.page(
            "https://a.test/", deepLink: false, body: Self.shell("https://b.test/no/1.js", "https://b.test/no/2.js"))
        let renderer = TimedRenderer(web.time)
        _ = try await crawl(web, renderer, seeds: ["https://b.test/", "https://a.test/"])
        let open = try #require(renderer.seconds("https://a.test/"))
        #expect(open < 1)
    }

    // MARK: Places in the browser

    private func eightApps(slots: Int, openPages: Int) async throws -> FakeCrawl {
        let web = FakeWeb(time: MadeUpTime())
        let seeds = (0..<8).map { "https://site\($0).test/" }
        for seed in seeds {
            web.page(seed, deepLink: false, body: Self.shell("/1.js", "/2.js", "/3.js"))
            for file in 1...3 { web[seed + "\(file).js"] = [.text("<p>\(file)</p>")] }
        }
        let crawl = try await crawl(web, TimedRenderer(web.time), seeds: seeds) {
            $0.politeness.delay = .seconds(5)
            $0.render.concurrency = slots
            $0.render.maximumOpenPages = openPages
        }
        #expect(crawl.recorded == seeds)
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(5))
        return crawl
    }

    @Test func `pages that wait for their hosts keep no other page from the browser`() async throws {
        let enough = try await eightApps(slots: 8, openPages: 8).summary
        let two = try await eightApps(slots: 2, openPages: 8).summary
        #expect(two.duration == enough.duration)
    }

    @Test func `no more pages are open than may be`() async throws {
        let four = try await eightApps(slots: 2, openPages: 4).summary
        let two = try await eightApps(slots: 2, openPages: 2).summary
        let eight = try await eightApps(slots: 2, openPages: 8).summary
        #expect(four.duration > eight.duration + .seconds(10))
        #expect(two.duration > four.duration + .seconds(20))
    }

    @Test func `the pace names the hosts of files that rendered pages wait for`() async throws {
        let crawl = try await eightApps(slots: 2, openPages: 2)
        #expect(crawl.summary.statistics.pace.mostly?.rawValue == "rendered-files")
        let one = FakeWeb(time: MadeUpTime())
        one.page("https://a.test/", links: (1...20).map { "/\($0)" })
        let plain = try await FakeCrawl.run(one, seeds: ["https://a.test/"])
        #expect(plain.summary.statistics.pace.times.keys.allSatisfy { !$0.rawValue.hasPrefix("render") })
    }

    @Test func `the pace names the browser when pages compute`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        let seeds = (0..<8).map { "https://site\($0).test/" }
        for seed in seeds { web.page(seed, deepLink: false, body: "<div id=root></div>") }
        let crawl = try await FakeCrawl.run(
            web, seeds: seeds,
            configure: {
                $0.render.mode = .always
                $0.records = .all
            }, renderer: ComputingRenderer(time: web.time))
        #expect(crawl.recorded == seeds)
        #expect(crawl.summary.statistics.pace.mostly?.rawValue == "rendering")
        // Two at a time.
        #expect(crawl.summary.duration >= .seconds(12))
    }

    /// Each page computes for three seconds and asks for nothing.
    private struct ComputingRenderer: Renderer {
        let time: MadeUpTime
        func render(
            _ page: FetchResponse, loading loader: any SubresourceLoader
        ) async -> Result<RenderedPage, RenderFailure> {
            await time.sleep(until: time.now + .seconds(3))
            return .success(RenderedPage(html: page.body))
        }
    }
}
