import Foundation

/// Concludes from what a page claims: which source wins for each field, and whether there is a record at all.
///
/// Sources in order of precedence (`Docs/Record.md` has the reasons):
///
/// | field | sources |
/// | --- | --- |
/// | uniqueIdentifier | canonical link of the same site, the page's URL without fragment and tracking |
/// | title | `PageTitle`: h1, schema.org headline or name, og:title, twitter:title, `<title>` |
/// | contentDescription | `Description`: meta description, og:description, schema.org description, twitter:description, the main text |
/// | snippet | contentDescription, the main text |
/// | keywords | schema.org keywords, meta keywords, article:tag |
/// | languages | `PageLanguages`: html lang, meta or header Content-Language; schema.org inLanguage; the text where it contradicts |
/// | containerTitle | `SiteNames`: og:site_name, schema.org WebSite name, application-name, publisher, masthead, `<title>`, host |
/// | types | schema.org types of the main item, og:type |
/// | alternateNames, artists, openingHours, partOf, episode | schema.org main item; Open Graph's business:hours; citation_journal_title for partOf |
/// | categories, brand, contentRating, isAccessibleForFree, duration | schema.org main item, Open Graph; meta rating |
/// | identifiers | schema.org sku, mpn, gtin, isbn, productID, identifier; Open Graph's product: and book:; citation_doi and its like |
/// | event | schema.org Event, event:start_time |
/// | thumbnailURL, images | og:image, schema.org image, twitter:image, link rel=image_src, `PagePicture`; a logo last |
/// | iconURL | apple-touch-icon, web manifest, link rel=icon |
/// | audio, video | og:audio and og:video, schema.org AudioObject and VideoObject, twitter:player:stream, media elements |
/// | deepLinks | a store's address, banner, twitter:app, al:, alternates of page and sitemap, schema.org actions and applications, app metas, web manifest, intent links, links with the app's scheme, store links |
/// | rating, offers, priceRange, interactions, organization, recipe | schema.org; product:price for offers; `VisibleProduct` for offers, brand and identifiers, where nothing states them |
/// | actions | schema.org, then Open Graph's contact and place properties, a lone `tel:` link |
/// | authors | schema.org author and creator, meta elements, microformats, the byline; an organization last |
/// | publishedAt | schema.org datePublished, meta elements, microformats, the page's address, `time` elements and dates near the headline |
/// | modifiedAt | schema.org dateModified, meta elements, microformats, what the page shows, Last-Modified |
/// | expiresAt | schema.org expires, article:expiration_time, unavailable_after |
///
/// Microformats come behind schema.org and Open Graph in title, description, keywords, types, pictures, rating, offers, organization,
/// recipe, event, brand, identifiers and actions; Dublin Core behind them in title, description and keywords.
///
/// What sitemaps and feeds say (`SitemapFacts`) comes last: title, keywords, languages, containerTitle, authors, publishedAt,
/// modifiedAt, images, video.
public struct RecordBuilder {
    let facts: PageFacts
    let seeds: [String]
    let apps: [AppIdentity]
    let sitemap: SitemapFacts
    /// What files of the site say about the use of the page.
    let site: SiteUsage
    let now: Date
    /// Whether what can only be guessed (`DeepLinkRecord.Provenance.confidence`) is left out.
    let onlyStated: Bool
    /// What structured data says; while microformats are asked, what they say.
    private(set) var page: StructuredPage
    /// Whether `page` is that of microformats.
    private(set) var asksMicroformats = false
    let mainText: MainText
    let headings: [PageHeading]
    let siteNames: SiteNames
    var record: DeepLinkRecord
    var notes: [ParseNote] = []
    /// What the page says of its apps; `RecordDraft` adds the web manifest and the page's links.
    var deepLinks = DeepLinkMerge()
    /// Claims that need a second witness, but for those of `linksToApp`.
    var needingWitness: [DeepLinkMerge.Claim] = []
    /// Of links that lead back to the page, in an app.
    var linksBack: [DeepLinkMerge.Claim] = []
    /// Links with custom schemes that may open the page's app.
    var linksToApp = PageLinks()
    /// Where the source of the icon belongs in the provenance.
    var iconPlace = 0
    /// Whether the page links to an icon for home screens, which comes before the manifest's.
    var hasTouchIcon = false
    /// Where notes on the deep links belong.
    var notesBeforeDeepLinks = 0

    /// What is known beforehand of an app that a page may name: it ties a store's identifier to a bundle identifier.
    public struct AppIdentity: Sendable, Hashable {
        public var storeIdentifier: String?
        public var bundleIdentifier: String?
        public var packageName: String?

        public init(storeIdentifier: String? = nil, bundleIdentifier: String? = nil, packageName: String? = nil) {
            self.storeIdentifier = storeIdentifier
            self.bundleIdentifier = bundleIdentifier
            self.packageName = packageName
        }
    }

    /// Why a page has no record.
    public enum Refusal: String, Error, Sendable, CaseIterable {
        case noindex
        /// `unavailable_after` names a moment that has passed.
        case unavailableAfter = "unavailable-after"
    }

    public enum Conclusion: Sendable {
        case record(DeepLinkRecord, notes: [ParseNote])
        case refused(Refusal)

        public var record: DeepLinkRecord? {
            if case .record(let record, _) = self { record } else { nil }
        }

        public var refusal: Refusal? {
            if case .refused(let refusal) = self { refusal } else { nil }
        }
    }

    /// The record of a page, or why it has none.
    ///
    /// - Parameters:
    ///   - identity: what the record is filed under, where the crawl knows better than the page.
    ///   - seeds: the seeds that led to the page.
    ///   - apps: what the seeds say of their apps.
    ///   - manifest: the web manifest the page links to, where it was fetched.
    ///   - sitemap: what sitemaps say of the page; it counts where the page says nothing itself.
    ///   - site: what files of the site say about the use of the page.
    ///   - fields: the operator's fields.
    ///   - onlyStated: whether what can only be guessed is left out.
    ///   - now: decides whether `unavailable_after` has passed, and which dates have not come yet.
    public static func conclusion(
        from facts: PageFacts, identity: WebURL? = nil, seeds: [String] = [], apps: [AppIdentity] = [],
        manifest: WebAppManifest? = nil, sitemap: SitemapFacts = SitemapFacts(), site: SiteUsage = SiteUsage(),
        fields: [CustomField] = [], onlyStated: Bool = false, now: Date
    ) -> Conclusion {
        if let refusal = facts.directives.refusal(at: now) { return .refused(refusal) }
        let (record, notes) = draft(
            from: facts, identity: identity, seeds: seeds, apps: apps, sitemap: sitemap, site: site, fields: fields,
            onlyStated: onlyStated, now: now
        ).record(manifest: manifest)
        return .record(record, notes: notes)
    }

    /// All of the record but what the web manifest has a say in: the page is not needed any more. Whether the page may have a
    /// record is not asked (`RobotsDirectives.refusal`).
    ///
    /// - Parameters:
    ///   - site: what files of the site say about the use of the page.
    ///   - keepsText: whether the record keeps the page's main text, for a search index.
    ///   - maximumTextBytes: of the record's `text`; nil for none.
    ///   - fields: the operator's fields.
    public static func draft(
        from facts: PageFacts, identity: WebURL? = nil, seeds: [String] = [], apps: [AppIdentity] = [],
        sitemap: SitemapFacts = SitemapFacts(), site: SiteUsage = SiteUsage(), keepsText: Bool = false,
        maximumTextBytes: Int? = nil, fields: [CustomField] = [], onlyStated: Bool = false, now: Date
    ) -> RecordDraft {
        var builder = RecordBuilder(
            facts, identity: identity, seeds: seeds, apps: apps, sitemap: sitemap, site: site, onlyStated: onlyStated,
            now: now)
        builder.build()
        for reading in FieldReading.all(of: fields, in: facts, record: builder.record) {
            if let value = reading.value { builder.record.custom[reading.field.name] = value }
        }
        if let maximumTextBytes { builder.takeText(maximumBytes: maximumTextBytes) }
        if keepsText {
            // How much of it a result shows, no limit that the page sets bounds: then it shows none.
            let mayBeQuoted = !facts.directives.nosnippet && facts.directives.maxSnippet == nil
            builder.record.mainText = builder.mainText
                .searched(maximumBytes: maximumKeptTextBytes, mayBeQuoted: mayBeQuoted)
        }
        return RecordDraft(builder)
    }

    init(
        _ facts: PageFacts, identity: WebURL?, seeds: [String], apps: [AppIdentity],
        sitemap: SitemapFacts, site: SiteUsage = SiteUsage(), onlyStated: Bool = false, now: Date
    ) {
        self.facts = facts
        self.onlyStated = onlyStated
        self.seeds = seeds
        self.apps = apps
        self.sitemap = sitemap
        self.site = site
        self.now = now
        let own = facts.source.url.removingFragment()
        var source: DeepLinkRecord.Source?
        var foreign: WebURL?
        var identifier = identity?.removingFragment()
        if identifier == nil {
            if let canonical = facts.ownCanonical {
                identifier = canonical
                source = .canonicalLink
            } else {
                foreign = facts.metadata.canonical?.removingFragment()
            }
        }
        let name = identifier?.href ?? URLKey(own).string
        page = facts.structuredPage
        notes = page.notes
        mainText = facts.mainText
        headings = PageHeading.all(of: facts)
        siteNames = SiteNames(facts, page, headings: headings)
        record = DeepLinkRecord(
            uniqueIdentifier: name, domainIdentifier: own.host ?? "", url: facts.source.url.href,
            fetchedAt: facts.source.fetchedAt, contentHash: mainText.contentHash)
        record.simHash = mainText.simHash
        record.seeds = seeds.sorted()
        if identity == nil { took("uniqueIdentifier", from: source ?? .pageURL) }
        if let foreign {
            notes.append(
                ParseNote(
                    .canonical(.elsewhere),
                    "The canonical link names another site, \(foreign.href.prefix(200)); the record keeps the page's own URL."
                ))
        }
    }

    /// The parts of a record, in the order in which they build on each other.
    private static let parts: [@Sendable (inout RecordBuilder) -> Void] = [
        { $0.takeTitle() },
        { $0.takeDescription() },
        { $0.takeKeywords() },
        { $0.takeLanguages() },
        { $0.takeLanguageAlternates() },
        { $0.takeContainerTitle() },
        { $0.takeBreadcrumbs() },
        { $0.takeOrAskMicroformats { $0.takeTypes() } },
        { $0.takeAlternateNames() },
        { $0.takeCategories() },
        { $0.takeSameAs() },
        { $0.takeWordCount() },
        { $0.takeAuthorsAndDates() },
        { $0.takeArtists() },
        { $0.takeImages() },
        { $0.takeIcon() },
        { $0.takeFeeds() },
        { $0.takeAudioAndVideo() },
        { $0.takeDuration() },
        { $0.takeDeepLinks() },
        { $0.takeOrAskMicroformats { $0.takeRating() } },
        { $0.takeOrAskMicroformats { $0.takeOffers() } },
        { $0.takeVariants() },
        { $0.takePriceRange() },
        { $0.takeInteractions() },
        { $0.takeOrAskMicroformats { $0.takeOrganization() } },
        { $0.takeOrAskMicroformats { $0.takeRecipe() } },
        { $0.takeOrAskMicroformats { $0.takeEvent() } },
        { $0.takeOpeningHours() },
        { $0.takePartOf() },
        { $0.takeParts() },
        { $0.takeEpisode() },
        { $0.takeOrAskMicroformats { $0.takeBrand() } },
        { $0.takeOrAskMicroformats { $0.takeIdentifiers() } },
        { $0.takeVisibleProduct() },
        { $0.takeAudience() },
        { $0.takeLicense() },
        { $0.takeUsage() },
        { $0.takeActions() },
        { $0.takeScores() },
    ]

    /// An interrupted record ends after the part that it has begun. Nobody uses it.
    private mutating func build() {
        for part in Self.parts where !facts.limits.isInterrupted { part(&self) }
    }

    /// What the page states comes first. What it shows is read only of what it does not state.
    private mutating func takeAuthorsAndDates() {
        let authors = statedAuthors()
        let dates = statedDates()
        // What stands beside the headline of a list or a profile is of its entries.
        let types = page.main.flatMap { page.items[$0].types.compactMap(SchemaOrg.type) }
        let isProfile =
            types.contains { $0 == "ProfilePage" || $0 == "SearchResultsPage" }
            || facts.openGraph?.type?.asciiLowercased == "profile"
        let isList = isProfile || types.contains("CollectionPage")
        let now = now
        let byline = Byline(
            facts.document, visible: facts.mainText.visible, names: facts.names,
            titles: [facts.openGraph?.title, facts.metadata.title].compactMap(\.self),
            readsWriters: authors.people.isEmpty && !onlyStated && !isList,
            readsDays: dates.published == nil && !isProfile, dayStyle: dayStyle,
            weights: facts.weights.byline, limits: facts.limits
        ) { $0.date >= SchemaOrg.firstWebPage && !$0.isFuture(at: now) }
        take(authors, or: byline)
        take(dates, or: byline)
    }

    // MARK: Microformats

    /// The same builder with what microformats say in place of what other structured data says; nil for a page without any.
    var asMicroformats: RecordBuilder? {
        guard !facts.microformats.isEmpty else { return nil }
        var other = self
        other.page = facts.microformatsPage
        other.asksMicroformats = true
        return other
    }

    /// Where what `page` says is from.
    var structuredSource: DeepLinkRecord.Source { asksMicroformats ? .microformats : .schemaOrg }

    /// Takes a part of the record; where no source has it, from microformats.
    private mutating func takeOrAskMicroformats(_ take: (inout RecordBuilder) -> Void) {
        let count = record.provenance.count
        take(&self)
        guard record.provenance.count == count, !facts.microformats.isEmpty else { return }
        let own = page
        (page, asksMicroformats) = (facts.microformatsPage, true)
        take(&self)
        (page, asksMicroformats) = (own, false)
    }

    // MARK: Choosing

    mutating func took(_ field: String, from source: DeepLinkRecord.Source) {
        let source = source == .schemaOrg ? structuredSource : source
        record.provenance.append(DeepLinkRecord.Provenance(field: field, source: source))
    }

    /// The first candidate that says something; its source is written down.
    mutating func first<Value>(
        _ field: String, _ candidates: [(DeepLinkRecord.Source, () -> Value?)]
    ) -> Value? {
        for (source, candidate) in candidates {
            if let value = candidate() {
                took(field, from: source)
                return value
            }
        }
        return nil
    }

    /// An http or https address, resolved against the page's base; nil for all others, and for those nobody can use.
    func webAddress(_ text: String) -> String? {
        guard text.utf8.count <= WrittenAddress.maximumBytes, let url = WebURL(written: text, base: facts.baseURL),
            url.isHTTP, url.host != nil
        else { return nil }
        return url.href
    }

    /// A page's words stand in its beginning; the middle one of our 529 real pages has 4,000 bytes of main text.
    static let maximumKeptTextBytes = 16_000
}

extension RobotsDirectives {
    /// Why the reader must not index the page; nil if it may.
    public func refusal(at now: Date) -> RecordBuilder.Refusal? {
        if noindex { return .noindex }
        guard let unavailableAfter, unavailableAfter <= now else { return nil }
        return .unavailableAfter
    }
}

// MARK: Scores

// How much the page says in structured form, and how much others say of it.

extension RecordBuilder {
    mutating func takeScores() {
        record.popularity = popularity()
        let hidden = facts.hiddenText
        if hidden.isTelling { record.hiddenWords = hidden.words }
    }

    /// Of ten things that an index wants to be told in structured form, how many the page tells: title, description,
    /// picture, something about the picture, a deep link to this page, a typed main item, a detail of its kind, an
    /// action, the language, a date.
    /// Here all of them but the deep link, which the draft adds.
    func structuredThings() -> Int {
        let openGraph = facts.openGraph
        let hasDate =
            page.mainText("datePublished") != nil || page.mainText("dateModified") != nil
            || page.mainText("startDate") != nil || openGraph?["article:published_time"] != nil
            || openGraph?["article:modified_time"] != nil
        let statesOffer = record.provenance.contains { $0.field == "offers" && $0.source != .visibleText }
        let hasDetail =
            record.rating != nil || statesOffer || record.recipe != nil || !record.interactions.isEmpty
            || record.organization?.address != nil || record.priceRange != nil || record.event != nil
            || record.duration != nil || !record.openingHours.isEmpty
        let told = [
            openGraph?.title != nil || page.mainText("name") != nil || page.mainText("headline") != nil,
            openGraph?.description != nil || page.mainText("description") != nil,
            !record.images.isEmpty,
            record.images.contains { $0.width != nil || $0.alt != nil },
            page.mainRank < 20,
            hasDetail,
            !record.actions.isEmpty,
            !record.languages.isEmpty,
            hasDate,
        ]
        return told.count { $0 }
    }

    /// `0.6 · attention + 0.4 · esteem`, or attention alone where nobody rated.
    ///
    /// Attention is log10(1 + ratings and interactions) / 6, at most 1: a million is as many as ten million. Esteem is the
    /// normalized rating with ten votes of 0.5 added, so that one enthusiast moves little. Both are the page's own
    /// claims, so an index should weigh them with what it knows from elsewhere.
    private func popularity() -> Double? {
        let votes = max(record.rating?.count ?? 0, record.rating?.reviewCount ?? 0)
        guard record.rating != nil || !record.interactions.isEmpty else { return nil }
        // Counts are below 10^15 and few, so that the sum stays far from overflow.
        let total = record.interactions.reduce(Double(votes)) { $0 + Double($1.count) }
        let attention = min(1, log10(1 + total) / 6)
        var popularity = attention
        if let rating = record.rating {
            let esteem = (rating.normalized * Double(votes) + 0.5 * 10) / (Double(votes) + 10)
            popularity = 0.6 * attention + 0.4 * esteem
        }
        return (min(max(popularity, 0), 1) * 10_000).rounded() / 10_000
    }
}
