import PippinPage

/// A page that was fetched and waits to be rendered. Its host serves other requests meanwhile.
struct UnrenderedPage: Sendable {
    let visit: Visit
    /// The visit's result so far.
    let result: VisitResult
    /// The answer to its request.
    let response: FetchResponse
    let reason: RenderReason
    private(set) var memory: Holding?

    init(of visit: Visit, _ result: VisitResult, _ response: FetchResponse, _ reason: RenderReason) {
        (self.visit, self.result, self.response, self.reason) = (visit, result, response, reason)
    }

    /// Keeps the visit's share of memory, reduced to what the waiting page needs.
    mutating func keep(_ memory: Holding) {
        memory.settle(at: Self.fixedBytes + response.body.capacity)
        self.memory = memory
    }

    private static let fixedBytes = 16 * 1024
}

extension RenderSettings.Mode {
    /// Why a page is rendered before it is read; nil if it is not. What must not be indexed, or leads elsewhere, is not.
    public func reason(for page: PageReading) -> RenderReason? {
        guard page.refusal == nil, page.facts.redirect == nil else { return nil }
        switch self {
        case .never: return nil
        case .always: return .always
        case .auto: return RenderNeed(page.facts).map { .need($0.sign) }
        }
    }
}

extension Visit {
    /// Why a page is rendered before it is read; nil if it is not.
    func renderReason(_ page: PageReading, _ result: inout VisitResult) -> RenderReason? {
        guard let rendering = context.rendering, let reason = renderMode.reason(for: page) else { return nil }
        guard case .need = reason, !rendering.lessons.admitsNext(of: request.host) else { return reason }
        result.leftUnrendered = reason
        context.statistics.update { $0.renderings[RenderVerdict.leftCode, default: 0] += 1 }
        return nil
    }

    /// The mode for the page: of its seed, of its host, of the crawl.
    var renderMode: RenderSettings.Mode {
        let seeds = context.scope.seeds(of: request.url, foundFrom: request.seed)
        return seeds.lazy.compactMap(\.renderMode).first ?? context.configuration.renderMode(of: request.host)
    }

    /// Renders a page, and goes on with it as with any other.
    func run(_ page: UnrenderedPage) async throws -> VisitResult {
        guard let rendering = context.rendering else {
            preconditionFailure("pages wait only where they can be rendered")
        }
        let start = context.clock.now()
        let rendered = await rendering.renderer.render(
            page.response, loading: rendering.desk.loader(seed: request.seed))
        // A page that lacks what the run's end has kept from it says nothing. It is visited again.
        guard !rendering.desk.isClosed, !Task.isCancelled else {
            page.memory?.end()
            return page.result
        }
        let end = context.clock.now()
        if case .success(let done) = rendered {
            await page.memory?.waitForRoom(done.html.count * Self.documentGrowth + page.response.body.count)
        }
        let (result, time) = await compute(page.result) { interruption in
            let limits = ReadingLimits(interruption: interruption)
            var result = page.result
            // It is read once more, so that pages that wait take no memory but their bytes.
            guard let fetched = parse(page.response, &result, within: limits) else { return result }
            let read = RenderedReading(
                of: fetched, page.response, rendered, agents: context.configuration.agent.directiveAgents,
                limits: limits)
            // The reading was interrupted, so nobody uses the result.
            guard !limits.isInterrupted else { return result }
            let outcome = RenderOutcome(reason: page.reason, verdict: read.verdict)
            rendering.lessons.learn(from: outcome, of: request.host)
            result.rendering = outcome
            result.seen?.rendering = read
            guard let claims = extract(read.reading, &result) else { return result }
            return verifyAndRecord(claims)
        }
        if result.rendering?.verdict == .counts, case .success(let done) = rendered {
            await context.gate.keep(rendering: done.html, of: page.response)
        }
        context.statistics.update {
            $0.rendered(result.rendering, time: end - start)
            $0.reading += time
        }
        return try await deliver(result, holding: page.memory)
    }
}
