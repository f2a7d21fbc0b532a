import Foundation
import PippinPage

/// A change that sinks must learn: a page's record, or the deletion of one.
public enum RecordChange: Sendable {
    /// The record as it was written, once for all who keep it or hand it on. Indirect, because a record has some sixty fields, and
    /// visits pass it from task to task.
    indirect case upsert(RecordDocument)
    case delete(RecordDeletion)
}

/// Receives records. Implementations: NDJSON, the SQLite index, OpenSearch.
///
/// Writing the same record again must be harmless, because the last visits are repeated after a crash.
public protocol RecordSink: Sendable {
    /// Takes changes, in order.
    ///
    /// - Throws: for failures of our own (a full disk, a closed pipe), which end the crawl.
    func write(_ changes: [RecordChange]) async throws
    /// Passes everything written so far to the disk or the service.
    func flush() async throws
}
