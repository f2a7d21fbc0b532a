import Foundation
import PippinPage

/// What one visit tells the report of its crawl: enough to hold the page against all others and to show what is wrong with
/// it, also in the report of a later run that had no reason to visit it.
///
/// A job keeps the entry of each address with the date (`kept` has the form), and its report is made of them
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

// MARK: How a job keeps entries: JSON with short names, packed. Some 2 KB for a page of fifty links.

extension ReportEntry {
    /// What cannot be read any more is judged anew when its page is visited next.
    struct FormError: Error {}

    /// The packed form; without the card, which is kept apart (`ReportCard.kept`).
    ///
    /// - Parameter maximumBytes: of the packed form. Beyond it the links are left out.
    public func kept(maximumBytes: Int) throws -> [UInt8] {
        var form = Form(self)
        let bytes = try PackedJSON.pack(form)
        guard bytes.count > maximumBytes else { return bytes }
        form.leftOut = leftOut + followed.count + nofollow.count + (form.listed?.count ?? 0)
        form.followed = []
        form.nofollow = []
        if form.listed != nil { form.listed = [] }
        return try PackedJSON.pack(form)
    }

    public init(kept bytes: [UInt8], date: Date) throws {
        let form = try PackedJSON.unpack(Form.self, from: bytes)
        guard let url = WebURL(form.url) else { throw FormError() }
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
    }

    public func encode(to encoder: any Encoder) throws {
        var form = encoder.container(keyedBy: CodingKeys.self)
        try form.encode(crawled, forKey: .crawled)
        try form.encode(isRead, forKey: .isRead)
        try form.encode(findings.map(Finding.Kept.init), forKey: .findings)
        try form.encode(links.map(KeptLink.init), forKey: .links)
    }

    public init(from decoder: any Decoder) throws {
        let form = try decoder.container(keyedBy: CodingKeys.self)
        crawled = try form.decode(CrawledPage.self, forKey: .crawled)
        isRead = try form.decode(Bool.self, forKey: .isRead)
        findings = try form.decode([Finding.Kept].self, forKey: .findings).compactMap { Finding($0) }
        links = try form.decode([KeptLink].self, forKey: .links).compactMap(\.link)
    }

    private struct KeptLink: Codable {
        let status: String
        let reason: String?
        let url: String?
        /// Nil where it is the URL.
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

/// JSON, deflated.
enum PackedJSON {
    static func pack(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let packed = DeflatedBytes.pack([UInt8](try encoder.encode(value))) else { throw ReportEntry.FormError() }
        return packed
    }

    static func unpack<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        guard let json = DeflatedBytes.unpack(bytes) else { throw ReportEntry.FormError() }
        return try JSONDecoder().decode(type, from: Data(json))
    }
}
