import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// TLS and HTTP/2 against a real nginx, with certificates made for the occasion.
@Suite struct CurlFetcherTLSTests {
    private static let locations = """
        location / { return 200 "<p>hello</p>"; }
        location /image { default_type image/png; return 200 "not read"; }
        location /large { gzip on; gzip_types text/html; return 200 "\(String(repeating: "hello ", count: 600))"; }
        """

    /// - Parameter isPlain: whether it speaks HTTP/1.1 only.
    private func fetcher(trusting caFile: String?, isPlain: Bool = false) throws -> CurlFetcher {
        var configuration = CurlFetcher.Configuration(userAgent: "PippinTest/1.0")
        configuration.keepsExchanges = isPlain
        configuration.allowPrivateNetworks = true
        configuration.caFile = caFile
        return try CurlFetcher(configuration: configuration)
    }

    private func request(_ url: String) throws -> FetchRequest {
        FetchRequest(url: try #require(WebURL(url)), timeout: .seconds(20))
    }

    @Test func `HTTP/2 is spoken with a certificate of the extra authority`() async throws {
        let nginx = try NginxServer(locations: Self.locations)
        let fetcher = try fetcher(trusting: nginx.certificates.authorityPath)
        let response = try await fetcher.fetch(request(nginx.url(.valid, "/"))).get()
        #expect(response.httpVersion == "2")
        #expect(response.status == 200)
        #expect(response.body == Array("<p>hello</p>".utf8))
        let packed = try await fetcher.fetch(request(nginx.url(.valid, "/large"))).get()
        #expect(packed.headers["Content-Encoding"] == "gzip")
        #expect(packed.body.count == 3600 && packed.wireBytes < 3600)
        #expect(try await !fetcher.fetch(request(nginx.url(.valid, "/image"))).get().bodyWasRead)
        let hello = try request(nginx.url(.valid, "/"))
        await withTaskGroup(of: Result<FetchResponse, FetchError>.self) { group in
            for _ in 0..<50 { group.addTask { await fetcher.fetch(hello) } }
            for await result in group { #expect((try? result.get())?.body.count == 12) }
        }
        await fetcher.shutdown()
    }

    /// libcurl alone would forget all but eight. Tickets of TLS 1.2, which is what this nginx speaks, are not for libcurl.
    @Test func `each of many hosts resumes its session`() async throws {
        let names = (1...24).map { "host-\($0)" }
        let cache = "ssl_session_cache shared:sessions:1m;"
        let location = "\(cache) location / { keepalive_timeout 0; return 200 $ssl_session_reused; }"
        let nginx = try NginxServer(
            locations: cache, sites: Dictionary(uniqueKeysWithValues: names.map { ($0, location) }))
        // Over HTTP/2, nginx would keep the connections open.
        let fetcher = try fetcher(trusting: nginx.certificates.authorityPath, isPlain: true)
        for expected in [".", "r", "r"] {
            for name in names {
                let response = try await fetcher.fetch(request(nginx.origin(ofSite: name) + "/")).get()
                #expect(String(decoding: response.body, as: UTF8.self) == expected, "\(name)")
            }
        }
        await fetcher.shutdown()
    }

    @Test func `wrong name, self-signed, expired and unknown authority are refused`() async throws {
        let nginx = try NginxServer(locations: Self.locations)
        let trusting = try fetcher(trusting: nginx.certificates.authorityPath)
        let strict = try fetcher(trusting: nil)
        for (fetcher, kind, fault, reason) in [
            (trusting, TestCertificates.Kind.wrongName, FetchError.TLSFault.wrongHost, "subject name"),
            (trusting, .selfSigned, .untrusted, "self-signed certificate"),
            (trusting, .expired, .expired, "certificate has expired"),
            (strict, .valid, .untrusted, "unable to get local issuer certificate"),
        ] {
            let result = try await fetcher.fetch(request(nginx.url(kind, "/")))
            guard case .failure(.tls(let found, let words)) = result else {
                Issue.record("\(kind): \(result)")
                continue
            }
            #expect(found == fault, "\(kind): \(words)")
            #expect(words.contains(reason), "\(kind): \(words)")
        }
    }

    @Test func `a file of authorities that is not there is said at once`() {
        #expect(throws: CurlFetcher.SetupError.self) { try fetcher(trusting: "/nowhere/ca.pem") }
    }

    @Test func `a server that does not speak TLS is a TLS error`() async throws {
        // Hangs up on what does not begin like a request.
        let server = try LoopbackServer { _, _ in .close }
        let result = try await fetcher(trusting: nil).fetch(request("https://127.0.0.1:\(server.port)/"))
        guard case .failure(.tls(.handshake, _)) = result else {
            Issue.record("\(result)")
            return
        }
    }
}
