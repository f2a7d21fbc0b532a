import Foundation
import PippinCrawl
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinPage
@testable import PippinServe

@Suite struct WebServerTests {
    private static let token = "0123456789abcdef0123456789abcdef"

    @Test func `every answer forbids foreign scripts, frames and referrers`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            for target in ["/healthz", "/style.css", "/nothing", "/record", "/openapi.json", "/api/v1/nothing"] {
                let fields = try await client.get(target).fields
                let policy = try #require(fields["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
                #expect(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"))
                #expect(!policy.contains("unsafe"))
                #expect(fields["x-content-type-options"] == "nosniff")
                #expect(fields["referrer-policy"] == "no-referrer")
            }
        }
    }

    @Test func `pictures come from the server, named by their record, and only if they are pictures`() async throws {
        let png = DemoPicture(width: 8, height: 8).png(named: "pie")
        let answers: [String: [UInt8]] = [
            "/pie.png": png, "/evil.svg": Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8),
            "/page": Array("<p>Page".utf8),
            "/large.png": png + [UInt8](repeating: 0, count: WebLimits.pictureBytes),
        ]
        var records: [DeepLinkRecord] = []
        for path in answers.keys.sorted() + ["/missing.png"] {
            var record = DeepLinkRecord.titled("Pie", at: "https://kitchen.test\(path)/record")
            record.thumbnailURL = "http://192.168.1.1\(path)"
            records.append(record)
        }
        let storage = try await ServedStorage(records)
        defer { storage.remove() }
        let asked = Mutex<[String]>([])
        let fetch = { @Sendable (url: WebURL, _: Int) async -> [UInt8]? in
            asked.withLock { $0.append(url.href) }
            return answers[url.path]
        }
        try await storage.served(fetchPicture: fetch) { client async throws in
            func page(_ path: String) -> String {
                WebClient.target("/record", "url", "https://kitchen.test\(path)/record")
            }
            let shown = try await client.get(page("/pie.png"))
            #expect(
                shown.body.contains(
                    "src=\"/picture?record=https://kitchen.test/pie.png/record&amp;kind=thumbnail\""))
            #expect(!shown.body.contains("src=\"http"))
            #expect(shown.fields["content-security-policy"]?.contains("img-src 'self' data:;") == true)
            func picture(_ path: String, _ fields: [String] = []) async throws -> WebClient.Reply {
                try await client.get(
                    WebClient.target("/picture", "record", "https://kitchen.test\(path)/record"), fields)
            }
            for _ in 0..<2 {
                let reply = try await picture("/pie.png")
                #expect(reply.status == 200 && reply.fields["content-type"] == "image/png")
                #expect(reply.fields["content-length"] == "\(png.count)")
            }
            for path in ["/evil.svg", "/page", "/large.png", "/missing.png", "/unknown"] {
                #expect(try await picture(path).status == 404, "\(path)")
            }
            #expect(try await picture("/pie.png", ["Sec-Fetch-Site: cross-site"]).status == 403)
            #expect(try await client.get("/picture?url=http://192.168.1.1/reboot").status == 400)
        }
        // A picture that is kept is not fetched again, and nothing but what records name is.
        let named = (answers.keys + ["/missing.png"]).map { "http://192.168.1.1\($0)" }
        #expect(asked.withLock { $0.sorted() } == named.sorted())
        try await storage.served { client async throws in
            let page = try await client.get(
                WebClient.target("/record", "url", "https://kitchen.test/pie.png/record"))
            #expect(!page.body.contains("<img"))
            #expect(try await client.get("/picture?record=https://kitchen.test/pie.png/record").status == 404)
        }
    }

    @Test func `a thumbnail is a page's picture that nothing else can be made of, and is sent once`() async throws {
        var record = DeepLinkRecord.titled("Pie", at: "https://kitchen.test/pie")
        record.thumbnailURL = "http://192.168.1.1/pie.png"
        record.iconURL = record.thumbnailURL
        let storage = try await ServedStorage([record])
        defer { storage.remove() }
        let png = DemoPicture(width: 8, height: 8).png(named: "pie")
        let fetch = { @Sendable (_: WebURL, _: Int) async -> [UInt8]? in png }
        let sides = Mutex<[Int]>([])
        let scale = { @Sendable (_: [UInt8], side: Int) async -> [UInt8]? in
            sides.withLock { $0.append(side) }
            return Array("RIFF\u{C}\0\0\0WEBPVP8L\0\0\0\0".utf8)
        }
        for _ in 0..<2 {
            try await storage.served(fetchPicture: fetch, scalePicture: scale) { client async throws in
                let target = WebClient.target("/picture", "record", "https://kitchen.test/pie")
                let reply = try await client.get(target)
                #expect(reply.status == 200 && reply.fields["content-type"] == "image/webp")
                #expect(reply.fields["content-security-policy"]?.hasSuffix("; sandbox") == true)
                #expect(reply.fields["x-content-type-options"] == "nosniff")
                #expect(reply.fields["cache-control"] == "private, max-age=3600")
                let tag = try #require(reply.fields["etag"])
                #expect(try await client.get(target, ["If-None-Match: \(tag)"]).status == 304)
                #expect(try await client.get("\(target)&kind=icon").status == 200)
            }
        }
        // The second server found both on disk.
        #expect(sides.withLock { $0 } == [240, 36])
        let folder = storage.folder.appending(path: ThumbnailStore.folderName)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }

    @Test(arguments: [
        "evil.test", "evil.test:80", "localhost.evil.test", "127.0.0.1.evil.test", "[::2]", "10.0.0.1", "a:b:c", "",
    ])
    func `a request for another name is refused, whatever it asks for`(host: String) async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            #expect([400, 421].contains(try await client.send("GET /healthz HTTP/1.1", ["Host: \(host)"]).status))
        }
    }

    @Test func `the own names are answered on any port`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(names: ["Search.Example"]) { client async throws in
            for host in ["localhost", "localhost:9", "127.0.0.1", "[::1]:80", "LOCALHOST", "search.example:443"] {
                #expect(try await client.send("GET /healthz HTTP/1.1", ["Host: \(host)"]).status == 200, "\(host)")
            }
            #expect(try await client.send("GET /healthz HTTP/1.1", []).status == 400)
            #expect(
                try await client.send("GET /healthz HTTP/1.1", ["Host: localhost", "Host: evil.test"]).status == 400)
        }
    }

    @Test func `large requests are refused with a sentence`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let long = String(repeating: "a", count: WebLimits.targetBytes)
            let address = try await client.get("/api/v1/record?url=\(long)")
            #expect(address.status == 414)
            #expect(try address.json()["detail"]?.string?.contains("longer than") == true)
            #expect(try await client.get("/\(long)").body.contains("<h1>"))
            let fields = (0..<40).map { "X-\($0): " + String(repeating: "b", count: 1_000) }
            #expect(try await client.get("/openapi.json", fields).status == 431)
            #expect(
                try await client.post("/sign-in", String(repeating: "c", count: WebLimits.bodyBytes + 1)).status != 200)
        }
    }

    @Test func `too large a body is refused before it is read`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            let reply = try await client.send(
                "POST /sign-in HTTP/1.1",
                [
                    "Host: localhost", "Content-Type: application/x-www-form-urlencoded",
                    "Content-Length: \(WebLimits.bodyBytes + 1)",
                ])
            #expect(reply.status == 413)
        }
    }

    @Test func `other methods get the list of those that are for the address`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            for method in ["POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH"] {
                let reply = try await client.send("\(method) /openapi.json HTTP/1.1", ["Host: localhost"])
                #expect(reply.status == 405)
                #expect(reply.fields["allow"] == "GET, HEAD")
                #expect(reply.fields["content-type"] == "application/problem+json")
            }
            let head = try await client.send("HEAD /healthz HTTP/1.1", ["Host: localhost"])
            #expect(head.status == 200)
            #expect(head.fields["content-length"] == "3")
            #expect(head.body.isEmpty)
        }
    }

    @Test func `files that the browser has are not sent again`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let tag = try #require(try await client.get("/style.css").fields["etag"])
            let again = try await client.get("/style.css", ["If-None-Match: \(tag)"])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
        }
    }

    @Test func `without the token nothing of the storage is shown`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            for route in WebRoutes.all where !route.isOpen {
                let reply =
                    if route.method == .get { try await client.get(route.path) } else {
                        try await client.post(route.path, "")
                    }
                #expect(reply.status == 401, "\(route.path)")
                #expect(reply.fields["www-authenticate"] == "Bearer realm=\"pippin\"")
            }
            #expect(try await client.get("/healthz").status == 200)
            #expect(try await client.get("/metrics", ["Authorization: Bearer \(Self.token)"]).status == 200)
            #expect(try await client.get("/metrics", ["Authorization: Bearer \(Self.token)x"]).status == 401)
            #expect(try await client.get("/metrics", ["Authorization: Basic \(Self.token)"]).status == 401)
            #expect(try await client.get("/metrics", ["Cookie: pippin-session=\(Self.token)"]).status == 401)
        }
    }

    @Test func `the sign-in form gives a cookie that opens the server`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            #expect(try await client.get("/sign-in").body.contains("type=\"password\""))
            #expect(try await client.post("/sign-in", "token=wrong").status == 403)
            let reply = try await client.post("/sign-in", "token=\(Self.token)")
            #expect(reply.status == 303)
            let cookie = try #require(reply.fields["set-cookie"])
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite="))
            #expect(!cookie.contains(Self.token))
            let value = try #require(cookie.split(separator: ";").first)
            #expect(try await client.get("/metrics", ["Cookie: other=1; \(value)"]).status == 200)
            #expect(try await client.get("/metrics", ["Cookie: other=1", "Cookie: \(value)"]).status == 200)
        }
    }

    @Test func `the sign-in leads to the page that was wanted, and a sign-out ends the session`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            let refused = try await client.get("/?q=pie&lang=en")
            #expect(
                refused.status == 401 && refused.body.contains("href=\"/sign-in?to=/%3Fq%3Dpie%26lang%3Den\""))
            #expect(
                try await client.get("/sign-in?to=/search%3Fq%3Dpie").body.contains(
                    "name=\"to\" value=\"/search?q=pie\""))
            for (wanted, page) in [
                ("/search?q=pie", "/search?q=pie"), ("//evil.test/", "/"), ("https://evil.test/a", "/"),
                ("/\\evil.test", "/"), ("", "/"),
                ("/%0d%0aSet-Cookie:x", "/%0d%0aSet-Cookie:x"), ("/.//evil.test", "/"),
            ] {
                let encoded = wanted.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                let reply = try await client.post("/sign-in", "token=\(Self.token)&to=\(encoded)")
                #expect(reply.status == 303 && reply.fields["location"] == page, "\(wanted): \(reply.fields)")
            }
            let plain = try await client.post("/sign-in", "token=\(Self.token)")
            #expect(plain.fields["set-cookie"]?.contains("Secure") == false)
            let behindTLS = try await client.post("/sign-in", "token=\(Self.token)", ["X-Forwarded-Proto: https"])
            #expect(behindTLS.fields["set-cookie"]?.hasSuffix("; Secure") == true)
            let value = try #require(plain.fields["set-cookie"]?.split(separator: ";").first)
            #expect(try await client.get("/sign-in", ["Cookie: \(value)"]).body.contains("Sign out"))
            #expect(try await client.get("/metrics", ["Cookie: \(value)"]).status == 200)
            let out = try await client.post("/sign-out", "", ["Cookie: \(value)"])
            #expect(try await client.get("/metrics", ["Cookie: \(value)"]).status == 401)
            // The session of another browser goes on.
            let other = try #require(behindTLS.fields["set-cookie"]?.split(separator: ";").first)
            #expect(try await client.get("/metrics", ["Cookie: \(other)"]).status == 200)
            #expect(out.status == 303 && out.fields["set-cookie"]?.contains("pippin-session=; ") == true)
            #expect(out.fields["set-cookie"]?.contains("Max-Age=0") == true)
        }
    }

    @Test(arguments: ["Authorization: Bearer guess-of-the-token-", "Cookie: pippin-session="])
    func `the sign-in page tells nobody more guesses than others do`(field: String) async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            var statuses: [Int] = []
            for number in 0..<80 { statuses.append(try await client.get("/sign-in", ["\(field)\(number)"]).status) }
            // A guess comes back every few seconds, so the last one of a slow machine may pass.
            #expect(statuses.first == 200 && statuses.contains(429))
        }
    }

    @Test func `guesses at sessions are limited in number, and keep nobody else out`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            var statuses: [Int] = []
            for number in 0..<80 {
                statuses.append(try await client.get("/metrics", ["Cookie: pippin-session=\(number)"]).status)
            }
            #expect(statuses.first == 401 && statuses.last == 429)
            #expect(try await client.get("/metrics", ["Authorization: Bearer \(Self.token)"]).status == 200)
            #expect(try await client.post("/sign-in", "token=\(Self.token)").status == 303)
        }
    }

    @Test func `guesses at the token are limited in number`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            var statuses: [Int] = []
            for number in 0..<14 { statuses.append(try await client.post("/sign-in", "token=guess\(number)").status) }
            #expect(statuses.first == 403)
            #expect(statuses.last == 429)
        }
    }

    @Test(arguments: [
        ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"], ["Origin: https://evil.test"], ["Origin: null"],
    ])
    func `a form of another site is refused`(fields: [String]) async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            let reply = try await client.post("/sign-in", "token=\(Self.token)", fields)
            #expect(reply.status == 403)
            #expect(reply.fields["set-cookie"] == nil)
            let own = try await client.post(
                "/sign-in", "token=\(Self.token)", ["Sec-Fetch-Site: same-origin", "Origin: null"])
            #expect(own.status == 303)
        }
    }

    @Test func `a picture or a link of a record orders nothing`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let url = "https://example.org/"
            for path in ["/api/v1/card?url=\(url)", "/card?url=\(url)"] {
                let reply = try await client.get(path, ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Dest: image"])
                #expect(reply.status == (path.hasPrefix("/api") ? 405 : 200), "\(path): \(reply.status)")
            }
            let foreign = try await client.post("/api/v1/card", "url=\(url)", ["Sec-Fetch-Site: cross-site"])
            #expect(foreign.status == 403)
            // This server makes no report cards: everything before that was in order.
            #expect(try await client.post("/api/v1/card", "url=\(url)").status == 501)
            #expect(try await client.post("/api/v1/card?url=\(url)", "").status == 400)
            #expect(try await client.post("/api/v1/card", "url=\(url)&urls=").status == 400)
        }
    }

    @Test func `an address beyond this machine needs a token`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        for host in ["0.0.0.0", "::", "192.0.2.1", "example.org", "127.0.0.1.example.org"] {
            var settings = WebSettings(storage: storage.folder)
            settings.host = host
            #expect(throws: ReportedFailure.self, "\(host)") { try WebServer(settings) }
            settings.token = try AccessToken(Self.token, source: "test")
            _ = try WebServer(settings)
        }
    }

    @Test(arguments: ["", "short", "with space in the middle", "ümläute-are-not-visible-ascii"])
    func `a token that could be guessed or typed wrong is refused`(text: String) {
        #expect(throws: ReportedFailure.self) { try AccessToken(text, source: "test") }
    }

    @Test func `a port that is taken is an error that names it`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            var settings = WebSettings(storage: storage.folder)
            settings.port = client.port
            let error = await #expect(throws: ReportedFailure.self) {
                try await WebServer(settings).withServer { _ in }
            }
            #expect(error?.description.contains("port \(client.port)") == true)
        }
    }

    @Test func `metrics name routes and statuses, never what a client has made up`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            _ = try await client.get("/made-up-by-a-client")
            _ = try await client.get("/healthz")
            let text = try await client.get("/metrics").body
            #expect(text.contains("pippin_serve_requests_total{route=\"/healthz\",status=\"200\"} 1"))
            #expect(text.contains("pippin_serve_requests_total{route=\"other\",status=\"404\"} 1"))
            #expect(!text.contains("made-up"))
        }
    }

    @Test func `a limit refills as time passes`() {
        let start = ContinuousClock.now
        let limit = RateLimit(size: 2, interval: .seconds(10), now: start)
        #expect(limit.take(now: start) == nil)
        #expect(limit.take(now: start) == nil)
        #expect(limit.take(now: start) == 10)
        #expect(limit.take(now: start + .seconds(5)) == 5)
        #expect(limit.take(now: start + .seconds(10)) == nil)
    }
}
