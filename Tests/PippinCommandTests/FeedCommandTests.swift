import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Feeds as the beginning of a crawl, and in `pippin sitemap`.
@Suite(.slow) struct FeedCommandTests {
    @Test(arguments: ["feed.json", "feed.rss"])
    func `a crawl of the demo that starts from a feed finds the pages of its entries`(file: String) async throws {
        let folder = try ScratchFolder()
        let site = Repository.root.appending(path: "Examples/demo-site")
        try await DemoProcess.serving(site: site, folder: folder.url) { demo in
            let pantry = try demo.origin(of: "pantry.example")
            try folder.write("\(pantry)/\(file)\n", to: "feed-seeds.txt")
            try folder.write(
                """
                agent: { contact: "https://example.org/bot" }
                seeds: feed-seeds.txt
                scope: { sitemaps: false, max_depth: 2 }
                politeness: { delay: 20ms }
                fetch: { allow_private_networks: true, ca_file: ca.pem }
                records: all
                storage: of-feed

                """, to: "feed.yaml")
            let run = try await PippinProcess.run("pippin crawl --config feed.yaml --quiet", in: folder.url)
            #expect(run.status == 0, "\(run.errors)")
            let found = try await PippinProcess.run("pippin export --storage of-feed", in: folder.url)
            for recipe in ["apple-tart", "lentil-soup", "rye-bread"] {
                #expect(found.output.contains("\(pantry)/recipes/\(recipe).html"), "\(found.output)\(found.errors)")
            }
            let why = try await PippinProcess.run(
                "pippin why '\(pantry)/recipes/lentil-soup.html' --config feed.yaml", in: folder.url)
            #expect(
                why.output.contains("It was found in a sitemap or feed, from the seed \(pantry)/\(file)"),
                "\(why.output)\(why.errors)")
        }
    }

    @Test func `a feed in JSON is listed as a sitemap is`() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            """
            {"version":"https://jsonfeed.org/version/1.1","next_url":"?page=2",
             "items":[{"id":"1","url":"/1","date_published":"2026-11-01T10:00:00Z","authors":[{"name":"Ann Lee"}]}]}
            """, to: "feed.json")
        let run = try await PippinProcess.run(
            "pippin sitemap feed.json --url https://h.example/feed.json", in: folder.url)
        #expect(run.status == 0 && run.errors == "next: https://h.example/feed.json?page=2\n", "\(run.errors)")
        var parser = JSONParser()
        let entry = try parser.parse(Array(run.output.utf8))
        #expect(entry["loc"]?.string == "https://h.example/1")
        #expect(entry["published"]?.string == "2026-11-01T10:00:00Z" && entry["authors"]?.array == ["Ann Lee"])
        #expect(entry["lastmod"]?.string == "2026-11-01T10:00:00Z")
    }
}
