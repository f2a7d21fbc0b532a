import PippinTestSupport
import Testing

@testable import PippinPage

/// The parts of a URL as Pippin hands them out, and properties that hold whatever the input.
@Suite struct WebURLTests {
    @Test func `a URL has parts`() throws {
        let url = try #require(WebURL("https://user:pa%3Ass@pip.example:8443/a/b?q=1#top"))
        #expect(url.scheme == "https")
        #expect(url.username == "user")
        #expect(url.password == "pa%3Ass")
        #expect(url.host == "pip.example")
        #expect(url.port == 8443)
        #expect(url.path == "/a/b")
        #expect(url.query == "q=1")
        #expect(url.fragment == "top")
        #expect(url.pathAndQuery == "/a/b?q=1")
        #expect(url.origin == "https://pip.example:8443")
        #expect(url.isHTTP)
        #expect(url.removingFragment().href == "https://user:pa%3Ass@pip.example:8443/a/b?q=1")
        #expect(url.removingFragment().fragment == nil)
        #expect("\(url)" == url.href)
    }

    @Test func `missing parts are nil and empty ones are empty`() throws {
        let url = try #require(WebURL("http://pip.example/?#"))
        #expect(url.query == "" && url.fragment == "" && url.port == nil)
        #expect(WebURL("http://pip.example:80/?#") == url)
        #expect(url.username == "" && url.password == "")
        let plain = try #require(WebURL("http://pip.example"))
        #expect(plain.query == nil && plain.fragment == nil && plain.path == "/")
        #expect(WebURL("http://:p@pip.example")?.password == "p")
        #expect(WebURL("http://u:@pip.example")?.href == "http://u@pip.example/")
        #expect(WebURL("http://:@pip.example")?.origin == "http://pip.example")
        let mail = try #require(WebURL("mailto:a@b?c#d"))
        #expect(mail.host == nil && mail.origin == nil && mail.port == nil && !mail.isHTTP)
        #expect(mail.path == "a@b" && mail.query == "c" && mail.fragment == "d" && mail.username == "")
        #expect(WebURL("file:///x")?.host == nil)
        #expect(WebURL("app:/.//x")?.path == "//x")
        #expect(WebURL("wss://pip.example:443/")?.href == "wss://pip.example/")
    }

    @Test func `equal URLs are one element of a set`() {
        #expect(Set([WebURL("http://pip.example"), WebURL("HTTP://pip.example:80/")]).count == 1)
    }

    @Test func `what was joined in short is what the state machine joins`() throws {
        let base = try #require(WebURL("https://pip.example/a/b?q#f"))
        for reference in ["/x", "x.html", "x/y?z=1#w", "?n=1", "#n", "x-y_z/%D0%B0", "/x?a=/../b", "9/x", "-", "_?:"] {
            let quick = try #require(WebURL(reference, base: base))
            // A tab is removed before parsing, but keeps the reference from the shortcut.
            let slow = try #require(WebURL(reference + "\t", base: base))
            #expect(quick.href == slow.href)
            #expect(parts(quick) == parts(slow))
            let absolute = try #require(WebURL(quick.href))
            let absoluteSlow = try #require(WebURL("\t" + quick.href))
            #expect(parts(absolute) == parts(quick) && parts(absoluteSlow) == parts(quick))
        }
    }

    @Test(.slow) func `a serialized URL parses to itself`() {
        // Pieces that mean something in URLs, in an order that only depends on the seed.
        let pieces = [
            "http:", "https://", "file:", "app:", "app://", "ws:", "mailto:", "/", "//", "\\", ".", "..", "%2e", "%",
            "%41", "?",
            "#", "@", ":", ":80", ":65535", "a", "B", "é", "☃", "xn--", "xn--a", "[::1]", "[", "]", "1", "0x7f", ".1",
            " ", "\t",
            "\n", "|", "C|", "C:", "'", "\"", "<", "^", "`", "{", ";", "&", "=", "localhost", "pip.example", "ß",
            "\u{200D}",
            "\u{0}", "\u{7F}", "😀",
        ]
        let bases = [
            "https://u:p@h.example:8/a/b?c#d", "file:///C:/x/y", "file://s/x", "app:/.//x", "app://h", "data:x,y",
        ]
        .map { WebURL($0) }
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        var parsed = 0
        for _ in 0..<40_000 {
            let text = (0...next(9)).map { _ in pieces[next(pieces.count)] }.joined()
            guard let url = WebURL(text, base: bases[next(bases.count)]) else { continue }
            parsed += 1
            guard let again = WebURL(url.href) else {
                Issue.record("\(text.debugDescription) gave \(url.href), which does not parse")
                continue
            }
            #expect(parts(again) == parts(url), "\(text.debugDescription)")
            #expect(url.href.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
            let key = URLKey(url)
            #expect(WebURL(key.string).map { URLKey($0) } == key, "\(text.debugDescription)")
        }
        #expect(parsed > 10_000)
    }

    @Test(.slow) func `bytes of any kind do no harm`() {
        var state: UInt64 = 88_172_645_463_325_252
        let base = WebURL("https://pip.example/a/b")
        for length in 0..<3000 {
            let bytes = (0..<length % 40).map { _ in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return UInt8(truncatingIfNeeded: state >> 20)
            }
            for prefix in ["", "http://", "app://", "x:", "//["] {
                _ = WebURL(utf8: Array(prefix.utf8) + bytes, base: base).map { (URLKey($0), parts($0)) }
            }
        }
    }

    private func parts(_ url: WebURL) -> [String?] {
        [
            url.href, url.scheme, url.username, url.password, url.host, url.port.map { String($0) }, url.path,
            url.query,
            url.fragment, url.origin, url.pathAndQuery, url.removingFragment().href,
        ]
    }
}
