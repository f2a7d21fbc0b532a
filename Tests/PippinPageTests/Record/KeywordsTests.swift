import Testing

@testable import PippinPage

@Suite struct KeywordsTests {
    private func record(_ html: String) throws -> DeepLinkRecord { try RecordBuilderTests.record(html) }

    @Test(
        arguments: [
            "LockedPostSource:EditorialManager", "@mlive-river", "NO_ADS_PAGE", "news@example.org", "ripe pears",
            "RIPE PEARS", "{{ tag }}", "https://example.org/tag", "5f2b9c0e77d1a4c38812", "934106870", "site-id:12",
            "a=b",
            "P\u{FFFD}ars", "\u{200B}", "—",
        ])
    func `what is not for people is no keyword`(text: String) throws {
        #expect(
            try record("<title>Ripe pears</title><meta name=keywords content='fruit, \(text), re:publica'>").keywords
                == ["fruit", "re:publica"])
    }

    @Test func `a comma divides a list of keywords, and no single tag`() throws {
        let record = try record(
            """
            <meta property=article:tag content="Paris, Texas"><meta property=article:tag content="#C#">
            <meta property=article:tag content="a, b, c"><meta name=keywords content="Ulm; Bonn, “Graz”, R&amp;amp;D, 2020">
            <script type=application/ld+json>{"@context":"https://schema.org","@type":"Article","headline":"H",
            "keywords":["Salt, pepper","Ulm"]}</script>
            """)
        #expect(
            record.keywords == [
                "Salt, pepper", "Ulm", "Bonn", "Graz", "R&D", "2020", "Paris, Texas", "C#", "a", "b", "c",
            ])
    }
}
