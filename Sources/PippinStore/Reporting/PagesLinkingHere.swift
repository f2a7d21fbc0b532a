import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// Which pages link to a page, as far as a short look finds them.
///
/// Links are kept by the page that has them (`LinkTable`), so finding those to one page means reading all. Nobody can wait for
/// that in a large job, so the look is bounded, and says whether it saw everything. The page on which the URL was found comes
/// first, then those of its own host: most links lead to pages of one's own site.
public struct PagesLinkingHere: Sendable {
    public struct Page: Sendable, Equatable {
        /// The URL key.
        public let url: String
        /// The title of its record; nil without one.
        public let title: String?
    }

    /// Up to the limit that was asked for.
    public let pages: [Page]
    /// How many were found.
    public let count: Int
    /// Whether all pages of the job were looked at.
    public let isComplete: Bool
    /// The shard whose pages alone were looked at; nil if the job is not in shards.
    public let shard: Shard?

    /// Of a page that the job does not know.
    public static let none = PagesLinkingHere(pages: [], count: 0, isComplete: true, shard: nil)
}

extension StorageReader {
    /// The most pages whose links are unpacked, which takes about 50 ms.
    public static let maximumLinkRows = 20_000

    /// Finds pages that link to a URL, or to one that leads to it.
    ///
    /// - Parameter shown: the most pages to name.
    public func pagesLinking(to url: WebURL, shown: Int = 20) throws -> PagesLinkingHere {
        try read { database in
            guard let target = try Self.number(of: url, database) else {
                return .none
            }
            let shard = try Shard.kept(database)
            var targets: Set<Int64> = [target]
            var sources: [Int64] = []
            var count = 0
            var rows = 0
            let alias = try StoreStatement(database, "SELECT page FROM link WHERE leadsTo = ? LIMIT 100")
            // There is no index of `leadsTo`; small tables are read through.
            let isSmall =
                (try Int.fetchOne(database, sql: "SELECT count(*) FROM (SELECT 1 FROM link LIMIT 20001)") ?? 0)
                <= Self.maximumLinkRows
            if isSmall { try alias.rows(.integer(target)) { targets.insert($0.integer(0)) } }
            let foundOn = try Int64.fetchOne(
                database, sql: "SELECT foundOn FROM url WHERE id = ?", arguments: [target])
            let statement = try StoreStatement(
                database,
                "SELECT page, targets FROM link WHERE targets IS NOT NULL AND page BETWEEN ? AND ? ORDER BY page LIMIT ?"
            )
            func look(from first: Int64, to last: Int64, except met: Int64?) throws {
                guard first <= last else { return }
                let most = Int64(Self.maximumLinkRows - rows)
                try statement.rows(.integer(first), .integer(last), .integer(most)) { row in
                    rows += 1
                    let page = row.integer(0)
                    var isFound = false
                    row.blob(1).withUnsafeBytes { bytes in
                        PackedLinks.unpack(bytes) { if targets.contains($0.target) { isFound = true } }
                    }
                    guard isFound, !targets.contains(page), page != met else { return }
                    count += 1
                    if sources.count < shown { sources.append(page) }
                }
            }
            if let foundOn { try look(from: foundOn, to: foundOn, except: nil) }
            let own = URLNumber.range(ofHost: URLNumber.host(of: target))
            try look(from: own.lowerBound, to: own.upperBound, except: foundOn)
            try look(from: 0, to: own.lowerBound - 1, except: foundOn)
            try look(from: own.upperBound &+ 1, to: .max, except: foundOn)
            return PagesLinkingHere(
                pages: try sources.compactMap { number in
                    try Self.key(of: number, database).map {
                        PagesLinkingHere.Page(url: $0, title: try Self.title(ofPage: number, key: $0, database))
                    }
                }, count: count, isComplete: isSmall && rows < Self.maximumLinkRows && shard == nil, shard: shard)
        }
    }

    /// The number of a page; nil if it was never added.
    private static func number(of url: WebURL, _ database: Database) throws -> Int64? {
        let request = CrawlRequest(url: url, seed: Seed(url: url), discovery: .outlink)
        guard
            let host = try Int64.fetchOne(
                database, sql: "SELECT id FROM host WHERE name = ?", arguments: [request.host])
        else { return nil }
        let address = StoredAddress(key: request.key, host: request.host, isPage: true)
        return try row(of: address, host: host, database)?["id"]
    }

    private static func title(ofPage number: Int64, key: String, _ database: Database) throws -> String? {
        let stored = try String.fetchOne(database, sql: "SELECT record FROM url WHERE id = ?", arguments: [number])
        guard let stored else { return nil }
        let document = try Data.fetchOne(
            database, sql: "SELECT document FROM record WHERE identifier = ? AND state = 0",
            arguments: [stored.isEmpty ? key : stored])
        guard let document else { return nil }
        var parser = JSONParser(limits: .ownText)
        return try parser.parse([UInt8](document)[...])["title"]?.string
    }
}
