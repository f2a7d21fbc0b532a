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

    private static let navigation =
        "<nav>" + String(repeating: "<a href=/a>Section of the shop</a> ", count: 20) + "</nav>"
    private static let footer = "<footer><p>\(text(500))</p><a href=/legal>Legal</a><a href=/jobs>Jobs</a></footer>"
    private static let cookies = "<div class=cookie-bar><p>\(text(400))</p><button>Accept</button></div>"
    private static let dialog = "<div role=dialog aria-modal=true><h2>Your privacy</h2><p>\(text(900))</p></div>"
    private static let module = "<script type=module src=/assets/index.js></script>"

    /// What sites have around the empty element of their app.
    private static func framed(_ main: String, script: String = module) -> String {
        "<header><a href=/>Shop</a><form><input name=q></form></header>" + navigation + main + footer + cookies + dialog
            + script
    }

    @Test(arguments: [
        // Mounts beside navigation, footer, cookie texts.
        (framed("<div id=app></div>"), "#app"), (framed("<div id=root><noscript>No script?</noscript></div>"), "#root"),
        (framed("<main><div id=__nuxt></div></main>"), "#__nuxt"), (framed("<app-root></app-root>"), "app-root"),
        ("<div id=app><nav>\(text(300))</nav><main></main><footer>\(text(300))</footer></div>" + module, "#app"),
        (
            "<ul class=menu><li><a href=/1>\(text(200))</a></ul><div id=root></div><div class=site-footer>\(text(700))</div>"
                + module, "#root"
        ),
        ("<div id=root></div><p>We use cookies. \(text(300))</p><p>© 2026 Shop. \(text(300))</p>" + module, "#root"),
        // Mounts with placeholders in them.
        (framed("<div id=root><div class=splash><img src=/logo.svg alt=Shop><h1>Shop</h1></div></div>"), "#root"),
        (framed("<div id=root><div class=loader></div><p>Loading…</p></div>"), "#root"),
        (
            framed("<div id=__next><div class='MuiSkeleton-root'></div><div class='card-skeleton'>Title</div></div>"),
            "#__next"
        ),
        // Elements that only scripts define.
        (framed("<shop-app></shop-app>"), "shop-app"),
        (framed("<main><product-list></product-list></main>"), "product-list"),
        (framed("<h1>Mugs</h1><mug-wall><template><p>\(text(300))</p></template></mug-wall>"), "mug-wall"),
        // A place, and a program of the page.
        (framed("<h1>Mugs</h1><div id=products></div>"), "#products"),
        (framed("<h1>Mugs</h1><ul id=list></ul>", script: "<script>list.innerHTML = mugs()</script>"), "#list"),
    ])
    func `an empty element is found among what sites have around it`(body: String, name: String) throws {
        #expect(try Self.need(body)?.sign == .emptyMount(name))
    }

    @Test(arguments: [
        framed("<main aria-busy=true><h1>Mugs</h1></main>"),
        framed("<h1>Mugs</h1><div class='skeleton skeleton-text'></div>"),
        framed("<section class=grid><div class='animate-pulse'></div><div class='animate-pulse'></div></section>"),
        framed("<div class='product-card shimmer'><span>…</span></div>"),
        framed("<div class='placeholder-glow'><span class=placeholder></span></div>"),
    ])
    func `placeholders in the place of content give a shell away`(body: String) throws {
        #expect(try Self.need(body)?.sign == .showsPlaceholders)
    }

    @Test(arguments: [
        framed("<div class=spinner role=progressbar></div>"), framed("<p>Loading, please wait ...</p>"), framed(""),
        "<p>You need to enable JavaScript to run this app.</p>" + module,
    ])
    func `a page with nothing but a frame and a program is a shell`(body: String) throws {
        #expect(try Self.need(body)?.sign == .hardlyAnything)
    }

    private static let analytics = [
        "<script async src='https://www.googletagmanager.com/gtag/js?id=G-1'></script><script>window.dataLayer=window.dataLayer||[];"
            + "function gtag(){dataLayer.push(arguments);}gtag('js',new Date());gtag('config','G-1');</script>",
        "<script defer data-domain=shop.example src='https://plausible.io/js/script.js'></script>",
        "<script>var _paq=window._paq=window._paq||[];_paq.push(['trackPageView']);(function(){var u='//stats.example.org/';"
            + "_paq.push(['setTrackerUrl',u+'matomo.php']);var d=document,g=d.createElement('script'),"
            + "s=d.getElementsByTagName('script')[0];g.async=true;g.src=u+'matomo.js';s.parentNode.insertBefore(g,s);})();</script>",
        "<script src=/matomo/matomo.js async></script>",
        "<script>(function(w,d,s,l,i){w[l]=w[l]||[];var f=d.getElementsByTagName(s)[0],j=d.createElement(s);j.async=true;"
            + "j.src='https://www.googletagmanager.com/gtm.js?id='+i;f.parentNode.insertBefore(j,f);})(window,document,'script',"
            + "'dataLayer','GTM-1');</script><noscript><iframe src='https://www.googletagmanager.com/ns.html' height=0 width=0>"
            + "</iframe></noscript>",
    ]

    @Test(
        arguments: [
            "<h1>Contact</h1><p>Mug Street 1, Mugtown. <a href='tel:+15550100'>Call us</a></p>",
            "<h1>Contact</h1><p><a href='mailto:mugs@shop.example'>mugs@shop.example</a></p>",
            "<h1>Write to us</h1><form><input name=mail><textarea name=text></textarea></form>",
            "<h1>404</h1><p>Page not found. <a href=/>Home</a></p>", "<h1>Page not found</h1>",
            "<img src=/mug.jpg alt='A mug'>", "<figure><img src=/mug.jpg><figcaption>A mug</figcaption></figure>",
            "<div class=wrap><p>We are closed until Monday.</p><div class=clear></div></div>",
            "<video src=/mug.mp4></video>", "<iframe src='https://video.example/mug' width=600 height=400></iframe>",
        ], analytics)
    func `a short page with analytics can be read as it is`(body: String, script: String) throws {
        #expect(try Self.need(body + script) == nil)
        #expect(try Self.need(body, head: script) == nil)
        #expect(
            try Self.need(Self.navigation + "<main>" + body + "</main>" + Self.footer + Self.cookies + script) == nil)
    }

    @Test(arguments: [
        // The server made it, whatever stands beside.
        framed("<div id=root><h1>Mugs</h1><p>Fine mugs.</p></div>"),
        framed("<main>\(text(700))</main><div id=app></div>"),
        framed("<div id=root><img src=/mug.jpg><p>A mug</p></div>"), framed("<shop-app><p>\(text(300))</p></shop-app>"),
        framed(
            "<main><h1>Mugs</h1><p>\(text(300))</p><cookie-banner></cookie-banner><chat-bubble></chat-bubble></main>"),
        framed("<article>\(text(400))</article><aside><div class=skeleton></div></aside>"),
        framed("<div class=skeleton-page><p>\(text(800))</p></div>"),
        "<div class=page-header-navigation><h1>Mugs</h1><p>\(text(900))</p></div>" + module,
        framed(String(repeating: "<p><a href=/m>A mug of mugs</a></p>", count: 8)),
        // The noscript of a form, and of comments, is none of the page.
        framed("<h1>Contact</h1><form><input name=a><noscript>Please enable JavaScript.</noscript></form>"),
        "<article><h1>Mugs</h1><p>\(text(300))</p><noscript>Enable JavaScript to see comments.</noscript></article>"
            + module,
    ])
    func `a page that says something can be read as it is`(body: String) throws {
        #expect(try Self.need(body) == nil)
    }

    @Test(arguments: [
        String(repeating: "<div id=root class='skeleton nav'>", count: 20_000),
        String(repeating: "<x-a aria-busy=true id=app>", count: 20_000),
        String(repeating: "<header class=cookie><main>", count: 20_000),
        String(repeating: "<noscript>javascript</noscript><div id=app>Loading…</div>", count: 10_000),
        String(repeating: "<p class=skeleton>a</p><!-- --><nav>b</nav>", count: 2_000),
    ])
    func `hostile nesting is judged in one walk`(body: String) throws {
        _ = try Self.need(body + Self.script)
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
        #expect(try Self.need("<p>Mugs.</p>" + Self.script)?.sign == .hardlyAnything)
        #expect(try Self.need("<p>Here are all our mugs.</p>" + Self.script) == nil)
        let place = "<div id=\"mugs\"></div>"
        #expect(try Self.need("<p>\(Self.text(149))</p>" + place + Self.script)?.sign == .emptyMount("#mugs"))
        #expect(try Self.need("<p>\(Self.text(150))</p>" + place + Self.script) == nil)
        let links = String(repeating: "<a href=\"/x\">x</a>", count: 5)
        #expect(try Self.need(links + Self.script) == nil)
    }

    @Test func `characters are counted, not bytes`() throws {
        let text = String(repeating: "茶", count: 149)
        let place = "<div id=\"mugs\"></div>" + Self.script
        #expect(try Self.need("<p>\(text)</p>" + place)?.characters == 149)
        #expect(try Self.need("<p>\(text)茶</p>" + place) == nil)
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
