import Testing

@testable import PippinPage

/// The items of plain documents, and what is left of documents with mistakes.
@Suite struct JSONLDItemsTests {
    private func read(_ text: String) throws -> JSONLD {
        let page = HTMLDocument(utf8: Array("<script type='application/ld+json'>\(text)</script>".utf8))
        return JSONLD(page, baseURL: try #require(WebURL("https://shop.example/items/page.html")))
    }

    /// `Type id: name="text"@language name=<address> name=#item`, a line for each item.
    private func described(_ data: StructuredData) -> [String] {
        data.items.map { item in
            let properties = item.properties.map { property in
                switch property.value {
                case .text(let text, let language): "\(property.name)=\"\(text)\"" + (language.map { "@\($0)" } ?? "")
                case .number(let text): "\(property.name)=\"\(text)\""
                case .url(let address): "\(property.name)=<\(address)>"
                case .item(let index): "\(property.name)=#\(index)"
                }
            }
            return "\(item.types.joined(separator: ",")) \(item.id ?? "-"): \(properties.joined(separator: " "))"
        }
    }

    private static let plain: [(document: String, items: [String])] = [
        (
            ##"{"@type":"Product","name":"A","image":"","url":" https://a.example/x ","sameAs":["@shop","//b.example"]}"##,
            [##"Product -: name="A" url=<https://a.example/x> sameAs="@shop" sameAs=<https://b.example>"##]
        ),
        (
            ##"{"@type":["Product","http://schema.org/Car"],"offers":{"@type":"Offer","price":5,"availability":"schema:InStock"}}"##,
            ["Product,Car -: offers=#1", ##"Offer -: price="5" availability="schema:InStock""##]
        ),
        (
            ##"{"@graph":[{"@id":"#a","name":"A"},{"@id":"#b","isPartOf":{"@id":"#a"},"url":"#a"}]}"##,
            [
                ##" https://shop.example/items/page.html#a: name="A""##,
                " https://shop.example/items/page.html#b: isPartOf=#0 url=<https://shop.example/items/page.html#a>",
            ]
        ),
        (##"{"@id":"#a","name":null}"##, []), (##"{"@id":"#a"}"##, []), (##"{}"##, []),
        (
            ##"{"datePublished":"2026-01-02","name":"A","alternateName":{"@value":"B","@language":"de"},"a":{"@value":"C"}}"##,
            [##" -: datePublished="2026-01-02" name="A" alternateName="B"@de a="C""##]
        ),
        (
            ##"{"itemListElement":{"@list":["a",["b",{"name":"c"}],null]},"keywords":{"@set":[1,true,false,"x"]}}"##,
            [
                ##" -: itemListElement="a" itemListElement="b" itemListElement=#1 keywords="1" keywords="true" keywords="false" keywords="x""##,
                ##" -: name="c""##,
            ]
        ),
        (
            ##"{"author":{"@context":"http://www.schema.org/","@type":"Person","id":"_:p"},"editor":{"@id":"_:p"}}"##,
            [" -: author=#1 editor=#1", "Person _:p: "]
        ),
        (
            ##"{"@id":"x","@graph":[{"name":"A"},{"@graph":[{"name":"B"}],"name":"C"}]}"##,
            [##" -: name="A""##, ##" -: name="C""##, ##" -: name="B""##]
        ),
    ]

    @Test(arguments: plain) private func `plain documents`(document: String, items: [String]) throws {
        let members = document.dropFirst()
        for context in [
            #""https://schema.org""#, #"{"@vocab":"http://schema.org/"}"#, #"["http://www.schema.org",{}]"#,
        ] {
            let found = try read("{\"@context\":\(context)" + (members == "}" ? "" : ",") + members)
            #expect(found.notes.isEmpty)
            #expect(described(found.structuredData) == items)
        }
    }

    /// The rest of a document is read; the code is that of the standard's error.
    private static let mistaken: [(members: String, item: String, code: String)] = [
        (##""name":"A","@id":5"##, ##" -: name="A""##, "json-ld-invalid-id-value"),
        (##""@type":5,"name":"A""##, ##" -: name="A""##, "json-ld-invalid-type-value"),
        (##""name":{"@value":"A","x":1}"##, ##" -: name="A""##, "json-ld-invalid-value-object"),
        (
            ##""name":[{"@value":{"a":1}},"A"]"##, ##" -: name="{"a":1}" name="A""##,
            "json-ld-invalid-value-object-value"
        ),
        (##""keywords":{"@set":["A"],"x":1}"##, ##" -: keywords="A""##, "json-ld-invalid-set-or-list-object"),
        (##""@reverse":5,"name":"A""##, ##" -: name="A""##, "json-ld-invalid-reverse-value"),
        (
            ##""@id":"#a","id":"#b","name":"A""##, ##" https://shop.example/items/page.html#a: name="A""##,
            "json-ld-colliding-keywords"
        ),
        (##""@Type":"Thing","name":"A""##, ##"Thing -: name="A""##, "json-ld-keyword-case"),
    ]

    @Test(arguments: mistaken)
    private func `a mistake ends only what it stands in`(members: String, item: String, code: String) throws {
        let found = try read("{\"@context\":\"https://schema.org\",\(members)}")
        #expect(found.notes.map(\.code.rawValue) == [code])
        #expect(described(found.structuredData).first == item)
    }

    @Test func `a mistake in a context ends only its term`() throws {
        let found = try read(
            ##"{"@context":["https://schema.org",{"a":"name","b":5,"c":{"@id":"sku","@container":"@bad"}}],"a":"A","c":"C","sku":"S"}"##
        )
        #expect(
            found.notes.map(\.code.rawValue)
                == ["json-ld-invalid-term-definition", "json-ld-invalid-container-mapping"])
        #expect(described(found.structuredData) == [##" -: name="A" c="C" sku="S""##])
    }

    @Test func `names of a context that is not at hand stay as they are written`() throws {
        let found = try read(
            ##"{"@context":["https://a.example/c",{"b":"url"}],"@type":"T","name":"A","b":"c","x:y":"Z"}"##)
        #expect(found.notes.map(\.code.rawValue) == ["json-ld-context-unknown"])
        #expect(described(found.structuredData) == [##"T -: name="A" url="c" x:y="Z""##])
        let page = HTMLDocument(
            utf8: Array(
                String(
                    repeating:
                        "<script type=application/ld+json>{\"@context\":\"https://a.example/c\",\"name\":\"A\"}</script>\n",
                    count: 3
                ).utf8))
        let notes = JSONLD(page, baseURL: try #require(WebURL("https://shop.example/"))).notes
        #expect(notes.map { "\($0.code.rawValue) \($0.line ?? 0)" } == (1...3).map { "json-ld-context-unknown \($0)" })
        let beside = try read(##"{"@context":["https://schema.org","https://a.example/c"],"@type":"Thing","url":"b"}"##)
        #expect(described(beside.structuredData) == ["Thing -: url=<https://shop.example/items/b>"])
    }
}
