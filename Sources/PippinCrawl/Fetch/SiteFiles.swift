import Foundation
import PippinPage

/// What asking for robots.txt once has brought (RFC 9309 §2.3.1).
public enum RobotsAnswer: Sendable {
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

    public init(
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

/// What is known of each origin's robots.txt and of the other files of sites, which turns wait for rules, and which pages for
/// files. A pure value, owned by the crawl's loop.
///
///     unknown ──begin──► asking (turns parked) ──settle──► known ──its time is up──► unknown
///                           │        ▲  redirect, retry
///                           └────────┘
struct SiteFiles {
    enum Standing {
        case unknown
        case asking
        case known(RobotsRules)
        /// Nothing is allowed, because the rules could not be fetched.
        case unreachable(RobotsFailure)
    }

    enum FileStanding {
        case unknown
        case asking
        case settled(SiteFileOutcome)
    }

    private enum State {
        case asking(parked: [PolitenessSchedule.Turn])
        case known(RobotsRules, until: Duration)
        case unreachable(RobotsFailure, until: Duration)
    }

    private enum FileState {
        /// By the numbers of the pages that wait.
        case asking(waiting: [Int])
        case settled(SiteFileOutcome, until: Duration)
    }

    /// How long a host whose rules cannot be had is not asked for them again.
    static let unreachableFor = Duration.seconds(3600)
    /// Origins held; beyond it the ones whose time is up, then any, are let go. Their rules are not lost: the frontier has them
    /// (`Frontier.rules(of:)`), and gives them back when they are needed. No host is asked again for that.
    static let maximumOrigins = 20_000
    /// Memory for rules, likewise: those of 16,000 real sites, of some 2,000 bytes each, or of a hundred whose 500 KB cannot be
    /// packed. Equal rules count once.
    static let maximumRulesBytes = 32_000_000
    /// Other files kept, likewise.
    static let maximumFiles = 20_000
    /// Bytes of association files kept, likewise. What was read of them takes some ten times as much; real ones have some
    /// 3,000 bytes, so these are those of 5,000 hosts.
    static let maximumKeptBytes = 16_000_000

    private let maximumRulesBytes: Int
    private var states: [String: State] = [:]
    /// Rules that are known, each once, and how many origins have them.
    private var shared: [RobotsRules: Int] = [:]
    /// What these take.
    private(set) var rulesBytes = 0
    var originCount: Int { states.count }
    /// Whether rules were let go before their time: what is unknown here, the frontier may know.
    private(set) var hasLetGo = false
    private var files: [SiteFileID: FileState] = [:]
    /// Of the files that are settled.
    private var keptBytes = 0

    init(maximumRulesBytes: Int = SiteFiles.maximumRulesBytes) {
        self.maximumRulesBytes = maximumRulesBytes
    }

    // MARK: Rules

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
        rulesBytes += rules.byteCount
        return rules
    }

    private mutating func unshare(_ rules: RobotsRules) {
        guard let count = shared[rules] else { return }
        shared[rules] = count > 1 ? count - 1 : nil
        if count == 1 { rulesBytes -= rules.byteCount }
    }

    mutating func begin(_ request: SiteFileRequest, parking first: PolitenessSchedule.Turn, now: Duration) {
        if states.count >= Self.maximumOrigins { makeRoom(now: now) }
        set(request.origin, .asking(parked: [first]))
    }

    mutating func park(_ turn: PolitenessSchedule.Turn, origin: String) {
        guard case .asking(var parked)? = states.removeValue(forKey: origin) else {
            preconditionFailure("only a turn whose origin is being asked for its rules waits for them")
        }
        parked.append(turn)
        states[origin] = .asking(parked: parked)
    }

    /// The rules are there: the turns that waited go on.
    mutating func settle(
        _ origin: String, rules: RobotsRules, keep: Duration, now: Duration
    ) -> [PolitenessSchedule.Turn] {
        let parked = takeParked(origin)
        if rulesBytes + rules.byteCount > maximumRulesBytes { makeRoom(now: now) }
        set(origin, .known(rules, until: now + keep))
        return parked
    }

    /// Rules that were fetched before the run, or were let go.
    mutating func restore(_ origin: String, rules: RobotsRules, keep: Duration, now: Duration) {
        if states.count >= Self.maximumOrigins || rulesBytes + rules.byteCount > maximumRulesBytes {
            makeRoom(now: now)
        }
        set(origin, .known(rules, until: now + keep))
    }

    mutating func giveUp(_ origin: String, _ failure: RobotsFailure, now: Duration) -> [PolitenessSchedule.Turn] {
        let parked = takeParked(origin)
        set(origin, .unreachable(failure, until: now + Self.unreachableFor))
        return parked
    }

    /// The run leaves a host or ends: whatever still waits goes back.
    mutating func abandon(_ origin: String) -> [PolitenessSchedule.Turn] {
        let parked = takeParked(origin)
        set(origin, nil)
        return parked
    }

    mutating func abandonAll() -> [PolitenessSchedule.Turn] {
        states.keys.sorted().flatMap { origin -> [PolitenessSchedule.Turn] in
            guard case .asking = states[origin] else { return [] }
            return abandon(origin)
        }
    }

    private func takeParked(_ origin: String) -> [PolitenessSchedule.Turn] {
        if case .asking(let parked)? = states[origin] { parked } else { [] }
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
        let enough = maximumRulesBytes / 4 * 3
        for (origin, state) in states where surplus > 0 || rulesBytes > enough {
            switch state {
            case .known(let rules, _) where surplus > 0 || rules.byteCount > 0: hasLetGo = true
            case .unreachable where surplus > 0: break
            case .asking, .known, .unreachable: continue
            }
            surplus -= 1
            set(origin, nil)
        }
    }

    // MARK: Other files

    mutating func standing(of file: SiteFileID, now: Duration) -> FileStanding {
        switch files[file] {
        case nil: return .unknown
        case .asking: return .asking
        case .settled(let outcome, let until) where until > now: return .settled(outcome)
        case .settled:
            forget(file)
            return .unknown
        }
    }

    /// What is known of a file, as long as it is kept.
    func settled(_ file: SiteFileID, now: Duration) -> SiteFileOutcome? {
        guard case .settled(let outcome, let until)? = files[file], until > now else { return nil }
        return outcome
    }

    mutating func begin(_ file: SiteFileID, now: Duration) {
        if files.count >= Self.maximumFiles { makeRoomForFiles(now: now) }
        forget(file)
        files[file] = .asking(waiting: [])
    }

    /// The page with this number waits for the file.
    mutating func wait(_ page: Int, for file: SiteFileID) {
        guard case .asking(var waiting)? = files.removeValue(forKey: file) else {
            preconditionFailure("only a file that is being asked for is waited for")
        }
        waiting.append(page)
        files[file] = .asking(waiting: waiting)
    }

    /// The file's outcome is there: the numbers of the pages that waited.
    mutating func settle(_ file: SiteFileID, _ outcome: SiteFileOutcome, keep: Duration, now: Duration) -> [Int] {
        if keptBytes + outcome.keptBytes > Self.maximumKeptBytes { makeRoomForFiles(now: now) }
        let old = files[file]
        forget(file)
        files[file] = .settled(outcome, until: now + keep)
        keptBytes += outcome.keptBytes
        if case .asking(let waiting)? = old { return waiting }
        return []
    }

    private mutating func forget(_ file: SiteFileID) {
        if case .settled(let outcome, _)? = files.removeValue(forKey: file) { keptBytes -= outcome.keptBytes }
    }

    /// What is out of its time goes; then a quarter of what is left, by number and by bytes.
    private mutating func makeRoomForFiles(now: Duration) {
        func isSettled(_ state: FileState, after time: Duration) -> Bool {
            if case .settled(_, let until) = state { until <= time } else { false }
        }
        for (file, state) in files where isSettled(state, after: now) { forget(file) }
        var surplus = files.count >= Self.maximumFiles ? files.count / 4 : 0
        let enough = Self.maximumKeptBytes / 4 * 3
        for (file, state) in files where surplus > 0 || keptBytes > enough {
            guard case .settled(let outcome, _) = state, surplus > 0 || outcome.keptBytes > 0 else { continue }
            surplus -= 1
            forget(file)
        }
    }
}
