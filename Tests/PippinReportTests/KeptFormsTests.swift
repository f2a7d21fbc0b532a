import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinReport

/// What a job keeps for its report says the same when it is read again.
@Suite struct KeptFormsTests {
    private static let hostile = "</style><script>alert(1)</script>\u{202E}\"'><b onclick=alert(2)>"

    private static func card(_ change: (inout ReportPage) -> Void = { _ in }) -> ReportCard {
        ReportPage(
            """
            <title>A mug \(hostile.replacing("<", with: "&lt;"))</title><meta name=description content="Short">
            <meta name="apple-itunes-app" content="app-id=123456789, app-argument=https://shop.example/mug">
            <meta property="og:image" content="http://shop.example/mug.png"><link rel=canonical href="https://shop.example/mug">
            """
        ).with(change).with { $0.showsSource = false }.card
    }

    private static var crawl: CrawlEvidence {
        var crawl = CrawlEvidence()
        crawl.sameTitle = ["https://shop.example/cup"]
        crawl.isInSitemap = true
        crawl.sitemapDate = "soon"
        return crawl
    }

    @Test func `a card that was kept is shown as it would have been, with what the new crawl found`() throws {
        let card = Self.card()
        let kept = try ReportCard(kept: card.kept())
        for evidence in [Self.crawl, CrawlEvidence()] {
            let (now, then) = (kept.completed(by: evidence), card.completed(by: evidence))
            #expect(now.html(partOf: ReportCard.overviewOfSite) == then.html(partOf: ReportCard.overviewOfSite))
            #expect(
                now.findings.map { "\($0.check.id) \($0.sentence)" }
                    == then.findings.map { "\($0.check.id) \($0.sentence)" })
            #expect(now.findings.contains { $0.check.id == "D10" })
        }
        #expect(!kept.html(partOf: nil).contains("<script>"))
        // Some 10 KB, so that the cards of the worst pages are nothing beside their records.
        #expect(try card.kept().count < 30_000)
    }

    @Test func `an entry that was kept makes the same report`() throws {
        let (page, cup) = (Self.card(), Self.card { $0.url = "https://shop.example/cup?x=%3C" })
        let gone = ReportPage("").with {
            $0.url = "https://shop.example/gone"
            $0.status = 404
        }.cardWithoutPage
        let home = try #require(WebURL("https://shop.example/"))
        let old = try #require(WebURL("https://shop.example/old"))
        let sitemap = try #require(WebURL("https://shop.example/sitemap.xml"))
        let listed = Sitemap(
            bytes: Array(
                """
                <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>\(old.href)</loc></url>
                <url><loc>\(home.href)</loc><lastmod>soon</lastmod></url></urlset>
                """.utf8), url: sitemap)
        #expect(listed.entries.count == 2)
        var entries = [page, cup, gone].map { card in
            ReportEntry(
                url: card.url, key: URLKey(card.url), seed: card.url.path == "/mug" ? home : nil,
                content: .judged(JudgedPage(card)), followed: [URLKey(cup.url), URLKey(old)], nofollow: [URLKey(home)],
                date: ReportPage.now)
        }
        entries.append(
            ReportEntry(
                url: old, key: URLKey(old), seed: nil,
                content: .leads(to: URLKey(page.url).string, isRedirect: true), date: ReportPage.now))
        entries.append(ReportEntry(url: home, key: URLKey(home), seed: nil, content: .closed, date: ReportPage.now))
        entries.append(
            ReportEntry(
                url: sitemap, key: URLKey(sitemap), seed: nil,
                content: .sitemap(listed.entries.map { ReportEntry.Listed($0) }), date: ReportPage.now))
        entries.append(
            ReportEntry(url: home, key: URLKey(home), seed: nil, content: .unjudged("empty"), date: ReportPage.now))
        func report(_ entries: [ReportEntry]) -> SiteReport {
            var builder = SiteReportBuilder(readsSitemaps: true)
            for entry in entries { builder.add(entry) }
            return builder.report(
                of: SiteReport.Crawl(
                    ending: .finished, finishedAt: ReportPage.now, seeds: [], notCovered: [], isComplete: true))
        }
        let kept = try entries.map { try ReportEntry(kept: $0.kept(maximumBytes: 1 << 20), date: $0.date) }
        let (now, then) = (report(kept), report(entries))
        #expect(now.json == then.json)
        #expect(now.html == then.html)
        #expect(then.pages == 2 && then.brokenCount == 1)
        #expect(then.redirects == 1 && then.checks.contains { $0.check.id == "D13" })
    }

    /// A stored form as a version wrote it that did not store how it judged.
    private static func withoutVersion(_ bytes: [UInt8]) throws -> [UInt8] {
        func old(_ value: Any) -> Any {
            guard var object = value as? [String: Any] else { return value }
            object["v"] = nil
            if let page = object["p"] { object["p"] = old(page) }
            return object
        }
        let json = try #require(DeflatedBytes.unpack(bytes))
        let form = try JSONSerialization.jsonObject(with: Data(json))
        return try #require(DeflatedBytes.pack([UInt8](try JSONSerialization.data(withJSONObject: old(form)))))
    }

    @Test func `what earlier versions found without a look at association files is left out`() throws {
        let card = ReportPage("<title>Mug</title>").associated(
            apple: .fetched(
                bytes: Array(
                    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a.b"],"components":[{"/":"/x"}]}]}}"#.utf8),
                mediaType: "application/json")
        ).with { $0.showsSource = false }.card
        #expect(card.outcome("L01") == .error && card.outcome("S14") == .warning)
        let bytes = try card.kept()
        #expect(try ReportCard(kept: bytes).outcome("L01") == .error)
        let old = try ReportCard(kept: Self.withoutVersion(bytes))
        #expect(old.outcome("L01") == nil && old.outcome("S14") == .warning)

        let entry = ReportEntry(
            url: card.url, key: URLKey(card.url), seed: nil, content: .judged(JudgedPage(card)), date: ReportPage.now)
        func checks(_ bytes: [UInt8]) throws -> [String] {
            guard case .judged(let page) = try ReportEntry(kept: bytes, date: ReportPage.now).content else { return [] }
            return page.findings.map(\.check.id)
        }
        let kept = try entry.kept(maximumBytes: 1 << 20)
        #expect(try checks(kept).contains("L01"))
        #expect(try checks(Self.withoutVersion(kept)) == checks(kept).filter { $0 != "L01" })
    }

    @Test func `a page of very many links keeps its findings, and not its links`() throws {
        let card = Self.card()
        let links = try (1...5_000).map { number in
            URLKey(try #require(WebURL("https://shop.example/\(UInt64(number) &* 0x9E37_79B9_7F4A_7C15)")))
        }
        let entry = ReportEntry(
            url: card.url, key: URLKey(card.url), seed: nil, content: .judged(JudgedPage(card)), followed: links,
            date: ReportPage.now)
        let bytes = try entry.kept(maximumBytes: 20_000)
        #expect(bytes.count <= 20_000)
        let read = try ReportEntry(kept: bytes, date: ReportPage.now)
        #expect(read.followed.isEmpty && read.leftOut == links.count)
        guard case .judged(let page) = read.content else {
            Issue.record("\(read.content)")
            return
        }
        #expect(page.findings.count == JudgedPage(card).findings.count)
    }

    @Test(
        arguments: [[], [1, 2, 3], [255, 255, 255, 255, 1], [4, 0, 0, 0, 120, 156, 3, 0, 0, 0, 0, 1]] as [[UInt8]])
    func `bytes that are no entry are an error`(bytes: [UInt8]) {
        #expect(throws: (any Error).self) { try ReportEntry(kept: bytes, date: ReportPage.now) }
        #expect(throws: (any Error).self) { try ReportCard(kept: bytes) }
    }
}
