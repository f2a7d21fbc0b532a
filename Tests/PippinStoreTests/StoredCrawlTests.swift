import PippinCrawl
import PippinStore
import PippinTestSupport
import Testing

/// A crawl gives the same records with either frontier.
@Suite struct StoredCrawlTests {
    @Test(arguments: [20, 21] as [UInt64])
    func `a crawl finds the same with its state in memory and in a database`(seed: UInt64) async throws {
        var results: [[String]] = []
        for kind in FrontierKind.allCases {
            let web = FakeWeb(time: MadeUpTime(), latencySeed: 3, slowest: .seconds(2))
            let seeds = try Seeds.parse(
                web.addSites(5, pages: 60, seed: seed).joined(separator: "\n"), file: "seeds.txt")
            var configuration = CrawlConfiguration()
            configuration.scope.maximumDepth = 1000
            let settled = configuration
            let sink = MemorySink()
            let time = web.time
            let folder = StorageFolder()
            let frontier: any Frontier =
                switch kind {
                case .memory: MemoryFrontier(date: { time.date })
                case .sqlite: try folder.open().frontier(recrawl: settled.recrawl, date: { time.date })
                }
            let summary = try await time.run {
                try await Crawler(
                    configuration: settled, seeds: seeds, fetcher: web, frontier: frontier, sink: sink,
                    clock: time.clock
                ).run()
            }
            #expect(summary.ending == .finished)
            #expect(summary.unvisited == 0)
            results.append(
                await sink.records.map { "\($0.uniqueIdentifier) \($0.url) \($0.seeds)" }.sorted()
                    + summary.statistics.outcomes.map { "\($0.key) \($0.value)" }.sorted())
        }
        #expect(results[0].count > 100)
        #expect(results[0] == results[1])
    }
}
