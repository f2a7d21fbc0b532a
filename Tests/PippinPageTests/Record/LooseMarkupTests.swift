import PippinTestSupport
import Testing

@testable import PippinPage

/// Markup as in Apple's own samples: properties outside of any item, an address that no item has, an offer beside a hotel.
@Suite struct LooseMarkupTests {
    private func record(_ html: String) throws -> DeepLinkRecord { try RecordBuilderTests.record(html) }

    private let address = """
        <div itemprop="address" itemscope itemtype="https://schema.org/PostalAddress">
        <span itemprop="streetAddress">1 Main St</span> <span itemprop="addressLocality">Napa</span>,
        <span itemprop="addressRegion">CA</span> <span itemprop="postalCode">94558</span>
        <span itemprop="addressCountry">US</span></div>
        """

    @Test func `a telephone number and an address that stand in no item are the page's`() throws {
        let record = try record(
            "<title>Our shop</title><b itemprop=telephone>(707) 555-0100</b> <b itemprop=priceRange>$$</b>"
                + "<meta itemprop=interactionCount content='UserComments:1024'>" + address)
        #expect(
            record.actions == [
                .call(phoneNumber: "+17075550100", extension: nil),
                .directions(address: "1 Main St, Napa, CA 94558, US", coordinates: nil),
            ])
        #expect(record.organization?.telephone == "(707) 555-0100")
        #expect(record.organization?.address?.addressLocality == "Napa")
        #expect(record.priceRange == "$$")
        #expect(record.interactions.map(\.type) == ["CommentAction"])
        #expect(record.interactions.map(\.count) == [1_024])
    }

    @Test func `a bare address is the page's even where it is in JSON-LD`() throws {
        let script =
            #"<script type='application/ld+json'>{"@context":"https://schema.org","@type":"PostalAddress","streetAddress":"1 Main St","addressLocality":"Napa"}</script>"#
        #expect(try record(script).actions == [.directions(address: "1 Main St, Napa", coordinates: nil)])
        // Two are a list, and one that an item has is the item's.
        #expect(try record(address + address).actions.isEmpty)
        let publisher =
            #"<script type='application/ld+json'>{"@context":"https://schema.org","@graph":[{"@type":"PostalAddress","@id":"urn:a","streetAddress":"1 Main St","addressLocality":"Napa"},{"@type":"Article","headline":"H","publisher":{"@type":"Organization","name":"P","address":{"@id":"urn:a"}}}]}</script>"#
        #expect(try record(publisher).actions.isEmpty)
    }

    @Test func `a recipe is nowhere, though an address stands below it`() throws {
        let recipe =
            #"<script type='application/ld+json'>{"@context":"https://schema.org","@type":"Recipe","name":"Soup"}</script>"#
        #expect(try record(recipe + address).actions.isEmpty)
    }

    @Test(arguments: [
        #""makesOffer":{"@type":"Offer","price":"96","priceCurrency":"EUR"}}"#,
        #""name":"H"},{"@type":"Offer","price":"96","priceCurrency":"EUR"}"#,
    ])
    func `a hotel has the price of its offers and of one beside it`(members: String) throws {
        let record = try record(
            #"<script type='application/ld+json'>{"@context":"https://schema.org","@graph":[{"@type":"Hotel","#
                + members + "]}</script>")
        #expect(record.offers.map(\.price) == ["96"])
        #expect(record.offers.map(\.currency) == ["EUR"])
    }

    @Test func `an offer beside an article is not the article's`() throws {
        let record = try record(
            #"<script type='application/ld+json'>{"@context":"https://schema.org","@graph":[{"@type":"Article","headline":"H"},{"@type":"Offer","price":"96"}]}</script>"#
        )
        #expect(record.offers.isEmpty)
    }

    @Test(arguments: ["Restaurant", "Hotel", "Event"])
    func `people can call and find the way`(type: String) throws {
        let place =
            #""telephone":"+49 731 555","address":{"@type":"PostalAddress","streetAddress":"4 Pier St","addressLocality":"Ulm"}"#
        let members = type == "Event" ? #""location":{"@type":"Place",\#(place)}"# : place
        let record = try record(
            #"<script type='application/ld+json'>{"@context":"https://schema.org","@type":"\#(type)","name":"N",\#(members)}</script>"#
        )
        #expect(
            record.actions == [
                .call(phoneNumber: "+49731555", extension: nil),
                .directions(address: "4 Pier St, Ulm", coordinates: nil),
            ])
    }
}
