import GRDB

/// Visited pages to which a nearer way was found, and whose links, or whose record, do not have it yet.
///
/// A nearer way to one page may be a nearer way to a whole site. So it is passed on page by page, some in each transaction; what is left
/// waits in the database, where no kill loses it. It ends, because each way is nearer than the one before (`CrawlWay.isNearer`).
final class NearerPages {
    /// False when nothing waits for sure.
    private(set) var mayWait: Bool
    private let insertion: StoreStatement
    private let first: StoreStatement
    private let removal: StoreStatement

    init(_ database: Database) throws {
        mayWait = try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM nearer)") ?? false
        insertion = try StoreStatement(database, "INSERT OR IGNORE INTO nearer VALUES (?)")
        first = try StoreStatement(database, "SELECT page FROM nearer ORDER BY page LIMIT 1")
        removal = try StoreStatement(database, "DELETE FROM nearer WHERE page = ?")
    }

    func add(_ page: Int64) throws {
        try insertion.run(.integer(page))
        mayWait = true
    }

    /// Removes and returns a page; nil if none waits.
    func take() throws -> Int64? {
        guard mayWait else { return nil }
        guard let page = try first.first(body: { $0.integer(0) }) else {
            mayWait = false
            return nil
        }
        try removal.run(.integer(page))
        return page
    }
}
