import Foundation
import HeapModule

/// An address with a delay, which all hosts at it share, and the hosts that are due but must wait for it. With many sites behind it, it
/// may be asked more often than once a delay (`AddressRate`).
///
/// It rests like a host in trouble (`HostBreaker`), when one host after the other fails.
struct SharedAddress: Sendable {
    /// The last request, and what follows from it.
    struct Asked: Sendable {
        /// The time before which no further request is made.
        var openAt: Duration
        /// Nil if it was not asked.
        var startedAt: Duration?
    }

    let name: String
    private let delay: Duration
    private let share: AddressShares.Share
    /// The time between two requests of all processes. Without others, `rate` decides.
    private let interval: Duration
    private(set) var rate: AddressRate
    private(set) var asked: Asked
    /// Hosts that this run has asked, and those that it has not.
    private var waiting = (asked: Heap<DueLine.Entry>(), new: Heap<DueLine.Entry>())
    /// Whether the next request goes to a host that was asked. Both have turns: else all robots.txt of a platform would come before the
    /// first page, or new hosts never.
    private var isTurnOfAsked = false
    /// The number of hosts at this address.
    private var hostCount = 0
    /// The ticket of its entry in the main line; 0 if it has none.
    private(set) var ticket = 0
    /// The time of that entry.
    private var standsAt = Duration.zero
    /// The number of the start that set `asked`.
    private var lastStart = 0
    /// Whether this run has asked it.
    private var isAsked = false
    /// The breaker for failures of different hosts at this address.
    private(set) var breaker = HostBreaker()
    /// The number of the host that failed last; nil after an answer.
    private var lastFailing: Int?

    init(_ name: String, delay: Duration, _ settings: PolitenessSchedule.Settings) {
        (self.name, self.delay, share) = (name, delay, settings.addresses[name])
        let least = min(delay, settings.leastAddressInterval)
        interval = min(max(settings.addresses.interval(of: name) ?? delay, least), delay)
        if case .slots(let slots) = share {
            // Nobody sees the answers of all processes, so none goes faster than all may. The driver hears of what this one finds fit, half
            // of the time at the most.
            let own = slots.share(ofInterval: interval)
            rate = AddressRate(
                slowest: slots.share(ofInterval: delay),
                fastest: slots.share(ofInterval: max(interval / 2, least)), start: own, least: own)
        } else {
            rate = AddressRate(slowest: delay, fastest: least, start: interval)
        }
        // Another process may have asked it a moment before this one began.
        asked = Asked(openAt: settings.addresses.areOfSeveral ? delay : .zero)
    }

    /// The time before which no request is made.
    var openAt: Duration { asked.openAt }

    /// Whether this process may not ask it.
    var isOfOthers: Bool { share == .nothing }

    // MARK: Hosts

    /// Takes a host.
    ///
    /// - Parameter start: of the host's last request. It showed the address, so it was also a request to the address.
    mutating func join(lastStart start: Duration?) {
        hostCount += 1
        guard let start else { return }
        asked.startedAt = max(asked.startedAt ?? start, start)
        asked.openAt = max(openAt, start + pause)
        // If another start is undone, this one must not be undone with it.
        lastStart = 0
    }

    mutating func leave() { hostCount -= 1 }

    func isForgettable(now: Duration) -> Bool { hostCount == 0 && openAt <= now && breaker.isClosed }

    // MARK: Line

    var hasWaiting: Bool { !waiting.asked.isEmpty || !waiting.new.isEmpty }
    var unorderedWaiting: [DueLine.Entry] { waiting.asked.unordered + waiting.new.unordered }

    /// Puts a host into its line.
    mutating func add(_ entry: DueLine.Entry, wasAsked: Bool) {
        if wasAsked { waiting.asked.insert(entry) } else { waiting.new.insert(entry) }
    }

    mutating func takeFirst() -> DueLine.Entry? {
        isTurnOfAsked
            ? waiting.asked.popMin() ?? waiting.new.popMin() : waiting.new.popMin() ?? waiting.asked.popMin()
    }

    /// Puts the address into the main line if hosts wait for it. One entry stands for all of them.
    mutating func enter(_ line: inout DueLine, number: Int) {
        guard hasWaiting else { return }
        // If the address rests for longer than the run waits, its hosts are left at once.
        let time = isLeft ? .zero : openAt
        guard ticket == 0 || time < standsAt else { return }
        standsAt = time
        ticket = line.add(.address(number), at: time)
    }

    /// Gives up its place in the main line, because its entry has come up.
    mutating func leaveLine() { ticket = 0 }

    /// Empties its line, because the address is forgotten.
    mutating func clear() {
        ticket = 0
        waiting = (Heap(), Heap())
    }

    // MARK: Requests

    /// Starts a request. After a probe, the address waits for a whole rest before the next request, unless the probe is answered.
    ///
    /// - Parameter number: of the start.
    mutating func begin(_ number: Int, _ settings: PolitenessSchedule.Settings, calendarStart: Date, now: Duration) {
        breaker.began()
        let rest = breaker.state == .halfOpen ? breaker.rest(first: settings.rest) : .zero
        asked = Asked(openAt: now + max(pause, rest), startedAt: now)
        lastStart = number
        isAsked = true
        isTurnOfAsked.toggle()
        keepToSlots(from: openAt, calendarStart: calendarStart)
    }

    /// Moves the time at which it opens into one of its slots (`AddressSlots`).
    ///
    /// - Parameter time: the earliest time.
    mutating func keepToSlots(from time: Duration, calendarStart: Date) {
        guard case .slots(let slots) = share, openAt <= time else { return }
        let wait = slots.wait(at: calendarStart.timeIntervalSince1970 + time / .seconds(1), delay: interval)
        if wait > .zero { asked.openAt = time + wait }
    }

    /// Undoes a start that led to no request, if no later one depends on it.
    ///
    /// - Parameters:
    ///   - number: of the start.
    ///   - before: what was known before it. What was learnt since, a lower rate or a rest, counts from there.
    mutating func takeBackStart(_ number: Int, before: Asked, now: Duration) {
        guard lastStart == number else { return }
        asked = before
        breaker.endedUntouched(now: now)
        keepToRate()
        if case .open(let until) = breaker.state { asked.openAt = max(openAt, until) }
    }

    /// Takes the end of a request: it answered, or a connection failed.
    ///
    /// - Parameter host: the number of the host that was asked.
    mutating func take(failed: Bool, host: Int, _ settings: PolitenessSchedule.Settings, now: Duration) {
        if failed {
            // Repeated failures of one host are the host's own trouble, not the address's.
            guard lastFailing != host || !breaker.isClosed else { return }
            lastFailing = host
            let isLast = breaker.failuresInARow + 1 >= PolitenessSchedule.maximumFailuresInARow
            breaker.failed(
                isTrouble: false, atLeast: isLast ? settings.maximumWait + .seconds(1) : .zero,
                firstRest: settings.rest, now: now)
            if case .open(let until) = breaker.state { asked.openAt = max(openAt, until) }
        } else {
            lastFailing = nil
            guard breaker.failuresInARow > 0 else { return }
            let wasClosed = breaker.isClosed
            breaker.succeeded()
            // The answered probe needed less time than it was given.
            if !wasClosed, breaker.isClosed, let start = asked.startedAt { asked.openAt = start + pause }
        }
    }

    // MARK: Rate

    /// The time between two requests. At best, the slots alone space them: some lie nearer to each other than others.
    private var pause: Duration {
        if case .slots = share, rate.isLeast { interval } else { rate.interval }
    }

    /// The time between two requests of all processes that this one finds fit; nil if it has not asked, or has too few hosts to judge and
    /// had no trouble.
    var fitInterval: Duration? {
        let fit = if case .slots(let slots) = share { slots.interval(ofShare: rate.fit) } else { rate.fit }
        return isAsked && (hostCount >= AddressRate.sitesOfStep || fit > interval) ? fit : nil
    }

    /// Whether answers can change how often it is asked.
    var canChangeRate: Bool { rate.canChange(hosts: hostCount) }

    /// Takes what an answer shows about how often it may be asked.
    ///
    /// - Returns: whether that has changed.
    mutating func take(
        _ answer: AddressRate.Answer, start: Duration, source: @autoclosure () -> AddressRate.Source?, now: Duration
    ) -> Bool {
        guard rate.take(answer, start: start, source: source(), now: now) else { return false }
        keepToRate()
        return true
    }

    /// Begins with the delay again if nothing was asked for long.
    ///
    /// - Returns: whether that is a change.
    mutating func forgetRateIfIdle(now: Duration) -> Bool {
        guard let start = asked.startedAt, now - start > AddressRate.longestIdle else { return false }
        return rate.beginAnew(now: now)
    }

    /// Lets the next request wait if the interval has become longer.
    private mutating func keepToRate() {
        if let start = asked.startedAt { asked.openAt = max(openAt, start + pause) }
    }

    // MARK: Rest

    /// Whether it failed as often in a row as a host that is left for the next run.
    private var isLeft: Bool {
        guard case .open = breaker.state else { return false }
        return breaker.failuresInARow >= PolitenessSchedule.maximumFailuresInARow
    }

    /// The end of its rest if it is longer than a run waits; otherwise nil. An address that is left stays so until the end of its
    /// rest, even if little of it remains: `enter` relies on it.
    func longRest(_ settings: PolitenessSchedule.Settings, now: Duration) -> Duration? {
        guard case .open(let until) = breaker.state, until > now, isLeft || until - now > settings.maximumWait else {
            return nil
        }
        return until
    }
}
