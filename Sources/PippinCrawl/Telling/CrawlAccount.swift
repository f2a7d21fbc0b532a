import PippinPage

/// What a run can say for itself at its end: how it treated each host, where each seed led, what was left out, what it waited for.
public struct CrawlAccount: Sendable {
    /// The pauses between two requests to a host, measured.
    public struct HostRequests: Sendable, Equatable {
        public internal(set) var requests = 0
        public internal(set) var wireBytes = 0
        /// The shortest pause, and the delay that was in force for it. From the end of a request to the start of the next; where
        /// several connections are allowed, from the beginning of a turn to that of the next. nil before the second request.
        public internal(set) var smallestPause: Duration?
        public internal(set) var delayThen: Duration?
        /// Requests that came before the delay in force had passed. Always 0, or it is a defect.
        public internal(set) var tooEarly = 0
        /// What addresses answered, the first few.
        public internal(set) var addresses: [String] = []

        /// When the last request ended, or the last turn began, and the delay that holds from then on.
        fileprivate var last: (time: Duration, delay: Duration)?

        public static func == (a: HostRequests, b: HostRequests) -> Bool {
            (a.requests, a.wireBytes, a.smallestPause, a.delayThen, a.tooEarly)
                == (b.requests, b.wireBytes, b.smallestPause, b.delayThen, b.tooEarly) && a.addresses == b.addresses
        }
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
    /// By host: what went wrong with the last request, where it was not answered.
    public internal(set) var troubles: [String: RequestFailure.Words] = [:]
    private let seedNumbers: [WebURL: [Int]]

    init(seeds: [Seed] = []) {
        self.seeds = seeds.map { SeedEnd(seed: $0) }
        seedNumbers = Dictionary(grouping: seeds.indices) { seeds[$0].url }
    }

    // MARK: Politeness

    /// A turn of a host begins that may have several requests in flight. They are measured here: what ends in the meantime may
    /// change the delay, and the one that held when a turn began is the one that the next had to wait for.
    mutating func began(at now: Duration, host name: String, delay: Duration) {
        var host = hosts.removeValue(forKey: name) ?? HostRequests()
        if let last = host.last { host.note(pause: now - last.time, delay: last.delay) }
        host.last = (now, delay)
        hosts[name] = host
    }

    /// - Parameter delay: the host's, now that the exchange has ended: it holds for the next one. nil for a host with several
    ///   connections, whose turns `began` was told of.
    mutating func exchanged(_ exchange: Exchange, host name: String, delay: Duration?) {
        var host = hosts.removeValue(forKey: name) ?? HostRequests()
        if let delay {
            if let last = host.last { host.note(pause: exchange.start - last.time, delay: last.delay) }
            host.last = (exchange.end, delay)
        }
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
