import PippinPage

/// The effect of a visit's end on the record of an earlier visit, and on the next visit.
extension Visit {
    /// The changes of records: the new record, and the deletion of an earlier one that is no longer valid.
    func changes(for result: VisitResult, _ outcome: VisitOutcome, keepsEarlier: Bool) -> [RecordChange] {
        var changes: [RecordChange] = []
        if let earlier = request.previous?.recordIdentifier, earlier != result.recordIdentifier, !keepsEarlier {
            changes.append(
                .delete(
                    RecordDeletion(uniqueIdentifier: earlier, reason: outcome.code, at: context.clock.date())))
        }
        if let record = result.record { changes.append(record) }
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
            // A sitemap reports new and changed pages, so it is always requested at the usual interval, even if it has long
            // been the same.
            case .sitemap: .firstVisit
            case .notModified: request.isPage ? .unchanged : .firstVisit
            case .throttled, .serverError, .robotsUnreachable, .failed: .failed
            // Reading the page again soon would take as long again.
            case .readingTimedOut: .absent
            // A page that was there last time may be there again tomorrow.
            case let outcome where outcome.leavesOpen && request.previous?.recordIdentifier != nil: .failed
            default: .absent
            }
        return context.recrawl.next(after: sign, isMiss: outcome.bearing == .misses, previous: request.previous)
    }
}

extension FinishedVisit {
    /// Copies the data of the previous visit, after a visit that did not find the page.
    mutating func carryOver(_ previous: PreviousVisit?) {
        guard let previous else { return }
        entityTag = previous.entityTag
        lastModified = previous.lastModified
        contentHash = previous.contentHash
        recordIdentifier = previous.recordIdentifier
    }
}

extension RecordDocument {
    /// A hash of everything in the record except its times.
    var contentVersion: String {
        var hash = FNV1a()
        add(to: &hash, without: [.fetchedAt, .modifiedAt])
        // Ends like every text of a `StableHash`.
        hash.add(0xFF)
        return String(hash.value, radix: 16)
    }
}
