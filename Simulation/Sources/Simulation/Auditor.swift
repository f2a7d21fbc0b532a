import Foundation
import PippinCrawl

/// Judges a simulated job. It knows the plan, the web and its log, and what a consumer saw; nothing of the crawler's state.
final class Auditor {
    private let plan: Plan
    private let web: SimulatedWeb
    private(set) var violations: [String] = []
    private var rare: [RarePath: Int] = [:]
    private var trace: [String] = []
    /// Numbers of the log's entries where a process began, and whether it finished.
    private var lives: [(first: Int, finished: Bool, lostPower: Bool)] = []

    init(plan: Plan, web: SimulatedWeb) {
        self.plan = plan
        self.web = web
    }

    private func meet(_ path: RarePath, _ count: Int = 1) { if count > 0 { rare[path, default: 0] += count } }

    // MARK: After each process

    func ended(
        life number: Int, _ life: Plan.Life, _ end: SimulatedJob.End, requests: ArraySlice<WebLog.Entry>,
        at time: Duration,
        consumer: TailingConsumer
    ) {
        let visits = requests.count { $0.purpose == .page }
        trace.append(
            "process \(number + 1) day \(SimulatedWeb.days(time)): \(Self.words(end)), \(requests.count) requests (\(visits) of pages)"
                + (life.fault.map { ", fault \($0)" } ?? ""))
        meet(.notModified, requests.count { $0.status == 304 })
        let throttled = requests.count { $0.status == 429 }
        meet(.throttled, throttled)
        meet(.robotsFailed, requests.count { $0.purpose == .robots && $0.status == 503 })
        meet(
            .robotsClosed,
            requests.count { $0.purpose == .robots && web.rules(ofHost: $0.host, at: $0.start).disallowed == "/" })
        var (finished, lostPower) = (false, false)
        switch end {
        case .finished(let summary):
            finished = summary.ending != .interrupted
            if summary.ending == .interrupted { meet(.stopped) }
            if summary.ending == .pageLimit { meet(.pageLimit) }
            meet(.hostPageLimit, summary.statistics.outcomes["excluded-host-page-limit"] ?? 0)
            meet(.hostLeft, summary.statistics.hostsLeft.count)
        case .failed(let error):
            meet(.diskFailed)
            if case .diskFails? = life.fault {
            } else if case .diskIsFull? = life.fault {
            } else {
                violations.append("run failed: process \(number + 1): \(error)")
            }
            if !(error is any ReportedError) {
                violations.append("error unknown: process \(number + 1): \(type(of: error)): \(error)")
            }
        case .killed:
            meet(.killed)
            if case .killWriting? = life.fault { meet(.killedWhileWriting) }
            if throttled > 0 { meet(.throttledThenKilled) }
        case .lostPower(let writes):
            lostPower = true
            meet(.powerLost)
            meet(.writesLost, writes)
        }
        lives.append((requests.startIndex, finished, lostPower))
        if finished { audit(consumer, upTo: requests.endIndex) }
        violations += consumer.violations.filter { !violations.contains($0) }
    }

    private static func words(_ end: SimulatedJob.End) -> String {
        switch end {
        case .finished(let summary): "\(summary.ending.rawValue), \(summary.statistics.pages) pages"
        case .failed(let error): "failed: \(error)"
        case .killed: "killed"
        case .lostPower(let writes): "lost power, and \(writes) writes"
        }
    }

    // MARK: Records

    private var entries: [WebLog.Entry] = []

    func note(_ entries: [WebLog.Entry]) { self.entries = entries }

    /// Compares what the consumer has with what the servers said.
    private func audit(_ consumer: TailingConsumer, upTo end: Int) {
        var requests: [String: [Int]] = [:]
        for (number, entry) in entries[..<end].enumerated() where entry.purpose == .page && entry.end != nil {
            requests[entry.url, default: []].append(number)
        }
        let index = consumer.index
        for (url, numbers) in requests.sorted(by: { $0.key < $1.key }) {
            judge(url, numbers, record: index[url])
        }
        for url in index.keys.sorted() where requests[url] == nil {
            violations.append("record of nothing: \(url) was never answered")
        }
    }

    /// Judges the record of one URL by its answers, the last one first.
    private func judge(_ url: String, _ numbers: [Int], record: String?) {
        var titles: Set<String> = []
        var mayLack = false
        var misses = 0
        answers: for number in numbers.reversed() {
            let entry = entries[number]
            guard let status = entry.status else { continue }
            switch status {
            case 429: continue
            case 500:
                misses += 1
                // Three visits in a row may be a page that is not there any more.
                if misses >= 3 { mayLack = true }
                continue
            case 200, 304, 301, 404, 410: break
            default:
                violations.append("status unknown: \(status) of \(url)")
                return
            }
            switch web.truth(of: url, at: entry.start) {
            case .page(let title): titles.insert(title)
            case .duplicate:
                titles.insert(entry.path)
                mayLack = true
            case .noindex, .gone, .moved, .nothing: mayLack = true
            }
            // What a run that did not end had read may be lost, and is read again.
            if life(of: number).finished { break answers }
            mayLack = mayLack || numbers.first == number
        }
        if case .closed = web.robots(ofHost: entries[numbers[0]].host) { mayLack = true }
        guard let record else {
            if !mayLack, !titles.isEmpty { violations.append("record lacks: \(url) should be \(titles.sorted())") }
            return
        }
        if !titles.contains(record) {
            violations.append("record untrue: \(url) is “\(record)”, and should be \(titles.sorted())")
        }
    }

    private func life(of number: Int) -> (first: Int, finished: Bool, lostPower: Bool) {
        lives.last { $0.first <= number } ?? (0, false, false)
    }

    // MARK: Requests

    /// Judges all requests: delays, rests, robots.txt, and whether anything starved.
    func auditRequests(_ entries: [WebLog.Entry]) {
        let delay = Duration.seconds(1)
        var lastOfHost: [String: Int] = [:]
        var lastOfAddress: [String: Int] = [:]
        var robots: [String: Int] = [:]
        var rests: [String: (until: Duration, since: Int)] = [:]
        for (number, entry) in entries.enumerated() {
            var least = delay
            if let rules = robots[entry.host] {
                least = max(least, web.rules(ofHost: entry.host, at: entries[rules].start).delay)
            }
            if let last = lastOfHost[entry.host] {
                let gap = entry.start - entries[last].start
                if gap < least { tooEarly("host \(entry.host)", gap, least, entry) }
            }
            if let address = entry.address, let last = lastOfAddress[address] {
                let gap = entry.start - entries[last].start
                if gap < delay { tooEarly("address \(address)", gap, delay, entry) }
            }
            if let rest = rests[entry.host], entry.start < rest.until, !wasLost(rest.since, before: number, entries) {
                violations.append(
                    "rest broken: \(entry.url) at \(entry.start), though \(entry.host) asked for rest until \(rest.until)"
                )
            }
            if let rest = entry.retryAfter, let end = entry.end { rests[entry.host] = (end + rest, number) }
            lastOfHost[entry.host] = number
            if let address = entry.address { lastOfAddress[address] = number }
            if entry.purpose == .robots {
                if entry.end != nil, let status = entry.status, status == 200 || status == 404 {
                    robots[entry.host] = number
                }
            } else {
                auditPermission(entry, robots[entry.host].map { entries[$0] })
            }
        }
        auditStarvation(entries)
    }

    private func tooEarly(_ whom: String, _ gap: Duration, _ least: Duration, _ entry: WebLog.Entry) {
        violations.append(
            "too early: \(whom) was asked after \(gap) instead of \(least): \(entry.url) at \(entry.start)")
    }

    /// Whether the rest that an answer asked for may be forgotten: the power was lost since, or the process died before it could keep it.
    private func wasLost(_ answer: Int, before request: Int, _ entries: [WebLog.Entry]) -> Bool {
        for (index, life) in lives.enumerated() {
            let end = index + 1 < lives.count ? lives[index + 1].first : entries.count
            guard end > answer, end <= request else { continue }
            if life.lostPower { return true }
            guard !life.finished, life.first <= answer, let answered = entries[answer].end else { continue }
            // A process that went on asking had kept it.
            if !entries[answer..<end].contains(where: { $0.start > answered + .seconds(1) }) { return true }
        }
        return false
    }

    private func auditPermission(_ entry: WebLog.Entry, _ robots: WebLog.Entry?) {
        guard let robots else {
            violations.append("without robots.txt: \(entry.url) at \(entry.start)")
            return
        }
        let age = entry.start - robots.start
        if age > SimulatedWeb.day + .seconds(120) {
            violations.append("robots.txt too old: \(entry.url) at \(entry.start) by one from \(robots.start)")
        }
        if let disallowed = web.rules(ofHost: entry.host, at: robots.start).disallowed, robots.status == 200,
            entry.path.hasPrefix(disallowed)
        {
            violations.append("disallowed: \(entry.url) at \(entry.start), by the robots.txt from \(robots.start)")
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

    private func auditStarvation(_ entries: [WebLog.Entry]) {
        // The number of finished runs before each process.
        var finishedBefore = [0]
        for life in lives { finishedBefore.append(finishedBefore[finishedBefore.count - 1] + (life.finished ? 1 : 0)) }
        let finished = finishedBefore[finishedBefore.count - 1]
        var first: [String: Int] = [:]
        var firstTime: [String: Duration] = [:]
        for (number, entry) in entries.enumerated() where entry.purpose == .page && first[entry.url] == nil {
            first[entry.url] = finishedBefore[(lives.lastIndex { $0.first <= number }) ?? 0]
            firstTime[entry.url] = entry.start
        }
        for number in 0..<plan.hosts {
            let host = web.host(number)
            guard isHealthy(host) else { continue }
            let origin = "https://\(host.name)"
            if first["\(origin)/"] ?? finished > longestWaitOfHosts {
                violations.append(
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
                    violations.append(
                        "page starved: \(origin)/p\(page) was known after \(known) runs, and \(words(visited, of: finished)); \(most) may pass"
                    )
                }
            }
        }
    }

    private func words(_ first: Int?, of finished: Int) -> String {
        first.map { "was asked for after \($0) runs" } ?? "was not asked for in \(finished) runs"
    }

    /// Whether a host was never in trouble, so that it has missed no turn.
    private func isHealthy(_ host: SimulatedWeb.Host) -> Bool {
        if case .closed = host.robots { return false }
        return host.dead.isEmpty && host.nameless.isEmpty && host.robotsFail.isEmpty && host.throttles == 0
            && host.breaks == 0
    }

    // MARK: The end

    func report(_ log: WebLog, _ consumer: TailingConsumer) -> SimulationReport {
        var report = SimulationReport()
        meet(.recordDeleted, consumer.deletions)
        report.violations = violations
        report.rare = rare
        report.requests = log.count
        report.lines = consumer.lines
        report.trace = trace
        var hash = SeededNumbers.hash("")
        for entry in log.entries {
            hash = SeededNumbers.hash("\(hash) \(entry.url) \(entry.start) \(entry.status ?? 0)")
        }
        report.fingerprint = SeededNumbers.hash("\(hash) \(String(decoding: consumer.bytes, as: UTF8.self))")
        return report
    }
}
