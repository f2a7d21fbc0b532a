import ArgumentParser
import Foundation
import Logging
import PippinCrawl
import PippinPage
import PippinServe
import PippinStore

/// One crawl from the command line: joins the fetcher, the frontier and the sink, shows progress, obeys Ctrl-C, and turns
/// what happened into a summary and an exit status.
struct CrawlJob {
    enum Output {
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
        let sink =
            switch output {
            case .standardOutput: NDJSONSink(descriptor: STDOUT_FILENO, name: "standard output")
            case .file(let path): try NDJSONSink(path: path)
            }
        let folderOfReport = try reportFolder.map { try SiteReportFolder(path: $0) }
        let reporter = folderOfReport.map { _ in CrawlReporter(configuration: configuration, seeds: seeds) }
        let index = try configuration.output.openSearch.map { try OpenSearchSink($0, logger: Self.logger) }
        let sinks = index.map { RecordSinks([sink, $0]) } ?? RecordSinks([sink])
        let curl = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        let archive = try configuration.output.archivePath.map {
            try WARCArchive(folder: $0, userAgent: configuration.agent.userAgent)
        }
        let fetcher: any Fetcher = archive.map { ArchivingFetcher(curl, archive: $0) } ?? curl
        let crawler = Crawler(
            configuration: configuration, seeds: seeds, fetcher: fetcher, frontier: MemoryFrontier(), sink: sinks,
            appLookup: lookup, logger: Self.logger, reporter: reporter)
        let ledgerEntry = try storage?.begin(at: Date())

        let crawl = Task { try await crawler.run() }
        let interrupts = InterruptSignals(first: { crawler.stop() }, second: { crawl.cancel() })
        // An archive with holes is none: when it cannot be written, the run ends as if it were interrupted, and says why.
        let watch = archive.map { archive in Task { for await _ in archive.troubles { crawler.stop() } } }
        let progress = isQuiet ? nil : ProgressDisplay(metrics: crawler.metrics).start()
        let result = await crawl.result
        await progress?.end()
        interrupts.end()
        await curl.shutdown()
        watch?.cancel()
        try await archive?.close()

        // What was found stays, whatever ended the crawl.
        if case .failure = result { try await sink.flush() }
        let summary = try result.get()
        try await sinks.flush()
        if let storage, let ledgerEntry {
            try storage.end(
                ledgerEntry, at: Date(), ending: summary.ending.rawValue, visits: summary.metrics.pages,
                records: summary.metrics.records)
        }
        if let folderOfReport, let reporter {
            try folderOfReport.write(reporter.report(of: summary, finishedAt: Date()))
        }
        if !isQuiet {
            writeError(summary.text(recordsIn: output, reportIn: reportFolder))
            if let index { writeError(await index.counts.text) }
        }
        return switch summary.ending {
        case .interrupted: .interrupted
        case .pageLimit, .quietHours: .limitReached
        case .finished: summary.failedSeeds.isEmpty ? .done : .seedsFailed
        }
    }

    private static var logger: Logger {
        var logger = Logger(label: "pippin", factory: { _ in StreamLogHandler.standardError(label: "pippin") })
        logger.logLevel = .warning
        return logger
    }

    /// Runs a command's work; trouble of our own becomes one sentence on standard error and its exit status.
    static func reportingTrouble<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
        do {
            return try await work()
        } catch let error as NDJSONSink.WriteError where error.isClosedPipe {
            throw ExitCode(0)
        } catch let error as NDJSONSink.WriteError {
            throw failure(error, 6)
        } catch let error as SiteReportFolder.WriteError {
            throw failure(error, 6)
        } catch let error as CrawlStorage.StorageError {
            if case .held = error { throw failure(error, 7) }
            throw failure(error, 6)
        } catch let error as OpenSearchSink.Failure {
            throw failure(error, 6)
        } catch let error as WARCArchive.Trouble {
            throw failure(error, 6)
        } catch let error as ConfigurationError {
            throw failure(error, 2)
        } catch let error as Crawler.SetUpError {
            throw failure(error, 2)
        } catch let error as CurlFetcher.SetupError {
            throw failure(error, 2)
        } catch let error as DemoSite.LoadingError {
            throw failure(error, 2)
        } catch let error as SingleFetch.Failure {
            switch error {
            case .disallowed, .robotsUnreachable: throw failure(error, 1)
            case .contactMissing, .notHTTP: throw failure(error, 2)
            default: throw failure(error, 3)
            }
        } catch let error as ExitCode {
            throw error
        } catch let error as ValidationError {
            throw error
        } catch is CancellationError {
            throw ExitCode(5)
        } catch {
            throw failure(error, 70)
        }
    }

    private static func failure(_ error: any Error, _ status: Int32) -> ExitCode {
        writeError("pippin: \(error)")
        return ExitCode(status)
    }
}

/// One line on standard error; standard output is for data.
func writeError(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}

extension AppLookup {
    /// - Throws: `ConfigurationError` with file, line and column.
    init(contentsOf path: String) throws {
        let bytes: [UInt8]
        do {
            bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw ConfigurationError(
                file: path, key: "app_lookup", problem: "cannot be read: \(error.localizedDescription)")
        }
        do throws(Failure) {
            try self.init(bytes: bytes)
        } catch {
            throw ConfigurationError(file: path, line: error.line, column: error.column, problem: error.message)
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
