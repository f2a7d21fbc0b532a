import Foundation
import PippinCrawl
import PippinPage
import PippinStore
import Synchronization

/// Collects the report of a whole crawl while it runs: it judges what each visit saw. That costs about as much as reading the page.
///
/// A job stores the entries with its URLs, so that the report of a stopped, resumed or short run includes the results of
/// earlier runs. In this case the reporter holds no entries; they are read when the report is made.
public final class CrawlReporter: VisitObserver {
    private struct State: Sendable {
        var builder: SiteReportBuilder
        /// The status and target of redirects, by address. The report card of the page they lead to shows them.
        var redirects: [String: FetchEvidence.Hop] = [:]
        /// The number of answers that showed something about their pages.
        var answers = 0
        /// The greatest weights of the cards that were passed to the job, in descending order.
        var weights: [Int] = []
    }

    /// The limit of hosts whose trouble the report shows.
    private static let maximumTroubles = 50

    private let state: Mutex<State>
    private let seeds: [Seed]
    private let agents: [String]
    private let agent: UsageAgent
    private let spelling: Setting.Spelling
    private let limits: SiteReportBuilder.Limits
    private let isKept: Bool

    /// Starts a report.
    ///
    /// - Parameter isKept: whether the frontier stores the entries. They are then passed to `report`.
    public convenience init(configuration: CrawlConfiguration, seeds: [Seed], isKept: Bool = false) {
        self.init(configuration: configuration, seeds: seeds, isKept: isKept, limits: SiteReportBuilder.Limits())
    }

    init(configuration: CrawlConfiguration, seeds: [Seed], isKept: Bool = false, limits: SiteReportBuilder.Limits) {
        self.seeds = seeds
        self.isKept = isKept
        self.limits = limits
        agents = configuration.agent.robotsAgents
        agent = UsageAgent(configuration.agent)
        spelling = configuration.messages.settings
        state = Mutex(State(builder: Self.builder(configuration, seeds: seeds, limits: limits)))
    }

    private static func builder(
        _ configuration: CrawlConfiguration, seeds: some Sequence<Seed>, limits: SiteReportBuilder.Limits
    ) -> SiteReportBuilder {
        let scope = configuration.scope
        var builder = SiteReportBuilder(
            readsSitemaps: scope.sitemaps && scope.follow != .page && scope.maximumDepth >= 1, limits: limits)
        for seed in seeds { builder.addSeed(URLKey(seed.url), url: seed.url, app: seed.appText) }
        return builder
    }

    /// Whether this run has read anything. If not, an existing report is better than a new one.
    public var hasReadAnything: Bool { state.withLock { $0.answers > 0 } }

    /// Makes the report after the crawl has ended in any way.
    ///
    /// - Parameters:
    ///   - startedAt: the start of the run. Older entries come from earlier runs.
    ///   - kept: the stored entries of this run and of earlier ones; nil for a crawl that stores nothing.
    public func report(
        of summary: CrawlSummary, startedAt: Date? = nil, finishedAt: Date, kept: KeptObservations? = nil
    ) throws -> SiteReport {
        var builder = state.withLock { $0.builder }
        try kept.map { try builder.add($0) }
        var visited = builder.visitedSeeds
        var failures: [WebURL: CrawlSummary.FailedSeed] = [:]
        for failed in summary.failedSeeds {
            failures[failed.seed.url] = failed
            // A visited seed already has its own entry.
            if visited.insert(failed.seed.url.href).inserted {
                builder.add(
                    unvisitedSeed: failed.seed.url,
                    why: String(failed.reason.dropLast(failed.reason.hasSuffix(".") ? 1 : 0)))
            }
        }
        let ending: SiteReport.Crawl.Ending =
            switch summary.ending {
            case .finished: .finished
            case .pageLimit: .pageLimit
            case .quietHours: .quietHours
            // The report has its own places for incompleteness and for hosts that were left.
            case .hostsRest, .hostLimit, .addresses: .finished
            case .interrupted: .interrupted
            }
        // URLs that runs without a report visited, and that have not been due since.
        let notJudged = kept.map { (summary.standing?.knownURLs ?? 0) - summary.unvisited - $0.count } ?? 0
        let gaps =
            summary.limitations.map { SiteReport.Gap(code: $0.code, count: $0.count, message: $0.message) }
            + Self.gaps(troubles: summary.statistics.troubles, notJudged: notJudged, summary.spelling)
        // These limits may hide further links. Pages that robots.txt forbids are not counted, because no crawler may read them.
        let hides: Set<String> = [
            "page-limit", "quiet-hours", CrawlScope.Refusal.tooDeep.rawValue, CrawlScope.Refusal.hostPageLimit.rawValue,
            CrawlScope.Refusal.sitemapLimit.rawValue, CrawlScope.Refusal.queueFull.rawValue,
        ]
        return builder.report(
            of: SiteReport.Crawl(
                ending: ending, startedAt: startedAt, finishedAt: finishedAt,
                seeds: seeds.map {
                    SiteReport.Seed(
                        url: $0.url, kind: $0.kind?.rawValue, failure: failures[$0.url]?.code,
                        reason: failures[$0.url]?.reason,
                        wasVisited: visited.contains($0.url.href))
                },
                notCovered: gaps,
                isComplete: summary.ending == .finished && notJudged <= 0
                    && !summary.limitations.contains { hides.contains($0.code) },
                hostsLeft: summary.hostsLeft))
    }

    private static func gaps(
        troubles: [String: RequestFailure], notJudged: Int, _ spelling: Setting.Spelling
    ) -> [SiteReport.Gap] {
        var gaps = troubles.sorted { $0.key < $1.key }.prefix(maximumTroubles).map { host, trouble in
            SiteReport.Gap(
                code: "host-trouble", count: 1,
                message: "the last request to \(host) failed: \(trouble.explanation(spelling))")
        }
        if notJudged > 0 {
            gaps.append(
                SiteReport.Gap(
                    code: "not-judged", count: notJudged,
                    message: "known URLs that no run with a report has visited yet: \(notJudged)"))
        }
        return gaps
    }

    // MARK: Between runs

    /// Makes the report of what the runs of a job have stored, also while a run goes on.
    fileprivate static func report(
        of job: KeptJob, kept: KeptObservations, configuration: CrawlConfiguration
    ) throws -> SiteReport {
        let spelling = configuration.messages.settings
        var builder = builder(configuration, seeds: job.seeds.map(\.seed), limits: SiteReportBuilder.Limits())
        try builder.add(kept)
        var visited = builder.visitedSeeds
        let seeds = job.seeds.map { seed, standing in
            var shown = SiteReport.Seed(url: seed.url, kind: seed.kind?.rawValue)
            if let standing, let code = standing.failure {
                shown.failure = code
                shown.reason =
                    CodeSentences.sentence(
                        ofOutcome: code, detail: standing.detail, at: standing.finalURL, spelling) ?? code
                if visited.insert(seed.url.href).inserted {
                    let reason = shown.reason ?? code
                    builder.add(
                        unvisitedSeed: seed.url, why: String(reason.dropLast(reason.hasSuffix(".") ? 1 : 0)))
                }
            }
            shown.wasVisited = standing?.code != nil || visited.contains(seed.url.href)
            return shown
        }
        let notJudged = max(0, job.known - job.queued - kept.count)
        var gaps: [SiteReport.Gap] = []
        for (code, count, message) in [
            ("queued", job.queued, "known URLs that wait for a visit"),
            (
                CrawlScope.Refusal.queueFull.rawValue, job.dropped,
                "links that were not kept, because the queue was full"
            ),
        ] where count > 0 {
            gaps.append(SiteReport.Gap(code: code, count: count, message: "\(message): \(count)"))
        }
        let ending: SiteReport.Crawl.Ending =
            switch job.ending.flatMap(CrawlSummary.Ending.init) {
            case .pageLimit: .pageLimit
            case .quietHours: .quietHours
            case .interrupted: .interrupted
            case .finished, .hostsRest, .hostLimit, .addresses, nil: .finished
            }
        return builder.report(
            of: SiteReport.Crawl(
                ending: ending, startedAt: job.startedAt, finishedAt: job.finishedAt, seeds: seeds,
                notCovered: gaps + Self.gaps(troubles: job.troubles, notJudged: notJudged, spelling),
                isComplete: job.ending == CrawlSummary.Ending.finished.rawValue && gaps.isEmpty && notJudged == 0))
    }

    // MARK: While the crawl runs

    public func observe(_ visit: VisitObservation) throws -> KeptObservation? {
        if let answer = visit.seen.answer, let redirect = answer.redirect {
            let hop = FetchEvidence.Hop(
                url: answer.url, status: answer.status, location: String(redirect.location.prefix(2_000)))
            state.withLock { if $0.redirects.count < limits.pages { $0.redirects[answer.url.href] = hop } }
        }
        guard !visit.isRepeated, var entry = entry(of: visit), visit.seen.page?.facts.limits.isInterrupted != true
        else { return nil }
        let settled = entry
        let isGrave = state.withLock { state in
            if settled.isAnswer { state.answers += 1 }
            guard !isKept else { return Self.isGrave(settled.weight, among: &state.weights, limit: limits.cards) }
            state.builder.add(settled)
            return false
        }
        guard isKept else { return nil }
        if !isGrave { entry.card = nil }
        return try KeptObservation(entry)
    }

    /// Whether a page is among the worst so far, so that its card is kept.
    private static func isGrave(_ weight: Int, among weights: inout [Int], limit: Int) -> Bool {
        guard weight > 0, limit > 0 else { return false }
        if weights.count >= limit, let least = weights.last, weight <= least { return weight == least }
        weights.insert(weight, at: weights.firstIndex { $0 < weight } ?? weights.endIndex)
        if weights.count > limit { weights.removeLast() }
        return true
    }

    private func entry(of visit: VisitObservation) -> ReportEntry? {
        let (request, outcome) = (visit.request, visit.outcome)
        let links = links(of: visit)
        func told(_ content: ReportEntry.Content, card: ReportCard? = nil, mayPass: Bool = false) -> ReportEntry {
            var entry = ReportEntry(
                url: request.url, key: request.key, seed: request.standsForSeed ? request.seed.url : nil,
                content: content, followed: links.followed, nofollow: links.nofollow, date: visit.endedAt)
            entry.mayPass = mayPass
            entry.card = card
            return entry
        }
        func judged(_ card: ReportCard, mayPass: Bool = false) -> ReportEntry {
            told(.judged(JudgedPage(card)), card: card, mayPass: mayPass)
        }
        guard request.isPage else {
            switch outcome {
            case .sitemap: return told(.sitemap(visit.seen.listed.map { ReportEntry.Listed($0) }))
            case .notModified: return nil
            default: return told(.nothing, mayPass: outcome.bearing == .silent || outcome.bearing == .misses)
            }
        }
        func broken(_ ending: FetchEvidence.Ending, mayPass: Bool = false) -> ReportEntry {
            judged(ReportCard(url: request.url, evidence: evidence(of: visit, ending: ending)), mayPass: mayPass)
        }
        func failed(_ cause: RequestFailure.Cause, mayPass: Bool = false) -> ReportEntry {
            broken(.failed(RequestFailure(cause, asking: request.url)), mayPass: mayPass)
        }
        switch outcome {
        case .recorded, .withoutDeepLinks, .noindex, .useRefused: return card(of: visit).map { judged($0) }
        case .duplicate(let canonical): return told(.leads(to: URLKey(canonical).string, isRedirect: false))
        case .redirected(let target, _), .redirectRefused(let target, _):
            return told(.leads(to: URLKey(target).string, isRedirect: true))
        case .gone(let status), .refused(let status): return broken(.answered(status: status))
        case .throttled(let status), .serverError(let status): return broken(.answered(status: status), mayPass: true)
        case .failed(let error): return failed(.failed(error), mayPass: true)
        case .redirectLoop: return failed(.redirectLoop)
        case .tooManyRedirects: return failed(.tooManyRedirects)
        case .redirectBroken: return failed(.badRedirect(visit.seen.answer?.redirect?.location ?? ""))
        case .disallowed: return told(.closed)
        // A host without rules is reported once, as a gap of the crawl. Only a seed there is reported as a fault.
        case .robotsUnreachable(let rules):
            return request.standsForSeed
                ? failed(.robotsUnreachable(rules), mayPass: true) : told(.nothing, mayPass: true)
        // Requests of a crawl with a report are unconditional, so "not modified" shows nothing about changes.
        case .notModified: return isKept ? nil : told(.unjudged(outcome.code))
        // Files that are served as files are no fault.
        case .notAPage(let type):
            guard let answer = visit.seen.answer, AnswerKind.saysPage(answer.headers) else {
                return told(.unjudged(outcome.code))
            }
            var evidence = evidence(of: visit, ending: .answered(status: answer.status), answer)
            evidence.foreignType = type
            return judged(ReportCard(url: request.url, evidence: evidence))
        case .empty, .redirectedToApp, .readingTimedOut: return told(.unjudged(outcome.code))
        case .excluded: return outcome.bearing == .silent ? nil : told(.nothing)
        case .hostLeft: return nil
        case .sitemap: return told(.nothing)
        }
    }

    /// The links of a page that lead to URLs in the crawl's scope.
    private func links(of visit: VisitObservation) -> (followed: [URLKey], nofollow: [URLKey]) {
        var (followed, nofollow): ([URLKey], [URLKey]) = ([], [])
        guard let page = visit.seen.page else { return (followed, nofollow) }
        for link in page.facts.outlinks.links where link.kind != .canonical && link.kind != .sitemap {
            let host = link.url.politenessHost
            guard host == visit.request.host || visit.scope.covers(host, seed: visit.request.seed) else { continue }
            if page.followsLinks, !link.isNofollow {
                followed.append(URLKey(link.url))
            } else {
                nofollow.append(URLKey(link.url))
            }
        }
        return (followed, nofollow)
    }

    /// The card of a page that was read.
    private func card(of visit: VisitObservation) -> ReportCard? {
        let seen = visit.seen
        guard let page = seen.page, let conclusion = seen.conclusion, let answer = seen.answer else { return nil }
        var evidence = evidence(of: visit, ending: .answered(status: answer.status), answer)
        if let rendering = seen.rendering { evidence.rendering = RenderingEvidence.observation(of: rendering) }
        if let verification = seen.verification {
            evidence.association = .made(
                AssociationEvidence(files: verification.associations, apps: verification.apps))
            if let lookup = verification.lookup { evidence.appStore = .made(lookup) }
        }
        return ReportCard(
            facts: page.facts, conclusion: conclusion, evidence: evidence, verification: seen.verification?.result,
            showsSource: false)
    }

    /// - Parameter answer: the answer, if it is what was expected at the address.
    private func evidence(
        of visit: VisitObservation, ending: FetchEvidence.Ending, _ answer: FetchResponse? = nil
    ) -> PageEvidence {
        let request = visit.request
        var evidence = PageEvidence(missing: "it was not asked for")
        evidence.agent = agent
        evidence.crawl = .missing(because: "the crawl has not ended")
        let (rules, failure): (RobotsRules?, RequestFailure?) =
            switch visit.robots {
            case .success(let rules): (rules, nil)
            case .failure(let failure): (.disallowAll, failure)
            case nil: (nil, nil)
            }
        if let place = WebURL("/robots.txt", base: request.url), let file = rules?.file(at: place) {
            var robots = RobotsEvidence(url: place, file: file, page: request.url, pippinAgents: agents)
            robots.failure = failure
            robots.status = failure?.status
            evidence.robots = .made(robots)
        }
        var fetch = FetchEvidence(requestedURL: request.redirects.first ?? request.url, ending: ending)
        fetch.spelling = spelling
        if !request.redirects.isEmpty {
            fetch.hops = state.withLock { state in request.redirects.compactMap { state.redirects[$0.href] } }
        }
        if let answer {
            fetch.take(answer)
        } else if let refused = visit.seen.answer {
            fetch.edge = EdgeRefusal(status: refused.status, headers: refused.headers, body: refused.body)
        }
        evidence.fetch = .made(fetch)
        return evidence
    }
}

extension ReportEntry {
    fileprivate var isAnswer: Bool {
        if case .nothing = content { return false }
        return !mayPass
    }

    fileprivate var weight: Int { if case .judged(let page) = content { page.weight } else { 0 } }
}

extension StorageReader {
    /// The report of the job's site, as its runs with a report have seen it; nil if there was none yet.
    ///
    /// - Parameter configuration: for the names of settings in messages, and whether sitemaps were read.
    public func siteReport(_ configuration: CrawlConfiguration, now: Date = Date()) throws -> SiteReport? {
        let kept = try keptObservations()
        guard kept.count > 0 else { return nil }
        return try CrawlReporter.report(of: try job(now: now), kept: kept, configuration: configuration)
    }
}

// MARK: What a frontier keeps

extension KeptObservation {
    /// The largest entries for a page, whose links take most of it, and for a sitemap, which is nothing but its entries.
    private static let maximumBytes = 64 << 10
    private static let maximumSitemapBytes = 8 << 20

    fileprivate init(_ entry: ReportEntry) throws {
        var (weight, stands, limit) = (0, false, Self.maximumBytes)
        switch entry.content {
        case .judged(let page): (weight, stands) = (page.weight, entry.trouble == nil)
        case .sitemap: (stands, limit) = (true, Self.maximumSitemapBytes)
        case .leads, .closed, .unjudged, .nothing: break
        }
        self.init(
            entry: try entry.kept(maximumBytes: limit), details: try entry.card?.kept(), weight: weight,
            stands: stands, mayPass: entry.mayPass)
    }
}

extension SiteReportBuilder {
    /// Adds what earlier runs and this one have left. What another version has written in another form is left out: its page is
    /// judged again on its next visit.
    fileprivate mutating func add(_ kept: KeptObservations) throws {
        func entry(_ bytes: [UInt8], _ date: Date) -> ReportEntry? { try? ReportEntry(kept: bytes, date: date) }
        try kept.read { stored in
            guard var page = entry(stored.bytes, stored.date) else { return }
            if let failure = stored.failure, let why = entry(failure.bytes, failure.date)?.trouble {
                page.failure = ReportEntry.Failure(why: why, at: failure.date)
            }
            add(page)
        } _: { bytes in
            if let card = try? ReportCard(kept: bytes) { add(kept: card) }
        }
    }
}
