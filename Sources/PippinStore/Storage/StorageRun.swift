import Foundation
import PippinCrawl

/// One run of a job in a storage: it crawls while followers hand over what changes, ranks the pages, hands over the rest, and keeps in
/// the list of runs how it ended. Once it crawls, every step is gone through, whatever fails.
public struct StorageRun: Sendable {
    /// Hands changes over until `CrawlStorage.endChanges` is called, and then up to the last one.
    public struct Follower: Sendable {
        fileprivate let consumer: String?
        fileprivate let follow: @Sendable () async throws -> Void

        /// - Parameter consumer: the name that the storage has for it; nil: nothing is kept of it.
        public init(of consumer: String?, _ follow: @escaping @Sendable () async throws -> Void) {
            (self.consumer, self.follow) = (consumer, follow)
        }
    }

    private let storage: CrawlStorage
    private let frontier: SQLiteFrontier
    private let followers: [Follower]
    private let entry: CrawlStorage.Run

    /// Begins a run.
    ///
    /// - Throws: `StorageError`.
    public init(in storage: CrawlStorage, _ frontier: SQLiteFrontier, followers: [Follower], at date: Date) throws {
        (self.storage, self.frontier, self.followers) = (storage, frontier, followers)
        entry = try storage.begin(at: date, feeding: followers.compactMap(\.consumer))
    }

    /// What happens while records are handed over.
    private enum Event: Sendable {
        /// Number of the follower, and why it ended early.
        case ended(Int, (any Error)?)
        case gaveUp
    }

    /// Crawls, ranks pages and hands over.
    ///
    /// - Parameters:
    ///   - crawl: crawls; nil if that broke off.
    ///   - stop: ends the crawl in order. It is called when a follower fails: records that cannot be handed over are kept, and there
    ///     is no use in finding more.
    ///   - ranking: runs the ranking of pages, which may take a while, and cancels it if the job is to end.
    ///   - givingUp: returns when followers are not to be waited for any longer; nil: they always are.
    /// - Returns: what came of the crawl, and why popularity stayed as it was, if it did.
    public func run(
        _ troubles: inout Troubles, crawl: (inout Troubles) async -> CrawlSummary?,
        stop: @escaping @Sendable () -> Void,
        ranking: (@escaping @Sendable () async throws -> SQLiteFrontier.Ranking) async throws ->
            SQLiteFrontier.Ranking = {
                try await $0()
            },
        givingUp: (@Sendable () async -> Void)? = nil
    ) async -> (summary: CrawlSummary?, rankingProblem: String?) {
        await withTaskGroup(of: Event.self) { group in
            for (number, follower) in followers.enumerated() {
                group.addTask {
                    do {
                        try await follower.follow()
                        return .ended(number, nil)
                    } catch {
                        stop()
                        return .ended(number, error)
                    }
                }
            }
            let summary = await crawl(&troubles)
            // What was found stays, whatever ended the crawl.
            if summary == nil { await troubles.attempt { try await frontier.flush() } }
            let problem = summary == nil ? nil : await rank(&troubles, ranking)
            await handOver(&group, &troubles, givingUp)
            return (summary, problem)
        }
    }

    /// Gives the job's pages their popularity. If it is cancelled, the next run does it.
    private func rank(
        _ troubles: inout Troubles,
        _ ranking: (@escaping @Sendable () async throws -> SQLiteFrontier.Ranking) async throws ->
            SQLiteFrontier.Ranking
    ) async -> String? {
        let result = await troubles.attempt { () -> SQLiteFrontier.Ranking? in
            do {
                return try await ranking { try await frontier.rankPages() }
            } catch is CancellationError {
                return nil
            }
        }
        guard case .tooLarge(let reason)?? = result else { return nil }
        return reason
    }

    /// Hands over what the crawl has found last.
    private func handOver(
        _ group: inout TaskGroup<Event>, _ troubles: inout Troubles, _ givingUp: (@Sendable () async -> Void)?
    ) async {
        storage.endChanges()
        if let givingUp {
            group.addTask {
                await givingUp()
                return .gaveUp
            }
        }
        var errors = followers.map { _ in (any Error)?.none }
        var working = errors.count
        while working > 0, let event = await group.next() {
            switch event {
            case .ended(let number, let error):
                working -= 1
                errors[number] = error
            case .gaveUp: group.cancelAll()
            }
        }
        group.cancelAll()
        for error in errors.compactMap(\.self) { troubles.note(error) }
    }

    /// Keeps how the run ended. A run that broke off has no end.
    public func end(_ summary: CrawlSummary, at date: Date) throws {
        try storage.end(
            entry, at: date, ending: summary.ending.rawValue, visits: summary.statistics.pages,
            records: summary.statistics.records)
    }
}
