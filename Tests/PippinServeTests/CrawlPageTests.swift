import Foundation
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinServe
@testable import PippinStore

@Suite struct CrawlPageTests {
    private let folder: URL
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pippin-crawl-page-\(UUID().uuidString)")
    }

    private func context() throws -> WebContext {
        var settings = WebSettings(storage: folder)
        settings.awaitsStorage = true
        return try WebContext(settings)
    }

    private func html(at seconds: TimeInterval) throws -> String {
        let status = try StorageStatus(StorageReader(folder: folder), now: start.addingTimeInterval(seconds))
        return CrawlPage.html(status, try context())
    }

    private func writeProgress(ending: CrawlSummary.Ending? = nil, waitingFor host: String? = nil) throws {
        var timeline = CrawlTimeline()
        var statistics = CrawlStatistics()
        for second in 0...60 {
            statistics.pages = second * 4
            statistics.requests = second * 5
            statistics.answersByClass = [2: second * 5]
            statistics.scheduled = 1000 - second
            timeline.add(CrawlTimeline.Sample(statistics, seconds: Double(second)))
        }
        if let host {
            statistics.waiting = CrawlWait(
                host: host, reason: "robots.txt 503", until: start.addingTimeInterval(90), otherHosts: 2)
        }
        let progress = CrawlProgress(
            statistics, concurrency: 8, startedAt: start, at: start.addingTimeInterval(60), ending: ending,
            pagesPerSecond: 4, timeline: timeline)
        try WholeFile.write(
            progress.json(), to: folder.appending(path: CrawlProgress.fileName).path, what: "the file of progress")
    }

    @Test func `without a crawl the page says how to begin one, and shows it when it is there`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try context()
        #expect(try await context.crawlState.current(context) == nil)
        #expect(CrawlPage.html(nil, context).contains("No crawl yet"))
        #expect(throws: WebRefusal.self) { try context.job }
        let storage = try CrawlStorage(folder: folder)
        _ = try storage.begin(at: start)
        _ = try context.job
        #expect(try html(at: 1).contains("A run goes on."))
    }

    @Test func `a run is shown from its files alone: pace, course, what it waits for`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let storage = try CrawlStorage(folder: folder)
        let run = try storage.begin(at: start)
        try writeProgress(waitingFor: "down.test")
        let during = try html(at: 60)
        #expect(during.contains("A run goes on.") && during.contains("240 pages so far"))
        #expect(during.contains("waiting for down.test and 2 more: robots.txt 503"))
        #expect(during.contains("<div class=\"number \">4</div><h3>pages a second</h3>"))
        #expect(during.contains("aria-label=\"Pages a second over 60 s: at most 4\""))
        // One bar for each step between two samples.
        #expect(during.split(separator: "<rect ").count - 1 == 60)
        try storage.end(run, at: start.addingTimeInterval(60), ending: "finished", visits: 240, records: 3)
        try writeProgress(ending: .finished)
        let after = try html(at: 3_660)
        #expect(after.contains("No run goes on. The last one ended on 2027-01-15 08:01 UTC: nothing is left to visit."))
        #expect(!after.contains("waiting for"))
    }

    @Test func `what servers chose stays text, and nothing is styled in place`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let storage = try CrawlStorage(folder: folder)
        _ = try storage.begin(at: start)
        try writeProgress(waitingFor: "<script>alert(1)</script>")
        let html = try html(at: 60)
        #expect(html.contains("&lt;script&gt;") && !html.contains("<script"))
        #expect(!html.contains("style=") && !html.contains("onclick"))
    }

    @Test(arguments: [
        (0, "0"), (0.346, "0.35"), (4.26, "4.3"), (5, "5"), (41.4, "41"), (12_345.6, "12,346"), (.infinity, "–"),
    ])
    func `a pace has no more digits than it deserves`(value: Double, text: String) {
        #expect(CrawlPage.rate(value) == text)
    }

    @Test func `the site report says what to do as long as there is none`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        withExtendedLifetime(try CrawlStorage(folder: folder)) {}
        let context = try context()
        #expect(try await context.siteReport.current(context) == nil)
        let route = try WebRoutes().route(.get, "/site")
        let answer = try await route.answer(WebRequest(path: "/site"), context)
        #expect(answer.status == .ok && String(decoding: answer.body, as: UTF8.self).contains("pippin crawl --report"))
    }
}
