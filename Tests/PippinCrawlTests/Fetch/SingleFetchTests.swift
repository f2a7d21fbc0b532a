import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Commands that look at one page keep the pauses of a crawl, by the crawl's own schedule.
@Suite struct SingleFetchTests {
    private let web = FakeWeb(time: MadeUpTime())
    private static let contact = "a@example.net"

    /// Fetches one URL after the other.
    ///
    /// - Returns: an outcome each, `200` or why there is none; and what was announced.
    private func fetch(_ addresses: [String]) async throws -> (outcomes: [String], announced: [String]) {
        let urls = try addresses.map { try #require(WebURL($0)) }
        var configuration = CrawlConfiguration()
        configuration.agent.contact = Self.contact
        let settled = configuration
        return try await web.time.run { [web] in
            let announced = Announcements()
            var single = SingleFetch(
                configuration: settled, fetcher: web, clock: web.time.clock, announce: { announced.add($0) })
            var outcomes: [String] = []
            for url in urls {
                switch await single.fetch(url, purpose: .page) {
                case .success(let response): outcomes.append("\(response.status)")
                case .failure(let failure): outcomes.append("\(failure)")
                }
            }
            return (outcomes, announced.all)
        }
    }

    private final class Announcements: Sendable {
        private let texts = Mutex<[String]>([])
        func add(_ text: String) { texts.withLock { $0.append(text) } }
        var all: [String] { texts.withLock { $0 } }
    }

    /// From the end of each exchange to the start of the next.
    private var pauses: [Duration] {
        let log = web.log.sorted { $0.start < $1.start }
        return zip(log, log.dropFirst()).map { $1.start - $0.end }
    }

    @Test func `a pause begins when an answer has ended, however long it took`() async throws {
        web["https://shop.example.org/robots.txt"] = [FakeWeb.Answer.text("").taking(.seconds(4))]
        web["https://shop.example.org/1"] = [FakeWeb.Answer.html("x").taking(.seconds(5))]
        web["https://shop.example.org/2"] = [.html("x")]
        let run = try await fetch(["https://shop.example.org/1", "https://shop.example.org/2"])
        #expect(run.outcomes == ["200", "200"])
        #expect(pauses.count == 2 && pauses.allSatisfy { $0 >= .seconds(1) }, "\(pauses)")
        // A slow host gets a longer pause, as in a crawl.
        #expect(pauses[1] >= .seconds(8), "\(pauses)")
    }

    @Test(arguments: ["https://shop.example.org", "http://127.0.0.1"])
    func `a crawl delay is kept, towards private hosts too`(origin: String) async throws {
        web.robots(origin, "User-agent: *\nCrawl-delay: 7")
        for page in 1...3 { web.page("\(origin)/\(page)") }
        let run = try await fetch((1...3).map { "\(origin)/\($0)" })
        #expect(run.outcomes == ["200", "200", "200"])
        #expect(pauses.allSatisfy { $0 >= .seconds(7) }, "\(pauses)")
        #expect(run.announced.count == 3)
        #expect(run.announced.first?.hasPrefix("waiting 7 s before ") == true, "\(run.announced)")
    }

    @Test(arguments: [429, 503])
    func `Retry-After is obeyed`(status: Int) async throws {
        web["https://shop.example.org/busy"] = [.status(status, headers: [("Retry-After", "40")])]
        web.page("https://shop.example.org/mug")
        let run = try await fetch(["https://shop.example.org/busy", "https://shop.example.org/mug"])
        #expect(run.outcomes == ["https://shop.example.org/busy answers with status \(status)", "200"])
        #expect(pauses.last.map { $0 >= .seconds(40) } == true, "\(pauses)")
    }

    @Test func `a host that wants more rest than anybody waits for is not asked, and said to be`() async throws {
        web["https://shop.example.org/busy"] = [.status(503, headers: [("Retry-After", "3600")])]
        web.page("https://shop.example.org/mug")
        web.page("https://other.example.org/mug")
        let run = try await fetch([
            "https://shop.example.org/busy", "https://shop.example.org/mug", "https://other.example.org/mug",
        ])
        #expect(run.outcomes[1].contains("shop.example.org wants to be left alone for 3600 s more"), "\(run.outcomes)")
        #expect(run.outcomes[2] == "200")
        #expect(web.visited == ["https://shop.example.org/busy", "https://other.example.org/mug"])
        #expect(web.time.now < .seconds(60))
    }

    @Test func `private hosts that ask for nothing are not waited for`() async throws {
        for page in 1...3 { web["http://127.0.0.1/\(page)"] = [FakeWeb.Answer.html("x").taking(.milliseconds(1))] }
        _ = try await fetch((1...3).map { "http://127.0.0.1/\($0)" })
        #expect(pauses.dropFirst().allSatisfy { $0 < .seconds(1) }, "\(pauses)")
    }
}
