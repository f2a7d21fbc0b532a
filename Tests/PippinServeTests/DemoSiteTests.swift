import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinServe

@Suite struct DemoSiteTests {
    private static let folder = Repository.root.appending(path: "Examples/demo-site")
    private let ports = DemoPorts(secure: 8443, plain: 8080)

    private func body(_ reply: DemoSite.Reply) -> String { String(decoding: reply.body, as: UTF8.self) }

    @Test func `addresses in pages become those of this machine, also in header fields and old encodings`() throws {
        let site = try DemoSite(folder: Self.folder)
        #expect(
            site.hostNames.filter { !DemoSite.isForChecks($0) } == [
                "bot.example", "clownfair.example", "down.example", "members.example", "pantry.example",
                "priced.example",
                "shop.example", "stage.example",
            ])
        #expect(site.hostNames.contains(DemoSite.checksHost))
        let robots = site.reply(host: "clownfair.localhost", path: "/robots.txt", ports: ports)
        #expect(body(robots).contains("Sitemap: https://clownfair.localhost:8443/sitemap.xml"))
        let guests = site.reply(host: "clownfair.localhost", path: "/gaeste.html", ports: ports)
        #expect(guests.body.contains(0xFC), "the page is written in windows-1252")
        #expect(body(guests).contains("app-argument=https://clownfair.localhost:8443/gaeste.html"))
    }

    @Test func `responses say what files cannot`() throws {
        let site = try DemoSite(folder: Self.folder)
        let moved = site.reply(host: "clownfair.localhost", path: "/old-opening", ports: ports)
        #expect(moved.status == 301)
        #expect(moved.headers.contains { $0.name == "Location" && $0.value == "/events/opening-night.html" })
        #expect(site.reply(host: "clownfair.localhost", path: "/events/cancelled.html", ports: ports).status == 410)
        #expect(site.reply(host: "down.localhost", path: "/robots.txt", ports: ports).status == 503)
        let priced = site.reply(host: "priced.localhost", path: "/", ports: ports)
        #expect(
            priced.status == 402 && priced.headers.contains { $0.name == "crawler-price" && $0.value == "USD 0.01" })
        #expect(site.reply(host: "shop.localhost", path: "/products/", ports: ports).status == 200)
        #expect(site.reply(host: "shop.localhost", path: "/../seeds.txt", ports: ports).status == 404)
        #expect(site.reply(host: "elsewhere.localhost", path: "/", ports: ports).status == 421)
    }

    @Test func `pictures are drawn in the size that is asked for, and differ by their address`() throws {
        let site = try DemoSite(folder: Self.folder)
        let one = site.reply(host: "checks.localhost", path: "/pictures/one.png", ports: ports)
        let other = site.reply(host: "checks.localhost", path: "/pictures/other.png", ports: ports)
        #expect(one.status == 200)
        #expect(one.headers.contains { $0.name == "Content-Type" && $0.value == "image/png" })
        #expect(one.body.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        // IHDR: width and height, big-endian.
        #expect(Array(one.body[16..<24]) == [0, 0, 0x02, 0x80, 0, 0, 0x01, 0xE0])
        #expect(one.body != other.body)
        #expect(one.body.count < 20_000)
    }

    @Test func `who has a page already is told so, unless the site says otherwise`() throws {
        let site = try DemoSite(folder: Self.folder)
        let page = site.reply(host: "checks.localhost", path: "/L04-passes.html", ports: ports)
        let tag = try #require(page.headers.first { $0.name == "ETag" }?.value)
        let again = site.reply(host: "checks.localhost", path: "/L04-passes.html", ports: ports, ifNoneMatch: tag)
        #expect(again.status == 304 && again.body.isEmpty)
        let changed = site.reply(host: "checks.localhost", path: "/L04-passes.html", ports: ports, ifNoneMatch: "\"0\"")
        #expect(changed.status == 200)
        let without = site.reply(host: "checks.localhost", path: "/T11-fails.html", ports: ports)
        #expect(without.status == 200 && !without.headers.contains { $0.name == "ETag" })
    }

    @Test func `answers can be slow, long, compressed, or without TLS`() throws {
        let site = try DemoSite(folder: Self.folder)
        let slow = site.reply(host: "checks.localhost", path: "/T08-fails.html", ports: ports)
        #expect(slow.delay > .seconds(1) && slow.delay < .seconds(5))
        #expect(slow.body.count >= 30_000)
        let packed = site.reply(host: "checks.localhost", path: "/T08-passes.html", ports: ports)
        #expect(packed.body.starts(with: [0x1F, 0x8B]) && packed.body.count < 3_000)
        #expect(site.isServedPlain(host: "checks.localhost", path: "/T03-fails.html"))
        #expect(!site.isServedPlain(host: "checks.localhost", path: "/T03-passes.html"))
    }

    @Test func `a folder without hosts is an error that names it`() {
        let error = #expect(throws: ReportedFailure.self) {
            try DemoSite(folder: Self.folder.appending(path: "shop.example"))
        }
        #expect(error?.description.contains("shop.example") == true)
    }

    @Test func `an edit is served at the next request, and a broken one is told`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-demo-\(UUID().uuidString)")
        let host = folder.appending(path: "site/shop.example")
        try FileManager.default.createDirectory(at: host, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        @Sendable func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: host.appending(path: name))
        }
        try write("before", to: "mug.html")
        let site = try DemoSite(folder: folder.appending(path: "site"))
        let certificates = try DemoCertificates(hosts: site.hostNames.map(DemoSite.localName), folder: folder)
        let server = DemoServer(site: site, certificates: certificates, ports: DemoPorts(secure: 0, plain: 0))
        try await server.withServer { ports in
            var configuration = CurlFetcher.Configuration(userAgent: "PippinTests")
            configuration.allowPrivateNetworks = true
            configuration.caFile = certificates.authority.path
            configuration.connectTimeout = .seconds(120)
            configuration.firstByteTimeout = .seconds(120)
            let fetcher = try CurlFetcher(configuration: configuration)
            func get(_ path: String) async throws -> (Int, String) {
                let url = try #require(WebURL(ports.secureOrigin(of: "shop.example") + path))
                let response = try await fetcher.fetch(FetchRequest(url: url, timeout: .seconds(120))).get()
                return (response.status, String(decoding: response.body, as: UTF8.self))
            }
            #expect(try await get("/mug.html") == (200, "before"))
            try write("after it", to: "mug.html")
            #expect(try await get("/mug.html") == (200, "after it"))
            try write("new", to: "cup.html")
            #expect(try await get("/cup.html") == (200, "new"))
            try FileManager.default.removeItem(at: host.appending(path: "mug.html"))
            #expect(try await get("/mug.html").0 == 404)
            try write("{ \"/gone\": { \"status\": 410 } }", to: "responses.json")
            #expect(try await get("/gone").0 == 410)
            try write("{", to: "responses.json")
            let broken = try await get("/gone")
            #expect(broken.0 == 500 && broken.1.contains("responses.json"), "\(broken)")
            await fetcher.shutdown()
        }
    }

    @Test func `hosts are served over HTTPS with the demo's own authority, and HTTP leads there`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let site = try DemoSite(folder: Self.folder)
        let certificates = try DemoCertificates(hosts: site.hostNames.map(DemoSite.localName), folder: folder)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "ca.pem", "server.key", "server.pem",
            ])

        let server = DemoServer(site: site, certificates: certificates, ports: DemoPorts(secure: 0, plain: 0))
        let (page, hop) = try await server.withServer { ports in
            var configuration = CurlFetcher.Configuration(userAgent: "PippinTests")
            configuration.allowPrivateNetworks = true
            configuration.caFile = certificates.authority.path
            // The server shares Swift's threads with all other tests: on a busy machine it may answer late.
            configuration.connectTimeout = .seconds(120)
            configuration.firstByteTimeout = .seconds(120)
            let fetcher = try CurlFetcher(configuration: configuration)
            func get(_ address: String) async throws -> FetchResponse {
                let url = try #require(WebURL(address))
                return try await fetcher.fetch(FetchRequest(url: url, timeout: .seconds(120))).get()
            }
            let page = try await get(ports.secureOrigin(of: "pantry.example") + "/ja/")
            let hop = try await get(ports.plainOrigin(of: "pantry.example") + "/ja/?x=1")
            await fetcher.shutdown()
            #expect(hop.headers["Location"] == ports.secureOrigin(of: "pantry.example") + "/ja/?x=1")
            return (page, hop)
        }
        #expect(page.status == 200)
        #expect(page.headers["Content-Type"] == "text/html")
        #expect(hop.status == 308)
    }
}
