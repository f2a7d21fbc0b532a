import Foundation
import GRDB
import Glibc
import PippinCrawl
import PippinPage

/// The state of a job: how many URLs are queued and due, which hosts are left alone, and how the last runs ended. That of a job in shards is
/// the sum of those that are here.
public struct StorageStatus: Sendable {
    /// A run, or a try of a shard's turn.
    public struct PastRun: Sendable {
        /// The number of the shard; nil if the job is not in shards.
        public let shard: Int?
        public let startedAt: Date
        /// When it ended; nil while it goes on, and if it was killed.
        public let endedAt: Date?
        public let ending: String?
        public let visits: Int
        public let records: Int
        /// What the storage kept at its end.
        public let bytes: Int?

        init(_ run: CrawlStorage.Run, shard: Int?) {
            (self.shard, startedAt, endedAt, ending) = (shard, run.startedAt, run.endedAt, run.ending)
            (visits, records, bytes) = (run.visits, run.records, run.bytes)
        }
    }

    /// Where one shard stands.
    public struct ShardStanding: Sendable {
        public let number: Int
        public let state: State
        public let known: Int
        public let queued: Int
        public let due: Int
        public let records: Int
        /// Its last turn, as far as it was tried.
        public let last: PastRun?

        /// How its last turn ended, in a word or two.
        public var lastTurn: String {
            switch state {
            case .running: "goes on"
            case .killed: "ended from outside"
            case .idle: last.map { $0.ending ?? "ended" } ?? "none"
            }
        }
    }

    /// The shards of the job.
    public struct Shards: Sendable {
        public let count: Int
        /// Those that are not here, by number.
        public let missing: [Int]
        /// A sentence that names them; nil if all are here.
        public let absence: String?
        /// Why storages are left out that have a folder here, by number.
        public let hindrances: [Int: JobStorages.Hindrance]
        /// Of those that are here, by number.
        public fileprivate(set) var standings: [ShardStanding] = []

        /// How many rows a person reads.
        private static let shown = 64

        /// All that are here, or of very many those in which the most waits; by number.
        public var mostWaiting: [ShardStanding] {
            standings.sorted { ($1.queued + $1.due, $0.number) < ($0.queued + $0.due, $1.number) }.prefix(Self.shown)
                .sorted { $0.number < $1.number }
        }
    }

    /// Nil if the job is not in shards.
    public private(set) var shards: Shards?
    /// When the state was read.
    public private(set) var at: Date
    /// How many hosts are known.
    public private(set) var hosts: Int
    /// How many URLs are known, how many are queued, and how many visited ones are due again, at most `mostDue`.
    public private(set) var known: Int
    public private(set) var queued: Int
    public private(set) var due: Int
    /// How many URLs had each outcome, by its code, in their last visit.
    public private(set) var lastOutcomes: [String: Int]
    /// How many records are not deleted.
    public private(set) var records: Int
    /// How often a URL was dropped because the queue was full (`FrontierLimits`). A URL may be counted several times.
    public private(set) var dropped: Int
    /// The hosts of the dropped URLs, those with the most first.
    public private(set) var dropping: [StorageReader.Host]
    /// The host of the URL that is due next, and when.
    public private(set) var nextDue: (host: String, at: Date)?
    /// The hosts with the most queued URLs.
    public private(set) var busiest: [StorageReader.Host]
    /// The hosts that are left alone, longest first, and how many there are, at most `mostHosts`.
    public private(set) var blocked: [StorageReader.Host]
    public private(set) var blockedCount: Int
    /// Hosts whose last request failed, by name, and how many there are, at most `mostHosts`.
    public private(set) var troubled: [StorageReader.Host]
    public private(set) var troubledCount: Int
    /// The last runs, newest first.
    public private(set) var runs: [PastRun]
    /// Whether a run goes on. Of shards: whether any is crawled; `killed` if none is, and the last turn of one was.
    public private(set) var state: State
    /// The process that has the storage open; nil if none has, and of a job in shards.
    public private(set) var runningProcess: Int32?
    /// The counters of the present run or of the last one; nil if there was none.
    public private(set) var progress: CrawlProgress?
    /// What the operator must act on.
    public private(set) var health: StorageHealth

    /// Due URLs and hosts are counted up to these numbers, so that the question costs the same in every storage.
    public static let mostDue = URLTable.mostDue
    public static let mostHosts = 10_000

    /// The bytes of the database's write-ahead log; and why it is as long, if it is longer than one that nobody holds.
    public private(set) var logBytes: Int
    public private(set) var logTrouble: String?

    /// Reads the storages of a job, one after the other.
    ///
    /// - Parameter shown: the most hosts in each list, and the most runs.
    public init(_ job: JobStorages, now: Date = Date(), shown: Int = 10) throws {
        let index = StorageHealth.index(of: job)
        try self.init(StorageReader(job.parts[0]), now: now, shown: shown, index: index)
        guard let count = job.shardCount else { return }
        shards = Shards(count: count, missing: job.missing, absence: job.absence, hindrances: job.hindrances)
        endProgressIfKilled()
        takeStanding(of: self, job.parts[0])
        for part in job.parts.dropFirst() {
            var other = try StorageStatus(StorageReader(part), now: now, shown: shown, index: index)
            other.endProgressIfKilled()
            takeStanding(of: other, part)
            add(other, shown: shown)
        }
        runningProcess = nil
        health.addBytes(ofIndexOf: job)
    }

    /// A shard that was killed is part of no sum of what goes on.
    private mutating func endProgressIfKilled() { if state != .running { progress?.endFromOutside() } }

    private mutating func takeStanding(of one: StorageStatus, _ part: JobStorages.Part) {
        guard let number = part.shard?.number else { return }
        shards?.standings.append(
            ShardStanding(
                number: number, state: one.state, known: one.known, queued: one.queued, due: one.due,
                records: one.records, last: one.runs.first))
    }

    /// Adds the state of another shard.
    private mutating func add(_ other: StorageStatus, shown: Int) {
        func first<Element>(_ one: [Element], _ two: [Element], _ isBefore: (Element, Element) -> Bool) -> [Element] {
            Array((one + two).sorted(by: isBefore).prefix(shown))
        }
        hosts += other.hosts
        known += other.known
        queued += other.queued
        due = min(due + other.due, Self.mostDue)
        lastOutcomes.merge(other.lastOutcomes, uniquingKeysWith: +)
        records += other.records
        dropped += other.dropped
        dropping = first(dropping, other.dropping) { ($1.dropped, $0.name) < ($0.dropped, $1.name) }
        nextDue = [nextDue, other.nextDue].compactMap(\.self).min { ($0.at, $0.host) < ($1.at, $1.host) }
        busiest = first(busiest, other.busiest) { ($1.queued, $0.name) < ($0.queued, $1.name) }
        blocked = first(blocked, other.blocked) {
            ($1.blockedUntil ?? .distantPast, $0.name) < ($0.blockedUntil ?? .distantPast, $1.name)
        }
        blockedCount = min(blockedCount + other.blockedCount, Self.mostHosts)
        troubled = first(troubled, other.troubled) { $0.name < $1.name }
        troubledCount = min(troubledCount + other.troubledCount, Self.mostHosts)
        runs = first(runs, other.runs) { ($1.startedAt, $0.shard ?? 0) < ($0.startedAt, $1.shard ?? 0) }
        state = [state, other.state].contains(.running) ? .running : state == .killed ? .killed : other.state
        if let theirs = other.progress { if progress == nil { progress = theirs } else { progress?.add(theirs) } }
        logBytes += other.logBytes
        let troubles = [logTrouble, other.logTrouble].compactMap(\.self)
        logTrouble = troubles.isEmpty ? nil : troubles.joined(separator: " ")
        health.add(other.health)
    }

    /// - Parameter shown: the most hosts in each list, and the most runs.
    public init(_ reader: StorageReader, now: Date = Date(), shown: Int = 10) throws {
        try self.init(reader, now: now, shown: shown, index: nil)
    }

    private init(
        _ reader: StorageReader, now: Date, shown: Int, index: [Int: ChangeFeed.Cursor]?
    ) throws {
        at = now
        progress = try reader.progress()
        logBytes = StorageDatabase.logBytes(in: reader.folder)
        logTrouble = StorageDatabase.heldLog(in: reader.folder).map(LogCheckpoints.sentence)
        let owner = Self.owner(of: reader.folder)
        let seconds = now.storeSeconds
        let milliseconds = now.addingTimeInterval(StorageReader.ordinaryPause).storeMilliseconds
        struct Found {
            var hosts = 0
            var known = 0
            var queued = 0
            var due = 0
            var outcomes: [String: Int] = [:]
            var records = 0
            var dropped = 0
            var dropping: [StorageReader.Host] = []
            var nextDue: (host: String, at: Date)?
            var busiest: [StorageReader.Host] = []
            var blocked: [StorageReader.Host] = []
            var blockedCount = 0
            var troubled: [StorageReader.Host] = []
            var troubledCount = 0
            var runs: [PastRun] = []
            var isOpen = false
        }
        let found = try reader.read { database in
            var found = Found()
            if let row = try Row.fetchOne(database, sql: "SELECT hosts, known, queued, records, dropped FROM store") {
                (found.hosts, found.known, found.queued, found.records) = (row[0], row[1], row[2], row[3])
                found.dropped = row[4]
            }
            found.due = try URLTable.countDue(database, until: seconds)
            for row in try Row.fetchAll(database, sql: "SELECT code, urls FROM outcome WHERE urls > 0") {
                found.outcomes[row[0]] = row[1]
            }
            if let row = try Row.fetchOne(
                database,
                sql: "SELECT name, nextDue FROM host WHERE nextDue IS NOT NULL ORDER BY nextDue LIMIT 1")
            {
                found.nextDue = (row[0], Date(storeSeconds: row[1]))
            }
            func hosts(_ condition: String, _ arguments: StatementArguments) throws -> [StorageReader.Host] {
                try Row.fetchAll(
                    database, sql: "SELECT \(StorageReader.hostColumns) FROM host \(condition)", arguments: arguments
                ).map { StorageReader.host($0, now: now) }
            }
            found.busiest = try hosts("WHERE queued > 0 ORDER BY queued DESC, name LIMIT ?", [shown])
            if found.dropped > 0 {
                found.dropping = try hosts("WHERE dropped > 0 ORDER BY dropped DESC, name LIMIT ?", [shown])
            }
            // The longest of both kinds, so that not all that rest are sorted.
            found.blocked = try hosts(
                """
                WHERE id IN (
                    SELECT id FROM (
                        SELECT id FROM host WHERE suspendedUntil > :seconds ORDER BY suspendedUntil DESC LIMIT :shown)
                    UNION SELECT id FROM (
                        SELECT id FROM host WHERE nextRequest > :milliseconds ORDER BY nextRequest DESC LIMIT :shown))
                ORDER BY max(coalesce(suspendedUntil, 0) * 1000, coalesce(nextRequest, 0)) DESC, name LIMIT :shown
                """, ["seconds": seconds, "milliseconds": milliseconds, "shown": shown])
            func count(_ condition: String, _ arguments: StatementArguments = []) throws -> Int {
                try Int.fetchOne(
                    database,
                    sql: "SELECT count(*) FROM (SELECT 1 FROM host WHERE \(condition) LIMIT \(Self.mostHosts))",
                    arguments: arguments) ?? 0
            }
            found.blockedCount = try count("suspendedUntil > ? OR nextRequest > ?", [seconds, milliseconds])
            found.troubled = try hosts("WHERE trouble IS NOT NULL ORDER BY name LIMIT ?", [shown])
            found.troubledCount = try count("trouble IS NOT NULL")
            let shard = try Shard.kept(database)?.number
            found.runs = try CrawlStorage.Run.order(sql: "id DESC").limit(shown).fetchAll(database)
                .map { PastRun($0, shard: shard) }
            found.isOpen = try Bool.fetchOne(database, sql: "SELECT isOpen FROM store") ?? false
            return found
        }
        health = try StorageHealth(reader, now: now, index: index)
        (hosts, known, queued, due) = (found.hosts, found.known, found.queued, found.due)
        lastOutcomes = found.outcomes
        (dropped, dropping) = (found.dropped, found.dropping)
        records = found.records
        nextDue = found.nextDue
        (busiest, blocked, blockedCount) = (found.busiest, found.blocked, found.blockedCount)
        (troubled, troubledCount) = (found.troubled, found.troubledCount)
        runs = found.runs
        let isRunning = found.isOpen || found.runs.first.map { $0.endedAt == nil } ?? false
        runningProcess = isRunning ? owner : nil
        state = !isRunning ? .idle : owner == nil ? .killed : .running
    }

    /// The process that holds the storage's lock; nil if it no longer exists. Its number is in the lock file.
    private static func owner(of folder: URL) -> Int32? {
        let descriptor = open(folder.appending(path: "lock").path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = max(0, pread(descriptor, &buffer, buffer.count, 0))
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard let process = Int32(text), process > 0 else { return nil }
        return kill(process, 0) == 0 || errno == EPERM ? process : nil
    }
}

extension StorageStatus {
    /// What a job is doing.
    public enum State: String, Sendable {
        case running
        /// The last run ended without closing the storage.
        case killed
        case idle
    }

    /// The state as an object, for `pippin status --json` and the server.
    ///
    /// - Parameter spelling: how messages name settings.
    public func json(_ spelling: Setting.Spelling) -> [UInt8] {
        var writer = JSONWriter(pretty: true)
        writer.object { writer in
            writer.member("at", InternetTime.text(at))
            writer.member("state", state.rawValue)
            writer.optional("process", runningProcess.map(Int.init))
            writer.object("queue") { writer in
                writer.member("known", known)
                writer.member("queued", queued)
                writer.member("due", due)
                writer.member("visited", max(0, known - queued))
                writer.member("dropped", dropped)
                writer.optional("nextDue", nextDue.map { InternetTime.text($0.at) })
                writer.optional("nextDueHost", nextDue?.host)
            }
            writer.member("hosts", hosts)
            writer.member("records", records)
            writer.member("logBytes", logBytes)
            writer.counts("lastOutcomes", lastOutcomes)
            if let progress { write(progress, &writer) }
            write("busiest", busiest, spelling, &writer)
            write("dropping", dropping, spelling, &writer)
            write("blocked", blocked, spelling, &writer)
            write("troubled", troubled, spelling, &writer)
            writer.member("troubledHosts", troubledCount)
            writer.member("blockedHosts", blockedCount)
            if let shards { write(shards, &writer) }
            writer.objects("runs", runs) { writer, run in
                writer.optional("shard", run.shard)
                writer.member("startedAt", InternetTime.text(run.startedAt))
                writer.optional("endedAt", run.endedAt.map(InternetTime.text))
                writer.optional("ending", run.ending)
                writer.member("visits", run.visits)
                writer.member("records", run.records)
                writer.optional("bytes", run.bytes)
            }
            health.write(to: &writer)
        }
        writer.endLine()
        return writer.bytes
    }

    private func write(_ shards: Shards, _ writer: inout JSONWriter) {
        writer.object("shards") { writer in
            writer.member("count", shards.count)
            writer.member("missing", JSONValue.array(shards.missing.map { .number("\($0)") }))
            writer.objects("hindrances", shards.hindrances.sorted { $0.key < $1.key }) { writer, shard in
                writer.member("shard", shard.key)
                writer.member("reason", shard.value.reason)
            }
            writer.objects("standings", shards.standings) { writer, shard in
                writer.member("shard", shard.number)
                writer.member("state", shard.state.rawValue)
                writer.member("known", shard.known)
                writer.member("queued", shard.queued)
                writer.member("due", shard.due)
                writer.member("records", shard.records)
                writer.optional("lastTurn", shard.last.map { InternetTime.text($0.startedAt) })
                writer.optional("ending", shard.last?.ending)
            }
        }
    }

    private func write(_ progress: CrawlProgress, _ writer: inout JSONWriter) {
        writer.object("pace") { writer in
            writer.member("isOfEndedRun", progress.ending != nil)
            writer.member("seconds", progress.seconds)
            writer.member("pages", progress.pages)
            writer.member("records", progress.records)
            writer.member("requests", progress.requests)
            writer.member("pagesPerSecond", progress.seconds > 0 ? Double(progress.pages) / progress.seconds : 0)
            writer.member("visitsInFlight", progress.visitsInFlight)
            writer.member("concurrency", progress.concurrency)
            writer.member("requestsTooEarly", progress.requestsTooEarly)
            writer.optional("lookUps", progress.lookUps)
            writer.optional("hostsBeyondLimit", progress.hostsBeyondLimit)
            writer.optional("failedRequests", progress.failures)
            writer.optional("pagesPerSecondNow", progress.pagesPerSecond)
            if let outcomes = progress.outcomes { writer.counts("outcomes", outcomes) }
            if let waiting = progress.waiting {
                writer.object("waiting") { writer in
                    writer.member("host", waiting.host)
                    writer.member("reason", waiting.reason)
                    writer.member("until", InternetTime.text(waiting.until))
                    writer.member("otherHosts", waiting.otherHosts)
                }
            }
            writer.object("shares") { writer in
                for limit in CrawlPace.Limit.allCases {
                    writer.member(limit.rawValue, (progress.share(of: limit) * 1000).rounded() / 1000)
                }
            }
            writer.objects("timeline", progress.timeline?.samples ?? []) { writer, sample in
                writer.member("seconds", sample.seconds)
                writer.member("pages", sample.pages)
                writer.member("records", sample.records)
                writer.member("requests", sample.requests)
                writer.member("failedRequests", sample.failures)
                writer.member("visitsInFlight", sample.visitsInFlight)
                writer.member("scheduled", sample.scheduled)
            }
        }
    }

    private func write(
        _ key: String, _ hosts: [StorageReader.Host], _ spelling: Setting.Spelling, _ writer: inout JSONWriter
    ) {
        writer.objects(key, hosts) { writer, host in
            writer.member("host", host.name)
            writer.member("queued", host.queued)
            writer.member("known", host.urls)
            if host.dropped > 0 { writer.member("dropped", host.dropped) }
            writer.optional("nextDue", host.nextDue.map(InternetTime.text))
            writer.optional("blockedUntil", host.blockedUntil.map(InternetTime.text))
            writer.optional("reason", host.blockReason)
            writer.member("failuresInARow", host.failures)
            host.trouble?.write(to: &writer, key: "trouble", spelling)
        }
    }
}
