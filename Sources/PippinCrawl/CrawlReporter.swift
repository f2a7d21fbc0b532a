import Foundation
import PippinPage
import Synchronization

/// Gathers the report of a whole crawl while it runs. A crawl has one only when a report is wanted; otherwise no page is
/// judged. Visits judge their own pages, in parallel, and hand in the cards here.
public final class CrawlReporter: Sendable {
    private struct State: Sendable {
        var builder: SiteReportBuilder
        /// Status and target of redirects, by address: the card of the page they lead to tells of them.
        var redirects: [String: FetchEvidence.Hop] = [:]
        var visitedSeeds: Set<WebURL> = []
    }

    /// Hosts whose trouble the report tells of.
    private static let maximumTroubles = 50

    private let state: Mutex<State>
    private let seeds: [Seed]
    private let agents: [String]
    private let spelling: Setting.Spelling
    private let limits: SiteReportBuilder.Limits

    public init(
        configuration: CrawlConfiguration, seeds: [Seed], limits: SiteReportBuilder.Limits = SiteReportBuilder.Limits()
    ) {
        self.seeds = seeds
        self.limits = limits
        agents = configuration.agent.robotsAgents
        spelling = configuration.messages.settings
        let scope = configuration.scope
        var builder = SiteReportBuilder(
            readsSitemaps: scope.sitemaps && scope.follow != .page && scope.maximumDepth >= 1, limits: limits)
        for seed in seeds { builder.addSeed(URLKey(seed.url), url: seed.url, app: seed.appText) }
        state = Mutex(State(builder: builder))
    }

    /// The report, once the crawl has ended, however it did.
    public func report(of summary: CrawlSummary, finishedAt: Date) -> SiteReport {
        var (builder, visited) = state.withLock { ($0.builder, $0.visitedSeeds) }
        var failures: [WebURL: CrawlSummary.FailedSeed] = [:]
        for failed in summary.failedSeeds {
            failures[failed.seed.url] = failed
            // What was visited has said so itself.
            if visited.insert(failed.seed.url).inserted {
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
            // The report says that it is not complete, and which hosts were left.
            case .hostsRest: .finished
            case .interrupted: .interrupted
            }
        // A job that comes back only sees what is due.
        let notDue = (summary.standing?.knownURLs ?? 0) - summary.metrics.outcomes.values.reduce(summary.unvisited, +)
        var gaps = summary.limitations.map { SiteReport.Gap(code: $0.code, count: $0.count, message: $0.message) }
        for (host, trouble) in summary.account.troubles.sorted(by: { $0.key < $1.key }).prefix(Self.maximumTroubles) {
            gaps.append(
                SiteReport.Gap(
                    code: "host-trouble", count: 1,
                    message: "the last request to \(host) failed: \(trouble.explanation(summary.spelling))"))
        }
        if notDue > 0 {
            gaps.append(
                SiteReport.Gap(
                    code: "not-due", count: notDue,
                    message: "known URLs that were not due in this run, and so not judged: \(notDue)"))
        }
        // Behind these there may be links that nobody has seen; what robots.txt closes no crawler sees.
        let hides: Set<String> = [
            "page-limit", "quiet-hours", CrawlScope.Refusal.tooDeep.rawValue, CrawlScope.Refusal.hostPageLimit.rawValue,
            CrawlScope.Refusal.sitemapLimit.rawValue,
        ]
        return builder.report(
            of: SiteReport.Crawl(
                ending: ending, finishedAt: finishedAt,
                seeds: seeds.map {
                    SiteReport.Seed(
                        url: $0.url, kind: $0.kind?.rawValue, failure: failures[$0.url]?.code,
                        reason: failures[$0.url]?.reason,
                        wasVisited: visited.contains($0.url))
                },
                notCovered: gaps,
                isComplete: summary.ending == .finished && notDue <= 0
                    && !summary.limitations.contains { hides.contains($0.code) },
                hostsLeft: summary.hostsLeft))
    }

    // MARK: While a page is read

    /// What is known of a page beside its bytes.
    func evidence(
        of request: CrawlRequest, answeredWith response: FetchResponse, _ permission: Visit.Permission
    ) -> PageEvidence {
        var evidence = evidence(of: request, ending: .answered(status: response.status), permission)
        guard case .made(var fetch) = evidence.fetch else { return evidence }
        fetch.httpVersion = response.httpVersion
        fetch.remoteAddress = response.remoteAddress
        fetch.timeToFirstByte = response.timeToFirstByte
        fetch.totalTime = response.totalTime
        fetch.wireBytes = response.wireBytes
        fetch.bodyBytes = response.body.count
        evidence.fetch = .made(fetch)
        return evidence
    }

    private func evidence(
        of request: CrawlRequest, ending: FetchEvidence.Ending, _ permission: Visit.Permission
    ) -> PageEvidence {
        var evidence = PageEvidence(missing: "it was not asked for")
        evidence.crawl = .missing(because: "the crawl has not ended")
        let rules: RobotsFile? =
            switch permission {
            case .rules(let robots): robots
            case .rulesUnreachable: .disallowAll
            case .refused: nil
            }
        if let rules, let place = WebURL("/robots.txt", base: request.url) {
            evidence.robots = .made(
                RobotsEvidence(url: place, file: rules, page: request.url, pippinAgents: agents))
        }
        var fetch = FetchEvidence(requestedURL: request.redirects.first ?? request.url, ending: ending)
        if !request.redirects.isEmpty {
            fetch.hops = state.withLock { state in request.redirects.compactMap { state.redirects[$0.href] } }
        }
        evidence.fetch = .made(fetch)
        return evidence
    }

    /// Keeps what a redirect answered.
    func answered(_ response: FetchResponse) {
        guard (300...399).contains(response.status), let location = response.headers["Location"] else { return }
        let hop = FetchEvidence.Hop(
            url: response.url, status: response.status, location: String(location.prefix(2_000)))
        state.withLock { if $0.redirects.count < limits.pages { $0.redirects[response.url.href] = hop } }
    }

    /// The links of a page, those that lead where the crawl may go.
    func read(_ page: PageReading, of request: CrawlRequest, scope: CrawlScope) {
        var followed: [URLKey] = []
        var nofollow: [URLKey] = []
        for link in page.facts.outlinks.links where link.kind != .canonical && link.kind != .sitemap {
            let host = link.url.politenessHost
            guard host == request.host || scope.covers(host, seed: request.seed) else { continue }
            if page.followsLinks, !link.isNofollow {
                followed.append(URLKey(link.url))
            } else {
                nofollow.append(URLKey(link.url))
            }
        }
        let (plain, closed) = (followed, nofollow)
        state.withLock { $0.builder.addLinks(from: request.key, followed: plain, nofollow: closed) }
    }

    func sitemap(lists entries: [SitemapEntry]) {
        let listed = entries.map { (URLKey($0.loc), $0.lastmod) }
        state.withLock { state in
            for (key, date) in listed { state.builder.addSitemapEntry(key, date: date) }
        }
    }

    // MARK: When a visit has ended

    func visited(_ request: CrawlRequest, _ result: Visit.Result, _ permission: Visit.Permission) {
        guard request.isPage else { return }
        if request.standsForSeed { _ = state.withLock { $0.visitedSeeds.insert(request.seed.url) } }
        switch result.outcome {
        case .recorded, .withoutDeepLinks, .noindex:
            guard let card = result.card else { return }
            add(card, request)
        case .duplicate(let canonical): leads(request, to: canonical, isRedirect: false)
        case .redirected(let target, _), .redirectRefused(let target, _): leads(request, to: target, isRedirect: true)
        case .gone(let status), .refused(let status), .throttled(let status), .serverError(let status):
            add(broken: request, .answered(status: status), permission)
        case .failed(let error):
            let trouble = FetchEvidence.Trouble(error, asking: request.url, spelling)
            add(broken: request, .failed(trouble), permission)
        case .redirectLoop, .tooManyRedirects: add(broken: request, .endlessRedirects, permission)
        case .redirectBroken:
            add(broken: request, .failed(FetchEvidence.Trouble(.other, "its redirect leads nowhere")), permission)
        case .disallowed: state.withLock { $0.builder.add(closed: request.url) }
        // A host without rules is told of once, as what was not covered; a seed there is a fault of its own.
        case .robotsUnreachable:
            if request.standsForSeed { add(broken: request, .forbidden, permission) }
        case .notModified, .notAPage, .empty, .redirectedToApp:
            state.withLock { $0.builder.addUnjudged(result.outcome.code) }
        case .excluded, .hostLeft, .sitemap: break
        }
    }

    private func add(broken request: CrawlRequest, _ ending: FetchEvidence.Ending, _ permission: Visit.Permission) {
        add(ReportCard(url: request.url, evidence: evidence(of: request, ending: ending, permission)), request)
    }

    private func add(_ card: ReportCard, _ request: CrawlRequest) {
        state.withLock { $0.builder.add(card, key: request.key, isSeed: request.standsForSeed) }
    }

    private func leads(_ request: CrawlRequest, to target: WebURL, isRedirect: Bool) {
        let key = URLKey(target)
        state.withLock { $0.builder.add(request.url, key: request.key, leadsTo: key, isRedirect: isRedirect) }
    }
}
