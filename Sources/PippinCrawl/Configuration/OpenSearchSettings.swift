import PippinPage

/// The address of the search index and the form of its requests (`output.opensearch` in the configuration).
public struct OpenSearchSettings: Sendable, Equatable {
    /// The service's address, `https://search.example.org:9200`, without credentials.
    public var url: WebURL
    /// The name of the index.
    public var index: String
    /// A PEM file of an authority that is trusted in addition to the system's.
    public var certificateAuthorityPath: String?
    /// The environment variable with `user:password`, or with a whole Authorization value such as `ApiKey abc`.
    var credentialsVariable: String?
    /// A file in the format of `.netrc` with user and password for the service's host.
    var credentialsPath: String?
    /// The limit of records and deletions in one bulk request.
    var batchRecords = 500
    /// The limit of bytes in one bulk request. A single larger record is sent alone.
    var batchBytes = 5_000_000
    /// The time limit of one bulk request, from connecting to the last byte.
    public var timeout = Duration.seconds(60)
    /// The time for which a record is retried. After it, the service counts as out of order and the run ends.
    public var patience = Duration.seconds(600)

    /// The address of bulk requests. It asks for only those fields of the answer that are used.
    var bulkURL: String {
        let base = url.href.hasSuffix("/") ? String(url.href.dropLast()) : url.href
        return "\(base)/\(index)/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason"
    }

    /// Whether OpenSearch accepts a text as the name of an index.
    static func isIndexName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 255 else { return false }
        return (first &- 0x61 < 26 || first &- 0x30 < 10)
            && text.utf8.allSatisfy {
                $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E
            }
    }
}
