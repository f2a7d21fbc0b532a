import Foundation
import Logging
import PippinPage

/// The turns of a run's hosts: what waits in the politeness schedule, and what waits for a robots.txt.
///
///     add ──► schedule ──next──► begin ──► a visit, a file ──► end
///              ▲                  │
///              └── take ◄─ wait ◄─┘ robots.txt is not known: it is requested first
///
/// A host is left for the next run if it rests for longer than this run waits, cannot be reached, or is beyond a limit. Its visits
/// go back to the frontier. Its files are returned to the caller, which must settle them.
struct HostTurns {
    /// The longest wait of a job's run when nothing else is left to do. Hosts that rest longer are left for the next run.
    private static let patience = PolitenessSchedule.maximumAdaptiveDelay
    /// The time for which the frontier does not offer a host beyond a limit again.
    private static let hostLimitRest = Duration.seconds(600)

    private let context: Visit.Context
    private let logger: Logger
    private var schedule: PolitenessSchedule
    private var rules: SiteRules
    private var subresourceHosts = SubresourceHosts()
    var limits: RunLimits
    /// Whether the run left all hosts with work because they rest for longer than a job's run waits.
    private var leftRestingHosts = false

    init(context: Visit.Context, seeds: [Seed], logger: Logger, rules: SiteRules) {
        self.context = context
        self.logger = logger
        self.rules = rules
        limits = RunLimits(context.configuration.scope, scope: context.scope, seeds: seeds)
        var politeness = PolitenessSchedule.Settings(context.configuration)
        politeness.notesChangedClocks = true
        politeness.looksUp = true
        politeness.nearestFirst = !context.frontier.keepsWork
        schedule = PolitenessSchedule(politeness)
        setDate()
    }

    private var settings: CrawlConfiguration { context.configuration }
    private var spelling: Setting.Spelling { settings.messages.settings }
    private var now: Duration { context.clock.now() }

    var isEmpty: Bool { schedule.isEmpty }
    var count: Int { schedule.queuedCount }
    /// How many of them are visits.
    var visitCount: Int { schedule.queuedVisits }
    /// How many turns wait for the rules of their hosts.
    var countWaitingForRules: Int { rules.waitingCount }

    // MARK: In

    /// Step 3: adds a visit. A host that was left for this run gets no more.
    mutating func add(_ request: CrawlRequest, notBefore: Duration? = nil) async throws {
        guard limits.admits(request.host) else { return try await leaveForNextRun([request]) }
        guard !limits.unnamedHosts.contains(request.host) else { return try await context.frontier.release([request]) }
        let now = now
        if let until = limits.suspension(of: request.host, now: now) {
            // The frontier offers it again if the calendar was set forward.
            try await suspendInFrontier([request.host], for: until - now)
            return try await context.frontier.release([request])
        }
        var request = request
        request.waitsSince = request.waitsSince ?? max(notBefore ?? now, now)
        schedule.add(.visit(request), notBefore: notBefore, now: now)
    }

    /// Adds a file.
    ///
    /// - Returns: false if its host is left for the next run, or if a request of a page's scripts is not made (`refusal`).
    mutating func add(_ request: SiteFileRequest) async throws -> Bool {
        let host = request.url.politenessHost
        let now = now
        guard limits.suspension(of: host, now: now) == nil, limits.admits(host), !limits.unnamedHosts.contains(host)
        else { return false }
        try await restore(hosts: [host])
        if request.kind == .subresource, try await refusal(ofSubresource: request) != nil { return false }
        var request = request
        request.waitsSince = request.waitsSince ?? now
        schedule.add(.siteFile(request), now: now)
        return true
    }

    /// Why a request of a page's scripts is not made, as far as that is known before its turn; nil if it waits for its turn. Its
    /// page is open meanwhile, so it waits neither for a host that gives no answer nor for a turn in which it would be refused.
    mutating func refusal(ofSubresource request: SiteFileRequest) async throws -> RequestFailure.Cause? {
        let host = request.url.politenessHost
        if limits.unnamedHosts.contains(host) { return .addressNotNamed }
        if let cause = Self.refusal(of: request, subresourceHosts, rest: schedule.rest(host: host, now: now), now: now)
        {
            return cause
        }
        guard case .known(let rules) = try await standing(of: request.origin, host: host) else { return nil }
        return RobotsPermission(rules, of: request.url, for: request.kind.purpose).refusal
    }

    private static func refusal(
        of request: SiteFileRequest, _ hosts: SubresourceHosts, rest: Duration, now: Duration
    ) -> RequestFailure.Cause? {
        hosts.failure(of: request.origin, now: now)
            ?? (rest > SubresourceHosts.longestRest ? .hostRests(for: rest) : nil)
    }

    /// Removes the waiting requests of pages' scripts to a host that cannot be waited for any longer.
    mutating func takeRefusedScripts(of host: String) -> [SiteFileRequest] {
        guard context.rendering != nil else { return [] }
        let (hosts, rest, now) = (subresourceHosts, schedule.rest(host: host, now: now), now)
        return schedule.removeScripts(host: host, now: now) {
            Self.refusal(of: $0, hosts, rest: rest, now: now) != nil
        }
    }

    /// Adds turns that had waited for rules.
    private mutating func add(_ turns: [PolitenessSchedule.Turn]) async throws -> [SiteFileRequest] {
        var left: [SiteFileRequest] = []
        for turn in turns {
            switch turn {
            case .visit(let request): try await add(request)
            case .siteFile(let file): if try await !add(file) { left.append(file) }
            }
        }
        return left
    }

    /// Leaves leased visits for the next run whose host is beyond a limit, and prepares the hosts of the others.
    mutating func admitted(_ leased: [CrawlRequest]) async throws -> [CrawlRequest] {
        var requests: [CrawlRequest] = []
        var beyond: [CrawlRequest] = []
        for request in leased {
            if limits.admits(request.host) { requests.append(request) } else { beyond.append(request) }
        }
        try await leaveForNextRun(beyond)
        try await restore(hosts: Set(requests.map(\.host)))
        return requests
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

    mutating func next() -> PolitenessSchedule.Decision { schedule.next(now: now) }

    /// Sets the calendar's time, because the machine's clock may have been set.
    mutating func setDate() { schedule.set(date: context.clock.date(), now: now) }

    /// The permission for the request of a turn that has begun.
    func permit(host: String) -> TurnPermit? { schedule.permit(host: host) }

    /// Counts a turn that makes a request, only for hosts that may have several in flight.
    func countTurn(of host: String) {
        guard schedule.connections(host: host) > 1 else { return }
        let (now, delay) = (now, schedule.delay(host: host))
        context.statistics.update { $0.turnBegan(at: now, host: host, delay: delay) }
    }

    /// Ends a turn without a request.
    mutating func giveBack(host: String) { _ = schedule.finished(host: host, sign: .untouched, now: now) }

    /// Ends a turn with a request, and counts it.
    ///
    /// - Parameter seed: the seed that led to the page, if a page was read.
    mutating func end(
        asking url: WebURL, _ sign: PolitenessSchedule.HostSign, _ exchange: Exchange?, trouble: RequestFailure?,
        readFrom seed: Seed? = nil, waitedSince: Duration?
    ) -> PolitenessSchedule.Verdict {
        let host = url.politenessHost
        let verdict = schedule.finished(
            host: host, sign: sign, address: exchange?.remoteAddress,
            failsAddress: exchange?.failure?.failsAddress ?? false, trouble: trouble, readFrom: seed, now: now)
        noteChangedRates()
        if let exchange, context.rendering != nil { note(exchange, asking: url) }
        guard let exchange, exchange.wasMade else { return verdict }
        let delay = schedule.connections(host: host) > 1 ? nil : schedule.delay(host: host)
        context.statistics.update { $0.exchanged(exchange, host: host, delay: delay, waitedSince: waitedSince) }
        return verdict
    }

    private mutating func noteChangedRates() {
        for (address, perSecond) in schedule.takeChangedRates() {
            logger.debug("\(address) gets \((perSecond * 100).rounded() / 100) requests a second at most")
            context.statistics.update { $0.rateChanged(of: address, to: perSecond) }
        }
    }

    /// Notes for pages' scripts whether an origin answers.
    private mutating func note(_ exchange: Exchange, asking url: WebURL) {
        guard let origin = url.origin else { return }
        let host = url.politenessHost
        if exchange.status != nil {
            subresourceHosts.answered(origin)
        } else if let error = exchange.failure, error.concernsHost, !schedule.hasAnotherAddress(host: host) {
            let now = now
            subresourceHosts.failed(origin, .failed(error), rest: schedule.rest(host: host, now: now), now: now)
        }
    }

    /// Whether a file that pages wait for is requested again in its host's next turn. It is not tried later.
    func isAskedAgainAtOnce(_ request: SiteFileRequest, after failure: FetchError?) -> Bool {
        guard let failure else { return false }
        let hasAnother = schedule.hasAnotherAddress(host: request.url.politenessHost)
        return RetryRule.atOnce(request.subresource?.method ?? .get).wait(
            after: .failed(failure), attempt: request.attempt, hasAnotherAddress: hasAnother, settings.fetch) != nil
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

    // MARK: robots.txt

    /// The rules of an origin, as far as they are known. Rules that were dropped to save memory are read from the frontier, not
    /// requested again.
    mutating func standing(of origin: String, host: String) async throws -> SiteRules.Standing {
        let standing = rules.standing(of: origin, now: now)
        guard case .unknown = standing, rules.hasLetGo else { return standing }
        if let kept = try await context.frontier.rules(of: host, origin: origin) { restore([kept]) }
        return rules.standing(of: origin, now: now)
    }

    /// Makes a turn wait for rules.
    ///
    /// - Returns: true for the first turn that needs the rules: it is used to request them.
    mutating func wait(_ turn: PolitenessSchedule.Turn, for origin: String) -> Bool {
        if rules.wait(turn, for: origin, now: now) { return true }
        giveBack(host: turn.host)
        return false
    }

    /// Takes the crawl delay of a robots.txt. It counts from the end of the turn that requested it.
    mutating func setCrawlDelay(_ answer: SiteFileVisit.Answer, of request: SiteFileRequest) {
        guard case .rules(let rules, _, _) = answer else { return }
        schedule.setCrawlDelay(rules.crawlDelay, host: request.originURL.politenessHost)
    }

    /// Takes the answer of a request for robots.txt. The turns that waited for it continue.
    mutating func take(_ answer: SiteFileVisit.Answer, of request: SiteFileRequest) async throws -> [SiteFileRequest] {
        switch answer {
        case .file, .subresource: return []
        case .rules(let found, let kept, let keep):
            try await context.frontier.keep(kept)
            return try await add(rules.settle(request.origin, rules: found, keep: keep, now: now))
        case .rulesUnreachable(let failure, let retryAfter):
            let isForMore = rules.areForMoreThanScripts(request.origin)
            let wait = (isForMore ? RetryRule.later : .atOnce).wait(
                after: failure.cause, attempt: request.attempt,
                hasAnotherAddress: schedule.hasAnotherAddress(host: request.url.politenessHost), retryAfter: retryAfter,
                settings.fetch)
            if wait == nil, isForMore { return try await giveUp(request, failure) }
            if let wait {
                var again = request.retried()
                again.isForScripts = !isForMore
                schedule.add(.siteFile(again), notBefore: now + wait, now: now)
                context.statistics.update { $0.retries += 1 }
                if wait == .zero { return [] }
            }
            // Scripts do not wait for the next attempt. That of a visit may begin anew.
            subresourceHosts.failed(request.origin, .robotsUnreachable(failure), rest: .zero, now: now)
            let scripts = rules.takeScripts(waitingFor: request.origin)
            return wait == nil ? scripts + divide(rules.forget(request.origin)).files : scripts
        case .redirected(let target):
            let host = target.politenessHost
            if let refusal = context.gate.refusal(of: target, for: .robots, isRedirected: true) {
                return try await giveUp(request, RequestFailure(.failed(.notAllowed(refusal)), asking: target))
            }
            if limits.unnamedHosts.contains(host) {
                // Without these rules, this run can ask nothing of the origin.
                let (visits, files) = divide(rules.forget(request.origin))
                try await context.frontier.release(visits)
                return try await leaveUnnamed(request.originURL.politenessHost) + files
            }
            guard limits.suspension(of: host, now: now) == nil, limits.admits(host) else {
                let failure = RequestFailure(.hostLeft, asking: target)
                return try await add(rules.settle(request.origin, unreachable: failure, now: now))
            }
            try await restore(hosts: [host])
            schedule.add(.siteFile(request.redirected(to: target)), now: now)
            return []
        }
    }

    private mutating func giveUp(
        _ request: SiteFileRequest, _ failure: RequestFailure
    ) async throws -> [SiteFileRequest] {
        logger.notice("\(failure.explanation(spelling)): nothing at \(request.origin) is visited")
        return try await add(rules.settle(request.origin, unreachable: failure, now: now))
    }

    /// Releases what waits for a robots.txt, because the run was stopped before its answer.
    mutating func release(waitingFor origin: String) async throws -> [SiteFileRequest] {
        let (visits, files) = divide(rules.forget(origin))
        try await context.frontier.release(visits)
        return files
    }

    // MARK: Hosts that are left for the next run

    /// Leaves a host for this run because it needs a longer rest than the run waits.
    mutating func suspend(_ host: String, until: Duration) async throws -> [SiteFileRequest] {
        limits.suspend(host, until: until)
        let (visits, files) = divide(schedule.removeAll(host: host))
        let why = schedule.trouble(host: host).map { ": \($0.explanation(spelling))" } ?? ""
        logger.notice(
            "\(host) is left for this run, \(Wording.count(visits.count, "URL of it waits", "URLs of it wait")) for the next\(why)"
        )
        context.statistics.update { _ = $0.hostsLeft.insert(host) }
        try await suspendInFrontier([host], for: until - now)
        try await context.frontier.release(visits)
        return files
    }

    /// Leaves a host for this run because its address was not named for this shard. Hosts whose robots.txt redirects there are left
    /// with it.
    mutating func leaveUnnamed(_ name: String) async throws -> [SiteFileRequest] {
        var hosts = [name]
        var left: [String] = []
        var (visits, files): ([CrawlRequest], [SiteFileRequest]) = ([], [])
        while let host = hosts.popLast() {
            let turns = schedule.removeAll(host: host)
            for case .siteFile(let file) in turns where file.kind == .robots {
                hosts.append(file.originURL.politenessHost)
            }
            let divided = divide(turns)
            visits += divided.visits
            files += divided.files
            guard limits.leaveUnnamed(host) else { continue }
            left.append(host)
            logger.debug("\(host) waits for the next turn: its address is new")
        }
        try await context.frontier.leave(hosts: left)
        try await context.frontier.release(visits)
        return files
    }

    /// Leaves a host that cannot be reached at all, with all its remaining requests, so that its pages are not tried one by
    /// one.
    mutating func suspendIfUnreachable(_ host: String, _ error: FetchError?) async throws -> [SiteFileRequest] {
        guard limits.isUnreachable(host, error), schedule.queuedCount(host: host) > 0 else { return [] }
        return try await suspend(host, until: now + RobotsAnswer.unreachableFor)
    }

    /// Ends a job's run if all hosts with work rest for a long time; the next run asks them. Returns nil if they are not left.
    mutating func suspendRestingHosts(until: Duration) async throws -> [SiteFileRequest]? {
        let now = now
        guard until - now > Self.patience, context.frontier.keepsWork,
            let resting = schedule.restingHosts(longerThan: Self.patience, now: now)
        else { return nil }
        var files: [SiteFileRequest] = []
        for (host, until) in resting { files += try await suspend(host, until: until) }
        leftRestingHosts = true
        return files
    }

    /// Leaves a visit's host, because its robots.txt would be beyond a limit.
    mutating func leaveForNextRun(hostOf request: CrawlRequest) async throws -> [SiteFileRequest] {
        giveBack(host: request.host)
        let (visits, files) = divide(schedule.removeAll(host: request.host))
        try await leaveForNextRun([request] + visits)
        return files
    }

    /// Leaves a visit of a host for the next run, because this one may visit no more pages there. Files that pages of the host wait for
    /// are still asked for.
    mutating func release(beyondPageLimit request: CrawlRequest) async throws {
        giveBack(host: request.host)
        try await suspendInFrontier([request.host], for: Self.hostLimitRest)
        try await context.frontier.release([request])
    }

    /// Keeps the frontier from offering hosts for a while.
    private func suspendInFrontier(_ hosts: [String], for rest: Duration) async throws {
        let until = context.clock.date().addingTimeInterval(rest / .seconds(1))
        try await context.frontier.suspend(hosts: hosts, until: until)
    }

    /// Releases visits of hosts that are beyond a limit of the run.
    private mutating func leaveForNextRun(_ requests: [CrawlRequest]) async throws {
        guard !requests.isEmpty else { return }
        let hosts = Set(requests.map(\.host)).sorted()
        for host in hosts { limits.suspend(host, until: now + Self.hostLimitRest, isBeyondLimit: true) }
        try await suspendInFrontier(hosts, for: Self.hostLimitRest)
        try await context.frontier.release(requests)
    }

    /// Divides turns that this run does not take. A robots.txt stands for all turns that wait for it.
    private mutating func divide(
        _ turns: [PolitenessSchedule.Turn]
    ) -> (visits: [CrawlRequest], files: [SiteFileRequest]) {
        var (visits, files): ([CrawlRequest], [SiteFileRequest]) = ([], [])
        for turn in turns {
            switch turn {
            case .visit(let request): visits.append(request)
            case .siteFile(let file) where file.kind == .robots:
                let waiting = divide(rules.forget(file.origin))
                visits += waiting.visits
                files += waiting.files
            case .siteFile(let file): files.append(file)
            }
        }
        return (visits, files)
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
        statistics.hostsUnnamed = limits.unnamedHosts.count
    }

    func wait(until: Duration) -> CrawlWait? {
        CrawlWait(until: until, schedule, date: context.clock.date(), now: now)
    }

    /// Removes all visits at the end of the run.
    mutating func removeAll() -> [CrawlRequest] {
        (rules.forgetAllAsked() + schedule.removeAll()).compactMap { turn in
            if case .visit(let request) = turn { request } else { nil }
        }
    }

    /// Stores for the next run when hosts may be asked. It begins with the hosts that this run left because of a limit.
    mutating func close(_ troubles: inout Troubles) async {
        if context.frontier.keepsWork {
            let (hosts, date) = (limits.hostsBeyond.sorted(), context.clock.date())
            await troubles.attempt { try await context.frontier.suspend(hosts: hosts, until: date) }
        }
        let clocks = schedule.clocksToClose(now: now)
        await troubles.attempt { try await context.frontier.close(keeping: clocks) }
        let hostTroubles = schedule.troubles
        let intervals = settings.cluster.addresses.areOfSeveral ? schedule.fitIntervals : [:]
        context.statistics.update {
            $0.troubles = hostTroubles
            $0.fitIntervals = intervals
        }
    }

    /// The reason why a run that was not stopped ended with this many URLs left.
    func ending(left: Int) -> CrawlSummary.Ending {
        guard left > 0 else { return .finished }
        if limits.isClosed { return .interrupted }
        if limits.pageLimitIsReached { return .pageLimit }
        if !limits.unnamedHosts.isEmpty { return .addresses }
        if leftRestingHosts { return .hostsRest }
        return limits.hostsBeyond.isEmpty ? .finished : .hostLimit
    }
}
