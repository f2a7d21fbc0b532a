import Foundation
import GRDB
import PippinCrawl
import PippinPage
import PippinReport

extension StorageReader {
    /// The most seeds in a report that no run makes: each takes a few look-ups.
    private static let maximumSeeds = 1_000

    /// The report of the job's site, as its runs with a report have seen it; nil if there was none yet.
    ///
    /// - Parameter configuration: for the names of settings in messages, and whether sitemaps were read.
    public func siteReport(_ configuration: CrawlConfiguration, now: Date = Date()) throws -> SiteReport? {
        let kept = try keptObservations()
        guard kept.count > 0 else { return nil }
        let status = try StorageStatus(self, now: now, shown: 50)
        let run = status.runs.first
        let isRunning = status.runningProcess != nil
        let seeds = try seeds().map { seed in (seed: seed, standing: try standing(of: seed, now: now)) }
        return try CrawlReporter.report(
            of: CrawlReporter.KeptJob(
                ending: isRunning ? nil : run?.ending ?? CrawlSummary.Ending.interrupted.rawValue,
                startedAt: run?.startedAt ?? now, finishedAt: isRunning ? now : run?.endedAt ?? now,
                seeds: seeds, known: status.known, queued: status.queued, dropped: status.dropped,
                troubles: Dictionary(
                    status.troubled.compactMap { host in host.trouble.map { (host.name, $0) } },
                    uniquingKeysWith: { first, _ in first })),
            kept: kept, configuration: configuration)
    }

    /// A number that changes with every run and every judgement: what a report is made of.
    public func reportVersion() throws -> String {
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
