import Foundation
import GRDB
import PippinPage

/// What became of the deep links of records: one row for each change, written together with the record.
///
/// The last row of a link is how it stands now. A status of null says that the link went. A record has at most `maximumRows`;
/// of more, the oldest go that are not the last of a link that is there.
final class DeepLinkTable {
    static let maximumRows = 50
    /// Characters of a reason that are kept. Reasons are our own sentences, which cut what they quote.
    private static let maximumReasonCharacters = 500

    /// Of a change, after two other columns.
    static let columns = """
        deepLink.link, deepLink.at, deepLink.platform, deepLink.storeIdentifier, deepLink.bundleIdentifier,
        deepLink.appClipBundleIdentifier, deepLink.packageName, deepLink.appName, deepLink.url, deepLink.status,
        deepLink.since, deepLink.previousURL, deepLink.previousStatus, deepLink.previousSince, deepLink.reason
        """
    static let firstColumn: Int32 = 2

    /// A deep link as its last row has it.
    private struct Known {
        let link: Int64
        let row: Int64
        let state: DeepLinkState
        let since: Int64
    }

    private struct Rows {
        /// Numbers of the rows, oldest first, and of which link each is.
        var all: [(row: Int64, link: Int64)] = []
        var present: [Known] = []
        var nextLink: Int64 = 0
        /// Links that went. One that comes back has a new number.
        var gone: Set<Int64> = []
    }

    private let ofRecord: StoreStatement
    private let insertion: StoreStatement
    private let removal: StoreStatement
    private let document: StoreStatement
    private let removalOfAll: StoreStatement

    init(_ database: Database) throws {
        ofRecord = try StoreStatement(
            database, "SELECT id, record, \(Self.columns) FROM deepLink WHERE record = ? ORDER BY id")
        insertion = try StoreStatement(
            database,
            """
            INSERT INTO deepLink(record, link, at, platform, storeIdentifier, bundleIdentifier, appClipBundleIdentifier,
                packageName, appName, url, status, since, previousURL, previousStatus, previousSince, reason)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
            """)
        removal = try StoreStatement(database, "DELETE FROM deepLink WHERE id = ?")
        document = try StoreStatement(database, "SELECT document FROM record WHERE id = ?")
        removalOfAll = try StoreStatement(database, "DELETE FROM deepLink WHERE record = ?")
    }

    // MARK: Changes

    /// Takes in the deep links of a record that is new.
    func begin(_ links: [DeepLinkRecord.DeepLink], of record: Int64, at time: Int64) throws {
        var rows = Rows()
        for link in links { try add(DeepLinkState(link), of: record, at: time, to: &rows) }
    }

    /// Takes in the deep links that a visit found in a known record.
    ///
    /// - Parameter wasThere: whether the record was not deleted. Its document then says what a version before the history has
    ///   written.
    /// - Returns: for each deep link, since when its status holds.
    func take(
        _ links: [DeepLinkRecord.DeepLink], of record: Int64, wasThere: Bool, at time: Int64
    ) throws -> [Int64] {
        var rows = try rows(of: record)
        if rows.all.isEmpty, wasThere { try readDocument(of: record, to: &rows) }
        guard !links.isEmpty || !rows.present.isEmpty else { return [] }
        let states = links.map(DeepLinkState.init)
        let matches = Self.matches(states, rows.present)
        var since = Array(repeating: time, count: states.count)
        for (known, match) in zip(rows.present, matches.ofKnown) where match == nil {
            try end(known, of: record, because: "The page does not name it any more.", at: time, in: &rows)
        }
        for (index, state) in states.enumerated() {
            guard let known = matches.ofStates[index].map({ rows.present[$0] }) else {
                try add(state, of: record, at: time, to: &rows)
                continue
            }
            if known.state.status == state.status { since[index] = known.since }
            if known.state.status != state.status || known.state.url != state.url {
                try insert(
                    known.link, state, since: since[index], before: known, reason: state.reason, of: record, at: time,
                    in: &rows)
            }
        }
        try trim(rows)
        return since
    }

    /// The record goes, and its deep links with it.
    func endAll(of record: Int64, reason: String, at time: Int64) throws {
        var rows = try rows(of: record)
        if rows.all.isEmpty { try readDocument(of: record, to: &rows) }
        for known in rows.present {
            try end(known, of: record, because: "The record was deleted: \(reason).", at: time, in: &rows)
        }
        try trim(rows)
    }

    /// Forgets what became of a record's deep links.
    func removeAll(of record: Int64) throws { try removalOfAll.run(.integer(record)) }

    /// Which known link each link is, and the other way round. Each is one other at most.
    private static func matches(
        _ states: [DeepLinkState], _ known: [Known]
    ) -> (ofStates: [Int?], ofKnown: [Int?]) {
        var ofStates = [Int?](repeating: nil, count: states.count)
        var ofKnown = [Int?](repeating: nil, count: known.count)
        // The same app with the same address first: of two links without an app, both may be of one host.
        for mustOpenAlike in [true, false] {
            for (i, state) in states.enumerated() where ofStates[i] == nil {
                let match = known.indices.first { j in
                    ofKnown[j] == nil && (!mustOpenAlike || known[j].state.url == state.url)
                        && known[j].state.isSameLink(as: state)
                }
                guard let match else { continue }
                ofStates[i] = match
                ofKnown[match] = i
            }
        }
        return (ofStates, ofKnown)
    }

    // MARK: Rows

    private func rows(of record: Int64) throws -> Rows {
        var rows = Rows()
        var last: [Int64: Known] = [:]
        try ofRecord.rows(.integer(record)) { row in
            let (id, link) = (row.integer(0), row.integer(Self.firstColumn))
            rows.all.append((id, link))
            rows.nextLink = max(rows.nextLink, link + 1)
            guard let change = DeepLinkChange(row, identifier: ""), let now = change.now else {
                last[link] = nil
                rows.gone.insert(link)
                return
            }
            last[link] = Known(
                link: link, row: id,
                state: DeepLinkState(
                    platform: change.platform, storeIdentifier: change.storeIdentifier,
                    bundleIdentifier: change.bundleIdentifier,
                    appClipBundleIdentifier: change.appClipBundleIdentifier, packageName: change.packageName,
                    appName: change.appName, url: now.url, status: now.status, reason: change.reason),
                since: now.since.storeSeconds)
        }
        rows.present = last.values.sorted { $0.link < $1.link }
        return rows
    }

    /// Takes in the deep links of a document that has no rows: an earlier version of Pippin has written it, or an earlier storage has
    /// told it.
    private func readDocument(of record: Int64, to rows: inout Rows) throws {
        let bytes = try document.first(.integer(record)) { $0.blob(0) } ?? []
        // Quotation marks inside of strings are escaped, so this is a key.
        guard bytes.contains(Array("\"deepLinks\":[".utf8)) else { return }
        var parser = JSONParser(limits: .ownText)
        // Of a document that cannot be read, nothing is known: the history begins with this visit.
        guard let object = try? parser.parse(bytes[...]),
            let date = object["fetchedAt"]?.string.flatMap({ SchemaOrg.date($0) })
        else { return }
        for link in object["deepLinks"]?.array ?? [] {
            guard let state = DeepLinkState(json: link) else { continue }
            let since = link["verification"]?["since"]?.string.flatMap { SchemaOrg.date($0) } ?? date
            let id = try add(state, of: record, at: date.storeSeconds, since: since.storeSeconds, to: &rows)
            rows.present.append(
                Known(link: rows.nextLink - 1, row: id, state: state, since: since.storeSeconds))
        }
    }

    @discardableResult
    private func add(
        _ state: DeepLinkState, of record: Int64, at time: Int64, since: Int64? = nil, to rows: inout Rows
    ) throws -> Int64 {
        rows.nextLink += 1
        return try insert(
            rows.nextLink - 1, state, since: since ?? time, before: nil, reason: state.reason, of: record, at: time,
            in: &rows)
    }

    private func end(_ known: Known, of record: Int64, because reason: String, at time: Int64, in rows: inout Rows)
        throws
    {
        rows.gone.insert(known.link)
        try insert(known.link, nil, since: nil, before: known, reason: reason, of: record, at: time, in: &rows)
    }

    @discardableResult
    private func insert(
        _ link: Int64, _ state: DeepLinkState?, since: Int64?, before: Known?, reason: String?, of record: Int64,
        at time: Int64, in rows: inout Rows
    ) throws -> Int64 {
        guard let app = state ?? before?.state else { return 0 }
        let row = try insertion.first(
            .integer(record), .integer(link), .integer(time), .text(app.platform.rawValue),
            .optional(app.storeIdentifier), .optional(app.bundleIdentifier), .optional(app.appClipBundleIdentifier),
            .optional(app.packageName), .optional(app.appName), .optional(state?.url),
            .optional(state?.status.rawValue), .optional(since), .optional(before?.state.url),
            .optional(before?.state.status.rawValue), .optional(before?.since),
            .optional(reason.map { String($0.prefix(Self.maximumReasonCharacters)) })
        ) { $0.integer(0) }
        guard let row else { throw StorageError.damaged(reason: "no number for a change of a deep link") }
        rows.all.append((row, link))
        return row
    }

    /// Deletes the oldest rows beyond the limit. The last row of a link that is there stays.
    private func trim(_ rows: Rows) throws {
        var surplus = rows.all.count - Self.maximumRows
        guard surplus > 0 else { return }
        var lastOf: [Int64: Int64] = [:]
        for (row, link) in rows.all { lastOf[link] = row }
        for (row, link) in rows.all where surplus > 0 {
            if lastOf[link] == row, !rows.gone.contains(link) { continue }
            try removal.run(.integer(row))
            surplus -= 1
        }
    }
}
