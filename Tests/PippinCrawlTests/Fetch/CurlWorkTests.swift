import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Servers that make work without bringing bytes, and bodies that end before their end.
@Suite(.ends) struct CurlWorkTests {
    private func fetcher(trusting server: FrameServer) throws -> CurlFetcher {
        var configuration = CurlFetcher.Configuration(userAgent: "PippinTest/1.0")
        configuration.allowPrivateNetworks = true
        configuration.caFile = server.certificates.authorityPath
        return try CurlFetcher(configuration: configuration)
    }

    private func request(_ url: String) throws -> FetchRequest {
        FetchRequest(url: try #require(WebURL(url)), maximumBodyBytes: 1_000_000, timeout: .seconds(60))
    }

    @Test func `frames without end that bring nothing end the exchange, and hold up nobody`() async throws {
        let frames = try FrameServer()
        let plain = try LoopbackServer { _, connection in
            connection.respond(body: Array("good".utf8))
            return .keepOpen
        }
        let fetcher = try fetcher(trusting: frames)
        for flood in FrameServer.floods {
            let bad = try request(frames.url(flood))
            let good = try request(plain.url())
            async let result = fetcher.fetch(bad)
            // They would end at their own timeouts if the thread were kept.
            for _ in 1...20 {
                #expect(try await fetcher.fetch(good).get().body == Array("good".utf8), "beside \(flood)")
            }
            let failure = await result.failure
            #expect(failure != nil, "\(flood)")
            // Those that libcurl does not know as floods. A server that is too slow to cost a second ends by the clock.
            if ["empty-data", "padding", "pong", "window-update", "goaway", "priority", "unknown-frame"].contains(flood)
            {
                #expect(
                    [.tooCostly, .timedOut].contains(failure?.kind), "\(flood): \(String(describing: failure))")
            }
        }
        // Nothing is left of them that a later exchange would meet. The first shows at the latest that HTTP/1.1 is to be spoken.
        _ = try await fetcher.fetch(request(frames.url("whole")))
        #expect(try await fetcher.fetch(request(frames.url("whole"))).get().body == Array("<p>whole</p>".utf8))
        await fetcher.shutdown()
    }

    @Test func `a body that HTTP/2 cut short is no whole body`() async throws {
        let frames = try FrameServer()
        let fetcher = try fetcher(trusting: frames)
        for cut in FrameServer.cuts {
            let failure = try await fetcher.fetch(request(frames.url(cut))).failure
            #expect(
                [.truncatedBody, .endUncertain, .protocolError, .connectionFailed].contains(failure?.kind),
                "\(cut): \(String(describing: failure))")
        }
        // What has no certain end is spoken of in HTTP/1.1 when it is asked for again, and from then on at once.
        _ = try await fetcher.fetch(request(frames.url("whole")))
        for _ in 1...2 {
            let response = try await fetcher.fetch(request(frames.url("whole"))).get()
            #expect(response.body == Array("<p>whole</p>".utf8) && response.httpVersion == "1.1")
        }
        await fetcher.shutdown()
    }

    private static let page = Array(String(repeating: "<p>hello</p>", count: 5000).utf8)
    private static let packed: [(coding: String, body: [UInt8])] = [
        ("gzip", PackedBytes.deflate(page, .gzip)), ("deflate", PackedBytes.deflate(page, .zlib)),
        ("deflate", PackedBytes.deflate(page, .rawDeflate)), ("br", PackedBytes.brotliHello),
        ("zstd", PackedBytes.zstd(repeating: 0x61, blocksOf128K: 2)),
        ("deflate, gzip", PackedBytes.deflate(PackedBytes.deflate(page, .zlib).dropLast(3) + [], .gzip)),
    ]

    @Test(arguments: packed.indices)
    func `a packing that was cut short is no whole body, whatever its length says`(_ index: Int) async throws {
        let (coding, body) = Self.packed[index]
        let web = try LoopbackExchange { request, connection in
            connection.respond(
                "200 OK", ["Content-Type: text/html", "Content-Encoding: \(coding)"],
                body: coding == "deflate, gzip" ? body : body.dropLast(3) + [])
            return .keepOpen
        }
        #expect(try await web.fetch().failure == .truncatedBody)
    }

    @Test func `members of gzip follow each other, and an empty body has no packing`() async throws {
        let web = try LoopbackExchange { request, connection in
            let member = PackedBytes.deflate(Array("<p>hello</p>".utf8), .gzip)
            connection.respond(
                "200 OK", ["Content-Type: text/html", "Content-Encoding: gzip"],
                body: request.target == "/two" ? member + member : [])
            return .keepOpen
        }
        #expect(try await web.response("/two").body == Array("<p>hello</p><p>hello</p>".utf8))
        #expect(try await web.response("/none").body.isEmpty)
    }

    @Test(arguments: ["extensions", "one-byte", "trailers", "information"])
    func `HTTP/1.1 without end that brings nothing ends the exchange`(_ fault: String) async throws {
        let web = try LoopbackExchange { request, connection in
            let start = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
            func flood(_ text: String) {
                let block = Array(String(repeating: text, count: 65_536 / text.utf8.count).utf8)
                while connection.send(block) {}
            }
            switch fault {
            case "extensions":
                connection.send(start + "1;")
                flood("a=b;")
            case "one-byte":
                connection.send(start)
                flood("1\r\na\r\n")
            case "trailers":
                connection.send(start + "0\r\n")
                flood("X-Trailer: a\r\n")
            default: flood("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            }
            return .close
        }
        let failure = try await web.fetch { $0.timeout = .seconds(60) }.failure
        #expect(
            [.tooCostly, .bodyTooLarge, .headersTooLarge].contains(failure?.kind), "\(String(describing: failure))")
    }
}
