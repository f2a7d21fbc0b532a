import Foundation
import PippinPage

/// The state of a run, which the run writes to a file for `pippin status`.
public struct CrawlProgress: Codable, Sendable, Equatable {
    /// The start of the run.
    public private(set) var startedAt: Date
    /// The time of this state.
    public private(set) var at: Date
    /// The code of the run's end; nil while it runs.
    public private(set) var ending: String?
    /// Visited pages.
    public private(set) var pages: Int
    /// Written records.
    public private(set) var records: Int
    /// Requests of all kinds.
    public private(set) var requests: Int
    /// Repeated requests.
    public private(set) var retries: Int
    /// Bytes of bodies as transferred.
    public private(set) var wireBytes: Int
    /// Visits in flight now.
    public private(set) var visitsInFlight: Int
    /// The limit of visits in flight.
    public private(set) var concurrency: Int
    /// URLs that wait for their host's turn.
    public private(set) var scheduled: Int
    /// The hosts of these URLs.
    public private(set) var hosts: Int
    /// Seconds at each limit (`CrawlPace.Limit`).
    public private(set) var pace: [String: Double]
    /// Requests before their host's delay had passed.
    public private(set) var requestsTooEarly: Int
    /// Looked-up names; nil in files of earlier versions.
    public private(set) var lookUps: Int?
    /// Hosts left for the next run because of a limit; nil in files of earlier versions.
    public private(set) var hostsBeyondLimit: Int?
    /// The host that the run waits for while nothing is in flight; otherwise nil.
    public private(set) var waiting: CrawlWait?
    /// Requests without an answer or with an error of the server (5xx); nil in files of earlier versions.
    public private(set) var failures: Int?
    /// Visits of this run by the code of their outcome; nil in files of earlier versions.
    public private(set) var outcomes: [String: Int]?
    /// Pages per second lately; nil at the start, at the end and in files of earlier versions.
    public private(set) var pagesPerSecond: Double?
    /// The course of the run; nil in files of earlier versions.
    public private(set) var timeline: CrawlTimeline?

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

    /// Adds what another shard of the job has done in its last turn. The time is that of the longer one, because shards crawl at a time.
    /// The sum has no course and waits for no host: each shard has its own.
    public mutating func add(_ other: CrawlProgress) {
        let longest = max(seconds, other.seconds)
        at = max(at, other.at)
        startedAt = at.addingTimeInterval(-longest)
        ending = ending == nil || other.ending == nil ? nil : other.ending
        pages += other.pages
        records += other.records
        requests += other.requests
        retries += other.retries
        wireBytes += other.wireBytes
        visitsInFlight += other.visitsInFlight
        concurrency += other.concurrency
        scheduled += other.scheduled
        hosts += other.hosts
        pace.merge(other.pace, uniquingKeysWith: +)
        requestsTooEarly += other.requestsTooEarly
        func sum<Number: AdditiveArithmetic>(_ one: Number?, _ two: Number?) -> Number? {
            one.map { $0 + (two ?? .zero) } ?? two
        }
        lookUps = sum(lookUps, other.lookUps)
        hostsBeyondLimit = sum(hostsBeyondLimit, other.hostsBeyondLimit)
        failures = sum(failures, other.failures)
        outcomes = outcomes.map { $0.merging(other.outcomes ?? [:], uniquingKeysWith: +) } ?? other.outcomes
        pagesPerSecond = sum(pagesPerSecond, other.pagesPerSecond)
        (waiting, timeline) = (nil, nil)
    }

    /// Lets the counters be those of a run that was ended from outside, unless it says itself how it ended.
    public mutating func endFromOutside() {
        guard ending == nil else { return }
        ending = CrawlSummary.Ending.interrupted.rawValue
        (visitsInFlight, waiting, pagesPerSecond) = (0, nil, nil)
    }

    /// The duration of the run so far, in seconds.
    public var seconds: Double { max(0, at.timeIntervalSince(startedAt)) }

    /// The share of the time at a limit, from 0 to 1.
    public func share(of limit: CrawlPace.Limit) -> Double {
        let total = pace.values.reduce(0, +)
        return total > 0 ? (pace[limit.rawValue] ?? 0) / total : 0
    }
}
