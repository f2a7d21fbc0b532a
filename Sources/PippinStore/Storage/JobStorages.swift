import Foundation
import GRDB
import Glibc
import PippinCrawl
import PippinPage
import Synchronization

/// The storages of a job: one, or one for each of its shards in a folder that has its number as name (`00`, `01` …), as their driver lays
/// them out. What a command does with `--storage` begins here.
///
/// Shards may be on several machines, so some may not be here. Whoever shows less than the whole job says so (`absence`).
public struct JobStorages: Sendable {
    /// One storage of the job.
    public struct Part: Sendable, Hashable {
        public let folder: URL
        /// The shard that it must be; nil if it is the whole job.
        public let shard: Shard?
    }

    /// Why the storage of a shard is not read, though it has a folder here.
    public struct Hindrance: Sendable {
        public let reason: String
        /// Whether its present or next turn ends it, and nothing is wrong.
        public let isPassing: Bool
    }

    /// Where what belongs to the whole job lies, such as its search index: the storage, or the folder that has those of the shards.
    public let folder: URL
    /// How many shards the job has; nil if it is not in shards.
    public let shardCount: Int?
    /// The storages that are here, by number. A job that is not in shards has one, which need not exist yet.
    public let parts: [Part]

    /// Whether the number of shards is beyond doubt: `shards.json` says it, or all storages that can be read agree.
    let isCountSure: Bool
    /// Why storages of shards are not read that have a folder here, by number.
    public let hindrances: [Int: Hindrance]

    /// Looks for the storages of a job. Of a job in shards, one that cannot be read now is left out and named (`absence`).
    ///
    /// - Parameter named: the storage, the folder of the shards' storages, or that of their job, which has them in `shards`.
    /// - Throws: `StorageError` if the shards' storages contradict each other, or none is here.
    public init(in named: URL) throws {
        switch try Self.look(in: named) {
        case .job(let job): self = job
        case .noneYet(let error): throw error
        }
    }

    private enum Look {
        case job(JobStorages)
        /// A job in shards whose storages will come.
        case noneYet(StorageError)
    }

    private static func look(in named: URL) throws -> Look {
        let shards = named.appending(path: "shards")
        guard CrawlStorage.exists(in: named) else {
            for place in [named, shards] { if let look = try look(forShardsIn: place) { return look } }
            if FileManager.default.fileExists(atPath: named.appending(path: ShardsFile.name).path) {
                return .noneYet(
                    .unusable(
                        folder: named.path,
                        reason:
                            "it is a job in shards, and no storage of them is in its folder shards; --storage names the folder that has "
                            + "them"))
            }
            return .job(JobStorages(whole: named))
        }
        // `pippin crawl` with the folder of a job in shards once made one.
        if let shard = try numbered(in: shards).values.first {
            throw StorageError.unusable(
                folder: named.path,
                reason:
                    "it has a storage itself, and those of shards, such as \(shard.path); --storage names the folder shards, or remove "
                    + "\(named.appending(path: StorageDatabase.fileName).path)")
        }
        return .job(JobStorages(whole: named))
    }

    private init(whole folder: URL) {
        self.folder = folder
        (shardCount, parts) = (nil, [Part(folder: folder, shard: nil)])
        (isCountSure, hindrances) = (true, [:])
    }

    /// - Returns: nil if there are no shards.
    private static func look(forShardsIn place: URL) throws -> Look? {
        let folders = try numbered(in: place).sorted { $0.key < $1.key }
        guard !folders.isEmpty else { return nil }
        let found = folders.map { (number: $0.key, folder: $0.value, standing: ShardStorage(in: $0.value)) }
        let counts = found.compactMap(\.standing.shard?.count)
        let told = try toldCount(of: place)
        var parts: [Part] = []
        var hindrances = Dictionary(uniqueKeysWithValues: found.map { ($0.number, $0.standing.hindrance) })
            .compactMapValues(\.self)
        if let count = told ?? mostFrequent(counts) {
            for (number, folder, standing) in found {
                guard let shard = standing.shard else { continue }
                // One of another cut, which is made or left behind while `reshard` works.
                guard shard.count == count else {
                    hindrances[number] = Hindrance(
                        reason: "it is shard \(shard.number) of \(shard.count)", isPassing: false)
                    continue
                }
                guard shard.number == number else { throw StorageError.otherShard(folder, shard, number, of: count) }
                parts.append(Part(folder: folder, shard: shard))
            }
            if !parts.isEmpty {
                return .job(
                    JobStorages(
                        folder: place, shardCount: count, parts: parts,
                        isCountSure: told != nil || Set(counts).count == 1, hindrances: hindrances))
            }
        } else if found.allSatisfy({ $0.standing == .unnumbered }) {
            // Whole jobs that have numbers as names.
            return nil
        }
        let reasons = hindrances.sorted { $0.key < $1.key }.prefix(Self.named).map { "\($0.key): \($0.value.reason)" }
        let error = StorageError.unusable(
            folder: place.path,
            reason: "no storage of its shards can be read now (\(reasons.joined(separator: "; ")))")
        if hindrances.values.allSatisfy(\.isPassing) { return .noneYet(error) }
        throw error
    }

    private init(
        folder: URL, shardCount: Int, parts: [Part], isCountSure: Bool, hindrances: [Int: Hindrance]
    ) {
        (self.folder, self.shardCount, self.parts) = (folder, shardCount, parts)
        (self.isCountSure, self.hindrances) = (isCountSure, hindrances)
    }

    /// How many shards `shards.json` says, beside the storages or above them; nil if there is none.
    private static func toldCount(of place: URL) throws -> Int? {
        for folder in [place, place.absoluteURL.standardizedFileURL.deletingLastPathComponent()] {
            if let count = try ShardsFile.count(path: folder.appending(path: ShardsFile.name).path) { return count }
        }
        return nil
    }

    private static func mostFrequent(_ counts: [Int]) -> Int? {
        Dictionary(counts.map { ($0, 1) }, uniquingKeysWith: +).max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// The storages in folders whose names are numbers.
    private static func numbered(in place: URL) throws -> [Int: URL] {
        var folders: [Int: URL] = [:]
        // A place that does not exist, or is a file, has none; whoever opens it says why.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? [] {
            let storage = place.appending(path: name)
            guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(name),
                CrawlStorage.exists(in: storage) || ShardStorage.isHalfRestored(storage)
            else { continue }
            if let other = folders.updateValue(storage, forKey: number) {
                throw StorageError.unusable(
                    folder: storage.path, reason: "\(other.path) has the same number; remove one of them")
            }
        }
        return folders
    }

    /// The folder of the job in shards to which the storage in a folder belongs; nil if it is not that of a shard, or lies alone.
    public static func folder(ofShardIn folder: URL) throws -> URL? {
        let place = folder.absoluteURL.standardizedFileURL
        guard CrawlStorage.exists(in: place), Int(place.lastPathComponent) != nil, ShardStorage(in: place).shard != nil,
            try JobStorages(in: place.deletingLastPathComponent()).shardCount != nil
        else { return nil }
        return place.deletingLastPathComponent()
    }

    /// Which shard a storage is; nil if it is a whole job.
    fileprivate static func shard(_ database: DatabaseQueue) throws -> Shard? {
        do {
            return try database.read(Shard.kept)
        } catch {
            throw StorageError(error, database: database)
        }
    }

    /// Whether a job has written into a folder.
    public static func exist(in named: URL) throws -> Bool {
        guard case .job(let job) = try look(in: named) else { return false }
        return job.shardCount != nil || CrawlStorage.exists(in: named)
    }

    /// The shards whose storages are not here, by number.
    public var missing: [Int] {
        let here = Set(parts.compactMap(\.shard?.number))
        return (0..<(shardCount ?? 0)).filter { !here.contains($0) }
    }

    /// How many missing shards a sentence names.
    private static let named = 10

    /// A sentence that names the shards whose storages are not here; nil if all are.
    public var absence: String? {
        let missing = missing
        guard let count = shardCount, !missing.isEmpty else { return nil }
        let numbers = missing.prefix(Self.named).map { number in
            hindrances[number].map { "\(number) (\($0.reason))" } ?? "\(number)"
        }.joined(separator: ", ")
        let others = missing.count > Self.named ? " and \(missing.count - Self.named) more" : ""
        return missing.count == 1
            ? "The storage of shard \(numbers) of \(count) is not here: what it has is left out."
            : "The storages of shards \(numbers)\(others) of \(count) are not here: what they have is left out."
    }

    /// The storage that knows of a host's URLs.
    ///
    /// - Throws: `ReportedFailure` if it is that of a shard that is not here.
    public func part(of host: String) throws -> Part {
        guard let count = shardCount else { return parts[0] }
        let owner = Shard.number(ofHost: host, among: count)
        guard let part = parts.first(where: { $0.shard?.number == owner }) else {
            throw ReportedFailure(
                "\(folder.path): what is asked for belongs to shard \(owner) of \(count), whose storage is not here"
                    + (hindrances[owner].map { " (\($0.reason))" } ?? ""),
                .outputFailed)
        }
        return part
    }
}

extension StorageError {
    fileprivate static func otherShard(_ folder: URL, _ kept: Shard?, _ number: Int, of count: Int) -> StorageError {
        .unusable(
            folder: folder.path,
            reason:
                "it is \(kept.map { "shard \($0.number) of \($0.count)" } ?? "no shard yet"), not shard \(number) of \(count)"
        )
    }
}

/// What is found in a folder that has the number of a shard as name.
private enum ShardStorage: Equatable {
    case shard(Shard)
    /// A worker was ended before the first turn began; or it is no shard.
    case unnumbered
    /// The driver restores it from a snapshot.
    case restored
    case unreadable(reason: String)

    static let halfRestored = "it is being restored from a snapshot"

    /// Storages that were read, by path. One that had the number of a shard keeps it as long as it is the same file.
    private static let seen = Mutex<[String: (files: StorageFiles, shard: Shard)]>([:])
    private static let mostSeen = 10_000

    init(in folder: URL) {
        guard !Self.isHalfRestored(folder) else {
            self = .restored
            return
        }
        let files = StorageFiles(in: folder)
        if let known = Self.seen.withLock({ $0[folder.path] }), known.files.isSameDatabase(as: files) {
            self = .shard(known.shard)
            return
        }
        do {
            guard let shard = try JobStorages.shard(StorageDatabase.toRead(in: folder)) else {
                self = .unnumbered
                return
            }
            self = .shard(shard)
            Self.seen.withLock { seen in
                if seen.count >= Self.mostSeen { seen = [:] }
                seen[folder.path] = (files, shard)
            }
        } catch StorageError.unusable(_, let reason) {
            self = .unreadable(reason: reason)
        } catch {
            self = .unreadable(reason: "\(error)")
        }
    }

    static func forget(_ folder: URL) { seen.withLock { $0[folder.path] = nil } }

    /// Its driver marks a storage as long as it writes a snapshot's files into it.
    static func isHalfRestored(_ folder: URL) -> Bool {
        access(folder.appending(path: ".half-restored").path, F_OK) == 0
    }

    var shard: Shard? { if case .shard(let shard) = self { shard } else { nil } }

    /// Why it cannot be read; nil if it can.
    var hindrance: JobStorages.Hindrance? {
        switch self {
        case .shard: nil
        case .unnumbered: .init(reason: "no turn has begun in it", isPassing: true)
        case .restored: .init(reason: Self.halfRestored, isPassing: true)
        case .unreadable(let reason): .init(reason: reason, isPassing: false)
        }
    }
}

extension JobStorages.Part {
    /// Opens the database for reading, and closes it when the queue is released: of thousands of shards, only some can be open at a time.
    ///
    /// - Throws: `StorageError` if there is none, or if it is of another shard.
    func database() throws -> DatabaseQueue {
        guard let shard else { return try StorageDatabase.toRead(in: folder) }
        do {
            try checkIsWhole()
            let database = try StorageDatabase.toRead(in: folder)
            let kept = try JobStorages.shard(database)
            guard kept == shard else {
                throw StorageError.otherShard(folder, kept, shard.number, of: shard.count)
            }
            return database
        } catch {
            // The next look reads it anew.
            ShardStorage.forget(folder)
            throw error
        }
    }

    /// - Throws: `StorageError` while the storage is restored from a snapshot.
    func checkIsWhole() throws {
        guard shard != nil, ShardStorage.isHalfRestored(folder) else { return }
        throw StorageError.unusable(folder: folder.path, reason: ShardStorage.halfRestored)
    }

    /// Whether this is a machine's copy of a shard that moves: its driver wrote a note into it, and the folder above is not the job's.
    public var isMovingCopy: Bool {
        let above = folder.absoluteURL.standardizedFileURL.deletingLastPathComponent()
        let isThere = { (file: URL) in FileManager.default.fileExists(atPath: file.path) }
        return isThere(folder.appending(path: "shard.json"))
            && ![above, above.deletingLastPathComponent()].contains { isThere($0.appending(path: ShardsFile.name)) }
    }

    /// The changes of the storage's records.
    func feed() throws -> ChangeFeed { ChangeFeed(database: try database()) }
}

extension Shard {
    /// Which shard a storage is; nil if it is a whole job.
    static func kept(_ database: Database) throws -> Shard? {
        try StoreStatement(database, "SELECT number, count FROM shard WHERE id = 1").first {
            Shard(Int($0.integer(0)), of: Int($0.integer(1)))
        } ?? nil
    }
}
