import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// Whose requests are signed when a page is judged: those to the site that the user has named, and no others.
@Suite struct SignedVisitTests {
    private let web = FakeWeb(time: MadeUpTime())

    /// A page that names two more hosts: of its picture, and of its deep link, canonical address and script.
    init() {
        let head = """
            <meta property="og:image" content="https://picture.test/a.png">
            <meta property="al:ios:url" content="https://linked.test/x"><meta property="al:ios:app_store_id" content="1">
            <meta property="al:ios:app_name" content="App"><script src="https://other.test/x.js"></script>
            <link rel=alternate href="android-app://com.x.y/https/linked.test/x"><link rel=manifest href="/m.json">
            """
        for host in ["named.test", "third.test"] {
            web.page("https://\(host)/page", canonical: "https://linked.test/c", head: head)
        }
        web["https://named.test/away"] = [.redirect(to: "https://third.test/page")]
        web["https://named.test/m.json"] = [.json("{}")]
    }

    private func configuration() throws -> CrawlConfiguration {
        var configuration = CrawlConfiguration()
        configuration.agent.contact = "a@example.net"
        configuration.agent.signing = .init(
            keyPath: "nobody reads it", directory: try #require(WebURL("https://bot.test/keys")))
        return configuration
    }

    /// Judges pages one after the other, in one session, as of one host of many pages.
    private func visit(
        _ addresses: [String], signingFor named: [String], _ configuration: CrawlConfiguration,
        keepsSiteFiles: Bool = false
    ) async throws {
        let pages = try addresses.map { try #require(WebURL($0)) }
        let sites = NamedSites(try named.map { try #require(WebURL($0)) })
        try await web.time.run { [web] in
            var session = VisitSession(signingFor: sites)
            session.fetcher = web
            session.single = SingleFetch(configuration: configuration, fetcher: web, clock: web.time.clock)
            session.keepsSiteFiles = keepsSiteFiles
            for page in pages {
                _ = try await ValidatedVisit(page, apps: [], configuration: configuration, in: &session) { _ in }
            }
        }
    }

    private func hosts(signed: Bool) -> Set<String> {
        Set(web.log.filter { ($0.signature != nil) == signed && $0.url.hasPrefix("https:") }.map(\.host))
    }

    @Test(arguments: [false, true]) func `hosts that a page names get no signature`(isOfMany: Bool) async throws {
        try await visit(
            ["https://named.test/page", "https://named.test/page?2"], signingFor: ["https://named.test/"],
            configuration(), keepsSiteFiles: isOfMany)
        #expect(hosts(signed: true) == ["named.test", "www.named.test"])
        #expect(hosts(signed: false) == ["picture.test", "linked.test", "other.test"])
        // Everything of the site itself is signed: its rules, page, manifest and association files.
        let own = web.log.filter { $0.host == "named.test" && $0.url.hasPrefix("https:") }
        #expect(own.contains { $0.url.hasSuffix("/robots.txt") } && own.contains { $0.url.hasSuffix("/m.json") })
        #expect(own.contains { $0.url.contains("apple-app-site-association") })
    }

    @Test func `a redirect names nobody, nor do the pages behind it`() async throws {
        try await visit(["https://named.test/away"], signingFor: ["https://named.test/"], configuration())
        #expect(hosts(signed: true) == ["named.test"])
        #expect(hosts(signed: false).isSuperset(of: ["third.test", "picture.test", "linked.test", "other.test"]))
        #expect(web.log.contains { $0.host == "third.test" && $0.url.contains("apple-app-site-association") })
    }

    @Test func `a page that only a sitemap names gets no signature`() async throws {
        try await visit(
            ["https://third.test/page"], signingFor: ["https://named.test/map.xml"], configuration(),
            keepsSiteFiles: true)
        #expect(hosts(signed: true).isEmpty && hosts(signed: false).contains("third.test"))
    }

    @Test func `who does not know the key signs nothing`() async throws {
        var configuration = try configuration()
        configuration.forgetIdentity()
        try await visit(["https://named.test/page"], signingFor: ["https://named.test/"], configuration)
        #expect(hosts(signed: true).isEmpty && !hosts(signed: false).isEmpty)
    }
}
