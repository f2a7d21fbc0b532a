import Foundation
import PippinPage

/// The state of a run, which the run writes to a file for `pippin status`.
public struct CrawlProgress: Codable, Sendable, Equatable {
    /// The start of the run.
    public let startedAt: Date
    /// The time of this state.
    public let at: Date
    /// The code of the run's end; nil while it runs.
    public let ending: String?
    /// Visited pages.
    public let pages: Int
    /// Written records.
    public let records: Int
    /// Requests of all kinds.
    public let requests: Int
    /// Repeated requests.
    public let retries: Int
    /// Bytes of bodies as transferred.
    public let wireBytes: Int
    /// Visits in flight now.
    public let visitsInFlight: Int
    /// The limit of visits in flight.
    public let concurrency: Int
    /// URLs that wait for their host's turn.
    public let scheduled: Int
    /// The hosts of these URLs.
    public let hosts: Int
    /// Seconds at each limit (`CrawlPace.Limit`).
    public let pace: [String: Double]
    /// Requests before their host's delay had passed.
    public let requestsTooEarly: Int
    /// Looked-up names; nil in files of earlier versions.
    public let lookUps: Int?
    /// Hosts left for the next run because of a limit; nil in files of earlier versions.
    public let hostsBeyondLimit: Int?
    /// The host that the run waits for while nothing is in flight; otherwise nil.
    public let waiting: CrawlWait?
    /// Requests without an answer or with an error of the server (5xx); nil in files of earlier versions.
    public let failures: Int?
    /// Visits of this run by the code of their outcome; nil in files of earlier versions.
    public let outcomes: [String: Int]?
    /// Pages per second lately; nil at the start, at the end and in files of earlier versions.
    public let pagesPerSecond: Double?
    /// The course of the run; nil in files of earlier versions.
    public let timeline: CrawlTimeline?

    /// Creates a state.
    public init(
        _ statistics: CrawlStatistics, concurrency: Int, startedAt: Date, at: Date,
        ending: CrawlSummary.Ending? = nil, pagesPerSecond: Double? = nil, timeline: CrawlTimeline = CrawlTimeline()
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
        failures = statistics.failedRequests
        outcomes = statistics.outcomes
        self.pagesPerSecond = ending == nil ? pagesPerSecond : nil
        self.timeline = timeline
    }

    /// The name of the file in a storage folder.
    public static let fileName = "progress.json"

    /// The state as JSON.
    public func json() throws -> [UInt8] {
        // In one line: it is written each second, and half of a pretty form would be spaces.
        var writer = JSONWriter()
        try writer.encoded(self)
        writer.endLine()
        return writer.bytes
    }

    /// Reads a state from JSON.
    public init(json: Data) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(CrawlProgress.self, from: json)
    }

    /// The duration of the run so far, in seconds.
    public var seconds: Double { max(0, at.timeIntervalSince(startedAt)) }

    /// The share of the time at a limit, from 0 to 1.
    public func share(of limit: CrawlPace.Limit) -> Double {
        let total = pace.values.reduce(0, +)
        return total > 0 ? (pace[limit.rawValue] ?? 0) / total : 0
    }
}
