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
    private let visitedHosts: StoreStatement
    private let newHosts: StoreStatement

    init(_ database: Database) throws {
        queued = try StoreStatement(
            database,
            "SELECT \(Self.columns) FROM url WHERE id >> 35 = ? AND rank >= 1 << 40 ORDER BY rank LIMIT ?")
        due = try StoreStatement(
            database, "SELECT \(Self.columns) FROM url WHERE id >> 35 = ? AND rank <= ? ORDER BY rank LIMIT ?")
        visitedHosts = try StoreStatement(database, Self.visitedHosts)
        newHosts = try StoreStatement(database, Self.newHosts)
    }

    private static let hasWork =
        "(queued > 0 OR nextDue <= ?) AND (suspendedUntil IS NULL OR suspendedUntil <= ?)"

    static let visitedHosts =
        "SELECT lastRequest, id FROM host WHERE (lastRequest, id) > (?, ?) AND \(hasWork) ORDER BY lastRequest, id LIMIT ?"

    static let newHosts =
        "SELECT id FROM host WHERE lastRequest IS NULL AND id > ? AND \(hasWork) ORDER BY id LIMIT ?"

    /// How far a search for hosts with work has come.
    struct HostSearch {
        fileprivate var lastRequest: Int64? = -1
        fileprivate var visited: Int64 = -1
        fileprivate var new: Int64? = -1

        /// Whether the whole table was searched.
        var isOver: Bool { lastRequest == nil && new == nil }
    }

    /// The next hosts with work, in the order in which hosts are asked, over all runs: the one whose last visit is longest ago comes
    /// first, and hosts that were never visited take turns with the others. So a run that ends early leaves no host behind for ever.
    func hostsWithWork(_ search: inout HostSearch, limit: Int, cutoff: Int64, now: Int64) throws -> [Int64] {
        let half = max(1, limit / 2)
        var (visited, new): ([Int64], [Int64]) = ([], [])
        if let lastRequest = search.lastRequest {
            search.lastRequest = nil
            var last: (Int64, Int64)?
            try visitedHosts.rows(
                .integer(lastRequest), .integer(search.visited), .integer(cutoff), .integer(now), .integer(Int64(half))
            ) {
                last = ($0.integer(0), $0.integer(1))
                visited.append($0.integer(1))
            }
            if visited.count == half, let last { (search.lastRequest, search.visited) = last }
        }
        if let number = search.new {
            try newHosts.rows(.integer(number), .integer(cutoff), .integer(now), .integer(Int64(half))) {
                new.append($0.integer(0))
            }
            search.new = new.count == half ? new.last : nil
        }
        return Self.inTurns(visited, new)
    }

    /// The elements of both, one of each after the other.
    private static func inTurns<Element>(_ first: [Element], _ second: [Element]) -> [Element] {
        var all: [Element] = []
        for place in 0..<max(first.count, second.count) {
            if place < first.count { all.append(first[place]) }
            if place < second.count { all.append(second[place]) }
        }
        return all
    }

    /// The first URLs of a host that are not leased. New URLs, nearest to a seed first, and URLs that are due again, those due for the
    /// longest time first but sitemaps before pages, take turns. So neither kind waits for the end of the other, whatever a run may
    /// visit. Which of the two begins changes with the host's last visit, because a run may visit one URL of each host only.
    ///
    /// - Parameters:
    ///   - out: numbers of the leased URLs.
    ///   - cutoff: URLs that are due by then are included; nil includes none.
    func next(
        of host: HostTable.Host, out: Set<Int64>, limit: Int, cutoff: Int64?, seeds: SeedTable
    ) throws -> [(Int64, CrawlRequest)] {
        typealias Found = (row: URLTable.Row, request: CrawlRequest)
        func take(_ statement: StoreStatement, into found: inout [Found]) throws {
            guard !out.contains(statement.integer(0)) else { return }
            let row = URLTable.row(statement, host: host.name)
            found.append((row, try Self.request(row, statement, seeds: seeds)))
        }
        let most = Int64(limit + out.count)
        var (new, again): ([Found], [Found]) = ([], [])
        if host.queued > 0 { try queued.rows(.integer(host.id), .integer(most)) { try take($0, into: &new) } }
        if let cutoff {
            try due.rows(.integer(host.id), .integer(cutoff), .integer(most)) { try take($0, into: &again) }
            again.sort { ($0.request.isPage ? 1 : 0, $0.row.rank) < ($1.request.isPage ? 1 : 0, $1.row.rank) }
        }
        let begins = UInt64(bitPattern: host.lastRequest ?? 0) &* 0x9E37_79B9_7F4A_7C15 >> 63
        return Self.inTurns(begins == 0 ? new : again, begins == 0 ? again : new).prefix(limit).map {
            ($0.row.id, $0.request)
        }
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
