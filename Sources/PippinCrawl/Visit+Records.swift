import PippinPage

/// What a visit's end means for the record that an earlier visit wrote, and for coming back.
extension Visit {
    /// The record, and the deletion of an earlier one that no longer holds.
    func changes(for result: Result, next: RecrawlPolicy.Next) -> [RecordChange] {
        var changes: [RecordChange] = []
        if let earlier = request.previous?.recordIdentifier, earlier != result.recordIdentifier,
            !keepsEarlierRecord(result, next: next)
        {
            changes.append(
                .delete(
                    RecordDeletion(
                        uniqueIdentifier: earlier, reason: result.outcome.code, at: context.clock.date())))
        }
        if let record = result.record { changes.append(.upsert(record)) }
        return changes
    }

    func keepsEarlierRecord(_ result: Result, next: RecrawlPolicy.Next) -> Bool {
        switch result.outcome.bearing {
        case .replaces, .ends: false
        case .misses: next.misses < context.configuration.recrawl.misses
        case .silent: true
        }
    }

    func next(after result: Result) -> RecrawlPolicy.Next {
        let sign: RecrawlPolicy.Sign =
            switch result.outcome {
            case .recorded, .withoutDeepLinks:
                if let previous = request.previous, previous.contentHash != nil {
                    previous.contentHash == result.contentHash ? .unchanged : .changed
                } else {
                    .firstVisit
                }
            // It is the sitemap that tells of new pages and of changed ones: it is asked for at the usual interval, however long
            // it has been the same.
            case .sitemap: .firstVisit
            case .notModified: request.isPage ? .unchanged : .firstVisit
            case .throttled, .serverError, .robotsUnreachable, .failed: .failed
            // It would cost as much again.
            case .readingTimedOut: .absent
            // A page that was there last time may be there again tomorrow.
            case let outcome where outcome.leavesOpen && request.previous?.recordIdentifier != nil: .failed
            default: .absent
            }
        return context.recrawl.next(
            after: sign, isMiss: result.outcome.bearing == .misses, previous: request.previous)
    }

    /// What a visit that says nothing of the page leaves as it was.
    func carryingOver(_ result: Result) -> Result {
        guard let previous = request.previous else { return result }
        var result = result
        result.entityTag = previous.entityTag
        result.lastModified = previous.lastModified
        result.contentHash = previous.contentHash
        result.recordIdentifier = previous.recordIdentifier
        return result
    }
}

extension VisitOutcome {
    /// Whether the page was not to be had, while nobody said that it is gone.
    fileprivate var leavesOpen: Bool {
        if case .redirected(_, permanent: false) = self { return true }
        return bearing == .misses || self == .refused(status: 304)
    }

    /// What an outcome says of the record that an earlier visit of the URL wrote.
    public enum Bearing: Sendable, Equatable {
        /// The page was read: what it says now counts.
        case replaces
        /// The page went, or asks not to be listed: so does the record.
        case ends
        /// The host answered, and the page was not to be had; the record goes when that happens `recrawl.misses` times in a
        /// row.
        case misses
        /// Nothing was learned of the page: the record stays.
        case silent
    }

    public var bearing: Bearing {
        switch self {
        case .recorded, .withoutDeepLinks, .notModified: .replaces
        case .gone, .noindex, .duplicate, .disallowed: .ends
        case .redirected(_, let permanent): permanent ? .ends : .silent
        // The operator took the page out of the crawl; limits of a run say nothing of it.
        case .excluded(let refusal): refusal == .hostPageLimit || refusal == .sitemapLimit ? .silent : .ends
        // "Not modified" without having been asked: whatever is wrong there, the page is not said to be gone.
        case .refused(status: 304): .silent
        case .redirectRefused, .redirectedToApp, .redirectLoop, .tooManyRedirects, .redirectBroken, .notAPage, .empty,
            .refused, .serverError, .readingTimedOut:
            .misses
        case .throttled, .robotsUnreachable, .hostLeft, .sitemap: .silent
        case .failed(let error):
            switch error {
            case .bodyTooLarge, .headersTooLarge, .truncatedBody, .endUncertain, .badContentEncoding, .protocolError:
                .misses
            case .unsupportedScheme, .notAllowed, .hostNotFound, .lookUpFailed, .addressRefused, .connectionFailed,
                .timedOut, .tls, .tooCostly, .cancelled:
                .silent
            }
        }
    }

    /// What the code leaves out, for people: a status, a target, a type.
    public var detail: String? {
        switch self {
        case .duplicate(let url), .redirected(let url, _), .redirectRefused(let url, _): url.href
        case .redirectedToApp(let address): address
        case .sitemap(let entries, let sitemaps): "\(entries) entries, \(sitemaps) sitemaps"
        case .notAPage(let type): type
        case .gone(let status), .refused(let status), .throttled(let status), .serverError(let status): "\(status)"
        case .failed(let error): error.detail
        case .robotsUnreachable(let failure): failure.detail
        case .recorded, .withoutDeepLinks, .notModified, .noindex, .redirectLoop, .tooManyRedirects, .redirectBroken,
            .empty, .disallowed, .excluded, .hostLeft, .readingTimedOut:
            nil
        }
    }
}
