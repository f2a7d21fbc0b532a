import PippinPage

/// The settings of one host, or of the hosts below a domain (an entry of `hosts` in `crawl-config.yaml`). Nil values come from a
/// less specific sheet, or are those of the whole crawl.
public struct HostSheet: Sendable, Equatable {
    /// The keys of a sheet, in the order in which they are shown.
    public enum Key: String, Sendable, CaseIterable {
        case delay
        case maximumCrawlDelay = "max_crawl_delay"
        case connections
        case quietHours = "quiet_hours"
        case quietDelay = "quiet_delay"
        case maximumDepth = "max_depth"
        case maximumPages = "max_pages"
        case include
        case exclude
        case render
        case recrawl
        case records

    }

    /// The delay between two requests.
    public var delay: Duration?
    var maximumCrawlDelay: Duration?
    /// The number of requests that may be in flight.
    public var connections: Int?
    /// Quiet hours in addition to those of the whole crawl. Empty ones are not set, and then `quietDelay` means nothing.
    var quietHours = QuietHours.none
    var quietDelay: Duration?
    /// The greatest depth to visit.
    public var maximumDepth: Int?
    /// The number of pages that a run may visit on each host.
    public var maximumPages: Int?
    /// URL patterns in place of `scope.include`.
    public var include: [String]?
    /// URL patterns in addition to `scope.exclude`.
    public var exclude: [String]?
    /// Which pages are rendered.
    public var render: RenderSettings.Mode?
    /// The intervals between visits. What the sheet does not write is that of the whole crawl.
    public var recrawl: CrawlConfiguration.Recrawl?
    /// The pages that get a record.
    public var records: CrawlConfiguration.RecordSelection?

    /// No settings.
    public init() {}

    /// Whether the sheet has a value for a key.
    func has(_ key: Key) -> Bool {
        switch key {
        case .delay: delay != nil
        case .maximumCrawlDelay: maximumCrawlDelay != nil
        case .connections: connections != nil
        case .quietHours: !quietHours.isEmpty
        case .quietDelay: quietDelay != nil
        case .maximumDepth: maximumDepth != nil
        case .maximumPages: maximumPages != nil
        case .include: include != nil
        case .exclude: exclude != nil
        case .render: render != nil
        case .recrawl: recrawl != nil
        case .records: records != nil
        }
    }

    /// The sheet with the values of a less specific one where it has none.
    func completed(by wider: HostSheet) -> HostSheet {
        var sheet = wider
        sheet.delay = delay ?? wider.delay
        sheet.maximumCrawlDelay = maximumCrawlDelay ?? wider.maximumCrawlDelay
        sheet.connections = connections ?? wider.connections
        // The delay in quiet hours belongs to the hours beside it.
        if !quietHours.isEmpty { (sheet.quietHours, sheet.quietDelay) = (quietHours, quietDelay) }
        sheet.maximumDepth = maximumDepth ?? wider.maximumDepth
        sheet.maximumPages = maximumPages ?? wider.maximumPages
        sheet.include = include ?? wider.include
        sheet.exclude = exclude ?? wider.exclude
        sheet.render = render ?? wider.render
        sheet.recrawl = recrawl ?? wider.recrawl
        sheet.records = records ?? wider.records
        return sheet
    }
}

/// The sheets of a crawl, by pattern: a host's name, or `*.` and a domain for all hosts below it.
///
/// For each key, the most specific sheet that has it counts, and else the setting of the whole crawl. Everything that depends on a
/// host asks here.
public struct HostSheets: Sendable, Equatable {
    /// The sheets as they were written.
    public let written: [String: HostSheet]
    /// The same patterns, each with what less specific sheets give it.
    let complete: [String: HostSheet]

    /// Creates a collection.
    public init(_ written: [String: HostSheet] = [:]) {
        self.written = written
        complete = Dictionary(
            uniqueKeysWithValues: written.keys.map { pattern in
                let name = pattern.hasPrefix("*.") ? String(pattern.dropFirst(2)) : pattern
                let wider = Self.patterns(for: name).dropFirst().compactMap { written[$0] }
                return (pattern, wider.reduce(written[pattern] ?? HostSheet()) { $0.completed(by: $1) })
            })
    }

    var isEmpty: Bool { written.isEmpty }

    /// The patterns that match a host, the most specific first: the host itself, then `*.` before each of its parent domains.
    private static func patterns(for host: String) -> [String] {
        var patterns = [host]
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            patterns.append("*.\(rest)")
        }
        return patterns
    }

    /// What a table by pattern has for a host: the value of the most specific pattern.
    static func value<Value>(for host: String, in table: [String: Value]) -> Value? {
        table.isEmpty ? nil : patterns(for: host).lazy.compactMap { table[$0] }.first
    }

    /// What the sheets say of a host; nil if none fits it.
    public func sheet(for host: String) -> HostSheet? { Self.value(for: host, in: complete) }

    /// The pattern of the sheet that a key's value for a host comes from; nil if no sheet has it.
    func pattern(of key: HostSheet.Key, for host: String) -> String? {
        Self.patterns(for: host).first { written[$0]?.has(key) ?? false }
    }

    /// Lets the mode of the whole crawl count for all hosts, as a flag wants it.
    public mutating func removeRenderModes() {
        self = HostSheets(
            written.mapValues {
                var sheet = $0
                sheet.render = nil
                return sheet
            })
    }
}

extension CrawlConfiguration {
    /// The delay between two requests to a host.
    func delay(of host: String) -> Duration { hosts.sheet(for: host)?.delay ?? politeness.delay }

    /// Which pages of a host are rendered, unless a seed says otherwise.
    public func renderMode(of host: String) -> RenderSettings.Mode { hosts.sheet(for: host)?.render ?? render.mode }

    /// The pages of a host that get a record.
    func records(of host: String) -> RecordSelection { hosts.sheet(for: host)?.records ?? records }

    /// The intervals between visits of a host's pages.
    public func recrawl(of host: String) -> Recrawl { hosts.sheet(for: host)?.recrawl ?? recrawl }

    /// The longest delay between two requests that any host may have been given.
    var longestDelay: Duration {
        let ofHosts = hosts.written.values.flatMap { [$0.delay, $0.maximumCrawlDelay, $0.quietDelay] }
        return ([politeness.delay, politeness.maximumCrawlDelay, politeness.quietDelay] + ofHosts)
            .reduce(.zero) { max($0, $1 ?? .zero) }
    }

    /// The highest number of connections that any host may have.
    var maximumConnectionsPerHost: Int {
        hosts.written.values.reduce(politeness.connectionsPerHost) { max($0, $1.connections ?? 0) }
    }
}

// MARK: In the file

extension HostSheets {
    /// Reads `hosts`.
    ///
    /// - Parameter general: the settings of the whole crawl.
    init(_ root: ConfigurationSection, general: CrawlConfiguration) throws {
        // Where 0.1.0 had them. What they said about requests must not be lost without a word.
        for (place, example) in [("politeness", "{ delay: 5s }"), ("render", "{ render: auto }")] {
            let section = try root.sectionOfAnyKeys(place)
            if section.names.contains("hosts") {
                throw section.invalid("hosts", "write it at the top, as hosts: { example.org: \(example) }")
            }
        }
        var sheets: [String: HostSheet] = [:]
        for (name, section) in try root.sections("hosts", known: HostSheet.Key.allCases.map(\.rawValue)) {
            let pattern = try Self.pattern(name) { section.misnamed($0) }
            guard sheets.updateValue(try HostSheet(section, host: pattern, general), forKey: pattern) == nil else {
                throw section.misnamed("\"\(pattern)\" is written more than once; keep one")
            }
        }
        self.init(sheets)
    }

    /// The host as in a URL, with `*.` before it if the text has it.
    ///
    /// - Throws: what `error` makes of the reason why no host can match.
    private static func pattern(_ text: String, error: (String) -> ConfigurationError) throws -> String {
        if text == "*" { throw error("every host is what the settings outside of hosts are for; write it there") }
        let isBelow = text.hasPrefix("*.")
        let name = isBelow ? String(text.dropFirst(2)) : text
        guard !name.contains(where: { "/?#@\\*".contains($0) }), let url = WebURL("https://\(name)/"), url.port == nil,
            !url.politenessHost.isEmpty
        else { throw error("\"\(text)\" must be a host name, or *. and a domain, in quotes") }
        let host = url.politenessHost
        guard isBelow else { return host }
        // The last label of a name in a URL never begins with a digit, unless the host is an address.
        let last = host.split(separator: ".").last ?? ""
        guard !host.hasPrefix("["), !(last.utf8.first.map { $0 &- 0x30 < 10 } ?? true) else {
            throw error("\"\(text)\" can never match: no host is below an address; write the address alone")
        }
        return "*." + host
    }
}

extension HostSheet {
    init(_ section: ConfigurationSection, host: String, _ general: CrawlConfiguration) throws {
        self.init()
        let isPublic = HostReach(host: host) == .publicHost
        delay = try section.duration("delay", in: .zero ... .seconds(3600))
        if let delay, delay < CrawlConfiguration.minimumPublicDelay, isPublic {
            throw section.invalid("delay", "less than 200ms is for private hosts only")
        }
        maximumCrawlDelay = try section.duration("max_crawl_delay", in: .zero ... .seconds(3600))
        if let maximumCrawlDelay, maximumCrawlDelay < general.politeness.maximumCrawlDelay, isPublic {
            let limit = DurationText.describe(general.politeness.maximumCrawlDelay)
            throw section.invalid(
                "max_crawl_delay", "must not be shorter than politeness.max_crawl_delay, which is \(limit)")
        }
        connections = try section.integer("connections", in: 1...16)
        (quietHours, quietDelay) = try CrawlConfiguration.Politeness.quietTime(section)
        maximumDepth = try section.integer("max_depth", in: 0...65_535)
        maximumPages = try section.integer("max_pages", in: 1...1_000_000_000)
        include = try section.strings("include")
        exclude = try section.strings("exclude")
        render = try section.choice("render", RenderSettings.Mode.self)
        let intervals = try section.section("recrawl", known: CrawlConfiguration.Recrawl.intervalKeys)
        if !intervals.isEmpty { recrawl = try CrawlConfiguration.Recrawl(intervals, over: general.recrawl) }
        records = try section.choice("records", CrawlConfiguration.RecordSelection.self)
    }
}
