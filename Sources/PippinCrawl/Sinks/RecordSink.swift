import Foundation
import PippinPage

/// Something the index must learn: a page's record, or that a page went away.
public enum RecordChange: Sendable {
    case upsert(DeepLinkRecord)
    case delete(RecordDeletion)
}

/// Takes records. Implementations: NDJSON, the SQLite index, OpenSearch.
///
/// Writing the same record again must be harmless: after a crash the last visits are made once more.
public protocol RecordSink: Sendable {
    /// - Throws: for trouble of our own (a full disk, a closed pipe); it ends the crawl.
    func write(_ changes: [RecordChange]) async throws
    /// Everything written so far is handed over to the disk or the service.
    func flush() async throws
}
