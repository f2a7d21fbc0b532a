import PippinPage

/// A check with the functions that answer it. `CheckJudge.all` lists all of them.
struct CheckJudge: Sendable {
    /// Answers the check from a page that was read, or only from what is known of it besides (so it works for pages that could
    /// not be read). `crawl`: only `amongPages` does.
    enum Answer: Sendable {
        case page(@Sendable (PageExamination) -> [Verdict])
        case site(@Sendable (SiteExamination) -> [Verdict])
        case crawl
    }

    /// Returns what to do about a parse note; nil if nothing can be recommended. The page is nil if none was read.
    typealias NoteRemedy = @Sendable (ParseNote, PageExamination?) -> Finding.Remedy?

    let check: Check
    let answer: Answer
    /// What to do about a parse note that belongs to this check.
    let noteRemedy: NoteRemedy?
    /// Judges what only the other pages of a crawl can show, when the crawl has ended; nil if they do not matter.
    let amongPages: (@Sendable (CrawlExamination) -> [Verdict])?

    init(
        _ code: Check.Code, _ group: Check.Group, _ severity: Check.Severity, _ title: String, problem: String,
        why: String,
        page answer: @escaping @Sendable (PageExamination) -> [Verdict],
        crawl amongPages: (@Sendable (CrawlExamination) -> [Verdict])? = nil, noteRemedy: NoteRemedy? = nil
    ) {
        self.init(code, group, severity, title, problem, why, .page(answer), amongPages, noteRemedy)
    }

    init(
        _ code: Check.Code, _ group: Check.Group, _ severity: Check.Severity, _ title: String, problem: String,
        why: String,
        crawl amongPages: @escaping @Sendable (CrawlExamination) -> [Verdict]
    ) {
        self.init(code, group, severity, title, problem, why, .crawl, amongPages, nil)
    }

    init(
        _ code: Check.Code, _ group: Check.Group, _ severity: Check.Severity, _ title: String, problem: String,
        why: String,
        site answer: @escaping @Sendable (SiteExamination) -> [Verdict], noteRemedy: NoteRemedy? = nil
    ) {
        self.init(code, group, severity, title, problem, why, .site(answer), nil, noteRemedy)
    }

    /// A check of the operator.
    init(_ own: OwnCheck) {
        check = own.check
        answer = .page(own.verdicts)
        noteRemedy = nil
        amongPages = nil
    }

    private init(
        _ code: Check.Code, _ group: Check.Group, _ severity: Check.Severity, _ title: String, _ problem: String,
        _ why: String,
        _ answer: Answer, _ amongPages: (@Sendable (CrawlExamination) -> [Verdict])?, _ noteRemedy: NoteRemedy?
    ) {
        check = Check(code, group, severity, title, problem: problem, why: why)
        self.answer = answer
        self.amongPages = amongPages
        self.noteRemedy = noteRemedy
    }

    /// True if the check needs more than one page.
    var asksCrawlAlone: Bool {
        if case .crawl = answer { true } else { false }
    }

    /// Every check of a card, in the order of reports: all of ours, then the operator's own.
    static func all(with own: [OwnCheck]) -> [CheckJudge] { own.isEmpty ? all : all + own.map { CheckJudge($0) } }

    /// Every check of ours, in the order of reports.
    static let all: [CheckJudge] = [
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

extension Check {
    /// Every check of ours, in the order of reports.
    public static let all: [Check] = CheckJudge.all.map(\.check)

    /// The index of each check in `all`, by identifier.
    static let index: [String: Int] = Dictionary(
        uniqueKeysWithValues: all.enumerated().map { ($0.element.id, $0.offset) })

    static func withID(_ id: String) -> Check? { index[id].map { all[$0] } }
}

extension ReportCard {
    /// The checks of the card, in the order of reports: all of ours, then the operator's own.
    var checks: [Check] { options.ownChecks.isEmpty ? Check.all : Check.all + options.ownChecks.map(\.check) }

    /// The parts of the card.
    var groups: [Check.Group] { checks.groups }
}

extension [Check] {
    /// The groups of these checks, in the order of reports.
    var groups: [Check.Group] { Check.Group.allCases.filter { group in contains { $0.group == group } } }
}
