/// The `meta` elements of a page, read once for all extractors.
///
/// People write names in any letter case, in the wrong attribute, with a space after the colon, or several in one attribute.
/// All this is normalized here. The spelling is kept too, so that extractors can note it.
public struct MetaTags: Sendable {
    /// In page order. An element with two names (`property="og:title" name="twitter:title"`) occurs twice.
    public fileprivate(set) var tags: [MetaTag] = []
    /// Leniencies used and limits reached while reading.
    public fileprivate(set) var notes: [ParseNote] = []
}

/// One name of a `meta` element, with the element's content.
public struct MetaTag: Sendable {
    /// The attributes that can contain the name.
    public struct Carriers: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The `name` attribute.
        public static let name = Carriers(rawValue: 1)
        /// The `property` attribute.
        public static let property = Carriers(rawValue: 2)
        /// The `itemprop` attribute.
        public static let itemprop = Carriers(rawValue: 4)
        static let httpEquiv = Carriers(rawValue: 8)
    }

    /// The name in lower case, without quotes, without white space at the ends or beside a colon.
    public fileprivate(set) var name: String
    /// The name as written, without white space at the ends.
    public fileprivate(set) var written: String
    /// The attributes with this name.
    public fileprivate(set) var carriers: Carriers
    /// Value of `content`, else of `value`; nil if there is neither.
    public fileprivate(set) var content: String?
    fileprivate(set) var usesValueAttribute = false
    /// Whether the name is that of the reader.
    fileprivate var isForReader = false
    /// Whether the name is of Dublin Core, and normalized as `DublinCore` says.
    fileprivate(set) var isDublinCore = false
    /// Whether the element is inside `body`, where browsers and most consumers ignore it.
    public fileprivate(set) var isInBody = false
    /// The index of the element in its document.
    public fileprivate(set) var element: HTMLDocument.Index
    /// The place of the tag.
    public fileprivate(set) var place: SourcePlace

    /// The line in the page, 1-based.
    public var line: Int { place.line }
    /// The column in the page, 1-based.
    public var column: Int { place.column }

    /// The content without white space at the ends; nil if nothing is left.
    public var text: String? {
        guard let trimmed = content?.trimmingHTMLSpace(), !trimmed.isEmpty else { return nil }
        return trimmed
    }

    /// Whether it tells browsers or crawlers what to do with the page, and so is no claim about it.
    fileprivate var isDirective: Bool { carriers.contains(.httpEquiv) || isForRobots }

    /// Whether the name is `robots` or the name of a crawler.
    var isForRobots: Bool { isForReader || Self.isForRobots(name.utf8[...]) }

    private static let namesForRobots = ["robots", "pippin", "slurp", "teoma", "yandex", "baiduspider"].map { $0.utf8 }

    private static func isForRobots(_ name: Substring.UTF8View) -> Bool {
        let isNamed = namesForRobots.contains { $0.elementsEqual(name) }
        let isBot = name.suffix(3).elementsEqual("bot".utf8) && !name.elementsEqual("robot".utf8)
        return (isNamed || isBot || name.starts(with: "googlebot-".utf8) || name.starts(with: "applebot-".utf8))
            && !name.contains(where: isSeparator)
    }

    /// Whether it seems to be for crawlers, under a name that none of them reads: that of the header, or a list of names. Crawlers
    /// look for one name in each element (“Robots meta tag, data-nosnippet, and X-Robots-Tag specifications”).
    var seemsForRobots: Bool {
        if name == "x-robots-tag" || name == "robot" { return true }
        guard name.utf8.contains(where: Self.isSeparator) else { return false }
        let names = name.utf8.split(maxSplits: 20, whereSeparator: Self.isSeparator)
        return names.count > 1 && names.contains(where: Self.isForRobots)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case ",", ";", "|", "/", "+", "&", " ": true
        default: false
        }
    }

    /// The address in a tag, without the line breaks of a wrapped address. A wrapped address is noted with `code`.
    func address(_ code: ParseNote.Code, _ notes: inout [ParseNote]) -> String? {
        guard let text else { return nil }
        let address = WrittenAddress(text)
        if address.isWrapped {
            notes.append(
                note(code, "\(name) is wrapped over lines; it is read as “\(address.text.prefix(200))”."))
        }
        return address.text
    }

    func note(_ code: ParseNote.Code, _ message: String) -> ParseNote {
        ParseNote(code, message, line: line, column: column)
    }
}

extension MetaTags {
    /// The limit of names per page. Real pages have fewer than 200.
    static let maximumTags = 5_000
    /// The limit of names in one attribute; people write two (`og:image twitter:image`).
    private static let maximumNames = 16

    /// Reads all `meta` elements, up to `maximumTags` names. Of those that stand in what visitors wrote only directives count:
    /// browsers and crawlers obey these anywhere.
    ///
    /// - Parameter agents: the reader's names as a crawler, which may be any words.
    public init(_ document: HTMLDocument, agents: [String] = []) {
        let agents = agents.map(\.asciiLowercased)
        let elements = document.elements(named: .meta)
        tags.reserveCapacity(min(elements.count, Self.maximumTags))
        let body = document.elements(named: .body).first
        let early = document.earlyHeadEnd()
        var userContent = UserContent(document)
        for element in elements {
            guard tags.count < Self.maximumTags else {
                let place = document.place(of: element)
                notes.append(
                    ParseNote(
                        .head(.tooManyMeta), "The page names more than \(Self.maximumTags) things in meta elements.",
                        line: place.line, column: place.column))
                break
            }
            let isInBody = document.isInBody(element, body: body, early)
            let first = tags.count
            read(element, of: document, isInBody: isInBody, agents)
            if isInBody, tags.count > first, userContent.holds(element) {
                tags[first...].removeAll { !$0.isDirective }
            }
        }
    }

    private mutating func read(
        _ element: HTMLDocument.Index, of document: HTMLDocument, isInBody: Bool, _ agents: [String]
    ) {
        let first = tags.count
        var pattern = MetaTag(
            name: "", written: "", carriers: [], isInBody: isInBody, element: element,
            place: document.place(of: element))
        for (attribute, carrier) in Self.attributes {
            guard let bytes = document.bytes(of: attribute, on: element) else { continue }
            // Names of microdata itself have no colon. A product page may have thousands of them.
            if carrier == .itemprop && !bytes.contains(0x3A) { continue }
            let splits = carrier == .property || carrier == .itemprop
            for (name, written) in MetaName.names(in: bytes, splitting: splits).prefix(Self.maximumNames) {
                if let same = tags[first...].firstIndex(where: { $0.name == name }) {
                    tags[same].carriers.insert(carrier)
                    continue
                }
                pattern.name = name
                pattern.written = written
                pattern.carriers = carrier
                pattern.isForReader = agents.contains(name)
                tags.append(pattern)
            }
        }
        guard tags.count > first else { return }
        var content = document.value(of: .content, on: element)
        let usesValue = content == nil
        if usesValue { content = document.value(of: .value, on: element) }
        for i in first..<tags.count {
            tags[i].content = content
            tags[i].usesValueAttribute = usesValue && content != nil
        }
    }

    private static let attributes: [(HTMLName, MetaTag.Carriers)] = [
        (.property, .property), (.name, .name), (.itemprop, .itemprop), (.httpEquiv, .httpEquiv),
    ]

    /// Normalizes the names of Dublin Core.
    ///
    /// - Parameter normalized: the normalized form of such a name; nil for any other.
    mutating func nameDublinCore(_ normalized: (String) -> String?) {
        for index in tags.indices {
            // Most names begin otherwise, or have no prefix.
            guard tags[index].name.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }),
                let name = normalized(tags[index].name)
            else { continue }
            tags[index].name = name
            tags[index].isDublinCore = true
        }
    }

    /// The tags of a namespace, such as `og:` or `twitter:`.
    func tags(withPrefix prefix: String) -> [MetaTag] {
        tags.filter { $0.name.hasPrefix(prefix) }
    }
}

/// Normalizes the names of `meta` elements.
private enum MetaName {
    /// The names in an attribute's value, each in normalized form and as written.
    static func names(in bytes: ArraySlice<UInt8>, splitting: Bool) -> [(name: String, written: String)] {
        let value = bytes.trimmingHTMLSpace()
        guard !value.isEmpty else { return [] }
        if value.allSatisfy({ $0 > 0x27 && $0 < 0x7F && $0 != 0x5C && !($0 >= 0x41 && $0 <= 0x5A) }) {
            let name = String(decoding: value, as: UTF8.self)
            return [(name, name)]
        }
        var result: [(name: String, written: String)] = []
        var position = value.startIndex
        while position < value.endIndex && result.count < 64 {
            let end = splitting ? endOfName(in: value, from: position) : value.endIndex
            let written = value[position..<end]
            let name = normalized(written)
            if !name.isEmpty {
                result.append((name, String(decoding: written, as: UTF8.self).collapsingHTMLSpace()))
            }
            position = end
            while position < value.endIndex, value[position].isHTMLSpace { position += 1 }
        }
        return result
    }

    /// The end of a name. White space ends it, except beside a colon: `og: title` is one name.
    private static func endOfName(in value: ArraySlice<UInt8>, from start: Int) -> Int {
        var i = start
        while i < value.endIndex {
            if value[i].isHTMLSpace {
                var next = i
                while next < value.endIndex, value[next].isHTMLSpace { next += 1 }
                let isBesideColon = i > start && value[i - 1] == 0x3A || next < value.endIndex && value[next] == 0x3A
                if !isBesideColon { return i }
                i = next
            } else {
                i += 1
            }
        }
        return i
    }

    /// The name in lower case, without quotes, escaping backslashes, and white space beside colons.
    private static func normalized(_ written: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var needsSpace = false
        var i = written.startIndex
        while i < written.endIndex {
            let byte = written[i]
            if byte.isHTMLSpace {
                needsSpace = !result.isEmpty && result.last != 0x3A
            } else if byte == 0x22 || byte == 0x27 || byte == 0x5C {
                // Straight quotes and backslashes.
            } else if byte == 0xE2, i + 2 < written.endIndex, written[i + 1] == 0x80,
                [0x9C, 0x9D, 0x9E, 0xB3].contains(written[i + 2])
            {
                i += 2
            } else {
                if needsSpace && byte != 0x3A { result.append(0x20) }
                needsSpace = false
                result.append(byte.asciiLowercased)
            }
            i += 1
        }
        return String(decoding: result, as: UTF8.self)
    }
}
