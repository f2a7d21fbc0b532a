import Testing

@testable import PippinPage

/// What belongs to one site, by the Public Suffix List.
@Suite struct SiteIdentityTests {
    @Test(arguments: [
        ("id.me", "www.id.me"), ("shop.example.co.uk", "example.co.uk"), ("m.example.com", "www.example.com"),
        ("a.test", "b.a.test"), ("example.org.", "www.example.org"), ("www.gov.uk", "gov.uk"),
        ("www.github.io", "github.io"), ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"),
        ("deutsch.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"), ("x.city.kawasaki.jp", "city.kawasaki.jp"),
        ("help.ann.notion.site", "ann.notion.site"),
    ])
    func `hosts of one registered domain are one site`(a: String, b: String) {
        #expect(SiteIdentity.isSameSite(a, b))
        #expect(SiteIdentity.site(of: a) == SiteIdentity.site(of: b))
    }

    @Test(arguments: [
        ("ann.notion.site", "bob.notion.site"), ("ann.github.io", "bob.github.io"), ("ann.github.io", "github.io"),
        ("ann.id.au", "bob.id.au"), ("one.co.uk", "two.co.uk"), ("127.0.0.1", "127.1.0.1"), ("10.0.0.1", "192.0.0.1"),
        ("[::1]", "[::2]"), ("localhost", "shop.localhost"), ("ann.wordpress.com", "bob.wordpress.com"),
        ("xn--85x722f.xn--55qx5d.cn", "other.xn--55qx5d.cn"), ("a.kawasaki.jp", "b.kawasaki.jp"),
        ("ann.blogspot.com", "bob.blogspot.com"), ("id.me", "me.com"),
    ])
    func `two users of a public suffix are two sites`(a: String, b: String) {
        #expect(!SiteIdentity.isSameSite(a, b))
    }

    @Test func `addresses, single names and public suffixes have no registered domain`() {
        for host in ["192.0.2.1", "[2001:db8::1]", "localhost", "co.uk", "github.io", "notion.site", "", "."] {
            #expect(SiteIdentity.registeredDomain(of: host) == nil, "\(host)")
        }
        #expect(SiteIdentity.registeredDomain(of: "a.b.xn--h2brj9c8c") == "b.xn--h2brj9c8c")
        #expect(SiteIdentity.registeredDomain(of: "x.y.ann.notion.site") == "ann.notion.site")
        #expect(!SiteIdentity.isSameSite(nil, nil))
    }

    @Test func `a name that is too long for the network is a site alone`() {
        let long = String(repeating: "a.", count: 200_000) + "example.com"
        #expect(SiteIdentity.registeredDomain(of: long) == nil)
        #expect(!SiteIdentity.isSameSite(long, "example.com"))
    }

    @Test func `www and the bare domain are looked at together where one of them is a registered domain`() throws {
        func sibling(_ url: String) throws -> String? { SiteAssociations.sibling(of: try #require(WebURL(url)))?.href }
        #expect(try sibling("https://www.id.me/") == "https://id.me/")
        #expect(try sibling("https://id.me/") == "https://www.id.me/")
        #expect(try sibling("https://shop.id.me/") == nil)
    }
}
