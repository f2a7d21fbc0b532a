import Foundation
import PippinPage

/// What asking for robots.txt once has brought (RFC 9309 §2.3.1).
enum RobotsAnswer: Sendable {
    /// Rules, for so long. An unavailable file (4xx) is `RobotsFile.allowAll`.
    case rules(RobotsFile, keep: Duration)
    /// Ask there next.
    case redirected(to: WebURL)
    /// The host is in trouble, and nothing there is allowed; whether asking again may help, and when.
    case unreachable(RobotsFailure, mayPass: Bool, retryAfter: Duration? = nil)

    /// RFC 9309 §2.4: not longer than 24 hours.
    static let longestKept = Duration.seconds(86_400)
    /// A file that says it is stale at once is still kept for a while: pages come faster than rules change.
    static let shortestKept = Duration.seconds(3600)
    /// RFC 9309 §2.3.1.2: follow at least five consecutive redirects.
    static let maximumHops = 5
    /// The exchange ends here, and what came counts (`FetchRequest.takesBeginning`). One byte more than `RobotsFile` reads, which so
    /// knows that there is more.
    static let maximumBodyBytes = RobotsFile.maximumBytes + 1
    /// Rules are small and everything waits for them.
    static let timeout = Duration.seconds(10)

    init(
        _ result: Result<FetchResponse, FetchError>, of request: SiteFileRequest, limits: ReadingLimits = .standard
    ) {
        switch result {
        case .failure(let error):
            self = .unreachable(
                RobotsFailure(.failed(error), asking: request.url), mayPass: error.mayPass)
        case .success(let response):
            let failure = RobotsFailure(.status(response.status), asking: request.url)
            switch response.status {
            case 200...299:
                self = .rules(
                    RobotsFile(bytes: response.body, url: request.originURL, limits: limits),
                    keep: Self.lifetime(of: response))
            case 301, 302, 303, 307, 308:
                let location = response.headers["Location"] ?? ""
                guard !location.isEmpty, let target = WebURL(location, base: request.url), target.isHTTP else {
                    self = .unreachable(RobotsFailure(.badRedirect(location), asking: request.url), mayPass: false)
                    return
                }
                self =
                    request.hops < Self.maximumHops
                    ? .redirected(to: target) : .rules(.allowAll, keep: Self.longestKept)
            case 429:
                self = .unreachable(failure, mayPass: true, retryAfter: response.retryAfter)
            case 400...499:
                self = .rules(.allowAll, keep: Self.longestKept)
            case 500...599:
                self = .unreachable(failure, mayPass: true, retryAfter: response.retryAfter)
            default:
                self = .unreachable(failure, mayPass: false)
            }
        }
    }

    static func lifetime(of response: FetchResponse) -> Duration {
        for value in response.headers.values("Cache-Control") {
            for directive in value.split(separator: ",") {
                let parts = directive.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].trimmingPrefix(while: \.isWhitespace).lowercased() == "max-age",
                    let seconds = Int64(parts[1].prefix { $0.isNumber })
                else { continue }
                return min(max(.seconds(min(seconds, 86_400)), shortestKept), longestKept)
            }
        }
        return longestKept
    }
}

/// What is known of each origin's robots.txt, and which turns wait for it. A pure value, owned by the crawl's loop.
///
///     unknown ──wait──► asking (turns wait) ──settle──► known ──its time is up──► unknown
///                           │        ▲  redirect, retry
///                           └────────┘
struct SiteRules {
    enum Standing {
        case unknown
        case asking
        case known(RobotsRules)
        /// Nothing is allowed, because the rules could not be fetched.
        case unreachable(RobotsFailure)
    }

    private enum State {
        case asking(waiting: [PolitenessSchedule.Turn])
        case known(RobotsRules, until: Duration)
        case unreachable(RobotsFailure, until: Duration)
    }

    /// How long a host whose rules cannot be had is not asked for them again.
    static let unreachableFor = Duration.seconds(3600)
    /// Origins held; beyond it the ones whose time is up, then any, are let go. Their rules are not lost: the frontier has them
    /// (`Frontier.rules(of:)`), and gives them back when they are needed. No host is asked again for that.
    static let maximumOrigins = 20_000
    /// Memory for rules, likewise: those of 16,000 real sites, of some 2,000 bytes each, or of a hundred whose 500 KB cannot be
    /// packed. Equal rules count once.
    static let usualMaximumBytes = 32_000_000

    private let maximumBytes: Int
    private var states: [String: State] = [:]
    /// Rules that are known, each once, and how many origins have them.
    private var shared: [RobotsRules: Int] = [:]
    /// What these take.
    private(set) var byteCount = 0
    var originCount: Int { states.count }
    /// Whether rules were let go before their time: what is unknown here, the frontier may know.
    private(set) var hasLetGo = false

    init(maximumBytes: Int = SiteRules.usualMaximumBytes) {
        self.maximumBytes = maximumBytes
    }

    mutating func standing(of origin: String, now: Duration) -> Standing {
        switch states[origin] {
        case nil: return .unknown
        case .asking: return .asking
        case .known(let file, let until) where until > now: return .known(file)
        case .unreachable(let failure, let until) where until > now: return .unreachable(failure)
        default:
            set(origin, nil)
            return .unknown
        }
    }

    private mutating func set(_ origin: String, _ state: State?) {
        var state = state
        if case .known(let new, let until)? = state { state = .known(share(new), until: until) }
        if case .known(let old, _)? = states[origin] { unshare(old) }
        states[origin] = state
    }

    /// The rules that are equal to these, and held already.
    private mutating func share(_ rules: RobotsRules) -> RobotsRules {
        guard rules.byteCount > 0 else { return rules }
        if let place = shared.index(forKey: rules) {
            shared.values[place] += 1
            return shared.keys[place]
        }
        shared[rules] = 1
        byteCount += rules.byteCount
        return rules
    }

    private mutating func unshare(_ rules: RobotsRules) {
        guard let count = shared[rules] else { return }
        shared[rules] = count > 1 ? count - 1 : nil
        if count == 1 { byteCount -= rules.byteCount }
    }

    /// The turn waits for the rules of an origin.
    ///
    /// - Returns: whether the rules are to be asked for, because nobody has yet.
    mutating func wait(_ turn: PolitenessSchedule.Turn, for origin: String, now: Duration) -> Bool {
        if case .asking(var waiting)? = states[origin] {
            states[origin] = nil
            waiting.append(turn)
            states[origin] = .asking(waiting: waiting)
            return false
        }
        if states.count >= Self.maximumOrigins { makeRoom(now: now) }
        set(origin, .asking(waiting: [turn]))
        return true
    }

    /// The rules are there.
    ///
    /// - Returns: the turns that waited.
    mutating func settle(
        _ origin: String, rules: RobotsRules, keep: Duration, now: Duration
    ) -> [PolitenessSchedule.Turn] {
        let waiting = waiting(for: origin)
        if byteCount + rules.byteCount > maximumBytes { makeRoom(now: now) }
        set(origin, .known(rules, until: now + keep))
        return waiting
    }

    /// Rules that were fetched before the run, or were let go.
    mutating func restore(_ origin: String, rules: RobotsRules, keep: Duration, now: Duration) {
        if states.count >= Self.maximumOrigins || byteCount + rules.byteCount > maximumBytes {
            makeRoom(now: now)
        }
        set(origin, .known(rules, until: now + keep))
    }

    /// The rules cannot be fetched, and nothing is allowed.
    ///
    /// - Returns: the turns that waited.
    mutating func settle(
        _ origin: String, unreachable failure: RobotsFailure, now: Duration
    ) -> [PolitenessSchedule.Turn] {
        let waiting = waiting(for: origin)
        set(origin, .unreachable(failure, until: now + Self.unreachableFor))
        return waiting
    }

    /// The rules are not asked for any more.
    ///
    /// - Returns: the turns that waited.
    mutating func forget(_ origin: String) -> [PolitenessSchedule.Turn] {
        let waiting = waiting(for: origin)
        set(origin, nil)
        return waiting
    }

    /// The run ends: nothing is asked for any more.
    mutating func forgetAllAsked() -> [PolitenessSchedule.Turn] {
        states.keys.sorted().flatMap { origin -> [PolitenessSchedule.Turn] in
            guard case .asking = states[origin] else { return [] }
            return forget(origin)
        }
    }

    private func waiting(for origin: String) -> [PolitenessSchedule.Turn] {
        if case .asking(let waiting)? = states[origin] { waiting } else { [] }
    }

    /// What is out of its time goes; then a quarter of what is left, by number and by bytes.
    private mutating func makeRoom(now: Duration) {
        for (origin, state) in states {
            switch state {
            case .known(_, let until) where until <= now, .unreachable(_, let until) where until <= now:
                set(origin, nil)
            case .asking, .known, .unreachable: break
            }
        }
        var surplus = states.count >= Self.maximumOrigins ? states.count / 4 : 0
        let enough = maximumBytes / 4 * 3
        for (origin, state) in states where surplus > 0 || byteCount > enough {
            switch state {
            case .known(let rules, _) where surplus > 0 || rules.byteCount > 0: hasLetGo = true
            case .unreachable where surplus > 0: break
            case .asking, .known, .unreachable: continue
            }
            surplus -= 1
            set(origin, nil)
        }
    }
}
