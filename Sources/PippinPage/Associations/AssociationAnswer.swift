/// What Apple's or Android's association files, or both, decide about one URL.
public struct AssociationAnswer: Sendable {
    let apple: AssociationTrace?
    let android: [(name: String, decision: AssetLinks.Decision)]

    /// - Parameters:
    ///   - app: `TEAMID.bundle.id` or `package.name`; nil for all apps that the files name.
    ///   - tracing: whether every comparison with Apple's file is kept.
    public init(
        _ url: WebURL, apple: AppleAppSiteAssociation?, android: AssetLinks?, app: String?, tracing: Bool
    ) {
        self.apple = apple?.decision(for: url, app: app, tracing: tracing)
        let packages = (android?.appLinkPackages ?? []).filter { app == nil || app == $0 }
        self.android = packages.compactMap { name in
            android.map { (name: name, decision: $0.decision(for: url, packageName: name)) }
        }
    }

    /// `match` if any app opens the URL; otherwise `block` if any app is excluded; otherwise `unset`.
    public var outcome: AssociationTrace.Outcome {
        let all = [apple?.outcome].compactMap(\.self) + android.map { Self.outcome($0.decision) }
        return all.contains(.match) ? .match : all.contains(.block) ? .block : .unset
    }

    private static func outcome(_ decision: AssetLinks.Decision) -> AssociationTrace.Outcome {
        switch decision.outcome {
        case .vouched, .match: .match
        case .block: .block
        case .unset: .unset
        }
    }

    /// The answer for people: one line for each app, then the trace of Apple's file, if there is one.
    public var text: String {
        var verdicts: [(outcome: AssociationTrace.Outcome, lines: [String])] = []
        for app in apple?.apps ?? [] {
            verdicts.append(
                (
                    app.outcome,
                    ["\(app.outcome.rawValue)  \(app.appID)  \(app.pattern)  (line \(app.place.line))"]
                        + app.remarks.map { "note: \($0)" }
                ))
        }
        for (name, decision) in android where decision.outcome != .unset {
            let outcome = Self.outcome(decision)
            let pattern = decision.pattern.map { "  \($0)" } ?? ""
            let place = decision.place.map { "  (line \($0.line))" } ?? ""
            var lines = ["\(outcome.rawValue)  \(name)\(pattern)\(place)"]
            if decision.outcome == .vouched {
                lines.append("note: The file names no paths; the app's manifest says which it opens.")
            } else if decision.pattern == nil {
                lines.append("note: No dynamic rule matches.")
            }
            if let reason = decision.reason { lines.append("note: \(reason)") }
            verdicts.append((outcome, lines))
        }
        // Apps with the overall outcome come first.
        let decisive = outcome
        var lines = (verdicts.filter { $0.outcome == decisive } + verdicts.filter { $0.outcome != decisive })
            .flatMap(\.lines)
        if verdicts.isEmpty { lines.append(decisive.rawValue) }
        if let reason = apple?.reason { lines.append("note: \(reason)") }
        lines += (apple?.entries ?? []).flatMap(Self.lines)
        return lines.joined(separator: "\n")
    }

    private static func lines(_ entry: AssociationTrace.Entry) -> [String] {
        var lines = ["entry at line \(entry.place.line): \(entry.appIDs.joined(separator: ", "))"]
        if let reason = entry.reason { lines.append("  passed over: \(reason)") }
        for component in entry.components {
            lines.append("  line \(component.place.line): \(component.pattern): \(component.outcome.rawValue)")
            if let reason = component.reason { lines.append("    \(reason)") }
            for part in component.parts {
                let value = part.value.map { "“\($0)”" } ?? "nothing"
                lines.append(
                    "    \(part.name)  “\(part.pattern)”  \(part.isMatched ? "matches" : "does not match")  \(value)")
                if let remark = part.remark { lines.append("      \(remark)") }
            }
        }
        return lines
    }

    /// The answer as JSON: the trace of Apple's file, with Android's apps as `packages`.
    public var json: JSONValue {
        var object = JSONObject()
        if let trace = apple?.json.object { object = trace }
        object["outcome"] = .string(outcome.rawValue)
        if !android.isEmpty { object["packages"] = .array(android.map { $0.decision.json(packageName: $0.name) }) }
        return .object(object)
    }
}
