import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// The `seeds` of records are those of a breadth-first search, in whatever order pages are visited.
@Suite struct SeedsTests {
    /// One made-up web with the settings of its crawl.
    private struct Job {
        let number: Int
        let web: SmallWeb
        let seeds: [Int]
        let configuration: CrawlConfiguration
        /// Whether each seed has an app of its own, which its records depend on.
        let hasApps: Bool

        init(_ number: Int, hasApps: Bool = false) {
            self.number = number
            self.hasApps = hasApps
            web = SmallWeb(seed: UInt64(number))
            var random = SeededNumbers(seed: UInt64(number) &* 7)
            var configuration = CrawlConfiguration()
            configuration.scope.sitemaps = false
            configuration.records = .all
            // Far enough for all pages, so that no page is visited again because its links were cut.
            configuration.scope.maximumDepth = number.isMultiple(of: 2) ? 4 : 60
            let isOpen = !number.isMultiple(of: 3)
            configuration.scope.follow = isOpen ? .any : .host
            if !isOpen { configuration.scope.allowedHosts = ["s3.test"] }
            self.configuration = configuration
            // Two or three hosts have seeds. Some seeds redirect to other hosts, where any host may be visited.
            var seeds: Set<Int> = []
            while seeds.count < 4 {
                let page = Int(random.next() % UInt64(3 * SmallWeb.pagesOfHost))
                if case .redirect = web.kinds[page], !isOpen { continue }
                seeds.insert(page)
            }
            self.seeds = seeds.sorted()
        }

        var lines: [String] { seeds.map { SmallWeb.url($0) + (hasApps ? " app=\($0 + 1)" : "") } }

        /// The same web with other hosts slow, so that pages are visited in another order.
        func web(order: Int) -> FakeWeb {
            let made = FakeWeb(
                time: MadeUpTime(), latencySeed: UInt64(number + 1000 * order), slowest: .seconds(3))
            web.show(in: made, slowHost: (number + order) % SmallWeb.hosts)
            return made
        }

        /// Pages that should have other `seeds`, or a record.
        func wrong(_ found: [String: [String]]) throws -> [String] {
            let list = try Seeds.parse(lines.joined(separator: "\n"), file: "seeds.txt")
            let scope = CrawlScope(configuration, seeds: list)
            let finders = Dictionary(uniqueKeysWithValues: zip(seeds.map(SmallWeb.url), list))
            let reached = web.reached(from: seeds, within: configuration.scope.maximumDepth) {
                scope.covers("s\($0).test", seed: list[0])
            }
            var wrong: [String] = []
            for (page, seed) in reached.sorted(by: { $0.key < $1.key }) {
                guard case .page = web.kinds[page] else { continue }
                let (text, finder) = (SmallWeb.url(page), SmallWeb.url(seed))
                guard let url = WebURL(text), let known = finders[finder] else { preconditionFailure(text) }
                let expected = scope.seeds(of: url, foundFrom: known).map(\.url.href).sorted()
                if found[text] != expected {
                    wrong.append("\(text): \(found[text] ?? ["no record"]) instead of \(expected)")
                }
            }
            return wrong
        }
    }

    private static func seeds(of document: JSONValue?) -> [String] {
        (document?["seeds"]?.array ?? []).compactMap(\.string)
    }

    private static func seeds(in json: some Sequence<UInt8>) throws -> [String] {
        var parser = JSONParser()
        return seeds(of: try parser.parse(Array(json)))
    }

    @Test(arguments: 1...40)
    func `in memory, they are the nearest seeds`(number: Int) async throws {
        let job = Job(number)
        for order in 0...1 {
            let web = job.web(order: order)
            let crawl = try await FakeCrawl.run(web, seeds: job.lines) { $0 = job.configuration }
            let found = Dictionary(crawl.records.map { ($0.uniqueIdentifier, $0.seeds) }) { $1 }
            #expect(try job.wrong(found) == [], "order \(order)")
            Self.expectOneVisit(web, job)
        }
    }

    @Test(arguments: 1...40)
    func `in a storage, they are the nearest seeds`(number: Int) async throws {
        let job = Job(number)
        for order in 0...1 {
            let (web, folder) = (job.web(order: order), StorageFolder())
            let storage = try folder.open()
            try await Self.crawl(job, web, in: storage)
            #expect(try job.wrong(Self.records(of: storage)) == [], "order \(order)")
            Self.expectOneVisit(web, job)
        }
    }

    @Test(arguments: 1...20)
    func `if each has an app, nothing is fetched for it, and due visits name the nearest seeds`(
        number: Int
    ) async throws {
        let job = Job(number, hasApps: true)
        let memory = job.web(order: 0)
        _ = try await FakeCrawl.run(memory, seeds: job.lines) { $0 = job.configuration }
        Self.expectOneVisit(memory, job)
        for order in 0...1 {
            let (web, folder) = (job.web(order: order), StorageFolder())
            let storage = try folder.open()
            try await Self.crawl(job, web, in: storage)
            Self.expectOneVisit(web, job)
            let earlier = web.visited.count
            try await web.time.run { await web.time.sleep(until: web.time.now + .seconds(60 * 86_400)) }
            try await Self.crawl(job, web, in: storage)
            #expect(try job.wrong(Self.records(of: storage)) == [], "order \(order)")
            #expect(web.visited.count <= 2 * earlier)
        }
    }

    /// Seeds were compared only while a URL waited.
    @Test(arguments: 1...20)
    func `a storage of an earlier version finds them when its pages are read again`(number: Int) async throws {
        let job = Job(number)
        let (web, folder) = (job.web(order: 0), StorageFolder())
        let storage = try folder.open()
        try await Self.crawl(job, web, in: storage, knowsScope: false)
        try await web.time.run { await web.time.sleep(until: web.time.now + .seconds(60 * 86_400)) }
        try await Self.crawl(job, web, in: storage)
        #expect(try job.wrong(Self.records(of: storage)) == [])
    }

    private static func crawl(
        _ job: Job, _ web: FakeWeb, in storage: CrawlStorage, knowsScope: Bool = true
    ) async throws {
        let list = try Seeds.parse(job.lines.joined(separator: "\n"), file: "seeds.txt")
        let configuration = job.configuration
        _ = try await web.time.run {
            let frontier = try storage.frontier(
                recrawl: configuration.recrawl, limits: FrontierLimits(configuration, seeds: list.count),
                scope: knowsScope ? CrawlScope(configuration, seeds: list) : nil, date: { web.time.date },
                executor: web.time.actors)
            return try await Crawler(
                configuration: configuration, seeds: list, fetcher: web, frontier: frontier, clock: web.time.clock
            ).run()
        }
    }

    /// The seeds of all records of a storage.
    private static func records(of storage: CrawlStorage) throws -> [String: [String]] {
        let rows = try storage.database.read {
            try Row.fetchAll($0, sql: "SELECT identifier, document FROM record WHERE state <> 1")
        }
        return Dictionary(
            uniqueKeysWithValues: try rows.map { ($0["identifier"], try Self.seeds(in: $0["document"] as Data)) })
    }

    @Test(arguments: 1...40)
    func `in shards, they are the nearest seeds`(number: Int) async throws {
        let job = Job(number)
        let shards = try ShardsUnderTest(2 + number % 2, seeds: job.lines, web: job.web(order: 0))
        shards.configuration = job.configuration
        try await shards.runToEnd(epoch: .seconds(number % 3 == 0 ? 600 : 120))
        let found = try shards.records.compactMapValues { json in try json.map { try Self.seeds(in: $0.utf8) } }
        #expect(try job.wrong(found) == [])
    }

    /// One page that two seeds with different apps lead to; the one with the greater URL is faster.
    @Test(arguments: FrontierKind.allCases)
    func `a page is not fetched for a seed with another app, and its next visit is whole`(
        kind: FrontierKind
    ) async throws {
        let web = FakeWeb(time: MadeUpTime())
        let (a, b, page) = ("https://a.test/", "https://b.test/", "https://c.test/")
        web.page(a, links: [page])
        web[a] = web[a].map { $0.taking(.seconds(30)) }
        web.page(b, links: [page])
        web[page] = [.html("<title>Page</title>", headers: [("ETag", "\"1\"")])]
        let list = try Seeds.parse("\(a) app=1\n\(b) app=2", file: "seeds.txt")
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        configuration.scope.follow = .any
        configuration.records = .all
        let (settled, folder, sink) = (configuration, StorageFolder(), MemorySink())
        func run() async throws -> [String]? {
            _ = try await web.time.run {
                let scope = CrawlScope(settled, seeds: list)
                let frontier: any Frontier =
                    switch kind {
                    case .memory: MemoryFrontier(scope: scope, sinks: [sink], date: { web.time.date })
                    case .sqlite:
                        try folder.open().frontier(
                            recrawl: settled.recrawl, scope: scope, date: { web.time.date }, executor: web.time.actors)
                    }
                return try await Crawler(
                    configuration: settled, seeds: list, fetcher: web, frontier: frontier, clock: web.time.clock
                ).run()
            }
            switch kind {
            case .memory: return await sink.records.last { $0.uniqueIdentifier == page }?.seeds
            case .sqlite: return try Self.records(of: folder.open())[page]
            }
        }
        #expect(try await run() == [b])
        #expect(web.visited.filter { $0 == page }.count == 1)
        guard kind == .sqlite else { return }
        try await web.time.run { await web.time.sleep(until: web.time.now + .seconds(60 * 86_400)) }
        #expect(try await run() == [a])
        #expect(web.visited.filter { $0 == page }.count == 2)
    }

    /// A frontier of a crawl with two seeds that may visit any host.
    private static func frontier(
        _ kind: FrontierKind, _ folder: StorageFolder, _ sink: MemorySink, at date: Date = MadeUpTime.start
    ) throws -> any Frontier {
        var configuration = CrawlConfiguration()
        configuration.scope.follow = .any
        let scope = CrawlScope(
            configuration, seeds: try Seeds.parse("https://a.test/\nhttps://b.test/", file: "seeds.txt"))
        switch kind {
        case .memory: return MemoryFrontier(scope: scope, sinks: [sink], date: { date })
        case .sqlite:
            return try folder.open().frontier(recrawl: configuration.recrawl, scope: scope, date: { date })
        }
    }

    private static func recorded(_ request: CrawlRequest) -> FinishedVisit {
        var record = DeepLinkRecord.of(request.url.href, says: "Page")
        record.seeds = [request.seed.url.href]
        var visit = FinishedVisit.of(request, changes: [.upsert(RecordDocument(record))])
        visit.recordIdentifier = record.uniqueIdentifier
        return visit
    }

    @Test(arguments: FrontierKind.allCases)
    func `a page that is queued again passes its way on though its visit fails`(kind: FrontierKind) async throws {
        let (folder, sink) = (StorageFolder(), MemorySink())
        let frontier = try Self.frontier(kind, folder, sink)
        func next() async throws -> CrawlRequest { try #require(try await frontier.lease(limit: 1, perHost: 9).first) }
        let (a, b) = ("https://a.test/", "https://b.test/")
        let (hub, page) = ("https://c.test/hub", "https://c.test/page")
        _ = try await frontier.add([.page(hub, depth: 3, seed: b)])
        var cut = Self.recorded(try await next())
        cut.discovered = [.page(page, depth: 4, seed: b)]
        cut.isCut = true
        _ = try await frontier.finish(cut)
        _ = try await frontier.finish(Self.recorded(try await next()))
        // A shorter way, then another one of the same length.
        _ = try await frontier.add([.page(hub, depth: 2, seed: b)])
        _ = try await frontier.add([.page(hub, depth: 2, seed: a)])
        let again = try await next()
        #expect(again.url.href == hub && again.depth == 2 && again.seed.url.href == a)
        var failed = FinishedVisit.of(again, .serverError(status: 503))
        failed.recordIdentifier = hub
        _ = try await frontier.finish(failed)
        #expect(try await frontier.lease(limit: 9, perHost: 9).isEmpty)
        try await frontier.flush()
        switch kind {
        case .memory:
            let last = Dictionary(await sink.records.map { ($0.uniqueIdentifier, $0.seeds) }) { $1 }
            #expect(last == [hub: [a], page: [a]])
        case .sqlite: #expect(try Self.records(of: folder.open()) == [hub: [a], page: [a]])
        }
    }

    @Test func `a page that is due passes its way on though its visit does not end`() async throws {
        let (folder, sink) = (StorageFolder(), MemorySink())
        let page = "https://d.test/page"
        do {
            let frontier = try Self.frontier(.sqlite, folder, sink)
            _ = try await frontier.add([.page("https://c.test/hub", depth: 3, seed: "https://b.test/")])
            var visit = Self.recorded(try #require(try await frontier.lease(limit: 1, perHost: 9).first))
            visit.discovered = [.page(page, depth: 4, seed: "https://b.test/")]
            _ = try await frontier.finish(visit)
            visit = Self.recorded(try #require(try await frontier.lease(limit: 1, perHost: 9).first))
            visit.next.wait = .seconds(1_000_000_000)
            _ = try await frontier.finish(visit)
        }
        let frontier = try Self.frontier(.sqlite, folder, sink, at: MadeUpTime.start + 2 * 86_400)
        #expect(try await frontier.lease(limit: 9, perHost: 9).map(\.url.href) == ["https://c.test/hub"])
        _ = try await frontier.add([.page("https://c.test/hub", depth: 3, seed: "https://a.test/")])
        #expect(try Self.records(of: folder.open())[page] == ["https://a.test/"])
    }

    @Test func `many records are written again some at a time`() async throws {
        let (folder, sink) = (StorageFolder(), MemorySink())
        let frontier = try Self.frontier(.sqlite, folder, sink)
        let (a, b, hub) = ("https://a.test/", "https://b.test/", "https://c.test/")
        let pages = (0..<1_200).map { "https://c.test/\($0)" }
        _ = try await frontier.add([.page(hub, depth: 1, seed: b)])
        var visit = Self.recorded(try #require(try await frontier.lease(limit: 1, perHost: 9).first))
        visit.discovered = pages.map { .page($0, depth: 2, seed: b) }
        _ = try await frontier.finish(visit)
        for request in try await frontier.lease(limit: 2_000, perHost: 2_000) {
            _ = try await frontier.finish(Self.recorded(request))
        }
        func named() throws -> Int { try Self.records(of: folder.open()).values.count { $0 == [a] } }
        _ = try await frontier.add([.page(hub, depth: 1, seed: a)])
        #expect(try (500...1_000).contains(named()))
        _ = try await frontier.lease(limit: 9, perHost: 9)
        #expect(try named() == pages.count + 1)
    }

    @Test func `a record that got another seed is unchanged at the next visit`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        let (a, b, page) = ("https://a.test/", "https://b.test/", "https://c.test/")
        web.page(a, links: [page])
        web[a] = web[a].map { $0.taking(.seconds(30)) }
        web.page(b, links: [page])
        web.page(page)
        let list = try Seeds.parse("\(a)\n\(b)", file: "seeds.txt")
        var configuration = CrawlConfiguration()
        configuration.scope.sitemaps = false
        configuration.scope.follow = .any
        configuration.records = .all
        let (settled, folder) = (configuration, StorageFolder())
        let storage = try folder.open()
        func run() async throws -> Row? {
            _ = try await web.time.run {
                let frontier = try storage.frontier(
                    recrawl: settled.recrawl, scope: CrawlScope(settled, seeds: list), date: { web.time.date },
                    executor: web.time.actors)
                return try await Crawler(
                    configuration: settled, seeds: list, fetcher: web, frontier: frontier, clock: web.time.clock
                ).run()
            }
            return try storage.database.read {
                try Row.fetchOne(
                    $0,
                    sql: """
                        SELECT sequence, document, visits, changes FROM record JOIN url ON url.record = ''
                        WHERE identifier = ? AND url.id >> 35 = (SELECT id FROM host WHERE name = 'c.test')
                        """, arguments: [page])
            }
        }
        let first = try #require(try await run())
        #expect(web.visited.filter { $0 == page }.count == 1)
        #expect(try Self.seeds(in: first["document"] as Data) == [a])
        try await web.time.run { await web.time.sleep(until: web.time.now + .seconds(60 * 86_400)) }
        let second = try #require(try await run())
        #expect(second["visits"] as Int == 2 && second["changes"] as Int == first["changes"] as Int)
        #expect(second["sequence"] as Int == first["sequence"] as Int)
        #expect(second["document"] as Data == first["document"] as Data)
    }

    /// A smaller seed alone is no reason to fetch a page again.
    private static func expectOneVisit(_ web: FakeWeb, _ job: Job) {
        guard job.configuration.scope.maximumDepth > SmallWeb.count else { return }
        #expect(Set(web.visited).count == web.visited.count, "each page is fetched once")
    }
}
