import PippinPage

/// Step 10: the visit's end for the frontier, with its effect on the record of an earlier visit, and on the next visit.
extension Visit {
    /// Delivers the result to the frontier, or schedules another visit.
    ///
    /// - Parameter memory: released when nothing of the visit is kept; a waiting page keeps it.
    func deliver(_ result: VisitResult, holding memory: Holding?) async throws -> VisitResult {
        var result = result
        // The memory is reduced before the loop gets the result, because the loop then starts whatever fits.
        if case .waitForFiles(var page) = result.next {
            if let memory { page.keep(memory) }
            result.next = .waitForFiles(page)
            return result
        }
        if case .waitForRendering(var page) = result.next {
            if let memory { page.keep(memory) }
            result.next = .waitForRendering(page)
            return result
        }
        if case .finish = result.next, let outcome = result.outcome,
            let wait = RetryRule.later.wait(
                after: outcome.trouble, attempt: request.attempt, context.configuration.fetch)
        {
            context.statistics.update { $0.retries += 1 }
            var next = request
            next.attempt += 1
            result.visitAgain(next, after: wait, because: outcome)
        }
        if case .finish = result.next, await !context.exchangesAreSafe() { result = result.unread(by: self) }
        let kept = try await observed(&result)
        if case .finish = result.next, let outcome = result.outcome { try await deliver(&result, outcome, kept) }
        memory?.end()
        return result
    }

    /// Shows the observer what the visit saw. If that takes too long on the page, the visit ends as if reading it had.
    private func observed(_ result: inout VisitResult) async throws -> KeptObservation? {
        guard let observer = context.observer, let observation = observation(of: result) else { return nil }
        // Nobody else needs the page.
        result.seen = nil
        guard let page = observation.seen.page else { return try observer.observe(observation) }
        let clock = context.clock
        let start = clock.now()
        let end = await context.threads.read(
            request.url, interruption: page.facts.limits.interruption ?? Interruption()
        ) { _ in (kept: Result { try observer.observe(observation) }, time: clock.now() - start) }
        switch end {
        case .read(let answer):
            context.statistics.update { $0.reading += answer.time }
            return try answer.kept.get()
        case .timedOut:
            result = result.unread(by: self)
            result.end(.readingTimedOut)
            return try self.observation(of: result).flatMap(observer.observe)
        case .stopped:
            result = result.unread(by: self)
            return nil
        }
    }

    /// What is shown to an observer; nil for a visit that was stopped.
    private func observation(of result: VisitResult) -> VisitObservation? {
        guard let outcome = result.outcome, let seen = result.seen else { return nil }
        let isRepeated = if case .visitAgain = result.next { true } else { false }
        let robots: Result<RobotsRules, RequestFailure>? =
            if case .robots(let rules) = permission { rules } else { nil }
        return VisitObservation(
            request: request, outcome: outcome, isRepeated: isRepeated, endedAt: context.clock.date(), robots: robots,
            scope: context.scope, seen: seen)
    }

    private func deliver(
        _ result: inout VisitResult, _ outcome: VisitOutcome, _ kept: KeptObservation?
    ) async throws {
        let next = next(after: outcome, contentHash: result.contentHash)
        let keepsEarlier = keepsEarlierRecord(after: outcome, next: next)
        let changes = changes(for: result, outcome, keepsEarlier: keepsEarlier)
        var visit = FinishedVisit(
            request: request, outcome: outcome, finishedAt: context.clock.date(), next: next, changes: changes,
            discovered: result.discovered)
        (visit.entityTag, visit.lastModified) = (result.entityTag, result.lastModified)
        visit.contentHash = result.contentHash
        visit.recordIdentifier = result.recordIdentifier
        visit.observation = kept
        visit.detail = result.robots?.sentence ?? (outcome.detail == nil ? result.readingSentences : nil)
        visit.nofollowLinks = result.nofollowLinks
        visit.isCut = result.isCut
        visit.revalidationKey = result.revalidationKey ?? request.previous?.revalidationKey ?? RevalidationKey()
        if outcome.bearing != .replaces, keepsEarlier { visit.carryOver(request.previous) }
        result.change = try await context.frontier.finish(visit)
        let (change, record) = (result.change, result.record)
        context.statistics.update {
            $0.outcomes[outcome.code, default: 0] += 1
            $0.pages += outcome.countsAsPage && request.isPage ? 1 : 0
            $0.count(change)
            $0.deletions += changes.count - (record == nil ? 0 : 1)
            guard case .upsert(let document) = record else { return }
            $0.records += 1
            $0.deepLinks += document.record.deepLinks.count(where: \.leadsIntoApp)
        }
    }

    // MARK: The earlier record and the next visit

    /// The changes of records: the new record, and the deletion of an earlier one that is no longer valid.
    private func changes(for result: VisitResult, _ outcome: VisitOutcome, keepsEarlier: Bool) -> [RecordChange] {
        var changes: [RecordChange] = []
        if let earlier = request.previous?.recordIdentifier, earlier != result.recordIdentifier, !keepsEarlier {
            changes.append(
                .delete(
                    RecordDeletion(uniqueIdentifier: earlier, reason: outcome.code, at: context.clock.date())))
        }
        if let record = result.record { changes.append(record) }
        return changes
    }

    private func keepsEarlierRecord(after outcome: VisitOutcome, next: RecrawlPolicy.Next) -> Bool {
        switch outcome.bearing {
        case .replaces, .ends: false
        case .misses: next.misses < context.configuration.recrawl.misses
        case .silent: true
        }
    }

    private var recrawl: RecrawlPolicy { RecrawlPolicy(context.configuration.recrawl(of: request.host)) }

    private func next(after outcome: VisitOutcome, contentHash: String?) -> RecrawlPolicy.Next {
        if case .excluded(let refusal) = outcome, refusal.isOfRun {
            // It is due in the next run, as if this one had not met it.
            return RecrawlPolicy.Next(
                wait: .zero,
                rhythm: request.previous?.interval ?? recrawl.interval(after: .firstVisit, previous: nil),
                failures: request.previous?.failures ?? 0, misses: request.previous?.misses ?? 0)
        }
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
        return recrawl.next(after: sign, isMiss: outcome.bearing == .misses, previous: request.previous)
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

extension RecordText {
    /// A hash of everything in the record except its times.
    public var contentVersion: String {
        var hash = FNV1a()
        add(to: &hash, without: [.fetchedAt, .modifiedAt, .since])
        // Ends like every text of a `StableHash`.
        hash.add(0xFF)
        return String(hash.value, radix: 16)
    }
}
