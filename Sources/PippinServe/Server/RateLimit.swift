import Synchronization

/// Bounds how often something is done: a bucket of tokens that refills evenly. One for all clients, because on one machine all
/// have the same address.
final class RateLimit: Sendable {
    private struct State {
        var tokens: Double
        var at: ContinuousClock.Instant
    }

    private let state: Mutex<State>
    private let size: Double
    private let perSecond: Double

    /// - Parameters:
    ///   - size: how many may happen at once.
    ///   - interval: how long one takes to come back.
    init(size: Int, interval: Duration, now: ContinuousClock.Instant = .now) {
        self.size = Double(size)
        perSecond = .seconds(1) / interval
        state = Mutex(State(tokens: Double(size), at: now))
    }

    /// Takes a token.
    ///
    /// - Returns: nil, or after how many seconds the next one is there.
    func take(now: ContinuousClock.Instant = .now) -> Int? {
        state.withLock { state in
            state.tokens = min(size, state.tokens + (now - state.at) / .seconds(1) * perSecond)
            state.at = now
            guard state.tokens < 1 else {
                state.tokens -= 1
                return nil
            }
            return max(1, Int(((1 - state.tokens) / perSecond).rounded(.up)))
        }
    }

    /// Takes a token or throws.
    ///
    /// - Parameter what: names what is limited, as the subject of a sentence in the plural: `Report cards`.
    func pass(_ what: String, now: ContinuousClock.Instant = .now) throws(WebRefusal) {
        guard let wait = take(now: now) else { return }
        throw WebRefusal(
            .tooManyRequests, "\(what) are limited. Try again in \(wait == 1 ? "a second" : "\(wait) seconds").",
            fields: [(.retryAfter, "\(wait)")])
    }
}
