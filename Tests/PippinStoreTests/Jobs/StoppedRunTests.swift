import Foundation
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinCrawl

/// A run that is stopped at once, and the one after it.
@Suite struct StoppedRunTests {
    private let folder = StorageFolder()
    private let web = FakeWeb(time: MadeUpTime())

    /// One run, `after` the last; it is stopped at once when `stop` has passed since it began.
    private func run(after wait: Duration = .zero, stop: Duration? = nil) async throws {
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        let settled = configuration
        let seeds = try Seeds.parse("https://a.test/", file: "seeds.txt")
        let storage = try folder.open()
        let web = web
        let time = web.time
        try await time.run {
            await time.sleep(until: time.now + wait)
            let frontier = try storage.frontier(recrawl: settled.recrawl, date: { time.date }, executor: time.actors)
            let crawler = Crawler(
                configuration: settled, seeds: seeds, fetcher: web, frontier: frontier, clock: time.clock)
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

    private func host() throws -> StorageReader.Host {
        try #require(try folder.history(of: "https://a.test/")).host
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

    @Test func `a crawl delay is kept for the next run, until its robots.txt has another one`() async throws {
        web.robots("https://a.test", "User-agent: *\nCrawl-delay: 20")
        web.page("https://a.test/", links: ["/1", "/2"])
        for number in 1...2 { web.page("https://a.test/\(number)") }
        try await run()
        #expect(try host().crawlDelay == .seconds(20))
        #expect(try #require(pauses.min()) >= .seconds(20))
        web.robots("https://a.test", "User-agent: *\nDisallow:")
        let before = web.log.count
        try await run(after: .seconds(90_000))
        #expect(web.log.count == 2 * before)
        // The first turn after the robots.txt was set when the old delay still held.
        let later = pauses.suffix(before - 2)
        #expect(try #require(later.min()) >= .seconds(1))
        #expect(try #require(later.max()) < .seconds(5))
        #expect(try host().crawlDelay == nil)
    }

    @Test func `a robots.txt that was on its way is no failure of its host, and is asked for again after the delay`()
        async throws
    {
        web["https://a.test/robots.txt"] = [.status(404).taking(.seconds(20)), .status(404)]
        web["https://a.test/"] = [.html("<title>a</title>")]
        try await run(stop: .seconds(10))
        #expect(try host().failures == 0)
        try await run()
        #expect(web.visited == ["https://a.test/"])
        #expect(try #require(pauses.min()) >= .seconds(1))
    }
}
