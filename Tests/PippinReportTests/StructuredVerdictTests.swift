import Foundation
import Testing

@testable import PippinPage
@testable import PippinReport

/// What the report card finds in places, media, offers, recipes and dates. The tests' now is 18 November 2026.
@Suite struct StructuredVerdictTests {
    private static func json(_ text: String) -> ReportPage { ReportPage(script(text)) }

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

    // MARK: Places (S10)

    private static func shop(_ members: String) -> ReportPage {
        json("\"@type\":\"LocalBusiness\",\"name\":\"Mugs\",\(members)")
    }

    @Test(arguments: [
        "\"address\":{\"@type\":\"PostalAddress\",\"addressLocality\":\"Gentofte\",\"addressCountry\":\"DK\"}",
        "\"address\":{\"@type\":\"PostalAddress\",\"addressCountry\":\"DK\"}",
        "\"address\":{\"@type\":\"PostalAddress\",\"postalCode\":\"2820\",\"addressCountry\":\"DK\"}",
        "\"address\":{\"@type\":\"PostalAddress\",\"streetAddress\":\"Boldgade 1\"}",
        "\"address\":{\"@type\":\"PostalAddress\",\"addressLocality\":\"Gentofte\"},\"geo\":{\"@type\":\"GeoCoordinates\",\"latitude\":0,\"longitude\":0}",
    ])
    func `an address without a street is none to go to`(members: String) {
        let told = Self.told(Self.shop(members), "S10")
        #expect(told.contains("warning: The address "), "\(told)")
    }

    @Test(arguments: [
        "\"address\":{\"@type\":\"PostalAddress\",\"streetAddress\":\"Boldgade 1\",\"addressLocality\":\"Gentofte\"}",
        "\"address\":{\"@type\":\"PostalAddress\",\"streetAddress\":\"Boldgade 1\",\"postalCode\":\"2820\"}",
        "\"address\":\"Boldgade 1, 2820 Gentofte\"",
        "\"address\":{\"@type\":\"PostalAddress\",\"addressLocality\":\"Gentofte\"},\"geo\":{\"@type\":\"GeoCoordinates\",\"latitude\":55.75,\"longitude\":12.55}",
        "\"geo\":{\"@type\":\"GeoCoordinates\",\"latitude\":55.75,\"longitude\":12.55}",
    ])
    func `a street or coordinates lead somewhere, for the check as for the record`(members: String) {
        let card = Self.shop(members).card
        #expect(card.outcome("S10") == .pass, "\(Self.told(Self.shop(members), "S10"))")
        #expect(
            card.record?.actions.contains { if case .directions = $0 { true } else { false } } == true, "\(members)")
    }

    @Test func `the town of an event's hall is not enough, a publisher's is`() {
        let town = "\"address\":{\"@type\":\"PostalAddress\",\"addressLocality\":\"Gentofte\"}"
        let event = Self.json(
            "\"@type\":\"Event\",\"name\":\"Fair\",\"startDate\":\"2026-12-01\",\"location\":{\"@type\":\"Place\",\"name\":\"Hall\",\(town)}"
        )
        #expect(Self.told(event, "S10").contains("a street, or coordinates of the place"))
        let article = Self.json(
            "\"@type\":\"Article\",\"headline\":\"Mugs\",\"publisher\":{\"@type\":\"Organization\",\"name\":\"P\",\"telephone\":\"+45 55 55 01 00\",\(town)}"
        )
        #expect(article.card.outcome("S10") == .pass, "\(Self.told(article, "S10"))")
        // A company may leave its street out on purpose.
        let company = Self.json("\"@type\":\"Organization\",\"name\":\"Mugs by post\",\(town)")
        #expect(company.card.outcome("S10") == .info)
    }

    @Test func `each of several shops is asked for its street, and Open Graph's place too`() {
        let shops = Self.json(
            "\"@graph\":[{\"@type\":\"Store\",\"name\":\"A\",\"address\":{\"@type\":\"PostalAddress\",\"streetAddress\":\"Way 1\",\"addressLocality\":\"Ulm\"}},{\"@type\":\"Store\",\"name\":\"B\",\"address\":{\"@type\":\"PostalAddress\",\"addressLocality\":\"Ulm\"}}]"
        )
        #expect(Self.told(shops, "S10").contains("a street, or coordinates"), "\(Self.told(shops, "S10"))")
        let tags = ReportPage(Self.graph("business:contact_data:locality", "Ulm"))
        #expect(tags.card.outcome("S10") == .warning, "\(Self.told(tags, "S10"))")
    }

    // MARK: Offers (S08)

    @Test func `a price that is no price is reported by its cause`() {
        func told(_ price: String) -> String {
            Self.told(Self.plainOffer("\"price\":\(price),\"priceCurrency\":\"EUR\""), "S08")
        }
        for price in ["-5", "-0.01", "\"-5\"", "\"\u{2212}5\"", "\"-€5\"", "\"EUR -5.00\""] {
            #expect(told(price).contains("is below zero, which is no price"), "\(price): \(told(price))")
        }
        #expect(told("1e30").contains("is too large to be one"))
        #expect(told("\"0x10\"").contains("is no number"))
        for (price, read) in [("1.299", "1.299"), ("1e3", "1000"), ("-0", "0"), ("1.0", "1.0"), ("12.000", "12.000")] {
            #expect(told(price).contains("pass: The offer is \(read) EUR"), "\(price): \(told(price))")
        }
        #expect(told("\"1.299\"").contains("pass: The offer is 1299 EUR"))
    }

    private static func offer(_ members: String) -> ReportPage {
        json(
            "\"@type\":\"Product\",\"name\":\"Mug\",\"offers\":{\"@type\":\"Offer\",\"price\":\"12.50\",\"priceCurrency\":\"EUR\",\(members)}"
        )
    }

    private static func plainOffer(_ members: String) -> ReportPage {
        json("\"@type\":\"Offer\",\(members)")
    }

    @Test func `all that is wrong with an offer is found at once`() {
        let told = Self.told(
            Self.plainOffer(
                "\"price\":\"12,50 €\",\"priceCurrency\":\"euro\",\"availability\":\"maybe\",\"itemCondition\":\"nearly new\""
            ),
            "S08")
        for sentence in [
            "The price is written “12,50 €”; it was read as 12.50.", "priceCurrency “euro” is no code of ISO 4217.",
            "availability “maybe” is not one of schema.org's.",
            "itemCondition “nearly new” is not one of schema.org's.",
        ] { #expect(told.contains("warning: " + sentence), "\(told)") }
    }

    @Test(arguments: [
        ("in stock", "InStock"), ("http://schema.org/in stock", "InStock"), ("https://schema.org/in_stock", "InStock"),
        ("available for order", "BackOrder"),
    ])
    func `an availability that only lenient readers understand is found`(written: String, member: String) throws {
        let page = Self.plainOffer(
            "\"price\":\"12.50\",\"priceCurrency\":\"EUR\",\"availability\":\"\(written)\"")
        let finding = try #require(page.card.findings("S08").first)
        #expect(finding.outcome == .warning)
        #expect(
            finding.sentence == "availability is written “\(written)”; schema.org has \(member).", "\(finding.sentence)"
        )
        #expect(finding.remedy?.code?.contains("https://schema.org/\(member)") == true)
        // The record reads it all the same.
        #expect(SchemaOrg.availability(written) == member)
    }

    @Test(arguments: [
        "InStock", "https://schema.org/InStock", "http://schema.org/InStock", "http://www.schema.org/InStock",
        "schema:InStock", "instock", " InStock ",
    ])
    func `an availability as the vocabulary writes it passes`(written: String) {
        let page = Self.plainOffer(
            "\"price\":\"12.50\",\"priceCurrency\":\"EUR\",\"availability\":\"\(written)\"")
        #expect(page.card.outcome("S08") == .pass, "\(Self.told(page, "S08"))")
    }

    @Test func `a problem that many offers share is one finding with their number`() {
        let offers = (1...5).map { "{\"@type\":\"Offer\",\"url\":\"/\($0)\",\"price\":\"12.50\"}" }
        let told = Self.told(Self.json("\"@graph\":[\(offers.joined(separator: ","))]"), "S08")
        #expect(
            told.hasPrefix("warning: The price “12.50” has no currency.")
                && told.hasSuffix(" (4 more offers like this.)"),
            "\(told)")
    }

    // MARK: Scripts that are not JSON (S05)

    @Test func `a slip in a JSON-LD script is one error that names its repair`() {
        let findings = ReportPage(
            "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"Mug\",}</script>"
        ).card.findings("S05")
        #expect(findings.map(\.outcome) == [.error], "\(findings.map(\.sentence))")
        let sentence = findings.first?.sentence ?? ""
        #expect(sentence.hasPrefix("A JSON-LD script is not JSON: "), "\(sentence)")
        #expect(sentence.contains("Pippin read it with repairs: "), "\(sentence)")
    }

    @Test func `each script that is not JSON is a finding, and many repairs are counted`() {
        let slips =
            "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"Mug\",}</script>"
        #expect(ReportPage(slips + slips).card.findings("S05").count == 2)
        let members = (1...9).map { "\"name\":[\"a\tb\($0)\",]," }.joined()
        let many = ReportPage(
            "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\(members)}</script>"
        )
        let findings = many.card.findings("S05").filter { $0.outcome == .error }
        #expect(findings.count == 1, "\(Self.told(many, "S05"))")
        #expect((findings.first?.sentence.utf8.count ?? 0) < 800)
    }

    @Test func `a slip of one script is no repair of another`() {
        let broken = "<script type=\"application/ld+json\">{\"@type\":\"Thing\",\"name\":\"Mug\",}</script>"
        let template = "<script type=\"application/ld+json\">{\"@type\":\"Thing\",\"name\":\"{{title}}\"}</script>"
        for page in [ReportPage(broken + template), ReportPage(broken + "\n" + template)] {
            let sentences = page.card.findings("S05").map(\.sentence)
            #expect(sentences.contains { $0.contains("repairs") && !$0.contains("placeholder") }, "\(sentences)")
            #expect(sentences.contains { $0.contains("placeholder") && !$0.contains("repairs") }, "\(sentences)")
        }
    }

    // MARK: Microdata without an item (S06, S21)

    @Test func `properties outside of any item are advice where the page says what it is about in another way`() {
        let stray = "<p itemprop=\"name\">Mug</p>"
        #expect(ReportPage(body: stray).card.outcome("S06") == .warning)
        let known = Self.json("\"@type\":\"Article\",\"headline\":\"Mugs\"").with { $0.body = stray }
        #expect(known.card.outcome("S06") == .info, "\(Self.told(known, "S06"))")
    }

    @Test func `an itemtype without itemscope is told, and not asked for properties`() {
        let card = ReportPage(body: "<div itemtype=\"https://schema.org/Recipe\"><b itemprop=\"name\">Tea</b></div>")
            .card
        #expect(card.findings("S06").contains { $0.noteCode == .microdata(.itemscopeMissing) })
        #expect(card.findings("S21").allSatisfy { $0.outcome < .info }, "\(card.findings("S21").map(\.sentence))")
        let scoped = ReportPage(
            body: "<div itemscope itemtype=\"https://schema.org/Recipe\"><b itemprop=\"name\">Tea</b></div>")
        #expect(scoped.card.findings("S21").contains { $0.outcome >= .info })
    }

    @Test func `the price that is judged is the one that the record has`() {
        func page(_ paid: String) -> ReportPage {
            let list =
                "{\"@type\":\"UnitPriceSpecification\",\"priceType\":\"https://schema.org/ListPrice\",\"price\":\"20\",\"priceCurrency\":\"USD\"}"
            let own = "{\"@type\":\"UnitPriceSpecification\",\(paid),\"priceCurrency\":\"EUR\"}"
            return Self.json("\"@type\":\"Offer\",\"priceSpecification\":[\(list),\(own)]")
        }
        #expect(Self.told(page("\"price\":\"12.50\""), "S08").contains("pass: The offer is 12.50 EUR"))
        #expect(Self.told(page("\"price\":\"twelve\""), "S08").contains("“twelve” is no number"))
        #expect(
            Self.told(page("\"minPrice\":\"9\",\"maxPrice\":\"7\""), "S08").contains("minPrice 9 is above maxPrice 7"))
    }

    // MARK: Dates (S17)

    @Test(arguments: [
        (
            "article:published_time", "yesterday",
            "warning: article:published_time “yesterday” cannot be read as a date."
        ),
        (
            "article:modified_time", "2027-01-01T10:00:00Z",
            "info: article:modified_time “2027-01-01T10:00:00Z” has not come yet."
        ),
        ("og:updated_time", "2031-01-01", "info: og:updated_time “2031-01-01” has not come yet."),
        ("video:release_date", "soon", "warning: video:release_date “soon” cannot be read as a date."),
        (
            "article:published_time", "14. Dezember 2015",
            "info: article:published_time “14. Dezember 2015” is not ISO 8601. It was read as 2015-12-14."
        ),
        (
            "article:published_time", "5/6/2031",
            "info: article:published_time “5/6/2031” is not ISO 8601. It was read as 2031-05-06."
        ),
        (
            "article:published_time", "5/6/2031", "info: article:published_time “5/6/2031” has not come yet."
        ),
        (
            "article:published_time", "1404-05-06",
            "warning: article:published_time “1404-05-06” is a year of the Middle Ages in the Gregorian calendar"
        ),
    ])
    func `Open Graph's dates are judged`(property: String, content: String, sentence: String) {
        let told = Self.told(ReportPage(Self.graph(property, content)), "S17")
        #expect(told.contains(sentence), "\(told)")
    }

    @Test func `Open Graph's dates have an order`() {
        func told(_ a: String, _ b: String) -> String {
            Self.told(
                ReportPage(Self.graph("article:published_time", a) + Self.graph("article:modified_time", b)), "S17")
        }
        #expect(told("2026-05-02", "2026-01-01").contains("article:modified_time “2026-01-01” is before"))
        #expect(told("2026-05-02T10:05:00Z", "2026-05-02T10:00:00Z").hasPrefix("pass"))
        #expect(told("2026-05-02", "2026-05-03T12:00:00+02:00").hasPrefix("pass"))
        let expired = ReportPage(
            Self.graph("article:published_time", "2026-05-02") + Self.graph("article:expiration_time", "2026-05-01"))
        #expect(Self.told(expired, "S17").contains("warning: article:expiration_time “2026-05-01” is before"))
    }

    @Test(arguments: [
        "\"@type\":\"Event\",\"name\":\"E\",\"startDate\":\"2026-12-01T19:00\",\"endDate\":\"2026-12-01T18:00\"",
        "\"@type\":\"Event\",\"name\":\"E\",\"startDate\":\"2026-12-02\",\"endDate\":\"2026-12-01\"",
        "\"@type\":\"Event\",\"name\":\"E\",\"startDate\":\"2026-12-01T19:00+01:00\",\"doorTime\":\"2026-12-01T20:00+01:00\"",
        "\"@type\":\"Offer\",\"price\":\"1\",\"validFrom\":\"2026-12-02\",\"validThrough\":\"2026-12-01\"",
        "\"@type\":\"Offer\",\"price\":\"1\",\"validFrom\":\"2027-12-02\",\"priceValidUntil\":\"2027-12-01\"",
        "\"@type\":\"Article\",\"headline\":\"A\",\"datePublished\":\"2026-05-02\",\"expires\":\"2026-05-01\"",
        "\"@type\":\"JobPosting\",\"title\":\"J\",\"datePosted\":\"2026-10-02\",\"validThrough\":\"2026-10-01\"",
        "\"@type\":\"BusTrip\",\"departureTime\":\"2026-12-01T19:00Z\",\"arrivalTime\":\"2026-12-01T18:00Z\"",
        "\"@type\":\"Person\",\"name\":\"P\",\"birthDate\":\"1970-05-01\",\"deathDate\":\"1960-05-01\"",
    ])
    func `times that contradict each other are found`(members: String) {
        let told = Self.told(Self.json(members), "S17")
        #expect(told.contains("warning: ") && told.contains(" is before "), "\(told)")
    }

    @Test(arguments: [
        "\"@type\":\"Event\",\"name\":\"E\",\"startDate\":\"2026-12-01T19:00\",\"endDate\":\"2026-12-01\"",
        "\"@type\":\"Event\",\"name\":\"E\",\"startDate\":\"2026-12-01T10:00 AM\",\"endDate\":\"2026-12-01\",\"doorTime\":\"18:30\"",
        "\"@type\":\"Event\",\"name\":\"E\",\"startDate\":\"2026-12-01T23:00-08:00\",\"endDate\":\"2026-12-02\"",
        "\"@type\":\"Event\",\"name\":\"E\",\"startDate\":\"2026-12-01T19:00+09:00\",\"endDate\":\"2026-12-01T12:00\"",
        "\"@type\":\"Article\",\"headline\":\"A\",\"datePublished\":\"2026-11-18\",\"dateModified\":\"2026-11-18\"",
        "\"@type\":\"Book\",\"name\":\"B\",\"datePublished\":\"1813\"",
    ])
    func `times that some reading puts right are left alone`(members: String) {
        let told = Self.told(Self.json(members), "S17")
        #expect(!told.contains(" is before ") && !told.contains("not come yet"), "\(told)")
    }

    @Test func `doors that open after the start are found`() {
        func told(_ doors: String) -> String {
            Self.told(
                Self.json(
                    "\"@type\":\"Event\",\"name\":\"E\",\"startDate\":\"2026-12-01T19:00+01:00\",\"doorTime\":\"\(doors)\""
                ),
                "S17")
        }
        #expect(told("19:30").contains("doorTime “19:30” is after startDate"), "\(told("19:30"))")
        #expect(told("18:30:00").hasPrefix("pass"))
    }

    @Test func `a day that has come somewhere has come, and the next has not`() {
        func told(_ date: String) -> String {
            Self.told(Self.json("\"@type\":\"Article\",\"headline\":\"A\",\"datePublished\":\"\(date)\""), "S17")
        }
        // Now is 11:06 in UTC on the 18th.
        #expect(told("2026-11-18").hasPrefix("pass"))
        #expect(told("2026-11-18T20:00:00").hasPrefix("pass"))
        #expect(told("2026-11-18T20:00:00Z").contains("has not come yet"))
        #expect(told("2026-11-20").contains("has not come yet"))
        #expect(told("uploaded").contains("cannot be read"))
    }

    @Test func `a video's upload is held against today`() {
        #expect(
            Self.told(
                Self.json("\"@type\":\"VideoObject\",\"name\":\"V\",\"uploadDate\":\"2027-02-01\""), "S17"
            ).contains("uploadDate “2027-02-01” has not come yet"))
        #expect(
            Self.told(Self.offer("\"priceValidUntil\":\"soon\""), "S17").contains(
                "priceValidUntil “soon” cannot be read"))
    }

    @Test(arguments: [
        ("17:00", "09:00"), ("09:00", "05:00"), ("10:00:00", "08:00:00"),
    ])
    func `opening hours that end before they begin are found`(opens: String, closes: String) {
        let hours = Self.shop(
            "\"openingHoursSpecification\":{\"@type\":\"OpeningHoursSpecification\",\"dayOfWeek\":\"Monday\",\"opens\":\"\(opens)\",\"closes\":\"\(closes)\"}"
        )
        #expect(Self.told(hours, "S17").contains("end before they begin"), "\(Self.told(hours, "S17"))")
        let text = Self.shop("\"openingHours\":\"Mo-Fr \(opens)-\(closes)\"")
        #expect(Self.told(text, "S17").contains("end before they begin"), "\(Self.told(text, "S17"))")
    }

    @Test(arguments: [
        ("09:00", "17:00"), ("18:00", "02:00"), ("09:00", "02:00"), ("20:00", "08:00"), ("00:00", "00:00"),
        ("10:00", "24:00"), ("22:00", "00:00"), ("soon", "late"),
    ])
    func `a night is an opening time`(opens: String, closes: String) {
        let hours = Self.shop(
            "\"openingHoursSpecification\":{\"@type\":\"OpeningHoursSpecification\",\"opens\":\"\(opens)\",\"closes\":\"\(closes)\",\"validFrom\":\"2026-12-24\",\"validThrough\":\"2026-12-26\"},\"openingHours\":\"Mo-Fr \(opens)-\(closes)\""
        )
        #expect(!Self.told(hours, "S17").contains("end before they begin"))
    }

    // MARK: Recipes (S12)

    private static func recipe(_ members: String) -> ReportPage {
        json(
            "\"@type\":\"Recipe\",\"name\":\"Tea\",\"image\":\"https://shop.example/t.jpg\",\"recipeIngredient\":[\"Tea\"],\"recipeInstructions\":\"Pour.\",\(members)"
        )
    }

    @Test func `a total that is shorter than its parts is found`() {
        #expect(
            Self.told(Self.recipe("\"totalTime\":\"PT20M\",\"cookTime\":\"PT1H\""), "S12")
                == "warning: totalTime PT20M is less than cookTime PT1H.")
        #expect(
            Self.told(Self.recipe("\"totalTime\":\"PT1H\",\"cookTime\":\"PT45M\",\"prepTime\":\"PT30M\""), "S12")
                == "info: totalTime PT1H is less than prepTime PT30M and cookTime PT45M together.")
        for members in [
            "\"totalTime\":\"PT75M\",\"cookTime\":\"PT45M\",\"prepTime\":\"PT30M\"",
            "\"totalTime\":\"PT2H\",\"prepTime\":\"PT30M\"",
            "\"totalTime\":\"PT0M\",\"cookTime\":\"PT45M\"",
        ] {
            #expect(Self.recipe(members).card.outcome("S12") == .pass, "\(members)")
        }
    }

    // MARK: Media (S11)

    @Test func `media that nothing plays are found`() {
        let tags = ReportPage(
            Self.graph("og:video", "https://cdn.example/a.gif") + "<meta name=\"twitter:card\" content=\"player\">"
                + "<meta name=\"twitter:player:stream\" content=\"https://cdn.example/a\"><meta name=\"twitter:player:stream:content_type\" content=\"image/gif\">"
        )
        let told = Self.told(tags, "S11")
        #expect(told.contains("warning: og:video is a picture"), "\(told)")
        #expect(told.contains("warning: twitter:player:stream is a picture"), "\(told)")
        let item = Self.json("\"@type\":\"VideoObject\",\"name\":\"V\",\"contentUrl\":\"https://cdn.example/a.gif\"")
        #expect(Self.told(item, "S11").contains("contentUrl “https://cdn.example/a.gif” is a picture"))
        let flash = ReportPage(
            Self.graph("og:video", "https://cdn.example/a.swf")
                + Self.graph("og:video:type", "application/x-shockwave-flash"))
        #expect(Self.told(flash, "S11").contains("of a format that nothing plays any more"))
    }

    // MARK: Names (S05)

    @Test func `endless names are counted, not all compared`() {
        let members = (0..<1_000).map { "\"p\($0)\":\"x\"" }.joined(separator: ",")
        let told = Self.told(Self.json("\"@type\":\"Thing\",\"name\":\"Mug\",\(members)"), "S05")
        #expect(told.contains("(And 994 more properties like this.)"), "\(told)")
    }
}
