import PippinCrawl
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinRender

/// Screenshots of pages, without their scripts and with them.
@Suite(.rendersAlone, .serialized) struct ScreenshotTests {
    private static let page = """
        <!doctype html><title>App</title><link rel=stylesheet href=/a.css><div id=root>Loading</div><img src=/a.svg>
        <script src=/app.js></script>
        """
    private static let files: [String: (type: String, body: String)] = [
        "https://app.example/a.css": ("text/css", "body { background: #083; font: 40px sans-serif }"),
        "https://app.example/a.svg": (
            "image/svg+xml",
            "<svg xmlns='http://www.w3.org/2000/svg' width='200' height='200'><rect width='200' height='200' fill='red'/></svg>"
        ),
        "https://app.example/app.js": (
            "text/javascript",
            "fetch('/data').then(a => a.text()).then(t => setTimeout(() => root.textContent = t, 800))"
        ),
        "https://app.example/data": ("text/plain", "Made by scripts"),
    ]

    private func render(
        _ html: String, _ site: RenderedSite, takesScreenshots: Bool = true,
        _ settings: RenderSettings = TestBrowser.settings()
    ) async throws -> RenderedPage {
        let browser = Chromium(settings, takesScreenshots: takesScreenshots)
        let result = await browser.render(try RenderedSite.page(html), loading: site)
        await browser.shutdown()
        return try result.get()
    }

    private func isPicture(_ bytes: [UInt8]?) -> Bool {
        bytes?.starts(with: [0xFF, 0xD8, 0xFF]) == true && bytes?.count ?? 0 <= RenderedPage.Screenshots.maximumBytes
    }

    @Test func `a page is shown without its scripts and with them, and no file is asked for twice`() async throws {
        let site = RenderedSite(Self.files)
        let page = try await render(Self.page, site)
        let screenshots = try #require(page.screenshots)
        #expect(isPicture(screenshots.before) && isPicture(screenshots.after))
        #expect(screenshots.before != screenshots.after)
        #expect(site.requests.sorted() == Self.files.keys.sorted())
        // What is read is the same without them, and so is what is asked for then.
        let other = RenderedSite(Self.files)
        let read = try await render(Self.page, other, takesScreenshots: false)
        #expect(read.html == page.html && read.requests == page.requests && read.ending == page.ending)
        #expect(read.screenshots == nil)
        #expect(other.requests == ["https://app.example/app.js", "https://app.example/data"])
    }

    @Test func `styles and pictures are seen, and what may not be fetched is left out`() async throws {
        func after(without missing: String? = nil) async throws -> [UInt8] {
            let site = RenderedSite(Self.files) {
                $0.url.path == missing ? .failed(RequestFailure(.disallowed("line 2"), asking: $0.url)) : nil
            }
            let picture = try await render(Self.page, site).screenshots?.after
            #expect(isPicture(picture), "\(missing ?? "")")
            return try #require(picture)
        }
        let whole = try await after()
        #expect(try await after() == whole)
        let (unstyled, bare, raw) = (
            try await after(without: "/a.css"), try await after(without: "/a.svg"), try await after(without: "/app.js")
        )
        #expect(Set([whole, unstyled, bare, raw]).count == 4)
    }

    @Test func `a page that opens an app has its pictures all the same`() async throws {
        func after(_ script: String) async throws -> [UInt8]? {
            let html = """
                <!doctype html><p id=p></p><script>
                fetch("/data").then(a => a.text()).then(t => { p.innerHTML = t + "<img src=/a.svg>"; \(script) })
                </script>
                """
            return try await render(html, RenderedSite(Self.files)).screenshots?.after
        }
        let quiet = try await after("")
        #expect(isPicture(quiet))
        #expect(try await after("location = 'clownapp://acts/42'") == quiet)
    }

    @Test func `a page without scripts looks the same both times`() async throws {
        let page = try await render("<!doctype html><h1>Hello</h1><noscript>No scripts</noscript>", RenderedSite())
        let screenshots = try #require(page.screenshots)
        #expect(isPicture(screenshots.before))
        // But for what it shows only without scripts.
        #expect(screenshots.before != screenshots.after)
        let plain = try await render("<!doctype html><h1>Hello</h1>", RenderedSite()).screenshots
        #expect(plain?.before == plain?.after)
        #expect(plain?.after == screenshots.after)
    }

    @Test func `few pictures are asked for, and not for long`() async throws {
        let many = (0..<200).map { "<img src=/\($0).png>" }.joined()
        let site = RenderedSite()
        #expect(isPicture(try await render("<!doctype html><p>x</p>\(many)", site).screenshots?.after))
        #expect(site.requests.count <= 30)
        let slow = RenderedSite { request in
            do { try await Task.sleep(for: .seconds(3600)) } catch {
                return .failed(RequestFailure(.failed(.cancelled), asking: request.url))
            }
            return nil
        }
        let screenshots = try await render("<!doctype html><p>x</p><img src=/a.png>", slow).screenshots
        #expect(isPicture(screenshots?.after) && isPicture(screenshots?.before))
    }

    private static let hostile = [
        "for (;;);", "setTimeout(() => { for (;;); }, 1000)",
        "for (;;) { const d = document.createElement('div'); d.textContent = 'x'.repeat(1000); document.body.append(d) }",
        "(function paint() { document.body.style.background = '#' + Math.random(); requestAnimationFrame(paint) })()",
        "document.body.style.cssText = 'width:1000000px;height:1000000px;zoom:100;filter:blur(100px)'",
        "location = 'about:blank'", "setInterval(() => location.reload(), 1)",
        "document.body.innerHTML = '<canvas width=30000 height=30000></canvas>'.repeat(20)",
    ]

    @Test(arguments: hostile) func `a hostile page costs at most its picture`(_ script: String) async throws {
        let browser = Chromium(TestBrowser.settings(), takesScreenshots: true)
        let html = "<!doctype html><p>kept</p><script>\(script)</script>"
        let result = await browser.render(try RenderedSite.page(html), loading: RenderedSite())
        if case .success(let page) = result {
            for picture in [page.screenshots?.before, page.screenshots?.after].compactMap(\.self) {
                #expect(isPicture(picture))
            }
        }
        let next = await browser.render(try RenderedSite.page("<!doctype html><p>fine"), loading: RenderedSite())
        await browser.shutdown()
        #expect(isPicture(try next.get().screenshots?.after))
    }
}
