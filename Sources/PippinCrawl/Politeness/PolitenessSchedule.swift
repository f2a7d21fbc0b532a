import Foundation
import PippinPage

/// Decides which host may be asked next, and when. It is a pure value: it takes `now`, the time since the crawl began, and
/// never waits itself.
///
/// Invariants:
///
/// - A host never has more requests in flight than connections.
/// - Between the end of a host's request and the start of its next one lies at least the host's delay. With several
///   connections, the delay is between starts.
/// - Between the starts of two requests to one address lies at least the interval of its rate (`AddressRate`), at first the address's
///   delay, from the first request of each host on, even if requests fail. For this, a name is looked up before its host is asked
///   (`LookUpLines`).
/// - Requests to an address that other processes ask too begin only in its slots of time (`AddressSlots`). What was not named for this
///   process is not asked (`AddressShares`).
/// - Between any two starts lies at least the interval of the crawl's rate.
/// - In quiet hours nothing starts, or only after a longer delay.
/// - A host in trouble rests, and so does an address where one host after the other fails (`HostBreaker`).
///
/// So a slow host only slows itself, and an address with many hosts is asked as one machine, its hosts in turn.
///
/// One line has the hosts with work, ordered by the time from which they may be asked, then by arrival. If a host's turn comes
/// while its address is closed, it moves to the line of the address, which has one entry in the main line for all its hosts.
/// Picking takes O(log hosts), and no host starves: after each request, a host goes behind all that wait already; at an address, hosts that
/// were asked before and those that were not take turns.
public struct PolitenessSchedule: Sendable {
    /// The number of failures in a row after which a host is left for the next run, because more requests would probably fail
    /// too.
    static let maximumFailuresInARow = 10
    /// The adaptive delay as a multiple of the host's usual time to the first byte. With 2, a host spends at most a third of
    /// its time on us.
    static let responseTimeFactor = 2
    /// The limit of adaptive delays.
    static let maximumAdaptiveDelay = Duration.seconds(60)
    /// The limit of a saved rest. No server can ask for a longer one, and a damaged file cannot stop a crawl forever.
    static let longestRestoredRest = Duration.seconds(366 * 86_400)
    /// The number of hosts above which idle ones are forgotten, if their delay has passed.
    private static let rememberedHosts = 50_000

    let settings: Settings
    private(set) var hosts = NamedTable<ScheduledHost>()
    private(set) var addresses = NamedTable<SharedAddress>()
    private(set) var lookUps = LookUpLines()
    private(set) var quietTimes: QuietTimes
    private(set) var line = DueLine()
    /// The hosts whose clock must be stored.
    private var changedHosts: [Int] = []
    /// The addresses whose rate has changed.
    private var changedRates: [Int] = []
    /// The time before which no request is made to any host.
    private var rateOpenAt = Duration.zero
    private var lastStart = 0
    /// The number of hosts at which idle ones are searched for. It grows with the hosts that are still needed, so the search
    /// stays rare.
    private var hostsToForgetAt = Self.rememberedHosts
    /// The number of waiting turns of all hosts.
    private(set) var queuedCount = 0
    /// How many of them are visits.
    private(set) var queuedVisits = 0

    /// Creates an empty schedule.
    ///
    /// - Parameter date: the calendar's time when `now` is zero, needed for quiet hours and stored clocks.
    public init(_ settings: Settings, date: Date = Date(timeIntervalSince1970: 0)) {
        self.settings = settings
        quietTimes = QuietTimes(settings, calendarStart: date)
    }

    /// Sets the calendar's time. Call it again whenever the machine's clock may have been set.
    public mutating func set(date: Date, now: Duration) {
        quietTimes.calendarStart = date.addingTimeInterval(-(now / .seconds(1)))
    }

    /// Whether no turns wait.
    public var isEmpty: Bool { queuedCount == 0 }

    // MARK: Work comes in

    /// Adds a turn.
    ///
    /// - Parameter notBefore: the earliest time of the request, whatever the host allows.
    public mutating func add(_ turn: Turn, notBefore: Duration? = nil, now: Duration) {
        let delayed = notBefore.flatMap { $0 > now ? $0 : nil }
        if delayed == nil { forgetIdleHosts(now: now) }
        let host = number(of: turn.host)
        hosts[host].add(turn, notBefore: delayed)
        queuedCount += 1
        if case .visit = turn { queuedVisits += 1 }
        refresh(host, now: now)
    }

    private mutating func number(of name: String) -> Int {
        if let host = hosts.number(of: name) { return host }
        let host = hosts.add(ScheduledHost(name, settings), name: name)
        if settings.looksUp, let address = HostAddress(name).address?.description,
            settings.delay(address: address) > .zero
        {
            learn(address, of: host)
        }
        return host
    }

    private mutating func refresh(_ host: Int, now: Duration) { hosts[host].refresh(in: &line, number: host, now: now) }

    private mutating func forgetIdleHosts(now: Duration) {
        guard hosts.count >= hostsToForgetAt else { return }
        for (name, host) in hosts.numbers where hosts[host].isForgettable(now: now) {
            if let address = hosts[host].address { addresses[address].leave() }
            hosts.remove(name)
        }
        for (name, address) in addresses.numbers where addresses[address].isForgettable(now: now) {
            addresses[address].clear()
            addresses.remove(name)
        }
        lookUps.forgetIdle(now: now)
        hostsToForgetAt = max(Self.rememberedHosts, 2 * hosts.count)
    }

    // MARK: Work goes out

    /// The next turn that is due. `.start` counts as started; report its end to `finished`.
    public mutating func next(now: Duration) -> Decision {
        guard !isEmpty else { return .idle }
        if let until = quietTimes.crawlIsClosed(now: now) {
            return until - now > settings.maximumWait ? .quiet(until: until) : .wait(until: until)
        }
        // Outdated entries are dropped when they come up. If there are very many, they are dropped here to save memory.
        if line.count > 64 + 8 * (hosts.count + addresses.count + lookUps.domainCount) {
            line = line.filter(isCurrent)
        }
        while let first = line.first {
            guard isCurrent(first) else {
                line.removeFirst()
                continue
            }
            let time = max(first.time, rateOpenAt)
            guard time <= now else { return .wait(until: time) }
            line.removeFirst()
            let decision =
                switch first.place {
                case .host(let host): begin(host, isFirstOfAddress: false, now: now)
                case .address(let address): beginFirst(of: address, now: now)
                case .lookUps: beginLookUp(now: now)
                case .domain(let domain): moveUp(domain, ticket: first.ticket)
                }
            if let decision { return decision }
        }
        return .idle
    }

    func isCurrent(_ entry: DueLine.Entry) -> Bool {
        switch entry.place {
        case .host(let host): hosts[host].ticket == entry.ticket
        case .address(let address): addresses[address].ticket == entry.ticket
        case .domain(let domain): lookUps.isCurrent(domain: domain, ticket: entry.ticket)
        case .lookUps: lookUps.isCurrent(ticket: entry.ticket)
        }
    }

    /// Starts the host's next turn. If something else keeps it, the host moves to the line for that, and the result is nil.
    private mutating func begin(_ host: Int, isFirstOfAddress: Bool, now: Duration) -> Decision? {
        hosts[host].makeReady(now: now)
        switch quietTimes.effect(rules: hosts[host].rules, lastAsked: hosts[host].lastAsked, now: now) {
        case .none: break
        case .slowed(let until):
            hosts[host].enter(&line, number: host, at: until)
            return nil
        case .closed(let until):
            hosts[host].enter(&line, number: host, at: until)
            return until - now > settings.maximumWait ? .suspend(host: hosts[host].name, until: until) : nil
        }
        if hosts[host].addresses.needsLookUp(now: now) { return waitForLookUp(host, now: now) }
        if let address = hosts[host].address {
            if addresses[address].isOfOthers, !hosts[host].addresses.isMissing {
                return .leave(host: hosts[host].name)
            }
            if let until = addresses[address].longRest(settings, now: now) {
                let failures = addresses[address].breaker.failuresInARow
                return suspend(host, because: .addressRests(addresses[address].name, failures: failures), until: until)
            }
            addresses[address].keepToSlots(from: now, calendarStart: quietTimes.calendarStart)
            if !isFirstOfAddress, !hosts[host].addresses.isMissing,
                addresses[address].openAt > now || addresses[address].hasWaiting
            {
                addresses[address].add(
                    hosts[host].entry(number: host, now: now), wasAsked: hosts[host].wasAsked)
                addresses[address].enter(&line, number: address)
                return nil
            }
        }
        return start(host, now: now)
    }

    /// Starts the first host in the line of an address whose turn it is.
    private mutating func beginFirst(of address: Int, now: Duration) -> Decision? {
        addresses[address].leaveLine()
        defer { addresses[address].enter(&line, number: address) }
        addresses[address].keepToSlots(from: now, calendarStart: quietTimes.calendarStart)
        // A host that got this address meanwhile may have been asked recently, so the address may have to wait longer.
        guard addresses[address].openAt <= now || addresses[address].longRest(settings, now: now) != nil else {
            return nil
        }
        while let first = addresses[address].takeFirst() {
            guard case .host(let host) = first.place, hosts[host].ticket == first.ticket else { continue }
            if let decision = begin(host, isFirstOfAddress: true, now: now) { return decision }
        }
        return nil
    }

    private mutating func start(_ host: Int, now: Duration) -> Decision? {
        guard let turn = hosts[host].takeTurn() else {
            hosts[host].dueAt = nil
            refresh(host, now: now)
            return nil
        }
        queuedCount -= 1
        if case .visit = turn { queuedVisits -= 1 }
        lastStart += 1
        let address = hosts[host].addresses.isMissing ? nil : hosts[host].address
        let undo = ScheduledHost.Undo(
            start: lastStart, lastStart: hosts[host].lastStart, rateOpenAt: rateOpenAt,
            address: address.map { addresses[$0].asked })
        hosts[host].begin(settings, undo: undo, now: now)
        rateOpenAt = now + settings.interval
        if let address {
            if addresses[address].forgetRateIfIdle(now: now) { changedRates.append(address) }
            addresses[address].begin(lastStart, settings, calendarStart: quietTimes.calendarStart, now: now)
        }
        refresh(host, now: now)
        return .start(turn)
    }

    /// The permit for the request of a turn that has started; nil if it is not the host's turn.
    func permit(host name: String) -> TurnPermit? {
        guard let host = hosts.number(of: name), hosts[host].inFlight > 0 else { return nil }
        return TurnPermit(host: name, addresses: hosts[host].addresses.permit)
    }

    /// Leaves a host for a cause outside of it, which is noted as its trouble.
    private mutating func suspend(_ host: Int, because cause: RequestFailure.Cause, until: Duration) -> Decision {
        if let url = hosts[host].nextTurn?.url {
            hosts[host].trouble = RequestFailure(cause, asking: url).detail
            markChanged(host)
        }
        return .suspend(host: hosts[host].name, until: until)
    }

    // MARK: Look-ups

    /// Puts a host that is due into the line for its look-up, or leaves it if its domain is given up.
    private mutating func waitForLookUp(_ host: Int, now: Duration) -> Decision? {
        let entry = hosts[host].entry(number: host, now: now)
        if hosts[host].addresses.wasFound {
            lookUps.addKnown(entry, to: &line)
            return nil
        }
        return lookUps.add(entry, of: hosts[host].name, to: &line).map {
            suspend(
                host, because: .namesMissing($0.domain, count: $0.missing), until: now + RobotsAnswer.unreachableFor)
        }
    }

    private mutating func moveUp(_ domain: Int, ticket: Int) -> Decision? {
        lookUps.moveUp(domain, ticket: ticket, &line)
        return nil
    }

    private mutating func beginLookUp(now: Duration) -> Decision? {
        guard
            let (host, isRefresh) = lookUps.begin(hosts, interval: settings.lookUpInterval, in: &line, now: now)
        else { return nil }
        hosts[host].beginLookUp(isRefresh: isRefresh)
        return .lookUp(host: hosts[host].name)
    }

    /// Takes the result of a look-up that `next` asked for.
    ///
    /// - Returns: the host's registered domain if it is now given up for the run, because too many of its names do not exist;
    ///   otherwise nil.
    @discardableResult
    public mutating func lookedUp(
        host name: String, _ answer: Result<[NetworkAddress], FetchError>, now: Duration
    ) -> String? {
        guard let host = hosts.number(of: name),
            let isRefresh = hosts[host].addresses.endLookUp(answer, where: settings.mayAsk, now: now)
        else { return nil }
        let dueAt = hosts[host].dueAt
        if case .success = answer, let address = hosts[host].addresses.inUse { learn(address.description, of: host) }
        hosts[host].endLookUp(in: &line, number: host, at: dueAt ?? now)
        lookUps.end(in: &line)
        if isRefresh { return nil }
        let opensAt = now + hosts[host].delay(settings)
        guard let (domain, waiting) = lookUps.settle(answer, of: name, openAt: opensAt, in: &line) else { return nil }
        // The domain's hosts return to the main line. They are left when their turn comes.
        for entry in waiting {
            guard case .host(let other) = entry.place, hosts[other].ticket == entry.ticket else { continue }
            hosts[other].enter(&line, number: other, at: entry.time)
        }
        return domain
    }

    /// Notes the host's address from a look-up or an answer. Addresses of one machine count as one (`NetworkAddress.machine`).
    private mutating func learn(_ text: String, of host: Int) {
        guard hosts[host].addressName != text else { return }
        if let address = hosts[host].address { addresses[address].leave() }
        let delay = settings.delay(address: text)
        guard delay > .zero else { return hosts[host].move(to: text, number: nil) }
        let name = NetworkAddress(text)?.machine.description ?? text
        let address =
            addresses.number(of: name)
            ?? addresses.add(SharedAddress(name, delay: delay, settings), name: name)
        hosts[host].move(to: text, number: address)
        addresses[address].join(lastStart: hosts[host].lastStart)
        markChanged(host)
    }

    // MARK: Results

    /// Takes the result of a turn.
    ///
    /// - Parameters:
    ///   - address: the address that answered, or that was tried without an answer.
    ///   - failsAddress: whether a connection was tried and failed (`FetchError.failsAddress`).
    ///   - trouble: the failure, if it concerns the host.
    ///   - seed: the seed that led to the page, if a page was read.
    public mutating func finished(
        host name: String, sign: HostSign, address: String? = nil, failsAddress: Bool = false,
        trouble: RequestFailure? = nil, readFrom seed: Seed? = nil, now: Duration
    ) -> Verdict {
        guard let host = hosts.number(of: name) else { return .goOn }
        defer { refresh(host, now: now) }
        hosts[host].inFlight = max(0, hosts[host].inFlight - 1)
        guard sign != .untouched else {
            takeBackStart(of: host, now: now)
            return .goOn
        }
        hosts[host].lastEnd = now
        if sign != .abandoned, hosts[host].trouble != trouble?.detail {
            hosts[host].trouble = trouble?.detail
            markChanged(host)
        }
        if let address, !address.isEmpty {
            learn(address, of: host)
            if !failsAddress { hosts[host].addresses.adopt(address) }
        }
        var hasAnother = false
        if sign != .abandoned {
            if let known = hosts[host].address, failsAddress || address != nil {
                addresses[known].take(failed: failsAddress, host: host, settings, now: now)
                addresses[known].enter(&line, number: known)
            }
            takeRate(sign, of: host, readFrom: seed, now: now)
            if failsAddress, let next = hosts[host].addresses.moveOn() {
                learn(next.description, of: host)
                hasAnother = hosts[host].addresses.hasAnother
            }
        }
        let failuresBefore = hosts[host].breaker.failuresInARow
        let verdict = hosts[host].take(sign, hasAnotherAddress: hasAnother, settings, now: now)
        if hosts[host].breaker.failuresInARow != failuresBefore { markChanged(host) }
        return verdict
    }

    /// Lets a result change how often the host's address is asked. A failure of a host that has not answered since its last one is the
    /// host's own trouble.
    private mutating func takeRate(_ sign: HostSign, of host: Int, readFrom seed: Seed?, now: Duration) {
        guard let address = hosts[host].address, !hosts[host].addresses.isMissing, addresses[address].canChangeRate,
            let start = hosts[host].lastStart
        else { return }
        let answer: AddressRate.Answer
        switch sign {
        case .answered(let time, _):
            guard seed != nil else { return }
            answer = .read(time)
        case .stumbled, .troubled:
            guard hosts[host].breaker.failuresInARow == 0 else { return }
            answer = if case .stumbled = sign { .stumbled } else { .troubled }
        case .abandoned, .untouched: return
        }
        let name = hosts[host].name
        let source = seed.map {
            AddressRate.Source(
                site: SiteIdentity.site(of: name), seed: SiteIdentity.site(of: $0.url.politenessHost))
        }
        guard addresses[address].take(answer, start: start, source: source, now: now) else { return }
        changedRates.append(address)
        addresses[address].enter(&line, number: address)
    }

    /// The addresses whose rate has changed since the last call, with their requests per second.
    mutating func takeChangedRates() -> [(address: String, perSecond: Double)] {
        defer { changedRates = [] }
        return changedRates.map { (addresses[$0].name, addresses[$0].rate.perSecond) }
    }

    /// Undoes a start that led to no request, as far as no later start depends on it.
    private mutating func takeBackStart(of host: Int, now: Duration) {
        guard let undo = hosts[host].takeBackStart(settings, now: now) else { return }
        if lastStart == undo.start { rateOpenAt = undo.rateOpenAt }
        if let address = hosts[host].address, let before = undo.address {
            addresses[address].takeBackStart(undo.start, before: before, now: now)
            addresses[address].enter(&line, number: address)
        }
    }

    /// Sets the crawl delay from a robots.txt of the host; nil if it has none.
    mutating func setCrawlDelay(_ delay: Duration?, host name: String) {
        guard hosts.number(of: name) != nil || delay ?? .zero > .zero else { return }
        let host = number(of: name)
        let longest = settings.rules[hosts[host].rules].maximumCrawlDelay
        let (isChanged, opensLater) = hosts[host].setCrawlDelay(delay, atMost: longest)
        if isChanged { markChanged(host) }
        if opensLater, let lastAsked = hosts[host].lastAsked { refresh(host, now: lastAsked) }
    }

    /// Removes all waiting turns of a host, because the run leaves it.
    public mutating func removeAll(host name: String) -> [Turn] {
        guard let host = hosts.number(of: name) else { return [] }
        let turns = hosts[host].removeAll()
        queuedCount -= turns.count
        queuedVisits -= turns.count { if case .visit = $0 { true } else { false } }
        return turns
    }

    /// Removes the waiting requests of pages' scripts to a host.
    mutating func removeScripts(
        host name: String, now: Duration, where isRemoved: (SiteFileRequest) -> Bool
    ) -> [SiteFileRequest] {
        guard let host = hosts.number(of: name) else { return [] }
        let files = hosts[host].removeScripts(where: isRemoved)
        queuedCount -= files.count
        refresh(host, now: now)
        return files
    }

    /// Removes all waiting turns, because the run ends.
    public mutating func removeAll() -> [Turn] {
        hosts.numbers.keys.sorted().flatMap { removeAll(host: $0) }
    }

    // MARK: Clocks

    /// Marks that the host's clock must be stored, because the next run cannot learn the change politely by itself. A mere
    /// request is not marked: a resumed run pauses before it asks a known host again, and storing each request would be
    /// expensive.
    private mutating func markChanged(_ host: Int) {
        guard settings.notesChangedClocks, !hosts[host].isChanged else { return }
        hosts[host].isChanged = true
        changedHosts.append(host)
    }

    /// The clocks of hosts about which something was learnt since the last call: a failure or its end, a Crawl-delay, an
    /// address. Needs `Settings.notesChangedClocks`.
    mutating func takeChangedClocks(now: Duration) -> [HostClock] {
        defer { changedHosts = [] }
        let date = quietTimes.date(at: now)
        return changedHosts.map { host in
            hosts[host].isChanged = false
            return hosts[host].clock(savedAt: date, now: now)
        }
    }

    /// Takes over what an earlier run knew of a host. For a host that is known already, the longer rest and the longer crawl
    /// delay count. The host and its address are not asked before their delay has passed from now on, and no host is asked
    /// before the interval of the crawl's rate has passed. The reason: the earlier run may have been killed a moment ago with a
    /// request in flight, and the machine's calendar may have been set.
    public mutating func restore(_ clock: HostClock, now: Duration) {
        let isNew = !knows(host: clock.host)
        let host = number(of: clock.host)
        let passed = quietTimes.date(at: now).timeIntervalSince(clock.savedAt)
        let rest =
            min(max(clock.rest, .zero), Self.longestRestoredRest)
            - .milliseconds(Int64(min(max(passed, 0), 1e12) * 1000))
        if isNew {
            hosts[host].restore(clock, rest: rest, now: now)
            if let address = clock.address { learn(address, of: host) }
        }
        if let crawlDelay = clock.crawlDelay {
            setCrawlDelay(crawlDelay, host: clock.host)
            hosts[host].isCrawlDelayEarlier = isNew
        }
        // What trouble has added to the delay is part of the rest. Counted anew in each run, it would be longer than short runs are.
        hosts[host].openAt = max(hosts[host].openAt, now + max(rest, hosts[host].leastDelay))
        if lastStart == 0 { rateOpenAt = max(rateOpenAt, now + settings.interval) }
        refresh(host, now: now)
    }
}
