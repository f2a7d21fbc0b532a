import PippinPage

extension SingleFetch {
    /// The association files of a host, in every place, and the files that its asset links include.
    ///
    /// - Parameter site: any URL of the host.
    /// - Throws: when nothing may be asked, for want of a contact or of an http URL; all else is an outcome.
    public mutating func hostAssociations(of site: WebURL) async throws(Failure) -> HostAssociations {
        let files = AssociationFiles(of: site, everyPlace: true, seed: Seed(url: site))
        var known: [SiteFileID: SiteFileOutcome] = [:]
        while let request = files.wanted(known).first {
            do throws(Failure) {
                known[request.id] = try await siteFile(request)
            } catch {
                // Another host's file voids itself only, also for want of a contact.
                guard request.url.origin != site.origin, error.isWantOfContact else { throw error }
                known[request.id] = .absent(.contactMissing)
            }
        }
        guard let associations = files.associations(known) else { throw .notHTTP(site.href) }
        return associations
    }
}
