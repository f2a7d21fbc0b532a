import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport
@testable import PippinStore

/// The report of a job has all that the storage knows, whichever run saw it.
@Suite struct KeptReportTests {
    private let job = JobUnderTest()
    private var web: FakeWeb { job.web }
    private let day = Duration.seconds(86_400)
    private static let seeds = ["https://a.test/"]

    /// Pages with something to mend on each, of one title twice, one that only a sitemap names, and a dead link.
    private func publish() { Self.publish(job) }

    private static func publish(_ job: JobUnderTest) {
        let web = job.web
        web.robots("https://a.test", "User-agent: *\nAllow: /\nSitemap: https://a.test/sitemap.xml\n")
        let listed = ["/", "/1", "/2", "/orphan"].map { "<url><loc>https://a.test\($0)</loc></url>" }.joined()
        web["https://a.test/sitemap.xml"] = [
            .xml("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\(listed)</urlset>")
        ]
        job.page("https://a.test/", links: ["/1", "/2", "/3", "/gone"])
        for number in 1...3 {
            web["https://a.test/\(number)"] = [
                .html(
                    "<title>\(number == 3 ? "Three" : "Same")</title><meta name=apple-itunes-app content='app-id=1, app-argument=x'>"
                        + "<p>Text number \(number), long enough to be compared with others of its kind.</p><a href=/4>4</a>"
                )
            ]
        }
        job.page("https://a.test/4", says: "four")
        job.page("https://a.test/orphan", says: "orphan")
        web["https://a.test/gone"] = [.status(404)]
    }

    private func report(
        after wait: Duration = .zero, isKept: Bool = true, dated: Bool = false,
        configure: (inout CrawlConfiguration) -> Void = { _ in }
    ) async throws -> (report: SiteReport, hasRead: Bool) {
        let seeds = try Seeds.parse(Self.seeds.joined(separator: "\n"), file: "seeds.txt")
        var settings = CrawlConfiguration()
        settings.fetch.retries = 0
        configure(&settings)
        let settled = settings
        let reporter = CrawlReporter(configuration: settled, seeds: seeds, isKept: isKept)
        let startedAt = web.time.date
        let run = try await job.run(after: wait, seeds: Self.seeds, observer: reporter) { $0 = settled }
        let kept = isKept ? try job.folder.open().keptObservations() : nil
        let report = try reporter.report(
            of: run.summary, startedAt: dated ? startedAt : nil, finishedAt: MadeUpTime.start, kept: kept)
        return (report, reporter.hasReadAnything)
    }

    private func members(_ report: SiteReport) throws -> [String: String] {
        let all = try #require(report.json.object).members.map { ($0.key, $0.value) }
        return Dictionary(
            uniqueKeysWithValues: all.map { ($0.0, String(decoding: $0.1.bytes(pretty: true), as: UTF8.self)) })
    }

    private static let ofTheSite = [
        "totals", "seeds", "checks", "hosts", "worstPages", "withoutDeepLinks", "notBacked", "orphans", "broken",
        "depths", "sameTitle", "sameDescription", "sameContent", "complete",
    ]

    @Test func `a run that was resumed reports the same as one that was not interrupted`() async throws {
        publish()
        let whole = try await Self.wholeReport()
        for limit in [2, 3] {
            let part = try await report { $0.scope.maximumPages = limit }.report
            #expect(part.crawl.ending == .pageLimit && part.pages < whole.pages)
        }
        let last = try await report().report
        #expect(last.pages == whole.pages && last.pages > 5)
        let (a, b) = (try members(last), try members(whole))
        for key in Self.ofTheSite { #expect(a[key] == b[key], "\(key)") }
        #expect(last.cards.map(\.name) == whole.cards.map(\.name))
        for (one, other) in zip(last.cards, whole.cards) {
            let findings = { (card: ReportCard) in card.findings.map { "\($0.check.id) \($0.outcome) \($0.sentence)" } }
            #expect(findings(one.card) == findings(other.card), "\(one.name)")
        }
    }

    /// Enters a run into the storage's list of runs, as `pippin crawl` does.
    private func listed<Answer>(
        _ ending: CrawlSummary.Ending, _ run: () async throws -> Answer
    ) async throws -> Answer {
        let entry = try job.folder.open().begin(at: web.time.date)
        let answer = try await run()
        try job.folder.open().end(entry, at: web.time.date, ending: ending.rawValue, visits: 1, records: 0)
        return answer
    }

    @Test func `the report of a storage says of the site what the run's report says`() async throws {
        publish()
        let written = try await listed(.finished) { try await report(dated: true).report }
        let reader = try StorageReader(folder: job.folder.url)
        let read = try #require(try reader.siteReport(CrawlConfiguration(), now: web.time.date))
        let (a, b) = (try members(written), try members(read))
        for key in Self.ofTheSite { #expect(a[key] == b[key], "\(key)") }
        #expect(read.cards.map(\.name) == written.cards.map(\.name))
        let pieces = read.pieces(cardFolder: "/site/pages/")
        #expect(pieces.content.contains("href=\"/site/pages/001-") && !pieces.content.contains("style="))
    }

    @Test func `the report of a storage names what was not covered, and is none without a run that judges`()
        async throws
    {
        publish()
        _ = try await job.run(seeds: Self.seeds) { $0.scope.maximumPages = 1 }
        let reader = try StorageReader(folder: job.folder.url)
        #expect(try reader.siteReport(CrawlConfiguration()) == nil)
        let version = try reader.reportVersion()
        _ = try await listed(.pageLimit) { try await report { $0.scope.maximumPages = 2 } }
        #expect(try reader.reportVersion() != version)
        let read = try #require(try reader.siteReport(CrawlConfiguration()))
        #expect(!read.isComplete && read.notCovered.map(\.code).contains("queued"))
        #expect(read.crawl.ending == .pageLimit)
    }

    @Test func `a run with nothing to do has read nothing, and knows all that was read, with its dates`() async throws {
        publish()
        let first = try await report(dated: true).report
        #expect(first.earlierPages == 0 && !first.html.contains("earlier run"))
        let idle = try await report(after: .seconds(120), dated: true)
        #expect(!idle.hasRead)
        #expect(idle.report.pages == first.pages && idle.report.earlierPages == first.pages)
        #expect(idle.report.cards.map(\.name) == first.cards.map(\.name))
        #expect(idle.report.hosts.first?.oldest != nil)
        #expect(idle.report.html.contains("No page was judged in this run"))
        let json = String(decoding: idle.report.json.bytes(pretty: true), as: UTF8.self)
        #expect(json.contains("\"judgedAt\"") && json.contains("\"seenAt\"") && json.contains("\"earlier\""))
    }

    @Test func `a page that goes leaves the report, and one that fails stays with what was seen last`() async throws {
        publish()
        let first = try await report().report
        web["https://a.test/4"] = [.status(410)]
        web["https://a.test/1"] = [.status(500)]
        let later = try await report(after: .seconds(40 * 86_400), dated: true).report
        #expect(later.pages == first.pages - 1)
        #expect(
            later.broken.map { "\($0.url) \($0.why)" } == [
                "https://a.test/1 status 500", "https://a.test/4 status 410", "https://a.test/gone status 404",
            ])
        // The failing page keeps its place among the others; its card is the one of the day it was read.
        #expect(later.sameTitle.first?.urls == ["https://a.test/1", "https://a.test/2"])
        #expect(later.cards.contains { $0.card.url.path == "/1" && $0.card.keptSections != nil })
        // It is there again.
        web["https://a.test/1"] = [.html("<title>One</title>mended")]
        let mended = try await report(after: .seconds(40 * 86_400), dated: true).report
        #expect(mended.broken.map(\.url) == ["https://a.test/4", "https://a.test/gone"])
        #expect(mended.sameTitle.isEmpty && mended.earlierPages == 0)
    }

    @Test func `a run without a report drops what has gone, and keeps the rest as it was judged`() async throws {
        publish()
        let first = try await report().report
        web["https://a.test/4"] = [.status(410)]
        _ = try await job.run(after: .seconds(40 * 86_400), seeds: Self.seeds) { $0.fetch.retries = 0 }
        let idle = try await report(after: .seconds(60), dated: true).report
        #expect(idle.pages == first.pages - 1)
        #expect(idle.earlierPages == idle.pages)
    }

    @Test func `cards are kept of the worst pages alone, however many there are`() throws {
        let storage = try job.folder.open()
        func visit(_ outcome: VisitOutcome) throws -> FinishedVisit {
            FinishedVisit(
                request: CrawlRequest(
                    url: try #require(WebURL("https://a.test/")),
                    seed: Seed(url: try #require(WebURL("https://a.test/"))), discovery: .seed),
                outcome: outcome, finishedAt: MadeUpTime.start,
                next: RecrawlPolicy(CrawlConfiguration.Recrawl()).next(after: .firstVisit, isMiss: false, previous: nil)
            )
        }
        try storage.write { database in
            let table = try ObservationTable(database, misses: 3, keptDetails: 5)
            for number in 1...40 {
                let kept = KeptObservation(
                    entry: [1], details: [2], weight: number * 7 % 41, stands: true, mayPass: false)
                try table.apply(kept, of: visit(.recorded), url: Int64(number))
                let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM card") ?? 0
                #expect(count < 10)
            }
            let kept = try Int.fetchAll(database, sql: "SELECT weight FROM card ORDER BY weight DESC LIMIT 5")
            #expect(kept == [40, 39, 38, 37, 36])
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM judgement") == 40)
            // A page that goes takes its entry and its card along.
            for number in 1...40 { try table.apply(nil, of: visit(.gone(status: 404)), url: Int64(number)) }
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM judgement") == 0)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM card") == 0)
        }
    }

    /// The report of one run over the site, kept nowhere.
    private static func wholeReport() async throws -> SiteReport {
        let job = JobUnderTest()
        publish(job)
        let seeds = try Seeds.parse(Self.seeds.joined(separator: "\n"), file: "seeds.txt")
        var configuration = CrawlConfiguration()
        configuration.fetch.retries = 0
        let settled = configuration
        let reporter = CrawlReporter(configuration: settled, seeds: seeds)
        let run = try await job.run(observer: reporter) { $0 = settled }
        return try reporter.report(of: run.summary, finishedAt: MadeUpTime.start)
    }
}
