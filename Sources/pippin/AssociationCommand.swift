import ArgumentParser
import Foundation
import PippinPage

struct AssociationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "association",
        abstract: "Shows an association file, what is wrong with it, and what it says of a URL.",
        discussion: """
            With --match the first word is "match", "block" or "unset"; then the app ID and the pattern that decided.

            Examples:
              pippin association apple-app-site-association
              pippin association --match /buy/shoes apple-app-site-association
              pippin association --match 'https://example.org/help?id=7' --trace apple-app-site-association

            Exit status: 0 good or match, 1 errors found, or no match, 2 usage.
            """)

    @Option(help: ArgumentHelp("What the file says of a URL, or of a path on its host.", valueName: "url-or-path"))
    var match: String?

    @Option(help: ArgumentHelp("Only this app: TEAMID.bundle.id.", valueName: "app-id"))
    var app: String?

    @Flag(help: "Show every comparison that --match makes.")
    var trace = false

    @Flag(help: "Write JSON.")
    var json = false

    @Argument(help: "The association file: a path, or - for standard input.")
    var file: String

    func run() async throws {
        let bytes = try LocalFile.bytes(at: file)
        let association = AppleAppSiteAssociation(bytes: bytes)
        guard let match else { return try show(association) }
        if let trouble = association.trouble {
            let place = trouble.place.map { "line \($0.line), column \($0.column): " } ?? ""
            writeError("pippin: \(file): \(place)\(trouble.sentence) [\(trouble.remark.rawValue)]")
            throw ExitCode(1)
        }
        // A path is one even when it begins with two slashes.
        let text = match.hasPrefix("/") ? "https://example.org" + match : match
        guard let url = WebURL(text) else { throw ValidationError("--match must be a URL or a path, not “\(match)”.") }
        let decision = association.decision(for: url, app: app, tracing: trace || json)
        print(json ? decision.json.text(pretty: true) : Self.answer(decision))
        if decision.outcome != .match { throw ExitCode(1) }
    }

    private func show(_ association: AppleAppSiteAssociation) throws {
        print(json ? association.json.text(pretty: true) : Self.card(association))
        if association.notes.contains(where: { $0.associationSeverity == .error }) { throw ExitCode(1) }
    }

    // MARK: Text

    /// The verdict first, one line an app; then the trace, if there is one.
    static func answer(_ decision: AssociationTrace) -> String {
        var lines: [String] = []
        // The app that decides for all comes first.
        let apps =
            decision.apps.filter { $0.outcome == decision.outcome }
            + decision.apps.filter { $0.outcome != decision.outcome }
        for app in apps {
            lines.append("\(app.outcome.rawValue)  \(app.appID)  \(app.pattern)  (line \(app.place.line))")
            lines += app.remarks.map { "note: \($0)" }
        }
        if apps.isEmpty { lines.append(decision.outcome.rawValue) }
        if let reason = decision.reason { lines.append("note: \(reason)") }
        for entry in decision.entries {
            lines.append("entry at line \(entry.place.line): \(entry.appIDs.joined(separator: ", "))")
            if let reason = entry.reason { lines.append("  passed over: \(reason)") }
            for component in entry.components {
                lines.append("  line \(component.place.line): \(component.pattern): \(component.outcome.rawValue)")
                if let reason = component.reason { lines.append("    \(reason)") }
                for part in component.parts {
                    let value = part.value.map { "“\($0)”" } ?? "nothing"
                    lines.append(
                        "    \(part.name)  “\(part.pattern)”  \(part.isMatched ? "matches" : "does not match")  \(value)"
                    )
                    if let remark = part.remark { lines.append("      \(remark)") }
                }
            }
        }
        return lines.joined(separator: "\n")
    }

    static func card(_ association: AppleAppSiteAssociation) -> String {
        var lines = ["apple-app-site-association, \(association.byteCount) bytes"]
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
        lines += association.notes.map { note in
            let place = note.line.map { "line \($0), column \(note.column ?? 1): " } ?? ""
            return "\(note.associationSeverity?.rawValue ?? "note"): \(place)\(note.message) [\(note.code)]"
        }
        return lines.joined(separator: "\n")
    }
}
