import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl

@Suite struct CrawlTimerTests {
    /// How many timers are out.
    private final class Timers: Sendable {
        private let counts = Mutex((now: 0, most: 0))
        var most: Int { counts.withLock { $0.most } }

        func began() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func ended() { counts.withLock { $0.now -= 1 } }
    }

    @Test func `a host that rests for long costs one timer, however often the others are asked meanwhile`() async throws
    {
        let web = FakeWeb(time: MadeUpTime())
        web.page("https://a.test/", links: (1...40).map { "https://a.test/\($0)" })
        for number in 1...40 { web.page("https://a.test/\(number)") }
        web["https://b.test/robots.txt"] = [.status(404)]
        web["https://b.test/"] = [.status(503, headers: [("Retry-After", "500")])]
        let timers = Timers()
        let time = web.time
        let clock = CrawlClock(
            now: { time.now },
            sleep: {
                timers.began()
                await time.sleep(until: $0)
                timers.ended()
            }, date: { time.date })
        let seeds = try Seeds.parse("https://a.test/\nhttps://b.test/", file: "seeds.txt")
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        let settled = configuration
        let summary = try await time.run {
            try await Crawler(
                configuration: settled, seeds: seeds, fetcher: web, frontier: MemoryFrontier(date: { time.date }),
                clock: clock
            ).run()
        }
        #expect(summary.statistics.pages > 40)
        #expect(timers.most <= 4)
    }
}
