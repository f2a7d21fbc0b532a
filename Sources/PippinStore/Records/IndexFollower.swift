import Foundation
import GRDB
import PippinCrawl

/// Hands the changes of a job's records on to a search index while it runs. How far the index has come stands in the database
/// and moves after the index has acknowledged, so that no change is lost, however a run ends.
///
/// The feed gives each record once, as it is now, and one follower hands them on in order: what is sent again after a crash is
/// never older than what the index has.
public actor IndexFollower {
    /// Changes that are read, sent and acknowledged at a time.
    static let stretch = 500

    private let storage: CrawlStorage
    private let sink: OpenSearchSink
    private let name: String
    private var position: Int64

    /// - Parameter settings: the index's; another URL or another index is fed from the beginning.
    public init(storage: CrawlStorage, sink: OpenSearchSink, settings: OpenSearchSettings) throws {
        self.storage = storage
        self.sink = sink
        let name = "opensearch \(settings.index) \(settings.url.href)"
        self.name = name
        position =
            try storage.read { database in
                try Int64.fetchOne(database, sql: "SELECT sequence FROM consumer WHERE name = ?", arguments: [name])
            } ?? 0
    }

    /// Hands on what changes until `CrawlStorage.endChanges` is called, to the last change.
    public func follow() async throws {
        let changes = storage.recordsChanged.stream()
        try await catchUp()
        for await _ in changes { try await catchUp() }
        try await catchUp()
    }

    /// Hands on what has changed so far.
    public func catchUp() async throws {
        while true {
            let changes = try storage.feed.changes(after: position, limit: Self.stretch)
            guard let last = changes.last else { return }
            for change in changes {
                try await sink.write(
                    recordIdentifier: change.identifier, document: change.isDeletion ? nil : change.document)
            }
            try await sink.flush()
            try keep(last.sequence)
        }
    }

    private func keep(_ sequence: Int64) throws {
        position = sequence
        let name = name
        try storage.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO consumer VALUES (?, ?, 0)", arguments: [name, sequence])
        }
    }
}
