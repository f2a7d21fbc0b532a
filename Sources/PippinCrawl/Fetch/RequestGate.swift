import PippinPage

/// The permission for one request to a host in its turn, with its addresses. Only `PolitenessSchedule` gives one.
struct TurnPermit: Sendable {
    let host: String
    /// The addresses for the request, or the failure of the look-up. Empty if the host needs no look-up.
    let addresses: Result<[NetworkAddress], FetchError>
}

/// The only way to a fetcher. All requests (page, robots.txt, sitemap, association file, manifest, picture, redirect) pass these
/// checks:
///
///  1. scheme: http or https, with a host
///  2. scope: no URL in `scope.exclude`, none with a user name or password. Only in a crawl; a single page was named by the user.
///     `CrawlScope` decides earlier which hosts belong to a crawl: pages, manifests and association files are on covered hosts,
///     and robots.txt may redirect anywhere (RFC 9309 §2.3.1.2).
///     A host of another shard is never asked (`Shard`).
///  3. contact: required for public hosts
///  4. turn: the schedule has given the host this turn (`TurnPermit`)
///  5. address: only the addresses that were looked up for the turn; `AddressGuard` checks each socket
///  6. signature: only for a host that the operator has named (`SignatureDesk`)
///
/// Crawls and `SingleFetch` have a gate and no fetcher, so no request can bypass it.
struct RequestGate: Sendable {
    private let fetcher: any Fetcher
    private let hasContact: Bool
    /// Nil outside of a crawl.
    private let scope: CrawlScope?
    /// Nil if nothing is signed.
    private let signatures: SignatureDesk?

    /// - Parameter earlier: a gate with the same configuration, whose memory of signatures is shared.
    init(
        _ fetcher: any Fetcher, _ configuration: CrawlConfiguration, scope: CrawlScope?, after earlier: Self? = nil
    ) {
        self.fetcher = fetcher
        self.scope = scope
        signatures = earlier?.signatures ?? SignatureDesk(configuration.agent)
        hasContact = configuration.agent.contactProblem == nil
    }

    /// The reason against a request, or nil.
    ///
    /// - Parameter isRedirected: whether a redirect led there.
    func refusal(
        of url: WebURL, for purpose: FetchRequest.Purpose, isRedirected: Bool = false
    ) -> CrawlScope.Refusal? {
        guard url.isHTTP, url.origin != nil else { return .notHTTP }
        guard hasContact || HostReach(host: url.politenessHost) == .privateHost else { return .contactMissing }
        guard let scope else { return nil }
        guard scope.owns(url.politenessHost) else { return .otherShard }
        guard url.username.isEmpty, url.password.isEmpty else { return .credentials }
        // robots.txt at its own place is always requested, even if `scope.exclude` has `*.txt`.
        if purpose == .robots, !isRedirected { return nil }
        return scope.excludes(url) ? .excluded : nil
    }

    struct Answer: Sendable {
        let result: Result<FetchResponse, FetchError>
        /// Whether a request was made. Forbidden requests and failed look-ups make none.
        let wasAsked: Bool
        /// The address for the connection; nil if there was none, or the host is an address itself.
        var tried: NetworkAddress?
    }

    /// Makes one exchange in a host's turn, if the checks allow it.
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
            if let scope { request.isForNamedHost = scope.isNamed(permit.host) }
            if request.isForNamedHost { request.signature = signatures?.request(for: request.url) }
            return Answer(result: signed(await fetcher.fetch(request), request), wasAsked: true, tried: addresses.first)
        }
    }

    /// The result, or the failure if the host only misses a signature that it can have.
    private func signed(
        _ result: Result<FetchResponse, FetchError>, _ request: FetchRequest
    ) -> Result<FetchResponse, FetchError> {
        guard let signatures, request.isForNamedHost, case .success(let response) = result,
            signatures.takes(response, to: request.url, signedAs: request.signature)
        else { return result }
        return .failure(.signatureWanted(status: response.status))
    }

    /// Looks a name up; the schedule decides when.
    func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
        guard hasContact || HostReach(host: host) == .privateHost else { return .failure(.notAllowed(.contactMissing)) }
        return await fetcher.addresses(of: host)
    }

    /// Keeps a page as its scripts have made it (`Fetcher.keep`).
    func keep(rendering html: [UInt8], of response: FetchResponse) async {
        await fetcher.keep(rendering: html, of: response)
    }

    /// Waits until all exchanges so far are on the disk (`Fetcher.syncExchanges`).
    func syncExchanges() async -> Bool { await fetcher.syncExchanges() }
}
