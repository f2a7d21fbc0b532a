import Foundation
import GRDB
import PippinCrawl
import PippinPage

extension SQLiteFrontier {
    public func standing(of seeds: [Seed]) throws -> JobStanding? {
        try writeCounts()
        return try read { database in
            var standing = JobStanding()
            standing.knownURLs = try Int.fetchOne(database, sql: "SELECT known FROM store") ?? 0
            let nextDue = try Row.fetchOne(
                database,
                sql: "SELECT name, nextDue FROM host WHERE nextDue IS NOT NULL ORDER BY nextDue LIMIT 1")
            standing.nextDue = nextDue.map { ($0[0], Date(storeSeconds: $0[1])) }
            let detail = try StoreStatement(database, "SELECT detail FROM url WHERE id = ?")
            for seed in seeds { standing.seeds[seed.url] = try self.standing(of: seed, detail) }
            return standing
        }
    }

    /// The standing of a seed where its redirects end; nil if the seed was never added. Redirects are followed as far as they
    /// were visited. Within one run `fetch.max_redirects` limits a chain, but redirects of several runs may form a circle.
    private func standing(of seed: Seed, _ detail: StoreStatement) throws -> JobStanding.SeedStanding? {
        var url = seed.url
        var met: Set<URLKey> = []
        var last: JobStanding.SeedStanding?
        while met.insert(URLKey(url)).inserted {
            let request = CrawlRequest(seed: Seed(url: url))
            guard let number = try tables.hosts.number(of: request.host),
                let row = try tables.urls.find(StoredAddress(request), host: number).row
            else { return last }
            let host = try tables.hosts[number]
            let suspendedUntil = host.suspendedUntil.map { Date(storeSeconds: $0) }
            let code = tables.outcomes.lastCode(in: row.history)
            let detail = try detail.first(.integer(row.id), body: { $0.optionalText(0) }) ?? nil
            last = JobStanding.SeedStanding(
                finalURL: url, redirects: met.count - 1, code: code, detail: detail,
                visitedAt: row.visitedAt.map { Date(storeSeconds: $0) },
                nextVisit: row.rank < URLTable.firstQueuedRank ? Date(storeSeconds: row.rank) : nil,
                restsUntil: suspendedUntil.flatMap { $0 > date() ? $0 : nil },
                trouble: host.trouble.flatMap { RequestFailure(detail: $0) })
            guard code == "redirected", let next = detail.flatMap({ WebURL($0) }) else { return last }
            url = next
        }
        return last
    }
}

extension OutcomeTable {
    /// The code of the last visit in a URL's history; nil without a visit.
    func lastCode(in history: [UInt8]) -> String? {
        Self.lastNumber(in: history).flatMap { code(of: $0) }
    }

    /// The numbers of the codes of all visits that the history keeps.
    static func numbers(in history: [UInt8]) -> [Int64] {
        stride(from: 0, through: history.count - URLTable.bytesOfVisit, by: URLTable.bytesOfVisit).map {
            Int64(history[$0]) | Int64(history[$0 + 1]) << 8
        }
    }

    /// The number of that code.
    static func lastNumber(in history: [UInt8]) -> Int64? {
        guard history.count >= URLTable.bytesOfVisit else { return nil }
        let start = history.count - URLTable.bytesOfVisit
        return Int64(history[start]) | Int64(history[start + 1]) << 8
    }
}
