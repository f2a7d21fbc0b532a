import Foundation
import PippinCrawl
import PippinPage
import PippinRender
import PippinStore

/// A crawler with its way to the web, its browser, the archive of its exchanges, and its counters: the same for a job and for a
/// worker's epoch.
struct CrawlEngine: Sendable {
    let crawler: Crawler
    private let configuration: CrawlConfiguration
    private let frontier: any Frontier
    private let console: Console
    private let curl: CurlFetcher
    private let archive: WARCArchive?
    /// Runs the scripts of pages; nil if none may be rendered.
    private let browser: Chromium?

    /// Joins the parts. Nothing is requested before all of them are there.
    ///
    /// - Parameters:
    ///   - appLookup: read by the caller, before anything is written.
    ///   - storageFolder: keeps what rendered pages share; nil: nothing is kept.
    /// - Throws: if a file that the configuration names cannot be read or written.
    init(
        _ configuration: CrawlConfiguration, seeds: [Seed], frontier: any Frontier, console: Console,
        appLookup: AppLookup?, observer: (any VisitObserver)? = nil, storageFolder: String? = nil
    ) throws {
        (self.configuration, self.frontier, self.console) = (configuration, frontier, console)
        let log = try configuration.output.logPath.map { try CrawlLog(path: $0) }
        let curl = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        self.curl = curl
        archive = try configuration.output.archivePath.map {
            try WARCArchive(
                folder: $0, userAgent: configuration.agent.userAgent, memoryBytes: configuration.archiveMemoryBytes,
                rotation: configuration.output.archiveRotation)
        }
        for cut in archive?.cutFiles ?? [] { console.say("\(cut)", level: .warning) }
        browser =
            configuration.rendersPages(with: seeds)
            ? Chromium(configuration.render, as: configuration.agent) { console.say($0, level: .warning) } : nil
        crawler = Crawler(
            configuration: configuration, seeds: seeds,
            fetcher: archive.map { ArchivingFetcher(curl, archive: $0) } ?? curl, frontier: frontier,
            appLookup: appLookup, logger: console.logger, observer: observer, log: log, renderer: browser,
            subresourceFolder: configuration.render.diskCacheBytes > 0
                ? storageFolder.map { $0 + "/" + SubresourceStore.folderName } : nil)
    }

    /// Crawls and publishes the counters.
    ///
    /// - Parameters:
    ///   - interrupt: breaks the crawl off.
    ///   - addTasks: adds what goes on beside the crawl. It is cancelled when the crawl ends.
    /// - Returns: nil if the crawl broke off.
    func crawl(
        storageFolder: String?, startedAt: Date, until interrupt: Interrupt, _ troubles: inout Troubles,
        beside addTasks: @Sendable (inout ThrowingTaskGroup<Void, any Error>) -> Void
    ) async -> CrawlSummary? {
        await browser?.check()
        let publishing = metrics(storageFolder: storageFolder, startedAt: startedAt)
        let crawl = await troubles.attempt {
            try await withThrowingTaskGroup(of: Void.self) { beside in
                defer { beside.cancelAll() }
                addTasks(&beside)
                if let archive {
                    // An archive with holes is none: if it cannot be written, the run ends as if it were interrupted.
                    beside.addTask { for await _ in archive.troubles { crawler.stop() } }
                }
                return try await publishing.during { try await interrupt.cancels { try await crawler.run() } }
            }
        }
        if let trouble = crawl?.trouble { troubles.note(trouble) }
        return crawl?.summary
    }

    private func metrics(storageFolder: String?, startedAt: Date) -> MetricsOutput {
        var metrics = MetricsOutput(
            output: configuration.output, storageFolder: storageFolder, crawler: crawler,
            concurrency: configuration.fetch.concurrency, startedAt: startedAt, console: console)
        if let kept = frontier as? SQLiteFrontier, let storageFolder {
            metrics.showHosts = { try await kept.showHosts() }
            metrics.health = { try kept.health(folder: URL(filePath: storageFolder)) }
        }
        return metrics
    }

    /// Writes the file of metrics once more, with what the end of the run has changed in the storage.
    func publishEnd(_ summary: CrawlSummary, storageFolder: String?, startedAt: Date) throws {
        try metrics(storageFolder: storageFolder, startedAt: startedAt).writeMetrics(ending: summary.ending)
    }

    /// Ends what is still open.
    func close(_ troubles: inout Troubles) async {
        await browser?.shutdown()
        await curl.shutdown()
        await troubles.attempt { try await archive?.close() }
    }
}
