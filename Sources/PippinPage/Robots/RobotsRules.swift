/// The part of a robots.txt that a crawl keeps: only the rules that apply to one crawler. It decides exactly as its
/// `RobotsFile` does.
///
/// It needs little more memory than the rules' text. A large one is kept packed, so that a site causes about as much memory as
/// it sent bytes: 600 KB of repetitions are 1 KB on the wire, and a few KB here. A decision by a packed one takes about a
/// millisecond.
public struct RobotsRules: Sendable, Hashable {
    private enum Form: Sendable, Hashable {
        /// The decision is the same for every URL.
        case settled(RobotsDecision.Reason)
        case table(RobotsRuleTable)
        case packed([UInt8], entries: Int)
    }

    private enum UsageForm: Sendable, Hashable {
        case rules(RobotsUsageRules)
        case packed([UInt8])
    }

    private let form: Form
    /// What the file says about use; nil if nothing.
    private let usage: UsageForm?
    /// The licences that the file names.
    public let licenses: [RobotsLicense]
    /// The agent whose group decides; nil if no group does.
    private let agent: String?
    /// The crawl delay of the group; see `RobotsFile.crawlDelay(agents:)`.
    public let crawlDelay: Duration?
    /// The file's text, deflated; nil if nobody needs it later.
    private let source: [UInt8]?

    /// The size in bytes from which a table is kept packed. The tables of 229 real sites are all smaller.
    static let packedFrom = 64_000

    /// The rules for a response 4xx: everything may be crawled.
    public static let allowAll = RobotsRules(.allowAll, agents: [])

    /// The rules for a response 5xx, or none: nothing may be crawled.
    public static let disallowAll = RobotsRules(.disallowAll, agents: [])

    /// Takes the rules for one crawler from a file.
    ///
    /// - Parameters:
    ///   - chain: the crawler's names; see `RobotsFile.decision(for:agents:)`.
    ///   - keepsFile: whether `file` is needed later, for a report.
    public init(_ file: RobotsFile, agents chain: [String], keepsFile: Bool = false) {
        source = keepsFile && file.url != nil ? DeflatedBytes.pack(Array(file.text.utf8)) : nil
        crawlDelay = file.crawlDelay(agents: chain)
        licenses = file.licenses
        usage = file.usageRules(among: chain).map { rules in
            guard rules.byteCount >= Self.packedFrom, let packed = rules.packed(), packed.count < rules.byteCount else {
                return .rules(rules)
            }
            return .packed(packed)
        }
        switch file.basis {
        case .unavailable: (form, agent) = (.settled(.unavailable), nil)
        case .unreachable: (form, agent) = (.settled(.unreachable), nil)
        case .rules:
            guard let (name, rules) = file.deciding(among: chain) else {
                (form, agent) = (.settled(.noGroup), nil)
                return
            }
            agent = name
            let table = file.table(of: rules)
            if table.entries.isEmpty {
                form = .settled(.noRuleMatches)
            } else if table.byteCount >= Self.packedFrom, let packed = table.packed(), packed.count < table.byteCount {
                form = .packed(packed, entries: table.entries.count)
            } else {
                form = .table(table)
            }
        }
    }

    /// Whether `url` may be crawled.
    public func decision(for url: WebURL) -> RobotsDecision {
        RobotsTarget.withTarget(of: url) { target in
            // RFC 9309 §2.2.2: "The /robots.txt URI is implicitly allowed."
            if target.isRobotsFile { return RobotsDecision(.robotsFileItself) }
            let table: RobotsRuleTable
            switch form {
            case .settled(let reason): return RobotsDecision(reason, agent: agent)
            case .table(let known): table = known
            case .packed(let packed, let count):
                guard let unpacked = RobotsRuleTable(packed: packed, entries: count) else {
                    preconditionFailure("what was packed here unpacks")
                }
                table = unpacked
            }
            guard let entry = table.strongest(for: target) else { return RobotsDecision(.noRuleMatches, agent: agent) }
            return RobotsDecision(.rule(table.rule(entry)), agent: agent)
        }
    }

    /// What the file says about the uses of `url`; see `RobotsFile.usage(of:agents:)`.
    public func usage(of url: WebURL) -> [UsageStatement] {
        guard let usage, decision(for: url).isAllowed else { return [] }
        let rules: RobotsUsageRules
        switch usage {
        case .rules(let known): rules = known
        case .packed(let packed):
            guard let unpacked = RobotsUsageRules(packed: packed) else {
                preconditionFailure("what was packed here unpacks")
            }
            rules = unpacked
        }
        return RobotsTarget.withTarget(of: url) { target in
            target.isRobotsFile ? [] : rules.statements(for: target)
        }
    }

    /// The file, as found at `url`; nil if it was not kept.
    public func file(at url: WebURL) -> RobotsFile? {
        switch form {
        case .settled(.unavailable): return .allowAll
        case .settled(.unreachable): return .disallowAll
        default: return source.flatMap(DeflatedBytes.unpack).map { RobotsFile(bytes: $0, url: url) }
        }
    }

    /// The memory of the rules, in bytes.
    public var byteCount: Int {
        var source = source?.count ?? 0
        switch usage {
        case .rules(let rules)?: source += rules.byteCount
        case .packed(let packed)?: source += packed.count
        case nil: break
        }
        source += licenses.reduce(0) { $0 + $1.url.href.utf8.count + MemoryLayout<RobotsLicense>.stride }
        return switch form {
        case .settled: source
        case .table(let table): source + table.byteCount
        case .packed(let packed, _): source + packed.count
        }
    }
}
