import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinReport

/// The line of a finding, and the caret below it.
@Suite struct SourceExcerptTests {
    private func excerpt(_ text: String, _ line: Int, _ column: Int?) throws -> SourceExcerpt {
        try #require(
            SourceExcerpt(
                of: Finding.Place(.markup, "page", line: line, column: column), in: SourceLines(Array(text.utf8))))
    }

    @Test func `the tag is marked up to its end`() throws {
        let found = try excerpt("<p>\n  <meta name=a content=\"x > y\"><b>", 2, 3)
        #expect((found.before, found.marked, found.after) == ("", "<meta name=a content=\"x > y\">", "<b>"))
        #expect((found.endLine, found.endColumn) == (2, 32))
        #expect(found.snippet == found.marked)
        #expect(found.pointer == "^" + "~".repeated(28))
    }

    @Test func `a tag over several lines is shown by its first`() throws {
        let found = try excerpt("<meta\r\n name=a\r\n>x", 1, 1)
        #expect((found.marked, found.after, found.endLine, found.endColumn) == ("<meta", "", 3, 2))
        #expect(found.snippet == "<meta\r\n name=a\r\n>")
    }

    @Test func `the caret stands right behind tabs and wide characters`() throws {
        let found = try excerpt("\t<p>漢\t字e\u{301}<meta x>", 1, 10)
        #expect(found.before == "<p>漢  字e\u{301}")
        #expect(found.pointer.prefix { $0 == " " }.count == 3 + 2 + 2 + 2 + 1)
        #expect(found.marked == "<meta x>")
    }

    @Test func `a JSON key is marked with its quotes`() throws {
        let found = try excerpt(#"{"a":1,"na\"me":2}"#, 1, 8)
        #expect((found.before, found.marked, found.after) == (#"{"a":1,"#, #""na\"me""#, ":2}"))
    }

    @Test func `a long line is cut around the place`() throws {
        let long = "é".repeated(5_000) + "<meta name=\"wanted\">" + "字".repeated(5_000)
        let found = try excerpt(long, 1, 5_001)
        #expect(found.before == "…" + "é".repeated(23))
        #expect(found.marked == "<meta name=\"wanted\">")
        #expect(found.after.hasPrefix("字") && found.after.hasSuffix("…"))
        let cells = (found.before + found.marked + found.after).unicodeScalars.reduce(0) {
            $0 + TerminalText.cells(of: $1)
        }
        #expect(cells <= SourceExcerpt.maximumCells && cells >= SourceExcerpt.maximumCells - 2)
        let value = try excerpt("<meta content=\"" + "x".repeated(9_000) + "\">", 1, 15)
        #expect(value.marked.hasSuffix("…") && value.after.isEmpty)
        #expect(value.snippet.utf8.count == SourceExcerpt.maximumSnippetBytes)
        #expect(value.endColumn == 15 + 9_002)
    }

    @Test func `what a page hides is written out`() throws {
        let found = try excerpt("a\u{202E}\u{1B}[2J<b \u{200B}\u{E0041}>\u{7}\u{2028}", 1, 7)
        #expect(found.before == "a⟨U+202E⟩⟨U+001B⟩[2J")
        #expect(found.marked == "<b ⟨U+200B⟩⟨U+E0041⟩>")
        #expect(found.after == "⟨U+0007⟩⟨U+2028⟩")
        let accents = try excerpt("<i e" + "\u{301}".repeated(8) + ">", 1, 1)
        #expect(accents.marked.contains("⟨U+0301⟩"))
    }

    @Test func `without a column the whole line is meant`() throws {
        let found = try excerpt("a\n  Disalow: /x \nb", 2, nil)
        #expect((found.before, found.marked) == ("", "Disalow: /x "))
        #expect(found.endColumn == nil)
    }

    @Test func `a place that is not in the text has no line`() {
        let text = SourceLines(Array("a\nb".utf8))
        for place in [(3, 1), (1, 9), (0, 1)] {
            #expect(
                SourceExcerpt(of: Finding.Place(.markup, "page", line: place.0, column: place.1), in: text) == nil)
        }
    }

    // MARK: In the forms

    private static let page = ReportPage(
        """
        <title>Tea mug, fired twice</title>
        <meta property="og:type" content="mugg">
        <script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe",
          "name":"Tea","recipeIngredents":["Tea"],"author":{"@type":"Person","name":"Ann"}}</script>
        """)

    @Test func `the text shows line and caret, and the items`() {
        let text = Self.page.card.text()
        let lines = text.split(separator: "\n").map(String.init)
        let shown = lines.firstIndex { $0.hasSuffix(" | <meta property=\"og:type\" content=\"mugg\">") }
        #expect(shown != nil, "\(text)")
        if let shown {
            let caret = lines[shown + 1]
            #expect(caret.hasSuffix("| " + " ".repeated(33) + "^~~~~~"), "\(caret)")
        }
        #expect(text.contains("\n  Recipe (JSON-LD, line "))
        #expect(text.contains("\n    name: Tea\n"))
        #expect(text.contains("\n    author: Person (JSON-LD, line "))
    }

    @Test func `HTML marks the place, and shows the items without scripts`() {
        let html = Self.page.card.html
        #expect(html.contains("<span>&lt;meta property=&quot;og:type&quot; content=</span><mark class="))
        #expect(html.contains("<span>&quot;mugg&quot;</span></mark><span>&gt;</span>"))
        #expect(html.contains("<span class=\"item-name\" dir=\"auto\">Recipe</span>"))
    }

    @Test func `SARIF and JSON have start, end and text of the place`() throws {
        let card = Self.page.card
        let finding = try #require(card.findings("S05").first)
        let place = try #require(finding.place)
        let sarif = card.sarif(version: "1.0.0")
        let results = try #require(sarif["runs"]?.array?.first?["results"]?.array)
        let result = try #require(results.first { $0["ruleId"]?.string == "S05" })
        let region = try #require(
            result["locations"]?.array?.first?["physicalLocation"]?["region"])
        #expect(region["startLine"]?.integer == place.line)
        #expect(region["startColumn"]?.integer == 16)
        #expect(region["endLine"]?.integer == place.line)
        #expect(region["endColumn"]?.integer == 34)
        #expect(region["snippet"]?["text"]?.string == "\"recipeIngredents\"")
        let json = try #require(card.json["findings"]?.array?.first { $0["check"]?.string == "S05" })
        #expect(json["place"]?["endColumn"]?.integer == 34)
        #expect(json["place"]?["text"]?.string == "\"recipeIngredents\"")
        let items = try #require(card.json["items"]?.array)
        #expect(items.map { $0["types"]?.array?.first?.string } == ["Recipe"])
        #expect(items.first?["properties"]?.array?.last?["item"]?["types"]?.array?.first?.string == "Person")
    }

    @Test func `a mistake in robots.txt shows its line`() {
        let rules = "User-agent: Applebot\nDisalow: /x\n"
        let page = Self.page.with { page in
            page.robots = rules
            page.probe = { evidence in
                guard var robots = evidence.robots.value else { return }
                robots.text = Array(rules.utf8)
                evidence.robots = .made(robots)
            }
        }
        let text = page.card.text()
        #expect(text.contains("      2 | Disalow: /x\n        | ^~~~~~~~~~~"), "\(text)")
    }

    @Test(arguments: [
        (
            "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Offer\",\"price\":\"x\"}</script>",
            "\"price\""
        ),
        (
            "<p itemscope itemtype=https://schema.org/Offer><b itemscope><i itemprop=price>1</i></b><i itemprop='a price'>x</i>",
            "<i itemprop='a price'>"
        ),
        ("<p vocab=https://schema.org/ typeof=Offer><meta property=price content=x>", "x"),
    ])
    func `a price that is none is marked where it is written`(markup: String, marked: String) throws {
        let card = ReportPage(body: markup).card
        let finding = try #require(card.findings("S08").first)
        #expect(card.sources.excerpt(of: finding.place)?.marked == marked)
    }

    @Test func `the items stay bounded, and circles end`() {
        var items = (0..<2_000).map { index in
            StructuredItem(
                syntax: .microdata, types: ["Thing"],
                properties: [.init(name: "next", value: .item((index + 1) % 2_000))], isTopLevel: index % 2 == 0)
        }
        items[0].properties += (0..<500).map { .init(name: "p\($0)", value: .text("x".repeated(9_000), language: nil)) }
        let tree = ItemTree(StructuredData(items: items))
        #expect(tree.items.count <= ItemTree.maximumItems && tree.items.count + tree.leftOut == 1_000)
        #expect(tree.items[0].properties.count == ItemTree.maximumProperties)
        #expect(tree.items[0].propertiesLeftOut == 501 - ItemTree.maximumProperties)
        #expect(tree.lines(upTo: 40).count <= 42)
        let circle = ItemTree(
            StructuredData(items: [
                StructuredItem(syntax: .rdfa, types: ["A"], properties: [.init(name: "p", value: .item(1))]),
                StructuredItem(
                    syntax: .rdfa, types: ["B"], properties: [.init(name: "q", value: .item(1))], isTopLevel: false),
            ]))
        #expect(circle.lines(upTo: 9) == ["  A (RDFa)", "    p: B (RDFa)", "      q: → B"])
    }
}
