import PippinPage

/// What a run can say for itself at its end: how it treated each host, where each seed led, what was left out, what it waited for.
public struct CrawlAccount: Sendable {
    /// The pauses between two requests to a host, measured.
    public struct HostRequests: Sendable, Equatable {
        public internal(set) var requests = 0
        public internal(set) var wireBytes = 0
        /// The shortest pause, and the delay that was in force for it. From the end of a request to the start of the next, or from
        /// start to start where several connections are allowed. nil before the second request.
        public internal(set) var smallestPause: Duration?
        public internal(set) var delayThen: Duration?
        /// Requests that came before the delay in force had passed. Always 0, or it is a defect.
        public internal(set) var tooEarly = 0
        /// What addresses answered, the first few.
        public internal(set) var addresses: [String] = []

        fileprivate var lastEnd = Duration.zero
        fileprivate var lastDelay = Duration.zero
        /// Latest starts, oldest first.
        fileprivate var starts: [Duration] = []
    }

    /// How a seed fared.
    public struct SeedEnd: Sendable {
        public let seed: Seed
        /// Where its redirects ended; nil when it was not visited.
        public internal(set) var finalURL: WebURL?
        public internal(set) var redirects = 0
        /// nil when it was not visited.
        public internal(set) var outcome: VisitOutcome?
        public internal(set) var status: Int?
        /// What an earlier run left, where this one did not come to its end.
        public internal(set) var earlier: JobStanding.SeedStanding?
    }

    /// URLs kept as examples of an outcome.
    static let examplesKept = 3
    static let addressesKept = 4

    public private(set) var hosts: [String: HostRequests] = [:]
    /// In the order of the seeds file.
    public private(set) var seeds: [SeedEnd]
    /// By the code of an outcome that left a page out: the URLs that met it first.
    public private(set) var examples: [String: [String]] = [:]
    public internal(set) var pace = CrawlPace()
    private let seedNumbers: [WebURL: [Int]]

    init(seeds: [Seed] = []) {
        self.seeds = seeds.map { SeedEnd(seed: $0) }
        seedNumbers = Dictionary(grouping: seeds.indices) { seeds[$0].url }
    }

    // MARK: Politeness

    /// - Parameters:
    ///   - delay: the host's, now that the exchange has ended: it holds for the next one.
    ///   - connections: how many requests to the host may be in flight.
    mutating func exchanged(_ exchange: Exchange, host name: String, delay: Duration, connections: Int = 1) {
        var host = hosts.removeValue(forKey: name) ?? HostRequests()
        if connections == 1 {
            if host.requests > 0 { host.note(pause: exchange.start - host.lastEnd, delay: host.lastDelay) }
        } else {
            // They end in any order, so each is put between its neighbors.
            let place = host.starts.lastIndex { $0 <= exchange.start }.map { $0 + 1 } ?? 0
            let required = min(delay, host.lastDelay)
            if place > 0 { host.note(pause: exchange.start - host.starts[place - 1], delay: required) }
            if place < host.starts.count { host.note(pause: host.starts[place] - exchange.start, delay: required) }
            host.starts.insert(exchange.start, at: place)
            if host.starts.count > 4 * connections { host.starts.removeFirst() }
        }
        host.lastEnd = exchange.end
        host.lastDelay = delay
        host.requests += 1
        host.wireBytes += exchange.wireBytes
        if let address = exchange.remoteAddress, host.addresses.count < Self.addressesKept,
            !host.addresses.contains(address)
        {
            host.addresses.append(address)
        }
        hosts[name] = host
    }

    public var requestsTooEarly: Int { hosts.values.reduce(0) { $0 + $1.tooEarly } }

    /// The host that was given the shortest pause of all; of equal ones the first by name.
    public var smallestPause: (host: String, pause: Duration, delay: Duration)? {
        var best: (host: String, pause: Duration, delay: Duration)?
        for (name, host) in hosts {
            guard let pause = host.smallestPause, let delay = host.delayThen else { continue }
            if let best, (best.pause, best.host) <= (pause, name) { continue }
            best = (name, pause, delay)
        }
        return best
    }

    // MARK: Seeds and what was left out

    mutating func keep(_ standing: JobStanding) {
        for number in seeds.indices { seeds[number].earlier = standing.seeds[seeds[number].seed.url] }
    }

    mutating func ended(_ request: CrawlRequest, outcome: VisitOutcome, status: Int? = nil) {
        switch outcome {
        case .recorded, .withoutDeepLinks, .notModified, .duplicate, .redirected, .sitemap: break
        default:
            if examples[outcome.code]?.count ?? 0 < Self.examplesKept {
                examples[outcome.code, default: []].append(request.url.href)
            }
        }
        guard request.standsForSeed else { return }
        for number in seedNumbers[request.seed.url] ?? [] {
            seeds[number].finalURL = request.url
            seeds[number].redirects = request.redirects.count
            seeds[number].outcome = outcome
            seeds[number].status = status
        }
    }
}

extension CrawlAccount.HostRequests {
    fileprivate mutating func note(pause: Duration, delay: Duration) {
        if pause < smallestPause ?? pause + .nanoseconds(1) {
            smallestPause = pause
            delayThen = delay
        }
        if pause < delay { tooEarly += 1 }
    }
}
