import Foundation
import Logging
import PippinCrawl
import PippinServe
import PippinStore
import Synchronization

/// Publishes the counters of a running crawl: to Prometheus in a file, on a port of this machine, or both, and to `pippin
/// status` in the storage folder.
struct MetricsOutput: Sendable {
    let output: CrawlConfiguration.Output
    /// The folder in which `pippin status` looks; nil if there is no storage.
    let storageFolder: String?
    let crawler: Crawler
    let concurrency: Int
    let startedAt: Date
    let console: Console
    /// Makes the storage write what it only has in memory; nil if there is no storage.
    var showHosts: (@Sendable () async throws -> Void)?
    /// What the storage says an operator must act on; nil if there is no storage.
    var health: (@Sendable () throws -> StorageHealth)?

    /// The course of the run so far.
    private final class Course: Sendable {
        struct State {
            var timeline = CrawlTimeline()
            var recent = RecentPages()
        }

        let state = Mutex(State())
    }

    private let course = Course()

    /// `pippin status` shows the present state.
    private static let interval = Duration.seconds(1)
    /// Prometheus reads every 15 to 60 seconds, so every tenth interval is enough.
    private static let timesToMetrics = 10

    private var writesFiles: Bool { output.metricsPath != nil || storageFolder != nil }

    private func text(ending: CrawlSummary.Ending? = nil) -> String {
        let text = PrometheusText(crawler.statistics, concurrency: concurrency, startedAt: startedAt, ending: ending)
            .text
        do {
            var ofStorage = PrometheusExposition()
            try health?().write(to: &ofStorage)
            return text + ofStorage.text
        } catch {
            // The counters of the run are worth more than none.
            console.logger.error("metrics lack what the storage says: \(error)")
            return text
        }
    }

    /// Publishes the counters while a crawl runs. If a file cannot be written at the start, the error is thrown. Later errors
    /// are reported, and the crawl goes on.
    ///
    /// - Returns: the summary of the crawl, and the error if a file could not be written at its end.
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

    /// Writes the files repeatedly, until the task is cancelled.
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
                // The same error is reported once, not every second.
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

    /// Writes the file of metrics, if there is one.
    ///
    /// - Parameter ending: why the crawl has ended; nil while it goes on.
    func writeMetrics(ending: CrawlSummary.Ending? = nil) throws {
        if let path = output.metricsPath {
            try WholeFile.write(Array(text(ending: ending).utf8), to: path, what: "the file of metrics")
        }
    }

    private func writeProgress(ending: CrawlSummary.Ending? = nil) throws {
        if let storageFolder {
            let statistics = crawler.statistics
            let now = Date()
            let seconds = max(0, now.timeIntervalSince(startedAt))
            let course = course.state.withLock { course in
                course.timeline.add(CrawlTimeline.Sample(statistics, seconds: seconds))
                course.recent.add(statistics.pages, at: seconds)
                return course
            }
            let progress = CrawlProgress(
                statistics, concurrency: concurrency, startedAt: startedAt, at: now, ending: ending,
                pagesPerSecond: course.recent.perSecond, timeline: course.timeline)
            try WholeFile.write(
                progress.json(), to: storageFolder + "/" + CrawlProgress.fileName, what: "the file of progress")
        }
    }
}
