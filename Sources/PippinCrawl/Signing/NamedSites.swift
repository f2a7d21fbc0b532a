import PippinPage

/// The sites that the operator has named, by an argument or in a file of their own. Only they get signed requests of commands:
/// a host that a page, a sitemap or a redirect leads to would learn who asks.
public struct NamedSites: Sendable {
    private var sites: Set<String> = []

    /// Names the sites of URLs; none for nobody.
    public init(_ urls: some Sequence<WebURL> = [WebURL]()) {
        for url in urls { sites.insert(SiteIdentity.site(of: url.politenessHost)) }
    }

    /// Whether the site of a host was named.
    func contains(host: String) -> Bool { !sites.isEmpty && sites.contains(SiteIdentity.site(of: host)) }
}
