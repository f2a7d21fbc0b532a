import PippinPage

/// Decides which URLs may be visited: hosts, depth, the operator's patterns, and guards against endless sites.
///
/// A `host` scope treats `www.example.org` and `example.org` as one host. A `domain` scope covers the seed's site, as defined
/// by `SiteIdentity`: all hosts of its registered domain. A host is in scope if it fits any seed, or a host that the request's
/// own seed was redirected to. So it does not matter which seed leads to a page first.
public struct CrawlScope: Sendable {
    /// The reason why a URL is not visited. The raw value is stable.
    public enum Refusal: String, Sendable, Hashable, CaseIterable {
        case notHTTP = "not-http"
        /// The URL contains a user name or password.
        case credentials = "credentials-in-url"
        case otherHost = "other-host"
        /// `follow: page` visits seeds only.
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
        /// More URLs of the host wait than a run may visit (`FrontierLimits`).
        case queueFull = "queue-full"
        /// A sitemap lists a URL of a host that it may not list.
        case foreignSitemapEntry = "foreign-sitemap-entry"
        /// Another shard asks its host (`Shard`).
        case otherShard = "other-shard"
        /// It was not the host's turn. Only a bug in Pippin can cause this (`RequestGate`).
        case outOfTurn = "out-of-turn"

        /// Whether only this run may not make the visit. The URL stays as it was, for the next run.
        public var isOfRun: Bool { self == .hostPageLimit || self == .sitemapLimit }

        /// Whether a setting is the only reason, so that the next configuration may decide otherwise.
        var isOfSetting: Bool {
            switch self {
            case .otherHost, .linksNotFollowed, .contactMissing, .tooDeep, .notIncluded, .excluded: true
            case .notHTTP, .credentials, .tooLong, .pathTooDeep, .repeatedSegments, .tooManyParameters, .hostPageLimit,
                .sitemapLimit, .queueFull, .foreignSitemapEntry, .otherShard, .outOfTurn:
                false
            }
        }

        /// Whether other settings would have allowed the visit. URLs with other refusals are outside on purpose.
        var limitsCoverage: Bool {
            switch self {
            case .notHTTP, .credentials, .otherHost, .linksNotFollowed, .notIncluded, .excluded, .foreignSitemapEntry,
                .otherShard, .outOfTurn:
                false
            case .contactMissing, .tooDeep, .tooLong, .pathTooDeep, .repeatedSegments, .tooManyParameters,
                .hostPageLimit, .sitemapLimit, .queueFull:
                true
            }
        }
    }

    /// The limit of sitemaps.org for a URL, and about what servers and CDNs accept.
    public static let maximumURLBytes = 2048
    /// Real sites have fewer than 12. Deeper paths come from relative links that grow on every page.
    static let maximumPathSegments = 24
    /// Facetted search multiplies parameters. Pages worth a record have only a few.
    static let maximumParameters = 24

    let configuration: CrawlConfiguration.Scope
    private let hasContact: Bool
    /// What is different for single hosts.
    public let hosts: HostSheets
    private let rules: HostRules
    /// By the patterns of `hosts`.
    private let rulesOfHosts: [String: HostRules]
    private let allowedHosts: Set<String>
    /// The domains of patterns: `example.org` for `*.example.org`.
    private let allowedParents: Set<String>
    /// The seeds of each host. Hosts are without `www.`.
    private let seedsByHost: [String: SeedFolders]
    /// Those of each site; empty if pages beside the hosts of the seeds do not belong to them.
    private let seedsBySite: [String: SeedFolders]
    private let seedsByURL: [WebURL: Seed]
    private let hasSeveralSeeds: Bool
    /// Any seed, for requests that only add to what is known of a URL.
    let anySeed: Seed?
    /// The shard that this process crawls; nil if the crawl has only one. It does not narrow the scope, which is that of the job.
    let shard: Shard?

    /// Creates the scope of a crawl.
    public init(_ configuration: CrawlConfiguration, seeds: [Seed]) {
        self.configuration = configuration.scope
        hasContact = configuration.agent.contactProblem == nil
        hosts = configuration.hosts
        rules = HostRules(configuration.scope, HostSheet())
        rulesOfHosts = hosts.complete.mapValues { HostRules(configuration.scope, $0) }
        let allowed = configuration.scope.allowedHosts.map { $0.lowercased() }
        allowedHosts = Set(allowed.filter { !$0.hasPrefix("*.") })
        allowedParents = Set(allowed.filter { $0.hasPrefix("*.") }.map { String($0.dropFirst(2)) })
        let sorted = seeds.sorted { $0.url.href < $1.url.href }
        seedsByHost = Dictionary(grouping: sorted) { SiteIdentity.withoutWWW($0.url.politenessHost) }
            .mapValues(SeedFolders.init)
        let hasSites = configuration.scope.follow == .domain || configuration.scope.follow == .any
        seedsBySite = Dictionary(grouping: hasSites ? sorted : []) { SiteIdentity.site(of: $0.url.politenessHost) }
            .mapValues(SeedFolders.init)
        seedsByURL = Dictionary(seeds.map { ($0.url, $0) }) { first, _ in first }
        hasSeveralSeeds = seedsByURL.count > 1
        anySeed = seeds.first
        shard = configuration.cluster.shard
    }

    /// Whether this process may ask a host.
    func owns(_ host: String) -> Bool { shard?.owns(host) ?? true }

    /// The seeds that this process visits. The others count for the scope all the same.
    func own(_ seeds: [Seed]) -> [Seed] { seeds.filter { owns($0.url.politenessHost) } }

    /// Whether the operator's list has the URL.
    func isSeed(_ url: WebURL) -> Bool { seedsByURL[url] != nil }

    /// The operator's seed with the URL; nil if there is none.
    func seed(at url: WebURL) -> Seed? { seedsByURL[url] }

    /// The limits and patterns that count on a host.
    fileprivate struct HostRules: Sendable {
        let maximumDepth: Int
        let maximumPages: Int
        let include: [URLGlob]
        let exclude: [URLGlob]

        init(_ scope: CrawlConfiguration.Scope, _ sheet: HostSheet) {
            maximumDepth = sheet.maximumDepth ?? scope.maximumDepth
            maximumPages = sheet.maximumPages ?? scope.maximumPagesPerHost
            include = (sheet.include ?? scope.include).map(URLGlob.init)
            exclude = (scope.exclude + (sheet.exclude ?? [])).map(URLGlob.init)
        }
    }

    private func rules(of host: String) -> HostRules { HostSheets.value(for: host, in: rulesOfHosts) ?? rules }

    /// The greatest number of links from a seed to a page of a host.
    func maximumDepth(of host: String) -> Int { rules(of: host).maximumDepth }

    /// The number of pages of a host that a run may visit.
    func maximumPages(of host: String) -> Int { rules(of: host).maximumPages }

    /// What was said of the host of a URL. Most links of a page lead to the host of the link before.
    struct HostAnswer {
        fileprivate let url: WebURL
        fileprivate let isCovered: Bool
        fileprivate let rules: HostRules
        /// nil as long as nobody has wanted to know.
        fileprivate var mayBeAsked: Bool?
    }

    /// The reason why a URL may not be visited; nil if it may. Cheap checks come first, because most outlinks already fail by
    /// their host.
    public func refusal(
        of url: WebURL, depth: Int, discovery: CrawlRequest.Discovery, seed: Seed, standsForSeed: Bool = false
    ) -> Refusal? {
        var last: HostAnswer?
        return refusal(
            of: url, depth: depth, discovery: discovery, seed: seed, standsForSeed: standsForSeed, last: &last)
    }

    /// - Parameter last: the answer for the URL before, which must have had the same seed; gets the one for this URL.
    func refusal(
        of url: WebURL, depth: Int, discovery: CrawlRequest.Discovery, seed: Seed, standsForSeed: Bool = false,
        last: inout HostAnswer?
    ) -> Refusal? {
        guard url.isHTTP else { return .notHTTP }
        var answer: HostAnswer
        if let last, last.url.hasHost(of: url) {
            answer = last
        } else {
            let host = url.politenessHost
            answer = HostAnswer(url: url, isCovered: covers(host, seed: seed), rules: rules(of: host))
            last = answer
        }
        if !standsForSeed {
            if configuration.follow == .page, discovery != .redirect { return .linksNotFollowed }
            guard answer.isCovered else { return .otherHost }
            guard depth <= answer.rules.maximumDepth else { return .tooDeep }
        }
        if answer.mayBeAsked == nil {
            answer.mayBeAsked = hasContact || HostReach(host: url.politenessHost) == .privateHost
            last = answer
        }
        guard answer.mayBeAsked == true else { return .contactMissing }
        guard url.username.isEmpty, url.password.isEmpty else { return .credentials }
        let href = url.href
        guard href.utf8.count <= Self.maximumURLBytes else { return .tooLong }
        let (include, exclude) = (answer.rules.include, answer.rules.exclude)
        if !include.isEmpty || !exclude.isEmpty {
            let target = href.utf8.prefix { $0 != 0x23 }
            if !exclude.isEmpty, exclude.contains(where: { $0.matches(target) }) { return .excluded }
            if !include.isEmpty, !standsForSeed, !include.contains(where: { $0.matches(target) }) {
                return .notIncluded
            }
        }
        return standsForSeed ? nil : trap(in: url)
    }

    /// The reason why a request may not be visited; nil if it may.
    public func refusal(of request: CrawlRequest) -> Refusal? {
        refusal(
            of: request.url, depth: request.depth, discovery: request.discovery, seed: request.seed,
            standsForSeed: request.standsForSeed)
    }

    /// Whether a host belongs to the crawl.
    public func covers(_ host: String, seed: Seed) -> Bool {
        if isNamed(host) { return true }
        guard !seed.landingHosts.isEmpty else { return false }
        let bare = SiteIdentity.withoutWWW(host)
        if seed.landingHosts.contains(where: { SiteIdentity.withoutWWW($0) == bare }) { return true }
        guard configuration.follow == .domain else { return false }
        let site = SiteIdentity.site(of: host)
        return seed.landingHosts.contains { SiteIdentity.site(of: $0) == site }
    }

    /// Whether the operator's own words cover a host: its seeds and settings, not a redirect or a script.
    func isNamed(_ host: String) -> Bool {
        if configuration.follow == .any { return true }
        if seedsByHost[SiteIdentity.withoutWWW(host)] != nil || allowedHosts.contains(host) { return true }
        if !allowedParents.isEmpty, Self.parents(of: host).contains(where: allowedParents.contains) { return true }
        return configuration.follow == .domain && seedsBySite[SiteIdentity.site(of: host)] != nil
    }

    /// Whether a manifest or association file that a page needs may be requested: on a host of the page's own site
    /// (`links.example.org` for `www.example.org`), or on a host in scope. A page alone cannot make Pippin ask other hosts.
    func covers(file url: WebURL, of page: WebURL, seed: Seed) -> Bool {
        let host = url.politenessHost
        return (SiteIdentity.isSameSite(host, page.politenessHost) || covers(host, seed: seed)) && allows(file: url)
    }

    /// Whether a file's address allows a request. If the association file of a host in scope includes another file, that file
    /// may be on any host.
    func allows(file url: WebURL) -> Bool {
        guard url.isHTTP, url.username.isEmpty, url.password.isEmpty, url.href.utf8.count <= Self.maximumURLBytes,
            hasContact || HostReach(host: url.politenessHost) == .privateHost
        else { return false }
        return !excludes(url)
    }

    /// Whether the operator excluded the URL by a pattern. This applies to all kinds of requests.
    func excludes(_ url: WebURL) -> Bool {
        let exclude = rules(of: url.politenessHost).exclude
        guard !exclude.isEmpty else { return false }
        let target = url.href.utf8.prefix { $0 != 0x23 }
        return exclude.contains { $0.matches(target) }
    }

    /// The seeds that a page belongs to. They depend on the URL only, so they are the same in every run: among the seeds of the
    /// page's host, those with the deepest folder that contains the page, or else all of the host. If the host has no seeds,
    /// the seeds of the nearest parent host, then those of the site. Otherwise, the seed that led to the page, as the operator's list
    /// has it. Sorted.
    ///
    /// - Parameter seed: where the nearest way to the page begins (`CrawlWay`).
    public func seeds(of url: WebURL, foundFrom seed: Seed) -> [Seed] {
        seeds(ofHost: url.politenessHost)?.owners(of: url) ?? [seedsByURL[seed.url] ?? seed]
    }

    /// The seeds of a host, whatever led there; nil if its pages belong to the seed that led to them.
    private func seeds(ofHost host: String) -> SeedFolders? {
        if let seeds = seedsByHost[SiteIdentity.withoutWWW(host)] { return seeds }
        guard !seedsBySite.isEmpty else { return nil }
        let site = SiteIdentity.site(of: host)
        guard let seeds = seedsBySite[site] else { return nil }
        let above = Self.parents(of: host).prefix { SiteIdentity.site(of: $0) == site }
        return above.lazy.compactMap { seedsByHost[$0] }.first ?? seeds
    }

    /// Whether records of a host's pages name the seed that led to them, and there is more than one.
    func namesFinder(onHost host: String) -> Bool { hasSeveralSeeds && seeds(ofHost: host) == nil }

    /// Whether records may name a seed because it led to their pages. All others depend on the URL only.
    func recordsMayName(_ finder: Seed) -> Bool {
        hasSeveralSeeds && hasOtherHosts || finder.landingHosts.contains { namesFinder(onHost: $0) }
    }

    /// Whether the operator allows hosts that need not have seeds.
    private var hasOtherHosts: Bool {
        configuration.follow == .any || !allowedHosts.isEmpty || !allowedParents.isEmpty
    }

    /// The parent domains: `a.b.example.org` gives `b.example.org`, `example.org`, `org`. A name has at most 127 labels.
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

    /// Recognizes signs of an endless site; nil if there are none.
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

    /// Whether one to three segments repeat three times in a row: `/a/a/a`, `/a/b/a/b/a/b`.
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
