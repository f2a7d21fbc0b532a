import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct EndReportTests {
    private let web = FakeWeb(time: MadeUpTime())

    private func json(_ summary: CrawlSummary) throws -> JSONValue {
        var parser = JSONParser()
        return try parser.parse(summary.json(endedAt: MadeUpTime.start.addingTimeInterval(3600)))
    }

    // MARK: Politeness

    @Test(arguments: [1, 2] as [UInt64])
    func `the shortest pause of each host is the one that the web saw, and none was too short`(seed: UInt64)
        async throws
    {
        let web = FakeWeb(time: MadeUpTime(), latencySeed: seed)
        let seeds = web.addSites(5, pages: 30, seed: seed)
        let crawl = try await FakeCrawl.run(web, seeds: seeds) {
            $0.politeness.delay = .milliseconds(700)
            $0.scope.maximumDepth = 1000
        }
        let statistics = crawl.summary.statistics
        for (host, entries) in Dictionary(grouping: web.log, by: \.host) {
            let ordered = entries.sorted { $0.start < $1.start }
            let pauses = zip(ordered, ordered.dropFirst()).map { $1.start - $0.end }
            let asked = try #require(statistics.hosts[host])
            #expect(asked.requests == entries.count)
            #expect(asked.smallestPause == pauses.min())
            #expect(asked.delayThen ?? .zero >= .milliseconds(700))
        }
        #expect(statistics.requestsTooEarly == 0)
        #expect(crawl.summary.statistics.requestsTooEarly == 0)
        #expect(statistics.smallestPause?.pause == statistics.hosts.values.compactMap(\.smallestPause).min())
    }

    @Test func `a request before the delay has passed is counted, so that a defect would show`() {
        func exchange(_ start: Int, _ end: Int) -> Exchange {
            Exchange(.failure(.timedOut("no answer")), start: .milliseconds(start), end: .milliseconds(end))
        }
        var statistics = CrawlStatistics()
        statistics.exchanged(exchange(0, 100), host: "a.test", delay: .seconds(1))
        statistics.exchanged(exchange(1100, 1200), host: "a.test", delay: .seconds(2))
        #expect(statistics.requestsTooEarly == 0)
        statistics.exchanged(exchange(3100, 3200), host: "a.test", delay: .seconds(2))
        #expect(statistics.requestsTooEarly == 1)
        #expect(statistics.hosts["a.test"]?.smallestPause == .seconds(1))
        #expect(statistics.hosts["a.test"]?.delayThen == .seconds(1))
        statistics.exchanged(exchange(3250, 3300), host: "a.test", delay: .seconds(2))
        #expect(statistics.requestsTooEarly == 2)
        #expect(statistics.smallestPause?.pause == .milliseconds(50))
        #expect(statistics.smallestPause?.delay == .seconds(2))
    }

    @Test func `with several connections pauses are taken from turn to turn, each against the delay that held then`() {
        var statistics = CrawlStatistics()
        statistics.turnBegan(at: .seconds(0), host: "a.test", delay: .seconds(1))
        statistics.turnBegan(at: .seconds(2), host: "a.test", delay: .seconds(3))
        let exchange = Exchange(.failure(.timedOut("no answer")), start: .seconds(2), end: .seconds(4))
        statistics.exchanged(exchange, host: "a.test", delay: nil)
        statistics.turnBegan(at: .seconds(5), host: "a.test", delay: .seconds(4))
        #expect(statistics.hosts["a.test"]?.smallestPause == .seconds(2))
        #expect(statistics.hosts["a.test"]?.delayThen == .seconds(1))
        #expect(statistics.hosts["a.test"]?.requests == 1)
        #expect(statistics.requestsTooEarly == 0)
        statistics.turnBegan(at: .seconds(8), host: "a.test", delay: .seconds(4))
        #expect(statistics.requestsTooEarly == 1)
    }

    @Test func `a host with several connections that gets slower while they are open is not asked too early`()
        async throws
    {
        web.page("https://a.test/", links: (1...20).map { "https://a.test/\($0)" })
        for number in 1...20 {
            web["https://a.test/\(number)"] = [
                .html("<title>\(number)</title>").taking(.milliseconds(100 * (number * 7 % 20)))
            ]
        }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) {
            $0.politeness.delay = .milliseconds(200)
            $0.politeness.connectionsPerHost = 3
        }
        let starts = web.log.map(\.start).sorted()
        let pauses = zip(starts, starts.dropFirst()).map { $1 - $0 }
        #expect(try #require(pauses.min()) >= .milliseconds(200))
        #expect(crawl.summary.statistics.requestsTooEarly == 0)
        #expect(crawl.summary.statistics.requestsTooEarly == 0)
        #expect(crawl.summary.statistics.hosts["a.test"]?.requests == web.log.count)
    }

    // MARK: Pace

    @Test func `one host is limited by politeness, many hosts by capacity`() async throws {
        let seeds = web.addSites(1, pages: 30, seed: 1)
        let one = try await FakeCrawl.run(web, seeds: seeds) { $0.scope.maximumDepth = 1000 }
        #expect(one.summary.statistics.pace.mostly == .politeness)
        #expect(one.summary.statistics.pace.share(of: .politeness) > 0.5)
        #expect(one.summary.statistics.pace.times[.capacity] == nil)

        let wide = FakeWeb(time: MadeUpTime())
        let many = try await FakeCrawl.run(wide, seeds: wide.addSites(40, pages: 10, seed: 1)) {
            $0.scope.maximumDepth = 1000
            $0.fetch.concurrency = 2
        }
        #expect(many.summary.statistics.pace.mostly == .capacity)
        #expect(many.summary.statistics.pace.total == many.summary.duration)
    }

    // MARK: Seeds and what was left out

    @Test func `each seed has its final URL and its outcome`() async throws {
        web["https://a.test/"] = [.redirect(to: "https://b.test/x")]
        web["https://b.test/x"] = [.redirect(302, to: "/y")]
        web.page("https://b.test/y")
        web["https://c.test/"] = [.status(410)]
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/", "https://c.test/"])
        let ends = crawl.summary.statistics.seeds
        #expect(ends.map(\.finalURL?.href) == ["https://b.test/y", "https://c.test/"])
        #expect(ends.map(\.redirects) == [2, 0])
        #expect(ends.map(\.outcome?.code) == ["recorded", "gone"])
        #expect(ends.map(\.status) == [200, 410])
        let report = try json(crawl.summary)
        #expect(report["seeds"]?.array?.first?["finalURL"]?.string == "https://b.test/y")
        #expect(report["seeds"]?.array?.last?["outcome"]?.string == "gone")
    }

    @Test func `links that were left out have a reason and examples`() async throws {
        web.page(
            "https://a.test/",
            links: [
                "https://b.test/1", "https://b.test/2", "https://b.test/3", "mailto:x@a.test", "/x/x/x/", "/gone1",
                "/gone2",
            ])
        web.page("https://a.test/2")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        let metrics = crawl.summary.statistics
        #expect(metrics.refusals["other-host"] == 3)
        #expect(metrics.refusalExamples["other-host"] == ["https://b.test/1"])
        #expect(metrics.refusalExamples["repeated-segments"] == ["https://a.test/x/x/x/"])
        #expect(crawl.summary.statistics.examples["gone"] == ["https://a.test/gone1", "https://a.test/gone2"])
        #expect(crawl.summary.statistics.examples["recorded"] == nil)
        let report = try json(crawl.summary)
        let trap = report["droppedLinks"]?.array?.first { $0["reason"]?.string == "repeated-segments" }
        #expect(trap?["limitsCoverage"]?.bool == true)
        #expect(trap?["examples"]?.array?.count == 1)
        #expect(report["notCovered"]?.array?.first?["code"]?.string == "repeated-segments")
    }

    @Test func `the report as JSON has the totals, the hosts and the proof`() async throws {
        web.page("https://a.test/", links: ["/1"])
        web.page("https://a.test/1")
        let report = try json(try await FakeCrawl.run(web, seeds: ["https://a.test/"]).summary)
        let requests = web.log.count
        #expect(report["ending"]?.string == "finished")
        #expect(report["pages"]?.integer == 2)
        #expect(report["requests"]?.integer == requests)
        #expect(report["endedAt"]?.string == "2026-11-21T01:00:00.000Z")
        #expect(report["politeness"]?["requestsTooEarly"]?.integer == 0)
        #expect(report["politeness"]?["smallestPause"]?["seconds"]?.double == 1)
        let host = report["hosts"]?.array?.first
        #expect(host?["host"]?.string == "a.test")
        #expect(host?["requests"]?.integer == requests)
        #expect(host?["smallestPause"]?.double == 1)
        let shares = CrawlPace.Limit.allCases.compactMap { report["pace"]?["shares"]?[$0.rawValue]?.double }
        #expect(shares.count == CrawlPace.Limit.allCases.count)
        #expect(abs(shares.reduce(0, +) - 1) < 0.01)
    }

    @Test func `a file is whole or not there`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-\(UUID().uuidString)").path
        try WholeFile.write(Array("one".utf8), to: folder + "/deep/file", what: "it")
        try WholeFile.write(Array("two".utf8), to: folder + "/deep/file", what: "it")
        #expect(try String(contentsOfFile: folder + "/deep/file", encoding: .utf8) == "two")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/deep") == ["file"])
        #expect(throws: OutputError.self) { try WholeFile.write([1], to: "/dev/null/file", what: "it") }
    }
}
