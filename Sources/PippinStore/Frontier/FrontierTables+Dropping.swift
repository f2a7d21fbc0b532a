import GRDB
import PippinCrawl
import PippinPage

/// What waits is bounded (`FrontierLimits`): the best is kept.
extension FrontierTables {
    /// Whether there is room for a new URL, or what is worse made it.
    func makeRoom(for request: CrawlRequest, load needed: Int64, host: Int64, _ dropped: inout DroppedURLs) throws
        -> Bool
    {
        let rank = request.dropRank
        while try hosts[host].load + needed > Int64(limits.perHost) {
            guard try drop(from: host, below: rank, &dropped) else { return try refuse(request, host: host, &dropped) }
        }
        while load + needed > Int64(limits.total) {
            if let giver = try hosts.busiest(), giver != host {
                let most = try hosts[giver].load
                let isGenerous = most > Int64(limits.generousFrom)
                if most >= 2 * (try hosts[host].load + needed),
                    try drop(from: giver, below: isGenerous ? nil : rank, &dropped)
                {
                    continue
                }
            }
            guard try drop(from: host, below: rank, &dropped) else { return try refuse(request, host: host, &dropped) }
        }
        return true
    }

    private func refuse(_ request: CrawlRequest, host: Int64, _ dropped: inout DroppedURLs) throws -> Bool {
        dropped.add(request.url)
        try noteDropped(host: host)
        return false
    }

    /// Drops a URL of a host that is worse than `rank`, or just the worst; false when there is none.
    private func drop(from host: Int64, below rank: DropRank?, _ dropped: inout DroppedURLs) throws -> Bool {
        let entry = try hosts[host]
        if let rank, let closed = entry.closedFrom, rank.level >= closed { return false }
        let worst = try urls.worst(of: host, name: entry.name, out: leased[host] ?? [])
        guard let worst, rank.map({ worst.dropRank.level > $0.level }) ?? true else {
            if let rank { try hosts.change(host) { $0.closedFrom = min($0.closedFrom ?? .max, rank.level) } }
            return false
        }
        try remove(worst)
        dropped.add(WebURL(worst.address.key))
        try noteDropped(host: host)
        return true
    }
}
