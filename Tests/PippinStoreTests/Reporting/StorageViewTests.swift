import GRDB
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// What operators see who open the database, as Docs/Operations.md describes it.
@Suite struct StorageViewTests {
    private let job = JobUnderTest()

    @Test func `the views say what status and why say`() async throws {
        job.page("https://a.test/", links: ["/1", "/gone"])
        job.page("https://a.test/1", says: "one")
        job.web["https://a.test/gone"] = [.status(410)]
        _ = try await job.run()
        let reader = try StorageReader(folder: job.folder.url)
        let rows = try reader.read { try Row.fetchAll($0, sql: "SELECT * FROM url_view") }
        #expect(rows.count == 3)
        for row in rows {
            func text(_ column: String) -> String? { row[column] }
            let url = try #require(text("url").flatMap { WebURL($0) })
            let history = try #require(try reader.history(of: url, now: job.web.time.date), "\(url.href)")
            #expect(history.key == url.href && history.host.name == text("host"))
            #expect(text("kind") == (history.isPage ? "page" : "sitemap") && text("state") == history.state.rawValue)
            #expect(text("outcome") == history.visits.last?.outcome && text("seed") == history.seed?.url.href)
            #expect(row["visits"] as Int == history.visitCount && text("detail") == history.detail)
            #expect((text("next_visit") == nil) == (history.nextVisit == nil))
            if case .listed(let identifier, _) = history.record { #expect(text("record") == identifier) }
        }
        let hosts = try reader.read { try Row.fetchAll($0, sql: "SELECT * FROM host_view") }
        #expect(hosts.map { $0["host"] as String }.contains("a.test"))
        #expect(hosts.allSatisfy { ($0["last_request"] as String?)?.utf8.count == "2026-11-22 21:04:47".utf8.count })
    }

    @Test func `of a host that is named only its own URLs are read`() throws {
        let plan = try job.folder.open().read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN SELECT * FROM url_view WHERE host = 'a.test'").map {
                $0["detail"] as String
            }
        }
        #expect(!plan.contains { $0.hasPrefix("SCAN url") || $0.hasPrefix("SCAN host") }, "\(plan)")
    }
}
