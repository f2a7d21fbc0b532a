import Foundation
import PippinCrawl

/// Keeps the search index up to date while a job runs (`output.search_index`), on a thread of its own.
///
/// The index is a cache, so its trouble never ends a crawl: the follower stops, and the next search catches up.
public actor SearchFollower {
    private let storage: CrawlStorage
    private let executor: any SerialExecutor
    private let pause: @Sendable () async -> Void
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Each transaction costs the disk something, so changes are collected for a while. This delays the end of a run only once.
    private static let usualPause: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) }

    /// - Parameters:
    ///   - executor: writes: a thread of its own, except in simulated time.
    ///   - pause: waits for more changes; in simulated time, it makes time pass.
    public init(
        storage: CrawlStorage, executor: any SerialExecutor = BlockingExecutor("pippin.search"),
        pause: (@Sendable () async -> Void)? = nil
    ) {
        self.storage = storage
        self.executor = executor
        self.pause = pause ?? Self.usualPause
    }

    /// Follows until `CrawlStorage.endChanges` is called, and then up to the last change.
    ///
    /// - Returns: what stopped it early; nil if nothing did. Another process that keeps the index up to date, such as
    ///   `pippin serve`, is no trouble.
    public func follow() async -> (any Error)? {
        let changes = storage.recordsChanged.stream()
        do {
            let indexer = try SearchIndexer(folder: storage.folder)
            try indexer.catchUp(isStopped: { Task.isCancelled })
            for await _ in changes {
                try indexer.catchUp(isStopped: { Task.isCancelled })
                await pause()
            }
            try indexer.catchUp(isStopped: { Task.isCancelled })
            return nil
        } catch is OutputLock.Held {
            return nil
        } catch {
            return error
        }
    }
}
