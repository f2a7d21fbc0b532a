import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Files that pages depend on, web manifests, and what sitemaps say of pages: in the crawl, proven from the web's log.
@Suite struct SiteFileTests {
    let web = FakeWeb(time: MadeUpTime())
    private let manifest = #"{"related_applications":[{"platform":"play","id":"org.example.app"}]}"#
    private let link = "<link rel=manifest href=/app.webmanifest>"

    private func sources(_ crawl: FakeCrawl, of url: String) -> [String] {
        crawl.records.first { $0.uniqueIdentifier == url }?.deepLinks.flatMap { $0.sources.map(\.rawValue) } ?? []
    }

    private func requests(_ purpose: FetchRequest.Purpose) -> [FakeWeb.LogEntry] {
        web.log.filter { $0.purpose == purpose }
    }

    // MARK: Web manifest

    @Test func `a manifest is asked for once, in its host's turn, before the next page, and every page has its apps`()
        async throws
    {
        web["https://a.test/app.webmanifest"] = [.text(manifest)]
        web.page("https://a.test/", links: ["/1", "/2", "/3"], head: link)
        for page in 1...3 { web.page("https://a.test/\(page)", deepLink: page != 2, head: link) }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(requests(.manifest).map(\.url) == ["https://a.test/app.webmanifest"])
        #expect(web.visited.prefix(2) == ["https://a.test/", "https://a.test/app.webmanifest"])
        #expect(crawl.records.count == 4)
        for record in crawl.records {
            #expect(record.deepLinks.contains { $0.packageName == "org.example.app" && $0.sources == [.webManifest] })
        }
        #expect(crawl.siteFiles(.manifest) == ["found": 1])
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `a page is filed without a manifest that cannot be fetched`() async throws {
        web["https://a.test/app.webmanifest"] = [.status(404)]
        web["https://b.test/app.webmanifest"] = [.failure(.timedOut("no answer within 10 s"))]
        web["https://c.test/app.webmanifest"] = [.text(manifest)]
        web.robots("https://c.test", "User-agent: *\nDisallow: /app")
        web["https://d.test/app.webmanifest"] = [FakeWeb.Answer.text(manifest).taking(.seconds(60))]
        web["https://e.test/app.webmanifest"] = [.redirect(to: "https://elsewhere.test/m")]
        web["https://f.test/app.webmanifest"] = [.redirect(to: "/app.webmanifest?x")]
        web["https://f.test/app.webmanifest?x"] = [.redirect(to: "/app.webmanifest")]
        web["https://g.test/app.webmanifest"] = [.text(String(repeating: " ", count: 1_000_001))]
        for host in "abcdefg" { web.page("https://\(host).test/", links: ["/1"], head: link) }
        for host in "abcdefg" { web.page("https://\(host).test/1", head: link) }
        let crawl = try await FakeCrawl.run(web, seeds: "abcdefg".map { "https://\($0).test/" })
        #expect(crawl.records.count == 14)
        #expect(crawl.records.allSatisfy { $0.deepLinks.map(\.storeIdentifier) == ["123456789"] })
        #expect(
            crawl.siteFiles(.manifest) == [
                "status": 1, "failed": 3, "disallowed": 1, "redirect-refused": 1,
                "redirect-loop": 1,
            ])
        #expect(!web.log.contains { $0.host == "elsewhere.test" || $0.host == "c.test" && $0.purpose == .manifest })
        #expect(crawl.summary.ending == .finished && crawl.summary.unvisited == 0)
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `a manifest of another host is asked for when the crawl covers it, by that host's rules`() async throws {
        for host in ["static.a.test", "closed.a.test", "cdn.test"] {
            web["https://\(host)/m.json"] = [.text(manifest)]
        }
        web.robots("https://closed.a.test", "User-agent: *\nDisallow: /")
        web.page(
            "https://a.test/", links: ["/1", "/2"], head: "<link rel=manifest href='https://static.a.test/m.json'>")
        web.page("https://a.test/1", head: "<link rel=manifest href='https://cdn.test/m.json'>")
        web.page("https://a.test/2", head: "<link rel=manifest href='https://closed.a.test/m.json'>")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.follow = .domain }
        #expect(requests(.manifest).map(\.url) == ["https://static.a.test/m.json"])
        #expect(sources(crawl, of: "https://a.test/") == ["smart-app-banner", "web-manifest"])
        #expect(sources(crawl, of: "https://a.test/1") == ["smart-app-banner"])
        #expect(sources(crawl, of: "https://a.test/2") == ["smart-app-banner"])
        CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
    }

    @Test func `the page limit holds, and the last page still gets its manifest`() async throws {
        web["https://a.test/app.webmanifest"] = [.text(manifest)]
        web.page("https://a.test/", links: (1...9).map { "/\($0)" }, head: link)
        for page in 1...9 { web.page("https://a.test/\(page)", head: "<link rel=manifest href=/m\(page)>") }
        for page in 1...9 { web["https://a.test/m\(page)"] = [.text(manifest)] }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.maximumPages = 4 }
        #expect(crawl.summary.statistics.pages == 4)
        #expect(crawl.summary.ending == .pageLimit)
        #expect(crawl.records.count == 4)
        #expect(crawl.records.allSatisfy { $0.deepLinks.count == 2 })
    }

    @Test func `a host that is left while pages wait for its manifest loses none of them`() async throws {
        web["https://a.test/app.webmanifest"] = [.status(503, headers: [("Retry-After", "86400")])]
        web.page("https://a.test/", links: ["/1", "/2"], head: link)
        web.page("https://a.test/1", head: link)
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == ["https://a.test/"])
        #expect(crawl.summary.unvisited == 2)
        #expect(crawl.siteFiles(.manifest) == ["status": 1])
    }

    @Test func `a stop gives pages back that wait, and nothing hangs`() async throws {
        web["https://a.test/app.webmanifest"] = [.text(manifest)]
        web.page("https://a.test/", links: ["/1"], head: link)
        web.page("https://a.test/1", head: link)
        // The second request is the page; its manifest is not asked for any more.
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { _ in
        } start: { crawler in
            web.onRequest { if $0 == 2 { crawler.stop() } }
        }
        #expect(crawl.summary.ending == .interrupted)
        #expect(crawl.records.isEmpty && crawl.summary.unvisited >= 1)
    }

    @Test func `what is recorded does not depend on how fast manifests come`() async throws {
        func run(_ latency: UInt64) async throws -> [DeepLinkRecord] {
            let web = FakeWeb(time: MadeUpTime(), latencySeed: latency, slowest: .seconds(3))
            for host in 0..<4 {
                for page in 0..<12 {
                    let path = page == 0 ? "/" : "/p\(page)"
                    web.page(
                        "https://s\(host).test\(path)",
                        links: ["/p\(page + 1)", "https://s\((host + 1) % 4).test/p\(page)"],
                        head: "<link rel=manifest href='https://s\((host + page) % 4).test/m\(page % 3)'>")
                }
                for file in 0..<3 {
                    web["https://s\(host).test/m\(file)"] = [
                        .text(#"{"related_applications":[{"platform":"play","id":"org.example.a\#(host)\#(file)"}]}"#)
                    ]
                }
            }
            let crawl = try await FakeCrawl.run(web, seeds: (0..<4).map { "https://s\($0).test/" }) {
                $0.scope.maximumDepth = 100
                $0.politeness.adaptive = false
            }
            CrawlPolitenessTests.expectPolite(web, delay: .seconds(1))
            return crawl.records.sorted { $0.uniqueIdentifier < $1.uniqueIdentifier }
        }
        let first = try await run(1)
        let second = try await run(2)
        #expect(first.count == 48)
        #expect(first.map(\.deepLinks) == second.map(\.deepLinks))
        #expect(first.allSatisfy { $0.deepLinks.count == 2 })
    }

    @Test func `when many pages wait, others are read later and none goes without its manifest`() async throws {
        let hosts = (0..<2_300).map { "https://h\($0).test" }
        for host in hosts {
            web[host + "/app.webmanifest"] = [.text(manifest)]
            web.page(host + "/", head: link)
        }
        let crawl = try await FakeCrawl.run(web, seeds: hosts.map { $0 + "/" }) {
            $0.politeness.delay = .seconds(30)
        }
        #expect(crawl.records.count == hosts.count)
        #expect(crawl.records.allSatisfy { $0.deepLinks.count == 2 })
        #expect(crawl.siteFiles(.manifest) == ["found": hosts.count])
        let firstManifest = try #require(requests(.manifest).map(\.end).min())
        let readBefore = requests(.page).count { $0.start < firstManifest }
        #expect(readBefore < hosts.count)
    }

    // MARK: Single pages

    @Test func `a single fetch asks for the manifest as politely as a crawl`() async throws {
        web["https://a.test/app.webmanifest"] = [.text(manifest)]
        web["https://closed.test/m"] = [.text(manifest)]
        web.robots("https://closed.test", "User-agent: *\nDisallow: /m")
        web.page("https://a.test/")
        let page = try #require(WebURL("https://a.test/"))
        let outcomes = try await web.time.run { [web] in
            var single = SingleFetch(configuration: CrawlConfiguration(), fetcher: web, clock: web.time.clock)
            _ = try await single.fetch(page, purpose: .page).get()
            var codes: [String] = []
            for address in ["https://a.test/app.webmanifest", "https://a.test/none", "https://b.test/m"] {
                guard let url = WebURL(address) else { continue }
                let outcome = await single.siteFile(.manifest, at: url, of: page)
                codes.append(
                    outcome.cause?.kind.fileCode ?? outcome.manifest?.relatedApplications.first?.packageName ?? "-")
            }
            if let url = WebURL("https://closed.test/m") {
                codes.append(await single.siteFile(.manifest, at: url, of: url).cause?.kind.fileCode ?? "-")
            }
            return codes
        }
        #expect(outcomes == ["org.example.app", "status", "out-of-scope", "disallowed"])
        #expect(requests(.robots).map(\.url) == ["https://a.test/robots.txt", "https://closed.test/robots.txt"])
    }

    // MARK: Sitemaps

    @Test func `a sitemap's news, images and videos reach the record`() async throws {
        web.robots("https://a.test", "User-agent: *\nSitemap: https://a.test/news.xml")
        web["https://a.test/news.xml"] = [
            .xml(
                """
                <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
                xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
                xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
                xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
                <url><loc>https://a.test/1</loc><news:news><news:publication><news:name>Courier</news:name></news:publication>
                <news:publication_date>2020-11-20</news:publication_date></news:news>
                <image:image><image:loc>https://cdn.test/1.jpg</image:loc></image:image>
                <video:video><video:content_loc>https://cdn.test/1.mp4</video:content_loc><video:duration>600</video:duration></video:video></url></urlset>
                """)
        ]
        web.page("https://a.test/", links: ["/1"])
        web.page("https://a.test/1")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) {
            $0.scope.sitemaps = true
        }
        let record = try #require(crawl.records.first { $0.url == "https://a.test/1" })
        #expect(record.publishedAt == "2020-11-20")
        #expect(record.thumbnailURL == "https://cdn.test/1.jpg")
        #expect(record.video.map(\.url) == ["https://cdn.test/1.mp4"])
        #expect(record.duration == 600)
        #expect(crawl.records.first { $0.url == "https://a.test/" }?.publishedAt == nil)
    }

    private func sitemap(_ entries: [(loc: String, alternates: [String])]) -> FakeWeb.Answer {
        let urls = entries.map { entry in
            "<url><loc>\(entry.loc)</loc>"
                + entry.alternates.map { "<xhtml:link rel=\"alternate\" href=\"\($0)\"/>" }.joined() + "</url>"
        }
        return .xml(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">"
                + urls.joined() + "</urlset>")
    }

    private func alternates(_ crawl: FakeCrawl) -> [String] {
        crawl.records.sorted { $0.url < $1.url }.map { record in
            record.url + " "
                + record.deepLinks.filter { $0.sources == [.alternate] }
                .map { "\($0.packageName ?? $0.storeIdentifier ?? "-") \($0.url ?? "-")" }.joined(separator: ", ")
        }
    }

    @Test func `what a sitemap says of a page reaches its record, the seed's and a redirected one's too`() async throws
    {
        web.robots("https://a.test", "User-agent: *\nSitemap: https://a.test/index.xml")
        web["https://a.test/index.xml"] = [
            .xml(
                "<sitemapindex><sitemap><loc>https://a.test/1.xml</loc></sitemap><sitemap><loc>https://a.test/2.xml</loc></sitemap></sitemapindex>"
            )
        ]
        web["https://a.test/1.xml"] = [
            sitemap([
                ("https://a.test/", ["ios-app://55/shows/home", "https://a.test/de"]),
                ("https://a.test/1?utm_source=x", ["android-app://org.example.a/https/a.test/1"]),
                ("https://a.test/old", ["android-app://org.example.a/shows/old"]),
            ])
        ]
        web["https://a.test/2.xml"] = [
            sitemap([("https://a.test/1", ["android-app://org.example.b/b/1", "javascript:x", "android-app://"])])
        ]
        web.page("https://a.test/", links: ["/1", "/old"])
        web.page("https://a.test/1")
        web["https://a.test/old"] = [.redirect(to: "/new")]
        web.page("https://a.test/new")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.sitemaps = true }
        #expect(
            alternates(crawl) == [
                "https://a.test/ 55 shows://home",
                "https://a.test/1 org.example.a https://a.test/1, org.example.b b://1",
                "https://a.test/new org.example.a shows://old",
            ])
        #expect(
            web.visited.prefix(4) == [
                "https://a.test/index.xml", "https://a.test/1.xml", "https://a.test/2.xml", "https://a.test/",
            ])
    }
}
