import Foundation
import GRDB
import PippinPage

/// One change of a deep link of a record: it came, went, has another status, or opens with another address.
public struct DeepLinkChange: Sendable, Equatable {
    /// What held from one change to the next.
    public struct Standing: Sendable, Equatable {
        public let url: String?
        public let status: DeepLinkRecord.Verification.Status
        /// Since when the status held.
        public let since: Date
    }

    public enum Kind: String, Sendable {
        case added, changed, removed
    }

    /// Of the record.
    public let identifier: String
    /// Which deep link of the record it is: all its changes have this number.
    public let link: Int
    /// When a visit saw it.
    public let at: Date
    public let platform: Platform
    public let storeIdentifier: String?
    public let bundleIdentifier: String?
    public let appClipBundleIdentifier: String?
    public let packageName: String?
    public let appName: String?
    /// Nil for a link that went.
    public let now: Standing?
    /// Nil for a link that came.
    public let before: Standing?
    /// Why the status is what it is, or why the link went.
    public let reason: String?

    public var kind: Kind { now == nil ? .removed : before == nil ? .added : .changed }

    /// What the app is called by: an identifier, else its name; nil if neither is known.
    public var app: String? {
        storeIdentifier ?? packageName ?? bundleIdentifier ?? appClipBundleIdentifier ?? appName
    }
}

extension DeepLinkChange {
    /// Which link it is: `ios 1450000003`.
    public var name: String { "\(platform.rawValue)\(app.map { " \($0)" } ?? "")" }

    /// What happened, without a full stop: `added, verified, opens with https://…`.
    public var sentence: String {
        let reason = reason.map { ": \($0)" } ?? ""
        guard let now else { return "removed, was \(before?.status.rawValue ?? "there")\(reason)" }
        guard let before else {
            return "added, \(now.status.rawValue)\(now.url.map { ", opens with \($0)" } ?? "")\(reason)"
        }
        var parts: [String] = []
        if before.url != now.url {
            parts.append("opens with \(now.url ?? "nothing"), before \(before.url ?? "nothing")")
        }
        if before.status != now.status {
            let since = InternetTime.text(before.since)
            parts.append("\(now.status.rawValue), was \(before.status.rawValue) since \(since)\(reason)")
        }
        return parts.joined(separator: "; ")
    }

    /// Writes the change as one JSON value.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("uniqueIdentifier", identifier)
        writer.member("link", link)
        writer.member("at", InternetTime.text(at))
        writer.member("change", kind.rawValue)
        writer.member("platform", platform.rawValue)
        writer.optional("storeIdentifier", storeIdentifier)
        writer.optional("bundleIdentifier", bundleIdentifier)
        writer.optional("appClipBundleIdentifier", appClipBundleIdentifier)
        writer.optional("packageName", packageName)
        writer.optional("appName", appName)
        if let now { Self.write(now, to: &writer) }
        writer.optional("reason", reason)
        if let before {
            writer.key("previous")
            writer.beginObject()
            Self.write(before, to: &writer)
            writer.endObject()
        }
        writer.endObject()
    }

    private static func write(_ standing: Standing, to writer: inout JSONWriter) {
        writer.optional("url", standing.url)
        writer.member("status", standing.status.rawValue)
        writer.member("since", InternetTime.text(standing.since))
    }

    init?(_ row: StoreStatement, identifier: String) {
        func standing(_ column: Int32) -> Standing? {
            row.optionalText(column + 1).flatMap(DeepLinkRecord.Verification.Status.init).map {
                Standing(
                    url: row.optionalText(column), status: $0, since: Date(storeSeconds: row.integer(column + 2)))
            }
        }
        let first = DeepLinkTable.firstColumn + 1
        guard let platform = Platform(rawValue: row.text(first + 1)) else { return nil }
        self.init(
            identifier: identifier, link: Int(row.integer(first - 1)), at: Date(storeSeconds: row.integer(first)),
            platform: platform,
            storeIdentifier: row.optionalText(first + 2), bundleIdentifier: row.optionalText(first + 3),
            appClipBundleIdentifier: row.optionalText(first + 4), packageName: row.optionalText(first + 5),
            appName: row.optionalText(first + 6), now: standing(first + 7), before: standing(first + 10),
            reason: row.optionalText(first + 13))
    }
}

/// Reads the changes of all deep links of a storage, which another process may be writing.
public struct DeepLinkHistory: Sendable {
    private let database: any DatabaseReader

    /// - Throws: `StorageError` if the folder cannot be read.
    public init(folder: URL) throws {
        database = try StorageDatabase.toRead(in: folder)
    }

    init(database: any DatabaseReader) {
        self.database = database
    }

    /// How many changes are read at a time (`ChangeFeed.read`).
    private static let stretch = 500

    /// Reads all changes in the order of time.
    public func read(_ body: (DeepLinkChange) throws -> Void) throws {
        var last: Int64 = 0
        while true {
            let (changes, end) = try stretch(after: last)
            for change in changes { try body(change) }
            guard let end else { return }
            last = end
        }
    }

    private func stretch(after last: Int64) throws -> (changes: [DeepLinkChange], end: Int64?) {
        do {
            return try database.read { database in
                let statement = try StoreStatement(
                    database,
                    """
                    SELECT deepLink.id, record.identifier, \(DeepLinkTable.columns)
                    FROM deepLink JOIN record ON record.id = deepLink.record
                    WHERE deepLink.id > ? ORDER BY deepLink.id LIMIT \(Self.stretch)
                    """)
                var changes: [DeepLinkChange] = []
                var end: Int64?
                try statement.rows(.integer(last)) { row in
                    end = row.integer(0)
                    if let change = DeepLinkChange(row, identifier: row.text(1)) { changes.append(change) }
                }
                return (changes, end)
            }
        } catch let error as DatabaseError {
            throw StorageError(error, path: database.path)
        }
    }

    /// The changes of a record's deep links, oldest first.
    static func changes(ofRecord identifier: String, _ database: Database) throws -> [DeepLinkChange] {
        let statement = try StoreStatement(
            database,
            """
            SELECT deepLink.id, record.identifier, \(DeepLinkTable.columns)
            FROM record JOIN deepLink ON deepLink.record = record.id
            WHERE record.identifier = ? ORDER BY deepLink.id
            """)
        var changes: [DeepLinkChange] = []
        try statement.rows(.text(identifier)) { row in
            if let change = DeepLinkChange(row, identifier: row.text(1)) { changes.append(change) }
        }
        return changes
    }
}
