import Foundation
import GRDB
import GRDBSQLite
import PippinPage

/// The changes of a storage's records, in order. Every upsert and deletion has a sequence number. Reading the feed from a
/// cursor gives each record that changed after it once, in its present state.
///
/// A consumer that stores the cursor together with the changes receives every change exactly once: a cursor is given after
/// its changes, and only when they are on disk.
public struct ChangeFeed: Sendable {
    /// A place in the feed of one storage: `9f3c61d2a8b04e57-1042`.
    public struct Cursor: Sendable, Equatable, CustomStringConvertible {
        /// The storage that gave the cursor. Other storages do not accept it.
        public let identity: String
        /// The number of the last change that was read.
        public let sequence: Int64

        public var description: String { "\(identity)-\(sequence)" }

        init(identity: String, sequence: Int64) {
            self.identity = identity
            self.sequence = sequence
        }

        /// Reads a cursor from its text; nil if it has another form.
        public init?(_ text: String) {
            guard let dash = text.lastIndex(of: "-"), let number = Int64(text[text.index(after: dash)...]), number >= 0,
                dash != text.startIndex
            else { return nil }
            self.init(identity: String(text[..<dash]), sequence: number)
        }
    }

    public struct Change: Sendable, Equatable {
        /// The number of the change.
        public let sequence: Int64
        /// The record's unique identifier.
        public let identifier: String
        /// The latest change of one record.
        public let isDeletion: Bool
        /// The record, or its deletion, as one JSON object.
        public let document: [UInt8]
    }

    let database: any DatabaseReader

    init(database: any DatabaseReader) {
        self.database = database
    }

    /// Opens the feed of a storage folder, which another process may be writing.
    ///
    /// - Throws: `StorageError` if the folder cannot be read.
    public init(folder: URL) throws {
        database = try StorageDatabase.toRead(in: folder)
    }

    /// A cursor at the present end of the feed.
    public func end() throws -> Cursor {
        try read { try Self.end(of: $0) }
    }

    /// How many changes come after a number, counted up to a limit. Numbers themselves have gaps, after a restoration large ones.
    static func count(after sequence: Int64, limit: Int, _ database: Database) throws -> Int {
        try Int.fetchOne(
            database, sql: "SELECT count(*) FROM (SELECT 1 FROM record WHERE sequence > ? LIMIT ?)",
            arguments: [sequence, limit]) ?? 0
    }

    func count(after sequence: Int64) throws -> Int { try read { try Self.count(after: sequence, limit: .max, $0) } }

    /// How many changes are read at a time.
    private static let stretch = 500

    /// Reads what changed after a cursor, up to the present end of the feed.
    ///
    /// It reads in stretches. A slow consumer could otherwise keep one state of the database open for hours, and the log
    /// could not be emptied during that time. A record that changes meanwhile gets a later number, and is read the next time.
    ///
    /// - Parameters:
    ///   - cursor: where to begin; nil begins at the first change.
    ///   - limit: the most changes to read.
    /// - Returns: the cursor for the next time.
    /// - Throws: `StorageError.foreignCursor` if the cursor is from another storage.
    @discardableResult
    public func read(since cursor: Cursor?, limit: Int = .max, _ body: (Change) throws -> Void) throws -> Cursor {
        let end = try read { database in
            if let cursor { try Self.check(cursor, database) }
            return try Self.end(of: database)
        }
        var sequence = cursor?.sequence ?? 0
        var left = limit
        while left > 0 {
            let changes = try changes(after: sequence, upTo: end.sequence, limit: min(left, Self.stretch))
            for change in changes { try body(change) }
            // Records between the last change and the end have changed again, and have later numbers now.
            sequence = changes.last?.sequence ?? end.sequence
            left -= changes.count
            if changes.isEmpty { break }
        }
        try sync()
        return Cursor(identity: end.identity, sequence: sequence)
    }

    /// Whether the storage has given a cursor, and has what came before it.
    func gave(_ cursor: Cursor) throws -> Bool {
        do {
            try read { try Self.check(cursor, $0) }
            return true
        } catch StorageError.foreignCursor, StorageError.lostCursor {
            return false
        }
    }

    /// The next changes after a sequence number, at most `limit`.
    func changes(after sequence: Int64, upTo end: Int64 = .max, limit: Int) throws -> [Change] {
        try read { database in
            let statement = try StoreStatement(
                database,
                """
                SELECT sequence, identifier, state, CASE state WHEN 0 THEN document ELSE deletion END, value
                FROM record LEFT JOIN popularity ON popularity.record = record.id
                WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?
                """)
            var changes: [Change] = []
            try statement.rows(.integer(sequence), .integer(end), .integer(Int64(limit))) {
                changes.append(Self.change($0))
            }
            return changes
        }
    }

    /// The main texts of changed records, by their identifiers, as far as the storage keeps them (`PageTextTable`).
    func texts(of changes: [Change]) throws -> [String: String] {
        try read { database in
            let statement = try StoreStatement(
                database,
                "SELECT text FROM pageText WHERE record = (SELECT id FROM record WHERE identifier = ? AND state = 0)")
            var texts: [String: String] = [:]
            for change in changes where !change.isDeletion {
                texts[change.identifier] = try statement.first(.text(change.identifier)) { $0.text(0) }
            }
            return texts
        }
    }

    /// - Parameter row: sequence, identifier, state, record or deletion, popularity.
    static func change(_ row: StoreStatement) -> Change {
        let isDeletion = row.integer(2) != 0
        var document = row.blob(3)
        if !isDeletion, let value = row.optionalInteger(4) {
            document = DeepLinkRecord.document(
                document, linkPopularity: Double(value) / Double(Popularity.steps))
        }
        return Change(
            sequence: row.integer(0), identifier: row.text(1), isDeletion: isDeletion, document: document)
    }

    /// - Throws: `StorageError.foreignCursor` if this storage has not given the cursor, or `lostCursor` if it did so before it was
    ///   restored from a backup that is older.
    static func check(_ cursor: Cursor, _ database: Database) throws {
        let end = try end(of: database)
        guard cursor.identity == end.identity else { throw StorageError.foreignCursor(cursor.description) }
        let isLost = try StoreStatement(
            database, "SELECT 1 FROM gap WHERE after < ?1 AND coalesce(until, ?1 + 1) > ?1"
        ).first(.integer(cursor.sequence)) { _ in true }
        if isLost == true { throw StorageError.lostCursor(cursor.description) }
        guard cursor.sequence <= end.sequence else { throw StorageError.foreignCursor(cursor.description) }
    }

    /// The last number that anything in the storage has or leaves out, whatever its counter says.
    static func lastNumber(of database: Database) throws -> Int64 {
        try Int64.fetchOne(
            database,
            sql: """
                SELECT max(number) FROM (
                    SELECT max(sequence) AS number FROM record UNION ALL SELECT max(sequence) FROM outbox
                    UNION ALL SELECT max(sequence) FROM toldLinks UNION ALL SELECT max(sequence) FROM toldHost
                    UNION ALL SELECT max(until) FROM gap UNION ALL SELECT max(sequence) FROM consumer)
                """) ?? 0
    }

    static func end(of database: Database) throws -> Cursor {
        try StoreStatement(database, "SELECT identity, sequence FROM store").first {
            Cursor(identity: $0.text(0), sequence: $0.integer(1))
        } ?? Cursor(identity: "", sequence: 0)
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try database.read(body)
        } catch let error as DatabaseError {
            throw StorageError(error, path: database.path)
        }
    }

    /// Syncs what was read to the disk, so that no cursor is ahead of the storage after a loss of power.
    ///
    /// SQLite syncs its own open files. A file that this class opened would take the process's locks on the database with it
    /// when it is closed (fcntl(2)); another process could then empty the log under this one.
    func sync() throws {
        try read { database in
            // A connection opens the log with its first statement.
            _ = try Self.end(of: database)
            for file in [SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER] {
                try Self.sync(file, of: database)
            }
        }
    }

    /// - Parameter file: which of the connection's files, a code of `sqlite3_file_control`.
    private static func sync(_ file: Int32, of database: Database) throws {
        var opened: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(database.sqliteConnection, "main", file, &opened)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        // Without a log, everything is in the database's file.
        guard let opened, let methods = opened.pointee.pMethods else { return }
        let synced = methods.pointee.xSync(opened, SQLITE_SYNC_NORMAL)
        guard synced == SQLITE_OK else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: synced), message: String(cString: sqlite3_errstr(synced)))
        }
    }
}
