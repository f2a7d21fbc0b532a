import Foundation
import Testing

@testable import PippinPage

/// Text that styles hide from people.
@Suite struct HiddenTextTests {
    private static let words = (1...40).map { "pear\($0)" }.joined(separator: " ")
    private static let shown = String(
        repeating: "The orchard is open all day, and you may pick what you like. ", count: 20)

    private func hidden(_ html: String) -> HiddenText {
        PageFacts(
            PageSource(
                url: WebURL("https://page.example/")!, bytes: Array("<body>\(html)<p>\(Self.shown)</p>".utf8),
                fetchedAt: .now)
        ).hiddenText
    }

    /// Every way in which an inline style hides text, with its siblings.
    private static let ways: [(String, HiddenText.Way)] = [
        ("<div style='position:absolute; left:-9999px'>X</div>", .offScreen),
        ("<div style='POSITION: Fixed !important; TOP: -1000Px'>X</div>", .offScreen),
        ("<div style='position:absolute;left:-999em'>X</div>", .offScreen),
        ("<div style='position:absolute;left:-9999px;top:0'>X</div>", .offScreen),
        ("<div style='position:absolute;left:-1000vw'>X</div>", .offScreen),
        ("<div style='position:absolute;right:9999px'>X</div>", .offScreen),
        ("<h2 style='text-indent:-9999px;background:url(data:image/png;base64,AA==)'>X</h2>", .offScreen),
        ("<div style='margin-left:-9999px'>X</div>", .offScreen),
        ("<div style='margin:0 0 0 -9999px'>X</div>", .offScreen),
        ("<div style='transform:translatex(-9999px)'>X</div>", .offScreen),
        ("<div style='transform: rotate(1deg) translate3d(-9999px, 0, 0)'>X</div>", .offScreen),
        ("<div style='translate:-9999px 0'>X</div>", .offScreen),
        ("<div style='position:absolute;clip:rect(0,0,0,0)'>X</div>", .clipped),
        ("<div style='position:absolute;clip: rect(1px 1px 1px 1px)'>X</div>", .clipped),
        ("<div style='clip-path:inset(50%)'>X</div>", .clipped),
        ("<div style='clip-path: circle(0)'>X</div>", .clipped),
        ("<p style='font-size:0'>X</p>", .noSize), ("<p style='font-size: 1px;'>X</p>", .noSize),
        ("<div style='width:1px;height:1px;overflow:hidden'>X</div>", .noSize),
        ("<div style='max-height:0;max-width:0;overflow:clip'>X</div>", .noSize),
        ("<div style='width:1px;height:1px;overflow:hidden;max-width:100%'>X</div>", .noSize),
        ("<p style='color:#fff;background-color:white'>X</p>", .sameColor),
        ("<p style='background: RGB(0, 0, 0); color: #000000'>X</p>", .sameColor),
        ("<p style='color:tomato;background:#ff6347'>X</p>", .sameColor),
        ("<p style='color:#fff;background:#fefefe'>X</p>", .sameColor),
        ("<p style='color:rgb(255 255 255 / 1);background:#ffff'>X</p>", .sameColor),
        // White on the white of a page without style sheets, and of an element around it.
        ("<p style='color:white'>X</p>", .sameColor), ("<font color='#FFFFFF'>X</font>", .sameColor),
        ("<div style='background:#333'><p style='color:#333333'>X</p></div>", .sameColor),
        ("<table bgcolor=navy><tr><td><span style='color:navy'>X</span></table>", .sameColor),
        ("<p style='opacity:0'>X</p>", .transparent), ("<p style='opacity: 0.00 !important'>X</p>", .transparent),
        ("<p style='opacity:1;opacity:0%'>X</p>", .transparent), ("<p style='filter:opacity(0)'>X</p>", .transparent),
        ("<p style='transform:scale(0)'>X</p>", .transparent),
    ]

    @Test(arguments: ways)
    func `text is hidden`(markup: String, way: HiddenText.Way) {
        let hidden = hidden(markup.replacing("X", with: Self.words))
        #expect(hidden.parts.map(\.way) == [way])
        #expect(hidden.words == 40 && hidden.isTelling)
    }

    @Test(arguments: ways)
    func `text is hidden also if it is most of the page, and programs run`(markup: String, way: HiddenText.Way) {
        let most = Array(repeating: Self.words, count: 30).joined(separator: " ")
        #expect(hidden(markup.replacing("X", with: most)).words == 1_200)
        #expect(hidden("<script src='/stats.js'></script>" + markup.replacing("X", with: most)).words == 1_200)
    }

    @Test(
        arguments: [
            "<div style='display:none'>X</div>", "<div style='left:-9999px'>X</div>",
            "<div style='position:absolute;left:-100%'>X</div>", "<div style='position:absolute;left:-320px'>X</div>",
            "<ul style='font-size:0'><li class=item>X</li></ul>", "<p style='font-size:0.9em'>X</p>",
            "<p style='color:#fff;background-color:#000'>X</p>",
            "<p style='color:transparent;background:transparent'>X</p>", "<p style='text-indent:-2em'>X</p>",
            "<template><p style='font-size:0'>X</p></template>", "<p style='--left:-9999px; position:absolute'>X</p>",
            "<p style='font-size:0'>Skip to the content</p>", "<p style>X</p>", "<p style=':;;left:;:0;;'>X</p>",
            // The last declaration counts.
            "<p style='opacity:0;opacity:1'>X</p>", "<p style='position:absolute;left:-9999px;left:0'>X</p>",
            "<p style='font-size:0;font-size:16px'>X</p>", "<p style='opacity:0.5'>X</p>",
            "<p style='opacity:.1'>X</p>",
            // Folded parts, columns of one height, and parts that are only narrow.
            "<div style='height:0;overflow:hidden'>X</div>", "<div style='width:1px;height:1px'>X</div>",
            "<div style='margin-bottom:-9999px;padding-bottom:9999px'>X</div>",
            "<div style='transform:translatex(-100%)'>X</div>",
            // The track of a slide show, and what is also not displayed.
            "<div style='transform:translate3d(-2560px, 0px, 0px)'>X</div>",
            "<div style='visibility:hidden;position:fixed;left:-9000px'>X</div>",
            "<div style='display:none;font-size:0'>X</div>",
            "<div style='transform:scale(0.5)'>X</div>",
            "<div style='clip:rect(0,0,0,0)'>X</div>",
            "<div style='position:absolute;clip:rect(0,200px,50px,0)'>X</div>",
            "<div style='clip-path:inset(10%)'>X</div>",
            // A background that is not known.
            "<style>p {background: black}</style><p style='color:white'>X</p>".replacing("<p ", with: "<p class=a "),
            "<div style='background:url(/night.jpg)'><p style='color:white'>X</p></div>",
            "<div style='background:black'><p style='color:white'>X</p></div>",
            "<table background='/night.jpg'><tr><td><font color=white>X</font></table>",
            "<p style='color:#fff;background:linear-gradient(#000,#333)'>X</p>",
            "<p style='color:rgba(255,255,255,0.5)'>X</p>",
            "<div style='color:white'><p style='color:black'>X</p></div>",
            // Programs fade it in.
            "<script src='/fade.js'></script><div class=fade style='opacity:0'>X</div>",
            "<script>reveal()</script><div data-w-id=1 style='opacity:0;transform:translatey(20px)'>X</div>",
            "<script>reveal()</script><div style='opacity:0;transition:opacity 1s'>X</div>",
            "<script>reveal()</script><figcaption style='opacity:0'>X</figcaption>",
        ])
    func `text is shown, or shown later`(markup: String) {
        #expect(!hidden(markup.replacing("X", with: Self.words)).isTelling)
    }

    @Test func `what no program can show stays hidden`() {
        let faded = "<div class=fade style='opacity:0'>\(Self.words)</div>"
        #expect(hidden(faded).isTelling)
        #expect(hidden("<script>dataLayer = [{}]</script>" + faded).isTelling)
        let unnamed = "<script src='/fade.js'></script><div style='opacity:0'>\(Self.words)</div>"
        #expect(hidden(unnamed).isTelling)
    }

    @Test func `empty parts do not end the search`() {
        let empty = String(repeating: "<i style='position:absolute;left:-9999px'></i>", count: 50)
        let fading = String(repeating: "<b class=a style='opacity:0'>x</b>", count: 50)
        let html = "<script src='/a.js'></script>\(empty)\(fading)<div style='font-size:0'>\(Self.words)</div>"
        #expect(hidden(html).words == 40)
    }

    @Test func `links to other sites in a hidden part are told, menus are not`() {
        func menu(_ host: String, _ count: Int) -> String {
            let links = (0..<count).map { "<li><a href='https://\(host)/\($0)'>cheap pear pills online \($0)</a></li>" }
            return "<ul style='display:none'>\(links.joined())</ul>"
        }
        #expect(hidden(menu("pills.example.net", 12)).parts.map(\.way) == [.links])
        #expect(hidden(menu("pills.example.net", 4)).parts.isEmpty)
        #expect(hidden(menu("page.example", 12)).parts.isEmpty)
    }

    @Test func `a page that scripts show later hides nothing`() throws {
        func hidden(_ body: String) throws -> HiddenText {
            let url = try #require(WebURL("https://page.example/"))
            return PageFacts(PageSource(url: url, bytes: Array("<body>\(body)".utf8), fetchedAt: .distantPast))
                .hiddenText
        }
        let app = "<div id=app style='position:absolute;left:-9999px'><p>\(Self.shown)</p></div><p>Loading…</p>"
        #expect(try hidden(app + "<script src='/app.js'></script>").parts.isEmpty)
        // Nothing will ever show it.
        #expect(try !hidden(app).parts.isEmpty)
        // There is another page to see.
        #expect(try !hidden(app + "<script src='/app.js'></script><p>\(Self.shown)").parts.isEmpty)
    }

    @Test func `the record tells how many words`() throws {
        let spam = "<div style='position:absolute;left:-9999px'>\(Self.words)</div>"
        #expect(try RecordBuilderTests.record("<body>\(spam)<p>\(Self.shown)</p>").hiddenWords == 40)
        #expect(try RecordBuilderTests.record("<body><p>\(Self.shown)</p>").hiddenWords == nil)
    }

    @Test func `nested parts are read in bounded time`() {
        let open = String(repeating: "<div style='position:absolute;left:-9999px;display:none'>", count: 2_000)
        let links = String(repeating: "<a href='https://x.example.net/'>x</a>", count: 2_000)
        #expect(hidden("\(open)\(links)\(Self.shown)\(Self.shown)\(Self.shown)").parts.count <= 1)
    }

    /// Words without a background of their own ask the elements around them, each of which is read once.
    @Test func `a background far above is found for many words`() {
        let open = String(repeating: "<div style='margin:0;padding:0;border:0'>", count: 200)
        let html =
            "<div style='background:#abc'>\(open)" + String(repeating: "<b style='color:#aabbcc'>x</b> ", count: 600)
        #expect(hidden(html).words == 600)
    }

    @Test(
        arguments: [
            ("display:none", true), ("DISPLAY : none !important; color: red", true),
            ("display:none;display:block", false),
            ("display:block; display:none", true), ("color:red; font-size:12px", false),
            ("content:';display:none'", false),
            ("x-display:none", false), ("", false), ("display:", false),
        ])
    func `what is not displayed is the same asked alone and among all ways of hiding`(written: String, isSo: Bool) {
        let style = InlineStyle(ArraySlice(written.utf8))
        #expect(style.isNotDisplayed == isSo)
        #expect(style.hiding.contains(.notDisplayed) == isSo)
    }

    @Test func `functions are found by their whole names`() throws {
        let style = InlineStyle(ArraySlice("transform: ROTATE(3deg) translate3d(-1px, 2em,0) untranslate(9px)".utf8))
        let declaration = try #require(style.makeIterator().next())
        #expect(declaration.arguments(of: "translate3d").map(\.number) == [-1, 2, 0])
        #expect(declaration.arguments(of: "translate3d").map(\.unit) == ["px", "em", ""])
        #expect(declaration.arguments(of: "translate").isEmpty && declaration.arguments(of: "rotate").count == 1)
    }

    @Test func `declarations are read as CSS separates them`() {
        let style = InlineStyle(
            ArraySlice("background:url('a;b:c') ; WIDTH : 12.5PX;x;;color:red!important; left:0".utf8))
        #expect(
            style.map { "\(String(decoding: $0.property, as: UTF8.self))=\(String(decoding: $0.value, as: UTF8.self))" }
                == [
                    "background=url('a;b:c')", "WIDTH=12.5PX", "color=red!important", "left=0",
                ])
        #expect(style.map(\.pixels) == [nil, 12.5, nil, 0])
    }
}
