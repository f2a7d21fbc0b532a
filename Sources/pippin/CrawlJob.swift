import ArgumentParser
import Foundation
import Logging
import PippinCrawl
import PippinPage
import PippinServe
import PippinStore

/// One crawl from the command line: joins the fetcher, the frontier and the outputs, shows progress, obeys Ctrl-C, and turns
/// what happened into a summary and an exit status.
struct CrawlJob: Sendable {
    enum Output: Sendable {
        case standardOutput
        case file(String)
    }

    /// How a run of a command ended, with the exit status of design.
    enum Ending {
        case done, seedsFailed, limitReached, interrupted

        var exitCode: ExitCode {
            switch self {
            case .done: ExitCode(0)
            case .seedsFailed: ExitCode(3)
            case .limitReached: ExitCode(4)
            case .interrupted: ExitCode(5)
            }
        }
    }

    let configuration: CrawlConfiguration
    let seeds: [Seed]
    let output: Output
    /// Where a report of the whole crawl goes; nil: none is made.
    var reportFolder: String?

    func run(storage folder: String?, isQuiet: Bool) async throws -> Ending {
        let lookup = try configuration.appLookupPath.map { try AppLookup(contentsOf: $0) }
        let storage = try folder.map { try CrawlStorage(folder: URL(filePath: $0)) }
        let outputs = try OutputLock(claims(storage: folder), owner: folder.map { "storage \($0)" } ?? "no storage")
        defer { withExtendedLifetime(outputs) {} }
        let index = try configuration.output.openSearch.map { try OpenSearchSink($0, logger: voice.logger) }
        let (frontier, followers) = try parts(storage, index: index)
        let folderOfReport = try reportFolder.map { try SiteReportFolder(path: $0) }
        let reporter = folderOfReport.map { _ in
            CrawlReporter(configuration: configuration, seeds: seeds, isKept: storage != nil)
        }
        let log = try configuration.output.logPath.map { try CrawlLog(path: $0) }
        let curl = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        let archive = try configuration.output.archivePath.map {
            try WARCArchive(folder: $0, userAgent: configuration.agent.userAgent)
        }
        let fetcher: any Fetcher = archive.map { ArchivingFetcher(curl, archive: $0) } ?? curl
        let crawler = Crawler(
            configuration: configuration, seeds: seeds, fetcher: fetcher, frontier: frontier,
            appLookup: lookup, logger: voice.logger, reporter: reporter, log: log)
        let startedAt = Date()
        let ledgerEntry = try storage?.begin(at: startedAt)

        let following = followers.map { follow in
            Task {
                do {
                    try await follow()
                } catch {
                    // Records that cannot be handed over are kept; there is no use in finding more.
                    crawler.stop()
                    throw error
                }
            }
        }
        // An archive with holes is none: when it cannot be written, the run ends as if it were interrupted, and says why.
        let watch = archive.map { archive in Task { for await _ in archive.troubles { crawler.stop() } } }
        var showHosts: (@Sendable () async throws -> Void)?
        if let kept = frontier as? SQLiteFrontier { showHosts = { try await kept.showHosts() } }
        let metrics = MetricsOutput(
            output: configuration.output, storageFolder: folder, crawler: crawler,
            concurrency: configuration.fetch.concurrency, startedAt: startedAt, voice: voice, showHosts: showHosts)
        let underWay = WorkUnderWay()
        let interrupts = InterruptSignals(
            first: { [voice] in
                crawler.stop()
                // Last, because nobody may read standard error.
                voice.say(
                    (voice.speaksJSON ? "" : "\npippin: ") + "finishing what is in flight; once more to stop at once")
            }, later: { underWay.cancel() })
        defer { interrupts.end() }

        // Whatever fails from here on, every step that ends the run is made. The first error counts, the others are told.
        var troubles = Troubles()
        let crawl = await troubles.attempt {
            try await metrics.during { try await watched(crawler, underWay, isQuiet: isQuiet) }
        }
        if let trouble = crawl?.trouble { troubles.note(trouble) }
        // What was found stays, whatever ended the crawl.
        if crawl == nil { await troubles.attempt { try await frontier.flush() } }
        storage?.endChanges()
        for task in following { underWay.add { task.cancel() } }
        for task in following { await troubles.attempt { try await task.value } }
        await curl.shutdown()
        watch?.cancel()
        await troubles.attempt { try await archive?.close() }
        if let summary = crawl?.summary {
            if let path = configuration.output.summaryPath {
                await troubles.attempt {
                    try WholeFile.write(
                        UserInformation.hidden(in: summary.json(endedAt: Date())), to: path, what: "the summary")
                }
            }
            if let storage, let ledgerEntry {
                // A run that broke off has no end in the ledger.
                await troubles.attempt {
                    try storage.end(
                        ledgerEntry, at: Date(), ending: summary.ending.rawValue, visits: summary.statistics.pages,
                        records: summary.statistics.records)
                }
            }
            var wroteReport = false
            if let folderOfReport, let reporter {
                if let reason = reasonToKeep(folderOfReport, reporter, summary, isJob: storage != nil) {
                    voice.say(reason)
                } else {
                    let isWritten: Void? = await troubles.attempt {
                        try folderOfReport.write(
                            reporter.report(
                                of: summary, startedAt: startedAt, finishedAt: Date(), kept: storage?.keptReport()))
                    }
                    wroteReport = isWritten != nil
                }
            }
            if !isQuiet { tell(summary, reportIn: wroteReport ? reportFolder : nil) }
        }
        if let index {
            let counts = await index.counts
            // What is not in the index must not go unnoticed.
            if !isQuiet || counts.rejected > 0 { voice.say(counts.text) }
        }
        await troubles.attempt { try storage?.emptyLog() }
        try troubles.raise()
        guard let summary = crawl?.summary else { throw CancellationError() }
        return switch summary.ending {
        case .interrupted: .interrupted
        case .pageLimit, .quietHours: .limitReached
        case .hostsRest, .hostLimit: summary.failedSeeds.isEmpty ? .limitReached : .seedsFailed
        case .finished: summary.failedSeeds.isEmpty ? .done : .seedsFailed
        }
    }

    /// What no other run may write meanwhile. A folder of WARC files is for several: each has files of its own.
    private func claims(storage folder: String?) -> [OutputLock.Claim] {
        var claims: [OutputLock.Claim] = []
        if case .file(let path) = output { claims.append(.file(path, "the records")) }
        if let path = configuration.output.logPath { claims.append(.file(path, "the crawl log")) }
        if let path = configuration.output.summaryPath { claims.append(.file(path, "the summary")) }
        if let path = configuration.output.metricsPath { claims.append(.file(path, "the file of metrics")) }
        if let reportFolder { claims.append(.folder(reportFolder, "the report")) }
        return claims
    }

    /// Every record goes to the frontier. That of a storage keeps them, and the outputs follow their changes; the other hands them on.
    private func parts(
        _ storage: CrawlStorage?, index: OpenSearchSink?
    ) throws -> (frontier: any Frontier, followers: [@Sendable () async throws -> Void]) {
        let limits = FrontierLimits(configuration, seeds: seeds.count)
        guard let storage else {
            let lines =
                switch output {
                case .standardOutput: NDJSONSink(descriptor: STDOUT_FILENO, name: "standard output")
                case .file(let path): try NDJSONSink(path: path)
                }
            let sinks: [any RecordSink] = [lines] + (index.map { [$0] } ?? [])
            return (MemoryFrontier(limits: limits, sinks: sinks), [])
        }
        let lines =
            switch output {
            case .standardOutput:
                try FeedFollower(storage: storage, descriptor: STDOUT_FILENO, name: "standard output")
            case .file(let path): try FeedFollower(storage: storage, path: path)
            }
        var followers: [@Sendable () async throws -> Void] = [{ try await lines.follow() }]
        if let index, let settings = configuration.output.openSearch {
            let follower = try IndexFollower(storage: storage, sink: index, settings: settings)
            followers.append { try await follower.follow() }
        }
        return (try storage.frontier(recrawl: configuration.recrawl, limits: limits), followers)
    }

    private var voice: ProgramVoice { ProgramVoice(configuration.messages) }

    /// Runs the crawl; progress is shown meanwhile.
    private func watched(
        _ crawler: Crawler, _ underWay: WorkUnderWay, isQuiet: Bool
    ) async throws -> CrawlSummary {
        let crawl = Task { try await crawler.run() }
        underWay.add { crawl.cancel() }
        let progress = isQuiet ? nil : ProgressDisplay(crawler: crawler, voice: voice).start()
        let result = await crawl.result
        await progress?.end()
        return try result.get()
    }

    /// Why the report that is there says more than one of this run would; nil when there is none, or this run's says more.
    private func reasonToKeep(
        _ folder: SiteReportFolder, _ reporter: CrawlReporter, _ summary: CrawlSummary, isJob: Bool
    ) -> String? {
        guard folder.hasReport else { return nil }
        if !reporter.hasReadAnything { return "\(folder.path): this run has read nothing; the report stays as it was" }
        if !isJob, summary.ending == .interrupted {
            return
                "\(folder.path): the crawl was stopped, and the earlier report stays as it was; give --report another "
                + "folder for one of what was read, or --storage to go on where a crawl was stopped"
        }
        return nil
    }

    private func tell(_ summary: CrawlSummary, reportIn reportFolder: String?) {
        guard voice.speaksJSON else { return writeError(summary.text(recordsIn: output, reportIn: reportFolder)) }
        voice.say("the crawl has ended: \(summary.ending.rawValue)", metadata: summary.metadata)
    }

    /// Runs a command's work; trouble of our own becomes one sentence on standard error and its exit status.
    static func reportingTrouble<Answer>(
        by voice: ProgramVoice = ProgramVoice(), _ work: () async throws -> Answer
    ) async throws -> Answer {
        func failure(_ error: any Error, _ status: Int32) -> ExitCode {
            voice.say(voice.speaksJSON ? "\(error)" : "pippin: \(error)", level: .error)
            return ExitCode(status)
        }
        do {
            return try await work()
        } catch let error as Troubles.Several {
            defer { for error in error.further { _ = failure(error, 6) } }
            return try await reportingTrouble(by: voice) { throw error.first }
        } catch let error as NDJSONSink.WriteError where error.isClosedPipe {
            throw ExitCode(0)
        } catch let error as NDJSONSink.WriteError where error.wasGivenUp {
            throw failure(error, 5)
        } catch let error as OutputLock.Held {
            throw failure(error, 7)
        } catch let error as OutputLock.Shared {
            throw failure(error, 2)
        } catch let error as NDJSONSink.WriteError {
            throw failure(error, 6)
        } catch let error as SiteReportFolder.WriteError {
            throw failure(error, 6)
        } catch let error as OutputError {
            throw failure(error, 6)
        } catch let error as CrawlStorage.StorageError {
            switch error {
            case .held: throw failure(error, 7)
            case .foreignCursor: throw failure(error, 2)
            case .unusable, .diskFull, .damaged: throw failure(error, 6)
            }
        } catch let error as DemoFolder.Held {
            throw failure(error, 7)
        } catch let error as OpenSearchSink.Failure {
            if case .noCredentials = error { throw failure(error, 2) }
            throw failure(error, 6)
        } catch let error as WARCArchive.Trouble {
            throw failure(error, 6)
        } catch let error as ConfigurationError {
            throw failure(error, 2)
        } catch let error as Crawler.SetUpError {
            throw failure(error, 2)
        } catch let error as CurlFetcher.SetupError {
            throw failure(error, 2)
        } catch let error as MetricsServer.StartError {
            throw failure(error, 2)
        } catch let error as DemoServer.StartError {
            throw failure(error, 2)
        } catch let error as DemoSite.LoadingError {
            throw failure(error, 2)
        } catch let error as SingleFetch.Failure {
            switch error {
            case .disallowed: throw failure(error, 1)
            case .contactMissing, .contactIsPlaceholder, .notHTTP: throw failure(error, 2)
            default: throw failure(error, 3)
            }
        } catch let error as ExitCode {
            throw error
        } catch let error as ValidationError {
            throw error
        } catch let error as CleanExit {
            throw error
        } catch let error as CocoaError {
            // What Foundation throws of files, in words.
            throw failure(OutputError(error), 6)
        } catch is CancellationError {
            throw ExitCode(5)
        } catch  where PippinCommand.exitCode(for: error) != .failure {
            // What ArgumentParser ends a command with: its help, or wrong usage.
            throw error
        } catch {
            throw failure(error, 70)
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

extension CurlFetcher.Configuration {
    init(_ configuration: CrawlConfiguration) {
        self.init(userAgent: configuration.agent.userAgent)
        connectTimeout = configuration.fetch.connectTimeout
        firstByteTimeout = configuration.fetch.timeout
        allowPrivateNetworks = configuration.fetch.allowPrivateNetworks
        keepsExchanges = configuration.output.archivePath != nil
        caFile = configuration.fetch.certificateAuthorityPath
        maximumConnections = max(configuration.fetch.concurrency * 2, 16)
        maximumConnectionsPerHost = configuration.politeness.maximumConnectionsPerHost + 1
    }
}
