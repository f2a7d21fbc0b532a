import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What crawls make of the words of sites about use.
@Suite struct UsageCrawlTests {
    private let web = FakeWeb(time: MadeUpTime())

    private func crawl(_ purpose: CrawlPurpose, _ seeds: [String] = ["https://a.test/"]) async throws -> FakeCrawl {
        try await FakeCrawl.run(web, seeds: seeds) {
            $0.purpose = purpose
            $0.records = .all
            $0.maximumTextBytes = 1_000
        }
    }

    private func page(_ url: String, head: String = "", headers: [(String, String)] = [], links: [String] = []) {
        web[url] = [
            .html(
                "<title>Tea</title><meta name=description content='All about tea'>\(head)<main><p>"
                    + String(repeating: "How to make good tea. ", count: 20) + "</p>"
                    + links.map { "<a href='\($0)'>\($0)</a>" }.joined() + "</main>", headers: headers)
        ]
    }

    private func requests() -> [String] { web.log.filter { $0.purpose == .usageFile }.map(\.url) }

    @Test func `records say what the copy of robots.txt says that let them be fetched`() async throws {
        web.robots("https://a.test", "User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /no\n")
        page("https://a.test/")
        let record = try #require(try await crawl(.search).records.first)
        #expect(record.usage.preferences[.search]?.isAllowed == true)
        let training = try #require(record.usage.preferences[.aiTrain])
        #expect(!training.isAllowed && training.source.line == 2)
        #expect(training.source.url == "https://a.test/robots.txt")
        #expect(record.usage.preferences[.aiInput] == nil)
    }

    @Test func `of a page that is looked at alone, robots.txt counts too`() async throws {
        web.robots("https://a.test", "User-agent: *\nContent-Signal: ai-train=no\n")
        page("https://a.test/")
        let url = try #require(WebURL("https://a.test/"))
        var configuration = CrawlConfiguration()
        configuration.agent.contact = "a@example.net"
        let settled = configuration
        let (before, after) = try await web.time.run { [web] in
            var single = SingleFetch(configuration: settled, fetcher: web, clock: web.time.clock)
            let before = single.siteUsage(of: url)
            _ = await single.fetch(url, purpose: .page)
            return (before, single.siteUsage(of: url))
        }
        #expect(before.statements.isEmpty)
        #expect(after.statements.map(\.source.line) == [2] && after.statements.allSatisfy { !$0.isAllowed })
    }

    @Test func `a page that refuses the purpose has no record, and its links are followed`() async throws {
        web.robots("https://a.test", "User-agent: *\nContent-Usage: /$ train-ai=n, search=n\n")
        page("https://a.test/", links: ["/b"])
        page("https://a.test/b", headers: [("Content-Usage", "train-ai=n")])
        let search = try await crawl(.search)
        #expect(search.recorded == ["https://a.test/b"])
        #expect(search.outcomes["use-refused"] == 1)
        let training = try await crawl(.training)
        #expect(training.recorded.isEmpty && training.outcomes["use-refused"] == 2)
        let answers = try await crawl(.answers)
        #expect(answers.recorded == ["https://a.test/", "https://a.test/b"])
    }

    @Test func `text that may not be answered from is not recorded, but the page is`() async throws {
        page("https://a.test/", links: ["/b", "/c", "/d"])
        page("https://a.test/b", head: "<meta name=robots content=nosnippet>")
        page(
            "https://a.test/c",
            head:
                "<script type='application/ld+json'>{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\"headline\":\"Tea\",\"isAccessibleForFree\":false}</script>"
        )
        page("https://a.test/d", head: "<meta name=robots content=noai>")
        let answers = try await crawl(.answers)
        #expect(answers.recorded == ["https://a.test/", "https://a.test/b", "https://a.test/c"])
        #expect(answers.outcomes["use-refused"] == 1)
        for record in answers.records {
            let isWhole = record.uniqueIdentifier == "https://a.test/"
            #expect((record.text != nil) == isWhole && (record.snippet != nil) == isWhole, "\(record.uniqueIdentifier)")
            #expect((record.contentDescription != nil) == isWhole && record.title == "Tea")
        }
        let search = try await crawl(.search)
        #expect(search.records.count == 4)
        #expect(search.records.first { $0.uniqueIdentifier.hasSuffix("/c") }?.text != nil)
    }

    @Test func `tdmrep is asked for once a host, and only for more than search`() async throws {
        page("https://a.test/", links: ["/b", "/c"])
        page("https://a.test/b")
        page("https://a.test/c", headers: [("tdm-reservation", "0")])
        web["https://a.test/.well-known/tdmrep.json"] = [.json("[{\"location\":\"/\",\"tdm-reservation\":1}]")]
        #expect(try await crawl(.search).records.count == 3)
        #expect(requests().isEmpty)
        let training = try await crawl(.training)
        #expect(requests() == ["https://a.test/.well-known/tdmrep.json"])
        // The field says otherwise than the file.
        #expect(training.recorded == ["https://a.test/c"])
        #expect(training.outcomes["use-refused"] == 2)
    }

    @Test func `a host without tdmrep, or with one that cannot be read, gives its pages`() async throws {
        page("https://a.test/")
        page("https://b.test/")
        web["https://b.test/.well-known/tdmrep.json"] = [.json("nonsense")]
        let crawl = try await crawl(.answers, ["https://a.test/", "https://b.test/"])
        #expect(crawl.records.count == 2)
        #expect(crawl.siteFiles(.reservations).values.reduce(0, +) == 2)
    }

    @Test func `licences are read from hosts of the crawl, and what they refuse counts`() async throws {
        web.robots("https://a.test", "License: https://a.test/l.xml\nLicense: https://elsewhere.test/l.xml\n")
        page("https://a.test/", links: ["/free/"])
        page("https://a.test/free/")
        web["https://a.test/l.xml"] = [
            .xml(
                """
                <rsl xmlns="https://rslstandard.org/rsl">
                <content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content>
                <content url="/free/"><license><permits type="usage">all</permits></license></content></rsl>
                """)
        ]
        let training = try await crawl(.training)
        #expect(training.recorded == ["https://a.test/free/"])
        #expect(Set(requests()) == ["https://a.test/l.xml", "https://a.test/.well-known/tdmrep.json"])
        let record = try #require(training.records.first)
        #expect(record.usage.licenses.map(\.url.href) == ["https://a.test/l.xml", "https://elsewhere.test/l.xml"])
        #expect(record.usage.preferences[.aiTrain]?.source.carrier == .licenseFile)
    }

    @Test(arguments: [
        ("free", "<permits type=\"usage\">search</permits>", 1), ("sale", "", 1),
        ("no", "<prohibits type=\"usage\">search</prohibits>", 0),
    ])
    func `a licence that sells uses by AI leaves search as it is`(name: String, other: String, records: Int)
        async throws
    {
        func license(_ text: String) -> String {
            "<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license>\(text)</license></content></rsl>"
        }
        web.robots("https://a.test", "License: https://a.test/ai.xml\nLicense: https://a.test/\(name).xml\n")
        page("https://a.test/")
        web["https://a.test/ai.xml"] = [
            .xml(license("<permits type=\"usage\">ai-all</permits><payment type=\"purchase\"/>"))
        ]
        web["https://a.test/\(name).xml"] = [.xml(license(other))]
        let search = try await crawl(.search)
        #expect(search.records.count == records && search.outcomes["use-refused"] ?? 0 == 1 - records)
        #expect(search.records.allSatisfy { $0.usage.preferences[.aiTrain]?.isAllowed == false })
        #expect(try await crawl(.training).records.isEmpty)
    }

    @Test func `files about use are asked for only where robots_txt allows`() async throws {
        web.robots("https://a.test", "User-agent: *\nDisallow: /.well-known/\nLicense: /l.xml\nDisallow: /l.xml\n")
        page("https://a.test/")
        #expect(try await crawl(.training).records.count == 1)
        #expect(requests().isEmpty)
    }
}
