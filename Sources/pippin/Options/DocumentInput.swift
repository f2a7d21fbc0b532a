import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinReport

/// A page or file for a command to examine: a path, `-` for standard input, or a URL, which is fetched as politely as in a
/// crawl.
struct DocumentInput {
    /// The document as an answer to a request.
    let response: FetchResponse
    /// Whether the document was fetched. Then what it links to may be fetched too.
    let wasFetched: Bool

    /// - Parameters:
    ///   - argument: the command's argument.
    ///   - location: the URL where a file was found, from `--url`. A fetched document has its own.
    ///   - usesNetwork: whether a document from a file may ask for more, too.
    ///   - fetched: called with a fetched document, while more requests to its site are possible.
    init(
        _ argument: String, location: String?, purpose: FetchRequest.Purpose, options: FetchOptions,
        usesNetwork: Bool = false, fetched: (DocumentInput, inout SingleFetch) async -> Void = { _, _ in }
    ) async throws {
        let path: String
        switch try InputPlace(argument) {
        case .file(let file): path = file
        case .url(let target):
            self = try await options.fetching(signingFor: NamedSites([target])) { (single: inout SingleFetch) in
                let response = try await single.fetch(target, purpose: purpose).get()
                let document = DocumentInput(response)
                await fetched(document, &single)
                return document
            }
            return
        }
        let found: WebURL
        let bytes = try InputFile.bytes(at: path)
        if let location {
            // A page may be saved from any URL. A sitemap needs an http or https URL, because its location limits which entries
            // count.
            guard let url = WebURL(location), url.isHTTP || purpose != .sitemap else {
                throw ConfigurationError(file: "--url", problem: "\"\(location)\" must be an http or https URL")
            }
            found = url
        } else if purpose == .page, let url = UnknownAddress.resolved(byPage: bytes) {
            found = url
            FetchOptions.announce("the page says that it is \(url.href); --url says otherwise")
        } else {
            throw ConfigurationError(
                file: "--url",
                problem: "is needed with a file; it says where the file was found"
                    + (purpose == .page ? " (the page has no canonical link and no og:url)" : ""))
        }
        response = FetchResponse(url: found, status: 200, headers: HTTPHeaders(), body: bytes, fetchedAt: Date())
        wasFetched = false
        guard usesNetwork else { return }
        let document = self
        // Without --url it is the page that says where it is from.
        let named = location == nil ? NamedSites() : NamedSites([found])
        try await options.fetching(signingFor: named) { (single: inout SingleFetch) in await fetched(document, &single)
        }
    }

    var url: WebURL { response.url }
    var headers: HTTPHeaders { response.headers }
    var bytes: [UInt8] { response.body }

    /// What the document is, read as a page. A file has no header to say it, so whoever names it calls it a page.
    var kind: AnswerKind { wasFetched ? response.kind() : AnswerKind(page: bytes) }

    private init(_ response: FetchResponse) {
        self.response = response
        wasFetched = true
    }
}

extension CrawlConfiguration {
    /// Takes the contact of the flag; if there is none, here or in the file, that of the environment.
    mutating func takeContact(_ flag: String?) throws {
        try take(flag, over: \.agent.contact, key: "agent.contact", flag: "--contact")
        if agent.contact == nil, let text = ProcessInfo.processInfo.environment["PIPPIN_CONTACT"], !text.isEmpty {
            try take(text, over: \.agent.contact, key: "agent.contact", flag: "PIPPIN_CONTACT")
        }
    }
}

/// How a command fetches if its argument is a URL.
struct FetchOptions: ParsableArguments {
    @Option(
        help: "URL or mail address where a site's owner reaches you; needed for public hosts. Or set PIPPIN_CONTACT.")
    var contact: String?

    @Flag(name: .customLong("allow-private-networks"), help: "Loopback and private addresses may be asked.")
    var allowPrivateNetworks = false

    @Option(name: .customLong("ca-file"), help: "PEM file of an authority trusted beside the system's.")
    var certificateAuthorityPath: String?

    @Option(
        name: .customLong("credentials"),
        help: "File of passwords and header fields for hosts of your own, and for the proxy.")
    var credentialsPath: String?

    @Option(
        help: "Our name in the User-Agent, in robots.txt and on pages, as agent.product of a crawl. (default: Pippin)")
    var product: String?

    @Option(help: "HTTP proxy for all requests, such as http://proxy.example.org:3128.")
    var proxy: String?

    /// - Parameter job: what the flags are laid over; nil for the defaults.
    func configuration(over job: CrawlConfiguration? = nil) throws -> CrawlConfiguration {
        var configuration = job ?? CrawlConfiguration()
        configuration.messages.settings = job == nil ? .flag : .both
        try configuration.take(product, over: \.agent, key: "agent.product", flag: "--product")
        try configuration.takeContact(contact)
        configuration.lay(allowPrivateNetworks ? true : nil, over: \.fetch.allowPrivateNetworks)
        configuration.lay(certificateAuthorityPath, over: \.fetch.certificateAuthorityPath)
        configuration.lay(credentialsPath, over: \.fetch.credentialsPath)
        try configuration.take(proxy, over: \.fetch.proxy, key: "fetch.proxy", flag: "--proxy")
        return configuration
    }

    /// Writes what is going on, for users who wait.
    static let announce: @Sendable (String) -> Void = { writeError("pippin: \($0)") }

    /// Calls `work` with a fetcher that is as polite as a crawl, and closes it afterwards.
    ///
    /// - Parameters:
    ///   - configuration: nil for that of the flags.
    ///   - named: the sites that the command's arguments name, which get signed requests.
    func fetching<Answer>(
        _ configuration: CrawlConfiguration? = nil, signingFor named: NamedSites,
        _ work: (inout SingleFetch) async throws -> Answer
    ) async throws -> Answer {
        let configuration = try configuration ?? self.configuration()
        let fetcher = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        var single = SingleFetch(
            configuration: configuration, fetcher: fetcher, signingFor: named, announce: Self.announce)
        do {
            let answer = try await work(&single)
            await fetcher.shutdown()
            return answer
        } catch {
            await fetcher.shutdown()
            throw error
        }
    }
}
