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
        for (address, known) in Dictionary(grouping: hosts.filter { $0.told != nil }, by: \.told) {
            guard let address else { continue }
            var owners = Set(known.map(\.shard)).sorted()
            if owners.count > 1 { owners += owners.filter { _ in random.next() % 2 == 0 } }
            for place in owners.indices { owners.swapAt(place, Int(random.next() % UInt64(owners.count))) }
            for (place, shard) in owners.enumerated() {
                let slots = try #require(AddressSlots(place: place, of: owners.count))
                try orders[shard].add(address, slots, line: 1)
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
            for number in shards.indices { finish(&shards[number], begin: begin) }
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
        if let last = lastAsked[address], now - last < delay {
            violations.append("\(hosts[index].name): \(now - last) after the last request to \(address), turn \(turn)")
        }
        lastAsked[address] = now
        requests += 1
        if Set(hosts.filter { $0.told == address }.map(\.shard)).count > 1 { sharedRequests += 1 }
        hosts[index].pages -= 1
        hosts[index].lastAsked = turn
    }

    private mutating func finish(_ shard: inout ShardAtWork, begin: Duration) {
        for (at, event) in shard.events where at <= now {
            switch event {
            case .answered(let host):
                let address = try? shard.schedule.permit(host: hosts[host].name)?.addresses.get().first
                _ = shard.schedule.finished(
                    host: hosts[host].name, sign: .answered(.milliseconds(50), isError: false),
                    address: address?.description, now: now - begin)
            case .lookedUp(let host):
                let found = hosts[host].address
                shard.schedule.lookedUp(host: hosts[host].name, .success([found]), now: now - begin)
            }
        }
        shard.events.removeAll { $0.at <= now }
    }

    private mutating func keepClocks(_ shard: ShardAtWork, begin: Duration) {
        var schedule = shard.schedule
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
}
