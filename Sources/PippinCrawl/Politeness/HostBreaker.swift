/// Keeps a host that fails from being asked on and on: a circuit breaker.
///
///     closed ──the host is in trouble, or stumbled too often in a row──► open(until)
///       ▲                                                                  │ its time has passed, and
///       │ the probe is answered                                            ▼ nothing of the host is in flight
///       └───────────────────────────────────────────────────────────── half-open: one probe
///                                                                          │ the probe fails
///                                                                          └──► open again, twice as long
struct HostBreaker: Sendable, Equatable {
    enum State: Sendable, Equatable {
        case closed
        /// No request before this time of the schedule.
        case open(until: Duration)
        /// One request is in flight that shows whether the host is well again.
        case halfOpen
    }

    /// The host as a whole may be well when one URL after the other fails (500); after so many in a row it is not.
    static let stumblesToOpen = 5
    /// Rests stop doubling here: 1024 times the first one.
    private static let maximumDoublings = 10

    var state = State.closed
    /// Failures of any kind since the last answer.
    var failuresInARow = 0
    /// How often it opened since the last answer.
    var openings = 0

    var isClosed: Bool { state == .closed }

    /// A turn of the host begins. Only to be told when `state` allows it.
    mutating func began() {
        if case .open = state { state = .halfOpen }
    }

    /// The turn ended without a request, so nothing was learnt.
    mutating func endedUntouched(now: Duration) {
        if state == .halfOpen { state = .open(until: now) }
    }

    mutating func succeeded() {
        // While it is open, what is answered was asked before the trouble.
        if case .open = state { return }
        self = HostBreaker()
    }

    /// - Parameters:
    ///   - isTrouble: the host itself is in trouble, not one URL of it.
    ///   - atLeast: how long the host asked to be left alone.
    ///   - firstRest: how long it opens the first time.
    mutating func failed(isTrouble: Bool, atLeast: Duration, firstRest: Duration, now: Duration) {
        failuresInARow += 1
        if case .open(let until) = state, until > now {
            // Asked before it opened: no new trouble, but the host may want a longer rest.
            if isTrouble { state = .open(until: max(until, now + max(atLeast, rest(first: firstRest)))) }
            return
        }
        guard isTrouble || state == .halfOpen || failuresInARow >= Self.stumblesToOpen else { return }
        openings += 1
        state = .open(until: now + max(atLeast, rest(first: firstRest)))
    }

    /// How long it opens, or did open last.
    func rest(first: Duration) -> Duration {
        first * (1 << min(max(openings - 1, 0), Self.maximumDoublings))
    }
}
