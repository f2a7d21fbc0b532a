import Foundation
import PippinCrawl
import PippinPage
import PippinStore
import Synchronization

/// What all handlers share: the settings, the storage, the counters, and threads for blocking work.
final class WebContext: Sendable {
    let settings: WebSettings
    let keeper: IndexKeeper
    /// Nil if clicks are not kept.
    let clicks: ClickFile?
    let clickLimit = RateLimit(size: 50, interval: .milliseconds(100))
    let metrics = ServerMetrics()
    let clients: ClientAddresses
    let connections: ConnectionTable
    /// Where orders wait that ask hosts of others.
    let fetches = FetchQueue()
    /// Files of sites that may be asked for: a few requests each, where a report card makes dozens.
    let siteFiles = RateLimit(size: 20, interval: .seconds(3))
    /// Orders for report cards; nil if the server makes none.
    let cards: CardDesk?
    /// Receives pings; nil of a server that has pages.
    let pings: PingDesk?
    /// Pictures of records; nil if the server shows none.
    let pictures: PictureDesk?
    let siteReport = SiteReportKeeper()
    let crawlState = CrawlStateKeeper()
    let knownScope = KnownScopeKeeper()
    let sessions = BrowserSessions()
    /// Sign-ins that may be tried.
    let signIns = RateLimit(size: 10, interval: .seconds(6))
    /// Requests with a cookie of no session: guesses, or what browsers keep from before a restart.
    let unknownSessions = RateLimit(size: 60, interval: .seconds(1))

    let searches: SearchQueue
    /// Who has sent the request that is being answered.
    @TaskLocal static var client = ""
    /// Threads for reads of the database that take little. Searches have others.
    private let readers = (0..<4).map { BlockingExecutor("pippin.serve.reader-\($0)") }
    private let lastReader = Atomic<Int>(0)
    private let lastReport = Mutex("")
    private let opened = Mutex<Opened?>(nil)

    /// What is read in the storage folder.
    private struct Opened {
        /// Nil of a job in shards, whose storages are opened when they are read.
        let storage: StorageReader?
        let index: SearchIndex
    }

    private let keptOverview = Mutex<(overview: StorageOverview, at: ContinuousClock.Instant)?>(nil)

    /// - Throws: `StorageError` if the storage cannot be read, or if there is none and none is awaited; `ReportedFailure` if a
    ///   setting cannot be used.
    init(_ settings: WebSettings) throws {
        self.settings = settings
        clients = try ClientAddresses(proxies: settings.proxies)
        connections = ConnectionTable(settings.connections, clients: clients)
        searches = SearchQueue(settings.searches)
        let queue = fetches
        cards = settings.makeCard.map { CardDesk(queue: queue, make: $0) }
        pings = settings.pings.map { PingDesk($0, report: settings.report) }
        pictures = settings.fetchPicture.map { fetch in
            let store = settings.scalePicture.map { _ in
                ThumbnailStore(storage: settings.storage, report: settings.report)
            }
            return PictureDesk(scale: settings.scalePicture, store: store, fetch: fetch)
        }
        clicks = try settings.clicks.map(ClickFile.init)
        let report = settings.report
        keeper = IndexKeeper(folder: settings.storage) { report("\($0)") }
        guard settings.pings == nil else { return }
        if try !settings.awaitsStorage || hasStorage { _ = try open() }
    }

    /// What the header fields of a request give access to; nil if to nothing.
    ///
    /// - Throws: `WebRefusal` if there were too many wrong ones: guesses are limited, wherever they come. Also if a key has expired.
    func access(_ fields: [String: String], now: Date = Date()) throws(WebRefusal) -> WebAccess? {
        guard let token = settings.token else { return .everything }
        let identifier = BrowserSessions.identifier(in: fields)
        if let bearer = AccessToken.bearer(in: fields) {
            if token.matches(bearer) { return .everything }
            if let key = settings.keys?.value(report: settings.report).key(matching: bearer) {
                guard key.expires.map({ now < $0 }) ?? true else {
                    throw WebRefusal(
                        .unauthorized, "This key has expired.",
                        fields: [(.wwwAuthenticate, "Bearer realm=\"pippin\", error=\"invalid_token\"")])
                }
                return .search(key.restriction)
            }
        } else if let identifier, sessions.contains(identifier) {
            return .everything
        }
        if fields["authorization"] != nil {
            try signIns.pass("Sign-ins")
        } else if identifier != nil {
            try unknownSessions.pass("Requests of unknown sessions")
        }
        return nil
    }

    private var hasStorage: Bool { get throws { try JobStorages.exist(in: settings.storage) } }

    private func open() throws -> Opened {
        if let opened = opened.withLock({ $0 }) { return opened }
        guard try !settings.awaitsStorage || hasStorage else {
            throw WebRefusal(
                .serviceUnavailable, "There is no crawl yet: no job has written into the storage. pippin crawl does.",
                fields: [(.retryAfter, "10")])
        }
        let new = Opened(
            storage: try JobStorages(in: settings.storage).shardCount == nil
                ? StorageReader(folder: settings.storage) : nil,
            index: try SearchIndex(folder: settings.storage))
        if let file = settings.clicks { new.index.use(try ClickLog(contentsOf: file.path)) }
        opened.withLock { $0 = new }
        return new
    }

    /// The storages of the job.
    ///
    /// - Throws: `WebRefusal` as long as the job's first run has not begun.
    var job: JobStorages {
        get throws {
            _ = try open()
            return try JobStorages(in: settings.storage)
        }
    }

    /// The storage of a job that is not in shards; throws as `job` does.
    var storage: StorageReader? { get throws { try open().storage } }

    /// The storage that knows of an address; nil if none can.
    ///
    /// - Throws: `WebRefusal` if it belongs to a shard that is not here, and as `job` does.
    func storage(of address: String) throws -> StorageReader? {
        if let whole = try open().storage { return whole }
        guard let url = WebURL(address) else { return nil }
        do {
            return try StorageReader(job.part(of: url.politenessHost))
        } catch let error as ReportedFailure {
            throw WebRefusal(.serviceUnavailable, error.description)
        }
    }

    /// The search index of the job; throws as `job` does.
    var index: SearchIndex {
        get throws {
            let index = try open().index
            if let synonyms = settings.synonyms { index.use(synonyms.value(report: settings.report)) }
            return index
        }
    }

    /// Keeps the index, and takes new clicks into account, until the task is cancelled.
    func keepUp() async {
        if let pings { return await pings.run() }
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: BlockingExecutor("pippin.serve.index")) {
                do {
                    while try self.settings.awaitsStorage && !self.hasStorage {
                        try await Task.sleep(for: Self.storageInterval)
                    }
                } catch is CancellationError {
                    return
                } catch {
                    // The keeper meets the same, and tries again.
                    self.report(error)
                }
                await self.keeper.run()
            }
            guard let file = settings.clicks else { return }
            group.addTask(executorPreference: BlockingExecutor("pippin.serve.clicks")) {
                while true {
                    do {
                        try await Task.sleep(for: Self.clickInterval)
                        try self.index.use(try ClickLog(contentsOf: file.path))
                    } catch is CancellationError {
                        return
                    } catch {
                        self.report(error)
                    }
                }
            }
        }
    }

    /// How often a storage is looked for that the job's first run makes.
    private static let storageInterval = Duration.seconds(1)
    /// Clicks change the order of results slowly, so reading the file more often would change nothing.
    private static let clickInterval = Duration.seconds(60)
    /// How long the overview of the first page holds.
    private static let overviewHolds = Duration.seconds(20)

    /// Runs a search, when it is its turn, and takes its time.
    ///
    /// - Throws: `WebRefusal` if too many others run and wait.
    func search<Answer: Sendable>(
        _ work: @escaping @Sendable (SearchIndex) throws -> Answer
    ) async throws -> (Answer, Duration) {
        try await searching {
            let start = ContinuousClock.now
            let answer = try work(try self.index)
            let time = ContinuousClock.now - start
            self.metrics.search(took: time)
            return (answer, time)
        }
    }

    /// Runs what costs as much as a search, when it is its turn; throws as `search` does.
    func searching<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        try await searches.run(for: Self.client, work)
    }

    /// What the storage holds. Reading it takes a while in a large job, so it is kept for some seconds.
    func overview() async throws -> StorageOverview {
        let now = ContinuousClock.now
        if let kept = keptOverview.withLock({ $0 }), now - kept.at < Self.overviewHolds { return kept.overview }
        let overview = try await blocking { try StorageOverview(self.job) }
        keptOverview.withLock { $0 = (overview, now) }
        return overview
    }

    /// Runs blocking work that takes little on a thread for it.
    func blocking<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        let reader = readers[lastReader.wrappingAdd(1, ordering: .relaxed).newValue & 3]
        return try await withTaskExecutorPreference(reader) { try work() }
    }

    /// What to say to whoever asked, of an error that a handler has thrown. Its details are for the operator.
    func refusal(for error: any Error) -> WebRefusal {
        switch error {
        case let refusal as WebRefusal: return refusal
        case is CancellationError:
            // The client has gone, or the server ends.
            return WebRefusal(.serviceUnavailable, "The request was given up.")
        case let error as any ReportedError:
            // Such as a storage that another program has damaged.
            report(error)
            return WebRefusal(.serviceUnavailable, "The storage cannot be read now. The server's messages say why.")
        default:
            report(error)
            return WebRefusal(.internalServerError, "The server has met an error. Its messages say which.")
        }
    }

    /// Tells the operator of an error. The same error is told once, not for each request.
    func report(_ error: any Error) {
        let text = "\(error)"
        let isNew = lastReport.withLock { last in
            defer { last = text }
            return last != text
        }
        if isNew { settings.report(text) }
    }
}

/// Reads the state of a crawl for all who look at it, at most once in a while.
actor CrawlStateKeeper {
    /// The most hosts in each list, and the most runs.
    static let shown = 10
    /// Half of the distance at which pages ask.
    private static let freshness = Duration.seconds(1)
    /// Reading many shards takes longer, so it is done less often: a fifth of a processor's time at most.
    private static let pausePerReading = 5

    private var last: (status: StorageStatus?, at: ContinuousClock.Instant, time: Duration)?
    private var reading: Task<StorageStatus?, any Error>?

    /// The state; nil if no job has written into the storage.
    func current(_ context: WebContext) async throws -> StorageStatus? {
        if let reading { return try await reading.value }
        if let last, .now - last.at < max(Self.freshness, last.time * Self.pausePerReading) { return last.status }
        let start = ContinuousClock.now
        let task = Task {
            try await context.blocking {
                guard try JobStorages.exist(in: context.settings.storage) else { return StorageStatus?.none }
                return try StorageStatus(context.job, shown: Self.shown)
            }
        }
        reading = task
        defer { reading = nil }
        let status = try await task.value
        last = (status, .now, .now - start)
        return status
    }
}
