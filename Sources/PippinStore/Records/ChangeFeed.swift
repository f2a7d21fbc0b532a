import Foundation
import GRDB
import GRDBSQLite
import PippinPage

/// The changes of a storage's records, in order. Every upsert, deletion and change of a popularity has a sequence number. Reading the feed
/// from a cursor gives each record that changed after it once, in its present state; of a record of which only the popularity changed, that.
///
/// A consumer that stores the cursor together with the changes receives every change exactly once: a cursor is given after
/// its changes, and only when they are on disk.
public struct ChangeFeed: Sendable {
    /// How far a consumer has read.
    ///
    /// A record is read with its popularity, which may have a later number. So that it is not told again where a reading goes on that has
    /// not reached the end, the place says where that reading began, and where the feed ended then. One that changes before that reading has
    /// ended may come twice.
    struct Place: Sendable, Equatable {
        /// The number of the last change that was read.
        var sequence: Int64
        /// Where the reading began.
        var after: Int64
        /// Where the feed ended when it began. Up to here, records that were read since `after` had their popularity.
        var until: Int64

        /// A place at which no reading is under way.
        init(_ sequence: Int64 = 0) { (self.sequence, after, until) = (sequence, sequence, sequence) }

        init(_ sequence: Int64, after: Int64, until: Int64) {
            (self.sequence, self.after, self.until) = (sequence, after, until)
        }

        /// Its columns in `consumer`.
        static let columns = "sequence, after, until"

        /// - Parameter row: begins with `columns`.
        init(_ row: StoreStatement) {
            let sequence = row.integer(0)
            self.init(
                sequence, after: row.optionalInteger(1) ?? sequence, until: row.optionalInteger(2) ?? sequence)
        }

        var isWithinReading: Bool { sequence < until }
        /// The greatest number whose change the consumer may have.
        var greatest: Int64 { max(sequence, until) }

        /// Begins a reading if none is under way.
        mutating func begin(end: Int64) {
            if !isWithinReading { (after, until) = (sequence, end) }
        }
    }

    /// A place in the feed of one storage: `9f3c61d2a8b04e57-1042`; within a reading that has a limit, `9f3c61d2a8b04e57-1042-0-2100`.
    public struct Cursor: Sendable, Equatable, CustomStringConvertible {
        /// The storage that gave the cursor. Other storages do not accept it.
        public let identity: String
        let place: Place
        /// The number of the last change that was read.
        public var sequence: Int64 { place.sequence }
        /// Whether the reading that gave it has come to the end that the feed had when it began.
        public var isAtEnd: Bool { !place.isWithinReading }

        public var description: String {
            "\(identity)-\(sequence)" + (place.isWithinReading ? "-\(place.after)-\(place.until)" : "")
        }

        init(identity: String, sequence: Int64) { self.init(identity: identity, place: Place(sequence)) }

        init(identity: String, place: Place) { (self.identity, self.place) = (identity, place) }

        /// Reads a cursor from its text; nil if it has another form.
        public init?(_ text: String) {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            let numbers = parts.dropFirst().compactMap { Int64($0) }.filter { $0 >= 0 }
            guard let identity = parts.first, !identity.isEmpty, numbers.count == parts.count - 1 else { return nil }
            switch numbers.count {
            case 1: self.init(identity: String(identity), sequence: numbers[0])
            case 3 where numbers[1] <= numbers[0] && numbers[0] < numbers[2]:
                self.init(
                    identity: String(identity), place: Place(numbers[0], after: numbers[1], until: numbers[2]))
            default: return nil
            }
        }
    }

    /// The latest change of one record.
    public struct Change: Sendable, Equatable {
        public enum Kind: Sendable, Equatable {
            /// The whole record.
            case record
            case deletion
            /// The record has another popularity, and is otherwise as the consumer has it.
            case popularity(Double)
        }

        /// The number of the change.
        public let sequence: Int64
        /// The record's unique identifier.
        public let identifier: String
        public let kind: Kind
        /// The record, its deletion, or the change of its popularity, as one JSON object.
        public let document: [UInt8]

        public var isDeletion: Bool { kind == .deletion }
        public var isRecord: Bool { kind == .record }
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

    /// How many changes come after a place, counted up to a limit. Numbers themselves have gaps, after a restoration large ones.
    static func count(after place: Place, limit: Int, _ database: Database) throws -> Int {
        let records =
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM (SELECT 1 FROM record WHERE sequence > ? LIMIT ?)",
                arguments: [place.sequence, limit]) ?? 0
        guard records < limit else { return records }
        var place = place
        place.begin(end: try end(of: database).sequence)
        let popularities =
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM (SELECT 1 \(changesOfPopularity) LIMIT ?5)",
                arguments: [place.sequence, Int64.max, place.after, place.until, limit - records]) ?? 0
        return records + popularities
    }

    func count(after place: Place) throws -> Int { try read { try Self.count(after: place, limit: .max, $0) } }

    /// How many changes are read at a time.
    private static let stretch = 500
    /// The same if their bytes are limited, too.
    private static let shortStretch = 20

    /// Reads what changed after a cursor, up to the present end of the feed.
    ///
    /// It reads in stretches. A slow consumer could otherwise keep one state of the database open for hours, and the log
    /// could not be emptied during that time. A record that changes meanwhile gets a later number, and is read the next time.
    ///
    /// - Parameters:
    ///   - cursor: where to begin; nil begins at the first change.
    ///   - limit: the most changes to read.
    ///   - maximumBytes: the most bytes of documents to read; one change comes anyway.
    ///   - areWhole: whether a record of which only the popularity changed comes as a whole.
    /// - Returns: the cursor for the next time.
    /// - Throws: `StorageError.foreignCursor` if the cursor is from another storage.
    @discardableResult
    public func read(
        since cursor: Cursor?, limit: Int = .max, maximumBytes: Int = .max, areWhole: Bool = false,
        _ body: (Change) throws -> Void
    ) throws -> Cursor {
        let end = try read { database in
            if let cursor { try Self.check(cursor, database) }
            return try Self.end(of: database)
        }
        var place = cursor?.place ?? Place()
        var left = limit
        var (bytes, isFull) = (0, false)
        let stretch = maximumBytes == .max ? Self.stretch : Self.shortStretch
        while left > 0, !isFull {
            let found = try changes(
                after: place, upTo: end.sequence, limit: min(left, stretch), areWhole: areWhole)
            for change in found.changes {
                isFull = bytes > 0 && change.document.count > maximumBytes - bytes
                if isFull { break }
                bytes += change.document.count
                try body(change)
                // What comes after it in this stretch may be for the next time.
                place = found.place
                place.sequence = change.sequence
                left -= 1
            }
            if !isFull { place = found.place }
            if found.changes.isEmpty { break }
        }
        if left == 0, place.isWithinReading {
            // If only popularities are left that came with their records, this is the end.
            let rest = try changes(after: place, upTo: end.sequence, limit: 1)
            if rest.changes.isEmpty { place = rest.place }
        }
        try sync()
        return Cursor(identity: end.identity, place: place)
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

    /// Changes of the popularity alone, after a place: ?1 its number, ?2 the last number, ?3 and ?4 where its reading began and ends.
    ///
    /// A record that changed after the place, or that was read since its reading began, is read with its popularity.
    static let changesOfPopularity = """
        FROM popularity JOIN record ON record.id = popularity.record AND record.state = 0
        WHERE popularity.sequence > ?1 AND popularity.sequence <= ?2 AND record.sequence <= ?1
            AND (record.sequence <= ?3 OR popularity.sequence > ?4)
        """

    /// The next changes after a place, at most `limit`.
    ///
    /// - Returns: the place after them too. If there are none, it is at the end.
    func changes(
        after place: Place, upTo last: Int64 = .max, limit: Int, areWhole: Bool = false
    ) throws -> (changes: [Change], place: Place) {
        try read { database in
            let end = min(last, try Self.end(of: database).sequence)
            var place = place
            place.begin(end: end)
            var changes: [Change] = []
            try StoreStatement(
                database,
                """
                SELECT record.sequence, identifier, state, CASE state WHEN 0 THEN document ELSE deletion END, value
                FROM record LEFT JOIN popularity ON popularity.record = record.id
                WHERE record.sequence > ? AND record.sequence <= ? ORDER BY record.sequence LIMIT ?
                """
            ).rows(.integer(place.sequence), .integer(end), .integer(Int64(limit))) {
                changes.append(Self.change($0))
            }
            // Up to the last of these only, so that each row of the other table is looked at once.
            let bound = changes.count < limit ? end : changes.last?.sequence ?? end
            try StoreStatement(
                database,
                """
                SELECT popularity.sequence, identifier, state, \(areWhole ? "document" : "NULL"), value
                \(Self.changesOfPopularity) ORDER BY popularity.sequence LIMIT ?5
                """
            ).rows(
                .integer(place.sequence), .integer(bound), .integer(place.after), .integer(place.until),
                .integer(Int64(limit))
            ) { changes.append(areWhole ? Self.change($0) : Self.changeOfPopularity($0)) }
            changes.sort { $0.sequence < $1.sequence }
            changes.removeLast(max(0, changes.count - limit))
            // What has a number between the last change and the end has changed again, and has a later number now.
            place.sequence = changes.last?.sequence ?? max(place.sequence, end)
            return (changes, place)
        }
    }

    /// Records as they are now. Those that are gone are left out.
    func records(_ identifiers: [String]) throws -> [Change] {
        try read { database in
            let statement = try StoreStatement(
                database,
                """
                SELECT record.sequence, identifier, state, document, value
                FROM record LEFT JOIN popularity ON popularity.record = record.id WHERE identifier = ? AND state = 0
                """)
            return try identifiers.compactMap { try statement.first(.text($0)) { Self.change($0) } }
        }
    }

    /// The main texts of changed records, by their identifiers, as far as the storage keeps them (`PageTextTable`).
    func texts(of changes: [Change]) throws -> [String: SearchedText] {
        try read { database in
            let statement = try PageTextTable.reading(database)
            var texts: [String: SearchedText] = [:]
            for change in changes where change.isRecord {
                texts[change.identifier] = try statement.first(.text(change.identifier)) {
                    SearchedText(kept: $0.text(0))
                }
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
            sequence: row.integer(0), identifier: row.text(1), kind: isDeletion ? .deletion : .record,
            document: document)
    }

    /// - Parameter row: as `change` takes it. Its document is not read.
    private static func changeOfPopularity(_ row: StoreStatement) -> Change {
        let (identifier, value) = (row.text(1), Double(row.integer(4)) / Double(Popularity.steps))
        var document: [UInt8] = []
        PopularityChange(uniqueIdentifier: identifier, popularity: value).appendJSON(to: &document)
        return Change(
            sequence: row.integer(0), identifier: identifier, kind: .popularity(value), document: document)
    }

    /// - Throws: `StorageError.foreignCursor` if this storage has not given the cursor, or `lostCursor` if it did so before it was
    ///   restored from a backup that is older.
    static func check(_ cursor: Cursor, _ database: Database) throws {
        let end = try end(of: database)
        guard cursor.identity == end.identity else { throw StorageError.foreignCursor(cursor.description) }
        let isLost = try StoreStatement(
            database, "SELECT 1 FROM gap WHERE after < ?1 AND coalesce(until, ?1 + 1) > ?1"
        ).first(.integer(cursor.place.greatest)) { _ in true }
        if isLost == true { throw StorageError.lostCursor(cursor.description) }
        guard cursor.place.greatest <= end.sequence else { throw StorageError.foreignCursor(cursor.description) }
    }

    /// The last number that anything in the storage has or leaves out, whatever its counter says.
    static func lastNumber(of database: Database) throws -> Int64 {
        try Int64.fetchOne(
            database,
            sql: """
                SELECT max(number) FROM (
                    SELECT max(sequence) AS number FROM record UNION ALL SELECT max(sequence) FROM popularity
                    UNION ALL SELECT max(sequence) FROM outbox
                    UNION ALL SELECT max(sequence) FROM toldLinks UNION ALL SELECT max(sequence) FROM toldHost
                    UNION ALL SELECT max(until) FROM gap UNION ALL SELECT max(sequence) FROM consumer
                    UNION ALL SELECT max(until) FROM consumer)
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
