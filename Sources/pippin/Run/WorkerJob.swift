import Foundation
import Logging
import PippinCrawl
import PippinPage
import PippinStore
import Synchronization

/// The process of one shard for one turn: standard input and output, signals, and the storage, around a `ShardTurn` (Docs/Cluster.md).
struct WorkerJob: Sendable {
    var configuration: CrawlConfiguration
    let seeds: [Seed]
    let storageFolder: String
    /// How long to wait for a storage that another process holds.
    let patience: Duration
    let shardsFile: String

    private var console: Console { Console(configuration.messages) }

    func run() async throws {
        let stop = Stop()
        let interrupts = InterruptSignals(first: { stop.first() }, later: { stop.later() })
        defer { interrupts.end() }
        let input = WorkerInput(descriptor: STDIN_FILENO)
        input.start()
        var batches = input.batches.makeAsyncIterator()
        guard var batch = try await batches.next(), case .begin(let order)? = batch.first?.message else {
            throw WorkerInput.ended
        }
        try check(order)
        let console = console
        let storage = try CrawlStorage(
            folder: JobStorages.whole(URL(filePath: storageFolder)) {
                "A worker has the storage of one shard: --storage \($0.parts[0].folder.path)."
            }, waiting: patience, isRestored: order.isRestored, tell: { console.say($0, level: .warning) },
            upgrading: { console.say($0) })
        var turn = try ShardTurn(order, in: storage, configuration, seeds: seeds)
        batch.removeFirst()
        while true {
            try await turn.take(batch)
            input.tookBatch()
            guard let next = try await batches.next() else { break }
            batch = next
        }
        try await crawl(&turn, stop)
        let done = try await turn.tell { try Self.write($0) }
        input.workIsDone()
        try Self.write(done)
        withExtendedLifetime(storage) {}
    }

    private func check(_ order: EpochOrder) throws {
        if let count = configuration.cluster.shards, count != order.shard.count {
            throw WorkerProtocolError(
                line: 1, problem: "the configuration has cluster.shards: \(count), not \(order.shard.count)")
        }
        try ShardsFile.check(order, path: shardsFile)
    }

    // MARK: Crawl

    private func crawl(_ turn: inout ShardTurn, _ stop: Stop) async throws {
        let crawling = turn
        try await turn.crawl {
            let engine = try CrawlEngine(
                crawling.configuration, seeds: seeds, frontier: crawling.frontier, console: console,
                appLookup: configuration.appLookupPath.map { try AppLookup(contentsOf: $0) })
            stop.begin(engine.crawler)
            var troubles = Troubles()
            let summary = await engine.crawl(
                storageFolder: storageFolder, startedAt: Date(), until: stop.second, &troubles
            ) { beside in
                beside.addTask { try await crawling.end(engine.crawler) }
            }
            await engine.close(&troubles)
            try troubles.raise()
            // From here on a signal ends the process at once. One that has come ends it now: the turn is not told.
            guard let summary, !stop.end() else { throw CancellationError() }
            return summary
        }
    }

    /// What signals do: while the worker crawls, the first asks it to finish, and the second breaks off. At other times nothing is
    /// under way that could finish.
    private final class Stop: Sendable {
        let second = Interrupt()
        private struct State {
            var crawler: Crawler?
            var hasCome = false
        }

        private let state = Mutex(State())

        func begin(_ crawler: Crawler) { state.withLock { $0.crawler = crawler } }

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
