import Foundation
import PippinCrawl
import PippinPage

/// The report of a whole crawl: what is right and wrong with its pages, by check and by host, with examples, and what was not
/// covered. `SiteReportBuilder` makes it. It is shown as HTML and as JSON. The order of lists depends only on what was found,
/// not on when.
public struct SiteReport: Sendable {
    /// Raised when programs that read older reports would misunderstand newer ones.
    static let schemaVersion = 1
    /// The most addresses in each list of the JSON form. Counts are always complete.
    static let maximumListed = 1_000
    /// The most pages that have a card of their own.
    static let maximumCards = KeptObservation.keptDetails / 2

    /// How the crawl went. Only the crawler knows this.
    struct Crawl: Sendable {
        /// How the crawl ended.
        enum Ending: String, Sendable {
            case finished
            case pageLimit = "page-limit"
            case quietHours = "quiet-hours"
            case interrupted
        }

        /// How the crawl ended.
        var ending: Ending
        /// When this run began. What was seen before was seen by earlier runs. nil if there were none.
        var startedAt: Date?
        var finishedAt: Date
        /// The seeds, in the operator's order.
        var seeds: [Seed]
        /// Why the crawl covered less than it could have.
        var notCovered: [Gap]
        /// Whether everything that the seeds lead to was visited, apart from `hostsLeft`.
        var isComplete: Bool
        /// Hosts with pages that are left for another run.
        var hostsLeft: [String]

        init(
            ending: Ending, startedAt: Date? = nil, finishedAt: Date, seeds: [Seed], notCovered: [Gap],
            isComplete: Bool, hostsLeft: [String] = []
        ) {
            self.ending = ending
            self.startedAt = startedAt
            self.finishedAt = finishedAt
            self.seeds = seeds
            self.notCovered = notCovered
            self.isComplete = isComplete
            self.hostsLeft = hostsLeft
        }
    }

    /// A seed, and how its visit ended.
    struct Seed: Sendable {
        var url: WebURL
        /// `support` or `marketing`, if the operator said so.
        var kind: String?
        /// A stable code of the failure; nil if the seed works.
        var failure: String?
        /// What the code means and what to do about it, in sentences.
        var reason: String?
        /// Whether the crawl came to the seed.
        var wasVisited: Bool

        init(
            url: WebURL, kind: String? = nil, failure: String? = nil, reason: String? = nil, wasVisited: Bool = true
        ) {
            self.url = url
            self.kind = kind
            self.failure = failure
            self.reason = reason
            self.wasVisited = wasVisited
        }
    }

    /// Something that the crawl or the report did not cover.
    struct Gap: Sendable, Hashable {
        /// A stable code of the reason.
        var code: String
        var count: Int
        /// What was not covered and why, as a sentence.
        var message: String
    }

    /// The results of one check over all pages. Checks that found nothing are not listed.
    struct CheckTotal: Sendable {
        let check: Check
        /// How many pages have each outcome of the check.
        var pages = ReportCard.Counts()
        /// How many hosts have such pages.
        var hosts = 0
        /// A few findings, the gravest first.
        var examples: [Example] = []
    }

    /// A finding on one page, as an example of a check's results.
    struct Example: Sendable {
        let url: String
        let outcome: Finding.Outcome
        let sentence: String
        let place: Finding.Place?
        let remedy: Finding.Remedy?
        let judgedAt: Date
    }

    /// The results of one host.
    struct HostTotal: Sendable {
        let host: String
        /// How many pages of the host were read and judged.
        var pages = 0
        /// Pages by the gravest outcome of all their checks.
        var grades = ReportCard.Counts()
        /// How many pages have deep links, how many have one that an association file verifies, and how many are orphans.
        var deepLinked = 0
        var verified = 0
        var orphans = 0
        /// When the oldest judgement of an earlier run was made; nil if this run has judged all pages.
        var oldest: Date?
        /// How many pages each check found something on, in the order of `Check.all`.
        var found = [Int](repeating: 0, count: Check.all.count)

        /// - Parameter host: empty for hosts beyond the report's limit.
        init(host: String) { self.host = host.isEmpty ? "other hosts" : host }

        /// By check, in the order of `Check.all`. Checks without findings are left out.
        var checks: [(id: String, pages: Int)] {
            zip(Check.all, found).compactMap { $1 > 0 ? ($0.id, $1) : nil }
        }

        var inOrder: Int { pages - grades.error - grades.warning }
    }

    /// The results of one page.
    struct PageTotal: Sendable {
        let url: String
        let title: String?
        /// How many checks have each outcome.
        let checks: ReportCard.Counts
        /// Identifiers of checks with an error or a warning, the gravest first.
        let failed: [String]
        /// How many links lead from the nearest seed to the page; nil if none lead there.
        let depth: Int?
        let judgedAt: Date
        /// The file name of the page's card in `pages/`; nil if it has none.
        var card: String?
    }

    /// Addresses of one kind: how many there are, and the first ones.
    struct Listing: Sendable {
        var count = 0
        /// The first ones, up to `maximumListed`.
        var urls: [String] = []

        mutating func add(_ url: String) {
            count += 1
            if urls.count < SiteReport.maximumListed { urls.append(url) }
        }
    }

    /// Pages that have something in common.
    struct Alike: Sendable {
        /// The title or description that they share; nil if they share their content.
        let value: String?
        let count: Int
        /// The first pages.
        let urls: [String]
    }

    /// An address that gave no page.
    struct Broken: Sendable {
        let url: String
        /// Why there was no page, as a clause.
        let why: String
        let seenAt: Date
        /// A few pages that link there.
        let linkedFrom: [String]
        let isInSitemap: Bool
    }

    /// Deep links with the same verification status and reason.
    struct Unverified: Sendable {
        let status: DeepLinkRecord.Verification.Status
        let reason: String?
        var count = 0
        var examples: [LinkExample] = []
    }

    /// A deep link, and the page that has it.
    struct LinkExample: Sendable, Hashable {
        let page: String
        let link: String
    }

    /// How many pages have one distance from a seed.
    struct Depth: Sendable, Hashable {
        /// How many links lead from the nearest seed to the pages; nil if none lead there.
        let links: Int?
        let pages: Int
    }

    var crawl: Crawl
    /// How many pages were read and judged.
    var pages = 0
    /// How many of them were judged by earlier runs, and when the oldest of these judgements was made.
    var earlierPages = 0
    var oldest: Date?
    /// How many pages may be indexed and stand for themselves.
    var indexable = 0
    /// How many pages have deep links.
    var deepLinked = 0
    /// How many pages have a deep link that an association file verifies.
    var verified = 0
    /// How many pages have deep links, but none that was compared with an association file.
    var unchecked = 0
    /// How many addresses gave no page: an error status, or no answer.
    var brokenCount = 0
    /// The first of these addresses.
    var broken: [Broken] = []
    /// How many addresses redirect.
    var redirects = 0
    /// How many pages name another address as canonical. That one is judged.
    var duplicates = 0
    var grades = ReportCard.Counts()
    /// Checks that found something, the gravest first.
    var checks: [CheckTotal] = []
    /// How many pages crawlers find, answer from and are trained with.
    var usage = UsageTotals()
    /// The results of each host.
    var hosts: [HostTotal] = []
    /// The pages with the gravest findings.
    var worst: [PageTotal] = []
    /// Pages that stand for themselves and have no deep links.
    var withoutDeepLinks = Listing()
    var unverified: [Unverified] = []
    /// Pages that a sitemap lists, but to which no link leads.
    var orphans = Listing()
    var depths: [Depth] = []
    var sameTitle: [Alike] = []
    var sameDescription: [Alike] = []
    var sameContent: [Alike] = []
    /// Limits of the report itself that were reached.
    var ownLimits: [Gap] = []
    /// Whether everything that the seeds lead to was read. If not, something that seems to be missing may only not have been
    /// found.
    var isComplete = true
    /// The cards of the worst pages, with their file names.
    public internal(set) var cards: [(name: String, card: ReportCard)] = []

    /// Where the report's page finds the cards.
    var cardFolder = "pages/"
    /// The path of pages with further hosts; nil if there are none.
    var hostPath: String?

    /// Whether something was seen by an earlier run.
    func isEarlier(_ date: Date) -> Bool { crawl.startedAt.map { date < $0 } ?? false }

    /// Seeds that do not work.
    var failedSeeds: [Seed] { crawl.seeds.filter { $0.failure != nil } }
    /// What the crawl did not cover, and limits of the report that were reached.
    var notCovered: [Gap] { crawl.notCovered + ownLimits }
    var inOrder: Int { pages - grades.error - grades.warning }
}

extension SiteReport {
    /// The file name of a card: `007-example.org-recipes-apple-tart.html`. It has only letters, digits, dots and hyphens, so
    /// that no address can lead to another folder.
    static func fileName(rank: Int, url: WebURL) -> String { fileName(rank: rank, path: (url.host ?? "") + url.path) }

    static func fileName(rank: Int, path: String) -> String {
        var slug: [UInt8] = []
        var path = path
        for ending in [".html", ".htm"] where path.hasSuffix(ending) { path.removeLast(ending.count) }
        for byte in path.utf8 {
            guard slug.count < 80 else { break }
            let isPlain = (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
            if isPlain || (byte == 0x2E && slug.last != 0x2E && slug.last != 0x2D) {
                slug.append(byte)
            } else if let last = slug.last, last != 0x2D, last != 0x2E {
                slug.append(0x2D)
            }
        }
        while let last = slug.last, last == 0x2D || last == 0x2E { slug.removeLast() }
        let number = String(rank)
        return String(repeating: "0", count: max(0, 3 - number.count)) + number + "-"
            + String(decoding: slug, as: UTF8.self) + ".html"
    }
}
