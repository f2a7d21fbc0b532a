import Foundation

/// One page or sitemap that a sitemap names, with what it says of it.
public struct SitemapEntry: Sendable {
    public enum ChangeFrequency: String, Sendable {
        case always, hourly, daily, weekly, monthly, yearly, never
    }

    /// Where the entry lies as seen from its sitemap. sitemaps.org lets a sitemap speak for its own directory on its own
    /// origin; for other hosts only when their robots.txt names it.
    public enum Placement: String, Sendable {
        /// At or below the sitemap's directory, same scheme, host and port.
        case below
        /// Elsewhere on the sitemap's host; harmless and common.
        case sameHost
        /// On another host: to be believed only when that host's robots.txt names the sitemap.
        case otherHost
    }

    /// A date as written and as understood.
    public struct Moment: Sendable, Hashable {
        public let text: String
        /// nil where the text is no date. A day without a time is its first moment in UTC.
        public let date: Date?
    }

    /// Another form of the page: a language, a device, an app (`android-app://…`, `ios-app://…`).
    public struct Alternate: Sendable, Hashable {
        /// Normalized for http(s), as written for other schemes.
        public let href: String
        public let rel: String?
        public let hreflang: String?
        public let media: String?
    }

    public struct Image: Sendable, Hashable {
        public var loc = ""
        public var title: String?
        public var caption: String?
    }

    public struct Video: Sendable, Hashable {
        public var title: String?
        public var description: String?
        public var thumbnail: String?
        public var content: String?
        public var player: String?
        /// Seconds, as written.
        public var duration: String?
        public var published: Moment?
    }

    public struct News: Sendable, Hashable {
        public var title: String?
        public var publication: String?
        public var language: String?
        public var published: Moment?
    }

    public let loc: WebURL
    public let placement: Placement
    /// 1-based line of the address in the file.
    public let line: Int?
    public internal(set) var lastmod: Moment?
    public internal(set) var changefreq: ChangeFrequency?
    /// 0–1; nil where the file says nothing (sitemaps.org: 0.5).
    public internal(set) var priority: Double?
    public internal(set) var alternates: [Alternate] = []
    public internal(set) var images: [Image] = []
    public internal(set) var videos: [Video] = []
    public internal(set) var news: News?

    /// Whether the entry needs the proof by robots.txt.
    var isCrossSubmitted: Bool { placement == .otherHost }

    init(loc: WebURL, line: Int?, scope: SitemapScope) {
        self.loc = loc
        self.line = line
        placement = scope.placement(of: loc)
    }
}

/// What a sitemap may speak for.
struct SitemapScope {
    private let host: String?
    /// Origin and directory: `https://example.org/catalog/`.
    private let directory: String

    init(_ url: WebURL) {
        host = url.host
        let path = url.path
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        directory = url.origin.map { $0 + path[..<end] } ?? ""
    }

    func placement(of loc: WebURL) -> SitemapEntry.Placement {
        // The directory begins with the origin, so its host need not be compared again.
        if !directory.isEmpty, loc.href.utf8.starts(with: directory.utf8) { return .below }
        return loc.host == host ? .sameHost : .otherHost
    }
}
