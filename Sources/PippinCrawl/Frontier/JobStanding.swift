import Foundation
import PippinPage

/// The state of a job at the end of a run, from a frontier that keeps its work: the seeds that the run did not visit, and the
/// time when something is due again.
public struct JobStanding: Sendable, Equatable {
    /// The state of a seed after its last visit, in whichever run.
    public struct SeedStanding: Sendable, Equatable {
        /// The URL after all redirects.
        public let finalURL: WebURL
        /// The number of redirects.
        public let redirects: Int
        /// The code of the outcome at that URL; nil if it was not visited yet.
        public let code: String?
        /// The detail of that outcome, if any.
        public let detail: String?
        /// The time of the last visit.
        public let visitedAt: Date?
        /// The time of the next visit; nil while the seed is queued.
        public let nextVisit: Date?
        /// The time until which its host is not asked; nil if it may be asked.
        public let restsUntil: Date?
        /// The trouble with the last request to its host, if any.
        public let trouble: RequestFailure?

        /// Creates a state.
        public init(
            finalURL: WebURL, redirects: Int = 0, code: String? = nil, detail: String? = nil, visitedAt: Date? = nil,
            nextVisit: Date? = nil, restsUntil: Date? = nil, trouble: RequestFailure? = nil
        ) {
            self.finalURL = finalURL
            self.redirects = redirects
            self.code = code
            self.detail = detail
            self.visitedAt = visitedAt
            self.nextVisit = nextVisit
            self.restsUntil = restsUntil
            self.trouble = trouble
        }

        /// The code of the trouble; nil if there is none, as far as is known.
        public var failure: String? {
            if let code { return VisitOutcome.servesSeed(code: code) ? nil : code }
            return restsUntil == nil ? nil : VisitOutcome.hostLeft.code
        }
    }

    /// The states by the URL of the seed.
    public var seeds: [WebURL: SeedStanding]
    /// The number of URLs that the frontier knows.
    public var knownURLs: Int
    /// The host of the first URL that will be due again, and its time; nil if there is none.
    public var nextDue: (host: String, at: Date)?

    /// Creates a standing.
    public init(
        seeds: [WebURL: SeedStanding] = [:], knownURLs: Int = 0, nextDue: (host: String, at: Date)? = nil
    ) {
        self.seeds = seeds
        self.knownURLs = knownURLs
        self.nextDue = nextDue
    }

    public static func == (a: JobStanding, b: JobStanding) -> Bool {
        a.seeds == b.seeds && a.knownURLs == b.knownURLs && a.nextDue?.host == b.nextDue?.host
            && a.nextDue?.at == b.nextDue?.at
    }
}
