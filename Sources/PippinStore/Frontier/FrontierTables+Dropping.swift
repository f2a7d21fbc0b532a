import GRDB
import PippinCrawl
import PippinPage

/// The bound on queued URLs (`FrontierLimits`): the best are kept.
extension FrontierTables {
    /// Makes room for a new URL if needed, by dropping worse ones.
    ///
    /// - Parameter host: the number of its host; nil if it is not known yet.
    /// - Returns: false if the URL cannot be kept. It is then counted as dropped.
    func makeRoom(for request: CrawlRequest, load needed: Int64, host: Int64?, _ dropped: inout DroppedURLs) throws
        -> Bool
    {
        let hasRoom = try limits.makeRoom(
            for: request.dropRank, load: Int(needed), of: host, named: request.host,
            queued: { (try host.map { Int(try hosts[$0].load) } ?? 0, Int(load)) },
            heaviest: { try hosts.busiest().map { ($0, Int(try hosts[$0].load)) } },
            drop: { host, rank in try host.map { try drop(from: $0, below: rank, &dropped) } ?? false })
        if !hasRoom {
            dropped.add(request.url)
            try noteDropped(host: host)
        }
        return hasRoom
    }

    /// Drops the worst queued URL of a host if it is worse than `rank`; nil drops the worst in any case. Returns false if
    /// none was dropped.
    private func drop(from host: Int64, below rank: DropRank?, _ dropped: inout DroppedURLs) throws -> Bool {
        let entry = try hosts[host]
        if let rank, let closed = entry.closedFrom, rank.level >= closed { return false }
        let worst = try urls.worst(of: host, name: entry.name, out: leased[host] ?? []) {
            recent.links(to: $0, host: host)
        }
        guard let worst, rank.map({ worst.rank.level > $0.level }) ?? true else {
            if let rank { try hosts.change(host) { $0.closedFrom = min($0.closedFrom ?? .max, rank.level) } }
            return false
        }
        try remove(worst.row)
        dropped.add(WebURL(worst.row.address.key))
        try noteDropped(host: host)
        return true
    }
}
