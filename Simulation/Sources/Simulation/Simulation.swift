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
}

/// Runs plans.
public enum Simulation {
    /// Runs the plans of seeds, several at a time.
    ///
    /// - Parameter body: gets each seed and its report, one after the other, as they end.
    public static func run(
        _ size: Plan.Size, _ seeds: ClosedRange<UInt64>, scratch: URL,
        _ body: (UInt64, SimulationReport) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (UInt64, SimulationReport).self) { group in
            var left = seeds.makeIterator()
            func start() {
                guard let seed = left.next() else { return }
                group.addTask { (seed, try await run(Plan(seed: seed, size: size), scratch: scratch)) }
            }
            for _ in 0..<max(1, ProcessInfo.processInfo.activeProcessorCount) { start() }
            for try await (seed, report) in group {
                start()
                try await body(seed, report)
            }
        }
    }

    /// Runs a plan and audits it.
    ///
    /// - Parameter scratch: an empty folder, better in memory; it is emptied again.
    public static func run(_ plan: Plan, scratch: URL) async throws -> SimulationReport {
        let folder = scratch.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let job = SimulatedJob(plan: plan, scratch: folder)
        let (consumer, exporter, user) = (TailingConsumer(), ExportingConsumer(), CommandUser())
        let auditor = Auditor(plan: plan, web: job.web)
        for (number, life) in plan.lives.enumerated() {
            let before = job.log.count
            let end = try await job.live(
                life, look: { consumer.look(at: $0) },
                interfere: {
                    exporter.export(from: $0)
                    user.crawlToo(in: $0)
                })
            if case .finished = end { consumer.finish(job.records) } else { consumer.look(at: job.records) }
            exporter.export(from: job.folder)
            auditor.note(job.log.entries(from: before))
            auditor.ended(life: number, life, end, at: job.now, consumer: consumer, exporter: exporter)
            if plan.isArchived, case .finished = end { try auditor.auditArchive(job.archive) }
            if case .finished(let summary) = end, life.fault == nil, summary.ending != .interrupted,
                plan.usesCommands(after: number)
            {
                try auditor.use(user, in: job.folder, consumer, at: job.now)
            }
            auditor.take(user.violations)
            auditor.measure(job, consumer)
            if !auditor.violations.isEmpty { break }
        }
        auditor.auditAll(consumer, exporter)
        auditor.auditRequests()
        return auditor.report(consumer)
    }

    /// The smallest plan found that fails too, and its report. It tries until nothing smaller fails, or `tries` are spent.
    public static func shrink(_ plan: Plan, scratch: URL, tries: Int = 200) async throws -> (Plan, SimulationReport) {
        var (best, report) = (plan, try await run(plan, scratch: scratch))
        guard let kind = report.violations.first?.prefix(while: { $0 != ":" }) else { return (best, report) }
        var left = tries
        var isSmaller = true
        while isSmaller, left > 0 {
            isSmaller = false
            for candidate in best.smaller where left > 0 {
                left -= 1
                let found = try await run(candidate, scratch: scratch)
                guard found.violations.first?.prefix(while: { $0 != ":" }) == kind else { continue }
                (best, report) = (candidate, found)
                isSmaller = true
                break
            }
        }
        return (best, report)
    }
}
