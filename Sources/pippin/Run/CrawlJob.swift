import Foundation
import Logging
import PippinCrawl
import PippinPage
import PippinReport
import PippinServe
import PippinStore

/// One crawl from the command line: joins the fetcher, the frontier and the sink, shows progress, obeys Ctrl-C, and turns
/// what happened into a summary and an exit status.
struct CrawlJob: Sendable {
    enum Output: Sendable {
        case standardOutput
        case file(String)
    }

    let configuration: CrawlConfiguration
    let seeds: [Seed]
    let output: Output
    /// What is remembered between runs; nil: nothing is.
    var storageFolder: String?
    /// What is visited although it is not due; nil: nothing is.
    var again: VisitsAgain?
    /// Whether nothing but errors is said.
    var isQuiet = false

    /// Runs the job in six phases: open, crawl, rank pages, hand over, close, tell. Trouble while opening ends the job at once. After that
    /// every phase is gone through, whatever fails; the first error counts, the others are told.
    ///
    /// Followers hand records over from the start of the crawl on. The second Ctrl-C cancels the crawl, and then the followers.
    func run() async throws -> ExitStatus {
        // Before anything is opened for a run.
        if let again, let storageFolder { _ = try again.counts(in: storageFolder) }
        let parts = try Parts(of: self)
        defer { withExtendedLifetime(parts) {} }
        let interrupts = interrupts(of: parts)
        defer { interrupts.end() }
        try await parts.firstInterrupt.cancels { try await followSettings(parts) }
        if let again { try await parts.firstInterrupt.cancels { try await visit(again, parts) } }
        try await takePings(parts)
        var troubles = Troubles()

        let summary: CrawlSummary?
        if let kept = parts.kept {
            let problem: String?
            (summary, problem) = await kept.run(
                &troubles, crawl: { await crawl(parts, &$0) }, stop: { parts.engine.crawler.stop() },
                ranking: { rank in try await parts.firstInterrupt.cancels { try await rank() } },
                givingUp: { await parts.secondInterrupt.wait() })
            if let problem { console.say("popularity stays as it was: \(problem)") }
        } else {
            summary = await crawl(parts, &troubles)
            if summary == nil { await troubles.attempt { try await parts.frontier.flush() } }
        }
        await close(parts, &troubles)
        await tell(summary, parts, &troubles)

        await troubles.attempt { try parts.storage?.emptyLog() }
        if let summary {
            await troubles.attempt {
                try parts.engine.publishEnd(summary, storageFolder: storageFolder, startedAt: parts.startedAt)
            }
        }
        try troubles.raise()
        guard let summary else { throw CancellationError() }
        return summary.endingStatus
    }

    // MARK: Phases

    /// What a run is made of. Nothing is requested before all of it is there.
    private struct Parts: Sendable {
        let startedAt = Date()
        let storage: CrawlStorage?
        /// The run in the storage; nil: nothing is kept.
        let kept: StorageRun?
        let outputs: OutputLock
        let index: OpenSearchSink?
        let frontier: any Frontier
        let reportFolder: SiteReportFolder?
        let reporter: CrawlReporter?
        let engine: CrawlEngine
        let firstInterrupt = Interrupt()
        let secondInterrupt = Interrupt()

        init(of job: CrawlJob) throws {
            let configuration = job.configuration
            let lookup = try configuration.appLookupPath.map { try AppLookup(contentsOf: $0) }
            let console = job.console
            storage = try job.storageFolder.map {
                try CrawlStorage(
                    folder: JobStorages.whole(URL(filePath: $0)) { _ in
                        "`pippin_spark run` crawls it (Spark/README.md). To crawl on one machine, name another folder."
                    }, tell: { console.say($0, level: .warning) },
                    upgrading: { if !job.isQuiet { console.say($0) } })
            }
            if storage?.isRestored == true {
                console.say(
                    "The storage is a restored backup: the file of records is written anew, and cursors of exports that are ahead of it "
                        + "are refused. An index of output.opensearch may have records that the storage does not know: fill a new one.",
                    level: .warning)
            }
            outputs = try OutputLock(job.claims, owner: job.storageFolder.map { "storage \($0)" } ?? "no storage")
            index = try configuration.output.openSearch.map { try OpenSearchSink($0, logger: job.console.logger) }
            let followers: [StorageRun.Follower]
            (frontier, followers) = try job.delivery(storage, index: index)
            reportFolder = try configuration.output.reportPath.map {
                try SiteReportFolder(path: $0, readers: configuration.output.reportReaders)
            }
            reporter =
                reportFolder == nil
                ? nil : CrawlReporter(configuration: configuration, seeds: job.seeds, isKept: storage != nil)
            engine = try CrawlEngine(
                configuration, seeds: job.seeds, frontier: frontier, console: job.console, appLookup: lookup,
                observer: reporter, storageFolder: job.storageFolder)
            if let storage, let frontier = frontier as? SQLiteFrontier {
                kept = try StorageRun(in: storage, frontier, followers: followers, at: startedAt)
            } else {
                kept = nil
            }
        }
    }

    /// Lets new settings count for URLs that earlier runs have visited.
    private func followSettings(_ parts: Parts) async throws {
        guard let frontier = parts.frontier as? SQLiteFrontier else { return }
        let replanned = try await frontier.follow(SettingsKey(configuration, seeds: seeds))
        guard !isQuiet else { return }
        if replanned.sooner > 0 {
            let urls = Wording.count(replanned.sooner, "URL")
            console.say("the intervals of visits have changed: \(urls) will be due sooner")
        }
        if replanned.refused > 0 {
            let urls = Wording.count(replanned.refused, "URL")
            console.say("the configuration has changed: \(urls) that it refused will be looked at again")
        }
    }

    /// Makes URLs due that this run is to visit. Those that it does not come to stay due.
    private func visit(_ again: VisitsAgain, _ parts: Parts) async throws {
        guard let frontier = parts.frontier as? SQLiteFrontier else { return }
        for (name, pattern) in again.patterns where !Task.isCancelled {
            let count = try await frontier.visitAgain(pattern, where: again.isMeant)
            if !isQuiet { console.say("visiting again: \(again.words(count, of: name))") }
        }
    }

    /// Queues pages that their sites say have changed (`pippin notify`). They are forgotten when the frontier has them on the disk.
    private func takePings(_ parts: Parts) async throws {
        guard let storageFolder, let storage = parts.storage else { return }
        // Jobs without pings need none of it.
        lazy var scope = CrawlScope(configuration, seeds: seeds)
        var (queued, refused, unchanged) = (0, 0, 0)
        let taken = try await PingInbox(URL(filePath: storageFolder)).take(into: storage) { changes in
            var requests: [CrawlRequest] = []
            for change in changes {
                // The settings may be others than when the page was told.
                switch scope.request(forChanged: change.url, at: change.at) {
                case .success(let request): requests.append(request)
                case .failure: refused += 1
                }
            }
            let change = try await parts.frontier.add(requests)
            queued += requests.count - change.turnedAway.count - change.unchanged
            unchanged += change.unchanged
            return change.turnedAway.compactMap { request in
                request.modifiedAt.map { PingInbox.Change(url: request.url, at: $0) }
            }
        }
        guard !isQuiet, taken != PingInbox.Taken() || queued + refused + unchanged > 0 else { return }
        console.say(
            "sites told of changes: \(Wording.count(queued, "page"))"
                + (refused > 0 ? ", \(Wording.count(refused, "other")) out of scope" : "")
                + (unchanged > 0 ? ", \(Wording.count(unchanged, "other")) due no sooner" : "")
                + (taken.waitOn > 0 ? ", \(taken.waitOn) for another run because the queue is full" : "")
                + (taken.lost > 0 ? ", \(taken.lost) dropped because the queue and the file of pings are full" : "")
                + (taken.unreadable > 0 ? ", \(Wording.count(taken.unreadable, "line")) unreadable" : ""))
    }

    /// - Returns: nil when the crawl broke off.
    private func crawl(_ parts: Parts, _ troubles: inout Troubles) async -> CrawlSummary? {
        await parts.engine.crawl(
            storageFolder: storageFolder, startedAt: parts.startedAt, until: parts.secondInterrupt, &troubles
        ) { beside in
            if isQuiet { return }
            let progress = ProgressDisplay(crawler: parts.engine.crawler, console: console)
            beside.addTask(executorPreference: BlockingExecutor("pippin.progress")) { await progress.show() }
        }
    }

    private func close(_ parts: Parts, _ troubles: inout Troubles) async {
        await parts.engine.close(&troubles)
    }

    private func tell(_ summary: CrawlSummary?, _ parts: Parts, _ troubles: inout Troubles) async {
        if let summary {
            if let path = configuration.output.summaryPath {
                await troubles.attempt {
                    try WholeFile.write(
                        UserInformation.hidden(in: summary.json(endedAt: Date())), to: path, what: "the summary")
                }
            }
            await troubles.attempt { try parts.kept?.end(summary, at: Date()) }
            let wroteReport = await writeReport(of: summary, parts, &troubles)
            if !isQuiet { say(summary, reportIn: wroteReport ? configuration.output.reportPath : nil) }
        }
        if let index = parts.index {
            let counts = await index.counts
            // What is not in the index must not go unnoticed.
            if !isQuiet || counts.rejected > 0 { console.say(counts.text) }
        }
    }

    private func writeReport(of summary: CrawlSummary, _ parts: Parts, _ troubles: inout Troubles) async -> Bool {
        guard let folder = parts.reportFolder, let reporter = parts.reporter else { return false }
        if let reason = reasonToKeep(folder, reporter, summary) {
            console.say(reason)
            return false
        }
        let isWritten: Void? = await troubles.attempt {
            let kept = try parts.storage?.keptObservations()
            try folder.write(
                reporter.report(of: summary, startedAt: parts.startedAt, finishedAt: Date(), kept: kept))
        }
        return isWritten != nil
    }

    // MARK: Parts

    private var console: Console { Console(configuration.messages) }

    private func interrupts(of parts: Parts) -> InterruptSignals {
        InterruptSignals(
            first: { [console] in
                parts.firstInterrupt.come()
                parts.engine.crawler.stop()
                // Last, because nobody may read standard error.
                console.say(
                    (console.speaksJSON ? "" : "\npippin: ") + "finishing what is in flight; once more to stop at once")
            }, later: { parts.secondInterrupt.come() })
    }

    /// What no other run may write meanwhile. A folder of WARC files is for several: each has files of its own.
    private var claims: [OutputLock.Claim] {
        var claims: [OutputLock.Claim] = []
        if case .file(let path) = output { claims.append(.file(path, "the records")) }
        if let path = configuration.output.logPath { claims.append(.file(path, "the crawl log")) }
        if let path = configuration.output.summaryPath { claims.append(.file(path, "the summary")) }
        if let path = configuration.output.metricsPath { claims.append(.file(path, "the file of metrics")) }
        if let path = configuration.output.reportPath { claims.append(.folder(path, "the report")) }
        return claims
    }

    /// Every record goes to the frontier. That of a storage keeps them, and the outputs follow their changes; the other hands them on.
    private func delivery(
        _ storage: CrawlStorage?, index: OpenSearchSink?
    ) throws -> (frontier: any Frontier, followers: [StorageRun.Follower]) {
        let limits = FrontierLimits(configuration, seeds: seeds.count)
        let scope = CrawlScope(configuration, seeds: seeds)
        guard let storage else {
            let lines =
                switch output {
                case .standardOutput: NDJSONSink(descriptor: STDOUT_FILENO, name: "standard output")
                case .file(let path): try NDJSONSink(path: path)
                }
            let sinks: [any RecordSink] = [lines] + (index.map { [$0] } ?? [])
            return (MemoryFrontier(limits: limits, scope: scope, sinks: sinks), [])
        }
        let lines =
            switch output {
            case .standardOutput:
                try FeedFollower(storage: storage, descriptor: STDOUT_FILENO, name: "standard output")
            case .file(let path):
                try FeedFollower(storage: storage, path: path, rotation: configuration.output.ndjsonRotation)
            }
        var followers = [StorageRun.Follower(of: lines.name) { try await lines.follow() }]
        if let index, let settings = configuration.output.openSearch {
            let follower = try IndexFollower(storage: storage, sink: index, settings: settings)
            followers.append(StorageRun.Follower(of: follower.name) { try await follower.follow() })
        }
        if configuration.output.hasSearchIndex {
            let follower = SearchFollower(storage: storage)
            let console = console
            followers.append(
                StorageRun.Follower(of: StorageHealth.searchIndex) {
                    guard let trouble = await follower.follow() else { return }
                    console.say("The search index stays behind: \(trouble)", level: .warning)
                })
        }
        return (try storage.frontier(recrawl: configuration.recrawl, limits: limits, scope: scope), followers)
    }

    /// Why the report that is there says more than one of this run would; nil when there is none, or this run's says more.
    private func reasonToKeep(
        _ folder: SiteReportFolder, _ reporter: CrawlReporter, _ summary: CrawlSummary
    ) -> String? {
        guard folder.hasReport else { return nil }
        if !reporter.hasReadAnything { return "\(folder.path): this run has read nothing; the report stays as it was" }
        if storageFolder == nil, summary.ending == .interrupted {
            return
                "\(folder.path): the crawl was stopped, and the earlier report stays as it was; give --report another "
                + "folder for one of what was read, or --storage to go on where a crawl was stopped"
        }
        return nil
    }

    private func say(_ summary: CrawlSummary, reportIn reportFolder: String?) {
        guard console.speaksJSON else { return writeError(summary.text(recordsIn: output, reportIn: reportFolder)) }
        console.say("the crawl has ended: \(summary.ending.rawValue)", metadata: summary.metadata)
    }
}

extension CrawlSummary {
    fileprivate var endingStatus: ExitStatus {
        switch ending {
        case .interrupted: .interrupted
        case .pageLimit, .quietHours: .limitReached
        case .hostsRest, .hostLimit, .addresses: failedSeeds.isEmpty ? .limitReached : .unavailable
        case .finished: failedSeeds.isEmpty ? .done : .unavailable
        }
    }
}

extension AppLookup {
    /// - Throws: `ConfigurationError` with file, line and column.
    init(contentsOf path: String) throws {
        let bytes = try InputFile.bytes(at: path)
        guard bytes.contains(where: { $0 > 0x20 }) else {
            throw ConfigurationError(
                file: path, problem: "is empty; a lookup file has replies of https://itunes.apple.com/lookup?id=NUMBER")
        }
        do throws(Failure) {
            try self.init(bytes: bytes)
        } catch {
            throw ConfigurationError(
                file: path, line: error.line, column: error.column,
                problem: "\(error.message); a lookup file has replies of https://itunes.apple.com/lookup?id=NUMBER")
        }
    }
}
