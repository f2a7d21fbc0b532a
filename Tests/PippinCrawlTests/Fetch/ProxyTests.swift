import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Fetches through a real proxy on loopback.
@Suite struct ProxyTests {
    private func exchange(
        through proxy: TunnelProxy, allowPrivate: Bool = false, credentials: SiteCredentials = SiteCredentials()
    ) throws -> LoopbackExchange {
        let server = try ProxyServer.read(proxy.url).get()
        return try LoopbackExchange {
            $0.proxy = server
            $0.allowPrivateNetworks = allowPrivate
            $0.credentials = credentials
            $0.keepsExchanges = true
        } answer: { request, connection in
            let text = "\(request.headers["Host"] ?? "") \(request.target)"
            connection.respond(body: Array(text.utf8))
            return .keepOpen
        }
    }

    private func request(_ url: String, _ addresses: [NetworkAddress] = []) throws -> FetchRequest {
        var request = FetchRequest(url: try #require(WebURL(url)), timeout: .seconds(60))
        request.addresses = addresses
        return request
    }

    private static let publicAddress = NetworkAddress.v4(0x5DB8_D822)  // 93.184.216.34

    @Test func `the proxy gets the checked address, the host its name`() async throws {
        let target = try LoopbackServer { request, connection in
            connection.respond(body: Array("\(request.headers["Host"] ?? "") \(request.target)".utf8))
            return .keepOpen
        }
        let proxy = try TunnelProxy(to: target.port)
        let exchange = try exchange(through: proxy)
        let pages = try await [
            exchange.fetcher.fetch(
                request("http://staging.example.org/a?b", [.v6(high: 0x2606_2800 << 32, low: 1), Self.publicAddress])
            ).get(),
            exchange.fetcher.fetch(request("http://staging.example.org/c", [Self.publicAddress])).get(),
            exchange.fetcher.fetch(request("http://93.184.216.34:8080/d")).get(),
            exchange.fetcher.fetch(request("http://[2606:2800::1]/e")).get(),
        ]
        #expect(
            pages.map { String(decoding: $0.body, as: UTF8.self) } == [
                "staging.example.org /a?b", "staging.example.org /c", "93.184.216.34:8080 /d", "[2606:2800::1] /e",
            ])
        #expect(pages.map(\.remoteAddress) == ["93.184.216.34", "93.184.216.34", "93.184.216.34", "2606:2800::1"])
        // The second request uses the tunnel of the first.
        #expect(proxy.asked.map(\.target) == ["93.184.216.34:80", "93.184.216.34:8080", "[2606:2800::1]:80"])
        let head = String(decoding: try #require(pages[0].exchange).requestHead, as: UTF8.self)
        #expect(head.hasPrefix("GET /a?b HTTP/1.1\r\nHost: staging.example.org\r\n"))
        #expect(
            String(decoding: try #require(pages[0].exchange).responseHead, as: UTF8.self).hasPrefix(
                "HTTP/1.1 200 OK\r\n"))
        await exchange.fetcher.shutdown()
    }

    @Test func `a proxy opens no way to private addresses`() async throws {
        let proxy = try TunnelProxy()
        let exchange = try exchange(through: proxy)
        for (url, addresses, refused) in [
            ("http://10.1.2.3/", [], "10.1.2.3"), ("http://169.254.169.254/latest/", [], "169.254.169.254"),
            ("http://[::1]/", [], "::1"), ("http://localhost/", [], "127.0.0.1"),
            ("https://inside.example.org/", [NetworkAddress.v4(0xC0A8_0001)], "192.168.0.1"),
        ] {
            let result = try await exchange.fetcher.fetch(request(url, addresses))
            #expect(result.failure == .addressRefused(refused), "\(url)")
        }
        // The proxy is never asked to look a name up.
        let unknown = try await exchange.fetcher.fetch(request("http://staging.example.org/"))
        #expect(unknown.failure?.code == "look-up-failed")
        #expect(proxy.asked.isEmpty)
        await exchange.fetcher.shutdown()
    }

    @Test func `private addresses are reached through the proxy if they are allowed`() async throws {
        let proxy = try TunnelProxy()
        let exchange = try exchange(through: proxy, allowPrivate: true)
        let page = try await exchange.response("/x")
        #expect(String(decoding: page.body, as: UTF8.self) == "127.0.0.1:\(exchange.server.port) /x")
        #expect(proxy.asked.map(\.target) == ["127.0.0.1:\(exchange.server.port)"])
        await exchange.fetcher.shutdown()
    }

    @Test func `user and password go to the proxy, the host's fields do not`() async throws {
        let proxy = try TunnelProxy { $0.authorization == nil ? "407 Proxy Authentication Required" : "200 OK" }
        let without = try exchange(through: proxy, allowPrivate: true)
        #expect(
            try await without.fetch().failure
                == .connectionFailed("the proxy \(proxy.url) wants another user or password (407)"))
        await without.fetcher.shutdown()

        let nginx = try NginxServer(
            locations: "location / { return 200 \"$http_authorization|$http_proxy_authorization\"; }")
        let server = try ProxyServer.read(proxy.url).get()
        var configuration = CurlFetcher.Configuration(userAgent: "PippinTest/1.0")
        configuration.proxy = server
        configuration.allowPrivateNetworks = true
        configuration.caFile = nginx.certificates.authorityPath
        let url = try #require(WebURL(nginx.url(.valid, "/")))
        let port = try #require(url.port)
        let secrets = try SecretFile(
            "hosts: { 'localhost:\(port)': { user: me, password: sesame } }\nproxy: { user: crawler, password: 'open%41:x' }"
        )
        configuration.credentials = try SiteCredentials(contentsOf: secrets.path, environment: [:])
        let fetcher = try CurlFetcher(configuration: configuration)
        let page = try await fetcher.fetch(FetchRequest(url: url, timeout: .seconds(60))).get()
        #expect(String(decoding: page.body, as: UTF8.self) == "Basic bWU6c2VzYW1l|")
        #expect(page.httpVersion == "2")
        let asked = try #require(proxy.asked.last)
        #expect(asked.target == "127.0.0.1:\(port)")
        #expect(asked.authorization == "Basic Y3Jhd2xlcjpvcGVuJTQxOng=")
        #expect(!asked.fields.contains("authorization"))
        await fetcher.shutdown()
    }

    @Test func `a proxy that is away or says no is named as the cause`() async throws {
        let refusing = try TunnelProxy { _ in "403 Forbidden" }
        let failing = try TunnelProxy { _ in "502 Bad Gateway" }
        for (url, words) in [
            (refusing.url, "the proxy \(refusing.url) opens no tunnel (403)"),
            (failing.url, "the proxy \(failing.url) does not reach the host (502)"),
        ] {
            let server = try ProxyServer.read(url).get()
            let exchange = try LoopbackExchange {
                $0.proxy = server
            } answer: { _, _ in
                .close
            }
            #expect(try await exchange.fetch().failure == .connectionFailed(words))
            await exchange.fetcher.shutdown()
        }
        let nobody = "http://127.0.0.1:\(try LoopbackServer.freePort())"
        let server = try ProxyServer.read(nobody).get()
        let exchange = try LoopbackExchange {
            $0.proxy = server
        } answer: { _, _ in
            .close
        }
        #expect(
            try await exchange.fetch().failure == .connectionFailed("the proxy \(nobody) cannot be reached"))
        await exchange.fetcher.shutdown()
    }

    @Test func `the proxy's URL has no credentials and no path`() throws {
        #expect(try ProxyServer.read("http://proxy.example.org").get().href == "http://proxy.example.org:80")
        #expect(try ProxyServer.read("http://[::1]:3128/").get().href == "http://[::1]:3128")
        for text in [
            "proxy.example.org:3128", "https://proxy.example.org", "socks5://proxy.example.org", "http://p.example/x",
            "http://p.example/?x", "", "http://",
        ] {
            #expect(throws: (any Error).self, "\(text)") { try ProxyServer.read(text).get() }
        }
        for text in ["http://me:sesame@p.example/", "socks5://me:sesame@p.example/"] {
            let error = #expect(throws: ConfigurationError.self) {
                try CrawlConfiguration(yaml: "fetch:\n  proxy: \(text)", file: "crawl-config.yaml")
            }
            #expect(error?.description.contains("sesame") == false)
            #expect(
                error?.description.hasPrefix("crawl-config.yaml:2:10: fetch.proxy: user and password do not") == true)
        }
    }
}
