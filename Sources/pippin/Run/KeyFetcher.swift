import PippinCrawl
import PippinPage
import PippinReport
import PippinServe

/// Fetches the key files of `pippin notify` as a crawl would: under its rules for addresses, robots.txt and delays, and its name.
///
/// It remembers which hosts were asked when, also for fetches side by side.
struct KeyFetcher: Sendable {
    private let configuration: CrawlConfiguration
    private let refusal: @Sendable (WebURL) -> CrawlScope.Refusal?
    /// The turns of hosts, which all fetches share.
    private let session: VisitSession

    /// A key has at most 128 characters.
    private static let maximumBodyBytes = 1_024
    private static let timeout = Duration.seconds(15)

    /// - Parameter refusal: the reason why the job does not visit a page; nil if it does.
    /// - Throws: if nothing can be fetched as the configuration wants it.
    init(
        _ configuration: CrawlConfiguration, refusal: @escaping @Sendable (WebURL) -> CrawlScope.Refusal?
    ) async throws {
        var configuration = configuration
        // Everyone can ping: the operator's passwords and signatures are not for them.
        configuration.forgetIdentity()
        var session = VisitSession()
        // Turns begin with the first fetch, and go over to those that come after it.
        try await session.fetching(configuration) { _ in }
        (self.configuration, self.refusal, self.session) = (configuration, refusal, session)
    }

    func answer(to ping: IndexNowPing) async -> PingSettings.KeyAnswer {
        let url = ping.keyFile
        let request = FetchRequest(
            url: url, purpose: .keyFile, maximumBodyBytes: Self.maximumBodyBytes, timeout: Self.timeout)
        var session = session
        do {
            return try await session.fetching(configuration) { @Sendable single in
                let first = await Self.exchange(request, &single)
                // Of redirects, only the one to https at the same place: others may lead to what a stranger has put on the host.
                guard case .success(let response) = first, let target = response.redirect?.address,
                    target.host == url.host, target.path == url.path, target.query == nil, target.scheme == "https",
                    url.scheme == "http", PingSettings.allows(target, of: ping, refusal: refusal)
                else { return Self.answer(first) }
                var secure = request
                secure.url = target
                return Self.answer(await Self.exchange(secure, &single))
            }
        } catch {
            return .unreachable("\(error).")
        }
    }

    private static func exchange(
        _ request: FetchRequest, _ single: inout SingleFetch
    ) async -> Result<FetchResponse, RequestFailure> {
        await single.exchange(request)
    }

    private static func answer(_ result: Result<FetchResponse, RequestFailure>) -> PingSettings.KeyAnswer {
        switch result {
        case .success(let response) where response.status == 200: .file(response.body)
        case .success(let response) where response.status >= 500 || response.status == 429:
            .unreachable("\(response.url.href) answers with status \(response.status).")
        case .success(let response): .missing("\(response.url.href) answers with status \(response.status).")
        case .failure(let failure): answer(failure)
        }
    }

    private static func answer(_ failure: RequestFailure) -> PingSettings.KeyAnswer {
        switch failure.cause {
        case .disallowed, .failed(.bodyTooLarge): .missing("\(failure).")
        default: .unreachable("\(failure).")
        }
    }
}
