import Foundation
import GRDB
import Glibc
import PippinCrawl

/// The folder in which a crawl job keeps what it must remember: one job at a time, and a ledger of its runs.
public final class CrawlStorage: Sendable {
    public enum StorageError: ReportedError {
        /// Another process runs a job in this folder.
        case held(folder: String, by: String)
        case unusable(folder: String, reason: String)
        case diskFull(path: String)
        /// The database does not say what it must: somebody else has written into it.
        case damaged(reason: String)
        /// A cursor that this storage has not given.
        case foreignCursor(String)

        public var exitStatus: ExitStatus {
            switch self {
            case .held: .held
            case .foreignCursor: .usage
            case .unusable, .diskFull, .damaged: .outputFailed
            }
        }

        public var description: String {
            switch self {
            case .held(let folder, let owner):
                "Another run holds the storage \(folder)\(owner.isEmpty ? "" : " (process \(owner))"); wait for it to end."
            case .unusable(let folder, let reason): "The storage \(folder) cannot be used: \(reason)"
            case .diskFull(let path):
                "The disk with \(path) is full. What was finished is kept: make room, and run again to go on."
            case .damaged(let reason): "The storage's database is damaged: \(reason)"
            case .foreignCursor(let cursor):
                "The cursor \"\(cursor)\" is not of this storage; export without a cursor to start anew."
            }
        }

        /// Trouble of a database as one of ours.
        init(_ error: any Error, database: any DatabaseReader) {
            self.init(error, path: database.path)
        }

        /// - Parameter path: of the storage's folder, or of the database in it; messages name the folder, so that one
        ///   trouble has one sentence wherever it is met.
        init(_ error: any Error, path: String) {
            let file = "/" + CrawlStorage.databaseName
            let folder = path.hasSuffix(file) ? String(path.dropLast(file.count)) : path
            switch error {
            case let error as StorageError: self = error
            case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .diskFull(path: folder)
            // The index of the write-ahead log, a file of its own, could not grow.
            case let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE:
                self = .diskFull(path: folder)
            case let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT:
                self = .damaged(reason: "\(path): \(error)")
            case let error as DatabaseError where error.resultCode == .SQLITE_NOTADB:
                self = .unusable(
                    folder: folder,
                    reason: "\(CrawlStorage.databaseName) is not a database; remove it, or name another folder")
            default: self = .unusable(folder: folder, reason: "\(error)")
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
    private let checkpoints: LogCheckpoints
    let database: DatabasePool
    let folder: URL
    /// Told when records have changed.
    let recordsChanged = RecordsSignal()

    /// File of the database in a storage folder.
    static let databaseName = "pippin.sqlite"

    /// Whether a job has written into the folder.
    public static func exists(in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: databaseName).path)
    }

    /// The database of a folder that another process may be writing: to read it takes no lock, and changes nothing.
    static func databaseToRead(in folder: URL) throws -> DatabaseQueue {
        guard exists(in: folder) else {
            var status = stat()
            let reason =
                if stat(folder.path, &status) != 0 {
                    "no job has written into it yet, there is no such folder; pippin crawl makes it, and --storage names another"
                } else if status.st_mode & S_IFMT != S_IFDIR {
                    "it is a file; --storage names a folder"
                } else {
                    "no job has written into it yet; pippin crawl does"
                }
            throw StorageError.unusable(folder: folder.path, reason: reason)
        }
        let path = folder.appending(path: databaseName).path
        do {
            let database = try DatabaseQueue(path: path, configuration: StoreSchema.configuration(readonly: true))
            guard try database.read(StoreSchema.migrator(of: folder).hasCompletedMigrations) else {
                throw StorageError.unusable(
                    folder: folder.path, reason: "an older version of Pippin has written it; pippin crawl brings it up")
            }
            return database
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Opens the folder, making it when it is new, and holds it until the object goes away. The kernel lets go of the lock
    /// when the process ends, however it ends.
    public init(folder: URL) throws {
        if let number = OutputFolder.make(folder.path) {
            let reason = number == ENOTDIR ? "a file is in its place" : SystemReason.words(number)
            throw StorageError.unusable(folder: folder.path, reason: reason)
        }
        let lockFile = folder.appending(path: "lock").path
        let descriptor = OutputFile.open(lockFile, flags: O_RDWR | O_CREAT)
        guard descriptor >= 0 else {
            throw StorageError.unusable(folder: folder.path, reason: SystemReason.words(errno))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            var buffer = [UInt8](repeating: 0, count: 32)
            let count = max(0, pread(descriptor, &buffer, buffer.count, 0))
            close(descriptor)
            throw StorageError.held(folder: folder.path, by: String(decoding: buffer[..<count], as: UTF8.self))
        }
        let owner = "\(getpid())"
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, owner, owner.utf8.count, 0) == owner.utf8.count else {
            let reason = SystemReason.words(errno)
            close(descriptor)
            throw StorageError.unusable(folder: folder.path, reason: reason)
        }
        do {
            let path = folder.appending(path: Self.databaseName).path
            try Self.makeFile(path)
            checkpoints = LogCheckpoints(path: path)
            database = try DatabasePool(path: path, configuration: StoreSchema.configuration(checkpoints: checkpoints))
            let migrator = StoreSchema.migrator(of: folder)
            guard try !database.read({ try StoreSchema.isNewer($0, migrator) }) else {
                throw StorageError.unusable(folder: folder.path, reason: "a newer version of Pippin has written it")
            }
            try migrator.migrate(database)
        } catch {
            close(descriptor)
            throw StorageError(error, path: folder.path)
        }
        lockDescriptor = descriptor
        self.folder = folder
    }

    /// Makes the database's file, with the rights of any output: SQLite would let everybody read it, and gives its other files the
    /// rights of this one. An empty file is an empty database. Files that are there are not opened: to close them would take
    /// the locks of whoever reads them in this process.
    private static func makeFile(_ path: String) throws {
        for path in [path, path + "-wal", path + "-shm"] where OutputFile.leadsAway(path) {
            throw StorageError.unusable(folder: path, reason: SystemReason.words(ELOOP))
        }
        guard access(path, F_OK) != 0, errno == ENOENT else { return }
        let descriptor = OutputFile.open(path, flags: O_RDWR | O_CREAT)
        guard descriptor >= 0 else { throw StorageError.unusable(folder: path, reason: SystemReason.words(errno)) }
        close(descriptor)
    }

    /// The frontier of the job, with what earlier runs left. One at a time.
    ///
    /// - Parameters:
    ///   - limits: how much of what is found waits at most.
    ///   - date: the calendar's time.
    ///   - executor: where the database is used; a thread of its own, unless a test makes up the time.
    public func frontier(
        recrawl: CrawlConfiguration.Recrawl, limits: FrontierLimits = .unlimited,
        date: @escaping @Sendable () -> Date = { Date() },
        executor: any SerialExecutor = BlockingExecutor("pippin.frontier")
    ) throws -> SQLiteFrontier {
        let recordsChanged = recordsChanged
        do {
            return try SQLiteFrontier(
                database: database, recrawl: recrawl, limits: limits, date: date, executor: executor,
                onRecords: { recordsChanged.tell() })
        } catch {
            throw StorageError(error, path: folder.path)
        }
    }

    /// Runs that the ledger keeps.
    private static let keptRuns = 1_000
    /// How long the end of a run waits for somebody who reads an old state of the database.
    private static let longestWaitForReaders = 2_000

    /// Copies the write-ahead log into the database and empties its file, at the end of a run. While somebody reads, as an export
    /// may for long, as much is copied as can be; the next run's end does the rest.
    public func emptyLog() throws {
        checkpoints.finish()
        do {
            try database.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA busy_timeout = \(Self.longestWaitForReaders)")
                // SQLite answers that it was busy, which is no fault.
                _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return
        } catch {
            throw StorageError(error, path: folder.path)
        }
    }

    /// No more records change: who follows them can come to an end.
    public func endChanges() {
        recordsChanged.end()
    }

    deinit {
        checkpoints.finish()
        // Closing alone is not enough at once: a process that is just being started has the descriptor until it runs.
        flock(lockDescriptor, LOCK_UN)
        recordsChanged.end()
        close(lockDescriptor)
    }

    /// The changes of the folder's records.
    public var feed: ChangeFeed { ChangeFeed(database: database) }

    /// Lets the database grow to so many pages of 4 KB at most, as a disk does that is full then.
    func limitSize(toPages count: Int) throws {
        try write { try $0.execute(sql: "PRAGMA max_page_count = \(count)") }
    }

    /// Writes that a run has begun.
    public func begin(at date: Date) throws -> Run {
        try write { database in
            var run = Run(startedAt: date, visits: 0, records: 0)
            try run.insert(database)
            if let id = run.id {
                try database.execute(sql: "DELETE FROM run WHERE id <= ?", arguments: [id - Int64(Self.keptRuns)])
            }
            return run
        }
    }

    /// Writes how a run ended.
    public func end(_ run: Run, at date: Date, ending: String, visits: Int, records: Int) throws {
        try write { database in
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
        try read { try Run.order(sql: "id DESC").limit(limit).fetchAll($0) }
    }

    // MARK: Access, with trouble as `StorageError`

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try database.write(body)
        } catch {
            throw StorageError(error, path: folder.path)
        }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try database.read(body)
        } catch {
            throw StorageError(error, path: folder.path)
        }
    }
}
