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
        /// 6 Parse: the page before its scripts ran, and what came of them; nil if nobody wanted it rendered.
        public var rendering: RenderedReading?
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
        var keptBytes: Int { rendering?.keptBytes ?? page?.keptBytes ?? 0 }
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
