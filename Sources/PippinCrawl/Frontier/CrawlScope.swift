import PippinPage

/// Which URLs may be visited: hosts, depth, the operator's globs, and guards against endless sites.
///
/// A `host` scope takes `www.example.org` and `example.org` as one host. A `domain` scope is the seed's site, as
/// `SiteIdentity` has it: every host of its registered domain. Hosts are judged against all seeds, and against where the
/// request's own seed was redirected, so that it does not matter which seed leads to a page first.
public struct CrawlScope: Sendable {
    /// Why a URL is not visited; the raw value is stable.
    public enum Refusal: String, Sendable, Hashable, CaseIterable {
        case notHTTP = "not-http"
        /// The URL holds a user name or password.
        case credentials = "credentials-in-url"
        case otherHost = "other-host"
        /// `follow: page` takes seeds only.
        case linksNotFollowed = "links-not-followed"
        case contactMissing = "contact-missing"
        case tooDeep = "too-deep"
        case notIncluded = "not-included"
        case excluded
        case tooLong = "url-too-long"
        case pathTooDeep = "path-too-deep"
        case repeatedSegments = "repeated-segments"
        case tooManyParameters = "too-many-parameters"
        case hostPageLimit = "host-page-limit"
        case sitemapLimit = "sitemap-limit"
        /// More of the host waits than a run may visit (`FrontierLimits`).
        case queueFull = "queue-full"
        /// A sitemap lists a URL of a host it does not speak for.
        case foreignSitemapEntry = "foreign-sitemap-entry"
        /// It was not its host's turn: a defect of ours, if ever it is met (`RequestGate`).
        case outOfTurn = "out-of-turn"

        /// Whether another visit could have been made with other settings; the rest is outside by intent.
        var limitsCoverage: Bool {
            switch self {
            case .notHTTP, .credentials, .otherHost, .linksNotFollowed, .notIncluded, .excluded, .foreignSitemapEntry,
                .outOfTurn:
                false
            case .contactMissing, .tooDeep, .tooLong, .pathTooDeep, .repeatedSegments, .tooManyParameters,
                .hostPageLimit, .sitemapLimit, .queueFull:
                true
            }
        }
    }

    /// Sitemaps.org's own limit for a URL, and about what servers and CDNs accept.
    static let maximumURLBytes = 2048
    /// Real sites stay below 12; deeper paths are relative links that grow with every page.
    static let maximumPathSegments = 24
    /// Facetted search multiplies parameters; pages worth a record have a handful.
    static let maximumParameters = 24

    let configuration: CrawlConfiguration.Scope
    private let hasContact: Bool
    private let include: [URLGlob]
    private let exclude: [URLGlob]
    private let allowedHosts: Set<String>
    /// `example.org` of `*.example.org`.
    private let allowedParents: Set<String>
    /// By host without `www.`: the seeds there, by URL.
    private let seedsByHost: [String: [Seed]]
    private let seedsBySite: [String: [Seed]]

    public init(_ configuration: CrawlConfiguration, seeds: [Seed]) {
        self.configuration = configuration.scope
        hasContact = configuration.agent.contactProblem == nil
        include = configuration.scope.include.map(URLGlob.init)
        exclude = configuration.scope.exclude.map(URLGlob.init)
        let hosts = configuration.scope.allowedHosts.map { $0.lowercased() }
        allowedHosts = Set(hosts.filter { !$0.hasPrefix("*.") })
        allowedParents = Set(hosts.filter { $0.hasPrefix("*.") }.map { String($0.dropFirst(2)) })
        let sorted = seeds.sorted { $0.url.href < $1.url.href }
        seedsByHost = Dictionary(grouping: sorted) { SiteIdentity.withoutWWW($0.url.politenessHost) }
        seedsBySite = Dictionary(grouping: sorted) { SiteIdentity.site(of: $0.url.politenessHost) }
    }

    /// Nil when the URL may be visited. Cheap checks first: most outlinks of the web end at their host.
    public func refusal(
        of url: WebURL, depth: Int, discovery: CrawlRequest.Discovery, seed: Seed, standsForSeed: Bool = false
    ) -> Refusal? {
        guard url.isHTTP else { return .notHTTP }
        let host = url.politenessHost
        if !standsForSeed {
            if configuration.follow == .page, discovery != .redirect { return .linksNotFollowed }
            guard covers(host, seed: seed) else { return .otherHost }
            guard depth <= configuration.maximumDepth else { return .tooDeep }
        }
        guard hasContact || HostReach(host: host) == .privateHost else { return .contactMissing }
        guard url.username.isEmpty, url.password.isEmpty else { return .credentials }
        let href = url.href
        guard href.utf8.count <= Self.maximumURLBytes else { return .tooLong }
        if !include.isEmpty || !exclude.isEmpty {
            let target = href.utf8.prefix { $0 != 0x23 }
            if !exclude.isEmpty, exclude.contains(where: { $0.matches(target) }) { return .excluded }
            if !include.isEmpty, !standsForSeed, !include.contains(where: { $0.matches(target) }) {
                return .notIncluded
            }
        }
        return standsForSeed ? nil : trap(in: url)
    }

    public func refusal(of request: CrawlRequest) -> Refusal? {
        refusal(
            of: request.url, depth: request.depth, discovery: request.discovery, seed: request.seed,
            standsForSeed: request.standsForSeed)
    }

    /// Whether a host belongs to the crawl.
    func covers(_ host: String, seed: Seed) -> Bool {
        if configuration.follow == .any { return true }
        let bare = SiteIdentity.withoutWWW(host)
        if seedsByHost[bare] != nil || allowedHosts.contains(host) { return true }
        if !allowedParents.isEmpty, Self.parents(of: host).contains(where: allowedParents.contains) { return true }
        if seed.landingHosts.contains(where: { SiteIdentity.withoutWWW($0) == bare }) { return true }
        guard configuration.follow == .domain else { return false }
        let site = SiteIdentity.site(of: host)
        return seedsBySite[site] != nil || seed.landingHosts.contains { SiteIdentity.site(of: $0) == site }
    }

    /// Whether a file that a page needs may be asked for, a manifest or an association file: on a host of the page's own
    /// site, `links.example.org` for `www.example.org`, or on one that the crawl covers. Strangers are not asked on the word
    /// of a page.
    func covers(file url: WebURL, of page: WebURL, seed: Seed) -> Bool {
        let host = url.politenessHost
        return (SiteIdentity.isSameSite(host, page.politenessHost) || covers(host, seed: seed)) && allows(file: url)
    }

    /// Whether a file may be asked for as far as its address goes. An association file may lie anywhere when the file of a
    /// host in scope includes it.
    func allows(file url: WebURL) -> Bool {
        guard url.isHTTP, url.username.isEmpty, url.password.isEmpty, url.href.utf8.count <= Self.maximumURLBytes,
            hasContact || HostReach(host: url.politenessHost) == .privateHost
        else { return false }
        return !excludes(url)
    }

    /// Whether the operator leaves a URL out by name, whatever is asked for there.
    func excludes(_ url: WebURL) -> Bool {
        guard !exclude.isEmpty else { return false }
        let target = url.href.utf8.prefix { $0 != 0x23 }
        return exclude.contains { $0.matches(target) }
    }

    /// The seeds a page belongs to, by URL alone and so the same in every run: of the seeds of its host, those whose folder
    /// is the deepest that holds the page, else all of the host. Where the crawl leaves the hosts of its seeds, those of the
    /// nearest host above count, then those of the site. Else it is the seed that led there. Sorted.
    public func seeds(of url: WebURL, foundFrom seed: Seed) -> [Seed] {
        let host = url.politenessHost
        var candidates = seedsByHost[SiteIdentity.withoutWWW(host)] ?? []
        let site = SiteIdentity.site(of: host)
        if candidates.isEmpty, configuration.follow == .domain || configuration.follow == .any,
            let seeds = seedsBySite[site]
        {
            let above = Self.parents(of: host).prefix { SiteIdentity.site(of: $0) == site }
            candidates = above.lazy.compactMap { seedsByHost[$0] }.first ?? seeds
        }
        guard candidates.count > 1 else { return candidates.isEmpty ? [seed] : candidates }
        let path = url.path
        var best: [Seed] = []
        var bestLength = 1
        for candidate in candidates {
            let folder = Self.folder(of: candidate.url)
            guard folder.utf8.count > 1, Self.path(path, liesIn: folder) else { continue }
            if folder.utf8.count > bestLength {
                bestLength = folder.utf8.count
                best = [candidate]
            } else if folder.utf8.count == bestLength {
                best.append(candidate)
            }
        }
        return best.isEmpty ? candidates : best
    }

    /// `/app/` of `/app/support.html`; `/app/` also of `/app`, as many support pages have no slash at their end.
    private static func folder(of url: WebURL) -> String {
        let path = url.path
        guard let slash = path.lastIndex(of: "/") else { return "/" }
        let name = path[path.index(after: slash)...]
        return name.isEmpty || name.contains(".") ? String(path[...slash]) : path + "/"
    }

    private static func path(_ path: String, liesIn folder: String) -> Bool {
        path.hasPrefix(folder) || path.utf8.count + 1 == folder.utf8.count && folder.hasPrefix(path)
    }

    /// `a.b.example.org` → `b.example.org`, `example.org`, `org`. At most 127 labels fit into a name.
    private static func parents(of host: String) -> [String] {
        guard !host.hasPrefix("["), host.utf8.last.map({ $0 &- 0x30 >= 10 }) ?? false else { return [] }
        var parents: [String] = []
        var rest = host[...]
        while let dot = rest.firstIndex(of: "."), parents.count < 127 {
            rest = rest[rest.index(after: dot)...]
            parents.append(String(rest))
        }
        return parents
    }

    /// Signs of a site that never ends.
    private func trap(in url: WebURL) -> Refusal? {
        var path = url.path
        let refusal: Refusal? = path.withUTF8 { bytes in
            var starts: [Int] = []
            for index in bytes.indices where bytes[index] == 0x2F && index + 1 < bytes.count && bytes[index + 1] != 0x2F
            {
                starts.append(index + 1)
                if starts.count > Self.maximumPathSegments { return .pathTooDeep }
            }
            guard starts.count >= 3 else { return nil }
            return Self.repeats(starts, in: bytes) ? .repeatedSegments : nil
        }
        if let refusal { return refusal }
        if let query = url.query {
            var parameters = 1
            for byte in query.utf8 where byte == 0x26 { parameters += 1 }
            if parameters > Self.maximumParameters { return .tooManyParameters }
        }
        return nil
    }

    /// Whether one to three segments follow three times in a row: `/a/a/a`, `/a/b/a/b/a/b`.
    private static func repeats(_ starts: [Int], in path: UnsafeBufferPointer<UInt8>) -> Bool {
        func same(_ first: Int, _ second: Int) -> Bool {
            var a = starts[first]
            var b = starts[second]
            while true {
                let endsA = a >= path.count || path[a] == 0x2F
                let endsB = b >= path.count || path[b] == 0x2F
                if endsA || endsB { return endsA && endsB }
                if path[a] != path[b] { return false }
                a += 1
                b += 1
            }
        }
        for period in 1...3 where starts.count >= period * 3 {
            var run = 0
            for index in period..<starts.count {
                run = same(index, index - period) ? run + 1 : 0
                if run >= period * 2 { return true }
            }
        }
        return false
    }
}
