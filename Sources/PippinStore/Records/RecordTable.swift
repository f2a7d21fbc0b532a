import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// The records, and which of them are in the index.
///
/// Several records of one host may have equal content, apart from where it was found. Then only one is listed: the one with
/// the smallest identifier, https before http, whichever was found first. The others are kept back. When the listed record
/// goes, the next takes its place.
///
/// Every change that consumers must see gives the record the next sequence number; a change of its popularity alone gives it to that
/// (`PopularityTable`). The feed is both in that order. So it has each record once, in its present state, and its popularity at most once
/// more. Of a deleted record, only the deletion is left: some consumer may not have read it yet.
final class RecordTable {
    enum State: Int64 {
        case listed = 0
        case deleted = 1
        case keptBack = 2
    }

    private struct Row {
        let id: Int64
        let state: State
        let sequence: Int64?
        let version: Int64
        let cluster: Int64
    }

    /// The number of the latest change.
    private(set) var sequence: Int64
    /// Records that are not deleted.
    private(set) var count: Int64

    let popularity: PopularityTable
    private let byIdentifier: StoreStatement
    private let insertion: StoreStatement
    private let update: StoreStatement
    private let touch: StoreStatement
    private let standing: StoreStatement
    private let removal: StoreStatement
    private let ofCluster: StoreStatement
    private let identifierOf: StoreStatement
    private let deepLinks: DeepLinkTable
    private let texts: PageTextTable
    private let refusals: StoreStatement
    private let neverTold: StoreStatement
    private let between: StoreStatement
    private let isListed: StoreStatement
    private let stored: StoreStatement
    private let naming: StoreStatement

    /// The two records of a cluster that come first. The index has them in this order, so the size of the cluster does not
    /// matter.
    static let firstOfCluster = """
        SELECT id, state, identifier FROM record WHERE cluster = ? AND state <> 1
        ORDER BY substr(identifier, 1, 5) = 'http:', identifier LIMIT 2
        """

    init(_ database: Database) throws {
        sequence = try Int64.fetchOne(database, sql: "SELECT sequence FROM store") ?? 0
        count = try Int64.fetchOne(database, sql: "SELECT records FROM store") ?? 0
        popularity = try PopularityTable(database)
        isListed = try StoreStatement(database, "SELECT 1 FROM record WHERE id = ? AND state = 0")
        stored = try StoreStatement(
            database, "SELECT id, state, version, document FROM record WHERE identifier = ? AND state <> 1")
        naming = try StoreStatement(
            database, "UPDATE record SET version = ?, document = ?, sequence = coalesce(?, sequence) WHERE id = ?")
        byIdentifier = try StoreStatement(
            database, "SELECT id, state, sequence, version, cluster FROM record WHERE identifier = ?")
        insertion = try StoreStatement(
            database,
            """
            INSERT INTO record(identifier, state, sequence, version, cluster, host, simHash, fetchedAt, document)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
            """)
        update = try StoreStatement(
            database,
            """
            UPDATE record SET state = 2, version = ?, cluster = ?, simHash = ?, fetchedAt = ?, document = ?
            WHERE id = ?
            """)
        touch = try StoreStatement(database, "UPDATE record SET fetchedAt = ? WHERE id = ?")
        standing = try StoreStatement(
            database, "UPDATE record SET state = ?, sequence = ?, deletion = ? WHERE id = ?")
        removal = try StoreStatement(
            database,
            "UPDATE record SET state = 1, sequence = ?, deletion = ?, document = NULL, simHash = NULL WHERE id = ?")
        ofCluster = try StoreStatement(database, Self.firstOfCluster)
        identifierOf = try StoreStatement(database, "SELECT identifier FROM record WHERE id = ?")
        deepLinks = try DeepLinkTable(database)
        texts = try PageTextTable(database)
        refusals = try StoreStatement(database, "DELETE FROM refusal WHERE identifier = ?")
        neverTold = try StoreStatement(database, "DELETE FROM record WHERE id = ? AND sequence IS NULL")
        between = try StoreStatement(
            database,
            "SELECT identifier FROM record WHERE identifier >= ? AND identifier <= ? ORDER BY identifier LIMIT ?")
    }

    func apply(_ change: StoredChange, url: Int64) throws {
        let known = try byIdentifier.first(.text(change.identifier)) {
            Row(
                id: $0.integer(0), state: State(rawValue: $0.integer(1)) ?? .deleted, sequence: $0.optionalInteger(2),
                version: $0.integer(3), cluster: $0.integer(4))
        }
        switch change.kind {
        case .delete(let document, let reason, let time):
            guard let known, known.state != .deleted else { return }
            try deepLinks.endAll(of: known.id, reason: reason, at: time)
            try texts.set(nil, of: known.id)
            // A consumer's reason may quote the record.
            try refusals.run(.text(change.identifier))
            try delete(known, document: document)
            count -= 1
            try judge(known.cluster, at: time)
        case .upsert(let record):
            if let known, known.state != .deleted, known.version == record.version {
                return try touch.run(.integer(record.fetchedAt), .integer(known.id))
            }
            let fingerprint = StoreValue.optional(record.simHash.map { Int64(bitPattern: $0) })
            let fetchedAt = record.fetchedAt
            let number: Int64
            var isJudged = false
            if let known {
                number = known.id
                let since = try deepLinks.take(
                    record.deepLinks, of: number, wasThere: known.state != .deleted, at: fetchedAt)
                let document = since.contains { $0 != fetchedAt } ? record.bytes(since: since) : record.bytes
                try update.run(
                    .integer(record.version), .integer(record.cluster), fingerprint, .integer(fetchedAt),
                    .blob(document), .integer(number))
            } else {
                // A record that is alone with its content is listed at once, like most.
                isJudged = try ofCluster.first(.integer(record.cluster)) { _ in false } ?? true
                let inserted = try insertion.first(
                    .text(change.identifier), .integer((isJudged ? State.listed : .keptBack).rawValue),
                    .optional(isJudged ? nextSequence() : nil), .integer(record.version), .integer(record.cluster),
                    .integer(record.host), fingerprint, .integer(fetchedAt), .blob(record.bytes)
                ) { $0.integer(0) }
                guard let inserted else { throw StorageError.damaged(reason: "no number for a record") }
                number = inserted
                try deepLinks.begin(record.deepLinks, of: number, at: fetchedAt)
            }
            // A new record has no earlier text.
            if known != nil || record.mainText != nil { try texts.set(record.mainText?.kept, of: number) }
            try popularity.add(number, page: url, claims: record.claimsPopularity)
            if known.map({ $0.state == .deleted }) ?? true { count += 1 }
            let wasListed = known?.state == .listed
            if !isJudged { try judge(record.cluster, at: fetchedAt, changed: number, wasListed: wasListed) }
            if let known, known.state != .deleted, known.cluster != record.cluster {
                try judge(known.cluster, at: fetchedAt)
            }
        }
    }

    /// Whether the record is there, or was deleted.
    func knows(_ identifier: String) throws -> Bool { try byIdentifier.first(.text(identifier)) { _ in true } ?? false }

    /// The version of records of which only the document is known. The next visit that gives the record writes it anew.
    private static let unknownVersion: Int64 = 0

    /// Adds a record that an earlier storage has told. Which others have equal content is found out when its page is read: until then it
    /// is alone, as it was when it was told.
    func takeOver(_ record: ToldRecord, url: Int64) throws {
        let host = StoredChange.host(of: record.identifier)
        let alone = Int64(bitPattern: host << 44 | UInt64.storeHash(record.identifier.utf8, seed: host) >> 20)
        let number = try insertion.first(
            .text(record.identifier), .integer(State.listed.rawValue), .integer(nextSequence()),
            .integer(Self.unknownVersion), .integer(alone), .integer(Int64(bitPattern: host)), .null,
            .integer(record.fetchedAt.storeSeconds), .blob(record.document)
        ) { $0.integer(0) }
        guard let number else { throw StorageError.damaged(reason: "no number for a record") }
        try popularity.add(number, page: url, claims: record.claimsPopularity)
        if let value = record.popularity {
            try popularity.set(Int64((value * Double(Popularity.steps)).rounded()), of: number, sequence: nil)
        }
        count += 1
    }

    /// Deletes a record with the history of its deep links. Only the deletion is left, if consumers have had the record.
    ///
    /// - Parameter ifDeleted: whether a record that is there stays.
    /// - Returns: whether it was there until now.
    @discardableResult
    func forget(_ identifier: String, reason: String, at time: Date, ifDeleted: Bool = false) throws -> Bool {
        let known = try byIdentifier.first(.text(identifier)) { (number: $0.integer(0), state: $0.integer(1)) }
        guard let known else { return false }
        let wasThere = known.state != State.deleted.rawValue
        if wasThere, ifDeleted { return false }
        if wasThere {
            let deletion = RecordDeletion(uniqueIdentifier: identifier, reason: reason, at: time)
            try apply(StoredChange(.delete(deletion)), url: 0)
        }
        try deepLinks.removeAll(of: known.number)
        try popularity.remove(known.number)
        try neverTold.run(.integer(known.number))
        return wasThere
    }

    /// The next identifiers within bounds, in their order.
    ///
    /// - Parameter last: where the search goes on; nil begins it.
    func identifiers(in bounds: ClosedRange<String>, after last: String?, limit: Int) throws -> [String] {
        var found: [String] = []
        try between.rows(
            .text(last ?? bounds.lowerBound), .text(bounds.upperBound), .integer(Int64(limit + 1))
        ) { found.append($0.text(0)) }
        return found.filter { $0 != last }
    }

    /// Gives a record a popularity, in steps (`Popularity`). Consumers get it if they have the record.
    func setPopularity(_ value: Int64, of record: Int64) throws {
        let isListed = try isListed.first(.integer(record)) { _ in true } ?? false
        try popularity.set(value, of: record, sequence: isListed ? nextSequence() : nil)
    }

    // MARK: Seeds

    /// A record that names seeds.
    struct Naming {
        fileprivate let id: Int64
        fileprivate let state: State
        fileprivate let version: Int64
        fileprivate let text: RecordText
        /// The URLs of the seeds.
        let seeds: [String]
        var byteCount: Int { text.bytes.count }
    }

    /// The seeds that a record names; nil if it is not there, or names none.
    func seeds(of identifier: String) throws -> Naming? {
        try stored.firstMatch(.text(identifier)) { row in
            guard let text = RecordText(stored: row.blob(3)), let seeds = text.seeds else { return nil }
            return Naming(
                id: row.integer(0), state: State(rawValue: row.integer(1)) ?? .keptBack, version: row.integer(2),
                text: text, seeds: seeds)
        }
    }

    /// Lets a record name another seed. Consumers get it again if they have it.
    ///
    /// - Returns: the record; nil if it could not be changed.
    func name(_ seed: Seed, in record: Naming) throws -> RecordText? {
        guard let text = record.text.naming([seed.url.href]) else { return nil }
        let version = record.version == Self.unknownVersion ? record.version : text.storeVersion
        try naming.run(
            .integer(version), .blob(text.bytes), .optional(record.state == .listed ? nextSequence() : nil),
            .integer(record.id))
        return text
    }

    /// Leaves nothing of a record but its deletion.
    private func delete(_ row: Row, document: [UInt8]) throws {
        // Consumers see the deletion only if they have seen the record.
        let number: Int64? = row.state == .listed ? nextSequence() : row.sequence
        try removal.run(.optional(number), .blob(document), .integer(row.id))
    }

    /// Counts numbers that were given to others.
    func skip(_ count: Int64) { sequence += count }

    /// The number of the next change. What a shard tells beside records has numbers of the same counter.
    func nextSequence() -> Int64 {
        sequence += 1
        return sequence
    }

    /// Lists the first record of a cluster (those with equal content), and keeps back the one that was listed before.
    ///
    /// - Parameters:
    ///   - changed: the number of a record that was just written, and is therefore marked as kept back.
    ///   - wasListed: whether consumers have an earlier version of that record.
    private func judge(_ cluster: Int64, at time: Int64, changed: Int64? = nil, wasListed: Bool = false) throws {
        // The record that was listed until now is among the first two, since at most one record has come in before it.
        var members: [(id: Int64, state: State)] = []
        try ofCluster.rows(.integer(cluster)) { row in
            members.append((row.integer(0), State(rawValue: row.integer(1)) ?? .keptBack))
        }
        if let first = members.first, first.state != .listed {
            try standing.run(.integer(State.listed.rawValue), .integer(nextSequence()), .null, .integer(first.id))
        }
        var ousted = members.dropFirst().filter { $0.state == .listed }.map(\.id)
        if let changed, wasListed, changed != members.first?.id { ousted.append(changed) }
        for number in ousted {
            var document: [UInt8] = []
            RecordDeletion(
                uniqueIdentifier: try identifierOf.first(.integer(number)) { $0.text(0) } ?? "",
                reason: "duplicate-content", at: Date(storeSeconds: time)
            ).appendJSON(to: &document)
            try standing.run(
                .integer(State.keptBack.rawValue), .integer(nextSequence()), .blob(document), .integer(number))
        }
    }
}

/// The main texts of records' pages. They are kept only for the search index: no consumer of records gets them.
final class PageTextTable {
    private let replacement: StoreStatement
    private let removal: StoreStatement

    init(_ database: Database) throws {
        replacement = try StoreStatement(database, "INSERT OR REPLACE INTO pageText(record, text) VALUES (?, ?)")
        removal = try StoreStatement(database, "DELETE FROM pageText WHERE record = ?")
    }

    /// Finds the text of a record by its identifier.
    static func reading(_ database: Database) throws -> StoreStatement {
        try StoreStatement(
            database,
            "SELECT text FROM pageText WHERE record = (SELECT id FROM record WHERE identifier = ? AND state = 0)")
    }

    /// Keeps a text in place of an earlier one; nil removes that.
    func set(_ text: String?, of record: Int64) throws {
        if let text {
            try replacement.run(.integer(record), .text(text))
        } else {
            try removal.run(.integer(record))
        }
    }
}
