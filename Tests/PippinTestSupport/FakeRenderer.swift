import Foundation
import Synchronization

@testable import PippinCrawl
@testable import PippinPage

/// A browser as far as a crawl sees it: it asks for the scripts of a page, one after the other, and puts what they answer into the
/// page's `<div id="root"></div>`. A line `go ADDRESS` in a script is where it goes.
public final class FakeRenderer: Renderer {
    private let log = Mutex<[String]>([])
    private let failures: [String: RenderFailure]
    private let change: @Sendable (inout RenderedPage) -> Void

    /// - Parameters:
    ///   - failures: of pages, by their URL.
    ///   - change: changes what became of a page.
    public init(
        failures: [String: RenderFailure] = [:], change: @escaping @Sendable (inout RenderedPage) -> Void = { _ in }
    ) {
        (self.failures, self.change) = (failures, change)
    }

    /// The pages that were rendered, in order.
    public var rendered: [String] { log.withLock { $0 } }

    public func render(
        _ page: FetchResponse, loading loader: any SubresourceLoader
    ) async -> Result<RenderedPage, RenderFailure> {
        log.withLock { $0.append(page.url.href) }
        if let failure = failures[page.url.href] { return .failure(failure) }
        let html = String(decoding: page.body, as: UTF8.self)
        var made = ""
        var result = RenderedPage(html: [])
        for part in html.components(separatedBy: "<script src=\"").dropFirst() {
            guard let address = part.split(separator: "\"").first, var url = WebURL(String(address), base: page.url)
            else {
                continue
            }
            for _ in 0..<5 {
                let answer = await loader.load(Subresource(url: url, kind: .script))
                switch answer {
                case .response(let response, let isKept):
                    result.requests.append(
                        RenderedPage.Request(
                            url: url.href, kind: .script,
                            result: .answered(status: response.status, bytes: response.body.count, isKept: isKept)))
                    if case .page(let target)? = response.redirect?.target {
                        url = target
                        continue
                    }
                    guard response.status == 200 else { break }
                    for line in String(decoding: response.body, as: UTF8.self).split(separator: "\n") {
                        if line.hasPrefix("go ") {
                            result.navigations.append(String(line.dropFirst(3)))
                        } else {
                            made += line
                        }
                    }
                case .failed(let failure):
                    result.requests.append(RenderedPage.Request(url: url.href, kind: .script, result: .failed(failure)))
                }
                break
            }
        }
        result.html = Array(
            html.replacingOccurrences(of: "<div id=\"root\"></div>", with: "<div id=\"root\">\(made)</div>").utf8)
        change(&result)
        return .success(result)
    }
}
