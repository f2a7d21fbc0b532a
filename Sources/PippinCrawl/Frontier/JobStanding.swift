import Foundation
import PippinPage

/// What a frontier that outlives its run knows at the end of one: how the seeds stand that the run did not visit, and when
/// there is something to do again.
public struct JobStanding: Sendable, Equatable {
    /// A seed as its last visit left it, in whichever run that was.
    public struct SeedStanding: Sendable, Equatable {
        /// Where its redirects ended.
        public let finalURL: WebURL
        public let redirects: Int
        /// Code of the outcome there; nil when it was not visited yet.
        public let code: String?
        /// What that outcome kept beside its code.
        public let detail: String?
        public let visitedAt: Date?
        /// When it is visited again; nil while it waits in the queue.
        public let nextVisit: Date?
        /// Its host is left alone until then.
        public let restsUntil: Date?
        /// What went wrong with the last request to its host.
        public let trouble: RequestFailure.Words?

        public init(
            finalURL: WebURL, redirects: Int = 0, code: String? = nil, detail: String? = nil, visitedAt: Date? = nil,
            nextVisit: Date? = nil, restsUntil: Date? = nil, trouble: RequestFailure.Words? = nil
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

        /// Code of what went wrong; nil when nothing did, as far as is known.
        var failure: String? {
            if let code { return VisitOutcome.servesSeed(code: code) ? nil : code }
            return restsUntil == nil ? nil : VisitOutcome.hostLeft.code
        }
    }

    /// By the URL of the seed.
    public var seeds: [WebURL: SeedStanding]
    public var knownURLs: Int
    /// The first URL that is due again, by its host.
    public var nextDue: (host: String, at: Date)?

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
