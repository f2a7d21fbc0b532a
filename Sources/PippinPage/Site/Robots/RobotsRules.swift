/// What a robots.txt holds for one crawler, as a crawl keeps it: the rules of the group that binds it and nothing else. It
/// decides exactly as its `RobotsFile` does.
///
/// It takes little more memory than the rules' text. A large one is kept packed, so that a site pays for it with about the
/// bytes that it sent: 600 KB that repeat themselves cost 1 KB on the wire, and a few KB here. To ask such a one takes about a
/// millisecond.
public struct RobotsRules: Sendable, Hashable {
    private enum Form: Sendable, Hashable {
        /// The same for every URL.
        case settled(RobotsDecision.Reason)
        case table(RobotsRuleTable)
        case packed([UInt8], entries: Int)
    }

    private let form: Form
    /// The name whose group decides.
    private let agent: String?
    /// See `RobotsFile.crawlDelay(agents:)`.
    public let crawlDelay: Duration?
    /// The file, deflated, where somebody wants to read it again.
    private let source: [UInt8]?

    /// Bytes of a table from which on it is kept packed. Of 229 real sites all stay below.
    static let packedFrom = 64_000

    /// The answer 4xx: there are no rules, everything may be crawled.
    public static let allowAll = RobotsRules(.allowAll, agents: [])

    /// The answer 5xx, or none at all: nothing may be crawled.
    public static let disallowAll = RobotsRules(.disallowAll, agents: [])

    /// - Parameters:
    ///   - chain: who asks; see `RobotsFile.decision(for:agents:)`.
    ///   - keepsFile: whether `file` is wanted later, for a report.
    public init(_ file: RobotsFile, agents chain: [String], keepsFile: Bool = false) {
        source = keepsFile && file.url != nil ? DeflatedBytes.pack(Array(file.text.utf8)) : nil
        crawlDelay = file.crawlDelay(agents: chain)
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

    /// The file it was made of, found at `url`; nil unless it was asked to keep it.
    public func file(at url: WebURL) -> RobotsFile? {
        switch form {
        case .settled(.unavailable): return .allowAll
        case .settled(.unreachable): return .disallowAll
        default: return source.flatMap(DeflatedBytes.unpack).map { RobotsFile(bytes: $0, url: url) }
        }
    }

    /// What it takes of memory.
    public var byteCount: Int {
        let source = source?.count ?? 0
        return switch form {
        case .settled: source
        case .table(let table): source + table.byteCount
        case .packed(let packed, _): source + packed.count
        }
    }
}
