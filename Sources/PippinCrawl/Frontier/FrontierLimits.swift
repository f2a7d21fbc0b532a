import PippinPage

/// How much a frontier keeps of what a crawl has found and not visited: what a run may visit, and a margin. A site can name more
/// URLs than anybody will ever visit, ten thousand a page; each that was kept would cost memory or disk for nothing.
///
/// What does not fit is dropped and counted (`CrawlScope.Refusal.queueFull`); the best is kept. From the best to the worst:
///
///  1. seeds, targets of redirects and canonical URLs: never dropped, and never kept out. A visit adds one at most.
///  2. sitemaps
///  3. pages: those nearer to a seed; at one depth those that a sitemap lists; of these those that more pages link to; of
///     equals those that were there first
///
/// A better URL pushes the worst of its host out. When the queue of all hosts is full, the host with the most makes room for
/// one that has little: so one site of many pages cannot keep the others out.
///
/// The URLs that were visited stay, as they must not be visited again; page limits bound them.
public struct FrontierLimits: Sendable, Equatable {
    /// What waits of one host, and of all hosts together. A URL counts as one, a long one as several (`load`).
    public var perHost: Int
    public var total: Int

    /// Keeps whatever it is given.
    public static let unlimited = FrontierLimits(perHost: .max / 4, total: .max / 4)

    /// Bytes of an address that count as one URL. Real addresses have some 80; of those with 2,000, a fourth as many are kept.
    /// With the limits of an ordinary crawl this keeps 7 MB of addresses a host, and 70 MB in all.
    static let bytesPerURL = 512
    /// Bytes of addresses that one sitemap or feed hands over at once: 50,000 entries of 160 bytes, where real ones have 80.
    static let maximumHandedOverBytes = 8_000_000

    public init(perHost: Int, total: Int) {
        self.perHost = perHost
        self.total = total
    }

    /// - Parameter seeds: how many there are. They wait too, and must not take the place of what they lead to.
    public init(_ configuration: CrawlConfiguration, seeds: Int) {
        let scope = configuration.scope
        total = Self.withMargin(scope.maximumPages) + seeds
        perHost = Self.withMargin(min(scope.maximumPages, scope.maximumPagesPerHost))
    }

    /// A quarter more, as not every URL becomes a page that counts: some redirect, some robots.txt closes. And 1,000, so that a
    /// crawl of few pages still has a choice, and all that a page links to.
    private static func withMargin(_ pages: Int) -> Int { pages + pages / 4 + 1_000 }

    /// What a URL counts for.
    public static func load(keyBytes: Int, extraBytes: Int) -> Int { 1 + (keyBytes + extraBytes) / bytesPerURL }

    /// From which load on a host makes room for any other: a quarter of what it may have.
    private var generousFrom: Int { max(1, perHost / 4) }

    /// Makes room for a new URL: worse ones are dropped.
    ///
    /// - Parameters:
    ///   - load: what the URL counts for.
    ///   - queued: what waits of its host counts for, and what waits of all.
    ///   - heaviest: the host of which most waits.
    ///   - drop: drops the worst URL of a host, if it is worse than the rank, or without one in any case; false when there is none.
    /// - Returns: whether there is room; otherwise the URL is not kept.
    public func makeRoom<Host: Equatable>(
        for rank: DropRank, load: Int, of host: Host, queued: () throws -> (ofHost: Int, ofAll: Int),
        heaviest: () throws -> (host: Host, load: Int)?, drop: (Host, DropRank?) throws -> Bool
    ) rethrows -> Bool {
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

/// Where a waiting URL stands among those that may be dropped; greater is worse.
public struct DropRank: Sendable, Comparable {
    /// The depth doubled, and one more for what no sitemap lists; -1 for a sitemap.
    public let level: Int
    /// Pages that link there, as far as they are counted.
    public let links: Int

    public init(isPage: Bool, depth: Int, discovery: CrawlRequest.Discovery, links: Int) {
        level = isPage ? 2 * min(max(depth, 0), 1 << 32) + (discovery == .sitemap ? 0 : 1) : -1
        self.links = links
    }

    public static func < (a: DropRank, b: DropRank) -> Bool { (a.level, b.links) < (b.level, a.links) }
}

extension CrawlRequest {
    /// Whether a frontier keeps it, however much waits.
    public var isOwed: Bool {
        switch discovery {
        case .seed, .redirect, .canonical: true
        case .outlink, .sitemap: standsForSeed
        }
    }

    /// The rank of the URL when it is new.
    public var dropRank: DropRank { DropRank(isPage: isPage, depth: depth, discovery: discovery, links: 1) }
}
