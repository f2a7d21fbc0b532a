import Foundation
import GRDB
import Glibc
import PippinCrawl
import Synchronization

/// The folder in which a crawl job keeps its state: the frontier, the records, and a list of its runs. One process at a time
/// runs a job in it.
public final class CrawlStorage: Sendable {
    /// One run of a job.
    public struct Run: Sendable, Codable, FetchableRecord, MutablePersistableRecord {
        public static let databaseTableName = "run"
        /// The number of the run; nil before it is stored.
        public var id: Int64?
        public var startedAt: Date
        /// When the run ended; nil while it runs, and for a run that was killed.
        public var endedAt: Date?
        /// `done`, `limit`, `interrupted` or `failed`; nil without `endedAt`.
        public var ending: String?
        /// How many visits the run has made.
        public var visits: Int
        /// How many records the run has written.
        public var records: Int
        /// What the job kept at the end of the run, in bytes; nil before, and for runs of earlier versions.
        public var bytes: Int?
        /// The names of the consumers that the run feeds, one a line.
        var consumers: String?

        var fed: [String] { (consumers ?? "").split(separator: "\n").map(String.init) }

        public mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    private let lockDescriptor: Int32
    private let checkpoints: LogCheckpoints
    private let tell: @Sendable (String) -> Void
    let database: DatabasePool
    let folder: URL
    /// Notifies followers when records have changed.
    let recordsChanged = RecordsSignal()
    /// Whether the storage was restored from a backup, and no run was in it since.
    public let isRestored: Bool

    /// Whether the folder has a job's database.
    public static func exists(in folder: URL) -> Bool { StorageDatabase.exists(in: folder) }

    /// Opens the folder, creates it if needed, and locks it until this object is released. The kernel releases the lock when
    /// the process ends, however it ends.
    ///
    /// - Parameters:
    ///   - waiting: how long to wait if another process has the lock.
    ///   - identity: the name of a new storage; nil: a random one. The order of URLs that are equally due depends on it: with the same
    ///     name, a simulation runs the same way again.
    ///   - isRestored: whether the folder was made from a copy that does not know itself that it is one.
    ///   - tell: gets a sentence about the database's log if a reader keeps it from being emptied.
    ///   - upgrading: gets sentences while a large storage of an earlier version is brought up to this one.
    /// - Throws: `StorageError`, for example `held` if another process has the lock; `CancellationError` if the task is cancelled
    ///   during an upgrade, which the next opening goes on with.
    public init(
        folder: URL, waiting: Duration = .zero, identity: String? = nil, isRestored restored: Bool = false,
        tell: @escaping @Sendable (String) -> Void = { _ in },
        upgrading: (String) -> Void = { _ in }
    ) throws {
        if let number = OutputFolder.make(folder.path) {
            let reason = number == ENOTDIR ? "a file is in its place" : SystemReason.words(number)
            throw StorageError.unusable(folder: folder.path, reason: reason)
        }
        let lockFile = folder.appending(path: "lock").path
        let descriptor = OutputFile.open(lockFile, flags: O_RDWR | O_CREAT)
        guard descriptor >= 0 else {
            throw StorageError.unusable(folder: folder.path, reason: SystemReason.words(errno))
        }
        guard Self.lock(descriptor, waiting: waiting) else {
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
            let path = folder.appending(path: StorageDatabase.fileName).path
            try Self.makeFile(path)
            checkpoints = LogCheckpoints(path: path, tell: tell)
            database = try DatabasePool(path: path, configuration: StoreSchema.configuration(checkpoints: checkpoints))
            try StoreSchema.upgrade(
                database, of: folder, identity: identity, committed: checkpoints.raise, tell: upgrading)
            isRestored = try database.write { database in
                if restored { try Self.markAsCopy(database) }
                return try Self.leaveGap(database)
            }
        } catch {
            close(descriptor)
            throw error is CancellationError ? error : StorageError(error, path: folder.path)
        }
        lockDescriptor = descriptor
        self.folder = folder
        self.tell = tell
    }

    /// Notes in a copy of a storage that it is one.
    static func markAsCopy(_ database: Database) throws {
        try database.execute(sql: "INSERT INTO gap(after, until) SELECT sequence, NULL FROM store")
    }

    /// In a storage that was restored from a backup, makes the numbers of changes go on where no number was given before, however long
    /// the lost storage lived on: from the present second times 2^20. The numbers stay exact in JSON until the year 2242.
    ///
    /// Files of records may have lines that the storage does not know. Their positions are forgotten, so that they are written anew.
    ///
    /// - Returns: whether it was restored, and no run was in it since.
    private static func leaveGap(_ database: Database) throws -> Bool {
        try database.execute(
            sql: """
                UPDATE gap SET until = max(after + 1, ?), run = (SELECT coalesce(max(id), 0) FROM run) WHERE until IS NULL
                """, arguments: [Date().storeSeconds << 20])
        if database.changesCount > 0 {
            try database.execute(
                sql: """
                    UPDATE store SET sequence = max(sequence, (SELECT max(until) FROM gap));
                    DELETE FROM consumer WHERE substr(name, 1, 1) = '/'
                    """)
        }
        // Another command may have opened it before the first run.
        return try Bool.fetchOne(
            database, sql: "SELECT (SELECT max(run) FROM gap) >= (SELECT coalesce(max(id), 0) FROM run)") ?? false
    }

    /// Locks a file. The system's call that waits for a lock knows no limit of time, so this one asks again and again.
    private static func lock(_ descriptor: Int32, waiting: Duration) -> Bool {
        let end = ContinuousClock.now + waiting
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let left = end - ContinuousClock.now
            guard left > .zero else { return false }
            Thread.sleep(forTimeInterval: min(0.05, left / .seconds(1)))
        }
        return true
    }

    /// Creates an empty file for the database if there is none. It gets the permissions of every output file; SQLite would
    /// make it readable by everybody, and gives its other files the permissions of this one. An existing file is not opened,
    /// because closing it would drop this process's locks on it.
    private static func makeFile(_ path: String) throws {
        for path in [path, path + "-wal", path + "-shm"] where OutputFile.leadsAway(path) {
            throw StorageError.unusable(folder: path, reason: SystemReason.words(ELOOP))
        }
        guard access(path, F_OK) != 0, errno == ENOENT else { return }
        let descriptor = OutputFile.open(path, flags: O_RDWR | O_CREAT)
        guard descriptor >= 0 else { throw StorageError.unusable(folder: path, reason: SystemReason.words(errno)) }
        close(descriptor)
    }

    /// The frontier of the job, with what earlier runs left. Only one may exist at a time.
    ///
    /// - Parameters:
    ///   - limits: how many found URLs may wait.
    ///   - scope: of the job. Without one, ways of equal length are compared only while a URL waits (`WayRule`).
    ///   - epoch: the epoch of a shard; nil on one machine.
    ///   - tellsLinks: whether the links of pages are kept for `ShardNews`.
    ///   - date: returns the calendar's time.
    ///   - executor: runs the database's work: a thread of its own, except in tests with a simulated time.
    public func frontier(
        recrawl: CrawlConfiguration.Recrawl, limits: FrontierLimits = .unlimited, scope: CrawlScope? = nil,
        epoch: ShardEpoch? = nil, tellsLinks: Bool = false, date: @escaping @Sendable () -> Date = { Date() },
        executor: any SerialExecutor = BlockingExecutor("pippin.frontier")
    ) throws -> SQLiteFrontier {
        let recordsChanged = recordsChanged
        do {
            return try SQLiteFrontier(
                database: database, recrawl: recrawl, limits: limits, scope: scope, epoch: epoch,
                tellsLinks: tellsLinks,
                checkpoints: checkpoints, date: date, executor: executor,
                onRecords: { recordsChanged.tell() })
        } catch {
            throw StorageError(error, path: folder.path)
        }
    }

    /// How many runs the list keeps.
    private static let keptRuns = 1_000
    /// Milliseconds that the end of a run waits for readers of an old state of the database.
    private static let longestWaitForReaders = 2_000

    /// Copies the write-ahead log into the database and empties the log, at the end of a run. While another process reads,
    /// such as a long export, SQLite copies only what it can; the next run's end does the rest. A log that stays long is told.
    public func emptyLog() throws {
        checkpoints.finish()
        do {
            try database.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA busy_timeout = \(Self.longestWaitForReaders)")
                // If SQLite is busy it says so in its result, which is not an error.
                _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // A reader holds the log, as its length shows.
        } catch {
            throw StorageError(error, path: folder.path)
        }
        if let held = StorageDatabase.heldLog(in: folder) { tell(LogCheckpoints.sentence(bytes: held)) }
    }

    /// Declares that no more records change, so that their followers can finish.
    public func endChanges() {
        recordsChanged.end()
    }

    deinit {
        checkpoints.finish()
        // Closing alone may come too late: a child process that is just being started shares the descriptor until it runs its
        // program.
        flock(lockDescriptor, LOCK_UN)
        recordsChanged.end()
        close(lockDescriptor)
    }

    /// The changes of the folder's records.
    public var feed: ChangeFeed { ChangeFeed(database: database) }

    /// Adds a run to the list.
    ///
    /// - Parameter consumers: the names of the consumers that it feeds.
    public func begin(at date: Date, feeding consumers: [String] = []) throws -> Run {
        try write { database in
            var run = Run(startedAt: date, visits: 0, records: 0)
            run.consumers = consumers.isEmpty ? nil : consumers.joined(separator: "\n")
            try run.insert(database)
            if let id = run.id {
                try database.execute(sql: "DELETE FROM run WHERE id <= ?", arguments: [id - Int64(Self.keptRuns)])
            }
            return run
        }
    }

    /// Records how a run ended.
    public func end(_ run: Run, at date: Date, ending: String, visits: Int, records: Int) throws {
        try write { database in
            var run = run
            run.endedAt = date
            run.ending = ending
            run.visits = visits
            run.records = records
            run.bytes = try Self.bytes(database, in: folder)
            try run.update(database)
        }
    }

    /// The bytes of what a job keeps: the files in the storage folder, and followed files elsewhere, also those that were rotated. What is
    /// in the database's log counts as if it were in the database.
    static func bytes(_ database: Database, in folder: URL) throws -> Int {
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        var bytes = pages * (try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where !file.hasPrefix(StorageDatabase.fileName) {
            var status = stat()
            // A file that is just being replaced may be gone.
            guard stat(folder.path + "/" + file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            bytes += Int(status.st_size)
        }
        let home = folder.standardizedFileURL.path + "/"
        try StoreStatement(database, "SELECT name, bytes FROM consumer").rows { row in
            let name = row.text(0)
            guard name.hasPrefix("/"), !name.hasPrefix(home) else { return }
            bytes += Int(row.integer(1)) + Int(EndedFiles(of: name).bytes)
        }
        return bytes
    }

    /// The runs of this folder, newest first.
    public func runs(limit: Int = 20) throws -> [Run] {
        try read { try Run.order(sql: "id DESC").limit(limit).fetchAll($0) }
    }

    // MARK: Access; errors are thrown as `StorageError`

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            let value = try database.write(body)
            try checkpoints.raise()
            return value
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

extension CrawlStorage {
    /// Begins an epoch, or goes on with it after a try that broke off.
    ///
    /// - Throws: `ReportedFailure` if the storage is another shard, in a later epoch, or not the one that told the cursor.
    public func begin(_ order: EpochOrder, at now: Date) throws -> ShardEpoch {
        let cursor = try order.cursor.map { text -> ChangeFeed.Cursor in
            do {
                guard let cursor = ChangeFeed.Cursor(text) else { throw StorageError.foreignCursor(text) }
                try read { try ChangeFeed.check(cursor, $0) }
                return cursor
            } catch StorageError.foreignCursor, StorageError.lostCursor {
                throw ReportedFailure(
                    "The storage \(folder.path) is not the one that told the cursor \"\(text)\", or an older copy of it. Put that "
                        + "one back, or begin without a cursor and hand over what was told for the shard "
                        + "(`pippin_spark run --rebuild \(order.shard.number)`).", .usage)
            }
        }
        let longest = now.addingTimeInterval(order.duration / .seconds(1))
        // A mismatch is no trouble of the storage, so `write` must not take it for one.
        let epoch: Result<ShardEpoch, ReportedFailure> = try write { database in
            let known = try StoreStatement(database, "SELECT number, count, rule, turn, endsAt FROM shard").first {
                (
                    number: $0.integer(0), count: $0.integer(1), rule: $0.text(2), epoch: $0.integer(3),
                    endsAt: $0.integer(4)
                )
            }
            func mismatch(_ problem: String) -> Result<ShardEpoch, ReportedFailure> {
                .failure(ReportedFailure("The storage \(self.folder.path) \(problem)", .usage))
            }
            if let known {
                guard known.rule == Shard.rule, known.count == order.shard.count, known.number == order.shard.number
                else {
                    return mismatch(
                        "is shard \(known.number) of \(known.count) by \(known.rule), not "
                            + "\(order.shard.number) of \(order.shard.count) by \(Shard.rule)")
                }
                guard known.epoch <= order.epoch else {
                    return mismatch("is in turn \(known.epoch); turn \(order.epoch) is over")
                }
            } else if try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM url)") ?? false {
                return mismatch("is not a shard: one machine has crawled the job into it")
            }
            let isTriedAgain = known?.epoch == Int64(order.epoch)
            // The calendar may have been set back since: no try is longer than an epoch.
            let endsAt = isTriedAgain ? min(Date(storeMilliseconds: known?.endsAt ?? 0), longest) : longest
            try StoreStatement(
                database,
                "INSERT OR REPLACE INTO shard(id, number, count, rule, turn, endsAt) VALUES (1, ?, ?, ?, ?, ?)"
            ).run(
                .integer(Int64(order.shard.number)), .integer(Int64(order.shard.count)), .text(Shard.rule),
                .integer(Int64(order.epoch)), .integer(endsAt.storeMilliseconds))
            return .success(
                ShardEpoch(
                    shard: order.shard, number: order.epoch, endsAt: endsAt, isTriedAgain: isTriedAgain, cursor: cursor,
                    runBegan: order.runBegan))
        }
        return try epoch.get()
    }
}

/// Notifies the followers of a job's records. An `AsyncStream` has only one reader, so each follower gets its own.
final class RecordsSignal: Sendable {
    private struct State {
        var followers: [AsyncStream<Void>.Continuation] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// A stream that yields after records have changed, once for several changes, and ends with the run.
    func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.followers.append(continuation) }
            return state.hasEnded
        }
        if hasEnded { continuation.finish() }
        return stream
    }

    func tell() {
        for follower in state.withLock({ $0.followers }) { follower.yield() }
    }

    func end() {
        let followers = state.withLock { state in
            state.hasEnded = true
            defer { state.followers = [] }
            return state.followers
        }
        for follower in followers { follower.finish() }
    }
}
