import Foundation
import PippinCrawl
import PippinPage
import PippinServe
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinReport
@testable import pippin

/// What the server of pages may fetch for a report card: as much as a crawl, and no more.
@Suite struct CardMakerTests {
    private static func configuration(_ change: (inout CrawlConfiguration) -> Void = { _ in }) -> CrawlConfiguration {
        var configuration = CrawlConfiguration()
        configuration.messages.settings = .key
        configuration.agent.contact = "https://operator.example.com/bot"
        configuration.fetch.retries = 0
        change(&configuration)
        return configuration
    }

    @Test(arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
    func `private addresses are never asked, unless the operator's file allows it`(host: String) async throws {
        let server = try LoopbackServer { _, connection in
            connection.respond(body: Array("<title>Secret</title>".utf8))
            return .keepOpen
        }
        defer { server.stop() }
        let url = try #require(WebURL(server.url(host: host)))
        let card = try await CardMaker(Self.configuration()).card(of: url)
        let maker = CardMaker(Self.configuration())
        await #expect(throws: FetchRefusal.self) { _ = try await maker.associations(of: url) }
        let robots = try await maker.robots(of: url)
        #expect(robots.failure(asking: url) != nil)
        #expect(server.connectionCount == 0)
        #expect(!card.html.contains("Secret"))
        let fetch = try #require(card.evidence.fetch.value)
        let failure = try #require(fetch.failure)
        #expect(failure.remedy(fetch.spelling)?.contains("fetch.allow_private_networks") == true, "\(failure)")
    }

    @Test func `a public host is not asked without a contact, and the sentence names the setting`() async throws {
        let url = try #require(WebURL("https://example.com/"))
        for contact in [nil, "https://example.org/bot"] {
            let maker = CardMaker(Self.configuration { $0.agent.contact = contact })
            let refusal = await #expect(throws: FetchRefusal.self) { try await maker.card(of: url) }
            #expect(refusal?.sentence.contains("agent.contact") == true && refusal?.sentence.contains("--") == false)
        }
    }

    @Test func `cards are made without the operator's passwords for hosts, with those for the proxy`() async throws {
        let heard = Mutex<[String?]>([])
        let server = try LoopbackServer { request, connection in
            heard.withLock { $0.append(request.headers["Authorization"]) }
            connection.respond(body: Array("<title>A page</title><p>Text".utf8))
            return .keepOpen
        }
        defer { server.stop() }
        let proxy = try TunnelProxy { $0.authorization == nil ? "407 No" : "200 Connected" }
        let folder = try ScratchFolder()
        try folder.write(
            "hosts: { '127.0.0.1:\(server.port)': { user: me, password: x } }\nproxy: { user: me, password: y }",
            to: "c")
        let path = folder.url.appending(path: "c").path
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try folder.write(
            "fetch: { allow_private_networks: true, credentials: c, proxy: '\(proxy.url)' }", to: "crawl-config.yaml")
        let file = folder.url.appending(path: "crawl-config.yaml").path
        let card = try await CardMaker(CrawlConfiguration(contentsOf: file)).card(
            of: #require(WebURL(server.url())))
        #expect(card.html.contains("A page"))
        #expect(heard.withLock { !$0.isEmpty && $0.allSatisfy { $0 == nil } })
        #expect(proxy.asked.contains { $0.authorization != nil })
    }

    @Test(.slow) func `the pause that a host asks for holds from one card to the next`() async throws {
        let asked = Mutex<[ContinuousClock.Instant]>([])
        let server = try LoopbackServer { request, connection in
            asked.withLock { $0.append(.now) }
            let body =
                request.target == "/robots.txt" ? "User-agent: *\nCrawl-delay: 1\n" : "<title>A page</title><p>Text"
            connection.respond(body: Array(body.utf8))
            return .keepOpen
        }
        defer { server.stop() }
        let url = try #require(WebURL(server.url()))
        let maker = CardMaker(Self.configuration { $0.fetch.allowPrivateNetworks = true })
        let first = try await maker.card(of: url)
        #expect(first.record != nil)
        let before = asked.withLock { $0.count }
        _ = try await maker.card(of: url)
        let times = asked.withLock { $0 }
        try #require(before > 1 && times.count > before)
        #expect(times[before] - times[before - 1] >= .milliseconds(990))
    }

    // MARK: Rendering

    private static let shell = "<title>App</title><div id=\"root\"></div><script src=\"/app.js\"></script>"
    private static let pages = [
        "/app": shell,
        "/text": "<title>Text</title><h1>Text</h1><p>\(String(repeating: "Words of a page. ", count: 60))</p>",
        "/hidden": "<meta name=robots content=noindex>" + shell,
        "/moved": "<meta http-equiv=refresh content=\"0;url=/app\">" + shell,
        "/app.js": "made by a script",
    ]

    @Test(
        arguments: [
            (RenderSettings.Mode.never, [:], ["/app": nil, "/text": nil]),
            (.auto, [:], ["/app": "#root is empty in its HTML", "/text": nil, "/hidden": nil, "/moved": nil]),
            (
                .always, [:],
                [
                    "/app": "the configuration says so", "/text": "the configuration says so", "/hidden": nil,
                    "/moved": nil,
                ]
            ),
            (.always, ["127.0.0.1": .never], ["/app": nil]),
            (.never, ["127.0.0.1": .auto], ["/app": "#root is empty in its HTML", "/text": nil]),
        ] as [(RenderSettings.Mode, [String: RenderSettings.Mode], [String: String?])])
    func `a card is rendered as the job's pages are, and says why`(
        mode: RenderSettings.Mode, hosts: [String: RenderSettings.Mode], pages: [String: String?]
    ) async throws {
        let asked = Mutex<[String]>([])
        let server = try LoopbackServer { request, connection in
            asked.withLock { $0.append(request.target) }
            if request.target == "/robots.txt" {
                connection.respond(body: Array("User-agent: *\nDisallow: /private\n".utf8))
            } else if let page = Self.pages[request.target] {
                connection.respond(body: Array(page.utf8))
            } else {
                connection.respond("404 Not Found")
            }
            return .keepOpen
        }
        defer { server.stop() }
        let maker = CardMaker(
            Self.configuration {
                $0.fetch.allowPrivateNetworks = true
                $0.render.mode = mode
                $0.hosts = HostSheets(
                    hosts.mapValues {
                        var sheet = HostSheet()
                        sheet.render = $0
                        return sheet
                    })
            })
        for (target, reason) in pages {
            asked.withLock { $0 = [] }
            let browser = FakeRenderer()
            let card = try await maker.card(of: #require(WebURL(server.url(target))), in: browser)
            #expect(browser.rendered.count == (reason == nil ? 0 : 1), "\(target)")
            let course = card.json["rendering"]?["course"]?.string
            let nothing = target == "/text" ? " The fetched page is kept: its scripts add nothing." : ""
            #expect(course == reason.map { "Rendered, because \($0).\(nothing)" }, "\(target)")
            #expect(asked.withLock { $0.contains("/app.js") } == (reason != nil && target != "/text"), "\(target)")
            if let reason { #expect(card.text().contains("Rendered, because \(reason)."), "\(target)") }
        }
    }

    @Test func `a card whose page cannot be rendered says so, and judges the page as it was fetched`() async throws {
        let server = try LoopbackServer { request, connection in
            connection.respond(body: Array((Self.pages[request.target] ?? "").utf8))
            return .keepOpen
        }
        defer { server.stop() }
        let maker = CardMaker(
            Self.configuration {
                $0.fetch.allowPrivateNetworks = true
                ($0.render.mode, $0.render.browserPath) = (.auto, "/nowhere")
            })
        let card = try await maker.card(of: #require(WebURL(server.url("/app"))))
        let finding = card.findings.first { $0.check.id == "T16" }
        #expect(
            finding?.sentence.contains("Not seen: the browser could not be started: there is no browser at /nowhere")
                == true)
        #expect(card.record?.title == "App")
    }
}
