import Foundation
import GRDB
import Glibc
import PippinCrawl
import PippinPage

/// What an operator must act on sooner or later (Docs/Operations.md, What to watch). Reading it costs the same in every storage.
public struct StorageHealth: Sendable {
    /// Something that the last run passed the changes of records on to.
    public struct Consumer: Sendable, Equatable {
        /// The path of a file, `opensearch` with index and URL, or `searchIndex`.
        public let name: String
        /// How many changes it lacks, at most `mostCounted`.
        public let behind: Int
    }

    /// The consumer that is the search index of the storage.
    public static let searchIndex = "search index"
    /// Hosts and changes are counted up to this number.
    public static let mostCounted = 10_000

    /// When this was read.
    public private(set) var at: Date
    /// Hosts that starve, at most `mostCounted`: their oldest due URL was due `starvation` ago, and before the last
    /// `starvationRuns` runs began. Hosts that rest do not count.
    public private(set) var starvedHosts: Int
    /// The URL that was due first of all that are due: its host, and when it was due. nil if none is due.
    public private(set) var oldestDue: (host: String, at: Date)?
    /// The length of the database's write-ahead log.
    public private(set) var logBytes: Int
    /// What the job keeps (`CrawlStorage.bytes`).
    public private(set) var bytes: Int
    /// A file system with storages.
    private struct Disk: Sendable {
        var freeBytes: Int
        var growthPerDay: Double?
    }

    /// By the numbers of their devices: shards may lie on several.
    private var disks: [UInt: Disk]
    /// When the last run ended that was not stopped, killed or broken off; nil if there was none, or none in one of the shards.
    public private(set) var lastSuccess: Date?
    public private(set) var consumers: [Consumer]

    public static let starvation: TimeInterval = 7 * 86_400
    public static let starvationRuns = 3
    private static let comparedRuns = 30

    /// What the file systems of the storages have left for this user.
    public var freeBytes: Int { disks.values.reduce(0) { $0 + $1.freeBytes } }

    /// By how much `bytes` grew in a day, over the last `comparedRuns` runs; nil if they lie less than a day apart.
    public var growthPerDay: Double? {
        let known = disks.values.compactMap(\.growthPerDay)
        return known.isEmpty ? nil : known.reduce(0, +)
    }

    /// In how many days a disk is full if the job grows as it did; infinite if it does not grow, nil if that is not known.
    public var daysLeft: Double? {
        disks.values.compactMap { disk in
            disk.growthPerDay.map { $0 > 0 ? Double(disk.freeBytes) / $0 : .infinity }
        }.min()
    }

    public init(_ reader: StorageReader, now: Date = Date()) throws { try self.init(reader, now: now, index: nil) }

    /// - Parameter index: how far the search index is that shards have in common; nil if there is none.
    init(_ reader: StorageReader, now: Date, index: [Int: ChangeFeed.Cursor]?) throws {
        let folder = reader.folder
        self = try reader.read { database in
            var health = try Self(database, folder: folder, now: now)
            guard let index, let shard = try Shard.kept(database) else { return health }
            let end = try ChangeFeed.end(of: database)
            let place = index[shard.number].flatMap { $0.identity == end.identity ? $0.place : nil }
            health.consumers.append(
                Consumer(
                    name: Self.searchIndex,
                    behind: try ChangeFeed.count(
                        after: place ?? ChangeFeed.Place(), limit: Self.mostCounted, database)))
            return health
        }
    }

    /// How far the search index is that the shards of a job have in common; nil if there is none.
    static func index(of job: JobStorages) -> [Int: ChangeFeed.Cursor]? {
        guard job.shardCount != nil, SearchIndexer.hasIndex(in: job.folder) else { return nil }
        return SearchIndexer.places(in: job.folder) ?? [:]
    }

    /// - Parameter folder: the storage folder.
    init(_ database: Database, folder: URL, now: Date) throws {
        at = now
        let runs = try CrawlStorage.Run.order(sql: "id DESC").limit(Self.comparedRuns).fetchAll(database)
        var bound = now.addingTimeInterval(-Self.starvation)
        if runs.count >= Self.starvationRuns { bound = min(bound, runs[Self.starvationRuns - 1].startedAt) }
        let starved =
            try Int.fetchOne(
                database,
                sql: """
                    SELECT count(*) FROM (
                        SELECT suspendedUntil FROM host WHERE nextDue < ? ORDER BY nextDue LIMIT \(Self.mostCounted))
                    WHERE suspendedUntil IS NULL OR suspendedUntil <= ?
                    """, arguments: [bound.storeSeconds, now.storeSeconds]) ?? 0
        starvedHosts = runs.count >= Self.starvationRuns ? starved : 0
        oldestDue = try Row.fetchOne(
            database, sql: "SELECT name, nextDue FROM host WHERE nextDue <= ? ORDER BY nextDue LIMIT 1",
            arguments: [now.storeSeconds]
        ).map { ($0[0], Date(storeSeconds: $0[1])) }
        logBytes = Self.size(of: folder.appending(path: StorageDatabase.fileName + "-wal"))
        bytes = try CrawlStorage.bytes(database, in: folder)
        var system = statvfs()
        let free = statvfs(folder.path, &system) == 0 ? Int(system.f_bavail) * Int(system.f_frsize) : 0
        disks = [UInt(system.f_fsid): Disk(freeBytes: free, growthPerDay: Self.growth(runs))]
        lastSuccess = try Date.fetchOne(
            database,
            sql: "SELECT endedAt FROM run WHERE endedAt IS NOT NULL AND ending <> ? ORDER BY id DESC LIMIT 1",
            arguments: [CrawlSummary.Ending.interrupted.rawValue])
        consumers = try (runs.first?.fed ?? []).map { name in
            let place =
                try name == Self.searchIndex
                ? SearchIndexer.places(in: folder)?[0]?.place
                : StoreStatement(database, "SELECT \(ChangeFeed.Place.columns) FROM consumer WHERE name = ?")
                    .first(.text(name)) { ChangeFeed.Place($0) }
            return Consumer(
                name: name,
                behind: try ChangeFeed.count(
                    after: place ?? ChangeFeed.Place(), limit: Self.mostCounted, database))
        }
    }

    /// Reads the storages of a job, one after the other.
    public init(_ job: JobStorages, now: Date = Date()) throws {
        let index = Self.index(of: job)
        self = try StorageHealth(StorageReader(job.parts[0]), now: now, index: index)
        for part in job.parts.dropFirst() { add(try StorageHealth(StorageReader(part), now: now, index: index)) }
        if job.shardCount != nil { addBytes(ofIndexOf: job) }
    }

    /// Adds what is read of another shard. The job is as far behind as the shard that is farthest.
    mutating func add(_ other: StorageHealth) {
        starvedHosts = min(starvedHosts + other.starvedHosts, Self.mostCounted)
        oldestDue = [oldestDue, other.oldestDue].compactMap(\.self).min { ($0.at, $0.host) < ($1.at, $1.host) }
        logBytes += other.logBytes
        bytes += other.bytes
        for (device, theirs) in other.disks {
            guard let ours = disks[device] else {
                disks[device] = theirs
                continue
            }
            let growths = [ours.growthPerDay, theirs.growthPerDay].compactMap(\.self)
            disks[device] = Disk(
                freeBytes: theirs.freeBytes, growthPerDay: growths.isEmpty ? nil : growths.reduce(0, +))
        }
        lastSuccess = lastSuccess.flatMap { ours in other.lastSuccess.map { min(ours, $0) } }
        for theirs in other.consumers {
            if let place = consumers.firstIndex(where: { $0.name == theirs.name }) {
                let behind = min(consumers[place].behind + theirs.behind, Self.mostCounted)
                consumers[place] = Consumer(name: theirs.name, behind: behind)
            } else {
                consumers.append(theirs)
            }
        }
    }

    /// Takes in what the shards' search index keeps.
    mutating func addBytes(ofIndexOf job: JobStorages) { bytes += SearchIndex.bytes(in: job.folder) }

    private static func growth(_ runs: [CrawlStorage.Run]) -> Double? {
        let measured = runs.compactMap { run in
            run.bytes.flatMap { bytes in run.endedAt.map { (at: $0, bytes: bytes) } }
        }
        guard let last = measured.first, let first = measured.last else { return nil }
        let days = last.at.timeIntervalSince(first.at) / 86_400
        return days >= 1 ? Double(last.bytes - first.bytes) / days : nil
    }

    private static func size(of file: URL) -> Int {
        var status = stat()
        return stat(file.path, &status) == 0 ? Int(status.st_size) : 0
    }
}

extension SQLiteFrontier {
    /// What an operator must act on, while a run goes on.
    ///
    /// - Parameter folder: the storage folder.
    public nonisolated func health(folder: URL) throws -> StorageHealth {
        do {
            return try database.read { try StorageHealth($0, folder: folder, now: Date()) }
        } catch {
            throw StorageError(error, database: database)
        }
    }
}

extension StorageHealth {
    /// The state as metrics. Moments are told and not ages, because Prometheus may read them long after a run has written them.
    public func write(to text: inout PrometheusExposition) {
        func known(_ value: Double?) -> [([String: String], Double)] { value.map { [([:], $0)] } ?? [] }
        text.gauge(
            "pippin_starved_hosts", "Hosts whose oldest due URL waits for more than 7 days and 3 runs.",
            Double(starvedHosts))
        text.family(
            "pippin_oldest_due_timestamp_seconds", .gauge, "When the oldest due URL was due; nothing if none is.",
            known(oldestDue?.at.timeIntervalSince1970))
        text.gauge("pippin_database_log_bytes", "Length of the database's write-ahead log.", Double(logBytes))
        text.gauge("pippin_storage_bytes", "What the job keeps: the storage folder and followed files.", Double(bytes))
        text.family(
            "pippin_disk_days_left", .gauge, "In how many days the disk is full, from the growth over the last runs.",
            known(daysLeft))
        text.family(
            "pippin_last_success_timestamp_seconds", .gauge,
            "When the last run ended that was not stopped or broken off.",
            known(lastSuccess?.timeIntervalSince1970))
        text.family(
            "pippin_consumer_lag_changes", .gauge, "Changes of records that a consumer lacks, at most 10000.",
            consumers.map { (["consumer": $0.name], Double($0.behind)) })
    }

    func write(to writer: inout JSONWriter) {
        writer.object("watch") { writer in
            writer.member("starvedHosts", starvedHosts)
            writer.optional("oldestDue", oldestDue.map { InternetTime.text($0.at) })
            writer.optional("oldestDueHost", oldestDue?.host)
            writer.member("logBytes", logBytes)
            writer.member("bytes", bytes)
            writer.member("freeBytes", freeBytes)
            writer.optional("growthPerDay", growthPerDay?.rounded())
            writer.optional("diskDaysLeft", daysLeft.flatMap { $0.isFinite ? $0.rounded(.down) : nil })
            writer.optional("lastSuccess", lastSuccess.map(InternetTime.text))
            writer.objects("consumers", consumers) { writer, consumer in
                writer.member("name", consumer.name)
                writer.member("behind", consumer.behind)
            }
        }
    }
}
