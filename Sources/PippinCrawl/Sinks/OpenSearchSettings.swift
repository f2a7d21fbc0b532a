import Foundation
import PippinPage

/// Where the search index is and how it is fed; `output.opensearch` of the configuration.
public struct OpenSearchSettings: Sendable, Equatable {
    /// The service's address, `https://search.example.org:9200`, without credentials.
    public var url: WebURL
    public var index: String
    /// PEM file of an authority trusted beside the system's.
    public var certificateAuthorityPath: String?
    /// Environment variable that holds `user:password`, or a whole Authorization value such as `ApiKey abc`.
    var credentialsVariable: String?
    /// File in the form of `.netrc` that holds user and password for the service's host.
    var credentialsPath: String?
    /// Records and deletions of one bulk request at most.
    var batchRecords = 500
    /// Bytes of one bulk request at most, unless one record alone is larger.
    var batchBytes = 5_000_000
    /// For one bulk request, from connecting to the last byte.
    public var timeout = Duration.seconds(60)
    /// How long a record is tried before the service counts as out of order, and the run ends.
    public var patience = Duration.seconds(600)

    public init(url: WebURL, index: String) {
        self.url = url
        self.index = index
    }

    enum Credentials: Sendable, Equatable {
        case none
        case basic(String)
        /// A whole Authorization value.
        case field(String)
        case netrc(path: String)
    }

    /// Credentials never stand in the configuration or on the command line, where others may read them.
    func credentials(
        environment: [String: String]
    ) throws(OpenSearchSink.Failure) -> Credentials {
        let credentials: Credentials
        if let name = credentialsVariable {
            guard let value = environment[name], !value.isEmpty else {
                throw .noCredentials("the environment variable \(name) is not set")
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .noCredentials("the environment variable \(name) holds control characters")
            }
            credentials = value.contains(" ") ? .field(value) : .basic(value)
        } else if let path = credentialsPath {
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw .noCredentials("\(path) cannot be read")
            }
            credentials = .netrc(path: path)
        } else {
            return .none
        }
        guard url.scheme == "https" || HostReach(host: url.politenessHost) == .privateHost else {
            throw .noCredentials("\(url.href) is not https, and credentials are not sent in the clear")
        }
        return credentials
    }

    /// Only what is looked at is asked for in the answer.
    var bulkURL: String {
        let base = url.href.hasSuffix("/") ? String(url.href.dropLast()) : url.href
        return "\(base)/\(index)/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason"
    }

    /// What OpenSearch takes as the name of an index.
    static func isIndexName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 255 else { return false }
        return (first &- 0x61 < 26 || first &- 0x30 < 10)
            && text.utf8.allSatisfy {
                $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E
            }
    }
}
