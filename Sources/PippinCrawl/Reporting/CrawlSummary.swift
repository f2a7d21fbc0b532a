import Foundation
import PippinPage

/// The result of a run: the counts, the reason of its end, and what limited it.
public struct CrawlSummary: Sendable {
    /// The reason why a run ended.
    public enum Ending: String, Sendable {
        /// Nothing is left to visit, except at hosts that this run has left: they are told, and the next run asks them.
        case finished
        /// `max_pages` was reached. The rest is kept for the next run.
        case pageLimit = "page-limit"
        /// Quiet hours began that last longer than a run waits. The rest is kept for the next run.
        case quietHours = "quiet-hours"
        /// Only hosts are left that rest for longer than a job's run waits. The next run asks them.
        case hostsRest = "hosts-rest"
        /// Only hosts beyond `scope.max_hosts` or `scope.max_robots_requests` are left. They are kept for the next run.
        case hostLimit = "host-limit"
        /// Only hosts are left whose addresses the driver has not named for this shard. The next run asks them.
        case addresses
        /// The operator stopped the run. Nothing is lost.
        case interrupted
    }

    /// A reason why the crawl covered less than it could have.
    public struct Limitation: Sendable, Equatable {
        /// The stable code: a refusal's code, `page-limit`, `quiet-hours`, `host-left`.
        public let code: String
        /// The number of URLs or hosts.
        public let count: Int
        /// A text for people, with a remedy if there is one.
        public let message: String
    }

    /// A seed whose last visit did not serve its purpose.
    public struct FailedSeed: Sendable {
        /// The seed.
        public let seed: Seed
        /// The code of the outcome.
        public let code: String
        /// The state after an earlier run, if the failure comes from there and this run did not visit the seed; otherwise nil.
        public let earlier: JobStanding.SeedStanding?
        /// Sentences about the failure, and the option that changes it.
        public let reason: String
    }

    /// The reason why the run ended.
    public let ending: Ending
    /// The counts of the run.
    public let statistics: CrawlStatistics
    /// The number of known URLs that were not visited.
    public let unvisited: Int
    /// The duration of the run.
    public let duration: Duration
    /// The state of the job; nil for a crawl that keeps nothing.
    public let standing: JobStanding?
    /// The way in which messages name settings.
    public let spelling: Setting.Spelling
    /// The reasons why the crawl covered less than it could have.
    public let limitations: [Limitation]
    /// The failed seeds, in the order of the seeds file.
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

    /// The hosts that need a longer rest than the run waits, sorted.
    public var hostsLeft: [String] { statistics.hostsLeft.sorted() }

    private static func failure(
        of end: CrawlStatistics.SeedEnd, _ ending: Ending, _ troubles: [String: RequestFailure],
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
        // If a redirect is followed, only the visit of its target counts.
        let outcome = end.isFollowed ? nil : end.outcome
        if let outcome, !outcome.servesSeed {
            return failed(outcome.code, outcome.detail, at: end.finalURL ?? seed.url)
        }
        // A seed that failed in an earlier run and is not due in this one still counts as failed.
        if let earlier = end.earlier {
            if let code = earlier.failure {
                return failed(code, earlier.detail, at: earlier.finalURL, earlier: earlier)
            }
            if earlier.code != nil { return nil }
        }
        // A finished crawl has visited every seed that was due, except those on hosts that it had to leave.
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
            RequestFailure.Kind.addressNotNamed.rawValue, statistics.hostsUnnamed,
            "hosts left for the next turn, as their addresses are new: \(statistics.hostsUnnamed)")
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
            let message =
                refusal == .hostPageLimit
                ? "URLs not visited, as \(Setting.maximumPagesPerHost.spelled(spelling)) is reached: \(visits) or more"
                : "links not followed, \(refusal.rawValue): \(links + visits)"
            note(refusal.rawValue, links + visits, message)
        }
        return list
    }
}

extension CrawlSummary {
    /// The summary for programs: one indented JSON object. Docs/CrawlLog.md lists its members.
    public func json(endedAt: Date) -> [UInt8] {
        var writer = JSONWriter(pretty: true)
        writer.object { writeMembers(to: &$0, endedAt: endedAt) }
        writer.endLine()
        return writer.bytes
    }

    /// Writes the members of that object.
    ///
    /// - Parameters:
    ///   - mostHosts: the most hosts. If there are more, those with trouble or with requests that came too early are written, then those
    ///     with the most pages.
    ///   - mostSeeds: the most seeds. If there are more, those that failed are written, then the first ones.
    public func writeMembers(
        to writer: inout JSONWriter, endedAt: Date, mostHosts: Int = .max, mostSeeds: Int = .max
    ) {
        writer.member("ending", ending.rawValue)
        writer.member("startedAt", CrawlLogEntry.text(of: endedAt.addingTimeInterval(-(duration / .seconds(1)))))
        writer.member("endedAt", CrawlLogEntry.text(of: endedAt))
        writer.member("seconds", CrawlLogEntry.seconds(duration))
        writeCounts(&writer)
        writePoliteness(&writer)
        writePace(&writer)
        writeVisits(&writer)
        writeSeeds(&writer, most: mostSeeds)
        writeHosts(&writer, most: mostHosts)
    }

    /// A rate per second over the whole run.
    func rate(_ count: Int) -> Double {
        let seconds = duration / .seconds(1)
        return seconds > 0 ? (Double(count) / seconds * 1000).rounded() / 1000 : 0
    }

    private func writeCounts(_ writer: inout JSONWriter) {
        writer.member("pages", statistics.pages)
        writer.member("records", statistics.records)
        writer.member("deepLinks", statistics.deepLinks)
        writer.member("deletions", statistics.deletions)
        writer.member("requests", statistics.requests)
        writer.member("retries", statistics.retries)
        writer.member("wireBytes", statistics.wireBytes)
        writer.member("bytes", statistics.bodyBytes)
        writer.object("perSecond") { writer in
            writer.member("pages", rate(statistics.pages))
            writer.member("records", rate(statistics.records))
            writer.member("requests", rate(statistics.requests))
            writer.member("wireBytes", rate(statistics.wireBytes))
        }
        writer.counts("lookUps", statistics.lookUps)
        writer.member("hostsMet", statistics.hostsMet)
        writer.member("hostsBeyondLimit", statistics.hostsBeyond)
        writer.member("unvisited", unvisited)
        guard let standing else { return }
        writer.member("known", standing.knownURLs)
        if let next = standing.nextDue {
            writer.member("nextDue", CrawlLogEntry.text(of: next.at))
            writer.member("nextDueHost", next.host)
        }
    }

    private func writePoliteness(_ writer: inout JSONWriter) {
        writer.object("politeness") { writer in
            writer.member("requestsTooEarly", statistics.requestsTooEarly)
            if let least = statistics.smallestPause {
                writer.object("smallestPause") { writer in
                    writer.member("host", least.host)
                    writer.member("seconds", CrawlLogEntry.seconds(least.pause))
                    writer.member("delay", CrawlLogEntry.seconds(least.delay))
                }
            }
            guard !statistics.addresses.isEmpty else { return }
            writer.objects("addresses", statistics.addresses.sorted { $0.key < $1.key }) { writer, address in
                writer.member("address", address.key)
                writer.member("requestsPerSecond", (address.value.last * 100).rounded() / 100)
                writer.member("highest", (address.value.highest * 100).rounded() / 100)
                writer.member("falls", address.value.falls)
            }
        }
    }

    private func writePace(_ writer: inout JSONWriter) {
        writer.object("pace") { writer in
            writer.optional("limit", statistics.pace.mostly?.rawValue)
            writer.object("shares") { writer in
                for limit in CrawlPace.Limit.allCases {
                    writer.member(limit.rawValue, (statistics.pace.share(of: limit) * 1000).rounded() / 1000)
                }
            }
        }
    }

    private func writeVisits(_ writer: inout JSONWriter) {
        func mostFirst(_ counts: [String: Int]) -> [(key: String, value: Int)] {
            counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        }
        writer.objects("outcomes", mostFirst(statistics.outcomes)) { writer, outcome in
            writer.member("code", outcome.key)
            writer.member("count", outcome.value)
            writer.member("examples", statistics.examples[outcome.key] ?? [])
        }
        writer.objects("droppedLinks", mostFirst(statistics.refusals)) { writer, refusal in
            writer.member("reason", refusal.key)
            writer.member("count", refusal.value)
            writer.member("limitsCoverage", CrawlScope.Refusal(rawValue: refusal.key)?.limitsCoverage ?? false)
            writer.member("examples", statistics.refusalExamples[refusal.key] ?? [])
        }
        writer.objects("notCovered", limitations) { writer, limitation in
            writer.member("code", limitation.code)
            writer.member("count", limitation.count)
            writer.member("message", limitation.message)
        }
        writer.counts("siteFiles", statistics.siteFiles)
        if !statistics.renderings.isEmpty { writer.counts("renderings", statistics.renderings) }
    }

    private func writeSeeds(_ writer: inout JSONWriter, most: Int) {
        let reasons = Dictionary(failedSeeds.map { ($0.seed.url, $0.reason) }) { first, _ in first }
        var seeds = statistics.seeds
        if seeds.count > most {
            let failed = seeds.filter { reasons[$0.seed.url] != nil }.prefix(most)
            seeds = Array(failed) + seeds.filter { reasons[$0.seed.url] == nil }.prefix(most - failed.count)
        }
        writer.objects("seeds", seeds) { writer, end in
            writer.member("url", end.seed.url.href)
            if let earlier = end.earlier, end.outcome == nil || earlier.code != nil {
                write(earlier, visited: end.outcome != nil, &writer)
            } else {
                writer.optional("finalURL", end.finalURL?.href)
                writer.member("redirects", end.redirects)
                writer.member("outcome", end.outcome?.code ?? SeedOutcome.notVisited)
                writer.optional("status", end.status)
                writer.optional("detail", end.outcome?.detail)
            }
            writer.optional("reason", reasons[end.seed.url])
        }
    }

    /// Writes the result of earlier runs, for a seed that was not due, or whose redirect target was not.
    private func write(_ earlier: JobStanding.SeedStanding, visited: Bool, _ writer: inout JSONWriter) {
        if earlier.code != nil { writer.member("finalURL", earlier.finalURL.href) }
        writer.member("redirects", earlier.redirects)
        writer.member("outcome", earlier.code ?? SeedOutcome.notVisited)
        writer.optional("visitedAt", earlier.visitedAt.map(CrawlLogEntry.text(of:)))
        writer.optional("nextVisit", earlier.nextVisit.map(CrawlLogEntry.text(of:)))
        writer.optional("hostRestsUntil", earlier.restsUntil.map(CrawlLogEntry.text(of:)))
        writer.member("inThisRun", visited)
    }

    private func writeHosts(_ writer: inout JSONWriter, most: Int) {
        writer.objects("hosts", hosts(most: most)) { writer, name in
            let host = statistics.hosts[name] ?? CrawlStatistics.Host()
            writer.member("host", name)
            writer.member("pages", host.pages)
            writer.member("records", host.records)
            writer.member("failures", host.failures)
            statistics.troubles[name]?.write(to: &writer, key: "trouble", spelling)
            guard host.wasAsked else { return }
            writer.member("requests", host.requests)
            writer.member("wireBytes", host.wireBytes)
            writer.optional("smallestPause", host.smallestPause.map(CrawlLogEntry.seconds))
            writer.optional("delay", host.delayThen.map(CrawlLogEntry.seconds))
            writer.member("requestsTooEarly", host.tooEarly)
            writer.member("addresses", host.addresses)
        }
    }
}

extension CrawlSummary {
    /// The hosts to write, sorted.
    private func hosts(most: Int) -> [String] {
        let names = Set(statistics.hosts.keys).union(statistics.troubles.keys)
        guard names.count > most else { return names.sorted() }
        let ranked = names.map { name in
            let host = statistics.hosts[name]
            let isOdd = statistics.troubles[name] != nil || host?.tooEarly ?? 0 > 0
            return (isOdd: isOdd, pages: host?.pages ?? 0, name: name)
        }
        let first = ranked.sorted { a, b in
            a.isOdd == b.isOdd ? (b.pages, a.name) < (a.pages, b.name) : a.isOdd
        }
        return first.prefix(most).map(\.name).sorted()
    }
}

extension RequestFailure {
    /// Writes an object with the code, the requested URL and a sentence.
    public func write(to writer: inout JSONWriter, key: String, _ spelling: Setting.Spelling) {
        writer.object(key) { writer in
            writer.member("code", code)
            writer.member("url", url.href)
            writer.member("reason", explanation(spelling) + ".")
        }
    }
}

extension CrawlSummary {
    /// The value in place of an outcome if a seed has none.
    enum SeedOutcome {
        static let notVisited = "not-visited"
    }
}
