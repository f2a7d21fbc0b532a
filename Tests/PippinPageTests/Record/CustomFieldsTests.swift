import Foundation
import Testing

@testable import PippinPage

/// The operator's fields of a page: `PageQuery` and `FieldReading`.
@Suite struct CustomFieldsTests {
    private static let shop = """
        <!DOCTYPE html><html lang=en><head><title>Pear</title>
        <script type="application/ld+json">{"@context":"https://schema.org","@type":"Book","name":"Pear",
        "numberOfPages":120,"isFamilyFriendly":true}</script>
        <script id=__NEXT_DATA__ type="application/json">{"props":{"build":"x1","sizes":["S","M"]}}</script></head>
        <body><h1>Pear</h1><p id=buy><span class=stock> In
          stock </span><b class=price>$1,299.50</b><b class=price>on request</b><i class=none></i>
        <time class=day>5 March 2026</time><span class=new>yes</span>
        <figure><img src="/a.png"><img alt=x><img src="b.png"></figure></body></html>
        """

    private func reading(_ html: String = shop) throws -> PageReading {
        PageReading(
            PageSource(
                url: try #require(WebURL("https://shop.example/p/")), bytes: Array(html.utf8),
                fetchedAt: Date(timeIntervalSince1970: 1_795_000_000)),
            agents: [])
    }

    private func field(
        _ selector: String? = nil, attribute: String? = nil, path: String? = nil, _ kind: CustomField.Kind = .text,
        all: Bool = false
    ) throws -> CustomField {
        CustomField(
            name: "field",
            query: PageQuery(
                selector: try selector.map { try Selector($0) }, attribute: attribute,
                path: try path.map { try JSONPath($0) }), kind: kind, isList: all)
    }

    private func value(of field: CustomField, in html: String = shop) throws -> String? {
        let page = try reading(html)
        let record = try #require(page.conclusion(fields: [field]).record)
        #expect(try #require(page.readings(of: [field]).first).value == record.custom["field"])
        return record.custom["field"]?.text()
    }

    @Test func `values are read as their type`() throws {
        #expect(try value(of: field("#buy .stock")) == #""In stock""#)
        #expect(try value(of: field(".price", .number)) == "1299.5")
        #expect(try value(of: field(".price", .integer)) == nil)
        #expect(try value(of: field(".price", all: true)) == #"["$1,299.50","on request"]"#)
        #expect(try value(of: field(".price", .number, all: true)) == "[1299.5]")
        #expect(
            try value(of: field("figure img", attribute: "src", .url, all: true))
                == #"["https://shop.example/a.png","https://shop.example/p/b.png"]"#)
        #expect(try value(of: field("time", .date)) == #""2026-03-05""#)
        #expect(try value(of: field(".new", .boolean)) == "true")
        #expect(try value(of: field(path: "$.jsonLD..numberOfPages", .integer)) == "120")
        #expect(try value(of: field(path: "$.metadata.title")) == #""Pear""#)
        #expect(try value(of: field("script#__NEXT_DATA__", path: "$.props.build")) == #""x1""#)
        #expect(try value(of: field("script#__NEXT_DATA__", path: "$.props.sizes[*]", all: true)) == #"["S","M"]"#)
    }

    @Test func `a record without fields has no key for them`() throws {
        #expect(try #require(reading().conclusion().record).json["custom"] == nil)
    }

    @Test func `what has no value says why`() throws {
        func problem(_ field: CustomField) throws -> String? {
            try #require(reading().readings(of: [field]).first).problem
        }
        #expect(try problem(field(".missing")) == "No value: no element of the page matches.")
        #expect(try problem(field(".none")) == "No value: the element has no text (line 6).")
        #expect(
            try problem(field("figure", attribute: "src")) == "No value: the element has no attribute \"src\" (line 8)."
        )
        #expect(try problem(field(".stock", .number)) == "No value: it is not a number (line 5).")
        #expect(try problem(field(".stock", path: "$")) == "No value: the element's text is not JSON (line 5).")
        #expect(try problem(field(path: "$.nothing")) == "No value: the path finds nothing in what the page says.")
        #expect(
            try problem(field("#__NEXT_DATA__", path: "$.props"))
                == "No value: the value is an object; name one of its members in the path (line 4).")
        #expect(
            try problem(field("#__NEXT_DATA__", path: "$.props.sizes"))
                == "No value: the value is a list; write [*] at the end of the path for its values (line 4).")
        let second = try #require(reading().readings(of: [field(".price", .number)]).first)
        #expect(second.places.map(\.reason) == [nil, "the first value counts; all: true takes a list"])
        #expect(second.places.map(\.line) == [6, 6])
    }

    @Test func `the marks of a number are those of the page's language`() throws {
        func number(_ language: String, _ text: String) throws -> String? {
            try value(of: field("b", .number), in: "<!DOCTYPE html><html lang=\(language)><b>\(text)</b>")
        }
        #expect(try number("en", "1.234") == "1.234")
        #expect(try number("en", "1,234") == "1234")
        #expect(try number("de", "1.234") == "1234")
        #expect(try number("de", "1,5 kg") == "1.5")
    }

    @Test func `fields of a hostile page are bounded`() throws {
        let long = String(repeating: "x", count: 1_000_000)
        let page =
            "<!DOCTYPE html><b title='\(long)'>\(long)</b>"
            + String(repeating: "<i>\(long.prefix(300))</i>", count: 1_000)
        #expect(try value(of: field("b"), in: page)?.count == 2_002)
        #expect(try value(of: field("b", attribute: "title"), in: page)?.count == 2_002)
        #expect(try value(of: field("b", attribute: "title", .url), in: page) == nil)
        let fields = try ["i", "b", "i"].enumerated().map { number, selector in
            CustomField(
                name: "f\(number)", query: PageQuery(selector: try Selector(selector)), isList: true)
        }
        let record = try #require(reading(page).conclusion(fields: fields).record)
        #expect(JSONValue.object(record.custom).bytes().count <= 16_100)
        let readings = try reading(page).readings(of: fields)
        #expect(readings[2].places.contains { $0.reason == "the fields of a record have 16000 bytes at most" })
        let short = try field("i", all: true)
        let many = "<!DOCTYPE html>" + String(repeating: "<i>x</i>", count: 1_000)
        let list = try #require(reading(many).readings(of: [short]).first)
        #expect(list.value?.array?.count == 100)
        #expect(list.isCut)
        // Each element's text has that of all elements inside.
        let nested =
            "<!DOCTYPE html>" + String(repeating: "<div>", count: 400) + String(repeating: " ", count: 2_000_000)
        let clock = ContinuousClock()
        let time = try clock.measure {
            _ = try reading(nested).readings(of: (0..<20).map { _ in try field("*", all: true) })
        }
        #expect(time < .seconds(30))
    }
}
