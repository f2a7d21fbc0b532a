import Foundation
import PippinCrawl
import PippinPage
import PippinRender
import PippinTestSupport
import Synchronization
import Testing

/// What the browser makes of ordinary pages. The pages are answered from memory: nothing here has a network.
@Suite(.rendersAlone, .serialized) struct PageRendererTests {
    private static let app = """
        <!doctype html><html><head><title>App</title></head><body><div id="root"></div>
        <noscript>You need JavaScript.</noscript><script src="/app.js"></script></body></html>
        """

    @Test func `a page shows what its scripts fetch, however late`() async throws {
        let site = RenderedSite([
            "https://app.example/app.js": (
                "text/javascript",
                """
                setTimeout(async () => {
                  const answer = await (await fetch("/data.json")).json();
                  document.title = answer.title;
                  document.getElementById("root").innerHTML = "<h1>" + answer.title + "</h1><a href='/other'>Other</a>";
                }, 800)
                """
            ),
            "https://app.example/data.json": ("application/json", #"{"title":"Clowns & co"}"#),
        ])
        let page = try await TestBrowser.render(Self.app, site)
        let text = TestBrowser.text(page)
        #expect(text.contains("<title>Clowns &amp; co</title>"), "\(text)")
        #expect(text.contains("<h1>Clowns &amp; co</h1>"))
        #expect(!text.contains("You need JavaScript"))
        #expect(page.ending == .settled)
        #expect(site.requests == ["https://app.example/app.js", "https://app.example/data.json"])
        #expect(page.requests.map(\.kind) == [.script, .data])
    }

    @Test func `a slow server changes nothing, and neither does a second rendering`() async throws {
        let html = """
            <!doctype html><div id=root></div><script>
            const start = Date.now();
            const late = new Promise((_, fail) => setTimeout(() => fail("late"), 1500));
            Promise.race([late, fetch("/data").then(a => a.text())])
              .then(t => root.textContent = t + " " + start + " " + Date.now() + " " + Math.random(), e => root.textContent = e)
            </script>
            """
        let quick = RenderedSite(["https://app.example/data": ("text/plain", "whole")])
        let slow = RenderedSite { request in
            do { try await Task.sleep(for: .seconds(3)) } catch {
                return .failed(RequestFailure(.failed(.cancelled), asking: request.url))
            }
            return .response(RenderedSite.response(request.url, 200, "text/plain", "whole"), isKept: false)
        }
        let pages = try await TestBrowser.with { browser in
            var pages: [String] = []
            for site in [quick, quick, quick, quick, quick, slow] {
                pages.append(TestBrowser.text(try await browser.render(RenderedSite.page(html), loading: site).get()))
            }
            return pages
        }
        #expect(pages[0].contains("whole 1790000000000 "), "\(pages[0])")
        #expect(Set(pages).count == 1, "\(pages)")
    }

    @Test func `a page that asks again and again comes to its end`() async throws {
        let page = try await TestBrowser.render(
            """
            <!doctype html><p id=said></p><script>
            let count = 0
            setInterval(() => fetch("/news?" + count++).finally(() => said.textContent = "asked"), 50)
            </script>
            """)
        // What it shows is not all that it wanted to show.
        #expect(page.ending == .limited)
        #expect(page.refusedByLimits > 0)
        #expect(TestBrowser.text(page).contains("asked"))
        #expect(page.refusals.contains("too_many"))
    }

    @Test func `shadow trees stand where browsers show them, also closed ones`() async throws {
        let page = try await TestBrowser.render(
            """
            <!doctype html><x-open><b>light</b></x-open><x-closed></x-closed><script>
            customElements.define("x-open", class extends HTMLElement { connectedCallback() {
              this.attachShadow({ mode: "open" }).innerHTML = "<p>before</p><slot></slot><slot name=none>fallback</slot>" } });
            customElements.define("x-closed", class extends HTMLElement { connectedCallback() {
              this.attachShadow({ mode: "closed" }).innerHTML = "<p>closed</p>" } });
            </script><template><p>never shown</p></template>
            """)
        let text = TestBrowser.text(page)
        #expect(text.contains("<x-open><p>before</p><b>light</b>fallback</x-open>"), "\(text)")
        #expect(text.contains("<x-closed><p>closed</p></x-closed>"))
        #expect(!text.contains("never shown</p></template>"))
    }

    @Test func `what loads when it becomes visible is loaded`() async throws {
        let page = try await TestBrowser.render(
            """
            <!doctype html><div style="height:3500px"></div><p id=lazy></p><script>
            new IntersectionObserver(e => { if (e[0].isIntersecting) lazy.textContent = "was seen" }).observe(lazy)
            </script>
            """)
        #expect(TestBrowser.text(page).contains("was seen"))
    }

    @Test func `ways into apps are noted and not followed`() async throws {
        let page = try await TestBrowser.render(
            """
            <!doctype html><div id=root>stays</div><script>
            setTimeout(() => location = "clownapp://shows/1", 100);
            setTimeout(() => location.href = "intent://shows/2#Intent;scheme=clown;package=org.example.clown;end", 300);
            setTimeout(() => location = "https://apps.apple.com/app/id123456789", 500);
            setTimeout(() => root.textContent += " here", 700);
            </script>
            """)
        #expect(
            page.navigations == [
                "clownapp://shows/1", "intent://shows/2#Intent;scheme=clown;package=org.example.clown;end",
                "https://apps.apple.com/app/id123456789",
            ])
        #expect(TestBrowser.text(page).contains("stays here"))
    }

    private static let leaving = [
        "location = 'clownapp://shows/1'", "location.replace('clownapp://shows/1')",
        "open('clownapp://shows/1', '_self')",
        "const a = document.createElement('a'); a.href = 'clownapp://shows/1'; a.click()",
        "const i = document.createElement('iframe'); i.src = 'clownapp://shows/1'; document.documentElement.append(i)",
        "document.write('<meta http-equiv=refresh content=\"0;url=clownapp://shows/1\">')",
        "addEventListener('navigate', (e) => e.stopImmediatePropagation(), true); location = 'clownapp://shows/1'",
    ]

    @Test(arguments: leaving) func `a page that leaves for an app while it loads keeps what it loads`(
        _ script: String
    ) async throws {
        let site = RenderedSite { request in
            // Ends with the page.
            try? await Task.sleep(for: .milliseconds(300))
            return .response(RenderedSite.response(request.url, 200, "text/plain", "loaded"), isKept: false)
        }
        let page = try await TestBrowser.render(
            """
            <!doctype html><p id=p></p><script>
            fetch("/data").then(a => a.text()).then(t => p.textContent = t, e => p.textContent = e); \(script)
            </script><p>the rest</p>
            """, site)
        #expect(TestBrowser.text(page).contains("<p id=\"p\">loaded</p>"))
        #expect(TestBrowser.text(page).contains("<p>the rest</p>"))
        #expect(page.navigations == ["clownapp://shows/1"])
        #expect(page.ending == .settled)
    }

    @Test func `a forbidden script is not there, and the rest of the page is`() async throws {
        let site = RenderedSite(["https://app.example/good.js": ("text/javascript", "root.textContent = 'good'")]) {
            $0.url.path == "/bad.js"
                ? .failed(RequestFailure(.disallowed("line 2 says Disallow: /bad.js"), asking: $0.url)) : nil
        }
        let page = try await TestBrowser.render(
            "<!doctype html><div id=root></div><script src=/bad.js></script><script src=/good.js></script>", site)
        #expect(TestBrowser.text(page).contains("<div id=\"root\">good</div>"))
        #expect(page.requests.map(\.url).contains("https://app.example/bad.js"))
        #expect(page.refusals == ["disallowed"])
    }

    @Test func `redirects of scripts come back as requests`() async throws {
        let site = RenderedSite(["https://cdn.example/new.js": ("text/javascript", "root.textContent = 'moved'")]) {
            $0.url.path == "/old.js"
                ? .response(
                    RenderedSite.response($0.url, 302, fields: [("Location", "https://cdn.example/new.js")]),
                    isKept: false) : nil
        }
        let page = try await TestBrowser.render(
            "<!doctype html><div id=root></div><script src=/old.js></script>", site)
        #expect(site.requests == ["https://app.example/old.js", "https://cdn.example/new.js"])
        #expect(TestBrowser.text(page).contains("moved"))
    }

    @Test func `only GET is asked, and only what adds text`() async throws {
        let site = RenderedSite()
        let page = try await TestBrowser.render(
            """
            <!doctype html><link rel=stylesheet href=/a.css><img src=/a.png><iframe src=https://other.test/></iframe>
            <video src=/a.mp4></video><link rel=prefetch href=/p.js><link rel=manifest href=/m.json><script>
            fetch("/post", { method: "POST", body: "x" }).catch(() => {}); navigator.sendBeacon("/beacon", "x");
            new EventSource("/events"); fetch("/get")
            </script>
            """, site)
        #expect(site.requests == ["https://app.example/get"])
        #expect(page.refusals == ["method"])
    }

    @Test func `a request to another origin says whose it is, and CORS holds`() async throws {
        let origins = Mutex<[String?]>([])
        let site = RenderedSite { request in
            origins.withLock { $0.append(request.origin) }
            let allows = request.url.path == "/open"
            return .response(
                RenderedSite.response(
                    request.url, 200, "text/plain", request.url.path,
                    fields: allows ? [("Access-Control-Allow-Origin", "https://app.example")] : []), isKept: false)
        }
        let page = try await TestBrowser.render(
            """
            <!doctype html><p id=a></p><p id=b></p><script>
            fetch("https://api.example/open", { headers: { "X-Key": "1" } }).then(r => r.text()).then(t => a.textContent = t);
            fetch("https://api.example/closed").then(r => r.text()).then(t => b.textContent = t, () => b.textContent = "blocked")
            </script>
            """, site)
        let text = TestBrowser.text(page)
        #expect(text.contains("<p id=\"a\">/open</p><p id=\"b\">blocked</p>"), "\(text)")
        #expect(origins.withLock { Set($0) } == ["https://app.example"])
    }

    @Test func `a page whose address changes keeps what its links mean`() async throws {
        let page = try await TestBrowser.render(
            "<!doctype html><head></head><a href=x>X</a><script>history.pushState(0, '', '/deep/place')</script>")
        #expect(TestBrowser.text(page).contains("<base href=\"https://app.example/deep/place\">"))
    }

    @Test func `the flattened page reads like the page`() async throws {
        let page = try await TestBrowser.render(
            """
            <!doctype html><head><script type="application/ld+json">{"a":"<b> & </b>"}</script></head><body>
            <pre>

            two</pre><p title='"&lt;'>a &lt; b &amp; c&nbsp;d</p><svg viewBox="0 0 1 1"><foreignObject></foreignObject></svg>
            <textarea>t</textarea><br><input value=1>
            """)
        let text = TestBrowser.text(page)
        #expect(
            text.hasPrefix(
                "<!DOCTYPE html><html><head><script type=\"application/ld+json\">{\"a\":\"<b> & </b>\"}</script>"))
        #expect(text.contains("<pre>\n\ntwo</pre><p title=\"&quot;<\">a &lt; b &amp; c&nbsp;d</p>"), "\(text)")
        #expect(text.contains("<svg viewBox=\"0 0 1 1\"><foreignObject></foreignObject></svg>"))
        #expect(text.contains("<br><input value=\"1\">"))
    }

    // MARK: The page's own document

    private static let replacing = [
        "location = 'about:blank'", "location.replace('about:blank')", "open('about:blank', '_self')",
        "location = URL.createObjectURL(new Blob(['<p>blob'], { type: 'text/html' }))",
        "location = 'data:text/html,<p>data'", "location = 'javascript:\"<p>script\"'",
        "setTimeout(() => location = 'about:blank', 1000)", "document.location.href = 'about:srcdoc'",
        "history.go(-1); history.back()", "navigation.navigate('about:blank')",
    ]

    @Test(arguments: replacing) func `no other document takes the page's place`(_ script: String) async throws {
        let page = try RenderedSite.page("<!doctype html><p>kept</p><script>\(script)</script>")
        let result = try await TestBrowser.with { await $0.render(page, loading: RenderedSite()) }
        switch result {
        case .success(let page):
            #expect(TestBrowser.text(page).contains("<p>kept</p>") || script.contains("javascript:"))
        case .failure(let failure): #expect(failure == .replaced)
        }
    }

    private static let fields = [
        ("X-Foo[1]", "1"), ("X Foo", "1"), ("X-Föö", "1"), ("X-Latin", "caf\u{E9}"), ("X-Empty", ""), ("(x)", "y"),
        ("X-Frame-Options", "DENY"), ("Content-Security-Policy", "default-src 'self' 'unsafe-inline'"),
        ("Content-Disposition", "attachment"), ("Refresh", "0;url=/other"), ("Content-Encoding", "br"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Content-Length", "1"),
    ]

    @Test(arguments: fields) func `no field of the answer keeps the page from being shown`(
        _ name: String, _ value: String
    ) async throws {
        let page = try RenderedSite.page(
            "<!doctype html><p id=p></p><script>p.textContent = 'made'</script>", fields: [(name, value)])
        let result = try await TestBrowser.with { try await $0.render(page, loading: RenderedSite()).get() }
        #expect(TestBrowser.text(result).contains("<p id=\"p\">made</p>"))
    }

    private static let names = [
        "attributes", "childNodes", "nodeType", "namespaceURI", "localName", "shadowRoot", "parentNode", "getRootNode",
        "ownerDocument", "baseURI", "documentElement", "doctype", "querySelector", "body", "children", "firstChild",
        "textContent", "innerHTML", "contentDocument", "constructor", "toString",
    ]

    @Test(arguments: names) func `elements named like properties hide nothing`(_ name: String) async throws {
        let page = try await TestBrowser.render(
            """
            <!doctype html><form><input name=\(name)><p id=p>content</p></form><img name=\(name)><form name=\(name)></form>
            <script>p.append(" made")</script><p>after
            """)
        let text = TestBrowser.text(page)
        #expect(text.contains("<form><input name=\"\(name)\"><p id=\"p\">content made</p></form>"), "\(text)")
        #expect(text.contains("<p>after"))
        #expect(page.ending == .settled)
    }

    @Test func `where scripts go at once is a redirect, and what opens otherwise is none`() async throws {
        func redirect(_ script: String) async throws -> String? {
            try await TestBrowser.render("<!doctype html><p>x</p><script>\(script)</script>").redirect?.href
        }
        #expect(try await redirect("location = '/new'") == "https://app.example/new")
        #expect(
            try await redirect("setTimeout(() => location.replace('https://b.example/'), 2000)") == "https://b.example/"
        )
        #expect(try await redirect("location.reload()") == nil)
        #expect(try await redirect("open('/popup')") == nil)
        #expect(try await redirect("location.hash = '#x'; history.pushState(0, '', '/state')") == nil)
        #expect(try await redirect("location = 'clownapp://x'; ") == nil)
    }

    @Test func `frames that the page may read stand in it`() async throws {
        let page = try await TestBrowser.render(
            """
            <!doctype html><iframe id=f srcdoc="<base href=/deep/><h2>Framed</h2><a href=x>X</a><script>document.body.append('made')</script>">
            </iframe><iframe src=https://other.example/></iframe><p>after
            """)
        let text = TestBrowser.text(page)
        #expect(
            text.contains(
                "<div id=\"f\"><div><h2>Framed</h2><a href=\"https://app.example/deep/x\">X</a>made</div></div>"),
            "\(text)")
    }

    // MARK: What apps need

    @Test func `a request that may change something is answered with a status`() async throws {
        let site = RenderedSite()
        let page = try await TestBrowser.render(
            """
            <!doctype html><p id=a></p><p id=b></p><p id=c></p><script>
            fetch("/graphql", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"query":"mutation { x }"}' })
              .then(async r => a.textContent = r.status + " " + JSON.stringify(await r.json()), () => a.textContent = "lost");
            fetch("https://api.example/x", { method: "DELETE" }).then(r => b.textContent = r.status, () => b.textContent = "lost");
            const x = new XMLHttpRequest(); x.open("PUT", "/put"); x.onload = () => c.textContent = x.status; x.send("x");
            </script>
            """, site)
        let text = TestBrowser.text(page)
        #expect(text.contains("<p id=\"a\">405 {\"errors\":[{\"message\":\"Method Not Allowed\"}]}</p>"), "\(text)")
        #expect(text.contains("<p id=\"b\">405</p><p id=\"c\">405</p>"), "\(text)")
        #expect(site.requests.isEmpty)
        #expect(page.refusals == ["method", "method", "method"])
        #expect(page.ending == .settled)
    }

    @Test func `HEAD gets the fields of the answer to GET`() async throws {
        let site = RenderedSite(["https://app.example/data.json": ("application/json", "{}")])
        let page = try await TestBrowser.render(
            """
            <!doctype html><p id=p></p><script>
            fetch("/data.json", { method: "HEAD" }).then(async r =>
              p.textContent = r.status + r.headers.get("content-type") + (await r.text()).length)
            </script>
            """, site)
        #expect(TestBrowser.text(page).contains("<p id=\"p\">200application/json0</p>"))
    }

    @Test func `pictures tell that they have loaded`() async throws {
        let page = try await TestBrowser.render(
            """
            <!doctype html><img id=i src=/a.png><p id=a></p><p id=b></p><p id=c></p><script>
            i.onload = () => a.textContent = "loaded"; i.onerror = () => a.textContent = "failed";
            const j = new Image(); j.src = "https://cdn.example/b.jpg"; j.decode().then(() => b.textContent = "decoded");
            const k = new Image(); k.onerror = () => c.textContent = "failed"; k.src = "data:image/png;base64,AAAA";
            </script>
            """)
        #expect(TestBrowser.text(page).contains("<p id=\"a\">loaded</p><p id=\"b\">decoded</p><p id=\"c\">failed</p>"))
    }

    @Test func `timers of up to ten seconds run`() async throws {
        let page = try await TestBrowser.render(
            "<!doctype html><p id=p></p><script>for (const s of [1, 4, 7, 9.5]) setTimeout(() => p.append(s + ' '), s * 1000)</script>"
        )
        #expect(TestBrowser.text(page).contains("<p id=\"p\">1 4 7 9.5 </p>"))
    }

    // MARK: Errors

    @Test func `what scripts say went wrong is kept, with its place`() async throws {
        let site = RenderedSite(["https://app.example/app.js": ("text/javascript", "\n  nothing.at.all")])
        let page = try await TestBrowser.render(
            """
            <!doctype html><p id=p></p><script>
            console.error("%s is %cbad%c", "this", "color:red", "", { a: 1 }, 7, new TypeError("inner"));
            console.log("no error"); console.warn("none either");
            Promise.reject(new RangeError("rejected"));
            setInterval(() => { throw "thrown\\u001b[31m\\n\\u202ered" }, 1000);
            p.textContent = console.error + " " + console.error.name;
            </script><script src=/app.js></script>
            """, site)
        #expect(
            Set(page.errors) == [
                RenderedPage.ScriptError(
                    kind: .console, text: "this is bad [object Object] 7 TypeError: inner"),
                RenderedPage.ScriptError(kind: .rejection, text: "RangeError: rejected"),
                RenderedPage.ScriptError(
                    kind: .exception, text: "ReferenceError: nothing is not defined",
                    place: "https://app.example/app.js:2:3"),
                RenderedPage.ScriptError(
                    kind: .exception, text: "Uncaught thrown [31m red", place: "https://app.example/:5:21",
                    count: page.errors.last?.count ?? 0),
            ], "\(page.errors)")
        #expect((5...30).contains(page.errors.last?.count ?? 0))
        #expect(page.errorCount == page.errors.reduce(0) { $0 + $1.count })
        #expect(TestBrowser.text(page).contains("function () { [native code] } error"))
    }

    @Test(arguments: [false, true]) func `WebAssembly runs where it is allowed`(_ isAllowed: Bool) async throws {
        let page = try await TestBrowser.render(
            """
            <!doctype html><p id=p></p><script>
            try { new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); p.textContent = "runs" }
            catch { p.textContent = "none" }
            </script>
            """, RenderedSite(), TestBrowser.settings { $0.webAssembly = isAllowed })
        #expect(TestBrowser.text(page).contains("<p id=\"p\">\(isAllowed ? "runs" : "none")</p>"))
    }
}
