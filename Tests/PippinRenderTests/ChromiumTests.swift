import Foundation
import PippinCrawl
import PippinPage
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinRender

/// The life of the browser's process: its start, who it says it is, and its end.
@Suite(.rendersAlone, .serialized) struct ChromiumTests {
    // MARK: Its end

    private static func isGone(_ limit: Int) async throws -> Bool {
        // What the kernel has ended may be seen for a moment.
        for _ in 0..<500 {
            if BrowserProcesses.withLimit(limit).isEmpty { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test(arguments: [0, 1, 3, 5, 8, 12, 16, 20, 30, 40, 60, 80, 100, 120, 150, 200, 300])
    func `a browser that starts while the job ends is ended too`(milliseconds: Int) async throws {
        let limit = (1_000 + milliseconds) << 20
        let browser = Chromium(TestBrowser.settings { $0.memoryBytes = limit })
        let page = try RenderedSite.page("<p>x")
        let rendering = Task { await browser.render(page, loading: RenderedSite()) }
        try await Task.sleep(for: .milliseconds(milliseconds))
        await browser.shutdown()
        #expect(try await Self.isGone(limit), "after shutdown")
        let result = await rendering.value
        if case .failure(let failure) = result { #expect(failure == .cancelled) }
        #expect(try await Self.isGone(limit), "after the page")
    }

    @Test func `a page that is given up while the browser starts says so, and leaves nothing`() async throws {
        let limit = 900 << 20
        let browser = Chromium(TestBrowser.settings { $0.memoryBytes = limit })
        let page = try RenderedSite.page("<p>x")
        let rendering = Task { await browser.render(page, loading: RenderedSite()) }
        try await waitUntil("it starts") { !BrowserProcesses.withLimit(limit).isEmpty }
        rendering.cancel()
        await #expect(throws: RenderFailure.cancelled) { try await rendering.value.get() }
        await browser.shutdown()
        #expect(try await Self.isGone(limit))
    }

    // MARK: Its start

    @Test func `a browser that does not start is a problem before any page, and its words are told`() async throws {
        let silent = await Chromium.problem(TestBrowser.settings { $0.browserPath = "/bin/false" })
        #expect(silent?.problem == "it does not answer")
        let failing = await Chromium.problem(TestBrowser.settings { $0.browserPath = "/usr/bin/bwrap" })
        #expect(failing?.problem.hasPrefix("bwrap: ") == true, "\(failing?.problem ?? "")")
        #expect(await Chromium.problem(TestBrowser.settings()) == nil)
    }

    @Test func `a browser that says nothing is given up, and nothing of it is left`() async throws {
        let limit = 950 << 20
        // It waits for its input, which never ends before the wire does.
        let scratch = try ScratchFolder()
        try scratch.write("#!/bin/sh\nsleep 1000\n", to: "browser")
        let path = scratch.url.appending(path: "browser").path
        for file in [path, scratch.url.path] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        }
        let settings = TestBrowser.settings { ($0.browserPath, $0.memoryBytes) = (path, limit) }
        let problem = await Chromium.problem(settings, within: .milliseconds(500))
        #expect(problem?.problem == "it does not answer")
        #expect(try await Self.isGone(limit))
    }

    @Test func `pages do not wait for a browser that does not start, and one sentence says so`() async throws {
        let said = Mutex<[String]>([])
        let browser = Chromium(TestBrowser.settings { $0.browserPath = "/bin/false" }) { sentence in
            said.withLock { $0.append(sentence) }
        }
        for _ in 0..<3 {
            let page = try RenderedSite.page("<p>x")
            await #expect(throws: RenderFailure.browserUnavailable("it does not answer")) {
                try await browser.render(page, loading: RenderedSite()).get()
            }
        }
        await browser.check()
        #expect(
            said.withLock { $0 } == [
                "pages are not rendered but read as they were fetched, because there is no browser: it does not answer"
            ])
        await browser.shutdown()
    }

    @Test(arguments: [
        ("bwrap: No permissions to create new namespace, likely because …\n", "user namespaces"),
        ("bwrap: setting up uid map: Permission denied\n", "user namespaces"),
        ("[1:1:ERROR] first\n[1:1:FATAL:zygote_host_impl_linux.cc] No usable sandbox! …\n", "user namespaces"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n", "/proc"),
    ])
    func `what a machine forbids is told with what to allow`(words: String, remedy: String) {
        #expect(Confinement.problem(words).contains(remedy))
        #expect(!Confinement.problem(words).contains("first"))
    }

    // MARK: Who it is

    @Test func `pages and their workers see the name that requests have`() async throws {
        let agent = CrawlConfiguration.Agent()
        let page = try await TestBrowser.render(
            """
            <!doctype html><pre id=out></pre><script>
            const say = (who, text) => out.textContent += who + ": " + text + "\\n";
            const me = "(async () => navigator.userAgent + ' | ' + navigator.appVersion + ' | '"
              + "+ JSON.stringify((navigator.userAgentData || {}).brands || null) + ' | '"
              + "+ (navigator.userAgentData ? JSON.stringify(await navigator.userAgentData.getHighEntropyValues("
              + "['fullVersionList', 'uaFullVersion', 'platformVersion', 'model', 'architecture'])) : ''))()";
            eval(me).then(t => say("page", t));
            const source = me + ".then(t => postMessage(t))";
            new Worker(URL.createObjectURL(new Blob([source]))).onmessage = e => say("worker", e.data);
            const outer = "new Worker(URL.createObjectURL(new Blob([" + JSON.stringify(source) + "]))).onmessage = e => postMessage(e.data)";
            new Worker(URL.createObjectURL(new Blob([outer]))).onmessage = e => say("inner worker", e.data);
            try {
              const shared = new SharedWorker(URL.createObjectURL(new Blob(["onconnect = e => " + me + ".then(t => e.ports[0].postMessage(t))"])));
              shared.port.onmessage = e => say("shared worker", e.data);
            } catch {}
            // The page's clock runs ahead of the machine's, on which workers may start late: work takes time on both.
            let steps = 0, work = 0;
            const waiting = setInterval(() => {
              for (let i = 0; i < 2e7; i++) work = (work + i) | 0;
              if (out.textContent.split(": ").length > 3 || ++steps === 30) clearInterval(waiting);
            }, 250);
            </script>
            """)
        let text = TestBrowser.text(page)
        let lines = text.split(separator: "\n").filter { $0.contains("worker: ") || $0.contains("page: ") }
        #expect(lines.count >= 3, "\(text)")
        for line in lines {
            #expect(line.contains(agent.userAgent), "\(line)")
            #expect(!line.contains("Chrom"), "\(line)")
        }
    }
}
