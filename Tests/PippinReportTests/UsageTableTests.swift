import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// Who may use a page, as its card tells it.
@Suite struct UsageTableTests {
    private static let page = ReportPage("<title>Mug</title><meta name=\"bingbot\" content=\"nocache\">").with {
        $0.robots =
            "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n\nUser-agent: Applebot-Extended\nDisallow: /\n"
    }

    private func lines(_ text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("Who may use the page") }) else { return [] }
        return Array(lines[start...].prefix { !$0.isEmpty })
    }

    @Test func `the text has a line for each agent, and the reasons below`() {
        #expect(
            lines(Self.page.card.text()) == [
                "Who may use the page  found     answered from   trained on",
                "  Applebot            yes       not said        no",
                "  Googlebot           yes       not said        no",
                "  Bingbot             yes       no              no",
                "  GPTBot              yes       not said        no",
                "  Pippin              yes       not said        no",
                "  found, Applebot, Googlebot, Bingbot and GPTBot: Line 2 of robots.txt, “Content-Signal: search=yes,",
                "      ai-train=no”, allows search. No documentation says that they follow this.",
                "  found, Pippin: Line 2 of robots.txt, “Content-Signal: search=yes, ai-train=no”, allows search.",
                "  answered from, Bingbot: The page’s “<meta name=\"bingbot\" content=\"nocache\">” refuses answers of AI",
                "      with its text.",
                "  trained on, Applebot: Line 6 of robots.txt, “Disallow: /”, refuses training of AI.",
                "  trained on, Googlebot and GPTBot: Line 2 of robots.txt, “Content-Signal: search=yes, ai-train=no”,",
                "      refuses training of AI. No documentation says that they follow this.",
                "  trained on, Bingbot: The page’s “<meta name=\"bingbot\" content=\"nocache\">” refuses training of AI",
                "      with its text.",
                "  trained on, Pippin: Line 2 of robots.txt, “Content-Signal: search=yes, ai-train=no”, refuses",
                "      training of AI.",
            ])
    }

    @Test func `the JSON has the answer of each use with its line`() throws {
        let usage = try #require(Self.page.card.json.object?["usage"]?.array)
        #expect(usage.map { $0.object?["agent"]?.string } == ["Applebot", "Googlebot", "Bingbot", "GPTBot", "Pippin"])
        let apple = try #require(usage[0].object?["trainedOn"]?.object)
        #expect(apple["answer"] == "no" && apple["documented"] == true && apple["line"] == 6)
        #expect(apple["carrier"] == "robots-rule" && apple["url"] == "https://shop.example/robots.txt")
        #expect(usage[0].object?["answeredFrom"]?.object?["answer"] == "not-said")
        #expect(usage[0].object?["answeredFrom"]?.object?["text"] == nil)
        #expect(usage[2].object?["answeredFrom"]?.object?["extent"] == "text")
    }

    @Test func `the HTML has both tables, and so has the card that a job keeps`() throws {
        for html in [Self.page.card.html, try ReportCard(kept: Self.page.card.kept()).html(partOf: "../index.html")] {
            #expect(html.contains("<h2>Who may use the page</h2>"))
            #expect(html.contains("<td data-of=\"Trained on\"><span class=\"warning\">no</span></td>"))
            #expect(html.contains("Line 6 of robots.txt, “Disallow: /”, refuses training of AI."))
        }
    }

    @Test func `a page whose robots.txt was not seen says so, and one that is closed is told by its lines`() {
        let offline = lines(Self.page.with { $0.isOffline = true }.card.text())
        #expect(offline.last == "  robots.txt was not seen: the page was read from a file, without network.")
        let closed = ReportPage().with {
            $0.robots = "User-agent: *\nDisallow: /\n"
            $0.ending = .noAnswer(.disallowed("Line 2."))
        }
        #expect(lines(closed.cardWithoutPage.text()).contains("  Bingbot             no        no              no"))
        let broken = ReportPage().with { $0.ending = .noAnswer(.status(500)) }
        #expect(lines(broken.cardWithoutPage.text()).isEmpty)
    }

    @Test func `readers who only show what others share have no such table`() {
        let shared = Self.page.with { $0.options = ReportCard.Options(profile: .facebook) }
        #expect(shared.card.usage.isEmpty && !shared.card.html.contains("Who may use the page"))
    }

    @Test func `what a page writes in a directive is no markup on the card`() {
        let hostile = ReportPage().with { $0.headers.append(("Content-Usage", "train-ai=n;a=\"<script>\"")) }
        #expect(hostile.card.usage.allSatisfy { $0.trained.answer == .no })
        #expect(!hostile.card.html.contains("<script>"))
    }
}
