import Foundation
import GRDB
import Glibc
import PippinCrawl
import PippinPage

/// Gives the room back that deleted rows have left in a storage's files.
///
/// SQLite writes each database anew in one transaction (`VACUUM`), so whoever is killed leaves it as it was, and readers go on. A
/// file that was exchanged under its name would be safer for nobody: readers of the old one would share the new one's log.
public struct StorageCompaction: Sendable {
    /// Bytes of the database and of the search index, with their logs, before and after.
    public let database: (before: Int, after: Int)
    /// Nil without an index, and if another process writes it.
    public let index: (before: Int, after: Int)?
    /// What could not be done, and why: sentences.
    public let notes: [String]

    /// - Throws: `StorageError.held` if a run is open; `ReportedFailure` if the disk has too little room.
    public init(of folder: URL) throws {
        // SQLite's copy without a name goes where there is room for it; /tmp is often in memory.
        setenv("SQLITE_TMPDIR", folder.path, 1)
        // A storage that does not exist must not be made.
        _ = try StorageDatabase.toRead(in: folder)
        let storage = try CrawlStorage(folder: folder)
        var notes: [String] = []
        let path = folder.appending(path: StorageDatabase.fileName).path
        let before = Self.bytes(path)
        try Self.checkRoom(in: folder, data: storage.read(Self.data))
        do {
            try storage.database.vacuum()
        } catch {
            throw StorageError(error, path: folder.path)
        }
        try storage.emptyLog()
        if StorageDatabase.logBytes(in: folder) > 0 {
            notes.append("Another process reads the storage: its log goes when that has ended and a run ends.")
        }
        database = (before, Self.bytes(path))
        let (index, note) = try Self.index(in: folder)
        self.index = index
        self.notes = notes + [note].compactMap(\.self)
    }

    /// Writes the search index in a folder (`JobStorages.folder`) anew.
    ///
    /// - Returns: its bytes before and after, nil without an index; and why it stays as it was, if it does.
    public static func index(in folder: URL) throws -> (bytes: (before: Int, after: Int)?, note: String?) {
        guard SearchIndexer.hasIndex(in: folder) else { return (nil, nil) }
        setenv("SQLITE_TMPDIR", folder.path, 1)
        let search = folder.appending(path: SearchSchema.fileName).path
        let before = bytes(search)
        do {
            let indexer = try SearchIndexer(folder: folder)
            try checkRoom(in: folder, data: bytes(search))
            try indexer.compact()
            return ((before, bytes(search)), nil)
        } catch let error as OutputLock.Held {
            return (nil, "The search index stays as it is: \(error)")
        }
    }

    private static func bytes(_ path: String) -> Int {
        [path, path + "-wal"].reduce(0) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// The bytes of a database's pages that are in use.
    private static func data(_ database: Database) throws -> Int {
        func pragma(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
        return try (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
    }

    /// The data is written to a file without a name, and then to the log.
    private static func checkRoom(in folder: URL, data: Int) throws {
        var status = statvfs()
        guard statvfs(folder.path, &status) == 0 else {
            throw StorageError.unusable(folder: folder.path, reason: SystemReason.words(errno))
        }
        let free = Int(status.f_bavail) * Int(status.f_frsize)
        guard free >= 2 * data else {
            throw ReportedFailure(
                "\(folder.path): compacting needs \(2 * data / 1_000_000 + 1) MB of free disk, twice the data, and there are "
                    + "\(free / 1_000_000) MB. Make room first.", .outputFailed)
        }
    }
}
