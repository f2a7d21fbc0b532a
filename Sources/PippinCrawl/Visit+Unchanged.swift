import PippinPage

/// Step 5, when a page is as it was.
extension Visit {
    /// Whether "not modified" says all: what is recorded of a page depends on more than its bytes.
    func stillStands(_ response: FetchResponse) -> Reading {
        let directives = RobotsDirectives(
            metas: [], headers: response.headers, agents: PageReading.directiveAgents(context.configuration.agent))
        // A server may send new fields along, and these count (RFC 9111 §3.2).
        if directives.noindex || directives.unavailableAfter != nil { return .outdated }
        var result = Result(.notModified)
        result.entityTag = response.headers["ETag"] ?? request.previous?.entityTag
        result.lastModified = response.headers["Last-Modified"] ?? request.previous?.lastModified
        result.contentHash = request.previous?.contentHash
        result.recordIdentifier = request.previous?.recordIdentifier
        guard request.isPage else { return .ended(result) }
        return HeldPage.checking(result, visit: self)
    }

    /// The same page once more, without conditions, in a turn of its own.
    func readAnew(sign: PolitenessSchedule.HostSign) -> Report {
        var next = request
        next.previous = request.previous?.withoutValidators
        return Report(
            request: request, end: .again(next, after: .zero), sign: sign, telling: Telling(outcome: .notModified))
    }
}
