import Foundation
import GRDB

/// The hosts of a frontier: read when needed, changed in memory, and written many at a time.
///
/// A bounded number of rows is held in memory. The storage has one writer, so these rows are up to date. Clocks are written
/// at once. Counts are written when many hosts have changed or some time has passed: each visit changes the counts of one or
/// two hosts anywhere in the table, and writing a page of the database for each would cost more than everything else. A run
/// that dies leaves old counts behind; the next run counts the URLs again.
final class HostTable {
    struct Host {
        let id: Int64
        let name: String
        /// URLs that are queued, leased ones included.
        var queued: Int64 = 0
        /// What the queued URLs count for (`FrontierLimits.load`), and how many URLs were dropped.
        var load: Int64 = 0
        var dropped: Int64 = 0
        /// New URLs with this `DropRank.level` or a greater one are refused without a search: no queued URL is worse than
        /// they are. nil after a change that may have added a worse one. Only in memory.
        var closedFrom: Int?
        var urls: Int64 = 0
        var nextDue: Int64?
        var suspendedUntil: Int64?
        var lastRequest: Int64?
        var nextRequest: Int64?
        var keptAt: Int64?
        var crawlDelay: Int64?
        var failures: Int64 = 0
        var openings: Int64 = 0
        var responseTime: Int64?
        var answeredFrom: String?
        var trouble: String?
        /// Since when it has answered no request, in milliseconds; nil if the last one was answered.
        var silentSince: Int64?
    }

    /// The most hosts in memory, about 300 bytes each.
    static let maximumHeld = 200_000
    /// When this many hosts have changed, all are written. In order, so that neighboring rows are written together.
    static let changedAtATime = 20_000
    /// Readers of a running job see counts that are at most this many seconds old, or one second if only a few hosts have
    /// changed.
    static let oldestCounts: Int64 = 15
    static let fewChanged = 1_000

    private var held: [Int64: Host] = [:]
    private var numbers: [String: Int64] = [:]
    private var changed: Set<Int64> = []
    private var writtenAt: Int64 = 0
    /// The greatest number that was ever given. None is given again, because links keep numbers of URLs that are gone.
    private(set) var lastNumber: Int64
    /// How many hosts there are.
    private(set) var count: Int64
    /// The latest moment in `keptAt` and `lastRequest` of all hosts.
    private(set) var latest: Int64

    private let byNumber: StoreStatement
    private let byName: StoreStatement
    private let insertion: StoreStatement
    private let update: StoreStatement
    private let mostQueued: StoreStatement
    private let next: StoreStatement
    private let undated: StoreStatement
    private let idle: StoreStatement
    private let removals: [StoreStatement]

    init(_ database: Database) throws {
        let columns = """
            id, name, queued, urls, nextDue, suspendedUntil, lastRequest, nextRequest, keptAt, crawlDelay, failures,
                openings, responseTime, answeredFrom, trouble, load, dropped, silentSince
            """
        byNumber = try StoreStatement(database, "SELECT \(columns) FROM host WHERE id = ?")
        byName = try StoreStatement(database, "SELECT \(columns) FROM host WHERE name = ?")
        insertion = try StoreStatement(
            database, "INSERT INTO host(id, name, queued, urls, failures, openings) VALUES (?, ?, 0, 0, 0, 0)")
        update = try StoreStatement(
            database,
            """
            UPDATE host SET queued = ?, urls = ?, nextDue = ?, suspendedUntil = ?, lastRequest = ?, nextRequest = ?,
                keptAt = ?, crawlDelay = ?, failures = ?, openings = ?, responseTime = ?, answeredFrom = ?,
                trouble = ?, load = ?, dropped = ?, silentSince = ? WHERE id = ?
            """)
        mostQueued = try StoreStatement(database, Self.busiestHost)
        next = try StoreStatement(database, "SELECT id, name FROM host WHERE id > ? ORDER BY id LIMIT ?")
        lastNumber = try Int64.fetchOne(database, sql: "SELECT lastHost FROM store") ?? 0
        count = try Int64.fetchOne(database, sql: "SELECT hosts FROM store") ?? 0
        undated = try StoreStatement(
            database,
            """
            SELECT id FROM host INDEXED BY hostEmpty
            WHERE urls = 0 AND keptAt IS NULL AND lastRequest IS NULL AND nextRequest IS NULL LIMIT ?
            """)
        idle = try StoreStatement(database, Self.idleHosts)
        removals = try ["rules WHERE host", "toldHost WHERE host", "host WHERE id"].map {
            try StoreStatement(database, "DELETE FROM \($0) = ?")
        }
        latest = try Self.latest(database)
    }

    static let busiestHost = "SELECT id FROM host WHERE queued > 0 ORDER BY queued DESC, name LIMIT 1"

    /// The host's number; nil when the host is not known.
    func number(of name: String) throws -> Int64? {
        if let number = numbers[name] { return number }
        guard let host = try byName.first(.text(name), body: Self.host) else { return nil }
        hold(host)
        return host.id
    }

    /// The host's number; a new one when it was not known.
    func add(_ name: String) throws -> Int64 {
        if let number = try number(of: name) { return number }
        guard lastNumber < URLNumber.mostHosts else {
            throw StorageError.damaged(
                reason: "it has had \(lastNumber) hosts, and can number no more; begin a new storage")
        }
        lastNumber += 1
        count += 1
        try insertion.run(.integer(lastNumber), .text(name))
        hold(Host(id: lastNumber, name: name))
        return lastNumber
    }

    subscript(number: Int64) -> Host {
        get throws {
            guard let host = try known(number) else {
                throw StorageError.damaged(reason: "host \(number) is missing")
            }
            return host
        }
    }

    /// The host with a number; nil if it was forgotten.
    func known(_ number: Int64) throws -> Host? {
        if let host = held[number] { return host }
        guard let host = try byNumber.first(.integer(number), body: Self.host) else { return nil }
        hold(host)
        return host
    }

    func change(_ number: Int64, _ body: (inout Host) -> Void) throws {
        // Reading a host holds it.
        if held[number] == nil { _ = try self[number] }
        guard let place = held.index(forKey: number) else { preconditionFailure("a host that was read is held") }
        body(&held.values[place])
        changed.insert(number)
    }

    /// Adds to the host's queued URLs and their load. The numbers are negative when URLs leave the queue.
    func changeQueue(_ number: Int64, count: Int64, load: Int64) throws {
        try change(number) {
            $0.queued += count
            // After a run that died, both may be out of date.
            $0.load = $0.queued <= 0 ? 0 : max($0.load + load, $0.queued)
        }
    }

    /// The next hosts in the order of their numbers.
    func names(after number: Int64, limit: Int) throws -> [(number: Int64, name: String)] {
        var found: [(number: Int64, name: String)] = []
        try next.rows(.integer(number), .integer(Int64(limit))) { found.append(($0.integer(0), $0.text(1))) }
        return found
    }

    /// Without URLs, at rest for long, and with no robots.txt that holds. A shard's host goes after others were told that it is empty.
    static let idleHosts = """
        SELECT id, name FROM host WHERE urls = 0 AND id > :after
            AND max(coalesce(lastRequest, 0), coalesce(nextRequest, 0), coalesce(keptAt, 0)) <= 1000 * :before
            AND coalesce(suspendedUntil, 0) <= :before
            AND NOT EXISTS (SELECT 1 FROM rules WHERE rules.host = host.id AND until > :now)
            AND NOT EXISTS (SELECT 1 FROM url WHERE url.id >= host.id << 35 AND url.id < (host.id + 1) << 35)
            AND NOT EXISTS (SELECT 1 FROM toldHost
                WHERE toldHost.host = host.id AND (toldHost.urls > 0 OR toldHost.sequence > :told))
        ORDER BY id LIMIT :most
        """

    /// Seconds that a host must have been at rest before it is forgotten. Robots.txt and the longest pauses hold for a day.
    static let longestRest: Int64 = 2 * 86_400

    /// Lets the rest of hosts without URLs count from now if nothing says since when they rest.
    ///
    /// - Returns: how many there were, up to the limit.
    func beginRest(limit: Int, now: Int64) throws -> Int {
        var found: [Int64] = []
        try undated.rows(.integer(Int64(limit))) { found.append($0.integer(0)) }
        for host in found { try change(host) { $0.keptAt = now * 1000 } }
        try write()
        return found.count
    }

    /// Removes hosts without URLs that have been at rest for long, with their robots.txt.
    ///
    /// - Parameters:
    ///   - number: where the search begins.
    ///   - told: the number of the last change that other shards know.
    ///   - now: the calendar's time in seconds.
    /// - Returns: the numbers of the removed hosts in their order.
    func removeIdle(after number: Int64, limit: Int, told: Int64, now: Int64) throws -> [Int64] {
        var found: [(number: Int64, name: String)] = []
        try idle.rows(
            .integer(number), .integer(now - Self.longestRest), .integer(now), .integer(told), .integer(Int64(limit))
        ) { found.append(($0.integer(0), $0.text(1))) }
        for host in found {
            for removal in removals { try removal.run(.integer(host.number)) }
            held[host.number] = nil
            numbers[host.name] = nil
        }
        count -= Int64(found.count)
        return found.map(\.number)
    }

    /// The host with the most queued URLs, according to the counts that are written; nil if no host has any.
    func busiest() throws -> Int64? { try mostQueued.first { $0.integer(0) } }

    /// Writes changed counts if many hosts have changed, or enough time has passed since the last writing.
    ///
    /// - Parameter now: the calendar's time in seconds.
    func writeIfDue(now: Int64) throws {
        guard !changed.isEmpty else { return }
        if changed.count >= Self.changedAtATime || held.count >= Self.maximumHeld
            || !(writtenAt..<writtenAt + (changed.count <= Self.fewChanged ? 1 : Self.oldestCounts)).contains(now)
        {
            try write()
            writtenAt = now
        }
    }

    /// Writes all changed hosts.
    func write() throws {
        for number in changed.sorted() { try write(number) }
        changed = []
        if held.count >= Self.maximumHeld {
            held = [:]
            numbers = [:]
        }
    }

    /// Writes one host, without the others.
    func write(_ number: Int64) throws {
        guard let host = held[number] else { return }
        latest = max(latest, host.keptAt ?? 0, host.lastRequest ?? 0)
        try update.run(
            .integer(host.queued), .integer(host.urls), .optional(host.nextDue), .optional(host.suspendedUntil),
            .optional(host.lastRequest), .optional(host.nextRequest), .optional(host.keptAt),
            .optional(host.crawlDelay), .integer(host.failures), .integer(host.openings), .optional(host.responseTime),
            .optional(host.answeredFrom), .optional(host.trouble), .integer(host.load), .integer(host.dropped),
            .optional(host.silentSince),
            .integer(number))
    }

    var hasChanges: Bool { !changed.isEmpty }

    /// Lets the rest of hosts without URLs count from now, after a run that died: it may have asked them a moment ago.
    static func beginRest(_ database: Database, now: Date) throws {
        try database.execute(
            sql: "UPDATE host SET keptAt = ? WHERE urls = 0", arguments: [now.storeMilliseconds])
    }

    /// Milliseconds. A smaller step is an ordinary correction of the machine's clock.
    private static let leastStep: Int64 = 1_000
    private static let day: Int64 = 86_400_000

    /// If the calendar was set back since the storage was written, moves the times until which hosts rest back by as much.
    /// Otherwise they would rest longer by that time. After a step of a day or more, the due times of URLs are moved too,
    /// which takes a search of all URLs.
    static func follow(calendar now: Date, _ database: Database) throws {
        let step = try latest(database) &- now.storeMilliseconds
        guard step >= leastStep else { return }
        try database.execute(
            sql: """
                UPDATE host SET suspendedUntil = suspendedUntil - :seconds, nextRequest = nextRequest - :step,
                    keptAt = keptAt - :step, lastRequest = lastRequest - :step
                """, arguments: ["step": step, "seconds": step / 1000])
        try database.execute(sql: "UPDATE store SET latest = latest - ?", arguments: [step])
        guard step >= day else { return }
        try database.execute(
            sql: "UPDATE url SET rank = max(0, rank - :seconds) WHERE rank < 1 << 40 AND visitedAt > :now",
            arguments: ["seconds": step / 1000, "now": now.storeSeconds])
        try KeptCounts.fixHosts(database)
    }

    private static func latest(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT latest FROM store") ?? 0
    }

    private func hold(_ host: Host) {
        held[host.id] = host
        numbers[host.name] = host.id
    }

    private static func host(_ row: StoreStatement) -> Host {
        var host = Host(
            id: row.integer(0), name: row.text(1), queued: row.integer(2), urls: row.integer(3),
            nextDue: row.optionalInteger(4), suspendedUntil: row.optionalInteger(5),
            lastRequest: row.optionalInteger(6), nextRequest: row.optionalInteger(7), keptAt: row.optionalInteger(8),
            crawlDelay: row.optionalInteger(9), failures: row.integer(10), openings: row.integer(11),
            responseTime: row.optionalInteger(12), answeredFrom: row.isNull(13) ? nil : row.text(13),
            trouble: row.isNull(14) ? nil : row.text(14))
        host.load = max(row.integer(15), host.queued)
        host.dropped = row.integer(16)
        host.silentSince = row.optionalInteger(17)
        return host
    }
}
