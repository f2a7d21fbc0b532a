import Testing

@testable import PippinPage
@testable import PippinReport

/// What the report card finds where a page's sources say different things of one topic, in its languages and its keywords.
@Suite struct PresentationVerdictTests {
    private static func script(_ text: String) -> String {
        "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\(text)}</script>"
    }

    private static func graph(_ property: String, _ content: String) -> String {
        "<meta property=\"\(property)\" content=\"\(content)\">"
    }

    /// `outcome: sentence` of each finding of a check.
    private static func told(_ page: ReportPage, _ check: String) -> String {
        page.card.findings(check).map { "\($0.outcome): \($0.sentence)" }.joined(separator: "\n")
    }

    // MARK: Sources (S16)

    private static func products(
        _ title: String = "Mug", json: String = "", microdata: String = "", tags: String = ""
    ) -> ReportPage {
        ReportPage(
            "<title>\(title)</title>" + tags
                + (json.isEmpty ? "" : script("\"@type\":\"Product\",\(json)"))
        ).with {
            if !microdata.isEmpty {
                $0.body += "<div itemscope itemtype=\"https://schema.org/Product\">\(microdata)</div>"
            }
        }
    }

    private static func jsonOffer(_ price: String, _ currency: String = "EUR", _ availability: String = "InStock")
        -> String
    {
        "\"name\":\"Mug\",\"offers\":{\"@type\":\"Offer\",\"price\":\"\(price)\",\"priceCurrency\":\"\(currency)\",\"availability\":\"https://schema.org/\(availability)\"}"
    }

    private static func itemOffer(
        _ price: String, _ currency: String = "EUR", _ availability: String = "InStock", name: String = "Mug"
    ) -> String {
        """
        <b itemprop="name">\(name)</b><p itemprop="offers" itemscope itemtype="https://schema.org/Offer">
        <meta itemprop="price" content="\(price)"><meta itemprop="priceCurrency" content="\(currency)">
        <link itemprop="availability" href="https://schema.org/\(availability)"></p>
        """
    }

    @Test func `prices of two syntaxes are compared, with their currencies`() {
        let same = Self.products(json: Self.jsonOffer("12.50"), microdata: Self.itemOffer("12.5"))
        #expect(same.card.outcome("S16") == .pass, "\(Self.told(same, "S16"))")
        let other = Self.told(Self.products(json: Self.jsonOffer("12.50"), microdata: Self.itemOffer("15.00")), "S16")
        #expect(other == "warning: The price is 12.50 EUR in JSON-LD and 15.00 EUR in microdata.")
        let currency = Self.told(
            Self.products(json: Self.jsonOffer("12.50"), microdata: Self.itemOffer("12.50", "USD")), "S16")
        #expect(currency == "warning: The price is 12.50 EUR in JSON-LD and 12.50 USD in microdata.")
    }

    @Test func `one variant's price is among the prices of all`() {
        let range = Self.products(
            json:
                "\"name\":\"Mug\",\"offers\":{\"@type\":\"AggregateOffer\",\"lowPrice\":\"10\",\"highPrice\":\"20\",\"priceCurrency\":\"EUR\"}",
            microdata: Self.itemOffer("15.00"))
        #expect(range.card.outcome("S16") == .pass, "\(Self.told(range, "S16"))")
    }

    @Test func `availability is compared as a buyer understands it`() {
        let other = Self.products(json: Self.jsonOffer("5"), microdata: Self.itemOffer("5", "EUR", "SoldOut"))
        #expect(
            Self.told(other, "S16") == "warning: The availability is InStock in JSON-LD and SoldOut in microdata.")
        let alike = Self.products(
            json: Self.jsonOffer("5", "EUR", "SoldOut"), microdata: Self.itemOffer("5", "EUR", "OutOfStock"))
        #expect(alike.card.outcome("S16") == .pass)
        let tags = Self.products(json: Self.jsonOffer("5"), tags: Self.graph("product:availability", "oos"))
        #expect(
            Self.told(tags, "S16") == "warning: The availability is InStock in JSON-LD and OutOfStock in Open Graph.")
    }

    @Test func `names and ratings of two syntaxes are compared`() {
        func named(_ a: String, _ b: String) -> String {
            Self.told(
                Self.products("Mugs", json: "\"name\":\"\(a)\"", microdata: "<b itemprop=\"name\">\(b)</b>"), "S16")
        }
        #expect(named("Blue mug", "Red mug").contains("The name is “Blue mug” in JSON-LD and “Red mug” in microdata."))
        #expect(!named("Blue mug", "Acme blue mug, 0.3 l").contains("The name is"))
        #expect(!named("Blue Mug", "blue-mug").contains("The name is"))
        func rated(_ a: String, _ b: String, best: String = "5") -> String {
            Self.told(
                Self.products(
                    json:
                        "\"name\":\"Mug\",\"aggregateRating\":{\"@type\":\"AggregateRating\",\"ratingValue\":\"\(a)\",\"ratingCount\":\"9\"}",
                    microdata:
                        "<b itemprop=\"name\">Mug</b><p itemprop=\"aggregateRating\" itemscope itemtype=\"https://schema.org/AggregateRating\"><meta itemprop=\"ratingValue\" content=\"\(b)\"><meta itemprop=\"bestRating\" content=\"\(best)\"><meta itemprop=\"ratingCount\" content=\"9\"></p>"
                ), "S16")
        }
        #expect(rated("4.5", "3.5") == "warning: The rating is 4.5 of 5 in JSON-LD and 3.5 of 5 in microdata.")
        #expect(rated("4.5", "4.5").hasPrefix("pass"))
        #expect(rated("4.5", "4.55").hasPrefix("pass"))
    }

    @Test func `a thing that the title does not know is another thing`() {
        let page = Self.products(
            "Blue mug – Shop", json: Self.jsonOffer("12.50").replacing("Mug", with: "Blue mug"),
            microdata: Self.itemOffer("99", name: "Garden chair"))
        let told = Self.told(page, "S16")
        #expect(told.contains("Garden chair") && !told.contains("The price"), "\(told)")
    }

    @Test func `Open Graph and the Twitter card are held against schema.org`() {
        let tags =
            Self.graph("product:price:amount", "15.00") + Self.graph("product:price:currency", "EUR")
            + "<meta name=\"twitter:label1\" content=\"Price\"><meta name=\"twitter:data1\" content=\"€12.50\">"
        let told = Self.told(Self.products(json: Self.jsonOffer("12.50"), tags: tags), "S16")
        #expect(
            told.contains("12.50 EUR in JSON-LD, 15.00 EUR in Open Graph and 12.50 EUR in twitter:data1"), "\(told)")
    }

    // MARK: Languages (S18)

    @Test(arguments: [
        ("english", "en"), ("English-US", "en-US"), ("jp", "ja"), ("eng", "en"), ("en-UK", "en-GB"), ("iw", "he"),
        ("xx", nil), ("en-USA", "en"), ("klingonese", nil), ("en--US", "en"),
    ])
    func `a language that is no tag is found`(written: String, instead: String?) throws {
        let page = ReportPage().with { $0.html = "<html lang=\"\(written)\"><title>Mug</title><p>A mug.</html>" }
        let finding = try #require(page.card.findings("S18").first)
        #expect(finding.outcome == .info)
        #expect(finding.sentence.contains("is no language tag of BCP 47"), "\(finding.sentence)")
        #expect(finding.remedy?.code == instead.map { "<html lang=\"\($0)\">" })
    }

    @Test(arguments: [
        "en", "en-GB", "zh-Hant-TW", "zh-yue", "de-CH-1996", "es-419", "sr-Latn-RS", "haw", "en-x-plain",
        "sl-rozaj-biske",
        "EN-us", "x-elvish",
    ])
    func `a tag of BCP 47 passes`(tag: String) {
        #expect(LanguageTag.flaw(of: tag) == nil)
        let page = ReportPage().with { $0.html = "<html lang=\"\(tag)\"><title>Mug</title><p>A mug.</html>" }
        #expect(page.card.outcome("S18") == .pass, "\(Self.told(page, "S18"))")
    }

    @Test func `the languages of alternates and of the main item are tags too`() {
        let page = ReportPage(
            "<link rel=\"alternate\" hreflang=\"english\" href=\"https://shop.example/en\"><link rel=\"alternate\" hreflang=\"x-default\" href=\"https://shop.example/\">"
                + Self.script("\"@type\":\"Article\",\"headline\":\"Mugs\",\"inLanguage\":\"German\""))
        let told = Self.told(page, "S18")
        #expect(told.contains("hreflang “english” is no language tag"), "\(told)")
        #expect(told.contains("inLanguage “German” is no language tag"), "\(told)")
        #expect(!told.contains("x-default"))
    }

    @Test func `a language that cannot be read is wrong, not missing`() {
        let page = ReportPage().with { $0.html = "<html lang=\"{{lang}}\"><title>Mug</title><p>A mug.</html>" }
        let told = Self.told(page, "S18")
        #expect(told.contains("is not a language tag") && !told.contains("does not say"), "\(told)")
    }

    @Test(arguments: [
        ("no", "nb_NO", true), ("nb", "no_NO", true), ("he", "iw_IL", true), ("zh-CN", "zh_Hans", true),
        ("fil", "tl_PH", true), ("en", "en_GB", true), ("sv", "nb_NO", false), ("de", "en_US", false),
        ("fi", "fil_PH", false),
    ])
    func `og:locale and the page's language are compared by language`(language: String, locale: String, isSame: Bool) {
        let page = ReportPage().with {
            $0.html =
                "<html lang=\"\(language)\"><head><title>Mug</title>\(Self.graph("og:locale", locale))</head><p>A mug.</html>"
        }
        let told = Self.told(page, "S18")
        #expect(told.contains("og:locale") != isSame, "\(told)")
    }

    // MARK: Keywords (S20)

    private static func keywords(_ content: String) -> String {
        told(ReportPage("<meta name=\"keywords\" content=\"\(content)\">"), "S20")
    }

    @Test(arguments: [
        ("mug", "The page has 1 keyword;"), ("mug, cup", "The page has 2 keywords;"),
        ("a1, b2, c3, d4, e5, f6", "The page has 6 keywords;"),
        ((1...20).map { "word\($0)" }.joined(separator: ", "), "The page has 20 keywords;"),
        ((1...400).map { "w\($0)" }.joined(separator: ","), "The page has 400 keywords;"),
    ])
    func `too few and too many keywords are counted`(content: String, sentence: String) {
        #expect(Self.keywords(content).contains("info: " + sentence), "\(Self.keywords(content))")
    }

    @Test(arguments: [
        ("mug, cup, Mug, tea, mug", "“mug” stands 3 times among the keywords"),
        (Array(repeating: "mug", count: 20).joined(separator: ","), "“mug” stands 20 times among the keywords"),
        ("mug, cup, cup, tea", "“cup” stands twice among the keywords"),
        ("mug mug mug mug, cup, tea", "“mug” stands 4 times among the keywords"),
        ("mug, red mug, blue mug, buy mug, cheap mug, mug shop", "“mug” stands 6 times among the keywords"),
    ])
    func `a stuffed keyword is counted by its occurrences`(content: String, sentence: String) {
        #expect(Self.keywords(content).contains("info: " + sentence), "\(Self.keywords(content))")
    }

    @Test(arguments: ["mug, cup, tea", "mug, red mug, tea mug, mug shop, pottery", "マグ、カップ、茶", "a; b; c; d"])
    func `three to five keywords pass`(content: String) {
        #expect(Self.keywords(content).hasPrefix("pass: "), "\(Self.keywords(content))")
    }
}
