import Foundation
import PathologicalPages
import PippinCrawl
import PippinPage
import PippinStore

/// What a crawl's visit of one page costs: robots.txt, scope, reading, links, record and storage, as in a job. The page is
/// answered from memory.
struct VisitedPage {
    /// CPU milliseconds of the crawl, without those of a crawl of an empty page.
    let milliseconds: Double

    init(_ page: PathologicalPage.Made) async throws {
        let empty = try await Self.emptyCrawl.value
        milliseconds = max(0, try await Self.best(of: 3, page) - empty)
    }

    /// What a crawl costs that has nothing to read.
    private static let emptyCrawl = Task { try await best(of: 9, PathologicalPage.Made(bytes: Array("<p>".utf8))) }

    private static func best(of count: Int, _ page: PathologicalPage.Made) async throws -> Double {
        var best = Double.infinity
        for _ in 0..<count { best = min(best, try await crawl(page)) }
        return best
    }

    /// CPU milliseconds of a crawl of the page alone, into a storage of its own.
    private static func crawl(_ page: PathologicalPage.Made) async throws -> Double {
        // A private host may be asked without delay.
        guard let url = WebURL("http://127.0.0.1/news/page.html") else { return 0 }
        var configuration = CrawlConfiguration()
        configuration.agent.contact = "benchmark@pippin.test"
        configuration.politeness.delay = .zero
        configuration.fetch.allowPrivateNetworks = true
        configuration.records = .all
        // Links are read, judged and counted, and none is followed.
        configuration.scope.maximumPages = 1
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-visit-\(UUID().uuidString)")
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch {
                print("\(folder.path) is left behind: \(error)")
            }
        }
        let storage = try CrawlStorage(folder: folder)
        let frontier = try storage.frontier(recrawl: configuration.recrawl)
        let crawler = Crawler(
            configuration: configuration, seeds: [Seed(url: url)], fetcher: OnePageWeb(page: page, url: url),
            frontier: frontier)
        let start = clock()
        _ = try await crawler.run()
        try await frontier.close(keeping: [])
        return Double(clock() - start) * 1e3 / Double(CLOCKS_PER_SEC)
    }
}

/// A web of one page. Everything else is missing.
private struct OnePageWeb: Fetcher {
    let page: PathologicalPage.Made
    let url: WebURL

    func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> {
        let isPage = request.url == url
        return .success(
            FetchResponse(
                url: request.url, status: isPage ? 200 : 404,
                headers: HTTPHeaders(isPage ? [("Content-Type", "text/html")] + page.headers : []),
                body: isPage ? page.bytes : [], fetchedAt: Date(), remoteAddress: "127.0.0.1"))
    }

    func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
        .success(NetworkAddress("127.0.0.1").map { [$0] } ?? [])
    }
}
