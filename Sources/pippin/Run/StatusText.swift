import Foundation
import PippinCrawl
import PippinPage
import PippinStore

extension StorageStatus {
    /// For a person.
    func text(_ spelling: Setting.Spelling) -> String {
        var lines: [String] = []
        if let shards {
            lines += shards.heading
        } else {
            switch state {
            case .running: lines.append("A run goes on (process \(runningProcess ?? 0)).")
            case .killed:
                lines.append(
                    "The last run was ended from outside. Nothing it finished is lost; the next run goes on from there."
                )
            case .idle: lines.append(runs.isEmpty ? "No run yet." : "No run goes on.")
            }
        }
        lines.append(
            "\(Wording.count(known, "URL")) on \(Wording.count(hosts, "host")) \(known == 1 ? "is" : "are") known: "
                + "\(queued) \(queued == 1 ? "waits" : "wait") to be visited, "
                + "\(due)\(due == StorageStatus.mostDue ? " or more" : "") \(due == 1 ? "is" : "are") due again, "
                + "\(max(0, known - queued)) \(known - queued == 1 ? "was" : "were") visited. \(Wording.count(records, "record"))."
        )
        if queued + due == 0, let nextDue {
            lines.append(
                "Next due: \(StatusText.moment(nextDue.at)), on \(nextDue.host) (\(DurationWords.distance(to: nextDue.at, from: at)))."
            )
        }
        if let shards { lines += shards.table }
        lines += paceLines
        if let logTrouble { lines.append(logTrouble) }
        if dropped > 0 {
            let hosts = dropping.map { "\($0.name) \($0.dropped)" }.joined(separator: ", ")
            lines.append(
                "\(dropped == 1 ? "1 link was" : "\(dropped) links were") not kept, as more of their hosts waits than a run may "
                    + "visit (\(Setting.maximumPagesPerHost.spelled(spelling)), \(Setting.maximumPages.spelled(spelling))): \(hosts) [queue-full]."
            )
        }
        if !lastOutcomes.isEmpty {
            lines.append("URLs by their last visit:")
            lines += lastOutcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                StatusText.row($0.value, $0.key)
            }
        }
        if !busiest.isEmpty {
            lines.append("Waiting, by host:")
            lines += busiest.map { StatusText.row($0.queued, $0.name) }
        }
        if !blocked.isEmpty {
            lines.append("Hosts that wait:")
            lines += blocked.map { host in
                "  \(host.name) until \(host.blockedUntil.map(StatusText.moment) ?? ""), as \(host.blockReason ?? "it rests")"
                    + "; \(host.queued == 1 ? "1 URL waits" : "\(host.queued) URLs wait")"
            }
            if blockedCount > blocked.count {
                lines.append("  and \(Wording.count(blockedCount - blocked.count, "more host"))")
            }
        }
        if !troubled.isEmpty {
            lines.append("Hosts whose last request failed:")
            lines += troubled.map { "  \($0.name): \($0.trouble?.explanation(spelling) ?? "")." }
            if troubledCount > troubled.count {
                lines.append("  and \(Wording.count(troubledCount - troubled.count, "more host"))")
            }
        }
        if !runs.isEmpty {
            lines.append(shards == nil ? "Runs:" : "Turns:")
            lines += runs.map(StatusText.run)
        }
        if !runs.isEmpty {
            lines.append("To watch:")
            lines += health.lines
        }
        // Servers choose some of the words.
        return lines.map(\.safeForTerminal).joined(separator: "\n") + "\n"
    }

    private var paceLines: [String] {
        guard let progress, progress.seconds > 0 else { return [] }
        let isOver = progress.ending != nil
        let name =
            shards == nil
            ? isOver ? "The last run" : "This run so far"
            : isOver ? "The last turn of each shard" : "The last turn of each shard so far"
        var line =
            "\(name): \(Wording.count(progress.pages, "page")) and \(Wording.count(progress.requests, "request")) in \(StatusText.span(progress.seconds)) "
            + "(\(StatusText.rate(progress.pages, progress.seconds)) pages/s)"
        if let limit = CrawlPace.Limit.allCases.max(by: { progress.share(of: $0) < progress.share(of: $1) }),
            progress.share(of: limit) > 0
        {
            let shares = CrawlPace.Limit.allCases.compactMap { limit -> String? in
                let percent = Int((progress.share(of: limit) * 100).rounded())
                return percent > 0 ? "\(limit.rawValue) \(percent) %" : nil
            }
            line += ", its pace set by \(limit.rawValue) (\(shares.joined(separator: ", ")))"
        }
        if !isOver {
            line += "; \(progress.visitsInFlight) of \(progress.concurrency) visits in flight"
        }
        var lines = [line + "."]
        if let beyond = progress.hostsBeyondLimit, beyond > 0 {
            lines.append(
                "\(Wording.count(beyond, "host is", "hosts are")) left for the next run, as a limit is reached.")
        }
        if state == .running, let waiting = progress.waiting, waiting.until > at {
            lines.append("It is \(waiting.sentence()).")
        }
        return lines
    }
}

extension StorageStatus.Shards {
    fileprivate var heading: [String] {
        let working = standings.filter { $0.state == .running }.count
        let killed = standings.filter { $0.state == .killed }
        var lines = [
            "A job in \(Wording.count(count, "shard")); "
                + (working == 0 ? "none is crawled now." : "\(working) \(working == 1 ? "is" : "are") crawled now.")
        ]
        if !killed.isEmpty {
            let numbers = killed.prefix(10).map { "\($0.number)" }.joined(separator: ", ")
            let others = killed.count > 10 ? " and \(killed.count - 10) more" : ""
            lines.append(
                "The last turn of shard\(killed.count == 1 ? "" : "s") \(numbers)\(others) was ended from outside. Nothing it finished "
                    + "is lost; the driver tries the turn again.")
        }
        if let absence { lines.append(absence) }
        return lines
    }

    /// A line for each shard; of very many, for those in which the most waits.
    fileprivate var table: [String] {
        func cell(_ text: String) -> String { String(repeating: " ", count: max(0, 11 - text.count)) + text }
        func row(_ cells: [String], _ end: String) -> String { cells.map(cell).joined() + "  " + end }
        let rows = mostWaiting
        var lines = [row(["shard", "known", "waiting", "due", "records"], "last turn")]
        lines += rows.map { shard in
            row(
                ["\(shard.number)", "\(shard.known)", "\(shard.queued)", "\(shard.due)", "\(shard.records)"],
                shard.lastTurn)
        }
        if rows.count < standings.count {
            lines.append("  and \(standings.count - rows.count) more, in which less waits")
        }
        return lines
    }
}

extension StorageHealth {
    /// A line for each thing to watch (Docs/Operations.md).
    fileprivate var lines: [String] {
        func more(_ count: Int) -> String { count >= Self.mostCounted ? "\(count) or more" : "\(count)" }
        func age(_ date: Date) -> String { StatusText.span(max(0, at.timeIntervalSince(date))) }
        var lines = [
            "starved hosts: \(starvedHosts == 0 ? "none" : more(starvedHosts))",
            "oldest due URL: " + (oldestDue.map { "waits for \(age($0.at)), on \($0.host)" } ?? "none"),
            "database log: \(CrawlSummary.bytes(logBytes))",
        ]
        var disk = "disk: the job keeps \(CrawlSummary.bytes(bytes)), \(CrawlSummary.bytes(freeBytes)) are free"
        if let growthPerDay, let daysLeft {
            disk +=
                daysLeft.isFinite
                ? "; it grows by \(CrawlSummary.bytes(Int(growthPerDay))) a day, full in \(Int(min(daysLeft, 99_999))) days"
                : "; it does not grow"
        }
        lines.append(disk)
        lines.append("last run that ended in order: " + (lastSuccess.map { "\(age($0)) ago" } ?? "none"))
        for consumer in consumers {
            let lag =
                consumer.behind == 0
                ? "up to date" : "lacks \(more(consumer.behind)) \(consumer.behind == 1 ? "change" : "changes")"
            lines.append("\(consumer.name): \(lag)")
        }
        return lines.map { "  " + $0 }
    }
}

/// Words of `status` and `why`.
enum StatusText {
    static func moment(_ date: Date) -> String { InternetTime.text(date) }

    static func row(_ count: Int, _ text: String) -> String {
        let number = "\(count)"
        return String(repeating: " ", count: max(0, 9 - number.count)) + number + "  " + text
    }

    /// `3 h 12 min`
    static func span(_ seconds: Double) -> String {
        DurationWords.text(seconds: Int(exactly: seconds.rounded()) ?? 0)
    }

    static func rate(_ count: Int, _ seconds: Double) -> Double {
        seconds > 0 ? (Double(count) / seconds * 10).rounded() / 10 : 0
    }

    static func run(_ run: StorageStatus.PastRun) -> String {
        let shard = run.shard.map { ", shard \($0)" } ?? ""
        guard let endedAt = run.endedAt else {
            return "  \(moment(run.startedAt))\(shard): goes on, or was ended from outside"
        }
        let seconds = endedAt.timeIntervalSince(run.startedAt)
        return
            "  \(moment(run.startedAt))\(shard): \(run.ending ?? "ended") after \(span(seconds)), \(Wording.count(run.visits, "page")) "
            + "(\(rate(run.visits, seconds))/s), \(Wording.count(run.records, "record")) written"
    }
}
