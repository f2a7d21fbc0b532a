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
        /// Why not all was compared.
        public let reason: String?

        init(_ outcome: Outcome, _ pattern: String? = nil, at place: TextPlace? = nil, reason: String? = nil) {
            self.outcome = outcome
            self.pattern = pattern
            self.place = place
            self.reason = reason
        }
    }

    /// - Parameter packageName: the app.
    public func decision(for url: WebURL, packageName: String) -> Decision {
        var budget = MatchingBudget.standard
        return decision(for: url, packageName: packageName, budget: &budget)
    }

    /// - Parameter budget: of several questions together.
    func decision(for url: WebURL, packageName: String, budget: inout MatchingBudget) -> Decision {
        if let trouble { return Decision(.unset, reason: trouble.sentence) }
        guard url.isHTTP else { return Decision(.unset, reason: "App links are http and https URLs.") }
        let statements = appLinkStatements(of: packageName)
        guard let first = statements.first else { return Decision(.unset) }
        guard let statement = statements.first(where: { $0.dynamicRules != nil }), let rules = statement.dynamicRules
        else {
            return Decision(.vouched, at: first.place)
        }
        for rule in rules where rule.matches(url, &budget) {
            return Decision(rule.excludes ? .block : .match, rule.text, at: rule.place)
        }
        return Decision(
            .block, at: statement.place,
            reason: budget.isSpent ? "The patterns are too large to be compared; the rest was left out." : nil)
    }
}

extension AssetLinks.DynamicRule {
    /// Android compares decoded parts, in their own case; a part that the URL does not have matches no pattern, and of several
    /// items of a name any one will do: our reading of `UriRelativeFilter`.
    fileprivate func matches(_ url: WebURL, _ budget: inout MatchingBudget) -> Bool {
        if let pathPattern, !Self.matches(pathPattern, url.path, &budget) { return false }
        if let fragmentPattern {
            guard let fragment = url.fragment, Self.matches(fragmentPattern, fragment, &budget) else { return false }
        }
        guard !itemPatterns.isEmpty else { return true }
        guard let query = url.query, budget.pay(query.utf8.count) else { return false }
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
        budget.pay(value.utf8.count)
            && pattern.matches(
                AssociationPattern.scalars(AssociationSubject.decoded(value), caseSensitive: true), caseSensitive: true,
                variables: SubstitutionVariables(), budget: &budget)
    }
}
