import Foundation
import Logging
import PippinCrawl
import PippinPage
import PippinStore

/// The driver of a job in shards, played in memory: what it hands to each shard, and what it makes of what they tell (Docs/Cluster.md).
/// Nothing of it is ever lost; `Spark/tests` try what becomes of the real one's files.
public struct PlayedDriver: Sendable {
    /// What one try of one shard told.
    public struct Telling: Sendable {
        public struct Line: Sendable, Equatable {
            public let kind: String
            public let sequence: Int64
            public let key: String
            public let json: String

            /// - Parameter line: four columns.
            init(_ line: Substring) {
                let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                precondition(columns.count == 4, "four columns: \(line)")
                (kind, key, json) = (columns[0], columns[2], columns[3])
                sequence = Int64(columns[1]) ?? -1
            }

            /// A member of the JSON.
            public subscript(_ name: String) -> JSONValue? {
                var parser = JSONParser()
                return (try? parser.parse(json))?[name]
            }
        }

        /// All but `done`.
        public let lines: [Line]
        /// What the last line says.
        public let cursor: String
        public let ending: String
        public let queued: Int

        /// - Parameter bytes: all lines.
        public init(_ bytes: [UInt8]) {
            var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { Line($0) }
            let done = lines.removeLast()
            precondition(done.kind == "done", "the last line is \(done.kind)")
            self.lines = lines
            cursor = done["cursor"]?.string ?? ""
            ending = done["ending"]?.string ?? ""
            queued = done["queued"]?.integer ?? -1
        }

        public func of(_ kind: ShardNews.Kind) -> [Line] { lines.filter { $0.kind == kind.rawValue } }
        public func keys(_ kind: ShardNews.Kind) -> [String] { of(kind).map(\.key) }
    }

    public private(set) var count: Int
    /// The number of each shard's next turn.
    private var turns: [Int]
    /// What the shards got that are in a turn.
    private var inFlight: [Int: Input] = [:]
    /// The cursor of each shard, as committed.
    public var cursors: [String?]
    /// Requests for the next turn, by shard.
    public var inbox: [Int: [String]] = [:]
    /// The latest record of each identifier, over all turns; nil for one that was deleted.
    public private(set) var records: [String: String?] = [:]
    /// The ways by which each shard has told each URL, in their order.
    public private(set) var toldWays: [String: [(depth: Int, seed: String)]] = [:]
    /// The hosts' addresses as they were told, with the shard that told them.
    private var addresses: [String: (shard: Int, address: String)] = [:]
    /// All requests that were ever found for each shard.
    private var allMail: [Int: [String]] = [:]
    /// Records that a shard gets back in the next turn, because it has lost its disk.
    private var handedBack: [Int: [String]] = [:]

    private struct Input: Sendable {
        var lines: [String]
        /// How many of the requests in its inbox it got.
        var requests: Int
        /// The shards that may ask the addresses at which it has a place, in the order of their places.
        var places: [String: [Int]]
    }

    public init(shards count: Int) {
        self.count = count
        turns = Array(repeating: 1, count: count)
        cursors = Array(repeating: nil, count: count)
    }

    // MARK: What a shard gets

    /// The number of the last shard's next turn.
    public var turn: Int { turns.max() ?? 1 }

    /// The first line for a shard.
    public func order(_ number: Int, for duration: Duration) -> EpochOrder {
        guard let shard = Shard(number, of: count) else { preconditionFailure("no shard \(number)") }
        return EpochOrder(epoch: turns[number], shard: shard, duration: duration, cursor: cursors[number])
    }

    /// The shards that may ask each address, in the order of their places.
    public var places: [String: [Int]] {
        Dictionary(grouping: addresses.values, by: \.address).mapValues { Set($0.map(\.shard)).sorted() }
    }

    /// The same for turns that begin now: while a shard in a turn has a place at an address, its division stays; nobody gets a place if
    /// a shard has hosts there that the division does not know.
    private var placesNow: [String: [Int]] {
        var places = places
        for input in inFlight.values {
            for (address, old) in input.places {
                places[address] = Set(places[address] ?? []).isSubset(of: old) ? old : []
            }
        }
        return places
    }

    /// The lines after the first for a shard.
    public func lines(for number: Int) -> [String] { input(for: number).lines }

    private func input(for number: Int) -> Input {
        let places = placesNow.filter { $0.value.contains(number) }
        let requests = inbox[number] ?? []
        let named = places.sorted { $0.key < $1.key }.compactMap { address, shards in
            shards.firstIndex(of: number).map {
                #"{"type":"address","address":"\#(address)","place":\#($0),"of":\#(shards.count)}"#
            }
        }
        let lines =
            named + requests.map { #"{"type":"request","# + $0.dropFirst() } + (handedBack[number] ?? [])
        return Input(lines: lines, requests: requests.count, places: places)
    }

    /// Begins a turn of a shard, or the same again if it never ended.
    ///
    /// - Returns: the lines after the first.
    public mutating func begin(_ number: Int) -> [String] {
        let input = inFlight[number] ?? input(for: number)
        inFlight[number] = input
        return input.lines
    }

    public var shardsInFlight: Set<Int> { Set(inFlight.keys) }

    /// Whether a shard that finished its last turn gets anything new in its next.
    public func hasMail(for number: Int) -> Bool { !(inbox[number] ?? []).isEmpty || handedBack[number] != nil }

    /// The addresses that a turn of a shard might ask.
    public func addresses(for number: Int) -> Set<String> { Set(placesNow.filter { $0.value.contains(number) }.keys) }

    /// Plays a worker of `pippin worker`: one try of one shard's turn.
    ///
    /// - Parameters:
    ///   - lines: after the first.
    ///   - onStart: gets what stops the crawl in order.
    public static func work(
        _ order: EpochOrder, _ lines: [String], in storage: CrawlStorage, _ configuration: CrawlConfiguration,
        seeds: [Seed], fetcher: any Fetcher, time: MadeUpTime,
        onStart: @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
    ) async throws -> Telling {
        var turn = try ShardTurn(
            order, in: storage, configuration, seeds: seeds, clock: time.clock, executor: time.actors)
        try await turn.take(read(lines))
        let crawling = turn
        try await turn.crawl {
            let crawler = Crawler(
                configuration: crawling.configuration, seeds: seeds, fetcher: fetcher, frontier: crawling.frontier,
                clock: time.clock, logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
            onStart { crawler.stop() }
            return try await withThrowingTaskGroup(of: Void.self) { beside in
                defer { beside.cancelAll() }
                beside.addTask { try await crawling.end(crawler) }
                return try await crawler.run()
            }
        }
        var told: [UInt8] = []
        let done = try await turn.tell { told += $0 }
        withExtendedLifetime(storage) {}
        return Telling(told + done)
    }

    /// Lines as a worker reads them.
    public static func read(_ lines: [String]) throws -> [ShardTurn.Line] {
        try zip(2..., lines).map { number, line in
            ShardTurn.Line(number: number, message: try WorkerMessage(line: Array(line.utf8)[...], number: number))
        }
    }

    // MARK: What it makes of it

    /// Ends a turn of all shards.
    ///
    /// - Parameter tellings: by their numbers.
    public mutating func commit(_ tellings: [Telling]) {
        let requests = inbox.mapValues(\.count)
        for (number, telling) in tellings.enumerated() { commit(telling, of: number, requests: requests[number] ?? 0) }
    }

    /// Ends a turn of a shard.
    public mutating func commit(_ telling: Telling, of number: Int) {
        commit(telling, of: number, requests: inFlight[number]?.requests ?? 0)
    }

    private mutating func commit(_ telling: Telling, of number: Int, requests: Int) {
        turns[number] += 1
        inFlight[number] = nil
        handedBack[number] = nil
        inbox[number]?.removeFirst(requests)
        cursors[number] = telling.cursor
        for line in telling.of(.record) { records[line.key] = line.json }
        for line in telling.of(.deletion) { records[line.key] = .some(nil) }
        for line in telling.of(.host) { addresses[line.key] = line["address"]?.string.map { (number, $0) } }
        for line in telling.of(.foreign) {
            guard let shard = line["shard"]?.integer, let depth = line["depth"]?.integer,
                let seed = line["seed"]?["url"]?.string
            else {
                preconditionFailure("no shard, depth or seed in \(line.json)")
            }
            inbox[shard, default: []].append(line.json)
            allMail[shard, default: []].append(line.json)
            toldWays["\(number) \(line.key)", default: []].append((depth, seed))
        }
    }

    /// Makes a shard anew that has lost its disk and is in no turn. In the next turn it gets what was ever found for it, and the records that it has told.
    public mutating func rebuild(_ number: Int) {
        cursors[number] = nil
        inbox[number] = allMail[number]
        handedBack[number] = records.sorted { $0.key < $1.key }.compactMap { key, json in
            guard let json, let host = WebURL(key)?.politenessHost, Shard.number(ofHost: host, among: count) == number
            else { return nil }
            return #"{"type":"record","key":"\#(key)","record":\#(json)}"#
        }
    }

    /// Goes on with other shards, which were made of those before. None is in a turn.
    public mutating func reshard(into count: Int) {
        turns = Array(repeating: turn + 1, count: count)
        self.count = count
        cursors = Array(repeating: nil, count: count)
        (inbox, handedBack, addresses, allMail) = ([:], [:], [:], [:])
    }
}
