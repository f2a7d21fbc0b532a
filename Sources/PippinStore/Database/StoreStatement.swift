import GRDB
import GRDBSQLite

/// A value to be bound to a statement.
enum StoreValue {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    static func optional(_ value: Int64?) -> StoreValue { value.map { .integer($0) } ?? .null }
    static func optional(_ value: String?) -> StoreValue { value.map { .text($0) } ?? .null }
}

/// A prepared statement that is bound and stepped without boxing values. The frontier runs about thirty for each visit.
///
/// It may only be used inside an access to the database that it was made in.
final class StoreStatement {
    private let statement: Statement
    private let pointer: OpaquePointer
    // Makes SQLite copy the bound bytes (`SQLITE_TRANSIENT`, a macro that Swift cannot import).
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ database: Database, _ sql: String) throws {
        statement = try database.makeStatement(sql: sql)
        pointer = statement.sqliteStatement
    }

    /// Runs a statement that returns no rows.
    func run(_ values: StoreValue...) throws { try run(values) }

    func run(_ values: [StoreValue]) throws {
        try bind(values)
        defer { sqlite3_reset(pointer) }
        _ = try step()
    }

    /// Calls `body` for each row in turn. The body must not run this statement again.
    func rows(_ values: StoreValue..., body: (StoreStatement) throws -> Void) throws {
        try bind(values)
        defer { sqlite3_reset(pointer) }
        while try step() { try body(self) }
    }

    /// Returns the body's value for the first row; nil without a row.
    func first<Value>(_ values: StoreValue..., body: (StoreStatement) throws -> Value) throws -> Value? {
        try bind(values)
        defer { sqlite3_reset(pointer) }
        return try step() ? body(self) : nil
    }

    /// Calls `body` for each row until it returns a value; nil if it never does.
    func firstMatch<Value>(_ values: StoreValue..., body: (StoreStatement) throws -> Value?) throws -> Value? {
        try bind(values)
        defer { sqlite3_reset(pointer) }
        while try step() {
            if let value = try body(self) { return value }
        }
        return nil
    }

    // MARK: Columns of the current row, from 0

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }
    func isBlob(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_BLOB }
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }
    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(pointer, column) else { return "" }
        return String(
            decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column))),
            as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(pointer, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column))))
    }

    /// Calls `body` with the column's bytes, which are valid only meanwhile.
    func withBlob(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        let bytes = sqlite3_column_blob(pointer, column)
        try body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column))))
    }

    /// Compares the column's text with `text`, without making a string of it.
    func text(_ column: Int32, is text: String) -> Bool {
        guard let bytes = sqlite3_column_text(pointer, column) else { return false }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return text.utf8.count == count && text.utf8.elementsEqual(UnsafeBufferPointer(start: bytes, count: count))
    }

    // MARK: Stepping

    private func bind(_ values: [StoreValue]) throws {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            let code: Int32
            switch value {
            case .null: code = sqlite3_bind_null(pointer, place)
            case .integer(let number): code = sqlite3_bind_int64(pointer, place, number)
            case .text(let text):
                code = sqlite3_bind_text(pointer, place, text, Int32(clamping: text.utf8.count), Self.copied)
            case .blob(let bytes):
                code =
                    bytes.isEmpty
                    ? sqlite3_bind_zeroblob(pointer, place, 0)
                    : sqlite3_bind_blob(pointer, place, bytes, Int32(clamping: bytes.count), Self.copied)
            }
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    private func step() throws -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    private func failure(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: sqlite3_db_handle(pointer).flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) })
    }
}
