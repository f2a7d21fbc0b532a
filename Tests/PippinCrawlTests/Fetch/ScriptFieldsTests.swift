import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Which fields of a page's script go to its site.
@Suite struct ScriptFieldsTests {
    private func sent(_ fields: [(String, String)]) -> [String] {
        ScriptFields(fields.map { (name: $0.0, value: $0.1) }).fields.map { "\($0.name): \($0.value)" }
    }

    private static let own = [
        "Authorization", "Accept", "Accept-Language", "Content-Type", "X-Requested-With", "X-Key",
        "apollographql-client-name",
        "X-CSRF-Token", "Secret", "Proxyable", "X-Algolia-API-Key", "apikey",
    ]

    @Test(arguments: own) func `what is for scripts to set is sent`(_ name: String) {
        #expect(sent([(name, "a b;c")]) == ["\(name.lowercased()): a b;c"])
    }

    /// The forbidden names of the Fetch Standard (§2.2.2), and ours.
    private static let refused = [
        "Accept-Charset", "Accept-Encoding", "Access-Control-Request-Headers", "Access-Control-Request-Method",
        "Access-Control-Request-Private-Network", "Connection", "Content-Length", "Cookie", "Cookie2", "Date", "DNT",
        "Expect", "Host", "Keep-Alive", "Origin", "Referer", "Set-Cookie", "TE", "Trailer", "Transfer-Encoding",
        "Upgrade",
        "Via", "Proxy-Authorization", "proxy-x", "Sec-Fetch-Mode", "sec-ch-ua", "SEC-X", "X-HTTP-Method",
        "X-HTTP-Method-Override", "x-method-override", "User-Agent", "user-agent", "From", "Range", "If-None-Match",
        "If-Modified-Since", "If-Match", "If-Range", "Cache-Control", "Pragma", "X-Forwarded-For", "Forwarded",
        "Upgrade-Insecure-Requests",
        // No names of fields.
        "", "X Y", "X:Y", "X\r\nY", "X\n", "Ünder", "X\u{0}", "(x)", "coo\u{212A}ie",
    ]

    @Test(arguments: refused) func `what is not is left out`(_ name: String) {
        #expect(sent([(name, "1"), ("X-Key", "2")]) == ["x-key: 2"])
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\u{0}", "a\u{7F}", " a", "a ", "caf\u{E9}", "\r"])
    func `no value begins another field`(_ value: String) { #expect(sent([("X-Key", value)]).isEmpty) }

    @Test func `what the browser says by itself is no field of the script`() {
        #expect(sent([("Accept", "*/*")]).isEmpty)
        #expect(ScriptFields([]).key == nil)
    }

    @Test func `too many fields, or too long ones, are none`() {
        let many = (0..<33).map { ("X-\($0)", "1") }
        #expect(sent(many).isEmpty)
        #expect(sent(Array(many.dropLast())).count == 32)
        #expect(sent([("X-Key", String(repeating: "x", count: 8_000))]).isEmpty)
    }

    @Test func `answers are shared if the fields at most choose a form`() throws {
        func subresource(_ fields: [(String, String)], _ method: FetchRequest.Method = .get) throws -> Subresource {
            Subresource(
                url: try #require(WebURL("https://a.test/x")), kind: .data, method: method,
                fields: ScriptFields(fields.map { (name: $0.0, value: $0.1) }))
        }
        #expect(try subresource([]).isShareable)
        #expect(try subresource([("Accept", "text/html"), ("X-Requested-With", "XMLHttpRequest")]).isShareable)
        #expect(try !subresource([("Authorization", "x")]).isShareable)
        #expect(try !subresource([("X-Key", "x")]).isShareable)
        #expect(try !subresource([], .post([])).isShareable)
        #expect(try !subresource([], .preflight(of: "POST", fields: nil)).isShareable)
        func id(_ fields: [(String, String)]) throws -> SiteFileID? {
            SiteFileRequest(try subresource(fields), seed: Seed(url: try #require(WebURL("https://a.test/"))))?.id
        }
        #expect(
            try id([("Accept", "a/b"), ("Accept-Language", "de")])
                == id([("accept-language", "de"), ("ACCEPT", "a/b")]))
        #expect(try id([("Accept", "a/b")]) != id([]))
        #expect(try id([("Accept", "a/b")])?.forAllOrigins != id([])?.forAllOrigins)
    }
}
