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

    /// Reads the storages of a job, one after the other. Of each shard only its share of the best is read, and as much again, because
    /// sites are dealt out to shards evenly.
    ///
    /// - Parameter shown: the most records in `best`.
    public init(_ job: JobStorages, shown: Int = 150) throws {
        guard let count = job.shardCount else {
            try self.init(StorageReader(job.parts[0]), shown: shown)
            return
        }
        var (records, hosts, addresses): (Int, Int, Int) = (0, 0, 0)
        var best: [(record: JSONValue, popularity: Double, fetchedAt: String)] = []
        for part in job.parts {
            let one = try StorageOverview(StorageReader(part), shown: min(shown, 2 * shown / count + 1))
            records += one.records
            hosts += one.hosts
            addresses += one.addresses
            best += one.best.map { record in
                // What a page claims of itself does not count.
                let isRanked = record["provenance"]?["popularity"]?.string == DeepLinkRecord.Source.linkGraph.rawValue
                return (record, isRanked ? record["popularity"]?.double ?? 0 : 0, record["fetchedAt"]?.string ?? "")
            }
            best.sort { ($1.popularity, $1.fetchedAt) < ($0.popularity, $0.fetchedAt) }
            best = Array(best.prefix(shown))
        }
        self.init(records: records, hosts: hosts, addresses: addresses, best: best.map(\.record))
    }

    private init(records: Int, hosts: Int, addresses: Int, best: [JSONValue]) {
        (self.records, self.hosts, self.addresses, self.best) = (records, hosts, addresses, best)
    }

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
