import PippinTestSupport
import Testing

@testable import PippinPage

/// What a record takes from microformats.
@Suite struct MicroformatsRecordTests {
    private func record(_ html: String) throws -> DeepLinkRecord { try RecordBuilderTests.record(html) }

    private func fields(_ record: DeepLinkRecord) -> Set<String> {
        Set(record.provenance.filter { $0.source == .microformats }.map(\.field))
    }

    private static let entry = """
        <article class=h-entry><a class=u-url href=/page><b class=p-name>On pears</b></a>
        <time class=dt-published datetime=2012-08-05>x</time><time class=dt-updated datetime=2012-09-01>y</time>
        <a class='p-author h-card' href=/ann>Ann Lee</a><img class=u-photo src=/pear-tree.jpg width=800 height=600>
        <p class=p-summary>All that is known of pears, and of the trees that they grow on.</p><b class=p-category>fruit</b>
        """

    @Test func `an h-entry gives title, days, author, description, picture and keywords`() throws {
        let record = try record(Self.entry)
        #expect(record.title == "On pears")
        #expect(record.publishedAt == "2012-08-05")
        #expect(record.modifiedAt == "2012-09-01")
        #expect(record.authors.map(\.name) == ["Ann Lee"])
        #expect(record.authors.first?.url == "https://example.org/ann")
        #expect(record.contentDescription?.hasPrefix("All that is known") == true)
        #expect(record.thumbnailURL == "https://example.org/pear-tree.jpg")
        #expect(record.keywords == ["fruit"])
        #expect(record.types == ["Article"])
        #expect(
            fields(record).isSuperset(of: [
                "title", "publishedAt", "modifiedAt", "authors", "contentDescription", "thumbnailURL", "keywords",
                "types",
            ]))
    }

    @Test func `comments and quotations in an entry give neither author nor day`() throws {
        let comment = """
            <div class='p-comment h-entry'><a class='p-author h-card' href=/bob>Bob May</a><a class=u-url href='/page#c1'>
            <time class=dt-published datetime=2013-01-01>x</time></a><p class=p-name>Nice</p></div>
            """
        let record = try record(
            "<article class=h-entry><h1 class=p-name>On pears</h1>\(comment)<div class='u-in-reply-to h-cite'><b class='p-author h-card'>Eve Fox</b></div></article>"
        )
        #expect(record.title == "On pears")
        #expect(fields(record).isDisjoint(with: ["authors", "publishedAt", "modifiedAt"]))
    }

    @Test func `a feed has no author and no day of its own`() throws {
        let feed = ["One", "Two"].map {
            """
            <div class=h-entry><a class='u-url p-name' href=/\($0)>\($0) thing</a><b class='p-author h-card'>Ann Lee</b>
            <time class=dt-published datetime=2012-08-05>x</time></div>
            """
        }.joined()
        for html in ["<div class=h-feed>\(feed)</div>", feed, feed.replacing("p-name", with: "")] {
            let record = try record("<title>Things</title>" + html)
            #expect(fields(record).isDisjoint(with: ["authors", "publishedAt", "title"]), "\(html)")
        }
        let own = try record("<div class=h-feed>\(feed.replacing("/One", with: "/page"))</div>")
        #expect(own.authors.map(\.name) == ["Ann Lee"])
    }

    @Test func `an h-card gives an organization with its address, and the way to it`() throws {
        let record = try record(
            """
            <div class=vcard><b class='fn org'>Pear House</b><p class=adr><b class=street-address>1 Pier St</b>
            <b class=locality>Ulm</b> <b class=postal-code>89073</b></p><b class=tel>+49 731 161 0</b></div>
            """)
        #expect(record.organization?.name == "Pear House")
        #expect(record.organization?.address?.streetAddress == "1 Pier St")
        #expect(record.organization?.address?.addressLocality == "Ulm")
        #expect(record.organization?.telephone != nil)
        #expect(fields(record).contains("organization"))
    }

    @Test func `an h-event gives its time and place`() throws {
        let record = try record(
            """
            <div class=h-event><h1 class=p-name>Pear day</h1><time class=dt-start datetime='2026-12-06T19:30+01:00'>a</time>
            <time class=dt-end datetime='2026-12-06T22:00+01:00'>b</time><p class='p-location h-card'><b class=p-name>Town Hall</b>,
            <b class=p-street-address>1 Pier St</b>, <b class=p-locality>Ulm</b></p></div>
            """)
        #expect(record.event?.startDate == "2026-12-06T19:30:00+01:00")
        #expect(record.event?.venue == "Town Hall")
        #expect(record.event?.address == "1 Pier St, Ulm")
        #expect(record.types == ["Event"])
        #expect(fields(record).contains("event"))
    }

    @Test func `an h-recipe, an h-product and a review give what they are made for`() throws {
        let recipe = try record(
            """
            <div class=hrecipe><h1 class=fn>Pear pie</h1><p class=ingredient>3 pears</p><p class=ingredient>Dough</p>
            <p class=yield>8 servings</p><time class=duration datetime=PT1H>an hour</time><p class='review hreview-aggregate'>
            <b class=rating>4.5</b> of <b class=votes>12</b></p></div>
            """)
        #expect(recipe.recipe?.ingredients == 2)
        #expect(recipe.recipe?.yield == "8 servings")
        #expect(recipe.recipe?.totalTime == "PT1H")
        #expect(recipe.rating?.value == 4.5)
        let product = try record(
            """
            <div class=h-product><h1 class=p-name>Pear press</h1><b class=p-price>€ 49.90</b><b class=p-brand>Presso</b>
            <p class=u-identifier><b class=type>mpn</b> <b class=value>PP-100</b></p></div>
            """)
        #expect(product.offers.first?.price == "49.90")
        #expect(product.brand == "Presso")
        #expect(product.identifiers.mpn == ["PP-100"])
        let review = try record(
            """
            <div class=hreview-aggregate><p class=item><b class=fn>Pear House</b></p><b class=rating><b class=average>4.2</b>
            </b> by <b class=count>31</b></div>
            """)
        #expect(review.rating?.value == 4.2)
    }

    @Test func `schema.org comes first`() throws {
        let record = try record(
            #"<script type='application/ld+json'>{"@context":"https://schema.org","@type":"Article","headline":"On pears","author":"#
                + #"{"@type":"Person","name":"Eve Fox"},"datePublished":"2011-01-01"}</script>"# + Self.entry)
        #expect(record.authors.map(\.name) == ["Eve Fox"])
        #expect(record.publishedAt == "2011-01-01")
    }

    @Test(arguments: [
        "<article><h1>On pears</h1><p>Text.</p></article><div><p class='vcard'><b class=fn>Ann Lee</b></p></div>",
        "<h1>On pears</h1><footer><p class='vcard'><b class='fn org'>Pear House</b><b class=tel>+49 731 161</b></p></footer>",
        "<h1>On pears</h1><div class=sidebar-widget><p class='h-card'>Ann Lee</p></div>",
    ]) func `a card beside the text is no topic`(html: String) throws {
        let record = try record(html)
        #expect(record.types.isEmpty && record.organization == nil && record.actions.isEmpty)
    }

    @Test(arguments: [
        "<div class=h-product><b class=p-name>Pear knife</b><p class='p-review h-review'><b class=p-rating>1</b></p></div>",
        "<article><h1>On pears</h1></article><aside class=h-review><b class=p-rating>2</b><p class=e-content>Bad</p></aside>",
    ]) func `one visitor's rating is not the page's`(html: String) throws {
        #expect(try record(html).rating == nil)
    }
}
