import Foundation
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What a storage can say of a job and of a URL, read as another process would while the job's run has it open.
@Suite struct StorageStatusTests {
    private let web = FakeWeb(time: MadeUpTime())
    private let folder = StorageFolder()

    private func crawl(_ seeds: [String], configure: (inout CrawlConfiguration) -> Void = { _ in }) async throws {
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        configure(&configuration)
        let settled = configuration
        let list = try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt")
        let web = web
        let time = web.time
        let storage = try folder.open()
        var run = try storage.begin(at: time.date)
        run.visits = 0
        let frontier = try storage.frontier(recrawl: settled.recrawl, date: { time.date }, executor: time.actors)
        let summary = try await time.run {
            try await Crawler(
                configuration: settled, seeds: list, fetcher: web, frontier: frontier, clock: time.clock
            ).run()
        }
        try storage.end(
            run, at: time.date, ending: summary.ending.rawValue, visits: summary.statistics.pages,
            records: summary.statistics.records)
    }

    private func history(_ url: String) throws -> URLHistory {
        let url = try #require(WebURL(url))
        return try #require(
            try StorageReader(folder: folder.url).history(of: url, now: web.time.date), "\(url) is not known")
    }

    // MARK: why

    @Test func `each fate of a URL can be told from the storage`() async throws {
        web.robots("https://a.test", "User-agent: *\nAllow: /open\nDisallow: /private/")
        web.page(
            "https://a.test/",
            links: ["/1?utm_source=x", "/private/x", "/moved", "/gone", "/plain", "/twin", "/flaky", "/same", "/a.pdf"])
        web.page("https://a.test/1")
        web["https://a.test/moved"] = [.redirect(301, to: "/1")]
        web.page("https://a.test/twin", canonical: "/1")
        web.page("https://a.test/plain", deepLink: false)
        web["https://a.test/gone"] = [.status(410)]
        web["https://a.test/flaky"] = [.status(500)]
        web["https://a.test/a.pdf"] = [.init(headers: [("Content-Type", "application/pdf")], body: "%PDF")]
        try await crawl(["https://a.test/"])

        let seed = try history("https://a.test/")
        #expect(seed.visits.map(\.outcome) == ["recorded"])
        #expect(seed.standsForSeed)
        #expect(seed.record == .listed(identifier: "https://a.test/", nearDuplicateOf: nil))
        #expect(seed.nextVisit ?? .distantPast > web.time.date)
        let found = try history("https://a.test/1?utm_source=elsewhere")
        #expect(found.key == "https://a.test/1")
        #expect(found.depth == 1)
        #expect(found.seed?.url.href == "https://a.test/")

        let forbidden = try history("https://a.test/private/x")
        #expect(forbidden.visits.last?.outcome == "disallowed")
        #expect(forbidden.detail == "Line 3, Disallow: /private/, in the rules for *.")
        #expect(forbidden.record == .none)

        let twin = try history("https://a.test/twin")
        #expect(twin.state == .duplicate)
        #expect(twin.canonical == "https://a.test/1")
        #expect(try history("https://a.test/moved").detail == "https://a.test/1")
        #expect(try history("https://a.test/gone").visits.last?.outcome == "gone")
        #expect(try history("https://a.test/gone").detail == "410")
        #expect(try history("https://a.test/plain").visits.last?.outcome == "without-deep-links")
        #expect(try history("https://a.test/a.pdf").detail == "application/pdf")
        let flaky = try history("https://a.test/flaky")
        #expect(flaky.visits.last?.outcome == "server-error")
        #expect(flaky.failures == 1)
        #expect(flaky.nextVisit ?? .distantPast > web.time.date)

        let unknown = try #require(WebURL("https://a.test/never"))
        let stranger = try #require(WebURL("https://elsewhere.test/"))
        #expect(try StorageReader(folder: folder.url).history(of: unknown) == nil)
        #expect(try StorageReader(folder: folder.url).history(of: stranger) == nil)
    }

    @Test func `a page that was visited again has both visits, and one whose host is left waits`() async throws {
        web.page("https://a.test/")
        web["https://b.test/"] = [.status(503, headers: [("Retry-After", "7200")])]
        web.page("https://b.test/robots.txt")
        let seeds = ["https://a.test/", "https://b.test/"]
        try await crawl(seeds) { $0.recrawl.defaultInterval = .seconds(3600) }
        let left = try history("https://b.test/")
        #expect(left.host.blockedUntil ?? .distantPast > web.time.date)
        #expect(left.host.blockReason != nil)
        #expect(left.visits.isEmpty)
        #expect(left.state == .queued)
        let time = web.time
        try await time.run { await time.sleep(until: time.now + .seconds(4000)) }
        try await crawl(seeds) { $0.recrawl.defaultInterval = .seconds(3600) }
        let again = try history("https://a.test/")
        #expect(again.visits.map(\.outcome) == ["recorded", "recorded"])
        #expect(again.visits[1].at > again.visits[0].at)
        #expect(again.visitCount == 2)
    }

    // MARK: status

    @Test func `the status counts what is known, queued and due, and names who is left alone`() async throws {
        let seeds = web.addSites(2, pages: 20, seed: 4)
        web["https://b.test/"] = [.status(503, headers: [("Retry-After", "7200")])]
        try await crawl(seeds + ["https://b.test/"]) {
            $0.scope.maximumPages = 15
            $0.fetch.concurrency = 1
        }
        let reader = try StorageReader(folder: folder.url)
        let status = try StorageStatus(reader, now: web.time.date)
        #expect(status.hosts == 3)
        #expect(status.queued > 0)
        #expect(status.known > status.queued)
        #expect(status.due == 0)
        #expect(status.records > 0)
        #expect(status.lastOutcomes.values.reduce(0, +) == status.known - status.queued)
        #expect(status.busiest.first.map { $0.queued > 0 } == true)
        #expect(status.blocked.map(\.name) == ["b.test"])
        #expect(status.runs.map(\.ending) == ["page-limit"])
        #expect(status.runningProcess == nil)
        #expect(status.state == .idle)
        #expect(status.progress == nil)
        let later = try StorageStatus(reader, now: web.time.date.addingTimeInterval(40 * 86_400))
        #expect(later.due > 0)
        #expect(later.blocked.isEmpty)
    }

    @Test func `a folder without a job is an error that says so`() {
        let error = #expect(throws: StorageError.self) { try StorageReader(folder: folder.url) }
        #expect(error?.description.contains("no job") == true)
    }

    @Test func `progress is read as it was written`() throws {
        let storage = try folder.open()
        let progress = CrawlProgress(
            CrawlStatistics(), concurrency: 8, startedAt: MadeUpTime.start,
            at: MadeUpTime.start.addingTimeInterval(60), ending: .finished)
        try WholeFile.write(
            progress.json(), to: folder.url.appending(path: CrawlProgress.fileName).path, what: "the file of progress")
        let read = try StorageReader(folder: folder.url).progress()
        #expect(read == progress)
        #expect(read?.seconds == 60)
        withExtendedLifetime(storage) {}
    }

    @Test func `every code of an outcome has a sentence`() throws {
        let url = try #require(WebURL("https://a.test/"))
        for code in ["recorded", "disallowed", "excluded-too-deep", "failed-tls", "redirect-refused-other-host"] {
            let sentence = CodeSentences.sentence(ofOutcome: code, detail: nil, at: url, .key)
            #expect(sentence?.hasSuffix(".") == true, "\(code)")
        }
        #expect(CodeSentences.sentence(ofOutcome: "excluded-nothing", detail: nil, at: url, .key) == nil)
        #expect(CodeSentences.sentence(ofOutcome: "no-code", detail: nil, at: url, .key) == nil)
    }
}
