import Foundation
import Testing

@testable import PippinPage

/// `itemid=""` and `"@id": ""`, which templates leave behind: to the standards the page's own address, to the record nothing.
@Suite struct EmptyIdentifierTests {
    private static let microdata = """
        <div itemscope itemtype="https://schema.org/Product" itemid=""><b itemprop="name">Mug</b></div>
        <div itemscope itemtype="https://schema.org/Product" itemid=" "><b itemprop="name">Cup</b></div>
        """

    private static func script(_ json: String) -> String { "<script type=\"application/ld+json\">\(json)</script>" }

    private static let walked = script(
        #"{"@context":"https://schema.org","@graph":[{"@type":"Product","@id":"","name":"Mug","image":{"@id":""}},{"@type":"Product","@id":" ","name":"Cup"}]}"#
    )
    /// The same with a prefix, which the walk does not read.
    private static let expanded = script(
        #"{"@context":["https://schema.org",{"x":"https://x.example/"}],"@graph":[{"@type":"Product","@id":"","name":"Mug","image":{"@id":""},"x:a":1},{"@type":"Product","@id":" ","name":"Cup"}]}"#
    )

    private static func facts(_ body: String) -> PageFacts {
        guard let url = WebURL("https://shop.example/mug") else { preconditionFailure("this is a URL") }
        return PageFacts(PageSource(url: url, bytes: Array("<!DOCTYPE html><body>\(body)".utf8), fetchedAt: Date.now))
    }

    @Test(arguments: [microdata, walked, expanded])
    func `items with an empty identifier stay apart`(body: String) throws {
        let joined = JoinedItems(Self.facts(body).structuredData)
        let names = joined.items.filter { $0.types == ["Product"] }.map { $0.values("name").count }
        #expect(names == [1, 1])
        #expect(joined.items.allSatisfy { $0.id == nil })
        #expect(joined.items.allSatisfy { $0.values("image").isEmpty })
    }

    @Test func `nor do they join the item that is the page`() {
        let page = Self.script(
            #"{"@context":"https://schema.org","@type":"WebPage","@id":"https://shop.example/mug","name":"Page"}"#)
        let joined = JoinedItems(Self.facts(page + Self.microdata + Self.walked).structuredData)
        let web = joined.items.filter { $0.types.contains("WebPage") }
        #expect(web.count == 1 && web.first?.types == ["WebPage"] && web.first?.values("name").count == 1)
    }

    @Test func `what is printed of them stays as the standards have it`() {
        let facts = Self.facts(Self.microdata + Self.walked)
        #expect(facts.microdata.json.text().contains("\"id\":\"https://shop.example/mug\""))
        #expect(
            String(decoding: facts.jsonLD.nquads, as: UTF8.self).contains(
                "<https://shop.example/mug> <http://schema.org/name>"))
    }
}
