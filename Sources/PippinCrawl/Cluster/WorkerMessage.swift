import Foundation
import PippinPage

/// What is wrong with a line of a worker's input: half a sentence.
struct WorkerFault: Error {
    let problem: String
    init(_ problem: String) { self.problem = problem }
}

/// A fault of a worker's input, with the number of the line.
public struct WorkerProtocolError: ReportedError, Equatable {
    /// The line, 1-based; nil if the input as a whole is concerned.
    public let line: Int?
    /// Half a sentence.
    public let problem: String

    /// Creates an error.
    public init(line: Int? = nil, problem: String) {
        self.line = line
        self.problem = problem
    }

    public var exitStatus: ExitStatus { .usage }
    public var description: String { "standard input\(line.map { ":\($0)" } ?? ""): \(problem)" }
}

/// A line of a worker's input (Docs/Cluster.md).
public enum WorkerMessage: Sendable {
    case begin(EpochOrder)
    /// What another shard has found.
    case request(CrawlRequest)
    /// The popularity of a page in the graph of all shards, from 0 to 1.
    case popularity(WebURL, Double)
    /// An address that the shard may ask, when, and the time between two requests of all shards, if that is not the address's delay.
    case address(NetworkAddress, AddressSlots, every: Duration?)
    /// What the shard told of a page before its disk was lost.
    case record(ToldRecord)
    case end
    /// How long the shard is the driver's to give, by the machine's clock since it was started, sleep included.
    case lease(until: Duration)

    /// The longest line. A record with everything that it may have is the longest; it stays far below.
    public static let maximumLineBytes = 16 * 1024 * 1024

    /// Reads a line.
    ///
    /// - Parameter number: its number, for messages.
    public init(line: ArraySlice<UInt8>, number: Int) throws(WorkerProtocolError) {
        let value: JSONValue
        do {
            var parser = JSONParser(limits: .ownText)
            value = try parser.parse(line)
        } catch {
            throw WorkerProtocolError(line: number, problem: "is not JSON: \(error.message)")
        }
        do {
            self = try Self.message(value)
        } catch {
            throw WorkerProtocolError(line: number, problem: error.problem)
        }
    }

    private static func message(_ value: JSONValue) throws(WorkerFault) -> WorkerMessage {
        switch value["type"]?.string {
        case "begin": return .begin(try EpochOrder(json: value))
        case "request": return .request(try CrawlRequest(json: value))
        case "popularity":
            guard let key = (value["key"] ?? value["record"])?.string.flatMap({ WebURL($0) }), key.isHTTP,
                let popularity = value["value"]?.double, (0...1).contains(popularity)
            else {
                throw WorkerFault(
                    "\"popularity\" needs the URL of a page as \"key\" or \"record\", and a \"value\" from 0 to 1")
            }
            return .popularity(key, popularity)
        case "address":
            guard let address = value["address"]?.string.flatMap({ NetworkAddress($0) }),
                let place = value["place"]?.integer, let count = value["of"]?.integer,
                let slots = AddressSlots(place: place, of: count)
            else { throw WorkerFault("\"address\" needs an IP address, and a \"place\" from 0 to below \"of\"") }
            return .address(address, slots, every: try interval(value["every"]))
        case "record": return .record(try ToldRecord(json: value))
        case "end": return .end
        case "lease":
            guard let seconds = value["until"]?.double, (0...1e12).contains(seconds) else {
                throw WorkerFault("\"lease\" needs \"until\", in seconds of CLOCK_BOOTTIME")
            }
            return .lease(until: .seconds(seconds))
        default: throw WorkerFault("\"type\" must be begin, request, popularity, address, record, lease or end")
        }
    }
}

extension WorkerMessage {
    private static func interval(_ value: JSONValue?) throws(WorkerFault) -> Duration? {
        guard let value, !value.isNull else { return nil }
        guard let seconds = value.double, (0.001...3600).contains(seconds) else {
            throw WorkerFault("\"every\" must be a number of seconds from 0.001 to 3600")
        }
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}

/// The first line of a worker's input: which epoch of which shard, how long, and from where on it is told.
public struct EpochOrder: Sendable, Equatable {
    /// The version of the protocol.
    public static let version = 3

    /// The number of the epoch, from 1.
    public var epoch: Int
    /// The shard to crawl.
    public var shard: Shard
    /// How long the epoch is.
    public var duration: Duration
    /// What the last committed epoch ended with; nil before the first.
    public var cursor: String?
    /// Requests a second; nil leaves the configuration's limit.
    public var rate: Double?
    /// Pages at most; nil leaves the configuration's limit.
    public var pages: Int?
    /// When the run began that the epoch belongs to; nil if the epoch is a run of its own. Visited pages that fall due later wait for
    /// the next run, so that a run of many epochs ends.
    public var runBegan: Date?
    /// Whether the storage was made from a snapshot. What it told after that moment, in another place, does not count.
    public var isRestored = false
    /// The addresses that the shard may ask. Not in the first line: they follow it.
    private(set) var addresses = AddressShares()

    /// Creates an order without limits.
    public init(epoch: Int, shard: Shard, duration: Duration, cursor: String? = nil) {
        self.epoch = epoch
        self.shard = shard
        self.duration = duration
        self.cursor = cursor
    }

    init(json: JSONValue) throws(WorkerFault) {
        guard json["v"]?.integer == Self.version else {
            throw WorkerFault("\"v\" must be \(Self.version), the version of the protocol that this Pippin speaks")
        }
        guard let epoch = json["turn"]?.integer, epoch >= 1 else {
            throw WorkerFault("\"turn\" must be a number from 1")
        }
        guard let number = json["shard"]?.integer, let count = json["shards"]?.integer,
            let shard = Shard(number, of: count)
        else { throw WorkerFault("\"shard\" must be a number from 0 to below \"shards\"") }
        guard json["by"]?.string == Shard.rule else {
            throw WorkerFault("\"by\" must be \(Shard.rule), the rule by which this Pippin finds a URL's shard")
        }
        guard case .value(let duration)? = json["for"]?.string.map(DurationText.parse) else {
            throw WorkerFault("\"for\" must be a duration like 10m")
        }
        self.init(epoch: epoch, shard: shard, duration: duration)
        if let cursor = json["cursor"], !cursor.isNull {
            guard let cursor = cursor.string else { throw WorkerFault("\"cursor\" must be text or null") }
            self.cursor = cursor.isEmpty ? nil : cursor
        }
        if let run = json["run"], !run.isNull {
            guard let date = run.string.flatMap({ W3CDateTime.date(from: $0) }) else {
                throw WorkerFault("\"run\" must be a date, like 2026-11-24T11:16:08Z")
            }
            runBegan = date
        }
        if let rate = json["rate"], !rate.isNull {
            guard let rate = rate.double, (0.001...100_000).contains(rate) else {
                throw WorkerFault("\"rate\" must be a number of requests a second from 0.001 to 100000")
            }
            self.rate = rate
        }
        if let restored = json["restored"], !restored.isNull {
            guard let restored = restored.bool else { throw WorkerFault("\"restored\" must be true or false") }
            isRestored = restored
        }
        if let pages = json["pages"], !pages.isNull {
            guard let pages = pages.integer, (0...1_000_000_000).contains(pages) else {
                throw WorkerFault("\"pages\" must be a whole number from 0")
            }
            self.pages = pages
        }
    }

    /// Adds an address that the shard may ask.
    ///
    /// - Parameters:
    ///   - interval: the time between two requests of all shards; nil: the address's delay.
    ///   - line: the number of its line, for messages.
    public mutating func add(
        _ address: NetworkAddress, _ slots: AddressSlots, every interval: Duration? = nil, line: Int
    ) throws(WorkerProtocolError) {
        guard addresses.add(slots, every: interval, of: address.machine.description) else {
            throw WorkerProtocolError(
                line: line, problem: "the places of \(address) have different \"of\" or \"every\"")
        }
    }
}

extension CrawlConfiguration {
    /// The configuration for one shard in one epoch, with all that its order says.
    public mutating func lay(_ order: EpochOrder) {
        cluster.shard = order.shard
        cluster.addresses = cluster.sharedAddresses == .slots && order.shard.count > 1 ? order.addresses : .all
        politeness.maximumRequestsPerSecond = order.rate ?? politeness.maximumRequestsPerSecond
        if let pages = order.pages {
            // The limits that follow from `max_pages` are those of the job.
            scope.maximumHosts = scope.hostLimit
            scope.maximumRobotsRequests = scope.robotsLimit
            scope.maximumSitemaps = scope.sitemapLimit
            scope.maximumPages = pages
        }
    }

    /// The durations that a driver needs, in seconds, so that it need not read durations itself (Docs/Cluster.md); and a sentence for each
    /// output of the job that a cluster does not have.
    ///
    /// - Parameter epoch: how long an epoch is, in place of the configuration's.
    public func timesForDrivers(epoch: Duration? = nil) -> JSONValue {
        func seconds(_ duration: Duration) -> JSONValue { .double(duration / .seconds(1)) }
        return [
            "turn": seconds(epoch ?? cluster.epoch), "longestDelay": seconds(longestDelay),
            "delayPerAddress": seconds(politeness.delayPerAddress ?? politeness.delay),
            "leftOut": .array(output.leftOutByWorkers.map { .string($0) }),
        ]
    }
}

/// `shards.json`, beside the configuration of a job that is cut into shards.
public enum ShardsFile {
    public static let name = "shards.json"

    /// Compares the file with an order. A job without the file is known by its storages alone.
    ///
    /// - Throws: `ConfigurationError` if the file says something else.
    public static func check(_ order: EpochOrder, path: String) throws(ConfigurationError) {
        guard let count = try count(path: path) else { return }
        guard count == order.shard.count else {
            throw ConfigurationError(
                file: path,
                problem: "the job does not have \(order.shard.count) shards; `reshard` changes their number")
        }
    }

    /// How many shards the file says; nil if there is no file.
    ///
    /// - Throws: `ConfigurationError` if it says nothing that this Pippin knows.
    public static func count(path: String) throws(ConfigurationError) -> Int? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        func wrong(_ problem: String) -> ConfigurationError { ConfigurationError(file: path, problem: problem) }
        let value: JSONValue
        do {
            var parser = JSONParser(limits: .ownText)
            value = try parser.parse(try InputFile.bytes(at: path))
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw wrong("is not JSON")
        }
        guard value["version"]?.integer == 1 else { throw wrong("is not of version 1; this Pippin knows no other") }
        guard let count = value["shards"]?.integer, Shard(0, of: count) != nil else {
            throw wrong("\"shards\" is no number of shards")
        }
        guard value["by"]?.string == Shard.rule else {
            throw wrong("the shards were not made by the rule \(Shard.rule), and this Pippin knows no other")
        }
        return count
    }
}
