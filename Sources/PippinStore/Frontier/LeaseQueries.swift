import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// Finds work: hosts that have some, and the first URLs in a host's line.
final class LeaseQueries {
    private static let columns =
        URLTable.columns + ", rhythm, failures, misses, entityTag, lastModified, contentHash, record"

    private let queued: StoreStatement
    private let due: StoreStatement
    private let hosts: StoreStatement

    init(_ database: Database) throws {
        queued = try StoreStatement(
            database,
            "SELECT \(Self.columns) FROM url WHERE id >> 35 = ? AND rank >= 1 << 40 ORDER BY rank LIMIT ?")
        due = try StoreStatement(
            database, "SELECT \(Self.columns) FROM url WHERE id >> 35 = ? AND rank <= ? ORDER BY rank LIMIT ?")
        hosts = try StoreStatement(
            database,
            """
            SELECT id FROM host WHERE id > ? AND (queued > 0 OR nextDue <= ?)
                AND (suspendedUntil IS NULL OR suspendedUntil <= ?) ORDER BY id LIMIT ?
            """)
    }

    func hostsWithWork(after number: Int64, limit: Int, cutoff: Int64, now: Int64) throws -> [Int64] {
        var found: [Int64] = []
        try hosts.rows(.integer(number), .integer(cutoff), .integer(now), .integer(Int64(limit))) {
            found.append($0.integer(0))
        }
        return found
    }

    /// The first URLs of a host that are not leased: nearest to a seed first; at the same distance, new URLs before those due
    /// again.
    ///
    /// - Parameters:
    ///   - out: numbers of the leased URLs.
    ///   - cutoff: URLs that are due by then are included; nil includes none.
    func next(
        of host: HostTable.Host, out: Set<Int64>, limit: Int, cutoff: Int64?, seeds: SeedTable
    ) throws -> [(Int64, CrawlRequest)] {
        var found: [(order: (Int, Int64, Int64), id: Int64, request: CrawlRequest)] = []
        func take(_ statement: StoreStatement, isDue: Int64) throws {
            guard !out.contains(statement.integer(0)) else { return }
            let row = URLTable.row(statement, host: host.name)
            let request = try Self.request(row, statement, seeds: seeds)
            found.append(((request.priority, isDue, row.rank), row.id, request))
        }
        let most = Int64(limit + out.count)
        if host.queued > 0 { try queued.rows(.integer(host.id), .integer(most)) { try take($0, isDue: 0) } }
        if let cutoff {
            try due.rows(.integer(host.id), .integer(cutoff), .integer(most)) { try take($0, isDue: 1) }
            found.sort { $0.order < $1.order }
        }
        return found.prefix(limit).map { ($0.id, $0.request) }
    }

    private static func request(_ row: URLTable.Row, _ statement: StoreStatement, seeds: SeedTable) throws
        -> CrawlRequest
    {
        let extras = try URLTable.extras(from: row.extras)
        guard let url = WebURL(extras.url ?? row.address.key) else {
            throw StorageError.damaged(reason: "\(row.address.key) is no URL")
        }
        var target = CrawlRequest.Target.page
        if !row.address.isPage {
            target = .sitemap(host: extras.sitemapHost ?? row.address.host, level: extras.sitemapLevel ?? 0)
        }
        var request = CrawlRequest(
            url: url, target: target, depth: Int(clamping: row.depth), seed: try seeds[row.seed],
            discovery: row.flags.discovery, standsForSeed: row.flags.standsForSeed)
        // A recrawl starts afresh: no redirect led to the URL, and its canonical page may be good by now.
        if row.state == .queued {
            request.redirects = (extras.redirects ?? []).compactMap { WebURL($0) }
            request.ignoresCanonical = row.flags.ignoresCanonical
        }
        request.previous = previous(row, statement)
        request.sitemap = extras.sitemap
        return request
    }

    private static func previous(_ row: URLTable.Row, _ statement: StoreStatement) -> PreviousVisit? {
        guard let visitedAt = row.visitedAt else { return nil }
        let first = URLTable.columnCount
        // Validators are sent only for a page that was read as itself, or a sitemap: there "not modified" means that nothing
        // changes. Other outcomes must be determined again.
        let isConditional = row.state == .kept || !row.address.isPage
        let record = statement.optionalText(first + 6)
        return PreviousVisit(
            entityTag: isConditional ? statement.optionalText(first + 3) : nil,
            lastModified: isConditional ? statement.optionalText(first + 4) : nil,
            contentHash: statement.optionalText(first + 5),
            visitedAt: Date(storeSeconds: visitedAt), interval: .seconds(statement.integer(first)),
            failures: Int(clamping: statement.integer(first + 1)), misses: Int(clamping: statement.integer(first + 2)),
            recordIdentifier: record.map { $0.isEmpty ? row.address.key : $0 },
            revalidationKey: row.flags.revalidationKey)
    }
}
