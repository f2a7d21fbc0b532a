import Foundation
import Testing

@testable import PippinCrawl
@testable import PippinPage

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

    @Test(arguments: [(true, "https://a.test/near"), (false, "https://a.test/deep")])
    func `nearer to a seed goes first, or what was leased first`(nearestFirst: Bool, first: String) throws {
        var settings = PolitenessSchedule.Settings(CrawlConfiguration())
        settings.nearestFirst = nearestFirst
        var schedule = PolitenessSchedule(settings)
        schedule.add(try turn("https://a.test/deep", depth: 5), now: .zero)
        schedule.add(try turn("https://a.test/near", depth: 1), now: .zero)
        #expect(url(schedule.next(now: .zero)) == first)
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
        #expect(verdict == .suspend(until: .seconds(3600)))
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

    private func schedule(_ yaml: String) throws -> PolitenessSchedule {
        let configuration = try CrawlConfiguration(yaml: "politeness:\n  adaptive: false\n" + yaml, file: "test.yaml")
        return PolitenessSchedule(PolitenessSchedule.Settings(configuration), date: Date(timeIntervalSince1970: 0))
    }

    @Test func `hosts at one address are asked like one, as soon as it is known`() throws {
        var schedule = try schedule("  delay: 1s\n  delay_per_address: 3s")
        for host in ["a", "b", "c"] {
            for page in 0..<2 { schedule.add(try turn("https://\(host).test/\(page)"), now: .zero) }
        }
        for host in ["a", "b"] {
            #expect(url(schedule.next(now: .zero)) == "https://\(host).test/0")
            _ = schedule.finished(host: "\(host).test", sign: quick, address: "192.0.2.1", now: .milliseconds(500))
        }
        // The third is not known to be there.
        #expect(url(schedule.next(now: .milliseconds(600))) == "https://c.test/0")
        _ = schedule.finished(host: "c.test", sign: quick, address: "192.0.2.1", now: .milliseconds(700))
        #expect(schedule.next(now: .seconds(2)) == .wait(until: .milliseconds(3600)))
        #expect(schedule.hold(host: "a.test", now: .seconds(2)) == .address("192.0.2.1", until: .milliseconds(3600)))
        #expect(url(schedule.next(now: .milliseconds(3600))) == "https://a.test/1")
        _ = schedule.finished(host: "a.test", sign: quick, address: "192.0.2.1", now: .seconds(4))
        #expect(url(schedule.next(now: .milliseconds(6600))) == "https://b.test/1")
        // The host has moved: its answer tells.
        _ = schedule.finished(host: "b.test", sign: quick, address: "192.0.2.7", now: .seconds(7))
        #expect(url(schedule.next(now: .milliseconds(9600))) == "https://c.test/1")
    }

    @Test func `at an address hosts that were asked before and new ones take turns`() throws {
        var schedule = try schedule("  delay: 1s")
        // Earlier runs knew them all.
        for host in 0..<40 {
            let name = "h\(host).test"
            schedule.restore(
                HostClock(host: name, savedAt: Date(timeIntervalSince1970: 0), address: "192.0.2.1"), now: .zero)
        }
        for host in 0..<40 {
            for page in 0..<3 { schedule.add(try turn("https://h\(host).test/\(page)"), now: .zero) }
        }
        var order: [String] = []
        for second in 1...32 {
            while case .start(let turn) = schedule.next(now: .seconds(second)) {
                order.append(turn.host)
                _ = schedule.finished(host: turn.host, sign: quick, address: "192.0.2.1", now: .seconds(second))
            }
        }
        #expect(order.count == 32)
        // Every second one is new. In one line for all, the first would come back after forty.
        #expect((16...17).contains(Set(order).count), "\(order)")
    }

    @Test func `an address gets the delay of hosts, and a public one no less than any may have`() throws {
        let settings = PolitenessSchedule.Settings(CrawlConfiguration())
        #expect(settings.delay(address: "9.9.9.9") == .seconds(1))
        #expect(settings.delay(address: "2620:fe::fe") == .seconds(1))
        for address in ["127.0.0.1", "10.1.2.3", "::1", "fd00::1"] {
            #expect(settings.delay(address: address) == .seconds(1))
        }
        var configuration = CrawlConfiguration()
        configuration.politeness.delayPerAddress = .zero
        #expect(PolitenessSchedule.Settings(configuration).delay(address: "9.9.9.9") == .milliseconds(200))
        #expect(PolitenessSchedule.Settings(configuration).delay(address: "127.0.0.1") == .zero)
    }

    @Test func `the rate holds for all hosts together, and a turn without a request costs nothing of it`() throws {
        var schedule = try schedule("  max_requests_per_second: 4")
        for host in ["a", "b", "c"] { schedule.add(try turn("https://\(host).test/"), now: .zero) }
        #expect(url(schedule.next(now: .zero)) == "https://a.test/")
        #expect(schedule.next(now: .zero) == .wait(until: .milliseconds(250)))
        #expect(url(schedule.next(now: .milliseconds(250))) == "https://b.test/")
        _ = schedule.finished(host: "b.test", sign: .untouched, now: .milliseconds(250))
        #expect(url(schedule.next(now: .milliseconds(250))) == "https://c.test/")
    }

    @Test func `a host may have rules of its own, the most particular ones count`() throws {
        let schedule = try schedule(
            """
              delay: 2s
            hosts:
              example.org: { delay: 500ms, connections: 2 }
              "*.example.org": { delay: 4s }
              "*.a.example.org": { delay: 5s }
            """)
        for (host, delay) in [
            ("example.org", 500), ("b.example.org", 4000), ("c.b.example.org", 4000), ("b.a.example.org", 5000),
            ("a.example.org", 4000), ("example.net", 2000), ("myexample.org", 2000),
        ] {
            #expect(schedule.delay(host: host) == .milliseconds(delay), "\(host)")
        }
    }

    @Test func `quiet hours close the crawl or a host, or make it slower`() throws {
        // The calendar of the test begins at midnight.
        var closed = try schedule("  quiet_hours: 00:05-00:10")
        closed.add(try turn("https://a.test/"), now: .zero)
        #expect(closed.next(now: .seconds(5 * 60)) == .wait(until: .seconds(10 * 60)))
        #expect(url(closed.next(now: .seconds(10 * 60))) == "https://a.test/")

        var long = try schedule("  quiet_hours: 00:05-08:00")
        long.add(try turn("https://a.test/"), now: .zero)
        #expect(long.next(now: .seconds(300)) == .quiet(until: .seconds(8 * 3600)))

        var host = try schedule("hosts: { a.test: { quiet_hours: [\"00:05-08:00\"] } }")
        for name in ["a", "b"] { host.add(try turn("https://\(name).test/"), now: .zero) }
        #expect(host.next(now: .seconds(300)) == .suspend(host: "a.test", until: .seconds(8 * 3600)))
        #expect(host.removeAll(host: "a.test").count == 1)
        #expect(url(host.next(now: .seconds(300))) == "https://b.test/")

        var slow = try schedule("  quiet_hours: 00:05-00:10\n  quiet_delay: 40s")
        for page in 0..<3 { slow.add(try turn("https://a.test/\(page)"), now: .zero) }
        #expect(url(slow.next(now: .seconds(290))) != nil)
        _ = slow.finished(host: "a.test", sign: quick, now: .seconds(291))
        #expect(slow.next(now: .seconds(300)) == .wait(until: .seconds(331)))
        #expect(url(slow.next(now: .seconds(331))) != nil)
        _ = slow.finished(host: "a.test", sign: quick, now: .seconds(580))
        // From 00:10 on the plain delay is enough.
        #expect(slow.next(now: .seconds(590)) == .wait(until: .seconds(600)))
    }

    @Test func `a breaker opens, lets one probe through, and closes on an answer`() throws {
        var schedule = schedule(connections: 3)
        for page in 0..<9 { schedule.add(try turn("https://a.test/\(page)"), now: .zero) }
        for second in 0..<3 { #expect(url(schedule.next(now: .seconds(second))) != nil) }
        _ = schedule.finished(host: "a.test", sign: .troubled(retryAfter: nil), now: .seconds(3))
        #expect(schedule.breaker(host: "a.test").state == .open(until: .seconds(13)))
        // Asked before: it neither closes it nor counts twice.
        _ = schedule.finished(host: "a.test", sign: quick, now: .seconds(4))
        _ = schedule.finished(host: "a.test", sign: .troubled(retryAfter: nil), now: .seconds(5))
        #expect(schedule.breaker(host: "a.test").openings == 1)
        #expect(schedule.hold(host: "a.test", now: .seconds(6)) == .resting(until: .seconds(15), failuresInARow: 2))
        #expect(url(schedule.next(now: .seconds(15))) != nil)
        #expect(schedule.breaker(host: "a.test").state == .halfOpen)
        #expect(schedule.next(now: .seconds(60)) == .idle)
        _ = schedule.finished(host: "a.test", sign: .stumbled, now: .seconds(60))
        #expect(schedule.breaker(host: "a.test").state == .open(until: .seconds(80)))
        #expect(url(schedule.next(now: .seconds(80))) != nil)
        _ = schedule.finished(host: "a.test", sign: quick, now: .seconds(81))
        #expect(schedule.breaker(host: "a.test") == HostBreaker())
        #expect(url(schedule.next(now: .seconds(82))) != nil)
        #expect(url(schedule.next(now: .seconds(83))) != nil)
    }

    @Test func `what a run knew of a host is handed to the next`() throws {
        var settings = PolitenessSchedule.Settings(CrawlConfiguration())
        settings.notesChangedClocks = true
        let date = Date(timeIntervalSince1970: 1_000_000)
        var first = PolitenessSchedule(settings, date: date)
        first.add(try turn("https://a.test/"), now: .zero)
        _ = first.next(now: .zero)
        _ = first.finished(
            host: "a.test", sign: .troubled(retryAfter: .seconds(100)), address: "9.9.9.9", now: .seconds(1))
        first.setCrawlDelay(.seconds(7), host: "a.test")
        let clocks = first.takeChangedClocks(now: .seconds(11))
        #expect(clocks.map(\.host) == ["a.test"])
        #expect(clocks.first?.rest == .seconds(90))
        #expect(first.takeChangedClocks(now: .seconds(12)).isEmpty)
        let clock = try #require(clocks.first)
        let decoded = try JSONDecoder().decode(HostClock.self, from: JSONEncoder().encode(clock))
        #expect(decoded == clock)

        var second = PolitenessSchedule(settings, date: date.addingTimeInterval(41))
        second.restore(clock, now: .zero)
        #expect(second.knows(host: "a.test"))
        second.add(try turn("https://a.test/"), now: .zero)
        #expect(second.next(now: .zero) == .wait(until: .seconds(60)))
        _ = second.next(now: .seconds(60))
        #expect(second.breaker(host: "a.test").state == .halfOpen)
        _ = second.finished(host: "a.test", sign: .troubled(retryAfter: nil), now: .seconds(61))
        #expect(second.breaker(host: "a.test").state == .open(until: .seconds(81)))

        // A calendar that was set back: the rest is no longer than it was. Set forward: the delay holds all the same.
        var back = PolitenessSchedule(settings, date: date.addingTimeInterval(-86_400))
        back.restore(clock, now: .zero)
        #expect(back.hold(host: "a.test", now: .zero) == .nothingQueued)
        back.add(try turn("https://a.test/"), now: .zero)
        #expect(back.next(now: .zero) == .wait(until: .seconds(90)))
        var forward = PolitenessSchedule(settings, date: date.addingTimeInterval(86_400))
        forward.restore(clock, now: .zero)
        forward.add(try turn("https://a.test/"), now: .zero)
        #expect(forward.next(now: .zero) == .wait(until: .seconds(7)))
    }

    @Test func `runs shorter than the pause of a host in trouble bring it nearer`() throws {
        // After four failures in a row a host is asked every sixteen seconds. Ten are left of them.
        var clock = HostClock(
            host: "a.test", savedAt: Date(timeIntervalSince1970: 0), rest: .seconds(10), failuresInARow: 4)
        for run in 1...4 {
            var schedule = PolitenessSchedule(PolitenessSchedule.Settings(CrawlConfiguration()), date: clock.savedAt)
            schedule.restore(clock, now: .zero)
            schedule.add(try turn("https://a.test/"), now: .zero)
            #expect(schedule.next(now: .zero) == .wait(until: .seconds(12 - 2 * run)))
            clock = try #require(schedule.clocksToClose(now: .seconds(2)).first)
        }
    }

    @Test func `a run that goes on where another was killed begins with a pause`() throws {
        var schedule = try schedule("  delay: 1s\n  max_requests_per_second: 0.5")
        schedule.restore(HostClock(host: "a.test", savedAt: Date(timeIntervalSince1970: 0)), now: .zero)
        schedule.add(try turn("https://a.test/"), now: .milliseconds(10))
        #expect(schedule.hold(host: "a.test", now: .milliseconds(10)) == .delay(until: .seconds(1)))
        // Nor any other, as the rate of the whole crawl wants it.
        schedule.add(try turn("https://new.test/"), now: .milliseconds(10))
        #expect(schedule.next(now: .milliseconds(10)) == .wait(until: .seconds(2)))
    }

    @Test func `hosts that arrive later do not go before those who wait`() throws {
        var schedule = try schedule("  delay: 0s\n  max_requests_per_second: 1")
        schedule.add(try turn("https://old.test/1"), now: .zero)
        schedule.add(try turn("https://old.test/2"), now: .zero)
        var order: [String] = []
        for second in 0..<6 {
            // Each second brings more new hosts than the rate lets through.
            for number in 0..<2 {
                schedule.add(try turn("https://new\(second)-\(number).test/"), now: .seconds(second))
            }
            guard case .start(let turn) = schedule.next(now: .seconds(second)) else { continue }
            order.append(turn.host)
            _ = schedule.finished(host: turn.host, sign: quick, now: .seconds(second))
        }
        #expect(order.filter { $0 == "old.test" }.count == 2)
    }

    @Test func `a crawl delay that becomes known while a turn comes to nothing is kept`() throws {
        var schedule = schedule()
        for page in 1...3 { schedule.add(try turn("https://a.test/\(page)"), now: .zero) }
        #expect(url(schedule.next(now: .zero)) == "https://a.test/1")
        _ = schedule.finished(host: "a.test", sign: quick, now: .seconds(1))
        #expect(url(schedule.next(now: .seconds(2))) == "https://a.test/2")
        schedule.setCrawlDelay(.seconds(10), host: "a.test")
        _ = schedule.finished(host: "a.test", sign: .untouched, now: .seconds(2))
        #expect(schedule.next(now: .seconds(2)) == .wait(until: .seconds(11)))
    }

    @Test func `a host whose ordinary delay is longer than the longest wait is asked on`() throws {
        var schedule = schedule(delay: .seconds(900))
        for page in 1...2 { schedule.add(try turn("https://a.test/\(page)"), now: .zero) }
        #expect(url(schedule.next(now: .zero)) == "https://a.test/1")
        #expect(schedule.finished(host: "a.test", sign: quick, now: .seconds(1)) == .goOn)
        #expect(url(schedule.next(now: .seconds(901))) == "https://a.test/2")
        let pause = PolitenessSchedule.HostSign.troubled(retryAfter: .seconds(2000))
        #expect(schedule.finished(host: "a.test", sign: pause, now: .seconds(902)) == .suspend(until: .seconds(2902)))
    }

    @Test func `a turn whose answer was not waited for counts as a request, and as nothing else`() throws {
        var schedule = schedule()
        for page in 1...2 { schedule.add(try turn("https://a.test/\(page)"), now: .zero) }
        #expect(url(schedule.next(now: .zero)) == "https://a.test/1")
        #expect(schedule.finished(host: "a.test", sign: .abandoned, now: .seconds(5)) == .goOn)
        #expect(schedule.next(now: .seconds(5)) == .wait(until: .seconds(6)))
        #expect(schedule.breaker(host: "a.test") == HostBreaker())
        #expect(schedule.clocksToClose(now: .seconds(5)).map(\.rest) == [.seconds(1)])
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

    @Test(
        arguments: [
            // wait, seconds into the run, and what is left of the wait after the run's begin
            (86_400, 0, 85_800), (86_400, 5, 85_800), (86_400, 18_000, 85_800),
            // at most a quarter is given away
            (86_400, 21_600, 86_400), (86_400, 200_000, 264_800), (3600, 0, 3000), (3600, 3000, 5700), (60, 0, 45),
            // a clock that was set back: never due in the same run again
            (86_400, -50, 85_800), (86_400, -250_000, 85_800), (60, -90_000, 45),
        ] as [(Int64, Int64, Int64)])
    func `a page of every day is due in every night's run`(wait: Int64, into: Int64, due: Int64) {
        #expect(
            RecrawlPolicy.due(after: .seconds(wait), visitEndedAt: 1_000_000 + into, runBegan: 1_000_000) == 1_000_000
                + due)
    }
}
