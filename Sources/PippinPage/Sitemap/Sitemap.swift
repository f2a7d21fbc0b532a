import CZlib

/// The pages, or further sitemaps, that a site lists in a sitemap (sitemaps.org 0.9), a feed or a list of addresses.
///
/// Reading never fails: unreadable parts leave a note, and broken or truncated files are read up to the fault.
///
///     bytes ─gunzip─► sniff ─┬─ XML: libxml2's events ─► elements ─► entries   (urlset, sitemapindex, RSS, Atom)
///                            ├─ JSON ──────────────────────────────► entries   (JSON Feed)
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
        /// JSON Feed.
        case json
        /// None of these formats; there are no entries.
        case unknown

        /// Whether it lists what is new, with its authors.
        public var isFeed: Bool {
            switch self {
            case .rss, .atom, .json: true
            case .urlset, .index, .text, .unknown: false
            }
        }
    }

    /// The address of the sitemap.
    public let url: WebURL
    /// The format that was recognized.
    public let kind: Kind
    /// The entries in the order of the file.
    public let entries: [SitemapEntry]
    /// Where a feed goes on with older entries: `next_url` of JSON Feed, the link `next` of RSS and Atom (RFC 5005 §3).
    public let next: WebURL?
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
        case .json: read = JSONFeedReader.read(content.octets, url: url, limits: limits, notes: notes)
        case .text: read = SitemapTextReader.read(content.octets, url: url, limits: limits, notes: notes)
        }
        self.url = url
        kind = read.kind
        entries = read.entries
        next = read.next
        self.notes = read.notes.finished()
    }
}

/// The result of the XML reader or the text reader.
struct SitemapReading {
    var kind: Sitemap.Kind
    var entries: [SitemapEntry] = []
    private(set) var next: WebURL?
    var notes: BoundedNotes

    var isFull: Bool { entries.count >= Sitemap.maximumEntries }
}

extension SitemapReading {
    /// Takes where a feed goes on; the first address counts.
    mutating func takeNext(_ written: String, base: WebURL) {
        guard next == nil else { return }
        next = location(WebURL(written, base: base)?.href ?? written, base: base, line: nil)
    }

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

/// Prepares a sitemap's bytes for reading: unpacks them, cuts them at the limit, and decides between XML, JSON and text.
struct SitemapContent {
    enum Form { case xml, json, text }

    let octets: [UInt8]
    let form: Form

    init(_ bytes: [UInt8], notes: inout BoundedNotes) {
        var octets = bytes
        // Twice, because servers may pack a file that is already packed and declare only one of the layers.
        for _ in 0..<2 where octets.starts(with: [0x1F, 0x8B]) {
            octets = Self.gunzipped(octets, maximumBytes: Sitemap.maximumDecodedBytes, notes: &notes)
        }
        if octets.count > Sitemap.maximumDecodedBytes {
            notes.add(
                .sitemap(.tooLong),
                "The sitemap has more than \(Sitemap.maximumDecodedBytes) bytes; the rest is not read.")
            octets.removeLast(octets.count - Sitemap.maximumDecodedBytes)
        }
        (octets, form) = Self.sniffed(octets, notes: &notes)
        self.octets = octets
    }

    /// Decides between XML, JSON and text: XML begins with `<`, a feed in JSON with `{`. libxml2 needs that as the first character, so anything before it is
    /// removed: white space, a byte order mark of UTF-8, warnings of a scripting language.
    private static func sniffed(_ octets: [UInt8], notes: inout BoundedNotes) -> ([UInt8], Form) {
        if octets.starts(with: [0xFF, 0xFE]) || octets.starts(with: [0xFE, 0xFF]) {
            let bigEndian = octets[0] == 0xFE
            let isXML = octets.dropFirst(2).prefix(64).first { $0 > 0x20 } == UInt8(ascii: "<")
            let encoding: CharacterEncoding = bigEndian ? .utf16BE : .utf16LE
            return isXML ? (octets, .xml) : (encoding.decode(octets).utf8, .text)
        }
        let mark = octets.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let start = octets[mark...].firstIndex(where: { $0 > 0x20 }) else { return ([], .text) }
        if octets[start] == UInt8(ascii: "<") {
            if start > mark { notes.add(.sitemap(.leadingSpace), "White space stands before the XML.") }
            // UTF-16 without a mark begins with a zero, or has a zero after the bracket. libxml2 recognizes it by that.
            return (start == 0 ? octets : Array(octets[start...]), .xml)
        }
        // Its lines are those of the file.
        if octets[start] == UInt8(ascii: "{") { return (Array(octets[mark...]), .json) }
        if octets[start...].starts(with: [0x00, 0x3C])
            || (start > 0 && octets[(start - 1)...].starts(with: [0x00, 0x3C]))
        {
            return (octets, .xml)
        }
        let beginning = octets[start...].prefix(4_096)
        for root in ["<?xml", "<urlset", "<sitemapindex", "<rss", "<feed"] {
            guard let position = firstOccurrence(of: Array(root.utf8), in: beginning) else { continue }
            notes.add(.sitemap(.leadingText), "\(position - start) bytes of other text stand before the XML.")
            return (Array(octets[position...]), .xml)
        }
        return (Array(octets[mark...]), .text)
    }

    private static func firstOccurrence(of word: [UInt8], in octets: ArraySlice<UInt8>) -> Int? {
        octets.indices.first { octets[$0] == word[0] && octets[$0...].starts(with: word) }
    }

    /// Unpacks all members of a gzip file (RFC 1952), up to the allowed number of bytes. A broken file is unpacked up to the
    /// fault.
    private static func gunzipped(_ packed: [UInt8], maximumBytes: Int, notes: inout BoundedNotes) -> [UInt8] {
        var stream = z_stream()
        // 15 is the largest window; 16 more means gzip, not zlib.
        guard pippin_inflateInit2(&stream, 15 + 16) == Z_OK else {
            notes.add(.sitemap(.gzipBroken), "The gzip file could not be unpacked.")
            return []
        }
        defer { inflateEnd(&stream) }
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        packed.withUnsafeBufferPointer { packed in
            // zlib does not write to its input, but the pointer is not const in the headers of older versions.
            stream.next_in = UnsafeMutablePointer(mutating: packed.baseAddress)
            stream.avail_in = UInt32(clamping: packed.count)
            while result.count <= maximumBytes {
                let status = chunk.withUnsafeMutableBufferPointer { chunk in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    return inflate(&stream, Z_NO_FLUSH)
                }
                result += chunk[..<(chunk.count - Int(stream.avail_out))]
                if status == Z_STREAM_END {
                    if stream.avail_in == 0 { return }
                    // After a member comes another one, or padding, which is allowed.
                    guard stream.next_in?.pointee == 0x1F, inflateReset(&stream) == Z_OK else { return }
                } else if status != Z_OK {
                    let what = status == Z_BUF_ERROR ? "ends early" : "is broken"
                    notes.add(.sitemap(.gzipBroken), "The gzip file \(what); what came before is read.")
                    return
                }
            }
        }
        return result
    }
}

/// Reads a text sitemap: one absolute address per line, and nothing else.
enum SitemapTextReader {
    static func read(_ octets: [UInt8], url: WebURL, limits: ReadingLimits, notes: BoundedNotes) -> SitemapReading {
        var reading = SitemapReading(kind: .text, notes: notes)
        let scope = SitemapScope(url)
        var line = 0
        var start = 0
        while start < octets.count, !limits.isInterrupted {
            line += 1
            let end = octets[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? octets.count
            let isCRLF = end + 1 < octets.count && octets[end] == 0x0D && octets[end + 1] == 0x0A
            let words = octets[start..<end].split(maxSplits: 1) { $0 <= 0x20 }
            start = end + (isCRLF ? 2 : 1)
            guard let first = words.first else { continue }
            guard !reading.isFull else {
                reading.noteFull()
                break
            }
            // The address must be alone on its line, because prose that contains an address is not a sitemap.
            guard words.dropFirst().allSatisfy({ $0.allSatisfy { $0 <= 0x20 } }), first.count <= 16_384,
                hasScheme(first),
                let loc = reading.location(String(decoding: first, as: UTF8.self), base: url, line: line)
            else {
                reading.notes.add(.sitemap(.lineUnreadable), "The line is not an address.", line: line)
                continue
            }
            reading.entries.append(SitemapEntry(loc: loc, line: line, scope: scope))
        }
        if reading.entries.isEmpty {
            reading.kind = .unknown
            reading.notes.add(.sitemap(.unknown), "The file is no sitemap: neither XML nor a list of addresses.")
        }
        return reading
    }

    private static func hasScheme(_ word: ArraySlice<UInt8>) -> Bool {
        let scheme = word.prefix(6).map { $0 | 0x20 }
        return scheme.starts(with: "http:".utf8) || scheme.elementsEqual("https:".utf8)
    }
}
