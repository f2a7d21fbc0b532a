import Testing

@testable import PippinPage

/// What is kept of a sitemap's entry, and what of it reaches the record.
@Suite struct SitemapFactsTests {
    private func entry(_ inside: String) throws -> SitemapEntry {
        let text =
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1' xmlns:video='http://www.google.com/schemas/sitemap-video/1.1' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'><url><loc>https://example.org/page</loc>\(inside)</url></urlset>"
        let url = try #require(WebURL("https://example.org/sitemap.xml"))
        return try #require(Sitemap(bytes: Array(text.utf8), url: url).entries.first)
    }

    private func facts(_ inside: String) throws -> SitemapFacts {
        SitemapFacts(try entry(inside), of: .urlset, maximumURLBytes: 2_000)
    }

    private static let news = """
        <news:news><news:publication><news:name>The Ulm Courier</news:name><news:language>de</news:language></news:publication>
        <news:publication_date>2026-11-20T08:00:00+01:00</news:publication_date><news:title>High water</news:title>
        <news:keywords>Danube, floods</news:keywords></news:news>
        """
    private static let image =
        "<image:image><image:loc>https://cdn.example/river.jpg</image:loc><image:title>River</image:title><image:caption>The river</image:caption></image:image>"
    private static let video = """
        <video:video><video:thumbnail_loc>https://cdn.example/still.jpg</video:thumbnail_loc><video:title>Flood</video:title>
        <video:content_loc>https://cdn.example/flood.mp4</video:content_loc><video:player_loc>https://cdn.example/p/1</video:player_loc>
        <video:duration> 95 </video:duration><video:publication_date>2026-11-19</video:publication_date></video:video>
        """

    // MARK: What is kept

    @Test func `the extensions of an entry are kept`() throws {
        let facts = try self.facts(Self.news + Self.image + Self.video)
        #expect(
            facts.news
                == SitemapFacts.News(
                    title: "High water", publication: "The Ulm Courier", language: "de",
                    keywords: "Danube, floods",
                    published: "2026-11-20T08:00:00+01:00"))
        #expect(
            facts.images == [SitemapFacts.Image(url: "https://cdn.example/river.jpg", alt: "The river")])
        #expect(
            facts.videos == [
                SitemapFacts.Video(
                    title: "Flood", thumbnail: "https://cdn.example/still.jpg",
                    content: "https://cdn.example/flood.mp4", player: "https://cdn.example/p/1",
                    duration: "95",
                    published: "2026-11-19")
            ])
        #expect(!facts.isEmpty)
    }

    @Test func `an entry without extensions and apps has no facts`() throws {
        #expect(try facts("<lastmod>2026-11-20</lastmod><priority>0.5</priority>").isEmpty)
        #expect(
            try facts("<news:news></news:news><image:image></image:image><video:video></video:video>")
                .isEmpty)
        #expect(try facts("<image:image><image:loc>/a.jpg</image:loc></image:image>").isEmpty)
        #expect(try facts("<image:image><image:loc>javascript:x</image:loc></image:image>").isEmpty)
    }

    @Test func `a page's facts are bounded, however much its entry has`() throws {
        let long = String(repeating: "Danube ", count: 600)
        let images = (0..<900).map {
            "<image:image><image:loc>https://cdn.example/\($0).jpg</image:loc><image:caption>\(long)</image:caption></image:image>"
        }
        let videos = (0..<90).map {
            "<video:video><video:title>\(long)</video:title><video:content_loc>https://cdn.example/\($0).mp4?\(String(repeating: "x", count: 500))</video:content_loc></video:video>"
        }
        let apps = (0..<90).map { "<xhtml:link rel='alternate' href='android-app://a.b/https/example.org/\($0)'/>" }
        let facts = try self.facts(
            Self.news.replacing("High water", with: long) + images.joined() + videos.joined()
                + apps.joined())
        #expect(facts.byteCount <= 1_500 + 2_000)
        #expect(facts.alternates.count == 20)
        #expect(
            facts.news?.title?.hasSuffix("Danube …") == true || facts.news?.title?.hasSuffix("…") == true)
        #expect((facts.news?.title?.utf8.count ?? 0) <= 300)
        #expect(facts.videos.count <= 2)
        #expect(facts.images.count <= 5)
        #expect(try self.facts(images.map { $0.replacing(long, with: "") }.joined()).images.count == 5)
    }

    @Test func `sitemaps are joined: app addresses together, of the rest what was read last`() throws {
        var facts = try self.facts(
            Self.news + Self.image + "<xhtml:link rel='alternate' href='ios-app://2/b'/>")
        facts.add(
            try self.facts(
                "<image:image><image:loc>https://cdn.example/new.jpg</image:loc></image:image><xhtml:link rel='alternate' href='ios-app://1/a'/>"
            ))
        #expect(facts.alternates == ["ios-app://1/a", "ios-app://2/b"])
        #expect(facts.images.map(\.url) == ["https://cdn.example/new.jpg"])
        #expect(facts.news?.title == "High water")
        facts.add(SitemapFacts())
        #expect(facts.images.count == 1)
    }

    // MARK: The record

    private func record(_ html: String, _ inside: String) throws -> DeepLinkRecord {
        let conclusion = RecordBuilder.conclusion(
            from: try RecordBuilderTests.facts(html, url: "https://example.org/page"), sitemap: try facts(inside),
            now: RecordBuilderTests.fetchedAt)
        return try #require(conclusion.record)
    }

    private func sources(_ record: DeepLinkRecord) -> [String: String] {
        Dictionary(record.provenance.map { ($0.field, $0.source.rawValue) }) { $1 }
    }

    @Test func `a page that says nothing has what its sitemap says`() throws {
        let record = try record("<p>Wet.</p>", Self.news + Self.image + Self.video)
        #expect(record.title == "High water")
        #expect(record.containerTitle == "The Ulm Courier")
        #expect(record.languages == ["de"])
        #expect(record.keywords == ["Danube", "floods"])
        #expect(record.publishedAt == "2026-11-20T08:00:00+01:00")
        #expect(record.thumbnailURL == "https://cdn.example/river.jpg")
        #expect(
            record.images.map(\.url) == [
                "https://cdn.example/river.jpg", "https://cdn.example/still.jpg",
            ])
        #expect(record.images.first?.alt == "The river")
        #expect(record.video == [DeepLinkRecord.Media(url: "https://cdn.example/flood.mp4")])
        #expect(record.actions == [.play(.video, url: "https://cdn.example/flood.mp4")])
        let sources = sources(record)
        for field in [
            "title", "containerTitle", "languages", "keywords", "publishedAt", "thumbnailURL", "video",
        ] {
            #expect(sources[field] == "sitemap", "\(field)")
        }
    }

    @Test func `what a page says itself comes first`() throws {
        let record = try record(
            """
            <html lang="en"><title>Floods in Ulm</title><meta name="keywords" content="water">
            <meta property="og:site_name" content="Courier"><meta property="og:image" content="/own.jpg">
            <meta property="article:published_time" content="2026-11-18"><meta property="og:video" content="/own.mp4">
            """, Self.news + Self.image + Self.video)
        #expect(record.title == "Floods in Ulm")
        #expect(record.containerTitle == "Courier")
        #expect(record.languages == ["en"])
        #expect(record.keywords == ["water"])
        #expect(record.publishedAt == "2026-11-18")
        #expect(record.thumbnailURL == "https://example.org/own.jpg")
        #expect(
            record.images.map(\.url) == [
                "https://example.org/own.jpg", "https://cdn.example/river.jpg",
                "https://cdn.example/still.jpg",
            ])
        #expect(
            record.video.map(\.url) == ["https://example.org/own.mp4", "https://cdn.example/flood.mp4"])
        #expect(!sources(record).values.contains("sitemap"))
    }

    @Test func `a sitemap's logo, future date and noimageindex do not count`() throws {
        let news = Self.news.replacing("2026-11-20", with: "2086-11-20")
        let logo = "<image:image><image:loc>https://cdn.example/pixel.gif</image:loc></image:image>"
        let empty = try record("<p>Wet.</p>", news + logo)
        #expect(empty.publishedAt == nil)
        #expect(empty.images.isEmpty)
        #expect(try record("<meta name=robots content=noimageindex>", Self.image).images.isEmpty)
        let player = Self.video.replacing(
            "https://cdn.example/flood.mp4", with: "https://cdn.example/flood.swf")
        #expect(
            try record("<p>Wet.</p>", player).video
                == [DeepLinkRecord.Media(url: "https://cdn.example/p/1", type: "text/html")])
    }
}
