import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// How many pages of a crawl each crawler finds, answers from and is trained with.
@Suite struct UsageTotalsTests {
    private static let robots =
        "User-agent: *\nAllow: /\n\nUser-agent: Applebot-Extended\nDisallow: /\n\nUser-agent: bingbot\nDisallow: /2\n"

    private static func page(_ number: Int, _ head: String = "") -> ReportPage {
        ReportPage("<title>Mug \(number)</title>\(head)").with {
            $0.url = "https://shop.example/\(number)"
            $0.robots = robots
        }
    }

    private static func report(
        _ pages: [ReportPage], limits: SiteReportBuilder.Limits = SiteReportBuilder.Limits()
    ) throws -> SiteReport {
        var builder = SiteReportBuilder(readsSitemaps: false, limits: limits)
        for page in pages { builder.add(page.card, key: URLKey(try #require(WebURL(page.url)))) }
        return builder.report(
            of: SiteReport.Crawl(
                ending: .finished, finishedAt: ReportPage.now, seeds: [], notCovered: [], isComplete: true))
    }

    private static let pages = [
        page(1), page(2), page(3, "<meta name=robots content=noindex>"),
        page(4, "<meta name=robots content=nosnippet>"),
    ]

    @Test func `pages are counted by the answer for each crawler`() throws {
        let totals = try Self.report(Self.pages).usage.agents
        #expect(totals.map(\.name) == ["Applebot", "Googlebot", "Bingbot", "GPTBot", "Pippin"])
        typealias Count = UsageTotals.Count
        #expect(
            totals[0].uses == [Count(yes: 3, no: 1), Count(no: 1, unsaid: 3), Count(no: 4)])
        #expect(totals[1].uses == [Count(yes: 3, no: 1), Count(no: 2, unsaid: 2), Count(unsaid: 4)])
        #expect(totals[2].uses[0] == Count(yes: 2, no: 2))
    }

    @Test func `the lines that decide most pages come first, each with its file`() throws {
        let lines = try Self.report(Self.pages).usage.lines
        #expect(lines[0].line.sentence == "Line 5 of robots.txt, “Disallow: /”, refuses training of AI.")
        #expect(lines[0].line.agents == ["Applebot"] && lines[0].pages == 4)
        #expect(lines[0].line.file == "https://shop.example/robots.txt")
        let ofPages = lines.filter { $0.line.file == nil }
        #expect(ofPages.contains { $0.line.sentence.contains("nosnippet") && $0.pages == 1 })
    }

    @Test func `the order is that of what was found, whatever came first`() throws {
        let forms = [Self.pages, Self.pages.reversed()].map { pages in
            try? Self.report(Array(pages)).usageJSON.map { $0.bytes() }
        }
        #expect(forms[0] != nil && forms[0] == forms[1])
    }

    @Test func `pages beyond the limit of the report count too, and lines have a limit`() throws {
        var limits = SiteReportBuilder.Limits()
        limits.pages = 2
        #expect(try Self.report(Self.pages, limits: limits).usage.agents[0].uses[2].no == 4)
        // Each page has a line that no other has.
        var totals = UsageTotals()
        for number in 0..<UsageTotals.maximumLines + 20 {
            let page = Self.page(number, "<meta name=robots content='unavailable_after: \(1_500 + number)-01-01'>")
            totals.add(try #require(PageUses(page.card.usage)))
        }
        #expect(totals.lineCount == UsageTotals.maximumLines)
        #expect(totals.lines.count == UsageTotals.maximumListed)
        #expect(totals.agents[1].uses[0].no == UsageTotals.maximumLines + 20)
    }

    @Test(.slow) func `the JSON keeps to the schema, and the page shows both tables`() throws {
        let report = try Self.report(Self.pages)
        let verdict = try ReportSchema.siteReport.verdict(of: report.json.bytes(), isStrict: true)
        #expect(verdict.status == 0, "\(verdict.output.prefix(2_000))")
        let html = report.html
        #expect(html.contains("<h2 id=\"usage\">Who may use the pages</h2>"))
        #expect(html.contains("<span class=\"warning\">4 no</span>"))
        #expect(html.contains("Line 5 of robots.txt, “Disallow: /”, refuses training of AI."))
    }

    @Test func `a job keeps them with its pages, and reads entries of versions without them`() throws {
        let judged = JudgedPage(Self.page(1).card)
        let kept = try PackedJSON.unpack(JudgedPage.self, from: PackedJSON.pack(judged))
        #expect(kept.usage == judged.usage && kept.usage != nil)
        let form = try #require(DeflatedBytes.unpack(PackedJSON.pack(judged)))
        var object = try #require(try JSONSerialization.jsonObject(with: Data(form)) as? [String: Any])
        object["u"] = nil
        let old = try #require(DeflatedBytes.pack(Array(try JSONSerialization.data(withJSONObject: object))))
        #expect(try PackedJSON.unpack(JudgedPage.self, from: old).usage == nil)
    }
}
