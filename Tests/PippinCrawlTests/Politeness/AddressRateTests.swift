import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// How often an address may be asked, as its pages and failures decide.
@Suite struct AddressRateTests {
    private func rate(_ slowest: Duration = .seconds(1), _ fastest: Duration = .milliseconds(200)) -> AddressRate {
        AddressRate(slowest: slowest, fastest: fastest)
    }

    /// Reads so many pages, each of another site that is a seed's.
    private func read(
        _ pages: Int, _ rate: inout AddressRate, in time: Duration = .milliseconds(100), sites: Int = 1000,
        seeds: Int = 1000, start: Duration = .seconds(1_000_000)
    ) -> Bool {
        var changed = false
        for page in 0..<pages {
            let source = AddressRate.Source(site: "s\(page % sites).test", seed: "s\(page % seeds).test")
            if rate.take(.read(time), start: start, source: source, now: start) { changed = true }
        }
        return changed
    }

    @Test func `it grows by steps of twenty pages, up to its bound`() {
        var rate = rate()
        #expect(!read(19, &rate) && rate.interval == .seconds(1))
        #expect(read(1, &rate) && rate.interval == .milliseconds(800))
        _ = read(20, &rate)
        #expect(rate.interval == .milliseconds(640))
        for _ in 0..<20 { _ = read(20, &rate) }
        #expect(rate.interval == .milliseconds(200) && rate.perSecond == 5)
    }

    @Test func `a bound that is not above one per delay leaves the delay as it is`() {
        var rate = rate(.seconds(1), .seconds(1))
        #expect(!read(200, &rate) && rate.interval == .seconds(1) && !rate.canChange(hosts: 1000))
        var slow = AddressRate(slowest: .milliseconds(20), fastest: .milliseconds(200))
        #expect(!read(200, &slow) && slow.interval == .milliseconds(20))
    }

    @Test(arguments: [(1000, 1), (1, 1000), (9, 9), (1000, 9), (9, 1000)])
    func `sites count by the seeds that led to them, each once`(sites: Int, seeds: Int) {
        var rate = rate()
        #expect(!read(1000, &rate, sites: sites, seeds: seeds) && rate.interval == .seconds(1))
    }

    @Test func `a site that many seeds lead to vouches for no other`() {
        var rate = rate()
        for page in 0..<200 {
            // Half of the pages are the victim's own, met from any seed, half are of domains that one seed's page links to.
            let source =
                page % 2 == 0
                ? AddressRate.Source(site: "victim.test", seed: "s\(page).test")
                : AddressRate.Source(site: "cheap\(page).test", seed: "forum.test")
            _ = rate.take(.read(.milliseconds(10)), start: .zero, source: source, now: .zero)
        }
        #expect(rate.interval == .seconds(1))
    }

    @Test func `trouble takes it back to the start at once, another failure halves it`() {
        var rate = rate()
        for _ in 0..<8 { _ = read(20, &rate) }
        #expect(rate.interval == .milliseconds(200))
        #expect(rate.take(.stumbled, start: .zero, source: nil, now: .zero) && rate.interval == .milliseconds(400))
        #expect(rate.take(.troubled, start: .zero, source: nil, now: .zero) && rate.interval == .seconds(1))
        #expect(!rate.take(.stumbled, start: .zero, source: nil, now: .zero) && rate.interval == .seconds(1))
    }

    @Test func `a failure makes its pages begin anew`() {
        var rate = rate()
        _ = read(19, &rate)
        _ = rate.take(.stumbled, start: .zero, source: nil, now: .zero)
        #expect(!read(19, &rate) && rate.interval == .seconds(1))
        #expect(read(1, &rate, sites: 1) == true && rate.interval == .milliseconds(800))
    }

    @Test func `pages that were asked for before a change show nothing about it`() {
        var rate = rate()
        _ = rate.take(.troubled, start: .seconds(50), source: nil, now: .seconds(60))
        #expect(!read(200, &rate, start: .seconds(59)) && rate.interval == .seconds(1))
        #expect(read(20, &rate, start: .seconds(60)) && rate.interval == .milliseconds(800))
    }

    @Test func `slower pages halve it, and slow ones never let it grow`() {
        var rate = rate()
        for _ in 0..<3 { _ = read(20, &rate, in: .milliseconds(300)) }
        #expect(rate.interval == .milliseconds(512))
        // Within the variation of a network.
        #expect(read(20, &rate, in: .milliseconds(499)) && rate.interval == .microseconds(409_600))
        #expect(read(20, &rate, in: .milliseconds(501)) && rate.interval == .microseconds(819_200))
        #expect(read(20, &rate, in: .milliseconds(501)) && rate.interval == .seconds(1))
        // What is usual is measured at the slowest rate.
        #expect(read(20, &rate, in: .milliseconds(501)) && rate.interval == .milliseconds(800))
        #expect(read(20, &rate, in: .milliseconds(700)) && rate.interval == .milliseconds(640))

        var slow = self.rate()
        #expect(!read(200, &slow, in: .milliseconds(1001)) && slow.interval == .seconds(1))
    }

    @Test func `slower pages count however few the sites are`() {
        var rate = rate()
        for _ in 0..<8 { _ = read(20, &rate) }
        #expect(read(20, &rate, in: .milliseconds(900), sites: 1) && rate.interval == .milliseconds(400))
    }
}

/// Addresses with many hosts, asked by a schedule in made-up time.
@Suite struct SharedAddressRateTests {
    /// A crawl of hosts at one address, each with pages for as long as it is asked.
    private struct Crawl {
        var schedule: PolitenessSchedule
        var seeds: [String: Seed] = [:]
        var starts: [Duration] = []
        private var answers: [(end: Duration, host: String)] = []
        private var now = Duration.zero
        /// Whether a host that was asked gets another page.
        var goesOn = true
        let address = NetworkAddress.v4(0xCB00_7107)

        /// - Parameter seed: the seed's URL, by the number of the host.
        init(hosts: Int, maximumRate: Double?, named: (Int) -> String, seed: (Int) -> String) throws {
            var configuration = CrawlConfiguration()
            if let maximumRate { configuration.politeness.maximumRatePerAddress = maximumRate }
            var settings = PolitenessSchedule.Settings(configuration)
            settings.looksUp = true
            schedule = PolitenessSchedule(settings)
            for number in 0..<hosts {
                seeds[named(number)] = Seed(url: try #require(WebURL(seed(number))))
            }
            for host in seeds.keys.sorted() { try add(host) }
        }

        private mutating func add(_ host: String) throws {
            let (url, seed) = (try #require(WebURL("https://\(host)/")), try #require(seeds[host]))
            schedule.add(.visit(CrawlRequest(url: url, seed: seed, discovery: .outlink)), now: now)
        }

        /// Goes on until a time.
        ///
        /// - Parameter answer: of a host that was asked at a time.
        mutating func run(
            until end: Duration,
            answer: (String, Duration) -> PolitenessSchedule.HostSign = { _, _ in
                .answered(.milliseconds(80), isError: false)
            }
        ) throws {
            while now < end {
                var wake = answers.first?.end ?? end
                switch schedule.next(now: now) {
                case .start(let turn):
                    starts.append(now)
                    answers.append((now + .milliseconds(80), turn.host))
                    continue
                case .lookUp(let host):
                    schedule.lookedUp(host: host, .success([address]), now: now)
                    continue
                case .wait(let until): wake = min(wake, until)
                case .idle: break
                case .quiet, .suspend, .leave: Issue.record("nothing is left")
                }
                now = min(max(wake, now + .nanoseconds(1)), end)
                while let first = answers.first, first.end <= now {
                    answers.removeFirst()
                    let sign = answer(first.host, now)
                    let isRead = if case .answered(_, isError: false) = sign { true } else { false }
                    _ = schedule.finished(
                        host: first.host, sign: sign, address: address.description,
                        readFrom: isRead ? seeds[first.host] : nil, now: now)
                    if goesOn { try add(first.host) }
                }
            }
        }

        func requests(inMinute minute: Int) -> Int {
            starts.count { $0 >= .seconds(minute * 60) && $0 < .seconds(minute * 60 + 60) }
        }

        var leastGap: Duration { zip(starts, starts.dropFirst()).map { $1 - $0 }.min() ?? .zero }
    }

    @Test func `a thousand hosts of a platform get five requests a second, where they got one`() throws {
        func platform(_ rate: Double?) throws -> Crawl {
            var crawl = try Crawl(
                hosts: 1000, maximumRate: rate, named: { "shop\($0).test" }, seed: { "https://shop\($0).test/" })
            try crawl.run(until: .seconds(600))
            return crawl
        }
        let before = try platform(1)
        #expect((0..<10).map(before.requests) == Array(repeating: 60, count: 10))
        let after = try platform(nil)
        #expect((0..<10).map(after.requests).prefix(4) == [81, 259, 300, 300])
        #expect(after.requests(inMinute: 9) == 300 && after.leastGap == .milliseconds(200))
    }

    @Test func `the first sign of trouble ends it for the next request`() throws {
        var crawl = try Crawl(
            hosts: 1000, maximumRate: nil, named: { "shop\($0).test" }, seed: { "https://shop\($0).test/" })
        try crawl.run(until: .seconds(300))
        #expect(crawl.requests(inMinute: 4) == 300)
        var failed: Duration?
        try crawl.run(until: .seconds(320)) { _, now in
            defer { failed = failed ?? now }
            return failed == nil ? .troubled(retryAfter: nil) : .answered(.milliseconds(80), isError: false)
        }
        let trouble = try #require(failed)
        let later = crawl.starts.filter { $0 >= trouble }
        let last = try #require(crawl.starts.last { $0 < trouble })
        #expect(later.count == 19)
        for (one, next) in zip([last] + later, later) { #expect(next - one >= .seconds(1)) }
    }

    @Test func `a turn that comes to nothing does not bring back the rate from before a failure`() {
        let settings = PolitenessSchedule.Settings(CrawlConfiguration())
        var address = SharedAddress("203.0.113.7", delay: .seconds(1), settings)
        for page in 0..<200 {
            let source = AddressRate.Source(site: "\(page)", seed: "\(page)")
            _ = address.take(.read(.milliseconds(80)), start: .seconds(9), source: source, now: .seconds(9))
        }
        let date = MadeUpTime.start
        address.begin(1, settings, calendarStart: date, now: .seconds(10))
        let before = address.asked
        #expect(before.openAt == .milliseconds(10_200))
        address.begin(2, settings, calendarStart: date, now: before.openAt)
        _ = address.take(.troubled, start: .seconds(10), source: nil, now: .milliseconds(10_250))
        #expect(address.openAt == .milliseconds(11_200))
        address.takeBackStart(2, before: before, now: .milliseconds(10_300))
        #expect(address.openAt == .seconds(11))
    }

    @Test func `a shard judges an address that it asked and that has ten hosts of it, or trouble`() throws {
        var order = EpochOrder(epoch: 1, shard: try #require(Shard(0, of: 2)), duration: .seconds(60))
        let slots = try #require(AddressSlots(place: 0, of: 2))
        try order.add(.v4(0xCB00_7107), slots, every: .milliseconds(500), line: 1)
        var configuration = CrawlConfiguration()
        configuration.lay(order)
        let settings = PolitenessSchedule.Settings(configuration)
        func address(hosts: Int, isAsked: Bool) -> SharedAddress {
            var address = SharedAddress("203.0.113.7", delay: .seconds(1), settings)
            for _ in 0..<hosts { address.join(lastStart: .zero) }
            if isAsked { address.begin(1, settings, calendarStart: MadeUpTime.start, now: .seconds(2)) }
            return address
        }
        #expect(address(hosts: 10, isAsked: false).fitInterval == nil)
        var few = address(hosts: 9, isAsked: true)
        #expect(few.fitInterval == nil)
        _ = few.take(.stumbled, start: .seconds(2), source: nil, now: .seconds(3))
        // Slots of 650 ms, one in two of them: 1.3 s, and twice that after the failure, but 2.3 s are its part of one request a second.
        #expect(few.fitInterval == .seconds(1) && few.openAt >= .milliseconds(4300))
        var many = address(hosts: 10, isAsked: true)
        #expect(many.fitInterval == .milliseconds(500))
        for page in 0..<200 {
            let source = AddressRate.Source(site: "\(page)", seed: "\(page)")
            _ = many.take(.read(.milliseconds(80)), start: .seconds(9), source: source, now: .seconds(9))
        }
        #expect(many.fitInterval == .milliseconds(250))
        // It does not go faster by itself.
        many.begin(2, settings, calendarStart: MadeUpTime.start, now: .seconds(10))
        #expect(many.openAt >= .milliseconds(10_500))
    }

    @Test func `an idle address begins anew`() throws {
        var crawl = try Crawl(
            hosts: 1000, maximumRate: nil, named: { "shop\($0).test" }, seed: { "https://shop\($0).test/" })
        try crawl.run(until: .seconds(300))
        crawl.goesOn = false
        let turns = crawl.schedule.removeAll()
        try crawl.run(until: .seconds(902))
        crawl.goesOn = true
        for turn in turns { crawl.schedule.add(turn, now: .seconds(902)) }
        try crawl.run(until: .seconds(912))
        #expect(crawl.starts.count { $0 >= .seconds(902) } == 10)
    }

    /// What somebody can do who wants a victim's machine to be asked more often.
    @Test(arguments: [
        ("all names of a domain", "shop%.evil.test", "https://forum.test/"),
        ("all names of a seed's domain", "shop%.evil.test", "https://www.evil.test/"),
        ("cheap domains that one page links to", "cheap%.test", "https://forum.test/"),
        ("an own seed for each name of a domain", "shop%.evil.test", "https://shop%.evil.test/"),
    ])
    func `names pointed at a victim's address change nothing`(_: String, host: String, seed: String) throws {
        func name(_ text: String, _ number: Int) -> String { text.replacing("%", with: "\(number)") }
        var crawl = try Crawl(
            hosts: 200, maximumRate: nil, named: { name(host, $0) }, seed: { name(seed, $0) })
        try crawl.run(until: .seconds(600))
        #expect(crawl.starts.count > 550 && crawl.leastGap >= .seconds(1))
    }
}
