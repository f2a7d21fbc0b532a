import PippinPage
import Testing

@testable import PippinCrawl

/// However many hosts there are, what is known of their rules takes bounded memory.
@Suite struct SiteFilesBoundsTests {
    private func request(_ host: String) throws -> (SiteFileRequest, PolitenessSchedule.Turn) {
        let url = try #require(WebURL("https://\(host)/"))
        let seed = Seed(url: url)
        return (try #require(SiteFileRequest(robotsFor: url, seed: seed)), .visit(CrawlRequest(seed: seed)))
    }

    @Test func `hosts whose rules cannot be had are forgotten too when they are many`() throws {
        var files = SiteFiles()
        for number in 0..<2 * SiteFiles.maximumOrigins {
            let (request, turn) = try request("h\(number).test")
            files.begin(request, parking: turn, now: .zero)
            let failure = RobotsFailure(.status(503), asking: request.url)
            #expect(files.giveUp(request.origin, failure, now: .zero).count == 1)
        }
        #expect(files.originCount <= SiteFiles.maximumOrigins)
    }

    @Test func `long files of many hosts are not all kept`() throws {
        var files = SiteFiles()
        let text = "User-agent: *\nDisallow: /x\n#" + String(repeating: "x", count: 400_000)
        for number in 0..<200 {
            let (request, turn) = try request("h\(number).test")
            files.begin(request, parking: turn, now: .zero)
            let rules = RobotsFile(bytes: Array(text.utf8), url: request.originURL)
            _ = files.settle(request.origin, rules: rules, keep: .seconds(60), now: .zero)
        }
        #expect(files.rulesBytes <= SiteFiles.maximumRulesBytes)
        #expect(files.originCount > 40)
        // What goes out of its time takes its bytes along.
        for number in 0..<200 { _ = files.standing(of: "https://h\(number).test", now: .seconds(61)) }
        #expect(files.rulesBytes == 0 && files.originCount == 0)
    }
}
