import PippinPage

/// Fetches one URL as politely as a crawl does, for commands that look at a single page or file: a contact for public hosts,
/// the robots.txt of every origin first, each redirect checked, a pause between two requests to a host.
public struct SingleFetch: Sendable {
    public enum Failure: Error, Sendable, CustomStringConvertible {
        case notHTTP(String)
        case contactMissing(host: String)
        case contactIsPlaceholder(host: String)
        case disallowed(WebURL, RobotsDecision)
        case robotsUnreachable(WebURL)
        case tooManyRedirects(WebURL)
        case badRedirect(from: WebURL, location: String)
        case status(Int, WebURL)
        case failed(FetchError, WebURL)

        /// Whether only a contact is missing to ask.
        var isWantOfContact: Bool {
            switch self {
            case .contactMissing, .contactIsPlaceholder: true
            default: false
            }
        }

        public var description: String {
            switch self {
            case .notHTTP(let text): "\(text) is not an http or https URL"
            case .contactMissing(let host):
                "\(host) is a public host: give --contact, a URL or mail address where its owner reaches you"
            case .contactIsPlaceholder(let host):
                "\(host) is a public host, and \(CrawlConfiguration.Agent.placeholderContact) is an example: "
                    + "give --contact a URL or mail address where its owner reaches you"
            case .disallowed(let url, let decision): "robots.txt does not allow \(url.href): \(decision.sentence)"
            case .robotsUnreachable(let url):
                "the robots.txt of \(url.origin ?? url.href) cannot be had, so nothing of it may be fetched (RFC 9309 §2.3.1.4)"
            case .tooManyRedirects(let url): "\(url.href): the redirects do not end"
            case .badRedirect(let url, let location): "\(url.href) redirects to \"\(location)\", which is no page"
            case .status(let status, let url): "\(url.href) answers with status \(status)"
            case .failed(let error, let url): "\(url.href) cannot be fetched: \(error.code)"
            }
        }
    }

    private let configuration: CrawlConfiguration
    private let fetcher: any Fetcher
    private let clock: CrawlClock
    /// What is known of each origin asked so far, so that a page and the files it needs are asked for like in one crawl.
    private var rules: [String: RobotsFile] = [:]
    private var unreachable: Set<String> = []
    /// Why an origin whose robots.txt cannot be had did not answer.
    private(set) var robotsErrors: [String: FetchError] = [:]
    private var lastRequests: [String: Duration] = [:]

    public init(configuration: CrawlConfiguration, fetcher: any Fetcher, clock: CrawlClock = .continuous) {
        self.configuration = configuration
        self.fetcher = fetcher
        self.clock = clock
    }

    /// The answer with status 200 at the end of the redirects. A robots.txt itself is asked for without asking it first.
    public mutating func fetch(
        _ url: WebURL, purpose: FetchRequest.Purpose
    ) async -> Result<FetchResponse, Failure> {
        let limits = configuration.fetch
        return await fetch(url, maximumHops: limits.maximumRedirects, asking: purpose) {
            FetchRequest(
                url: $0, purpose: purpose, maximumBodyBytes: limits.maximumBodyBytes, timeout: limits.timeout)
        }
    }

    /// A file that a page links to, on the page's own site (with or without `www.`).
    public mutating func siteFile(_ kind: SiteFileKind, at url: WebURL, of page: WebURL) async -> SiteFileOutcome {
        guard CrawlScope.site(of: url.politenessHost) == CrawlScope.site(of: page.politenessHost),
            let request = SiteFileRequest(kind, at: url, seed: Seed(url: page))
        else { return .absent(.outOfScope) }
        do throws(Failure) {
            return try await siteFile(request)
        } catch {
            return .absent(.outOfScope)
        }
    }

    /// - Throws: when nothing may be asked, for want of a contact or of an http URL.
    mutating func siteFile(_ request: SiteFileRequest) async throws(Failure) -> SiteFileOutcome {
        let kind = request.kind
        let limits = configuration.fetch
        let result = await fetch(request.url, maximumHops: kind.maximumHops, asking: kind.purpose) {
            request.redirected(to: $0).fetchRequest(limits)
        }
        switch result {
        case .success(let response):
            guard case .settled(let outcome, _) = SiteFileAnswer(.success(response), of: request) else {
                return .absent(.status(response.status))
            }
            return outcome
        case .failure(let failure):
            switch failure {
            case .notHTTP, .contactMissing, .contactIsPlaceholder: throw failure
            case .status(let status, _): return .absent(.status(status))
            case .failed(let error, _): return .absent(.failed(error))
            case .disallowed(_, let decision): return .absent(.disallowed(decision.sentence))
            case .robotsUnreachable(let url):
                return .absent(.robotsUnreachable(url.origin.flatMap { robotsErrors[$0] }))
            case .tooManyRedirects(let target):
                return .absent(kind.maximumHops == 0 ? .redirectRefused(to: target.href) : .tooManyRedirects)
            case .badRedirect(_, let location): return .absent(.redirectRefused(to: location))
            }
        }
    }

    mutating func fetch(
        _ url: WebURL, maximumHops: Int, asking purpose: FetchRequest.Purpose, request: (WebURL) -> FetchRequest
    ) async -> Result<FetchResponse, Failure> {
        var url = url
        for _ in 0...maximumHops {
            var request = request(url)
            request.purpose = purpose
            switch await exchange(request) {
            case .failure(let failure): return .failure(failure)
            case .success(let response) where response.isRedirect:
                let location = response.headers["Location"] ?? ""
                guard let target = WebURL(location, base: url), target.isHTTP else {
                    return .failure(.badRedirect(from: url, location: location))
                }
                url = target
            case .success(let response):
                return response.status == 200 ? .success(response) : .failure(.status(response.status, url))
            }
        }
        return .failure(.tooManyRedirects(url))
    }

    /// One exchange under the rules of its origin, whatever the answer: redirects are not followed.
    mutating func exchange(_ request: FetchRequest) async -> Result<FetchResponse, Failure> {
        let url = request.url
        if let refusal = refusal(of: url) { return .failure(refusal) }
        if request.purpose != .robots {
            guard let robots = await rules(of: url) else { return .failure(.robotsUnreachable(url)) }
            let decision = robots.decision(for: url, agents: configuration.agent.robotsAgents)
            guard decision.isAllowed else { return .failure(.disallowed(url, decision)) }
            await pause(before: url, crawlDelay: robots.crawlDelay(agents: configuration.agent.robotsAgents))
        }
        lastRequests[url.politenessHost] = clock.now()
        return await fetcher.fetch(request).mapError { .failed($0, url) }
    }

    /// Why a URL may not be asked for at all.
    private func refusal(of url: WebURL) -> Failure? {
        guard url.isHTTP, url.origin != nil else { return .notHTTP(url.href) }
        let host = url.politenessHost
        guard HostReach(host: host) == .publicHost else { return nil }
        return switch configuration.agent.contactProblem {
        case .missing: .contactMissing(host: host)
        case .placeholder: .contactIsPlaceholder(host: host)
        case nil: nil
        }
    }

    /// The rules of a URL's origin, asked for once; nil when they cannot be had.
    mutating func rules(of url: WebURL) async -> RobotsFile? {
        guard refusal(of: url) == nil, let origin = url.origin else { return nil }
        if let known = rules[origin] { return known }
        guard !unreachable.contains(origin) else { return nil }
        rules[origin] = await robots(of: url)
        if rules[origin] == nil { unreachable.insert(origin) }
        return rules[origin]
    }

    /// The rules that bind a URL; nil when they cannot be had.
    private mutating func robots(of url: WebURL) async -> RobotsFile? {
        guard var request = SiteFileRequest(robotsFor: url, seed: Seed(url: url)) else { return nil }
        while true {
            await pause(before: request.url, crawlDelay: nil)
            lastRequests[request.url.politenessHost] = clock.now()
            let result = await fetcher.fetch(request.fetchRequest(configuration.fetch))
            if case .failure(let error) = result { robotsErrors[request.origin] = error }
            switch RobotsAnswer(result, of: request) {
            case .rules(let robots, _): return robots
            case .redirected(let target): request = request.redirected(to: target)
            case .unreachable: return nil
            }
        }
    }

    private func pause(before url: WebURL, crawlDelay: Duration?) async {
        let politeness = configuration.politeness
        let host = url.politenessHost
        guard let last = lastRequests[host], HostReach(host: host) == .publicHost else { return }
        let own = politeness.rules(for: host)
        let delay = max(
            own?.delay ?? politeness.delay, CrawlConfiguration.minimumPublicDelay,
            min(crawlDelay ?? .zero, own?.maximumCrawlDelay ?? politeness.maximumCrawlDelay))
        await clock.sleep(last + delay)
    }
}
