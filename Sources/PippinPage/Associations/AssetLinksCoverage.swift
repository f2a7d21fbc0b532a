/// What the assetlinks.json of a URL's host says of the URL, for one app or for any. Decided and worded here once, for the
/// record's verification and for the checks of the report.
public struct AssetLinksCoverage {
    public enum State {
        /// By a rule, or with the whole host.
        case opened(package: String, AssetLinks.Decision)
        case blocked(package: String, AssetLinks.Decision)
        /// The file does not name the app; where any is meant, it opens the URL in none.
        case uncovered
        /// There is none, as far as devices go; a sentence.
        case noFile(String)
        /// The file was not seen; a sentence.
        case unseen(String)
        /// Not all of it could be compared; a sentence that says why.
        case uncompared(String)
    }

    public let file: WebURL?
    public let state: State
    private let url: WebURL
    private let package: String?
    /// The apps that the file names.
    private let named: [String]

    /// - Parameters:
    ///   - package: nil asks about any app.
    ///   - decide: what the file says of the URL and a package.
    public init(
        _ url: WebURL, package: String?, in files: SiteAssociations,
        deciding decide: (AssetLinks, String) -> AssetLinks.Decision
    ) {
        self.url = url
        self.package = package
        switch files.assetLinks(for: url) {
        case .unseen(let sentence): (file, named, state) = (nil, [], .unseen(sentence))
        case .none(let sentence, let place): (file, named, state) = (place, [], .noFile(sentence))
        case .inForce(let content, let place):
            file = place
            named = content.appLinkPackages
            guard let package else {
                for package in named.prefix(AssociationVerification.maximumPackagesTried) {
                    let decision = decide(content, package)
                    guard decision.isOpen else { continue }
                    state = .opened(package: package, decision)
                    return
                }
                state = .uncovered
                return
            }
            state = Self.state(of: package, decide(content, package))
        }
    }

    private static func state(of package: String, _ decision: AssetLinks.Decision) -> State {
        switch decision.outcome {
        case .vouched, .match: return .opened(package: package, decision)
        case .block:
            if decision.pattern == nil, let reason = decision.reason { return .uncompared(reason) }
            return .blocked(package: package, decision)
        case .unset: return .uncovered
        }
    }

    /// The verdict in a sentence.
    ///
    /// - Parameter address: what the sentence calls the URL.
    public func sentence(of address: String? = nil) -> String {
        let name = "The \(SiteAssociations.assetLinksName(for: url))"
        let it = address ?? "it"
        switch state {
        case .opened(let package, let decision):
            return decision.outcome == .match
                ? "\(name) opens \(it) in \(package), by a rule of Android 15 and later."
                : "\(name) vouches for \(package) on the whole host; which of its addresses the app opens is written in the app's manifest."
        case .blocked(let package, let decision):
            return decision.pattern == nil
                ? "\(name) has rules for \(package), and none lets it open \(address ?? "the address")."
                : "\(name) keeps \(package) from \(it)."
        case .uncovered:
            guard let package else { return "\(name) opens \(it) in no app." }
            return named.isEmpty
                ? "\(name) names no app that opens links."
                : "\(name) does not name the app \(package); it names \(Wording.list(named))."
        case .noFile(let sentence), .unseen(let sentence): return sentence
        case .uncompared(let reason): return "\(name) could not be compared. \(reason)"
        }
    }
}

extension AssetLinks.Decision {
    /// Whether the app may open the URL, as far as the file goes.
    var isOpen: Bool { outcome == .match || outcome == .vouched }
}
