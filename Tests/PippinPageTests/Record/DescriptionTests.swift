import Testing

@testable import PippinPage

/// Which description a page has, and how much of it.
@Suite struct DescriptionTests {
    private func record(_ html: String) throws -> DeepLinkRecord { try RecordBuilderTests.record(html) }

    private static let first =
        "The first pears of the year are ripe, and nobody has picked them yet, says the gardener."
    private static let second =
        "She has looked after the orchard for thirty years, and has never seen so many on one tree."
    private static let body = "<main><p>\(first)</p><p>\(second)</p><p>\(first)</p><p>\(second)</p></main>"

    private func description(_ head: String, body: String = body) throws -> String? {
        try record("<head><title>Pears</title>\(head)</head><body>\(body)</body>").contentDescription
    }

    @Test(
        arguments: [
            // Within a word, and behind one.
            ("\(first) She has looked after the orch", first),
            ("\(first) She has looked after the orchard for thirty", first),
            // Half of it is no sentence.
            (
                "The gardener of the old orchard says: She has looked after the orchard for thirty years, and has never se",
                "The gardener of the old orchard says: She has looked after the orchard for thirty years, and has never…"
            ),
            (
                "Listen to what she has to say: She has looked after the orchard for thirty years, and has never seen so many",
                "Listen to what she has to say: She has looked after the orchard for thirty years, and has never seen so many…"
            ),
            // Whole, or said nowhere else.
            ("\(first) \(second)", "\(first) \(second)"),
            ("\(first) And there is much more to read here", "\(first) And there is much more to read here"),
        ])
    func `a description that stops within a sentence of the text is cut behind a sentence or a word`(
        written: String, kept: String
    ) throws {
        #expect(try description("<meta name=description content=\"\(written)\">") == kept)
    }

    @Test func `of several meta descriptions, the one that the page shows counts`() throws {
        let other = "A journal for everyone who has an orchard, with news, advice and a calendar."
        let metas = "<meta name=description content=\"\(other)\"><meta name=description content=\"\(Self.second)\">"
        #expect(try description(metas) == Self.second)
        #expect(try description(metas, body: "<main><p>\(Self.first)</p></main>") == other)
    }

    @Test func `a description that a quotation mark cut off gives way to the next one`() throws {
        let other = "<meta property=og:description content=\"\(Self.second)\">"
        for cut in [
            #"<meta name=description content="The first pears of the year are ripe, says the gardener: "pick them" now">"#,
            "<meta name=description content='The first pears of the year are ripe, and that's the gardener's word'>",
        ] {
            #expect(try description(cut + other) == Self.second)
        }
        // A mark too many at the end cuts nothing.
        #expect(try description("<meta name=description content=\"\(Self.first)\"\">" + other) == Self.first)
    }

    @Test func `the description of the site is not that of its pages`() throws {
        let site = "A journal for everyone who has an orchard, with news, advice and a calendar."
        let jsonLD = """
            <script type="application/ld+json">{"@context":"https://schema.org","@type":"WebSite","name":"P","description":"\(site)"}
            </script>
            """
        let meta = "<meta name=description content=\"\(site)\">"
        #expect(
            try description(meta + jsonLD + "<meta property=og:description content=\"\(Self.first)\">") == Self.first)
        let home = try RecordBuilderTests.record(
            "<title>P</title>" + meta + jsonLD + "<meta property=og:description content=\"\(Self.first)\">",
            url: "https://example.org/")
        #expect(home.contentDescription == site)
    }

    @Test(
        arguments: [
            ("<p>\(first)</p>", first),
            (
                "The pears are <strong>ripe</strong>, she says, and it is time to pick them.",
                "The pears are ripe, she says, and it is time to pick them."
            ),
            (
                "How to use the <video> element in a page, with all of its attributes.",
                "How to use the <video> element in a page, with all of its attributes."
            ),
            ("\(first)<a class='more' href='https://example.org/", first),
        ])
    func `tags that a system left in an excerpt are not shown`(written: String, shown: String) throws {
        let escaped = written.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        #expect(try description("<meta name=description content=\"\(escaped)\">") == shown)
    }

    @Test func `a byline is no description`() throws {
        #expect(try description("<meta name=description content='Written by Jane Doe'>")?.hasPrefix(Self.first) == true)
        #expect(
            try description("<meta name=description content='By the river, in the sun'>") == "By the river, in the sun")
    }

    @Test func `a snippet begins behind the title`() throws {
        let title = "Why are the pears ripe already?"
        func snippet(_ text: String) throws -> String? {
            try record(
                "<h1>\(title)</h1><title>\(title)</title><table><tr><td>\(text)<br>\(Self.second)</td></tr></table>"
            ).snippet
        }
        #expect(try snippet("No. 72, 6,90 euros<br>\(title)<br>\(Self.first)") == "\(Self.first) \(Self.second)")
        // Within a sentence it is no title.
        let within = "\(title.dropLast()) and soft, she asks, and takes one of them."
        #expect(try snippet(within)?.hasPrefix(within) == true)
    }
}
