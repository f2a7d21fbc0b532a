import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// The URLs of a frontier in the database's tables; used inside one transaction at a time. Decisions that `MemoryFrontier`
/// makes too, on dictionaries, are shared: `FrontierLimits.makeRoom`, `WayRule`, `CanonicalVerdict`. For the
/// rest, one suite of tests checks both frontiers.
final class FrontierTables {
    /// The leased URLs of each host. They are only in memory, so a run that dies releases them all.
    private(set) var leased: [Int64: Set<Int64>] = [:]
    /// Hosts that got work or have room for more leases, in the order in which that happened.
    private(set) var hostsWithWork: [Int64] = []
    let hosts: HostTable
    let urls: URLTable
    let seeds: SeedTable
    let outcomes: OutcomeTable
    let rules: RulesTable
    let recordTable: RecordTable
    let observations: ObservationTable
    let links: LinkTable
    let nearer: NearerPages
    /// Leased pages to which a nearer way was found, as their rows say already.
    var leasesMetNearer: Set<Int64> = []
    /// What is kept for other shards; nil on one machine.
    let mail: ShardMail?
    /// Seconds since 1970. URLs that were due when the frontier was opened are visited. URLs that fall due later wait for the
    /// next run, so that a run ends.
    let cutoff: Int64
    private let recrawl: CrawlConfiguration.Recrawl
    private let sheets: HostSheets
    var lostURLs: LostURLs
    private(set) var recent = RecentAddresses()
    private var arrivals: Int64
    /// Whether a page may wait for its canonical page.
    private var mayAwait: Bool
    /// How many URLs are known, and how many of them are queued.
    private var known: Int64
    private(set) var queued: Int64
    /// What the queued URLs count for (`FrontierLimits.load`), and how many URLs were dropped.
    private(set) var load: Int64
    private var dropped: Int64
    /// How often a known URL has become due sooner because of a request for it.
    private(set) var broughtForward = 0
    let limits: FrontierLimits
    let ways: WayRule
    /// The numbers of all URLs that the page links to whose visit is being finished, with repetitions.
    private var outlinks: [Int64] = []
    private let counters: StoreStatement
    private let awaitingOf: StoreStatement
    private let startAwaiting: StoreStatement
    private let endAwaiting: StoreStatement
    private let stopAwaiting: StoreStatement
    let toldLinksRemoval: StoreStatement

    init(
        _ database: Database, cutoff: Date, recrawl: CrawlConfiguration.Recrawl, limits: FrontierLimits,
        sheets: HostSheets = HostSheets(), ways: WayRule = WayRule(nil), mail: ShardMail? = nil
    ) throws {
        self.limits = limits
        self.ways = ways
        self.mail = mail
        hosts = try HostTable(database)
        urls = try URLTable(database)
        seeds = try SeedTable(database)
        outcomes = try OutcomeTable(database)
        rules = try RulesTable(database)
        recordTable = try RecordTable(database)
        self.cutoff = cutoff.storeSeconds
        (self.recrawl, self.sheets) = (recrawl, sheets)
        lostURLs = LostURLs(after: recrawl.forgetAfter)
        observations = try ObservationTable(database, misses: recrawl.misses)
        links = try LinkTable(database)
        nearer = try NearerPages(database)
        arrivals = try Int64.fetchOne(database, sql: "SELECT turn FROM store") ?? 0
        mayAwait = try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM awaiting)") ?? false
        known = try Int64.fetchOne(database, sql: "SELECT known FROM store") ?? 0
        queued = try Int64.fetchOne(database, sql: "SELECT queued FROM store") ?? 0
        load = max(queued, try Int64.fetchOne(database, sql: "SELECT load FROM store") ?? 0)
        dropped = try Int64.fetchOne(database, sql: "SELECT dropped FROM store") ?? 0
        counters = try StoreStatement(
            database,
            """
            UPDATE store SET turn = ?, sequence = ?, hosts = ?, lastHost = ?, known = ?, queued = ?, records = ?, load = ?,
                dropped = ?, latest = ?
            """)
        awaitingOf = try StoreStatement(database, "SELECT url FROM awaiting WHERE target = ? ORDER BY url")
        startAwaiting = try StoreStatement(database, "INSERT OR IGNORE INTO awaiting VALUES (?, ?)")
        endAwaiting = try StoreStatement(database, "DELETE FROM awaiting WHERE target = ?")
        stopAwaiting = try StoreStatement(database, "DELETE FROM awaiting WHERE target = ? AND url = ?")
        toldLinksRemoval = try StoreStatement(database, "DELETE FROM toldLinks WHERE page = ?")
    }

    /// Writes counts and changed hosts. Must be called before the transaction ends.
    func write(now: Date) throws {
        try hosts.writeIfDue(now: now.storeSeconds)
        try writeCounts()
    }

    /// Writes counts and all changed hosts.
    func writeAll() throws {
        try hosts.write()
        try writeCounts()
    }

    private func writeCounts() throws {
        try outcomes.write()
        try counters.run(
            .integer(arrivals), .integer(recordTable.sequence), .integer(hosts.count), .integer(hosts.lastNumber),
            .integer(known), .integer(queued), .integer(recordTable.count), .integer(load), .integer(dropped),
            .integer(hosts.latest))
    }

    func takeHostsWithWork() -> [Int64] {
        defer { hostsWithWork = [] }
        return hostsWithWork
    }

    // MARK: Leases

    func lease(_ number: Int64) { leased[URLNumber.host(of: number), default: []].insert(number) }

    func isLeased(_ number: Int64) -> Bool {
        leased[URLNumber.host(of: number)]?.contains(number) ?? false
    }

    func endLease(_ number: Int64) {
        let host = URLNumber.host(of: number)
        leased[host]?.remove(number)
        leasesMetNearer.remove(number)
        if leased[host]?.isEmpty == true { leased[host] = nil }
        hostsWithWork.append(host)
    }

    func release(_ request: CrawlRequest) throws {
        guard let host = try hosts.number(of: request.host) else { return }
        if let row = try urls.find(StoredAddress(request), host: host).row { endLease(row.id) }
    }

    // MARK: Queueing

    enum Known {
        case new(Int64)
        case leased(Int64)
        case known(Int64)
        /// Another shard owns it, and gets it. The number is that of the outbox.
        case foreign(Int64)
        /// The queue is full, and the URL is not better than others in it.
        case dropped

        /// The number of the URL.
        var number: Int64? {
            switch self {
            case .new(let number), .leased(let number), .known(let number): number
            case .foreign, .dropped: nil
            }
        }
    }

    /// Queues a request whose URL is not known. For a known URL, keeps what is new about it.
    ///
    /// - Parameters:
    ///   - page: the number of the page that links to it; nil if no page does.
    ///   - alwaysKept: whether it is kept even if the queue is full.
    ///   - drops: gets the URL if it is not kept, and those that made room for it.
    func add(
        _ request: CrawlRequest, linkedFrom page: Int64? = nil, alwaysKept: Bool = false, _ drops: inout DroppedURLs
    ) throws -> Known {
        if let mail, let owner = mail.foreignOwner(of: request.host) {
            return try post(request, to: owner, mail, &drops)
        }
        let isKept = alwaysKept || request.isOwed
        guard let host = try hosts.number(of: request.host) ?? addHost(of: request, isKept: isKept, &drops) else {
            return .dropped
        }
        let address = StoredAddress(request)
        let seed = try seeds.number(of: request.seed)
        if let number = recent.number(covering: request, address, host: host, seed: seed, isLink: page != nil) {
            return .known(number)
        }
        let (found, number) = try urls.find(address, host: host)
        guard var row = found else {
            let extras = try URLTable.extras(of: request)
            let load = Int64(
                FrontierLimits.load(keyBytes: request.key.string.utf8.count, extraBytes: extras?.utf8.count ?? 0))
            if !isKept, try !makeRoom(for: request, load: load, host: host, &drops) { return .dropped }
            try urls.insert(
                number, request, extras: extras, address: address, rank: nextRank(priority: request.priority),
                seed: seed, foundOn: page)
            known += 1
            try changeQueue(host, count: 1, load: load)
            try hosts.change(host) {
                $0.urls += 1
                $0.closedFrom = nil
            }
            hostsWithWork.append(host)
            recent.insert(address, number: number, host: host, depth: Int64(request.depth), seed: seed, isLink: false)
            if request.discovery == .seed { lostURLs.keep(number) }
            return .new(number)
        }
        if request.discovery == .seed { lostURLs.keep(number) }
        defer {
            recent.insert(
                address, number: number, host: host, depth: row.depth, seed: row.seed, isLink: page != nil)
        }
        if isLeased(number) {
            try meetNearer(&row, request, seed: seed)
            return .leased(number)
        }
        let before = (row.rank, row.depth, row.seed, row.flags.rawValue, row.extras)
        let loadBefore = row.load
        // The scope has refused the URL as it was found before.
        var mustBeAsked = false
        if !request.sitemap.isEmpty { try add(request.sitemap, to: &row) }
        if row.state == .queued {
            if request.isOwed, !row.flags.isOwed { row.flags.isOwed = true }
            if request.standsForSeed { row.flags.standsForSeed = true }
            if request.depth <= row.depth,
                try ways.prefers(request.way, to: way(to: row), of: row.address.key, isQueued: true)
            {
                take(request, seed: seed, into: &row)
            }
            try refresh(&row, request, seed: seed)
        } else {
            if request.standsForSeed { row.flags.standsForSeed = true }
            try refresh(&row, request, seed: seed)
            try hurry(&row, to: request)
            mustBeAsked = row.flags.isRefused
            if mustBeAsked { row.flags.takeWay(of: request) }
        }
        if before != (row.rank, row.depth, row.seed, row.flags.rawValue, row.extras) {
            try urls.queue(row)
            if row.state == .queued, row.load != loadBefore {
                try changeQueue(host, count: 0, load: row.load - loadBefore)
            }
        }
        if mustBeAsked {
            (row.depth, row.seed) = (Int64(request.depth), seed)
            try requeue(&row)
            broughtForward += 1
        } else if row.state != .queued {
            try meetNearer(&row, request, seed: seed)
        }
        return .known(number)
    }

    /// The nearest known way to a URL.
    func way(to row: URLTable.Row) throws -> CrawlWay {
        CrawlWay(depth: Int(clamping: row.depth), seed: try seeds[row.seed])
    }

    /// The hosts to which a seed's redirects lead, and its app, may be others than in an earlier run.
    private func refresh(_ row: inout URLTable.Row, _ request: CrawlRequest, seed: Int64) throws {
        guard request.standsForSeed, row.depth == 0, row.seed != seed, try seeds[row.seed].url == request.seed.url
        else {
            return
        }
        row.seed = seed
    }

    /// Takes in a nearer way to a visited or leased page.
    private func meetNearer(_ row: inout URLTable.Row, _ request: CrawlRequest, seed: Int64) throws {
        // Most URLs are met again from farther away, or by the same way.
        guard row.address.isPage, request.depth <= row.depth, request.depth < row.depth || seed != row.seed else {
            return
        }
        let known = try way(to: row)
        guard ways.prefers(request.way, to: known, of: row.address.key, isQueued: request.standsForSeed) else { return }
        (row.depth, row.seed) = (Int64(request.depth), seed)
        try urls.queue(row)
        try wasMetNearer(&row, isShorter: request.depth < known.depth)
    }

    /// Adds the host of a URL that will be kept; nil if the queue has no room for the URL. A page may link to thousands of hosts, all of
    /// one domain with a wildcard, and each would stay.
    private func addHost(of request: CrawlRequest, isKept: Bool, _ drops: inout DroppedURLs) throws -> Int64? {
        if !isKept {
            let extras = try URLTable.extras(of: request)
            let load = FrontierLimits.load(
                keyBytes: request.key.string.utf8.count, extraBytes: extras?.utf8.count ?? 0)
            guard try makeRoom(for: request, load: Int64(load), host: nil, &drops) else { return nil }
        }
        return try hosts.add(request.host)
    }

    private func post(
        _ request: CrawlRequest, to owner: Int, _ mail: ShardMail, _ drops: inout DroppedURLs
    ) throws -> Known {
        let number = try mail.post(
            request, to: owner, seed: try seeds.number(of: request.seed), seedOf: { try seeds[$0] },
            sequence: recordTable.nextSequence)
        if let number { return .foreign(number) }
        drops.add(request.url)
        dropped += 1
        return .dropped
    }

    /// Removes a URL that is not leased, as if it had never been known.
    func remove(_ row: URLTable.Row) throws {
        try urls.remove(row.id)
        recent.forget(row.address, host: row.host)
        known -= 1
        try hosts.change(row.host) { $0.urls -= 1 }
        if row.state == .queued {
            try changeQueue(row.host, count: -1, load: -row.load)
        } else if let due = try hosts[row.host].nextDue, row.rank <= due {
            let next = try urls.nextDue(host: row.host)
            try hosts.change(row.host) { $0.nextDue = next }
        }
    }

    func noteDropped(host: Int64?) throws {
        dropped += 1
        if let host { try hosts.change(host) { $0.dropped += 1 } }
    }

    func changeQueue(_ host: Int64, count: Int64, load: Int64) throws {
        queued += count
        self.load = queued <= 0 ? 0 : max(self.load + load, queued)
        try hosts.changeQueue(host, count: count, load: load)
    }

    /// Lets a queued URL be found as the request has found it.
    private func take(_ request: CrawlRequest, seed: Int64, into row: inout URLTable.Row) {
        let depth = Int64(request.depth)
        if row.address.isPage, depth != row.depth { row.rank = nextRank(priority: request.priority) }
        row.depth = depth
        row.seed = seed
    }

    /// Makes a visited page due sooner if its site says that it has changed since: at once, or when the shortest interval of visits has
    /// passed. Some sitemaps say so of every page at all times. So after each wrong hint, the next one waits four times as long.
    private func hurry(_ row: inout URLTable.Row, to request: CrawlRequest) throws {
        guard let modified = request.modifiedAt, let visited = row.visitedAt, modified.storeSeconds > visited,
            row.rank > cutoff
        else { return }
        let wait = recrawl(of: request.host).minimumInterval.storeSeconds &* (1 << (2 * Int64(row.flags.wrongHints)))
        let due = max(visited &+ wait, cutoff)
        guard due < row.rank else { return }
        row.flags.isHurried = true
        row.rank = due
        try isDue(due, on: row.host)
        broughtForward += 1
    }

    private func dueNow(_ row: inout URLTable.Row) throws {
        row.rank = cutoff
        try isDue(cutoff, on: row.host)
    }

    private func isDue(_ due: Int64, on host: Int64) throws {
        try hosts.change(host) { $0.nextDue = min($0.nextDue ?? due, due) }
        if due <= cutoff { hostsWithWork.append(host) }
    }

    /// Lets a visited URL be due sooner.
    func plan(_ change: NewPlan.Change) throws {
        try urls.plan(change.number, due: change.due, rhythm: change.rhythm)
        try isDue(change.due, on: URLNumber.host(of: change.number))
    }

    /// Lets this run visit a URL that was visited before, whenever it would be due.
    func makeDue(_ row: URLTable.Row) throws {
        guard row.rank > cutoff else { return }
        var row = row
        try dueNow(&row)
        try urls.queue(row)
    }

    func recrawl(of host: String) -> CrawlConfiguration.Recrawl { sheets.sheet(for: host)?.recrawl ?? recrawl }

    private func add(_ facts: SitemapFacts, to row: inout URLTable.Row) throws {
        var extras = try URLTable.extras(from: row.extras)
        let all = extras.sitemap.adding(facts)
        guard all != extras.sitemap else { return }
        extras.sitemap = all
        row.extras = try URLTable.text(of: extras)
    }

    func nextRank(priority: Int) -> Int64 {
        arrivals += 1
        return URLTable.queuedRank(priority: priority, arrival: arrivals)
    }

    func requeue(_ row: inout URLTable.Row) throws {
        let wasQueued = row.state == .queued
        let dueBefore = row.rank
        row.state = .queued
        row.rank = nextRank(priority: row.address.isPage ? Int(row.depth) : -1)
        try urls.queue(row)
        if try hosts[row.host].nextDue == dueBefore {
            let next = try urls.nextDue(host: row.host)
            try hosts.change(row.host) { $0.nextDue = next }
        }
        if !wasQueued { try changeQueue(row.host, count: 1, load: row.load) }
        hostsWithWork.append(row.host)
    }

    /// Takes over a record that an earlier storage of this shard has told, and queues its page, whose visit then finds out what became
    /// of the record. A record whose identifier is known stays as it is, and so does a page that has a record: a page has one.
    ///
    /// - Parameter page: the request for its page, which must be owed.
    /// - Returns: whether it was taken over.
    func takeOver(_ record: ToldRecord, page: CrawlRequest) throws -> Bool {
        guard try !recordTable.knows(record.identifier) else { return false }
        var drops = DroppedURLs()
        guard let number = try add(page, &drops).number, !isLeased(number),
            var row = try urls[number, page.host], try urls.record(of: row) == nil
        else { return false }
        try recordTable.takeOver(record, url: number)
        let identifier = record.identifier == row.address.key ? "" : record.identifier
        try urls.takeOver(
            identifier, of: number, visitedAt: record.fetchedAt.storeSeconds,
            rhythm: RecrawlPolicy(recrawl(of: page.host)).next(after: .firstVisit, isMiss: false, previous: nil).rhythm
                .storeSeconds)
        // The page was visited before its record was known here.
        if row.state != .queued { try requeue(&row) }
        return true
    }

    // MARK: Finishing

    func finish(_ visit: FinishedVisit, records: [StoredChange]) throws -> FrontierChange {
        var change = FrontierChange()
        outlinks.removeAll(keepingCapacity: true)
        let page = try number(of: visit.request)
        let nearerWay = try page.flatMap { try self.nearerWay(to: $0, than: visit.request) }
        // Local URLs that it led to, which have their way from it; and those away.
        var successors: [LinkTable.Successor] = []
        var away: [ShardMail.LinkAway] = []
        var redirect: Int64?
        // The keys of the same, for other shards.
        var (linkedKeys, redirectKey): ([String], String?) = ([], nil)
        let tellsLinks = mail?.tellsLinks == true && visit.request.isPage
        for var request in visit.discovered {
            let hasDepthOfPage = visit.request.isPage && request.isPage
            if let nearerWay, hasDepthOfPage {
                let way = request.way(by: nearerWay)
                if ways.passesOn(
                    way, over: request.way, to: request.key.string, host: request.host, isQueued: true)
                {
                    request.way = way
                }
            }
            let isLink = request.discovery == .outlink && visit.request.isPage
            let known = try add(request, linkedFrom: isLink ? page : nil, &change.dropped)
            switch known {
            case .new:
                change.added += 1
                if request.discovery == .redirect { change.followed = true }
            case .leased where !request.sitemap.isEmpty:
                change.lateSitemapFacts[request.key, default: SitemapFacts()].add(request.sitemap)
            case .foreign: if request.discovery == .redirect { change.followed = true }
            case .leased, .known, .dropped: break
            }
            if hasDepthOfPage {
                if case .foreign(let number) = known {
                    away.append(ShardMail.LinkAway(number: number, addsDepth: request.addsDepth))
                } else if let number = known.number {
                    successors.append(LinkTable.Successor(number: number, addsDepth: request.addsDepth))
                }
            }
            if isLink, let number = known.number { outlinks.append(number) }
            if request.discovery == .redirect { redirect = known.number }
            guard tellsLinks else { continue }
            if case .dropped = known { continue }
            if isLink { linkedKeys.append(request.key.string) }
            if request.discovery == .redirect { redirectKey = request.key.string }
        }
        let host = try hosts.add(visit.request.host)
        let address = StoredAddress(visit.request)
        var found = try urls.find(address, host: host).row
        if found == nil {
            var owed = visit.request
            if !owed.isOwed { owed.discovery = .redirect }
            _ = try add(owed, &change.dropped)
            found = try urls.find(address, host: host).row
        }
        guard var row = found else {
            throw StorageError.damaged(reason: "\(address.key) is missing")
        }
        let before = (state: row.state, rank: row.rank, load: row.load)
        let due = RecrawlPolicy.due(
            after: visit.next.wait, visitEndedAt: visit.finishedAt.storeSeconds, runBegan: cutoff)
        row.rank = min(max(due, 0), URLTable.firstQueuedRank - 1)
        let lastVisit = row.visitedAt
        row.visitedAt = visit.finishedAt.storeSeconds
        row.visits += 1
        lostURLs.note(visit.outcome, of: &row, lastVisit: lastVisit)
        row.changes += visit.next.changed == true ? 1 : 0
        row.extras = try extras(after: visit, before: row.extras)
        row.flags.revalidationKey = visit.revalidationKey
        if let changed = visit.next.changed {
            if !changed, row.flags.isHurried { row.flags.wrongHints += 1 }
            if changed { row.flags.wrongHints = row.flags.isHurried ? 0 : row.flags.wrongHints - 1 }
            row.flags.isHurried = false
        }
        try addToHistory(&row, code: visit.outcome.code, at: visit.finishedAt.storeSeconds)
        endLease(row.id)

        let standing = try standing(of: visit, row: row, before: before.state)
        row.state = standing.state
        row.canonical = standing.canonical
        if visit.request.isPage {
            let finding = LinkTable.Finding(
                visit, followed: outlinks, nofollow: try visit.nofollowLinks.compactMap { try number(of: $0) },
                redirect: redirect, canonical: standing.state == .duplicate ? standing.canonical : nil)
            try links.apply(finding, of: row.id)
            // A visit that has not read the page says nothing of where it leads.
            if !finding.isNothing || !visit.discovered.isEmpty || visit.isCut {
                row.flags.isCut = visit.isCut
                let further = finding.further(successors)
                // Elsewhere, the page would only be read again for a nearer way.
                let isKept = ways.compares(visit.request.seed)
                row.flags.leadsFurther = !isKept && !further.isEmpty
                if isKept { try links.keepFurther(further, of: row.id) }
                try mail?.keepLinks(away, of: row.id)
            }
        }
        row.flags.isRefused = if case .excluded(let refusal) = visit.outcome { !refusal.isOfRun } else { false }
        if row.flags.isRefused { recent.forget(row.address, host: host) }
        try urls.finish(row, visit)
        if let mail, tellsLinks {
            var canonical: String?
            if standing.state == .duplicate, case .duplicate(let url) = visit.outcome { canonical = URLKey(url).string }
            let finding = LinkTable.Finding(
                visit, followed: linkedKeys, nofollow: visit.nofollowLinks.map(\.key.string), redirect: redirectKey,
                canonical: canonical)
            try mail.note(
                finding, of: row.id, at: row.address, record: visit.recordIdentifier.map { ($0, records.simHash) },
                sequence: recordTable.nextSequence)
        }
        if before.state == .queued { try changeQueue(host, count: -1, load: -before.load) }
        try hosts.change(host) {
            $0.lastRequest = max($0.lastRequest ?? 0, visit.finishedAt.storeMilliseconds)
            $0.nextDue = min($0.nextDue ?? row.rank, row.rank)
        }
        if before.state != .queued, before.rank <= cutoff {
            let next = try urls.nextDue(host: host)
            try hosts.change(host) { $0.nextDue = next }
        }
        try settle(&row, standing, change: &change)
        if let nearerWay, row.state != .queued {
            if row.flags.isCut, nearerWay.depth < visit.request.depth {
                try requeue(&row)
            } else if visit.discovered.isEmpty || namedSeed(of: row, nearest: nearerWay.seed) != nil {
                // A page that was not read passes its way on by the links that are kept of it. Its record names the seed of before.
                try nearer.add(row.id)
            }
        } else if before.state == .queued, row.state != .queued, lastVisit != nil, visit.discovered.isEmpty,
            visit.request.isPage, ways.compares(visit.request.seed)
        {
            // So does one that was queued again, and may have got its way since.
            try nearer.add(row.id)
        }
        for record in records { try recordTable.apply(record, url: row.id) }
        try observations.apply(visit.observation, of: visit, url: row.id)
        return change
    }

    /// The nearer way to a leased page that was found since it was leased; nil if none was.
    private func nearerWay(to page: Int64, than request: CrawlRequest) throws -> CrawlWay? {
        guard leasesMetNearer.contains(page), let row = try urls[page, request.host] else { return nil }
        let way = try way(to: row)
        return ways.isNearer(way, than: request.way, to: request.key.string) ? way : nil
    }

    /// The state of a URL after its visit.
    private struct Standing {
        var state: URLTable.State
        var canonical: Int64?
        /// The page is queued again, to be filed under its own URL.
        var fallsBack = false
        /// The visit of the canonical page decides.
        var waits = false
    }

    private func standing(of visit: FinishedVisit, row: URLTable.Row, before: URLTable.State) throws -> Standing {
        guard case .duplicate(let canonical) = visit.outcome else {
            // A page with a record that could not be read this time keeps its state.
            let stands = visit.outcome.standsForItself || before == .kept && visit.recordIdentifier != nil
            return Standing(state: stands ? .kept : .finished)
        }
        let key = URLKey(canonical)
        let name = CrawlRequest(url: canonical, seed: visit.request.seed, discovery: .canonical).host
        guard let host = try hosts.number(of: name),
            let target = try urls.find(StoredAddress(key: key, host: name, isPage: true), host: host).row
        else { return Standing(state: .finished, fallsBack: true) }
        let known: CanonicalVerdict.Target =
            switch target.state {
            case _ where isLeased(target.id), .queued: .queuedOrLeased
            case .kept: .kept
            case .duplicate where target.canonical == row.id: .namesPage(ownURL: try href(of: target))
            case .duplicate, .finished: .unfit
            }
        switch CanonicalVerdict(of: visit.request.url, canonical: known) {
        case .duplicate: return Standing(state: .duplicate, canonical: target.id)
        case .waits: return Standing(state: .duplicate, canonical: target.id, waits: true)
        case .fallsBack: return Standing(state: .finished, fallsBack: true)
        }
    }

    /// Carries out the consequences of a visit for canonical pages. Pages that named this URL as canonical are queued again
    /// for themselves unless it is kept. Then the page itself is queued again, or waits for its own canonical page.
    private func settle(_ row: inout URLTable.Row, _ standing: Standing, change: inout FrontierChange) throws {
        if standing.fallsBack {
            row.flags.ignoresCanonical = true
            try requeue(&row)
            return
        }
        let waiting = try endWaiting(for: row.id)
        if standing.state != .kept {
            for number in waiting { try requeueForItself(number) }
        }
        guard standing.state == .duplicate else { return }
        change.followed = true
        guard standing.waits, let target = standing.canonical else { return }
        try startAwaiting.run(.integer(target), .integer(row.id))
        mayAwait = true
    }

    /// Ends the waiting of pages for their canonical page, and returns their numbers.
    func endWaiting(for target: Int64) throws -> [Int64] {
        guard mayAwait else { return [] }
        var waiting: [Int64] = []
        try awaitingOf.rows(.integer(target)) { waiting.append($0.integer(0)) }
        if !waiting.isEmpty { try endAwaiting.run(.integer(target)) }
        return waiting
    }

    /// Ends the waiting of one page.
    func endWaiting(of page: Int64, for target: Int64) throws {
        try stopAwaiting.run(.integer(target), .integer(page))
    }

    /// The number of a request's URL; nil if it was never added.
    func number(of request: CrawlRequest) throws -> Int64? {
        guard let host = try hosts.number(of: request.host) else { return nil }
        let address = StoredAddress(request)
        return try recent.number(of: address, host: host) ?? urls.find(address, host: host).row?.id
    }

    func requeueForItself(_ number: Int64) throws {
        let host = try hosts[URLNumber.host(of: number)]
        guard var row = try urls[number, host.name], !isLeased(number), row.state != .queued else { return }
        row.flags.ignoresCanonical = true
        try requeue(&row)
    }

    private func href(of row: URLTable.Row) throws -> String {
        try URLTable.extras(from: row.extras).url ?? row.address.key
    }

    /// What sitemaps said of the page, also while it was leased, is kept with it. It goes with the page's record.
    private func extras(after visit: FinishedVisit, before: String?) throws -> String? {
        let facts = visit.takesRecordDown ? SitemapFacts() : visit.request.sitemap
        guard visit.takesRecordDown || !facts.isEmpty else { return before }
        var extras = try URLTable.extras(from: before)
        guard extras.sitemap != facts else { return before }
        extras.sitemap = facts
        return try URLTable.text(of: extras)
    }

    func addToHistory(_ row: inout URLTable.Row, code: String, at seconds: Int64) throws {
        let code = UInt16(truncatingIfNeeded: try outcomes.number(of: code))
        outcomes.move(from: OutcomeTable.lastNumber(in: row.history), to: Int64(code))
        let moment = UInt32(clamping: seconds)
        let full = URLTable.keptVisits * URLTable.bytesOfVisit
        if row.history.count >= full { row.history.removeFirst(row.history.count - full + URLTable.bytesOfVisit) }
        withUnsafeBytes(of: code.littleEndian) { row.history.append(contentsOf: $0) }
        withUnsafeBytes(of: moment.littleEndian) { row.history.append(contentsOf: $0) }
    }
}

extension LinkTable.Finding<Int64> {
    /// Those of some URLs that are not among those that it keeps.
    fileprivate func further(_ urls: [LinkTable.Successor]) -> [LinkTable.Successor] {
        switch self {
        case .links(let followed, _):
            // Both are in the order in which the links were found.
            if followed.count == urls.count, zip(followed, urls).allSatisfy({ $0 == $1.number && $1.addsDepth }) {
                return []
            }
            let kept = Set(followed)
            return urls.filter { !$0.addsDepth || !kept.contains($0.number) }
        case .leadsTo(let target): return urls.filter { $0.addsDepth || $0.number != target }
        case .gone, .nothing: return urls
        }
    }
}

extension StoredFlags {
    /// The URL is found as the request has found it.
    fileprivate mutating func takeWay(of request: CrawlRequest) {
        discovery = request.discovery
        if request.standsForSeed { standsForSeed = true }
    }
}

extension FinishedVisit {
    /// Whether the page had a record, and nothing of it is left. Of a duplicate, the canonical page says the same.
    fileprivate var takesRecordDown: Bool {
        if case .duplicate = outcome { return false }
        return recordIdentifier == nil
            && changes.contains { if case .delete = $0 { true } else { false } }
    }
}
