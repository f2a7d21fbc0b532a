import PippinCrawl
import Testing

@Suite struct FetchErrorTests {
    @Test func `a host that cannot be reached rests, a page that is too large is never asked again`() {
        #expect(FetchError.timedOut.retry == .restHost)
        #expect(FetchError.bodyTooLarge(limit: 1).retry == .never)
        #expect(FetchError.truncatedBody.retry == .later)
    }
}
