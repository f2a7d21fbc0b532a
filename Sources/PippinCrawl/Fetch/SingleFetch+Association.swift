import PippinPage

extension SingleFetch {
    /// Bytes read of a file: what Android's verifier reads, and eight times what Apple's takes.
    private static let maximumAssociationBytes = AssetLinks.maximumBytes
    /// Of Android's verifier, doubled: it asks three times.
    private static let associationTimeout = Duration.seconds(10)

    /// The association files of a host, and the files that its asset links include.
    ///
    /// - Parameter site: any URL of the host.
    /// - Throws: when nothing may be asked, for want of a contact or of an http URL; all else is an outcome.
    public mutating func hostAssociations(of site: WebURL) async throws(Failure) -> HostAssociations {
        let locations = AppleAssociationOutcome.locations(of: site)
        guard locations.count == 2, let linksURL = AssetLinksOutcome.location(of: site) else {
            throw .notHTTP(site.href)
        }
        let wellKnown = AppleAssociationOutcome(try await associationFile(at: locations[0]), at: locations[0])
        let rootCopy = AppleAssociationOutcome(try await associationFile(at: locations[1]), at: locations[1])
        let assetLinks = AssetLinksOutcome(try await associationFile(at: linksURL), at: linksURL)
        guard assetLinks.isUsable, let links = assetLinks.links else {
            return HostAssociations(wellKnown: wellKnown, rootCopy: rootCopy, assetLinks: assetLinks)
        }
        var gathering = AssetLinksGathering(links, at: linksURL)
        while let include = gathering.wanted.first {
            // Another host's file voids itself only, also for want of a contact.
            do throws(Failure) {
                gathering.take(try await associationFile(at: include.url), for: include)
            } catch {
                gathering.take(.unreachable("\(error)"), for: include)
            }
        }
        return HostAssociations(
            wellKnown: wellKnown, rootCopy: rootCopy, assetLinks: assetLinks, included: gathering)
    }

    /// One exchange, since devices follow no redirect, under the rules of the host like any other.
    private mutating func associationFile(at url: WebURL) async throws(Failure) -> AssociationFetch {
        let result = await fetch(url, maximumHops: 0, asking: .associationFile) {
            FetchRequest(
                url: $0, purpose: .associationFile, maximumBodyBytes: Self.maximumAssociationBytes,
                timeout: Self.associationTimeout)
        }
        switch result {
        case .success(let response):
            return .fetched(bytes: response.body, contentType: response.headers["Content-Type"])
        case .failure(let failure):
            switch failure {
            case .notHTTP, .contactMissing: throw failure
            case .status(let status, _): return .status(status)
            case .tooManyRedirects(let target): return .redirected(to: target.href)
            case .badRedirect(_, let location): return .redirected(to: location)
            case .disallowed(_, let decision): return .disallowed(decision.sentence)
            case .robotsUnreachable(let url):
                if let error = url.origin.flatMap({ robotsErrors[$0] }) { return Self.unanswered(error) }
                return .unreachable("its robots.txt cannot be had, so nothing of it may be fetched")
            case .failed(let error, _): return Self.unanswered(error)
            }
        }
    }

    private static func unanswered(_ error: FetchError) -> AssociationFetch {
        switch error {
        case .tls(let reason): .insecure(reason)
        case .bodyTooLarge(let limit): .tooLarge(limit: limit)
        default: .unreachable(error.code)
        }
    }
}
