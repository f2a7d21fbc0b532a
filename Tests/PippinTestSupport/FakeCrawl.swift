import Foundation

@testable import PippinCrawl
@testable import PippinPage

/// One crawl of a `FakeWeb` in made-up time, and what came of it.
public struct FakeCrawl: Sendable {
    public let summary: CrawlSummary
    public let records: [DeepLinkRecord]
    public let deletions: [RecordDeletion]
    public let web: FakeWeb

    /// Identifiers of the records, sorted.
    public var recorded: [String] { records.map(\.uniqueIdentifier).sorted() }
    public var outcomes: [String: Int] { summary.statistics.outcomes }
    /// Counters of one kind of files.
    public func siteFiles(_ kind: SiteFileKind) -> [String: Int] {
        summary.statistics.siteFiles.reduce(into: [:]) { counts, entry in
            let prefix = kind.rawValue + "-"
            if entry.key.hasPrefix(prefix) { counts[String(entry.key.dropFirst(prefix.count))] = entry.value }
        }
    }

    /// - Parameters:
    ///   - seeds: lines as in `seeds.txt`.
    ///   - renderer: runs the scripts of pages.
    ///   - subresourceFolder: keeps what they ask for.
    ///   - observer: makes the crawl's observer.
    ///   - start: called with the crawler just before it runs, to stop it later.
    public static func run(
        _ web: FakeWeb, seeds: [String], appLookup: AppLookup? = nil,
        configure: (inout CrawlConfiguration) -> Void = { _ in },
        log: CrawlLog? = nil, renderer: (any Renderer)? = nil, subresourceFolder: String? = nil,
        observer: (CrawlConfiguration, [Seed]) -> (any VisitObserver)? = { _, _ in nil },
        start: @escaping @Sendable (Crawler) -> Void = { _ in }
    ) async throws -> FakeCrawl {
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        configure(&configuration)
        let settled = configuration
        let list = try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt")
        let time = web.time
        let sink = MemorySink()
        let observer = observer(settled, list)
        let summary = try await time.run {
            let crawler = Crawler(
                configuration: settled, seeds: list, fetcher: web,
                frontier: MemoryFrontier(
                    limits: FrontierLimits(settled, seeds: list.count), scope: CrawlScope(settled, seeds: list),
                    sinks: [sink], date: { time.date }),
                appLookup: appLookup, clock: time.clock, observer: observer,
                log: log, renderer: renderer, subresourceFolder: subresourceFolder)
            start(crawler)
            return try await crawler.run()
        }
        return FakeCrawl(
            summary: summary, records: await sink.records, deletions: await sink.deletions, web: web)
    }
}
