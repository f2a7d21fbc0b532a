extension PathologicalPage {
    /// Meta and link elements, anchors, and header fields.
    static let tags = [
        PathologicalPage("og: tags", 50_000) { "<meta property=og:title content=x>" × $0 },
        PathologicalPage("og:image tags", 50_000) { numbered($0) { "<meta property=og:image content=/\($0).png>" } },
        PathologicalPage("og: properties in one attribute", 100_000) {
            "<meta property='\("og:title " × $0)' content=x>"
        },
        PathologicalPage("twitter: tags", 50_000) { "<meta name=twitter:app:id:iphone content=1>" × $0 },
        PathologicalPage("al: tags", 50_000) { numbered($0) { "<meta property=al:ios:url content=app://\($0)>" } },
        PathologicalPage("robots tags", 50_000) { "<meta name=robots content=nofollow>" × $0 },
        PathologicalPage("robots directives in one tag", 200_000) {
            "<meta name=robots content='\("nofollow, " × $0)'>"
        },
        PathologicalPage("apple-itunes-app tags", 50_000) { "<meta name=apple-itunes-app content=app-id=123>" × $0 },
        PathologicalPage("apple-itunes-app of many parts", 100_000) {
            "<meta name=apple-itunes-app content='app-id=1, \("app-argument=x, " × $0)'>"
        },
        PathologicalPage("keywords", 200_000) { "<meta name=keywords content='\(numbered($0) { "k\($0), " })'>" },
        PathologicalPage("one description", 4_000_000) { "<meta name=description content='\("x " × ($0 / 2))'>" },
        PathologicalPage("article:tag tags", 50_000) { numbered($0) { "<meta property=article:tag content=t\($0)>" } },
        PathologicalPage("refresh tags", 50_000) {
            "<noscript><meta http-equiv=refresh content='1;url=x'></noscript>" × $0
        },
        PathologicalPage("content-language tags", 50_000) { "<meta http-equiv=content-language content='?'>" × $0 },
        PathologicalPage("template leftovers", 500_000) {
            let value = "{{${<%" × $0
            return
                "<title>\(value)</title><meta name=description content='\(value)'><meta name=apple-itunes-app content='app-id=\(value)'>"
        },
        PathologicalPage("hreflang alternates", 50_000) {
            numbered($0) { "<link rel=alternate hreflang=en href=/\($0)>" }
        },
        PathologicalPage("app alternates", 50_000) {
            numbered($0) { "<link rel=alternate href=android-app://com.example.a\($0)/http/x>" }
        },
        PathologicalPage("canonical links", 50_000) { numbered($0) { "<link rel=canonical href=/\($0)>" } },
        PathologicalPage("icons of many sizes", 100_000) { "<link rel=icon href=/i sizes='\("1x1 " × $0)'>" },
        PathologicalPage("store links", 50_000) { numbered($0) { "<a href=https://apps.apple.com/app/id\($0)>x</a>" } },
        PathologicalPage("play store links", 50_000) {
            numbered($0) { "<a href='https://play.google.com/store/apps/details?id=com.example.a\($0)'>x</a>" }
        },
        PathologicalPage("intents", 30_000) {
            numbered($0) { "<a href='intent://x/\($0)#Intent;scheme=app;package=com.example.a;end'>x</a>" }
        },
        PathologicalPage("intent of many extras", 100_000) {
            "<a href='intent://x#Intent;\(numbered($0) { "S.k\($0)=v;" })end'>x</a>"
        },
        PathologicalPage("Link header", 5_000) { count in
            [("Link", numbered(count) { "</\($0)>; rel=alternate; hreflang=en, " })]
        },
        PathologicalPage("Link headers", 5_000) { count in
            (0..<count).map { ("Link", "</\($0)>; rel=alternate; hreflang=en") }
        },
        PathologicalPage("Link header of many parameters", 50_000) { count in
            [("Link", "</x>; rel=alternate" + numbered(count) { "; p\($0)=1" })]
        },
        PathologicalPage("X-Robots-Tag headers", 5_000) { count in
            (0..<count).map { _ in ("X-Robots-Tag", "pippin: nofollow, nosnippet") }
        },
    ]

    static let addresses = [
        PathologicalPage("anchors", 100_000) { numbered($0) { "<a href=/\($0)>x</a>" } },
        PathologicalPage("anchors to one address", 100_000) { "<a href=/x>x</a>" × $0 },
        PathologicalPage("anchors without text", 100_000) { numbered($0) { "<a href=/\($0)></a>" } },
        PathologicalPage("anchors around much", 100_000) { numbered($0) { "<div><a href=/\($0)><img><b>" } },
        PathologicalPage("anchors of one address around much", 100_000) { "<div><a href=/><img><b>" × $0 },
        PathologicalPage("anchors of other schemes", 50_000) { numbered($0) { "<a href=app\($0)://x>x</a>" } },
        PathologicalPage("links with huge base", 10_000) {
            "<base href=http://example.com/\("b" × 100_000)/>" + numbered($0) { "<a href=\($0)>x</a>" }
        },
        PathologicalPage("pictures with huge base", 10_000) {
            "<base href=http://example.com/\("b" × 100_000)/>" + numbered($0) { "<img src=\($0)>" }
        },
        PathologicalPage("microdata links with huge base", 10_000) {
            "<base href=http://example.com/\("b" × 100_000)/><div itemscope>"
                + numbered($0) { "<a itemprop=url href=\($0)>x</a>" }
        },
        PathologicalPage("RDFa links with huge base", 10_000) {
            "<base href=http://example.com/\("b" × 100_000)/><div typeof=schema:Thing>"
                + numbered($0) { "<a property=schema:url href=\($0)>x</a>" }
        },
        PathologicalPage("address of many steps up", 500_000) { "<a href='/\("../" × $0)x'>x</a>" },
        PathologicalPage("address down and up", 300_000) { "<a href='/\("a/../" × $0)x'>x</a>" },
        PathologicalPage("RDFa address down and up", 300_000) {
            "<a property=schema:url typeof=schema:T href='/\("a/../" × $0)x'>x</a>"
        },
        PathologicalPage("address of many escapes", 500_000) { "<a href='/\("%41%" × $0)x'>x</a>" },
        PathologicalPage("address of a long host", 500_000) { "<a href='http://\("a." × $0)x/'>x</a>" },
        PathologicalPage("address of a long foreign host", 100_000) { "<a href='http://\("ü." × $0)x/'>x</a>" },
        PathologicalPage("address of a long foreign label", 100_000) { "<a href='http://\("ü" × $0)x/'>x</a>" },
        PathologicalPage("address of many @", 500_000) { "<a href='http://\("@:" × $0)x/'>x</a>" },
        PathologicalPage("address of a long query", 300_000) { "<a href='/?\("a=b&" × $0)x'>x</a>" },
        PathologicalPage("foreign hosts", 30_000) { numbered($0) { "<a href=http://ü\($0).example/>x</a>" } },
    ]

    static let encodings = [
        PathologicalPage(
            "ill-formed UTF-8", 2_000_000, bytes: { Array("<p>".utf8) + Array(repeating: 0xFF, count: $0) }),
        PathologicalPage("NUL bytes", 2_000_000, bytes: { Array("<p>".utf8) + Array(repeating: 0, count: $0) }),
        PathologicalPage(
            "Shift_JIS", 2_000_000,
            bytes: { Array("<meta charset=shift_jis><p>".utf8) + Array(repeating: 0x82, count: $0) }),
        PathologicalPage(
            "gb18030 of four bytes", 500_000,
            bytes: { count in
                Array("<meta charset=gb18030><p>".utf8)
                    + (0..<count).flatMap { _ in [0x81, 0x30, 0x81, 0x30] as [UInt8] }
            }),
        PathologicalPage(
            "Big5", 2_000_000, bytes: { Array("<meta charset=big5><p>".utf8) + Array(repeating: 0xA4, count: $0) }),
        PathologicalPage(
            "ISO-2022-JP escapes", 500_000,
            bytes: { count in
                Array("<meta charset=iso-2022-jp><p>".utf8)
                    + (0..<count).flatMap { _ in [0x1B, 0x24, 0x42] as [UInt8] }
            }),
        PathologicalPage(
            "windows-1252", 2_000_000,
            bytes: { Array("<meta charset=latin1><p>".utf8) + Array(repeating: 0x92, count: $0) }),
        PathologicalPage(
            "UTF-16", 2_000_000, bytes: { [0xFF, 0xFE] + (0..<$0).flatMap { _ in [0x41, 0] as [UInt8] } }),
        PathologicalPage("declared late", 2_000_000) { " " × $0 + "<meta charset=windows-1251>" },
        PathologicalPage("meta elements in the prescan", 1_000) { "<meta \("charset=x " × 100)>" × $0 },
    ]
}
