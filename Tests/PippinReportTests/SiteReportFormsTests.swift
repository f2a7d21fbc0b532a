import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The report of a whole site in its two forms, of pages that try to break out of them.
@Suite struct SiteReportFormsTests {
    private static let hostile = "</style><script>alert(1)</script>\u{202E}\"'><b onclick=alert(2)>"

    private static func report(pages count: Int = 3) throws -> SiteReport {
        var builder = SiteReportBuilder(readsSitemaps: true)
        let escaped = "&lt;/style>&lt;script>alert(1)&lt;/script>\u{202E}&quot;'>&lt;b onclick=alert(2)>"
        for number in 0..<count {
            let card = ReportPage(
                """
                <title>\(escaped)</title><meta name="description" content="\(escaped)">
                <meta name="apple-itunes-app" content="app-id=123456789, app-argument=javascript:alert(3)">
                <meta property="og:image" content="https://shop.example/x.svg?&quot;onload=&quot;alert(4)">
                """
            ).with { $0.url = "https://shop.example/a'b%22c/\(number)?x=%3Cscript%3E#<i>" }.card
            builder.add(card, key: URLKey(card.url), isSeed: number == 0)
            builder.graph.list(inSitemap: URLKey(card.url).string, wrongDate: nil)
        }
        let seed = try #require(WebURL("https://shop.example/?a='\"<b>"))
        return builder.report(
            of: SiteReport.Crawl(
                ending: .finished, finishedAt: ReportPage.now,
                seeds: [SiteReport.Seed(url: seed, kind: "support", failure: Self.hostile)],
                notCovered: [SiteReport.Gap(code: Self.hostile, count: 1, message: Self.hostile)], isComplete: true))
    }

    private static func document(_ html: String) -> HTMLDocument {
        DecodedDocument(bytes: Array(html.utf8)).document
    }

    @Test func `nothing of a page becomes markup of the report`() throws {
        let html = try Self.report().html
        let document = Self.document(html)
        for name in [HTMLName.script, .iframe, .object, .embed, .img, .form, .base] {
            #expect(document.elements(named: name).isEmpty, "\(name)")
        }
        #expect(document.elements(named: .style).count == 1)
        #expect(!html.contains("\u{202E}"))
        for index in document.elements.indices {
            for attribute in document.attributes(of: index) { #expect(!attribute.name.hasPrefix("on"), "\(attribute)") }
        }
        for index in document.elements(named: .a) {
            let target = document.value(of: .href, on: index) ?? ""
            #expect(["https://", "#", "pages/"].contains { target.hasPrefix($0) }, "\(target)")
        }
        #expect(html.contains("&lt;/style&gt;&lt;script&gt;"))
    }

    @Test func `hosts that the page does not show are on pages of their own`() throws {
        var report = try Self.report()
        report.hosts = (0..<120).map { number in
            var host = SiteReport.HostTotal(host: "host\(number).test")
            host.pages = 200 - number
            return host
        }
        #expect(report.html.contains("<p class=\"quiet\">And 70 more hosts.</p>"))
        let content = report.pieces(cardFolder: "/card/", hostPath: "/site/hosts").content.html
        #expect(content.contains("<a href=\"/site/hosts?offset=50\">And 70 more hosts</a>"))
        func page(_ offset: Int) -> PagePieces? {
            report.hostPieces(from: offset, path: "/site/hosts", partOf: "/site")
        }
        let middle = try #require(page(50))
        #expect(middle.title == "Hosts 51 to 100 of 120")
        #expect(middle.content.html.contains("host50.test") && middle.content.html.contains("host99.test"))
        #expect(!middle.content.html.contains("host49.test") && !middle.content.html.contains("host100.test"))
        #expect(middle.content.html.contains("rel=\"prev\" href=\"/site/hosts?offset=0\""))
        #expect(middle.content.html.contains("rel=\"next\" href=\"/site/hosts?offset=100\""))
        #expect(page(100)?.content.html.contains("rel=\"next\"") == false)
        #expect(page(120) == nil && page(-1) == nil)
    }

    @Test func `every element is closed, and nothing is asked of the network`() throws {
        let html = try Self.report().html
        // The builder writes start and end tags in pairs; XML's parser counts them, once the empty elements are closed.
        var xml = html.replacing("<!DOCTYPE html>", with: "")
        if let start = xml.range(of: "<style>"), let end = xml.range(of: "</style>") {
            xml.removeSubrange(start.upperBound..<end.lowerBound)
        }
        var closed = ""
        var rest = xml[...]
        while let tag = rest.range(of: "<meta ") {
            closed += rest[..<tag.upperBound]
            rest = rest[tag.upperBound...]
            let end = try #require(rest.firstIndex(of: ">"))
            closed += rest[..<end] + "/"
            rest = rest[end...]
        }
        closed += rest
        let parser = XMLParser(data: Data(closed.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError)) at line \(parser.lineNumber)")
        let document = Self.document(html)
        for index in document.elements.indices { #expect(document.value(of: .src, on: index) == nil) }
        #expect(!html.contains("url(") && !html.contains("@import"))
        #expect(html.contains("default-src &#39;none&#39;"))
    }

    @Test func `fragments inside the page lead somewhere`() throws {
        let document = Self.document(try Self.report().html)
        var ids: Set<String> = []
        for index in document.elements.indices {
            if let id = document.value(of: .id, on: index) { ids.insert(id) }
        }
        for index in document.elements(named: .a) {
            guard let target = document.value(of: .href, on: index), target.hasPrefix("#") else { continue }
            #expect(ids.contains(String(target.dropFirst())), "\(target)")
        }
    }

    @Test func `names of cards hold nothing that names another place`() throws {
        for path in [
            "/../../etc/passwd", "/%2e%2e%2fx", "/a b/ü/..%5c", "/" + String(repeating: "long/", count: 100), "/",
        ] {
            let url = try #require(WebURL("https://xn--hte-ula.example" + path))
            let name = SiteReport.fileName(rank: 7, url: url)
            #expect(name.hasPrefix("007-xn-hte-ula.example") && name.hasSuffix(".html"), "\(name)")
            #expect(!name.contains("..") && !name.contains("/") && name.utf8.count < 120, "\(name)")
            #expect(name.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D || $0 == 0x2E })
        }
    }

    @Test func `errors come first, headlined by what is wrong`() throws {
        var builder = SiteReportBuilder(readsSitemaps: false)
        let description = "A mug for tea, thrown by hand and fired twice, in four glazes. Number"
        for number in 0..<30 {
            let warned = ReportPage(
                """
                <title>Mug number \(number) of the shop</title><meta name="description" content="\(description) \(number).">
                <script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing","nmae":"Mug"}</script>
                <meta property="og:title" content="Mug"><meta property="og:type" content="website">
                """
            ).with { $0.url = "https://shop.example/a\(number)" }.card
            builder.add(warned, key: URLKey(warned.url), isSeed: number == 0)
        }
        let failing = ReportPage("<meta name=\"description\" content=\"A cup without a title.\">").with {
            $0.url = "https://shop.example/z"
        }.card
        #expect(failing.counts().error > 0)
        builder.add(failing, key: URLKey(failing.url), isSeed: false)
        let report = builder.report(
            of: SiteReport.Crawl(
                ending: .finished, finishedAt: ReportPage.now, seeds: [], notCovered: [], isComplete: true))

        let checks = try #require(report.json["checks"]?.array)
        let ranks = checks.compactMap { ["error", "warning", "info"].firstIndex(of: $0["outcome"]?.string ?? "") }
        #expect(ranks.count == checks.count && ranks == ranks.sorted() && Set(ranks).count == 3)
        #expect(report.worst.first?.url == "https://shop.example/z")
        #expect(report.json["worstPages"]?.array?.first?["url"]?.string == "https://shop.example/z")

        let kept = try ReportSchema.siteReport.verdict(of: report.json.bytes(), isStrict: true)
        #expect(kept.status == 0, "\(kept.output.prefix(4_000))")

        let headlines = report.checks.map { $0.check.problem.replacing("'", with: "&#39;") }
        let places = headlines.map { report.html.range(of: "<span class=\"name\">\($0)<")?.lowerBound }
        #expect(!places.contains(nil) && places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(headlines.contains("JSON-LD has mistakes") && !report.html.contains("<span class=\"name\">JSON-LD is"))
        #expect(checks.allSatisfy { $0["problem"]?.string != nil && $0["title"]?.string != nil })
    }

    @Test func `an empty crawl has a report`() throws {
        let report = SiteReportBuilder(readsSitemaps: false).report(
            of: SiteReport.Crawl(
                ending: .interrupted, finishedAt: ReportPage.now, seeds: [], notCovered: [], isComplete: false))
        #expect(report.html.contains("No page was read"))
        #expect(try ReportSchema.siteReport.verdict(of: report.json.bytes()).status == 0)
        #expect(report.pages == 0 && report.checks.isEmpty)
    }

    @Test func `numbers and shares read well`() {
        #expect(
            [0, 7, 999, 1_000, 12_345, 1_234_567].map(Wording.number) == [
                "0", "7", "999", "1,000", "12,345", "1,234,567",
            ])
        #expect(SiteReport.share(1, of: 1_000) == "1 %")
        #expect(SiteReport.share(999, of: 1_000) == "99 %")
        #expect(SiteReport.share(1_000, of: 1_000) == "all")
        #expect(SiteReport.share(0, of: 1_000) == "none")
    }
}

/// What leads where.
@Suite struct LinkGraphTests {
    private func key(_ path: String) -> String {
        guard let url = WebURL("https://a.test" + path) else { preconditionFailure("the test's path is none") }
        return URLKey(url).string
    }

    private func number(_ path: String, in graph: inout LinkGraph) -> Int32 {
        guard let number = graph.number(of: key(path)) else { preconditionFailure("the test's graph has room") }
        return number
    }

    @Test func `redirects and copies cost no link, and their links count where they lead`() throws {
        var graph = LinkGraph()
        let home = number("/", in: &graph)
        graph[home].isSeed = true
        let old = number("/old", in: &graph)
        let new = number("/new", in: &graph)
        graph[old].leadsTo = new
        graph.link(home, followed: [key("/old"), key("/new"), key("/")], nofollow: [key("/new"), key("/shy")])
        let standings = graph.standings()
        #expect(standings[Int(home)].depth == 0 && standings[Int(home)].inlinks == 0)
        #expect(standings[Int(old)].depth == 1)
        #expect(standings[Int(new)].depth == 1)
        #expect(standings[Int(new)].inlinks == 1 && standings[Int(new)].nofollowInlinks == 0)
        let shy = try #require(graph.known(key("/shy")))
        #expect(standings[Int(shy)].depth == nil && standings[Int(shy)].nofollowInlinks == 1)
    }

    @Test func `redirects in a circle end`() {
        var graph = LinkGraph()
        let home = number("/", in: &graph)
        graph[home].isSeed = true
        let a = number("/a", in: &graph)
        let b = number("/b", in: &graph)
        graph[a].leadsTo = b
        graph[b].leadsTo = a
        graph.link(home, followed: [key("/a")], nofollow: [])
        #expect(graph.standings()[Int(b)].depth == 1)
    }

    @Test func `what has no room is counted`() {
        var graph = LinkGraph(limits: LinkGraph.Limits(addresses: 3, links: 2))
        guard let home = graph.number(of: key("/")) else { return }
        graph.link(home, followed: [key("/1"), key("/2"), key("/3"), key("/4")], nofollow: [])
        #expect(graph.leftOut == 2)
        #expect(graph.addresses.count == 3)
        graph.list(inSitemap: key("/5"), wrongDate: nil)
        #expect(graph.leftOut == 3)
    }
}
