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
            let refusal = await #expect(throws: CardRefusal.self) { try await maker.card(of: url) }
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
}
