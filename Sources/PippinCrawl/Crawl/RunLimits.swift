import PippinPage

/// The limits of one run: pages and sitemaps, overall and per host, the number of hosts, and the requests for robots.txt. Also
/// the hosts that are left for the next run. A pure value, owned by the crawl's loop.
///
/// Without limits on hosts, `max_pages: 20` would let a page with 3,000 host names cause 3,000 look-ups and as many requests.
struct RunLimits {
    /// The number of bad certificates in a row after which a host is left. One bad certificate may belong to only one of
    /// several origins.
    private static let maximumBadCertificates = 3

    private let scope: CrawlScope
    private let settings: CrawlConfiguration.Scope
    private let seedHosts: Set<String>
    /// Page visits that brought an answer or are under way.
    private var pages = 0
    private var pagesOfHost: [String: Int] = [:]
    /// Sitemaps that were started, without retries and redirects.
    private var sitemaps = 0
    private var sitemapsOfHost: [String: Int] = [:]
    /// Hosts that this run has asked, or may ask.
    private(set) var hosts: Set<String> = []
    /// Requests for robots.txt.
    private var robotsRequests = 0
    /// Hosts that are not asked before a time.
    private var suspended: [String: Duration] = [:]
    /// Hosts whose addresses were not named for this shard (`AddressShares`). The next run asks them.
    private(set) var unnamedHosts: Set<String> = []
    /// For each host, how many times in a row it could not be reached at all (`FetchError.Retry.leaveHost`).
    private var unreached: [String: Int] = [:]
    /// Hosts beyond `scope.max_hosts`, or beyond `scope.max_robots_requests` because of their robots.txt.
    private(set) var hostsBeyond: Set<String> = []

    init(_ settings: CrawlConfiguration.Scope, scope: CrawlScope, seeds: [Seed]) {
        self.scope = scope
        self.settings = settings
        seedHosts = Set(seeds.map(\.url.politenessHost))
    }

    // MARK: Pages and sitemaps

    /// Whether the run was asked to start no more visits. It ends as if its page limit were reached.
    var isClosed = false

    var pageLimitIsReached: Bool { isClosed || pages >= settings.maximumPages }

    /// How many more visits of pages may begin.
    var pagesLeft: Int { max(0, settings.maximumPages - pages) }

    /// The reason why a visit may not start although its turn has come; nil if it may.
    func refusal(of request: CrawlRequest) -> CrawlScope.Refusal? {
        // The scope may be narrower than that of the run which admitted the URL.
        if let refusal = scope.refusal(of: request) { return refusal }
        if request.isPage {
            return pagesOfHost[request.host, default: 0] >= scope.maximumPages(of: request.host) ? .hostPageLimit : nil
        }
        let isLimited =
            sitemapsOfHost[request.host, default: 0] >= Visit.maximumSitemapsPerHost
            || sitemaps >= settings.sitemapLimit
        return isLimited ? .sitemapLimit : nil
    }

    mutating func begin(_ request: CrawlRequest) {
        if request.isPage {
            pages += 1
            pagesOfHost[request.host, default: 0] += 1
        } else if request.attempt == 0, request.redirects.isEmpty {
            sitemaps += 1
            sitemapsOfHost[request.host, default: 0] += 1
        }
    }

    /// Counts the end of a visit. Only answered page requests stay counted.
    mutating func end(_ result: VisitResult) {
        guard result.request.isPage else { return }
        if case .finish = result.next, result.outcome?.countsAsPage == true { return }
        takeBack(result.request)
    }

    /// Takes back a visit of a page that waits for the next run.
    mutating func takeBack(_ request: CrawlRequest) {
        guard request.isPage else { return }
        pages -= 1
        pagesOfHost[request.host, default: 1] -= 1
    }

    // MARK: Hosts

    /// Whether the run may ask a host: it has done so already, or one more host is within the limit. Hosts of seeds always
    /// count and are never refused.
    mutating func admits(_ host: String) -> Bool {
        if hosts.contains(host) { return true }
        guard seedHosts.contains(host) || hosts.count < settings.hostLimit else { return false }
        hosts.insert(host)
        return true
    }

    /// Until when a host is suspended; nil if it is not.
    func suspension(of host: String, now: Duration) -> Duration? { suspended[host].flatMap { $0 > now ? $0 : nil } }

    /// Leaves a host because its address was not named. True if it was not left before.
    mutating func leaveUnnamed(_ host: String) -> Bool { unnamedHosts.insert(host).inserted }

    mutating func suspend(_ host: String, until: Duration, isBeyondLimit: Bool = false) {
        suspended[host] = until
        if isBeyondLimit { hostsBeyond.insert(host) }
    }

    /// Counts the end of a visit of a host. True if the host cannot be reached at all.
    mutating func isUnreachable(_ host: String, _ error: FetchError?) -> Bool {
        guard let error, error.retry == .leaveHost else {
            unreached[host] = nil
            return false
        }
        let count = unreached[host, default: 0] + 1
        unreached[host] = count
        if case .tls = error { return count >= Self.maximumBadCertificates }
        return true
    }

    /// Whether the limit of requests for robots.txt allows one more.
    var mayAskForRules: Bool { robotsRequests < settings.robotsLimit }

    mutating func beginRules() { robotsRequests += 1 }
}
