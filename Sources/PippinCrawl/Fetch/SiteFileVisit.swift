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

    func run() async throws -> Report {
        let memory = context.memory.begin()
        defer { memory.end() }
        var question = request.fetchRequest(context.configuration.fetch)
        question.memory = memory
        let (result, exchange) = await context.exchange(question)
        let answer: Answer
        var change = FrontierChange()
        if request.kind == .robots {
            let robots = RobotsAnswer(result, of: request)
            if case .rules(let file, _) = robots { change = try await addSitemaps(of: file) }
            answer = .robots(robots)
        } else {
            answer = .file(SiteFileAnswer(result, of: request))
        }
        var wasStopped = false
        if case .failure(.cancelled) = result { wasStopped = Task.isCancelled }
        return Report(
            request: request, answer: answer, sign: wasStopped ? .abandoned : PolitenessSchedule.HostSign(result),
            change: change,
            exchange: exchange, wasStopped: wasStopped)
    }

    private func addSitemaps(of robots: RobotsFile) async throws -> FrontierChange {
        let scope = context.configuration.scope
        guard scope.sitemaps, scope.follow != .page, scope.maximumDepth >= 1,
            context.scope.covers(request.originURL.politenessHost, seed: request.seed)
        else { return FrontierChange() }
        let requests = Visit.sitemaps(of: robots, origin: request.originURL, seed: request.seed)
        let change = try await context.frontier.add(requests)
        context.metrics.update { $0.discovered += change.added }
        return change
    }
}
