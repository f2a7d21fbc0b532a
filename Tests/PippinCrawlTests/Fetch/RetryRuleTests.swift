import Testing

@testable import PippinCrawl

/// Whether and when a request is made again, for every cause.
@Suite struct RetryRuleTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        let cause: RequestFailure.Cause?
        /// The waits of the first and the second repetition, later.
        let later: [Duration?]
        /// The same at once, if the host has another address, and if it has none.
        let otherAddress: [Duration?]
        let sameAddress: [Duration?]

        init(
            _ cause: RequestFailure.Cause?, later: [Duration?] = [nil, nil], otherAddress: [Duration?] = [nil, nil],
            sameAddress: [Duration?] = [nil, nil]
        ) {
            (self.cause, self.later, self.otherAddress, self.sameAddress) = (cause, later, otherAddress, sameAddress)
        }

        var testDescription: String { cause.map { "\($0)" } ?? "answered" }
    }

    private static let usual: [Duration?] = [.seconds(10), .seconds(20)]
    private static let atOnce: [Duration?] = [.zero, .zero]

    private static let rows: [Row] = [
        Row(nil),
        Row(.failed(.connectionFailed("reset")), later: usual, otherAddress: atOnce),
        Row(.failed(.timedOut("connect")), later: usual, otherAddress: atOnce),
        Row(.failed(.tooCostly("empty frames")), later: usual, otherAddress: atOnce),
        Row(.failed(.tls(.expired, reason: "x")), otherAddress: atOnce),
        Row(.failed(.tls(.handshake, reason: "x")), otherAddress: atOnce),
        Row(.failed(.truncatedBody), later: usual),
        Row(.failed(.protocolError("x")), later: usual),
        Row(.failed(.lookUpFailed("x")), later: usual),
        Row(.failed(.cancelled), later: usual),
        // Another version of HTTP helps, once and at once.
        Row(
            .failed(.endUncertain), later: [.zero, .seconds(20)], otherAddress: [.zero, nil],
            sameAddress: [.zero, nil]),
        // The next request is signed.
        Row(.failed(.signatureWanted(status: 401)), later: atOnce, otherAddress: atOnce, sameAddress: atOnce),
        Row(.failed(.hostNotFound)),
        Row(.failed(.addressRefused("10.0.0.1"))),
        Row(.failed(.notAllowed(.contactMissing))),
        Row(.failed(.bodyTooLarge(limit: 1))),
        Row(.failed(.badContentEncoding("x"))),
        Row(.status(429), later: usual), Row(.status(500), later: usual), Row(.status(503), later: usual),
        Row(.status(403)), Row(.status(404)),
        Row(.badRedirect("x")), Row(.redirectLoop), Row(.tooManyRedirects), Row(.readingTimedOut), Row(.hostLeft),
        Row(.disallowed("x")),
    ]

    @Test(arguments: rows)
    private func `each cause has its repetitions`(row: Row) {
        let settings = CrawlConfiguration.Fetch()
        func waits(_ rule: RetryRule, hasAnotherAddress: Bool = false) -> [Duration?] {
            (0...1).map {
                rule.wait(after: row.cause, attempt: $0, hasAnotherAddress: hasAnotherAddress, settings)
            }
        }
        #expect(waits(.later) == row.later)
        #expect(waits(.later, hasAnotherAddress: true) == row.later)
        #expect(waits(.atOnce, hasAnotherAddress: true) == row.otherAddress)
        #expect(waits(.atOnce) == row.sameAddress)
    }

    @Test func `a host's pages do not wait for all of its addresses`() {
        let waits = (0...3).map {
            RetryRule.atOnce.wait(
                after: .failed(.timedOut("connect")), attempt: $0, hasAnotherAddress: true, CrawlConfiguration.Fetch())
        }
        #expect(waits == [.zero, .zero, nil, nil])
    }

    @Test func `later has a limit, and the server may ask for more`() {
        var settings = CrawlConfiguration.Fetch()
        settings.retries = 2
        settings.retryDelay = .seconds(1)
        settings.maximumWait = .seconds(60)
        func wait(_ attempt: Int, _ retryAfter: Duration? = nil) -> Duration? {
            RetryRule.later.wait(after: .status(503), attempt: attempt, retryAfter: retryAfter, settings)
        }
        #expect([0, 1, 2, 3].map { wait($0) } == [.seconds(1), .seconds(2), nil, nil])
        #expect(wait(0, .seconds(30)) == .seconds(30))
        #expect(wait(0, .milliseconds(10)) == .seconds(1))
        // A longer one is for the next run.
        #expect(wait(0, .seconds(61)) == nil)
    }
}
