import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What a run leaves behind, and what a look at it while it goes on shows.
@Suite struct StorageUpkeepTests {
    private let folder = StorageFolder()
    private let calendar = TestCalendar()

    private var logBytes: Int {
        get throws {
            let path = folder.url.appending(path: StorageDatabase.fileName).path + "-wal"
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
    }

    @Test func `the write-ahead log is empty after a run that ended in order`() async throws {
        let store = try StoreUnderTest(folder, calendar: calendar)
        for number in 1...50 {
            try await store.upsert("https://a.test/\(number)", says: String(repeating: "word \(number) ", count: 200))
        }
        #expect(try logBytes > 100_000)
        try await store.frontier.close(keeping: [])
        try store.storage.emptyLog()
        #expect(try logBytes == 0)
        #expect(try StorageStatus(StorageReader(folder: folder.url), now: calendar.now).records == 50)
    }

    @Test func `who reads an old state does not keep a run from ending`() async throws {
        let store = try StoreUnderTest(folder, calendar: calendar)
        try await store.upsert("https://a.test/1", says: "one")
        let old = try store.storage.database.makeSnapshot()
        try await store.upsert("https://a.test/2", says: "two")
        try store.storage.emptyLog()
        try old.close()
        try store.storage.emptyLog()
        #expect(try logBytes == 0)
    }

    @Test func `a log that somebody holds is told, and status tells of it`() async throws {
        let store = try StoreUnderTest(folder, calendar: calendar)
        try await store.upsert("https://a.test/1", says: "one")
        func trouble() throws -> String? {
            try StorageStatus(StorageReader(folder: folder.url), now: calendar.now).logTrouble
        }
        #expect(try trouble() == nil)
        // As long as one that was held for hours; what is behind the last commit is not read.
        let log = try FileHandle(forUpdating: folder.url.appending(path: StorageDatabase.fileName + "-wal"))
        try log.truncate(atOffset: UInt64(LogCheckpoints.longestBytes + 1_000_000))
        try log.close()
        #expect(try trouble()?.hasPrefix("The database's log has 79") == true)
        try store.storage.emptyLog()
        #expect(try trouble() == nil)
    }

    private func keptRules() throws -> [String] {
        try folder.open().read { try String.fetchAll($0, sql: "SELECT origin FROM rules ORDER BY origin") }
    }

    @Test func `a robots.txt goes when its time is up and its host has nothing to do`() async throws {
        do {
            let store = try StoreUnderTest(folder, calendar: calendar)
            // Of three hosts one waits for its first visit.
            for host in ["idle", "fresh"] { try await store.upsert("https://\(host).test/", says: host) }
            _ = try await store.frontier.add([.page("https://busy.test/")])
            for (host, hours) in [("idle", 1.0), ("busy", 1.0), ("fresh", 48.0)] {
                try await store.frontier.keep(
                    StoredRobots(
                        origin: "https://\(host).test", host: "\(host).test", text: "User-agent: *\nAllow: /\n",
                        until: calendar.now.addingTimeInterval(hours * 3600)))
            }
            calendar.advance(2 * 3600)
            try await store.frontier.close(keeping: [])
        }
        #expect(try keptRules() == ["https://busy.test", "https://fresh.test"])
    }

    @Test func `the ledger keeps the last thousand runs`() throws {
        let storage = try folder.open()
        for number in 0..<1_010 { _ = try storage.begin(at: MadeUpTime.start.addingTimeInterval(Double(number))) }
        let runs = try storage.runs(limit: 2_000)
        #expect(runs.count == 1_000)
        #expect(runs.first?.startedAt == MadeUpTime.start.addingTimeInterval(1_009))
    }

    // MARK: status

    @Test func `while a run goes on, the status is of its last commit`() async throws {
        let store = try StoreUnderTest(folder, calendar: calendar)
        let reader = try StorageReader(folder: folder.url)
        func status() throws -> StorageStatus { try StorageStatus(reader, now: calendar.now) }
        _ = try await store.frontier.add((1...9).map { .page("https://a.test/\($0)") })
        var now = try status()
        #expect((now.known, now.queued, now.hosts) == (9, 9, 1))
        // Not a second has passed: what is counted by host is still in memory, and shown when somebody asks for it.
        for number in 1...3 { try await store.upsert("https://a.test/\(number)", says: "\(number)") }
        _ = try await store.frontier.add([.page("https://b.test/1"), .page("https://b.test/2")])
        now = try status()
        #expect((now.known, now.queued, now.hosts, now.records) == (11, 8, 2, 3))
        #expect(now.lastOutcomes == ["recorded": 3])
        calendar.advance(1)
        try await store.frontier.showHosts()
        now = try status()
        #expect(now.busiest.map { "\($0.name) \($0.queued)" } == ["a.test 6", "b.test 2"])
        try await store.delete("https://a.test/1")
        now = try status()
        #expect(now.records == 2 && now.lastOutcomes.values.reduce(0, +) == 3)
    }

    @Test func `counts at hand are those that counting would find, also after a run that was killed`() async throws {
        let job = JobUnderTest()
        let seeds = job.web.addSites(3, pages: 25, seed: 11)
        job.web["https://site0.test/1"] = [.status(500)]
        _ = try await job.run(seeds: seeds) { $0.scope.maximumPages = 30 }
        _ = try await job.run(after: .seconds(90_000), seeds: seeds)
        let status = try StorageStatus(StorageReader(folder: job.folder.url), now: job.web.time.date)
        try job.folder.open().read { database in
            func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? -1 }
            let known = try count("SELECT count(*) FROM url")
            let queued = try count("SELECT count(*) FROM url WHERE rank >= 1 << 40")
            let hosts = try count("SELECT count(*) FROM host")
            let records = try count("SELECT count(*) FROM record WHERE state <> 1")
            let visited = try count("SELECT count(*) FROM url WHERE history IS NOT NULL")
            #expect((status.known, status.queued, status.hosts, status.records) == (known, queued, hosts, records))
            #expect(status.lastOutcomes.values.reduce(0, +) == visited)
        }
        #expect(status.known > 40 && status.lastOutcomes["recorded"] ?? 0 > 10)
    }

    // MARK: Links

    @Test func `the pages that link to a URL are named, and none that link no more`() async throws {
        let job = JobUnderTest()
        let sources = (1...8).map { "https://a.test/\($0)" }
        job.page("https://a.test/", links: sources)
        for source in sources { job.page(source, links: ["/target", "/target"]) }
        job.page("https://a.test/target", links: ["/target"])
        _ = try await job.run()
        func linking(_ path: String, shown: Int = 5) throws -> PagesLinkingHere {
            let url = try #require(WebURL("https://a.test" + path))
            return try StorageReader(folder: job.folder.url).pagesLinking(to: url, shown: shown)
        }
        let first = try linking("/target")
        #expect(first.count == 8 && first.isComplete)
        let named = first.pages.map(\.url)
        #expect(Set(named).count == 5 && Set(named).isSubset(of: sources))
        // The page on which it was found is named first.
        let foundOn = try #require(try job.folder.history(of: "https://a.test/target")?.foundOn)
        #expect(named.first == foundOn)
        #expect(try linking("/3").pages.map(\.url) == ["https://a.test/"])
        #expect(try linking("/").count == 0)
        #expect(try job.folder.history(of: "https://a.test/")?.foundOn == nil)
        // A page drops its link, another one goes.
        job.page(named[0], says: "no link any more")
        job.web[named[1]] = [.status(410)]
        _ = try await job.run(after: .seconds(40 * 86_400))
        _ = try await job.run(after: .seconds(80 * 86_400))
        let later = try linking("/target", shown: 20)
        #expect(Set(later.pages.map(\.url)) == Set(sources).subtracting(named.prefix(2)) && later.count == 6)
        // Where it was found is history, and stays.
        #expect(try job.folder.history(of: "https://a.test/target")?.foundOn == foundOn)
    }
}
