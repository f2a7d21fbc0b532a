import Foundation
import Logging
import PippinCrawl
import PippinPage
import PippinStore
import Synchronization

/// One shard for one epoch: reads what it is to do, crawls until the epoch is over, and tells what has changed (Docs/Cluster.md).
struct WorkerJob: Sendable {
    var configuration: CrawlConfiguration
    let seeds: [Seed]
    let storageFolder: String
    /// How long to wait for a storage that another process holds.
    let patience: Duration
    let shardsFile: String

    /// What came of crawling.
    private struct Crawl: Sendable {
        var summary: CrawlSummary?
        var timeIsOver = false
        var time = Duration.zero
    }

    /// For how long pages that were read still get files of their sites when the epoch is over. Requests in flight end in any case.
    private static let grace = Duration.seconds(5)

    private var console: Console { Console(configuration.messages) }

    func run() async throws {
        let start = ContinuousClock.now
        let stop = Stop()
        let interrupts = InterruptSignals(first: { stop.first() }, later: { stop.later() })
        defer { interrupts.end() }
        let input = WorkerInput(descriptor: STDIN_FILENO)
        input.start()
        var batches = input.batches.makeAsyncIterator()
        guard var batch = try await batches.next(), case .begin(var order)? = batch.first?.message else {
            throw WorkerInput.ended
        }
        try check(order)
        var job = self
        let limits = FrontierLimits(configuration, seeds: seeds.count)

        let console = console
        let storage = try CrawlStorage(
            folder: URL(filePath: storageFolder), waiting: patience, tell: { console.say($0, level: .warning) },
            upgrading: { console.say($0) })
        let epoch = try storage.begin(order, at: Date())
        let frontier = try storage.frontier(
            recrawl: configuration.recrawl, limits: limits, epoch: epoch, tellsLinks: configuration.cluster.tellsLinks)
        var received = EpochReport.Received()
        let scope = CrawlScope(configuration, seeds: seeds)
        batch.removeFirst()
        while true {
            try await take(batch, &order, scope, into: frontier, &received)
            input.tookBatch()
            guard let next = try await batches.next() else { break }
            batch = next
        }
        job.configuration.lay(order)
        let opened = ContinuousClock.now
        let crawl = try await job.crawl(epoch, storage, frontier, stop)
        let crawled = ContinuousClock.now
        try await frontier.noteHosts()
        let news = try ShardNews(of: storage, since: epoch.cursor) { try Self.write($0) }
        try storage.emptyLog()
        let report = EpochReport(
            epoch, news, received: received, summary: crawl.summary, timeIsOver: crawl.timeIsOver)
        let times = EpochReport.Times(
            opening: opened - start, crawling: crawl.time, telling: ContinuousClock.now - crawled)
        input.workIsDone()
        try Self.write(report.line(times, endedAt: Date()))
        withExtendedLifetime(storage) {}
    }

    private func check(_ order: EpochOrder) throws {
        if let count = configuration.cluster.shards, count != order.shard.count {
            throw WorkerProtocolError(
                line: 1, problem: "the configuration has cluster.shards: \(count), not \(order.shard.count)")
        }
        try ShardsFile.check(order, path: shardsFile)
    }

    // MARK: In

    private func take(
        _ lines: [WorkerInput.Line], _ order: inout EpochOrder, _ scope: CrawlScope, into frontier: SQLiteFrontier,
        _ received: inout EpochReport.Received
    ) async throws {
        let shard = order.shard
        func check(_ host: String, _ line: WorkerInput.Line) throws {
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
            case .begin, .end: break
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
    }

    // MARK: Crawl

    private func crawl(
        _ epoch: ShardEpoch, _ storage: CrawlStorage, _ frontier: SQLiteFrontier, _ stop: Stop
    ) async throws -> Crawl {
        let startedAt = Date()
        let left = epoch.endsAt.timeIntervalSince(startedAt)
        guard left > 0 else {
            try await frontier.close(keeping: [])
            return Crawl(timeIsOver: true)
        }
        let entry = try storage.begin(at: startedAt)
        let engine = try CrawlEngine(
            configuration, seeds: seeds, frontier: frontier, console: console,
            appLookup: configuration.appLookupPath.map { try AppLookup(contentsOf: $0) })
        stop.begin(engine.crawler)
        var troubles = Troubles()
        let summary = await engine.crawl(
            storageFolder: storageFolder, startedAt: startedAt, until: stop.second, &troubles
        ) { beside in
            beside.addTask {
                try await Task.sleep(for: .seconds(left))
                stop.timeIsOver()
                try await Task.sleep(for: Self.grace)
                engine.crawler.stop()
            }
        }
        await engine.close(&troubles)
        try troubles.raise()
        // From here on a signal ends the process at once. One that has come ends it now: the epoch is not told.
        guard let summary, !stop.end() else { throw CancellationError() }
        try storage.end(
            entry, at: Date(), ending: summary.ending.rawValue, visits: summary.statistics.pages,
            records: summary.statistics.records)
        return Crawl(
            summary: summary, timeIsOver: stop.wasTimeOver, time: .seconds(Date().timeIntervalSince(startedAt)))
    }

    /// What signals do: while the worker crawls, the first asks it to finish, and the second breaks off. At other times nothing is
    /// under way that could finish.
    private final class Stop: Sendable {
        let second = Interrupt()
        private struct State {
            var crawler: Crawler?
            var hasCome = false
            var isTimeOver = false
        }

        private let state = Mutex(State())

        func begin(_ crawler: Crawler) { state.withLock { $0.crawler = crawler } }

        /// Lets the crawler end what is under way because the epoch is over.
        func timeIsOver() {
            let crawler = state.withLock { state in
                state.isTimeOver = true
                return state.crawler
            }
            crawler?.close()
        }

        var wasTimeOver: Bool { state.withLock { $0.isTimeOver } }

        /// - Returns: whether a signal has come.
        func end() -> Bool {
            state.withLock {
                $0.crawler = nil
                return $0.hasCome
            }
        }

        func first() {
            let crawler = state.withLock { state in
                state.hasCome = true
                return state.crawler
            }
            guard let crawler else { _exit(ExitStatus.interrupted.rawValue) }
            crawler.stop()
        }

        func later() { second.come() }
    }

    // MARK: Out

    /// A reader that has gone is a fault here: nobody knows what the turn has found.
    private static func write(_ bytes: [UInt8]) throws {
        do {
            try NDJSONSink.write(bytes, to: STDOUT_FILENO, path: "standard output")
        } catch {
            throw ReportedFailure(
                "standard output: cannot be written: \(String(cString: strerror(error.errorNumber))); the turn can be tried "
                    + "again", .outputFailed)
        }
    }
}
