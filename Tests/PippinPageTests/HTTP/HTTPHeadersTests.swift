import PippinPage
import Testing

@Suite struct HTTPHeadersTests {
    @Test func `names compare without regard to case and keep their order`() {
        let headers = HTTPHeaders([
            ("X-Robots-Tag", "noindex"), ("Content-Type", "text/html"), ("x-robots-tag", "nofollow"),
        ])
        #expect(headers["content-TYPE"] == "text/html")
        #expect(headers.values("X-ROBOTS-TAG") == ["noindex", "nofollow"])
        #expect(headers["etag"] == nil)
    }
}
