// Matching a URL (Apple, "Supporting associated domains", reference of `applinks`): entries in order; in each the first
// component that matches decides, `exclude` meaning no; for an app that stands in several entries, the first that decides.

extension AppleAppSiteAssociation {
    /// What the file says of a URL of its host.
    ///
    /// - Parameters:
    ///   - app: only this app ID counts.
    ///   - tracing: whether the trace lists every comparison, or only the verdicts.
    public func decision(for url: WebURL, app: String? = nil, tracing: Bool = false) -> AssociationTrace {
        var budget = MatchingBudget.standard
        return decision(for: url, app: app, tracing: tracing, budget: &budget)
    }

    /// - Parameter budget: of several questions together.
    func decision(
        for url: WebURL, app: String? = nil, tracing: Bool = false, budget: inout MatchingBudget
    ) -> AssociationTrace {
        func nothing(_ reason: String?) -> AssociationTrace {
            AssociationTrace(url: url, outcome: .unset, apps: [], entries: [], reason: reason)
        }
        if let trouble { return nothing(trouble.sentence) }
        guard url.isHTTP else { return nothing("Universal links are http and https URLs.") }
        guard let links = appLinks else { return nothing("The file has no “applinks”.") }
        var subject = AssociationSubject(url: url, variables: links.variables, isExplaining: tracing)
        subject.budget = budget
        defer { budget = subject.budget }
        var verdicts: [AssociationTrace.AppVerdict] = []
        var decided: Set<String> = []
        var traced: [AssociationTrace.Entry] = []
        for (index, entry) in links.entries.enumerated() {
            var reason: String?
            if entry.appIDs.isEmpty {
                reason = "It names no app."
            } else if let app, !entry.appIDs.contains(app) {
                reason = "It is for other apps."
            } else if entry.form == .none {
                reason = "It has no patterns."
            }
            if reason != nil {
                if tracing {
                    traced.append(
                        AssociationTrace.Entry(
                            appIDs: entry.appIDs, outcome: .unset, place: entry.place, components: [], reason: reason))
                }
                continue
            }
            let result = entry.decision(&subject, tracing: tracing)
            if let decisive = result.decisive {
                let component = entry.components[decisive]
                for appID in entry.appIDs where app == nil || app == appID {
                    guard decided.insert(appID).inserted else { continue }
                    verdicts.append(
                        AssociationTrace.AppVerdict(
                            appID: appID, outcome: component.excludes ? .block : .match, entry: index,
                            component: decisive, pattern: component.text, place: component.place,
                            remarks: result.remarks))
                }
            }
            if tracing {
                traced.append(
                    AssociationTrace.Entry(
                        appIDs: entry.appIDs,
                        outcome: result.decisive.map { entry.components[$0].excludes ? .block : .match } ?? .unset,
                        place: entry.place, components: result.components, reason: nil))
            }
        }
        let outcome: AssociationTrace.Outcome =
            verdicts.contains { $0.outcome == .match } ? .match : verdicts.isEmpty ? .unset : .block
        return AssociationTrace(
            url: url, outcome: outcome, apps: verdicts, entries: traced,
            reason: subject.budget.isSpent ? "The patterns are too large to be compared; the rest was left out." : nil)
    }
}

extension AppleAppSiteAssociation.Entry {
    /// Which component decides, with the remarks of its parts.
    fileprivate func decision(
        _ subject: inout AssociationSubject, tracing: Bool
    ) -> (decisive: Int?, remarks: [String], components: [AssociationTrace.Component]) {
        var decisive: Int?
        var remarks: [String] = []
        var traced: [AssociationTrace.Component] = []
        for (index, component) in components.enumerated() {
            var outcome = AssociationTrace.Component.Outcome.notTried
            var parts: [AssociationTrace.Part] = []
            if decisive == nil {
                let isMatched: Bool
                (isMatched, parts) = component.compare(&subject, tracing: tracing)
                outcome = isMatched ? component.excludes ? .excluded : .matched : .notMatched
                if isMatched {
                    decisive = index
                    remarks = parts.compactMap(\.remark)
                    if !tracing { break }
                }
            }
            if tracing {
                traced.append(
                    AssociationTrace.Component(
                        pattern: component.text, outcome: outcome, parts: parts, comment: component.comment,
                        place: component.place, reason: outcome == .notTried ? nil : component.defect))
            }
        }
        return (decisive, remarks, traced)
    }
}

extension AppleAppSiteAssociation.Component {
    /// Compares every part; without a trace the first that fails ends it.
    fileprivate func compare(
        _ subject: inout AssociationSubject, tracing: Bool
    ) -> (isMatched: Bool, parts: [AssociationTrace.Part]) {
        guard defect == nil else { return (false, []) }
        subject.caseSensitive = caseSensitive
        subject.percentEncoded = percentEncoded
        var parts: [AssociationTrace.Part] = []
        var isMatched = true
        /// False when there is nothing more to find out.
        func take(_ part: AssociationTrace.Part) -> Bool {
            parts.append(part)
            if !part.isMatched { isMatched = false }
            return isMatched || tracing
        }
        if let path = terms.path, !take(subject.comparePath(path)) { return (false, parts) }
        switch query {
        case .whole:
            if let pattern = queryPatterns.first, !take(subject.compareQuery(pattern)) { return (false, parts) }
        case .items(let items):
            for (item, pattern) in zip(items, queryPatterns) {
                guard take(subject.compareItem(item.name, pattern)) else { return (false, parts) }
            }
        case nil: break
        }
        if let fragment = terms.fragment { _ = take(subject.compareFragment(fragment)) }
        return (isMatched, parts)
    }
}
