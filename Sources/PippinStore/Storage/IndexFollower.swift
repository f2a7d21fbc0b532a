import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// Passes the changes of a job's records on to a search index while the job runs. The database keeps the sequence number that
/// the index has reached. It is written after the index has acknowledged the changes, so no change is lost, however a run
/// ends.
///
/// The feed gives each record once, in its present state, and one follower sends the changes in order. So changes that are
/// sent again after a crash are never older than what the index has.
///
/// Changes that the index refuses do not hold up the others. They are listed in the database, and each run tries them once
/// more, so that nothing needs to be sent by hand after the index's mapping was corrected.
public actor IndexFollower {
    /// How many changes are read, sent and acknowledged at a time.
    static let stretch = 500

    private let storage: CrawlStorage
    private let sink: OpenSearchSink
    /// The index's name in the database.
    public nonisolated let name: String
    private var position: ChangeFeed.Place
    private let executor = BlockingExecutor("pippin.index")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter settings: name the index. An index with another name or URL is filled from the beginning.
    public init(storage: CrawlStorage, sink: OpenSearchSink, settings: OpenSearchSettings) throws {
        self.storage = storage
        self.sink = sink
        name = Self.name(of: settings)
        position = try Self.keptPlace(of: name, in: storage)
    }

    /// How far the index is according to the database.
    static func keptPlace(of name: String, in storage: CrawlStorage) throws -> ChangeFeed.Place {
        try storage.read { database in
            try StoreStatement(database, "SELECT \(ChangeFeed.Place.columns) FROM consumer WHERE name = ?")
                .first(.text(name)) { ChangeFeed.Place($0) }
        } ?? ChangeFeed.Place()
    }

    /// The index's name in the database.
    static func name(of settings: OpenSearchSettings) -> String { "opensearch \(settings.index) \(settings.url.href)" }

    /// Passes changes on until `CrawlStorage.endChanges` is called, and then up to the last change.
    public func follow() async throws {
        let changes = storage.recordsChanged.stream()
        try await tryRefusedAgain()
        try await catchUp()
        for await _ in changes { try await catchUp() }
        try await catchUp()
    }

    /// Passes on all changes so far.
    func catchUp() async throws {
        while true {
            let (changes, place) = try storage.feed.changes(after: position, limit: Self.stretch)
            if changes.isEmpty {
                // The numbers that are left are of popularities that came with their records.
                if position.isWithinReading { try await deliver([], upTo: place) }
                return
            }
            // Without this, a loss of power could leave the index with a record that the storage does not have, and that
            // nobody would delete.
            try storage.feed.sync()
            try await deliver(changes, upTo: place)
        }
    }

    /// Sends the refused records again, in their present state. Those that changed since then come with the other changes.
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
                    SELECT record.sequence, refusal.identifier, state, CASE state WHEN 0 THEN document ELSE deletion END, value
                    FROM refusal LEFT JOIN record ON record.identifier = refusal.identifier
                    LEFT JOIN popularity ON popularity.record = record.id
                    WHERE consumer = ? AND refusal.identifier > ? ORDER BY refusal.identifier LIMIT ?
                    """
                ).rows(.text(name), .text(start), .integer(Int64(Self.stretch))) { row in
                    last = row.text(1)
                    guard let sequence = row.optionalInteger(0), sequence <= position.sequence else { return }
                    changes.append(ChangeFeed.change(row))
                }
                return (changes: changes, last: last)
            }
            guard let last = found.last else { return }
            if !found.changes.isEmpty { try await deliver(found.changes, upTo: position) }
            after = last
        }
    }

    /// Sends changes, waits until the index acknowledges them, and stores the position and the refused records.
    ///
    /// - Parameter place: within one stretch, the feed has a record or its popularity, not both.
    private func deliver(_ changes: [ChangeFeed.Change], upTo place: ChangeFeed.Place) async throws {
        let changes = try withoutThoseRefused(changes)
        for change in changes {
            if case .popularity(let value) = change.kind {
                try await sink.write(
                    PopularityChange(uniqueIdentifier: change.identifier, popularity: value))
            } else {
                try await sink.write(
                    recordIdentifier: change.identifier, document: change.isDeletion ? nil : change.document)
            }
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
                sql: "INSERT OR REPLACE INTO consumer(name, \(ChangeFeed.Place.columns), bytes) VALUES (?, ?, ?, ?, 0)",
                arguments: [name, place.sequence, place.after, place.until])
        }
        position = place
    }

    /// The changes without popularities of records that the index has refused: those records are tried again as a whole.
    private func withoutThoseRefused(_ changes: [ChangeFeed.Change]) throws -> [ChangeFeed.Change] {
        guard changes.contains(where: { !$0.isRecord && !$0.isDeletion }) else { return changes }
        let name = name
        return try storage.read { database in
            let refusal = try StoreStatement(database, "SELECT 1 FROM refusal WHERE consumer = ? AND identifier = ?")
            return try changes.filter { change in
                guard !change.isRecord, !change.isDeletion else { return true }
                return try refusal.first(.text(name), .text(change.identifier)) { _ in true } == nil
            }
        }
    }
}
