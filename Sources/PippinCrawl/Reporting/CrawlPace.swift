/// The times that a crawl spent at each limit. They show whether politeness or capacity limits it.
public struct CrawlPace: Sendable, Equatable {
    /// The reason why the crawl did not start another visit.
    public enum Limit: String, Sendable, CaseIterable {
        /// There was room for more visits, but every host with work had to wait for its delay.
        case politeness
        /// As many visits were in flight as `fetch.concurrency` allows.
        case capacity
        /// No other URL was known, so the crawl waited for requests in flight.
        case work
        /// As many pages as allowed had been read and waited for files of their sites.
        case pagesHeld = "pages-held"
        /// Bodies, documents and waiting pages used all the memory of `fetch.memory`.
        case memory
        /// The crawl was ending: it started nothing more and waited for requests in flight.
        case ending
    }

    /// The time at each limit.
    public private(set) var times: [Limit: Duration] = [:]
    private var current = Limit.work
    private var since = Duration.zero

    /// Starts without any time.
    public init() {}

    /// Notes the limit from now on.
    mutating func change(to limit: Limit, at now: Duration) {
        if now > since { times[current, default: .zero] += now - since }
        current = limit
        since = now
    }

    /// The sum of all times.
    public var total: Duration { times.values.reduce(.zero, +) }

    /// The share of the time at a limit, from 0 to 1.
    public func share(of limit: Limit) -> Double {
        let total = total
        return total > .zero ? (times[limit] ?? .zero) / total : 0
    }

    /// The limit with the longest time; if several are equal, the first in the order of the cases. Nil if no time has passed.
    public var mostly: Limit? {
        var best: Limit?
        for limit in Limit.allCases where times[limit] ?? .zero > best.flatMap({ times[$0] }) ?? .zero { best = limit }
        return best
    }
}
