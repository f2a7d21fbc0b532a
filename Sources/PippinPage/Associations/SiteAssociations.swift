/// The association files of the hosts that a page's deep links lead to, as far as they were asked for.
///
/// Kept by the host's origin over https, `https://shop.example`, since devices ask for the files over https whatever the
/// scheme of the link.
public struct SiteAssociations: Sendable {
    /// Files that somebody needs of one host.
    public struct Want: Sendable, Hashable {
        /// The root of the host over https; `AppleAssociationOutcome.locations` and `AssetLinksOutcome.location` say where the
        /// files lie.
        public let site: WebURL
        public internal(set) var apple: Bool
        public internal(set) var android: Bool
    }

    private var found: [String: HostAssociations] = [:]
    /// Origins in the order in which they came.
    private var order: [String] = []

    public init() {}

    /// What is known of the host of a URL; nil where its files were not asked for.
    public subscript(url: WebURL) -> HostAssociations? {
        get { Self.site(of: url)?.origin.flatMap { found[$0] } }
        set {
            guard let origin = Self.site(of: url)?.origin else { return }
            if found[origin] == nil { order.append(origin) }
            found[origin] = newValue
            if newValue == nil { order.removeAll { $0 == origin } }
        }
    }

    public var isEmpty: Bool { order.isEmpty }

    /// In the order in which they came.
    public var hosts: [HostAssociations] { order.compactMap { found[$0] } }

    /// Whose files speak of a URL: its host over https. nil for other schemes, and for http with a port of its own, where
    /// no https server can be looked for.
    public static func site(of url: WebURL) -> WebURL? {
        guard url.isHTTP, let host = url.host else { return nil }
        if url.scheme == "http" { return url.port == nil ? WebURL("https://\(host)/") : nil }
        return url.origin.flatMap { WebURL($0 + "/") }
    }

    /// The other one of the two hosts that people take for one, `www.shop.example` and `shop.example`; nil where there is none,
    /// as for `blog.shop.example`.
    public static func sibling(of url: WebURL) -> WebURL? {
        guard let site = site(of: url), let host = site.host else { return nil }
        let port = site.port.map { ":\($0)" } ?? ""
        let bare = SiteIdentity.withoutWWW(host)
        if bare != host { return WebURL("https://\(bare)\(port)/") }
        return SiteIdentity.registeredDomain(of: host) == host ? WebURL("https://www.\(host)\(port)/") : nil
    }
}

// MARK: The file that counts

/// An association file of a host, as devices have it.
enum FileInForce<Content> {
    case inForce(Content, at: WebURL)
    /// Devices have none; a sentence.
    case none(String, at: WebURL)
    /// It was not seen; a sentence.
    case unseen(String)

    /// Of a file that is not in force.
    ///
    /// - Parameter name: as `assetlinks.json of shop.example`.
    fileprivate init(
        _ name: String, at url: WebURL, _ judgement: AssociationJudgement, _ trouble: AssociationTrouble?
    ) {
        switch judgement.standing {
        case .usable: self = .none("Devices do not use the \(name). \(trouble?.sentence ?? "")", at: url)
        case .refused: self = .none(judgement.sentence(of: name), at: url)
        case .unknown: self = .unseen(judgement.sentence(of: name))
        }
    }
}

extension SiteAssociations {
    /// How sentences name the file that speaks of a URL.
    static func appleFileName(for url: WebURL) -> String {
        "apple-app-site-association of \(AssociationVerification.hostName(of: url))"
    }

    static func assetLinksName(for url: WebURL) -> String {
        "assetlinks.json of \(AssociationVerification.hostName(of: url))"
    }

    /// Apple's file of a URL's host.
    func appleFile(for url: WebURL) -> FileInForce<AppleAppSiteAssociation> {
        let name = Self.appleFileName(for: url)
        guard let found = self[url] else { return .unseen("The \(name) was not asked for.") }
        if let outcome = found.apple, let file = outcome.file { return .inForce(file, at: outcome.url) }
        let (first, copy) = (found.wellKnown, found.rootCopy.judgement)
        // The older place may still have it.
        if first.judgement.standing == .refused, copy.standing == .unknown {
            return .unseen("The \(name) was not seen: its copy at the root is unknown, \(copy.clause).")
        }
        return FileInForce(name, at: first.url, first.judgement, first.file?.trouble)
    }

    /// The assetlinks.json of a URL's host.
    func assetLinks(for url: WebURL) -> FileInForce<AssetLinks> {
        let name = Self.assetLinksName(for: url)
        guard let found = self[url] else { return .unseen("The \(name) was not asked for.") }
        let outcome = found.assetLinks
        if let links = found.android { return .inForce(links, at: outcome.url) }
        return FileInForce(name, at: outcome.url, outcome.judgement, outcome.links?.trouble)
    }
}
