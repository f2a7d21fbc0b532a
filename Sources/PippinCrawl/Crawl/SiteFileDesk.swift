import Logging
import PippinPage

/// The files of sites that pages wait for, and those that the scripts of rendered pages ask for. Each is settled in every case:
/// found, missing, or not asked for.
struct SiteFileDesk {
    private let context: Visit.Context
    private let logger: Logger
    /// The pages that wait for files.
    var pages: PendingPages
    /// Requests of pages' scripts that are not settled yet.
    private var subresources: Set<SiteFileID> = []

    init(context: Visit.Context, logger: Logger) {
        self.context = context
        self.logger = logger
        pages = PendingPages(scope: context.scope)
    }

    private var now: Duration { context.clock.now() }
    private var spelling: Setting.Spelling { context.configuration.messages.settings }

    /// Whether nothing waits for a file.
    var isEmpty: Bool { pages.isEmpty && subresources.isEmpty }

    /// Takes a request of a page's scripts.
    ///
    /// - Returns: the request that waits for its host's turn; nil if it is settled.
    mutating func begin(_ ask: SubresourceDesk.Ask) -> SiteFileRequest? {
        guard let request = ask.siteFile else { return nil }
        subresources.insert(request.id)
        if let refusal = context.gate.refusal(of: request.url, for: .subresource) {
            settle(request, .absent(.failed(.notAllowed(refusal))))
            return nil
        }
        return request
    }

    /// Takes the answer of a request for a file other than robots.txt.
    ///
    /// - Returns: the request for the address to which it redirects, if the crawl may go there.
    mutating func take(_ answer: SiteFileVisit.Answer, of request: SiteFileRequest) -> SiteFileRequest? {
        switch answer {
        case .rules, .rulesUnreachable: break
        case .redirected(let target):
            if context.scope.covers(file: target, of: request.originURL, seed: request.seed),
                context.gate.refusal(of: target, for: request.kind.purpose, isRedirected: true) == nil
            {
                return request.redirected(to: target)
            }
            let failure: RequestFailure.Cause =
                context.scope.owns(target.politenessHost) ? .redirectRefused(to: target.href) : .otherShard
            settle(request, .absent(failure), keep: RobotsAnswer.longestKept)
        case .file(let outcome, let keep): settle(request, outcome, keep: keep)
        case .subresource(let result): settle(request, SubresourceAnswer(result), code: answer.code, wasAsked: true)
        }
        return nil
    }

    /// Forgets a file that only the next run can ask for.
    ///
    /// - Returns: the pages that wait for it.
    mutating func putOff(_ request: SiteFileRequest) -> [PendingPage] {
        let code = RequestFailure.Kind.addressNotNamed.rawValue
        context.statistics.update { $0.siteFiles["\(request.kind.rawValue)-\(code)", default: 0] += 1 }
        return pages.putOff(request.id)
    }

    /// Answers the pages whose scripts asked.
    private mutating func settle(
        _ request: SiteFileRequest, _ answer: SubresourceAnswer, code: String, wasAsked: Bool = false
    ) {
        subresources.remove(request.id)
        context.rendering?.desk.settle(
            request.id, answer, isScript: request.subresource?.kind == .script, wasAsked: wasAsked)
        context.statistics.update { $0.siteFiles["\(request.kind.rawValue)-\(code)", default: 0] += 1 }
    }

    /// Stores the outcome of a file, whether it was found or not. Pages that waited for it continue.
    mutating func settle(
        _ request: SiteFileRequest, _ outcome: SiteFileOutcome, keep: Duration = RobotsAnswer.unreachableFor
    ) {
        if let entry = CrawlLogEntry(unasked: request, outcome, clock: context.clock, spelling) {
            context.log?.write(entry)
        }
        logger.debug("\(request.kind.rawValue) \(outcome.code) \(request.originURL.href)")
        if request.kind == .subresource {
            let failure = RequestFailure(outcome.cause ?? .hostLeft, asking: request.url)
            return settle(request, .failed(failure), code: outcome.code)
        }
        pages.settle(request.id, outcome, keep: keep, now: now)
        context.statistics.update { $0.siteFiles["\(request.kind.rawValue)-\(outcome.code)", default: 0] += 1 }
    }
}
