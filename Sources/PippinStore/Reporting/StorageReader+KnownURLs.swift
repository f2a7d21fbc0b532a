import Foundation
import GRDB
import PippinCrawl
import PippinPage

extension StorageReader {
    /// How many hosts, and how many URLs of one, are read at a time. The database is free in between, so a slow reader holds up nobody.
    private static let stretch = 1_000
    /// How many seeds are held, about 200 bytes each.
    private static let heldSeeds = 20_000

    /// Calls `body` for each URL of the frontier: hosts in the order of their names, the URLs of a host in that of the storage, which
    /// does not change while a URL is known. A run that goes on may change what was not read yet.
    public func readKnownURLs(_ body: (KnownURL) throws -> Void) throws {
        var seeds: [Int64: String] = [:]
        var codes: [Int64: String] = [:]
        var last = ""
        while true {
            let hosts = try read { database in
                var found: [(number: Int64, name: String)] = []
                try StoreStatement(database, "SELECT id, name FROM host WHERE name > ? ORDER BY name LIMIT ?")
                    .rows(.text(last), .integer(Int64(Self.stretch))) { found.append(($0.integer(0), $0.text(1))) }
                return found
            }
            guard let end = hosts.last?.name else { return }
            for host in hosts {
                let range = URLNumber.range(ofHost: host.number)
                var after = range.lowerBound - 1
                while true {
                    try Task.checkCancellation()
                    let (found, end) = try read { database in
                        try Self.knownURLs(
                            of: host.name, after: after, upTo: range.upperBound, &seeds, &codes, database)
                    }
                    guard let end else { break }
                    for url in found { try body(url) }
                    after = end
                }
            }
            last = end
        }
    }

    /// - Returns: also the number of the last one; nil if there are no more.
    private static func knownURLs(
        of host: String, after number: Int64, upTo last: Int64, _ seeds: inout [Int64: String],
        _ codes: inout [Int64: String], _ database: Database
    ) throws -> (urls: [KnownURL], end: Int64?) {
        let seed = try StoreStatement(database, "SELECT url FROM seed WHERE id = ?")
        let code = try StoreStatement(database, "SELECT code FROM outcome WHERE id = ?")
        var (found, end): ([KnownURL], Int64?) = ([], nil)
        var rows: [(row: URLTable.Row, rhythm: Int64?, failures: Int64, tag: String?, modified: String?)] = []
        let first = URLTable.columnCount
        try StoreStatement(
            database,
            """
            SELECT \(URLTable.columns), rhythm, failures, entityTag, lastModified FROM url
            WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """
        ).rows(.integer(number), .integer(last), .integer(Int64(stretch))) {
            rows.append(
                (
                    URLTable.row($0, host: host), $0.optionalInteger(first), $0.integer(first + 1),
                    $0.optionalText(first + 2), $0.optionalText(first + 3)
                ))
        }
        for (row, rhythm, failures, tag, modified) in rows {
            end = row.id
            if seeds[row.seed] == nil {
                if seeds.count >= heldSeeds { seeds.removeAll(keepingCapacity: true) }
                seeds[row.seed] = try seed.first(.integer(row.seed)) { $0.text(0) }
            }
            var visit: KnownURL.Visit?
            if let at = row.visitedAt, let outcome = OutcomeTable.lastNumber(in: row.history) {
                if codes[outcome] == nil { codes[outcome] = try code.first(.integer(outcome)) { $0.text(0) } }
                visit = KnownURL.Visit(
                    at: Date(storeSeconds: at), outcome: codes[outcome] ?? "unknown",
                    due: row.rank < URLTable.firstQueuedRank ? Date(storeSeconds: row.rank) : nil,
                    interval: rhythm.map { .seconds($0) }, count: Int(row.visits), failures: Int(failures),
                    entityTag: tag, lastModified: modified)
            }
            found.append(
                KnownURL(
                    url: try URLTable.extras(from: row.extras).url ?? row.address.key, isPage: row.address.isPage,
                    depth: Int(clamping: row.depth), discovery: row.flags.discovery, seed: seeds[row.seed],
                    visit: visit))
        }
        return (found, end)
    }
}
