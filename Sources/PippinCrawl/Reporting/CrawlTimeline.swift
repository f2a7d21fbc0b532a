/// The course of a run for charts: counts at equal distances in time. It stays small however long the run is, because every
/// second sample is removed when it is full, and the distance doubles.
public struct CrawlTimeline: Codable, Sendable, Equatable {
    /// The counts of a run at one time.
    public struct Sample: Codable, Sendable, Equatable {
        /// Seconds since the start of the run.
        public let seconds: Double
        /// Visited pages.
        public let pages: Int
        /// Written records.
        public let records: Int
        /// Requests of all kinds.
        public let requests: Int
        /// Requests without an answer or with an error of the server (5xx).
        public let failures: Int
        /// Visits in flight.
        public let visitsInFlight: Int
        /// URLs that wait for their host's turn.
        public let scheduled: Int

        /// Takes the counts of a run.
        public init(_ statistics: CrawlStatistics, seconds: Double) {
            self.seconds = (seconds * 10).rounded() / 10
            pages = statistics.pages
            records = statistics.records
            requests = statistics.requests
            failures = statistics.failedRequests
            visitsInFlight = statistics.visitsInFlight
            scheduled = statistics.scheduled
        }
    }

    /// The most samples. A chart is rarely wider than 120 bars, and the file stays below 20 KB.
    static let maximumSamples = 120

    /// The samples, oldest first.
    public private(set) var samples: [Sample] = []
    /// The least distance between two samples in seconds.
    public private(set) var interval = 1.0

    /// Starts without samples.
    public init() {}

    /// Takes the counts of the run at a later time.
    public mutating func add(_ sample: Sample) {
        guard isDue(sample) else { return }
        if samples.count == Self.maximumSamples {
            samples = samples.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            interval *= 2
            guard isDue(sample) else { return }
        }
        samples.append(sample)
    }

    /// A timer of a second is never exact. A sample that comes a little early is taken nevertheless, or every second one would be
    /// missing.
    private static let tolerance = 0.25

    private func isDue(_ sample: Sample) -> Bool {
        samples.last.map { sample.seconds >= $0.seconds + interval - Self.tolerance } ?? true
    }
}

/// How fast a run is at present: the pages of its last ten seconds.
public struct RecentPages: Sendable {
    /// Long enough that hosts with a delay of some seconds give a steady number.
    private static let seconds = 10.0

    private var samples: [(seconds: Double, pages: Int)] = []

    /// Starts without pages.
    public init() {}

    /// Takes the number of pages so far.
    ///
    /// - Parameter seconds: the time since the start of the run.
    public mutating func add(_ pages: Int, at seconds: Double) {
        samples.removeAll { seconds - $0.seconds > Self.seconds }
        samples.append((seconds, pages))
    }

    /// Nil before the second number.
    public var perSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.seconds > first.seconds else { return nil }
        return Double(last.pages - first.pages) / (last.seconds - first.seconds)
    }
}
