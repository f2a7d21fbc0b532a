import DequeModule
import Foundation
import Logging
import PippinPage

/// The current work of a run: visits leased from the frontier, and files of sites that their pages need. It decides what starts
/// next, and handles the results.
///
///     frontier ──lease──► schedule ──next──► a visit, a file ──finished──► frontier
///                            ▲                                   │
///                            └── again, or files that it needs ──┘
///
/// Only the queue changes the politeness schedule, the sites' rules, the waiting pages, and the limits of the run.
struct CrawlQueue {
    /// The next thing to start.
    enum Next {
        case visit(Visit)
        case file(SiteFileVisit)
        case lookUp(host: String)
        /// Nothing can start before this time.
        case wait(until: Duration)
        /// Nothing can start, because quiet hours close the crawl for longer than it waits.
        case quiet
        /// Nothing can start until something in flight has ended.
        case nothing
    }

    /// The limit of requests in the schedule: enough hosts to keep a fast crawl busy, but few compared to the frontier.
    private static let scheduleCapacity = 10_000
    /// The number of requests of one host that may be leased at a time. Hosts with several connections may have more.
    private static let shareOfHost = 16
    /// The longest wait of a job's run when nothing else is left to do. Hosts that rest longer are left for the next run.
    private static let patience = PolitenessSchedule.maximumAdaptiveDelay
    /// The number of bad certificates in a row after which a host is left. One bad certificate may belong to only one of
    /// several origins.
    private static let maximumBadCertificates = 3
    /// The limit of pages that wait to be rendered. A browser takes some minutes for them.
    private static let maximumUnrendered = 500
    /// The time for which the frontier does not offer a host beyond a limit again. The next run begins with such hosts.
    private static let hostLimitRest = Duration.seconds(600)

    private let context: Visit.Context
    private let seeds: [Seed]
    private let logger: Logger
    private var schedule: PolitenessSchedule
    private var rules: SiteRules
    private var pending: PendingPages
    /// Pages that wait to be rendered.
    private var unrendered = Deque<UnrenderedPage>()
    /// Requests of pages' scripts that are not settled yet.
    private var subresources: Set<SiteFileID> = []
    private var limits: RunLimits
    /// What sitemaps say of pages that are leased and not visited yet.
    private var lateSitemapFacts: [URLKey: SitemapFacts] = [:]
    /// Visits that were due while no visit was allowed to start (`obstacle`).
    private var postponed: [CrawlRequest] = []
    private var tooManyPagesWait = false
    private var wantsLease = true
    /// Whether the run left all hosts with work because they rest for longer than a job's run waits.
    private var leftRestingHosts = false
    /// For each host, how many times in a row it could not be reached at all (`FetchError.Retry.leaveHost`).
    private var unreached: [String: Int] = [:]

    init(context: Visit.Context, seeds: [Seed], logger: Logger, rules: SiteRules) {
        self.context = context
        self.seeds = seeds
        self.logger = logger
        self.rules = rules
        pending = PendingPages(scope: context.scope)
        limits = RunLimits(context.configuration.scope, scope: context.scope, seeds: seeds)
        var politeness = PolitenessSchedule.Settings(context.configuration)
        politeness.notesChangedClocks = true
        politeness.looksUp = true
        schedule = PolitenessSchedule(politeness)
        schedule.set(date: context.clock.date(), now: context.clock.now())
    }

    private var settings: CrawlConfiguration { context.configuration }
    private var spelling: Setting.Spelling { settings.messages.settings }
    private var now: Duration { context.clock.now() }

    /// Whether nothing is left to start, now or later, unless a result of something in flight adds work.
    var isDone: Bool {
        unrendered.isEmpty && (limits.pageLimitIsReached && pending.isEmpty || schedule.isEmpty && !wantsLease)
    }

    // MARK: In

    /// Steps 1 and 2 for the seeds: adds those in scope to the frontier, and logs the others.
    mutating func addSeeds() async throws {
        var requests: [CrawlRequest] = []
        for request in seeds.map({ CrawlRequest(seed: $0) }) {
            guard let refusal = context.scope.refusal(of: request) else {
                requests.append(request)
                continue
            }
            let outcome = VisitOutcome.excluded(refusal)
            context.statistics.update { $0.ended(request, outcome) }
            context.log?.write(CrawlLogEntry(request, outcome: outcome.code, clock: context.clock))
        }
        let change = try await context.frontier.add(requests)
        context.statistics.update { $0.count(change) }
    }

    /// Leases more requests from the frontier if hosts need work.
    mutating func lease() async throws {
        guard wantsLease else { return }
        let room = Self.scheduleCapacity - schedule.queuedCount - postponed.count
        guard room > 0 else { return }
        let share = max(Self.shareOfHost, 4 * settings.politeness.maximumConnectionsPerHost)
        let leased = try await context.frontier.lease(limit: room, perHost: share)
        // Hosts that still need more are reported when one of their visits ends.
        wantsLease = leased.count == room
        var requests: [CrawlRequest] = []
        var beyond: [CrawlRequest] = []
        for request in leased {
            if limits.admits(request.host) { requests.append(request) } else { beyond.append(request) }
        }
        try await leaveForNextRun(beyond)
        try await restore(hosts: Set(requests.map(\.host)))
        for var request in requests {
            if request.standsForSeed {
                // The operator may have removed the seed from the list. Then it is an ordinary page.
                request.standsForSeed = context.scope.isSeed(request.seed.url)
                if request.standsForSeed { context.statistics.update { $0.seedIsDue(request) } }
            }
            try await enqueue(request)
        }
    }

    /// Step 3: adds a request to the schedule. A host that was left for this run gets no more requests.
    private mutating func enqueue(_ request: CrawlRequest, notBefore: Duration? = nil) async throws {
        guard limits.admits(request.host) else { return try await leaveForNextRun([request]) }
        let now = now
        guard !limits.isSuspended(request.host, now: now) else { return try await context.frontier.release([request]) }
        var request = request
        request.waitsSince = request.waitsSince ?? max(notBefore ?? now, now)
        schedule.add(.visit(request), notBefore: notBefore, now: now)
    }

    private mutating func enqueue(_ request: SiteFileRequest, notBefore: Duration? = nil) async throws {
        let host = request.url.politenessHost
        let now = now
        guard !limits.isSuspended(host, now: now), limits.admits(host) else {
            return settle(request, .absent(.hostLeft))
        }
        try await restore(hosts: [host])
        var request = request
        request.waitsSince = request.waitsSince ?? now
        schedule.add(.siteFile(request), notBefore: notBefore, now: now)
    }

    /// Adds turns to the schedule that had waited for rules.
    private mutating func enqueue(_ turns: [PolitenessSchedule.Turn]) async throws {
        for turn in turns {
            switch turn {
            case .visit(let request): try await enqueue(request)
            case .siteFile(let file): try await enqueue(file)
            }
        }
    }

    /// Gives the schedule what earlier runs knew of hosts that it does not know yet.
    private mutating func restore(hosts: Set<String>) async throws {
        let unknown = hosts.filter { !schedule.knows(host: $0) }.sorted()
        guard !unknown.isEmpty else { return }
        for clock in try await context.frontier.clocks(of: unknown) { schedule.restore(clock, now: now) }
        for host in unknown { restore(try await context.frontier.rules(of: host)) }
    }

    /// Takes over rules from earlier runs that are still valid.
    private mutating func restore(_ kept: [StoredRobots]) {
        for entry in kept {
            // An entry with a longer time was stored while the calendar was wrong.
            let left = entry.until.timeIntervalSince(context.clock.date())
            guard left > 0, left <= RobotsAnswer.longestKept / .seconds(1),
                case .unknown = rules.standing(of: entry.origin, now: now),
                let file = entry.file().map({ context.rules(of: $0) })
            else { continue }
            rules.restore(entry.origin, rules: file, keep: .seconds(left), now: now)
            schedule.setCrawlDelay(file.crawlDelay, host: entry.host)
        }
    }

    // MARK: Out

    /// The reason why no visit may start, whatever the hosts allow; nil if visits may start. Once too many pages wait, at least
    /// half of them must be recorded first, so that visits are not postponed again and again. If nothing is in flight and no
    /// page waits, no memory will become free, so lack of memory is not a reason.
    mutating func obstacle(inFlight: Int) -> CrawlPace.Limit? {
        if pending.isFull || unrendered.count >= Self.maximumUnrendered {
            tooManyPagesWait = true
        } else if pending.isHalfEmpty, unrendered.count < Self.maximumUnrendered / 2 {
            tooManyPagesWait = false
        }
        if tooManyPagesWait { return .pagesHeld }
        if !context.memory.hasRoom, inFlight > 0 || !pending.isEmpty { return .memory }
        return limits.pageLimitIsReached ? .ending : nil
    }

    /// Lets the run end as if its page limit were reached.
    mutating func startNoMoreVisits() { limits.isClosed = true }

    /// The next thing to start.
    ///
    /// - Parameter mayVisit: if false, only files that pages wait for are requested.
    mutating func next(mayVisit: Bool, inFlight: Int) async throws -> Next {
        if mayVisit {
            let due = postponed
            postponed = []
            for request in due { try await enqueue(request) }
        }
        schedule.set(date: context.clock.date(), now: now)
        while true {
            while let file = pending.nextFile() { try await enqueue(file) }
            guard mayVisit || !pending.isEmpty || !subresources.isEmpty else { return .nothing }
            let now = now
            switch schedule.next(now: now) {
            case .start(.visit(let request)) where !mayVisit:
                postponed.append(request)
                giveBackTurn(of: request.host)
            case .start(.visit(let request)): if let next = try await start(request) { return next }
            case .start(.siteFile(let request)): if let next = try await start(request) { return next }
            case .lookUp(let host): return .lookUp(host: host)
            case .wait(let until):
                if inFlight == 0, try await suspendRestingHosts(until: until, now: now) { return .nothing }
                return .wait(until: until)
            case .suspend(let host, let until): try await suspend(host, until: until)
            case .quiet: return .quiet
            case .idle: return .nothing
            }
        }
    }

    /// Returns and removes the pages that have all their files. They need no request to a host.
    mutating func takeReadyPages() -> [PendingPage] { pending.takeReady() }

    /// Returns and removes the page that waits longest to be rendered.
    mutating func takeUnrenderedPage() -> UnrenderedPage? { unrendered.popFirst() }

    /// Takes a request of a page's scripts. It waits for its host's turn like a file of a site.
    mutating func take(_ ask: SubresourceDesk.Ask) async throws {
        guard let request = ask.siteFile else { return }
        subresources.insert(request.id)
        if let refusal = context.gate.refusal(of: request.url, for: .subresource) {
            return settle(request, .absent(.failed(.notAllowed(refusal))))
        }
        guard context.scope.owns(request.url.politenessHost) else { return settle(request, .absent(.otherShard)) }
        try await enqueue(request)
    }

    /// Starts a visit's turn. Returns the visit, the robots.txt that it needs, or nil if the turn was given back.
    private mutating func start(_ request: CrawlRequest) async throws -> Next? {
        guard let origin = request.url.origin, let robots = SiteFileRequest(robotsFor: request.url, seed: request.seed)
        else { return visit(request, .refused(.notHTTP)) }
        switch try await standing(of: origin, host: request.host) {
        case .unknown where !limits.mayAskForRules:
            giveBackTurn(of: request.host)
            try await leaveForNextRun([request] + takeOut(request.host))
            return nil
        case .unknown, .asking: return waitForRules(.visit(request), robots)
        case .known(let rules):
            return visit(request, limits.refusal(of: request).map { .refused($0) } ?? .rules(rules))
        case .unreachable(let failure): return visit(request, .rulesUnreachable(failure))
        }
    }

    private mutating func visit(_ request: CrawlRequest, _ permission: Visit.Permission) -> Next {
        var request = request
        if !lateSitemapFacts.isEmpty, let late = lateSitemapFacts.removeValue(forKey: request.key) {
            request.sitemap.add(late)
        }
        var visit = Visit(
            context: context, request: request, permission: permission, turn: schedule.permit(host: request.host))
        if case .rules = permission {
            countTurn(of: request.host)
            limits.begin(request)
            visit.files = pending.knownAssociations(for: request, now: now)
        }
        return .visit(visit)
    }

    /// Starts a file's turn in the same way. robots.txt is the only file that needs no permission of robots.txt.
    private mutating func start(_ request: SiteFileRequest) async throws -> Next? {
        guard request.kind != .robots else { return file(request) }
        let host = request.url.politenessHost
        guard let origin = request.url.origin, let robots = SiteFileRequest(robotsFor: request.url, seed: request.seed)
        else { return skip(request, .outOfScope) }
        switch try await standing(of: origin, host: host) {
        case .unknown where !limits.mayAskForRules: return skip(request, .hostLeft)
        case .unknown, .asking: return waitForRules(.siteFile(request), robots)
        case .known(let rules):
            let decision = rules.decision(for: request.url)
            return decision.isAllowed ? file(request) : skip(request, .disallowed(decision.sentence))
        case .unreachable(let failure): return skip(request, .robotsUnreachable(failure))
        }
    }

    private mutating func file(_ request: SiteFileRequest) -> Next {
        if request.kind == .robots { limits.beginRules() }
        let host = request.url.politenessHost
        countTurn(of: host)
        return .file(SiteFileVisit(context: context, request: request, turn: schedule.permit(host: host)))
    }

    private mutating func skip(_ request: SiteFileRequest, _ failure: RequestFailure.Cause) -> Next? {
        settle(request, .absent(failure))
        giveBackTurn(of: request.url.politenessHost)
        return nil
    }

    /// Makes a turn wait for rules. The first turn that needs the rules is used to request them.
    private mutating func waitForRules(_ turn: PolitenessSchedule.Turn, _ robots: SiteFileRequest) -> Next? {
        if rules.wait(turn, for: robots.origin, now: now) { return file(robots) }
        giveBackTurn(of: turn.host)
        return nil
    }

    /// Tells the schedule that a turn ended without a request.
    private mutating func giveBackTurn(of host: String) {
        _ = schedule.finished(host: host, sign: .untouched, now: now)
    }

    /// Counts a turn, only for hosts that may have several requests in flight.
    private func countTurn(of host: String) {
        guard schedule.connections(host: host) > 1 else { return }
        let (now, delay) = (now, schedule.delay(host: host))
        context.statistics.update { $0.turnBegan(at: now, host: host, delay: delay) }
    }

    /// The rules of an origin, as far as they are known. Rules that were dropped to save memory are read from the frontier, not
    /// requested again.
    private mutating func standing(of origin: String, host: String) async throws -> SiteRules.Standing {
        let standing = rules.standing(of: origin, now: now)
        guard case .unknown = standing, rules.hasLetGo else { return standing }
        if let kept = try await context.frontier.rules(of: host, origin: origin) { restore([kept]) }
        return rules.standing(of: origin, now: now)
    }

    // MARK: What came of it

    mutating func finished(_ result: VisitResult) async throws {
        let request = result.request
        let verdict = endTurn(
            of: request.host, result.hostSign, result.exchange, trouble: result.exchange?.trouble(asking: request.url),
            waitedSince: request.waitsSince)
        if case .suspend(let until) = verdict { try await suspend(request.host, until: until) }
        try await goOn(result)
        if result.outcome != nil, result.exchange != nil {
            try await suspendIfUnreachable(request.host, result.outcome?.failure)
        }
    }

    /// Reports the end of a request to the schedule and the statistics.
    private mutating func endTurn(
        of host: String, _ sign: PolitenessSchedule.HostSign, _ exchange: Exchange?, trouble: RequestFailure?,
        waitedSince: Duration?
    ) -> PolitenessSchedule.Verdict {
        let verdict = schedule.finished(
            host: host, sign: sign, address: exchange?.remoteAddress,
            failsAddress: exchange?.failure?.failsAddress ?? false, trouble: trouble, now: now)
        guard let exchange, exchange.wasMade else { return verdict }
        let delay = schedule.connections(host: host) > 1 ? nil : schedule.delay(host: host)
        context.statistics.update { $0.exchanged(exchange, host: host, delay: delay, waitedSince: waitedSince) }
        return verdict
    }

    /// Continues after a visit whose turn is over, or which needed no turn.
    mutating func goOn(_ result: VisitResult) async throws {
        // The visit still counts against the limits until it has ended.
        switch result.next {
        case .waitForFiles(let page): return pending.add(page, now: now)
        case .waitForRendering(let page): return unrendered.append(page)
        case .finish, .visitAgain, .release: break
        }
        let request = result.request
        if result.isCounted { limits.end(result) }
        context.statistics.update { $0.ended(result) }
        context.log?.write(CrawlLogEntry(result, clock: context.clock, spelling))
        switch result.next {
        case .finish:
            logger.debug("\(result.outcome?.code ?? "") \(request.url.href)")
            if result.change.hostsInNeed > 0 { wantsLease = true }
            lateSitemapFacts.merge(result.change.lateSitemapFacts) { $0.adding($1) }
            if let late = lateSitemapFacts.removeValue(forKey: request.key) {
                try await keep([request.key: late])
            }
        case .visitAgain(var next, let after):
            next.waitsSince = nil
            try await enqueue(next, notBefore: now + after)
        case .waitForFiles, .waitForRendering: break
        case .release: try await context.frontier.release([request])
        }
    }

    /// Stores what a sitemap says for the next visit of its pages, because the pages were already being visited when the sitemap
    /// was read.
    private func keep(_ facts: [URLKey: SitemapFacts]) async throws {
        guard let seed = context.scope.anySeed else { return }
        let requests = facts.compactMap { key, facts in
            // The URLs are known already. The large depth keeps this request from replacing a shorter way to them.
            WebURL(key.string).map {
                var request = CrawlRequest(url: $0, depth: 1_000_000, seed: seed, discovery: .sitemap)
                request.sitemap = facts
                return request
            }
        }
        if !requests.isEmpty { _ = try await context.frontier.add(requests) }
    }

    mutating func finished(_ report: SiteFileVisit.Report) async throws {
        let request = report.request
        if case .rules(let rules, _, _) = report.answer {
            schedule.setCrawlDelay(rules.crawlDelay, host: request.originURL.politenessHost)
        }
        let host = request.url.politenessHost
        let verdict = endTurn(
            of: host, report.sign, report.exchange, trouble: report.trouble, waitedSince: request.waitsSince)
        context.log?.write(CrawlLogEntry(report, clock: context.clock, spelling))
        if report.change.hostsInNeed > 0 { wantsLease = true }
        if report.wasStopped {
            // Pages that wait for a file are released when the run ends.
            if request.kind == .robots { try await context.frontier.release(visits(in: rules.forget(request.origin))) }
            return
        }
        // Pages wait for the file, so it is requested again at once. There is no later attempt.
        if request.kind != .robots, report.exchange.failure?.isAskedAgainAtOnce(attempt: request.attempt) == true {
            return try await enqueue(request.retried())
        }
        switch report.answer {
        case .rules(let found, let kept, let keep):
            try await context.frontier.keep(kept)
            try await enqueue(rules.settle(request.origin, rules: found, keep: keep, now: now))
        case .rulesUnreachable(let failure, let mayPass, let retryAfter):
            try await retryRules(request, failure, mayPass: mayPass, retryAfter: retryAfter)
        case .redirected(let target) where request.kind == .robots: try await redirectRules(request, to: target)
        case .redirected(let target):
            if context.scope.covers(file: target, of: request.originURL, seed: request.seed),
                context.gate.refusal(of: target, for: request.kind.purpose, isRedirected: true) == nil
            {
                try await enqueue(request.redirected(to: target))
            } else {
                let failure: RequestFailure.Cause =
                    context.scope.owns(target.politenessHost) ? .redirectRefused(to: target.href) : .otherShard
                settle(request, .absent(failure), keep: RobotsAnswer.longestKept)
            }
        case .file(let outcome, let keep): settle(request, outcome, keep: keep)
        case .subresource(let result): settle(request, SubresourceAnswer(result), code: report.answer.code)
        }
        if case .suspend(let until) = verdict { try await suspend(host, until: until) }
    }

    private mutating func redirectRules(_ request: SiteFileRequest, to target: WebURL) async throws {
        let host = target.politenessHost
        if let refusal = context.gate.refusal(of: target, for: .robots, isRedirected: true) {
            try await giveUpRules(request, RequestFailure(.failed(.notAllowed(refusal)), asking: target))
        } else if limits.isSuspended(host, now: now) || !limits.admits(host) {
            let failure = RequestFailure(.hostLeft, asking: target)
            try await enqueue(rules.settle(request.origin, unreachable: failure, now: now))
        } else {
            try await restore(hosts: [host])
            schedule.add(.siteFile(request.redirected(to: target)), now: now)
        }
    }

    private mutating func retryRules(
        _ request: SiteFileRequest, _ failure: RequestFailure, mayPass: Bool, retryAfter: Duration?
    ) async throws {
        guard mayPass, (retryAfter ?? .zero) <= settings.fetch.maximumWait,
            let delay = settings.fetch.retryDelay(attempt: request.attempt, after: failure.error)
        else { return try await giveUpRules(request, failure) }
        schedule.add(.siteFile(request.retried()), notBefore: now + max(retryAfter ?? .zero, delay), now: now)
        context.statistics.update { $0.retries += 1 }
    }

    private mutating func giveUpRules(_ request: SiteFileRequest, _ failure: RequestFailure) async throws {
        logger.notice("\(failure.explanation(spelling)): nothing at \(request.origin) is visited")
        try await enqueue(rules.settle(request.origin, unreachable: failure, now: now))
    }

    /// Answers the pages whose scripts asked.
    private mutating func settle(_ request: SiteFileRequest, _ answer: SubresourceAnswer, code: String) {
        subresources.remove(request.id)
        context.rendering?.desk.settle(request.id, answer, isScript: request.subresource?.kind == .script)
        context.statistics.update { $0.siteFiles["\(request.kind.rawValue)-\(code)", default: 0] += 1 }
    }

    /// Stores the outcome of a file, whether it was found or not. Pages that waited for it continue.
    private mutating func settle(
        _ request: SiteFileRequest, _ outcome: SiteFileOutcome, keep: Duration = SiteRules.unreachableFor
    ) {
        if let entry = CrawlLogEntry(unasked: request, outcome, clock: context.clock, spelling) {
            context.log?.write(entry)
        }
        logger.debug("\(request.kind.rawValue) \(outcome.code) \(request.originURL.href)")
        if request.kind == .subresource {
            let failure = RequestFailure(outcome.cause ?? .hostLeft, asking: request.url)
            return settle(request, .failed(failure), code: outcome.code)
        }
        pending.settle(request.id, outcome, keep: keep, now: now)
        context.statistics.update { $0.siteFiles["\(request.kind.rawValue)-\(outcome.code)", default: 0] += 1 }
    }

    mutating func lookedUp(_ host: String, _ answer: Result<[NetworkAddress], FetchError>) {
        let result =
            switch answer {
            case .success: "found"
            case .failure(let error): error.code
            }
        let domain = schedule.lookedUp(host: host, answer, now: now)
        context.statistics.update {
            $0.lookUps[result, default: 0] += 1
            if let domain { $0.domainsGivenUp.insert(domain) }
        }
        if let domain { logger.notice("\(domain) is given up for this run: most of its names do not exist") }
    }

    // MARK: Hosts that are left for the next run

    /// Leaves a host for this run because it needs a longer rest than the run waits. Its URLs go back to the frontier.
    private mutating func suspend(_ host: String, until: Duration) async throws {
        limits.suspend(host, until: until)
        let requests = takeOut(host)
        let why = schedule.trouble(host: host).map { ": \($0.explanation(spelling))" } ?? ""
        logger.notice("\(host) is left for this run, \(requests.count) URLs of it wait for the next\(why)")
        context.statistics.update { _ = $0.hostsLeft.insert(host) }
        let seconds = Double((until - now).components.seconds)
        try await context.frontier.suspend(host: host, until: context.clock.date().addingTimeInterval(seconds))
        try await context.frontier.release(requests)
    }

    /// Leaves a host that cannot be reached at all, with all its remaining requests, so that its pages are not tried one by
    /// one.
    private mutating func suspendIfUnreachable(_ host: String, _ error: FetchError?) async throws {
        guard let error, error.retry == .leaveHost else {
            unreached[host] = nil
            return
        }
        unreached[host, default: 0] += 1
        if case .tls = error, unreached[host, default: 0] < Self.maximumBadCertificates { return }
        guard schedule.queuedCount(host: host) > 0 else { return }
        try await suspend(host, until: now + SiteRules.unreachableFor)
    }

    /// Ends a job's run if all hosts with work rest for a long time; the next run asks them. Returns true if they were left.
    private mutating func suspendRestingHosts(until: Duration, now: Duration) async throws -> Bool {
        guard until - now > Self.patience, context.frontier.keepsWork, !wantsLease,
            let resting = schedule.restingHosts(longerThan: Self.patience, now: now)
        else { return false }
        for (host, until) in resting { try await suspend(host, until: until) }
        leftRestingHosts = true
        return true
    }

    /// Releases visits of hosts that are beyond a limit of the run.
    private mutating func leaveForNextRun(_ requests: [CrawlRequest]) async throws {
        guard !requests.isEmpty else { return }
        let until = context.clock.date().addingTimeInterval(Self.hostLimitRest / .seconds(1))
        for host in Set(requests.map(\.host)).sorted() {
            limits.suspend(host, until: now + Self.hostLimitRest, isBeyondLimit: true)
            try await context.frontier.suspend(host: host, until: until)
        }
        try await context.frontier.release(requests)
    }

    /// Removes a host's visits from the schedule and returns them.
    private mutating func takeOut(_ host: String) -> [CrawlRequest] { visits(in: schedule.removeAll(host: host)) }

    /// Returns the visits among turns that this run does not take. The files among them count as not available.
    private mutating func visits(in turns: [PolitenessSchedule.Turn]) -> [CrawlRequest] {
        var requests: [CrawlRequest] = []
        for turn in turns {
            switch turn {
            case .visit(let request): requests.append(request)
            case .siteFile(let file) where file.kind == .robots: requests += visits(in: rules.forget(file.origin))
            case .siteFile(let file): settle(file, .absent(.hostLeft))
            }
        }
        return requests
    }

    // MARK: Clocks, counts and the end

    /// Stores the clocks of hosts that changed since they were last stored.
    mutating func keepChangedClocks() async throws {
        let clocks = schedule.takeChangedClocks(now: now)
        if !clocks.isEmpty { try await context.frontier.keep(clocks) }
    }

    func describe(_ statistics: inout CrawlStatistics) {
        statistics.scheduled = schedule.queuedCount
        statistics.hostsScheduled = schedule.hostCount
        statistics.hostsMet = limits.hosts.count
        statistics.hostsBeyond = limits.hostsBeyond.count
    }

    func wait(until: Duration) -> CrawlWait? {
        CrawlWait(until: until, schedule, date: context.clock.date(), now: now)
    }

    /// Ends the run: returns unfinished requests to the frontier. Each step is tried even if an earlier one fails, so that the
    /// hosts' clocks are stored even if URLs cannot be released.
    mutating func close() async throws {
        context.rendering?.desk.close()
        var unfinished = postponed + pending.removeAll() + unrendered.map(\.visit.request)
        unrendered = []
        for case .visit(let request) in rules.forgetAllAsked() + schedule.removeAll() { unfinished.append(request) }
        let left = unfinished
        var troubles = Troubles()
        await troubles.attempt { try await context.frontier.release(left) }
        if context.frontier.keepsWork {
            // The next run begins with the hosts that this one left because of a limit.
            let date = context.clock.date()
            for host in limits.hostsBeyond.sorted() {
                await troubles.attempt { try await context.frontier.suspend(host: host, until: date) }
            }
        }
        await troubles.attempt { try await keep(lateSitemapFacts) }
        let clocks = schedule.clocksToClose(now: now)
        await troubles.attempt { try await context.frontier.close(keeping: clocks) }
        try troubles.raise()
        let hostTroubles = schedule.troubles
        context.statistics.update { $0.troubles = hostTroubles }
    }

    /// The reason why a run that was not stopped ended with this many URLs left.
    func ending(left: Int) -> CrawlSummary.Ending {
        guard left > 0 else { return .finished }
        if limits.isClosed { return .interrupted }
        if limits.pageLimitIsReached { return .pageLimit }
        if leftRestingHosts { return .hostsRest }
        return limits.hostsBeyond.isEmpty ? .finished : .hostLimit
    }
}
