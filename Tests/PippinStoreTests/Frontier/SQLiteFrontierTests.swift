import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What only a frontier does that outlives its run.
@Suite struct SQLiteFrontierTests {
    private let folder = StorageFolder()
    private let calendar = TestCalendar()

    private func open() throws -> StoreUnderTest { try StoreUnderTest(folder, calendar: calendar) }

    private func finish(
        _ frontier: SQLiteFrontier, _ request: CrawlRequest, _ outcome: VisitOutcome = .recorded, tag: String? = nil,
        record: String? = nil, wait: Duration = .seconds(3600), changed: Bool? = nil, found: [CrawlRequest] = []
    ) async throws {
        var visit = FinishedVisit(
            request: request, outcome: outcome, finishedAt: calendar.now,
            next: RecrawlPolicy.Next(wait: wait, rhythm: .seconds(7200), misses: 1), discovered: found)
        visit.next.changed = changed
        visit.entityTag = tag
        visit.contentHash = "hash"
        visit.recordIdentifier = record
        _ = try await frontier.finish(visit)
    }

    @Test func `what was leased when a run died is leased again, what was finished is not`() async throws {
        do {
            let store = try open()
            _ = try await store.frontier.add((0..<4).map { .page("https://a.test/\($0)") })
            let leased = try await store.frontier.lease(limit: 3, perHost: 10)
            try await finish(store.frontier, leased[0], found: [.page("https://b.test/", depth: 1)])
        }
        let store = try open()
        #expect(try await store.frontier.unfinishedCount() == 4)
        let leased = try await store.frontier.lease(limit: 10, perHost: 10)
        #expect(
            leased.map(\.url.href) == [
                "https://a.test/1", "https://a.test/2", "https://a.test/3", "https://b.test/",
            ])
    }

    @Test func `a page is visited again when it is due, with what the last visit left`() async throws {
        do {
            let store = try open()
            _ = try await store.frontier.add([.page("https://a.test/"), .page("https://a.test/other")])
            let leased = try await store.frontier.lease(limit: 9, perHost: 9)
            try await finish(store.frontier, leased[0], tag: "\"1\"", record: "https://a.test/")
            try await finish(store.frontier, leased[1], .noindex, tag: "\"2\"", wait: .seconds(3500))
        }
        calendar.advance(2000)
        do {
            let store = try open()
            #expect(try await store.frontier.lease(limit: 9, perHost: 9).isEmpty)
            // A run has an end: what falls due while it goes on waits for the next.
            calendar.advance(2000)
            #expect(try await store.frontier.lease(limit: 9, perHost: 9).isEmpty)
            #expect(try await store.frontier.unfinishedCount() == 0)
        }
        let store = try open()
        #expect(try await store.frontier.unfinishedCount() == 2)
        let due = try await store.frontier.lease(limit: 9, perHost: 9)
        #expect(due.map(\.url.href) == ["https://a.test/other", "https://a.test/"])
        #expect(
            due.last?.previous
                == PreviousVisit(
                    entityTag: "\"1\"", lastModified: nil, contentHash: "hash", visitedAt: MadeUpTime.start,
                    interval: .seconds(7200), misses: 1, recordIdentifier: "https://a.test/"))
        // A page that was not filed is fetched whole: "not modified" would not say why.
        #expect(due.first?.previous?.entityTag == nil)
        try await finish(store.frontier, due[1], .notModified)
        #expect(try await store.frontier.unfinishedCount() == 1)
        let history = try #require(try folder.history(of: due[1].url.href))
        #expect(history.visits.map(\.outcome) == ["recorded", "not-modified"])
        #expect(history.visits.map(\.at) == [MadeUpTime.start, calendar.now])
        #expect(history.visitCount == 2)
        // Ten minutes sooner, so that a job of every hour finds it due each time.
        #expect(history.nextVisit == calendar.now + 3000)
    }

    @Test func `new pages of a host and pages that are due take turns`() async throws {
        do {
            let store = try open()
            _ = try await store.frontier.add([.page("https://a.test/")])
            let leased = try await store.frontier.lease(limit: 9, perHost: 9)
            try await finish(store.frontier, leased[0], found: (1...9).map { .page("https://a.test/\($0)", depth: 1) })
        }
        calendar.advance(4000)
        let leased = try await open().frontier.lease(limit: 2, perHost: 2)
        #expect(Set(leased.map(\.url.href)) == ["https://a.test/", "https://a.test/1"])
    }

    @Test func `runs that end early leave no host behind`() async throws {
        let hosts = (0..<6).map { "h\($0).test" }
        _ = try await open().frontier.add(hosts.map { .page("https://\($0)/") })
        var asked: [Set<String>] = []
        for _ in 0..<6 {
            // Of each host, more is found than all runs visit.
            let store = try open()
            let leased = try await store.frontier.lease(limit: 2, perHost: 1)
            for request in leased {
                let found = (1...9).map { CrawlRequest.page("https://\(request.host)/\($0)", depth: 1) }
                try await finish(store.frontier, request, found: found)
            }
            try await store.frontier.close(keeping: [])
            asked.append(Set(leased.map(\.host)))
            calendar.advance(4000)
        }
        #expect(asked.reduce(into: Set()) { $0.formUnion($1) } == Set(hosts))
    }

    @Test func `a sitemap that knows of a change makes a page due`() async throws {
        do {
            let store = try open()
            _ = try await store.frontier.add([.page("https://a.test/1"), .page("https://a.test/2")])
            for request in try await store.frontier.lease(limit: 9, perHost: 9) {
                try await finish(store.frontier, request, wait: .seconds(1_000_000))
            }
        }
        calendar.advance(100_000)
        let store = try open()
        var old = CrawlRequest.page("https://a.test/1", depth: 1)
        old.modifiedAt = MadeUpTime.start - 60
        var new = CrawlRequest.page("https://a.test/2", depth: 1)
        new.modifiedAt = MadeUpTime.start + 60
        #expect(try await store.frontier.add([old, new]).hostsInNeed >= 1)
        #expect(try await store.frontier.lease(limit: 9, perHost: 9).map(\.url.href) == ["https://a.test/2"])
    }

    /// The shortest interval of visits is an hour.
    @Test func `a page that changes soon after its visit is due when the shortest interval has passed`() async throws {
        do {
            let store = try open()
            _ = try await store.frontier.add([.page("https://a.test/1"), .page("https://a.test/2")])
            for request in try await store.frontier.lease(limit: 9, perHost: 9) {
                let wait = request.url.path == "/1" ? 1_000_000 : 1_800
                try await finish(store.frontier, request, wait: .seconds(wait))
            }
        }
        calendar.advance(100)
        do {
            let store = try open()
            let hints = (1...2).map { number in
                var hint = CrawlRequest.page("https://a.test/\(number)", depth: 1)
                hint.modifiedAt = MadeUpTime.start + 60
                return hint
            }
            // The second is due in half an hour anyway.
            #expect(try await store.frontier.add(hints).unchanged == 1)
            #expect(try await store.frontier.add(hints).unchanged == 2)
            #expect(try await store.frontier.lease(limit: 9, perHost: 9).isEmpty)
        }
        calendar.advance(1_800)
        do {
            let store = try open()
            let leased = try await store.frontier.lease(limit: 9, perHost: 9)
            #expect(leased.map(\.url.href) == ["https://a.test/2"])
            for request in leased { try await finish(store.frontier, request, wait: .seconds(1_000_000)) }
        }
        calendar.advance(1_800)
        do {
            let store = try open()
            let leased = try await store.frontier.lease(limit: 9, perHost: 9)
            #expect(leased.map(\.url.href) == ["https://a.test/1"])
            for request in leased {
                try await finish(store.frontier, request, wait: .seconds(1_000_000), changed: false)
            }
            // Nothing had changed, so the next hint waits four hours.
            var hint = CrawlRequest.page("https://a.test/1", depth: 1)
            hint.modifiedAt = calendar.now + 1
            #expect(try await store.frontier.add([hint]).unchanged == 0)
        }
        for (seconds, found) in [(3 * 3_600.0, []), (3_700, ["https://a.test/1"])] {
            calendar.advance(seconds)
            #expect(try await open().frontier.lease(limit: 9, perHost: 9).map(\.url.href) == found)
        }
    }

    @Test func `a host stays suspended, and keeps its crawl delay and its failures, over runs`() async throws {
        let rest = calendar.now + 500
        do {
            let store = try open()
            _ = try await store.frontier.add([.page("https://a.test/1"), .page("https://b.test/1")])
            _ = try await store.frontier.clocks(of: ["a.test", "b.test"])
            try await store.frontier.suspend(hosts: ["a.test"], until: rest)
            try await store.frontier.close(keeping: [
                HostClock(
                    host: "b.test", savedAt: calendar.now, rest: .seconds(500), crawlDelay: .seconds(20),
                    responseTime: .milliseconds(70), failuresInARow: 3, openings: 2, address: "192.0.2.1")
            ])
        }
        do {
            let store = try open()
            #expect(try await store.frontier.lease(limit: 9, perHost: 9).map(\.url.href) == ["https://b.test/1"])
            #expect(
                try await store.frontier.clocks(of: ["b.test", "c.test"]) == [
                    HostClock(
                        host: "b.test", savedAt: calendar.now, rest: .seconds(500), crawlDelay: .seconds(20),
                        responseTime: .milliseconds(70), failuresInARow: 3, openings: 2, address: "192.0.2.1")
                ])
        }
        // That run did not end in order: it may have asked any host it knew until just now.
        calendar.advance(100)
        let store = try open()
        let clocks = try await store.frontier.clocks(of: ["b.test", "c.test", "d.test"])
        #expect(clocks.map(\.host) == ["b.test", "c.test"])
        #expect(clocks.first?.rest == .seconds(500))
        #expect(clocks.last?.savedAt == calendar.now)
    }

    @Test func `hosts that an earlier run knew are not asked at once, however it ended`() async throws {
        do {
            let store = try open()
            _ = try await store.frontier.add([.page("https://a.test/1")])
            #expect(try await store.frontier.clocks(of: ["a.test"]).isEmpty)
        }
        // The next run ends in order before it comes to the host that the first may have asked a moment ago.
        for _ in 0..<2 {
            let store = try open()
            #expect(
                try await store.frontier.clocks(of: ["a.test"]) == [HostClock(host: "a.test", savedAt: calendar.now)])
            try await store.frontier.close(keeping: [])
        }
    }

    @Test func `a calendar that was set back does not keep hosts suspended for longer`() async throws {
        do {
            let store = try open()
            _ = try await store.frontier.add([.page("https://a.test/1")])
            try await store.frontier.suspend(hosts: ["a.test"], until: calendar.now + 60)
            try await store.frontier.close(keeping: [
                HostClock(host: "a.test", savedAt: calendar.now, rest: .seconds(60), failuresInARow: 1)
            ])
        }
        calendar.advance(-3600)
        do {
            let store = try open()
            #expect(try await store.frontier.lease(limit: 9, perHost: 9).isEmpty)
            try await store.frontier.close(keeping: [])
        }
        calendar.advance(61)
        let store = try open()
        #expect(try await store.frontier.lease(limit: 9, perHost: 9).map(\.url.href) == ["https://a.test/1"])
        #expect(try await store.frontier.clocks(of: ["a.test"]).map(\.rest) == [.seconds(60)])
    }

    @Test func `what was visited while the calendar ran years ahead is visited again`() async throws {
        calendar.advance(10 * 365 * 86_400)
        do {
            let store = try open()
            let page = CrawlRequest.page("https://a.test/1")
            _ = try await store.frontier.add([page])
            _ = try await store.frontier.lease(limit: 9, perHost: 9)
            _ = try await store.frontier.finish(.of(page, at: calendar.now, wait: .seconds(3600)))
            try await store.frontier.close(keeping: [])
        }
        calendar.advance(-10 * 365 * 86_400)
        #expect(try await open().frontier.lease(limit: 9, perHost: 9).isEmpty)
        calendar.advance(3600)
        #expect(try await open().frontier.lease(limit: 9, perHost: 9).map(\.url.href) == ["https://a.test/1"])
    }

    @Test func `a calendar that was set back does not make hosts rest for longer`() async throws {
        do {
            let store = try open()
            try await store.frontier.close(keeping: [
                HostClock(host: "a.test", savedAt: calendar.now, rest: .seconds(60), failuresInARow: 1)
            ])
        }
        calendar.advance(-86_400)
        // It is kept as a length of time, so the calendar has no say in it.
        #expect(try await open().frontier.clocks(of: ["a.test"]).map(\.rest) == [.seconds(60)])
    }

    @Test func `many visits that end at once are all kept, each with what it found`() async throws {
        do {
            let store = try open()
            _ = try await store.frontier.add((0..<500).map { .page("https://h\($0 % 50).test/\($0)") })
            let leased = try await store.frontier.lease(limit: 500, perHost: 100)
            #expect(leased.count == 500)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for (number, request) in leased.enumerated() {
                    group.addTask {
                        try await store.frontier.finish(
                            .of(
                                request,
                                found: [
                                    .page("https://h\(number % 50).test/found/\(number)", depth: 1),
                                    .page("https://common.test/", depth: 1),
                                ])
                        ).added
                    }
                }
                var added = 0
                for try await count in group { added += count }
                #expect(added == 501)
            }
        }
        let store = try open()
        #expect(try await store.frontier.unfinishedCount() == 501)
        let reader = try StorageReader(folder: folder.url)
        var states: [URLHistory.State: Int] = [:]
        for number in 0..<500 {
            for path in ["\(number)", "found/\(number)"] {
                let url = CrawlRequest.page("https://h\(number % 50).test/\(path)").url
                states[try #require(try reader.history(of: url)).state, default: 0] += 1
            }
        }
        #expect(states == [.queued: 500, .kept: 500])
        let common = try #require(try folder.history(of: "https://common.test/"))
        #expect(common.state == .queued && common.host.queued == 1)
        #expect(try StorageStatus(reader).known == 1001)
    }

    @Test func `a canonical page that goes away sends its pages back`() async throws {
        var duplicate = CrawlRequest.page("https://a.test/print")
        let page = CrawlRequest.page("https://a.test/page")
        do {
            let store = try open()
            _ = try await store.frontier.add([duplicate])
            duplicate = try await store.frontier.lease(limit: 1, perHost: 1)[0]
            try await finish(store.frontier, duplicate, .duplicate(of: page.url), found: [page])
            #expect(try folder.history(of: duplicate.url.href)?.canonical == "https://a.test/page")
        }
        let store = try open()
        let target = try await store.frontier.lease(limit: 9, perHost: 9)
        #expect(target.map(\.url.href) == ["https://a.test/page"])
        try await finish(store.frontier, target[0], .gone(status: 404))
        let again = try await store.frontier.lease(limit: 9, perHost: 9)
        #expect(again.map(\.url.href) == ["https://a.test/print"])
        #expect(again.first?.ignoresCanonical == true)
    }

    @Test func `a disk that is full ends the run with a sentence, and what was finished is there`() async throws {
        let store = try open()
        _ = try await store.frontier.add([.page("https://a.test/0")])
        try store.storage.limitSize(toPages: 60)
        let error = await #expect(throws: StorageError.self) {
            for host in 0..<100_000 {
                _ = try await store.frontier.add([.page("https://h\(host).test/" + String(repeating: "x", count: 900))])
            }
        }
        #expect(error?.description.contains("full") == true)
        // Nothing is done after that, so that memory and disk cannot part.
        await #expect(throws: StorageError.self) {
            _ = try await store.frontier.add([.page("https://a.test/1")])
        }
        #expect(try folder.history(of: "https://a.test/0")?.state == .queued)
    }
}
