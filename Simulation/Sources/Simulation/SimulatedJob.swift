import Foundation
import Logging
import PippinCrawl
import PippinPage
import PippinStore

/// A job over all its processes: each lives until it has finished, or until a fault ends it, and the next one finds what it left on
/// the disk.
///
/// A process that is killed is not stopped by force, which Swift cannot do to tasks. Its disk is copied at that moment; from then on
/// it reaches no server and its disk is forgotten, and it is cancelled so that it ends. The next process works on the copy.
final class SimulatedJob {
    /// How a process ended.
    enum End: Sendable {
        case finished(CrawlSummary)
        case failed(any Error)
        case killed
        case lostPower(writes: Int)
        /// All of it waits for ever.
        case hung
    }

    let plan: Plan
    let web: SimulatedWeb
    let log = WebLog()
    private let scratch: URL
    /// Every process works in the same folder: storages know files by their paths.
    let folder: URL
    /// The world's time.
    private(set) var now = Duration.zero
    /// How many storages were made. Those before were lost with the power.
    private var storages = 0

    /// - Parameter scratch: an empty folder.
    init(plan: Plan, scratch: URL) {
        self.plan = plan
        self.scratch = scratch
        web = SimulatedWeb(seed: plan.seed, hostCount: plan.hosts, mostPages: plan.mostPages, days: plan.days)
        folder = scratch.appending(path: "disk")
    }

    /// Where the records are followed into.
    var records: URL { folder.appending(path: "records.ndjson") }
    /// The folder of WARC files, if the job has an archive.
    var archive: URL { folder.appending(path: "archive") }

    private var configuration: CrawlConfiguration {
        var configuration = CrawlConfiguration()
        configuration.records = .all
        configuration.scope.maximumPages = plan.maximumPages
        configuration.scope.maximumPagesPerHost = plan.maximumPagesPerHost
        configuration.fetch.timeout = .seconds(5)
        configuration.output.ndjsonRotation.maximumBytes = plan.rotation
        return configuration
    }

    /// What a process shares with the faults that end it.
    // `unchecked` because the state is only reached with the lock held. `Mutex` wants closures that the compiler cannot check here.
    private final class Fate: @unchecked Sendable {
        struct State: Sendable {
            var disk: FaultyDisk?
            var task: Task<CrawlSummary, any Error>?
            var stop: (@Sendable () -> Void)?
            var setCalendar: (@Sendable (Duration) -> Void)?
            var isDead = false
            /// Whether half of the write is done after which it dies.
            var isHalfway = false
            var end: End?
            var copy: URL?
            var failure: (any Error)?
            /// Gets how the process's task ended, or nil if it hangs.
            var onEnd: CheckedContinuation<Result<CrawlSummary, any Error>?, Never>?
        }

        private let lock = NSLock()
        private var state = State()

        func withLock<Value>(_ body: (inout State) -> Value) -> Value { lock.withLock { body(&state) } }

        /// Says how the task ended, once.
        func ended(_ result: Result<CrawlSummary, any Error>?) {
            let onEnd = withLock { fate in
                defer { fate.onEnd = nil }
                return fate.onEnd
            }
            onEnd?.resume(returning: result)
        }
    }

    /// Lets a process live.
    ///
    /// - Parameters:
    ///   - look: is called now and then, and at the moment of death before the power goes, as a consumer would look at the records.
    ///   - interfere: is called now and then with the storage folder, while the run has it.
    func live(
        _ life: Plan.Life, look: @escaping @Sendable (URL) -> Void, interfere: @escaping @Sendable (URL) -> Void
    ) async throws -> End {
        now = life.pause.map { now + $0 } ?? SimulatedWeb.day * (SimulatedWeb.days(now) + (now == .zero ? 0 : 1))
        let fate = Fate()
        let (fault, seed, records, folder) = (life.fault, plan.seed, records, folder)
        let copy = scratch.appending(path: "what-is-left")
        let die = { @Sendable (cutsPower: Bool) in
            guard let disk = fate.withLock({ $0.isDead ? nil : $0.disk }) else { return }
            look(records)
            do {
                let lost = try disk.copy(to: copy, cuttingPower: cutsPower ? seed : nil)
                fate.withLock { fate in
                    fate.isDead = true
                    fate.copy = copy
                    fate.end = cutsPower ? .lostPower(writes: lost) : .killed
                }
            } catch {
                fate.withLock { ($0.isDead, $0.failure) = (true, error) }
            }
            fate.withLock { $0.task }?.cancel()
        }
        let disk = try FaultyDisk(folder: folder) { number in
            if fate.withLock({ $0.isDead }) { return .happens }
            switch fault {
            case .killWriting(let operation) where number == operation: die(false)
            case .killHalfway(let append):
                if fate.withLock({ $0.isHalfway }) {
                    die(false)
                } else if fate.withLock({ $0.disk })?.appends == append {
                    fate.withLock { $0.isHalfway = true }
                    return .isShort
                }
            case .powerCutWriting(let operation) where number == operation: die(true)
            case .diskFails(let operation, let errno) where number == operation: return .fails(errno)
            case .diskIsFull(let operation) where number >= operation && number < operation + 50: return .isShort
            default: break
            }
            return .happens
        }
        fate.withLock { $0.disk = disk }
        let onStep = { @Sendable (step: Int) in
            switch fault {
            case .kill(let place) where step == place: die(false)
            case .powerCut(let place) where step == place: die(true)
            case .stop(let place) where step == place: fate.withLock { $0.stop }?()
            case .clock(let place, let seconds) where step == place:
                fate.withLock { $0.setCalendar }?(.seconds(seconds))
            default: break
            }
            // Large runs are as long as many small ones.
            let rarely = step < 10_000 ? 1 : 64
            guard step % (64 * rarely) == 0, !fate.withLock({ $0.isDead }) else { return }
            look(records)
            if step % (1024 * rarely) == 0 { interfere(folder) }
        }
        let time = MadeUpTime(
            from: now, calendar: .seconds(life.calendar), onStep: onStep, onStall: { fate.ended(nil) })
        fate.withLock { $0.setCalendar = { time.setCalendar(by: $0) } }
        let network = SimulatedNetwork(web: web, time: time, log: log, keepsExchanges: plan.isArchived) {
            !fate.withLock { $0.isDead }
        }
        let seeds = try Seeds.parse(web.seeds.joined(separator: "\n"), file: "seeds.txt")
        if !CrawlStorage.exists(in: folder) { storages += 1 }
        var numbers = SeededNumbers(seed: seed ^ SeededNumbers.hash("storage \(storages)"))
        let process = Process(
            identity: String(numbers.next(), radix: 16), configuration: configuration, seeds: seeds, folder: folder,
            records: records, archive: plan.isArchived ? archive : nil, network: network, time: time)
        let task = process.start { stop in fate.withLock { $0.stop = stop } }
        let isDead = fate.withLock { fate in
            fate.task = task
            return fate.isDead
        }
        if isDead { task.cancel() }
        let result: Result<CrawlSummary, any Error>? = await withCheckedContinuation { continuation in
            fate.withLock { $0.onEnd = continuation }
            Task { fate.ended(await task.result) }
        }
        now = time.now
        disk.end()
        let (end, left, failure) = fate.withLock { fate in
            // These hold the process's time, which holds them.
            (fate.task, fate.stop, fate.setCalendar, fate.disk) = (nil, nil, nil, nil)
            return (fate.end, fate.copy, fate.failure)
        }
        if let failure { throw failure }
        if result == nil { return .hung }
        if let end, let left {
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.moveItem(at: left, to: folder)
            return end
        }
        switch result {
        case .success(let summary): return .finished(summary)
        case .failure(let error): return .failed(error)
        case nil: return .hung
        }
    }
}

/// One run of the job, wired like the command's.
private struct Process: Sendable {
    /// The name of the storage, if this process makes it.
    let identity: String
    let configuration: CrawlConfiguration
    let seeds: [Seed]
    let folder: URL
    let records: URL
    let archive: URL?
    let network: SimulatedNetwork
    let time: MadeUpTime

    /// Starts it.
    ///
    /// - Parameter onStart: gets what stops the crawl in order.
    func start(
        onStart: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> Task<CrawlSummary, any Error> {
        Task(executorPreference: time) { try await run(onStart) }
    }

    private func run(_ onStart: @Sendable (@escaping @Sendable () -> Void) -> Void) async throws -> CrawlSummary {
        let storage = try CrawlStorage(folder: folder, identity: identity)
        let lines = try FeedFollower(
            storage: storage, path: records.path, rotation: configuration.output.ndjsonRotation, date: { time.date },
            executor: time.actors, pause: { await time.sleep(until: time.now + .milliseconds(50)) })
        let search = SearchFollower(
            storage: storage, executor: time.actors, pause: { await time.sleep(until: time.now + .seconds(1)) })
        let frontier = try storage.frontier(
            recrawl: configuration.recrawl, limits: FrontierLimits(configuration, seeds: seeds.count),
            date: { time.date }, executor: time.actors)
        let archive = try archive.map {
            try WARCArchive(
                folder: $0.path, userAgent: "Simulation", rotation: CrawlConfiguration.Rotation(maximumBytes: 15_000),
                date: { time.date }, executor: time.actors)
        }
        let crawler = Crawler(
            configuration: configuration, seeds: seeds,
            fetcher: archive.map { ArchivingFetcher(network, archive: $0) } ?? network, frontier: frontier,
            clock: time.clock,
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
        onStart { crawler.stop() }
        // The search index is a cache: if it stays behind, a later run catches up.
        let run = try StorageRun(
            in: storage, frontier,
            followers: [
                StorageRun.Follower(of: lines.name) { try await lines.follow() },
                StorageRun.Follower(of: StorageHealth.searchIndex) { _ = await search.follow() },
            ], at: time.date)
        var troubles = Troubles()
        let (summary, _) = await run.run(
            &troubles,
            crawl: { troubles in
                await troubles.attempt {
                    try await withThrowingTaskGroup(of: Void.self) { beside in
                        defer { beside.cancelAll() }
                        if let archive { beside.addTask { for await _ in archive.troubles { crawler.stop() } } }
                        return try await crawler.run()
                    }
                }
            }, stop: { crawler.stop() })
        await troubles.attempt { try await archive?.close() }
        if let summary { await troubles.attempt { try run.end(summary, at: time.date) } }
        await troubles.attempt { try storage.emptyLog() }
        try troubles.raise()
        guard let summary else { throw CancellationError() }
        return summary
    }
}
