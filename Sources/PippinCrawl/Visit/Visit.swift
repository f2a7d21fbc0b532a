import PippinPage

/// The visit of one URL in ten steps, the same as in Docs/Architecture.md. The first three come before a visit begins, in
/// `Seeds`, `Frontier.add`, and `CrawlLoop` with its `PolitenessSchedule`. The others have one function each:
///
///     4 askPermission   of robots.txt; the loop has its rules when it starts a visit
///     5 fetch           conditionally, within limits; a redirect is a new request, back to step 2
///     6 parse           bytes into a document (a sitemap: into requests, back to step 2)
///     7 extract         the page's identity, its links, its claims
///     8 verify          app claims with the site's association files; the page waits until they are there
///     9 record          the record to be filed
///    10 deliver         outcome, record and links, in one call of the frontier
///
/// Each step fills in the `VisitResult`. A step returns nil or false if the visit ends there. `Visit+Verification.swift` has steps
/// 8 and 9, `Visit+Delivery.swift` has step 10.
struct Visit: Sendable {
    /// What is known about permission before the URL is requested.
    enum Permission: Sendable {
        /// The rules of robots.txt, or why they could not be fetched.
        case robots(Result<RobotsRules, RequestFailure>)
        /// A limit that was reached after the URL was admitted.
        case refused(CrawlScope.Refusal)

        /// Whether rules decide about the visit.
        var isByRules: Bool { if case .robots(.success) = self { true } else { false } }
    }

    let context: Context
    let request: CrawlRequest
    let permission: Permission
    /// The permission to ask its host once; nil if it is not the host's turn.
    let turn: TurnPermit?
    /// The known outcomes of association files that the page may need.
    var files: [SiteFileID: SiteFileOutcome] = [:]

    func run() async throws -> VisitResult {
        let memory = context.memory.begin()
        var result = VisitResult(of: self)
        if askPermission(&result), let response = await fetch(holding: memory, &result) {
            result = await read(response, result)
        }
        return try await deliver(result, holding: memory)
    }

    /// Continues with a page that waited for files of its site, until its end or until it needs further files.
    func run(_ page: PendingPage) async throws -> VisitResult {
        let (result, time) = await compute(page.result) { _ in verifyAndRecord(page) }
        context.statistics.update { $0.reading += time }
        return try await deliver(result, holding: page.memory)
    }

    /// Reads the response (steps 6 to 9).
    private func read(_ response: FetchResponse, _ result: VisitResult) async -> VisitResult {
        guard response.meaning != .notModified else {
            return await compute(result) { _ in checkUnchanged(response, result) }.result
        }
        let (read, time) = await compute(result) { interruption in
            var result = result
            guard let page = parse(response, &result, within: ReadingLimits(interruption: interruption)) else {
                return result
            }
            if let reason = renderReason(page, &result) {
                result.next = .waitForRendering(UnrenderedPage(of: self, result, response, reason))
                return result
            }
            guard let claims = extract(page, &result) else { return result }
            return verifyAndRecord(claims)
        }
        context.statistics.update {
            $0.reading += time
            $0.readingTimes.add(time)
        }
        return read
    }

    /// Runs a computation on a reading thread. If it takes too long, the visit ends.
    func compute(
        _ before: VisitResult, _ work: @escaping @Sendable (Interruption) -> VisitResult
    ) async -> (result: VisitResult, time: Duration) {
        let clock = context.clock
        let end = await context.threads.read(request.url) { interruption in
            let start = clock.now()
            let result = work(interruption)
            return (result, clock.now() - start)
        }
        switch end {
        case .read(let answer): return answer
        case .timedOut:
            var result = before.unread(by: self)
            result.end(.readingTimedOut)
            return (result, context.configuration.fetch.readingTimeout)
        case .stopped: return (before, .zero)
        }
    }

    // MARK: 4 Ask permission

    private func askPermission(_ result: inout VisitResult) -> Bool {
        let rules: Result<RobotsRules, RequestFailure>
        switch permission {
        case .robots(let found): rules = found
        case .refused(let refusal):
            result.end(.excluded(refusal))
            return false
        }
        switch RobotsPermission(rules, of: request.url, for: purpose) {
        case .allowed, .notNeeded: return true
        case .disallowed(let decision):
            result.robots = decision
            result.end(.disallowed)
        case .unreachable(let failure): result.end(.robotsUnreachable(failure))
        case .rulesNeeded: preconditionFailure("a visit starts when its rules are known")
        }
        return false
    }

    // MARK: 5 Fetch

    private var purpose: FetchRequest.Purpose { request.isPage ? .page : .sitemap }

    /// Fetches the URL. Returns a response to read: a page, a sitemap, or "not modified". Nil if the visit has ended.
    private func fetch(holding memory: Holding, _ result: inout VisitResult) async -> FetchResponse? {
        let limits = context.configuration.fetch
        let previous = previous
        var question = FetchRequest(
            url: request.url, purpose: purpose,
            entityTag: previous?.entityTag, lastModified: previous?.lastModified,
            maximumBodyBytes: request.isPage ? limits.maximumBodyBytes : Sitemap.maximumDecodedBytes,
            timeout: limits.timeout)
        question.memory = memory
        let (answer, exchange) = await context.exchange(question, turn)
        result.exchange = exchange
        result.hostSign = PolitenessSchedule.HostSign(answer, isSmallFile: false)
        switch answer {
        case .failure(.cancelled) where Task.isCancelled:
            result.hostSign = .abandoned
            return nil
        case .failure(let error):
            result.end(.failed(error))
            return nil
        case .success(let response):
            context.statistics.update { $0.statusClasses[response.status / 100, default: 0] += 1 }
            await memory.waitForRoom(response.body.capacity + readingBytes(response))
            result.seen?.answer = response
            return isReadable(response, isConditional: previous?.hasValidators == true, &result) ? response : nil
        }
    }

    /// The data of the last visit. Validators are removed if the page must be read even if it has not changed.
    private var previous: PreviousVisit? {
        guard let previous = request.previous, previous.hasValidators,
            // Who looks on is to see the page.
            context.observer != nil || request.isPage && previous.revalidationKey.crawl != crawlKey
        else { return request.previous }
        return previous.withoutValidators
    }

    var crawlKey: UInt16 {
        RevalidationKey.ofCrawl(
            configuration: context.configuration, host: request.host,
            seeds: context.scope.seeds(of: request.url, foundFrom: request.seed),
            sitemap: request.sitemap, usage: siteUsage,
            lookup: context.appLookup, renderMode: context.rendering == nil ? .never : renderMode)
    }

    /// What robots.txt says about the use of the page. The copy that let it be requested counts (draft-ietf-aipref-attach-05).
    private var siteUsage: SiteUsage {
        guard case .robots(.success(let rules)) = permission else { return SiteUsage() }
        return SiteUsage(rules, page: request.url)
    }

    /// The memory for reading a body, in addition to the body: its text, its document, and the lists made from it.
    private func readingBytes(_ response: FetchResponse) -> Int {
        request.isPage
            ? Self.documentGrowth * response.body.count : Sitemap.maximumDecodedBytes / 4 + response.body.count
    }

    /// The memory for a document per byte of its page. An ordinary page takes four to five times its size. A page of nothing
    /// but tags takes about thirty times, but few of those are read at a time.
    static let documentGrowth = 8

    /// Whether the response has something to read. If not, the visit ends with the outcome of the status.
    private func isReadable(_ response: FetchResponse, isConditional: Bool, _ result: inout VisitResult) -> Bool {
        switch response.meaning {
        case .content: return true
        // 304 has no meaning for an unconditional request.
        case .notModified where isConditional: return true
        default:
            if let redirect = response.redirect {
                follow(redirect, &result)
            } else {
                result.end(VisitOutcome(statusWithoutPage: response.status))
            }
        }
        return false
    }

    /// Ends the visit with a redirect. The target becomes a new request, which goes through all checks from step 2 on.
    private func follow(_ redirect: Redirect, _ result: inout VisitResult) {
        let outcome = VisitOutcome(redirect)
        guard case .page(let target) = redirect.target else { return result.end(outcome) }
        if target.comesBack(from: request.url, after: request.redirects) {
            return result.end(.redirectLoop)
        }
        guard request.redirects.count < context.configuration.fetch.maximumRedirects else {
            return result.end(.tooManyRedirects)
        }
        var next = request
        next.redirect(to: target)
        if request.standsForSeed { next.seed = request.seed.landed(on: target.politenessHost) }
        if let refusal = context.scope.refusal(of: next) {
            return result.end(.redirectRefused(to: target, refusal))
        }
        // The target is the same URL in another spelling, so the frontier gets no new URL and the visit is repeated.
        guard next.key != request.key else { return result.visitAgain(next, because: outcome) }
        result.discovered = [next]
        result.end(outcome)
    }

    // MARK: 6 Parse

    /// - Parameter rendered: what the page's scripts have made of it.
    func parse(
        _ response: FetchResponse, _ result: inout VisitResult, within limits: ReadingLimits
    ) -> PageReading? {
        if case .sitemap(let host, let level) = request.target {
            parseSitemap(response, of: host, level: level, &result, limits)
            return nil
        }
        switch response.kind(within: limits) {
        case .other(let type): result.end(.notAPage(type))
        case .feed(let type): parseFeed(response, type: type, &result, limits)
        case .empty: result.end(.empty)
        case .page:
            let page = PageReading(
                response.source, agents: context.configuration.agent.directiveAgents, limits: limits)
            // The reading was interrupted, so nobody uses the result.
            return limits.isInterrupted ? nil : page
        }
        return nil
    }

    // MARK: 7 Extract

    /// Takes links and claims from the page. Returns nil if no record may be filed for it.
    func extract(_ page: PageReading, _ result: inout VisitResult) -> PendingPage? {
        if let redirect = page.facts.redirect {
            follow(redirect, &result)
            return nil
        }
        result.revalidationKey = RevalidationKey(crawl: crawlKey)
        // With `unavailable_after`, the page expires without being changed, so it must be read again and gets no validators.
        // A rendered page depends on files that no validator knows.
        if page.facts.directives.unavailableAfter == nil, result.rendering == nil {
            result.keepValidators(of: page.source.headers)
        }
        result.seen?.page = page
        if page.followsLinks { result.discovered = admit(page.outlinks, &result) }
        // Only a frontier that is kept has a link graph.
        if context.frontier.keepsWork { result.nofollowLinks = inScope(page.nofollowLinks) }
        if let refusal = page.refusal {
            result.seen?.conclusion = .refused(refusal)
            result.end(.noindex)
            return nil
        }
        // The key's spelling does not depend on how the page was found.
        var identity = WebURL(request.key.string) ?? request.url
        switch standing(ofCanonical: page.canonical) {
        case .itself(let url): identity = url
        case .other(let canonical):
            result.discovered.append(canonical)
            result.end(.duplicate(of: canonical.url))
            return nil
        case .ignored: break
        }
        let seeds = context.scope.seeds(of: page.source.url, foundFrom: request.seed)
        let keepsText = context.configuration.output.hasSearchIndex
        let draft = page.draft(
            identity: identity, seeds: Set(seeds.map(\.url.href)).sorted(), apps: seeds.apps, sitemap: request.sitemap,
            site: siteUsage, keepsText: keepsText, maximumTextBytes: context.configuration.maximumTextBytes,
            fields: context.configuration.fields)
        let files = files(of: page, draft)
        if files.areAboutUse { (result.entityTag, result.lastModified) = (nil, nil) }
        return PendingPage(of: self, result, .claims(draft, files: files))
    }

    private enum CanonicalStanding {
        /// The canonical URL is another spelling of the page's own URL.
        case itself(WebURL)
        case other(CrawlRequest)
        /// There is none, or it is not trusted: it is on another site, or outside of the crawl.
        case ignored
    }

    /// Decides about the canonical link. RFC 6596 makes it a hint. It is followed within a site if the scope and robots.txt
    /// allow it. The visit of the canonical page shows whether it is good (see `Frontier`).
    private func standing(ofCanonical canonical: WebURL?) -> CanonicalStanding {
        guard let canonical, canonical.isHTTP else { return .ignored }
        if URLKey(canonical) == request.key { return .itself(canonical) }
        guard !request.ignoresCanonical, SiteIdentity.isSameSite(canonical.politenessHost, request.host) else {
            return .ignored
        }
        let next = CrawlRequest(
            link: canonical, depth: request.depth, seed: request.seed, discovery: .canonical)
        guard context.scope.refusal(of: next) == nil else { return .ignored }
        if canonical.origin == request.url.origin, case .robots(let rules) = permission,
            RobotsPermission(rules, of: canonical, for: .page).refusal != nil
        {
            return .ignored
        }
        return .other(next)
    }

    /// Step 2 for a page's outlinks. The scope is checked before a key is made, because most links lead outside.
    private func admit(_ links: some Sequence<Outlink>, _ result: inout VisitResult) -> [CrawlRequest] {
        var admitted: [CrawlRequest] = []
        var refusals = RefusedLinks()
        var count = 0
        let depth = request.depth + 1
        var last: CrawlScope.HostAnswer?
        for link in links {
            count += 1
            if let refusal = context.scope.refusal(
                of: link.url, depth: depth, discovery: .outlink, seed: request.seed, last: &last)
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
        result.isCut = refusals.contains(.tooDeep)
        return admitted
    }

    /// Links that are kept but not followed. Nothing is counted.
    private func inScope(_ links: some Sequence<Outlink>) -> [CrawlRequest] {
        let depth = request.depth + 1
        return links.compactMap { link in
            guard context.scope.refusal(of: link.url, depth: depth, discovery: .outlink, seed: request.seed) == nil
            else { return nil }
            return CrawlRequest(link: link.url, depth: depth, seed: request.seed, discovery: .outlink)
        }
    }

    func count(_ refusals: RefusedLinks, links: Int) {
        context.statistics.update {
            $0.outlinks += links
            $0.count(refusals)
        }
    }
}
