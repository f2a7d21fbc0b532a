import Foundation
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinCrawl

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
                case .sqlite:
                    try folder.open().frontier(recrawl: settled.recrawl, date: { time.date }, executor: time.actors)
                }
            let summary = try await time.run {
                try await Crawler(
                    configuration: settled, seeds: seeds, fetcher: web,
                    frontier: WatchedFrontier(frontier: frontier, sink: sink),
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

/// Shows what the crawl hands to a frontier.
private struct WatchedFrontier: Frontier {
    let frontier: any Frontier
    let sink: MemorySink

    func finish(_ visit: FinishedVisit) async throws -> FrontierChange {
        try await sink.write(visit.changes)
        return try await frontier.finish(visit)
    }
    func add(_ requests: [CrawlRequest]) async throws -> FrontierChange { try await frontier.add(requests) }
    func lease(limit: Int, perHost: Int) async throws -> [CrawlRequest] {
        try await frontier.lease(limit: limit, perHost: perHost)
    }
    func release(_ requests: [CrawlRequest]) async throws { try await frontier.release(requests) }
    func suspend(hosts: [String], until: Date) async throws { try await frontier.suspend(hosts: hosts, until: until) }
    func leave(hosts: [String]) async throws { try await frontier.leave(hosts: hosts) }
    func unfinishedCount() async throws -> Int { try await frontier.unfinishedCount() }
    nonisolated var keepsWork: Bool { frontier.keepsWork }
    func clocks(of hosts: [String]) async throws -> [HostClock] { try await frontier.clocks(of: hosts) }
    func keep(_ clocks: [HostClock]) async throws { try await frontier.keep(clocks) }
    func rules(of host: String) async throws -> [StoredRobots] { try await frontier.rules(of: host) }
    func rules(of host: String, origin: String) async throws -> StoredRobots? {
        try await frontier.rules(of: host, origin: origin)
    }
    func keep(_ rules: StoredRobots) async throws { try await frontier.keep(rules) }
    func close(keeping clocks: [HostClock]) async throws { try await frontier.close(keeping: clocks) }
    func standing(of seeds: [Seed]) async throws -> JobStanding? { try await frontier.standing(of: seeds) }
}
