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

        /// Puts what `make` makes in place of a shard's storage.
        func replace(_ number: Int, _ make: (URL) throws -> Void) throws {
            try hide(number)
            try make(place(number))
        }

        func tellCount(_ count: Int) throws {
            try Data(#"{"version":1,"shards":\#(count),"by":"site-1"}"#.utf8).write(
                to: folder.url.appending(path: ShardsFile.name))
        }

        func status() throws -> StorageStatus { try StorageStatus(JobStorages(in: folder.url), now: now) }

        /// The hits of a query, with their scores, by identifier.
        func hits(_ query: String, in folder: URL) throws -> [String: Double] {
            let now = now
            let index = try SearchIndex(folder: folder, weights: .standard, now: { now })
            let results = try index.search(SearchQuery(query), offset: 0, limit: 1_000, isExplained: false)
            #expect(results.count == results.hits.count)
            return Dictionary(
                uniqueKeysWithValues: results.hits.map { ($0.identifier, ($0.score * 1e6).rounded() / 1e6) })
        }

        static let queries = ["p3", "p3 OR canon2", "canon2", "site:site2.test", "site:test p5", "p1 -site:site1.test"]
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

    private static func writeHalf(_ place: URL) throws {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try Data().write(to: place.appending(path: ".half-restored"))
    }

    private static func begin(_ number: Int, of count: Int, in place: URL) throws {
        let shard = try #require(Shard(number, of: count))
        let storage = try CrawlStorage(folder: place)
        _ = try storage.begin(EpochOrder(epoch: 1, shard: shard, duration: .seconds(60)), at: MadeUpTime.start)
    }

    /// What may be in the folder of a shard that is not to be read, and how it is named.
    private static let unreadable: [(reason: String, make: @Sendable (URL) throws -> Void)] = [
        ("it is being restored from a snapshot", writeHalf),
        ("no turn has begun in it", { withExtendedLifetime(try CrawlStorage(folder: $0)) {} }),
        (
            "an older version of Pippin has written it",
            { place in
                withExtendedLifetime(try CrawlStorage(folder: place)) {}
                let database = try DatabaseQueue(path: place.appending(path: StorageDatabase.fileName).path)
                try database.write {
                    try $0.execute(
                        sql: "DELETE FROM grdb_migrations WHERE rowid = (SELECT max(rowid) FROM grdb_migrations)")
                }
            }
        ),
        (
            "pippin.sqlite is not a database",
            { place in
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
                try Data(repeating: 0x41, count: 9_000).write(to: place.appending(path: StorageDatabase.fileName))
            }
        ),
        ("it is shard 1 of 2", { try begin(1, of: 2, in: $0) }),
    ]

    @Test func `a storage that cannot be read is left out and named, and ends nothing`() async throws {
        let jobs = try await Jobs()
        let indexer = try SearchIndexer(folder: jobs.folder.url)
        try indexer.catchUp()
        let (all, hits) = try (jobs.status(), jobs.hits("p3", in: jobs.folder.url))
        let index = try SearchIndex(folder: jobs.folder.url)
        for number in [0, 1] {
            let lost = try #require(all.shards?.standings.first { $0.number == number })
            for (reason, make) in Self.unreadable {
                try jobs.replace(number, make)
                let rest = try jobs.status()
                #expect(rest.shards?.count == 3 && rest.shards?.missing == [number], "\(reason)")
                #expect(rest.known == all.known - lost.known && rest.records == all.records - lost.records)
                let absence = try #require(rest.shards?.absence)
                #expect(absence.contains("The storage of shard \(number) (\(reason)"), "\(absence)")
                var parser = JSONParser()
                let hindrance = try parser.parse(rest.json(.both))["shards"]?["hindrances"]?.array?.first
                #expect(hindrance?["shard"]?.integer == number)
                #expect(hindrance?["reason"]?.string?.hasPrefix(reason) == true)
                #expect(try !indexer.isBehind() && indexer.catchUp() == 0)
                let rests = try index.search(SearchQuery("p3"), offset: 0, limit: 1_000, isExplained: false)
                #expect(rests.hits.count < hits.count && rests.count == rests.hits.count && rests.notes == [absence])
                try jobs.hide(number)
                try jobs.show(number)
            }
        }
        #expect(try jobs.hits("p3", in: jobs.folder.url) == hits && jobs.status().known == all.known)
    }

    @Test func `shards.json says how many shards there are, and storages that will come are waited for`() async throws {
        let jobs = try await Jobs()
        try jobs.tellCount(4)
        // None is of four.
        #expect(throws: StorageError.self) { try jobs.status() }
        try jobs.tellCount(3)
        try jobs.hide(0)
        try jobs.replace(1) { try Self.begin(1, of: 2, in: $0) }
        #expect(try jobs.status().shards?.missing == [0, 1])
        #expect(try JobStorages.exist(in: jobs.folder.url))
        try jobs.hide(1)
        try jobs.replace(2, Self.writeHalf)
        #expect(try !JobStorages.exist(in: jobs.folder.url))
        #expect(throws: StorageError.self) { try jobs.status() }
        try jobs.hide(2)
        #expect(try !JobStorages.exist(in: jobs.folder.url))
        #expect(throws: StorageError.self) { try jobs.status() }
    }

    @Test func `a turn that was killed is part of no sum of what goes on`() async throws {
        let jobs = try await Jobs()
        for (number, ending) in [(0, CrawlSummary.Ending.finished), (1, nil)] {
            let progress = CrawlProgress(
                CrawlStatistics(), concurrency: 8, startedAt: MadeUpTime.start,
                at: MadeUpTime.start.addingTimeInterval(60), ending: ending, pagesPerSecond: 5)
            try WholeFile.write(
                progress.json(), to: jobs.shards.folders[number].url.appending(path: CrawlProgress.fileName).path,
                what: "the file of progress")
        }
        let progress = try #require(try jobs.status().progress)
        #expect(progress.ending != nil && progress.pagesPerSecond == nil && progress.seconds == 60)
    }

    @Test func `the job has succeeded when its last shard had`() async throws {
        let jobs = try await Jobs()
        #expect(try jobs.status().health.lastSuccess != nil)
        try jobs.replace(1) { try Self.begin(1, of: 3, in: $0) }
        #expect(try jobs.status().health.lastSuccess == nil)
    }

    // MARK: Search

    @Test func `a passing look is no reason to build the index anew`() async throws {
        let jobs = try await Jobs()
        let place = jobs.folder.url.appending(path: "shards")
        let indexer = try SearchIndexer(folder: place)
        try indexer.catchUp()
        let followed = try contents(place)
        for number in 0..<3 { try jobs.hide(number) }
        #expect(throws: StorageError.self) { try indexer.isBehind() }
        try jobs.show(0)
        try Self.begin(1, of: 2, in: jobs.place(1))
        #expect(throws: StorageError.self) { try indexer.catchUp() }
        try jobs.hide(1)
        for number in 1..<3 { try jobs.show(number) }
        #expect(try !indexer.isBehind() && indexer.catchUp() == 0 && indexer.reasonOfBuilding == nil)
        #expect(try contents(place) == followed)
    }

    @Test func `a storage that returns while its documents are removed is taken in again`() async throws {
        let jobs = try await Jobs()
        let place = jobs.folder.url.appending(path: "shards")
        let indexer = try SearchIndexer(folder: jobs.folder.url, weights: .standard, batch: 3)
        try indexer.catchUp()
        let (followed, before) = try (contents(place), SearchIndex(folder: place).standing())
        try jobs.replace(1) { try Self.begin(1, of: 3, in: $0) }
        var batches = 0
        try indexer.catchUp(isStopped: {
            batches += 1
            return batches > 1
        })
        #expect(before.isComplete)
        let between = try SearchIndex(folder: place).standing()
        #expect(between.documents == before.documents - 3 && !between.isComplete)
        try check(jobs)
        try jobs.hide(1)
        try jobs.show(1)
        #expect(try indexer.isBehind())
        try indexer.catchUp()
        #expect(try !indexer.isBehind() && contents(place) == followed)
        try check(jobs)
    }

    /// The check finds no contradiction between the index, its cursors and the storages.
    private func check(_ jobs: Jobs) throws {
        let finding = try StorageCheck.searchIndex(of: JobStorages(in: jobs.folder.url), isFull: true)
        guard case .ok = finding.verdict else {
            Issue.record("\(finding)")
            return
        }
    }

    private func contents(_ folder: URL) throws -> [String] {
        try GRDBContents.rows(
            of: folder.appending(path: SearchSchema.fileName).path,
            [
                "SELECT identifier, contents, shard FROM document ORDER BY identifier",
                "SELECT term, documents, magnitude FROM word ORDER BY term",
                "SELECT shard, identity, sequence FROM source ORDER BY shard", "SELECT documents, shards FROM state",
            ])
    }

    @Test func `one index over the shards finds what that of one machine finds`() async throws {
        let jobs = try await Jobs()
        let indexer = try SearchIndexer(folder: jobs.folder.url)
        #expect(try indexer.isBehind())
        let count = try jobs.status().records
        #expect(try indexer.catchUp() >= count && count > 50)
        #expect(try !indexer.isBehind() && indexer.catchUp() == 0 && indexer.reasonOfBuilding == nil)
        try check(jobs)
        try SearchIndexer(folder: jobs.one.url).catchUp()
        for query in Jobs.queries {
            let (hits, onOne) = try (jobs.hits(query, in: jobs.folder.url), jobs.hits(query, in: jobs.one.url))
            #expect(hits == onOne && !hits.isEmpty, "\(query)")
        }
        let index = try SearchIndex(folder: jobs.folder.url)
        #expect(try index.standing() == (count, true))
        let suggestions = try index.suggestions(for: "ca", limit: 20)
        #expect(try Set(suggestions) == Set(SearchIndex(folder: jobs.one.url).suggestions(for: "ca", limit: 20)))
        #expect(!suggestions.isEmpty)
        // It lies beside the storages, and status knows it.
        #expect(SearchIndexer.hasIndex(in: jobs.folder.url.appending(path: "shards")))
        #expect(try jobs.status().health.consumers == [.init(name: StorageHealth.searchIndex, behind: 0)])
        let whole = try jobs.status()
        #expect(try StorageHealth(JobStorages(in: jobs.folder.url), now: jobs.now).bytes == whole.health.bytes)
        // The folder of the storages names the same job.
        #expect(try jobs.hits("p3", in: jobs.folder.url.appending(path: "shards")).count > 1)
    }

    @Test func `whoever is ended in the middle goes on from there, in each shard`() async throws {
        let jobs = try await Jobs()
        var rounds = 0
        while try SearchIndexer(folder: jobs.folder.url).catchUp(limit: 7) > 0 {
            rounds += 1
            try check(jobs)
        }
        #expect(rounds > 5)
        let followed = try contents(jobs.folder.url.appending(path: "shards"))
        let indexer = try SearchIndexer(folder: jobs.folder.url)
        try indexer.startAnew()
        #expect(try SearchIndex(folder: jobs.folder.url).standing().isComplete == false)
        try indexer.catchUp()
        #expect(try contents(jobs.folder.url.appending(path: "shards")) == followed)
    }

    @Test func `of a shard that was made anew nothing stays`() async throws {
        let jobs = try await Jobs()
        let indexer = try SearchIndexer(folder: jobs.folder.url)
        try indexer.catchUp()
        // A shard with few records, in which none of the old ones is.
        let place = jobs.place(1)
        try jobs.hide(1)
        #expect(try indexer.catchUp() == 0)
        let shard = try #require(Shard(1, of: 3))
        let host = try #require((8..<60).map { "site\($0).test" }.first { shard.owns($0) })
        do {
            let storage = try CrawlStorage(folder: place)
            let epoch = try storage.begin(EpochOrder(epoch: 1, shard: shard, duration: .seconds(60)), at: jobs.now)
            let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl(), epoch: epoch)
            let url = try #require(WebURL("https://\(host)/p3"))
            let record = DeepLinkRecord(
                uniqueIdentifier: url.href, domainIdentifier: host, url: url.href, fetchedAt: jobs.now,
                contentHash: "new")
            var visit = FinishedVisit(
                request: CrawlRequest(url: url, seed: Seed(url: url), discovery: .seed, standsForSeed: true),
                outcome: .recorded, finishedAt: jobs.now, next: RecrawlPolicy.Next(wait: .seconds(86_400)),
                changes: [.upsert(RecordDocument(record))])
            visit.recordIdentifier = record.uniqueIdentifier
            _ = try await frontier.finish(visit)
            try await frontier.close(keeping: [])
        }
        #expect(try indexer.isBehind())
        // Ended before the old ones are gone.
        #expect(try indexer.catchUp(isStopped: { true }) == 0)
        #expect(try indexer.isBehind())
        #expect(try indexer.catchUp() == 1)
        #expect(try !indexer.isBehind())
        try check(jobs)
        let followed = try contents(jobs.folder.url.appending(path: "shards"))
        #expect(followed.contains { $0.contains("https://\(host)/p3") })
        try indexer.startAnew()
        try indexer.catchUp()
        #expect(try contents(jobs.folder.url.appending(path: "shards")) == followed)
    }

    @Test func `hits of shards that are not here are left out, and a note says so`() async throws {
        let jobs = try await Jobs()
        try SearchIndexer(folder: jobs.folder.url).catchUp()
        let all = try jobs.hits("p3", in: jobs.folder.url)
        try jobs.hide(1)
        let index = try SearchIndex(folder: jobs.folder.url)
        let results = try index.search(SearchQuery("p3"), offset: 0, limit: 1_000, isExplained: false)
        #expect(results.notes.contains("The storage of shard 1 of 3 is not here: what it has is left out."))
        #expect(results.count == results.hits.count && results.hits.count < all.count && results.count > 0)
        try jobs.show(1)
        // The same process sees that it is back.
        let again = try index.search(SearchQuery("p3"), offset: 0, limit: 1_000, isExplained: false)
        #expect(again.hits.count == all.count && again.notes.isEmpty)
    }

    @Test func `after another cut the index is made anew`() async throws {
        let jobs = try await Jobs()
        try SearchIndexer(folder: jobs.folder.url).catchUp()
        let other = StorageFolder()
        for number in 0..<2 {
            let shard = try #require(Shard(number, of: 2))
            _ = try Resharding.make(
                shard, in: other.url.appending(path: "0\(number)"), of: jobs.shards.folders.map(\.url))
        }
        let place = other.url.appending(path: SearchSchema.fileName)
        try FileManager.default.copyItem(
            at: jobs.folder.url.appending(path: "shards/\(SearchSchema.fileName)"), to: place)
        let indexer = try SearchIndexer(folder: other.url)
        #expect(indexer.reasonOfBuilding == "the job has another number of shards")
        try indexer.catchUp()
        for query in Jobs.queries {
            #expect(try jobs.hits(query, in: other.url) == jobs.hits(query, in: jobs.folder.url), "\(query)")
        }
        // A server that has the old shards open.
        let (keeper, index) = try (SearchIndexer(folder: jobs.folder.url), SearchIndex(folder: jobs.folder.url))
        let before = try index.search(SearchQuery("p3"), offset: 0, limit: 100, isExplained: false).hits.count
        for number in 0..<3 { try jobs.hide(number) }
        for number in 0..<2 {
            try FileManager.default.createSymbolicLink(
                at: jobs.place(number), withDestinationURL: other.url.appending(path: "0\(number)"))
        }
        #expect(try keeper.isBehind())
        try keeper.catchUp()
        #expect(try !keeper.isBehind())
        try check(jobs)
        #expect(
            try index.search(SearchQuery("p3"), offset: 0, limit: 100, isExplained: false).hits.count == before)
    }
}
