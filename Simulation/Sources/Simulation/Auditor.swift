import Foundation
import PippinCrawl

/// Judges a simulated job. It knows the plan, the web and its log, and what a consumer saw; nothing of the crawler's state.
final class Auditor {
    private let plan: Plan
    private let web: SimulatedWeb
    private(set) var violations: [String] = []
    private var rare: [RarePath: Int] = [:]
    private var trace: [String] = []
    private struct Life {
        /// The number of the first request.
        var first: Int
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

    private var lives: [Life] = []

    init(plan: Plan, web: SimulatedWeb) {
        self.plan = plan
        self.web = web
    }

    private func meet(_ path: RarePath, _ count: Int = 1) { if count > 0 { rare[path, default: 0] += count } }

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
        var current = Life(first: requests.startIndex, calendar: life.calendar, calendarAtEnd: life.calendarAtEnd)
        switch end {
        case .finished(let summary):
            (current.finished, current.didAll) = (
                summary.ending != .interrupted, summary.ending == .finished && summary.unvisited == 0
            )
            if summary.ending == .interrupted { meet(.stopped) }
            if summary.ending == .pageLimit { meet(.pageLimit) }
            meet(.hostPageLimit, summary.statistics.outcomes["excluded-host-page-limit"] ?? 0)
            meet(.hostLeft, summary.statistics.hostsLeft.count)
        case .failed(let error):
            meet(.diskFailed)
            switch life.fault {
            // What has no half fails.
            case .diskFails, .diskIsFull, .killHalfway: break
            default: violations.append("run failed: process \(number + 1): \(error)")
            }
            let parts = (error as? Troubles.Several).map { [$0.first] + $0.further } ?? [error]
            if !parts.allSatisfy({ $0 is any ReportedError }) {
                violations.append("error unknown: process \(number + 1): \(type(of: error)): \(error)")
            }
        case .hung: violations.append("run hangs: process \(number + 1) waits for ever")
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

    /// Takes in what others have found.
    func take(_ found: [String]) { violations += found.filter { !violations.contains($0) } }

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
        if let lost { violations.append("not archived: \(lost)") }
    }

    // MARK: Records

    private var entries: [WebLog.Entry] = []
    private var lastNoted = 0
    /// The numbers of the answers to requests for pages.
    private var answers: [String: [Int]] = [:]
    /// The URLs that were asked for since the records were compared last.
    private var asked: Set<String> = []

    /// Takes in what the servers saw since the last time.
    func note(_ new: ArraySlice<WebLog.Entry>) {
        lastNoted = entries.count
        entries += new
        for (number, entry) in zip(lastNoted..., new) where entry.purpose == .page && entry.end != nil {
            answers[entry.url, default: []].append(number)
            asked.insert(entry.url)
        }
    }

    /// Compares what the consumers have with what the servers said about some URLs.
    private func audit(_ consumer: TailingConsumer, _ exporter: ExportingConsumer, _ urls: Set<String>) {
        let (index, exported) = (consumer.index, exporter.index)
        for url in urls.sorted() {
            guard let numbers = answers[url] else { continue }
            judge(url, numbers, record: index[url])
        }
        if index != exported {
            let other = Set(index.keys).union(exported.keys).sorted().first { index[$0] != exported[$0] } ?? ""
            violations.append(
                "export differs: \(other) is \(exported[other] ?? "nothing"), and in the followed file \(index[other] ?? "nothing")"
            )
        }
        for url in index.keys.sorted() where answers[url] == nil {
            violations.append("record of nothing: \(url) was never answered")
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

    /// Judges the record of one URL by its answers, the last one first.
    private func judge(_ url: String, _ numbers: [Int], record: String?) {
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

    private func life(of number: Int) -> Life {
        numberOfLife(of: number).map { lives[$0] } ?? Life(first: 0)
    }

    /// The process that made a request. Later ones have later requests.
    private func numberOfLife(of request: Int) -> Int? {
        var (low, high) = (0, lives.count)
        while low < high {
            let middle = (low + high) / 2
            if lives[middle].first > request { high = middle } else { low = middle + 1 }
        }
        return low > 0 ? low - 1 : nil
    }

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
        auditStarvation()
        auditRhythm()
    }

    private func tooEarly(_ whom: String, _ gap: Duration, _ least: Duration, _ entry: WebLog.Entry) {
        violations.append(
            "too early: \(whom) was asked after \(gap) instead of \(least): \(entry.url) at \(entry.start)")
    }

    /// Whether the rest that an answer asked for may be forgotten: the power was lost since, or the process died before it could keep it.
    private func wasLost(_ answer: Int, before request: Int) -> Bool {
        // A calendar that was set forward says that the rest is over.
        let (before, now) = (life(of: answer), life(of: request))
        if before.first != now.first,
            max(now.calendar, now.calendarAtEnd) > min(before.calendar, before.calendarAtEnd)
        {
            return true
        }
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

    // MARK: Waiting

    /// How many finished runs may pass before every host with work was asked: hosts come in the order of their last visit, and a run
    /// that may visit so many pages takes at most sixteen of each.
    private var longestWaitOfHosts: Int { 2 + (16 * plan.hosts - 1) / plan.maximumPages }

    /// How many finished runs may pass before a page whose link was read is visited: half of a host's pages in a run are those that
    /// have waited longest.
    private func longestWait(ofPagesOn host: SimulatedWeb.Host) -> Int {
        2 + longestWaitOfHosts + 4 * ((host.pageCount - 1) / min(plan.maximumPagesPerHost, plan.maximumPages))
    }

    private func auditStarvation() {
        // The number of finished runs before each process.
        var finishedBefore = [0]
        for life in lives { finishedBefore.append(finishedBefore[finishedBefore.count - 1] + (life.finished ? 1 : 0)) }
        let finished = finishedBefore[finishedBefore.count - 1]
        var first: [String: Int] = [:]
        var firstTime: [String: Duration] = [:]
        for (number, entry) in entries.enumerated() where entry.purpose == .page && first[entry.url] == nil {
            first[entry.url] = finishedBefore[numberOfLife(of: number) ?? 0]
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

    /// A page that a night's run has read for the first time is visited again in the next night, as the usual interval says.
    private func auditRhythm() {
        guard plan.maximumPages >= plan.hosts * plan.mostPages, plan.maximumPagesPerHost > plan.mostPages else {
            return
        }
        let nights = lives.indices.filter { plan.lives[$0].pause == nil }
        let healthy = Set((0..<plan.hosts).map(web.host).filter(isHealthy).map(\.name))
        for (url, numbers) in answers.sorted(by: { $0.key < $1.key }) {
            let first = entries[numbers[0]]
            guard healthy.contains(first.host), let number = numberOfLife(of: numbers[0]),
                plan.lives[number].pause == nil, lives[number].finished,
                let next = nights.first(where: { $0 > number }), lives[next].finished,
                lives[number].steadyCalendar != nil, lives[number].steadyCalendar == lives[next].steadyCalendar,
                case .page = web.truth(of: url, at: first.start)
            else { continue }
            let end = next + 1 < lives.count ? lives[next + 1].first : entries.count
            if !numbers.contains(where: { (lives[next].first..<end).contains($0) }) {
                violations.append(
                    "page late: \(url) was read for the first time at \(first.start), and not in the next night's run")
            }
        }
    }

    /// Whether a host was never in trouble, so that it has missed no turn.
    private func isHealthy(_ host: SimulatedWeb.Host) -> Bool {
        if case .closed = host.robots { return false }
        return host.dead.isEmpty && host.nameless.isEmpty && host.robotsFail.isEmpty && host.throttles == 0
            && host.breaks == 0
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
        if lives.last?.finished == true, size.storage > most {
            violations.append(
                "storage too large: \(size.storage) bytes with \(size.urls) URLs and \(size.records) records; \(most) may be"
            )
        }
    }

    // MARK: The end

    func report(_ consumer: TailingConsumer) -> SimulationReport {
        var report = SimulationReport()
        meet(.recordDeleted, consumer.deletions)
        meet(.halfLine, consumer.halfLines)
        meet(.rotated, consumer.rotations)
        report.violations = violations
        report.rare = rare
        report.requests = entries.count
        report.lines = consumer.lines
        report.trace = trace
        if !violations.isEmpty { report.lastRequests = entries.suffix(40).map(\.description) }
        report.sizes = sizes
        var hash = SeededNumbers.hash("")
        for entry in entries {
            hash = SeededNumbers.hash("\(hash) \(entry.url) \(entry.start) \(entry.status ?? 0)")
        }
        report.fingerprint = consumer.bytes.reduce(hash) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return report
    }
}
