import Testing

@testable import PippinPage

/// Blocks around an article that have names and days of their own, in every place, beside a byline and without one.
@Suite struct OtherBlocksTests {
    private static let blocks: [(name: String, html: String)] = [
        (
            "review",
            #"""
            <div class="review"><div class="review-author">Donnagar10</div><span class="review-date">3 March 2021</span><span>★☆☆☆☆</span><p>Did not work for me at all.</p></div>
            """#
        ),
        (
            "review-plain",
            #"""
            <section id="reviews"><h2>Reviews</h2><div><strong>Donnagar10</strong> <time datetime="2021-03-03">03/03/2021</time><p>One star. Did not work for me at all.</p></div></section>
            """#
        ),
        (
            "review-ld",
            #"""
            <script type="application/ld+json">{"@context":"https://schema.org","@type":"Review","author":{"@type":"Person","name":"Donnagar10"},"datePublished":"2021-03-03","reviewBody":"bad"}</script>
            """#
        ),
        (
            "review-md",
            #"""
            <div itemprop="review" itemscope itemtype="https://schema.org/Review"><span itemprop="author">Donnagar10</span><meta itemprop="datePublished" content="2021-03-03"><p itemprop="reviewBody">Did not work.</p></div>
            """#
        ),
        (
            "review-by",
            #"""
            <div class="rating">★☆☆☆☆</div><p>Reviewed by Donna Garten on 3 March 2021</p><p>Did not work for me.</p>
            """#
        ),
        (
            "comment",
            #"""
            <div id="comments"><h3>2 comments</h3><ol class="comment-list"><li class="comment"><cite class="fn">Donna Garten</cite> <time datetime="2021-03-03">March 3, 2021</time><p>Nice!</p></li></ol></div>
            """#
        ),
        (
            "comment-plain",
            #"""
            <h3>Comments</h3><ul><li><b>Donna Garten</b> <span>March 3, 2021 at 4:12 pm</span><p>Nice text, thank you!</p></li></ul>
            """#
        ),
        (
            "share",
            #"""
            <div class="share-bar"><span>Share</span><a href="#">Facebook</a><a href="#">Pinterest</a><span class="author">Share by Email</span></div>
            """#
        ),
        (
            "newsletter",
            #"""
            <div class="newsletter"><h2>Get Our Newsletter</h2><p>By Donna Garten, every 3 March 2021</p><form><input></form></div>
            """#
        ),
        (
            "newsletter2",
            #"""
            <form action="/subscribe"><p>By Signing Up, you agree to the terms of 3 March 2021</p></form>
            """#
        ),
        (
            "related",
            #"""
            <div class="related"><h3>Related</h3><ul><li><a href="/x">Old story</a> <span class="author">Donna Garten</span> <time datetime="2021-03-03">3 March 2021</time></li></ul></div>
            """#
        ),
        (
            "related-plain",
            #"""
            <h3>You may also like</h3><ul><li><a href="/x">Old story</a><p>By Donna Garten</p><span>3 March 2021</span></li><li><a href="/y">Other story</a><p>By Eve Oats</p><span>4 March 2021</span></li></ul>
            """#
        ),
        (
            "related-h",
            #"""
            <h2>More from The Post</h2><div><a href="/x"><h3>Old story</h3></a><p>By Donna Garten</p><p>3 March 2021</p></div>
            """#
        ),
        (
            "quote",
            #"""
            <blockquote class="pullquote"><p>Bees are nice.</p><cite>Donna Garten, 3 March 2021</cite></blockquote>
            """#
        ),
        (
            "quote2",
            #"""
            <blockquote><p>By Donna Garten</p><p>3 March 2021</p></blockquote>
            """#
        ),
        (
            "figure",
            #"""
            <figure><img src=a.jpg width=600 height=400><figcaption>By Donna Garten, 3 March 2021</figcaption></figure>
            """#
        ),
        (
            "figure2",
            #"""
            <figure><img src=a.jpg width=600 height=400><figcaption>Photo: Donna Garten</figcaption></figure>
            """#
        ),
        (
            "copyright",
            #"""
            <p class="copyright">© 2021 Donna Garten. All rights reserved. 3 March 2021</p>
            """#
        ),
        (
            "copyright2",
            #"""
            <footer><p>Copyright 3 March 2021 by Donna Garten</p></footer>
            """#
        ),
        (
            "copyright3",
            #"""
            <p>© 3 March 2021 by Donna Garten</p>
            """#
        ),
        (
            "menu",
            #"""
            <nav><ul><li><a href="/recipes" class="author">Recipes</a></li><li><a href="/i">Ingredient</a></li></ul></nav>
            """#
        ),
        (
            "menu-plain",
            #"""
            <div class="menu-item"><a rel="author" href="/recipes">Recipes</a></div><ul class="menu"><li><a href="/i">Ingredient</a></li></ul>
            """#
        ),
        (
            "translate",
            #"""
            <div id="goog-gt-tt"><div class="original-text"><h1>Original text</h1></div><div>Rate this translation</div><div>Your feedback will be used to help improve Google Translate</div></div>
            """#
        ),
        (
            "ingredient",
            #"""
            <div class="ingredient-meta"><span class="author">Ingredient</span></div>
            """#
        ),
        (
            "staff",
            #"""
            <div class="author-role">Staff Writer</div>
            """#
        ),
        (
            "label",
            #"""
            <span class="author-label">作者：</span>
            """#
        ),
        (
            "line",
            #"""
            <div class="byline">line</div>
            """#
        ),
        (
            "rating",
            #"""
            <div class="rating-author">4.5 stars</div>
            """#
        ),
        (
            "login",
            #"""
            <div class="author-login">Log In to Comment</div>
            """#
        ),
        (
            "terms",
            #"""
            <p class="updated">Terms of use last updated 3 March 2021</p>
            """#
        ),
        (
            "event",
            #"""
            <div class="events"><p>Next meeting: 3 March 2021, by Donna Garten</p></div>
            """#
        ),
        (
            "sig",
            #"""
            <div class="widget widget_text"><h3>Latest posts</h3><span class="byline">By Donna Garten</span><span class="date">March 3, 2021</span></div>
            """#
        ),
    ]

    private enum Place: String, CaseIterable {
        case first, beforeHeadline, behindHeadline, within, behindArticle, beside
    }

    /// Blocks that stand where a byline does, and differ from one by their words alone.
    private static let unknown: Set<String> = [
        "review-by first", "review-by beforeHeadline", "review-by behindHeadline", "comment-plain behindHeadline",
    ]

    private static let byline = "<p class=byline>By Ann Lee</p><time datetime=2020-05-04>4 May 2020</time>"
    private static let prose =
        "<p>" + String(repeating: "Bees fly far, line up, and nobody asked an ingredient. ", count: 20) + "</p>"

    private func page(_ block: String, _ place: Place, _ byline: String) -> String {
        let headline = "<h1>Bees return to Ulm</h1>\(byline)"
        let prose = Self.prose
        let body =
            switch place {
            case .first: "\(block)<main><article>\(headline)\(prose)\(prose)</article></main>"
            case .beforeHeadline: "<main>\(block)<article>\(headline)\(prose)\(prose)</article></main>"
            case .behindHeadline: "<main><article>\(headline)\(block)\(prose)\(prose)</article></main>"
            case .within: "<main><article>\(headline)\(prose)\(block)\(prose)</article></main>"
            case .behindArticle: "<main><article>\(headline)\(prose)\(prose)</article></main>\(block)"
            case .beside: "<div>\(headline)\(prose)</div><div>\(block)</div>"
            }
        return "<html lang=en><title>Bees return to Ulm - The Post</title>\(body)"
    }

    @Test(arguments: blocks) func `a block beside the article gives it no author, day or title`(
        name: String, html: String
    )
        throws
    {
        for place in Place.allCases {
            for byline in ["", Self.byline] where !byline.isEmpty || !Self.unknown.contains("\(name) \(place)") {
                let record = try RecordBuilderTests.record(page(html, place, byline))
                let comment = Comment(rawValue: "\(place) \(byline)")
                #expect(record.authors.map(\.name) == (byline.isEmpty ? [] : ["Ann Lee"]), comment)
                #expect(record.publishedAt == (byline.isEmpty ? nil : "2020-05-04"), comment)
                #expect(record.title == "Bees return to Ulm", comment)
            }
        }
    }

    @Test func `parts of a title, words of the page and jobs are no authors`() throws {
        func names(_ byline: String) throws -> [String] {
            try RecordBuilderTests.record(
                "<title>Grilled Mac &amp; Cheese</title><h1>Grilled Mac &amp; Cheese</h1>\(byline)<p>Add each ingredient. "
                    + Self.prose
            ).authors.map(\.name)
        }
        for text in ["Grilled Mac &amp; Cheese", "Ingredient", "Staff Writer", "line", "作者："] {
            #expect(try names("<p class=author>\(text)</p>").isEmpty, "\(text)")
        }
        #expect(try names("<p class=author><a href=/noble>Noble Pies</a><span>Published</span></p>") == ["Noble Pies"])
        // What has a page or a label is somebody's.
        #expect(try names("<p>By <a class=author href=/u/marc>marc</a></p>") == ["marc"])
    }

    @Test func `an organization that the page states as its author is marked`() throws {
        let site = "<meta property=og:site_name content='Simple Food'>"
        let byMeta = try RecordBuilderTests.record(site + "<meta name=author content='simple food'><h1>Stew</h1>")
        let isPersons = try RecordBuilderTests.record(
            "<meta property=og:site_name content='Ann Lee'><meta name=author content='Ann Lee'><h1>Stew</h1>")
        #expect(byMeta.authors == [.init(name: "simple food", type: .organization)])
        #expect(isPersons.authors.isEmpty)
    }
}
