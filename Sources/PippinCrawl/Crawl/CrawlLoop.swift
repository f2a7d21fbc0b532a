import Logging
import PippinPage

/// The loop of a crawl. It keeps a fixed number of visits in flight; each event may make room for the next visit.
///
///     lease when hosts need work ─► start all that is due ─► wait for one event ─► handle it ─┐
///              ▲                                                                              │
///              └──────────────────────────────────────────────────────────────────────────────┘
///
/// Only the loop changes the `CrawlQueue`, which decides what is due, and only the loop waits for time to pass, with one timer.
struct CrawlLoop {
    enum Event: Sendable {
        indirect case visited(VisitResult)
        /// The next steps of a page that had waited for files of its site.
        indirect case resumed(VisitResult)
        /// The next steps of a page whose scripts have run.
        indirect case rendered(VisitResult)
        /// What rendered pages say of the files that they need; nil if the run has ended.
        case said(SubresourceDesk.Word?)
        case fileFetched(SiteFileVisit.Report)
        case lookedUp(host: String, Result<[NetworkAddress], FetchError>)
        case timer(at: Duration)
        case stopWanted
        case closingWanted
    }

    typealias Group = ThrowingTaskGroup<Event, any Error>

    private let context: Visit.Context
    private var queue: CrawlQueue
    private var inFlight = 0
    /// How many of them are visits.
    private var visits = 0
    /// Pages in the browser. They need no host's turn, but their requests do.
    private var renderings = 0
    private var isListening = false
    /// The times of the running timers. Each new timer fires before all others.
    private var timers: [Duration] = []
    private var isStopping = false
    /// Whether quiet hours close the crawl for longer than it waits.
    private var isQuiet = false
    /// The time at which the first host may be asked; nil while something can start.
    private var waitsUntil: Duration?
    /// The reason why no further visit starts now.
    private var bottleneck = CrawlPace.Limit.work

    /// Creates a loop with an empty queue.
    ///
    /// - Parameter rules: must not contain any rules yet.
    init(context: Visit.Context, seeds: [Seed], logger: Logger, rules: SiteRules = SiteRules()) {
        self.context = context
        queue = CrawlQueue(context: context, seeds: seeds, logger: logger, rules: rules)
    }

    mutating func run(_ group: inout Group) async throws -> CrawlSummary {
        try await queue.addSeeds()
        while true {
            if Task.isCancelled { isStopping = true }
            bottleneck = .ending
            if !isStopping {
                try await queue.lease()
                try await startWhatIsDue(&group)
            }
            for page in queue.files.pages.takeReady() {
                start(&group) { .resumed(try await page.visit.run(page)) }
            }
            startRendering(&group)
            updateGauges()
            if inFlight == 0, renderings == 0 {
                if isStopping || isQuiet || queue.isDone { break }
                // All that was leased was given back, so no event would ever come.
                if queue.wantsLeaseAtOnce { setTimer(context.clock.now(), &group) }
            }
            guard let event = try await group.next() else { break }
            try await handle(event)
            if let failure = context.log?.failure { throw failure }
            if let failure = context.threads.failure { throw failure }
            try await queue.turns.keepChangedClocks()
        }
        return try await end()
    }

    // MARK: Start what is due

    private mutating func startWhatIsDue(_ group: inout Group) async throws {
        isQuiet = false
        waitsUntil = nil
        // Visits that wait for memory do not count, so that others can use their places.
        while inFlight - context.memory.waitingCount < context.configuration.fetch.concurrency {
            let obstacle = queue.obstacle(inFlight: inFlight)
            bottleneck = obstacle ?? .work
            switch try await queue.next(mayVisit: obstacle == nil, inFlight: inFlight) {
            case .visit(let visit):
                visits += 1
                start(&group) { .visited(try await visit.run()) }
            case .file(let visit): start(&group) { .fileFetched(try await visit.run()) }
            case .lookUp(let host):
                let gate = context.gate
                group.addTask { .lookedUp(host: host, await gate.addresses(of: host)) }
            case .wait(let until):
                if obstacle == nil { bottleneck = .politeness }
                waitsUntil = until
                return setTimer(until, &group)
            case .quiet:
                bottleneck = .politeness
                isQuiet = true
                return
            case .nothing: return
            }
        }
        bottleneck = .capacity
    }

    /// Gives the browser as many pages as it takes. Each of its pages may ask for files at any time. A page that waits for files does
    /// not compute, so another may be opened. When both have their files they compute at the same time, which costs less than to
    /// let one of them wait again.
    private mutating func startRendering(_ group: inout Group) {
        guard let rendering = context.rendering else { return }
        // What is being rendered would lack its files: it is visited again.
        let isEnding = isStopping || isQuiet
        if isEnding { rendering.desk.close() }
        let settings = context.configuration.render
        while !isEnding, renderings < settings.maximumOpenPages,
            renderings - rendering.desk.waitingPages < settings.concurrency, let page = queue.takeUnrenderedPage()
        {
            renderings += 1
            group.addTask { .rendered(try await page.visit.run(page)) }
        }
        guard renderings > 0, !isListening else { return }
        isListening = true
        group.addTask { .said(await rendering.desk.next()) }
    }

    /// What the crawl waits for. While no visit is under way or waits only for its host, that is the browser, or the files of its pages.
    private var limit: CrawlPace.Limit {
        guard let rendering = context.rendering, renderings > 0, visits == 0, !isStopping, !isQuiet else {
            return bottleneck
        }
        switch bottleneck {
        case .rendering: break
        case .work, .politeness, .ending: if queue.hasVisits { return bottleneck }
        case .capacity, .pagesHeld, .memory, .renderedFiles: return bottleneck
        }
        return rendering.desk.waitingPages < renderings ? .rendering : .renderedFiles
    }

    private mutating func start(_ group: inout Group, _ body: @escaping @Sendable () async throws -> Event) {
        inFlight += 1
        group.addTask { try await body() }
    }

    /// Starts a timer unless an earlier one is running. The loop looks again when a timer fires, so one timer per wait is
    /// enough.
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
        case .visited(let result):
            inFlight -= 1
            visits -= 1
            try await queue.finished(result)
        case .resumed(let result):
            inFlight -= 1
            try await queue.goOn(result)
        case .rendered(let result):
            renderings -= 1
            try await queue.goOn(result)
        case .said(let word):
            isListening = false
            if case .asks(let ask)? = word { try await queue.take(ask) }
        case .fileFetched(let report):
            inFlight -= 1
            try await queue.finished(report)
        case .lookedUp(let host, let answer): queue.turns.lookedUp(host, answer)
        case .timer(let time): timers.removeAll { $0 == time }
        case .stopWanted: isStopping = true
        case .closingWanted: queue.turns.limits.isClosed = true
        }
    }

    // MARK: End

    private mutating func end() async throws -> CrawlSummary {
        try await queue.close()
        let left = try await context.frontier.unfinishedCount()
        let duration = context.clock.now()
        waitsUntil = nil
        updateGauges()
        let standing = try await context.frontier.standing(of: context.statistics.now.seedsWithoutEnd)
        if let standing { context.statistics.update { $0.keep(standing) } }
        return CrawlSummary(
            ending: isStopping ? .interrupted : isQuiet ? .quietHours : queue.turns.ending(left: left),
            statistics: context.statistics.now, unvisited: left, duration: duration, standing: standing,
            spelling: context.configuration.messages.settings)
    }

    private func updateGauges() {
        let now = context.clock.now()
        let waiting = inFlight == 0 ? waitsUntil.flatMap { queue.turns.wait(until: $0) } : nil
        context.statistics.update {
            $0.pace.change(to: limit, at: now)
            $0.waiting = waiting
            $0.visitsInFlight = inFlight
            queue.turns.describe(&$0)
        }
    }
}
