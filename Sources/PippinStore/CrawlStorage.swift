import Foundation
import GRDB
import Glibc

/// The folder in which a crawl job keeps what it must remember: one job at a time, and a ledger of its runs.
public final class CrawlStorage: Sendable {
    public enum StorageError: Error, CustomStringConvertible {
        /// Another process runs a job in this folder.
        case held(folder: String, by: String)
        case unusable(folder: String, reason: String)

        public var description: String {
            switch self {
            case .held(let folder, let owner):
                "Another run holds the storage \(folder)\(owner.isEmpty ? "" : " (process \(owner))"); wait for it to end."
            case .unusable(let folder, let reason): "The storage \(folder) cannot be used: \(reason)"
            }
        }
    }

    /// One run of a job, as the ledger keeps it.
    public struct Run: Sendable, Codable, FetchableRecord, MutablePersistableRecord {
        public static let databaseTableName = "run"
        public var id: Int64?
        public var startedAt: Date
        /// Absent while it runs, and for ever when it was killed.
        public var endedAt: Date?
        /// `done`, `limit`, `interrupted`, `failed`.
        public var ending: String?
        public var visits: Int
        public var records: Int

        public mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    private let lockDescriptor: Int32
    private let database: DatabaseQueue

    /// Opens the folder, making it when it is new, and holds it until the object goes away. The kernel lets go of the lock
    /// when the process ends, however it ends.
    public init(folder: URL) throws {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw StorageError.unusable(folder: folder.path, reason: error.localizedDescription)
        }
        let lockFile = folder.appending(path: "lock").path
        let descriptor = open(lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw StorageError.unusable(folder: folder.path, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            var buffer = [UInt8](repeating: 0, count: 32)
            let count = max(0, pread(descriptor, &buffer, buffer.count, 0))
            close(descriptor)
            throw StorageError.held(folder: folder.path, by: String(decoding: buffer[..<count], as: UTF8.self))
        }
        let owner = "\(getpid())"
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, owner, owner.utf8.count, 0) == owner.utf8.count else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw StorageError.unusable(folder: folder.path, reason: reason)
        }
        do {
            database = try DatabaseQueue(path: folder.appending(path: "pippin.sqlite").path)
            var migrator = DatabaseMigrator()
            migrator.registerMigration("runs") { database in
                try database.create(table: "run") { table in
                    table.autoIncrementedPrimaryKey("id")
                    table.column("startedAt", .datetime).notNull()
                    table.column("endedAt", .datetime)
                    table.column("ending", .text)
                    table.column("visits", .integer).notNull()
                    table.column("records", .integer).notNull()
                }
            }
            try migrator.migrate(database)
        } catch {
            close(descriptor)
            throw StorageError.unusable(folder: folder.path, reason: "\(error)")
        }
        lockDescriptor = descriptor
    }

    deinit {
        // Closing alone is not enough at once: a process that is just being started has the descriptor until it runs.
        flock(lockDescriptor, LOCK_UN)
        close(lockDescriptor)
    }

    /// Writes that a run has begun.
    public func begin(at date: Date) throws -> Run {
        try database.write { database in
            var run = Run(startedAt: date, visits: 0, records: 0)
            try run.insert(database)
            return run
        }
    }

    /// Writes how a run ended.
    public func end(_ run: Run, at date: Date, ending: String, visits: Int, records: Int) throws {
        try database.write { database in
            var run = run
            run.endedAt = date
            run.ending = ending
            run.visits = visits
            run.records = records
            try run.update(database)
        }
    }

    /// The runs of this folder, newest first.
    public func runs(limit: Int = 20) throws -> [Run] {
        try database.read { try Run.order(sql: "id DESC").limit(limit).fetchAll($0) }
    }
}
