@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// For each check a page that fails it and one that passes: the tests fail when a check has neither.
struct ReportCheckCase: Sendable {
    let check: String
    let failing: ReportPage
    let passing: ReportPage

    init(_ check: String, fails failing: ReportPage, passes passing: ReportPage) {
        self.check = check
        self.failing = failing
        self.passing = passing
    }

    /// Checks that nothing a page says can fail: they cannot be seen from here at all.
    static let unknowable: Set<String> = ["T12"]

    static func meta(_ name: String, _ content: String) -> String {
        "<meta name=\"\(name)\" content=\"\(content)\">"
    }

    private static func graph(_ property: String, _ content: String) -> String {
        "<meta property=\"\(property)\" content=\"\(content)\">"
    }

    static func banner(_ content: String) -> ReportPage { ReportPage(meta("apple-itunes-app", content)) }

    private static func json(_ text: String) -> ReportPage {
        ReportPage("<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\(text)}</script>")
    }

    private static func crawled(_ change: (inout CrawlEvidence) -> Void) -> ReportPage {
        var crawl = CrawlEvidence()
        crawl.depth = 2
        crawl.inlinks = 3
        crawl.isInSitemap = true
        change(&crawl)
        return ReportPage().with { $0.crawl = crawl }
    }

    private static func robots(_ text: String) -> ReportPage { ReportPage().with { $0.robots = text } }

    static let good = "app-id=123456789, app-argument=https://shop.example/mug"
    private static let picture = graph("og:image", "https://shop.example/pictures/mug.jpg")
    private static let fourGraphs =
        graph("og:title", "A mug") + graph("og:type", "website") + graph("og:url", "https://shop.example/mug") + picture
    private static let trio =
        meta("twitter:app:name:iphone", "Shop") + meta("twitter:app:id:iphone", "123456789")
        + meta("twitter:app:url:iphone", "https://shop.example/mug")

    private static func hop(_ url: String, _ status: Int) -> [FetchEvidence.Hop] {
        WebURL(url).map { [FetchEvidence.Hop(url: $0, status: status, location: "/mug")] } ?? []
    }

    static let all: [ReportCheckCase] = discoverability + deepLinks + association + structuredData + technical

    private static let discoverability: [ReportCheckCase] = [
        ReportCheckCase("D01", fails: robots("User-agent: Applebot\nDisallow: /mug"), passes: ReportPage()),
        ReportCheckCase("D02", fails: robots("User-agent: Googlebot\nDisallow: /cart"), passes: ReportPage()),
        ReportCheckCase("D03", fails: ReportPage().with { $0.robotsFile = .disallowAll }, passes: ReportPage()),
        ReportCheckCase("D04", fails: robots("Disallow: /cart\nUser-agent: *\nAllow: /"), passes: ReportPage()),
        ReportCheckCase(
            "D05",
            fails: ReportPage("<script src=\"/js/app.js\"></script>").with {
                $0.robots = "User-agent: *\nDisallow: /js/"
            },
            passes: ReportPage("<script src=\"/js/app.js\"></script>")),
        ReportCheckCase(
            "D06", fails: ReportPage(picture).with { $0.robots = "User-agent: *\nDisallow: /pictures/" },
            passes: ReportPage(picture)),
        ReportCheckCase("D07", fails: ReportPage(meta("applebot", "noindex")), passes: ReportPage()),
        ReportCheckCase("D08", fails: ReportPage(meta("robots", "nosnippet")), passes: ReportPage()),
        ReportCheckCase("D09", fails: ReportPage(meta("robots", "nofollow")), passes: ReportPage()),
        ReportCheckCase("D10", fails: crawled { $0.depth = nil }, passes: crawled { _ in }),
        ReportCheckCase("D11", fails: crawled { $0.nofollowInlinks = 3 }, passes: crawled { _ in }),
        ReportCheckCase("D12", fails: crawled { $0.isInSitemap = false }, passes: crawled { _ in }),
        ReportCheckCase(
            "D13", fails: crawled { _ in }.with { $0.head = meta("robots", "noindex") }, passes: crawled { _ in }),
        ReportCheckCase(
            "D14", fails: crawled { $0.isSeed = true }.with { $0.url = "http://shop.example/support" },
            passes: crawled { $0.isSeed = true }),
        ReportCheckCase(
            "D15", fails: json("\"@type\":\"Article\",\"headline\":\"Mugs\",\"isAccessibleForFree\":false"),
            passes: json("\"@type\":\"Article\",\"headline\":\"Mugs\",\"isAccessibleForFree\":true")),
        ReportCheckCase(
            "D16", fails: ReportPage("<link rel=\"canonical\" href=\"https://shop.example/#!/mug\">"),
            passes: ReportPage()),
        ReportCheckCase(
            "D17", fails: robots("User-agent: *\nAllow: /\n\nUser-agent: Applebot-Extended\nDisallow: /"),
            passes: ReportPage()),
        ReportCheckCase(
            "D18", fails: ReportPage().with { $0.body += "<dialog open><a href=\"/\">Letter</a></dialog>" },
            passes: ReportPage().with { $0.body += "<dialog><a href=\"/\">Letter</a></dialog>" }),
        ReportCheckCase(
            "D19",
            fails: ReportPage("<link rel=\"alternate\" hreflang=\"de\" href=\"https://shop.example/de/mug\">"),
            passes: ReportPage("<link rel=\"alternate\" hreflang=\"en\" href=\"https://shop.example/mug\">")),
    ]

    private static let deepLinks: [ReportCheckCase] = [
        ReportCheckCase("L01", fails: banner("app-id=123456789").associated(), passes: banner(good)),
        ReportCheckCase("L02", fails: ReportPage(meta("twitter:app:id:iphone", "123456789")), passes: banner(good)),
        ReportCheckCase("L03", fails: ReportPage(graph("apple-itunes-app", good)), passes: banner(good)),
        ReportCheckCase(
            "L04", fails: banner("app-id=example.shop, app-argument=https://shop.example/mug"), passes: banner(good)),
        ReportCheckCase(
            "L05", fails: banner("app-id=123456789; app-argument=https://shop.example/mug"), passes: banner(good)),
        ReportCheckCase("L06", fails: banner("app-id=123456789"), passes: banner(good)),
        ReportCheckCase("L07", fails: banner("app-id=123456789, app-argument=mug"), passes: banner(good)),
        ReportCheckCase(
            "L08", fails: banner("app-id=123456789, app-argument=https://shop.example/"), passes: banner(good)),
        ReportCheckCase("L09", fails: banner("app-id=123456789, app-argument=shop://mug"), passes: banner(good)),
        ReportCheckCase(
            "L10", fails: banner("app-id=123456789, app-argument=https://other.test/mug"), passes: banner(good)),
        ReportCheckCase(
            "L16", fails: ReportPage(meta("apple-itunes-app", good) + meta("twitter:app:id:iphone", "987654321")),
            passes: ReportPage(meta("apple-itunes-app", good) + trio)),
        ReportCheckCase(
            "L17",
            fails: ReportPage(
                meta("apple-itunes-app", good) + meta("twitter:app:url:iphone", "https://shop.example/cup")),
            passes: ReportPage(meta("apple-itunes-app", good) + trio)),
        ReportCheckCase("L18", fails: ReportPage(meta("twitter:app:id:iphone", "123456789")), passes: ReportPage(trio)),
        ReportCheckCase(
            "L19", fails: ReportPage(graph("al:ios:url", "shop://mug")),
            passes: ReportPage(graph("al:ios:url", "shop://mug") + graph("al:ios:app_store_id", "123456789"))),
        ReportCheckCase(
            "L21", fails: ReportPage("<link rel=\"alternate\" href=\"ios-app://shop/mug\">"),
            passes: ReportPage("<link rel=\"alternate\" href=\"android-app://example.shop/https/shop.example/mug\">")),
        ReportCheckCase(
            "L23", fails: banner("app-id=123456789, app-argument=https://shop.page.link/mug"), passes: banner(good)),
    ]

    private static let title = "<title>A mug for tea – Shop</title>"
    private static let description = meta(
        "description", "A mug for tea, thrown by hand and fired twice, in four glazes.")

    private static func offer(_ text: String) -> ReportPage {
        json("\"@type\":\"Product\",\"name\":\"Mug\",\"offers\":{\"@type\":\"Offer\",\(text)}")
    }

    private static func rating(_ text: String) -> ReportPage {
        json("\"@type\":\"Product\",\"name\":\"Mug\",\"aggregateRating\":{\"@type\":\"AggregateRating\",\(text)}")
    }

    private static func search(_ target: String) -> ReportPage {
        json(
            "\"@type\":\"WebSite\",\"potentialAction\":{\"@type\":\"SearchAction\",\"target\":\"\(target)\",\"query-input\":\"required name=q\"}"
        )
    }

    private static let structuredData: [ReportCheckCase] = [
        ReportCheckCase("S01", fails: ReportPage("<title>{{ page.title }}</title>"), passes: ReportPage(title)),
        ReportCheckCase(
            "S02", fails: ReportPage(meta("description", "A mug.")), passes: ReportPage(title + description)),
        ReportCheckCase("S03", fails: ReportPage(), passes: ReportPage(picture)),
        ReportCheckCase(
            "S04", fails: ReportPage(picture),
            passes: ReportPage(
                picture + graph("og:image:width", "1200") + graph("og:image:height", "630")
                    + graph("og:image:alt", "A mug")
            ).with { page in
                guard let url = WebURL("https://shop.example/pictures/mug.jpg") else { return }
                var image = ImageEvidence(url: url, status: 200)
                image.width = 1200
                image.height = 630
                page.images = [image]
            }),
        ReportCheckCase(
            "S05", fails: json("\"@type\":\"Product\",\"name\":\"Mug\","),
            passes: json("\"@type\":\"Product\",\"name\":\"Mug\"")),
        ReportCheckCase(
            "S06", fails: ReportPage(body: "<p itemprop=\"name\">Mug</p>"),
            passes: ReportPage(
                body: "<p itemscope itemtype=\"https://schema.org/Product\"><b itemprop=\"name\">Mug</b></p>")),
        ReportCheckCase(
            "S07", fails: rating("\"ratingValue\":\"8\",\"ratingCount\":\"12\""),
            passes: rating("\"ratingValue\":\"4.5\",\"ratingCount\":\"12\"")),
        ReportCheckCase(
            "S08", fails: offer("\"price\":\"12,50 €\""), passes: offer("\"price\":\"12.50\",\"priceCurrency\":\"EUR\"")
        ),
        ReportCheckCase(
            "S09", fails: json("\"@type\":\"Article\",\"interactionCount\":\"UserLikes:12\""),
            passes: json(
                "\"@type\":\"Article\",\"interactionStatistic\":{\"@type\":\"InteractionCounter\",\"userInteractionCount\":12}"
            )),
        ReportCheckCase(
            "S10", fails: json("\"@type\":\"LocalBusiness\",\"telephone\":\"on request\""),
            passes: json("\"@type\":\"LocalBusiness\",\"telephone\":\"+1 650 555 0100\"")),
        ReportCheckCase(
            "S11", fails: json("\"@type\":\"AudioObject\",\"contentUrl\":\"http://shop.example/audio.mp3\""),
            passes: json(
                "\"@type\":\"AudioObject\",\"contentUrl\":\"https://shop.example/audio.mp3\",\"duration\":\"PT3M\"")),
        ReportCheckCase(
            "S12", fails: json("\"@type\":\"Recipe\",\"name\":\"Tea\""),
            passes: json(
                "\"@type\":\"Recipe\",\"name\":\"Tea\",\"image\":\"https://shop.example/t.jpg\",\"recipeIngredient\":[\"Tea\"],\"recipeInstructions\":\"Pour.\",\"totalTime\":\"PT4M\""
            )),
        ReportCheckCase(
            "S13", fails: search("https://shop.example/search?q="), passes: search("https://shop.example/search?q={q}")),
        ReportCheckCase("S14", fails: ReportPage(graph("og:title", "A mug")), passes: ReportPage(fourGraphs)),
        ReportCheckCase(
            "S15", fails: ReportPage(meta("twitter:card", "gallery")),
            passes: ReportPage(meta("twitter:card", "summary"))),
        ReportCheckCase(
            "S16", fails: ReportPage(title + graph("og:title", "Welcome everybody")),
            passes: ReportPage(title + graph("og:title", "A mug for tea"))),
        ReportCheckCase(
            "S17",
            fails: json("\"@type\":\"Article\",\"datePublished\":\"2015-10-31\",\"dateModified\":\"2015-01-01\""),
            passes: json("\"@type\":\"Article\",\"datePublished\":\"2015-10-31\",\"dateModified\":\"2015-11-01\"")),
        ReportCheckCase("S18", fails: ReportPage().with { $0.html = "<title>Mug</title>" }, passes: ReportPage()),
        ReportCheckCase(
            "S19",
            fails: ReportPage(
                body: "<p itemscope itemtype=\"http://data-vocabulary.org/Product\"><b itemprop=\"name\">Mug</b></p>"),
            passes: ReportPage(
                body: "<p itemscope itemtype=\"https://schema.org/Product\"><b itemprop=\"name\">Mug</b></p>")),
        ReportCheckCase(
            "S20", fails: ReportPage(meta("keywords", "a1, b2, c3, d4, e5, f6, g7, h8, i9, j10, k11")),
            passes: ReportPage(meta("keywords", "mug, cup, tea"))),
        ReportCheckCase(
            "S21", fails: json("\"@type\":\"Course\",\"name\":\"Throwing mugs\""),
            passes: json("\"@type\":\"Course\",\"name\":\"Throwing mugs\",\"description\":\"For beginners.\"")),
        ReportCheckCase(
            "S22", fails: json("\"@type\":\"Article\",\"headline\":\"Mugs\""),
            passes: json(
                "\"@type\":\"Article\",\"headline\":\"Mugs\",\"image\":\"https://shop.example/mug.jpg\",\"datePublished\":\"2015-10-31\",\"dateModified\":\"2015-11-01\",\"author\":{\"@type\":\"Person\",\"name\":\"Kim\",\"url\":\"https://shop.example/kim\"}"
            )),
        ReportCheckCase(
            "S23", fails: ReportPage("<title>Mug shop: mugs, mug, mug and mug</title>"), passes: ReportPage(title)),
        ReportCheckCase(
            "S24", fails: offer("\"price\":\"12.50\",\"priceValidUntil\":\"2020-12-31\""),
            passes: offer("\"price\":\"12.50\",\"priceValidUntil\":\"2030-12-31\"")),
        ReportCheckCase(
            "S25", fails: json("\"@type\":\"Restaurant\",\"name\":\"Mug & Cup\",\"address\":\"Way 1, 12345 Ulm\""),
            passes: json(
                "\"@type\":\"Restaurant\",\"name\":\"Mug & Cup\",\"address\":\"Way 1, 12345 Ulm\",\"telephone\":\"+49 731 555 0100\""
            )),
    ]

    private static let canonical = "<link rel=\"canonical\" href=\"https://shop.example/mug\">"

    private static let technical: [ReportCheckCase] = [
        ReportCheckCase("T01", fails: ReportPage().with { $0.status = 404 }, passes: ReportPage()),
        ReportCheckCase(
            "T02", fails: ReportPage().with { $0.hops = hop("https://shop.example/m", 302) },
            passes: ReportPage().with { $0.hops = hop("https://shop.example/m", 301) }),
        ReportCheckCase("T03", fails: ReportPage().with { $0.url = "http://shop.example/mug" }, passes: ReportPage()),
        ReportCheckCase(
            "T04", fails: ReportPage("<link rel=\"canonical\" href=\"https://shop.example/\">"),
            passes: ReportPage(canonical)),
        ReportCheckCase(
            "T05", fails: ReportPage(body: "<p>Grüße</p>").with { $0.headers = [("Content-Type", "text/html")] },
            passes: ReportPage()),
        ReportCheckCase(
            "T06", fails: ReportPage().with { $0.headers = [("Content-Type", "text/plain")] }, passes: ReportPage()),
        ReportCheckCase(
            "T07", fails: ReportPage(graph("og:image", "http://shop.example/mug.jpg")), passes: ReportPage(picture)),
        ReportCheckCase("T08", fails: ReportPage().with { $0.timeToFirstByte = .seconds(4) }, passes: ReportPage()),
        ReportCheckCase(
            "T09", fails: ReportPage("<div></div>" + meta("description", "A mug for tea.")),
            passes: ReportPage(description)),
        ReportCheckCase(
            "T10", fails: ReportPage(), passes: ReportPage(meta("viewport", "width=device-width, initial-scale=1"))),
        ReportCheckCase(
            "T11", fails: ReportPage().with { $0.headers = [("Content-Type", "text/html; charset=utf-8")] },
            passes: ReportPage()),
        ReportCheckCase(
            "T13", fails: crawled { $0.sameContent = ["https://shop.example/cup"] }, passes: crawled { _ in }),
        ReportCheckCase(
            "T14", fails: ReportPage().with { $0.url = "https://shop.example/mug?utm_source=letter" },
            passes: ReportPage()),
        ReportCheckCase(
            "T15", fails: ReportPage(body: "<div id=\"root\"></div><script src=\"/app.js\"></script>"),
            passes: ReportPage()),
        ReportCheckCase(
            "T16",
            fails: rendered(missing: [.disallowed("line 2 says Disallow: /mug")]), passes: rendered(missing: [])),
    ]

    /// A page whose scripts got one file.
    private static func rendered(missing: [RequestFailure.Cause]) -> ReportPage {
        ReportPage().with { page in
            let facts = page.facts
            let url = facts.source.url
            let missing = missing.map {
                RenderingEvidence.Missing(url: url.href, failure: RequestFailure($0, asking: url))
            }
            page.probe = {
                $0.rendering = .made(
                    RenderingEvidence(raw: facts, rendered: facts, verdict: .counts, missing: missing, fileCount: 1))
            }
        }
    }
}
