import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Every request, whatever it is for, keeps the same rules.
@Suite struct RequestGateTests {
    private struct Attempt: Sendable {
        let purpose: FetchRequest.Purpose
        let isRedirected: Bool
    }

    /// Every purpose there is, asked for in its place and where a redirect leads.
    private static let attempts = FetchRequest.Purpose.allCases.flatMap { purpose in
        [false, true].map { Attempt(purpose: purpose, isRedirected: $0) }
    }

    /// What the gate lets through to a web that answers everything with 404.
    private func failure(
        _ url: String, _ attempt: Attempt, permit: TurnPermit? = nil, isCrawl: Bool = true,
        configure: (inout CrawlConfiguration) -> Void = { _ in }
    ) async throws -> (failure: FetchError?, requests: Int) {
        var configuration = CrawlConfiguration()
        configure(&configuration)
        let scope = isCrawl ? CrawlScope(configuration, seeds: []) : nil
        let web = FakeWeb(time: MadeUpTime())
        let gate = RequestGate(web, configuration, scope: scope)
        let target = try #require(WebURL(url))
        var request = FetchRequest(url: target, purpose: attempt.purpose)
        request.isRedirected = attempt.isRedirected
        let permit = permit ?? TurnPermit(host: target.politenessHost, addresses: .success([]))
        let answer = await gate.fetch(request, permit)
        #expect(answer.wasAsked == !web.log.isEmpty)
        return (answer.result.failure, web.log.count)
    }

    @Test func `each purpose passes for a host that may be asked`() async throws {
        for attempt in Self.attempts {
            #expect(try await failure("https://a.test/x", attempt) == (nil, 1), "\(attempt)")
            #expect(
                try await failure("https://example.org/x", attempt) { $0.agent.contact = "a@example.net" } == (nil, 1))
        }
    }

    @Test(arguments: [true, false])
    func `without a contact no public host is asked, whatever for`(isCrawl: Bool) async throws {
        for attempt in Self.attempts {
            for contact in [nil, CrawlConfiguration.Agent.placeholderContact] {
                #expect(
                    try await failure("https://example.org/x", attempt, isCrawl: isCrawl) { $0.agent.contact = contact }
                        == (.notAllowed(.contactMissing), 0), "\(attempt)")
            }
        }
    }

    @Test func `nothing but http is asked, whatever for`() async throws {
        for attempt in Self.attempts {
            #expect(try await failure("ftp://a.test/x", attempt) == (.notAllowed(.notHTTP), 0), "\(attempt)")
        }
    }

    @Test func `what the operator leaves out is not asked for, nor what holds a password`() async throws {
        for attempt in Self.attempts {
            // The rules of a host that is visited are asked for in their place, also where all text is left out.
            let isOwnRules = attempt.purpose == .robots && !attempt.isRedirected
            let excluded: (FetchError?, Int) = isOwnRules ? (nil, 1) : (.notAllowed(.excluded), 0)
            #expect(
                try await failure("https://a.test/robots.txt", attempt) { $0.scope.exclude = ["*.txt"] } == excluded,
                "\(attempt)")
            #expect(try await failure("https://me:pw@a.test/x", attempt) == (.notAllowed(.credentials), 0))
        }
    }

    @Test func `a name without an address costs no request`() async throws {
        let permit = TurnPermit(host: "a.test", addresses: .failure(.hostNotFound))
        for attempt in Self.attempts {
            #expect(try await failure("https://a.test/x", attempt, permit: permit) == (.hostNotFound, 0))
        }
    }

    // MARK: In a crawl

    /// A host whose robots.txt redirects to another one, and what that one was asked for.
    private func crawl(
        redirectingTo target: String, configure: @escaping @Sendable (inout CrawlConfiguration) -> Void = { _ in }
    ) async throws -> (FakeCrawl, asked: [String]) {
        let web = FakeWeb(time: MadeUpTime())
        for host in ["a", "b", "c"] {
            web["https://\(host).test/robots.txt"] = [.redirect(to: target)]
            web.page("https://\(host).test/", links: ["/1"])
            web.page("https://\(host).test/1")
        }
        web[target] = [.text("User-agent: *\nAllow: /")]
        let crawl = try await FakeCrawl.run(
            web, seeds: ["https://a.test/", "https://b.test/", "https://c.test/"], configure: configure)
        let host = try #require(WebURL(target)?.host)
        return (
            crawl, web.log.filter { $0.host == host }.map(\.url) + web.lookUps.filter { $0.host == host }.map(\.host)
        )
    }

    @Test func `robots redirected to a public host is not followed without a contact, and told`() async throws {
        let (crawl, asked) = try await crawl(redirectingTo: "https://example.org/rules")
        #expect(asked == [])
        #expect(crawl.records.isEmpty && crawl.outcomes == ["robots-unreachable": 3])
        let reason = try #require(crawl.summary.failedSeeds.first?.reason)
        #expect(reason.contains("https://example.org/rules is not asked for: its host is public"), "\(reason)")
    }

    @Test func `robots redirected to what the operator leaves out is not followed`() async throws {
        let (crawl, asked) = try await crawl(redirectingTo: "https://no.test/robots.txt") {
            $0.scope.exclude = ["https://no.test/*"]
        }
        #expect(asked == [])
        #expect(crawl.outcomes == ["robots-unreachable": 3])
    }

    @Test func `robots redirected to where the gate allows it is followed, as RFC 9309 asks`() async throws {
        let (crawl, asked) = try await crawl(redirectingTo: "https://example.org/rules") {
            $0.agent.contact = "a@example.net"
        }
        #expect(asked.filter { $0 == "https://example.org/rules" }.count == 3)
        #expect(crawl.records.count == 6)
    }

    @Test func `for one page robots is not followed to a public host without a contact`() async throws {
        let web = FakeWeb(time: MadeUpTime())
        web["https://a.test/robots.txt"] = [.redirect(to: "https://example.org/rules")]
        web.page("https://a.test/")
        let url = try #require(WebURL("https://a.test/"))
        let result = try await web.time.run {
            var single = SingleFetch(configuration: CrawlConfiguration(), fetcher: web, clock: web.time.clock)
            return await single.fetch(url, purpose: .page)
        }
        #expect(web.log.map(\.url) == ["https://a.test/robots.txt"])
        #expect(result.failure?.description.contains("https://example.org/rules is not asked for") == true)
    }
}
