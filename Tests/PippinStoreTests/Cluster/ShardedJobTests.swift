import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// A job in shards is looked at as one machine's job is.
@Suite struct ShardedJobTests {
    /// The same web, crawled in three shards and by one machine.
    private final class Jobs {
        let shards: ShardsUnderTest
        let one = StorageFolder()
        /// Has the shards' storages in `shards`.
        let folder = StorageFolder()
        var now: Date { [shards.web.time.date, web.time.date].max() ?? shards.web.time.date }
        private let web = FakeWeb(time: MadeUpTime())

        init() async throws {
            let seeds = web.addSites(8, pages: 14, seed: 5)
            shards = try ShardsUnderTest(3, seeds: seeds)
            _ = shards.web.addSites(8, pages: 14, seed: 5)
            shards.configuration.scope.follow = .domain
            var configuration = CrawlConfiguration()
            configuration.scope.sitemaps = false
            configuration.scope.follow = .domain
            let (web, settled) = (web, configuration)
            let list = try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt")
            let storage = try one.open()
            _ = try await web.time.run {
                let frontier = try storage.frontier(
                    recrawl: settled.recrawl, limits: FrontierLimits(settled, seeds: list.count),
                    date: { web.time.date }, executor: web.time.actors)
                return try await Crawler(
                    configuration: settled, seeds: list, fetcher: web, frontier: frontier, clock: web.time.clock
                ).run()
            }
            try await shards.runToEnd()
            for number in 0..<3 { try show(number) }
        }

        func place(_ number: Int) -> URL { folder.url.appending(path: "shards/0\(number)") }

        func show(_ number: Int) throws {
            let place = place(number)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: shards.folders[number].url)
        }

        func hide(_ number: Int) throws { try FileManager.default.removeItem(at: place(number)) }

        func status() throws -> StorageStatus { try StorageStatus(JobStorages(in: folder.url), now: now) }
    }

    // MARK: Status

    @Test func `status sums the shards as one machine counts`() async throws {
        let jobs = try await Jobs()
        let (sum, one) = (try jobs.status(), try StorageStatus(StorageReader(folder: jobs.one.url), now: jobs.now))
        #expect(sum.known == one.known && sum.known > 150)
        #expect(sum.hosts == one.hosts && sum.queued == one.queued && sum.records == one.records)
        #expect(sum.lastOutcomes == one.lastOutcomes)
        #expect(sum.dropped == one.dropped && sum.troubledCount == one.troubledCount)
        #expect(sum.blockedCount == one.blockedCount && sum.due == one.due)
        #expect(sum.nextDue?.host != nil && sum.state == .idle)
        let shards = try #require(sum.shards)
        #expect(shards.count == 3 && shards.missing.isEmpty && shards.absence == nil)
        #expect(shards.standings.map(\.number) == [0, 1, 2])
        #expect(shards.standings.reduce(0) { $0 + $1.known } == sum.known)
        #expect(shards.standings.allSatisfy { $0.last?.ending == "finished" && $0.known > 0 })
        #expect(Set(sum.runs.compactMap(\.shard)) == [0, 1, 2])
        #expect(sum.runs.map(\.startedAt) == sum.runs.map(\.startedAt).sorted(by: >))
        #expect(sum.health.bytes > 3 * 100_000 && sum.health.consumers.isEmpty && sum.health.freeBytes > 0)
        let file = statfsBytes(of: jobs.folder.url)
        // Three storages on one disk have its room once.
        #expect(abs(sum.health.freeBytes - file) < file / 4)
        let later = jobs.now.addingTimeInterval(40 * 86_400)
        let due = try StorageStatus(JobStorages(in: jobs.folder.url), now: later)
        let dueOnOne = try StorageStatus(StorageReader(folder: jobs.one.url), now: later)
        #expect(due.due == dueOnOne.due && due.due > 100)
        #expect(due.health.oldestDue?.at == [due.health.oldestDue?.at, due.nextDue?.at].compactMap(\.self).min())
        var parser = JSONParser()
        let json = try parser.parse(sum.json(.both))
        #expect(json["shards"]?["standings"]?.array?.count == 3 && json["queue"]?["known"]?.integer == sum.known)
    }

    private func statfsBytes(of folder: URL) -> Int {
        let values = try? FileManager.default.attributesOfFileSystem(forPath: folder.path)
        return (values?[.systemFreeSize] as? NSNumber)?.intValue ?? 0
    }

    @Test func `shards that are not here are named, and the rest is summed`() async throws {
        let jobs = try await Jobs()
        let all = try jobs.status()
        try jobs.hide(1)
        let rest = try jobs.status()
        #expect(rest.shards?.missing == [1])
        #expect(rest.shards?.absence == "The storage of shard 1 of 3 is not here: what it has is left out.")
        let lost = try #require(all.shards?.standings.first { $0.number == 1 })
        #expect(rest.known == all.known - lost.known && rest.records == all.records - lost.records)
        let job = try JobStorages(in: jobs.folder.url)
        let hosts = (0..<8).map { "site\($0).test" }
        let host = try #require(hosts.first { jobs.shards.shard(of: $0) == 1 })
        #expect(throws: ReportedFailure.self) { try job.part(of: host) }
        try jobs.hide(0)
        #expect(
            try jobs.status().shards?.absence
                == "The storages of shards 0, 1 of 3 are not here: what they have is left out.")
    }

    @Test func `storages that are not the shards of one job are refused`() async throws {
        let jobs = try await Jobs()
        try jobs.hide(1)
        // Another shard under its number.
        try FileManager.default.createSymbolicLink(
            at: jobs.place(1), withDestinationURL: jobs.shards.folders[2].url)
        #expect(throws: StorageError.self) { try jobs.status() }
        try jobs.hide(1)
        try jobs.show(1)
        let fourth = jobs.folder.url.appending(path: "shards/03")
        try FileManager.default.createSymbolicLink(at: fourth, withDestinationURL: jobs.shards.folders[2].url)
        #expect(throws: StorageError.self) { try jobs.status() }
        try FileManager.default.removeItem(at: fourth)
        let twice = jobs.folder.url.appending(path: "shards/2")
        try FileManager.default.createSymbolicLink(at: twice, withDestinationURL: jobs.shards.folders[2].url)
        #expect(throws: StorageError.self) { try jobs.status() }
        try FileManager.default.removeItem(at: twice)
        #expect(try jobs.status().shards?.standings.count == 3)
        // A storage in the job's folder.
        withExtendedLifetime(try CrawlStorage(folder: jobs.folder.url)) {}
        #expect(throws: StorageError.self) { try jobs.status() }
        #expect(try JobStorages(in: jobs.folder.url.appending(path: "shards")).parts.count == 3)
    }
}
