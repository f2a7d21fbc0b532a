import Foundation
import PippinCrawl
import PippinPage
import Synchronization

/// A web without sockets: many hosts, each with a part of the pages, and answers that are there at once.
final class MemoryWeb: Fetcher {
    /// As many as visits are under way at a time (`fetch.concurrency`), since a host is asked for one page at a time.
    static let hosts = 64
    /// Each page is on every eighth host.
    private static let parts = 8

    let origins = (1...MemoryWeb.hosts).map { "http://127.0.1.\($0):8090" }
    private let pages: [[UInt8]]
    /// The home page of each part's hosts, with links to their pages.
    private let homes: [[UInt8]]
    private let count = Atomic(0)

    init(pages: [[UInt8]]) {
        self.pages = pages
        homes = (0..<Self.parts).map { part in
            let links = pages.indices.filter { $0 % Self.parts == part }.map {
                "<li><a href=\"/\($0).html\">Page \($0)</a>"
            }
            return Array("<!doctype html><title>All pages</title><ul>\(links.joined())</ul>".utf8)
        }
    }

    /// How many pages were fetched.
    var served: Int { count.load(ordering: .relaxed) }

    func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> {
        // Empty for a home page.
        let path = request.url.href.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).last ?? ""
        func answer(_ status: Int, _ type: String, _ body: [UInt8]) -> Result<FetchResponse, FetchError> {
            .success(
                FetchResponse(
                    url: request.url, status: status, headers: HTTPHeaders([("Content-Type", type)]), body: body,
                    fetchedAt: Date(), remoteAddress: String(request.url.politenessHost)))
        }
        if path == "robots.txt" {
            return answer(200, "text/plain", Array("User-agent: *\nDisallow: /private/\n".utf8))
        }
        let page: [UInt8]
        if path.isEmpty {
            let host = Int(request.url.politenessHost.split(separator: ".").last ?? "") ?? 0
            page = homes[host % Self.parts]
        } else if path.hasSuffix(".html"), let number = Int(path.dropLast(5)), pages.indices.contains(number) {
            page = pages[number]
        } else {
            return answer(404, "text/plain", [])
        }
        count.add(1, ordering: .relaxed)
        return answer(200, "text/html; charset=utf-8", page)
    }

    func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
        .success(NetworkAddress(host).map { [$0] } ?? [])
    }
}
