import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// Pages that say nearly the same, the same, or name one of them: what is marked, what is listed, and what consumers hear of
/// when it changes.
@Suite struct NearDuplicateTests {
    private let folder = StorageFolder()

    /// 2,000 words, of which one may be another.
    private static func text(changing place: Int? = nil, seed: UInt64 = 7) -> String {
        var state = seed
        var words = (0..<2000).map { _ -> String in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return "w\(state >> 40)"
        }
        if let place { words[place] = "changed" }
        return words.joined(separator: " ")
    }

    private let names = (0..<4).map { "https://a.test/\($0)" }

    /// Which record each is near to, by its place in `names`.
    private func marks() throws -> [Int?] {
        try names.map { name in
            guard case .listed(_, let original?) = try folder.history(of: name)?.record else { return nil }
            let place: Int = try #require(names.firstIndex(of: original))
            return place
        }
    }

    @Test func `the mark moves when the first goes, and goes with the last`() async throws {
        let store = try StoreUnderTest(folder)
        for (index, name) in names.dropLast().enumerated() {
            try await store.upsert(name, says: Self.text(changing: index * 100))
        }
        #expect(try marks() == [nil, 0, 0, nil])
        try await store.delete(names[0])
        #expect(try marks() == [nil, nil, 1, nil])
        try await store.delete(names[1])
        #expect(try marks() == [nil, nil, nil, nil])
        // The one that was found first is the original again.
        try await store.upsert(names[0], says: Self.text())
        #expect(try marks() == [nil, nil, 0, nil])
    }

    @Test func `a text that changes takes the mark with it, on either side`() async throws {
        let store = try StoreUnderTest(folder)
        try await store.upsert(names[0], says: Self.text())
        try await store.upsert(names[1], says: Self.text(changing: 100))
        #expect(try marks() == [nil, 0, nil, nil])
        // The first changes a little: still no two are each other's duplicate.
        try await store.upsert(names[0], says: Self.text(changing: 200))
        #expect(try marks() == [nil, 0, nil, nil])
        try await store.upsert(names[0], says: Self.text(seed: 8))
        #expect(try marks() == [nil, nil, nil, nil])
        try await store.upsert(names[0], says: Self.text(changing: 300))
        #expect(try marks() == [nil, 0, nil, nil])
        try await store.upsert(names[1], says: Self.text(seed: 9))
        #expect(try marks() == [nil, nil, nil, nil])
    }

    @Test func `what is kept back is nobody's original`() async throws {
        let store = try StoreUnderTest(folder)
        try await store.upsert(names[1], says: Self.text())
        try await store.upsert(names[3], says: Self.text(changing: 100))
        #expect(try marks() == [nil, nil, nil, 1])
        // The same as the first, and before it by its URL: of the two it is listed. The other was found before it.
        try await store.upsert(names[0], says: Self.text())
        #expect(try folder.history(of: names[1])?.record == .keptBack(identifier: names[1], of: names[0]))
        #expect(try marks() == [3, nil, nil, nil])
        try await store.delete(names[0])
        #expect(try marks() == [nil, nil, nil, 1])
    }

    @Test func `the numbers of alike and of equal pages do not matter for one more`() throws {
        let storage = try folder.open()
        let count = 3000
        let words = Self.text().split(separator: " ").map(String.init)
        let (looked, rows, plan) = try storage.database.write { database in
            let table = try RecordTable(database)
            var hash: UInt64?
            for number in 0..<count {
                // All alike; every third one says exactly the same as the others of its kind.
                var record = DeepLinkRecord.of("https://a.test/\(number)", says: "page")
                record.title = number % 3 == 0 ? "same" : "page \(number)"
                hash = hash ?? SimHash.value(of: Array(words.joined(separator: " ").utf8))
                record.simHash = hash.map { $0 ^ (1 << UInt64(number % 2)) }
                try table.apply(StoredChange(.upsert(RecordDocument(record))), url: 0)
            }
            var looked = 0
            for record in Int64(count - 20)...Int64(count) {
                looked = max(looked, try NearDuplicates.original(of: record, database).lookedAt)
            }
            let rows = try StoreStatement(
                database,
                "SELECT count(*) FROM record INDEXED BY recordHost WHERE state = 0 AND simHash IS NOT NULL"
            ).first { $0.integer(0) }
            var plan: [String] = []
            try StoreStatement(database, "EXPLAIN QUERY PLAN " + RecordTable.firstOfCluster).rows(.integer(0)) {
                plan.append($0.text(3))
            }
            try StoreStatement(database, "EXPLAIN QUERY PLAN " + NearDuplicates.candidates).rows(
                .integer(0), .integer(0), .integer(1)
            ) { plan.append($0.text(3)) }
            return (looked, rows, plan)
        }
        #expect(looked == 1)
        // Only what is listed can be an original: one of the equal ones.
        #expect(rows == Int64(count - count / 3 + 1))
        #expect(plan.count == 2 && plan.first?.contains("USING INDEX recordCluster") == true, "\(plan)")
        #expect(plan.last?.contains("USING COVERING INDEX recordHost (host=? AND state=? AND id<?)") == true, "\(plan)")
    }

    // MARK: Runs of a crawl

    private let web = FakeWeb(time: MadeUpTime())
    /// Everything is due after it.
    private let month = Duration.seconds(40 * 86_400)

    /// One run over `web`, and what consumers heard of in it.
    private func run(after wait: Duration = .zero, seeds: [String]) async throws -> [String] {
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        let settled = configuration
        let list = try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt")
        let storage = try folder.open()
        let cursor = try storage.feed.end()
        let (web, time) = (web, web.time)
        _ = try await time.run {
            await time.sleep(until: time.now + wait)
            let frontier = try storage.frontier(recrawl: settled.recrawl, date: { time.date }, executor: time.actors)
            return try await Crawler(
                configuration: settled, seeds: list, fetcher: web, frontier: frontier, clock: time.clock
            ).run()
        }
        return try storage.feed.summary(since: cursor)
    }

    private static func page(_ text: String, head: String = "") -> String {
        "<title>Apples</title><meta name=apple-itunes-app content='app-id=1'>\(head)<p>\(text)"
    }

    @Test func `of pages that are the same under three addresses one is told, and the next when it goes`() async throws
    {
        let urls = ["https://a.test/1", "https://www.a.test/1", "http://a.test/1"]
        for url in urls { web[url] = [.html(Self.page("The same."))] }
        #expect(try await run(seeds: urls.reversed()).filter { $0.hasPrefix("+") }.last == "+\(urls[0])")
        var known: [String] = []
        try folder.open().feed.read(since: nil) { if !$0.isDeletion { known.append($0.identifier) } }
        #expect(known == [urls[0]])
        web[urls[0]] = [.status(404)]
        #expect(Set(try await run(after: month, seeds: urls)) == ["-\(urls[0])", "+\(urls[1])"])
        web[urls[1]] = [.status(410)]
        #expect(Set(try await run(after: month, seeds: urls)) == ["-\(urls[1])", "+\(urls[2])"])
        // It comes back, and takes its place again.
        web[urls[0]] = [.html(Self.page("The same."))]
        #expect(Set(try await run(after: month, seeds: urls)) == ["+\(urls[0])", "-\(urls[2])"])
    }

    @Test func `pages that name one as canonical come up when it goes`() async throws {
        let urls = ["https://a.test/c", "https://a.test/print", "https://a.test/mobile"]
        web[urls[0]] = [.html(Self.page("The page."))]
        for (url, text) in zip(urls[1...], ["To print.", "For small screens."]) {
            web[url] = [.html(Self.page(text, head: "<link rel=canonical href=/c>"))]
        }
        #expect(try await run(seeds: urls) == ["+\(urls[0])"])
        web[urls[0]] = [.status(404)]
        let second = try await run(after: month, seeds: urls)
        #expect(Set(second) == ["-\(urls[0])", "+\(urls[1])", "+\(urls[2])"])
        web[urls[0]] = [.html(Self.page("The page."))]
        let third = try await run(after: month, seeds: urls)
        #expect(Set(third) == ["+\(urls[0])", "-\(urls[1])", "-\(urls[2])"])
    }
}
