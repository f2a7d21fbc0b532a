import Foundation
import GRDB
import PippinCrawl

/// The robots.txt of hosts' origins, as it was fetched last.
final class RulesTable {
    /// Of one host: its schemes and ports. Whoever has more is asked again.
    static let maximumOrigins = 16

    private let replacement: StoreStatement
    private let ofHost: StoreStatement
    private let removal: StoreStatement

    init(_ database: Database) throws {
        replacement = try StoreStatement(database, "INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?)")
        removal = try StoreStatement(
            database,
            """
            DELETE FROM rules WHERE until <= ? AND EXISTS (
                SELECT 1 FROM host WHERE host.id = rules.host AND queued = 0 AND (nextDue IS NULL OR nextDue > ?))
            """)
        ofHost = try StoreStatement(
            database,
            "SELECT origin, until, text FROM rules WHERE host = ? ORDER BY until DESC LIMIT \(Self.maximumOrigins)")
    }

    /// Removes what nobody would read any more: files whose time is up, of hosts that have nothing to do. They are asked for anew
    /// when they have.
    ///
    /// - Parameter now: the calendar's time in seconds.
    func removeExpired(now: Int64) throws { try removal.run(.integer(now), .integer(now)) }

    func keep(_ rules: KeptRules, host: Int64) throws {
        try replacement.run(
            .integer(host), .text(rules.origin), .integer(rules.until.storeSeconds), .optional(rules.text))
    }

    func rules(of host: HostTable.Host) throws -> [KeptRules] {
        var found: [KeptRules] = []
        try ofHost.rows(.integer(host.id)) {
            found.append(
                KeptRules(
                    origin: $0.text(0), host: host.name, text: $0.optionalText(2),
                    until: Date(storeSeconds: $0.integer(1))))
        }
        return found
    }
}
