import Foundation
import Logging
import PippinCrawl
import PippinPage
import PippinStore

/// A job over all its processes: the next one finds what the last one left on the disk.
final class SimulatedJob {
    typealias End = SimulatedProcess<CrawlSummary>.End

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

    /// Lets a process live.
    ///
    /// - Parameters:
    ///   - number: of the process, from 0.
    ///   - look: is called now and then, and at the moment of death before the power goes, as a consumer would look at the records.
    ///   - interfere: is called now and then with the storage folder, while the run has it.
    func live(
        _ life: Plan.Life, number: Int, look: @escaping @Sendable (URL) -> Void,
        interfere: @escaping @Sendable (URL) -> Void
    ) async throws -> End {
        now = life.pause.map { now + $0 } ?? SimulatedWeb.day * (SimulatedWeb.days(now) + (now == .zero ? 0 : 1))
        let (records, folder) = (records, folder)
        let time = MadeUpTime(from: now, calendar: .seconds(life.calendar))
        let process = SimulatedProcess<CrawlSummary>(
            in: folder, copy: scratch.appending(path: "what-is-left"), seed: plan.seed, fault: life.fault, time: time,
            look: { look(records) })
        time.watch(
            onStep: { [weak process] step in
                guard let process else { return }
                process.step(step)
                // Large runs are as long as many small ones.
                let rarely = step < 10_000 ? 1 : 64
                guard step % (64 * rarely) == 0, process.isAlive else { return }
                look(records)
                if step % (1024 * rarely) == 0 { interfere(folder) }
            }, onStall: { [weak process] in process?.hang() })
        defer {
            time.watch()
            now = time.now
        }
        let network = SimulatedNetwork(
            web: web, time: time, log: log, process: number, keepsExchanges: plan.isArchived,
            isAlive: { process.isAlive })
        let seeds = try Seeds.parse(web.seeds.joined(separator: "\n"), file: "seeds.txt")
        if let version = life.olderVersion { try OlderVersion.take(storage: folder, back: version) }
        if !CrawlStorage.exists(in: folder) { storages += 1 }
        var numbers = SeededNumbers(seed: plan.seed ^ SeededNumbers.hash("storage \(storages)"))
        let run = NightlyRun(
            identity: String(numbers.next(), radix: 16), configuration: configuration, seeds: seeds, folder: folder,
            records: records, archive: plan.isArchived ? archive : nil, network: network, time: time)
        return try await process.run { try await run.run($0) }
    }
}

/// One run of the job, wired like the command's.
private struct NightlyRun: Sendable {
    /// The name of the storage, if this process makes it.
    let identity: String
    let configuration: CrawlConfiguration
    let seeds: [Seed]
    let folder: URL
    let records: URL
    let archive: URL?
    let network: SimulatedNetwork
    let time: MadeUpTime

    /// - Parameter onStart: gets what stops the crawl in order.
    func run(_ onStart: @Sendable (@escaping @Sendable () -> Void) -> Void) async throws -> CrawlSummary {
        let storage = try CrawlStorage(folder: folder, identity: identity)
        let lines = try FeedFollower(
            storage: storage, path: records.path, rotation: configuration.output.ndjsonRotation, date: { time.date },
            executor: time.actors, pause: { await time.sleep(until: time.now + .milliseconds(50)) })
        let search = SearchFollower(
            storage: storage, executor: time.actors, pause: { await time.sleep(until: time.now + .seconds(1)) })
        let frontier = try storage.frontier(
            recrawl: configuration.recrawl, limits: FrontierLimits(configuration, seeds: seeds.count),
            scope: CrawlScope(configuration, seeds: seeds), date: { time.date }, executor: time.actors)
        _ = try await frontier.follow(SettingsKey(configuration, seeds: seeds))
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
