import PippinPage

/// Fetches single pages and files for commands, as politely as a crawl: with a contact for public hosts, the robots.txt of every
/// origin first, each redirect checked, and each request in its host's turn by the crawl's schedule (delays, crawl delays, rests
/// and Retry-After).
public struct SingleFetch: Sendable {
    /// The reason why there is no response.
    public enum Failure: ReportedError, Sendable {
        case notHTTP(String)
        case contactMissing(host: String)
        case contactIsPlaceholder(host: String)
        case disallowed(WebURL, RobotsDecision)
        /// robots.txt could not be fetched, so nothing of the origin may be fetched; with the reason.
        case robotsUnreachable(WebURL, RobotsFailure)
        case tooManyRedirects(WebURL)
        case badRedirect(from: WebURL, location: String)
        case status(Int, WebURL)
        case failed(FetchError, WebURL)
        /// The host needs a longer pause than `patience`.
        case resting(WebURL, Duration)

        public var exitStatus: ExitStatus {
            switch self {
            case .disallowed: .findings
            case .contactMissing, .contactIsPlaceholder, .notHTTP: .usage
            default: .unavailable
            }
        }

        /// Whether only the contact is missing.
        var isWantOfContact: Bool {
            switch self {
            case .contactMissing, .contactIsPlaceholder: true
            default: false
            }
        }

        public var description: String { description(.flag) }

        /// The reason as a sentence without its full stop.
        ///
        /// - Parameter spelling: how it names settings.
        public func description(_ spelling: Setting.Spelling) -> String {
            let contact = Setting.contact.spelled(spelling)
            return switch self {
            case .notHTTP(let text): "\(text) is not an http or https URL"
            case .contactMissing(let host):
                "\(host) is a public host: give \(contact), a URL or mail address where its owner reaches you"
            case .contactIsPlaceholder(let host):
                "\(host) is a public host, and \(CrawlConfiguration.Agent.placeholderContact) is an example: "
                    + "give \(contact) a URL or mail address where its owner reaches you"
            case .disallowed(let url, let decision): "robots.txt does not allow \(url.href): \(decision.sentence)"
            case .robotsUnreachable(let url, let failure):
                "\(url.href) may not be fetched, because \(failure.explanation(spelling))"
            case .tooManyRedirects(let url): "\(url.href): the redirects do not end"
            case .badRedirect(let url, let location): "\(url.href) \(SingleFetch.clause(ofRedirectTo: location))"
            case .status(let status, let url): "\(url.href) answers with status \(status)"
            case .failed(let error, let url):
                "\(url.href) cannot be fetched: \(error.explanation(asking: url, spelling))"
            case .resting(let url, let time):
                "\(url.href) is not fetched now: \(url.politenessHost) wants to be left alone for \(time.words) more; try again then"
            }
        }
    }

    /// What is wrong with a redirect that leads to no page, as a clause without its subject.
    public static func clause(ofRedirectTo location: String) -> String {
        location.isEmpty
            ? "redirects without saying where to" : "redirects to \"\(location.prefix(200))\", which is no page"
    }

    let configuration: CrawlConfiguration
    private let gate: RequestGate
    private let clock: CrawlClock
    /// The rules of each origin so far. A page and its files need only one request for robots.txt.
    private var rules: [String: RobotsLookUp] = [:]
    private let turns: FetchTurns
    private let announce: @Sendable (String) -> Void

    /// The most origins whose rules are kept.
    private static let maximumRules = 64

    /// Prepares fetching.
    ///
    /// - Parameters:
    ///   - previous: a `SingleFetch` with the same configuration. Pauses, rests and delays are shared with it, also if both
    ///     fetch at the same time.
    ///   - keepsRules: whether to go by what the previous one knows of robots.txt, as within one run.
    ///   - announce: receives a sentence before a long wait.
    public init(
        configuration: CrawlConfiguration, fetcher: any Fetcher, clock: CrawlClock = .continuous,
        after previous: SingleFetch? = nil, keepsRules: Bool = false,
        announce: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.configuration = configuration
        gate = RequestGate(fetcher, configuration, scope: nil)
        self.announce = announce
        if let previous {
            self.clock = previous.clock
            turns = previous.turns
            if keepsRules { rules = previous.rules }
            return
        }
        self.clock = clock
        var politeness = PolitenessSchedule.Settings(configuration, privateHostDelay: .zero)
        politeness.looksUp = true
        turns = FetchTurns(PolitenessSchedule(politeness), clock: clock)
    }

    /// Why a URL will not be asked for, whatever its host says; nil if it may be.
    public func objection(to url: WebURL) -> Failure? { refusal(of: url, for: .page) }

    /// Fetches a URL and follows redirects up to an answer with what was asked for. A robots.txt is fetched without checking it first.
    public mutating func fetch(
        _ url: WebURL, purpose: FetchRequest.Purpose
    ) async -> Result<FetchResponse, Failure> {
        let limits = configuration.fetch
        let isRobots = purpose == .robots
        let maximum =
            switch purpose {
            case .robots: RobotsAnswer.maximumBodyBytes
            case .sitemap: Sitemap.maximumDecodedBytes
            default: limits.maximumBodyBytes
            }
        return await fetch(url, maximumHops: limits.maximumRedirects, asking: purpose) {
            FetchRequest(
                url: $0, purpose: purpose, maximumBodyBytes: maximum, takesBeginning: isRobots, timeout: limits.timeout)
        }
    }

    /// Fetches the robots.txt of a host.
    ///
    /// - Throws: if it could not be fetched, so that nothing there is allowed.
    public mutating func reach(_ url: WebURL) async throws(Failure) { _ = try await rules(of: url).get() }

    /// Fetches the robots.txt of a URL's origin, and follows its redirects (RFC 9309 §2.3.1.2). It is fetched once.
    ///
    /// - Throws: if the contact is missing or the URL is not http. A file that could not be fetched is a result.
    public mutating func robots(of url: WebURL) async throws(Failure) -> RobotsLookUp {
        if let refusal = refusal(of: url, for: .robots) { throw refusal }
        guard let request = SiteFileRequest(robotsFor: url, seed: Seed(url: url)) else { throw .notHTTP(url.href) }
        if let known = rules[request.origin] { return known }
        let found = await robots(request)
        if rules.count >= Self.maximumRules { rules = [:] }
        rules[request.origin] = found
        if case .success(let file) = found.result {
            await turns.setCrawlDelay(
                file.crawlDelay(agents: configuration.agent.robotsAgents), host: url.politenessHost)
        }
        return found
    }

    /// The robots.txt of a URL's origin as it was found; nil if it was not asked for.
    public func knownRobots(of url: WebURL) -> RobotsLookUp? { url.origin.flatMap { rules[$0] } }

    /// Fetches a file that a page links to, on the page's site.
    public mutating func siteFile(_ kind: SiteFileKind, at url: WebURL, of page: WebURL) async -> SiteFileOutcome {
        guard SiteIdentity.isSameSite(url.politenessHost, page.politenessHost),
            let request = SiteFileRequest(kind, at: url, seed: Seed(url: page))
        else { return .absent(.outOfScope) }
        do throws(Failure) {
            return try await siteFile(request)
        } catch {
            return .absent(.outOfScope)
        }
    }

    /// Fetches a file of a site and follows its redirects.
    ///
    /// - Throws: if the contact is missing or the URL is not http.
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
            case .resting: return .absent(.hostLeft)
            case .disallowed(_, let decision): return .absent(.disallowed(decision.sentence))
            case .robotsUnreachable(_, let failure): return .absent(.robotsUnreachable(failure))
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
            case .success(let response):
                guard let redirect = response.redirect else {
                    return purpose.isAnswered(by: response.status)
                        ? .success(response) : .failure(.status(response.status, url))
                }
                guard case .page(let target) = redirect.target else {
                    return .failure(.badRedirect(from: url, location: redirect.location))
                }
                url = target
            }
        }
        return .failure(.tooManyRedirects(url))
    }

    /// Makes one exchange under the rules of its origin, without following redirects.
    public mutating func exchange(_ request: FetchRequest) async -> Result<FetchResponse, Failure> {
        let url = request.url
        if request.purpose == .robots {
            if let refusal = refusal(of: url, for: .robots) { return .failure(refusal) }
        } else {
            let robots: RobotsFile
            switch await rules(of: url) {
            case .success(let file): robots = file
            case .failure(let failure): return .failure(failure)
            }
            let decision = robots.decision(for: url, agents: configuration.agent.robotsAgents)
            guard decision.isAllowed else { return .failure(.disallowed(url, decision)) }
        }
        return await inTurn(.visit(CrawlRequest(seed: Seed(url: url))), request)
    }

    /// Makes one exchange in its host's turn, as in a crawl.
    private mutating func inTurn(
        _ turn: PolitenessSchedule.Turn, _ request: FetchRequest, isRepeated: Bool = false
    ) async -> Result<FetchResponse, Failure> {
        if let refusal = refusal(of: request.url, for: request.purpose) { return .failure(refusal) }
        let permit: TurnPermit?
        switch await turns.start(turn, gate: gate, announce: announce) {
        case .start(let given): permit = given
        case .resting(let time): return .failure(.resting(request.url, time))
        case .cancelled: return .failure(.failed(.cancelled, request.url))
        }
        let start = clock.now()
        let answer = await gate.fetch(request, permit)
        let exchange = Exchange(answer, start: start, end: clock.now())
        let hasAnotherAddress = await turns.finished(
            host: turn.host, exchange, PolitenessSchedule.HostSign(answer.result))
        let hasAnotherWay =
            exchange.failure?.failsAddress == true && hasAnotherAddress
            || exchange.failure?.isAskedAgainAtOnce(attempt: isRepeated ? 1 : 0) == true
        if hasAnotherWay { return await inTurn(turn, request, isRepeated: true) }
        return answer.result.mapError { .failed($0, request.url) }
    }

    /// The reason why a URL may not be requested; nil if it may.
    private func refusal(of url: WebURL, for purpose: FetchRequest.Purpose) -> Failure? {
        switch gate.refusal(of: url, for: purpose) {
        case nil: nil
        case .notHTTP: .notHTTP(url.href)
        case .contactMissing where configuration.agent.contactProblem == .placeholder:
            .contactIsPlaceholder(host: url.politenessHost)
        case .contactMissing: .contactMissing(host: url.politenessHost)
        case .some(let refusal): .failed(.notAllowed(refusal), url)
        }
    }

    /// The rules of a URL's origin, fetched once.
    public mutating func rules(of url: WebURL) async -> Result<RobotsFile, Failure> {
        do throws(Failure) {
            return try await robots(of: url).result.mapError { .robotsUnreachable(url, $0) }
        } catch {
            return .failure(error)
        }
    }

    private mutating func robots(_ first: SiteFileRequest) async -> RobotsLookUp {
        var request = first
        var found = RobotsLookUp(url: first.url, result: .success(.allowAll))
        while true {
            let result: Result<FetchResponse, FetchError>
            found.answer = nil
            switch await inTurn(.siteFile(request), request.fetchRequest(configuration.fetch)) {
            case .success(let response):
                result = .success(response)
                found.answer = response
            case .failure(.failed(let error, _)): result = .failure(error)
            // The file redirects to a host that may not be asked.
            case .failure(let failure) where failure.isWantOfContact:
                found.result = .failure(RobotsFailure(.failed(.notAllowed(.contactMissing)), asking: request.url))
                return found
            case .failure:
                found.result = .failure(RobotsFailure(.hostLeft, asking: request.url))
                return found
            }
            switch RobotsAnswer(result, of: request) {
            case .rules(let robots, _):
                found.result = .success(robots)
                return found
            case .redirected(let target):
                found.redirects.append(target)
                request = request.redirected(to: target)
            case .unreachable(let failure, _, _):
                found.result = .failure(failure)
                return found
            }
        }
    }
}

/// How the robots.txt of an origin was found.
public struct RobotsLookUp: Sendable {
    /// The address at which every robots.txt is looked for.
    public let url: WebURL
    /// The targets of redirects, in order.
    public internal(set) var redirects: [WebURL] = []
    /// The last answer; nil if there was none.
    public internal(set) var answer: FetchResponse?
    /// Its status.
    public var status: Int? { answer?.status }
    /// Whether the answer has the file.
    public var hasFile: Bool { status.map { FetchRequest.Purpose.robots.isAnswered(by: $0) } ?? false }
    /// The rules; without a file (status 4xx) everything is allowed. Or why they are not known, so that nothing is.
    public internal(set) var result: Result<RobotsFile, RobotsFailure>

    /// `https://shop.example/robots.txt, redirected to https://www.shop.example/robots.txt, status 200`
    public var words: String {
        ([url.href] + redirects.map { "redirected to \($0.href)" } + [status.map { "status \($0)" } ?? "no answer"])
            .joined(separator: ", ")
    }
}
