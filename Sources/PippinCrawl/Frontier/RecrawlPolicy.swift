import Foundation

/// Decides when a URL is visited again, from the end of its visit: sooner after a change, later if the page stayed the same or
/// is gone. Pure.
public struct RecrawlPolicy: Sendable {
    /// The meaning of a visit for the next one.
    public enum Sign: Sendable, Equatable {
        case firstVisit
        case changed
        case unchanged
        /// Server trouble, a time-out, or a host that wants rest. It may be over soon.
        case failed
        /// The page is not there, not allowed or not wanted. This changes rarely.
        case absent
    }

    /// The time of the next visit, and the page's history from now on.
    public struct Next: Sendable, Equatable {
        /// The time from the end of this visit.
        public var wait: Duration
        /// The page's rhythm (`PreviousVisit.interval`). A failure does not change it.
        public var rhythm: Duration
        /// The number of failed visits in a row.
        public var failures: Int
        /// The number of visits in a row that did not find the page.
        public var misses: Int
        /// Whether the page has changed; nil if the visit does not show it.
        public var changed: Bool?

        /// Creates a result.
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

    /// Creates the policy of a configuration.
    public init(_ settings: CrawlConfiguration.Recrawl) {
        self.settings = settings
    }

    /// The next visit after one with the given sign.
    public func next(after sign: Sign, isMiss: Bool, previous: PreviousVisit?) -> Next {
        let misses = isMiss ? (previous?.misses ?? 0) + 1 : 0
        guard sign == .failed else {
            let rhythm = interval(after: sign, previous: previous?.interval)
            let changed: Bool? = sign == .changed ? true : sign == .unchanged ? false : nil
            return Next(wait: rhythm, rhythm: rhythm, misses: misses, changed: changed)
        }
        let failures = (previous?.failures ?? 0) + 1
        let rhythm = previous?.interval ?? settings.defaultInterval
        // A failure does not reset the count of misses, whether or not it reached the host.
        return Next(
            wait: interval(afterFailures: failures, rhythm: rhythm), rhythm: rhythm, failures: failures,
            misses: max(misses, previous?.misses ?? 0))
    }

    /// When a URL is due again.
    ///
    /// The wait counts from the beginning of the run, less ten minutes: a job that begins at the same time each night, a little
    /// sooner or later, then finds a page that is to be visited daily due each night, and not only every second. No more than a
    /// quarter of the wait is given away, so that a run of days does not ask for the same page again when the next one begins.
    ///
    /// - Parameters:
    ///   - wait: the wait after the visit (`Next.wait`).
    ///   - end: when the visit ended, in seconds.
    ///   - beginning: when its run began, in seconds.
    public static func due(after wait: Duration, visitEndedAt end: Int64, runBegan beginning: Int64) -> Int64 {
        let seconds = wait.components.seconds
        // A calendar that was set back in the run must not make it due again in the same run, over and over.
        return max(end, beginning) + seconds - min(max(0, end - beginning) + 600, seconds / 4)
    }

    /// The rhythm of a page after a visit that did not fail.
    ///
    /// - Parameter previous: the rhythm before this visit; nil on the first visit.
    func interval(after sign: Sign, previous: Duration?) -> Duration {
        let last = previous ?? settings.defaultInterval
        let next: Duration =
            switch sign {
            case .firstVisit, .failed: settings.defaultInterval
            // Halving it and growing it by a half approaches the page's own rhythm from both sides, without oscillating.
            case .changed: last / 2
            case .unchanged: last * 3 / 2
            case .absent: max(settings.defaultInterval, last) * 4
            }
        return min(max(next, settings.minimumInterval), settings.maximumInterval)
    }

    /// The wait and the rhythm of a URL that was visited under other settings: no longer than these could have made them, had they
    /// counted from its first visit on.
    ///
    /// - Parameters:
    ///   - rhythm: what the other settings have made of it.
    ///   - visits: the number of visits, at least 1.
    ///   - failures: the number of failed visits in a row.
    ///   - history: what its visits have found.
    public func plan(rhythm: Duration, visits: Int, failures: Int, history: VisitHistory) -> Next {
        var longest = settings.defaultInterval
        switch history {
        case .sitemap: break
        case .found:
            for _ in 0..<max(0, min(visits - 1, 64)) where longest < settings.maximumInterval {
                longest = longest * 3 / 2
            }
        case .mixed:
            for _ in 0..<max(0, min(visits, 64)) where longest < settings.maximumInterval { longest = longest * 4 }
        case .ofOthers: longest = settings.maximumInterval
        }
        let rhythm = min(rhythm, max(min(longest, settings.maximumInterval), settings.minimumInterval))
        let wait = failures > 0 ? interval(afterFailures: failures, rhythm: rhythm) : rhythm
        return Next(wait: wait, rhythm: rhythm, failures: failures)
    }

    /// What the visits of a URL have found, as far as it bounds its rhythm.
    public enum VisitHistory: Sendable, Equatable {
        /// The page, each time.
        case found
        /// A sitemap the last time, which has the usual interval.
        case sitemap
        /// At least once something else, or it is not known.
        case mixed
        /// Visits of another crawl, which has said the rhythm (`pippin import`).
        case ofOthers
    }

    /// The wait after failures in a row: short at first, then doubling, up to the page's rhythm or the usual interval.
    func interval(afterFailures failures: Int, rhythm: Duration) -> Duration {
        let longest = max(rhythm, settings.defaultInterval)
        return min(settings.minimumInterval * (1 << min(max(failures - 1, 0), 20)), longest)
    }
}
