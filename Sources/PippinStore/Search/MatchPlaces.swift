import GRDB
import GRDBSQLite

/// Gives the places of a match to SQL: `places(words)` is a blob with six bytes for each place: phrase of the query, column,
/// position in the column.
///
/// FTS5 has them at hand when it has found a row. Its own ranking function, bm25(), cannot weigh forms of words.
enum MatchPlaces {
    struct Place {
        let phrase: Int
        let column: Int
        let position: Int
    }

    /// More places of one row are not read: a text that repeats a word thousands of times gains nothing by it.
    private static let maximumPlaces: Int32 = 400
    static let bytesPerPlace = 6

    static func register(on database: Database) throws {
        guard let connection = database.sqliteConnection else { return }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nil) == SQLITE_OK else {
            throw DatabaseError(message: "this SQLite has no FTS5")
        }
        defer { sqlite3_finalize(statement) }
        var found: UnsafeMutablePointer<fts5_api>?
        let code = "fts5_api_ptr".withCString { kind in
            withUnsafeMutablePointer(to: &found) { pointer in
                sqlite3_bind_pointer(statement, 1, pointer, kind, nil)
                return sqlite3_step(statement)
            }
        }
        guard code == SQLITE_ROW, let found else { throw DatabaseError(message: "this SQLite has no FTS5") }
        guard found.pointee.xCreateFunction(found, "places", nil, places, nil) == SQLITE_OK else {
            throw DatabaseError(message: "FTS5 refuses the function places")
        }
    }

    private static let places: fts5_extension_function = { api, cursor, context, _, _ in
        guard let api, let instanceCount = api.pointee.xInstCount, let instance = api.pointee.xInst else {
            return sqlite3_result_null(context)
        }
        var count: Int32 = 0
        var code = instanceCount(cursor, &count)
        count = min(count, MatchPlaces.maximumPlaces)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(count) * MatchPlaces.bytesPerPlace)
        var index: Int32 = 0
        while code == SQLITE_OK, index < count {
            var (phrase, column, position): (Int32, Int32, Int32) = (0, 0, 0)
            code = instance(cursor, index, &phrase, &column, &position)
            bytes.append(UInt8(truncatingIfNeeded: phrase))
            bytes.append(UInt8(truncatingIfNeeded: phrase >> 8))
            bytes.append(UInt8(truncatingIfNeeded: column))
            bytes.append(UInt8(truncatingIfNeeded: position))
            bytes.append(UInt8(truncatingIfNeeded: position >> 8))
            bytes.append(UInt8(truncatingIfNeeded: position >> 16))
            index += 1
        }
        guard code == SQLITE_OK else { return sqlite3_result_error_code(context, code) }
        // SQLITE_TRANSIENT: SQLite copies the bytes.
        sqlite3_result_blob(
            context, bytes, Int32(bytes.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }

    static func read(_ bytes: UnsafeRawBufferPointer) -> [Place] {
        var places: [Place] = []
        places.reserveCapacity(bytes.count / bytesPerPlace)
        var index = 0
        while index + bytesPerPlace <= bytes.count {
            places.append(
                Place(
                    phrase: Int(bytes[index]) | Int(bytes[index + 1]) << 8, column: Int(bytes[index + 2]),
                    position: Int(bytes[index + 3]) | Int(bytes[index + 4]) << 8 | Int(bytes[index + 5]) << 16))
            index += bytesPerPlace
        }
        return places
    }
}
