import Foundation
import HeapModule

/// Decides which host may be asked next, and when. A pure value: it takes `now`, the time since the crawl began, and
/// never waits itself.
///
/// Invariant: a host has at most `connectionsPerHost` requests in flight, and between the end of one request and the
/// start of the next lies at least the host's delay (between starts, when several connections are allowed). Therefore a
/// slow host only slows itself.
///
/// Hosts with work lie in a heap by the time they are due, ties in the order they came, so picking costs O(log hosts)
/// and no host starves: each request sends its host behind all that are due already.
public struct PolitenessSchedule {
    /// One request to one host.
    public enum Turn: Sendable, Equatable {
        case siteFile(SiteFileRequest)
        case visit(CrawlRequest)

        public var host: String {
            switch self {
            case .siteFile(let request): request.url.politenessHost
            case .visit(let request): request.host
            }
        }

        /// robots.txt goes first, because everything waits for it; then the files that pages already read wait for.
        var priority: Int {
            switch self {
            case .siteFile(let request): request.kind == .robots ? -3 : -2
            case .visit(let request): request.priority
            }
        }
    }

    public enum Decision: Equatable {
        case start(Turn)
        /// Nothing is due before this time.
        case wait(until: Duration)
        /// No host has work that could start; requests in flight may change that.
        case idle
    }

    /// What a request showed about its host.
    public enum HostSign: Sendable, Equatable {
        /// It answered; with the time it took to its first byte. An error page comes quickly and says nothing of how
        /// fast pages are made, so it never shortens a delay.
        case answered(Duration, isError: Bool)
        /// It answered that this one URL fails (500, a broken body): slow down, go on.
        case stumbled
        /// It is overloaded or unreachable: leave it alone, as long as it asks for.
        case troubled(retryAfter: Duration?)
        /// No request was made in this turn.
        case untouched
    }

    public enum Verdict: Equatable {
        case goOn
        /// The host wants more rest than this run waits for: leave it until then.
        case leave(until: Duration)
    }

    public struct Settings: Sendable {
        public var delay: Duration
        public var minimumPublicDelay = CrawlConfiguration.minimumPublicDelay
        public var maximumCrawlDelay: Duration
        public var connectionsPerHost: Int
        public var adaptive: Bool
        /// First rest of a host in trouble; doubles with every further trouble in a row.
        public var rest: Duration
        public var maximumWait: Duration

        public init(_ configuration: CrawlConfiguration) {
            delay = configuration.politeness.delay
            maximumCrawlDelay = configuration.politeness.maximumCrawlDelay
            connectionsPerHost = configuration.politeness.connectionsPerHost
            adaptive = configuration.politeness.adaptive
            rest = configuration.fetch.retryDelay
            maximumWait = configuration.fetch.maximumWait
        }
    }

    /// A host that failed this often in a row is left for the next run: it would only fail on.
    static let maximumFailuresInARow = 10
    /// The adaptive delay is this many times the host's usual time to first byte, so a host spends at most a third of
    /// its time on us.
    static let responseTimeFactor = 2
    /// Adaptive delays stop growing here.
    static let maximumAdaptiveDelay = Duration.seconds(60)
    /// Beyond this number, hosts that are idle and were asked long enough ago are forgotten.
    static let rememberedHosts = 50_000

    private struct Queued: Comparable {
        let turn: Turn
        let priority: Int
        let sequence: Int
        static func < (a: Queued, b: Queued) -> Bool { (a.priority, a.sequence) < (b.priority, b.sequence) }
        static func == (a: Queued, b: Queued) -> Bool { a.sequence == b.sequence }
    }

    private struct Delayed: Comparable {
        let turn: Turn
        let due: Duration
        let sequence: Int
        static func < (a: Delayed, b: Delayed) -> Bool { (a.due, a.sequence) < (b.due, b.sequence) }
        static func == (a: Delayed, b: Delayed) -> Bool { a.sequence == b.sequence }
    }

    private struct Host {
        var ready = Heap<Queued>()
        var delayed = Heap<Delayed>()
        var inFlight = 0
        /// No request before this time.
        var openAt = Duration.zero
        var lastEnd: Duration?
        var crawlDelay: Duration?
        let minimumDelay: Duration
        /// Moving average of the time to first byte.
        var responseTime = Duration.zero
        var failuresInARow = 0
        /// Which entry of the heap speaks for the host; older ones are skipped.
        var ticket = 0

        var isIdle: Bool { ready.isEmpty && delayed.isEmpty && inFlight == 0 }
        var queued: Int { ready.count + delayed.count }
    }

    private struct Due: Comparable {
        let time: Duration
        let ticket: Int
        let host: String
        static func < (a: Due, b: Due) -> Bool { (a.time, a.ticket) < (b.time, b.ticket) }
        static func == (a: Due, b: Due) -> Bool { a.ticket == b.ticket }
    }

    private let settings: Settings
    private var hosts: [String: Host] = [:]
    private var due = Heap<Due>()
    private var sequence = 0
    /// Number of hosts at which idle ones are looked for; grows with the hosts that are not, so looking stays rare.
    private var hostsToForgetAt = Self.rememberedHosts
    /// Turns that wait, all hosts together.
    public private(set) var queuedCount = 0
    /// Hosts of which something was learned that must outlive the run.
    private var hostsToKeep: Set<String> = []

    public init(_ settings: Settings) {
        self.settings = settings
    }

    public var isEmpty: Bool { queuedCount == 0 }
    public var hostCount: Int { hosts.count }

    public func queuedCount(host: String) -> Int { hosts[host]?.queued ?? 0 }

    // MARK: Work comes in

    public mutating func add(_ turn: Turn, now: Duration) {
        let name = turn.host
        forgetIdleHosts(now: now)
        sequence += 1
        var host = hosts.removeValue(forKey: name) ?? newHost(name)
        host.ready.insert(Queued(turn: turn, priority: turn.priority, sequence: sequence))
        hosts[name] = host
        queuedCount += 1
        refresh(name)
    }

    /// A request that must not be made before a time of its own, whatever the host allows.
    public mutating func add(_ turn: Turn, notBefore: Duration, now: Duration) {
        guard notBefore > now else { return add(turn, now: now) }
        let name = turn.host
        sequence += 1
        var host = hosts.removeValue(forKey: name) ?? newHost(name)
        host.delayed.insert(Delayed(turn: turn, due: notBefore, sequence: sequence))
        hosts[name] = host
        queuedCount += 1
        refresh(name)
    }

    // MARK: Work goes out

    /// The next turn that is due. `.start` counts as started: tell `finished` how it went.
    public mutating func next(now: Duration) -> Decision {
        while let first = due.min {
            guard hosts[first.host]?.ticket == first.ticket else {
                due.removeMin()
                continue
            }
            guard first.time <= now else { return .wait(until: first.time) }
            due.removeMin()
            guard let turn = start(first.host, now: now) else { continue }
            return .start(turn)
        }
        return .idle
    }

    private mutating func start(_ name: String, now: Duration) -> Turn? {
        guard var host = hosts.removeValue(forKey: name) else { return nil }
        defer {
            hosts[name] = host
            refresh(name)
        }
        while let delayed = host.delayed.min, delayed.due <= now {
            host.delayed.removeMin()
            host.ready
                .insert(Queued(turn: delayed.turn, priority: delayed.turn.priority, sequence: delayed.sequence))
        }
        guard let queued = host.ready.popMin() else { return nil }
        queuedCount -= 1
        host.inFlight += 1
        host.openAt = now + delay(of: host)
        return queued.turn
    }

    /// A turn of the host has ended.
    public mutating func finished(host name: String, sign: HostSign, now: Duration) -> Verdict {
        guard var host = hosts.removeValue(forKey: name) else { return .goOn }
        defer {
            hosts[name] = host
            refresh(name)
        }
        host.inFlight = max(0, host.inFlight - 1)
        if sign != .untouched { host.lastEnd = now }
        let failuresBefore = host.failuresInARow
        defer { if host.failuresInARow != failuresBefore { hostsToKeep.insert(name) } }
        switch sign {
        case .untouched:
            // Its start moved `openAt`; with one connection nothing else can have moved it since.
            if settings.connectionsPerHost == 1 { host.openAt = now }
            return .goOn
        case .answered(let time, let isError):
            host.failuresInARow = 0
            let average = host.responseTime == .zero ? time : (host.responseTime * 3 + time) / 4
            host.responseTime = isError ? max(host.responseTime, average) : average
        case .stumbled:
            host.failuresInARow += 1
        case .troubled(let retryAfter):
            host.failuresInARow += 1
            let doublings = min(host.failuresInARow - 1, 10)
            let rest = max(retryAfter ?? .zero, settings.rest * (1 << doublings))
            host.openAt = max(host.openAt, now + rest)
        }
        if settings.connectionsPerHost == 1 { host.openAt = max(host.openAt, now + delay(of: host)) }
        if host.failuresInARow >= Self.maximumFailuresInARow {
            return .leave(until: max(host.openAt, now + settings.maximumWait))
        }
        return host.openAt - now > settings.maximumWait ? .leave(until: host.openAt) : .goOn
    }

    /// What the host's robots.txt asks for; the longest of its origins counts.
    public mutating func setCrawlDelay(_ delay: Duration?, host name: String) {
        guard let delay, delay > .zero else { return }
        let capped = min(delay, settings.maximumCrawlDelay)
        if hosts[name]?.crawlDelay.map({ $0 < capped }) ?? true { hostsToKeep.insert(name) }
        guard var host = hosts.removeValue(forKey: name) else {
            var host = newHost(name)
            host.crawlDelay = capped
            hosts[name] = host
            return
        }
        host.crawlDelay = max(host.crawlDelay ?? .zero, capped)
        if let lastEnd = host.lastEnd { host.openAt = max(host.openAt, lastEnd + capped) }
        hosts[name] = host
        refresh(name)
    }

    // MARK: Over runs

    public func knows(host name: String) -> Bool { hosts[name] != nil }

    /// A host is as an earlier run left it. Only for hosts that have no turns yet.
    ///
    /// - Parameter date: the calendar's time at `now`.
    public mutating func resume(host name: String, _ clock: HostClock, now: Duration, date: Date) {
        var host = hosts.removeValue(forKey: name) ?? newHost(name)
        host.crawlDelay = clock.crawlDelay.map { min($0, settings.maximumCrawlDelay) } ?? host.crawlDelay
        host.failuresInARow = max(host.failuresInARow, clock.failuresInARow)
        func moment(_ date: Date, from reference: Date) -> Duration {
            now + .seconds(date.timeIntervalSince(reference))
        }
        if let last = clock.lastRequest {
            // A calendar that was set back must not make a host wait for longer than its delay.
            host.openAt = max(host.openAt, min(moment(last, from: date), now) + delay(of: host))
        }
        if let next = clock.nextRequest { host.openAt = max(host.openAt, moment(next, from: date)) }
        hosts[name] = host
        refresh(name)
    }

    /// What was learned of hosts since the last call, for the frontier to keep.
    public mutating func takeClocksToKeep(now: Duration, date: Date) -> [String: HostClock] {
        guard !hostsToKeep.isEmpty else { return [:] }
        defer { hostsToKeep = [] }
        return clocks(of: hostsToKeep, now: now, date: date)
    }

    /// The clocks of the hosts that cannot be asked at once, for the end of a run.
    public func clocksToClose(now: Duration, date: Date) -> [String: HostClock] {
        clocks(of: hosts.filter { $0.value.openAt > now }.map(\.key), now: now, date: date)
    }

    private func clocks(of names: some Sequence<String>, now: Duration, date: Date) -> [String: HostClock] {
        var clocks: [String: HostClock] = [:]
        for name in names {
            guard let host = hosts[name] else { continue }
            func calendar(_ time: Duration) -> Date { date.addingTimeInterval((time - now) / .seconds(1)) }
            clocks[name] = HostClock(
                lastRequest: host.lastEnd.map(calendar), nextRequest: host.openAt > now ? calendar(host.openAt) : nil,
                crawlDelay: host.crawlDelay, failuresInARow: host.failuresInARow)
        }
        return clocks
    }

    /// Takes every waiting turn of a host out, because the run leaves it.
    public mutating func removeAll(host name: String) -> [Turn] {
        guard var host = hosts[name] else { return [] }
        let turns = host.ready.unordered.map(\.turn) + host.delayed.unordered.map(\.turn)
        host.ready = Heap()
        host.delayed = Heap()
        queuedCount -= turns.count
        hosts[name] = host
        refresh(name)
        return turns
    }

    /// Takes every waiting turn out, because the run ends.
    public mutating func removeAll() -> [Turn] {
        hosts.keys.sorted().flatMap { removeAll(host: $0) }
    }

    // MARK: Delays

    /// The delay between two requests that a host has now.
    public func delay(host name: String) -> Duration {
        delay(of: hosts[name] ?? newHost(name))
    }

    private func delay(of host: Host) -> Duration {
        var delay = max(host.minimumDelay, host.crawlDelay ?? .zero)
        if settings.adaptive {
            let adapted = max(delay, host.responseTime * Self.responseTimeFactor)
            // Trouble doubles the delay, up to 32 times, until the host answers again.
            let strained = adapted * (1 << min(host.failuresInARow, 5))
            delay = max(delay, min(strained, Self.maximumAdaptiveDelay))
        }
        return delay
    }

    private func newHost(_ name: String) -> Host {
        let minimum =
            HostReach(host: name) == .privateHost
            ? settings.delay : max(settings.delay, settings.minimumPublicDelay)
        return Host(minimumDelay: minimum)
    }

    /// Puts the host into the heap at the time it is due now, or takes it out when nothing of it can start.
    private mutating func refresh(_ name: String) {
        guard var host = hosts[name] else { return }
        sequence += 1
        host.ticket = sequence
        hosts[name] = host
        guard host.inFlight < settings.connectionsPerHost, host.queued > 0 else { return }
        var time = host.openAt
        if host.ready.isEmpty, let delayed = host.delayed.min { time = max(time, delayed.due) }
        due.insert(Due(time: time, ticket: sequence, host: name))
        // Skipped entries are dropped when they come up; a flood of them would only cost memory.
        if due.count > 64 + 8 * hosts.count { compact() }
    }

    private mutating func compact() {
        due = Heap(due.unordered.filter { hosts[$0.host]?.ticket == $0.ticket })
    }

    private mutating func forgetIdleHosts(now: Duration) {
        guard hosts.count >= hostsToForgetAt else { return }
        // What a host's robots.txt asked for is remembered as long as its rules are.
        hosts = hosts.filter { !($0.value.isIdle && $0.value.openAt <= now && $0.value.crawlDelay == nil) }
        hostsToForgetAt = max(Self.rememberedHosts, 2 * hosts.count)
    }
}
