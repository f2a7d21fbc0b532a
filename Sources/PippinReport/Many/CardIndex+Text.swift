import PippinPage

// Many report cards for a terminal: a line for each page, its findings below, and at the end what is to mend everywhere.

extension NamedCard {
    /// The page among others: its line, then its findings from advice on.
    func listing(_ extent: CardSeries.TextExtent, color: Bool, failingFrom threshold: Finding.Outcome) -> String {
        if extent.isQuiet, trouble == nil, !fails(from: threshold) { return "" }
        var text = ReportText(color: color)
        let counts = card?.counts() ?? ReportCard.Counts()
        var line = name
        if let trouble {
            line += "  could not be had: \(trouble)"
        } else {
            let summary = ReportCard.problems(of: counts)
            line += "  " + (summary.isEmpty ? "in order" : summary)
            if let card, card.knownCount > 0 { line += ", \(card.knownCount) known" }
            if let card, card.ignoredCount > 0 { line += ", \(card.ignoredCount) ignored" }
        }
        if extent.isBrief, trouble == nil, let card {
            let failed = card.findings.filter { $0.outcome >= .warning && !(extent.isQuiet && $0.isKnown) }
            var seen = Set<String>()
            let checks = failed.map(\.check.id).filter { seen.insert($0).inserted }
            if !checks.isEmpty { line += "  " + checks.joined(separator: " ") }
        }
        text.line(trouble == nil ? counts.verdict : .unknown, card?.shown(line) ?? line)
        if !extent.isBrief, let card {
            for finding in card.findingsBySeverity
            where finding.outcome >= .info && (!extent.isQuiet || finding.fails(from: threshold)) {
                text.add(finding, card.sources.excerpt(of: finding.place))
            }
            text.line("")
        }
        let written = text.lines.joined(separator: "\n") + "\n"
        return card?.shown(written) ?? written
    }
}

extension ReportCard {
    /// The findings that ask for something: `2 errors, 1 warning, 3 advice`.
    static func problems(of counts: Counts) -> String {
        var parts: [String] = []
        if counts.error > 0 { parts.append(Wording.count(counts.error, "error")) }
        if counts.warning > 0 { parts.append(Wording.count(counts.warning, "warning")) }
        if counts.info > 0 { parts.append("\(counts.info) advice") }
        return parts.joined(separator: ", ")
    }
}

extension CardIndex {
    /// The most checks of the summary.
    private static let maximumListed = 20

    /// The totals of all pages.
    func text(_ extent: CardSeries.TextExtent, color: Bool) -> String {
        var text = ReportText(color: color)
        if extent.isBrief || extent.isQuiet, count > 0 { text.line("") }
        text.line(headline)
        let shown = checks.filter { $0.pages.gravest >= .warning }
        if !extent.isQuiet {
            for total in shown.prefix(Self.maximumListed) {
                let count = total.pages.error + total.pages.warning
                let pages = Wording.count(count, "page")
                let padding = String(repeating: " ", count: max(1, 12 - pages.count))
                text.line(total.pages.gravest, "\(pages)\(padding)\(total.check.id)  \(total.check.problem)")
            }
            if shown.count > Self.maximumListed { text.line("  and \(shown.count - Self.maximumListed) more checks") }
        }
        if let treatmentNote { text.wrapped("", treatmentNote) }
        return text.lines.joined(separator: "\n") + "\n"
    }
}
