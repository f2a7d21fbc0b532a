import GRDB

/// The main texts of records' pages. They are kept only for the search index: no consumer of records gets them.
final class PageTextTable {
    private let replacement: StoreStatement
    private let removal: StoreStatement

    init(_ database: Database) throws {
        replacement = try StoreStatement(database, "INSERT OR REPLACE INTO pageText(record, text) VALUES (?, ?)")
        removal = try StoreStatement(database, "DELETE FROM pageText WHERE record = ?")
    }

    /// Keeps a text in place of an earlier one; nil removes that.
    func set(_ text: String?, of record: Int64) throws {
        if let text {
            try replacement.run(.integer(record), .text(text))
        } else {
            try removal.run(.integer(record))
        }
    }
}
