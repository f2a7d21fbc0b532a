import Foundation
import PippinPage

/// What one visit tells the report of its crawl: enough to hold the page against all others and to show what is wrong with
/// it, also in the report of a later run that had no reason to visit it.
///
/// A job keeps the entry of each address with the date (`ReportEntry+Kept.swift` has the form), and its report is made of them
/// all: what this run has seen, and what earlier ones have.
public struct ReportEntry: Sendable {
    public enum Content: Sendable {
        /// A page that was read, or an address that answered with an error.
        case judged(JudgedPage)
        /// It sends its visitors on, by a redirect or by the canonical link of its page.
        case leads(to: String, isRedirect: Bool)
        /// robots.txt closes it.
        case closed
        /// There was nothing to judge, by a stable reason.
        case unjudged(String)
        case sitemap([Listed])
        /// Nothing that a report would tell.
        case nothing
    }

    /// An address that a sitemap lists.
    public struct Listed: Sendable, Hashable, Codable {
        let key: String
        /// What the sitemap says of the last change, where that is no date.
        let wrongDate: String?

        enum CodingKeys: String, CodingKey {
            case key = "k"
            case wrongDate = "d"
        }

        public init(_ entry: SitemapEntry) {
            key = URLKey(entry.loc).string
            wrongDate = entry.lastmod.flatMap { $0.date == nil ? String($0.text.prefix(100)) : nil }
        }
    }

    /// A visit after the judgement that could not have the page, though it may be there still.
    public struct Failure: Sendable, Hashable {
        public let why: String
        public let at: Date

        public init(why: String, at: Date) {
            self.why = why
            self.at = at
        }
    }

    public let url: WebURL
    /// By which the crawl knows the address.
    public let key: String
    /// Of the seed that the page stands for.
    public let seed: String?
    public var content: Content
    /// Keys of the addresses that the page links to, as far as the crawl may go there.
    public var followed: [String]
    public var nofollow: [String]
    /// Links, and addresses in a sitemap, that there was no room for.
    var leftOut = 0
    /// When the visit was.
    public var date: Date
    public var failure: Failure?
    /// Whether it says only that the page could not be had this time: what is known of it already counts for more.
    public var mayPass = false
    /// Of a page that was read in this run, or that is among the worst.
    public var card: ReportCard?

    public init(
        url: WebURL, key: URLKey, seed: WebURL?, content: Content, followed: [URLKey] = [], nofollow: [URLKey] = [],
        date: Date
    ) {
        self.url = url
        self.key = key.string
        self.seed = seed?.href
        self.content = content
        self.followed = followed.map(\.string)
        self.nofollow = nofollow.map(\.string)
        self.date = date
    }

    /// Why the address gave no page; nil of one that did.
    public var trouble: String? {
        guard case .judged(let page) = content, !page.isRead else { return nil }
        return page.crawled.answer.clause
    }
}

extension CrawledPage.Answer {
    /// What it was that came in place of a page, as a clause.
    var clause: String {
        switch self {
        case .read(let status): "status \(status)"
        case .failed(let why): why
        case .closed: "robots.txt closes it"
        case .redirected(let target): "it redirects to \(target)"
        }
    }
}

/// What a report needs of a page's card to count it and to hold it against others.
public struct JudgedPage: Sendable {
    /// A way into an app.
    struct AppLink: Sendable {
        let status: DeepLinkRecord.Verification.Status
        let reason: String?
        let url: String?
        /// The link as lists show it.
        let name: String
    }

    var crawled: CrawledPage
    let isRead: Bool
    /// Of each check the gravest finding, from advice on.
    let findings: [Finding]
    let links: [AppLink]

    public init(_ card: ReportCard) {
        crawled = card.crawled
        isRead = card.isPageRead
        var gravest: [Int: Finding] = [:]
        for finding in card.findings where finding.outcome >= .info {
            guard let index = Check.index[finding.check.id],
                gravest[index].map({ finding.outcome > $0.outcome }) ?? true
            else { continue }
            gravest[index] = finding
        }
        findings = gravest.sorted { $0.key < $1.key }.map(\.value)
        links = (card.record?.deepLinks.filter(\.leadsIntoApp) ?? []).map { link in
            AppLink(
                status: link.verification.status, reason: link.verification.reason, url: link.url,
                name: link.url ?? link.storeIdentifier ?? link.packageName ?? "")
        }
    }

    init(crawled: CrawledPage, isRead: Bool, findings: [Finding], links: [AppLink]) {
        self.crawled = crawled
        self.isRead = isRead
        self.findings = findings
        self.links = links
    }

    /// By check, in the order of `Check.all`.
    var outcomes: [Finding.Outcome] {
        var outcomes = [Finding.Outcome](repeating: .pass, count: Check.all.count)
        for finding in findings {
            guard let index = Check.index[finding.check.id] else { continue }
            outcomes[index] = max(outcomes[index], finding.outcome)
        }
        return outcomes
    }

    /// How much there is to mend before the crawl has ended, errors first: what orders the worst pages. 0 for what has no card.
    public var weight: Int { isRead ? SiteReport.Grades(outcomes).weight : 0 }
}
