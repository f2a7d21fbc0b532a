import Foundation
import Glibc
import PippinCrawl
import PippinPage
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinRender

/// Pages that want to harm the reader. Each ends in seconds, alone, and the next page is fine.
@Suite(.rendersAlone, .serialized) struct HostilePageTests {
    /// A page that does something, after it has said `kept`.
    private static func page(_ script: String) -> String {
        "<!doctype html><div id=root>kept</div><script>\(script)</script>"
    }

    /// Renders a page, then an ordinary one in the same browser.
    private func render(
        _ html: String, _ settings: RenderSettings = TestBrowser.settings(), _ site: RenderedSite = RenderedSite()
    ) async throws -> (Result<RenderedPage, RenderFailure>, time: Duration, megabytes: Int) {
        try await TestBrowser.with(settings) { browser in
            let start = ContinuousClock.now
            let watch = Task { await Self.mostMemory(of: browser) }
            let result = await browser.render(try RenderedSite.page(html), loading: site)
            watch.cancel()
            let (time, megabytes) = (ContinuousClock.now - start, await watch.value)
            let next = try await browser.render(
                RenderedSite.page("<!doctype html><p id=p></p><script>p.textContent = 'fine'</script>"), loading: site
            ).get()
            #expect(TestBrowser.text(next).contains("<p id=\"p\">fine</p>"))
            return (result, time, megabytes)
        }
    }

    /// The most memory that the browser's processes have together, without files and what they share, in megabytes. Ends when its
    /// task is cancelled.
    private static func mostMemory(of browser: Chromium) async -> Int {
        var most = 0
        while !Task.isCancelled {
            if let process = await browser.processID {
                most = max(most, processes(below: process).map(kilobytes).reduce(0, +) / 1024)
            }
            // Ends with the task.
            try? await Task.sleep(for: .milliseconds(20))
        }
        return most
    }

    private static func processes(below process: Int32) -> [Int32] {
        let children = (try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)) ?? ""
        return [process] + children.split(separator: " ").compactMap { Int32($0) }.flatMap(processes)
    }

    private static func kilobytes(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let lines = status.split(separator: "\n").filter { $0.hasPrefix("RssAnon:") || $0.hasPrefix("RssShmem:") }
        return lines.compactMap { $0.split(whereSeparator: { !$0.isNumber }).last.flatMap { Int($0) } }.reduce(0, +)
    }

    private static let loops = [
        "for (;;);",
        "(function again() { Promise.resolve().then(again) })()",
        "const m = new MessageChannel(); m.port1.onmessage = () => m.port2.postMessage(0); m.port2.postMessage(0); for (;;);",
        "setTimeout(() => { for (;;); }, 1000)",
        "for (;;) { alert(1); confirm(2); prompt(3) }",
        "/(a+)+$/.test('a'.repeat(60) + 'b')",
    ]

    @Test(arguments: loops) func `a page that computes without end keeps what it had`(_ script: String) async throws {
        let (result, time, _) = try await render(Self.page(script))
        let page = try result.get()
        #expect(TestBrowser.text(page).contains("kept"))
        #expect(page.ending == .stalled)
        #expect(time < .seconds(60))
    }

    private static let bombs = [
        "for (let i = 0; i < 50; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
        "const a = []; for (;;) a.push({ a: a.length, b: [a.length] })",
        """
        for (let i = 0; i < 200; i++) {
          const c = document.createElement('canvas'); c.width = c.height = 4000
          c.getContext('2d').fillRect(0, 0, 4000, 4000); document.body.append(c)
        }
        """,
        """
        const o = indexedDB.open('x')
        o.onupgradeneeded = () => o.result.createObjectStore('x')
        o.onsuccess = () => {
          for (let i = 0; i < 50; i++) o.result.transaction('x', 'readwrite').objectStore('x').put('x'.repeat(1e7), i)
        }
        """,
        "for (;;) { const d = document.createElement('div'); d.textContent = 'x'.repeat(1000); document.body.append(d) }",
        "const a = []; for (;;) { const b = new Uint8Array(50000000); b.fill(1); a.push(b) }",
        "let s = 'x'; const a = []; for (;;) { s += s; a.push(s.slice(1) + Math.random()) }",
        "for (;;) { const i = document.createElement('iframe'); i.srcdoc = '<p>x</p>'; document.body.append(i) }",
    ]

    @Test(arguments: bombs) func `a page that takes memory without end harms nobody else`(_ script: String) async throws
    {
        let (result, time, megabytes) = try await render(Self.page(script))
        // What processes share counts twice here.
        #expect((20...750).contains(megabytes))
        switch result {
        // An engine that refuses the memory leaves the page as it is.
        case .success(let page): #expect(TestBrowser.text(page).contains("kept"))
        case .failure(let failure): #expect([.pageCrashed, .hung, .browserEnded].contains(failure), "\(failure)")
        }
        #expect(time < .seconds(60))
    }

    private static let floods = [
        "for (let i = 0; i < 1000; i++) { alert(1); confirm(2); prompt(3) }",
        "for (let i = 0; i < 100000; i++) console.log('line ' + i, { a: [1, 2, 3] })",
        "for (let i = 0; i < 100; i++) open('https://other.example/' + i)",
        "setInterval(() => location.reload(), 1); setInterval(() => location = '/x' + Math.random(), 10)",
        "const a = document.createElement('a'); a.href = '/big.bin'; a.download = ''; a.click(); location = '/file.zip'",
        "onbeforeunload = () => 'stay'; print(); document.write('<p>again'); history.go(0)",
        "for (let i = 0; i < 5000; i++) history.pushState(i, '', '/p' + i)",
        "navigator.serviceWorker && navigator.serviceWorker.register('/sw.js').catch(() => {}); new SharedWorker('/w.js')",
    ]

    @Test(arguments: floods) func `a page that floods ends in time with its content`(_ script: String) async throws {
        let (result, time, _) = try await render(Self.page(script))
        switch result {
        case .success(let page): #expect(TestBrowser.text(page).contains("kept"))
        // On a busy machine the browser may not get to reading the page beside the flood.
        case .failure(let failure): #expect(failure == .hung)
        }
        #expect(time < .seconds(60))
    }

    @Test func `a page that wants to be elsewhere without end keeps what it had`() async throws {
        let (result, _, _) = try await render(
            Self.page(
                "setInterval(() => location.reload(), 1); setInterval(() => location = '/x' + Math.random(), 10)"))
        let page = try result.get()
        #expect(TestBrowser.text(page).contains("kept"))
        #expect(page.ending == .stalled)
    }

    @Test func `a page that asks for thousands of files gets few`() async throws {
        let site = RenderedSite()
        let (result, _, _) = try await render(
            Self.page("for (let i = 0; i < 5000; i++) fetch('/data?' + i).catch(() => {})"),
            TestBrowser.settings { $0.maximumRequests = 20 }, site)
        #expect(site.requests.count <= 20)
        switch result {
        case .success(let page):
            #expect(page.ending == .tooManyRequests)
            #expect(page.refusals.contains("too_many"))
        // On a busy machine the browser may not get to reading the page beside the flood.
        case .failure(let failure): #expect(failure == .hung)
        }
    }

    @Test func `a page that replaces everything is read nevertheless`() async throws {
        let (result, _, _) = try await render(
            Self.page(
                """
                for (const p of [Element, Node, Array, String, RegExp, Set, Document, ShadowRoot, Map, Object])
                  for (const n of Object.getOwnPropertyNames(p.prototype))
                    try { p.prototype[n] = () => { throw 1 } } catch {}
                document.querySelector = null; Object.defineProperty(document, "documentElement", { get() { throw 1 } })
                """))
        #expect(TestBrowser.text(try result.get()).contains("kept"))
    }

    private static let errorFloods = [
        // Many, long, and long at once.
        ("for (let i = 0; i < 100000; i++) console.error('line ' + i)", 20),
        ("for (let i = 0; i < 100; i++) console.error(('x' + i).repeat(1e5), 'y'.repeat(1e6))", 20),
        ("for (let i = 0; i < 100; i++) Promise.reject({ name: 'n'.repeat(1e8), message: 'm'.repeat(1e8) + i })", 1),
        ("for (let i = 0; i < 30; i++) setTimeout(() => { throw new Error(i + 'x'.repeat(1e6)) }, i)", 20),
        // In the name of our script, and with what it calls.
        (
            """
            for (let i = 0; i < 5000; i++) for (const key of ["console", "none", null])
              dispatchEvent(new StorageEvent("pippin-error", { key, newValue: i + "x".repeat(1e4), oldValue: "\\ud800" }))
            """, 20
        ),
        ("globalThis.pippinErrors = { list: Array(1e6).fill({ kind: 'console', text: 'forged' }), count: 1e9 }", 0),
        ("dispatchEvent = EventTarget.prototype.dispatchEvent = () => { throw 1 }; console.error('bad')", 1),
        ("String.prototype.slice = Array.prototype.join = String = () => console.error('a'); console.error('b')", 0),
        ("addEventListener('pippin-error', (e) => e.stopImmediatePropagation(), true); console.error('bad')", 1),
        ("const e = { get message() { throw e } }; console.error(e); console.error({ message: 1n })", 1),
        ("console.error(...Array(100000).fill('many'), '%s'.repeat(1000))", 1),
    ]

    @Test(arguments: errorFloods) func `errors of a page stay few and short, whatever it does`(
        _ script: String, _ count: Int
    ) async throws {
        let page = try await render(Self.page(script)).0.get()
        #expect(TestBrowser.text(page).contains("kept"))
        #expect(page.errors.count <= 20)
        #expect(page.errors.count >= min(count, 1), "\(page.errors)")
        #expect(page.errorCount <= RenderedPage.maximumErrorCount)
        #expect(page.errors.allSatisfy { $0.text.count <= 300 && $0.place?.count ?? 0 <= 300 && $0.text != "forged" })
    }

    @Test func `a page of too many elements is cut`() async throws {
        let (wide, _, _) = try await render(
            Self.page("for (let i = 0; i < 20000; i++) document.body.append(document.createElement('p'))"),
            TestBrowser.settings { $0.maximumElements = 1_000 })
        let page = try wide.get()
        #expect(page.isCut)
        #expect(page.elements == 1_000)
        #expect(TestBrowser.text(page).contains("kept"))
    }

    @Test func `a very deep page costs at most its own process`() async throws {
        let (deep, _, _) = try await render(
            Self.page(
                "let e = document.body; for (let i = 0; i < 100000; i++) { const d = document.createElement('i'); e.append(d); e = d }"
            ))
        switch deep {
        case .success(let page): #expect(TestBrowser.text(page).contains("kept"))
        case .failure(let failure): #expect(failure == .pageCrashed)
        }
    }

    // MARK: Processes

    @Test func `a browser that is killed is replaced`() async throws {
        try await TestBrowser.with { browser in
            let page = try RenderedSite.page("<!doctype html><p>fine</p>")
            _ = try await browser.render(page, loading: RenderedSite()).get()
            let first = try #require(await browser.processID)
            kill(first, SIGKILL)
            let again = try await browser.render(page, loading: RenderedSite()).get()
            #expect(TestBrowser.text(again).contains("fine"))
            #expect(await browser.startCount == 2)
        }
    }

    @Test func `a page that ends the browser each time takes no other page with it`() async throws {
        try await TestBrowser.with(TestBrowser.settings { $0.maximumOpenPages = 4 }) { browser in
            let kills = Mutex(0)
            let killing = RenderedSite { _ in
                if let process = await browser.processID { kill(process, SIGKILL) }
                kills.withLock { $0 += 1 }
                return nil
            }
            // Waits for the next kill, if one comes while this page is open.
            let waiting = RenderedSite { request in
                let before = kills.withLock(\.self)
                for _ in 0..<100 where kills.withLock(\.self) == before {
                    // Ends with the page.
                    try? await Task.sleep(for: .milliseconds(20))
                }
                return .response(RenderedSite.response(request.url, 200, "text/plain", "fine"), isKept: false)
            }
            let script = "fetch('/f').then(a => a.text()).then(t => p.textContent = t)"
            let page = try RenderedSite.page("<!doctype html><p id=p></p><script>\(script)</script>")
            async let killed = browser.render(page, loading: killing)
            try await withThrowingTaskGroup(of: RenderedPage.self) { group in
                for _ in 0..<3 { group.addTask { try await browser.render(page, loading: waiting).get() } }
                for try await page in group { #expect(TestBrowser.text(page).contains("fine")) }
            }
            guard case .failure(.browserEnded) = await killed else {
                Issue.record("the browser was not ended twice")
                return
            }
            #expect(kills.withLock(\.self) == 2)
        }
    }

    @Test func `a page that is rendered again does not post again`() async throws {
        try await TestBrowser.with { browser in
            let site = RenderedSite { request in
                if request.url.path == "/kill", let process = await browser.processID { kill(process, SIGKILL) }
                return nil
            }
            let post = "{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{\"find\":1}' }"
            let page = try RenderedSite.page(
                "<!doctype html><script>fetch('/q', \(post)).finally(() => fetch('/kill'))</script>")
            _ = await browser.render(page, loading: site)
            #expect(site.requests.filter { $0.hasSuffix("/q") }.count == 1)
            #expect(site.requests.filter { $0.hasSuffix("/kill") }.count == 2)
        }
    }

    @Test func `the browser starts again after a number of pages`() async throws {
        try await TestBrowser.with(TestBrowser.settings { $0.restartAfter = 2 }) { browser in
            let page = try RenderedSite.page("<!doctype html><p>fine</p>")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { _ = try await browser.render(page, loading: RenderedSite()).get() } }
                try await group.waitForAll()
            }
            #expect(await browser.startCount == 3)
        }
    }

    @Test func `nothing is left when the browser is shut down`() async throws {
        let processID = try await TestBrowser.with { browser in
            _ = try await browser.render(try RenderedSite.page("<!doctype html><p>fine"), loading: RenderedSite()).get()
            return try #require(await browser.processID)
        }
        #expect(kill(processID, 0) != 0)
    }

    @Test func `a browser that does not start says why`() async throws {
        let settings = TestBrowser.settings { $0.browserPath = "/bin/false" }
        let result = try await TestBrowser.with(settings) { browser in
            await browser.render(try RenderedSite.page("<p>x"), loading: RenderedSite())
        }
        guard case .failure(.browserUnavailable) = result else {
            Issue.record("\(result)")
            return
        }
    }
}

@Suite struct ChromiumLaunchTests {
    @Test func `a missing browser is named with its package`() async {
        var settings = RenderSettings()
        settings.browserPath = "/nowhere/chromium-headless-shell"
        let problem = await Chromium.problem(settings)?.problem
        #expect(
            problem
                == "there is no browser at /nowhere/chromium-headless-shell: install Debian's package chromium-headless-shell"
        )
    }
}
