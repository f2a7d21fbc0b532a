import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// What the card says where a network in front of a site refuses what its robots.txt allows (D15).
@Suite struct EdgeVerdictTests {
    private static func told(_ page: ReportPage) -> String {
        let finding = page.card.findings("D15").first
        return finding.map { "\($0.outcome.rawValue): \($0.sentence)" } ?? "nothing"
    }

    private static func refused(_ status: Int, _ name: String, _ value: String) -> ReportPage {
        ReportPage().with { page in
            page.status = status
            page.ending = .answered(status: status)
            page.robots = "User-agent: *\nAllow: /\n"
            page.probe = { evidence in
                guard var fetch = evidence.fetch.value else { return }
                fetch.edge = EdgeRefusal(status: status, headers: HTTPHeaders([(name, value)]))
                evidence.fetch = .made(fetch)
            }
        }
    }

    @Test func `a price is told`() {
        #expect(
            Self.told(Self.refused(402, "crawler-price", "USD 0.01"))
                == "error: Cloudflare answers Pippin with status 402 and wants to be paid, “USD 0.01” for each request (crawler-price: USD 0.01), though robots.txt allows Pippin to fetch the page."
        )
        #expect(
            Self.told(Self.refused(402, "X", "y"))
                == "error: The server answers Pippin with status 402 and wants to be paid (status 402), though robots.txt allows Pippin to fetch the page."
        )
    }

    @Test func `a challenge is told, and one that is over soon is milder`() {
        #expect(
            Self.told(Self.refused(403, "cf-mitigated", "challenge"))
                == "error: Cloudflare answers Pippin with status 403 and wants a proof that a person asks (cf-mitigated: challenge), though robots.txt allows Pippin to fetch the page."
        )
        #expect(Self.told(Self.refused(429, "cf-mitigated", "challenge")).hasPrefix("warning: Cloudflare answers"))
    }

    @Test func `who is not allowed anyway is not told of a contradiction`() {
        let page = Self.refused(403, "Server", "AkamaiGHost").with { $0.robots = "User-agent: *\nDisallow: /\n" }
        #expect(!Self.told(page).contains("though") && Self.told(page).contains("Akamai"))
    }

    @Test func `a status without a mark is told as before`() {
        let page = ReportPage().with { $0.status = 403 }
        #expect(Self.told(page) == "error: The page answers with status 403: it is not open.")
    }

    @Test func `what a server writes for a price is no markup and steers no terminal`() {
        let page = Self.refused(402, "crawler-price", "<b>\u{1B}[31m1</b>")
        #expect(!page.card.html.contains("<b>") && !page.card.text().contains("\u{1B}"))
    }

    @Test func `the report of a crawl has the price of a page that it did not get`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.robots("https://priced.test", "User-agent: *\nAllow: /\n")
        web["https://priced.test/"] = [.status(402, headers: [("crawler-price", "EUR 0.05")])]
        let crawl = try await ReportedCrawl.run(web, seeds: ["https://priced.test/"])
        let found = crawl.report.checks.first { $0.check.id == "D15" }?.examples.first
        #expect(found?.sentence.contains("“EUR 0.05” for each request") == true, "\(found?.sentence ?? "nothing")")
    }
}
