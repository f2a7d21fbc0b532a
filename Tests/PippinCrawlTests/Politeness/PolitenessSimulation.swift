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

    /// How often an address may be asked at most, by what its answers have shown.
    private struct Allowed {
        var rate: Double
        /// The pages that were read since it changed.
        var pages = 0
    }

    /// Who found the sites of a crawl.
    enum Kind {
        /// Nobody says so.
        case few
        /// Each site is a seed.
        case platform
        /// One page leads to all.
        case farm
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
    private let kind: Kind
    private var allowed: [String: Allowed] = [:]
    /// The most requests a second that an address got.
    private(set) var highestRate = 0.0
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

    init(seed: UInt64, _ kind: Kind = .few) throws {
        var random = SeededNumbers(seed: seed)
        var configuration = CrawlConfiguration()
        func some(_ choices: [Duration]) -> Duration { choices[Int(random.next() % UInt64(choices.count))] }
        func chance(_ one: UInt64) -> Bool { random.next() % one == 0 }
        configuration.politeness.delay = some([.zero, .milliseconds(300), .seconds(1), .seconds(3)])
        configuration.politeness.adaptive = chance(2)
        configuration.politeness.connectionsPerHost = chance(3) ? 3 : 1
        configuration.fetch.retryDelay = some([.seconds(2), .seconds(10)])
        if chance(2) { configuration.politeness.maximumRequestsPerSecond = chance(2) ? 2.5 : 40 }
        let addressDelay = some(kind == .few ? [.zero, .milliseconds(200), .seconds(2)] : [.seconds(1), .seconds(2)])
        configuration.politeness.delayPerAddress = addressDelay
        if kind != .few {
            configuration.politeness.maximumRatePerAddress = chance(2) ? 2 : 5
            configuration.politeness.maximumRequestsPerSecond = nil
        }
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
        var sheets: [String: HostSheet] = [:]
        for number in 0..<(kind == .few ? 2 + Int(random.next() % 14) : 40) {
            let addresses = kind == .few ? 3 : 2 as UInt64
            var site = Site(
                name: "h\(number).test", address: chance(5) ? nil : "10.0.0.\(random.next() % addresses)",
                delay: configuration.politeness.delay, connections: configuration.politeness.connectionsPerHost)
            if chance(4) {
                var own = HostSheet()
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
                sheets[site.name] = own
            }
            sites.append(site)
        }
        configuration.hosts = HostSheets(sheets)
        self.configuration = configuration
        self.random = random
        self.sites = sites
        self.quiet = quiet
        self.quietDelay = quietDelay
        self.addressDelay = addressDelay
        self.kind = kind
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
        var number = random.next() % 20
        // Trouble is rarer in a crawl in which an address is to become quick, and turns that come to nothing end soon.
        if kind != .few, random.next() % 8 > 0 { number = random.next() % 12 == 0 ? 1 : 19 }
        let longest = kind != .few && number == 1 ? 100 : number == 0 ? 20_000 : 900 as UInt64
        let took = Duration.milliseconds(Int64(1 + random.next() % longest))
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
                let rate = allowed[address]?.rate ?? 1 / (addressDelay / .seconds(1))
                let least = min(addressDelay, .nanoseconds(Int64(1e9 / rate)))
                highestRate = max(highestRate, .seconds(1) / (now - last))
                expect(now >= last + least, "\(place): \(now - last) after the last at \(address), not \(least)")
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

    /// Twenty pages of an address that many seeds lead to let it grow by a quarter. Trouble takes all of it, another failure half. A
    /// host that fails again and has not answered in between has its own trouble.
    private mutating func allow(_ answer: Answer) {
        guard kind == .platform, addressDelay > .zero, let address = sites[answer.site].address else { return }
        let least = 1 / (addressDelay / .seconds(1))
        var known = allowed[address] ?? Allowed(rate: least)
        switch answer.sign {
        case .answered(_, isError: false):
            known.pages += 1
            guard known.pages == AddressRate.pagesOfStep else { break }
            known.rate = min(known.rate * 1.25 + 1e-6, max(least, configuration.politeness.maximumRatePerAddress))
            known.pages = 0
        case .stumbled where sites[answer.site].stumbles == 0: known = Allowed(rate: max(least, known.rate / 2))
        case .troubled where sites[answer.site].stumbles == 0: known = Allowed(rate: least)
        case .answered, .stumbled, .troubled, .abandoned, .untouched: break
        }
        allowed[address] = known
    }

    private func askedFrom(_ index: Int, _ now: Duration) -> Duration {
        now + (schedule.clock(host: sites[index].name, now: now - runStart)?.rest ?? .zero)
    }

    private mutating func finish(_ answer: Answer, _ now: Duration) {
        let index = answer.site
        allow(answer)
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
        let isRead = if case .answered(_, isError: false) = answer.sign { kind != .few } else { false }
        let seed = try? Seeds.seed("https://\(kind == .farm ? "forum.test" : sites[index].name)/")
        let verdict = schedule.finished(
            host: sites[index].name, sign: answer.sign, address: answer.sign == .untouched ? nil : sites[index].address,
            readFrom: isRead ? seed : nil, now: now - runStart)
        sites[index].mayBeAskedFrom = askedFrom(index, now)
        for clock in schedule.takeChangedClocks(now: now - runStart) { saved[clock.host] = clock }
        if case .suspend = verdict { leave(index) }
    }

    /// The run is killed, and the next one begins at once with what was saved.
    private mutating func restart(_ now: Duration) throws {
        let turns = schedule.removeAll()
        allowed = [:]
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

    @Test(arguments: 0..<8)
    func `an address with many sites is asked no more often than its answers allow`(group: UInt64) throws {
        var highest: [Double] = []
        for seed in (2000 + group * 5)..<(2005 + group * 5) {
            for restarts in [false, true] {
                var simulation = try PolitenessSimulation(seed: seed, .platform)
                let violations = try simulation.run(turns: 1500, restarts: restarts)
                #expect(violations.prefix(5) == [], "seed \(seed), \(violations.count) violations")
                if !restarts { highest.append(simulation.highestRate) }
            }
            var farm = try PolitenessSimulation(seed: seed, .farm)
            let violations = try farm.run(turns: 1000, restarts: false)
            #expect(violations.prefix(5) == [], "seed \(seed) of a farm, \(violations.count) violations")
        }
        #expect(highest.contains { $0 > 1.5 })
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
