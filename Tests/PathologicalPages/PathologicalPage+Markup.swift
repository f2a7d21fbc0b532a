extension PathologicalPage {
    /// Elements, attributes and their nesting.
    static let markup = [
        PathologicalPage("empty elements", 500_000) { "<i></i>" × $0 },
        PathologicalPage("nested elements", 500_000) { "<div>" × $0 + "x" + "</div>" × $0 },
        PathologicalPage("nested elements, stray end tags", 300_000) { "<div>" × $0 + "</span></b></p>" × $0 },
        PathologicalPage("nested inline elements", 300_000) { "<b><i><font><u>" × ($0 / 4) + "x" },
        PathologicalPage("nested tables", 100_000) { "<table><tr><td>" × $0 + "x" },
        PathologicalPage("nested lists", 200_000) { "<ul><li>" × $0 + "x" },
        PathologicalPage("names made up", 200_000) { numbered($0) { "<x\($0)>" } },
        PathologicalPage("attribute names made up", 100_000) { numbered($0) { "<p x\($0)=1>" } },
        PathologicalPage("attributes on one element", 100_000) { "<div \(numbered($0) { "a\($0)=b " })>x</div>" },
        PathologicalPage("equal attributes on one element", 200_000) { "<div \("title=a " × $0)>x</div>" },
        PathologicalPage("900 attributes on many elements", 300) { count in
            ("<p \(numbered(900) { "a\($0)=b " })>") × count
        },
        PathologicalPage("quotes in attributes", 200_000) { "<p title=\"\("'\\&quot;" × $0)\">x" },
        PathologicalPage("many html and body tags", 100_000) { "<html a=b><body c=d>" × $0 },
        PathologicalPage("many head elements behind each other", 100_000) { "<head><title>x</title></head>" × $0 },
        PathologicalPage("titles in svg", 200_000) { "<svg>" + "<g>" × 400 + "<title>x</title>" × $0 },
        PathologicalPage("frames", 100_000) { numbered($0) { "<iframe src=/f\($0)></iframe>" } },
        PathologicalPage("comments", 300_000) { "<!-- x -->" × $0 },
        PathologicalPage("class tokens", 500_000) { "<p class='\("a " × $0)'>x" },
        PathologicalPage("rel tokens on an anchor", 100_000) { "<a href=/x rel='\("nofollow " × $0)'>x</a>" },
        PathologicalPage("rel tokens on a link", 100_000) { "<link href=/x rel='\("alternate " × $0)'>" },
        PathologicalPage("pictures", 100_000) { numbered($0) { "<img src=/\($0).png alt=x width=9>" } },
        PathologicalPage("media elements", 50_000) {
            numbered($0) { "<video src=/\($0).mp4><source src=/\($0)></video>" }
        },
        PathologicalPage("hidden elements", 200_000) { "<p hidden>x</p>" × $0 },
        PathologicalPage("headings", 200_000) { "<h1>x</h1>" × $0 },
        PathologicalPage("nested headings", 200_000) { "<div><h1>x" × $0 },
        PathologicalPage("formatting never closed", 100_000) {
            numbered($0) { "<b class=c\($0)>" } + "<p>x" × $0
        },
        PathologicalPage("formatting closed around a block", 50_000) {
            numbered(200) { "<b class=c\($0)>" } + "<div>" + "<i>x</i>" × $0 + "</b>" × $0
        },
        PathologicalPage("texts before tables", 100_000) { "<table>x<tr>y<td>" × $0 },
        PathologicalPage("labels and colons in bylines", 20_000) {
            "<p>\("1by " × 8)\("/:" × 28)" × ($0 / 10) + "<p>\("1文 " × 8)\(":" × 55)" × ($0 / 10)
        },
        PathologicalPage("labels of pictures in author metas", 20_000) {
            ("<meta name=author content=\"" + "Foto : " × 280 + "\">") × ($0 / 300)
                + ("<meta name=author content=\"" + ", 文:" × 380 + "\">") × ($0 / 300)
        },
        PathologicalPage("references", 500_000) { "&quest;&copy" × $0 },
        PathologicalPage("articles in articles", 100_000) { "<article><p>some text here</p>" × $0 },
    ]

    /// Whatever is begun and never ended.
    static let unclosed: [PathologicalPage] = {
        let pieces = [
            "<", "<a ", "<a href=", "<a href=\"", "<a href='x", "<!--", "<!--x--!>", "<!", "<!doctype ", "<![CDATA[",
            "<?x ",
            "</", "</a", "<script>", "<script>x</script", "<script type=application/ld+json>{", "<style>", "<title>",
            "<textarea>", "<noscript>", "<template>", "<svg><![CDATA[", "<p", "<p>", "<a>", "<a href=/x>x", "<option>",
            "<form>", "<button>", "<select>", "<table>", "<td>", "<li>", "<dt>", "<body>", "<frameset>",
            "<base href=x>",
            "<plaintext>", "<xmp>", "<iframe>", "<noframes>", "<nobr>", "<h1>", "</p>", "</br>", "</html>x", "&", "&#",
            "&#x",
            "&amp", "&notit;", "<p title='&", "<p\n", "<p/", "<p =", "<meta charset=",
            "<meta content=\"text/html; charset=",
        ]
        return pieces.map { piece in
            let shown = piece.replacing("\n", with: "\\n")
            return PathologicalPage("unclosed \(shown)", 1_000_000 / piece.utf8.count) { piece × $0 }
        }
    }()

    static let texts = [
        PathologicalPage("one text", 5_000_000) { "<p>" + "x" × $0 },
        PathologicalPage("one text of words", 2_000_000) { "<p>" + "x " × $0 },
        PathologicalPage("one text of white space", 4_000_000) { "<p>" + " \n" × ($0 / 2) },
        PathologicalPage("one text of no-break spaces", 1_000_000) { "<p>" + "\u{A0}" × $0 },
        PathologicalPage("one text in Chinese", 1_000_000) { "<p>" + "字" × $0 },
        PathologicalPage("one text of combining marks", 1_000_000) { "<p>e" + "\u{301}" × $0 },
        PathologicalPage("one script", 4_000_000) { "<script>" + "x" × $0 + "</script>" },
        PathologicalPage("one title", 4_000_000) { "<title>" + "x " × ($0 / 2) + "</title>" },
        PathologicalPage("one textarea", 4_000_000) { "<textarea>" + "x<" × ($0 / 2) + "</textarea>" },
        PathologicalPage("one attribute", 4_000_000) { "<p title='" + "x" × $0 + "'>" },
        PathologicalPage("one comment", 4_000_000) { "<!--" + "-" × $0 + "-->" },
        PathologicalPage("decimal character references", 500_000) { "<p>" + "&#120;" × $0 },
        PathologicalPage("named character references", 500_000) { "<p>" + "&amp;&eacute;" × ($0 / 2) },
        PathologicalPage("control references", 500_000) { "<p>" + "&#146;" × $0 },
        PathologicalPage("long character references", 1) { "<p>&#" + "1" × ($0 * 2_000_000) + ";" },
        PathologicalPage("character references in an attribute", 500_000) { "<p title='" + "&#120;" × $0 + "'>" },
        PathologicalPage("scripts", 100_000) { "<script>var x = 1;</script>" × $0 },
        PathologicalPage("long scripts", 20_000) { ("<script>" + "x" × 100 + "</script>") × $0 },
        PathologicalPage("sentences", 200_000) { "<p>" + "A sentence. Another one! " × $0 },
    ]
}
