import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// The pages of a crawl with `max_depth` are those of a breadth-first search, in whatever order they are visited.
@Suite struct DepthTests {
    private static let depth = 4
    private static let seeds = [0, 20]

    private static func configure(_ configuration: inout CrawlConfiguration) {
        configuration.scope.follow = .any
        configuration.scope.sitemaps = false
        configuration.scope.maximumDepth = depth
        configuration.records = .all
    }

    /// A web whose hosts are slow by chance, so that long ways may be faster.
    private static func web(_ web: SmallWeb, latencySeed: UInt64) -> FakeWeb {
        let made = FakeWeb(time: MadeUpTime(), latencySeed: latencySeed, slowest: .seconds(3))
        web.show(in: made, slowHost: Int(latencySeed) % SmallWeb.hosts)
        return made
    }

    private static func pages(_ web: FakeWeb) -> Set<String> { Set(web.visited) }

    @Test(arguments: 1...40)
    func `one machine visits what a breadth-first search finds`(number: Int) async throws {
        let small = SmallWeb(seed: UInt64(number))
        let expected = Set(small.reached(from: Self.seeds, within: Self.depth).keys.map(SmallWeb.url))
        let seeds = Self.seeds.map(SmallWeb.url)
        let memory = Self.web(small, latencySeed: UInt64(number))
        let crawl = try await FakeCrawl.run(memory, seeds: seeds, configure: Self.configure)
        #expect(Self.pages(memory) == expected, "in memory")
        let told = crawl.records.map { [$0.uniqueIdentifier] + $0.seeds }
        #expect(Set(told).count == told.count, "a record comes twice only if another seed is nearer")

        let kept = Self.web(small, latencySeed: UInt64(number))
        var configuration = CrawlConfiguration()
        Self.configure(&configuration)
        let (settled, folder) = (configuration, StorageFolder())
        let list = try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt")
        let storage = try folder.open()
        _ = try await kept.time.run {
            let frontier = try storage.frontier(
                recrawl: settled.recrawl, limits: FrontierLimits(settled, seeds: list.count),
                scope: CrawlScope(settled, seeds: list), date: { kept.time.date }, executor: kept.time.actors)
            return try await Crawler(
                configuration: settled, seeds: list, fetcher: kept, frontier: frontier, clock: kept.time.clock
            ).run()
        }
        #expect(Self.pages(kept) == expected, "in a storage")
        let wrong = try await storage.database.read { try KeptCounts.differences($0).first.map(\.description) }
        #expect(wrong.isEmpty)
    }

    @Test(arguments: 1...40)
    func `so do shards, whatever comes late`(number: Int) async throws {
        let small = SmallWeb(seed: UInt64(number))
        let job = try ShardsUnderTest(
            2 + number % 2, seeds: Self.seeds.map(SmallWeb.url), web: Self.web(small, latencySeed: UInt64(number)))
        Self.configure(&job.configuration)
        try await job.runToEnd(epoch: .seconds(number % 3 == 0 ? 600 : 120))
        let expected = small.reached(from: Self.seeds, within: Self.depth).keys.map(SmallWeb.url)
        #expect(Self.pages(job.web) == Set(expected))
        for ways in job.toldWays.values {
            #expect(zip(ways, ways.dropFirst()).allSatisfy { $0 > $1 }, "told again only if nearer")
        }
    }
}
