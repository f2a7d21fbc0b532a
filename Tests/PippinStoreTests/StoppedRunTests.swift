import Foundation
import PippinCrawl
import PippinStore
import PippinTestSupport
import Testing

/// A run that is stopped at once, and the one after it.
@Suite struct StoppedRunTests {
    private let folder = StorageFolder()
    private let web = FakeWeb(time: MadeUpTime())

    /// One run; it is stopped at once when `stop` has passed since it began.
    private func run(stop: Duration? = nil, configure: (inout CrawlConfiguration) -> Void = { _ in }) async throws {
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        configure(&configuration)
        let settled = configuration
        let seeds = try Seeds.parse("https://a.test/", file: "seeds.txt")
        let storage = try folder.open()
        let web = web
        let time = web.time
        try await time.run {
            let frontier = try storage.frontier(recrawl: settled.recrawl, date: { time.date })
            let crawler = Crawler(
                configuration: settled, seeds: seeds, fetcher: web, frontier: frontier, sink: nil, clock: time.clock)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await crawler.run() }
                if let stop {
                    await time.sleep(until: time.now + stop)
                    group.cancelAll()
                }
                try await group.waitForAll()
            }
        }
    }

    /// From the end of each request to the start of the next.
    private var pauses: [Duration] {
        let log = web.log.sorted { $0.start < $1.start }
        return zip(log, log.dropFirst()).map { $1.start - $0.end }
    }

    @Test func `the host of a page that was on its way is not asked again before its delay has passed`() async throws {
        web["https://a.test/"] = [.html("<title>a</title>").taking(.seconds(20)), .html("<title>a</title>")]
        try await run(stop: .seconds(10))
        try await run()
        #expect(web.visited == ["https://a.test/", "https://a.test/"])
        #expect(try #require(pauses.min()) >= .seconds(1))
    }

    @Test func `a robots.txt that was on its way is no failure of its host, and is asked for again after the delay`()
        async throws
    {
        web["https://a.test/robots.txt"] = [.status(404).taking(.seconds(20)), .status(404)]
        web["https://a.test/"] = [.html("<title>a</title>")]
        try await run(stop: .seconds(10))
        #expect(try folder.open().reader.host("a.test")?.failuresInARow == 0)
        try await run()
        #expect(web.visited == ["https://a.test/"])
        #expect(try #require(pauses.min()) >= .seconds(1))
    }
}
