import Foundation
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Which pages that their sites tell of are visited, and how they belong to a job.
@Suite struct ChangedPageTests {
    @Test(arguments: [
        ("https://a.test/shop/x", "https://a.test/shop/"), ("https://www.a.test/x", "https://a.test/"),
        ("https://a.test/x?utm_source=y", "https://a.test/"), ("https://b.test/", "other-host"),
        ("https://a.test/private/x", "excluded"), ("https://a.test/a/a/a/a", "repeated-segments"),
        ("https://deep.test/x", "too-deep"),
    ])
    func `a page belongs to its seed, or has a reason`(text: String, expected: String) throws {
        var configuration = CrawlConfiguration()
        configuration.scope.exclude = ["*/private/*"]
        configuration.hosts = try CrawlConfiguration(yaml: "hosts: { deep.test: { max_depth: 0 } }", file: "c.yaml")
            .hosts
        let seeds = try ["https://a.test/", "https://a.test/shop/", "https://deep.test/"].map { try Seeds.seed($0) }
        let scope = CrawlScope(configuration, seeds: seeds)
        let at = Date(timeIntervalSince1970: 1_795_000_000)
        switch scope.request(forChanged: try #require(WebURL(text)), at: at) {
        case .success(let request):
            #expect(request.seed.url.href == expected && request.depth == 1 && request.modifiedAt == at)
            #expect(request.url.query == nil && !request.standsForSeed)
        case .failure(let refusal): #expect(refusal.rawValue == expected)
        }
    }

    @Test func `a job without seeds takes no page`() throws {
        let scope = CrawlScope(CrawlConfiguration(), seeds: [])
        let found = scope.request(forChanged: try #require(WebURL("https://a.test/")), at: Date())
        #expect(found == .failure(.otherHost))
    }
}
