import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage

/// A page or file that a command looks at: a path, `-` for standard input, or a URL, which is fetched as politely as in a crawl.
struct DocumentInput {
    let url: WebURL
    let headers: HTTPHeaders
    let bytes: [UInt8]
    /// Whether the document was fetched, so that what it links to may be too.
    let wasFetched: Bool

    /// - Parameters:
    ///   - argument: what the operator wrote.
    ///   - location: where a file was found, from `--url`; a fetched document has its own.
    /// - Parameter fetched: called with a fetched document while its site may still be asked for more.
    init(
        _ argument: String, location: String?, purpose: FetchRequest.Purpose, options: FetchOptions,
        fetched: (DocumentInput, inout SingleFetch) async -> Void = { _, _ in }
    ) async throws {
        let path: String
        switch try InputPlace(argument) {
        case .file(let file): path = file
        case .url(let target):
            self = try await options.fetching { (single: inout SingleFetch) in
                let response = try await single.fetch(target, purpose: purpose).get()
                let document = DocumentInput(response)
                await fetched(document, &single)
                return document
            }
            return
        }
        guard let location else {
            throw ConfigurationError(file: "--url", problem: "is needed with a file; it says where the file was found")
        }
        // A page may have been kept from anywhere; the entries of a sitemap are judged by where it lies.
        guard let found = WebURL(location), found.isHTTP || purpose != .sitemap else {
            throw ConfigurationError(file: "--url", problem: "\"\(location)\" must be an http or https URL")
        }
        url = found
        headers = HTTPHeaders()
        bytes = try InputFile.bytes(at: path)
        wasFetched = false
    }

    private init(_ response: FetchResponse) {
        url = response.url
        headers = response.headers
        bytes = response.body
        wasFetched = true
    }
}

/// What the argument of a command names. This is the one place that tells files from addresses.
enum InputPlace: Equatable {
    /// A path, or `-` for standard input.
    case file(String)
    case url(WebURL)

    /// What exists is a file, whatever its name. Of the rest, `https://…` is a URL, and all else is the path of a file that is
    /// missing: reading it says so.
    ///
    /// - Parameter takesDomains: whether `example.org` stands for `https://example.org/`.
    init(_ argument: String, takesDomains: Bool = false) throws(ConfigurationError) {
        if argument == "-" || FileManager.default.fileExists(atPath: argument) {
            self = .file(argument)
        } else if let url = WebURL(argument), url.isHTTP, url.host?.isEmpty == false {
            self = .url(url)
        } else if argument.contains("://") {
            throw ConfigurationError(file: "command line", problem: "\"\(argument)\" is not an http or https URL")
        } else if let domain = Self.domain(argument) {
            guard takesDomains else {
                throw ConfigurationError(
                    file: argument,
                    problem: "there is no such file in \(FileManager.default.currentDirectoryPath); "
                        + "to fetch a page give its whole URL, like \(domain.href)")
            }
            self = .url(domain)
        } else {
            self = .file(argument)
        }
    }

    /// The root of a host given by its name, with or without a port; nil for what can only be meant as a file.
    private static func domain(_ text: String) -> WebURL? {
        let name = text.lowercased()
        guard !text.contains(where: { "/\\?#@ ".contains($0) }),
            !fileEndings.contains(where: { name.hasSuffix("." + $0) }),
            text.contains(".") || text.contains(":") || name == "localhost",
            let url = WebURL("https://\(text)/"), url.host?.isEmpty == false
        else { return nil }
        return url
    }

    /// Endings of files that people keep; none of them is a top-level domain.
    private static let fileEndings = [
        "json", "jsonld", "txt", "html", "htm", "xhtml", "xml", "gz", "yaml", "yml", "csv", "log", "plist", "p7m",
        "p7s",
        "der", "pem", "crt", "cer", "bak", "old", "orig", "tmp", "out", "warc", "ndjson",
    ]
}

/// How a command fetches, when it is given a URL.
struct FetchOptions: ParsableArguments {
    @Option(help: "URL or mail address where a site's owner reaches you; needed for public hosts.")
    var contact: String?

    @Flag(name: .customLong("allow-private-networks"), help: "Loopback and private addresses may be asked.")
    var allowPrivateNetworks = false

    @Option(name: .customLong("ca-file"), help: "PEM file of an authority trusted beside the system's.")
    var certificateAuthorityPath: String?

    func configuration() throws -> CrawlConfiguration {
        var configuration = CrawlConfiguration()
        configuration.messages.settings = .flag
        try configuration.take(contact, over: \.agent.contact, key: "agent.contact", flag: "--contact")
        configuration.fetch.allowPrivateNetworks = allowPrivateNetworks
        configuration.fetch.certificateAuthorityPath = certificateAuthorityPath
        return configuration
    }

    /// What somebody who waits wants to know.
    static let announce: @Sendable (String) -> Void = { writeError("pippin: \($0)") }

    /// Runs `work` with something that fetches as politely as a crawl.
    func fetching<Answer>(_ work: (inout SingleFetch) async throws -> Answer) async throws -> Answer {
        let configuration = try configuration()
        let fetcher = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        var single = SingleFetch(configuration: configuration, fetcher: fetcher, announce: Self.announce)
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
