import PippinPage

/// The origins that scripts of rendered pages ask in vain. A page is open in the browser while its requests wait. So they wait for
/// turns, and for a short rest that an answer asked for (429), but not for a host that gives no answer. A pure value.
///
///     unknown ──no answer──► given up ──ten minutes──► unknown
///        └─answer─► answers ──no answer──► given up for its rest, or for ten minutes if it was the second in a row
struct SubresourceHosts {
    private struct Entry {
        /// Whether its last request was answered.
        var hasAnswered = false
        var givenUp: (cause: RequestFailure.Cause, until: Duration)?
    }

    /// The longest rest that a page waits for: a host's first one, if nobody made it longer (`fetch.retry_delay`).
    static let longestRest = Duration.seconds(10)
    /// The time after which an origin is tried again. A dead one costs a page the time of one robots.txt.
    static let givenUpFor = Duration.seconds(600)
    /// Beyond it, a quarter is forgotten. An origin that is forgotten is asked again.
    private static let maximumOrigins = 10_000

    private var entries: [String: Entry] = [:]

    /// Why an origin is not asked; nil if it is.
    func failure(of origin: String, now: Duration) -> RequestFailure.Cause? {
        entries[origin]?.givenUp.flatMap { $0.until > now ? $0.cause : nil }
    }

    /// Takes an answer with any status.
    mutating func answered(_ origin: String) {
        makeRoom(for: origin)
        entries[origin] = Entry(hasAnswered: true)
    }

    /// Takes a failure that concerns the whole origin.
    ///
    /// - Parameter rest: of its host from now on.
    mutating func failed(_ origin: String, _ cause: RequestFailure.Cause, rest: Duration, now: Duration) {
        makeRoom(for: origin)
        let answered = entries[origin]?.hasAnswered ?? false
        let time = answered && !Self.isLasting(cause) ? rest : Self.givenUpFor
        entries[origin] = Entry(givenUp: (cause, now + time))
    }

    /// Whether the host's rest would not help, even if it had answered before.
    private static func isLasting(_ cause: RequestFailure.Cause) -> Bool {
        switch cause {
        case .failed(let error): error.retry == .leaveHost
        default: true
        }
    }

    private mutating func makeRoom(for origin: String) {
        guard entries.count >= Self.maximumOrigins, entries[origin] == nil else { return }
        var choice = EvenChoice(
            among: entries.count, count: entries.count, most: Self.maximumOrigins / 4 * 3, bytes: 0, bytesToKeep: 0)
        for origin in entries.keys where choice.takesNext() { entries[origin] = nil }
    }
}
