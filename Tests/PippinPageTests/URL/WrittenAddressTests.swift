import Foundation
import Testing

@testable import PippinPage

/// Addresses that their author wrapped over lines, with an indentation.
@Suite struct WrittenAddressTests {
    @Test(arguments: [
        ("https://a.test/\n      videos/x.html", "https://a.test/videos/x.html"),
        ("https://a.test/a \r\n\t b\n c", "https://a.test/abc"), ("\n https://a.test/x\n ", "https://a.test/x"),
        ("https://a.test/a b", "https://a.test/a b"), ("https://a.test/a  b", "https://a.test/a  b"), ("", ""),
        ("\n \n", ""),
    ])
    func `line ends and the white space beside them are no part of an address`(written: String, text: String) {
        let address = WrittenAddress(written)
        #expect(address.text == text)
        #expect(address.isWrapped == (written.trimmingHTMLSpace() != text))
    }

    private static let url = "https://shop.example/\n        mug"

    private static func facts(_ markup: String) throws -> PageFacts {
        PageFacts(
            PageSource(
                url: try #require(WebURL("https://shop.example/mug")), bytes: Array("<!DOCTYPE html>\(markup)".utf8),
                fetchedAt: Date(timeIntervalSince1970: 1_795_000_000)))
    }

    @Test func `items of all syntaxes and plain links have it too`() throws {
        let facts = try Self.facts(
            """
            <a href="\(Self.url)">Mug</a>
            <div itemscope itemtype="https://schema.org/Product"><a itemprop="url" href="\(Self.url)">A</a></div>
            <div vocab="https://schema.org/" typeof="Recipe"><a property="url" href="\(Self.url)">B</a></div>
            """)
        #expect(facts.outlinks.links.map(\.url.href) == ["https://shop.example/mug"])
        let joined = JoinedItems(facts.structuredData)
        let urls = joined.items.flatMap { $0.values("url") }.map { "\($0)" }
        #expect(urls == Array(repeating: "url(\"https://shop.example/mug\")", count: 2))
        let codes = (facts.notes + joined.notes).map(\.code.rawValue)
        for code in ["link-url-wrapped", "microdata-url-wrapped", "rdfa-url-wrapped"] {
            #expect(codes.filter { $0 == code }.count == 1, "\(code)")
        }
    }

    @Test func `texts keep their line ends`() throws {
        let facts = try Self.facts(
            "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"description\":\"https://a.test/ and\\n  more\"}</script>"
        )
        let joined = JoinedItems(facts.structuredData)
        #expect(
            joined.items.flatMap { $0.values("description") }.map { "\($0)" }.first?.contains("and\\n  more") == true)
        #expect(joined.notes.isEmpty)
    }
}
