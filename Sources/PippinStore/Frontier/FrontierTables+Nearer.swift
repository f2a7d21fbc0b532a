import PippinCrawl
import PippinPage

/// What a nearer way to a page changes, after its visit or during it.
extension FrontierTables {
    /// How many links get a new depth in one transaction, about a second's work.
    private static let linksAtATime = 20_000

    /// Passes the depths of pages that were met nearer on to where they lead. Called inside a transaction. What is left waits for the next
    /// one (`NearerPages.mayWait`).
    func passDepthsOn() throws {
        var left = Self.linksAtATime
        while left > 0, let page = try nearer.take() {
            // One that is not visited yet passes its depth on with its visit.
            guard let host = try hosts.known(URLNumber.host(of: page)), let row = try urls[page, host.name],
                row.state != .queued, !isLeased(page)
            else { continue }
            let (linked, leadsTo) = try links.targets(of: page)
            for target in linked { try bringNearer(target, depth: row.depth + 1, seed: row.seed) }
            if let leadsTo { try bringNearer(leadsTo, depth: row.depth, seed: row.seed) }
            left -= linked.count + 1
            guard let mail else { continue }
            let away = try mail.linksAway(of: page)
            for link in away {
                try mail.bringNearer(
                    link.number, depth: Int(row.depth) + (link.addsDepth ? 1 : 0), seed: try seeds[row.seed],
                    seedNumber: row.seed, sequence: recordTable.nextSequence)
            }
            left -= away.count
        }
    }

    /// Lets a URL be no more than some links away from a seed.
    private func bringNearer(_ number: Int64, depth: Int64, seed: Int64) throws {
        // It may have been dropped, or forgotten with its host.
        guard let host = try hosts.known(URLNumber.host(of: number)), var row = try urls[number, host.name] else {
            return
        }
        guard row.address.isPage, depth < row.depth, !row.flags.standsForSeed else { return }
        row.depth = depth
        // A seed whose redirects lead to other hosts may be all that lets the URL be in scope.
        if try seeds[row.seed].landingHosts.isEmpty { row.seed = seed }
        if row.state == .queued, !isLeased(number) { row.rank = nextRank(priority: Int(depth)) }
        try urls.queue(row)
        try wasMetNearer(&row)
    }

    /// What follows when a page has less depth than before, as its row says already.
    func wasMetNearer(_ row: inout URLTable.Row) throws {
        if isLeased(row.id) {
            leasesMetNearer.insert(row.id)
        } else if row.state != .queued {
            if row.flags.isCut || row.flags.leadsFurther { try requeue(&row) } else { try nearer.add(row.id) }
        }
    }
}
