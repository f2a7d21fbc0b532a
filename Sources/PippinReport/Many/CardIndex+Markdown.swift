// A run as a section of Markdown, for a summary in GitHub or a comment in GitLab.

import PippinPage

extension CardIndex {
    /// The totals, what is new in a table, and how much more there is.
    public var markdown: String {
        var text = "### Pippin: \(Markdown.text(headline))\n\n"
        let new = newFindings.counts
        let adjective = baseline == nil ? "" : "new: "
        text +=
            new.isEmpty
            ? (baseline == nil ? "Nothing to fix.\n" : "Nothing new.\n")
            : "**\(adjective)\(NewFindings.words(new))**\n"
        if !newFindings.rows.isEmpty {
            text += "\n| | Page | Check | What was seen |\n| --- | --- | --- | --- |\n"
            var left = new
            for row in newFindings.rows {
                left.count(row.outcome, times: -1)
                let grade = row.outcome == .unknown ? "not fetched" : row.outcome.rawValue
                let check =
                    row.check.map { check in
                        (row.help.map { "[\(check.id)](<\($0)>)" } ?? check.id) + " " + Markdown.text(check.problem)
                    } ?? ""
                text += "| \(grade) | \(Markdown.code(row.page)) | \(check) | \(Markdown.code(row.sentence)) |\n"
            }
            if !left.isEmpty { text += "\nAnd more: \(NewFindings.words(left)).\n" }
        }
        if let comparison { text += "\n\(Markdown.text(comparison.headline))\n" }
        if let treatmentNote { text += "\n\(Markdown.text(treatmentNote))\n" }
        return text + "\n"
    }
}
