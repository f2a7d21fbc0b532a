import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What both frontiers promise.
@Suite struct FrontierTests {
    private func urls(_ requests: [CrawlRequest]) -> [String] { requests.map(\.url.href) }

    @Test(arguments: FrontierKind.allCases)
    func `a URL is known once, however it is spelled`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        let first = try await frontier.add([
            .page("https://a.test/x"), .page("https://a.test/x#top"), .page("https://a.test/x?utm_source=mail"),
        ])
        #expect(first.added == 1)
        #expect(try await frontier.add([.page("https://a.test/%78", depth: 2)]).added == 0)
        #expect(try await frontier.unfinishedCount() == 1)
        #expect(try await urls(frontier.lease(limit: 10, perHost: 10)) == ["https://a.test/x"])
        #expect(try await frontier.add([.page("https://a.test/x")]).added == 0)
        #expect(try await frontier.unfinishedCount() == 1)
    }

    @Test(arguments: FrontierKind.allCases)
    func `schemes, ports and hosts make different URLs, and a sitemap is not the page at its address`(
        kind: FrontierKind
    ) async throws {
        let frontier = try kind.make().frontier
        var sitemap = CrawlRequest.page("https://a.test/x", depth: 1)
        sitemap.target = .sitemap(host: "a.test", level: 1)
        let all: [CrawlRequest] = [
            .page("https://a.test/x"), .page("http://a.test/x"), .page("https://a.test:8443/x"),
            .page("https://b.test/x"), .page("https://[::1]/x"), sitemap,
        ]
        #expect(try await frontier.add(all).added == all.count)
        let leased = try await frontier.lease(limit: 10, perHost: 10)
        #expect(Set(urls(leased)) == Set(urls(all)))
        #expect(leased.first { !$0.isPage }?.target == .sitemap(host: "a.test", level: 1))
    }

    @Test(arguments: FrontierKind.allCases)
    func `a request comes back as it went in`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        let seed = Seed(
            url: try #require(WebURL("https://a.test/#seed")), kind: .support, storeIdentifier: "42",
            bundleIdentifier: "test.a", packageName: "test.b", landingHosts: ["b.test"])
        var request = CrawlRequest(seed: seed)
        request.redirects = [try #require(WebURL("https://a.test/old"))]
        request.sitemap.alternates = ["android-app://test.b/x", "ios-app://42/x"]
        request.sitemap.news = SitemapFacts.News(
            title: "High “water”", publication: "Courier", language: "de", keywords: "a, b",
            published: "2026-11-20")
        request.sitemap.images = [SitemapFacts.Image(url: "https://c.test/1.jpg", alt: "River")]
        request.sitemap.videos = [SitemapFacts.Video(content: "https://c.test/1.mp4", duration: "95")]
        request.ignoresCanonical = true
        _ = try await frontier.add([request])
        #expect(try await frontier.lease(limit: 1, perHost: 1) == [request])
    }

    @Test(arguments: FrontierKind.allCases)
    func `what is nearest to a seed goes first, sitemaps before pages, hosts in turn`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        var sitemap = CrawlRequest.page("https://a.test/map", depth: 1)
        sitemap.target = .sitemap(host: "a.test", level: 0)
        _ = try await frontier.add([
            .page("https://a.test/far", depth: 5), .page("https://b.test/1", depth: 1), .page("https://a.test/near"),
            .page("https://a.test/2", depth: 2), .page("https://b.test/2", depth: 1), sitemap,
        ])
        #expect(
            try await urls(frontier.lease(limit: 10, perHost: 3)) == [
                "https://a.test/map", "https://a.test/near", "https://a.test/2", "https://b.test/1", "https://b.test/2",
            ])
    }

    @Test(arguments: FrontierKind.allCases)
    func `a shorter way brings a URL forward, and of two ways of one length the smaller seed counts`(
        kind: FrontierKind
    ) async throws {
        let frontier = try kind.make().frontier
        _ = try await frontier.add([
            .page("https://a.test/1", depth: 2), .page("https://a.test/2", depth: 3, seed: "https://m.test/"),
        ])
        _ = try await frontier.add([
            .page("https://a.test/2", depth: 1, seed: "https://m.test/"),
            .page("https://a.test/2", depth: 1, seed: "https://k.test/"),
            .page("https://a.test/2", depth: 1, seed: "https://z.test/"),
            .page("https://a.test/1", depth: 6),
        ])
        let leased = try await frontier.lease(limit: 10, perHost: 10)
        #expect(urls(leased) == ["https://a.test/2", "https://a.test/1"])
        #expect(leased.map(\.depth) == [1, 2])
        #expect(leased[0].seed.url.href == "https://k.test/")
    }

    @Test(arguments: FrontierKind.allCases)
    func `a nearer way that is found after a visit goes on to where the page leads`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        func next() async throws -> CrawlRequest { try #require(try await frontier.lease(limit: 1, perHost: 9).first) }
        _ = try await frontier.add([.page("https://a.test/x", depth: 5)])
        _ = try await frontier.finish(.of(try await next(), found: [.page("https://a.test/y", depth: 6)]))
        var cut = FinishedVisit.of(try await next(), found: [])
        cut.isCut = true
        _ = try await frontier.finish(cut)
        #expect(try await frontier.unfinishedCount() == 0)
        #expect(try await frontier.add([.page("https://a.test/x", depth: 5)]).hostsInNeed == 0)
        // Only what was cut is visited again, whole, and as far away as it is now.
        _ = try await frontier.add([.page("https://a.test/x", depth: 2)])
        let again = try await next()
        #expect(again.url.href == "https://a.test/y" && again.depth == 3 && again.previous?.hasValidators == false)
        #expect(try await frontier.lease(limit: 9, perHost: 9).isEmpty)
        _ = try await frontier.finish(.of(again, found: [.page("https://a.test/z", depth: 4)]))
        #expect(try await next().url.href == "https://a.test/z")
    }

    @Test(arguments: FrontierKind.allCases)
    func `a nearer way that is found during a visit counts for what it finds`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        func next() async throws -> CrawlRequest { try #require(try await frontier.lease(limit: 1, perHost: 9).first) }
        _ = try await frontier.add([.page("https://a.test/x", depth: 5)])
        let visit = try await next()
        _ = try await frontier.add([.page("https://a.test/x", depth: 2)])
        _ = try await frontier.finish(.of(visit, found: [.page("https://a.test/y", depth: 6)]))
        let found = try await next()
        #expect(found.url.href == "https://a.test/y" && found.depth == 3)
        _ = try await frontier.add([.page("https://a.test/y", depth: 1)])
        var cut = FinishedVisit.of(found)
        cut.isCut = true
        _ = try await frontier.finish(cut)
        let again = try await next()
        #expect(again.url.href == "https://a.test/y" && again.depth == 1)
    }

    @Test(arguments: FrontierKind.allCases)
    func `no host has more than its share leased, and says so when it needs more`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        let change = try await frontier.add((0..<10).map { .page("https://a.test/\($0)") })
        #expect(change.hostsInNeed == 1)
        let leased = try await frontier.lease(limit: 100, perHost: 4)
        #expect(leased.count == 4)
        #expect(try await frontier.lease(limit: 100, perHost: 4).isEmpty)
        #expect(try await frontier.finish(.of(leased[0])).hostsInNeed == 0)
        #expect(try await frontier.finish(.of(leased[1])).hostsInNeed == 1)
        #expect(try await urls(frontier.lease(limit: 100, perHost: 4)) == ["https://a.test/4", "https://a.test/5"])
        #expect(try await frontier.unfinishedCount() == 8)
    }

    @Test(arguments: FrontierKind.allCases)
    func `a limit is kept and the hosts that were passed over come next`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        _ = try await frontier.add(
            ["a", "b", "c"].flatMap { host in (0..<3).map { .page("https://\(host).test/\($0)") } })
        #expect(
            try await urls(frontier.lease(limit: 4, perHost: 2)) == [
                "https://a.test/0", "https://a.test/1", "https://b.test/0", "https://b.test/1",
            ])
        #expect(try await urls(frontier.lease(limit: 4, perHost: 2)) == ["https://c.test/0", "https://c.test/1"])
    }

    @Test(arguments: FrontierKind.allCases)
    func `what is released is leased again`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        _ = try await frontier.add([.page("https://a.test/1"), .page("https://b.test/1")])
        let leased = try await frontier.lease(limit: 10, perHost: 1)
        try await frontier.release(leased)
        #expect(try await frontier.unfinishedCount() == 2)
        #expect(try await Set(urls(frontier.lease(limit: 10, perHost: 1))) == Set(urls(leased)))
    }

    @Test(arguments: FrontierKind.allCases)
    func `a visit's outlinks are queued, its own URL is not`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        _ = try await frontier.add([.page("https://a.test/")])
        let home = try await frontier.lease(limit: 1, perHost: 9)[0]
        let change = try await frontier.finish(
            .of(
                home,
                found: [
                    .page("https://a.test/1", depth: 1), .page("https://a.test/", depth: 1),
                    .page("https://b.test/", depth: 1), .page("https://a.test/1", depth: 1),
                ]))
        #expect(change.added == 2)
        #expect(change.hostsInNeed == 2)
        #expect(try await urls(frontier.lease(limit: 9, perHost: 9)) == ["https://a.test/1", "https://b.test/"])
    }

    @Test(arguments: FrontierKind.allCases)
    func `a redirect is followed when its target is new`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        _ = try await frontier.add([.page("https://a.test/1"), .page("https://a.test/2")])
        let leased = try await frontier.lease(limit: 9, perHost: 9)
        var target = CrawlRequest.page("https://a.test/3")
        target.discovery = .redirect
        let outcome = VisitOutcome.redirected(to: target.url, permanent: false)
        #expect(try await frontier.finish(.of(leased[0], outcome, found: [target])).followed)
        #expect(try await frontier.finish(.of(leased[1], outcome, found: [target])).followed == false)
    }

    @Test(arguments: FrontierKind.allCases)
    func `what sitemaps say is kept with a queued URL and handed on for a leased one`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        _ = try await frontier.add([.page("https://a.test/map"), .page("https://a.test/1")])
        let leased = try await frontier.lease(limit: 2, perHost: 2)
        var one = CrawlRequest.page("https://a.test/1", depth: 1)
        one.sitemap.alternates = ["ios-app://1/a"]
        var two = CrawlRequest.page("https://a.test/2", depth: 1)
        two.sitemap.alternates = ["ios-app://1/b"]
        let change = try await frontier.finish(.of(leased[0], found: [one, two]))
        #expect(change.lateSitemapFacts == [one.key: SitemapFacts(alternates: ["ios-app://1/a"])])
        two.sitemap.alternates = ["ios-app://1/a", "ios-app://1/b", "ios-app://1/c"]
        two.sitemap.images = [SitemapFacts.Image(url: "https://c.test/1.jpg")]
        _ = try await frontier.add([two])
        two.sitemap.images = [SitemapFacts.Image(url: "https://c.test/2.jpg")]
        _ = try await frontier.add([two])
        #expect(try await frontier.lease(limit: 2, perHost: 2).map(\.sitemap) == [two.sitemap])
    }

    @Test(arguments: FrontierKind.allCases)
    func `nothing of a suspended host is leased before its time`(kind: FrontierKind) async throws {
        let test = try kind.make()
        let frontier = test.frontier
        _ = try await frontier.add([.page("https://a.test/1"), .page("https://b.test/1")])
        let leased = try await frontier.lease(limit: 9, perHost: 9)
        try await frontier.suspend(hosts: ["a.test"], until: test.calendar.now + 60)
        try await frontier.release(leased)
        #expect(try await urls(frontier.lease(limit: 9, perHost: 9)) == ["https://b.test/1"])
        #expect(try await frontier.unfinishedCount() == 2)
        test.calendar.advance(61)
        _ = try await frontier.add([.page("https://a.test/2", depth: 1)])
        #expect(try await urls(frontier.lease(limit: 9, perHost: 9)) == ["https://a.test/1", "https://a.test/2"])
    }

    // MARK: Canonical pages

    private func canonical(_ text: String) throws -> VisitOutcome { .duplicate(of: try #require(WebURL(text))) }

    private func found(_ text: String) -> CrawlRequest {
        var request = CrawlRequest.page(text)
        request.discovery = .canonical
        return request
    }

    @Test(arguments: FrontierKind.allCases)
    func `a page that names a good canonical page is done`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        _ = try await frontier.add([.page("https://a.test/print")])
        let print = try await frontier.lease(limit: 9, perHost: 9)[0]
        let change = try await frontier.finish(
            .of(print, canonical("https://a.test/page"), found: [found("https://a.test/page")]))
        #expect(change.followed && change.added == 1)
        let page = try await frontier.lease(limit: 9, perHost: 9)
        #expect(urls(page) == ["https://a.test/page"])
        _ = try await frontier.finish(.of(page[0]))
        #expect(try await frontier.unfinishedCount() == 0)
    }

    @Test(arguments: FrontierKind.allCases)
    func `a page whose canonical page turns out bad is visited for itself`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        _ = try await frontier.add([.page("https://a.test/1"), .page("https://a.test/2")])
        let leased = try await frontier.lease(limit: 9, perHost: 9)
        for page in leased {
            _ = try await frontier.finish(
                .of(page, canonical("https://a.test/page"), found: [found("https://a.test/page")]))
        }
        let target = try await frontier.lease(limit: 9, perHost: 9)
        #expect(urls(target) == ["https://a.test/page"])
        _ = try await frontier.finish(.of(target[0], .gone(status: 404)))
        let again = try await frontier.lease(limit: 9, perHost: 9)
        #expect(Set(urls(again)) == ["https://a.test/1", "https://a.test/2"])
        #expect(again.map(\.ignoresCanonical) == [true, true])
    }

    @Test(arguments: FrontierKind.allCases)
    func `a canonical page that is known to be bad sends the page back at once`(kind: FrontierKind) async throws {
        let frontier = try kind.make().frontier
        _ = try await frontier.add([.page("https://a.test/page"), .page("https://a.test/1")])
        let leased = try await frontier.lease(limit: 9, perHost: 9)
        _ = try await frontier.finish(.of(leased[0], .gone(status: 404)))
        let change = try await frontier.finish(
            .of(leased[1], canonical("https://a.test/page"), found: [found("https://a.test/page")]))
        #expect(!change.followed)
        let again = try await frontier.lease(limit: 9, perHost: 9)
        #expect(urls(again) == ["https://a.test/1"])
        #expect(again.first?.ignoresCanonical == true)
    }

    @Test(arguments: FrontierKind.allCases, [[0, 1], [1, 0]])
    func `of two pages that name each other the smaller URL is filed`(kind: FrontierKind, order: [Int]) async throws {
        let frontier = try kind.make().frontier
        let names = ["https://a.test/1", "https://a.test/2"]
        _ = try await frontier.add(names.map { .page($0) })
        let leased = try await frontier.lease(limit: 9, perHost: 9)
        for index in order {
            _ = try await frontier.finish(
                .of(leased[index], canonical(names[1 - index]), found: [found(names[1 - index])]))
        }
        let again = try await frontier.lease(limit: 9, perHost: 9)
        #expect(urls(again) == ["https://a.test/1"])
        _ = try await frontier.finish(.of(try #require(again.first)))
        #expect(try await frontier.unfinishedCount() == 0)
    }
}
