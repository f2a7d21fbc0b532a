import Foundation
import HeapModule
import PippinPage

/// Decides which host may be asked next, and when. It is a pure value: it takes `now`, the time since the crawl began, and
/// never waits itself.
///
/// Invariants:
///
/// - A host never has more requests in flight than connections.
/// - Between the end of a host's request and the start of its next one lies at least the host's delay. With several
///   connections, the delay is between starts.
/// - Between the starts of two requests to one address lies at least the address's delay, from the first request of each host
///   on, even if requests fail. For this, a name is looked up before its host is asked (`PolitenessSchedule+LookUps.swift`).
/// - Requests to an address that other processes ask too begin only in its slots of time (`AddressSlots`).
/// - Between any two starts lies at least the interval of the crawl's rate.
/// - In quiet hours nothing starts, or only after a longer delay.
/// - A host in trouble rests, and so does an address where one host after the other fails (`HostBreaker`).
///
/// So a slow host only slows itself, and an address with many hosts is asked as one machine, its hosts in turn.
///
/// One line has the hosts with work, ordered by the time from which they may be asked, then by arrival. If a host's turn comes
/// while its address is closed, it moves to the line of the address, which has one entry in the main line for all its hosts.
/// Picking takes O(log hosts), and no host starves: after each request, a host goes behind all that wait already.
public struct PolitenessSchedule: Sendable {
    /// One request to one host. A request is kept in one place and not moved, because the lines of hosts move their turns
    /// again and again.
    public indirect enum Turn: Sendable, Equatable {
        case siteFile(SiteFileRequest)
        case visit(CrawlRequest)

        /// The host to ask.
        public var host: String {
            switch self {
            case .siteFile(let request): request.url.politenessHost
            case .visit(let request): request.host
            }
        }

        var url: WebURL {
            switch self {
            case .siteFile(let request): request.url
            case .visit(let request): request.url
            }
        }

        /// The order of a host's turns, smaller first: robots.txt, because everything waits for it, then files for pages that
        /// were already read.
        var priority: Int {
            switch self {
            case .siteFile(let request): request.kind == .robots ? -3 : -2
            case .visit(let request): request.priority
            }
        }
    }

    /// The result of `next`.
    public enum Decision: Equatable {
        case start(Turn)
        /// A name must be looked up. Pass the result to `lookedUp`.
        case lookUp(host: String)
        /// Nothing is due before this time.
        case wait(until: Duration)
        /// Quiet hours close the whole crawl for longer than a run waits.
        case quiet(until: Duration)
        /// Quiet hours close a host for longer than a run waits. Remove its turns with `removeAll(host:)`.
        case suspend(host: String, until: Duration)
        /// No host has work that can start. The end of a request in flight may change that.
        case idle
    }

    /// What the run should do with the host after a turn.
    public enum Verdict: Equatable {
        case goOn
        /// The host needs a longer rest than this run waits. Leave it until then.
        case suspend(until: Duration)
    }

    /// The number of failures in a row after which a host is left for the next run, because more requests would probably fail
    /// too.
    static let maximumFailuresInARow = 10
    /// The adaptive delay as a multiple of the host's usual time to the first byte. With 2, a host spends at most a third of
    /// its time on us.
    static let responseTimeFactor = 2
    /// The limit of adaptive delays.
    static let maximumAdaptiveDelay = Duration.seconds(60)
    /// The number of hosts above which idle ones are forgotten, if their delay has passed.
    static let rememberedHosts = 50_000

    let settings: Settings
    /// The calendar's time when `now` was zero.
    private(set) var calendarStart: Date
    var hosts: [String: Int] = [:]
    var slots: [Host] = []
    var freeSlots: [Int] = []
    var addresses: [String: Int] = [:]
    var addressSlots: [Address] = []
    var freeAddressSlots: [Int] = []
    var domains: [String: Int] = [:]
    var domainSlots: [Domain] = []
    var freeDomainSlots: [Int] = []
    var lookUps = LookUpLine()
    /// The quiet hours' state, by the index of the rules. The first is for the whole crawl.
    var quietStates: [QuietState]
    var changedSlots: [Int] = []
    var due = Heap<Due>()
    var sequence = 0
    /// The time before which no request is made to any host.
    var rateOpenAt = Duration.zero
    var lastStart = 0
    /// The number of hosts at which idle ones are searched for. It grows with the hosts that are still needed, so the search
    /// stays rare.
    var hostsToForgetAt = Self.rememberedHosts
    /// The number of waiting turns of all hosts.
    private(set) var queuedCount = 0

    /// Creates an empty schedule.
    ///
    /// - Parameter date: the calendar's time when `now` is zero, needed for quiet hours and stored clocks.
    public init(_ settings: Settings, date: Date = Date(timeIntervalSince1970: 0)) {
        self.settings = settings
        calendarStart = date
        quietStates = Array(repeating: QuietState(), count: settings.rules.count)
    }

    /// Sets the calendar's time. Call it again whenever the machine's clock may have been set.
    public mutating func set(date: Date, now: Duration) {
        calendarStart = date.addingTimeInterval(-(now / .seconds(1)))
    }

    /// Whether no turns wait.
    public var isEmpty: Bool { queuedCount == 0 }
    var hostCount: Int { hosts.count }

    /// The number of hosts with waiting turns.
    var hostsWithWork: Int { slots.indices.count { slots[$0].queued > 0 } }

    /// The time from which a host with waiting turns may be asked, as far as the host itself decides; nil if it cannot be now.
    func dueAt(host: String) -> Duration? { hosts[host].flatMap { slots[$0].dueAt } }

    func queuedCount(host: String) -> Int { hosts[host].map { slots[$0].queued } ?? 0 }

    // MARK: Work comes in

    /// Adds a turn.
    ///
    /// - Parameter notBefore: the earliest time of the request, whatever the host allows.
    public mutating func add(_ turn: Turn, notBefore: Duration? = nil, now: Duration) {
        let slot: Int
        if let notBefore, notBefore > now {
            sequence += 1
            slot = self.slot(of: turn.host)
            slots[slot].delayed.insert(Delayed(turn: turn, due: notBefore, sequence: sequence))
        } else {
            forgetIdleHosts(now: now)
            sequence += 1
            slot = self.slot(of: turn.host)
            slots[slot].ready.insert(Queued(turn: turn, priority: turn.priority, sequence: sequence))
        }
        queuedCount += 1
        refresh(slot, now: now)
    }

    func newHost(_ name: String) -> Host {
        let rules = settings.rulesIndex(host: name)
        let delay = settings.minimumDelay(host: name, rules: rules)
        return Host(
            name: name, rules: rules, connections: settings.rules[rules].connections, minimumDelay: delay, openAt: .zero
        )
    }

    mutating func slot(of name: String) -> Int {
        if let slot = hosts[name] { return slot }
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            slots[free] = newHost(name)
        } else {
            slot = slots.count
            slots.append(newHost(name))
        }
        hosts[name] = slot
        if settings.looksUp { locate(slot) }
        return slot
    }

    // MARK: Work goes out

    /// The next turn that is due. `.start` counts as started; report its end to `finished`.
    public mutating func next(now: Duration) -> Decision {
        guard !isEmpty else { return .idle }
        if let until = closedUntil(now: now) {
            return until - now > settings.maximumWait ? .quiet(until: until) : .wait(until: until)
        }
        while let first = due.min {
            guard isCurrent(first) else {
                due.removeMin()
                continue
            }
            let time = max(first.time, rateOpenAt)
            guard time <= now else { return .wait(until: time) }
            due.removeMin()
            let decision =
                switch first.place {
                case .host(let slot): begin(slot, isFirstOfAddress: false, now: now)
                case .address(let address): beginFirst(of: address, now: now)
                case .lookUps: beginLookUp(now: now)
                case .domain(let domain): begin(domain: domain, ticket: first.ticket)
                }
            if let decision { return decision }
        }
        return .idle
    }

    func isCurrent(_ entry: Due) -> Bool {
        switch entry.place {
        case .host(let slot): slots[slot].ticket == entry.ticket
        case .address(let address): addressSlots[address].ticket == entry.ticket
        case .domain(let domain): domainSlots[domain].ticket == entry.ticket
        case .lookUps: lookUps.ticket == entry.ticket
        }
    }

    /// Starts the host's next turn. If something else keeps it, the host moves to the line for that, and the result is nil.
    private mutating func begin(_ slot: Int, isFirstOfAddress: Bool, now: Duration) -> Decision? {
        while let delayed = slots[slot].delayed.min, delayed.due <= now {
            slots[slot].delayed.removeMin()
            slots[slot].ready.insert(
                Queued(turn: delayed.turn, priority: delayed.turn.priority, sequence: delayed.sequence))
        }
        switch quietRule(of: slot, now: now) {
        case .none: break
        case .slowed(let until):
            enqueue(slot, at: until)
            return nil
        case .closed(let until):
            enqueue(slot, at: until)
            guard until - now > settings.maximumWait else { return nil }
            return .suspend(host: slots[slot].name, until: until)
        }
        if needsLookUp(slot, now: now) {
            return enqueueForLookUp(slot, now: now) ? suspendUnlooked(slot, now: now) : nil
        }
        if let address = slots[slot].address, let until = longRest(of: address, now: now) {
            return suspend(slot, at: address, until: until)
        }
        if let address = slots[slot].address { keepToSlots(address, from: now) }
        if !isFirstOfAddress, let address = slots[slot].address, !hasNoAddress(slot),
            addressSlots[address].openAt > now || !addressSlots[address].waiting.isEmpty
        {
            addressSlots[address].waiting.insert(
                Due(time: slots[slot].dueAt ?? now, ticket: slots[slot].ticket, place: .host(slot)))
            enqueueAddress(address)
            return nil
        }
        return start(slot, now: now)
    }

    /// Starts the first host in the line of an address whose turn it is.
    private mutating func beginFirst(of address: Int, now: Duration) -> Decision? {
        addressSlots[address].ticket = 0
        defer { if !addressSlots[address].waiting.isEmpty { enqueueAddress(address) } }
        keepToSlots(address, from: now)
        // A host that got this address meanwhile may have been asked recently, so the address may have to wait longer.
        guard addressSlots[address].openAt <= now || longRest(of: address, now: now) != nil else { return nil }
        while let first = addressSlots[address].waiting.popMin() {
            guard case .host(let slot) = first.place, slots[slot].ticket == first.ticket else { continue }
            if let decision = begin(slot, isFirstOfAddress: true, now: now) { return decision }
        }
        return nil
    }

    private mutating func start(_ slot: Int, now: Duration) -> Decision? {
        guard let queued = slots[slot].ready.popMin() else {
            slots[slot].dueAt = nil
            refresh(slot, now: now)
            return nil
        }
        queuedCount -= 1
        lastStart += 1
        let address = hasNoAddress(slot) ? nil : slots[slot].address
        grant(slot)
        slots[slot].undo = Undo(
            start: lastStart, lastStart: slots[slot].lastStart, rateOpenAt: rateOpenAt,
            addressOpenAt: address.map { addressSlots[$0].openAt } ?? .zero)
        slots[slot].inFlight += 1
        slots[slot].breaker.began()
        slots[slot].lastStart = now
        slots[slot].openAt = now + delay(of: slot)
        slots[slot].dueAt = nil
        rateOpenAt = now + settings.interval
        if let address { open(address, now: now) }
        refresh(slot, now: now)
        return .start(queued.turn)
    }

    /// Takes the result of a turn.
    ///
    /// - Parameters:
    ///   - address: the address that answered, or that was tried without an answer.
    ///   - failsAddress: whether a connection was tried and failed (`FetchError.failsAddress`).
    ///   - trouble: the failure, if it concerns the host.
    public mutating func finished(
        host name: String, sign: HostSign, address: String? = nil, failsAddress: Bool = false,
        trouble: RequestFailure? = nil, now: Duration
    ) -> Verdict {
        guard let slot = hosts[name] else { return .goOn }
        defer { refresh(slot, now: now) }
        slots[slot].inFlight = max(0, slots[slot].inFlight - 1)
        guard sign != .untouched else {
            takeBackStart(of: slot, now: now)
            return .goOn
        }
        slots[slot].lastEnd = now
        if sign != .abandoned, slots[slot].trouble != trouble?.detail {
            slots[slot].trouble = trouble?.detail
            markChanged(slot)
        }
        if let address, !address.isEmpty {
            learn(address, of: slot, now: now)
            if !failsAddress { adopt(address, of: slot) }
        }
        var hasAnother = false
        if sign != .abandoned {
            if let known = slots[slot].address, failsAddress || address != nil {
                judge(known, asking: slot, failed: failsAddress, now: now)
            }
            if failsAddress { hasAnother = moveOn(slot, now: now) }
        }
        let failuresBefore = slots[slot].breaker.failuresInARow
        defer { if slots[slot].breaker.failuresInARow != failuresBefore { markChanged(slot) } }
        switch sign {
        case .untouched: break
        case .abandoned: slots[slot].breaker.endedUntouched(now: now)
        case .answered(let time, let isError):
            slots[slot].breaker.succeeded()
            let known = slots[slot].responseTime
            let average = known == .zero ? time : (known * 3 + time) / 4
            slots[slot].responseTime = isError ? max(known, average) : average
        case .stumbled:
            slots[slot].breaker.failed(isTrouble: false, atLeast: .zero, firstRest: settings.rest, now: now)
        case .troubled(let retryAfter):
            // If the host has an address that was not tried yet, the host itself may be well.
            slots[slot].breaker.failed(
                isTrouble: !hasAnother, atLeast: retryAfter ?? .zero, firstRest: settings.rest, now: now)
        }
        var openAt = slots[slot].openAt
        if case .open(let until) = slots[slot].breaker.state { openAt = max(openAt, until) }
        if slots[slot].connections == 1 { openAt = max(openAt, now + delay(of: slot)) }
        slots[slot].openAt = openAt
        if slots[slot].breaker.failuresInARow >= Self.maximumFailuresInARow {
            return .suspend(until: max(openAt, now + settings.maximumWait))
        }
        // A host's ordinary delay does not count as rest, however long the operator or its robots.txt made it.
        return openAt - now > max(settings.maximumWait, delay(of: slot)) ? .suspend(until: openAt) : .goOn
    }

    /// Undoes a start that led to no request, as far as no later start depends on it.
    private mutating func takeBackStart(of slot: Int, now: Duration) {
        slots[slot].breaker.endedUntouched(now: now)
        // With several turns in flight, it is not known which of them this was.
        guard slots[slot].connections == 1, let undo = slots[slot].undo else { return }
        slots[slot].undo = nil
        // A longer delay that was learnt since counts from the end of the last request.
        slots[slot].openAt = max(now, slots[slot].lastEnd.map { $0 + delay(of: slot) } ?? now)
        slots[slot].lastStart = undo.lastStart
        if lastStart == undo.start { rateOpenAt = undo.rateOpenAt }
        if let address = slots[slot].address, addressSlots[address].lastStart == undo.start {
            addressSlots[address].openAt = undo.addressOpenAt
            addressSlots[address].breaker.endedUntouched(now: now)
            if !addressSlots[address].waiting.isEmpty { enqueueAddress(address) }
        }
    }

    /// Sets the crawl delay from a robots.txt of the host; nil if it has none. The longest delay of the host's origins counts.
    /// A delay from an earlier run holds until this run has read a robots.txt.
    mutating func setCrawlDelay(_ delay: Duration?, host name: String) {
        if let slot = hosts[name], slots[slot].isCrawlDelayEarlier {
            slots[slot].isCrawlDelayEarlier = false
            slots[slot].crawlDelay = nil
            markChanged(slot)
        }
        guard let delay, delay > .zero else { return }
        let slot = slot(of: name)
        let capped = min(delay, settings.rules[slots[slot].rules].maximumCrawlDelay)
        if capped > slots[slot].crawlDelay ?? .zero {
            slots[slot].crawlDelay = capped
            markChanged(slot)
        }
        guard let last = slots[slot].connections == 1 ? slots[slot].lastEnd : slots[slot].lastStart,
            last + capped > slots[slot].openAt
        else { return }
        slots[slot].openAt = last + capped
        refresh(slot, now: last)
    }

    /// Removes all waiting turns of a host, because the run leaves it.
    public mutating func removeAll(host name: String) -> [Turn] {
        guard let slot = hosts[name] else { return [] }
        let turns = slots[slot].ready.unordered.map(\.turn) + slots[slot].delayed.unordered.map(\.turn)
        slots[slot].ready = Heap()
        slots[slot].delayed = Heap()
        slots[slot].dueAt = nil
        slots[slot].ticket = 0
        queuedCount -= turns.count
        return turns
    }

    /// Removes all waiting turns, because the run ends.
    public mutating func removeAll() -> [Turn] {
        hosts.keys.sorted().flatMap { removeAll(host: $0) }
    }
}
