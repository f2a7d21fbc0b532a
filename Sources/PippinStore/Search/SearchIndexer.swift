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

    /// Changes in one transaction: 200 pages or so of log, half a second.
    static let ordinaryBatch = 1_000

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
            _ = try Int.fetchOne(database, sql: "SELECT documents FROM quality")
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

/// Writes documents into the index, within one transaction.
private struct SearchIndexWriter {
    private let database: Database
    private let weights: SearchWeights
    private let byKey: StoreStatement
    private let insertion: StoreStatement
    private let removal: StoreStatement
    private let signalsOf: StoreStatement
    private let popularityUpdate: StoreStatement
    private let wordsInsertion: StoreStatement
    private let wordsRemoval: StoreStatement
    private let contentsOf: StoreStatement
    private let contentsInsertion: StoreStatement
    private let contentsRemoval: StoreStatement

    private var serial: Int64
    private var documents: Int64
    private var removed: Int64 = 0
    /// Changes of counts, written at the end of the transaction.
    private var terms: [String: Int64] = [:]
    private var languages: [String: Int64] = [:]
    private var steps: [Int64: Int64] = [:]
    private var lengths = [Int64](repeating: 0, count: SearchField.allCases.count)

    init(_ database: Database, weights: SearchWeights) throws {
        self.database = database
        self.weights = weights
        byKey = try StoreStatement(
            database, "SELECT id, identifier, contents, lengths, language, shard FROM document WHERE key = ?")
        insertion = try StoreStatement(
            database,
            """
            INSERT OR REPLACE INTO document(
                id, key, identifier, contents, host, lengths, language, popularity, rating, stars, interactions, structuredData,
                flags, stuffing, signs, day, over, shard, types, site, price, currency, apps)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        removal = try StoreStatement(database, "DELETE FROM document WHERE id = ?")
        signalsOf = try StoreStatement(
            database, "SELECT \(SearchSignals.columns), id FROM document WHERE key = ?")
        popularityUpdate = try StoreStatement(
            database, "UPDATE document SET id = ?, popularity = ? WHERE id = ?")
        let columns = SearchSchema.columns
        let names = columns.joined(separator: ", ")
        let values = String(repeating: ", ?", count: columns.count)
        wordsInsertion = try StoreStatement(database, "INSERT INTO words(rowid, \(names)) VALUES (?\(values))")
        wordsRemoval = try StoreStatement(
            database, "INSERT INTO words(words, rowid, \(names)) VALUES ('delete', ?\(values))")
        contentsOf = try StoreStatement(database, "SELECT columns FROM contents WHERE id = ?")
        contentsInsertion = try StoreStatement(database, "INSERT INTO contents VALUES (?, ?)")
        contentsRemoval = try StoreStatement(database, "DELETE FROM contents WHERE id = ?")
        (serial, documents) =
            try StoreStatement(database, "SELECT serial, documents FROM state")
            .first { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
    }

    private struct Known {
        let id: Int64
        let contents: Int64
        let lengths: [UInt8]
        let language: String?
        let shard: Int?

        /// - Parameter row: id, identifier, contents, lengths, language, shard.
        init(_ row: StoreStatement) {
            (id, contents, lengths) = (row.integer(0), row.integer(2), row.blob(3))
            (language, shard) = (row.optionalText(4), row.optionalInteger(5).map(Int.init))
        }
    }

    private func known(_ identifier: String) throws -> Known? {
        try byKey.firstMatch(.integer(SearchDocument.key(of: identifier))) { row in
            row.text(1) == identifier ? Known(row) : nil
        }
    }

    /// - Parameter shard: that told the deletion. If another one has the record by now, it stays.
    mutating func delete(_ identifier: String, of shard: Int?) throws {
        guard let known = try known(identifier), known.shard == shard else { return }
        try remove(known)
    }

    /// Removes some documents of a shard, or of a job that is not in shards.
    ///
    /// - Returns: how many.
    mutating func remove(_ limit: Int, of shard: Int?) throws -> Int {
        var found: [Known] = []
        let condition = shard.map { "WHERE shard = \($0)" } ?? ""
        try StoreStatement(
            database, "SELECT id, identifier, contents, lengths, language, shard FROM document \(condition) LIMIT ?"
        ).rows(.integer(Int64(limit))) { found.append(Known($0)) }
        for known in found { try remove(known) }
        return found.count
    }

    private mutating func remove(_ known: Known) throws {
        let language = known.language
        let terms = SearchDocument.terms(ofColumns: try takeOut(known.id).prefix(SearchField.allCases.count))
        let endings = SearchText.with { SearchDocument.endings(of: terms, language: language, $0) }
        for term in terms.union(endings) { self.terms[term, default: 0] -= 1 }
        try removal.run(.integer(known.id))
        documents -= 1
        removed += 1
        if let language = known.language { languages[language, default: 0] -= 1 }
        steps[SearchSchema.step(ofNumber: known.id), default: 0] -= 1
        for (index, length) in SearchSignals.lengths(known.lengths).enumerated() { lengths[index] -= Int64(length) }
    }

    // MARK: Words

    private func put(_ columns: [String], as number: Int64) throws {
        try wordsInsertion.run([.integer(number)] + Self.values(of: columns))
        guard let packed = SearchSchema.packed(columns) else {
            throw StorageError.damaged(reason: "the words of a document cannot be packed")
        }
        try contentsInsertion.run(.integer(number), .blob(packed))
    }

    /// Takes the words of a document out of the index.
    ///
    /// - Returns: its columns.
    private func takeOut(_ number: Int64) throws -> [String] {
        let packed = try contentsOf.first(.integer(number)) { $0.blob(0) }
        guard let columns = packed.flatMap(SearchSchema.columns(ofPacked:)) else {
            throw StorageError.damaged(reason: "a document of the search index has no words")
        }
        try wordsRemoval.run([.integer(number)] + Self.values(of: columns))
        try contentsRemoval.run(.integer(number))
        return columns
    }

    private static func values(of columns: [String]) -> [StoreValue] {
        let facets = (columns.last ?? "") + " " + SearchDocument.titleTerms(of: columns)
        return columns.dropLast().map { .text($0) } + [.text(facets)]
    }

    // MARK: Documents

    /// Gives a document another popularity, without reading its record. It moves if that changes its step of quality; its words stay as they
    /// are.
    ///
    /// - Returns: false if what the index has leaves open which step that is. Nothing is changed then.
    mutating func setPopularity(_ popularity: Double, of identifier: String, of shard: Int?) throws -> Bool {
        let known = try signalsOf.firstMatch(.integer(SearchDocument.key(of: identifier))) {
            row -> (id: Int64, signals: SearchSignals)? in
            row.text(0) == identifier ? (row.integer(SearchSignals.columnCount), SearchSignals(row)) : nil
        }
        // What is not in the index is not searched. If another shard has the record by now, this is not of it.
        guard let known, known.signals.shard == shard else { return true }
        guard let step = SearchDocument.qualityStep(of: known.signals, popularity: popularity, weights) else {
            return false
        }
        let before = SearchSchema.step(ofNumber: known.id)
        var number = known.id
        if step != before {
            serial += 1
            number = SearchSchema.number(quality: step, serial: serial)
            try put(takeOut(known.id), as: number)
            removed += 1
            steps[before, default: 0] -= 1
            steps[step, default: 0] += 1
        }
        try popularityUpdate.run(
            .integer(number), .integer(Int64((popularity * 1000).rounded())), .integer(known.id))
        return true
    }

    mutating func put(_ document: SearchDocument, of shard: Int?) throws {
        let step = document.qualityStep(weights)
        var number: Int64?
        if let known = try known(document.identifier) {
            // Where only a signal changed, the words stay.
            if known.contents == document.contents, SearchSchema.step(ofNumber: known.id) == step,
                known.language == document.language
            {
                number = known.id
            } else {
                try remove(known)
            }
        }
        if number == nil {
            serial += 1
            let new = SearchSchema.number(quality: step, serial: serial)
            number = new
            try put(document.columns, as: new)
            documents += 1
            steps[step, default: 0] += 1
            for term in document.terms { terms[term, default: 0] += 1 }
            if let language = document.language { languages[language, default: 0] += 1 }
            for (index, length) in document.lengths.enumerated() { lengths[index] += Int64(length) }
        }
        guard let number else { return }
        func thousandths(_ value: Double?) -> StoreValue {
            .optional(value.map { Int64(($0 * 1000).rounded()) })
        }
        try insertion.run(
            [
                .integer(number), .integer(document.key), .text(document.identifier), .integer(document.contents),
                .integer(document.host), .blob(SearchSignals.packed(document.lengths)), .optional(document.language),
                thousandths(document.popularity), thousandths(document.rating),
                .optional(document.stars.map { Int64(($0 * 100).rounded()) }), thousandths(document.interactions),
                thousandths(document.structuredData), .integer(document.flags.rawValue),
                thousandths(document.signs.weight), .integer(document.signs.rawValue),
                .optional(document.day.map(Int64.init)), .optional(document.over.map(Int64.init)),
                .optional(shard.map(Int64.init)), .text(document.types.joined(separator: " ")), .text(document.site),
                thousandths(document.price), .optional(document.currency),
                .optional(document.apps.isEmpty ? nil : document.apps.joined(separator: "\n")),
            ])
    }

    func finish() throws {
        try StoreStatement(database, "UPDATE state SET serial = ?, documents = ?, removed = removed + ?")
            .run(.integer(serial), .integer(documents), .integer(removed))
        let language = try StoreStatement(
            database,
            "INSERT INTO language VALUES (?1, ?2) ON CONFLICT(tag) DO UPDATE SET documents = documents + ?2")
        for (tag, change) in languages where change != 0 { try language.run(.text(tag), .integer(change)) }
        let quality = try StoreStatement(
            database,
            "INSERT INTO quality VALUES (?1, ?2) ON CONFLICT(step) DO UPDATE SET documents = documents + ?2")
        for (step, change) in steps where change != 0 { try quality.run(.integer(step), .integer(change)) }
        let length = try StoreStatement(
            database, "INSERT INTO length VALUES (?1, ?2) ON CONFLICT(field) DO UPDATE SET words = words + ?2")
        for (field, change) in lengths.enumerated() where change != 0 {
            try length.run(.integer(Int64(field)), .integer(change))
        }
        try countTerms()
    }

    private func countTerms() throws {
        let count = try StoreStatement(database, "SELECT documents, magnitude FROM word WHERE term = ?")
        let insertion = try StoreStatement(database, "INSERT INTO word VALUES (?, ?, ?)")
        let update = try StoreStatement(database, "UPDATE word SET documents = ? WHERE term = ?")
        let growth = try StoreStatement(database, "UPDATE word SET documents = ?, magnitude = ? WHERE term = ?")
        let removal = try StoreStatement(database, "DELETE FROM word WHERE term = ?")
        let spelling = try StoreStatement(database, "INSERT OR IGNORE INTO spelling VALUES (?, ?)")
        let misspelling = try StoreStatement(database, "DELETE FROM spelling WHERE hash = ? AND term = ?")
        let leastForSpelling = SpellingHelp.leastDocuments(of: documents)
        // In order, so that neighbors in the tree are written together.
        for (term, change) in terms.sorted(by: { $0.key < $1.key }) where change != 0 {
            let known = try count.first(.text(term)) { ($0.integer(0), $0.integer(1)) }
            let documents = max(0, (known?.0 ?? 0) + change)
            let magnitude = Int64(Int64.bitWidth - documents.leadingZeroBitCount)
            if documents == 0 {
                if known != nil { try removal.run(.text(term)) }
            } else if let known {
                if known.1 == magnitude {
                    try update.run(.integer(documents), .text(term))
                } else {
                    try growth.run(.integer(documents), .integer(magnitude), .text(term))
                }
            } else {
                try insertion.run(.text(term), .integer(documents), .integer(magnitude))
            }
            if documents >= leastForSpelling, (known?.0 ?? 0) < leastForSpelling {
                for hash in SpellingHelp.hashes(of: term) { try spelling.run(.integer(hash), .text(term)) }
            } else if documents < leastForSpelling, change < 0 {
                // Rare words that were filed when the index was small stay until they get rarer.
                for hash in SpellingHelp.hashes(of: term) { try misspelling.run(.integer(hash), .text(term)) }
            }
        }
    }
}
