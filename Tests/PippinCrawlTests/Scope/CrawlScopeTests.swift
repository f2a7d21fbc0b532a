import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct CrawlScopeTests {
    private func scope(_ seeds: [String], _ configure: (inout CrawlConfiguration) -> Void = { _ in }) throws
        -> CrawlScope
    {
        var configuration = CrawlConfiguration()
        configuration.agent.contact = "https://example.net/bot"
        configure(&configuration)
        return CrawlScope(configuration, seeds: try seeds.map { Seed(url: try #require(WebURL($0))) })
    }

    private func refusal(_ scope: CrawlScope, _ url: String, depth: Int = 1) throws -> CrawlScope.Refusal? {
        let seed = Seed(url: try #require(WebURL("https://elsewhere.example/")))
        return scope.refusal(of: try #require(WebURL(url)), depth: depth, discovery: .outlink, seed: seed)
    }

    @Test func `www and the bare name are one host, other names are not`() throws {
        let scope = try scope(["https://www.example.org/app"])
        #expect(try refusal(scope, "https://example.org/") == nil)
        #expect(try refusal(scope, "http://www.example.org./x") == nil)
        #expect(try refusal(scope, "https://m.example.org/") == .otherHost)
        #expect(try refusal(scope, "https://example.org.evil.test/") == .otherHost)
    }

    /// A page's links are judged one after the other, and each host only when it changes.
    @Test func `a link is judged the same after any other link`() throws {
        let scope = try scope(["https://www.example.org/app", "http://127.0.0.1/"]) {
            $0.agent.contact = nil
            $0.scope.allowedHosts = ["shop.test"]
        }
        let seed = Seed(url: try #require(WebURL("https://elsewhere.example/")))
        let urls = try [
            "https://example.org/", "https://example.org:8443/x", "http://example.org./", "https://shop.test/",
            "https://shop.tesx/", "https://www.example.org/", "http://127.0.0.1/", "http://127.0.0.2/",
            "mailto:a@shop.test",
            "https://user@shop.test/",
        ].map { try #require(WebURL($0)) }
        for first in urls {
            for second in urls {
                var last: CrawlScope.HostAnswer?
                for url in [first, second] {
                    let refusal = scope.refusal(of: url, depth: 1, discovery: .outlink, seed: seed, last: &last)
                    #expect(
                        refusal == scope.refusal(of: url, depth: 1, discovery: .outlink, seed: seed),
                        "\(url) after \(first)")
                }
            }
        }
    }

    @Test func `a domain is the whole site of the seed, and no other user of its suffix`() throws {
        let scope = try scope([
            "https://www.shop.example.co.uk/", "https://ann.notion.site/", "https://www.id.me/", "http://127.0.0.1/",
        ]) { $0.scope.follow = .domain }
        for url in [
            "https://help.shop.example.co.uk/", "https://example.co.uk/", "https://myshop.example.co.uk/",
            "https://help.id.me/", "https://ann.notion.site/x",
        ] {
            #expect(try refusal(scope, url) == nil, "\(url)")
        }
        for url in [
            "https://other.co.uk/", "https://bob.notion.site/", "https://notion.site/", "https://other.me/",
            "http://127.1.0.1/",
        ] {
            #expect(try refusal(scope, url) == .otherHost, "\(url)")
        }
    }

    @Test func `a domain follows a seed that moved to another site`() throws {
        let scope = try scope(["https://old.example/"]) { $0.scope.follow = .domain }
        let seed = Seed(url: try #require(WebURL("https://old.example/")), landingHosts: ["www.new.example"])
        func refusal(_ url: String) throws -> CrawlScope.Refusal? {
            scope.refusal(of: try #require(WebURL(url)), depth: 1, discovery: .outlink, seed: seed)
        }
        #expect(try refusal("https://help.new.example/") == nil)
        #expect(try refusal("https://newer.example/") == .otherHost)
    }

    @Test func `globs include and exclude by the whole URL, the fragment aside`() throws {
        let scope = try scope(["https://a.test/"]) {
            $0.scope.include = ["https://a.test/app/*", "*.html"]
            $0.scope.exclude = ["*?print=*", "*/tmp/*"]
        }
        #expect(try refusal(scope, "https://a.test/app/1") == nil)
        #expect(try refusal(scope, "https://a.test/x.html#part") == nil)
        #expect(try refusal(scope, "https://a.test/x.htm") == .notIncluded)
        #expect(try refusal(scope, "https://a.test/app/1?print=1") == .excluded)
        #expect(try refusal(scope, "https://a.test/app/tmp/1") == .excluded)
    }

    @Test func `a glob of many stars stays quick`() {
        let glob = URLGlob(String(repeating: "*a", count: 200) + "b")
        #expect(!glob.matches(Array(String(repeating: "a", count: 2000).utf8)))
        #expect(URLGlob("a?c*").matches(Array("abcdef".utf8)))
        #expect(!URLGlob("a?c").matches(Array("ac".utf8)))
        #expect(URLGlob("*").matches([]))
    }

    @Test(arguments: [
        ("mailto:a@b.test", CrawlScope.Refusal.notHTTP), ("https://u:p@a.test/", .credentials),
        ("https://a.test/x/x/x", .repeatedSegments), ("https://a.test/a/b/c/a/b/c/a/b/c", .repeatedSegments),
    ])
    func `each refusal has its reason`(url: String, expected: CrawlScope.Refusal) throws {
        #expect(try refusal(scope(["https://a.test/"]), url) == expected)
    }

    @Test(arguments: [
        "https://a.test/a/b/a/b/c", "https://a.test/1/1/2/1", "https://a.test/2011/11/11/x", "https://a.test///x",
        "https://a.test/aa/a/aaa",
    ])
    func `ordinary paths are no traps`(url: String) throws {
        #expect(try refusal(scope(["https://a.test/"]), url) == nil)
    }

    @Test func `a page belongs to the seeds in whose folder it lies, else to all of its site`() throws {
        let seeds = ["https://a.test/one/support.html", "https://a.test/two", "https://b.test/"]
        let scope = try scope(seeds) { $0.scope.follow = .any }
        let finder = Seed(url: try #require(WebURL("https://b.test/")))
        func owners(_ url: String) throws -> [String] {
            scope.seeds(of: try #require(WebURL(url)), foundFrom: finder).map(\.url.href)
        }
        #expect(try owners("https://a.test/one/faq") == [seeds[0]])
        #expect(try owners("https://a.test/two/faq") == [seeds[1]])
        #expect(try owners("https://a.test/two") == [seeds[1]])
        #expect(try owners("https://www.a.test/about") == [seeds[0], seeds[1]])
        #expect(try owners("https://c.test/") == ["https://b.test/"])
        #expect(try owners("https://sub.a.test/") == [seeds[0], seeds[1]])
    }

    @Test func `a page beside the hosts of all seeds belongs to those of its site`() throws {
        let seeds = ["https://help.a.test/", "https://shop.a.test/"]
        let scope = try scope(seeds) { $0.scope.follow = .domain }
        let finder = Seed(url: try #require(WebURL(seeds[1])))
        let owners = scope.seeds(of: try #require(WebURL("https://a.test/x")), foundFrom: finder)
        #expect(owners.map(\.url.href) == seeds)
    }
}
