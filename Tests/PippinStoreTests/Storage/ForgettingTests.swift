import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What an operator takes out of a storage is gone from all of it, and only that.
@Suite struct ForgettingTests {
    private let folder = StorageFolder()
    private let calendar = TestCalendar()

    private func forget(_ names: [String]) async throws -> Forgotten {
        let storage = try folder.open()
        let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl(), date: { [calendar] in calendar.now })
        var forgotten = Forgotten()
        for name in names {
            let place = try AddressPattern(name)
            let expected = try StorageReader(folder: folder.url).forgotten(by: place)
            let done = try await frontier.forget(place)
            #expect(done == expected, "\(name)")
            forgotten.urls += done.urls
            forgotten.records += done.records
        }
        try await frontier.close(keeping: [])
        try storage.emptyLog()
        return forgotten
    }

    @Test func `nothing of a page is left but the deletion of its record`() async throws {
        let marker = ContentSearch.marker
        let page = "https://a.test/\(marker)"
        let cursor: ChangeFeed.Cursor
        do {
            let store = try StoreUnderTest(folder, calendar: calendar)
            var record = DeepLinkRecord.of(page, says: "The \(marker)title")
            record.mainText = SearchedText(kept: "The \(marker)text.")
            var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.smartAppBanner])
            link.storeIdentifier = "901"
            link.appName = "\(marker)app"
            link.url = "app:\(marker)"
            record.deepLinks = [link]
            var visit = FinishedVisit.of(
                .page(page), found: [.page("https://a.test/other", depth: 1)],
                changes: [.upsert(RecordDocument(record))])
            visit.recordIdentifier = page
            visit.detail = "\(marker)detail"
            visit.observation = KeptObservation(
                entry: Array("\(marker)card".utf8), details: Array("\(marker)card".utf8), weight: 1, stands: true,
                mayPass: false)
            _ = try await store.frontier.finish(visit)
            try await store.upsert("https://a.test/other", says: "other")
            try store.storage.write {
                try $0.execute(
                    sql: "INSERT INTO refusal VALUES ('index', ?, 400, ?)", arguments: [page, "cannot parse \(marker)"])
            }
            try await store.frontier.close(keeping: [])
            cursor = try store.storage.feed.end()
        }
        try SearchIndexer(folder: folder.url).catchUp()
        #expect(try ContentSearch.places(in: folder).count >= 15)
        #expect(try await forget([page]).records == 1)
        let indexer = try SearchIndexer(folder: folder.url)
        try indexer.catchUp()
        try indexer.merge()
        // The deletion names the page.
        #expect(try ContentSearch.places(in: folder) == ["record.identifier", "record.deletion"])
        #expect(try folder.open().feed.summary(since: cursor) == ["-\(page)"])
        #expect(try folder.history(of: "https://a.test/other")?.record.identifier == "https://a.test/other")
        // Who forgets it again finds nothing.
        #expect(try await forget([page]) == Forgotten())
    }

    private static let urls = [
        "https://a.test/", "http://a.test/shop/1", "https://a.test/shop/1", "https://a.test/shop/2?q=1",
        "https://a.test/shopping", "https://a.test:8080/shop/1", "https://www.a.test/shop/1", "https://b.a.test/",
        "https://xa.test/shop/1",
    ]

    @Test(arguments: [
        ("https://a.test/shop/1", [1, 2]), ("http://a.test/shop/*", [1, 2, 3]), ("https://a.test/shop*", [1, 2, 3, 4]),
        ("https://a.test/*", [0, 1, 2, 3, 4]), ("a.test", [0, 1, 2, 3, 4, 5]), ("*.a.test", [6, 7]),
        ("https://a.test/other", []), ("c.test", []), ("*/shop/1", [1, 2, 5, 6, 8]), ("http://a.test/*/1*", [1, 2]),
        ("https://*.a.test/*", [6, 7]), ("https://a.test/*q=*", [3]), ("*shop*/queued", []),
        ("https://A.test:443/*/2*", [3]), ("https://c.test/*/*", []),
    ])
    func `a URL, a beginning, a host and the hosts below one are told apart`(name: String, gone: [Int]) async throws {
        do {
            let store = try StoreUnderTest(folder, calendar: calendar)
            for url in Self.urls { try await store.upsert(url, says: url) }
            _ = try await store.frontier.add(Self.urls.map { .page($0 + "/queued") })
            try await store.frontier.close(keeping: [])
        }
        let forgotten = try await forget([name])
        let left = Self.urls.indices.filter { !gone.contains($0) }
        #expect(try Self.urls.indices.filter { try folder.history(of: Self.urls[$0]) != nil } == left)
        #expect(forgotten.records == gone.count)
        let (listed, deleted) = try folder.open().feed.summary().reduce(into: (Set<String>(), Set<String>())) {
            if $1.hasPrefix("+") { $0.0.insert(String($1.dropFirst())) } else { $0.1.insert(String($1.dropFirst())) }
        }
        #expect(listed == Set(left.map { Self.urls[$0] }) && deleted == Set(gone.map { Self.urls[$0] }))
        let counts = try folder.open().read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT known = (SELECT count(*) FROM url), queued = (SELECT count(*) FROM url WHERE state = 0),
                        records = (SELECT count(*) FROM record WHERE state <> 1), hosts = (SELECT count(*) FROM host),
                        known = (SELECT total(urls) FROM host), known - queued = (SELECT total(urls) FROM outcome)
                    FROM store
                    """)
        }
        #expect(counts.map { Array($0.databaseValues) } == Array(repeating: true.databaseValue, count: 6))
    }

    @Test func `what names nothing to forget is refused`() {
        for name in [
            "", "*", "a b", "ftp://a.test/", "https://a.te*", "a.test:80", "a.test/x", "*.", "**", "*/*", "a.test/*/x*",
            "ftp://a/*/x", "https://*", "https:///*/a",
        ] {
            #expect(throws: ConfigurationError.self, "\(name)") { try AddressPattern(name) }
        }
    }

    /// A command that forgets pages does not know the scope.
    @Test func `pages that have a nearer way to pass on wait for the next crawl`() async throws {
        do {
            let store = try StoreUnderTest(folder, calendar: calendar)
            try await store.upsert("https://a.test/", says: "a")
            try await store.upsert("https://b.test/", says: "b")
            try await store.frontier.close(keeping: [])
        }
        try folder.open().write { try $0.execute(sql: "INSERT INTO nearer SELECT id FROM url ORDER BY id LIMIT 1") }
        #expect(try await forget(["https://b.test/"]).records == 1)
        #expect(try folder.open().read { try Int.fetchOne($0, sql: "SELECT count(*) FROM nearer") } == 1)
    }

    @Test func `a page that waits for a forgotten one is filed for itself`() async throws {
        do {
            let store = try StoreUnderTest(folder, calendar: calendar)
            let canonical = CrawlRequest.page("https://a.test/1")
            _ = try await store.frontier.finish(
                .of(.page("https://a.test/2"), .duplicate(of: canonical.url), found: [canonical]))
            try await store.frontier.close(keeping: [])
        }
        #expect(try folder.history(of: "https://a.test/2")?.state == .duplicate)
        #expect(try await forget(["https://a.test/1"]).urls == 1)
        #expect(try folder.history(of: "https://a.test/2")?.state == .queued)
    }

    @Test func `a URL that shares the place of a forgotten one is still found`() async throws {
        let url = "https://a.test/folder/page"
        func rows(_ sql: String) throws -> [Int64] { try folder.open().read { try Int64.fetchAll($0, sql: sql) } }
        do {
            let store = try StoreUnderTest(folder, calendar: calendar)
            _ = try await store.frontier.add([.page(url)])
            try await store.frontier.close(keeping: [])
        }
        let number = try #require(try rows("SELECT id FROM url").first)
        #expect(try await forget([url]).urls == 1)
        // Another URL has its place, and it gets the next one.
        try folder.open().write {
            try $0.execute(
                sql: """
                    INSERT INTO url(id, address, state, rank, depth, seed, flags) VALUES (?, 's/other', 0, 1 << 42, 1, 1, 0);
                    UPDATE store SET known = 1, queued = 1; UPDATE host SET urls = 1, queued = 1;
                    """, arguments: [number])
        }
        do {
            let store = try StoreUnderTest(folder, calendar: calendar)
            #expect(try await store.frontier.add([.page(url)]).added == 1)
            try await store.frontier.close(keeping: [])
        }
        #expect(try rows("SELECT id FROM url ORDER BY id") == [number, URLNumber.next(after: number)])
        #expect(try await forget(["https://a.test/oth*"]).urls == 1)
        #expect(try rows("SELECT number FROM vacated") == [number])
        #expect(try folder.history(of: url)?.state == .queued)
        do {
            let store = try StoreUnderTest(folder, calendar: calendar)
            #expect(try await store.frontier.add([.page(url)]).added == 0)
            try await store.frontier.close(keeping: [])
        }
        #expect(try await forget([url]).urls == 1)
        #expect(try rows("SELECT number FROM vacated").isEmpty)
    }
}
