import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinServe
import PippinStore

struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Receives from sites which of their pages have changed (IndexNow).",
        discussion: """
            Sites send GET /indexnow?url=URL&key=KEY, or POST /indexnow with JSON. Pages that the job visits wait in its storage for the next \
            run of pippin crawl, if the site has the key in a file of its own; a run may take place meanwhile. It listens on this machine \
            only: put a server with a certificate before it, and say so with --name and --proxy.

            Examples:
              pippin notify                 # at http://127.0.0.1:8471/
              pippin notify --name ping.example.org --proxy 127.0.0.1
              pippin notify --config jobs/news.yaml --port 9001

            Exit status: 0 ended by Ctrl-C, 2 usage or configuration, 6 the storage cannot be written.
            """)

    @OptionGroup var place: StoragePlace

    @Option(help: "Seeds file, in place of the configuration's.")
    var seeds: String?

    @Option(help: "Port; 0 takes a free one.")
    var port = 8471

    @Option(help: "Address to listen on. Other machines reach it unless it is a loopback address.")
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "A name of this server, as sites write it; repeatable. Requests for other names are refused.",
            valueName: "name"))
    var name: [String] = []

    @Option(
        help: ArgumentHelp(
            "IP address of a proxy before this server; repeatable. Its X-Forwarded-For says whose a request is.",
            valueName: "address"))
    var proxy: [String] = []

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be between 0 and 65535, not \(port).")
        }
        for name in name where name.isEmpty || name.contains(where: { $0 == "/" || $0 == ":" || $0.isWhitespace }) {
            throw ValidationError("--name must be a host name without scheme and port, not \(name).")
        }
    }

    func run() async throws {
        let folder = try JobStorages.whole(place.folder()) { _ in
            "Its URLs belong to its shards, and only their driver hands them out."
        }
        guard let configuration = try place.configuration() else {
            throw CrawlConfiguration.missing("; the job's configuration says which pages it visits: give --config")
        }
        let path = seeds ?? configuration.seedsPath
        let list = try Seeds.read(contentsOf: path)
        guard !list.isEmpty else {
            throw ConfigurationError(file: path, problem: "names no seed; pages of a job are those of its seeds")
        }
        let scope = CrawlScope(configuration, seeds: list)
        let refusal: @Sendable (WebURL) -> CrawlScope.Refusal? = { url in
            if case .failure(let refusal) = scope.request(forChanged: url, at: Date()) { refusal } else { nil }
        }
        let fetcher = try await KeyFetcher(configuration, refusal: refusal)
        var settings = WebSettings(storage: folder)
        settings.configuration = configuration
        settings.host = host
        settings.port = port
        settings.names = name
        settings.proxies = proxy
        // Each may be sending a ping of a megabyte.
        settings.maximumConnections = 64
        settings.pings = PingSettings(
            inbox: PingInbox(folder), refusal: refusal, fetchKey: { await fetcher.answer(to: $0) })
        try await settings.serveUntilInterrupted()
    }
}
