import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// One budget of bytes for all that the web makes a crawl keep.
@Suite(.ends) struct MemoryBudgetTests {
    @Test func `what does not fit waits, and one at a time goes on beyond the budget`() {
        let budget = MemoryBudget(limit: 4_000_000)
        let woken = Mutex<[String]>([])
        func wake(_ name: String) -> @Sendable () -> Void { { woken.withLock { $0.append(name) } } }
        let first = budget.begin()
        let second = budget.begin()
        let third = budget.begin()
        #expect(budget.inUse == 3 * budget.ordinary)
        #expect(first.grow(to: 2_500_000, orWake: wake("first")))
        #expect(second.grow(to: 2_000_000, orWake: wake("second")), "nobody is beyond the budget yet")
        #expect(!third.grow(to: 1_000_000, orWake: wake("third")))
        #expect(budget.waitingCount == 1 && !budget.hasRoom)
        first.end()
        #expect(woken.withLock { $0 } == ["third"])
        // The second is beyond no more than it was, and may still grow: it is its turn.
        #expect(second.grow(to: 9_000_000, orWake: wake("second")))
        #expect(!third.grow(to: 1_000_000, orWake: wake("third")))
        second.end()
        #expect(third.grow(to: 1_000_000, orWake: wake("third")))
        #expect(budget.waitingCount == 0)
        third.end()
        #expect(budget.inUse == 0 && budget.hasRoom)
    }

    @Test func `a holding that is forgotten gives back what it held`() {
        let budget = MemoryBudget(limit: 4_000_000)
        do {
            let holding = budget.begin()
            #expect(holding.grow(to: 1_000_000) {})
        }
        #expect(budget.inUse == 0)
    }

    @Test func `ordinary pages fit at once`() {
        let budget = MemoryBudget(limit: CrawlConfiguration.Fetch().memoryBytes)
        let pages = (0..<64).map { _ in budget.begin() }
        for page in pages { #expect(page.grow(to: 50_000 + 64 * 1024 + 8 * 50_000) { Issue.record("it waited") }) }
        #expect(budget.hasRoom && budget.inUse == 64 * budget.ordinary)
    }

    /// Large bodies, packed and plain, on connections that the server never closes by itself.
    private func server(pages: Int, body: [UInt8], packed: [UInt8]) throws -> LoopbackServer {
        try LoopbackServer { request, connection in
            switch request.target {
            case "/robots.txt", "/sitemap.xml": connection.respond("404 Not Found")
            case "/":
                let links = (0..<pages).map { "<a href=/large/\($0)>x</a>" }
                connection.respond(body: Array("<title>start</title>\(links.joined())".utf8))
            case _ where request.target.hasSuffix("1"):
                connection.respond("200 OK", ["Content-Type: text/html", "Content-Encoding: gzip"], body: packed)
            default: connection.respond(body: body)
            }
            return .keepOpen
        }
    }

    @Test func `large pages on many hosts are all recorded within a small budget`() async throws {
        let body = Array("<title>large</title><p>".utf8) + [UInt8](repeating: 0x20, count: 3_000_000)
        let packed = PackedBytes.deflate(body, .gzip)
        let servers = try (0..<8).map { _ in try server(pages: 4, body: body, packed: packed) }
        var configuration = CrawlConfiguration()
        configuration.fetch.memoryBytes = 4_000_000
        configuration.fetch.allowPrivateNetworks = true
        configuration.politeness.delay = .zero
        configuration.politeness.adaptive = false
        configuration.scope.sitemaps = false
        configuration.records = .all
        let seeds = servers.enumerated().map { "http://h\($0.offset).localhost:\($0.element.port)/" }
        var settings = CurlFetcher.Configuration(userAgent: "PippinTest/1.0")
        settings.allowPrivateNetworks = true
        let fetcher = try CurlFetcher(configuration: settings)
        let sink = MemorySink()
        let crawler = Crawler(
            configuration: configuration, seeds: try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt"),
            fetcher: fetcher, frontier: MemoryFrontier(sinks: [sink]))
        let summary = try await crawler.run()
        #expect(await sink.records.count == 8 * 5, "\(summary.statistics.outcomes)")
        // Of the budget and one page: its body, while it grows twice, and eight times its size to read it.
        #expect(crawler.memory.most <= 4_000_000 + 12 * body.count, "\(crawler.memory.most)")
        #expect(crawler.memory.inUse == 0)
        await fetcher.shutdown()
    }

    @Test func `a transfer that waits for memory goes on where it was, plain and packed`() async throws {
        var random = SystemRandomNumberGenerator()
        let body = (0..<2_000_000).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
        let packed = PackedBytes.deflate(body, .gzip)
        let web = try LoopbackExchange { request, connection in
            if request.target == "/packed" {
                connection.respond("200 OK", ["Content-Type: text/html", "Content-Encoding: gzip"], body: packed)
            } else {
                connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n")
                connection.send(body)
                return .close
            }
            return .keepOpen
        }
        for path in ["/packed", "/plain"] {
            let budget = MemoryBudget(limit: 4_000_000)
            // One is beyond the budget, and the budget is full.
            let other = budget.begin()
            #expect(other.grow(to: 5_000_000) {})
            var request = try web.request(path)
            request.maximumBodyBytes = 2_000_000
            request.timeout = .seconds(2)
            let memory = budget.begin()
            request.memory = memory
            let settled = request
            async let result = web.fetcher.fetch(settled)
            try await waitUntil("the exchange waits for memory") { budget.waitingCount > 0 }
            // Longer than the exchange may take: the time is ours, not the host's.
            try await Task.sleep(for: .seconds(3))
            #expect(budget.waitingCount == 1)
            other.end()
            #expect(try await result.get().body == body, "\(path)")
            memory.end()
        }
        await web.fetcher.shutdown()
    }

    @Test func `a page that waits for its manifest keeps no document`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        let text = String(repeating: "<p>word ", count: 200_000)
        for host in 0..<6 {
            let origin = "https://h\(host).test"
            web["\(origin)/"] = [.html("<title>\(host)</title><link rel=manifest href=/m.json>\(text)")]
            web["\(origin)/m.json"] = [.json(#"{"related_applications":[]}"#).taking(.seconds(100))]
        }
        let crawl = try await FakeCrawl.run(web, seeds: (0..<6).map { "https://h\($0).test/" }) {
            $0.records = .all
            $0.fetch.memoryBytes = 4_000_000
        }
        #expect(crawl.recorded.count == 6, "\(crawl.outcomes)")
        // The pages are all read before the first manifest comes: none had to be kept whole.
        let firstManifest = web.log.filter { $0.url.hasSuffix("/m.json") }.map(\.end).min()
        let lastPage = web.log.filter { $0.url.hasSuffix(".test/") }.map(\.start).max()
        #expect(try #require(lastPage) < #require(firstManifest))
    }
}
