import PippinPage

/// Whether robots.txt lets a URL be requested. This is the only place that decides it: for pages and files of a crawl, for what
/// scripts of rendered pages ask for, and for the requests of commands.
enum RobotsPermission: Sendable, Equatable {
    /// A robots.txt is always requested, wherever its redirects lead (RFC 9309 §2.3.1.2).
    case notNeeded
    case allowed(RobotsDecision)
    case disallowed(RobotsDecision)
    /// Nothing of the origin may be requested, because its robots.txt could not be fetched (RFC 9309 §2.3.1.4).
    case unreachable(RequestFailure)
    /// The rules of the origin must be known first.
    case rulesNeeded

    /// Decides about a request.
    ///
    /// - Parameter rules: the rules of the URL's origin, or why they could not be fetched; nil if they are not known yet.
    init(_ rules: Result<RobotsRules, RequestFailure>?, of url: WebURL, for purpose: FetchRequest.Purpose) {
        switch rules {
        case _ where purpose == .robots: self = .notNeeded
        case nil: self = .rulesNeeded
        case .failure(let failure)?: self = .unreachable(failure)
        case .success(let rules)?:
            let decision = rules.decision(for: url)
            self = decision.isAllowed ? .allowed(decision) : .disallowed(decision)
        }
    }

    /// Why the request may not be made; nil if it may, and while the rules are not known.
    var refusal: RequestFailure.Cause? {
        switch self {
        case .notNeeded, .allowed, .rulesNeeded: nil
        case .disallowed(let decision): .disallowed(decision.sentence)
        case .unreachable(let failure): .robotsUnreachable(failure)
        }
    }
}
