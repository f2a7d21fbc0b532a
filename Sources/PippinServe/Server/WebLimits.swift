import Synchronization

/// How large a request may be, and how long it may take. `ConnectionLimits` bounds connections.
enum WebLimits {
    /// Longest target (path and query), in bytes: the longest query, of 500 characters that take twelve bytes each when
    /// percent-encoded, and room for the other parameters.
    static let targetBytes = 8_192
    /// All header fields together, in bytes, as other servers have it.
    static let headerBytes = 16_384
    static let headerFields = 100
    /// Forms hold a URL, or a token.
    static let bodyBytes = 16_384
    /// The body of a ping: 10,000 URLs of a hundred bytes.
    static let pingBytes = 1 << 20
    /// The largest picture that is passed on as it is.
    static let pictureBytes = 1 << 20
    /// Seconds from a whole request until its answer must be on its way. Fetching a page for its report card takes most.
    static let requestSeconds: Int64 = 90
    /// How long the end of the server waits for requests in flight.
    static let patience = Duration.seconds(5)
    /// Unicode scalars of a search query.
    static let queryLength = 500
    /// Unicode scalars of a URL.
    static let urlLength = 2_000
    /// Searches in one request, and the time in which they are begun: a few fields of a page, each with its list, and a quarter of what
    /// they could take.
    static let queriesAtOnce = 20
    static let timeOfQueries = Duration.seconds(2)
    /// Bytes of changes in one answer; one change may be larger.
    static let changesBytes = 4 << 20
    /// Shorter bodies are not worth being compressed.
    static let leastCompressedBytes = 1_024
    /// Larger bodies are compressed on a thread for blocking work.
    static let quicklyCompressedBytes = 128 << 10
}

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
    /// - Parameter leaving: whether it is only looked for.
    /// - Returns: nil, or after how many seconds the next one is there.
    func take(now: ContinuousClock.Instant = .now, leaving: Bool = false) -> Int? {
        state.withLock { state in
            state.tokens = min(size, state.tokens + (now - state.at) / .seconds(1) * perSecond)
            state.at = now
            guard state.tokens < 1 else {
                if !leaving { state.tokens -= 1 }
                return nil
            }
            return max(1, Int(((1 - state.tokens) / perSecond).rounded(.up)))
        }
    }

    /// Takes a token or throws.
    ///
    /// - Parameters:
    ///   - what: names what is limited, as the subject of a sentence in the plural: `Report cards`.
    ///   - leaving: whether the token is only looked for.
    func pass(
        _ what: String, now: ContinuousClock.Instant = .now, leaving: Bool = false
    ) throws(WebRefusal) {
        guard let wait = take(now: now, leaving: leaving) else { return }
        throw WebRefusal(
            .tooManyRequests, "\(what) are limited. Try again in \(wait == 1 ? "a second" : "\(wait) seconds").",
            fields: [(.retryAfter, "\(wait)")])
    }
}

/// Limits for many, each of its own; when too many are known, the others share one.
struct RateLimits {
    private let most: Int
    private let size: Int
    private let interval: Duration
    private let shared: RateLimit
    private var limits: [String: (limit: RateLimit, at: ContinuousClock.Instant)] = [:]

    init(most: Int, size: Int, interval: Duration) {
        (self.most, self.size, self.interval) = (most, size, interval)
        shared = RateLimit(size: size, interval: interval)
    }

    /// Takes a token of one of them, or throws.
    ///
    /// - Parameters:
    ///   - what: names what is limited, as the subject of a sentence in the plural.
    ///   - leaving: whether the token is only looked for.
    mutating func pass(
        _ what: String, for name: String, now: ContinuousClock.Instant, leaving: Bool = false
    ) throws(WebRefusal) {
        if limits[name] == nil, limits.count >= most {
            // Who has not asked for so long has all tokens again.
            let full = interval * size
            limits = limits.filter { now - $0.value.at < full }
        }
        guard
            let limit = limits[name]?.limit
                ?? (limits.count < most ? RateLimit(size: size, interval: interval, now: now) : nil)
        else { return try shared.pass(what, now: now, leaving: leaving) }
        if !leaving { limits[name] = (limit, now) }
        try limit.pass(what, now: now, leaving: leaving)
    }
}
