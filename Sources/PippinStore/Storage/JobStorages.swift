import Foundation
import GRDB
import PippinCrawl
import PippinPage

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

    /// Where what belongs to the whole job lies, such as its search index: the storage, or the folder that has those of the shards.
    public let folder: URL
    /// How many shards the job has; nil if it is not in shards.
    public let shardCount: Int?
    /// The storages that are here, by number. A job that is not in shards has one, which need not exist yet.
    public let parts: [Part]

    /// Looks for the storages of a job.
    ///
    /// - Parameter named: the storage, the folder of the shards' storages, or that of their job, which has them in `shards`.
    /// - Throws: `StorageError` if the shards' storages contradict each other, or none is here.
    public init(in named: URL) throws {
        if !CrawlStorage.exists(in: named) {
            for place in [named, named.appending(path: "shards")] {
                let folders = try Self.numbered(in: place)
                guard let first = folders.min(by: { $0.key < $1.key }),
                    let count = try Self.shard(StorageDatabase.toRead(in: first.value))?.count
                else { continue }
                folder = place
                shardCount = count
                parts = try folders.sorted { $0.key < $1.key }.map { number, folder in
                    guard let shard = Shard(number, of: count) else {
                        throw StorageError.unusable(
                            folder: folder.path,
                            reason: "the job of \(first.value.path) has \(count) shards, up to \(count - 1)")
                    }
                    return Part(folder: folder, shard: shard)
                }
                return
            }
            if FileManager.default.fileExists(atPath: named.appending(path: "shards.json").path) {
                throw StorageError.unusable(
                    folder: named.path,
                    reason:
                        "it is a job in shards, and no storage of them is in its folder shards; --storage names the folder that has "
                        + "them")
            }
        }
        // `pippin crawl` with the folder of a job in shards once made one.
        if let shard = try Self.numbered(in: named.appending(path: "shards")).values.first {
            throw StorageError.unusable(
                folder: named.path,
                reason:
                    "it has a storage itself, and those of shards, such as \(shard.path); --storage names the folder shards, or remove "
                    + "\(named.appending(path: StorageDatabase.fileName).path)")
        }
        (folder, shardCount, parts) = (named, nil, [Part(folder: named, shard: nil)])
    }

    /// The storages in folders whose names are numbers.
    private static func numbered(in place: URL) throws -> [Int: URL] {
        var folders: [Int: URL] = [:]
        // A place that does not exist, or is a file, has none; whoever opens it says why.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? [] {
            let storage = place.appending(path: name)
            guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(name),
                CrawlStorage.exists(in: storage)
            else { continue }
            if let other = folders.updateValue(storage, forKey: number) {
                throw StorageError.unusable(
                    folder: storage.path, reason: "\(other.path) has the same number; remove one of them")
            }
        }
        return folders
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
        let job = try JobStorages(in: named)
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
        let numbers = missing.prefix(Self.named).map(String.init).joined(separator: ", ")
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
                "\(folder.path): what is asked for belongs to shard \(owner) of \(count), whose storage is not here",
                .outputFailed)
        }
        return part
    }
}

extension JobStorages.Part {
    /// Opens the database for reading, and closes it when the queue is released: of thousands of shards, only some can be open at a time.
    ///
    /// - Throws: `StorageError` if there is none, or if it is of another shard.
    func database() throws -> DatabaseQueue {
        let database = try StorageDatabase.toRead(in: folder)
        guard let shard else { return database }
        let kept = try JobStorages.shard(database)
        guard kept == shard else {
            throw StorageError.unusable(
                folder: folder.path,
                reason:
                    "it is \(kept.map { "shard \($0.number) of \($0.count)" } ?? "no shard yet"), not shard \(shard.number) of "
                    + "\(shard.count)")
        }
        return database
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
