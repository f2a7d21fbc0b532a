import Foundation
import PippinPage
import PippinReport

/// The URLs that are known and not finished, with their state. Two implementations: in memory, for one-off crawls, and
/// in SQLite, for jobs that resume.
///
/// The life of a URL:
///
///     add ──► queued ──lease──► leased ──finish──► finished ──its next visit is due (kept frontiers)──► queued
///               ▲                 │
///               └─────release─────┘        a crash is a release: what was leased is queued again
///
/// A URL is known by its `URLKey`, so two spellings of one URL are one. While it is queued, a shorter way to it lowers
/// its depth, and what sitemaps say of it (`CrawlRequest.alternates`) is added. A leased URL is in the hands of the crawl: waiting for its host, in flight, or waiting for a retry.
///
/// What waits is bounded (`FrontierLimits`). A URL that is dropped was never known: it may be found again.
///
/// Canonical pages. A page that names another URL as canonical finishes as `.duplicate(of:)`, without a record, and that
/// URL is queued. When the canonical page turns out not to stand for itself (an error, a redirect, a duplicate in turn),
/// the frontier queues the page again with `ignoresCanonical`, and it is filed under its own URL. So whichever of the
/// two is met first, the same one gets the record. Two pages that name each other: the smaller URL gets it.
public protocol Frontier: Sendable {
    /// Queues the requests whose URLs are not known yet.
    func add(_ requests: [CrawlRequest]) async throws -> FrontierChange

    /// Hands out queued requests, nearest to their seeds first, hosts in turn.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - perHost: how many of one host may be leased at a time, those handed out earlier included. It keeps one host's
    ///     URLs from filling the schedule.
    func lease(limit: Int, perHost: Int) async throws -> [CrawlRequest]

    /// A visit has ended: its outcome and its changes to the records are kept, the URLs it found are queued, all or
    /// nothing. Who follows the records reads them there (`FeedFollower`); a frontier of one run hands them to its sinks instead.
    func finish(_ visit: FinishedVisit) async throws -> FrontierChange

    /// Leased requests that were not visited are queued again.
    func release(_ requests: [CrawlRequest]) async throws

    /// Nothing of the host is leased before the given time.
    func suspend(host: String, until: Date) async throws

    /// How many URLs are queued or leased.
    func unfinishedCount() async throws -> Int

    /// Whether what is left of a run's work is there for the next one.
    nonisolated var keepsWork: Bool { get }

    /// When hosts may be asked again, as earlier runs left it. A host without a clock may be asked; from now on it counts as
    /// one that was, should the run die.
    func clocks(of hosts: [String]) async throws -> [HostClock]

    /// What the run has learned of when hosts may be asked is kept when this returns.
    func keep(_ clocks: [HostClock]) async throws

    /// The robots.txt of a host's origins, as earlier runs fetched it, whether its time is up or not. Of one host, as they may be
    /// half a megabyte each.
    func rules(of host: String) async throws -> [StoredRobots]

    /// The robots.txt of one origin of a host, as it was fetched last; nil when it never was, or is not kept any more.
    func rules(of host: String, origin: String) async throws -> StoredRobots?

    /// A robots.txt was fetched: it is kept in place of the one before, until its time is up at least. A frontier of one run keeps it
    /// too, packed: the crawl holds a bounded number of rules in memory, and must not ask for the others again.
    func keep(_ rules: StoredRobots) async throws

    /// Records of finished visits have left for the disk, or for whoever takes them, when this returns.
    func flush() async throws

    /// The run ends in order: what is known of hosts' clocks holds for the next, and sinks have all records.
    func close(keeping clocks: [HostClock]) async throws

    /// How the job stands once a run has ended; nil when nothing of it outlives the run.
    func standing(of seeds: [Seed]) async throws -> JobStanding?
}

extension Frontier {
    public nonisolated var keepsWork: Bool { false }
    public func flush() async throws {}
    public func rules(of host: String) async throws -> [StoredRobots] { [] }
    public func standing(of seeds: [Seed]) async throws -> JobStanding? { nil }
}

/// What a change of the frontier means for the crawl's loop.
public struct FrontierChange: Sendable, Equatable {
    /// URLs that were not known before.
    public var added: Int
    /// Hosts that have queued requests and at most half their share leased: it is worth leasing more.
    public var hostsInNeed: Int
    /// Whether the URL that the finished visit redirects to, or names as canonical, will be visited.
    public var followed: Bool
    /// URLs that were not kept, or had to make room for better ones.
    public var dropped = DroppedURLs()
    /// What a sitemap says of URLs that are leased and so out of the frontier's reach (`CrawlRequest.alternates`).
    public var lateAlternates: [URLKey: [String]] = [:]

    public init(added: Int = 0, hostsInNeed: Int = 0, followed: Bool = false) {
        self.added = added
        self.hostsInNeed = hostsInNeed
        self.followed = followed
    }
}

/// URLs that a frontier did not keep, as more of them wait than a run may visit.
public struct DroppedURLs: Sendable, Equatable {
    public private(set) var count = 0
    /// The first of them.
    public private(set) var example: WebURL?

    public init() {}

    public mutating func add(_ url: @autoclosure () -> WebURL?) {
        count += 1
        if example == nil { example = url() }
    }
}

/// A visit's end, as the frontier keeps it.
public struct FinishedVisit: Sendable {
    public var request: CrawlRequest
    public var outcome: VisitOutcome
    public var finishedAt: Date
    /// Validators of the response, for the next conditional request.
    public var entityTag: String?
    public var lastModified: String?
    public var contentHash: String?
    public var recordIdentifier: String?
    /// What else decided what is recorded.
    public var revalidationKey = RevalidationKey()
    /// Time until the next visit, and what becomes of the rhythm.
    public var next: RecrawlPolicy.Next
    /// What the records learn from the visit, in order.
    public var changes: [RecordChange]
    /// What a report of the crawl is to keep of the page; nil when none is wanted, or when what was kept still holds.
    public var report: ReportEntry?
    /// What the outcome leaves out, when it is not the outcome's own `detail`: the line of a robots.txt.
    public var detail: String?
    /// What the page led to, already admitted by the scope: outlinks, sitemap entries, a redirect's target, the
    /// canonical URL.
    public var discovered: [CrawlRequest]

    public init(
        request: CrawlRequest, outcome: VisitOutcome, finishedAt: Date, next: RecrawlPolicy.Next,
        changes: [RecordChange] = [], discovered: [CrawlRequest] = []
    ) {
        self.request = request
        self.outcome = outcome
        self.finishedAt = finishedAt
        self.next = next
        self.changes = changes
        self.discovered = discovered
    }
}
