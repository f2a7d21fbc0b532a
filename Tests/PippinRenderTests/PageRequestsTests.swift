import PippinCrawl
import PippinPage
import Testing

@testable import PippinRender

/// What a page's requests get, without a browser.
@Suite struct PageRequestsTests {
    @Test func `a page gets no more bytes than it may, also if it asks for all of them at once`() async throws {
        var settings = RenderSettings()
        settings.maximumBytes = 100
        let page = RenderedSite.response(try #require(WebURL("https://app.example/")), 200, "text/html", "<p>")
        let (asked, load) = AsyncStream.makeStream(of: (requestID: String, Subresource).self)
        var requests = PageRequests(of: page, settings, load)
        for name in ["a", "b", "c"] {
            let event: JSONValue = [
                "resourceType": "Script", "request": ["url": .string("https://app.example/\(name)"), "method": "GET"],
            ]
            #expect(requests.reply(to: event, id: name, depth: 0, isStopped: false) == nil)
        }
        load.finish()
        for await (name, request) in asked {
            let body = String(repeating: "x", count: name == "c" ? 40 : 60)
            let answer = RenderedSite.response(request.url, 200, "text/javascript", body)
            _ = requests.reply(to: request, id: name, .response(answer, isKept: false))
        }
        let failures = requests.listed.map { request -> String? in
            if case .failed(let failure) = request.result { failure.refusalCode } else { nil }
        }
        #expect(failures == [nil, "too_many", nil])
    }
}
