import PippinPage

/// One request for a file of a site, in its host's turn, and its answer.
struct SiteFileVisit: Sendable {
    enum Answer: Sendable {
        /// A robots.txt, or none (4xx): the rules in memory, and the stored file for the frontier.
        case rules(RobotsRules, kept: StoredRobots, keep: Duration)
        /// Nothing of the origin is allowed; with the pause that the server asks for.
        case rulesUnreachable(RequestFailure, retryAfter: Duration? = nil)
        /// Any other file.
        case file(SiteFileOutcome, keep: Duration)
        /// The next address.
        case redirected(to: WebURL)
        /// What a page's scripts asked for, as it was answered.
        case subresource(Result<FetchResponse, RequestFailure>)
    }

    struct Report: Sendable {
        let request: SiteFileRequest
        let answer: Answer
        let sign: PolitenessSchedule.HostSign
        let change: FrontierChange
        let exchange: Exchange
        /// Whether the run was stopped before the answer.
        var wasStopped = false

        /// The host's trouble, if any.
        var trouble: RequestFailure? {
            if case .rulesUnreachable(let failure, _) = answer { return failure }
            return request.kind == .robots ? nil : exchange.trouble(asking: request.url)
        }
    }

    let context: Visit.Context
    let request: SiteFileRequest
    /// The permission for one request to its host.
    let turn: TurnPermit?

    func run() async throws -> Report {
        let memory = context.memory.begin()
        defer { memory.end() }
        var question = request.fetchRequest(context.configuration.fetch)
        question.memory = memory
        let (answered, exchange) = await context.exchange(question, turn)
        let result = answered.mapError { RequestFailure(.failed($0), asking: request.url) }
        var wasStopped = false
        if exchange.failure == .cancelled { wasStopped = Task.isCancelled }
        var answer: Answer
        var sitemaps: [CrawlRequest] = []
        switch await read(result) {
        case .read(let found): (answer, sitemaps) = found
        case .timedOut: answer = timedOut
        case .stopped:
            wasStopped = true
            answer = stopped
        }
        // Rules are kept without a visit.
        if request.kind == .robots, await !context.exchangesAreSafe() {
            wasStopped = true
            (answer, sitemaps) = (stopped, [])
        }
        var change = FrontierChange()
        if !sitemaps.isEmpty {
            change = try await context.frontier.add(sitemaps)
            let counted = change
            context.statistics.update { $0.count(counted) }
        }
        return Report(
            request: request, answer: answer, sign: wasStopped ? .abandoned : PolitenessSchedule.HostSign(answered),
            change: change, exchange: exchange, wasStopped: wasStopped)
    }

    /// Reads the file on the crawl's threads, like pages; answers without a file need no reading.
    private func read(
        _ result: Result<FetchResponse, RequestFailure>
    ) async -> ReadingEnd<(Answer, sitemaps: [CrawlRequest])> {
        // The browser reads it.
        if request.kind == .subresource { return .read((.subresource(result), sitemaps: [])) }
        guard case .success(let response) = result, !response.body.isEmpty else {
            return .read(answer(result, limits: .standard))
        }
        return await context.threads.read(request.url) { answer(result, limits: ReadingLimits(interruption: $0)) }
    }

    /// The answer of an exchange, and the sitemaps of a robots.txt.
    private func answer(
        _ result: Result<FetchResponse, RequestFailure>, limits: ReadingLimits
    ) -> (Answer, sitemaps: [CrawlRequest]) {
        if request.kind == .subresource { return (.subresource(result), []) }
        guard request.kind == .robots else {
            switch SiteFileAnswer(result, of: request, limits: limits) {
            case .settled(let outcome, let keep): return (.file(outcome, keep: keep), [])
            case .redirected(let target): return (.redirected(to: target), [])
            }
        }
        switch RobotsAnswer(result, of: request, limits: limits) {
        case .rules(let file, let keep):
            let kept = StoredRobots(
                origin: request.origin, host: request.originURL.politenessHost,
                text: file.url == nil ? nil : file.text,
                until: context.clock.date().addingTimeInterval(keep / .seconds(1)))
            return (.rules(context.rules(of: file), kept: kept, keep: keep), sitemaps(of: file))
        case .redirected(let target): return (.redirected(to: target), [])
        case .unreachable(let failure, let retryAfter):
            return (.rulesUnreachable(failure, retryAfter: retryAfter), [])
        }
    }

    /// The answer if the run ends before there is one.
    private var stopped: Answer {
        answer(.failure(RequestFailure(.failed(.cancelled), asking: request.url)), limits: .standard).0
    }

    /// The answer if rules are not read in time. They forbid everything, like unreachable ones.
    private var timedOut: Answer {
        request.kind == .robots
            ? .rulesUnreachable(RequestFailure(.readingTimedOut, asking: request.url))
            : .file(.absent(.readingTimedOut), keep: RobotsAnswer.longestKept)
    }

    private func sitemaps(of robots: RobotsFile) -> [CrawlRequest] {
        let scope = context.configuration.scope
        guard scope.sitemaps, scope.follow != .page,
            context.scope.maximumDepth(of: request.originURL.politenessHost) >= 1,
            context.scope.covers(request.originURL.politenessHost, seed: request.seed)
        else { return [] }
        return Visit.sitemaps(of: robots, origin: request.originURL, seed: request.seed)
    }
}

extension SiteFileVisit.Answer {
    /// All codes of these requests, except those of failures (`RequestFailure.Kind.fileCode`).
    static let allCodes = ["found", "unusable", "redirected", "unavailable", "unreachable", CrawlLogEntry.stopped]

    /// Stable name of the answer.
    var code: String {
        switch self {
        case .rules(_, let kept, _): kept.packed == nil ? "unavailable" : "found"
        case .rulesUnreachable: "unreachable"
        case .file(let outcome, _): outcome.code
        case .redirected: "redirected"
        case .subresource(.failure): RequestFailure.Kind.failed.fileCode
        case .subresource(.success(let response)):
            response.redirect != nil
                ? "redirected" : [200, 304].contains(response.status) ? "found" : RequestFailure.Kind.status.fileCode
        }
    }

    var target: String? { if case .redirected(let target) = self { target.href } else { nil } }
}
