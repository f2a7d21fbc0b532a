import Foundation
import Testing

@testable import PippinPage

/// Where comments end decides what a page says: a `noindex` behind one counts.
@Suite struct HTMLCommentTests {
    private func facts(_ html: String) throws -> PageFacts {
        let url = try #require(WebURL("https://h.example/"))
        return PageFacts(
            PageSource(
                url: url, status: 200, headers: HTTPHeaders([("Content-Type", "text/html")]), bytes: Array(html.utf8),
                fetchedAt: Date(timeIntervalSince1970: 0)))
    }

    @Test(arguments: [
        "<!-->", "<!--->", "<!---->", "<!-- x -->", "<!-- x --!>", "<!----!>", "<!--x--!-->", "<!--<!-->", "<!--x--->",
        "<!x>", "<?x>", "</ x>",
    ])
    func `a noindex behind a whole comment counts`(comment: String) throws {
        #expect(try facts("<head>\(comment)<meta name=robots content=noindex>-->").directives.noindex)
        // Nor does a script end them otherwise.
        #expect(
            try facts("<head><script>\(comment)</script><meta name=robots content=noindex>-->").directives.noindex)
    }

    @Test(arguments: ["<!--", "<!-- >", "<!-- ->", "<!--x--!", "<!-- -- >", "<!--!>"])
    func `a noindex in a comment does not`(comment: String) throws {
        #expect(try !facts("<head>\(comment)<meta name=robots content=noindex>-->").directives.noindex)
    }

    @Test func `an encoding behind a whole comment counts`() throws {
        for comment in ["<!-->", "<!--->", "<!---->"] {
            #expect(try facts("\(comment)<meta charset=shift_jis>").encoding.name == "shift_jis")
        }
    }
}
