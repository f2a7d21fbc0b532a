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
        #expect(
            run.outcomes == [
                "https://shop.example.org/busy cannot be fetched: it answers with status \(status)", "200",
            ])
        #expect(pauses.last.map { $0 >= .seconds(40) } == true, "\(pauses)")
    }

    @Test func `a host that wants more rest than anybody waits for is not asked, and said to be`() async throws {
        web["https://shop.example.org/busy"] = [.status(503, headers: [("Retry-After", "3600")])]
        web.page("https://shop.example.org/mug")
        web.page("https://other.example.org/mug")
        let run = try await fetch([
            "https://shop.example.org/busy", "https://shop.example.org/mug", "https://other.example.org/mug",
        ])
        #expect(run.outcomes[1].contains("shop.example.org wants no request for 3600 s more"), "\(run.outcomes)")
        #expect(run.outcomes[2] == "200")
        #expect(web.visited == ["https://shop.example.org/busy", "https://other.example.org/mug"])
        #expect(web.time.now < .seconds(60))
    }

    @Test func `private hosts that ask for nothing are not waited for`() async throws {
        for page in 1...3 { web["http://127.0.0.1/\(page)"] = [FakeWeb.Answer.html("x").taking(.milliseconds(1))] }
        _ = try await fetch((1...3).map { "http://127.0.0.1/\($0)" })
        #expect(pauses.dropFirst().allSatisfy { $0 < .seconds(1) }, "\(pauses)")
    }

    // MARK: Several at the same time

    /// Fetches each list of URLs one after the other, and the lists at the same time, on one schedule.
    private func fetchTogether(_ lists: [[String]]) async throws -> [[String]] {
        var configuration = CrawlConfiguration()
        configuration.agent.contact = Self.contact
        let settled = configuration
        return try await web.time.run { [web] in
            let root = SingleFetch(configuration: settled, fetcher: web, clock: web.time.clock)
            return await withTaskGroup(of: (Int, [String]).self) { group in
                for (number, list) in lists.enumerated() {
                    group.addTask {
                        var single = SingleFetch(
                            configuration: settled, fetcher: web, after: root, keepsRules: true)
                        var outcomes: [String] = []
                        for address in list {
                            guard let url = WebURL(address) else { continue }
                            switch await single.fetch(url, purpose: .page) {
                            case .success(let response): outcomes.append("\(response.status)")
                            case .failure(let failure): outcomes.append("\(failure)")
                            }
                        }
                        return (number, outcomes)
                    }
                }
                var all = lists.map { _ in [String]() }
                for await (number, outcomes) in group { all[number] = outcomes }
                return all
            }
        }
    }

    @Test func `those that fetch at the same time share one schedule, and no host is asked twice at once`() async throws
    {
        for host in ["a", "b", "c"] {
            for page in 1...3 {
                web["https://\(host).example.org/\(page)"] = [FakeWeb.Answer.html("x").taking(.seconds(2))]
            }
        }
        // Each list also asks the host that all share, as pages do for pictures.
        for page in 1...3 { web["https://cdn.example.net/\(page)"] = [FakeWeb.Answer.html("x").taking(.seconds(3))] }
        let lists = ["a", "b", "c"].enumerated().map { number, host in
            (1...3).map { "https://\(host).example.org/\($0)" } + ["https://cdn.example.net/\(number + 1)"]
        }
        let outcomes = try await fetchTogether(lists)
        #expect(outcomes == lists.map { $0.map { _ in "200" } })
        for (host, requests) in Dictionary(grouping: web.log, by: \.host) {
            let ordered = requests.sorted { $0.start < $1.start }
            #expect(requests.count >= 4, "\(host)")
            for (first, second) in zip(ordered, ordered.dropFirst()) {
                #expect(second.start - first.end >= .seconds(1), "\(host): \(first.end) \(second.start)")
            }
        }
        // The hosts did not wait for each other: one after the other would take more than 60 s.
        #expect(web.time.now < .seconds(45), "\(web.time.now)")
    }

    @Test func `one host's rest refuses only those that want this host`() async throws {
        web["https://busy.example.org/1"] = [.status(503, headers: [("Retry-After", "3600")])]
        for page in 1...2 { web.page("https://calm.example.org/\(page)") }
        let outcomes = try await fetchTogether([
            ["https://busy.example.org/1", "https://busy.example.org/2"],
            ["https://calm.example.org/1", "https://calm.example.org/2"],
        ])
        #expect(outcomes[0].last?.contains("wants no request for") == true, "\(outcomes)")
        #expect(outcomes[1] == ["200", "200"])
    }

    // MARK: Sitemaps

    private func sitemap(_ body: String) -> FakeWeb.Answer { .xml("<?xml version=\"1.0\"?>\n" + body) }

    @Test func `a sitemap's pages are listed through indexes, each once, without other hosts and within the limit`()
        async throws
    {
        func entries(_ urls: [String]) -> String {
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"
                + urls.map { "<url><loc>\($0)</loc></url>" }.joined() + "</urlset>"
        }
        let origin = "https://shop.example.org"
        web["\(origin)/sitemap.xml"] = [
            sitemap(
                "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"
                    + ["a", "b", "gone"].map { "<sitemap><loc>\(origin)/\($0).xml</loc></sitemap>" }.joined()
                    + "</sitemapindex>")
        ]
        web["\(origin)/a.xml"] = [sitemap(entries(["\(origin)/1", "\(origin)/2", "https://other.example/3"]))]
        web["\(origin)/b.xml"] = [sitemap(entries(["\(origin)/2", "\(origin)/4"]))]
        let start = try #require(WebURL("\(origin)/sitemap.xml"))
        var configuration = CrawlConfiguration()
        configuration.agent.contact = Self.contact
        let settled = configuration
        let (all, cut) = try await web.time.run { [web] in
            var single = SingleFetch(configuration: settled, fetcher: web, clock: web.time.clock)
            return (
                try await single.sitemapPages(at: start, maximum: 100),
                try await single.sitemapPages(at: start, maximum: 1)
            )
        }
        #expect(all.pages.map(\.href) == ["\(origin)/1", "\(origin)/2", "\(origin)/4"])
        #expect(all.foreignCount == 1 && all.sitemapCount == 3 && !all.hasMore)
        #expect(all.troubles.count == 1 && all.troubles[0].contains("gone.xml"))
        #expect(cut.pages.count == 1 && cut.hasMore)
    }
}
