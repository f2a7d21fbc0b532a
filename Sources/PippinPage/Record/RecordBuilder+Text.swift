// Title, description, snippet, keywords, languages, and the name of the site.

extension RecordBuilder {
    /// Characters of a title and of a description that are kept: far more than is shown, bounded against abuse.
    private static let maximumTitleCharacters = 300
    private static let maximumDescriptionCharacters = 2_000
    private static let minimumProseBytes = 240

    mutating func takeTitle() {
        guard let title = PageTitle.choose(facts, page, headings: headings, site: siteNames) else {
            guard let title = sitemap.news?.title ?? sitemap.videos.first?.title else { return }
            took("title", from: .sitemap)
            record.title = Snippet.cut(title, to: Self.maximumTitleCharacters)
            return
        }
        took("title", from: title.source)
        record.title = Snippet.cut(title.text, to: Self.maximumTitleCharacters)
    }

    /// `nosnippet` asks for a title alone; `max-snippet` bounds all text that is taken from the page.
    mutating func takeDescription() {
        if facts.directives.nosnippet || facts.directives.maxSnippet == 0 { return }
        let limit = facts.directives.maxSnippet ?? .max
        let description = Description.choose(facts, page, title: record.title, mainText: mainText)
        if let description {
            took("contentDescription", from: description.source)
            record.contentDescription = Snippet.cut(
                description.text, to: min(Self.maximumDescriptionCharacters, limit))
        }
        guard let snippet = Description.shown(description, title: record.title, mainText: mainText) else { return }
        took("snippet", from: snippet.source)
        record.snippet = Snippet.cut(snippet.text, to: min(Snippet.maximumCharacters, limit))
    }

    /// The page's text. It is shown as much as a snippet is, so it asks what a snippet asks.
    mutating func takeText(maximumBytes: Int) {
        if facts.directives.nosnippet || facts.directives.maxSnippet == 0 { return }
        let text = facts.text(.markdown, maximumBytes: maximumBytes, isQuoted: true).string
        guard !text.isEmpty else { return }
        took("text", from: .mainText)
        record.text = facts.directives.maxSnippet.map { String(text.prefix($0)) } ?? text
    }

    mutating func takeKeywords() {
        var keywords = Keywords(title: record.title)
        let values = page.mainValues("keywords")
        for value in values {
            if let text = page.text(of: value) { keywords.add(text, isList: values.count == 1) }
        }
        take(keywords, from: .schemaOrg)
        for keyword in facts.metadata.keywords { keywords.add(keyword, isList: true) }
        take(keywords, from: .metaKeywords)
        for name in ["article:tag", "book:tag", "video:tag"] {
            for tag in facts.openGraph?.values(name) ?? [] { keywords.add(tag, isList: false) }
        }
        take(keywords, from: .openGraph)
        if keywords.all.isEmpty, let microformats = asMicroformats?.page {
            for value in microformats.mainValues("keywords") {
                if let text = microformats.text(of: value) { keywords.add(text, isList: false) }
            }
            take(keywords, from: .microformats)
        }
        if keywords.all.isEmpty {
            for subject in facts.dublinCore.values("subject") { keywords.add(subject, isList: true) }
            take(keywords, from: .dublinCore)
        }
        if keywords.all.isEmpty, let written = sitemap.news?.keywords {
            keywords.add(written, isList: true)
            take(keywords, from: .sitemap)
        }
        record.keywords = keywords.all
    }

    /// Notes the first source that had a keyword.
    private mutating func take(_ keywords: Keywords, from source: DeepLinkRecord.Source) {
        if !keywords.all.isEmpty && !record.provenance.contains(where: { $0.field == "keywords" }) {
            took("keywords", from: source)
        }
    }

    mutating func takeLanguages() {
        var languages = PageLanguages(locale: facts.openGraph?.locale)
        if let language = facts.metadata.language {
            languages.add(language, from: facts.metadata.languageSource == .header ? .httpHeader : .htmlLanguage)
        }
        for value in page.mainValues("inLanguage") {
            if case .item(let index) = value, let code = page.text(page.items[index], "alternateName") {
                languages.add(code, from: .schemaOrg)
            } else if let text = page.text(of: value) {
                languages.add(text, from: .schemaOrg)
            }
        }
        let isDeclared = !languages.tags.isEmpty
        if !onlyStated { compareWithText(&languages, isDeclared: isDeclared) }
        languages.finish()
        if languages.tags.isEmpty, let language = sitemap.news?.language { languages.add(language, from: .sitemap) }
        if let source = languages.source { took("languages", from: source) }
        record.languages = languages.tags
    }

    private func compareWithText(_ languages: inout PageLanguages, isDeclared: Bool) {
        let prose = mainText.prose
        // Less may be a notice or a button.
        let isLong = mainText.hasProse && prose.utf8.count >= Self.minimumProseBytes
        var isDecided = isLong && languages.compare(with: prose, from: .mainText)
        if !isDecided, let description = record.contentDescription,
            let stated = record.provenance.first(where: { $0.field == "contentDescription" })
        {
            // A video site has little more than these, and its buttons in another language.
            isDecided = languages.compare(with: (record.title ?? "") + ". " + description, from: stated.source)
        }
        if !isDecided, !isDeclared { _ = languages.compare(with: prose, from: .mainText) }
    }

    mutating func takeContainerTitle() {
        let site = siteNames.best(title: record.title, written: facts.metadata.title)
        // A host's name is no name that the page says.
        if site == nil || site?.source == .pageURL, let publication = sitemap.news?.publication {
            took("containerTitle", from: .sitemap)
            record.containerTitle = Snippet.cut(publication, to: Self.maximumTitleCharacters)
            return
        }
        guard let site, site.source != .pageURL || !onlyStated else { return }
        took("containerTitle", from: site.source)
        record.containerTitle = Snippet.cut(site.name, to: Self.maximumTitleCharacters)
    }

    mutating func takeTypes() {
        var types: [String] = []
        func add(_ item: StructuredItem) {
            for written in item.types.prefix(20) {
                if let type = SchemaOrg.type(written), !types.contains(type), type.utf8.count <= 100 {
                    types.append(type)
                }
            }
        }
        for index in page.main { add(page.items[index]) }
        // An entry without a day may be a page of any kind.
        if asksMicroformats { types.removeAll { $0 == "CreativeWork" } }
        // An article that checks a claim is both.
        if page.mainIs(.article) {
            let checks = page.items.filter { $0.isTopLevel && page.isItem($0, .claimReview) }
            if checks.count == 1 { add(checks[0]) }
        }
        let shared = facts.openGraph?.type.flatMap(Self.type(ofOpenGraph:))
        if let shared, types.isEmpty || !saysWhatItIs(types) {
            record.types = [shared]
            took("types", from: .openGraph)
        } else if !types.isEmpty {
            record.types = types
            took("types", from: .schemaOrg)
        }
    }

    /// Whether the main item is what the page is about, and not the site or the organization that all its pages name.
    private func saysWhatItIs(_ types: [String]) -> Bool {
        if types.allSatisfy({ ["WebSite", "Thing", "Blog"].contains($0) }) { return false }
        guard page.mainRank == ItemKind.Rank.organization, let name = page.mainText("name"), let title = record.title
        else { return true }
        let words = FoldedName.words(of: name)
        return facts.source.url.path.utf8.count <= 1 || words.isSubset(of: FoldedName.words(of: title))
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
}
