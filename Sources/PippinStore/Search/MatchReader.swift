import GRDB
import GRDBSQLite

/// Reads the documents that match, in the order of their numbers, which is that of their quality.
///
/// Its statements are prepared once for a query. It may only be used inside the access to the database that it was made in.
final class MatchReader {
    private let database: Database
    private let words: StoreStatement
    private let signals: StoreStatement
    private let pagesBefore: Int
    private var pagesOfSignals = 0

    init(_ database: Database) throws {
        self.database = database
        words = try StoreStatement(
            database,
            "SELECT rowid, places(words) FROM words WHERE words MATCH ? AND rowid >= ? ORDER BY rowid")
        signals = try StoreStatement(database, "SELECT \(SearchSignals.columns) FROM document WHERE id = ?")
        pagesBefore = Self.pages(database)
    }

    /// Reads what matches, with the places of the words, until the body returns false.
    ///
    /// FTS5 looks for the next match as far as it must, also behind a last number: so there is none. Parts of a pass, one after the
    /// other, would each take as long as its whole.
    func rows(
        of pass: SearchPlan.Pass, from number: Int64,
        _ body: (_ number: Int64, _ places: [MatchPlaces.Place]) throws -> Bool
    ) throws {
        try words.firstMatch(.text(pass.expression), .integer(number)) { row -> Void? in
            var places: [MatchPlaces.Place] = []
            row.withBlob(1) { places = MatchPlaces.read($0) }
            return try body(row.integer(0), places) ? nil : ()
        }
    }

    func signals(of number: Int64) throws -> SearchSignals? {
        let before = Self.pages(database)
        defer { pagesOfSignals += Self.pages(database) - before }
        return try signals.first(.integer(number)) { SearchSignals($0) }
    }

    /// How many pages of the index were read to find matches: the work of a query, whatever is in a cache. What was read of the
    /// documents that match does not count.
    var scannedPages: Int { Self.pages(database) - pagesBefore - pagesOfSignals }

    /// The pages that a connection has read so far, from its cache and from the file.
    private static func pages(_ database: Database) -> Int {
        [SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS].reduce(0) { sum, kind in
            var (count, highest): (Int32, Int32) = (0, 0)
            sqlite3_db_status(database.sqliteConnection, kind, &count, &highest, 0)
            return sum + Int(UInt32(bitPattern: count))
        }
    }
}
