import Foundation
import PippinCrawl

/// Judges requests and records. It knows the web and its log, and what the consumers of records saw; nothing of the crawler's state.
class Auditor {
    let web: SimulatedWeb
    private(set) var violations: [String] = []
    private var rare: [RarePath: Int] = [:]
    var trace: [String] = []
    /// What is known of a process.
    struct Life {
        /// The hosts that it may ask; nil: all.
        var shard: Shard?
        /// Whether it ended in order, and whether nothing was left for the next run then.
        var finished = false
        var didAll = false
        var lostPower = false
        /// How many seconds its calendar was ahead, at its beginning and at its end.
        var calendar = 0
        var calendarAtEnd = 0

        /// How many seconds it was ahead all the time; nil if it was set.
        var steadyCalendar: Int? { calendar == calendarAtEnd ? calendar : nil }
    }

    /// The processes, by their numbers.
    var lives: [Life] = []

    init(web: SimulatedWeb) { self.web = web }

    func violate(_ violation: String) { violations.append(violation) }

    func meet(_ path: RarePath, _ count: Int = 1) { if count > 0 { rare[path, default: 0] += count } }

    /// Takes in what others have found.
    func take(_ found: [String]) { violations += found.filter { !violations.contains($0) } }

    // MARK: Records

    private(set) var entries: [WebLog.Entry] = []
    private(set) var lastNoted = 0
    /// The numbers of requests without an answer. Those of processes that were ended never get one.
    private var unanswered: Set<Int> = []
    /// The numbers of the answers to requests for pages.
    private(set) var answers: [String: [Int]] = [:]
    /// The URLs that were asked for since the records were compared last.
    var asked: Set<String> = []

    /// Takes in what the servers saw since the last time.
    func note(_ log: WebLog) {
        for number in unanswered.sorted() where log[number].end != nil {
            entries[number] = log[number]
            unanswered.remove(number)
            noteAnswer(number)
        }
        lastNoted = entries.count
        entries += log.entries(from: entries.count)
        for number in lastNoted..<entries.count {
            if entries[number].end == nil { unanswered.insert(number) } else { noteAnswer(number) }
        }
    }

    private func noteAnswer(_ number: Int) {
        let entry = entries[number]
        guard entry.purpose == .page else { return }
        answers[entry.url, default: []].append(number)
        asked.insert(entry.url)
    }

    /// Judges the record of one URL by its answers, the last one first.
    func judge(_ url: String, _ numbers: [Int], record: String?) {
        var titles: Set<String> = []
        var mayLack = false
        var isKept = false
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
            isKept = life(of: number).didAll
            if isKept { break answers }
        }
        // What a run had read that did not end, or left hosts to rest, may be lost, and is read again.
        if !isKept { mayLack = true }
        if case .closed = web.robots(ofHost: entries[numbers[0]].host) { mayLack = true }
        guard let record else {
            if !mayLack, !titles.isEmpty { violations.append("record lacks: \(url) should be \(titles.sorted())") }
            return
        }
        if !titles.contains(record) {
            violations.append("record untrue: \(url) is “\(record)”, and should be \(titles.sorted())")
        }
    }

    /// The process that made a request.
    func life(of number: Int) -> Life { lives[entries[number].process] }

    // MARK: Requests

    /// Judges all requests: delays, rests, robots.txt, and whether anything starved.
    func auditRequests() {
        let delay = Duration.seconds(1)
        var lastOfHost: [String: Int] = [:]
        var lastOfAddress: [String: Int] = [:]
        var robots: [String: Int] = [:]
        var rests: [String: (until: Duration, since: Int)] = [:]
        for (number, entry) in entries.enumerated() {
            var least = delay
            if let rules = robots[entry.host], !wasLost(rules, before: number) {
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
            if let rest = rests[entry.host], entry.start < rest.until, !wasLost(rest.since, before: number) {
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
                let rules = robots[entry.host]
                let ahead =
                    rules.map {
                        let (before, now) = (life(of: $0), life(of: number))
                        return max(before.calendar, before.calendarAtEnd) - min(now.calendar, now.calendarAtEnd)
                    } ?? 0
                auditPermission(entry, rules.map { entries[$0] }, ahead: ahead)
            }
        }
    }

    private func tooEarly(_ whom: String, _ gap: Duration, _ least: Duration, _ entry: WebLog.Entry) {
        violations.append(
            "too early: \(whom) was asked after \(gap) instead of \(least): \(entry.url) at \(entry.start)")
    }

    /// Whether the rest or the delay that an answer asked for may be forgotten: the power was lost since, or the process died before it could keep it.
    private func wasLost(_ answer: Int, before request: Int) -> Bool {
        // A calendar that was set forward says that the rest is over.
        let (before, now) = (life(of: answer), life(of: request))
        if entries[answer].process != entries[request].process,
            max(now.calendar, now.calendarAtEnd) > min(before.calendar, before.calendarAtEnd)
        {
            return true
        }
        let processes = entries[answer].process..<entries[request].process
        for number in processes where lives[number].shard?.owns(entries[answer].host) ?? true {
            let life = lives[number]
            if life.lostPower { return true }
            guard number == processes.lowerBound, !life.finished, let answered = entries[answer].end else { continue }
            // A process that went on asking had kept it.
            if !entries[answer...].contains(where: { $0.process == number && $0.start > answered + .seconds(1) }) {
                return true
            }
        }
        return false
    }

    /// - Parameter ahead: how many seconds later the calendar was when the robots.txt was read.
    private func auditPermission(_ entry: WebLog.Entry, _ robots: WebLog.Entry?, ahead: Int) {
        guard let robots else {
            violations.append("without robots.txt: \(entry.url) at \(entry.start)")
            return
        }
        let age = entry.start - robots.start
        if age > SimulatedWeb.day + .seconds(120 + max(0, ahead)) {
            violations.append("robots.txt too old: \(entry.url) at \(entry.start) by one from \(robots.start)")
        }
        if let disallowed = web.rules(ofHost: entry.host, at: robots.start).disallowed, robots.status == 200,
            entry.path.hasPrefix(disallowed)
        {
            violations.append("disallowed: \(entry.url) at \(entry.start), by the robots.txt from \(robots.start)")
        }
    }

    /// Whether a host was never in trouble, so that it has missed no turn.
    func isHealthy(_ host: SimulatedWeb.Host) -> Bool {
        if case .closed = host.robots { return false }
        return host.dead.isEmpty && host.nameless.isEmpty && host.robotsFail.isEmpty && host.throttles == 0
            && host.breaks == 0
    }

    // MARK: The end

    /// - Parameter bytes: what the consumers saw.
    func report(lines: Int, bytes: some Sequence<UInt8>) -> SimulationReport {
        var report = SimulationReport()
        report.violations = violations
        report.rare = rare
        report.requests = entries.count
        report.lines = lines
        report.trace = trace
        if !violations.isEmpty { report.lastRequests = entries.suffix(40).map(\.description) }
        var hash = SeededNumbers.hash("")
        for entry in entries {
            hash = SeededNumbers.hash("\(hash) \(entry.url) \(entry.start) \(entry.status ?? 0)")
        }
        report.fingerprint = bytes.reduce(hash) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return report
    }
}
