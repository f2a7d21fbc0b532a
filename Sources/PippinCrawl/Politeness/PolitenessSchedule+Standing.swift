// What the schedule says of its hosts, without a change.

extension PolitenessSchedule {
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
        guard let host = hosts.number(of: name).map({ hosts[$0] }) else { return .nothingQueued }
        guard host.queued > 0 else { return .nothingQueued }
        guard host.hasRoom else { return .busy }
        if case .open(let until) = host.breaker.state, until > now {
            return .resting(until: until, failuresInARow: host.breaker.failuresInARow)
        }
        var quiet = quietTimes
        switch quiet.effect(rules: host.rules, lastAsked: host.lastAsked, now: now) {
        case .closed(let until), .slowed(let until): return .quietHours(until: until)
        case .none: break
        }
        let open = max(host.openAt, host.delayedUntil ?? host.openAt)
        if open > now { return .delay(until: open) }
        if host.addresses.isLookedUp || host.addresses.needsLookUp(now: now) { return .lookUp }
        guard let address = host.address.map({ addresses[$0] }) else { return .none }
        if case .open(let until) = address.breaker.state, until > now {
            return .addressResting(address.name, until: until, failuresInARow: address.breaker.failuresInARow)
        }
        return address.openAt > now ? .address(address.name, until: address.openAt) : .none
    }

    /// The trouble with the last request to a host; nil if it was answered.
    public func trouble(host name: String) -> RequestFailure? {
        hosts.number(of: name).flatMap { hosts[$0].trouble }.flatMap { RequestFailure(detail: $0) }
    }

    /// The hosts whose last request failed, with their trouble.
    var troubles: [String: RequestFailure] {
        hosts.numbers.compactMapValues { hosts[$0].trouble.flatMap { RequestFailure(detail: $0) } }
    }

    /// The host with work that may be asked first. Valid after `next` returned `.wait`.
    func firstInLine(now: Duration) -> String? {
        // `next` has already dropped outdated entries at the front.
        guard let first = line.first, isCurrent(first) else { return nil }
        let host: Int? =
            switch first.place {
            case .host(let host): host
            case .address(let address):
                addresses[address].unorderedWaiting.lazy.compactMap { entry in
                    if case .host(let host) = entry.place, isCurrent(entry) { host } else { nil }
                }.first
            case .domain(let domain): lookUps.waitingHost(domain: domain, hosts)
            case .lookUps: lookUps.waitingHost(domain: nil, hosts)
            }
        return host.map { hosts[$0].name }
    }

    /// The hosts with work and the ends of their rests, if each of them rests for longer than `patience`; otherwise nil. The
    /// ordinary delay between two requests does not count as rest, however long it is.
    func restingHosts(longerThan patience: Duration, now: Duration) -> [(host: String, until: Duration)]? {
        var resting: [(host: String, until: Duration)] = []
        for (name, number) in hosts.numbers {
            let host = hosts[number]
            guard host.queued > 0 else { continue }
            guard host.inFlight == 0, !host.addresses.isLookedUp else { return nil }
            let rest = restEnd(of: host)
            let until = max(rest, host.delayedUntil ?? rest)
            guard until - now > patience else { return nil }
            resting.append((name, until))
        }
        return resting.sorted { $0.host < $1.host }
    }

    /// The end of the rest of a host or of its address; zero if neither rests.
    private func restEnd(of host: ScheduledHost) -> Duration {
        var until = Duration.zero
        if case .open(let end) = host.breaker.state { until = end }
        if let address = host.address, case .open(let end) = addresses[address].breaker.state {
            until = max(until, end)
        }
        return until
    }

    /// How long a host makes no answer possible from now on: it rests, its address does, or its quiet hours close it. Zero if it may
    /// be asked as soon as its delay has passed.
    func rest(host name: String, now: Duration) -> Duration {
        guard let host = hosts.number(of: name).map({ hosts[$0] }) else { return .zero }
        var until = max(now, restEnd(of: host))
        var quiet = quietTimes
        if case .closed(let end) = quiet.effect(rules: host.rules, lastAsked: host.lastAsked, now: now) {
            until = max(until, end)
        }
        return until - now
    }

    /// The breaker of a host.
    func breaker(host name: String) -> HostBreaker {
        hosts.number(of: name).map { hosts[$0].breaker } ?? HostBreaker()
    }

    /// Whether the host has an address that has not been tried since its last one failed.
    func hasAnotherAddress(host name: String) -> Bool {
        hosts.number(of: name).map { hosts[$0].addresses.hasAnother } ?? false
    }

    // MARK: Delays and counts

    /// A host's current delay between two requests, outside of quiet hours.
    public func delay(host name: String) -> Duration {
        hosts.number(of: name).map { hosts[$0].delay(settings) }
            ?? settings.minimumDelay(host: name, rules: settings.rulesIndex(host: name))
    }

    /// The number of requests to a host that may be in flight.
    public func connections(host name: String) -> Int {
        hosts.number(of: name).map { hosts[$0].connections }
            ?? settings.rules[settings.rulesIndex(host: name)].connections
    }

    /// The time between two requests of all processes that this one finds fit, for each address that it can judge.
    var fitIntervals: [String: Duration] { addresses.numbers.compactMapValues { addresses[$0].fitInterval } }

    var hostCount: Int { hosts.count }

    /// The number of hosts with waiting turns.
    var hostsWithWork: Int { hosts.numbers.values.count { hosts[$0].queued > 0 } }

    /// The time from which a host with waiting turns may be asked, as far as the host itself decides; nil if it cannot be now.
    func dueAt(host name: String) -> Duration? { hosts.number(of: name).flatMap { hosts[$0].dueAt } }

    func queuedCount(host name: String) -> Int { hosts.number(of: name).map { hosts[$0].queued } ?? 0 }

    // MARK: Clocks

    /// Whether the schedule already has a clock of the host.
    public func knows(host name: String) -> Bool { hosts.number(of: name) != nil }

    /// The clock to keep for a host; nil if the host was never asked.
    public func clock(host name: String, now: Duration) -> HostClock? {
        hosts.number(of: name).map { hosts[$0].clock(savedAt: quietTimes.date(at: now), now: now) }
    }

    /// The clocks to store when the run ends in order: those that changed, and those of hosts that may not be asked yet.
    func clocksToClose(now: Duration) -> [HostClock] {
        let date = quietTimes.date(at: now)
        return hosts.numbers.values.filter { hosts[$0].isChanged || hosts[$0].openAt > now }.map {
            hosts[$0].clock(savedAt: date, now: now)
        }
    }
}
