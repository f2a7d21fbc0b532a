import DequeModule
import Foundation
import GRDB
import PippinCrawl
import PippinPage
import Synchronization

/// The frontier of a job, in the storage's database. It resumes where the last run ended, however that ended, and keeps the
/// records together with the URLs.
///
/// **One transaction for many visits.** Visits that end during a transaction wait and are committed together in the next one,
/// each with its outcome, its records and its outlinks. A visit has ended when it is on disk. There is no timer: a batch is
/// committed as soon as the database is free. Batches are collected on the crawl's threads; only whole batches go to the
/// database's thread.
///
/// **Leases live in memory.** The database only knows queued and finished URLs. So a crash releases every lease, and leasing
/// writes nothing.
///
/// **Memory does not grow with the backlog.** Memory holds the leases, a bounded number of hosts, and the line of hosts with
/// work, which is filled from the database in stretches.
public actor SQLiteFrontier: Frontier {
    enum Work: Sendable {
        case add([CrawlRequest])
        indirect case finish(FinishedVisit, [StoredChange])
        case suspend(hosts: [String], until: Date)
        /// Hosts that the crawl is about to ask.
        case addHosts([String])
        case keep([HostClock], isLast: Bool)
        case keepRules(StoredRobots)
        case takeOver([(record: ToldRecord, page: CrawlRequest)])
    }

    /// Works that are committed together, and the callers that wait for them.
    ///
    /// `@unchecked Sendable` because works are added only under the lock of `gathering`, and a batch leaves `gathering`
    /// before it is committed.
    private final class Batch: @unchecked Sendable {
        var works: [Work]
        var waiting: [CheckedContinuation<FrontierChange?, any Error>] = []

        init(_ first: Work) { works = [first] }
    }

    /// In a larger batch the first callers would wait too long.
    static let maximumBatch = 256

    let database: any DatabaseWriter
    private let checkpoints: LogCheckpoints?
    let tables: FrontierTables
    private let leasing: LeaseQueries
    /// The number of the last change that other shards know.
    let told: Int64
    let date: @Sendable () -> Date
    let onRecords: @Sendable () -> Void
    /// Hosts up to this number are from earlier runs, which may have asked them.
    private let lastEarlierHost: Int64

    private let gathering = Mutex<Batch?>(nil)
    /// The error of a failed transaction. Every later call throws it, because memory and database may differ.
    private var failure: (any Error)?

    /// Hosts that have work and at most half their share leased, longest waiting first.
    var line = Deque<Int64>()
    var listed: Set<Int64> = []
    /// Hosts of which this run leases nothing more.
    private var left: Set<Int64> = []
    var shareOfHost = 16
    /// The search of the host table for work.
    var search: LeaseQueries.HostSearch? = LeaseQueries.HostSearch()
    /// Whether hosts had to be left out of the line, so that the table must be searched once more.
    var leftOutHosts = false
    private let executor: any SerialExecutor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        database: any DatabaseWriter, recrawl: CrawlConfiguration.Recrawl, limits: FrontierLimits,
        scope: CrawlScope? = nil, epoch: ShardEpoch? = nil, tellsLinks: Bool = false,
        checkpoints: LogCheckpoints? = nil,
        date: @escaping @Sendable () -> Date, executor: any SerialExecutor,
        onRecords: @escaping @Sendable () -> Void
    ) throws {
        self.database = database
        self.checkpoints = checkpoints
        self.date = date
        self.executor = executor
        self.onRecords = onRecords
        told = epoch?.told ?? 0
        let now = date()
        (tables, leasing) = try database.write { database in
            try HostTable.follow(calendar: now, database)
            if try Bool.fetchOne(database, sql: "SELECT isOpen FROM store") ?? false {
                try KeptCounts.fixHosts(database)
                try HostTable.beginRest(database, now: now)
            }
            try database.execute(sql: "UPDATE store SET isOpen = 1")
            let mail = try epoch.map {
                try ShardMail(
                    database, $0, tellsLinks: tellsLinks, mostUntold: limits.total, ways: WayRule(scope))
            }
            let cutoff = epoch?.runBegan.map { min($0, now) } ?? now
            let tables = try FrontierTables(
                database, cutoff: cutoff, recrawl: recrawl, limits: limits, sheets: scope?.hosts ?? HostSheets(),
                ways: WayRule(scope), mail: mail)
            return (tables, try LeaseQueries(database))
        }
        lastEarlierHost = tables.hosts.lastNumber
        if tables.hosts.lastNumber == 0 { search = nil }
    }

    // MARK: Frontier

    public nonisolated var keepsWork: Bool { true }

    public nonisolated func add(_ requests: [CrawlRequest]) async throws -> FrontierChange {
        try await commit(.add(requests))
    }

    public nonisolated func finish(_ visit: FinishedVisit) async throws -> FrontierChange {
        // Documents are written here, outside of the database's thread.
        try await commit(.finish(visit, visit.changes.map(StoredChange.init)))
    }

    public nonisolated func suspend(hosts: [String], until: Date) async throws {
        _ = try await commit(.suspend(hosts: hosts, until: until))
    }

    public func leave(hosts: [String]) throws {
        try read { _ in
            for host in hosts { if let number = try self.tables.hosts.number(of: host) { self.left.insert(number) } }
        }
    }

    public func clocks(of hosts: [String]) async throws -> [HostClock] {
        _ = try await commit(.addHosts(hosts))
        return try read { _ in
            try hosts.compactMap { name in
                try self.tables.hosts.number(of: name).flatMap { self.clock(of: try self.tables.hosts[$0]) }
            }
        }
    }

    public nonisolated func keep(_ clocks: [HostClock]) async throws {
        _ = try await commit(.keep(clocks, isLast: false))
    }

    public func rules(of host: String) throws -> [StoredRobots] {
        try read { _ in
            try self.tables.hosts.number(of: host).map {
                try self.tables.rules.rules(of: try self.tables.hosts[$0])
            } ?? []
        }
    }

    public func rules(of host: String, origin: String) throws -> StoredRobots? {
        try read { _ in
            try self.tables.hosts.number(of: host).flatMap {
                try self.tables.rules.rules(of: try self.tables.hosts[$0], origin: origin)
            }
        }
    }

    public nonisolated func keep(_ rules: StoredRobots) async throws {
        _ = try await commit(.keepRules(rules))
    }

    public nonisolated func close(keeping clocks: [HostClock]) async throws {
        _ = try await commit(.keep(clocks, isLast: false))
        try await forgetLostURLs()
        try await forgetIdleHosts()
        _ = try await commit(.keep([], isLast: true))
    }

    /// How often a lease passes ways on, each time for a second at the most.
    private static let passesOfLease = 5

    public func lease(limit: Int, perHost: Int) throws -> [CrawlRequest] {
        shareOfHost = max(1, perHost)
        var requests: [CrawlRequest] = []
        var goesOn: Bool
        var passes = 0
        repeat {
            try fillLine()
            try read { _ in try self.lease(into: &requests, limit: limit) }
            goesOn = line.isEmpty && hasUnseenHosts
            if requests.count < limit, line.isEmpty, tables.waysWait, passes < Self.passesOfLease {
                // What was cut may be within reach now. Nobody waits long for it: more is done with the next lease, or in the next run.
                passes = requests.isEmpty ? passes + 1 : Self.passesOfLease
                try passWaysOn()
                goesOn = goesOn || !line.isEmpty || tables.waysWait
            }
        } while requests.count < limit && goesOn
        return requests
    }

    public func release(_ requests: [CrawlRequest]) throws {
        try read { _ in
            for request in requests { try self.tables.release(request) }
            for host in self.tables.takeHostsWithWork() { try self.list(host) }
        }
    }

    public func unfinishedCount() throws -> Int {
        try writeCounts()
        return try read { database in
            Int(self.tables.queued) + (try URLTable.countDue(database, until: self.tables.cutoff))
        }
    }

    // MARK: Committing

    nonisolated func commit(_ work: Work) async throws -> FrontierChange {
        var begun: Batch?
        let change: FrontierChange? = try await withCheckedThrowingContinuation { continuation in
            begun = join(work, continuation)
            if begun != nil { continuation.resume(returning: nil) }
        }
        if let change { return change }
        guard let begun else { preconditionFailure("who begins no batch is answered by one") }
        // Gives other tasks that have work ready a chance to join the batch.
        await Task.yield()
        return try await commit(begun)
    }

    /// - Returns: a new batch, which the caller must commit; nil if the work joined a batch, whose commit resumes the
    ///   continuation.
    private nonisolated func join(
        _ work: Work, _ continuation: CheckedContinuation<FrontierChange?, any Error>
    ) -> Batch? {
        gathering.withLock { gathering in
            if let gathering, gathering.works.count < Self.maximumBatch {
                gathering.works.append(work)
                gathering.waiting.append(continuation)
                return nil
            }
            gathering = Batch(work)
            return gathering
        }
    }

    /// Commits the batch and answers those who joined it.
    ///
    /// - Returns: the change of the work that began the batch.
    private func commit(_ batch: Batch) throws -> FrontierChange {
        gathering.withLock { if $0 === batch { $0 = nil } }
        do {
            let changes = try perform(batch.works)
            for (waiting, change) in zip(batch.waiting, changes.dropFirst()) { waiting.resume(returning: change) }
            return changes[0]
        } catch {
            for waiting in batch.waiting { waiting.resume(throwing: error) }
            throw error
        }
    }

    private func perform(_ works: [Work]) throws -> [FrontierChange] {
        if let failure { throw failure }
        let sequence = tables.recordTable.sequence
        do {
            var changes: [FrontierChange] = []
            try database.write { database in
                for work in works { changes.append(try self.perform(work, database)) }
                try self.tables.passWaysOn()
                try self.tables.write(now: self.date())
            }
            try checkpoints?.raise()
            try read { _ in
                for host in self.tables.takeHostsWithWork() { try self.list(host) }
            }
            for index in changes.indices { changes[index].hostsInNeed = hostsInNeed }
            if tables.recordTable.sequence != sequence { onRecords() }
            return changes
        } catch {
            let failure = StorageError(error, database: database)
            self.failure = failure
            throw failure
        }
    }

    private func perform(_ work: Work, _ database: Database) throws -> FrontierChange {
        switch work {
        case .add(let requests):
            var change = FrontierChange()
            var new: [CrawlRequest] = []
            for request in requests {
                let broughtForward = tables.broughtForward
                switch try tables.add(request, &change.dropped) {
                case .new:
                    change.added += 1
                    new.append(request)
                case .known, .leased: if tables.broughtForward == broughtForward { change.unchanged += 1 }
                case .dropped: change.turnedAway.append(request)
                case .foreign: break
                }
            }
            if change.dropped.count > change.turnedAway.count {
                change.turnedAway += try new.filter { try tables.number(of: $0) == nil }
            }
            return change
        case .finish(let visit, let records): return try tables.finish(visit, records: records)
        case .suspend(let hosts, let until):
            // No earlier than the run offers it again.
            let end = Date(timeIntervalSince1970: until.timeIntervalSince1970.rounded(.up)).storeSeconds
            for host in hosts {
                guard let number = try tables.hosts.number(of: host) else { continue }
                try tables.hosts.change(number) { $0.suspendedUntil = end }
                try tables.hosts.write(number)
            }
        case .addHosts(let names):
            for name in names { _ = try tables.hosts.add(name) }
        case .keepRules(let rules):
            try tables.rules.keep(rules, host: try tables.hosts.add(rules.host))
        case .takeOver(let records):
            var change = FrontierChange()
            for (record, page) in records where try tables.takeOver(record, page: page) { change.added += 1 }
            return change
        case .keep(let clocks, let isLast):
            for clock in clocks.sorted(by: { $0.host < $1.host }) {
                let number = try tables.hosts.add(clock.host)
                let savedAt = clock.savedAt.storeMilliseconds
                try tables.lostURLs.note(clock, of: tables.hosts[number])
                try tables.hosts.change(number) {
                    $0.silentSince =
                        clock.failuresInARow > 0 ? tables.lostURLs.silentSince(of: $0, now: savedAt) : nil
                    $0.keptAt = savedAt
                    $0.nextRequest = clock.rest > .zero ? savedAt &+ clock.rest.storeMilliseconds : nil
                    $0.crawlDelay = clock.crawlDelay?.storeMilliseconds
                    $0.responseTime = clock.responseTime.storeMilliseconds
                    $0.failures = Int64(clock.failuresInARow)
                    $0.openings = Int64(clock.openings)
                    $0.answeredFrom = clock.address
                    $0.trouble = clock.trouble
                }
                try tables.hosts.write(number)
            }
            if isLast {
                try tables.hosts.write()
                try tables.rules.removeExpired(now: date().storeSeconds)
                try database.execute(sql: "UPDATE store SET isOpen = 0")
            }
        }
        return FrontierChange()
    }

    /// Reads outside of a transaction, on the connection that writes.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        if let failure { throw failure }
        do {
            return try database.writeWithoutTransaction(body)
        } catch {
            throw StorageError(error, database: database)
        }
    }

    /// Writes changed hosts if a reader of the running job would see them too late (`HostTable.writeIfDue`). Transactions do
    /// this too, but a run that only waits has none.
    public func showHosts() throws {
        guard tables.hosts.hasChanges, failure == nil else { return }
        do {
            try database.write { _ in try self.tables.hosts.writeIfDue(now: self.date().storeSeconds) }
        } catch {
            let failure = StorageError(error, database: database)
            self.failure = failure
            throw failure
        }
    }

    /// Writes all changed hosts. Needed before the host table is searched.
    func writeCounts() throws {
        guard tables.hosts.hasChanges else { return }
        if let failure { throw failure }
        do {
            try database.write { _ in try self.tables.writeAll() }
        } catch {
            let failure = StorageError(error, database: database)
            self.failure = failure
            throw failure
        }
    }

    /// The host's clock; nil for a host that no earlier run knew.
    private func clock(of host: HostTable.Host) -> HostClock? {
        // Without `keptAt`, an earlier run may have asked the host a moment ago and died before it wrote so. Its clock starts
        // now.
        guard host.id <= lastEarlierHost || host.keptAt != nil else { return nil }
        let savedAt = host.keptAt ?? date().storeMilliseconds
        return HostClock(
            host: host.name, savedAt: Date(storeMilliseconds: savedAt),
            rest: .milliseconds(host.nextRequest.map { max(0, $0 &- savedAt) } ?? 0),
            crawlDelay: host.crawlDelay.map { .milliseconds($0) },
            responseTime: .milliseconds(host.responseTime ?? 0), failuresInARow: Int(clamping: host.failures),
            openings: Int(clamping: host.openings), address: host.answeredFrom, trouble: host.trouble)
    }

    // MARK: Popularity

    /// Gives records a popularity, in steps, and delivers it.
    func deliver(_ changes: [(record: Int64, value: Int64)]) throws {
        guard !changes.isEmpty else { return }
        try write { _ in
            for (record, value) in changes { try self.tables.recordTable.setPopularity(value, of: record) }
        }
        onRecords()
    }

    /// Changes the tables in a transaction.
    func write(_ body: (Database) throws -> Void) throws {
        if let failure { throw failure }
        do {
            try database.write { database in
                try body(database)
                try self.tables.write(now: self.date())
            }
        } catch {
            let failure = StorageError(error, database: database)
            self.failure = failure
            throw failure
        }
    }

    // MARK: Leasing

    var hostsInNeed: Int { line.count + (hasUnseenHosts || tables.waysWait ? 1 : 0) }

    private func passWaysOn() throws {
        try write { _ in try self.tables.passWaysOn() }
        try read { _ in
            for host in self.tables.takeHostsWithWork() { try self.list(host) }
        }
    }

    private func lease(into requests: inout [CrawlRequest], limit: Int) throws {
        var rounds = line.count
        while requests.count < limit, rounds > 0, let number = line.popFirst() {
            rounds -= 1
            listed.remove(number)
            let host = try tables.hosts[number]
            guard !isSuspended(host) else { continue }
            let out = tables.leased[number] ?? []
            let room = min(shareOfHost - out.count, limit - requests.count)
            guard room > 0 else { continue }
            let found = try leasing.next(
                of: host, out: out, limit: room, cutoff: (host.nextDue ?? .max) <= tables.cutoff ? tables.cutoff : nil,
                seeds: tables.seeds)
            for (id, request) in found {
                tables.lease(id)
                requests.append(request)
            }
            // A host that gave fewer URLs than it had room for has no more.
            if found.count == room {
                try list(number)
            } else if let due = host.nextDue, due <= tables.cutoff {
                // A URL that was due then may be queued again, or gone.
                let next = try tables.urls.nextDue(host: number)
                if next != due { try tables.hosts.change(number) { $0.nextDue = next } }
            }
        }
    }

    /// Appends the host to the line if it may have work and at most half its share is leased.
    private func list(_ number: Int64) throws {
        guard !listed.contains(number) else { return }
        let host = try tables.hosts[number]
        let out = tables.leased[number]?.count ?? 0
        guard out <= shareOfHost / 2, Int(host.queued) > out || (host.nextDue ?? .max) <= tables.cutoff,
            !isSuspended(host)
        else { return }
        guard line.count < Self.longestLine else {
            leftOutHosts = true
            return
        }
        listed.insert(number)
        line.append(number)
    }

    private func isSuspended(_ host: HostTable.Host) -> Bool {
        left.contains(host.id) || host.suspendedUntil.map { $0 > date().storeSeconds } ?? false
    }

    /// The most hosts in the line.
    static let longestLine = 50_000

    private var hasUnseenHosts: Bool { search != nil || leftOutHosts }

    /// Searches the next stretch of the host table for work.
    private func fillLine() throws {
        guard line.count < Self.longestLine / 2, hasUnseenHosts else { return }
        try writeCounts()
        var search = search ?? LeaseQueries.HostSearch()
        if self.search == nil { leftOutHosts = false }
        let found = try read { _ in
            try self.leasing.hostsWithWork(
                &search, limit: Self.longestLine / 2, cutoff: self.tables.cutoff, now: self.date().storeSeconds)
        }
        self.search = search.isOver ? nil : search
        for number in found where !listed.contains(number) {
            guard (tables.leased[number]?.count ?? 0) <= shareOfHost / 2 else { continue }
            listed.insert(number)
            line.append(number)
        }
    }
}
