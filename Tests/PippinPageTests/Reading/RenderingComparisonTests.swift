import Foundation
import Testing

@testable import PippinPage

/// Whether a rendering takes the place of the fetched page.
@Suite struct RenderingComparisonTests {
    private static let recipe = """
        <script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe","name":"Pie","author":"Ann Lee",\
        "totalTime":"PT1H","recipeIngredient":["apples","flour"]}</script>
        """
    private static let head = """
        <title>Apple pie</title><link rel=canonical href=/pie>
        <meta name=description content="How to bake an apple pie with a crust of butter, and how to keep it warm for the guests.">
        <meta name=apple-itunes-app content="app-id=123456789, app-argument=cook://pie"><meta property=og:image content=/pie.jpg>
        \(recipe)
        """
    private static let text = (1...60).map { "Sentence \($0) tells how the pie \($0 * 7) is baked." }.joined(
        separator: " ")
    private static let links = (1...12).map { "<a href=/pie/\($0)>Pie \($0)</a>" }.joined()
    private static let page = "<head>\(head)</head><body><h1>Apple pie</h1><p>\(text)</p>\(links)"

    private func reading(_ html: String) throws -> PageReading {
        let url = try #require(WebURL("https://a.example/pie"))
        return PageReading(
            PageSource(
                url: url, headers: HTTPHeaders([("Content-Type", "text/html; charset=utf-8")]),
                bytes: Array("<!doctype html>\(html)".utf8), fetchedAt: Date(timeIntervalSince1970: 1_790_000_000)),
            agents: ["pippin"])
    }

    private func compare(_ fetched: String, _ rendered: String) throws -> RenderingComparison {
        RenderingComparison(of: try reading(fetched), with: try reading(rendered))
    }

    @Test func `the same page, and the same in another order, says the same`() throws {
        #expect(try compare(Self.page, Self.page) == .saysTheSame)
        let moved = "<head>\(Self.head)</head><body><div><h1>Apple pie</h1></div>\(Self.links)<p>\(Self.text)</p>"
        #expect(try compare(Self.page, moved) == .saysTheSame)
    }

    private static let additions = [
        page + "<p>Scripts added comments</p>", page + "<a href=/new>Pie 1</a>",
        page.replacing("<h1>Apple pie", with: "<h1>The best apple pie"),
        page + "<meta property=al:ios:url content=cook://pie/2>",
        page + "<div itemscope itemtype=https://schema.org/Person><span itemprop=name>Pie</span></div>",
    ]

    @Test(arguments: additions) func `a page to which scripts add something says more`(
        _ rendered: String
    ) throws {
        #expect(try compare(Self.page, rendered) == .saysMore)
    }

    @Test func `a shell that its scripts fill says more`() throws {
        let shell =
            "<title>Shop</title><div id=root>Loading…</div><noscript>You need JavaScript to run this app.</noscript>"
        #expect(try compare(shell, Self.page.replacing("<link rel=canonical href=/pie>", with: "")) == .saysMore)
    }

    @Test func `what scripts add and take away is listed`() throws {
        let rendered =
            Self.page.replacing("totalTime", with: "x").replacing("/pie/12>", with: "/tart>")
            + "<meta property=al:ios:url content=cook://pie/2>"
            + (1...30).map { "<a href=/more/\($0)>More</a>" }.joined()
        let difference = RenderingDifference(of: try reading(Self.page), with: try reading(rendered))
        #expect(difference.fields.lost == ["recipe.totalTime"])
        #expect(difference.fields.added == [])
        #expect(difference.types.added == [] && difference.types.lostCount == 0)
        #expect(difference.deepLinks.added.contains { $0.hasSuffix("cook://pie/2") })
        #expect((difference.links.addedCount, difference.links.lostCount) == (31, 1))
        #expect(difference.links.after - difference.links.before == 30)
        #expect(difference.links.added.count == 10)
        #expect(difference.links.lost == ["https://a.example/pie/12"])
    }

    private static let losses: [(lost: String, html: String)] = [
        ("contentDescription", page.replacing("name=description", with: "name=x")),
        ("thumbnailURL", page.replacing("og:image", with: "og:x")),
        ("authors", page.replacing("\"author\"", with: "\"x\"")),
        ("recipe.totalTime", page.replacing("totalTime", with: "x")),
        ("structured data", page.replacing("Recipe", with: "Thing")),
        ("recipe.ingredients", page.replacing("recipeIngredient", with: "x")),
        ("deep links", page.replacing("apple-itunes-app", with: "x")),
        ("the canonical link", page.replacing("rel=canonical href=/pie", with: "rel=canonical href=/")),
        ("the canonical link", page.replacing("rel=canonical", with: "rel=x")),
        ("text", page.replacing(text, with: String(text.prefix(500)))),
        ("links", page.replacing(links, with: String(links.prefix(100)))),
        (
            "title",
            page.replacing("<title>Apple pie</title>", with: "").replacing("Apple pie", with: "")
                .replacing("\"name\":\"Pie\",", with: "")
        ),
    ]

    @Test(arguments: losses) func `a page that has lost something is poorer, whatever it says besides`(
        _ lost: String, _ html: String
    ) throws {
        guard case .poorer(let names) = try compare(Self.page, html + "<p>And something new.") else {
            Issue.record("\(lost) is not missed")
            return
        }
        #expect(names.contains(lost), "\(names)")
    }

    @Test func `text without spaces is compared, too`() throws {
        let text = (0..<40).map { "第\($0)章では、りんごのパイの焼き方と保存の仕方を説明します。" }.joined()
        #expect(try compare("<title>パイ</title><p>\(text)", "<title>パイ</title><p>\(text)<p>新しい") == .saysMore)
        guard case .poorer(let lost) = try compare("<title>パイ</title><p>\(text)", "<title>パイ</title><p>第1章では、新しい。")
        else {
            Issue.record("the text is not missed")
            return
        }
        #expect(lost.contains("text"))
    }

    private static let messages = [
        "<title>Shop</title><h2>Application error: a client-side exception has occurred (see the browser console).</h2>",
        "<title>Apple pie</title><div role=alert><h1>Something went wrong.</h1><button>Try again</button></div>",
        "<title>Error</title><h1>Unexpected Application Error!</h1><pre>TypeError: x is undefined</pre>",
        "<title>Shop</title><nav><a href=/>Home</a></nav><main><p>Failed to load products.</main><footer>© Shop</footer>",
        "<title>Laden</title><p>Ein Fehler ist aufgetreten", "<title>店</title><p>エラーが発生しました。",
    ]

    @Test(arguments: messages) func `the message of an app that failed is no content`(_ html: String) throws {
        let shell = "<title>Shop</title><div id=root></div>"
        guard case .errorPage(let words) = try compare(shell, html) else {
            Issue.record("it counts")
            return
        }
        #expect(!words.isEmpty)
    }

    @Test func `a page about errors, and a message beside content, are content`() throws {
        let shell = "<title>Shop</title><div id=root></div>"
        let article = "<title>When something went wrong</title><h1>Something went wrong</h1><p>\(Self.text)</p>"
        #expect(try compare(shell, article) == .saysMore)
        #expect(try compare(shell, Self.page + "<aside>Comments failed to load</aside>") == .saysMore)
        #expect(
            try compare("<title>Something went wrong</title><p>x", "<title>Something went wrong</title><p>x y")
                == .saysMore)
    }
}
