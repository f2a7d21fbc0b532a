import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// What a storage has about one URL.
public struct URLHistory: Sendable {
    /// How a URL stands after its visits.
    public enum State: String, Sendable {
        /// Waits for its first visit, or for another visit to be filed under its own URL.
        case queued
        /// Visited, and stands for itself.
        case kept
        /// Visited, but does not stand for itself: an error or a redirect, for example.
        case finished
        /// Another URL stands for it.
        case duplicate
    }

    /// A visit in the past.
    public struct PastVisit: Sendable, Equatable {
        /// The code of the outcome.
        public let outcome: String
        /// When the visit ended.
        public let at: Date
    }

    /// The state of a URL's record.
    public enum RecordStanding: Sendable, Equatable {
        case none
        case listed(identifier: String, nearDuplicateOf: String?)
        /// Kept back, because another record of the host has the same content (`of`).
        case keptBack(identifier: String, of: String?)
        case deleted(identifier: String, reason: String?, at: Date?)

        var identifier: String? {
            switch self {
            case .none: nil
            case .listed(let identifier, _), .keptBack(let identifier, _), .deleted(let identifier, _, _): identifier
            }
        }
    }

    /// The URL key.
    public let key: String
    /// The URL that is fetched. It may be spelled differently from the key.
    public let fetchedURL: String
    /// Whether it is a page; otherwise it is a sitemap.
    public let isPage: Bool
    public let state: State
    /// How many links lead from the seed to the URL: 0 for a seed, 1 for a sitemap's entry. Redirects do not count.
    public let depth: Int
    /// How the URL was found.
    public let discovery: CrawlRequest.Discovery
    /// Whether the URL is a seed, or where a seed's redirects lead.
    public let standsForSeed: Bool
    /// The seed from which the URL was found.
    public let seed: Seed?
    /// The URL of the page that it names as canonical and that stands for it.
    public let canonical: String?
    /// URLs whose redirects led here when it was found.
    public let redirects: [String]
    /// The page whose link led here first; nil if no link did. It may not link here any more (`StorageReader.pagesLinking`).
    public let foundOn: String?
    /// Details of the last outcome: a target, a status, the line of a robots.txt.
    public let detail: String?
    /// The last visits, oldest first.
    public let visits: [PastVisit]
    /// How many visits there were, and how many of them found the page changed.
    public let visitCount: Int
    public let changeCount: Int
    /// How many visits in a row failed, and how many in a row missed the page.
    public let failures: Int
    public let misses: Int
    /// nil while it is queued.
    public let nextVisit: Date?
    /// The usual time between its visits.
    public let rhythm: Duration?
    public let record: RecordStanding
    /// The changes of its record's deep links, oldest first (`DeepLinkTable.maximumRows` at most).
    public let deepLinks: [DeepLinkChange]
    public let host: StorageReader.Host
}

extension StorageReader {
    /// What is known of a URL as a page, or else as a sitemap; nil if it was never added.
    public func history(of url: WebURL, now: Date = Date()) throws -> URLHistory? {
        guard url.isHTTP else { return nil }
        let request = CrawlRequest(url: url, seed: Seed(url: url), discovery: .outlink)
        return try read { database in
            guard
                let hostRow = try Row.fetchOne(
                    database, sql: "SELECT \(Self.hostColumns) FROM host WHERE name = ?", arguments: [request.host])
            else { return nil }
            for isPage in [true, false] {
                let address = StoredAddress(key: request.key, host: request.host, isPage: isPage)
                if let row = try Self.row(of: address, host: hostRow["id"], database) {
                    return try Self.history(row, address: address, host: Self.host(hostRow, now: now), database)
                }
            }
            return nil
        }
    }

    static func row(of address: StoredAddress, host: Int64, _ database: Database) throws -> Row? {
        try URLNumber.find(address, host: host, key: try StoreSchema.placeKey(database)) { number in
            guard let row = try Row.fetchOne(database, sql: "SELECT * FROM url WHERE id = ?", arguments: [number])
            else {
                let isVacated = try Bool.fetchOne(database, sql: VacatedNumbers.presence, arguments: [number])
                return isVacated == true ? URLNumber.Occupant<Row>.another : .nobody
            }
            return row["address"] as String == address.text ? .found(row) : .another
        }.row
    }

    private static func history(
        _ row: Row, address: StoredAddress, host: Host, _ database: Database
    ) throws -> URLHistory {
        let extras = try URLTable.extras(from: row["extras"])
        let flags = StoredFlags(rawValue: row["flags"])
        let rank: Int64 = row["rank"]
        let state: URLHistory.State =
            switch URLTable.State(rawValue: row["state"]) {
            case .queued: .queued
            case .kept: .kept
            case .duplicate: .duplicate
            case .finished, nil: .finished
            }
        let record = try record(row["record"], key: address.key, database)
        return URLHistory(
            key: address.key, fetchedURL: extras.url ?? address.key, isPage: address.isPage, state: state,
            depth: row["depth"], discovery: flags.discovery, standsForSeed: flags.standsForSeed,
            seed: try seed(row["seed"], database),
            canonical: try (row["canonical"] as Int64?).flatMap { try key(of: $0, database) },
            redirects: extras.redirects ?? [],
            foundOn: try (row["foundOn"] as Int64?).flatMap { try key(of: $0, database) }, detail: row["detail"],
            visits: try visits(row["history"], database),
            visitCount: row["visits"] ?? 0, changeCount: row["changes"] ?? 0, failures: row["failures"] ?? 0,
            misses: row["misses"] ?? 0,
            nextVisit: rank < URLTable.firstQueuedRank ? Date(storeSeconds: rank) : nil,
            rhythm: (row["rhythm"] as Int64?).map { .seconds($0) },
            record: record,
            deepLinks: try record.identifier.map { try DeepLinkHistory.changes(ofRecord: $0, database) } ?? [],
            host: host)
    }

    private static func seed(_ number: Int64, _ database: Database) throws -> Seed? {
        try Row.fetchOne(database, sql: "SELECT * FROM seed WHERE id = ?", arguments: [number]).flatMap(seed)
    }

    static func seed(_ row: Row) -> Seed? {
        guard let url = WebURL(row["url"] as String) else { return nil }
        return Seed(
            url: url, kind: (row["kind"] as String?).flatMap(Seed.Kind.init), storeIdentifier: row["storeIdentifier"],
            bundleIdentifier: row["bundleIdentifier"], packageName: row["packageName"],
            landingHosts: (row["landingHosts"] as String? ?? "").split(separator: " ").map(String.init))
    }

    /// The URL key of a row; nil if there is no such row.
    static func key(of number: Int64, _ database: Database) throws -> String? {
        guard
            let row = try Row.fetchOne(
                database,
                sql: "SELECT host.name, url.address FROM url JOIN host ON host.id = url.id >> 35 WHERE url.id = ?",
                arguments: [number])
        else { return nil }
        return StoredAddress(host: row[0], text: row[1]).key
    }

    private static func visits(_ history: Data?, _ database: Database) throws -> [URLHistory.PastVisit] {
        let bytes = [UInt8](history ?? Data())
        guard !bytes.isEmpty else { return [] }
        var visits: [URLHistory.PastVisit] = []
        for start in stride(from: 0, to: bytes.count - bytes.count % URLTable.bytesOfVisit, by: URLTable.bytesOfVisit) {
            let number = Int64(bytes[start]) | Int64(bytes[start + 1]) << 8
            let moment = (0..<4).reduce(Int64(0)) { $0 | Int64(bytes[start + 2 + $1]) << (8 * Int64($1)) }
            let code = try String.fetchOne(database, sql: "SELECT code FROM outcome WHERE id = ?", arguments: [number])
            visits.append(URLHistory.PastVisit(outcome: code ?? "unknown", at: Date(storeSeconds: moment)))
        }
        return visits
    }

    private static func record(
        _ stored: String?, key: String, _ database: Database
    ) throws -> URLHistory.RecordStanding {
        // A URL whose record was deleted no longer names it. If the record had the URL's own key as its identifier, the
        // deletion is found under that.
        let identifier = stored.map { $0.isEmpty ? key : $0 } ?? key
        guard
            let row = try Row.fetchOne(
                database, sql: "SELECT id, state, cluster, deletion FROM record WHERE identifier = ?",
                arguments: [identifier]),
            stored != nil || row["state"] == RecordTable.State.deleted.rawValue
        else { return .none }
        switch RecordTable.State(rawValue: row["state"]) {
        case .listed:
            return .listed(
                identifier: identifier, nearDuplicateOf: try NearDuplicates.original(of: row["id"], database).identifier
            )
        case .keptBack:
            let other = try String.fetchOne(
                database,
                // The listed record of the cluster is the first in the index's order, or is about to be.
                sql: "SELECT identifier FROM (\(RecordTable.firstOfCluster)) WHERE state = 0",
                arguments: [row["cluster"] as Int64])
            return .keptBack(identifier: identifier, of: other)
        case .deleted, nil:
            var parser = JSONParser(limits: .ownText)
            let document = [UInt8](row["deletion"] as Data? ?? Data())
            let deletion: JSONValue? = document.isEmpty ? nil : try parser.parse(document[...])
            return .deleted(
                identifier: identifier, reason: deletion?["reason"]?.string,
                at: deletion?["at"]?.string.flatMap { SchemaOrg.date($0) })
        }
    }
}

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
