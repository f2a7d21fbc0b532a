import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Crawls in which some hosts have sheets (`hosts`).
@Suite struct HostSheetCrawlTests {
    private let web = FakeWeb(time: MadeUpTime())

    private func crawl(_ seeds: [String], _ sheets: String, scope: String = "{}") async throws -> FakeCrawl {
        let read = try CrawlConfiguration(yaml: "scope: \(scope)\nhosts: \(sheets)", file: "c.yaml")
        return try await FakeCrawl.run(web, seeds: seeds) { ($0.scope, $0.hosts) = (read.scope, read.hosts) }
    }

    @Test func `depth, pages and patterns are those of the host`() async throws {
        for host in ["a.test", "b.test"] {
            for page in 0..<6 { web.page("https://\(host)/\(page)", links: ["/\(page + 1)", "/old/\(page)"]) }
            for page in 0..<6 { web.page("https://\(host)/old/\(page)") }
        }
        let seeds = ["https://a.test/0", "https://b.test/0"]
        let depth = try await crawl(
            seeds, #"{ a.test: { max_depth: 1, exclude: ["*/old/*"] } }"#, scope: "{ max_depth: 2 }")
        #expect(depth.recorded.filter { $0.hasPrefix("https://a.test") } == ["https://a.test/0", "https://a.test/1"])
        #expect(depth.recorded.filter { $0.hasPrefix("https://b.test") }.count == 5)
        let pages = try await crawl(seeds, "{ a.test: { max_pages: 2 } }")
        #expect(pages.recorded.filter { $0.hasPrefix("https://a.test") }.count == 2)
        #expect(pages.recorded.filter { $0.hasPrefix("https://b.test") }.count == 12)
        let patterns = try await crawl(
            seeds, #"{ a.test: { include: ["*/old/*"] } }"#, scope: #"{ exclude: ["*/old/0"] }"#)
        #expect(patterns.recorded.filter { $0.hasPrefix("https://a.test") } == ["https://a.test/0"])
    }

    @Test func `records are those that the host's sheet wants`() async throws {
        for host in ["a.test", "b.test"] { web.page("https://\(host)/", deepLink: false) }
        let crawl = try await crawl(["https://a.test/", "https://b.test/"], "{ a.test: { records: all } }")
        #expect(crawl.recorded == ["https://a.test/"])
        #expect(crawl.outcomes["without-deep-links"] == 1)
    }

    @Test func `a Crawl-delay counts, whatever the sheet says`() async throws {
        web["https://a.test/robots.txt"] = [.text("User-agent: *\nCrawl-delay: 7\n")]
        web.page("https://a.test/", links: ["/1", "/2"])
        for page in 1...2 { web.page("https://a.test/\(page)") }
        let crawl = try await crawl(["https://a.test/"], "{ a.test: { delay: 2s } }")
        #expect(crawl.summary.statistics.hosts["a.test"]?.smallestPause == .seconds(7))
    }
}
