import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct CrawlDeterminismTests {
    /// One line for each record: what does not depend on when it was fetched.
    private func content(_ crawl: FakeCrawl) -> [String] {
        crawl.records.map { "\($0.uniqueIdentifier) \($0.url) \($0.seeds)" }.sorted()
    }

    @Test(arguments: [10, 11, 12] as [UInt64], [1, 4])
    func `two crawls of one web give the same records, whatever the timing`(
        seed: UInt64, connections: Int
    ) async throws {
        var results: [[String]] = []
        for latencySeed in [1, 2, 3] as [UInt64] {
            let web = FakeWeb(time: MadeUpTime(), latencySeed: latencySeed, slowest: .seconds(3))
            let seeds = web.addSites(5, pages: 60, seed: seed)
            let crawl = try await FakeCrawl.run(web, seeds: seeds) {
                $0.scope.maximumDepth = 1000
                $0.politeness.connectionsPerHost = connections
            }
            #expect(crawl.summary.ending == .finished)
            results.append(content(crawl))
        }
        #expect(results[0].count > 100)
        #expect(results[0] == results[1])
        #expect(results[0] == results[2])
        #expect(Set(results[0]).count == results[0].count)
    }

    @Test(arguments: [1, 400])
    func `pages of one canonical URL give one record, that of the canonical page`(slow: Int) async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.page("https://a.test/", links: ["/print", "/page", "/amp"])
        web.page("https://a.test/print", canonical: "/page")
        web.page("https://a.test/amp", canonical: "/page")
        web["https://a.test/page"] = [
            .html("<meta name=apple-itunes-app content='app-id=1'>").taking(.milliseconds(slow))
        ]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/page"])
        #expect(crawl.outcomes["duplicate"] == 2)
        #expect(Set(crawl.records.map(\.url)) == ["https://a.test/", "https://a.test/page"])
    }

    @Test func `a canonical page that no link leads to is found`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.page("https://a.test/?id=1", canonical: "/item")
        web.page("https://a.test/item")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/?id=1"])
        #expect(crawl.recorded == ["https://a.test/item"])
        #expect(crawl.summary.failedSeeds.isEmpty)
    }

    @Test func `a canonical URL that is not good is not believed`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.robots("https://a.test", "User-agent: *\nDisallow: /private/")
        web["https://a.test/moved"] = [.redirect(to: "/")]
        web.page("https://a.test/hidden", head: "<meta name=robots content=noindex>")
        let bad = ["/gone", "/moved", "/hidden", "/private/1", "https://b.test/", "app://x"]
        web.page("https://a.test/", links: bad.indices.map { "/\($0)" })
        for (index, canonical) in bad.enumerated() {
            web.page("https://a.test/\(index)", canonical: canonical)
        }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == (["https://a.test/"] + bad.indices.map { "https://a.test/\($0)" }).sorted())
        #expect(!web.visited.contains("https://b.test/"))
        #expect(!web.visited.contains("https://a.test/private/1"))
    }

    @Test(arguments: [["/1", "/2"], ["/2", "/1"]])
    func `two pages that name each other give one record, the smaller URL's`(order: [String]) async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.page("https://a.test/", links: order)
        web.page("https://a.test/1", canonical: "/2")
        web.page("https://a.test/2", canonical: "/1")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/1"])
        #expect(crawl.summary.unvisited == 0)
    }

    @Test func `a canonical that only spells the URL otherwise names the record`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.page("https://a.test/?utm_source=mail", canonical: "https://a.test/")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/?utm_source=mail"])
        #expect(crawl.recorded == ["https://a.test/"])
    }
}
