import Testing

@testable import PippinPage
@testable import PippinReport

/// A page's versions in other languages (D19): its own list, and after a crawl whether the other versions list it too.
@Suite struct LanguageVersionTests {
    private static func link(_ language: String, _ address: String) -> String {
        "<link rel=alternate hreflang=\"\(language)\" href=\"\(address)\">"
    }

    private static let own = link("en", "https://shop.example/mug")
    private static let german = link("de", "https://shop.example/de/mug")
    private static let other = link("x-default", "https://shop.example/choose")

    /// Heads of https://shop.example/mug, and the findings.
    @Test(arguments: [
        (own + german + other, []),
        (own, []),
        (link("EN", "https://shop.example/mug#top") + german + link("x-default", "https://shop.example/mug"), []),
        (link("x-default", "https://shop.example/mug") + german, []),
        (german + other, ["warning: None of the page's 2 hreflang links names the page itself."]),
        (
            "<link rel=canonical href=https://shop.example/en/mug>" + german + other
                + link("en", "https://shop.example/en/mug"), []
        ),
        (own + german, ["info: No hreflang x-default: readers of other languages have no version."]),
        (own + own + other, []),
        (
            own + other + link("EN", "https://shop.example/cup") + link("en", "https://shop.example/bowl"),
            ["warning: hreflang “EN” names two addresses: “https://shop.example/mug” and “https://shop.example/cup”."]
        ),
        (
            own + other + link("de", "/de/mug") + link("fr", "//shop.example/fr/mug"),
            ["warning: hreflang “de” has an address without scheme and host, as 1 more has."]
        ),
        (
            own + other + link("es-419", "https://shop.example/es") + link("fil", "https://shop.example/fil"),
            [
                "info: Google does not read hreflang “es-419” and “fil”: languages need a code of ISO 639-1, regions one of ISO 3166-1."
            ]
        ),
        // S18 reports codes that are no language tags.
        (own + other + link("en-UK", "https://shop.example/uk"), []),
        (own + other + link("zh-Hant-HK", "https://shop.example/hk"), []),
        (german, ["warning: The page's only hreflang link does not name the page itself."]),
        ("<meta name=robots content=noindex>" + german, []),
        // The language of a feed is no version of the page.
        ("<link rel=alternate type=application/rss+xml hreflang=en href=https://shop.example/feed>", []),
        ("", []),
    ])
    func `a page's list names the page, each version once, by whole addresses`(head: String, findings: [String]) {
        let found = ReportPage("<title>Mug</title>" + head).card.findings("D19").filter { $0.outcome >= .info }
        #expect(found.map { "\($0.outcome): \($0.sentence)" } == findings)
    }

    @Test func `versions in a header are judged like those in the page`() throws {
        let page = ReportPage("<title>Mug</title>").with {
            $0.headers.append(("Link", "<https://shop.example/de/mug>; rel=\"alternate\"; hreflang=\"de\""))
        }
        let finding = try #require(page.card.findings("D19").first)
        #expect(finding.outcome == .warning && finding.place?.source == .header)
        #expect(finding.remedy?.code == "<link rel=\"alternate\" hreflang=\"en\" href=\"https://shop.example/mug\">")
    }

    @Test func `x-default is proposed with one address for all versions, and findings have a column`() throws {
        for versions in [Self.own + Self.german, Self.german + Self.own] {
            let finding = try #require(ReportPage("<title>Mug</title>" + versions).card.findings("D19").first)
            #expect(
                finding.remedy?.code
                    == "<link rel=\"alternate\" hreflang=\"x-default\" href=\"https://shop.example/mug\">")
            #expect(finding.place?.line == 2 && finding.place?.column == 19)
        }
    }

    @Test func `a file whose address is unknown may list itself under any address`() {
        let page = ReportPage("<title>Mug</title>" + Self.german + Self.other).with {
            $0.url = UnknownAddress.url.href
        }
        #expect(page.card.findings("D19").allSatisfy { $0.outcome == .pass })
    }

    @Test func `Applebot documents nothing of hreflang`() {
        var page = ReportPage("<title>Mug</title>" + Self.german)
        for (profile, outcome) in [
            (ReportCard.Profile.apple, Finding.Outcome?.none), (.google, .warning), (.all, .warning),
        ] {
            page.options.profile = profile
            #expect(page.card.outcome("D19") == outcome, "\(profile)")
        }
    }

    // MARK: Among pages

    /// A page of a crawl, by its path and the paths of its versions.
    private static func entry(_ path: String, lists versions: [String], head: String = "") throws -> ReportEntry {
        let links = versions.enumerated().map { link(languages[$0.offset], "https://shop.example/\($0.element)") }
        let card = ReportPage("<title>Page \(path)</title>" + links.joined() + head).with {
            $0.url = "https://shop.example/\(path)"
        }.card
        return ReportEntry(
            url: card.url, key: URLKey(card.url), seed: nil, content: .judged(JudgedPage(card)), date: ReportPage.now)
    }

    private static let languages = ["en", "de", "fr", "it", "es"]

    private static func redirect(_ path: String, to target: String) throws -> ReportEntry {
        let url = try #require(WebURL("https://shop.example/\(path)"))
        return ReportEntry(
            url: url, key: URLKey(url), seed: nil,
            content: .leads(to: "https://shop.example/\(target)", isRedirect: true), date: ReportPage.now)
    }

    /// The findings about pages that do not list a page, by the page's path. The entries are kept and read again before, as a
    /// job does.
    private static func found(_ entries: [ReportEntry]) throws -> [String: String] {
        var builder = SiteReportBuilder(readsSitemaps: true)
        for entry in entries {
            builder.add(try ReportEntry(kept: entry.kept(maximumBytes: 1 << 20), date: entry.date))
        }
        let report = builder.report(
            of: SiteReport.Crawl(
                ending: .finished, finishedAt: ReportPage.now, seeds: [], notCovered: [], isComplete: true))
        let examples = report.checks.first { $0.check.id == "D19" }?.examples ?? []
        return Dictionary(
            examples.filter { $0.sentence.contains("among") }.map { (String($0.url.dropFirst(21)), $0.sentence) },
            uniquingKeysWith: { $0 + $1 })
    }

    private static func sentence(_ others: String, _ list: String) -> String {
        "\(others) \(list) language versions, so Google ignores the hreflang links between them."
    }

    @Test func `versions that list each other are in order`() throws {
        let paths = ["a", "b", "c"]
        #expect(try Self.found(try paths.map { try Self.entry($0, lists: paths) }).isEmpty)
    }

    @Test func `a version that does not list the page is named, in whatever order they were read`() throws {
        let entries = try [
            Self.entry("a", lists: ["a", "b", "c", "d"]), Self.entry("b", lists: ["a", "b"]),
            Self.entry("c", lists: ["c"]), Self.entry("d", lists: []),
        ]
        let expected = [
            "a": Self.sentence(
                "https://shop.example/c and https://shop.example/d", "do not list this page among their")
        ]
        #expect(try Self.found(entries) == expected)
        #expect(try Self.found(entries.reversed()) == expected)
        #expect(
            try Self.found([entries[0], entries[2]])["a"]
                == Self.sentence("https://shop.example/c", "does not list this page among its"))
    }

    @Test func `language versions take no room of links`() throws {
        var limits = SiteReportBuilder.Limits()
        limits.addresses = 3
        var builder = SiteReportBuilder(readsSitemaps: false, limits: limits)
        var first = try Self.entry("a", lists: ["a", "x", "y"])
        first.followed = ["https://shop.example/b", "https://shop.example/c"]
        builder.add(first)
        #expect(builder.graph.addresses.map(\.key) == ["a", "b", "c"].map { "https://shop.example/\($0)" })
        #expect(builder.graph.leftOut == 0)
        // A list for which there is no room is not known: nobody is blamed for what is missing in it.
        builder.add(try Self.entry("b", lists: ["b", "z"]))
        #expect(builder.pages.map { $0.versions == nil } == [false, true])
    }

    @Test func `pages that were not seen, forbid indexing or lead elsewhere are not blamed`() throws {
        #expect(try Self.found([Self.entry("a", lists: ["a", "unseen"])]).isEmpty)
        let refused = try Self.entry("b", lists: [], head: "<meta name=robots content=noindex>")
        #expect(try Self.found([Self.entry("a", lists: ["a", "b"]), refused]).isEmpty)
        let copy = try Self.entry("b", lists: [], head: "<link rel=canonical href=https://shop.example/c>")
        #expect(try Self.found([Self.entry("a", lists: ["a", "b"]), copy]).isEmpty)
    }

    @Test func `a list that names an old address of a page names the page`() throws {
        let entries = try [
            Self.entry("a", lists: ["a", "old-b"]), Self.redirect("old-b", to: "b"),
            Self.entry("b", lists: ["old-a", "b"]), Self.redirect("old-a", to: "a"),
        ]
        #expect(try Self.found(entries).isEmpty)
        let without = try Self.found([entries[0], entries[1], Self.entry("b", lists: ["b"]), entries[3]])
        #expect(without["a"] == Self.sentence("https://shop.example/b", "does not list this page among its"))
    }

    @Test func `a page whose versions are in the sitemap is not blamed for what its markup lacks`() throws {
        let url = try #require(WebURL("https://shop.example/sitemap.xml"))
        let sitemap = Sitemap(
            bytes: Array(
                """
                <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url>
                <loc>https://shop.example/b</loc><xhtml:link rel="alternate" hreflang="en" href="https://shop.example/a"/>
                </url></urlset>
                """.utf8), url: url)
        let listed = ReportEntry(
            url: url, key: URLKey(url), seed: nil, content: .sitemap(sitemap.entries.map { ReportEntry.Listed($0) }),
            date: ReportPage.now)
        let pages = try [Self.entry("a", lists: ["a", "b"]), Self.entry("b", lists: [])]
        #expect(try Self.found(pages).keys.sorted() == ["a"])
        #expect(try Self.found(pages + [listed]).isEmpty)
    }

    @Test func `a list that is too long to compare is not known, and no page is blamed for it`() throws {
        let long = (0..<201).map { Self.link("en", "https://shop.example/\($0)") }.joined()
        let many = try Self.entry("b", lists: [], head: long)
        #expect(try Self.found([Self.entry("a", lists: ["a", "b"]), many]).isEmpty)
        let bytes = (0..<20).map {
            Self.link("en", "https://shop.example/\($0)" + String(repeating: "x", count: 1_900))
        }
        let heavy = try Self.entry("b", lists: [], head: bytes.joined())
        #expect(try Self.found([Self.entry("a", lists: ["a", "b"]), heavy]).isEmpty)
    }
}
