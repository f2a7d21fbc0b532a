import Foundation
import GRDB
import Glibc

/// The changes of a storage's records in order: every upsert and deletion has a sequence number, and the feed since a
/// cursor is what changed after it, each record once, as it is now.
///
/// A consumer that stores the cursor together with what it took in has every change exactly once: the cursor is given after
/// the changes, and is on disk before it is given.
public struct ChangeFeed: Sendable {
    /// A place in the feed of one storage: `9f3c61d2a8b04e57-1042`.
    public struct Cursor: Sendable, Equatable, CustomStringConvertible {
        /// Of the storage; a cursor means nothing to another one.
        public let identity: String
        public let sequence: Int64

        public var description: String { "\(identity)-\(sequence)" }

        init(identity: String, sequence: Int64) {
            self.identity = identity
            self.sequence = sequence
        }

        public init?(_ text: String) {
            guard let dash = text.lastIndex(of: "-"), let number = Int64(text[text.index(after: dash)...]), number >= 0,
                dash != text.startIndex
            else { return nil }
            self.init(identity: String(text[..<dash]), sequence: number)
        }
    }

    public struct Change: Sendable, Equatable {
        public let sequence: Int64
        public let identifier: String
        public let isDeletion: Bool
        /// The record, or the deletion, as one JSON object.
        public let document: [UInt8]
    }

    let database: any DatabaseReader

    init(database: any DatabaseReader) {
        self.database = database
    }

    /// The feed of a storage folder that another process may be writing.
    public init(folder: URL) throws {
        database = try CrawlStorage.databaseToRead(in: folder)
    }

    /// Where the feed ends now.
    public func end() throws -> Cursor {
        try read { try Self.end(of: $0) }
    }

    /// Changes that are read at a time.
    private static let stretch = 500

    /// Reads what changed after a cursor, up to where the feed ends now.
    ///
    /// It is read in stretches: a state of the database that is held open for hours, by a consumer that is slow to take it,
    /// would keep the log from being emptied all the while. A record that changes meanwhile has a later number then, and comes
    /// the next time.
    ///
    /// - Parameters:
    ///   - cursor: nil reads from the beginning.
    ///   - limit: changes at most.
    /// - Returns: the cursor for the next time.
    @discardableResult
    public func read(since cursor: Cursor?, limit: Int = .max, _ body: (Change) throws -> Void) throws -> Cursor {
        let end = try end()
        if let cursor, cursor.identity != end.identity || cursor.sequence > end.sequence {
            throw CrawlStorage.StorageError.foreignCursor(cursor.description)
        }
        var sequence = cursor?.sequence ?? 0
        var left = limit
        while left > 0 {
            let changes = try changes(after: sequence, upTo: end.sequence, limit: min(left, Self.stretch))
            for change in changes { try body(change) }
            // What lies between the last change and the end has gone on to later numbers.
            sequence = changes.last?.sequence ?? end.sequence
            left -= changes.count
            if changes.isEmpty { break }
        }
        try sync()
        return Cursor(identity: end.identity, sequence: sequence)
    }

    /// The next changes after a sequence number.
    func changes(after sequence: Int64, upTo end: Int64 = .max, limit: Int) throws -> [Change] {
        try read { database in
            let statement = try StoreStatement(
                database,
                """
                SELECT sequence, identifier, state, CASE state WHEN 0 THEN document ELSE deletion END FROM record
                WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?
                """)
            var changes: [Change] = []
            try statement.rows(.integer(sequence), .integer(end), .integer(Int64(limit))) {
                changes.append(Self.change($0))
            }
            return changes
        }
    }

    private static func change(_ row: StoreStatement) -> Change {
        Change(
            sequence: row.integer(0), identifier: row.text(1), isDeletion: row.integer(2) != 0, document: row.blob(3))
    }

    private static func end(of database: Database) throws -> Cursor {
        try StoreStatement(database, "SELECT identity, sequence FROM store").first {
            Cursor(identity: $0.text(0), sequence: $0.integer(1))
        } ?? Cursor(identity: "", sequence: 0)
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try database.read(body)
        } catch let error as DatabaseError {
            throw CrawlStorage.StorageError(error, path: database.path)
        }
    }

    /// What was read reaches the disk, so that after a loss of power no cursor is ahead of the storage.
    func sync() throws {
        for file in [database.path + "-wal", database.path] {
            let descriptor = open(file, O_RDONLY | O_CLOEXEC)
            // Without a log everything is in the database already.
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else {
                throw CrawlStorage.StorageError.unusable(folder: file, reason: String(cString: strerror(errno)))
            }
        }
    }
}
