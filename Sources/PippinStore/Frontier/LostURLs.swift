import PippinCrawl

/// URLs that have not been found for so long that they may be forgotten (`recrawl.forget_after`): those that this run visited in vain.
///
/// A run forgets only what it has visited itself, and only if anything answered. So a machine that had no network for months forgets
/// nothing when it has one again.
struct LostURLs {
    /// The most that a run forgets. Others come with their next visits.
    static let most = 500_000
    /// Seconds. Visits of one URL are hardly ever further apart, whatever the rhythm.
    private static let longestWait: Int64 = 45 * 86_400

    /// Seconds for which no visit has found them.
    let patience: Int64
    private var seeds: Set<Int64> = []
    private var lost: Set<Int64> = []
    /// Hosts that were asked in vain, and have not answered for so long. Their URLs are not tried one by one.
    private var lostHosts: Set<Int64> = []
    private var wasAnswered = false

    init(after patience: Duration) { self.patience = patience.storeSeconds }

    /// Keeps a URL that is a seed of this run.
    mutating func keep(_ number: Int64) { seeds.insert(number) }

    /// Since when visits are in vain. A failure before a long time without visits, and one after it, show little of the time between
    /// them: then it begins anew.
    ///
    /// - Parameters:
    ///   - known: since when they were, by the visits before; nil if they were not.
    ///   - lastVisit: the time of the last visit before; nil if there was none.
    ///   - patience: in seconds.
    ///   - unit: how many parts a second has in the other times.
    static func since(_ known: Int64?, lastVisit: Int64?, now: Int64, patience: Int64, unit: Int64 = 1) -> Int64 {
        let (patience, longestWait) = (patience * unit, Self.longestWait * unit)
        guard let known, let lastVisit, now - lastVisit <= max(patience, longestWait) else { return now }
        // The calendar may have been set back.
        return min(known, now)
    }

    /// Takes in how a visit ended. `row` is as it will be stored.
    ///
    /// - Parameter lastVisit: the time of the visit before.
    mutating func note(_ outcome: VisitOutcome, of row: inout URLTable.Row, lastVisit: Int64?) {
        switch outcome.presence {
        case .unknown: return
        case .found:
            wasAnswered = true
            lost.remove(row.id)
            row.missingSince = nil
            return
        case .missing: wasAnswered = true
        case .unanswered: break
        }
        guard let visited = row.visitedAt else { return }
        let since = Self.since(row.missingSince, lastVisit: lastVisit, now: visited, patience: patience)
        row.missingSince = since
        if visited - since >= patience, lost.count < Self.most { lost.insert(row.id) }
    }

    /// Since when a host that has failed does not answer, in milliseconds. `host` is as it was before.
    func silentSince(of host: HostTable.Host, now: Int64) -> Int64 {
        Self.since(host.silentSince, lastVisit: host.keptAt, now: now, patience: patience, unit: 1000)
    }

    /// Takes in a new clock of a host. `host` is as it was before.
    mutating func note(_ clock: HostClock, of host: HostTable.Host) {
        guard clock.failuresInARow > 0 else {
            lostHosts.remove(host.id)
            return
        }
        // Without a new failure, nobody has asked it in this run.
        guard clock.failuresInARow > host.failures else { return }
        let now = clock.savedAt.storeMilliseconds
        if now - silentSince(of: host, now: now) >= patience * 1000 { lostHosts.insert(host.id) }
    }

    /// The URLs to forget unless something leads to them, and the hosts of which all may be forgotten but seeds. They are given once.
    mutating func take() -> (urls: Set<Int64>, hosts: Set<Int64>, seeds: Set<Int64>) {
        defer { (lost, lostHosts) = ([], []) }
        return wasAnswered ? (lost.subtracting(seeds), lostHosts, seeds) : ([], [], [])
    }
}

extension VisitOutcome {
    /// What a visit shows of whether something has the URL.
    fileprivate enum Presence {
        case found
        case missing
        /// Nothing answered, or nothing was asked because the operator does not want it.
        case unanswered
        case unknown
    }

    fileprivate var presence: Presence {
        switch self {
        case .recorded, .withoutDeepLinks, .notModified, .duplicate, .noindex, .useRefused, .redirected,
            .redirectedToApp, .sitemap:
            .found
        case .redirectRefused, .redirectLoop, .tooManyRedirects, .redirectBroken, .notAPage, .empty, .gone, .throttled,
            .serverError, .readingTimedOut:
            .missing
        case .refused(let status): status == 304 ? .unknown : .missing
        case .failed(.cancelled), .failed(.tooCostly), .disallowed, .hostLeft: .unknown
        case .failed, .robotsUnreachable: .unanswered
        case .excluded(let refusal): refusal.isOfRun ? .unknown : .unanswered
        }
    }
}
