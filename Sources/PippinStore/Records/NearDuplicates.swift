import GRDB

/// Finds the record of a host whose text is nearly the same as another's: SimHashes that differ in three of 64 bits at most.
///
/// Nothing is kept for it but an index: which record another one is near to is found when somebody asks. It changes with either of
/// the two, and with every record that comes or goes. Of two the one that was found first is the original, so that no two are each
/// other's duplicate.
enum NearDuplicates {
    static let maximumDistance = 3
    /// Records of a host that are looked at. Each is some 25 bytes of the index; a million take a fraction of a second.
    static let maximumCandidates = 1_000_000

    /// - Parameter record: one that is listed.
    /// - Returns: the original, if there is one, and how many records were looked at.
    static func original(of record: Int64, _ database: Database) throws -> (identifier: String?, lookedAt: Int) {
        let fingerprint = try StoreStatement(
            database, "SELECT host, simHash FROM record WHERE id = ? AND simHash IS NOT NULL"
        ).first(.integer(record)) { (host: $0.integer(0), simHash: $0.integer(1)) }
        guard let fingerprint else { return (nil, 0) }
        var lookedAt = 0
        let original = try StoreStatement(database, candidates).firstMatch(
            .integer(fingerprint.host), .integer(record), .integer(Int64(maximumCandidates))
        ) { row -> Int64? in
            lookedAt += 1
            return (row.integer(1) ^ fingerprint.simHash).nonzeroBitCount <= maximumDistance ? row.integer(0) : nil
        }
        guard let original else { return (nil, lookedAt) }
        let identifier = try StoreStatement(database, "SELECT identifier FROM record WHERE id = ?")
            .first(.integer(original)) { $0.text(0) }
        return (identifier, lookedAt)
    }

    /// Answered by the index alone.
    static let candidates = """
        SELECT id, simHash FROM record WHERE host = ? AND id < ? AND state = 0 AND simHash IS NOT NULL ORDER BY id LIMIT ?
        """
}
