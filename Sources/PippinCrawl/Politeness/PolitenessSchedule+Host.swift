import Foundation
import HeapModule

// What the schedule knows of a host and of an address, and the delays that follow from it.

extension PolitenessSchedule {
    struct Queued: Comparable {
        let turn: Turn
        let priority: Int
        let sequence: Int
        static func < (a: Queued, b: Queued) -> Bool { (a.priority, a.sequence) < (b.priority, b.sequence) }
        static func == (a: Queued, b: Queued) -> Bool { a.sequence == b.sequence }
    }

    struct Delayed: Comparable {
        let turn: Turn
        let due: Duration
        let sequence: Int
        static func < (a: Delayed, b: Delayed) -> Bool { (a.due, a.sequence) < (b.due, b.sequence) }
        static func == (a: Delayed, b: Delayed) -> Bool { a.sequence == b.sequence }
    }

    struct Host {
        let name: String
        /// Index of its rules in the settings.
        let rules: Int
        let connections: Int
        let minimumDelay: Duration
        var ready = Heap<Queued>()
        var delayed = Heap<Delayed>()
        var inFlight = 0
        /// No request before this time.
        var openAt: Duration
        var lastStart: Duration?
        var lastEnd: Duration?
        var crawlDelay: Duration?
        /// Whether it is what an earlier run read: the first robots.txt that this one reads decides anew.
        var isCrawlDelayEarlier = false
        /// Moving average of the time to first byte.
        var responseTime = Duration.zero
        var breaker = HostBreaker()
        /// What went wrong with the last request (`RequestFailure.detail`); nil once the host has answered.
        var trouble: String?
        /// Slot of the address that it is asked at; nil when it is not known, or has no delay.
        var address: Int?
        var addressName: String?
        var lookUp = LookUp.notNeeded
        /// Where the last look-up found it, which of these it is asked at, and how many in a row were tried in vain.
        var found: [NetworkAddress] = []
        var tried = 0
        var triedInVain = 0
        /// For the turn that started last.
        var permit: Result<[NetworkAddress], FetchError> = .success([])
        /// Where it stands in line: the time from which it waits, and the entry that speaks for it; older ones are skipped.
        var dueAt: Duration?
        var ticket = 0
        var undo: Undo?
        var isChanged = false

        var isIdle: Bool { ready.isEmpty && delayed.isEmpty && inFlight == 0 }
        var queued: Int { ready.count + delayed.count }
        /// Whether one more request may be in flight.
        var hasRoom: Bool { inFlight < (breaker.isClosed ? connections : 1) }
    }

    /// What the last start of a host changed beyond it, to be taken back when no request came of it.
    struct Undo {
        let start: Int
        let lastStart: Duration?
        let rateOpenAt: Duration
        let addressOpenAt: Duration
    }

    /// An address with a delay, and the hosts that are due but for it.
    struct Address {
        let name: String
        let delay: Duration
        var openAt: Duration
        var waiting = Heap<Due>()
        /// Hosts that it is the address of.
        var hosts = 0
        /// The entry in the line of all that speaks for it; 0 while there is none.
        var ticket = 0
        /// When that entry is due.
        var standsAt = Duration.zero
        /// Number of the start that set `openAt`, and when that was.
        var lastStart = 0
        var startedAt = Duration.zero
        /// What the failures of its hosts, one after the other, lead to.
        var breaker = HostBreaker()
        /// The host that failed last, if nothing was answered since.
        var lastFailing: Int?

        /// It failed as often in a row as a host that is left for the next run.
        var isLeft: Bool {
            guard case .open = breaker.state else { return false }
            return breaker.failuresInARow >= PolitenessSchedule.maximumFailuresInARow
        }
    }

    /// A place in line.
    struct Due: Comparable {
        enum Place {
            case host(Int)
            case address(Int)
            case domain(Int)
            /// All look-ups.
            case lookUps
        }

        let time: Duration
        let ticket: Int
        let place: Place
        static func < (a: Due, b: Due) -> Bool { (a.time, a.ticket) < (b.time, b.ticket) }
        static func == (a: Due, b: Due) -> Bool { a.ticket == b.ticket }
    }

    // MARK: Delays

    /// The delay between two requests that a host has now, outside of quiet hours.
    public func delay(host name: String) -> Duration {
        hosts[name].map { delay(of: slots[$0]) }
            ?? settings.minimumDelay(host: name, rules: settings.rulesIndex(host: name))
    }

    /// How many requests to a host may be in flight.
    public func connections(host name: String) -> Int {
        hosts[name].map { slots[$0].connections } ?? settings.rules[settings.rulesIndex(host: name)].connections
    }

    func delay(of host: Host) -> Duration {
        var delay = max(host.minimumDelay, host.crawlDelay ?? .zero)
        if settings.adaptive {
            let adapted = max(delay, host.responseTime * Self.responseTimeFactor)
            // Trouble doubles the delay, up to 32 times, until the host answers again.
            let strained = adapted * (1 << min(host.breaker.failuresInARow, 5))
            delay = max(delay, min(strained, Self.maximumAdaptiveDelay))
        }
        return delay
    }

    // MARK: Quiet hours

    /// Whether it is a quiet hour, and until when.
    struct QuietState {
        /// The minute it was found out for, since 1970: hours begin and end with whole minutes.
        var minute = Double.nan
        var until: Date?
    }

    /// The end of the quiet time that now lies in; nil when it is not quiet.
    mutating func quietEnd(_ quiet: Settings.Quiet, _ index: Int, now: Duration) -> Duration? {
        let date = calendarStart.addingTimeInterval(now / .seconds(1))
        let minute = (date.timeIntervalSince1970 / 60).rounded(.down)
        if quietStates[index].minute != minute {
            quietStates[index] = QuietState(minute: minute, until: quiet.hours.end(at: date))
        }
        return quietStates[index].until.map {
            now + .milliseconds(Int64(($0.timeIntervalSince(date) * 1000).rounded(.up)))
        }
    }

    /// The end of quiet hours that close the whole crawl now; nil outside of them.
    mutating func closedUntil(now: Duration) -> Duration? {
        guard let quiet = settings.quiet, quiet.delay == nil else { return nil }
        return quietEnd(quiet, 0, now: now)
    }

    enum QuietRule {
        case none
        /// No request before this time.
        case slowed(until: Duration)
        case closed(until: Duration)
    }

    /// What quiet hours, the host's own and everybody's, say of a request that is otherwise due now.
    mutating func quietRule(of slot: Int, now: Duration) -> QuietRule {
        var slowedUntil = now
        let index = slots[slot].rules
        for (quiet, index) in [(settings.rules[index].quiet, index), (settings.quiet, 0)] {
            guard let quiet, let end = quietEnd(quiet, index, now: now) else { continue }
            guard let delay = quiet.delay else { return .closed(until: end) }
            let last = slots[slot].connections == 1 ? slots[slot].lastEnd : slots[slot].lastStart
            if let last { slowedUntil = max(slowedUntil, min(end, last + delay)) }
        }
        return slowedUntil > now ? .slowed(until: slowedUntil) : .none
    }

    // MARK: Addresses

    /// The host is at an address: a look-up, or an answer, has shown it. Addresses of one machine are one
    /// (`NetworkAddress.machine`).
    mutating func learn(_ text: String, of slot: Int, now: Duration) {
        guard slots[slot].addressName != text else { return }
        forgetAddress(of: slot)
        slots[slot].addressName = text
        let delay = settings.delay(address: text)
        guard delay > .zero else { return }
        let name = NetworkAddress(text)?.machine.description ?? text
        let address: Int
        if let known = addresses[name] {
            address = known
        } else {
            let new = Address(name: name, delay: delay, openAt: .zero)
            if let free = freeAddressSlots.popLast() {
                address = free
                addressSlots[free] = new
            } else {
                address = addressSlots.count
                addressSlots.append(new)
            }
            addresses[name] = address
        }
        addressSlots[address].hosts += 1
        slots[slot].address = address
        markChanged(slot)
        // The request that told it was one to the address as well.
        if let start = slots[slot].lastStart {
            addressSlots[address].openAt = max(addressSlots[address].openAt, start + delay)
            // A start that is taken back must not take this one back with it.
            addressSlots[address].lastStart = 0
        }
    }

    mutating func forgetAddress(of slot: Int) {
        guard let address = slots[slot].address else { return }
        addressSlots[address].hosts -= 1
        slots[slot].address = nil
        // It may stand in the address's line; its entry there is skipped from now on.
        slots[slot].dueAt = nil
    }

    /// Why a host's next turn does not start now.
    public enum Hold: Sendable, Equatable {
        /// Nothing of it waits.
        case nothingQueued
        /// It may be asked now.
        case none
        /// As many requests as it may have are in flight.
        case busy
        /// Its delay has not passed, or its next request is one for later.
        case delay(until: Duration)
        /// It failed, or asked to be left alone.
        case resting(until: Duration, failuresInARow: Int)
        case quietHours(until: Duration)
        /// Another host on its address was asked a moment ago, or is before it in line.
        case address(String, until: Duration)
        /// So many hosts in a row on its address could not be reached.
        case addressResting(String, until: Duration, failuresInARow: Int)
        /// Its name has to be looked up first.
        case lookUp
    }

    /// Why a host waits; for people who want to know.
    public func hold(host name: String, now: Duration) -> Hold {
        guard let slot = hosts[name] else { return .nothingQueued }
        let host = slots[slot]
        guard host.queued > 0 else { return .nothingQueued }
        guard host.hasRoom else { return .busy }
        if case .open(let until) = host.breaker.state, until > now {
            return .resting(until: until, failuresInARow: host.breaker.failuresInARow)
        }
        var copy = self
        switch copy.quietRule(of: slot, now: now) {
        case .closed(let until), .slowed(let until): return .quietHours(until: until)
        case .none: break
        }
        var open = host.openAt
        if host.ready.isEmpty, let delayed = host.delayed.min { open = max(open, delayed.due) }
        if open > now { return .delay(until: open) }
        if isLookedUp(slot) || needsLookUp(slot, now: now) { return .lookUp }
        if let address = host.address, case .open(let until) = addressSlots[address].breaker.state, until > now {
            return .addressResting(
                addressSlots[address].name, until: until,
                failuresInARow: addressSlots[address].breaker.failuresInARow)
        }
        if let address = host.address, addressSlots[address].openAt > now {
            return .address(addressSlots[address].name, until: addressSlots[address].openAt)
        }
        return .none
    }

    /// What went wrong with the last request to a host; nil when it was answered.
    public func trouble(host name: String) -> RequestFailure.Words? {
        hosts[name].flatMap { slots[$0].trouble }.flatMap { RequestFailure.Words(detail: $0) }
    }

    /// The hosts whose last request went wrong.
    var troubles: [String: RequestFailure.Words] {
        hosts.compactMapValues { slots[$0].trouble.flatMap { RequestFailure.Words(detail: $0) } }
    }

    /// The host that may be asked first of those with work, as `next` has found when it said `.wait`.
    func firstInLine(now: Duration) -> String? {
        // Entries that are skipped were dropped when `next` looked.
        guard let first = due.min, isCurrent(first) else { return nil }
        return firstHost(in: first.place)
    }

    private func firstHost(in place: Due.Place) -> String? {
        let line: Heap<Due>
        switch place {
        case .host(let slot): return slots[slot].name
        case .address(let address): line = addressSlots[address].waiting
        case .domain(let domain): line = domainSlots[domain].waiting
        case .lookUps: line = lookUps.waiting
        }
        for entry in line.unordered {
            switch entry.place {
            case .host(let slot) where slots[slot].ticket == entry.ticket: return slots[slot].name
            case .domain(let domain) where domainSlots[domain].ticket == entry.ticket: return firstHost(in: entry.place)
            case .host, .domain, .address, .lookUps: continue
            }
        }
        return nil
    }

    /// The hosts with work and until when they rest, when each of them rests for longer than `patience`; nil when one does
    /// not. The ordinary pause between two requests is no rest, however long it is.
    func restingHosts(longerThan patience: Duration, now: Duration) -> [(host: String, until: Duration)]? {
        var resting: [(host: String, until: Duration)] = []
        for (name, slot) in hosts {
            let host = slots[slot]
            guard host.queued > 0 else { continue }
            guard host.inFlight == 0, !isLookedUp(slot) else { return nil }
            var until = Duration.zero
            if case .open(let end) = host.breaker.state { until = end }
            if let address = host.address, case .open(let end) = addressSlots[address].breaker.state {
                until = max(until, end)
            }
            if host.ready.isEmpty, let delayed = host.delayed.min { until = max(until, delayed.due) }
            guard until - now > patience else { return nil }
            resting.append((name, until))
        }
        return resting.sorted { $0.host < $1.host }
    }

    /// What its failures have led to.
    func breaker(host name: String) -> HostBreaker {
        hosts[name].map { slots[$0].breaker } ?? HostBreaker()
    }
}
