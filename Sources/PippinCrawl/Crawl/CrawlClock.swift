import Foundation

/// Where the crawl gets its time from: the machine's clocks, or a test's made-up time.
public struct CrawlClock: Sendable {
    /// Time since the crawl's clock was made; never goes back.
    public let now: @Sendable () -> Duration
    /// Returns at the given time, or earlier when the task is cancelled.
    public let sleep: @Sendable (_ until: Duration) async -> Void
    /// The calendar's time, for records and for what is kept between runs.
    public let date: @Sendable () -> Date
    /// Whether time passes when everything waits. Then nothing may be computed where the one who makes up the time does not
    /// see it: readings are made in place, and nobody looks at how long they take.
    let isMadeUp: Bool

    public init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async -> Void,
        date: @escaping @Sendable () -> Date, isMadeUp: Bool = false
    ) {
        self.now = now
        self.sleep = sleep
        self.date = date
        self.isMadeUp = isMadeUp
    }

    public static var continuous: CrawlClock {
        let start = ContinuousClock.now
        return CrawlClock(
            now: { ContinuousClock.now - start },
            sleep: { until in
                // Cancellation is the one error that sleeping has, and the caller looks for it itself.
                try? await Task.sleep(until: start + until, clock: .continuous)
            },
            date: { Date() })
    }
}
