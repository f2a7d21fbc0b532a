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
