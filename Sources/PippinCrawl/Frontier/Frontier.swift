import Foundation
import PippinPage

/// The URLs that are known and not finished, with their state. There are two implementations: in memory, for one-off crawls,
/// and in SQLite, for jobs that resume.
///
/// The life of a URL:
///
///     add ──► queued ──lease──► leased ──finish──► finished ──its next visit is due (kept frontiers)──► queued
///               ▲                 │
///               └─────release─────┘        a crash is a release: what was leased is queued again
///
/// A URL is identified by its `URLKey`, so two spellings of one URL count as one. While it is queued, what sitemaps say
/// (`CrawlRequest.sitemap`) is added. A leased URL belongs to the crawl: it waits for its host, is in flight, or waits for a retry.
///
/// A shorter way to a URL lowers its depth at any time. The depth of what a visited page leads to goes down with it, and a page
/// whose links were refused because of `max_depth` (`FinishedVisit.isCut`) is queued again. So the pages of a crawl do not depend on
/// the order of its visits: they are those that a breadth-first search finds. In the same way, the seed of a way that is as short goes on
/// from page to page (`WayRule`), without another visit: the record of a page names the nearest seed.
///
/// The queue is limited (`FrontierLimits`). A dropped URL counts as unknown, so it may be found again.
///
/// Canonical pages: a page that names another URL as canonical finishes as `.duplicate(of:)` without a record, and that URL is
/// queued. If the canonical page is itself unusable (an error, a redirect, or a duplicate), the frontier queues the first page
/// again with `ignoresCanonical`, and it is filed under its own URL. So the result does not depend on which of the two is
/// visited first. If two pages name each other, the smaller URL gets the record.
public protocol Frontier: Sendable {
    /// Queues the requests whose URLs are not known yet.
    func add(_ requests: [CrawlRequest]) async throws -> FrontierChange

    /// Leases queued requests: the nearest to their seeds first, hosts in turn.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of requests.
    ///   - perHost: the maximum number of leased requests per host, including earlier ones. It keeps the URLs of one host
    ///     from filling the schedule.
    func lease(limit: Int, perHost: Int) async throws -> [CrawlRequest]

    /// Finishes a visit: stores its outcome and its changes of records, and queues the URLs it found, all or nothing. Readers
    /// of the records get them from the storage (`FeedFollower`); a frontier for a single run passes them to its sinks instead.
    func finish(_ visit: FinishedVisit) async throws -> FrontierChange

    /// Queues leased requests again that were not visited.
    func release(_ requests: [CrawlRequest]) async throws

    /// Leases nothing of the hosts before the given time.
    func suspend(hosts: [String], until: Date) async throws

    /// Leases nothing of the hosts in this run. The next run knows nothing of it.
    func leave(hosts: [String]) async throws

    /// The number of queued and leased URLs.
    func unfinishedCount() async throws -> Int

    /// Whether unfinished work is kept for the next run.
    nonisolated var keepsWork: Bool { get }

    /// The hosts' clocks as earlier runs stored them. A host without a clock may be asked. From now on it counts as asked, in
    /// case the run dies.
    func clocks(of hosts: [String]) async throws -> [HostClock]

    /// Stores the clocks that the run has changed. They are safe when this returns.
    func keep(_ clocks: [HostClock]) async throws

    /// The robots.txt files of a host's origins as earlier runs fetched them, including outdated ones. They are read for one
    /// host at a time, because each may have half a megabyte.
    func rules(of host: String) async throws -> [StoredRobots]

    /// The last fetched robots.txt of one origin of a host; nil if it was never fetched or is not kept any more.
    func rules(of host: String, origin: String) async throws -> StoredRobots?

    /// Stores a fetched robots.txt in place of the earlier one, at least until it is outdated. A frontier for a single run
    /// keeps it too, packed: the crawl keeps only a limited number of rules in memory, and must not request the others again.
    func keep(_ rules: StoredRobots) async throws

    /// Writes the records of finished visits to the disk or to the sinks. They are there when this returns.
    func flush() async throws

    /// Ends the run in order: stores the hosts' clocks for the next run, and flushes all records.
    func close(keeping clocks: [HostClock]) async throws

    /// The state of the job after a run; nil if nothing is kept after the run.
    func standing(of seeds: [Seed]) async throws -> JobStanding?
}

extension Frontier {
    /// False: nothing is kept.
    public nonisolated var keepsWork: Bool { false }
    /// Does nothing.
    public func flush() async throws {}
    /// None.
    public func rules(of host: String) async throws -> [StoredRobots] { [] }
    /// Nil.
    public func standing(of seeds: [Seed]) async throws -> JobStanding? { nil }
}

/// The effect of a change of the frontier on the crawl's loop.
public struct FrontierChange: Sendable, Equatable {
    /// The number of URLs that were not known before.
    public var added: Int
    /// The number of hosts with queued requests that have at most half of their share leased. If it is not zero, leasing more
    /// makes sense.
    public var hostsInNeed: Int
    /// Whether the URL that the finished visit redirects to, or names as canonical, will be visited.
    public var followed: Bool
    /// URLs that were not queued, or were dropped for better ones.
    public var dropped = DroppedURLs()
    /// The requests of `add` that the full queue did not take, or dropped for later ones of the same call.
    public var turnedAway: [CrawlRequest] = []
    /// The number of requests of `add` whose URLs were known, and are due no sooner because of them.
    public var unchanged = 0
    /// What a sitemap says of URLs that are leased, which the frontier cannot change (`CrawlRequest.sitemap`).
    public var lateSitemapFacts: [URLKey: SitemapFacts] = [:]

    /// Creates a change.
    public init(added: Int = 0, hostsInNeed: Int = 0, followed: Bool = false) {
        self.added = added
        self.hostsInNeed = hostsInNeed
        self.followed = followed
    }
}

/// URLs that a frontier dropped because more were waiting than a run may visit.
public struct DroppedURLs: Sendable, Equatable {
    /// The number of dropped URLs.
    public private(set) var count = 0
    /// The first dropped URL.
    public private(set) var example: WebURL?

    /// Starts with none.
    public init() {}

    /// Counts a dropped URL.
    public mutating func add(_ url: @autoclosure () -> WebURL?) {
        count += 1
        if example == nil { example = url() }
    }
}

/// The end of a visit, as the frontier stores it.
public struct FinishedVisit: Sendable {
    /// The request that was visited.
    public var request: CrawlRequest
    /// How the visit ended.
    public var outcome: VisitOutcome
    /// When the visit ended.
    public var finishedAt: Date
    /// The `ETag` of the response, for the next conditional request.
    public var entityTag: String?
    /// The `Last-Modified` of the response, for the next conditional request.
    public var lastModified: String?
    /// The hash of the recorded content; nil without a record.
    public var contentHash: String?
    /// The identifier of the record; nil without a record.
    public var recordIdentifier: String?
    /// The other inputs of the record.
    public var revalidationKey = RevalidationKey()
    /// The time until the next visit, and the new rhythm.
    public var next: RecrawlPolicy.Next
    /// The changes of records, in order.
    public var changes: [RecordChange]
    /// What an observer leaves with the URL; nil if there is none, or if what is kept is still valid.
    public var observation: KeptObservation?
    /// A detail that is missing in the outcome's own `detail`, such as the line of a robots.txt.
    public var detail: String?
    /// The URLs that the page led to, already admitted by the scope: outlinks, sitemap entries, a redirect's target, the
    /// canonical URL.
    public var discovered: [CrawlRequest]
    /// Links in scope that the page, or their `rel`, does not vouch for (`nofollow`, `ugc`, `sponsored`). They are not queued. A
    /// frontier that keeps the link graph keeps those to URLs that it knows.
    public var nofollowLinks: [CrawlRequest] = []
    /// Whether links of the page were refused because it lies too far from a seed. They would be followed if a nearer way led to it.
    public var isCut = false

    /// Creates the end of a visit.
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
