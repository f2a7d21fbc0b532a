import Foundation
import GRDB
import PippinCrawl

/// Hands the changes of a job's records on to a search index while it runs. How far the index has come stands in the database
/// and moves after the index has acknowledged, so that no change is lost, however a run ends.
///
/// The feed gives each record once, as it is now, and one follower hands them on in order: what is sent again after a crash is
/// never older than what the index has.
///
/// What the index will not take must not hold up the rest. It is kept in a list in the database, and each run tries it once
/// more: when the index's mapping was mended, nothing needs to be fed anew by hand.
public actor IndexFollower {
    /// Changes that are read, sent and acknowledged at a time.
    static let stretch = 500

    private let storage: CrawlStorage
    private let sink: OpenSearchSink
    private let name: String
    private var position: Int64
    private let executor = BlockingExecutor("pippin.index")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter settings: the index's; another URL or another index is fed from the beginning.
    public init(storage: CrawlStorage, sink: OpenSearchSink, settings: OpenSearchSettings) throws {
        self.storage = storage
        self.sink = sink
        name = Self.name(of: settings)
        position = try Self.keptPosition(of: name, in: storage)
    }

    /// How far the index has come by what is on the disk.
    static func keptPosition(of name: String, in storage: CrawlStorage) throws -> Int64 {
        try storage.read { database in
            try Int64.fetchOne(database, sql: "SELECT sequence FROM consumer WHERE name = ?", arguments: [name])
        } ?? 0
    }

    /// What the database calls an index.
    static func name(of settings: OpenSearchSettings) -> String { "opensearch \(settings.index) \(settings.url.href)" }

    /// Hands on what changes until `CrawlStorage.endChanges` is called, to the last change.
    public func follow() async throws {
        let changes = storage.recordsChanged.stream()
        try await tryRefusedAgain()
        try await catchUp()
        for await _ in changes { try await catchUp() }
        try await catchUp()
    }

    /// Hands on what has changed so far.
    func catchUp() async throws {
        while true {
            let changes = try storage.feed.changes(after: position, limit: Self.stretch)
            guard let last = changes.last else { return }
            // After a loss of power the index must not have a record that the storage knows nothing of: nobody would delete it.
            try storage.feed.sync()
            try await deliver(changes, upTo: last.sequence)
        }
    }

    /// Records that the index would not take, as they were when it was asked last.
    func refusedCount() throws -> Int {
        try storage.read { database in
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM refusal WHERE consumer = ?", arguments: [self.name]) ?? 0
        }
    }

    /// Sends what the index has refused, as it is now. What has changed since then comes by itself.
    private func tryRefusedAgain() async throws {
        var after = ""
        while true {
            let (name, position, start) = (name, position, after)
            let found = try storage.read { database in
                var changes: [ChangeFeed.Change] = []
                var last: String?
                try StoreStatement(
                    database,
                    """
                    SELECT refusal.identifier, sequence, state, CASE state WHEN 0 THEN document ELSE deletion END
                    FROM refusal LEFT JOIN record ON record.identifier = refusal.identifier
                    WHERE consumer = ? AND refusal.identifier > ? ORDER BY refusal.identifier LIMIT ?
                    """
                ).rows(.text(name), .text(start), .integer(Int64(Self.stretch))) { row in
                    last = row.text(0)
                    guard let sequence = row.optionalInteger(1), sequence <= position else { return }
                    changes.append(
                        ChangeFeed.Change(
                            sequence: sequence, identifier: row.text(0), isDeletion: row.integer(2) != 0,
                            document: row.blob(3)))
                }
                return (changes: changes, last: last)
            }
            guard let last = found.last else { return }
            if !found.changes.isEmpty { try await deliver(found.changes, upTo: position) }
            after = last
        }
    }

    /// Sends changes, waits for the index to acknowledge them, and keeps that, with what it will not take.
    private func deliver(_ changes: [ChangeFeed.Change], upTo sequence: Int64) async throws {
        for change in changes {
            try await sink.write(
                recordIdentifier: change.identifier, document: change.isDeletion ? nil : change.document)
        }
        try await sink.flush()
        let refused = await sink.takeRejections()
        let name = name
        try storage.write { database in
            let removal = try StoreStatement(database, "DELETE FROM refusal WHERE consumer = ? AND identifier = ?")
            for change in changes { try removal.run(.text(name), .text(change.identifier)) }
            let insertion = try StoreStatement(database, "INSERT OR REPLACE INTO refusal VALUES (?, ?, ?, ?)")
            for refusal in refused {
                try insertion.run(
                    .text(name), .text(refusal.identifier), .integer(Int64(refusal.status)), .text(refusal.reason))
            }
            try database.execute(
                sql: "INSERT OR REPLACE INTO consumer VALUES (?, ?, 0)", arguments: [name, sequence])
        }
        position = sequence
    }
}
