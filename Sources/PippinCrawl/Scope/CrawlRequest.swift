import Foundation
import PippinPage

/// A URL to visit, with the data that belongs to it.
public struct CrawlRequest: Sendable, Equatable {
    /// The expected kind of file.
    public enum Target: Sendable, Equatable {
        case page
        /// A sitemap. `host` is the host whose URLs it may list, because that host's robots.txt named it (sitemaps.org, "Cross
        /// submits"). `level` is 0 for a sitemap in robots.txt, and 1 or more inside sitemap indexes.
        case sitemap(host: String, level: Int)
    }

    /// How the URL became known.
    public enum Discovery: String, Sendable {
        case seed, outlink, sitemap, redirect, canonical
    }

    /// The URL to fetch.
    public private(set) var url: WebURL
    /// The key by which the frontier knows the URL.
    public private(set) var key: URLKey
    /// The expected kind of file.
    public var target: Target
    /// The number of links from a seed to the URL. A seed has 0, redirects add nothing, sitemap entries have 1.
    public var depth: Int
    /// The seed that led to the URL.
    public var seed: Seed
    /// How the URL became known.
    public var discovery: Discovery
    /// Whether it is a seed, or the target of a seed's redirect.
    public var standsForSeed: Bool
    /// The URLs that redirected here, oldest first.
    public var redirects: [WebURL] = []
    /// The number of failed attempts before this one.
    public var attempt = 0
    /// True if the page's canonical URL turned out to be unusable. The page is then filed under its own URL.
    public var ignoresCanonical = false
    /// Data of the last visit, for a conditional request and to recognize changes; nil on the first visit.
    public var previous: PreviousVisit?
    /// What sitemaps say of the page. A frontier keeps it with the URL.
    public var sitemap = SitemapFacts()
    /// The time from which it waits for its host's turn, by the crawl's clock; nil until it is leased.
    var waitsSince: Duration?
    /// The date of the last change by a sitemap, a hint to come back sooner; nil if unknown.
    public var modifiedAt: Date?

    /// Creates a request.
    public init(
        url: WebURL, target: Target = .page, depth: Int = 0, seed: Seed, discovery: Discovery,
        standsForSeed: Bool = false
    ) {
        self.url = url
        key = URLKey(url)
        self.target = target
        self.depth = depth
        self.seed = seed
        self.discovery = discovery
        self.standsForSeed = standsForSeed
    }

    /// A request for a seed.
    public init(seed: Seed) {
        self.init(url: seed.url, seed: seed, discovery: .seed, standsForSeed: true)
    }

    /// A request for a link of a page or a sitemap entry. The URL of the key is fetched, whatever the spelling of the link: it
    /// has no session identifier and no campaign parameter, and the result does not depend on which spelling was found first.
    init(
        link: WebURL, target: Target = .page, depth: Int, seed: Seed, discovery: Discovery,
        sitemap: SitemapFacts = SitemapFacts()
    ) {
        self.init(url: link, target: target, depth: depth, seed: seed, discovery: discovery)
        self.sitemap = sitemap
        if key.string != url.href, let plain = WebURL(key.string) { url = plain }
    }

    /// The way by which the URL was found.
    public var way: CrawlWay {
        get { CrawlWay(depth: depth, seed: seed) }
        set { (depth, seed) = (newValue.depth, newValue.seed) }
    }

    /// Whether it is one link further from the seed than the page that led to it. Redirects and canonical links add nothing.
    public var addsDepth: Bool { discovery != .redirect && discovery != .canonical }

    /// The way to the URL by another way to the page that led to it.
    public func way(by page: CrawlWay) -> CrawlWay {
        CrawlWay(depth: page.depth + (addsDepth ? 1 : 0), seed: page.seed)
    }

    /// The bytes of all addresses in the request, and of what sitemaps say.
    var addressBytes: Int { key.string.utf8.count + extraBytes }

    /// The same without the key.
    var extraBytes: Int {
        redirects.reduce(0) { $0 + $1.href.utf8.count } + sitemap.byteCount
    }

    /// Changes the URL to the target of a redirect. Everything else stays.
    mutating func redirect(to target: WebURL) {
        redirects.append(url)
        url = target
        key = URLKey(target)
        discovery = .redirect
        attempt = 0
        previous = nil
    }

    /// The host for politeness: requests to it are spaced.
    public var host: String { url.politenessHost }

    /// Whether a page is expected, not a sitemap.
    public var isPage: Bool { target == .page }

    /// The order of leasing, smaller first: pages nearer to a seed come earlier. Sitemaps come before all pages, because they
    /// have data on the pages they list.
    public var priority: Int { isPage ? depth : -1 }
}

/// The data that the frontier keeps of a page's last visit.
public final class PreviousVisit: Sendable, Equatable {
    /// The `ETag` of the response.
    public let entityTag: String?
    /// The `Last-Modified` of the response.
    public let lastModified: String?
    /// The hash of the recorded content, to recognize a page that is sent again without a change.
    public let contentHash: String?
    /// The time of the visit.
    public let visitedAt: Date
    /// The page's rhythm: the time between visits while they find the page. The recrawl policy lengthens or shortens it.
    public let interval: Duration
    /// The number of failed visits in a row, for any reason.
    public let failures: Int
    /// The number of visits in a row that reached the host but did not find the page; see `VisitOutcome.Bearing.misses`.
    public let misses: Int
    /// The identifier of the record that the visit wrote; nil if it wrote none.
    public let recordIdentifier: String?
    /// The other inputs of the record, when the page was last read.
    public let revalidationKey: RevalidationKey

    /// Creates the data of a visit.
    public init(
        entityTag: String?, lastModified: String?, contentHash: String?, visitedAt: Date, interval: Duration,
        failures: Int = 0, misses: Int = 0, recordIdentifier: String?,
        revalidationKey: RevalidationKey = RevalidationKey()
    ) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.contentHash = contentHash
        self.visitedAt = visitedAt
        self.interval = interval
        self.failures = failures
        self.misses = misses
        self.recordIdentifier = recordIdentifier
        self.revalidationKey = revalidationKey
    }

    /// The same data without validators, so that the next visit reads the page even if it has not changed.
    var withoutValidators: PreviousVisit {
        PreviousVisit(
            entityTag: nil, lastModified: nil, contentHash: contentHash, visitedAt: visitedAt, interval: interval,
            failures: failures, misses: misses, recordIdentifier: recordIdentifier, revalidationKey: revalidationKey)
    }

    var hasValidators: Bool { entityTag != nil || lastModified != nil }

    public static func == (a: PreviousVisit, b: PreviousVisit) -> Bool {
        a === b
            || a.entityTag == b.entityTag && a.lastModified == b.lastModified && a.contentHash == b.contentHash
                && a.visitedAt == b.visitedAt && a.interval == b.interval && a.failures == b.failures
                && a.misses == b.misses && a.recordIdentifier == b.recordIdentifier
                && a.revalidationKey == b.revalidationKey
    }
}

extension WebURL {
    /// The URL as sent in a request, which never contains a fragment.
    var hrefWithoutFragment: Substring {
        href.firstIndex(of: "#").map { href[..<$0] } ?? href[...]
    }

    /// Whether a redirect to this URL comes back to where a request was, and would go on so for ever.
    ///
    /// - Parameters:
    ///   - url: what redirects.
    ///   - earlier: the URLs of the same chain before it.
    func comesBack(from url: WebURL, after earlier: [WebURL]) -> Bool {
        hrefWithoutFragment == url.hrefWithoutFragment
            || earlier.contains { $0.hrefWithoutFragment == hrefWithoutFragment }
    }
}

/// Two small hashes of the inputs of a record other than the page's own bytes. "Not modified" only concerns the bytes, so a
/// conditional request is made only if these inputs are unchanged.
public struct RevalidationKey: Sendable, Equatable {
    /// The inputs that are known before the visit: configuration, seeds, what sitemaps say of the page, and the version of
    /// the page reading.
    public var crawl: UInt16
    /// The association files of the page's own host; 0 if they were not available, so that nothing is known about them.
    public var site: UInt16

    /// Creates a key.
    public init(crawl: UInt16 = 0, site: UInt16 = 0) {
        self.crawl = crawl
        self.site = site
    }
}
