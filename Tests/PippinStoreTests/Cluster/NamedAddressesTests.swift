import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// Shards that share addresses: each asks only what the driver has named for it, and together they find what one machine finds.
@Suite struct NamedAddressesTests {
    /// A job whose hosts are at one address. The shortest time between two requests to it.
    private func leastGap(_ web: FakeWeb, hosts: Set<String>) -> Duration? {
        let starts = web.log.filter { hosts.contains($0.host) }.map(\.start).sorted()
        return zip(starts, starts.dropFirst()).map { $1 - $0 }.min()
    }

    private func endings(_ tellings: [ShardsUnderTest.Telling]) -> [String] { tellings.map(\.ending) }

    private static let hosts = (0..<8).map { "site\($0).test" }

    /// Eight sites at two addresses.
    private func job(_ shards: Int) throws -> ShardsUnderTest {
        let job = try ShardsUnderTest(shards, seeds: FakeWeb(time: MadeUpTime()).addSites(8, pages: 6, seed: 5))
        _ = job.web.addSites(8, pages: 6, seed: 5)
        job.configuration.scope.follow = .domain
        job.web.address("203.0.113.7", of: Array(Self.hosts.prefix(5)))
        job.web.address("203.0.113.8", of: Array(Self.hosts.dropFirst(5)))
        #expect(Set(Self.hosts.map { job.shard(of: $0) }).count == shards)
        return job
    }

    @Test(arguments: [2, 3])
    func `an address with hosts of several shards is never asked too early, and all is found`(shards: Int)
        async throws
    {
        let (hosts, job) = (Self.hosts, try job(shards))
        let first = try await job.runEpoch(for: .seconds(60))
        #expect(job.web.log.isEmpty && endings(first).allSatisfy { $0 == "addresses" })
        let told = first.flatMap { $0.of(.host) }
        #expect(Set(told.map(\.key)) == Set(hosts))
        #expect(told.allSatisfy { $0.json.contains(#""address":"203.0.113."#) })
        try await job.runEpoch(for: .seconds(60))
        #expect(Set(job.web.log.map(\.host)) == Set(hosts), "every host is asked in the turn after")
        try await job.runToEnd(epoch: .seconds(60))
        for group in [hosts.prefix(5), hosts.dropFirst(5)] {
            #expect(try #require(leastGap(job.web, hosts: Set(group))) >= .seconds(1))
        }
        let careless = try self.job(shards)
        careless.configuration.cluster.sharedAddresses = .ignore
        try await careless.runToEnd(epoch: .seconds(60))
        #expect(try #require(leastGap(careless.web, hosts: Set(hosts.prefix(5)))) < .seconds(1))
        func visits(_ job: ShardsUnderTest) -> [String: Int] {
            Dictionary(grouping: job.web.visited) { $0 }.mapValues(\.count)
        }
        #expect(visits(job) == visits(careless) && job.records.keys == careless.records.keys)
        let robots = Dictionary(grouping: job.web.log.filter { $0.purpose == .robots }, by: \.host)
        #expect(robots.count == 8 && robots.values.allSatisfy { $0.count == 1 })
    }

    @Test func `IPv6 addresses of one network are told as one`() async throws {
        let seeds = (0..<4).map { "https://site\($0).test/" }
        let job = try ShardsUnderTest(2, seeds: seeds)
        for (number, seed) in seeds.enumerated() {
            job.web.page(seed)
            job.web.addresses(["2001:db8::\(number + 1)"], of: "site\(number).test")
        }
        let first = try await job.runEpoch()
        #expect(Set(first.flatMap { $0.of(.host) }.map { $0.json.contains(#""address":"2001:db8::""#) }) == [true])
        try await job.runToEnd(epoch: .seconds(60))
        #expect(job.records.count == 4)
        #expect(try #require(leastGap(job.web, hosts: Set(job.web.log.map(\.host)))) >= .seconds(1))
    }

    @Test func `a host that moves to a new address waits for the next turn, and the others go on`() async throws {
        let seeds = (0..<4).map { "https://site\($0).test/" }
        let job = try ShardsUnderTest(2, seeds: seeds)
        job.configuration.scope.maximumDepth = 1000
        for number in 0..<4 {
            for page in 0..<700 {
                job.web.page(page == 0 ? seeds[number] : "\(seeds[number])\(page)", links: ["/\(page + 1)"])
            }
            job.web.address("203.0.113.\(number)", of: ["site\(number).test"])
        }
        try await job.runEpoch()
        // Names are looked up again after five minutes.
        let web = job.web
        web.onRequest { number in
            if number == 100 { web.address("203.0.113.77", of: ["site1.test"]) }
        }
        try await job.runEpoch(for: .seconds(600))
        let asked = Dictionary(grouping: job.web.log, by: \.host).mapValues(\.count)
        #expect((200...310).contains(asked["site1.test"] ?? 0), "\(asked)")
        #expect((asked["site2.test"] ?? 0) > 400, "\(asked)")
        try await job.runEpoch(for: .seconds(100))
        let again = Dictionary(grouping: job.web.log, by: \.host).mapValues(\.count)
        #expect(again["site1.test"] ?? 0 > (asked["site1.test"] ?? 0) + 40, "\(again)")
    }

    @Test func `a page whose file is at a new address is visited again in the next turn, and recorded once`()
        async throws
    {
        let job = try ShardsUnderTest(2, seeds: ["https://www.shop.test/"])
        let shard = job.shard(of: "www.shop.test")
        job.web.page(
            "https://www.shop.test/",
            head: "<link rel=manifest href='https://cdn.shop.test/app.json'>")
        job.web["https://cdn.shop.test/app.json"] = [
            .json(#"{"related_applications":[{"platform":"play","id":"test.shop"}]}"#)
        ]
        job.web.address("203.0.113.1", of: ["www.shop.test"])
        job.web.address("203.0.113.2", of: ["cdn.shop.test"])
        try await job.runEpoch()
        let second = try await job.runEpoch()
        #expect(second[shard].ending == "addresses" && second[shard].of(.record).isEmpty)
        #expect(job.web.visited == ["https://www.shop.test/"])
        let third = try await job.runEpoch()
        #expect(third[shard].ending == "finished")
        #expect(third[shard].of(.record).count == 1 && third[shard].of(.record)[0].json.contains("test.shop"))
        #expect(job.web.log.filter { $0.url == "https://www.shop.test/" }.count == 2)
        #expect(job.web.log.filter { $0.host == "cdn.shop.test" }.count { $0.url.hasSuffix("app.json") } == 1)
    }

    @Test func `many pages whose files are at new addresses hold up no turn, and cost their host its share`()
        async throws
    {
        let job = try ShardsUnderTest(2, seeds: ["https://www.shop.test/"])
        job.configuration.scope.maximumDepth = 1000
        let pages = (1...60).map { "https://www.shop.test/\($0)" }
        job.web.page("https://www.shop.test/", links: pages)
        for page in pages {
            job.web.page(page, head: "<link rel=manifest href='https://cdn.shop.test/app.json'>")
        }
        job.web["https://cdn.shop.test/app.json"] = [.json(#"{"name":"Shop"}"#)]
        job.web.address("203.0.113.1", of: ["www.shop.test"])
        job.web.address("203.0.113.2", of: ["cdn.shop.test"])
        try await job.runEpoch()
        let start = job.web.time.now
        let second = try await job.runEpoch()
        #expect(second[job.shard(of: "www.shop.test")].ending == "addresses")
        #expect(job.web.time.now - start < .seconds(60))
        try await job.runToEnd()
        #expect(job.records.count == 61)
        let repeated = Dictionary(grouping: job.web.visited) { $0 }.filter { $0.value.count > 1 }
        #expect((1...16).contains(repeated.count), "\(repeated.keys)")
    }

    @Test func `a robots-txt that redirects to a new address waits for the next turn`() async throws {
        let job = try ShardsUnderTest(2, seeds: ["https://shop.test/"])
        job.web["https://shop.test/robots.txt"] = [.redirect(to: "https://www.shop.test/robots.txt")]
        job.web.robots("https://www.shop.test", "User-agent: *\nDisallow: /private\n")
        job.web.page("https://shop.test/", links: ["/private", "/open"])
        job.web.page("https://shop.test/open")
        job.web.address("203.0.113.1", of: ["shop.test"])
        job.web.address("203.0.113.2", of: ["www.shop.test"])
        try await job.runEpoch()
        let second = try await job.runEpoch()
        #expect(job.web.log.map(\.url) == ["https://shop.test/robots.txt"])
        #expect(second[job.shard(of: "shop.test")].ending == "addresses")
        try await job.runToEnd()
        #expect(Set(job.web.visited) == ["https://shop.test/", "https://shop.test/open"])
        #expect(job.web.log.count { $0.url == "https://www.shop.test/robots.txt" } == 1)
    }

    @Test func `a turn without names counts no page against its quota`() async throws {
        let names = (0..<50).map { "host\($0).test" }
        let other = try #require(
            names.first { Shard.number(ofHost: $0, among: 2) != Shard.number(ofHost: names[0], among: 2) })
        let job = try ShardsUnderTest(2, seeds: ["https://\(names[0])/", "https://\(other)/"])
        for host in [names[0], other] {
            job.web.page("https://\(host)/", links: ["/1"])
            job.web.page("https://\(host)/1")
            job.web.address("203.0.113.1", of: [host])
        }
        let first = try await job.attempt { $0.pages = 1 }
        #expect(job.web.log.isEmpty)
        #expect(endings(first) == ["addresses", "addresses"])
        job.driver.commit(first)
        let second = try await job.attempt { $0.pages = 1 }
        #expect(Set(job.web.visited) == ["https://\(names[0])/", "https://\(other)/"])
        #expect(endings(second) == ["pages", "pages"])
    }

    @Test func `a turn that is tried again finds the addresses again`() async throws {
        let job = try ShardsUnderTest(2, seeds: ["https://a.test/"])
        job.web.page("https://a.test/")
        job.web.address("203.0.113.1", of: ["a.test"])
        // Nothing of this try is committed.
        _ = try await job.attempt()
        let again = try await job.attempt()
        #expect(again[job.shard(of: "a.test")].ending == "addresses")
        #expect(again.flatMap { $0.of(.host) }.count == 1)
        job.driver.commit(again)
        try await job.runToEnd()
        #expect(job.records.count == 1)
    }
}
