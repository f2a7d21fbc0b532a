import PippinPage

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

extension CrawledPage {
    /// The longest list of language versions that is judged. The longest lists of real pages have about 200 entries.
    static let maximumVersions = 200
    /// The longest list of versions that is kept. Addresses have 80 bytes as a rule.
    private static let maximumVersionBytes = 20_000
    /// Shorter texts are left over from pages that scripts fill. They do not show whether pages are equal.
    static let minimumComparedBytes = 60

    init(_ page: PageExamination) {
        self.init(url: page.url, answer: .read(status: page.facts.source.status), address: page.address)
        isRefused = page.refusal != nil
        canonical = page.facts.metadata.canonical
        knowsNoApp = page.knowsNoApp && page.unseenAssociationFile == nil
        let alternates = page.facts.metadata.languageAlternates
        if alternates.count <= Self.maximumVersions {
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
            argumentIsPage = page.isAddress(argument)
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
                case .redirectLoop, .tooManyRedirects: .failed(failure.reason)
                default: .failed("it cannot be fetched: \(failure.reason)")
                }
            case nil: .failed(site.evidence.fetch.reason ?? "the page was not fetched")
            }
        self.init(url: site.url, answer: answer)
    }
}
