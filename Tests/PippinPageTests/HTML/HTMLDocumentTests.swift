import Testing

@testable import PippinPage

@Suite struct HTMLDocumentTests {
    private func document(_ html: String, limits: ReadingLimits = .standard) -> HTMLDocument {
        HTMLDocument(utf8: Array(html.utf8), limits: limits)
    }

    /// One line an element: depth, name, attributes, text.
    private func outline(_ document: HTMLDocument) -> String {
        document.elements.indices.map { i in
            var depth = 0
            var ancestor = i
            while let parent = document.parent(of: ancestor) {
                depth += 1
                ancestor = parent
            }
            let attributes = document.attributes(of: i).map { " \($0.name)=\($0.value)" }.joined()
            let name = document.spelling(ofName: document.elements[i].nameNumber)
            return String(repeating: " ", count: depth) + name + attributes + ": " + document.collapsedText(of: i)
        }.joined(separator: "\n")
    }

    @Test func `elements stand in document order and a subtree's text is one slice`() {
        let page = document("<title>T</title><p>One <b CLASS=x>two</b> three</p><p>four")
        #expect(
            outline(page) == """
                html: T One two three four
                 head: T
                  title: T
                 body: One two three four
                  p: One two three
                   b class=x: two
                  p: four
                """)
        #expect(page.textContent(of: 4) == "One two three")
        #expect(page.children(of: 3).map { page.textContent(of: $0) } == ["One two three", "four"])
        #expect(Array(page.elements(named: .p)) == [4, 6])
        #expect(page.hasAttribute(.class) && !page.hasAttribute(.itemscope))
    }

    @Test func `names are known in any case, unknown ones keep their spelling, attributes without value are empty`() {
        let page = document("<body><FB:Like Data-Foo=1 itemscope>x</FB:Like>")
        let like = page.elements.count - 1
        #expect(page.spelling(ofName: page.elements[like].nameNumber) == "fb:like")
        #expect(page.attributes(of: like).map(\.name) == ["data-foo", "itemscope"])
        #expect(page.value(of: .itemscope, on: like) == "")
        #expect(page.value(of: .href, on: like) == nil)
    }

    @Test func `lines and columns point at the start tag`() {
        let page = document("<html>\n<head>\n  <meta name=a\n content=b>")
        let meta = page.elements(named: .meta).first ?? 0
        #expect(page.line(of: meta) == 3)
        #expect(page.place(of: meta).column == 3)
    }

    @Test func `markup inside scripts, styles and comments is text or nothing`() {
        let page = document(
            "<script>if (a<b) { '</p><p x y z>' }</script><style>a>b{}</style><!-- <p> -- > --><p>x</p>")
        #expect(page.elements(named: .p).count == 1)
        #expect(page.elements(named: .script).first.map { page.textContent(of: $0) } == "if (a<b) { '</p><p x y z>' }")
    }

    @Test func `deeper elements than the limit become siblings, and nothing of the text is lost`() {
        var limits = ReadingLimits()
        limits.maximumDepth = 10
        let page = document(String(repeating: "<div>a", count: 5_000) + "<p>tail</p>", limits: limits)
        #expect(page.elements.count == 5_004)
        #expect(page.notes.map(\.code.rawValue) == ["document-too-deep"])
        #expect(page.text.count == 5_004)
        #expect(page.collapsedText(of: page.elements.count - 1) == "tail")
        for i in page.elements.indices.dropFirst() {
            #expect(page.isElement(i, inside: page.parent(of: i) ?? 0))
        }
    }

    @Test func `a crowd of attributes is cut, the page after it is read`() {
        let crowd = (0..<50_000).map { " a\($0)=\"<b>\"" }.joined()
        let page = document("<p\(crowd)>x</p><script>a<b \(crowd)</script><p title='kept'>y</p>")
        #expect(page.notes.map(\.code.rawValue) == ["too-many-attributes"])
        #expect(page.attributes(of: page.elements(named: .p).first ?? 0).count == 500)
        #expect(page.elements(named: .p).last.flatMap { page.value(of: .title, on: $0) } == "kept")
    }

    @Test func `too many elements end the reading with a note`() {
        var limits = ReadingLimits()
        limits.maximumNodes = 100
        let page = document(String(repeating: "<br>", count: 1_000), limits: limits)
        #expect(page.elements.count == 100)
        #expect(page.notes.map(\.code.rawValue) == ["too-many-elements"])
    }

    @Test func `visible text leaves out scripts, templates and hidden elements, and words stay apart`() {
        let page = document(
            "<body><h1>Head</h1><script>var x</script><p hidden>no</p><p>a<br>b\u{A0} \n c<noscript>n</noscript></p><template>t</template>d"
        )
        #expect(page.visibleText(of: 0) == "Head a b c d")
        #expect(page.visibleText(of: 0, maximumBytes: 6) == "Head a")
    }

    /// What html5lib show with scripts on, where a `noscript` ends at its first end tag.
    @Test(arguments: [
        ("<p>a<noscript>no</noscript>direct<b>bold</b>", "adirectbold"),
        ("a<noscript><div>no</noscript>direct <b>bold</b>", "adirect bold"),
        ("<div>a<noscript><p>no</noscript> direct</div><p>rest", "a direct rest"),
        ("<div>a<noscript><p>no <i>no</i></noscript> direct", "a direct"),
        ("<noscript><div>no</noscript>direct<p>rest", "direct rest"),
        ("<noscript><div>no</noscript><noscript><div>no</noscript>direct", "direct"),
        // Without an end tag nobody says where it ends.
        ("<p>a<button>no<div>rest</div>", "a rest"),
        ("a<noscript hidden><div>no</noscript>no", "a"),
    ])
    func `text directly behind a misplaced end tag of noscript is seen`(markup: String, text: String) {
        #expect(document("<body>" + markup).visibleText(of: 0) == text)
    }

    @Test func `long scripts and styles keep their text, and what follows keeps its place`() {
        let code = "if (a < b) { x = '<p title=\"no\">' }\n".repeated(3) + "var ö = 'tail'; "
        let page = document(
            "<p>\n<script>\(code)</script><i>a</i>\n<style>\(code)</style>\n<b>b</b><!-- <script>\(code)</script> -->"
                + "<script src=x>\(code.repeated(2))</script ><u>c</u>")
        #expect(page.elements(named: .script).map { page.textContent(of: $0) } == [code, code.repeated(2)])
        #expect(page.elements(named: .style).map { page.textContent(of: $0) } == [code])
        #expect(page.elements(named: .p).count == 1)
        func place(_ name: String) -> [Int] {
            page.elements.indices.filter { page.spelling(ofName: page.elements[$0].nameNumber) == name }.flatMap {
                [page.place(of: $0).line, page.place(of: $0).column]
            }
        }
        #expect(place("i") == [5, 26])
        #expect(place("b") == [10, 1])
        #expect(place("u") == [19, 27])
    }

    @Test func `no text and no value of a page passes for another one`() {
        let code = "a long script that is cut out, and left alone"
        let page = document(
            "~0<script>\(code)</script><script>~1</script><p title=~1 lang='~1&amp;'>~1</p>~1<!-- -->~1<br>~<i>a~1</i>x&#126;1"
        )
        #expect(page.elements(named: .script).map { page.textContent(of: $0) } == [code, "~1"])
        let p = page.elements(named: .p).first ?? 0
        #expect(page.attributes(of: p).map(\.value) == ["~1", "~1&"])
        #expect(page.collapsedText(of: 0) == "~0 ~1 ~1~1 ~a~1x~1")
        let names = document("<z.p>a</p></z.p><z:html lang=a>b</z:html>")
        #expect(names.elements(named: .p).map { names.textContent(of: $0) } == [""])
        #expect(names.elements(named: .html).allSatisfy { names.attributes(of: $0).isEmpty })
    }

    @Test func `a slash does not close a script`() {
        let code = String(repeating: "x", count: 100)
        let page = document("<script src='a'/><p>\(code)</p><script src=b/>\(code)</script><p>z</p>")
        #expect(
            page.elements(named: .script).map { page.textContent(of: $0) } == ["<p>\(code)</p><script src=b/>\(code)"])
        #expect(page.elements(named: .p).map { page.textContent(of: $0) } == ["z"])
    }

    @Test func `references are HTML's, with and without semicolon`() {
        let cases: KeyValuePairs = [
            "&quest;&excl;&NewLine;&apos;&nbsp;&AMP;": "?!\n'\u{A0}&", "&nvlt;&fjlig;&bne;": "<\u{20D2}fj=\u{20E5}",
            "&CounterClockwiseContourIntegral;": "\u{2233}", "&copy 1 &copyx &notit; &notin; &raquo": "© 1 ©x ¬it; ∉ »",
            "&ampamp; &ltp> &quot&gt": "&amp; <p> \">",
            "&no; &Nbsp; & &; &x &#; &#x; &#xg;": "&no; &Nbsp; & &; &x &#; &#x; &#xg;",
            "&#65&#x42;&#X43 &#0;&#xD800;&#x110000;&#99999999999;": "ABC \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
        ]
        for (written, read) in cases {
            for filler in ["", " so that the text is a long one"] {
                let page = document("<p>\(written)\(filler)</p><textarea>\(written)\(filler)</textarea>")
                #expect(page.elements(named: .p).map { page.textContent(of: $0) } == [read + filler])
                #expect(page.elements(named: .textarea).map { page.textContent(of: $0) } == [read + filler])
            }
        }
        let values: KeyValuePairs = [
            "?a=1&copy=2&reg=3&lt=4": "?a=1&copy=2&reg=3&lt=4", "?a&copyb&not1&amp;c&amp": "?a&copyb&not1&c&",
            "&quest;&raquo &raquo": "?» »", "&notit;&nvlt;&#38;lt;": "&notit;<\u{20D2}&lt;", "~&quot;": "~\"",
        ]
        for (written, read) in values {
            for filler in ["", " so that the value is a long one"] {
                let page = document("<p title='\(written)\(filler)'>")
                #expect(page.value(of: .title, on: page.elements(named: .p).first ?? 0) == read + filler)
            }
            let bare = document("<p title=\(written.replacing(" ", with: "_"))>")
            #expect(bare.value(of: .title, on: bare.elements(named: .p).first ?? 0) == read.replacing(" ", with: "_"))
        }
    }

    @Test func `a place far down a long page is counted in characters`() {
        // Lines and characters of two bytes lie across the blocks that are counted ahead; a line has several blocks.
        let line = "é".repeated(700)
        for length in [1_021, 1_022, 1_023, 1_024, 1_025, 3_000] {
            let page = document("x".repeated(length) + "\n\n" + line + "<i>" + line + "<b>\n<u>")
            func place(_ name: String) -> [Int] {
                page.elements.indices.filter { page.spelling(ofName: page.elements[$0].nameNumber) == name }.flatMap {
                    [page.place(of: $0).line, page.place(of: $0).column]
                }
            }
            #expect(place("i") == [3, 701])
            #expect(place("b") == [3, 1_404])
            #expect(place("u") == [4, 1])
        }
        let wide = document("x".repeated(70_000) + "<i>")
        #expect(wide.elements(named: .i).map { wide.place(of: $0).column } == [70_001])
    }

    @Test func `places hold behind what is cut out, left out or decoded`() {
        let page = document(
            "<!DOCTYPE html><!-- a\n b --><p @x='1' title='a long value that is cut &amp; decoded'>&quest;<b>x</b>\n&amp<i/>"
        )
        func place(_ name: HTMLName) -> [Int] {
            page.elements(named: name).flatMap { [page.place(of: $0).line, page.place(of: $0).column] }
        }
        #expect(place(.p) == [2, 7])
        #expect(place(.b) == [2, 71])
        #expect(place(.i) == [3, 5])
    }

    @Test func `the first base with an address decides, against the page's own`() throws {
        let url = try #require(WebURL("https://example.org/a/b.html"))
        #expect(
            document("<base target=x><base href='/c/'><base href='/d/'>").baseURL(pageURL: url).href
                == "https://example.org/c/")
        #expect(document("<p>").baseURL(pageURL: url).href == url.href)
    }

    @Test func `what stands behind the end of html is read as part of the same body`() {
        let page = document(
            "<html lang=a><head><title>t</title></head><body><p>a</p></body></html>\n<p>b</p><html lang=b><body><p>c</p></html>d"
        )
        #expect(page.elements(named: .html).count == 1 && page.elements(named: .body).count == 1)
        #expect(page.elements(named: .p).map { page.textContent(of: $0) } == ["a", "b", "c"])
        #expect(page.collapsedText(of: page.elements(named: .body).first ?? 0).hasSuffix("c d"))
        #expect(page.descendants(of: 0).upperBound == page.elements.count)
    }

    @Test func `references to controls are the characters that old pages mean`() {
        let page = document("<p title='it&#146;s &#x80; \u{C2}&#150;'>it&#146;s &#151; \u{85}x &#129;</p>")
        let p = page.elements(named: .p).first ?? 0
        #expect(page.value(of: .title, on: p) == "it\u{2019}s \u{20AC} \u{C2}\u{2013}")
        #expect(page.textContent(of: p) == "it\u{2019}s \u{2014} \u{85}x \u{81}")
    }

    @Test func `a tag that the end of the page cuts off is dropped, text before it stays`() {
        let page = document("<p>a < b <a href='/x'>x</a> y<a href='/half/addr")
        #expect(page.elements(named: .a).count == 1)
        #expect(page.collapsedText(of: 0) == "a < b x y")
        #expect(document("<p>1 < 2").collapsedText(of: 0) == "1 < 2")
    }

    @Test func `an empty page and garbage are documents too`() {
        #expect(document("").elements.isEmpty || document("").text.isEmpty)
        #expect(document("<").text.count <= 1)
        #expect(document("<\u{0}\u{1}><!--").elements.count <= 3)
    }
}

extension String {
    func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
