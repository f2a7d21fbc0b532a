import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// A small web made of chance: a few hosts whose pages link to each other, redirect, name a canonical page, or are feeds.
private struct SmallWeb {
    enum Kind {
        case page
        case redirect(to: Int)
        case canonical(Int)
        case feed
    }

    static let hosts = 5
    static let pagesOfHost = 9
    static var count: Int { hosts * pagesOfHost }

    let kinds: [Kind]
    let links: [[Int]]

    init(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        var kinds: [Kind] = []
        var links: [[Int]] = []
        for page in 0..<Self.count {
            // Redirects and canonical links lead to plain pages, which each host begins with.
            let plain = page / Self.pagesOfHost * Self.pagesOfHost + number(below: 4)
            let isPlain = page % Self.pagesOfHost < 4
            switch isPlain ? 9 : number(below: 10) {
            case 0...1: kinds.append(.redirect(to: number(below: Self.hosts) * Self.pagesOfHost + number(below: 4)))
            case 2: kinds.append(.canonical(plain))
            case 3: kinds.append(.feed)
            default: kinds.append(.page)
            }
            // Few links, so that some pages are far away.
            var targets = [number(below: 3) == 0 ? number(below: Self.count) : page + 1 < Self.count ? page + 1 : 0]
            if number(below: 3) == 0 { targets.append(number(below: Self.count)) }
            // Entries of other hosts do not count in a feed.
            if case .feed = kinds[page] {
                targets = targets.map { page / Self.pagesOfHost * Self.pagesOfHost + $0 % Self.pagesOfHost }
            }
            links.append(targets)
        }
        (self.kinds, self.links) = (kinds, links)
    }

    static func url(_ page: Int) -> String { "https://s\(page / pagesOfHost).test/p\(page % pagesOfHost)" }

    /// The pages that a breadth-first search reaches.
    func reached(from seeds: [Int], within depth: Int) -> Set<String> {
        var depths = [Int: Int]()
        var line = seeds.map { ($0, 0) }
        while !line.isEmpty {
            line.sort { $0.1 > $1.1 }
            guard let (page, away) = line.popLast(), away <= depth, depths[page] == nil else { continue }
            depths[page] = away
            switch kinds[page] {
            case .redirect(let target): line.append((target, away))
            case .canonical(let target):
                line.append((target, away))
                line += links[page].map { ($0, away + 1) }
            case .page, .feed: line += links[page].map { ($0, away + 1) }
            }
        }
        return Set(depths.keys.map(Self.url))
    }

    /// - Parameter slowHost: a host that takes long for each page.
    func show(in web: FakeWeb, slowHost: Int) {
        for page in 0..<Self.count {
            let url = Self.url(page)
            let links = links[page].map(Self.url)
            switch kinds[page] {
            case .page: web.page(url, links: links)
            case .redirect(let target): web[url] = [.redirect(to: Self.url(target))]
            case .canonical(let target): web.page(url, links: links, canonical: Self.url(target))
            case .feed:
                let entries = links.map { "<item><link>\($0)</link></item>" }.joined()
                var feed = FakeWeb.Answer.xml("<rss version='2.0'><channel>\(entries)</channel></rss>")
                feed.headers = [("Content-Type", "application/rss+xml")]
                web[url] = [feed]
            }
            if page / Self.pagesOfHost == slowHost { web[url] = web[url].map { $0.taking(.seconds(4)) } }
        }
    }
}

/// The pages of a crawl with `max_depth` are those of a breadth-first search, in whatever order they are visited.
@Suite struct DepthTests {
    private static let depth = 4
    private static let seeds = [0, 20]

    private static func configure(_ configuration: inout CrawlConfiguration) {
        configuration.scope.follow = .any
        configuration.scope.sitemaps = false
        configuration.scope.maximumDepth = depth
        configuration.records = .all
    }

    /// A web whose hosts are slow by chance, so that long ways may be faster.
    private static func web(_ web: SmallWeb, latencySeed: UInt64) -> FakeWeb {
        let made = FakeWeb(time: MadeUpTime(), latencySeed: latencySeed, slowest: .seconds(3))
        web.show(in: made, slowHost: Int(latencySeed) % SmallWeb.hosts)
        return made
    }

    private static func pages(_ web: FakeWeb) -> Set<String> { Set(web.visited) }

    @Test(arguments: 1...40)
    func `one machine visits what a breadth-first search finds`(number: Int) async throws {
        let small = SmallWeb(seed: UInt64(number))
        let expected = small.reached(from: Self.seeds, within: Self.depth)
        let seeds = Self.seeds.map(SmallWeb.url)
        let memory = Self.web(small, latencySeed: UInt64(number))
        let crawl = try await FakeCrawl.run(memory, seeds: seeds, configure: Self.configure)
        #expect(Self.pages(memory) == expected, "in memory")
        let told = crawl.records.map { [$0.uniqueIdentifier] + $0.seeds }
        #expect(Set(told).count == told.count, "a record comes twice only if another seed is nearer")

        let kept = Self.web(small, latencySeed: UInt64(number))
        var configuration = CrawlConfiguration()
        Self.configure(&configuration)
        let (settled, folder) = (configuration, StorageFolder())
        let list = try Seeds.parse(seeds.joined(separator: "\n"), file: "seeds.txt")
        let storage = try folder.open()
        _ = try await kept.time.run {
            let frontier = try storage.frontier(
                recrawl: settled.recrawl, limits: FrontierLimits(settled, seeds: list.count), date: { kept.time.date },
                executor: kept.time.actors)
            return try await Crawler(
                configuration: settled, seeds: list, fetcher: kept, frontier: frontier, clock: kept.time.clock
            ).run()
        }
        #expect(Self.pages(kept) == expected, "in a storage")
        let wrong = try await storage.database.read { try KeptCounts.differences($0).first.map(\.description) }
        #expect(wrong.isEmpty)
    }

    @Test(arguments: 1...40)
    func `so do shards, whatever comes late`(number: Int) async throws {
        let small = SmallWeb(seed: UInt64(number))
        let job = try ShardsUnderTest(
            2 + number % 2, seeds: Self.seeds.map(SmallWeb.url), web: Self.web(small, latencySeed: UInt64(number)))
        Self.configure(&job.configuration)
        try await job.runToEnd(epoch: .seconds(number % 3 == 0 ? 600 : 120))
        #expect(Self.pages(job.web) == small.reached(from: Self.seeds, within: Self.depth))
        for depths in job.toldDepths.values {
            #expect(zip(depths, depths.dropFirst()).allSatisfy { $0 > $1 }, "told again only if nearer")
        }
    }
}
