import Foundation
import Logging
import PippinCrawl
import PippinPage

/// Shows on standard error how a crawl proceeds: one line that is refreshed on a terminal, or a line every ten seconds
/// elsewhere.
struct ProgressDisplay {
    let crawler: Crawler
    let console: Console

    /// Shows progress until the task is cancelled. Leaves the cursor at the start of an empty line.
    func show() async {
        let isTerminal = isatty(STDERR_FILENO) == 1 && !console.speaksJSON
        defer { if isTerminal { StandardError.refresh("") } }
        let start = ContinuousClock.now
        while true {
            do {
                try await Task.sleep(for: isTerminal ? .milliseconds(200) : .seconds(10))
            } catch {
                return
            }
            guard !console.speaksJSON else {
                let now = crawler.statistics
                console.logger.info(
                    "\(now.waiting.map { $0.sentence() } ?? "the crawl goes on")", metadata: now.metadata)
                continue
            }
            let line = Self.line(crawler.statistics, elapsed: ContinuousClock.now - start)
            if isTerminal {
                StandardError.refresh(String(line.prefix(Self.columns - 1)))
            } else {
                StandardError.write(line + "\n", mayBeLost: true)
            }
        }
    }

    private static func line(_ now: CrawlStatistics, elapsed: Duration) -> String {
        let seconds = max(1, Int(elapsed.components.seconds))
        let counts =
            "\(seconds) s: \(Wording.count(now.pages, "page")) (\(now.pages / seconds)/s), \(Wording.count(now.records, "record"))"
        if let waiting = now.waiting { return "\(counts); \(waiting.sentence())" }
        return counts
            + ", \(Wording.count(now.deepLinks, "deep link")), \(now.scheduled) waiting on \(Wording.count(now.hostsScheduled, "host")), "
            + "\(now.visitsInFlight) in flight"
    }

    /// Width of the terminal. A longer line would be repeated instead of refreshed.
    private static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 120 }
        return Int(size.ws_col)
    }
}

extension CrawlStatistics {
    /// The counts that accompany a message about the crawl.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "pages": .stringConvertible(pages), "records": .stringConvertible(records),
            "deepLinks": .stringConvertible(deepLinks), "requests": .stringConvertible(requests),
            "scheduled": .stringConvertible(scheduled), "hosts": .stringConvertible(hostsScheduled),
            "visitsInFlight": .stringConvertible(visitsInFlight),
        ]
        if let waiting {
            metadata["waitingFor"] = [
                "host": .string(waiting.host), "reason": .string(waiting.reason),
                "until": .string(StatusText.moment(waiting.until)),
            ]
        }
        return metadata
    }
}

extension CrawlSummary {
    var metadata: Logger.Metadata {
        var metadata = statistics.metadata
        metadata["seconds"] = .stringConvertible((duration / .milliseconds(1)).rounded() / 1000)
        metadata["unvisited"] = .stringConvertible(unvisited)
        metadata["requestsTooEarly"] = .stringConvertible(statistics.requestsTooEarly)
        if let limit = statistics.pace.mostly { metadata["limitedBy"] = .string(limit.rawValue) }
        metadata["outcomes"] = .dictionary(statistics.outcomes.mapValues { .stringConvertible($0) })
        metadata["notCovered"] = .dictionary(
            Dictionary(limitations.map { ($0.code, .stringConvertible($0.count)) }) { first, _ in first })
        metadata["failedSeeds"] = .array(failedSeeds.map { .string($0.seed.url.href) })
        metadata["reasons"] = .dictionary(
            Dictionary(failedSeeds.map { ($0.seed.url.href, .string($0.reason)) }) { first, _ in first })
        return metadata
    }
}
