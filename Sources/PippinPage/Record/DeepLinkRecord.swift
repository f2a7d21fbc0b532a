import Foundation

/// What Pippin concluded from a page: the document a search index takes in, filed under the page's canonical URL.
///
/// Fields are named after Core Spotlight's attributes where one exists. Absent means unknown. `Docs/Record.md` has every
/// field with its sources in order of precedence; `Docs/record.schema.json` the form of the JSON.
public struct DeepLinkRecord: Sendable, Hashable {
    /// Grows when a reader of older records would misunderstand a newer one.
    public static let schemaVersion = 2

    /// Canonical URL of the page, without fragment.
    public var uniqueIdentifier: String
    /// Host of the page.
    public var domainIdentifier: String
    /// Where the page was found in the end, after redirects.
    public var url: String
    /// Seeds that led here, sorted.
    public var seeds: [String] = []

    public var title: String?
    public var contentDescription: String?
    /// What is shown under the title in a list of results.
    public var snippet: String?
    /// The page's text in markdown; nil if it is not wanted.
    public var text: String?
    public var keywords: [String] = []
    /// BCP 47 tags; the first is the page's own.
    public var languages: [String] = []
    /// The same page in other languages, and for other countries.
    public var languageAlternates: [LanguageAlternate] = []
    /// Name of the site.
    public var containerTitle: String?
    /// The path from the home page to the page.
    public var breadcrumbs: [Breadcrumb] = []
    /// schema.org types of what the page is about, by their bare names.
    public var types: [String] = []
    /// Other names of the main item.
    public var alternateNames: [String] = []
    /// Genres, sections, cuisines, as written.
    public var categories: [String] = []
    /// Addresses of other pages about the main item, which say without doubt what it is: of Wikipedia, of a profile.
    public var sameAs: [String] = []
    /// Words of the main text.
    public var wordCount: Int?

    /// Who wrote it.
    public var authors: [Author] = []
    /// Who performs it: musicians of a song, performers of an event.
    public var artists: [Author] = []
    /// ISO 8601, as exact as its source: `2026-11-20`, `2026-11-20T20:00:00+01:00`. Likewise `modifiedAt`, `expiresAt`.
    public var publishedAt: String?
    public var modifiedAt: String?
    public var expiresAt: String?

    public var thumbnailURL: String?
    /// The site's icon, as large as there is one.
    public var iconURL: String?
    /// RSS, Atom and JSON feeds that the page links to.
    public var feeds: [Feed] = []
    public var images: [Image] = []
    public var audio: [Media] = []
    public var video: [Media] = []
    /// How long it plays, in seconds.
    public var duration: Int?

    /// One a platform and app.
    public var deepLinks: [DeepLink] = []

    public var rating: SchemaOrg.Rating?
    public var offers: [Offer] = []
    /// What a product is sold as: its sizes and colors.
    public var variants: [Variant] = []
    /// As written: `$$`, `10–25 €`.
    public var priceRange: String?
    public var interactions: [Interaction] = []
    public var organization: Organization?
    public var recipe: Recipe?
    public var event: Event?
    /// A usual week, in schema.org's form: `Mo-Fr 09:00-17:00`; as written where that cannot be read.
    public var openingHours: [String] = []
    /// The series, album, channel or periodical that it is in.
    public var partOf: Work?
    /// Its episodes, seasons, songs, chapters, lessons.
    public var parts: [Work] = []
    public var episode: Episode?
    /// Name of the brand.
    public var brand: String?
    public var identifiers = Identifiers()
    /// As written: `PG-13`, `FSK 12`, `adult`.
    public var contentRating: String?
    /// False for what needs a subscription.
    public var isAccessibleForFree: Bool?
    /// The address of the licence of the page's content, or its name.
    public var license: String?
    /// What the page may be used for, and who says so.
    public var usage = PageUsage()
    public var actions: [Action] = []

    /// The operator's fields, by name (`CustomField`).
    public var custom = JSONObject()

    /// How many words styles hide from people; nil where it is a few or none (`HiddenText`).
    public var hiddenWords: Int?

    /// Which source each field was taken from, in the order of fields.
    public var provenance: [Provenance] = []
    /// How much others say of the page, 0…1; nil where the page carries no rating and no interactions.
    var popularity: Double?
    /// How much of what an index wants the page says in structured form, 0…1.
    var structuredDataScore = 0.0

    public var fetchedAt: Date
    /// 64-bit FNV-1a of the main text, 16 hexadecimal digits; nil for a page without text.
    public var contentHash: String?
    /// `SimHash` of the main text, for finding pages that are nearly the same; not part of the JSON. Nil for short texts.
    public var simHash: UInt64?
    /// The beginning of the main text, for a search index; not part of the JSON. Nil if it is not wanted.
    public var mainText: SearchedText?

    public init(uniqueIdentifier: String, domainIdentifier: String, url: String, fetchedAt: Date, contentHash: String?)
    {
        self.uniqueIdentifier = uniqueIdentifier
        self.domainIdentifier = domainIdentifier
        self.url = url
        self.fetchedAt = fetchedAt
        self.contentHash = contentHash
    }

    /// Removes all text that a model could answer from; the title stays.
    public mutating func removeText() {
        (contentDescription, snippet, text, mainText) = (nil, nil, nil, nil)
        let fields: Set = ["contentDescription", "snippet", "text"]
        provenance.removeAll { fields.contains($0.field) }
    }

    /// Whether some app, not only the web, opens this very page.
    public var opensInApp: Bool { deepLinks.contains(where: \.opensInApp) }

    // MARK: Where values came from

    /// Where a field's value came from.
    public struct Provenance: Sendable, Hashable {
        public var field: String
        public var source: Source

        public init(field: String, source: Source) {
            self.field = field
            self.source = source
        }
    }

    /// How often guesses of one kind were right; `confidence` of the JSON.
    public struct Confidence: Sendable, Hashable {
        public var field: String
        public var value: Double
    }

    /// The fields whose value was guessed, in the order of fields, with how often such guesses are right.
    public var confidence: [Confidence] {
        provenance.compactMap { entry in
            entry.confidence.map { Confidence(field: entry.field, value: $0) }
        }
    }

    public enum Source: String, Sendable, CaseIterable {
        case htmlTitle = "html-title"
        case heading
        case metaDescription = "meta-description"
        case metaKeywords = "meta-keywords"
        case htmlLanguage = "html-language"
        case applicationName = "application-name"
        case imageSource = "image-src"
        case mainText = "main-text"
        case httpHeader = "http-header"
        case mediaElement = "media-element"
        /// `<link rel=apple-touch-icon>`, `<link rel=icon>`.
        case iconLink = "icon-link"
        case webManifest = "web-manifest"
        case canonicalLink = "canonical-link"
        /// `<link rel=alternate>`, and the header's.
        case alternateLink = "alternate-link"
        /// `<link rel=license>`, `<a rel=license>`.
        case licenseLink = "license-link"
        case pageURL = "page-url"
        case openGraph = "open-graph"
        case schemaOrg = "schema-org"
        case microformats
        case dublinCore = "dublin-core"
        case twitterCard = "twitter-card"
        /// Another `meta` element: `date`, `author`.
        case metaTag = "meta-tag"
        case robotsDirective = "robots-directive"
        /// The image, video or news extension of a sitemap.
        case sitemap
        /// The entry of a feed (RSS, Atom, JSON Feed).
        case feed
        /// A day that an attribute beside visible text states: `<time datetime>`.
        case timeElement = "time-element"
        /// Read in what the page shows; all others are stated.
        case visibleText = "visible-text"
        /// The page was rendered: its scripts have made what the record says.
        case scripts
        /// Computed from the links among the pages of a job.
        case linkGraph = "link-graph"
    }
}

extension DeepLinkRecord.Provenance {
    /// How often a guess of this field from this source is right, 0…1; nil for what a page states.
    ///
    /// Measured by `Scripts/guess-precision.py` on pages that state the value: with the markup that states it taken away, how often the
    /// guess was the same (`Docs/Record.md`, "Guesses").
    public var confidence: Double? { Self.guesses[field]?[source] }

    private static let guesses: [String: [DeepLinkRecord.Source: Double]] = [
        "authors": [.visibleText: 0.77],
        "publishedAt": [.visibleText: 0.88, .pageURL: 0.95],
        "modifiedAt": [.visibleText: 0.74],
        "offers": [.visibleText: 0.79],
        "availability": [.visibleText: 0.95],
        "brand": [.visibleText: 0.89],
        "identifiers": [.visibleText: 0.91, .pageURL: 0.75],
        "breadcrumbs": [.visibleText: 0.88],
        "containerTitle": [.pageURL: 0.2],
        "languages": [.mainText: 0.94],
    ]
}

extension DeepLinkRecord {
    /// Whether it leads into an app, and not only back to the web.
    public var leadsIntoApp: Bool { deepLinks.contains(where: \.leadsIntoApp) }
}

extension DeepLinkRecord.DeepLink {
    /// Whether it leads from its page into an app.
    ///
    /// That asset links vouch for an app on the whole host says nothing of one page: only the app's manifest knows which
    /// pages it opens. A link into a store opens the store.
    public var leadsIntoApp: Bool {
        guard platform != .web else { return false }
        if sources == [.association] { return verification.pattern != nil }
        return url != nil || !sources.allSatisfy(Self.linkSources.contains)
    }

    /// Whether the app opens this very page. Record, report, search and their pages all ask here.
    public var opensInApp: Bool { leadsIntoApp && url != nil }

    /// Of links that name an app, and open it only if they have an address for it.
    private static let linkSources: Set<AppClaim.Source> = [.intentLink, .script, .storeLink]

    /// What `opensInApp` says of a deep link in the JSON of a record.
    public static func opensInApp(json: JSONValue) -> Bool {
        guard let platform = json["platform"]?.string.flatMap(Platform.init), json["url"]?.string != nil else {
            return false
        }
        var link = DeepLinkRecord.DeepLink(
            platform: platform,
            sources: (json["sources"]?.array ?? []).compactMap { $0.string.flatMap(AppClaim.Source.init) })
        link.url = json["url"]?.string
        link.verification.pattern = json["verification"]?["pattern"]?.string
        return link.opensInApp
    }
}

/// Says that a page went away, so that an index drops its record.
public struct RecordDeletion: Sendable, Hashable {
    public var uniqueIdentifier: String
    /// Stable reason code: `gone`, `noindex`, `unavailable-after`, `canonical-moved`.
    public var reason: String
    public var at: Date

    public init(uniqueIdentifier: String, reason: String, at: Date) {
        self.uniqueIdentifier = uniqueIdentifier
        self.reason = reason
        self.at = at
    }
}
