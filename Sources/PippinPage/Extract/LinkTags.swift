/// The links a page has to other resources as a whole: its `link` elements and the `Link` fields of its response
/// (RFC 8288), read once for all extractors that look at them. Style sheets, preloads and the like are left out.
public struct LinkTags: Sendable {
    /// The header's links first, then the elements in page order.
    public internal(set) var tags: [LinkTag] = []
    public internal(set) var notes: [ParseNote] = []
    /// There were more links than are kept.
    var isFull = false
}

/// What a link means: the words of its `rel` that Pippin knows.
public struct LinkRelations: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let alternate = LinkRelations(rawValue: 1 << 0)
    public static let canonical = LinkRelations(rawValue: 1 << 1)
    public static let next = LinkRelations(rawValue: 1 << 2)
    public static let previous = LinkRelations(rawValue: 1 << 3)
    public static let amp = LinkRelations(rawValue: 1 << 4)
    public static let sitemap = LinkRelations(rawValue: 1 << 5)
    public static let icon = LinkRelations(rawValue: 1 << 6)
    public static let appleTouchIcon = LinkRelations(rawValue: 1 << 7)
    public static let maskIcon = LinkRelations(rawValue: 1 << 8)
    public static let manifest = LinkRelations(rawValue: 1 << 9)
    public static let search = LinkRelations(rawValue: 1 << 10)
    public static let imageSource = LinkRelations(rawValue: 1 << 11)
    public static let stylesheet = LinkRelations(rawValue: 1 << 12)
    public static let nofollow = LinkRelations(rawValue: 1 << 13)
    public static let ugc = LinkRelations(rawValue: 1 << 14)
    public static let sponsored = LinkRelations(rawValue: 1 << 15)
}

public struct LinkTag: Sendable {
    public internal(set) var relations: LinkRelations
    /// As written, but for white space at the ends and the line ends of a wrapped one.
    public internal(set) var href: String
    /// The address is written over several lines.
    public internal(set) var isWrapped = false
    /// Resolved: an element's against the document's base, a header's against the page's own URL. Nil for what is no URL.
    public internal(set) var url: WebURL?
    public internal(set) var type: String?
    public internal(set) var hreflang: String?
    public internal(set) var title: String?
    public internal(set) var media: String?
    public internal(set) var sizes: String?
    public internal(set) var color: String?
    public internal(set) var isFromHeader = false
    public internal(set) var isInBody = false
    public internal(set) var place: SourcePlace?

    public var line: Int? { place?.line }
    public var column: Int? { place?.column }

    func note(_ code: ParseNote.Code, _ message: String) -> ParseNote {
        ParseNote(code, message, line: line, column: column)
    }
}
