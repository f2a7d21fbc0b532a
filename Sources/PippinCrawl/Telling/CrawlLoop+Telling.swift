import Foundation
import PippinPage

/// What the loop tells of each visit: to the log, to the counters, and for the report at the end.
extension CrawlLoop {
    /// A turn of a host begins, and the schedule knows.
    mutating func noteTurn(of host: String) {
        guard schedule.connections(host: host) > 1 else { return }
        let before = account.hosts[host]?.tooEarly ?? 0
        account.began(at: context.clock.now(), host: host, delay: schedule.delay(host: host))
        noteTooEarly(of: host, since: before)
    }

    private func noteTooEarly(of host: String, since before: Int) {
        let early = (account.hosts[host]?.tooEarly ?? 0) - before
        if early > 0 { context.metrics.update { $0.requestsTooEarly += early } }
    }

    /// An exchange has ended, and the schedule knows.
    mutating func note(_ exchange: Exchange?, host: String, waitedSince start: Duration?) {
        guard let exchange, exchange.wasMade else { return }
        let before = account.hosts[host]?.tooEarly ?? 0
        let hasSeveral = schedule.connections(host: host) > 1
        account.exchanged(exchange, host: host, delay: hasSeveral ? nil : schedule.delay(host: host))
        noteTooEarly(of: host, since: before)
        if let start { context.metrics.update { $0.waitTimes.add(max(exchange.start - start, .zero)) } }
    }

    /// A visit has ended, for now or for good.
    mutating func tell(_ report: Visit.Report) {
        let request = report.request
        let telling = report.telling
        if case .finished(let outcome, _) = report.end {
            account.ended(request, outcome: outcome, status: telling.exchange?.status)
        }
        guard let log = context.log else { return }
        var entry = entry(of: request, outcome: telling.outcome?.code ?? CrawlLogEntry.stopped)
        entry.detail = telling.outcome?.target == nil ? telling.outcome?.detail : nil
        switch telling.outcome {
        case .failed, .robotsUnreachable, .readingTimedOut:
            entry.reason = CodeSentences.sentence(
                ofOutcome: entry.outcome, detail: entry.detail, at: request.url, settings.messages.settings)
        default: break
        }
        entry.target = telling.outcome?.target
        entry.recordIdentifier = telling.recordIdentifier
        entry.robots = telling.robots
        add(telling.exchange, waitsSince: request.waitsSince, to: &entry)
        if case .again(_, let after) = report.end { entry.triedAgainIn = after }
        log.write(entry)
    }

    /// A seed that the scope refuses is told of like a visit.
    mutating func tellRefused(seed request: CrawlRequest, _ outcome: VisitOutcome) {
        account.ended(request, outcome: outcome)
        context.log?.write(entry(of: request, outcome: outcome.code))
    }

    func tell(_ report: SiteFileVisit.Report) {
        guard let log = context.log else { return }
        var entry = entry(of: report.request, outcome: report.wasStopped ? CrawlLogEntry.stopped : report.answer.code)
        entry.detail = report.exchange.failure?.detail
        switch report.answer {
        case .robots(.unreachable(let failure, _, _)):
            entry.reason = failure.explanation(settings.messages.settings) + "."
        case .file(.settled(.absent(.failed(let error)), _)):
            entry.reason = error.explanation(asking: report.request.url, settings.messages.settings) + "."
        case .file(.settled(.absent(.readingTimedOut), _)):
            entry.reason = "It was given up: " + SiteFileFailure.readingTimedOut.reason(at: report.request.url) + "."
        default: break
        }
        entry.target = report.answer.target
        add(report.exchange, waitsSince: report.request.waitsSince, to: &entry)
        log.write(entry)
    }

    /// A file that is not to be had without having been asked for; what an exchange brought is told with it.
    func tellUnlessAsked(_ request: SiteFileRequest, _ outcome: SiteFileOutcome) {
        guard let log = context.log, let failure = outcome.failure, !failure.isAnswer else { return }
        var entry = entry(of: request, outcome: failure.code)
        if case .robotsUnreachable(let robots) = failure {
            entry.detail = robots.detail
            entry.reason = robots.explanation(settings.messages.settings) + "."
        }
        log.write(entry)
    }

    private func entry(of request: CrawlRequest, outcome: String) -> CrawlLogEntry {
        CrawlLogEntry(
            time: context.clock.date(), kind: request.isPage ? "page" : "sitemap", url: request.url,
            host: request.host, seed: request.seed, depth: request.depth, discovery: request.discovery,
            attempt: request.attempt, outcome: outcome)
    }

    private func entry(of request: SiteFileRequest, outcome: String) -> CrawlLogEntry {
        CrawlLogEntry(
            time: context.clock.date(), kind: request.kind.rawValue, url: request.url,
            host: request.url.politenessHost, seed: request.seed, attempt: request.attempt, outcome: outcome)
    }

    private func add(_ exchange: Exchange?, waitsSince: Duration?, to entry: inout CrawlLogEntry) {
        guard let exchange else { return }
        entry.exchange = exchange
        let age = context.clock.now() - exchange.start
        entry.start = entry.time.addingTimeInterval(-(age / .seconds(1)))
        if let waitsSince { entry.waited = max(exchange.start - waitsSince, .zero) }
    }
}

extension CrawlLogEntry {
    /// The run was stopped before an answer came.
    static let stopped = "stopped"
}

extension SiteFileFailure {
    enum Kind: String, CaseIterable {
        case status, failed, disallowed
        case robotsUnreachable = "robots-unreachable"
        case outOfScope = "out-of-scope"
        case notOverHTTPS = "not-over-https"
        case contactMissing = "contact-missing"
        case redirectRefused = "redirect-refused"
        case tooManyRedirects = "too-many-redirects"
        case hostLeft = "host-left"
        case readingTimedOut = "reading-timed-out"
    }

    var kind: Kind {
        switch self {
        case .status: .status
        case .failed: .failed
        case .disallowed: .disallowed
        case .robotsUnreachable: .robotsUnreachable
        case .outOfScope: .outOfScope
        case .notOverHTTPS: .notOverHTTPS
        case .contactMissing: .contactMissing
        case .redirectRefused: .redirectRefused
        case .tooManyRedirects: .tooManyRedirects
        case .hostLeft: .hostLeft
        case .readingTimedOut: .readingTimedOut
        }
    }

    /// Stable name.
    public var code: String { kind.rawValue }

    /// Whether an exchange showed it.
    fileprivate var isAnswer: Bool {
        switch self {
        case .status, .failed, .redirectRefused, .tooManyRedirects, .readingTimedOut: true
        default: false
        }
    }
}

extension SiteFileVisit.Answer {
    /// Every code of a request for a site's file, but for the reasons of `SiteFileFailure`.
    static let allCodes = ["found", "unusable", "redirected", "unavailable", "unreachable", CrawlLogEntry.stopped]

    /// Stable name of what the request has brought.
    var code: String {
        switch self {
        case .robots(.rules(let robots, _)): robots.url == nil ? "unavailable" : "found"
        case .robots(.redirected), .file(.redirected): "redirected"
        case .robots(.unreachable): "unreachable"
        case .file(.settled(let outcome, _)): outcome.code
        }
    }

    var target: String? {
        switch self {
        case .robots(.redirected(let target)), .file(.redirected(let target)): target.href
        default: nil
        }
    }
}
