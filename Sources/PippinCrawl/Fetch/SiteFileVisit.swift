import PippinPage

/// One request for a site's file, in its host's turn, and what it means.
struct SiteFileVisit: Sendable {
    enum Answer: Sendable {
        case robots(RobotsAnswer)
        case file(SiteFileAnswer)
    }

    struct Report: Sendable {
        let request: SiteFileRequest
        let answer: Answer
        let sign: PolitenessSchedule.HostSign
        let change: FrontierChange
        let exchange: Exchange
        /// Of a robots.txt that was read: what the crawl keeps of it in memory, and what the frontier keeps.
        var rules: (held: RobotsRules, kept: KeptRules)?
        /// The run was stopped before an answer came.
        var wasStopped = false

        /// What it shows of the host's trouble.
        var trouble: RequestFailure? {
            switch answer {
            case .robots(.unreachable(let failure, _, _)): return failure
            case .robots: return nil
            case .file:
                if let error = exchange.failure {
                    return error.concernsHost ? RequestFailure(.failed(error), asking: request.url) : nil
                }
                guard let status = exchange.status, status == 429 || status >= 500 else { return nil }
                return RequestFailure(.status(status), asking: request.url)
            }
        }
    }

    let context: Visit.Context
    let request: SiteFileRequest
    /// Leave to ask its host once.
    let turn: TurnPermit?

    func run() async throws -> Report {
        let memory = context.memory.begin()
        defer { memory.end() }
        var question = request.fetchRequest(context.configuration.fetch)
        question.memory = memory
        let (result, exchange) = await context.exchange(question, turn)
        var wasStopped = false
        if case .failure(.cancelled) = result { wasStopped = Task.isCancelled }
        let answer: Answer
        var rules: (held: RobotsRules, kept: KeptRules)?
        switch await read(result) {
        case .read(let found): (answer, rules) = found
        case .timedOut: answer = timedOut
        case .stopped:
            wasStopped = true
            answer = Self.answer(.failure(.cancelled), of: request, limits: .standard)
        }
        var change = FrontierChange()
        if case .robots(.rules(let file, _)) = answer { change = try await addSitemaps(of: file) }
        return Report(
            request: request, answer: answer, sign: wasStopped ? .abandoned : PolitenessSchedule.HostSign(result),
            change: change,
            exchange: exchange, rules: rules, wasStopped: wasStopped)
    }

    private func kept(_ file: RobotsFile, _ keep: Duration) -> KeptRules {
        KeptRules(
            origin: request.origin, host: request.originURL.politenessHost, text: file.url == nil ? nil : file.text,
            until: context.clock.date().addingTimeInterval(keep / .seconds(1)))
    }

    /// A file is read where pages are; an answer without one means something at once.
    private func read(
        _ result: Result<FetchResponse, FetchError>
    ) async -> ReadingEnd<(Answer, rules: (held: RobotsRules, kept: KeptRules)?)> {
        let compute = { @Sendable (limits: ReadingLimits) -> (Answer, rules: (held: RobotsRules, kept: KeptRules)?) in
            let answer = Self.answer(result, of: request, limits: limits)
            guard case .robots(.rules(let file, let keep)) = answer else { return (answer, nil) }
            return (answer, (context.rules(of: file), kept(file, keep)))
        }
        guard case .success(let response) = result, !response.body.isEmpty else { return .read(compute(.standard)) }
        return await context.threads.read(request.url) { compute(ReadingLimits(interruption: $0)) }
    }

    private static func answer(
        _ result: Result<FetchResponse, FetchError>, of request: SiteFileRequest, limits: ReadingLimits
    ) -> Answer {
        request.kind == .robots
            ? .robots(RobotsAnswer(result, of: request, limits: limits))
            : .file(SiteFileAnswer(result, of: request, limits: limits))
    }

    /// Rules that cannot be read in time forbid everything, like those that cannot be fetched.
    private var timedOut: Answer {
        request.kind == .robots
            ? .robots(.unreachable(RobotsFailure(.readingTimedOut, asking: request.url), mayPass: false))
            : .file(.settled(.absent(.readingTimedOut), keep: RobotsAnswer.longestKept))
    }

    private func addSitemaps(of robots: RobotsFile) async throws -> FrontierChange {
        let scope = context.configuration.scope
        guard scope.sitemaps, scope.follow != .page, scope.maximumDepth >= 1,
            context.scope.covers(request.originURL.politenessHost, seed: request.seed)
        else { return FrontierChange() }
        let requests = Visit.sitemaps(of: robots, origin: request.originURL, seed: request.seed)
        let change = try await context.frontier.add(requests)
        context.metrics.update { $0.count(change) }
        return change
    }
}

extension Visit.Context {
    /// What a robots.txt holds for us. A report of the crawl wants to read the file again.
    func rules(of file: RobotsFile) -> RobotsRules {
        RobotsRules(file, agents: configuration.agent.robotsAgents, keepsFile: report != nil)
    }
}
