/// The pages, or further sitemaps, that a site names in a sitemap (sitemaps.org 0.9), a feed or a list of addresses.
///
/// Reading never fails: what cannot be read leaves a note, and broken or truncated files are read as far as they go.
///
///     bytes ─gunzip─► sniff ─┬─ XML: libxml2's events ─► elements ─► entries   (urlset, sitemapindex, RSS, Atom)
///                            └─ text: one address a line ──────────► entries
///
/// Nothing but the bytes is read: no DTD, no external entity, no XInclude; entities of the document's own DTD are
/// expanded within a budget (`SitemapEntities`). Whatever the bytes are, reading them costs in proportion to their number.
public struct Sitemap: Sendable {
    public enum Kind: String, Sendable {
        /// `<urlset>`: pages.
        case urlset
        /// `<sitemapindex>`: further sitemaps.
        case index
        /// One address a line.
        case text
        case rss, atom
        /// None of these; there are no entries.
        case unknown
    }

    public let url: WebURL
    public let kind: Kind
    /// In the order of the file.
    public let entries: [SitemapEntry]
    public let notes: [ParseNote]

    /// Bytes that are read after unpacking: what sitemaps.org allows.
    public static let maximumDecodedBytes = 52_428_800
    /// Entries that are read: what sitemaps.org allows.
    public static let maximumEntries = 50_000

    /// Reads a sitemap that was found at `url` and may be packed with gzip.
    public init(bytes: [UInt8], url: WebURL, limits: ReadingLimits = .standard) {
        var notes = BoundedNotes(maximum: limits.maximumNotes, leftOut: .sitemap(.notesLeftOut))
        let content = SitemapContent(bytes, notes: &notes)
        let read: SitemapReading
        switch content.form {
        case .xml: read = SitemapXMLReader.read(content.octets, url: url, limits: limits, notes: notes)
        case .text: read = SitemapTextReader.read(content.octets, url: url, limits: limits, notes: notes)
        }
        self.url = url
        kind = read.kind
        entries = read.entries
        self.notes = read.notes.finished()
    }
}

/// What a reader of either form hands back.
struct SitemapReading {
    var kind: Sitemap.Kind
    var entries: [SitemapEntry] = []
    var notes: BoundedNotes

    var isFull: Bool { entries.count >= Sitemap.maximumEntries }
}

extension SitemapReading {
    mutating func noteFull() {
        notes.add(
            .sitemap(.tooManyUrls),
            "The sitemap has more than \(Sitemap.maximumEntries) entries; the rest is not read.", endsReading: true)
    }

    /// The address of an entry. It should be absolute and shorter than 2,048 characters; a path is resolved.
    mutating func location(_ written: String, base: WebURL, line: Int?) -> WebURL? {
        if written.utf8.count >= 2_048 {
            notes.add(
                .sitemap(.locTooLong), "The address has \(written.utf8.count) octets; 2,047 are allowed.", line: line)
        }
        if let url = WebURL(written), url.isHTTP { return url }
        if written.utf8.first == UInt8(ascii: "/"), let url = WebURL(written, base: base), url.isHTTP {
            notes.add(.sitemap(.locRelative), "The address should be absolute: “\(written.prefix(200))”.", line: line)
            return url
        }
        notes.add(.sitemap(.locInvalid), "“\(written.prefix(200))” is no address of a page.", line: line)
        return nil
    }
}
