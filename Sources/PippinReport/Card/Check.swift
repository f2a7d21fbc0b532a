import PippinPage

/// One question that a report card answers about a page. `Check.all` lists all of them.
///
/// The identifiers are stable. Reports, the programs that read them, and `Docs/ReportCard.md` use them. `CardRules` prints
/// all checks.
public struct Check: Sendable, Identifiable {
    /// The four parts of a report card.
    public enum Group: String, Sendable, CaseIterable {
        case discoverability
        case deepLinks = "deep-links"
        case structuredData = "structured-data"
        case technical

        /// The group's heading.
        public var title: String {
            switch self {
            case .discoverability: "Discoverability"
            case .deepLinks: "Deep links"
            case .structuredData: "Structured data and presentation"
            case .technical: "Technical"
            }
        }
    }

    /// How grave it is to fail a check. A single finding may be milder or graver than its check.
    public enum Severity: String, Sendable, CaseIterable {
        /// Advice.
        case info
        /// Something works badly, or only because readers are lenient.
        case warning
        /// The page cannot be indexed, or a link cannot work.
        case error
    }

    /// What a check needs: a page that was read, only what is known of it besides (so it works for pages that could not be
    /// read), or a whole crawl (`amongPages`).
    enum Judge: Sendable {
        case page(@Sendable (PageExamination) -> [Verdict])
        case site(@Sendable (SiteExamination) -> [Verdict])
        case crawl
    }

    /// Returns what to do about a parse note; nil if nothing can be recommended. The page is nil if none was read.
    typealias NoteRemedy = @Sendable (ParseNote, PageExamination?) -> Finding.Remedy?

    /// The name of a check in the code, such as `.d01`. Each check is declared, worded and judged in one place, such as
    /// `Discoverability.d01`.
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
        case d18 = "D18"
        case d19 = "D19"
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
        case l26 = "L26"
        case l27 = "L27"
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
        case s21 = "S21"
        case s22 = "S22"
        case s23 = "S23"
        case s24 = "S24"
        case s25 = "S25"
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
        case t15 = "T15"
        case t16 = "T16"
    }

    /// The check's name in the code.
    public let code: Code
    /// The stable identifier: `D01`…`T16`.
    public var id: String { code.rawValue }
    /// The part of the report card that shows the check.
    public let group: Group
    /// How grave it is to fail the check.
    public let severity: Severity
    /// What is true if the check passes: `JSON-LD is well formed`.
    public let title: String
    /// What is true if it fails, as the heading of a finding: `JSON-LD has mistakes`.
    public let problem: String
    /// Why the check matters.
    public let why: String
    let judge: Judge
    /// What to do about a parse note that belongs to this check.
    let noteRemedy: NoteRemedy?
    /// Judges what only the other pages of a crawl can show, when the crawl has ended; nil if they do not matter.
    let amongPages: (@Sendable (CrawlExamination) -> [Verdict])?

    init(
        _ code: Code, _ group: Group, _ severity: Severity, _ title: String, problem: String, why: String,
        page judge: @escaping @Sendable (PageExamination) -> [Verdict],
        crawl amongPages: (@Sendable (CrawlExamination) -> [Verdict])? = nil, noteRemedy: NoteRemedy? = nil
    ) {
        self.init(code, group, severity, title, problem, why, .page(judge), amongPages, noteRemedy)
    }

    init(
        _ code: Code, _ group: Group, _ severity: Severity, _ title: String, problem: String, why: String,
        crawl amongPages: @escaping @Sendable (CrawlExamination) -> [Verdict]
    ) {
        self.init(code, group, severity, title, problem, why, .crawl, amongPages, nil)
    }

    init(
        _ code: Code, _ group: Group, _ severity: Severity, _ title: String, problem: String, why: String,
        site judge: @escaping @Sendable (SiteExamination) -> [Verdict], noteRemedy: NoteRemedy? = nil
    ) {
        self.init(code, group, severity, title, problem, why, .site(judge), nil, noteRemedy)
    }

    private init(
        _ code: Code, _ group: Group, _ severity: Severity, _ title: String, _ problem: String, _ why: String,
        _ judge: Judge, _ amongPages: (@Sendable (CrawlExamination) -> [Verdict])?, _ noteRemedy: NoteRemedy?
    ) {
        self.code = code
        self.group = group
        self.severity = severity
        self.title = title
        self.problem = problem
        self.why = why
        self.judge = judge
        self.amongPages = amongPages
        self.noteRemedy = noteRemedy
    }

    /// What the check wants, and why: `Wanted: JSON-LD is well formed. A wrong character can lose …`
    var wanted: String { "Wanted: \(title). \(why)" }

    /// True if the check needs more than one page.
    var asksCrawlAlone: Bool {
        if case .crawl = judge { true } else { false }
    }

    /// Every check, in the order of reports.
    public static let all: [Check] = [
        Discoverability.d01, Discoverability.d02, Discoverability.d03, Discoverability.d04, Discoverability.d05,
        Discoverability.d06, Discoverability.d07, Discoverability.d08, Discoverability.d09, AmongPages.d10,
        AmongPages.d11, AmongPages.d12, AmongPages.d13, AmongPages.d14, Discoverability.d15, Discoverability.d16,
        Discoverability.d17, Discoverability.d18, Discoverability.d19,
        DeepLinks.l01, DeepLinks.l02, DeepLinks.l03, DeepLinks.l04, DeepLinks.l05, DeepLinks.l06, DeepLinks.l07,
        DeepLinks.l08, DeepLinks.l09, DeepLinks.l10, Association.l11, Association.l12, Association.l13,
        Association.l14, Association.l15, DeepLinks.l16, DeepLinks.l17, DeepLinks.l18, DeepLinks.l19, Association.l20,
        DeepLinks.l21, Association.l22, DeepLinks.l23, Association.l24, Association.l25,
        Association.l26, DeepLinks.l27,
        Presentation.s01, Presentation.s02, Presentation.s03, Presentation.s04, StructuredDataChecks.s05,
        StructuredDataChecks.s06, StructuredDataChecks.s07, StructuredDataChecks.s08, StructuredDataChecks.s09,
        StructuredDataChecks.s10, StructuredDataChecks.s11, StructuredDataChecks.s12, StructuredDataChecks.s13,
        Presentation.s14, Presentation.s15, Presentation.s16, StructuredDataChecks.s17, Presentation.s18,
        StructuredDataChecks.s19, Presentation.s20, StructuredDataChecks.s21, StructuredDataChecks.s22,
        Presentation.s23, StructuredDataChecks.s24, StructuredDataChecks.s25,
        Technical.t01, Technical.t02, Technical.t03, Technical.t04, Technical.t05, Technical.t06, Technical.t07,
        Technical.t08, Technical.t09, Technical.t10, Technical.t11, Technical.t12, AmongPages.t13, Technical.t14,
        Technical.t15, Technical.t16,
    ]
}
