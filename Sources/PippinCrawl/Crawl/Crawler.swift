import Logging
import PippinPage

/// A crawl: seeds in, records out. `run()` is one loop that owns the politeness schedule, starts every visit that is due, and
/// waits for the next event. See `CrawlLoop` for the loop and `Visit` for a visit.
public final class Crawler: Sendable {
    /// A fault of the configuration because of which the crawl may not start.
    enum SetUpError: ReportedError, Sendable, Equatable {
        case noSeeds
        /// A public host would be asked without a contact for its operator.
        case contactMissing(host: String, Setting.Spelling)
        /// The contact is the placeholder of the configuration that we ship.
        case contactIsPlaceholder(host: String, Setting.Spelling)
        /// A public host would be asked more often than is allowed for public hosts.
        case delayTooShort(host: String, Duration, Setting, Setting.Spelling)

        var exitStatus: ExitStatus { .usage }

        var description: String {
            switch self {
            case .noSeeds:
                "there is nothing to crawl: give URLs, or write seeds into the seeds file"
            case .contactMissing(let host, let spelling):
                "\(host) is a public host: set \(Setting.contact.spelled(spelling)) to a URL or mail address where its owner reaches you"
            case .contactIsPlaceholder(let host, let spelling):
                "\(host) is a public host, and \(Setting.contact.spelled(spelling)) is an example that reaches nobody: set it to a "
                    + "URL or mail address where its owner reaches you"
            case .delayTooShort(let host, let delay, let setting, let spelling):
                "\(host) is a public host: \(setting.spelled(spelling)) must be 200ms or more, not "
                    + "\(DurationText.describe(delay)), which is for private hosts only"
            }
        }
    }

    /// The memory for everything that the web makes this crawl keep.
    let memory: MemoryBudget
    private let context: Visit.Context
    private let seeds: [Seed]
    private let logger: Logger
    private typealias Signal = (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private let stopSignal: Signal
    private let closeSignal: Signal

    /// Prepares a crawl.
    ///
    /// - Parameters:
    ///   - observer: is shown what each visit saw.
    ///   - log: receives a line for every visit.
    ///   - renderer: runs the scripts of pages; needed if the configuration has any rendered.
    ///   - subresourceFolder: keeps what scripts of rendered pages asked for, for later runs.
    ///   - appLookup: app identifiers from the App Store, in addition to those of the seeds.
    public convenience init(
        configuration: CrawlConfiguration, seeds: [Seed], fetcher: any Fetcher, frontier: any Frontier,
        appLookup: AppLookup? = nil, clock: CrawlClock = .continuous,
        logger: Logger = Logger(label: "pippin.crawl"), observer: (any VisitObserver)? = nil, log: CrawlLog? = nil,
        renderer: (any Renderer)? = nil, subresourceFolder: String? = nil
    ) {
        self.init(
            configuration: configuration, seeds: seeds, fetcher: fetcher, frontier: frontier,
            appLookup: appLookup, clock: clock, logger: logger, observer: observer, log: log, renderer: renderer,
            subresourceFolder: subresourceFolder,
            threads: CrawlThreads(
                timeout: configuration.fetch.readingTimeout, count: clock.isMadeUp ? 0 : CrawlThreads.usualCount,
                logger: logger))
    }

    /// Prepares a crawl on existing threads.
    ///
    /// - Parameter threads: closed at the end of the run.
    init(
        configuration: CrawlConfiguration, seeds: [Seed], fetcher: any Fetcher, frontier: any Frontier,
        appLookup: AppLookup? = nil, clock: CrawlClock = .continuous,
        logger: Logger = Logger(label: "pippin.crawl"), observer: (any VisitObserver)? = nil, log: CrawlLog? = nil,
        renderer: (any Renderer)? = nil, subresourceFolder: String? = nil, threads: CrawlThreads
    ) {
        self.seeds = seeds
        self.logger = logger
        memory = MemoryBudget(limit: configuration.fetch.memoryBytes - configuration.archiveMemoryBytes)
        stopSignal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        closeSignal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let scope = CrawlScope(configuration, seeds: seeds)
        let rendering = renderer.map { renderer in
            CrawlRendering(
                renderer: renderer,
                desk: SubresourceDesk(
                    keepingBytes: configuration.render.cacheBytes,
                    store: subresourceFolder.map { folder in
                        SubresourceStore(
                            folder: folder, maximumBytes: configuration.render.diskCacheBytes, clock: clock
                        ) { logger.warning("\($0). What rendered pages share is not kept for later runs") }
                    }, clock: clock))
        }
        context = Visit.Context(
            configuration: configuration, scope: scope,
            gate: RequestGate(fetcher, configuration, scope: scope), frontier: frontier, clock: clock,
            statistics: RunningStatistics(seeds: scope.own(seeds)), appLookup: appLookup, threads: threads,
            memory: memory, rendering: rendering,
            observer: observer, log: log)
    }

    /// The current statistics, during the run and afterwards.
    public var statistics: CrawlStatistics { context.statistics.now }

    /// Starts nothing more and lets requests in flight finish; `run()` then returns. To stop at once, cancel the task that runs
    /// it: requests are aborted, and their URLs go back to the frontier. Neither way loses anything.
    public func stop() {
        stopSignal.continuation.yield()
    }

    /// Starts no more visits. Those under way end in order: pages that wait for files of their sites get them, so that no page has
    /// to be fetched again. `run()` then returns. `stop()` may follow.
    public func close() {
        closeSignal.continuation.yield()
    }

    /// Crawls until nothing is left, a limit is reached, or the crawl is stopped. Call it once.
    ///
    /// - Throws: `SetUpError`, and errors of the frontier, which end the crawl.
    public func run() async throws -> CrawlSummary {
        if let problem = Self.setUpProblem(context.configuration, seeds: seeds) { throw problem }
        defer { context.threads.close() }
        return try await context.threads.run { try await crawl() }
    }

    private func crawl() async throws -> CrawlSummary {
        var loop = CrawlLoop(context: context, seeds: context.scope.own(seeds), logger: logger)
        let (stops, closings) = (stopSignal.stream, closeSignal.stream)
        return try await withThrowingTaskGroup(of: CrawlLoop.Event.self) { group in
            group.addTask {
                for await _ in stops { break }
                return .stopWanted
            }
            group.addTask {
                for await _ in closings { break }
                return .closingWanted
            }
            let summary = try await loop.run(&group)
            group.cancelAll()
            return summary
        }
    }

    /// The reason why the seeds may not be crawled with this configuration; nil if they may. Public hosts that are only linked
    /// to are judged when a link leads there: without a contact they are skipped, and none is asked more often than
    /// `minimumPublicDelay` allows.
    static func setUpProblem(_ configuration: CrawlConfiguration, seeds: [Seed]) -> SetUpError? {
        guard !seeds.isEmpty else { return .noSeeds }
        let politeness = configuration.politeness
        let minimum = CrawlConfiguration.minimumPublicDelay
        let spelling = configuration.messages.settings
        for host in Set(seeds.map(\.url.politenessHost)).sorted() where HostReach(host: host) == .publicHost {
            switch configuration.agent.contactProblem {
            case .missing: return .contactMissing(host: host, spelling)
            case .placeholder: return .contactIsPlaceholder(host: host, spelling)
            case nil: break
            }
            let delay = configuration.delay(of: host)
            if delay < minimum { return .delayTooShort(host: host, delay, .delay, spelling) }
            if let delay = politeness.delayPerAddress, delay < minimum {
                return .delayTooShort(host: host, delay, .delayPerAddress, spelling)
            }
        }
        return nil
    }
}
