import Foundation
import PippinCrawl

/// Tells on standard error how a crawl gets on: one line that is refreshed on a terminal, a line every ten seconds elsewhere.
struct ProgressDisplay {
    let metrics: CrawlMetrics

    struct Running {
        fileprivate let task: Task<Void, Never>
        fileprivate let isTerminal: Bool

        /// Ends the display and leaves the cursor at the start of an empty line.
        func end() async {
            task.cancel()
            await task.value
            if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        }
    }

    func start() -> Running {
        let isTerminal = isatty(STDERR_FILENO) == 1
        let metrics = metrics
        let start = ContinuousClock.now
        let task = Task {
            while !Task.isCancelled {
                do {
                    try await Task.sleep(for: isTerminal ? .milliseconds(200) : .seconds(10))
                } catch {
                    return
                }
                let line = Self.line(metrics.snapshot, elapsed: ContinuousClock.now - start)
                FileHandle.standardError.write(Data((isTerminal ? "\r\(line)\u{1B}[K" : line + "\n").utf8))
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
