import Foundation
import PippinPage

/// The roll-up of a whole crawl: what is right and wrong with its pages, by check and by host, with examples, and what was
/// not covered. `SiteReportBuilder` makes it; it is shown as HTML and as JSON. Lists stand in an order that depends on what was
/// found alone, not on when.
public struct SiteReport: Sendable {
    /// Grows when a reader of older reports would misunderstand a newer one.
    public static let schemaVersion = 1
    /// Addresses that the JSON form lists of each kind; counts are always whole.
    static let maximumListed = 1_000
    /// Worst pages that have a card of their own.
    public static let maximumCards = 200
    /// Of the overview, as cards name it.
    public static let overview = "../index.html"

    /// How the crawl went, which only the crawl knows.
    public struct Crawl: Sendable {
        public enum Ending: String, Sendable {
            case finished
            case pageLimit = "page-limit"
            case quietHours = "quiet-hours"
            case interrupted
        }

        public var ending: Ending
        /// What was seen before then, earlier runs have seen; nil when there is no such thing.
        public var startedAt: Date?
        public var finishedAt: Date
        public var seeds: [Seed]
        /// What made the crawl smaller than it could have been.
        public var notCovered: [Gap]
        /// Whether everything was visited that the seeds lead to, but for `hostsLeft`.
        public var isComplete: Bool
        /// Hosts of which pages were left for another run.
        public var hostsLeft: [String]

        public init(
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

    public struct Seed: Sendable {
        public var url: WebURL
        /// `support` or `marketing`, where the operator said so.
        public var kind: String?
        /// Stable code of how it ended where it did not work; nil where it did.
        public var failure: String?
        /// What that means and what to do about it, in sentences.
        public var reason: String?
        public var wasVisited: Bool

        public init(
            url: WebURL, kind: String? = nil, failure: String? = nil, reason: String? = nil, wasVisited: Bool = true
        ) {
            self.url = url
            self.kind = kind
            self.failure = failure
            self.reason = reason
            self.wasVisited = wasVisited
        }
    }

    public struct Gap: Sendable, Hashable {
        /// Stable.
        public var code: String
        public var count: Int
        public var message: String

        public init(code: String, count: Int, message: String) {
            self.code = code
            self.count = count
            self.message = message
        }
    }

    /// Pages by the gravest outcome of something.
    public struct Grades: Sendable, Hashable {
        public internal(set) var error = 0
        public internal(set) var warning = 0
        public internal(set) var info = 0

        public var all: Int { error + warning + info }

        mutating func count(_ outcome: Finding.Outcome, by number: Int = 1) {
            switch outcome {
            case .error: error += number
            case .warning: warning += number
            case .info: info += number
            case .pass, .unknown: break
            }
        }

        /// What orders things to mend: errors come first, then warnings, then advice; more of them before fewer.
        static func isGraver(_ a: Grades, _ b: Grades) -> Bool {
            (a.error, a.warning, a.info) > (b.error, b.warning, b.info)
        }

        /// The same order as one number, for the checks of one page: there are fewer than a thousand.
        var weight: Int { (error * 1_000 + warning) * 1_000 + info }
    }

    /// One check over all pages; only checks that found something are listed.
    public struct CheckTotal: Sendable {
        public let check: Check
        public internal(set) var pages = Grades()
        public internal(set) var hosts = 0
        public internal(set) var examples: [Example] = []

        public var outcome: Finding.Outcome { pages.error > 0 ? .error : pages.warning > 0 ? .warning : .info }
    }

    public struct Example: Sendable {
        public let url: String
        public let outcome: Finding.Outcome
        public let sentence: String
        public let place: Finding.Place?
        public let remedy: Finding.Remedy?
        let judgedAt: Date
    }

    public struct HostTotal: Sendable {
        public let host: String
        public internal(set) var pages = 0
        /// Pages by the gravest outcome of all checks.
        var grades = Grades()
        public internal(set) var deepLinked = 0
        public internal(set) var backed = 0
        public internal(set) var orphans = 0
        /// Of its pages that earlier runs have judged, the first; nil when this run has judged them all.
        public internal(set) var oldest: Date?
        /// By check, in the order of `Check.all`; those without findings are absent.
        public internal(set) var checks: [(id: String, pages: Int)] = []

        var inOrder: Int { pages - grades.error - grades.warning }
    }

    public struct PageTotal: Sendable {
        public let url: String
        public let title: String?
        /// Checks by outcome.
        public let checks: Grades
        /// IDs of checks with an error or a warning, the gravest first.
        public let failed: [String]
        /// Links from a seed.
        public let depth: Int?
        let judgedAt: Date
        /// File name of its card below `pages/`, where there is one.
        public internal(set) var card: String?
    }

    /// Addresses of one kind: how many, and the first of them.
    public struct Listing: Sendable {
        public internal(set) var count = 0
        public internal(set) var urls: [String] = []

        mutating func add(_ url: String) {
            count += 1
            if urls.count < SiteReport.maximumListed { urls.append(url) }
        }
    }

    /// Pages that say the same.
    struct Alike: Sendable {
        /// What they say; nil where it is the content.
        let value: String?
        let count: Int
        /// The first of them.
        let urls: [String]
    }

    /// An address that gave no page.
    public struct Broken: Sendable {
        public let url: String
        public let why: String
        let seenAt: Date
        /// A few pages that link there.
        public let linkedFrom: [String]
        let isInSitemap: Bool
    }

    /// Deep links of one verification status and reason.
    struct Backing: Sendable {
        let status: DeepLinkRecord.Verification.Status
        let reason: String?
        var count = 0
        var examples: [LinkExample] = []
    }

    public struct LinkExample: Sendable, Hashable {
        public let page: String
        public let link: String
    }

    public struct Depth: Sendable, Hashable {
        /// Links from a seed; nil: no link leads there.
        public let links: Int?
        public let pages: Int
    }

    public internal(set) var crawl: Crawl
    /// Pages that were read and judged.
    public internal(set) var pages = 0
    /// Of them, those that earlier runs have judged, and when the first of these was.
    var earlierPages = 0
    public internal(set) var oldest: Date?
    /// Of all, those that an index may take in and that stand for themselves.
    var indexable = 0
    public internal(set) var deepLinked = 0
    /// Pages with a deep link that an association file backs.
    public internal(set) var backed = 0
    /// Pages of which no deep link was held against an association file.
    public internal(set) var unchecked = 0
    /// Addresses that gave no page: an error status, no answer.
    var brokenCount = 0
    public internal(set) var broken: [Broken] = []
    public internal(set) var redirects = 0
    /// Pages that name another address as theirs; that one is judged.
    public internal(set) var duplicates = 0
    var grades = Grades()
    public internal(set) var checks: [CheckTotal] = []
    public internal(set) var hosts: [HostTotal] = []
    public internal(set) var worst: [PageTotal] = []
    public internal(set) var withoutDeepLinks = Listing()
    var backing: [Backing] = []
    public internal(set) var orphans = Listing()
    var depths: [Depth] = []
    var sameTitle: [Alike] = []
    var sameDescription: [Alike] = []
    var sameContent: [Alike] = []
    /// Limits of the report itself that were reached.
    var ownLimits: [Gap] = []
    /// Whether all was read that the seeds lead to; if not, what is missing may only not have been met.
    public internal(set) var isComplete = true
    /// The cards of the worst pages, by file name.
    public internal(set) var cards: [(name: String, card: ReportCard)] = []

    init(crawl: Crawl) {
        self.crawl = crawl
    }

    /// Whether an earlier run has seen what was seen then.
    func isEarlier(_ date: Date) -> Bool { crawl.startedAt.map { date < $0 } ?? false }

    public var failedSeeds: [Seed] { crawl.seeds.filter { $0.failure != nil } }
    public var notCovered: [Gap] { crawl.notCovered + ownLimits }
    var inOrder: Int { pages - grades.error - grades.warning }
}

extension SiteReport {
    /// `007-example.org-recipes-apple-tart.html`: nothing but letters, digits, dots and hyphens, so that no address can name
    /// another folder.
    static func fileName(rank: Int, url: WebURL) -> String {
        var slug: [UInt8] = []
        var path = url.path
        for ending in [".html", ".htm"] where path.hasSuffix(ending) { path.removeLast(ending.count) }
        for byte in ((url.host ?? "") + path).utf8 {
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
