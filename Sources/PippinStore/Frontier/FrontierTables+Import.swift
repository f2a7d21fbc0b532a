import Foundation
import PippinCrawl
import PippinPage

/// URLs that another crawl knew (`pippin import`).
extension FrontierTables {
    /// What became of such a URL.
    enum Taken {
        case queued
        /// It is visited when it is due.
        case visited
        /// It was known, and stays as it is.
        case known
        /// The queue has no room for it.
        case dropped
    }

    /// Takes in a URL that is not known yet. One that was visited is not in the queue: it waits until it is due. It has no record, so
    /// its page is then read in full.
    ///
    /// - Parameters:
    ///   - request: asks for the URL; the scope allows it.
    ///   - visit: its last visit, if there was one.
    func takeIn(_ request: CrawlRequest, visit: KnownURL.Visit?, now: Int64) throws -> Taken {
        let address = StoredAddress(request)
        if let host = try hosts.number(of: request.host), try urls.find(address, host: host).row != nil {
            return .known
        }
        var drops = DroppedURLs()
        guard let visit else {
            return switch try add(request, &drops) {
            case .new, .leased, .foreign: .queued
            case .known: .known
            case .dropped: .dropped
            }
        }
        // It leaves the queue at once, so nothing need make room.
        guard case .new(let number) = try add(request, alwaysKept: true, &drops),
            var row = try urls[number, request.host]
        else { return .known }
        let load = row.load
        let limits = recrawl(of: request.host)
        let (shortest, longest) = (limits.minimumInterval.storeSeconds, limits.maximumInterval.storeSeconds)
        let visitedAt = min(max(0, visit.at.storeSeconds), now)
        let usual = RecrawlPolicy(limits).next(after: .firstVisit, isMiss: false, previous: nil).rhythm.storeSeconds
        let rhythm = min(max(visit.interval?.storeSeconds ?? usual, shortest), longest)
        // Never sooner than our own visits would be, and never so late that a wrong line hides a page for ever.
        let due = min(max(visit.due?.storeSeconds ?? visitedAt + rhythm, visitedAt + shortest), now + longest)
        row.state = .finished
        row.rank = min(max(due, 0), URLTable.firstQueuedRank - 1)
        row.visitedAt = visitedAt
        row.visits = Int64(min(max(visit.count, 1), 1_000_000_000))
        row.flags.isTakenIn = true
        try addToHistory(&row, code: visit.outcome, at: visitedAt)
        if let standing = VisitOutcome.standing(ofCode: visit.outcome), standing == .failed || standing == .gone {
            row.missingSince = visitedAt
        }
        try urls.takeIn(row, rhythm: rhythm, failures: Int64(min(max(visit.failures, 0), 1_000_000)))
        try changeQueue(row.host, count: -1, load: -load)
        try hosts.change(row.host) { $0.nextDue = min($0.nextDue ?? row.rank, row.rank) }
        return .visited
    }
}
