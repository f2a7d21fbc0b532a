import Foundation

/// What must outlive a run so that the next one is as polite: when a host may be asked again, and what it taught us.
///
/// A frontier that is kept saves the clocks that `PolitenessSchedule.takeChangedClocks` hands out, and gives each back with
/// `restore` before the first turn of its host is added. Times are lengths from `savedAt`, so a calendar that was set back
/// in between prolongs a rest by its own length at most.
public struct HostClock: Sendable, Equatable, Codable {
    public var host: String
    /// When all this held.
    public var savedAt: Date
    /// From `savedAt` until the host may be asked again.
    public var rest: Duration
    /// What its robots.txt asks for.
    public var crawlDelay: Duration?
    /// Its usual time to the first byte.
    public var responseTime: Duration
    /// Failures since its last answer, and how often the breaker opened on them; with any of the latter, the next request is a
    /// probe.
    public var failuresInARow: Int
    public var openings: Int
    /// The address that answered last.
    public var address: String?
    /// What went wrong with the last request (`RequestFailure.detail`); nil when it was answered.
    public var trouble: String?

    public init(
        host: String, savedAt: Date, rest: Duration = .zero, crawlDelay: Duration? = nil,
        responseTime: Duration = .zero,
        failuresInARow: Int = 0, openings: Int = 0, address: String? = nil, trouble: String? = nil
    ) {
        self.host = host
        self.savedAt = savedAt
        self.rest = rest
        self.crawlDelay = crawlDelay
        self.responseTime = responseTime
        self.failuresInARow = failuresInARow
        self.openings = openings
        self.address = address
        self.trouble = trouble
    }
}

extension PolitenessSchedule {
    /// Whether the schedule has a clock of the host already.
    public func knows(host: String) -> Bool { hosts[host] != nil }

    /// What is to be kept of a host; nil for one that was never asked.
    public func clock(host name: String, now: Duration) -> HostClock? {
        hosts[name].map { clock(of: slots[$0], now: now) }
    }

    /// The clocks of hosts of which something was learnt since the last call: a failure or its end, a Crawl-delay, an address.
    /// Needs `Settings.notesChangedClocks`.
    mutating func takeChangedClocks(now: Duration) -> [HostClock] {
        defer { changedSlots = [] }
        return changedSlots.map { slot in
            slots[slot].isChanged = false
            return clock(of: slots[slot], now: now)
        }
    }

    /// What is to be kept when the run ends in order: the clocks that changed, and those of hosts that may not be asked yet.
    func clocksToClose(now: Duration) -> [HostClock] {
        hosts.values.map { slots[$0] }.filter { $0.isChanged || $0.openAt > now }.map { clock(of: $0, now: now) }
    }

    /// Takes over what an earlier run knew of a host. Of a host that is known already the longer rest and the longer
    /// crawl delay count. Neither it nor its address is asked before its delay has passed from now on, and no host at all before the
    /// interval of the crawl's rate has: the earlier run may have been killed a moment ago with a request in flight, and the machine's
    /// calendar may have been set.
    public mutating func restore(_ clock: HostClock, now: Duration) {
        let isNew = hosts[clock.host] == nil
        let slot = slot(of: clock.host)
        let passed = date(at: now).timeIntervalSince(clock.savedAt)
        let rest = min(max(clock.rest, .zero), Self.longestRestoredRest)
        let left = rest - .milliseconds(Int64(min(max(passed, 0), 1e12) * 1000))
        if isNew {
            slots[slot].lastStart = now
            slots[slot].lastEnd = now
            slots[slot].responseTime = min(max(clock.responseTime, .zero), Self.maximumAdaptiveDelay)
            slots[slot].breaker.failuresInARow = max(0, clock.failuresInARow)
            slots[slot].breaker.openings = max(0, clock.openings)
            if clock.openings > 0 { slots[slot].breaker.state = .open(until: now + max(left, .zero)) }
            slots[slot].trouble = clock.trouble
            if let address = clock.address { learn(address, of: slot, now: now) }
        }
        if let crawlDelay = clock.crawlDelay {
            setCrawlDelay(crawlDelay, host: clock.host)
            slots[slot].isCrawlDelayEarlier = isNew
        }
        slots[slot].openAt = max(slots[slot].openAt, now + max(left, delay(of: slots[slot])))
        if lastStart == 0 { rateOpenAt = max(rateOpenAt, now + settings.interval) }
        refresh(slot, now: now)
    }

    /// A rest that was saved is cut to this: no server's wish outlives it, and no damaged file stops a crawl for ever.
    static let longestRestoredRest = Duration.seconds(366 * 86_400)

    private func clock(of host: Host, now: Duration) -> HostClock {
        HostClock(
            host: host.name, savedAt: date(at: now), rest: max(.zero, host.openAt - now), crawlDelay: host.crawlDelay,
            responseTime: host.responseTime, failuresInARow: host.breaker.failuresInARow,
            openings: host.breaker.openings, address: host.addressName, trouble: host.trouble)
    }

    private func date(at now: Duration) -> Date { calendarStart.addingTimeInterval(now / .seconds(1)) }
}
