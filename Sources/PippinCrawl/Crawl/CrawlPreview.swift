import PippinPage

/// What a crawl would do with its seeds, found out without visiting any page.
///
/// The robots.txt of each seed's origin is fetched, and the association files of its host, as politely as in a crawl.
public struct CrawlPreview: Sendable {
    /// What would become of a seed.
    public enum Verdict: Sendable {
        /// It would be visited; the sentence says which rule allows it.
        case visit(RobotsDecision)
        /// The configuration leaves it out.
        case refused(CrawlScope.Refusal)
        /// robots.txt does not allow it.
        case disallowed(RobotsDecision)
        /// Its host cannot be asked.
        case failed(RequestFailure)

        /// The reason as a sentence.
        public func sentence(_ spelling: Setting.Spelling) -> String {
            switch self {
            case .visit(let decision), .disallowed(let decision): decision.sentence
            case .refused(let refusal): "\(refusal.sentence(spelling)).".sentenceStart
            // The file's address says whose it is.
            case .failed(let failure): failure.root.explanation(spelling) + "."
            }
        }
    }

    /// The seeds of one origin.
    public struct Origin: Sendable {
        /// Scheme, host and port: `https://shop.example`.
        public let name: String
        public let seeds: [(seed: Seed, verdict: Verdict)]
        /// nil if the host was not asked, because the configuration leaves all its seeds out, or failed first.
        public let robots: RobotsLookUp?
        /// The time between two requests, with the host's Crawl-delay.
        public let delay: Duration
        /// nil if the host has none (http) or was not asked.
        public let associations: HostAssociations?
    }

    private let configuration: CrawlConfiguration
    private let scope: CrawlScope
    private let seeds: [Seed]

    /// - Throws: if the configuration does not allow to crawl the seeds at all.
    public init(_ configuration: CrawlConfiguration, seeds: [Seed]) throws {
        if let problem = Crawler.setUpProblem(configuration, seeds: seeds) { throw problem }
        self.configuration = configuration
        self.seeds = seeds
        scope = CrawlScope(configuration, seeds: seeds)
    }

    /// Asks the hosts one after another.
    ///
    /// - Parameter tell: receives each origin when it is known, in the order of the seeds.
    public func run(with single: inout SingleFetch, tell: (Origin) async throws -> Void) async throws {
        var order: [String] = []
        var groups: [String: [Seed]] = [:]
        for seed in seeds {
            let name = seed.url.origin ?? seed.url.href
            if groups[name] == nil { order.append(name) }
            groups[name, default: []].append(seed)
        }
        // All robots.txt first: while one host rests, the others answer.
        var known: [String: Result<RobotsLookUp, RequestFailure>] = [:]
        for name in order {
            guard let seed = groups[name]?.first(where: { refusal(of: $0) == nil }) else { continue }
            do throws(RequestFailure) {
                known[name] = .success(try await single.robots(of: seed.url))
            } catch {
                known[name] = .failure(error)
            }
            try Task.checkCancellation()
        }
        for name in order {
            try await tell(origin(name, groups[name] ?? [], known[name], with: &single))
            try Task.checkCancellation()
        }
    }

    private func refusal(of seed: Seed) -> CrawlScope.Refusal? {
        scope.refusal(of: seed.url, depth: 0, discovery: .seed, seed: seed, standsForSeed: true)
    }

    private func origin(
        _ name: String, _ seeds: [Seed], _ robots: Result<RobotsLookUp, RequestFailure>?,
        with single: inout SingleFetch
    ) async -> Origin {
        let verdicts = seeds.map { (seed: $0, verdict: verdict(of: $0, robots)) }
        var schedule = PolitenessSchedule(PolitenessSchedule.Settings(configuration))
        let host = seeds.first?.url.politenessHost ?? ""
        let lookUp: RobotsLookUp? = if case .success(let found)? = robots { found } else { nil }
        if case .success(let rules)? = lookUp?.rules { schedule.setCrawlDelay(rules.crawlDelay, host: host) }
        var associations: HostAssociations?
        // Whatever cannot be had is in the outcome of each file; no contact would have ended the robots.txt.
        if case .success? = lookUp?.result, let site = seeds.first.flatMap({ SiteAssociations.site(of: $0.url) }),
            scope.allows(file: site)
        {
            associations = try? await single.hostAssociations(of: site, everyPlace: false)
        }
        return Origin(
            name: name, seeds: verdicts, robots: lookUp, delay: schedule.delay(host: host), associations: associations)
    }

    private func verdict(of seed: Seed, _ robots: Result<RobotsLookUp, RequestFailure>?) -> Verdict {
        if let refusal = refusal(of: seed) { return .refused(refusal) }
        switch robots {
        case .failure(let failure)?: return .failed(failure)
        case .success(let found)?:
            let permission = RobotsPermission(found.rules, of: seed.url, for: .page)
            switch permission {
            case .allowed(let decision): return .visit(decision)
            case .disallowed(let decision): return .disallowed(decision)
            case .unreachable, .notNeeded, .rulesNeeded:
                return .failed(RequestFailure(permission.refusal ?? .notHTTP, asking: seed.url))
            }
        // A seed that is not refused has been asked for.
        case nil: return .failed(RequestFailure(.notHTTP, asking: seed.url))
        }
    }
}
