import PippinPage

/// Fetches single pages and files for commands, as politely as a crawl: with a contact for public hosts, the robots.txt of every
/// origin first, each redirect checked, and each request in its host's turn by the crawl's schedule (delays, crawl delays, rests
/// and Retry-After).
///
/// It takes the stages of a crawl's request one by one: `RobotsPermission`, `PolitenessSchedule`, `RequestGate`, `RetryRule`. It is
/// not a crawl of one request, because the two end differently. The user has named the URL, so no scope applies. A redirect is
/// followed at once instead of becoming a new entry of the frontier. A host that needs a rest of more than 60 seconds is refused
/// instead of being left for a later run. And the report needs the whole robots.txt and every answer, not only the record.
public struct SingleFetch: Sendable {
    let configuration: CrawlConfiguration
    private let gate: RequestGate
    let clock: CrawlClock
    /// The rules of each origin so far. A page and its files need only one request for robots.txt.
    private var rules: [String: RobotsLookUp] = [:]
    private let named: NamedSites
    private let turns: FetchTurns
    private let announce: @Sendable (String) -> Void

    /// The most origins whose rules are kept.
    private static let maximumRules = 64

    /// Prepares fetching.
    ///
    /// - Parameters:
    ///   - named: the sites that the user has named. Nothing that is fetched adds to them.
    ///   - previous: a `SingleFetch` with the same configuration. Pauses, rests and delays are shared with it, also if both
    ///     fetch at the same time.
    ///   - keepsRules: whether to go by what the previous one knows of robots.txt, as within one run.
    ///   - announce: receives a sentence before a long wait.
    public init(
        configuration: CrawlConfiguration, fetcher: any Fetcher, signingFor named: NamedSites = NamedSites(),
        clock: CrawlClock = .continuous, after previous: SingleFetch? = nil, keepsRules: Bool = false,
        announce: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.named = named
        gate = RequestGate(fetcher, configuration, scope: nil, after: previous?.gate)
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
    public func objection(to url: WebURL) -> RequestFailure? { refusal(of: url, for: .page) }

    /// Fetches a URL and follows redirects up to an answer with what was asked for. A robots.txt is fetched without checking it first.
    public mutating func fetch(
        _ url: WebURL, purpose: FetchRequest.Purpose
    ) async -> Result<FetchResponse, RequestFailure> {
        let limits = configuration.fetch
        let maximum =
            switch purpose {
            case .robots: RobotsAnswer.maximumBodyBytes
            case .sitemap: Sitemap.maximumDecodedBytes
            default: limits.maximumBodyBytes
            }
        let request = FetchRequest(
            url: url, purpose: purpose, maximumBodyBytes: maximum, takesBeginning: purpose == .robots,
            timeout: limits.timeout)
        var redirects: [WebURL] = []
        return await fetch(request, maximumRedirects: limits.maximumRedirects, redirects: &redirects)
    }

    /// - Parameter redirects: receives the targets of redirects, in order.
    public mutating func fetch(
        _ first: FetchRequest, maximumRedirects: Int, redirects: inout [WebURL]
    ) async -> Result<FetchResponse, RequestFailure> {
        var request = first
        while true {
            func failure(_ cause: RequestFailure.Cause) -> Result<FetchResponse, RequestFailure> {
                .failure(RequestFailure(cause, asking: request.url))
            }
            let result = await exchange(request)
            guard case .success(let response) = result else { return result }
            guard let redirect = response.redirect else {
                return request.purpose.isAnswered(by: response.status) ? result : failure(.status(response.status))
            }
            guard case .page(let target) = redirect.target else { return failure(.badRedirect(redirect.location)) }
            let isLoop = target.comesBack(from: request.url, after: [first.url] + redirects)
            request.url = target
            guard !isLoop else { return failure(.redirectLoop) }
            guard redirects.count < maximumRedirects else { return failure(.tooManyRedirects) }
            redirects.append(target)
        }
    }

    // MARK: robots.txt

    /// Fetches the robots.txt of a URL's origin, and follows its redirects (RFC 9309 §2.3.1.2). It is fetched once.
    ///
    /// - Throws: if the contact is missing or the URL is not http. A file that could not be fetched is a result.
    public mutating func robots(of url: WebURL) async throws(RequestFailure) -> RobotsLookUp {
        try await robots(of: url, isForScripts: false)
    }

    private mutating func robots(of url: WebURL, isForScripts: Bool) async throws(RequestFailure) -> RobotsLookUp {
        if let refusal = refusal(of: url, for: .robots) { throw refusal }
        guard var first = SiteFileRequest(robotsFor: url, seed: Seed(url: url)) else {
            throw RequestFailure(.notHTTP, asking: url)
        }
        first.isForScripts = isForScripts
        if let known = rules[first.origin] { return known }
        var request = first
        var redirects: [WebURL] = []
        while true {
            let exchange = await inTurn(.siteFile(request), request.fetchRequest(configuration.fetch))
            let agents = configuration.agent.robotsAgents
            let result: Result<RobotsFile, RequestFailure>
            switch RobotsAnswer(exchange, of: request) {
            case .redirected(let target):
                redirects.append(target)
                request = request.redirected(to: target)
                continue
            case .rules(let file, _):
                result = .success(file)
                let delay = file.crawlDelay(agents: agents)
                await turns.setCrawlDelay(delay, host: url.politenessHost)
            case .unreachable(let failure, _): result = .failure(failure)
            }
            if rules.count >= Self.maximumRules { rules = [:] }
            let found = RobotsLookUp(
                url: first.url, redirects: redirects, answer: try? exchange.get(), result: result,
                rules: result.map { RobotsRules($0, agents: agents) })
            rules[first.origin] = found
            return found
        }
    }

    /// The robots.txt of a URL's origin as it was found; nil if it was not asked for.
    public func knownRobots(of url: WebURL) -> RobotsLookUp? { url.origin.flatMap { rules[$0] } }

    /// What robots.txt says about the use of a page that was fetched.
    public func siteUsage(of page: WebURL) -> SiteUsage {
        guard case .success(let rules)? = knownRobots(of: page)?.rules else { return SiteUsage() }
        return SiteUsage(rules, page: page)
    }

    /// The rules of a URL's origin, or why it may not be requested without them.
    public mutating func rules(of url: WebURL) async -> Result<RobotsFile, RequestFailure> {
        do throws(RequestFailure) {
            let found = try await robots(of: url)
            return found.failure(asking: url).map { .failure($0) } ?? found.result
        } catch {
            return .failure(error)
        }
    }

    // MARK: Files of sites

    /// Fetches a file that a page links to, on the page's site.
    public mutating func siteFile(_ kind: SiteFileKind, at url: WebURL, of page: WebURL) async -> SiteFileOutcome {
        guard SiteIdentity.isSameSite(url.politenessHost, page.politenessHost),
            let request = SiteFileRequest(kind, at: url, seed: Seed(url: page))
        else { return .absent(.outOfScope) }
        return await siteFile(request)
    }

    /// Fetches a file of a site and follows its redirects.
    mutating func siteFile(_ first: SiteFileRequest) async -> SiteFileOutcome {
        var request = first
        while true {
            switch SiteFileAnswer(await exchange(request.fetchRequest(configuration.fetch)), of: request) {
            case .settled(let outcome, _): return outcome
            case .redirected(let target): request = request.redirected(to: target)
            }
        }
    }

    // MARK: One exchange

    /// Makes exchanges one after the other for those that are no concern of a crawl, and remembers the rules between them.
    public var exchanges: @Sendable (FetchRequest) async -> Result<FetchResponse, RequestFailure> {
        let series = Series(self)
        return { await series.exchange($0) }
    }

    private actor Series {
        private var single: SingleFetch

        init(_ single: SingleFetch) { self.single = single }

        func exchange(_ request: FetchRequest) async -> Result<FetchResponse, RequestFailure> {
            var single = single
            let result = await single.exchange(request)
            self.single = single
            return result
        }
    }

    /// Makes one exchange under the rules of its origin, without following redirects.
    public mutating func exchange(_ request: FetchRequest) async -> Result<FetchResponse, RequestFailure> {
        let url = request.url
        var permission = RobotsPermission(nil, of: url, for: request.purpose)
        if case .rulesNeeded = permission {
            do throws(RequestFailure) {
                let found = try await robots(of: url, isForScripts: request.purpose == .subresource)
                permission = RobotsPermission(found.rules, of: url, for: request.purpose)
            } catch {
                return .failure(error)
            }
        }
        if let cause = permission.refusal { return .failure(RequestFailure(cause, asking: url)) }
        return await inTurn(.visit(CrawlRequest(seed: Seed(url: url))), request)
    }

    /// Makes one exchange in its host's turn, as in a crawl.
    private func inTurn(
        _ turn: PolitenessSchedule.Turn, _ request: FetchRequest, attempt: Int = 0
    ) async -> Result<FetchResponse, RequestFailure> {
        let url = request.url
        if let refusal = refusal(of: url, for: request.purpose) { return .failure(refusal) }
        let permit: TurnPermit?
        switch await turns.start(turn, gate: gate, announce: announce) {
        case .start(let given): permit = given
        case .resting(let time): return .failure(RequestFailure(.hostRests(for: time), asking: url))
        case .cancelled: return .failure(RequestFailure(.failed(.cancelled), asking: url))
        }
        let start = clock.now()
        var request = request
        request.isForNamedHost = named.contains(host: url.politenessHost)
        let answer = await gate.fetch(request, permit)
        let exchange = Exchange(answer, start: start, end: clock.now())
        let hasAnotherAddress = await turns.finished(
            host: turn.host, exchange, PolitenessSchedule.HostSign(answer.result))
        let result = answer.result.mapError { RequestFailure(.failed($0), asking: url) }
        if case .failure(let failure) = result,
            RetryRule.atOnce(request.method).wait(
                after: failure.cause, attempt: attempt, hasAnotherAddress: hasAnotherAddress, configuration.fetch)
                != nil
        {
            return await inTurn(turn, request, attempt: attempt + 1)
        }
        return result
    }

    /// The reason why a URL may not be requested; nil if it may.
    private func refusal(of url: WebURL, for purpose: FetchRequest.Purpose) -> RequestFailure? {
        gate.refusal(of: url, for: purpose).map { refusal in
            let cause: RequestFailure.Cause =
                switch refusal {
                case .notHTTP: .notHTTP
                case .contactMissing where configuration.agent.contactProblem == .placeholder: .contactIsPlaceholder
                case .contactMissing: .contactMissing
                default: .failed(.notAllowed(refusal))
                }
            return RequestFailure(cause, asking: url)
        }
    }
}

/// How the robots.txt of an origin was found.
public struct RobotsLookUp: Sendable {
    /// The address at which every robots.txt is looked for.
    public let url: WebURL
    /// The targets of redirects, in order.
    public let redirects: [WebURL]
    /// The last answer; nil if there was none.
    public let answer: FetchResponse?
    /// Its status.
    public var status: Int? { answer?.status }
    /// Whether the answer has the file.
    public var hasFile: Bool { status.map { FetchRequest.Purpose.robots.isAnswered(by: $0) } ?? false }
    /// The rules; without a file (status 4xx) everything is allowed. Or why they are not known, so that nothing is.
    public let result: Result<RobotsFile, RequestFailure>
    /// What of the rules applies to this crawler.
    let rules: Result<RobotsRules, RequestFailure>

    /// Why nothing of the origin may be requested; nil if its rules are known.
    ///
    /// - Parameter url: the URL that was to be requested.
    public func failure(asking url: WebURL) -> RequestFailure? {
        let permission = RobotsPermission(rules, of: url, for: .page)
        guard case .unreachable = permission else { return nil }
        return permission.refusal.map { RequestFailure($0, asking: url) }
    }

    /// `https://shop.example/robots.txt, redirected to https://www.shop.example/robots.txt, status 200`
    public var words: String {
        ([url.href] + redirects.map { "redirected to \($0.href)" } + [status.map { "status \($0)" } ?? "no answer"])
            .joined(separator: ", ")
    }
}

extension RobotsLookUp {
    /// Whether the file allows a URL, what decides, where the file was found, and what is wrong with it.
    ///
    /// - Parameter agents: the first that the file names decides, then `*`.
    /// - Throws: why the rules are not known.
    public func json(of url: WebURL, agents: [String]) throws(RequestFailure) -> JSONValue {
        let file = try result.get()
        let decision = file.decision(for: url, agents: agents)
        return JSONObject.with { object in
            object.put("url", url)
            object["isAllowed"] = .bool(decision.isAllowed)
            object.put("sentence", decision.sentence)
            object.put("agent", decision.agent)
            object.put("line", decision.rule?.line)
            object["robots"] = JSONObject.with { robots in
                robots.put("url", self.url)
                robots["redirects"] = .array(redirects.map { .string($0.href) })
                robots.put("status", status)
            }
            object["agents"] = .array(agents.map { .string($0) })
            object["crawlDelay"] = file.crawlDelay(agents: agents).map { .double($0 / .seconds(1)) }
            object["sitemaps"] = .array(file.sitemaps.map { .string($0.href) })
            object["notes"] = .array(
                file.notes.map { note in
                    JSONObject.with { object in
                        object.put("code", note.code.rawValue)
                        object.put("message", note.message)
                        object.put("line", note.line)
                    }
                })
        }
    }
}

// MARK: Association files and sitemaps

extension SingleFetch {
    /// Fetches the association files of a host, in all places, and the files that its asset links include.
    ///
    /// - Parameters:
    ///   - site: any URL of the host.
    ///   - everyPlace: whether to ask also where devices do not look (`AssociationFiles`). Crawls do not.
    /// - Throws: if the contact is missing or the URL is not http; all else is an outcome.
    public mutating func hostAssociations(
        of site: WebURL, everyPlace: Bool = true
    ) async throws(RequestFailure) -> HostAssociations {
        let files = AssociationFiles(of: site, everyPlace: everyPlace, seed: Seed(url: site))
        var known: [SiteFileID: SiteFileOutcome] = [:]
        while let request = files.wanted(known).first {
            let outcome = await siteFile(request)
            known[request.id] = outcome
            // A missing contact of another host concerns only that host's file.
            if let failure = outcome.cause.map({ RequestFailure($0, asking: request.url) }),
                failure.exitStatus == .usage, request.url.origin == site.origin
            {
                throw failure
            }
        }
        guard let associations = files.associations(known) else { throw RequestFailure(.notHTTP, asking: site) }
        return associations
    }
}

/// The pages that a site's sitemap names.
public struct SitemapPages: Sendable {
    /// In the order of the sitemaps, each once.
    public var pages: [WebURL] = []
    /// The number of sitemaps that were read.
    var sitemapCount = 0
    /// Entries of hosts for which the sitemap may not speak (sitemaps.org, "Sitemap file location").
    public var foreignCount = 0
    /// Whether there are more pages than were asked for.
    public var hasMore = false
    /// Further sitemaps that were not read, as sentences without a full stop.
    public var troubles: [String] = []
}

extension SingleFetch {
    /// Reads a sitemap, packed or not, and the sitemaps that an index names, within the limits of a crawl.
    ///
    /// - Parameter maximum: the number of pages to return.
    /// - Throws: if the sitemap itself could not be fetched.
    public mutating func sitemapPages(at start: WebURL, maximum: Int) async throws(RequestFailure) -> SitemapPages {
        var found = SitemapPages()
        var seen: Set<String> = [start.href]
        var waiting: [(url: WebURL, level: Int)] = [(start, 0)]
        var next = 0
        while next < waiting.count {
            let (url, level) = waiting[next]
            next += 1
            let response: FetchResponse
            do throws(RequestFailure) {
                response = try await fetch(url, purpose: .sitemap).get()
            } catch {
                if level == 0 { throw error }
                found.troubles.append("\(error)")
                continue
            }
            let sitemap = Sitemap(bytes: response.body, url: response.url)
            found.sitemapCount += 1
            if sitemap.kind == .unknown { found.troubles.append("\(url.href) is no sitemap") }
            let counts = sitemap.counting(namedBy: start.politenessHost)
            if let next = sitemap.next, next.politenessHost == url.politenessHost, seen.insert(next.href).inserted {
                if waiting.count < Visit.maximumFeedPages {
                    waiting.append((next, level))
                } else {
                    found.troubles.append("\(next.href) is not read: the feed goes on too long")
                }
            }
            for entry in sitemap.entries {
                guard counts(entry) else {
                    found.foreignCount += 1
                    continue
                }
                guard seen.insert(entry.loc.href).inserted else { continue }
                if sitemap.kind == .index {
                    guard level < Visit.maximumSitemapLevel, waiting.count < Visit.maximumSitemapsPerHost else {
                        found.troubles.append("\(entry.loc.href) is not read: there are too many sitemaps")
                        return found
                    }
                    waiting.append((entry.loc, level + 1))
                } else if found.pages.count < maximum {
                    found.pages.append(entry.loc)
                } else {
                    found.hasMore = true
                    return found
                }
            }
        }
        return found
    }
}
