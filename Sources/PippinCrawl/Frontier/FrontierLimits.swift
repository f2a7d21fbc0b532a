import PippinPage

/// The limits of a frontier's queue: as many URLs as a run may visit, and a margin. A site can name far more URLs than anybody
/// will visit, ten thousand per page, and keeping them would cost memory or disk for nothing.
///
/// URLs beyond the limits are dropped and counted (`CrawlScope.Refusal.queueFull`); the best are kept. The order, best first:
///
///  1. seeds, targets of redirects and canonical URLs. They are always accepted and never dropped; a visit adds at most one.
///  2. sitemaps
///  3. pages: nearer to a seed before farther; at equal depth, those in a sitemap first; then those to which more links
///     were met lately; then those that were found earlier
///
/// A better URL replaces the worst one of its host. If the queue of all hosts is full, the host with the most URLs makes room
/// for a host with few, so that one large site cannot keep the others out.
///
/// Visited URLs are kept, because they must not be visited again. Page limits bound their number.
public struct FrontierLimits: Sendable, Equatable {
    /// The limit of the queue per host. A URL counts as one, a long one as several (`load`).
    public var perHost: Int
    /// The limit of the queue for all hosts together, counted in the same way.
    public var total: Int

    /// The limits of hosts that have sheets with `max_pages`, by their patterns.
    private var ofHosts: [String: Int] = [:]

    /// No limits.
    public static let unlimited = FrontierLimits(perHost: .max / 4, total: .max / 4)

    /// The number of bytes of an address that count as one URL. Real addresses have about 80 bytes; of addresses with 2,000
    /// bytes, a quarter as many are kept. With the limits of an ordinary crawl, a host has up to 7 MB of addresses, and all
    /// hosts together 70 MB.
    public static let bytesPerURL = 512
    /// The bytes of addresses that one sitemap or feed may add at once: 50,000 entries of 160 bytes. Real ones have 80.
    static let maximumHandedOverBytes = 8_000_000

    /// Creates limits.
    public init(perHost: Int, total: Int) {
        self.perHost = perHost
        self.total = total
    }

    /// The limits that follow from a configuration.
    ///
    /// - Parameter seeds: the number of seeds. They are queued too, and must not take the place of the URLs they lead to.
    public init(_ configuration: CrawlConfiguration, seeds: Int) {
        let scope = configuration.scope
        total = Self.withMargin(scope.maximumPages) + seeds
        perHost = Self.withMargin(min(scope.maximumPages, scope.maximumPagesPerHost))
        ofHosts = configuration.hosts.complete.mapValues {
            Self.withMargin(min(scope.maximumPages, $0.maximumPages ?? scope.maximumPagesPerHost))
        }
    }

    /// The limit of the queue of a host.
    private func limit(of host: String) -> Int { HostSheets.value(for: host, in: ofHosts) ?? perHost }

    /// Adds a quarter, because some URLs do not become pages that count (redirects, robots.txt). Adds 1,000, so that a small
    /// crawl still has a choice, and keeps all links of a page.
    private static func withMargin(_ pages: Int) -> Int { pages + pages / 4 + 1_000 }

    /// The number of URLs that a URL counts as.
    public static func load(keyBytes: Int, extraBytes: Int) -> Int { 1 + (keyBytes + extraBytes) / bytesPerURL }

    /// The load from which a host must make room for any URL of a smaller host: a quarter of its own limit.
    private var generousFrom: Int { max(1, perHost / 4) }

    /// Makes room for a new URL by dropping worse ones.
    ///
    /// - Parameters:
    ///   - load: the load of the new URL.
    ///   - name: the name of its host.
    ///   - queued: returns the load of the host's queue and of all queues.
    ///   - heaviest: returns the host with the greatest load.
    ///   - drop: drops the worst URL of a host if it is worse than the rank; without a rank, in any case. Returns false if
    ///     nothing was dropped.
    /// - Returns: whether there is room. If not, the new URL is not kept.
    public func makeRoom<Host: Equatable>(
        for rank: DropRank, load: Int, of host: Host, named name: String,
        queued: () throws -> (ofHost: Int, ofAll: Int),
        heaviest: () throws -> (host: Host, load: Int)?, drop: (Host, DropRank?) throws -> Bool
    ) rethrows -> Bool {
        let perHost = limit(of: name)
        while try queued().ofHost + load > perHost {
            guard try drop(host, rank) else { return false }
        }
        while true {
            let (own, all) = try queued()
            guard all + load > total else { return true }
            if let giver = try heaviest(), giver.host != host, giver.load >= 2 * (own + load),
                try drop(giver.host, giver.load > generousFrom ? nil : rank)
            {
                continue
            }
            guard try drop(host, rank) else { return false }
        }
    }
}

/// The rank of a queued URL for dropping. A greater rank is worse and is dropped first.
public struct DropRank: Sendable, Comparable {
    /// Twice the depth, plus one if no sitemap lists the URL; -1 for a sitemap.
    public let level: Int
    /// The number of links to the URL that were met, as far as they are remembered.
    public let links: Int

    /// Creates a rank.
    public init(isPage: Bool, depth: Int, discovery: CrawlRequest.Discovery, links: Int) {
        level = isPage ? 2 * min(max(depth, 0), 1 << 32) + (discovery == .sitemap ? 0 : 1) : -1
        self.links = links
    }

    /// More links make a rank smaller, that is, better.
    public static func < (a: DropRank, b: DropRank) -> Bool { (a.level, b.links) < (b.level, a.links) }
}

extension CrawlRequest {
    /// Whether a frontier keeps the request even if its queue is full.
    public var isOwed: Bool {
        switch discovery {
        case .seed, .redirect, .canonical: true
        case .outlink, .sitemap: standsForSeed
        }
    }

    /// The rank of a new URL.
    public var dropRank: DropRank { DropRank(isPage: isPage, depth: depth, discovery: discovery, links: 1) }
}
