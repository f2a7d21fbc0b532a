import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// Reads the state of a job from its storage folder, also while a run writes into it. It takes no lock and changes nothing.
public struct StorageReader: Sendable {
    /// The state of a host.
    public struct Host: Sendable, Equatable {
        public let name: String
        /// How many URLs are known, and how many of them are queued for a visit.
        public let urls: Int
        public let queued: Int
        /// When the first of the visited URLs is due again; nil if none was visited.
        public let nextDue: Date?
        /// Until when the host is left alone; nil if it is not.
        public let blockedUntil: Date?
        /// How many requests in a row have failed.
        public let failures: Int
        /// The delay between requests that its robots.txt asks for.
        public let crawlDelay: Duration?
        let lastRequest: Date?
        /// How often a URL of the host was dropped because its queue was full.
        public let dropped: Int
        /// What went wrong with the last request; nil when it was answered.
        public let trouble: RequestFailure?

        /// Why the host is left alone; nil if it is not.
        public var blockReason: String? {
            guard blockedUntil != nil else { return nil }
            if let trouble { return trouble.clause }
            if failures > 0 {
                return failures == 1 ? "its last request failed" : "its last \(failures) requests failed"
            }
            return crawlDelay != nil ? "its robots.txt asks for a long delay" : "it asked for rest"
        }
    }

    /// Seconds. Every host gets pauses up to this length (`PolitenessSchedule.maximumAdaptiveDelay`); only a longer one
    /// counts as blocked.
    static let ordinaryPause: TimeInterval = 60

    static let hostColumns =
        "id, name, queued, urls, nextDue, suspendedUntil, lastRequest, nextRequest, crawlDelay, failures, trouble, dropped"

    let database: DatabaseQueue
    /// The storage folder.
    public let folder: URL

    /// - Throws: `StorageError` if the folder has no readable database.
    public init(folder: URL) throws {
        database = try StorageDatabase.toRead(in: folder)
        self.folder = folder
    }

    /// - Throws: `StorageError` if it cannot be read, or is of another shard.
    public init(_ part: JobStorages.Part) throws {
        database = try part.database()
        folder = part.folder
    }

    /// How many URLs of a URL's host were dropped; this one may be among them.
    public func dropped(of url: WebURL) throws -> Int {
        let host = CrawlRequest(url: url, seed: Seed(url: url), discovery: .outlink).host
        return try read {
            try Int.fetchOne($0, sql: "SELECT dropped FROM host WHERE name = ?", arguments: [host]) ?? 0
        }
    }

    /// Which shard of a job the storage is; nil if it is a whole job.
    public func shard() throws -> Shard? {
        try read(Shard.kept)
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try database.read(body)
        } catch {
            throw StorageError(error, database: database)
        }
    }

    static func host(_ row: Row, now: Date) -> Host {
        let suspended = (row["suspendedUntil"] as Int64?).map { Date(storeSeconds: $0) }
        let rests = (row["nextRequest"] as Int64?).map { Date(storeMilliseconds: $0) }
        let isBlocked = [suspended.map { $0 > now }, rests.map { $0 > now.addingTimeInterval(ordinaryPause) }]
        let blocked = isBlocked.contains(true) ? [suspended, rests].compactMap { $0 }.max() : nil
        return Host(
            name: row["name"], urls: row["urls"], queued: row["queued"],
            nextDue: (row["nextDue"] as Int64?).map { Date(storeSeconds: $0) }, blockedUntil: blocked,
            failures: row["failures"], crawlDelay: (row["crawlDelay"] as Int64?).map { .milliseconds($0) },
            lastRequest: (row["lastRequest"] as Int64?).map { Date(storeMilliseconds: $0) }, dropped: row["dropped"],
            trouble: (row["trouble"] as String?).flatMap { RequestFailure(detail: $0) })
    }

    /// The counters of the present run or of the last one; nil if there was none.
    public func progress() throws -> CrawlProgress? {
        let file = folder.appending(path: CrawlProgress.fileName)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return try CrawlProgress(json: Data(contentsOf: file))
        } catch {
            throw StorageError.damaged(reason: "\(file.path) cannot be read")
        }
    }
}

extension StorageReader {
    /// The record of a page, as consumers of the feed have it.
    ///
    /// - Parameter address: the record's identifier, or any URL of its page.
    /// - Returns: nil if there is no such record, or if it was deleted or is kept back.
    public func record(at address: String) throws -> JSONValue? {
        if let record = try record(identifier: address) { return record }
        guard let url = WebURL(address), let history = try history(of: url),
            case .listed(let identifier, _) = history.record
        else { return nil }
        return try record(identifier: identifier)
    }

    private func record(identifier: String) throws -> JSONValue? {
        let document = try read { database in
            try StoreStatement(
                database,
                """
                SELECT record.sequence, identifier, state, document, value
                FROM record LEFT JOIN popularity ON popularity.record = record.id WHERE identifier = ? AND state = 0
                """
            ).first(.text(identifier)) { ChangeFeed.change($0).document }
        }
        guard let document else { return nil }
        var parser = JSONParser(limits: .ownText)
        return try parser.parse(document[...])
    }
}
