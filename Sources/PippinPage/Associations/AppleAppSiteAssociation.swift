/// What an `apple-app-site-association` file says: which apps open which URLs of its host (universal links), share its
/// passwords, hand activities over, and have an App Clip there.
///
/// Made from any bytes; never fails. A file that devices refuse has `trouble`; what else its author should know is in `notes`,
/// whose codes are `AssociationRemark`s.
public struct AppleAppSiteAssociation: Sendable {
    /// Bytes of the file, signed or not, that devices take (App Search Programming Guide: 128 KB uncompressed).
    public static let maximumBytes = 131_072

    /// Of the whole file, its envelope included.
    public let byteCount: Int
    /// The CMS envelope around the JSON, which iOS 8 asked for.
    let envelope: SignedEnvelope?
    /// Whether the JSON stands in such an envelope. Places are then places of the JSON.
    public var isSigned: Bool { envelope != nil }
    /// Why devices do not use the file at all; what could be read of it is here nevertheless.
    public let trouble: AssociationTrouble?
    /// nil where the file has no `applinks`.
    public let appLinks: UniversalLinks?
    /// App IDs that share the host's passwords; nil where the file does not say.
    public let webCredentials: [String]?
    /// App IDs that activities are handed over to (Handoff).
    public let activityContinuation: [String]?
    /// App IDs of App Clips.
    public let appClips: [String]?
    public let notes: [ParseNote]

    /// Whether it names an app for anything.
    var namesApps: Bool {
        appLinks?.entries.contains { !$0.appIDs.isEmpty } == true
            || [webCredentials, activityContinuation, appClips].contains { $0?.isEmpty == false }
    }

    /// The value of `applinks`.
    public struct UniversalLinks: Sendable {
        /// In the order in which they are tried.
        public internal(set) var entries: [Entry] = []
        /// Whether `details` is the early dictionary of app IDs.
        var hasDictionaryForm = false
        var defaults = Terms()
        /// In the order of the file.
        public internal(set) var substitutionVariables: [(name: String, values: [String])] = []
        var variables = SubstitutionVariables()
    }

    /// What a component says of URLs, or `defaults` of `applinks` or of an entry; nil where it does not say.
    struct Terms: Sendable {
        /// A `?`: the pattern of the whole query, or one for each item. Without `form` it matches every query.
        struct QueryTerms: Sendable {
            var form: Component.Query?
            var patterns: [AssociationPattern] = []
        }

        var path: AssociationPathPattern?
        var query: QueryTerms?
        var fragment: AssociationPattern?
        var excludes: Bool?
        var caseSensitive: Bool?
        var percentEncoded: Bool?

        /// With what `defaults` say of the rest. `swcutil` of macOS 27.0 was seen to take every key from there, also those that
        /// Apple's reference of `defaults` does not list (sergii-ziborov/blazingly-aasa, `conformance/oracle`).
        func inheriting(_ defaults: Terms) -> Terms {
            Terms(
                path: path ?? defaults.path, query: query ?? defaults.query, fragment: fragment ?? defaults.fragment,
                excludes: excludes ?? defaults.excludes, caseSensitive: caseSensitive ?? defaults.caseSensitive,
                percentEncoded: percentEncoded ?? defaults.percentEncoded)
        }
    }

    /// An element of `details`: apps, and the URLs they open.
    public struct Entry: Sendable {
        public enum Form: String, Sendable {
            case components, paths, none
        }

        /// From `appIDs`, or from `appID` where there is no `appIDs`.
        public internal(set) var appIDs: [String] = []
        /// Tried in order; the first that matches decides.
        public internal(set) var components: [Component] = []
        public internal(set) var form = Form.none
        var defaults = Terms()
        public let place: TextPlace
    }

    /// An element of `components` with its defaults, or of `paths` (which has nothing but a path).
    public struct Component: Sendable {
        public enum Query: Sendable {
            /// Against the whole query.
            case whole(pattern: String)
            /// Against the items of these names.
            case items([(name: String, pattern: String)])
        }

        /// Patterns as written; nil where the component does not say, which means anything.
        public var path: String? { terms.path?.text }
        public var query: Query? { terms.query?.form }
        public var fragment: String? { terms.fragment?.text }
        /// `exclude`, or `NOT ` in `paths`.
        public var excludes: Bool { terms.excludes ?? false }
        public internal(set) var comment: String?
        public var caseSensitive: Bool { terms.caseSensitive ?? true }
        public var percentEncoded: Bool { terms.percentEncoded ?? true }
        /// What of it cannot be read, so that it matches nothing.
        public internal(set) var defect: String?
        public let place: TextPlace

        /// Its own and those of all defaults.
        var terms = Terms()
        /// One for a whole query, else one an item.
        var queryPatterns: [AssociationPattern] { terms.query?.patterns ?? [] }

        /// The component in one line: `/help/* ?articleNumber=???? #top`, with `NOT ` before it when it excludes; `{}` when it
        /// says nothing.
        public var text: String {
            var parts: [String] = []
            if let path { parts.append(path) }
            switch query {
            case .whole(let pattern): parts.append("?\(pattern)")
            case .items(let items): parts.append("?" + items.map { "\($0.name)=\($0.pattern)" }.joined(separator: "&"))
            case nil: break
            }
            if let fragment { parts.append("#\(fragment)") }
            return (excludes ? "NOT " : "") + (parts.isEmpty ? "{}" : parts.joined(separator: " "))
        }
    }
}

/// An app ID, `ABCDE12345.com.example.app`: the application identifier prefix, which is the team's ID except for old apps, and
/// the bundle ID.
public struct ApplicationIdentifier: Sendable, Hashable {
    public let prefix: String
    public let bundleIdentifier: String

    /// Split at the first dot; nil where either side is empty.
    public init?(_ text: String) {
        guard let dot = text.firstIndex(of: ".") else { return nil }
        prefix = String(text[..<dot])
        bundleIdentifier = String(text[text.index(after: dot)...])
        if prefix.isEmpty || bundleIdentifier.isEmpty { return nil }
    }

    /// Whether it is a bundle ID as a whole, `com.example.app`: what should be the prefix is its first word.
    var isBundleIdentifier: Bool {
        ASCIIText.isReverseDomain("\(prefix).\(bundleIdentifier)", allowsHyphens: true) && prefix.utf8.count != 10
            && !prefix.utf8.contains(where: \.isASCIIUppercase)
    }

    /// Ten capital letters and digits, then letters, digits, hyphens and dots.
    var isWellFormed: Bool {
        prefix.utf8.count == 10 && prefix.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIIUppercase }
            && bundleIdentifier.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x2E }
            && !bundleIdentifier.hasPrefix(".") && !bundleIdentifier.hasSuffix(".") && !bundleIdentifier.has("..")
    }
}

// MARK: Matching

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
