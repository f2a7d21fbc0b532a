import PippinPage

/// What a run did, why it ended, and what kept it from doing more.
public struct CrawlSummary: Sendable {
    public enum Ending: String, Sendable {
        /// Nothing is left to visit.
        case finished
        /// `max_pages` is reached; the rest is kept for the next run.
        case pageLimit = "page-limit"
        /// Quiet hours began that last longer than a run waits; the rest is kept for the next run.
        case quietHours = "quiet-hours"
        /// Only hosts were left that rest for longer than a run of a job waits; they are asked by the next run.
        case hostsRest = "hosts-rest"
        /// Only hosts beyond `scope.max_hosts` or `scope.max_robots_requests` are left; they are kept for the next run.
        case hostLimit = "host-limit"
        /// The operator stopped it; nothing is lost.
        case interrupted
    }

    /// Something that made the crawl smaller than it could have been.
    public struct Limitation: Sendable, Equatable {
        /// Stable: a refusal's code, `page-limit`, `quiet-hours`, `host-left`.
        public let code: String
        public let count: Int
        /// For a person to read, with what to do where something can be done.
        public let message: String
    }

    /// A seed whose last visit did not do what the seed was given for.
    public struct FailedSeed: Sendable {
        public let seed: Seed
        /// Code of the outcome.
        public let code: String
        /// Set when that was in an earlier run, and this one did not visit it.
        public let earlier: JobStanding.SeedStanding?
        /// What that means, and which option changes it, in sentences.
        public let reason: String
    }

    public let ending: Ending
    public let statistics: CrawlStatistics
    /// URLs that are known and were not visited.
    public let unvisited: Int
    public let duration: Duration
    /// Of a job that is kept.
    public let standing: JobStanding?
    /// How messages name settings.
    public let spelling: Setting.Spelling
    public let limitations: [Limitation]
    /// In the order of the seeds file.
    public let failedSeeds: [FailedSeed]

    init(
        ending: Ending, statistics: CrawlStatistics, unvisited: Int, duration: Duration, standing: JobStanding?,
        spelling: Setting.Spelling
    ) {
        self.ending = ending
        self.statistics = statistics
        self.unvisited = unvisited
        self.duration = duration
        self.standing = standing
        self.spelling = spelling
        limitations = Self.limitations(ending, statistics, unvisited: unvisited, spelling)
        failedSeeds = statistics.seeds.compactMap { Self.failure(of: $0, ending, statistics.troubles, spelling) }
    }

    /// Hosts that asked for more rest than the run waits for, in order.
    public var hostsLeft: [String] { statistics.hostsLeft.sorted() }

    private static func failure(
        of end: CrawlStatistics.SeedEnd, _ ending: Ending, _ troubles: [String: RequestFailure.Words],
        _ spelling: Setting.Spelling
    ) -> FailedSeed? {
        let seed = end.seed
        func failed(
            _ code: String, _ detail: String?, at url: WebURL, earlier: JobStanding.SeedStanding? = nil
        ) -> FailedSeed {
            var reason = CodeSentences.sentence(ofOutcome: code, detail: detail, at: url, spelling) ?? code
            if code == VisitOutcome.hostLeft.code, let trouble = troubles[url.politenessHost] ?? earlier?.trouble {
                reason += " The last request to it failed: \(trouble.explanation(spelling))."
            }
            return FailedSeed(seed: seed, code: code, earlier: earlier, reason: reason)
        }
        // A redirect that is followed speaks through its end.
        let outcome = end.isFollowed ? nil : end.outcome
        if let outcome, !outcome.servesSeed {
            return failed(outcome.code, outcome.detail, at: end.finalURL ?? seed.url)
        }
        // What failed in an earlier run is no better for not being due in this one.
        if let earlier = end.earlier {
            if let code = earlier.failure {
                return failed(code, earlier.detail, at: earlier.finalURL, earlier: earlier)
            }
            if earlier.code != nil { return nil }
        }
        // A finished crawl has visited every seed that was due but those whose host it had to leave.
        guard [.finished, .hostsRest, .hostLimit].contains(ending), end.isDue, outcome == nil else { return nil }
        return failed(VisitOutcome.hostLeft.code, nil, at: seed.url)
    }

    private static func limitations(
        _ ending: Ending, _ statistics: CrawlStatistics, unvisited: Int, _ spelling: Setting.Spelling
    ) -> [Limitation] {
        var list: [Limitation] = []
        func note(_ code: String, _ count: Int, _ message: String) {
            if count > 0 { list.append(Limitation(code: code, count: count, message: message)) }
        }
        if ending == .pageLimit {
            note("page-limit", unvisited, "known URLs not visited, as max_pages is reached: \(unvisited)")
        }
        if ending == .quietHours {
            note("quiet-hours", unvisited, "known URLs not visited, as quiet hours began: \(unvisited)")
        }
        note(
            "host-left", statistics.hostsLeft.count,
            "hosts left for the next run: \(statistics.hostsLeft.count), "
                + statistics.hostsLeft.sorted().prefix(5).map { host in
                    host + (statistics.troubles[host].map { " (\($0.brief))" } ?? "")
                }.joined(separator: ", "))
        note(
            "host-limit", statistics.hostsBeyond,
            "hosts left for the next run, as \(Setting.maximumHosts.spelled(spelling)) or "
                + "\(Setting.maximumRobotsRequests.spelled(spelling)) is reached: \(statistics.hostsBeyond)")
        note(
            "names-missing", statistics.domainsGivenUp.count,
            "domains given up, because most of their names do not exist: \(statistics.domainsGivenUp.count), "
                + statistics.domainsGivenUp.sorted().prefix(5).joined(separator: ", "))
        let unreachable = statistics.outcomes[VisitOutcome.Kind.robotsUnreachable.rawValue] ?? 0
        note(
            "robots-unreachable", unreachable,
            "URLs not asked for, because their robots.txt could not be fetched: \(unreachable)")
        let disallowed = statistics.outcomes[VisitOutcome.disallowed.code] ?? 0
        note("disallowed", disallowed, "URLs disallowed by robots.txt: \(disallowed)")
        for refusal in CrawlScope.Refusal.allCases where refusal.limitsCoverage {
            let links = statistics.refusals[refusal.rawValue] ?? 0
            let visits = statistics.outcomes[VisitOutcome.excluded(refusal).code] ?? 0
            note(refusal.rawValue, links + visits, "links not followed, \(refusal.rawValue): \(links + visits)")
        }
        return list
    }
}
