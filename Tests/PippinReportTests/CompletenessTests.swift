import Testing

@testable import PippinPage
@testable import PippinReport

/// Which items of a page are asked for the properties of their types (S21, S22), what one lack is called, and whose
/// requirements count.
@Suite struct CompletenessTests {
    private static func json(_ text: String) -> ReportPage {
        ReportPage("<title>Mug</title><script type=\"application/ld+json\">\(text)</script>")
    }

    private static func item(_ text: String) -> ReportPage { json("{\"@context\":\"https://schema.org\",\(text)}") }

    private static func graph(_ nodes: String...) -> ReportPage {
        json("{\"@context\":\"https://schema.org\",\"@graph\":[\(nodes.joined(separator: ","))]}")
    }

    private static func told(_ page: ReportPage, _ check: String = "S21") -> [String] {
        page.card.findings(check).filter { $0.outcome >= .info }.map(\.sentence)
    }

    // MARK: Which items

    @Test func `publishers, authors and makers are not asked`() {
        let article = Self.item(
            """
            "@type":"Article","headline":"Mugs","publisher":{"@type":"LocalBusiness"},
            "author":{"@type":"Organization","name":"Mugs"},"about":{"@type":"Product"}
            """)
        #expect(Self.told(article).isEmpty)
        let graph = Self.graph(
            #"{"@type":"Article","headline":"Mugs","publisher":{"@id":"/shop"}}"#,
            #"{"@type":"LocalBusiness","@id":"/shop","url":"https://mugs.example/"}"#)
        #expect(Self.told(graph).isEmpty, "\(Self.told(graph))")
    }

    @Test func `what the page names as its main entity and its breadcrumbs are asked, nested or not`() {
        let page = Self.item(
            """
            "@type":"WebPage","mainEntity":{"@type":"Product"},
            "breadcrumb":{"@type":"BreadcrumbList","itemListElement":[
            {"@type":"ListItem","position":1,"name":"Mugs","item":"https://shop.example/mugs"},
            {"@type":"ListItem","name":"Mug"}]}
            """)
        #expect(
            Self.told(page) == [
                "Product lacks: name and offers, review or aggregateRating. Without them Google shows no product result.",
                "BreadcrumbList lacks: itemListElement.position (1 of 2). Without it Google shows the address instead of the path.",
            ])
    }

    @Test func `sites and organizations are asked on the home page`() {
        let nodes = [
            #"{"@type":"WebSite","@id":"/site","publisher":{"@id":"/us"}}"#,
            #"{"@type":"Organization","@id":"/us","name":"Mugs"}"#, #"{"@type":"WebPage","isPartOf":{"@id":"/site"}}"#,
        ]
        let page = Self.graph(nodes[0], nodes[1], nodes[2])
        #expect(Self.told(page).isEmpty && Self.told(page, "S22").isEmpty, "\(Self.told(page, "S22"))")
        let home = page.with { $0.url = "https://shop.example/" }
        #expect(Self.told(home).first?.hasPrefix("WebSite lacks: name and url.") == true, "\(Self.told(home))")
        #expect(
            Self.told(home, "S22").contains { $0.hasPrefix("Organization “Mugs” lacks") }, "\(Self.told(home, "S22"))")
    }

    @Test func `what the topic says in another syntax is said`() {
        let page = Self.item(
            #""@type":"Product","name":"Mug","image":"https://shop.example/mug.jpg","offers":{"@type":"Offer","price":"12","priceCurrency":"EUR"}"#
        ).with { $0.body = #"<p itemscope itemtype="https://schema.org/Product"><b itemprop="name">Mug</b></p>"# }
        #expect(Self.told(page).isEmpty, "\(Self.told(page))")
    }

    @Test func `what other items say of an item is said`() {
        let page = Self.graph(
            #"{"@type":"Product","@id":"/mug","name":"Mug"}"#,
            #"{"@type":"AggregateRating","itemReviewed":{"@id":"/mug"},"ratingValue":"4","ratingCount":"3"}"#)
        #expect(Self.told(page).isEmpty, "\(Self.told(page))")
    }

    @Test func `items that lack the same are one finding`() {
        let products = (1...9).map { "{\"@type\":\"Product\",\"name\":\"Mug \($0)\"}" }.joined(separator: ",")
        let page = Self.json("{\"@context\":\"https://schema.org\",\"@graph\":[\(products)]}")
        #expect(
            Self.told(page) == [
                "Product “Mug 1” and 8 others like it lack: offers, review or aggregateRating. Without it Google shows no product result."
            ])
    }

    @Test(arguments: [
        #""@type":"Car""#, #""@type":"CourseInstance""#, #""@type":"Drug""#, #""@type":"Thing""#,
        #""@type":"PerformingGroup""#,
    ])
    func `subtypes that readers do not take for the type are not asked`(type: String) {
        let card = Self.item(type).card
        #expect(card.outcome("S21") == nil && card.outcome("S22") == nil)
    }

    @Test(arguments: ["SocialMediaPosting", "DiscussionForumPosting"])
    func `a post is asked as a post, and not as an article`(type: String) {
        let page = Self.item("\"@type\":\"\(type)\",\"text\":\"Which glaze lasts?\"")
        #expect(
            Self.told(page) == [
                "\(type) lacks: author and datePublished. Without them Google does not show the post among discussions."
            ])
        #expect(Self.told(page, "S22").allSatisfy { !$0.contains("dateModified") })
    }

    @Test func `a car that is also a product is asked as one`() {
        #expect(Self.told(Self.item(#""@type":["Product","Car"],"name":"Wagon""#)).first?.contains("offers") == true)
    }

    @Test func `endless properties and parts end`() {
        let offers = (0..<400).map { "{\"@type\":\"Offer\",\"sku\":\"\($0)\"}" }.joined(separator: ",")
        let page = Self.item("\"@type\":\"Product\",\"name\":\"Mug\",\"image\":\"/m.jpg\",\"offers\":[\(offers)]")
        #expect(Self.told(page).first?.contains("offers.price (100 of 100)") == true, "\(Self.told(page))")
    }

    // MARK: Rules with conditions

    private static let job = """
        "@type":"JobPosting","title":"Potter","description":"Throw mugs.","datePosted":"2026-01-31",
        "hiringOrganization":"Mugs"
        """

    @Test(arguments: [
        ("", "jobLocation or applicantLocationRequirements"),
        (#","jobLocationType":"TELECOMMUTE""#, "applicantLocationRequirements or jobLocation"),
        (#","applicantLocationRequirements":{"@type":"Country","name":"USA"}"#, "jobLocationType"),
        (
            #","jobLocation":{"@type":"Place","address":{"@type":"PostalAddress","addressLocality":"Ulm"}}"#,
            "addressCountry"
        ),
        (#","jobLocation":{"@type":"Place"}"#, "jobLocation or"),
        (#","jobLocation":{"@type":"Place","name":"Hall"}"#, "jobLocation.address"),
    ])
    func `a job is somewhere, or says who may apply from where`(members: String, lack: String) {
        let told = Self.told(Self.item(Self.job + members))
        #expect(told.count == 1 && told[0].contains(lack), "\(told)")
    }

    @Test(arguments: [
        #","jobLocationType":"TELECOMMUTE","applicantLocationRequirements":{"@type":"Country","name":"USA"}"#,
        #","jobLocation":{"@type":"Place","address":"Way 1, Ulm, Germany"}"#,
    ])
    func `a remote job needs no place, an address in one text has its country`(members: String) {
        #expect(Self.told(Self.item(Self.job + members)).isEmpty)
    }

    @Test(arguments: [
        (#"{"@type":"Place","name":"Hall","address":"Way 1, Ulm"}"#, nil),
        (#"{"@type":"VirtualLocation","url":"https://shop.example/live"}"#, nil),
        (#"{"@type":"PostalAddress","streetAddress":"Way 1"}"#, nil),
        (#"{"@type":"Place","name":"Hall"}"#, "location.address"), (#"{"@type":"VirtualLocation"}"#, "location"),
        (#"{"@type":"VirtualLocation","name":"Live"}"#, nil), ("\"\"", "location"),
    ])
    func `an event has an address, or is online`(location: String, lack: String?) {
        let told = Self.told(
            Self.item(
                "\"@type\":\"MusicEvent\",\"name\":\"Night\",\"startDate\":\"2026-12-24\",\"location\":\(location)"))
        #expect(told.isEmpty == (lack == nil), "\(told)")
        if let lack { #expect(told[0].hasPrefix("MusicEvent “Night” lacks: \(lack).")) }
    }

    @Test func `a game is asked to be another kind of app, and then as that`() {
        let game = Self.item(#""@type":"VideoGame","name":"Quest""#)
        #expect(Self.told(game).isEmpty)
        let advice = game.card.findings("S22").first
        #expect(advice?.sentence.contains("@type") == true)
        #expect(advice?.remedy?.code?.contains("\"@type\": [\n  \"VideoGame\",\n  \"MobileApplication\"\n]") == true)
        let app = Self.item(#""@type":["VideoGame","MobileApplication"],"name":"Quest""#)
        #expect(Self.told(app).first?.contains("offers and aggregateRating or review") == true, "\(Self.told(app))")
        #expect(!Self.told(app, "S22").contains { $0.contains("@type") })
    }

    @Test(arguments: [("Mugs", true), ("https://shop.example/mugs", false), ("HTTP://shop.example/mugs", false)])
    func `a text in place of an item is its name, unless it is a URL`(text: String, isName: Bool) {
        let page = Self.item(
            """
            "@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,"item":"\(text)"},
            {"@type":"ListItem","position":2,"name":"Mug"}]
            """)
        #expect(Self.told(page).isEmpty == isName, "\(Self.told(page))")
        #expect(
            Self.told(page).allSatisfy { $0.contains("itemListElement.name or itemListElement.item.name (1 of 2)") })
    }

    @Test func `the last breadcrumb needs no address, a named thing no name`() {
        let list = Self.item(
            """
            "@type":"BreadcrumbList","itemListElement":[
            {"@type":"ListItem","position":1,"item":{"@id":"https://shop.example/mugs","name":"Mugs"}},
            {"@type":"ListItem","position":2,"name":"Mug"}]
            """)
        #expect(Self.told(list).isEmpty, "\(Self.told(list))")
    }

    // MARK: One finding for one lack

    @Test func `an offer without price or currency is one finding`() {
        let noPrice = Self.item(
            #""@type":"Product","name":"Mug","image":"/m.jpg","offers":{"@type":"Offer","availability":"InStock"}"#)
        #expect(Self.told(noPrice).count == 1 && Self.told(noPrice, "S08").isEmpty, "\(Self.told(noPrice, "S08"))")
        let noCurrency = Self.item(
            #""@type":"Product","name":"Mug","image":"/m.jpg","offers":{"@type":"Offer","price":"12"}"#)
        // The currency is a rule of merchant listings, not of product results.
        #expect(Self.told(noCurrency).isEmpty && Self.told(noCurrency, "S08").count == 1)
        // Nobody else asks for the price of a ticket.
        let ticket = Self.item(#""@type":"Event","name":"Night","offers":{"@type":"Offer","price":"12"}"#)
        #expect(Self.told(ticket, "S08").count == 1)
    }

    @Test func `a picture is recommended of a product, and not required`() {
        let range = Self.item(
            #""@type":"Product","name":"Mug","offers":{"@type":"AggregateOffer","lowPrice":"9","priceCurrency":"EUR"}"#)
        #expect(Self.told(range).isEmpty && Self.told(range, "S22").first?.contains("image") == true)
        let sold = Self.item(
            #""@type":"Product","name":"Mug","offers":{"@type":"Offer","price":"9","priceCurrency":"EUR"}"#)
        #expect(Self.told(sold).isEmpty && Self.told(sold, "S22").first?.contains("image") == true)
    }

    @Test func `what is required is not recommended as well`() {
        let page = Self.item(#""@type":"Product","name":"Mug""#)
        #expect(Self.told(page).first?.contains("offers, review or aggregateRating") == true)
        #expect(!Self.told(page, "S22").contains { $0.contains("offers") || $0.contains("review") })
    }

    @Test func `other checks can see what is reported`() {
        let card = Self.item(#""@type":"WebPage","mainEntity":{"@type":"Hotel","name":"Inn"}"#)
        let structured = card.facts.structuredPage
        let completeness = Completeness(of: structured, isHomePage: false, for: .all)
        let hotel = structured.items.firstIndex { $0.types == ["Hotel"] } ?? -1
        #expect(completeness.reports("address", of: hotel) && !completeness.reports("name", of: hotel))
        #expect(!completeness.reports("address", of: hotel + 1))
    }

    @Test func `a subscription that an article belongs to is not asked`() {
        let page = Self.item(
            #""@type":"Article","headline":"Mugs","isPartOf":{"@type":["CreativeWork","Product"],"name":"Daily Mug","productID":"mugs.example:basic"}"#
        )
        #expect(Self.told(page).isEmpty, "\(Self.told(page))")
    }

    @Test func `a property in the wrong case is misspelled, not missing`() {
        let page = Self.item(#""@type":"Movie","Name":"Mugs","image":"https://shop.example/m.jpg""#)
        #expect(Self.told(page).isEmpty && Self.told(page, "S05").count == 1)
    }

    /// Google's documentation of recipes: a text or a number, and a list of a number of servings and another unit.
    @Test(arguments: [
        "\"4 servings\"", "4", "4.0", "\"4\"", "[\"4\",\"4 servings\"]", "[4,\"24 cookies\"]",
        "{\"@type\":\"QuantitativeValue\",\"value\":4}",
    ])
    func `a yield in each of its forms is one`(written: String) {
        func recipe(_ yield: String) -> ReportPage {
            Self.item(
                "\"@type\":\"Recipe\",\"name\":\"Tea\",\"image\":\"/tea.jpg\",\(yield)\"nutrition\":{\"@type\":\"NutritionInformation\",\"calories\":\"2 calories\"}"
            )
        }
        #expect(Self.told(recipe("\"recipeYield\":\(written),")).isEmpty)
        // Calories are those of a serving, so the yield is required with them.
        for empty in ["", "\"recipeYield\":\"\",", "\"recipeYield\":[],", "\"recipeYield\":null,"] {
            #expect(Self.told(recipe(empty)).contains { $0.contains("lacks: recipeYield") }, "\(empty)")
        }
    }

    @Test func `a recipe's picture is asked for once`() {
        let page = Self.item(#""@type":"Recipe","name":"Tea""#)
        #expect(Self.told(page).first?.contains("image") == true)
        #expect(!Self.told(page, "S12").contains { $0.contains("image") } && Self.told(page, "S12").count == 1)
    }

    // MARK: Remedies

    @Test func `markup to paste has the page's own values`() throws {
        let page = Self.item(#""@type":"Movie","url":"https://shop.example/mug""#).with {
            $0.head += #"<meta property="og:image" content="https://shop.example/mug.jpg">"#
        }
        let remedy = try #require(page.card.findings("S21").first?.remedy)
        #expect(remedy.code == "\"name\": \"Mug\",\n\"image\": \"https://shop.example/mug.jpg\"")
    }

    @Test func `values from the page cannot leave the markup`() throws {
        let page = ReportPage(
            "<title>&lt;/script&gt;&lt;b title=\"a\"&gt;</title>"
        ).with { $0.body = "<p itemscope itemtype=\"https://schema.org/Movie\"></p>" }
        let code = try #require(page.card.findings("S21").first?.remedy?.code)
        #expect(!code.contains("</script>") && !code.contains("<b title=\""), "\(code)")
    }

    // MARK: Profiles

    @Test func `a profile asks for what its reader asks for`() {
        var page = Self.item(#""@type":"LocalBusiness","name":"Mugs""#)
        #expect(Self.told(page).first?.contains("address") == true)
        page.options.profile = .apple
        #expect(page.card.outcome("S21") == .pass)
        #expect(Self.told(page, "S22").first?.contains("recommended: priceRange.") == true)
        page.options.profile = .google
        #expect(page.card.outcome("S21") == .error)
        for profile in [ReportCard.Profile.facebook, .twitter] {
            page.options.profile = profile
            #expect(page.card.outcome("S21") == nil && page.card.outcome("S22") == nil)
        }
    }
}
