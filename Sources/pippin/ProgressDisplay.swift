import Foundation
import Logging
import PippinCrawl

/// Tells on standard error how a crawl gets on: one line that is refreshed on a terminal, a line every ten seconds elsewhere.
struct ProgressDisplay {
    let metrics: CrawlMetrics
    let voice: ProgramVoice

    struct Running {
        fileprivate let task: Task<Void, Never>
        fileprivate let isTerminal: Bool

        /// Ends the display and leaves the cursor at the start of an empty line.
        func end() async {
            task.cancel()
            await task.value
            if isTerminal { StandardError.write("\r\u{1B}[K", mayBeLost: true) }
        }
    }

    func start() -> Running {
        let isTerminal = isatty(STDERR_FILENO) == 1 && !voice.speaksJSON
        let metrics = metrics
        let voice = voice
        let start = ContinuousClock.now
        let task = Task {
            while !Task.isCancelled {
                do {
                    try await Task.sleep(for: isTerminal ? .milliseconds(200) : .seconds(10))
                } catch {
                    return
                }
                guard !voice.speaksJSON else {
                    let now = metrics.snapshot
                    voice.logger.info("the crawl goes on", metadata: now.metadata)
                    continue
                }
                let line = Self.line(metrics.snapshot, elapsed: ContinuousClock.now - start)
                StandardError.write(isTerminal ? "\r\(line)\u{1B}[K" : line + "\n", mayBeLost: true)
            }
        }
        return Running(task: task, isTerminal: isTerminal)
    }

    private static func line(_ now: CrawlMetrics.Snapshot, elapsed: Duration) -> String {
        let seconds = max(1, Int(elapsed.components.seconds))
        return
            "\(seconds) s: \(now.pages) pages (\(now.pages / seconds)/s), \(now.records) records, \(now.deepLinks) deep links, "
            + "\(now.scheduled) waiting on \(now.hosts) hosts, \(now.visitsInFlight) in flight"
    }
}

extension CrawlMetrics.Snapshot {
    /// The counts that a message about the crawl carries.
    var metadata: Logger.Metadata {
        [
            "pages": .stringConvertible(pages), "records": .stringConvertible(records),
            "deepLinks": .stringConvertible(deepLinks), "requests": .stringConvertible(requests),
            "scheduled": .stringConvertible(scheduled), "hosts": .stringConvertible(hosts),
            "visitsInFlight": .stringConvertible(visitsInFlight),
        ]
    }
}

extension CrawlSummary {
    var metadata: Logger.Metadata {
        var metadata = metrics.metadata
        metadata["seconds"] = .stringConvertible((duration / .milliseconds(1)).rounded() / 1000)
        metadata["unvisited"] = .stringConvertible(unvisited)
        metadata["requestsTooEarly"] = .stringConvertible(account.requestsTooEarly)
        if let limit = account.pace.mostly { metadata["limitedBy"] = .string(limit.rawValue) }
        metadata["outcomes"] = .dictionary(metrics.outcomes.mapValues { .stringConvertible($0) })
        metadata["notCovered"] = .dictionary(
            Dictionary(limitations.map { ($0.code, .stringConvertible($0.count)) }) { first, _ in first })
        metadata["failedSeeds"] = .array(failedSeeds.map { .string($0.seed.url.href) })
        return metadata
    }
}
