import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinRender
import PippinReport
import PippinServe
import PippinStore

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Shows search, records, report cards and the crawl in a browser.",
        discussion: """
            It listens on this machine only. Another address needs a token, which programs send in Authorization: Bearer, and \
            people type once in a form. It only reads the storage, and may run while a crawl does. The API is described at \
            /openapi.json, counters for Prometheus are at /metrics. A job in shards is shown as a whole, without a site report.

            Examples:
              pippin serve                  # at http://127.0.0.1:8470/
              pippin serve --storage crawl-data --port 9000
              pippin serve --host 0.0.0.0 --name search.example.org --token-file token.txt

            Exit status: 0 ended by Ctrl-C, 2 usage or configuration, 6 there is no storage, or it cannot be read.
            """)

    @OptionGroup var place: StoragePlace

    @Option(help: "Port; 0 takes a free one.")
    var port = WebSettings.usualPort

    @Option(help: "Address to listen on. Other machines reach it unless it is a loopback address.")
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "A name of this server, as in the address bar; repeatable. Requests for other names are refused.",
            valueName: "name"))
    var name: [String] = []

    @Option(
        help: ArgumentHelp(
            "IP address of a proxy before this server; repeatable. Its X-Forwarded-For says whose a request is, and it may have all connections.",
            valueName: "address"))
    var proxy: [String] = []

    @Option(
        help: "Connections at once, of each address of another machine half. One more closes one that does nothing.")
    var connections = 256

    @Option(help: "File with the token that gives access; or the environment variable PIPPIN_TOKEN.")
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "File of keys that may only search, one a line, each with expires=DAY and filter=FILTERS if wanted.",
            valueName: "file"))
    var keysFile: String?

    @Option(
        help: ArgumentHelp(
            "Origin whose pages may use the API in a browser, such as https://app.example; repeatable.",
            valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        help: "File of clicks: what people open is added, and moves up in later results. Without it nothing is kept.")
    var clicks: String?

    @Option(help: "File of words that mean the same, a line each: courgette, zucchini. Read once, at the start.")
    var synonyms: String?

    @Flag(
        inversion: .prefixedNo, help: "Show the pictures that records name. The server fetches them, as a crawl would.")
    var pictures = true

    @Flag(
        name: .customLong("screenshots"),
        help: "Show in report cards what a phone shows of the page without its scripts and with them.")
    var takesScreenshots = false

    private static let tokenVariable = "PIPPIN_TOKEN"

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be between 0 and 65535, not \(port).")
        }
        // For each new connection beyond them, all are looked at.
        guard (8...4_096).contains(connections) else {
            throw ValidationError("--connections must be between 8 and 4096, not \(connections).")
        }
        for name in name where name.isEmpty || name.contains(where: { $0 == "/" || $0 == ":" || $0.isWhitespace }) {
            throw ValidationError("--name must be a host name without scheme and port, not \(name).")
        }
    }

    func run() async throws {
        let configuration = try place.requestConfiguration()
        var settings = WebSettings(storage: try place.searchedFolder())
        if takesScreenshots, !configuration.rendersPages(with: []) {
            throw ConfigurationError(
                file: "--screenshots", problem: "is for rendered pages; set render.mode to auto or always")
        }
        settings.takeJob(configuration, takesScreenshots: takesScreenshots)
        settings.hasConfiguration = try place.configuration() != nil
        // A folder that someone has named may be misspelled. That of a job comes with its first run.
        settings.awaitsStorage = place.storage == nil
        settings.host = host
        settings.port = port
        settings.names = name
        settings.proxies = proxy
        settings.maximumConnections = connections
        settings.token = try token()
        settings.keys = try keysFile.map { path in
            try OperatorFile(path, otherwise: .none) { try SearchKeys(InputFile.secret(at: $0), source: $0) }
        }
        settings.allowedOrigins = try AllowedOrigins(allowOrigin)
        if pictures { await settings.takeScaler(configuration) } else { settings.fetchPicture = nil }
        settings.clicks = clicks.map { URL(filePath: $0) }
        settings.synonyms = try synonyms.map { try OperatorFile($0) { try SearchSynonyms(contentsOf: $0) } }
        try await settings.serveUntilInterrupted()
    }

    private func token() throws -> AccessToken? {
        if let tokenFile { return try AccessToken(InputFile.secret(at: tokenFile), source: tokenFile) }
        return try ProcessInfo.processInfo.environment[Self.tokenVariable].map {
            try AccessToken($0, source: Self.tokenVariable)
        }
    }
}

extension WebSettings {
    /// Takes the settings of a job: how pages are fetched for report cards, and what settings are called.
    mutating func takeJob(_ configuration: CrawlConfiguration, takesScreenshots: Bool = false) {
        self.configuration = configuration
        // A server has no flags for them.
        self.configuration.messages.settings = .key
        let maker = CardMaker(self.configuration, takesScreenshots: takesScreenshots)
        makeCard = { try await maker.card(of: $0) }
        fetchRobots = { try await maker.robots(of: $0) }
        fetchAssociations = { try await maker.associations(of: $0) }
        let pictures = PictureFetcher(self.configuration)
        fetchPicture = { await pictures.bytes(at: $0, maximumBytes: $1) }
    }

    /// Takes the program that scales pictures, or says why there is none.
    mutating func takeScaler(_ configuration: CrawlConfiguration) async {
        do throws(ProgramMissing) {
            var settings = ThumbnailMaker.Settings()
            settings.user = configuration.render.user
            let maker = try ThumbnailMaker(settings)
            if let missing = await maker.problem() { throw missing }
            scalePicture = { await maker.thumbnail(of: $0, side: $1) }
        } catch {
            writeError("pippin: pictures are shown as they are, and large ones not at all: \(error)")
        }
    }

    /// Serves until the first Ctrl-C, and then until the requests in flight are answered.
    func serveUntilInterrupted() async throws {
        var settings = self
        settings.report = { writeError("pippin: \($0)") }
        let shownHost = host.contains(":") ? "[\(host)]" : host
        // Before anybody can know that it serves: whoever reads the line may stop it at once.
        let interrupt = Interrupt()
        let signals = InterruptSignals(first: { interrupt.come() }, later: { interrupt.come() })
        defer { signals.end() }
        try await WebServer(settings).withServer { port in
            // Written at once, because programs may wait for it in a file or a pipe.
            try StandardOutput.write("Serving at http://\(shownHost):\(port)/ until Ctrl-C.\n")
            await interrupt.wait()
        }
    }
}

/// Makes the report cards of `pippin serve`: as `pippin validate` does, with the settings of the job's configuration.
///
/// It remembers which hosts were asked when, so that the pauses between two requests to a host hold from one card to the next.
/// The server asks for one card after the other.
actor CardMaker {
    private let configuration: CrawlConfiguration
    private let takesScreenshots: Bool
    private var session = VisitSession()

    /// The largest page, in decoded bytes. Applebot reads less of a page, and whoever checks one waits for it.
    private static let maximumBodyBytes = 8 << 20
    /// The longest that a page is open in the browser. A card has a minute.
    private static let renderTimeout = Duration.seconds(30)
    /// The same where screenshots need their time.
    private static let renderTimeoutBesideScreenshots = Duration.seconds(20)

    /// - Parameter takesScreenshots: whether cards have screenshots of rendered pages.
    init(_ configuration: CrawlConfiguration, takesScreenshots: Bool = false) {
        var configuration = configuration
        configuration.fetch.maximumBodyBytes = min(configuration.fetch.maximumBodyBytes, Self.maximumBodyBytes)
        configuration.render.timeout = min(
            configuration.render.timeout,
            takesScreenshots ? Self.renderTimeoutBesideScreenshots : Self.renderTimeout)
        self.takesScreenshots = takesScreenshots
        // Everyone who reaches the server can ask for a card of any page: the operator's passwords and signatures are not for them.
        configuration.forgetIdentity()
        self.configuration = configuration
    }

    func card(of url: WebURL) async throws -> ReportCard {
        // It starts if the page is rendered, and ends with its card: the next one may come tomorrow.
        let browser =
            configuration.rendersPages(with: [])
            ? Chromium(configuration.render, as: configuration.agent, takesScreenshots: takesScreenshots) : nil
        do {
            let card = try await card(of: url, in: browser)
            await browser?.shutdown()
            return card
        } catch {
            await browser?.shutdown()
            throw error
        }
    }

    /// - Parameter browser: runs the scripts of pages that the job wants rendered; nil if it wants none.
    func card(of url: WebURL, in browser: (any Renderer)?) async throws -> ReportCard {
        let visit: ValidatedVisit
        do {
            var session = session
            visit = try await ValidatedVisit(
                url, apps: [], configuration: configuration, in: &session, browser: browser
            ) { _ in }
            self.session = session
        } catch let failure as RequestFailure {
            throw refusal(failure)
        }
        return visit.card(ReportCard.Options())
    }

    private func refusal(_ failure: RequestFailure) -> FetchRefusal {
        FetchRefusal("\(failure.explanation(configuration.messages.settings)).")
    }

    /// The robots.txt of a URL's host.
    func robots(of url: WebURL) async throws -> RobotsLookUp {
        try await fetching { try await $0.robots(of: url) }
    }

    /// The association files of a URL's host.
    func associations(of url: WebURL) async throws -> HostAssociations {
        try await fetching { single in
            // Without its rules, nothing of the host may be asked for.
            if case .failure(let failure) = await single.rules(of: url) { throw failure }
            return try await single.hostAssociations(of: url)
        }
    }

    private func fetching<Answer: Sendable>(
        _ work: @Sendable (inout SingleFetch) async throws -> Answer
    ) async throws -> Answer {
        var session = session
        defer { self.session = session }
        do {
            return try await session.fetching(configuration, work)
        } catch let failure as RequestFailure {
            throw refusal(failure)
        }
    }
}
