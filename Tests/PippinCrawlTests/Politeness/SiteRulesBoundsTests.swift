import Logging
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// However many hosts there are, what is known of their rules takes bounded memory.
@Suite struct SiteRulesBoundsTests {
    private func request(_ host: String) throws -> (SiteFileRequest, PolitenessSchedule.Turn) {
        let url = try #require(WebURL("https://\(host)/"))
        let seed = Seed(url: url)
        return (try #require(SiteFileRequest(robotsFor: url, seed: seed)), .visit(CrawlRequest(seed: seed)))
    }

    /// How many of the first origins are known.
    private func known(_ count: Int, _ files: inout SiteRules, now: Duration = .zero) -> Int {
        var known = 0
        for number in 0..<count {
            if case .known = files.standing(of: "https://h\(number).test", now: now) { known += 1 }
        }
        return known
    }

    @Test func `hosts whose rules cannot be fetched are forgotten too when they are many`() throws {
        var files = SiteRules()
        for number in 0..<2 * SiteRules.maximumOrigins {
            let (request, turn) = try request("h\(number).test")
            let isFirst = files.wait(turn, for: request.origin, now: .zero)
            #expect(isFirst)
            let failure = RequestFailure(.status(503), asking: request.url)
            #expect(files.settle(request.origin, unreachable: failure, now: .zero).count == 1)
        }
        #expect(known(2 * SiteRules.maximumOrigins, &files) <= SiteRules.maximumOrigins)
    }

    private func rules(_ text: String, _ request: SiteFileRequest) -> RobotsRules {
        RobotsRules(RobotsFile(bytes: Array(text.utf8), url: request.originURL), agents: ["Pippin"])
    }

    /// Patterns that no packing makes shorter.
    private func pattern(_ number: Int, bytes: Int) -> String {
        var numbers = SeededNumbers(seed: UInt64(number))
        return String((0..<bytes).map { _ in Character(Unicode.Scalar(UInt8(0x61 + numbers.next() % 26))) })
    }

    @Test func `a full table gets a quarter of its room back, also when something has just expired`() throws {
        var files = SiteRules()
        let (request, turn) = try request("new.test")
        let rules = rules("User-agent: *\nDisallow: /a", request)
        for number in 0..<SiteRules.maximumOrigins {
            let keep = Duration.seconds(number == 0 ? 1 : 3_600)
            files.restore("https://h\(number).test", rules: rules, keep: keep, now: .zero)
        }
        let isFirst = files.wait(turn, for: request.origin, now: .seconds(2))
        #expect(isFirst)
        #expect(known(SiteRules.maximumOrigins, &files, now: .seconds(2)) <= SiteRules.maximumOrigins / 4 * 3)
    }

    @Test func `what goes is chosen evenly`() {
        for (total, count, bytes) in [(20_000, 20_000, 0), (20_000, 15_003, 0), (10, 3, 200), (5, 5, 100)] {
            var choice = EvenChoice(among: total, count: count, most: 15_000, bytes: bytes, bytesToKeep: 100)
            let taken = (0..<total).filter { _ in choice.takesNext() }
            #expect(
                taken.count == choice.count && choice.count == max(count - 15_000, bytes > 100 ? total / 2 + 1 : 0, 0))
            let gaps = zip(taken, taken.dropFirst()).map { $1 - $0 }
            #expect((gaps.max() ?? 0) - (gaps.min() ?? 0) <= 1)
        }
    }

    @Test func `long files of many hosts are not all held, and what is let go is known to be elsewhere`() throws {
        var files = SiteRules(maximumBytes: 100_000)
        for number in 0..<200 {
            let (request, turn) = try request("h\(number).test")
            let isFirst = files.wait(turn, for: request.origin, now: .zero)
            #expect(isFirst)
            let text = "User-agent: *\nDisallow: /" + pattern(number, bytes: 2_000)
            _ = files.settle(request.origin, rules: rules(text, request), keep: .seconds(60), now: .zero)
            #expect(files.hasLetGo == (number >= 49))
        }
        #expect(files.byteCount <= 100_000)
        #expect(known(200, &files) > 30)
        // What goes out of its time takes its bytes along.
        #expect(known(200, &files, now: .seconds(61)) == 0 && files.byteCount == 0)
    }

    @Test func `equal rules of many hosts are held once`() throws {
        var files = SiteRules()
        let text = "User-agent: *\nDisallow: /" + pattern(1, bytes: 10_000)
        for number in 0..<200 {
            let (request, turn) = try request("h\(number).test")
            let isFirst = files.wait(turn, for: request.origin, now: .zero)
            #expect(isFirst)
            _ = files.settle(request.origin, rules: rules(text, request), keep: .seconds(60), now: .zero)
        }
        #expect(files.byteCount < 11_000 && !files.hasLetGo)
        for number in 0..<200 { _ = files.standing(of: "https://h\(number).test", now: .seconds(61)) }
        #expect(files.byteCount == 0)
    }

    /// A host is asked for its rules once a day, whatever the others send: rules that had to make room are read again from the
    /// frontier, which keeps them packed.
    @Test func `rules that had to make room are not asked for again`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        let hosts = (0..<40).map { "h\($0).test" }
        for (number, host) in hosts.enumerated() {
            let origin = "https://" + host
            web.robots(origin, "User-agent: *\nDisallow: /closed\nDisallow: /" + pattern(number, bytes: 2_000))
            web.page(origin + "/", links: ["/1", "/2", "/3", "/closed"])
            for page in 1...3 { web.page("\(origin)/\(page)") }
        }
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        let settled = configuration
        let seeds = try Seeds.parse(hosts.map { "https://\($0)/" }.joined(separator: "\n"), file: "seeds.txt")
        let time = web.time
        let summary = try await time.run {
            let scope = CrawlScope(settled, seeds: seeds)
            let logger = Logger(label: "test")
            let context = Visit.Context(
                configuration: settled, scope: scope,
                gate: RequestGate(web, settled, scope: scope), frontier: MemoryFrontier(date: { time.date }),
                clock: time.clock, statistics: RunningStatistics(seeds: seeds), appLookup: nil,
                threads: CrawlThreads(timeout: settled.fetch.readingTimeout, count: 0, logger: logger),
                memory: MemoryBudget(limit: settled.fetch.memoryBytes))
            // A fifth of them fits.
            var loop = CrawlLoop(
                context: context, seeds: seeds, logger: logger, rules: SiteRules(maximumBytes: 16_500))
            return try await withThrowingTaskGroup(of: CrawlLoop.Event.self) { group in
                let summary = try await loop.run(&group)
                group.cancelAll()
                return summary
            }
        }
        #expect(summary.statistics.pages == 40 * 4)
        #expect(summary.statistics.outcomes["disallowed"] == 40)
        let asked = Dictionary(grouping: web.log.filter { $0.purpose == .robots }, by: \.host).mapValues(\.count)
        #expect(asked.count == 40 && asked.values.allSatisfy { $0 == 1 })
    }

    @Test func `a robots.txt without end is read up to its limit`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        let end = "Disallow: /late\n"
        web.robots(
            "https://a.test",
            "User-agent: *\nDisallow: /closed\n"
                + String(repeating: "# nothing but words here, line by line\n", count: 130_000)
                + end)
        web.page("https://a.test/", links: ["/open", "/closed", "/late"])
        for page in ["open", "closed", "late"] { web.page("https://a.test/" + page) }
        let crawl = try await FakeCrawl.run(web, seeds: ["https://a.test/"])
        #expect(crawl.outcomes["disallowed"] == 1 && crawl.summary.statistics.pages == 3)
        #expect(web.log.count { $0.purpose == .robots } == 1)
    }
}
