import Foundation
import GRDB
import Glibc
import PippinCrawl

/// What can go wrong with a storage. Each case ends a command with one sentence.
public enum StorageError: ReportedError {
    /// Another process runs a job in this folder. `by` is its process number, or empty if that is not known.
    case held(folder: String, by: String)
    case unusable(folder: String, reason: String)
    case diskFull(path: String)
    /// The database contradicts itself: something other than Pippin has changed it.
    case damaged(reason: String)
    /// The cursor is not from this storage, or is ahead of it.
    case foreignCursor(String)
    /// The cursor is of a change that was lost when the storage was restored from a backup.
    case lostCursor(String)

    public var exitStatus: ExitStatus {
        switch self {
        case .held: .held
        case .foreignCursor, .lostCursor: .usage
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
        case .lostCursor(let cursor):
            "The cursor \"\(cursor)\" is ahead of the backup that this storage was restored from: its consumer has changes that the "
                + "storage no longer knows. Empty the consumer, and export without a cursor."
        }
    }

    /// Makes a `StorageError` of an error that the database threw.
    init(_ error: any Error, database: any DatabaseReader) {
        self.init(error, path: database.path)
    }

    /// Makes a `StorageError` of any error. Messages name the folder even if `path` is the database in it, so that one
    /// problem always has the same sentence.
    ///
    /// - Parameter path: the storage folder, or the database in it.
    init(_ error: any Error, path: String) {
        let file = "/" + StorageDatabase.fileName
        let folder = path.hasSuffix(file) ? String(path.dropLast(file.count)) : path
        switch error {
        case let error as StorageError: self = error
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .diskFull(path: folder)
        // The index of the write-ahead log (the file `-shm`) could not grow.
        case let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE:
            self = .diskFull(path: folder)
        case let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT:
            self = .damaged(reason: "\(path): \(error)")
        case let error as DatabaseError where error.resultCode == .SQLITE_NOTADB:
            self = .unusable(
                folder: folder,
                reason: "\(StorageDatabase.fileName) is not a database; remove it, or name another folder")
        default: self = .unusable(folder: folder, reason: "\(error)")
        }
    }
}

/// The database in a storage folder.
enum StorageDatabase {
    /// The database's file name in a storage folder.
    static let fileName = "pippin.sqlite"

    /// Whether a folder has a job's database.
    static func exists(in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: fileName).path)
    }

    /// The bytes of the database's write-ahead log on the disk.
    static func logBytes(in folder: URL) -> Int {
        var status = stat()
        return stat(folder.appending(path: fileName + "-wal").path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The same if it is longer than a log that nobody holds; nil if it is not.
    static func heldLog(in folder: URL) -> Int? {
        let bytes = logBytes(in: folder)
        return bytes > LogCheckpoints.longestBytes ? bytes : nil
    }

    /// Opens the database for reading, also while another process writes it. It takes no lock and changes nothing.
    ///
    /// - Throws: `StorageError` if the folder has no database, or one that another version has written.
    static func toRead(in folder: URL) throws -> DatabaseQueue {
        guard exists(in: folder) else {
            var status = stat()
            let reason =
                if stat(folder.appending(path: fileName).path, &status) != 0, errno == EACCES {
                    "you may not look into it: it belongs to another user (the job's, such as `sudo -u pippin`)"
                } else if stat(folder.path, &status) != 0 {
                    "no job has written into it yet, there is no such folder; pippin crawl makes it, and --storage names another"
                } else if status.st_mode & S_IFMT != S_IFDIR {
                    "it is a file; --storage names a folder"
                } else {
                    "no job has written into it yet; pippin crawl does"
                }
            throw StorageError.unusable(folder: folder.path, reason: reason)
        }
        let path = folder.appending(path: fileName).path
        do {
            let database = try DatabaseQueue(path: path, configuration: StoreSchema.configuration(readonly: true))
            let standing = try database.read { try StoreSchema.Standing(of: $0, StoreSchema.migrator(of: folder)) }
            guard standing == .current else {
                throw StorageError.unusable(folder: folder.path, reason: standing.reason)
            }
            return database
        } catch {
            throw StorageError(error, path: path)
        }
    }
}
