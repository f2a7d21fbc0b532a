import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage

/// A page or file that a command looks at: a path, `-` for standard input, or a URL, which is fetched as politely as in a crawl.
struct DocumentInput {
    let url: WebURL
    let headers: HTTPHeaders
    let bytes: [UInt8]

    /// - Parameters:
    ///   - argument: what the operator wrote.
    ///   - location: where a file was found, from `--url`; a fetched document has its own.
    init(
        _ argument: String, location: String?, purpose: FetchRequest.Purpose, options: FetchOptions
    ) async throws {
        if let target = WebURL(argument), target.isHTTP {
            let response = try await options.fetch(target, purpose: purpose)
            url = response.url
            headers = response.headers
            bytes = response.body
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
        configuration.fetch.allowPrivateNetworks = allowPrivateNetworks
        configuration.fetch.certificateAuthorityPath = certificateAuthorityPath
        return configuration
    }

    func fetch(_ url: WebURL, purpose: FetchRequest.Purpose) async throws -> FetchResponse {
        let configuration = try configuration()
        let fetcher = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        let result = await SingleFetch(configuration: configuration, fetcher: fetcher).fetch(url, purpose: purpose)
        await fetcher.shutdown()
        return try result.get()
    }
}
