import PippinPage

/// What the operator changes about the judgement of pages: checks that do not matter on this site, and others that matter more
/// or less than usual.
///
/// It changes a finished card (`ReportCard.tuned`). The checks themselves do not know of it.
public struct CardTuning: Sendable, Hashable {
    /// Changes for some of the pages.
    struct Rule: Sendable, Hashable {
        let paths: [PathGlob]
        var ignored: Set<Check.Code>
        var severities: [Check.Code: Check.Severity]

        /// - Parameters:
        ///   - paths: patterns of the paths of pages.
        ///   - ignored: checks that do not count there.
        ///   - severities: how grave it is to fail a check there.
        package init(
            paths: [PathGlob], ignored: Set<Check.Code> = [], severities: [Check.Code: Check.Severity] = [:]
        ) {
            self.paths = paths
            self.ignored = ignored
            self.severities = severities
        }

        func applies(to page: [String]) -> Bool { paths.contains { pattern in page.contains(where: pattern.matches) } }
    }

    /// Checks that do not count.
    var ignored: Set<Check.Code> = []
    /// The only checks that count; nil for all.
    var only: Set<Check.Code>?
    /// How grave each failure of a check is, whatever the check itself says.
    var severities: [Check.Code: Check.Severity] = [:]
    /// Changes for some pages. Later rules go before earlier ones, and all before the values above.
    var rules: [Rule] = []
    /// The URL of `Docs/Checks.md`, to which reports link; nil if it is not known.
    public var docs: WebURL?

    /// Changes nothing.
    init() {}
}

extension [Check] {
    /// The names by which one or several of these checks can be chosen: identifiers and groups.
    var choices: [String] { map(\.id) + groups.map(\.rawValue) }

    /// The checks of a name, `S14` or `deep-links`, in any letter case; nil for an unknown name.
    func chosen(by name: String) -> Set<Check.Code>? {
        let name = name.lowercased()
        if let check = first(where: { $0.id.lowercased() == name }) { return [check.code] }
        let chosen = filter { $0.group.rawValue == name }
        return chosen.isEmpty ? nil : Set(chosen.map(\.code))
    }

    /// What to say of an unknown name, with the nearest known one.
    func unknownChoice(_ name: String) -> String {
        var kinds = "checks are \(Check.all[0].id) to \(Check.all[Check.all.count - 1].id)"
        let own = filter { $0.group == .custom }
        if !own.isEmpty { kinds += " and \(Wording.list(own.map(\.id), shown: 5))" }
        let advice =
            NearestName.of(name, in: choices).map { "did you mean \"\($0)\"?" }
            ?? "\(kinds), groups " + Wording.list(groups.map(\.rawValue), shown: groups.count)
        return "\"\(name)\" is neither a check nor a group; \(advice)"
    }
}

extension ReportCard {
    /// The card as the operator wants it.
    ///
    /// - Parameter paths: the paths of the page that rules may name: of its file, and of its URL.
    func tuned(by tuning: CardTuning, paths: [String] = []) -> ReportCard {
        guard tuning != CardTuning() else { return self }
        var (ignored, severities) = (tuning.ignored, tuning.severities)
        for rule in tuning.rules where rule.applies(to: paths) {
            ignored.subtract(rule.severities.keys)
            ignored.formUnion(rule.ignored)
            severities.merge(rule.severities) { $1 }
        }
        var card = self
        let leftOut = tuning.only.map { Set(checks.map(\.code)).subtracting($0) } ?? []
        for finding in findings where ignored.contains(finding.check.code) && !leftOut.contains(finding.check.code) {
            card.treatment.ignored += (finding.outcome >= .info ? 1 : 0) + finding.unlisted.found
        }
        card.treatment.docs = tuning.docs
        card.treatment.leftOut = leftOut.union(ignored)
        card.treatment.only = tuning.only.map { only in checks.filter { only.contains($0.code) } }
        let kept = findings.filter { !card.treatment.leftOut.contains($0.check.code) }
        card.replaceFindings(
            with: kept.map { finding in
                guard finding.outcome >= .info, let severity = severities[finding.check.code] else { return finding }
                return finding.graded(severity.outcome)
            }, notApplicable: notApplicable.filter { !card.treatment.leftOut.contains($0.code) })
        return card
    }

    /// Groups of which the operator has not left out all checks.
    var judgedGroups: [Check.Group] {
        treatment.leftOut.isEmpty ? groups : checks.filter { !treatment.leftOut.contains($0.code) }.groups
    }

    /// Which checks alone count, as a sentence; nil for all.
    var onlyNote: String? {
        guard let only = treatment.only else { return nil }
        let groups = groups.filter { group in
            checks.allSatisfy { check in check.group != group || only.contains { $0.id == check.id } }
        }
        let names =
            groups.map(\.rawValue) + only.filter { check in !groups.contains(check.group) }.map(\.id)
        return "Judged only: \(Wording.list(names, shown: 12))."
    }

    /// What was left out and what is known, as sentences; nil if nothing was done to the card.
    var treatmentNote: String? {
        var sentences = [onlyNote].compactMap { $0 }
        if treatment.ignored > 0 { sentences.append("\(Wording.count(treatment.ignored, "finding")) ignored.") }
        if treatment.hasBaseline {
            let new = findings.count { $0.outcome >= .warning && !$0.isKnown }
            sentences.append("\(knownCount) known from \(treatment.memory), \(new) new.")
            if let comparison = treatment.comparison, comparison.goneCount > 0 {
                sentences.append("\(comparison.goneCount) gone.")
            }
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }
}
