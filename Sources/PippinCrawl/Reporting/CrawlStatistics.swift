import PippinPage
import Synchronization

/// All counts and times of a crawl: for the progress line, `/metrics`, the log's summary and the final report. It is a value; a
/// running crawl keeps one in `RunningStatistics`.
public struct CrawlStatistics: Sendable {
    /// The results of one host, and the pauses between its requests. The pauses are measured to prove politeness.
    public struct Host: Sendable, Equatable {
        /// Answered page requests, without redirects.
        public fileprivate(set) var pages = 0
        /// Records of its pages.
        public fileprivate(set) var records = 0
        /// Visits that ended because the host or the network failed.
        public fileprivate(set) var failures = 0
        /// Requests of all kinds.
        public fileprivate(set) var requests = 0
        /// Bytes of bodies as transferred.
        public fileprivate(set) var wireBytes = 0
        /// The shortest pause; nil before the second request. It is measured from the end of a request to the start of the
        /// next. If several connections are allowed, from the start of a turn to the start of the next.
        public fileprivate(set) var smallestPause: Duration?
        /// The delay that applied to that pause.
        public fileprivate(set) var delayThen: Duration?
        /// Requests that came before the delay had passed. Always 0, unless Pippin has a bug.
        fileprivate(set) var tooEarly = 0
        /// The first few addresses that answered.
        public fileprivate(set) var addresses: [String] = []

        /// The time when the last request ended, or the last turn began, and the delay from then on.
        fileprivate var last: (time: Duration, delay: Duration)?

        /// Whether one of its pages was visited. If not, only files of its site were requested.
        public var wasVisited: Bool { pages + records + failures > 0 }
        var wasAsked: Bool { last != nil || requests > 0 }

        public static func == (a: Host, b: Host) -> Bool {
            (a.pages, a.records, a.failures) == (b.pages, b.records, b.failures)
                && (a.requests, a.wireBytes, a.smallestPause, a.delayThen, a.tooEarly)
                    == (b.requests, b.wireBytes, b.smallestPause, b.delayThen, b.tooEarly)
                && a.addresses == b.addresses
        }
    }

    /// How often an address with many sites was asked.
    public struct AddressPace: Sendable, Equatable {
        /// The requests per second that it might get last, and those that it might get at best.
        public fileprivate(set) var last: Double
        public fileprivate(set) var highest: Double
        /// How often they became fewer.
        public fileprivate(set) var falls = 0
    }

    /// The result of a seed.
    public struct SeedEnd: Sendable {
        /// The seed.
        public let seed: Seed
        /// The URL after its redirects; nil if it was not visited.
        public fileprivate(set) var finalURL: WebURL?
        /// The number of redirects.
        public fileprivate(set) var redirects = 0
        /// The outcome of the visit; nil if it was not visited.
        public fileprivate(set) var outcome: VisitOutcome?
        /// The HTTP status; nil without an answer.
        public fileprivate(set) var status: Int?
        /// The state after earlier runs, if this run did not visit the seed to its end.
        public fileprivate(set) var earlier: JobStanding.SeedStanding?
        /// Whether its turn came in this run. If not, it is not due yet.
        fileprivate(set) var isDue = false
        /// Whether its outcome is a redirect to a page that will be visited.
        fileprivate(set) var isFollowed = false
    }

    // MARK: Visits

    /// The number of visits by the stable code of their outcome.
    public var outcomes: [String: Int] = [:]
    /// The first URLs for each outcome that left pages out, by its code.
    public private(set) var examples: [String: [String]] = [:]
    /// Answered page requests, without redirects.
    public var pages = 0
    /// Repeated visits.
    public var retries = 0
    /// Written records.
    public var records = 0
    /// Deleted records.
    public var deletions = 0
    /// Deep links in the written records that lead into an app.
    public var deepLinks = 0
    /// Answers to visits, by HTTP status class: 2 for 2xx.
    var statusClasses: [Int: Int] = [:]
    /// Files of sites except robots.txt, by kind and outcome: `manifest-found`, `manifest-status`.
    var siteFiles: [String: Int] = [:]
    /// Pages that were rendered, by the end of the rendering, and those that could not be, by the failure.
    var renderings: [String: Int] = [:]
    /// The time that pages were open in the browser, all together.
    var renderingTime = Duration.zero
    /// The results of the seeds, in the order of the seeds file.
    public private(set) var seeds: [SeedEnd]
    private let seedNumbers: [WebURL: [Int]]

    // MARK: Links

    /// Links found on pages, before any check.
    public var outlinks = 0
    /// The number of links that were not queued, by the stable code of the reason.
    public var refusals: [String: Int] = [:]
    /// The first links that were not queued, by the same code.
    public var refusalExamples: [String: [String]] = [:]
    /// URLs that were new to the frontier.
    public var discovered = 0

    // MARK: Hosts and requests

    /// The results by host.
    public private(set) var hosts: [String: Host] = [:]
    /// The trouble with the last request, by host, if it was not answered. Known at the end of the run.
    public var troubles: [String: RequestFailure] = [:]
    /// Looked-up names by result: `found`, or the code of a failure.
    public var lookUps: [String: Int] = [:]
    /// Hosts that the run asked, and hosts left for the next run because of a limit.
    var hostsMet = 0
    var hostsBeyond = 0
    /// Hosts left for the next run because their addresses were not named for this shard.
    var hostsUnnamed = 0
    /// Registered domains with too many names that do not exist.
    var domainsGivenUp: Set<String> = []
    /// Hosts that need a longer rest than this run waits.
    public var hostsLeft: Set<String> = []
    /// Addresses that were asked more often than once a delay, because they have many sites. The first hundred.
    public private(set) var addresses: [String: AddressPace] = [:]
    /// The time between two requests of all shards that this one finds fit, by address, as far as it can judge. Known at the end of the
    /// run.
    public var fitIntervals: [String: Duration] = [:]
    /// HTTP exchanges of all kinds, including robots.txt and retries.
    public var requests = 0
    var requestsByPurpose: [FetchRequest.Purpose: Int] = [:]
    /// Answers to all requests, by status class.
    var answersByClass: [Int: Int] = [:]
    /// Requests without an answer or with an error of the server.
    var failedRequests: Int { requests - answersByClass.reduce(0) { $0 + ($1.key == 5 ? 0 : $1.value) } }
    /// Exchanges before a host's delay had passed. Always 0, unless Pippin has a bug.
    public private(set) var requestsTooEarly = 0
    /// Decoded bytes of pages and sitemaps.
    public var bodyBytes = 0
    /// Bytes of all bodies as transferred.
    public var wireBytes = 0

    // MARK: Times

    /// The time of all exchanges together.
    public var fetching = Duration.zero
    /// The time of reading all pages together.
    public var reading = Duration.zero
    /// Times of whole exchanges (including those without an answer), to the first byte, in the queue for a host's turn, and of
    /// reading a page.
    var exchangeTimes = TimeHistogram()
    var firstByteTimes = TimeHistogram()
    var waitTimes = TimeHistogram()
    var readingTimes = TimeHistogram()
    /// The reasons why the crawl did not start another visit, with their times.
    public var pace = CrawlPace()

    // MARK: Now

    /// Visits in flight now.
    public var visitsInFlight = 0
    /// Requests in the schedule now.
    public var scheduled = 0
    /// Hosts that the schedule knows now.
    public var hostsScheduled = 0
    /// The host that the crawl waits for now; nil while requests are in flight.
    public var waiting: CrawlWait?

    /// Starts with no counts.
    public init(seeds: [Seed] = []) {
        self.seeds = seeds.map { SeedEnd(seed: $0) }
        seedNumbers = Dictionary(grouping: seeds.indices) { seeds[$0].url }
    }

    /// The limit of examples for each outcome, and for each reason not to queue a link.
    private static let examplesKept = 3
    /// The limit of an example's URL, because a URL may be refused for its length.
    private static let longestExample = 300
    private static let addressesKept = 4
    private static let pacesKept = 100

    // MARK: Seeds

    /// Seeds whose end this run does not know: seeds that were not due, and redirects whose target was not visited.
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

    /// Counts the end of a request that will not be repeated.
    ///
    /// - Parameters:
    ///   - hasRecord: whether the visit wrote a record.
    ///   - isFollowed: whether the target of a redirect will be visited.
    mutating func ended(
        _ request: CrawlRequest, _ outcome: VisitOutcome, status: Int? = nil, hasRecord: Bool = false,
        isFollowed: Bool = false
    ) {
        let isPage = request.isPage && outcome.countsAsPage
        let isFailure =
            switch outcome {
            case .failed, .serverError, .throttled, .robotsUnreachable, .readingTimedOut: true
            default: false
            }
        if isPage || hasRecord || isFailure {
            hosts[request.host, default: Host()].pages += isPage ? 1 : 0
            hosts[request.host, default: Host()].records += hasRecord ? 1 : 0
            hosts[request.host, default: Host()].failures += isFailure ? 1 : 0
        }
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

    /// - Parameter outcome: nil if the page could not be read after its rendering.
    mutating func rendered(_ outcome: RenderOutcome?, time: Duration) {
        renderings[outcome?.verdict.code ?? "unread", default: 0] += 1
        renderingTime += time
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

    /// Notes the start of a turn, for a host that may have several requests in flight. Pauses of such hosts are measured
    /// between starts: an exchange that ends in between may change the delay, but the delay at the start of a turn is the one
    /// that the next turn had to wait for.
    mutating func turnBegan(at now: Duration, host name: String, delay: Duration) {
        var host = hosts.removeValue(forKey: name) ?? Host()
        if let last = host.last { note(pause: now - last.time, delay: last.delay, of: &host) }
        host.last = (now, delay)
        hosts[name] = host
    }

    /// Counts an exchange.
    ///
    /// - Parameters:
    ///   - delay: the host's delay after the exchange, which applies to the next one. Nil for a host with several
    ///     connections, because `turnBegan` measures its turns.
    ///   - start: the time from which the request waited for its host's turn.
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

    /// Notes that an address may be asked more often, or less.
    mutating func rateChanged(of address: String, to perSecond: Double) {
        guard var pace = addresses[address] else {
            if addresses.count < Self.pacesKept {
                addresses[address] = AddressPace(last: perSecond, highest: perSecond)
            }
            return
        }
        if perSecond < pace.last { pace.falls += 1 }
        pace.last = perSecond
        pace.highest = max(pace.highest, perSecond)
        addresses[address] = pace
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

    /// The host with the shortest pause of all; if several are equal, the first by name.
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

    /// Counts URLs that were passed to the frontier.
    mutating func count(_ change: FrontierChange) {
        discovered += change.added
        if change.dropped.count > 0 { count(RefusedLinks(change.dropped)) }
    }

    mutating func count(_ refused: RefusedLinks) {
        for entry in refused.entries {
            let reason = entry.refusal.rawValue
            refusals[reason, default: 0] += entry.count
            guard let url = entry.example, refusalExamples[reason]?.count ?? 0 < Self.examplesKept else { continue }
            let text = String(url.href.prefix(Self.longestExample))
            if refusalExamples[reason]?.contains(text) != true { refusalExamples[reason, default: []].append(text) }
        }
    }
}

/// The statistics of a running crawl. The loop and the visits add to them, and they can be read at any time.
final class RunningStatistics: Sendable {
    private let state: Mutex<CrawlStatistics>

    init(seeds: [Seed] = []) { state = Mutex(CrawlStatistics(seeds: seeds)) }

    var now: CrawlStatistics { state.withLock { $0 } }

    func update(_ change: (inout CrawlStatistics) -> Void) { state.withLock { change(&$0) } }
}
