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

    func run(storage folder: String?, isQuiet: Bool) async throws -> Ending {
        let storage = try folder.map { try CrawlStorage(folder: URL(filePath: $0)) }
        let (frontier, sink, follower) = try parts(storage)
        let fetcher = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        let crawler = Crawler(
            configuration: configuration, seeds: seeds, fetcher: fetcher, frontier: frontier, sink: sink,
            logger: Self.logger)
        let ledgerEntry = try storage?.begin(at: Date())

        let following = follower.map { follower in
            Task {
                do {
                    try await follower.follow()
                } catch {
                    // Records that cannot be handed over are kept; there is no use in finding more.
                    crawler.stop()
                    throw error
                }
            }
        }
        let crawl = Task { try await crawler.run() }
        let interrupts = InterruptSignals(first: { crawler.stop() }, second: { crawl.cancel() })
        let progress = isQuiet ? nil : ProgressDisplay(metrics: crawler.metrics).start()
        let result = await crawl.result
        storage?.endChanges()
        let delivery = await following?.result
        await progress?.end()
        interrupts.end()
        await fetcher.shutdown()

        let summary = try result.get()
        if let storage, let ledgerEntry {
            // A run that broke off has no end in the ledger.
            try storage.end(
                ledgerEntry, at: Date(), ending: summary.ending.rawValue, visits: summary.metrics.pages,
                records: summary.metrics.records)
        }
        try delivery?.get()
        if !isQuiet { writeError(summary.text(recordsIn: output)) }
        return switch summary.ending {
        case .interrupted: .interrupted
        case .pageLimit: .limitReached
        case .finished: summary.failedSeeds.isEmpty ? .done : .seedsFailed
        }
    }

    /// With a storage, the frontier keeps the records, and the output follows their changes; without, they go to a sink.
    private func parts(
        _ storage: CrawlStorage?
    ) throws -> (frontier: any Frontier, sink: (any RecordSink)?, follower: FeedFollower?) {
        guard let storage else {
            let sink =
                switch output {
                case .standardOutput: NDJSONSink(descriptor: STDOUT_FILENO, name: "standard output")
                case .file(let path): try NDJSONSink(path: path)
                }
            return (MemoryFrontier(), sink, nil)
        }
        let follower =
            switch output {
            case .standardOutput:
                try FeedFollower(storage: storage, descriptor: STDOUT_FILENO, name: "standard output")
            case .file(let path): try FeedFollower(storage: storage, path: path)
            }
        return (try storage.frontier(recrawl: configuration.recrawl), nil, follower)
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
        } catch let error as CrawlStorage.StorageError {
            switch error {
            case .held: throw failure(error, 7)
            case .foreignCursor: throw failure(error, 2)
            case .unusable, .diskFull, .damaged: throw failure(error, 6)
            }
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

extension CurlFetcher.Configuration {
    init(_ configuration: CrawlConfiguration) {
        self.init(userAgent: configuration.agent.userAgent)
        connectTimeout = configuration.fetch.connectTimeout
        firstByteTimeout = configuration.fetch.timeout
        allowPrivateNetworks = configuration.fetch.allowPrivateNetworks
        caFile = configuration.fetch.certificateAuthorityPath
        maximumConnections = max(configuration.fetch.concurrency * 2, 16)
        maximumConnectionsPerHost = configuration.politeness.connectionsPerHost + 1
    }
}
