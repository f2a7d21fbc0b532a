import Foundation
import GRDB
import Glibc
import PippinCrawl
import PippinPage

/// Copies a storage into a new folder, which is a storage folder itself, also while a run goes on.
///
/// The database is copied as it is at one moment, by SQLite. Its log grows meanwhile by what the run writes. The search index is
/// copied before it, so that it is not ahead of it. The folder gets its name when everything in it is on disk.
///
/// The copy knows that it is one (table `gap`): a run that goes on in it continues with later numbers of changes, so that a consumer
/// which has seen more of the old storage than the copy has is refused (`ChangeFeed`).
public struct StorageBackup: Sendable {
    /// The bytes of all copied files.
    public let bytes: Int
    /// The end of the feed in the copy.
    public let cursor: ChangeFeed.Cursor
    /// What was not copied, and why: sentences.
    public let notes: [String]

    private static let newSuffix = ".new"

    /// - Parameters:
    ///   - target: a folder that does not exist.
    ///   - files: the job's configuration and seeds, which are copied too.
    /// - Throws: `StorageError` or `OutputError`; then there is no folder.
    public init(of folder: URL, to target: URL, with files: [URL] = []) throws {
        let source = try StorageDatabase.toRead(in: folder)
        // Without a slash at the end, so that its name can get a suffix.
        let path = target.standardizedFileURL.path
        guard access(path, F_OK) != 0 else {
            throw ReportedFailure("\(path): is there already; name a new folder for the backup", .usage)
        }
        let half = URL(filePath: path + Self.newSuffix)
        try Self.removeHalf(half, keeping: files)
        if let number = OutputFolder.make(half.path) {
            throw OutputError(path: half.path, what: "the backup", errorNumber: number)
        }
        do {
            var notes: [String] = []
            let index = folder.appending(path: SearchSchema.fileName)
            if SearchIndexer.hasIndex(in: folder) {
                let copy = half.appending(path: SearchSchema.fileName)
                do {
                    let index = try DatabaseQueue(
                        path: index.path, configuration: SearchSchema.configuration(isReader: true))
                    try Self.copy(index, to: copy)
                } catch let error as DatabaseError where error.resultCode != .SQLITE_FULL {
                    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy.path + suffix) }
                    notes.append("The search index was left out (\(error)); pippin index update makes it anew.")
                }
            }
            let copy = half.appending(path: StorageDatabase.fileName)
            try Self.copy(source, to: copy)
            cursor = try Self.mark(copy)
            for (file, name) in zip(files, Self.names(of: files)) {
                try FileManager.default.copyItem(at: file, to: half.appending(path: name))
                if name != file.lastPathComponent { notes.append("\(file.path) is there as \(name).") }
            }
            bytes = try Self.sync(half)
            self.notes = notes
            guard rename(half.path, path) == 0 else {
                throw OutputError(path: path, what: "the backup", errorNumber: errno)
            }
            try Self.syncFolder(target.standardizedFileURL.deletingLastPathComponent().path)
        } catch {
            try Self.removeHalf(half, keeping: files)
            throw error is DatabaseError ? StorageError(error, path: half.path) as any Error : error
        }
    }

    /// Removes what a backup has left that was ended from outside.
    private static func removeHalf(_ folder: URL, keeping files: [URL]) throws {
        guard access(folder.path, F_OK) == 0 else { return }
        let databases = [StorageDatabase.fileName, SearchSchema.fileName]
        let ours = Set(databases.flatMap { name in ["", "-wal", "-shm", "-journal"].map { name + $0 } })
            .union(names(of: files))
        let found = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        guard Set(found).isSubset(of: ours) else {
            throw ReportedFailure("\(folder.path): is there, and is not of a backup; remove it", .usage)
        }
        try FileManager.default.removeItem(at: folder)
    }

    /// The names of files in the copy. Of two with the same name, the later one gets a number: `seeds-2.txt`.
    private static func names(of files: [URL]) -> [String] {
        var names: [String] = []
        for file in files {
            let (stem, suffix) = (file.deletingPathExtension().lastPathComponent, file.pathExtension)
            let candidates =
                [file.lastPathComponent]
                + (2...files.count + 1).map { "\(stem)-\($0)" + (suffix.isEmpty ? "" : "." + suffix) }
            names += candidates.filter { !names.contains($0) }.prefix(1)
        }
        return names
    }

    private static func copy(_ source: DatabaseQueue, to file: URL) throws {
        // The permissions of every output file; SQLite would make it readable by everybody.
        let descriptor = OutputFile.open(file.path, flags: O_RDWR | O_CREAT)
        guard descriptor >= 0 else { throw OutputError(path: file.path, what: "the backup", errorNumber: errno) }
        close(descriptor)
        let copy = try DatabaseQueue(path: file.path)
        try source.backup(to: copy)
        try copy.close()
    }

    /// Notes in the copy that it is one.
    ///
    /// - Returns: the end of its feed.
    private static func mark(_ file: URL) throws -> ChangeFeed.Cursor {
        let copy = try DatabaseQueue(path: file.path)
        let cursor = try copy.write { database in
            try CrawlStorage.markAsCopy(database)
            return try ChangeFeed.end(of: database)
        }
        try copy.close()
        return cursor
    }

    /// - Returns: the bytes of all files.
    private static func sync(_ folder: URL) throws -> Int {
        var bytes = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let path = folder.appending(path: name).path
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            var status = stat()
            guard descriptor >= 0, fsync(descriptor) == 0, fstat(descriptor, &status) == 0 else {
                throw OutputError(path: path, what: "the backup", errorNumber: errno)
            }
            bytes += Int(status.st_size)
        }
        try syncFolder(folder.path)
        return bytes
    }

    private static func syncFolder(_ path: String) throws {
        if let number = OutputFolder.sync(path) {
            throw OutputError(path: path, what: "the backup", errorNumber: number)
        }
    }
}
