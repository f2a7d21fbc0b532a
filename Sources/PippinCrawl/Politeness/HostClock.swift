import Foundation

/// The data of a host that must outlive a run, so that the next run is as polite: when it may be asked again, and what was
/// learnt about it.
///
/// A kept frontier saves the clocks from `PolitenessSchedule.takeChangedClocks`, and passes each to `restore` before the first
/// turn of its host is added. Times are durations from `savedAt`. If the calendar was set back in between, a rest becomes
/// longer by that amount at most.
public struct HostClock: Sendable, Equatable, Codable {
    /// The host.
    public var host: String
    /// The time at which the clock was saved.
    public var savedAt: Date
    /// The time from `savedAt` until the host may be asked again.
    public var rest: Duration
    /// The crawl delay in its robots.txt.
    public var crawlDelay: Duration?
    /// The usual time to its first byte.
    public var responseTime: Duration
    /// The failures since its last answer.
    public var failuresInARow: Int
    /// The number of times the breaker opened because of them. If it is not 0, the next request is a probe.
    public var openings: Int
    /// The address of the last answer.
    public var address: String?
    /// The trouble with the last request (`RequestFailure.detail`); nil if it was answered.
    public var trouble: String?

    /// Creates a clock.
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
    /// Whether the schedule already has a clock of the host.
    public func knows(host: String) -> Bool { hosts[host] != nil }

    /// The clock to keep for a host; nil if the host was never asked.
    public func clock(host name: String, now: Duration) -> HostClock? {
        hosts[name].map { clock(of: slots[$0], now: now) }
    }

    /// The clocks of hosts about which something was learnt since the last call: a failure or its end, a Crawl-delay, an
    /// address. Needs `Settings.notesChangedClocks`.
    mutating func takeChangedClocks(now: Duration) -> [HostClock] {
        defer { changedSlots = [] }
        return changedSlots.map { slot in
            slots[slot].isChanged = false
            return clock(of: slots[slot], now: now)
        }
    }

    /// The clocks to store when the run ends in order: those that changed, and those of hosts that may not be asked yet.
    func clocksToClose(now: Duration) -> [HostClock] {
        hosts.values.map { slots[$0] }.filter { $0.isChanged || $0.openAt > now }.map { clock(of: $0, now: now) }
    }

    /// Takes over what an earlier run knew of a host. For a host that is known already, the longer rest and the longer crawl
    /// delay count. The host and its address are not asked before their delay has passed from now on, and no host is asked
    /// before the interval of the crawl's rate has passed. The reason: the earlier run may have been killed a moment ago with a
    /// request in flight, and the machine's calendar may have been set.
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
        slots[slot].openAt = max(slots[slot].openAt, now + max(left, delay(of: slot)))
        if lastStart == 0 { rateOpenAt = max(rateOpenAt, now + settings.interval) }
        refresh(slot, now: now)
    }

    /// The limit of a saved rest. No server can ask for a longer one, and a damaged file cannot stop a crawl forever.
    static let longestRestoredRest = Duration.seconds(366 * 86_400)

    private func clock(of host: Host, now: Duration) -> HostClock {
        HostClock(
            host: host.name, savedAt: date(at: now), rest: max(.zero, host.openAt - now), crawlDelay: host.crawlDelay,
            responseTime: host.responseTime, failuresInARow: host.breaker.failuresInARow,
            openings: host.breaker.openings, address: host.addressName, trouble: host.trouble)
    }

    private func date(at now: Duration) -> Date { calendarStart.addingTimeInterval(now / .seconds(1)) }
}
