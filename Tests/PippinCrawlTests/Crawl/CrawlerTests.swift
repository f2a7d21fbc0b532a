import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct CrawlerTests {
    let web = FakeWeb(time: MadeUpTime())

    // MARK: Reach

    @Test func `the crawl stays on the hosts of its seeds`() async throws {
        web.page("https://a.test/", links: ["/1", "https://b.test/", "https://www.a.test/2", "https://sub.a.test/"])
        web.page("https://a.test/1")
        web.page("https://www.a.test/2")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/1", "https://www.a.test/2"])
        #expect(crawl.summary.statistics.refusals["other-host"] == 2)
        #expect(crawl.summary.ending == .finished)
        #expect(crawl.summary.unvisited == 0)
    }

    @Test func `a domain takes the hosts below it, allowed hosts are added, a page takes nothing`() async throws {
        web.page("https://a.test/", links: ["https://sub.a.test/", "https://b.test/", "https://x.c.test/"])
        web.page("https://sub.a.test/")
        web.page("https://b.test/")
        web.page("https://x.c.test/")
        let domain = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) {
            $0.scope.follow = .domain
            $0.scope.allowedHosts = ["*.c.test"]
        }
        #expect(domain.recorded == ["https://a.test/", "https://sub.a.test/", "https://x.c.test/"])
        let any = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.follow = .any }
        #expect(any.records.count == 4)
        let page = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.follow = .page }
        #expect(page.recorded == ["https://a.test/"])
    }

    @Test func `depth is counted in links`() async throws {
        for page in 0..<6 { web.page("https://a.test/\(page)", links: ["/\(page + 1)"]) }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/0"]) { $0.scope.maximumDepth = 3 }
        #expect(crawl.recorded == (0...3).map { "https://a.test/\($0)" })
        #expect(crawl.summary.limitations.map(\.code) == ["too-deep"])
    }

    @Test func `max_pages ends the crawl exactly there, and says what is left`() async throws {
        let seeds = web.addSites(4, pages: 40, seed: 3)
        let crawl = try await FakeCrawl.run(web, seeds: seeds) { $0.scope.maximumPages = 25 }
        #expect(crawl.summary.statistics.pages == 25)
        #expect(crawl.summary.ending == .pageLimit)
        #expect(crawl.summary.unvisited > 0)
        #expect(crawl.summary.limitations.first?.code == "page-limit")
    }

    @Test func `a host gives at most its share of pages`() async throws {
        web.page("https://a.test/", links: (1...20).map { "/\($0)" })
        for page in 1...20 { web.page("https://a.test/\(page)") }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.maximumPagesPerHost = 5 }
        #expect(crawl.records.count == 5)
        #expect((1...16).contains(crawl.outcomes["excluded-host-page-limit"] ?? 0))
        #expect(crawl.summary.unvisited == 16)
        #expect(crawl.summary.ending == .finished)
    }

    @Test func `traps are not entered`() async throws {
        let traps = [
            "/a/a/a/", "/x/y/x/y/x/y", String(repeating: "/d", count: 1) + (1...30).map { "/\($0)" }.joined(),
            "/" + String(repeating: "l", count: 2100), "/?" + (1...40).map { "p\($0)=1" }.joined(separator: "&"),
        ]
        web.page("https://a.test/", links: traps + ["/2024/01/01/", "/fine/a/b/a"])
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(web.visited.count == 3)
        #expect(
            crawl.summary.statistics.refusals == [
                "repeated-segments": 2, "path-too-deep": 1, "url-too-long": 1, "too-many-parameters": 1,
            ])
    }

    @Test func `links that the author does not vouch for are not followed`() async throws {
        web.page(
            "https://a.test/", links: ["/yes"],
            body: "<a rel=nofollow href=/no>x</a>")
        web.page("https://a.test/yes", links: ["/unseen"], head: "<meta name=robots content=nofollow>")
        _ = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(web.visited == ["https://a.test/", "https://a.test/yes"])
    }

    @Test func `a page that asks not to be indexed gives links and no record`() async throws {
        web.page("https://a.test/", links: ["/1"], head: "<meta name=robots content=noindex>")
        web.page("https://a.test/1")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == ["https://a.test/1"])
        #expect(crawl.outcomes["noindex"] == 1)
    }

    @Test func `pages without deep links are recorded only when all are wanted`() async throws {
        web.page("https://a.test/", links: ["/1"], deepLink: false)
        web.page("https://a.test/1")
        let some = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(some.recorded == ["https://a.test/1"])
        #expect(some.outcomes["without-deep-links"] == 1)
        let all = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.records = .all }
        #expect(all.records.count == 2)
    }

    @Test func `what is not a page gives no record`() async throws {
        web.page("https://a.test/", links: ["/pic", "/empty", "/none"])
        web["https://a.test/pic"] = [FakeWeb.Answer(headers: [("Content-Type", "image/png")], body: "x")]
        web["https://a.test/empty"] = [.status(204)]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.outcomes == ["recorded": 1, "not-a-page": 1, "empty": 1, "gone": 1])
    }

    @Test func `what a seed says of its app travels with the pages found from it`() async throws {
        web.page("https://a.test/", links: ["/1"])
        web.page("https://a.test/1")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/ app=123456789 bundle=org.example.app"])
        #expect(crawl.records.count == 2)
        for record in crawl.records {
            #expect(record.seeds == ["https://a.test/"])
            let link = try #require(record.deepLinks.first { $0.storeIdentifier == "123456789" })
            #expect(link.bundleIdentifier == "org.example.app")
        }
    }

    // MARK: Redirects

    @Test func `a redirect is checked like any URL, and adds no depth`() async throws {
        web.page("https://a.test/", links: ["/old", "/out", "/closed", "/app", "/broken"])
        web["https://a.test/old"] = [.redirect(to: "/new")]
        web.page("https://a.test/new")
        web["https://a.test/out"] = [.redirect(302, to: "https://b.test/")]
        web["https://a.test/closed"] = [.redirect(302, to: "/private/1")]
        web["https://a.test/app"] = [.redirect(302, to: "myapp://item/1")]
        web["https://a.test/broken"] = [.status(302)]
        web.robots("https://a.test", "User-agent: *\nDisallow: /private/")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.maximumDepth = 1 }
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/new"])
        #expect(
            crawl.outcomes == [
                "recorded": 2, "redirected": 2, "redirect-refused-other-host": 1, "disallowed": 1,
                "redirected-to-app": 1, "redirect-broken": 1,
            ])
        #expect(!web.visited.contains("https://b.test/"))
    }

    @Test func `redirects end: loops at once, chains at their limit`() async throws {
        web.page("https://a.test/", links: ["/self", "/ping", "/c0"])
        web["https://a.test/self"] = [.redirect(to: "/self")]
        web["https://a.test/ping"] = [.redirect(to: "/pong")]
        web["https://a.test/pong"] = [.redirect(to: "/ping")]
        for hop in 0..<20 { web["https://a.test/c\(hop)"] = [.redirect(to: "/c\(hop + 1)")] }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.fetch.maximumRedirects = 4 }
        #expect(crawl.outcomes["redirect-loop"] == 2)
        #expect(crawl.outcomes["too-many-redirects"] == 1)
        #expect(web.visited.filter { $0.contains("/c") }.count == 5)
    }

    @Test func `a seed that moved to another host takes the crawl there`() async throws {
        web["https://a.test/"] = [.redirect(to: "https://b.test/home")]
        web.page("https://b.test/home", links: ["/1", "https://c.test/"])
        web.page("https://b.test/1")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == ["https://b.test/1", "https://b.test/home"])
        #expect(crawl.records.allSatisfy { $0.seeds == ["https://a.test/"] })
        #expect(crawl.summary.failedSeeds.isEmpty)
    }

    @Test func `a redirect to another spelling of the same URL is followed`() async throws {
        web["https://a.test/?utm_source=x"] = [.redirect(to: "/")]
        web.page("https://a.test/")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/?utm_source=x"])
        #expect(crawl.recorded == ["https://a.test/"])
    }

    @Test(arguments: [
        "https://a.test/", "/", "#top", "https://A.test:443/", "https://a.test/?utm_source=x", "./#a",
    ])
    func `a page that refreshes to itself is a page, with record and links`(target: String) async throws {
        web.page(
            "https://a.test/", links: ["https://a.test/1"],
            head: "<meta http-equiv=refresh content=\"0;url=\(target)\">")
        web.page("https://a.test/1")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/1"])
        #expect(crawl.outcomes == ["recorded": 2])
    }

    @Test func `a refresh without delay is a redirect`() async throws {
        web.page("https://a.test/", head: "<meta http-equiv=refresh content=\"0;url=/next\">")
        web.page("https://a.test/next")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == ["https://a.test/next"])
        #expect(crawl.outcomes["redirected"] == 1)
    }

    // MARK: Failures

    @Test func `a failure that may pass is tried again, each time later`() async throws {
        web.page("https://a.test/", links: ["/1", "/2", "/3"])
        web["https://a.test/1"] = [.status(500), .failure(.truncatedBody), .html("<title>1</title>")]
        web["https://a.test/2"] = [.status(502)]
        web["https://a.test/3"] = [.failure(.tls(.expired, reason: "certificate has expired"))]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.records = .all }
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/1"])
        #expect(crawl.outcomes["server-error"] == 1)
        #expect(crawl.outcomes["failed-tls"] == 1)
        let first = web.log.filter { $0.url == "https://a.test/1" }.sorted { $0.start < $1.start }
        #expect(first.count == 3)
        #expect(first[1].start - first[0].end >= .seconds(10))
        #expect(first[2].start - first[1].end >= .seconds(20))
        #expect(web.log.filter { $0.url == "https://a.test/2" }.count == 3)
        #expect(web.log.filter { $0.url == "https://a.test/3" }.count == 1)
    }

    @Test(arguments: ["30", "Sat, 21 Nov 2026 00:00:33 GMT"])
    func `a host that asks for rest gets it`(retryAfter: String) async throws {
        web.page("https://a.test/", links: ["/1", "/2"])
        web["https://a.test/1"] = [
            .status(429, headers: [("Retry-After", retryAfter), ("Date", "Sat, 21 Nov 2026 00:00:03 GMT")]),
            .html("<title>1</title>"),
        ]
        web.page("https://a.test/2")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.records = .all }
        #expect(crawl.records.count == 3)
        let log = web.log.sorted { $0.start < $1.start }
        let refused = try #require(log.firstIndex { $0.url.hasSuffix("/1") })
        #expect(log[refused + 1].start - log[refused].end >= .seconds(30))
    }

    @Test func `a host that asks for more rest than the run waits is left, and kept for later`() async throws {
        web.page("https://a.test/", links: ["/1", "/2", "/3"])
        web["https://a.test/1"] = [.status(503, headers: [("Retry-After", "7200")])]
        web.page("https://b.test/", links: ["/1"])
        web.page("https://b.test/1")
        web["https://c.test/robots.txt"] = [.status(503, headers: [("Retry-After", "7200")])]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/", "https://b.test/", "https://c.test/"])
        #expect(crawl.recorded == ["https://a.test/", "https://b.test/", "https://b.test/1"])
        #expect(crawl.summary.unvisited == 4)
        #expect(crawl.summary.failedSeeds.map(\.code) == ["host-left"])
        #expect(web.log.filter { $0.host == "c.test" }.count == 1)
        #expect(crawl.summary.limitations.map(\.code) == ["host-left"])
        #expect(crawl.summary.duration < .seconds(60))
    }

    @Test func `a host that is dead ends soon, and fails its seed`() async throws {
        web["https://a.test/robots.txt"] = [.failure(.hostNotFound)]
        web.page("https://b.test/", links: (1...50).map { "/\($0)" })
        for page in 1...50 { web["https://b.test/\(page)"] = [.failure(.timedOut("no answer within 30 s"))] }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/", "https://b.test/"])
        #expect(crawl.summary.failedSeeds.map(\.seed.url.href) == ["https://a.test/"])
        #expect(web.log.filter { $0.host == "b.test" }.count < 20)
        #expect(crawl.summary.duration < .seconds(7200))
    }

    @Test func `slow answers end at the time limit`() async throws {
        web["https://a.test/"] = [.html("").taking(.seconds(90))]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) {
            $0.fetch.timeout = .seconds(5)
            $0.fetch.retries = 0
        }
        #expect(crawl.outcomes == ["failed-timed-out": 1])
    }

    // MARK: Sitemaps

    @Test func `sitemaps are found through robots, and read through indexes`() async throws {
        web.robots("https://a.test", "Sitemap: /index.xml\nUser-agent: *\nDisallow: /private/")
        web["https://a.test/index.xml"] = [
            .xml(
                """
                <sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
                <sitemap><loc>https://a.test/one.xml</loc></sitemap>
                <sitemap><loc>https://b.test/foreign.xml</loc></sitemap></sitemapindex>
                """)
        ]
        web["https://a.test/one.xml"] = [
            .xml(
                """
                <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.test/hidden</loc></url>
                <url><loc>https://a.test/private/x</loc></url><url><loc>https://b.test/</loc></url></urlset>
                """)
        ]
        web.page("https://a.test/")
        web.page("https://a.test/hidden")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.sitemaps = true }
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/hidden"])
        #expect(crawl.outcomes["sitemap"] == 2)
        #expect(crawl.outcomes["disallowed"] == 1)
        #expect(crawl.summary.statistics.refusals["foreign-sitemap-entry"] == 2)
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `without a named sitemap the customary place is tried`() async throws {
        web["https://a.test/sitemap.xml"] = [.text("https://a.test/1\n")]
        web.page("https://a.test/")
        web.page("https://a.test/1")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.sitemaps = true }
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/1"])
    }

    // MARK: End

    @Test func `stop lets the visits in flight finish`() async throws {
        let seeds = web.addSites(8, pages: 30, seed: 5)
        let web = web
        let crawl = try await FakeCrawl.run(
            web, seeds: seeds,
            // By then no page waits for its host's association files any more.
            start: { crawler in web.onRequest { if $0 == 80 { crawler.stop() } } })
        #expect(crawl.summary.ending == .interrupted)
        #expect(web.log.count < 110)
        #expect(crawl.summary.unvisited > 0)
        #expect(crawl.summary.statistics.visitsInFlight == 0)
        // Every page that was asked for has its outcome: nothing was dropped half way.
        let answered = crawl.outcomes.values.reduce(0, +) + crawl.summary.statistics.retries
        let asked = web.log.filter { $0.purpose == .page }.count
        #expect(answered - (crawl.outcomes["disallowed"] ?? 0) == asked)
    }

    @Test func `a cancelled crawl ends at once and gives its URLs back`() async throws {
        let seeds = web.addSites(8, pages: 30, seed: 5)
        let web = web
        // Cancelled from within the request: another task may get its turn when made-up time has run out.
        let (start, gate) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in start { break }
            return try await FakeCrawl.run(web, seeds: seeds)
        }
        web.onRequest { if $0 == 60 { task.cancel() } }
        gate.finish()
        let crawl = try await task.value
        #expect(crawl.summary.ending == .interrupted)
        #expect(crawl.outcomes["failed-cancelled"] == nil)
        #expect(crawl.summary.unvisited > 0)
    }

    @Test func `trouble with the sink ends the crawl with its own words`() async throws {
        web.page("https://a.test/")
        let failure = NDJSONSink.WriteError(path: "records.ndjson", errorNumber: 28)
        let web = web
        await #expect(throws: failure) {
            try await web.time.run {
                _ = try await Crawler(
                    configuration: CrawlConfiguration(),
                    seeds: [Seed(url: #require(WebURL("https://a.test/")))], fetcher: web,
                    frontier: MemoryFrontier(sinks: [MemorySink(failure: failure)]), clock: web.time.clock
                ).run()
            }
        }
    }

    @Test func `a page that was recorded before and is gone is deleted`() async throws {
        web.page("https://a.test/new")
        let previous = PreviousVisit(
            entityTag: "\"1\"", lastModified: nil, contentHash: "x", visitedAt: MadeUpTime.start,
            interval: .seconds(3600), recordIdentifier: "https://a.test/gone")
        let seed = Seed(url: try #require(WebURL("https://a.test/new")))
        var gone = CrawlRequest(url: try #require(WebURL("https://a.test/gone")), seed: seed, discovery: .seed)
        gone.previous = previous
        let sink = MemorySink()
        let web = web
        _ = try await web.time.run { [gone] in
            let frontier = MemoryFrontier(sinks: [sink])
            _ = await frontier.add([gone])
            return try await Crawler(
                configuration: CrawlConfiguration(), seeds: [seed], fetcher: web, frontier: frontier,
                clock: web.time.clock
            ).run()
        }
        #expect(await sink.deletions.map(\.uniqueIdentifier) == ["https://a.test/gone"])
    }
}
