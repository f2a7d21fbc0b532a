import PippinPage

/// The known rules of each origin, and the turns that wait for unknown ones. A pure value, owned by the crawl's loop.
///
///     unknown ──wait──► asking (turns wait) ──settle──► known ──its time is up──► unknown
///                           │        ▲  redirect, retry
///                           └────────┘
struct SiteRules {
    enum Standing {
        case unknown
        case asking
        /// The rules, or why they could not be fetched.
        case known(Result<RobotsRules, RequestFailure>)
    }

    private enum State {
        case asking(waiting: [PolitenessSchedule.Turn])
        case known(RobotsRules, until: Duration)
        case unreachable(RequestFailure, until: Duration)
    }

    /// The limit of origins in memory. Beyond it, expired ones are removed, then others. Their rules are not lost: the frontier stores
    /// them (`Frontier.rules(of:)`), so no host is asked again.
    static let maximumOrigins = 20_000
    /// The limit of memory for rules. It is enough for 16,000 real sites with about 2,000 bytes each, or for a hundred with 500
    /// KB that cannot be compressed. Equal rules count once.
    static let usualMaximumBytes = 32_000_000

    private let maximumBytes: Int
    private var states: [String: State] = [:]
    /// The known rules, each once, with the number of their origins.
    private var shared: [RobotsRules: Int] = [:]
    /// The memory of `shared`.
    private(set) var byteCount = 0
    /// How many turns wait for rules.
    private(set) var waitingCount = 0
    /// Whether valid rules were removed. The frontier may then have rules that are unknown here.
    private(set) var hasLetGo = false

    init(maximumBytes: Int = SiteRules.usualMaximumBytes) {
        self.maximumBytes = maximumBytes
    }

    mutating func standing(of origin: String, now: Duration) -> Standing {
        switch states[origin] {
        case nil: return .unknown
        case .asking: return .asking
        case .known(let rules, let until) where until > now: return .known(.success(rules))
        case .unreachable(let failure, let until) where until > now: return .known(.failure(failure))
        default:
            set(origin, nil)
            return .unknown
        }
    }

    private mutating func set(_ origin: String, _ state: State?) {
        var state = state
        if case .known(let new, let until)? = state { state = .known(share(new), until: until) }
        switch states[origin] {
        case .known(let old, _)?: unshare(old)
        case .asking(let waiting)?: waitingCount -= waiting.count
        case .unreachable?, nil: break
        }
        if case .asking(let waiting)? = state { waitingCount += waiting.count }
        states[origin] = state
    }

    /// The stored copy of equal rules.
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

    /// Adds a turn that waits for the rules of an origin.
    ///
    /// - Returns: whether the rules must be requested now.
    mutating func wait(_ turn: PolitenessSchedule.Turn, for origin: String, now: Duration) -> Bool {
        if case .asking(var waiting)? = states[origin] {
            states[origin] = nil
            waiting.append(turn)
            states[origin] = .asking(waiting: waiting)
            waitingCount += 1
            return false
        }
        if states.count >= Self.maximumOrigins { makeRoom(now: now) }
        set(origin, .asking(waiting: [turn]))
        return true
    }

    /// Stores fetched rules.
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

    /// Stores rules from the frontier.
    mutating func restore(_ origin: String, rules: RobotsRules, keep: Duration, now: Duration) {
        if states.count >= Self.maximumOrigins || byteCount + rules.byteCount > maximumBytes {
            makeRoom(now: now)
        }
        set(origin, .known(rules, until: now + keep))
    }

    /// Stores that the rules cannot be fetched, so that nothing is allowed.
    ///
    /// - Returns: the turns that waited.
    mutating func settle(
        _ origin: String, unreachable failure: RequestFailure, now: Duration
    ) -> [PolitenessSchedule.Turn] {
        let waiting = waiting(for: origin)
        set(origin, .unreachable(failure, until: now + RobotsAnswer.unreachableFor))
        return waiting
    }

    /// Gives up a request for rules.
    ///
    /// - Returns: the turns that waited.
    mutating func forget(_ origin: String) -> [PolitenessSchedule.Turn] {
        let waiting = waiting(for: origin)
        set(origin, nil)
        return waiting
    }

    /// Whether anything but requests of pages' scripts waits for the rules of an origin.
    func areForMoreThanScripts(_ origin: String) -> Bool {
        waiting(for: origin).contains { turn in
            if case .siteFile(let file) = turn { file.kind != .subresource } else { true }
        }
    }

    /// Removes the requests of pages' scripts that wait for the rules of an origin.
    mutating func takeScripts(waitingFor origin: String) -> [SiteFileRequest] {
        let waiting = waiting(for: origin)
        var (taken, left): ([SiteFileRequest], [PolitenessSchedule.Turn]) = ([], [])
        for turn in waiting {
            if case .siteFile(let file) = turn, file.kind == .subresource {
                taken.append(file)
            } else {
                left.append(turn)
            }
        }
        if !taken.isEmpty { set(origin, .asking(waiting: left)) }
        return taken
    }

    /// Gives up all requests for rules at the end of a run.
    mutating func forgetAllAsked() -> [PolitenessSchedule.Turn] {
        states.keys.sorted().flatMap { origin -> [PolitenessSchedule.Turn] in
            guard case .asking = states[origin] else { return [] }
            return forget(origin)
        }
    }

    private func waiting(for origin: String) -> [PolitenessSchedule.Turn] {
        if case .asking(let waiting)? = states[origin] { waiting } else { [] }
    }

    /// Removes expired rules, then others until a quarter is free, by number and bytes.
    private mutating func makeRoom(now: Duration) {
        for (origin, state) in states {
            switch state {
            case .known(_, let until) where until <= now, .unreachable(_, let until) where until <= now:
                set(origin, nil)
            case .asking, .known, .unreachable: break
            }
        }
        let enough = maximumBytes / 4 * 3
        while true {
            let removable = states.filter { if case .asking = $0.value { false } else { true } }
            var choice = EvenChoice(
                among: removable.count, count: states.count, most: Self.maximumOrigins / 4 * 3, bytes: byteCount,
                bytesToKeep: enough)
            guard choice.count > 0 else { return }
            for (origin, state) in removable where choice.takesNext() {
                if case .known = state { hasLetGo = true }
                set(origin, nil)
            }
        }
    }
}
