import PippinTestSupport
import Testing

@testable import PippinPage

/// What the record makes of structured data that is spread over a page or written in a way of its own.
@Suite struct RecordReadingTests {
    private func script(_ json: String) -> String { "<script type='application/ld+json'>\(json)</script>" }

    private func record(_ html: String) throws -> DeepLinkRecord { try RecordBuilderTests.record(html) }

    // MARK: One identifier, one thing

    @Test func `things are joined by their identifiers across scripts and syntaxes`() throws {
        let record = try record(
            script(
                #"{"@context":"https://schema.org","@type":"Product","@id":"page#lamp","name":"Lamp","brand":{"@id":"/maker#us"}}"#
            )
                + script(
                    #"{"@context":"https://schema.org","@id":"page#lamp","offers":{"@type":"Offer","price":"12","priceCurrency":"EUR"}}"#
                )
                    + """
                    <div itemscope itemid="https://example.org/page#lamp" itemtype="https://schema.org/Product">
                    <meta itemprop="name" content="Other name"><meta itemprop="description" content="Shines.">
                    <div itemprop="aggregateRating" itemscope itemtype="https://schema.org/AggregateRating">
                    <meta itemprop="ratingValue" content="4"><meta itemprop="ratingCount" content="9"></div></div>
                    <div vocab="https://schema.org/" resource="/maker#us" typeof="Organization">
                    <meta property="name" content="Makers"><meta property="telephone" content="+49 731 555"></div>
                    """)
        #expect(record.title == "Lamp")
        #expect(record.contentDescription == "Shines.")
        #expect(record.offers.map(\.price) == ["12"])
        #expect(record.rating?.count == 9)
        #expect(record.organization?.name == "Makers")
        #expect(record.actions.contains(.call(phoneNumber: "+49731555", extension: nil)))
    }

    @Test func `microdata items of one identifier are one`() throws {
        let record = try record(
            """
            <div itemscope itemtype="https://schema.org/Event" itemid="urn:e"><meta itemprop="name" content="Fair">
            <link itemprop="location" href="urn:hall"></div>
            <div itemscope itemtype="https://schema.org/Place" itemid="urn:hall"><meta itemprop="address" content="4 Pier Street, Ulm"></div>
            <div itemscope itemtype="https://schema.org/Event" itemid="urn:e"><meta itemprop="description" content="Yearly."></div>
            """)
        #expect(record.title == "Fair")
        #expect(record.contentDescription == "Yearly.")
        #expect(record.actions == [.directions(address: "4 Pier Street, Ulm", coordinates: nil)])
    }

    @Test func `what is told twice has no value twice, and an address stays one`() throws {
        let record = try record(
            script(
                #"{"@context":"https://schema.org","@type":"Recipe","@id":"urn:r","name":"Stew","url":"urn:r","recipeIngredient":["a","b"]}"#
            )
                + """
                <div vocab="https://schema.org/" resource="urn:r" typeof="Recipe"><b property="recipeIngredient">a</b>
                <b property="recipeIngredient">b</b><b property="recipeYield">4</b></div>
                """)
        #expect(record.recipe?.ingredients == 2)
        #expect(record.recipe?.yield == "4")
    }

    @Test func `circles of identifiers end`() throws {
        let record = try record(
            script(
                #"{"@context":"https://schema.org","@graph":[{"@type":"Event","@id":"urn:a","name":"A","offers":{"@id":"urn:b"},"image":{"@id":"urn:a"},"location":{"@id":"urn:a"}},{"@type":"Offer","@id":"urn:b","offers":{"@id":"urn:b"},"priceSpecification":{"@id":"urn:b"},"price":"1"}]}"#
            )
                + "<div itemscope itemid='urn:b' itemtype='https://schema.org/Offer'><link itemprop='offers' href='urn:b'></div>"
        )
        #expect(record.offers.map(\.price) == ["1"])
    }

    @Test(.slow) func `ten thousand items of one identifier are joined in one pass`() throws {
        let items = String(
            repeating:
                "<i itemscope itemid='urn:x' itemtype='https://schema.org/Product'><b itemprop=name>N</b><link itemprop=isRelatedTo href='urn:x'></i>",
            count: 9_000)
        #expect(try record(items).title == "N")
    }

    // MARK: Texts

    @Test
    func `character references in JSON-LD are decoded for the record, and once more where they were escaped twice`()
        throws
    {
        let html = script(
            #"{"@context":"https://schema.org","@type":"Product","name":"Tom &amp; Jerry&#39;s caf&eacute;","description":"&amp;lt;b&gt; &unknown; a&b; &hellip;","image":"https://example.org/i?a=1&amp;b=2"}"#
        )
        let facts = try RecordBuilderTests.facts(html, url: "https://example.org/page")
        #expect(facts.jsonLD.documents.first?["name"]?.string == "Tom &amp; Jerry&#39;s caf&eacute;")
        guard
            case .record(let record, let notes) = RecordBuilder.conclusion(
                from: facts, now: RecordBuilderTests.fetchedAt)
        else {
            Issue.record("no record")
            return
        }
        #expect(record.title == "Tom & Jerry's café")
        #expect(record.contentDescription == "<b> &unknown; a&b; …")
        #expect(record.thumbnailURL == "https://example.org/i?a=1&b=2")
        #expect(notes.map(\.code.rawValue) == ["json-ld-character-references"])
        #expect(notes.first?.line == 1)
    }

    @Test func `references that were escaped twice are decoded once more`() throws {
        let record = try record(
            "<div itemscope itemtype='https://schema.org/Product'><b itemprop=name>Write &amp;amp;</b><b itemprop=sku>1</b></div>"
        )
        #expect(record.title == "Write &")
    }

    @Test func `a placeholder that was never filled in is no title`() throws {
        let record = try record(
            script(
                #"{"@context":"https://schema.org","@type":"Product","name":"{{ product.title }}","headline":"Lamp"}"#))
        #expect(record.title == "Lamp")
    }

    // MARK: Values in their places

    @Test(arguments: [
        #""image":"/a.jpg""#, #""image":["/a.jpg","/a.jpg"]"#, #""image":{"@type":"ImageObject","url":"/a.jpg"}"#,
        #""image":{"@type":"ImageObject","contentUrl":"/a.jpg"}"#, #""image":{"@type":"ImageObject","@id":"/a.jpg"}"#,
        #""image":{"@id":"/a.jpg"}"#, #""image":{"@list":["/a.jpg"]}"#,
        #""image":["",{"url":""},"//example.org/a.jpg"]"#,
        #""image":["data:image/png;base64,AAAA","https://example.org/a.jpg"]"#,
        #""image":{"@type":"ItemList","itemListElement":[{"url":"/a.jpg"}]}"#, #""thumbnailUrl":"/a.jpg""#,
    ])
    func `an image`(member: String) throws {
        let record = try record(
            script("{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"N\",\(member)}"))
        #expect(record.images.map(\.url) == ["https://example.org/a.jpg"])
    }

    @Test(arguments: [
        #""offers":"12 €""#, #""offers":{"price":"12","priceCurrency":"EUR"}"#,
        #""offers":[{"price":12,"priceCurrency":"EUR"}]"#,
        #""offers":{"@type":"Offer","priceSpecification":{"price":"12","priceCurrency":"EUR"}}"#,
        #""offers":{"@type":"AggregateOffer","offers":[{"price":"12","priceCurrency":"eur"}]}"#,
        #""price":"12 €""#, #""hasVariant":[{"@type":"Product","offers":{"price":"12","priceCurrency":"€"}}]"#,
        #""offers":{"@type":"Offer","priceSpecification":[{"priceType":"https://schema.org/StrikethroughPrice","price":"20"},{"price":"12","priceCurrency":"EUR"}]}"#,
    ])
    func `an offer`(member: String) throws {
        let record = try record(
            script("{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"N\",\(member)}"))
        #expect(record.offers.map(\.price) == ["12"])
        #expect(record.offers.map(\.currency) == ["EUR"])
    }

    @Test(
        arguments: [
            (#""@type":"AggregateOffer","lowPrice":"10","highPrice":"14.50""#, "10", "10", "14.50"),
            (#""@type":"AggregateOffer","lowPrice":10"#, "10", "10", nil),
            (#""@type":"Offer","price":"10 – 14,50 €""#, "10", "10", "14.50"),
            (#""priceSpecification":{"minPrice":10,"maxPrice":14}"#, "10", "10", "14"),
            (#""@type":"AggregateOffer","price":"12","lowPrice":"10","highPrice":"14""#, "12", "10", "14"),
            (#""@type":"AggregateOffer","highPrice":"14""#, nil, nil, "14"),
        ] as [(String, String?, String?, String?)])
    func `the price of an offer with several is the lowest`(
        members: String, price: String?, low: String?, high: String?
    ) throws {
        let record = try record(
            script("{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"N\",\"offers\":{\(members)}}")
        )
        let offer = try #require(record.offers.first)
        #expect(offer.price == price)
        #expect(offer.lowPrice == low)
        #expect(offer.highPrice == high)
    }

    @Test(arguments: [
        "\"Ada\"", #"{"@type":"Person","name":"Ada"}"#, #"["Ada",{"@type":"Person","name":"Bo"}]"#, "null", "\"\"",
    ])
    func `an author of any form spoils nothing`(author: String) throws {
        let record = try record(
            script(
                #"{"@context":"https://schema.org","@type":["Article","NewsArticle"],"headline":"H","author":\#(author)}"#
            ))
        #expect(record.title == "H")
        #expect(record.types == ["Article", "NewsArticle"])
    }

    @Test func `a profile has the followers of whom it shows`() throws {
        let record = try record(
            script(
                #"{"@context":"https://schema.org","@type":"ProfilePage","mainEntity":{"@type":"Person","name":"Ada","interactionStatistic":{"@type":"InteractionCounter","interactionType":{"@type":"FollowAction"},"userInteractionCount":"1.1K"}}}"#
            ))
        #expect(record.interactions.map(\.count) == [1_100])
        #expect(record.interactions.map(\.type) == ["FollowAction"])
    }

    @Test func `of several yields the one in words counts`() throws {
        let record = try record(
            script(#"{"@context":"https://schema.org","@type":"Recipe","name":"S","recipeYield":["4","4 servings"]}"#))
        #expect(record.recipe?.yield == "4 servings")
    }

    @Test func `both coordinates may stand in one text`() throws {
        let record = try record(
            script(#"{"@context":"https://schema.org","@type":"Hotel","name":"H","geo":"40.7128, -74.0060"}"#))
        guard case .directions(nil, let coordinates?) = record.actions.first else {
            Issue.record("no coordinates")
            return
        }
        #expect(coordinates.latitude == 40.7128 && coordinates.longitude == -74.006)
    }

    @Test func `types of many spellings and unknown ones still have a name, a picture and a description`() throws {
        for type in ["Gizmo", "https://schema.org/Gizmo", "http://data-vocabulary.org/Product", "product"] {
            let record = try record(
                script(
                    #"{"@context":"https://schema.org","@type":"\#(type)","name":"N","description":"D","image":"/a.jpg"}"#
                ))
            #expect(record.title == "N" && record.contentDescription == "D" && record.thumbnailURL != nil, "\(type)")
        }
    }

    @Test func `Google's old vocabulary is read in both of its syntaxes`() throws {
        let microdata = try record(
            """
            <div itemscope itemtype="http://data-vocabulary.org/Product"><b itemprop="name">Lamp</b>
            <div itemprop="review" itemscope itemtype="http://data-vocabulary.org/Review-aggregate">
            <i itemprop="rating">4.5</i><i itemprop="count">12</i></div>
            <div itemprop="offerDetails" itemscope itemtype="http://data-vocabulary.org/Offer">
            <meta itemprop="currency" content="USD"><i itemprop="price">19.99</i></div></div>
            """)
        let rdfa = try record(
            """
            <div xmlns:v="http://rdf.data-vocabulary.org/#" prefix="v: http://rdf.data-vocabulary.org/#" typeof="v:Product">
            <b property="v:name">Lamp</b>
            <div rel="v:review"><div typeof="v:Review-aggregate"><span rel="v:rating"><span typeof="v:Rating">
            <i property="v:average">4.5</i></span></span><i property="v:count">12</i></div></div>
            <div rel="v:offerDetails"><div typeof="v:Offer"><meta property="v:currency" content="USD">
            <i property="v:price">19.99</i></div></div></div>
            """)
        for record in [microdata, rdfa] {
            #expect(record.types == ["Product"])
            #expect(record.title == "Lamp")
            #expect(record.rating?.value == 4.5)
            #expect(record.rating?.reviewCount == 12)
            #expect(record.offers.map(\.price) == ["19.99"])
            #expect(record.offers.map(\.currency) == ["USD"])
        }
    }

    // MARK: When it changed

    /// Pages are fetched at 20:00 in UTC on 20 November 2026, when it is the 21st in Auckland.
    @Test(arguments: [
        ("2026-11-20T19:00:00Z", "2026-11-20T19:00:00Z"), ("2026-11-20", "2026-11-20"), ("2026-11-21", "2026-11-21"),
        ("2026-11-20T19:00:00+0100", "2026-11-20T19:00:00+01:00"), ("2026-11-20 19:00", "2026-11-20T19:00:00"),
        ("2026-11", "2026-11"), ("October 31st, 2015", "2015-10-31"), ("1446318000", "2015-10-31T19:00:00Z"),
        ("Sat, 31 Oct 2015 19:00:00 GMT", "2015-10-31T19:00:00Z"), ("31. Oktober 2015, 19 Uhr", "2015-10-31"),
        ("2026-11-20T20:30:00Z", nil), ("2026-11-22", nil), ("2099-01-01", nil), ("1970-01-01", nil),
        ("0001-01-01T00:00:00", nil), ("yesterday", nil), ("2015-02-30", nil), ("", nil),
    ])
    func `a day that has not come yet, or that is none, does not reach the record`(date: String, written: String?)
        throws
    {
        let stated = script(
            #"{"@context":"https://schema.org","@type":"Article","headline":"A","dateModified":"\#(date)","datePublished":"\#(date)"}"#
        )
        let tags = "<meta property='article:modified_time' content='\(date)'><meta name='dc.date' content='\(date)'>"
        for html in [stated, tags] {
            #expect(try record(html).modifiedAt == written)
            #expect(try record(html).publishedAt == written)
        }
        // The next source is asked.
        let both = try record(
            stated + "<meta property='og:updated_time' content='2026-01-02'><time>3 January 2026</time>")
        #expect(both.modifiedAt == written ?? "2026-01-02")
        #expect(both.publishedAt == written ?? "2026-01-03")
        let facts = try RecordBuilderTests.facts(stated, url: "https://example.org/page")
        guard
            case .record(_, let notes) = RecordBuilder.conclusion(from: facts, now: RecordBuilderTests.fetchedAt)
        else { return }
        #expect(notes.isEmpty == (written != nil || date.isEmpty))
    }
}
