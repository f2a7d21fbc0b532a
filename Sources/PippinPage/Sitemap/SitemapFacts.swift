/// What sitemaps and feeds say of one page: its addresses in apps, what Google's image, video and news extensions say, and the
/// dates and authors of a feed's entry. It is kept with the page's URL until the page is read, and counts below what the page says
/// itself.
public struct SitemapFacts: Sendable, Hashable {
    /// An image of the page.
    public struct Image: Sendable, Hashable, Codable {
        public var url: String
        /// The caption, or else the title.
        public var alt: String?
    }

    /// A video on the page.
    public struct Video: Sendable, Hashable, Codable {
        public var title: String?
        /// The address of a preview image.
        public var thumbnail: String?
        /// The address of the file.
        public var content: String?
        /// The address of a player's page.
        public var player: String?
        /// In seconds, as written.
        public var duration: String?
        /// The date of publication, as written.
        public var published: String?
    }

    /// What a news sitemap says of the article.
    public struct News: Sendable, Hashable, Codable {
        public var title: String?
        /// The name of the publication.
        public var publication: String?
        /// The language of the publication.
        public var language: String?
        /// As written, separated by commas.
        public var keywords: String?
        /// The date of publication, as written.
        public var published: String?
    }

    /// What the entry of a feed says.
    public struct Feed: Sendable, Hashable, Codable {
        /// The date of publication, as W3C writes dates.
        public var published: String?
        /// The date of the last change, if it is another one.
        public var modified: String?
        /// The names of the authors.
        public var authors: [String]?
    }

    /// `android-app:` and `ios-app:` addresses, sorted.
    public var alternates: [String] = []
    public var news: News? {
        get { newsOrNone.first }
        set { newsOrNone = newValue.map { [$0] } ?? [] }
    }
    /// A list, because most of a million waiting URLs have none, and an empty list takes 8 bytes.
    private var newsOrNone: [News] = []
    public var feed: Feed? {
        get { feedOrNone.first }
        set { feedOrNone = newValue.map { [$0] } ?? [] }
    }
    private var feedOrNone: [Feed] = []
    /// In the order of the sitemap.
    public var images: [Image] = []
    /// In the order of the sitemap.
    public var videos: [Video] = []

    /// The limit of alternates per page.
    static let maximumAlternates = 20
    /// The limit of their bytes together. Real ones have about 60 bytes each.
    static let maximumAlternateBytes = 2_000
    /// The limits of images and videos per page. The first ones are the page's own.
    static let maximumImages = 5
    static let maximumVideos = 2
    /// The limit of authors per page.
    static let maximumAuthors = 5
    /// The limit of the bytes of everything but alternates. An image has about 100 bytes, a video 400.
    static let maximumExtensionBytes = 1_500
    /// The limit of one text, in bytes; of an address, twice as much.
    static let maximumTextBytes = 300

    /// Nothing.
    public init() {}

    /// - Parameter alternates: `android-app:` and `ios-app:` addresses.
    public init(alternates: [String]) {
        self.alternates = Self.bounded(alternates)
    }

    public var isEmpty: Bool { self == SitemapFacts() }

    /// The bytes of all texts.
    public var byteCount: Int {
        alternates.reduce(0) { $0 + $1.utf8.count } + Self.count(extensionTexts)
    }

    /// All texts but the alternates, in a fixed order; "" for a missing one.
    public var extensionTexts: [String] {
        var texts = (news?.texts ?? []) + (feed?.texts ?? [])
        for image in images { texts += image.texts }
        for video in videos { texts += video.texts }
        return texts
    }

    /// Adds what another sitemap says. Alternates are joined. Of the rest, what was read last counts.
    public mutating func add(_ other: SitemapFacts) {
        if !other.alternates.isEmpty {
            alternates = Self.bounded(Set(alternates + other.alternates).sorted())
        }
        if let news = other.news { self.news = news }
        if let feed = other.feed { self.feed = feed }
        if !other.images.isEmpty { images = other.images }
        if !other.videos.isEmpty { videos = other.videos }
        bound()
    }

    /// The same facts with those of another sitemap.
    public func adding(_ other: SitemapFacts) -> SitemapFacts {
        var all = self
        all.add(other)
        return all
    }

    /// The alternates within the limits of one page.
    private static func bounded(_ alternates: [String]) -> [String] {
        var bytes = 0
        return Array(
            alternates.prefix(maximumAlternates).prefix {
                bytes += $0.utf8.count
                return bytes <= maximumAlternateBytes
            })
    }

    /// What does not fit is left out, the last images first.
    private mutating func bound() {
        var room = Self.maximumExtensionBytes - Self.count((news?.texts ?? []) + (feed?.texts ?? []))
        func fits(_ bytes: Int) -> Bool {
            room -= bytes
            return room >= 0
        }
        videos = Array(videos.prefix(Self.maximumVideos).prefix { fits(Self.count($0.texts)) })
        room = max(room, 0)
        images = Array(images.prefix(Self.maximumImages).prefix { fits(Self.count($0.texts)) })
    }
}

extension SitemapFacts {
    /// What an entry says, within the limits of one page.
    ///
    /// - Parameters:
    ///   - kind: of the file with the entry. Its dates count for a page if it is a feed: those of sitemaps are often wrong.
    ///   - maximumURLBytes: app addresses that are longer are left out.
    public init(_ entry: SitemapEntry, of kind: Sitemap.Kind, maximumURLBytes: Int) {
        if !entry.alternates.isEmpty {
            alternates = Self.appAlternates(of: entry, maximumURLBytes: maximumURLBytes)
        }
        if let news = entry.news { self.news = News(news) }
        if kind.isFeed { feed = Feed(entry) }
        images = entry.images.prefix(Self.maximumImages).compactMap { image in
            Self.address(image.loc).map {
                Image(url: $0, alt: Self.text(image.caption) ?? Self.text(image.title))
            }
        }
        videos = entry.videos.prefix(Self.maximumVideos).compactMap(Video.init)
        if news != nil || feed != nil || !images.isEmpty || !videos.isEmpty { bound() }
    }

    /// The app addresses of an entry (`xhtml:link rel="alternate"`), without those that are too long.
    private static func appAlternates(of entry: SitemapEntry, maximumURLBytes: Int) -> [String] {
        var addresses: Set<String> = []
        for alternate in entry.alternates where addresses.count < maximumAlternates {
            guard alternate.href.utf8.count <= maximumURLBytes, AppAlternate(alternate.href) != nil,
                alternate.rel.map({ $0.lowercased().has("alternate") }) ?? true
            else { continue }
            addresses.insert(alternate.href)
        }
        return bounded(addresses.sorted())
    }

    /// A text in one line, cut after a word; nil without one.
    fileprivate static func text(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 16 * maximumTextBytes, var line = CleanText.line(text) else {
            return nil
        }
        // A character has at most 4 bytes.
        if line.utf8.count > maximumTextBytes { line = Snippet.cut(line, to: maximumTextBytes / 4) }
        return line.isEmpty ? nil : line
    }

    /// An absolute http or https address, as sitemaps have them.
    fileprivate static func address(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 2 * maximumTextBytes,
            let url = WebURL(written: text, base: nil), url.isHTTP,
            url.host != nil, url.href.utf8.count <= 2 * maximumTextBytes
        else { return nil }
        return url.href
    }

    /// A short text without spaces around it: a date, a number, a language.
    fileprivate static func word(_ text: String?) -> String? {
        guard let word = text?.trimmingHTMLSpace(), !word.isEmpty, word.utf8.count <= 40 else {
            return nil
        }
        return word
    }

    private static func count(_ texts: [String]) -> Int {
        texts.reduce(0) { $0 + $1.utf8.count }
    }
}

extension SitemapFacts.Feed {
    fileprivate var texts: [String] { [published ?? "", modified ?? ""] + (authors ?? []) }

    fileprivate init?(_ entry: SitemapEntry) {
        published = SitemapFacts.word(entry.published?.w3cText)
        modified = entry.lastmod == entry.published ? nil : SitemapFacts.word(entry.lastmod?.w3cText)
        let names = entry.authors.prefix(SitemapFacts.maximumAuthors).compactMap { SitemapFacts.text($0) }
        authors = names.isEmpty ? nil : names
        if published == nil, modified == nil, authors == nil { return nil }
    }
}

extension SitemapFacts.Image {
    fileprivate var texts: [String] { [url, alt ?? ""] }
}

extension SitemapFacts.Video {
    fileprivate var texts: [String] {
        [title, thumbnail, content, player, duration, published].map { $0 ?? "" }
    }

    fileprivate init?(_ video: SitemapEntry.Video) {
        title = SitemapFacts.text(video.title)
        thumbnail = SitemapFacts.address(video.thumbnail)
        content = SitemapFacts.address(video.content)
        player = SitemapFacts.address(video.player)
        duration = SitemapFacts.word(video.duration)
        published = SitemapFacts.word(video.published?.text)
        if thumbnail == nil && content == nil && player == nil { return nil }
    }
}

extension SitemapFacts.News {
    fileprivate var texts: [String] {
        [title, publication, language, keywords, published].map { $0 ?? "" }
    }

    fileprivate init?(_ news: SitemapEntry.News) {
        title = SitemapFacts.text(news.title)
        publication = SitemapFacts.text(news.publication)
        language = SitemapFacts.word(news.language)
        keywords = SitemapFacts.text(news.keywords)
        published = SitemapFacts.word(news.published?.text)
        if texts.allSatisfy(\.isEmpty) { return nil }
    }
}
