import PippinPage

/// The crawl's books: what each host gave, how each seed fared, what limited the crawl.
struct CrawlTally {
    let seeds: [Seed]
    /// How messages name settings.
    let spelling: Setting.Spelling
    var hostsLeft: Set<String> = []
    private(set) var finishedPages = 0
    private var hosts: [String: CrawlSummary.HostCount] = [:]
    private var pagesInFlight: [String: Int] = [:]
    private var sitemapsStarted: [String: Int] = [:]
    /// Of all hosts.
    private(set) var sitemapsInAll = 0
    /// Hosts beyond `scope.max_hosts`, or whose robots.txt would have been beyond `scope.max_robots_requests`.
    var hostsBeyond: Set<String> = []
    /// Registered domains of which too many names do not exist.
    var domainsGivenUp: Set<String> = []
    /// By the seed's URL: how its own page ended; nil while it has not.
    private var seedOutcomes: [WebURL: (outcome: VisitOutcome, url: WebURL)] = [:]
    /// Seeds whose turn came in this run; the others are not due.
    private var leasedSeeds: Set<WebURL> = []

    private let seedURLs: Set<WebURL>

    init(seeds: [Seed], spelling: Setting.Spelling = .key) {
        self.seeds = seeds
        self.spelling = spelling
        seedURLs = Set(seeds.map(\.url))
    }

    func pages(of host: String) -> Int { (hosts[host]?.pages ?? 0) + (pagesInFlight[host] ?? 0) }
    func sitemaps(of host: String) -> Int { sitemapsStarted[host] ?? 0 }

    mutating func started(_ request: CrawlRequest) {
        if request.isPage {
            pagesInFlight[request.host, default: 0] += 1
        } else if request.attempt == 0, request.redirects.isEmpty {
            sitemapsStarted[request.host, default: 0] += 1
            sitemapsInAll += 1
        }
    }

    mutating func returned(_ request: CrawlRequest) {
        guard request.isPage, let count = pagesInFlight[request.host] else { return }
        pagesInFlight[request.host] = count > 1 ? count - 1 : nil
    }

    mutating func ended(_ request: CrawlRequest, outcome: VisitOutcome, change: FrontierChange, wroteRecord: Bool) {
        if request.isPage, outcome.countsAsPage {
            finishedPages += 1
            hosts[request.host, default: CrawlSummary.HostCount()].pages += 1
        }
        if wroteRecord { hosts[request.host, default: CrawlSummary.HostCount()].records += 1 }
        switch outcome {
        case .failed, .serverError, .throttled, .robotsUnreachable, .readingTimedOut:
            hosts[request.host, default: CrawlSummary.HostCount()].failures += 1
        default: break
        }
        // A redirect that is followed speaks through its end.
        if case .redirected = outcome, change.followed { return }
        if request.standsForSeed { seedEnded(request, outcome: outcome) }
    }

    mutating func seedLeased(_ request: CrawlRequest) {
        leasedSeeds.insert(request.seed.url)
    }

    mutating func seedEnded(_ request: CrawlRequest, outcome: VisitOutcome) {
        seedOutcomes[request.seed.url] = (outcome, request.url)
    }

    func isSeed(_ url: WebURL) -> Bool { seedURLs.contains(url) }

    /// Seeds of which this run does not know how they end: those that were not due, and redirects whose target was not.
    var seedsWithoutEnd: [Seed] {
        seeds.filter { seed in
            guard let outcome = seedOutcomes[seed.url]?.outcome else { return true }
            if case .redirected = outcome { return true }
            return false
        }
    }

    func summary(
        ending: CrawlSummary.Ending, metrics: CrawlMetrics.Snapshot, unvisited: Int, duration: Duration,
        standing: JobStanding?, troubles: [String: RequestFailure.Words]
    ) -> CrawlSummary {
        var summary = CrawlSummary(
            ending: ending, metrics: metrics, hosts: hosts,
            limitations: limitations(ending: ending, metrics: metrics, unvisited: unvisited, troubles: troubles),
            hostsLeft: hostsLeft.sorted(),
            failedSeeds: seeds.compactMap { failure(of: $0, ending: ending, standing: standing, troubles: troubles) },
            unvisited: unvisited, duration: duration)
        summary.standing = standing
        summary.spelling = spelling
        return summary
    }

    private func failure(
        of seed: Seed, ending: CrawlSummary.Ending, standing: JobStanding?, troubles: [String: RequestFailure.Words]
    ) -> CrawlSummary.FailedSeed? {
        func failed(
            _ code: String, _ detail: String?, at url: WebURL, earlier: JobStanding.SeedStanding? = nil
        ) -> CrawlSummary.FailedSeed {
            var reason = CodeSentences.sentence(ofOutcome: code, detail: detail, at: url, spelling) ?? code
            if code == VisitOutcome.hostLeft.code, let trouble = troubles[url.politenessHost] ?? earlier?.trouble {
                reason += " The last request to it failed: \(trouble.explanation(spelling))."
            }
            return CrawlSummary.FailedSeed(seed: seed, code: code, earlier: earlier, reason: reason)
        }
        if let (outcome, url) = seedOutcomes[seed.url], !outcome.servesSeed {
            return failed(outcome.code, outcome.detail, at: url)
        }
        // What failed in an earlier run is no better for not being due in this one.
        if let earlier = standing?.seeds[seed.url] {
            if let code = earlier.failure {
                return failed(code, earlier.detail, at: earlier.finalURL, earlier: earlier)
            }
            if earlier.code != nil { return nil }
        }
        // A finished crawl has visited every seed that was due but those whose host it had to leave.
        guard [.finished, .hostsRest, .hostLimit].contains(ending), leasedSeeds.contains(seed.url),
            seedOutcomes[seed.url] == nil
        else { return nil }
        return failed(VisitOutcome.hostLeft.code, nil, at: seed.url)
    }

    private func limitations(
        ending: CrawlSummary.Ending, metrics: CrawlMetrics.Snapshot, unvisited: Int,
        troubles: [String: RequestFailure.Words]
    ) -> [CrawlSummary.Limitation] {
        var list: [CrawlSummary.Limitation] = []
        func note(_ code: String, _ count: Int, _ message: String) {
            if count > 0 { list.append(CrawlSummary.Limitation(code: code, count: count, message: message)) }
        }
        if ending == .pageLimit {
            note("page-limit", unvisited, "known URLs not visited, as max_pages is reached: \(unvisited)")
        }
        if ending == .quietHours {
            note("quiet-hours", unvisited, "known URLs not visited, as quiet hours began: \(unvisited)")
        }
        note(
            "host-left", hostsLeft.count,
            "hosts left for the next run: \(hostsLeft.count), "
                + hostsLeft.sorted().prefix(5).map { host in
                    host + (troubles[host].map { " (\($0.brief))" } ?? "")
                }.joined(separator: ", "))
        note(
            "host-limit", hostsBeyond.count,
            "hosts left for the next run, as \(Setting.maximumHosts.spelled(spelling)) or "
                + "\(Setting.maximumRobotsRequests.spelled(spelling)) is reached: \(hostsBeyond.count)")
        note(
            "names-missing", domainsGivenUp.count,
            "domains given up, because most of their names do not exist: \(domainsGivenUp.count), "
                + domainsGivenUp.sorted().prefix(5).joined(separator: ", "))
        let unreachable = metrics.outcomes[VisitOutcome.Kind.robotsUnreachable.rawValue] ?? 0
        note(
            "robots-unreachable", unreachable,
            "URLs not asked for, because their robots.txt could not be fetched: \(unreachable)")
        let disallowed = metrics.outcomes[VisitOutcome.disallowed.code] ?? 0
        note("disallowed", disallowed, "URLs disallowed by robots.txt: \(disallowed)")
        for refusal in CrawlScope.Refusal.allCases where refusal.limitsCoverage {
            let links = metrics.refusals[refusal.rawValue] ?? 0
            let visits = metrics.outcomes[VisitOutcome.excluded(refusal).code] ?? 0
            note(refusal.rawValue, links + visits, "links not followed, \(refusal.rawValue): \(links + visits)")
        }
        return list
    }
}
