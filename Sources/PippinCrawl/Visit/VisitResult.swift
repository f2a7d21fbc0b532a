import PippinPage
import PippinReport

/// What a visit came to. Its steps fill it in, the last step delivers it, and the crawl's loop goes on from it.
///
/// Two other types describe the end of a visit: `VisitOutcome` says how it ended, `FinishedVisit` is what the frontier keeps.
struct VisitResult: Sendable {
    /// What becomes of the request.
    enum Next: Sendable {
        /// It is finished with its `outcome`. Once that is delivered, `change` says what the frontier made of it.
        case finish
        /// It is visited again in this run, not before the time has passed.
        case visitAgain(CrawlRequest, after: Duration)
        /// The page was read, and is recorded when files of its site are there.
        indirect case waitForFiles(PendingPage)
        /// The run was stopped before the visit came to its end: the request goes back to the frontier.
        case release
    }

    let request: CrawlRequest
    /// Whether the visit counts against the page limits. One that was refused before it began does not.
    let isCounted: Bool
    var next = Next.release
    /// Also set of a visit that is made again; nil of one that waits or was stopped.
    private(set) var outcome: VisitOutcome?
    var change = FrontierChange()

    // 4 Ask permission, 5 Fetch
    /// The rule of a robots.txt that forbade the visit.
    var robots: RobotsDecision?
    var exchange: Exchange?
    var hostSign = PolitenessSchedule.HostSign.untouched
    var entityTag: String?
    var lastModified: String?

    // 6 Parse, 7 Extract
    /// Links, sitemap entries, the target of a redirect, the canonical page.
    var discovered: [CrawlRequest] = []
    /// For a report of the crawl: the page's links, and what a sitemap lists.
    var links = CrawlReporter.PageLinks()
    var listed: [SitemapEntry] = []

    // 8 Verify, 9 Record
    var revalidationKey: RevalidationKey?
    var record: DeepLinkRecord?
    var recordIdentifier: String?
    var contentHash: String?
    /// For a report of the crawl.
    var card: ReportCard?

    init(of visit: Visit) {
        request = visit.request
        isCounted = if case .rules = visit.permission { true } else { false }
    }

    /// The visit has ended.
    mutating func end(_ outcome: VisitOutcome) {
        self.outcome = outcome
        next = .finish
    }

    /// For the next conditional request. Only of what was read: an error page must not be taken for the page.
    mutating func keepValidators(of headers: HTTPHeaders) {
        (entityTag, lastModified) = (headers["ETag"], headers["Last-Modified"])
    }

    /// The visit has not reached its end and is made again.
    mutating func visitAgain(_ request: CrawlRequest, after wait: Duration = .zero, because outcome: VisitOutcome) {
        self.outcome = outcome
        next = .visitAgain(request, after: wait)
    }
}
