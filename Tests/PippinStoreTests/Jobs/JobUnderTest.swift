import Foundation
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Runs of one job with a storage, some made-up time apart, over a web that changes meanwhile.
struct JobUnderTest: Sendable {
    struct Run: Sendable {
        let summary: CrawlSummary
        /// What the feed has since the run began: `+` or `-`, and the identifier.
        let changes: [String]

        var outcomes: [String: Int] { summary.statistics.outcomes }
    }

    let folder = StorageFolder()
    let web = FakeWeb(time: MadeUpTime())

    /// One run; `after` the last.
    func run(
        after wait: Duration = .zero, seeds: [String] = ["https://a.test/"],
        observer: (any VisitObserver)? = nil,
        configure: (inout CrawlConfiguration) -> Void = { _ in }
    ) async throws -> Run {
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        configure(&configuration)
        let settled = configuration
        let list = try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt")
        let storage = try folder.open()
        let cursor = try storage.feed.end()
        let web = web
        let time = web.time
        let summary = try await time.run {
            await time.sleep(until: time.now + wait)
            let frontier = try storage.frontier(
                recrawl: settled.recrawl, limits: FrontierLimits(settled, seeds: list.count), date: { time.date },
                executor: time.actors)
            return try await Crawler(
                configuration: settled, seeds: list, fetcher: web, frontier: frontier, clock: time.clock,
                observer: observer
            ).run()
        }
        return Run(summary: summary, changes: try storage.feed.summary(since: cursor))
    }

    /// A page that opens an app.
    func page(_ url: String, says text: String = "", links: [String] = [], tag: String? = nil) {
        web[url] = [.appPage(url, says: text, links: links, tag: tag)]
    }

    /// Requests for a URL so far.
    func visits(of url: String) -> [FakeWeb.LogEntry] { web.log.filter { $0.url == url } }

    /// The record as it is in the index now; nil when it is not.
    func record(_ identifier: String) throws -> String? {
        var found: String?
        try folder.open().feed.read(since: nil) { change in
            guard change.identifier == identifier, !change.isDeletion else { return }
            found = String(decoding: change.document, as: UTF8.self)
        }
        return found
    }
}
