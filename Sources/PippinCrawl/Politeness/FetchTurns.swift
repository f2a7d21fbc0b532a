import PippinPage

/// Gives each request of `SingleFetch` values its host's turn, by one politeness schedule, however many of them fetch at the
/// same time: a host has one request in flight, with its delay in between.
///
/// There is no task of its own. Each waiting request asks the schedule what is next, and passes the turn on if it is another's:
///
///     add the turn ──► next ──► start: mine → go; another's → wake it
///                       ▲       look-up: make it, wake all
///                       │       wait until t, or idle
///                       └────── woken: a turn was given, a request has ended, or t has come
actor FetchTurns {
    enum Answer {
        case start(TurnPermit?)
        /// The host needs a longer pause than `patience`.
        case resting(Duration)
        case cancelled
    }

    private struct Waiting {
        let id: Int
        let turn: PolitenessSchedule.Turn
        var answer: Answer?
        var wake: AsyncStream<Void>.Continuation?
    }

    private var schedule: PolitenessSchedule
    private let clock: CrawlClock
    private var waiting: [Waiting] = []
    private var lastID = 0

    /// The longest wait for one request.
    private static let patience = Duration.seconds(60)
    /// The wait above which a sentence announces it.
    private static let silence = Duration.seconds(3)

    init(_ schedule: PolitenessSchedule, clock: CrawlClock) {
        self.schedule = schedule
        self.clock = clock
    }

    /// Waits for a turn.
    ///
    /// - Parameters:
    ///   - gate: looks up names.
    ///   - announce: receives a sentence before a long wait.
    func start(
        _ turn: PolitenessSchedule.Turn, gate: RequestGate, announce: @Sendable (String) -> Void
    ) async -> Answer {
        lastID += 1
        let id = lastID
        waiting.append(Waiting(id: id, turn: turn))
        defer { waiting.removeAll { $0.id == id } }
        schedule.set(date: clock.date(), now: clock.now())
        schedule.add(turn, now: clock.now())
        var announced: Duration?
        while true {
            guard let index = waiting.firstIndex(where: { $0.id == id }) else { return .cancelled }
            if let answer = waiting[index].answer { return answer }
            guard !Task.isCancelled else {
                withdraw(index)
                return .cancelled
            }
            let now = clock.now()
            var time: Duration?
            switch schedule.next(now: now) {
            case .start(let started):
                give(started)
                continue
            case .lookUp(let name):
                _ = schedule.lookedUp(host: name, await gate.addresses(of: name), now: clock.now())
                wakeAll()
                continue
            case .suspend(let host, let until):
                // The schedule has let go of the host: its turns must leave, however short the rest is.
                refuse(host, until - now)
                continue
            // Only shards of a job have addresses that they may not ask.
            case .leave(let host): refuse(host, .zero)
            case .wait(let until), .quiet(let until):
                // The first that is due may be another host.
                let mine = max(until, schedule.dueAt(host: turn.host) ?? until)
                guard mine - now <= Self.patience else {
                    refuse(turn.host, mine - now)
                    continue
                }
                if mine - now > Self.silence, announced != mine {
                    announced = mine
                    announce("waiting \((mine - now).words) before \(turn.host) is asked again, as a crawl would")
                }
                time = until
            // Another request to the host is in flight, or a name is being looked up.
            case .idle: time = nil
            }
            let (stream, wake) = AsyncStream.makeStream(of: Void.self)
            waiting[index].wake = wake
            await Self.wait(until: time, or: stream, clock)
        }
    }

    /// Takes the end of a request.
    ///
    /// - Returns: whether the host has an address that was not tried yet.
    func finished(host: String, _ exchange: Exchange, _ sign: PolitenessSchedule.HostSign) -> Bool {
        // The next request shows whether the host is left.
        _ = schedule.finished(
            host: host, sign: sign, address: exchange.remoteAddress,
            failsAddress: exchange.failure?.failsAddress ?? false, now: clock.now())
        wakeAll()
        return schedule.hasAnotherAddress(host: host)
    }

    func setCrawlDelay(_ delay: Duration?, host: String) { schedule.setCrawlDelay(delay, host: host) }

    // MARK: Others that wait

    private func give(_ turn: PolitenessSchedule.Turn) {
        guard let index = waiting.firstIndex(where: { $0.answer == nil && $0.turn == turn }) else {
            preconditionFailure("a turn of \(turn.host) got lost")
        }
        waiting[index].answer = .start(schedule.permit(host: turn.host))
        wake(index)
    }

    private func refuse(_ host: String, _ time: Duration) {
        _ = schedule.removeAll(host: host)
        for index in waiting.indices where waiting[index].answer == nil && waiting[index].turn.host == host {
            waiting[index].answer = .resting(time)
            wake(index)
        }
    }

    /// Takes the turn of a cancelled request out of the line. Those of others stay.
    private func withdraw(_ index: Int) {
        let host = waiting[index].turn.host
        waiting[index].answer = .cancelled
        _ = schedule.removeAll(host: host)
        for other in waiting where other.answer == nil && other.turn.host == host {
            schedule.add(other.turn, now: clock.now())
        }
        wakeAll()
    }

    private func wake(_ index: Int) {
        waiting[index].wake?.finish()
        waiting[index].wake = nil
    }

    private func wakeAll() {
        for index in waiting.indices { wake(index) }
    }

    private static func wait(until time: Duration?, or stream: AsyncStream<Void>, _ clock: CrawlClock) async {
        guard let time else {
            for await _ in stream {}
            return
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await clock.sleep(time) }
            group.addTask { for await _ in stream {} }
            await group.next()
            group.cancelAll()
        }
    }
}
