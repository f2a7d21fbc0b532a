import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Proven from the log of the web that was crawled, not from what the crawler believes.
@Suite struct CrawlPolitenessTests {
    static func expectPolite(_ web: FakeWeb, delay: Duration) {
        for (host, entries) in Dictionary(grouping: web.log, by: \.host) {
            let ordered = entries.sorted { $0.start < $1.start }
            for (earlier, later) in zip(ordered, ordered.dropFirst()) {
                #expect(
                    later.start - earlier.end >= delay,
                    "\(host): \(later.url) at \(later.start) after \(earlier.url) ended at \(earlier.end)")
            }
        }
        for (origin, entries) in Dictionary(grouping: web.log, by: \.origin) {
            let ordered = entries.sorted { $0.start < $1.start }
            #expect(
                ordered.first?.purpose == .robots, "\(origin) was first asked for \(ordered.first?.url ?? "nothing")")
        }
        #expect(!web.log.contains { $0.url.contains("/private/") })
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a host gets one request at a time, with the delay between, after its robots.txt`(seed: UInt64) async throws {
        let web = FakeWeb(time: MadeUpTime(), latencySeed: seed)
        let seeds = web.addSites(6, pages: 40, seed: seed)
        let crawl = try await FakeCrawl.run(web, seeds: seeds) {
            $0.politeness.delay = .milliseconds(700)
            $0.scope.maximumDepth = 1000
        }
        #expect(crawl.records.count > 100)
        Self.expectPolite(web, delay: .milliseconds(700))
    }

    @Test func `hosts are asked side by side`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        let seeds = web.addSites(20, pages: 10, seed: 1)
        let crawl = try await FakeCrawl.run(web, seeds: seeds) { $0.scope.maximumDepth = 1000 }
        // 20 hosts with some 15 requests and 1 s between them: one after the other it would be 300 s.
        #expect(crawl.summary.duration < .seconds(60))
    }

    @Test func `a crawl delay is kept, up to the longest we accept`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.robots("https://a.test", "User-agent: *\nCrawl-delay: 5")
        web.robots("https://b.test", "User-agent: *\nCrawl-delay: 4000")
        for host in ["a", "b"] {
            web.page("https://\(host).test/", links: ["/1", "/2"])
            web.page("https://\(host).test/1")
            web.page("https://\(host).test/2")
        }
        _ = try await FakeCrawl.run(web, seeds: ["https://a.test/", "https://b.test/"]) {
            $0.politeness.maximumCrawlDelay = .seconds(20)
        }
        func gaps(_ host: String) -> [Duration] {
            let entries = web.log.filter { $0.host == host }.sorted { $0.start < $1.start }
            return zip(entries, entries.dropFirst()).map { $1.start - $0.end }
        }
        // robots.txt, three pages, three places of association files.
        #expect(gaps("a.test") == Array(repeating: .seconds(5), count: 6))
        #expect(gaps("b.test") == Array(repeating: .seconds(20), count: 6))
    }

    @Test func `a public host is never asked without a pause`() async throws {
        let web = FakeWeb(time: MadeUpTime(), slowest: .milliseconds(10))
        web.page("https://a.test/", links: ["https://example.org/"])
        web.page("https://example.org/", links: ["/1", "/2"])
        web.page("https://example.org/1")
        web.page("https://example.org/2")
        // Of a seed on a public host it would be an error; a link may lead to one.
        _ = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) {
            $0.agent.contact = "https://example.net/bot"
            $0.politeness.delay = .zero
            $0.scope.follow = .any
        }
        let log = web.log.filter { $0.host == "example.org" }.sorted { $0.start < $1.start }
        #expect(log.filter { $0.purpose == .page }.count == 3)
        for (one, next) in zip(log, log.dropFirst()) { #expect(next.start - one.end >= .milliseconds(200)) }
    }

    @Test func `hosts that share an address are asked one after the other`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        let seeds = web.addSites(6, pages: 8, seed: 4)
        web.address("9.9.9.9", of: (0..<6).map { "site\($0).test" })
        _ = try await FakeCrawl.run(web, seeds: seeds) {
            $0.politeness.delay = .milliseconds(100)
            $0.politeness.delayPerAddress = .milliseconds(800)
            $0.scope.maximumDepth = 1000
        }
        // From the first request on: names are looked up before.
        let starts = web.log.map(\.start).sorted()
        #expect(starts.count > 40)
        for (earlier, later) in zip(starts, starts.dropFirst()) { #expect(later - earlier >= .milliseconds(800)) }
    }

    @Test func `an address with many seeds' sites is asked more often, until one of them fails`() async throws {
        let hosts = (0..<150).map { "shop\($0).test" }
        let web = FakeWeb(time: MadeUpTime())
        web.address("9.9.9.9", of: hosts)
        for host in hosts {
            let pages = (1...8).map { "https://\(host)/\($0)" }
            web.page("https://\(host)/", links: pages)
            for page in pages { web.page(page) }
        }
        web["https://shop7.test/8"] = [.status(503)]
        let crawl = try await FakeCrawl.run(web, seeds: hosts.map { "https://\($0)/" }) {
            $0.agent.contact = "https://example.net/bot"
            $0.fetch.retries = 0
        }
        let log = web.log.sorted { $0.start < $1.start }
        let gaps = zip(log, log.dropFirst()).map { $1.start - $0.start }
        #expect(gaps.prefix(30).allSatisfy { $0 >= .seconds(1) })
        #expect(try #require(gaps.min()) == .milliseconds(200))
        let trouble = try #require(log.firstIndex { $0.url == "https://shop7.test/8" })
        let answered = try #require(log[trouble...].firstIndex { $0.start >= log[trouble].end })
        #expect(gaps[answered..<(answered + 20)].allSatisfy { $0 >= .seconds(1) })
        #expect(crawl.summary.statistics.requestsTooEarly == 0)
        let pace = try #require(crawl.summary.statistics.addresses["9.9.9.9"])
        #expect(pace.highest == 5 && pace.falls >= 1)
    }

    @Test func `names that one page's links point at a victim's address change nothing`() async throws {
        let (names, domains) = ((0..<60).map { "n\($0).evil.test" }, (0..<50).map { "cheap\($0).test" })
        let seeds = (0..<20).map { "site\($0).test" }
        let web = FakeWeb(time: MadeUpTime())
        web.address("9.9.9.9", of: names + domains + ["victim.test"])
        // One of the seeds is a forum. Its visitor's domains lead to each other, too.
        for seed in seeds { web.page("https://\(seed)/", links: ["https://victim.test/"]) }
        web.page("https://site3.test/", links: (names + domains).map { "https://\($0)/" })
        for host in names + domains + ["victim.test"] {
            web.page("https://\(host)/", links: (1...3).map { "/\($0)" } + domains.map { "https://\($0)/" })
            for page in 1...3 { web.page("https://\(host)/\(page)") }
        }
        _ = try await FakeCrawl.run(web, seeds: seeds.map { "https://\($0)/" }) {
            $0.agent.contact = "https://example.net/bot"
            $0.scope.follow = .any
        }
        let atVictim = Set(names + domains + ["victim.test"])
        let starts = web.log.filter { atVictim.contains($0.host) }.map(\.start).sorted()
        #expect(starts.count > 500)
        for (earlier, later) in zip(starts, starts.dropFirst()) { #expect(later - earlier >= .seconds(1)) }
    }

    @Test func `quiet hours that last longer than a run waits end it, and all is kept`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web.page("https://a.test/", links: (0..<200).map { "/\($0)" })
        for page in 0..<200 { web.page("https://a.test/\(page)") }
        // The made-up calendar begins at midnight.
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) {
            $0.politeness.quietHours = Self.hours("00:01-05:00")
        }
        #expect(crawl.summary.ending == .quietHours)
        #expect(crawl.records.count > 20 && crawl.summary.unvisited == 201 - crawl.records.count)
        #expect(web.log.allSatisfy { $0.start < .seconds(60) })

        let short = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) {
            $0.politeness.quietHours = Self.hours("00:03-00:09")
        }
        #expect(short.summary.ending == .finished && short.records.count == 201)
        #expect(!short.web.log.contains { (.seconds(180) ..< .seconds(540)).contains($0.start) })
    }

    private static func hours(_ text: String) -> QuietHours {
        if case .hours(let hours) = QuietHours.parse([text]) { hours } else { .none }
    }

    @Test func `without a contact no public host is asked`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        await #expect(throws: Crawler.SetUpError.contactMissing(host: "example.org", .key)) {
            try await FakeCrawl.run(web, seeds: ["https://example.org/"])
        }
        #expect(web.log.isEmpty)

        web.page("https://a.test/", links: ["https://example.org/"])
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) { $0.scope.follow = .any }
        #expect(web.visited == ["https://a.test/"])
        #expect(crawl.summary.statistics.refusals["contact-missing"] == 1)
    }

    @Test(arguments: [
        CrawlConfiguration.Agent.placeholderContact, "https://you.example/bot", "you@YOU.Example", "http://bot.test/",
        "a@b.invalid", "https://localhost/bot",
    ])
    func `with the contact that we ship, or of an example, no public host is asked`(placeholder: String) async throws {
        let web = FakeWeb(time: MadeUpTime())
        await #expect(throws: Crawler.SetUpError.contactIsPlaceholder(host: "example.org", .key)) {
            try await FakeCrawl.run(web, seeds: ["https://a.test/", "https://example.org/"]) {
                $0.agent.contact = placeholder
            }
        }
        #expect(web.log.isEmpty)

        web.page("https://a.test/", links: ["https://example.org/"])
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"]) {
            $0.scope.follow = .any
            $0.agent.contact = placeholder
        }
        #expect(web.visited == ["https://a.test/"])
        #expect(crawl.summary.statistics.refusals["contact-missing"] == 1)
    }

    @Test func `a delay that no public host may be asked with is an error, not another delay`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        func run(_ configure: (inout CrawlConfiguration) -> Void) async throws {
            _ = try await FakeCrawl.run(web, seeds: ["https://a.test/", "https://example.org/"]) {
                $0.agent.contact = "a@example.net"
                configure(&$0)
            }
        }
        let short = Duration.milliseconds(1)
        await #expect(throws: Crawler.SetUpError.delayTooShort(host: "example.org", short, .delay, .flag)) {
            try await run {
                $0.politeness.delay = short
                $0.messages.settings = .flag
            }
        }
        await #expect(throws: Crawler.SetUpError.delayTooShort(host: "example.org", short, .delayPerAddress, .key)) {
            try await run { $0.politeness.delayPerAddress = short }
        }
        #expect(web.log.isEmpty)
        #expect(
            Crawler.SetUpError.delayTooShort(host: "example.org", short, .delay, .flag).description
                == "example.org is a public host: --delay must be 200ms or more, not 1ms, which is for private hosts only"
        )
        // A delay of the host's own is what counts.
        try await run {
            $0.politeness.delay = short
            var own = HostSheet()
            own.delay = .seconds(1)
            $0.hosts = HostSheets(["example.org": own])
        }
        #expect(!web.log.isEmpty)
    }

    @Test func `robots redirected to another host binds the first one, in the other's turn`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web["https://a.test/robots.txt"] = [.redirect(to: "https://b.test/rules")]
        web["https://b.test/rules"] = [.text("User-agent: *\nDisallow: /private/")]
        web.robots("https://b.test", "User-agent: *\nDisallow:")
        web.page("https://a.test/", links: ["/private/1", "/open"])
        web.page("https://a.test/open")
        web.page("https://b.test/", links: ["/1", "/2"])
        web.page("https://b.test/1")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/", "https://b.test/"])
        #expect(crawl.recorded == ["https://a.test/", "https://a.test/open", "https://b.test/", "https://b.test/1"])
        #expect(crawl.outcomes["disallowed"] == 1)
        Self.expectPolite(web, delay: .seconds(1))
    }

    @Test(arguments: [(404, 1), (403, 1), (503, 0), (500, 0), (429, 0)])
    func `rules that are missing allow, rules that cannot be fetched forbid`(status: Int, records: Int) async throws {
        let web = FakeWeb(time: MadeUpTime())
        web["https://a.test/robots.txt"] = [.status(status)]
        web.page("https://a.test/")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.records.count == records)
        #expect(crawl.outcomes["robots-unreachable"] == (records == 0 ? 1 : nil))
        #expect(crawl.summary.failedSeeds.count == 1 - records)
        #expect(web.log.filter { $0.purpose == .robots }.count == (records == 0 ? 3 : 1))
    }

    @Test func `six redirects of robots are as good as none`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web["https://a.test/robots.txt"] = [.redirect(to: "/1")]
        for hop in 1...6 { web["https://a.test/\(hop)"] = [.redirect(to: "/\(hop + 1)")] }
        web.page("https://a.test/")
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.recorded == ["https://a.test/"])
        #expect(web.log.filter { $0.purpose == .robots }.count == 6)
    }
}
