import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// What an epoch tells: everything in a shard's storage that has changed since a cursor, as lines of four columns (Docs/Cluster.md).
public struct ShardNews: Sendable {
    /// The kinds of lines, in the order in which they are told.
    public enum Kind: String, Sendable, CaseIterable {
        case record, deletion, popularity, links, foreign, host
    }

    /// The cursor for the next epoch.
    public private(set) var cursor: ChangeFeed.Cursor
    /// How many lines of each kind were told.
    public private(set) var told: [Kind: Int] = [:]
    /// URLs of the shard: all, and those that wait.
    public private(set) var known = 0
    public private(set) var queued = 0
    /// The hosts that the shard knows.
    public private(set) var hosts = 0
    /// When the first visited page is due again; nil if none is.
    public private(set) var nextDue: Date?

    /// Rows that are read at a time.
    private static let stretch = 500

    /// Reads what has changed, after the frontier was closed. `body` gets whole lines.
    ///
    /// - Throws: `StorageError`, and what `body` throws.
    public init(of storage: CrawlStorage, since cursor: ChangeFeed.Cursor?, _ body: ([UInt8]) throws -> Void) throws {
        let start = cursor?.sequence ?? 0
        let end = try storage.feed.end()
        self.cursor = end
        var lines: [UInt8] = []
        var told: [Kind: Int] = [:]
        func add(_ kind: Kind, _ sequence: Int64, _ key: String, _ document: [UInt8]) {
            lines += Self.line(kind.rawValue, sequence, key, document)
            told[kind, default: 0] += 1
        }
        func hand() throws {
            try body(lines)
            lines.removeAll(keepingCapacity: true)
        }
        try storage.feed.read(since: cursor) { change in
            let kind: Kind =
                switch change.kind {
                case .record: .record
                case .deletion: .deletion
                case .popularity: .popularity
                }
            add(kind, change.sequence, change.identifier, change.document)
            if lines.count >= 256 * 1024 { try hand() }
        }
        try hand()
        /// Tells the rows of a statement that takes the last number and the most rows, until there are none.
        func tell(_ sql: String, _ row: (StoreStatement) throws -> Int64) throws {
            var last = start
            while true {
                let before = last
                try storage.read { database in
                    try StoreStatement(database, sql).rows(.integer(last), .integer(Int64(Self.stretch))) {
                        last = try row($0)
                    }
                }
                try hand()
                if last == before { return }
            }
        }
        try tell(
            """
            SELECT toldLinks.sequence, finding, host.name, url.address FROM toldLinks JOIN url ON url.id = toldLinks.page
            JOIN host ON host.id = url.id >> 35 WHERE toldLinks.sequence > ? ORDER BY toldLinks.sequence LIMIT ?
            """
        ) { row in
            guard let document = DeflatedBytes.unpack(row.blob(1)) else {
                throw StorageError.damaged(reason: "the links of a page cannot be read")
            }
            add(.links, row.integer(0), StoredAddress(host: row.text(2), text: row.text(3)).key, document)
            return row.integer(0)
        }
        try tell("SELECT sequence, key, request FROM outbox WHERE sequence > ? ORDER BY sequence LIMIT ?") { row in
            add(.foreign, row.integer(0), row.text(1), row.blob(2))
            return row.integer(0)
        }
        try tell(
            """
            SELECT toldHost.sequence, host.name, toldHost.urls, toldHost.queued, toldHost.nextDue, toldHost.address
            FROM toldHost JOIN host ON host.id = toldHost.host
            WHERE toldHost.sequence > ? ORDER BY toldHost.sequence LIMIT ?
            """
        ) { row in
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("host", row.text(1))
                writer.member("site", SiteIdentity.site(of: row.text(1)))
                writer.member("urls", Int(row.integer(2)))
                writer.member("queued", Int(row.integer(3)))
                if let due = row.optionalInteger(4) {
                    writer.member("nextDue", InternetTime.text(Date(storeSeconds: due)))
                }
                // Two IPv6 addresses of one network count as one, for shards as for hosts.
                if let address = row.optionalText(5) {
                    writer.member("address", NetworkAddress(address)?.machine.description ?? address)
                }
            }
            add(.host, row.integer(0), row.text(1), writer.bytes)
            return row.integer(0)
        }
        self.told = told
        let totals = try storage.read { database in
            try StoreStatement(
                database, "SELECT known, queued, hosts, (SELECT min(nextDue) FROM host) FROM store"
            ).first { ($0.integer(0), $0.integer(1), $0.integer(2), $0.optionalInteger(3)) }
        }
        if let (known, queued, hosts, due) = totals {
            (self.known, self.queued, self.hosts) = (Int(known), Int(queued), Int(hosts))
            nextDue = due.map { Date(storeSeconds: $0) }
        }
        // Other machines keep what this one reports, so it must be on the disk first: a power cut must not take it back.
        try storage.feed.sync()
    }

    /// One line. JSON escapes tabs and line ends, and URL keys have none.
    public static func line(_ kind: String, _ sequence: Int64, _ key: String, _ document: [UInt8]) -> [UInt8] {
        Array("\(kind)\t\(sequence)\t\(key)\t".utf8) + document + [0x0A]
    }
}
