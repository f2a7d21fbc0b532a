/// The rules of a host's robots.txt (RFC 9309), with notes for its author.
///
/// Reading never fails. Lines without meaning are skipped. Malformed lines are understood if Google's parser or crawler-commons
/// understands them, and each such leniency leaves a note.
///
///     bytes ─decode─► lines ─► groups (agents, rules) ─► for each agent: the groups that name it
///                                                              decision(for:agents:) asks these
///
/// A group's rules are stored once, even if several agents share it, so the memory is proportional to the file's size.
public struct RobotsFile: Sendable {
    /// One `allow` or `disallow` line.
    public struct Rule: Sendable, Hashable {
        /// Whether the rule allows or disallows.
        public enum Kind: String, Sendable { case allow, disallow }
        /// The kind of rule.
        public let kind: Kind
        /// The path pattern as written, without comment and surrounding white space; empty if the line has none.
        public let pattern: String
        /// The line in the file, 1-based.
        public let line: Int
    }

    /// Consecutive `user-agent` lines and the rules after them (RFC 9309 §2.1).
    public struct Group: Sendable {
        /// The product tokens as written; `*` for everyone.
        public internal(set) var agents: [String]
        /// The rules in the order of the file.
        public internal(set) var rules: [Rule]
        /// 1-based line of the first `user-agent`.
        public let line: Int
        /// The rules with a non-empty pattern, the strongest first. The first rule that matches decides.
        var table = RobotsRuleTable()
    }

    /// The rules of the file for one agent. RFC 9309 §2.2.1 merges all groups that name it.
    struct AgentRules: Sendable {
        var groups: [Int] = []
        /// The segments of lines about use.
        var usage: [Int] = []
        var crawlDelay: Duration?
    }

    /// Why the file decides: by its rules, or because it does not exist (`unavailable`) or could not be fetched
    /// (`unreachable`).
    enum Basis: Sendable { case rules, unavailable, unreachable }

    /// The address of the file; nil for `allowAll` and `disallowAll`.
    public let url: WebURL?
    /// The groups in the order of the file.
    public let groups: [Group]
    /// The sitemaps named in the file, in order, each once. Relative addresses are resolved against the file's address.
    public let sitemaps: [WebURL]
    /// The licences named in the file, in order, each once. Relative addresses are resolved against the file's address.
    public let licenses: [RobotsLicense]
    /// Leniencies used and limits reached while reading.
    public let notes: [ParseNote]
    /// The text as read: decoded, and cut at the size limit.
    public let text: String
    let basis: Basis
    /// The rules by product token in lower case.
    let agents: [String: AgentRules]
    /// The lines about use between two runs of user-agent lines, in order.
    let usageSegments: [[RobotsUsageLine]]

    /// The number of bytes that are read of a file. RFC 9309 §2.5 requires at least 500 KiB; Google stops there.
    public static let maximumBytes = 512_000

    /// The file for a response 4xx: there are no rules, everything may be crawled (RFC 9309 §2.3.1.3).
    public static let allowAll = RobotsFile(basis: .unavailable)

    /// The file for a response 5xx, or none: nothing may be crawled (RFC 9309 §2.3.1.4).
    public static let disallowAll = RobotsFile(basis: .unreachable)

    /// Reads a file. `url` is the address before redirects: a redirect changes which file is read, but not which host it is
    /// for.
    public init(bytes: [UInt8], url: WebURL, limits: ReadingLimits = .standard) {
        var reader = RobotsReader(url: url, limits: limits)
        reader.read(bytes)
        self.url = url
        groups = reader.groups
        sitemaps = reader.sitemaps
        licenses = reader.licenses
        usageSegments = reader.usageSegments
        notes = reader.notes.finished()
        text = reader.text
        agents = reader.agents
        basis = .rules
    }

    private init(basis: Basis) {
        url = nil
        groups = []
        sitemaps = []
        licenses = []
        usageSegments = []
        notes = []
        text = ""
        agents = [:]
        self.basis = basis
    }

    /// Whether `url` may be crawled. The first of `agents` that the file names decides, or else `*`. (Applebot uses such a
    /// chain to fall back to Googlebot's rules.) Names are compared as a whole and without regard to letter case.
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

    /// The `Crawl-delay` of the deciding group in seconds, as written and without a cap. It is not part of RFC 9309. If the
    /// file gives an agent several delays, the longest counts.
    public func crawlDelay(agents chain: [String]) -> Duration? {
        deciding(among: chain)?.rules.crawlDelay
    }

    /// The first name in the chain that the file has rules for, or else `*`. Nil if the file has neither.
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

/// The decision of robots.txt on one URL, and the rule behind it.
public struct RobotsDecision: Sendable, Hashable {
    /// The reason for a decision.
    public enum Reason: Sendable, Hashable {
        /// The longest rule that matches.
        case rule(RobotsFile.Rule)
        /// The file has a group for us, but none of its rules matches.
        case noRuleMatches
        /// The file has neither a group for us nor one for `*`.
        case noGroup
        /// `/robots.txt` itself, which is always allowed.
        case robotsFileItself
        /// There is no file (4xx), so everything is allowed.
        case unavailable
        /// The file could not be fetched (5xx, no response), so nothing is allowed.
        case unreachable
    }

    /// The reason for the decision.
    public let reason: Reason
    /// The agent whose group decided: `*` for the group for everyone, nil if no group did.
    public let agent: String?

    init(_ reason: Reason, agent: String? = nil) {
        self.reason = reason
        self.agent = agent
    }

    /// Whether the URL may be crawled.
    public var isAllowed: Bool {
        switch reason {
        case .rule(let rule): rule.kind == .allow
        case .noRuleMatches, .noGroup, .robotsFileItself, .unavailable: true
        case .unreachable: false
        }
    }

    /// The rule that decided, if any.
    public var rule: RobotsFile.Rule? {
        if case .rule(let rule) = reason { rule } else { nil }
    }

    /// The reason as a sentence for people.
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
