import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// Answers questions about a storage, also while a job writes into it: what is known of a URL and of a host, and how much
/// is queued.
public struct StoreReader: Sendable {
    /// One visit of a URL's history.
    public struct PastVisit: Sendable, Equatable {
        public let outcome: String
        public let at: Date
    }

    public enum URLState: String, Sendable {
        case queued, kept, finished, duplicate
    }

    /// What the storage knows of a URL.
    public struct URLStory: Sendable {
        public let key: String
        public let state: URLState
        public let depth: Int
        public let seed: String
        public let discovery: CrawlRequest.Discovery
        /// When it is visited again; nil while it is queued.
        public let due: Date?
        public let visits: Int
        public let changes: Int
        public let misses: Int
        public let failures: Int
        /// Time between visits, as it has come out so far.
        public let rhythm: Duration?
        /// The last visits, oldest first.
        public let history: [PastVisit]
        /// What the last outcome's code leaves out.
        public let detail: String?
        /// URL key of the page that stands for this one.
        public let canonical: String?
        public let record: RecordStory?
    }

    /// What the storage knows of a record.
    public struct RecordStory: Sendable, Equatable {
        public enum State: String, Sendable {
            case listed, deleted
            /// Another record of the site says the same.
            case keptBack = "kept-back"
        }

        public let identifier: String
        public let state: State
        /// When consumers were last told of it.
        public let sequence: Int64?
        /// Identifier of a record with nearly the same text.
        public let nearDuplicateOf: String?
        /// Identifier of the record with the same content that is listed in its place.
        public let standIn: String?
        public let fetchedAt: Date
    }

    public struct HostStory: Sendable, Equatable {
        public let name: String
        public let queued: Int
        public let urls: Int
        public let suspendedUntil: Date?
        public let nextRequest: Date?
        public let nextDue: Date?
        public let crawlDelay: Duration?
        public let failuresInARow: Int
    }

    private let database: any DatabaseReader

    init(database: any DatabaseReader) {
        self.database = database
    }

    /// The storage of a folder that another process may be writing.
    public init(folder: URL) throws {
        database = try ChangeFeed(folder: folder).database
    }

    public func story(of url: WebURL) throws -> URLStory? {
        try read { database in
            let request = CrawlRequest(seed: Seed(url: url))
            let host = try Int64.fetchOne(
                database, sql: "SELECT id FROM host WHERE name = ?", arguments: [request.host])
            guard let host, let row = try URLTable(database).find(StoredAddress(request), host: host).row else {
                return nil
            }
            return try Self.story(of: row, database)
        }
    }

    public func record(_ identifier: String) throws -> RecordStory? {
        try read { try Self.record(identifier, $0) }
    }

    public func host(_ name: String) throws -> HostStory? {
        try read { database in
            let table = try HostTable(database)
            return try table.number(of: name).map { Self.story(of: try table[$0]) }
        }
    }

    /// Hosts with most queued first.
    public func hosts(limit: Int) throws -> [HostStory] {
        try read { database in
            let table = try HostTable(database)
            return try Int64.fetchAll(
                database, sql: "SELECT id FROM host ORDER BY queued DESC, id LIMIT ?", arguments: [limit]
            ).map { Self.story(of: try table[$0]) }
        }
    }

    /// URLs by their state; reads the whole table.
    public func counts() throws -> [URLState: Int] {
        try read { database in
            var counts: [URLState: Int] = [:]
            try StoreStatement(database, "SELECT state, count(*) FROM url GROUP BY state").rows {
                counts[Self.state($0.integer(0)), default: 0] += Int($0.integer(1))
            }
            return counts
        }
    }

    // MARK: Reading

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try database.read(body)
        } catch let error as DatabaseError {
            throw CrawlStorage.StorageError(error, path: database.path)
        }
    }

    private static func state(_ number: Int64) -> URLState {
        switch URLTable.State(rawValue: number) {
        case .queued: .queued
        case .kept: .kept
        case .duplicate: .duplicate
        case .finished, nil: .finished
        }
    }

    private static func story(of row: URLTable.Row, _ database: Database) throws -> URLStory? {
        let columns = "rhythm, misses, failures, detail, record"
        return try StoreStatement(database, "SELECT \(columns) FROM url WHERE id = ?").first(.integer(row.id)) { more in
            let identifier = more.optionalText(4).map { $0.isEmpty ? row.address.key : $0 }
            return URLStory(
                key: row.address.key, state: state(row.state.rawValue), depth: Int(clamping: row.depth),
                seed: try String.fetchOne(database, sql: "SELECT url FROM seed WHERE id = ?", arguments: [row.seed])
                    ?? "",
                discovery: row.flags.discovery, due: row.state == .queued ? nil : Date(storeSeconds: row.rank),
                visits: Int(clamping: row.visits), changes: Int(clamping: row.changes),
                misses: Int(clamping: more.integer(1)), failures: Int(clamping: more.integer(2)),
                rhythm: more.optionalInteger(0).map { .seconds($0) }, history: try history(row.history, database),
                detail: more.optionalText(3), canonical: try row.canonical.flatMap { try key(of: $0, database) },
                record: try identifier.flatMap { try record($0, database) })
        }
    }

    private static func key(of number: Int64, _ database: Database) throws -> String? {
        let host = try String.fetchOne(
            database, sql: "SELECT name FROM host WHERE id = ?", arguments: [number >> StoredAddress.placeBits])
        return try host.flatMap { try URLTable(database)[number, $0]?.address.key }
    }

    private static func history(_ bytes: [UInt8], _ database: Database) throws -> [PastVisit] {
        let code = try StoreStatement(database, "SELECT code FROM outcome WHERE id = ?")
        let size = URLTable.bytesOfVisit
        return try stride(from: 0, to: bytes.count - bytes.count % size, by: size).map { start in
            let number = Int64(bytes[start]) | Int64(bytes[start + 1]) << 8
            let moment = (2..<size).reduce(Int64(0)) { $0 | Int64(bytes[start + $1]) << Int64(8 * ($1 - 2)) }
            return PastVisit(
                outcome: try code.first(.integer(number)) { $0.text(0) } ?? "unknown", at: Date(storeSeconds: moment))
        }
    }

    private static func record(_ identifier: String, _ database: Database) throws -> RecordStory? {
        let sql = """
            SELECT state, sequence, fetchedAt, id,
                (SELECT identifier FROM record AS other WHERE other.cluster = record.cluster AND other.state = 0)
            FROM record WHERE identifier = ?
            """
        return try StoreStatement(database, sql).first(.text(identifier)) { row in
            let state: RecordStory.State =
                switch RecordTable.State(rawValue: row.integer(0)) {
                case .listed: .listed
                case .keptBack: .keptBack
                case .deleted, nil: .deleted
                }
            return RecordStory(
                identifier: identifier, state: state, sequence: row.optionalInteger(1),
                nearDuplicateOf: state == .listed
                    ? try Nearness.neighbor(of: row.integer(3), database).identifier : nil,
                standIn: state == .keptBack ? row.optionalText(4) : nil,
                fetchedAt: Date(storeSeconds: row.integer(2)))
        }
    }

    private static func story(of host: HostTable.Host) -> HostStory {
        HostStory(
            name: host.name, queued: Int(clamping: host.queued), urls: Int(clamping: host.urls),
            suspendedUntil: host.suspendedUntil.map { Date(storeSeconds: $0) },
            nextRequest: host.nextRequest.map { Date(storeMilliseconds: $0) },
            nextDue: host.nextDue.map { Date(storeSeconds: $0) },
            crawlDelay: host.crawlDelay.map { .milliseconds($0) }, failuresInARow: Int(clamping: host.failures))
    }
}
