import PippinPage

extension Visit {
    /// The depth of sitemap indexes that are opened below the first one. The protocol allows no nesting; some sites nest once.
    static let maximumSitemapLevel = 2
    /// The number of sitemap files that are read of one host in a run: 5 million URLs, more than `max_pages_per_host` ever
    /// allows.
    static let maximumSitemapsPerHost = 100
    /// How often a feed that robots.txt names goes on (`Sitemap.next`). One that a page links to goes on as far as links are followed.
    static let maximumFeedPages = 8

    /// Step 6 for a sitemap: its entries and further sitemaps become requests. Entries that do not count
    /// (`Sitemap.counting`) are dropped.
    func parseSitemap(
        _ response: FetchResponse, of host: String, level: Int, _ result: inout VisitResult, _ limits: ReadingLimits
    ) {
        let sitemap = Sitemap(bytes: response.body, url: request.url, limits: limits)
        take(sitemap, of: host, level: level, depth: 1, &result)
        result.keepValidators(of: response.headers)
    }

    /// Step 6 for a feed that a page links to. Its entries count as links of the page.
    func parseFeed(_ response: FetchResponse, type: String, _ result: inout VisitResult, _ limits: ReadingLimits) {
        let feed = Sitemap(bytes: response.body, url: request.url, limits: limits)
        guard feed.kind != .unknown, feed.kind != .text else { return result.end(.notAPage(type)) }
        take(feed, of: request.host, level: Self.maximumSitemapLevel, depth: request.depth + 1, &result)
        result.keepValidators(of: response.headers)
    }

    private func take(_ sitemap: Sitemap, of host: String, level: Int, depth: Int, _ result: inout VisitResult) {
        var refusals = RefusedLinks()
        var discovered: [CrawlRequest] = []
        let counts = sitemap.counting(namedBy: host)
        let isIndex = sitemap.kind == .index
        var bytes = 0
        for entry in sitemap.entries where !isIndex {
            if !counts(entry) {
                refusals.add(.foreignSitemapEntry, entry.loc)
            } else if let refusal = context.scope.refusal(
                of: entry.loc, depth: depth, discovery: .sitemap, seed: request.seed)
            {
                refusals.add(refusal, entry.loc)
            } else {
                var page = CrawlRequest(
                    link: entry.loc, depth: depth, seed: request.seed, discovery: .sitemap,
                    sitemap: SitemapFacts(entry, of: sitemap.kind, maximumURLBytes: CrawlScope.maximumURLBytes))
                page.modifiedAt = entry.lastmod?.date
                bytes += page.addressBytes
                if bytes > FrontierLimits.maximumHandedOverBytes {
                    refusals.add(.queueFull, entry.loc)
                } else {
                    discovered.append(page)
                }
            }
        }
        if let next = sitemap.next { goOn(with: next, of: host, level: level, depth: depth, &discovered, &refusals) }
        var further = 0
        for entry in sitemap.entries where isIndex {
            guard level < Self.maximumSitemapLevel, further < Self.maximumSitemapsPerHost else {
                refusals.add(.sitemapLimit, entry.loc)
                continue
            }
            guard counts(entry) else {
                refusals.add(.foreignSitemapEntry, entry.loc)
                continue
            }
            bytes += entry.loc.href.utf8.count
            guard bytes <= FrontierLimits.maximumHandedOverBytes else {
                refusals.add(.queueFull, entry.loc)
                continue
            }
            further += 1
            discovered.append(
                CrawlRequest(
                    link: entry.loc, target: .sitemap(host: host, level: level + 1), depth: 1, seed: request.seed,
                    discovery: .sitemap))
        }
        count(refusals, links: 0)
        // The entries of a sitemap have one depth, wherever it lies.
        result.isCut = request.isPage && refusals.contains(.tooDeep)
        let count = sitemap.entries.count
        result.end(.sitemap(entries: isIndex ? 0 : count, sitemaps: isIndex ? count : 0))
        // A feed that a page links to is not a sitemap.
        if !request.isPage, !isIndex { result.seen?.listed = sitemap.entries.filter(counts) }
        result.discovered = discovered
    }

    /// Queues where a feed goes on. A chain that leads back ends, as every URL is queued once.
    private func goOn(
        with next: WebURL, of host: String, level: Int, depth: Int, _ discovered: inout [CrawlRequest],
        _ refusals: inout RefusedLinks
    ) {
        var page = CrawlRequest(
            link: next, depth: request.isPage ? depth : 1, seed: request.seed, discovery: .sitemap)
        if !request.isPage { page.target = .sitemap(host: host, level: level + 1) }
        if next.politenessHost != request.host {
            refusals.add(.foreignSitemapEntry, next)
        } else if !request.isPage, level + 1 >= Self.maximumFeedPages {
            refusals.add(.sitemapLimit, next)
        } else if let refusal = context.scope.refusal(of: page) {
            refusals.add(refusal, next)
        } else {
            discovered.append(page)
        }
    }

    /// The sitemaps of an origin with this robots.txt: those that it names, or else the customary address.
    static func sitemaps(of robots: RobotsFile, origin: WebURL, seed: Seed) -> [CrawlRequest] {
        let host = origin.politenessHost
        var urls = robots.sitemaps.filter(\.isHTTP)
        if urls.isEmpty, let customary = WebURL("/sitemap.xml", base: origin) { urls = [customary] }
        return urls.prefix(maximumSitemapsPerHost).map {
            CrawlRequest(url: $0, target: .sitemap(host: host, level: 0), depth: 1, seed: seed, discovery: .sitemap)
        }
    }
}

extension Sitemap {
    /// Decides which entries count: those of the sitemap's own host, and of the host whose robots.txt, or whose owner, named the
    /// sitemap (sitemaps.org, "Sitemap file location" and "Cross submits").
    ///
    /// - Parameter host: the host that named it, as `WebURL.politenessHost`.
    func counting(namedBy host: String) -> (SitemapEntry) -> Bool {
        let own = url.politenessHost
        return { entry in
            let other = entry.loc.politenessHost
            return other == host || other == own
        }
    }
}
