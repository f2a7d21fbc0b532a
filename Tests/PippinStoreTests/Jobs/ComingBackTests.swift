import Foundation
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Runs of one job, some time apart, over a web that changes meanwhile.
@Suite struct ComingBackTests {
    private let job = JobUnderTest()
    private var folder: StorageFolder { job.folder }
    private var web: FakeWeb { job.web }

    private func run(
        after wait: Duration = .zero, seeds: [String] = ["https://a.test/"],
        configure: (inout CrawlConfiguration) -> Void = { _ in }
    ) async throws -> JobUnderTest.Run {
        try await job.run(after: wait, seeds: seeds, configure: configure)
    }

    private func page(_ url: String, says text: String = "", links: [String] = [], tag: String? = nil) {
        job.page(url, says: text, links: links, tag: tag)
    }

    private let day = Duration.seconds(86_400 + 3600)

    @Test func `unchanged pages are not modified, a changed one is told, one that is gone is deleted`() async throws {
        page("https://a.test/", links: ["/1", "/2", "/3"], tag: "\"a\"")
        page("https://a.test/1", says: "one", tag: "\"1\"")
        page("https://a.test/2", says: "two", tag: "\"2\"")
        page("https://a.test/3", says: "three", tag: "\"3\"")
        let first = try await run()
        #expect(first.changes.count == 4)
        page("https://a.test/2", says: "two, and more", tag: "\"2b\"")
        web["https://a.test/3"] = [.status(404)]
        let second = try await run(after: day)
        #expect(second.summary.statistics.outcomes == ["not-modified": 2, "recorded": 1, "gone": 1])
        #expect(Set(second.changes) == ["+https://a.test/2", "-https://a.test/3"])
        #expect(second.summary.failedSeeds.isEmpty)
        // Nothing is due: nothing is asked for, and no seed has failed.
        let third = try await run(after: .seconds(60))
        #expect(third.summary.statistics.requests == 0)
        #expect(third.summary.failedSeeds.isEmpty)
        #expect(third.summary.ending == .finished)
    }

    @Test func `the intervals of a host's sheet count for its pages, and for no others`() async throws {
        for host in ["a.test", "b.test"] { page("https://\(host)/") }
        func again(after wait: Duration) async throws -> JobUnderTest.Run {
            try await run(after: wait, seeds: ["https://a.test/", "https://b.test/"]) {
                var (sheet, intervals) = (HostSheet(), CrawlConfiguration.Recrawl())
                intervals.defaultInterval = .seconds(7200)
                sheet.recrawl = intervals
                $0.hosts = HostSheets(["a.test": sheet])
            }
        }
        _ = try await again(after: .zero)
        #expect(job.visits(of: "https://a.test/").count == 1 && job.visits(of: "https://b.test/").count == 1)
        _ = try await again(after: .seconds(3 * 3600))
        #expect(job.visits(of: "https://a.test/").count == 2 && job.visits(of: "https://b.test/").count == 1)
    }

    @Test func `a seed that failed is told of again in a run in which it is not due`() async throws {
        page("https://a.test/", tag: "\"a\"")
        web["https://a.test/moved"] = [.redirect(to: "/gone")]
        web["https://a.test/moved-on"] = [.redirect(to: "/")]
        web["https://b.test/robots.txt"] = [.status(503, headers: [("Retry-After", "86400")])]
        page("https://b.test/")
        let seeds = ["https://a.test/", "https://a.test/moved", "https://a.test/moved-on", "https://b.test/"]
        let first = try await run(seeds: seeds)
        let failed = ["https://a.test/moved gone", "https://b.test/ host-left"]
        #expect(first.summary.failedSeeds.map { "\($0.seed) \($0.code)" } == failed)
        let second = try await run(after: .seconds(60), seeds: seeds)
        #expect(second.summary.statistics.requests == 0)
        #expect(second.summary.failedSeeds.map { "\($0.seed) \($0.code)" } == failed)
        let gone = try #require(second.summary.failedSeeds.first?.earlier)
        #expect(gone.finalURL.href == "https://a.test/gone" && gone.redirects == 1)
        #expect(gone.visitedAt.map { $0 < web.time.date } == true && gone.nextVisit.map { $0 > web.time.date } == true)
        #expect(second.summary.failedSeeds.last?.earlier?.restsUntil.map { $0 > web.time.date } == true)
        #expect(second.summary.standing?.knownURLs == 5)
        #expect(second.summary.standing?.nextDue?.host == "a.test")
        // The file that is gone comes back, and so does the host.
        page("https://a.test/gone")
        web["https://b.test/robots.txt"] = [.status(404)]
        let third = try await run(after: .seconds(40 * 86_400), seeds: seeds)
        #expect(third.summary.failedSeeds.isEmpty)
    }

    @Test(arguments: [
        ("noindex", "<meta name=robots content=noindex>"), ("duplicate", "<link rel=canonical href='/'>"),
    ])
    func `a page that asks to be left out, or names another as canonical, loses its record`(
        reason: String, head: String
    ) async throws {
        page("https://a.test/", links: ["/1"])
        page("https://a.test/1")
        _ = try await run()
        web.page("https://a.test/1", head: head)
        let second = try await run(after: day)
        #expect(second.changes.contains("-https://a.test/1"))
        #expect(second.summary.statistics.outcomes[reason] == 1)
    }

    @Test func `a page that robots.txt or the operator takes out loses its record`() async throws {
        page("https://a.test/", links: ["/1", "/2"])
        page("https://a.test/1")
        page("https://a.test/2")
        _ = try await run()
        web.robots("https://a.test", "User-agent: *\nDisallow: /1")
        let second = try await run(after: day) { $0.scope.exclude = ["*/2"] }
        #expect(Set(second.changes) == ["-https://a.test/1", "-https://a.test/2"])
    }

    @Test func `errors delete a record only when they come again and again`() async throws {
        page("https://a.test/", links: ["/1"], tag: "\"a\"")
        page("https://a.test/1")
        _ = try await run { $0.fetch.retries = 0 }
        web["https://a.test/1"] = [.status(500)]
        var deletions: [Bool] = []
        for _ in 0..<4 {
            deletions.append(try await run(after: day) { $0.fetch.retries = 0 }.changes == ["-https://a.test/1"])
        }
        #expect(deletions == [false, false, true, false])
        page("https://a.test/1")
        #expect(try await run(after: .seconds(40 * 86_400)).changes == ["+https://a.test/1"])
    }

    @Test(arguments: [FetchError.hostNotFound, .timedOut("no answer within 30 s"), .connectionFailed("refused")])
    func `a run that cannot reach a host deletes nothing`(error: FetchError) async throws {
        page("https://a.test/", links: ["/1"], tag: "\"a\"")
        page("https://a.test/1", tag: "\"1\"")
        _ = try await run()
        let before = (web["https://a.test/"], web["https://a.test/1"])
        for url in ["https://a.test/", "https://a.test/1", "https://a.test/robots.txt"] { web[url] = [.failure(error)] }
        for _ in 0..<5 { #expect(try await run(after: day).changes.isEmpty) }
        (web["https://a.test/"], web["https://a.test/1"]) = before
        web["https://a.test/robots.txt"] = [.status(404)]
        let again = try await run(after: .seconds(40 * 86_400))
        #expect(again.changes.isEmpty)
        // It was kept what a conditional request needs.
        #expect(again.summary.statistics.outcomes == ["not-modified": 2])
    }

    @Test func `a page that changes is visited more often, one that does not less often`() async throws {
        page("https://a.test/", links: ["/1"], tag: "\"a\"")
        for number in 0..<3 {
            page("https://a.test/1", says: "\(number)")
            _ = try await run(after: .seconds(40 * 86_400))
        }
        let still = try #require(try folder.history(of: "https://a.test/"))
        let lively = try #require(try folder.history(of: "https://a.test/1"))
        #expect(still.rhythm == .seconds(86_400 * 9 / 4))
        #expect(lively.rhythm == .seconds(86_400 / 4))
        #expect(lively.changeCount == 2 && still.changeCount == 0)
    }

    @Test func `a page limit ends a run, and the next goes on`() async throws {
        page("https://a.test/", links: (1...9).map { "/\($0)" })
        for number in 1...9 { page("https://a.test/\(number)") }
        let first = try await run { $0.scope.maximumPages = 4 }
        #expect(first.summary.ending == .pageLimit)
        #expect(first.summary.unvisited == 6)
        let second = try await run(after: .seconds(60))
        #expect(second.summary.ending == .finished)
        #expect(second.changes.count == 6)
        #expect(Set(web.visited).count == web.visited.count)
    }

    @Test func `a host's delay holds between the last request of a run that died and the first of the next`()
        async throws
    {
        web.robots("https://a.test", "User-agent: *\nCrawl-delay: 20")
        page("https://a.test/", links: (1...9).map { "/\($0)" })
        for number in 1...9 { page("https://a.test/\(number)") }
        for _ in 0..<4 { try await runUntilKilled(requests: 3) }
        #expect(try await run().summary.ending == .finished)
        let log = web.log.sorted { $0.start < $1.start }
        for (earlier, later) in zip(log, log.dropFirst()) where later.purpose != .robots || earlier.start > .zero {
            // The first robots.txt ever is the only request that was made before the host's wish was known.
            if earlier.url == log[0].url, earlier.start == log[0].start { continue }
            #expect(later.start - earlier.end >= .seconds(20))
        }
    }

    /// A run that is torn out of memory: its frontier hears nothing after so many requests.
    private func runUntilKilled(requests: Int) async throws {
        let storage = try folder.open()
        let list = try Seeds.parse("https://a.test/", file: "seeds.txt")
        let web = web
        let time = web.time
        let before = web.log.count
        let settled = { () -> CrawlConfiguration in
            var configuration = CrawlConfiguration()
            configuration.scope.sitemaps = false
            return configuration
        }()
        _ = try await time.run {
            let frontier = MortalFrontier(
                try storage.frontier(recrawl: settled.recrawl, date: { time.date }, executor: time.actors),
                isDead: { web.log.count >= before + requests })
            _ = try? await Crawler(
                configuration: settled, seeds: list, fetcher: web, frontier: frontier, clock: time.clock
            ).run()
        }
    }
}

/// A frontier of a process that is killed: from then on nothing reaches the database.
private struct MortalFrontier: Frontier {
    struct Dead: Error {}
    let frontier: SQLiteFrontier
    let isDead: @Sendable () -> Bool

    init(_ frontier: SQLiteFrontier, isDead: @escaping @Sendable () -> Bool) {
        self.frontier = frontier
        self.isDead = isDead
    }

    private var alive: SQLiteFrontier {
        get throws { if isDead() { throw Dead() } else { frontier } }
    }

    func add(_ requests: [CrawlRequest]) async throws -> FrontierChange { try await alive.add(requests) }
    func lease(limit: Int, perHost: Int) async throws -> [CrawlRequest] {
        try await alive.lease(limit: limit, perHost: perHost)
    }
    func finish(_ visit: FinishedVisit) async throws -> FrontierChange { try await alive.finish(visit) }
    func release(_ requests: [CrawlRequest]) async throws { try await alive.release(requests) }
    func suspend(hosts: [String], until: Date) async throws { try await alive.suspend(hosts: hosts, until: until) }
    func leave(hosts: [String]) async throws { try await alive.leave(hosts: hosts) }
    func unfinishedCount() async throws -> Int { try await alive.unfinishedCount() }
    func clocks(of hosts: [String]) async throws -> [HostClock] { try await alive.clocks(of: hosts) }
    func keep(_ clocks: [HostClock]) async throws { try await alive.keep(clocks) }
    func rules(of host: String, origin: String) async throws -> StoredRobots? {
        try await alive.rules(of: host, origin: origin)
    }
    func keep(_ rules: StoredRobots) async throws { try await alive.keep(rules) }
    func close(keeping clocks: [HostClock]) async throws { try await alive.close(keeping: clocks) }
}
