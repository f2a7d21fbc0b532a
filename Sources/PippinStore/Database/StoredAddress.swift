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
    /// What sitemaps say of the page: app addresses, and the image, video and news extensions.
    var alternates: [String]?
    var news: SitemapFacts.News?
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
            facts.images = images ?? []
            facts.videos = videos ?? []
            return facts
        }
        set {
            alternates = newValue.alternates.isEmpty ? nil : newValue.alternates
            news = newValue.news
            images = newValue.images.isEmpty ? nil : newValue.images
            videos = newValue.videos.isEmpty ? nil : newValue.videos
        }
    }
}

/// Small facts of a URL in one number.
///
///      47        32 31        16 15    11 10   8  7    6      5      4      3    2     0
///     ┌────────────┬────────────┬────────┬───────┬────┬──────┬──────┬──────┬──────┬───────┐
///     │ site files │ settings   │   –    │ wrong │ –  │ owed │ hurr │ ign  │ seed │ found │
///     └────────────┴────────────┴────────┴───────┴────┴──────┴──────┴──────┴──────┴───────┘
///
/// - found: how the URL was found (`discovery`)
/// - seed: the URL stands for a seed
/// - ign: its canonical link is ignored
/// - hurr: it is due because a sitemap says that it has changed
/// - owed: it is never dropped from the queue
/// - wrong: how often a sitemap said that it has changed, and nothing had
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
        let index = Int(rawValue & 7)
        return index < Self.discoveries.count ? Self.discoveries[index] : .outlink
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
