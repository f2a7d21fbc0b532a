import PippinPage

/// The part of a match with an association file that a report shows: what decided, what came close, and some of the rest. A
/// file may have thousands of patterns.
struct TraceExcerpt {
    struct Entry {
        let entry: AssociationTrace.Entry
        let components: [AssociationTrace.Component]
        let componentsLeftOut: Int
    }

    static let maximumEntries = 8
    static let maximumComponents = 20

    let entries: [Entry]
    let entriesLeftOut: Int

    init(_ trace: AssociationTrace) {
        let kept = Self.kept(trace.entries, Self.maximumEntries) { $0.outcome != .unset }
        entries = kept.map { entry in
            let components = Self.kept(entry.components, Self.maximumComponents) { component in
                component.outcome == .matched || component.outcome == .excluded
                    || component.parts.contains { $0.remark != nil }
            }
            return Entry(
                entry: entry, components: components, componentsLeftOut: entry.components.count - components.count)
        }
        entriesLeftOut = trace.entries.count - kept.count
    }

    /// At most `maximum` elements in their order: first the telling ones, then the first of the others.
    private static func kept<Element>(
        _ all: [Element], _ maximum: Int, isTelling: (Element) -> Bool
    ) -> [Element] {
        guard all.count > maximum else { return all }
        let telling = Set(all.indices.filter { isTelling(all[$0]) }.prefix(maximum))
        var room = maximum - telling.count
        return all.indices.compactMap { index in
            if telling.contains(index) { return all[index] }
            guard room > 0 else { return nil }
            room -= 1
            return all[index]
        }
    }
}

extension ReportCard.Trace {
    /// The result for the address in one line, beginning with the app in question.
    var summary: String {
        let matched = matching.apps.filter { $0.outcome == .match }.map(\.appID)
        let blocked = matching.apps.filter { $0.outcome == .block }.map(\.appID)
        let opens = matched.isEmpty ? nil : "opens in \(Wording.list(matched))"
        let closed = blocked.isEmpty ? nil : "kept out of \(Wording.list(blocked))"
        switch outcome {
        case .match: return [opens, closed].compactMap { $0 }.joined(separator: ", ")
        case .block: return [closed, opens].compactMap { $0 }.joined(separator: ", ")
        case .unset:
            if let others = opens ?? closed { return "not covered for this app, \(others)" }
            return matching.reason.map { "opens in no app: \($0)" } ?? "opens in no app: no pattern covers it"
        }
    }
}

extension AssociationTrace.Component {
    var word: String {
        switch outcome {
        case .matched: "matches"
        case .excluded: "excludes"
        case .notMatched: "no match"
        case .notTried: "not tried"
        }
    }
}

extension AssociationTrace.Part {
    /// Which part of the address it is.
    var label: String {
        switch name {
        case "/": "path"
        case "?": "query"
        case "#": "fragment"
        default: "item \(name.dropFirst())"
        }
    }

    /// The comparison of value and pattern: `“/cup” is not “/mug”`. The reader sees the pattern beside it.
    var comparison: String {
        let seen = value.map { Wording.quoted($0) } ?? "nothing"
        return "\(label) \(seen) \(isMatched ? "matches" : "does not match") \(Wording.quoted(pattern))"
    }
}
