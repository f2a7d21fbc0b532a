import GRDB
import Testing

@testable import PippinStore

/// How SQLite finds what is asked of it: a look at all URLs for each host would never end on a large job.
@Suite struct QueryPlanTests {
    private let folder = StorageFolder()

    private func plan(_ sql: String) throws -> String {
        try folder.open().read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + sql, arguments: [1, 1]).map {
                $0["detail"] as String
            }.joined(separator: "\n")
        }
    }

    @Test func `only the connection that writes has a large cache`() throws {
        let storage = try folder.open()
        #expect(try storage.read { try Int.fetchOne($0, sql: "PRAGMA cache_size") } == -8_000)
        #expect(try storage.write { try Int.fetchOne($0, sql: "PRAGMA cache_size") } == -96_000)
        #expect(try StorageReader(folder: folder.url).read { try Int.fetchOne($0, sql: "PRAGMA cache_size") } == -8_000)
    }

    @Test func `what is due of a host is counted in the index`() throws {
        #expect(try plan(URLTable.countOfDue).contains("SEARCH url USING COVERING INDEX urlRank (<expr>=? AND rank<?)"))
    }

    @Test func `what is planned anew is read in the order of its numbers`() throws {
        let plan = try folder.open().read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + NewPlan.query, arguments: [1, 1, 1, 1]).map {
                $0["detail"] as String
            }.joined(separator: "\n")
        }
        #expect(plan == "SEARCH url USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
    }
}
