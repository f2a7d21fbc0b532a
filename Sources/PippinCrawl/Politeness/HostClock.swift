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
