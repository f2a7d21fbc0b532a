import PippinPage
import Synchronization

/// Everything that is counted and measured of a crawl: for the progress line, `/metrics`, the log's summary and the report at the
/// end. A value; the crawl under way has one in `RunningStatistics`.
public struct CrawlStatistics: Sendable {
    /// What one host gave, and how it was asked. The pauses between two requests are measured, as a proof of politeness.
    public struct Host: Sendable, Equatable {
        /// Answers to page requests, without redirects.
        public fileprivate(set) var pages = 0
        public fileprivate(set) var records = 0
        /// Visits that ended because the host or the network failed.
        public fileprivate(set) var failures = 0
        public fileprivate(set) var requests = 0
        public fileprivate(set) var wireBytes = 0
        /// The shortest pause, and the delay that was in force for it. From the end of a request to the start of the next; where
        /// several connections are allowed, from the beginning of a turn to that of the next. nil before the second request.
        public fileprivate(set) var smallestPause: Duration?
        public fileprivate(set) var delayThen: Duration?
        /// Requests that came before the delay in force had passed. Always 0, or it is a defect.
        fileprivate(set) var tooEarly = 0
        /// What addresses answered, the first few.
        public fileprivate(set) var addresses: [String] = []

        /// When the last request ended, or the last turn began, and the delay that holds from then on.
        fileprivate var last: (time: Duration, delay: Duration)?

        /// Whether one of its pages was visited; otherwise only files of its site were asked for.
        public var wasVisited: Bool { pages + records + failures > 0 }
        var wasAsked: Bool { last != nil || requests > 0 }

        public static func == (a: Host, b: Host) -> Bool {
            (a.pages, a.records, a.failures) == (b.pages, b.records, b.failures)
                && (a.requests, a.wireBytes, a.smallestPause, a.delayThen, a.tooEarly)
                    == (b.requests, b.wireBytes, b.smallestPause, b.delayThen, b.tooEarly)
                && a.addresses == b.addresses
        }
    }

    /// How a seed fared.
    public struct SeedEnd: Sendable {
        public let seed: Seed
        /// Where its redirects ended; nil when it was not visited.
        public fileprivate(set) var finalURL: WebURL?
        public fileprivate(set) var redirects = 0
        /// nil when it was not visited.
        public fileprivate(set) var outcome: VisitOutcome?
        public fileprivate(set) var status: Int?
        /// What an earlier run left, where this one did not come to its end.
        public fileprivate(set) var earlier: JobStanding.SeedStanding?
        /// Its turn came in this run; otherwise it is not due.
        fileprivate(set) var isDue = false
        /// Its outcome is a redirect, and the page it leads to will be visited.
        fileprivate(set) var isFollowed = false
    }

    // MARK: Visits

    /// Visits by the stable code of their outcome.
    public var outcomes: [String: Int] = [:]
    /// By the code of an outcome that left a page out: the URLs that met it first.
    public private(set) var examples: [String: [String]] = [:]
    /// Answers to page requests, without redirects.
    public var pages = 0
    public var retries = 0
    public var records = 0
    public var deletions = 0
    public var deepLinks = 0
    /// Answers to visits by HTTP status class: 2 for 2xx.
    var statusClasses: [Int: Int] = [:]
    /// Files of sites other than robots.txt, by kind and outcome: `manifest-found`, `manifest-status`.
    var siteFiles: [String: Int] = [:]
    /// In the order of the seeds file.
    public private(set) var seeds: [SeedEnd]
    private let seedNumbers: [WebURL: [Int]]

    // MARK: Links

    /// Links found on pages, before any check.
    public var outlinks = 0
    /// Links that were not queued, by the stable reason, and the first of them.
    public var refusals: [String: Int] = [:]
    public var refusalExamples: [String: [String]] = [:]
    /// URLs that became known.
    public var discovered = 0

    // MARK: Hosts and requests

    public private(set) var hosts: [String: Host] = [:]
    /// By host: what went wrong with the last request, where it was not answered. Known at the end.
    public var troubles: [String: RequestFailure.Words] = [:]
    /// Names looked up, by what came of it: `found`, or the code of a failure.
    public var lookUps: [String: Int] = [:]
    /// Hosts that the run turned to, and those left for the next because a limit was reached.
    var hostsMet = 0
    var hostsBeyond = 0
    /// Registered domains of which too many names do not exist.
    var domainsGivenUp: Set<String> = []
    /// Hosts that asked for more rest than this run waits.
    public var hostsLeft: Set<String> = []
    /// HTTP exchanges of every kind, robots.txt and retries included.
    public var requests = 0
    var requestsByPurpose: [FetchRequest.Purpose: Int] = [:]
    /// Answers to all of them by status class.
    var answersByClass: [Int: Int] = [:]
    /// Exchanges that came before a host's delay had passed: a defect, if ever there is one.
    public private(set) var requestsTooEarly = 0
    public var bodyBytes = 0
    public var wireBytes = 0

    // MARK: Times

    /// Time spent in exchanges and in reading pages, all visits together.
    public var fetching = Duration.zero
    public var reading = Duration.zero
    /// Whole exchanges, also those without an answer; to the first byte; in the queue for a host's turn; reading a page.
    var exchangeTimes = TimeHistogram()
    var firstByteTimes = TimeHistogram()
    var waitTimes = TimeHistogram()
    var readingTimes = TimeHistogram()
    /// What kept the crawl from starting another visit.
    public var pace = CrawlPace()

    // MARK: Now

    public var visitsInFlight = 0
    /// Requests in the hands of the schedule, and the hosts that it knows.
    public var scheduled = 0
    public var hostsScheduled = 0
    /// What the crawl waits for now; nil while requests are in flight.
    public var waiting: CrawlWait?

    public init(seeds: [Seed] = []) {
        self.seeds = seeds.map { SeedEnd(seed: $0) }
        seedNumbers = Dictionary(grouping: seeds.indices) { seeds[$0].url }
    }

    /// Examples kept of each outcome, and of each reason to refuse a link.
    private static let examplesKept = 3
    /// Of an example's URL; what is refused may be refused for its length.
    private static let longestExample = 300
    private static let addressesKept = 4

    // MARK: Seeds

    func isSeed(_ url: WebURL) -> Bool { seedNumbers[url] != nil }

    /// Seeds of which this run does not know how they end: those that were not due, and redirects whose target was not.
    var seedsWithoutEnd: [Seed] {
        seeds.filter { end in
            guard let outcome = end.outcome else { return true }
            if case .redirected = outcome { return true }
            return false
        }.map(\.seed)
    }

    private mutating func update(seed url: WebURL, _ change: (inout SeedEnd) -> Void) {
        for number in seedNumbers[url] ?? [] { change(&seeds[number]) }
    }

    mutating func seedIsDue(_ request: CrawlRequest) { update(seed: request.seed.url) { $0.isDue = true } }

    mutating func keep(_ standing: JobStanding) {
        for number in seeds.indices { seeds[number].earlier = standing.seeds[seeds[number].seed.url] }
    }

    // MARK: Visits

    /// A visit has ended for good.
    mutating func ended(_ result: VisitResult) {
        guard case .finish = result.next, let outcome = result.outcome else { return }
        let request = result.request
        var host = Host()
        if request.isPage, outcome.countsAsPage { host.pages = 1 }
        if result.record != nil { host.records = 1 }
        switch outcome {
        case .failed, .serverError, .throttled, .robotsUnreachable, .readingTimedOut: host.failures = 1
        default: break
        }
        if host.wasVisited {
            hosts[request.host, default: Host()].pages += host.pages
            hosts[request.host, default: Host()].records += host.records
            hosts[request.host, default: Host()].failures += host.failures
        }
        ended(request, outcome, status: result.exchange?.status, isFollowed: result.change.followed)
    }

    /// - Parameter isFollowed: whether the target of a redirect will be visited.
    mutating func ended(_ request: CrawlRequest, _ outcome: VisitOutcome, status: Int? = nil, isFollowed: Bool = false)
    {
        switch outcome {
        case .recorded, .withoutDeepLinks, .notModified, .duplicate, .redirected, .sitemap: break
        default:
            if examples[outcome.code]?.count ?? 0 < Self.examplesKept {
                examples[outcome.code, default: []].append(request.url.href)
            }
        }
        guard request.standsForSeed else { return }
        update(seed: request.seed.url) {
            $0.finalURL = request.url
            $0.redirects = request.redirects.count
            $0.outcome = outcome
            $0.status = status
            $0.isFollowed = if case .redirected = outcome { isFollowed } else { false }
        }
    }

    // MARK: Exchanges

    mutating func count(_ exchange: Exchange, for purpose: FetchRequest.Purpose) {
        requests += 1
        requestsByPurpose[purpose, default: 0] += 1
        exchangeTimes.add(exchange.duration)
        guard let status = exchange.status else { return }
        answersByClass[status / 100, default: 0] += 1
        wireBytes += exchange.wireBytes
        fetching += exchange.duration
        if purpose == .page || purpose == .sitemap { bodyBytes += exchange.bodyBytes }
        if let time = exchange.timeToFirstByte { firstByteTimes.add(time) }
    }

    /// A turn of a host begins that may have several requests in flight. They are measured here: what ends in the meantime may
    /// change the delay, and the one that held when a turn began is the one that the next had to wait for.
    mutating func turnBegan(at now: Duration, host name: String, delay: Duration) {
        var host = hosts.removeValue(forKey: name) ?? Host()
        if let last = host.last { note(pause: now - last.time, delay: last.delay, of: &host) }
        host.last = (now, delay)
        hosts[name] = host
    }

    /// - Parameters:
    ///   - delay: the host's, now that the exchange has ended: it holds for the next one. nil for a host with several connections,
    ///     whose turns `turnBegan` measures.
    ///   - start: since when the request had waited for its host's turn.
    mutating func exchanged(
        _ exchange: Exchange, host name: String, delay: Duration?, waitedSince start: Duration? = nil
    ) {
        var host = hosts.removeValue(forKey: name) ?? Host()
        if let delay {
            if let last = host.last { note(pause: exchange.start - last.time, delay: last.delay, of: &host) }
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
        if let start { waitTimes.add(max(exchange.start - start, .zero)) }
    }

    private mutating func note(pause: Duration, delay: Duration, of host: inout Host) {
        if pause < host.smallestPause ?? pause + .nanoseconds(1) {
            host.smallestPause = pause
            host.delayThen = delay
        }
        guard pause < delay else { return }
        host.tooEarly += 1
        requestsTooEarly += 1
    }

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

    // MARK: Links

    /// URLs were handed to the frontier.
    mutating func count(_ change: FrontierChange) {
        discovered += change.added
        if change.dropped.count > 0 { count(RefusedLinks(change.dropped)) }
    }

    mutating func count(_ refused: RefusedLinks) {
        for (refusal, count) in refused.counts { refusals[refusal.rawValue, default: 0] += count }
        for (refusal, url) in refused.examples where refusalExamples[refusal.rawValue]?.count ?? 0 < Self.examplesKept {
            let text = String(url.href.prefix(Self.longestExample))
            if refusalExamples[refusal.rawValue]?.contains(text) != true {
                refusalExamples[refusal.rawValue, default: []].append(text)
            }
        }
    }
}

/// The statistics of a crawl under way: the loop and the visits add to them, and anybody may look.
final class RunningStatistics: Sendable {
    private let state: Mutex<CrawlStatistics>

    init(seeds: [Seed] = []) { state = Mutex(CrawlStatistics(seeds: seeds)) }

    var now: CrawlStatistics { state.withLock { $0 } }

    func update(_ change: (inout CrawlStatistics) -> Void) { state.withLock { change(&$0) } }
}
