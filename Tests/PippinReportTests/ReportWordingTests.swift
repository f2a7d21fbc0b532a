import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinReport

/// How findings are worded: headlines that say what is wrong, one answer about one tag, no made-up address.
@Suite struct ReportWordingTests {
    // MARK: Headlines

    @Test func `every check says what is so when it fails, in other words than what is so when it passes`() {
        for check in Check.all {
            #expect(
                check.problem != check.title && !check.problem.isEmpty && !check.problem.hasSuffix("."), "\(check.id)")
        }
        #expect(Set(Check.all.map(\.problem)).count == Check.all.count)
    }

    private static let broken = ReportPage(
        """
        <title>Mug</title><meta name="apple-itunes-app" content="app-id=123456789">
        <script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing","name":"Mug",}</script>
        """)

    @Test func `forms headline the problem and begin with errors`() throws {
        let card = Self.broken.card
        let check = try #require(card.findings("S05").first { $0.outcome >= .info }?.check)
        #expect(card.html.contains("<span class=\"wanted\">\(check.problem)</span>"))
        #expect(!card.html.contains("<span class=\"wanted\">\(check.title)</span>"))
        #expect(card.text().contains("Wanted: \(check.title)."))

        let outcomes = try #require(card.json["findings"]?.array).compactMap { $0["outcome"]?.string }
        let ranks = outcomes.compactMap { ["error", "warning", "info", "unknown", "pass"].firstIndex(of: $0) }
        #expect(ranks.count == outcomes.count && ranks == ranks.sorted() && Set(ranks).count >= 4)

        let run = try #require(card.sarif(version: "1")["runs"]?.array?.first)
        let levels = try #require(run["results"]?.array).compactMap { $0["level"]?.string }
        #expect(
            levels.first == "error"
                && levels
                    == levels.sorted { a, b in
                        ["error", "warning", "note"].firstIndex(of: a) ?? 9 < ["error", "warning", "note"].firstIndex(
                            of: b) ?? 9
                    }
        )
        let rules = try #require(run["tool"]?["driver"]?["rules"]?.array)
        let rule = try #require(rules.first { $0["id"]?.string == "S05" })
        #expect(rule["shortDescription"]?["text"]?.string == check.problem + ".")
    }

    @Test func `errors come before any number of warnings`() {
        var error = ReportCard.Counts()
        error.count(.error)
        var warnings = ReportCard.Counts()
        warnings.count(.warning, times: 500)
        var advice = ReportCard.Counts()
        advice.count(.info, times: 9_000)
        #expect(ReportCard.Counts.isGraver(error, warnings) && ReportCard.Counts.isGraver(warnings, advice))
        #expect(!ReportCard.Counts.isGraver(advice, error) && !ReportCard.Counts.isGraver(error, error))
    }

    // MARK: One answer about one tag

    @Test(arguments: [
        (#"<meta property="og:title" content=""><meta property="og:type" content="website">"#, "og:title"),
        (#"<meta property="og:url" content="https://"><meta property="og:title" content="Mug">"#, "og:url"),
        (#"<meta property="og:image" content="http://[::1"><meta property="og:title" content="Mug">"#, "og:image"),
        (#"<meta property="og:type"><meta property="og:title" content="Mug">"#, "og:type"),
        (
            #"<meta name="twitter:app:id:iphone" content="none"><meta name="twitter:app:name:iphone" content="Mugs">"#,
            "twitter:app:id:iphone"
        ),
        (
            #"<meta name="twitter:app:url:iphone" content=""><meta name="twitter:app:name:iphone" content="Mugs"><meta name="twitter:app:id:iphone" content="123456789">"#,
            "twitter:app:url:iphone"
        ),
        (
            #"<meta property="al:ios:url" content="mugs://a"><meta property="al:ios:app_store_id" content="mugs">"#,
            "app_store_id"
        ),
        (
            #"<meta property="al:ios:url" content=""><meta property="al:ios:app_store_id" content="123456789">"#,
            "al:ios:url"
        ),
        (
            #"<meta property="al:android:package" content=""><meta property="al:android:url" content="mugs://a">"#,
            "package"
        ),
        (#"<meta name="apple-itunes-app" content="app-id=123456789, app-argument=">"#, "app-argument"),
        (#"<meta name="description" content="">"#, "description"),
        (#"<title></title>"#, "title"),
        (#"<link rel="canonical" href="">"#, "canonical"),
    ])
    func `a tag that is there and wrong is not missing`(head: String, tag: String) {
        let said = ReportPage(head).card.findings.filter { $0.outcome >= .info }
            .filter { ["S01", "S02", "S14", "L06", "L07", "L18", "L19", "T04"].contains($0.check.id) }
            .map(\.sentence).filter { $0.contains(tag) }
        #expect(!said.isEmpty)
        for sentence in said {
            // `has no app_store_id`, `og:title and og:type are missing`
            let isMissing =
                sentence.contains("missing") || sentence.contains("no \(tag)") || sentence.contains("no al:")
            #expect(!isMissing, "\(said)")
        }
    }

    @Test func `tags that are not there are missing`() {
        let graph = ReportPage(#"<meta property="og:title" content=""><meta property="og:type" content="website">"#)
            .card
        #expect(graph.findings("S14").contains { $0.sentence == "og:image and og:url are missing." })
        let described = ReportPage(#"<meta property="og:description" content="A mug for tea.">"#).card
        #expect(described.findings("S14").contains { $0.sentence.contains("are missing") })
        #expect(ReportPage("").card.findings("S02").contains { $0.sentence.hasPrefix("The page has no description.") })
    }

    // MARK: Addresses

    private static let unpublished = ReportPage(
        """
        <title>Mug</title><meta name="apple-itunes-app" content="app-id=123456789">
        <meta property="og:image" content="img/mug.png"><link rel="canonical" href="mug">
        """
    ).with {
        $0.url = UnknownAddress.url.href
        $0.isOffline = true
    }

    @Test func `a page that does not say its address gets placeholders in every form`() throws {
        let card = Self.unpublished.card
        #expect(!card.isAddressKnown)
        let forms = [card.text(), card.json.text(), card.junit(), card.sarif(version: "1").text(), card.html]
        for form in forms {
            #expect(!form.contains(".invalid"), "\(form.prefix(200))")
            #expect(form.contains("YOUR-SITE"), "\(form.prefix(200))")
        }
        #expect(card.text().hasPrefix("Report card: a page whose address is not known\n"))
        #expect(card.text().contains("app-argument=https://YOUR-SITE/PATH/THIS-PAGE"))
        #expect(card.html.contains("https://YOUR-SITE/PATH/img/mug.png"))
        #expect(card.json["addressKnown"] == false && card.json["record"]?["domainIdentifier"]?.string == "YOUR-SITE")
        for id in ["T03", "T14", "D16"] { #expect(card.outcome(id) == .unknown, "\(id)") }
        // Where the link leads is not known, but that it is relative is.
        #expect(card.outcome("T04") == .warning)
    }

    @Test func `what fixes an address fixes the tag that it stands in`() throws {
        let page = ReportPage(#"<meta property="og:url" content="/mug"><meta property="og:image" content="a.png">"#)
        let found = page.card.findings("S14").filter { $0.noteCode == .openGraph(.urlRelative) }
        #expect(
            found.compactMap { $0.remedy?.code }.sorted() == [
                "<meta property=\"og:image\" content=\"https://shop.example/a.png\">",
                "<meta property=\"og:url\" content=\"https://shop.example/mug\">",
            ])
    }

    @Test func `a page's own address is taken where it is whole`() throws {
        func address(_ head: String) -> String? {
            UnknownAddress.resolved(by: Self.unpublished.with { $0.head = head }.facts)?.href
        }
        #expect(address(#"<link rel="canonical" href="https://shop.example/mug">"#) == "https://shop.example/mug")
        #expect(address(#"<meta property="og:url" content="https://shop.example/cup">"#) == "https://shop.example/cup")
        #expect(
            address(#"<link rel="canonical" href="/mug"><meta property="og:url" content="https://shop.example/cup">"#)
                == "https://shop.example/cup")
        #expect(address(#"<link rel="canonical" href="/mug">"#) == nil)
    }

    @Test func `a known address is shown as it is`() {
        let page = ReportPage("<title>On page.invalid</title>")
        #expect(page.card.text().contains("page.invalid") && !page.card.text().contains("YOUR-SITE/"))
    }

    // MARK: Words

    @Test(arguments: [
        ("https://shop.example/mug is http", "https://shop.example/mug is http"), ("https, HTTP/2", "https, HTTP/2"),
        ("iOS opens it", "iOS opens it"), ("og:title is missing", "og:title is missing"),
        ("robots.txt closes it", "robots.txt closes it"), ("app-id is empty", "app-id is empty"),
        ("line 3, column 5", "Line 3, column 5"), ("the picture “a”", "The picture “a”"),
        ("it's there", "It's there"), ("“a” is http", "“a” is http"), ("noindex forbids it", "noindex forbids it"),
        ("", ""), ("é", "É"), ("self-made", "Self-made"),
    ])
    func `a sentence begins with a capital, a name with its own spelling`(text: String, sentence: String) {
        #expect(text.sentenceStart == sentence)
    }

    @Test(arguments: [
        (0, "0 s"), (90, "90 s"), (119, "119 s"), (120, "2 min"), (2_100, "35 min"), (3_570, "1 h"),
        (5_400, "1 h 30 min"),
        (93_600, "26 h"), (172_799, "2 days"), (172_800, "2 days"), (183_600, "2 days 3 h"), (-5, "0 s"),
    ])
    func `times are told in the units that people use`(seconds: Int, words: String) {
        #expect(DurationWords.text(seconds: seconds) == words)
    }

    @Test func `the preview shows hours as hours, and what cannot be fetched`() {
        let recipe = ReportPage(
            """
            <title>Slow bread</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe",
            "name":"Slow bread","totalTime":"PT26H"}</script>
            """)
        #expect(recipe.card.html.contains("<span>26 h</span>"))
        func offer(_ availability: String) -> ReportCard {
            ReportPage(
                """
                <title>Mug</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product",
                "name":"Mug","offers":{"@type":"Offer","price":"12","priceCurrency":"EUR","availability":"\(availability)"}}
                </script>
                """
            ).card
        }
        let soldOut = offer("https://schema.org/SoldOut")
        #expect(soldOut.html.contains("<span class=\"error\">Sold out</span>"))
        #expect(soldOut.text().contains("The offer is 12 EUR, sold out."))
        #expect(offer("in stock").html.contains("<span class=\"pass\">In stock</span>"))
        for member in SchemaOrg.availabilities {
            let words = SchemaOrg.words(ofMember: member)
            #expect(offer(member).html.contains(">\(words)</span>"), "\(words)")
        }
    }
}
