import PippinCrawl
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinRender

/// What of the frames in a page stands in its HTML.
@Suite(.rendersAlone, .serialized) struct PageFrameTests {
    private static func framed(_ html: String, _ fields: [(String, String)] = []) -> RenderedSite {
        RenderedSite { request in
            guard request.kind == .frame else { return nil }
            return .response(RenderedSite.response(request.url, 200, "text/html", html, fields: fields), isKept: false)
        }
    }

    @Test func `a frame of another origin of the site stands in the page, as its scripts make it`() async throws {
        let site = RenderedSite([
            "https://shop.app.example/frame": (
                "text/html",
                """
                <!doctype html><title>T</title><base href="/deep/"><h2>Framed</h2><a href=x>X</a><p id=p></p>
                <script src="/made.js"></script><script type="application/ld+json">{}</script>
                """
            ),
            "https://shop.app.example/made.js": (
                "text/javascript", "fetch('data').then(r => r.text()).then(t => p.textContent = t)"
            ),
            "https://shop.app.example/deep/data": ("text/plain", "made"),
        ])
        let page = try await TestBrowser.render(
            "<!doctype html><p>before</p><iframe id=f src=https://shop.app.example/frame></iframe><p>after", site)
        let text = TestBrowser.text(page)
        #expect(
            text.contains(
                "<div id=\"f\" src=\"https://shop.app.example/frame\"><div><h2>Framed</h2><a href=\"https://shop.app.example/deep/x\">X</a><p id=\"p\">made</p>"
            ), "\(text)")
        #expect(!text.contains("ld+json") && !text.contains("<title>T") && text.contains("</div></div><p>after"))
        #expect(page.ending == .settled)
        #expect(page.requests.map(\.kind) == [.frame, .script, .data])
    }

    @Test func `frames of other sites are not asked for`() async throws {
        let site = Self.framed("<p>framed")
        let page = try await TestBrowser.render(
            """
            <!doctype html><iframe src=https://other.test/></iframe><iframe src=https://app.example.test/></iframe>
            <iframe src="https://shop.app.example/moved"></iframe><script>
            const late = document.createElement("iframe"); late.src = "/own"; document.body.append(late);
            late.onload = () => { if (!late.done) { late.done = true; late.contentWindow.location = "https://other.test/late" } };
            </script>
            """,
            RenderedSite { request in
                request.url.path == "/moved"
                    ? .response(
                        RenderedSite.response(request.url, 302, fields: [("Location", "https://other.test/")]),
                        isKept: false)
                    : await site.load(request)
            })
        #expect(!TestBrowser.text(page).contains("framed"), "\(TestBrowser.text(page))")
        #expect(site.requests == ["https://app.example/own"])
    }

    /// Documents that a frame does not show, and one that it does.
    private static let documents: [(html: String, fields: [(String, String)], isShown: Bool)] = [
        ("<p>framed", [], true),
        ("<meta name=robots content=noindex><p>framed", [], false),
        ("<p>framed", [("X-Robots-Tag", "noindex")], false), ("<p>framed", [("X-Robots-Tag", "none")], false),
        ("<meta name=robots content='noindex, indexifembedded'><p>framed", [], true),
        ("<p>framed", [("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "indexifembedded")], true),
        ("<p>framed", [("X-Frame-Options", "DENY")], false),
        ("<p>framed", [("Content-Security-Policy", "frame-ancestors 'self'")], false),
        ("<p>framed", [("Content-Security-Policy", "frame-ancestors https://app.example")], true),
        ("<p>framed", [("Content-Disposition", "attachment"), ("Refresh", "0;url=/x")], true),
    ]

    @Test(arguments: documents.indices) func `a frame's document decides whether it is shown`(_ index: Int) async throws
    {
        let (html, fields, isShown) = Self.documents[index]
        let page = try await TestBrowser.render(
            "<!doctype html><iframe src=https://shop.app.example/></iframe>", Self.framed(html, fields))
        #expect(TestBrowser.text(page).contains("framed") == isShown, "\(html) \(fields)")
        #expect(page.ending == .settled)
    }

    @Test func `frames in frames, sandboxed ones and those that scripts write are read`() async throws {
        let site = RenderedSite([
            "https://a.app.example/": ("text/html", "<p>one</p><iframe src=https://b.app.example/></iframe>"),
            "https://b.app.example/": ("text/html", "<p>two</p><iframe src=https://c.app.example/></iframe>"),
            "https://c.app.example/": ("text/html", "<p>three</p><iframe src=https://d.app.example/></iframe>"),
            "https://d.app.example/": ("text/html", "<p>four</p>"),
        ])
        let page = try await TestBrowser.render(
            """
            <!doctype html><iframe src=https://a.app.example/></iframe><iframe sandbox srcdoc="<p>sand</p>"></iframe>
            <iframe srcdoc="<iframe src=https://d.app.example/></iframe>"></iframe><iframe id=w></iframe>
            <x-y></x-y><script>
            w.contentDocument.write("<p>written");
            customElements.define("x-y", class extends HTMLElement { connectedCallback() {
              this.attachShadow({ mode: "closed" }).innerHTML = "<iframe srcdoc='<p>shadow'></iframe>" } });
            </script>
            """, site)
        let text = TestBrowser.text(page)
        for word in ["one", "two", "three", "sand", "four", "written", "shadow"] {
            #expect(text.contains("<p>\(word)</p>"), "\(word): \(text)")
        }
        #expect(text.components(separatedBy: "<p>four").count == 2)
    }

    @Test func `frames have limits of number and size, and cost the page nothing`() async throws {
        let site = RenderedSite { request in
            let html = "<p>framed \(request.url.path)</p>" + String(repeating: "<b>x</b>", count: 8_000)
            return .response(RenderedSite.response(request.url, 200, "text/html", html), isKept: false)
        }
        let page = try await TestBrowser.render(
            "<!doctype html><div id=all></div><p>after</p><script>for (let i = 0; i < 30; i++) all.innerHTML += `<iframe src=https://s.app.example/${i}></iframe>`</script>",
            site)
        #expect(page.ending == .settled)
        #expect(site.requests.count <= PageFrames.maximumDocuments)
        #expect(TestBrowser.text(page).contains("<p>after</p>"))
        #expect(page.html.count < 3_000_000)
    }

    @Test func `a frame that loops ends like a page that loops`() async throws {
        let page = try await TestBrowser.render(
            "<!doctype html><p>kept</p><iframe src=https://s.app.example/></iframe>",
            Self.framed("<p>framed</p><script>for (;;) {}</script>"))
        #expect(page.ending == .stalled)
        #expect(TestBrowser.text(page).contains("<p>kept</p>"))
    }
}
