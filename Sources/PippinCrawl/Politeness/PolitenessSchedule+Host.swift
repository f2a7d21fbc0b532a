import Foundation
import HeapModule

// The schedule's data on a host and on an address, and the delays that follow from it.

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
        /// The index of its rules in the settings.
        let rules: Int
        let connections: Int
        let minimumDelay: Duration
        var ready = Heap<Queued>()
        var delayed = Heap<Delayed>()
        var inFlight = 0
        /// The time before which no request is made.
        var openAt: Duration
        var lastStart: Duration?
        var lastEnd: Duration?
        var crawlDelay: Duration?
        /// Whether `crawlDelay` comes from an earlier run. The first robots.txt read in this run replaces it.
        var isCrawlDelayEarlier = false
        /// The moving average of the time to the first byte.
        var responseTime = Duration.zero
        var breaker = HostBreaker()
        /// The trouble with the last request (`RequestFailure.detail`); nil once the host has answered.
        var trouble: String?
        /// The slot of its address; nil if the address is not known or has no delay.
        var address: Int?
        var addressName: String?
        var lookUp = LookUp.notNeeded
        /// The addresses from the last look-up. `tried` is the index of the one in use, and `triedInVain` counts failed ones in
        /// a row.
        var found: [NetworkAddress] = []
        var tried = 0
        var triedInVain = 0
        /// The permit for the turn that started last.
        var permit: Result<[NetworkAddress], FetchError> = .success([])
        /// The place in line: the time from which it waits, and the number (`ticket`) of its valid entry. Older entries are
        /// skipped.
        var dueAt: Duration?
        var ticket = 0
        var undo: Undo?
        var isChanged = false

        var isIdle: Bool { ready.isEmpty && delayed.isEmpty && inFlight == 0 }
        var queued: Int { ready.count + delayed.count }
        /// Whether nothing is left to remember of the host. A crawl delay is remembered as long as the rules it comes from.
        func isForgettable(now: Duration) -> Bool {
            guard isIdle, openAt <= now, crawlDelay == nil, breaker.isClosed, !isChanged else { return false }
            if case .underWay = lookUp { return false }
            return true
        }

        func delay(isAdaptive: Bool) -> Duration {
            let delay = max(minimumDelay, crawlDelay ?? .zero)
            guard isAdaptive else { return delay }
            let adapted = max(delay, responseTime * PolitenessSchedule.responseTimeFactor)
            // Trouble doubles the delay, up to 32 times, until the host answers again.
            let strained = adapted * (1 << min(breaker.failuresInARow, 5))
            return max(delay, min(strained, PolitenessSchedule.maximumAdaptiveDelay))
        }

        /// Whether one more request may be in flight.
        var hasRoom: Bool { inFlight < (breaker.isClosed ? connections : 1) }
    }

    /// The changes outside of the host that its last start caused. They are undone if the start led to no request.
    struct Undo {
        let start: Int
        let lastStart: Duration?
        let rateOpenAt: Duration
        let addressOpenAt: Duration
    }

    /// An address with a delay, and the hosts that are due but must wait for it.
    struct Address {
        let name: String
        let delay: Duration
        /// When its requests may begin, if other processes ask it too.
        var slots: AddressSlots?
        var openAt: Duration
        var waiting = Heap<Due>()
        /// The number of hosts at this address.
        var hosts = 0
        /// The ticket of its entry in the main line; 0 if it has none.
        var ticket = 0
        /// The time of that entry.
        var standsAt = Duration.zero
        /// The number of the start that set `openAt`, and its time.
        var lastStart = 0
        var startedAt = Duration.zero
        /// The breaker for failures of different hosts at this address.
        var breaker = HostBreaker()
        /// The host that failed last; nil after an answer.
        var lastFailing: Int?

        /// Whether it failed as often in a row as a host that is left for the next run.
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
            /// The line of all look-ups.
            case lookUps
        }

        let time: Duration
        let ticket: Int
        let place: Place
        static func < (a: Due, b: Due) -> Bool { (a.time, a.ticket) < (b.time, b.ticket) }
        static func == (a: Due, b: Due) -> Bool { a.ticket == b.ticket }
    }

    // MARK: Delays

    /// A host's current delay between two requests, outside of quiet hours.
    public func delay(host name: String) -> Duration {
        hosts[name].map { delay(of: $0) }
            ?? settings.minimumDelay(host: name, rules: settings.rulesIndex(host: name))
    }

    /// The number of requests to a host that may be in flight.
    public func connections(host name: String) -> Int {
        hosts[name].map { slots[$0].connections } ?? settings.rules[settings.rulesIndex(host: name)].connections
    }

    /// Asks the host in its place: a copy would count references for everything that a host holds.
    func delay(of slot: Int) -> Duration { slots[slot].delay(isAdaptive: settings.adaptive) }

    // MARK: Quiet hours

    /// Whether it is a quiet hour now, and its end.
    struct QuietState {
        /// The minute since 1970 for which `end` was computed. Quiet hours begin and end on whole minutes.
        var minute = Double.nan
        var until: Date?
    }

    /// The end of the quiet time around `now`; nil if it is not quiet.
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

    /// The end of the quiet hours that close the whole crawl now; nil if it is open.
    mutating func closedUntil(now: Duration) -> Duration? {
        guard let quiet = settings.quiet, quiet.delay == nil else { return nil }
        return quietEnd(quiet, 0, now: now)
    }

    enum QuietRule {
        case none
        /// No request is made before this time.
        case slowed(until: Duration)
        case closed(until: Duration)
    }

    /// The effect of quiet hours, both of the host and of the whole crawl, on a request that is otherwise due now.
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

    /// Notes the host's address from a look-up or an answer. Addresses of one machine count as one (`NetworkAddress.machine`).
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
            let new = Address(name: name, delay: delay, slots: settings.slots(address: name), openAt: .zero)
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
        // The host's last request, which showed the address, was also a request to the address.
        if let start = slots[slot].lastStart {
            addressSlots[address].openAt = max(addressSlots[address].openAt, start + delay)
            // If another start is undone, this one must not be undone with it.
            addressSlots[address].lastStart = 0
        }
    }

    mutating func forgetAddress(of slot: Int) {
        guard let address = slots[slot].address else { return }
        addressSlots[address].hosts -= 1
        slots[slot].address = nil
        // The host may be in the address's line. That entry is skipped from now on.
        slots[slot].dueAt = nil
    }

    /// The reason why a host's next turn does not start now.
    public enum Hold: Sendable, Equatable {
        /// The host has no work.
        case nothingQueued
        /// The host may be asked now.
        case none
        /// The host has as many requests in flight as it may have.
        case busy
        /// Its delay has not passed, or its next request is for later.
        case delay(until: Duration)
        /// It failed, or asked for a rest.
        case resting(until: Duration, failuresInARow: Int)
        case quietHours(until: Duration)
        /// Another host at its address was asked a moment ago, or comes first.
        case address(String, until: Duration)
        /// This many different hosts in a row could not be reached at its address.
        case addressResting(String, until: Duration, failuresInARow: Int)
        /// Its name must be looked up first.
        case lookUp
    }

    /// The reason why a host waits, for people.
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

    /// The trouble with the last request to a host; nil if it was answered.
    public func trouble(host name: String) -> RequestFailure? {
        hosts[name].flatMap { slots[$0].trouble }.flatMap { RequestFailure(detail: $0) }
    }

    /// The hosts whose last request failed, with their trouble.
    var troubles: [String: RequestFailure] {
        hosts.compactMapValues { slots[$0].trouble.flatMap { RequestFailure(detail: $0) } }
    }

    /// The host with work that may be asked first. Valid after `next` returned `.wait`.
    func firstInLine(now: Duration) -> String? {
        // `next` has already dropped outdated entries at the front.
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

    /// The hosts with work and the ends of their rests, if each of them rests for longer than `patience`; otherwise nil. The
    /// ordinary delay between two requests does not count as rest, however long it is.
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

    /// The breaker of a host.
    func breaker(host name: String) -> HostBreaker {
        hosts[name].map { slots[$0].breaker } ?? HostBreaker()
    }
}
