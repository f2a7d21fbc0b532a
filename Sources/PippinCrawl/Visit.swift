import Foundation
import PippinPage
import PippinReport

/// The journey of one URL. Ten steps, the same as in Docs/Architecture.md; the first three are made before a visit
/// begins, by `Seeds`, `Frontier.add` and `Crawler` with its `PolitenessSchedule`. One function a step from there on:
///
///     4 askPermission   robots.txt, which `Crawler` has in hand when it starts a visit
///     5 fetch           conditionally, within limits; a redirect is a new request, back to step 2
///     6 parse           bytes into a document (a sitemap: into requests, back to step 2)
///     7 extract         what the page claims
///     8 verify          app claims with the site's association files
///     9 record          who the page is (canonical URL), and what is filed
///    10 deliver         sink, then frontier: after a crash in between, the visit is made again
struct Visit: Sendable {
    /// What every visit of a crawl shares.
    struct Context: Sendable {
        let configuration: CrawlConfiguration
        let scope: CrawlScope
        let recrawl: RecrawlPolicy
        let gate: RequestGate
        let frontier: any Frontier
        /// Nil when the frontier keeps the records.
        let sink: (any RecordSink)?
        let clock: CrawlClock
        let metrics: CrawlMetrics
        let appLookup: AppLookup?
        /// Where everything that foreign bytes may make long is computed.
        let threads: CrawlThreads
        let memory: MemoryBudget
        /// Nil when no report of the crawl is wanted.
        var report: CrawlReporter?
        var log: CrawlLog?
    }

    /// What is known before the URL is asked for.
    enum Permission: Sendable {
        case rules(RobotsRules)
        case rulesUnreachable(RobotsFailure)
        /// A limit that was reached since the URL was admitted.
        case refused(CrawlScope.Refusal)
    }

    /// What the crawl's loop hears of a visit.
    struct Report: Sendable {
        enum End: Sendable {
            case finished(VisitOutcome, FrontierChange)
            /// To be asked for again in this run, not before `after` has passed.
            case again(CrawlRequest, after: Duration)
            /// The page was read, and waits for files of its site before it is filed.
            case held(HeldPage)
            /// The run was stopped before an answer came.
            case stopped
        }

        let request: CrawlRequest
        var end: End
        let sign: PolitenessSchedule.HostSign
        /// Whether the visit was begun with a permission, and so was counted against the page limits.
        var wasCounted = false
        var wroteRecord = false
        var telling = Telling()
    }

    /// What the log and the end report tell of a visit beyond its end.
    struct Telling: Sendable {
        /// What the visit has come to, also when it will be made again.
        var outcome: VisitOutcome?
        var exchange: Exchange?
        var recordIdentifier: String?
        /// When robots.txt forbade it.
        var robots: RobotsDecision?
    }

    let context: Context
    let request: CrawlRequest
    let permission: Permission
    /// Leave to ask its host once.
    let turn: TurnPermit?
    /// Of the association files that the page may need, those that are known.
    var files: [SiteFileID: SiteFileOutcome] = [:]

    func run() async throws -> Report {
        let memory = context.memory.begin()
        var report = try await journey(memory)
        if case .rules = permission { report.wasCounted = true }
        // Before the loop hears of it: it begins what fits.
        if case .held(var page) = report.end {
            page.keep(memory)
            report.end = .held(page)
        } else {
            memory.end()
        }
        return report
    }

    private func journey(_ memory: Holding) async throws -> Report {
        if let (outcome, decision) = askPermission() {
            var result = Result(outcome)
            result.detail = decision?.sentence
            var report = try await deliver(result, sign: .untouched)
            report.telling.robots = decision
            return report
        }
        let (answer, exchange) = await fetch(memory)
        var report: Report
        switch answer {
        case .failure(let error):
            report = try await end(failedWith: error)
        case .success(let response):
            context.metrics.update { $0.statusClasses[response.status / 100, default: 0] += 1 }
            await memory.waitForRoom(response.body.capacity + readingBytes(response))
            report = try await end(answeredWith: response)
        }
        report.telling.exchange = exchange
        if case .held(var page) = report.end {
            page.exchange = exchange
            report.end = .held(page)
        }
        return report
    }

    // MARK: 4 Ask permission

    private func askPermission() -> (VisitOutcome, RobotsDecision?)? {
        switch permission {
        case .refused(let refusal): return (.excluded(refusal), nil)
        case .rulesUnreachable(let failure): return (.robotsUnreachable(failure), nil)
        case .rules(let robots):
            let decision = robots.decision(for: request.url)
            return decision.isAllowed ? nil : (.disallowed, decision)
        }
    }

    // MARK: 5 Fetch

    /// What the last visit left; without its validators when the page must be read, whether it has changed or not.
    private var previous: PreviousVisit? {
        guard let previous = request.previous, previous.hasValidators,
            // A report judges pages, and so must have them.
            context.report != nil || request.isPage && previous.surroundings.crawl != surroundingsOfCrawl
        else { return request.previous }
        return previous.withoutValidators
    }

    var surroundingsOfCrawl: UInt16 {
        PageSurroundings.ofCrawl(
            configuration: context.configuration,
            seeds: context.scope.seeds(of: request.url, foundFrom: request.seed), alternates: request.alternates,
            lookup: context.appLookup)
    }

    private func fetch(_ memory: Holding) async -> (Swift.Result<FetchResponse, FetchError>, Exchange) {
        let limits = context.configuration.fetch
        let previous = previous
        var question = FetchRequest(
            url: request.url, purpose: request.isPage ? .page : .sitemap,
            entityTag: previous?.entityTag, lastModified: previous?.lastModified,
            maximumBodyBytes: request.isPage ? limits.maximumBodyBytes : Sitemap.maximumDecodedBytes,
            timeout: limits.timeout)
        question.memory = memory
        return await context.exchange(question, turn)
    }

    /// What reading a body may take besides: its text, its document, and the lists made of it.
    private func readingBytes(_ response: FetchResponse) -> Int {
        request.isPage
            ? Self.documentGrowth * response.body.count : Sitemap.maximumDecodedBytes / 4 + response.body.count
    }

    /// A document in bytes for each byte of its page: an ordinary page takes four to five times its size, one of nothing but tags
    /// some thirty times, and few of those are read at a time.
    private static let documentGrowth = 8

    private func end(failedWith error: FetchError) async throws -> Report {
        if error == .cancelled, Task.isCancelled { return Report(request: request, end: .stopped, sign: .abandoned) }
        return try await deliver(Result(.failed(error)), sign: error.sign)
    }

    private func end(answeredWith response: FetchResponse) async throws -> Report {
        context.report?.answered(response)
        let answered = PolitenessSchedule.HostSign.answered(
            response.timeToFirstByte, isError: response.status >= 400)
        switch response.status {
        case 200, 203: return try await end(await read(response), sign: answered)
        case 204, 205:
            return try await deliver(Result(.empty), sign: answered)
        // To a request without conditions it would say nothing.
        case 304 where previous?.hasValidators == true:
            return try await end(await compute { _ in stillStands(response) }.reading, sign: answered)
        case 301, 308:
            return try await redirect(to: response.headers["Location"], permanent: true, sign: answered)
        case 302, 303, 307:
            return try await redirect(to: response.headers["Location"], permanent: false, sign: answered)
        case 300 where response.headers["Location"] != nil:
            return try await redirect(to: response.headers["Location"], permanent: false, sign: answered)
        case 404, 410:
            return try await deliver(Result(.gone(status: response.status)), sign: answered)
        case 429, 503:
            return try await deliver(
                Result(.throttled(status: response.status)), sign: .troubled(retryAfter: response.retryAfter))
        case 500...599:
            return try await deliver(Result(.serverError(status: response.status)), sign: .stumbled)
        default:
            return try await deliver(Result(.refused(status: response.status)), sign: answered)
        }
    }

    private func end(_ reading: Reading, sign: PolitenessSchedule.HostSign) async throws -> Report {
        switch reading {
        case .ended(let result): try await deliver(result, sign: sign)
        case .held(let page): Report(request: request, end: .held(page), sign: sign)
        case .outdated: readAnew(sign: sign)
        case .stopped: Report(request: request, end: .stopped, sign: sign)
        }
    }

    // MARK: 6–9 Read: parse, extract, verify, record

    /// What a visit has come to, before it is delivered.
    struct Result: Sendable {
        var outcome: VisitOutcome
        var record: DeepLinkRecord?
        var entityTag: String?
        var lastModified: String?
        var contentHash: String?
        var recordIdentifier: String?
        var surroundings: PageSurroundings?
        var detail: String?
        var discovered: [CrawlRequest] = []
        /// When a report of the crawl is wanted: of a page that was read, and what a sitemap lists.
        var card: ReportCard?
        var links = CrawlReporter.PageLinks()
        var listed: [SitemapEntry] = []

        init(_ outcome: VisitOutcome) { self.outcome = outcome }
    }

    private func read(_ response: FetchResponse) async -> Reading {
        let (reading, time) = await compute { read(response, within: ReadingLimits(interruption: $0)) }
        context.metrics.update {
            $0.reading += time
            $0.readingTimes.add(time)
        }
        return reading
    }

    /// Reads or files on one of the threads for that. A reading that takes too long ends the visit.
    private func compute(
        _ work: @escaping @Sendable (Interruption) -> Reading
    ) async -> (reading: Reading, time: Duration) {
        let clock = context.clock
        let end = await context.threads.read(request.url) { interruption in
            let start = clock.now()
            let reading = work(interruption)
            return (reading, clock.now() - start)
        }
        return switch end {
        case .read(let answer): answer
        case .timedOut: (.ended(Result(.readingTimedOut)), context.configuration.fetch.readingTimeout)
        case .stopped: (.stopped, .zero)
        }
    }

    private func read(_ response: FetchResponse, within limits: ReadingLimits) -> Reading {
        if case .sitemap(let host, let level) = request.target {
            return .ended(readSitemap(response, of: host, level: level, limits))
        }
        switch AnswerKind(response) {
        case .other(let type): return .ended(Result(.notAPage(type)))
        case .feed: return .ended(readFeed(response, limits))
        case .page where response.body.isEmpty: return .ended(Result(.empty))
        case .page:
            var page = PageReading(response, agent: context.configuration.agent, limits: limits)
            // Nobody waits for it any more.
            if limits.isInterrupted { return .stopped }
            page.evidence = context.report?.evidence(of: request, answeredWith: response, permission)
            return judge(page)
        }
    }

    enum Reading {
        case ended(Result)
        case held(HeldPage)
        /// It was not modified, and must be read nevertheless.
        case outdated
        /// The run was stopped at once before it was read.
        case stopped
    }

    /// Decides who the page is, and what must be known before its record is filed under that name.
    private func judge(_ page: PageReading) -> Reading {
        // A page that refreshes to itself, however that is spelled, is a page.
        if let target = page.immediateRefresh, URLKey(target) != request.key {
            switch follow(target, permanent: false) {
            case .ended(let result): return .ended(result)
            // Its key is another one, so there is a URL to go to.
            case .sameKey: break
            }
        }
        var result = Result(.withoutDeepLinks)
        result.entityTag = page.source.headers["ETag"]
        result.lastModified = page.source.headers["Last-Modified"]
        result.surroundings = PageSurroundings(crawl: surroundingsOfCrawl)
        if page.facts.directives.unavailableAfter != nil {
            // Its day comes without a change of the page.
            (result.entityTag, result.lastModified) = (nil, nil)
        }
        result.links = context.report?.links(of: page, request, scope: context.scope) ?? result.links
        if page.followsLinks { result.discovered = admit(page.outlinks) }
        guard page.isIndexable else {
            result.outcome = .noindex
            result.card = page.card(of: RecordBuilder.conclusion(from: page.facts, now: page.source.fetchedAt))
            return .ended(result)
        }
        // The key's spelling is the same whichever way the page was found.
        var identity = WebURL(request.key.string) ?? request.url
        switch standing(ofCanonical: page.canonical) {
        case .itself(let url): identity = url
        case .other(let canonical):
            result.outcome = .duplicate(of: canonical.url)
            result.discovered.append(canonical)
            return .ended(result)
        case .ignored: break
        }
        return HeldPage.reading(of: page, identity: identity, result: result, visit: self)
    }

    /// Step 2 for a page's outlinks: the scope is asked before any key is made, because most links lead outside.
    private func admit(_ links: some Sequence<Outlink>) -> [CrawlRequest] {
        var admitted: [CrawlRequest] = []
        var refusals = RefusedLinks()
        var count = 0
        let depth = request.depth + 1
        for link in links {
            count += 1
            if let refusal = context.scope.refusal(of: link.url, depth: depth, discovery: .outlink, seed: request.seed)
            {
                refusals.add(refusal, link.url)
            } else if link.kind == .sitemap {
                guard context.configuration.scope.sitemaps else { continue }
                admitted.append(
                    CrawlRequest(
                        link: link.url, target: .sitemap(host: request.host, level: 0), depth: 1, seed: request.seed,
                        discovery: .sitemap))
            } else {
                admitted.append(CrawlRequest(link: link.url, depth: depth, seed: request.seed, discovery: .outlink))
            }
        }
        self.count(refusals, links: count)
        return admitted
    }

    func count(_ refusals: RefusedLinks, links: Int) {
        context.metrics.update {
            $0.outlinks += links
            $0.count(refusals)
        }
    }

    // MARK: 10 Deliver and return

    /// Goes on with a page that had to wait, to its end or to the next files it needs.
    func run(_ held: HeldPage) async throws -> Report {
        let (reading, time) = await compute { _ in held.reading() }
        context.metrics.update { $0.reading += time }
        var report = try await end(reading, sign: .untouched)
        if case .held(var page) = report.end {
            page.exchange = held.exchange
            if let memory = held.memory { page.keep(memory) }
            report.end = .held(page)
        }
        report.wasCounted = true
        report.telling.exchange = held.exchange
        if case .held = report.end {} else { held.memory?.end() }
        return report
    }

    func deliver(_ result: Result, sign: PolitenessSchedule.HostSign) async throws -> Report {
        let settings = context.configuration.fetch
        if result.outcome.mayPass,
            let delay = settings.retryDelay(attempt: request.attempt, after: result.outcome.failure)
        {
            context.metrics.update { $0.retries += 1 }
            var next = request
            next.attempt += 1
            return Report(
                request: request, end: .again(next, after: delay), sign: sign,
                telling: Telling(outcome: result.outcome))
        }
        let told = context.report?.visited(request, result, permission, at: context.clock.date())
        let next = next(after: result)
        let changes = changes(for: result, next: next)
        var kept = result
        if result.outcome.bearing != .replaces, keepsEarlierRecord(result, next: next) { kept = carryingOver(result) }
        if !changes.isEmpty { try await context.sink?.write(changes) }
        var visit = FinishedVisit(
            request: request, outcome: result.outcome, finishedAt: context.clock.date(),
            entityTag: kept.entityTag, lastModified: kept.lastModified, contentHash: kept.contentHash,
            recordIdentifier: kept.recordIdentifier, next: next, changes: changes, discovered: result.discovered)
        visit.report = told
        visit.detail = result.detail
        visit.surroundings = result.surroundings ?? request.previous?.surroundings ?? PageSurroundings()
        let change = try await context.frontier.finish(visit)
        context.metrics.update {
            $0.outcomes[result.outcome.code, default: 0] += 1
            $0.pages += result.outcome.countsAsPage && request.isPage ? 1 : 0
            $0.count(change)
            $0.deletions += changes.count - (result.record == nil ? 0 : 1)
            guard let record = result.record else { return }
            $0.records += 1
            $0.deepLinks += record.deepLinks.count
        }
        return Report(
            request: request, end: .finished(result.outcome, change), sign: sign, wroteRecord: result.record != nil,
            telling: Telling(outcome: result.outcome, recordIdentifier: result.recordIdentifier))
    }
}
