import PippinTestSupport
import Testing

@testable import PippinPage

/// Numbers of products and works: which are taken, and where a record has them from.
@Suite struct IdentifierTests {
    @Test(
        arguments: [
            ("4006381333931", "4006381333931"), (" 4 006381-333931 ", "4006381333931"),
            ("036000291452", "036000291452"),
            ("96385074", "96385074"), ("10012345678902", "10012345678902"), ("4006381333932", nil),
            ("0000000000000", nil),
            ("400638133393", nil), ("", nil), ("EAN 4006381333931", nil), ("４００６３８１３３３９３１", nil),
        ] as [(String, String?)])
    func `a GTIN is whole, and its last digit checks the others`(text: String, gtin: String?) {
        #expect(SchemaOrg.gtin(text) == gtin)
    }

    @Test func `of a GTIN with one wrong digit nothing is left`() {
        let whole = Array("4006381333931".utf8)
        for place in whole.indices {
            for digit in UInt8(0x30)...0x39 where digit != whole[place] {
                var wrong = whole
                wrong[place] = digit
                #expect(SchemaOrg.gtin(String(decoding: wrong, as: UTF8.self)) == nil)
            }
        }
    }

    @Test(
        arguments: [
            ("9783161484100", "9783161484100"), ("978-3-16-148410-0", "9783161484100"),
            ("3-16-148410-X", "9783161484100"),
            ("ISBN 0-306-40615-2", "9780306406157"), ("urn:isbn:0306406152", "9780306406157"),
            ("isbn-13: 9783161484100", "9783161484100"),
            ("0306406153", nil), ("4006381333931", nil), ("0000000000", nil), ("X306406152", nil), ("ISBN", nil),
            ("isbn:", nil),
        ] as [(String, String?)])
    func `an ISBN has 13 digits`(text: String, isbn: String?) {
        #expect(SchemaOrg.isbn(text) == isbn)
    }

    @Test(
        arguments: [
            ("10.1000/182", "10.1000/182"), ("https://doi.org/10.1038/S41586-020-2649-2", "10.1038/s41586-020-2649-2"),
            ("doi: 10.1000.10/a(b)", "10.1000.10/a(b)"), ("http://dx.doi.org/10.1000/182", "10.1000/182"),
            ("10.1/182", nil),
            ("10.1000/", nil), ("10.1000", nil), ("10.abcd/1", nil), ("10.1000/1 2", nil),
            ("https://example.org/10.1000/182", nil),
        ] as [(String, String?)])
    func `a DOI has a registrant and a suffix`(text: String, doi: String?) {
        #expect(SchemaOrg.doi(text) == doi)
    }

    private func identifiers(_ members: String, type: String = "Product", html: String = "") throws
        -> DeepLinkRecord.Identifiers
    {
        try RecordBuilderTests.record(
            #"<script type='application/ld+json'>{"@context":"https://schema.org","@type":"\#(type)","name":"N","#
                + members + "}</script>" + html
        ).identifiers
    }

    @Test func `a product has the numbers of its markup`() throws {
        #expect(
            try identifiers(#""sku":"A-1","mpn":77,"gtin13":"4006381333931","productID":"isbn:3-16-148410-X""#)
                == .init(sku: ["A-1"], mpn: ["77"], gtin: ["4006381333931"], isbn: ["9783161484100"]))
        #expect(
            try identifiers(#""gtin":"978-3-16-148410-0""#) == .init(gtin: ["9783161484100"], isbn: ["9783161484100"]))
        #expect(try identifiers(#""productID":"sku:12""#) == .init(sku: ["12"]))
        #expect(
            try identifiers(#""productID":"12","gtin8":"12345678","mpn":"n/a","sku":"https://example.org/a""#)
                == .init(sku: ["12"]))
        #expect(
            try identifiers(#""offers":[{"@type":"Offer","sku":"a","price":1},{"@type":"Offer","sku":"b"}]"#)
                == .init(sku: ["a", "b"]))
        #expect(
            try identifiers(#""sku":"whole","hasVariant":[{"@type":"Product","sku":"red","gtin":"4006381333931"}]"#)
                == .init(sku: ["whole"], gtin: ["4006381333931"]))
    }

    @Test func `works have identifiers that say what they are`() throws {
        let property =
            #""identifier":[{"@type":"PropertyValue","propertyID":"DOI","value":"https://doi.org/10.1000/182"},"x:1",5]"#
        #expect(try identifiers(property, type: "ScholarlyArticle") == .init(doi: ["10.1000/182"]))
        #expect(
            try identifiers(#""@id":"https://doi.org/10.1000/182","identifier":"urn:isbn:0306406152""#, type: "Book")
                == .init(isbn: ["9780306406157"], doi: ["10.1000/182"]))
        #expect(try identifiers(#""identifier":"0306406152""#, type: "Book") == .init())
        #expect(
            try RecordBuilderTests.record(
                "<meta name='citation_doi' content='doi:10.1000/182'><meta name='dc.identifier' content='7'>"
            )
            .identifiers == .init(doi: ["10.1000/182"]))
    }

    @Test func `Open Graph's numbers count where schema.org has none`() throws {
        let tags =
            "<meta property='product:retailer_item_id' content='77'><meta property='product:ean' content='4006381333931'>"
        let record = try RecordBuilderTests.record(tags)
        #expect(record.identifiers == .init(sku: ["77"], gtin: ["4006381333931"]))
        #expect(record.provenance.contains { $0.field == "identifiers" && $0.source == .openGraph })
        #expect(try identifiers(#""sku":"A""#, html: tags) == .init(sku: ["A"]))
    }
}
