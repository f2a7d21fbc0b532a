import PippinTestSupport
import Testing

@testable import PippinPage

/// JSON-LD as people break it: what is read, what is noted, and where. The script stands in line 2 of its page.
@Suite struct BrokenJSONLDTests {
    private func read(_ scripts: String...) throws -> JSONLD {
        let page =
            "<title>T</title>\n"
            + scripts.map { "<script type=\"application/ld+json\">\($0)</script>" }.joined(separator: "\n")
        let base = try #require(WebURL("https://example.org/"))
        return JSONLD(HTMLDocument(utf8: Array(page.utf8)), baseURL: base)
    }

    /// The codes with their places, without the note that only says "not JSON".
    private func notes(_ found: JSONLD) -> [String] {
        found.notes.filter { $0.code.rawValue != "json-ld-invalid" && $0.code.rawValue != "json-ld-context-missing" }
            .map { "\($0.code) \($0.line ?? 0):\($0.column ?? 0)" }
    }

    private struct Malformation: CustomTestStringConvertible {
        var script: String
        var json: String
        var notes: [String]
        var testDescription: String { script }

        init(_ script: String, _ json: String, _ notes: String...) {
            (self.script, self.json, self.notes) = (script, json, notes)
        }
    }

    /// The first column of a script's first line is 36.
    private static let malformations: [Malformation] = [
        .init("\u{FEFF}{\"a\":1}", #"{"a":1}"#, "json-byte-order-mark 2:36"),
        .init("{\"a\":\u{A0}1,\u{200B}\"b\":2}", #"{"a":1,"b":2}"#, "json-foreign-space 2:41"),
        .init("\n//<![CDATA[\n{\"a\":1}\n//]]>\n", #"{"a":1}"#, "json-cdata-wrapper 3:3"),
        .init("<![CDATA[{\"a\":1}]]>", #"{"a":1}"#, "json-cdata-wrapper 2:36"),
        .init("/*<![CDATA[*/{\"a\":1}/*]]>*/", #"{"a":1}"#, "json-comment 2:36"),
        .init("<!--\n{\"a\":1}\n-->", #"{"a":1}"#, "json-html-comment 2:36"),
        .init("\n<!-- made by hand -->{\"a\":1}", #"{"a":1}"#, "json-html-comment 3:1"),
        .init("{\"a\":1, // one\n\"b\":2}", #"{"a":1,"b":2}"#, "json-comment 2:44"),
        .init("{\"a\":/* one */1}", #"{"a":1}"#, "json-comment 2:41"),
        .init("# head\n{\"a\":1}", #"{"a":1}"#, "json-comment 2:36"),
        .init("{\"a\":[1,2,],\n\"b\":2,}", #"{"a":[1,2],"b":2}"#, "json-trailing-comma 2:45"),
        .init("{\"a\":1,,\"b\":[,2]}", #"{"a":1,"b":[2]}"#, "json-surplus-comma 2:43"),
        .init("{\"a\":{\"b\":1}\n\"c\":[{} {}]}", #"{"a":{"b":1},"c":[{},{}]}"#, "json-missing-comma 3:1"),
        .init("{\"a\":\"x\"\n\"b\":\"y\"}", #"{"a":"x","b":"y"}"#, "json-missing-comma 3:1"),
        .init("{\"a\": ,\n\"b\":}", #"{"a":null,"b":null}"#, "json-missing-value 2:42"),
        .init("{\"a\":1},\n\"b\":2}", #"{"a":1}"#, "json-surplus-text 3:1"),
        .init("{'a':'é \"x\"'}", #"{"a":"é \"x\""}"#, "json-single-quotes 2:37"),
        .init("{\"a\":1;\"b\":2}", #"{"a":1,"b":2}"#, "json-semicolon 2:42"),
        .init("{\"a\":1};", #"{"a":1}"#, "json-semicolon 2:43"),
        .init("{\"a\":\"one\n\ttwo\"}", #"{"a":"one\n\ttwo"}"#, "json-control-character 2:45"),
        .init(
            "\n{&quot;a&quot;:&quot;x &amp;amp; y&quot;,&#34;b&#x22;:1}", #"{"a":"x &amp; y","b":1}"#,
            "json-html-entities 3:2"),
        .init("{“a”: “x”, ‘b’: „y“}", #"{"a":"x","b":"y"}"#, "json-smart-quotes 2:37"),
        .init("{\"a\":\"x", "{}", "json-truncated 2:43"),
        .init("{\"a\":[1,{\"b\":tr", #"{"a":[1,{}]}"#, "json-truncated 2:51"),
        .init("{\"a\":1,\"price\":12", #"{"a":1}"#, "json-truncated 2:53"),
        .init("{\"a\":1,\"b\":{\"c\":2}", #"{"a":1,"b":{"c":2}}"#, "json-truncated 2:54"),
        .init(
            "{\"a\":undefined,\"b\":NaN,\"c\":-Infinity,\"d\":True}", #"{"a":null,"b":null,"c":null,"d":true}"#,
            "json-foreign-literal 2:41"),
        .init(#"{"a":"it\'s \x27x\x27 \& \d"}"#, #"{"a":"it's 'x' & d"}"#, "json-bad-escape 2:44"),
        .init(#"{"a":"<\/script>"}"#, #"{"a":"</script>"}"#),
        .init(#""{\"a\":\"x\",}""#, #"{"a":"x"}"#, "json-in-string 2:36", "json-trailing-comma 2:36"),
        .init(
            "{\"a\":{{ post.title }},\"b\":<%= x %>,\"c\":${y}}", #"{"a":null,"b":null,"c":null}"#,
            "json-template-leftover 2:41"),
        .init("{{% if x %}\"a\":1{% endif %}}", #"{"a":1}"#, "json-template-leftover 2:37"),
        .init("{\"a\":\"x {{ title }}\"}", #"{"a":"x {{ title }}"}"#, "json-template-leftover 2:44"),
        .init("{\"a\":1,\n \"a\":2}", #"{"a":2}"#, "json-duplicate-key 3:2"),
        .init("{\"a\":1,\n \"a\":2,}", #"{"a":2}"#, "json-duplicate-key 3:2", "json-trailing-comma 3:7"),
        .init("{@type:\"A\",b:1}", #"{"@type":"A","b":1}"#, "json-unquoted-key 2:37"),
        .init(
            "{\"a\":0x1F,\"b\":+1,\"c\":.5,\"d\":01234,\"e\":+16505550100,\"f\":5.,\"g\":-.5e1}",
            #"{"a":31,"b":1,"c":0.5,"d":"01234","e":"+16505550100","f":5,"g":-0.5e1}"#, "json-malformed-number 2:41"),
        .init("{\"a\":1}}", #"{"a":1}"#, "json-surplus-text 2:43"),
    ]

    @Test(arguments: malformations) private func `what is broken is fixed and noted`(broken: Malformation) throws {
        let found = try read(broken.script)
        #expect(found.documents.map { $0.text() } == [broken.json])
        #expect(notes(found) == broken.notes)
        let strictly = broken.notes.allSatisfy { $0.hasPrefix("json-duplicate") || $0.hasPrefix("json-template") }
        if !strictly {
            #expect(
                found.notes.contains { $0.code.rawValue == "json-ld-invalid" || $0.code.rawValue == "json-in-string" })
        }
    }

    @Test func `values in a row are all read`() throws {
        let found = try read("{\"a\":1}\n{\"b\":2},[{\"c\":3}]")
        #expect(found.json.text() == #"[{"a":1},{"b":2},[{"c":3}]]"#)
        #expect(notes(found) == ["json-concatenated-values 3:1"])
    }

    @Test(arguments: [
        ("", "json-ld-empty 2:36"), (" \n ", "json-ld-empty 2:36"), ("\n<!-- nothing -->", "json-html-comment 3:1"),
        (" null", "json-ld-without-object 2:37"), ("\n\"text\"", "json-ld-without-object 3:1"),
        ("12", "json-ld-without-object 2:36"),
    ])
    func `what says nothing is noted`(script: String, note: String) throws {
        let found = try read(script)
        #expect(found.documents.isEmpty)
        #expect(notes(found).first == note)
    }

    @Test(arguments: [
        (#"{"a":"The "second" one"}"#, "json-unescaped-quote 2:46"),
        (#"{"a":"6"","b":1}"#, "json-unescaped-quote 2:43"),
        (#"{"a":["the ""best"" one"]}"#, "json-unescaped-quote 2:47"), ("{'a':'it's'}", "json-unescaped-quote 2:44"),
    ])
    func `a quote that is not escaped is no guesswork`(script: String, note: String) throws {
        let found = try read(script)
        #expect(found.documents.isEmpty)
        #expect(notes(found).contains(note))
        #expect(found.notes.contains { $0.code.rawValue == "json-ld-rejected" })
    }

    @Test(arguments: [
        "{\"price\":1,299.00}", "{\"a\" 1}", "{\"a\":1,\"b\":oops}", "{{\"a\":{\"b\":1}}", "var x = {\"a\":1}",

        "{&quot;a&quot;:&quot;x &quot;y&quot;&quot;}",
    ])
    func `what cannot be fixed is left out with the place`(script: String) throws {
        let found = try read(
            "{\"@context\":\"https://schema.org\",\"name\":\"before\"}", script, "[{\"name\":\"after\"}]")
        #expect(found.documents.count == 2)
        #expect(found.structuredData.items.map { $0.values("name").count } == [1, 1])
        let rejected = try #require(found.notes.first { $0.code.rawValue == "json-ld-rejected" })
        #expect(rejected.line == 3)
        #expect((rejected.column ?? 0) >= 36)
    }

    @Test func `all at once is still read`() throws {
        let found = try read(
            """
            \u{FEFF}<!--
            // shop
            {
              @context: 'https://schema.org',
              "@type": “Product”;
              "name": "it\\'s
            two",,
              "name": "{{ title }}",
              "sku": 0042,
              "weight": undefined,
              "offers": [{"price": +1.50,} {"price": .5}]
            """)
        #expect(
            found.documents.first?.text()
                == #"{"@context":"https://schema.org","@type":"Product","name":"{{ title }}","sku":"0042","#
                + #""weight":null,"offers":[{"price":1.50},{"price":0.5}]}"#)
        #expect(
            notes(found)
                == [
                    "json-byte-order-mark 2:36", "json-html-comment 2:37", "json-comment 3:1", "json-unquoted-key 5:3",
                    "json-single-quotes 5:13", "json-smart-quotes 6:12", "json-semicolon 6:21", "json-bad-escape 7:14",
                    "json-control-character 7:17", "json-surplus-comma 8:6", "json-duplicate-key 9:3",
                    "json-malformed-number 10:10", "json-foreign-literal 11:13",
                    "json-trailing-comma 12:29", "json-missing-comma 12:32", "json-truncated 12:46",
                    "json-template-leftover 9:12",
                ])
    }

    // MARK: Bounds

    /// A megabyte each. Whatever reads them more than a few times from the start does not come back.
    @Test(
        .slow,
        arguments: [
            "{", "[", "{\"a\":", ",", "[,", "\"", "\"\"", "'", "/*", "//", "/", "#", "<!--", "-->", "<![CDATA[", "{{",
            "{{ ",
            "${", "<%", "{}", "{},", "[]", ";", "&quot;", "&", "&#", "\u{FEFF}", "“", "\\", "[\"", "{a:", "[{{x}}",
            "1 ",
            "-",
            "0x", "{\"a\":1,\"a\":", "[${x} ", "\n", "[\"a\" ", "{\"\\u",
        ])
    func `a megabyte of the same ends`(unit: String) throws {
        let script = String(repeating: unit, count: 1_000_000 / unit.utf8.count)
        let found = try read(script, "{\"name\":\"after\"}")
        #expect(found.documents.last?.text() == #"{"name":"after"}"#)
        #expect(found.notes.count < 300)
        #expect(found.documents.count <= 100_001)
    }

    @Test func `a megabyte of members, each broken, is read once`() throws {
        let member = "a: 'x', /* c */ ;, \"b\": +.5, // d\n"
        let found = try read("{" + String(repeating: member, count: 1_000) + "}")
        #expect(found.documents.first?.object?.count == 2)
        let large = try read("{" + String(repeating: member, count: 1_000_000 / member.utf8.count) + "}")
        #expect(large.documents.count <= 1)
        #expect(large.notes.count < 30)
    }
}
