import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinServe
import PippinStore

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Serves the demo site on this machine: several hosts, over HTTPS with an authority of its own.",
        discussion: """
            The folder it writes (pippin-demo) holds the authority's certificate, and a configuration and seeds for a crawl. It is \
            served at the same ports again where they are free, so that a second crawl comes back to what the first has found. \
            Pages may be edited while it runs; a new host or a change of seeds.txt needs a new start.

            Examples:
              pippin demo             # serve until Ctrl-C; prints commands to try
              pippin demo --crawl     # serve, crawl it, show the records, end
              pippin demo --crawl --report demo-report   # and write what is to fix there
              pippin demo --serve     # serve, crawl, and show it all in a browser
            """)

    @Flag(help: "Crawl the site, show the records, and end.")
    var crawl = false

    @Flag(help: "Crawl the site, and show search, report cards and the crawl in a browser, as pippin serve does.")
    var serve = false

    @Option(
        name: .report,
        help: "With --crawl or --serve: folder for a report of the whole site. With --serve there is always one.")
    var report: String?

    @Option(help: "With --serve: port of the pages; 0 takes a free one. Without it 8470, if that is free.")
    var servePort: Int?

    @Option(help: "HTTPS port; 0 takes a free one. Without it the last demo's, or 8443.")
    var port: Int?

    @Option(
        name: .customLong("http-port"),
        help: "Port that redirects to HTTPS; 0 takes a free one. Without it the last demo's, or 8080.")
    var plainPort: Int?

    @Option(help: "The site's files. Without it Examples/demo-site, or those installed with pippin.")
    var site: String?

    @Option(help: "Folder for certificates, configuration and records.")
    var folder = "pippin-demo"

    /// Seeds for a crawl that shows the checks of whole sites: `pippin crawl --config … --seeds
    /// pippin-demo/seeds-checks.txt`.
    private static let checkSeeds = "seeds-checks.txt"
    /// The seed of the page that only scripts make.
    private static let renderedSeeds = "seeds-rendered.txt"
    /// The seed of the host that admits only signed requests.
    private static let signedSeeds = "seeds-signed.txt"

    func validate() throws {
        guard !(crawl && serve) else { throw ValidationError("--serve crawls too: leave out --crawl.") }
        guard serve || servePort == nil else { throw ValidationError("--serve-port needs --serve.") }
        for (flag, port) in [("--port", port), ("--http-port", plainPort), ("--serve-port", servePort)] {
            guard let port, !(0...65_535).contains(port) else { continue }
            throw ValidationError("\(flag) must be between 0 and 65535, not \(port).")
        }
    }

    func run() async throws {
        // Before the site is crawled, which takes a while.
        if serve, let servePort, servePort != 0, !DemoFolder.isFree(servePort) {
            throw ReportedFailure(
                "port \(servePort) of this machine is taken; another one: --serve-port \(servePort + 1)", .usage)
        }
        let site = try DemoSite(folder: siteFolder)
        let folder = try DemoFolder(URL(filePath: folder))
        let certificates = try DemoCertificates(
            hosts: site.hostNames.map(DemoSite.localName) + ["localhost"], folder: folder.url)
        let server = DemoServer(
            site: site, certificates: certificates, ports: folder.ports(secure: port, plain: plainPort),
            bot: DemoBot(key: try folder.signingKey()))
        let lists = try seedLists(of: site)
        let status = try await server.withServer { ports in
            if try folder.take(ports) {
                writeError(
                    "The ports of the last demo are taken. At others this is another site: what was remembered of it is gone."
                )
            }
            let configuration = try folder.writeJob(site: site, ports: ports, lists: lists)
            if crawl {
                let status = try await crawlAndShow(configuration)
                try StandardOutput.write(
                    "\nSearch them in a browser:\n  pippin serve --config \(configuration.relativePath)\n")
                return status
            }
            if serve { return try await serveAndCrawl(folder, configuration) }
            try await serveUntilInterrupted(site, ports, configuration)
            return .done
        }
        if status != .done { throw ExitCode(status) }
    }

    /// The folder of the site's files: the wanted one, that of a checkout, or the one beside an installed program
    /// (`PREFIX/bin/pippin` and `PREFIX/share/pippin/demo-site`).
    private var siteFolder: URL {
        if let site { return URL(filePath: site) }
        let ofCheckout = URL(filePath: "Examples/demo-site")
        let installed = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "share/pippin/demo-site")
        let isThere = { (folder: URL) in FileManager.default.fileExists(atPath: folder.path) }
        return !isThere(ofCheckout) && isThere(installed) ? installed : ofCheckout
    }

    private func seedLists(of site: DemoSite) throws -> [(name: String, text: String)] {
        var lists = [("seeds.txt", try seeds(of: site))]
        for name in [Self.checkSeeds, Self.renderedSeeds, Self.signedSeeds] {
            if let more = try text(name) { lists.append((name, more)) }
        }
        return lists
    }

    /// The text of the site's `seeds.txt`. Without that file every host is a seed.
    private func seeds(of site: DemoSite) throws -> String {
        try text("seeds.txt") ?? site.hostNames.map { "https://\($0)/\n" }.joined()
    }

    /// The text of a file in the site's folder; nil if there is no such file.
    private func text(_ name: String) throws -> String? {
        let file = siteFolder.appending(path: name)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try String(contentsOf: file, encoding: .utf8)
    }

    private func crawlAndShow(_ file: URL) async throws -> ExitStatus {
        var configuration = try CrawlConfiguration(contentsOf: file.path)
        configuration.lay(report, over: \.output.reportPath)
        let output = configuration.output.recordsPath(storage: configuration.storagePath)
        let storage = URL(filePath: configuration.storagePath)
        let before = try CrawlStorage.exists(in: storage) ? ChangeFeed(folder: storage).end() : nil
        let status = try await CrawlJob(
            configuration: configuration, seeds: try Seeds.read(contentsOf: configuration.seedsPath),
            output: .file(output), storageFolder: configuration.storagePath
        ).run()
        let feed = try ChangeFeed(folder: storage)
        let cards = try RecordCard.cards(of: feed)
        for card in cards { try StandardOutput.write(card.text + "\n\n") }
        if let before {
            try StandardOutput.write(
                try changes(in: feed, since: before)
                    + "\nWhat the job knows since the first run: \(Wording.count(cards.count, "record")). Its changes, one JSON object "
                    + "a line,\nare in \(output); pippin export --storage \(configuration.storagePath) writes the records as they are.\n"
            )
        } else {
            try StandardOutput.write(
                "The \(cards.count) records, one JSON object a line, are in \(output).\n"
                    + "The same command once more comes back to what it knows.\n")
        }
        // One of the demo's seeds fails on purpose: the robots.txt of its host cannot be fetched.
        return status == .unavailable ? .done : status
    }

    /// Crawls the site, and serves the pages about it until Ctrl-C.
    private func serveAndCrawl(_ folder: DemoFolder, _ file: URL) async throws -> ExitStatus {
        var configuration = try CrawlConfiguration(contentsOf: file.path)
        configuration.output.reportPath = report ?? folder.url.appending(path: DemoFolder.reportName).path
        let status = try await CrawlJob(
            configuration: configuration, seeds: try Seeds.read(contentsOf: configuration.seedsPath),
            output: .file(configuration.output.recordsPath(storage: configuration.storagePath)),
            storageFolder: configuration.storagePath
        ).run()
        guard status == .done || status == .unavailable else { return status }
        var settings = WebSettings(storage: URL(filePath: configuration.storagePath))
        settings.takeJob(configuration)
        await settings.takeScaler(configuration)
        settings.port = servePort ?? (DemoFolder.isFree(WebSettings.usualPort) ? WebSettings.usualPort : 0)
        try await settings.serveUntilInterrupted()
        return .done
    }

    private func changes(in feed: ChangeFeed, since before: ChangeFeed.Cursor) throws -> String {
        var lines: [String] = []
        try feed.read(since: before) { change in
            let word =
                switch change.kind {
                case .record: "written"
                case .deletion: "deleted"
                case .popularity: "ranked "
                }
            lines.append("  \(word)  \(change.identifier)")
        }
        guard !lines.isEmpty else { return "Nothing has changed since the last run." }
        return (["Since the last run:"] + lines).joined(separator: "\n")
    }

    private func serveUntilInterrupted(_ site: DemoSite, _ ports: DemoPorts, _ configuration: URL) async throws {
        // Before anybody can know that it serves: whoever reads the message may stop it at once.
        let (interrupts, continuation) = AsyncStream<Void>.makeStream()
        let signals = InterruptSignals(first: { continuation.yield() }, later: { continuation.yield() })
        defer { signals.end() }
        // Written at once, because programs may wait for it in a file or a pipe.
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
        for await _ in interrupts { break }
    }
}
