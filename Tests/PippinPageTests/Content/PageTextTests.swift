import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// The text of pages with its structure, plain and in markdown.
@Suite struct PageTextTests {
    private static func facts(_ html: String) throws -> PageFacts {
        let url = try #require(WebURL("https://example.org/garden/page"))
        return PageFacts(PageSource(url: url, bytes: Array(html.utf8), fetchedAt: Date(timeIntervalSince1970: 0)))
    }

    private static func text(_ html: String, _ form: TextForm) throws -> String { try facts(html).text(form).string }

    /// What a page has, as plain text and in markdown.
    private static let kinds: [(html: String, plain: String, markdown: String)] = [
        ("<p>One</p><p>two\n three</p>", "One\n\ntwo three", "One\n\ntwo three"),
        ("<h2>One</h2>two", "One\n\ntwo", "## One\n\ntwo"),
        ("<p>One<br>two<br><br>three", "One\ntwo\nthree", "One\\\ntwo\\\nthree"),
        ("<ul><li>One<li>two</ul>three", "- One\n- two\n\nthree", "- One\n- two\n\nthree"),
        ("<ol start=3><li>One<li>two</ol>", "3. One\n4. two", "3. One\n4. two"),
        (
            "<ul><li>One<ol><li>two<li>three</ol><li><p>four</p><p>five</p></ul>",
            "- One\n  1. two\n  2. three\n- four\n\n  five", "- One\n  1. two\n  2. three\n- four\n\n  five"
        ),
        ("<ul><li>One</ul><ul><li>two</ul>", "- One\n\n* two", "- One\n\n* two"),
        (
            "<blockquote><p>One<p>two<ul><li>three</ul></blockquote>four", "One\n\ntwo\n\n- three\n\nfour",
            "> One\n>\n> two\n>\n> - three\n\nfour"
        ),
        (
            "<p>A <a href='../x?a=(1)'>link <b>here</b></a>, <a href='#top'>top</a>, <a href='javascript:x()'>no</a>",
            "A link here, top, no", "A [link here](https://example.org/x?a=%281%29), top, no"
        ),
        (
            "<a href=/x><h3>One</h3><p>two</p></a>three", "One\n\ntwo\n\nthree",
            "### [One](https://example.org/x)\n\ntwo\n\nthree"
        ),
        ("<p>Call <code>a_b(*c)</code> or <code>`x`</code>", "Call a_b(*c) or `x`", "Call `a_b(*c)` or `` `x` ``"),
        ("<p><code>a</code><code>b</code> <code>c</code>", "ab c", "`ab` `c`"),
        (
            "<p>So:<pre><code class='language-swift'>\nlet a = 1\n\n  f(<span>a</span>)\n</code></pre>end",
            "So:\n\nlet a = 1\n\n  f(a)\n\nend", "So:\n\n```swift\nlet a = 1\n\n  f(a)\n```\n\nend"
        ),
        ("<pre>a\n```\nb</pre>", "a\n```\nb", "````\na\n```\nb\n````"),
        (
            "<ul><li>One<pre>a\nb</pre></ul>", "- One\n\na\nb", "- One\n\n  ```\n  a\n  b\n  ```"
        ),
        (
            "<table><caption>C</caption><tr><th>A<th>B|C<tr><td>1<td><p>2</p><p>3</p><tr><td colspan=2>4</table>",
            "C\n\nA\tB|C\n1\t2 3\n4", "C\n\n| A | B\\|C |\n| --- | --- |\n| 1 | 2 3 |\n| 4 | |"
        ),
        (
            "<table><tr><th rowspan=2>A<th colspan=2>B<tr><th>C<th>D<tr><td>1<td>2<td rowspan=0>3<tr><td>4<td>5</table>",
            "A\tB\n\tC\tD\n1\t2\t3\n4\t5", "| A | B | |\n| --- | --- | --- |\n| | C | D |\n| 1 | 2 | 3 |\n| 4 | 5 | |"
        ),
        ("<table><tr><td><h1>A</h1><td>b</table>", "A\n\nb", "# A\n\nb"),
        ("<dl><dt>One<dd>two</dl>", "One\n\ntwo", "One\n\ntwo"),
        ("<p><img src=x alt=Picture>One", "One", "One"),
        (
            "<p>x<sup>2</sup> is 10<sup>-3</sup> m<sup> 2 </sup>", "x^2 is 10^-3 m 2",
            "x<sup>2</sup> is 10<sup>-3</sup> m 2"
        ),
        ("<p>The 1<sup>st</sup> of <sup>2</sup>", "The 1st of 2", "The 1st of 2"),
        ("<p><code>2<sup>8</sup></code><p><sup><p>2</p></sup>", "2^8\n\n2", "`2^8`\n\n2"),
        (
            "<p>One<sup class=reference><a href='#n1'>[1]</a></sup>, two<a href='#n2'><sup>2</sup></a>,<sup><a href='#n3'>3</a>,<a href='#n4'>4</a></sup> three<sup><a href=/x>5</a></sup>",
            "One, two, three^5", "One, two, three<sup>[5](https://example.org/x)</sup>"
        ),
        (
            "<p>So <math><semantics><mrow><mi>x</mi><mo>+</mo><mi>y</mi></mrow><annotation encoding='application/x-tex'>x+y</annotation><annotation-xml encoding='MathML-Content'><ci>x</ci></annotation-xml></semantics></math> is",
            "So x+y is", "So x+y is"
        ),
        ("<h2>One<a href='#one'>¶</a></h2><h2><a href='#two'>§ </a>Two</h2>", "One\n\nTwo", "## One\n\n## Two"),
        ("<h2><a href='#c'>C#</a> and <a href='#n'>3</a></h2>", "C# and 3", "## C\\# and 3"),
        (
            "<h2>One <span>[<a href=/edit>edit</a>]</span></h2><div><h3>Two</h3><span>[<a href=/e>edit</a>]</span></div><h3><a href=/x>[three]</a> four</h3>",
            "One\n\nTwo\n\n[three] four", "## One\n\n### Two\n\n### [\\[three\\]](https://example.org/x) four"
        ),
        (
            "<p>One <span style='display: none'>of 5</span>two <i style='color: red'>three</i>", "One two three",
            "One two three"
        ),
        (
            "<p>One <span style='display:none'><math><mi>x</mi></math></span>",
            "One x", "One x"
        ),
        (
            "<p>One<script>x</script><span hidden>y</span><style>z</style><button>w</button> two", "One two", "One two"
        ),
    ]

    @Test(arguments: kinds)
    func `each kind of block is written in both forms`(html: String, plain: String, markdown: String) throws {
        #expect(try Self.text(html, .plain) == plain)
        #expect(try Self.text(html, .markdown) == markdown)
    }

    @Test(
        arguments: [
            ("# one", "\\# one"), ("- one", "\\- one"), ("1. one", "1\\. one"), ("+ one", "\\+ one"),
            ("> one", "\\> one"), ("*one* [two](three) `four`", "\\*one\\* \\[two\\](three) \\`four\\`"),
            ("a_b _c_ d__", "a_b \\_c\\_ d\\_\\_"), ("&lt;b&gt; a &lt; b", "\\<b> a < b"),
            ("&amp;amp; AT&amp;T", "\\&amp; AT&T"), ("a \\ b", "a \\\\ b"), ("~~one~~", "\\~\\~one\\~\\~"),
            ("One!<a href=/x>two</a>", "One\\![two](https://example.org/x)"),
            ("one<br># two<br>3) four", "one\\\n\\# two\\\n3\\) four"), ("2026 was 3.5", "2026 was 3.5"),
        ])
    func `what would be markup is escaped`(html: String, markdown: String) throws {
        #expect(try Self.text("<p>" + html, .markdown) == markdown)
    }

    // MARK: What is the text

    private static let prose =
        "The first pears of the year are ripe, and nobody has picked them yet, says the gardener. She has waited long."

    @Test func `an article has its text, without what stands around it and in it`() throws {
        let html = """
            <body><header><h1>Site</h1></header><nav><a href=/a>Menu</a></nav><div class=post><p>\(Self.prose)</p>
            <div class=share-bar>Share this</div><h2>Next</h2><p>\(Self.prose)</p><ul><li>One<li>Two</ul></div>
            <div class=comments><p>\(Self.prose.replacing("pears", with: "apples"))</p></div><footer>Imprint</footer>
            """
        #expect(try Self.text(html, .markdown) == "\(Self.prose)\n\n## Next\n\n\(Self.prose)\n\n- One\n- Two")
    }

    @Test func `the posts of a thread are its text`() throws {
        let posts = (1...6).map { "<div class='post comment'><p>\(Self.prose) Post \($0).</p></div>" }.joined()
        let text = try Self.text("<body><nav>Menu</nav><h1>Pears?</h1><div class=replies>\(posts)</div>", .plain)
        for number in 1...6 { #expect(text.contains("Post \(number).")) }
        #expect(!text.contains("Menu"))
    }

    @Test func `the items of a list are its text, though each is a link`() throws {
        let items = (1...30).map {
            "<div class=card><h3><a href=/p/\($0)>Pear \($0)</a></h3><span>\($0).00 €</span></div>"
        }
        let html = """
            <body><nav><a href=/>Home</a></nav><main><p class=description>\(Self.prose)</p>
            <div>\(items.joined())</div></main><footer>Imprint</footer>
            """
        let text = try Self.text(html, .plain)
        #expect(text.hasPrefix(Self.prose))
        for number in 1...30 { #expect(text.contains("Pear \(number)\n")) }
        #expect(!text.contains("Home"))
        #expect(!text.contains("Imprint"))
    }

    @Test func `comments inside the main element are left out, the posts of a thread there are not`() throws {
        let article = String(repeating: "<p>\(Self.prose)</p>", count: 4)
        let comments = (1...3).map { "<div class=comment><p>Yes, indeed \($0).</p></div>" }.joined()
        #expect(!(try Self.text("<main>\(article)\(comments)</main>", .plain).contains("indeed")))
        let posts = (1...9).map { "<div class=comment><p>\(Self.prose) Indeed \($0).</p></div>" }.joined()
        let text = try Self.text("<main>\(article)\(comments)\(posts)</main>", .plain)
        #expect(text.contains("indeed 2.") && text.contains("Indeed 9."))
    }

    @Test func `a program's page has the text that it shows readers without scripts`() throws {
        let posts = (1...6).map { "<div class=post><p>\(Self.prose) Post \($0).</p></div>" }.joined()
        let html = "<body><div id=app></div><noscript><nav>Menu</nav><div>\(posts)</div></noscript><script>f()</script>"
        let text = try Self.text(html, .plain)
        #expect(text.hasPrefix(Self.prose) && text.contains("Post 6."))
        #expect(!text.contains("Menu"))
        #expect(try Self.text("<p>One<noscript>Please enable JavaScript.</noscript>", .plain) == "One")
    }

    // MARK: In the record

    private static func recordText(_ html: String, maximumTextBytes: Int? = 1_000) throws -> String? {
        let draft = RecordBuilder.draft(
            from: try facts(html), maximumTextBytes: maximumTextBytes, now: Date(timeIntervalSince1970: 0))
        return draft.record(manifest: nil).record.text
    }

    @Test func `a record has the text as far as the page lets it be shown`() throws {
        let body = "<h1>Pears</h1><p>\(Self.prose)</p><div data-nosnippet><p>Secret.</p></div>"
        let text = "# Pears\n\n\(Self.prose)"
        #expect(try Self.recordText(body) == text)
        #expect(try Self.text(body, .markdown) == text + "\n\nSecret.")
        #expect(try Self.recordText(body, maximumTextBytes: nil) == nil)
        #expect(try Self.recordText("<meta name=robots content=nosnippet>" + body) == nil)
        #expect(try Self.recordText("<meta name=robots content='max-snippet:0'>" + body) == nil)
        #expect(try Self.recordText("<meta name=robots content='max-snippet:7'>" + body) == "# Pears")
        #expect(try Self.recordText("<p>") == nil)
    }

    // MARK: Any page

    private static let pieces = [
        "<p>", "</p>", "<div>", "</div>", "<ul>", "<li>", "</ul>", "<ol>", "</ol>", "<blockquote>", "</blockquote>",
        "<pre>", "</pre>", "<code>", "</code>", "<a href=/x>", "</a>", "<table>", "<tr>", "<td>", "</td>", "</table>",
        "<h2>", "</h2>", "<br>", "<script>hid1</script>", "<style>hid2</style>", "<b>", "</b>",
        "<span hidden>hid3</span>",
        "<dl><dt>", "<dd>", "</dl>", "<section>", "</section>", " ", "\n", "one ", "two", " three, four. ", "# ", "- ",
        "1. ", "*five*", "`six`", "[seven](eight)", "&amp;amp;", "&lt;nine&gt;", "| ten |", "\\", "_", "~~~", "```",
        "eleven and twelve are words of a sentence that goes on for a while, as sentences do. ",
    ]

    private static func letters(_ text: String) -> [UInt8] {
        // Addresses are left out: of all links of these pages.
        text.replacing("](https://example.org/x)", with: "").utf8.filter { $0.isASCIILetter }
    }

    @Test func `both forms have the letters of the visible text, in its order`() throws {
        var random = FixedRandom(seed: 36)
        for _ in 0..<2_000 {
            let html = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                Self.pieces.randomElement(using: &random)!
            }
            let facts = try Self.facts("<body>" + html.joined())
            let plain = Self.letters(facts.text(.plain).string)
            #expect(plain == Self.letters(facts.text(.markdown).string), "\(html.joined())")
            let own = facts.mainText.bytes.filter { $0.isASCIILetter }
            #expect(plain == own, "\(html.joined())")
            #expect(!plain.contains(Array("hid".utf8)))
        }
    }

    /// markdown-it-py follows CommonMark and passes its test suite.
    @Test(.slow) func `a parser of CommonMark finds the same letters and no other markup`() throws {
        var random = FixedRandom(seed: 7)
        var input: [UInt8] = []
        for _ in 0..<2_000 {
            let html = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                Self.pieces.randomElement(using: &random)!
            }
            let facts = try Self.facts("<body>" + html.joined())
            var writer = JSONWriter()
            writer.value(.array([.string(facts.text(.plain).string), .string(facts.text(.markdown).string)]))
            input += writer.bytes + [0x0A]
        }
        let verdict = try PythonJudge(importing: "markdown_it").run(
            """
            import json, re, sys
            from markdown_it import MarkdownIt
            parser = MarkdownIt("commonmark").enable("table")
            foreign = {"image", "html_inline", "html_block", "hr", "code_block", "softbreak", "em_open", "strong_open"}
            def letters(text): return "".join(re.findall("[A-Za-z]", text))
            for line in sys.stdin:
                plain, markdown = json.loads(line)
                found = []
                for token in parser.parse(markdown):
                    for part in token.children or [token]:
                        if part.type in foreign: print(part.type, json.dumps(markdown))
                        if part.type == "link_open" and part.attrs["href"] != "https://example.org/x": print("link", json.dumps(markdown))
                        if part.type in ("text", "code_inline", "fence"): found.append(part.content)
                if letters("".join(found)) != letters(plain): print("letters", json.dumps(plain), json.dumps(markdown))
            """, input: input)
        #expect(verdict.status == 0 && verdict.output.isEmpty, "\(verdict.output.prefix(2_000))")
    }

    @Test(
        arguments: [
            "<ul><li>a", "<blockquote>a", "<ol><li><blockquote><p>a", "<table><tr><td>a", "<a href=/x>a<p>", "<pre>`",
        ])
    func `nesting makes no text long`(piece: String) throws {
        let html = String(repeating: piece, count: 5_000)
        #expect(try Self.text(html, .markdown).utf8.count < 40 * html.utf8.count)
    }

    @Test func `a text that is bounded ends with a whole block, or in one that has most of it`() throws {
        let facts = try Self.facts("<p>One two three.</p><p>Four five six.</p>")
        #expect(facts.text(.plain, maximumBytes: 20).string == "One two three.")
        #expect(facts.text(.plain, maximumBytes: 20).isCut)
        #expect(facts.text(.plain, maximumBytes: 30).string == "One two three.\n\nFour five six.")
        #expect(!facts.text(.plain, maximumBytes: 30).isCut)
        #expect(try Self.facts("<p>Äpfel").text(.plain, maximumBytes: 1).string.isEmpty)
    }

    @Test func `a cell that claims all columns of the world has those of its table`() throws {
        let html = "<table><tr><td colspan=9223372036854775807>a<tr><td>b<td>c</table>"
        #expect(try Self.text(html, .markdown) == "| a | |\n| --- | --- |\n| b | c |")
        #expect(try Self.text("<table><tr><td colspan=-5>a<td>b<tr><td>c<td>d</table>", .plain) == "a\tb\nc\td")
    }

    @Test func `code has parts that must not be quoted, too`() throws {
        let text = try #require(
            try Self.recordText("<p>One.</p><pre>code <span data-nosnippet>secret</span> more</pre>"))
        #expect(!text.contains("secret") && text.contains("code"))
    }

    @Test func `what stands before lines cannot make a text longer than it may be`() throws {
        let lists = String(repeating: "<ol start=999999990><li>", count: 12)
        let text = try #require(
            try Self.recordText(
                "\(lists)<pre>\(String(repeating: "a\n", count: 20_000))</pre>", maximumTextBytes: 1_000))
        #expect(text.utf8.count <= 1_000)
    }
}
