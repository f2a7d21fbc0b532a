import PippinPage

/// The time between two requests to an address: its delay at first, shorter step by step while pages of many sites come as fast as
/// before, and longer at once when something goes wrong.
///
///     delay ──20 pages, 10 independent sites, no slower──► 4/5 of it ──► … ──► the least (`max_rate_per_address`)
///       ▲                                                                                    │
///       └── 429, 503, time-out, no connection: at once ◄── another failure, slower: twice ◄──┘
///
/// Otherwise a platform's million hosts would wait for one another, though each is asked rarely.
///
/// **Who could misuse it.** Whoever wants the crawl to ask a victim's address more often points names there: all names of a domain, or
/// fifty cheap domains, linked from one page, from each other, or from a farm of domains. So a site alone shows nothing. What an
/// attacker cannot make is a seed: they are the operator's. So sites count by the seeds that led to them, one for each seed's site,
/// whenever and through whatever pages they were found; a seed's own site is one. An attacker would need links that are met first from
/// ten seeds' sites. Even so, the rate stays at its bound, and falls as for everybody else. That a site was known in an earlier run counts
/// for nothing, so waiting a night does not help. Redirects, errors and files are not counted: servers send them for any name.
///
/// Nothing is kept for the next run. On a cluster, the driver hands on from turn to turn what the shards found fit.
struct AddressRate: Sendable {
    /// The sites of a page's host and of the seed that led to it.
    struct Source: Sendable {
        let site: String
        let seed: String
    }

    /// The end of a request.
    enum Answer: Sendable {
        /// A page was read. The value is the time to its first byte.
        case read(Duration)
        /// An error that may be one URL's.
        case stumbled
        /// The host says that it is asked too often, or gives no answer.
        case troubled
    }

    /// The pages of a step. With fewer, chance would decide whether they are slower than before.
    static let pagesOfStep = 20
    /// The independent sites among them. Ten customers with a shared server, each known to the operator, are a platform.
    static let sitesOfStep = 10
    /// A machine whose pages usually take longer has enough to do.
    static let longestTime = Duration.seconds(1)
    /// After such a pause it begins anew: the address may have another machine behind it, or the machine another load.
    static let longestIdle = Duration.seconds(600)
    /// Pages are slower than before if they take half as long again, and this: the variation of a network.
    private static let variation = Duration.milliseconds(50)

    /// What its answers allow. It may be less than may be used now (`interval`): the driver of a cluster hears of it.
    private(set) var fit: Duration
    private let slowest: Duration
    private let fastest: Duration
    private let least: Duration
    /// When it changed last. Pages that were asked for before show nothing about it.
    private var changedAt = Duration.zero
    /// The times to the first byte of the pages since then.
    private var times: [Duration] = []
    /// Their sites. Each site and each seed's site is there once.
    private var sources: [Source] = []
    /// The usual time at the slowest rate, or at first.
    private var usualTime: Duration?

    /// - Parameters:
    ///   - fastest: the bound of what answers may allow. There are no steps if it is not less than `slowest`.
    ///   - start: what is allowed at first.
    ///   - least: the least interval that is used, whatever the answers allow.
    init(slowest: Duration, fastest: Duration, start: Duration? = nil, least: Duration = .zero) {
        self.slowest = slowest
        self.fastest = min(slowest, fastest)
        self.least = least
        fit = min(max(start ?? slowest, self.fastest), slowest)
    }

    /// The time between two requests.
    var interval: Duration { max(fit, least) }

    /// Whether it is as short as it may be now.
    var isLeast: Bool { fit <= least }

    /// Requests per second.
    var perSecond: Double { .seconds(1) / interval }

    /// Whether answers can change it, at an address with so many hosts.
    func canChange(hosts: Int) -> Bool { fastest < slowest && (fit < slowest || hosts >= Self.sitesOfStep) }

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - start: the start of the request.
    ///   - source: read only if it counts.
    /// - Returns: whether the interval has changed.
    mutating func take(
        _ answer: Answer, start: Duration, source: @autoclosure () -> Source?, now: Duration
    ) -> Bool {
        switch answer {
        case .stumbled: return change(to: interval * 2, now: now)
        case .troubled: return change(to: slowest, now: now)
        case .read(let time):
            guard start >= changedAt else { return false }
            times.append(time)
            if fit > fastest, sources.count < Self.sitesOfStep, let source = source() { add(source) }
            return times.count < Self.pagesOfStep ? false : step(now: now)
        }
    }

    private mutating func add(_ source: Source) {
        guard !sources.contains(where: { $0.site == source.site || $0.seed == source.seed }) else { return }
        sources.append(source)
    }

    /// Judges the pages since the last change.
    private mutating func step(now: Duration) -> Bool {
        let time = times.sorted()[times.count / 2]
        let isPlatform = sources.count >= Self.sitesOfStep
        (times, sources) = ([], [])
        if let usualTime, interval < slowest {
            if time > usualTime * 3 / 2 + Self.variation { return change(to: interval * 2, now: now) }
        } else {
            usualTime = time
        }
        guard isPlatform, time <= Self.longestTime else { return false }
        return change(to: fit * 4 / 5, now: now)
    }

    private mutating func change(to wanted: Duration, now: Duration) -> Bool {
        let before = interval
        (times, sources, changedAt) = ([], [], now)
        fit = min(max(wanted, fastest), slowest)
        return interval != before
    }

    /// Goes back to the start.
    mutating func beginAnew(now: Duration) -> Bool { change(to: slowest, now: now) }
}
