import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What a crawl shows to an observer, and that nothing else changes by it.
@Suite struct VisitObserverTests {
    private final class Witness: VisitObserver {
        private let seen = Mutex<[VisitObservation]>([])

        func observe(_ visit: VisitObservation) -> KeptObservation? {
            seen.withLock { $0.append(visit) }
            return nil
        }

        func visits(of url: String) -> [VisitObservation] {
            seen.withLock { $0.filter { $0.request.url.href == url } }
        }
    }

    /// A page, a redirect to it, one that asks not to be indexed, a copy, a file, one that robots.txt closes, and one that fails.
    private static func site() -> FakeWeb {
        let web = FakeWeb(time: MadeUpTime())
        web.robots("https://a.test", "User-agent: *\nDisallow: /closed")
        web.page("https://a.test/", links: ["/old", "/hidden", "/copy", "/file", "/closed", "/down", "/1"])
        web.page("https://a.test/1")
        web["https://a.test/old"] = [.redirect(to: "/1")]
        web["https://a.test/hidden"] = [.html("<title>x</title><meta name=robots content=noindex>")]
        web["https://a.test/copy"] = [.html("<title>x</title><link rel=canonical href=\"/1\">")]
        web["https://a.test/file"] = [
            FakeWeb.Answer(headers: [("Content-Type", "text/html")], body: "%PDF-1.7 no page")
        ]
        web["https://a.test/down"] = [.status(503)]
        return web
    }

    @Test func `every visit is shown once, with what its steps saw`() async throws {
        let witness = Witness()
        _ = try await FakeCrawl.run(
            Self.site(), seeds: ["https://a.test/"], configure: { $0.fetch.retries = 1 },
            observer: { _, _ in witness })
        func only(_ path: String) throws -> VisitObservation {
            let visits = witness.visits(of: "https://a.test" + path).filter { !$0.isRepeated }
            return try #require(visits.count == 1 ? visits.first : nil, "\(path)")
        }
        let page = try only("/1")
        #expect(page.outcome == .recorded && page.seen.page != nil && page.seen.answer?.status == 200)
        #expect(page.seen.conclusion?.record != nil && page.seen.verification != nil)
        #expect(try only("/old").seen.answer?.redirect != nil)
        let hidden = try only("/hidden")
        #expect(hidden.outcome == .noindex && hidden.seen.page != nil && hidden.seen.verification == nil)
        let copy = try only("/copy")
        #expect(copy.seen.page != nil && copy.seen.conclusion == nil)
        let file = try only("/file")
        #expect(file.outcome == .notAPage("application/pdf") && file.seen.page == nil && file.seen.answer != nil)
        let closed = try only("/closed")
        #expect(closed.outcome == .disallowed && closed.seen.answer == nil)
        guard case .success(let rules)? = closed.robots else {
            Issue.record("The visit has no rules.")
            return
        }
        #expect(!rules.decision(for: closed.request.url).isAllowed)
        #expect(witness.visits(of: "https://a.test/down").map(\.isRepeated) == [true, false])
    }

    @Test func `a crawl that is watched records the same as one that is not`() async throws {
        let alone = try await FakeCrawl.run(Self.site(), seeds: ["https://a.test/"])
        let watched = try await FakeCrawl.run(
            Self.site(), seeds: ["https://a.test/"], observer: { _, _ in Witness() })
        #expect(watched.recorded == alone.recorded && watched.outcomes == alone.outcomes)
        #expect(watched.records.map(\.contentHash) == alone.records.map(\.contentHash))
        #expect(watched.web.log.map(\.url) == alone.web.log.map(\.url))
    }
}
