import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What waits is bounded, in both frontiers: of what a site names, no more is kept than a run may visit and a margin, and
/// the best of it.
@Suite struct FrontierBoundsTests {
    private static let tight = FrontierLimits(perHost: 20, total: 10_000)

    private func link(
        _ path: String, depth: Int = 1, host: String = "a.test", _ discovery: CrawlRequest.Discovery = .outlink
    ) -> CrawlRequest {
        var request = CrawlRequest.page("https://\(host)/\(path)", depth: max(1, depth))
        request.depth = depth
        request.discovery = discovery
        return request
    }

    private func sitemap(_ path: String) -> CrawlRequest {
        CrawlRequest(
            url: link(path).url, target: .sitemap(host: "a.test", level: 0), depth: 1, seed: link(path).seed,
            discovery: .sitemap)
    }

    /// Paths of what is left, in the order it is visited.
    private func left(of frontier: any Frontier) async throws -> [String] {
        try await frontier.lease(limit: 100_000, perHost: 100_000).map { String($0.url.path.dropFirst()) }
    }

    @Test(arguments: FrontierKind.allCases)
    func `a link farm leaves no more than the limit, and is counted`(kind: FrontierKind) async throws {
        let test = try kind.make(limits: Self.tight)
        var added = 0
        var dropped = DroppedURLs()
        for page in 0..<10 {
            let change = try await test.frontier.add((0..<100).map { link("\(page)-\($0)") })
            added += change.added
            dropped = change.dropped
        }
        #expect(added == 20)
        #expect(dropped.count == 100 && dropped.example?.path == "/9-0")
        #expect(try await test.frontier.unfinishedCount() == 20)
        // Of equals those stay that were there first.
        #expect(try await left(of: test.frontier) == (0..<20).map { "0-\($0)" })
    }

    @Test func `hosts of URLs that are not kept are not kept either`() async throws {
        let test = try FrontierKind.sqlite.make(limits: FrontierLimits(perHost: 20, total: 30))
        // A domain with a wildcard: every page links to hosts of its own.
        for page in 0..<5 {
            _ = try await test.frontier.add((0..<200).map { link("", host: "n\(page)-\($0).trap.test") })
        }
        try await test.frontier.close(keeping: [])
        let storage = try #require(test.folder).open()
        #expect(try storage.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM host") } == 30)
    }

    @Test(arguments: FrontierKind.allCases)
    func `better URLs push the worst out`(kind: FrontierKind) async throws {
        let test = try kind.make(limits: Self.tight)
        _ = try await test.frontier.add((0..<20).map { link("deep\($0)", depth: 4) })
        let change = try await test.frontier.add((0..<15).map { link("near\($0)", depth: 2) } + [sitemap("map.xml")])
        #expect(change.added == 16 && change.dropped.count == 16)
        #expect(change.dropped.example?.path == "/deep19")
        // What was pushed out is not known, and is no better than before.
        #expect(try await test.frontier.add([link("deep19", depth: 4), link("deeper", depth: 5)]).added == 0)
        let left = try await left(of: test.frontier)
        #expect(left.first == "map.xml" && left.count == 20)
        #expect(left.dropFirst() == ((0..<15).map { "near\($0)" } + (0..<4).map { "deep\($0)" })[...])
    }

    @Test(arguments: FrontierKind.allCases)
    func `at one depth what a sitemap lists stays, then what more pages link to`(kind: FrontierKind) async throws {
        let test = try kind.make(limits: Self.tight)
        let pages = ["p", "q"].map { link($0, depth: 0, host: "b.test", .seed) }
        _ = try await test.frontier.add(pages)
        #expect(try await test.frontier.lease(limit: 2, perHost: 2).count == 2)
        _ = try await test.frontier.add((0..<20).map { link("link\($0)") })
        // Two pages link to the last ones.
        for page in pages {
            _ = try await test.frontier.finish(.of(page, found: (14..<20).map { link("link\($0)") }))
        }
        let change = try await test.frontier.add((0..<13).map { link("listed\($0)", .sitemap) })
        #expect(change.added == 13)
        let left = Set(try await left(of: test.frontier))
        #expect(left.count == 20 && left.isSuperset(of: (0..<13).map { "listed\($0)" }))
        #expect(left.isSuperset(of: (15..<20).map { "link\($0)" }))
    }

    @Test(arguments: FrontierKind.allCases)
    func `seeds, redirects and canonical URLs are kept, whatever waits`(kind: FrontierKind) async throws {
        let test = try kind.make(limits: Self.tight)
        _ = try await test.frontier.add((0..<20).map { link("link\($0)", depth: 1) })
        let owed = [
            link("seed", depth: 0, .seed), link("moved", depth: 5, .redirect), link("canon", depth: 5, .canonical),
        ]
        #expect(try await test.frontier.add(owed).added == 3)
        // A link that turns out to be a canonical URL is owed from then on.
        _ = try await test.frontier.add([link("link19", depth: 1, .canonical)])
        _ = try await test.frontier.add((0..<30).map { link("near\($0)", depth: 0, .outlink) })
        let left = Set(try await left(of: test.frontier))
        #expect(left.isSuperset(of: ["seed", "moved", "canon", "link19"]))
        #expect(left.count <= 24)
    }

    @Test(arguments: FrontierKind.allCases)
    func `long addresses count as several`(kind: FrontierKind) async throws {
        let test = try kind.make(limits: FrontierLimits(perHost: 100, total: 10_000))
        let long = String(repeating: "x", count: 1_900)
        _ = try await test.frontier.add((0..<1_000).map { link("\(long)\($0)") })
        #expect(try await test.frontier.unfinishedCount() == 25)
        // Visits make room again.
        for request in try await test.frontier.lease(limit: 25, perHost: 25) {
            _ = try await test.frontier.finish(.of(request))
        }
        #expect(try await test.frontier.add((0..<200).map { link("short\($0)") }).added == 100)
    }

    /// Such as pages that their sites have told of, which wait on then.
    @Test(arguments: FrontierKind.allCases)
    func `whoever adds to a full queue hears which requests it did not take`(kind: FrontierKind) async throws {
        let test = try kind.make(limits: FrontierLimits(perHost: 5, total: 100))
        let near = (0..<3).map { link("near\($0)", depth: 1) }
        #expect(try await test.frontier.add(near).turnedAway.isEmpty)
        // The first four find room for two; the last is better than one of those, which goes.
        let change = try await test.frontier.add(
            (0..<4).map { link("far\($0)", depth: 5) } + [near[0], link("good", depth: 2)])
        let away = change.turnedAway.map(\.url.path)
        #expect(change.unchanged == 1 && away.count == 3 && away.allSatisfy { $0.hasPrefix("/far") }, "\(away)")
        let left = Set(try await left(of: test.frontier))
        #expect(left.isDisjoint(with: away.map { String($0.dropFirst()) }), "\(left) \(away)")
        #expect(left.count == 5)
    }

    @Test(arguments: FrontierKind.allCases)
    func `one site of many pages does not keep the others out`(kind: FrontierKind) async throws {
        let test = try kind.make(limits: FrontierLimits(perHost: 1_000, total: 1_000))
        _ = try await test.frontier.add((0..<2_000).map { link("farm\($0)") })
        #expect(try await test.frontier.unfinishedCount() == 1_000)
        // What SQLite says of hosts it writes now and then.
        test.calendar.advance(60)
        _ = try await test.frontier.add([link("farm", host: "c.test")])
        let change = try await test.frontier.add((0..<100).map { link("good\($0)", depth: 3, host: "good.test") })
        #expect(change.added == 100)
        #expect(try await test.frontier.unfinishedCount() == 1_000)
    }

    @Test(arguments: FrontierKind.allCases)
    func `a page that waits for its canonical page hears of it, however full the queue is`(kind: FrontierKind)
        async throws
    {
        let test = try kind.make(limits: FrontierLimits(perHost: 5, total: 100))
        let page = link("page", depth: 0, .seed)
        _ = try await test.frontier.add([page])
        _ = try await test.frontier.lease(limit: 1, perHost: 1)
        _ = try await test.frontier.add((0..<10).map { link("link\($0)", depth: 1) })
        let canonical = link("canon", depth: 6, .canonical)
        let change = try await test.frontier.finish(.of(page, .duplicate(of: canonical.url), found: [canonical]))
        #expect(change.followed && change.added == 1)
        _ = try await test.frontier.add((0..<30).map { link("near\($0)", depth: 0, .outlink) })
        for request in try await test.frontier.lease(limit: 100, perHost: 100) {
            let isCanonical = request.url.path == "/canon"
            _ = try await test.frontier.finish(.of(request, isCanonical ? .gone(status: 404) : .recorded))
        }
        #expect(try await left(of: test.frontier) == ["page"])
    }

    @Test func `a crawl of a link farm keeps what it may visit, and tells what it dropped`() async throws {
        for kind in FrontierKind.allCases {
            let web = FakeWeb(time: MadeUpTime())
            web.page("https://a.test/", links: (0..<40).map { "/p\($0)" })
            for page in 0..<40 { web.page("https://a.test/p\(page)", links: (0..<200).map { "/farm/\(page)/\($0)" }) }
            var configuration = CrawlConfiguration()
            configuration.scope.sitemaps = false
            configuration.scope.maximumPages = 41
            let settled = configuration
            let seeds = try Seeds.parse("https://a.test/", file: "seeds.txt")
            let folder = StorageFolder()
            let time = web.time
            let limits = FrontierLimits(settled, seeds: 1)
            #expect(limits.perHost == 1_051)
            let summary = try await time.run {
                let frontier: any Frontier =
                    switch kind {
                    case .memory: MemoryFrontier(limits: limits, date: { time.date })
                    case .sqlite:
                        try folder.open().frontier(
                            recrawl: settled.recrawl, limits: limits, date: { time.date }, executor: time.actors)
                    }
                return try await Crawler(
                    configuration: settled, seeds: seeds, fetcher: web, frontier: frontier,
                    clock: time.clock
                ).run()
            }
            #expect(summary.statistics.pages == 41)
            #expect(summary.unvisited <= 1_051 + 16, "of 8,000 links; what is leased does not wait")
            let told = summary.limitations.first { $0.code == "queue-full" }
            #expect(told?.count == 8_000 - summary.unvisited)
            #expect(summary.statistics.refusalExamples["queue-full"]?.first?.hasPrefix("https://a.test/farm/") == true)
            guard kind == .sqlite else { continue }
            let status = try StorageStatus(StorageReader(folder: folder.url))
            #expect(status.dropped == told?.count && status.queued == summary.unvisited)
            #expect(status.dropping.map(\.name) == ["a.test"] && status.dropping.first?.dropped == status.dropped)
        }
    }

    @Test func `what was dropped can be met again, and what shared its place is still found`() async throws {
        let test = try FrontierKind.sqlite.make(limits: FrontierLimits(perHost: 3_000, total: 10_000))
        // So many in one folder that some have the same place.
        _ = try await test.frontier.add((0..<3_000).map { link("old\($0)", depth: 5) })
        _ = try await test.frontier.add((0..<2_000).map { link("new\($0)", depth: 3) })
        #expect(try await test.frontier.unfinishedCount() == 3_000)
        let again = try await test.frontier.add((0..<2_000).map { link("new\($0)", depth: 3) })
        #expect(again.added == 0 && again.dropped.count == 0)
        #expect(try await test.frontier.unfinishedCount() == 3_000)
    }
}
