import PippinCrawl
import PippinPage

/// What a nearer way to a page changes, after its visit or during it.
extension FrontierTables {
    /// How many links get a new way in one transaction, about a second's work.
    private static let linksAtATime = 20_000

    /// Whether pages may wait to pass their ways on. Without a scope they wait for the next crawl.
    var waysWait: Bool { ways.knowsScope && nearer.mayWait }

    /// Passes the ways of pages that were met nearer on to where they lead. Called inside a transaction. What is left waits for the next
    /// one (`NearerPages.mayWait`).
    func passWaysOn() throws {
        guard waysWait else { return }
        var left = Self.linksAtATime
        while left > 0, let page = try nearer.take() {
            // One that is queued passes its way on with its visit.
            guard let host = try hosts.known(URLNumber.host(of: page)), let row = try urls[page, host.name],
                row.state != .queued
            else { continue }
            let way = try way(to: row)
            let step = CrawlWay(depth: way.depth + 1, seed: way.seed)
            let (linked, leadsTo) = try links.targets(of: page)
            let further = try links.further(of: page)
            for target in linked { try bringNearer(target, step, seed: row.seed) }
            if let leadsTo { try bringNearer(leadsTo, way, seed: row.seed) }
            for target in further {
                try bringNearer(target.number, target.addsDepth ? step : way, seed: row.seed)
            }
            left -= linked.count + further.count + 1
            if let mail {
                let away = try mail.linksAway(of: page)
                for link in away {
                    try mail.bringNearer(
                        link.number, link.addsDepth ? step : way, seedNumber: row.seed,
                        sequence: recordTable.nextSequence)
                }
                left -= away.count
            }
            // The visit of a leased page makes its record anew.
            if !isLeased(page) { left -= try nameSeed(row) }
        }
    }

    /// Lets a visited page pass a way on to a URL.
    private func bringNearer(_ number: Int64, _ way: CrawlWay, seed: Int64) throws {
        // It may have been dropped, or forgotten with its host.
        guard let host = try hosts.known(URLNumber.host(of: number)), var row = try urls[number, host.name],
            row.address.isPage, way.depth <= row.depth, way.depth < row.depth || seed != row.seed
        else { return }
        let known = try self.way(to: row)
        let waits = row.state == .queued && !isLeased(number)
        guard ways.passesOn(way, over: known, to: row.address.key, host: host.name, isQueued: waits) else { return }
        (row.depth, row.seed) = (Int64(way.depth), seed)
        if waits, way.depth < known.depth { row.rank = nextRank(priority: way.depth) }
        try urls.queue(row)
        try wasMetNearer(&row, isShorter: way.depth < known.depth)
    }

    /// What follows when a page has a nearer way than before, as its row says already.
    ///
    /// - Parameter isShorter: whether it has less depth. Another seed alone is no reason to read a page again.
    func wasMetNearer(_ row: inout URLTable.Row, isShorter: Bool) throws {
        let isLeased = isLeased(row.id)
        if isLeased { leasesMetNearer.insert(row.id) }
        guard row.state != .queued else { return }
        if !isLeased, isShorter, row.flags.isCut || row.flags.leadsFurther {
            try requeue(&row)
        } else {
            // Also while it is leased: the visit may find nothing, or not come to its end.
            try nearer.add(row.id)
        }
    }

    // MARK: Records

    /// The seed that the record of a page should name; nil if that does not depend on the way.
    func namedSeed(of row: URLTable.Row, nearest: Seed) -> Seed? {
        ways.namedSeed(ofPageOn: row.address.host, nearest: nearest)
    }

    /// Lets the record of a visited page name the nearest seed. If its apps or its rendering depend on the seed too, it stays as it is until
    /// the page's next visit, which then reads the page whole (`RevalidationKey.crawl` has the seeds).
    ///
    /// - Returns: what it costs, counted in links that get a way.
    private func nameSeed(_ row: URLTable.Row) throws -> Int {
        guard let seed = namedSeed(of: row, nearest: try seeds[row.seed]), let identifier = try urls.record(of: row),
            let record = try recordTable.seeds(of: identifier)
        else { return 0 }
        let cost = 20 + record.byteCount / 256
        guard record.seeds != [seed.url.href], ways.names(record.seeds, like: seed),
            let text = try recordTable.name(seed, in: record)
        else { return cost }
        // The next visit finds the record unchanged.
        try urls.setContentHash(text.contentVersion, of: row.id)
        return cost
    }
}
