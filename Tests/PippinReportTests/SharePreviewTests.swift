import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinReport

/// How a page looks where it is shared.
@Suite struct SharePreviewTests {
    private func previews(_ head: String, images: [ImageEvidence]? = nil) -> [SharePreview.Network: SharePreview] {
        let card = ReportPage(head).with { $0.images = images }.card
        return Dictionary(uniqueKeysWithValues: card.previews.map { ($0.network, $0) })
    }

    private func preview(
        _ network: SharePreview.Network, _ head: String, images: [ImageEvidence]? = nil
    ) throws -> SharePreview {
        try #require(previews(head, images: images)[network])
    }

    private static func image(_ width: Int, _ height: Int, bytes: Int = 1_000) throws -> ImageEvidence {
        var image = ImageEvidence(url: try #require(WebURL("https://shop.example/a.jpg")), status: 200)
        image.format = .jpeg
        (image.width, image.height, image.byteCount) = (width, height, bytes)
        return image
    }

    /// The first bytes of a picture of 4×4 pixels.
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0, 4, 0, 0, 0, 4, 8, 2, 0, 0, 0, 0, 0, 0, 0]

    private static let full = """
        <title>HTML title</title><meta name="description" content="HTML description of the mug">
        <meta property="og:title" content="OG title"><meta property="og:description" content="OG description">
        <meta property="og:site_name" content="Shop"><meta property="og:image" content="https://shop.example/a.jpg">
        <meta name="twitter:card" content="summary_large_image"><meta name="twitter:title" content="X title">
        <meta name="twitter:description" content="X description">
        """

    @Test func `each network reads its own tags`() throws {
        let found = previews(Self.full)
        #expect(found.count == 8)
        #expect(found[.messages]?.title?.text == "OG title" && found[.messages]?.description == nil)
        #expect(found[.facebook]?.title?.text == "OG title" && found[.facebook]?.description?.text == "OG description")
        #expect(found[.x]?.title?.text == "X title" && found[.slack]?.title?.text == "X title")
        #expect(found[.slack]?.description?.text == "X description" && found[.slack]?.siteName == "Shop")
        #expect(found[.x]?.domain == "shop.example")
        #expect(found[.linkedin]?.title?.text == "OG title" && found[.linkedin]?.description == nil)
        #expect(found[.whatsapp]?.title?.text == "OG title" && found[.whatsapp]?.description?.text == "OG description")
        #expect(found[.discord]?.title?.text == "OG title" && found[.discord]?.siteName == "Shop")
        #expect(found.values.allSatisfy { $0.network == .spotlight || $0.layout == .large })
        #expect(found[.x]?.description == nil && found[.x]?.notes == ["Beside a large picture X shows no description."])
    }

    @Test func `what is missing comes from elsewhere, or is said`() throws {
        let bare = previews("<title>HTML title</title><meta name=description content='HTML description'>")
        #expect(bare[.messages]?.title?.source == "title" && bare[.facebook]?.description?.source == "description")
        #expect(bare[.facebook]?.notes.contains("There is no og:title: the title comes from <title>.") == true)
        #expect(bare[.x]?.layout == .link)
        #expect(bare[.slack]?.layout == .text)
        let icon = try preview(.messages, "<title>T</title><link rel=apple-touch-icon href=/i.png>")
        #expect(icon.layout == .small && icon.picture?.url.href == "https://shop.example/i.png")
        let summary = try preview(
            .x,
            "<meta property='og:type' content=article><meta property='og:title' content=T><meta property='og:description' content=D>"
        )
        #expect(summary.layout == .text && summary.notes.first == "There is no twitter:card: the picture is small.")
    }

    @Test(arguments: [
        (SharePreview.Network.x, 70), (.facebook, 88), (.messages, 80), (.slack, 150), (.linkedin, 150),
        (.whatsapp, 80), (.spotlight, 90),
    ])
    func `a title is cut where the network cuts it`(network: SharePreview.Network, limit: Int) throws {
        func title(_ length: Int) throws -> SharePreview.Part? {
            let text = "W".repeated(length)
            return try preview(
                network,
                "<title>\(text)</title><meta property='og:title' content='\(text)'><meta name='twitter:card' content=summary>"
            ).title
        }
        #expect(try title(limit)?.wholeLength == nil)
        let cut = try #require(try title(limit + 1))
        #expect(cut.wholeLength == limit + 1 && cut.text.count == limit && cut.text.hasSuffix("…"))
    }

    @Test func `a cut follows a word, and is told`() throws {
        let text = "word ".repeated(60)
        let found = try preview(
            .x,
            "<meta name='twitter:card' content=summary><meta name='twitter:title' content=T><meta name='twitter:description' content='\(text)'>"
        )
        #expect(found.description?.text.hasSuffix("word…") == true)
        #expect(found.notes.contains("The description has 299 characters and is cut after 200."))
    }

    @Test func `a picture has to be large, small and light enough`() throws {
        let large = try previews(Self.full, images: [Self.image(1_200, 630)])
        #expect(large[.facebook]?.layout == .large && large[.x]?.layout == .large)
        let medium = try previews(Self.full, images: [Self.image(250, 250)])
        #expect(medium[.facebook]?.layout == .small && medium[.x]?.layout == .small)
        #expect(
            medium[.facebook]?.notes.contains("The picture has 250×250 pixels; 600×315 would be shown large.") == true)
        let tiny = try previews(Self.full, images: [Self.image(100, 100)])
        #expect(tiny[.facebook]?.layout == .text && tiny[.facebook]?.picture == nil)
        let heavy = try previews(Self.full, images: [Self.image(1_200, 630, bytes: 6_000_000)])
        #expect(heavy[.x]?.picture == nil && heavy[.facebook]?.picture != nil)
        let relative = previews("<meta property='og:title' content=T><meta property='og:image' content='/a.jpg'>")
        #expect(
            relative[.facebook]?.notes.contains("The picture is not shown: og:image is not a whole address.") == true)
        #expect(relative[.messages]?.layout == .large)
        let drawn = previews(
            "<meta property='og:title' content=T><meta property='og:image' content='https://a.example/a.svg'>")
        #expect(drawn[.slack]?.layout == .text)
    }

    /// Heads, and whether X shows a card: the preview and S15 say the same.
    @Test(arguments: [
        ("<meta name='twitter:card' content=summary>", true),
        ("<meta name='twitter:card' content=Summary_Large_Image>", true),
        ("<meta name='twitter:card' content=photo>", false), ("<meta name='twitter:card' content=big>", false),
        ("<meta property='og:type' content=article>", true), ("", false),
    ])
    func `the preview of X and S15 agree on what is a card`(head: String, isCard: Bool) throws {
        var page = ReportPage(
            head
                + """
                <title>T</title><meta property='og:title' content=T><meta property='og:description' content='A mug.'>
                <meta property='og:image' content='https://shop.example/a.jpg'>
                """)
        page.options.profile = .twitter
        let card = page.card
        #expect((card.previews.first { $0.network == .x }?.layout != .link) == isCard)
        let found = card.findings("S15").filter { $0.outcome >= .info }
        #expect(found.isEmpty == isCard, "\(found.map(\.sentence))")
    }

    @Test func `LinkedIn and WhatsApp have their own sizes of pictures`() throws {
        func linkedIn(_ width: Int, _ height: Int, bytes: Int = 1_000) throws -> SharePreview {
            try preview(.linkedin, Self.full, images: [Self.image(width, height, bytes: bytes)])
        }
        let exact = try linkedIn(1_200, 627)
        #expect(exact.layout == .large && exact.notes.isEmpty)
        let below = try linkedIn(1_199, 627)
        #expect(
            below.layout == .large
                && below.notes == ["The picture has 1199×627 pixels; LinkedIn asks for 1200×627 at least."])
        let narrow = try linkedIn(400, 400)
        #expect(
            narrow.layout == .small
                && narrow.notes == ["The picture has 400×400 pixels; 401 in width would be shown large."])
        #expect(try linkedIn(1_200, 627, bytes: 5_000_000).picture != nil)
        #expect(try linkedIn(1_200, 627, bytes: 5_000_001).picture == nil)

        /// WhatsApp may relax its rules: the picture stays, and the note says what it has too much or too little of.
        func isLarge(_ width: Int, _ height: Int, bytes: Int = 1_000) throws -> Bool {
            let found = try preview(.whatsapp, Self.full, images: [Self.image(width, height, bytes: bytes)])
            #expect(found.picture != nil && found.notes.isEmpty == (found.layout == .large))
            return found.layout == .large
        }
        #expect(try isLarge(300, 300) && isLarge(1_200, 300) && isLarge(1_200, 630, bytes: 600_000))
        #expect(try !isLarge(299, 299) && !isLarge(1_201, 300) && !isLarge(1_200, 630, bytes: 600_001))
        #expect(
            try preview(.whatsapp, Self.full, images: [Self.image(299, 200)]).notes == [
                "WhatsApp may show the picture small, or not at all: it has 299×200 pixels, and 300 in width are the least."
            ])
        // A size that a page states can be any number.
        let stated =
            Self.full + "<meta property='og:image:width' content=9223372036854775807>"
            + "<meta property='og:image:height' content=9223372036854775807>"
        #expect(try preview(.whatsapp, stated).layout == .large)
    }

    /// Heads, where Discord takes title and description from, and how it arranges them.
    @Test(arguments: [
        ("", nil, nil, SharePreview.Layout.link), ("<title>T</title>", nil, nil, .link),
        ("<meta name=description content=D>", nil, nil, .link),
        ("<title>T</title><meta name=description content=D>", "title", "description", .text),
        // A tag of Open Graph or Twitter puts the pair out of use.
        (
            "<title>T</title><meta name=description content=D><meta property='og:description' content=O>", nil,
            "og:description", .text
        ),
        (
            "<title>T</title><meta name=description content=D><meta name='twitter:title' content=X>", "twitter:title",
            nil, .text
        ),
        ("<meta name='twitter:title' content=X><meta property='og:title' content=O>", "og:title", nil, .text),
        (
            "<meta property='og:title' content=O><meta property='og:image' content='https://a.example/a.jpg'>",
            "og:title", nil, .small
        ),
        (
            """
            <meta property='og:title' content=O><meta property='og:description' content=D><meta name='twitter:card' content=photo>
            <meta property='og:image' content='https://a.example/a.jpg'>
            """, "og:title", nil, .large
        ),
        (
            """
            <meta property='og:title' content=O><meta property='og:image' content='https://a.example/a.jpg'>
            <meta property='og:image' content='https://a.example/b.jpg'>
            """, "og:title", nil, .large
        ),
    ])
    func `Discord's preview follows its documentation`(
        head: String, title: String?, description: String?, layout: SharePreview.Layout
    ) throws {
        let found = try preview(.discord, head)
        #expect(found.title?.source == title && found.description?.source == description && found.layout == layout)
        #expect(found.notes.contains { $0.hasSuffix("Discord shows no preview.") } == (layout == .link))
    }

    @Test(arguments: [
        ("W".repeated(70), nil), ("W".repeated(71), "W".repeated(67)), ("é".repeated(35), nil),
        ("é".repeated(36), "é".repeated(33)), ("汉".repeated(24), "汉".repeated(22)),
        ("👩‍🚀".repeated(7), "👩‍🚀".repeated(6)),
    ])
    func `Discord cuts titles by bytes, and no character in two`(text: String, start: String?) throws {
        let found = try preview(.discord, "<meta property='og:title' content='\(text)'>")
        #expect(found.title?.text == start.map { $0 + "…" } ?? text)
        #expect((found.title?.text.utf8.count ?? 71) <= 70)
        #expect(found.title?.wholeLength == (start == nil ? nil : text.count))
        #expect(
            found.notes.contains("The title has \(text.utf8.count) bytes and is cut after 70.") == (start != nil))
    }

    @Test func `WhatsApp does not read what stands after 300 KB`() throws {
        let page = "<style>\("x".repeated(301_000))</style>" + Self.full
        #expect(try preview(.whatsapp, page).notes.contains { $0.hasPrefix("og:title stands after ") })
    }

    @Test func `Slack does not read what stands far down`() throws {
        let page = "<style>\("x".repeated(33_000))</style>" + Self.full
        let found = try preview(.slack, page)
        #expect(found.notes.contains { $0.hasPrefix("twitter:title stands after ") })
        #expect(try preview(.slack, Self.full).notes.isEmpty)
    }

    @Test func `JSON has them, and a page that was not read has none`() throws {
        let card = ReportPage(Self.full).card
        let networks = card.json["previews"]?.array?.compactMap { $0["network"]?.string }
        #expect(
            networks == ["messages", "x", "facebook", "slack", "linkedin", "whatsapp", "discord", "spotlight"])
        #expect(ReportPage(Self.full).with { $0.status = 404 }.card.previews.isEmpty)
    }

    @Test func `the report shows each picture once, and no markup of the page`() throws {
        var image = try Self.image(4, 4)
        image.take(status: 200, mediaType: "image/png", body: Self.png)
        let hostile = Self.full.replacing("OG title", with: "&lt;b onload=x>\u{202E}")
        let html = ReportPage(hostile).with { $0.images = [image] }.card.html
        #expect(html.ranges(of: "data:image/png;base64,").count == 1)
        #expect(html.contains("<use href=\"#picture-0\""))
        #expect(!html.contains("<b onload") && !html.contains("\u{202E}"))
    }
}
