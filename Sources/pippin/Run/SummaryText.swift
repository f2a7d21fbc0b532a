import Foundation
import PippinCrawl
import PippinPage

extension CrawlSummary {
    /// The summary a person reads at the end of a run.
    func text(recordsIn output: CrawlJob.Output, reportIn folder: String? = nil) -> String {
        var lines: [String] = []
        let reason =
            switch ending {
            case .finished: "Done"
            case .pageLimit: "Page limit reached"
            case .quietHours: "Quiet hours began"
            case .hostsRest: "Only resting hosts are left: ended"
            case .hostLimit: "Only hosts beyond a limit are left: ended"
            case .addresses: "Only hosts at new addresses are left: ended"
            case .interrupted: "Interrupted"
            }
        let wasIdle = statistics.outcomes.isEmpty && statistics.requests == 0
        lines.append("\(reason) after \(Self.seconds(duration)): \(wasIdle ? "nothing was due" : counts).")
        if !statistics.outcomes.isEmpty {
            lines.append("Visits by outcome:")
            lines += Self.table(
                statistics.outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { code, count in
                    (count, code + Self.examples(statistics.examples[code]))
                })
        }
        if !wasIdle {
            lines += hostLines
            lines += paceLines
        }
        lines += droppedLines

        if !limitations.isEmpty {
            lines.append("What limited coverage:")
            lines += limitations.map { "  \($0.message) [\($0.code)]" }
        }
        lines += troubleLines
        lines += seedLines
        if !failedSeeds.isEmpty {
            lines.append("Seeds that failed:")
            lines += failedSeeds.flatMap {
                ["  \($0.seed.url.href): \($0.code)" + Self.earlier($0.earlier), "    \($0.reason)"]
            }
        }
        lines += restingSeedLines
        lines += standingLines
        if case .file(let path) = output { lines.append("Records: \(path)") }
        if let folder { lines.append("Report: \(folder)/index.html") }
        // Servers choose some of the words.
        return lines.map(\.safeForTerminal).joined(separator: "\n")
    }

    private static let hostsShown = 10
    private static let seedsShown = 10
    private static let reasonsShown = 8

    // MARK: The run, and the job it is part of

    private var counts: String {
        var parts = [Wording.count(statistics.pages, "page"), Wording.count(statistics.records, "record")]
        let unchanged = statistics.outcomes[VisitOutcome.notModified.code] ?? 0
        if unchanged > 0 { parts.append("\(unchanged) not modified") }
        if statistics.deletions > 0 { parts.append(Wording.count(statistics.deletions, "deletion")) }
        parts += [
            Wording.count(statistics.deepLinks, "deep link"), Wording.count(statistics.requests, "request"),
            Self.bytes(statistics.wireBytes),
        ]
        return parts.joined(separator: ", ")
    }

    private var standingLines: [String] {
        guard let standing, ending == .finished else { return [] }
        var line = "\(Wording.count(standing.knownURLs, "URL is", "URLs are")) known"
        if let next = standing.nextDue {
            line += "; the first is due again at \(StatusText.moment(next.at)) (\(next.host))"
        }
        return [line + "."]
    }

    // MARK: Hosts and their pauses

    private var hostLines: [String] {
        var lines = ["Hosts:"]
        let busiest = statistics.hosts.filter(\.value.wasVisited).sorted {
            ($1.value.pages, $0.key) < ($0.value.pages, $1.key)
        }
        lines += Self.table(
            busiest.prefix(Self.hostsShown).map { host, count in
                var text = "\(host): \(Wording.count(count.records, "record"))"
                if count.failures > 0 { text += ", \(Wording.count(count.failures, "failure"))" }
                if let pause = count.smallestPause, let delay = count.delayThen {
                    text += ", shortest pause \(Self.precise(pause)) (delay \(Self.precise(delay)))"
                }
                return (count.pages, text)
            })
        if busiest.count > Self.hostsShown {
            lines.append("         and \(Wording.count(busiest.count - Self.hostsShown, "more host", "more hosts"))")
        }
        if let least = statistics.smallestPause {
            let early = statistics.requestsTooEarly
            lines.append(
                "Politeness: the shortest pause between two requests to one host was \(Self.precise(least.pause)) "
                    + "(delay \(Self.precise(least.delay)), \(least.host)); "
                    + (early == 0
                        ? "no request came before its host's delay had passed."
                        : "\(Wording.count(early, "request")) CAME TOO EARLY, which is a defect: please report it."))
        }
        return lines
    }

    /// What the network did to hosts that no failed seed tells of.
    private var troubleLines: [String] {
        let told = Set(failedSeeds.map { CrawlRequest(seed: $0.seed).host })
        let untold = statistics.troubles.filter { !told.contains($0.key) }.sorted { $0.key < $1.key }
        guard !untold.isEmpty else { return [] }
        var lines = ["Hosts whose last request failed:"]
        lines += untold.prefix(Self.hostsShown).map { "  \($0.key): \($0.value.explanation(spelling))." }
        if untold.count > Self.hostsShown {
            lines.append("  and \(Wording.count(untold.count - Self.hostsShown, "more host", "more hosts"))")
        }
        return lines
    }

    // MARK: Pace

    private var paceLines: [String] {
        // Where nothing was answered, nothing would make it faster.
        guard statistics.pages > 0, let limit = statistics.pace.mostly else { return [] }
        let meaning =
            switch limit {
            case .politeness: "politeness: more hosts would make it faster, more connections would not"
            case .capacity: "capacity: as many visits were in flight as fetch.concurrency allows"
            case .work: "the work at hand: nothing else was known to be visited"
            case .pagesHeld: "pages that waited for files of their sites"
            case .rendering: "the browser: more of render.concurrency, or fewer rendered pages, would make it faster"
            case .renderedFiles: "politeness to the hosts of files that rendered pages waited for"
            case .memory: "memory"
            case .ending: "its own end: what was in flight had to be awaited"
            }
        let shares = CrawlPace.Limit.allCases.compactMap { limit -> String? in
            let percent = Int((statistics.pace.share(of: limit) * 100).rounded())
            return percent > 0 ? "\(limit.rawValue) \(percent) %" : nil
        }
        return ["The pace was set by \(meaning) (\(shares.joined(separator: ", ")))."]
    }

    // MARK: What was left out

    private var droppedLines: [String] {
        guard !statistics.refusals.isEmpty else { return [] }
        let sorted = statistics.refusals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        var lines = ["Links left out:"]
        lines += Self.table(
            sorted.prefix(Self.reasonsShown).map { reason, count in
                (count, reason + Self.examples(statistics.refusalExamples[reason]))
            })
        if sorted.count > Self.reasonsShown {
            lines.append("         and \(Wording.count(sorted.count - Self.reasonsShown, "more reason"))")
        }
        return lines
    }

    private static func examples(_ urls: [String]?) -> String {
        guard let first = urls?.first else { return "" }
        return ", like \(first.prefix(100))" + (first.count > 100 ? "…" : "")
    }

    // MARK: Seeds

    /// Those that led elsewhere; where all did as expected there is nothing to say.
    private var seedLines: [String] {
        let moved = statistics.seeds.filter { $0.redirects > 0 && $0.outcome?.servesSeed == true }
        guard !moved.isEmpty else { return [] }
        var lines = ["Seeds that led elsewhere:"]
        lines += moved.prefix(Self.seedsShown).map {
            "  \($0.seed.url.href) → \($0.finalURL?.href ?? ""): \($0.outcome?.code ?? "")"
        }
        if moved.count > Self.seedsShown {
            lines.append("  and \(Wording.count(moved.count - Self.seedsShown, "more seed"))")
        }
        return lines
    }

    /// Of a seed that this run did not visit.
    private static func earlier(_ seed: JobStanding.SeedStanding?) -> String {
        guard let seed else { return "" }
        var parts: [String] = []
        if let date = seed.visitedAt { parts.append("on \(StatusText.moment(date))") }
        if let date = seed.restsUntil {
            parts.append("its host waits until \(StatusText.moment(date))")
        } else if let date = seed.nextVisit {
            parts.append("visited again from \(StatusText.moment(date)) on")
        }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
    }

    /// Seeds that had nothing to do in this run, and had done well.
    private var restingSeedLines: [String] {
        guard standing != nil else { return [] }
        let failed = Set(failedSeeds.map(\.seed.url))
        let resting = statistics.seeds.count { seed in
            seed.outcome == nil && seed.earlier?.code != nil && !failed.contains(seed.seed.url)
        }
        guard resting > 0 else { return [] }
        return ["\(Wording.count(resting, "seed was", "seeds were")) not due; when last visited, all was well."]
    }

    // MARK: Words

    private static func table(_ rows: [(Int, String)]) -> [String] {
        rows.map { count, text in
            let number = "\(count)"
            return String(repeating: " ", count: max(0, 7 - number.count)) + number + "  " + text
        }
    }

    static func bytes(_ count: Int) -> String {
        switch count {
        case ..<10_000: "\(count) bytes"
        case ..<10_000_000: "\(count / 1000) KB"
        case ..<10_000_000_000: "\(count / 1_000_000) MB"
        default: "\(count / 1_000_000_000) GB"
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
    }

    /// `1.003 s`, `20.4 ms`
    private static func precise(_ duration: Duration) -> String {
        duration < .seconds(1)
            ? "\((duration / .microseconds(100)).rounded() / 10) ms"
            : "\((duration / .milliseconds(1)).rounded() / 1000) s"
    }
}

extension OpenSearchSink.Counts {
    /// What became of the changes, for a person.
    var text: String {
        var parts = [Wording.count(indexed, "record"), Wording.count(deleted, "deletion")]
        if superseded > 0 { parts.append("\(superseded) superseded") }
        if rejected > 0 { parts.append("\(rejected) refused (the log names them)") }
        return "Search index: " + parts.joined(separator: ", ")
    }
}
