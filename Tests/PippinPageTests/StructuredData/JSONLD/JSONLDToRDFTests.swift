import Testing

@testable import PippinPage

/// Deserialize JSON-LD to RDF (JSON-LD 1.1 API §8), canonical numbers and JSON (RFC 8785).
@Suite struct JSONLDToRDFTests {
    private static let subject = "<https://example.org/dir/a> <http://e.example/p> "

    @Test(arguments: [
        ("5", ##""5"^^<http://www.w3.org/2001/XMLSchema#integer>"##),
        ("5.0", ##""5"^^<http://www.w3.org/2001/XMLSchema#integer>"##),
        ("12e2", ##""1200"^^<http://www.w3.org/2001/XMLSchema#integer>"##),
        ("-0", ##""0"^^<http://www.w3.org/2001/XMLSchema#integer>"##),
        ("123456789012345678901", ##""123456789012345678901"^^<http://www.w3.org/2001/XMLSchema#integer>"##),
        ("5.25", ##""5.25E0"^^<http://www.w3.org/2001/XMLSchema#double>"##),
        ("1e21", ##""1.0E21"^^<http://www.w3.org/2001/XMLSchema#double>"##),
        ("0.1e-6", ##""1.0E-7"^^<http://www.w3.org/2001/XMLSchema#double>"##),
        ("true", ##""true"^^<http://www.w3.org/2001/XMLSchema#boolean>"##),
        (
            ##"{"@value":5,"@type":"http://www.w3.org/2001/XMLSchema#double"}"##,
            ##""5.0E0"^^<http://www.w3.org/2001/XMLSchema#double>"##
        ),
        (
            ##"{"@value":{"b":[1.50,"é\u0007"],"a":null},"@type":"@json"}"##,
            ##""{\"a\":null,\"b\":[1.5,\"é\\u0007\"]}"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>"##
        ),
        (##"{"@value":"x","@language":"en-GB"}"##, ##""x"@en-GB"##),
        (##"{"@id":"b"}"##, "<https://example.org/dir/b>"),
        (##"{"@list":[]}"##, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>"),
    ])
    func `a value is written in its canonical form`(value: String, object: String) throws {
        let document = "{\"@id\":\"a\",\"http://e.example/p\":\(value)}"
        #expect(try JSONLDExamples.statements(document) == [Self.subject + object])
    }

    @Test func `what is not well formed is left out, what stands below it is not`() throws {
        let document = ##"""
            [{"@id":"http://e.example/a b","http://e.example/p":{"@id":"c","http://e.example/q":1}},
             {"@id":"a","http://e.example/p q":1,"_:b":{"@id":"d","@type":["http://e.example/<","http://e.example/T"]},
              "http://e.example/p":[{"@id":"http://e.example/%zz"},{"@value":"x","@language":"no tag"}]},
             {"@id":"http://e.example/{","@graph":[{"@id":"f","http://e.example/p":1}]}]
            """##
        #expect(
            try JSONLDExamples.statements(document) == [
                "<https://example.org/dir/c> <http://e.example/q> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
                "<https://example.org/dir/d> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.example/T>",
            ])
    }

    @Test func `graphs are named by their nodes, lists are cells, reverse properties turn around`() throws {
        let document = ##"""
            {"@id":"g","@graph":[{"@id":"a","http://e.example/p":{"@list":["x",{"@list":["y"]}]},
             "@reverse":{"http://e.example/q":{"@id":"b"}}}]}
            """##
        let found = try JSONLDExamples.statements(document)
        #expect(found.count == 8)
        #expect(found.allSatisfy { $0.hasSuffix("<https://example.org/dir/g>") })
        #expect(
            found.contains {
                $0.hasPrefix("<https://example.org/dir/b> <http://e.example/q> <https://example.org/dir/a>")
            })
    }

    @Test func `a base direction is written as asked for`() throws {
        let document =
            ##"{"@id":"a","http://e.example/p":[{"@value":"x","@language":"AR","@direction":"rtl"},{"@value":"x","@language":"AR","@direction":"rtl"}]}"##
        #expect(try JSONLDExamples.statements(document) == [Self.subject + "\"x\"@AR"])
        var options = JSONLDConversion.Options()
        options.rdfDirection = .i18nDatatype
        #expect(
            try JSONLDExamples.statements(document, options: options)
                == [Self.subject + "\"x\"^^<https://www.w3.org/ns/i18n#ar_rtl>"])
        options.rdfDirection = .compoundLiteral
        #expect(try JSONLDExamples.statements(document, options: options).count == 4)
    }

    @Test func `one node cannot have two indexes`() throws {
        let document =
            ##"[{"@id":"a","@index":"1","http://e.example/p":1},{"@id":"a","@index":"2","http://e.example/p":1}]"##
        let error = try #require(throws: JSONLDError.self) { _ = try JSONLDExamples.statements(document) }
        #expect(error.code == .conflictingIndexes)
    }

    @Test(arguments: [
        ("0", "0"), ("-0.0", "0"), ("1e0", "1"), ("333333333.33333329", "333333333.3333333"), ("1E30", "1e+30"),
        ("4.50", "4.5"), ("2e-3", "0.002"), ("0.000000000000000000000000001", "1e-27"), ("-1e-6", "-0.000001"),
        ("1e-7", "1e-7"), ("100000000000000000000", "100000000000000000000"), ("1e21", "1e+21"),
        ("9007199254740993", "9007199254740992"), ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ])
    func `a number is written as ECMAScript writes it`(text: String, expected: String) {
        #expect(CanonicalNumber.ecmaScript(text) == expected)
    }

    @Test func `canonical JSON sorts by UTF-16 and has no form for numbers out of range`() {
        #expect(
            CanonicalJSON.text(of: ["\u{FB33}": 1, "\u{1F600}": 2, "a": 3])
                == "{\"a\":3,\"\u{1F600}\":2,\"\u{FB33}\":1}")
        #expect(CanonicalJSON.text(of: .number("1e400")) == nil)
        #expect(CanonicalNumber.double("1e400") == "INF")
        #expect(CanonicalNumber.double("0.30000000000000004") == "3.0E-1")
    }
}
