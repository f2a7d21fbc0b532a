import Foundation
import HeapModule

/// A host of the schedule: its waiting turns, its place in the line, and what its answers have shown.
struct ScheduledHost: Sendable {
    /// A waiting turn, ordered by its priority or by its time, then by arrival.
    private struct Waiting<Key: Comparable & Sendable>: Comparable, Sendable {
        let turn: PolitenessSchedule.Turn
        let key: Key
        let arrival: Int
        static func < (a: Self, b: Self) -> Bool { (a.key, a.arrival) < (b.key, b.arrival) }
        static func == (a: Self, b: Self) -> Bool { a.arrival == b.arrival }
    }

    /// The changes outside of the host that its last start caused. They are undone if the start led to no request.
    struct Undo: Sendable {
        let start: Int
        let lastStart: Duration?
        let rateOpenAt: Duration
        /// Nil if it has no address.
        let address: SharedAddress.Asked?
    }

    let name: String
    /// The index of its rules in the settings.
    let rules: Int
    let connections: Int
    private let minimumDelay: Duration
    private let nearestFirst: Bool
    private var ready = Heap<Waiting<Int>>()
    private var delayed = Heap<Waiting<Duration>>()
    private var arrivals = 0
    var inFlight = 0
    /// The time before which no request is made.
    var openAt = Duration.zero
    private(set) var lastStart: Duration?
    /// Whether this run has asked it. One that an earlier run knew has a `lastStart` without that (`restore`).
    private(set) var wasAsked = false
    var lastEnd: Duration?
    private var crawlDelay: Duration?
    /// Whether `crawlDelay` comes from an earlier run. The first robots.txt read in this run replaces it.
    var isCrawlDelayEarlier = false
    /// The moving average of the time to the first byte.
    private var responseTime = Duration.zero
    private(set) var breaker = HostBreaker()
    /// The trouble with the last request (`RequestFailure.detail`); nil once the host has answered.
    var trouble: String?
    /// The addresses of its name.
    var addresses: HostAddresses
    /// The number of its address; nil if the address is not known or has no delay.
    private(set) var address: Int?
    private(set) var addressName: String?
    /// The place in line: the time from which it waits, and the ticket of its valid entry; 0 if it has none.
    var dueAt: Duration?
    private(set) var ticket = 0
    private var undo: Undo?
    /// Whether its clock must be stored.
    var isChanged = false

    init(_ name: String, _ settings: PolitenessSchedule.Settings) {
        self.name = name
        rules = settings.rulesIndex(host: name)
        connections = settings.rules[rules].connections
        minimumDelay = settings.minimumDelay(host: name, rules: rules)
        addresses = HostAddresses(of: name, looksUp: settings.looksUp)
        nearestFirst = settings.nearestFirst
    }

    // MARK: Turns

    var queued: Int { ready.count + delayed.count }
    /// Whether one more request may be in flight.
    var hasRoom: Bool { inFlight < (breaker.isClosed ? connections : 1) }
    /// The turn that comes next.
    var nextTurn: PolitenessSchedule.Turn? { ready.min?.turn ?? delayed.min?.turn }
    /// The time of its first turn, if all of them wait for one.
    var delayedUntil: Duration? { ready.isEmpty ? delayed.min?.key : nil }

    mutating func add(_ turn: PolitenessSchedule.Turn, notBefore: Duration?) {
        arrivals += 1
        if let notBefore {
            delayed.insert(Waiting(turn: turn, key: notBefore, arrival: arrivals))
        } else {
            ready.insert(Waiting(turn: turn, key: turn.priority(nearestFirst: nearestFirst), arrival: arrivals))
        }
    }

    /// Makes turns ready whose time has come.
    mutating func makeReady(now: Duration) {
        while let first = delayed.min, first.key <= now {
            delayed.removeMin()
            ready.insert(
                Waiting(turn: first.turn, key: first.turn.priority(nearestFirst: nearestFirst), arrival: first.arrival))
        }
    }

    mutating func takeTurn() -> PolitenessSchedule.Turn? { ready.popMin()?.turn }

    /// Removes all waiting turns.
    mutating func removeAll() -> [PolitenessSchedule.Turn] {
        let turns = ready.unordered.map(\.turn) + delayed.unordered.map(\.turn)
        ready = Heap()
        delayed = Heap()
        leaveLine()
        return turns
    }

    /// Removes waiting requests of pages' scripts.
    mutating func removeScripts(where isRemoved: (SiteFileRequest) -> Bool) -> [SiteFileRequest] {
        var removed: [SiteFileRequest] = []
        func stays(_ turn: PolitenessSchedule.Turn) -> Bool {
            guard case .siteFile(let file) = turn, file.kind == .subresource, isRemoved(file) else { return true }
            removed.append(file)
            return false
        }
        ready = Heap(ready.unordered.filter { stays($0.turn) })
        delayed = Heap(delayed.unordered.filter { stays($0.turn) })
        return removed
    }

    // MARK: Place in line

    /// Puts the host into the line at the time from which it may be asked, or removes it if nothing of it can start.
    mutating func refresh(in line: inout DueLine, number: Int, now: Duration) {
        guard hasRoom, queued > 0 else { return leaveLine() }
        // The host comes back into the line after the look-up.
        guard !addresses.isLookedUp else { return }
        let time = max(openAt, delayedUntil ?? openAt)
        // A host that may already be asked keeps its place when it gets more work.
        if let dueAt, dueAt >= time, dueAt <= max(time, now) { return }
        // A new entry never comes before hosts that wait already.
        enter(&line, number: number, at: max(time, now))
    }

    mutating func enter(_ line: inout DueLine, number: Int, at time: Duration) {
        dueAt = time
        ticket = line.add(.host(number), at: time)
    }

    private mutating func leaveLine() {
        dueAt = nil
        ticket = 0
    }

    /// The entry with which it waits in the line of its address or domain.
    func entry(number: Int, now: Duration) -> DueLine.Entry {
        DueLine.Entry(time: dueAt ?? now, ticket: ticket, place: .host(number))
    }

    /// Begins a look-up of its name, during which it is in no line. Afterwards it returns to its place.
    mutating func beginLookUp(isRefresh: Bool) {
        addresses.beginLookUp(isRefresh: isRefresh)
        ticket = 0
    }

    /// Returns to the line after a look-up.
    mutating func endLookUp(in line: inout DueLine, number: Int, at time: Duration) {
        dueAt = nil
        if hasRoom, queued > 0 { enter(&line, number: number, at: time) }
    }

    // MARK: Requests

    /// The end of its last request, or the start if it may have several in flight: its delay counts from there.
    var lastAsked: Duration? { connections == 1 ? lastEnd : lastStart }

    /// The delay that the operator and its robots.txt ask for.
    var leastDelay: Duration { max(minimumDelay, crawlDelay ?? .zero) }

    func delay(_ settings: PolitenessSchedule.Settings) -> Duration {
        let delay = leastDelay
        guard settings.adaptive else { return delay }
        let adapted = max(delay, responseTime * PolitenessSchedule.responseTimeFactor)
        // Trouble doubles the delay, up to 32 times, until the host answers again.
        let strained = adapted * (1 << min(breaker.failuresInARow, 5))
        return max(delay, min(strained, PolitenessSchedule.maximumAdaptiveDelay))
    }

    /// Starts a request.
    mutating func begin(_ settings: PolitenessSchedule.Settings, undo: Undo, now: Duration) {
        addresses.grant()
        self.undo = undo
        inFlight += 1
        breaker.began()
        lastStart = now
        wasAsked = true
        openAt = now + delay(settings)
        dueAt = nil
    }

    /// Undoes the last start, because it led to no request.
    ///
    /// - Returns: what it changed outside; nil if it is not known which of several turns this was.
    mutating func takeBackStart(_ settings: PolitenessSchedule.Settings, now: Duration) -> Undo? {
        breaker.endedUntouched(now: now)
        guard connections == 1, let undo else { return nil }
        self.undo = nil
        // A longer delay that was learnt since counts from the end of the last request.
        openAt = max(now, lastEnd.map { $0 + delay(settings) } ?? now)
        lastStart = undo.lastStart
        return undo
    }

    /// Takes what a request has shown.
    ///
    /// - Parameter hasAnotherAddress: whether an address was not tried yet. Then the host itself may be well.
    mutating func take(
        _ sign: PolitenessSchedule.HostSign, hasAnotherAddress: Bool, _ settings: PolitenessSchedule.Settings,
        now: Duration
    ) -> PolitenessSchedule.Verdict {
        switch sign {
        case .untouched: break
        case .abandoned: breaker.endedUntouched(now: now)
        case .answered(let time, let isError):
            breaker.succeeded()
            let average = responseTime == .zero ? time : (responseTime * 3 + time) / 4
            responseTime = isError ? max(responseTime, average) : average
        case .stumbled: breaker.failed(isTrouble: false, atLeast: .zero, firstRest: settings.rest, now: now)
        case .troubled(let retryAfter):
            breaker.failed(
                isTrouble: !hasAnotherAddress, atLeast: retryAfter ?? .zero, firstRest: settings.rest, now: now)
        }
        if case .open(let until) = breaker.state { openAt = max(openAt, until) }
        let delay = delay(settings)
        if connections == 1 { openAt = max(openAt, now + delay) }
        if breaker.failuresInARow >= PolitenessSchedule.maximumFailuresInARow {
            return .suspend(until: max(openAt, now + settings.maximumWait))
        }
        // A host's ordinary delay does not count as rest, however long the operator or its robots.txt made it.
        return openAt - now > max(settings.maximumWait, delay) ? .suspend(until: openAt) : .goOn
    }

    // MARK: What is remembered

    /// Takes the crawl delay of a robots.txt. The longest of the host's origins counts; one from an earlier run holds until this
    /// run has read a robots.txt.
    mutating func setCrawlDelay(_ delay: Duration?, atMost longest: Duration) -> (isChanged: Bool, opensLater: Bool) {
        var isChanged = isCrawlDelayEarlier
        if isCrawlDelayEarlier { (isCrawlDelayEarlier, crawlDelay) = (false, nil) }
        guard let delay, delay > .zero else { return (isChanged, false) }
        let capped = min(delay, longest)
        if capped > crawlDelay ?? .zero {
            crawlDelay = capped
            isChanged = true
        }
        guard let lastAsked, lastAsked + capped > openAt else { return (isChanged, false) }
        openAt = lastAsked + capped
        return (isChanged, true)
    }

    /// Notes its address.
    ///
    /// - Parameter number: nil if it has no delay.
    mutating func move(to name: String, number: Int?) {
        // It may be in the line of its address until now. That entry is skipped from now on.
        if address != nil { dueAt = nil }
        (addressName, address) = (name, number)
    }

    /// Takes over what an earlier run knew of a host that was not known yet. It counts as asked now.
    ///
    /// - Parameter rest: what is left of its rest.
    mutating func restore(_ clock: HostClock, rest: Duration, now: Duration) {
        (lastStart, lastEnd) = (now, now)
        responseTime = min(max(clock.responseTime, .zero), PolitenessSchedule.maximumAdaptiveDelay)
        breaker.failuresInARow = max(0, clock.failuresInARow)
        breaker.openings = max(0, clock.openings)
        if clock.openings > 0 { breaker.state = .open(until: now + max(rest, .zero)) }
        trouble = clock.trouble
    }

    func clock(savedAt date: Date, now: Duration) -> HostClock {
        HostClock(
            host: name, savedAt: date, rest: max(.zero, openAt - now), crawlDelay: crawlDelay,
            responseTime: responseTime, failuresInARow: breaker.failuresInARow, openings: breaker.openings,
            address: addressName, trouble: trouble)
    }

    /// Whether nothing is left to remember. A crawl delay is remembered as long as the rules it comes from.
    func isForgettable(now: Duration) -> Bool {
        queued == 0 && inFlight == 0 && openAt <= now && crawlDelay == nil && breaker.isClosed && !isChanged
            && !addresses.isLookedUp
    }
}
