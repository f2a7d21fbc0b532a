import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// The URLs of a frontier in its tables, inside one transaction at a time. What `MemoryFrontier` decides too, over dictionaries, is
/// decided in one place: `FrontierLimits.makeRoom`, `CrawlRequest.isNearer`, `CanonicalVerdict`. One suite of tests holds both to
/// the rest.
final class FrontierTables {
    /// What is leased, which only memory knows: whoever dies has given everything back.
    private(set) var leased: [Int64: Set<Int64>] = [:]
    /// Hosts that got work, or have room for more, in the order it happened.
    private(set) var hostsWithWork: [Int64] = []
    let hosts: HostTable
    let urls: URLTable
    let seeds: SeedTable
    let outcomes: OutcomeTable
    let rules: RulesTable
    let recordTable: RecordTable
    private let reports: ReportTable
    /// URLs that were due when the frontier was opened are visited; what falls due later waits for the next run, so that
    /// a run has an end.
    let cutoff: Int64
    private let minimumInterval: Int64
    private var recent = RecentAddresses()
    private var turn: Int64
    private var awaitingCount: Int64
    /// URLs that are known, and those of them that wait to be visited.
    private var known: Int64
    private var queued: Int64
    /// What the queued ones count for, and how many URLs were not kept.
    private(set) var load: Int64
    private var dropped: Int64
    let limits: FrontierLimits
    /// Of the page whose visit is being finished: URLs that name it as a page that links to them.
    private var linked: Set<Int64> = []
    private let counters: StoreStatement
    private let awaitingOf: StoreStatement
    private let startAwaiting: StoreStatement
    private let endAwaiting: StoreStatement

    init(_ database: Database, cutoff: Date, recrawl: CrawlConfiguration.Recrawl, limits: FrontierLimits) throws {
        self.limits = limits
        hosts = try HostTable(database)
        urls = try URLTable(database)
        seeds = try SeedTable(database)
        outcomes = try OutcomeTable(database)
        rules = try RulesTable(database)
        recordTable = try RecordTable(database)
        self.cutoff = cutoff.storeSeconds
        minimumInterval = recrawl.minimumInterval.storeSeconds
        reports = try ReportTable(database, misses: recrawl.misses)
        turn = try Int64.fetchOne(database, sql: "SELECT turn FROM store") ?? 0
        awaitingCount = try Int64.fetchOne(database, sql: "SELECT count(*) FROM awaiting") ?? 0
        known = try Int64.fetchOne(database, sql: "SELECT known FROM store") ?? 0
        queued = try Int64.fetchOne(database, sql: "SELECT queued FROM store") ?? 0
        load = max(queued, try Int64.fetchOne(database, sql: "SELECT load FROM store") ?? 0)
        dropped = try Int64.fetchOne(database, sql: "SELECT dropped FROM store") ?? 0
        counters = try StoreStatement(
            database,
            """
            UPDATE store SET turn = ?, sequence = ?, hosts = ?, known = ?, queued = ?, records = ?, load = ?, dropped = ?
            """)
        awaitingOf = try StoreStatement(database, "SELECT url FROM awaiting WHERE target = ? ORDER BY url")
        startAwaiting = try StoreStatement(database, "INSERT OR IGNORE INTO awaiting VALUES (?, ?)")
        endAwaiting = try StoreStatement(database, "DELETE FROM awaiting WHERE target = ?")
    }

    /// Before the transaction ends.
    func write(now: Date) throws {
        try hosts.writeIfDue(now: now.storeSeconds)
        try outcomes.write()
        try counters.run(
            .integer(turn), .integer(recordTable.sequence), .integer(hosts.lastNumber), .integer(known),
            .integer(queued), .integer(recordTable.count), .integer(load), .integer(dropped))
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
        if leased[host]?.isEmpty == true { leased[host] = nil }
        hostsWithWork.append(host)
    }

    func release(_ request: CrawlRequest) throws {
        guard let host = try hosts.number(of: request.host) else { return }
        if let row = try urls.find(StoredAddress(request), host: host).row { endLease(row.id) }
    }

    // MARK: Queueing

    enum Known {
        case new
        case leased
        case known
        /// More waits than a run may visit.
        case dropped
    }

    /// Queues a request whose URL is not known; of one that is known, keeps what is new.
    ///
    /// - Parameters:
    ///   - page: number of the page that links to it.
    ///   - drops: gets what is not kept, and what made room.
    func add(_ request: CrawlRequest, linkedFrom page: Int64? = nil, _ drops: inout DroppedURLs) throws -> Known {
        let host = try hosts.add(request.host)
        let address = StoredAddress(request)
        let seed = try seeds.number(of: request.seed)
        if recent.cover(request, address, host: host, seed: seed, isLink: page != nil) { return .known }
        let (found, number) = try urls.find(address, host: host)
        guard var row = found else {
            let extras = try URLTable.extras(of: request)
            let load = Int64(
                FrontierLimits.load(keyBytes: request.key.string.utf8.count, extraBytes: extras?.utf8.count ?? 0))
            if !request.isOwed, try !makeRoom(for: request, load: load, host: host, &drops) { return .dropped }
            try urls.insert(
                number, request, extras: extras, address: address, rank: nextRank(priority: request.priority),
                seed: seed, source: page)
            if page != nil { linked.insert(number) }
            known += 1
            try changeQueue(host, count: 1, load: load)
            try hosts.change(host) {
                $0.urls += 1
                $0.closedFrom = nil
            }
            hostsWithWork.append(host)
            recent.insert(
                address, host: host, depth: Int64(request.depth), seed: seed, sources: page == nil ? 0 : 1)
            return .new
        }
        if let page { try link(&row, from: page) }
        defer {
            recent.insert(address, host: host, depth: row.depth, seed: row.seed, sources: row.sources.count)
        }
        if isLeased(number) { return .leased }
        let before = (row.rank, row.depth, row.seed, row.flags.rawValue, row.extras)
        if !request.alternates.isEmpty { try addAlternates(request.alternates, to: &row) }
        let loadBefore = row.load
        if row.state == .queued {
            if request.isOwed, !row.flags.isOwed { row.flags.isOwed = true }
            if !row.flags.standsForSeed { try shorten(&row, to: request, seed: seed) }
        } else {
            if request.standsForSeed {
                row.seed = seed
                row.flags.standsForSeed = true
            }
            try hurry(&row, to: request)
        }
        if before != (row.rank, row.depth, row.seed, row.flags.rawValue, row.extras) {
            try urls.queue(row)
            if row.state == .queued, row.load != loadBefore {
                try changeQueue(host, count: 0, load: row.load - loadBefore)
            }
        }
        return .known
    }

    /// A queued URL is forgotten.
    func remove(_ row: URLTable.Row) throws {
        try urls.remove(row.id)
        recent.forget(row.address, host: row.host)
        linked.remove(row.id)
        known -= 1
        try changeQueue(row.host, count: -1, load: -row.load)
        try hosts.change(row.host) { $0.urls -= 1 }
    }

    func noteDropped(host: Int64) throws {
        dropped += 1
        try hosts.change(host) { $0.dropped += 1 }
    }

    private func changeQueue(_ host: Int64, count: Int64, load: Int64) throws {
        queued += count
        self.load = queued <= 0 ? 0 : max(self.load + load, queued)
        try hosts.changeQueue(host, count: count, load: load)
    }

    private func link(_ row: inout URLTable.Row, from page: Int64) throws {
        guard page != row.id else { return }
        if row.sources.contains(page) {
            linked.insert(row.id)
        } else if row.sources.count < URLTable.keptSources {
            row.sources.append(page)
            linked.insert(row.id)
            try urls.setSources(row.sources, of: row.id)
        }
    }

    /// A page was read, or went: URLs that named it as linking to them, and to which it links no more, forget it.
    private func settleLinks(of row: URLTable.Row, _ visit: FinishedVisit) throws {
        let before = try urls.targets(of: row.id)
        guard !before.isEmpty || !linked.isEmpty else { return }
        var targets = linked
        let gone = before.filter { !linked.contains($0) }
        if !gone.isEmpty {
            let links = Set(visit.discovered.lazy.filter { $0.discovery == .outlink }.map(\.key.string))
            for number in gone {
                let host = try hosts[URLNumber.host(of: number)]
                guard var target = try urls[number, host.name] else { continue }
                if links.contains(target.address.key) {
                    targets.insert(number)
                } else {
                    target.sources.removeAll { $0 == row.id }
                    try urls.setSources(target.sources, of: number)
                    recent.forget(target.address, host: host.id)
                }
            }
        }
        if targets != Set(before) { try urls.setTargets(targets.sorted(), of: row.id) }
    }

    private func shorten(_ row: inout URLTable.Row, to request: CrawlRequest, seed: Int64) throws {
        let depth = Int64(request.depth)
        guard
            try request.isNearer(
                than: Int(row.depth), seed: seed == row.seed ? request.seed : seeds[row.seed])
        else { return }
        if row.address.isPage, depth != row.depth { row.rank = nextRank(priority: request.priority) }
        row.depth = depth
        row.seed = seed
    }

    /// A sitemap says that a page has changed since it was visited. Some say so of every page at all times, so each time that it
    /// was not true, four times as much must have passed before it is believed again.
    private func hurry(_ row: inout URLTable.Row, to request: CrawlRequest) throws {
        guard let modified = request.modifiedAt, let visited = row.visitedAt, modified.storeSeconds > visited,
            visited &+ minimumInterval &* (1 << (2 * Int64(row.flags.wrongHints))) <= cutoff, row.rank > cutoff
        else { return }
        row.rank = cutoff
        row.flags.isHurried = true
        try hosts.change(row.host) { $0.nextDue = min($0.nextDue ?? cutoff, cutoff) }
        hostsWithWork.append(row.host)
    }

    private func addAlternates(_ alternates: [String], to row: inout URLTable.Row) throws {
        var extras = try URLTable.extras(from: row.extras)
        let all = CrawlRequest.joinedAlternates(extras.alternates ?? [], alternates)
        guard all != extras.alternates else { return }
        extras.alternates = all
        row.extras = try URLTable.text(of: extras)
    }

    private func nextRank(priority: Int) -> Int64 {
        turn += 1
        return URLTable.queuedRank(priority: priority, turn: turn)
    }

    private func requeue(_ row: inout URLTable.Row) throws {
        let wasQueued = row.state == .queued
        row.state = .queued
        row.rank = nextRank(priority: row.address.isPage ? Int(row.depth) : -1)
        try urls.queue(row)
        if !wasQueued { try changeQueue(row.host, count: 1, load: row.load) }
        hostsWithWork.append(row.host)
    }

    // MARK: Finishing

    func finish(
        _ visit: FinishedVisit, records: [StoredChange], report: StoredEntry?
    ) throws -> FrontierChange {
        var change = FrontierChange()
        linked = []
        let page = try number(of: visit.request)
        for request in visit.discovered {
            let source = request.discovery == .outlink && visit.request.isPage ? page : nil
            switch try add(request, linkedFrom: source, &change.dropped) {
            case .new:
                change.added += 1
                if request.discovery == .redirect { change.followed = true }
            case .leased where !request.alternates.isEmpty:
                change.lateAlternates[request.key, default: []] += request.alternates
            case .leased, .known, .dropped: break
            }
        }
        let host = try hosts.add(visit.request.host)
        let address = StoredAddress(visit.request)
        if try urls.find(address, host: host).row == nil {
            var owed = visit.request
            if !owed.isOwed { owed.discovery = .redirect }
            _ = try add(owed, &change.dropped)
        }
        guard var row = try urls.find(address, host: host).row else {
            throw CrawlStorage.StorageError.damaged(reason: "\(address.key) is missing")
        }
        let before = (state: row.state, rank: row.rank, load: row.load)
        let due = visit.finishedAt.storeSeconds + visit.next.wait.storeSeconds
        row.rank = min(max(due, 0), URLTable.firstQueuedRank - 1)
        row.visitedAt = visit.finishedAt.storeSeconds
        row.visits += 1
        row.changes += visit.next.changed == true ? 1 : 0
        row.extras = try extras(of: visit.request, before: row.extras)
        row.flags.revalidationKey = visit.revalidationKey
        if let changed = visit.next.changed {
            if !changed, row.flags.isHurried { row.flags.wrongHints += 1 }
            if changed { row.flags.wrongHints = row.flags.isHurried ? 0 : row.flags.wrongHints - 1 }
            row.flags.isHurried = false
        }
        try addToHistory(&row, visit)
        endLease(row.id)

        let standing = try standing(of: visit, row: row, before: before.state)
        row.state = standing.state
        row.canonical = standing.canonical
        try urls.finish(row, visit)
        if visit.request.isPage, visit.outcome.tellsLinks { try settleLinks(of: row, visit) }
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
        for record in records { try recordTable.apply(record, url: row.id) }
        try reports.apply(report, of: visit, url: row.id)
        return change
    }

    /// How a URL stands once its visit has ended.
    private struct Standing {
        var state: URLTable.State
        var canonical: Int64?
        /// The page is to be visited again and filed under its own URL.
        var fallsBack = false
        /// The canonical page's visit decides.
        var waits = false
    }

    private func standing(of visit: FinishedVisit, row: URLTable.Row, before: URLTable.State) throws -> Standing {
        guard case .duplicate(let canonical) = visit.outcome else {
            // A page that could not be seen this time, and has its record still, stands as it stood.
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

    /// The pages that named this one canonical hear whether it is good; then it takes its own place.
    private func settle(_ row: inout URLTable.Row, _ standing: Standing, change: inout FrontierChange) throws {
        if standing.fallsBack {
            row.flags.ignoresCanonical = true
            try requeue(&row)
            return
        }
        if awaitingCount > 0 {
            var waiting: [Int64] = []
            try awaitingOf.rows(.integer(row.id)) { waiting.append($0.integer(0)) }
            if !waiting.isEmpty {
                try endAwaiting.run(.integer(row.id))
                awaitingCount -= Int64(waiting.count)
            }
            if standing.state != .kept {
                for number in waiting { try requeueForItself(number) }
            }
        }
        guard standing.state == .duplicate else { return }
        change.followed = true
        guard standing.waits, let target = standing.canonical else { return }
        try startAwaiting.run(.integer(target), .integer(row.id))
        awaitingCount += 1
    }

    /// The number of a URL that is about to be finished; nil when it was never admitted.
    private func number(of request: CrawlRequest) throws -> Int64? {
        try hosts.number(of: request.host).flatMap { try urls.find(StoredAddress(request), host: $0).row?.id }
    }

    private func requeueForItself(_ number: Int64) throws {
        let host = try hosts[URLNumber.host(of: number)]
        guard var row = try urls[number, host.name], !isLeased(number), row.state != .queued else { return }
        row.flags.ignoresCanonical = true
        try requeue(&row)
    }

    private func href(of row: URLTable.Row) throws -> String {
        try URLTable.extras(from: row.extras).url ?? row.address.key
    }

    /// What sitemaps said of the page while it was leased stays with it.
    private func extras(of request: CrawlRequest, before: String?) throws -> String? {
        guard !request.alternates.isEmpty else { return before }
        var extras = try URLTable.extras(from: before)
        guard extras.alternates != request.alternates else { return before }
        extras.alternates = request.alternates
        return try URLTable.text(of: extras)
    }

    private func addToHistory(_ row: inout URLTable.Row, _ visit: FinishedVisit) throws {
        let code = UInt16(truncatingIfNeeded: try outcomes.number(of: visit.outcome.code))
        outcomes.move(from: OutcomeTable.lastNumber(in: row.history), to: Int64(code))
        let moment = UInt32(clamping: visit.finishedAt.storeSeconds)
        let full = URLTable.keptVisits * URLTable.bytesOfVisit
        if row.history.count >= full { row.history.removeFirst(row.history.count - full + URLTable.bytesOfVisit) }
        withUnsafeBytes(of: code.littleEndian) { row.history.append(contentsOf: $0) }
        withUnsafeBytes(of: moment.littleEndian) { row.history.append(contentsOf: $0) }
    }
}

extension VisitOutcome {
    /// Whether the page's links are known now: it was read, or it went and has none.
    fileprivate var tellsLinks: Bool {
        if case .notModified = self { return false }
        return bearing == .replaces || bearing == .ends
    }
}
