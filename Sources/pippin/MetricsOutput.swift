import Foundation
import Logging
import PippinCrawl
import PippinServe

/// Offers the counters of a running crawl to others: to Prometheus in a file, on a port of this machine, or both, and to
/// `pippin status` in the storage folder.
struct MetricsOutput: Sendable {
    let output: CrawlConfiguration.Output
    /// Where `pippin status` looks.
    let storageFolder: String?
    let crawler: Crawler
    let concurrency: Int
    let startedAt: Date
    let console: Console
    /// Has the storage show what it still holds in memory.
    var showHosts: (@Sendable () async throws -> Void)?

    /// `pippin status` is of now.
    private static let interval = Duration.seconds(1)
    /// Prometheus asks every 15 to 60 seconds: every tenth time is enough.
    private static let timesToMetrics = 10

    private var writesFiles: Bool { output.metricsPath != nil || storageFolder != nil }

    private func text(ending: CrawlSummary.Ending? = nil) -> String {
        PrometheusText(crawler.statistics, concurrency: concurrency, startedAt: startedAt, ending: ending).text
    }

    /// Runs a crawl meanwhile. A file that cannot be written at the start is thrown; in between it is told, and the crawl goes
    /// on.
    ///
    /// - Returns: with the summary, why a file could not be written at the end.
    func during(
        _ crawl: @escaping @Sendable () async throws -> CrawlSummary
    ) async throws -> (summary: CrawlSummary, trouble: (any Error)?) {
        let summary: CrawlSummary
        if let port = output.metricsPort {
            summary = try await MetricsServer(port: port, text: { text() }).withServer { port in
                console.logger.notice("metrics are at http://127.0.0.1:\(port)/metrics")
                return try await writing(crawl)
            }
        } else {
            summary = try await writing(crawl)
        }
        do {
            try write(ending: summary.ending)
        } catch {
            return (summary, error)
        }
        return (summary, nil)
    }

    private func writing(_ crawl: @Sendable () async throws -> CrawlSummary) async throws -> CrawlSummary {
        guard writesFiles else { return try await crawl() }
        try write()
        return try await withThrowingTaskGroup(of: Void.self) { beside in
            defer { beside.cancelAll() }
            beside.addTask(executorPreference: BlockingExecutor("pippin.metrics")) { await keepWriting() }
            return try await crawl()
        }
    }

    /// Until the task is cancelled.
    private func keepWriting() async {
        var times = 0
        var lastTrouble = ""
        while true {
            do {
                try await Task.sleep(for: Self.interval)
            } catch {
                return
            }
            times += 1
            do {
                try await showHosts?()
                try writeProgress()
                if times % Self.timesToMetrics == 0 { try writeMetrics() }
                lastTrouble = ""
            } catch {
                // Once, not every second.
                if "\(error)" != lastTrouble { console.logger.error("\(error)") }
                lastTrouble = "\(error)"
            }
        }
    }

    private func write(ending: CrawlSummary.Ending? = nil) throws {
        var troubles = Troubles()
        do { try writeMetrics(ending: ending) } catch { troubles.note(error) }
        do { try writeProgress(ending: ending) } catch { troubles.note(error) }
        try troubles.raise()
    }

    private func writeMetrics(ending: CrawlSummary.Ending? = nil) throws {
        if let path = output.metricsPath {
            try WholeFile.write(Array(text(ending: ending).utf8), to: path, what: "the file of metrics")
        }
    }

    private func writeProgress(ending: CrawlSummary.Ending? = nil) throws {
        if let storageFolder {
            let progress = CrawlProgress(
                crawler.statistics, concurrency: concurrency, startedAt: startedAt, at: Date(), ending: ending)
            try WholeFile.write(
                progress.json(), to: storageFolder + "/" + CrawlProgress.fileName, what: "the file of progress")
        }
    }
}
