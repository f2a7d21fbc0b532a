import Testing

@testable import PippinPage

/// Header fields and attributes that hold links.
@Suite struct LinkReadingTests {
    private let base: WebURL

    init() throws {
        base = try #require(WebURL("https://example.org/dir/page.html"))
    }

    // WHATWG HTML §4.2.5.3, shared declarative refresh steps.
    @Test(arguments: [
        ("0; url=/x", "0 https://example.org/x"), ("5", "5 -"),
        ("  7.9 ;URL = '/q r' tail", "7 https://example.org/q%20r"),
        ("1,\"/x", "1 https://example.org/x"), ("3 /x", "3 https://example.org/x"),
        (".5;url=x", "0 https://example.org/dir/x"),
        ("4;url", "4 https://example.org/dir/url"), ("9;", "9 -"), ("x", "none"), ("", "none"), ("5x", "none"),
        ("0;url=javascript:alert(1)", "none"), ("99999999999999999999", "2147483647 -"), ("2;url=''", "2 -"),
    ])
    func `a refresh is read as browsers read it`(value: String, wanted: String) {
        let refresh = Refresh(value, baseURL: base)
        #expect((refresh.map { "\($0.delay) \($0.url?.href ?? "-")" } ?? "none") == wanted)
    }

    private func links(_ value: String) -> [LinkTag] {
        LinkTags(
            HTMLDocument(utf8: []), headers: HTTPHeaders([("Link", value)]), pageURL: base, baseURL: base
        ).tags
    }

    // RFC 8288 §3 and appendix B.2.
    @Test func `link fields are lists, and quoted strings may hold commas and semicolons`() {
        let tags = links(
            "</a>; rel=\"next prefetch\"; title=\"a, \\\"b\\\"; c\" , <b>;REL = canonical;rel=next;x, ,</c>;rel=prev")
        #expect(
            tags.map { $0.url?.href ?? "" } == [
                "https://example.org/a", "https://example.org/dir/b", "https://example.org/c",
            ])
        #expect(tags.map(\.relations) == [.next, .canonical, .previous])
        #expect(tags.first?.title == "a, \"b\"; c")
    }

    @Test func `links of another anchor, without relation, or broken are not the page's`() {
        #expect(links("</a>; rel=next; anchor=\"/else\"").isEmpty)
        #expect(links("</a>; rel=next; anchor=\"\"").count == 1)
        #expect(links("</a>").isEmpty)
        #expect(links("/a; rel=next").isEmpty)
        #expect(links("</a; rel=next").isEmpty)
        #expect(links("</a>; rel=\"next").count == 1)
        #expect(links(String(repeating: "</a>;rel=next,", count: 20_000)).count == 5_000)
    }

    @Test func `names of meta elements are evened out`() {
        let document = HTMLDocument(
            utf8: Array(
                """
                <meta property="og:title" name="twitter:title" content=1><meta name=" OG: Title " content=2>
                <meta property="og:image  twitter:image" content=3><meta name="description" property="description" content=4>
                <meta itemprop="price" content=5><meta charset=utf-8><meta name="“robots”" value=6><meta name="a b" content=7>
                """.utf8))
        let tags = MetaTags(document).tags
        #expect(
            tags.map { "\($0.name) \($0.content ?? "-")" } == [
                "og:title 1", "twitter:title 1", "og:title 2", "og:image 3", "twitter:image 3", "description 4",
                "robots 6",
                "a b 7",
            ])
        #expect(tags[5].carriers == [.name, .property])
        #expect(tags[6].usesValueAttribute)
        #expect(tags[2].written == "OG: Title")
    }

    private func outlinks(_ html: String, limits: ReadingLimits = .standard) -> Outlinks {
        let document = HTMLDocument(utf8: Array(html.utf8))
        return Outlinks(
            document, links: LinkTags(document, pageURL: base, baseURL: base), baseURL: base, limits: limits)
    }

    @Test func `more links than the limit are counted, with a note`() {
        var limits = ReadingLimits()
        limits.maximumOutlinks = 10
        let page = outlinks((0..<2_000).map { "<a href='/\($0)'>x</a><a href='tel:\($0)'>" }.joined(), limits: limits)
        #expect(page.links.count + page.schemeLinks.count == 10)
        #expect(page.dropped.beyondLimit == 3_990)
        #expect(page.notes.map(\.code.rawValue) == ["too-many-links"])
    }

    /// A page of 100 KB whose links would take 19 MB.
    @Test func `short links under a long base have bounded addresses, and the canonical link is kept`() throws {
        let folder = try #require(WebURL("https://example.org/" + String(repeating: "x", count: 1_900) + "/"))
        let html =
            (0..<3_000).map { "<link rel=next href=\($0)>" }.joined() + "<link rel=canonical href=home>"
            + (0..<10_000).map { "<a href=\($0)>" }.joined()
        let document = HTMLDocument(utf8: Array(html.utf8))
        let tags = LinkTags(document, pageURL: folder, baseURL: folder)
        let page = Outlinks(document, links: tags, baseURL: folder)
        let limit = ReadingLimits.standard.maximumOutlinkBytes
        #expect(page.links.reduce(0) { $0 + $1.url.href.utf8.count } <= limit)
        #expect(tags.tags.reduce(0) { $0 + ($1.url?.href.utf8.count ?? 0) } <= limit + 2_000)
        #expect(tags.tags.contains { $0.relations.contains(.canonical) })
        #expect(page.dropped.beyondLimit > 9_000)
        #expect(page.notes.map(\.code.rawValue) == ["too-many-links"])
        // Ten thousand ordinary ones are all kept.
        let short = outlinks((0..<10_000).map { "<a href='/articles/2026/\($0)/a-title-in-words'>x</a>" }.joined())
        #expect(short.links.count == 10_000 && short.notes.isEmpty)
    }

    @Test func `one link the author vouches for is enough, and a refresh without delay is no link`() throws {
        let page = outlinks(
            "<a rel=nofollow href=/a>x</a><a rel='nofollow ugc' href=/a>x</a><a href='/b'></a><a rel=ugc href=/b>B</a>")
        #expect(page.links.map(\.isNofollow) == [true, false])
        #expect(page.links.map(\.anchorText) == ["x", "B"])
        let document = HTMLDocument(utf8: [])
        let links = LinkTags(document, pageURL: base, baseURL: base)
        let now = try #require(Refresh("0;url=/x", baseURL: base))
        let later = try #require(Refresh("1;url=/x", baseURL: base))
        #expect(now.isRedirect && !later.isRedirect)
        #expect(Outlinks(document, links: links, refresh: now, baseURL: base).links.isEmpty)
        #expect(Outlinks(document, links: links, refresh: later, baseURL: base).links.map(\.kind) == [.refresh])
    }

    @Test func `a page of nested and endless anchors is read in time`() {
        let nested =
            String(repeating: "<a href='/x'><span>", count: 50_000) + String(repeating: "word ", count: 100_000)
        #expect(outlinks(nested).links.count == 1)
        let many = (0..<50_000).map { "<a href='/\($0)'>" + String(repeating: " ", count: 100) }.joined()
        #expect(outlinks(many).dropped.beyondLimit == 40_000)
    }
}
