import Foundation
import GRDB
import PippinCrawl
import Synchronization

/// What the files of a storage's database are at a moment. Where they are still the same, there is nothing new to read.
struct StorageFiles: Equatable {
    private let database: FileState?
    private let log: FileState?

    init(in folder: URL) {
        func file(_ suffix: String) -> FileState? {
            FileState(of: folder.appending(path: StorageDatabase.fileName + suffix).path)
        }
        (database, log) = (file(""), file("-wal"))
    }

    /// Whether the file under the database's name is the same one: a storage may be replaced by another.
    func isSameDatabase(as other: StorageFiles) -> Bool {
        database?.identity == other.database?.identity
    }

    /// Whether the last change is so long ago that another one would have another time.
    var areSettled: Bool { (database?.isSettled ?? true) && (log?.isSettled ?? true) }
}

/// The storages of a job, open for reading. Only some are open at a time, because a process has far fewer files than a job may have shards.
final class OpenStorages: Sendable {
    private struct Opened: Sendable {
        let part: JobStorages.Part
        let files: StorageFiles
        let database: DatabaseQueue
    }

    private struct State {
        var job: JobStorages
        /// The one that was used last is at the end.
        var opened: [Opened] = []
    }

    /// Each has three files.
    private static let most = 32

    private let named: URL
    private let state: Mutex<State>

    /// - Throws: `StorageError` if there is no storage.
    init(_ named: URL) throws {
        self.named = named
        let job = try JobStorages(in: named)
        state = Mutex(State(job: job))
        _ = try open(job.parts[0])
    }

    var job: JobStorages { state.withLock { $0.job } }

    /// Looks again for the storages of shards, if some were not here.
    func lookAgain() throws {
        if !job.missing.isEmpty { try list() }
    }

    private func list() throws {
        let job = try JobStorages(in: named)
        state.withLock { $0.job = job }
    }

    /// Reads in the storage of a shard, or in that of a job which is not in shards.
    ///
    /// - Returns: nil if the shard's storage is not here.
    func read<Value>(_ shard: Int?, _ body: (Database) throws -> Value) throws -> Value? {
        guard let database = try database(of: shard) else { return nil }
        do {
            return try database.read(body)
        } catch {
            throw StorageError(error, database: database)
        }
    }

    private func database(of shard: Int?) throws -> DatabaseQueue? {
        func open() throws -> DatabaseQueue? {
            try job.parts.first { $0.shard?.number == shard }.map { try self.open($0) }
        }
        do {
            return try open()
        } catch is StorageError where shard != nil {
            // The job was cut into another number of shards, or a storage was taken away.
            try list()
            return try open()
        }
    }

    private func open(_ part: JobStorages.Part) throws -> DatabaseQueue {
        try part.checkIsWhole()
        let files = StorageFiles(in: part.folder)
        let kept = state.withLock { state -> DatabaseQueue? in
            guard let place = state.opened.firstIndex(where: { $0.part == part }) else { return nil }
            let opened = state.opened.remove(at: place)
            guard opened.files.isSameDatabase(as: files) else { return nil }
            state.opened.append(opened)
            return opened.database
        }
        if let kept { return kept }
        let new = Opened(part: part, files: files, database: try part.database())
        state.withLock { state in
            if state.opened.count >= Self.most { state.opened.removeFirst() }
            state.opened.append(new)
        }
        return new.database
    }
}
