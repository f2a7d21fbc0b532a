import Foundation
import PippinCrawl

/// Keeps the search index up to date while a job runs (`output.search_index`), on a thread of its own.
///
/// The index is a cache, so its trouble never ends a crawl: the follower stops, and the next search catches up.
public actor SearchFollower {
    /// Each transaction costs the disk something, so changes are collected for a while. This delays the end of a run only once.
    private static let pause = Duration.seconds(1)

    private let storage: CrawlStorage
    private let executor = BlockingExecutor("pippin.search")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    public init(storage: CrawlStorage) {
        self.storage = storage
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
                try? await Task.sleep(for: Self.pause)
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
