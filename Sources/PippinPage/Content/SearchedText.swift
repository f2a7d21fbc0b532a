/// The main text of a record's page, as a storage keeps it for a search index: all of it is searched, and a part may be shown.
public struct SearchedText: Sendable, Hashable {
    /// What results may quote: a block of the page a line.
    public let quotable: String
    /// What the page forbids to quote, by `nosnippet`, `max-snippet` or `data-nosnippet` (Google Search Central, "Robots meta tag,
    /// data-nosnippet, and X-Robots-Tag specifications").
    public let unquotable: String

    /// Record Separator, which stands between both. One in a page's text is left out.
    private static let separator: Unicode.Scalar = "\u{1E}"

    init?(quotable: [UInt8], unquotable: [UInt8]) {
        guard !quotable.isEmpty || !unquotable.isEmpty else { return nil }
        func text(_ bytes: [UInt8]) -> String {
            String(decoding: bytes.lazy.filter { $0 != UInt8(Self.separator.value) }, as: UTF8.self)
        }
        (self.quotable, self.unquotable) = (text(quotable), text(unquotable))
    }

    /// Reads what `kept` wrote. A text without a mark is of an earlier version, and nobody knows what of it may be quoted.
    public init(kept text: String) {
        let utf8 = text.utf8
        guard let mark = utf8.firstIndex(of: UInt8(Self.separator.value)) else {
            (quotable, unquotable) = ("", text)
            return
        }
        quotable = String(Substring(utf8[..<mark]))
        unquotable = String(Substring(utf8[utf8.index(after: mark)...]))
    }

    /// One text, for a column of a table.
    public var kept: String { "\(quotable)\(Self.separator)\(unquotable)" }
}
