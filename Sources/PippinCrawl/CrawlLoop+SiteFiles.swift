import PippinPage

// Files that sites publish about themselves. robots.txt comes before everything of its origin; the others are asked for when a
// page that was read needs them, in their own host's turn and where its robots.txt allows, and the page waits.

extension CrawlLoop {
    /// Pages that were read and wait for files, by number.
    struct HeldPages {
        private var waiting: [Int: (page: Visit.HeldPage, missing: Set<SiteFileID>)] = [:]
        /// Have all files that they asked for, and may want further ones.
        private var returned: [Visit.HeldPage] = []
        private var ready: [Visit.HeldPage] = []
        private var number = 0
        /// What they keep in memory is counted by `MemoryBudget`.
        static let maximumPages = 2_000

        var isEmpty: Bool { waiting.isEmpty && returned.isEmpty && ready.isEmpty }
        /// No more pages should be read until some were filed.
        var isFull: Bool { waiting.count >= Self.maximumPages }
        var isHalfEmpty: Bool { waiting.count < Self.maximumPages / 2 }

        /// The number by which the page waits; nil when nothing is missing and it can be filed.
        mutating func add(_ page: Visit.HeldPage, missing: Set<SiteFileID>) -> Int? {
            guard !missing.isEmpty else {
                ready.append(page)
                return nil
            }
            number += 1
            waiting[number] = (page, missing)
            return number
        }

        mutating func arrived(_ file: SiteFileID, _ outcome: SiteFileOutcome, for numbers: [Int]) {
            for number in numbers {
                guard var entry = waiting.removeValue(forKey: number) else { continue }
                entry.missing.remove(file)
                entry.page.files[file] = outcome
                if entry.missing.isEmpty {
                    returned.append(entry.page)
                } else {
                    waiting[number] = entry
                }
            }
        }

        mutating func takeReturned() -> [Visit.HeldPage] {
            defer { returned = [] }
            return returned
        }

        mutating func takeReady() -> [Visit.HeldPage] {
            defer { ready = [] }
            return ready
        }

        mutating func removeAll() -> [Visit.HeldPage] {
            defer {
                waiting = [:]
                returned = []
                ready = []
            }
            return waiting.sorted { $0.key < $1.key }.map(\.value.page) + returned + ready
        }
    }

    // MARK: Pages that need files

    /// Takes a page with what is known already, and asks for the rest. One file may lead to another, an association file to its
    /// copy at the root or to those it includes; every round brings at least one of a bounded number.
    mutating func hold(_ page: Visit.HeldPage) async throws {
        let now = context.clock.now()
        var page = page
        var missing: Set<SiteFileID> = []
        var unasked: [SiteFileRequest] = []
        while missing.isEmpty {
            let needs = page.needs
            guard !needs.isEmpty else { break }
            for request in needs {
                // An association file may include one from anywhere.
                guard context.scope.allows(file: request.url) else {
                    page.files[request.id] = .absent(.outOfScope)
                    continue
                }
                switch siteFiles.standing(of: request.id, now: now) {
                case .settled(let outcome): page.files[request.id] = outcome
                case .asking: missing.insert(request.id)
                case .unknown: if missing.insert(request.id).inserted { unasked.append(request) }
                }
            }
        }
        guard let number = held.add(page, missing: missing) else { return }
        for request in unasked { siteFiles.begin(request.id, now: now) }
        for file in missing { siteFiles.wait(number, for: file) }
        for request in unasked { try await ask(for: request) }
    }

    /// Pages whose files have come are held for further ones, or can be filed. Tells whether there were any.
    mutating func takeUpReturned() async throws -> Bool {
        let pages = held.takeReturned()
        for page in pages { try await hold(page) }
        return !pages.isEmpty
    }

    /// Pages that have all they need are filed; no host is asked for anything.
    mutating func startFiling(_ group: inout Group) {
        for page in held.takeReady() {
            inFlight += 1
            group.addTask { .filed(try await page.visit.run(page)) }
        }
    }

    /// What is known already of the association files of a page's own host, so that most pages need not wait.
    func knownAssociations(for request: CrawlRequest) -> [SiteFileID: SiteFileOutcome] {
        var known: [SiteFileID: SiteFileOutcome] = [:]
        guard request.isPage, request.url.scheme == "https" else { return known }
        let files = AssociationFiles(of: request.url, seed: request.seed)
        let now = context.clock.now()
        while true {
            let wanted = files.wanted(known)
            guard !wanted.isEmpty else { return known }
            for request in wanted {
                guard let outcome = siteFiles.settled(request.id, now: now) else { return known }
                known[request.id] = outcome
            }
        }
    }

    /// Queues a turn for a file, unless its host is left.
    private mutating func ask(for request: SiteFileRequest) async throws {
        let now = context.clock.now()
        let host = request.url.politenessHost
        if isLeft(host, now: now) {
            settle(request, .absent(.hostLeft))
        } else {
            var request = request
            request.waitsSince = request.waitsSince ?? now
            try await meet(hosts: [request.url.politenessHost])
            schedule.add(.siteFile(request), now: now)
        }
    }

    /// The file is there, or will not be: the pages that waited can be filed.
    mutating func settle(
        _ request: SiteFileRequest, _ outcome: SiteFileOutcome, keep: Duration = SiteFiles.unreachableFor
    ) {
        let waiting = siteFiles.settle(request.id, outcome, keep: keep, now: context.clock.now())
        tellUnlessAsked(request, outcome)
        held.arrived(request.id, outcome, for: waiting)
        logger.debug("\(request.kind.rawValue) \(outcome.code) \(request.originURL.href)")
        context.metrics.update { $0.siteFiles["\(request.kind.rawValue)-\(outcome.code)", default: 0] += 1 }
    }

    // MARK: Turns

    /// Begins a turn for a file. Of all files, robots.txt alone is asked for without asking it first.
    mutating func start(_ request: SiteFileRequest, _ group: inout Group) async throws {
        guard request.kind != .robots else { return launch(request, &group) }
        let host = request.url.politenessHost
        let now = context.clock.now()
        func skip(_ failure: SiteFileFailure) {
            settle(request, .absent(failure))
            _ = schedule.finished(host: host, sign: .untouched, now: now)
        }
        guard let origin = request.url.origin, let rules = SiteFileRequest(robotsFor: request.url, seed: request.seed)
        else { return skip(.outOfScope) }
        switch try await standing(of: origin, host: host, now: now) {
        case .unknown:
            guard mayAskForRules else { return skip(.hostLeft) }
            siteFiles.begin(rules, parking: .siteFile(request), now: now)
            launch(rules, &group)
        case .asking:
            siteFiles.park(.siteFile(request), origin: origin)
            _ = schedule.finished(host: host, sign: .untouched, now: now)
        case .known(let robots):
            let decision = robots.decision(for: request.url)
            guard decision.isAllowed else { return skip(.disallowed(decision.sentence)) }
            launch(request, &group)
        case .unreachable(let failure):
            skip(.robotsUnreachable(failure))
        }
    }

    private mutating func launch(_ request: SiteFileRequest, _ group: inout Group) {
        inFlight += 1
        if request.kind == .robots { robotsRequests += 1 }
        let host = request.url.politenessHost
        noteTurn(of: host)
        let visit = SiteFileVisit(context: context, request: request, turn: schedule.permit(host: host))
        group.addTask { .siteFileFetched(try await visit.run()) }
    }

    /// Turns that waited for rules go on.
    private mutating func resume(_ parked: [PolitenessSchedule.Turn]) async throws {
        for turn in parked {
            switch turn {
            case .visit(let request): try await enqueue(request)
            case .siteFile(let file): try await ask(for: file)
            }
        }
    }

    /// Turns that waited for rules and are not made in this run: the visits go back, the files are not to be had.
    mutating func unpark(_ parked: [PolitenessSchedule.Turn]) -> [CrawlRequest] {
        parked.compactMap { turn in
            switch turn {
            case .visit(let request): return request
            case .siteFile(let file):
                settle(file, .absent(.hostLeft))
                return nil
            }
        }
    }

    /// What is known of an origin's rules. Rules that had to make room are taken from the frontier, and not asked for again.
    mutating func standing(of origin: String, host: String, now: Duration) async throws -> SiteFiles.Standing {
        let standing = siteFiles.standing(of: origin, now: now)
        guard case .unknown = standing, siteFiles.hasLetGo else { return standing }
        if let kept = try await context.frontier.rules(of: host, origin: origin) { restore([kept]) }
        return siteFiles.standing(of: origin, now: now)
    }

    /// Rules that were fetched earlier are good until their time is up.
    mutating func restore(_ kept: [KeptRules]) {
        let now = context.clock.now()
        for entry in kept {
            // What is said to last longer was fetched while the calendar was wrong.
            let left = entry.until.timeIntervalSince(context.clock.date())
            guard left > 0, left <= RobotsAnswer.longestKept / .seconds(1),
                case .unknown = siteFiles.standing(of: entry.origin, now: now),
                let rules = entry.file().map({ context.rules(of: $0) })
            else { continue }
            siteFiles.restore(entry.origin, rules: rules, keep: .seconds(left), now: now)
            schedule.setCrawlDelay(rules.crawlDelay, host: entry.host)
        }
    }

    // MARK: Answers

    mutating func handle(_ report: SiteFileVisit.Report) async throws {
        inFlight -= 1
        let request = report.request
        let now = context.clock.now()
        if let rules = report.rules {
            schedule.setCrawlDelay(rules.held.crawlDelay, host: request.originURL.politenessHost)
        }
        let verdict = schedule.finished(
            host: request.url.politenessHost, sign: report.sign, address: report.exchange.remoteAddress,
            failsAddress: report.exchange.failure?.failsAddress ?? false, trouble: report.trouble, now: now)
        note(report.exchange, host: request.url.politenessHost, waitedSince: request.waitsSince)
        tell(report)
        if report.change.hostsInNeed > 0 { wantsLease = true }
        if report.wasStopped {
            // Pages that wait for a file are given back when the run ends.
            if request.kind == .robots { try await context.frontier.release(unpark(siteFiles.abandon(request.origin))) }
            return
        }
        // Pages wait for it: it has no second chance but this one.
        if request.kind != .robots, report.exchange.failure?.isAskedAgainAtOnce(attempt: request.attempt) == true {
            return try await ask(for: request.retried())
        }
        switch report.answer {
        case .robots(.rules(_, let keep)):
            guard let rules = report.rules else { preconditionFailure("who has read rules hands them in") }
            try await context.frontier.keep(rules.kept)
            try await resume(siteFiles.settle(request.origin, rules: rules.held, keep: keep, now: now))
        case .robots(let answer): try await take(answer, of: request, now: now)
        case .file(.settled(let outcome, let keep)): settle(request, outcome, keep: keep)
        case .file(.redirected(let target)):
            if context.scope.covers(file: target, of: request.originURL, seed: request.seed),
                context.gate.refusal(of: target, for: request.kind.purpose, isRedirected: true) == nil
            {
                try await ask(for: request.redirected(to: target))
            } else {
                settle(request, .absent(.redirectRefused(to: target.href)), keep: RobotsAnswer.longestKept)
            }
        }
        if case .leave(let until) = verdict { try await leave(request.url.politenessHost, until: until) }
    }

    private mutating func take(_ answer: RobotsAnswer, of request: SiteFileRequest, now: Duration) async throws {
        switch answer {
        case .rules: preconditionFailure("rules are settled by whoever has them")
        case .redirected(let target):
            if let refusal = context.gate.refusal(of: target, for: .robots, isRedirected: true) {
                let failure = RobotsFailure(.failed(.notAllowed(refusal)), asking: target)
                logger.notice(
                    "\(failure.explanation(settings.messages.settings)): nothing at \(request.origin) is visited")
                try await resume(siteFiles.giveUp(request.origin, failure, now: now))
            } else if isLeft(target.politenessHost, now: now) {
                try await resume(
                    siteFiles.giveUp(
                        request.origin, RobotsFailure(.hostLeft, asking: target), now: now))
            } else {
                try await meet(hosts: [target.politenessHost])
                schedule.add(.siteFile(request.redirected(to: target)), now: now)
            }
        case .unreachable(let failure, let mayPass, let retryAfter):
            if mayPass, (retryAfter ?? .zero) <= settings.fetch.maximumWait,
                let delay = settings.fetch.retryDelay(attempt: request.attempt, after: failure.error)
            {
                let wait = max(retryAfter ?? .zero, delay)
                schedule.add(.siteFile(request.retried()), notBefore: now + wait, now: now)
                context.metrics.update { $0.retries += 1 }
            } else {
                logger.notice(
                    "\(failure.explanation(settings.messages.settings)): nothing at \(request.origin) is visited")
                try await resume(siteFiles.giveUp(request.origin, failure, now: now))
            }
        }
    }
}
