import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// A schedule that looks names up, and a bookkeeper of what was looked up and asked, in made-up time.
private struct LookUpSimulation {
    struct Event: Equatable {
        let host: String
        let time: Duration
    }

    var schedule: PolitenessSchedule
    var answers: [String: Result<[NetworkAddress], FetchError>] = [:]
    var fails: Set<String> = []
    var time = Duration.zero
    /// Of a request, and of a look-up.
    var took = Duration.milliseconds(300)
    var lookUps: [Event] = []
    var starts: [Event] = []
    var left: Set<String> = []
    var givenUp: [String] = []
    private var pending: [(end: Duration, host: String, isLookUp: Bool)] = []

    init(_ yaml: String = "  delay: 1s\n", fetch: String = "") throws {
        let configuration = try CrawlConfiguration(
            yaml: "politeness:\n  adaptive: false\n" + yaml + fetch, file: "test.yaml")
        var settings = PolitenessSchedule.Settings(configuration)
        settings.looksUp = true
        schedule = PolitenessSchedule(settings, date: Date(timeIntervalSince1970: 0))
    }

    mutating func add(_ url: String) throws {
        let url = try #require(WebURL(url))
        schedule.add(
            .visit(CrawlRequest(url: url, depth: 1, seed: Seed(url: url), discovery: .outlink)), now: time)
    }

    func address(of host: String) -> NetworkAddress? {
        if case .success(let found) = answers[host] { found.first } else { nil }
    }

    /// Until nothing is left, or the time is over.
    mutating func run(until end: Duration = .seconds(100_000)) throws {
        while time <= end {
            var wake: Duration?
            starting: while true {
                switch schedule.next(now: time) {
                case .start(let turn):
                    let permit = try #require(schedule.permit(host: turn.host))
                    guard case .success(let addresses) = permit.addresses else {
                        _ = schedule.finished(host: turn.host, sign: .answered(.zero, isError: true), now: time)
                        continue
                    }
                    #expect(addresses == (address(of: turn.host).map { [$0] } ?? []))
                    starts.append(Event(host: turn.host, time: time))
                    pending.append((time + took, turn.host, false))
                case .lookUp(let host):
                    lookUps.append(Event(host: host, time: time))
                    pending.append((time + took, host, true))
                case .wait(let until), .quiet(let until):
                    wake = until
                    break starting
                case .suspend(let host, _), .leave(let host):
                    left.insert(host)
                    _ = schedule.removeAll(host: host)
                case .idle: break starting
                }
            }
            guard let next = [wake, pending.map(\.end).min()].compactMap({ $0 }).min() else { return }
            time = max(time, next)
            for ended in pending where ended.end <= time { finish(ended.host, isLookUp: ended.isLookUp) }
            pending.removeAll { $0.end <= time }
        }
    }

    private mutating func finish(_ host: String, isLookUp: Bool) {
        if isLookUp {
            if let domain = schedule.lookedUp(host: host, answers[host] ?? .failure(.hostNotFound), now: time) {
                givenUp.append(domain)
            }
            return
        }
        let isBad = fails.contains(host)
        let verdict = schedule.finished(
            host: host, sign: isBad ? .troubled(retryAfter: nil) : .answered(.milliseconds(10), isError: false),
            address: address(of: host)?.description, failsAddress: isBad, now: time)
        if case .suspend = verdict {
            left.insert(host)
            _ = schedule.removeAll(host: host)
        }
    }
}

@Suite struct LookUpScheduleTests {
    private func pauses(_ events: [LookUpSimulation.Event]) -> [Duration] {
        zip(events, events.dropFirst()).map { $1.time - $0.time }
    }

    private func address(_ text: String) throws -> Result<[NetworkAddress], FetchError> {
        .success([try #require(NetworkAddress(text))])
    }

    @Test func `300 names on one address are asked like one, from the first request on`() throws {
        var simulation = try LookUpSimulation()
        for number in 0..<300 {
            // A name each under a domain of its own: no line of a domain holds them back.
            simulation.answers["h\(number).test"] = try address(
                ["9.9.9.9", "::ffff:9.9.9.9", "64:ff9b::909:909"][number % 3])
            try simulation.add("https://h\(number).test/")
        }
        try simulation.run()
        #expect(simulation.starts.count == 300 && simulation.lookUps.count == 300)
        #expect(pauses(simulation.starts).allSatisfy { $0 >= .seconds(1) })
        // 50 look-ups a second.
        #expect(pauses(simulation.lookUps).allSatisfy { $0 >= .milliseconds(20) })
    }

    @Test func `names of one domain are looked up one by one, with the delay between`() throws {
        var simulation = try LookUpSimulation()
        for number in 0..<30 {
            simulation.answers["h\(number).shop.test"] = try address("9.9.0.\(number)")
            try simulation.add("https://h\(number).shop.test/")
        }
        try simulation.run()
        #expect(simulation.starts.count == 30)
        #expect(pauses(simulation.lookUps).allSatisfy { $0 >= .milliseconds(1300) })
    }

    @Test func `failures teach an address, which then rests, and its hosts are left`() throws {
        var simulation = try LookUpSimulation()
        for number in 0..<600 {
            simulation.answers["h\(number).test"] = try address("9.9.9.9")
            simulation.fails.insert("h\(number).test")
            try simulation.add("https://h\(number).test/")
        }
        simulation.answers["good.test"] = try address("9.9.9.10")
        for page in 0..<5 { try simulation.add("https://good.test/\(page)") }
        try simulation.run()
        let bad = simulation.starts.filter { $0.host != "good.test" }
        // 5 close the address, then each rest ends with one probe.
        #expect(bad.count == PolitenessSchedule.maximumFailuresInARow)
        #expect(pauses(bad).dropFirst(4).map { $0 >= .seconds(10) } == [true, true, true, true, true])
        #expect(simulation.left.count == 600 - 10)
        #expect(simulation.starts.count - bad.count == 5)
        #expect(simulation.schedule.isEmpty)
        let trouble = simulation.left.compactMap { simulation.schedule.trouble(host: $0)?.reason }
        #expect(trouble.contains("the last 10 requests to hosts on its address, 9.9.9.9, failed"))
    }

    @Test func `an answer ends the rest of an address`() throws {
        var simulation = try LookUpSimulation()
        for number in 0..<12 {
            simulation.answers["h\(number).test"] = try address("9.9.9.9")
            try simulation.add("https://h\(number).test/")
            if number < 5 { simulation.fails.insert("h\(number).test") }
        }
        try simulation.run()
        #expect(simulation.starts.count == 12 && simulation.left.isEmpty)
        #expect(pauses(simulation.starts)[4] >= .seconds(10))
        #expect(pauses(simulation.starts)[5...].allSatisfy { $0 < .seconds(2) && $0 >= .seconds(1) })
    }

    @Test func `names that do not exist are looked up once, and their domain is given up`() throws {
        var simulation = try LookUpSimulation()
        simulation.answers["www.shop.test"] = try address("9.9.9.9")
        for page in 0..<3 { try simulation.add("https://www.shop.test/\(page)") }
        for number in 0..<3000 { try simulation.add("https://x\(number).shop.test/") }
        try simulation.run()
        #expect(
            simulation.lookUps.filter { $0.host != "www.shop.test" }.count == LookUpLines.maximumMissingNames)
        #expect(Set(simulation.lookUps.map(\.host)).count == simulation.lookUps.count)
        #expect(simulation.givenUp == ["shop.test"])
        #expect(simulation.starts.map(\.host) == Array(repeating: "www.shop.test", count: 3))
        #expect(simulation.schedule.isEmpty)
        let host = try #require(simulation.left.first)
        #expect(simulation.schedule.trouble(host: host)?.reason == "20 names under shop.test have no address")
    }

    @Test func `what is an address, or never has one, is not looked up`() throws {
        var simulation = try LookUpSimulation()
        for host in ["127.0.0.1", "[::1]", "localhost", "a.localhost", "x.invalid", "x.onion"] {
            try simulation.add("http://\(host)/")
        }
        // Two spellings of one machine, known from the first request on.
        for host in ["9.9.9.9", "[::ffff:909:909]"] { try simulation.add("http://\(host)/") }
        try simulation.run()
        #expect(simulation.lookUps.isEmpty)
        #expect(Set(simulation.starts.map(\.host)).isDisjoint(with: ["x.invalid", "x.onion"]))
        let machine = simulation.starts.filter { $0.host.contains("9") }
        #expect(machine.count == 2 && pauses(machine).allSatisfy { $0 >= .seconds(1) })
    }

    @Test func `an address is believed for five minutes`() throws {
        var simulation = try LookUpSimulation("  delay: 100s\n")
        simulation.answers["a.test"] = try address("9.9.9.9")
        for page in 0..<8 { try simulation.add("https://a.test/\(page)") }
        try simulation.run()
        #expect(simulation.starts.count == 8)
        #expect(pauses(simulation.lookUps).allSatisfy { $0 >= HostAddresses.lookUpLifetime })
        #expect(simulation.lookUps.count == 3)
    }

    @Test func `a host is asked at one address, and at its next one when that fails`() throws {
        var settings = PolitenessSchedule.Settings(CrawlConfiguration())
        settings.looksUp = true
        var schedule = PolitenessSchedule(settings, date: Date(timeIntervalSince1970: 0))
        let url = try #require(WebURL("https://a.test/"))
        func addresses(_ now: Duration) throws -> [String] {
            schedule.add(.visit(CrawlRequest(seed: Seed(url: url))), now: now)
            var decision = schedule.next(now: now)
            if case .lookUp = decision {
                let found = try ["9.9.9.1", "9.9.9.2"].map { try #require(NetworkAddress($0)) }
                schedule.lookedUp(host: "a.test", .success(found), now: now)
                decision = schedule.next(now: now)
            }
            #expect(decision == .start(.visit(CrawlRequest(seed: Seed(url: url)))))
            return try #require(schedule.permit(host: "a.test")).addresses.get().map(\.description)
        }
        func fail(_ address: String, _ now: Duration) {
            _ = schedule.finished(
                host: "a.test", sign: .troubled(retryAfter: nil), address: address, failsAddress: true, now: now)
        }
        #expect(try addresses(.zero) == ["9.9.9.1"])
        fail("9.9.9.1", .seconds(1))
        #expect(schedule.hasAnotherAddress(host: "a.test") && schedule.breaker(host: "a.test").isClosed)
        #expect(try addresses(.seconds(60)) == ["9.9.9.2"])
        fail("9.9.9.2", .seconds(61))
        // Each was tried: the host is in trouble.
        #expect(!schedule.hasAnotherAddress(host: "a.test") && !schedule.breaker(host: "a.test").isClosed)
    }

    /// Random names, domains, addresses, failures: the rules hold whatever comes.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `no rule of look-ups and addresses is ever broken`(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        func below(_ number: Int) -> Int { Int(random.next() % UInt64(number)) }
        var simulation = try LookUpSimulation("  delay: 1s\n  delay_per_address: 2s\n")
        let domains = 1 + below(6)
        for number in 0..<(20 + below(100)) {
            let host = "h\(number).d\(below(domains)).test"
            switch below(8) {
            case 0: break
            case 1: simulation.answers[host] = .failure(.lookUpFailed("x"))
            default: simulation.answers[host] = try address("9.9.9.\(below(4))")
            }
            if below(6) == 0 { simulation.fails.insert(host) }
            for page in 0...below(4) { try simulation.add("https://\(host)/\(page)") }
        }
        try simulation.run()
        #expect(simulation.schedule.isEmpty, "seed \(seed)")
        for (address, starts) in Dictionary(grouping: simulation.starts, by: { simulation.address(of: $0.host) }) {
            #expect(pauses(starts).allSatisfy { $0 >= .seconds(2) }, "seed \(seed), \(address?.description ?? "")")
        }
        for (_, starts) in Dictionary(grouping: simulation.starts, by: \.host) {
            #expect(pauses(starts).allSatisfy { $0 >= .milliseconds(1300) }, "seed \(seed)")
        }
        for (domain, lookUps) in Dictionary(grouping: simulation.lookUps, by: { SiteIdentity.site(of: $0.host) }) {
            let first = Dictionary(grouping: lookUps, by: \.host).values.compactMap(\.first).sorted {
                $0.time < $1.time
            }
            #expect(pauses(first).allSatisfy { $0 >= .milliseconds(1300) }, "seed \(seed), \(domain)")
        }
        #expect(pauses(simulation.lookUps).allSatisfy { $0 >= .milliseconds(20) }, "seed \(seed)")
    }
}
