import Foundation
import PippinCrawl
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinServe

/// Keys that may only search, and other origins' pages that may use them.
@Suite struct SearchKeysTests {
    private static let token = "0123456789abcdef0123456789abcdef"
    private static let keys = """
        # of the search field
        key-for-everything-01

        key-for-the-kitchen-1 expires=2099-01-01   filter=site:kitchen.test type:recipe
        key-that-has-expired1 expires=2020-02-29
        """

    private static func storage() async throws -> ServedStorage {
        var pie = DeepLinkRecord.titled("Apple pie", at: "https://kitchen.test/pie")
        pie.types = ["Recipe"]
        return try await ServedStorage([
            pie, .titled("Pie chart", at: "https://kitchen.test/chart"),
            .titled("Secret pie plan", at: "https://plans.test/"),
        ])
    }

    private func served(
        origins: [String] = [], _ body: @escaping @Sendable (WebClient) async throws -> Void
    ) async throws {
        let storage = try await Self.storage()
        defer { storage.remove() }
        try await storage.served(token: Self.token, keys: Self.keys, origins: origins, body)
    }

    private static func bearer(_ key: String) -> [String] { ["Authorization: Bearer \(key)"] }

    @Test func `a key may search and be offered completions, and nothing else`() async throws {
        try await served { client async throws in
            for key in ["key-for-everything-01", "key-for-the-kitchen-1"] {
                for route in WebRoutes.all where !route.isOpen {
                    let reply =
                        route.method == .get
                        ? try await client.get(route.path, Self.bearer(key))
                        : try await client.post(route.path, "", Self.bearer(key))
                    #expect((reply.status == 403) != route.isForSearchKeys, "\(route.path): \(reply.status)")
                }
                let searchable = WebRoutes.all.filter(\.isForSearchKeys).map { "\($0.method) \($0.path)" }
                #expect(
                    searchable == ["post /mcp", "get /api/v1/search", "post /api/v1/search", "get /api/v1/suggest"])
                #expect(try await client.get("/api/v1/search?q=pie", Self.bearer(key)).status == 200)
                #expect(try await client.get("/sign-in", Self.bearer(key)).body.contains("type=\"password\""))
                #expect(try await client.get("/api/v1/search?q=pie", ["Cookie: pippin-session=\(key)"]).status == 401)
            }
            let expired = try await client.get("/api/v1/search?q=pie", Self.bearer("key-that-has-expired1"))
            #expect(expired.status == 401 && expired.body.contains("This key has expired."))
            #expect(try await client.get("/api/v1/search?q=pie", Self.bearer("key-for-everything-0")).status == 401)
        }
    }

    @Test func `the filter of a key holds in every search`() async throws {
        try await served { client async throws in
            func count(_ key: String, _ query: String) async throws -> Int? {
                try await client.get(WebClient.target("/api/v1/search", "q", query), Self.bearer(key)).json()["count"]?
                    .integer
            }
            #expect(try await count("key-for-everything-01", "pie") == 3)
            #expect(try await count("key-for-the-kitchen-1", "pie") == 1)
            for query in ["pie OR plan", "site:plans.test OR", "https://plans.test/", "secret plan"] {
                let hits = try await client.get(
                    WebClient.target("/api/v1/search", "q", query), Self.bearer("key-for-the-kitchen-1")
                ).json()["hits"]?.array
                #expect(hits?.contains { $0["identifier"]?.string != "https://kitchen.test/pie" } == false, "\(query)")
            }
            let several = try await client.post(
                "/api/v1/search", #"{"queries":[{"q":"secret plan"},{"q":"pie"}]}"#,
                Self.bearer("key-for-the-kitchen-1"),
                type: "application/json")
            #expect(several.status == 200 && !several.body.contains("Secret"))
            let typed = try await client.get("/api/v1/suggest?q=sec", Self.bearer("key-for-the-kitchen-1"))
            #expect(try typed.json()["suggestions"]?.array?.isEmpty == true)
            // The cursor of one key is none for another.
            let whole = try await client.get("/api/v1/search?q=pie&limit=1", Self.bearer("key-for-everything-01"))
                .json()
            let next = try #require(whole["next"]?.string)
            let other = try await client.get(
                "/api/v1/search?q=pie&cursor=\(next)", Self.bearer("key-for-the-kitchen-1"))
            #expect(other.status == 400)
        }
    }

    @Test func `guesses at keys are limited as those at the token are`() async throws {
        try await served { client async throws in
            var statuses: [Int] = []
            for number in 0..<14 {
                statuses.append(
                    try await client.get("/api/v1/suggest?q=p", Self.bearer("guess-number-\(number)-0000")).status)
            }
            #expect(statuses.prefix(10).allSatisfy { $0 == 401 } && statuses.contains(429))
            #expect(try await client.get("/api/v1/suggest?q=p", Self.bearer("key-for-everything-01")).status == 200)
        }
    }

    @Test(arguments: [
        ("", "there is no key in it"), ("# only a comment", "there is no key in it"),
        ("short", "line 1 cannot be used"),
        ("\n\nkey-for-everything-01 expires=tomorrow", "line 3: expires needs a day"),
        ("key-for-everything-01 expires=2027", "expires needs a day"),
        ("key-for-everything-01 filter=", "the filter cannot be used"),
        ("key-for-everything-01 filter=pie", "It has words"),
        ("key-for-everything-01 filter=colour:red", "no filter colour"),
        ("key-for-everything-01 only=search", "not “only=search”"),
        ((0...1_000).map { "key-number-\($0)-of-many\n" }.joined(), "more than 1000 keys"),
        (
            "key-for-everything-01\n# again\n\tkey-for-everything-01 filter=site:a.test",
            "keys.txt, line 3: this key is in line 1 already"
        ),
        (
            "key-for-everything-01 filter=site:a.test expires=2027-01-01",
            "keys.txt, line 1: expires= must come before filter=, which takes the rest of the line"
        ),
        ("YOUR-KEY-1 filter=site:shop.example type:product", "line 1 cannot be used"),
    ])
    func `a file of keys that cannot be used is refused with its line`(text: String, message: String) {
        #expect { try SearchKeys(text, source: "keys.txt") } throws: { error in
            let text = "\(error)"
            return text.contains("keys.txt") && text.contains(message)
        }
    }

    @Test func `the keys that the documentation shows are refused until they are replaced`() throws {
        let page = try String(contentsOf: Repository.root.appending(path: "Docs/Serve.md"), encoding: .utf8)
        let start = try #require(page.range(of: "# the search field of the shop\n"))
        let lines = page[start.upperBound...].prefix { $0 != "`" }.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            #expect(throws: ReportedFailure.self) { try SearchKeys(String(line), source: "keys.txt") }
            let key = String(line.prefix { !$0.isWhitespace })
            _ = try SearchKeys(String(line).replacing(key, with: "0123456789abcdef"), source: "keys.txt")
        }
    }

    @Test func `keys need a token`() async throws {
        let storage = try await Self.storage()
        defer { storage.remove() }
        await #expect(throws: ReportedFailure.self) {
            try await storage.served(token: nil, keys: Self.keys, origins: []) { _ in }
        }
    }

    // MARK: Other origins

    private static let origin = "https://app.example"

    @Test func `pages of allowed origins may use the API, and no cookie counts there`() async throws {
        try await served(origins: [Self.origin, "http://localhost:3000"]) { client async throws in
            let key = Self.bearer("key-for-everything-01")
            let target = "/api/v1/search?q=pie"
            for origin in [Self.origin, "http://localhost:3000"] {
                let reply = try await client.get(target, key + ["Origin: \(origin)", "Sec-Fetch-Site: cross-site"])
                #expect(reply.status == 200 && reply.fields["access-control-allow-origin"] == origin)
                #expect(reply.fields["vary"] == "Accept-Encoding, Origin")
                #expect(reply.fields["access-control-allow-credentials"] == nil)
                // A script has to read why it was refused.
                let refused = try await client.get(target, ["Origin: \(origin)"])
                #expect(refused.status == 401 && refused.fields["access-control-allow-origin"] == origin)
                let several = try await client.post(
                    "/api/v1/search", #"{"queries":[{"q":"pie"}]}"#,
                    key + ["Origin: \(origin)", "Sec-Fetch-Site: cross-site"],
                    type: "application/json")
                #expect(several.status == 200)
            }
            let cookie = try await client.post("/sign-in", "token=\(Self.token)").fields["set-cookie"] ?? ""
            let session = "Cookie: " + (cookie.split(separator: ";").first.map(String.init) ?? "")
            #expect(try await client.get(target, [session]).status == 200)
            #expect(try await client.get(target, [session, "Origin: \(Self.origin)"]).status == 401)
            // Who may read nothing is told nothing, and caches know that it depends on the origin.
            for origin in [
                "https://app.example.evil.test", "https://evil.test", "http://app.example", "https://app.example:8443",
                "https://APP.example", "null", "*", "https://app.example/",
            ] {
                let reply = try await client.get(target, key + ["Origin: \(origin)"])
                #expect(reply.fields["access-control-allow-origin"] == nil, "\(origin)")
                #expect(reply.fields["vary"] == "Accept-Encoding, Origin")
            }
            let page = try await client.get("/", ["Origin: \(Self.origin)"])
            #expect(page.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func `a browser that asks first is told what it may send`() async throws {
        try await served(origins: [Self.origin]) { client async throws in
            func ask(_ path: String, _ origin: String) async throws -> WebClient.Reply {
                try await client.send(
                    "OPTIONS \(path) HTTP/1.1",
                    [
                        "Host: 127.0.0.1:\(client.port)", "Origin: \(origin)", "Access-Control-Request-Method: POST",
                        "Access-Control-Request-Headers: authorization,content-type",
                    ])
            }
            let reply = try await ask("/api/v1/search", Self.origin)
            #expect(reply.status == 204 && reply.body.isEmpty)
            #expect(reply.fields["access-control-allow-origin"] == Self.origin)
            #expect(reply.fields["access-control-allow-methods"] == "GET, HEAD, POST")
            #expect(
                reply.fields["access-control-allow-headers"]
                    == "Authorization, Content-Type, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name")
            #expect(reply.fields["access-control-allow-credentials"] == nil)
            #expect(try await ask("/api/v1/search", "https://evil.test").status == 405)
            #expect(try await ask("/api/v1/nothing", Self.origin).status == 404)
            #expect(try await ask("/", Self.origin).status == 405)
        }
    }

    @Test(arguments: [
        "*", "null", "app.example", "https://app.example/", "https://app.example/path", "https://APP.example",
        "https://app.example:443", "ftp://app.example", "",
    ])
    func `what is no origin is refused`(text: String) {
        #expect(throws: ReportedFailure.self) { try AllowedOrigins([text]) }
    }

    /// The text of the file after the change; nil if it is removed.
    @Test(arguments: [nil, "", "# key-for-everything-01\n", "short\n", "key-for-everything-01 expires=soon\n"])
    func `no key of a file counts that is gone, empty or wrong`(text: String?) async throws {
        let storage = try await Self.storage()
        defer { storage.remove() }
        try await storage.served(token: Self.token, keys: Self.keys) { client async throws in
            func status() async throws -> Int {
                try await client.get("/api/v1/search?q=pie", Self.bearer("key-for-everything-01")).status
            }
            #expect(try await status() == 200)
            let file = storage.folder.appending(path: "keys.txt")
            if let text { try Data(text.utf8).write(to: file) } else { try FileManager.default.removeItem(at: file) }
            let end = ContinuousClock.now + .seconds(60)
            while try await status() == 200, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try await status() == 401)
        }
    }

    @Test func `a key that is taken out of the file counts no more, without a new start`() async throws {
        let storage = try await Self.storage()
        defer { storage.remove() }
        try await storage.served(token: Self.token, keys: Self.keys) { client async throws in
            let (old, new) = ("key-for-everything-01", "key-that-is-new-0001")
            func status(_ key: String) async throws -> Int {
                try await client.get("/api/v1/search?q=pie", Self.bearer(key)).status
            }
            #expect(try await status(old) == 200)
            #expect(try await status(new) == 401)
            try Data(Self.keys.replacing(old, with: new).utf8).write(to: storage.folder.appending(path: "keys.txt"))
            // The file is looked at once a second.
            let end = ContinuousClock.now + .seconds(60)
            while try await status(old) == 200, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try await status(old) == 401)
            #expect(try await status(new) == 200)
        }
    }
}
