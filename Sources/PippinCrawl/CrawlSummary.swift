import PippinPage

/// What a run did, why it ended, and what kept it from doing more.
public struct CrawlSummary: Sendable {
    public enum Ending: String, Sendable {
        /// Nothing is left to visit.
        case finished
        /// `max_pages` is reached; the rest is kept for the next run.
        case pageLimit = "page-limit"
        /// Quiet hours began that last longer than a run waits; the rest is kept for the next run.
        case quietHours = "quiet-hours"
        /// Only hosts were left that rest for longer than a run of a job waits; they are asked by the next run.
        case hostsRest = "hosts-rest"
        /// Only hosts beyond `scope.max_hosts` or `scope.max_robots_requests` are left; they are kept for the next run.
        case hostLimit = "host-limit"
        /// The operator stopped it; nothing is lost.
        case interrupted
    }

    public struct HostCount: Sendable, Equatable {
        public var pages = 0
        public var records = 0
        public var failures = 0
    }

    /// Something that made the crawl smaller than it could have been.
    public struct Limitation: Sendable, Equatable {
        /// Stable: a refusal's code, `page-limit`, `quiet-hours`, `host-left`.
        public let code: String
        public let count: Int
        /// For a person to read, with what to do where something can be done.
        public let message: String
    }

    /// A seed whose last visit did not do what the seed was given for.
    public struct FailedSeed: Sendable {
        public let seed: Seed
        /// Code of the outcome.
        public let code: String
        /// Set when that was in an earlier run, and this one did not visit it.
        public let earlier: JobStanding.SeedStanding?
        /// What that means, and which option changes it, in sentences.
        public let reason: String
    }

    public var ending: Ending
    public var metrics: CrawlMetrics.Snapshot
    /// By host.
    public var hosts: [String: HostCount]
    public var limitations: [Limitation]
    /// Hosts that asked for more rest than the run waits for, in order.
    public var hostsLeft: [String] = []
    /// In the order of the seeds file.
    public var failedSeeds: [FailedSeed]
    /// URLs that are known and were not visited.
    public var unvisited: Int
    public var duration: Duration
    public var account = CrawlAccount()
    /// How messages name settings.
    public var spelling = Setting.Spelling.key
    /// Of a job that is kept.
    public var standing: JobStanding?
}
