import Testing

@testable import PippinPage

/// What a page is called, and what its site is called.
@Suite struct PageTitleTests {
    @Test(arguments: ["203.0.113.7", "[2001:db8::7]"])
    func `a host without a name gives its whole address as the container's title`(host: String) throws {
        let record = try RecordBuilderTests.record("<title>Bees</title><p>Bees fly.</p>", url: "http://\(host)/page")
        #expect(record.containerTitle == host)
    }

    private func record(_ html: String, url: String = "https://www.pear-post.example/a/12") throws -> DeepLinkRecord {
        try RecordBuilderTests.record(html, url: url)
    }

    // MARK: The site's name

    @Test(
        arguments: [
            "Pears are ripe | Pear Post", "Pears are ripe - Pear Post", "Pears are ripe – The Pear Post",
            "Pears are ripe — PEAR POST", "Pears are ripe • Pear Post", "Pears are ripe · pear-post.example",
            "Pears are ripe » Pear Post", "Pears are ripe :: Pear Post", "Pears are ripe / Pear Post",
            "Pears are ripe : Pear Post", "Pears are ripe｜Pear Post", "Pear Post | Pears are ripe",
            "Pear Post: Pears are ripe", "Pears are ripe | Pear Post Online | pear-post.example", "Pears are ripe -",
            "| Pears are ripe |", "Pears are ripe- Pear Post",
        ])
    func `the site's name is no part of a title, before or behind it`(written: String) throws {
        let record = try record("<title>\(written)</title><meta property=og:site_name content='Pear Post'>")
        #expect(record.title == "Pears are ripe")
        #expect(record.provenance.contains(DeepLinkRecord.Provenance(field: "title", source: .htmlTitle)))
    }

    @Test(
        arguments: [
            "Pears: are they ripe?", "Pear Postage goes up", "Ripe - or not", "Post-war pears", "Pears/apples",
            "C++ | Rust", "Why the Pear Post was sold",
        ])
    func `what is not the site's name stays`(written: String) throws {
        #expect(
            try record("<title>\(written)</title><meta property=og:site_name content='Pear Post'>").title == written)
    }

    @Test(
        arguments: [
            "<meta name=application-name content='Ripe & Co.'>",
            "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"WebSite\",\"name\":\"Ripe &amp; Co.\"}</script>",
            "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\"publisher\":{\"@type\":\"Organization\",\"name\":\"Ripe & Co.\"}}</script>",
            "<h1><a href='/'>Ripe & Co.</a></h1>",
            "<a href='https://www.pear-post.example'><h1>Ripe &amp; Co.</h1></a>",
        ])
    func `every name that a page gives its site is known in its title`(markup: String) throws {
        let record = try record("<title>Pears – Ripe & Co.</title>\(markup)")
        #expect(record.title == "Pears")
        #expect(record.containerTitle == "Ripe & Co.")
    }

    @Test func `a home page is called like its site`() throws {
        let record = try record("<title>Pear Post</title><h1>Welcome</h1>", url: "https://pear-post.example/")
        #expect(record.title == "Pear Post")
    }

    // MARK: Sources weighed

    @Test func `a title that is only the site or a number gives way`() throws {
        let name = "<meta property=og:site_name content='Pear Post'>"
        #expect(try record("<title>Pear Post</title>\(name)<h1>Ripe</h1>").title == "Ripe")
        #expect(
            try record("<title>9341068708</title><meta property=og:title content='Ann on pears'>").title
                == "Ann on pears")
        #expect(
            try record("<title>Pear Post: Contact @ann</title><meta property=og:title content='Ann'>\(name)").title
                == "Ann")
        #expect(try record("<title>Pear Post</title>\(name)").title == "Pear Post")
    }

    @Test(
        arguments: [
            // The heading that another source repeats, whatever stands before it.
            ("Ripe pears", "Ripe pears: how to tell | Fruit", "<h1>Menu</h1><h1>Ripe pears</h1>", "Ripe pears"),
            // What heading and title share.
            ("Ripe pears in May", "Ripe pears in May", "<h1>Local | Ripe pears in May</h1>", "Ripe pears in May"),
            (
                "Ripe pears in May", "Ripe pears in May", "<h1>Ripe pears in May and in June</h1>",
                "Ripe pears in May and in June"
            ),
            // Another wording of the same.
            ("How to tell ripe pears", "x", "<h1>Are your pears ripe?</h1>", "Are your pears ripe?"),
            // Headings of something else.
            ("Ripe pears", "Ripe pears", "<h1>Subscribe today</h1>", "Ripe pears"),
            ("Ripe pears", "Ripe pears", "<nav><h1>Ripe pears</h1></nav>", "Ripe pears"),
        ])
    func `title, og:title, headline and heading are weighed`(
        graph: String, written: String, headings: String, title: String
    ) throws {
        let html = "<title>\(written)</title><meta property=og:title content='\(graph)'>\(headings)"
        #expect(try record(html).title == title)
    }

    @Test func `a page without any other name has its only heading's`() throws {
        #expect(try record("<title>Fruit of the valley</title><h1>Ripe pears</h1>").title == "Ripe pears")
        #expect(try record("<h1>Ripe pears</h1>").title == "Ripe pears")
        #expect(try record("<p>x").title == nil)
    }

    @Test(
        arguments: [
            // The title, nearly the title, and the only one.
            (
                "<h2>Ripe pears, easy</h2><h2>TELLING RIPE PEARS IN FIVE EASY STEPS</h2>",
                "Telling ripe pears in five easy steps"
            ),
            ("<h2>Cart</h2><h2>Telling ripe pears, in five steps</h2>", "Telling ripe pears, in five steps"),
            ("<h2>The best pears</h2>", "The best pears"),
            // Sections, and what stands beside the text.
            ("<h2>Pears in spring</h2><h2>Ripe fruit</h2>", "Telling ripe pears in five easy steps"),
            ("<h2>How to tell when pears are ripe</h2><h2>Spring</h2>", "Telling ripe pears in five easy steps"),
            ("<nav><h2>Telling ripe pears, in five steps</h2></nav>", "Telling ripe pears in five easy steps"),
            // Where there is a heading of the first level, the others are sections.
            (
                "<h1>Menu</h1><h2>Telling ripe pears, in five steps</h2><h1>Cart</h1>",
                "Telling ripe pears in five easy steps"
            ),
        ])
    func `a page without an h1 may have its headline in an h2`(headings: String, title: String) throws {
        let head = "<title>Telling ripe pears in five easy steps | Pear-Post.example</title>"
        #expect(try record(head + headings).title == title)
    }

    @Test func `what asks for scripts is no headline, but a page that readers without scripts see has one`() throws {
        let title = "<title>Ripe pears</title>"
        let request = "<noscript><h1>This page needs scripts</h1></noscript>"
        #expect(try record("<body>\(request)<p>Pears are ripe.", url: "https://pear-post.example/a").title == nil)
        #expect(try record("\(title)<body>\(request)<p>Pears are ripe.").title == "Ripe pears")
        let repeated =
            "<title>Ripe pears in the valley: a guide</title><body><noscript><h1>Ripe pears in the valley</h1></noscript>"
        #expect(try record("\(repeated)<p>Pears are ripe.").title == "Ripe pears in the valley")
        let thread = String(repeating: "<p>Pears are ripe when their necks give way to a thumb.</p>", count: 20)
        #expect(
            try record("<title>Orchard forum</title><body><noscript><h1>Are they ripe?</h1>\(thread)</noscript>").title
                == "Are they ripe?")
    }

    @Test func `an h2 that is the longer part of a title is the headline of a page without an h1`() throws {
        let headings = "<h2>Ann's pears</h2><h2>Telling ripe pears</h2>"
        #expect(try record("<title>Ann's pears | Telling ripe pears</title>\(headings)").title == "Telling ripe pears")
    }

    @Test(
        arguments: [
            ("Pears are ripe in the valley | Fruit", "Pears are ripe in the valley"),
            ("Pears are ripe in the valley｜Fruit of the day", "Pears are ripe in the valley"),
            ("Pears are ripe | In the valley, not on the hills", "Pears are ripe | In the valley, not on the hills"),
            ("C++ | Rust", "C++ | Rust"), ("Pears are ripe – Fruit", "Pears are ripe – Fruit"),
        ])
    func `a section behind the last bar is no part of a title`(written: String, title: String) throws {
        #expect(try record("<title>\(written)</title><meta property=og:title content='\(written)'>").title == title)
    }

    @Test func `a recipe is called what its markup calls it, not what the post around it is called`() throws {
        func recipe(_ type: String, _ name: String) -> String {
            "<title>The Best Pear Pie Recipe (So Easy!)</title><h1>The Best Pear Pie Recipe</h1>"
                + "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"\(type)\",\"name\":\"\(name)\"}</script>"
        }
        #expect(try record(recipe("Recipe", "Pear Pie")).title == "Pear Pie")
        #expect(try record(recipe("Recipe", "Pear Pie | Pear-Post.example")).title == "Pear Pie")
        // What the page shows and does not name is another thing, and so is a number of the site's.
        #expect(try record(recipe("Recipe", "Onion Soup")).title == "The Best Pear Pie Recipe")
        #expect(try record(recipe("Recipe", "4711")).title == "The Best Pear Pie Recipe")
        #expect(try record(recipe("Product", "Pear Pie")).title == "The Best Pear Pie Recipe")
    }

    @Test func `lost characters are in no title`() throws {
        #expect(
            try record("<title>P\u{FFFD}ars</title><meta property=og:title content=Pears><h1>P\u{FFFD}ars</h1>").title
                == "Pears")
        #expect(try record("<title>Pears \u{FFFD} ripe</title>").title == "Pears ripe")
    }

    @Test(.timeLimit(.minutes(1))) func `titles that repeat one letter cost little`() throws {
        let long = String(repeating: "a", count: 200_000)
        let headings = (0..<20).map { "<h1>\(String(repeating: "a", count: 280))\($0)</h1>" }.joined()
        let bars = String(repeating: "a | ", count: 50_000)
        let html =
            "<title>\(bars)</title><meta property=og:title content='\(long)'>"
            + "<meta property=og:site_name content='\(long)'>\(headings)"
        #expect(try #require(try record(html).title).allSatisfy { "a |…0123456789".contains($0) })
    }

    // MARK: containerTitle

    @Test(
        arguments: [
            ("<title>Pears | PearPost</title>", "PearPost", DeepLinkRecord.Source.htmlTitle),
            ("<title>Pears | Pear Post Magazine</title>", "Pear Post", .htmlTitle),
            ("<title>Pears</title><meta property=og:title content=Pears>", "pear-post", .pageURL),
            (
                "<title>Pears - Fruit of the Valley</title><meta property=og:title content=Pears>",
                "Fruit of the Valley", .htmlTitle
            ),
            (
                "<title>Pears</title><meta property=og:site_name content='https://www.ripe.example/'>", "ripe.example",
                .openGraph
            ),
            (
                "<title>Pears</title><meta property=og:site_name content='Pear Post (formerly Fruit)'>", "Pear Post",
                .openGraph
            ),
            (
                "<title>Pears of spring are ripe now | X</title><meta property=og:site_name content='Pears of spring are ripe now | X'><meta property=og:title content='Pears of spring are ripe now'>",
                "pear-post", .pageURL
            ),
        ])
    func `the site is named by the page, its title or its host`(
        head: String, name: String, source: DeepLinkRecord.Source
    ) throws {
        let record = try record(head)
        #expect(record.containerTitle == name)
        #expect(record.provenance.contains(DeepLinkRecord.Provenance(field: "containerTitle", source: source)))
    }

    @Test(arguments: [("pear-post.example", "Pear Post"), ("PEARPOST", "Pear Post"), ("PPM", "Pear Post Monthly")])
    func `a host or an abbreviation gives way to the publisher's spelling`(declared: String, publisher: String) throws {
        let record = try record(
            """
            <meta property=og:site_name content="\(declared)"><script type=application/ld+json>
            {"@context":"https://schema.org","@type":"Article","headline":"Pears","publisher":{"name":"\(publisher)"}}</script>
            """)
        #expect(record.containerTitle == publisher)
    }
}
