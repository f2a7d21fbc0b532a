/// An `h1` of a page.
struct PageHeading {
    let text: String
    /// It links to the home page: the masthead, which names the site.
    let linksHome: Bool
    /// It stands in navigation, an aside or the footer.
    let isBeside: Bool

    /// Pages with more headings have one a teaser.
    private static let maximumHeadings = 12
    private static let maximumLinks = 4

    /// The first headings that people see, in page order.
    static func all(of facts: PageFacts) -> [PageHeading] {
        let document = facts.document
        return document.elements(named: .h1).prefix(maximumHeadings).compactMap { heading in
            guard !document.has(.hidden, on: heading),
                let text = CleanText.line(document.visibleText(of: heading, maximumBytes: 1_000))
            else { return nil }
            var isBeside = false
            var linksHome = false
            var element = heading
            while let parent = document.parent(of: element) {
                element = parent
                switch document.elements[element].name {
                case .nav, .aside, .footer: isBeside = true
                case .a: linksHome = linksHome || isHome(element, facts)
                default: break
                }
            }
            let links = document.descendants(of: heading).lazy.filter { document.elements[$0].name == .a }
            linksHome = linksHome || links.prefix(maximumLinks).contains { isHome($0, facts) }
            return PageHeading(text: text, linksHome: linksHome, isBeside: isBeside)
        }
    }

    private static func isHome(_ link: HTMLDocument.Index, _ facts: PageFacts) -> Bool {
        guard let href = facts.document.value(of: .href, on: link), !href.isEmpty, href.utf8.first != UInt8(ascii: "#"),
            let url = WebURL(written: href, base: facts.baseURL)
        else { return false }
        return url.isHomePage && SiteIdentity.isSameSite(url.host, facts.source.url.host)
    }
}

extension WebURL {
    /// The root of a host.
    var isHomePage: Bool { isHTTP && path == "/" && query == nil }
}
