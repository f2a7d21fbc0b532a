import Foundation

/// All that is to happen in a simulated year, or a simulated week: a function of the seed, until somebody shrinks it.
public struct Plan: SimulationPlan {
    /// What goes wrong in one process.
    public enum Fault: Sendable, Equatable, CustomStringConvertible {
        /// The process is killed before a step of its tasks, or before an operation of its disk.
        case kill(step: Int)
        case killWriting(operation: Int)
        /// The process is killed when half of a write to the end of a file is done.
        case killHalfway(append: Int)
        /// The machine loses its power there.
        case powerCut(step: Int)
        case powerCutWriting(operation: Int)
        /// The machine loses its power when the process has ended in order.
        case powerCutAtEnd
        /// An operation of the disk fails, or writes half.
        case diskFails(operation: Int, errno: Int32)
        case diskIsFull(operation: Int)
        /// The operator interrupts the run.
        case stop(step: Int)
        /// The machine's calendar is set, by so many seconds. The run goes on.
        case clock(step: Int, seconds: Int)

        public var description: String {
            switch self {
            case .kill(let step): "kill@\(step)"
            case .killWriting(let operation): "kill-writing@\(operation)"
            case .killHalfway(let append): "kill-halfway@\(append)"
            case .powerCut(let step): "power@\(step)"
            case .powerCutWriting(let operation): "power-writing@\(operation)"
            case .powerCutAtEnd: "power-end@0"
            case .diskFails(let operation, let errno): "disk-\(errno)@\(operation)"
            case .diskIsFull(let operation): "full@\(operation)"
            case .stop(let step): "stop@\(step)"
            case .clock(let step, let seconds): "clock\(seconds < 0 ? "" : "+")\(seconds)@\(step)"
            }
        }

        init?(_ text: Substring) {
            let parts = text.split(separator: "@")
            guard parts.count == 2, let place = Int(parts[1]) else { return nil }
            switch parts[0] {
            case "kill": self = .kill(step: place)
            case "kill-writing": self = .killWriting(operation: place)
            case "kill-halfway": self = .killHalfway(append: place)
            case "power": self = .powerCut(step: place)
            case "power-writing": self = .powerCutWriting(operation: place)
            case "power-end": self = .powerCutAtEnd
            case "full": self = .diskIsFull(operation: place)
            case "stop": self = .stop(step: place)
            case let name where name.hasPrefix("clock"):
                guard let seconds = Int(name.dropFirst("clock".count)) else { return nil }
                self = .clock(step: place, seconds: seconds)
            default:
                guard parts[0].hasPrefix("disk-"), let errno = Int32(parts[0].dropFirst(5)) else { return nil }
                self = .diskFails(operation: place, errno: errno)
            }
        }
    }

    /// One process of the job.
    public struct Life: Sendable, Equatable {
        /// The time before it starts, since the last one ended. Without one it starts when the next night begins.
        public var pause: Duration?
        public var fault: Fault?
        /// How many seconds the machine's calendar is ahead of the true time; below 0: behind.
        public var calendar = 0
        /// The storage is one of an earlier version by then, by so many migrations; nil: of this one.
        public var olderVersion: Int?
        /// The same at its end.
        var calendarAtEnd: Int {
            if case .clock(_, let seconds)? = fault { calendar + seconds } else { calendar }
        }
    }

    public var seed: UInt64
    public var hosts: Int
    public var mostPages: Int
    public var maximumPages: Int
    public var maximumPagesPerHost: Int
    /// The size at which the followed file is rotated; nil: never.
    public var rotation: Int?
    /// Whether all exchanges are archived.
    public var isArchived = false
    public var lives: [Life]

    /// How large simulated jobs are.
    public enum Size: String, Sendable, CaseIterable {
        /// A week of a few hosts.
        case small
        /// A year of nightly runs over 2,000 hosts.
        case year
        /// One run over 300,000 hosts, which gets to know 10 million URLs.
        case large
    }

    /// The plan of a seed.
    public init(seed: UInt64, size: Size) {
        self.seed = seed
        var numbers = SeededNumbers(seed: seed ^ SeededNumbers.hash("plan"))
        switch size {
        case .small:
            hosts = 1 + numbers.upTo(6)
            mostPages = 1 + numbers.upTo(10)
            maximumPages = numbers.upTo(3) == 0 ? 1 + numbers.upTo(8) : 100_000
            maximumPagesPerHost = numbers.upTo(4) == 0 ? 1 + numbers.upTo(4) : 10_000
            var nights = 4 + numbers.upTo(5)
            let waits = numbers.upTo(10) == 0
            if waits {
                // Many nights without faults, of which each reaches a part only: whoever starves shows.
                (hosts, mostPages, nights) = (4 + numbers.upTo(3), 12, 25)
                if numbers.upTo(2) == 0 {
                    (maximumPages, maximumPagesPerHost) = (6 + numbers.upTo(4), 10_000)
                } else {
                    (maximumPages, maximumPagesPerHost) = (100_000, 2 + numbers.upTo(3))
                }
            }
            // Numbers of their own, so that the rest of a plan does not depend on them.
            var sizes = SeededNumbers(seed: seed ^ SeededNumbers.hash("rotation"))
            rotation = sizes.upTo(2) == 0 ? nil : 2_000 + sizes.upTo(sizes.upTo(2) == 0 ? 3_000 : 30_000)
            isArchived = sizes.upTo(3) == 0
            var clocks = SeededNumbers(seed: seed ^ SeededNumbers.hash("clocks"))
            var ends = SeededNumbers(seed: seed ^ SeededNumbers.hash("power at the end"))
            var upgrades = SeededNumbers(seed: seed ^ SeededNumbers.hash("upgrades"))
            lives = []
            for night in 0..<nights {
                lives.append(Life(pause: nil, fault: nil))
                if upgrades.upTo(12) == 0 {
                    lives[lives.count - 1].olderVersion = 1 + upgrades.upTo(OlderVersion.count)
                }
                guard night < nights - 2, !waits else { continue }
                if ends.upTo(12) == 0 {
                    lives[lives.count - 1].fault = .powerCutAtEnd
                    continue
                }
                // In some nights the machine's clock is wrong, by minutes up to days, or is set.
                func step(_ numbers: inout SeededNumbers) -> Int {
                    let step = [600, 7_200, 90_000, 250_000][numbers.upTo(4)]
                    return numbers.upTo(2) == 0 ? step : -step
                }
                if numbers.upTo(12) == 0 { lives[lives.count - 1].calendar = step(&numbers) }
                if clocks.upTo(15) == 0 {
                    lives[lives.count - 1].fault = .clock(step: 1 + clocks.upTo(400), seconds: step(&clocks))
                    continue
                }
                // Each process that dies is started again.
                while numbers.upTo(2) == 0 {
                    lives[lives.count - 1].fault = Self.fault(&numbers)
                    lives.append(Life(pause: .seconds(60 + numbers.upTo(600)), fault: nil))
                }
            }
        case .year:
            hosts = 2_000
            mostPages = 450
            maximumPages = 100_000
            maximumPagesPerHost = 10_000
            lives = (0..<365).map { _ in Life(pause: nil, fault: nil) }
            for night in stride(from: 10, to: 350, by: 17) { lives[night].fault = Self.fault(&numbers) }
        case .large:
            (hosts, mostPages) = (300_000, 400)
            (maximumPages, maximumPagesPerHost) = (400_000, 10_000)
            lives = [Life(pause: nil, fault: nil)]
        }
    }

    static func fault(_ numbers: inout SeededNumbers) -> Fault {
        // Most of a small run's events are in its first hundreds.
        let place = 1 + numbers.upTo(numbers.upTo(3) == 0 ? 3_000 : 400)
        switch numbers.upTo(8) {
        case 0: return .kill(step: place)
        case 1, 2: return place % 2 == 0 ? .killWriting(operation: place) : .killHalfway(append: 1 + place % 12)
        case 3: return .powerCut(step: place)
        case 4, 5: return .powerCutWriting(operation: place)
        case 6:
            return numbers.upTo(2) == 0
                ? .diskIsFull(operation: place)
                : .diskFails(operation: place, errno: [5, 28, 4, 24][numbers.upTo(4)])
        default: return .stop(step: place)
        }
    }

    /// How many days of the web the plan takes.
    var days: Int { lives.count { $0.pause == nil } + 1 }

    /// Whether somebody uses all other commands after a process: after the last, and now and then before.
    func usesCommands(after process: Int) -> Bool {
        process == lives.count - 1 || process % (lives.count > 100 ? 30 : 3) == 0
    }

    // MARK: As text, to run it again

    public var description: String {
        let lives = lives.map {
            ($0.pause.map { "\(Int($0 / .seconds(1)))" } ?? "night") + ($0.olderVersion.map { "^\($0)" } ?? "")
                + ($0.calendar == 0 ? "" : "~\($0.calendar)")
                + ($0.fault.map { ":\($0)" } ?? "")
        }
        return
            "seed=\(seed) hosts=\(hosts) pages=\(mostPages) max=\(maximumPages) max-per-host=\(maximumPagesPerHost) "
            + (rotation.map { "rotate=\($0) " } ?? "") + (isArchived ? "archive=1 " : "")
            + "lives=\(lives.joined(separator: ","))"
    }

    /// Reads a plan as `description` writes it; nil if it is none.
    public init?(_ text: String) {
        guard let values = Self.values(in: text) else { return nil }
        guard let seed = values["seed"].flatMap({ UInt64($0) }), let hosts = values["hosts"].flatMap({ Int($0) }),
            let pages = values["pages"].flatMap({ Int($0) }), let maximum = values["max"].flatMap({ Int($0) }),
            let perHost = values["max-per-host"].flatMap({ Int($0) }), let lives = values["lives"]
        else { return nil }
        (self.seed, self.hosts, mostPages) = (seed, hosts, pages)
        (maximumPages, maximumPagesPerHost) = (maximum, perHost)
        rotation = values["rotate"].flatMap { Int($0) }
        isArchived = values["archive"] == "1"
        self.lives = []
        for life in lives.split(separator: ",") {
            let parts = life.split(separator: ":")
            let times = parts.first?.split(separator: "~") ?? []
            let start = times.first?.split(separator: "^") ?? []
            guard let first = start.first, first == "night" || Int(first) != nil else { return nil }
            let fault = parts.count > 1 ? Fault(parts[1]) : nil
            guard parts.count == 1 || fault != nil else { return nil }
            self.lives.append(
                Life(
                    pause: Int(first).map { .seconds($0) }, fault: fault,
                    calendar: times.count > 1 ? Int(times[1]) ?? 0 : 0,
                    olderVersion: start.count > 1 ? Int(start[1]) : nil))
        }
    }

    // MARK: Shrinking

    /// Smaller plans that may fail in the same way, the smallest first.
    public var smaller: [Plan] {
        var plans: [Plan] = []
        func add(_ change: (inout Plan) -> Void) {
            var plan = self
            change(&plan)
            if plan != self { plans.append(plan) }
        }
        add { $0.hosts = max(1, hosts / 2) }
        add { $0.hosts = max(1, hosts - 1) }
        add { $0.mostPages = max(1, mostPages / 2) }
        add { $0.mostPages = max(1, mostPages - 1) }
        if lives.count > 1 { add { $0.lives = Array(lives.prefix(lives.count / 2)) } }
        for index in lives.indices {
            if lives[index].fault != nil { add { $0.lives[index].fault = nil } }
            if lives[index].calendar != 0 { add { $0.lives[index].calendar = 0 } }
            if lives[index].olderVersion != nil { add { $0.lives[index].olderVersion = nil } }
            if lives.count > 1 { add { $0.lives.remove(at: index) } }
        }
        add { $0.maximumPages = 100_000 }
        add { $0.maximumPagesPerHost = 10_000 }
        add { $0.rotation = nil }
        add { $0.isArchived = false }
        return plans
    }

    public func run(scratch: URL) async throws -> SimulationReport {
        try await Simulation.run(scratch: scratch) { folder in
            let job = SimulatedJob(plan: self, scratch: folder)
            let (consumer, exporter, user) = (TailingConsumer(), ExportingConsumer(), CommandUser())
            let auditor = JobAuditor(plan: self, web: job.web)
            for (number, life) in lives.enumerated() {
                let end = try await job.live(
                    life, number: number, look: { consumer.look(at: $0) },
                    interfere: {
                        exporter.export(from: $0)
                        user.crawlToo(in: $0)
                    })
                if case .finished = end { consumer.finish(job.records) } else { consumer.look(at: job.records) }
                exporter.export(from: job.folder)
                auditor.note(job.log)
                auditor.ended(life: number, life, end, at: job.now, consumer: consumer, exporter: exporter)
                if isArchived, case .finished = end { try auditor.auditArchive(job.archive) }
                if case .finished(let summary) = end, life.fault == nil, summary.ending != .interrupted,
                    usesCommands(after: number)
                {
                    try auditor.use(user, in: job.folder, consumer, at: job.now)
                }
                auditor.take(user.violations)
                auditor.measure(job, consumer)
                if !auditor.violations.isEmpty { break }
            }
            auditor.auditAll(consumer, exporter)
            auditor.auditRequests()
            auditor.auditWaiting()
            return auditor.report(consumer)
        }
    }
}
