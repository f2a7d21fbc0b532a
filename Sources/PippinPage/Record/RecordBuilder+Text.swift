// Title, description, snippet, keywords, languages, and the name of the site.

extension RecordBuilder {
    /// Characters of a title and of a description that are kept: far more than is shown, bounded against abuse.
    private static let maximumTitleCharacters = 300
    private static let maximumDescriptionCharacters = 2_000
    private static let maximumKeywords = 30
    private static let maximumKeywordBytes = 100
    private static let maximumLanguages = 20

    mutating func takeTitle() {
        let (facts, page) = (facts, page)
        let title = first(
            "title",
            [
                (.htmlTitle, { Self.line(facts.metadata.title) }),
                (.openGraph, { Self.line(facts.openGraph?.title) }),
                (.schemaOrg, { Self.line(page.mainText("name") ?? page.mainText("headline")) }),
                (.twitterCard, { Self.line(facts.twitterCard?.title) }),
                (.heading, { Self.heading(of: facts.document) }),
            ])
        record.title = title.map { Snippet.cut($0, to: Self.maximumTitleCharacters) }
    }

    /// `nosnippet` asks for a title alone; `max-snippet` bounds all text that is taken from the page.
    mutating func takeDescription() {
        if facts.directives.nosnippet || facts.directives.maxSnippet == 0 { return }
        let (facts, page) = (facts, page)
        let limit = facts.directives.maxSnippet ?? .max
        let description = first(
            "contentDescription",
            [
                (.openGraph, { Self.line(facts.openGraph?.description) }),
                (.metaDescription, { Self.line(facts.metadata.description) }),
                (.schemaOrg, { Self.line(page.mainText("description")) }),
                (.twitterCard, { Self.line(facts.twitterCard?.description) }),
            ])
        record.contentDescription = description.map {
            Snippet.cut($0, to: min(Self.maximumDescriptionCharacters, limit))
        }

        let length = min(Snippet.maximumCharacters, limit)
        // A description that repeats the title says nothing under it.
        if let description, description != record.title {
            record.snippet = Snippet.cut(description, to: length)
            if let source = record.provenance.last?.source { took("snippet", from: source) }
        } else {
            let text = visible.mainText
            guard !text.isEmpty else { return }
            record.snippet = Snippet.cut(text, to: length)
            took("snippet", from: .mainText)
        }
    }

    mutating func takeKeywords() {
        var keywords: [String] = []
        var seen: Set<String> = []
        func add(_ text: String) {
            for part in text.utf8.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }) {
                guard keywords.count < Self.maximumKeywords else { return }
                let keyword = String(Substring(part)).collapsingHTMLSpace()
                guard !keyword.isEmpty, keyword.utf8.count <= Self.maximumKeywordBytes,
                    seen.insert(keyword.lowercased()).inserted
                else { continue }
                keywords.append(keyword)
            }
        }
        func note(_ source: DeepLinkRecord.Source) {
            if !keywords.isEmpty && !record.provenance.contains(where: { $0.field == "keywords" }) {
                took("keywords", from: source)
            }
        }
        for value in page.mainValues("keywords") {
            if let text = page.text(of: value), !text.hasPrefix("http") { add(text) }
        }
        note(.schemaOrg)
        for keyword in facts.metadata.keywords { add(keyword) }
        note(.metaKeywords)
        for name in ["article:tag", "book:tag", "video:tag"] {
            for tag in facts.openGraph?.values(name) ?? [] { add(tag) }
        }
        note(.openGraph)
        record.keywords = keywords
    }

    mutating func takeLanguages() {
        var languages: [String] = []
        func add(_ text: String, _ source: DeepLinkRecord.Source) {
            guard languages.count < Self.maximumLanguages, let tag = SchemaOrg.languageTag(text) else { return }
            if languages.isEmpty { took("languages", from: source) }
            if !languages.contains(tag) { languages.append(tag) }
        }
        if let language = facts.metadata.language {
            add(language, facts.metadata.languageSource == .header ? .httpHeader : .htmlLanguage)
        }
        for value in page.mainValues("inLanguage") {
            if case .item(let index) = value, let code = page.text(page.items[index], "alternateName") {
                add(code, .schemaOrg)
            } else if let text = page.text(of: value) {
                add(text, .schemaOrg)
            }
        }
        // Templates write the default en_US whatever the page's language.
        if languages.isEmpty, let locale = facts.openGraph?.locale { add(locale, .openGraph) }
        // `en` says nothing beside `en-GB`.
        record.languages = languages.filter { tag in !languages.contains { $0.hasPrefix(tag + "-") } }
    }

    mutating func takeContainerTitle() {
        let (facts, page) = (facts, page)
        let title = first(
            "containerTitle",
            [
                (.openGraph, { Self.line(facts.openGraph?.siteName) }),
                (.schemaOrg, { page.firstItem(of: .webSite).flatMap { Self.line(page.text($0, "name")) } }),
                (
                    .applicationName,
                    { Self.line(facts.metadata.applicationName) ?? Self.line(facts.metadata.webApp?.title) }
                ),
            ])
        record.containerTitle = title.map { Snippet.cut($0, to: Self.maximumTitleCharacters) }
    }

    mutating func takeTypes() {
        var types: [String] = []
        for index in page.main {
            for written in page.items[index].types.prefix(20) {
                if let type = SchemaOrg.type(written), !types.contains(type), type.utf8.count <= 100 {
                    types.append(type)
                }
            }
        }
        if !types.isEmpty {
            took("types", from: .schemaOrg)
        } else if let written = facts.openGraph?.type, let type = Self.type(ofOpenGraph: written) {
            types = [type]
            took("types", from: .openGraph)
        }
        record.types = types
    }

    /// The schema.org type that an `og:type` stands for; none for `website`, which is what unmarked pages count as.
    private static func type(ofOpenGraph type: String) -> String? {
        switch type {
        case "article": "Article"
        case "book", "books.book": "Book"
        case "profile": "ProfilePage"
        case "product", "product.item", "og:product": "Product"
        case "music.song", "song": "MusicRecording"
        case "music.album", "album": "MusicAlbum"
        case "music.playlist": "MusicPlaylist"
        case "video.movie", "movie": "Movie"
        case "video.episode": "TVEpisode"
        case "video.tv_show", "tv_show": "TVSeries"
        case "video.other", "video": "VideoObject"
        case "restaurant", "restaurant.restaurant": "Restaurant"
        case "hotel": "Hotel"
        case "event": "Event"
        case "business.business": "LocalBusiness"
        case "place": "Place"
        default: nil
        }
    }

    // MARK: Pieces

    /// A text in one line; nil when nothing is left.
    static func line(_ text: String?) -> String? {
        guard let text else { return nil }
        let collapsed = text.collapsingHTMLSpace()
        return collapsed.isEmpty ? nil : collapsed
    }

    private static func heading(of document: HTMLDocument) -> String? {
        for element in document.elements(named: .h1).prefix(5) {
            if let text = line(document.visibleText(of: element, maximumBytes: 1_000)) { return text }
        }
        return nil
    }
}
