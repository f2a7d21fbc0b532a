import Foundation
import GRDB

/// The hosts of a frontier: read when needed, changed in memory, written once for each transaction.
///
/// It holds a bounded number of rows; the storage has one writer, so what it holds is true.
final class HostTable {
    struct Host {
        let id: Int64
        let name: String
        /// URLs that are queued, leased ones included.
        var queued: Int64 = 0
        var urls: Int64 = 0
        var nextDue: Int64?
        var suspendedUntil: Int64?
        var lastRequest: Int64?
        var nextRequest: Int64?
        var keptAt: Int64?
        var crawlDelay: Int64?
        var failures: Int64 = 0
    }

    static let maximumHeld = 30_000

    private var held: [Int64: Host] = [:]
    private var numbers: [String: Int64] = [:]
    private var changed: Set<Int64> = []
    private(set) var lastNumber: Int64

    private let byNumber: StoreStatement
    private let byName: StoreStatement
    private let insertion: StoreStatement
    private let update: StoreStatement

    init(_ database: Database) throws {
        let columns =
            "id, name, queued, urls, nextDue, suspendedUntil, lastRequest, nextRequest, keptAt, crawlDelay, failures"
        byNumber = try StoreStatement(database, "SELECT \(columns) FROM host WHERE id = ?")
        byName = try StoreStatement(database, "SELECT \(columns) FROM host WHERE name = ?")
        insertion = try StoreStatement(
            database, "INSERT INTO host(id, name, queued, urls, failures) VALUES (?, ?, 0, 0, 0)")
        update = try StoreStatement(
            database,
            """
            UPDATE host SET queued = ?, urls = ?, nextDue = ?, suspendedUntil = ?, lastRequest = ?, nextRequest = ?,
                keptAt = ?, crawlDelay = ?, failures = ? WHERE id = ?
            """)
        lastNumber = try Int64.fetchOne(database, sql: "SELECT max(id) FROM host") ?? 0
    }

    /// The host's number, nil when it is not known.
    func number(of name: String) throws -> Int64? {
        if let number = numbers[name] { return number }
        guard let host = try byName.first(.text(name), body: Self.host) else { return nil }
        hold(host)
        return host.id
    }

    /// The host's number; a new one when it was not known.
    func add(_ name: String) throws -> Int64 {
        if let number = try number(of: name) { return number }
        lastNumber += 1
        try insertion.run(.integer(lastNumber), .text(name))
        hold(Host(id: lastNumber, name: name))
        return lastNumber
    }

    subscript(number: Int64) -> Host {
        get throws {
            if let host = held[number] { return host }
            guard let host = try byNumber.first(.integer(number), body: Self.host) else {
                throw CrawlStorage.StorageError.damaged(reason: "host \(number) is missing")
            }
            hold(host)
            return host
        }
    }

    func change(_ number: Int64, _ body: (inout Host) -> Void) throws {
        var host = try self[number]
        body(&host)
        held[number] = host
        changed.insert(number)
    }

    /// Writes what was changed, neighbors after each other.
    func write() throws {
        for number in changed.sorted() {
            guard let host = held[number] else { continue }
            try update.run(
                .integer(host.queued), .integer(host.urls), .optional(host.nextDue), .optional(host.suspendedUntil),
                .optional(host.lastRequest), .optional(host.nextRequest), .optional(host.keptAt),
                .optional(host.crawlDelay), .integer(host.failures), .integer(number))
        }
        changed = []
        if held.count > Self.maximumHeld {
            held = [:]
            numbers = [:]
        }
    }

    private func hold(_ host: Host) {
        held[host.id] = host
        numbers[host.name] = host.id
    }

    private static func host(_ row: StoreStatement) -> Host {
        Host(
            id: row.integer(0), name: row.text(1), queued: row.integer(2), urls: row.integer(3),
            nextDue: row.optionalInteger(4), suspendedUntil: row.optionalInteger(5),
            lastRequest: row.optionalInteger(6), nextRequest: row.optionalInteger(7), keptAt: row.optionalInteger(8),
            crawlDelay: row.optionalInteger(9), failures: row.integer(10))
    }
}
