import PippinPage
import Testing

@testable import PippinCrawl

/// Decisions at made-up instants.
@Suite struct PolitenessScheduleTests {
    private func schedule(
        delay: Duration = .seconds(1), connections: Int = 1, adaptive: Bool = false
    ) -> PolitenessSchedule {
        var configuration = CrawlConfiguration()
        configuration.politeness.delay = delay
        configuration.politeness.connectionsPerHost = connections
        configuration.politeness.adaptive = adaptive
        return PolitenessSchedule(PolitenessSchedule.Settings(configuration))
    }

    private func turn(_ url: String, depth: Int = 1) throws -> PolitenessSchedule.Turn {
        let url = try #require(WebURL(url))
        return .visit(CrawlRequest(url: url, depth: depth, seed: Seed(url: url), discovery: .outlink))
    }

    private func url(_ decision: PolitenessSchedule.Decision) -> String? {
        if case .start(.visit(let request)) = decision { request.url.href } else { nil }
    }

    private let quick = PolitenessSchedule.HostSign.answered(.milliseconds(100), isError: false)

    @Test func `an empty schedule is idle`() {
        var schedule = schedule()
        #expect(schedule.next(now: .zero) == .idle)
        #expect(schedule.isEmpty)
    }

    @Test func `a host in use is not due, and the delay counts from the end of its request`() throws {
        var schedule = schedule()
        schedule.add(try turn("https://a.test/1"), now: .zero)
        schedule.add(try turn("https://a.test/2"), now: .zero)
        #expect(url(schedule.next(now: .zero)) == "https://a.test/1")
        #expect(schedule.next(now: .seconds(60)) == .idle)
        #expect(schedule.finished(host: "a.test", sign: quick, now: .seconds(60)) == .goOn)
        #expect(schedule.next(now: .seconds(60)) == .wait(until: .seconds(61)))
        #expect(url(schedule.next(now: .seconds(61))) == "https://a.test/2")
    }

    @Test func `nearer to a seed goes first`() throws {
        var schedule = schedule()
        schedule.add(try turn("https://a.test/deep", depth: 5), now: .zero)
        schedule.add(try turn("https://a.test/near", depth: 1), now: .zero)
        #expect(url(schedule.next(now: .zero)) == "https://a.test/near")
    }

    @Test func `hosts take turns`() throws {
        var schedule = schedule(delay: .zero)
        for page in 0..<3 {
            for host in ["a", "b", "c"] { schedule.add(try turn("https://\(host).test/\(page)"), now: .zero) }
        }
        var order: [String] = []
        for step in 0..<9 {
            guard case .start(let turn) = schedule.next(now: .milliseconds(step)) else { continue }
            order.append(turn.host)
            _ = schedule.finished(host: turn.host, sign: quick, now: .milliseconds(step))
        }
        #expect(order.count == 9)
        #expect(Set(order[0..<3]) == ["a.test", "b.test", "c.test"])
        #expect(Set(order[3..<6]) == ["a.test", "b.test", "c.test"])
    }

    @Test func `several connections keep the delay between starts`() throws {
        var schedule = schedule(connections: 2)
        for page in 0..<3 { schedule.add(try turn("https://a.test/\(page)"), now: .zero) }
        #expect(url(schedule.next(now: .zero)) != nil)
        #expect(schedule.next(now: .zero) == .wait(until: .seconds(1)))
        #expect(url(schedule.next(now: .seconds(1))) != nil)
        #expect(schedule.next(now: .seconds(5)) == .idle)
    }

    @Test func `a turn without a request costs the host nothing`() throws {
        var schedule = schedule()
        schedule.add(try turn("https://a.test/1"), now: .zero)
        schedule.add(try turn("https://a.test/2"), now: .zero)
        _ = schedule.next(now: .zero)
        _ = schedule.finished(host: "a.test", sign: .untouched, now: .zero)
        #expect(url(schedule.next(now: .zero)) == "https://a.test/2")
    }

    @Test func `slow answers lengthen the delay, quick errors do not shorten it`() throws {
        var schedule = schedule(adaptive: true)
        schedule.add(try turn("https://a.test/1"), now: .zero)
        _ = schedule.next(now: .zero)
        _ = schedule.finished(host: "a.test", sign: .answered(.seconds(4), isError: false), now: .seconds(4))
        let slow = schedule.delay(host: "a.test")
        #expect(slow == .seconds(8))
        _ = schedule.finished(host: "a.test", sign: .answered(.milliseconds(1), isError: true), now: .seconds(20))
        #expect(schedule.delay(host: "a.test") == slow)
        _ = schedule.finished(host: "a.test", sign: .stumbled, now: .seconds(30))
        #expect(schedule.delay(host: "a.test") == slow * 2)
        _ = schedule.finished(host: "a.test", sign: .answered(.zero, isError: false), now: .seconds(40))
        #expect(schedule.delay(host: "a.test") < slow)
    }

    @Test func `trouble rests a host, twice as long each time, and longer when it asks`() throws {
        var schedule = schedule()
        schedule.add(try turn("https://a.test/1"), now: .zero)
        #expect(schedule.finished(host: "a.test", sign: .troubled(retryAfter: nil), now: .zero) == .goOn)
        #expect(schedule.next(now: .zero) == .wait(until: .seconds(10)))
        _ = schedule.finished(host: "a.test", sign: .troubled(retryAfter: nil), now: .seconds(10))
        #expect(schedule.next(now: .seconds(10)) == .wait(until: .seconds(30)))
        _ = schedule.finished(host: "a.test", sign: .troubled(retryAfter: .seconds(500)), now: .seconds(30))
        #expect(schedule.next(now: .seconds(30)) == .wait(until: .seconds(530)))
    }

    @Test func `a host that asks for too much, or fails too often, is left`() throws {
        var first = schedule()
        first.add(try turn("https://a.test/1"), now: .zero)
        let verdict = first.finished(host: "a.test", sign: .troubled(retryAfter: .seconds(3600)), now: .zero)
        #expect(verdict == .leave(until: .seconds(3600)))
        #expect(first.removeAll(host: "a.test").count == 1)
        #expect(first.isEmpty)

        var second = schedule()
        second.add(try turn("https://a.test/1"), now: .zero)
        var verdicts: [PolitenessSchedule.Verdict] = []
        for second_ in 0..<PolitenessSchedule.maximumFailuresInARow {
            verdicts.append(second.finished(host: "a.test", sign: .stumbled, now: .seconds(second_)))
        }
        #expect(verdicts.dropLast().allSatisfy { $0 == .goOn })
        #expect(verdicts.last != .goOn)
    }

    @Test func `a delayed request waits for its time while others go on`() throws {
        var schedule = schedule(delay: .zero)
        schedule.add(try turn("https://a.test/later"), notBefore: .seconds(30), now: .zero)
        schedule.add(try turn("https://a.test/now"), now: .zero)
        #expect(url(schedule.next(now: .zero)) == "https://a.test/now")
        _ = schedule.finished(host: "a.test", sign: quick, now: .zero)
        #expect(schedule.next(now: .zero) == .wait(until: .seconds(30)))
        #expect(url(schedule.next(now: .seconds(30))) == "https://a.test/later")
    }

    @Test func `a private host may be asked without delay, a public one not`() {
        let schedule = schedule(delay: .zero)
        for host in ["127.0.1.4", "10.0.0.1", "172.31.0.1", "192.168.1.1", "localhost", "x.test", "[::1]", "[fd00::1]"]
        {
            #expect(schedule.delay(host: host) == .zero, "\(host)")
        }
        for host in ["example.org", "8.8.8.8", "172.32.0.1", "[2001:db8::1]", "test.example", "fd00.example.org"] {
            #expect(schedule.delay(host: host) == .milliseconds(200), "\(host)")
        }
    }

    @Test func `many hosts are picked from quickly`() throws {
        var schedule = schedule()
        for host in 0..<20_000 { schedule.add(try turn("https://h\(host).test/"), now: .zero) }
        var started = 0
        while case .start = schedule.next(now: .zero) { started += 1 }
        #expect(started == 20_000)
        #expect(schedule.queuedCount == 0)
    }
}

@Suite struct RecrawlPolicyTests {
    private let policy = RecrawlPolicy(CrawlConfiguration.Recrawl())

    @Test func `change brings a page forward, sameness sends it back, within the limits`() {
        #expect(policy.interval(after: .firstVisit, previous: nil) == .seconds(86_400))
        #expect(policy.interval(after: .changed, previous: .seconds(86_400)) == .seconds(43_200))
        #expect(policy.interval(after: .unchanged, previous: .seconds(86_400)) == .seconds(129_600))
        #expect(policy.interval(after: .changed, previous: .seconds(3600)) == .seconds(3600))
        #expect(policy.interval(after: .unchanged, previous: .seconds(30 * 86_400)) == .seconds(30 * 86_400))
    }

    @Test func `a failure is looked at soon, an absence late`() {
        #expect(policy.interval(afterFailures: 1, rhythm: .seconds(86_400)) == .seconds(3600))
        #expect(policy.interval(afterFailures: 2, rhythm: .seconds(86_400)) == .seconds(7200))
        #expect(policy.interval(afterFailures: 70, rhythm: .seconds(86_400)) == .seconds(86_400))
        #expect(policy.interval(after: .absent, previous: nil) == .seconds(4 * 86_400))
    }
}
