import Foundation

/// Where a run stands, as it leaves it in a file for `pippin status`.
public struct CrawlProgress: Codable, Sendable, Equatable {
    public let startedAt: Date
    public let at: Date
    /// How the run ended; nil while it runs.
    public let ending: String?
    public let pages: Int
    public let records: Int
    public let requests: Int
    public let retries: Int
    public let wireBytes: Int
    public let visitsInFlight: Int
    public let concurrency: Int
    /// URLs that wait for their host's turn, and the hosts.
    public let scheduled: Int
    public let hosts: Int
    /// Seconds by what kept the crawl from starting another visit (`CrawlPace.Limit`).
    public let pace: [String: Double]
    public let requestsTooEarly: Int
    /// Names looked up, hosts left for the next run because a limit was reached; nil in files of earlier versions.
    public let lookUps: Int?
    public let hostsBeyondLimit: Int?
    /// What the run waits for while nothing is in flight.
    public let waiting: CrawlWait?

    public init(
        _ statistics: CrawlStatistics, concurrency: Int, startedAt: Date, at: Date,
        ending: CrawlSummary.Ending? = nil
    ) {
        self.startedAt = startedAt
        self.at = at
        self.ending = ending?.rawValue
        pages = statistics.pages
        records = statistics.records
        requests = statistics.requests
        retries = statistics.retries
        wireBytes = statistics.wireBytes
        visitsInFlight = statistics.visitsInFlight
        self.concurrency = concurrency
        scheduled = statistics.scheduled
        hosts = statistics.hostsScheduled
        pace = Dictionary(
            uniqueKeysWithValues: statistics.pace.times.map { ($0.key.rawValue, CrawlLogEntry.seconds($0.value)) })
        requestsTooEarly = statistics.requestsTooEarly
        lookUps = statistics.lookUps.values.reduce(0, +)
        hostsBeyondLimit = statistics.hostsBeyond
        waiting = ending == nil ? statistics.waiting : nil
    }

    /// Name of the file in a storage folder.
    public static let fileName = "progress.json"

    public func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [0x0A]
    }

    public init(json: Data) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(CrawlProgress.self, from: json)
    }

    public var seconds: Double { max(0, at.timeIntervalSince(startedAt)) }

    /// Part of the time, from 0 to 1.
    public func share(of limit: CrawlPace.Limit) -> Double {
        let total = pace.values.reduce(0, +)
        return total > 0 ? (pace[limit.rawValue] ?? 0) / total : 0
    }
}
