/// The pages, or further sitemaps, that a site lists in a sitemap (sitemaps.org 0.9), a feed or a list of addresses.
///
/// Reading never fails: unreadable parts leave a note, and broken or truncated files are read up to the fault.
///
///     bytes ─gunzip─► sniff ─┬─ XML: libxml2's events ─► elements ─► entries   (urlset, sitemapindex, RSS, Atom)
///                            └─ text: one address a line ──────────► entries
///
/// Nothing but the bytes is read: no DTD, no external entity, no XInclude. Entities of the document's own DTD are expanded
/// within a budget (`SitemapEntities`). The time is proportional to the number of bytes, whatever they contain.
public struct Sitemap: Sendable {
    /// The format of the file.
    public enum Kind: String, Sendable {
        /// `<urlset>`: pages.
        case urlset
        /// `<sitemapindex>`: further sitemaps.
        case index
        /// A text with one address per line.
        case text
        case rss, atom
        /// None of these formats; there are no entries.
        case unknown
    }

    /// The address of the sitemap.
    public let url: WebURL
    /// The format that was recognized.
    public let kind: Kind
    /// The entries in the order of the file.
    public let entries: [SitemapEntry]
    /// Leniencies used and limits reached while reading.
    public let notes: [ParseNote]

    /// The number of bytes that are read after unpacking, as sitemaps.org allows.
    public static let maximumDecodedBytes = 52_428_800
    /// The number of entries that are read, as sitemaps.org allows.
    public static let maximumEntries = 50_000

    /// Reads the sitemap found at `url`. The bytes may be packed with gzip.
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

/// The result of the XML reader or the text reader.
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

    /// The address of an entry; nil if it cannot be used. It should be absolute and shorter than 2,048 characters; a relative
    /// one is resolved.
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
