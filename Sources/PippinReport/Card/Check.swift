/// One question that a report card answers about a page. `Check.all` lists all of them.
///
/// Those of the operator (`OwnCheck`) follow on them: `ReportCard.checks` has both.
///
/// The identifiers are stable. Reports, the programs that read them, and `Docs/ReportCard.md` use them. `CardRules` prints
/// all checks.
public struct Check: Sendable, Identifiable {
    /// The parts of a report card.
    public enum Group: String, Sendable, CaseIterable {
        case discoverability
        case deepLinks = "deep-links"
        case structuredData = "structured-data"
        case technical
        /// The operator's own checks; only cards with some have it.
        case custom

        /// The group's heading.
        public var title: String {
            switch self {
            case .discoverability: "Discoverability"
            case .deepLinks: "Deep links"
            case .structuredData: "Structured data and presentation"
            case .technical: "Technical"
            case .custom: "Checks of your own"
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

    /// The name of a check in the code, such as `.d01`. Each check is declared, worded and judged in one place, a `CheckJudge` such as
    /// `Discoverability.d01`.
    /// Others are the names of the operator's own.
    public struct Code: Sendable, Hashable {
        public let rawValue: String

        init(_ rawValue: String) { self.rawValue = rawValue }

        static let d01 = Code("D01")
        static let d02 = Code("D02")
        static let d03 = Code("D03")
        static let d04 = Code("D04")
        static let d05 = Code("D05")
        static let d06 = Code("D06")
        static let d07 = Code("D07")
        static let d08 = Code("D08")
        static let d09 = Code("D09")
        static let d10 = Code("D10")
        static let d11 = Code("D11")
        static let d12 = Code("D12")
        static let d13 = Code("D13")
        static let d14 = Code("D14")
        static let d15 = Code("D15")
        static let d16 = Code("D16")
        static let d17 = Code("D17")
        static let d18 = Code("D18")
        static let d19 = Code("D19")
        static let l01 = Code("L01")
        static let l02 = Code("L02")
        static let l03 = Code("L03")
        static let l04 = Code("L04")
        static let l05 = Code("L05")
        static let l06 = Code("L06")
        static let l07 = Code("L07")
        static let l08 = Code("L08")
        static let l09 = Code("L09")
        static let l10 = Code("L10")
        static let l11 = Code("L11")
        static let l12 = Code("L12")
        static let l13 = Code("L13")
        static let l14 = Code("L14")
        static let l15 = Code("L15")
        static let l16 = Code("L16")
        static let l17 = Code("L17")
        static let l18 = Code("L18")
        static let l19 = Code("L19")
        static let l20 = Code("L20")
        static let l21 = Code("L21")
        static let l22 = Code("L22")
        static let l23 = Code("L23")
        static let l24 = Code("L24")
        static let l25 = Code("L25")
        static let l26 = Code("L26")
        static let l27 = Code("L27")
        static let s01 = Code("S01")
        static let s02 = Code("S02")
        static let s03 = Code("S03")
        static let s04 = Code("S04")
        static let s05 = Code("S05")
        static let s06 = Code("S06")
        static let s07 = Code("S07")
        static let s08 = Code("S08")
        static let s09 = Code("S09")
        static let s10 = Code("S10")
        static let s11 = Code("S11")
        static let s12 = Code("S12")
        static let s13 = Code("S13")
        static let s14 = Code("S14")
        static let s15 = Code("S15")
        static let s16 = Code("S16")
        static let s17 = Code("S17")
        static let s18 = Code("S18")
        static let s19 = Code("S19")
        static let s20 = Code("S20")
        static let s21 = Code("S21")
        static let s22 = Code("S22")
        static let s23 = Code("S23")
        static let s24 = Code("S24")
        static let s25 = Code("S25")
        static let t01 = Code("T01")
        static let t02 = Code("T02")
        static let t03 = Code("T03")
        static let t04 = Code("T04")
        static let t05 = Code("T05")
        static let t06 = Code("T06")
        static let t07 = Code("T07")
        static let t08 = Code("T08")
        static let t09 = Code("T09")
        static let t10 = Code("T10")
        static let t11 = Code("T11")
        static let t12 = Code("T12")
        static let t13 = Code("T13")
        static let t14 = Code("T14")
        static let t15 = Code("T15")
        static let t16 = Code("T16")
    }

    /// The check's name in the code.
    public let code: Code
    /// The stable identifier: `D01`…`T16`, or the name of an own check.
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
    /// What to do, of a check of the operator's own; `CheckGuide` has it of the others.
    let ownFix: String?

    init(
        _ code: Code, _ group: Group, _ severity: Severity, _ title: String, problem: String, why: String,
        ownFix: String? = nil
    ) {
        self.code = code
        self.group = group
        self.severity = severity
        self.title = title
        self.problem = problem
        self.why = why
        self.ownFix = ownFix
    }

    /// What the check wants, and why: `Wanted: JSON-LD is well formed. A wrong character can lose …`
    var wanted: String { "Wanted: \(title). \(why)" }
}
