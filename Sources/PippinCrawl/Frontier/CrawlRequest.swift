import Foundation
import PippinPage

/// A URL to be visited, with everything that must travel with it.
public struct CrawlRequest: Sendable, Equatable {
    /// What is expected behind the URL.
    public enum Target: Sendable, Equatable {
        case page
        /// `host`: whose URLs the sitemap may list, the host whose robots.txt named it (sitemaps.org, "Cross submits").
        /// `level`: 0 when found by robots.txt, 1 and more inside sitemap indexes.
        case sitemap(host: String, level: Int)
    }

    /// How the URL became known.
    public enum Discovery: String, Sendable {
        case seed, outlink, sitemap, redirect, canonical
    }

    /// What is fetched.
    public private(set) var url: WebURL
    /// What the URL is known by.
    public private(set) var key: URLKey
    public var target: Target
    /// Links from a seed to here; a seed is 0, redirects add nothing, sitemap entries are 1.
    public var depth: Int
    public var seed: Seed
    public var discovery: Discovery
    /// True for a seed and for what it redirects to.
    public var standsForSeed: Bool
    /// The URLs that redirected here, oldest first.
    public var redirects: [WebURL] = []
    /// Failed tries before this one.
    public var attempt = 0
    /// Set when the page's canonical URL turned out to be unusable: the page is filed under its own URL.
    public var ignoresCanonical = false
    /// What the last visit left, for a conditional request and for judging change; nil on the first visit.
    public var previous: PreviousVisit?
    /// `android-app:` and `ios-app:` addresses that sitemaps give for the page, sorted; a frontier keeps them with the URL.
    public var alternates: [String] = []
    /// Since when it waits for its host's turn, by the crawl's clock; nil until it is leased.
    var waitsSince: Duration?
    /// When the page last changed, as a sitemap has it: a hint to come back sooner.
    public var modifiedAt: Date?

    /// Alternates of one page that are kept.
    static let maximumAlternates = 20
    /// Bytes of them together: real ones have some 60 each.
    static let maximumAlternateBytes = 2_000

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

    public init(seed: Seed) {
        self.init(url: seed.url, seed: seed, discovery: .seed, standsForSeed: true)
    }

    /// A request for what a page or a sitemap links to. Of all spellings with one URL key, the key's own is fetched:
    /// it has no session and no campaign that a site would count us for, and it does not matter which one was met first.
    init(
        link: WebURL, target: Target = .page, depth: Int, seed: Seed, discovery: Discovery, alternates: [String] = []
    ) {
        self.init(url: link, target: target, depth: depth, seed: seed, discovery: discovery)
        self.alternates = alternates
        if key.string != url.href, let plain = WebURL(key.string) { url = plain }
    }

    /// Whether this way to a URL counts, and not the one that is known: the shorter, and of two of one length the one from the
    /// smaller seed, whichever came first.
    ///
    /// - Parameters:
    ///   - depth: of the known way.
    ///   - seed: of the known way; asked for only when both are of one length.
    public func isNearer(than depth: Int, seed: @autoclosure () throws -> Seed) rethrows -> Bool {
        if self.depth != depth { return self.depth < depth }
        return self.seed.url.href < (try seed()).url.href
    }

    /// Takes over what another sitemap says of the same page.
    mutating func addAlternates(_ others: [String]) {
        guard !others.isEmpty else { return }
        alternates = Self.joinedAlternates(alternates, others)
    }

    /// The addresses that two sitemaps give for one page.
    public static func joinedAlternates(_ some: [String], _ others: [String]) -> [String] {
        bounded(Set(some + others).sorted())
    }

    /// As many as are kept of one page.
    static func bounded(_ alternates: [String]) -> [String] {
        var bytes = 0
        return Array(
            alternates.prefix(maximumAlternates).prefix {
                bytes += $0.utf8.count
                return bytes <= maximumAlternateBytes
            })
    }

    /// What its addresses take, beside where it came from.
    var addressBytes: Int { key.string.utf8.count + extraBytes }

    /// Of these, what is no part of the key.
    var extraBytes: Int {
        redirects.reduce(0) { $0 + $1.href.utf8.count } + alternates.reduce(0) { $0 + $1.utf8.count }
    }

    /// The same journey, sent on to another URL.
    mutating func redirect(to target: WebURL) {
        redirects.append(url)
        url = target
        key = URLKey(target)
        discovery = .redirect
        attempt = 0
        previous = nil
    }

    /// The host that must be spared: the unit of politeness.
    public var host: String { url.politenessHost }

    public var isPage: Bool { target == .page }

    /// Nearer to a seed comes first; sitemaps come before all pages, because they say more of the pages they list.
    public var priority: Int { isPage ? depth : -1 }
}

/// What the frontier keeps of a page's last visit.
public final class PreviousVisit: Sendable, Equatable {
    public let entityTag: String?
    public let lastModified: String?
    /// Hash of what was recorded, to tell a change from a re-delivery.
    public let contentHash: String?
    public let visitedAt: Date
    /// The page's rhythm: how long the frontier waits between visits that find the page; the recrawl policy lengthens or
    /// shortens it.
    public let interval: Duration
    /// Visits in a row that failed, whatever the reason.
    public let failures: Int
    /// Visits in a row that reached the host and did not find the page; see `VisitOutcome.Bearing.misses`.
    public let misses: Int
    /// Unique identifier of the record that the visit wrote, if it wrote one.
    public let recordIdentifier: String?
    /// What else decided what was recorded, when the page was last read.
    public let revalidationKey: RevalidationKey

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

    /// The same, for a visit that reads the page, changed or not.
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
    /// Host without a trailing dot: `example.org.` and `example.org` are one machine to be polite to.
    var politenessHost: String {
        guard let host else { return "" }
        return host.utf8.last == 0x2E ? String(host.dropLast()) : String(host)
    }
}

extension WebURL {
    /// What is sent: a fragment never is.
    var hrefWithoutFragment: Substring {
        href.firstIndex(of: "#").map { href[..<$0] } ?? href[...]
    }
}
