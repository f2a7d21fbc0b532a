/// One question that a report card asks of a page: `Check.all` lists them.
///
/// The identifiers are stable: they stand in reports, in tools that read them and in `Docs/ReportCard.md`.
public struct Check: Sendable, Identifiable {
    public enum Group: String, Sendable, CaseIterable {
        case discoverability
        case deepLinks = "deep-links"
        case structuredData = "structured-data"
        case technical

        public var title: String {
            switch self {
            case .discoverability: "Discoverability"
            case .deepLinks: "Deep links"
            case .structuredData: "Structured data and presentation"
            case .technical: "Technical"
            }
        }
    }

    /// What a failed check means. A finding may be milder or graver than its check, by what was seen.
    public enum Severity: String, Sendable, CaseIterable {
        /// Advice.
        case info
        /// Works badly, or only because readers are lenient.
        case warning
        /// The page cannot be indexed, or a link cannot work.
        case error
    }

    /// How a check is made: of a page that was read, of what is known about it even where it could not be, or of a whole
    /// crawl alone (`amongPages`).
    enum Judge: Sendable {
        case page(@Sendable (PageExamination) -> [Verdict])
        case site(@Sendable (SiteExamination) -> [Verdict])
        case crawl
    }

    /// `D01`…`T14`.
    public let id: String
    public let group: Group
    public let severity: Severity
    /// What is so when the check passes.
    public let title: String
    /// Why it matters.
    public let why: String
    let judge: Judge
    /// What only the other pages of a crawl can tell: judged when it has ended.
    let amongPages: (@Sendable (CrawlExamination) -> [Verdict])?

    init(
        _ id: String, _ group: Group, _ severity: Severity, _ title: String, why: String,
        page judge: @escaping @Sendable (PageExamination) -> [Verdict],
        crawl amongPages: (@Sendable (CrawlExamination) -> [Verdict])? = nil
    ) {
        self.init(id, group, severity, title, why: why, judge: .page(judge), amongPages: amongPages)
    }

    init(
        _ id: String, _ group: Group, _ severity: Severity, _ title: String, why: String,
        crawl amongPages: @escaping @Sendable (CrawlExamination) -> [Verdict]
    ) {
        self.init(id, group, severity, title, why: why, judge: .crawl, amongPages: amongPages)
    }

    init(
        _ id: String, _ group: Group, _ severity: Severity, _ title: String, why: String,
        site judge: @escaping @Sendable (SiteExamination) -> [Verdict]
    ) {
        self.init(id, group, severity, title, why: why, judge: .site(judge), amongPages: nil)
    }

    private init(
        _ id: String, _ group: Group, _ severity: Severity, _ title: String, why: String, judge: Judge,
        amongPages: (@Sendable (CrawlExamination) -> [Verdict])?
    ) {
        self.id = id
        self.group = group
        self.severity = severity
        self.title = title
        self.why = why
        self.judge = judge
        self.amongPages = amongPages
    }

    /// Whether a page alone says nothing of it.
    var asksCrawlAlone: Bool {
        if case .crawl = judge { true } else { false }
    }

    /// Every check, in the order of reports.
    public static let all: [Check] =
        discoverabilityChecks + deepLinkChecks + structuredDataChecks + technicalChecks
}
