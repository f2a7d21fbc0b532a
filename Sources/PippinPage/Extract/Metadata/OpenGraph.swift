/// The Open Graph properties of a page (ogp.me): as written, and as read leniently.
public struct OpenGraph: Sendable {
    /// One property of the page.
    public struct Property: Sendable {
        /// The name in lower case, without white space: `og:image:width`.
        public let name: String
        /// The name as written.
        public let written: String
        /// The value as written.
        public let content: String
        /// The attributes with the name. Open Graph uses `property`; pages often have `name` or `itemprop` instead.
        public let carriers: MetaTag.Carriers
        /// Whether the content is in `value` instead of `content`.
        let usesValueAttribute: Bool
        let place: SourcePlace

        /// The line in the page, 1-based.
        public var line: Int { place.line }
        /// The column in the page, 1-based.
        public var column: Int { place.column }

        /// Whether it uses `property` and `content`, as Open Graph requires.
        var isStandard: Bool { carriers.contains(.property) && !usesValueAttribute }
    }

    /// An image, video or audio file.
    public struct Media: Sendable {
        /// The address in `og:image` or `og:image:url`, as written.
        public fileprivate(set) var source: String?
        /// The address, resolved; nil if it is not a URL.
        public fileprivate(set) var url: WebURL?
        fileprivate(set) var secureURL: WebURL?
        /// The declared media type.
        public fileprivate(set) var type: String?
        /// Width in pixels.
        public fileprivate(set) var width: Int?
        /// Height in pixels.
        public fileprivate(set) var height: Int?
        /// The description of the image.
        public fileprivate(set) var alt: String?
        fileprivate(set) var place: SourcePlace?
        /// Whether it began with `og:image:url`. An `og:image` with the same address then means the same image.
        var isFromStructured = false

        /// The line in the page, 1-based; nil if unknown.
        public var line: Int? { place?.line }
        /// The column in the page, 1-based; nil if unknown.
        public var column: Int? { place?.column }

        /// The address to fetch: the secure one if there are two.
        public var bestURL: WebURL? { secureURL ?? url }
    }

    /// All properties of the namespaces in use, in page order: `og:`, `article:`, `book:`, `profile:`, `music:`, `video:`,
    /// `product:`, `place:`, `business:`, `payment:`, `website:`, `fb:`.
    public fileprivate(set) var properties: [Property] = []

    /// `og:title`.
    public fileprivate(set) var title: String?
    /// `og:type` in lower case: `article`, `video.movie`.
    public fileprivate(set) var type: String?
    /// `og:url`: the page's canonical address and permanent identity.
    public fileprivate(set) var url: WebURL?
    /// `og:description`.
    public fileprivate(set) var description: String?
    fileprivate(set) var siteName: String?
    fileprivate(set) var determiner: String?
    /// `og:locale` as written: `en_US`.
    public fileprivate(set) var locale: String?
    fileprivate(set) var alternateLocales: [String] = []
    /// The images, in page order.
    public fileprivate(set) var images: [Media] = []
    /// The videos, in page order.
    public fileprivate(set) var videos: [Media] = []
    /// The audio files, in page order.
    public fileprivate(set) var audios: [Media] = []
    /// Leniencies used and limits reached while reading.
    public fileprivate(set) var notes: [ParseNote] = []

    /// The first non-empty value of a property (`article:published_time`), trimmed.
    public subscript(name: String) -> String? {
        for property in properties where property.name == name {
            let value = property.content.trimmingHTMLSpace()
            if !value.isEmpty { return value }
        }
        return nil
    }

    /// All non-empty values of a property, trimmed, in page order.
    public func values(_ name: String) -> [String] {
        properties.filter { $0.name == name }.map { $0.content.trimmingHTMLSpace() }.filter { !$0.isEmpty }
    }
}

extension OpenGraph {
    /// The namespaces in addition to `og:`: types of ogp.me, and those of shops, places and events.
    private static let namespaces = NameTable(
        [
            "og", "article", "book", "profile", "music", "video", "product", "place", "business", "payment", "website",
            "fb", "event", "restrictions",
        ].map { ($0, true) })

    private static func isInNamespace(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            guard let colon = bytes.firstIndex(of: 0x3A) else { return false }
            return namespaces[UnsafeBufferPointer(rebasing: bytes[..<colon])] != nil
        }
    }

    /// The limit of files per kind. Galleries have fewer.
    private static let maximumMedia = 200

    /// Nil if the page has no Open Graph property.
    public init?(_ document: HTMLDocument, meta: MetaTags, baseURL: WebURL) {
        self.init()
        var reader = OpenGraphReader(baseURL: baseURL)
        for index in meta.tags.indices where Self.isInNamespace(meta.tags[index].name) {
            let tag = meta.tags[index]
            guard let content = tag.content else {
                reader.notes.append(tag.note(.openGraph(.contentMissing), "\(tag.name) has no content."))
                continue
            }
            properties.append(
                Property(
                    name: tag.name, written: tag.written, content: content, carriers: tag.carriers,
                    usesValueAttribute: tag.usesValueAttribute, place: tag.place))
            reader.read(tag, content)
        }
        guard !properties.isEmpty || !reader.notes.isEmpty else { return nil }
        reader.finish()
        reader.noteAttributes(of: meta)
        title = reader.single["og:title"].map { $0.collapsingHTMLSpace() }
        type = reader.single["og:type"].map(\.asciiLowercased)
        description = reader.single["og:description"].map { $0.collapsingHTMLSpace() }
        siteName = reader.single["og:site_name"].map { $0.collapsingHTMLSpace() }
        determiner = reader.single["og:determiner"]
        locale = reader.single["og:locale"]
        url = reader.url
        alternateLocales = values("og:locale:alternate")
        images = Array(reader.images.media.prefix(Self.maximumMedia))
        videos = Array(reader.videos.media.prefix(Self.maximumMedia))
        audios = Array(reader.audios.media.prefix(Self.maximumMedia))
        notes = reader.notes
    }
}

private struct OpenGraphReader {
    let baseURL: WebURL
    /// The first value of each property that may have only one.
    var single: [String: String] = [:]
    var url: WebURL?
    var images = MediaList()
    var videos = MediaList()
    var audios = MediaList()
    var notes: [ParseNote] = []

    private static let singleNames: Set<String> = [
        "og:title", "og:type", "og:url", "og:description", "og:site_name", "og:determiner", "og:locale",
    ]

    init(baseURL: WebURL) {
        self.baseURL = baseURL
    }

    mutating func read(_ tag: MetaTag, _ content: String) {
        guard tag.name.hasPrefix("og:") else { return }
        let value = content.trimmingHTMLSpace()
        if Self.singleNames.contains(tag.name) {
            takeSingle(tag, value)
        } else if let property = Self.mediaProperty(tag.name, "og:image") {
            images.take(property, value, tag, baseURL, &notes)
        } else if let property = Self.mediaProperty(tag.name, "og:video") {
            videos.take(property, value, tag, baseURL, &notes)
        } else if let property = Self.mediaProperty(tag.name, "og:audio") {
            audios.take(property, value, tag, baseURL, &notes)
        }
    }

    /// The part of a name after its root: `og:image` gives "", `og:image:width` gives `width`. Nil for other properties.
    private static func mediaProperty(_ name: String, _ root: String) -> Substring? {
        guard name.hasPrefix(root) else { return nil }
        let rest = name.dropFirst(root.count)
        return rest.isEmpty ? rest : rest.first == ":" ? rest.dropFirst() : nil
    }

    /// Takes a property with a single value. If values conflict, the first counts (ogp.me).
    private mutating func takeSingle(_ tag: MetaTag, _ value: String) {
        guard !value.isEmpty else {
            if tag.name != "og:determiner" { notes.append(tag.note(.openGraph(.empty), "\(tag.name) is empty.")) }
            return
        }
        if let earlier = single[tag.name] {
            if earlier != value {
                notes.append(tag.note(.openGraph(.repeated), "\(tag.name) is given again; the first counts."))
            }
            return
        }
        single[tag.name] = value
        if tag.name == "og:url" { url = MediaList.resolved(value, tag, baseURL, &notes) }
    }

    mutating func finish() {
        images.finish(&notes)
        videos.finish(&notes)
        audios.finish(&notes)
    }

    /// Notes wrong attributes, once per page.
    mutating func noteAttributes(of meta: MetaTags) {
        let tags = meta.tags(withPrefix: "og:")
        let misnamed = tags.filter { !$0.carriers.contains(.property) }
        if let tag = misnamed.first {
            let others = misnamed.count > 1 ? " So are \(misnamed.count - 1) more." : ""
            notes.append(
                tag.note(.openGraph(.attribute), "\(tag.name) is named by another attribute than property.\(others)"))
        }
        if let tag = tags.first(where: { $0.written != $0.name }) {
            notes.append(tag.note(.openGraph(.nameSpelling), "\(tag.name) is written “\(tag.written.prefix(100))”."))
        }
        if let tag = tags.first(where: \.usesValueAttribute) {
            notes.append(
                tag.note(.openGraph(.valueAttribute), "The content of \(tag.name) stands in a value attribute."))
        }
        if let tag = tags.first(where: \.isInBody) {
            notes.append(tag.note(.openGraph(.inBody), "\(tag.name) stands in the body."))
        }
    }
}

/// Collects the images, videos or audio files of a page. A root property begins a file; structured properties describe the last
/// one.
private struct MediaList {
    private(set) var media: [OpenGraph.Media] = []
    /// Structured properties before any root property, and the tag of the first of them.
    private var pending: (media: OpenGraph.Media, tag: MetaTag)?
    /// Whether the last root was empty; its structured properties are ignored.
    private var isVoid = false

    static func resolved(_ value: String, _ tag: MetaTag, _ baseURL: WebURL, _ notes: inout [ParseNote]) -> WebURL? {
        let value = tag.address(.openGraph(.urlWrapped), &notes) ?? value
        guard let url = WebURL(value, base: baseURL) else {
            notes.append(tag.note(.openGraph(.urlMalformed), "\(tag.name) is not a URL: “\(value.prefix(200))”."))
            return nil
        }
        let scheme = ASCIIText.scheme(of: value.utf8)
        if scheme == nil {
            notes.append(
                tag.note(.openGraph(.urlRelative), "\(tag.name) is not an absolute URL: “\(value.prefix(200))”."))
        } else if !url.isHTTP {
            notes.append(
                tag.note(.openGraph(.urlScheme), "\(tag.name) is neither http nor https: “\(value.prefix(200))”."))
        }
        return url
    }

    mutating func take(
        _ property: Substring, _ value: String, _ tag: MetaTag, _ baseURL: WebURL, _ notes: inout [ParseNote]
    ) {
        guard !value.isEmpty else {
            notes.append(tag.note(.openGraph(.empty), "\(tag.name) is empty."))
            if property.isEmpty { isVoid = true }
            return
        }
        switch property {
        case "": takeRoot(value, tag, baseURL, &notes)
        case "url": takeURL(value, tag, baseURL, &notes)
        case "secure_url": takeSecureURL(value, tag, baseURL, &notes)
        case "type": describe(tag, &notes, \.type, value)
        case "alt": describe(tag, &notes, \.alt, value.collapsingHTMLSpace())
        case "width": describe(tag, &notes, \.width, ASCIIText.leadingNumber(value))
        case "height": describe(tag, &notes, \.height, ASCIIText.leadingNumber(value))
        default: break
        }
    }

    private mutating func takeRoot(_ value: String, _ tag: MetaTag, _ baseURL: WebURL, _ notes: inout [ParseNote]) {
        // `og:image:url` followed by `og:image` with the same value is one image.
        if !isVoid, let last = media.last, last.isFromStructured, last.source == value {
            media[media.count - 1].isFromStructured = false
            return
        }
        var new = pending?.media ?? OpenGraph.Media()
        pending = nil
        isVoid = false
        new.source = value
        new.url = Self.resolved(value, tag, baseURL, &notes)
        new.place = tag.place
        media.append(new)
    }

    private mutating func takeURL(_ value: String, _ tag: MetaTag, _ baseURL: WebURL, _ notes: inout [ParseNote]) {
        if !isVoid, let last = media.last {
            if last.source == value { return }
            if last.source == nil {
                media[media.count - 1].source = value
                media[media.count - 1].url = Self.resolved(value, tag, baseURL, &notes)
                return
            }
        }
        takeRoot(value, tag, baseURL, &notes)
        media[media.count - 1].isFromStructured = true
    }

    private mutating func takeSecureURL(_ value: String, _ tag: MetaTag, _ baseURL: WebURL, _ notes: inout [ParseNote])
    {
        let url = Self.resolved(value, tag, baseURL, &notes)
        if !isVoid, !media.isEmpty {
            if media[media.count - 1].secureURL == nil {
                media[media.count - 1].secureURL = url
            } else {
                notes.append(tag.note(.openGraph(.repeated), "\(tag.name) is given again; the first counts."))
            }
            return
        }
        isVoid = false
        if let first = pending?.media, first.secureURL != nil {
            // A second property of this name without a root between them, so the first belongs to a separate image.
            pending = nil
            media.append(first)
            media.append(OpenGraph.Media(secureURL: url, place: tag.place))
        } else {
            var waiting = pending ?? (OpenGraph.Media(), tag)
            waiting.media.secureURL = url
            waiting.media.place = tag.place
            pending = waiting
        }
    }

    private mutating func describe<Value>(
        _ tag: MetaTag, _ notes: inout [ParseNote], _ property: WritableKeyPath<OpenGraph.Media, Value?>,
        _ value: Value?
    ) {
        if isVoid { return }
        guard let value else {
            return notes.append(tag.note(.openGraph(.numberMalformed), "\(tag.name) is not a number."))
        }
        if media.isEmpty {
            var waiting = pending ?? (OpenGraph.Media(place: tag.place), tag)
            waiting.media[keyPath: property] = waiting.media[keyPath: property] ?? value
            pending = waiting
        } else if media[media.count - 1][keyPath: property] == nil {
            media[media.count - 1][keyPath: property] = value
        } else {
            notes.append(tag.note(.openGraph(.repeated), "\(tag.name) is given again for one file; the first counts."))
        }
    }

    /// Completes the list. A file with only a secure address is kept too.
    mutating func finish(_ notes: inout [ParseNote]) {
        guard let waiting = pending else { return }
        pending = nil
        if waiting.media.secureURL != nil {
            media.append(waiting.media)
        } else {
            notes.append(
                waiting.tag.note(.openGraph(.rootMissing), "\(waiting.tag.name) describes a file that is not given."))
        }
    }
}

extension OpenGraph {
    /// The standard properties in page order: `[{"property":"og:title","content":"…"}]`.
    public var json: JSONValue {
        .array(
            properties.filter(\.isStandard).map { property in
                JSONObject.with {
                    $0.put("property", property.written)
                    $0.put("content", property.content)
                }
            })
    }

}
