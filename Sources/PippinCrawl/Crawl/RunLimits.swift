import PippinPage

/// How far one run goes: pages and sitemaps, in all and of a host, the hosts it turns to and the robots.txt it asks for. And which
/// hosts it leaves for the next run. A pure value, owned by the crawl's loop.
///
/// Without limits on hosts, `max_pages: 20` would let a page with 3,000 names of hosts cost 3,000 look-ups and as many requests.
struct RunLimits {
    private let scope: CrawlScope
    private let settings: CrawlConfiguration.Scope
    private let seedHosts: Set<String>
    /// Pages that were answered or are under way.
    private var pages = 0
    private var pagesOfHost: [String: Int] = [:]
    /// Sitemaps that were begun, without retries and redirects.
    private var sitemaps = 0
    private var sitemapsOfHost: [String: Int] = [:]
    /// Hosts that this run has turned to.
    private(set) var hosts: Set<String> = []
    /// Requests for robots.txt.
    private var robotsRequests = 0
    /// Hosts of which nothing more is asked, until when.
    private var suspended: [String: Duration] = [:]
    /// Hosts beyond `scope.max_hosts`, or whose robots.txt would have been beyond `scope.max_robots_requests`.
    private(set) var hostsBeyond: Set<String> = []

    init(_ settings: CrawlConfiguration.Scope, scope: CrawlScope, seeds: [Seed]) {
        self.scope = scope
        self.settings = settings
        seedHosts = Set(seeds.map(\.url.politenessHost))
    }

    // MARK: Pages and sitemaps

    var pageLimitIsReached: Bool { pages >= settings.maximumPages }

    /// Why a visit may not begin now that its turn has come.
    func refusal(of request: CrawlRequest) -> CrawlScope.Refusal? {
        // What an earlier run admitted may lie outside by now.
        if let refusal = scope.refusal(of: request) { return refusal }
        if request.isPage {
            return pagesOfHost[request.host, default: 0] >= settings.maximumPagesPerHost ? .hostPageLimit : nil
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

    /// A visit that was begun has ended. Only an answer to a page request stays counted.
    mutating func end(_ result: VisitResult) {
        guard result.request.isPage else { return }
        if case .finish = result.next, result.outcome?.countsAsPage == true { return }
        pages -= 1
        pagesOfHost[result.request.host, default: 1] -= 1
    }

    // MARK: Hosts

    /// Whether the run may ask a host for anything: it has done so, or one more is within the limit. Hosts of seeds always count, and
    /// are never refused.
    mutating func admits(_ host: String) -> Bool {
        if hosts.contains(host) { return true }
        guard seedHosts.contains(host) || hosts.count < settings.hostLimit else { return false }
        hosts.insert(host)
        return true
    }

    /// Whether nothing of a host is asked for now, after it was suspended.
    func isSuspended(_ host: String, now: Duration) -> Bool { suspended[host].map { $0 > now } ?? false }

    mutating func suspend(_ host: String, until: Duration, isBeyondLimit: Bool = false) {
        suspended[host] = until
        if isBeyondLimit { hostsBeyond.insert(host) }
    }

    /// Whether one more robots.txt may be asked for.
    var mayAskForRules: Bool { robotsRequests < settings.robotsLimit }

    mutating func beginRules() { robotsRequests += 1 }
}
