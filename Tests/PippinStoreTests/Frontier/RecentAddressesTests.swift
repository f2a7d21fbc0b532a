import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// Links of which nothing is to be kept are known without the database, and no others.
@Suite struct RecentAddressesTests {
    private func covers(
        _ recent: inout RecentAddresses, _ request: CrawlRequest, host: Int64 = 1, seed: Int64 = 1
    ) -> Bool {
        recent.number(covering: request, StoredAddress(request), host: host, seed: seed, isLink: false) == 5
    }

    @Test func `a link on a way as long or longer says nothing new, a shorter one does`() {
        var recent = RecentAddresses()
        let request = CrawlRequest.page("https://a.test/news/1", depth: 3)
        #expect(!covers(&recent, request))
        recent.insert(StoredAddress(request), number: 5, host: 1, depth: 3, seed: 1, isLink: false)
        #expect(covers(&recent, request))
        #expect(covers(&recent, .page("https://a.test/news/1", depth: 4), seed: 2))
        #expect(!covers(&recent, .page("https://a.test/news/1", depth: 2)))
        // Of two ways of one length the seed decides.
        #expect(!covers(&recent, request, seed: 2))
        #expect(!covers(&recent, request, host: 2))
        #expect(!covers(&recent, .page("https://a.test/news/2", depth: 3)))
    }

    @Test func `what a sitemap or the list of seeds says of a page is always heard`() throws {
        var recent = RecentAddresses()
        var request = CrawlRequest.page("https://a.test/", depth: 1)
        recent.insert(StoredAddress(request), number: 5, host: 1, depth: 0, seed: 1, isLink: false)
        #expect(covers(&recent, request))
        request.modifiedAt = MadeUpTime.start
        #expect(!covers(&recent, request))
        request.modifiedAt = nil
        request.sitemap.add(SitemapFacts(alternates: ["ios-app://1/a"]))
        #expect(!covers(&recent, request))
        #expect(!covers(&recent, CrawlRequest(seed: Seed(url: try #require(WebURL("https://a.test/"))))))
    }

    @Test func `links are counted, whether they say something new or not`() {
        var recent = RecentAddresses()
        let request = CrawlRequest.page("https://a.test/news/1", depth: 3)
        let address = StoredAddress(request)
        func link() { _ = recent.number(covering: request, address, host: 1, seed: 1, isLink: true) }
        #expect(recent.links(to: address, host: 1) == 1)
        link()
        recent.insert(address, number: 5, host: 1, depth: 3, seed: 1, isLink: false)
        #expect(recent.links(to: address, host: 1) == 1)
        #expect(covers(&recent, request) && recent.links(to: address, host: 1) == 1)
        link()
        link()
        #expect(recent.links(to: address, host: 1) == 3)
        recent.insert(address, number: 5, host: 1, depth: 2, seed: 1, isLink: true)
        #expect(recent.links(to: address, host: 1) == 4)
        #expect(recent.links(to: address, host: 2) == 1)
    }

    @Test func `a depth or a seed too large to remember is left to the database`() {
        var recent = RecentAddresses()
        let request = CrawlRequest.page("https://a.test/", depth: 70_000)
        recent.insert(StoredAddress(request), number: 5, host: 1, depth: 1, seed: 1, isLink: false)
        #expect(covers(&recent, request))
        recent.insert(StoredAddress(request), number: 5, host: 1, depth: 70_000, seed: 1, isLink: false)
        #expect(!covers(&recent, request))
        recent.insert(StoredAddress(request), number: 5, host: 1, depth: 1, seed: 1 << 32, isLink: false)
        #expect(!covers(&recent, request))
    }

    @Test func `addresses met lately are known while the table grows, and after it is full`() {
        var recent = RecentAddresses()
        func address(_ page: Int) -> StoredAddress { StoredAddress(host: "a.test", text: "s/\(page)") }
        func number(_ page: Int) -> Int64? { recent.number(of: address(page), host: 1) }
        func insert(_ page: Int) {
            recent.insert(address(page), number: Int64(page), host: 1, depth: 1, seed: 1, isLink: false)
        }
        for page in 0..<3_000 { insert(page) }
        // A few rows were full before the table grew.
        #expect((0..<3_000).count { number($0) == Int64($0) } > 2_500)
        let count = RecentAddresses.most + RecentAddresses.most / 4
        for page in 3_000..<count { insert(page) }
        #expect((0..<1_000).count { number($0) != nil } < 500)
        let last = count - 100..<count
        for page in last { #expect(number(page) == Int64(page)) }
        recent.forget(address(last.lowerBound), host: 1)
        #expect(number(last.lowerBound) == nil)
        #expect(number(last.lowerBound + 1) == Int64(last.lowerBound + 1))
        #expect(recent.number(of: address(last.lowerBound + 1), host: 2) == nil)
    }

    @Test func `siblings lie near each other, and where is the storage's secret`() {
        func place(_ path: String, key: UInt64 = 7) -> Int64 {
            URLNumber.place(of: StoredAddress(CrawlRequest.page("https://a.test" + path)), key: key)
        }
        let first = place("/products/mug?color=red")
        for sibling in ["/products/mug?color=blue/green", "/products/plate", "/products/"] {
            #expect(abs(place(sibling) - first) < 1 << URLNumber.directoryBits)
            #expect(place(sibling) != first)
        }
        #expect(place("/products/mug?color=red", key: 8) != first)
        for path in ["/", "/a", "/a/b/c?x=/y/z"] { #expect(0..<1 << URLNumber.placeBits ~= place(path)) }
    }
}
