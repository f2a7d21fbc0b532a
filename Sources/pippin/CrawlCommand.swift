import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage

struct CrawlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crawl",
        abstract: "Visits pages politely and writes deep-link records.",
        discussion: """
            With URLs: a one-off crawl from them; records go to standard output as NDJSON, no state is kept.
            Without: the job of crawl-config.yaml and seeds.txt; records go to the file it names, state to its storage folder.

            Examples:
              pippin crawl https://example.org/app/ --max-pages 50 --contact https://you.example/bot
              pippin crawl https://example.org/page --max-pages 1 --contact you@example.org   # one page
              pippin crawl                                                                    # the job
              pippin crawl --config jobs/news.yaml --seeds jobs/news-seeds.txt
              pippin crawl https://example.org/ --contact you@example.org --report report     # what to mend, site-wide

            The first Ctrl-C lets what is in flight finish, the second stops at once.

            Exit status: 0 done, 2 usage or configuration, 3 some seeds failed, 4 a limit was reached, 5 interrupted,
            6 disk or database trouble, 7 another run holds the storage or writes one of the output files.
            """)

    @Argument(help: "Where a one-off crawl starts.")
    var urls: [String] = []

    @Option(help: "Configuration file; without URLs crawl-config.yaml is read.")
    var config: String?

    @Option(help: "Seeds file, in place of the configuration's.")
    var seeds: String?

    @Option(help: "File for the records, in place of standard output or the configuration's.")
    var out: String?

    @Option(help: "Folder for what is remembered between runs.")
    var storage: String?

    @Option(help: "Folder for a report of the whole crawl, index.html and report.json (output.report).")
    var report: String?

    @OptionGroup(title: "In place of the configuration's")
    var overrides: ConfigurationOverrides

    @Flag(help: "Only errors on standard error: no progress, no summary.")
    var quiet = false

    func run() async throws {
        var messages = CrawlConfiguration.Messages()
        messages.format = overrides.logFormat ?? messages.format
        let configuration = try await CrawlJob.reportingTrouble(by: ProgramVoice(messages)) { try settings() }
        let ending = try await CrawlJob.reportingTrouble(by: ProgramVoice(configuration.messages)) {
            try await CrawlJob(
                configuration: configuration, seeds: try seedList(configuration), output: output(configuration),
                reportFolder: reportFolder(configuration)
            ).run(storage: storageFolder(configuration), isQuiet: quiet)
        }
        if ending != .done { throw ending.exitCode }
    }

    private func settings() throws -> CrawlConfiguration {
        var configuration: CrawlConfiguration
        if let config {
            configuration = try CrawlConfiguration(contentsOf: config)
        } else if urls.isEmpty {
            configuration = try usual()
        } else {
            configuration = CrawlConfiguration()
        }
        // A one-off crawl has flags, and a file only when it names one.
        if !urls.isEmpty { configuration.messages.settings = config == nil ? .flag : .both }
        try overrides.apply(to: &configuration)
        if let seeds { configuration.seedsPath = seeds }
        return configuration
    }

    /// The job's configuration where none was named.
    private func usual() throws -> CrawlConfiguration {
        let name = "crawl-config.yaml"
        guard FileManager.default.fileExists(atPath: name) else {
            throw ConfigurationError(
                file: name,
                problem:
                    "is not in \(FileManager.default.currentDirectoryPath); give URLs for a one-off crawl, or --config")
        }
        return try CrawlConfiguration(contentsOf: name)
    }

    private func seedList(_ configuration: CrawlConfiguration) throws -> [Seed] {
        guard urls.isEmpty else { return try urls.map { try Seeds.seed($0) } }
        guard configuration.seedsPath == "-" || FileManager.default.fileExists(atPath: configuration.seedsPath) else {
            throw ConfigurationError(
                file: configuration.seedsPath,
                problem:
                    "there is no such file; write the URL of a page to begin with on each line, or give --seeds or URLs"
            )
        }
        let list = try Seeds.read(contentsOf: configuration.seedsPath)
        guard !list.isEmpty else {
            throw ConfigurationError(
                file: configuration.seedsPath, problem: "holds no seed; write the URL of a page to begin with on a line"
            )
        }
        return list
    }

    private func output(_ configuration: CrawlConfiguration) -> CrawlJob.Output {
        if let out { return out == "-" ? .standardOutput : .file(out) }
        guard urls.isEmpty else { return .standardOutput }
        return .file(configuration.output.recordsPath(storage: storage ?? configuration.storagePath))
    }

    private func reportFolder(_ configuration: CrawlConfiguration) -> String? {
        report ?? (urls.isEmpty ? configuration.output.reportPath : nil)
    }

    /// A one-off crawl keeps nothing unless it is told where.
    private func storageFolder(_ configuration: CrawlConfiguration) -> String? {
        storage ?? (urls.isEmpty ? configuration.storagePath : nil)
    }
}

/// The keys of the configuration that have a flag.
struct ConfigurationOverrides: ParsableArguments {
    @Option(help: "URL or mail address where a site's owner reaches you (agent.contact).")
    var contact: String?

    @Option(help: "How far links are followed: page, host, domain or any (scope.follow).")
    var follow: CrawlConfiguration.Scope.Follow?

    @Option(name: .customLong("max-pages"), help: "Pages to visit at most (scope.max_pages).")
    var maximumPages: String?

    @Option(name: .customLong("max-depth"), help: "Links from a seed at most (scope.max_depth).")
    var maximumDepth: String?

    @Option(help: "Pause between two requests to one host, such as 2s (politeness.delay).")
    var delay: String?

    @Option(help: "Visits in flight (fetch.concurrency).")
    var concurrency: String?

    @Option(help: "Which pages give a record: deep-linked or all (records).")
    var records: CrawlConfiguration.RecordSelection?

    @Option(
        name: .customLong("app-lookup"),
        help: "File of replies of the App Store's lookup API, which ties App Store IDs to bundle IDs (app_lookup).")
    var appLookupPath: String?

    @Flag(name: .customLong("allow-private-networks"), help: "Loopback and private addresses may be visited.")
    var allowPrivateNetworks = false

    @Option(name: .customLong("ca-file"), help: "PEM file of an authority trusted beside the system's (fetch.ca_file).")
    var certificateAuthorityPath: String?

    @Option(help: "File that a line is appended to for every visit (output.log).")
    var log: String?

    @Option(help: "Folder of WARC files that keep every exchange (output.warc).")
    var warc: String?

    @Option(help: "File for the end report as JSON (output.summary).")
    var summary: String?

    @Option(help: "File of counters for Prometheus (output.metrics).")
    var metrics: String?

    @Option(name: .customLong("metrics-port"), help: "Port on this machine for /metrics (output.metrics_port).")
    var metricsPort: String?

    @Option(name: .customLong("log-format"), help: "How standard error is written: text or json (log_format).")
    var logFormat: CrawlConfiguration.Messages.Format?

    @Option(
        name: .customLong("log-level"),
        help: "The least of the messages to show: debug, info, notice, warning or error (log_level).")
    var logLevel: CrawlConfiguration.Messages.Level?

    /// Flags pass through the same reading as the file, so that the same values are wrong in both.
    func apply(to configuration: inout CrawlConfiguration) throws {
        if let contact {
            try configuration.take(\.agent.contact, key: "agent.contact", value: contact, flag: "--contact")
        }
        if let maximumPages {
            try configuration.take(
                \.scope.maximumPages, key: "scope.max_pages", value: maximumPages, flag: "--max-pages")
        }
        if let maximumDepth {
            try configuration.take(
                \.scope.maximumDepth, key: "scope.max_depth", value: maximumDepth, flag: "--max-depth")
        }
        if let delay {
            try configuration.take(\.politeness.delay, key: "politeness.delay", value: delay, flag: "--delay")
        }
        if let concurrency {
            try configuration.take(
                \.fetch.concurrency, key: "fetch.concurrency", value: concurrency, flag: "--concurrency")
        }
        if let metricsPort {
            try configuration.take(
                \.output.metricsPort, key: "output.metrics_port", value: metricsPort, flag: "--metrics-port")
        }
        if let log { configuration.output.logPath = log }
        if let warc { configuration.output.archivePath = warc }
        if let summary { configuration.output.summaryPath = summary }
        if let metrics { configuration.output.metricsPath = metrics }
        if let logFormat { configuration.messages.format = logFormat }
        if let logLevel { configuration.messages.level = logLevel }
        if let follow { configuration.scope.follow = follow }
        if let records { configuration.records = records }
        if let appLookupPath { configuration.appLookupPath = appLookupPath }
        if allowPrivateNetworks { configuration.fetch.allowPrivateNetworks = true }
        if let certificateAuthorityPath { configuration.fetch.certificateAuthorityPath = certificateAuthorityPath }
    }
}

extension CrawlConfiguration.Scope.Follow: ExpressibleByArgument {}
extension CrawlConfiguration.RecordSelection: ExpressibleByArgument {}
extension CrawlConfiguration.Messages.Format: ExpressibleByArgument {}
extension CrawlConfiguration.Messages.Level: ExpressibleByArgument {}
