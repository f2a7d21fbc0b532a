import PippinTestSupport
import Testing

@testable import PippinCrawl

/// Feeds in a crawl: as its beginning, linked from pages, and going on for ever.
@Suite struct FeedCrawlTests {
    private static let feedType = "application/feed+json"

    private func web(pages: [String]) -> FakeWeb {
        let web = FakeWeb(time: MadeUpTime())
        for page in pages { web["https://a.test\(page)"] = [.appPage("https://a.test\(page)")] }
        return web
    }

    private func feed(_ items: [String], next: String? = nil, type: String = Self.feedType) -> FakeWeb.Answer {
        let list = items.map { "{\"id\":\"x\",\"url\":\"\($0)\"}" }.joined(separator: ",")
        let more = next.map { ",\"next_url\":\"\($0)\"" } ?? ""
        return FakeWeb.Answer(
            headers: [("Content-Type", type)],
            body: "{\"version\":\"https://jsonfeed.org/version/1.1\"\(more),\"items\":[\(list)]}")
    }

    @Test(arguments: [feedType, "application/json", "application/json; charset=utf-8"])
    func `a crawl may start from a feed, and goes on where the feed does`(type: String) async throws {
        let web = web(pages: ["/1", "/2", "/3"])
        web["https://a.test/feed"] = [feed(["/1", "https://b.test/no"], next: "/feed?p=2", type: type)]
        web["https://a.test/feed?p=2"] = [feed(["/2"], next: "/feed?p=3", type: type)]
        // It leads back, as some do.
        web["https://a.test/feed?p=3"] = [feed(["/3", "/1"], next: "/feed", type: type)]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/feed"])
        #expect(crawl.recorded == ["https://a.test/1", "https://a.test/2", "https://a.test/3"])
        #expect(crawl.outcomes["sitemap"] == 3)
        #expect(crawl.summary.statistics.refusals["foreign-sitemap-entry"] == 1)
        #expect(crawl.summary.failedSeeds.isEmpty)
    }

    @Test func `feeds of all kinds are found through the links of a page`() async throws {
        let web = web(pages: ["/1", "/2", "/3"])
        web["https://a.test/"] = [
            .html(
                """
                <title>A</title><link rel=alternate type="application/feed+json" href=/feed.json>
                <link rel=alternate type="application/rss+xml" href=/feed.rss>
                """, headers: [("Link", "</feed.atom>; rel=\"alternate\"; type=\"application/atom+xml\"")])
        ]
        web["https://a.test/feed.json"] = [feed(["/1"])]
        web["https://a.test/feed.rss"] = [
            .xml("<rss><channel><item><link>https://a.test/2</link></item></channel></rss>")
        ]
        web["https://a.test/feed.atom"] = [
            .xml("<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='/3'/></entry></feed>")
        ]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == ["https://a.test/1", "https://a.test/2", "https://a.test/3"])
        #expect(crawl.outcomes["sitemap"] == 3)
    }

    @Test func `a feed without an end is left where links are not followed further`() async throws {
        let web = web(pages: (0..<30).map { "/\($0)" })
        for page in 0..<30 { web["https://a.test/feed?p=\(page)"] = [feed(["/\(page)"], next: "/feed?p=\(page + 1)")] }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/feed?p=0"]) { $0.scope.maximumDepth = 4 }
        #expect(crawl.outcomes["sitemap"] == 5)
        // The last one lies as deep as pages may, so its entries are too deep.
        #expect(crawl.recorded == (0..<4).map { "https://a.test/\($0)" })
        #expect(crawl.summary.statistics.refusals["too-deep"] == 2)
    }

    @Test func `a feed without an end that robots txt names is read through eight files`() async throws {
        let web = web(pages: (0..<30).map { "/\($0)" })
        web["https://a.test/"] = [.html("<title>A</title>")]
        web["https://a.test/robots.txt"] = [.text("Sitemap: https://a.test/feed?p=0\n")]
        for page in 0..<30 { web["https://a.test/feed?p=\(page)"] = [feed(["/\(page)"], next: "/feed?p=\(page + 1)")] }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.sitemaps = true }
        #expect(crawl.recorded == (0..<Visit.maximumFeedPages).map { "https://a.test/\($0)" })
        #expect(crawl.summary.statistics.refusals["sitemap-limit"] == 1)
    }

    @Test func `the record of a page has what the feed says of it`() async throws {
        let web = web(pages: ["/1"])
        web["https://a.test/"] = [
            .html("<title>A</title><a href=/1>1</a><link rel=alternate type=application/rss+xml href=/feed>")
        ]
        web["https://a.test/feed"] = [
            .xml(
                """
                <rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><item><link>https://a.test/1</link>
                <pubDate>Sat, 01 Aug 2026 08:00:00 GMT</pubDate><dc:creator>Ann Lee</dc:creator></item></channel></rss>
                """)
        ]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/feed"])
        let record = try #require(crawl.records.first { $0.uniqueIdentifier == "https://a.test/1" })
        #expect(record.publishedAt == "2026-08-01T08:00:00Z" && record.authors.map(\.name) == ["Ann Lee"])
        #expect(record.provenance.contains { $0.field == "authors" && $0.source == .feed })
    }

    @Test func `what a feed goes on with on another host is not asked`() async throws {
        let web = web(pages: ["/1"])
        web["https://a.test/feed"] = [feed(["/1"], next: "https://b.test/feed")]
        web["https://b.test/feed"] = [feed(["https://b.test/2"])]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/feed"]) { $0.scope.follow = .any }
        #expect(crawl.recorded == ["https://a.test/1"])
        #expect(!web.log.contains { $0.host == "b.test" })
    }

    @Test func `other JSON is no page`() async throws {
        let web = web(pages: [])
        web["https://a.test/data"] = [.json("{\"items\":[{\"url\":\"/1\"}]}")]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/data"])
        #expect(crawl.outcomes == ["not-a-page": 1] && crawl.recorded.isEmpty)
    }
}
