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
    let isTriedAgain: Bool
    /// The cursor of the last committed epoch; nil if there was none.
    public let cursor: ChangeFeed.Cursor?

    /// When the run began that the epoch belongs to; nil if the epoch is a run of its own.
    public let runBegan: Date?

    /// The number of the last change that was told and committed.
    var told: Int64 { cursor?.sequence ?? 0 }
}
