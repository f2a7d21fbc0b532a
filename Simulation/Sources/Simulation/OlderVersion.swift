import Foundation
import GRDB
import PippinStore

/// Makes a storage one that an earlier version has written, as far as a job without backups and removed URLs can have it: what an
/// operator who upgrades brings along.
enum OlderVersion {
    /// What the last migrations have added, and what takes it away again, the last one first.
    private static let migrations: [(name: String, undo: String)] = [
        (
            "settings of the last run",
            "ALTER TABLE store DROP COLUMN intervals; ALTER TABLE store DROP COLUMN refusals;"
        ),
        (
            "popularity has changes of its own",
            """
            DROP INDEX popularitySequence; ALTER TABLE popularity DROP COLUMN sequence; ALTER TABLE popularity DROP COLUMN claims;
            ALTER TABLE consumer DROP COLUMN after; ALTER TABLE consumer DROP COLUMN until;
            """
        ),
        (
            "nearer ways",
            "DROP TABLE nearer; DROP TABLE away; DROP INDEX outboxNumber; ALTER TABLE outbox DROP COLUMN number;"
        ),
        ("when a storage was restored", "ALTER TABLE gap DROP COLUMN run;"),
        ("files of records have an age", "ALTER TABLE consumer DROP COLUMN began;"),
        ("numbers that a restored storage leaves out", "DROP TABLE gap;"),
        ("what runs leave and feed", "ALTER TABLE run DROP COLUMN bytes; ALTER TABLE run DROP COLUMN consumers;"),
        (
            "nothing is searched at the start of a run",
            """
            DROP INDEX hostAsked; ALTER TABLE store DROP COLUMN latest;
            CREATE INDEX host_lastRequest ON host(lastRequest);
            """
        ),
        (
            "URLs that are gone for long",
            "ALTER TABLE url DROP COLUMN missingSince; ALTER TABLE host DROP COLUMN silentSince;"
        ),
    ]

    static var count: Int { migrations.count }

    /// Takes a storage back by so many migrations. Does nothing if there is none, or a process has left it in the middle of an upgrade.
    static func take(storage: URL, back count: Int) throws {
        guard CrawlStorage.exists(in: storage) else { return }
        let database = try DatabaseQueue(path: storage.appending(path: "pippin.sqlite").path)
        try database.write { database in
            let known = Set(try String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations"))
            for (name, undo) in migrations.prefix(count) where known.contains(name) {
                try database.execute(sql: undo)
                try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = ?", arguments: [name])
            }
        }
        try database.close()
    }
}
