import Foundation
import GRDB
import PippinPage

/// A step of an upgrade that changes as many rows as a job has URLs or records. It goes through them in portions, each a transaction
/// that keeps its place, so that an upgrade that is killed goes on where it was, and needs little more disk than the storage has.
///
///     migrations before ──▶ begin, portion ──▶ portion ──▶ … ──▶ end: the migration of the same name
///
/// From its beginning to its end, `grdb_migrations` has `mark`. Programs of earlier versions take that for a migration of a newer one, and
/// leave the storage alone.
struct PortionedStep: Sendable {
    /// The name of the migration that ends the step.
    let migration: String
    /// The table that it goes through, in the order of `id`, and what its rows are to people.
    let table: String
    let subject: String
    /// Returns about how many rows there are.
    let total: String
    /// Whether the storage, which has all earlier migrations, has what this step changes.
    let isNeeded: @Sendable (Database) throws -> Bool
    /// Statements before the first portion, of each portion (for rows with `:after` < `id` <= `:last`), and after the last one.
    let opening: String
    let change: String
    let closing: String
    /// Whether `closing` makes an index of all rows: one statement, which cannot be divided.
    var endsWithIndex = false

    /// Rows of a portion: a fraction of a second.
    static let rows = 10_000
    /// How long nothing is told.
    private static let silence = Duration.seconds(5)

    private var mark: String { "\(migration): begun" }
    /// All steps, in the order of their migrations.
    static let all = [hostsOfRecords, linksOnce, deletedRecords]
    static let marks = Set(all.map(\.mark))

    /// Goes through all rows that an earlier process has not reached.
    ///
    /// - Parameters:
    ///   - rows: the rows of a portion.
    ///   - committed: called after each portion.
    ///   - tell: gets a sentence now and then, if there is more than one portion.
    /// - Throws: `CancellationError` if the task is cancelled; what is done is kept.
    func run(
        in database: DatabasePool, rows: Int, committed: () throws -> Void, tell: (String) -> Void
    ) throws {
        let total = try database.writeWithoutTransaction { database in
            for function in Self.functions { database.add(function: function) }
            return try Int.fetchOne(database, sql: self.total) ?? 0
        }
        var told: ContinuousClock.Instant?
        while let done = try database.write({ try portion(of: rows, $0) }) {
            try committed()
            try Task.checkCancellation()
            guard total > rows, told.map({ $0 + Self.silence <= .now }) ?? true else { continue }
            let advice = told == nil ? " It may be stopped, and goes on where it was." : ""
            tell(
                "Upgrading the storage: \(Wording.number(done)) of \(Wording.number(max(done, total))) \(subject).\(advice)"
            )
            told = .now
        }
        if endsWithIndex, total > rows {
            tell("Upgrading the storage: an index of \(Wording.number(total)) \(subject).")
        }
    }

    /// - Returns: how many rows are done; nil when all are.
    private func portion(of rows: Int, _ database: Database) throws -> Int? {
        if try !hasBegun(database) {
            try database.execute(sql: opening)
            // `place`: the greatest `id` that is done; `rows`: how many are.
            try database.execute(
                sql: """
                    CREATE TABLE upgrade(place INTEGER NOT NULL, rows INTEGER NOT NULL);
                    INSERT INTO upgrade VALUES (-1, 0);
                    INSERT INTO grdb_migrations VALUES (:mark);
                    """, arguments: ["mark": mark])
        }
        let place = try Int64.fetchOne(database, sql: "SELECT place FROM upgrade")
        let next = try Row.fetchOne(
            database,
            sql: """
                SELECT max(id) AS last, count(*) AS rows
                FROM (SELECT id FROM \(table) WHERE id > ? ORDER BY id LIMIT ?)
                """,
            arguments: [place, rows])
        guard let next, let last: Int64 = next["last"] else { return nil }
        try database.execute(sql: change, arguments: ["after": place, "last": last])
        try database.execute(
            sql: "UPDATE upgrade SET place = ?, rows = rows + ?", arguments: [last, next["rows"] as Int])
        return try Int.fetchOne(database, sql: "SELECT rows FROM upgrade")
    }

    private func hasBegun(_ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM grdb_migrations WHERE identifier = ?)", arguments: [mark])
            ?? false
    }

    /// What the migration does: nothing if the step was not needed.
    func end(_ database: Database) throws {
        guard try hasBegun(database) else { return }
        try database.execute(sql: closing)
        try database.execute(
            sql: "DROP TABLE upgrade; DELETE FROM grdb_migrations WHERE identifier = :mark;", arguments: ["mark": mark])
    }

    // MARK: The steps

    private static let functions = [
        DatabaseFunction("host_of_record", argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map { Int64(bitPattern: StoredChange.host(of: $0)) }
        },
        // The first of numbers of eight bytes, the least significant byte first.
        DatabaseFunction("first_number", argumentCount: 1, pure: true) { values in
            Data.fromDatabaseValue(values[0]).map { $0.prefix(8).reversed().reduce(0) { $0 << 8 | Int64($1) } }
        },
    ]

    /// Storages of the previous version: a record gets its host's number instead of four rows in a table of fingerprints, which go
    /// with the portions.
    static let hostsOfRecords = PortionedStep(
        migration: "first release", table: "record", subject: "records", total: "SELECT max(id) FROM record",
        isNeeded: { try StoreSchema.isPrevious($0) },
        opening: "ALTER TABLE record ADD COLUMN host INTEGER NOT NULL DEFAULT 0",
        change: """
            UPDATE record SET host = host_of_record(identifier) WHERE id > :after AND id <= :last;
            DELETE FROM nearness WHERE (quarter, record)
                < (SELECT quarter, record FROM nearness ORDER BY quarter, record LIMIT 1 OFFSET \(4 * rows));
            """,
        closing: "DROP TABLE nearness", endsWithIndex: true)

    /// Storages whose URLs have lists of some pages that link to them (`sources`), and of those that have them in such a list
    /// (`targets`). The first of the list stays. A new storage has neither column.
    ///
    /// To remove columns, SQLite writes the table anew in one transaction, so the rows are moved to another table. Meanwhile there is no
    /// table `url`: whoever reads gets an error, and not a part of the URLs. Views stay, since the old way of renaming ignores them.
    static let linksOnce = PortionedStep(
        migration: "links are stored once", table: "oldURL", subject: "URLs", total: "SELECT known FROM store",
        isNeeded: { try $0.tableExists("oldURL") || $0.columns(in: "url").contains { $0.name == "sources" } },
        opening: """
            PRAGMA legacy_alter_table = ON;
            DROP INDEX urlRank;
            ALTER TABLE url RENAME TO oldURL;
            PRAGMA legacy_alter_table = OFF;
            CREATE TABLE newURL(\(StoreSchema.columnsOfURLs));
            """,
        change: """
            INSERT INTO newURL SELECT \(columns), first_number(sources) FROM oldURL WHERE id > :after AND id <= :last ORDER BY id;
            DELETE FROM oldURL WHERE id > :after AND id <= :last;
            """,
        closing: """
            PRAGMA legacy_alter_table = ON;
            DROP TABLE oldURL;
            ALTER TABLE newURL RENAME TO url;
            PRAGMA legacy_alter_table = OFF;
            \(StoreSchema.indexOfURLs)
            """, endsWithIndex: true)

    /// The columns of `StoreSchema.columnsOfURLs` that stay as they were.
    private static let columns = """
        id, address, state, rank, depth, seed, flags, extras, visitedAt, rhythm, visits, changes, failures, misses,
        entityTag, lastModified, contentHash, record, canonical, detail, history
        """

    /// Records that were deleted lose their content.
    static let deletedRecords = PortionedStep(
        migration: "deleted records keep no content", table: "record", subject: "records",
        total: "SELECT max(id) FROM record", isNeeded: { _ in true }, opening: "",
        change: "UPDATE record SET document = NULL, simHash = NULL WHERE id > :after AND id <= :last AND state = 1",
        closing: "")
}
