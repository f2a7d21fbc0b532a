import Foundation
import PippinPage

/// What a visit needs to know of a page it has read: where it leads, whether it may be filed, and its record.
struct PageReading {
    let source: PageSource
    let isIndexable: Bool
    let followsLinks: Bool
    let canonical: WebURL?
    /// Target of a refresh without delay, which counts as a redirect.
    let immediateRefresh: WebURL?
    let outlinks: [WebURL]
    private let deepLinks: [String]

    /// Steps 6 to 8.
    init(_ response: FetchResponse) {
        source = PageSource(
            url: response.url, status: response.status, headers: response.headers, bytes: response.body,
            fetchedAt: response.fetchedAt)
        let document = HTMLDocument(utf8: response.body)
        let base = document.baseURL(pageURL: response.url)
        var metas: [(name: String, content: String)] = []
        var refresh: WebURL?
        for element in document.elements(named: .meta) {
            guard let content = document.value(of: .content, on: element) else { continue }
            if let name = document.value(of: .name, on: element) { metas.append((name, content)) }
            if document.value(of: .httpEquiv, on: element)?.lowercased() == "refresh", content.hasPrefix("0;url=") {
                refresh = WebURL(content.dropFirst(6), base: base)
            }
        }
        let directives = RobotsDirectives(metas: metas, headers: response.headers, agents: ["Applebot"])
        isIndexable = !directives.noindex
        followsLinks = !directives.nofollow
        immediateRefresh = refresh
        canonical = document.elements(named: .link)
            .first { document.value(of: .rel, on: $0) == "canonical" }
            .flatMap { document.value(of: .href, on: $0) }.flatMap { WebURL($0, base: base) }
        outlinks = document.elements(named: .a).compactMap { element in
            guard document.value(of: .rel, on: element) != "nofollow" else { return nil }
            return document.value(of: .href, on: element).flatMap { WebURL($0, base: base) }
        }
        deepLinks = metas.filter { $0.name == "apple-itunes-app" }.map(\.content)
    }

    /// Step 9.
    func record(identity: WebURL, seeds: [Seed]) -> DeepLinkRecord {
        DeepLinkRecord(
            uniqueIdentifier: identity.href, url: source.url.href, seeds: Set(seeds.map(\.url.href)).sorted(),
            deepLinks: deepLinks, contentHash: String(source.bytes.count))
    }

    static func contentType(of response: FetchResponse) -> String {
        response.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
    }

    static func isPage(_ response: FetchResponse) -> Bool {
        ["text/html", "application/xhtml+xml", ""].contains(contentType(of: response))
    }
}
