import PippinCrawl
import PippinPage

/// The part of a page that checks across a whole crawl need. It is small enough to be kept for every page until the crawl has
/// ended and the links and repetitions among pages are known (`CrawlEvidence`).
struct CrawledPage: Sendable {
    /// What the address answered.
    enum Answer: Sendable, Hashable {
        /// A page or an error page was read.
        case read(status: Int)
        case redirected(to: String)
        /// There was no answer, or none that is a page. The text is a clause that says why.
        case failed(String)
        /// robots.txt forbids fetching it.
        case closed
    }

    let url: WebURL
    /// What the address answered.
    let answer: Answer
    /// The address that markup for this page should name: the canonical one, if there is any.
    let address: String
    /// Whether the page asks not to be indexed.
    var isRefused = false
    /// The canonical URL that the page names.
    var canonical: WebURL?
    var title: String?
    var description: String?
    /// The keys of the addresses that the page lists as its versions in other languages (`hreflang`); nil if that is not
    /// known, or if there are too many to compare.
    var versions: [String]?
    /// Hash of the visible text; nil if there is too little text to distinguish pages.
    var contentHash: String?
    /// The address of the page's first picture.
    var image: String?
    /// The app-argument of the page's Smart App Banner.
    var appArgument: String?
    /// Whether that argument is the address of this page.
    var argumentIsPage = false
    /// Whether neither the page nor its host's association file, which was seen, names an app.
    var knowsNoApp = false
    var titlePlace: Finding.Place?
    var descriptionPlace: Finding.Place?
    var imagePlace: Finding.Place?
    var bannerPlace: Finding.Place?

    /// The longest list of versions that is kept. Addresses have 80 bytes as a rule.
    private static let maximumVersionBytes = 20_000
    /// Shorter texts are left over from pages that scripts fill. They do not show whether pages are equal.
    static let minimumComparedBytes = 60

    /// An address that gave no page.
    init(url: WebURL, answer: Answer) {
        self.url = url
        self.answer = answer
        address = URLKey(url).string
    }

    init(_ page: PageExamination) {
        url = page.url
        answer = .read(status: page.facts.source.status)
        address = page.address
        isRefused = page.refusal != nil
        canonical = page.facts.metadata.canonical
        knowsNoApp = page.knowsNoApp && page.unseenAssociationFile == nil
        let alternates = page.facts.metadata.languageAlternates
        if alternates.count <= Discoverability.maximumVersions {
            let keys = Set(alternates.map { URLKey($0.url).string }).sorted()
            if keys.reduce(0, { $0 + $1.utf8.count }) <= Self.maximumVersionBytes { versions = keys }
        }
        title = page.facts.metadata.title ?? page.record?.title
        description = page.statedDescription
        if let record = page.record, page.facts.visibleText.bytes.count >= Self.minimumComparedBytes {
            contentHash = record.contentHash
        }
        image = page.record?.images.first?.url
        if let argument = page.facts.smartAppBanner?.appArgumentURL {
            appArgument = argument.href
            argumentIsPage = DeepLinks.isThisPage(argument, page)
        }
        titlePlace = page.place(ofElement: .title)
        descriptionPlace = page.place(ofMeta: "description") ?? page.place(ofMeta: "og:description")
        imagePlace = page.place(ofMeta: "og:image") ?? page.place(ofMeta: "twitter:image")
        bannerPlace = page.bannerPlace
    }

    init(_ site: SiteExamination) {
        let answer: Answer =
            switch site.evidence.fetch.value?.ending {
            case .answered(let status)?: .read(status: status)
            case .failed(let failure)?:
                switch failure.cause {
                case .disallowed: .closed
                case .robotsUnreachable(let rules): .failed("its robots.txt cannot be fetched: \(rules.reason)")
                case .tooManyRedirects: .failed(failure.reason)
                default: .failed("it cannot be fetched: \(failure.reason)")
                }
            case nil: .failed(site.evidence.fetch.reason ?? "the page was not fetched")
            }
        self.init(url: site.url, answer: answer)
    }

    var isCanonicalElsewhere: Bool { canonical.map { URLKey($0) != URLKey(url) } ?? false }

    /// Whether the page belongs in an index, and so should be linked and listed in sitemaps.
    var standsForItself: Bool { answer == .read(status: 200) && !isRefused && !isCanonicalElsewhere }
}

/// The form in which a job stores it.
extension CrawledPage: Codable {
    private enum CodingKeys: String, CodingKey {
        case url = "u"
        /// The status of a page that was read. Otherwise `target` or `failure` is present, or none of the three for a closed
        /// address.
        case status = "a"
        case target = "r"
        case failure = "f"
        case isRefused = "x"
        case canonical = "c"
        case title = "t"
        case description = "d"
        case contentHash = "h"
        case image = "i"
        case appArgument = "g"
        case argumentIsPage = "p"
        case knowsNoApp = "n"
        case versions = "l"
        case places = "w"
    }

    /// Longer texts are stored and compared only up to this length.
    private static let maximumText = 500

    func encode(to encoder: any Encoder) throws {
        var form = encoder.container(keyedBy: CodingKeys.self)
        func put(_ isSet: Bool, _ key: CodingKeys) throws { if isSet { try form.encode(true, forKey: key) } }
        try form.encode(url.href, forKey: .url)
        switch answer {
        case .read(let status): try form.encode(status, forKey: .status)
        case .redirected(let target): try form.encode(target, forKey: .target)
        case .failed(let why): try form.encode(why, forKey: .failure)
        case .closed: break
        }
        try put(isRefused, .isRefused)
        try form.encodeIfPresent(canonical?.href, forKey: .canonical)
        try form.encodeIfPresent(title?.prefix(Self.maximumText).description, forKey: .title)
        try form.encodeIfPresent(description?.prefix(Self.maximumText).description, forKey: .description)
        try form.encodeIfPresent(contentHash, forKey: .contentHash)
        try form.encodeIfPresent(image, forKey: .image)
        try form.encodeIfPresent(appArgument, forKey: .appArgument)
        try put(argumentIsPage, .argumentIsPage)
        try put(knowsNoApp, .knowsNoApp)
        try form.encodeIfPresent(versions, forKey: .versions)
        let places = ["t": titlePlace, "d": descriptionPlace, "i": imagePlace, "b": bannerPlace].compactMapValues { $0 }
        if !places.isEmpty { try form.encode(places, forKey: .places) }
    }

    init(from decoder: any Decoder) throws {
        let form = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try form.decodeIfPresent(String.self, forKey: key) }
        func flag(_ key: CodingKeys) throws -> Bool { try form.decodeIfPresent(Bool.self, forKey: key) ?? false }
        guard let url = WebURL(try form.decode(String.self, forKey: .url)) else { throw ReportEntry.FormError() }
        let answer: Answer
        if let status = try form.decodeIfPresent(Int.self, forKey: .status) {
            answer = .read(status: status)
        } else if let target = try text(.target) {
            answer = .redirected(to: target)
        } else if let failure = try text(.failure) {
            answer = .failed(failure)
        } else {
            answer = .closed
        }
        self.init(url: url, answer: answer)
        isRefused = try flag(.isRefused)
        canonical = try text(.canonical).flatMap { WebURL($0) }
        title = try text(.title)
        description = try text(.description)
        contentHash = try text(.contentHash)
        image = try text(.image)
        appArgument = try text(.appArgument)
        argumentIsPage = try flag(.argumentIsPage)
        knowsNoApp = try flag(.knowsNoApp)
        versions = try form.decodeIfPresent([String].self, forKey: .versions)
        let places = try form.decodeIfPresent([String: Finding.Place].self, forKey: .places) ?? [:]
        titlePlace = places["t"]
        descriptionPlace = places["d"]
        imagePlace = places["i"]
        bannerPlace = places["b"]
    }
}

/// A page, together with the evidence of its crawl.
struct CrawlExamination: Sendable {
    let page: CrawledPage
    let crawl: PageEvidence.Observation<CrawlEvidence>
    /// What sitemaps say of the page: those of the crawl, or those that were read for the page alone.
    let sitemap: PageEvidence.Observation<SitemapEvidence>

    init(
        page: CrawledPage, crawl: PageEvidence.Observation<CrawlEvidence>,
        sitemap: PageEvidence.Observation<SitemapEvidence> = .missing(because: "sitemaps were not looked at")
    ) {
        self.page = page
        self.crawl = crawl
        switch (crawl, sitemap) {
        case (.made(let crawl), _):
            self.sitemap = .made(
                SitemapEvidence(
                    isListed: crawl.isInSitemap, wrongDate: crawl.sitemapDate, isComplete: crawl.isComplete))
        case (_, .made): self.sitemap = sitemap
        case (.missing(let reason), .missing): self.sitemap = .missing(because: reason)
        }
    }
}
