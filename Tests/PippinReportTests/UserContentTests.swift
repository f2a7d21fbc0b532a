import Testing

@testable import PippinPage
@testable import PippinReport

/// What visitors write on a page, and all ways in which it could name an app: none reaches the record, the findings, search or the
/// counts of a site report.
@Suite struct UserContentTests {
    /// Markup that names an app, or opens one.
    private static let ways: [(name: String, markup: String)] =
        links.map { ($0, "<a href=\"\($0)\">Get it</a>") } + elements

    private static let links = [
        "https://play.google.com/store/apps/details?id=com.evil.app", "https://apps.apple.com/us/app/evil/id666",
        "https://itunes.apple.com/app/id666", "itms-apps://itunes.apple.com/app/id666",
        "market://details?id=com.evil.app", "https://appclip.apple.com/id?p=com.evil.app.Clip",
        "intent://x#Intent;scheme=evil;package=com.evil.app;end",
        "intent://shop.example/mug#Intent;scheme=https;package=com.evil.app;end",
        "intent://x#Intent;scheme=evil;package=com.evil.app;S.browser_fallback_url=https%3A%2F%2Fshop.example%2Fmug;end",
        "evil://shop.example/mug", "evil:mug", "https://evil.page.link/x", "https://evil.app.goo.gl/x",
    ]

    private static let elements: [(name: String, markup: String)] = [
        ("banner", "<meta name=\"apple-itunes-app\" content=\"app-id=666, app-argument=https://shop.example/mug\">"),
        (
            "twitter",
            "<meta name=\"twitter:app:id:iphone\" content=\"666\"><meta name=\"twitter:app:url:iphone\" content=\"evil://x\">"
        ),
        (
            "App Links",
            "<meta property=\"al:android:package\" content=\"com.evil.app\"><meta property=\"al:ios:url\" content=\"evil://x\">"
        ),
        ("refresh", "<meta http-equiv=\"refresh\" content=\"9;url=evil://shop.example/mug\">"),
        (
            "refresh to a store",
            "<meta http-equiv=\"refresh\" content=\"9;url=https://play.google.com/store/apps/details?id=com.evil.app\">"
        ),
        ("google-play-app", "<meta name=\"google-play-app\" content=\"app-id=com.evil.app\">"),
        ("Windows", "<meta name=\"msApplication-PackageFamilyName\" content=\"Evil.App_8wekyb3d8bbwe\">"),
        ("Branch", "<meta name=\"branch:deeplink:$ios_deeplink_path\" content=\"evil://x\">"),
        ("alternate", "<link rel=\"alternate\" href=\"android-app://com.evil.app/https/shop.example/mug\">"),
        (
            "microdata application",
            """
            <div itemscope itemtype="https://schema.org/MobileApplication"><b itemprop="name">Evil</b>
            <link itemprop="installUrl" href="https://play.google.com/store/apps/details?id=com.evil.app"></div>
            """
        ),
        (
            "microdata action",
            """
            <div itemscope itemtype="https://schema.org/WebPage"><div itemprop="potentialAction" itemscope
            itemtype="https://schema.org/ViewAction"><link itemprop="target" href="android-app://com.evil.app/evil/x"></div></div>
            """
        ),
        (
            "microdata with the site's identifier",
            """
            <div itemscope itemtype="https://schema.org/WebPage" itemid="https://shop.example/mug#page"><div
            itemprop="potentialAction" itemscope itemtype="https://schema.org/ViewAction"><link itemprop="target"
            href="android-app://com.evil.app/evil/x"></div></div>
            """
        ),
        (
            "RDFa application",
            """
            <div vocab="https://schema.org/" typeof="MobileApplication"><b property="name">Evil</b>
            <a property="installUrl" href="https://apps.apple.com/app/id666">x</a></div>
            """
        ),
        (
            "RDFa action",
            """
            <div vocab="https://schema.org/" typeof="WebPage" resource="https://shop.example/mug#page"><div property="potentialAction"
            typeof="ViewAction"><link property="target" href="ios-app://666/evil/x"></div></div>
            """
        ),
    ]

    /// Where visitors write, as software of blogs, shops and forums marks it.
    private static let places = [
        "<div id=\"comments\">%</div>", "<ol class=\"commentlist\"><li class=\"comment even depth-1\"><p>%</p></ol>",
        "<article id=\"div-comment-7\" class=\"comment-body\">%</article>", "<div id=\"disqus_thread\">%</div>",
        "<section class=\"commentSection\"><div>%</div></section>", "<ul class=\"kommentare\"><li>%</ul>",
        "<div itemprop=\"comment\" itemscope itemtype=\"https://schema.org/Comment\"><div itemprop=\"text\">%</div></div>",
        "<div itemscope itemtype=\"http://schema.org/UserComments\">%</div>",
        "<div vocab=\"https://schema.org/\" property=\"comment\" typeof=\"schema:Comment\">%</div>",
        "<div class=\"customer-review\"><p>%</p></div>",
        "<div itemprop=\"review\" itemscope itemtype=\"https://schema.org/Review\"><p itemprop=\"reviewBody\">%</p></div>",
        "<div class=\"postbody\"><div class=\"content\">%</div></div>",
        "<blockquote class=\"postcontent\">%</blockquote>",
        "<div class=\"message-userContent\"><div class=\"bbWrapper\">%</div></div>", "<div class=\"cooked\">%</div>",
        "<td class=\"answercell\"><div class=\"js-post-body\">%</div></td>",
        "<div itemscope itemtype=\"https://schema.org/DiscussionForumPosting\">%</div>",
    ]

    private static let bases = [
        "",
        "<meta name=\"apple-itunes-app\" content=\"app-id=901, app-argument=https://shop.example/mug\">",
        #"<script type="application/ld+json">{"@context":"https://schema.org","@type":"WebPage","@id":"https://shop.example/mug#page","name":"Mug"}</script>"#,
    ]

    /// What each consumer makes of a page's apps.
    private static func answers(_ head: String, _ body: String) -> [String] {
        let page = ReportPage(head).with { $0.body += body }
        let card = page.card
        let record = card.record
        let json = record?.json
        let links = json?["deepLinks"]?.array ?? []
        return [
            "store links: \(page.facts.outlinks.storeLinks().map(\.identifier))",
            "claims: \(page.facts.appClaims.map { "\($0.source) \($0.storeIdentifier ?? $0.packageName ?? $0.address ?? "-")" })",
            "record: \(record?.deepLinks.map { "\($0.platform) \($0.identifier ?? "-") \($0.url ?? "-")" } ?? [])",
            "opens: \(record?.opensInApp ?? false) \(record?.leadsIntoApp ?? false)",
            "search: \(links.map { DeepLinkRecord.DeepLink.opensInApp(json: $0) })",
            "findings: \(card.findings.filter { $0.check.group == .deepLinks }.map { "\($0.check.id) \($0.outcome) \($0.sentence)" })",
            "site report: \(JudgedPage(card).links.count)",
        ]
    }

    @Test(arguments: bases) func `what visitors write names no app, wherever and however`(head: String) {
        let own = Self.answers(head, "")
        for place in Self.places {
            for (name, markup) in Self.ways {
                let found = Self.answers(head, place.replacing("%", with: markup))
                #expect(found == own, "\(name) in \(place)")
            }
        }
    }

    @Test(arguments: bases) func `a link that its site does not vouch for names no app`(head: String) {
        let own = Self.answers(head, "")
        for rel in ["ugc", "nofollow", "sponsored", "ugc nofollow", "noopener NoFollow"] {
            for address in Self.links {
                let found = Self.answers(head, "<p><a rel=\"\(rel)\" href=\"\(address)\">Get it</a></p>")
                #expect(found == own, "\(address) \(rel)")
            }
        }
    }

    @Test func `the same markup of the site itself is heard, so that the tables above can fail`() {
        for (name, markup) in Self.ways {
            let found = Self.answers("", "<section><p>\(markup)</p></section>")
            #expect(found != Self.answers("", ""), "\(name)")
        }
    }

    @Test func `a link that the site repeats outside of comments is the site's, in either order`() {
        let comment = "<div id=\"comments\"><a rel=\"ugc\" href=\"circus://acts/42\">x</a></div>"
        let own = "<p><a href=\"circus://acts/42\">x</a></p>"
        for body in [comment + own, own + comment] {
            #expect(ReportPage("").with { $0.body = body }.facts.appClaims.map(\.address) == ["circus://acts/42"])
        }
        let store = "https://play.google.com/store/apps/details?id=org.example.shop"
        // Neither of two links that are not the site's makes the other one so.
        let mixed =
            "<p><a rel=\"nofollow\" href=\"\(store)\">x</a></p><div class=\"comment\"><a href=\"\(store)\">x</a></div>"
        #expect(ReportPage(body: mixed).facts.appClaims.isEmpty)
        #expect(
            ReportPage(body: mixed + "<a href=\"\(store)\">x</a>").facts.appClaims.map(\.packageName) == [
                "org.example.shop"
            ])
    }

    @Test func `the review that a page is about keeps its identifier, and items within it have none`() {
        let page = ReportPage("").with {
            $0.body = """
                <article itemscope itemtype="https://schema.org/Review" itemid="https://shop.example/mug"><b itemprop="name">
                A good mug</b><p itemscope itemtype="https://schema.org/Thing" itemid="https://shop.example/cup"></p></article>
                """
        }
        #expect(page.facts.structuredPage.items.map(\.id) == ["https://shop.example/mug", nil])
    }

    @Test(arguments: [
        "<body class=\"single comments-open\">%", "<div class=\"post has-comments\">%</div>",
        "<div class=\"comments-closed entry\">%</div>", "<div class=\"preview\">%</div>",
        "<div class=\"post-body\">%</div>",
        "<article class=\"post\">%</article>", "<main class=\"comments\">%</main>", "<div class=\"commentary\">%</div>",
    ]) func `names that speak about comments are no comments`(place: String) {
        let link = "<a href=\"https://play.google.com/store/apps/details?id=org.example.shop\">x</a>"
        let page = ReportPage("").with { $0.html = "<title>x</title>" + place.replacing("%", with: link) }
        #expect(page.facts.appClaims.map(\.packageName) == ["org.example.shop"])
    }

    @Test func `directives for crawlers count wherever they stand`() {
        let page = ReportPage("").with {
            $0.body += "<div id=\"comments\"><meta name=\"robots\" content=\"noindex\"></div>"
        }
        #expect(page.card.outcome("D07") == .error)
    }

    @Test(arguments: ["Comment", "Review", "Answer"])
    func `a flat graph leads to no app through what visitors wrote`(type: String) {
        let app =
            "{\"@id\":\"#a\",\"@type\":\"MobileApplication\",\"name\":\"Evil\",\"installUrl\":\"https://play.google.com/store/apps/details?id=example.shop.app\"}"
        func page(_ owner: String) -> ReportPage {
            ReportPage(
                "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@graph\":[{\"@type\":\"Article\",\"headline\":\"Mugs\",\"comment\":{\"@id\":\"#c\"}},{\"@id\":\"#c\",\"@type\":\"\(owner)\",\"about\":{\"@id\":\"#a\"}},\(app)]}</script>"
            )
        }
        #expect(page(type).card.record?.deepLinks.contains { $0.packageName == "example.shop.app" } != true)
        #expect(page("WebPage").card.record?.deepLinks.contains { $0.packageName == "example.shop.app" } == true)
    }

    @Test(arguments: ["bewertungen", "avis-client", "comment-number-5", "comment-show", "opiniones", "評論"])
    func `names of what visitors wrote are known in more languages`(name: String) {
        let link = "<a href=\"intent://shop.example/mug#Intent;scheme=https;package=com.evil.app;end\">Get it</a>"
        let page = ReportPage(body: "<div class=\"\(name)\">\(link)</div>")
        #expect(page.card.record?.deepLinks.contains { $0.packageName == "com.evil.app" } != true)
    }

    /// Items of the site that reach into what visitors wrote, or stand around it; `%` is where visitors write.
    private static let reaching: [(around: String, markup: String)] = [
        (
            "<div itemscope itemtype=\"https://schema.org/WebPage\" itemref=\"x\"></div>%",
            """
            <div id="x" itemprop="potentialAction" itemscope itemtype="https://schema.org/ViewAction"><link itemprop="target"
            href="android-app://com.evil.app/evil/x"></div>
            """
        ),
        (
            """
            <div itemscope itemtype="https://schema.org/WebPage"><div itemprop="potentialAction" itemscope
            itemtype="https://schema.org/ViewAction" itemref="x"></div></div>%
            """, "<link id=\"x\" itemprop=\"target\" href=\"android-app://com.evil.app/evil/x\">"
        ),
        (
            """
            <div itemscope itemtype="https://schema.org/WebPage"><div itemprop="potentialAction" itemscope
            itemtype="https://schema.org/ViewAction">%</div></div>
            """, "<link itemprop=\"target\" href=\"android-app://com.evil.app/evil/x\">"
        ),
        (
            "<div itemscope itemtype=\"https://schema.org/MobileApplication\" itemref=\"x\"><b itemprop=\"name\">Shop</b></div>%",
            "<link id=\"x\" itemprop=\"installUrl\" href=\"https://play.google.com/store/apps/details?id=com.evil.app\">"
        ),
        (
            """
            <div vocab="https://schema.org/" typeof="WebPage" resource="#page"><div property="potentialAction"
            typeof="ViewAction" resource="#action"></div></div>%
            """,
            "<link vocab=\"https://schema.org/\" about=\"#action\" property=\"target\" href=\"android-app://com.evil.app/evil/x\">"
        ),
        (
            "<div vocab=\"https://schema.org/\" typeof=\"MobileApplication\" resource=\"#app\"><b property=\"name\">Shop</b></div>%",
            "<link vocab=\"https://schema.org/\" about=\"#app\" property=\"installUrl\" href=\"https://apps.apple.com/app/id666\">"
        ),
    ]

    @Test(arguments: reaching) func `an item of the site has no app of what visitors wrote`(
        around: String, markup: String
    ) {
        for comment in ["<div class=\"comment\">%</div>", "<ol id=\"comments\"><li>%</ol>"] {
            let found = Self.answers("", around.replacing("%", with: comment.replacing("%", with: markup)))
            #expect(found == Self.answers("", around.replacing("%", with: comment.replacing("%", with: ""))))
        }
        let own = Self.answers("", around.replacing("%", with: "<section>\(markup)</section>"))
        #expect(own != Self.answers("", around.replacing("%", with: "")))
    }
}
