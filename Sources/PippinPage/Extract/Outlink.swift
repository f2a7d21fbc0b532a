/// A link found on a page that can be fetched.
public struct Outlink: Sendable {
    /// What carries the link.
    public enum Kind: String, Sendable, CaseIterable {
        case anchor, area, frame, canonical, alternate, next, previous, amp, sitemap, refresh
    }

    /// http or https, resolved against the document's base.
    public let url: WebURL
    public let kind: Kind
    /// Of `rel`: `nofollow`, `ugc`, `sponsored`.
    public internal(set) var relations: LinkRelations
    public let isFromHeader: Bool
    /// What the link is called, collapsed, at most 200 bytes: its text, or the `alt` of its picture.
    public internal(set) var anchorText: String
    public let place: SourcePlace?

    public var line: Int? { place?.line }
    public var column: Int? { place?.column }

    /// Whether the author does not vouch for the target (`nofollow`, `ugc` or `sponsored`).
    public var isNofollow: Bool { !relations.isDisjoint(with: [.nofollow, .ugc, .sponsored]) }
}

/// A link to something that is not fetched but may be opened: `tel:`, `mailto:`, `intent:`, an app's own scheme.
public struct SchemeLink: Sendable {
    /// Lower case, without the colon.
    public let scheme: String
    /// As written, white space at the ends aside.
    public let href: String
    public let anchorText: String
    public let place: SourcePlace?

    public var line: Int? { place?.line }
    public var column: Int? { place?.column }
}

/// Every link of a page, each address once: header, `link` elements, refresh, anchors, areas, frames, each in page order.
public struct Outlinks: Sendable {
    public internal(set) var links: [Outlink] = []
    public internal(set) var schemeLinks: [SchemeLink] = []
    /// Links left out, by reason.
    public internal(set) var dropped = Dropped()
    public internal(set) var notes: [ParseNote] = []

    public struct Dropped: Sendable, Hashable {
        /// `javascript:`, `data:`, `blob:`, `about:`.
        public internal(set) var inert = 0
        /// Empty, or only a fragment: the page itself.
        public internal(set) var samePage = 0
        public internal(set) var duplicates = 0
        public internal(set) var invalid = 0
        /// Schemes of the web that are not crawled: `ftp:`, `file:`, `ws:`.
        public internal(set) var uncrawled = 0
        /// Alternates whose declared type is neither a page nor a feed.
        public internal(set) var otherTypes = 0
        /// Beyond `ReadingLimits.maximumOutlinks`.
        public internal(set) var beyondLimit = 0
    }
}
