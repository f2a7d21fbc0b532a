import Foundation
import GRDB
import GRDBSQLite
import PippinPage

/// The tables of a storage folder's database, and how it is opened.
///
///     host ──< url >── seed           url.id = host.id << 35 | place in the host
///               │ └──< awaiting       pages that wait to hear whether their canonical page is good
///               ▼
///             record ──< nearness     the feed is record in the order of its sequence
///             judgement, card         what reports of the crawl need of a page, by its URL
///
/// Why the URL's number holds its host: a visit touches mostly URLs of one host, which so lie side by side in the table and
/// in its index. Keys in random order would touch a page of the database each, and slow down as soon as the table is
/// larger than memory.
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

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("runs") { database in
            try database.create(table: "run") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("startedAt", .datetime).notNull()
                table.column("endedAt", .datetime)
                table.column("ending", .text)
                table.column("visits", .integer).notNull()
                table.column("records", .integer).notNull()
            }
        }
        migrator.registerMigration("frontier and records") { try $0.execute(sql: frontier + records) }
        migrator.registerMigration("near duplicates are found when asked for") { try $0.execute(sql: nearness) }
        migrator.registerMigration("what an index refuses") { try $0.execute(sql: refusals) }
        migrator.registerMigration("robots.txt of hosts") { try $0.execute(sql: rules) }
        migrator.registerMigration("what went wrong with hosts") { try $0.execute(sql: troubles) }
        migrator.registerMigration("what reports are made of") { try $0.execute(sql: reports) }
        migrator.registerMigration("counts at hand, and which pages link where") { try $0.execute(sql: counts) }
        migrator.registerMigration("what waits is bounded") { try $0.execute(sql: bounds) }
        return migrator
    }

    /// What `StoredAddress.place` is made with in this storage.
    static func placeKey(_ database: Database) throws -> UInt64 {
        let identity = try String.fetchOne(database, sql: "SELECT identity FROM store") ?? ""
        return UInt64.storeHash(identity.utf8)
    }

    private static let frontier = """
        -- One row. `identity` tells this storage from every other; `isOpen` is 1 while a run has it.
        CREATE TABLE store(
            id INTEGER PRIMARY KEY CHECK (id = 1),
            identity TEXT NOT NULL, turn INTEGER NOT NULL, sequence INTEGER NOT NULL, isOpen INTEGER NOT NULL);
        INSERT INTO store VALUES (1, lower(hex(randomblob(8))), 0, 0, 0);

        CREATE TABLE seed(
            id INTEGER PRIMARY KEY, url TEXT NOT NULL, kind TEXT, storeIdentifier TEXT, bundleIdentifier TEXT,
            packageName TEXT, landingHosts TEXT);

        CREATE TABLE outcome(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE);

        -- `nextDue`: no finished URL is due before it. Moments and lengths of clocks (`HostClock`) are in milliseconds, since 1970
        -- and as they are; `keptAt` is when they held. `answeredFrom`: the address that answered last.
        CREATE TABLE host(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, queued INTEGER NOT NULL, urls INTEGER NOT NULL,
            nextDue INTEGER, suspendedUntil INTEGER, lastRequest INTEGER, nextRequest INTEGER, keptAt INTEGER,
            crawlDelay INTEGER, failures INTEGER NOT NULL, openings INTEGER NOT NULL, responseTime INTEGER,
            answeredFrom TEXT);

        -- `address`: s (https) or h (http) of a page, S or H of a sitemap, and what follows the host in the URL key.
        -- `state`: 0 queued, 1 finished and stands for itself, 2 finished, 3 duplicate of `canonical`.
        -- `rank`: the URL's place in its host's line. Below 2^40: when it is due again, in seconds since 1970. From there
        -- on it is queued: its priority above 40 bits of the order of arrival.
        -- `record`: identifier of its record; empty when that is the URL key. Other moments: seconds since 1970.
        -- `history`: the last visits, oldest first, six bytes each: outcome and moment.
        CREATE TABLE url(
            id INTEGER PRIMARY KEY, address TEXT NOT NULL, state INTEGER NOT NULL, rank INTEGER NOT NULL,
            depth INTEGER NOT NULL, seed INTEGER NOT NULL, flags INTEGER NOT NULL, extras TEXT,
            visitedAt INTEGER, rhythm INTEGER, visits INTEGER, changes INTEGER, failures INTEGER, misses INTEGER,
            entityTag TEXT, lastModified TEXT, contentHash TEXT, record TEXT, canonical INTEGER, detail TEXT,
            history BLOB);
        CREATE INDEX urlRank ON url(id >> 35, rank);

        CREATE TABLE awaiting(target INTEGER NOT NULL, url INTEGER NOT NULL, PRIMARY KEY (target, url)) WITHOUT ROWID;

        """

    private static let records = """
        -- `state`: 0 in the index, 1 deleted, 2 kept back because `identifier` of another record with the same content
        -- counts. `sequence`: when consumers were last told of it; null for those they never heard of.
        -- `version`: hash of all that consumers see but `fetchedAt`; `cluster`: hash of host and content.
        CREATE TABLE record(
            id INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, sequence INTEGER,
            version INTEGER NOT NULL, cluster INTEGER NOT NULL, simHash INTEGER, nearDuplicateOf INTEGER,
            fetchedAt INTEGER NOT NULL, deletion BLOB, document BLOB);
        CREATE UNIQUE INDEX recordSequence ON record(sequence) WHERE sequence IS NOT NULL;
        CREATE INDEX recordCluster ON record(cluster, substr(identifier, 1, 5) = 'http:', identifier)
            WHERE state <> 1;

        -- Of listed records, quarters of SimHashes: 46 bits of the host, the quarter's number, its 16 bits.
        CREATE TABLE nearness(quarter INTEGER NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (quarter, record))
            WITHOUT ROWID;

        -- How far a consumer that the storage itself feeds has come, and how long its file is.
        CREATE TABLE consumer(name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;

        """

    private static let rules = """
        -- The robots.txt of each origin of a host (scheme, host, port); no text where there is no such file.
        -- `text`: deflated (`DeflatedBytes`); what earlier versions wrote is plain. `until`, in seconds since
        -- 1970: when it must be fetched again.
        CREATE TABLE rules(
            host INTEGER NOT NULL, origin TEXT NOT NULL, until INTEGER NOT NULL, text TEXT, PRIMARY KEY (host, origin));

        """

    private static let troubles = """
        -- What went wrong with the last request to the host (`RequestFailure.detail`: cause, URL, words); null when it was answered.
        ALTER TABLE host ADD COLUMN trouble TEXT;
        CREATE INDEX hostTrouble ON host(name) WHERE trouble IS NOT NULL;

        """

    private static let counts = """
        -- Counts that a look at the job would otherwise need whole tables for; each transaction keeps them true.
        -- `records`: those that are not deleted. `outcome.urls`: URLs whose last visit ended so.
        ALTER TABLE store ADD COLUMN hosts INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN known INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
        UPDATE store SET hosts = (SELECT count(*) FROM host), known = (SELECT count(*) FROM url),
            queued = (SELECT count(*) FROM url WHERE rank >= 1 << 40),
            records = (SELECT count(*) FROM record WHERE state <> 1);
        ALTER TABLE outcome ADD COLUMN urls INTEGER NOT NULL DEFAULT 0;
        UPDATE outcome SET urls = counted.urls FROM (
            SELECT substr(history, -6, 2) AS code, count(*) AS urls FROM url WHERE history IS NOT NULL GROUP BY 1
        ) AS counted WHERE hex(counted.code) = printf('%02X%02X', outcome.id & 255, outcome.id >> 8);

        -- Who waits, who is due and who rests, for those who look at the job.
        CREATE INDEX hostQueued ON host(queued DESC, name) WHERE queued > 0;
        CREATE INDEX hostDue ON host(nextDue) WHERE nextDue IS NOT NULL;
        CREATE INDEX hostSuspended ON host(suspendedUntil) WHERE suspendedUntil IS NOT NULL;
        CREATE INDEX hostRests ON host(nextRequest) WHERE nextRequest IS NOT NULL;
        CREATE INDEX rulesUntil ON rules(until);

        -- `sources`: numbers of a few pages that link to the URL. `targets`: numbers of the URLs whose `sources` name this one.
        ALTER TABLE url ADD COLUMN sources BLOB;
        ALTER TABLE url ADD COLUMN targets BLOB;

        """

    private static let bounds = """
        -- Of what waits (`FrontierLimits`): what it counts for, and how many URLs were not kept.
        ALTER TABLE host ADD COLUMN load INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE host ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN load INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
        UPDATE host SET load = queued WHERE queued > 0;
        UPDATE store SET load = queued;
        CREATE INDEX hostDropped ON host(dropped DESC, name) WHERE dropped > 0;

        """

    private static let reports = """
        -- By URL, what the last report run saw there (`ReportEntry`), packed; `stands`: 1 of a page that was read, or a sitemap.
        -- Moments are in milliseconds.
        -- `failure`: an entry too, of a visit since then that could not have the page. `card`: of the worst pages alone.
        CREATE TABLE judgement(
            url INTEGER PRIMARY KEY, at INTEGER NOT NULL, stands INTEGER NOT NULL, entry BLOB NOT NULL,
            failedAt INTEGER, failure BLOB);
        CREATE TABLE card(url INTEGER PRIMARY KEY, weight INTEGER NOT NULL, card BLOB NOT NULL);
        CREATE INDEX cardWeight ON card(weight);

        """

    private static let nearness = """
        DELETE FROM nearness WHERE record IN (SELECT id FROM record WHERE state <> 0);
        ALTER TABLE record DROP COLUMN nearDuplicateOf;

        """

    private static let refusals = """
        -- Records that a consumer would not take, and why; each run offers them once more.
        CREATE TABLE refusal(
            consumer TEXT NOT NULL, identifier TEXT NOT NULL, status INTEGER NOT NULL, reason TEXT NOT NULL,
            PRIMARY KEY (consumer, identifier)) WITHOUT ROWID;

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
