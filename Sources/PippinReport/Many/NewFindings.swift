import PippinPage

/// What a run has found that no baseline knows: errors, then warnings, then pages that could not be fetched. All are counted, and the
/// first of them are kept.
struct NewFindings: Sendable {
    struct Row: Sendable {
        /// `unknown` for a page that could not be fetched.
        let outcome: Finding.Outcome
        /// The place of the page in the run, and of the finding among those of the page.
        let position: Int
        let order: Int
        /// The page as the operator knows it, with the line if it has one.
        let page: String
        /// nil for a page that could not be fetched.
        let check: Check?
        /// Where to read about the check.
        let help: String?
        let sentence: String

        static func isGraver(_ a: Row, _ b: Row) -> Bool {
            (b.outcome, a.position, a.order) < (a.outcome, b.position, b.order)
        }
    }

    /// What someone reads below a merge request; and GitHub takes a megabyte of all steps.
    static let maximumRows = 50
    private static let maximumText = 300

    /// The gravest first, then in the order of the run.
    private(set) var rows: [Row] = []
    /// Errors and warnings, with those that cards count without listing them; pages that could not be fetched are `unknown`.
    private(set) var counts = ReportCard.Counts()

    /// Adds a page. The order of adding does not matter.
    mutating func add(_ page: NamedCard, at position: Int) {
        if let trouble = page.trouble {
            counts.count(.unknown)
            return keep(
                Row(
                    outcome: .unknown, position: position, order: 0, page: Self.cut(page.name), check: nil, help: nil,
                    sentence: Self.cut(trouble)))
        }
        guard let card = page.card else { return }
        let new = card.counts(onlyNew: true)
        counts.count(.error, times: new.error)
        counts.count(.warning, times: new.warning)
        for (order, finding) in card.findingsBySeverity.enumerated() where finding.fails(from: .warning) {
            let line = finding.place.flatMap { $0.source == .markup ? $0.line : nil }
            keep(
                Row(
                    outcome: finding.outcome, position: position, order: order,
                    page: Self.cut(page.name) + (line.map { ":\($0)" } ?? ""), check: finding.check,
                    help: finding.check.helpURL(docs: card.treatment.docs),
                    sentence: Self.cut(card.shown(finding.sentence))))
        }
    }

    private mutating func keep(_ row: Row) {
        if rows.count >= Self.maximumRows, let last = rows.last, !Row.isGraver(row, last) { return }
        rows.insert(row, at: rows.firstIndex { Row.isGraver(row, $0) } ?? rows.count)
        if rows.count > Self.maximumRows { rows.removeLast() }
    }

    private static func cut(_ text: String) -> String {
        text.count > maximumText ? text.prefix(maximumText) + "…" : text
    }

    /// The counts as words: `1 error, 2 warnings, 1 page could not be fetched`; empty if there is nothing.
    static func words(_ counts: ReportCard.Counts) -> String {
        var parts: [String] = []
        if counts.error > 0 { parts.append(Wording.count(counts.error, "error")) }
        if counts.warning > 0 { parts.append(Wording.count(counts.warning, "warning")) }
        if counts.unknown > 0 { parts.append("\(Wording.count(counts.unknown, "page")) could not be fetched") }
        return parts.joined(separator: ", ")
    }
}
