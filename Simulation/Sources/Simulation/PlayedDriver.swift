import Foundation
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
    /// The number of the next turn.
    public private(set) var turn = 1
    /// The cursor of each shard, as committed.
    public var cursors: [String?]
    /// Requests for the next turn, by shard.
    public var inbox: [Int: [String]] = [:]
    /// The latest record of each identifier, over all turns; nil for one that was deleted.
    public private(set) var records: [String: String?] = [:]
    /// The depths with which each shard has told each URL, in their order.
    public private(set) var toldDepths: [String: [Int]] = [:]
    /// The hosts' addresses as they were told, with the shard that told them.
    private var addresses: [String: (shard: Int, address: String)] = [:]
    /// All requests that were ever found for each shard.
    private var allMail: [Int: [String]] = [:]
    /// Records that a shard gets back in the next turn, because it has lost its disk.
    private var handedBack: [Int: [String]] = [:]

    public init(shards count: Int) {
        self.count = count
        cursors = Array(repeating: nil, count: count)
    }

    // MARK: What a shard gets

    /// The first line for a shard.
    public func order(_ number: Int, for duration: Duration) -> EpochOrder {
        guard let shard = Shard(number, of: count) else { preconditionFailure("no shard \(number)") }
        return EpochOrder(epoch: turn, shard: shard, duration: duration, cursor: cursors[number])
    }

    /// The shards that may ask each address, in the order of their places.
    public var places: [String: [Int]] {
        Dictionary(grouping: addresses.values, by: \.address).mapValues { Set($0.map(\.shard)).sorted() }
    }

    /// The lines after the first for a shard.
    public func lines(for number: Int) -> [String] {
        let named = places.sorted { $0.key < $1.key }.compactMap { address, shards in
            shards.firstIndex(of: number).map {
                #"{"type":"address","address":"\#(address)","place":\#($0),"of":\#(shards.count)}"#
            }
        }
        return named + (inbox[number] ?? []).map { #"{"type":"request","# + $0.dropFirst() }
            + (handedBack[number] ?? [])
    }

    /// Lines as a worker reads them.
    public static func read(_ lines: [String]) throws -> [ShardTurn.Line] {
        try zip(2..., lines).map { number, line in
            ShardTurn.Line(number: number, message: try WorkerMessage(line: Array(line.utf8)[...], number: number))
        }
    }

    // MARK: What it makes of it

    /// Ends a turn.
    ///
    /// - Parameter tellings: of all shards, by their numbers.
    public mutating func commit(_ tellings: [Telling]) {
        turn += 1
        inbox = [:]
        handedBack = [:]
        for (number, telling) in tellings.enumerated() {
            cursors[number] = telling.cursor
            for line in telling.of(.record) { records[line.key] = line.json }
            for line in telling.of(.deletion) { records[line.key] = .some(nil) }
            for line in telling.of(.host) { addresses[line.key] = line["address"]?.string.map { (number, $0) } }
            for line in telling.of(.foreign) {
                guard let shard = line["shard"]?.integer, let depth = line["depth"]?.integer else {
                    preconditionFailure("no shard or no depth in \(line.json)")
                }
                inbox[shard, default: []].append(line.json)
                toldDepths["\(number) \(line.key)", default: []].append(depth)
            }
        }
        allMail.merge(inbox) { $0 + $1 }
    }

    /// Makes a shard anew that has lost its disk. In the next turn it gets what was ever found for it, and the records that it has told.
    public mutating func rebuild(_ number: Int) {
        cursors[number] = nil
        inbox[number] = allMail[number]
        handedBack[number] = records.sorted { $0.key < $1.key }.compactMap { key, json in
            guard let json, let host = WebURL(key)?.politenessHost, Shard.number(ofHost: host, among: count) == number
            else { return nil }
            return #"{"type":"record","key":"\#(key)","record":\#(json)}"#
        }
    }

    /// Goes on with other shards, which were made of those before.
    public mutating func reshard(into count: Int) {
        self.count = count
        turn += 1
        cursors = Array(repeating: nil, count: count)
        (inbox, handedBack, addresses, allMail) = ([:], [:], [:], [:])
    }
}
