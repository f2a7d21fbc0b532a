import Foundation

/// When a URL is visited again, from how its visit ended: a page that changed sooner, one that stays the same or is
/// gone later. Pure.
public struct RecrawlPolicy: Sendable {
    /// What a visit says about coming back.
    public enum Sign: Sendable, Equatable {
        case firstVisit
        case changed
        case unchanged
        /// Server trouble, a time-out, a host that wants rest: it may be well soon.
        case failed
        /// Not there, not allowed, not wanted: it may change its mind, rarely.
        case absent
    }

    /// When a URL is visited next, and what its history is then.
    public struct Next: Sendable, Equatable {
        /// From the end of this visit.
        public var wait: Duration
        /// The page's rhythm (`PreviousVisit.interval`); a failure says nothing of it.
        public var rhythm: Duration
        public var failures: Int
        public var misses: Int
        /// Whether the visit found the page as it was; nil where it says nothing of that.
        public var changed: Bool?

        public init(
            wait: Duration, rhythm: Duration? = nil, failures: Int = 0, misses: Int = 0, changed: Bool? = nil
        ) {
            self.wait = wait
            self.rhythm = rhythm ?? wait
            self.failures = failures
            self.misses = misses
            self.changed = changed
        }
    }

    let settings: CrawlConfiguration.Recrawl

    public init(_ settings: CrawlConfiguration.Recrawl) {
        self.settings = settings
    }

    public func next(after sign: Sign, isMiss: Bool, previous: PreviousVisit?) -> Next {
        let misses = isMiss ? (previous?.misses ?? 0) + 1 : 0
        guard sign == .failed else {
            let rhythm = interval(after: sign, previous: previous?.interval)
            let changed: Bool? = sign == .changed ? true : sign == .unchanged ? false : nil
            return Next(wait: rhythm, rhythm: rhythm, misses: misses, changed: changed)
        }
        let failures = (previous?.failures ?? 0) + 1
        let rhythm = previous?.interval ?? settings.defaultInterval
        // Whether it reached the host or not, a failure takes back no earlier miss.
        return Next(
            wait: interval(afterFailures: failures, rhythm: rhythm), rhythm: rhythm, failures: failures,
            misses: max(misses, previous?.misses ?? 0))
    }

    /// The rhythm of a page after a visit that did not fail.
    ///
    /// - Parameter previous: the rhythm before this visit; nil on the first.
    func interval(after sign: Sign, previous: Duration?) -> Duration {
        let last = previous ?? settings.defaultInterval
        let next: Duration =
            switch sign {
            case .firstVisit, .failed: settings.defaultInterval
            // Halving and growing by a half meets a page's own rhythm from either side without swinging.
            case .changed: last / 2
            case .unchanged: last * 3 / 2
            case .absent: max(settings.defaultInterval, last) * 4
            }
        return min(max(next, settings.minimumInterval), settings.maximumInterval)
    }

    /// The wait after failures in a row: short at first, doubling, until it is the page's rhythm or the usual one.
    func interval(afterFailures failures: Int, rhythm: Duration) -> Duration {
        let longest = max(rhythm, settings.defaultInterval)
        return min(settings.minimumInterval * (1 << min(max(failures - 1, 0), 20)), longest)
    }
}
