import GRDB
import PippinPage

/// What a storage holds, for people who have not searched yet: how much, and what the most links lead to.
public struct StorageOverview: Sendable {
    public let records: Int
    public let hosts: Int
    /// URLs that are known.
    public let addresses: Int
    /// The records with the highest popularity, best first; the newest ones before links were ranked.
    public let best: [JSONValue]

    /// - Parameter shown: the most records in `best`.
    public init(_ reader: StorageReader, shown: Int = 150) throws {
        struct Found {
            var counts = (records: 0, hosts: 0, addresses: 0)
            var documents: [[UInt8]] = []
        }
        let found = try reader.read { database in
            var found = Found()
            if let counts = try Row.fetchOne(database, sql: "SELECT records, hosts, known FROM store") {
                found.counts = (counts[0], counts[1], counts[2])
            }
            // Only numbers are sorted, not documents.
            let ranked = try StoreStatement(
                database,
                """
                SELECT sequence, identifier, state, document, value FROM
                    (SELECT record, value FROM popularity WHERE value IS NOT NULL ORDER BY value DESC, record LIMIT ?)
                    JOIN record ON record.id = record WHERE state = 0 ORDER BY value DESC, record.id
                """)
            try ranked.rows(.integer(Int64(shown))) { found.documents.append(ChangeFeed.change($0).document) }
            if found.documents.isEmpty {
                let newest = try StoreStatement(
                    database,
                    """
                    SELECT sequence, identifier, state, document, NULL FROM record WHERE sequence IS NOT NULL AND state = 0
                    ORDER BY sequence DESC LIMIT ?
                    """)
                try newest.rows(.integer(Int64(shown))) { found.documents.append(ChangeFeed.change($0).document) }
            }
            return found
        }
        (records, hosts, addresses) = found.counts
        var best: [JSONValue] = []
        for document in found.documents {
            var parser = JSONParser(limits: .ownText)
            best.append(try parser.parse(document[...]))
        }
        self.best = best
    }
}
