// What a robots.txt says about the use of content that may be fetched: `Content-Usage` (draft-ietf-aipref-attach-05),
// `Content-Signal` (Cloudflare), `License` (RSL 1.0), and rules for product tokens that stand for a use.
//
//     User-agent: *                          ─┐ the lines between two runs of user-agent lines are a segment;
//     Content-Usage: train-ai=n               │ an agent's rules are those of all segments that it is named for
//     Content-Usage: /ai-ok/ train-ai=y      ─┘
//
// Of the lines that match a URL, those with the longest path decide, those without a path last. Lines with the same path combine.

/// One line about use, as written.
struct RobotsUsageLine: Sendable, Hashable {
    let carrier: UsageSource.Carrier
    /// What is behind the colon.
    let value: [UInt8]
    /// 1-based.
    let line: Int

    /// The path, if the value begins with one. For `Content-Signal` none is documented, but nothing else can be meant.
    var path: ArraySlice<UInt8>? {
        value.first == UInt8(ascii: "/") ? value.prefix { !RobotsReader.isSpace($0) } : nil
    }

    /// What is said about uses.
    var words: UsageWords {
        let rest = value[(path?.endIndex ?? value.startIndex)...].drop(while: RobotsReader.isSpace)
        return carrier == .robotsContentSignal ? .contentSignal(rest) : .contentUsage(rest)
    }

    var source: UsageSource {
        let name = carrier == .robotsContentSignal ? "Content-Signal" : "Content-Usage"
        // Longer texts are shortened anyway.
        return UsageSource(
            carrier, "\(name): \(String(decoding: value.prefix(UsageSource.maximumTextBytes + 1), as: UTF8.self))",
            line: line)
    }
}

/// A licence that a robots.txt names (RSL 1.0, discovery by `License`). It is for the whole host, also inside of a group.
public struct RobotsLicense: Sendable, Hashable {
    /// The address of the licence, on any host.
    public let url: WebURL
    /// The line in the file, 1-based.
    public let line: Int

    /// The source of what the file says.
    public var source: UsageSource { UsageSource(.robotsLicense, "License: \(url.href)", line: line) }
}

/// All lines about use for one agent, prepared for matching.
struct RobotsUsageRules: Sendable, Hashable {
    private var lines: [RobotsUsageLine] = []
    /// The places in `lines` by line number.
    private var places: [Int: Int] = [:]
    private var usage = PathRules()
    private var signals = PathRules()

    private struct PathRules: Sendable, Hashable {
        var table = RobotsRuleTable()
        /// Places of the lines without a path.
        var general: [Int] = []
    }

    init(_ lines: some Sequence<RobotsUsageLine>) {
        for line in lines {
            places[line.line] = self.lines.count
            if line.carrier == .robotsContentSignal {
                add(line, to: &signals)
            } else {
                add(line, to: &usage)
            }
            self.lines.append(line)
        }
        usage.table.sort()
        signals.table.sort()
    }

    private func add(_ line: RobotsUsageLine, to rules: inout PathRules) {
        if let path = line.path {
            rules.table.add(.allow, path, line: line.line)
        } else {
            rules.general.append(lines.count)
        }
    }

    /// What applies to a target that may be fetched, in the order of the file for each kind of line.
    func statements(for target: RobotsTarget) -> [UsageStatement] {
        [usage, signals].flatMap { rules -> [UsageStatement] in
            let matching = rules.table.strongestAlike(for: target).compactMap { places[Int($0.line)] }
            return (matching.isEmpty ? rules.general : matching.sorted()).flatMap { place in
                lines[place].words.statements(lines[place].source)
            }
        }
    }

    // MARK: Packing

    /// The memory of the rules, in bytes.
    var byteCount: Int {
        usage.table.byteCount + signals.table.byteCount
            + lines.reduce(0) { $0 + $1.value.count + MemoryLayout<RobotsUsageLine>.stride + 32 }
    }

    /// The lines, deflated: `12 s search=yes`. Nil without enough memory.
    func packed() -> [UInt8]? {
        var text: [UInt8] = []
        for line in lines {
            text += "\(line.line) \(line.carrier == .robotsContentSignal ? "s" : "u") ".utf8
            text += line.value
            text.append(0x0A)
        }
        return DeflatedBytes.pack(text, level: 1)
    }

    /// Unpacks rules; nil if the bytes are not from `packed()`.
    init?(packed: [UInt8]) {
        guard let text = DeflatedBytes.unpack(packed) else { return nil }
        var lines: [RobotsUsageLine] = []
        for row in text.split(separator: 0x0A) {
            let parts = row.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let number = Int(String(decoding: parts[0], as: UTF8.self)) else { return nil }
            lines.append(
                RobotsUsageLine(
                    carrier: parts[1].first == UInt8(ascii: "s") ? .robotsContentSignal : .robotsContentUsage,
                    value: Array(parts[2]), line: number))
        }
        self.init(lines)
    }
}

extension RobotsFile {
    /// What the file says about the uses of `url`, if it may be fetched: nothing applies to what may not
    /// (draft-ietf-aipref-attach-05). The agents decide as in `decision(for:agents:)`.
    public func usage(of url: WebURL, agents chain: [String]) -> [UsageStatement] {
        guard decision(for: url, agents: chain).isAllowed, let rules = usageRules(among: chain) else { return [] }
        return RobotsTarget.withTarget(of: url) { target in
            target.isRobotsFile ? [] : rules.statements(for: target)
        }
    }

    /// What the file says about one use of `url` by the owner of a product token, such as `Google-Extended`, and by which line. Nil if it
    /// says nothing. A token whose rules do not allow the URL is refused every use. One that is allowed it by a rule of its own group is
    /// granted what it stands for (`UsageToken`), unless a line about use says otherwise.
    public func preference(_ use: ContentUse, of url: WebURL, token: String) -> UsageStatement? {
        let rule = ruleStatement(use, of: url, agents: [token])
        if let rule, !rule.isAllowed { return rule }
        if let said = UsagePreferences(usage(of: url, agents: [token]))[use] { return said }
        let name = token.asciiLowercased
        let standsForUse = UsageToken.all.contains { $0.name.asciiLowercased == name && $0.uses.contains(use) }
        return standsForUse ? rule : nil
    }

    /// What the rules for some agents say of one use of `url`: refused if it may not be fetched, granted if a rule allows it in a group
    /// that names one of them. Nil if it may be fetched only because nothing is against it, or by a rule for everyone.
    func ruleStatement(_ use: ContentUse, of url: WebURL, agents chain: [String]) -> UsageStatement? {
        let decision = decision(for: url, agents: chain)
        guard let rule = decision.rule else {
            return decision.isAllowed
                ? nil : UsageStatement(use, isAllowed: false, UsageSource(.robotsRule, decision.sentence))
        }
        if decision.isAllowed, decision.agent == "*" { return nil }
        let field = decision.isAllowed ? "Allow" : "Disallow"
        return UsageStatement(
            use, isAllowed: decision.isAllowed,
            UsageSource(.robotsRule, "\(field): \(rule.pattern)", line: rule.line))
    }

    /// The rules about use of the deciding agent; nil if there are none.
    func usageRules(among chain: [String]) -> RobotsUsageRules? {
        guard case .rules = basis, let (_, rules) = deciding(among: chain), !rules.usage.isEmpty else { return nil }
        let lines = rules.usage.flatMap { usageSegments[$0] }
        return lines.isEmpty ? nil : RobotsUsageRules(lines)
    }
}
