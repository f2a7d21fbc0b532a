import Foundation
import PippinCrawl
import PippinStore

/// What came of a simulated job.
public struct SimulationReport: Sendable {
    /// What was promised and is not true.
    public internal(set) var violations: [String] = []
    /// How often something rare happened (`RarePath`).
    public internal(set) var rare: [RarePath: Int] = [:]
    public internal(set) var requests = 0
    public internal(set) var lines = 0
    /// What the files took after each process.
    public internal(set) var sizes: [StorageSizes] = []
    /// The last step of each process, for people.
    public internal(set) var trace: [String] = []
    /// What the servers saw last, if something is not true.
    public internal(set) var lastRequests: [String] = []
    /// A number for all that the web and the consumer saw. The same plan has the same.
    public internal(set) var fingerprint: UInt64 = 0
}

/// What the files of a job take, and what they hold.
public struct StorageSizes: Sendable {
    public let day: Int
    /// URLs that were asked for so far, and records that are not deleted.
    public let urls, records: Int
    /// Bytes: the storage's database, the search index, and the followed file.
    public let storage, search, lines: Int

    init(day: Int, urls: Int, records: Int, in folder: URL, lines: String) {
        (self.day, self.urls, self.records) = (day, urls, records)
        func bytes(_ name: String) -> Int {
            (try? folder.appending(path: name).resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
        }
        storage = bytes("pippin.sqlite") + bytes("pippin.sqlite-wal")
        search = bytes("search.sqlite") + bytes("search.sqlite-wal")
        self.lines = bytes(lines)
    }

    public static let header = "day,urls,records,storage,search,lines"
    public var line: String { "\(day),\(urls),\(records),\(storage),\(search),\(lines)" }
}

/// What a simulation must meet now and then, or it proves nothing about it.
public enum RarePath: String, Sendable, CaseIterable {
    case killed
    case killedWhileWriting = "killed while writing"
    case powerLost = "power lost"
    case powerLostAtEnd = "power lost after a process had ended"
    case writesLost = "writes lost with the power"
    case diskFailed = "disk failed"
    case stopped
    case throttled = "429 with Retry-After"
    case throttledThenKilled = "429, then killed"
    case notModified = "304"
    case notModifiedAfterChange = "304 after the site's association file has changed"
    case robotsFailed = "robots.txt failed"
    case robotsClosed = "robots.txt closed a host"
    case pageLimit = "page limit reached"
    case hostPageLimit = "page limit of a host reached"
    case hostLeft = "host left for the next run"
    case recordDeleted = "record deleted"
    case rotated = "followed file rotated"
    case halfLine = "half a line after a crash"
    case clockAhead = "clock set forward"
    case clockBehind = "clock set back"
    case clockSet = "clock set during a run"
    case upgraded = "storage upgraded"
    case upgradeInterrupted = "storage upgraded, and ended by a fault"
    // Of jobs in shards only.
    case timeOver = "turn ended by its time"
    case addressesFound = "turn ended, for addresses were not named"
    case mail = "URLs found for other shards"
    case driverDied = "driver died in a turn"
    case uncommitted = "driver died before its commit"
    case diskLost = "disk of a shard lost"
    case moved = "job moved into other shards"
    case moveInterrupted = "move ended by a fault"

    /// What jobs in shards meet; the others are of jobs on one machine.
    public static let ofCluster: Set<RarePath> = [
        .killed, .powerLost, .powerLostAtEnd, .writesLost, .diskFailed, .upgraded, .recordDeleted, .timeOver,
        .addressesFound, .mail,
        .driverDied, .uncommitted, .diskLost, .moved, .moveInterrupted,
    ]
    public static let ofJob = Set(allCases).subtracting([
        .timeOver, .addressesFound, .mail, .driverDied, .uncommitted, .diskLost, .moved, .moveInterrupted,
    ])
}

/// All that is to happen in a simulated job.
public protocol SimulationPlan: Sendable, Equatable, CustomStringConvertible {
    /// Reads a plan as `description` writes it; nil if it is none.
    init?(_ text: String)
    /// Smaller plans that may fail in the same way, the smallest first.
    var smaller: [Self] { get }
    /// Lets it all happen, and audits it.
    ///
    /// - Parameter scratch: a folder, better in memory; what is made in it is removed again.
    func run(scratch: URL) async throws -> SimulationReport
}

extension SimulationPlan {
    /// The values of a text such as `seed=7 hosts=1`, by their names; nil if it is none.
    static func values(in text: String) -> [Substring: Substring]? {
        var values: [Substring: Substring] = [:]
        for part in text.split(separator: " ") {
            guard let sign = part.firstIndex(of: "=") else { return nil }
            values[part[..<sign]] = part[part.index(after: sign)...]
        }
        return values
    }
}

/// Runs plans.
public enum Simulation {
    /// Runs the plans of seeds, several at a time.
    ///
    /// - Parameter body: gets each seed and its report, one after the other, as they end.
    public static func run(
        _ seeds: ClosedRange<UInt64>, _ plan: @escaping @Sendable (UInt64) -> some SimulationPlan, scratch: URL,
        _ body: (UInt64, SimulationReport) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (UInt64, SimulationReport).self) { group in
            var left = seeds.makeIterator()
            func start() {
                guard let seed = left.next() else { return }
                group.addTask { (seed, try await plan(seed).run(scratch: scratch)) }
            }
            for _ in 0..<max(1, ProcessInfo.processInfo.activeProcessorCount) { start() }
            for try await (seed, report) in group {
                start()
                try await body(seed, report)
            }
        }
    }

    /// Runs something in a folder of its own, which is removed again.
    static func run(
        scratch: URL, _ body: (URL) async throws -> SimulationReport
    ) async throws -> SimulationReport {
        let folder = scratch.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// The smallest plan found that fails too, and its report. It tries until nothing smaller fails, or `tries` are spent.
    public static func shrink<Plan: SimulationPlan>(
        _ plan: Plan, scratch: URL, tries: Int = 200
    ) async throws -> (Plan, SimulationReport) {
        var (best, report) = (plan, try await plan.run(scratch: scratch))
        guard let kind = report.violations.first?.prefix(while: { $0 != ":" }) else { return (best, report) }
        var left = tries
        var isSmaller = true
        while isSmaller, left > 0 {
            isSmaller = false
            for candidate in best.smaller where left > 0 {
                left -= 1
                let found = try await candidate.run(scratch: scratch)
                guard found.violations.first?.prefix(while: { $0 != ":" }) == kind else { continue }
                (best, report) = (candidate, found)
                isSmaller = true
                break
            }
        }
        return (best, report)
    }
}
