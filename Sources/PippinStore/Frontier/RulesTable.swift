import Foundation
import GRDB
import PippinCrawl

/// The last robots.txt that was fetched from each origin of a host.
final class RulesTable {
    /// The most origins (scheme and port) of a host that are read at once. Further origins are read one by one when needed.
    static let maximumOrigins = 16

    private let replacement: StoreStatement
    private let ofHost: StoreStatement
    private let ofOrigin: StoreStatement
    private let removal: StoreStatement

    init(_ database: Database) throws {
        replacement = try StoreStatement(database, "INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?)")
        removal = try StoreStatement(
            database,
            """
            DELETE FROM rules WHERE until <= ? AND EXISTS (
                SELECT 1 FROM host WHERE host.id = rules.host AND queued = 0 AND (nextDue IS NULL OR nextDue > ?))
            """)
        ofOrigin = try StoreStatement(database, "SELECT origin, until, text FROM rules WHERE host = ? AND origin = ?")
        ofHost = try StoreStatement(
            database,
            "SELECT origin, until, text FROM rules WHERE host = ? ORDER BY until DESC LIMIT \(Self.maximumOrigins)")
    }

    /// Removes files that have expired, of hosts with no queued or due URLs. They are fetched again when their host has work.
    ///
    /// - Parameter now: the calendar's time in seconds.
    func removeExpired(now: Int64) throws { try removal.run(.integer(now), .integer(now)) }

    func keep(_ rules: StoredRobots, host: Int64) throws {
        try replacement.run(
            .integer(host), .text(rules.origin), .integer(rules.until.storeSeconds),
            rules.packed.map { .blob($0) } ?? .null)
    }

    func rules(of host: HostTable.Host) throws -> [StoredRobots] {
        var found: [StoredRobots] = []
        try ofHost.rows(.integer(host.id)) { found.append(Self.rules($0, host: host.name)) }
        return found
    }

    func rules(of host: HostTable.Host, origin: String) throws -> StoredRobots? {
        try ofOrigin.first(.integer(host.id), .text(origin)) { Self.rules($0, host: host.name) }
    }

    private static func rules(_ row: StoreStatement, host: String) -> StoredRobots {
        let until = Date(storeSeconds: row.integer(1))
        guard row.isBlob(2) else {
            // Earlier versions stored plain text, or null for an origin without a file.
            return StoredRobots(origin: row.text(0), host: host, text: row.optionalText(2), until: until)
        }
        return StoredRobots(origin: row.text(0), host: host, packed: row.blob(2), until: until)
    }
}
