/// The `meta` elements of a page, read once for all extractors that look at them.
///
/// People write names in any case, under the wrong attribute, with a stray space after the colon, or several in one
/// attribute. All that is evened out here, and kept, so that an extractor can say what it forgave.
public struct MetaTags: Sendable {
    /// In page order. An element that names two things (`property="og:title" name="twitter:title"`) stands twice.
    public internal(set) var tags: [MetaTag] = []
    public internal(set) var notes: [ParseNote] = []
}

/// One name that a `meta` element gives, with the element's content.
public struct MetaTag: Sendable {
    /// The attributes that can hold the name.
    public struct Carriers: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let name = Carriers(rawValue: 1)
        public static let property = Carriers(rawValue: 2)
        public static let itemprop = Carriers(rawValue: 4)
        public static let httpEquiv = Carriers(rawValue: 8)
    }

    /// Lower case, without quotes, without white space at the ends or beside a colon.
    public internal(set) var name: String
    /// The name as it was written, white space at the ends aside.
    public internal(set) var written: String
    public internal(set) var carriers: Carriers
    /// Value of `content`, or of `value` where there is no `content`; nil where there is neither.
    public internal(set) var content: String?
    public internal(set) var usesValueAttribute = false
    /// Inside `body`, where browsers and most consumers do not look.
    public internal(set) var isInBody = false
    /// The element in its document.
    public internal(set) var element: HTMLDocument.Index
    /// Where the tag ends.
    public internal(set) var place: SourcePlace

    public var line: Int { place.line }
    public var column: Int { place.column }

    /// Content without white space at the ends; nil when nothing is left.
    public var text: String? {
        guard let trimmed = content?.trimmingHTMLSpace(), !trimmed.isEmpty else { return nil }
        return trimmed
    }

    /// The text of a tag that holds an address. A wrapped one is noted under the code of the tag's family.
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
