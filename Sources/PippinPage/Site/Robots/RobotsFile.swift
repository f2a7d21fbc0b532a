/// What a host's robots.txt allows (RFC 9309), and what its author should know about the way it was read.
///
/// Reading never fails: lines that say nothing are skipped, lines that say it wrongly are understood where Google's
/// parser or crawler-commons understand them, and each such kindness leaves a note.
///
///     bytes ─decode─► lines ─► groups (agents, rules) ─► for each agent: the groups that name it
///                                                              decision(for:agents:) asks these
///
/// A group's rules are stored once, however many agents share it, so a file costs memory in proportion to its size.
public struct RobotsFile: Sendable {
    /// One `allow` or `disallow` line.
    public struct Rule: Sendable, Hashable {
        public enum Kind: String, Sendable { case allow, disallow }
        public let kind: Kind
        /// The path pattern as written, comment and surrounding white space removed; empty where the line has none.
        public let pattern: String
        /// 1-based.
        public let line: Int
    }

    /// Consecutive `user-agent` lines and the rules after them (RFC 9309 §2.1).
    public struct Group: Sendable {
        /// Product tokens as written, `*` for everyone.
        public internal(set) var agents: [String]
        /// In the order of the file.
        public internal(set) var rules: [Rule]
        /// 1-based line of the first `user-agent`.
        public let line: Int
        /// The rules whose patterns can match, the strongest first: the first that matches decides.
        var table = RobotsRuleTable()
    }

    /// What the file holds for one agent: RFC 9309 §2.2.1 merges the groups that name it.
    struct AgentRules: Sendable {
        var groups: [Int] = []
        var crawlDelay: Duration?
    }

    /// Where the verdict comes from when it does not come from rules.
    enum Basis: Sendable { case rules, unavailable, unreachable }

    /// Where the file was found; nil for the two values that stand for a file that could not be had.
    public let url: WebURL?
    public let groups: [Group]
    /// The file's sitemaps, each once, in its order; relative addresses are resolved against the file's own.
    public let sitemaps: [WebURL]
    public let notes: [ParseNote]
    /// The file as read: decoded, cut at the size limit.
    public let text: String
    let basis: Basis
    /// By product token in lower case.
    let agents: [String: AgentRules]

    /// Bytes that are read of a file. RFC 9309 §2.5 asks for at least 500 KiB; Google cuts there.
    public static let maximumBytes = 512_000

    /// The answer 4xx: there are no rules, everything may be crawled (RFC 9309 §2.3.1.3).
    public static let allowAll = RobotsFile(basis: .unavailable)

    /// The answer 5xx, or none at all: nothing may be crawled (RFC 9309 §2.3.1.4).
    public static let disallowAll = RobotsFile(basis: .unreachable)

    /// Reads a file. `url` is where it was first asked for: redirects change whose rules are read, not whom they bind.
    public init(bytes: [UInt8], url: WebURL, limits: ReadingLimits = .standard) {
        var reader = RobotsReader(url: url, limits: limits)
        reader.read(bytes)
        self.url = url
        groups = reader.groups
        sitemaps = reader.sitemaps
        notes = reader.notes.finished()
        text = reader.text
        agents = reader.agents
        basis = .rules
    }

    private init(basis: Basis) {
        url = nil
        groups = []
        sitemaps = []
        notes = []
        text = ""
        agents = [:]
        self.basis = basis
    }

    /// Whether `url` may be crawled. The first of `agents` that the file names decides, then `*` (the chain is how
    /// Applebot falls back to Googlebot's rules); names compare whole and without regard to case.
    public func decision(for url: WebURL, agents chain: [String]) -> RobotsDecision {
        RobotsTarget.withTarget(of: url) { target in
            // RFC 9309 §2.2.2: "The /robots.txt URI is implicitly allowed."
            if target.isRobotsFile { return RobotsDecision(.robotsFileItself) }
            switch basis {
            case .unavailable: return RobotsDecision(.unavailable)
            case .unreachable: return RobotsDecision(.unreachable)
            case .rules: break
            }
            guard let (agent, rules) = deciding(among: chain) else { return RobotsDecision(.noGroup) }
            guard let rule = strongestRule(in: rules.groups, for: target) else {
                return RobotsDecision(.noRuleMatches, agent: agent)
            }
            return RobotsDecision(.rule(rule), agent: agent)
        }
    }

    /// The seconds between two requests that the deciding group asks for with `Crawl-delay`, as written and not capped.
    /// Not part of RFC 9309; the longest counts where a file gives an agent several.
    public func crawlDelay(agents chain: [String]) -> Duration? {
        deciding(among: chain)?.rules.crawlDelay
    }

    /// The name in the chain that the file has rules for, else `*`, else nil: nobody is named.
    func deciding(among chain: [String]) -> (agent: String, rules: AgentRules)? {
        for name in chain {
            if let rules = agents[name.asciiLowercased] { return (name, rules) }
        }
        return agents["*"].map { ("*", $0) }
    }

    private func strongestRule(in indices: [Int], for target: RobotsTarget) -> Rule? {
        var best: (entry: RobotsRuleTable.Entry, group: Int)?
        for index in indices {
            if let entry = groups[index].table.strongest(for: target, above: best?.entry.strength) {
                best = (entry, index)
            }
        }
        return best.map { groups[$0.group].table.rule($0.entry) }
    }

    /// The rules of all groups that name an agent.
    func table(of rules: AgentRules) -> RobotsRuleTable {
        if rules.groups.count == 1 { return groups[rules.groups[0]].table }
        var table = RobotsRuleTable()
        for group in rules.groups { table.add(groups[group].table) }
        table.sort()
        return table
    }
}

/// What robots.txt says of one URL, and which line says it.
public struct RobotsDecision: Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// This rule is the longest that matches.
        case rule(RobotsFile.Rule)
        /// The file has a group for us, none of whose rules matches.
        case noRuleMatches
        /// The file has neither a group for us nor one for `*`.
        case noGroup
        /// `/robots.txt` itself, which may always be fetched.
        case robotsFileItself
        /// There is no file (4xx): everything is allowed.
        case unavailable
        /// The file could not be had (5xx, no answer): nothing is allowed.
        case unreachable
    }

    public let reason: Reason
    /// The name whose group decided, `*` for everyone's, nil where no group did.
    public let agent: String?

    init(_ reason: Reason, agent: String? = nil) {
        self.reason = reason
        self.agent = agent
    }

    public var isAllowed: Bool {
        switch reason {
        case .rule(let rule): rule.kind == .allow
        case .noRuleMatches, .noGroup, .robotsFileItself, .unavailable: true
        case .unreachable: false
        }
    }

    /// The line that decided, if one did.
    public var rule: RobotsFile.Rule? {
        if case .rule(let rule) = reason { rule } else { nil }
    }

    /// The reason for a person to read.
    public var sentence: String {
        switch reason {
        case .rule(let rule):
            "Line \(rule.line), \(rule.kind == .allow ? "Allow" : "Disallow"): \(rule.pattern), in the rules for \(agent ?? "*")."
        case .noRuleMatches: "No rule for \(agent ?? "*") matches."
        case .noGroup: "The file has no rules for us or for everyone."
        case .robotsFileItself: "The file /robots.txt may always be fetched."
        case .unavailable: "The site has no robots.txt, so everything may be crawled."
        case .unreachable: "The site's robots.txt could not be fetched, so nothing may be crawled until it can."
        }
    }
}
