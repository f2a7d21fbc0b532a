/// A page that was read: its facts, its links, whether it may be filed, and its record.
public struct PageReading: Sendable {
    public let facts: PageFacts

    /// Reads a page.
    ///
    /// - Parameter agents: our names for page-level directives.
    public init(_ source: PageSource, agents: [String], limits: ReadingLimits = .standard) {
        facts = PageFacts(source, limits: limits, agents: agents)
    }

    public var source: PageSource { facts.source }

    /// The memory of the page in bytes: its bytes, its document, and as much again for the lists made from it.
    public var keptBytes: Int { source.bytes.capacity + 2 * facts.document.keptBytes }

    public var isIndexable: Bool { facts.directives.refusal(at: source.fetchedAt) == nil }

    public var followsLinks: Bool { !facts.directives.nofollow }

    public var canonical: WebURL? { facts.metadata.canonical }

    /// The target of a refresh without delay, which counts as a redirect; nil if there is none.
    public var immediateRefresh: WebURL? {
        facts.metadata.refresh.flatMap { $0.isRedirect ? $0.url : nil }
    }

    /// The links without `nofollow` and the like. The canonical link is left out, because it is handled separately.
    public var outlinks: some Sequence<Outlink> {
        facts.outlinks.links.lazy.filter { !$0.isNofollow && $0.kind != .canonical }
    }

    /// The links that are not followed, because of their `rel` or because the page says so of all.
    public var nofollowLinks: some Sequence<Outlink> {
        let isOfPage = !followsLinks
        return facts.outlinks.links.lazy.filter {
            (isOfPage || $0.isNofollow) && $0.kind != .canonical && $0.kind != .sitemap
        }
    }

    /// Makes the record's draft. It fails if the page asks not to be indexed; check `isIndexable` before.
    ///
    /// - Parameters:
    ///   - identity: what the record is filed under.
    ///   - seeds: the seeds that led to the page.
    ///   - apps: what the seeds say of their apps; they connect store identifiers with bundle identifiers.
    ///   - sitemap: what sitemaps say of the page.
    ///   - keepsText: whether the record keeps the page's main text.
    public func draft(
        identity: WebURL, seeds: [String], apps: [RecordBuilder.AppIdentity],
        sitemap: SitemapFacts = SitemapFacts(), keepsText: Bool = false
    ) -> Result<RecordDraft, RecordBuilder.Refusal> {
        RecordBuilder.draft(
            from: facts, identity: identity, seeds: seeds, apps: apps, sitemap: sitemap, keepsText: keepsText,
            now: source.fetchedAt)
    }
}
