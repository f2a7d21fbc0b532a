import PippinCrawl
import PippinPage

extension SingleFetch {
    /// The limit of hosts whose files Apple's CDN is asked for: the page's own and two that its deep links lead to.
    private static let maximumHostsAtApple = 3

    /// Asks Apple's CDN for its copies of the association files of hosts. Like every request, under the CDN's robots.txt and in
    /// its turn.
    ///
    /// - Parameters:
    ///   - sites: any URL of each host. Hosts that the CDN does not ask are left out.
    ///   - known: what was found out before, and is now.
    mutating func copiesAtApple(
        of sites: [WebURL], knowing known: inout KnownProbes
    ) async -> [AppleCDNEvidence] {
        var copies: [AppleCDNEvidence] = []
        var seen: Set<String> = []
        for site in sites where copies.count < Self.maximumHostsAtApple {
            guard let root = SiteAssociations.site(of: site),
                let url = AppleAssociationOutcome.locationAtApple(of: root), seen.insert(url.href).inserted
            else { continue }
            let answer: AppleCDNEvidence.Answer
            if let found = known.appleCopies[url.href] {
                answer = found
            } else {
                answer = await copyAtApple(url)
                // Enough for the hosts of one site and its neighbors.
                if known.appleCopies.count >= 64 { known.appleCopies = [:] }
                known.appleCopies[url.href] = answer
            }
            copies.append(AppleCDNEvidence(site: root, url: url, answer: answer))
        }
        return copies
    }

    private mutating func copyAtApple(_ url: WebURL) async -> AppleCDNEvidence.Answer {
        let kind = SiteFileKind.appleAssociation
        let request = FetchRequest(
            url: url, purpose: kind.purpose, maximumBodyBytes: kind.maximumBodyBytes, timeout: kind.timeout)
        switch await exchange(request) {
        case .failure(let failure): return .unseen("\(failure)")
        case .success(let response):
            switch response.meaning {
            case .content where request.purpose.isAnswered(by: response.status):
                return .file(
                    AppleAssociationOutcome(
                        .fetched(bytes: response.body, mediaType: response.headers.mediaType), at: url))
            case .gone:
                return .failure(
                    AppleCDNEvidence.Failure(
                        status: response.status, reason: response.headers["Apple-Failure-Reason"],
                        details: response.headers["Apple-Failure-Details"], source: response.headers["Apple-From"]))
            default: return .unseen("the CDN answers with status \(response.status)")
            }
        }
    }
}
