import Foundation
import Logging
import PippinStore
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Jobs that meet pages which take forever to read.
@Suite(.ends)
struct ReadingGivenUpTests {
    private let folder = StorageFolder()
    private let web = FakeWeb(time: MadeUpTime())
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func crawler(
        _ storage: CrawlStorage, seeds: [String], timeout: Duration,
        rehearsal: @escaping @Sendable (WebURL, Interruption) -> Void
    ) throws -> Crawler {
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        configuration.politeness.delay = .zero
        configuration.politeness.adaptive = false
        return Crawler(
            configuration: configuration, seeds: try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt"),
            fetcher: web, frontier: try storage.frontier(recrawl: configuration.recrawl),
            logger: Self.logger,
            threads: CrawlThreads(
                timeout: timeout, grace: .milliseconds(200), count: 2, logger: Self.logger, rehearsal: rehearsal))
    }

    @Test func `a page whose reading was given up is not met again by the next run`() async throws {
        let isOver = Mutex(false)
        defer { isOver.withLock { $0 = true } }
        let seeds = ["https://good.test/", "https://hostile.test/"]
        for seed in seeds { web.page(seed) }
        for run in 1...2 {
            let storage = try folder.open()
            let summary = try await crawler(storage, seeds: seeds, timeout: .milliseconds(500)) { url, _ in
                while url.href == "https://hostile.test/", !isOver.withLock({ $0 }) {}
            }.run()
            #expect(summary.statistics.outcomes == (run == 1 ? ["recorded": 1, "reading-timed-out": 1] : [:]))
        }
        #expect(web.log.count { $0.url == "https://hostile.test/" } == 1)
        let history = try #require(try folder.history(of: "https://hostile.test/"))
        #expect(history.visits.last?.outcome == "reading-timed-out")
    }

    @Test func `a run that is stopped at once waits for no reading, and its page is kept for the next`() async throws {
        let isOver = Mutex(false)
        defer { isOver.withLock { $0 = true } }
        web.page("https://a.test/")
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        do {
            let crawler = try crawler(try folder.open(), seeds: ["https://a.test/"], timeout: .seconds(1_000)) {
                url, _ in
                guard url.href == "https://a.test/" else { return }
                beginning.yield()
                while !isOver.withLock({ $0 }) {}
            }
            let run = Task { try await crawler.run() }
            for await _ in begun { break }
            run.cancel()
            let summary = try await run.value
            #expect(summary.ending == .interrupted)
            #expect(summary.unvisited == 1)
        }
        let again = try self.crawler(try folder.open(), seeds: ["https://a.test/"], timeout: .seconds(100)) { _, _ in }
        #expect(try await again.run().statistics.outcomes == ["recorded": 1])
    }
}
