import Testing

@testable import PippinPage

/// Which picture a page has, what is none of its pictures, and its site's icon.
@Suite struct PagePictureTests {
    private static let prose = String(
        repeating: "<p>The river rose by a metre during the night, and the lower town was cut off until noon.</p>",
        count: 8)

    private func record(_ html: String, head: String = "") throws -> DeepLinkRecord {
        try RecordBuilderTests.record("<!doctype html><head><title>High water</title>\(head)</head><body>\(html)")
    }

    /// The picture of an article that has an element in its text.
    private func picture(_ html: String, head: String = "") throws -> String? {
        try record("<article><h1>High water</h1>\(html)\(Self.prose)</article>", head: head).thumbnailURL
    }

    private func graph(_ address: String) -> String { "<meta property='og:image' content='\(address)'>" }

    private func script(_ json: String) -> String {
        "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\(json)}</script>"
    }

    // MARK: In the text

    @Test func `the first large picture of the text is the page's, with its size and description`() throws {
        let record = try record(
            "<article><h1>High water</h1><img src='/small.jpg' width=80 height=80>"
                + "<img src='/river.jpg' width=800 height=600 alt='The river'><img src='/b.jpg'>\(Self.prose)</article>"
        )
        #expect(
            record.images == [
                DeepLinkRecord.Image(url: "https://example.org/river.jpg", width: 800, height: 600, alt: "The river")
            ])
        #expect(record.thumbnailURL == "https://example.org/river.jpg")
        #expect(record.provenance.contains(DeepLinkRecord.Provenance(field: "thumbnailURL", source: .mainText)))
    }

    @Test func `a stated picture comes before those of the text`() throws {
        #expect(try picture("<img src='/river.jpg'>", head: graph("/stated.jpg")) == "https://example.org/stated.jpg")
    }

    @Test(arguments: [
        ("<img data-src='/river.jpg' src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", "/river.jpg"),
        ("<img data-lazy-src='/river.jpg' src='/blank.gif'>", "/river.jpg"),
        ("<img data-original='/river.jpg'>", "/river.jpg"),
        ("<img data-delayed-url='/river.jpg'>", "/river.jpg"),
        ("<img data-srcset='/s.jpg 300w, /l.jpg 1200w, /xxl.jpg 9000w'>", "/l.jpg"),
        ("<img src='/p-20x15.jpg' srcset='/c,w_400/r.jpg 400w, /c,w_900/r.jpg 900w'>", "/c,w_900/r.jpg"),
        ("<img srcset='/a.jpg, /b.jpg 2x'>", "/b.jpg"),
        ("<picture><source type='image/webp' srcset='/river.webp 1000w'><img alt=''></picture>", "/river.webp"),
        ("<noscript><img src='/river.jpg'></noscript>", "/river.jpg"),
        ("<video poster='/still.jpg' src='/v.mp4' controls></video>", "/still.jpg"),
        ("<a href='/river-large.jpg'><img src='/river.jpg'></a>", "/river.jpg"),
        ("<a href='/page/attachment/river'><img src='/river.jpg'></a>", "/river.jpg"),
    ])
    func `addresses of pictures stand in many attributes`(html: String, path: String) throws {
        #expect(try picture(html) == "https://example.org" + path)
    }

    @Test(arguments: [
        "<img src='/p.gif' width=1 height=1>", "<img src='/1x1.png'>",
        "<img src='https://pixel.counter.example/i?p=1'>",
        "<img src='/sprite.png'>", "<img src='/site-logo.png'>", "<img src='/logos/a.png'>",
        "<img src='/avatars/7.jpg'>",
        "<img src='https://secure.gravatar.com/avatar/0?s=400'>", "<img class='emoji' src='/e/1.png'>",
        "<img src='/wide.jpg' width=1200 height=90>", "<img src='/thumb-150x150.jpg'>", "<img src='/t.jpg?w=90'>",
        "<img src='/photo_160_120.jpg'>", "<img src='/check.svg'>", "<img src='/i.jpg' style='display: none'>",
        "<a href='/'><img src='/home.jpg'></a>", "<a href='/other-story'><img src='/other.jpg'></a>",
        "<section><h2>Offers</h2><img src='/lamp.jpg'></section>", "<aside><img src='/river.jpg'></aside>",
        "<div class='related-stories'><img src='/river.jpg'></div>",
        "<div class='authorBox'><img src='/me.jpg'></div>", "<div hidden><img src='/river.jpg'></div>",
        "<img src='/wp-content/themes/news/header.jpg'>", "<img src=''>", "<img src='/page'>",
        "<img src='data:image/png;base64,AAAA'>",
    ])
    func `what is small, decoration or of another page is no picture`(html: String) throws {
        #expect(try picture(html) == nil)
    }

    @Test func `what stands behind the text is no picture of it`() throws {
        #expect(try record("<div><h1>High water</h1>\(Self.prose)</div><p><img src='/other.jpg'></p>").images.isEmpty)
    }

    @Test func `thousands of images cost no more than the first hundred`() throws {
        let icons = String(repeating: "<img src='/i.png' width=20>", count: 5_000)
        #expect(try picture(icons + "<img src='/river.jpg'>") == nil)
    }

    // MARK: Stated pictures that are none

    @Test(arguments: ["/assets/logo.png", "/logo/black.gif", "/wp-content/plugins/seo/img.png", "/img/og-default.png"])
    func `a logo gives way to a picture of the text, and stays where there is none`(path: String) throws {
        #expect(try picture("<img src='/river.jpg'>", head: graph(path)) == "https://example.org/river.jpg")
        #expect(try picture("", head: graph(path)) == "https://example.org" + path)
    }

    @Test func `an address that the page gives for its publisher's logo or its icon is a logo`() throws {
        let head =
            graph("https://cdn.example/brand.png?v=2")
            + script(
                #""@type":"NewsArticle","headline":"High water","publisher":{"@type":"Organization","logo":{"@type":"ImageObject","url":"http://cdn.example/brand.png"}}"#
            )
        #expect(try picture("<img src='/river.jpg'>", head: head) == "https://example.org/river.jpg")
        let icon = graph("/touch.png") + "<link rel='apple-touch-icon' href='/touch.png'>"
        #expect(try picture("<img src='/river.jpg'>", head: icon) == "https://example.org/river.jpg")
    }

    @Test func `the next source counts if og:image is a logo`() throws {
        let head = graph("/logo.png") + "<meta name='twitter:image' content='/flood.jpg'>"
        #expect(try picture("", head: head) == "https://example.org/flood.jpg")
    }

    @Test func `a player outside of the text shows its poster if nothing but a logo is stated`() throws {
        let posts = "<section><h2>Updates</h2><video poster='/post.jpg' src='/v.mp4'></video></section>"
        let page = "<h1>Waterworks</h1>" + posts
        #expect(try record(page, head: graph("/logo.png")).thumbnailURL == "https://example.org/post.jpg")
        #expect(try record(page, head: graph("/house.jpg")).thumbnailURL == "https://example.org/house.jpg")
        for beside in ["<aside>\(posts)</aside>", "<div hidden>\(posts)</div>", "<dialog>\(posts)</dialog>"] {
            let record = try record("<h1>Waterworks</h1>" + beside, head: graph("/logo.png"))
            #expect(record.thumbnailURL == "https://example.org/logo.png")
        }
    }

    @Test func `pixels are never pictures, and avatars only of profiles`() throws {
        #expect(try picture("", head: graph("https://stats.example/pixel.gif")) == nil)
        #expect(try picture("", head: graph("/x.png") + "<meta property='og:image:width' content=1>") == nil)
        let avatar = graph("https://avatars.example/u/7")
        #expect(try picture("", head: avatar) == nil)
        #expect(
            try picture("", head: avatar + "<meta property='og:type' content=profile>") == "https://avatars.example/u/7"
        )
    }

    // MARK: Words of kinds that name the subject

    /// The words by which kinds of pictures are told, with the paths in which a page about them has its picture.
    @Test(arguments: [
        "avatar", "avatars", "gravatar", "logo", "logos", "logotype", "favicon", "placeholder", "sprite", "emoji",
        "smiley", "spacer",
        "pixel", "blank", "grey", "white", "loading", "themes", "plugins", "skin", "default",
    ])
    func `a word that the title has names the picture's subject`(word: String) throws {
        for path in [
            "/\(word)/poster.jpg", "/2024/05/\(word)-review/hero.jpg", "/films/the-\(word).jpg",
            "/i/\(word)-social-image.jpg",
            "/i/\(word).jpg", "/i/best-\(word)-of-all.png", "/i/new-\(word).png",
        ] {
            let head = "<meta property='og:title' content='Everything about \(word)'>" + graph(path)
            #expect(try picture("", head: head) == "https://example.org" + path)
        }
    }

    @Test func `a site's own name is no counter and no avatar`() throws {
        for host in ["beacon.example.org", "pixel.org", "avatar.org", "cdn.stats.org", "counter.org"] {
            let page = "https://www." + (host.split(separator: ".").suffix(2).joined(separator: "."))
            let own = try RecordBuilderTests.record(
                graph("https://\(host)/flood.jpg") + "<title>High water</title>", url: page + "/1")
            #expect((own.thumbnailURL != nil) == (host != "beacon.example.org"), "\(host)")
        }
        #expect(try picture("", head: graph("https://beacon.org/i.jpg")) == nil)
    }

    @Test(arguments: [
        "/avatar/poster.jpg", "/films/avatar/still-1.jpg", "/2009/12/avatar-the-way-of-water.jpg",
        "/avatar-review/1.jpg",
        "/i/catalogos.jpg", "/i/iconic.jpg", "/i/psychologos-1.jpg", "/i/pixelated.jpg", "/logo-history/pepsi.jpg",
    ])
    func `a word of a kind that begins another name is none`(path: String) throws {
        #expect(try picture("", head: graph(path)) == "https://example.org" + path)
    }

    @Test(arguments: [
        "/avatar/0.jpg", "/avatar/7f3acd", "/avatars/jane.jpg", "/user/avatar/jane.jpg", "/i/jane-avatar.png",
        "/i/avatar_150x150.png",
        "/i/default-avatar-small.png", "/i/avatar.png", "/uploads/avatars/2024/05/jane.jpg",
    ])
    func `an account's picture is told by its address`(path: String) throws {
        #expect(try picture("", head: graph(path)) == nil)
    }

    // MARK: schema.org

    @Test func `an ImageObject of its own is a picture, one of author or publisher is none`() throws {
        let image =
            #""@type":"ImageObject","contentUrl":"/flood.jpg","encodingFormat":"image/jpeg","width":"1200 px","caption":"Flood""#
        #expect(
            try record("", head: script(image)).images == [
                DeepLinkRecord.Image(
                    url: "https://example.org/flood.jpg", type: "image/jpeg", width: 1200, alt: "Flood")
            ])
        let graph = script(
            ##""@graph":[{"@type":"NewsArticle","headline":"High water"},{"@type":"Organization","name":"Paper","image":{"@id":"#i"}},{"@type":"ImageObject","@id":"#i","url":"/house.jpg"}]"##
        )
        #expect(try record("", head: graph).images.isEmpty)
    }

    @Test func `the image of the main entity counts`() throws {
        let page = script(
            #""@type":"WebPage","mainEntity":{"@type":"Organization","name":"Paper","image":"/house.jpg"}"#)
        #expect(try record("", head: page).thumbnailURL == "https://example.org/house.jpg")
    }

    // MARK: Types and sizes

    @Test func `og:image:type, and the size of videos are kept`() throws {
        let record = try record(
            "<video src='/c.mp4' width=320 height='100%' controls></video>",
            head: graph("/a.webp") + "<meta property='og:image:type' content='image/webp'>"
                + "<meta property='og:video' content='/a.mp4'><meta property='og:video:width' content='1280'>"
                + "<meta property='og:video:height' content='720'>"
                + script(
                    #""@type":"VideoObject","contentUrl":"/b.mp4","width":640,"height":{"@type":"QuantitativeValue","value":360}"#
                ))
        #expect(record.images.map(\.type) == ["image/webp"])
        #expect(
            record.video == [
                DeepLinkRecord.Media(url: "https://example.org/a.mp4", width: 1280, height: 720),
                DeepLinkRecord.Media(url: "https://example.org/b.mp4", width: 640, height: 360),
                DeepLinkRecord.Media(url: "https://example.org/c.mp4", width: 320),
            ])
    }

    // MARK: Icon

    private func icon(_ links: String, manifest: String? = nil) throws -> String? {
        let url = try #require(WebURL("https://example.org/app/site.webmanifest"))
        let conclusion = RecordBuilder.conclusion(
            from: try RecordBuilderTests.facts("<title>Page</title>" + links, url: "https://example.org/page"),
            manifest: manifest.map { WebAppManifest(bytes: Array($0.utf8), url: url) },
            now: RecordBuilderTests.fetchedAt)
        let record = try #require(conclusion.record)
        #expect(record.provenance.count { $0.field == "iconURL" } == (record.iconURL == nil ? 0 : 1))
        return record.iconURL.map { String($0.dropFirst("https://example.org".count)) }
    }

    @Test func `the largest icon for home screens comes first, then the manifest's, then others`() throws {
        let small =
            "<link rel=icon href='/32.png' sizes=32x32><link rel='shortcut icon' href='/64.png' sizes='16x16 64x64'>"
        let touch =
            "<link rel=apple-touch-icon href='/t.png'><link rel=apple-touch-icon sizes=180x180 href='/t180.png'>"
            + "<link rel=apple-touch-icon-precomposed sizes=120x120 href='/t120.png'>"
        let manifest = """
            {"icons":[{"src":"i192.png","sizes":"192x192"},{"src":"/mask.png","sizes":"512x512","purpose":"maskable"},
            {"src":"i512.png","sizes":"512x512","purpose":"any maskable"},{"src":"data:image/png;base64,AA","sizes":"900x900"}]}
            """
        #expect(try icon(small + touch, manifest: manifest) == "/t180.png")
        #expect(try icon(small, manifest: manifest) == "/app/i512.png")
        #expect(try icon("", manifest: manifest) == "/app/i512.png")
        #expect(try icon(small, manifest: "{\"icons\":[]}") == "/64.png")
        #expect(try icon(small) == "/64.png")
        #expect(
            try icon("<link rel=icon href='/v.svg' sizes=any><link rel=icon href='/16.png' sizes=16x16>") == "/v.svg")
        #expect(try icon("<link rel=mask-icon href='/m.svg'><link rel=icon href='data:,'>") == nil)
        #expect(try icon("") == nil)
    }
}
