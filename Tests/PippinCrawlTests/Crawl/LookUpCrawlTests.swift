import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What a page that names thousands of hosts costs other people.
@Suite struct LookUpCrawlTests {
    private func crawl(
        names: [String], isMissing: Bool = false, answer: FakeWeb.Answer = .status(404),
        configure: @escaping @Sendable (inout CrawlConfiguration) -> Void
    ) async throws -> FakeCrawl {
        let web = FakeWeb(time: MadeUpTime(), slowest: .milliseconds(50))
        web.page("https://a.test/", links: names.map { "https://\($0)/" })
        web.address("9.9.9.9", of: names)
        for name in names { web["https://\(name)/robots.txt"] = [answer] }
        let missing = Set(isMissing ? names : [])
        web.names(missing: { missing.contains($0) ? .hostNotFound : nil })
        return try await FakeCrawl.run(web, seeds: ["https://a.test/"]) {
            $0.scope.follow = .any
            $0.agent.contact = "a@example.net"
            configure(&$0)
        }
    }

    private static func names(_ count: Int) -> [String] { (0..<count).map { "x\($0).test" } }

    private func expectPaced(_ web: FakeWeb, delay: Duration) {
        let starts = web.log.filter { $0.host != "a.test" }.map(\.start).sorted()
        for (one, next) in zip(starts, starts.dropFirst()) { #expect(next - one >= delay) }
    }

    @Test func `max_pages bounds hosts, look-ups and requests for robots`() async throws {
        let crawl = try await crawl(names: Self.names(3000)) { $0.scope.maximumPages = 20 }
        #expect(crawl.web.lookUps.count <= 50)
        #expect(Set(crawl.web.log.map(\.host)).count <= 50)
        #expect(crawl.web.log.filter { $0.purpose == .robots }.count <= 100)
        #expect(crawl.summary.ending == .pageLimit)
        expectPaced(crawl.web, delay: .seconds(1))
        let few = try await self.crawl(names: Self.names(100)) { $0.scope.maximumHosts = 10 }
        #expect(few.summary.limitations.contains { $0.code == "host-limit" && $0.count > 0 })
        #expect(few.summary.statistics.hostsBeyond > 0)
    }

    @Test(arguments: [
        FetchError.connectionFailed("connection refused"), .tls(.untrusted, reason: "self-signed"),
        .connectionFailed("empty reply"),
    ])
    func `an address where one name after the other fails is left`(error: FetchError) async throws {
        let crawl = try await crawl(names: Self.names(300), answer: .failure(error)) { _ in }
        let asked = crawl.web.log.filter { $0.host != "a.test" }
        #expect(asked.count >= 5 && asked.count <= 12, "\(asked.count)")
        expectPaced(crawl.web, delay: .seconds(1))
        let words = crawl.summary.statistics.troubles.values.map(\.reason)
        #expect(words.contains { $0.contains("requests to hosts on its address, 9.9.9.9, failed") })
    }

    @Test func `names that do not exist cost one look-up each, and few in all`() async throws {
        let names = (0..<3000).map { "x\($0).shop.test" }
        let crawl = try await crawl(names: names, isMissing: true) { _ in }
        #expect(
            crawl.web.lookUps.filter { $0.host.hasSuffix(".shop.test") }.count == LookUpLines.maximumMissingNames
        )
        #expect(crawl.web.log.allSatisfy { $0.host == "a.test" })
        #expect(crawl.summary.statistics.lookUps["host-not-found"] == LookUpLines.maximumMissingNames)
        #expect(crawl.summary.limitations.contains { $0.code == "names-missing" && $0.count == 1 })
        // No request was made for them.
        #expect(crawl.summary.statistics.requests == crawl.web.log.count)
    }

    @Test func `names of many domains are looked up at a bounded rate`() async throws {
        let crawl = try await crawl(names: Self.names(400), isMissing: true) {
            $0.politeness.maximumLookUpsPerSecond = 10
        }
        let starts = crawl.web.lookUps.map(\.start).sorted()
        #expect(starts.count >= 400)
        for (one, next) in zip(starts, starts.dropFirst()) { #expect(next - one >= .milliseconds(100)) }
    }

    @Test func `requests for robots have a limit of their own`() async throws {
        let crawl = try await crawl(names: Self.names(60)) { $0.scope.maximumRobotsRequests = 5 }
        #expect(crawl.web.log.filter { $0.purpose == .robots }.count == 5)
        #expect(crawl.summary.ending == .hostLimit)
        #expect(crawl.summary.unvisited == 60 - 4)
    }

    @Test func `one page alone looks up and paces like a crawl`() async throws {
        let web = FakeWeb(time: MadeUpTime(), slowest: .milliseconds(10))
        web["https://a.example/"] = [.redirect(to: "https://b.example/")]
        web.page("https://b.example/")
        web.address("9.9.9.9", of: ["a.example", "b.example"])
        let url = try #require(WebURL("https://a.example/"))
        let result = try await web.time.run {
            var configuration = CrawlConfiguration()
            configuration.agent.contact = "a@example.net"
            var single = SingleFetch(configuration: configuration, fetcher: web, clock: web.time.clock)
            return await single.fetch(url, purpose: .page)
        }
        #expect(try result.get().status == 200)
        #expect(web.lookUps.map(\.host) == ["a.example", "b.example"])
        let starts = web.log.map(\.start).sorted()
        #expect(starts.count == 4)
        for (one, next) in zip(starts, starts.dropFirst()) { #expect(next - one >= .seconds(1)) }
    }

    // MARK: Several addresses

    private static let badAddress = NetworkAddress("9.9.9.9")

    @Test func `a command asks at the next address, each time in the host's turn`() async throws {
        let web = FakeWeb(time: MadeUpTime(), slowest: .milliseconds(10))
        web.page("https://a.example/")
        web.addresses(["9.9.9.9", "8.8.8.8"], of: "a.example")
        web.refuses { $0.addresses.first == Self.badAddress }
        let url = try #require(WebURL("https://a.example/"))
        let result = try await web.time.run {
            var configuration = CrawlConfiguration()
            configuration.agent.contact = "a@example.net"
            var single = SingleFetch(configuration: configuration, fetcher: web, clock: web.time.clock)
            return await single.fetch(url, purpose: .page)
        }
        #expect(try result.get().remoteAddress == "8.8.8.8")
        #expect(web.log.map(\.purpose) == [.robots, .robots, .page])
        for (one, next) in zip(web.log, web.log.dropFirst()) { #expect(next.start - one.end >= .seconds(1)) }
    }

    @Test func `a command gives up when all addresses have failed`() async throws {
        let web = FakeWeb(time: MadeUpTime(), slowest: .milliseconds(10))
        web.addresses(["9.9.9.9", "8.8.8.8"], of: "a.example")
        web.refuses { _ in true }
        let url = try #require(WebURL("https://a.example/"))
        let result = try await web.time.run {
            var configuration = CrawlConfiguration()
            configuration.agent.contact = "a@example.net"
            var single = SingleFetch(configuration: configuration, fetcher: web, clock: web.time.clock)
            return await single.fetch(url, purpose: .page)
        }
        #expect(result.failure?.root.error?.kind == .connectionFailed)
        #expect(web.log.map(\.purpose) == [.robots, .robots])
    }

    @Test func `a file that pages wait for is asked for at the next address too`() async throws {
        let web = FakeWeb(time: MadeUpTime(), slowest: .milliseconds(10))
        web.page("https://a.test/")
        web.associations("https://a.test", app: "ABCDE12345.org.example.app", package: "org.example.app")
        web.addresses(["9.9.9.9", "8.8.8.8"], of: "a.test")
        web.refuses { $0.purpose == .associationFile && $0.addresses.first == Self.badAddress }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.summary.statistics.siteFiles["apple-association-found"] == 1)
        #expect(crawl.summary.statistics.siteFiles["asset-links-found"] == 1)
        #expect(web.log.count { $0.purpose == .associationFile } == 3)
        #expect(crawl.records.count == 1)
    }
}
