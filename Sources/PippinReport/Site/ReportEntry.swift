import Foundation
import PippinPage

/// What one visit contributes to the report of its crawl. It is enough to compare the page with all others and to show its
/// problems, also in the report of a later run that does not visit it.
///
/// A job stores the last entry of each address with its date (`kept` has the form). Its report is made of all these entries,
/// from this run and earlier ones.
struct ReportEntry: Sendable {
    /// What was at the address.
    enum Content: Sendable {
        /// A page that was read, or an address that answered with an error.
        case judged(JudgedPage)
        /// The address leads elsewhere, by a redirect or by the canonical link of its page.
        case leads(to: String, isRedirect: Bool)
        /// robots.txt forbids fetching it.
        case closed
        /// There was nothing to judge. The text is a stable code of the reason.
        case unjudged(String)
        case sitemap([Listed])
        /// Nothing that a report shows.
        case nothing
    }

    /// An address that a sitemap lists.
    struct Listed: Sendable, Hashable, Codable {
        let key: String
        /// The `lastmod` in the sitemap, if it is not a date.
        let wrongDate: String?
        /// True if the sitemap lists versions of the page in other languages; otherwise nil.
        let hasVersions: Bool?

        enum CodingKeys: String, CodingKey {
            case key = "k"
            case wrongDate = "d"
            case hasVersions = "v"
        }

        init(_ entry: SitemapEntry) {
            key = URLKey(entry.loc).string
            wrongDate = entry.lastmod.flatMap { $0.date == nil ? String($0.text.prefix(100)) : nil }
            hasVersions = entry.alternates.contains { $0.hreflang != nil } ? true : nil
        }
    }

    /// A later visit that could not read the page, although the page may still exist.
    struct Failure: Sendable, Hashable {
        /// Why the page could not be read, as a clause.
        let why: String
        let at: Date
    }

    /// The address that was visited.
    let url: WebURL
    /// The string of the address's `URLKey`.
    let key: String
    /// The URL of the seed that the page stands for; nil if it stands for none.
    let seed: String?
    /// What was there.
    var content: Content
    /// The keys of the addresses that the page links to and that the crawl may visit: links to be followed, and `nofollow`
    /// links.
    var followed: [String]
    var nofollow: [String]
    /// How many links and sitemap entries were left out for lack of room.
    var leftOut = 0
    /// When the visit ended.
    var date: Date
    /// The last failed visit after the judgement; nil if there was none.
    var failure: Failure?
    /// Whether it only says that the page could not be read this time. Then an earlier entry of the page stays.
    var mayPass = false
    /// The card of a page that was read in this run. A job only keeps those of the worst pages; nil for others.
    var card: ReportCard?

    init(
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

    /// Why the address gave no page; nil if it gave one.
    var trouble: String? {
        guard case .judged(let page) = content, !page.isRead else { return nil }
        return page.crawled.answer.clause
    }
}

extension CrawledPage.Answer {
    /// What came instead of a page, as a clause.
    var clause: String {
        switch self {
        case .read(let status) where StatusMeaning(status) == .content: "what is there is no page"
        case .read(let status): "status \(status)"
        case .failed(let why): why
        case .closed: "robots.txt closes it"
        case .redirected(let target): "it redirects to \(target)"
        }
    }
}

/// The part of a page's card that a report needs to count it and to compare it with others.
struct JudgedPage: Sendable {
    /// A link into an app.
    struct AppLink: Sendable {
        let status: DeepLinkRecord.Verification.Status
        let reason: String?
        let url: String?
        /// The link as lists show it.
        let name: String
    }

    var crawled: CrawledPage
    let isRead: Bool
    /// The gravest finding of each check, if it is at least advice.
    let findings: [Finding]
    let links: [AppLink]
    /// Who may use the page; nil if nothing says so, or if an older version has judged it.
    let usage: PageUses?

    init(_ card: ReportCard) {
        crawled = card.crawled
        isRead = card.isPageRead
        usage = PageUses(card.usage)
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

    /// The outcome of each check, in the order of `Check.all`.
    var outcomes: [Finding.Outcome] {
        var outcomes = [Finding.Outcome](repeating: .pass, count: Check.all.count)
        for finding in findings {
            guard let index = Check.index[finding.check.id] else { continue }
            outcomes[index] = max(outcomes[index], finding.outcome)
        }
        return outcomes
    }

    /// How much there is to fix, errors first, as known before the crawl has ended. It orders the worst pages. 0 for an
    /// address without a card.
    var weight: Int { isRead ? ReportCard.Counts(outcomes).weight : 0 }
}

// MARK: Stored form: packed JSON with short names. About 2 KB for a page with fifty links.

extension ReportEntry {
    /// The packed form, without the card, which is stored separately (`ReportCard.kept`).
    ///
    /// - Parameter maximumBytes: the largest packed form. If it would be larger, links, language versions and a sitemap's
    ///   addresses are left out.
    func kept(maximumBytes: Int) throws -> [UInt8] {
        var form = Form(self)
        let bytes = try PackedJSON.pack(form)
        guard bytes.count > maximumBytes else { return bytes }
        form.leftOut = leftOut + followed.count + nofollow.count + (form.listed?.count ?? 0)
        form.followed = []
        form.nofollow = []
        if form.listed != nil { form.listed = [] }
        form.page?.crawled.versions = nil
        return try PackedJSON.pack(form)
    }

    /// Reads an entry from its stored form. Throws if another version wrote it in another form.
    ///
    /// - Parameter date: when the visit ended, which is stored separately.
    init(kept bytes: [UInt8], date: Date) throws {
        let form = try PackedJSON.unpack(Form.self, from: bytes)
        guard let url = WebURL(form.url) else { throw PackedJSON.FormError() }
        self.url = url
        key = form.key ?? form.url
        seed = form.seed
        followed = form.followed ?? []
        nofollow = form.nofollow ?? []
        leftOut = form.leftOut ?? 0
        self.date = date
        content =
            if let page = form.page {
                .judged(page)
            } else if let target = form.target {
                .leads(to: target, isRedirect: form.isRedirect ?? false)
            } else if let code = form.unjudged {
                .unjudged(code)
            } else if let listed = form.listed {
                .sitemap(listed)
            } else if form.isClosed == true {
                .closed
            } else {
                .nothing
            }
    }

    private struct Form: Codable {
        var url: String
        var key: String?
        var seed: String?
        var followed: [String]?
        var nofollow: [String]?
        var page: JudgedPage?
        var target: String?
        var isRedirect: Bool?
        var isClosed: Bool?
        var unjudged: String?
        var listed: [Listed]?
        var leftOut: Int?

        enum CodingKeys: String, CodingKey {
            case url = "u"
            case key = "k"
            case seed = "s"
            case followed = "f"
            case nofollow = "n"
            case page = "p"
            case target = "t"
            case isRedirect = "r"
            case isClosed = "c"
            case unjudged = "j"
            case listed = "l"
            case leftOut = "o"
        }

        init(_ entry: ReportEntry) {
            url = entry.url.href
            key = entry.key == url ? nil : entry.key
            seed = entry.seed
            followed = entry.followed.isEmpty ? nil : entry.followed
            nofollow = entry.nofollow.isEmpty ? nil : entry.nofollow
            switch entry.content {
            case .judged(let page): self.page = page
            case .leads(let target, let isRedirect):
                self.target = target
                self.isRedirect = isRedirect
            case .closed: isClosed = true
            case .unjudged(let code): unjudged = code
            case .sitemap(let listed): self.listed = listed
            case .nothing: break
            }
        }
    }
}

extension JudgedPage: Codable {
    private enum CodingKeys: String, CodingKey {
        case crawled = "c"
        case isRead = "r"
        case findings = "f"
        case links = "l"
        case judging = "v"
        case usage = "u"
    }

    func encode(to encoder: any Encoder) throws {
        var form = encoder.container(keyedBy: CodingKeys.self)
        try form.encode(crawled, forKey: .crawled)
        try form.encode(isRead, forKey: .isRead)
        try form.encode(findings.map(Finding.Kept.init), forKey: .findings)
        try form.encode(links.map(KeptLink.init), forKey: .links)
        try form.encode(Finding.judging, forKey: .judging)
        try form.encodeIfPresent(usage, forKey: .usage)
    }

    init(from decoder: any Decoder) throws {
        let form = try decoder.container(keyedBy: CodingKeys.self)
        crawled = try form.decode(CrawledPage.self, forKey: .crawled)
        isRead = try form.decode(Bool.self, forKey: .isRead)
        findings = Finding.list(
            try form.decode([Finding.Kept].self, forKey: .findings),
            judging: try form.decodeIfPresent(Int.self, forKey: .judging))
        links = try form.decode([KeptLink].self, forKey: .links).compactMap(\.link)
        usage = try form.decodeIfPresent(PageUses.self, forKey: .usage)
    }

    private struct KeptLink: Codable {
        let status: String
        let reason: String?
        let url: String?
        /// nil if the name is the URL.
        let name: String?

        enum CodingKeys: String, CodingKey {
            case status = "s"
            case reason = "r"
            case url = "u"
            case name = "n"
        }

        init(_ link: AppLink) {
            status = link.status.rawValue
            reason = link.reason
            url = link.url
            name = link.name == link.url ? nil : link.name
        }

        var link: AppLink? {
            DeepLinkRecord.Verification.Status(rawValue: status).map {
                AppLink(status: $0, reason: reason, url: url, name: name ?? url ?? "")
            }
        }
    }
}
