/// What a page says in Dublin Core: `meta` and `link` elements whose names have a prefix of its vocabularies.
///
/// DCMI, "Expressing Dublin Core metadata using HTML/XHTML meta and link elements" (2008). Names may have any letter case and a
/// colon for the point, and known prefixes need no `<link rel="schema.DC">`: half of the pages that use them have none.
public struct DublinCore: Sendable {
    public enum Vocabulary: String, Sendable {
        /// The 15 elements of version 1.1.
        case elements = "http://purl.org/dc/elements/1.1/"
        /// DCMI Metadata Terms.
        case terms = "http://purl.org/dc/terms/"

        /// How its names begin after normalization.
        var prefix: String { self == .terms ? "dcterms." : "dc." }
    }

    /// One value of a property.
    public struct Statement: Sendable {
        public let vocabulary: Vocabulary
        /// The property in lower case; one with a refinement has both: `date.issued`.
        public let property: String
        /// The text of a `meta` element; the absolute address of a link.
        public let value: String
        /// Whether the value is an address.
        public let isLink: Bool
        /// What the value is encoded by, as written: `DCTERMS.W3CDTF`.
        public let scheme: String?
        /// The declared language of a text.
        public let language: String?
    }

    /// In page order, `meta` elements first.
    public private(set) var statements: [Statement] = []

    /// Reads the statements of a page, and gives its `meta` elements of Dublin Core normalized names: `dcterms.issued`, `dc.creator`.
    ///
    /// - Parameter baseURL: the base of links.
    init(_ document: HTMLDocument, meta: inout MetaTags, baseURL: WebURL) {
        var prefixes = Self.knownPrefixes
        let links = document.elements(named: .link).prefix(LinkTags.maximumTags).filter { link in
            document.bytes(of: .rel, on: link)?.contains { $0 == UInt8(ascii: ".") } ?? false
        }
        for link in links {
            for word in Self.words(of: link, in: document) where word.hasPrefix("schema.") {
                guard let href = document.value(of: .href, on: link), let vocabulary = Self.vocabulary(at: href) else {
                    continue
                }
                prefixes[String(word.dropFirst("schema.".count))] = vocabulary
            }
        }
        var languages = DeclaredLanguages()
        meta.nameDublinCore { name in
            Self.term(name, prefixes).map { $0.vocabulary.prefix + $0.property }
        }
        for tag in meta.tags where tag.isDublinCore {
            guard let text = tag.text, let term = Self.term(tag.name, prefixes) else { continue }
            statements.append(
                Statement(
                    vocabulary: term.vocabulary, property: term.property, value: text, isLink: false,
                    scheme: document.attributes(of: tag.element).first { $0.name == "scheme" }?.value,
                    language: languages.language(of: tag.element, in: document)))
        }
        for link in links {
            guard let href = document.value(of: .href, on: link), let url = WebURL(written: href, base: baseURL) else {
                continue
            }
            for word in Self.words(of: link, in: document) where !word.hasPrefix("schema.") {
                guard let term = Self.term(word, prefixes) else { continue }
                statements.append(
                    Statement(
                        vocabulary: term.vocabulary, property: term.property, value: url.href, isLink: true,
                        scheme: nil,
                        language: nil))
            }
        }
    }

    /// The values of a property, of either vocabulary.
    public func values(_ property: String) -> [String] {
        statements.lazy.filter { $0.property == property }.map(\.value)
    }

    /// In page order, as `pippin extract` prints them.
    public var json: JSONValue {
        .array(
            statements.map { statement in
                JSONObject.with {
                    $0.put("property", statement.property)
                    $0.put("vocabulary", statement.vocabulary.rawValue)
                    $0.put(statement.isLink ? "href" : "content", statement.value)
                    $0.put("scheme", statement.scheme)
                    $0.put("lang", statement.language)
                }
            })
    }

    // MARK: Names

    private static let knownPrefixes: [String: Vocabulary] = [
        "dc": .elements, "dcterms": .terms, "dct": .terms, "dcterm": .terms,
    ]

    private static func vocabulary(at address: String) -> Vocabulary? {
        let address = address.asciiLowercased
        if address.has("purl.org/dc/terms") { return .terms }
        return address.has("purl.org/dc/elements") || address.has("purl.org/metadata/dublin_core") ? .elements : nil
    }

    private static func words(of link: HTMLDocument.Index, in document: HTMLDocument) -> [String] {
        (document.bytes(of: .rel, on: link)?.splitOnHTMLSpace() ?? []).prefix(maximumWords).map {
            String(decoding: $0, as: UTF8.self).asciiLowercased
        }
    }

    /// Words of a `rel` that are read.
    private static let maximumWords = 20

    private static func term(
        _ name: String, _ prefixes: [String: Vocabulary]
    ) -> (vocabulary: Vocabulary, property: String)? {
        guard name.utf8.count <= maximumNameBytes,
            let mark = name.utf8.firstIndex(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }),
            let vocabulary = prefixes[String(name[..<mark])]
        else { return nil }
        let property = String(name[name.utf8.index(after: mark)...])
        guard !property.isEmpty, !property.utf8.contains(where: \.isHTMLSpace) else { return nil }
        return (vocabulary, property.replacing(":", with: "."))
    }

    /// Names are shorter.
    private static let maximumNameBytes = 100
}
