import Foundation
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// The report of a job has all that the storage knows, whichever run saw it.
@Suite struct KeptReportTests {
    private let job = ReportedJob()
    private var web: FakeWeb { job.web }
    private let day = Duration.seconds(86_400)

    /// Pages with something to fix on each, of one title twice, one that only a sitemap names, and a dead link.
    private func publish() { Self.publish(job) }

    private static func publish(_ job: ReportedJob) {
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
        let seeds = try Seeds.parse(ReportedJob.seeds.joined(separator: "\n"), file: "seeds.txt")
        var settings = CrawlConfiguration()
        settings.fetch.retries = 0
        configure(&settings)
        let settled = settings
        let reporter = CrawlReporter(configuration: settled, seeds: seeds, isKept: isKept)
        let startedAt = web.time.date
        let summary = try await job.run(after: wait, observer: reporter) { $0 = settled }
        let kept = isKept ? try job.open().keptObservations() : nil
        let report = try reporter.report(
            of: summary, startedAt: dated ? startedAt : nil, finishedAt: MadeUpTime.start, kept: kept)
        return (report, reporter.hasReadAnything)
    }

    private func members(_ report: SiteReport) throws -> [String: String] {
        let all = try #require(report.json.object).members.map { ($0.key, $0.value) }
        return Dictionary(
            uniqueKeysWithValues: all.map { ($0.0, String(decoding: $0.1.bytes(pretty: true), as: UTF8.self)) })
    }

    private static let ofTheSite = [
        "totals", "seeds", "checks", "hosts", "worstPages", "withoutDeepLinks", "notVerified", "orphans", "broken",
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
        let entry = try job.open().begin(at: web.time.date)
        let answer = try await run()
        try job.open().end(entry, at: web.time.date, ending: ending.rawValue, visits: 1, records: 0)
        return answer
    }

    @Test func `the report of a storage says of the site what the run's report says`() async throws {
        publish()
        let written = try await listed(.finished) { try await report(dated: true).report }
        let reader = try StorageReader(folder: job.folder)
        let read = try #require(try reader.siteReport(CrawlConfiguration(), now: web.time.date))
        let (a, b) = (try members(written), try members(read))
        for key in Self.ofTheSite { #expect(a[key] == b[key], "\(key)") }
        #expect(read.cards.map(\.name) == written.cards.map(\.name))
        let pieces = read.pieces(cardFolder: "/site/pages/")
        let content = pieces.content.html
        #expect(content.contains("href=\"/site/pages/001-") && !content.contains("style="))
    }

    @Test func `the report of a storage names what was not covered, and is none without a run that judges`()
        async throws
    {
        publish()
        _ = try await job.run { $0.scope.maximumPages = 1 }
        let reader = try StorageReader(folder: job.folder)
        #expect(try reader.siteReport(CrawlConfiguration()) == nil)
        let version = try reader.version()
        _ = try await listed(.pageLimit) { try await report { $0.scope.maximumPages = 2 } }
        #expect(try reader.version() != version)
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
        let kept = try ReportSchema.siteReport.verdict(of: idle.report.json.bytes())
        #expect(kept.status == 0, "\(kept.output.prefix(4_000))")
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
        web["https://a.test/1"] = [.html("<title>One</title>fixed")]
        let fixed = try await report(after: .seconds(40 * 86_400), dated: true).report
        #expect(fixed.broken.map(\.url) == ["https://a.test/4", "https://a.test/gone"])
        #expect(fixed.sameTitle.isEmpty && fixed.earlierPages == 0)
    }

    @Test func `a run without a report drops what has gone, and keeps the rest as it was judged`() async throws {
        publish()
        let first = try await report().report
        web["https://a.test/4"] = [.status(410)]
        _ = try await job.run(after: .seconds(40 * 86_400)) { $0.fetch.retries = 0 }
        let idle = try await report(after: .seconds(60), dated: true).report
        #expect(idle.pages == first.pages - 1)
        #expect(idle.earlierPages == idle.pages)
    }

    @Test func `a report of a job judges what is due, changed or not, and has the rest from earlier runs`()
        async throws
    {
        job.page("https://a.test/", links: ["/1"], tag: "\"a\"")
        job.page("https://a.test/1", says: "one", tag: "\"1\"")
        _ = try await job.run()
        let seeds = try Seeds.parse(ReportedJob.seeds.joined(separator: "\n"), file: "seeds.txt")
        func report(after wait: Duration) async throws -> (SiteReport, hasRead: Bool) {
            let reporter = CrawlReporter(configuration: CrawlConfiguration(), seeds: seeds, isKept: true)
            let summary = try await job.run(after: wait, observer: reporter)
            let storage = try job.open()
            let report = try reporter.report(
                of: summary, startedAt: web.time.date.addingTimeInterval(-30), finishedAt: web.time.date,
                kept: storage.keptObservations())
            return (report, reporter.hasReadAnything)
        }
        // The first run made no report, and nothing is due yet.
        let none = try await report(after: .seconds(60))
        #expect(none.0.pages == 0 && !none.0.crawl.isComplete && !none.hasRead)
        #expect(none.0.crawl.notCovered.map { "\($0.code) \($0.count)" } == ["not-judged 2"])
        let whole = try await report(after: day + .seconds(3600))
        #expect(whole.0.pages == 2 && whole.0.crawl.isComplete && whole.hasRead && whole.0.earlierPages == 0)
        let idle = try await report(after: .seconds(60))
        #expect(idle.0.pages == 2 && idle.0.crawl.isComplete && !idle.hasRead && idle.0.earlierPages == 2)
        #expect(idle.0.crawl.notCovered.isEmpty)
    }

    /// The report of one run over the site, kept nowhere.
    private static func wholeReport() async throws -> SiteReport {
        let job = ReportedJob()
        publish(job)
        let seeds = try Seeds.parse(ReportedJob.seeds.joined(separator: "\n"), file: "seeds.txt")
        var configuration = CrawlConfiguration()
        configuration.fetch.retries = 0
        let settled = configuration
        let reporter = CrawlReporter(configuration: settled, seeds: seeds)
        let summary = try await job.run(observer: reporter) { $0 = settled }
        return try reporter.report(of: summary, finishedAt: MadeUpTime.start)
    }
}
