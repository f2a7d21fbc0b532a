/// Reads the lines of a robots.txt into groups (RFC 9309 §2.2).
struct RobotsReader {
    /// The number of octets that are read of a line: eight times the former URL limit of browsers, as in google/robotstxt,
    /// minus one for the zero at the end of its buffer.
    static let maximumLineBytes = 2_083 * 8 - 1
    /// The longest delay that is accepted, 12 days. A longer one is a mistake or a refusal, for which `Disallow: /` is the
    /// right way.
    static let maximumCrawlDelaySeconds = 1_000_000
    /// The licences that are kept. Real files name one; each more is a request.
    static let maximumLicenses = 20

    private(set) var groups: [RobotsFile.Group] = []
    private(set) var agents: [String: RobotsFile.AgentRules] = [:]
    private(set) var sitemaps: [WebURL] = []
    private(set) var licenses: [RobotsLicense] = []
    /// See `RobotsFile.usageSegments`. A line about use is a rule of its group, and ends the group's list of agents for those lines
    /// (draft-ietf-aipref-attach-05). RFC 9309 does not know it: for other rules the list goes on (§2.2.4).
    private(set) var usageSegments: [[RobotsUsageLine]] = []
    private(set) var text = ""
    var notes: BoundedNotes

    private let url: WebURL
    private let interruption: Interruption?
    private var seenSitemaps: Set<WebURL> = []
    /// Whether the group may get further agents, because it has no rule yet.
    private var groupIsOpen = false
    /// Agents named directly after one another, and the delay after them. A delay does not end a group, but in `User-agent: a /
    /// Crawl-delay: 1 / User-agent: b / Crawl-delay: 9` each agent has its own. The delays are assigned at the end of the file,
    /// so that many delays for many agents cost no more than their lines.
    private var delays: [(agents: [String], delay: Duration?)] = []
    private var delayIsOpen = false
    /// Whether the segment may get further agents.
    private var segmentIsOpen = false

    init(url: WebURL, limits: ReadingLimits) {
        self.url = url
        interruption = limits.interruption
        notes = BoundedNotes(maximum: limits.maximumNotes, leftOut: .robots(.notesLeftOut))
    }

    mutating func read(_ bytes: [UInt8]) {
        let octets = RobotsDecoding.text(of: bytes, notes: &notes)
        text = String(decoding: octets, as: UTF8.self)
        var line = 0
        var start = 0
        while start < octets.count, interruption?.isSet != true {
            line += 1
            let end = octets[start...].firstIndex(where: RobotsDecoding.isLineEnd) ?? octets.count
            read(line: octets[start..<end], number: line)
            let isCRLF = end + 1 < octets.count && octets[end] == 0x0D && octets[end + 1] == 0x0A
            start = end + (isCRLF ? 2 : 1)
        }
        for index in groups.indices { groups[index].table.sort() }
        for case (let names, let delay?) in delays {
            for name in names {
                let known = agents[name]?.crawlDelay ?? .zero
                agents[name]?.crawlDelay = max(delay, known)
            }
        }
    }

    // MARK: Lines

    private mutating func read(line whole: ArraySlice<UInt8>, number: Int) {
        var line = whole
        if line.count > Self.maximumLineBytes {
            notes.add(
                .robots(.lineTooLong),
                "The line has \(line.count) bytes; the first \(Self.maximumLineBytes) are read.",
                line: number)
            line = line.prefix(Self.maximumLineBytes)
        }
        line = Self.trimmed(line.prefix { $0 != UInt8(ascii: "#") })
        guard !line.isEmpty else { return }
        guard let (key, value) = split(line, number: number) else {
            notes.add(.robots(.lineUnreadable), "The line is no record: “\(Self.shown(line))”.", line: number)
            return
        }
        let (meaning, isCanonical) = RobotsKey.named(key)
        if !isCanonical {
            notes.add(.robots(.keyMisspelled), "“\(Self.shown(key.utf8))” is read as “\(meaning.name)”.", line: number)
        }
        switch meaning {
        case .userAgent: readAgents(value, line: number)
        case .allow: readRule(.allow, value, line: number)
        case .disallow: readRule(.disallow, value, line: number)
        case .sitemap: readSitemap(value, line: number)
        case .crawlDelay: readCrawlDelay(value, line: number)
        case .contentUsage: readUsage(.robotsContentUsage, value, line: number)
        case .contentSignal: readUsage(.robotsContentSignal, value, line: number)
        case .license: readLicense(value, line: number)
        case .otherConvention: break
        case .unknown:
            notes.add(
                .robots(.recordUnknown), "The record “\(Self.shown(key.utf8))” says nothing to crawlers.", line: number)
        }
    }

    /// The key in lower case, and the value; nil if the line is not a record.
    private mutating func split(_ line: ArraySlice<UInt8>, number: Int) -> (key: String, value: ArraySlice<UInt8>)? {
        let words = firstTwoWords(of: line)
        if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let key = Self.lowercased(Self.trimmed(line[..<colon]))
            if key == "http" || key == "https", line[colon...].starts(with: "://".utf8) {
                notes.add(.robots(.bareSitemap), "A line with only an address is read as a sitemap.", line: number)
                return ("sitemap", line)
            }
            // `disallow /a:b`: the colon belongs to the path if the line has exactly two words and the first one alone is a
            // key.
            guard let (first, second) = words, first.endIndex <= colon, RobotsKey.isRule(Self.lowercased(first)) else {
                return (key, Self.trimmed(line[(colon + 1)...]))
            }
            if Self.trimmed(line[first.endIndex..<colon]).isEmpty { return (key, Self.trimmed(line[(colon + 1)...])) }
            noteMissingColon(first, number)
            return (Self.lowercased(first), second)
        }
        // Google accepts white space in place of the colon if the line has exactly two words.
        guard let (first, second) = words, RobotsKey.isRule(Self.lowercased(first)) else { return nil }
        noteMissingColon(first, number)
        return (Self.lowercased(first), second)
    }

    private mutating func noteMissingColon(_ key: ArraySlice<UInt8>, _ line: Int) {
        notes.add(.robots(.colonMissing), "The colon after “\(Self.shown(key))” is missing.", line: line)
    }

    private func firstTwoWords(of line: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        let first = line.prefix { !Self.isSpace($0) }
        let second = Self.trimmed(line[first.endIndex...])
        guard !second.isEmpty, !second.contains(where: Self.isSpace) else { return nil }
        return (first, second)
    }

    // MARK: Records

    /// Reads the agents of a line. If the line has only tokens, as in `a, b c`, all are agents, because nothing else can be
    /// meant. Otherwise, as in Google's parser, the longest token at the start counts. Tokens may contain digits, which real
    /// names have.
    private mutating func readAgents(_ value: ArraySlice<UInt8>, line: Int) {
        let words = value.split { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
        let areTokens = words.allSatisfy { $0.elementsEqual("*".utf8) || $0.allSatisfy(Self.isTokenByte) }
        var names: [String] = []
        if areTokens {
            names = words.map { String(decoding: $0, as: UTF8.self) }
            if words.count > 1 {
                notes.add(
                    .robots(.severalAgents), "The line names \(words.count) agents; it should name one.", line: line)
            }
        } else {
            let token = value.prefix(while: Self.isTokenByte)
            if !token.isEmpty {
                names = [String(decoding: token, as: UTF8.self)]
                notes.add(
                    .robots(.agentCut), "Only “\(Self.shown(token))” of “\(Self.shown(value))” is a product token.",
                    line: line)
            } else if value.first == UInt8(ascii: "*"), value.dropFirst().first.map(Self.isSpace) ?? true {
                names = ["*"]
                notes.add(.robots(.agentCut), "Only “*” of “\(Self.shown(value))” is a product token.", line: line)
            }
        }
        if !groupIsOpen {
            groups.append(RobotsFile.Group(agents: [], rules: [], line: line))
            groupIsOpen = true
            delayIsOpen = false
        }
        if !delayIsOpen {
            delays.append(([], nil))
            delayIsOpen = true
        }
        if !segmentIsOpen {
            usageSegments.append([])
            segmentIsOpen = true
        }
        // A line without a usable name still begins a group, because the rules after it are not meant for the agents before it.
        if names.isEmpty {
            notes.add(.robots(.agentMissing), "The line names no agent: “\(Self.shown(value))”.", line: line)
        }
        let group = groups.count - 1
        for name in names {
            groups[group].agents.append(name)
            let key = name.asciiLowercased
            delays[delays.count - 1].agents.append(key)
            if agents[key, default: RobotsFile.AgentRules()].groups.last != group {
                agents[key, default: RobotsFile.AgentRules()].groups.append(group)
            }
            if agents[key]?.usage.last != usageSegments.count - 1 {
                agents[key]?.usage.append(usageSegments.count - 1)
            }
        }
    }

    private mutating func readRule(_ kind: RobotsFile.Rule.Kind, _ value: ArraySlice<UInt8>, line: Int) {
        guard !groups.isEmpty else {
            notes.add(.robots(.ruleOutsideGroup), "A rule before the first user-agent line is ignored.", line: line)
            return
        }
        groupIsOpen = false
        delayIsOpen = false
        segmentIsOpen = false
        let group = groups.count - 1
        groups[group].rules.append(
            RobotsFile.Rule(kind: kind, pattern: String(decoding: value, as: UTF8.self), line: line))
        guard let first = value.first else { return }
        // RFC 9309 §2.2 requires a slash (path-pattern = "/" …), but its own example has `*.gif$`.
        if first != UInt8(ascii: "/") && first != UInt8(ascii: "*") {
            notes.add(
                .robots(.patternNotAPath),
                "“\(Self.shown(value))” begins with neither “/” nor “*”, so it matches nothing.",
                line: line)
            return
        }
        groups[group].table.add(kind, value, line: line)
        // An extension of Google's: an allowed `…/index.html` allows the directory itself too.
        if kind == .allow, let slash = value.lastIndex(of: UInt8(ascii: "/")),
            value[(slash + 1)...].starts(with: "index.htm".utf8)
        {
            groups[group].table.add(kind, value[...slash] + [UInt8(ascii: "$")], line: line, written: value)
        }
    }

    private mutating func readSitemap(_ value: ArraySlice<UInt8>, line: Int) {
        let written = String(decoding: value, as: UTF8.self)
        if let absolute = WebURL(written), absolute.isHTTP {
            if seenSitemaps.insert(absolute).inserted { sitemaps.append(absolute) }
        } else if !written.isEmpty, let resolved = WebURL(written, base: url), resolved.isHTTP {
            notes.add(
                .robots(.sitemapRelative), "The address of the sitemap should be absolute: “\(Self.shown(value))”.",
                line: line)
            if seenSitemaps.insert(resolved).inserted { sitemaps.append(resolved) }
        } else {
            notes.add(.robots(.sitemapInvalid), "“\(Self.shown(value))” is no address of a sitemap.", line: line)
        }
    }

    private mutating func readUsage(_ carrier: UsageSource.Carrier, _ value: ArraySlice<UInt8>, line number: Int) {
        guard !usageSegments.isEmpty else {
            notes.add(
                .robots(.ruleOutsideGroup), "A line about use before the first user-agent line is ignored.",
                line: number)
            return
        }
        segmentIsOpen = false
        let line = RobotsUsageLine(carrier: carrier, value: Array(value), line: number)
        for problem in line.words.problems {
            notes.add(.robots(.usageUnreadable), "“\(Self.shown(value))”: \(problem)", line: number)
        }
        usageSegments[usageSegments.count - 1].append(line)
    }

    private mutating func readLicense(_ value: ArraySlice<UInt8>, line: Int) {
        // A licence on another address than its own is still asked for, so relative addresses are taken.
        guard let address = WebURL(String(decoding: value, as: UTF8.self), base: url), !value.isEmpty, address.isHTTP
        else {
            notes.add(.robots(.licenseInvalid), "“\(Self.shown(value))” is no address of a licence.", line: line)
            return
        }
        guard !licenses.contains(where: { $0.url == address }) else { return }
        guard licenses.count < Self.maximumLicenses else {
            notes.add(
                .robots(.licenseInvalid), "The file names more than \(Self.maximumLicenses) licences.", line: line)
            return
        }
        licenses.append(RobotsLicense(url: address, line: line))
    }

    private mutating func readCrawlDelay(_ value: ArraySlice<UInt8>, line: Int) {
        guard let delay = Self.seconds(value) else {
            notes.add(.robots(.crawlDelayInvalid), "“\(Self.shown(value))” is no number of seconds.", line: line)
            return
        }
        guard let last = delays.indices.last else {
            notes.add(
                .robots(.ruleOutsideGroup), "A crawl delay before the first user-agent line is ignored.", line: line)
            return
        }
        delayIsOpen = false
        let known = delays[last].delay ?? .zero
        delays[last].delay = max(delay, known)
    }
}

extension RobotsKey {
    /// Whether a word is a key whose colon may be missing. Only keys that Pippin reads are.
    static func isRule(_ word: String) -> Bool {
        let key = named(word).key
        return key != .unknown && key != .otherConvention
    }

    var name: String {
        switch self {
        case .userAgent: "user-agent"
        case .allow: "allow"
        case .disallow: "disallow"
        case .sitemap: "sitemap"
        case .crawlDelay: "crawl-delay"
        case .contentUsage: "content-usage"
        case .contentSignal: "content-signal"
        case .license: "license"
        case .otherConvention, .unknown: "another record"
        }
    }
}

/// Helpers for octets.
extension RobotsReader {
    /// A decimal number of seconds; nil for other text. Text after white space, or after the letter s, is a unit and is
    /// ignored.
    static func seconds(_ value: ArraySlice<UInt8>) -> Duration? {
        let number = value.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        let rest = value[number.endIndex...]
        guard rest.isEmpty || isSpace(rest[rest.startIndex]) || rest[rest.startIndex] | 0x20 == UInt8(ascii: "s"),
            let seconds = Double(String(decoding: number.prefix(32), as: UTF8.self)), seconds.isFinite
        else { return nil }
        return .milliseconds(Int64(min(seconds, Double(Self.maximumCrawlDelaySeconds)) * 1_000))
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isSpace)
        // Joined files have byte order marks inside; word processors write no-break spaces.
        while let first = bytes.first, first > 0x7F,
            bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.starts(with: [0xC2, 0xA0])
        {
            bytes = bytes.dropFirst(first == 0xC2 ? 2 : 3).drop(while: isSpace)
        }
        while let last = bytes.last {
            if isSpace(last) {
                bytes.removeLast()
            } else if last == 0xA0, bytes.count >= 2, bytes[bytes.endIndex - 2] == 0xC2 {
                bytes.removeLast(2)
            } else {
                break
            }
        }
        return bytes
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }

    static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).asciiLowercased
    }

    /// The text for a message, shortened because the line may be hostile.
    static func shown(_ bytes: some Sequence<UInt8>) -> String {
        let beginning = Array(bytes.prefix(101))
        let text = String(decoding: beginning.prefix(100), as: UTF8.self)
        return beginning.count > 100 ? text + "…" : text
    }
}

/// The meaning of the word before a line's colon.
enum RobotsKey: Equatable {
    case userAgent, allow, disallow, sitemap, crawlDelay, contentUsage, contentSignal, license
    /// A known record for other crawlers or of other conventions. Pippin ignores it.
    case otherConvention
    case unknown

    /// The meaning of a key. `isCanonical` is false if the key is misspelled and was understood leniently.
    static func named(_ key: String) -> (key: RobotsKey, isCanonical: Bool) {
        for (known, name) in canonical where key == name { return (known, true) }
        // These come before Google's prefixes, so that `crawl delay` or `useg-agent` are found first.
        for (known, spellings) in crawlerCommonsSpellings where spellings.contains(key) { return (known, false) }
        for (known, prefixes) in googlePrefixes where prefixes.contains(where: key.hasPrefix) { return (known, false) }
        if otherConventions.contains(key) || key.hasPrefix("acap-") { return (.otherConvention, true) }
        return (.unknown, true)
    }

    private static let canonical: [(RobotsKey, String)] = [
        (.userAgent, "user-agent"), (.allow, "allow"), (.disallow, "disallow"), (.sitemap, "sitemap"),
        (.crawlDelay, "crawl-delay"), (.contentUsage, "content-usage"), (.contentSignal, "content-signal"),
        (.license, "license"),
    ]

    /// google/robotstxt recognizes a key by its beginning: `disallowed` is `disallow`.
    private static let googlePrefixes: [(RobotsKey, [String])] = [
        (.userAgent, ["user-agent", "useragent", "user agent"]),
        (.disallow, ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]),
        (.allow, ["allow"]),
        (.sitemap, ["sitemap", "site-map"]),
    ]

    /// Misspellings that crawler-commons accepts because they are frequent, as whole keys.
    private static let crawlerCommonsSpellings: [(RobotsKey, Set<String>)] = [
        (.userAgent, ["useg-agent", "ser-agent", "users-agent", "user-agnet", "user-agents"]),
        (.disallow, ["desallow", "dssalow", "dsallow", "diallow", "disallows", "disllow"]),
        (.sitemap, ["sitemaps"]),
        (.crawlDelay, ["crawl delay", "clawl-delay", "craw-delay", "crawl-deley"]),
    ]

    private static let otherConventions: Set<String> = [
        "host", "clean-param", "request-rate", "visit-time", "noindex", "nofollow", "noarchive", "nosnippet",
        "llm-policy", "comment", "robot-version",
    ]
}
