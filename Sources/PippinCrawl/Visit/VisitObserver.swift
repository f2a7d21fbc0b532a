import Foundation
import PippinPage

/// Looks on while a crawl visits URLs. The crawl behaves the same with one, except that it keeps more of each page meanwhile,
/// asks for pages again that have not changed, and records none for which looking on takes too long.
public protocol VisitObserver: Sendable {
    /// Takes what a visit saw, once, at the visit's end.
    ///
    /// With a page, it runs on a reading thread, under the page's interruption: if that is set, nobody uses the answer, and there
    /// must be no other effect.
    ///
    /// - Returns: what the frontier keeps with the URL; nil if what it keeps already is still valid.
    /// - Throws: what ends the crawl.
    func observe(_ visit: VisitObservation) throws -> KeptObservation?
}

/// What a visit saw.
public struct VisitObservation: Sendable {
    /// The request that was visited.
    public let request: CrawlRequest
    /// How the visit ended.
    public let outcome: VisitOutcome
    /// Whether the request is visited again in this run, because this visit did not reach its end.
    public let isRepeated: Bool
    /// When the visit ended.
    public let endedAt: Date
    /// The rules of the URL's origin, or why there are none; nil if the visit ended before they counted.
    public let robots: Result<RobotsRules, RequestFailure>?
    /// The scope of the crawl.
    public let scope: CrawlScope
    /// What the steps of the visit saw.
    public let seen: Seen

    /// What the steps of a visit saw. Each member is there if the visit came so far.
    public struct Seen: Sendable {
        /// 5 Fetch: the answer of the server.
        public var answer: FetchResponse?
        /// 6 Parse: the page before its scripts ran, and what came of them; nil if it was not rendered.
        public var rendering: (raw: PageReading, rendered: RenderedPage)?
        /// 6 Parse: the entries of a sitemap that count.
        public var listed: [SitemapEntry] = []
        /// 7 Extract: the page.
        public var page: PageReading?
        /// 8 Verify: what is concluded from the page before its deep links are verified; nil if it stands for another page.
        public var conclusion: RecordBuilder.Conclusion?
        /// 8 Verify: the files that the deep links were verified with, and what came of it.
        public var verification: Verification?

        /// Creates what a visit sees before its first step.
        public init() {}

        /// The memory of the pages in bytes.
        var keptBytes: Int { (page?.keptBytes ?? 0) + (rendering?.raw.keptBytes ?? 0) }
    }

    /// How the deep links of a page were verified.
    public struct Verification: Sendable {
        public let associations: SiteAssociations
        /// The apps that the seeds name, and what the App Store says of them.
        public let apps: [RecordBuilder.AppIdentity]
        public let lookup: AppLookup?
        /// Has the steps of all comparisons.
        public let result: AssociationVerification
    }
}

/// What an observer leaves with a URL. The frontier keeps it with the URL, and removes it when the page is gone. It knows nothing
/// of the bytes.
public struct KeptObservation: Sendable {
    /// What is kept of every URL.
    public let entry: [UInt8]
    /// What is kept of the URLs with the greatest weights only; nil if there is none.
    public let details: [UInt8]?
    public let weight: Int
    /// Whether it stays when a later visit fails for a reason that may pass.
    public let stands: Bool
    /// Whether the visit failed for such a reason. Then an earlier entry that stands stays beside this one.
    public let mayPass: Bool

    /// How many details a frontier keeps at least.
    public static let keptDetails = 400

    /// Creates what is to be kept.
    public init(entry: [UInt8], details: [UInt8]? = nil, weight: Int = 0, stands: Bool, mayPass: Bool) {
        self.entry = entry
        self.details = details
        self.weight = weight
        self.stands = stands
        self.mayPass = mayPass
    }
}

/// What observers have left with the URLs of a job, in this run and in earlier ones.
public struct KeptObservations: Sendable {
    /// An entry of a URL.
    public struct Entry: Sendable {
        public let bytes: [UInt8]
        /// When it was left.
        public let date: Date
        /// The entry of a later visit that failed for a reason that may pass; nil if there was none.
        public let failure: (bytes: [UInt8], date: Date)?

        /// Creates an entry.
        public init(bytes: [UInt8], date: Date, failure: (bytes: [UInt8], date: Date)? = nil) {
            self.bytes = bytes
            self.date = date
            self.failure = failure
        }
    }

    /// The number of URLs with an entry.
    public let count: Int
    /// Calls its first function for each entry, and then its second for the details, the greatest weight first.
    public let read: @Sendable ((Entry) -> Void, ([UInt8]) -> Void) throws -> Void

    /// Creates a reader.
    public init(
        count: Int, read: @escaping @Sendable ((Entry) -> Void, ([UInt8]) -> Void) throws -> Void
    ) {
        self.count = count
        self.read = read
    }
}
