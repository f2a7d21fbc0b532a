import Foundation
import PippinCrawl

/// Judges a job of nightly runs on one machine: besides requests and records, what its commands say, how long hosts and pages wait, and
/// how much the files take.
final class JobAuditor: Auditor {
    private let plan: Plan

    init(plan: Plan, web: SimulatedWeb) {
        self.plan = plan
        super.init(web: web)
    }

    // MARK: After each process

    func ended(
        life number: Int, _ life: Plan.Life, _ end: SimulatedJob.End, at time: Duration, consumer: TailingConsumer,
        exporter: ExportingConsumer
    ) {
        let requests = entries[lastNoted...]
        let visits = requests.count { $0.purpose == .page }
        trace.append(
            "process \(number + 1) day \(SimulatedWeb.days(time)): \(Self.words(end)), \(requests.count) requests (\(visits) of pages)"
                + (life.fault.map { ", fault \($0)" } ?? ""))
        if life.calendar > 0 { meet(.clockAhead) }
        if life.calendar < 0 { meet(.clockBehind) }
        if life.calendarAtEnd != life.calendar { meet(.clockSet) }
        if life.olderVersion != nil, number > 0 {
            meet(.upgraded)
            // It had hardly more than begun.
            if requests.isEmpty, life.fault != nil { meet(.upgradeInterrupted) }
        }
        meet(.notModified, requests.count { $0.status == 304 })
        meet(
            .notModifiedAfterChange,
            zip(requests.indices, requests).count { number, entry in
                guard entry.status == 304, let before = answers[entry.url]?.last(where: { $0 < number }) else {
                    return false
                }
                return web.associationChanged(atHost: entry.host, between: entries[before].start, and: entry.start)
            })
        let throttled = requests.count { $0.status == 429 }
        meet(.throttled, throttled)
        meet(.robotsFailed, requests.count { $0.purpose == .robots && $0.status == 503 })
        meet(
            .robotsClosed,
            requests.count { $0.purpose == .robots && web.rules(ofHost: $0.host, at: $0.start).disallowed == "/" })
        var current = Life(calendar: life.calendar, calendarAtEnd: life.calendarAtEnd)
        switch end {
        case .finished(let summary):
            (current.finished, current.didAll) = (
                summary.ending != .interrupted, summary.ending == .finished && summary.unvisited == 0
            )
            if summary.ending == .interrupted { meet(.stopped) }
            if life.fault == .powerCutAtEnd { meet(.powerLostAtEnd) }
            if summary.ending == .pageLimit { meet(.pageLimit) }
            meet(.hostPageLimit, summary.statistics.outcomes["excluded-host-page-limit"] ?? 0)
            meet(.hostLeft, summary.statistics.hostsLeft.count)
        case .failed(let error):
            meet(.diskFailed)
            switch life.fault {
            // What has no half fails.
            case .diskFails, .diskIsFull, .killHalfway: break
            default: violate("run failed: process \(number + 1): \(error)")
            }
            let parts = (error as? Troubles.Several).map { [$0.first] + $0.further } ?? [error]
            if !parts.allSatisfy({ $0 is any ReportedError }) {
                violate("error unknown: process \(number + 1): \(type(of: error)): \(error)")
            }
        case .hung: violate("run hangs: process \(number + 1) waits for ever")
        case .killed:
            meet(.killed)
            switch life.fault {
            case .killWriting, .killHalfway: meet(.killedWhileWriting)
            default: break
            }
            if throttled > 0 { meet(.throttledThenKilled) }
        case .lostPower(let writes):
            current.lostPower = true
            meet(.powerLost)
            meet(.writesLost, writes)
        }
        lives.append(current)
        if current.finished {
            audit(consumer, exporter, asked)
            asked = []
        }
        take(consumer.violations + exporter.violations)
    }

    private static func words(_ end: SimulatedJob.End) -> String {
        switch end {
        case .finished(let summary): "\(summary.ending.rawValue), \(summary.statistics.pages) pages"
        case .failed(let error): "failed: \(error)"
        case .killed: "killed"
        case .hung: "hangs"
        case .lostPower(let writes): "lost power, and \(writes) writes"
        }
    }

    /// Looks whether the archive has all that the last process got, by the indexes of its files.
    func auditArchive(_ folder: URL) throws {
        var captured: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".cdxj") {
            for line in try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n") {
                guard let start = line.firstIndex(of: "{"),
                    let capture = try JSONSerialization.jsonObject(with: Data(line[start...].utf8)) as? [String: String]
                else { continue }
                captured.insert(capture["url"] ?? "")
            }
        }
        let lost = entries[lastNoted...].first { $0.status != nil && $0.end != nil && !captured.contains($0.url) }
        if let lost { violate("not archived: \(lost)") }
    }

    // MARK: Records

    /// Compares what the consumers have with what the servers said about some URLs.
    private func audit(_ consumer: TailingConsumer, _ exporter: ExportingConsumer, _ urls: Set<String>) {
        let (index, exported) = (consumer.index, exporter.index)
        for url in urls.sorted() {
            guard let numbers = answers[url] else { continue }
            judge(url, numbers, record: index[url])
        }
        if index != exported {
            let other = Set(index.keys).union(exported.keys).sorted().first { index[$0] != exported[$0] } ?? ""
            violate(
                "export differs: \(other) is \(exported[other] ?? "nothing"), and in the followed file \(index[other] ?? "nothing")"
            )
        }
        for url in index.keys.sorted() where answers[url] == nil {
            violate("record of nothing: \(url) was never answered")
        }
    }

    /// Compares all records, at the end.
    func auditAll(_ consumer: TailingConsumer, _ exporter: ExportingConsumer) {
        if lives.last?.finished == true { audit(consumer, exporter, Set(answers.keys)) }
    }

    /// Lets somebody use the other commands after a run that nothing disturbed.
    func use(_ user: CommandUser, in storage: URL, _ consumer: TailingConsumer, at time: Duration) throws {
        let calendar = Duration.seconds(lives.last?.calendarAtEnd ?? 0)
        let (records, now) = (consumer.index, MadeUpTime.date(time + calendar))
        try user.search(in: storage, for: records)
        try user.status(in: storage, records: records.count, now: now)
        var numbers = SeededNumbers(seed: plan.seed ^ UInt64(lives.count))
        if numbers.upTo(4) == 0 { try user.compact(storage) }
        try user.check(storage, archive: plan.isArchived ? storage.appending(path: "archive") : nil)
        let urls = answers.keys.sorted()
        for _ in 0..<min(3, urls.count) {
            let url = urls[numbers.upTo(urls.count)]
            guard let number = answers[url]?.last, life(of: number).didAll,
                life(of: number).steadyCalendar == lives.last?.calendarAtEnd, let status = entries[number].status,
                [200, 301, 304, 404, 410].contains(status)
            else { continue }
            try user.why(url, answeredAt: MadeUpTime.date(entries[number].start + calendar), now: now, in: storage)
        }
    }

    // MARK: Waiting

    /// How many finished runs may pass before every host with work was asked: hosts come in the order of their last visit, and a run
    /// that may visit so many pages takes at most sixteen of each.
    private var longestWaitOfHosts: Int { 2 + (16 * plan.hosts - 1) / plan.maximumPages }

    /// How many finished runs may pass before a page whose link was read is visited: half of a host's pages in a run are those that
    /// have waited longest.
    private func longestWait(ofPagesOn host: SimulatedWeb.Host) -> Int {
        2 + longestWaitOfHosts + 4 * ((host.pageCount - 1) / min(plan.maximumPagesPerHost, plan.maximumPages))
    }

    /// Judges how long hosts and pages have waited.
    func auditWaiting() {
        auditStarvation()
        auditRhythm()
    }

    private func auditStarvation() {
        // The number of finished runs before each process.
        var finishedBefore = [0]
        for life in lives { finishedBefore.append(finishedBefore[finishedBefore.count - 1] + (life.finished ? 1 : 0)) }
        let finished = finishedBefore[finishedBefore.count - 1]
        var first: [String: Int] = [:]
        var firstTime: [String: Duration] = [:]
        for entry in entries where entry.purpose == .page && first[entry.url] == nil {
            first[entry.url] = finishedBefore[entry.process]
            firstTime[entry.url] = entry.start
        }
        for number in 0..<plan.hosts {
            let host = web.host(number)
            guard isHealthy(host) else { continue }
            let origin = "https://\(host.name)"
            if first["\(origin)/"] ?? finished > longestWaitOfHosts {
                violate(
                    "host starved: \(origin)/ \(words(first["\(origin)/"], of: finished)); \(longestWaitOfHosts) may pass"
                )
            }
            // What limits all pages together gives no bound for those of a host.
            guard plan.maximumPages >= plan.hosts * plan.mostPages else { continue }
            for page in 1..<max(1, host.pageCount) {
                // The page that links to it.
                let parent = (page - 1) / 2
                let (link, visited) = ("\(origin)/\(parent == 0 ? "" : "p\(parent)")", first["\(origin)/p\(page)"])
                guard let known = first[link], case .page = web.truth(of: link, at: firstTime[link] ?? .zero) else {
                    continue
                }
                let most = longestWait(ofPagesOn: host)
                if (visited ?? finished) - known > most {
                    violate(
                        "page starved: \(origin)/p\(page) was known after \(known) runs, and \(words(visited, of: finished)); \(most) may pass"
                    )
                }
            }
        }
    }

    private func words(_ first: Int?, of finished: Int) -> String {
        first.map { "was asked for after \($0) runs" } ?? "was not asked for in \(finished) runs"
    }

    /// A page that a night's run has read for the first time is visited again in the next night, as the usual interval says.
    private func auditRhythm() {
        guard plan.maximumPages >= plan.hosts * plan.mostPages, plan.maximumPagesPerHost > plan.mostPages else {
            return
        }
        let nights = lives.indices.filter { plan.lives[$0].pause == nil }
        let healthy = Set((0..<plan.hosts).map(web.host).filter(isHealthy).map(\.name))
        for (url, numbers) in answers.sorted(by: { $0.key < $1.key }) {
            let first = entries[numbers[0]]
            let number = first.process
            guard healthy.contains(first.host), plan.lives[number].pause == nil, lives[number].finished,
                let next = nights.first(where: { $0 > number }), lives[next].finished,
                lives[number].steadyCalendar != nil, lives[number].steadyCalendar == lives[next].steadyCalendar,
                case .page = web.truth(of: url, at: first.start)
            else { continue }
            if !numbers.contains(where: { entries[$0].process == next }) {
                violate(
                    "page late: \(url) was read for the first time at \(first.start), and not in the next night's run")
            }
        }
    }

    // MARK: Space

    private var sizes: [StorageSizes] = []

    /// How many URLs the job can know: a page links to two others at most, and a web has no more than it has.
    private var mostKnownURLs: Int {
        let told = 3 * answers.count + plan.hosts
        return min(told, max(answers.count, (0..<plan.hosts).reduce(0) { $0 + web.host($1).pageCount }))
    }

    /// Compares what the files take with the formula of Docs/Operations.md.
    func measure(_ job: SimulatedJob, _ consumer: TailingConsumer) {
        sizes.append(
            StorageSizes(
                day: SimulatedWeb.days(job.now), urls: answers.count, records: consumer.index.count, in: job.folder,
                lines: job.records.lastPathComponent))
        let size = sizes[sizes.count - 1]
        let most = 400_000 + 250 * mostKnownURLs + 300 * plan.hosts + consumer.bytesOfRecords * 13 / 10
        // Without power at the end, a log that was emptied may have its old length.
        let wasCut = plan.lives[lives.count - 1].fault == .powerCutAtEnd
        if lives.last?.finished == true, !wasCut, size.storage > most {
            violate(
                "storage too large: \(size.storage) bytes with \(size.urls) URLs and \(size.records) records; \(most) may be"
            )
        }
    }

    // MARK: The end

    func report(_ consumer: TailingConsumer) -> SimulationReport {
        meet(.recordDeleted, consumer.deletions)
        meet(.halfLine, consumer.halfLines)
        meet(.rotated, consumer.rotations)
        var report = report(lines: consumer.lines, bytes: consumer.bytes)
        report.sizes = sizes
        return report
    }
}
