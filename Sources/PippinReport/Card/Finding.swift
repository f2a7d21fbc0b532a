import PippinPage

/// The answer to one check: what was seen, where, and what to do about it.
public struct Finding: Sendable {
    /// The grade of a finding, from the mildest to the gravest.
    public enum Outcome: String, Sendable, CaseIterable, Comparable {
        case pass
        /// It cannot be seen from here. The sentence says why.
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
        /// The page's markup, a response header, another file (a robots.txt, an association file), or the fetch itself.
        public enum Source: String, Sendable, CaseIterable, Codable {
            case markup, header, file, fetch
        }

        /// Where to look.
        public let source: Source
        /// The part of the source: `meta apple-itunes-app`, `X-Robots-Tag`, the URL of a file.
        public let name: String
        /// Line and column in the decoded text, from 1; nil if the place has none.
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

        static func markup(_ name: String, _ place: SourcePlace?) -> Place {
            Place(.markup, name, line: place?.line, column: place?.column)
        }

        /// The short names in which a job stores places.
        enum CodingKeys: String, CodingKey {
            case source = "s"
            case name = "n"
            case line = "l"
            case column = "c"
        }
    }

    /// How to fix the problem.
    struct Remedy: Sendable, Hashable {
        /// What to do, as a sentence.
        let text: String
        /// Markup or text to paste, filled with the page's own values as far as they are known; nil if there is none.
        let code: String?

        init(_ text: String, code: String? = nil) {
            self.text = text
            self.code = code
        }
    }

    /// The check that made the finding.
    public let check: Check
    /// The grade of the finding.
    public let outcome: Outcome
    /// What was seen, with its value, as a sentence.
    public let sentence: String
    /// Where it was seen; nil if it has no one place.
    public let place: Place?
    /// How to fix it; nil if nothing is wrong or nothing can be recommended.
    let remedy: Remedy?
    /// The code of the parse note that the finding was made of; nil if it was made of none.
    let noteCode: ParseNote.Code?
    /// Counts of findings of the check that are not listed. The finding that was last in the list when it was cut has them; a crawl
    /// may add graver ones before it and milder ones behind it. None of those counted is graver than the finding.
    var unlisted: ReportCard.Counts
    /// Whether a baseline knows the finding, so that it fails nothing.
    var isKnown = false

    init(_ check: Check, _ verdict: Verdict) {
        self.check = check
        outcome = verdict.outcome
        sentence = verdict.sentence
        place = verdict.place
        remedy = verdict.remedy
        noteCode = verdict.noteCode
        unlisted = verdict.unlisted
    }

    /// The finding with another outcome, which its unlisted findings get too.
    func graded(_ outcome: Outcome) -> Finding {
        var verdict = Verdict(outcome, sentence, at: place, remedy, noteCode: noteCode)
        verdict.unlisted = unlisted.graded(outcome)
        var finding = Finding(check, verdict)
        finding.isKnown = isKnown
        return finding
    }

    /// What was seen and what to do, with what to paste below.
    var sentenceWithRemedy: String {
        guard let remedy else { return sentence }
        return "\(sentence) \(remedy.text)" + (remedy.code.map { "\n" + $0 } ?? "")
    }

    /// Whether it makes a run fail.
    public func fails(from threshold: Outcome) -> Bool { outcome >= threshold && !isKnown }
}

/// What a check's function returns. `ReportCard` makes a `Finding` of it. A check that returns no verdict does not apply to
/// the page.
struct Verdict: Sendable {
    var outcome: Finding.Outcome
    var sentence: String
    var place: Finding.Place?
    var remedy: Finding.Remedy?
    var noteCode: ParseNote.Code?
    /// Counts of verdicts that are not listed, see `Finding.unlisted`.
    var unlisted = ReportCard.Counts()

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

    /// The verdict with the code of a parse note. The note says the same, and is then left out.
    func inPlaceOf(note code: ParseNote.Code) -> Verdict {
        var verdict = self
        verdict.noteCode = code
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

/// A finding or verdict: it has an outcome, and may carry the counts of others that are not listed.
protocol Graded {
    var outcome: Finding.Outcome { get }
    var unlisted: ReportCard.Counts { get set }
}

extension Finding: Graded {}
extension Verdict: Graded {}

extension Array where Element: Graded {
    /// Sorts by outcome, the gravest first and equal ones in their order, and cuts the list. The last listed element gets the
    /// counts of those that were cut off.
    func gravest(upTo maximum: Int) -> [Element] {
        let sorted = Finding.Outcome.allCases.sorted(by: >).flatMap { outcome in filter { $0.outcome == outcome } }
        guard sorted.count > maximum, maximum > 0 else { return sorted }
        var listed = Array(sorted.prefix(maximum))
        for left in sorted.dropFirst(maximum) {
            listed[maximum - 1].unlisted.count(left.outcome)
            listed[maximum - 1].unlisted.add(left.unlisted)
        }
        return listed
    }
}

extension Check.Severity {
    /// The outcome of a finding that is as grave.
    var outcome: Finding.Outcome {
        switch self {
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
