import Foundation
import GRDB
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// No question that a person or a consumer asks of a job, and no step of its work, reads a whole table that grows with the web.
/// The statements are those that the code runs, as SQLite sees them.
@Suite struct StoragePlansTests {
    private final class Statements: Sendable {
        private let seen = Mutex<Set<String>>([])
        func add(_ sql: String) { _ = seen.withLock { $0.insert(sql) } }
        var all: [String] { seen.withLock { $0.sorted() } }
    }

    private let job = JobUnderTest()

    /// Tables whose size has nothing to do with how many pages there are. `card` has at most twice
    /// `KeptObservation.keptDetails`.
    private static let small = [
        "card", "store", "run", "outcome", "seed", "consumer", "gap", "grdb_migrations", "sqlite_master",
    ]

    private static func follow(_ database: Database, _ statements: Statements) {
        database.trace(options: .statement) { event in
            if case .statement(let statement) = event { statements.add(statement.sql) }
        }
    }

    /// - Parameter statements: nil ends it.
    private static func follow(_ storage: CrawlStorage, _ statements: Statements?) throws {
        try storage.database.writeWithoutTransaction { database in
            if let statements { follow(database, statements) } else { database.trace() }
        }
    }

    /// What of a plan reads a whole table that is not small.
    private static func scans(of sql: String, _ database: Database) throws -> [String] {
        var lines: [String] = []
        try StoreStatement(database, "EXPLAIN QUERY PLAN " + sql).rows { lines.append($0.text(3)) }
        return lines.filter { line in
            guard line.hasPrefix("SCAN ") else { return false }
            let words = line.split(separator: " ")
            let table = words.count > 1 ? String(words[1]) : ""
            if small.contains(table) || table.hasPrefix("(") || table == "CONSTANT" { return false }
            // Whether there is any row.
            if sql.contains("EXISTS (SELECT 1 FROM \(table))") || sql.hasSuffix("FROM \(table) LIMIT 1") {
                return false
            }
            // In the order of an index, and no further than asked.
            return !(line.contains("USING") && line.contains("INDEX") && sql.contains("LIMIT"))
        }
    }

    private func check(_ statements: Statements, least: Int) throws {
        let questions = statements.all.filter { sql in
            ["SELECT", "UPDATE", "DELETE", "INSERT"].contains { sql.hasPrefix($0) }
        }
        #expect(questions.count >= least, "\(questions)")
        try StorageReader(folder: job.folder.url).read { database in
            for sql in questions {
                let scans = try Self.scans(of: sql, database)
                #expect(scans.isEmpty, "\(sql)\n\(scans.joined(separator: "\n"))")
            }
        }
    }

    /// Pages of every fate: recorded, alike, nearly alike, gone, elsewhere.
    private func crawl() async throws {
        let text = (1...80).map { "word\($0)" }.joined(separator: " ")
        job.page("https://a.test/", links: (1...6).map { "/\($0)" } + ["/moved", "/twin"])
        for number in 1...6 { job.page("https://a.test/\(number)", says: text + (number == 6 ? " six" : "")) }
        job.web["https://a.test/1"] = [
            .html("<title>t</title><meta name=apple-itunes-app content='app-id=1, app-argument=app:x'>\(text)")
        ]
        job.web["https://a.test/2"] = [
            .html("<title>t</title><meta name=apple-itunes-app content='app-id=1, app-argument=app:x'>\(text)")
        ]
        job.web["https://a.test/5"] = [.status(410)]
        job.web["https://a.test/moved"] = [.redirect(to: "/1")]
        job.web.page("https://a.test/twin", canonical: "/3")
        _ = try await job.run()
        job.web["https://a.test/6"] = [.status(410)]
        _ = try await job.run(after: .seconds(40 * 86_400))
    }

    @Test func `status, why and export find what they are asked by an index`() async throws {
        try await crawl()
        let reader = try StorageReader(folder: job.folder.url)
        let statements = Statements()
        try reader.database.inDatabase { Self.follow($0, statements) }
        _ = try StorageStatus(reader, now: job.web.time.date)
        _ = try StorageStatus(reader, now: job.web.time.date.addingTimeInterval(400 * 86_400))
        var fates: Set<String> = []
        for path in ["/", "/1", "/2", "/3", "/4", "/5", "/6", "/moved", "/twin", "/never"] {
            let url = try #require(WebURL("https://a.test" + path))
            guard let history = try reader.history(of: url) else { continue }
            switch history.record {
            case .none: fates.insert("none")
            case .listed: fates.insert("listed")
            case .keptBack(_, let other):
                fates.insert("kept back")
                #expect(other == "https://a.test/1")
            case .deleted: fates.insert("deleted")
            }
        }
        #expect(fates == ["none", "listed", "kept back", "deleted"])
        let feed = ChangeFeed(database: reader.database)
        var changes = 0
        try feed.read(since: nil) { _ in changes += 1 }
        #expect(changes > 3)
        try check(statements, least: 15)
    }

    @Test func `a run begins and ends without reading a large table`() async throws {
        try await crawl()
        let storage = try job.folder.open()
        let time = job.web.time
        try await time.run { await time.sleep(until: time.now + .seconds(80 * 86_400)) }
        let statements = Statements()
        try Self.follow(storage, statements)
        let run = try storage.begin(at: time.date)
        let frontier = try storage.frontier(
            recrawl: CrawlConfiguration.Recrawl(), limits: FrontierLimits(perHost: 10, total: 12), date: { time.date })
        _ = try await frontier.add([.page("https://a.test/")])
        _ = try await frontier.lease(limit: 5, perHost: 16)
        #expect(try await frontier.unfinishedCount() > 0)
        let seed = try #require(WebURL("https://a.test/"))
        _ = try await frontier.standing(of: [Seed(url: seed)])
        try await frontier.close(keeping: [])
        try storage.end(run, at: time.date, ending: "finished", visits: 1, records: 1)
        try storage.emptyLog()
        try Self.follow(storage, nil)
        try check(statements, least: 25)
    }

    @Test func `a visit, from its lease to its end, finds its rows by an index`() async throws {
        try await crawl()
        let storage = try job.folder.open()
        let time = job.web.time
        try await time.run { await time.sleep(until: time.now + .seconds(80 * 86_400)) }
        let frontier = try storage.frontier(
            recrawl: CrawlConfiguration.Recrawl(), limits: FrontierLimits(perHost: 10, total: 12), date: { time.date })
        let statements = Statements()
        try Self.follow(storage, statements)
        let leased = try await frontier.lease(limit: 5, perHost: 16)
        #expect(leased.count > 1)
        for request in leased {
            var visit = FinishedVisit.of(
                request, changes: [.upsert(RecordDocument(.of(request.key.string, says: "new")))])
            visit.recordIdentifier = request.key.string
            visit.discovered = [.page("https://a.test/new"), .page("https://a.test/1")]
            _ = try await frontier.finish(visit)
        }
        try await frontier.release(frontier.lease(limit: 1, perHost: 16))
        _ = try await frontier.clocks(of: ["a.test"])
        _ = try await frontier.rules(of: "a.test")
        _ = try await frontier.rules(of: "a.test", origin: "https://a.test")
        // More than is kept, and what pushes it out.
        for host in ["c", "d"] {
            for depth in [9, 3] {
                let links = (0..<20).map { CrawlRequest.page("https://\(host).test/\(depth)-\($0)", depth: depth) }
                #expect(try await frontier.add(links).dropped.count > 0)
            }
        }
        try await frontier.suspend(hosts: ["a.test"], until: time.date)
        try await frontier.showHosts()
        try await frontier.close(keeping: [])
        try Self.follow(storage, nil)
        let reader = try StorageReader(folder: job.folder.url)
        try reader.database.inDatabase { Self.follow($0, statements) }
        #expect(try StorageStatus(reader, now: time.date).dropping.count == 2)
        let droppedURL = try #require(WebURL("https://c.test/9-19"))
        #expect(try reader.dropped(of: droppedURL) > 0)
        try check(statements, least: 20)
    }

    /// The loops of a plan that read a table once for each row of another.
    private static func nestedScans(of sql: String, _ database: Database) throws -> [String] {
        var scans: [Int64: [String]] = [:]
        try StoreStatement(database, "EXPLAIN QUERY PLAN " + sql).rows { line in
            let step = line.text(3)
            let table = step.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            guard step.hasPrefix("SCAN "), table != "CONSTANT", !small.contains(table) else { return }
            scans[line.integer(1), default: []].append(step)
        }
        return scans.values.filter { $0.count > 1 }.flatMap(\.self)
    }

    private static func expectNoNestedScans(_ statements: Statements, _ database: Database) throws {
        for sql in statements.all where ["SELECT", "UPDATE", "DELETE", "INSERT"].contains(where: sql.hasPrefix) {
            let scans = try nestedScans(of: sql, database)
            #expect(scans.isEmpty, "\(sql)\n\(scans.joined(separator: "\n"))")
        }
    }

    @Test func `upkeep reads a table once, not once for each row of another`() async throws {
        try await crawl()
        let storage = try job.folder.open()
        let work = Statements()
        try Self.follow(storage, work)
        try await storage.database.write { database in
            try KeptCounts.fix(database)
            _ = try KeptCounts.differences(database)
        }
        let time = job.web.time
        let frontier = try storage.frontier(
            recrawl: CrawlConfiguration.Recrawl(), limits: FrontierLimits(perHost: 10, total: 12),
            date: { time.date.addingTimeInterval(200 * 86_400) })
        _ = try await frontier.forget(.host("b.test"))
        try await frontier.close(keeping: [])
        try Self.follow(storage, nil)
        #expect(work.all.count > 10)
        try await storage.database.writeWithoutTransaction { try Self.expectNoNestedScans(work, $0) }
        let check = try StorageCheck(folder: job.folder.url, isFull: true)
        let questions = Statements()
        try check.reader.database.inDatabase { Self.follow($0, questions) }
        try check.run(archive: nil) { _ in }
        #expect(questions.all.count > 10)
        try check.reader.database.inDatabase { database in
            database.trace()
            try Self.expectNoNestedScans(questions, database)
        }
    }
}
