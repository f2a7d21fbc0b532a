import PippinPage

/// Who a page is: itself, or the page that its canonical link names.
extension Visit {
    enum CanonicalStanding {
        /// The canonical URL is another spelling of the page's own.
        case itself(WebURL)
        case other(CrawlRequest)
        /// None, or not to be trusted: on another site, or outside the crawl.
        case ignored
    }

    /// RFC 6596 makes a canonical link a hint. It is taken within a site, where the crawl may go and robots.txt allows;
    /// whether the page behind it is good is found out by visiting it (see `Frontier`).
    func standing(ofCanonical canonical: WebURL?) -> CanonicalStanding {
        guard let canonical, canonical.isHTTP else { return .ignored }
        if URLKey(canonical) == request.key { return .itself(canonical) }
        guard !request.ignoresCanonical, SiteIdentity.isSameSite(canonical.politenessHost, request.host) else {
            return .ignored
        }
        let next = CrawlRequest(
            link: canonical, depth: request.depth, seed: request.seed, discovery: .canonical)
        guard context.scope.refusal(of: next) == nil else { return .ignored }
        if canonical.origin == request.url.origin, case .rules(let robots) = permission,
            !robots.decision(for: canonical).isAllowed
        {
            return .ignored
        }
        return .other(next)
    }
}
