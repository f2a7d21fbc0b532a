import Foundation
import GRDB
import Glibc
import PippinCrawl
import PippinPage

/// Brings the search index of a job up to date with the feeds of its storages: one, or one for each shard. One process at a time does; a
/// lock file shows it.
///
/// Storages are only read, one after the other and in short transactions, so a crawl never waits. Each batch of changes and the place
/// reached in its feed are one transaction of the index: whoever is killed goes on from there. An index that cannot be read, is of
/// another version of Pippin, of another storage or of another number of shards is removed and built again. What it has of a shard whose
/// storage was made anew is replaced.
public final class SearchIndexer {
    /// What a batch has done, for a line of progress.
    public struct Progress: Sendable {
        /// Changes that are in the index, of this many.
        public let done: Int
        public let total: Int
    }

    /// Changes in one transaction, which takes about a second. Most words of a page are in others of the batch, and are counted once for all.
    static let ordinaryBatch = 4_000

    private struct Opened {
        let part: JobStorages.Part
        let files: StorageFiles
        let feed: ChangeFeed
    }

    private let named: URL
    private var job: JobStorages
    private let path: String
    private let lock: OutputLock
    private let weights: SearchWeights
    private let batch: Int
    private var database: DatabaseQueue
    /// The feed that was read last. A job that is not in shards has no other.
    private var opened: Opened
    /// The files of storages all of whose changes are in the index, by shard.
    private var finished: [Int: StorageFiles] = [:]
    /// Why the index was built from the beginning, for the user; nil if it was not.
    public private(set) var reasonOfBuilding: String?

    /// Opens the index, makes it if needed, and locks it until this object is released.
    ///
    /// - Parameter folder: as `JobStorages` takes it.
    /// - Throws: `StorageError` if there is no storage or the disk refuses; `OutputLock.Held` if another process
    ///   writes the index.
    public convenience init(folder: URL) throws { try self.init(folder: folder, weights: .standard) }

    init(folder: URL, weights: SearchWeights, batch: Int = SearchIndexer.ordinaryBatch) throws {
        named = folder
        self.batch = batch
        self.weights = weights
        job = try JobStorages(in: folder)
        let first = job.parts[0]
        opened = Opened(part: first, files: StorageFiles(in: first.folder), feed: try first.feed())
        path = job.folder.appending(path: SearchSchema.fileName).path
        lock = try OutputLock([.file(path, "the search index")], owner: "search index")
        let reason: String?
        do {
            reason = try Self.reasonToBuild(path, job, opened.feed)
        } catch let error as DatabaseError
            where [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(error.resultCode)
        {
            reason = "it is damaged (\(error.message ?? "\(error.resultCode)"))"
        } catch {
            throw StorageError(error, path: path)
        }
        if let reason {
            let isNew = access(path, F_OK) != 0
            database = try Self.make(path, job)
            reasonOfBuilding = isNew ? nil : reason
        } else {
            database = try Self.open(path)
        }
    }

    /// Whether a folder (`JobStorages.folder`) has an index.
    public static func hasIndex(in folder: URL) -> Bool {
        access(folder.appending(path: SearchSchema.fileName).path, F_OK) == 0
    }

    /// Empties the index, so that the next `catchUp` builds it from the beginning.
    public func startAnew() throws {
        try database.close()
        finished = [:]
        database = try Self.make(path, job)
    }

    // MARK: The file

    private static func open(_ path: String) throws -> DatabaseQueue {
        do {
            return try DatabaseQueue(path: path, configuration: SearchSchema.configuration(isReader: false))
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Why the index in a file cannot be used; nil if it can.
    ///
    /// - Parameter feed: of a job that is not in shards. Those of shards are looked at when they are read.
    private static func reasonToBuild(_ path: String, _ job: JobStorages, _ feed: ChangeFeed) throws -> String? {
        guard access(path, F_OK) == 0 else { return "there is none" }
        let database = try DatabaseQueue(path: path, configuration: SearchSchema.configuration(isReader: false))
        return try database.read { database in
            guard try SearchSchema.version(of: database) == SearchSchema.version else {
                return "another version of Pippin has made it"
            }
            guard let shards = try Int.fetchOne(database, sql: "SELECT shards FROM state") else {
                return "it is incomplete"
            }
            if shards != job.shardCount ?? 0 {
                try checkCount(of: job)
                return "the job has another number of shards"
            }
            if job.shardCount == nil, let kept = try Self.place(0, database), !kept.identity.isEmpty {
                if try kept.identity != feed.end().identity { return "it is of another storage" }
                if try !feed.gave(kept) { return "it is ahead of the storage" }
            }
            // A damaged file often shows it only where it is read: here, in the parts that every query reads.
            let document = try StoreStatement(database, "SELECT rowid FROM words WHERE words MATCH ? LIMIT 1")
            _ = try document.first(.text(SearchPlan.quoted([SearchSchema.everyDocument]))) { $0.integer(0) }
            _ = try Int.fetchOne(database, sql: "SELECT words FROM length")
            return nil
        }
    }

    /// A passing contradiction, as while storages are exchanged for those of another cut, is no reason to build an index anew.
    private static func checkCount(of job: JobStorages) throws {
        guard job.isCountSure else {
            throw StorageError.unusable(
                folder: job.folder.path,
                reason: "its storages are of different numbers of shards; remove those of the old ones")
        }
    }

    /// Makes an empty index in place of what is there. Readers of the old file keep it until they look again.
    private static func make(_ path: String, _ job: JobStorages) throws -> DatabaseQueue {
        do {
            // The database first: a reader that finds it without its log would read an old state of it.
            for file in [path, path + "-wal", path + "-shm", path + "-journal"] {
                guard unlink(file) == 0 || errno == ENOENT else {
                    throw StorageError.unusable(folder: file, reason: SystemReason.words(errno))
                }
            }
            // The permissions of every output file; SQLite would make it readable by everybody.
            let descriptor = OutputFile.open(path, flags: O_RDWR | O_CREAT)
            guard descriptor >= 0 else {
                throw StorageError.unusable(folder: path, reason: SystemReason.words(errno))
            }
            close(descriptor)
            let database = try open(path)
            try database.write { database in
                try database.execute(sql: SearchSchema.tables)
                try database.execute(
                    sql: "INSERT INTO state(id, shards) VALUES (1, ?)", arguments: [job.shardCount ?? 0])
                // Until a storage was read, nobody knows where its feed ends.
                let source = try StoreStatement(database, "INSERT INTO source VALUES (?, '', 0, 1)")
                for part in job.parts { try source.run(.integer(Int64(part.source))) }
                try database.execute(sql: "PRAGMA user_version = \(SearchSchema.version)")
            }
            return database
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// A new index up to so many bytes is written once more, which makes it a quarter smaller: words came in any order, and trees that grow so
    /// have room in them.
    private static let tightened = 1 << 30

    /// Joins all parts of the words, and writes the file anew without what is free in it.
    public func compact() throws {
        try merge { false }
        try tighten()
    }

    private func tighten() throws {
        do {
            try database.vacuum()
            try database.writeWithoutTransaction { database in
                // If readers keep the log from being emptied, a later time does it.
                _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    // MARK: The storages

    /// How far an index is in the feed of a storage; nil if it knows no such storage. `identity` is empty before it was read.
    private static func place(_ source: Int, _ database: Database) throws -> ChangeFeed.Cursor? {
        try StoreStatement(database, "SELECT identity, sequence FROM source WHERE shard = ?")
            .first(.integer(Int64(source))) { ChangeFeed.Cursor(identity: $0.text(0), sequence: $0.integer(1)) }
    }

    /// How far the index in a folder (`JobStorages.folder`) is in each feed, by `JobStorages.Part.source`; empty without an index, nil if it
    /// cannot be read.
    static func places(in folder: URL) -> [Int: ChangeFeed.Cursor]? {
        let path = folder.appending(path: SearchSchema.fileName).path
        guard access(path, F_OK) == 0 else { return [:] }
        do {
            let database = try DatabaseQueue(path: path, configuration: SearchSchema.configuration(isReader: true))
            return try database.read { database in
                var places: [Int: ChangeFeed.Cursor] = [:]
                try StoreStatement(database, "SELECT shard, identity, sequence FROM source").rows {
                    places[Int($0.integer(0))] = ChangeFeed.Cursor(identity: $0.text(1), sequence: $0.integer(2))
                }
                return places
            }
        } catch {
            // Whatever is wrong with the index, the next search builds it again.
            return nil
        }
    }

    private func kept(of part: JobStorages.Part) throws -> ChangeFeed.Cursor? {
        do {
            return try database.read { try Self.place(part.source, $0) }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private func feed(of part: JobStorages.Part) throws -> ChangeFeed {
        let files = StorageFiles(in: part.folder)
        if opened.part != part || !opened.files.isSameDatabase(as: files) {
            opened = Opened(part: part, files: files, feed: try part.feed())
        }
        return opened.feed
    }

    /// Looks which storages are here now. An index that somebody deleted meanwhile is begun again, and so is one of a job that was cut into
    /// another number of shards.
    private func lookAgain() throws {
        let now = try JobStorages(in: named)
        guard now.folder == job.folder else {
            throw StorageError.unusable(
                folder: named.path, reason: "its storages were moved to another place; start again")
        }
        if job.shardCount != nil, now.shardCount == nil {
            throw StorageError.unusable(folder: named.path, reason: "no storage of its shards is here")
        }
        if now.shardCount != job.shardCount {
            try Self.checkCount(of: now)
            job = now
            reasonOfBuilding = "the job has another number of shards"
            try startAnew()
            return
        }
        job = now
        if access(path, F_OK) != 0 { try startAnew() }
    }

    /// What the index lacks of a storage.
    private struct Lack {
        let part: JobStorages.Part
        /// Changes that it has not taken in.
        let changes: Int
    }

    /// - Returns: nil if it lacks nothing.
    private func lack(of part: JobStorages.Part, isCounted: Bool) throws -> Lack? {
        let files = StorageFiles(in: part.folder)
        if finished[part.source] == files { return nil }
        let feed = try feed(of: part)
        let end = try feed.end()
        if let kept = try kept(of: part), kept.identity == end.identity, try feed.gave(kept) {
            if kept.sequence < end.sequence {
                return Lack(part: part, changes: isCounted ? try feed.count(after: kept.place) : 0)
            }
            if files.areSettled { finished[part.source] = files }
            return nil
        }
        return Lack(part: part, changes: isCounted ? try feed.count(after: ChangeFeed.Place()) : 0)
    }

    // MARK: Catching up

    /// Whether the feeds have changes that the index lacks.
    public func isBehind() throws -> Bool {
        try lookAgain()
        return try job.parts.contains { try lack(of: $0, isCounted: false) != nil }
    }

    /// Takes in the changes up to the present end of each feed.
    ///
    /// - Parameters:
    ///   - limit: the most changes to take in.
    ///   - isStopped: asked between batches; true ends early, and nothing is lost.
    ///   - progress: called after each batch.
    /// - Returns: the number of changes.
    @discardableResult
    public func catchUp(
        limit: Int = .max, isStopped: () -> Bool = { false }, progress: (Progress) -> Void = { _ in }
    ) throws -> Int {
        try lookAgain()
        var isNew = true
        do {
            if try areNumbersUsedUp() {
                reasonOfBuilding = "its numbers of documents are used up"
                try startAnew()
            }
            isNew = try !database.read {
                try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM source WHERE sequence > 0)") ?? false
            }
            let lacks = try job.parts.compactMap { try lack(of: $0, isCounted: true) }
            let total = min(limit, lacks.reduce(0) { $0 + $1.changes })
            var (count, isAtEnd) = (0, true)
            for lack in lacks where isAtEnd {
                isAtEnd = try follow(lack.part, isStopped) { room in
                    count += room
                    if room > 0 { progress(Progress(done: count, total: max(count, total))) }
                    return limit - count
                }
            }
            if count > 0, isAtEnd, try isNew || isLoose() { try merge(isStopped) }
            if count > 0, isAtEnd, isNew, !isStopped(), SearchIndex.bytes(in: job.folder) < Self.tightened {
                try tighten()
            }
            return count
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT && !isNew {
            reasonOfBuilding = "it is damaged (\(error.message ?? "\(error.resultCode)"))"
            try startAnew()
            return try catchUp(limit: limit, isStopped: isStopped, progress: progress)
        } catch {
            throw error is StorageError ? error : StorageError(error, path: path)
        }
    }

    /// Takes in the changes of one storage.
    ///
    /// - Parameter took: gets the number of changes of each batch, and returns how many more may be taken in.
    /// - Returns: whether its present end was reached.
    private func follow(
        _ part: JobStorages.Part, _ isStopped: () -> Bool, _ took: (Int) -> Int
    ) throws -> Bool {
        let feed = try feed(of: part)
        let end = try feed.end()
        guard let start = try begin(part, feed, end, isStopped) else { return false }
        var place = ChangeFeed.Cursor(identity: end.identity, sequence: start)
        var room = took(0)
        let reader = SearchBatchReader(feed, weights)
        if room > 0, !isStopped() { reader.begin(after: place, limit: min(batch, room)) }
        while let read = try reader.next(), room > 0, !isStopped() {
            // What changed meanwhile is for the next time, or a busy crawl would keep this one here.
            let left = room - read.changes.count
            if left > 0, read.end.sequence < end.sequence {
                reader.begin(after: read.end, limit: min(batch, left))
            }
            if !read.changes.isEmpty || read.end.sequence != place.sequence {
                try take(read, of: part, feed)
                room = took(read.changes.count)
            }
            place = read.end
        }
        return place.sequence >= end.sequence
    }

    /// Where to go on in the feed of a storage. Documents of another storage that was here before, or of one that was restored from an older
    /// backup, are removed first, some at a time. From the first on, the index knows no storage of the shard, until they all are: whoever is killed goes
    /// on removing, whichever storage is there then.
    ///
    /// - Returns: nil if it was stopped.
    private func begin(
        _ part: JobStorages.Part, _ feed: ChangeFeed, _ end: ChangeFeed.Cursor, _ isStopped: () -> Bool
    ) throws -> Int64? {
        let kept = try database.read { try Self.place(part.source, $0) }
        if let kept, kept.identity == end.identity, try feed.gave(kept) { return kept.sequence }
        if let kept, kept.sequence > 0 {
            var areMore = true
            while areMore {
                guard !isStopped() else { return nil }
                areMore = try database.write { database in
                    // Not at the end of any feed: it is incomplete.
                    try StoreStatement(
                        database, "UPDATE source SET identity = '', sequence = 1, target = 2 WHERE shard = ?"
                    ).run(.integer(Int64(part.source)))
                    var writer = try SearchIndexWriter(database, weights: weights)
                    let count = try writer.remove(batch, of: part.shard?.number)
                    try writer.finish()
                    return count == batch
                }
            }
        }
        try database.write { database in
            try StoreStatement(database, "INSERT OR REPLACE INTO source VALUES (?, ?, 0, ?)").run(
                .integer(Int64(part.source)), .text(end.identity), .integer(end.sequence))
        }
        return 0
    }

    /// Whether less than a tenth of the numbers is left that documents get when they are put into the index.
    private func areNumbersUsedUp() throws -> Bool {
        try database.read {
            try Bool.fetchOne($0, sql: "SELECT serial > \(SearchSchema.serials / 10 * 9) FROM state") ?? false
        }
    }

    /// FTS5 keeps the words of a removed document until the part that has them is joined with others, and the largest part is joined
    /// last. Joining all parts costs what writing all documents does, so it waits until half as many are gone.
    private func isLoose() throws -> Bool {
        do {
            return try database.read {
                try Bool.fetchOne($0, sql: "SELECT removed > \(Self.leastRemoved) + documents / 2 FROM state") ?? false
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// In a small index, a few documents are no reason.
    private static let leastRemoved = 100

    private func take(_ batch: SearchBatch, of part: JobStorages.Part, _ feed: ChangeFeed) throws {
        let written = Set(batch.documents.map(\.identifier))
        try database.write { database in
            var writer = try SearchIndexWriter(database, weights: weights)
            let shard = part.shard?.number
            var unsure: [String] = []
            for change in batch.changes where !written.contains(change.identifier) {
                if case .popularity(let value) = change.kind {
                    if try !writer.setPopularity(value, of: change.identifier, of: shard) {
                        unsure.append(change.identifier)
                    }
                } else {
                    try writer.delete(change.identifier, of: shard)
                }
            }
            for document in batch.documents { try writer.put(document, of: shard) }
            if !unsure.isEmpty {
                for document in try SearchBatch.documents(of: feed.records(unsure), in: feed, weights) {
                    try writer.put(document, of: shard)
                }
            }
            try writer.finish()
            try StoreStatement(database, "UPDATE source SET sequence = ? WHERE shard = ?")
                .run(.integer(batch.end.sequence), .integer(Int64(part.source)))
        }
    }

    /// Joins the parts that FTS5 has written, in short transactions. Queries then read one part in place of many, and words of
    /// documents that were removed are in none.
    public func merge(_ isStopped: () -> Bool = { false }) throws {
        do {
            var isFirst = true
            // Each step writes 500 pages at most; an index of a million records has about 500,000.
            for _ in 0..<4_000 where !isStopped() {
                let isDone = try database.write { database in
                    let before = database.totalChangesCount
                    // A negative number begins: all parts, whatever their number, become one.
                    try database.execute(
                        sql: "INSERT INTO words(words, rank) VALUES ('merge', ?)", arguments: [isFirst ? -500 : 500])
                    return database.totalChangesCount - before < 2
                }
                if isDone, !isFirst {
                    try database.write { try $0.execute(sql: "UPDATE state SET removed = 0") }
                    break
                }
                isFirst = false
            }
            try database.writeWithoutTransaction { database in
                // If readers keep the log from being emptied, a later time does it.
                _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(PASSIVE)")
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }
}

extension JobStorages.Part {
    /// The storage's number in the table `source`.
    var source: Int { shard?.number ?? 0 }
}
