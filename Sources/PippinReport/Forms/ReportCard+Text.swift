// The report card for a terminal: 100 columns, the gravest findings first, colors on request.

import PippinPage

extension ReportCard {
    /// The card as text.
    ///
    /// - Parameters:
    ///   - color: whether to write ANSI colors, for a terminal that shows them.
    ///   - listsKnown: whether to write what the baseline knows; otherwise only its number.
    public func text(color: Bool = false, listsKnown: Bool = false) -> String {
        var text = ReportText(color: color)
        text.line("Report card: \(name)")
        if let title = record?.title { text.line("  " + Wording.quoted(title, to: 90)) }
        text.line("  " + audience)
        if let treatmentNote {
            text.wrapped("  ", treatmentNote + (!listsKnown && knownCount > 0 ? " --verbose lists what is known." : ""))
        }
        if !isAddressKnown { text.wrapped("  ", Self.unknownAddressNote) }
        text.line("")
        for group in judgedGroups {
            let counts = counts(of: group)
            text.line(counts.verdict, "\(group.title.padded(to: 34))\(Self.summary(of: counts))")
        }
        let sorted = findingsBySeverity
        for finding in sorted where finding.outcome >= .info && (listsKnown || !finding.isKnown) {
            text.add(finding, sources.excerpt(of: finding.place))
        }
        let unknown = sorted.filter { $0.outcome == .unknown }
        if !unknown.isEmpty {
            text.line("")
            text.line("Not seen from here")
            for (sentence, checks) in Self.grouped(unknown) {
                text.wrapped("  ? ", checks.joined(separator: " ") + "  " + sentence)
            }
        }
        let passed = sorted.filter { $0.outcome == .pass }
        if !passed.isEmpty {
            text.line("")
            text.line("In order")
            for finding in passed { text.wrapped("  ✓ ", "\(finding.check.id)  \(finding.sentence)") }
        }
        if let comparison = treatment.comparison, !comparison.gone.isEmpty {
            text.line("")
            text.line("Gone since the earlier result")
            for gone in comparison.gone {
                let times = gone.count > 1 ? "\(gone.count) × " : ""
                text.wrapped("  ✓ ", "\(gone.check)  \(times)\(gone.message)")
            }
        }
        addUsage(to: &text)
        addRendering(to: &text)
        if !items.items.isEmpty {
            text.line("")
            text.line("Structured data")
            for line in items.lines(upTo: 40) { text.line(line) }
        }
        if !traces.isEmpty {
            text.line("")
            text.line("How the association file was matched")
            for trace in traces { text.add(trace) }
        }
        if !notApplicable.isEmpty {
            text.line("")
            text.wrapped("", "Nothing of the kind on this page: " + notApplicable.map(\.id).joined(separator: " "))
        }
        return shown(text.lines.joined(separator: "\n") + "\n")
    }

    /// How the page was judged, as a sentence: as which reader, and for which app.
    var audience: String {
        var parts = ["Judged as \(options.profile.crawler.name) would read it"]
        if options.isMobile { parts[0] += ", on a phone" }
        if let app = options.appIdentifier { parts.append("for the app \(app)") }
        if let id = options.appStoreIdentifier { parts.append("App Store ID \(id)") }
        return parts.joined(separator: ", ") + "."
    }

    static func summary(of counts: Counts) -> String {
        var parts: [String] = []
        if counts.error > 0 { parts.append(Wording.count(counts.error, "error")) }
        if counts.warning > 0 { parts.append(Wording.count(counts.warning, "warning")) }
        if counts.info > 0 { parts.append("\(counts.info) advice") }
        if counts.pass > 0 { parts.append("\(counts.pass) in order") }
        if counts.unknown > 0 { parts.append("\(counts.unknown) not seen") }
        return parts.joined(separator: ", ")
    }

    /// Checks that could not be made, grouped by their reason.
    static func grouped(_ findings: [Finding]) -> [(sentence: String, checks: [String])] {
        var groups: [(sentence: String, checks: [String])] = []
        for finding in findings {
            if let index = groups.firstIndex(where: { $0.sentence == finding.sentence }) {
                groups[index].checks.append(finding.check.id)
            } else {
                groups.append((finding.sentence, [finding.check.id]))
            }
        }
        return groups
    }
}

extension Finding {
    /// The counts of unlisted findings as a sentence: `S05 has more that are not listed: 3 warnings, 12 advice.` nil if
    /// everything is listed.
    var unlistedNote: String? {
        guard unlisted.found > 0 else { return nil }
        let counts = ReportCard.Counts(error: unlisted.error, warning: unlisted.warning, info: unlisted.info)
        return "\(check.id) has more that are not listed: \(ReportCard.summary(of: counts))."
    }
}

extension Finding.Place {
    /// The place for people: `line 12, column 5, meta apple-itunes-app`.
    public var description: String {
        var parts: [String] = []
        if let line { parts.append("line \(line)") }
        if let column { parts.append("column \(column)") }
        switch source {
        case .markup: if name != "page" { parts.append(name) }
        case .header: parts.append("header \(name)")
        case .file, .fetch: parts.append(name)
        }
        return parts.isEmpty ? name : parts.joined(separator: ", ")
    }
}

/// Collects lines of at most 100 columns. Control characters are removed from texts of the page, because they could control
/// the terminal.
struct ReportText {
    static let columns = 100

    let color: Bool
    var lines: [String] = []

    mutating func line(_ text: String) {
        lines.append(text.safeForTerminal)
    }

    mutating func line(_ outcome: Finding.Outcome, _ text: String) {
        lines.append(painted(mark(of: outcome), outcome) + " " + text.safeForTerminal)
    }

    mutating func add(_ finding: Finding, _ excerpt: SourceExcerpt?) {
        line("")
        let mark = "\(mark(of: finding.outcome)) \(finding.outcome.rawValue)".padded(to: 11)
        let known = finding.isKnown ? "Known: " : ""
        wrapped(
            "    ", "\(finding.check.id)  \(known)\(finding.sentence)", first: mark, painted(mark, finding.outcome))
        if let place = finding.place { wrapped("    ", "At: " + place.description) }
        if let excerpt { add(excerpt, finding.outcome) }
        wrapped("    ", finding.check.wanted)
        defer { if let note = finding.unlistedNote { wrapped("    ", note) } }
        guard let remedy = finding.remedy else { return }
        wrapped("    ", "Do: " + remedy.text)
        for code in remedy.code?.split(separator: "\n", omittingEmptySubsequences: false) ?? [] {
            lines.append("      " + String(code).safeForTerminal)
        }
    }

    /// The line, and a caret under the place.
    private mutating func add(_ excerpt: SourceExcerpt, _ outcome: Finding.Outcome) {
        let number = String(excerpt.line)
        line("      \(number) | " + excerpt.before + excerpt.marked + excerpt.after)
        let margin = "      " + String(repeating: " ", count: number.count) + " | "
        lines.append(margin + painted(excerpt.pointer, outcome))
    }

    mutating func add(_ trace: ReportCard.Trace) {
        let matching = trace.matching
        wrapped("  ", "\(matching.url.href) \(trace.summary) (\(trace.file.href))")
        let excerpt = TraceExcerpt(matching)
        for shown in excerpt.entries {
            let entry = shown.entry
            let apps = entry.appIDs.isEmpty ? "no app" : Wording.list(entry.appIDs)
            wrapped("    ", "line \(entry.place.line): \(apps)" + (entry.reason.map { ". \($0)" } ?? ""))
            for component in shown.components {
                let word = component.word.padded(to: 10)
                let outcome: Finding.Outcome =
                    switch component.outcome {
                    case .matched: .pass
                    case .excluded: .error
                    case .notMatched, .notTried: .unknown
                    }
                let further = String(repeating: " ", count: 16)
                wrapped(
                    further, "\(component.pattern) (line \(component.place.line))", first: "      " + word,
                    "      " + painted(word, outcome))
                // Parts that match are left out, because the pattern shows them.
                for part in component.parts where !part.isMatched || part.remark != nil {
                    wrapped(further, part.comparison + "." + (part.remark.map { " \($0)" } ?? ""))
                }
                if let reason = component.reason { wrapped(further, reason) }
            }
            if shown.componentsLeftOut > 0 { line("      … and \(shown.componentsLeftOut) more") }
        }
        if excerpt.entriesLeftOut > 0 {
            line("    \(Wording.count(excerpt.entriesLeftOut, "entry", "entries")) more, without a match")
        }
    }

    mutating func wrapped(_ indentation: String, _ text: String) {
        let further = String(repeating: " ", count: indentation.count)
        wrap(text, first: indentation, further: further)
    }

    /// - Parameter painted: `first` with color codes, which take no columns.
    mutating func wrapped(_ further: String, _ text: String, first: String, _ painted: String) {
        let start = lines.count
        wrap(text, first: first, further: further)
        lines[start] = painted + lines[start].dropFirst(first.count)
    }

    private mutating func wrap(_ text: String, first: String, further: String) {
        var current = first
        var isEmpty = true
        for word in text.safeForTerminal.split(separator: " ") {
            if !isEmpty, current.count + 1 + word.count > Self.columns {
                lines.append(current)
                current = further
                isEmpty = true
            }
            current += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        lines.append(current)
    }

    private func mark(of outcome: Finding.Outcome) -> String {
        switch outcome {
        case .error: "✗"
        case .warning: "!"
        case .info: "i"
        case .pass: "✓"
        case .unknown: "?"
        }
    }

    private func painted(_ text: String, _ outcome: Finding.Outcome) -> String {
        guard color else { return text }
        let code =
            switch outcome {
            case .error: "31"
            case .warning: "33"
            case .info: "36"
            case .pass: "32"
            case .unknown: "2"
            }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}

extension String {
    func padded(to width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self
    }
}
