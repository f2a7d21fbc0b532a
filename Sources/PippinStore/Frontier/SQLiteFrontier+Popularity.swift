import Foundation
import GRDB
import PippinCrawl

extension SQLiteFrontier {
    /// The result of a ranking.
    public enum Ranking: Sendable, Equatable {
        /// How many records got another popularity, and how many pages and links were ranked.
        case ranked(changed: Int, pages: Int, links: Int)
        /// No page links to another page of the job.
        case noLinks
        /// The link graph fits neither into memory nor onto the disk. All records keep the popularity that they have.
        case tooLarge(String)
    }

    /// How many records are changed in one transaction.
    private static let stretch = 500

    /// Ranks the link graph, and delivers the popularities that have changed noticeably. Called at the end of a run.
    ///
    /// It stops soon after its task is cancelled. Records that it has changed by then stay changed.
    public func rankPages() throws -> Ranking { try rankPages(limits: CrawlGraph.Limits()) }

    /// - Parameter limits: how large a graph in memory may be.
    func rankPages(limits: CrawlGraph.Limits) throws -> Ranking {
        let folder = URL(filePath: database.path).deletingLastPathComponent()
        let kept = KeptRanks(folder: folder)
        let graph: CrawlGraph
        let ranked: Popularity?
        do {
            // On a connection that reads, so that the records' followers can write meanwhile.
            let sites: CrawlGraph.Sites
            (graph, sites) = try database.read { database in
                let graph = try CrawlGraph(database, folder: folder.path, limits: limits) { Task.isCancelled }
                return (graph, try graph.sites(database))
            }
            ranked = try Popularity(graph, sites, from: kept, isStopped: { Task.isCancelled })
        } catch let error as CrawlGraph.TooLarge {
            return .tooLarge(error.description)
        } catch let error as NumberPlace.NoRoom {
            return .tooLarge("there is no room in \(folder.path): \(SystemReason.words(error.errorNumber))")
        } catch let error as DatabaseError {
            throw StorageError(error, database: database)
        }
        guard let popularity = ranked else { return .noLinks }
        try popularity.keep(kept)
        var changed = 0
        var last: Int64 = 0
        while true {
            try Task.checkCancellation()
            let rows = try read { _ in
                try self.tables.recordTable.popularity.rows(after: last, limit: Self.stretch)
            }
            guard let end = rows.last?.record else { break }
            last = end
            let changes = rows.compactMap { row -> (record: Int64, value: Int64)? in
                guard let value = popularity.value(of: row.page) else { return nil }
                guard Popularity.isNews(value, before: row.value, claims: row.claims) else { return nil }
                return (row.record, value)
            }
            try deliver(changes)
            changed += changes.count
        }
        return .ranked(changed: changed, pages: graph.urls.count, links: graph.links.targets.count)
    }
}
