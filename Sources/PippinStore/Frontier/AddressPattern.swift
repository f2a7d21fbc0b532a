import PippinCrawl
import PippinPage

/// URLs of a storage that an operator names, to forget them or to visit them again: one, all that begin alike or match a pattern, or
/// those of hosts.
public enum AddressPattern: Sendable, Equatable {
    /// One URL, over https and http.
    case url(WebURL)
    /// Every URL that begins like this one, over https and http.
    case prefix(WebURL)
    /// Every URL whose key matches a pattern as in `scope.include`, over https and http.
    ///
    /// - host: the one that the pattern names; nil if there may be several.
    case matching(URLGlob, host: String?)
    /// A host at all its ports, without the hosts below it.
    case host(String)
    /// Every URL that is known.
    case all
    /// All hosts below a domain, without the domain itself, as `*.` means in the configuration.
    case hostsBelow(String)

    /// Reads `https://example.org/a`, `https://example.org/a/*`, `*/a/*`, `example.org` or `*.example.org`.
    ///
    /// - Throws: `ConfigurationError` for any other text.
    public init(_ text: String) throws(ConfigurationError) {
        let isOpen = text.hasSuffix("*")
        let isGlob = text.dropLast().contains("*") && text.contains("/")
        if isGlob {
            if let glob = Self.glob(text) {
                self = glob
                return
            }
        } else if text.contains("://") {
            // Without a slash after the host, the end of the name would be open.
            let hasPath = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last?.contains("/")
            if let url = WebURL(isOpen ? String(text.dropLast()) : text), url.isHTTP, !url.politenessHost.isEmpty,
                !isOpen || hasPath == true
            {
                self = isOpen ? .prefix(url) : .url(url)
                return
            }
        } else {
            let isBelow = text.hasPrefix("*.")
            let name = isBelow ? String(text.dropFirst(2)) : text
            if !name.contains(where: { "/\\?#@* ".contains($0) }), let url = WebURL("https://\(name)/"),
                url.port == nil,
                !url.politenessHost.isEmpty
            {
                self = isBelow ? .hostsBelow(url.politenessHost) : .host(url.politenessHost)
                return
            }
        }
        throw ConfigurationError(
            file: "command line",
            problem: "\"\(text)\" names no URLs of a storage; give a URL, a URL and * for all that begin like it, "
                + "a pattern like */old/*, a host like example.org, or *.example.org for the hosts below it")
    }

    private static func glob(_ text: String) -> Self? {
        guard text.contains(where: { !"*/".contains($0) }) else { return nil }
        if text.hasPrefix("*") { return .matching(URLGlob(text), host: nil) }
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1].isEmpty, ["http:", "https:"].contains(parts[0]) else { return nil }
        guard !parts[2].contains("*") else { return .matching(URLGlob(text), host: nil) }
        // The host as in a key: in small letters, without the usual port.
        guard let url = WebURL("\(parts[0])//\(parts[2])/"), !url.politenessHost.isEmpty else { return nil }
        return .matching(URLGlob(URLKey(url).string + parts[3]), host: url.politenessHost)
    }

    /// The host of all its URLs; nil if there may be several.
    public var host: String? {
        switch self {
        case .url(let url), .prefix(let url): url.politenessHost
        case .host(let name): name
        case .matching(_, let host): host
        case .hostsBelow, .all: nil
        }
    }

    func covers(host: String) -> Bool {
        switch self {
        case .hostsBelow(let domain): host.hasSuffix("." + domain)
        case .all, .matching(_, host: nil): true
        case .url, .prefix, .host, .matching: host == self.host
        }
    }

    /// The URL key after scheme and host, of the URL or of the beginning.
    private static func rest(_ url: WebURL) -> String {
        String(StoredAddress(key: URLKey(url), host: url.politenessHost, isPage: true).text.dropFirst())
    }

    /// Whether it has an address of a host that it covers.
    func covers(_ address: StoredAddress) -> Bool {
        switch self {
        case .url(let url): address.text.dropFirst() == Self.rest(url)
        case .prefix(let url): address.text.utf8.dropFirst().starts(with: Self.rest(url).utf8)
        case .matching(let glob, _): Self.matches(glob, address.key)
        case .host, .hostsBelow, .all: true
        }
    }

    private static func matches(_ glob: URLGlob, _ key: String) -> Bool {
        if glob.matches(key.utf8) { return true }
        let isSecure = key.hasPrefix("https://")
        return glob.matches(((isSecure ? "http://" : "https://") + key.dropFirst(isSecure ? 8 : 7)).utf8)
    }

    /// The addresses of one URL, as a page and as a sitemap; nil if there may be others.
    func addresses(of host: String) -> [StoredAddress]? {
        guard case .url(let url) = self else { return nil }
        return ["s", "h", "S", "H"].map { StoredAddress(host: host, text: $0 + Self.rest(url)) }
    }

    /// Where its URL keys, and identifiers of records, are among those of a host that it covers: from one text to another, both included.
    /// Not all in between are its own (`covers`).
    func keys(of host: String) -> [ClosedRange<String>] {
        // Sorts after everything that may follow in a URL.
        let end = "\u{10FFFF}"
        return ["https://", "http://"].flatMap { scheme -> [ClosedRange<String>] in
            let origin = scheme + host
            switch self {
            case .url(let url):
                let key = origin + Self.rest(url)
                return [key...key]
            case .prefix(let url):
                let start = origin + Self.rest(url)
                return [start...start + end]
            case .matching, .host, .hostsBelow, .all: return ["/", ":"].map { origin + $0...origin + $0 + end }
            }
        }
    }

    /// Whether it has a URL key, or a record's identifier, of a host that it covers.
    func covers(key: String, of host: String) -> Bool {
        if case .matching(let glob, _) = self, !Self.matches(glob, key) { return false }
        // By bytes, as the database compares.
        return keys(of: host).contains {
            !key.utf8.lexicographicallyPrecedes($0.lowerBound.utf8)
                && !$0.upperBound.utf8.lexicographicallyPrecedes(key.utf8)
        }
    }
}
