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

    let settings: CrawlConfiguration.Recrawl

    public init(_ settings: CrawlConfiguration.Recrawl) {
        self.settings = settings
    }

    /// The time until the next visit.
    ///
    /// - Parameter previous: the interval before this visit; nil on the first.
    public func interval(after sign: Sign, previous: Duration?) -> Duration {
        let last = previous ?? settings.defaultInterval
        let next: Duration =
            switch sign {
            case .firstVisit: settings.defaultInterval
            // Halving and growing by a half meets a page's own rhythm from either side without swinging.
            case .changed: last / 2
            case .unchanged: last * 3 / 2
            case .failed: previous.map { $0 * 2 } ?? settings.minimumInterval
            case .absent: max(settings.defaultInterval, last) * 4
            }
        return min(max(next, settings.minimumInterval), settings.maximumInterval)
    }
}
