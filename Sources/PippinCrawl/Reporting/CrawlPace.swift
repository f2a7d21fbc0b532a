/// What a crawl waited for, moment by moment: whether politeness or capacity is its limit.
public struct CrawlPace: Sendable, Equatable {
    /// What kept the crawl from starting another visit.
    public enum Limit: String, Sendable, CaseIterable {
        /// There was room for more visits, and every host with work had to be left in peace a while longer.
        case politeness
        /// As many visits were in flight as `fetch.concurrency` allows.
        case capacity
        /// Nothing else was known to be visited: what is in flight had to be awaited.
        case work
        /// As many pages were read and waited for files of their sites as may.
        case pagesHeld = "pages-held"
        /// Bodies, documents and waiting pages took all the memory of `fetch.memory`.
        case memory
        /// The crawl was to begin nothing more, and waited for what was in flight.
        case ending
    }

    public private(set) var times: [Limit: Duration] = [:]
    private var current = Limit.work
    private var since = Duration.zero

    public init() {}

    /// From now on the crawl is limited by this.
    mutating func turn(to limit: Limit, at now: Duration) {
        if now > since { times[current, default: .zero] += now - since }
        current = limit
        since = now
    }

    public var total: Duration { times.values.reduce(.zero, +) }

    /// Part of the time, from 0 to 1.
    public func share(of limit: Limit) -> Double {
        let total = total
        return total > .zero ? (times[limit] ?? .zero) / total : 0
    }

    /// The limit that held longest, ties in the order of the cases; nil when no time has passed.
    public var mostly: Limit? {
        var best: Limit?
        for limit in Limit.allCases where times[limit] ?? .zero > best.flatMap({ times[$0] }) ?? .zero { best = limit }
        return best
    }
}
