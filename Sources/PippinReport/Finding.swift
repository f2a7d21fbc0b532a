import PippinPage

/// The answer to one check: what was seen, where, and what to do about it.
public struct Finding: Sendable {
    public enum Outcome: String, Sendable, CaseIterable, Comparable {
        case pass
        /// It cannot be seen from here; the sentence says why.
        case unknown
        case info, warning, error

        public static func < (a: Outcome, b: Outcome) -> Bool { a.rank < b.rank }

        private var rank: Int {
            switch self {
            case .pass: 0
            case .unknown: 1
            case .info: 2
            case .warning: 3
            case .error: 4
            }
        }
    }

    /// Where something was seen.
    public struct Place: Sendable, Hashable, Codable {
        public enum Source: String, Sendable, CaseIterable, Codable {
            case markup, header, file, fetch
        }

        public let source: Source
        /// What in the source: `meta apple-itunes-app`, `X-Robots-Tag`, the URL of a file.
        public let name: String
        /// 1-based, in the decoded text.
        public let line: Int?
        public let column: Int?

        public init(_ source: Source, _ name: String, line: Int? = nil, column: Int? = nil) {
            self.source = source
            self.name = name
            self.line = line
            self.column = column
        }

        static func markup(_ name: String, line: Int?, column: Int? = nil) -> Place {
            Place(.markup, name, line: line, column: column)
        }

        /// As a job keeps it.
        enum CodingKeys: String, CodingKey {
            case source = "s"
            case name = "n"
            case line = "l"
            case column = "c"
        }
    }

    /// How to mend it.
    public struct Remedy: Sendable, Hashable {
        public let text: String
        /// To paste, filled with the page's own values where they are known.
        public let code: String?

        public init(_ text: String, code: String? = nil) {
            self.text = text
            self.code = code
        }
    }

    public let check: Check
    public let outcome: Outcome
    /// What was seen, with the value.
    public let sentence: String
    public let place: Place?
    public let remedy: Remedy?
    /// Code of the parse note that the finding was made of.
    public let noteCode: ParseNote.Code?
    /// Said of the page alone, until the crawl has ended and its other pages are known.
    let isProvisional: Bool

    init(_ check: Check, _ verdict: Verdict) {
        self.check = check
        outcome = verdict.outcome
        sentence = verdict.sentence
        place = verdict.place
        remedy = verdict.remedy
        noteCode = verdict.noteCode
        isProvisional = verdict.isProvisional
    }
}

extension Finding {
    /// A finding as a job keeps it, the check by its identifier.
    struct Kept: Codable {
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
            place = finding.place
            remedy = finding.remedy?.text
            code = finding.remedy?.code
            note = finding.noteCode
            isProvisional = finding.isProvisional ? true : nil
        }
    }

    /// Nil of a check that this version does not know.
    init?(_ kept: Kept) {
        guard let check = Check.withID(kept.check), let outcome = Outcome(rawValue: kept.outcome) else { return nil }
        var verdict = Verdict(
            outcome, kept.sentence, at: kept.place, kept.remedy.map { Remedy($0, code: kept.code) }, noteCode: kept.note
        )
        verdict.isProvisional = kept.isProvisional ?? false
        self.init(check, verdict)
    }
}

/// What a check's function answers; `ReportCard` makes a `Finding` of it. No verdict at all: the page has nothing that
/// the question is about.
struct Verdict: Sendable {
    var outcome: Finding.Outcome
    var sentence: String
    var place: Finding.Place?
    var remedy: Finding.Remedy?
    var noteCode: ParseNote.Code?
    var isProvisional = false

    init(
        _ outcome: Finding.Outcome, _ sentence: String, at place: Finding.Place? = nil,
        _ remedy: Finding.Remedy? = nil, noteCode: ParseNote.Code? = nil
    ) {
        self.outcome = outcome
        self.sentence = sentence
        self.place = place
        self.remedy = remedy
        self.noteCode = noteCode
    }

    /// Says what this parse note says, which is then not told again.
    func inPlaceOf(note code: ParseNote.Code) -> Verdict {
        var verdict = self
        verdict.noteCode = code
        return verdict
    }

    /// What the whole crawl shows takes its place.
    var untilCrawlEnds: Verdict {
        var verdict = self
        verdict.isProvisional = true
        return verdict
    }

    static func pass(_ sentence: String, at place: Finding.Place? = nil) -> Verdict {
        Verdict(.pass, sentence, at: place)
    }

    static func unknown(_ sentence: String) -> Verdict { Verdict(.unknown, sentence) }

    static func info(_ sentence: String, at place: Finding.Place? = nil, _ remedy: Finding.Remedy? = nil) -> Verdict {
        Verdict(.info, sentence, at: place, remedy)
    }

    static func warning(
        _ sentence: String, at place: Finding.Place? = nil, _ remedy: Finding.Remedy? = nil
    ) -> Verdict {
        Verdict(.warning, sentence, at: place, remedy)
    }

    static func error(_ sentence: String, at place: Finding.Place? = nil, _ remedy: Finding.Remedy? = nil) -> Verdict {
        Verdict(.error, sentence, at: place, remedy)
    }
}
