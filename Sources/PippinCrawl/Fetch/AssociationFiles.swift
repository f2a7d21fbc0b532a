import PippinPage

/// The association files of one host: which of them to ask for next, and what they come to in the end. A crawl and a look at
/// a single host go by the same.
///
///     /.well-known/apple-app-site-association ──refused──► /apple-app-site-association
///     /.well-known/assetlinks.json ──includes──► the files that it includes, on whatever hosts
struct AssociationFiles: Sendable {
    /// Any URL of the host.
    let site: WebURL
    /// Nil where nobody wants Apple's.
    private let apple: (wellKnown: SiteFileRequest, rootCopy: SiteFileRequest)?
    private let assetLinks: SiteFileRequest?
    private let asksForEveryPlace: Bool
    private let seed: Seed

    /// - Parameters:
    ///   - everyPlace: also the copy at the root where the file under `/.well-known/` is good; it is never in force then.
    init(
        of site: WebURL, apple: Bool = true, android: Bool = true, everyPlace: Bool = false, seed: Seed
    ) {
        self.site = site
        self.seed = seed
        asksForEveryPlace = everyPlace
        let places = AppleAssociationOutcome.locations(of: site)
            .compactMap { SiteFileRequest(.appleAssociation, at: $0, seed: seed) }
        self.apple = apple && places.count == 2 ? (places[0], places[1]) : nil
        assetLinks =
            android
            ? AssetLinksOutcome.location(of: site).flatMap { SiteFileRequest(.assetLinks, at: $0, seed: seed) } : nil
    }

    /// Everything that is asked for, as far as the files that are known lead to others.
    func all(_ known: [SiteFileID: SiteFileOutcome]) -> [SiteFileRequest] {
        var all: [SiteFileRequest] = []
        if let apple {
            all.append(apple.wellKnown)
            if asksForEveryPlace || isRefused(apple.wellKnown, known) { all.append(apple.rootCopy) }
        }
        if let assetLinks {
            all.append(assetLinks)
            all += gathering(assetLinks, known)?.wanted.compactMap { request(for: $0) } ?? []
        }
        return all
    }

    /// What is missing still; empty when `associations` can say all.
    func wanted(_ known: [SiteFileID: SiteFileOutcome]) -> [SiteFileRequest] {
        all(known).filter { known[$0.id] == nil }
    }

    /// What became of the files; those that are not known count as not asked for.
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
            assetLinks: Self.assetLinks(assetLinks.flatMap { known[$0.id] }, at: linksURL), included: included)
    }

    private func isRefused(_ request: SiteFileRequest, _ known: [SiteFileID: SiteFileOutcome]) -> Bool {
        guard let outcome = known[request.id] else { return false }
        return Self.apple(outcome, at: request.url).judgement.standing == .refused
    }

    /// Nil while the host's own file is not there to say what it includes.
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
        return AppleAssociationOutcome(outcome?.failure?.associationFetch(at: url) ?? .notAsked, at: url)
    }

    private static func assetLinks(_ outcome: SiteFileOutcome?, at url: WebURL) -> AssetLinksOutcome {
        if case .found(.assetLinks(let found), _)? = outcome { return found }
        return AssetLinksOutcome(outcome?.failure?.associationFetch(at: url) ?? .notAsked, at: url)
    }
}
