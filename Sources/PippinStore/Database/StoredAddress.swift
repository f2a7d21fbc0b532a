import PippinCrawl
import PippinPage

/// A URL as the database keeps it: its host, a letter for scheme and kind, and the rest of its key.
struct StoredAddress: Hashable {
    let host: String
    /// `s/path?query` for `https://host/path?query`.
    let text: String

    init(_ request: CrawlRequest) {
        self.init(key: request.key, host: request.host, isPage: request.isPage)
    }

    /// - Parameter host: the host in the key, as `CrawlRequest.host` gives it.
    init(key: URLKey, host: String, isPage: Bool) {
        self.host = host
        let text = key.string
        let isSecure = text.hasPrefix("https://")
        let start = (isSecure ? 8 : 7) + host.utf8.count
        let letter = isPage ? (isSecure ? "s" : "h") : (isSecure ? "S" : "H")
        // Only http and https URLs are stored. Their keys begin with scheme and host.
        self.text = letter + Substring(text.utf8.dropFirst(start))
    }

    init(host: String, text: String) {
        self.host = host
        self.text = text
    }

    var isPage: Bool { text.utf8.first == UInt8(ascii: "s") || text.utf8.first == UInt8(ascii: "h") }

    var isSecure: Bool { text.utf8.first.map { $0 | 0x20 } == UInt8(ascii: "s") }

    /// The URL key.
    var key: String {
        return (isSecure ? "https://" : "http://") + host + text.dropFirst()
    }
}

/// Facts that only a few URLs have, kept as JSON.
struct StoredExtras: Codable, Equatable {
    /// The URL to fetch; nil if it equals the URL key.
    var url: String?
    var redirects: [String]?
    /// What sitemaps say of the page: app addresses, the image, video and news extensions, and feeds.
    var alternates: [String]?
    var news: SitemapFacts.News?
    var feed: SitemapFacts.Feed?
    var images: [SitemapFacts.Image]?
    var videos: [SitemapFacts.Video]?
    /// For sitemaps: the host whose URLs it may list, and how many sitemap indexes lie above it.
    var sitemapHost: String?
    var sitemapLevel: Int?

    var isEmpty: Bool { self == StoredExtras() }

    /// The same as one value.
    var sitemap: SitemapFacts {
        get {
            var facts = SitemapFacts()
            facts.alternates = alternates ?? []
            facts.news = news
            facts.feed = feed
            facts.images = images ?? []
            facts.videos = videos ?? []
            return facts
        }
        set {
            alternates = newValue.alternates.isEmpty ? nil : newValue.alternates
            news = newValue.news
            feed = newValue.feed
            images = newValue.images.isEmpty ? nil : newValue.images
            videos = newValue.videos.isEmpty ? nil : newValue.videos
        }
    }
}

/// Small facts of a URL in one number.
///
///      47        32 31        16  14   13    11 10   8  7    6      5      4      3    2     0
///     ┌────────────┬────────────┬────┬────────┬───────┬────┬──────┬──────┬──────┬──────┬───────┐
///     │ site files │ settings   │ in │ nearer │ wrong │ –  │ owed │ hurr │ ign  │ seed │ found │
///     └────────────┴────────────┴────┴────────┴───────┴────┴──────┴──────┴──────┴──────┴───────┘
///
/// - found: how the URL was found (`discovery`)
/// - seed: the URL stands for a seed
/// - ign: its canonical link is ignored
/// - hurr: it is due because a sitemap says that it has changed
/// - owed: it is never dropped from the queue
/// - wrong: how often a sitemap said that it has changed, and nothing had
/// - nearer: what a nearer way to the URL changes: bit 11 `isCut`, bit 12 `isRefused`, bit 13 `leadsFurther`
/// - in: it was taken in from another crawl (`isTakenIn`)
/// - settings, site files: what its record depends on besides the page (`RevalidationKey`)
struct StoredFlags {
    var rawValue: Int64

    private static let discoveries: [CrawlRequest.Discovery] = [.seed, .outlink, .sitemap, .redirect, .canonical]

    init(rawValue: Int64) { self.rawValue = rawValue }

    init(_ request: CrawlRequest) {
        rawValue = Int64(Self.discoveries.firstIndex(of: request.discovery) ?? 1)
        standsForSeed = request.standsForSeed
        ignoresCanonical = request.ignoresCanonical
    }

    var discovery: CrawlRequest.Discovery {
        get {
            let index = Int(rawValue & 7)
            return index < Self.discoveries.count ? Self.discoveries[index] : .outlink
        }
        set { rawValue = rawValue & ~7 | Int64(Self.discoveries.firstIndex(of: newValue) ?? 1) }
    }

    /// Whether links of the page were refused for its depth (`FinishedVisit.isCut`).
    var isCut: Bool {
        get { rawValue & 1 << 11 != 0 }
        set { rawValue = newValue ? rawValue | 1 << 11 : rawValue & ~(1 << 11) }
    }

    /// Whether the scope refused the URL, found as it was, when its turn came.
    var isRefused: Bool {
        get { rawValue & 1 << 12 != 0 }
        set { rawValue = newValue ? rawValue | 1 << 12 : rawValue & ~(1 << 12) }
    }

    /// Whether the page led to URLs that are neither among its links (`LinkTable`) nor away (`ShardMail`), such as entries of a feed.
    var leadsFurther: Bool {
        get { rawValue & Self.leadsFurther != 0 }
        set { rawValue = newValue ? rawValue | Self.leadsFurther : rawValue & ~Self.leadsFurther }
    }
    static let leadsFurther: Int64 = 1 << 13

    /// Whether another crawl has made its first visits, and has said its rhythm.
    var isTakenIn: Bool {
        get { rawValue & 1 << 14 != 0 }
        set { rawValue = newValue ? rawValue | 1 << 14 : rawValue & ~(1 << 14) }
    }

    var standsForSeed: Bool {
        get { rawValue & 8 != 0 }
        set { rawValue = newValue ? rawValue | 8 : rawValue & ~8 }
    }

    /// Whether it is due because a sitemap says that it has changed.
    var isHurried: Bool {
        get { rawValue & 32 != 0 }
        set { rawValue = newValue ? rawValue | 32 : rawValue & ~32 }
    }

    /// Whether it is kept however many URLs are queued: it stands for a seed, or a redirect or canonical link leads to it.
    var isOwed: Bool {
        get {
            switch discovery {
            case .seed, .redirect, .canonical: true
            case .outlink, .sitemap: standsForSeed || rawValue & 64 != 0
            }
        }
        set { rawValue = newValue ? rawValue | 64 : rawValue & ~64 }
    }

    /// How often a sitemap said that it has changed, and nothing had. At most 6; a true hint lowers it.
    var wrongHints: Int {
        get { Int(rawValue >> 8 & 7) }
        set { rawValue = rawValue & ~(7 << 8) | Int64(min(max(newValue, 0), 6)) << 8 }
    }

    var revalidationKey: RevalidationKey {
        get {
            RevalidationKey(
                crawl: UInt16(truncatingIfNeeded: rawValue >> 16), site: UInt16(truncatingIfNeeded: rawValue >> 32))
        }
        set {
            rawValue = rawValue & ~(0xFFFF_FFFF << 16) | Int64(newValue.crawl) << 16 | Int64(newValue.site) << 32
        }
    }

    var ignoresCanonical: Bool {
        get { rawValue & 16 != 0 }
        set { rawValue = newValue ? rawValue | 16 : rawValue & ~16 }
    }
}

/// The number of a URL's row. The table `url` is a hash table inside SQLite's B-tree: a row's number follows from its host
/// and its address, so that no index of addresses is needed.
///
///      63                        35 34                                   0
///     ┌────────────────────────────┬──────────────────────────────────────┐
///     │ host.id                    │ place in the host                    │
///     └────────────────────────────┴──────────────────────────────────────┘
///     place = hash of the directory (35 bits) + hash of the rest (26 bits), modulo 2^35
///
/// - The host comes first because a visit touches mostly URLs of one host. They lie side by side in the table and its index.
///   With numbers in random order each URL would touch another page of the database, which is slow once the table is larger
///   than memory.
/// - URLs of one directory lie near each other: the new links of a page are mostly its siblings.
/// - If another URL has the number, the next free number is used (`find`). So a URL whose next number is taken leaves a mark when it
///   is removed: URLs behind it would no longer be found (`VacatedNumbers`).
/// - Both hashes are keyed with a secret of the storage, so that nobody can make up URLs that all get one place.
///
/// SQL spells the host out as `id >> 35`, because the index `urlRank` has that expression.
enum URLNumber {
    static let placeBits: Int64 = 35
    /// Bits of a place that distinguish the URLs of one directory.
    static let directoryBits: Int64 = 26
    private static let placeMask: Int64 = 1 << placeBits - 1

    static func host(of number: Int64) -> Int64 { number >> placeBits }

    /// The greatest number of a host.
    static let mostHosts: Int64 = 1 << (63 - placeBits) - 1

    /// The numbers that URLs of a host may have.
    static func range(ofHost host: Int64) -> ClosedRange<Int64> { host << placeBits...host << placeBits | placeMask }

    /// The place in its host where the search for an address starts.
    static func place(of address: StoredAddress, key: UInt64) -> Int64 {
        let bytes = address.text.utf8
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        let end = path.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        let directory = Int64(truncatingIfNeeded: UInt64.storeHash(bytes[..<end], seed: key))
        let rest = Int64(truncatingIfNeeded: UInt64.storeHash(bytes[end...], seed: ~key))
        return (directory &+ rest & (1 << directoryBits - 1)) & placeMask
    }

    /// The number to try when another URL has this one. It stays within the host.
    static func next(after number: Int64) -> Int64 { number & ~placeMask | (number + 1) & placeMask }

    /// The number whose `next` this is.
    static func next(before number: Int64) -> Int64 { number & ~placeMask | (number - 1) & placeMask }

    enum Occupant<Row> {
        case nobody
        case another
        case found(Row)
    }

    /// Searches for an address.
    ///
    /// - Parameter occupant: says what has a number: no URL, another one, or the one that is searched for.
    /// - Returns: its row and number; or nil and the free number for a new row.
    static func find<Row>(
        _ address: StoredAddress, host: Int64, key: UInt64, occupant: (Int64) throws -> Occupant<Row>
    ) rethrows -> (row: Row?, number: Int64) {
        var number = host << placeBits | place(of: address, key: key)
        while true {
            switch try occupant(number) {
            case .nobody: return (nil, number)
            case .found(let row): return (row, number)
            case .another: number = next(after: number)
            }
        }
    }
}
