import Foundation
import Synchronization

/// The claims of one page, in every syntax that Pippin reads: bytes in, facts out. Start reading here.
///
/// Reading never fails: a broken page gives fewer facts and more notes. `RecordBuilder` draws conclusions from the facts; the
/// report card judges them. A class, because it is large, never changes, and is handed around.
public final class PageFacts: Sendable {
    /// The response that was read.
    public let source: PageSource
    /// The parsed page.
    public let document: HTMLDocument
    /// The encoding that the page was decoded with.
    public let encoding: CharacterEncoding
    /// The base of the page's relative URLs.
    public let baseURL: WebURL

    /// The `meta` elements with a name, in page order.
    public let metaTags: MetaTags
    /// Title, description, canonical link, language, icons and the like.
    public let metadata: HTMLMetadata
    /// The Smart App Banner; nil if the page has no such tag.
    public let smartAppBanner: SmartAppBanner?
    /// The `twitter:` properties; nil if the page has none.
    public let twitterCard: TwitterCard?
    /// The App Links; nil if the page has no `al:` property.
    public let appLinks: AppLinks?
    /// The `android-app:` and `ios-app:` alternates.
    public let appAlternates: AppAlternates
    /// The Open Graph properties; nil if the page has none.
    public let openGraph: OpenGraph?
    /// The JSON-LD scripts.
    public let jsonLD: JSONLD
    /// The microdata.
    public let microdata: Microdata
    /// The RDFa.
    public let rdfa: RDFa
    /// The microformats.
    public let microformats: Microformats
    /// The Dublin Core.
    public let dublinCore: DublinCore
    /// The items of all syntaxes, in one list.
    public let structuredData: StructuredData
    /// The links to other pages.
    public let outlinks: Outlinks
    /// The page's directives for indexes, from `meta` elements and headers.
    public let directives: RobotsDirectives

    /// The limits that the page was read with. Its record and its report card check the same interruption.
    public let limits: ReadingLimits

    /// What the names of the elements say.
    let names: ElementNames

    /// What the page does not state is guessed with these.
    let weights: GuessWeights

    /// Leniencies used and limits reached, in the order of reading.
    public let notes: [ParseNote]

    // Computed on first use, and kept for the record and all checks.
    private let keptText: KeptValue<VisibleText>
    private let keptMainText = KeptValue<MainText>()
    private let keptHiddenText = KeptValue<HiddenText>()
    private let keptStructure: KeptValue<StructuredPage>
    private let keptMicroformats: KeptValue<StructuredPage>
    private let keptJSON = KeptValue<JSONValue>()
    private let keptClaims = KeptValue<(claims: [AppClaim], notes: [ParseNote])>()

    /// The text that people see on the page.
    public var visibleText: VisibleText { keptText.value { VisibleText(document, limits: limits) } }

    /// The text that styles hide from people.
    public var hiddenText: HiddenText {
        keptHiddenText.value { HiddenText(document, visible: visibleText, url: source.url, limits: limits) }
    }

    /// What the page says, without what stands around it.
    var mainText: MainText {
        keptMainText.value {
            MainText(document, visible: visibleText, names: names, guess: weights.text, limits: limits)
        }
    }

    /// The page's text, as people see it.
    public func text(_ form: TextForm, maximumBytes: Int = .max) -> PageText {
        text(form, maximumBytes: maximumBytes, isQuoted: false)
    }

    /// - Parameter isQuoted: whether what the page forbids to quote is left out.
    func text(_ form: TextForm, maximumBytes: Int, isQuoted: Bool) -> PageText {
        PageText(
            document, main: mainText, baseURL: baseURL, form, maximumBytes: maximumBytes, isQuoted: isQuoted,
            limits: limits)
    }

    /// What `json()` says, for queries, of which there may be several.
    var jsonForQueries: JSONValue { keptJSON.value { .object(json()) } }

    /// The structured data of the whole page: items are joined, and the topic of the page is chosen.
    public var structuredPage: StructuredPage { keptStructure.value { structuredPage(of: structuredData) } }

    /// The same of microformats alone, translated into schema.org's names: what they say counts where schema.org says nothing.
    public var microformatsPage: StructuredPage {
        keptMicroformats.value {
            var userContent = UserContent(document)
            var beside = InheritedMark()
            let data = microformats.structuredData {
                userContent.holds($0)
            } isBeside: { element in
                beside.covers(element, in: document) { element in
                    switch document.elements[element].name {
                    case .footer, .aside, .header, .nav: true
                    default: names.hints(of: element).contains(.besideText)
                    }
                }
            }
            return structuredPage(of: data)
        }
    }

    /// All claims about apps: sources in order of precedence, the claims of a source in page order.
    public var appClaims: [AppClaim] { gatheredClaims.claims }

    /// Notes on markup that should name an app but gives no claim.
    var appClaimNotes: [ParseNote] { gatheredClaims.notes }

    private var gatheredClaims: (claims: [AppClaim], notes: [ParseNote]) {
        keptClaims.value {
            var notes: [ParseNote] = []
            var claims =
                (source.url.isHTTP ? StoreLink(source.url) ?? ownCanonical.flatMap { StoreLink($0) } : nil)
                .map { [$0.appClaim(.pageURL, key: $0.store.rawValue)] } ?? []
            claims += smartAppBanner?.appClaims ?? []
            claims += twitterCard?.appClaims ?? []
            claims += appLinks?.appClaims ?? []
            claims += appAlternates.alternates.map { $0.appClaim() }
            var userContent = UserContent(document)
            claims += structuredPage.appClaims { item in item.element.map { userContent.holds($0) } ?? false }
            claims += metadata.appClaims(notes: &notes)
            claims += outlinks.appClaims(notes: &notes)
            claims += ScriptNavigation.appClaims(of: source.scriptNavigations)
            return (claims, notes)
        }
    }

    /// Reads a part of the page's structured data as if it were all of it.
    public func structuredPage(of data: StructuredData) -> StructuredPage {
        let own = source.url.removingFragment()
        let addresses = [ownCanonical?.href, URLKey(own).string, own.href].compactMap(\.self)
        return StructuredPage(
            withoutForeignParts(data), addresses: addresses, title: metadata.title ?? openGraph?.title,
            limits: limits)
    }

    /// Items of one identifier are joined. What visitors wrote is no part of the site's items, whatever identifier it has. The
    /// item of a whole comment or review keeps its own: the site's software wrote it.
    ///
    /// Nor does it give an item of the site an app, wherever the item begins: an item may reach into a comment, or around it.
    private func withoutForeignParts(_ data: StructuredData) -> StructuredData {
        var userContent = UserContent(document)
        var data = data
        func isForeign(_ property: StructuredItem.Property) -> Bool {
            guard StructuredPage.mayNameApp(property.name), let element = property.element else { return false }
            return userContent.holds(element)
        }
        for index in data.items.indices {
            if limits.isInterrupted(after: data.items[index].properties.count) { break }
            if data.items[index].id != nil,
                let parent = data.items[index].element.flatMap({ document.parent(of: $0) }), userContent.holds(parent)
            {
                data.items[index].id = nil
            }
            if data.items[index].properties.contains(where: isForeign) {
                data.items[index].properties.removeAll(where: isForeign)
            }
        }
        return data
    }

    /// The canonical link without fragment, if it is an address of the page's own site; otherwise nil.
    ///
    /// A page must not claim another site's address: its record would replace the true record of that address.
    var ownCanonical: WebURL? {
        guard let canonical = metadata.canonical?.removingFragment(), canonical.isHTTP,
            SiteIdentity.isSameSite(canonical.host, source.url.host)
        else { return nil }
        return canonical
    }

    /// The statements of the page's microdata, RDFa and JSON-LD, as one dataset.
    public var dataset: RDFDataset {
        var dataset = microdata.dataset
        dataset.merge(rdfa.dataset)
        dataset.merge(jsonLD.dataset)
        return dataset
    }

    /// The names that Pippin reads page-level directives for.
    public static let standardAgents = ["Pippin", "Applebot"]

    /// Reads a page.
    ///
    /// - Parameter agents: crawler names whose page-level directives apply to us, in addition to `robots`; empty if none apply.
    public init(
        _ source: PageSource, limits: ReadingLimits = .standard, agents: [String] = PageFacts.standardAgents
    ) {
        let page = DecodedDocument(bytes: source.bytes, headers: source.headers, limits: limits)
        // If the reading was interrupted, nobody uses the facts, so the extractors get an empty document.
        let document = limits.isInterrupted ? HTMLDocument() : page.document
        var baseNotes: [ParseNote] = []
        let baseURL = document.baseURL(pageURL: source.url, limits: limits, notes: &baseNotes)
        var meta = MetaTags(document, agents: agents)
        let dublinCore = DublinCore(document, meta: &meta, baseURL: baseURL)
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
        let names = ElementNames(document, limits: limits)
        let microformats = Microformats(
            document, mayHaveItems: names.haveMicroformats, baseURL: baseURL, limits: limits)
        let outlinks = Outlinks(document, links: links, refresh: metadata.refresh, baseURL: baseURL, limits: limits)
        let directives = Self.directives(source, metadata, readBy: agents)

        var structuredData = jsonLD.structuredData
        structuredData.append(microdata.structuredData)
        structuredData.append(rdfa.structuredData)

        self.source = source
        self.limits = limits
        self.document = document
        self.names = names
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
        self.microformats = microformats
        self.dublinCore = dublinCore
        self.structuredData = structuredData
        self.outlinks = outlinks
        self.directives = directives
        weights = .fitted
        keptText = KeptValue()
        keptStructure = KeptValue()
        keptMicroformats = KeptValue()

        let all = [
            page.notes, baseNotes, metadata.notes, smartAppBanner?.notes ?? [], twitterCard?.notes ?? [],
            appLinks?.notes ?? [], appAlternates.notes, openGraph?.notes ?? [], jsonLD.notes, microdata.notes,
            rdfa.notes, microformats.notes, outlinks.notes, directives.notes,
        ]
        var bounded = BoundedNotes(maximum: limits.maximumNotes)
        bounded.add(all.joined())
        notes = bounded.finished()
    }

    /// The facts of a page that was read, to guess with other weights.
    public init(_ other: PageFacts, guessingWith weights: GuessWeights) {
        source = other.source
        limits = other.limits
        document = other.document
        names = other.names
        encoding = other.encoding
        baseURL = other.baseURL
        metaTags = other.metaTags
        metadata = other.metadata
        smartAppBanner = other.smartAppBanner
        twitterCard = other.twitterCard
        appLinks = other.appLinks
        appAlternates = other.appAlternates
        openGraph = other.openGraph
        jsonLD = other.jsonLD
        microdata = other.microdata
        rdfa = other.rdfa
        microformats = other.microformats
        dublinCore = other.dublinCore
        structuredData = other.structuredData
        outlinks = other.outlinks
        directives = other.directives
        notes = other.notes
        self.weights = weights
        keptText = other.keptText
        keptStructure = other.keptStructure
        keptMicroformats = other.keptMicroformats
    }
}

extension PageFacts {
    /// The page's directives for other readers.
    ///
    /// - Parameter agents: crawler names whose directives apply to them, in addition to `robots`; empty if none apply.
    public func directives(readBy agents: [String]) -> RobotsDirectives {
        Self.directives(source, metadata, readBy: agents)
    }

    private static func directives(
        _ source: PageSource, _ metadata: HTMLMetadata, readBy agents: [String]
    ) -> RobotsDirectives {
        RobotsDirectives(
            metas: directiveTags(source, metadata).map { (name: $0.name, content: $0.content) },
            headers: source.headers, agents: agents)
    }

    /// The page's directives, with those that it had before its scripts ran.
    private static func directiveTags(_ source: PageSource, _ metadata: HTMLMetadata) -> [HTMLMetadata.RobotsTag] {
        source.directivesBeforeScripts.filter { before in
            !metadata.robots.contains { $0.name == before.name && $0.content == before.content }
        } + metadata.robots
    }
}

/// A value that is computed on first use.
private final class KeptValue<Value: Sendable>: Sendable {
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

/// The result of a fetch, to be read: the final address, the response, and its time.
public struct PageSource: Sendable {
    /// The URL after redirects. Relative URLs of the page are resolved against it.
    public let url: WebURL
    /// The HTTP status.
    public let status: Int
    /// The header fields of the response.
    public let headers: HTTPHeaders
    /// The body without content codings, still in the page's character encoding.
    public let bytes: [UInt8]
    /// The time of the fetch.
    public let fetchedAt: Date

    /// Where the page's scripts wanted to go, in order, if the page was rendered. None was followed.
    public var scriptNavigations: [String] = []
    /// The page to which the scripts of a page without content sent its readers.
    public var scriptRedirect: WebURL?
    /// The robots directives of the page's HTML, if it was rendered. Scripts cannot take them back.
    public var directivesBeforeScripts: [HTMLMetadata.RobotsTag] = []

    /// Creates a source.
    public init(url: WebURL, status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), bytes: [UInt8], fetchedAt: Date) {
        self.url = url
        self.status = status
        self.headers = headers
        self.bytes = bytes
        self.fetchedAt = fetchedAt
    }
}
