import GRDB

/// Finds listed records of a site whose text is nearly the same: of SimHashes that differ in at most three of 64 bits, one
/// of the four quarters is the same.
///
/// Which record another one is near to is not kept but found when somebody asks: it changes with either of the two, and with
/// every record that comes or goes. Of two the one that was found first is the original, so that no two are each other's
/// duplicate.
final class Nearness {
    static let maximumDistance = 3
    /// Records of one site and quarter that are looked at; a site of pages that are all alike has no use for more.
    static let maximumCandidates = 256

    private let insertion: StoreStatement
    private let removal: StoreStatement
    private let fingerprint: StoreStatement

    /// For keeping the fingerprints of what is listed.
    init(_ database: Database) throws {
        insertion = try StoreStatement(database, "INSERT OR IGNORE INTO nearness VALUES (?, ?)")
        removal = try StoreStatement(database, "DELETE FROM nearness WHERE quarter = ? AND record = ?")
        fingerprint = try Self.fingerprint(database)
    }

    func add(_ record: Int64) throws {
        for quarter in try Self.quarters(of: record, fingerprint) {
            try insertion.run(.integer(quarter), .integer(record))
        }
    }

    func remove(_ record: Int64) throws {
        for quarter in try Self.quarters(of: record, fingerprint) {
            try removal.run(.integer(quarter), .integer(record))
        }
    }

    /// What was found for a record.
    struct Neighbor {
        /// Of the listed record with nearly the same text that was found first.
        var identifier: String?
        /// Records that were looked at.
        var candidates = 0
    }

    /// - Parameter record: one that is listed.
    static func neighbor(of record: Int64, _ database: Database) throws -> Neighbor {
        let fingerprint = try fingerprint(database)
        let hash = try fingerprint.first(.integer(record)) { $0.optionalInteger(0) } ?? nil
        guard let hash else { return Neighbor() }
        let candidates = try StoreStatement(
            database,
            """
            SELECT id, simHash, identifier FROM
                (SELECT record AS id FROM nearness WHERE quarter = ? AND record < ? ORDER BY record LIMIT ?)
            JOIN record USING (id)
            """)
        var found = Neighbor()
        var nearest = Int64.max
        for quarter in try quarters(of: record, fingerprint) {
            try candidates.rows(.integer(quarter), .integer(record), .integer(Int64(maximumCandidates))) { row in
                found.candidates += 1
                let distance = (row.integer(1) ^ hash).nonzeroBitCount
                if distance <= maximumDistance, row.integer(0) < nearest {
                    nearest = row.integer(0)
                    found.identifier = row.text(2)
                }
            }
        }
        return found
    }

    private static func fingerprint(_ database: Database) throws -> StoreStatement {
        try StoreStatement(database, "SELECT simHash, identifier FROM record WHERE id = ?")
    }

    /// None for a record without a fingerprint.
    private static func quarters(of record: Int64, _ fingerprint: StoreStatement) throws -> [Int64] {
        try fingerprint.first(.integer(record)) { row in
            guard let hash = row.optionalInteger(0).map({ UInt64(bitPattern: $0) }) else { return [] }
            let host = StoredChange.host(of: row.text(1))
            return (0..<4).map { index in
                // The host in front, so that what is written together lies together.
                Int64(bitPattern: host << 18 | UInt64(index) << 16 | hash >> UInt64(16 * index) & 0xFFFF)
            }
        } ?? []
    }
}
