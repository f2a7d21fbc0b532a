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
        case leased
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
    ///   - sinks: receive all records, in order.
    ///   - date: returns the calendar's time, for suspended hosts.
    public init(
        limits: FrontierLimits = .unlimited, sinks: [any RecordSink] = [],
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.limits = limits
        self.sinks = sinks
        self.date = date
    }

    public func add(_ requests: [CrawlRequest]) -> FrontierChange {
        var change = FrontierChange()
        for request in requests where enqueueIfNew(request, &change.dropped) { change.added += 1 }
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
                states[place.key] = .leased
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
        if !visit.changes.isEmpty {
            for sink in sinks { try await sink.write(visit.changes) }
        }
        var change = FrontierChange()
        for request in visit.discovered {
            if enqueueIfNew(request, &change.dropped) {
                change.added += 1
                if request.discovery == .redirect { change.followed = true }
            } else if !request.sitemap.isEmpty, case .leased? = states[Key(request)] {
                change.lateSitemapFacts[request.key, default: SitemapFacts()].add(request.sitemap)
            }
        }
        let key = Key(visit.request)
        unfinished -= 1
        hosts[visit.request.host]?.leased -= 1
        if case .duplicate(let canonical) = visit.outcome {
            change.followed = settleDuplicate(visit.request, key: key, canonical: canonical)
        } else {
            settle(key, kept: visit.outcome.standsForItself)
        }
        list(visit.request.host)
        change.hostsInNeed = inNeed.count
        return change
    }

    public func release(_ requests: [CrawlRequest]) {
        for request in requests {
            hosts[request.host]?.leased -= 1
            unfinished -= 1
            enqueue(request, key: Key(request))
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

    /// Flushes every sink, even if an earlier one fails.
    public func flush() async throws {
        var troubles = Troubles()
        for sink in sinks { await troubles.attempt { try await sink.flush() } }
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
            let isNearer = request.isNearer(than: known.depth, seed: known.seed)
            if !request.sitemap.isEmpty {
                let before = waiting.load
                waiting.request.sitemap.add(request.sitemap)
                note(load: waiting.load - before, host: known.host)
            }
            guard !known.standsForSeed, isNearer || request.standsForSeed else { return false }
            if request.standsForSeed { waiting.request.standsForSeed = true }
            waiting.request.depth = request.depth
            waiting.request.seed = request.seed
            if waiting.request.priority != known.priority { place(waiting, key: key) }
            return false
        default:
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
            of: name, queued: { (hosts[name]?.load ?? 0, load) }, heaviest: { giver().map { ($0.host, $0.load) } },
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

    // MARK: Canonical pages

    /// Finishes a page as itself. If it is not good, the pages that named it canonical are queued again.
    private func settle(_ key: Key, kept: Bool) {
        states[key] = .finished(kept: kept)
        guard let waiting = awaitingCanonical.removeValue(forKey: key), !kept else { return }
        for request in waiting { enqueueForItself(request) }
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
        enqueue(again, key: Key(again))
    }
}
