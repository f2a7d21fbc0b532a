import Foundation
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Several processes ask one address, each in its slots of time.
@Suite struct AddressSlotsTests {
    @Test func `a slot opens for 50 ms, and the next of the same process a round later`() throws {
        let slots = try #require(AddressSlots(place: 1, of: 3))
        // Slots of 1,150 ms, from 1,150 ms on, in rounds of 3,450 ms.
        func wait(_ milliseconds: Int) -> Duration {
            slots.wait(at: Double(milliseconds) / 1000, delay: .seconds(1))
        }
        #expect(wait(0) == .milliseconds(1150))
        #expect(wait(1150) == .zero && wait(1199) == .zero)
        #expect(wait(1200) == .milliseconds(3400))
        #expect(wait(3450) == .milliseconds(1150))
        #expect(wait(3450 * 400_000_000 + 1160) == .zero)
        #expect(AddressSlots(place: 3, of: 3) == nil && AddressSlots(place: 0, of: 0) == nil)
        #expect(AddressSlots(place: 0, of: 1)?.coverAllTime == true)
    }

    @Test func `whatever two processes do, their requests to the address are the delay and 100 ms apart`() throws {
        var starts: [(time: Double, place: Int)] = []
        for place in 0..<3 {
            let slots = try #require(AddressSlots(place: place, of: 3))
            var now = 1_795_000_000.0 + Double(place) * 0.377
            for step in 0..<200 {
                now += slots.wait(at: now, delay: .milliseconds(300)) / .seconds(1)
                starts.append((now, place))
                now += 0.3 + Double(step % 7) * 0.041
            }
        }
        starts.sort { $0.time < $1.time }
        for (before, after) in zip(starts, starts.dropFirst()) where before.place != after.place {
            #expect(after.time - before.time >= 0.3999)
        }
    }

    @Test func `a host is asked at an address that was named, or left`() throws {
        var order = EpochOrder(epoch: 1, shard: try #require(Shard(0, of: 2)), duration: .seconds(60))
        try order.add(.v4(0xCB00_7108), try #require(AddressSlots(place: 0, of: 1)), line: 2)
        var configuration = CrawlConfiguration()
        configuration.lay(order)
        var settings = PolitenessSchedule.Settings(configuration)
        settings.looksUp = true
        var schedule = PolitenessSchedule(settings, date: Date(timeIntervalSince1970: 1_795_000_000))
        func add(_ text: String, now: Duration) throws {
            let url = try #require(WebURL(text))
            schedule.add(.visit(CrawlRequest(seed: Seed(url: url))), now: now)
        }
        try add("https://a.test/", now: .zero)
        #expect(schedule.next(now: .zero) == .lookUp(host: "a.test"))
        schedule.lookedUp(host: "a.test", .success([.v4(0xCB00_7107), .v4(0xCB00_7108)]), now: .zero)
        // Another shard may have asked it a moment before the turn began.
        #expect(schedule.next(now: .zero) == .wait(until: .seconds(1)))
        guard case .start = schedule.next(now: .seconds(1)) else {
            Issue.record("a.test is not asked")
            return
        }
        #expect(try schedule.permit(host: "a.test")?.addresses.get() == [.v4(0xCB00_7108)])
        for (number, host) in ["b.test", "203.0.113.9"].enumerated() {
            let now = Duration.seconds(2 + number)
            try add("https://\(host)/", now: now)
            if number == 0 {
                #expect(schedule.next(now: now) == .lookUp(host: host))
                schedule.lookedUp(host: host, .success([.v4(0xCB00_7107)]), now: now)
            }
            #expect(schedule.next(now: now) == .leave(host: host))
            #expect(schedule.removeAll(host: host).count == 1)
        }
        // What is not there needs no name.
        try add("https://c.test/", now: .seconds(5))
        #expect(schedule.next(now: .seconds(5)) == .lookUp(host: "c.test"))
        schedule.lookedUp(host: "c.test", .failure(.hostNotFound), now: .seconds(5))
        guard case .start = schedule.next(now: .seconds(5)) else {
            Issue.record("c.test is not told")
            return
        }
    }

    @Test func `the schedule starts requests to a shared address in its slots only`() throws {
        var configuration = CrawlConfiguration()
        configuration.agent.contact = "you@example.net"
        let shard = try #require(Shard(0, of: 2))
        var order = EpochOrder(epoch: 1, shard: shard, duration: .seconds(60))
        try order.add(.v4(0xCB00_7107), try #require(AddressSlots(place: 1, of: 2)), line: 2)
        configuration.lay(order)
        var schedule = PolitenessSchedule(
            PolitenessSchedule.Settings(configuration), date: Date(timeIntervalSince1970: 1_795_000_000))
        let seed = Seed(url: try #require(WebURL("https://a.test/")))
        for host in ["a.test", "b.test"] {
            for page in 0..<4 {
                let url = try #require(WebURL("https://\(host)/\(page)"))
                schedule.add(.visit(CrawlRequest(url: url, seed: seed, discovery: .outlink)), now: .zero)
            }
        }
        var now = Duration.zero
        var starts: [Duration] = []
        while starts.count < 8 {
            switch schedule.next(now: now) {
            case .start(let turn):
                starts.append(now)
                now += .milliseconds(80)
                _ = schedule.finished(
                    host: turn.host, sign: .answered(.milliseconds(80), isError: false), address: "203.0.113.7",
                    now: now)
            case .wait(let until): now = max(until, now + .milliseconds(1))
            case let other:
                Issue.record("\(other)")
                return
            }
        }
        // The addresses are known from the first answers on.
        for start in starts.dropFirst(2) {
            let milliseconds = Int((1_795_000_000_000 + Int64(start / .milliseconds(1))) % 2_300)
            #expect((1150..<1200).contains(milliseconds), "\(start)")
        }
    }
}
