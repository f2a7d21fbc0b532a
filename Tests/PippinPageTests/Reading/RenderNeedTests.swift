import Foundation
import Testing

@testable import PippinPage

/// Which pages can be read only after their scripts have run.
@Suite struct RenderNeedTests {
    private static let script = "<script src=\"/app.js\"></script>"

    private static func need(_ body: String, head: String = "") throws -> RenderNeed? {
        let url = try #require(WebURL("https://shop.example/mug"))
        let html = "<!doctype html><html><head>\(head)</head><body>\(body)</body></html>"
        return RenderNeed(PageFacts(PageSource(url: url, bytes: Array(html.utf8), fetchedAt: .distantPast)))
    }

    private static func text(_ characters: Int) -> String {
        String(String(repeating: "mugs ", count: characters / 5 + 1).prefix(characters - 1)) + "."
    }

    @Test(arguments: [
        ("<div id=\"root\"></div>", "#root"), ("<div id=\"__next\"><p>Loading…</p></div>", "#__next"),
        ("<app-root></app-root>", "app-root"), ("<main id=\"App\"> </main>", "#App"),
    ])
    func `an empty mount gives a shell away`(mount: String, name: String) throws {
        let need = try #require(try Self.need(mount + "<footer>\(Self.text(300))</footer>" + Self.script))
        #expect(need.sign == .emptyMount(name))
        #expect(need.characters >= 300)
    }

    @Test func `a mount with text is a page that the server made`() throws {
        #expect(try Self.need("<div id=\"root\">\(Self.text(400))</div>" + Self.script) == nil)
        #expect(try Self.need("<div id=\"root\"></div><p>\(Self.text(700))</p>" + Self.script) == nil)
    }

    @Test func `a noscript that asks for JavaScript counts on short pages`() throws {
        let request = "<noscript>Please enable JavaScript.</noscript>"
        let need = try #require(try Self.need(request + "<p>\(Self.text(400))</p>" + Self.script))
        #expect(need.sign == .demandsJavaScript)
        #expect(try Self.need(request + "<p>\(Self.text(650))</p>" + Self.script) == nil)
        let pixel = "<noscript><img src=\"/pixel.gif\"></noscript>"
        #expect(try Self.need(pixel + "<p>\(Self.text(400))</p>" + Self.script) == nil)
    }

    @Test func `hardly any text and hardly a link give a shell away`() throws {
        #expect(try Self.need("<p>\(Self.text(149))</p>" + Self.script)?.sign == .hardlyAnything)
        #expect(try Self.need("<p>\(Self.text(150))</p>" + Self.script) == nil)
        let links = String(repeating: "<a href=\"/x\">x</a>", count: 5)
        #expect(try Self.need(links + Self.script) == nil)
    }

    @Test func `characters are counted, not bytes`() throws {
        let text = String(repeating: "茶", count: 149)
        #expect(try Self.need("<p>\(text)</p>" + Self.script)?.characters == 149)
        #expect(try Self.need("<p>\(text)茶</p>" + Self.script) == nil)
    }

    @Test func `a page without programs needs no rendering, however short`() throws {
        #expect(try Self.need("<div id=\"root\"></div>") == nil)
        let data = "<script type=\"application/ld+json\">{}</script>"
        #expect(try Self.need("<div id=\"root\"></div>" + data) == nil)
        #expect(try Self.need("<div id=\"root\"></div><script> </script>") == nil)
        #expect(try Self.need("<div id=\"root\"></div><script type=\"module\">run()</script>") != nil)
    }

    @Test(arguments: [
        "dataLayer = [{\"pageType\": \"mug\", 'a': 1}];", "window.dataLayer = window.dataLayer || [];",
        "dataLayer.push({event: 'view', src: '/a.js'}); // render()",
        "var settings = {\"url\": \"https://shop.example/\"};",
        "window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments);}gtag('js',new Date());gtag(\"config\",'G-1');",
        "/* fill(page) */ <!-- \nvar a = Object.freeze({b: [1, 2]});", "var state = JSON.parse(\"{\\\"a\\\":1}\");",
    ])
    func `a script that only states data needs no rendering`(script: String) throws {
        #expect(try Self.need("<div id=\"root\"></div><script>\(script)</script>") == nil)
        #expect(try Self.need("<div id=\"root\"></div><script>\(script)</script>" + Self.script) != nil)
    }

    @Test(arguments: [
        "document.getElementById('root').append('x')", "dataLayer = []; start()", "root.innerHTML = text",
        "location = '/app'",
        "(function () { start() })()", "(() => { a = 1 })()", "import('/app.js')", "fetch`/a`", "a[0](b)",
        "'never closed",
        "var x = 1 / document.write(2)", "e.onload = f", "document['write']('x')", "f.call(g)",
        "new Image().src = '/a.gif'", "function start() { go() } start()",
    ])
    func `a script that may make content is a program`(script: String) throws {
        #expect(try Self.need("<div id=\"root\"></div><script>\(script)</script>") != nil)
    }

    /// A `noscript` within a paragraph is never closed for readers without scripts: the parser ignores its end tag.
    @Test(arguments: [
        "<p><noscript><p>Please</noscript><div>X</div>", "<noscript><div><p>Please</noscript></div><p>X</p>",
        "<button>Menu<div>X</div>",
    ])
    func `text behind what hides it only for want of an end tag is counted`(markup: String) throws {
        let text = Self.text(700)
        let html = "<div id=\"root\"></div>" + markup.replacing("X", with: text) + Self.script
        let url = try #require(WebURL("https://shop.example/mug"))
        let facts = PageFacts(PageSource(url: url, bytes: Array(html.utf8), fetchedAt: .distantPast))
        #expect(facts.visibleText.bytes.count >= 700, "\(facts.visibleText.bytes.count)")
        #expect(RenderNeed(facts) == nil)
    }
}
