import Foundation
import PippinStore
import PippinTestSupport

@testable import PippinCrawl
@testable import PippinPage

/// A job that is cut into shards, over a made-up web; the test plays the driver.
final class ShardsUnderTest {
    /// What one try of one shard told.
    struct Telling: Sendable {
        struct Line: Sendable, Equatable {
            let kind: String
            let sequence: Int64
            let key: String
            let json: String

            init(_ line: Substring) {
                let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                precondition(columns.count == 4, "four columns: \(line)")
                (kind, key, json) = (columns[0], columns[2], columns[3])
                sequence = Int64(columns[1]) ?? -1
            }
        }

        var lines: [Line] = []
        var cursor = ""
        var ending: CrawlSummary.Ending?
        var epoch: ShardEpoch?

        func of(_ kind: ShardNews.Kind) -> [Line] { lines.filter { $0.kind == kind.rawValue } }
        func keys(_ kind: ShardNews.Kind) -> [String] { of(kind).map(\.key) }
    }

    let web: FakeWeb
    let count: Int
    private(set) var folders: [StorageFolder]
    let seeds: [Seed]
    var configuration = CrawlConfiguration()
    /// The cursor of each shard, as committed.
    var cursors: [String?]
    /// Requests for the next epoch, by shard.
    var inbox: [Int: [String]] = [:]
    /// The hosts' addresses as they were told, with the shard that told them.
    private var addresses: [String: (shard: Int, address: String)] = [:]
    /// All requests that were ever found for each shard.
    private var allMail: [Int: [String]] = [:]
    /// Records that a shard gets back in the next epoch, because it has lost its disk.
    private var handedBack: [Int: [String]] = [:]
    var epoch = 0
    /// The latest record of each identifier, over all epochs; nil for one that was deleted.
    var records: [String: String?] = [:]
    /// The depths with which each shard has told each URL, in their order.
    private(set) var toldDepths: [String: [Int]] = [:]

    init(_ count: Int, seeds: [String], web: FakeWeb = FakeWeb(time: MadeUpTime())) throws {
        self.count = count
        self.web = web
        folders = (0..<count).map { _ in StorageFolder() }
        self.seeds = try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt")
        cursors = Array(repeating: nil, count: count)
        configuration.scope.sitemaps = false
    }

    /// The shard of a host.
    func shard(of host: String) -> Int { Shard.number(ofHost: host, among: count) }

    func order(_ shard: Int, for duration: Duration) throws -> EpochOrder {
        guard let shard = Shard(shard, of: count) else { preconditionFailure("no shard \(shard)") }
        var order = EpochOrder(epoch: epoch, shard: shard, duration: duration, cursor: cursors[shard.number])
        for (address, known) in Dictionary(grouping: addresses.values, by: \.address) {
            let shards = Set(known.map(\.shard)).sorted()
            guard let place = shards.firstIndex(of: shard.number), let address = NetworkAddress(address),
                let slots = AddressSlots(place: place, of: shards.count)
            else { continue }
            try order.add(address, slots, line: 1)
        }
        return order
    }

    /// Runs the next epoch in all shards at a time, and commits it.
    @discardableResult
    func runEpoch(for duration: Duration = .seconds(600)) async throws -> [Telling] {
        epoch += 1
        let tellings = try await attempt(for: duration)
        commit(tellings)
        return tellings
    }

    /// Runs epochs until no shard has work.
    func runToEnd(epoch duration: Duration = .seconds(600)) async throws {
        var endings: [CrawlSummary.Ending?] = []
        for _ in 0..<200 {
            let tellings = try await runEpoch(for: duration)
            endings = tellings.map(\.ending)
            if inbox.values.allSatisfy(\.isEmpty), endings.allSatisfy({ $0 == .finished }) { return }
        }
        preconditionFailure("the shards never come to an end: \(endings), asked last: \(web.log.suffix(10).map(\.url))")
    }

    func commit(_ tellings: [Telling]) {
        inbox = [:]
        handedBack = [:]
        for (number, telling) in tellings.enumerated() {
            cursors[number] = telling.cursor
            for line in telling.of(.record) { records[line.key] = line.json }
            for line in telling.of(.deletion) { records[line.key] = .some(nil) }
            for line in telling.of(.host) {
                addresses[line.key] = Self.field("address", of: line).map { (number, $0) }
            }
            for line in telling.of(.foreign) {
                inbox[shard(told: line), default: []].append(line.json)
                toldDepths["\(number) \(line.key)", default: []].append(depth(told: line))
            }
        }
        allMail.merge(inbox) { $0 + $1 }
    }

    /// Takes a shard's disk away. In the next epoch it gets what was ever found for it, and the records that it has told.
    func lose(_ shard: Int) {
        folders[shard] = StorageFolder()
        cursors[shard] = nil
        inbox[shard] = allMail[shard]
        handedBack[shard] = records.compactMap { key, json in
            guard let json, let host = WebURL(key)?.politenessHost, self.shard(of: host) == shard else { return nil }
            return #"{"type":"record","key":"\#(key)","record":\#(json)}"#
        }
    }

    private static func field(_ name: String, of line: Telling.Line) -> String? {
        var parser = JSONParser()
        return (try? parser.parse(line.json))?[name]?.string
    }

    private func shard(told line: Telling.Line) -> Int {
        var parser = JSONParser()
        guard let value = try? parser.parse(line.json), let shard = value["shard"]?.integer else {
            preconditionFailure("no shard in \(line.json)")
        }
        return shard
    }

    private func depth(told line: Telling.Line) -> Int {
        guard let request = try? Self.request(line.json) else { preconditionFailure("\(line.json) is no request") }
        return request.depth
    }

    /// Runs the present epoch once more or for the first time, without committing it.
    func attempt(
        for duration: Duration = .seconds(600), change: (inout EpochOrder) -> Void = { _ in }
    ) async throws -> [Telling] {
        let orders = try (0..<count).map { number in
            var order = try order(number, for: duration)
            change(&order)
            return order
        }
        let (web, seeds, folders, inbox, handedBack) = (web, seeds, folders, inbox, handedBack)
        let configuration = configuration
        return try await web.time.run {
            try await withThrowingTaskGroup(of: (Int, Telling).self) { group in
                for order in orders {
                    group.addTask {
                        let number = order.shard.number
                        let requests = try (inbox[number] ?? []).map { try Self.request($0) }
                        return (
                            number,
                            try await Self.attempt(
                                order, requests, handedBack[number] ?? [], in: folders[number], web: web, seeds: seeds,
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
        let line = Array((#"{"type":"request","# + json.dropFirst()).utf8)
        guard case .request(let request) = try WorkerMessage(line: line[...], number: 1) else {
            preconditionFailure("\(json) is no request")
        }
        return request
    }

    private static func attempt(
        _ order: EpochOrder, _ requests: [CrawlRequest], _ handedBack: [String], in folder: StorageFolder, web: FakeWeb,
        seeds: [Seed],
        configuration: CrawlConfiguration
    ) async throws -> Telling {
        let time = web.time
        var configuration = configuration
        let limits = FrontierLimits(configuration, seeds: seeds.count)
        configuration.lay(order)
        let storage = try folder.open()
        let epoch = try storage.begin(order, at: time.date)
        let frontier = try storage.frontier(
            recrawl: configuration.recrawl, limits: limits, epoch: epoch, tellsLinks: true, date: { time.date },
            executor: time.actors)
        _ = try await frontier.add(requests)
        let scope = CrawlScope(configuration, seeds: seeds)
        _ = try await frontier.takeOver(
            try handedBack.map { line in
                guard case .record(let record) = try WorkerMessage(line: Array(line.utf8)[...], number: 1) else {
                    preconditionFailure("\(line) is no record")
                }
                return (record, record.request(in: scope))
            })
        var telling = Telling()
        telling.epoch = epoch
        let left = epoch.endsAt.timeIntervalSince(time.date)
        if left > 0 {
            let crawler = Crawler(
                configuration: configuration, seeds: seeds, fetcher: web, frontier: frontier, clock: time.clock)
            let end = time.now + .milliseconds(Int64(left * 1000))
            telling.ending = try await withThrowingTaskGroup(of: CrawlSummary.Ending?.self) { group in
                group.addTask {
                    await time.sleep(until: end)
                    crawler.close()
                    await time.sleep(until: end + .seconds(5))
                    crawler.stop()
                    return nil
                }
                group.addTask { try await crawler.run().ending }
                defer { group.cancelAll() }
                while let ending = try await group.next() {
                    if let ending { return ending }
                }
                return nil
            }
        } else {
            try await frontier.close(keeping: [])
        }
        try await frontier.noteHosts()
        var bytes: [UInt8] = []
        let news = try ShardNews(of: storage, since: epoch.cursor) { bytes += $0 }
        telling.lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { Telling.Line($0) }
        telling.cursor = news.cursor.description
        return telling
    }
}
