import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// What a storage knows of a job, in whichever of its runs.
public struct KeptJob: Sendable {
    /// How the last run ended (`CrawlSummary.Ending`); nil while it goes on.
    public let ending: String?
    /// When the last run began and ended; the present time while it goes on.
    public let startedAt: Date
    public let finishedAt: Date
    /// The seeds, with their state after their last visit.
    public let seeds: [(seed: Seed, standing: JobStanding.SeedStanding?)]
    /// URLs that are known, that wait for their first visit, and that were not kept because the queue was full.
    public let known: Int
    public let queued: Int
    public let dropped: Int
    /// Hosts whose last request failed.
    public let troubles: [String: RequestFailure]
}

extension StorageReader {
    /// The most seeds that are told of a job: each takes a few look-ups.
    private static let maximumSeeds = 1_000

    /// What the storage knows of its job, also while a run goes on.
    public func job(now: Date = Date()) throws -> KeptJob {
        let status = try StorageStatus(self, now: now, shown: 50)
        let run = status.runs.first
        let isRunning = status.state == .running
        return KeptJob(
            ending: isRunning ? nil : run?.ending ?? CrawlSummary.Ending.interrupted.rawValue,
            startedAt: run?.startedAt ?? now, finishedAt: isRunning ? now : run?.endedAt ?? now,
            seeds: try seeds().map { seed in (seed: seed, standing: try standing(of: seed, now: now)) },
            known: status.known, queued: status.queued, dropped: status.dropped,
            troubles: Dictionary(
                status.troubled.compactMap { host in host.trouble.map { (host.name, $0) } },
                uniquingKeysWith: { first, _ in first }))
    }

    /// A text that changes with every run, and with what is stored.
    public func version() throws -> String {
        try read { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT (SELECT identity FROM store), (SELECT max(id) FROM run),
                        (SELECT endedAt FROM run ORDER BY id DESC LIMIT 1), (SELECT sum(urls) FROM outcome),
                        (SELECT sequence FROM store)
                    """)
            return row.map { row in (0..<row.count).map { "\(row[$0] as DatabaseValue)" }.joined(separator: " ") } ?? ""
        }
    }

    /// The seeds that URLs were found from, each once.
    private func seeds() throws -> [Seed] {
        try read { database in
            var known: Set<WebURL> = []
            var seeds: [Seed] = []
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM seed ORDER BY id")
            while seeds.count < Self.maximumSeeds, let row = try rows.next() {
                if let seed = Self.seed(row), known.insert(seed.url).inserted { seeds.append(seed) }
            }
            return seeds
        }
    }

    /// The state of a seed where its redirects end; nil if it was never added.
    private func standing(of seed: Seed, now: Date) throws -> JobStanding.SeedStanding? {
        var url = seed.url
        var met: Set<URLKey> = []
        var last: JobStanding.SeedStanding?
        // Redirects of several runs may form a circle.
        while met.insert(URLKey(url)).inserted, let history = try history(of: url, now: now) {
            let code = history.visits.last?.outcome
            last = JobStanding.SeedStanding(
                finalURL: url, redirects: met.count - 1, code: code, detail: history.detail,
                visitedAt: history.visits.last?.at, nextVisit: history.nextVisit,
                restsUntil: history.host.blockedUntil, trouble: history.host.trouble)
            guard code == "redirected", let next = history.detail.flatMap({ WebURL($0) }) else { break }
            url = next
        }
        return last
    }
}

// What observers have left, read for a report.

extension CrawlStorage {
    /// What observers have left with the job's URLs.
    public func keptObservations() throws -> KeptObservations {
        try KeptObservations(reading: { [self] body in try read(body) })
    }
}

extension StorageReader {
    /// What observers have left with the job's URLs.
    public func keptObservations() throws -> KeptObservations {
        try KeptObservations(reading: { [self] body in try read(body) })
    }
}

extension KeptObservations {
    /// - Parameter read: reads the database within one transaction.
    fileprivate init(reading read: @escaping @Sendable (_ body: (Database) throws -> Void) throws -> Void) throws {
        var count = 0
        try read { count = try Int.fetchOne($0, sql: "SELECT count(*) FROM judgement") ?? 0 }
        self.init(count: count) { entry, details in
            try read { database in
                try StoreStatement(database, "SELECT entry, at, failure, failedAt FROM judgement ORDER BY url").rows {
                    row in
                    let failure = row.optionalInteger(3).map {
                        (bytes: row.blob(2), date: Date(storeMilliseconds: $0))
                    }
                    entry(
                        Entry(bytes: row.blob(0), date: Date(storeMilliseconds: row.integer(1)), failure: failure))
                }
                try StoreStatement(database, "SELECT card FROM card ORDER BY weight DESC, url").rows { row in
                    details(row.blob(0))
                }
            }
        }
    }
}
