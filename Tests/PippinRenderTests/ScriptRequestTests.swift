import Foundation
import PippinCrawl
import PippinPage
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinRender

/// What a page's scripts may ask their own site: questions with POST, and with fields of their own.
@Suite(.rendersAlone, .serialized) struct ScriptRequestTests {
    /// A site that notes what it is asked, and lets a page of another origin read it.
    final class Site: Sendable {
        let asked = Mutex<[Subresource]>([])
        let allowed: [(String, String)]

        init(allowing allowed: [(String, String)] = []) { self.allowed = allowed }

        func loader() -> RenderedSite {
            RenderedSite { [self] request in
                asked.withLock { $0.append(request) }
                if request.url.path == "/moved" {
                    return .response(
                        RenderedSite.response(request.url, 307, fields: [("Location", request.url.query ?? "")]),
                        isKept: false)
                }
                var text = request.method.name
                if case .post(let body) = request.method { text += " " + String(decoding: body, as: UTF8.self) }
                return .response(
                    RenderedSite.response(request.url, 200, "application/json", text, fields: allowed), isKept: false)
            }
        }

        func render(_ script: String, _ settings: RenderSettings = TestBrowser.settings()) async throws -> RenderedPage
        {
            try await TestBrowser.render(
                """
                <!doctype html><div id=log></div><script>
                const say = text => log.append(text + ";");
                const ask = (url, body, more = {}) => fetch(url, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body),
                  headers: { "Content-Type": "application/json", ...more } })
                  .then(async r => say(r.status + " " + await r.text()), () => say("lost"));
                (async () => { \(script) })()
                </script>
                """, loader(), settings)
        }

        /// What the page says, without the characters of HTML.
        func says(_ script: String, _ settings: RenderSettings = TestBrowser.settings()) async throws -> String {
            let text = TestBrowser.text(try await render(script, settings))
            let log = text.components(separatedBy: "<div id=\"log\">").last?.components(separatedBy: "</div>").first
            return log ?? ""
        }

        var requests: [String] {
            asked.withLock { $0.map { "\($0.method.name) \($0.url.href)" } }
        }
    }

    @Test func `an app reads with POST, in GraphQL and in its own JSON`() async throws {
        let site = Site()
        let said = try await site.says(
            #"await ask("/graphql", { query: "query { a }" }); await ask("/search", { q: "mugs \u{E9}" });"#)
        #expect(said == #"200 POST {"query":"query { a }"};200 POST {"q":"mugs é"};"#)
        let asked = site.asked.withLock { $0 }
        #expect(asked.map(\.origin) == ["https://app.example", "https://app.example"])
        #expect(asked.allSatisfy { $0.fields == ScriptFields([("Content-Type", "application/json")]) })
    }

    /// Questions that are answered with 405, and are not made.
    private static let refused = [
        #"await ask("/x", { query: "mutation { a }" })"#,
        #"await ask("/x", [{ query: "{ a }" }, { query: "mutation { a }" }])"#,
        #"await ask("/x", { query: "query A { a } mutation B { b }", operationName: "A" })"#,
        #"await ask("/x", { query: "subscription { a }" })"#,
        #"await ask("/x", "{\"query\":\"{a}\",\"query\":\"mutation{a}\"}")"#,
        #"await ask("/x", "no JSON")"#, #"await ask("/x", "")"#, #"await ask("/x", "x".repeat(70000))"#,
        #"await ask("/x", JSON.stringify("x".repeat(70000)))"#,
        #"await ask("/x", {}, { "Content-Type": "text/plain" })"#,
        #"await ask("/x", {}, { "Content-Type": "application/x-ndjson" })"#,
        #"await ask("/x?query=mutation%7Ba%7D", {})"#, #"await ask("/x?_method=DELETE", {})"#,
        #"await ask("/x", {}, { "X-HTTP-Method-Override": "DELETE" })"#, #"await ask("https://other.test/x", {})"#,
        #"const f = new FormData(); f.append("a", "b"); await fetch("/x", { method: "POST", body: f }).then(r => say(r.status + " "))"#,
        #"await fetch("/x", { method: "PUT", headers: { "Content-Type": "application/json" }, body: "{}" }).then(r => say(r.status + " "))"#,
    ]

    @Test(arguments: refused) func `what may change something is not asked`(_ script: String) async throws {
        let site = Site()
        let page = try await site.render(script)
        #expect(TestBrowser.text(page).contains("<div id=\"log\">405 "), "\(TestBrowser.text(page))")
        #expect(site.requests.isEmpty)
        #expect(page.refusals == ["method"])
        #expect(page.ending == .settled)
    }

    @Test func `POST is switched off by a setting`() async throws {
        let site = Site()
        let said = try await site.says(
            #"await ask("/x", { query: "{ a }" })"#, TestBrowser.settings { $0.postForReading = false })
        #expect(said == #"405 {"errors":[{"message":"Method Not Allowed"}]};"#)
        #expect(site.requests.isEmpty)
    }

    @Test func `who asks with a hash hears that the text is needed`() async throws {
        let site = Site()
        let said = try await site.says(
            #"await ask("/x", { operationName: "A", extensions: { persistedQuery: { version: 1, sha256Hash: "0" } } })"#
        )
        #expect(said.hasPrefix("405 ") && said.contains("PERSISTED_QUERY_NOT_SUPPORTED"), "\(said)")
        #expect(site.requests.isEmpty)
    }

    @Test func `questions are counted, and those above the limit are said to be cut`() async throws {
        let site = Site()
        let page = try await site.render("for (let i = 0; i < 60; i++) ask('/x', { i })")
        #expect(site.requests.count == PostForReading.maximumCount)
        #expect(page.ending == .limited && page.refusedByLimits == 10)
    }

    @Test func `a redirect of a question is asked by the same rules`() async throws {
        let site = Site()
        let said = try await site.says(#"await ask("/moved?/new", {}); await ask("/moved?https://other.test/new", {})"#)
        #expect(
            said == "200 POST {};lost;" || said == #"200 POST {};405 {"errors":[{"message":"Method Not Allowed"}]};"#,
            "\(said)")
        #expect(
            site.requests.filter { $0.contains("new") && !$0.contains("moved") } == ["POST https://app.example/new"])
    }

    @Test func `a client that would also take a stream gets its answer`() async throws {
        let site = Site()
        let said = try await site.says(
            #"await ask("/x", { query: "{ a }" }, { Accept: "application/graphql-response+json, application/json, text/event-stream" })"#
        )
        #expect(said.hasPrefix("200 POST"), "\(said)")
    }

    // MARK: Fields

    @Test func `the script's fields go to the page's own site and to no other`() async throws {
        let site = Site(allowing: [
            ("Access-Control-Allow-Origin", "https://app.example"),
            ("Access-Control-Allow-Headers", "x-key, authorization"),
        ])
        _ = try await site.says(
            """
            const headers = { "X-Key": "1", Authorization: "Bearer a", Accept: "application/json", "Cache-Control": "no-cache" };
            for (const url of ["/a", "https://api.app.example/b", "https://other.test/c"]) await fetch(url, { headers }).catch(() => say("lost"));
            await fetch("/d"); await new Promise(end => { const x = new XMLHttpRequest(); x.open("GET", "/e");
              x.setRequestHeader("X-Requested-With", "XMLHttpRequest"); x.onload = end; x.send() });
            """)
        let asked = site.asked.withLock { $0 }.filter { $0.method == .get }
        let own = ScriptFields([("X-Key", "1"), ("Authorization", "Bearer a"), ("Accept", "application/json")])
        #expect(asked.first { $0.url.path == "/a" }?.fields == own)
        #expect(asked.first { $0.url.path == "/d" }?.fields == ScriptFields.none)
        #expect(asked.first { $0.url.path == "/e" }?.fields == ScriptFields([("X-Requested-With", "XMLHttpRequest")]))
        // The server was not said to allow Cache-Control.
        #expect(!asked.contains { $0.url.path == "/b" })
        #expect(asked.first { $0.url.path == "/c" }?.fields == ScriptFields.none)
    }

    /// Whether a page of another origin of the site may read, by what the server says.
    private static let permissions: [(String, [(String, String)], reads: Bool)] = [
        (
            #"fetch("https://api.app.example/x", { headers: { "X-Key": "1" } })"#,
            [("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Headers", "*")], true
        ),
        (
            #"fetch("https://api.app.example/x", { headers: { "X-Key": "1" } })"#,
            [("Access-Control-Allow-Origin", "*")], false
        ),
        (#"fetch("https://api.app.example/x", { headers: { "X-Key": "1" } })"#, [], false),
        (#"fetch("https://api.app.example/x")"#, [("Access-Control-Allow-Origin", "*")], true),
        (#"fetch("https://api.app.example/x")"#, [], false),
        (
            #"fetch("https://api.app.example/x", { credentials: "include" })"#,
            [("Access-Control-Allow-Origin", "https://app.example"), ("Access-Control-Allow-Credentials", "true")], true
        ),
        (
            #"fetch("https://api.app.example/x", { credentials: "include" })"#, [("Access-Control-Allow-Origin", "*")],
            false
        ),
        (
            #"fetch("https://api.app.example/x", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })"#,
            [("Access-Control-Allow-Origin", "https://app.example"), ("Access-Control-Allow-Headers", "content-type")],
            true
        ),
        (
            #"fetch("https://api.app.example/x", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })"#,
            [("Access-Control-Allow-Origin", "https://app.example")], false
        ),
        (
            #"fetch("https://api.app.example/x", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })"#,
            [("Access-Control-Allow-Origin", "https://shop.example"), ("Access-Control-Allow-Headers", "*")], false
        ),
    ]

    @Test(arguments: permissions.indices) func `CORS holds on another origin of the site`(_ index: Int) async throws {
        let (script, allowed, reads) = Self.permissions[index]
        let site = Site(allowing: allowed)
        let said = try await site.says("await \(script).then(async r => say(r.status), () => say('lost'))")
        #expect(said == (reads ? "200;" : "lost;"), "\(script) \(allowed) \(site.requests)")
        // Without the server's permission nothing is posted.
        if !reads { #expect(!site.requests.contains { $0.hasPrefix("POST") }) }
    }
}
