import PippinPage

/// What sitemaps say of pages that were already leased when the sitemap was read, so that the frontier could not add it.
struct LateSitemapFacts {
    private let context: Visit.Context
    private var facts: [URLKey: SitemapFacts] = [:]

    init(context: Visit.Context) { self.context = context }

    mutating func add(_ new: [URLKey: SitemapFacts]) { facts.merge(new) { $0.adding($1) } }

    /// Adds what is known late to a request that is visited now.
    mutating func complete(_ request: inout CrawlRequest) {
        if !facts.isEmpty, let late = facts.removeValue(forKey: request.key) { request.sitemap.add(late) }
    }

    /// Stores what is known late of a page that was visited, for its next visit.
    mutating func keep(of request: CrawlRequest) async throws {
        if let late = facts.removeValue(forKey: request.key) { try await store([request.key: late]) }
    }

    /// Stores what is left at the end of the run.
    func keepAll() async throws { try await store(facts) }

    private func store(_ facts: [URLKey: SitemapFacts]) async throws {
        guard let seed = context.scope.anySeed else { return }
        let requests = facts.compactMap { key, facts in
            // The URLs are known already. The large depth keeps this request from replacing a shorter way to them.
            WebURL(key.string).map {
                var request = CrawlRequest(url: $0, depth: 1_000_000, seed: seed, discovery: .sitemap)
                request.sitemap = facts
                return request
            }
        }
        if !requests.isEmpty { _ = try await context.frontier.add(requests) }
    }
}
