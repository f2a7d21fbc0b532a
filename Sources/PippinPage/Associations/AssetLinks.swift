/// What an `assetlinks.json` says (Digital Asset Links): which apps and sites a host vouches for, in what respect, and, since
/// Android 15, which of its URLs an app opens.
///
/// Made from any bytes; never fails. A malformed statement is left out with a note, a malformed file has `trouble`.
public struct AssetLinks: Sendable {
    /// Bytes that Android's verifier reads of a file.
    public static let maximumBytes = 1_048_576
    /// The relation behind App Links.
    static let handleAllURLs = "delegate_permission/common.handle_all_urls"
    /// The relation behind shared sign-in.
    static let getLoginCredentials = "delegate_permission/common.get_login_creds"

    public let byteCount: Int
    /// Why the file says nothing.
    public let trouble: AssociationTrouble?
    public internal(set) var statements: [Statement]
    /// Files that are to be read as if they were part of this one; `AssetLinksGathering` says which to fetch.
    public let includes: [Include]
    public let notes: [ParseNote]

    public struct Include: Sendable, Hashable {
        public let url: WebURL
        public let place: TextPlace
    }

    public struct Statement: Sendable {
        /// `kind/detail`, at least one.
        public let relations: [String]
        public let target: Target
        /// nil where the app's manifest alone says which paths it opens.
        public internal(set) var dynamicRules: [DynamicRule]?
        public let place: TextPlace
    }

    public enum Target: Sendable, Hashable {
        /// Fingerprints are SHA-256 of signing certificates, `AB:CD:…`; any one of them will do.
        case androidApp(packageName: String, fingerprints: [String])
        /// An origin.
        case web(site: String)
        /// An App Store ID.
        case iOSApp(storeIdentifier: String)
    }

    /// An element of `dynamic_app_link_components`; the first that matches decides.
    public struct DynamicRule: Sendable {
        public var path: String? { pathPattern?.text }
        public var fragment: String? { fragmentPattern?.text }
        public internal(set) var items: [(name: String, pattern: String)] = []
        public internal(set) var excludes = false
        public let place: TextPlace

        var pathPattern: AssociationPattern?
        var fragmentPattern: AssociationPattern?
        var itemPatterns: [AssociationPattern] = []

        /// Whether every URL matches; a part that a URL does not have matches no pattern.
        var matchesEverything: Bool {
            pathPattern.map { $0.matchesEverything || $0.elements == [.scalar(0x2F), .run, .end] } ?? true
                && itemPatterns.isEmpty && fragmentPattern == nil
        }

        /// The rule in one line, as `AppleAppSiteAssociation.Component.text`.
        public var text: String {
            var parts: [String] = []
            if let path { parts.append(path) }
            if !items.isEmpty { parts.append("?" + items.map { "\($0.name)=\($0.pattern)" }.joined(separator: "&")) }
            if let fragment { parts.append("#\(fragment)") }
            return (excludes ? "NOT " : "") + (parts.isEmpty ? "{}" : parts.joined(separator: " "))
        }
    }

    /// The same file with the statements of what it includes.
    func with(statements: [Statement]) -> AssetLinks {
        var copy = self
        copy.statements = statements
        return copy
    }

    /// The statements that make an app a handler of the host's URLs.
    func appLinkStatements(of packageName: String) -> [Statement] {
        statements.filter {
            guard $0.relations.contains(Self.handleAllURLs), case .androidApp(packageName, _) = $0.target else {
                return false
            }
            return true
        }
    }

    /// Packages that may handle the host's URLs, in the order of the file.
    public var appLinkPackages: [String] {
        var seen: Set<String> = []
        return statements.compactMap {
            guard $0.relations.contains(Self.handleAllURLs), case .androidApp(let name, _) = $0.target,
                seen.insert(name).inserted
            else { return nil }
            return name
        }
    }
}

// MARK: Matching

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

// MARK: JSON

extension AssetLinks {
    /// The file as it was understood.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("kind", "assetlinks.json")
            $0["byteCount"] = .integer(byteCount)
            $0["isUsable"] = .bool(trouble == nil)
            $0["statements"] = .array(statements.map(\.json))
            $0.put("includes", includes) { include in
                JSONObject.with {
                    $0.put("url", include.url)
                    $0.put(include.place)
                }
            }
            $0.put("notes", notes) { $0.associationJSON }
        }
    }
}

extension AssetLinks.Statement {
    var json: JSONValue {
        JSONObject.with {
            $0.put("relations", relations)
            $0["target"] = target.json
            if let dynamicRules { $0["dynamicRules"] = .array(dynamicRules.map(\.json)) }
            $0.put(place)
        }
    }
}

extension AssetLinks.Target {
    var json: JSONValue {
        JSONObject.with {
            switch self {
            case .androidApp(let packageName, let fingerprints):
                $0.put("namespace", "android_app")
                $0.put("packageName", packageName)
                $0.put("fingerprints", fingerprints)
            case .web(let site):
                $0.put("namespace", "web")
                $0.put("site", site)
            case .iOSApp(let storeIdentifier):
                $0.put("namespace", "ios_app")
                $0.put("storeIdentifier", storeIdentifier)
            }
        }
    }

    /// The target in a few words.
    public var text: String {
        switch self {
        case .androidApp(let packageName, _): packageName
        case .web(let site): site
        case .iOSApp(let storeIdentifier): "App Store ID \(storeIdentifier)"
        }
    }
}

extension AssetLinks.DynamicRule {
    var json: JSONValue {
        JSONObject.with {
            $0.put("path", path)
            if !items.isEmpty {
                $0["query"] = JSONObject.with { for item in items { $0[item.name] = .string(item.pattern) } }
            }
            $0.put("fragment", fragment)
            $0.putFlag("exclude", excludes)
            $0.put(place)
        }
    }
}

extension AssetLinks.Decision {
    public func json(packageName: String) -> JSONValue {
        JSONObject.with {
            $0.put("packageName", packageName)
            $0.put("outcome", outcome.rawValue)
            $0.put("pattern", pattern)
            if let place { $0.put(place) }
            $0.put("reason", reason)
        }
    }
}
