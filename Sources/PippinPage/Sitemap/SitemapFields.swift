/// The vocabulary that an element belongs to.
enum SitemapVocabulary {
    /// sitemaps.org in any of its spellings, RSS, Atom, or no namespace.
    case core
    case image, video, news, xhtml
    /// Dublin Core; RSS 1.0 uses its date.
    case dublinCore
    case foreign

    init(namespace: String) {
        let uri = namespace.asciiLowercased
        if uri.has("/schemas/sitemap-image/") {
            self = .image
        } else if uri.has("/schemas/sitemap-video/") {
            self = .video
        } else if uri.has("/schemas/sitemap-news/") {
            self = .news
        } else if uri.hasPrefix("http://www.w3.org/1999/xhtml") || uri.hasPrefix("https://www.w3.org/1999/xhtml") {
            self = .xhtml
        } else if uri.has("purl.org/dc/") {
            self = .dublinCore
        } else if uri.isEmpty || uri.has("sitemaps.org/schemas/sitemap")
            || uri.has("google.com/schemas/sitemap/")
            || uri.has("w3.org/2005/atom") || uri.has("purl.org/atom/") || uri.has("purl.org/rss/1.0")
            || uri.has("backend.userland.com/rss")
        {
            self = uri.has("purl.org/rss/1.0/modules") ? .foreign : .core
        } else {
            self = .foreign
        }
    }

    /// The vocabulary for no namespace, or for an undeclared prefix that can only mean one thing.
    init(undeclaredPrefix prefix: String?) {
        switch prefix?.asciiLowercased {
        case nil, "": self = .core
        case "image": self = .image
        case "video": self = .video
        case "news": self = .news
        case "xhtml": self = .xhtml
        case "dc": self = .dublinCore
        default: self = .foreign
        }
    }
}

/// The elements whose text is used.
enum SitemapField {
    case loc, lastmod, changefreq, priority, guid, published, author
    case imageLoc, imageTitle, imageCaption
    case videoTitle, videoDescription, videoThumbnail, videoContent, videoPlayer, videoDuration, videoPublished
    case newsTitle, newsPublished, newsPublication, newsLanguage, newsKeywords

    static func of(
        _ name: String, _ vocabulary: SitemapVocabulary, in parent: String, _ parentVocabulary: SitemapVocabulary,
        kind: Sitemap.Kind
    ) -> SitemapField? {
        switch (vocabulary, kind) {
        case (.core, .urlset), (.core, .index):
            guard parentVocabulary == .core, parent == "url" || parent == "sitemap" else { return nil }
            return sitemapFields[name]
        case (.core, .rss), (.dublinCore, .rss):
            return parent == "item" ? rssFields[name] : nil
        case (.core, .atom):
            // Whose it is, the element around it says.
            return parent == "entry" ? atomFields[name] : parent == "author" && name == "name" ? .author : nil
        case (.image, _): return parentVocabulary == .image ? imageFields[name] : nil
        case (.video, _): return parentVocabulary == .video ? videoFields[name] : nil
        case (.news, _): return parentVocabulary == .news ? newsFields[name] : nil
        default: return nil
        }
    }

    private static let sitemapFields: [String: SitemapField] = [
        "loc": .loc, "lastmod": .lastmod, "changefreq": .changefreq, "priority": .priority,
    ]
    private static let rssFields: [String: SitemapField] = [
        "link": .loc, "guid": .guid, "pubdate": .published, "date": .published, "author": .author, "creator": .author,
    ]
    /// The fields of Atom 1.0 and 0.3. The first value counts.
    private static let atomFields: [String: SitemapField] = [
        "updated": .lastmod, "modified": .lastmod, "published": .published, "issued": .published,
    ]
    private static let imageFields: [String: SitemapField] = [
        "loc": .imageLoc, "title": .imageTitle, "caption": .imageCaption,
    ]
    private static let videoFields: [String: SitemapField] = [
        "title": .videoTitle, "description": .videoDescription, "thumbnail_loc": .videoThumbnail,
        "content_loc": .videoContent, "player_loc": .videoPlayer, "duration": .videoDuration,
        "publication_date": .videoPublished,
    ]
    private static let newsFields: [String: SitemapField] = [
        "title": .newsTitle, "publication_date": .newsPublished, "name": .newsPublication, "language": .newsLanguage,
        "keywords": .newsKeywords,
    ]
}

/// An entry while it is being read. It becomes one entry for each of its addresses.
struct SitemapEntryFields {
    var isOpen = false
    var locations: [String] = []
    var line: Int?
    var guid: String?
    var guidIsPermalink = true
    var alternates: [SitemapEntry.Alternate] = []
    var images: [SitemapEntry.Image] = []
    var videos: [SitemapEntry.Video] = []
    var news: SitemapEntry.News?
    var authors: [String] = []
    /// Those of the feed from which the entry was copied.
    var sourceAuthors: [String] = []
    private var lastmod: SitemapEntry.Moment?
    private var published: SitemapEntry.Moment?
    private var changefreq: SitemapEntry.ChangeFrequency?
    private var priority: Double?

    mutating func take(_ field: SitemapField, _ text: String, line: Int?, notes: inout BoundedNotes) {
        guard !text.isEmpty else { return }
        switch field {
        case .loc:
            if self.line == nil { self.line = line }
            // An entry with more than a hundred addresses is broken, so the others are dropped.
            if locations.count < 100 { locations.append(text) }
        case .guid: guid = text
        case .lastmod: Self.take(text, to: &lastmod, line: line, notes: &notes)
        case .published: Self.take(text, to: &published, line: line, notes: &notes)
        case .author: FeedAuthor.add(text, to: &authors)
        case .changefreq:
            changefreq = SitemapEntry.ChangeFrequency(rawValue: text.asciiLowercased)
            if changefreq == nil {
                notes.add(.sitemap(.changefreqInvalid), "“\(text.prefix(100))” is no change frequency.", line: line)
            }
        case .priority:
            priority = Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
            if priority == nil {
                notes.add(
                    .sitemap(.priorityInvalid), "“\(text.prefix(100))” is no priority from 0.0 to 1.0.", line: line)
            }
        case .imageLoc: Self.change(&images) { $0.loc = text }
        case .imageTitle: Self.change(&images) { $0.title = text }
        case .imageCaption: Self.change(&images) { $0.caption = text }
        case .videoTitle: Self.change(&videos) { $0.title = text }
        case .videoDescription: Self.change(&videos) { $0.description = text }
        case .videoThumbnail: Self.change(&videos) { $0.thumbnail = text }
        case .videoContent: Self.change(&videos) { $0.content = text }
        case .videoPlayer: Self.change(&videos) { $0.player = text }
        case .videoDuration: Self.change(&videos) { $0.duration = text }
        case .videoPublished: Self.change(&videos) { $0.published = SitemapEntry.Moment(text) }
        case .newsTitle: news?.title = text
        case .newsPublished: news?.published = SitemapEntry.Moment(text)
        case .newsPublication: news?.publication = text
        case .newsLanguage: news?.language = text
        case .newsKeywords: news?.keywords = text
        }
    }

    func entry(at loc: WebURL, scope: SitemapScope) -> SitemapEntry {
        var entry = SitemapEntry(loc: loc, line: line, scope: scope)
        // The date of a change counts before that of the publication.
        entry.lastmod = lastmod ?? published
        entry.published = published
        entry.authors = authors.isEmpty ? sourceAuthors : authors
        entry.changefreq = changefreq
        entry.priority = priority
        entry.alternates = alternates
        entry.images = images.filter { !$0.loc.isEmpty }
        entry.videos = videos
        entry.news = news
        return entry
    }

    private static func take(
        _ text: String, to moment: inout SitemapEntry.Moment?, line: Int?, notes: inout BoundedNotes
    ) {
        guard moment == nil else { return }
        let found = SitemapEntry.Moment(text)
        if found.date == nil {
            notes.add(.sitemap(.dateInvalid), "“\(text.prefix(100))” is no date.", line: line)
        }
        moment = found
    }

    private static func change<Extra>(_ extras: inout [Extra], _ body: (inout Extra) -> Void) {
        if let last = extras.indices.last { body(&extras[last]) }
    }
}

/// The authors that a feed names.
enum FeedAuthor {
    /// Adds a name. What is only an address is none.
    static func add(_ text: String?, to authors: inout [String]) {
        guard authors.count < SitemapEntry.maximumAuthors, let text, let name = name(in: text), !authors.contains(name)
        else { return }
        authors.append(name)
    }

    /// RSS has a mail address with the name behind it, or before it: `ann@example.org (Ann Lee)`, `Ann Lee <ann@example.org>`.
    private static func name(in text: String) -> String? {
        guard text.utf8.count <= maximumBytes else { return nil }
        var name = text[...]
        if text.utf8.contains(UInt8(ascii: "@")) {
            if text.hasSuffix(")"), let start = text.firstIndex(of: "(") {
                name = text[text.index(after: start)...].dropLast()
            } else if text.hasSuffix(">"), let start = text.firstIndex(of: "<") {
                name = text[..<start]
            }
        }
        let trimmed = String(name).trimmingHTMLSpace()
        return trimmed.isEmpty || trimmed.utf8.contains(UInt8(ascii: "@")) ? nil : trimmed
    }

    /// Longer than names of several people and of their mail addresses.
    private static let maximumBytes = 500
}
