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
        if let target = WebURL(argument), target.isHTTP {
            self = try await options.fetching { (single: inout SingleFetch) in
                let response = try await single.fetch(target, purpose: purpose).get()
                let document = DocumentInput(response)
                await fetched(document, &single)
                return document
            }
            return
        }
        guard let location else {
            throw ValidationError("--url is needed with a file: it says where the file was found.")
        }
        guard let found = WebURL(location) else {
            throw ValidationError("--url must be a URL, not “\(location)”.")
        }
        url = found
        headers = HTTPHeaders()
        bytes = try LocalFile.bytes(at: argument)
        wasFetched = false
    }

    private init(_ response: FetchResponse) {
        url = response.url
        headers = response.headers
        bytes = response.body
        wasFetched = true
    }
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
        if let contact {
            try configuration.take(\.agent.contact, key: "agent.contact", value: contact, flag: "--contact")
        }
        configuration.messages.settings = .flag
        configuration.fetch.allowPrivateNetworks = allowPrivateNetworks
        configuration.fetch.certificateAuthorityPath = certificateAuthorityPath
        return configuration
    }

    /// Runs `work` with something that fetches as politely as a crawl.
    func fetching<Answer>(_ work: (inout SingleFetch) async throws -> Answer) async throws -> Answer {
        let configuration = try configuration()
        let fetcher = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        var single = SingleFetch(configuration: configuration, fetcher: fetcher)
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
