extension CrawlLogEntry {
    /// The entry for the end of a visit, also if it will be repeated.
    init(_ result: VisitResult, clock: CrawlClock, _ spelling: Setting.Spelling) {
        let request = result.request
        self.init(request, outcome: result.outcome?.code ?? Self.stopped, clock: clock)
        detail = result.outcome?.target == nil ? result.outcome?.detail ?? result.readingSentences : nil
        switch result.outcome {
        case .failed, .robotsUnreachable, .readingTimedOut:
            reason = CodeSentences.sentence(ofOutcome: outcome, detail: detail, at: request.url, spelling)
        default: break
        }
        target = result.outcome?.target
        recordIdentifier = result.recordIdentifier
        robots = result.robots
        add(result.exchange, waitsSince: request.waitsSince, clock)
        if case .visitAgain(_, let after) = result.next { triedAgainIn = after }
    }

    /// The entry for the end of a request for a site's file.
    init(_ report: SiteFileVisit.Report, clock: CrawlClock, _ spelling: Setting.Spelling) {
        let request = report.request
        self.init(request, outcome: report.wasStopped ? Self.stopped : report.answer.code, clock: clock)
        detail = report.exchange.failure?.detail
        if detail == nil, let method = request.subresource?.method, method != .get { detail = method.name }
        switch report.answer {
        case .rulesUnreachable(let failure, _): reason = failure.explanation(spelling) + "."
        case .file(.absent(.failed(let error)), _): reason = error.explanation(asking: request.url, spelling) + "."
        case .file(.absent(.readingTimedOut), _):
            reason = "It was given up: \(RequestFailure(.readingTimedOut, asking: request.url).reason)."
        default: break
        }
        target = report.answer.target
        add(report.exchange, waitsSince: request.waitsSince, clock)
    }
}
