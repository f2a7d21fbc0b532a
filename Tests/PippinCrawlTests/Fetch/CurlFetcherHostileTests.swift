import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Servers that are slow, broken or mean, over real sockets.
@Suite struct CurlFetcherHostileTests {
    // MARK: - Time

    @Test func `silence ends at the first-byte timeout`() async throws {
        let web = try LoopbackExchange {
            $0.firstByteTimeout = .milliseconds(100)
        } answer: { _, connection in
            connection.waitForClose()
            return .close
        }
        #expect(try await web.fetch().failure?.kind == .timedOut)
    }

    @Test func `a slow drip ends at the timeout of the exchange`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n")
            while connection.send("a"), !connection.waitForClose(atMost: .milliseconds(20)) {}
            return .close
        }
        #expect(try await web.fetch { $0.timeout = .milliseconds(300) }.failure?.kind == .timedOut)
    }

    @Test func `a drip below the lowest speed ends before the timeout`() async throws {
        let web = try LoopbackExchange {
            $0.minimumBytesPerSecond = 10_000
            $0.lowSpeedTimeout = .seconds(1)
        } answer: { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n")
            while connection.send("a"), !connection.waitForClose(atMost: .milliseconds(50)) {}
            return .close
        }
        #expect(try await web.fetch().failure?.kind == .timedOut)
    }

    // MARK: - Lengths

    @Test func `a body that ends early is truncated`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            return .close
        }
        #expect(try await web.fetch().failure == .truncatedBody)
    }

    @Test func `a body longer than it says is read as far as it says, and the rest is no response`() async throws {
        let web = try LoopbackExchange { request, connection in
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\(request.target == "/1" ? "goodevil" : "next")")
            return .keepOpen
        }
        #expect(try await web.response("/1").body == Array("good".utf8))
        #expect(try await web.response("/2").body == Array("next".utf8))
        #expect(web.server.connectionCount == 2)
    }

    @Test func `chunks without their end are truncated`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n")
            return .close
        }
        #expect(try await web.fetch().failure == .truncatedBody)
    }

    @Test func `a body without any length ends with the connection`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nall of it")
            return .close
        }
        let response = try await web.response()
        #expect(response.body == Array("all of it".utf8))
        #expect(response.httpVersion == "1.0")
    }

    @Test(arguments: [false, true])
    func `where the beginning is all that is wanted, a longer body ends there in order`(isPacked: Bool) async throws {
        let rules = Array("User-agent: *\nDisallow: /x\n".utf8)
        let body = rules + [UInt8](repeating: 0x23, count: 3_000_000)
        let sent = isPacked ? PackedBytes.deflate(body, .gzip) : body
        let web = try LoopbackExchange { _, connection in
            let fields = ["Content-Type: text/plain"] + (isPacked ? ["Content-Encoding: gzip"] : [])
            connection.respond("200 OK", fields, body: sent)
            return .close
        }
        let response = try await web.fetch("/robots.txt", purpose: .robots) {
            $0.maximumBodyBytes = 100_000
            $0.takesBeginning = true
        }.get()
        #expect(response.status == 200 && response.body == Array(body[..<100_000]))
        #expect(try await web.fetch(purpose: .robots) { $0.maximumBodyBytes = 100_000 }.failure?.kind == .bodyTooLarge)
    }

    @Test(arguments: ["-5", "99999999999999999999999999", "abc"])
    func `a length that is no length is an error or ignored`(_ length: String) async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nabc")
            return .close
        }
        switch try await web.fetch() {
        case .success(let response): #expect(response.body == Array("abc".utf8))
        case .failure(let error): #expect(error.retry != .restHost)
        }
    }

    @Test func `an announced length above the limit ends the exchange before the body`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000001\r\n\r\n")
            connection.waitForClose()
            return .close
        }
        #expect(try await web.fetch().failure == .bodyTooLarge(limit: 1_000_000))
    }

    @Test func `a body of exactly the limit is read, an endless one is ended`() async throws {
        let web = try LoopbackExchange { request, connection in
            if request.target == "/exact" {
                connection.respond(body: [UInt8](repeating: 0x61, count: 1_000_000))
                return .keepOpen
            }
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
            let block = [UInt8](repeating: 0x61, count: 65_536)
            while connection.send(block) {}
            return .close
        }
        #expect(try await web.response("/exact").body.count == 1_000_000)
        #expect(try await web.fetch("/endless").failure == .bodyTooLarge(limit: 1_000_000))
    }

    // MARK: - Content codings

    static let page = Array(String(repeating: "<p>hello</p>", count: 5000).utf8)
    static let codings: [(name: String, body: [UInt8])] = [
        ("gzip", PackedBytes.deflate(page, .gzip)),
        ("x-gzip", PackedBytes.deflate(page, .gzip)),
        ("deflate", PackedBytes.deflate(page, .zlib)),
        ("deflate", PackedBytes.deflate(page, .rawDeflate)),
        ("deflate, gzip", PackedBytes.deflate(PackedBytes.deflate(page, .zlib), .gzip)),
        ("identity", page),
        ("utf-8", page),
        ("none", page),
    ]

    @Test(arguments: codings.indices)
    func `codings are removed, and names that are none ignored`(_ index: Int) async throws {
        let (name, body) = Self.codings[index]
        let web = try LoopbackExchange { request, connection in
            connection.respond("200 OK", ["Content-Type: text/html", "Content-Encoding: \(name)"], body: body)
            return .keepOpen
        }
        for _ in 1...2 {
            let response = try await web.response()
            #expect(response.body == Self.page)
            #expect(response.wireBytes == body.count)
        }
    }

    @Test func `brotli and zstd are removed, also after a response whose coding was none`() async throws {
        let web = try LoopbackExchange { request, connection in
            let (name, body): (String, [UInt8]) =
                switch request.target {
                case "/br": ("br", PackedBytes.brotliHello)
                case "/zstd": ("zstd", PackedBytes.zstd(repeating: 0x61, blocksOf128K: 1))
                default: ("utf-8", Array("plain".utf8))
                }
            connection.respond("200 OK", ["Content-Type: text/html", "Content-Encoding: \(name)"], body: body)
            return .keepOpen
        }
        for _ in 1...2 {
            #expect(try await web.response("/plain").body == Array("plain".utf8))
            #expect(try await web.response("/br").body == Array("hello brotli".utf8))
            #expect(try await web.response("/zstd").body == [UInt8](repeating: 0x61, count: 128 << 10))
        }
    }

    static let bombs: [(name: String, body: [UInt8])] = [
        ("gzip", PackedBytes.deflate([UInt8](repeating: 0x61, count: 20_000_000), .gzip)),
        (
            "gzip, gzip",
            PackedBytes.deflate(PackedBytes.deflate([UInt8](repeating: 0x61, count: 20_000_000), .gzip), .gzip)
        ),
        ("deflate", PackedBytes.deflate([UInt8](repeating: 0x61, count: 20_000_000), .zlib)),
        ("br", PackedBytes.brotliZeros8M),
        ("zstd", PackedBytes.zstd(repeating: 0x61, blocksOf128K: 5000)),
    ]

    @Test(arguments: bombs.indices)
    func `a small body that unpacks to a huge one is ended at the limit`(_ index: Int) async throws {
        let (name, body) = Self.bombs[index]
        let web = try LoopbackExchange { _, connection in
            connection.respond("200 OK", ["Content-Type: text/html", "Content-Encoding: \(name)"], body: body)
            return .keepOpen
        }
        #expect(try await web.fetch().failure == .bodyTooLarge(limit: 1_000_000))
    }

    @Test func `bytes that unpack to nothing are counted as well`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: deflate\r\n\r\n")
            // A zlib header, then stored blocks of length zero without end.
            connection.send([0x78, 0x01])
            let nothing = (0..<10_000).flatMap { _ -> [UInt8] in [0x00, 0x00, 0x00, 0xFF, 0xFF] }
            while connection.send(nothing) {}
            return .close
        }
        #expect(try await web.fetch { $0.maximumBodyBytes = 100_000 }.failure == .bodyTooLarge(limit: 100_000))
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd", "compress", "gzip, gzip, gzip, gzip, gzip, gzip, gzip"])
    func `a body that is not in the coding it claims is an error of the coding`(_ name: String) async throws {
        let web = try LoopbackExchange { _, connection in
            let body = Array("<!DOCTYPE html><p>this is plain text, and long enough to be one".utf8)
            connection.respond("200 OK", ["Content-Type: text/html", "Content-Encoding: \(name)"], body: body)
            return .keepOpen
        }
        guard case .failure(.badContentEncoding) = try await web.fetch() else {
            Issue.record("\(name) was read")
            return
        }
    }

    // MARK: - Header

    @Test func `too many fields end the exchange`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            for number in 0..<300 { connection.send("X-\(number): 1\r\n") }
            connection.waitForClose()
            return .close
        }
        #expect(try await web.fetch().failure == .headersTooLarge)
    }

    @Test func `a header without end is ended`() async throws {
        let web = try LoopbackExchange {
            $0.maximumHeaderCount = .max
        } answer: { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            let field = "X-Long: \(String(repeating: "a", count: 8000))\r\n"
            while connection.send(field) {}
            return .close
        }
        #expect(try await web.fetch().failure == .headersTooLarge)
    }

    @Test func `a header line without end is ended`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nX-Long: ")
            let block = [UInt8](repeating: 0x61, count: 16_384)
            while connection.send(block) {}
            return .close
        }
        #expect(try await web.fetch().failure == .headersTooLarge)
    }

    @Test func `announcements without end are ended`() async throws {
        let web = try LoopbackExchange { _, connection in
            let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n", count: 100)
            while connection.send(hints) {}
            return .close
        }
        #expect(try await web.fetch().failure == .headersTooLarge)
    }

    @Test(arguments: [
        "<html>no status line at all</html>\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}garbage\n\n",
    ])
    func `what is not HTTP is an error of the protocol`(_ text: String) async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send(text)
            return .close
        }
        guard case .failure(.protocolError) = try await web.fetch() else {
            Issue.record("read as HTTP")
            return
        }
    }

    @Test func `a connection that closes without a word failed`() async throws {
        let web = try LoopbackExchange { _, _ in .close }
        guard case .failure(.connectionFailed) = try await web.fetch() else {
            Issue.record("an answer was made up")
            return
        }
    }

    @Test func `the fetcher goes on after all of that`() async throws {
        let web = try LoopbackExchange { request, connection in
            switch request.target {
            case "/cut":
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
                return .close
            case "/large":
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
                connection.waitForClose()
                return .close
            case "/image":
                connection.send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\n")
                connection.waitForClose()
                return .close
            default:
                connection.respond(body: Array("fine".utf8))
                return .keepOpen
            }
        }
        for _ in 1...3 {
            #expect(try await web.fetch("/cut").failure == .truncatedBody)
            #expect(try await web.fetch("/large").failure == .bodyTooLarge(limit: 1_000_000))
            #expect(try await !web.response("/image").bodyWasRead)
            #expect(try await web.response("/fine").body == Array("fine".utf8))
        }
    }
}
