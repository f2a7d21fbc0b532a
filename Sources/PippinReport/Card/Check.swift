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

    /// The name of a check in the code, such as `.d01`. Each check is declared, worded and judged in one place, a `CheckJudge` such as
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

    init(_ code: Code, _ group: Group, _ severity: Severity, _ title: String, problem: String, why: String) {
        self.code = code
        self.group = group
        self.severity = severity
        self.title = title
        self.problem = problem
        self.why = why
    }

    /// What the check wants, and why: `Wanted: JSON-LD is well formed. A wrong character can lose …`
    var wanted: String { "Wanted: \(title). \(why)" }
}
