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
