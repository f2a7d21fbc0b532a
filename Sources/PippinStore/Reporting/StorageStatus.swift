import Foundation
import GRDB
import Glibc
import PippinCrawl

/// Where a job stands: what is queued, what is due, who is left alone, how the last runs went.
public struct StorageStatus: Sendable {
    public let at: Date
    public let hosts: Int
    /// URLs that are known; that wait to be visited; that were visited and are due again.
    public let known: Int
    public let queued: Int
    public let due: Int
    /// URLs by the code of their last visit.
    public let lastOutcomes: [String: Int]
    /// Records that are not deleted.
    public let records: Int
    /// URLs that were found and not kept, as more of their hosts waited than a run may visit (`FrontierLimits`); each time counts.
    public let dropped: Int
    /// Their hosts, those with the most first.
    public let dropping: [StorageReader.Host]
    /// The URL that is due next, by its host.
    public let nextDue: (host: String, at: Date)?
    public let busiest: [StorageReader.Host]
    public let blocked: [StorageReader.Host]
    public let blockedCount: Int
    /// Hosts whose last request failed, by name.
    public let troubled: [StorageReader.Host]
    public let troubledCount: Int
    /// Newest first.
    public let runs: [CrawlStorage.Run]
    /// The process that has the storage open.
    public let runningProcess: Int32?
    /// A run has it open no more, and did not end in order.
    public let endedUncleanly: Bool
    public let progress: CrawlProgress?

    /// - Parameter shown: hosts of each list, and runs, at most.
    public init(_ reader: StorageReader, now: Date = Date(), shown: Int = 10) throws {
        at = now
        progress = try reader.progress()
        let owner = Self.owner(of: reader.folder)
        let seconds = now.storeSeconds
        let milliseconds = now.addingTimeInterval(StorageReader.ordinaryPause).storeMilliseconds
        struct Found {
            var hosts = 0
            var known = 0
            var queued = 0
            var due = 0
            var outcomes: [String: Int] = [:]
            var records = 0
            var dropped = 0
            var dropping: [StorageReader.Host] = []
            var nextDue: (host: String, at: Date)?
            var busiest: [StorageReader.Host] = []
            var blocked: [StorageReader.Host] = []
            var blockedCount = 0
            var troubled: [StorageReader.Host] = []
            var troubledCount = 0
            var runs: [CrawlStorage.Run] = []
            var isOpen = false
        }
        let found = try reader.read { database in
            var found = Found()
            if let row = try Row.fetchOne(database, sql: "SELECT hosts, known, queued, records, dropped FROM store") {
                (found.hosts, found.known, found.queued, found.records) = (row[0], row[1], row[2], row[3])
                found.dropped = row[4]
            }
            found.due = try URLTable.countDue(database, until: seconds)
            for row in try Row.fetchAll(database, sql: "SELECT code, urls FROM outcome WHERE urls > 0") {
                found.outcomes[row[0]] = row[1]
            }
            if let row = try Row.fetchOne(
                database,
                sql: "SELECT name, nextDue FROM host WHERE nextDue IS NOT NULL ORDER BY nextDue LIMIT 1")
            {
                found.nextDue = (row[0], Date(storeSeconds: row[1]))
            }
            func hosts(_ condition: String, _ arguments: StatementArguments) throws -> [StorageReader.Host] {
                try Row.fetchAll(
                    database, sql: "SELECT \(StorageReader.hostColumns) FROM host \(condition)", arguments: arguments
                ).map { StorageReader.host($0, now: now) }
            }
            found.busiest = try hosts("WHERE queued > 0 ORDER BY queued DESC, name LIMIT ?", [shown])
            let isBlocked = "(suspendedUntil > ? OR nextRequest > ?)"
            if found.dropped > 0 {
                found.dropping = try hosts("WHERE dropped > 0 ORDER BY dropped DESC, name LIMIT ?", [shown])
            }
            found.blocked = try hosts(
                """
                WHERE \(isBlocked) ORDER BY max(coalesce(suspendedUntil, 0) * 1000, coalesce(nextRequest, 0)) DESC, name
                LIMIT ?
                """, [seconds, milliseconds, shown])
            found.blockedCount =
                try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM host WHERE \(isBlocked)", arguments: [seconds, milliseconds])
                ?? 0
            found.troubled = try hosts("WHERE trouble IS NOT NULL ORDER BY name LIMIT ?", [shown])
            found.troubledCount =
                try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM (SELECT 1 FROM host WHERE trouble IS NOT NULL LIMIT 10000)")
                ?? 0
            found.runs = try CrawlStorage.Run.order(sql: "id DESC").limit(shown).fetchAll(database)
            found.isOpen = try Bool.fetchOne(database, sql: "SELECT isOpen FROM store") ?? false
            return found
        }
        (hosts, known, queued, due) = (found.hosts, found.known, found.queued, found.due)
        lastOutcomes = found.outcomes
        (dropped, dropping) = (found.dropped, found.dropping)
        records = found.records
        nextDue = found.nextDue
        (busiest, blocked, blockedCount) = (found.busiest, found.blocked, found.blockedCount)
        (troubled, troubledCount) = (found.troubled, found.troubledCount)
        runs = found.runs
        let isRunning = found.isOpen || found.runs.first.map { $0.endedAt == nil } ?? false
        runningProcess = isRunning ? owner : nil
        endedUncleanly = isRunning && owner == nil
    }

    /// The process that holds the storage's lock wrote its number there; it may have gone since.
    private static func owner(of folder: URL) -> Int32? {
        let descriptor = open(folder.appending(path: "lock").path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = max(0, pread(descriptor, &buffer, buffer.count, 0))
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard let process = Int32(text), process > 0 else { return nil }
        return kill(process, 0) == 0 || errno == EPERM ? process : nil
    }
}
