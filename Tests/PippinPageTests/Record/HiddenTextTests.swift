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

    @Test(
        arguments: [
            ("<div style='position:absolute; left:-9999px'>X</div>", HiddenText.Way.offScreen),
            ("<div style='POSITION: Fixed !important; TOP: -1000Px'>X</div>", .offScreen),
            ("<div style='position:absolute;left:-999em'>X</div>", .offScreen),
            ("<h2 style='text-indent:-9999px;background:url(data:image/png;base64,AA==)'>X</h2>", .offScreen),
            ("<p style='font-size:0'>X</p>", .noSize), ("<p style='font-size: 1px;'>X</p>", .noSize),
            ("<p style='color:#fff;background-color:white'>X</p>", .sameColor),
            ("<p style='background: RGB(0, 0, 0); color: #000000'>X</p>", .sameColor),
        ])
    func `text is hidden`(markup: String, way: HiddenText.Way) {
        let hidden = hidden(markup.replacing("X", with: Self.words))
        #expect(hidden.parts.map(\.way) == [way])
        #expect(hidden.words == 40 && hidden.isTelling)
    }

    @Test(
        arguments: [
            "<div style='display:none'>X</div>", "<div style='left:-9999px'>X</div>",
            "<div style='position:absolute;left:-100%'>X</div>", "<div style='position:absolute;left:-320px'>X</div>",
            "<ul style='font-size:0'><li class=item>X</li></ul>", "<p style='font-size:0.9em'>X</p>",
            "<p style='color:#fff;background-color:#000'>X</p>",
            "<p style='color:transparent;background:transparent'>X</p>", "<p style='text-indent:-2em'>X</p>",
            "<template><p style='font-size:0'>X</p></template>", "<p style='--left:-9999px; position:absolute'>X</p>",
            "<p style='font-size:0'>Skip to the content</p>", "<p style='opacity:0'>X</p>", "<p style>X</p>",
            "<p style=':;;left:;:0;;'>X</p>",
        ])
    func `text is shown, or shown later`(markup: String) {
        #expect(!hidden(markup.replacing("X", with: Self.words)).isTelling)
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

    @Test func `a page that scripts show later hides nothing`() {
        let html =
            "<div id=app style='position:absolute;left:-9999px'><p>\(Self.shown)\(Self.shown)\(Self.shown)</p></div>"
        #expect(hidden(html).parts.isEmpty)
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
