import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct CurlFetcherTests {
    @Test func `a response is handed over with status, fields, body and numbers`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.respond(
                "200 Fine", ["Content-Type: text/html", "X-Twice: a", "x-twice:b  "], body: Array("<p>hello".utf8))
            return .keepOpen
        }
        let response = try await web.response("/page?q=1")
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/html")
        #expect(response.headers.values("X-Twice") == ["a", "b"])
        #expect(String(decoding: response.body, as: UTF8.self) == "<p>hello")
        #expect(response.wireBytes == 8)
        #expect(response.httpVersion == "1.1")
        #expect(response.remoteAddress == "127.0.0.1")
        #expect(response.bodyWasRead)
        #expect(response.totalTime >= response.timeToFirstByte && response.timeToFirstByte > .zero)
        #expect(response.url.href == web.server.url("/page?q=1"))
    }

    /// The request as the server saw it, one field a line, in the body.
    private func echo(_ request: LoopbackServer.Request, _ connection: LoopbackServer.Connection) {
        let fields = request.headers.fields.map { "\($0.name): \($0.value)" }
        let lines = ["\(request.method) \(request.target)"] + fields
        connection.respond(body: Array(lines.joined(separator: "\n").utf8))
    }

    private func lines(_ response: FetchResponse) -> [String] {
        String(decoding: response.body, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `a request says who asks and what is wanted, and nothing else`() async throws {
        let web = try LoopbackExchange { request, connection in
            echo(request, connection)
            return .keepOpen
        }
        let lines = lines(try await web.response("/a%20b/../c?x=%0d%0aX:1"))
        let names = Set(lines.dropFirst().map { $0.prefix { $0 != ":" } })
        #expect(lines.first?.hasPrefix("GET /") == true)
        #expect(names == ["Host", "User-Agent", "Accept", "Accept-Language", "Accept-Encoding"])
        #expect(lines.contains("User-Agent: PippinTest/1.0 (+https://example.org/bot)"))
        #expect(lines.contains { $0.hasPrefix("Accept: text/html,") })
        for coding in ["gzip", "deflate", "br", "zstd"] {
            #expect(lines.contains { $0.hasPrefix("Accept-Encoding:") && $0.contains(coding) })
        }
        let robots = self.lines(try await web.response("/robots.txt", purpose: .robots))
        #expect(robots.contains { $0.hasPrefix("Accept: text/plain") })
    }

    @Test func `validators are sent, and a 304 is an answer`() async throws {
        let web = try LoopbackExchange { request, connection in
            if request.headers["If-None-Match"] == "W/\"x\"",
                request.headers["If-Modified-Since"] == "Sat, 01 Jan 2022 00:00:00 GMT"
            {
                connection.send("HTTP/1.1 304 Not Modified\r\nETag: \"y\"\r\n\r\n")
            } else {
                connection.respond(body: [0x61])
            }
            return .keepOpen
        }
        let result = try await web.fetch {
            $0.entityTag = "W/\"x\""
            $0.lastModified = "Sat, 01 Jan 2022 00:00:00 GMT"
        }
        let response = try result.get()
        #expect(response.status == 304)
        #expect(response.headers["ETag"] == "\"y\"")
        #expect(response.body.isEmpty && response.bodyWasRead)
        // The next exchange on the same handle does not send them again.
        #expect(try await web.response().status == 200)
    }

    @Test func `line ends cannot be smuggled in through a validator`() async throws {
        let web = try LoopbackExchange { request, connection in
            echo(request, connection)
            return .keepOpen
        }
        let response = try await web.fetch {
            $0.entityTag = "\"x\"\r\nX-Evil: 1"
            $0.lastModified = "today\nX-Evil: 1"
        }.get()
        #expect(!String(decoding: response.body, as: UTF8.self).contains("Evil"))
        #expect(throws: CurlFetcher.SetupError.self) {
            try CurlFetcher(configuration: CurlFetcher.Configuration(userAgent: "a\r\nX-Evil: 1"))
        }
    }

    // MARK: Requests of scripts

    /// Method, fields and body of the request, as the body of the answer.
    private static let echoAll: LoopbackServer.Answer = { request, connection in
        let lines = ["\(request.method) \(request.target)"] + request.headers.fields.map { "\($0.name): \($0.value)" }
        connection.respond(body: Array(lines.joined(separator: "\n").utf8) + [0x0A] + request.body)
        return .keepOpen
    }

    @Test func `a question is sent with its body and the script's fields, and the next request has none of it`()
        async throws
    {
        let web = try LoopbackExchange(answer: Self.echoAll)
        let question = Array(#"{"query":"{ a }"}"#.utf8)
        let asked = lines(
            try await web.fetch("/graphql", purpose: .subresource) {
                $0.method = .post(question)
                $0.origin = "https://a.example"
                $0.scriptFields = ScriptFields([
                    ("Content-Type", "application/json"), ("Accept", "application/json"), ("X-Key", "1"),
                ])
            }.get())
        #expect(asked.first == "POST /graphql")
        #expect(asked.last == #"{"query":"{ a }"}"#)
        for line in [
            "content-type: application/json", "accept: application/json", "x-key: 1", "Content-Length: 17",
            "Origin: https://a.example", "User-Agent: PippinTest/1.0 (+https://example.org/bot)",
        ] {
            #expect(asked.contains(line), "\(asked)")
        }
        #expect(!asked.contains { $0.hasPrefix("Expect") || $0.hasPrefix("Accept: ") })
        let next = lines(try await web.response("/next"))
        #expect(next.first == "GET /next")
        #expect(!next.contains { $0.lowercased().hasPrefix("content-") || $0.hasPrefix("x-key") })
        let preflight = lines(
            try await web.fetch("/graphql", purpose: .subresource) {
                $0.method = .preflight(of: "POST", fields: "content-type,x-key")
                $0.origin = "https://a.example"
            }.get())
        #expect(preflight.first == "OPTIONS /graphql")
        #expect(preflight.contains("Access-Control-Request-Method: POST"))
        #expect(preflight.contains("Access-Control-Request-Headers: content-type,x-key"))
        #expect(lines(try await web.response("/last")).first == "GET /last")
    }

    @Test func `a question is sent once, whatever becomes of its connection`() async throws {
        let asked = Mutex<[String]>([])
        let web = try LoopbackExchange { request, connection in
            asked.withLock { $0.append(request.method) }
            guard request.method == "GET" else { return .close }
            connection.respond(body: [0x61])
            return .keepOpen
        }
        for _ in 0..<3 {
            // An open connection is there, which would make curl send the request once more.
            #expect(try await web.response().status == 200)
            let result = try await web.fetch(purpose: .subresource) { $0.method = .post([0x7B, 0x7D]) }
            #expect(result.failure != nil)
        }
        #expect(asked.withLock { $0 } == ["GET", "POST", "GET", "POST", "GET", "POST"])
    }

    @Test func `a question has no credentials of ours`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "pippin-credentials-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try LoopbackServer(answer: Self.echoAll)
        try Data("hosts: { \"127.0.0.1:\(server.port)\": { headers: { Authorization: secret, Cookie: secret } } }".utf8)
            .write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        var configuration = CurlFetcher.Configuration(userAgent: "PippinTest/1.0")
        configuration.allowPrivateNetworks = true
        configuration.credentials = try SiteCredentials(contentsOf: file.path)
        let fetcher = try CurlFetcher(configuration: configuration)
        let url = try #require(WebURL(server.url("/")))
        func answer(_ method: FetchRequest.Method) async throws -> String {
            var request = FetchRequest(url: url, purpose: .subresource)
            request.method = method
            request.scriptFields = ScriptFields([("Authorization", "of the script")])
            return String(decoding: try await fetcher.fetch(request).get().body, as: UTF8.self)
        }
        let page = try await answer(.get)
        #expect(page.contains("Authorization: secret") && !page.contains("of the script"))
        let question = try await answer(.post([0x7B, 0x7D]))
        #expect(question.contains("authorization: of the script") && !question.contains("secret"))
        await fetcher.shutdown()
    }

    @Test func `a redirect is an answer and is not followed`() async throws {
        let web = try LoopbackExchange { request, connection in
            connection.respond("302 Found", ["Location: /elsewhere"])
            return .keepOpen
        }
        let response = try await web.response()
        #expect(response.status == 302)
        #expect(response.headers["Location"] == "/elsewhere")
        #expect(web.server.connectionCount == 1)
    }

    @Test func `a connection is used again`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.respond(body: [0x61])
            return .keepOpen
        }
        for number in 1...20 { #expect(try await web.response("/\(number)").status == 200) }
        #expect(web.server.connectionCount == 1)
    }

    @Test func `many exchanges at a time share few connections`() async throws {
        let web = try LoopbackExchange {
            $0.maximumConnectionsPerHost = 4
        } answer: { request, connection in
            connection.respond(body: Array(request.target.utf8))
            return .keepOpen
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let response = try await web.response("/\(number)")
                    #expect(String(decoding: response.body, as: UTF8.self) == "/\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(web.server.connectionCount <= 4)
    }

    @Test func `announcements before the response are left out`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n")
            connection.respond(body: [0x61])
            return .keepOpen
        }
        let response = try await web.response()
        #expect(response.status == 200)
        #expect(response.headers["Link"] == nil)
        #expect(response.body == [0x61])
    }

    @Test func `folded fields and bytes that are not UTF-8 are read`() async throws {
        let web = try LoopbackExchange { _, connection in
            let head = "HTTP/1.1 200 OK\r\nX-Folded: one\r\n\t two\r\nX-Latin: caf"
            connection.send(Array(head.utf8) + [0xE9] + Array("\r\nContent-Length: 0\r\n\r\n".utf8))
            return .keepOpen
        }
        let response = try await web.response()
        #expect(response.headers["X-Folded"] == "one two")
        #expect(response.headers["X-Latin"] == "café")
    }

    @Test func `chunks are put together and trailers left out`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n")
            return .keepOpen
        }
        let response = try await web.response()
        #expect(response.body == Array("abcde".utf8))
        #expect(response.headers["X-Trailer"] == nil)
    }

    @Test(arguments: [
        "image/png", "video/mp4", "audio/mpeg", "application/pdf", "application/zip", "Image/SVG+xml; charset=utf-8",
        "text/css", "application/ld+json", "font/woff2",
    ])
    func `a body that is no page is left unread`(_ type: String) async throws {
        // The body never comes: only a fetcher that does not wait for it gets an answer.
        let web = try LoopbackExchange { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: 1000\r\n\r\n")
            connection.waitForClose()
            return .close
        }
        let response = try await web.response()
        #expect(response.status == 200)
        #expect(response.headers["Content-Length"] == "1000")
        #expect(!response.bodyWasRead && response.body.isEmpty)
    }

    @Test(arguments: [
        "text/html", "TEXT/HTML;charset=utf-8", "application/xhtml+xml", "text/xml", "application/rss+xml",
        "text/plain", "application/octet-stream", "", "html", "image/png, text/html",
    ])
    func `a body that may be a page is read`(_ type: String) async throws {
        let isList = type.contains(",")
        let web = try LoopbackExchange { _, connection in
            connection.respond(
                "200 OK", isList ? ["Content-Type: image/png", "Content-Type: text/html"] : ["Content-Type: \(type)"],
                body: Array("<p>".utf8))
            return .keepOpen
        }
        let response = try await web.response()
        #expect(response.bodyWasRead && response.body == Array("<p>".utf8))
    }

    @Test func `what does not say what it is gets judged by its first bytes`() async throws {
        let web = try LoopbackExchange { request, connection in
            let body: [UInt8] = request.target == "/zip" ? [0x50, 0x4B, 3, 4, 0, 0] : Array("<p>".utf8)
            connection.respond("200 OK", ["Content-Type: application/octet-stream"], body: body)
            return .keepOpen
        }
        #expect(try await web.response("/page").bodyWasRead)
        #expect(try await !web.response("/zip").bodyWasRead)
    }

    @Test func `of JSON only feeds are read, and of other JSON no more than its beginning`() async throws {
        let web = try LoopbackExchange { request, connection in
            let beginning = request.target == "/feed" ? "{\"version\":\"https:\\/\\/jsonfeed.org\\/version\\/1\"," : "{"
            let body = beginning + "\"items\":[" + String(repeating: " ", count: 300_000) + "]}"
            connection.respond("200 OK", ["Content-Type: application/json"], body: Array(body.utf8))
            return .close
        }
        let feed = try await web.response("/feed")
        #expect(feed.bodyWasRead && feed.body.count > 300_000 && feed.kind() == .feed("application/json"))
        let other = try await web.response("/other")
        #expect(!other.bodyWasRead && other.kind() == .other("application/json"))
    }

    @Test func `for other purposes the content type does not matter`() async throws {
        let web = try LoopbackExchange { _, connection in
            connection.respond("200 OK", ["Content-Type: application/gzip"], body: [0x1F, 0x8B, 0, 1])
            return .keepOpen
        }
        for purpose in [FetchRequest.Purpose.robots, .sitemap, .associationFile, .manifest] {
            #expect(try await web.response(purpose: purpose).body == [0x1F, 0x8B, 0, 1])
        }
    }

    @Test func `cancelling the task ends the exchange`() async throws {
        let (asked, continuation) = AsyncStream<Void>.makeStream()
        let (left, leftContinuation) = AsyncStream<Void>.makeStream()
        let web = try LoopbackExchange { _, connection in
            continuation.finish()
            if connection.waitForClose() { leftContinuation.finish() }
            return .close
        }
        let task = Task { try await web.fetch() }
        for await _ in asked {}
        task.cancel()
        #expect(try await task.value.failure == .cancelled)
        for await _ in left {}
        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await web.fetch()
        }
        #expect(try await cancelledBefore.value.failure == .cancelled)
    }

    @Test func `shutting down ends what is under way and what comes later`() async throws {
        let (asked, continuation) = AsyncStream<Void>.makeStream()
        let web = try LoopbackExchange { _, connection in
            continuation.finish()
            connection.waitForClose()
            return .close
        }
        async let result = web.fetch()
        for await _ in asked {}
        await web.fetcher.shutdown()
        #expect(try await result.failure == .cancelled)
        #expect(try await web.fetch().failure == .cancelled)
        await web.fetcher.shutdown()
    }

    @Test func `an address that is not public is refused when it is connected to`() async throws {
        let web = try LoopbackExchange {
            $0.allowPrivateNetworks = false
        } answer: { _, connection in
            connection.respond()
            return .keepOpen
        }
        let port = web.server.port
        for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0.0.0.0"] {
            let url = try #require(WebURL("http://\(host):\(port)/"))
            let failure = await web.fetcher.fetch(FetchRequest(url: url)).failure
            guard case .addressRefused = failure else {
                Issue.record("\(host): \(String(describing: failure))")
                continue
            }
        }
        #expect(web.server.connectionCount == 0)
    }

    @Test func `other schemes, unknown hosts and closed ports have their own errors`() async throws {
        let web = try LoopbackExchange { _, _ in .close }
        func failure(_ url: String) async throws -> FetchError? {
            await web.fetcher.fetch(FetchRequest(url: try #require(WebURL(url)))).failure
        }
        #expect(try await failure("ftp://127.0.0.1/") == .unsupportedScheme("ftp"))
        // A label longer than DNS allows is not even looked up.
        #expect(try await failure("http://\(String(repeating: "a", count: 64)).invalid/") == .hostNotFound)
        let port = try LoopbackServer.freePort()
        guard case .connectionFailed = try await failure("http://127.0.0.1:\(port)/") else {
            Issue.record("a closed port was connected to")
            return
        }
    }

    @Test func `user name and password of a URL are not sent`() async throws {
        let web = try LoopbackExchange { request, connection in
            echo(request, connection)
            return .keepOpen
        }
        let url = try #require(WebURL("http://user:secret@127.0.0.1:\(web.server.port)/p?q"))
        let lines = lines(try await web.fetcher.fetch(FetchRequest(url: url)).get())
        #expect(lines.first == "GET /p?q")
        #expect(!lines.contains { $0.hasPrefix("Authorization") })
    }
}
