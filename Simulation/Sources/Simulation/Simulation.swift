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
    /// The last step of each process, for people.
    public internal(set) var trace: [String] = []
    /// A number for all that the web and the consumer saw. The same plan has the same.
    public internal(set) var fingerprint: UInt64 = 0
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
    case robotsFailed = "robots.txt failed"
    case robotsClosed = "robots.txt closed a host"
    case pageLimit = "page limit reached"
    case hostPageLimit = "page limit of a host reached"
    case hostLeft = "host left for the next run"
    case recordDeleted = "record deleted"
    case halfLine = "half a line after a crash"
}

/// Runs plans.
public enum Simulation {
    /// Runs a plan and audits it.
    ///
    /// - Parameter scratch: an empty folder, better in memory; it is emptied again.
    public static func run(_ plan: Plan, scratch: URL) async throws -> SimulationReport {
        let folder = scratch.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let job = SimulatedJob(plan: plan, scratch: folder)
        let consumer = TailingConsumer()
        let auditor = Auditor(plan: plan, web: job.web)
        for (number, life) in plan.lives.enumerated() {
            let before = job.log.count
            let end = try await job.live(life) { consumer.look(at: $0) }
            if case .finished = end { consumer.finish(job.records) } else { consumer.look(at: job.records) }
            auditor.note(job.log.entries)
            auditor.ended(
                life: number, life, end, requests: job.log.entries[before...], at: job.now, consumer: consumer)
            if !auditor.violations.isEmpty { break }
        }
        auditor.auditRequests(job.log.entries)
        return auditor.report(job.log, consumer)
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
