/// A circuit breaker: keeps a failing host from being asked again and again.
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
        /// No request is made before this time of the schedule.
        case open(until: Duration)
        /// One request is in flight, the probe. It shows whether the host is well again.
        case halfOpen
    }

    /// The number of failures in a row that opens the breaker. A single failing URL (500) does not mean that the host is in
    /// trouble.
    static let stumblesToOpen = 5
    /// The number of doublings after which rests grow no longer: 1024 times the first rest.
    private static let maximumDoublings = 10

    var state = State.closed
    /// The number of failures of any kind since the last answer.
    var failuresInARow = 0
    /// The number of times it has opened since the last answer.
    var openings = 0

    var isClosed: Bool { state == .closed }

    /// A turn of the host begins. Call it only if `state` allows a request.
    mutating func began() {
        if case .open = state { state = .halfOpen }
    }

    /// The turn ended without a request, so it shows nothing about the host.
    mutating func endedUntouched(now: Duration) {
        if state == .halfOpen { state = .open(until: now) }
    }

    mutating func succeeded() {
        // An answer while the breaker is open belongs to a request from before the trouble.
        if case .open = state { return }
        self = HostBreaker()
    }

    /// Records a failure.
    ///
    /// - Parameters:
    ///   - isTrouble: whether the host itself is in trouble, not just one URL.
    ///   - atLeast: the rest that the host asked for.
    ///   - firstRest: the rest after the first opening.
    mutating func failed(isTrouble: Bool, atLeast: Duration, firstRest: Duration, now: Duration) {
        failuresInARow += 1
        if case .open(let until) = state, until > now {
            // The request was made before the breaker opened, so this is no new trouble. But the host may ask for a longer
            // rest.
            if isTrouble { state = .open(until: max(until, now + max(atLeast, rest(first: firstRest)))) }
            return
        }
        guard isTrouble || state == .halfOpen || failuresInARow >= Self.stumblesToOpen else { return }
        openings += 1
        state = .open(until: now + max(atLeast, rest(first: firstRest)))
    }

    /// The current rest, or the last one if the breaker is closed.
    func rest(first: Duration) -> Duration {
        first * (1 << min(max(openings - 1, 0), Self.maximumDoublings))
    }
}
