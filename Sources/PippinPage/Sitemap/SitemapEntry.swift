import Foundation

/// One page or sitemap in a sitemap, with its declared properties.
public struct SitemapEntry: Sendable {
    /// How often the page changes, by its own account.
    public enum ChangeFrequency: String, Sendable {
        case always, hourly, daily, weekly, monthly, yearly, never
    }

    /// The entry's address relative to its sitemap. By sitemaps.org, a sitemap may list addresses of its own directory and
    /// origin; other hosts only if their robots.txt names the sitemap.
    public enum Placement: String, Sendable {
        /// At or below the sitemap's directory, same scheme, host and port.
        case below
        /// Elsewhere on the sitemap's host, which is common and harmless.
        case sameHost
        /// On another host. It is trusted only if that host's robots.txt names the sitemap.
        case otherHost
    }

    /// A date as written, and its value.
    public struct Moment: Sendable, Hashable {
        /// The date as written.
        public let text: String
        /// The date; nil if the text is not a date. A day without a time is its first moment in UTC.
        public let date: Date?

        /// - Parameter text: a date as W3C or RFC 822 write it.
        init(_ text: String) {
            self.text = text
            date = W3CDateTime.date(from: text) ?? HTTPDate.date(from: text)
        }

        /// As W3C writes dates; nil for a text that is no date.
        public var w3cText: String? {
            guard let date else { return nil }
            return W3CDateTime.date(from: text) == nil ? InternetTime.text(date) : text
        }
    }

    /// Another form of the page: for a language, a device or an app (`android-app://…`, `ios-app://…`).
    public struct Alternate: Sendable, Hashable {
        /// The address: normalized for http and https, as written for other schemes.
        public let href: String
        /// The `rel` attribute.
        public let rel: String?
        /// The `hreflang` attribute.
        public let hreflang: String?
        /// The `media` attribute.
        public let media: String?
    }

    /// An image of the page (Google's image extension).
    public struct Image: Sendable, Hashable {
        /// The image's address.
        public var loc = ""
        /// The image's title.
        public var title: String?
        /// The image's caption.
        public var caption: String?
    }

    /// A video of the page (Google's video extension).
    public struct Video: Sendable, Hashable {
        /// The video's title.
        public var title: String?
        /// The video's description.
        public var description: String?
        /// The address of a preview image.
        public var thumbnail: String?
        /// The address of the video file.
        public var content: String?
        /// The address of the player.
        public var player: String?
        /// The duration in seconds, as written.
        public var duration: String?
        /// The date of publication.
        public var published: Moment?
    }

    /// News metadata of the page (Google's news extension).
    public struct News: Sendable, Hashable {
        /// The article's title.
        public var title: String?
        /// The name of the publication.
        public var publication: String?
        /// The language of the publication.
        public var language: String?
        /// The keywords as written, separated by commas.
        public var keywords: String?
        /// The date of publication.
        public var published: Moment?
    }

    /// The address of the page or sitemap.
    public let loc: WebURL
    /// Where the address is relative to the sitemap.
    public let placement: Placement
    /// The line of the address in the file, 1-based; nil if unknown.
    public let line: Int?
    /// The date of the last change, if declared.
    public internal(set) var lastmod: Moment?
    /// The date of publication, if a feed declares it.
    public internal(set) var published: Moment?
    /// The names of authors, if a feed has them; at most `maximumAuthors`.
    public internal(set) var authors: [String] = []
    /// More than any page has that is worth reading.
    static let maximumAuthors = 10
    /// The declared change frequency.
    public internal(set) var changefreq: ChangeFrequency?
    /// The declared priority, 0–1; nil if there is none (sitemaps.org: 0.5).
    public internal(set) var priority: Double?
    /// Other forms of the page.
    public internal(set) var alternates: [Alternate] = []
    /// The page's images.
    public internal(set) var images: [Image] = []
    /// The page's videos.
    public internal(set) var videos: [Video] = []
    /// The page's news metadata.
    public internal(set) var news: News?

    init(loc: WebURL, line: Int?, scope: SitemapScope) {
        self.loc = loc
        self.line = line
        placement = scope.placement(of: loc)
    }
}

/// The addresses that a sitemap may list without further proof.
struct SitemapScope {
    private let host: String?
    /// The sitemap's origin and directory: `https://example.org/catalog/`.
    private let directory: String

    init(_ url: WebURL) {
        host = url.host
        let path = url.path
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        directory = url.origin.map { $0 + path[..<end] } ?? ""
    }

    func placement(of loc: WebURL) -> SitemapEntry.Placement {
        // The directory includes the origin, so the host need not be compared again.
        if !directory.isEmpty, loc.href.utf8.starts(with: directory.utf8) { return .below }
        return loc.host == host ? .sameHost : .otherHost
    }
}
