import Foundation
import GRDB
import Glibc
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// The start of a run, its end, and `status` cost the same in a storage that is twice as large. The cost is counted in steps of
/// SQLite's virtual machine: a plan does not show how many rows an index gives.
@Suite(.slow) struct StorageGrowthTests {
    /// What all hosts of a storage are like.
    enum Kind: String, CaseIterable {
        /// URLs are queued and due, some were dropped, and the last request failed.
        case busy
        /// They rest until tomorrow.
        case resting
        /// Nothing is queued or due.
        case idle
    }

    struct Steps: Equatable {
        var start = 0
        var end = 0
        var status = 0
    }

    /// Counts the steps of a connection.
    private final class Counter {
        var steps = 0

        /// The test's target has no SQLite of its own.
        private typealias Handler = @convention(c) (UnsafeMutableRawPointer?) -> Int32
        private typealias Register =
            @convention(c) (OpaquePointer?, Int32, Handler?, UnsafeMutableRawPointer?) -> Void

        func count(_ storage: CrawlStorage, _ reader: StorageReader) throws {
            try storage.database.writeWithoutTransaction { try count($0) }
            try reader.database.inDatabase { try count($0) }
        }

        /// Ends the counting, so that no connection asks an object that is gone.
        func end(_ storage: CrawlStorage, _ reader: StorageReader) throws {
            try storage.database.writeWithoutTransaction { try Self.register($0.sqliteConnection, 0, nil, nil) }
            try reader.database.inDatabase { try Self.register($0.sqliteConnection, 0, nil, nil) }
        }

        private static func register(
            _ connection: OpaquePointer?, _ steps: Int32, _ handler: Handler?, _ context: UnsafeMutableRawPointer?
        ) throws {
            let symbol = try #require(dlsym(nil, "sqlite3_progress_handler"))
            unsafeBitCast(symbol, to: Register.self)(connection, steps, handler, context)
        }

        private func count(_ database: Database) throws {
            try Self.register(
                database.sqliteConnection, 1,
                { context in
                    guard let context else { return 0 }
                    Unmanaged<Counter>.fromOpaque(context).takeUnretainedValue().steps += 1
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque())
        }

        func take() -> Int {
            defer { steps = 0 }
            return steps
        }
    }

    private static let now = MadeUpTime.start

    /// Three URLs of each host: two were visited, one was not.
    private static func fill(_ storage: CrawlStorage, hosts: Int) throws {
        try storage.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
                    INSERT INTO host(id, name, queued, urls, failures, openings) SELECT n, 'host' || n || '.test', 0, 3, 0, 0
                    FROM number
                    """, arguments: [hosts])
            try database.execute(
                sql: """
                    INSERT INTO url(id, address, state, rank, depth, seed, flags)
                    SELECT (host.id << 35) + place.value, 's/' || place.value, 1, 0, 0, 1, 0
                    FROM host JOIN (SELECT 1 AS value UNION SELECT 2 UNION SELECT 3) AS place;
                    INSERT INTO seed(id, url, landingHosts) VALUES (1, 'https://host1.test/1', '');
                    """)
            try database.execute(
                sql: "UPDATE store SET hosts = ?, known = ?", arguments: [hosts, 3 * hosts])
        }
    }

    private static func make(_ storage: CrawlStorage, _ kind: Kind) throws {
        let seconds = Int64(now.timeIntervalSince1970)
        let (hour, day): (Int64, Int64) = (3600, 86_400)
        try storage.write { database in
            try database.execute(
                sql: """
                    UPDATE url SET rank = iif(id & 3 = 3 AND :queues, 1 << 41, :due), state = iif(id & 3 = 3 AND :queues, 0, 1);
                    UPDATE host SET queued = :queues, load = :queues, nextDue = :due, suspendedUntil = :rests,
                        nextRequest = :rests * 1000, lastRequest = :asked * 1000 + id, keptAt = :asked * 1000 + id,
                        dropped = :queues, trouble = iif(:queues, 'connection-refused', NULL);
                    UPDATE store SET isOpen = 0, queued = (SELECT sum(queued) FROM host), dropped = :queues;
                    """,
                arguments: [
                    "queues": kind == .idle ? 0 : 1, "due": kind == .idle ? seconds + day : seconds - hour,
                    "rests": kind == .resting ? seconds + day : nil, "asked": seconds - day,
                ])
        }
    }

    private static func steps(_ storage: CrawlStorage, _ reader: StorageReader) async throws -> Steps {
        var steps = Steps()
        let counter = Counter()
        try counter.count(storage, reader)
        let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl(), date: { now })
        _ = try await frontier.lease(limit: 10, perHost: 2)
        steps.start = counter.take()
        _ = try StorageStatus(reader, now: now)
        steps.status = counter.take()
        _ = try await frontier.unfinishedCount()
        _ = try await frontier.standing(of: [])
        try await frontier.close(keeping: [])
        try storage.emptyLog()
        steps.end = counter.take()
        try counter.end(storage, reader)
        return steps
    }

    /// A run that finds no host with work has looked at all of them: one walk along an index that has all it asks for.
    private static let stepsOfHostWithoutWork = 20

    @Test func `twice as many hosts and URLs take no more steps`() async throws {
        let sizes = [60_000, 120_000]
        var found: [[Steps]] = []
        for hosts in sizes {
            let folder = StorageFolder()
            let storage = try folder.open()
            try Self.fill(storage, hosts: hosts)
            let reader = try StorageReader(folder: folder.url)
            var ofKinds: [Steps] = []
            for kind in Kind.allCases {
                try Self.make(storage, kind)
                ofKinds.append(try await Self.steps(storage, reader))
            }
            found.append(ofKinds)
        }
        for (number, kind) in Kind.allCases.enumerated() {
            let (small, large) = (found[0][number], found[1][number])
            let walk = kind == .busy ? 0 : Self.stepsOfHostWithoutWork * (sizes[1] - sizes[0])
            #expect(large.start <= small.start + small.start / 10 + walk, "start, \(kind): \(small) \(large)")
            #expect(large.end <= small.end + small.end / 10, "end, \(kind): \(small) \(large)")
            #expect(large.status <= small.status + small.status / 10, "status, \(kind): \(small) \(large)")
        }
    }
}
