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

    /// Why the page must not be indexed; nil if it may.
    public var refusal: RecordBuilder.Refusal? { facts.directives.refusal(at: source.fetchedAt) }

    public var followsLinks: Bool { !facts.directives.nofollow }

    public var canonical: WebURL? { facts.metadata.canonical }

    /// The links without `nofollow` and the like. The canonical link is left out, because it is handled separately.
    @inlinable public var outlinks: some Sequence<Outlink> {
        facts.outlinks.links.lazy.filter { !$0.isNofollow && $0.kind != .canonical }
    }

    /// The links that are not followed, because of their `rel` or because the page says so of all.
    @inlinable public var nofollowLinks: some Sequence<Outlink> {
        let isOfPage = !followsLinks
        return facts.outlinks.links.lazy.filter {
            (isOfPage || $0.isNofollow) && $0.kind != .canonical && $0.kind != .sitemap
        }
    }

    /// The draft of the record of a page without `refusal`.
    ///
    /// - Parameters:
    ///   - identity: what the record is filed under.
    ///   - seeds: the seeds that led to the page.
    ///   - apps: what the seeds say of their apps; they connect store identifiers with bundle identifiers.
    ///   - sitemap: what sitemaps say of the page.
    ///   - site: what files of the site say about the use of the page.
    ///   - keepsText: whether the record keeps the page's main text, for a search index.
    ///   - maximumTextBytes: of the record's `text`; nil for none.
    ///   - fields: the operator's fields.
    public func draft(
        identity: WebURL, seeds: [String], apps: [RecordBuilder.AppIdentity],
        sitemap: SitemapFacts = SitemapFacts(), site: SiteUsage = SiteUsage(), keepsText: Bool = false,
        maximumTextBytes: Int? = nil, fields: [CustomField] = []
    ) -> RecordDraft {
        RecordBuilder.draft(
            from: facts, identity: identity, seeds: seeds, apps: apps, sitemap: sitemap, site: site,
            keepsText: keepsText, maximumTextBytes: maximumTextBytes, fields: fields, now: source.fetchedAt)
    }

    /// The record of a page that is read alone, or why it has none.
    ///
    /// - Parameters:
    ///   - apps: what the operator says of the page's app.
    ///   - manifest: the web app manifest that the page links to, if it was fetched.
    ///   - sitemap: what the site's sitemaps say of the page, if they were read.
    ///   - site: what files of the site say about the use of the page.
    ///   - fields: the operator's fields.
    ///   - onlyStated: whether what can only be guessed is left out.
    public func conclusion(
        apps: [RecordBuilder.AppIdentity] = [], manifest: WebAppManifest? = nil, sitemap: SitemapFacts = SitemapFacts(),
        site: SiteUsage = SiteUsage(), fields: [CustomField] = [], onlyStated: Bool = false
    ) -> RecordBuilder.Conclusion {
        RecordBuilder.conclusion(
            from: facts, apps: apps, manifest: manifest, sitemap: sitemap, site: site, fields: fields,
            onlyStated: onlyStated, now: source.fetchedAt)
    }

    /// What the operator's fields find in the page, and why they find no more.
    public func readings(of fields: [CustomField]) -> [FieldReading] {
        let record = draft(identity: source.url, seeds: [], apps: []).record(manifest: nil).record
        return FieldReading.all(of: fields, in: facts, record: record)
    }
}

extension PageFacts {
    /// A refresh without delay, or where scripts send the readers of an empty page, which count as redirects; nil if there is
    /// none. A page that refreshes to itself, in any spelling, is an ordinary page.
    public var redirect: Redirect? {
        // A store is a place of the page's app.
        if let target = source.scriptRedirect, ScriptNavigation.appClaims(of: [target.href]).isEmpty {
            return Redirect(refreshTo: target)
        }
        guard let refresh = metadata.refresh, refresh.isRedirect, let target = refresh.url,
            URLKey(target) != URLKey(source.url)
        else { return nil }
        return Redirect(refreshTo: target)
    }
}
