/// The links of the whole page: its `link` elements and the `Link` fields of its response (RFC 8288), read once for all
/// extractors. Style sheets, preloads and the like are left out.
public struct LinkTags: Sendable {
    /// The header's links first, then the elements in page order.
    public fileprivate(set) var tags: [LinkTag] = []
    /// Leniencies used and limits reached while reading.
    public fileprivate(set) var notes: [ParseNote] = []
    /// Whether the limit was reached.
    var isFull = false
}

/// The meaning of a link: the known words of its `rel`.
public struct LinkRelations: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `alternate`
    public static let alternate = LinkRelations(rawValue: 1 << 0)
    /// `canonical`
    public static let canonical = LinkRelations(rawValue: 1 << 1)
    /// `next`
    public static let next = LinkRelations(rawValue: 1 << 2)
    /// `prev` and `previous`
    public static let previous = LinkRelations(rawValue: 1 << 3)
    /// `amphtml`
    public static let amp = LinkRelations(rawValue: 1 << 4)
    /// `sitemap`
    public static let sitemap = LinkRelations(rawValue: 1 << 5)
    /// `icon`, also in `shortcut icon`
    public static let icon = LinkRelations(rawValue: 1 << 6)
    static let appleTouchIcon = LinkRelations(rawValue: 1 << 7)
    static let maskIcon = LinkRelations(rawValue: 1 << 8)
    /// `manifest`
    public static let manifest = LinkRelations(rawValue: 1 << 9)
    /// `search`
    public static let search = LinkRelations(rawValue: 1 << 10)
    static let imageSource = LinkRelations(rawValue: 1 << 11)
    /// `stylesheet`
    public static let stylesheet = LinkRelations(rawValue: 1 << 12)
    /// `nofollow`
    public static let nofollow = LinkRelations(rawValue: 1 << 13)
    static let ugc = LinkRelations(rawValue: 1 << 14)
    static let sponsored = LinkRelations(rawValue: 1 << 15)
    static let license = LinkRelations(rawValue: 1 << 16)
}

/// One `link` element or one link of a `Link` field.
public struct LinkTag: Sendable {
    /// The known words of `rel`.
    public fileprivate(set) var relations: LinkRelations
    /// The address as written, without white space at the ends and without the line breaks of a wrapped address.
    public fileprivate(set) var href: String
    /// Whether the address is wrapped over lines.
    public fileprivate(set) var isWrapped = false
    /// The resolved address. The base is the document's for an element, and the page's URL for a header. Nil if it is not a
    /// URL.
    public fileprivate(set) var url: WebURL?
    /// The `type` attribute as written.
    public fileprivate(set) var type: String?
    /// The `hreflang` attribute as written.
    public fileprivate(set) var hreflang: String?
    /// The `title` attribute.
    public fileprivate(set) var title: String?
    /// The `media` attribute.
    public fileprivate(set) var media: String?
    /// The `sizes` attribute.
    public fileprivate(set) var sizes: String?
    /// The `color` attribute of a mask icon.
    public fileprivate(set) var color: String?
    /// Whether it is in a header of the response, not in the page.
    public fileprivate(set) var isFromHeader = false
    /// Whether the element is inside `body`.
    public fileprivate(set) var isInBody = false
    /// The place of the element; nil for a header.
    public fileprivate(set) var place: SourcePlace?

    /// The line of `place`, 1-based; nil without a place.
    public var line: Int? { place?.line }
    /// The column of `place`, 1-based; nil without a place.
    public var column: Int? { place?.column }

    func note(_ code: ParseNote.Code, _ message: String) -> ParseNote {
        ParseNote(code, message, line: line, column: column)
    }
}

extension LinkTags {
    /// The limit of links per page. Sites in 100 languages have about 200.
    static let maximumTags = 5_000

    /// Reads the links of a page and of its response, but no elements that stand in what visitors wrote.
    ///
    /// - Parameters:
    ///   - pageURL: the base of the header's links.
    ///   - baseURL: the base of the elements' links; see `HTMLDocument.baseURL(pageURL:)`.
    public init(_ document: HTMLDocument, headers: HTTPHeaders = HTTPHeaders(), pageURL: WebURL, baseURL: WebURL) {
        var bytes = 0
        for value in headers.values("Link") {
            LinkHeader.read(value, pageURL: pageURL) { append($0, &bytes) }
        }
        let body = document.elements(named: .body).first
        let early = document.earlyHeadEnd()
        var userContent = UserContent(document)
        for element in document.elements(named: .link) {
            guard let written = document.bytes(of: .href, on: element)?.trimmingHTMLSpace() else { continue }
            let unwrapped = WrittenAddress.unwrapped(written)
            let href = unwrapped?[...] ?? written
            let rel = document.bytes(of: .rel, on: element)
            let relations = LinkRelations(rel ?? [])
            if !relations.isKept {
                // A `link` without `rel` is the value of a property if it has `property` or `itemprop`, and else an alternate.
                let isProperty =
                    rel == nil
                    && (document.bytes(of: .itemprop, on: element) ?? document.bytes(of: .property, on: element)) != nil
                guard AppAlternate.isAppAddress(href), !isProperty else { continue }
            }
            let isInBody = document.isInBody(element, body: body, early)
            if isInBody, userContent.holds(element) { continue }
            var tag = LinkTag(relations: relations, href: String(decoding: href, as: UTF8.self))
            tag.isWrapped = unwrapped != nil
            tag.url = tag.href.isEmpty ? nil : WebURL(tag.href, base: baseURL)
            tag.type = Self.text(.type, of: element, in: document)
            tag.title = Self.text(.title, of: element, in: document)
            tag.media = Self.text(.media, of: element, in: document)
            tag.hreflang = Self.text(.hreflang, of: element, in: document)
            if !relations.isDisjoint(with: [.icon, .appleTouchIcon, .maskIcon]) {
                tag.sizes = Self.text(.sizes, of: element, in: document)
                tag.color = Self.text(.color, of: element, in: document)
            }
            tag.isInBody = isInBody
            tag.place = document.place(of: element)
            append(tag, &bytes)
        }
    }

    /// Adds a link unless a limit is reached. The first canonical link is kept even beyond the limit.
    ///
    /// - Parameter bytes: the length of all addresses so far.
    private mutating func append(_ tag: LinkTag, _ bytes: inout Int) {
        bytes += tag.url?.href.utf8.count ?? 0
        let fits =
            tags.count < Self.maximumTags && bytes <= ReadingLimits.standard.maximumOutlinkBytes
            || tag.relations.contains(.canonical) && !tags.contains { $0.relations.contains(.canonical) }
        if fits {
            tags.append(tag)
            if tag.isWrapped { notes.append(tag.wrappedNote) }
        } else if !isFull {
            isFull = true
            notes.append(
                tag.note(
                    .document(.tooManyLinks),
                    "The page has more than \(Self.maximumTags) link elements and headers, or longer ones than any page needs."
                ))
        }
    }

    private static func text(_ name: HTMLName, of element: HTMLDocument.Index, in document: HTMLDocument) -> String? {
        guard let bytes = document.bytes(of: name, on: element)?.trimmingHTMLSpace(), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension LinkTag {
    /// The note on an address that is wrapped over lines, with the code for the link's purpose.
    fileprivate var wrappedNote: ParseNote {
        let code: ParseNote.Code =
            relations.contains(.canonical)
            ? .canonical(.wrapped)
            : AppAlternate.isAppAddress(Array(href.utf8)[...]) ? .appAlternate(.wrapped) : .document(.linkURLWrapped)
        return note(code, "The address of a link is wrapped over lines; it is read as “\(href.prefix(200))”.")
    }
}

extension LinkRelations {
    /// The known words of a `rel` attribute.
    init(_ rel: ArraySlice<UInt8>) {
        self = []
        var start = rel.startIndex
        while start < rel.endIndex {
            if rel[start].isHTMLSpace {
                start += 1
                continue
            }
            var end = start + 1
            while end < rel.endIndex, !rel[end].isHTMLSpace { end += 1 }
            insert(Self.word(rel[start..<end]))
            start = end
        }
    }

    private static func word(_ word: ArraySlice<UInt8>) -> LinkRelations {
        switch word.count {
        case 3 where word.equalsIgnoringCase("ugc"): .ugc
        case 4 where word.equalsIgnoringCase("icon"): .icon
        case 4 where word.equalsIgnoringCase("next"): .next
        case 4 where word.equalsIgnoringCase("prev"): .previous
        case 6 where word.equalsIgnoringCase("search"): .search
        case 7 where word.equalsIgnoringCase("amphtml"): .amp
        case 7 where word.equalsIgnoringCase("license"): .license
        case 7 where word.equalsIgnoringCase("sitemap"): .sitemap
        case 8 where word.equalsIgnoringCase("nofollow"): .nofollow
        case 8 where word.equalsIgnoringCase("manifest"): .manifest
        case 8 where word.equalsIgnoringCase("previous"): .previous
        case 9 where word.equalsIgnoringCase("alternate"): .alternate
        case 9 where word.equalsIgnoringCase("canonical"): .canonical
        case 9 where word.equalsIgnoringCase("image_src"): .imageSource
        case 9 where word.equalsIgnoringCase("mask-icon"): .maskIcon
        case 9 where word.equalsIgnoringCase("sponsored"): .sponsored
        case 10 where word.equalsIgnoringCase("stylesheet"): .stylesheet
        case 16 where word.equalsIgnoringCase("apple-touch-icon"): .appleTouchIcon
        case 28 where word.equalsIgnoringCase("apple-touch-icon-precomposed"): .appleTouchIcon
        default: []
        }
    }

    /// Whether any extractor uses links with these words. `alternate stylesheet` is a style sheet and is not used.
    var isKept: Bool {
        !contains(.stylesheet) && !subtracting([.nofollow, .ugc, .sponsored]).isEmpty
    }

    /// The words that state whether the author trusts the target: `nofollow`, `ugc` and `sponsored`.
    var trust: LinkRelations { intersection([.nofollow, .ugc, .sponsored]) }

    /// The names of these words, in the order of the standard's list.
    var trustNames: [String] {
        var names: [String] = []
        if contains(.nofollow) { names.append("nofollow") }
        if contains(.sponsored) { names.append("sponsored") }
        if contains(.ugc) { names.append("ugc") }
        return names
    }
}

/// Reads `Link` fields (RFC 8288 §3, by the algorithm of appendix B.2).
enum LinkHeader {
    /// Calls `found` for each link of the page. Links with another `anchor` are about other pages and are skipped.
    static func read(_ value: String, pageURL: WebURL, found: (LinkTag) -> Void) {
        let bytes = Array(value.utf8)
        var reader = Reader(bytes: bytes)
        while let target = reader.nextTarget() {
            let parameters = reader.parameters()
            if let anchor = parameters["anchor"], WebURL(anchor, base: pageURL)?.href != pageURL.href { continue }
            let relations = LinkRelations(Array((parameters["rel"] ?? "").utf8)[...])
            guard relations.isKept || AppAlternate.isAppAddress(target) else { continue }
            var tag = LinkTag(relations: relations, href: String(decoding: target, as: UTF8.self))
            tag.url = tag.href.isEmpty ? nil : WebURL(tag.href, base: pageURL)
            tag.type = parameters["type"]
            tag.hreflang = parameters["hreflang"]
            tag.title = parameters["title"]
            tag.media = parameters["media"]
            tag.sizes = parameters["sizes"]
            tag.isFromHeader = true
            found(tag)
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

        private mutating func skipSpace() {
            while let byte = current, byte == 0x20 || byte == 0x09 { position += 1 }
        }

        /// The text between `<` and `>`; nil if there is no further link.
        mutating func nextTarget() -> ArraySlice<UInt8>? {
            while let byte = current, byte == 0x2C || byte == 0x20 || byte == 0x09 { position += 1 }
            guard current == 0x3C, let end = bytes[position...].firstIndex(of: 0x3E) else { return nil }
            defer { position = end + 1 }
            return bytes[position + 1..<end].trimmingHTMLSpace()
        }

        /// The parameters, names in lower case. If a name is repeated, the first one counts (RFC 8288 §3.3 requires it for
        /// `rel`).
        mutating func parameters() -> [String: String] {
            var result: [String: String] = [:]
            while true {
                skipSpace()
                guard current == 0x3B else { return result }
                position += 1
                skipSpace()
                let start = position
                while let byte = current, byte != 0x3D, byte != 0x3B, byte != 0x2C, byte != 0x20, byte != 0x09 {
                    position += 1
                }
                let name = String(decoding: bytes[start..<position].map(\.asciiLowercased), as: UTF8.self)
                skipSpace()
                var value = ""
                if current == 0x3D {
                    position += 1
                    skipSpace()
                    value = parameterValue()
                }
                if !name.isEmpty && result[name] == nil { result[name] = value }
            }
        }

        private mutating func parameterValue() -> String {
            guard current == 0x22 else {
                let start = position
                while let byte = current, byte != 0x3B, byte != 0x2C { position += 1 }
                return String(decoding: bytes[start..<position].trimmingHTMLSpace(), as: UTF8.self)
            }
            position += 1
            var value: [UInt8] = []
            while let byte = current, byte != 0x22 {
                if byte == 0x5C, position + 1 < bytes.count { position += 1 }
                value.append(bytes[position])
                position += 1
            }
            position += 1
            return String(decoding: value.trimmingHTMLSpace(), as: UTF8.self)
        }
    }
}
