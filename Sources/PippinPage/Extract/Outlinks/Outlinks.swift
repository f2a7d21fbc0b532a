import Glibc

/// A link found on a page that can be fetched.
public struct Outlink: Sendable {
    /// The element or header of the link.
    public enum Kind: String, Sendable, CaseIterable {
        case anchor, area, frame, canonical, alternate, next, previous, amp, sitemap, refresh
    }

    /// The address, http or https, resolved against the document's base.
    public let url: WebURL
    /// The element or header of the link.
    public let kind: Kind
    /// The words `nofollow`, `ugc`, `sponsored` of `rel`.
    public fileprivate(set) var relations: LinkRelations
    /// Whether it is in a header of the response, not in the page.
    public let isFromHeader: Bool
    /// The text of the link, or the `alt` of its picture; white space collapsed, at most 200 bytes.
    fileprivate(set) var anchorText: String
    /// The place of the element; nil for a header.
    public let place: SourcePlace?
    /// Whether the site vouches for a link that may name its app: it is there at least once without `nofollow`, `ugc` and
    /// `sponsored`, and outside of `UserContent`. Always false for links to other hosts (`AppHost`), as nobody asks.
    public fileprivate(set) var isVouchedFor = false

    /// The line of `place`, 1-based; nil without a place.
    public var line: Int? { place?.line }
    /// The column of `place`, 1-based; nil without a place.
    public var column: Int? { place?.column }

    /// Whether the author does not vouch for the target (`nofollow`, `ugc` or `sponsored`).
    public var isNofollow: Bool { !relations.isDisjoint(with: [.nofollow, .ugc, .sponsored]) }
}

/// A link that is not fetched but may be opened: `tel:`, `mailto:`, `intent:`, a custom scheme.
struct SchemeLink: Sendable {
    /// The scheme in lower case, without the colon.
    let scheme: String
    /// The address as written, without white space at the ends.
    let href: String
    let anchorText: String
    let place: SourcePlace?
    /// Whether the site vouches for the link; see `Outlink.isVouchedFor`.
    fileprivate(set) var isVouchedFor: Bool

    var line: Int? { place?.line }
    var column: Int? { place?.column }
}

/// The page's outlinks, each address once: header, `link` elements, refresh, anchors, areas, frames, each in page order.
public struct Outlinks: Sendable {
    /// The outlinks, each address once.
    public fileprivate(set) var links: [Outlink] = []
    fileprivate(set) var schemeLinks: [SchemeLink] = []
    /// The number of links left out, by reason.
    public fileprivate(set) var dropped = Dropped()
    /// Leniencies used and limits reached while reading.
    public fileprivate(set) var notes: [ParseNote] = []

    /// Counts of links that are not outlinks.
    public struct Dropped: Sendable, Hashable {
        /// `javascript:`, `data:`, `blob:`, `about:`.
        public fileprivate(set) var inert = 0
        /// Empty addresses, and fragments only: links to the page itself.
        fileprivate(set) var samePage = 0
        /// Repeated addresses.
        public fileprivate(set) var duplicates = 0
        /// Addresses that are not URLs.
        public fileprivate(set) var invalid = 0
        /// Addresses with schemes that are not crawled: `ftp:`, `file:`, `ws:`.
        fileprivate(set) var uncrawled = 0
        /// Alternates with a type that is neither a page nor a feed.
        fileprivate(set) var otherTypes = 0
        /// Links beyond `ReadingLimits.maximumOutlinks`.
        fileprivate(set) var beyondLimit = 0
    }
}

// This is the hot path of extraction: pages have about 300 links, most of them repeated. So addresses are compared as bytes
// before they are parsed, only kept addresses become strings, and anchor texts are shortened.

extension Outlinks {
    /// Collects the outlinks of a page.
    ///
    /// - Parameters:
    ///   - refresh: a delayed refresh is a link; one without delay is a redirect and not a link.
    ///   - baseURL: see `HTMLDocument.baseURL(pageURL:)`.
    public init(
        _ document: HTMLDocument, links: LinkTags, refresh: Refresh? = nil, baseURL: WebURL,
        limits: ReadingLimits = .standard
    ) {
        var collector = OutlinkCollector(document: document, baseURL: baseURL, limits: limits)
        for tag in links.tags { collector.add(tag) }
        if let refresh, refresh.delay > 0, let url = refresh.url { collector.add(refresh, url) }
        for element in document.elements(named: .a) { collector.add(element, .anchor, .href) }
        for element in document.elements(named: .area) { collector.add(element, .area, .href) }
        for element in document.elements(named: .iframe) { collector.add(element, .frame, .src) }
        for element in document.elements(named: .frame) { collector.add(element, .frame, .src) }
        self = collector.finish()
    }
}

private struct OutlinkCollector {
    private let document: HTMLDocument
    private let baseURL: WebURL
    private let limits: ReadingLimits
    private var result = Outlinks()
    /// Addresses as written and as resolved, each with the index of its link in the result.
    private var written = SeenAddresses()
    private var resolved = SeenAddresses()
    private var anchorText = AnchorText()
    private var userContent: UserContent
    /// Links that are not fetched, by the hash of their address.
    private var schemeLinks: [UInt64: Int] = [:]
    private var hasNotedWrapped = false
    /// The length of all kept addresses.
    private var addressBytes = 0
    private var hasLeftOutBytes = false

    init(document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits) {
        self.document = document
        self.baseURL = baseURL
        self.limits = limits
        userContent = UserContent(document)
    }

    func finish() -> Outlinks {
        var result = result
        if result.dropped.beyondLimit > 0 {
            let kept = result.links.count + result.schemeLinks.count
            let why =
                hasLeftOutBytes
                ? "as their addresses together have \(limits.maximumOutlinkBytes) bytes"
                : "as it has more than any page needs"
            result.notes.append(
                ParseNote(.document(.tooManyLinks), "Only \(kept) links of the page are followed, \(why)."))
        }
        return result
    }

    /// Whether there is room for one more address.
    private mutating func takes(bytes: Int) -> Bool {
        guard result.links.count + result.schemeLinks.count < limits.maximumOutlinks, !limits.isInterrupted else {
            return false
        }
        guard bytes <= limits.maximumOutlinkBytes - addressBytes else {
            hasLeftOutBytes = true
            return false
        }
        addressBytes += bytes
        return true
    }

    // MARK: Links of the page as a whole

    mutating func add(_ tag: LinkTag) {
        guard let kind = Self.kind(of: tag.relations) else { return }
        // App addresses belong to `AppAlternates`. JSON and oEmbed descriptions are not pages.
        if AppAlternate.isAppAddress(Array(tag.href.utf8)[...]) { return }
        if tag.relations.contains(.alternate), let type = tag.mediaType, !Self.isRead(type) {
            result.dropped.otherTypes += 1
            return
        }
        guard !tag.href.isEmpty else {
            result.dropped.samePage += 1
            return
        }
        guard let url = tag.url else {
            result.dropped.invalid += 1
            return
        }
        guard url.isHTTP else {
            _ = addScheme(
                Array(tag.href.utf8)[...], url.scheme, tag.place, isVouchedFor: tag.relations.trust.isEmpty
            ) { _ in tag.title ?? "" }
            return
        }
        add(
            url, kind, tag.relations.trust, isFromHeader: tag.isFromHeader, place: tag.place, element: nil,
            text: { _ in tag.title ?? "" })
    }

    private static func kind(of relations: LinkRelations) -> Outlink.Kind? {
        if relations.contains(.canonical) { return .canonical }
        if relations.contains(.amp) { return .amp }
        if relations.contains(.next) { return .next }
        if relations.contains(.previous) { return .previous }
        if relations.contains(.sitemap) { return .sitemap }
        return relations.contains(.alternate) ? .alternate : nil
    }

    /// Whether Pippin reads files of a media type: pages, feeds and sitemaps.
    private static func isRead(_ type: String) -> Bool {
        type.isEmpty || type.hasSuffix("html") || type.hasSuffix("xhtml+xml") || LinkTag.feedTypes.contains(type)
            || type == "application/xml" || type == "text/xml"
    }

    mutating func add(_ refresh: Refresh, _ url: WebURL) {
        guard url.isHTTP else {
            let isVouchedFor = refresh.element.map { !userContent.holds($0) } ?? true
            _ = addScheme(Array(url.href.utf8)[...], url.scheme, refresh.place, isVouchedFor: isVouchedFor) { _ in "" }
            return
        }
        add(
            url, .refresh, [], isFromHeader: refresh.isFromHeader, place: refresh.place, element: refresh.element
        ) { _ in "" }
    }

    // MARK: Links in the page

    mutating func add(_ element: HTMLDocument.Index, _ kind: Outlink.Kind, _ attribute: HTMLName) {
        guard let value = document.bytes(of: attribute, on: element) else { return }
        var href = Self.trimmed(value)
        let unwrapped = WrittenAddress.unwrapped(href)
        if let unwrapped { href = unwrapped[...] }
        guard let first = href.first, first != 0x23 else {
            result.dropped.samePage += 1
            return
        }
        let relations = trust(of: element)
        let hash = SeenAddresses.hash(href)
        if let place = written.place(of: hash) { return noteDuplicate(place, relations, element, hash) }
        let place = document.place(of: element)
        switch HrefScheme(href) {
        case .web:
            if unwrapped != nil { noteWrapped(href, element) }
            guard let url = WebURL(utf8: href, base: baseURL), url.isHTTP else {
                result.dropped.invalid += 1
                return
            }
            let isWritten = url.withBytes { bytes in
                href.withUnsafeBufferPointer { href in
                    guard bytes.count == href.count, let own = bytes.baseAddress, let other = href.baseAddress else {
                        return false
                    }
                    return memcmp(own, other, href.count) == 0
                }
            }
            let index = add(url, kind, relations, place: place, element: element, hash: isWritten ? hash : nil) {
                $0.anchorText.text(of: element, in: $0.document)
            }
            written.insert(hash, place: index ?? SeenAddresses.notKept)
        case .inert: result.dropped.inert += 1
        case .uncrawled: result.dropped.uncrawled += 1
        case .other(let scheme):
            written.insert(hash, place: SeenAddresses.notKept)
            let isVouchedFor = relations.isEmpty && !userContent.holds(element)
            schemeLinks[hash] = addScheme(href, scheme, place, isVouchedFor: isVouchedFor) {
                $0.anchorText.text(of: element, in: $0.document)
            }
        }
    }

    /// Whether a link may name the site's app, and the site vouches for it.
    ///
    /// - Parameter element: nil for a link of the page as a whole.
    private mutating func isVouchedFor(_ url: WebURL, _ relations: LinkRelations, _ element: HTMLDocument.Index?)
        -> Bool
    {
        guard relations.isEmpty, AppHost(of: url) != nil else { return false }
        return element.map { !userContent.holds($0) } ?? true
    }

    /// Notes a wrapped address, once per page.
    private mutating func noteWrapped(_ href: ArraySlice<UInt8>, _ element: HTMLDocument.Index) {
        guard !hasNotedWrapped else { return }
        hasNotedWrapped = true
        let place = document.place(of: element)
        result.notes.append(
            ParseNote(
                .document(.linkURLWrapped),
                "The address of a link is wrapped over lines; it is read as “\(String(decoding: href.prefix(200), as: UTF8.self))”.",
                line: place.line, column: place.column))
    }

    private func trust(of element: HTMLDocument.Index) -> LinkRelations {
        guard let rel = document.bytes(of: .rel, on: element) else { return [] }
        return LinkRelations(rel).trust
    }

    /// The address without C0 controls and spaces at the ends, as in the URL Standard.
    private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var start = value.startIndex
        var end = value.endIndex
        while start < end, value[start] <= 0x20 { start += 1 }
        while start < end, value[end - 1] <= 0x20 { end -= 1 }
        return value[start..<end]
    }

    /// Merges a repeated link into its first. One link without `nofollow` makes the whole link followed, and text is preferred
    /// to a picture's `alt`.
    ///
    /// - Parameters:
    ///   - element: nil for a link of the page as a whole.
    ///   - hash: of the address as written.
    private mutating func noteDuplicate(
        _ place: Int, _ relations: LinkRelations, _ element: HTMLDocument.Index?, _ hash: UInt64
    ) {
        result.dropped.duplicates += 1
        guard result.links.indices.contains(place) else {
            if let index = schemeLinks[hash], !result.schemeLinks[index].isVouchedFor, relations.isEmpty {
                result.schemeLinks[index].isVouchedFor = element.map { !userContent.holds($0) } ?? true
            }
            return
        }
        if !result.links[place].isVouchedFor {
            result.links[place].isVouchedFor = isVouchedFor(result.links[place].url, relations, element)
        }
        if result.links[place].kind == .anchor || result.links[place].kind == .area {
            result.links[place].relations.formIntersection(relations)
        }
        if let element, result.links[place].anchorText.isEmpty {
            result.links[place].anchorText = anchorText.text(of: element, in: document)
        }
    }

    /// Returns the index of the new or existing link; nil if the limit is reached.
    ///
    /// - Parameter hash: of the address, if it is known.
    @discardableResult
    private mutating func add(
        _ url: WebURL, _ kind: Outlink.Kind, _ relations: LinkRelations, isFromHeader: Bool = false,
        place: SourcePlace?, element: HTMLDocument.Index?, hash: UInt64? = nil,
        text: (inout OutlinkCollector) -> String
    ) -> Int? {
        let hash = hash ?? SeenAddresses.hash(url.href)
        if let index = resolved.place(of: hash) {
            noteDuplicate(index, relations, element, hash)
            if result.links[index].anchorText.isEmpty { result.links[index].anchorText = text(&self) }
            return index
        }
        guard takes(bytes: url.href.utf8.count) else {
            result.dropped.beyondLimit += 1
            return nil
        }
        let index = result.links.count
        resolved.insert(hash, place: index)
        let isVouchedFor = isVouchedFor(url, relations, element)
        result.links.append(
            Outlink(
                url: url, kind: kind, relations: relations, isFromHeader: isFromHeader, anchorText: text(&self),
                place: place, isVouchedFor: isVouchedFor))
        return index
    }

    /// Returns the index of the link; nil if the limit is reached.
    private mutating func addScheme(
        _ href: ArraySlice<UInt8>, _ scheme: String, _ place: SourcePlace?, isVouchedFor: Bool,
        text: (inout OutlinkCollector) -> String
    ) -> Int? {
        guard takes(bytes: href.count) else {
            result.dropped.beyondLimit += 1
            return nil
        }
        result.schemeLinks.append(
            SchemeLink(
                scheme: scheme, href: String(decoding: href, as: UTF8.self), anchorText: text(&self), place: place,
                isVouchedFor: isVouchedFor))
        return result.schemeLinks.count - 1
    }
}

/// The kind of a written address, by its first bytes.
private enum HrefScheme {
    /// http, https or relative.
    case web
    /// `javascript:` and other schemes without a target.
    case inert
    case uncrawled
    case other(String)

    init(_ href: ArraySlice<UInt8>) {
        guard let first = href.first, first.isASCIILetter else {
            self = .web
            return
        }
        var end = href.startIndex + 1
        var hasBreaks = false
        scan: while true {
            guard end < href.endIndex else {
                self = .web
                return
            }
            let byte = href[end]
            switch byte {
            case 0x3A: break scan
            // URL parsers remove all tabs and line breaks.
            case 0x09, 0x0A, 0x0D: hasBreaks = true
            case 0x2B, 0x2D, 0x2E: break
            default:
                guard byte.isASCIILetter || byte.isASCIIDigit else {
                    self = .web
                    return
                }
            }
            end += 1
        }
        let scheme = hasBreaks ? ArraySlice(href[..<end].filter { $0 > 0x20 }) : href[..<end]
        switch scheme.count {
        case 4 where scheme.equalsIgnoringCase("http"): self = .web
        case 5 where scheme.equalsIgnoringCase("https"): self = .web
        case 10 where scheme.equalsIgnoringCase("javascript"): self = .inert
        case 4 where scheme.equalsIgnoringCase("data") || scheme.equalsIgnoringCase("blob"): self = .inert
        case 5 where scheme.equalsIgnoringCase("about"): self = .inert
        case 8 where scheme.equalsIgnoringCase("vbscript"): self = .inert
        case 2 where scheme.equalsIgnoringCase("ws"): self = .uncrawled
        case 3 where scheme.equalsIgnoringCase("ftp") || scheme.equalsIgnoringCase("wss"): self = .uncrawled
        case 4 where scheme.equalsIgnoringCase("file"): self = .uncrawled
        default: self = .other(String(decoding: scheme.map(\.asciiLowercased), as: UTF8.self))
        }
    }
}

extension Outlinks {
    /// The JSON form.
    public var json: JSONValue {
        JSONObject.with {
            $0["outlinks"] = .array(links.map(\.json))
            $0.put("schemeLinks", schemeLinks) { $0.json }
            $0.put("storeLinks", storeLinks()) { $0.json }
            if let dropped = dropped.json { $0["dropped"] = dropped }
            $0.put(notes)
        }
    }
}

extension Outlink {
    /// The JSON form.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("kind", kind.rawValue)
            $0.put("relations", relations.trustNames)
            $0.putFlag("isFromHeader", isFromHeader)
            if !anchorText.isEmpty { $0.put("anchorText", anchorText) }
            $0.put("line", line)
        }
    }
}

extension SchemeLink {
    /// The JSON form.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("scheme", scheme)
            $0.put("href", href)
            if !anchorText.isEmpty { $0.put("anchorText", anchorText) }
            $0.put("line", line)
        }
    }
}

extension StoreLink {
    /// The JSON form.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("store", store.rawValue)
            $0.put("identifier", identifier)
            $0.put("country", country)
        }
    }
}

extension Outlinks.Dropped {
    var json: JSONValue? {
        let counts = [
            ("inert", inert), ("samePage", samePage), ("duplicates", duplicates), ("invalid", invalid),
            ("uncrawled", uncrawled), ("otherTypes", otherTypes), ("beyondLimit", beyondLimit),
        ]
        guard counts.contains(where: { $0.1 > 0 }) else { return nil }
        return JSONObject.with {
            for (reason, count) in counts where count > 0 { $0.put(reason, count) }
        }
    }
}
