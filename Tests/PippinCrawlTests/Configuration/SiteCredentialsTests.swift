import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// A file with secrets, with the rights of one's choice.
struct SecretFile: ~Copyable {
    let path: String

    init(_ text: String, rights: Int = 0o600) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "pippin-secrets-\(UUID().uuidString)").path
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: path)
    }

    deinit {
        // Left behind at worst, in a temporary folder.
        try? FileManager.default.removeItem(atPath: path)
    }
}

@Suite struct SiteCredentialsTests {
    private func fields(_ credentials: SiteCredentials, _ url: String) throws -> [String] {
        credentials.fields(for: try #require(WebURL(url))).map { "\($0.name): \($0.value)" }
    }

    @Test func `fields are for exactly the host and port, over https`() throws {
        let file = try SecretFile(
            """
            hosts:
              staging.example.org:
                user: me
                password: "sesame"
                headers: { X-Preview-Key: abc }
              "[::1]:8443": { headers: { Cookie: a=b } }
              shop.localhost:8080: { headers: { Authorization: { env: SHOP } } }
              Plain.Example.NET.: { headers: { X-A: "1" } }
            """)
        let credentials = try SiteCredentials(contentsOf: file.path, environment: ["SHOP": "Bearer xyz"])
        let both = ["Authorization: Basic bWU6c2VzYW1l", "X-Preview-Key: abc"]
        for (url, expected) in [
            ("https://staging.example.org/", both), ("https://STAGING.example.org:443/a?b#c", both),
            ("https://staging.example.org./", both), ("http://staging.example.org/", []),
            ("https://staging.example.org:8443/", []), ("https://example.org/", []),
            ("https://a.staging.example.org/", []), ("https://staging.example.org.evil.example/", []),
            ("https://staging.example.org@evil.example/", []),
            ("https://[::1]:8443/", ["Cookie: a=b"]), ("http://[::1]:8443/", ["Cookie: a=b"]), ("https://[::1]/", []),
            ("http://shop.localhost:8080/", ["Authorization: Bearer xyz"]), ("http://shop.localhost/", []),
            ("https://plain.example.net/", ["X-A: 1"]),
        ] as [(String, [String])] {
            #expect(try fields(credentials, url) == expected, "\(url)")
        }
        for text in ["\(credentials)", String(reflecting: credentials)] {
            #expect(!text.contains("sesame") && !text.contains("abc"), "\(text)")
        }
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!dumped.contains("sesame") && !dumped.contains("bWU6"))
    }

    @Test(arguments: [0o604, 0o644, 0o602, 0o666])
    func `a secret that everyone may read is refused, the name of a variable is not`(rights: Int) throws {
        let file = try SecretFile("hosts:\n  a.example:\n    headers: { X-Key: geheim }", rights: rights)
        let error = #expect(throws: ConfigurationError.self) {
            try SiteCredentials(contentsOf: file.path, environment: [:])
        }
        #expect(
            error?.description
                == "\(file.path):3:23: hosts.a.example.headers.X-Key: every user of this machine may read this secret: "
                + "chmod 600 \(file.path), or write { env: NAME }")
        let named = try SecretFile("hosts:\n  a.example:\n    headers: { X-Key: { env: KEY } }", rights: rights)
        let credentials = try SiteCredentials(contentsOf: named.path, environment: ["KEY": "geheim"])
        #expect(try fields(credentials, "https://a.example/") == ["X-Key: geheim"])
    }

    @Test(arguments: [
        ("machine a.example login me password geheim", ":1:1: expected keys and values here, found a single value"),
        ("hosts: { geheim: { user: a } }", "there is no password"),
        (
            "hosts: { 'https://a:geheim@b/': { geheim: a } }",
            "hosts: expected a host, or host:port, without scheme and path"
        ),
        ("hosts: { 'a b': { user: a } }", "expected a host, or host:port"),
        ("hosts: { a.example: { password: geheim } }", "there is no user"),
        ("hosts: { a.example: { user: a, password: 4711 } }", "expected text, found a single value; put it in quotes"),
        ("hosts: { a.example: { user: 'a:b', password: geheim } }", "must not have colons"),
        ("hosts: { a.example: { geheim: b } }", "unknown key in hosts.a.example; known keys: user, password, headers"),
        ("hosts: { a.example: { headers: { Host: geheim } } }", "this field may not be set"),
        ("hosts: { a.example: { headers: { User-Agent: geheim } } }", "this field may not be set"),
        ("hosts: { a.example: { headers: { 'X Key': geheim } } }", "this field may not be set"),
        ("hosts: { a.example: { headers: { X-Key: \"geheim\\r\\nX-Evil: 1\" } } }", "has control characters"),
        ("hosts: { a.example: { headers: { X-Key: '' } } }", "the value is empty"),
        ("hosts: { a.example: { headers: [\"X-Key: geheim\"] } }", "expected keys and values here, found a list"),
        ("hosts: { a.example: { headers: { X-Key: [geheim] } } }", "expected text, found a list"),
        ("hosts: { a.example: { headers: { X-Key: { env: NO_SUCH } } } }", "variable NO_SUCH is not set"),
        ("hosts: { a.example: { headers: { X-Key: { } } } }", "expected { env: NAME }"),
        (
            "hosts: { a.example: { user: a, password: geheim, headers: { authorization: geheim } } }",
            "this field is set twice; user and password set Authorization"
        ),
        (
            "hosts: { a.example: { headers: { X-Key: geheim } }, A.example: { headers: { X-Key: geheim } } }",
            "more than once"
        ),
        ("hosts: { a.example: { } }", "nothing is written for this host"),
        ("proxy: { user: a }", "there is no password"),
        ("hosts: { a.example: 'geheim", "not valid YAML"),
        ("hosts: {\n\u{1}geheim", "not valid YAML"),
    ])
    func `faults are told with their place and without the text`(yaml: String, problem: String) throws {
        let file = try SecretFile(yaml)
        let error = #expect(throws: ConfigurationError.self) {
            try SiteCredentials(contentsOf: file.path, environment: [:])
        }
        // The name of the file is random.
        let text = (error?.description ?? "").replacing(file.path, with: "credentials.yaml")
        #expect(text.contains(problem), "\(text)")
        #expect(!text.replacing("hosts.geheim", with: "").contains("geheim") && !text.contains("4711"), "\(text)")
    }

    @Test func `a missing file is told`() {
        let error = #expect(throws: ConfigurationError.self) { try SiteCredentials(contentsOf: "/nowhere/secrets") }
        #expect(error?.description == "/nowhere/secrets: there is no such file")
    }

    @Test func `they are sent, and kept out of the archive's bytes`() async throws {
        let seen = try LoopbackServer { request, connection in
            let text = "\(request.headers["Authorization"] ?? "-") \(request.headers["Accept-Language"] ?? "-")"
            connection.respond(body: Array(text.utf8))
            return .keepOpen
        }
        let file = try SecretFile(
            "hosts: { '127.0.0.1:\(seen.port)': { headers: { Authorization: Bearer geheim, accept-language: de } } }")
        var configuration = CurlFetcher.Configuration(userAgent: "PippinTest/1.0")
        configuration.allowPrivateNetworks = true
        configuration.keepsExchanges = true
        configuration.credentials = try SiteCredentials(contentsOf: file.path)
        let fetcher = try CurlFetcher(configuration: configuration)
        var request = FetchRequest(url: try #require(WebURL(seen.url("/"))), timeout: .seconds(60))
        request.entityTag = "\"1\""
        for _ in 1...2 {
            let page = try await fetcher.fetch(request).get()
            #expect(String(decoding: page.body, as: UTF8.self) == "Bearer geheim de")
            let head = String(decoding: try #require(page.exchange).requestHead, as: UTF8.self)
            #expect(!head.contains("geheim") && !head.lowercased().contains("authorization"))
            #expect(head.hasPrefix("GET / HTTP/1.1\r\n") && head.hasSuffix("\r\n\r\n"))
            #expect(head.contains("If-None-Match: \"1\"\r\n") && head.contains("User-Agent: PippinTest/1.0\r\n"))
        }
        await fetcher.shutdown()
    }
}
