import PippinPage

extension Visit {
    /// The data that all visits of a crawl share. A class, because each visit and each of its tasks holds it.
    final class Context: Sendable {
        let configuration: CrawlConfiguration
        let scope: CrawlScope
        let gate: RequestGate
        let frontier: any Frontier
        let clock: CrawlClock
        let statistics: RunningStatistics
        let appLookup: AppLookup?
        /// The threads for all computations whose length depends on foreign bytes.
        let threads: CrawlThreads
        let memory: MemoryBudget
        /// Runs the scripts of pages; nil if none are run.
        let rendering: CrawlRendering?
        /// Is shown what each visit saw; nil if nobody looks on.
        let observer: (any VisitObserver)?
        let log: CrawlLog?

        init(
            configuration: CrawlConfiguration, scope: CrawlScope, gate: RequestGate,
            frontier: any Frontier, clock: CrawlClock, statistics: RunningStatistics, appLookup: AppLookup?,
            threads: CrawlThreads, memory: MemoryBudget, rendering: CrawlRendering? = nil,
            observer: (any VisitObserver)? = nil, log: CrawlLog? = nil
        ) {
            self.configuration = configuration
            self.scope = scope
            self.gate = gate
            self.frontier = frontier
            self.clock = clock
            self.statistics = statistics
            self.appLookup = appLookup
            self.threads = threads
            self.memory = memory
            self.rendering = rendering
            self.observer = observer
            self.log = log
        }
    }
}

extension Visit.Context {
    /// Makes an exchange, measures its time and counts it.
    func exchange(
        _ request: FetchRequest, _ turn: TurnPermit?
    ) async -> (result: Swift.Result<FetchResponse, FetchError>, exchange: Exchange) {
        let start = clock.now()
        let answer = await gate.fetch(request, turn)
        let exchange = Exchange(answer, start: start, end: clock.now())
        if case .success(let response) = answer.result, let memory = request.memory {
            // Fetchers without sockets do not count memory themselves.
            await memory.waitForRoom(response.body.count)
        }
        if exchange.wasMade { statistics.update { $0.count(exchange, for: request.purpose) } }
        return (answer.result, exchange)
    }

    /// Waits until the exchanges so far are on the disk, because the frontier is about to keep what came of them. A loss of power
    /// then takes no exchange of a visit that is remembered.
    ///
    /// - Returns: false if they cannot be: the visit has not taken place.
    func exchangesAreSafe() async -> Bool {
        guard frontier.keepsWork else { return true }
        return await gate.syncExchanges()
    }

    /// The rules of a robots.txt for this crawler. For an observer, the file's text is kept too.
    func rules(of file: RobotsFile) -> RobotsRules {
        RobotsRules(file, agents: configuration.agent.robotsAgents, keepsFile: observer != nil)
    }
}
