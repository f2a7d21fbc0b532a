import DequeModule
import Foundation
import HeapModule
import PippinPage

/// The frontier of a one-off crawl: nothing is kept after the run.
public actor MemoryFrontier: Frontier {
    /// A sitemap and a page at the same URL are two things to read.
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
        // Boxed: most URLs are finished, and need no room for a request.
        indirect case queued(CrawlRequest)
        case leased
        /// `kept`: the page stands for itself.
        case finished(kept: Bool)
        indirect case duplicate(of: Key, WebURL)
    }

    private struct Place: Comparable {
        let priority: Int
        let sequence: Int
        let key: Key
        static func < (a: Place, b: Place) -> Bool { (a.priority, a.sequence) < (b.priority, b.sequence) }
        static func == (a: Place, b: Place) -> Bool { a.sequence == b.sequence }
    }

    private struct Host {
        /// May hold places whose request has been leased, or queued again nearer to its seed; they are skipped.
        var places = Heap<Place>()
        var queued = 0
        var leased = 0
        /// Whether the host stands in `inNeed`.
        var listed = false
        var suspendedUntil: Date?
    }

    private var states: [Key: State] = [:]
    private var hosts: [String: Host] = [:]
    /// Hosts worth leasing from, longest waiting first.
    private var inNeed = Deque<String>()
    /// Pages that wait to hear whether their canonical page is good.
    private var awaitingCanonical: [Key: [CrawlRequest]] = [:]
    private var sequence = 0
    private var unfinished = 0
    private var shareOfHost = 16
    private let date: @Sendable () -> Date

    /// - Parameter date: the calendar's time, for suspended hosts.
    public init(date: @escaping @Sendable () -> Date = { Date() }) {
        self.date = date
    }

    public func add(_ requests: [CrawlRequest]) -> FrontierChange {
        var change = FrontierChange()
        for request in requests where enqueueIfNew(request) { change.added += 1 }
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
                guard case .queued(let request)? = states[place.key], request.priority == place.priority else {
                    continue
                }
                states[place.key] = .leased
                host.queued -= 1
                host.leased += 1
                leased.append(request)
            }
            hosts[name] = host
            list(name)
        }
        return leased
    }

    public func finish(_ visit: FinishedVisit) -> FrontierChange {
        var change = FrontierChange()
        for request in visit.discovered {
            if enqueueIfNew(request) {
                change.added += 1
                if request.discovery == .redirect { change.followed = true }
            } else if !request.alternates.isEmpty, case .leased? = states[Key(request)] {
                change.lateAlternates[request.key, default: []] += request.alternates
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

    public func suspend(host: String, until: Date) {
        hosts[host]?.suspendedUntil = until
    }

    public func unfinishedCount() -> Int { unfinished }

    // One run has one schedule, which knows its hosts' clocks itself.
    public func clocks(of hosts: [String]) -> [HostClock] { [] }
    public func keep(_ clocks: [HostClock]) {}
    public func close(keeping clocks: [HostClock]) {}

    // MARK: Queueing

    private func enqueueIfNew(_ request: CrawlRequest) -> Bool {
        let key = Key(request)
        switch states[key] {
        case nil:
            enqueue(request, key: key)
            return true
        case .queued(var known):
            // The shorter way counts, and of two ways of one length the one from the smaller seed: not the earlier.
            let isNearer = (request.depth, request.seed.url.href) < (known.depth, known.seed.url.href)
            if !request.alternates.isEmpty {
                known.addAlternates(request.alternates)
                states[key] = .queued(known)
            }
            guard isNearer, !known.standsForSeed else { return false }
            let priority = known.priority
            known.depth = request.depth
            known.seed = request.seed
            states[key] = .queued(known)
            if known.priority != priority { place(known, key: key) }
            return false
        default:
            return false
        }
    }

    private func enqueue(_ request: CrawlRequest, key: Key) {
        states[key] = .queued(request)
        unfinished += 1
        hosts[request.host, default: Host()].queued += 1
        place(request, key: key)
        list(request.host)
    }

    private func place(_ request: CrawlRequest, key: Key) {
        sequence += 1
        hosts[request.host, default: Host()].places
            .insert(Place(priority: request.priority, sequence: sequence, key: key))
    }

    /// Puts the host at the end of the line when it has work and at most half its share is out.
    private func list(_ name: String) {
        guard let host = hosts[name], !host.listed, host.queued > 0, host.leased <= shareOfHost / 2 else { return }
        if let until = host.suspendedUntil, until > date() { return }
        hosts[name]?.listed = true
        inNeed.append(name)
    }

    // MARK: Canonical pages

    /// A page has ended as itself: the pages that named it canonical hear whether it is good.
    private func settle(_ key: Key, kept: Bool) {
        states[key] = .finished(kept: kept)
        guard let waiting = awaitingCanonical.removeValue(forKey: key), !kept else { return }
        for request in waiting { enqueueForItself(request) }
    }

    /// - Returns: whether the canonical page is, or will be, visited.
    private func settleDuplicate(_ request: CrawlRequest, key: Key, canonical: WebURL) -> Bool {
        let target = Key(page: canonical)
        switch states[target] {
        case .finished(kept: true):
            settle(key, kept: false)
            states[key] = .duplicate(of: target, request.url)
            return true
        case .queued, .leased:
            settle(key, kept: false)
            states[key] = .duplicate(of: target, request.url)
            awaitingCanonical[target, default: []].append(request)
            return true
        case .duplicate(let other, let url) where other == key && request.url.href > url.href:
            // The two name each other and the other URL is the smaller: it is queued again for itself by `settle`.
            settle(key, kept: false)
            states[key] = .duplicate(of: target, request.url)
            awaitingCanonical[target, default: []].append(request)
            return true
        case .finished(kept: false), .duplicate, nil:
            enqueueForItself(request)
            return false
        }
    }

    private func enqueueForItself(_ request: CrawlRequest) {
        var again = request
        again.ignoresCanonical = true
        again.attempt = 0
        enqueue(again, key: Key(again))
    }
}
