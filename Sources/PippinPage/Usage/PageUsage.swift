import Foundation

/// How much text of a page may be shown or used: `nosnippet`, `max-snippet`.
public struct SnippetLimit: Sendable, Hashable {
    /// 0 for none.
    public let maximumCharacters: Int
    /// Where this is said.
    public let source: UsageSource
}

/// Whether the rights of text and data mining are reserved (TDMRep, W3C Community Group report of 10 May 2024).
public struct TDMReservation: Sendable, Hashable {
    /// Whether they are; then mining needs the owner's consent.
    public let isReserved: Bool
    /// The address of the terms under which consent is given, as written.
    public let policy: String?
    /// Where this is said.
    public var source: UsageSource
}

/// A licence for machines that a page or its site names (RSL 1.0).
public struct UsageLicense: Sendable, Hashable {
    /// The address of the licence.
    public let url: WebURL
    /// Where it is named.
    public var source: UsageSource
}

/// What files of a site say about the use of one page.
public struct SiteUsage: Sendable, Hashable {
    /// What robots.txt says.
    public var statements: [UsageStatement] = []
    /// The licences that robots.txt names.
    public var licenses: [UsageLicense] = []

    /// Nothing is said.
    public init() {}

    /// What the rules of robots.txt say about a page.
    public init(_ rules: RobotsRules, page: WebURL) {
        self.init(rules.usage(of: page), rules.licenses, page: page)
    }

    /// What a robots.txt says about a page to some agents; see `RobotsFile.decision(for:agents:)`.
    public init(_ file: RobotsFile, agents: [String], page: WebURL) {
        self.init(file.usage(of: page, agents: agents), file.licenses, page: page)
    }

    private init(_ statements: [UsageStatement], _ licenses: [RobotsLicense], page: WebURL) {
        let place = WebURL("/robots.txt", base: page)?.href
        self.statements = statements.map { statement in
            var statement = statement
            statement.source.url = place
            return statement
        }
        self.licenses = licenses.map { license in
            var source = license.source
            source.url = place
            return UsageLicense(url: license.url, source: source)
        }
    }
}

/// What a crawl is for (`purpose`).
public enum CrawlPurpose: String, Sendable, CaseIterable {
    /// Pages are found.
    case search
    /// Models answer from them.
    case answers
    /// Models are trained with them.
    case training

    /// The use that the purpose needs.
    public var use: ContentUse {
        switch self {
        case .search: .search
        case .answers: .aiInput
        case .training: .aiTrain
        }
    }
}

/// What a page may be used for, and who says so: the page, its headers, and the files of its site.
public struct PageUsage: Sendable, Hashable {
    /// What is said about each use.
    public internal(set) var preferences = UsagePreferences()
    /// How much text may be shown; nil without a limit.
    public internal(set) var snippet: SnippetLimit?
    /// Whether the rights of text and data mining are reserved; nil if nothing says so.
    public internal(set) var reservation: TDMReservation?
    /// The licences that are named, each once.
    public internal(set) var licenses: [UsageLicense] = []
    /// The selectors of parts that cost money (`hasPart` with `isAccessibleForFree` false).
    public internal(set) var paidParts: [String] = []

    /// Licences of one page that are kept.
    static let maximumLicenses = 20
    /// Paid parts that are kept. Google's example has two.
    private static let maximumPaidParts = 20

    /// Nothing is said.
    public init() {}

    /// Whether nothing is said.
    public var isEmpty: Bool {
        preferences.isEmpty && snippet == nil && reservation == nil && licenses.isEmpty && paidParts.isEmpty
    }

    /// What a job's purpose makes of it.
    public enum Consequence: Sendable, Hashable {
        /// The page may be recorded.
        case recorded
        /// It may be recorded without its text.
        case withoutText(UsageStatement)
        /// It may not be recorded.
        case refused(UsageStatement)
    }

    /// What follows for a crawl with a purpose. What nobody speaks of is no obstacle.
    public func consequence(for purpose: CrawlPurpose) -> Consequence {
        guard let statement = preferences[purpose.use], !statement.isAllowed else { return .recorded }
        return statement.extent == .text ? .withoutText(statement) : .refused(statement)
    }

    /// Reads what a page and its site say to a reader.
    ///
    /// - Parameter now: decides whether `unavailable_after` has passed.
    public init(
        _ facts: PageFacts, site: SiteUsage = SiteUsage(), reader: UsageReader = .own, now: Date,
        notes: inout [ParseNote]
    ) {
        let page = facts.source.url.href
        for statement in site.statements where reader.readsPreferences { preferences.add(statement) }
        if reader.readsPreferences {
            takeHeader(facts.source.headers, page: page, notes: &notes)
            takeReservation(facts, page: page, notes: &notes)
        }
        take(reader.agents.map { facts.directives(readBy: $0) } ?? facts.directives, reader, now: now, page: page)
        takePaywall(facts, reader, page: page)
        guard reader.readsPreferences else { return }
        for license in site.licenses { add(license) }
        for license in facts.metadata.machineLicenses {
            let address = "<\(license.url.href)>; rel=\"license\"; type=\"application/rsl+xml\""
            add(
                UsageLicense(
                    url: license.url,
                    source: license.isFromHeader
                        ? UsageSource(.licenseHeader, "Link: " + address, url: page)
                        : UsageSource(
                            .licenseLink, "<link rel=\"license\" href=\"\(license.url.href)\">", url: page)))
        }
    }

    /// What the header fields of an answer without a page say, such as 304.
    public init(headers: HTTPHeaders, agents: [String], page: WebURL, now: Date) {
        var notes: [ParseNote] = []
        takeHeader(headers, page: page.href, notes: &notes)
        if let found = Self.reservation(
            of: headers.values("tdm-reservation"), policy: headers["tdm-policy"], carrier: .tdmrepHeader,
            notes: &notes, written: { "tdm-reservation: \($0)" })
        {
            take(found, page: page.href)
        }
        take(RobotsDirectives(metas: [], headers: headers, agents: agents), .own, now: now, page: page.href)
    }

    // MARK: Adding

    /// Adds what the site's file says, if neither the page nor its headers say anything (TDMRep, precedence).
    public mutating func take(_ file: TDMReservationFile, page: WebURL) {
        if reservation == nil, let found = file.reservation(for: page) { take(found, page: page.href) }
    }

    /// Adds what a licence says that the page or its site names.
    public mutating func take(_ license: RSLDocument, page: WebURL) {
        for statement in license.statements(for: page) { preferences.add(statement) }
    }

    private mutating func add(_ license: UsageLicense) {
        guard licenses.count < Self.maximumLicenses, !licenses.contains(where: { $0.url == license.url }) else {
            return
        }
        licenses.append(license)
    }

    /// Several fields of one name are one list (RFC 9651 §4.2).
    private mutating func takeHeader(_ headers: HTTPHeaders, page: String, notes: inout [ParseNote]) {
        let values = headers.values("Content-Usage")
        guard !values.isEmpty else { return }
        let field = values.count == 1 ? values[0] : values.joined(separator: ", ")
        let words = UsageWords.contentUsage(field.utf8)
        for problem in words.problems {
            notes.append(ParseNote(.usage(.headerUnreadable), "Content-Usage: “\(field.prefix(100))”: \(problem)"))
        }
        let source = UsageSource(.contentUsageHeader, "Content-Usage: \(field.prefix(500))", url: page)
        for statement in words.statements(source) { preferences.add(statement) }
    }

    /// The header first, then the page, which overrules it (TDMRep, precedence). Silence overrules nothing.
    private mutating func takeReservation(_ facts: PageFacts, page: String, notes: inout [ParseNote]) {
        let headers = facts.source.headers
        let inHeader = Self.reservation(
            of: headers.values("tdm-reservation"), policy: headers["tdm-policy"], carrier: .tdmrepHeader,
            notes: &notes, written: { "tdm-reservation: \($0)" })
        let metas = facts.metaTags.tags.filter { $0.carriers.contains(.name) && $0.name.hasPrefix("tdm-") }
        let inPage = Self.reservation(
            of: metas.filter { $0.name == "tdm-reservation" }.map { $0.text ?? "" },
            policy: metas.first { $0.name == "tdm-policy" }?.text, carrier: .tdmrepMeta, notes: &notes,
            written: { "<meta name=\"tdm-reservation\" content=\"\($0)\">" })
        if let found = inPage ?? inHeader { take(found, page: page) }
    }

    /// Of several values the stricter counts. Others than 0 and 1 are none.
    private static func reservation(
        of values: [String], policy: String?, carrier: UsageSource.Carrier, notes: inout [ParseNote],
        written: (String) -> String
    ) -> TDMReservation? {
        var isReserved: Bool?
        for value in values.prefix(100) {
            switch value.trimmingHTMLSpace() {
            case "1": isReserved = true
            case "0": isReserved = isReserved ?? false
            default:
                notes.append(
                    ParseNote(
                        .usage(.reservationInvalid),
                        "“\(value.prefix(100))” is no value of tdm-reservation, but 0 and 1 are."))
            }
        }
        guard let isReserved else { return nil }
        let address = policy.map { UsageSource.shortened($0.trimmingHTMLSpace()) }
        return TDMReservation(
            isReserved: isReserved, policy: isReserved ? address : nil,
            source: UsageSource(carrier, written(isReserved ? "1" : "0")))
    }

    /// A reservation refuses what needs consent: mining to train models, and to answer from pages. One that is not made grants nothing:
    /// the law may still do so.
    private mutating func take(_ found: TDMReservation, page: String) {
        var found = found
        found.source.url = found.source.url ?? page
        reservation = found
        guard found.isReserved else { return }
        for use in [ContentUse.aiInput, .aiTrain] {
            preferences.add(UsageStatement(use, isAllowed: false, found.source))
        }
    }

    private mutating func take(_ directives: RobotsDirectives, _ reader: UsageReader, now: Date, page: String) {
        for statement in directives.statements {
            guard let effect = reader.effect(of: statement, now: now) else { continue }
            let source = UsageSource(statement, url: page)
            if let limit = effect.snippet, snippet.map({ limit < $0.maximumCharacters }) ?? true {
                snippet = SnippetLimit(maximumCharacters: limit, source: source)
            }
            for use in effect.refused {
                preferences.add(UsageStatement(use, isAllowed: false, extent: effect.extent, source))
            }
        }
    }

    /// The mark of the whole page counts. Parts are kept for whoever shows text of it.
    private mutating func takePaywall(_ facts: PageFacts, _ reader: UsageReader, page: String) {
        guard reader.honorsPaywalls else { return }
        let structure = facts.structuredPage
        if let text = structure.mainText("isAccessibleForFree"), SchemaOrg.boolean(text) == false {
            preferences.add(
                UsageStatement(
                    .aiInput, isAllowed: false, extent: .text,
                    UsageSource(.isAccessibleForFree, "isAccessibleForFree: \(text.prefix(20))", url: page)))
        }
        for part in structure.items(structure.mainValues("hasPart")).prefix(Self.maximumPaidParts) {
            guard let text = structure.text(part, "isAccessibleForFree"), SchemaOrg.boolean(text) == false,
                let selector = structure.text(part, "cssSelector"), !selector.isEmpty
            else { continue }
            paidParts.append(UsageSource.shortened(selector))
        }
    }
}

extension UsageSource {
    /// The source of a robots directive.
    init(_ statement: RobotsDirectives.Statement, url: String) {
        let word = statement.isNone ? "none" : statement.directive.rawValue
        let list = word + (statement.value.map { ": \($0.prefix(60))" } ?? "")
        switch statement.source {
        case .meta(let name):
            self.init(.metaRobots, "<meta name=\"\(name.prefix(40))\" content=\"\(list)\">", url: url)
        case .header(let agent):
            let list = agent.map { "\($0.prefix(40)): \(list)" } ?? list
            self.init(.robotsTagHeader, "X-Robots-Tag: \(list)", url: url)
        }
    }
}

// MARK: JSON

extension PageUsage {
    /// Writes the members of the record's `usage`. What is unknown has no member.
    func write(to writer: inout JSONWriter) {
        for statement in preferences.statements {
            writer.object(statement.use.key) { writer in
                writer.member("value", statement.isAllowed ? "allowed" : "refused")
                if statement.extent == .text { writer.member("extent", "text") }
                statement.source.write(to: &writer)
            }
        }
        if let snippet {
            writer.object("snippet") { writer in
                writer.member("maximumCharacters", snippet.maximumCharacters)
                snippet.source.write(to: &writer)
            }
        }
        if let reservation {
            writer.object("reservation") { writer in
                writer.member("isReserved", reservation.isReserved)
                writer.optional("policy", reservation.policy)
                reservation.source.write(to: &writer)
            }
        }
        if !licenses.isEmpty {
            writer.objects("licenses", licenses) { writer, license in
                writer.member("license", license.url.href)
                license.source.write(to: &writer)
            }
        }
        if !paidParts.isEmpty { writer.member("paidParts", paidParts) }
    }
}

extension ContentUse {
    /// The member of a record's `usage`.
    public var key: String {
        switch self {
        case .search: "search"
        case .aiInput: "aiInput"
        case .aiTrain: "aiTrain"
        case .aiTrainImages: "aiTrainImages"
        }
    }
}

extension UsageSource {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("carrier", carrier.rawValue)
        writer.member("text", text)
        writer.optional("line", line)
        writer.optional("url", url)
    }
}
