import Foundation
import PippinCrawl
import PippinPage
import PippinStore

/// A job in shards over its nights: a played driver that lets each shard begin a turn when it has work, and the workers' processes, all in
/// one made-up time.
// `unchecked` because one thread at a time works with it: the caller's, or that of made-up time, for which the caller waits.
final class SimulatedCluster: @unchecked Sendable {
    private typealias Shards = SimulatedProcess<PlayedDriver.Telling>

    private let plan: ClusterPlan
    private let web: SimulatedWeb
    private let log = WebLog()
    private let scratch: URL
    private let auditor: ClusterAuditor
    private var driver: PlayedDriver
    /// The world's time.
    private var now = Duration.zero
    /// How often the shards have moved into others: their folders are others then.
    private var moves = 0
    /// How many turns of shards were begun.
    private var tries = 0

    /// - Parameter scratch: an empty folder.
    init(plan: ClusterPlan, scratch: URL) {
        (self.plan, self.scratch) = (plan, scratch)
        web = SimulatedWeb(
            seed: plan.seed, hostCount: plan.hosts, mostPages: plan.mostPages, days: plan.nights + 1, linksFar: true)
        driver = PlayedDriver(shards: plan.shards)
        auditor = ClusterAuditor(web: web, shards: plan.shards)
    }

    private var configuration: CrawlConfiguration {
        var configuration = CrawlConfiguration()
        configuration.records = .all
        configuration.scope.follow = .any
        configuration.scope.maximumDepth = 100
        configuration.fetch.timeout = .seconds(5)
        return configuration
    }

    private var seeds: [Seed] {
        get throws { try Seeds.parse(web.seeds.prefix(plan.seeds).joined(separator: "\n"), file: "seeds.txt") }
    }

    private func folder(_ shard: Int) -> URL { scratch.appending(path: "\(moves)-\(shard)") }

    /// The longest delay of the configuration, which a shard waits whose disk was lost.
    private var longestDelay: Duration {
        .seconds(configuration.timesForDrivers()["longestDelay"]?.double ?? 0)
    }

    func run() async throws -> SimulationReport {
        for night in 0..<plan.nights {
            now = max(now, SimulatedWeb.day * night)
            let began = MadeUpTime.date(now)
            endings = [:]
            asked = [:]
            var isOver = false
            // Some hosts ask for a rest of a quarter of an hour, again and again.
            let end = now + .seconds(8 * 3_600)
            while !isOver, now < end, auditor.violations.isEmpty {
                isOver = try await live(began, until: end)
                try await operate()
            }
            if !isOver { auditor.neverEnds(night: night) }
            if !auditor.violations.isEmpty { break }
        }
        auditor.auditAll()
        return auditor.report()
    }

    /// How each shard's last turn of this night ended, and the addresses that it might ask.
    private var endings: [Int: String] = [:]
    private var asked: [Int: Set<String>] = [:]
    /// The shards whose storages are of an earlier version.
    private var older: Set<Int> = []
    /// What the operator does as soon as no shard is in a turn.
    private var waiting: [ClusterPlan.Event] = []

    /// Whether a shard has something to do, as far as its driver knows.
    private func hasWork(_ number: Int) -> Bool {
        guard let ending = endings[number] else { return true }
        if driver.hasMail(for: number) { return true }
        switch ending {
        case "finished", "hosts-rest": return false
        case "addresses": return !driver.addresses(for: number).isSubset(of: asked[number] ?? [])
        default: return true
        }
    }

    /// The life of one driver: begins turns of shards that have work, and commits each when it ends, until nothing is left to do in this
    /// night, it dies, or the operator waits for it to end.
    ///
    /// - Returns: whether nothing is left to do.
    private func live(_ began: Date, until end: Duration) async throws -> Bool {
        let time = MadeUpTime(from: now)
        let alive = Alive()
        time.watch(
            onStep: { step in
                for process in alive.processes { process.step(step) }
                if alive.dies(at: step) { alive.killAll() }
            }, onStall: { for process in alive.processes { process.hang() } })
        defer {
            time.watch()
            now = time.now
        }
        let isOver = try await time.run { [self] in try await turns(began, until: end, time, alive) }
        auditor.note(log)
        return isOver
    }

    private func turns(_ began: Date, until end: Duration, _ time: MadeUpTime, _ alive: Alive) async throws -> Bool {
        try await withThrowingTaskGroup(of: (Int, PlayedDriver.Telling?, Bool).self) { group in
            var flying: Set<Int> = []
            while true {
                let isOver = alive.areKilled || time.now >= end || !auditor.violations.isEmpty
                for number in 0..<driver.count where !isOver && !flying.contains(number) {
                    // What an earlier driver has begun is ended, also if the operator waits.
                    let isAgain = driver.shardsInFlight.contains(number)
                    guard isAgain || waiting.isEmpty && hasWork(number) else { continue }
                    flying.insert(number)
                    let (fault, isLost) = begin(number, alive)
                    var order = driver.order(number, for: .seconds(plan.turn))
                    order.runBegan = began
                    asked[number] = driver.addresses(for: number)
                    let worker = Worker(
                        order: order, lines: driver.begin(number), configuration: configuration, seeds: try seeds,
                        folder: folder(number), time: time)
                    group.addTask { (number, try await self.work(worker, number, fault, alive), isLost) }
                }
                guard let (number, telling, isLost) = try await group.next() else { break }
                flying.remove(number)
                guard let telling, !alive.areKilled else { continue }
                if isLost {
                    auditor.meet(.uncommitted)
                    alive.killAll()
                    continue
                }
                driver.commit(telling, of: number)
                older.remove(number)
                endings[number] = telling.ending
                auditor.note(log)
                auditor.committed(telling, of: number, at: time.now)
            }
            return !alive.areKilled && waiting.isEmpty && driver.shardsInFlight.isEmpty
                && (0..<driver.count).allSatisfy { !hasWork($0) }
        }
    }

    /// What happens in the turn that a shard begins now: to the shard, and whether its driver dies before it can commit.
    private func begin(_ number: Int, _ alive: Alive) -> (Plan.Fault?, isLost: Bool) {
        tries += 1
        var (fault, isLost): (Plan.Fault?, Bool) = (nil, false)
        for event in plan.events(ofTurn: tries) {
            switch event {
            case .shard(_, let ofShard): fault = ofShard
            case .driver(let step):
                alive.die(in: step)
                auditor.meet(.driverDied)
            case .uncommitted: isLost = true
            case .diskLost, .reshard, .olderVersion: waiting.append(event)
            }
        }
        return (fault, isLost)
    }

    /// What the operator does when no driver is there. A turn that was in flight when a driver died is ended first.
    private func operate() async throws {
        guard !waiting.isEmpty, driver.shardsInFlight.isEmpty else { return }
        for event in waiting {
            switch event {
            case .diskLost(let number): try lose(number % driver.count)
            case .reshard(let count, let fault): try await reshard(into: count, fault)
            case .olderVersion(let count):
                for shard in 0..<driver.count { try OlderVersion.take(storage: folder(shard), back: count) }
                older = Set(0..<driver.count)
                auditor.meet(.upgraded)
            case .shard, .driver, .uncommitted: break
            }
        }
        waiting = []
    }

    /// The processes of workers that live.
    // `unchecked` because the state is only reached with the lock held.
    private final class Alive: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [Int: Shards] = [:]
        private var isOver = false
        /// The step that was begun last, and the one before which the driver dies.
        private var (step, lastStep) = (0, Int.max)

        /// Lets the driver die so many steps later.
        func die(in steps: Int) { lock.withLock { lastStep = min(lastStep, step + steps) } }

        func dies(at step: Int) -> Bool {
            lock.withLock {
                self.step = step
                return step == lastStep
            }
        }

        var processes: [Shards] { lock.withLock { all.sorted { $0.key < $1.key }.map(\.value) } }
        var areKilled: Bool { lock.withLock { isOver } }
        func set(_ process: Shards?, of shard: Int) { lock.withLock { all[shard] = process } }

        func killAll() {
            lock.withLock { isOver = true }
            for process in processes { process.kill() }
        }
    }

    /// Lets the processes of a shard work in a turn, until one of them has told.
    ///
    /// - Returns: nil if the driver died.
    private func work(
        _ worker: Worker, _ shard: Int, _ fault: Plan.Fault?, _ alive: Alive
    ) async throws -> PlayedDriver.Telling? {
        let time = worker.time
        for attempt in 0..<4 {
            let number = auditor.began(shard: worker.order.shard)
            let process = Shards(
                in: worker.folder, copy: scratch.appending(path: "left-\(shard)"), seed: plan.seed ^ UInt64(number),
                fault: attempt == 0 ? fault : nil, time: time)
            alive.set(process, of: shard)
            let network = SimulatedNetwork(
                web: web, time: time, log: log, process: number, keepsExchanges: false, isAlive: { process.isAlive })
            let end = try await process.run { try await worker.run(network, $0) }
            alive.set(nil, of: shard)
            auditor.ended(number, end, fault: attempt == 0 ? fault : nil)
            if alive.areKilled { return nil }
            if case .finished(let telling) = end { return telling }
            if case .hung = end { return nil }
            // A machine takes longer to come back than a process.
            if case .lostPower = end { await time.sleep(until: time.now + .seconds(60)) }
            await time.sleep(until: time.now + .milliseconds(500))
        }
        return nil
    }

    /// Takes a shard's disk away. Its driver makes it anew, after the longest delay of the configuration.
    private func lose(_ shard: Int) throws {
        guard FileManager.default.fileExists(atPath: folder(shard).path) else { return }
        try FileManager.default.removeItem(at: folder(shard))
        driver.rebuild(shard)
        endings[shard] = nil
        auditor.lost(shard: shard, of: driver.count)
        now += longestDelay
    }

    /// Moves the job into other shards.
    private func reshard(into count: Int, _ fault: Plan.Fault?) async throws {
        // Nobody moves a job that has not begun, or into as many shards as it has. Storages of an earlier version are refused.
        guard count != driver.count, older.isEmpty, driver.cursors.allSatisfy({ $0 != nil }) else { return }
        let old = (0..<driver.count).map(folder)
        moves += 1
        let time = MadeUpTime(from: now)
        for number in 0..<count {
            guard let shard = Shard(number, of: count) else { preconditionFailure("no shard \(number)") }
            var fault = number == 0 ? fault : nil
            while true {
                // What a try has left by half is removed.
                if FileManager.default.fileExists(atPath: folder(number).path) {
                    try FileManager.default.removeItem(at: folder(number))
                }
                let folder = folder(number)
                let process = SimulatedProcess<Resharding.Counts>(
                    in: folder, copy: scratch.appending(path: "left"), seed: plan.seed, fault: fault, time: time)
                let end = try await process.run { _ in try Resharding.make(shard, in: folder, of: old) }
                if case .finished = end { break }
                guard fault != nil else {
                    auditor.violate("move fails: into shard \(number) of \(count): \(end)")
                    return
                }
                auditor.meet(.moveInterrupted)
                fault = nil
            }
        }
        for folder in old { try FileManager.default.removeItem(at: folder) }
        driver.reshard(into: count)
        (endings, asked) = ([:], [:])
        auditor.moved(into: count)
    }
}

/// What a worker is given.
private struct Worker: Sendable {
    let order: EpochOrder
    let lines: [String]
    let configuration: CrawlConfiguration
    let seeds: [Seed]
    let folder: URL
    let time: MadeUpTime

    /// - Parameter onStart: gets what stops the crawl in order.
    func run(
        _ network: SimulatedNetwork, _ onStart: @Sendable (@escaping @Sendable () -> Void) -> Void
    ) async throws -> PlayedDriver.Telling {
        var numbers = SeededNumbers(seed: SeededNumbers.hash("\(folder.lastPathComponent) \(order.epoch)"))
        let storage = try CrawlStorage(folder: folder, identity: String(numbers.next(), radix: 16))
        return try await PlayedDriver.work(
            order, lines, in: storage, configuration, seeds: seeds, fetcher: network, time: time, onStart: onStart)
    }
}
