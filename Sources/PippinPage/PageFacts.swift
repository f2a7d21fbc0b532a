import Synchronization

/// What one page claims, in every syntax Pippin reads: bytes in, facts out. Start reading here.
///
/// Reading never fails: a page that is not what it should be gives fewer facts and more notes. `RecordBuilder` concludes from
/// the facts; the report card judges them.
public struct PageFacts: Sendable {
    public let source: PageSource
    public let document: HTMLDocument
    public let encoding: CharacterEncoding
    /// What relative URLs of the page start from.
    public let baseURL: WebURL

    /// Every `meta` element that names something, in page order.
    public let metaTags: MetaTags
    public let metadata: HTMLMetadata
    public let smartAppBanner: SmartAppBanner?
    public let twitterCard: TwitterCard?
    public let appLinks: AppLinks?
    public let appAlternates: AppAlternates
    public let openGraph: OpenGraph?
    public let jsonLD: JSONLD
    public let microdata: Microdata
    public let rdfa: RDFa
    /// Items of all syntaxes, in one list.
    public let structuredData: StructuredData
    public let outlinks: Outlinks
    /// What the page allows an index to do with it.
    public let directives: RobotsDirectives

    /// Every leniency used and every limit that bit, in the order of reading.
    public let notes: [ParseNote]

    // Computed when they are first asked for, and kept for the record and all checks.
    private let keptText = Kept<VisibleText>()
    private let keptStructure = Kept<StructuredPage>()
    private let keptClaims = Kept<(claims: [AppClaim], notes: [ParseNote])>()

    /// What people see of the page.
    public var visibleText: VisibleText { keptText.value { VisibleText(document) } }

    /// The structured data as one page: joined, with what the page is about.
    public var structuredPage: StructuredPage { keptStructure.value { structuredPage(of: structuredData) } }

    /// Everything the page says of apps, by source in order of precedence; a source's claims in page order.
    public var appClaims: [AppClaim] { gatheredClaims.claims }

    /// What is wrong with markup that wants to name an app and gives no claim.
    var appClaimNotes: [ParseNote] { gatheredClaims.notes }

    private var gatheredClaims: (claims: [AppClaim], notes: [ParseNote]) {
        keptClaims.value {
            var notes: [ParseNote] = []
            var claims = smartAppBanner?.appClaims ?? []
            claims += twitterCard?.appClaims ?? []
            claims += appLinks?.appClaims ?? []
            claims += appAlternates.alternates.map { $0.appClaim() }
            claims += structuredPage.appClaims()
            claims += metadata.appClaims(notes: &notes)
            claims += outlinks.appClaims(notes: &notes)
            return (claims, notes)
        }
    }

    /// Some of the page's structured data, read as if it were all.
    public func structuredPage(of data: StructuredData) -> StructuredPage {
        let own = source.url.removingFragment()
        let addresses = [ownCanonical?.href, URLKey(own).string, own.href].compactMap(\.self)
        return StructuredPage(data, addresses: addresses, title: metadata.title ?? openGraph?.title)
    }

    /// The canonical link, without fragment, where it names an address of the page's own site.
    ///
    /// Another site's address is its to claim: a record filed under it would take the place of the true one.
    var ownCanonical: WebURL? {
        guard let canonical = metadata.canonical?.removingFragment(), canonical.isHTTP,
            SiteIdentity.isSameSite(canonical.host, source.url.host)
        else { return nil }
        return canonical
    }

    /// What microdata, RDFa and JSON-LD of the page state, as one dataset.
    public var dataset: RDFDataset {
        var dataset = microdata.dataset
        dataset.merge(rdfa.dataset)
        dataset.merge(jsonLD.dataset)
        return dataset
    }

    /// - Parameter agents: names whose page-level directives bind us, beside `robots`.
    public init(
        _ source: PageSource, limits: ReadingLimits = .standard, agents: [String] = ["Pippin", "Applebot"]
    ) {
        let page = DecodedDocument(bytes: source.bytes, headers: source.headers, limits: limits)
        // Of a page that nobody waits for any more nothing need be known.
        let document = limits.isInterrupted ? HTMLDocument() : page.document
        var baseNotes: [ParseNote] = []
        let baseURL = document.baseURL(pageURL: source.url, limits: limits, notes: &baseNotes)
        let meta = MetaTags(document)
        let links = LinkTags(document, headers: source.headers, pageURL: source.url, baseURL: baseURL)

        let metadata = HTMLMetadata(
            document, meta: meta, links: links, headers: source.headers, pageURL: source.url, baseURL: baseURL)
        let smartAppBanner = SmartAppBanner(document, meta: meta)
        let twitterCard = TwitterCard(document, meta: meta, baseURL: baseURL)
        let appLinks = AppLinks(document, meta: meta, baseURL: baseURL)
        let appAlternates = AppAlternates(links)
        let openGraph = OpenGraph(document, meta: meta, baseURL: baseURL)
        let jsonLD = JSONLD(document, baseURL: baseURL, limits: limits)
        let microdata = Microdata(document, baseURL: baseURL, limits: limits)
        let rdfa = RDFa(document, baseURL: baseURL, limits: limits)
        let outlinks = Outlinks(document, links: links, refresh: metadata.refresh, baseURL: baseURL, limits: limits)
        let directives = RobotsDirectives(
            metas: metadata.robots.map { (name: $0.name, content: $0.content) }, headers: source.headers, agents: agents
        )

        var structuredData = jsonLD.structuredData
        structuredData.append(microdata.structuredData)
        structuredData.append(rdfa.structuredData)

        self.source = source
        self.document = document
        encoding = page.encoding
        self.baseURL = baseURL
        metaTags = meta
        self.metadata = metadata
        self.smartAppBanner = smartAppBanner
        self.twitterCard = twitterCard
        self.appLinks = appLinks
        self.appAlternates = appAlternates
        self.openGraph = openGraph
        self.jsonLD = jsonLD
        self.microdata = microdata
        self.rdfa = rdfa
        self.structuredData = structuredData
        self.outlinks = outlinks
        self.directives = directives

        let all = [
            page.notes, baseNotes, metadata.notes, smartAppBanner?.notes ?? [], twitterCard?.notes ?? [],
            appLinks?.notes ?? [], appAlternates.notes, openGraph?.notes ?? [], jsonLD.notes, microdata.notes,
            rdfa.notes, outlinks.notes, directives.notes,
        ]
        notes = Array(all.joined().prefix(limits.maximumNotes))
    }
}

/// A value that is computed once.
private final class Kept<Value: Sendable>: Sendable {
    private let kept = Mutex<Value?>(nil)

    func value(_ compute: () -> Value) -> Value {
        kept.withLock { kept in
            if let kept { return kept }
            let value = compute()
            kept = value
            return value
        }
    }
}
