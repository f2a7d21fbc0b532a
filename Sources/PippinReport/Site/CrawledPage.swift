import PippinPage

/// What checks across a whole crawl ask of a page: little enough to be kept of every page until the crawl has ended, when
/// it is known what leads where and what is said twice (`CrawlEvidence`).
public struct CrawledPage: Sendable {
    public enum Answer: Sendable, Hashable {
        /// A page, or an error page.
        case read(status: Int)
        case redirected(to: String)
        /// No answer, or none that is a page; a clause says why.
        case failed(String)
        /// robots.txt does not let it be asked for.
        case closed
    }

    public let url: WebURL
    public let answer: Answer
    /// The address that markup for this page should name.
    public let address: String
    public var isRefused = false
    /// Where the canonical link leads.
    public var canonical: WebURL?
    public var title: String?
    public var description: String?
    /// Of the visible text, where there is enough to tell pages apart.
    public var contentHash: String?
    public var image: String?
    public var appArgument: String?
    /// Whether the banner's argument is the address of this page.
    var argumentIsPage = false
    /// Whether it names no app, and its host's association file none.
    var knowsNoApp = false
    var titlePlace: Finding.Place?
    var descriptionPlace: Finding.Place?
    var imagePlace: Finding.Place?
    var bannerPlace: Finding.Place?

    /// Shorter texts are what is left of pages that scripts write: as good as nothing was read.
    static let minimumComparedBytes = 60

    /// An address that gave no page.
    public init(url: WebURL, answer: Answer) {
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
        knowsNoApp = page.knowsNoApp
        title = page.facts.metadata.title ?? page.record?.title
        description = page.record?.contentDescription
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
            case .failed(let trouble)?: .failed("it cannot be fetched: \(trouble.clause)")
            case .endlessRedirects?: .failed("its redirects do not end")
            case .forbidden?: .closed
            case .rulesUnreachable?:
                .failed(
                    "its robots.txt cannot be fetched" + (site.evidence.robots.value.map { ": \($0.seen)" } ?? ""))
            case nil: .failed(site.evidence.fetch.reason ?? "the page was not fetched")
            }
        self.init(url: site.url, answer: answer)
    }

    var isCanonicalElsewhere: Bool { canonical.map { URLKey($0) != URLKey(url) } ?? false }

    /// Whether an index would have an entry for it: what should be linked and listed.
    var standsForItself: Bool { answer == .read(status: 200) && !isRefused && !isCanonicalElsewhere }
}

/// A page among the other pages of its crawl.
struct CrawlExamination: Sendable {
    let page: CrawledPage
    let crawl: PageEvidence.Observation<CrawlEvidence>
}
