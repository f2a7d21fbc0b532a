import Testing

@testable import PippinPage

/// What we chose: which URLs are taken for the same page.
@Suite struct URLKeyTests {
    private func key(_ text: String) -> String? {
        WebURL(text).map { URLKey($0).string }
    }

    @Test func `what never reaches the server or means nothing there is dropped`() {
        #expect(key("https://pip.example/a#b") == "https://pip.example/a")
        #expect(key("https://pip.example/#!/a") == "https://pip.example/")
        #expect(key("https://u:p@pip.example.:443/a?") == "https://pip.example/a")
        #expect(key("https://pip.example.:8443/") == "https://pip.example:8443/")
        #expect(key("https://pip.example/a?#x") == "https://pip.example/a")
    }

    @Test func `escapes of unreserved characters are decoded and the rest is in upper case`() {
        #expect(
            key("https://pip.example/%7euser/%41%2d%5f?%61=%2f%c3%a9") == "https://pip.example/~user/A-_?a=%2F%C3%A9")
        #expect(key("https://pip.example/100%/%4") == "https://pip.example/100%25/%254")
        #expect(key("https://pip.example/%%34%31") == "https://pip.example/%2541")
        #expect(key("https://pip.example/%2541") == "https://pip.example/%2541")
    }

    @Test func `what servers may tell apart stays`() {
        for url in [
            "https://pip.example/a/", "https://pip.example/A", "https://pip.example/?b=1&a=2",
            "https://pip.example/?a&&b",
            "https://pip.example//a;v=1", "https://pip.example/(x)", "http://pip.example/?at=1&ct=2",
            "app://h/a?utm_source=x",
            "https://pip.example/?sid=12&sessionid=42", "https://pip.example/?utm=1&gclidx=2", "mailto:a?b=%41",
        ] {
            #expect(key(url) == url)
        }
    }

    @Test func `tracking parameters are dropped and the order of the others is kept`() {
        #expect(key("https://pip.example/?utm_source=a&b=1&UTM_Medium=c&a=2&gclid=x") == "https://pip.example/?b=1&a=2")
        #expect(
            key("https://pip.example/?fbclid=1&_branch_match_id=2&mc_eid&hsCtaTracking=3#f") == "https://pip.example/")
        #expect(key("https://pip.example/?ut%6d_source=a&b") == "https://pip.example/?b")
        #expect(key("https://pip.example/?at_medium=x") == "https://pip.example/")
        #expect(key("https://apps.apple.com/app/id1?at=10l&ct=web&mt=8&l=en") == "https://apps.apple.com/app/id1?l=en")
    }

    @Test func `session identifiers are dropped from path and query`() {
        #expect(key("https://pip.example/a;jsessionid=1A.node1/b;v=2?x") == "https://pip.example/a/b;v=2?x")
        #expect(key("https://pip.example/a;JSESSIONID=1A") == "https://pip.example/a")
        #expect(key("https://pip.example/(S(abcdefghijklmnopqrstuvwx))/a.aspx") == "https://pip.example/a.aspx")
        #expect(key("https://pip.example/(S(abcdefghijklmnopqrstuvwx))") == "https://pip.example/")
        #expect(key("https://pip.example/?PHPSESSID=4c1&CFID=1&CFTOKEN=2&a=1") == "https://pip.example/?a=1")
        #expect(key("https://pip.example/?sid=0123456789abcdef0123456789ABCDEF") == "https://pip.example/")
        #expect(key("https://pip.example/?ASPSESSIONIDAAAABBBB=ABCDEFGHIJKLMNOPQRSTUVWX&a") == "https://pip.example/?a")
    }

    @Test func `keys are ordered as their text`() throws {
        let a = URLKey(try #require(WebURL("https://a.example/")))
        let b = URLKey(try #require(WebURL("https://b.example/")))
        #expect(a < b && "\(a)" == a.string)
    }
}
