import PippinPage

/// The association files of one host: which one to fetch next, and the result. Crawls and single fetches use the same rules.
///
///     /.well-known/apple-app-site-association ──refused──► /apple-app-site-association
///     /.well-known/assetlinks.json ──includes──► the files that it includes, on whatever hosts
struct AssociationFiles: Sendable {
    /// Any URL of the host.
    let site: WebURL
    /// Nil if Apple's file is not needed.
    private let apple: (wellKnown: SiteFileRequest, rootCopy: SiteFileRequest)?
    private let assetLinks: SiteFileRequest?
    /// Files with misleading names. They are fetched only for a single host, and if neither of Apple's places has a file.
    private let misnamed: [SiteFileRequest]
    private let asksForEveryPlace: Bool
    private let seed: Seed

    /// Lists the files of a host.
    ///
    /// - Parameters:
    ///   - everyPlace: whether to fetch the copy at the root even if the file under `/.well-known/` is good (devices ignore
    ///     the copy then), and the names with `.json` if there is no file (they may explain the fault).
    init(
        of site: WebURL, apple: Bool = true, android: Bool = true, everyPlace: Bool = false, seed: Seed
    ) {
        self.site = site
        self.seed = seed
        asksForEveryPlace = everyPlace
        let places = AppleAssociationOutcome.locations(of: site)
            .compactMap { SiteFileRequest(.appleAssociation, at: $0, seed: seed) }
        misnamed =
            everyPlace && apple
            ? AppleAssociationOutcome.misnamedLocations(of: site)
                .compactMap { SiteFileRequest(.appleAssociation, at: $0, seed: seed) } : []
        self.apple = apple && places.count == 2 ? (places[0], places[1]) : nil
        assetLinks =
            android
            ? AssetLinksOutcome.location(of: site).flatMap { SiteFileRequest(.assetLinks, at: $0, seed: seed) } : nil
    }

    /// All files to fetch, with those that the known files include.
    func all(_ known: [SiteFileID: SiteFileOutcome]) -> [SiteFileRequest] {
        var all: [SiteFileRequest] = []
        if let apple {
            all.append(apple.wellKnown)
            if asksForEveryPlace || isRefused(apple.wellKnown, known) { all.append(apple.rootCopy) }
            if isAbsent(apple.wellKnown, known), isAbsent(apple.rootCopy, known) { all += misnamedWanted(known) }
        }
        if let assetLinks {
            all.append(assetLinks)
            all += gathering(assetLinks, known)?.wanted.compactMap { request(for: $0) } ?? []
        }
        return all
    }

    /// The files that are still missing; empty if `associations` is complete.
    func wanted(_ known: [SiteFileID: SiteFileOutcome]) -> [SiteFileRequest] {
        all(known).filter { known[$0.id] == nil }
    }

    /// The result of the files; unknown ones count as not requested.
    func associations(_ known: [SiteFileID: SiteFileOutcome]) -> HostAssociations? {
        let places = AppleAssociationOutcome.locations(of: site)
        guard places.count == 2, let linksURL = AssetLinksOutcome.location(of: site) else { return nil }
        var included: AssetLinksGathering?
        if let assetLinks, var gathering = gathering(assetLinks, known) {
            for include in gathering.wanted {
                gathering.take(
                    Self.assetLinks(request(for: include).flatMap { known[$0.id] }, at: include.url), for: include)
            }
            included = gathering
        }
        return HostAssociations(
            wellKnown: Self.apple(apple.flatMap { known[$0.wellKnown.id] }, at: places[0]),
            rootCopy: Self.apple(apple.flatMap { known[$0.rootCopy.id] }, at: places[1]),
            assetLinks: Self.assetLinks(assetLinks.flatMap { known[$0.id] }, at: linksURL),
            misnamed: misnamed.compactMap { request in known[request.id].map { Self.apple($0, at: request.url) } },
            included: included)
    }

    /// The first place, and the second if the first has no file.
    private func misnamedWanted(_ known: [SiteFileID: SiteFileOutcome]) -> [SiteFileRequest] {
        guard let first = misnamed.first, known[first.id] != nil, !Self.apple(known[first.id], at: first.url).isUsable
        else { return Array(misnamed.prefix(1)) }
        return misnamed
    }

    /// Whether there is no file. Object stores answer with 403 then.
    private func isAbsent(_ request: SiteFileRequest, _ known: [SiteFileID: SiteFileOutcome]) -> Bool {
        guard let outcome = known[request.id] else { return false }
        let remark = Self.apple(outcome, at: request.url).judgement.remark
        return remark == .missing || remark == .refused
    }

    private func isRefused(_ request: SiteFileRequest, _ known: [SiteFileID: SiteFileOutcome]) -> Bool {
        guard let outcome = known[request.id] else { return false }
        return Self.apple(outcome, at: request.url).judgement.standing == .refused
    }

    /// Gathers asset links and their includes. Nil until the host's own file is known, because it names the includes.
    private func gathering(
        _ request: SiteFileRequest, _ known: [SiteFileID: SiteFileOutcome]
    ) -> AssetLinksGathering? {
        guard case .found(.assetLinks(let outcome), _)? = known[request.id], outcome.isUsable, let links = outcome.links
        else { return nil }
        return AssetLinksGathering(links, at: request.url)
    }

    private func request(for include: AssetLinks.Include) -> SiteFileRequest? {
        SiteFileRequest(.assetLinks, at: include.url, seed: seed)
    }

    private static func apple(_ outcome: SiteFileOutcome?, at url: WebURL) -> AppleAssociationOutcome {
        if case .found(.apple(let found), _)? = outcome { return found }
        return AppleAssociationOutcome(AssociationFetch(missing: outcome?.cause, at: url), at: url)
    }

    private static func assetLinks(_ outcome: SiteFileOutcome?, at url: WebURL) -> AssetLinksOutcome {
        if case .found(.assetLinks(let found), _)? = outcome { return found }
        return AssetLinksOutcome(AssociationFetch(missing: outcome?.cause, at: url), at: url)
    }
}

extension AssociationFetch {
    /// A file that is missing, in a form for a record. Records are compared with earlier ones, so it omits messages of libraries.
    ///
    /// - Parameters:
    ///   - cause: nil if nobody asked for the file.
    ///   - url: its declared address.
    fileprivate init(missing cause: RequestFailure.Cause?, at url: WebURL) {
        guard let cause else {
            self = .notAsked
            return
        }
        let failure = RequestFailure(cause, asking: url)
        self =
            switch (cause, failure.root.cause) {
            case (.status(let status), _): .status(status)
            case (_, .failed(.tls(_, let reason))): .insecure(reason)
            case (.failed(.bodyTooLarge(let limit)), _): .tooLarge(limit: limit)
            case (.failed(let error), _): .unreachable(error.clause(asking: url, isPlain: true))
            case (.disallowed(let sentence), _): .disallowed(sentence)
            case (.robotsUnreachable(let rules), _): .unreachable(rules.clause(isPlain: true))
            case (.badRedirect(let target), _), (.redirectRefused(let target), _): .redirected(to: target)
            case (.redirectLoop, _), (.tooManyRedirects, _): .notTried(failure.reason)
            case (.readingTimedOut, _): .notTried("reading it takes too long")
            case (.outOfScope, _): .notTried("it was not asked for, as its host is outside the crawl's scope")
            case (.hostLeft, _), (.hostRests, _):
                .notTried("it was not asked for, as its host was left for this run")
            default: .notTried("it was not asked for, as \(failure.reason)")
            }
    }
}
