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
