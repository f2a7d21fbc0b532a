import Foundation
import PippinPage
import PippinReport

/// What a visit needs to know of a page it has read: where it leads, whether it may be filed, and its record.
struct PageReading {
    let facts: PageFacts
    /// How the page was had, when it is to be judged.
    var evidence: PageEvidence?

    /// Steps 6 to 8.
    ///
    /// - Parameter agent: page-level directives to its product bind us, and those to Applebot when its rules do.
    init(_ response: FetchResponse, agent: CrawlConfiguration.Agent, limits: ReadingLimits = .standard) {
        let source = PageSource(
            url: response.url, status: response.status, headers: response.headers, bytes: response.body,
            fetchedAt: response.fetchedAt)
        facts = PageFacts(source, limits: limits, agents: Self.directiveAgents(agent))
    }

    static func directiveAgents(_ agent: CrawlConfiguration.Agent) -> [String] {
        [agent.product] + agent.robotsAgents.filter { $0.lowercased() == "applebot" }
    }

    var source: PageSource { facts.source }

    /// What the page keeps in memory: its bytes, its document, and as much again for the lists made of it.
    var keptBytes: Int { source.bytes.capacity + 2 * facts.document.keptBytes }

    var isIndexable: Bool {
        guard !facts.directives.noindex else { return false }
        return facts.directives.unavailableAfter.map { $0 > source.fetchedAt } ?? true
    }

    var followsLinks: Bool { !facts.directives.nofollow }

    var canonical: WebURL? { facts.metadata.canonical }

    /// Target of a refresh without delay, which counts as a redirect.
    var immediateRefresh: WebURL? {
        facts.metadata.refresh.flatMap { $0.isRedirect ? $0.url : nil }
    }

    /// Links that the author vouches for, but for the canonical one, which has a step of its own.
    var outlinks: some Sequence<Outlink> {
        facts.outlinks.links.lazy.filter { !$0.isNofollow && $0.kind != .canonical }
    }

    /// Step 9. Refused when the page asks not to be indexed, which `isIndexable` tells beforehand.
    ///
    /// - Parameters:
    ///   - seeds: what they say of their apps ties a store's identifier to a bundle identifier.
    ///   - alternates: what sitemaps say of the page.
    func draft(
        identity: WebURL, seeds: [Seed], alternates: [String] = []
    ) -> Result<RecordDraft, RecordBuilder.Refusal> {
        RecordBuilder.draft(
            from: facts, identity: identity, seeds: Set(seeds.map(\.url.href)).sorted(), apps: Self.apps(of: seeds),
            sitemapAlternates: alternates, now: source.fetchedAt)
    }

    /// What seeds say of their apps.
    static func apps(of seeds: [Seed]) -> [RecordBuilder.AppIdentity] {
        seeds.filter(\.namesAnApp).map {
            RecordBuilder.AppIdentity(
                storeIdentifier: $0.storeIdentifier, bundleIdentifier: $0.bundleIdentifier, packageName: $0.packageName)
        }
    }

    /// The report card of the page; nil when none is wanted.
    ///
    /// - Parameters:
    ///   - association: the files that the record's deep links were verified with.
    ///   - verification: what came of it.
    func card(
        of conclusion: RecordBuilder.Conclusion, association: AssociationEvidence? = nil, lookup: AppLookup? = nil,
        verification: AssociationVerification? = nil
    ) -> ReportCard? {
        guard var evidence else { return nil }
        if let association { evidence.association = .made(association) }
        if let lookup { evidence.appStore = .made(lookup) }
        return ReportCard(facts: facts, conclusion: conclusion, evidence: evidence, verification: verification)
    }
}

/// What a page request was answered with, by the type that the server states.
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
        // Not stated, or stated as what servers say of files they do not know: the first bytes decide.
        case "", "text/plain", "application/octet-stream", "unknown/unknown", "application/unknown":
            let stated = type.isEmpty ? response.headers["Content-Type"] ?? "" : type
            self = Self.looksLikeHTML(response.body) && !Self.forbidsSniffing(response) ? .page : .other(stated)
        default: self = .other(type)
        }
    }

    /// MIME Sniffing §7.1 in short: `<!doctype html` or `<html` among the first bytes, behind white space and comments.
    private static func looksLikeHTML(_ body: [UInt8]) -> Bool {
        let head = String(decoding: body.prefix(1024), as: UTF8.self).lowercased()
        return head.contains("<!doctype html") || head.contains("<html")
    }

    private static func forbidsSniffing(_ response: FetchResponse) -> Bool {
        response.headers["X-Content-Type-Options"]?.lowercased().contains("nosniff") ?? false
            && response.headers["Content-Type"] != nil
    }
}
