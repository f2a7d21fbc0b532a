import Foundation

/// The crawl's source of time: the machine's clocks, or simulated time in a test.
public struct CrawlClock: Sendable {
    /// The time since the clock was made. It never goes back.
    public let now: @Sendable () -> Duration
    /// Returns at the given time, or earlier if the task is cancelled.
    public let sleep: @Sendable (_ until: Duration) async -> Void
    /// The calendar's time, for records and for everything that is kept between runs.
    public let date: @Sendable () -> Date
    /// Whether time is simulated and passes only while everything waits. Then nothing may run on threads that the simulation
    /// does not see: readings run in place, and their duration is not limited.
    let isMadeUp: Bool

    /// Creates a clock from its functions.
    public init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async -> Void,
        date: @escaping @Sendable () -> Date, isMadeUp: Bool = false
    ) {
        self.now = now
        self.sleep = sleep
        self.date = date
        self.isMadeUp = isMadeUp
    }

    /// The machine's clocks.
    public static var continuous: CrawlClock {
        let start = ContinuousClock.now
        return CrawlClock(
            now: { ContinuousClock.now - start },
            sleep: { until in
                // Sleeping can only fail by cancellation, which the caller checks itself.
                try? await Task.sleep(until: start + until, clock: .continuous)
            },
            date: { Date() })
    }
}
