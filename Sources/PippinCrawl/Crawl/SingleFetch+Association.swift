import PippinPage

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
