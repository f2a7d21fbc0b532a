/// Reads JSON Feed (jsonfeed.org, version 1 and 1.1): its items are entries, as those of RSS and Atom.
enum JSONFeedReader {
    static func read(_ octets: [UInt8], url: WebURL, limits: ReadingLimits, notes: BoundedNotes) -> SitemapReading {
        var reading = SitemapReading(kind: .unknown, notes: notes)
        var wide = limits
        wide.maximumJSONValues = maximumValues
        let read = JSONParser.parseRepairing(octets[...], limits: wide)
        let feed: JSONValue
        switch read.values {
        case .success(let values):
            guard let first = values.first else {
                reading.notes.add(.sitemap(.unknown), "The file is no feed: there is nothing in it.")
                return reading
            }
            feed = first
        case .failure(let error):
            reading.notes.add(.sitemap(.unknown), "The file cannot be read as a feed: \(error).", line: error.line)
            return reading
        }
        guard feed["version"]?.string?.has(AnswerKind.jsonFeedVersion) == true, let items = feed["items"]?.array else {
            reading.notes.add(.sitemap(.unknown), "The JSON is no feed: it has no version of JSON Feed, or no items.")
            return reading
        }
        reading.kind = .json
        if let fault = read.fault {
            reading.notes.add(.sitemap(.jsonBroken), "The JSON is broken: \(fault.message).", line: fault.line)
        }
        if let next = feed["next_url"]?.string { reading.takeNext(next, base: url) }
        let scope = SitemapScope(url)
        let authors = Self.authors(of: feed)
        var lines = LineCounter()
        for item in items {
            if limits.isInterrupted { break }
            guard !reading.isFull else {
                reading.noteFull()
                break
            }
            let line = octets.withUnsafeBufferPointer { lines.place(of: item.offset, in: $0).line }
            guard let written = address(of: item) else {
                reading.notes.add(.sitemap(.locMissing), "An item has no address.", line: line)
                continue
            }
            guard written.utf8.count <= SitemapElements.maximumFieldBytes else {
                reading.notes.add(
                    .sitemap(.locTooLong), "The address has \(written.utf8.count) octets; 2,047 are allowed.",
                    line: line)
                continue
            }
            // Relative addresses are allowed, as in Atom.
            let absolute = WebURL(written, base: url)?.href ?? written
            guard let loc = reading.location(absolute, base: url, line: line) else { continue }
            var entry = SitemapEntry(loc: loc, line: line, scope: scope)
            entry.published = moment(item["date_published"], line, &reading.notes)
            entry.lastmod = moment(item["date_modified"], line, &reading.notes) ?? entry.published
            let own = Self.authors(of: item)
            entry.authors = own.isEmpty ? authors : own
            reading.entries.append(entry)
        }
        return reading
    }

    /// As many entries as a sitemap may have, of 20 values each: most have ten.
    private static let maximumValues = 20 * Sitemap.maximumEntries

    /// The address of an item's page. An item with `external_url` alone is about a page elsewhere. An id is often the page's address.
    private static func address(of item: JSONValue) -> String? {
        if let url = item["url"]?.string { return url }
        return item["id"]?.string.flatMap { WebURL($0)?.isHTTP == true ? $0 : nil }
    }

    /// Version 1 has one `author`, 1.1 a list of `authors`.
    private static func authors(of object: JSONValue) -> [String] {
        var names: [String] = []
        let authors = object["authors"]?.array ?? [object["author"]].compactMap(\.self)
        for author in authors.prefix(SitemapEntry.maximumAuthors) { FeedAuthor.add(author["name"]?.string, to: &names) }
        return names
    }

    /// What is longer is no date, and is not kept.
    private static let maximumDateBytes = 100

    private static func moment(
        _ value: JSONValue?, _ line: Int, _ notes: inout BoundedNotes
    ) -> SitemapEntry.Moment? {
        guard let text = value?.string?.trimmingHTMLSpace(), !text.isEmpty else { return nil }
        let moment = SitemapEntry.Moment(text.utf8.count <= maximumDateBytes ? text : String(text.prefix(100)))
        if moment.date == nil { notes.add(.sitemap(.dateInvalid), "“\(text.prefix(100))” is no date.", line: line) }
        return moment
    }
}
