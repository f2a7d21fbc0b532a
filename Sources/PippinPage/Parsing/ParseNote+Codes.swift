// The catalogue of notes: every code that a reader of pages or site files may give, by what is read.

extension ParseNote {
    /// What was met, as a stable name in kebab-case (`rawValue`): `banner-separator-missing`.
    ///
    /// A reader of its own kind has a family of its own here. The report card says for each code which check tells of it
    /// (`NoteMapping`); the compiler refuses one that has no place there.
    public enum Code: Sendable, Hashable, Codable, CustomStringConvertible {
        case document(Document)
        case charset(Charset)
        case head(Head)
        case canonical(Canonical)
        case date(DateRemark)
        case banner(Banner)
        case googlePlay(GooglePlay)
        case appLinks(AppLinks)
        case appAlternate(AppAlternate)
        case openGraph(OpenGraph)
        case twitter(Twitter)
        case jsonLD(JSONLD)
        case microdata(Microdata)
        case microformats(Microformats)
        case rdfa(RDFa)
        case manifest(Manifest)
        case deepLink(DeepLink)
        case robotsDirective(RobotsDirective)
        case usage(Usage)
        case robots(Robots)
        case sitemap(Sitemap)
        /// Valid JSON that is odd.
        case json(JSONOddity)
        /// Fixed JSON.
        case jsonRepair(JSONRepair)
        /// JSON-LD that its standard does not allow.
        case jsonLDError(JSONLDErrorCode)
        case association(AssociationRemark)

        public var rawValue: String {
            switch self {
            case .document(let code): code.rawValue
            case .charset(let code): code.rawValue
            case .head(let code): code.rawValue
            case .canonical(let code): code.rawValue
            case .date(let code): code.rawValue
            case .banner(let code): code.rawValue
            case .googlePlay(let code): code.rawValue
            case .appLinks(let code): code.rawValue
            case .appAlternate(let code): code.rawValue
            case .openGraph(let code): code.rawValue
            case .twitter(let code): code.rawValue
            case .jsonLD(let code): code.rawValue
            case .microdata(let code): code.rawValue
            case .microformats(let code): code.rawValue
            case .rdfa(let code): code.rawValue
            case .manifest(let code): code.rawValue
            case .deepLink(let code): code.rawValue
            case .robotsDirective(let code): code.rawValue
            case .usage(let code): code.rawValue
            case .robots(let code): code.rawValue
            case .sitemap(let code): code.rawValue
            case .json(let oddity): oddity.rawValue
            case .jsonRepair(let repair): repair.rawValue
            case .jsonLDError(let error): error.noteCode
            case .association(let remark): remark.rawValue
            }
        }

        public var description: String { rawValue }

    }
}

// MARK: Pages

extension ParseNote.Code {
    /// The page as a whole, while it is parsed.
    public enum Document: String, Sendable, CaseIterable, Codable {
        case baseMalformed = "base-malformed"
        case baseTooLong = "base-too-long"
        case baseWrapped = "base-wrapped"
        case tooDeep = "document-too-deep"
        case linkURLWrapped = "link-url-wrapped"
        case tooLarge = "page-too-large"
        case parserUnavailable = "parser-unavailable"
        case tooManyAttributes = "too-many-attributes"
        case tooManyElements = "too-many-elements"
        case tooManyLinks = "too-many-links"
        case tooManyNames = "too-many-names"
    }

    /// The character encoding.
    public enum Charset: String, Sendable, CaseIterable, Codable {
        case conflict = "charset-conflict"
        case declaredLate = "charset-declared-late"
        case overruled = "charset-overruled"
        case unknown = "charset-unknown"
        case notDecodable = "text-not-decodable"
    }

    /// Title, description, language and what else the head has under well-known names.
    public enum Head: String, Sendable, CaseIterable, Codable {
        case descriptionAttribute = "description-attribute"
        case descriptionEmpty = "description-empty"
        case descriptionRepeated = "description-repeated"
        case languageMalformed = "language-malformed"
        case languageUnderscore = "language-underscore"
        case refreshMalformed = "refresh-malformed"
        case refreshURLWrapped = "refresh-url-wrapped"
        case titleRepeated = "title-repeated"
        case tooManyKeywords = "too-many-keywords"
        case tooManyMeta = "too-many-meta"
    }

    /// The canonical link.
    public enum Canonical: String, Sendable, CaseIterable, Codable {
        case conflict = "canonical-conflict"
        case elsewhere = "canonical-elsewhere"
        case empty = "canonical-empty"
        case inBody = "canonical-in-body"
        case malformed = "canonical-malformed"
        case relative = "canonical-relative"
        case wrapped = "canonical-wrapped"
    }

    /// Days that a page states of itself and that are left out of its record.
    public enum DateRemark: String, Sendable, CaseIterable, Codable {
        case future = "date-future"
        case impossible = "date-impossible"
        case otherCalendar = "date-other-calendar"
    }

    /// The Smart App Banner.
    public enum Banner: String, Sendable, CaseIterable, Codable {
        case affiliateEmpty = "banner-affiliate-empty"
        case appIDBundle = "banner-app-id-bundle"
        case appIDEmpty = "banner-app-id-empty"
        case appIDMalformed = "banner-app-id-malformed"
        case appIDPlaceholder = "banner-app-id-placeholder"
        case appIDPrefix = "banner-app-id-prefix"
        case argumentAttribute = "banner-argument-attribute"
        case argumentBareScheme = "banner-argument-bare-scheme"
        case argumentCut = "banner-argument-cut"
        case argumentEmpty = "banner-argument-empty"
        case argumentMalformed = "banner-argument-malformed"
        case argumentPlaceholder = "banner-argument-placeholder"
        case argumentScheme = "banner-argument-scheme"
        case argumentSpace = "banner-argument-space"
        case attribute = "banner-attribute"
        case clipDisplay = "banner-clip-display"
        case clipMalformed = "banner-clip-malformed"
        case clipOnly = "banner-clip-only"
        case empty = "banner-empty"
        case idAttribute = "banner-id-attribute"
        case inBody = "banner-in-body"
        case keyBroken = "banner-key-broken"
        case keyColon = "banner-key-colon"
        case keyRepeated = "banner-key-repeated"
        case keySpace = "banner-key-space"
        case keySpelling = "banner-key-spelling"
        case keyUnknown = "banner-key-unknown"
        case leadingText = "banner-leading-text"
        case lookalike = "banner-lookalike"
        case nameSpelling = "banner-name-spelling"
        case noKey = "banner-no-key"
        case quotes = "banner-quotes"
        case repeated = "banner-repeated"
        case separatorMissing = "banner-separator-missing"
        case separatorSemicolon = "banner-separator-semicolon"
        case valueAttribute = "banner-value-attribute"
    }

    /// The meta tags that name an app of Google Play.
    public enum GooglePlay: String, Sendable, CaseIterable, Codable {
        case lookalike = "google-play-app-lookalike"
        case malformed = "google-play-app-malformed"
    }

    /// `al:` properties.
    public enum AppLinks: String, Sendable, CaseIterable, Codable {
        case attribute = "app-links-attribute"
        case bareScheme = "app-links-bare-scheme"
        case empty = "app-links-empty"
        case idMalformed = "app-links-id-malformed"
        case idPrefix = "app-links-id-prefix"
        case packageMissing = "app-links-package-missing"
        case placeholder = "app-links-placeholder"
        case uneven = "app-links-uneven"
        case unknown = "app-links-unknown"
        case urlMalformed = "app-links-url-malformed"
        case urlMissing = "app-links-url-missing"
        case urlWrapped = "app-links-url-wrapped"
        case valueAttribute = "app-links-value-attribute"
        case tooMany = "too-many-app-links"
    }

    /// `android-app:` and `ios-app:` addresses.
    public enum AppAlternate: String, Sendable, CaseIterable, Codable {
        case fullURL = "app-alternate-full-url"
        case idPrefix = "app-alternate-id-prefix"
        case malformed = "app-alternate-malformed"
        case rel = "app-alternate-rel"
        case wrapped = "app-alternate-wrapped"
        case tooMany = "too-many-app-alternates"
    }

    /// `og:` properties.
    public enum OpenGraph: String, Sendable, CaseIterable, Codable {
        case attribute = "og-attribute"
        case contentMissing = "og-content-missing"
        case empty = "og-empty"
        case inBody = "og-in-body"
        case nameSpelling = "og-name-spelling"
        case numberMalformed = "og-number-malformed"
        case repeated = "og-repeated"
        case rootMissing = "og-root-missing"
        case urlMalformed = "og-url-malformed"
        case urlRelative = "og-url-relative"
        case urlScheme = "og-url-scheme"
        case urlWrapped = "og-url-wrapped"
        case valueAttribute = "og-value-attribute"
    }

    /// `twitter:` tags.
    public enum Twitter: String, Sendable, CaseIterable, Codable {
        case appBareScheme = "twitter-app-bare-scheme"
        case appIDMalformed = "twitter-app-id-malformed"
        case appIDPrefix = "twitter-app-id-prefix"
        case appOrder = "twitter-app-order"
        case appPlaceholder = "twitter-app-placeholder"
        case appUnknown = "twitter-app-unknown"
        case appURLMalformed = "twitter-app-url-malformed"
        case appURLWrapped = "twitter-app-url-wrapped"
        case attribute = "twitter-attribute"
        case cardRetired = "twitter-card-retired"
        case cardUnknown = "twitter-card-unknown"
        case countryMalformed = "twitter-country-malformed"
        case empty = "twitter-empty"
        case imageMalformed = "twitter-image-malformed"
        case imageRelative = "twitter-image-relative"
        case repeated = "twitter-repeated"
        case unknown = "twitter-unknown"
        case urlWrapped = "twitter-url-wrapped"
        case valueAttribute = "twitter-value-attribute"
    }

    /// JSON-LD scripts, beside what is wrong with their JSON.
    public enum JSONLD: String, Sendable, CaseIterable, Codable {
        case htmlEntities = "json-html-entities"
        case inString = "json-in-string"
        case characterReferences = "json-ld-character-references"
        case contextMissing = "json-ld-context-missing"
        case contextUnknown = "json-ld-context-unknown"
        case empty = "json-ld-empty"
        case invalid = "json-ld-invalid"
        case keywordCase = "json-ld-keyword-case"
        case rejected = "json-ld-rejected"
        case tooLarge = "json-ld-too-large"
        case urlWrapped = "json-ld-url-wrapped"
        case withoutObject = "json-ld-without-object"
        case tooManyItems = "too-many-items"
        case tooManyValues = "too-many-values"
    }

    /// Microdata.
    public enum Microdata: String, Sendable, CaseIterable, Codable {
        case itempropComma = "microdata-itemprop-comma"
        case itemrefMissing = "microdata-itemref-missing"
        case itemscopeMissing = "microdata-itemscope-missing"
        case itemtypeInvalid = "microdata-itemtype-invalid"
        case itemtypeSpelling = "microdata-itemtype-spelling"
        case orphanItem = "microdata-orphan-item"
        case orphanProperty = "microdata-orphan-property"
        case tooLarge = "microdata-too-large"
        case tooManyNames = "microdata-too-many-names"
        case tooManyReferences = "microdata-too-many-references"
        case urlWrapped = "microdata-url-wrapped"
        case textsTooLong = "texts-too-long"
        case tooManyItems = "too-many-items"
        case tooManyValues = "too-many-values"
    }

    /// Microformats.
    public enum Microformats: String, Sendable, CaseIterable, Codable {
        case eventWithoutStart = "microformats-event-without-start"
        case timeUnreadable = "microformats-time-unreadable"
        case tooLarge = "microformats-too-large"
        case tooManyItems = "microformats-too-many-items"
        case textsTooLong = "texts-too-long"
    }

    /// RDFa.
    public enum RDFa: String, Sendable, CaseIterable, Codable {
        case dataVocabulary = "rdfa-data-vocabulary"
        case tooLong = "rdfa-too-long"
        case tooManyNames = "rdfa-too-many-names"
        case tooManyPrefixes = "rdfa-too-many-prefixes"
        case urlWrapped = "rdfa-url-wrapped"
        case vocabMissing = "rdfa-vocab-missing"
        case vocabSpelling = "rdfa-vocab-spelling"
        case textsTooLong = "texts-too-long"
        case tooManyItems = "too-many-items"
        case tooManyValues = "too-many-values"
    }

    /// The web app manifest.
    public enum Manifest: String, Sendable, CaseIterable, Codable {
        case bom = "manifest-bom"
        case invalid = "manifest-invalid"
        case memberMalformed = "manifest-member-malformed"
        case notFetched = "manifest-not-fetched"
        case notJSON = "manifest-not-json"
        case notObject = "manifest-not-object"
        case preferMalformed = "manifest-prefer-malformed"
        case preferText = "manifest-prefer-text"
        case rejected = "manifest-rejected"
        case relatedEmpty = "manifest-related-empty"
        case relatedIDMalformed = "manifest-related-id-malformed"
        case relatedIDNumber = "manifest-related-id-number"
        case relatedMalformed = "manifest-related-malformed"
        case relatedNoPlatform = "manifest-related-no-platform"
        case relatedNotArray = "manifest-related-not-array"
        case startOutsideScope = "manifest-start-outside-scope"
        case tooManyRelated = "manifest-too-many-related"
        case unavailable = "manifest-unavailable"
        case urlMalformed = "manifest-url-malformed"
    }

    /// The deep links that a record joins from all markup.
    public enum DeepLink: String, Sendable, CaseIterable, Codable {
        case actionPlatformMissing = "action-platform-missing"
        case branchPathWithoutScheme = "branch-path-without-scheme"
        case appsDiffer = "deep-link-apps-differ"
        case toStore = "deep-link-to-store"
        case urlsDiffer = "deep-link-urls-differ"
        case dynamicLinkDead = "dynamic-link-dead"
    }

    /// `robots` meta tags and `X-Robots-Tag`.
    public enum RobotsDirective: String, Sendable, CaseIterable, Codable {
        case notesLeftOut = "notes-left-out"
        case commaMissing = "robots-directive-comma-missing"
        case unknown = "robots-directive-unknown"
        case unread = "robots-directive-unread"
        case value = "robots-directive-value"
        case tooLong = "robots-directives-too-long"
    }

    /// What a page and the files of its site say about its use.
    public enum Usage: String, Sendable, CaseIterable, Codable {
        case headerUnreadable = "usage-header-unreadable"
        case reservationInvalid = "tdm-reservation-invalid"
        case reservationFileUnreadable = "tdmrep-unreadable"
        case licenseUnreadable = "rsl-unreadable"
    }
}

// MARK: Files of a site

extension ParseNote.Code {
    /// robots.txt.
    public enum Robots: String, Sendable, CaseIterable, Codable {
        case notesLeftOut = "notes-left-out"
        case agentCut = "robots-agent-cut"
        case agentMissing = "robots-agent-missing"
        case bareSitemap = "robots-bare-sitemap"
        case byteOrderMark = "robots-byte-order-mark"
        case colonMissing = "robots-colon-missing"
        case crawlDelayInvalid = "robots-crawl-delay-invalid"
        case html = "robots-html"
        case keyMisspelled = "robots-key-misspelled"
        case lineTooLong = "robots-line-too-long"
        case licenseInvalid = "robots-license-invalid"
        case lineUnreadable = "robots-line-unreadable"
        case patternNotAPath = "robots-pattern-not-a-path"
        case recordUnknown = "robots-record-unknown"
        case ruleOutsideGroup = "robots-rule-outside-group"
        case severalAgents = "robots-several-agents"
        case sitemapInvalid = "robots-sitemap-invalid"
        case sitemapRelative = "robots-sitemap-relative"
        case tooLong = "robots-too-long"
        case usageUnreadable = "robots-usage-unreadable"
        case utf16 = "robots-utf16"
    }

    /// Sitemaps.
    public enum Sitemap: String, Sendable, CaseIterable, Codable {
        case notesLeftOut = "notes-left-out"
        case ampersandLoose = "sitemap-ampersand-loose"
        case changefreqInvalid = "sitemap-changefreq-invalid"
        case dateInvalid = "sitemap-date-invalid"
        case elementInField = "sitemap-element-in-field"
        case encodingUnknown = "sitemap-encoding-unknown"
        case entityIgnored = "sitemap-entity-ignored"
        case gzipBroken = "sitemap-gzip-broken"
        case jsonBroken = "sitemap-json-broken"
        case leadingSpace = "sitemap-leading-space"
        case leadingText = "sitemap-leading-text"
        case lineUnreadable = "sitemap-line-unreadable"
        case locInvalid = "sitemap-loc-invalid"
        case locMissing = "sitemap-loc-missing"
        case locRelative = "sitemap-loc-relative"
        case locRepeated = "sitemap-loc-repeated"
        case locTooLong = "sitemap-loc-too-long"
        case priorityInvalid = "sitemap-priority-invalid"
        case tooLong = "sitemap-too-long"
        case tooManyAttributes = "sitemap-too-many-attributes"
        case tooManyEntities = "sitemap-too-many-entities"
        case tooManyNames = "sitemap-too-many-names"
        case tooManyNamespaces = "sitemap-too-many-namespaces"
        case tooManyUrls = "sitemap-too-many-urls"
        case unknown = "sitemap-unknown"
        case xmlBroken = "sitemap-xml-broken"
    }
}
