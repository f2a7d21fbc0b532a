import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// URLs that are gone for long are forgotten, over the runs of a job, and nothing else is.
@Suite struct ForgottenURLsTests {
    private let job = JobUnderTest()
    private static let month = Duration.seconds(31 * 86_400)

    private func configure(_ configuration: inout CrawlConfiguration) {
        configuration.scope.follow = .any
        configuration.fetch.retries = 0
    }

    private func run(after wait: Duration = month, seeds: [String] = ["https://a.test/"]) async throws
        -> [String]
    {
        try await job.run(after: wait, seeds: seeds, configure: configure).changes
    }

    private func isKnown(_ url: String) throws -> Bool { try job.folder.history(of: url) != nil }

    private func names() throws -> [String] {
        try job.folder.open().read {
            try String.fetchAll($0, sql: "SELECT name FROM host ORDER BY name")
        }
    }

    /// Counts that `store` and `host` keep, and those that counting finds.
    private func expectTrueCounts(_ place: SourceLocation = #_sourceLocation) throws {
        let (kept, counted) = try job.folder.open().read { database in
            let kept = try Row.fetchOne(
                database,
                sql: """
                    SELECT hosts, known, queued, records, (SELECT total(urls) FROM host) AS urls,
                        (SELECT total(urls) FROM outcome) AS visited FROM store
                    """)
            let counted = try Row.fetchOne(
                database,
                sql: """
                    SELECT (SELECT count(*) FROM host) AS hosts, count(*) AS known, total(state = 0) AS queued,
                        (SELECT count(*) FROM record WHERE state <> 1) AS records, count(*) AS urls,
                        count(visitedAt) AS visited FROM url
                    """)
            return ("\(kept.map(\.description) ?? "")", "\(counted.map(\.description) ?? "")")
        }
        #expect(
            kept.replacing(".0", with: "") == counted.replacing(".0", with: ""), sourceLocation: place)
    }

    @Test
    func
        `a page that is gone for three months is forgotten if no page links there and it is no seed`()
        async throws
    {
        let seeds = ["https://a.test/", "https://a.test/seed"]
        job.page("https://a.test/", links: ["/old", "/linked"])
        for path in ["seed", "old", "linked"] { job.page("https://a.test/" + path, says: path) }
        #expect(try await run(after: .zero, seeds: seeds).count == 4)
        job.page("https://a.test/", links: ["/linked"])
        for path in ["seed", "old", "linked"] { job.web["https://a.test/" + path] = [.status(404)] }
        #expect(try await run(seeds: seeds).contains("-https://a.test/old"))
        for _ in 0..<2 { _ = try await run(seeds: seeds) }
        #expect(try isKnown("https://a.test/old"), "two months are not three")
        for _ in 0..<2 { _ = try await run(seeds: seeds) }
        #expect(try !isKnown("https://a.test/old"))
        #expect(try isKnown("https://a.test/linked") && isKnown("https://a.test/seed"))
        try expectTrueCounts()
        // Who reads the feed late hears of it still.
        #expect(try job.folder.open().feed.summary().contains("-https://a.test/old"))
        // What nobody links to any more goes, too.
        job.page("https://a.test/")
        for _ in 0..<2 { _ = try await run(seeds: ["https://a.test/"]) }
        #expect(try !isKnown("https://a.test/linked") && !isKnown("https://a.test/seed"))
        // A page that comes back is new.
        job.page("https://a.test/", links: ["/old"])
        job.page("https://a.test/old", says: "again")
        #expect(try await run().contains("+https://a.test/old"))
        try expectTrueCounts()
    }

    @Test
    func `a host whose name is gone is forgotten with its pages, and its records are deleted first`()
        async throws
    {
        job.page("https://a.test/", links: ["https://b.test/1", "https://c.test/"])
        job.page("https://c.test/", says: "c")
        // Its pages link to each other.
        for path in ["/1", "/2"] { job.page("https://b.test" + path, says: path, links: ["/1", "/2"]) }
        job.web.robots("https://b.test", "User-agent: *\nCrawl-delay: 2")
        #expect(try await run(after: .zero).count == 4)
        #expect(try names() == ["a.test", "b.test", "c.test"])
        job.page("https://a.test/", links: ["https://c.test/"])
        for url in ["https://b.test/1", "https://b.test/2", "https://b.test/robots.txt"] {
            job.web[url] = [.failure(.hostNotFound)]
        }
        var changes: [String] = []
        for _ in 0..<6 { changes += try await run() }
        #expect(changes.contains("-https://b.test/1") && !changes.contains("-https://c.test/"))
        #expect(
            try !isKnown("https://b.test/1") && !isKnown("https://b.test/2") && isKnown("https://c.test/")
        )
        _ = try await run()
        #expect(try names() == ["a.test", "c.test"])
        #expect(
            try job.folder.open().read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM rules WHERE origin LIKE '%b.test%'")
            }
                == 0)
        try expectTrueCounts()
    }

    @Test func `a failure before a long pause and one after it forget nothing`() async throws {
        job.page("https://a.test/", links: ["https://b.test/1"])
        job.page("https://b.test/1", says: "one")
        #expect(try await run(after: .zero).count == 2)
        for url in ["https://b.test/1", "https://b.test/robots.txt"] { job.web[url] = [.failure(.hostNotFound)] }
        _ = try await run()
        // Nobody looked for five months.
        for _ in 0..<2 { #expect(try await run(after: Self.month * 5).contains("-https://b.test/1") == false) }
        #expect(try names() == ["a.test", "b.test"] && isKnown("https://b.test/1"))
        job.page("https://a.test/")
        for _ in 0..<4 { _ = try await run() }
        #expect(try !isKnown("https://b.test/1"), "it has failed each month for three months")
    }

    @Test func `a machine without network forgets nothing, however long`() async throws {
        job.page("https://a.test/", links: ["/1"])
        job.page("https://a.test/1", says: "one")
        _ = try await run(after: .zero)
        job.page("https://a.test/")
        _ = try await run()
        let before = ["https://a.test/", "https://a.test/1"].map { ($0, job.web[$0]) }
        for url in ["https://a.test/", "https://a.test/1", "https://a.test/robots.txt"] {
            job.web[url] = [.failure(.hostNotFound)]
        }
        for _ in 0..<8 { #expect(try await run().isEmpty) }
        for (url, answers) in before { job.web[url] = answers }
        job.web["https://a.test/robots.txt"] = [.status(404)]
        for _ in 0..<3 { #expect(try await run().isEmpty) }
        #expect(try isKnown("https://a.test/1"))
    }
}
