import PippinCrawl
import PippinStore

/// Reads the state of a crawl for all who look at it, at most once in a while.
actor CrawlStateKeeper {
    /// The most hosts in each list, and the most runs.
    static let shown = 10
    /// Half of the distance at which pages ask.
    private static let freshness = Duration.seconds(1)

    private var last: (status: StorageStatus?, at: ContinuousClock.Instant)?
    private var reading: Task<StorageStatus?, any Error>?

    /// The state; nil if no job has written into the storage.
    func current(_ context: WebContext) async throws -> StorageStatus? {
        if let reading { return try await reading.value }
        if let last, .now - last.at < Self.freshness { return last.status }
        let task = Task {
            try await context.blocking {
                guard CrawlStorage.exists(in: context.settings.storage) else { return StorageStatus?.none }
                return try StorageStatus(context.storage, shown: Self.shown)
            }
        }
        reading = task
        defer { reading = nil }
        let status = try await task.value
        last = (status, .now)
        return status
    }
}
