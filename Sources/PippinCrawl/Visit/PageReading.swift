import Foundation
import PippinPage
import PippinReport

/// A page that was read: its facts, its links, whether it may be filed, and its record.
struct PageReading {
    let facts: PageFacts
    /// How the page was fetched; nil unless it is judged.
    @Boxed var evidence: PageEvidence?

    /// Reads a response (steps 6 to 8).
    ///
    /// - Parameter agent: our name for page-level directives. Directives to Applebot apply too if its rules do.
    /// - Parameter rendered: the page as its scripts have made it, and the robots directives that it had before.
    init(
        _ response: FetchResponse, agent: CrawlConfiguration.Agent, limits: ReadingLimits = .standard,
        rendered: (page: RenderedPage, directives: [HTMLMetadata.RobotsTag])? = nil
    ) {
        let response = rendered?.page.response(to: response) ?? response
        var source = PageSource(
            url: response.url, status: response.status, headers: response.headers, bytes: response.body,
            fetchedAt: response.fetchedAt)
        if let rendered {
            source.scriptNavigations = rendered.page.navigations
            source.directivesBeforeScripts = rendered.directives
        }
        facts = PageFacts(source, limits: limits, agents: Self.directiveAgents(agent))
    }

    static func directiveAgents(_ agent: CrawlConfiguration.Agent) -> [String] {
        [agent.product] + agent.robotsAgents.filter { $0.lowercased() == "applebot" }
    }

    var source: PageSource { facts.source }

    /// The memory of the page in bytes: its bytes, its document, and as much again for the lists made from it.
    var keptBytes: Int { source.bytes.capacity + 2 * facts.document.keptBytes }

    var isIndexable: Bool { facts.directives.refusal(at: source.fetchedAt) == nil }

    var followsLinks: Bool { !facts.directives.nofollow }

    var canonical: WebURL? { facts.metadata.canonical }

    /// The target of a refresh without delay, which counts as a redirect; nil if there is none.
    var immediateRefresh: WebURL? {
        facts.metadata.refresh.flatMap { $0.isRedirect ? $0.url : nil }
    }

    /// The links without `nofollow` and the like. The canonical link is left out, because it is handled separately.
    var outlinks: some Sequence<Outlink> {
        facts.outlinks.links.lazy.filter { !$0.isNofollow && $0.kind != .canonical }
    }

    /// The links that are not followed, because of their `rel` or because the page says so of all.
    var nofollowLinks: some Sequence<Outlink> {
        let isOfPage = !followsLinks
        return facts.outlinks.links.lazy.filter {
            (isOfPage || $0.isNofollow) && $0.kind != .canonical && $0.kind != .sitemap
        }
    }

    /// Makes the record's draft (step 9). It fails if the page asks not to be indexed; check `isIndexable` before.
    ///
    /// - Parameters:
    ///   - seeds: their apps connect store identifiers with bundle identifiers.
    ///   - sitemap: what sitemaps say of the page.
    ///   - keepsText: whether the record keeps the page's main text.
    func draft(
        identity: WebURL, seeds: [Seed], sitemap: SitemapFacts = SitemapFacts(), keepsText: Bool = false
    ) -> Result<RecordDraft, RecordBuilder.Refusal> {
        RecordBuilder.draft(
            from: facts, identity: identity, seeds: Set(seeds.map(\.url.href)).sorted(), apps: Self.apps(of: seeds),
            sitemap: sitemap, keepsText: keepsText, now: source.fetchedAt)
    }

    /// The apps that the seeds name.
    static func apps(of seeds: [Seed]) -> [RecordBuilder.AppIdentity] {
        seeds.filter(\.namesAnApp).map {
            RecordBuilder.AppIdentity(
                storeIdentifier: $0.storeIdentifier, bundleIdentifier: $0.bundleIdentifier, packageName: $0.packageName)
        }
    }

    /// The report card of the page; nil if none is wanted.
    ///
    /// - Parameters:
    ///   - association: the files that the record's deep links were verified with.
    ///   - verification: the result of the verification.
    func card(
        of conclusion: RecordBuilder.Conclusion, association: AssociationEvidence? = nil, lookup: AppLookup? = nil,
        verification: AssociationVerification? = nil
    ) -> ReportCard? {
        guard var evidence else { return nil }
        if let association { evidence.association = .made(association) }
        if let lookup { evidence.appStore = .made(lookup) }
        return ReportCard(
            facts: facts, conclusion: conclusion, evidence: evidence, verification: verification, showsSource: false)
    }
}

/// The kind of answer to a page request, by the declared media type.
enum AnswerKind {
    case page
    /// RSS, Atom or other XML that may list URLs like a sitemap does.
    case feed
    case other(String)

    init(_ response: FetchResponse) {
        let type = response.headers.mediaType ?? ""
        switch type {
        case "text/html", "application/xhtml+xml", "text/htm": self = .page
        case "application/rss+xml", "application/atom+xml", "application/rdf+xml", "text/xml", "application/xml":
            self = Self.looksLikeHTML(response.body) ? .page : .feed
        // No type, or one that servers use for unknown files: the first bytes decide.
        case "", "text/plain", "application/octet-stream", "unknown/unknown", "application/unknown":
            let stated = type.isEmpty ? response.headers["Content-Type"] ?? "" : type
            self = Self.looksLikeHTML(response.body) && !Self.forbidsSniffing(response) ? .page : .other(stated)
        default: self = .other(type)
        }
    }

    /// Whether bytes look like HTML (a short form of MIME Sniffing §7.1): `<!doctype html` or `<html` after white space and
    /// comments.
    static func looksLikeHTML(_ body: [UInt8]) -> Bool {
        let head = String(decoding: body.prefix(1024), as: UTF8.self).lowercased()
        return head.contains("<!doctype html") || head.contains("<html")
    }

    private static func forbidsSniffing(_ response: FetchResponse) -> Bool {
        response.headers["X-Content-Type-Options"]?.lowercased().contains("nosniff") ?? false
            && response.headers["Content-Type"] != nil
    }
}
