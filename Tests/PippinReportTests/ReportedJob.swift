import Foundation
import PippinStore
import PippinTestSupport

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// Runs of one job with a storage, some made-up time apart, over a web that changes meanwhile. The storage is gone with the object.
final class ReportedJob: Sendable {
    static let seeds = ["https://a.test/"]

    let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-storage-\(UUID().uuidString)")
    let web = FakeWeb(time: MadeUpTime())

    func open() throws -> CrawlStorage { try CrawlStorage(folder: folder) }

    /// One run; `after` the last.
    func run(
        after wait: Duration = .zero, observer: (any VisitObserver)? = nil,
        configure: (inout CrawlConfiguration) -> Void = { _ in }
    ) async throws -> CrawlSummary {
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        configure(&configuration)
        let settled = configuration
        let seeds = try Seeds.parse(Self.seeds.joined(separator: "\n"), file: "seeds.txt")
        let storage = try open()
        let (web, time) = (web, web.time)
        return try await time.run {
            await time.sleep(until: time.now + wait)
            let frontier = try storage.frontier(
                recrawl: settled.recrawl, limits: FrontierLimits(settled, seeds: seeds.count), date: { time.date },
                executor: time.actors)
            return try await Crawler(
                configuration: settled, seeds: seeds, fetcher: web, frontier: frontier, clock: time.clock,
                observer: observer
            ).run()
        }
    }

    /// A page that opens an app.
    func page(_ url: String, says text: String = "", links: [String] = [], tag: String? = nil) {
        web[url] = [.appPage(url, says: text, links: links, tag: tag)]
    }

    deinit {
        // Left behind at worst, in a temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }
}
