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
