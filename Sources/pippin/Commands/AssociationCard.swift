import PippinPage

/// Shows association files to people: what they say, then what is wrong with them.
enum AssociationCard {
    /// - Parameter isByContent: whether the content and not a name says which file it is.
    static func text(_ association: AppleAppSiteAssociation, isByContent: Bool = false) -> String {
        (lines(association, isByContent: isByContent) + association.notes.map(line)).joined(separator: "\n")
    }

    static func text(_ links: AssetLinks, isByContent: Bool = false) -> String {
        let head = "assetlinks.json\(isByContent ? " by its content" : ""), \(links.byteCount) bytes"
        return ([head] + lines(links) + links.notes.map(line)).joined(separator: "\n")
    }

    /// The files of a host, one after the other. A copy at the root with equal content is not shown again.
    static func text(_ found: HostAssociations) -> String {
        var lines: [String] = []
        for (finding, outcome) in zip(found.findings, outcomes(found)) {
            lines.append("\(finding.url.href): \(standing(outcome.judgement, isUsable: outcome.isUsable))")
            lines += outcome.lines.map { "  \($0)" }
            lines += finding.notes.map { "  \(line($0))" }
        }
        lines += found.notes.map(line)
        return lines.joined(separator: "\n")
    }

    private static func outcomes(
        _ found: HostAssociations
    ) -> [(judgement: AssociationJudgement, isUsable: Bool, lines: [String])] {
        let root = found.apple?.url == found.wellKnown.url ? nil : found.rootCopy.file
        return [
            (
                found.wellKnown.judgement, found.wellKnown.isUsable,
                found.wellKnown.file.map { lines($0, isByContent: false) } ?? []
            ),
            (found.rootCopy.judgement, found.rootCopy.isUsable, root.map { lines($0, isByContent: false) } ?? []),
            (
                found.assetLinks.judgement, found.assetLinks.isUsable,
                (found.android ?? found.assetLinks.links).map(lines) ?? []
            ),
        ]
    }

    private static func standing(_ judgement: AssociationJudgement, isUsable: Bool) -> String {
        if judgement.standing == .usable { return isUsable ? "good" : "not in force" }
        return judgement.remark == .missing ? "none" : judgement.sentence ?? judgement.standing.rawValue
    }

    private static func lines(_ association: AppleAppSiteAssociation, isByContent: Bool) -> [String] {
        var lines = [
            "apple-app-site-association\(isByContent ? " by its content" : ""), \(association.byteCount) bytes"
        ]
        for entry in association.appLinks?.entries ?? [] {
            lines.append(entry.appIDs.isEmpty ? "no app" : entry.appIDs.joined(separator: ", "))
            lines += entry.components.map { "  line \($0.place.line): \($0.text)" }
        }
        for (name, apps) in [
            ("web credentials", association.webCredentials), ("handoff", association.activityContinuation),
            ("App Clips", association.appClips),
        ] {
            if let apps { lines.append("\(name): \(apps.joined(separator: ", "))") }
        }
        return lines
    }

    private static func lines(_ links: AssetLinks) -> [String] {
        links.statements.flatMap { statement in
            ["\(statement.target.text): \(statement.relations.joined(separator: ", "))"]
                + (statement.dynamicRules ?? []).map { "  line \($0.place.line): \($0.text)" }
        } + links.includes.map { "includes \($0.url.href)" }
    }

    static func line(_ note: ParseNote) -> String {
        let place = note.line.map { "line \($0), column \(note.column ?? 1): " } ?? ""
        return "\(note.associationSeverity?.rawValue ?? "note"): \(place)\(note.message) [\(note.code.rawValue)]"
    }
}
