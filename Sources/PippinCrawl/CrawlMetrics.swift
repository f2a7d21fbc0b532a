import Synchronization

/// Counters of a crawl, read while it runs (progress line, `/metrics`) and for its summary.
public final class CrawlMetrics: Sendable {
    public struct Snapshot: Sendable, Equatable {
        /// Visits by the stable code of their outcome.
        public var outcomes: [String: Int] = [:]
        /// Links that were not queued, by the stable reason.
        public var refusals: [String: Int] = [:]
        /// Files of sites other than robots.txt, by kind and outcome: `manifest-found`, `manifest-status`.
        public var siteFiles: [String: Int] = [:]
        /// Answers by HTTP status class: 2 for 2xx.
        public var statusClasses: [Int: Int] = [:]
        /// The links met first of those that were not queued, by the reason.
        public var refusalExamples: [String: [String]] = [:]
        /// Names looked up, by what came of it: `found`, or the code of a failure.
        public var lookUps: [String: Int] = [:]
        /// Hosts that the run turned to, and those left for the next because a limit was reached.
        public var hostsMet = 0
        public var hostsBeyond = 0
        /// HTTP exchanges of every kind, robots.txt and retries included.
        public var requests = 0
        public var requestsByPurpose: [FetchRequest.Purpose: Int] = [:]
        /// Answers to all of them by status class.
        public var answersByClass: [Int: Int] = [:]
        /// Exchanges that came before a host's delay had passed: a defect, if ever there is one.
        public var requestsTooEarly = 0
        /// Answers to page requests, without redirects.
        public var pages = 0
        public var retries = 0
        public var records = 0
        public var deletions = 0
        public var deepLinks = 0
        public var bodyBytes = 0
        public var wireBytes = 0
        /// Links found on pages, before any check.
        public var outlinks = 0
        /// URLs that became known.
        public var discovered = 0
        public var visitsInFlight = 0
        /// Requests in the hands of the schedule.
        public var scheduled = 0
        public var hosts = 0
        /// Time spent in exchanges and in reading pages, all visits together.
        public var fetching = Duration.zero
        public var reading = Duration.zero
        /// Whole exchanges, also those without an answer; to the first byte; in the queue for a host's turn; reading a page.
        public var exchangeTimes = TimeHistogram()
        public var firstByteTimes = TimeHistogram()
        public var waitTimes = TimeHistogram()
        public var readingTimes = TimeHistogram()
        /// What it waits for now; nil while requests are in flight.
        public var waiting: CrawlWait?
        /// What the crawl waited for.
        public var pace = CrawlPace()
    }

    private let state = Mutex(Snapshot())

    public init() {}

    public var snapshot: Snapshot { state.withLock { $0 } }

    func update(_ change: (inout Snapshot) -> Void) { state.withLock { change(&$0) } }
}
