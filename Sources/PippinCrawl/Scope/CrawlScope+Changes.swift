import Foundation
import PippinPage

extension CrawlScope {
    /// The request for a page that its site says has changed. It counts as the entry of a sitemap: one link from its seed; a page
    /// that is known is visited sooner, unless such dates of it were wrong before.
    ///
    /// - Returns: the reason if the job does not visit the page.
    public func request(forChanged url: WebURL, at date: Date) -> Result<CrawlRequest, Refusal> {
        guard let anySeed, let seed = seeds(of: url, foundFrom: anySeed).first else { return .failure(.otherHost) }
        var request = CrawlRequest(link: url, depth: 1, seed: seed, discovery: .sitemap)
        request.modifiedAt = date
        if let refusal = refusal(of: request) { return .failure(refusal) }
        return .success(request)
    }
}

extension CrawlScope.Refusal: Error {}
