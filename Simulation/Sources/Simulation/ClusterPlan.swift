import Foundation

/// All that is to happen to a simulated job in shards: a function of the seed, until somebody shrinks it.
public struct ClusterPlan: SimulationPlan {
    /// What happens in a turn, or before it.
    public enum Event: Sendable, Equatable, CustomStringConvertible {
        /// Something goes wrong in a shard's first try.
        case shard(Int, Plan.Fault)
        /// The driver dies before a step of the turn, and its workers with it.
        case driver(step: Int)
        /// The driver dies when all have told, before its commit.
        case uncommitted
        /// The turn finds that a shard's disk is lost.
        case diskLost(Int)
        /// The operator moves the job into so many shards before the turn. A fault may hit the making of the first.
        case reshard(Int, Plan.Fault?)
        /// The shards' storages are of an earlier version, by so many migrations.
        case olderVersion(Int)

        public var description: String {
            switch self {
            case .shard(let shard, let fault): "shard\(shard)-\(fault)"
            case .driver(let step): "driver\(step)"
            case .uncommitted: "uncommitted"
            case .diskLost(let shard): "lost\(shard)"
            case .reshard(let count, let fault): "reshard\(count)" + (fault.map { "-\($0)" } ?? "")
            case .olderVersion(let count): "older\(count)"
            }
        }

        init?(_ text: Substring) {
            let name = text.prefix { $0.isLetter }
            let digits = text.dropFirst(name.count).prefix { $0.isNumber }
            let rest = text.dropFirst(name.count + digits.count)
            let (number, fault) = (Int(digits) ?? 0, rest.isEmpty ? nil : Plan.Fault(rest.dropFirst()))
            guard rest.isEmpty || fault != nil else { return nil }
            switch (name, fault) {
            case ("shard", let fault?): self = .shard(number, fault)
            case ("driver", nil): self = .driver(step: number)
            case ("uncommitted", nil): self = .uncommitted
            case ("lost", nil): self = .diskLost(number)
            case ("reshard", let fault): self = .reshard(max(1, number), fault)
            case ("older", nil): self = .olderVersion(number)
            default: return nil
            }
        }
    }

    public struct Happening: Sendable, Equatable, CustomStringConvertible {
        /// The number of the turn among all that are tried, from 1.
        public var turn: Int
        public var event: Event

        public var description: String { "\(turn):\(event)" }
    }

    public var seed: UInt64
    public var hosts: Int
    public var mostPages: Int
    /// The first so many hosts are seeds.
    public var seeds: Int
    public var shards: Int
    public var nights: Int
    /// How long a turn is, in seconds.
    public var turn: Int
    public var happenings: [Happening]

    /// The plan of a seed.
    public init(seed: UInt64) {
        self.seed = seed
        var numbers = SeededNumbers(seed: seed ^ SeededNumbers.hash("cluster"))
        hosts = 2 + numbers.upTo(7)
        mostPages = 2 + numbers.upTo(10)
        seeds = 1 + numbers.upTo(hosts)
        shards = 1 + numbers.upTo(4)
        nights = 2 + numbers.upTo(3)
        turn = [60, 120, 240, 600][numbers.upTo(4)]
        happenings = []
        if numbers.upTo(3) == 0 {
            // While shards have mail for one another.
            happenings.append(Happening(turn: 2 + numbers.upTo(4), event: .reshard(1 + numbers.upTo(5), nil)))
        }
        // The last night has none.
        for turn in 1...(4 * nights) where numbers.upTo(3) == 0 {
            happenings.append(Happening(turn: turn, event: Self.event(&numbers, shards: shards)))
        }
    }

    private static func event(_ numbers: inout SeededNumbers, shards: Int) -> Event {
        switch numbers.upTo(14) {
        case 12, 13: return .shard(numbers.upTo(shards), .powerCutAtEnd)
        case 0...4:
            while true {
                let fault = Plan.fault(&numbers)
                // A worker's calendar is its driver's; and whoever stops one by a signal wants the turn again.
                switch fault {
                case .stop, .clock: continue
                default: return .shard(numbers.upTo(shards), fault)
                }
            }
        case 5, 6: return .driver(step: 1 + numbers.upTo(600))
        case 7: return .uncommitted
        case 8: return .diskLost(numbers.upTo(shards))
        case 9: return .olderVersion(1 + numbers.upTo(OlderVersion.count))
        default:
            let fault: Plan.Fault? =
                numbers.upTo(2) == 0 ? nil : .killWriting(operation: 1 + numbers.upTo(200))
            return .reshard(1 + numbers.upTo(5), fault)
        }
    }

    func events(ofTurn turn: Int) -> [Event] { happenings.filter { $0.turn == turn }.map(\.event) }

    // MARK: As text, to run it again

    public var description: String {
        "cluster=1 seed=\(seed) hosts=\(hosts) pages=\(mostPages) seeds=\(seeds) shards=\(shards) nights=\(nights) turn=\(turn) "
            + "events=\(happenings.map(\.description).joined(separator: ","))"
    }

    public init?(_ text: String) {
        guard let values = Self.values(in: text) else { return nil }
        func number(_ name: Substring) -> Int? { values[name].flatMap { Int($0) } }
        guard values["cluster"] == "1", let seed = values["seed"].flatMap({ UInt64($0) }), let hosts = number("hosts"),
            let pages = number("pages"), let seeds = number("seeds"), let shards = number("shards"),
            let nights = number("nights"), let turn = number("turn"), let events = values["events"]
        else { return nil }
        (self.seed, self.hosts, mostPages, self.seeds) = (seed, hosts, pages, seeds)
        (self.shards, self.nights, self.turn) = (shards, nights, turn)
        happenings = []
        for text in events.split(separator: ",") {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let turn = Int(parts[0]), let event = Event(parts[1]) else { return nil }
            happenings.append(Happening(turn: turn, event: event))
        }
    }

    // MARK: Shrinking

    public var smaller: [ClusterPlan] {
        var plans: [ClusterPlan] = []
        func add(_ change: (inout ClusterPlan) -> Void) {
            var plan = self
            change(&plan)
            plan.seeds = min(plan.seeds, plan.hosts)
            if plan != self { plans.append(plan) }
        }
        add { $0.happenings = Array(happenings.prefix(happenings.count / 2)) }
        for index in happenings.indices { add { $0.happenings.remove(at: index) } }
        add { $0.hosts = max(1, hosts / 2) }
        add { $0.hosts = max(1, hosts - 1) }
        add { $0.mostPages = max(1, mostPages / 2) }
        add { $0.mostPages = max(1, mostPages - 1) }
        add { $0.nights = max(1, nights - 1) }
        add { $0.shards = max(1, shards - 1) }
        add { $0.turn = 600 }
        return plans
    }

    public func run(scratch: URL) async throws -> SimulationReport {
        try await Simulation.run(scratch: scratch) { try await SimulatedCluster(plan: self, scratch: $0).run() }
    }
}
