import DequeModule
import Foundation
import HeapModule
import PippinPage

/// The frontier of a one-off crawl. Nothing is kept after the run; records go straight to the sinks.
public actor MemoryFrontier: Frontier {
    /// A key for a URL and its kind, because a sitemap and a page at the same URL are read separately.
    private struct Key: Hashable {
        let url: URLKey
        let isSitemap: Bool

        init(_ request: CrawlRequest) {
            url = request.key
            isSitemap = !request.isPage
        }

        init(page: WebURL) {
            url = URLKey(page)
            isSitemap = false
        }
    }

    private enum State {
        case queued(Waiting)
        case leased(CrawlWay)
        /// `kept` is true if the page stands for itself.
        case finished(kept: Bool)
        indirect case duplicate(of: Key, WebURL)
    }

    /// A queued URL. It is an object, because most URLs are finished and need no space for a request, and because its links are
    /// counted.
    private final class Waiting {
        var request: CrawlRequest
        /// The number of pages that link to it.
        var links = 1
        /// Whether it must not be dropped; see `FrontierLimits`.
        var isOwed: Bool

        init(_ request: CrawlRequest) {
            self.request = request
            isOwed = request.isOwed
        }

        var load: Int {
            FrontierLimits.load(keyBytes: request.key.string.utf8.count, extraBytes: request.extraBytes)
        }
        var dropRank: DropRank {
            DropRank(isPage: request.isPage, depth: request.depth, discovery: request.discovery, links: links)
        }
    }

    /// A visited page: the way to it, and where it leads, so that a nearer way to it that is found later is passed on.
    private struct Reach {
        var way: CrawlWay
        /// The numbers of the pages that have their way from it, doubled, plus 1 for a link, which adds to the depth.
        var successors: [UInt32] = []
        /// The request for another visit if a shorter way is found; nil if the successors are all that there is.
        var again: Again?
    }

    /// A request of which most pages have none.
    private final class Again {
        let request: CrawlRequest
        init(_ request: CrawlRequest) { self.request = request }
    }

    /// A URL that may be dropped; the greatest is the worst. The entry may be outdated: the URL may have been leased or
    /// dropped, or its rank may have improved.
    private struct Candidate: Comparable {
        let rank: DropRank
        let sequence: Int
        let key: Key
        static func < (a: Candidate, b: Candidate) -> Bool {
            a.rank != b.rank ? a.rank < b.rank : a.sequence < b.sequence
        }
        static func == (a: Candidate, b: Candidate) -> Bool { a.sequence == b.sequence }
    }

    private struct Place: Comparable {
        let priority: Int
        let sequence: Int
        let key: Key
        static func < (a: Place, b: Place) -> Bool { (a.priority, a.sequence) < (b.priority, b.sequence) }
        static func == (a: Place, b: Place) -> Bool { a.sequence == b.sequence }
    }

    private struct Host {
        /// The queue. It may contain outdated places of requests that were leased, or queued again nearer to a seed; they are
        /// skipped.
        var places = Heap<Place>()
        /// The URLs that may be dropped; nil until the first URL must be dropped.
        var candidates: Heap<Candidate>?
        var queued = 0
        /// The load of its queued URLs.
        var load = 0
        var leased = 0
        /// Whether the host is in `inNeed`.
        var listed = false
        var suspendedUntil: Date?
    }

    private struct Giver: Comparable {
        let load: Int
        let host: String
        static func < (a: Giver, b: Giver) -> Bool { (a.load, b.host) < (b.load, a.host) }
    }

    private var states: [Key: State] = [:]
    private var hosts: [String: Host] = [:]
    /// Hosts to lease from, the longest waiting first.
    private var inNeed = Deque<String>()
    /// Pages that wait for the visit of their canonical page, by its key.
    private var awaitingCanonical: [Key: [CrawlRequest]] = [:]
    /// The rules by origin. Each takes about as many bytes as its host sent, and at most the size limit of a robots.txt.
    private var rules: [String: StoredRobots] = [:]
    private var reached: [Key: Reach] = [:]
    private var leasesMetNearer: [Key: CrawlWay] = [:]
    private let ways: WayRule
    /// The records of pages that name the seed that led there, as the sinks have them or will get them. A nearer seed may be found until
    /// the run ends. A record that has no room keeps the seed that it was made with.
    private var naming: [Key: RecordDocument] = [:]
    private var namingBytes = 0
    /// A record takes about three times its text.
    private static let mostNamingBytes = 20 << 20
    /// Those whose seed has changed since the sinks got them.
    private var renamed: Set<Key> = []
    /// The URLs to which visited pages lead, and their numbers.
    private var targets: [Key] = []
    private var numbers: [Key: UInt32] = [:]
    /// All successors that are kept, and the most: 16 MB. Of more pages it is not kept where they lead, and a nearer way to them ends there.
    private var successorCount = 0
    static let mostSuccessors = 4_000_000
    private var sequence = 0
    private var unfinished = 0
    private let limits: FrontierLimits
    /// The load of all queued URLs.
    private var load = 0
    /// Hosts by their load, one entry for each time it grew; nil until the queue of all hosts is full.
    private var givers: Heap<Giver>?
    private var shareOfHost = 16
    private let date: @Sendable () -> Date
    private let sinks: [any RecordSink]

    /// Creates an empty frontier.
    ///
    /// - Parameters:
    ///   - scope: of the job. Without one, ways of equal length are compared only while a URL waits (`WayRule`).
    ///   - sinks: receive all records, in order.
    ///   - date: returns the calendar's time, for suspended hosts.
    public init(
        limits: FrontierLimits = .unlimited, scope: CrawlScope? = nil, sinks: [any RecordSink] = [],
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.limits = limits
        ways = WayRule(scope)
        self.sinks = sinks
        self.date = date
    }

    public func add(_ requests: [CrawlRequest]) -> FrontierChange {
        var change = FrontierChange()
        for request in requests {
            let isKnown = states[Key(request)] != nil
            if enqueueIfNew(request, &change.dropped) { change.added += 1 }
            if isKnown { change.unchanged += 1 }
        }
        if change.dropped.count > 0 { change.turnedAway = requests.filter { states[Key($0)] == nil } }
        change.hostsInNeed = inNeed.count
        return change
    }

    public func lease(limit: Int, perHost: Int) -> [CrawlRequest] {
        shareOfHost = max(1, perHost)
        var leased: [CrawlRequest] = []
        var rounds = inNeed.count
        while leased.count < limit, rounds > 0, let name = inNeed.popFirst() {
            rounds -= 1
            guard var host = hosts.removeValue(forKey: name) else { continue }
            host.listed = false
            if let until = host.suspendedUntil, until <= date() { host.suspendedUntil = nil }
            while host.suspendedUntil == nil, host.leased < shareOfHost, leased.count < limit,
                let place = host.places.popMin()
            {
                guard case .queued(let waiting)? = states[place.key], waiting.request.priority == place.priority else {
                    continue
                }
                states[place.key] = .leased(waiting.request.way)
                host.queued -= 1
                host.load -= waiting.load
                load -= waiting.load
                host.leased += 1
                leased.append(waiting.request)
            }
            hosts[name] = host
            list(name)
        }
        return leased
    }

    public func finish(_ visit: FinishedVisit) async throws -> FrontierChange {
        // The sinks come first, so that a visit whose records they refuse does not count as finished.
        let changes = visit.newChanges
        if !changes.isEmpty {
            for sink in sinks { try await sink.write(changes) }
        }
        var change = FrontierChange()
        let key = Key(visit.request)
        let nearerWay = leasesMetNearer.removeValue(forKey: key)
        var reach = Reach(way: visit.request.way)
        for var request in visit.discovered {
            let hasDepthOfPage = visit.request.isPage && request.isPage
            if hasDepthOfPage, let nearerWay {
                let way = request.way(by: nearerWay)
                if ways.passesOn(
                    way, over: request.way, to: request.key.string, host: request.host, isQueued: true)
                {
                    request.way = way
                }
            }
            defer {
                if hasDepthOfPage, let number = number(of: Key(request)) {
                    reach.successors.append(number << 1 | (request.addsDepth ? 1 : 0))
                }
            }
            if enqueueIfNew(request, &change.dropped) {
                change.added += 1
                if request.discovery == .redirect { change.followed = true }
            } else if !request.sitemap.isEmpty, case .leased? = states[Key(request)] {
                change.lateSitemapFacts[request.key, default: SitemapFacts()].add(request.sitemap)
            }
        }
        unfinished -= 1
        hosts[visit.request.host]?.leased -= 1
        if case .duplicate(let canonical) = visit.outcome {
            change.followed = settleDuplicate(visit.request, key: key, canonical: canonical)
        } else {
            settle(key, kept: visit.outcome.standsForItself)
        }
        keep(&reach, of: key, visit)
        keepNaming(visit, key: key)
        if reach.way != visit.request.way { bringNearer(key, visit.request.way) }
        if let nearerWay { bringNearer(key, nearerWay) }
        list(visit.request.host)
        change.hostsInNeed = inNeed.count
        return change
    }

    public func release(_ requests: [CrawlRequest]) {
        for request in requests {
            hosts[request.host]?.leased -= 1
            unfinished -= 1
            let key = Key(request)
            enqueue(request, key: key)
            if let way = leasesMetNearer.removeValue(forKey: key) { bringNearer(key, way) }
        }
    }

    public func leave(hosts: [String]) { suspend(hosts: hosts, until: .distantFuture) }

    public func suspend(hosts names: [String], until: Date) {
        for name in names { hosts[name]?.suspendedUntil = until }
    }

    public func unfinishedCount() -> Int { unfinished }

    // There are no earlier runs, so a host has no stored rules when the crawl first meets it.
    public func rules(of host: String) -> [StoredRobots] { [] }
    public func rules(of host: String, origin: String) -> StoredRobots? { rules[origin] }
    public func keep(_ kept: StoredRobots) { rules[kept.origin] = kept }

    // The run has one schedule, which keeps its hosts' clocks itself.
    public func clocks(of hosts: [String]) -> [HostClock] { [] }
    public func keep(_ clocks: [HostClock]) {}
    public func close(keeping clocks: [HostClock]) async throws { try await flush() }

    /// Hands records on whose seeds have changed, and flushes every sink, even if an earlier one fails.
    public func flush() async throws {
        let late = renamed.compactMap { naming[$0] }.sorted {
            $0.record.uniqueIdentifier < $1.record.uniqueIdentifier
        }
        renamed = []
        var troubles = Troubles()
        for sink in sinks {
            await troubles.attempt {
                if !late.isEmpty { try await sink.write(late.map { .upsert($0) }) }
                try await sink.flush()
            }
        }
        try troubles.raise()
    }

    // MARK: Queueing

    private func enqueueIfNew(_ request: CrawlRequest, _ dropped: inout DroppedURLs) -> Bool {
        let key = Key(request)
        switch states[key] {
        case nil:
            guard request.isOwed || makeRoom(for: request, &dropped) else {
                dropped.add(request.url)
                return false
            }
            enqueue(request, key: key)
            return true
        case .queued(let waiting):
            if request.discovery == .outlink { waiting.links += 1 }
            if request.isOwed { waiting.isOwed = true }
            let known = waiting.request
            let isNearer = ways.prefers(request.way, to: known.way, of: known.key.string, isQueued: true)
            if !request.sitemap.isEmpty {
                let before = waiting.load
                waiting.request.sitemap.add(request.sitemap)
                note(load: waiting.load - before, host: known.host)
            }
            if request.standsForSeed { waiting.request.standsForSeed = true }
            guard isNearer else { return false }
            waiting.request.way = request.way
            if waiting.request.priority != known.priority { place(waiting, key: key) }
            return false
        case .leased, .finished, .duplicate:
            if request.isPage { meet(key, request.way) }
            return false
        }
    }

    private func enqueue(_ request: CrawlRequest, key: Key) {
        let waiting = Waiting(request)
        states[key] = .queued(waiting)
        unfinished += 1
        hosts[request.host, default: Host()].queued += 1
        note(load: waiting.load, host: request.host)
        place(waiting, key: key)
        list(request.host)
    }

    private func place(_ waiting: Waiting, key: Key) {
        sequence += 1
        let request = waiting.request
        hosts[request.host, default: Host()].places
            .insert(Place(priority: request.priority, sequence: sequence, key: key))
        if !waiting.isOwed {
            hosts[request.host]?.candidates?.insert(Candidate(rank: waiting.dropRank, sequence: sequence, key: key))
        }
    }

    // MARK: Dropping

    private func note(load added: Int, host: String) {
        guard added != 0 else { return }
        load += added
        hosts[host]?.load += added
        if added > 0, let now = hosts[host]?.load { givers?.insert(Giver(load: now, host: host)) }
    }

    /// Whether there is room for a new URL, possibly after dropping a worse one.
    private func makeRoom(for request: CrawlRequest, _ dropped: inout DroppedURLs) -> Bool {
        let name = request.host
        return limits.makeRoom(
            for: request.dropRank,
            load: FrontierLimits.load(keyBytes: request.key.string.utf8.count, extraBytes: request.extraBytes),
            of: name, named: name, queued: { (hosts[name]?.load ?? 0, load) },
            heaviest: { giver().map { ($0.host, $0.load) } },
            drop: { drop(from: $0, below: $1, &dropped) })
    }

    /// The host with the greatest load.
    private func giver() -> Giver? {
        if givers == nil || givers?.count ?? 0 > 4 * hosts.count + 1_000 {
            givers = Heap(hosts.lazy.map { Giver(load: $0.value.load, host: $0.key) })
        }
        while let first = givers?.max {
            let now = hosts[first.host]?.load ?? 0
            if now == first.load { return first }
            givers?.removeMax()
            if now > 0, now < first.load { givers?.insert(Giver(load: now, host: first.host)) }
        }
        return nil
    }

    /// Drops the worst URL of a host if it is worse than `rank`; without a rank, in any case. Returns false if nothing was
    /// dropped.
    private func drop(from name: String, below rank: DropRank?, _ dropped: inout DroppedURLs) -> Bool {
        guard var host = hosts.removeValue(forKey: name) else { return false }
        defer { hosts[name] = host }
        var candidates = host.candidates ?? self.candidates(of: host)
        host.candidates = nil
        defer { host.candidates = candidates }
        // Leased and dropped URLs leave outdated candidates, so the heap is rebuilt when it has too many.
        if candidates.count > 2 * host.queued + 1_000 { candidates = self.candidates(of: host) }
        while let worst = candidates.max {
            guard case .queued(let waiting)? = states[worst.key], !waiting.isOwed,
                waiting.dropRank.level == worst.rank.level
            else {
                candidates.removeMax()
                continue
            }
            if waiting.links > worst.rank.links {
                candidates.removeMax()
                candidates.insert(Candidate(rank: waiting.dropRank, sequence: worst.sequence, key: worst.key))
                continue
            }
            if let rank, worst.rank.level <= rank.level { return false }
            candidates.removeMax()
            states[worst.key] = nil
            dropped.add(waiting.request.url)
            unfinished -= 1
            host.queued -= 1
            host.load -= waiting.load
            load -= waiting.load
            if host.places.count > 2 * host.queued + 1_000 {
                host.places = Heap(host.places.unordered.filter { isQueued($0) })
            }
            return true
        }
        return false
    }

    private func isQueued(_ place: Place) -> Bool {
        if case .queued(let waiting)? = states[place.key] { waiting.request.priority == place.priority } else { false }
    }

    private func candidates(of host: Host) -> Heap<Candidate> {
        Heap(
            host.places.unordered.compactMap { place in
                guard case .queued(let waiting)? = states[place.key], !waiting.isOwed,
                    waiting.request.priority == place.priority
                else { return nil }
                return Candidate(rank: waiting.dropRank, sequence: place.sequence, key: place.key)
            })
    }

    /// Adds the host to `inNeed` if it has work and at most half of its share is leased.
    private func list(_ name: String) {
        guard let host = hosts[name], !host.listed, host.queued > 0, host.leased <= shareOfHost / 2 else { return }
        if let until = host.suspendedUntil, until > date() { return }
        hosts[name]?.listed = true
        inNeed.append(name)
    }

    // MARK: Nearer ways

    private func number(of key: Key) -> UInt32? {
        guard states[key] != nil, successorCount < Self.mostSuccessors else { return nil }
        if let number = numbers[key] { return number }
        let number = UInt32(targets.count)
        targets.append(key)
        numbers[key] = number
        return number
    }

    /// The nearest known way to a page that is leased or visited; nil if it is not kept where the page leads.
    private func way(to key: Key) -> CrawlWay? {
        if case .leased(let way)? = states[key] { return leasesMetNearer[key] ?? way }
        return reached[key]?.way
    }

    /// Takes in another way to a page that is leased or visited.
    private func meet(_ key: Key, _ way: CrawlWay) {
        guard let known = self.way(to: key), ways.prefers(way, to: known, of: key.url.string, isQueued: false) else {
            return
        }
        bringNearer(key, way)
    }

    /// Keeps where a visited page leads. One that was visited before, and of which this visit has found nothing, leads where it led.
    private func keep(_ reach: inout Reach, of key: Key, _ visit: FinishedVisit) {
        let before = takeReach(of: key)
        if visit.discovered.isEmpty, let before { (reach.way, reach.successors) = (before.way, before.successors) }
        switch states[key] {
        case .finished, .duplicate: break
        case .queued, .leased, nil: return
        }
        let compares = ways.compares(visit.request.seed)
        guard visit.request.isPage, visit.request.depth > 0 || compares else { return }
        if visit.isCut {
            reach.again = Again(visit.again)
            if !compares { reach.successors = [] }
        }
        if successorCount + reach.successors.count > Self.mostSuccessors {
            return
        }
        successorCount += reach.successors.count
        reached[key] = reach
    }

    private func takeReach(of key: Key) -> Reach? {
        let reach = reached.removeValue(forKey: key)
        successorCount -= reach?.successors.count ?? 0
        return reach
    }

    /// Lets a way lead to a page, and on to what that leads to. It ends, because each way is nearer than the one before.
    private func bringNearer(_ page: Key, _ way: CrawlWay) {
        var waiting: Deque<(key: Key, way: CrawlWay)> = [(page, way)]
        while let (key, way) = waiting.popFirst() {
            switch states[key] {
            case .queued(let queued):
                let known = queued.request.way
                guard passesOn(way, over: known, to: key, host: queued.request.host, isQueued: true) else { continue }
                queued.request.way = way
                if way.depth < known.depth { place(queued, key: key) }
            case .leased(let leased):
                let known = leasesMetNearer[key] ?? leased
                guard passesOn(way, over: known, to: key, isQueued: false) else { continue }
                leasesMetNearer[key] = way
            case .finished, .duplicate:
                guard let reach = reached[key], passesOn(way, over: reach.way, to: key, isQueued: false) else {
                    continue
                }
                if way.depth < reach.way.depth, let again = reach.again {
                    visitAgain(key, again.request, way)
                    continue
                }
                reached[key]?.way = way
                for successor in reach.successors {
                    waiting.append(
                        (
                            targets[Int(successor >> 1)],
                            CrawlWay(depth: way.depth + Int(successor & 1), seed: way.seed)
                        ))
                }
                nameSeed(way, of: key)
            case nil: break
            }
        }
    }

    private func passesOn(
        _ way: CrawlWay, over known: CrawlWay, to key: Key, host: String? = nil, isQueued: Bool
    ) -> Bool {
        guard ways.prefers(way, to: known, of: key.url.string, isQueued: isQueued) else { return false }
        let host = host ?? WebURL(key.url.string)?.politenessHost ?? ""
        return ways.passesOn(way, over: known, to: key.url.string, host: host, isQueued: isQueued)
    }

    private func visitAgain(_ key: Key, _ request: CrawlRequest, _ way: CrawlWay) {
        // Where it leads stays, in case that the visit finds nothing.
        reached[key]?.again = nil
        var again = request
        again.way = way
        enqueue(again, key: key)
    }

    // MARK: Seeds of records

    /// Keeps a record that names the seed that led to its page.
    private func keepNaming(_ visit: FinishedVisit, key: Key) {
        guard visit.request.isPage,
            ways.namedSeed(ofPageOn: visit.request.host, nearest: visit.request.seed) != nil
        else { return }
        for change in visit.changes {
            renamed.remove(key)
            if let known = naming.removeValue(forKey: key) { namingBytes -= known.bytes.count }
            guard case .upsert(let document) = change,
                namingBytes + document.bytes.count <= Self.mostNamingBytes
            else { continue }
            namingBytes += document.bytes.count
            naming[key] = document
        }
    }

    /// Lets the record of a visited page name the nearest seed, if that is all that changes.
    private func nameSeed(_ way: CrawlWay, of key: Key) {
        guard let document = naming[key], let url = WebURL(key.url.string),
            let seed = ways.namedSeed(ofPageOn: url.politenessHost, nearest: way.seed),
            document.record.seeds != [seed.url.href], ways.names(document.record.seeds, like: seed)
        else { return }
        let named = document.naming([seed.url.href])
        namingBytes += named.bytes.count - document.bytes.count
        naming[key] = named
        renamed.insert(key)
    }

    // MARK: Canonical pages

    /// Finishes a page as itself. If it is not good, the pages that named it canonical are queued again.
    private func settle(_ key: Key, kept: Bool) {
        states[key] = .finished(kept: kept)
        guard let waiting = awaitingCanonical.removeValue(forKey: key), !kept else { return }
        // One that is queued again finds out itself.
        for request in waiting { if case .duplicate? = states[Key(request)] { enqueueForItself(request) } }
    }

    /// Finishes a page as a duplicate of its canonical page.
    ///
    /// - Returns: whether the canonical page is, or will be, visited.
    private func settleDuplicate(_ request: CrawlRequest, key: Key, canonical: WebURL) -> Bool {
        let target = Key(page: canonical)
        let known: CanonicalVerdict.Target =
            switch states[target] {
            case .queued, .leased: .queuedOrLeased
            case .finished(kept: true): .kept
            case .duplicate(let other, let url) where other == key: .namesPage(ownURL: url.href)
            case .finished(kept: false), .duplicate, nil: .unfit
            }
        let verdict = CanonicalVerdict(of: request.url, canonical: known)
        guard verdict != .fallsBack else {
            enqueueForItself(request)
            return false
        }
        settle(key, kept: false)
        states[key] = .duplicate(of: target, request.url)
        if verdict == .waits { awaitingCanonical[target, default: []].append(request) }
        return true
    }

    private func enqueueForItself(_ request: CrawlRequest) {
        var again = request
        again.ignoresCanonical = true
        again.attempt = 0
        let key = Key(again)
        if let known = takeReach(of: key)?.way, ways.isNearer(known, than: again.way, to: key.url.string) {
            again.way = known
        }
        enqueue(again, key: key)
    }
}

extension FinishedVisit {
    /// The changes that sinks do not have yet: a page that is visited again in the same run mostly gives the record that it gave before.
    fileprivate var newChanges: [RecordChange] {
        guard let hash = request.previous?.contentHash, hash == contentHash else { return changes }
        return changes.filter { if case .delete = $0 { true } else { false } }
    }

    /// The request for another visit in the same run.
    fileprivate var again: CrawlRequest {
        var again = request
        again.attempt = 0
        again.previous = PreviousVisit(
            entityTag: nil, lastModified: nil, contentHash: contentHash, visitedAt: finishedAt, interval: next.rhythm,
            recordIdentifier: recordIdentifier)
        return again
    }
}
