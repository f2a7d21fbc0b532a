import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Several shards on one clock whose hosts share addresses, in turns, with a driver that learns addresses from what the shards tell. Its
/// bookkeeper knows when each address was asked.
private struct SharedAddressSimulation {
    struct Host {
        let name: String
        let shard: Int
        var address: NetworkAddress
        /// The pages that are left, and the turn from which they are known.
        var pages: Int
        let knownFrom: Int
        /// The turn in which it moved last.
        var movedIn = 0
        var lastAsked = 0
        /// What the driver was told.
        var told: NetworkAddress?
        var clock: HostClock?
    }

    /// The shards of a platform, and what its address was told to bear.
    struct Platform {
        /// The turn at whose end one host fails. There is no time to win back what is lost. 0: none does.
        var troubleTurn = 0
        /// The shard that had the trouble, and its last request before.
        var troubled: (shard: Int, lastAsked: Duration)?
        /// By turn: the time between two requests of all shards, and how many there were.
        var every: [Duration] = []
        var requests: [Int] = []
    }

    private enum Event {
        case answered(host: Int)
        case lookedUp(host: Int)
    }

    private struct ShardAtWork {
        var schedule: PolitenessSchedule
        var events: [(at: Duration, Event)] = []
    }

    private static let start = Date(timeIntervalSince1970: 1_795_000_000)
    /// Long enough for all hosts of an address, each in its slot, and for names to be looked up again.
    private static let turnLength = Duration.seconds(700)

    private var random: SeededNumbers
    private var hosts: [Host] = []
    private let shardCount: Int
    private let addresses: [NetworkAddress]
    private let delay: Duration
    private var now = Duration.zero
    private var lastAsked: [NetworkAddress: Duration] = [:]
    private(set) var violations: [String] = []
    private(set) var requests = 0
    /// Requests to addresses that two shards or more ask.
    private(set) var sharedRequests = 0
    /// Nil: some hosts at some addresses.
    private(set) var platform: Platform?
    /// What the shards found fit in the last turn, and what was named for this one.
    private var found: [NetworkAddress: Duration] = [:]
    private var named: [NetworkAddress: Duration] = [:]
    private var places: [Int: (own: Int, of: Int)] = [:]
    private var lastAskedBy: [Int: Duration] = [:]

    init(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        shardCount = 2 + Int(random.next() % 4)
        delay = .milliseconds([200, 1000, 2000][Int(random.next() % 3)])
        addresses = (0..<(1 + Int(random.next() % 4))).map { .v4(0xCB00_7100 + UInt32($0)) }
        for number in 0..<(3 + Int(random.next() % 10)) {
            hosts.append(
                Host(
                    name: "h\(number).test", shard: Int(random.next() % UInt64(shardCount)),
                    address: addresses[Int(random.next() % UInt64(addresses.count))],
                    pages: 3 + Int(random.next() % 40), knownFrom: 1 + Int(random.next() % 3)))
        }
        self.random = random
    }

    /// A platform on four shards: many hosts at one address, each a seed.
    init(platform seed: UInt64, troubleTurn: Int) {
        random = SeededNumbers(seed: seed)
        shardCount = 4
        delay = .seconds(1)
        addresses = [.v4(0xCB00_7107)]
        platform = Platform(troubleTurn: troubleTurn)
        for number in 0..<160 {
            hosts.append(
                Host(name: "shop\(number).test", shard: number % 4, address: addresses[0], pages: 80, knownFrom: 1))
        }
    }

    mutating func runPlatform(turns: Int) throws {
        for turn in 1...turns {
            let before = requests
            platform?.troubled = nil
            try run(turn: turn)
            platform?.every.append(named[addresses[0]] ?? delay)
            platform?.requests.append(requests - before)
            now += .milliseconds(Int64(random.next() % 300))
        }
    }

    mutating func run() throws {
        for turn in 1...14 {
            if turn > 3, hosts.allSatisfy({ $0.pages == 0 }) { return }
            try run(turn: turn)
            // The next turn begins at once, or a moment later.
            now += .milliseconds(Int64(random.next() % 300))
        }
    }

    /// The places of the shards: one or more each, mixed anew in every turn.
    private mutating func orders(turn: Int) throws -> [EpochOrder] {
        var orders = try (0..<shardCount).map {
            EpochOrder(
                epoch: turn, shard: try #require(Shard($0, of: shardCount)), duration: Self.turnLength)
        }
        named = found
        found = [:]
        for (address, known) in Dictionary(grouping: hosts.filter { $0.told != nil }, by: \.told) {
            guard let address else { continue }
            var owners = Set(known.map(\.shard)).sorted()
            if owners.count > 1 { owners += owners.filter { _ in random.next() % 2 == 0 } }
            for place in owners.indices { owners.swapAt(place, Int(random.next() % UInt64(owners.count))) }
            for (place, shard) in owners.enumerated() {
                let slots = try #require(AddressSlots(place: place, of: owners.count))
                try orders[shard].add(address, slots, every: named[address], line: 1)
                places[shard] = (owners.count { $0 == shard }, owners.count)
            }
        }
        return orders
    }

    private mutating func run(turn: Int) throws {
        let begin = now
        var shards: [ShardAtWork] = []
        for order in try orders(turn: turn) {
            var configuration = CrawlConfiguration()
            configuration.politeness.delay = .milliseconds(300)
            configuration.politeness.delayPerAddress = delay
            configuration.politeness.adaptive = false
            configuration.lay(order)
            var settings = PolitenessSchedule.Settings(configuration)
            settings.looksUp = true
            settings.notesChangedClocks = true
            let skew = Double(Int(random.next() % 40) - 20) / 1000
            let date = Self.start.addingTimeInterval(begin / .seconds(1) + skew)
            var shard = ShardAtWork(schedule: PolitenessSchedule(settings, date: date))
            for index in hosts.indices where hosts[index].shard == order.shard.number && hosts[index].knownFrom <= turn
            {
                if let clock = hosts[index].clock { shard.schedule.restore(clock, now: .zero) }
                for page in 0..<hosts[index].pages {
                    let url = try #require(WebURL("https://\(hosts[index].name)/\(page)"))
                    let request = CrawlRequest(url: url, seed: Seed(url: url), discovery: .outlink)
                    shard.schedule.add(.visit(request), now: .zero)
                }
            }
            shards.append(shard)
        }
        let hadWork = hosts.indices.filter { hosts[$0].pages > 0 && hosts[$0].knownFrom <= turn }
        while true {
            var wake: Duration?
            for number in shards.indices {
                let next = try startWhatIsDue(&shards[number], turn: turn, begin: begin)
                wake = [wake, next, shards[number].events.map(\.at).min()].compactMap { $0 }.min()
            }
            guard let wake else { break }
            now = max(now + .microseconds(1), wake)
            if random.next() % 400 == 0 { moveHost(turn: turn) }
            for number in shards.indices { finish(&shards[number], turn: turn, begin: begin) }
        }
        for shard in shards { keepClocks(shard, begin: begin) }
        for index in hadWork where hosts[index].lastAsked < turn - 1 && hosts[index].knownFrom < turn {
            if hosts[index].movedIn < turn - 1 {
                violations.append("\(hosts[index].name) was asked neither in turn \(turn - 1) nor in \(turn)")
            }
        }
    }

    private mutating func moveHost(turn: Int) {
        let index = Int(random.next() % UInt64(hosts.count))
        hosts[index].address = addresses[Int(random.next() % UInt64(addresses.count))]
        hosts[index].movedIn = turn
    }

    private func index(_ name: String) throws -> Int { try #require(hosts.firstIndex { $0.name == name }) }

    private mutating func startWhatIsDue(_ shard: inout ShardAtWork, turn: Int, begin: Duration) throws -> Duration? {
        guard now - begin < Self.turnLength else {
            _ = shard.schedule.removeAll()
            return nil
        }
        while true {
            switch shard.schedule.next(now: now - begin) {
            case .start(let visit):
                let index = try index(visit.host)
                try asked(index, shard, turn: turn)
                let time = Duration.milliseconds(Int64(1 + random.next() % 400))
                shard.events.append((now + time, .answered(host: index)))
            case .lookUp(let name):
                let time = Duration.milliseconds(Int64(1 + random.next() % 100))
                shard.events.append((now + time, .lookedUp(host: try index(name))))
            case .leave(let name):
                _ = shard.schedule.removeAll(host: name)
            case .wait(let until): return begin + until
            case .idle: return nil
            case .suspend(let name, _): violations.append("\(name) is left at \(now)")
            case .quiet: violations.append("quiet at \(now)")
            }
        }
    }

    private mutating func asked(_ index: Int, _ shard: ShardAtWork, turn: Int) throws {
        let permit = try #require(shard.schedule.permit(host: hosts[index].name))
        let address = try #require(try permit.addresses.get().first)
        if let last = lastAsked[address], now - last < named[address] ?? delay {
            violations.append("\(hosts[index].name): \(now - last) after the last request to \(address), turn \(turn)")
        }
        lastAsked[address] = now
        if let trouble = platform?.troubled, trouble.shard == hosts[index].shard {
            platform?.troubled = nil
            // Its part of one request a delay, as long as no slot is longer.
            let (own, of) = places[trouble.shard] ?? (1, 1)
            if now - trouble.lastAsked < delay * of / own {
                violations.append("\(hosts[index].name): \(now - trouble.lastAsked) after trouble, \(own) of \(of)")
            }
        }
        lastAskedBy[hosts[index].shard] = now
        requests += 1
        if Set(hosts.filter { $0.told == address }.map(\.shard)).count > 1 { sharedRequests += 1 }
        hosts[index].pages -= 1
        hosts[index].lastAsked = turn
    }

    private mutating func finish(_ shard: inout ShardAtWork, turn: Int, begin: Duration) {
        for (at, event) in shard.events where at <= now {
            switch event {
            case .answered(let host):
                let address = try? shard.schedule.permit(host: hosts[host].name)?.addresses.get().first
                var sign = PolitenessSchedule.HostSign.answered(.milliseconds(50), isError: false)
                if platform?.troubleTurn == turn, now - begin > Self.turnLength - .seconds(5) {
                    platform?.troubleTurn = 0
                    sign = .troubled(retryAfter: nil)
                    platform?.troubled = (hosts[host].shard, lastAskedBy[hosts[host].shard] ?? now)
                }
                let seed = platform == nil ? nil : try? Seeds.seed("https://\(hosts[host].name)/")
                _ = shard.schedule.finished(
                    host: hosts[host].name, sign: sign, address: address?.description,
                    readFrom: sign == .troubled(retryAfter: nil) ? nil : seed, now: now - begin)
            case .lookedUp(let host):
                let found = hosts[host].address
                shard.schedule.lookedUp(host: hosts[host].name, .success([found]), now: now - begin)
            }
        }
        shard.events.removeAll { $0.at <= now }
    }

    private mutating func keepClocks(_ shard: ShardAtWork, begin: Duration) {
        var schedule = shard.schedule
        for (name, interval) in schedule.fitIntervals {
            guard let address = NetworkAddress(name) else { continue }
            // As the protocol has it.
            let told = Duration.milliseconds(Int64((interval / .milliseconds(1)).rounded(.up)))
            found[address] = max(found[address] ?? .zero, told)
        }
        for clock in schedule.takeChangedClocks(now: now - begin) + schedule.clocksToClose(now: now - begin) {
            guard let index = hosts.firstIndex(where: { $0.name == clock.host }) else { continue }
            hosts[index].clock = clock
            hosts[index].told = clock.address.flatMap { NetworkAddress($0) }
        }
    }
}

/// What holds for addresses that several shards ask, whatever comes.
@Suite struct SharedAddressSimulationTests {
    @Test(arguments: 0..<8)
    func `no address is asked too early, and every host is asked within two turns`(group: UInt64) throws {
        var (requests, shared) = (0, 0)
        for seed in (group * 25)..<(group * 25 + 25) {
            var simulation = SharedAddressSimulation(seed: seed)
            try simulation.run()
            #expect(simulation.violations.prefix(5) == [], "seed \(seed), \(simulation.violations.count) violations")
            requests += simulation.requests
            shared += simulation.sharedRequests
        }
        #expect(requests > 1000 && shared > 500)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a platform on four shards is asked more often from turn to turn, until one of them has trouble`(seed: UInt64)
        throws
    {
        var well = SharedAddressSimulation(platform: seed, troubleTurn: 0)
        try well.runPlatform(turns: 6)
        #expect(well.violations.prefix(5) == [], "\(well.violations.count) violations")
        let calm = try #require(well.platform)
        // The first turn only looks names up.
        #expect(calm.every.map { $0 / .seconds(1) } == [1, 1, 0.5, 0.25, 0.2, 0.2])
        #expect(calm.requests[0] == 0 && calm.requests[1] < 620 && calm.requests[5] > 1800, "\(calm.requests)")

        var ill = SharedAddressSimulation(platform: seed, troubleTurn: 5)
        try ill.runPlatform(turns: 6)
        #expect(ill.violations.prefix(5) == [], "\(ill.violations.count) violations")
        #expect(ill.platform?.every.last == .seconds(1), "\(ill.platform?.every ?? [])")
    }
}
