import PippinCrawl
import PippinPage

/// Fetches the pictures of `pippin serve` as a crawl would: under its rules for addresses, robots.txt and delays, and its name.
///
/// It remembers which hosts were asked when. Hosts are spread over lanes that work one after the other, so that a slow host does not
/// hold up all, and a host is in one lane.
struct PictureFetcher: Sendable {
    private let lanes: [PictureLane]

    /// The longest that one picture may take, and how far it may be redirected.
    fileprivate static let timeout = Duration.seconds(10)
    fileprivate static let maximumRedirects = 3

    init(_ configuration: CrawlConfiguration) {
        var configuration = configuration
        // Everyone who reaches the server can ask for pictures: the operator's passwords and signatures are not for them.
        configuration.forgetIdentity()
        lanes = (0..<4).map { _ in PictureLane(configuration) }
    }

    /// What is at an address, at most `maximumBytes`; nil if it may not be asked for or could not be fetched.
    func bytes(at url: WebURL, maximumBytes: Int) async -> [UInt8]? {
        var hash = FNV1a()
        hash.add(url.politenessHost.utf8)
        return await lanes[Int(hash.value % UInt64(lanes.count))].bytes(at: url, maximumBytes: maximumBytes)
    }
}

private actor PictureLane {
    private let configuration: CrawlConfiguration
    private var single: SingleFetch?

    init(_ configuration: CrawlConfiguration) { self.configuration = configuration }

    func bytes(at url: WebURL, maximumBytes: Int) async -> [UInt8]? {
        // Without libcurl's threads there is no picture, and the server's other answers tell of the trouble.
        guard let fetcher = try? CurlFetcher(configuration: CurlFetcher.Configuration(configuration)) else {
            return nil
        }
        var single = SingleFetch(
            configuration: configuration, fetcher: fetcher, after: single, keepsRules: true)
        let request = FetchRequest(
            url: url, purpose: .image, maximumBodyBytes: maximumBytes, timeout: PictureFetcher.timeout)
        var redirects: [WebURL] = []
        let result = await single.fetch(
            request, maximumRedirects: PictureFetcher.maximumRedirects, redirects: &redirects)
        await fetcher.shutdown()
        self.single = single
        guard case .success(let response) = result, response.status == 200 else { return nil }
        return response.body
    }
}
