import Testing

@testable import PippinPage

/// What the WHATWG URL Standard says, by its sections.
@Suite struct WebURLStandardTests {
    private func href(_ text: String, _ base: String? = nil) -> String? {
        WebURL(text, base: base.flatMap { WebURL($0) })?.href
    }

    // MARK: §4.4 input, scheme

    @Test func `space and control characters around a URL and line breaks within it do not count`() {
        #expect(href(" \u{0}\u{1F}https://pip.example/a \n") == "https://pip.example/a")
        #expect(href("ht\ntps://pi\tp.exam\rple/a\n/b") == "https://pip.example/a/b")
        #expect(href("https://pip.example/a b\u{7F}") == "https://pip.example/a%20b%7F")
    }

    @Test func `scheme and host are written in lower case and a default port is dropped`() {
        #expect(href("HTTPS://PIP.Example:443/A") == "https://pip.example/A")
        #expect(href("http://pip.example:80") == "http://pip.example/")
        #expect(href("http://pip.example:443") == "http://pip.example:443/")
        #expect(href("ftp://pip.example:21/") == "ftp://pip.example/")
        #expect(href("wss://pip.example:443/s") == "wss://pip.example/s")
        #expect(href("http://pip.example:/") == "http://pip.example/")
        #expect(href("http://pip.example:00008080/") == "http://pip.example:8080/")
        #expect(href("http://pip.example:65536/") == nil)
        #expect(href("http://pip.example:8x/") == nil)
        #expect(href("http://pip.example:99999999999999999999999/") == nil)
    }

    @Test func `special schemes tolerate missing, many and backward slashes`() {
        #expect(href("https:pip.example") == "https://pip.example/")
        #expect(href("https:////pip.example//a") == "https://pip.example//a")
        #expect(href("https:\\\\pip.example\\a\\b?c\\d") == "https://pip.example/a/b?c\\d")
        #expect(href("https:b", "https://pip.example/a/c") == "https://pip.example/a/b")
        #expect(href("http:b", "https://pip.example/a/c") == "http://b/")
        #expect(href("https:///") == nil)
        #expect(href("https://") == nil)
    }

    @Test func `custom schemes stay as they are`() {
        #expect(href("clownapp://home/feed?x=1#y") == "clownapp://home/feed?x=1#y")
        #expect(href("mailto:pip@pip.example?subject=a b") == "mailto:pip@pip.example?subject=a%20b")
        #expect(href("tel:+1-555-0100") == "tel:+1-555-0100")
        #expect(href("app:/a/../b") == "app:/b")
        #expect(href("app:a/../b") == "app:a/../b")
        #expect(href("app://Host/a\\b") == "app://Host/a\\b")
        #expect(href("app:a  ?q") == "app:a %20?q")
        #expect(href("data:text/plain,\u{E9}\"'<>") == "data:text/plain,%C3%A9\"'<>")
        #expect(href("1app:x") == nil)
    }

    // MARK: §4.4 relative references

    @Test func `references are resolved against their base`() {
        let base = "https://u:p@pip.example:8443/a/b/c?q#f"
        #expect(href("", base) == "https://u:p@pip.example:8443/a/b/c?q")
        #expect(href("#n", base) == "https://u:p@pip.example:8443/a/b/c?q#n")
        #expect(href("?n", base) == "https://u:p@pip.example:8443/a/b/c?n")
        #expect(href("n", base) == "https://u:p@pip.example:8443/a/b/n")
        #expect(href("n?x:y#z", base) == "https://u:p@pip.example:8443/a/b/n?x:y#z")
        #expect(href("/n", base) == "https://u:p@pip.example:8443/n")
        #expect(href("//other.example/n", base) == "https://other.example/n")
        #expect(href("../../../n", base) == "https://u:p@pip.example:8443/n")
        #expect(href("./", base) == "https://u:p@pip.example:8443/a/b/")
        #expect(href("..", base) == "https://u:p@pip.example:8443/a/")
        #expect(href("\\n", base) == "https://u:p@pip.example:8443/n")
        #expect(href("n:x", base) == "n:x")
        #expect(href("1:x", base) == "https://u:p@pip.example:8443/a/b/1:x")
        #expect(href("é", base) == "https://u:p@pip.example:8443/a/b/%C3%A9")
    }

    @Test func `an opaque base only takes fragments`() {
        #expect(href("#f", "mailto:a?b#c") == "mailto:a?b#f")
        #expect(href("x", "mailto:a") == nil)
        #expect(href("x") == nil)
        #expect(href("") == nil)
        #expect(href("../x", "app://h/a/b") == "app://h/x")
        #expect(href("//x/y", "app://h/a/b") == "app://x/y")
    }

    @Test func `dot segments are removed in every disguise`() {
        #expect(href("https://pip.example/a/./b/../c") == "https://pip.example/a/c")
        #expect(href("https://pip.example/a/%2e/b/%2E%2e/c/.%2e") == "https://pip.example/a/")
        #expect(href("https://pip.example/a/.../b/..c/.d") == "https://pip.example/a/.../b/..c/.d")
        #expect(href("https://pip.example/../../a") == "https://pip.example/a")
        #expect(href("https://pip.example//a//..//b") == "https://pip.example//a//b")
        #expect(href("%2e%2E/x", "https://pip.example/a/b") == "https://pip.example/x")
    }

    @Test func `a path that could be read as a host is set off by a dot`() {
        #expect(href("app:/.//p") == "app:/.//p")
        #expect(href("app:/a/..//p") == "app:/.//p")
        #expect(href("x", "app:/.//p") == "app:/.//x")
        #expect(href("..", "app:/.//p") == "app:/")
        #expect(href("?q", "app:/.//p") == "app:/.//p?q")
    }

    @Test func `file URLs know drive letters and localhost`() {
        #expect(href("file:///C|/a/../..") == "file:///C:/")
        #expect(href("file:c:\\x\\y") == "file:///c:/x/y")
        #expect(href("file://localhost/x") == "file:///x")
        #expect(href("file://Server/x") == "file://server/x")
        #expect(href("/x", "file:///C:/a/b") == "file:///C:/x")
        #expect(href("x", "file://server/a/b") == "file://server/a/x")
        #expect(href("D|/x", "file:///C:/a/b") == "file:///D:/x")
        #expect(href("//h:80/", "file:///a") == nil)
        #expect(href("file:") == "file:///")
    }

    // MARK: §1.3 percent-encoding

    @Test func `each part has its own percent-encode set`() {
        #expect(href("https://pip.example/\"#<>`") == "https://pip.example/%22#%3C%3E%60")
        #expect(href("https://pip.example/{^}|[]%zz'") == "https://pip.example/%7B%5E%7D|[]%zz'")
        #expect(href("https://pip.example/?'\"<>`{}^|") == "https://pip.example/?%27%22%3C%3E`{}^|")
        #expect(href("app://h/?'\"") == "app://h/?'%22")
        #expect(href("https://a;b:c|d@e@pip.example/") == "https://a%3Bb:c%7Cd%40e@pip.example/")
    }

    @Test func `bytes that are not UTF-8 count as the replacement character`() {
        #expect(WebURL(utf8: Array("https://pip.example/".utf8) + [0xFF, 0x41])?.path == "/%EF%BF%BDA")
        #expect(WebURL(utf8: Array("https://pip".utf8) + [0xC3])?.href == nil)
        #expect(WebURL(utf8: Array("https://pip.example/?a".utf8))?.query == "a")
    }

    // MARK: §3.5 hosts

    @Test func `hosts that end in a number are IPv4 addresses`() {
        #expect(href("http://0x7f.1/") == "http://127.0.0.1/")
        #expect(href("http://0300.0250.1/") == "http://192.168.0.1/")
        #expect(href("http://4294967295./") == "http://255.255.255.255/")
        #expect(href("http://4294967296/") == nil)
        #expect(href("http://99999999999999999999999999/") == nil)
        #expect(href("http://1.2.3.4.5/") == nil)
        #expect(href("http://256.1.1.1/") == nil)
        #expect(href("http://1..2/") == nil)
        #expect(href("http://pip.08/") == nil)
        #expect(href("http://1.2.3.4x/") == "http://1.2.3.4x/")
        #expect(href("http://0x/") == "http://0.0.0.0/")
        #expect(href("http://%31%32%37.1") == "http://127.0.0.1/")
        #expect(href("http://１２７.１") == "http://127.0.0.1/")
        #expect(href("app://127.1/") == "app://127.1/")
    }

    @Test func `IPv6 addresses are compressed`() {
        #expect(href("http://[2001:DB8:0:0:1:0:0:0]:80/") == "http://[2001:db8:0:0:1::]/")
        #expect(href("http://[0:0:0:0:0:0:0:0]/") == "http://[::]/")
        #expect(href("http://[::ffff:192.0.2.128]/") == "http://[::ffff:c000:280]/")
        #expect(href("http://[1:0:2:3:4:5:6:7]/") == "http://[1:0:2:3:4:5:6:7]/")
        #expect(href("app://[::1]:8080/") == "app://[::1]:8080/")
        for bad in [
            "[::1", "[]", "[:1]", "[1::2::3]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7:]",
            "[12345::]",
            "[::1.2.3]", "[::1.2.3.256]", "[::01.2.3.4]", "[::1.2.3.4.5]", "[1:2:3:4:5:6:7:1.2.3.4]", "[::1]x",
            "[::%31]",
            "[::g]", "[::1.]", "[::.1.2.3]", "[::1:]",
        ] {
            #expect(href("http://\(bad)/") == nil, "\(bad)")
        }
    }

    @Test func `forbidden characters make a host invalid`() {
        for bad in ["a b", "a<b", "a>b", "a^b", "a|b", "a%b", "a%00b", "a%7Fb", "a[b", "%"] {
            #expect(href("http://\(bad)/") == nil, "\(bad)")
        }
        #expect(href("http://a_b~!$&'()*+,;=.example/") == "http://a_b~!$&'()*+,;=.example/")
        #expect(href("app://a%00b%/") == "app://a%00b%/")
        #expect(href("app://a b/") == nil)
        #expect(href("app://Aé/") == "app://A%C3%A9/")
        #expect(href("http://a:b:1/") == nil)
        #expect(href("http://u@/") == nil)
        #expect(href("app://:80/") == nil)
        #expect(href("app:///x") == "app:///x")
    }

    @Test func `domains beyond ASCII become Punycode`() {
        #expect(href("https://Bücher.Example/") == "https://xn--bcher-kva.example/")
        #expect(href("https://b%C3%BCcher.example/") == "https://xn--bcher-kva.example/")
        #expect(href("https://faß.example/") == "https://xn--fa-hia.example/")
        #expect(href("https://FAẞ.example/") == "https://xn--fa-hia.example/")
        #expect(href("https://ＰＩＰ。example/") == "https://pip.example/")
        #expect(href("https://pi\u{AD}p.example/") == "https://pip.example/")
        #expect(href("https://-é-.example/") == "https://xn-----bja.example/")
        #expect(href("https://\u{AD}/") == nil)
        #expect(href("https://a\u{200D}b.example/") == nil)
        #expect(href("https://a\u{5D0}.example/") == nil)
        #expect(href("https://é.xn--a.example/") == nil)
        #expect(href("https://é.xn--abc-.example/") == nil)
        #expect(href("https://xn--a.Example/") == "https://xn--a.example/")
        #expect(href("https://" + String(repeating: "é", count: 5000) + "/") == nil)
    }
}
