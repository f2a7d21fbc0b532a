import GRDB

/// Finds a record of the same host with nearly the same text: the SimHashes differ in at most three of 64 bits.
///
/// Only an index is stored for this. The answer is searched for on request, because it may change with either record, and
/// whenever a record comes or goes. The record that was found first is the original, so two records are never each other's
/// duplicate.
enum NearDuplicates {
    static let maximumDistance = 3
    /// How many records of a host are compared at most. Each takes about 25 bytes of the index; a million take a fraction of
    /// a second.
    static let maximumCandidates = 1_000_000

    /// - Parameter record: the number of a listed record.
    /// - Returns: the identifier of the original, nil if there is none, and how many records were compared.
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

    /// SQLite answers this from the index alone.
    static let candidates = """
        SELECT id, simHash FROM record WHERE host = ? AND id < ? AND state = 0 AND simHash IS NOT NULL ORDER BY id LIMIT ?
        """
}
