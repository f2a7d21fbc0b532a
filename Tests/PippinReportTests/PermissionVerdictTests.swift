import Testing

@testable import PippinPage
@testable import PippinReport

/// What a page asks of crawlers (D07…D09), in the words and at the place that its author needs.
@Suite struct PermissionVerdictTests {
    private static func meta(_ name: String, _ content: String) -> String {
        "<meta name=\"\(name)\" content=\"\(content)\">"
    }

    /// Heads, and whether D07 reports directives that no crawler reads.
    @Test(arguments: [
        (#"<meta http-equiv="X-Robots-Tag" content="noindex">"#, true),
        (#"<meta http-equiv="x-robots-tag" content="noindex, nofollow">"#, true),
        (meta("X-Robots-Tag", "noindex"), true), (meta("robot", "none"), true),
        (meta("robots, googlebot", "noindex"), true), (meta("googlebot,bingbot", "nosnippet"), true),
        (meta("Googlebot Bingbot", "max-snippet:0"), true), (meta("robots;googlebot", "noindex"), true),
        (meta("robots|applebot", "noarchive"), true),
        // What holds without directives is not lost.
        (meta("robots, googlebot", "index, follow"), false), (meta("X-Robots-Tag", "all"), false),
        (#"<meta http-equiv="X-Robots-Tag" content="">"#, false),
        // Names that crawlers read, and names that are for others.
        (meta("robots", "nofollow"), false), (meta("otherbot", "noindex"), false),
        (meta("googlebot-news", "noindex"), false), (meta("keywords, description", "noindex"), false),
        (meta("audience", "none"), false), (#"<meta http-equiv="X-UA-Compatible" content="none">"#, false),
    ])
    func `directives under a name that no crawler reads are reported`(head: String, isReported: Bool) throws {
        let card = ReportPage("<title>Mug</title>\n" + head).card
        let found = card.findings.filter { $0.noteCode == .robotsDirective(.unread) }
        #expect(found.count == (isReported ? 1 : 0))
        #expect(card.record != nil)
        guard isReported else { return }
        let finding = try #require(found.first)
        #expect(finding.check.id == "D07" && finding.outcome == .warning && finding.place?.column != nil)
        #expect(finding.sentence.hasPrefix("No crawler reads directives in a meta element with the "))
        #expect(finding.remedy?.code?.hasPrefix("<meta name=\"robots\" content=\"") == true)
    }

    @Test func `the remedy keeps the directives of the tag that is not read`() {
        let page = ReportPage("<title>Mug</title>" + Self.meta("robots, googlebot", "noindex, max-snippet:5"))
        #expect(
            page.card.findings("D07").first?.remedy?.code == "<meta name=\"robots\" content=\"noindex, max-snippet:5\">"
        )
    }

    @Test(arguments: [
        (ReportCard.Profile.apple, "noindex", "meta robots says noindex."),
        (.apple, "none", "meta robots says none, which for Applebot includes noindex."),
        (.google, "none", "meta robots says none, which for Googlebot includes noindex."),
        (.google, "none, noindex", "meta robots says noindex."),
    ])
    func `the directive is named as the page writes it`(profile: ReportCard.Profile, content: String, sentence: String)
    {
        var page = ReportPage("<title>Mug</title>" + Self.meta("robots", content))
        page.options.profile = profile
        #expect(page.card.findings("D07").map(\.sentence) == [sentence])
    }

    @Test func `the place is that of the tag with the directive`() throws {
        for (other, directive, check) in [
            ("max-image-preview:none", "noindex", "D07"), ("nofollow", "none", "D07"),
            ("noindex", "none", "D09"), ("max-image-preview:none", "nofollow", "D09"),
            ("noindex", "nosnippet", "D08"),
        ] {
            let page = ReportPage(
                "<title>Mug</title>\n" + Self.meta("robots", other) + "\n" + Self.meta("robots", directive))
            let place = try #require(page.card.findings(check).first { $0.outcome >= .warning }?.place)
            // The title is in the second line.
            #expect(place.line == 4, "\(other) \(directive)")
        }
    }

    @Test(arguments: [
        (ReportCard.Profile.all, "Applebot"), (.apple, "Applebot"), (.google, "Googlebot"),
    ])
    func `what is allowed is said of the crawler that is judged`(profile: ReportCard.Profile, crawler: String) {
        var page = ReportPage("<title>Mug</title>")
        page.options.profile = profile
        let card = page.card
        for check in ["D07", "D08", "D09"] {
            #expect(card.findings(check).map(\.outcome) == [.pass])
            #expect(card.findings(check).allSatisfy { $0.sentence.contains(crawler) }, "\(check)")
        }
        page.head += Self.meta("robots", "max-snippet:160")
        let limited = page.card.findings("D08").first?.sentence
        #expect(limited?.contains("160 characters") == (profile != .apple))
    }

    @Test(arguments: [
        ("noindex nofollow", "commas"), ("nosuch", "Remove the word"), ("max-snippet: soon", "-1 for no limit"),
    ])
    func `each slip in a list has its own remedy`(content: String, words: String) {
        let findings = ReportPage("<title>Mug</title>" + Self.meta("robots", content)).card.findings("D07")
        #expect(findings.contains { $0.noteCode != nil && $0.remedy?.text.contains(words) == true })
    }

    // MARK: The picture (D06)

    /// A page with a picture of its own for each reader. robots.txt closes one to everybody.
    @Test(arguments: [
        (ReportCard.Profile.facebook, closed: "graph", Finding.Outcome.warning), (.facebook, "card", .pass),
        (.facebook, "item", .pass), (.twitter, "card", .warning), (.twitter, "graph", .pass), (.twitter, "item", .pass),
    ])
    func `the picture that is judged is the one that the profile's reader shows`(
        profile: ReportCard.Profile, closed: String, outcome: Finding.Outcome
    ) {
        var page = ReportPage(
            """
            <title>Mug</title><meta property="og:image" content="https://shop.example/graph.jpg">
            <meta name="twitter:card" content="summary"><meta name="twitter:title" content="Mug">
            <meta name="twitter:image" content="https://shop.example/card.jpg">
            <script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product", "name": "Mug",
            "image": "https://shop.example/item.jpg"}</script>
            """)
        page.robots = "User-agent: *\nDisallow: /\(closed).jpg\n"
        page.options.profile = profile
        #expect(page.card.outcome("D06") == outcome)
    }

    @Test func `where a reader shows no picture, none is judged`() {
        var page = ReportPage(
            "<title>Mug</title><meta name=\"twitter:image\" content=\"https://shop.example/card.jpg\">")
        page.robots = "User-agent: *\nDisallow: /card.jpg\n"
        page.options.profile = .facebook
        #expect(page.card.outcome("D06") == nil)
        // Without a card there is no picture on X.
        page.options.profile = .twitter
        #expect(page.card.outcome("D06") == nil)
    }
}
