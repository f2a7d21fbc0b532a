import Foundation
import PippinCrawl
import PippinPage
import PippinStore
import Synchronization

/// What all handlers share: the settings, the storage, the counters, and threads for blocking work.
final class WebContext: Sendable {
    let settings: WebSettings
    let storage: StorageReader
    let index: SearchIndex
    let keeper: IndexKeeper
    /// Nil if clicks are not kept.
    let clicks: ClickFile?
    let clickLimit = RateLimit(size: 50, interval: .milliseconds(100))
    let metrics = ServerMetrics()
    /// Sign-ins that may be tried.
    let signIns = RateLimit(size: 10, interval: .seconds(6))

    /// Threads for the database. Reads of SQLite mostly wait for the processor, so a few suffice.
    private let readers = (0..<4).map { BlockingExecutor("pippin.serve.reader-\($0)") }
    private let turn = Atomic<Int>(0)
    private let lastReport = Mutex("")
    private let keptOverview = Mutex<(overview: StorageOverview, at: ContinuousClock.Instant)?>(nil)

    /// - Throws: `CrawlStorage.StorageError` if there is no storage.
    init(_ settings: WebSettings) throws {
        self.settings = settings
        storage = try StorageReader(folder: settings.storage)
        index = try SearchIndex(folder: settings.storage)
        clicks = try settings.clicks.map(ClickFile.init)
        if let file = settings.clicks { index.use(try ClickLog(contentsOf: file.path)) }
        let report = settings.report
        keeper = IndexKeeper(folder: settings.storage) { report("\($0)") }
    }

    /// Keeps the index, and takes new clicks into account, until the task is cancelled.
    func keepUp() async {
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: BlockingExecutor("pippin.serve.index")) { await self.keeper.run() }
            guard let file = settings.clicks else { return }
            group.addTask(executorPreference: BlockingExecutor("pippin.serve.clicks")) {
                while true {
                    do {
                        try await Task.sleep(for: Self.clickInterval)
                        self.index.use(try ClickLog(contentsOf: file.path))
                    } catch is CancellationError {
                        return
                    } catch {
                        self.report(error)
                    }
                }
            }
        }
    }

    /// Clicks change the order of results slowly, so reading the file more often would change nothing.
    private static let clickInterval = Duration.seconds(60)
    /// How long the overview of the first page holds.
    private static let overviewHolds = Duration.seconds(20)

    /// Runs a search and takes its time.
    func search<Answer: Sendable>(
        _ work: @escaping @Sendable (SearchIndex) throws -> Answer
    ) async throws -> (Answer, Duration) {
        try await blocking {
            let start = ContinuousClock.now
            let answer = try work(self.index)
            let time = ContinuousClock.now - start
            self.metrics.search(took: time)
            return (answer, time)
        }
    }

    /// What the storage holds. Reading it takes a while in a large job, so it is kept for some seconds.
    func overview() async throws -> StorageOverview {
        let now = ContinuousClock.now
        if let kept = keptOverview.withLock({ $0 }), now - kept.at < Self.overviewHolds { return kept.overview }
        let overview = try await blocking { try StorageOverview(self.storage) }
        keptOverview.withLock { $0 = (overview, now) }
        return overview
    }

    /// Runs blocking work on a thread for it.
    func blocking<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        let reader = readers[turn.wrappingAdd(1, ordering: .relaxed).newValue & 3]
        return try await withTaskExecutorPreference(reader) { try work() }
    }

    /// Waits until the requests in flight are answered, at most `WebLimits.patience`.
    func drain() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.metrics.waitUntilIdle() }
            group.addTask {
                do { try await Task.sleep(for: WebLimits.patience) } catch { return }
            }
            await group.next()
            group.cancelAll()
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

    /// Makes a page of a template, with the frame of all pages around it.
    func page(
        _ title: String, template: String, _ model: PageModel, section: Layout.Section? = nil,
        status: HTTPStatus = .ok
    ) -> WebAnswer {
        .html(Layout.page(title: title, body: PageTemplates.render(template, model), section: section), status: status)
    }
}
