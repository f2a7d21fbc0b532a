import GRDB
import PippinCrawl

/// The counts that the database keeps beside what they count, so that nobody reads whole tables to know them: of each host, of the
/// storage, and of each outcome. What a kept count must be is written here once, as a count over the tables.
enum KeptCounts {
    /// A count that is wrong.
    struct Difference: Sendable, Equatable, CustomStringConvertible {
        /// `store.known`, `host.load of shop.example`.
        let name: String
        /// Nil if nothing is kept, or nothing was counted.
        let kept: Int64?
        let counted: Int64?

        var description: String {
            "\(name) is \(kept.map { "\($0)" } ?? "not set"), not \(counted.map { "\($0)" } ?? "unset")"
        }
    }

    /// The counts of every host, from two passes over the index of URLs. Rows of URLs are read only for those that are queued, which
    /// are few (`FrontierLimits`). `load` repeats `URLTable.Row.load`. SQLite joins by an index that it makes only if both sides are
    /// integers by declaration, hence the casts.
    private static let hostCounts = """
        (SELECT host.id AS id, host.name AS name, coalesce(known.queued, 0) AS queued, coalesce(known.urls, 0) AS urls,
            known.nextDue AS nextDue, coalesce(waiting.load, 0) AS load
        FROM host LEFT JOIN (
            SELECT CAST(id >> 35 AS INTEGER) AS host, sum(rank >= 1 << 40) AS queued, count(*) AS urls,
                min(CASE WHEN rank < 1 << 40 THEN rank END) AS nextDue
            FROM url INDEXED BY urlRank GROUP BY id >> 35) AS known ON known.host = host.id
        LEFT JOIN (
            SELECT CAST(url.id >> 35 AS INTEGER) AS host, sum(1 + (
                iif(substr(address, 1, 1) IN ('s', 'S'), 8, 7) - 1 + length(CAST(name AS BLOB))
                    + length(CAST(address AS BLOB)) + coalesce(length(CAST(extras AS BLOB)), 0)
                ) / \(FrontierLimits.bytesPerURL)) AS load
            FROM url INDEXED BY urlRank CROSS JOIN host ON host.id = url.id >> 35
            WHERE rank >= 1 << 40 GROUP BY url.id >> 35) AS waiting ON waiting.host = host.id)
        """

    private static let hostColumns = ["queued", "urls", "nextDue", "load"]

    /// A condition on `host` and `counted`: a kept count is wrong.
    private static let isWrong = hostColumns.map { "host.\($0) IS NOT counted.\($0)" }.joined(separator: " OR ")

    /// Counts of the row of `store`. `dropped` is not among them: what was dropped is nowhere else.
    private static let ofStore = [
        "hosts": "(SELECT count(*) FROM host)",
        "known": "(SELECT count(*) FROM url)",
        "queued": "(SELECT coalesce(sum(queued), 0) FROM host)",
        "load": "(SELECT coalesce(sum(load), 0) FROM host)",
        "records": "(SELECT count(*) FROM record WHERE state <> 1)",
    ]

    /// The counts that are wrong: at most `limit` of them, and how many there are.
    ///
    /// - Parameter ofHosts: whether those of hosts are compared, which are old while a run goes on.
    static func differences(
        _ database: Database, ofHosts: Bool = true, limit: Int = 20
    ) throws -> (count: Int, first: [Difference]) {
        var (count, first): (Int, [Difference]) = (0, [])
        func compare(_ name: @autoclosure () -> String, _ kept: Int64?, _ counted: Int64?) {
            guard kept != counted else { return }
            count += 1
            if first.count < limit { first.append(Difference(name: name(), kept: kept, counted: counted)) }
        }
        let columns = hostColumns.map { "host.\($0), counted.\($0)" }.joined(separator: ", ")
        // What hosts and the storage count is counted once: the sums are those of hosts that were counted.
        var (queued, load): (Int64, Int64) = (0, 0)
        try StoreStatement(
            database, "SELECT counted.name, \(columns) FROM host JOIN \(hostCounts) AS counted ON counted.id = host.id"
        ).rows { row in
            for (place, column) in hostColumns.enumerated() where ofHosts {
                let place = Int32(1 + 2 * place)
                compare("host.\(column) of \(row.text(0))", row.optionalInteger(place), row.optionalInteger(place + 1))
            }
            queued += row.integer(2)
            load += row.integer(8)
        }
        for (column, query) in ofStore.sorted(by: { $0.key < $1.key }) {
            let counted: Int64? =
                switch column {
                case "queued": queued
                case "load": load
                default: try Int64.fetchOne(database, sql: "SELECT \(query)")
                }
            compare("store.\(column)", try Int64.fetchOne(database, sql: "SELECT \(column) FROM store"), counted)
        }
        let outcomes = try outcomes(database)
        try StoreStatement(database, "SELECT id, code, urls FROM outcome").rows { row in
            compare("outcome.urls of \(row.text(1))", row.integer(2), outcomes[row.integer(0)] ?? 0)
        }
        return (count, first)
    }

    /// Counts the URLs of each host anew, after a run that died: the counts of hosts are written from time to time only.
    static func fixHosts(_ database: Database) throws {
        let values = hostColumns.map { "\($0) = counted.\($0)" }.joined(separator: ", ")
        try database.execute(
            sql: "UPDATE host SET \(values) FROM \(hostCounts) AS counted WHERE counted.id = host.id AND (\(isWrong))")
    }

    /// Counts everything anew.
    static func fix(_ database: Database) throws {
        try fixHosts(database)
        let values = ofStore.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
        try database.execute(sql: "UPDATE store SET \(values)")
        let outcomes = try outcomes(database)
        let counting = try StoreStatement(database, "UPDATE outcome SET urls = ? WHERE id = ?")
        for number in try Int64.fetchAll(database, sql: "SELECT id FROM outcome") {
            try counting.run(.integer(outcomes[number] ?? 0), .integer(number))
        }
    }

    /// How many URLs had each outcome in their last visit, by its number.
    private static func outcomes(_ database: Database) throws -> [Int64: Int64] {
        var counts: [Int64: Int64] = [:]
        let last = "substr(history, -\(URLTable.bytesOfVisit), 2)"
        try StoreStatement(
            database, "SELECT \(last), count(*) FROM url WHERE history IS NOT NULL GROUP BY 1"
        ).rows { row in
            let bytes = row.blob(0)
            guard bytes.count == 2 else { return }
            counts[Int64(bytes[0]) | Int64(bytes[1]) << 8] = row.integer(1)
        }
        return counts
    }
}
