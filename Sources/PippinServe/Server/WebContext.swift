import Foundation
import PippinCrawl
import PippinPage
import PippinStore
import Synchronization

/// What all handlers share: the settings, the storage, the counters, and threads for blocking work.
final class WebContext: Sendable {
    let settings: WebSettings
    let metrics = ServerMetrics()
    /// Orders for report cards; nil if the server makes none.
    let cards: CardDesk?
    let siteReport = SiteReportKeeper()
    let crawlState = CrawlStateKeeper()
    /// Sign-ins that may be tried.
    let signIns = RateLimit(size: 10, interval: .seconds(6))

    /// Threads for the database. Reads of SQLite mostly wait for the processor, so a few suffice.
    private let readers = (0..<4).map { BlockingExecutor("pippin.serve.reader-\($0)") }
    private let turn = Atomic<Int>(0)
    private let lastReport = Mutex("")
    private let opened: Mutex<StorageReader?>

    /// - Throws: `CrawlStorage.StorageError` if the storage cannot be read, or if there is none and none is awaited.
    init(_ settings: WebSettings) throws {
        self.settings = settings
        cards = settings.makeCard.map { CardDesk(make: $0) }
        let isLater = settings.awaitsStorage && !CrawlStorage.exists(in: settings.storage)
        opened = Mutex(isLater ? nil : try StorageReader(folder: settings.storage))
    }

    /// The storage of the job.
    ///
    /// - Throws: `WebRefusal` as long as the job's first run has not begun.
    var storage: StorageReader {
        get throws {
            if let reader = opened.withLock({ $0 }) { return reader }
            guard CrawlStorage.exists(in: settings.storage) else {
                throw WebRefusal(
                    .serviceUnavailable,
                    "There is no crawl yet: no job has written into the storage. pippin crawl does.",
                    fields: [(.retryAfter, "10")])
            }
            let reader = try StorageReader(folder: settings.storage)
            opened.withLock { $0 = reader }
            return reader
        }
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
