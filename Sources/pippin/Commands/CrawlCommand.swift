import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage

struct CrawlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crawl",
        abstract: "Visits pages politely and writes deep-link records.",
        discussion: """
            With URLs: a one-off crawl from them; records go to standard output as NDJSON, no state is kept. \
            Without: the job of crawl-config.yaml and seeds.txt; records go to the file it names, state to its storage folder.

            --again visits known URLs of the job that are not due: URLs, patterns such as 'https://example.org/a/*' or '*/a/*', hosts, '*.' and a domain \
            for the hosts below it; without any, all. What a run does not come to stays due. --changed-configuration does so with those that \
            the configuration refused at their last visit (scope, contact, private networks), as the first run after a change does by itself.

            Examples:
              pippin crawl https://example.org/app/ --max-pages 50 > records.ndjson
              pippin crawl https://example.org/page --max-pages 1      # one page
              pippin crawl https://example.org/ --report report        # what to fix
              pippin crawl https://example.org/ --include '*/docs/*' --exclude '*.pdf'
              pippin crawl                                             # the job
              pippin crawl --config jobs/news.yaml --seeds jobs/news-seeds.txt
              pippin crawl --check            # what the job would do with its seeds
              pippin crawl --again shop.example.org   # now, whenever it is due

            Give --contact you@example.org, or set PIPPIN_CONTACT, for public hosts.

            The first Ctrl-C lets what is in flight finish, the second stops at once.

            Exit status: 0 done, 2 usage or configuration, 3 some seeds failed, 4 a limit was reached, 5 interrupted, \
            6 disk or database trouble, 7 another run holds the storage or writes one of the output files.
            """)

    @Argument(help: "Where a one-off crawl starts; with --again, what is visited again.")
    var urls: [String] = []

    @Option(name: .config, help: "Configuration file; without URLs crawl-config.yaml is read.")
    var config: String?

    @Option(help: "Seeds file, in place of the configuration's.")
    var seeds: String?

    @Option(name: .out, help: "File for the records, in place of standard output or the configuration's.")
    var out: String?

    @Option(name: .storage, help: "Folder for what is remembered between runs.")
    var storage: String?

    @Option(name: .report, help: "Folder for a report of the whole crawl, index.html and report.json (output.report).")
    var report: String?

    @OptionGroup(title: "In place of the configuration's")
    var overrides: ConfigurationOverrides

    @Flag(help: "Visit known URLs of the job now, whenever they are due.")
    var again = false

    @Flag(help: "Visit again what the configuration refused at its last visit.")
    var changedConfiguration = false

    @Flag(name: .quiet, help: "Only errors on standard error: no progress, no summary.")
    var quiet = false

    @Flag(
        help: """
            Visit no page and write nothing: read configuration and seeds, ask each host's robots.txt and association files, \
            and say what a run would do.
            """)
    var check = false

    func run() async throws {
        var messages = CrawlConfiguration.Messages()
        messages.format = overrides.logFormat ?? messages.format
        let configuration = try await Console(messages).reporting { try settings() }
        if check {
            let isComplete = try await Console(configuration.messages).reporting {
                try await CrawlCheck(
                    configuration: configuration, seeds: seedList(configuration),
                    storageFolder: isOneOff ? storage : configuration.storagePath, again: visitsAgain()
                ).run()
            }
            if !isComplete { throw ExitCode(.unavailable) }
            return
        }
        let status = try await Console(configuration.messages).reporting { try await job(configuration).run() }
        if status != .done { throw ExitCode(status) }
    }

    /// The configuration, with the flags in place of its values.
    private func settings() throws -> CrawlConfiguration {
        var configuration: CrawlConfiguration
        if !isOneOff {
            guard let ofJob = try CrawlConfiguration.ofJob(config) else {
                throw CrawlConfiguration.missing("; give URLs for a one-off crawl, or --config")
            }
            configuration = ofJob
        } else {
            // A one-off crawl has flags, and a configuration file only with `--config`. It writes files only where flags or
            // that file say so.
            configuration = try config.map { try CrawlConfiguration(contentsOf: $0) } ?? CrawlConfiguration()
            configuration.messages.settings = config == nil ? .flag : .both
            configuration.output.reportPath = nil
        }
        try overrides.lay(over: &configuration)
        configuration.lay(seeds, over: \.seedsPath)
        configuration.lay(out, over: \.output.ndjsonPath)
        configuration.lay(storage, over: \.storagePath)
        configuration.lay(report, over: \.output.reportPath)
        return configuration
    }

    private func job(_ configuration: CrawlConfiguration) throws -> CrawlJob {
        let isToStandardOutput = out == "-" || (isOneOff && out == nil)
        return CrawlJob(
            configuration: configuration, seeds: try seedList(configuration),
            output: isToStandardOutput
                ? .standardOutput : .file(configuration.output.recordsPath(storage: configuration.storagePath)),
            storageFolder: isOneOff ? storage : configuration.storagePath, again: try visitsAgain(), isQuiet: quiet)
    }

    /// URLs start a one-off crawl, unless they say what of a job is visited again.
    private var isOneOff: Bool { !urls.isEmpty && !again && !changedConfiguration }

    private func visitsAgain() throws -> VisitsAgain? {
        guard again || changedConfiguration else { return nil }
        return try VisitsAgain(urls, isOfSettings: changedConfiguration)
    }

    private func seedList(_ configuration: CrawlConfiguration) throws -> [Seed] {
        if isOneOff { return try urls.map { try Seeds.seed($0) } }
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
}

/// The keys of the configuration that have a flag.
struct ConfigurationOverrides: ParsableArguments {
    @Option(help: "URL or mail address where a site's owner reaches you (agent.contact). Or set PIPPIN_CONTACT.")
    var contact: String?

    @Option(help: "What the crawl is for: search, answers or training; pages may refuse one of them (purpose).")
    var purpose: CrawlPurpose?

    @Option(help: "How far links are followed: page, host, domain or any (scope.follow).")
    var follow: CrawlConfiguration.Scope.Follow?

    @Option(
        help: ArgumentHelp(
            "Visit only URLs that match; * is any text, ? one character. Repeat it for more (scope.include).",
            valueName: "pattern"))
    var include: [String] = []

    @Option(
        help: ArgumentHelp("Leave out URLs that match. Repeat it for more (scope.exclude).", valueName: "pattern"))
    var exclude: [String] = []

    @Option(name: .maximumPages, help: "Pages to visit at most (scope.max_pages).")
    var maximumPages: String?

    @Option(name: .customLong("max-depth"), help: "Links from a seed at most (scope.max_depth).")
    var maximumDepth: String?

    @Option(help: "Pause between two requests to one host, such as 2s (politeness.delay).")
    var delay: String?

    @Option(help: "Visits in flight (fetch.concurrency).")
    var concurrency: String?

    @Option(help: "Which pages are rendered: never, auto or always (render.mode).")
    var render: RenderSettings.Mode?

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

    @Option(
        name: .customLong("credentials"),
        help: "File of passwords and header fields for hosts of your own, and for the proxy (fetch.credentials).")
    var credentialsPath: String?

    @Option(help: "HTTP proxy for all requests, such as http://proxy.example.org:3128 (fetch.proxy).")
    var proxy: String?

    @Option(help: "File that a line is appended to for every visit (output.log).")
    var log: String?

    @Option(help: "Folder of WARC files that keep every exchange (output.warc).")
    var warc: String?

    @Flag(
        name: .customLong("search-index"),
        help: "Keep the text of pages, and feed the index of pippin search during the crawl (output.search_index).")
    var feedsSearchIndex = false

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

    func lay(over configuration: inout CrawlConfiguration) throws {
        // Numbers and durations are parsed as in the file, so that the same values are wrong in both.
        try configuration.takeContact(contact)
        try configuration.take(maximumPages, over: \.scope.maximumPages, key: "scope.max_pages", flag: "--max-pages")
        try configuration.take(maximumDepth, over: \.scope.maximumDepth, key: "scope.max_depth", flag: "--max-depth")
        try configuration.take(delay, over: \.politeness.delay, key: "politeness.delay", flag: "--delay")
        try configuration.take(
            concurrency, over: \.fetch.concurrency, key: "fetch.concurrency", flag: "--concurrency")
        try configuration.take(
            metricsPort, over: \.output.metricsPort, key: "output.metrics_port", flag: "--metrics-port")
        configuration.lay(log, over: \.output.logPath)
        configuration.lay(warc, over: \.output.archivePath)
        configuration.lay(feedsSearchIndex ? true : nil, over: \.output.hasSearchIndex)
        configuration.lay(summary, over: \.output.summaryPath)
        configuration.lay(metrics, over: \.output.metricsPath)
        configuration.lay(logFormat, over: \.messages.format)
        configuration.lay(logLevel, over: \.messages.level)
        configuration.lay(purpose, over: \.purpose)
        configuration.lay(follow, over: \.scope.follow)
        configuration.lay(include.isEmpty ? nil : include, over: \.scope.include)
        configuration.lay(exclude.isEmpty ? nil : exclude, over: \.scope.exclude)
        configuration.lay(render, over: \.render.mode)
        configuration.lay(records, over: \.records)
        configuration.lay(appLookupPath, over: \.appLookupPath)
        configuration.lay(allowPrivateNetworks ? true : nil, over: \.fetch.allowPrivateNetworks)
        configuration.lay(certificateAuthorityPath, over: \.fetch.certificateAuthorityPath)
        configuration.lay(credentialsPath, over: \.fetch.credentialsPath)
        try configuration.take(proxy, over: \.fetch.proxy, key: "fetch.proxy", flag: "--proxy")
    }
}

extension CrawlPurpose: ExpressibleByArgument {}
extension CrawlConfiguration.Scope.Follow: ExpressibleByArgument {}
extension CrawlConfiguration.RecordSelection: ExpressibleByArgument {}
extension CrawlConfiguration.Messages.Format: ExpressibleByArgument {}
extension CrawlConfiguration.Messages.Level: ExpressibleByArgument {}

extension RenderSettings.Mode: ExpressibleByArgument {}
