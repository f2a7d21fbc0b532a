import Foundation
import PippinPage

extension CrawlConfiguration {
    /// Reads a configuration file. Relative paths in it are relative to the file's folder.
    ///
    /// - Throws: `ConfigurationError` with file, line, column, key and what to do.
    public init(contentsOf path: String) throws {
        try self.init(yaml: InputFile.text(at: path), file: path)
    }

    /// Reads a configuration.
    ///
    /// - Parameter file: the name for messages. Relative paths are relative to its folder.
    public init(yaml: String, file: String) throws {
        try self.init(ConfigurationSection(yaml: yaml, file: file, known: Self.keys))
    }

    /// `records: all`, or a group with `keep: all` and what else records have.
    private mutating func readRecords(_ root: ConfigurationSection) throws {
        guard root.isGroup("records") else {
            records = try root.choice("records", RecordSelection.self) ?? records
            return
        }
        let section = try root.section("records", known: ["keep", "text", "max_text"])
        records = try section.choice("keep", RecordSelection.self) ?? records
        let bytes = try section.bytes("max_text", in: 1000...1_000_000)
        if try section.boolean("text") ?? false {
            maximumTextBytes = bytes ?? Self.standardTextBytes
        } else if bytes != nil {
            throw section.invalid("max_text", "means nothing without text: true")
        }
    }

    static let keys = [
        "agent", "purpose", "seeds", "scope", "politeness", "fetch", "render", "recrawl", "records", "extract", "hosts",
        "app_lookup",
        "storage", "output", "cluster", "log_format", "log_level",
    ]

    init(_ root: ConfigurationSection) throws {
        let folder = URL(filePath: root.file).deletingLastPathComponent()
        func located(_ path: String) -> String { URL(filePath: path, relativeTo: folder).path }

        self.init()
        agent = try Agent(
            root.section("agent", known: ["product", "contact", "robots_agents"] + Agent.Signing.keys), located: located
        )
        purpose = try root.choice("purpose", CrawlPurpose.self) ?? purpose
        seedsPath = located(try root.string("seeds", expected: "the path of a file, such as seeds.txt") ?? seedsPath)
        scope = try Scope(
            root.section(
                "scope",
                known: [
                    "follow", "allow_hosts", "include", "exclude", "max_depth", "max_pages", "max_pages_per_host",
                    "sitemaps", "max_hosts", "max_robots_requests", "max_sitemaps",
                ]))
        politeness = try Politeness(
            root.section(
                "politeness",
                known: [
                    "delay", "max_crawl_delay", "connections_per_host", "adaptive", "delay_per_address",
                    "max_rate_per_address", "max_requests_per_second", "max_lookups_per_second", "quiet_hours",
                    "quiet_delay", "hosts",
                ]))
        fetch = try Fetch(
            root.section(
                "fetch",
                known: [
                    "concurrency", "connect_timeout", "timeout", "reading_timeout", "max_body", "memory",
                    "max_redirects",
                    "retries",
                    "retry_delay", "max_wait", "allow_private_networks", "ca_file", "credentials", "proxy",
                ]))
        fetch.certificateAuthorityPath = fetch.certificateAuthorityPath.map(located)
        fetch.credentialsPath = fetch.credentialsPath.map { $0 == "-" ? $0 : located($0) }
        render = try RenderSettings(root.section("render", known: RenderSettings.keys))
        recrawl = try Recrawl(root.section("recrawl", known: Recrawl.intervalKeys + ["misses", "forget_after"]))
        try readRecords(root)
        let extract = try root.section("extract", known: ["fields", "ranges_from"])
        fields = try CustomField.all(extract)
        if let text = try extract.string("ranges_from") {
            guard let url = WebURL(text), url.isHTTP, url.path.hasSuffix("/"), url.query == nil, url.fragment == nil,
                url.username.isEmpty, url.password.isEmpty
            else {
                throw extract.invalid(
                    "ranges_from",
                    "must be an http or https address that ends with /, such as https://data.commoncrawl.org/")
            }
            rangesFrom = url
        }
        hosts = try HostSheets(root, general: self)
        appLookupPath = try root.string("app_lookup").map(located)
        if let appLookupPath, !FileManager.default.fileExists(atPath: appLookupPath) {
            throw root.invalid("app_lookup", "\(appLookupPath) does not exist; leave the key out to do without")
        }
        storagePath = located(try root.string("storage") ?? storagePath)
        let outputs = try root.section(
            "output",
            known: [
                "ndjson", "ndjson_rotation", "report", "report_readers", "log", "summary", "metrics", "metrics_port",
                "warc",
                "warc_rotation", "search_index", "opensearch",
            ])
        output.ndjsonPath = try outputs.string("ndjson").map(located)
        let records = try outputs.section("ndjson_rotation", known: Rotation.keys)
        output.ndjsonRotation = try Rotation(records)
        if output.ndjsonRotation.keep != nil, output.ndjsonRotation == Rotation(keep: output.ndjsonRotation.keep) {
            throw records.invalid("keep", "means nothing without size or after: no file is ended")
        }
        output.reportPath = try outputs.string("report").map(located)
        output.reportReaders = try outputs.choice("report_readers", OutputFile.Readers.self) ?? output.reportReaders
        output.logPath = try outputs.string("log").map(located)
        output.summaryPath = try outputs.string("summary").map(located)
        output.metricsPath = try outputs.string("metrics").map(located)
        output.metricsPort = try outputs.integer("metrics_port", in: 0...65_535)
        output.archivePath = try outputs.string("warc").map(located)
        output.archiveRotation = try Rotation(outputs.section("warc_rotation", known: Rotation.keys))
        output.hasSearchIndex = try outputs.boolean("search_index") ?? output.hasSearchIndex
        output.openSearch = try OpenSearchSettings(
            outputs.section(
                "opensearch",
                known: [
                    "url", "index", "ca_file", "auth_env", "auth_file", "batch_records", "batch_bytes", "timeout",
                    "give_up_after",
                ]), located: located)
        cluster = try Cluster(
            root.section("cluster", known: ["shards", "turn", "links", "shared_addresses", "snapshots"]))
        messages.format = try root.choice("log_format", Messages.Format.self) ?? messages.format
        messages.level = try root.choice("log_level", Messages.Level.self) ?? messages.level
    }
}

extension CrawlConfiguration.Agent {
    init(_ section: ConfigurationSection, located: (String) -> String) throws {
        self.init()
        signing = try Signing(section, located: located)
        if let product = try section.string("product") {
            guard Self.isProductToken(product) else {
                throw section.invalid(
                    "product", "\"\(product)\" must be letters, - and _ only (RFC 9309 §2.2.1)")
            }
            self.product = product
            robotsAgents = [product, "Applebot", "Googlebot"]
        }
        if let contact = try section.string("contact") {
            guard let told = Self.contact(contact) else {
                throw section.invalid("contact", "\"\(contact)\" must be an http(s) URL or a mail address")
            }
            self.contact = told
        }
        if let agents = try section.strings("robots_agents") {
            if let wrong = agents.first(where: { !Self.isRobotsName($0) }) {
                throw section.invalid(
                    "robots_agents", "\"\(wrong)\" must be letters, digits, - and _ only; * is always asked last")
            }
            robotsAgents = agents.isEmpty ? [product] : agents
        }
    }

    /// Whether a text is a product token (RFC 9309 §2.2.1).
    static func isProductToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 == 0x2D || $0 == 0x5F }
    }

    private static func isRobotsName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D || $0 == 0x5F }
    }

    /// The contact in the form for a header's comment: printable ASCII without spaces and parentheses. Other characters of a
    /// URL are percent-encoded. Nil if the text is not a contact.
    static func contact(_ text: String) -> String? {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x28 && $0 != 0x29 }
        if let url = WebURL(text), url.isHTTP, url.host?.isEmpty == false {
            return isPlain ? text : url.href.replacing("(", with: "%28").replacing(")", with: "%29")
        }
        let address = text.lowercased().hasPrefix("mailto:") ? text.dropFirst("mailto:".count) : text[...]
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard isPlain, parts.count == 2, !parts[0].isEmpty, parts[1].contains("."), !parts[1].hasPrefix("."),
            !parts[1].hasSuffix("."), !address.contains(":")
        else { return nil }
        return String(address)
    }
}

extension CrawlConfiguration.Agent.Signing {
    static let keys = ["signing_key", "directory", "sign", "signature_agent"]

    /// Reads the keys about signing among those of `agent`; nil without `signing_key`.
    init?(_ section: ConfigurationSection, located: (String) -> String) throws {
        let address = try section.string("directory")
        let policy = try section.choice("sign", Policy.self)
        let form = try section.choice("signature_agent", Form.self)
        guard let path = try section.string("signing_key") else {
            let given = [("directory", address != nil), ("sign", policy != nil), ("signature_agent", form != nil)]
            if let key = given.first(where: \.1)?.0 { throw section.invalid(key, "means nothing without signing_key") }
            return nil
        }
        guard let address else {
            throw section.invalid(
                "signing_key", "agent.directory is missing, the URL at which others find the public key")
        }
        guard let url = WebURL(address), url.scheme == "https", url.query == nil, url.fragment == nil,
            url.username.isEmpty, url.password.isEmpty
        else {
            throw section.invalid(
                "directory",
                "expected the https URL of your public keys, like https://bot.example.org\(Self.directoryPath)")
        }
        self.init(keyPath: located(path), directory: url)
        self.policy = policy ?? self.policy
        self.form = form ?? self.form
        guard self.form == .dictionary || url.path == Self.directoryPath else {
            throw section.invalid(
                "signature_agent",
                "the form string names only the host, so the directory must be at \(Self.directoryPath)")
        }
    }
}

extension CrawlConfiguration.Scope {
    init(_ section: ConfigurationSection) throws {
        self.init()
        follow = try section.choice("follow", Follow.self) ?? follow
        allowedHosts = try section.strings("allow_hosts") ?? allowedHosts
        if let wrong = allowedHosts.first(where: { $0.isEmpty || $0.contains("/") || $0.contains(" ") }) {
            throw section.invalid("allow_hosts", "\"\(wrong)\" must be a host name alone, without scheme and path")
        }
        include = try section.strings("include") ?? include
        exclude = try section.strings("exclude") ?? exclude
        maximumDepth = try section.integer("max_depth", in: 0...65_535) ?? maximumDepth
        maximumPages = try section.integer("max_pages", in: 1...1_000_000_000) ?? maximumPages
        maximumPagesPerHost = try section.integer("max_pages_per_host", in: 1...1_000_000_000) ?? maximumPagesPerHost
        maximumHosts = try section.integer("max_hosts", in: 1...1_000_000_000)
        maximumRobotsRequests = try section.integer("max_robots_requests", in: 1...1_000_000_000)
        maximumSitemaps = try section.integer("max_sitemaps", in: 1...1_000_000_000)
        sitemaps = try section.boolean("sitemaps") ?? sitemaps
    }
}

extension CrawlConfiguration.Politeness {
    init(_ section: ConfigurationSection) throws {
        self.init()
        delay = try section.duration("delay", in: .zero ... .seconds(3600)) ?? delay
        maximumCrawlDelay =
            try section.duration("max_crawl_delay", in: .zero ... .seconds(3600)) ?? maximumCrawlDelay
        connectionsPerHost = try section.integer("connections_per_host", in: 1...16) ?? connectionsPerHost
        adaptive = try section.boolean("adaptive") ?? adaptive
        delayPerAddress = try section.duration("delay_per_address", in: .zero ... .seconds(3600))
        maximumRatePerAddress =
            try section.number("max_rate_per_address", in: 0.001...100) ?? maximumRatePerAddress
        maximumRequestsPerSecond = try section.number("max_requests_per_second", in: 0.001...100_000)
        maximumLookUpsPerSecond =
            try section.number("max_lookups_per_second", in: 0.1...1000) ?? maximumLookUpsPerSecond
        (quietHours, quietDelay) = try Self.quietTime(section)
    }

    static func quietTime(_ section: ConfigurationSection) throws -> (QuietHours, Duration?) {
        let delay = try section.duration("quiet_delay", in: .milliseconds(1) ... .seconds(86_400))
        guard let texts = try section.stringOrStrings("quiet_hours"), !texts.isEmpty else {
            if delay != nil { throw section.invalid("quiet_delay", "means nothing without quiet_hours") }
            return (.none, nil)
        }
        switch QuietHours.parse(texts) {
        case .hours(let hours): return (hours, delay)
        case .malformed(let problem): throw section.invalid("quiet_hours", problem)
        }
    }
}

extension CrawlConfiguration.Fetch {
    init(_ section: ConfigurationSection) throws {
        self.init()
        concurrency = try section.integer("concurrency", in: 1...10_000) ?? concurrency
        readingTimeout =
            try section.duration("reading_timeout", in: .milliseconds(100) ... .seconds(3600)) ?? readingTimeout
        connectTimeout =
            try section.duration("connect_timeout", in: .milliseconds(1) ... .seconds(600)) ?? connectTimeout
        timeout = try section.duration("timeout", in: .milliseconds(1) ... .seconds(3600)) ?? timeout
        maximumBodyBytes = try section.bytes("max_body", in: 1000...1_000_000_000) ?? maximumBodyBytes
        memoryBytes = try section.bytes("memory", in: 4_000_000...1_000_000_000_000) ?? memoryBytes
        maximumRedirects = try section.integer("max_redirects", in: 0...20) ?? maximumRedirects
        retries = try section.integer("retries", in: 0...20) ?? retries
        retryDelay = try section.duration("retry_delay", in: .zero ... .seconds(3600)) ?? retryDelay
        maximumWait = try section.duration("max_wait", in: .zero ... .seconds(86_400)) ?? maximumWait
        allowPrivateNetworks = try section.boolean("allow_private_networks") ?? allowPrivateNetworks
        certificateAuthorityPath = try section.string("ca_file")
        credentialsPath = try section.string("credentials")
        proxy = try section.string("proxy").map { text in
            switch ProxyServer.read(text) {
            case .success(let proxy): return proxy
            case .failure(let fault): throw section.invalid("proxy", fault.description)
            }
        }
    }
}

extension CrawlConfiguration.Recrawl {
    /// The keys that a host's sheet may have, too.
    static let intervalKeys = ["min_interval", "default_interval", "max_interval"]

    /// - Parameter general: the values of keys that are not written.
    init(_ section: ConfigurationSection, over general: Self = Self()) throws {
        self = general
        let range = Duration.seconds(1) ... .seconds(10 * 365 * 86_400)
        minimumInterval = try section.duration("min_interval", in: range) ?? minimumInterval
        maximumInterval = try section.duration("max_interval", in: range) ?? max(maximumInterval, minimumInterval)
        guard minimumInterval <= maximumInterval else {
            throw section.invalid("max_interval", "must not be shorter than min_interval")
        }
        if let interval = try section.duration("default_interval", in: range) {
            guard interval >= minimumInterval, interval <= maximumInterval else {
                throw section.invalid("default_interval", "must lie between min_interval and max_interval")
            }
            defaultInterval = interval
        } else {
            defaultInterval = min(max(defaultInterval, minimumInterval), maximumInterval)
        }
        misses = try section.integer("misses", in: 1...1000) ?? misses
        forgetAfter =
            try section.duration("forget_after", in: .seconds(86_400)...range.upperBound) ?? forgetAfter
    }
}

extension CrawlConfiguration.Rotation {
    static let keys = ["size", "after", "keep"]

    init(_ section: ConfigurationSection) throws {
        let range = Duration.seconds(1) ... .seconds(100 * 365 * 86_400)
        self.init(
            maximumBytes: try section.bytes("size", in: 1000...1_000_000_000_000_000),
            maximumAge: try section.duration("after", in: range), keep: try section.duration("keep", in: range))
    }
}

extension OpenSearchSettings {
    /// Nil if the section is missing.
    init?(_ section: ConfigurationSection, located: (String) -> String) throws {
        guard !section.isEmpty else { return nil }
        guard let address = try section.string("url"), let url = WebURL(address), url.isHTTP, url.query == nil else {
            throw section.invalid("url", "expected the index's http(s) URL, like https://search.example.org:9200")
        }
        guard url.username.isEmpty, url.password.isEmpty else {
            throw section.invalid("url", "credentials do not belong here; use auth_env or auth_file")
        }
        guard let index = try section.string("index"), Self.isIndexName(index) else {
            throw section.invalid("index", "expected the index's name in small letters, digits, -, _ and .")
        }
        self.init(url: url, index: index)
        certificateAuthorityPath = try section.string("ca_file").map(located)
        credentialsVariable = try section.string("auth_env")
        credentialsPath = try section.string("auth_file").map(located)
        guard credentialsVariable == nil || credentialsPath == nil else {
            throw section.invalid("auth_file", "auth_env is given too; keep one")
        }
        batchRecords = try section.integer("batch_records", in: 1...10_000) ?? batchRecords
        batchBytes = try section.bytes("batch_bytes", in: 10_000...100_000_000) ?? batchBytes
        timeout = try section.duration("timeout", in: .seconds(1) ... .seconds(3600)) ?? timeout
        patience = try section.duration("give_up_after", in: .zero ... .seconds(86_400)) ?? patience
    }
}

// Flags of the command line override values of the configuration. A missing flag changes nothing.
extension CrawlConfiguration {
    /// Sets a value as written by the operator. It is read by the same rules as in the file.
    ///
    /// - Parameters:
    ///   - key: the path of the key, `politeness.delay`.
    ///   - flag: the flag as written, for messages: `--delay`.
    /// - Throws: `ConfigurationError` with the flag in place of a file.
    public mutating func take<Value>(
        _ value: String?, over field: WritableKeyPath<CrawlConfiguration, Value>, key: String, flag: String
    ) throws {
        guard let value else { return }
        let section = try ConfigurationSection(flag: flag, path: key, value: value, known: Self.keys)
        self[keyPath: field] = try CrawlConfiguration(section)[keyPath: field]
    }

    /// Sets a field if there is a value.
    public mutating func lay<Value>(_ value: Value?, over field: WritableKeyPath<CrawlConfiguration, Value>) {
        if let value { self[keyPath: field] = value }
    }

    /// Sets an optional field if there is a value.
    public mutating func lay<Value>(_ value: Value?, over field: WritableKeyPath<CrawlConfiguration, Value?>) {
        if let value { self[keyPath: field] = value }
    }
}
