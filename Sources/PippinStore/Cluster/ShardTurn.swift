import Foundation
import PippinCrawl
import PippinPage
import Synchronization

/// One turn of one shard, over its storage (Docs/Cluster.md): takes what the driver hands over, crawls until the turn is over, and
/// tells what has changed. `pippin worker` runs it, and so do simulations.
public struct ShardTurn: Sendable {
    /// A line of the input.
    public struct Line: Sendable {
        /// Its number, for messages.
        public let number: Int
        public let message: WorkerMessage

        public init(number: Int, message: WorkerMessage) {
            (self.number, self.message) = (number, message)
        }
    }

    /// For how long pages that were read still get files of their sites when the turn is over. Requests in flight end in any case.
    private static let grace = Duration.seconds(5)

    /// Whether the turn was over before its crawl had ended.
    private final class TimeIsOver: Sendable {
        let isTrue = Atomic(false)
    }

    public let frontier: SQLiteFrontier
    private let epoch: ShardEpoch
    private let storage: CrawlStorage
    private let scope: CrawlScope
    private let settings: SettingsKey
    private let clock: CrawlClock
    private let start: Duration
    private let wholeConfiguration: CrawlConfiguration
    private var order: EpochOrder
    private var received = EpochReport.Received()
    private var summary: CrawlSummary?
    private var opening = Duration.zero
    private var crawling = Duration.zero
    private let timeIsOver = TimeIsOver()

    /// Begins a turn, or goes on with one after a try that broke off.
    ///
    /// - Parameter configuration: of the job.
    /// - Throws: `ReportedFailure` if the storage is another shard, in a later turn, or not the one that told the cursor; `StorageError`.
    public init(
        _ order: EpochOrder, in storage: CrawlStorage, _ configuration: CrawlConfiguration, seeds: [Seed],
        clock: CrawlClock = .continuous, executor: any SerialExecutor = BlockingExecutor("pippin.frontier")
    ) throws {
        (self.order, self.storage, self.clock, wholeConfiguration) = (order, storage, clock, configuration)
        start = clock.now()
        epoch = try storage.begin(order, at: clock.date())
        scope = CrawlScope(configuration, seeds: seeds)
        settings = SettingsKey(configuration, seeds: seeds)
        frontier = try storage.frontier(
            recrawl: configuration.recrawl, limits: FrontierLimits(configuration, seeds: seeds.count), scope: scope,
            epoch: epoch, tellsLinks: configuration.cluster.tellsLinks, date: clock.date, executor: executor)
    }

    // MARK: In

    /// Takes lines that follow the first. Any number of times.
    ///
    /// - Throws: `WorkerProtocolError` for what belongs to another shard; `StorageError`.
    public mutating func take(_ lines: [Line]) async throws {
        let shard = order.shard
        func check(_ host: String, _ line: Line) throws {
            guard !shard.owns(host) else { return }
            throw WorkerProtocolError(
                line: line.number, problem: "\(host) belongs to shard \(shard.owner(of: host)), not \(shard.number)")
        }
        var requests: [CrawlRequest] = []
        var records: [(record: ToldRecord, page: CrawlRequest)] = []
        var popularity: [(page: WebURL, value: Double)] = []
        for line in lines {
            switch line.message {
            case .request(let request):
                try check(request.host, line)
                requests.append(request)
            case .popularity(let page, let value): popularity.append((page, value))
            case .address(let address, let slots, let interval):
                try order.add(address, slots, every: interval, line: line.number)
            case .record(let record):
                try check(record.page.politenessHost, line)
                records.append((record, record.request(in: scope)))
            case .begin, .end, .lease: break
            }
        }
        if !requests.isEmpty {
            let change = try await frontier.add(requests)
            received.new += change.added
        }
        if !records.isEmpty {
            let change = try await frontier.takeOver(records)
            received.records += change.added
        }
        try await frontier.setPopularity(popularity)
        received.requests += requests.count
        received.popularity += popularity.count
        opening = clock.now() - start
    }

    // MARK: Crawl

    /// The configuration for this turn, with all that its input says.
    public var configuration: CrawlConfiguration {
        var configuration = wholeConfiguration
        configuration.lay(order)
        return configuration
    }

    /// Crawls, if the turn is not over yet: a try that broke off may have used up its time.
    ///
    /// - Parameter crawl: runs a crawler over `frontier`, and `end` beside it.
    public mutating func crawl(_ crawl: () async throws -> CrawlSummary) async throws {
        guard epoch.endsAt > clock.date() else { return try await frontier.close(keeping: []) }
        let (entry, begin) = (try storage.begin(at: clock.date()), clock.now())
        _ = try await frontier.follow(settings)
        let summary = try await crawl()
        try storage.end(
            entry, at: clock.date(), ending: summary.ending.rawValue, visits: summary.statistics.pages,
            records: summary.statistics.records)
        (self.summary, crawling) = (summary, clock.now() - begin)
    }

    /// Sleeps until the turn is over, and ends a crawl then. It is cancelled if the crawl ends earlier.
    public func end(_ crawler: Crawler) async throws {
        let left = Duration.seconds(epoch.endsAt.timeIntervalSince(clock.date()))
        await clock.sleep(clock.now() + left)
        try Task.checkCancellation()
        timeIsOver.isTrue.store(true, ordering: .relaxed)
        crawler.close()
        await clock.sleep(clock.now() + Self.grace)
        try Task.checkCancellation()
        crawler.stop()
    }

    // MARK: Out

    /// Tells what has changed since the order's cursor.
    ///
    /// - Parameter body: gets whole lines.
    /// - Returns: the last line, `done`.
    public func tell(_ body: ([UInt8]) throws -> Void) async throws -> [UInt8] {
        let begin = clock.now()
        try await frontier.noteHosts()
        let news = try ShardNews(of: storage, since: epoch.cursor, body)
        try storage.emptyLog()
        let report = EpochReport(
            epoch, news, received: received, summary: summary, timeIsOver: timeIsOver.isTrue.load(ordering: .relaxed))
        let times = EpochReport.Times(opening: opening, crawling: crawling, telling: clock.now() - begin)
        return report.line(times, endedAt: clock.date())
    }
}
