import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What an operator is told to act on.
@Suite struct StorageHealthTests {
    private let folder = StorageFolder()
    private let calendar = TestCalendar()
    private static let day: TimeInterval = 86_400

    private func health() throws -> StorageHealth {
        try StorageHealth(StorageReader(folder: folder.url), now: calendar.now)
    }

    /// A run each day, as the ledger has them.
    private func runs(_ endings: [String?], _ storage: CrawlStorage, bytes: [Int?] = [], feeding: [String] = []) throws
    {
        for (number, ending) in endings.enumerated() {
            let run = try storage.begin(at: calendar.now, feeding: feeding)
            calendar.advance(3600)
            if let ending { try storage.end(run, at: calendar.now, ending: ending, visits: 1, records: 1) }
            if number < bytes.count {
                try storage.write {
                    try $0.execute(sql: "UPDATE run SET bytes = ? WHERE id = ?", arguments: [bytes[number], run.id])
                }
            }
            calendar.advance(Self.day - 3600)
        }
    }

    @Test func `a host starves if its oldest due URL waits for more than a week and three runs, and it does not rest`()
        async throws
    {
        let store = try StoreUnderTest(folder, calendar: calendar)
        for host in ["a", "b", "c"] {
            _ = try await store.frontier.finish(
                .of(.page("https://\(host).test/"), at: calendar.now, wait: .seconds(86_400)))
        }
        try await store.frontier.suspend(hosts: ["c.test"], until: calendar.now.addingTimeInterval(90 * Self.day))
        try await store.frontier.close(keeping: [])
        calendar.advance(2 * Self.day)
        var health = try health()
        // Ten minutes sooner than a day (`RecrawlPolicy.due`).
        #expect(health.oldestDue?.at == MadeUpTime.start.addingTimeInterval(Self.day - 600))
        #expect(health.starvedHosts == 0)
        // Nobody has run the job for a month: nothing starves, but the last success is old.
        calendar.advance(30 * Self.day)
        try runs(["finished", "finished"], store.storage)
        #expect(try self.health().starvedHosts == 0)
        try runs(["finished"], store.storage)
        health = try self.health()
        #expect(health.starvedHosts == 2)
        // The first of them is visited.
        let frontier = try store.storage.frontier(recrawl: CrawlConfiguration.Recrawl(), date: { calendar.now })
        _ = try await frontier.finish(.of(.page("https://a.test/"), at: calendar.now))
        try await frontier.close(keeping: [])
        #expect(try self.health().starvedHosts == 1)
    }

    @Test func `a host whose due URL is queued again or gone is not due`() async throws {
        let store = try StoreUnderTest(folder, calendar: calendar)
        _ = try await store.frontier.finish(.of(.page("https://a.test/"), at: calendar.now, wait: .seconds(3600)))
        try await store.frontier.close(keeping: [])
        try store.storage.write { try $0.execute(sql: "DELETE FROM url") }
        calendar.advance(Self.day)
        #expect(try health().oldestDue?.host == "a.test")
        let frontier = try store.storage.frontier(recrawl: CrawlConfiguration.Recrawl(), date: { calendar.now })
        #expect(try await frontier.lease(limit: 5, perHost: 5).isEmpty)
        try await frontier.close(keeping: [])
        #expect(try health().oldestDue == nil)
    }

    @Test func `the forecast follows from what the job kept after its last runs`() throws {
        let storage = try folder.open()
        #expect(try health().daysLeft == nil)
        try runs(["finished"], storage)
        #expect(try storage.runs(limit: 1).first?.bytes ?? 0 > 10_000)
        #expect(try health().growthPerDay == nil, "one run tells no growth")
        try runs(["finished", nil, "finished"], storage, bytes: [1_000_000, nil, 3_000_000])
        try storage.write { try $0.execute(sql: "UPDATE run SET bytes = 0 WHERE id = 1") }
        let health = try health()
        #expect(health.growthPerDay == 1_000_000)
        #expect(health.freeBytes > 0 && health.daysLeft == Double(health.freeBytes) / 1_000_000)
        try runs(["finished"], storage, bytes: [0])
        #expect(try self.health().daysLeft == .infinity)
    }

    @Test func `a run that was stopped or killed is no success`() throws {
        let storage = try folder.open()
        #expect(try health().lastSuccess == nil)
        let start = calendar.now
        try runs(["page-limit", "interrupted", nil], storage)
        #expect(try health().lastSuccess == start.addingTimeInterval(3600))
    }

    @Test func `a consumer lags by the changes that it lacks, and one that is fed no more is not told`() async throws {
        let store = try StoreUnderTest(folder, calendar: calendar)
        let path = folder.url.appending(path: "records.ndjson").path
        let lines = try FeedFollower(storage: store.storage, path: path)
        let name = try #require(lines.name)
        try await store.upsert("https://a.test/1", says: "one")
        try await lines.catchUp()
        try await store.upsert("https://a.test/2", says: "two")
        try await store.upsert("https://a.test/3", says: "three")
        try runs(["finished"], store.storage, feeding: [name, StorageHealth.searchIndex])
        #expect(
            try health().consumers == [
                .init(name: name, behind: 2), .init(name: StorageHealth.searchIndex, behind: 3),
            ])
        try await lines.catchUp()
        try SearchIndexer(folder: folder.url).catchUp()
        #expect(try health().consumers.map(\.behind) == [0, 0])
        try runs(["finished"], store.storage)
        #expect(try health().consumers.isEmpty)
    }

    @Test func `metrics have no sample for what is not known`() async throws {
        let store = try StoreUnderTest(folder, calendar: calendar)
        func text() throws -> String {
            var text = PrometheusExposition()
            try health().write(to: &text)
            return text.text
        }
        #expect(try text().contains("\npippin_starved_hosts 0\n"))
        for name in [
            "oldest_due_timestamp_seconds", "disk_days_left", "last_success_timestamp_seconds", "consumer_lag_changes",
        ] {
            #expect(try text().contains("# TYPE pippin_\(name) gauge\n") && !text().contains("\npippin_\(name) "))
        }
        try await store.upsert("https://a.test/1", says: "one")
        try runs(["finished", "finished"], store.storage, feeding: [StorageHealth.searchIndex])
        #expect(try text().contains("\npippin_consumer_lag_changes{consumer=\"search index\"} 1\n"))
        #expect(try text().contains("\npippin_last_success_timestamp_seconds "))
    }
}
