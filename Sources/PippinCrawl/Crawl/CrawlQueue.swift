import DequeModule
import Logging
import PippinPage

/// The current work of a run: visits leased from the frontier, and files of sites that their pages need. It decides what starts
/// next, and handles the results.
///
///     frontier ──lease──► turns ──next──► a visit, a file ──finished──► frontier
///                           ▲                                  │
///                           └── again, or files that it needs ─┘
///
/// Each part has its own state: `HostTurns` what waits for a host's turn, `SiteFileDesk` the pages that wait for files,
/// `LateSitemapFacts` what the frontier could not take yet.
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
    /// The limit of pages that wait to be rendered. A browser takes some minutes for them.
    private static let maximumUnrendered = 500

    private let context: Visit.Context
    private let seeds: [Seed]
    private let logger: Logger
    var turns: HostTurns
    var files: SiteFileDesk
    private var lateFacts: LateSitemapFacts
    /// Pages that wait to be rendered.
    private var unrendered = Deque<UnrenderedPage>()
    /// Visits that were due while no visit was allowed to start (`obstacle`).
    private var postponed: [CrawlRequest] = []
    /// Visits of pages that need a file which only the next run can ask for. They stay leased, so that this run does not visit them
    /// again, and a host gets no more than its share of them.
    private var putOff: [CrawlRequest] = []
    private var tooManyPagesWait = false
    private var wantsLease = true

    init(context: Visit.Context, seeds: [Seed], logger: Logger, rules: SiteRules) {
        self.context = context
        self.seeds = seeds
        self.logger = logger
        turns = HostTurns(context: context, seeds: seeds, logger: logger, rules: rules)
        files = SiteFileDesk(context: context, logger: logger)
        lateFacts = LateSitemapFacts(context: context)
    }

    private var now: Duration { context.clock.now() }

    /// Whether nothing is left to start, now or later, unless a result of something in flight adds work.
    var isDone: Bool {
        unrendered.isEmpty
            && (turns.limits.pageLimitIsReached && files.pages.isEmpty || turns.isEmpty && !wantsLease)
    }

    /// Whether no host has work here, and the frontier may have some.
    var wantsLeaseAtOnce: Bool { turns.isEmpty && wantsLease && roomForLeases > 0 }

    // MARK: In

    /// Steps 1 and 2 for the seeds: adds those in scope to the frontier, and logs the others.
    mutating func addSeeds() async throws {
        var requests: [CrawlRequest] = []
        for request in seeds.map({ CrawlRequest(seed: $0) }) {
            guard let refusal = context.scope.refusal(of: request) else {
                requests.append(request)
                continue
            }
            note(request, .excluded(refusal))
        }
        let change = try await context.frontier.add(requests)
        context.statistics.update { $0.count(change) }
    }

    /// How many more requests to lease. No more than may be visited: else the fastest of all hosts would use up the run's pages, and the
    /// slow ones never get any.
    private var roomForLeases: Int {
        let waiting = turns.count + postponed.count
        return min(Self.scheduleCapacity, turns.limits.pagesLeft - turns.countWaitingForRules) - waiting
    }

    /// Leases more requests from the frontier if hosts need work.
    mutating func lease() async throws {
        guard wantsLease else { return }
        let room = roomForLeases
        guard room > 0 else { return }
        let share = min(
            max(Self.shareOfHost, 4 * context.configuration.maximumConnectionsPerHost),
            max(1, context.configuration.scope.maximumPagesPerHost))
        let leased = try await context.frontier.lease(limit: room, perHost: share)
        // Hosts that still need more are reported when one of their visits ends.
        wantsLease = leased.count == room
        for var request in try await turns.admitted(leased) {
            if request.standsForSeed {
                // The operator may have removed the seed from the list. Then it is an ordinary page.
                request.standsForSeed = context.scope.isSeed(request.seed.url)
                if request.standsForSeed { context.statistics.update { $0.seedIsDue(request) } }
            }
            try await turns.add(request)
        }
    }

    /// Takes a request of a page's scripts. It waits for its host's turn like a file of a site.
    mutating func take(_ ask: SubresourceDesk.Ask) async throws {
        if let request = files.begin(ask) { try await add(request) }
    }

    private mutating func add(_ request: SiteFileRequest) async throws {
        if try await !turns.add(request) { try await settle(left: [request]) }
    }

    /// Settles files that are not asked for, because their host is left for the next run, or because no page's scripts wait for it.
    private mutating func settle(left requests: [SiteFileRequest]) async throws {
        for request in requests {
            guard request.kind == .subresource || !turns.limits.unnamedHosts.contains(request.url.politenessHost) else {
                putOff(pagesThatNeed: request)
                continue
            }
            let cause = try await request.kind == .subresource ? turns.refusal(ofSubresource: request) : nil
            files.settle(request, .absent(cause ?? .hostLeft))
        }
    }

    /// Leaves pages for the next run that wait for a file of a host whose address is not named yet. Without the file they would be
    /// recorded otherwise than on one machine.
    private mutating func putOff(pagesThatNeed request: SiteFileRequest) {
        for page in files.putOff(request) {
            if page.result.isCounted { turns.limits.takeBack(page.visit.request) }
            putOff.append(page.visit.request)
        }
    }

    // MARK: Out

    /// The reason why no visit may start, whatever the hosts allow; nil if visits may start. Once too many pages wait, at least
    /// half of them must be recorded first, so that visits are not postponed again and again. If nothing is in flight and no
    /// page waits, no memory will become free, so lack of memory is not a reason.
    mutating func obstacle(inFlight: Int) -> CrawlPace.Limit? {
        if files.pages.isFull || unrendered.count >= Self.maximumUnrendered {
            tooManyPagesWait = true
        } else if files.pages.isHalfEmpty, unrendered.count < Self.maximumUnrendered / 2 {
            tooManyPagesWait = false
        }
        if tooManyPagesWait { return files.pages.isHalfEmpty ? .rendering : .pagesHeld }
        if !context.memory.hasRoom, inFlight > 0 || !files.pages.isEmpty { return .memory }
        return turns.limits.pageLimitIsReached ? .ending : nil
    }

    /// Whether a visit waits only for its host's turn.
    var hasVisits: Bool { turns.visitCount > 0 && !turns.limits.pageLimitIsReached }

    /// The next thing to start.
    ///
    /// - Parameter mayVisit: if false, only files that pages wait for are requested.
    mutating func next(mayVisit: Bool, inFlight: Int) async throws -> Next {
        if mayVisit {
            let due = postponed
            postponed = []
            for request in due { try await turns.add(request) }
        }
        turns.setDate()
        while true {
            while let file = files.pages.nextFile() { try await add(file) }
            guard mayVisit || !files.isEmpty else { return .nothing }
            switch turns.next() {
            case .start(.visit(let request)) where !mayVisit:
                postponed.append(request)
                turns.giveBack(host: request.host)
            case .start(.visit(let request)): if let next = try await start(request) { return next }
            case .start(.siteFile(let request)): if let next = try await start(request) { return next }
            case .lookUp(let host): return .lookUp(host: host)
            case .wait(let until):
                guard inFlight == 0, !wantsLease || roomForLeases <= 0,
                    let left = try await turns.suspendRestingHosts(until: until)
                else {
                    return .wait(until: until)
                }
                try await settle(left: left)
                // Other hosts may have work for the room that the suspended ones leave.
                try await lease()
                if turns.isEmpty { return .nothing }
            case .suspend(let host, let until): try await suspend(host, until: until)
            case .leave(let host): try await settle(left: turns.leaveUnnamed(host))
            case .quiet: return .quiet
            case .idle: return .nothing
            }
        }
    }

    /// Returns and removes the page that waits longest to be rendered.
    mutating func takeUnrenderedPage() -> UnrenderedPage? { unrendered.popFirst() }

    /// Starts a visit's turn. Returns the visit, the robots.txt that it needs, or nil if the turn was given back.
    private mutating func start(_ request: CrawlRequest) async throws -> Next? {
        switch try await rules(for: .visit(request), seed: request.seed) {
        case .known(.success(let rules)):
            guard let refusal = turns.limits.refusal(of: request) else {
                return visit(request, .robots(.success(rules)))
            }
            guard refusal == .hostPageLimit else { return visit(request, .refused(refusal)) }
            note(request, .excluded(refusal))
            context.statistics.update { $0.outcomes[VisitOutcome.excluded(refusal).code, default: 0] += 1 }
            try await turns.release(beyondPageLimit: request)
            return nil
        case .known(.failure(let failure)): return visit(request, .robots(.failure(failure)))
        case .wait(let robots): return robots
        case .limitReached:
            try await settle(left: turns.leaveForNextRun(hostOf: request))
            return nil
        case .noOrigin: return visit(request, .refused(.notHTTP))
        }
    }

    /// The rules that a turn needs before it makes its request.
    private enum RulesForTurn {
        case known(Result<RobotsRules, RequestFailure>)
        /// The turn waits for them. The first turn that needs them is used to request them.
        case wait(Next?)
        /// The run may make no more requests for robots.txt.
        case limitReached
        case noOrigin
    }

    private mutating func rules(for turn: PolitenessSchedule.Turn, seed: Seed) async throws -> RulesForTurn {
        guard let origin = turn.url.origin, var robots = SiteFileRequest(robotsFor: turn.url, seed: seed) else {
            return .noOrigin
        }
        if case .siteFile(let file) = turn { robots.isForScripts = file.kind == .subresource }
        switch try await turns.standing(of: origin, host: turn.host) {
        case .known(let rules): return .known(rules)
        case .unknown where !turns.limits.mayAskForRules: return .limitReached
        case .unknown, .asking: return .wait(turns.wait(turn, for: robots.origin) ? file(robots) : nil)
        }
    }

    /// Counts and logs a request that is not visited.
    private func note(_ request: CrawlRequest, _ outcome: VisitOutcome) {
        context.statistics.update { $0.ended(request, outcome) }
        context.log?.write(CrawlLogEntry(request, outcome: outcome.code, clock: context.clock))
    }

    private mutating func visit(_ request: CrawlRequest, _ permission: Visit.Permission) -> Next {
        var request = request
        lateFacts.complete(&request)
        let turn = turns.permit(host: request.host)
        var visit = Visit(context: context, request: request, permission: permission, turn: turn)
        if permission.isByRules {
            turns.countTurn(of: request.host)
            turns.limits.begin(request)
            visit.files = files.pages.knownAssociations(for: request, now: now)
        }
        return .visit(visit)
    }

    /// Starts a file's turn in the same way.
    private mutating func start(_ request: SiteFileRequest) async throws -> Next? {
        var permission = RobotsPermission(nil, of: request.url, for: request.kind.purpose)
        if case .rulesNeeded = permission {
            switch try await rules(for: .siteFile(request), seed: request.seed) {
            case .known(let rules): permission = RobotsPermission(rules, of: request.url, for: request.kind.purpose)
            case .wait(let robots): return robots
            case .limitReached: return skip(request, .hostLeft)
            case .noOrigin: return skip(request, .outOfScope)
            }
        }
        if let cause = permission.refusal { return skip(request, cause) }
        return file(request)
    }

    private mutating func file(_ request: SiteFileRequest) -> Next {
        if request.kind == .robots { turns.limits.beginRules() }
        let host = request.url.politenessHost
        turns.countTurn(of: host)
        return .file(SiteFileVisit(context: context, request: request, turn: turns.permit(host: host)))
    }

    private mutating func skip(_ request: SiteFileRequest, _ failure: RequestFailure.Cause) -> Next? {
        files.settle(request, .absent(failure))
        turns.giveBack(host: request.url.politenessHost)
        return nil
    }

    // MARK: What came of it

    mutating func finished(_ result: VisitResult) async throws {
        let request = result.request
        let verdict = turns.end(
            asking: request.url, result.hostSign, result.exchange,
            trouble: result.exchange?.trouble(asking: request.url), readFrom: result.isRead ? request.seed : nil,
            waitedSince: request.waitsSince)
        try await settle(left: turns.takeRefusedScripts(of: request.host))
        if case .suspend(let until) = verdict { try await suspend(request.host, until: until) }
        try await goOn(result)
        if result.outcome != nil, result.exchange != nil {
            try await settle(left: turns.suspendIfUnreachable(request.host, result.outcome?.failure))
        }
    }

    /// Continues after a visit whose turn is over, or which needed no turn.
    mutating func goOn(_ result: VisitResult) async throws {
        // The visit still counts against the limits until it has ended.
        switch result.next {
        case .waitForFiles(let page): return files.pages.add(page, now: now)
        case .waitForRendering(let page): return unrendered.append(page)
        case .finish, .visitAgain, .release: break
        }
        let request = result.request
        if result.isCounted { turns.limits.end(result) }
        if case .finish = result.next, let outcome = result.outcome {
            context.statistics.update {
                $0.ended(
                    request, outcome, status: result.exchange?.status, hasRecord: result.record != nil,
                    isFollowed: result.change.followed)
            }
        }
        let spelling = context.configuration.messages.settings
        context.log?.write(CrawlLogEntry(result, clock: context.clock, spelling))
        switch result.next {
        case .finish:
            logger.debug("\(result.outcome?.code ?? "") \(request.url.href)")
            if result.change.hostsInNeed > 0 { wantsLease = true }
            lateFacts.add(result.change.lateSitemapFacts)
            try await lateFacts.keep(of: request)
        case .visitAgain(var next, let after):
            next.waitsSince = nil
            try await turns.add(next, notBefore: now + after)
        case .waitForFiles, .waitForRendering: break
        case .release: try await context.frontier.release([request])
        }
    }

    mutating func finished(_ report: SiteFileVisit.Report) async throws {
        let request = report.request
        let host = request.url.politenessHost
        turns.setCrawlDelay(report.answer, of: request)
        let verdict = turns.end(
            asking: request.url, report.sign, report.exchange, trouble: report.trouble, waitedSince: request.waitsSince)
        let spelling = context.configuration.messages.settings
        context.log?.write(CrawlLogEntry(report, clock: context.clock, spelling))
        if report.change.hostsInNeed > 0 { wantsLease = true }
        if report.wasStopped {
            // Pages that wait for a file are released when the run ends.
            if request.kind == .robots {
                try await settle(left: turns.release(waitingFor: request.origin))
            }
            return
        }
        if request.kind == .robots {
            try await settle(left: turns.take(report.answer, of: request))
        } else if turns.isAskedAgainAtOnce(request, after: report.exchange.failure) {
            try await add(request.retried())
        } else if let next = files.take(report.answer, of: request) {
            try await add(next)
        }
        try await settle(left: turns.takeRefusedScripts(of: host))
        if case .suspend(let until) = verdict { try await suspend(host, until: until) }
    }

    private mutating func suspend(_ host: String, until: Duration) async throws {
        try await settle(left: turns.suspend(host, until: until))
    }

    /// Ends the run: returns unfinished requests to the frontier. Each step is tried even if an earlier one fails, so that the
    /// hosts' clocks are stored even if URLs cannot be released.
    mutating func close() async throws {
        context.rendering?.desk.close()
        let unfinished =
            postponed + putOff + files.pages.removeAll() + unrendered.map(\.visit.request) + turns.removeAll()
        unrendered = []
        let facts = lateFacts
        var troubles = Troubles()
        await troubles.attempt { try await context.frontier.release(unfinished) }
        await troubles.attempt { try await facts.keepAll() }
        await turns.close(&troubles)
        try troubles.raise()
    }
}

/// What sitemaps say of pages that were already leased when the sitemap was read, so that the frontier could not add it.
struct LateSitemapFacts {
    private let context: Visit.Context
    private var facts: [URLKey: SitemapFacts] = [:]

    init(context: Visit.Context) { self.context = context }

    mutating func add(_ new: [URLKey: SitemapFacts]) { facts.merge(new) { $0.adding($1) } }

    /// Adds what is known late to a request that is visited now.
    mutating func complete(_ request: inout CrawlRequest) {
        if !facts.isEmpty, let late = facts.removeValue(forKey: request.key) { request.sitemap.add(late) }
    }

    /// Stores what is known late of a page that was visited, for its next visit.
    mutating func keep(of request: CrawlRequest) async throws {
        if let late = facts.removeValue(forKey: request.key) { try await store([request.key: late]) }
    }

    /// Stores what is left at the end of the run.
    func keepAll() async throws { try await store(facts) }

    private func store(_ facts: [URLKey: SitemapFacts]) async throws {
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
}
