import PippinCrawl
import PippinPage

/// Keeps what was written, for a test to look at.
public actor MemorySink: RecordSink {
    public private(set) var changes: [RecordChange] = []
    private let failure: (any Error)?

    /// - Parameter failure: thrown by every write.
    public init(failure: (any Error)? = nil) { self.failure = failure }

    public func write(_ changes: [RecordChange]) throws {
        if let failure { throw failure }
        self.changes += changes
    }

    public func flush() {}

    public var records: [DeepLinkRecord] {
        changes.compactMap { if case .upsert(let document) = $0 { document.record } else { nil } }
    }

    public var deletions: [RecordDeletion] {
        changes.compactMap { if case .delete(let deletion) = $0 { deletion } else { nil } }
    }
}
