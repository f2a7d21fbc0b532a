import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// A crawl's worth of arrivals, answers, failures and restarts, made from a seed and thrown at a schedule; and a bookkeeper of
/// what the rules are, who knows nothing of how the schedule keeps them.
struct PolitenessSimulation {
    struct Site {
        var name: String
        var address: String?
        var delay: Duration
        var connections: Int
        /// Minutes of a UTC day in which it is not asked, or asked less.
        var quiet: Range<Int>?
        var quietDelay: Duration?

        // What happened to it, as its owner saw it.
        var lastStart: Duration?
        var lastEnd: Duration?
        var crawlDelay = Duration.zero
        var restsUntil = Duration.zero
        var stumbles = 0
        /// A host that was in trouble gets one request at a time until it answers.
        var isSuspect = false
        var isAddressKnown = false
        var inFlight = 0
        /// When its waiting turns came, and from when it might be asked at the latest.
        var arrivals: [Duration] = []
        var mayBeAskedFrom = Duration.zero
    }

    private struct Answer {
        let site: Int
        let start: Duration
        let end: Duration
        let sign: PolitenessSchedule.HostSign
    }

    let configuration: CrawlConfiguration
    var random: SeededNumbers
    var sites: [Site]
    let quiet: Range<Int>?
    let quietDelay: Duration?
    let addressDelay: Duration
    let interval: Duration
    private var schedule: PolitenessSchedule
    private var saved: [String: HostClock] = [:]
    /// Runs begin at zero of their own time.
    private var runStart = Duration.zero
    private var lastStart: Duration?
    private var addressStarts: [String: Duration] = [:]
    private var answers: [Answer] = []
    private var violations: [String] = []
    private var longestWait = Duration.zero
    private(set) var requests = 0
    private(set) var left = 0

    /// Half past five in the morning, so that periods of the day are met.
    private static let start = MadeUpTime.start.addingTimeInterval(5.5 * 3600)
    private static let firstMinute = 330

    init(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        var configuration = CrawlConfiguration()
        func some(_ choices: [Duration]) -> Duration { choices[Int(random.next() % UInt64(choices.count))] }
        func chance(_ one: UInt64) -> Bool { random.next() % one == 0 }
        configuration.politeness.delay = some([.zero, .milliseconds(300), .seconds(1), .seconds(3)])
        configuration.politeness.adaptive = chance(2)
        configuration.politeness.connectionsPerHost = chance(3) ? 3 : 1
        configuration.fetch.retryDelay = some([.seconds(2), .seconds(10)])
        if chance(2) { configuration.politeness.maximumRequestsPerSecond = chance(2) ? 2.5 : 40 }
        let addressDelay = some([.zero, .milliseconds(200), .seconds(2)])
        configuration.politeness.delayPerAddress = addressDelay
        func period() -> Range<Int> {
            let from = Self.firstMinute + Int(random.next() % 6)
            return from..<(from + 1 + Int(random.next() % 5))
        }
        func hours(_ range: Range<Int>) throws -> QuietHours {
            func clock(_ minutes: Int) -> String {
                String(format: "%02d:%02d", minutes / 60, minutes % 60)
            }
            let text = "\(clock(range.lowerBound))-\(clock(range.upperBound))"
            guard case .hours(let hours) = QuietHours.parse([text]) else {
                throw ConfigurationError(file: text, problem: "")
            }
            return hours
        }
        let quiet = chance(3) ? period() : nil
        let quietDelay: Duration? = chance(2) ? .seconds(7) : nil
        if let quiet {
            configuration.politeness.quietHours = try hours(quiet)
            configuration.politeness.quietDelay = quietDelay
        }
        var sites: [Site] = []
        for number in 0..<(2 + Int(random.next() % 14)) {
            var site = Site(
                name: "h\(number).test", address: chance(5) ? nil : "10.0.0.\(random.next() % 3)",
                delay: configuration.politeness.delay, connections: configuration.politeness.connectionsPerHost)
            if chance(4) {
                var own = CrawlConfiguration.HostPoliteness()
                own.delay = .milliseconds(500 + Int64(random.next() % 4000))
                own.connections = 1 + Int(random.next() % 2)
                if chance(2) {
                    let range = period()
                    own.quietHours = try hours(range)
                    site.quiet = range
                    if chance(2) { own.quietDelay = .seconds(5) }
                    site.quietDelay = own.quietDelay
                }
                site.delay = own.delay ?? .zero
                site.connections = own.connections ?? 1
                configuration.politeness.hosts[site.name] = own
            }
            sites.append(site)
        }
        self.configuration = configuration
        self.random = random
        self.sites = sites
        self.quiet = quiet
        self.quietDelay = quietDelay
        self.addressDelay = addressDelay
        interval =
            configuration.politeness.maximumRequestsPerSecond.map { .nanoseconds(Int64(1e9 / $0)) } ?? .zero
        schedule = Self.schedule(configuration, date: Self.start)
    }

    private static func schedule(_ configuration: CrawlConfiguration, date: Date) -> PolitenessSchedule {
        var settings = PolitenessSchedule.Settings(configuration)
        settings.notesChangedClocks = true
        return PolitenessSchedule(settings, date: date)
    }

    /// What was broken; empty when nothing was.
    mutating func run(turns: Int, restarts: Bool) throws -> [String] {
        var arrivals: [(time: Duration, site: Int)] = []
        for _ in 0..<turns {
            // Half of them come in a burst, the rest over six minutes.
            let time = random.next() % 2 == 0 ? 0 : Int64(random.next() % 360_000)
            arrivals.append((.milliseconds(time), Int(random.next() % UInt64(sites.count))))
        }
        arrivals.sort { $0.time > $1.time }
        var now = Duration.zero
        for _ in 0..<(turns * 200) {
            let wake = try startWhatIsDue(now)
            guard
                let next = [arrivals.last?.time, answers.map(\.end).min(), wake].compactMap({ $0 }).min()
            else { break }
            now = next
            while let arrival = arrivals.last, arrival.time <= now {
                arrivals.removeLast()
                try add(arrival.site, now)
            }
            for answer in answers where answer.end <= now { finish(answer, now) }
            answers.removeAll { $0.end <= now }
            if restarts, random.next() % 40 == 0 { try restart(now) }
        }
        expect(arrivals.isEmpty && schedule.isEmpty && answers.isEmpty, "turns are left over at \(now)")
        return violations
    }

    private mutating func expect(_ isKept: Bool, _ rule: @autoclosure () -> String) {
        if !isKept { violations.append(rule()) }
    }

    private mutating func add(_ site: Int, _ now: Duration) throws {
        let url = try #require(WebURL("https://\(sites[site].name)/\(random.next() % 1000)"))
        sites[site].arrivals.append(now)
        schedule.add(
            .visit(CrawlRequest(url: url, depth: Int(random.next() % 4), seed: Seed(url: url), discovery: .outlink)),
            now: now - runStart)
    }

    /// Starts all that the schedule lets start; the time it wants to be asked again.
    private mutating func startWhatIsDue(_ now: Duration) throws -> Duration? {
        while true {
            switch schedule.next(now: now - runStart) {
            case .start(let turn):
                let site = try #require(sites.firstIndex { $0.name == turn.host })
                started(site, now)
            case .leave(let host): expect(false, "\(host) is left, though all addresses are its own")
            case .lookUp(let host): expect(false, "\(host) is looked up, though nobody asked for it")
            case .wait(let until):
                expect(until + runStart > now, "waits for the past at \(now)")
                return until + runStart
            case .quiet(let until):
                return until + runStart
            case .suspend(let host, _):
                let site = try #require(sites.firstIndex { $0.name == host })
                leave(site)
            case .idle:
                for site in sites where !site.arrivals.isEmpty {
                    expect(site.inFlight > 0, "\(site.name) is forgotten at \(now)")
                }
                return nil
            }
        }
    }

    private mutating func leave(_ site: Int) {
        left += schedule.removeAll(host: sites[site].name).count
        sites[site].arrivals = []
    }

    private mutating func started(_ index: Int, _ now: Duration) {
        let site = sites[index]
        let number = random.next() % 20
        let took = Duration.milliseconds(Int64(1 + random.next() % (number == 0 ? 20_000 : 900)))
        let sign: PolitenessSchedule.HostSign =
            switch number {
            case 1, 2: .untouched
            case 3, 4: .stumbled
            case 7: .abandoned
            case 5: .troubled(retryAfter: random.next() % 2 == 0 ? nil : .seconds(Int64(random.next() % 40)))
            default: .answered(took / 2, isError: number == 6)
            }
        answers.append(Answer(site: index, start: now, end: now + took, sign: sign))
        checkWait(of: site, now)
        sites[index].inFlight += 1
        if !sites[index].arrivals.isEmpty { sites[index].arrivals.removeFirst() }
        defer { sites[index].mayBeAskedFrom = askedFrom(index, now) }
        guard sign != .untouched else { return }

        requests += 1
        let place = "\(site.name) at \(now)"
        expect(site.inFlight < (site.isSuspect ? 1 : site.connections), "\(place): too many requests in flight")
        let delay = max(site.delay, site.crawlDelay)
        if let last = site.connections == 1 ? site.lastEnd : site.lastStart {
            expect(now >= last + delay, "\(place): \(now - last) after the last, not \(delay)")
        }
        expect(now >= site.restsUntil, "\(place): rests until \(site.restsUntil)")
        if let lastStart { expect(now >= lastStart + interval, "\(place): the rate is too high") }
        if let address = site.address, site.isAddressKnown, addressDelay > .zero {
            if let last = addressStarts[address] {
                expect(now >= last + addressDelay, "\(place): \(now - last) after the last at \(address)")
            }
            addressStarts[address] = now
        }
        for (range, least) in [(quiet, quietDelay), (site.quiet, site.quietDelay)] {
            let minute = Self.firstMinute + Int(now / .seconds(60))
            guard let range, range.contains(minute) else { continue }
            let last = site.connections == 1 ? site.lastEnd : site.lastStart
            expect(least.map { least in last.map { now >= $0 + least } ?? true } ?? false, "\(place): quiet hours")
        }
        lastStart = now
        sites[index].lastStart = now
    }

    /// No host waits longer than for one turn of each of the others, once nothing of its own keeps it.
    private mutating func checkWait(of site: Site, _ now: Duration) {
        guard quiet == nil, sites.allSatisfy({ $0.quiet == nil }), let arrival = site.arrivals.first else { return }
        let wait = now - max(site.mayBeAskedFrom, arrival)
        let neighbors = sites.count { $0.address == site.address && site.address != nil } * 2
        let longest = (addressDelay + interval * (sites.count + 1)) * (neighbors + 1) + interval * (sites.count + 1)
        expect(wait <= longest + .milliseconds(1), "\(site.name) waits \(wait) at \(now)")
    }

    private func askedFrom(_ index: Int, _ now: Duration) -> Duration {
        now + (schedule.clock(host: sites[index].name, now: now - runStart)?.rest ?? .zero)
    }

    private mutating func finish(_ answer: Answer, _ now: Duration) {
        let index = answer.site
        sites[index].inFlight -= 1
        let first = configuration.fetch.retryDelay
        switch answer.sign {
        case .untouched, .abandoned: break
        case .answered:
            if now >= sites[index].restsUntil || !sites[index].isSuspect {
                sites[index].isSuspect = false
                sites[index].stumbles = 0
            }
        case .stumbled:
            sites[index].stumbles += 1
            if sites[index].stumbles >= HostBreaker.stumblesToOpen {
                sites[index].isSuspect = true
                sites[index].restsUntil = max(sites[index].restsUntil, now + first)
            }
        case .troubled(let retryAfter):
            sites[index].stumbles += 1
            sites[index].isSuspect = true
            sites[index].restsUntil = max(sites[index].restsUntil, now + max(first, retryAfter ?? .zero))
        }
        if answer.sign != .untouched {
            sites[index].lastEnd = now
            if let address = sites[index].address {
                sites[index].isAddressKnown = true
                addressStarts[address] = max(addressStarts[address] ?? .zero, answer.start)
            }
            if random.next() % 30 == 0 {
                sites[index].crawlDelay = max(sites[index].crawlDelay, .seconds(2))
                schedule.setCrawlDelay(.seconds(2), host: sites[index].name)
            }
        }
        let verdict = schedule.finished(
            host: sites[index].name, sign: answer.sign, address: answer.sign == .untouched ? nil : sites[index].address,
            now: now - runStart)
        sites[index].mayBeAskedFrom = askedFrom(index, now)
        for clock in schedule.takeChangedClocks(now: now - runStart) { saved[clock.host] = clock }
        if case .suspend = verdict { leave(index) }
    }

    /// The run is killed, and the next one begins at once with what was saved.
    private mutating func restart(_ now: Duration) throws {
        let turns = schedule.removeAll()
        runStart = now
        let date = Self.start.addingTimeInterval(now / .seconds(1))
        schedule = Self.schedule(configuration, date: date)
        for answer in answers {
            sites[answer.site].inFlight = 0
            if answer.sign != .untouched { sites[answer.site].lastEnd = now }
        }
        answers = []
        for index in sites.indices {
            sites[index].mayBeAskedFrom = now + .seconds(3600)
            if saved[sites[index].name] == nil { sites[index].isAddressKnown = false }
            // How many failures came in a row is kept; whether the last one opened the breaker is in `isSuspect`.
            schedule.restore(saved[sites[index].name] ?? HostClock(host: sites[index].name, savedAt: date), now: .zero)
        }
        for turn in turns { schedule.add(turn, now: .zero) }
    }
}

/// Rules that hold whatever comes: many seeds, many configurations.
@Suite struct PolitenessRulesTests {
    @Test(arguments: 0..<16)
    func `no rule is ever broken and no host starves`(group: UInt64) throws {
        var requests = 0
        for seed in (group * 25)..<(group * 25 + 25) {
            var simulation = try PolitenessSimulation(seed: seed)
            let violations = try simulation.run(turns: 250, restarts: false)
            #expect(violations.prefix(5) == [], "seed \(seed), \(violations.count) violations")
            requests += simulation.requests
        }
        #expect(requests > 1000)
    }

    @Test(arguments: 0..<16)
    func `the clocks of hosts survive a run that is killed`(group: UInt64) throws {
        for seed in (1000 + group * 20)..<(1020 + group * 20) {
            var simulation = try PolitenessSimulation(seed: seed)
            let violations = try simulation.run(turns: 150, restarts: true)
            #expect(violations.prefix(5) == [], "seed \(seed), \(violations.count) violations")
        }
    }
}
