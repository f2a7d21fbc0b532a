import CZlib

/// Prepares a sitemap's bytes for reading: unpacks them, cuts them at the limit, and decides between XML and text.
struct SitemapContent {
    enum Form { case xml, text }

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

    /// Decides between XML and text: XML begins with `<`. libxml2 needs that as the first character, so anything before it is
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
