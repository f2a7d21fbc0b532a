import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// A fetcher and a loopback server for one test.
struct LoopbackExchange {
    let server: LoopbackServer
    let fetcher: CurlFetcher

    init(
        configure: (inout CurlFetcher.Configuration) -> Void = { _ in }, answer: @escaping LoopbackServer.Answer
    ) throws {
        server = try LoopbackServer(answer: answer)
        var configuration = CurlFetcher.Configuration(userAgent: "PippinTest/1.0 (+https://example.org/bot)")
        configuration.allowPrivateNetworks = true
        // A test that waits for the machine, beside many others, is not what these limits are for.
        configuration.firstByteTimeout = .seconds(300)
        configuration.lowSpeedTimeout = .seconds(300)
        configure(&configuration)
        fetcher = try CurlFetcher(configuration: configuration)
    }

    func request(_ path: String = "/", purpose: FetchRequest.Purpose = .page) throws -> FetchRequest {
        FetchRequest(
            url: try #require(WebURL(server.url(path))), purpose: purpose, maximumBodyBytes: 1_000_000,
            timeout: .seconds(300))
    }

    func fetch(
        _ path: String = "/", purpose: FetchRequest.Purpose = .page, change: (inout FetchRequest) -> Void = { _ in }
    ) async throws -> Result<FetchResponse, FetchError> {
        var request = try request(path, purpose: purpose)
        change(&request)
        return await fetcher.fetch(request)
    }

    func response(_ path: String = "/", purpose: FetchRequest.Purpose = .page) async throws -> FetchResponse {
        try await fetch(path, purpose: purpose).get()
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
