extension AssetLinks {
    /// What the file says of an app and a URL of its host.
    public struct Decision: Sendable, Hashable {
        public enum Outcome: String, Sendable {
            /// The app is vouched for and nothing in the file keeps it from the URL; its manifest names the paths.
            case vouched
            /// A dynamic rule lets the app open the URL (Android 15; older ones go by the manifest alone).
            case match
            /// A dynamic rule keeps it from the URL, or there are rules and none matches.
            case block
            /// The file does not name the app as a handler of URLs.
            case unset
        }

        public let outcome: Outcome
        /// The rule that decided, in one line.
        public let pattern: String?
        public let place: TextPlace?
    }

    /// - Parameter packageName: the app.
    public func decision(for url: WebURL, packageName: String) -> Decision {
        guard trouble == nil, url.isHTTP else { return Decision(outcome: .unset, pattern: nil, place: nil) }
        let statements = appLinkStatements(of: packageName)
        guard let first = statements.first else { return Decision(outcome: .unset, pattern: nil, place: nil) }
        guard let statement = statements.first(where: { $0.dynamicRules != nil }), let rules = statement.dynamicRules
        else {
            return Decision(outcome: .vouched, pattern: nil, place: first.place)
        }
        var budget = MatchingBudget.standard
        for rule in rules where rule.matches(url, &budget) {
            return Decision(outcome: rule.excludes ? .block : .match, pattern: rule.text, place: rule.place)
        }
        return Decision(outcome: .block, pattern: nil, place: statement.place)
    }
}

extension AssetLinks.DynamicRule {
    /// Android compares decoded parts, in their own case; a part that the URL does not have matches no pattern, and of several
    /// items of a name any one will do (UriRelativeFilter).
    fileprivate func matches(_ url: WebURL, _ budget: inout MatchingBudget) -> Bool {
        if let pathPattern, !Self.matches(pathPattern, url.path, &budget) { return false }
        if let fragmentPattern {
            guard let fragment = url.fragment, Self.matches(fragmentPattern, fragment, &budget) else { return false }
        }
        guard !itemPatterns.isEmpty else { return true }
        guard let query = url.query else { return false }
        // A URL of real life has below thirty items.
        let parameters = query.split(separator: "&", maxSplits: 1_000).map { item in
            let equals = item.firstIndex(of: "=") ?? item.endIndex
            return (name: AssociationSubject.decoded(item[..<equals]), value: item[equals...].dropFirst())
        }
        for (item, pattern) in zip(items, itemPatterns) {
            var isMatched = false
            for parameter in parameters where parameter.name == item.name && !isMatched {
                isMatched = Self.matches(pattern, String(parameter.value), &budget)
            }
            if !isMatched { return false }
        }
        return true
    }

    private static func matches(_ pattern: AssociationPattern, _ value: String, _ budget: inout MatchingBudget) -> Bool
    {
        pattern.matches(
            AssociationPattern.scalars(AssociationSubject.decoded(value), caseSensitive: true), caseSensitive: true,
            variables: SubstitutionVariables(), budget: &budget)
    }
}
