import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinServe

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Serves the demo site on this machine: several hosts, over HTTPS with an authority of its own.",
        discussion: """
            The folder it writes (pippin-demo) holds the authority's certificate, and a configuration and seeds for a crawl.

            Examples:
              pippin demo                 # serve until Ctrl-C; it prints the commands to try
              pippin demo --crawl         # serve, crawl it, show the records, end
              pippin demo --crawl --report demo-report   # and write what is to mend there
            """)

    @Flag(help: "Crawl the site, show the records, and end.")
    var crawl = false

    @Option(help: "With --crawl: folder for a report of the whole site.")
    var report: String?

    @Option(help: "HTTPS port; 0 takes a free one.")
    var port = 8443

    @Option(name: .customLong("http-port"), help: "Port that redirects to HTTPS; 0 takes a free one.")
    var plainPort = 8080

    @Option(help: "The site's files.")
    var site = "Examples/demo-site"

    @Option(help: "Folder for certificates, configuration and records.")
    var folder = "pippin-demo"

    /// A crawl of what only a whole site shows: `pippin crawl --config … --seeds pippin-demo/seeds-checks.txt`.
    private static let checkSeeds = "seeds-checks.txt"

    func run() async throws {
        let exitCode = try await CrawlJob.reportingTrouble {
            let site = try DemoSite(folder: URL(filePath: site))
            let folder = URL(filePath: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let certificates = try DemoCertificates(
                hosts: site.hostNames.map(DemoSite.localName) + ["localhost"], folder: folder)
            let server = DemoServer(
                site: site, certificates: certificates,
                // A one-off crawl must not fail because the usual ports are taken.
                ports: DemoPorts(secure: crawl ? 0 : port, plain: crawl ? 0 : plainPort))
            return try await server.withServer { ports in
                let configuration = try writeJob(in: folder, site: site, ports: ports)
                return try await crawl
                    ? crawlAndShow(configuration) : serveUntilInterrupted(site, ports, configuration)
            }
        }
        if exitCode != ExitCode(0) { throw exitCode }
    }

    /// What the site's `seeds.txt` says; without one every host is a seed.
    private func seeds(of site: DemoSite) throws -> String {
        try text("seeds.txt") ?? site.hostNames.map { "https://\($0)/\n" }.joined()
    }

    /// A file of the site's folder; nil where it has none.
    private func text(_ name: String) throws -> String? {
        let file = URL(filePath: self.site).appending(path: name)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The configuration and seeds of a crawl of the site as it is served now, and seeds of one of the checks' pages.
    private func writeJob(in folder: URL, site: DemoSite, ports: DemoPorts) throws -> URL {
        let lists = [("seeds.txt", try seeds(of: site)), (Self.checkSeeds, try text(Self.checkSeeds))]
        for case (let name, let seeds?) in lists {
            try Data(site.localized(seeds, ports: ports).utf8).write(to: folder.appending(path: name))
        }
        let configuration = folder.appending(path: "crawl-config.yaml")
        try Data(
            """
            # A crawl of the demo site on this machine, where nobody minds a short delay.
            agent: { contact: "https://example.org/bot" }
            seeds: seeds.txt
            politeness: { delay: 20ms }
            fetch: { allow_private_networks: true, ca_file: ca.pem, retries: 1, retry_delay: 100ms, max_wait: 5s }
            storage: storage
            output: { ndjson: records.ndjson }

            """.utf8
        ).write(to: configuration)
        return configuration
    }

    private func crawlAndShow(_ file: URL) async throws -> ExitCode {
        let configuration = try CrawlConfiguration(contentsOf: file.path)
        let output = configuration.output.ndjsonPath ?? folder + "/records.ndjson"
        let ending = try await CrawlJob(
            configuration: configuration, seeds: try Seeds.read(contentsOf: configuration.seedsPath),
            output: .file(output), reportFolder: report
        ).run(storage: configuration.storagePath, isQuiet: false)
        for card in try RecordCard.cards(ofNDJSON: output) { print(card.text, terminator: "\n\n") }
        print("The records, one JSON object a line, are in \(output).")
        // One seed of the demo stands on a host whose robots.txt cannot be had: that it fails is part of the show.
        return ending == .seedsFailed ? ExitCode(0) : ending.exitCode
    }

    private func serveUntilInterrupted(_ site: DemoSite, _ ports: DemoPorts, _ configuration: URL) async throws
        -> ExitCode
    {
        // At once, for whoever waits for it in a file or a pipe.
        let names = site.hostNames.filter { !DemoSite.isForChecks($0) }
        let hosts = names.map { "  \(ports.secureOrigin(of: $0))/\n" }.joined()
        let first = ports.secureOrigin(of: names.first ?? "localhost")
        let checks = "\(ports.secureOrigin(of: DemoSite.checksHost))/"
        try StandardOutput.write(
            """
            The demo site is served until Ctrl-C:
            \(hosts)A failing and a passing page for each check of pippin validate:
              \(checks)
            Try:
              pippin crawl --config \(configuration.path)
              pippin crawl \(first)/ --max-pages 5 --allow-private-networks --ca-file \(folder)/ca.pem
              pippin validate \(checks)L04-fails.html --allow-private-networks --ca-file \(folder)/ca.pem
              curl --cacert \(folder)/ca.pem \(first)/robots.txt

            """)
        let (interrupts, continuation) = AsyncStream<Void>.makeStream()
        let signals = InterruptSignals(first: { continuation.yield() }, second: { continuation.yield() })
        defer { signals.end() }
        for await _ in interrupts { break }
        return ExitCode(0)
    }
}
