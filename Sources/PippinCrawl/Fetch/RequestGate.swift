import PippinPage

/// Leave to ask one host once: it is the host's turn, and it is known where the host is. Only `PolitenessSchedule` gives one.
struct TurnPermit: Sendable {
    let host: String
    /// Where the turn's request goes; empty where the name of the host says it all. Or why nobody knows where the host is.
    let addresses: Result<[NetworkAddress], FetchError>
}

/// The one way to a fetcher. Whatever a request is for (page, robots.txt, sitemap, association file, manifest, picture, a hop of
/// a redirect), it passes here, and none is made that breaks one of our rules:
///
///  1. scheme: http or https, with a host
///  2. scope: what `scope.exclude` names is not asked for, nor any URL with a user name or password in it. In a crawl only; who
///     looks at one page has named it. Which hosts belong to a crawl is decided where a request arises, by `CrawlScope`: pages,
///     manifests and association files lie on hosts that it covers, and robots.txt may redirect anywhere (RFC 9309 §2.3.1.2).
///  3. contact: without one no public host is asked
///  4. turn: the schedule has given the host this turn (`TurnPermit`)
///  5. address: the host is asked at the addresses that were looked up for the turn, and `AddressGuard` judges each socket
///
/// A crawl and `SingleFetch` hold a gate and no fetcher, so a new purpose cannot forget it.
struct RequestGate: Sendable {
    private let fetcher: any Fetcher
    private let hasContact: Bool
    /// Nil outside of a crawl.
    private let scope: CrawlScope?

    init(_ fetcher: any Fetcher, _ configuration: CrawlConfiguration, scope: CrawlScope?) {
        self.fetcher = fetcher
        self.scope = scope
        hasContact = configuration.agent.contactProblem == nil
    }

    /// Why a URL may not be asked for, whatever it is; nil when it may.
    ///
    /// - Parameter isRedirected: whether the answer of a server led there.
    func refusal(
        of url: WebURL, for purpose: FetchRequest.Purpose, isRedirected: Bool = false
    ) -> CrawlScope.Refusal? {
        guard url.isHTTP, url.origin != nil else { return .notHTTP }
        guard hasContact || HostReach(host: url.politenessHost) == .privateHost else { return .contactMissing }
        guard let scope else { return nil }
        guard url.username.isEmpty, url.password.isEmpty else { return .credentials }
        // The rules of a host that is visited are asked for where they must lie, also by whom leaves `*.txt` out.
        if purpose == .robots, !isRedirected { return nil }
        return scope.excludes(url) ? .excluded : nil
    }

    struct Answer: Sendable {
        let result: Result<FetchResponse, FetchError>
        /// Whether the fetcher was asked: what our own rules forbid, and a name without an address, costs no request.
        let wasAsked: Bool
        /// The address that a connection was to be made to; nil where there was none, or the host is its own address.
        var tried: NetworkAddress?
    }

    /// Makes one exchange in a host's turn, or none.
    func fetch(_ request: FetchRequest, _ permit: TurnPermit?) async -> Answer {
        func none(_ error: FetchError) -> Answer { Answer(result: .failure(error), wasAsked: false) }
        if let refusal = refusal(of: request.url, for: request.purpose, isRedirected: request.isRedirected) {
            return none(.notAllowed(refusal))
        }
        guard let permit, permit.host == request.url.politenessHost else {
            assertionFailure("\(request.url.politenessHost) is asked without a turn")
            return none(.notAllowed(.outOfTurn))
        }
        switch permit.addresses {
        case .failure(let error): return none(error)
        case .success(let addresses):
            var request = request
            request.addresses = addresses
            return Answer(result: await fetcher.fetch(request), wasAsked: true, tried: addresses.first)
        }
    }

    /// Looks a name up, when the schedule says so.
    func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
        guard hasContact || HostReach(host: host) == .privateHost else { return .failure(.notAllowed(.contactMissing)) }
        return await fetcher.addresses(of: host)
    }
}
