import Foundation
import GRDB
import PippinCrawl

/// An epoch of a shard that has begun: until when it goes, and what was told before it.
public struct ShardEpoch: Sendable, Equatable {
    /// Which shard the storage is.
    public let shard: Shard
    /// The number of the epoch.
    public let number: Int
    /// When it ends. A second try of the epoch goes on until the same moment.
    public let endsAt: Date
    /// Whether an earlier try has begun it.
    public let isTriedAgain: Bool
    /// The cursor of the last committed epoch; nil if there was none.
    public let cursor: ChangeFeed.Cursor?

    /// When the run began that the epoch belongs to; nil if the epoch is a run of its own.
    public let runBegan: Date?

    /// The number of the last change that was told and committed.
    var told: Int64 { cursor?.sequence ?? 0 }
}

extension CrawlStorage {
    /// Begins an epoch, or goes on with it after a try that broke off.
    ///
    /// - Throws: `ReportedFailure` if the storage is another shard, or in a later epoch; `StorageError.foreignCursor`.
    public func begin(_ order: EpochOrder, at now: Date) throws -> ShardEpoch {
        let end = try feed.end()
        let cursor = try order.cursor.map { text -> ChangeFeed.Cursor in
            guard let cursor = ChangeFeed.Cursor(text), cursor.identity == end.identity, cursor.sequence <= end.sequence
            else { throw StorageError.foreignCursor(text) }
            return cursor
        }
        let longest = now.addingTimeInterval(order.duration / .seconds(1))
        // A mismatch is no trouble of the storage, so `write` must not take it for one.
        let epoch: Result<ShardEpoch, ReportedFailure> = try write { database in
            let known = try StoreStatement(database, "SELECT number, count, rule, turn, endsAt FROM shard").first {
                (
                    number: $0.integer(0), count: $0.integer(1), rule: $0.text(2), epoch: $0.integer(3),
                    endsAt: $0.integer(4)
                )
            }
            func mismatch(_ problem: String) -> Result<ShardEpoch, ReportedFailure> {
                .failure(ReportedFailure("The storage \(self.folder.path) \(problem)", .usage))
            }
            if let known {
                guard known.rule == Shard.rule, known.count == order.shard.count, known.number == order.shard.number
                else {
                    return mismatch(
                        "is shard \(known.number) of \(known.count) by \(known.rule), not "
                            + "\(order.shard.number) of \(order.shard.count) by \(Shard.rule)")
                }
                guard known.epoch <= order.epoch else {
                    return mismatch("is in turn \(known.epoch); turn \(order.epoch) is over")
                }
            } else if try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM url)") ?? false {
                return mismatch("is not a shard: one machine has crawled the job into it")
            }
            let isTriedAgain = known?.epoch == Int64(order.epoch)
            // The calendar may have been set back since: no try is longer than an epoch.
            let endsAt = isTriedAgain ? min(Date(storeMilliseconds: known?.endsAt ?? 0), longest) : longest
            try StoreStatement(
                database,
                "INSERT OR REPLACE INTO shard(id, number, count, rule, turn, endsAt) VALUES (1, ?, ?, ?, ?, ?)"
            ).run(
                .integer(Int64(order.shard.number)), .integer(Int64(order.shard.count)), .text(Shard.rule),
                .integer(Int64(order.epoch)), .integer(endsAt.storeMilliseconds))
            return .success(
                ShardEpoch(
                    shard: order.shard, number: order.epoch, endsAt: endsAt, isTriedAgain: isTriedAgain, cursor: cursor,
                    runBegan: order.runBegan))
        }
        return try epoch.get()
    }
}
