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
    ) async throws(Failure) -> HostAssociations {
        let files = AssociationFiles(of: site, everyPlace: everyPlace, seed: Seed(url: site))
        var known: [SiteFileID: SiteFileOutcome] = [:]
        while let request = files.wanted(known).first {
            do throws(Failure) {
                known[request.id] = try await siteFile(request)
            } catch {
                // A failure of another host's file, even a missing contact, concerns only that file.
                guard request.url.origin != site.origin, error.isWantOfContact else { throw error }
                known[request.id] = .absent(.contactMissing)
            }
        }
        guard let associations = files.associations(known) else { throw .notHTTP(site.href) }
        return associations
    }
}
