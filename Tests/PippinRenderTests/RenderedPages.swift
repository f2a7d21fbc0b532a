import Foundation
import PippinCrawl
import PippinPage
import PippinRender
import PippinTestSupport
import Synchronization
import Testing

/// Pages for the browser, and their sub-resources, from memory.
struct RenderedSite: SubresourceLoader {
    static let address = "https://app.example/"

    private let files: [String: (type: String, body: String)]
    private let answer: @Sendable (Subresource) async -> SubresourceAnswer?
    private let asked: Asked

    final class Asked: Sendable {
        private let urls = Mutex<[String]>([])
        func add(_ url: String) { urls.withLock { $0.append(url) } }
        var all: [String] { urls.withLock { $0 } }
    }

    /// - Parameters:
    ///   - files: by URL. What is missing is answered with 404.
    ///   - answer: goes first.
    init(
        _ files: [String: (type: String, body: String)] = [:],
        answer: @escaping @Sendable (Subresource) async -> SubresourceAnswer? = { _ in nil }
    ) {
        (self.files, self.answer, asked) = (files, answer, Asked())
    }

    var requests: [String] { asked.all }

    func load(_ request: Subresource) async -> SubresourceAnswer {
        asked.add(request.url.href)
        if let answer = await answer(request) { return answer }
        guard let file = files[request.url.href] else {
            return .response(Self.response(request.url, 404), isKept: false)
        }
        return .response(Self.response(request.url, 200, file.type, file.body), isKept: false)
    }

    static func response(
        _ url: WebURL, _ status: Int, _ type: String = "text/html; charset=utf-8", _ body: String = "",
        fields: [(String, String)] = []
    ) -> FetchResponse {
        FetchResponse(
            url: url, status: status, headers: HTTPHeaders([("Content-Type", type)] + fields), body: Array(body.utf8),
            fetchedAt: Date(timeIntervalSince1970: 1_790_000_000))
    }

    static func page(_ html: String, fields: [(String, String)] = []) throws -> FetchResponse {
        response(try #require(WebURL(address)), 200, "text/html; charset=utf-8", html, fields: fields)
    }
}

/// The browser of these tests.
enum TestBrowser {
    static func settings(_ change: (inout RenderSettings) -> Void = { _ in }) -> RenderSettings {
        var settings = RenderSettings()
        change(&settings)
        return settings
    }

    /// Calls `body` with a browser, and ends it.
    static func with<Answer>(
        _ settings: RenderSettings = settings(), _ body: (Chromium) async throws -> Answer
    ) async throws -> Answer {
        let browser = Chromium(settings)
        do {
            let answer = try await body(browser)
            await browser.shutdown()
            return answer
        } catch {
            await browser.shutdown()
            throw error
        }
    }

    /// Renders a page.
    static func render(
        _ html: String, _ site: RenderedSite = RenderedSite(), _ settings: RenderSettings = settings()
    ) async throws -> RenderedPage {
        try await with(settings) { browser in
            try await browser.render(RenderedSite.page(html), loading: site).get()
        }
    }

    static func text(_ page: RenderedPage) -> String { String(decoding: page.html, as: UTF8.self) }
}

extension RenderedPage {
    /// The requests that our rules forbade, by their codes.
    var refusals: [String] {
        requests.compactMap { if case .failed(let failure) = $0.result { failure.refusalCode } else { nil } }
    }
}
