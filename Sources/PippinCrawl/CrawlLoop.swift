import Foundation
import Logging
import PippinPage

/// The loop of a crawl and everything it alone may change: the politeness schedule, the sites' rules, the tallies.
///
///     lease when hosts need work ─► start all that is due ─► wait for one event ─► handle it ─┐
///              ▲                                                                              │
///              └──────────────────────────────────────────────────────────────────────────────┘
///
/// A fixed number of visits is in flight. Only this loop waits for time to pass, in one timer.
struct CrawlLoop {
    enum Event: Sendable {
        case visited(Visit.Report)
        case siteFileFetched(SiteFileVisit.Report)
        /// A page that had waited for files of its site is filed.
        case filed(Visit.Report)
        case lookedUp(host: String, Result<[NetworkAddress], FetchError>)
        case timer(at: Duration)
        case stopWanted
    }

    typealias Group = ThrowingTaskGroup<Event, any Error>

    /// Requests in the schedule at most: enough hosts to keep a fast crawl busy, small against the frontier.
    static let scheduleCapacity = 10_000
    /// Requests of one host that are leased at a time, at least.
    static let shareOfHost = 16
    /// When nothing else is left to do, a run of a job waits for so long, and leaves the hosts that rest longer for the next run.
    static let patience = PolitenessSchedule.maximumAdaptiveDelay
    /// Certificates in a row that were no good, before a host is left. One bad certificate may be that of one origin of several.
    static let maximumBadCertificates = 3

    let context: Visit.Context
    let logger: Logger
    var schedule: PolitenessSchedule
    var siteFiles = SiteFiles()
    /// Pages that were read and wait for files of their sites.
    var held = HeldPages()
    /// What sitemaps say of pages that are leased and not visited yet.
    private var lateAlternates: [URLKey: [String]] = [:]
    /// Visits that were due while none was to begin: the page limit seemed reached, or too many pages were held.
    private var setAside: [CrawlRequest] = []
    private var isHoldingMuch = false
    var tally: CrawlTally
    var inFlight = 0
    private var pagesInFlight = 0
    /// Timers that are out, by when they fire; each new one fires before all others.
    private var timers: [Duration] = []
    var wantsLease = true
    private var isStopping = false
    /// Quiet hours close the crawl for longer than it waits.
    private var isQuiet = false
    /// All hosts with work rested for longer than a run of a job waits, and were left.
    private var hasLeftResting = false
    /// When the first host may be asked; nil while something can start.
    private var waitsUntil: Duration?
    /// How often in a row a host could not be reached at all (`FetchError.Retry.leaveHost`).
    private var unreached: [String: Int] = [:]
    /// Hosts that asked for more rest than this run waits, until when.
    var leftHosts: [String: Duration] = [:]
    /// Hosts that this run has turned to, and requests for robots.txt.
    var metHosts: Set<String> = []
    var robotsRequests = 0
    let seedHosts: Set<String>
    var account: CrawlAccount
    /// What keeps it from starting another visit now.
    var bottleneck = CrawlPace.Limit.work

    init(context: Visit.Context, seeds: [Seed], logger: Logger) {
        self.context = context
        self.logger = logger
        var politeness = PolitenessSchedule.Settings(context.configuration)
        politeness.notesChangedClocks = true
        politeness.looksUp = true
        schedule = PolitenessSchedule(politeness)
        schedule.set(date: context.clock.date(), now: context.clock.now())
        tally = CrawlTally(seeds: seeds, spelling: context.configuration.messages.settings)
        account = CrawlAccount(seeds: seeds)
        seedHosts = Set(seeds.map(\.url.politenessHost))
    }

    var settings: CrawlConfiguration { context.configuration }

    mutating func run(_ group: inout Group) async throws -> CrawlSummary {
        try await addSeeds()
        while true {
            if Task.isCancelled { isStopping = true }
            bottleneck = .ending
            if !isStopping {
                if wantsLease { try await lease() }
                // A turn that is skipped may make a page want another file.
                repeat { try await startWhatIsDue(&group) } while try await takeUpReturned()
            }
            while try await takeUpReturned() {}
            startFiling(&group)
            updateGauges()
            if inFlight == 0, isStopping || isQuiet || pageLimitIsReached && held.isEmpty || hasNothingLeft { break }
            guard let event = try await group.next() else { break }
            try await handle(event)
            if let failure = context.log?.failure { throw failure }
            if let failure = context.threads.failure { throw failure }
            let clocks = schedule.takeChangedClocks(now: context.clock.now())
            if !clocks.isEmpty { try await context.frontier.keep(clocks) }
        }
        return try await end()
    }

    // MARK: Start what is due

    /// Steps 1 and 2 for the seeds.
    private mutating func addSeeds() async throws {
        var requests: [CrawlRequest] = []
        for seed in tally.seeds {
            let request = CrawlRequest(seed: seed)
            if let refusal = context.scope.refusal(of: request) {
                tally.seedEnded(request, outcome: .excluded(refusal))
                tellRefused(seed: request, .excluded(refusal))
            } else {
                requests.append(request)
            }
        }
        let change = try await context.frontier.add(requests)
        context.metrics.update { $0.count(change) }
    }

    private mutating func lease() async throws {
        let room = Self.scheduleCapacity - schedule.queuedCount - setAside.count
        guard room > 0 else { return }
        let share = max(Self.shareOfHost, 4 * settings.politeness.maximumConnectionsPerHost)
        var requests = try await context.frontier.lease(limit: room, perHost: share)
        // Hosts that still need more say so when one of their visits ends.
        wantsLease = requests.count == room
        var beyond: [CrawlRequest] = []
        for request in requests where !turnsTo(host: request.host) { beyond.append(request) }
        if !beyond.isEmpty {
            requests.removeAll { !metHosts.contains($0.host) }
            try await putOff(beyond)
        }
        try await meet(hosts: Set(requests.map(\.host)))
        for var request in requests {
            // The operator has taken the seed off the list: it is a page like every other.
            if request.standsForSeed, !tally.isSeed(request.seed.url) { request.standsForSeed = false }
            if request.standsForSeed { tally.seedLeased(request) }
            try await enqueue(request)
        }
    }

    /// Hosts that the schedule does not know are taken as earlier runs left them.
    mutating func meet(hosts: Set<String>) async throws {
        let strangers = hosts.filter { !schedule.knows(host: $0) }.sorted()
        guard !strangers.isEmpty else { return }
        let clocks = try await context.frontier.clocks(of: strangers)
        let now = context.clock.now()
        for clock in clocks { schedule.restore(clock, now: now) }
        for host in strangers { restore(try await context.frontier.rules(of: host)) }
    }

    /// Step 3. A host that was left for this run gets nothing more.
    mutating func enqueue(_ request: CrawlRequest, notBefore: Duration? = nil) async throws {
        guard turnsTo(host: request.host) else { return try await putOff([request]) }
        if let until = leftHosts[request.host] {
            if until > context.clock.now() {
                try await context.frontier.release([request])
                return
            }
            leftHosts[request.host] = nil
        }
        let now = context.clock.now()
        var request = request
        request.waitsSince = request.waitsSince ?? max(notBefore ?? now, now)
        if let notBefore {
            schedule.add(.visit(request), notBefore: notBefore, now: now)
        } else {
            schedule.add(.visit(request), now: now)
        }
    }

    private mutating func startWhatIsDue(_ group: inout Group) async throws {
        if !setAside.isEmpty, visitsMayBegin() {
            for request in setAside { try await enqueue(request) }
            setAside = []
        }
        isQuiet = false
        waitsUntil = nil
        schedule.set(date: context.clock.date(), now: context.clock.now())
        // What waits for memory leaves its place to others.
        while inFlight - context.memory.waitingCount < settings.fetch.concurrency {
            let visitsMayBegin = visitsMayBegin()
            bottleneck = visitsMayBegin ? .work : isHoldingMuch ? .pagesHeld : lacksMemory ? .memory : .ending
            guard visitsMayBegin || !held.isEmpty else { return }
            let now = context.clock.now()
            switch schedule.next(now: now) {
            case .start(.siteFile(let request)): try await start(request, &group)
            case .start(.visit(let request)) where !visitsMayBegin:
                // Only files that pages wait for are still asked for.
                setAside.append(request)
                _ = schedule.finished(host: request.host, sign: .untouched, now: now)
            case .start(.visit(let request)): try await start(request, &group)
            case .lookUp(let host): startLookUp(of: host, &group)
            case .wait(let until):
                if visitsMayBegin { bottleneck = .politeness }
                if try await leaveResting(until: until, now: now) { return }
                waitsUntil = until
                setTimer(until, &group)
                return
            case .leave(let host, let until):
                try await leave(host, until: until)
            case .quiet:
                bottleneck = .politeness
                isQuiet = true
                return
            case .idle:
                return
            }
        }
        bottleneck = .capacity
    }

    private mutating func start(_ request: CrawlRequest, _ group: inout Group) async throws {
        let now = context.clock.now()
        guard let origin = request.url.origin, let rules = SiteFileRequest(robotsFor: request.url, seed: request.seed)
        else { return start(request, with: .refused(.notHTTP), &group) }
        switch try await standing(of: origin, host: request.host, now: now) {
        case .unknown where !mayAskForRules:
            _ = schedule.finished(host: request.host, sign: .untouched, now: now)
            try await putOff([request] + takeOut(request.host))
        case .unknown:
            siteFiles.begin(rules, parking: .visit(request), now: now)
            try await start(rules, &group)
        case .asking:
            siteFiles.park(.visit(request), origin: origin)
            _ = schedule.finished(host: request.host, sign: .untouched, now: now)
        case .known(let robots):
            start(request, with: limit(on: request).map { .refused($0) } ?? .rules(robots), &group)
        case .unreachable(let failure):
            start(request, with: .rulesUnreachable(failure), &group)
        }
    }

    private mutating func start(_ request: CrawlRequest, with permission: Visit.Permission, _ group: inout Group) {
        inFlight += 1
        if case .rules = permission {
            noteTurn(of: request.host)
            tally.started(request)
            pagesInFlight += request.isPage ? 1 : 0
        }
        var request = request
        if !lateAlternates.isEmpty, let late = lateAlternates.removeValue(forKey: request.key) {
            request.addAlternates(late)
        }
        var visit = Visit(
            context: context, request: request, permission: permission, turn: schedule.permit(host: request.host))
        if case .rules = permission { visit.files = knownAssociations(for: request) }
        let started = visit
        group.addTask { .visited(try await started.run()) }
    }

    /// Pages are held until half of what may be held is gone, so that visits are not set aside again and again.
    private mutating func visitsMayBegin() -> Bool {
        if held.isFull { isHoldingMuch = true } else if held.isHalfEmpty { isHoldingMuch = false }
        return !isHoldingMuch && !pageLimitIsReached && !lacksMemory
    }

    /// While nothing is under way there is nothing to wait for.
    private var lacksMemory: Bool {
        !context.memory.hasRoom && (inFlight > 0 || !held.isEmpty)
    }

    /// Limits that count visits are looked at when a visit would begin.
    private func limit(on request: CrawlRequest) -> CrawlScope.Refusal? {
        // What an earlier run admitted may lie outside by now.
        if let refusal = context.scope.refusal(of: request) { return refusal }
        if request.isPage {
            return tally.pages(of: request.host) >= settings.scope.maximumPagesPerHost ? .hostPageLimit : nil
        }
        let isLimited =
            tally.sitemaps(of: request.host) >= Visit.maximumSitemapsPerHost
            || tally.sitemapsInAll >= settings.scope.sitemapLimit
        return isLimited ? .sitemapLimit : nil
    }

    private var pageLimitIsReached: Bool {
        tally.finishedPages + pagesInFlight >= settings.scope.maximumPages
    }

    private var hasNothingLeft: Bool { schedule.isEmpty && !wantsLease }

    /// The first timer is enough, it looks again when it fires: so there is never more than one for the same wait.
    private mutating func setTimer(_ until: Duration, _ group: inout Group) {
        if let first = timers.last, first <= until { return }
        timers.append(until)
        let clock = context.clock
        group.addTask {
            await clock.sleep(until)
            return .timer(at: until)
        }
    }

    // MARK: Handle what happened

    private mutating func handle(_ event: Event) async throws {
        switch event {
        case .visited(let report): try await handle(report)
        case .siteFileFetched(let report): try await handle(report)
        case .filed(let report): try await handle(filed: report)
        case .lookedUp(let host, let answer): handle(host, answer)
        case .timer(let time): timers.removeAll { $0 == time }
        case .stopWanted: isStopping = true
        }
    }

    private mutating func handle(_ report: Visit.Report) async throws {
        inFlight -= 1
        let request = report.request
        let now = context.clock.now()
        let verdict = schedule.finished(
            host: request.host, sign: report.sign, address: report.telling.exchange?.remoteAddress,
            failsAddress: report.telling.exchange?.failure?.failsAddress ?? false,
            trouble: report.telling.outcome?.trouble(asking: request.url), now: now)
        note(report.telling.exchange, host: request.host, waitedSince: request.waitsSince)
        if case .leave(let until) = verdict { try await leave(request.host, until: until) }
        // A held page stays counted until it is filed.
        if case .held(let page) = report.end { return try await hold(page) }
        try await end(report)
        if report.telling.exchange != nil { try await leaveIfUnreachable(request.host, report.telling.outcome) }
    }

    private mutating func handle(filed report: Visit.Report) async throws {
        inFlight -= 1
        if case .held(let page) = report.end { return try await hold(page) }
        try await end(report)
    }

    private mutating func end(_ report: Visit.Report) async throws {
        let request = report.request
        if report.wasCounted {
            tally.returned(request)
            pagesInFlight -= request.isPage ? 1 : 0
        }
        tell(report)
        switch report.end {
        case .finished(let outcome, let change):
            logger.debug("\(outcome.code) \(request.url.href)")
            tally.ended(request, outcome: outcome, change: change, wroteRecord: report.wroteRecord)
            if change.hostsInNeed > 0 { wantsLease = true }
            lateAlternates.merge(change.lateAlternates) { CrawlRequest.joinedAlternates($0, $1) }
            if let late = lateAlternates.removeValue(forKey: request.key) { try await keep([request.key: late]) }
        case .again(var next, let after):
            next.waitsSince = nil
            try await enqueue(next, notBefore: context.clock.now() + after)
        case .held(let page):
            try await hold(page)
        case .stopped:
            try await context.frontier.release([request])
        }
    }

    /// What sitemaps said of pages that were on their way already stays with them for the next visit.
    private func keep(_ alternates: [URLKey: [String]]) async throws {
        guard let seed = tally.seeds.first else { return }
        let requests = alternates.compactMap { key, addresses in
            // They are known, by a shorter way than this.
            WebURL(key.string).map {
                CrawlRequest(
                    url: $0, depth: Self.noWay, seed: seed, discovery: .sitemap, alternates: addresses)
            }
        }
        if !requests.isEmpty { _ = try await context.frontier.add(requests) }
    }

    private static let noWay = 1_000_000

    /// A host that wants more rest than this run waits for: its URLs go back to the frontier.
    mutating func leave(_ host: String, until: Duration) async throws {
        let now = context.clock.now()
        leftHosts[host] = until
        let requests = takeOut(host)
        let why = schedule.trouble(host: host).map { ": \($0.explanation(settings.messages.settings))" } ?? ""
        logger.notice("\(host) is left for this run, \(requests.count) URLs of it wait for the next\(why)")
        tally.hostsLeft.insert(host)
        let seconds = Double((until - now).components.seconds)
        try await context.frontier.suspend(host: host, until: context.clock.date().addingTimeInterval(seconds))
        try await context.frontier.release(requests)
    }

    /// The visits that a host still has, taken out of the schedule.
    mutating func takeOut(_ host: String) -> [CrawlRequest] {
        var requests: [CrawlRequest] = []
        for turn in schedule.removeAll(host: host) {
            switch turn {
            case .visit(let request): requests.append(request)
            case .siteFile(let file) where file.kind == .robots: requests += unpark(siteFiles.abandon(file.origin))
            case .siteFile(let file): settle(file, .absent(.hostLeft))
            }
        }
        return requests
    }

    /// A host that cannot be reached at all is left, with what it still has to do, and not tried page by page.
    private mutating func leaveIfUnreachable(_ host: String, _ outcome: VisitOutcome?) async throws {
        guard case .failed(let error) = outcome, error.retry == .leaveHost else {
            unreached[host] = nil
            return
        }
        unreached[host, default: 0] += 1
        if case .tls = error, unreached[host, default: 0] < Self.maximumBadCertificates { return }
        guard schedule.queuedCount(host: host) > 0 else { return }
        try await leave(host, until: context.clock.now() + SiteFiles.unreachableFor)
    }

    /// When only hosts are left that rest for long, a run of a job ends: they are asked by the next. True when they were left.
    private mutating func leaveResting(until: Duration, now: Duration) async throws -> Bool {
        guard inFlight == 0, until - now > Self.patience, context.frontier.keepsWork, !wantsLease,
            let resting = schedule.restingHosts(longerThan: Self.patience, now: now)
        else { return false }
        for (host, until) in resting { try await leave(host, until: until) }
        hasLeftResting = true
        return true
    }

    // MARK: End

    private mutating func end() async throws -> CrawlSummary {
        var unfinished = setAside + held.removeAll().map(\.visit.request)
        for case .visit(let request) in siteFiles.abandonAll() { unfinished.append(request) }
        for case .visit(let request) in schedule.removeAll() { unfinished.append(request) }
        // Each step is made, whatever becomes of those before it: a sink that fails must not cost the hosts their clocks.
        var troubles = Troubles()
        await troubles.attempt { try await context.frontier.release(unfinished) }
        await troubles.attempt { try await admitForNextRun() }
        await troubles.attempt { try await keep(lateAlternates) }
        await troubles.attempt { try await context.sink?.flush() }
        let clocks = schedule.clocksToClose(now: context.clock.now())
        await troubles.attempt { try await context.frontier.close(keeping: clocks) }
        try troubles.raise()
        let left = try await context.frontier.unfinishedCount()
        let ending: CrawlSummary.Ending =
            if isStopping {
                .interrupted
            } else if isQuiet {
                .quietHours
            } else if left > 0, pageLimitIsReached {
                .pageLimit
            } else if left > 0, hasLeftResting {
                .hostsRest
            } else if left > 0, !tally.hostsBeyond.isEmpty {
                .hostLimit
            } else {
                .finished
            }
        waitsUntil = nil
        updateGauges()
        account.troubles = schedule.troubles
        let standing = try await context.frontier.standing(of: tally.seedsWithoutEnd)
        if let standing { account.keep(standing) }
        var summary = tally.summary(
            ending: ending, metrics: context.metrics.snapshot, unvisited: left, duration: context.clock.now(),
            standing: standing, troubles: account.troubles)
        summary.account = account
        return summary
    }

    private mutating func updateGauges() {
        account.pace.turn(to: bottleneck, at: context.clock.now())
        let waiting = waitsUntil.flatMap { wait(until: $0) }
        context.metrics.update {
            $0.pace = account.pace
            $0.waiting = waiting
            $0.visitsInFlight = inFlight
            $0.scheduled = schedule.queuedCount
            $0.hosts = schedule.hostCount
        }
    }
}
