import Foundation
import PippinStore
import PippinTestSupport
import Simulation

@testable import PippinCrawl
@testable import PippinPage

/// A job that is cut into shards, over a made-up web; the test plays the driver.
final class ShardsUnderTest {
    typealias Telling = PlayedDriver.Telling

    let web: FakeWeb
    let count: Int
    private(set) var folders: [StorageFolder]
    let seeds: [Seed]
    var configuration = CrawlConfiguration()
    var driver: PlayedDriver

    /// The cursor of each shard, as committed.
    var cursors: [String?] {
        get { driver.cursors }
        set { driver.cursors = newValue }
    }
    /// Requests for the next turn, by shard.
    var inbox: [Int: [String]] {
        get { driver.inbox }
        set { driver.inbox = newValue }
    }
    var records: [String: String?] { driver.records }
    var toldWays: [String: [(depth: Int, seed: String)]] { driver.toldWays }

    init(_ count: Int, seeds: [String], web: FakeWeb = FakeWeb(time: MadeUpTime())) throws {
        self.count = count
        self.web = web
        folders = (0..<count).map { _ in StorageFolder() }
        self.seeds = try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt")
        driver = PlayedDriver(shards: count)
        configuration.scope.sitemaps = false
    }

    /// The shard of a host.
    func shard(of host: String) -> Int { Shard.number(ofHost: host, among: count) }

    /// Runs the next turn in all shards at a time, and commits it.
    @discardableResult
    func runEpoch(for duration: Duration = .seconds(600)) async throws -> [Telling] {
        let tellings = try await attempt(for: duration)
        driver.commit(tellings)
        return tellings
    }

    /// Runs epochs until no shard has work.
    func runToEnd(epoch duration: Duration = .seconds(600)) async throws {
        var endings: [String] = []
        for _ in 0..<200 {
            let tellings = try await runEpoch(for: duration)
            endings = tellings.map(\.ending)
            if inbox.values.allSatisfy(\.isEmpty), endings.allSatisfy({ $0 == "finished" }) { return }
        }
        preconditionFailure("the shards never come to an end: \(endings), asked last: \(web.log.suffix(10).map(\.url))")
    }

    /// Takes a shard's disk away.
    func lose(_ shard: Int) {
        folders[shard] = StorageFolder()
        driver.rebuild(shard)
    }

    /// Runs the present turn once more or for the first time, without committing it.
    func attempt(
        for duration: Duration = .seconds(600), change: (inout EpochOrder) -> Void = { _ in }
    ) async throws -> [Telling] {
        let orders = (0..<count).map { number in
            var order = self.driver.order(number, for: duration)
            change(&order)
            return order
        }
        let (web, seeds, folders, driver, configuration) = (web, seeds, folders, driver, configuration)
        return try await web.time.run {
            try await withThrowingTaskGroup(of: (Int, Telling).self) { group in
                for order in orders {
                    group.addTask {
                        let number = order.shard.number
                        return (
                            number,
                            try await Self.attempt(
                                order, driver.lines(for: number), in: folders[number], web: web, seeds: seeds,
                                configuration: configuration)
                        )
                    }
                }
                var tellings = [Telling?](repeating: nil, count: orders.count)
                for try await (number, telling) in group { tellings[number] = telling }
                return tellings.compactMap(\.self)
            }
        }
    }

    /// A line of a `foreign` telling, as a worker of another shard reads it.
    static func request(_ json: String) throws -> CrawlRequest {
        let lines = try PlayedDriver.read([#"{"type":"request","# + json.dropFirst()])
        guard case .request(let request)? = lines.first?.message else { preconditionFailure("\(json) is no request") }
        return request
    }

    private static func attempt(
        _ order: EpochOrder, _ lines: [String], in folder: StorageFolder, web: FakeWeb, seeds: [Seed],
        configuration: CrawlConfiguration
    ) async throws -> Telling {
        var configuration = configuration
        configuration.cluster.tellsLinks = true
        return try await PlayedDriver.work(
            order, lines, in: try folder.open(), configuration, seeds: seeds, fetcher: web, time: web.time)
    }
}
