import PippinCrawl
import PippinPage
import PippinReport

extension ValidatedVisit {
    /// The association files that the page's verification needs: of its own host, of those that its deep links lead to, and
    /// of the other one of `www.` and bare domain, which devices take for another host. All under robots.txt and with pauses.
    ///
    /// - Parameter result: how the page was had. Of a page that robots.txt forbids, or that answers with an error, its host's
    ///   files are looked at nevertheless; of a host that does not answer they are not asked for.
    static func associations(
        of result: Result<FetchResponse, SingleFetch.Failure>, manifest: WebAppManifest?,
        with single: inout SingleFetch
    ) async -> PageEvidence.Observation<AssociationEvidence> {
        var sites: [WebURL] = []
        let page: WebURL
        switch result {
        case .success(let response):
            page = response.url
            sites = wanted(by: response, manifest: manifest)
        case .failure(.disallowed(let url, _)), .failure(.status(_, let url)): page = url
        case .failure: return .missing(because: "the page could not be fetched")
        }
        if let own = SiteAssociations.site(of: page), !sites.contains(own) { sites.append(own) }
        if let sibling = SiteAssociations.sibling(of: page), !sites.contains(sibling) { sites.append(sibling) }
        guard !sites.isEmpty else {
            return .missing(because: "association files are served over https, and the page is http on a port")
        }
        var files = SiteAssociations()
        for site in sites {
            do throws(SingleFetch.Failure) {
                files[site] = try await single.hostAssociations(of: site)
            } catch {
                // A public host that nobody may be asked about for want of a contact: the checks say that it was not asked.
                continue
            }
        }
        return .made(AssociationEvidence(files: files))
    }

    /// What the record's deep links need, by the same rule as in a crawl.
    private static func wanted(by response: FetchResponse, manifest: WebAppManifest?) -> [WebURL] {
        guard response.bodyWasRead else { return [] }
        let facts = PageFacts(
            PageSource(
                url: response.url, headers: response.headers, bytes: response.body, fetchedAt: response.fetchedAt))
        let conclusion = RecordBuilder.conclusion(from: facts, manifest: manifest, now: response.fetchedAt)
        return conclusion.record.map { AssociationVerification.wanted(by: $0).map(\.site) } ?? []
    }
}
