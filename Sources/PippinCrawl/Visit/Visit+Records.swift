import PippinPage

/// What a visit's end means for the record that an earlier visit wrote, and for coming back.
extension Visit {
    /// The record, and the deletion of an earlier one that no longer holds.
    func changes(for result: VisitResult, _ outcome: VisitOutcome, keepsEarlier: Bool) -> [RecordChange] {
        var changes: [RecordChange] = []
        if let earlier = request.previous?.recordIdentifier, earlier != result.recordIdentifier, !keepsEarlier {
            changes.append(
                .delete(
                    RecordDeletion(uniqueIdentifier: earlier, reason: outcome.code, at: context.clock.date())))
        }
        if let record = result.record { changes.append(.upsert(record)) }
        return changes
    }

    func keepsEarlierRecord(after outcome: VisitOutcome, next: RecrawlPolicy.Next) -> Bool {
        switch outcome.bearing {
        case .replaces, .ends: false
        case .misses: next.misses < context.configuration.recrawl.misses
        case .silent: true
        }
    }

    func next(after outcome: VisitOutcome, contentHash: String?) -> RecrawlPolicy.Next {
        let sign: RecrawlPolicy.Sign =
            switch outcome {
            case .recorded, .withoutDeepLinks:
                if let previous = request.previous, previous.contentHash != nil {
                    previous.contentHash == contentHash ? .unchanged : .changed
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
        return context.recrawl.next(after: sign, isMiss: outcome.bearing == .misses, previous: request.previous)
    }
}

extension FinishedVisit {
    /// What a visit that did not find the page leaves as it was.
    mutating func carryOver(_ previous: PreviousVisit?) {
        guard let previous else { return }
        entityTag = previous.entityTag
        lastModified = previous.lastModified
        contentHash = previous.contentHash
        recordIdentifier = previous.recordIdentifier
    }
}
