import GRDB

/// The rows of queries as text.
enum GRDBContents {
    static func rows(of path: String, _ queries: [String]) throws -> [String] {
        let database = try DatabaseQueue(path: path)
        return try database.read { database in
            try queries.flatMap { query in try Row.fetchAll(database, sql: query).map { "\($0)" } }
        }
    }
}
