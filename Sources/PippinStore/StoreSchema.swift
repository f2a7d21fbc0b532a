import Foundation
import GRDB
import GRDBSQLite
import PippinPage

/// The tables of a storage folder's database, and how it is opened.
///
///     host ──< url >── seed           url.id: host and place in the host (`URLNumber`)
///               │ └──< awaiting       pages that wait to hear whether their canonical page is good
///               ▼
///             record                  the feed is record in the order of its sequence
///             judgement, card         what reports of the crawl need of a page, by its URL
///
/// Operators look through the views `url_view` and `host_view` (Docs/Operations.md), whose columns stay.
///
/// Write-ahead log with `synchronous=NORMAL`: what is committed survives the end of the process, however it ends. After a
/// loss of power the last commits may be missing, never half of one; their visits are made again. Before a consumer is
/// given a cursor the log is synced, so that no cursor is ahead of the disk.
enum StoreSchema {
    /// - Parameter checkpoints: who copies the log of the connection that writes.
    static func configuration(readonly: Bool = false, checkpoints: LogCheckpoints? = nil) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = readonly
        configuration.journalMode = readonly ? .default : .wal
        configuration.busyMode = .timeout(20)
        configuration.prepareDatabase { database in
            // Of the connection that writes; the system caches the file besides. Those that read go through it once.
            let onlyReads = sqlite3_db_readonly(database.sqliteConnection, "main") == 1
            try database.execute(sql: "PRAGMA cache_size = \(onlyReads ? -8_000 : -96_000)")
            guard !readonly else { return }
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            checkpoints?.attend(database)
            try database.execute(sql: "PRAGMA journal_size_limit = 268435456")
        }
        return configuration
    }

    /// - Parameter folder: of the storage, for messages.
    static func migrator(of folder: URL) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("first release", merging: previousMigrations) { database, applied in
            if applied.isEmpty {
                try database.execute(sql: tables)
            } else if applied == previousMigrations {
                try takeOver(database)
            } else {
                throw CrawlStorage.StorageError.unusable(
                    folder: folder.path,
                    reason: "a version of Pippin has written it that is too old; crawl into another folder")
            }
            try database.execute(sql: indexOfHosts + views)
        }
        return migrator
    }

    /// Whether a newer version has written it. GRDB alone would count the merged migrations as unknown, and so as newer ones.
    static func isNewer(_ database: Database, _ migrator: DatabaseMigrator) throws -> Bool {
        try !migrator.appliedIdentifiers(database).isSubset(of: previousMigrations.union(migrator.migrations))
    }

    // MARK: From the previous version

    /// What a storage of the version before has been through.
    private static let previousMigrations: Set<String> = [
        "runs", "frontier and records", "near duplicates are found when asked for", "what an index refuses",
        "robots.txt of hosts", "what went wrong with hosts", "what reports are made of",
        "counts at hand, and which pages link where", "what waits is bounded",
    ]

    /// Records know their host, instead of four rows each in a table of fingerprints.
    private static func takeOver(_ database: Database) throws {
        try database.execute(
            sql: "DROP TABLE nearness; ALTER TABLE record ADD COLUMN host INTEGER NOT NULL DEFAULT 0;")
        let next = try StoreStatement(database, "SELECT id, identifier FROM record WHERE id > ? ORDER BY id LIMIT 1")
        let update = try StoreStatement(database, "UPDATE record SET host = ? WHERE id = ?")
        var last: Int64 = 0
        while let record = try next.first(.integer(last), body: { ($0.integer(0), $0.text(1)) }) {
            last = record.0
            try update.run(.integer(Int64(bitPattern: StoredChange.host(of: record.1))), .integer(last))
        }
    }

    /// What `URLNumber.place` is made with in this storage.
    static func placeKey(_ database: Database) throws -> UInt64 {
        let identity = try String.fetchOne(database, sql: "SELECT identity FROM store") ?? ""
        return UInt64.storeHash(identity.utf8)
    }

    // MARK: Tables

    private static let tables = """
        CREATE TABLE run(
            id INTEGER PRIMARY KEY AUTOINCREMENT, startedAt DATETIME NOT NULL, endedAt DATETIME, ending TEXT,
            visits INTEGER NOT NULL, records INTEGER NOT NULL);

        -- One row. `identity` tells this storage from every other; `isOpen` is 1 while a run has it. The others are counts that a
        -- look at the job would otherwise need whole tables for; each transaction keeps them true. `records`: those that are not
        -- deleted. `load`: what counts of what waits (`FrontierLimits`); `dropped`: URLs that were not kept.
        CREATE TABLE store(
            id INTEGER PRIMARY KEY CHECK (id = 1),
            identity TEXT NOT NULL, turn INTEGER NOT NULL, sequence INTEGER NOT NULL, isOpen INTEGER NOT NULL,
            hosts INTEGER NOT NULL DEFAULT 0, known INTEGER NOT NULL DEFAULT 0, queued INTEGER NOT NULL DEFAULT 0,
            records INTEGER NOT NULL DEFAULT 0, load INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0);
        INSERT INTO store(id, identity, turn, sequence, isOpen) VALUES (1, lower(hex(randomblob(8))), 0, 0, 0);

        CREATE TABLE seed(
            id INTEGER PRIMARY KEY, url TEXT NOT NULL, kind TEXT, storeIdentifier TEXT, bundleIdentifier TEXT,
            packageName TEXT, landingHosts TEXT);

        -- `urls`: URLs whose last visit ended so.
        CREATE TABLE outcome(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, urls INTEGER NOT NULL DEFAULT 0);

        -- `nextDue`: no finished URL is due before it. Moments and lengths of clocks (`HostClock`) are in milliseconds, since 1970
        -- and as they are; `keptAt` is when they held. `answeredFrom`: the address that answered last. `trouble`: what went wrong
        -- with the last request (`RequestFailure.detail`: cause, URL, words); null when it was answered.
        CREATE TABLE host(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, queued INTEGER NOT NULL, urls INTEGER NOT NULL,
            nextDue INTEGER, suspendedUntil INTEGER, lastRequest INTEGER, nextRequest INTEGER, keptAt INTEGER,
            crawlDelay INTEGER, failures INTEGER NOT NULL, openings INTEGER NOT NULL, responseTime INTEGER,
            answeredFrom TEXT, trouble TEXT, load INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0);
        -- Who waits, who is due, who rests, who fails, for those who look at the job.
        CREATE INDEX hostQueued ON host(queued DESC, name) WHERE queued > 0;
        CREATE INDEX hostDue ON host(nextDue) WHERE nextDue IS NOT NULL;
        CREATE INDEX hostSuspended ON host(suspendedUntil) WHERE suspendedUntil IS NOT NULL;
        CREATE INDEX hostRests ON host(nextRequest) WHERE nextRequest IS NOT NULL;
        CREATE INDEX hostTrouble ON host(name) WHERE trouble IS NOT NULL;
        CREATE INDEX hostDropped ON host(dropped DESC, name) WHERE dropped > 0;

        -- The robots.txt of each origin of a host (scheme, host, port); no text where there is no such file. `text`: deflated
        -- (`DeflatedBytes`); what earlier versions wrote is plain. `until`, in seconds since 1970: when it must be fetched again.
        CREATE TABLE rules(
            host INTEGER NOT NULL, origin TEXT NOT NULL, until INTEGER NOT NULL, text TEXT, PRIMARY KEY (host, origin));
        CREATE INDEX rulesUntil ON rules(until);

        -- `id`: `URLNumber`; `rank`: `URLTable.firstQueuedRank`; `flags`: `StoredFlags`.
        -- `address`: s (https) or h (http) of a page, S or H of a sitemap, and what follows the host in the URL key.
        -- `state`: 0 queued, 1 finished and stands for itself, 2 finished, 3 duplicate of `canonical`.
        -- `record`: identifier of its record; empty when that is the URL key. Moments: seconds since 1970.
        -- `history`: the last visits, oldest first, six bytes each: outcome and moment.
        -- `sources`: numbers of a few pages that link to the URL. `targets`: numbers of the URLs whose `sources` name this one.
        CREATE TABLE url(
            id INTEGER PRIMARY KEY, address TEXT NOT NULL, state INTEGER NOT NULL, rank INTEGER NOT NULL,
            depth INTEGER NOT NULL, seed INTEGER NOT NULL, flags INTEGER NOT NULL, extras TEXT,
            visitedAt INTEGER, rhythm INTEGER, visits INTEGER, changes INTEGER, failures INTEGER, misses INTEGER,
            entityTag TEXT, lastModified TEXT, contentHash TEXT, record TEXT, canonical INTEGER, detail TEXT,
            history BLOB, sources BLOB, targets BLOB);
        CREATE INDEX urlRank ON url(id >> 35, rank);

        CREATE TABLE awaiting(target INTEGER NOT NULL, url INTEGER NOT NULL, PRIMARY KEY (target, url)) WITHOUT ROWID;

        -- `state`: 0 in the index, 1 deleted, 2 kept back because `identifier` of another record with the same content
        -- counts. `sequence`: when consumers were last told of it; null for those they never heard of.
        -- `version`: hash of all that consumers see but `fetchedAt`; `cluster`: hash of host and content; `host`: hash of the host.
        CREATE TABLE record(
            id INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, sequence INTEGER,
            version INTEGER NOT NULL, cluster INTEGER NOT NULL, simHash INTEGER, fetchedAt INTEGER NOT NULL,
            deletion BLOB, document BLOB, host INTEGER NOT NULL DEFAULT 0);
        CREATE UNIQUE INDEX recordSequence ON record(sequence) WHERE sequence IS NOT NULL;
        CREATE INDEX recordCluster ON record(cluster, substr(identifier, 1, 5) = 'http:', identifier)
            WHERE state <> 1;

        -- How far a consumer that the storage itself feeds has come, and how long its file is.
        CREATE TABLE consumer(name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;

        -- Records that a consumer would not take, and why; each run offers them once more.
        CREATE TABLE refusal(
            consumer TEXT NOT NULL, identifier TEXT NOT NULL, status INTEGER NOT NULL, reason TEXT NOT NULL,
            PRIMARY KEY (consumer, identifier)) WITHOUT ROWID;

        -- By URL, what the last report run saw there (`ReportEntry`), packed; `stands`: 1 of a page that was read, or a sitemap.
        -- Moments are in milliseconds.
        -- `failure`: an entry too, of a visit since then that could not have the page. `card`: of the worst pages alone.
        CREATE TABLE judgement(
            url INTEGER PRIMARY KEY, at INTEGER NOT NULL, stands INTEGER NOT NULL, entry BLOB NOT NULL,
            failedAt INTEGER, failure BLOB);
        CREATE TABLE card(url INTEGER PRIMARY KEY, weight INTEGER NOT NULL, card BLOB NOT NULL);
        CREATE INDEX cardWeight ON card(weight);

        """

    /// What `NearDuplicates` reads: of a host, the fingerprints of what is listed.
    private static let indexOfHosts = """
        CREATE INDEX recordHost ON record(host, state, id, simHash) WHERE state = 0 AND simHash IS NOT NULL;

        """

    // MARK: Views

    /// For operators: names and moments in words, UTC. Docs/Operations.md has the columns.
    ///
    /// A host's URLs are found by a range of `id`, since SQLite uses the index of an expression only for a value that stands in
    /// the statement.
    private static let views = """
        CREATE VIEW host_view AS SELECT
            name AS host, urls, queued, dropped, datetime(nextDue, 'unixepoch') AS next_due,
            datetime(suspendedUntil, 'unixepoch') AS suspended_until,
            datetime(nextRequest / 1000, 'unixepoch') AS next_request,
            datetime(lastRequest / 1000, 'unixepoch') AS last_request,
            crawlDelay / 1000.0 AS crawl_delay, responseTime / 1000.0 AS response_time,
            failures AS failures_in_a_row, answeredFrom AS address, trouble
        FROM host;

        CREATE VIEW url_view AS SELECT
            iif(substr(url.address, 1, 1) IN ('s', 'S'), 'https://', 'http://') || host.name || substr(url.address, 2)
                AS url,
            host.name AS host, iif(substr(url.address, 1, 1) IN ('s', 'h'), 'page', 'sitemap') AS kind,
            CASE url.state WHEN 0 THEN 'queued' WHEN 1 THEN 'kept' WHEN 3 THEN 'duplicate' ELSE 'finished' END AS state,
            url.depth, (SELECT seed.url FROM seed WHERE seed.id = url.seed) AS seed,
            (SELECT code FROM outcome
                WHERE printf('%02X%02X', outcome.id & 255, outcome.id >> 8) = hex(substr(url.history, -6, 2))) AS outcome,
            url.detail, datetime(url.visitedAt, 'unixepoch') AS visited,
            iif(url.rank < 1 << 40, datetime(url.rank, 'unixepoch'), NULL) AS next_visit,
            coalesce(url.visits, 0) AS visits, coalesce(url.changes, 0) AS changes,
            coalesce(url.failures, 0) AS failures_in_a_row, coalesce(url.misses, 0) AS misses_in_a_row,
            iif(url.record = '',
                iif(substr(url.address, 1, 1) IN ('s', 'S'), 'https://', 'http://') || host.name || substr(url.address, 2),
                url.record) AS record
        FROM host JOIN url ON url.id >= host.id << 35 AND url.id < (host.id + 1) << 35;

        """
}

extension UInt64 {
    /// 64-bit FNV-1a, stirred so that all bits depend on all bytes.
    static func storeHash(_ bytes: some Sequence<UInt8>, seed: UInt64 = 0) -> UInt64 {
        var bytesHash = FNV1a(seed: seed)
        bytesHash.add(bytes)
        var hash = bytesHash.value
        hash ^= hash >> 32
        hash &*= 0xD6E8_FEB8_6659_FD93
        return hash ^ hash >> 32
    }
}

extension Date {
    /// Moments lie between 1970 and the year 36,000; what would be due later never is.
    private var clampedSeconds: Double {
        let seconds = timeIntervalSince1970
        return seconds.isNaN ? 0 : min(max(seconds, 0), 1_099_511_627_775)
    }
    var storeSeconds: Int64 { Int64(clampedSeconds) }
    var storeMilliseconds: Int64 { Int64(clampedSeconds * 1000) }
    init(storeSeconds: Int64) { self.init(timeIntervalSince1970: Double(storeSeconds)) }
    init(storeMilliseconds: Int64) { self.init(timeIntervalSince1970: Double(storeMilliseconds) / 1000) }
}

extension Duration {
    var storeSeconds: Int64 { components.seconds }
    var storeMilliseconds: Int64 {
        let parts = components
        return min(parts.seconds, 1 << 40) * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }
}
