import Foundation
import PippinPage

// How a job keeps entries of its report: JSON with short names, packed. Some 2 KB for a page of fifty links.

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
                .judged(try page.judged())
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
        var page: KeptPage?
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
            case .judged(let page): self.page = KeptPage(page)
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

/// A finding as a job keeps it.
struct KeptFinding: Codable {
    struct Place: Codable {
        let source: String
        let name: String
        let line: Int?
        let column: Int?

        init(_ place: Finding.Place) {
            source = place.source.rawValue
            name = place.name
            line = place.line
            column = place.column
        }

        var place: Finding.Place? {
            Finding.Place.Source(rawValue: source).map { Finding.Place($0, name, line: line, column: column) }
        }

        enum CodingKeys: String, CodingKey {
            case source = "s"
            case name = "n"
            case line = "l"
            case column = "c"
        }
    }

    let check: String
    let outcome: String
    let sentence: String
    let place: Place?
    let remedy: String?
    let code: String?
    let note: ParseNote.Code?
    let isProvisional: Bool?

    enum CodingKeys: String, CodingKey {
        case check = "c"
        case outcome = "o"
        case sentence = "s"
        case place = "p"
        case remedy = "r"
        case code = "x"
        case note = "n"
        case isProvisional = "v"
    }

    init(_ finding: Finding) {
        check = finding.check.id
        outcome = finding.outcome.rawValue
        sentence = finding.sentence
        place = finding.place.map(Place.init)
        remedy = finding.remedy?.text
        code = finding.remedy?.code
        note = finding.noteCode
        isProvisional = finding.isProvisional ? true : nil
    }

    /// Nil of a check that this version does not know.
    var finding: Finding? {
        guard let check = Check.withID(check), let outcome = Finding.Outcome(rawValue: outcome) else { return nil }
        var verdict = Verdict(
            outcome, sentence, at: place?.place, remedy.map { Finding.Remedy($0, code: code) }, noteCode: note)
        verdict.isProvisional = isProvisional ?? false
        return Finding(check, verdict)
    }
}

/// A judged page as a job keeps it.
private struct KeptPage: Codable {
    struct Link: Codable {
        let status: String
        let reason: String?
        let url: String?
        let name: String?

        enum CodingKeys: String, CodingKey {
            case status = "s"
            case reason = "r"
            case url = "u"
            case name = "n"
        }
    }

    let crawled: KeptCrawledPage
    let isRead: Bool
    let findings: [KeptFinding]
    let links: [Link]

    enum CodingKeys: String, CodingKey {
        case crawled = "c"
        case isRead = "r"
        case findings = "f"
        case links = "l"
    }

    init(_ page: JudgedPage) {
        crawled = KeptCrawledPage(page.crawled)
        isRead = page.isRead
        findings = page.findings.map(KeptFinding.init)
        links = page.links.map {
            Link(status: $0.status.rawValue, reason: $0.reason, url: $0.url, name: $0.name == $0.url ? nil : $0.name)
        }
    }

    func judged() throws -> JudgedPage {
        JudgedPage(
            crawled: try crawled.page(), isRead: isRead, findings: findings.compactMap(\.finding),
            links: links.compactMap { link in
                DeepLinkRecord.Verification.Status(rawValue: link.status).map {
                    JudgedPage.AppLink(
                        status: $0, reason: link.reason, url: link.url, name: link.name ?? link.url ?? "")
                }
            })
    }
}

/// `CrawledPage` as a job keeps it.
struct KeptCrawledPage: Codable {
    let url: String
    /// Of a page that answered; else one of the others is there.
    let status: Int?
    let target: String?
    let failure: String?
    let isRefused: Bool?
    let canonical: String?
    let title: String?
    let description: String?
    let contentHash: String?
    let image: String?
    let appArgument: String?
    let argumentIsPage: Bool?
    let knowsNoApp: Bool?
    let places: [String: KeptFinding.Place]?

    enum CodingKeys: String, CodingKey {
        case url = "u"
        case status = "a"
        case target = "r"
        case failure = "f"
        case isRefused = "x"
        case canonical = "c"
        case title = "t"
        case description = "d"
        case contentHash = "h"
        case image = "i"
        case appArgument = "g"
        case argumentIsPage = "p"
        case knowsNoApp = "n"
        case places = "w"
    }

    /// Longer texts are only compared, by their beginnings.
    private static let maximumText = 500

    init(_ page: CrawledPage) {
        url = page.url.href
        switch page.answer {
        case .read(let status): (self.status, target, failure) = (status, nil, nil)
        case .redirected(let target): (status, self.target, failure) = (nil, target, nil)
        case .failed(let why): (status, target, failure) = (nil, nil, why)
        case .closed: (status, target, failure) = (nil, nil, nil)
        }
        isRefused = page.isRefused ? true : nil
        canonical = page.canonical?.href
        title = page.title.map { String($0.prefix(Self.maximumText)) }
        description = page.description.map { String($0.prefix(Self.maximumText)) }
        contentHash = page.contentHash
        image = page.image
        appArgument = page.appArgument
        argumentIsPage = page.argumentIsPage ? true : nil
        knowsNoApp = page.knowsNoApp ? true : nil
        let named = [
            ("t", page.titlePlace), ("d", page.descriptionPlace), ("i", page.imagePlace), ("b", page.bannerPlace),
        ]
        let found = named.compactMap { name, place in place.map { (name, KeptFinding.Place($0)) } }
        places = found.isEmpty ? nil : Dictionary(found) { first, _ in first }
    }

    func page() throws -> CrawledPage {
        guard let url = WebURL(url) else { throw ReportEntry.FormError() }
        let answer: CrawledPage.Answer =
            if let status {
                .read(status: status)
            } else if let target {
                .redirected(to: target)
            } else if let failure {
                .failed(failure)
            } else {
                .closed
            }
        var page = CrawledPage(url: url, answer: answer)
        page.isRefused = isRefused ?? false
        page.canonical = canonical.flatMap { WebURL($0) }
        page.title = title
        page.description = description
        page.contentHash = contentHash
        page.image = image
        page.appArgument = appArgument
        page.argumentIsPage = argumentIsPage ?? false
        page.knowsNoApp = knowsNoApp ?? false
        page.titlePlace = places?["t"]?.place
        page.descriptionPlace = places?["d"]?.place
        page.imagePlace = places?["i"]?.place
        page.bannerPlace = places?["b"]?.place
        return page
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
