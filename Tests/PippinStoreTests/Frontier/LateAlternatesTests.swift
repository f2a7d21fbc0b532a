import Foundation
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinCrawl

/// What sitemaps say of a page that has been read already, or is being read.
@Suite struct LateAlternatesTests {
    private let folder = StorageFolder()
    private let web = FakeWeb(time: MadeUpTime())
    private let alternate = "android-app://com.example.app/https/a.test/1"

    private func run(after wait: Duration = .zero) async throws -> [String] {
        var allowing = CrawlConfiguration()
        allowing.scope.allowedHosts = ["b.test"]
        let configuration = allowing
        let seeds = try Seeds.parse("https://a.test/1", file: "seeds.txt")
        let storage = try folder.open()
        let cursor = try storage.feed.end()
        let web = web
        let time = web.time
        _ = try await time.run {
            await time.sleep(until: time.now + wait)
            let frontier = try storage.frontier(
                recrawl: configuration.recrawl, date: { time.date }, executor: time.actors)
            return try await Crawler(
                configuration: configuration, seeds: seeds, fetcher: web, frontier: frontier,
                clock: time.clock
            ).run()
        }
        var lines: [String] = []
        try storage.feed.read(since: cursor) { lines.append(String(decoding: $0.document, as: UTF8.self)) }
        return lines
    }

    private func page() {
        web["https://a.test/1"] = [
            .html(
                "<title>1</title><meta name=apple-itunes-app content='app-id=1, app-argument=app:x'>",
                headers: [("ETag", "\"1\"")])
        ]
    }

    private func sitemap(_ alternate: String?) -> FakeWeb.Answer {
        let link = alternate.map { "<xhtml:link rel=\"alternate\" href=\"\($0)\"/>" } ?? ""
        return .xml(
            """
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
            <url><loc>https://a.test/1</loc>\(link)</url></urlset>
            """)
    }

    private let day = Duration.seconds(86_400 + 3600)

    @Test func `a deep link that a sitemap gives later gets into the record of a page that stayed as it was`()
        async throws
    {
        page()
        web.robots("https://a.test", "User-agent: *\nDisallow:\nSitemap: https://a.test/sitemap.xml")
        web["https://a.test/sitemap.xml"] = [sitemap(nil)]
        #expect(try await run().count == 1)
        web["https://a.test/sitemap.xml"] = [sitemap(alternate)]
        let changes = try await run(after: day)
        #expect(changes.count == 1)
        #expect(changes.first?.contains("com.example.app") == true)
    }

    @Test func `a deep link that a sitemap gives while its page is on its way is in the record of the next visit`()
        async throws
    {
        page()
        web["https://a.test/1"] = web["https://a.test/1"].map { $0.taking(.seconds(20)) }
        web.robots("https://a.test", "User-agent: *\nDisallow:\nSitemap: https://b.test/sitemap.xml")
        web["https://b.test/sitemap.xml"] = [sitemap(alternate).taking(.seconds(2))]
        #expect(try await run().map { $0.contains("com.example.app") } == [false])
        let last = web.log.map(\.end).max()
        #expect(web.log.contains { $0.url == "https://b.test/sitemap.xml" && $0.end < last ?? .zero })
        web["https://b.test/sitemap.xml"] = [.status(404)]
        #expect(try await run(after: day).map { $0.contains("com.example.app") } == [true])
    }
}
