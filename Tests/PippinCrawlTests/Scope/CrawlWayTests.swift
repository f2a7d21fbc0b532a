import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct CrawlWayTests {
    private static func seed(_ text: String, app: String? = nil, landed: [String] = []) throws -> Seed {
        Seed(url: try #require(WebURL(text)), storeIdentifier: app, landingHosts: landed)
    }

    private static func rule(_ seeds: [Seed], _ configure: (inout CrawlConfiguration.Scope) -> Void) -> WayRule {
        var configuration = CrawlConfiguration()
        configure(&configuration.scope)
        return WayRule(CrawlScope(configuration, seeds: seeds))
    }

    @Test func `the shorter way is nearer, then that of the smaller seed`() throws {
        let (a, b) = (try Self.seed("https://a.test/"), try Self.seed("https://b.test/"))
        func isNearer(_ way: CrawlWay, than known: CrawlWay) -> Bool {
            way.isNearer(than: known, to: "https://c.test/")
        }
        #expect(isNearer(CrawlWay(depth: 1, seed: b), than: CrawlWay(depth: 2, seed: a)))
        #expect(!isNearer(CrawlWay(depth: 2, seed: a), than: CrawlWay(depth: 1, seed: b)))
        for depth in 0...1 {
            #expect(isNearer(CrawlWay(depth: depth, seed: a), than: CrawlWay(depth: depth, seed: b)))
            #expect(!isNearer(CrawlWay(depth: depth, seed: b), than: CrawlWay(depth: depth, seed: a)))
            #expect(!isNearer(CrawlWay(depth: depth, seed: a), than: CrawlWay(depth: depth, seed: a)))
        }
    }

    @Test func `a seed's own page is its own, whatever redirects there`() throws {
        let (a, b) = (try Self.seed("https://a.test/"), try Self.seed("https://b.test/?utm_source=x"))
        let (fromA, own) = (CrawlWay(depth: 0, seed: a), CrawlWay(depth: 0, seed: b))
        #expect(own.isNearer(than: fromA, to: "https://b.test/"))
        #expect(!fromA.isNearer(than: own, to: "https://b.test/"))
    }

    @Test func `a seed of the list comes before one that is not in it any more`() throws {
        let (gone, a, b) = (
            try Self.seed("https://0.test/"), try Self.seed("https://a.test/"), try Self.seed("https://b.test/")
        )
        let rule = Self.rule([a, b]) { $0.follow = .any }
        func isNearer(_ seed: Seed, _ depth: Int, than known: Seed) -> Bool {
            rule.isNearer(
                CrawlWay(depth: depth, seed: seed), than: CrawlWay(depth: 2, seed: known), to: "https://c.test/")
        }
        #expect(isNearer(b, 2, than: gone) && !isNearer(gone, 2, than: b) && isNearer(gone, 1, than: b))
        #expect(isNearer(a, 2, than: b) && !isNearer(b, 2, than: a))
        #expect(
            rule.prefers(
                CrawlWay(depth: 2, seed: b), to: CrawlWay(depth: 2, seed: gone), of: "https://c.test/", isQueued: false)
        )
    }

    @Test func `ways of one length are compared after a visit only where records may name who led there`() throws {
        let (a, b) = (try Self.seed("https://a.test/"), try Self.seed("https://b.test/"))
        let (near, known) = (CrawlWay(depth: 2, seed: a), CrawlWay(depth: 2, seed: b))
        func compares(_ rule: WayRule, isQueued: Bool = false, by seed: Seed? = nil) -> Bool {
            rule.prefers(
                seed.map { CrawlWay(depth: 2, seed: $0) } ?? near, to: known, of: "https://c.test/", isQueued: isQueued)
        }
        #expect(compares(Self.rule([a, b]) { $0.follow = .any }))
        #expect(compares(Self.rule([a, b]) { $0.allowedHosts = ["c.test"] }))
        #expect(!compares(Self.rule([a, b]) { $0.follow = .host }))
        #expect(!compares(Self.rule([a, b]) { $0.follow = .domain }))
        #expect(!compares(Self.rule([a]) { $0.follow = .any }))
        #expect(!compares(WayRule(nil)) && compares(WayRule(nil), isQueued: true))
        // A host that a seed has no right to but by its redirect.
        let landed = try Self.seed("https://a.test/", landed: ["c.test"])
        #expect(compares(Self.rule([a, b]) { $0.follow = .host }, by: landed))
        let atHome = try Self.seed("https://a.test/", landed: ["www.a.test"])
        #expect(!compares(Self.rule([a, b]) { $0.follow = .host }, by: atHome))
    }

    @Test func `a way is not passed on to hosts that its seed does not cover`() throws {
        let (a, landed) = (try Self.seed("https://a.test/"), try Self.seed("https://b.test/", landed: ["c.test"]))
        let (way, known) = (CrawlWay(depth: 1, seed: a), CrawlWay(depth: 3, seed: landed))
        func passesOn(_ rule: WayRule, to host: String) -> Bool {
            rule.passesOn(way, over: known, to: "https://\(host)/x", host: host, isQueued: true)
        }
        let rule = Self.rule([a, landed]) { $0.follow = .host }
        #expect(!passesOn(rule, to: "c.test") && passesOn(rule, to: "b.test"))
        #expect(passesOn(Self.rule([a, landed]) { $0.follow = .any }, to: "c.test"))
        #expect(!passesOn(WayRule(nil), to: "c.test"))
    }

    @Test func `a record is another one if the apps of the seeds differ`() throws {
        let (a, b) = (try Self.seed("https://a.test/"), try Self.seed("https://b.test/", app: "1"))
        let rule = Self.rule([a, b, try Self.seed("https://d.test/", app: "1")]) { $0.follow = .any }
        #expect(
            rule.namedSeed(ofPageOn: "c.test", nearest: a) == a && rule.namedSeed(ofPageOn: "b.test", nearest: a) == nil
        )
        #expect(!rule.names(["https://b.test/"], like: a) && rule.names(["https://d.test/"], like: b))
        #expect(!rule.names(["https://unknown.test/"], like: a))
    }
}
