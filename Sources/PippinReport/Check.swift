import PippinPage

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

    /// The name of a check in the program: `.d01`; `Check.all` has a row for each.
    public enum Code: String, Sendable, CaseIterable {
        case d01 = "D01"
        case d02 = "D02"
        case d03 = "D03"
        case d04 = "D04"
        case d05 = "D05"
        case d06 = "D06"
        case d07 = "D07"
        case d08 = "D08"
        case d09 = "D09"
        case d10 = "D10"
        case d11 = "D11"
        case d12 = "D12"
        case d13 = "D13"
        case d14 = "D14"
        case d15 = "D15"
        case d16 = "D16"
        case d17 = "D17"
        case l01 = "L01"
        case l02 = "L02"
        case l03 = "L03"
        case l04 = "L04"
        case l05 = "L05"
        case l06 = "L06"
        case l07 = "L07"
        case l08 = "L08"
        case l09 = "L09"
        case l10 = "L10"
        case l11 = "L11"
        case l12 = "L12"
        case l13 = "L13"
        case l14 = "L14"
        case l15 = "L15"
        case l16 = "L16"
        case l17 = "L17"
        case l18 = "L18"
        case l19 = "L19"
        case l20 = "L20"
        case l21 = "L21"
        case l22 = "L22"
        case l23 = "L23"
        case l24 = "L24"
        case l25 = "L25"
        case s01 = "S01"
        case s02 = "S02"
        case s03 = "S03"
        case s04 = "S04"
        case s05 = "S05"
        case s06 = "S06"
        case s07 = "S07"
        case s08 = "S08"
        case s09 = "S09"
        case s10 = "S10"
        case s11 = "S11"
        case s12 = "S12"
        case s13 = "S13"
        case s14 = "S14"
        case s15 = "S15"
        case s16 = "S16"
        case s17 = "S17"
        case s18 = "S18"
        case s19 = "S19"
        case s20 = "S20"
        case t01 = "T01"
        case t02 = "T02"
        case t03 = "T03"
        case t04 = "T04"
        case t05 = "T05"
        case t06 = "T06"
        case t07 = "T07"
        case t08 = "T08"
        case t09 = "T09"
        case t10 = "T10"
        case t11 = "T11"
        case t12 = "T12"
        case t13 = "T13"
        case t14 = "T14"
    }

    public let code: Code
    /// `D01`…`T14`.
    public var id: String { code.rawValue }
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
        _ code: Code, _ group: Group, _ severity: Severity, _ title: String, why: String,
        page judge: @escaping @Sendable (PageExamination) -> [Verdict],
        crawl amongPages: (@Sendable (CrawlExamination) -> [Verdict])? = nil
    ) {
        self.init(code, group, severity, title, why: why, judge: .page(judge), amongPages: amongPages)
    }

    init(
        _ code: Code, _ group: Group, _ severity: Severity, _ title: String, why: String,
        crawl amongPages: @escaping @Sendable (CrawlExamination) -> [Verdict]
    ) {
        self.init(code, group, severity, title, why: why, judge: .crawl, amongPages: amongPages)
    }

    init(
        _ code: Code, _ group: Group, _ severity: Severity, _ title: String, why: String,
        site judge: @escaping @Sendable (SiteExamination) -> [Verdict]
    ) {
        self.init(code, group, severity, title, why: why, judge: .site(judge), amongPages: nil)
    }

    private init(
        _ code: Code, _ group: Group, _ severity: Severity, _ title: String, why: String, judge: Judge,
        amongPages: (@Sendable (CrawlExamination) -> [Verdict])?
    ) {
        self.code = code
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
