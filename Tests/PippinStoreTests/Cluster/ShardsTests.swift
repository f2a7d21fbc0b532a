import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// A job in several shards finds what one machine finds.
@Suite struct ShardsTests {
    /// A record without the moments of its visits.
    private static func timeless(_ json: String) -> String {
        json.replacing(/"(fetchedAt|since)":"[^"]*"/) { "\"\($0.1)\"" }
    }

    private static func withoutHash(_ json: String) -> String {
        json.replacing(/"simHash":"[0-9a-f]{16}"/) { _ in #""simHash":"…""# }
    }

    /// What one machine finds.
    private func records(
        onOneMachine web: FakeWeb, seeds: [String], configure: (inout CrawlConfiguration) -> Void
    ) async throws -> [String: String] {
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        configure(&configuration)
        let settled = configuration
        let list = try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt")
        let folder = StorageFolder()
        let storage = try folder.open()
        _ = try await web.time.run {
            let frontier = try storage.frontier(
                recrawl: settled.recrawl, limits: FrontierLimits(settled, seeds: list.count), date: { web.time.date },
                executor: web.time.actors)
            return try await Crawler(
                configuration: settled, seeds: list, fetcher: web, frontier: frontier, clock: web.time.clock
            ).run()
        }
        var records: [String: String] = [:]
        try storage.feed.read(since: nil) { change in
            if !change.isDeletion {
                records[change.identifier] = Self.timeless(String(decoding: change.document, as: UTF8.self))
            }
        }
        return records
    }

    private func records(of job: ShardsUnderTest) -> [String: String] {
        job.records.compactMapValues { $0.map(Self.timeless) }
    }

    @Test(arguments: [(shards: 2, epoch: 600), (shards: 3, epoch: 20)])
    func `shards together have the records of one machine, and visit each page once`(
        shards: Int, epoch: Int
    ) async throws {
        let one = FakeWeb(time: MadeUpTime())
        let seeds = one.addSites(8, pages: 14, seed: 5)
        let expected = try await records(onOneMachine: one, seeds: seeds) { $0.scope.follow = .domain }
        #expect(expected.count > 50)
        let job = try ShardsUnderTest(shards, seeds: seeds)
        _ = job.web.addSites(8, pages: 14, seed: 5)
        job.configuration.scope.follow = .domain
        #expect(Set(seeds.compactMap { WebURL($0)?.politenessHost }.map { job.shard(of: $0) }).count == shards)
        try await job.runToEnd(epoch: .seconds(epoch))
        #expect(records(of: job) == expected)
        let visits = Dictionary(grouping: job.web.visited) { $0 }.mapValues(\.count)
        let onOne = Dictionary(grouping: one.visited) { $0 }.mapValues(\.count)
        #expect(visits == onOne)
        // robots.txt once a host, whatever the number of epochs.
        let robots = Dictionary(grouping: job.web.log.filter { $0.purpose == .robots }, by: \.host)
        #expect(robots.count == 8 && robots.values.allSatisfy { $0.count == 1 })
    }

    @Test func `a host is asked by the shard that owns it alone, and never sooner than its delay`() async throws {
        let job = try ShardsUnderTest(3, seeds: FakeWeb(time: MadeUpTime()).addSites(6, pages: 10, seed: 3))
        _ = job.web.addSites(6, pages: 10, seed: 3)
        job.configuration.scope.follow = .domain
        try await job.runToEnd(epoch: .seconds(7))
        #expect(job.driver.turn > 3)
        for (host, asked) in Dictionary(grouping: job.web.log, by: \.host) {
            let sorted = asked.sorted { $0.start < $1.start }
            for (before, after) in zip(sorted, sorted.dropFirst()) {
                #expect(after.start - before.end >= .seconds(1), "\(host)")
            }
        }
    }

    // MARK: Telling

    @Test func `an epoch that is tried again tells all of it again, and asks nobody twice`() async throws {
        let job = try ShardsUnderTest(2, seeds: FakeWeb(time: MadeUpTime()).addSites(5, pages: 8, seed: 9))
        _ = job.web.addSites(5, pages: 8, seed: 9)
        job.configuration.scope.follow = .domain
        try await job.runEpoch(for: .seconds(5))
        let first = try await job.attempt(for: .seconds(4))
        let asked = job.web.log.count
        // The second try comes when the epoch is over: it tells, and asks nobody.
        let second = try await job.attempt(for: .seconds(4))
        #expect(job.web.log.count == asked)
        #expect(second.allSatisfy { $0.ending == "time" })
        for (a, b) in zip(first, second) {
            #expect(a.lines.filter { $0.kind != "host" } == b.lines.filter { $0.kind != "host" })
            #expect(Set(a.keys(.host)).isSubset(of: b.keys(.host)))
        }
        // One that breaks off goes on until the same moment.
        let storage = try job.folders[0].open()
        let (begun, later) = (job.web.time.date, job.web.time.date.addingTimeInterval(5))
        job.driver.commit(second)
        let broken = try storage.begin(job.driver.order(0, for: .seconds(20)), at: begun)
        let again = try storage.begin(job.driver.order(0, for: .seconds(300)), at: later)
        #expect(!broken.isTriedAgain && again.isTriedAgain && again.endsAt == broken.endsAt)
    }

    @Test func `the numbers of all kinds are of one counter, and an epoch tells only what is new`() async throws {
        let job = try ShardsUnderTest(2, seeds: FakeWeb(time: MadeUpTime()).addSites(5, pages: 8, seed: 9))
        _ = job.web.addSites(5, pages: 8, seed: 9)
        job.configuration.scope.follow = .domain
        var seen: [Set<Int64>] = [[], []]
        var foreign: [[String]] = [[], []]
        for _ in 0..<8 {
            let before = job.cursors
            for (shard, telling) in try await job.runEpoch(for: .seconds(6)).enumerated() {
                let start = before[shard].flatMap { ChangeFeed.Cursor($0) }?.sequence ?? 0
                for line in telling.lines {
                    #expect(line.sequence > start)
                    #expect(seen[shard].insert(line.sequence).inserted, "\(line)")
                }
                foreign[shard] += telling.keys(.foreign)
            }
        }
        for keys in foreign {
            #expect(!keys.isEmpty)
            #expect(Set(keys).count == keys.count, "each once for ever")
        }
    }

    @Test func `a request that comes twice is visited once`() async throws {
        let (a, b) = try hosts(apartIn: 2)
        let job = try ShardsUnderTest(2, seeds: ["https://\(a)/", "https://\(b)/"])
        job.web.page("https://\(a)/", links: ["https://\(b)/x"])
        job.web.page("https://\(b)/")
        job.web.page("https://\(b)/x")
        job.configuration.scope.follow = .domain
        try await job.runEpoch()
        let inbox = job.inbox
        #expect(inbox[job.shard(of: b)]?.count == 1)
        try await job.runEpoch()
        job.inbox = inbox
        let again = try await job.runEpoch()
        #expect(again.allSatisfy { $0.of(.record).isEmpty })
        #expect(job.web.log.count { $0.url == "https://\(b)/x" } == 1)
    }

    @Test func `the links of a page are told with the keys of all shards' URLs, and again when they change`()
        async throws
    {
        let (a, b) = try hosts(apartIn: 2)
        let job = try ShardsUnderTest(2, seeds: ["https://\(a)/", "https://\(b)/"])
        job.web.page("https://\(a)/", links: ["/1", "https://\(b)/x", "https://elsewhere.test/"])
        job.web.page("https://\(a)/1", canonical: "https://\(a)/")
        job.web["https://\(b)/"] = [.redirect(to: "https://\(a)/1")]
        job.configuration.scope.follow = .domain
        let tellings = try await job.runEpoch()
        let links = Dictionary(
            uniqueKeysWithValues: tellings.flatMap { $0.of(.links) }.map { ($0.key, Self.withoutHash($0.json)) })
        func page(_ host: String, _ path: String, _ rest: String) -> String {
            #"{"page":"https://\#(host)\#(path)","host":"\#(host)",\#(rest)}"#
        }
        let record = #""record":"https://\#(a)/""#
        #expect(
            links == [
                "https://\(a)/": page(a, "/", record + #","followed":["https://\#(a)/1","https://\#(b)/x"]"#),
                "https://\(a)/1": page(a, "/1", #""leadsTo":"https://\#(a)/""#),
                "https://\(b)/": page(b, "/", #""leadsTo":"https://\#(a)/1""#),
            ])
        #expect(try await job.runEpoch().flatMap { $0.of(.links) }.isEmpty)
        job.web.page("https://\(a)/", links: ["/1"])
        let time = job.web.time
        _ = try await time.run { await time.sleep(until: time.now + .seconds(40 * 86_400)) }
        let later = try await job.runEpoch().flatMap { $0.of(.links) }
        #expect(later.map { Self.withoutHash($0.json) } == [page(a, "/", record + #","followed":["https://\#(a)/1"]"#)])
    }

    @Test func `hosts are told when they have changed`() async throws {
        let job = try ShardsUnderTest(1, seeds: ["https://a.test/"])
        job.web.address("203.0.113.7", of: ["a.test"])
        job.web.page("https://a.test/", links: ["/1"])
        job.web.page("https://a.test/1")
        let first = try await job.runEpoch()[0].of(.host)
        #expect(first.count == 1)
        #expect(
            first[0].json.contains(#""urls":2,"queued":0,"nextDue":"2026-"#) && first[0].json.contains("203.0.113.7"))
        #expect(try await job.runEpoch()[0].of(.host).isEmpty)
    }

    // MARK: Between shards

    /// Two hosts of different shards.
    private func hosts(apartIn count: Int) throws -> (String, String) {
        let names = (0..<50).map { "host\($0).test" }
        let first = names[0]
        let other = try #require(
            names.first { Shard.number(ofHost: $0, among: count) != Shard.number(ofHost: first, among: count) })
        return (first, other)
    }

    @Test func `a seed that redirects to a host of another shard is visited there, as a seed`() async throws {
        let (a, b) = try hosts(apartIn: 2)
        let job = try ShardsUnderTest(2, seeds: ["https://\(a)/old kind=support"])
        job.web["https://\(a)/old"] = [.redirect(to: "https://\(b)/new")]
        job.web.page("https://\(b)/new", links: ["/more"])
        job.web.page("https://\(b)/more")
        // Only a seed needs to match nothing.
        job.configuration.scope.include = ["*/more"]
        let first = try await job.runEpoch()
        let mail = try #require(first[job.shard(of: a)].of(.foreign).first)
        #expect(mail.key == "https://\(b)/new")
        let request = try ShardsUnderTest.request(mail.json)
        #expect(request.standsForSeed && request.discovery == .redirect && request.depth == 0)
        #expect(request.redirects.map(\.href) == ["https://\(a)/old"])
        #expect(request.seed.kind == .support && request.seed.landingHosts == [b])
        try await job.runToEnd()
        #expect(job.records.keys.sorted() == ["https://\(b)/more", "https://\(b)/new"])
    }

    @Test func `the hosts of a site are in one shard, so that a canonical page is found`() async throws {
        for count in 1...7 {
            #expect(
                Set(
                    ["shop.example.co.uk", "www.example.co.uk", "example.co.uk"].map {
                        Shard.number(ofHost: $0, among: count)
                    }
                )
                .count == 1)
        }
        let job = try ShardsUnderTest(4, seeds: ["https://m.site.test/", "https://www.site.test/"])
        job.web.page("https://m.site.test/", canonical: "https://www.site.test/main")
        job.web.page("https://www.site.test/")
        job.web.page("https://www.site.test/main")
        job.configuration.scope.follow = .domain
        try await job.runToEnd()
        #expect(job.records.keys.sorted() == ["https://www.site.test/", "https://www.site.test/main"])
    }

    @Test(arguments: [
        ("www.example.org", 862), ("example.org.", 862), ("shop.example.co.uk", 442), ("localhost", 424),
        ("203.0.113.7", 575), ("www.github.io", 532),
    ])
    func `the rule by which a URL has its shard never changes`(host: String, shard: Int) {
        // SHA-256 of "example.org": bfabc37432958b06…, of which the first eight bytes are 862 modulo 1000.
        #expect(Shard.number(ofHost: host, among: 1000) == shard)
    }

    @Test func `files that lie with another shard are not asked for`() async throws {
        let (a, b) = try hosts(apartIn: 2)
        let job = try ShardsUnderTest(2, seeds: ["https://\(a)/", "https://\(b)/"])
        job.web.page(
            "https://\(a)/",
            head: """
                <link rel=manifest href='https://\(b)/app.json'><meta property=al:ios:url content='https://\(b)/item'>
                <meta property=al:ios:app_store_id content=123456789><meta property=al:ios:app_name content=App>
                """)
        job.web.page("https://\(b)/")
        job.web.robots("https://\(b)", "User-agent: *\nDisallow:\n")
        job.configuration.scope.follow = .domain
        try await job.runEpoch()
        let askedOfB = job.web.log.filter { $0.host == b }.map(\.url)
        #expect(!askedOfB.contains("https://\(b)/app.json"))
        // The page of the other shard's own host asks for them, once.
        let associations = askedOfB.filter { $0.hasSuffix("apple-app-site-association") }
        #expect(Set(associations).count == associations.count)
        #expect(job.records["https://\(a)/"] != nil)
    }

    @Test func `a robots-txt that redirects to another shard's host allows nothing`() async throws {
        let (a, b) = try hosts(apartIn: 2)
        let job = try ShardsUnderTest(2, seeds: ["https://\(a)/"])
        job.web["https://\(a)/robots.txt"] = [.redirect(to: "https://\(b)/robots.txt")]
        job.web.page("https://\(a)/")
        try await job.runEpoch()
        #expect(job.web.log.map(\.url) == ["https://\(a)/robots.txt"])
    }

    @Test func `a sitemap that lies with another shard is read there, and its entries come back`() async throws {
        let (a, b) = try hosts(apartIn: 2)
        let job = try ShardsUnderTest(2, seeds: ["https://\(a)/", "https://\(b)/"])
        job.configuration.scope.sitemaps = true
        job.web.robots("https://\(a)", "User-agent: *\nDisallow:\nSitemap: https://\(b)/map.xml\n")
        job.web.page("https://\(a)/")
        job.web.page("https://\(b)/")
        job.web.page("https://\(a)/listed")
        job.web["https://\(b)/map.xml"] = [
            .xml(
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://\(a)/listed</loc></url></urlset>"
            )
        ]
        let first = try await job.runEpoch()
        #expect(first[job.shard(of: a)].keys(.foreign) == ["sitemap:https://\(b)/map.xml"])
        let second = try await job.runEpoch()
        #expect(second[job.shard(of: b)].keys(.foreign) == ["https://\(a)/listed"])
        try await job.runToEnd()
        #expect(job.records.keys.contains("https://\(a)/listed"))
    }

    @Test func `popularity from the graph of all shards is told with the record`() async throws {
        let job = try ShardsUnderTest(1, seeds: ["https://a.test/"])
        job.web.page("https://a.test/", links: ["/1"])
        job.web.page("https://a.test/1")
        try await job.runEpoch()
        let page = try #require(WebURL("https://a.test/1"))
        let unknown = try #require(WebURL("https://a.test/none"))
        let folder = job.folders[0]
        func give(_ value: Double) async throws -> [String] {
            let storage = try folder.open()
            let before = try storage.feed.end()
            let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl())
            try await frontier.setPopularity([(page, value), (unknown, 0.4)])
            try await frontier.close(keeping: [])
            var documents: [String] = []
            try storage.feed.read(since: before) { documents.append(String(decoding: $0.document, as: UTF8.self)) }
            return documents
        }
        let told = try await give(0.731)
        #expect(told.count == 1 && told[0].contains("0.731") && told[0].contains("https://a.test/1"))
        #expect(try await give(0.74).isEmpty, "too little has changed")
        #expect(try await give(0.8).count == 1)
    }

    // MARK: Another number of shards

    @Test(arguments: [(before: 3, after: 2), (before: 2, after: 5)])
    func `a job with another number of shards goes on where it was, loses nothing and fetches nothing again`(
        before: Int, after: Int
    ) async throws {
        let one = FakeWeb(time: MadeUpTime())
        let seeds = one.addSites(8, pages: 14, seed: 5)
        let expected = try await records(onOneMachine: one, seeds: seeds) { $0.scope.follow = .domain }
        let old = try ShardsUnderTest(before, seeds: seeds)
        _ = old.web.addSites(8, pages: 14, seed: 5)
        old.configuration.scope.follow = .domain
        for _ in 0..<3 { try await old.runEpoch(for: .seconds(9)) }
        #expect(old.inbox.values.contains { !$0.isEmpty }, "what is under way must not be lost")
        let new = try ShardsUnderTest(after, seeds: seeds, web: old.web)
        new.configuration = old.configuration
        let moved = try (0..<after).map { number in
            try Resharding.make(
                try #require(Shard(number, of: after)), in: new.folders[number].url, of: old.folders.map(\.url))
        }
        func sum(_ count: KeyPath<Resharding.Counts, Int>) -> Int { moved.reduce(0) { $0 + $1[keyPath: count] } }
        #expect(sum(\.records) == old.records.values.count { $0 != nil })
        #expect(sum(\.hosts) == 8 && sum(\.found) > 0)
        try await new.runToEnd(epoch: .seconds(9))
        #expect(records(of: new) == expected)
        let visits = Dictionary(grouping: new.web.visited) { $0 }.mapValues(\.count)
        #expect(visits == Dictionary(grouping: one.visited) { $0 }.mapValues(\.count))
        let robots = Dictionary(grouping: new.web.log.filter { $0.purpose == .robots }, by: \.host)
        #expect(robots.values.allSatisfy { $0.count == 1 })
    }

    @Test func `another number of shards needs all the old ones, that nobody holds`() async throws {
        let job = try ShardsUnderTest(2, seeds: ["https://a.test/"])
        job.web.page("https://a.test/", links: ["/1"])
        try await job.runEpoch()
        let shard = try #require(Shard(0, of: 1))
        let new = StorageFolder()
        let folders = job.folders.map(\.url)
        for wrong in [[folders[0]], [folders[0], folders[0]]] {
            #expect(throws: ReportedFailure.self) { try Resharding.make(shard, in: new.url, of: wrong) }
        }
        do {
            let held = try job.folders[1].open()
            #expect(throws: StorageError.self) { try Resharding.make(shard, in: new.url, of: folders) }
            withExtendedLifetime(held) {}
        }
        #expect(try Resharding.make(shard, in: new.url, of: folders).records == 1)
        #expect(try new.history(of: "https://a.test/1")?.foundOn == "https://a.test/")
        #expect(throws: ReportedFailure.self) { try Resharding.make(shard, in: new.url, of: folders) }
        // A storage that was made by half is no shard.
        let half = StorageFolder()
        let storage = try half.open()
        let frontier = try storage.frontier(recrawl: CrawlConfiguration.Recrawl())
        _ = try await frontier.add([.page("https://a.test/")])
        #expect(throws: ReportedFailure.self) {
            try storage.begin(EpochOrder(epoch: 1, shard: shard, duration: .seconds(1)), at: job.web.time.date)
        }
    }

    // MARK: Orders that do not fit

    @Test func `a storage takes orders of its own shard alone, and never goes back`() async throws {
        let job = try ShardsUnderTest(2, seeds: ["https://a.test/"])
        try await job.runEpoch()
        try await job.runEpoch()
        let storage = try job.folders[0].open()
        func order(_ number: Int, of count: Int, epoch: Int, cursor: String? = nil) throws -> EpochOrder {
            EpochOrder(
                epoch: epoch, shard: try #require(Shard(number, of: count)), duration: .seconds(1), cursor: cursor)
        }
        let now = job.web.time.date
        #expect(throws: ReportedFailure.self) { try storage.begin(try order(1, of: 2, epoch: 3), at: now) }
        #expect(throws: ReportedFailure.self) { try storage.begin(try order(0, of: 3, epoch: 3), at: now) }
        #expect(throws: ReportedFailure.self) { try storage.begin(try order(0, of: 2, epoch: 1), at: now) }
        for cursor in ["nonsense", "0123456789abcdef-1", (job.cursors[0] ?? "") + "99999"] {
            let error = #expect(throws: ReportedFailure.self) {
                try storage.begin(try order(0, of: 2, epoch: 3, cursor: cursor), at: now)
            }
            #expect(error?.description.contains("not the one that told the cursor \"\(cursor)\"") == true)
        }
        #expect(throws: Never.self) {
            try storage.begin(try order(0, of: 2, epoch: 3, cursor: job.cursors[0]), at: now)
        }
    }

    @Test func `the storage of a job on one machine is no shard`() async throws {
        let job = JobUnderTest()
        job.page("https://a.test/")
        _ = try await job.run()
        let storage = try job.folder.open()
        let order = EpochOrder(epoch: 1, shard: try #require(Shard(0, of: 1)), duration: .seconds(1))
        let error = #expect(throws: ReportedFailure.self) { try storage.begin(order, at: job.web.time.date) }
        #expect(error?.description.contains("one machine has crawled the job into it") == true)
    }
}
