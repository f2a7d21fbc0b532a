import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What a worker says at the end of a turn, however much it has crawled.
@Suite struct EpochReportTests {
    private static func statistics(hosts: Int) throws -> CrawlStatistics {
        var statistics = CrawlStatistics()
        for number in 0..<hosts {
            let url = try #require(WebURL("https://h\(number).test/"))
            let request = CrawlRequest(url: url, seed: Seed(url: url), discovery: .outlink)
            for _ in 0...(number % 7) {
                statistics.ended(request, .recorded, hasRecord: true)
                statistics.pages += 1
            }
            let exchange = Exchange(.failure(.timedOut("")), start: .seconds(10), end: .seconds(11))
            statistics.exchanged(exchange, host: "h\(number).test", delay: .seconds(1))
            if number == 9 { statistics.exchanged(exchange, host: "h9.test", delay: .seconds(1)) }
            if number % 1000 == 17 {
                statistics.troubles["h\(number).test"] = RequestFailure(.status(503), asking: url)
            }
        }
        return statistics
    }

    /// The line of an epoch in a new storage.
    private func line(_ summary: CrawlSummary?) async throws -> [String] {
        let folder = StorageFolder()
        let storage = try folder.open()
        let shard = try #require(Shard(Shard.number(ofHost: "a.test", among: 16), of: 16))
        let order = EpochOrder(epoch: 7, shard: shard, duration: .seconds(60))
        let epoch = try storage.begin(order, at: MadeUpTime.start)
        let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl(), epoch: epoch) { MadeUpTime.start }
        _ = try await frontier.add([CrawlRequest(seed: Seed(url: try #require(WebURL("https://a.test/"))))])
        try await frontier.close(keeping: [])
        try await frontier.noteHosts()
        let news = try ShardNews(of: storage, since: epoch.cursor) { _ in }
        let report = EpochReport(epoch, news, received: .init(), summary: summary, timeIsOver: false)
        let times = EpochReport.Times(opening: .seconds(1), crawling: .milliseconds(2500), telling: .zero)
        let text = String(decoding: report.line(times, endedAt: MadeUpTime.start), as: UTF8.self)
        #expect(text.last == "\n" && text.count { $0 == "\n" } == 1)
        return text.dropLast().split(separator: "\t").map(String.init)
    }

    @Test func `a turn with any number of hosts is told, with those that need a look`() async throws {
        let statistics = try Self.statistics(hosts: 20_000)
        let summary = CrawlSummary(
            ending: .finished, statistics: statistics, unvisited: 0, duration: .seconds(50), standing: nil,
            spelling: .key)
        let columns = try await line(summary)
        #expect(columns.count == 4 && columns[0] == "done" && columns[2] == "7")
        #expect(columns[3].utf8.count < 50_000)
        var parser = JSONParser()
        let done = try parser.parse(columns[3])
        #expect(
            done["ending"]?.string == "finished" && done["shard"]?.integer == Shard.number(ofHost: "a.test", among: 16))
        #expect(done["pages"]?.integer == statistics.pages && done["hosts"]?.integer == 1)
        #expect(done["queued"]?.integer == 1 && done["seconds"]?["crawling"]?.double == 2.5)
        let hosts = done["summary"]?["hosts"]?.array ?? []
        #expect(hosts.count == 100)
        let names = Set(hosts.compactMap { $0["host"]?.string })
        let odd = Set((0..<20).map { "h\($0 * 1000 + 17).test" }).union(["h9.test"])
        #expect(names.isSuperset(of: odd))
        #expect(hosts.allSatisfy { odd.contains($0["host"]?.string ?? "") || $0["pages"]?.integer == 7 })
        // The file of `output.summary` has all.
        var reader = JSONParser(limits: .ownText)
        #expect(try reader.parse(summary.json(endedAt: MadeUpTime.start))["hosts"]?.array?.count == 20_000)
    }

    /// A job may have the pages of a million apps as seeds.
    @Test func `a turn with any number of seeds is told, with those that failed`() async throws {
        let urls = try (0..<20_000).map { try #require(WebURL("https://h\($0).test/")) }
        var statistics = CrawlStatistics(seeds: urls.map { Seed(url: $0) })
        for (number, url) in urls.enumerated() {
            let outcome: VisitOutcome = number % 1000 == 999 ? .gone(status: 410) : .recorded
            statistics.ended(CrawlRequest(seed: Seed(url: url)), outcome, hasRecord: number % 1000 != 999)
        }
        let summary = CrawlSummary(
            ending: .finished, statistics: statistics, unvisited: 0, duration: .seconds(50), standing: nil,
            spelling: .key)
        #expect(summary.failedSeeds.count == 20)
        let columns = try await line(summary)
        #expect(columns[3].utf8.count < 100_000)
        var parser = JSONParser()
        let seeds = try parser.parse(columns[3])["summary"]?["seeds"]?.array ?? []
        #expect(seeds.count == 250)
        #expect(seeds.prefix(20).allSatisfy { $0["reason"]?.string?.isEmpty == false })
        #expect(seeds.dropFirst(20).allSatisfy { $0["reason"] == nil })
    }

    @Test func `a try that comes too late has no summary`() async throws {
        var parser = JSONParser()
        let done = try parser.parse(try await line(nil)[3])
        #expect(done["ending"]?.string == "time" && done["summary"] == nil && done["pages"]?.integer == 0)
    }
}
