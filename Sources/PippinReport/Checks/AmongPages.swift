// Checks that need a whole crawl: how visitors get to the page (D10…D14), and what it shares with other pages (T13, and the
// part of D19, S01, S02, S03 and L08 that one page cannot show). They are judged when the crawl has ended, from the `CrawledPage`
// that is kept of each page.

import PippinPage

enum AmongPages {
    /// A page that takes more clicks than this from the start is hard to find.
    static let maximumDepth = 4
    /// How many pages must have the same picture or app-argument before it counts as the site's instead of the page's.
    static let sharedByAtLeast = 3

    // MARK: The way here

    static let d10 = CheckJudge(
        .d10, .discoverability, .error, "Links lead here from the support or marketing URL",
        problem: "No links lead here from the support or marketing URL",
        why: "Applebot starts from the addresses in App Store Connect and follows links.",
        crawl: pageIsReachable)

    private static func pageIsReachable(_ examination: CrawlExamination) -> [Verdict] {
        guard let crawl = examination.crawl.value else { return notSeen(examination) }
        let page = examination.page
        if crawl.isSeed { return [.pass("The crawl starts here.")] }
        guard page.standsForItself else { return [] }
        let remedy = Finding.Remedy(
            "Link it from the support page or an index page near it.",
            code: "<a href=\"\(Markup.attribute(page.address))\">\(Markup.attribute(page.title ?? "This page"))</a>")
        guard let depth = crawl.depth else {
            guard crawl.isComplete else {
                return [.unknown("Not seen: no link leads here so far, but not all pages of the site were read.")]
            }
            return [.error("No link leads here from the seeds.", at: nil, remedy)]
        }
        let seen =
            "\(Wording.count(depth, "link")) from the start, \(Wording.count(crawl.inlinks, "page")) "
            + "lead\(crawl.inlinks == 1 ? "s" : "") here."
        return depth > maximumDepth ? [.warning(seen, at: nil, remedy)] : [.pass(seen)]
    }

    static let d11 = CheckJudge(
        .d11, .discoverability, .warning, "Plain links lead here",
        problem: "No plain links lead here",
        why: "Links that need a script, a form or nofollow are no way for a crawler.",
        crawl: linksArePlain)

    private static func linksArePlain(_ examination: CrawlExamination) -> [Verdict] {
        guard let crawl = examination.crawl.value else { return notSeen(examination) }
        guard examination.page.standsForItself else { return [] }
        if crawl.inlinks > 0, crawl.inlinks == crawl.nofollowInlinks, !crawl.isSeed {
            return [
                .warning(
                    crawl.inlinks == 1
                        ? "The only link that leads here is nofollow."
                        : "All \(crawl.inlinks) links that lead here are nofollow.", at: nil,
                    Finding.Remedy("Link the page without rel=\"nofollow\"."))
            ]
        }
        return crawl.inlinks > 0 || crawl.isSeed ? [.pass("Plain links lead here.")] : []
    }

    static let d12 = CheckJudge(
        .d12, .discoverability, .info, "A sitemap lists the page",
        problem: "The sitemap lacks the page, or dates it wrong",
        why: "A sitemap tells crawlers of pages that few links lead to, and when they change.",
        crawl: sitemapListsPage)

    private static func sitemapListsPage(_ examination: CrawlExamination) -> [Verdict] {
        guard let sitemap = examination.sitemap.value else { return notSeen(examination) }
        guard examination.page.standsForItself else { return [] }
        guard let isListed = sitemap.isListed else { return [.unknown("Not seen: no sitemap was looked for.")] }
        guard isListed else {
            guard sitemap.isComplete else { return [.unknown("Not seen: not all sitemaps were read.")] }
            return [
                .info(
                    "No sitemap lists the page.", at: nil,
                    Finding.Remedy(
                        "Add it to the sitemap, and name the sitemap in robots.txt.",
                        code: "<url><loc>\(Markup.attribute(examination.page.address))</loc></url>"))
            ]
        }
        if let date = sitemap.wrongDate, W3CDateTime.date(from: date) == nil {
            return [
                .info(
                    "The sitemap's lastmod \(Wording.quoted(date)) is no date.", at: nil,
                    Finding.Remedy("Write a W3C date.", code: "<lastmod>2026-11-20</lastmod>"))
            ]
        }
        return [.pass("A sitemap lists the page.")]
    }

    static let d13 = CheckJudge(
        .d13, .discoverability, .warning, "The sitemap lists what can be indexed",
        problem: "The sitemap lists what cannot be indexed",
        why: "Entries that redirect or forbid indexing waste the visits a site gets.",
        crawl: sitemapIsClean)

    private static func sitemapIsClean(_ examination: CrawlExamination) -> [Verdict] {
        guard let sitemap = examination.sitemap.value else { return notSeen(examination) }
        guard sitemap.isListed == true else { return [] }
        let page = examination.page
        func warning(_ what: String, _ remedy: String) -> [Verdict] {
            [.warning("A sitemap lists the page, \(what).", at: nil, Finding.Remedy(remedy))]
        }
        switch page.answer {
        case .redirected(let target): return warning("which redirects to \(target)", "List the address it leads to.")
        case .closed:
            return warning("which robots.txt closes to crawlers", "Take it out of the sitemap, or let it be fetched.")
        case .failed(let why): return warning("but \(why)", "Take it out of the sitemap, or fix the page.")
        case .read(let status) where status != 200:
            return warning("which answers with status \(status)", "Take it out of the sitemap.")
        case .read: break
        }
        if page.isRefused {
            return warning("which forbids indexing", "Take it out of the sitemap, or let it be indexed.")
        }
        if page.isCanonicalElsewhere, let canonical = page.canonical {
            return warning("whose canonical address is \(canonical.href)", "List the canonical address.")
        }
        return [.pass("The sitemap's entry can be indexed.")]
    }

    static let d14 = CheckJudge(
        .d14, .discoverability, .warning, "The support or marketing URL itself works",
        problem: "The support or marketing URL does not work",
        why: "It is where Applebot starts.",
        crawl: seedWorks)

    private static func seedWorks(_ examination: CrawlExamination) -> [Verdict] {
        guard let crawl = examination.crawl.value else { return notSeen(examination) }
        guard crawl.isSeed else { return [] }
        let url = examination.page.url
        let remedy = Finding.Remedy("Fix the page, or name another address in App Store Connect.")
        switch examination.page.answer {
        // A redirect is judged by the page that it leads to.
        case .redirected: return []
        case .closed:
            return [.error("robots.txt does not let the starting address \(url.href) be fetched.", at: nil, remedy)]
        case .failed(let why):
            return [.error("The starting address \(url.href) does not work: \(why).", at: nil, remedy)]
        case .read(let status) where status != 200:
            return [.error("The starting address \(url.href) answers with status \(status).", at: nil, remedy)]
        case .read: break
        }
        guard url.scheme == "https" else {
            return [
                .warning(
                    "The starting address \(url.href) is not served over https.", at: nil,
                    Finding.Remedy("Serve it over https, and redirect the old address there."))
            ]
        }
        if !crawl.associationHosts.isEmpty,
            !crawl.associationHosts.contains(where: { SiteIdentity.isSameSite($0, url.host) })
        {
            return [
                .warning(
                    "The starting address is on \(url.host ?? ""), the association file on \(Wording.list(crawl.associationHosts)).",
                    at: nil,
                    Finding.Remedy("Name a support or marketing address on the site that the app opens."))
            ]
        }
        return [.pass("The starting address answers over https with status 200.")]
    }

    // MARK: Apps of the site

    /// A warning about a page without an app, if seeds or other pages of the site have one.
    static func siteHasApp(_ examination: CrawlExamination) -> [Verdict] {
        guard examination.page.knowsNoApp, let app = examination.crawl.value?.siteApp else { return [] }
        return [
            .error(
                "Nothing on this page leads into an app, though \(app).", at: nil,
                Finding.Remedy(
                    "Put a Smart App Banner into the head, with this page as its app-argument.",
                    code: Markup.meta(
                        name: "apple-itunes-app",
                        content: "app-id=YOUR-APP-STORE-ID, app-argument=\(examination.page.address)")))
        ]
    }

    // MARK: Language versions

    static func versionsReturn(_ examination: CrawlExamination) -> [Verdict] {
        guard let others = examination.crawl.value?.versionsWithoutReturn, others.count > 0 else { return [] }
        let (list, their) = others.count == 1 ? ("does", "its") : ("do", "their")
        return [
            .warning(
                "\(others.phrase) \(list) not list this page among \(their) language versions, so Google ignores the hreflang links between them.",
                at: nil, Finding.Remedy("Put the same list of all language versions into each of them."))
        ]
    }

    // MARK: Shared with other pages

    static func titleIsItsOwn(_ examination: CrawlExamination) -> [Verdict] {
        shared(examination, \.sameTitle, "title", at: examination.page.titlePlace)
    }

    static func descriptionIsItsOwn(_ examination: CrawlExamination) -> [Verdict] {
        shared(examination, \.sameDescription, "description", at: examination.page.descriptionPlace)
    }

    private static func shared(
        _ examination: CrawlExamination, _ others: KeyPath<CrawlEvidence, CrawlEvidence.Others>, _ what: String,
        at place: Finding.Place?
    ) -> [Verdict] {
        guard let others = examination.crawl.value?[keyPath: others], others.count > 0 else { return [] }
        return [
            .warning(
                "\(others.phrase) \(others.count == 1 ? "has" : "have") the same \(what).", at: place,
                Finding.Remedy("Give each page its own."))
        ]
    }

    static func imageIsItsOwn(_ examination: CrawlExamination) -> [Verdict] {
        guard let crawl = examination.crawl.value, isCommon(crawl.sameImage, among: crawl.pagesWithImage) else {
            return []
        }
        return [
            .warning(
                "\(crawl.sameImage) of the site's \(crawl.pagesWithImage) pages with a picture show this one.",
                at: examination.page.imagePlace,
                Finding.Remedy("Name a picture of this page's content, not the logo."))
        ]
    }

    static func argumentIsItsOwn(_ examination: CrawlExamination) -> [Verdict] {
        guard let crawl = examination.crawl.value, isCommon(crawl.sameArgument, among: crawl.pagesWithArgument),
            !examination.page.argumentIsPage
        else { return [] }
        return [
            .warning(
                "\(crawl.sameArgument) of the site's \(crawl.pagesWithArgument) banners have this app-argument.",
                at: examination.page.bannerPlace, Finding.Remedy("Give each page's banner the address of that page."))
        ]
    }

    private static func isCommon(_ pages: Int, among all: Int) -> Bool {
        pages >= sharedByAtLeast && pages > all / 2
    }

    static let t13 = CheckJudge(
        .t13, .technical, .warning, "No other page has the same content",
        problem: "Other pages have the same content",
        why: "Copies without a canonical link take each other's place.",
        crawl: contentIsUnique)

    private static func contentIsUnique(_ examination: CrawlExamination) -> [Verdict] {
        guard let crawl = examination.crawl.value else { return notSeen(examination) }
        let page = examination.page
        guard page.standsForItself else { return [] }
        let others = crawl.sameContent
        guard others.count > 0 else { return [.pass("No other page of the crawl has the same content.")] }
        if page.canonical != nil {
            return [.pass("The copies \(others.phrase) have a canonical link to choose by.")]
        }
        return [
            .warning(
                "\(others.phrase) \(others.count == 1 ? "has" : "have") the same content.", at: nil,
                Finding.Remedy("Name one address in all copies.", code: Markup.link("canonical", page.address)))
        ]
    }

    private static func notSeen(_ examination: CrawlExamination) -> [Verdict] {
        Discoverability.notSeen(examination.crawl)
    }
}
