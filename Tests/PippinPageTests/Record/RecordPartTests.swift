import PippinTestSupport
import Testing

@testable import PippinPage

/// Where a page stands in its site, what it is a part of, and what it says of products besides their price.
@Suite struct RecordPartTests {
    private func record(_ things: String, html: String = "") throws -> DeepLinkRecord {
        try RecordBuilderTests.record("<script type='application/ld+json'>\(things)</script>" + html)
    }

    private func source(of field: String, in record: DeepLinkRecord) -> DeepLinkRecord.Source? {
        record.provenance.first { $0.field == field }?.source
    }

    // MARK: Breadcrumbs

    @Test(arguments: [
        // Positions decide, and the item may be an address, or a thing with or without its own name.
        #"""
        <script type='application/ld+json'>{"@context":"https://schema.org","@type":"BreadcrumbList","itemListElement":[
        {"@type":"ListItem","position":3,"name":"Red mug"},
        {"@type":"ListItem","position":1,"name":"Home","item":"https://example.org/"},
        {"@type":"ListItem","position":"2","item":{"@id":"https://example.org/mugs","name":"Mugs"}}]}</script>
        """#,
        #"""
        <ol itemscope itemtype="https://schema.org/BreadcrumbList">
        <li itemprop="itemListElement" itemscope itemtype="https://schema.org/ListItem"><a itemprop="item" href="/"><span
        itemprop="name">Home</span></a><meta itemprop="position" content="1"></li>
        <li itemprop="itemListElement" itemscope itemtype="https://schema.org/ListItem"><a itemprop="item" href="/mugs"><span
        itemprop="name">Mugs</span></a><meta itemprop="position" content="2"></li>
        <li itemprop="itemListElement" itemscope itemtype="https://schema.org/ListItem"><span itemprop="name">Red mug</span><meta
        itemprop="position" content="3"></li></ol>
        """#,
        // The list that the page itself has comes before others.
        #"""
        <script type='application/ld+json'>[{"@context":"https://schema.org","@type":"BreadcrumbList","itemListElement":[
        {"@type":"ListItem","position":1,"name":"Sale","item":"https://example.org/sale"}]},
        {"@context":"https://schema.org","@type":"ItemPage","breadcrumb":{"@type":"BreadcrumbList","itemListElement":[
        {"@type":"ListItem","position":1,"name":"Home","item":"https://example.org/"},
        {"@type":"ListItem","position":2,"name":"Mugs","item":"https://example.org/mugs"},
        {"@type":"ListItem","position":3,"name":"Red mug"}]}}]</script>
        """#,
    ]) func `the path to a page is stated in its order`(html: String) throws {
        let record = try RecordBuilderTests.record(html)
        #expect(
            record.breadcrumbs == [
                .init(name: "Home", url: "https://example.org/"), .init(name: "Mugs", url: "https://example.org/mugs"),
                .init(name: "Red mug"),
            ])
        #expect(source(of: "breadcrumbs", in: record) == .schemaOrg)
        #expect(!record.types.contains("ListItem"))
    }

    @Test(arguments: [
        #"<nav aria-label="Breadcrumb"><ol><li><a href="/">Home</a></li><li><a href="/mugs">Mugs</a></li><li>Red mug</li></ol></nav>"#,
        #"<div class="page-breadcrumbs"><a href="/">Home</a> › <a href="/mugs">Mugs</a> › <span>Red mug</span></div>"#,
        #"<body class="has-breadcrumb"><p id="BreadCrumb"><a href="/">Home</a> / <a href="/mugs">Mugs</a> / Red mug</p>"#,
    ]) func `the path that a page shows is read from its links`(html: String) throws {
        let record = try RecordBuilderTests.record("<title>Red mug | Shop</title>" + html + "<h1>Red mug</h1>")
        #expect(
            record.breadcrumbs == [
                .init(name: "Home", url: "https://example.org/"), .init(name: "Mugs", url: "https://example.org/mugs"),
                .init(name: "Red mug"),
            ])
        #expect(source(of: "breadcrumbs", in: record) == .visibleText)
    }

    @Test func `a menu and a way back are no path`() throws {
        let links = (0..<30).map { "<a href='/\($0)'>Part \($0)</a>" }.joined()
        #expect(try RecordBuilderTests.record("<div class=breadcrumb>\(links)</div>").breadcrumbs.isEmpty)
        #expect(
            try RecordBuilderTests.record("<div class=breadcrumb><a href='/list'>Back</a></div>").breadcrumbs.isEmpty)
        #expect(try RecordBuilderTests.record("<div class=breadcrumb><a href='/'>Home</a></div>").breadcrumbs.isEmpty)
    }

    // MARK: Other versions, feeds, licence

    @Test func `versions in other languages and feeds are those of links`() throws {
        let record = try RecordBuilderTests.record(
            """
            <link rel=alternate hreflang=DE-ch href=/de><link rel=alternate hreflang=x-default href=/>
            <link rel=alternate hreflang=de-CH href=/again><link rel=alternate hreflang="no language" href=/no>
            <link rel=alternate type='application/rss+xml' href=/feed title=' News '>
            <link rel=alternate type='application/rss+xml' href=/feed>
            """)
        #expect(
            record.languageAlternates == [
                .init(language: "de-CH", url: "https://example.org/de"),
                .init(language: "x-default", url: "https://example.org/"),
            ])
        #expect(record.feeds == [.init(url: "https://example.org/feed", type: "application/rss+xml", title: "News")])
        #expect(source(of: "languageAlternates", in: record) == .alternateLink)
    }

    @Test func `the licence is the topic's, else the page's`() throws {
        let by = "https://creativecommons.org/licenses/by/4.0/"
        let link = "<link rel='license' href='\(by)'>"
        let stated =
            #"{"@context":"https://schema.org","@type":"Article","name":"N","license":"https://example.org/terms"}"#
        #expect(try record(stated, html: link).license == "https://example.org/terms")
        #expect(
            try record(
                #"{"@context":"https://schema.org","@type":"Article","name":"N","license":{"@type":"CreativeWork","url":"\#(by)"}}"#
            ).license == by)
        #expect(try RecordBuilderTests.record(link).license == by)
        #expect(try RecordBuilderTests.record("<p>See <a rel='license noopener' href='\(by)'>CC</a>").license == by)
        #expect(try RecordBuilderTests.record("<meta name='DCTERMS.license' content='\(by)'>").license == by)
        // A gallery has one for each picture; terms for machines are the site's; and visitors license nothing.
        #expect(
            try RecordBuilderTests.record("<a rel=license href='\(by)'>1</a><a rel=license href='/other'>2</a>").license
                == nil)
        #expect(
            try RecordBuilderTests.record("<link rel=license type='application/rsl+xml' href=/rsl>").license == nil)
        #expect(
            try RecordBuilderTests.record("<div class=comments><a rel=license href='\(by)'>1</a></div>").license == nil)
    }

    @Test func `other pages about the topic, and the words of the page`() throws {
        let stated = try record(
            #"""
            {"@context":"https://schema.org","@type":"Book","name":"N","wordCount":"1,200","sameAs":["https://en.wikipedia.org/wiki/N",
            "https://en.wikipedia.org/wiki/N","https://example.org/"]}
            """#, html: "<link rel=canonical href='https://example.org/'>")
        #expect(stated.sameAs == ["https://en.wikipedia.org/wiki/N"])
        #expect(stated.wordCount == 1_200)
    }

    @Test(arguments: [
        ("Three words here", 3), ("a – b, c: 12 %", 4), ("das ist’s", 2), ("", 0), ("…", 0),
        ("東京都に住んでいます。", 7), ("ฉันรักภาษาไทย", 4), ("한국어 문장 하나", 3), ("Это три слова", 3),
    ]) func `words are counted in scripts with and without spaces`(text: String, count: Int) {
        #expect(WordCount.words(of: Array(text.utf8)) == count)
    }

    // MARK: Parts

    @Test func `a series has its episodes, an album its songs, a festival its concerts`() throws {
        let series = try record(
            #"""
            {"@context":"https://schema.org","@type":"PodcastSeries","name":"S","episode":[
            {"@type":"PodcastEpisode","name":"One","url":"https://example.org/1"},{"name":"Two"},{"@type":"PodcastEpisode"}]}
            """#)
        #expect(
            series.parts == [
                .init(type: "PodcastEpisode", name: "One", url: "https://example.org/1"),
                .init(type: "Episode", name: "Two"),
            ])
        let album = try record(
            #"""
            {"@context":"https://schema.org","@type":"MusicAlbum","name":"A","track":{"@type":"ItemList","itemListElement":[
            {"@type":"ListItem","position":1,"item":{"@type":"MusicRecording","name":"Song"}},
            {"@type":"MusicRecording","name":"Another"}]}}
            """#)
        #expect(album.parts.map(\.name) == ["Song", "Another"])
        let paid = try record(
            #"""
            {"@context":"https://schema.org","@type":"NewsArticle","headline":"H","hasPart":{"@type":"WebPageElement",
            "isAccessibleForFree":false,"cssSelector":".paid"},"isPartOf":{"@type":"WebSite","name":"W"}}
            """#)
        #expect(paid.parts.isEmpty)
    }

    @Test func `a recipe keeps its data beside a post, whichever the page names`() throws {
        let recipe = #"""
            {"@type":"Recipe","@id":"recipe","name":"Soup","recipeYield":["4","4 servings"],"prepTime":"PT5M","cookTime":"PT30M",
            "recipeIngredient":["a","b"],"nutrition":{"@type":"NutritionInformation","calories":"270 calories","fatContent":"9 g"}}
            """#
        for post in [
            #"{"@type":"BlogPosting","headline":"Soup","mainEntityOfPage":"https://example.org/"}"#,
            #"{"@type":"WebPage","mainEntity":{"@type":"BlogPosting","headline":"Soup"}}"#,
            #"{"@type":"BlogPosting","headline":"Soup","mainEntity":{"@id":"recipe"}}"#,
        ] {
            let record = try record(#"{"@context":"https://schema.org","@graph":[\#(post),\#(recipe)]}"#)
            #expect(record.types.first == "Recipe", "\(post)")
            #expect(record.recipe?.totalTime == "PT35M" && record.recipe?.prepTime == "PT5M")
            #expect(record.recipe?.yield == "4 servings" && record.recipe?.ingredients == 2)
            #expect(record.recipe?.nutrition["fatContent"] == "9 g" && record.recipe?.calories == "270 calories")
        }
    }

    // MARK: Products

    @Test func `an offer says its shipping and returns, also by reference`() throws {
        let record = try record(
            #"""
            {"@context":"https://schema.org","@graph":[
            {"@type":"Product","name":"P","offers":{"@type":"Offer","price":"12","priceCurrency":"USD","itemCondition":"new",
            "priceValidUntil":"2026-12-31","shippingDetails":[{"@id":"#us"},{"@type":"OfferShippingDetails","doesNotShip":true,
            "shippingDestination":{"@type":"DefinedRegion","addressCountry":"CA"}}],
            "hasMerchantReturnPolicy":{"@id":"#returns"}}},
            {"@type":"OfferShippingDetails","@id":"#us","shippingRate":{"@type":"MonetaryAmount","value":3.5,"currency":"USD"},
            "shippingDestination":{"@type":"DefinedRegion","addressCountry":["US","PR"]},
            "deliveryTime":{"@type":"ShippingDeliveryTime","handlingTime":{"minValue":0,"maxValue":1},
            "transitTime":{"minValue":2,"maxValue":5}}},
            {"@type":"MerchantReturnPolicy","@id":"#returns","applicableCountry":"US","merchantReturnDays":60,
            "returnPolicyCategory":"https://schema.org/MerchantReturnFiniteReturnWindow","returnFees":"https://schema.org/FreeReturn"}]}
            """#)
        let offer = try #require(record.offers.first)
        #expect(offer.itemCondition == "NewCondition" && offer.priceValidUntil == "2026-12-31")
        #expect(
            offer.shipping == [
                .init(countries: ["US", "PR"], price: "3.5", currency: "USD", minimumDays: 2, maximumDays: 6),
                .init(countries: ["CA"], isShipped: false),
            ])
        #expect(
            offer.returns
                == .init(category: "MerchantReturnFiniteReturnWindow", days: 60, fees: "FreeReturn", countries: ["US"]))
    }

    @Test func `the policy of the shop is that of its offers`() throws {
        let record = try record(
            #"""
            {"@context":"https://schema.org","@graph":[{"@type":"Product","name":"P","offers":{"@type":"Offer","price":"12"}},
            {"@type":"OnlineStore","name":"S","hasMerchantReturnPolicy":{"@type":"MerchantReturnPolicy",
            "returnPolicyCategory":"MerchantReturnNotPermitted"}}]}
            """#)
        #expect(record.offers.first?.returns == .init(category: "MerchantReturnNotPermitted"))
    }

    @Test func `a group of products has its variants`() throws {
        let record = try record(
            #"""
            {"@context":"https://schema.org","@type":"ProductGroup","name":"Coat","variesBy":["https://schema.org/color"],"hasVariant":[
            {"@type":"Product","name":"Coat, red","color":"Red","size":{"@type":"SizeSpecification","name":"M"},"sku":"C-1",
            "offers":{"@type":"Offer","url":"https://example.org/coat?c=red","price":39.99,"priceCurrency":"EUR",
            "availability":"https://schema.org/InStock"}},{"url":"https://example.org/coat?c=blue"},{"@type":"Product"}]}
            """#)
        #expect(
            record.variants == [
                .init(
                    name: "Coat, red", url: "https://example.org/coat?c=red", sku: "C-1",
                    properties: ["color": "Red", "size": "M"], price: "39.99", currency: "EUR", availability: "InStock"),
                .init(url: "https://example.org/coat?c=blue"),
            ])
        #expect(record.offers.count == 1)
    }

    // MARK: Dates

    @Test(arguments: [
        ("server:timestamp", false), ("server:date", false), ("page:created", false), ("timestamp", false),
        ("ours:publish_date", true), ("photos:uploaded", true), ("date", true), ("dc.date", true),
    ]) func `when a server sent the page is no day of publication`(name: String, isPublished: Bool) throws {
        let record = try RecordBuilderTests.record("<meta name='\(name)' content='2025-03-04T10:00:00Z'>")
        #expect((record.publishedAt != nil) == isPublished)
    }

    @Test(arguments: [
        ("Zestful Kitchen | Everyday Cooking", "https://zestfulkitchen.example/a", "Zestful Kitchen"),
        ("tried and true - Ambers Kitchen", "https://www.ambers-kitchen.example/a", "Ambers Kitchen"),
        ("Everyday Cooking | Recipes", "https://zestfulkitchen.example/a", "Everyday Cooking | Recipes"),
        ("Coca-Cola & Co", "https://coca.example/a", "Coca-Cola & Co"),
    ]) func `a site's name loses its slogan if the rest is the host's`(name: String, url: String, site: String) throws {
        let html = "<meta property='og:site_name' content='\(name)'><title>T</title>"
        #expect(try RecordBuilderTests.record(html, url: url).containerTitle == site)
    }

    // MARK: Guesses

    @Test func `a guess says so, and is left out where only statements are wanted`() throws {
        let html = """
            <title>Red mug</title><h1>Red mug</h1><p class=byline>By <a rel=author href=/ann>Ann Other</a>, 3 March 2025</p>
            <div class=breadcrumb><a href=/>Home</a> <a href=/mugs>Mugs</a></div>
            """
        let page = "https://example.org/2025/03/04/mug"
        let facts = try RecordBuilderTests.facts(html, url: page)
        let now = RecordBuilderTests.fetchedAt
        let record = try #require(RecordBuilder.conclusion(from: facts, now: now).record)
        #expect(record.authors.map(\.name) == ["Ann Other"] && record.publishedAt == "2025-03-04")
        let guessed = Set(record.confidence.map(\.field))
        #expect(guessed == ["authors", "publishedAt", "breadcrumbs", "containerTitle"])
        #expect(record.confidence.allSatisfy { (0.0...1).contains($0.value) })
        let stated = try #require(RecordBuilder.conclusion(from: facts, onlyStated: true, now: now).record)
        #expect(stated.confidence.isEmpty)
        #expect(stated.authors.isEmpty && stated.publishedAt == nil && stated.breadcrumbs.isEmpty)
        #expect(stated.containerTitle == nil && stated.title == "Red mug")
    }

    // MARK: Near misses

    @Test func `the path is no style sheet, no page around it, and ends at the page`() throws {
        let links = "<a href=/>Home</a> <a href=/mugs>Mugs</a>"
        let path = ["Home", "Mugs"]
        let styled = "<link rel=stylesheet id=breadcrumb-css href=/b.css><nav class=breadcrumb>\(links)</nav>"
        #expect(try RecordBuilderTests.record(styled).breadcrumbs.map(\.name) == path)
        let tools =
            "<div class=breadcrumb>\(links) <a href='#'>Red mug</a> <a href='/page?print=1'>Print</a> <a href=/mail>Mail</a></div>"
        #expect(try RecordBuilderTests.record(tools).breadcrumbs.map(\.name) == path)
        let around =
            "<div class=page-breadcrumbs><p>\(String(repeating: "Words of the page. ", count: 300))</p>\(links)</div>"
        #expect(try RecordBuilderTests.record(around).breadcrumbs.isEmpty)
    }

    @Test func `a delivery that is stated in hours has no days`() throws {
        let record = try record(
            #"""
            {"@context":"https://schema.org","@type":"Product","name":"P","offers":{"@type":"Offer","price":"12","shippingDetails":
            {"@type":"OfferShippingDetails","shippingRate":{"value":1,"currency":"EUR"},"deliveryTime":{"handlingTime":
            {"minValue":24,"maxValue":48,"unitCode":"HUR"},"transitTime":{"minValue":1,"maxValue":2,"unitCode":"DAY"}}}}}
            """#)
        #expect(record.offers.first?.shipping == [.init(price: "1", currency: "EUR")])
    }

    @Test(arguments: [
        ("By Ann Lee and Bo Yi", ["Ann Lee", "Bo Yi"]), ("By ANN LEE, Staff Writer", ["ANN LEE"]),
        ("Ann Lee", ["Ann Lee"]),
        ("By Night", ["By Night"]),
    ]) func `a byline in the field for a name is read as one`(name: String, authors: [String]) throws {
        let record = try record(
            #"{"@context":"https://schema.org","@type":"Article","headline":"H","author":{"@type":"person","name":"\#(name)"}}"#
        )
        #expect(record.authors.map(\.name) == authors)
    }

    @Test func `a profile has no byline`() throws {
        let html =
            "<meta property='og:type' content='profile'><h1>Ann Lee</h1><p class=byline>By Bo Yi, 3 March 2025</p>"
        let record = try RecordBuilderTests.record(html)
        #expect(record.authors.isEmpty && record.publishedAt == nil)
    }

    @Test(arguments: 90..<110)
    func `a byline in a long block begins where it begins`(length: Int) throws {
        let text = "<div class=byline>By Ann Lee"
        let rest = String(repeating: " é", count: length / 2) + String(repeating: " word", count: 80)
        let record = try RecordBuilderTests.record("<h1>Pears</h1>\(text)<br>\(rest)</div>")
        #expect(record.authors.isEmpty || record.authors.map(\.name) == ["Ann Lee"])
    }
}
