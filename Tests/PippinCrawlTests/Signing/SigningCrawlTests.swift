import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Which requests of a crawl are signed, and what a host may ask for.
@Suite struct SigningCrawlTests {
    private let web = FakeWeb(time: MadeUpTime())

    private func crawl(
        _ seeds: [String], policy: CrawlConfiguration.Agent.Signing.Policy = .always,
        configure: @Sendable (inout CrawlConfiguration) -> Void = { _ in }
    ) async throws -> FakeCrawl {
        let directory = try #require(WebURL("https://bot.test/keys"))
        return try await FakeCrawl.run(web, seeds: seeds) { configuration in
            configuration.agent.contact = "a@example.net"
            var signing = CrawlConfiguration.Agent.Signing(keyPath: "nobody reads it", directory: directory)
            signing.policy = policy
            configuration.agent.signing = signing
            configure(&configuration)
        }
    }

    /// Requests in their order: `+ https://a.test/` if signed, `-` if not.
    private var asked: [String] {
        web.log.sorted { $0.start < $1.start }.map { "\($0.signature == nil ? "-" : "+") \($0.url)" }
    }

    /// The same without association files.
    private var askedForPages: [String] {
        asked.filter { !$0.hasSuffix("apple-app-site-association") && !$0.hasSuffix("assetlinks.json") }
    }

    @Test func `what the job asks is signed, its files included`() async throws {
        web.robots("https://a.test", "Sitemap: https://a.test/map.xml")
        web["https://a.test/map.xml"] = [.xml("<urlset><url><loc>https://a.test/mapped</loc></url></urlset>")]
        web["https://a.test/"] = [.appPage("https://a.test/", links: ["/1"])]
        web["https://a.test/1"] = [.redirect(to: "https://www.a.test/2")]
        web["https://www.a.test/2"] = [.html("x")]
        _ = try await crawl(["https://a.test/ app=1 bundle=a.b"]) { $0.scope.sitemaps = true }
        #expect(asked.allSatisfy { $0.hasPrefix("+ ") }, "\(asked)")
        for path in ["a.test/robots.txt", "a.test/map.xml", "a.test/", "a.test/1", "www.a.test/2", "a.test/mapped"] {
            #expect(asked.contains("+ https://" + path), "\(path)")
        }
        #expect(asked.contains { $0.contains("apple-app-site-association") })
    }

    @Test func `nothing is signed over http, or without a key`() async throws {
        web["http://a.test/"] = [.html("x")]
        _ = try await crawl(["http://a.test/"])
        #expect(asked.count >= 2 && asked.allSatisfy { $0.hasPrefix("- ") }, "\(asked)")
        let other = FakeWeb(time: MadeUpTime())
        other["https://a.test/"] = [.html("x")]
        _ = try await FakeCrawl.run(other, seeds: ["https://a.test/"]) { $0.agent.contact = "a@example.net" }
        #expect(other.log.count >= 2 && other.log.allSatisfy { $0.signature == nil })
    }

    @Test func `where only a redirect leads, nothing is signed`() async throws {
        web.robots("https://a.test", "")
        // A seed may lead its crawl elsewhere; the operator has not named that host.
        web["https://a.test/"] = [.redirect(to: "https://elsewhere.test/")]
        web["https://elsewhere.test/"] = [.html("x")]
        _ = try await crawl(["https://a.test/"])
        #expect(asked.contains("+ https://a.test/") && asked.contains("- https://elsewhere.test/"), "\(asked)")
        #expect(asked.contains("- https://elsewhere.test/robots.txt"))
    }

    @Test func `robots.txt elsewhere is not signed`() async throws {
        web["https://a.test/robots.txt"] = [.redirect(to: "https://cdn.test/robots.txt")]
        web["https://cdn.test/robots.txt"] = [.text("")]
        web["https://a.test/"] = [.html("x")]
        _ = try await crawl(["https://a.test/"])
        #expect(askedForPages == ["+ https://a.test/robots.txt", "- https://cdn.test/robots.txt", "+ https://a.test/"])
    }

    @Test(arguments: [
        ("host", "https://b.test/", false), ("any", "https://b.test/", true), ("domain", "https://sub.a.test/", true),
    ])
    func `the scope decides which hosts are the job's`(follow: String, target: String, isSigned: Bool) async throws {
        web["https://a.test/"] = [.redirect(to: target)]
        web[target] = [.html("x")]
        let scope = try #require(CrawlConfiguration.Scope.Follow(rawValue: follow))
        _ = try await crawl(["https://a.test/"]) { $0.scope.follow = scope }
        #expect(asked.contains("\(isSigned ? "+" : "-") \(target)"), "\(asked)")
    }

    @Test func `when asked, a host gets signed requests from then on`() async throws {
        let wants = #"sig=("@authority");tag="web-bot-auth""#
        web["https://a.test/"] = [.html("<a href=/1>1</a>").signed(wants)]
        web["https://a.test/1"] = [.html("x").signed(wants)]
        web["https://b.test/"] = [.html("x")]
        let crawl = try await crawl(["https://a.test/", "https://b.test/"], policy: .whenAsked)
        #expect(
            askedForPages.filter { $0.contains("a.test") } == [
                "- https://a.test/robots.txt", "- https://a.test/", "+ https://a.test/", "+ https://a.test/1",
            ])
        #expect(asked.filter { $0.contains("b.test") }.allSatisfy { $0.hasPrefix("- ") })
        #expect(crawl.outcomes["failed"] == nil, "\(crawl.outcomes)")
        // The second request waits like any other.
        let starts = web.log.filter { $0.host == "a.test" }.sorted { $0.start < $1.start }
        for (earlier, later) in zip(starts, starts.dropFirst()) {
            #expect(later.start - earlier.end >= .seconds(1))
        }
    }

    @Test func `a robots.txt that wants a signature gets it before it counts`() async throws {
        let rules = FakeWeb.Answer.text("User-agent: *\nDisallow: /private")
        web["https://a.test/robots.txt"] = [rules.signed(#"sig=("@authority");tag="web-bot-auth""#, status: 403)]
        web["https://a.test/"] = [.html("<a href=/private>x</a>")]
        web["https://a.test/private"] = [.html("x")]
        _ = try await crawl(["https://a.test/"], policy: .whenAsked)
        #expect(
            askedForPages == ["- https://a.test/robots.txt", "+ https://a.test/robots.txt", "+ https://a.test/"])
    }

    @Test(arguments: [CrawlConfiguration.Agent.Signing.Policy.always, .whenAsked])
    func `a nonce is signed once`(policy: CrawlConfiguration.Agent.Signing.Policy) async throws {
        web["https://a.test/"] = [
            .html("<a href=/1>1</a>").signed(#"x=("@authority");nonce="n1""#)
        ]
        web["https://a.test/1"] = [.html("x")]
        _ = try await crawl(["https://a.test/"], policy: policy)
        let signatures = web.log.filter { $0.purpose == .page }.sorted { $0.start < $1.start }.map(\.signature)
        #expect(signatures.count == 3)
        #expect(signatures[0] == (policy == .always ? .usual : nil))
        #expect(signatures[1]?.nonce == "n1" && signatures[1]?.label == "x")
        #expect(signatures[2] != nil && signatures[2]?.nonce == nil)
    }

    /// A server could ask for another signature each time.
    @Test func `a host that always wants another signature is not asked for ever`() async throws {
        web["https://a.test/robots.txt"] = [.text("")]
        web["https://a.test/"] = (0..<50).map {
            .status(401, headers: [("Accept-Signature", "s\($0)=(\"@authority\");nonce=\"\($0)\"")])
        }
        _ = try await crawl(["https://a.test/"])
        let count = web.log.count { $0.url == "https://a.test/" }
        #expect(count >= 2 && count <= 5, "\(count)")
    }

    @Test(arguments: [
        "", "?", "sig", "sig=1", #"sig=("@status")"#, #"sig=("cookie")"#, #"sig=("@authority" "content-digest")"#,
        #"sig=("@query-param";name="a")"#, #"sig=("@authority";req)"#, #"sig=("@authority");tag="other""#,
        #"sig=("@authority");alg="rsa-pss-sha512""#, #"sig=("@authority");nonce=1"#, #"sig=("@authority");nonce="""#,
        #"sig=("@authority");nonce="\#(String(repeating: "n", count: 300))""#, #"sig=("@authority"), "#,
    ])
    func `what cannot be signed is an answer like any other`(wants: String) async throws {
        web["https://a.test/"] = [.status(401, headers: [("Accept-Signature", wants)])]
        let crawl = try await crawl(["https://a.test/"], policy: .whenAsked)
        #expect(askedForPages == ["- https://a.test/robots.txt", "- https://a.test/"])
        #expect(crawl.outcomes == ["refused": 1])
    }

    @Test func `429 is throttled, and signed anew at the usual retry`() async throws {
        web["https://a.test/robots.txt"] = [.text("")]
        web["https://a.test/"] = [
            .status(429, headers: [("Accept-Signature", #"a=();nonce="n""#), ("Retry-After", "5")]), .html("x"),
        ]
        _ = try await crawl(["https://a.test/"])
        let pages = web.log.filter { $0.purpose == .page }.sorted { $0.start < $1.start }
        #expect(pages.map { $0.signature?.nonce } == [nil, "n"])
        #expect(pages[1].start - pages[0].end >= .seconds(5))
    }
}
