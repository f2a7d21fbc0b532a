import Foundation
import GRDB
import GRDBSQLite
import PippinPage

/// The tables of a storage folder's database, and how the database is opened.
///
///     host ──< url >── seed           url.id: host and place in the host (`URLNumber`)
///               │ └──< awaiting       pages whose canonical page is not visited yet
///               ▼
///             record ──< deepLink     the feed is this table in the order of its sequence; changes of its deep links
///             pageText                the main text of a record's page, if the job feeds a search index
///             judgement, card         what an observer of the crawl has left with each URL
///             link, popularity        the link graph, and what it gives to each record
///             shard, outbox, told…    of a job on several machines: what is kept for other shards
///
/// Operators query the views `url_view` and `host_view` (Docs/Operations.md). Their columns stay the same.
///
/// The database has a write-ahead log with `synchronous=NORMAL`. Committed data survives the end of the process, however it
/// ends. A loss of power may cost the last commits, but never leaves half of one; their visits are made again. The log is
/// synced before a consumer gets a cursor, so no cursor is ahead of the disk.
enum StoreSchema {
    /// Milliseconds that a connection waits for the locks of another one.
    static let patienceForLocks: Int32 = 20_000

    /// - Parameter checkpoints: copies the log of the connection that writes; nil leaves that to SQLite.
    static func configuration(readonly: Bool = false, checkpoints: LogCheckpoints? = nil) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = readonly
        configuration.journalMode = readonly ? .default : .wal
        configuration.busyMode = .timeout(Double(patienceForLocks) / 1000)
        configuration.prepareDatabase { database in
            // 96 MB for the connection that writes; the system caches the file as well. Connections that read go through the
            // file once.
            let onlyReads = sqlite3_db_readonly(database.sqliteConnection, "main") == 1
            try database.execute(sql: "PRAGMA cache_size = \(onlyReads ? -8_000 : -96_000)")
            guard !readonly else { return }
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // What is deleted is overwritten. Debian's SQLite does that by itself.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            checkpoints?.attend(database)
            try database.execute(sql: "PRAGMA journal_size_limit = 268435456")
        }
        return configuration
    }

    /// - Parameter folder: the storage folder, for messages.
    static func migrator(of folder: URL, identity: String? = nil) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("first release", merging: previousMigrations) { database, applied in
            if applied.isEmpty {
                try database.execute(sql: tables)
                if let identity { try database.execute(sql: "UPDATE store SET identity = ?", arguments: [identity]) }
            } else if applied == previousMigrations {
                try PortionedStep.hostsOfRecords.end(database)
            } else {
                throw StorageError.unusable(
                    folder: folder.path,
                    reason: "a version of Pippin has written it that is too old; crawl into another folder")
            }
            try database.execute(sql: indexOfHosts + views)
        }
        migrator.registerMigration("history of deep links") { try $0.execute(sql: deepLinkTables) }
        migrator.registerMigration("links among pages") { try $0.execute(sql: linkTables) }
        migrator.registerMigration("texts for searching") { try $0.execute(sql: textTables) }
        migrator.registerMigration("shards") { try $0.execute(sql: shardTables) }
        migrator.registerMigration("links are stored once", migrate: PortionedStep.linksOnce.end)
        migrator.registerMigration("hosts in the order of their visits") {
            try $0.execute(sql: "CREATE INDEX host_lastRequest ON host(lastRequest)")
        }
        migrator.registerMigration("deleted records keep no content") {
            try PortionedStep.deletedRecords.end($0)
            try $0.execute(sql: "CREATE INDEX refusalIdentifier ON refusal(identifier)")
        }
        migrator.registerMigration("URLs may be forgotten") {
            // Numbers of removed URLs that searches must pass (`VacatedNumbers`).
            try $0.execute(sql: "CREATE TABLE vacated(number INTEGER PRIMARY KEY)")
        }
        migrator.registerMigration("hosts may be forgotten") {
            // `lastHost`: the greatest number that a host was ever given; `hosts` is how many there are.
            try $0.execute(
                sql: """
                    ALTER TABLE store ADD COLUMN lastHost INTEGER NOT NULL DEFAULT 0;
                    UPDATE store SET lastHost = (SELECT coalesce(max(id), 0) FROM host), hosts = (SELECT count(*) FROM host);
                    CREATE INDEX hostEmpty ON host(id) WHERE urls = 0;
                    """)
        }
        migrator.registerMigration("URLs that are gone for long") {
            // When the first visit of those in a row was that did not find the URL; null if the last one did. Seconds since 1970.
            // Since when a host has answered no request; null if the last one was answered. Milliseconds since 1970.
            try $0.execute(
                sql: """
                    ALTER TABLE url ADD COLUMN missingSince INTEGER;
                    ALTER TABLE host ADD COLUMN silentSince INTEGER;
                    """)
        }
        migrator.registerMigration("nothing is searched at the start of a run") { try $0.execute(sql: startOfRun) }
        migrator.registerMigration("what runs leave and feed") {
            // `bytes`: `StorageHealth.bytes` at the end of the run. `consumers`: names of what it fed, one a line.
            try $0.execute(sql: "ALTER TABLE run ADD COLUMN bytes INTEGER; ALTER TABLE run ADD COLUMN consumers TEXT;")
        }
        migrator.registerMigration("numbers that a restored storage leaves out") { try $0.execute(sql: gapTable) }
        migrator.registerMigration("files of records have an age") {
            // When the file got its first line; null while it has none. Seconds since 1970.
            try $0.execute(sql: "ALTER TABLE consumer ADD COLUMN began INTEGER")
        }
        migrator.registerMigration("when a storage was restored") {
            // The last run before.
            try $0.execute(sql: "ALTER TABLE gap ADD COLUMN run INTEGER")
        }
        migrator.registerMigration("nearer ways") { try $0.execute(sql: nearerTables) }
        migrator.registerMigration("popularity has changes of its own") { try $0.execute(sql: popularityChanges) }
        migrator.registerMigration("settings of the last run") {
            // `SettingsKey`; null until a run has planned all URLs by its settings.
            try $0.execute(
                sql: "ALTER TABLE store ADD COLUMN intervals INTEGER; ALTER TABLE store ADD COLUMN refusals INTEGER;")
        }
        return migrator
    }

    /// Brings a database up to this version, from any version since 0.1.0.
    ///
    /// - Parameters:
    ///   - rows: the rows of a portion of those steps that go through a large table.
    ///   - identity: the name of a new storage; nil: a random one.
    ///   - committed: called after each portion.
    ///   - tell: gets sentences about the progress, if it takes long.
    static func upgrade(
        _ database: DatabasePool, of folder: URL, identity: String? = nil, rows: Int = PortionedStep.rows,
        committed: () throws -> Void = {}, tell: (String) -> Void = { _ in }
    ) throws {
        let migrator = migrator(of: folder, identity: identity)
        let (applied, standing) = try database.read {
            (try migrator.appliedMigrations($0), try Standing(of: $0, migrator))
        }
        if standing == .newer { throw StorageError.unusable(folder: folder.path, reason: standing.reason) }
        guard applied == Array(migrator.migrations.prefix(applied.count)) else {
            throw StorageError.damaged(reason: "\(folder.path): its list of migrations has gaps")
        }
        if standing == .older, applied.isEmpty { try leave010(database) }
        for step in PortionedStep.all where standing != .new {
            guard let place = migrator.migrations.firstIndex(of: step.migration), place >= applied.count else {
                continue
            }
            if place > applied.count { try migrator.migrate(database, upTo: migrator.migrations[place - 1]) }
            guard try database.read(step.isNeeded) else { continue }
            try step.run(in: database, rows: rows, committed: committed, tell: tell)
            try migrator.migrate(database, upTo: step.migration)
        }
        try migrator.migrate(database)
    }

    /// How a database stands to this version of the program.
    enum Standing {
        case new, older, current, newer
        /// An upgrade has begun, and its present step has not ended.
        case begun

        /// GRDB's own check would take the merged migrations, which it does not know, for newer ones.
        init(of database: Database, _ migrator: DatabaseMigrator) throws {
            let applied = try migrator.appliedIdentifiers(database)
            if applied.isEmpty {
                self = .new
            } else if !applied.isSubset(of: previousMigrations.union(migrator.migrations).union(PortionedStep.marks)) {
                self = .newer
            } else if !applied.isDisjoint(with: PortionedStep.marks) {
                self = .begun
            } else {
                self = try migrator.hasCompletedMigrations(database) ? .current : .older
            }
        }

        /// Why the database cannot be used as it is.
        var reason: String {
            switch self {
            case .new: "no job has written into it yet; pippin crawl does"
            case .current: "it is of this version"
            case .older: "an older version of Pippin has written it; pippin crawl brings it up"
            case .newer: "a newer version of Pippin has written it; use that version"
            case .begun: "it is being upgraded; if no process is at it, pippin crawl goes on"
            }
        }
    }

    // MARK: From the previous version

    /// The migrations of a storage that the previous version has written, as GRDB would apply those that are missing. A storage of 0.1.0
    /// has the first five.
    private static let beforeFirstRelease: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        for name in [
            "runs", "frontier and records", "near duplicates are found when asked for", "what an index refuses",
            "robots.txt of hosts",
        ] {
            migrator.registerMigration(name) { _ in preconditionFailure("\(name): a storage of 0.1.0 has it") }
        }
        migrator.registerMigration("what went wrong with hosts") { try $0.execute(sql: troubles) }
        migrator.registerMigration("what reports are made of") { try $0.execute(sql: reports) }
        migrator.registerMigration("counts at hand, and which pages link where") { try $0.execute(sql: counts) }
        migrator.registerMigration("what waits is bounded") { try $0.execute(sql: bounds) }
        return migrator
    }()
    static let previousMigrations = Set(beforeFirstRelease.migrations)

    /// Brings a storage of 0.1.0 up to the previous version.
    private static func leave010(_ database: DatabasePool) throws {
        let applied = try database.read(beforeFirstRelease.completedMigrations)
        if (5..<beforeFirstRelease.migrations.count).contains(applied.count) {
            try beforeFirstRelease.migrate(database)
        }
    }

    private static let troubles = """
        ALTER TABLE host ADD COLUMN trouble TEXT;
        CREATE INDEX hostTrouble ON host(name) WHERE trouble IS NOT NULL;

        """

    private static let reports = """
        CREATE TABLE judgement(
            url INTEGER PRIMARY KEY, at INTEGER NOT NULL, stands INTEGER NOT NULL, entry BLOB NOT NULL,
            failedAt INTEGER, failure BLOB);
        CREATE TABLE card(url INTEGER PRIMARY KEY, weight INTEGER NOT NULL, card BLOB NOT NULL);
        CREATE INDEX cardWeight ON card(weight);

        """

    private static let counts = """
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
        CREATE INDEX hostQueued ON host(queued DESC, name) WHERE queued > 0;
        CREATE INDEX hostDue ON host(nextDue) WHERE nextDue IS NOT NULL;
        CREATE INDEX hostSuspended ON host(suspendedUntil) WHERE suspendedUntil IS NOT NULL;
        CREATE INDEX hostRests ON host(nextRequest) WHERE nextRequest IS NOT NULL;
        CREATE INDEX rulesUntil ON rules(until);
        ALTER TABLE url ADD COLUMN sources BLOB;
        ALTER TABLE url ADD COLUMN targets BLOB;

        """

    private static let bounds = """
        ALTER TABLE host ADD COLUMN load INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE host ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN load INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE store ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
        UPDATE host SET load = queued WHERE queued > 0;
        UPDATE store SET load = queued;
        CREATE INDEX hostDropped ON host(dropped DESC, name) WHERE dropped > 0;

        """

    /// Whether the previous version has written the database.
    static func isPrevious(_ database: Database) throws -> Bool {
        try DatabaseMigrator().appliedIdentifiers(database).isSuperset(of: previousMigrations)
    }

    /// The secret key of this storage for `URLNumber.place`.
    static func placeKey(_ database: Database) throws -> UInt64 {
        let identity = try String.fetchOne(database, sql: "SELECT identity FROM store") ?? ""
        return UInt64.storeHash(identity.utf8)
    }

    // MARK: Tables

    static let columnsOfURLs = """
        id INTEGER PRIMARY KEY, address TEXT NOT NULL, state INTEGER NOT NULL, rank INTEGER NOT NULL,
        depth INTEGER NOT NULL, seed INTEGER NOT NULL, flags INTEGER NOT NULL, extras TEXT,
        visitedAt INTEGER, rhythm INTEGER, visits INTEGER, changes INTEGER, failures INTEGER, misses INTEGER,
        entityTag TEXT, lastModified TEXT, contentHash TEXT, record TEXT, canonical INTEGER, detail TEXT,
        history BLOB, foundOn INTEGER
        """
    static let indexOfURLs = "CREATE INDEX urlRank ON url(id >> 35, rank);"

    private static let tables = """
        CREATE TABLE run(
            id INTEGER PRIMARY KEY AUTOINCREMENT, startedAt DATETIME NOT NULL, endedAt DATETIME, ending TEXT,
            visits INTEGER NOT NULL, records INTEGER NOT NULL);

        -- One row. `identity`: a random name of this storage. `isOpen`: 1 while a run uses it. The other columns are counts, so that
        -- `pippin status` need not read whole tables; each transaction updates them. `records`: without deleted ones. `load`: what
        -- the queued URLs count for (`FrontierLimits`). `dropped`: URLs that were not kept.
        CREATE TABLE store(
            id INTEGER PRIMARY KEY CHECK (id = 1),
            identity TEXT NOT NULL, turn INTEGER NOT NULL, sequence INTEGER NOT NULL, isOpen INTEGER NOT NULL,
            hosts INTEGER NOT NULL DEFAULT 0, known INTEGER NOT NULL DEFAULT 0, queued INTEGER NOT NULL DEFAULT 0,
            records INTEGER NOT NULL DEFAULT 0, load INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0);
        INSERT INTO store(id, identity, turn, sequence, isOpen) VALUES (1, lower(hex(randomblob(8))), 0, 0, 0);

        CREATE TABLE seed(
            id INTEGER PRIMARY KEY, url TEXT NOT NULL, kind TEXT, storeIdentifier TEXT, bundleIdentifier TEXT,
            packageName TEXT, landingHosts TEXT);

        -- `urls`: the number of URLs whose last visit had this outcome.
        CREATE TABLE outcome(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, urls INTEGER NOT NULL DEFAULT 0);

        -- `nextDue`: no finished URL is due before this moment. The columns of `HostClock` are in milliseconds: moments since 1970,
        -- and durations; `keptAt`: when they were stored. `answeredFrom`: the address that answered last. `trouble`: what went
        -- wrong with the last request (`RequestFailure.detail`: cause, URL, words); null if it was answered.
        CREATE TABLE host(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, queued INTEGER NOT NULL, urls INTEGER NOT NULL,
            nextDue INTEGER, suspendedUntil INTEGER, lastRequest INTEGER, nextRequest INTEGER, keptAt INTEGER,
            crawlDelay INTEGER, failures INTEGER NOT NULL, openings INTEGER NOT NULL, responseTime INTEGER,
            answeredFrom TEXT, trouble TEXT, load INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0);
        -- For `pippin status`: hosts with queued, due, resting or failing URLs.
        CREATE INDEX hostQueued ON host(queued DESC, name) WHERE queued > 0;
        CREATE INDEX hostDue ON host(nextDue) WHERE nextDue IS NOT NULL;
        CREATE INDEX hostSuspended ON host(suspendedUntil) WHERE suspendedUntil IS NOT NULL;
        CREATE INDEX hostRests ON host(nextRequest) WHERE nextRequest IS NOT NULL;
        CREATE INDEX hostTrouble ON host(name) WHERE trouble IS NOT NULL;
        CREATE INDEX hostDropped ON host(dropped DESC, name) WHERE dropped > 0;

        -- The robots.txt of each origin (scheme, host, port) of a host. `text`: deflated (`DeflatedBytes`), or plain if an earlier
        -- version wrote it; null if there is no such file. `until`: when it must be fetched again, in seconds since 1970.
        CREATE TABLE rules(
            host INTEGER NOT NULL, origin TEXT NOT NULL, until INTEGER NOT NULL, text TEXT, PRIMARY KEY (host, origin));
        CREATE INDEX rulesUntil ON rules(until);

        -- `id`: `URLNumber`; `rank`: `URLTable.firstQueuedRank`; `flags`: `StoredFlags`.
        -- `address`: s (https) or h (http) for a page, S or H for a sitemap, then the part of the URL key after the host.
        -- `state`: 0 queued, 1 kept (visited, and its own canonical page), 2 finished otherwise, 3 duplicate of `canonical`.
        -- `record`: the identifier of its record; empty if that is the URL key. Moments: seconds since 1970.
        -- `history`: the last visits, oldest first, six bytes each: outcome and moment.
        -- `foundOn`: the number of the page whose link led to the URL first; null if no link did. The others are in `link`.
        CREATE TABLE url(\(columnsOfURLs));
        \(indexOfURLs)

        CREATE TABLE awaiting(target INTEGER NOT NULL, url INTEGER NOT NULL, PRIMARY KEY (target, url)) WITHOUT ROWID;

        -- `state`: 0 in the index, 1 deleted, 2 kept back because another record with the same content is in the index.
        -- `sequence`: the number of its last change in the feed; null if it was never in the feed.
        -- `version`: hash of all that consumers see, without `fetchedAt`. `cluster`: hash of host and content. `host`: hash of the
        -- host.
        CREATE TABLE record(
            id INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, sequence INTEGER,
            version INTEGER NOT NULL, cluster INTEGER NOT NULL, simHash INTEGER, fetchedAt INTEGER NOT NULL,
            deletion BLOB, document BLOB, host INTEGER NOT NULL DEFAULT 0);
        CREATE UNIQUE INDEX recordSequence ON record(sequence) WHERE sequence IS NOT NULL;
        CREATE INDEX recordCluster ON record(cluster, substr(identifier, 1, 5) = 'http:', identifier)
            WHERE state <> 1;

        -- For each consumer that the storage itself feeds: the last change it has, and the length of its file.
        CREATE TABLE consumer(name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;

        -- Records that a consumer refused, and why. Each run offers them again.
        CREATE TABLE refusal(
            consumer TEXT NOT NULL, identifier TEXT NOT NULL, status INTEGER NOT NULL, reason TEXT NOT NULL,
            PRIMARY KEY (consumer, identifier)) WITHOUT ROWID;

        -- What an observer has left with each URL (`KeptObservation`). `stands`: 1 if it stays when a later visit fails. Moments are
        -- in milliseconds. `failure`: the entry of a later visit that failed. `card`: the details with the greatest weights.
        CREATE TABLE judgement(
            url INTEGER PRIMARY KEY, at INTEGER NOT NULL, stands INTEGER NOT NULL, entry BLOB NOT NULL,
            failedAt INTEGER, failure BLOB);
        CREATE TABLE card(url INTEGER PRIMARY KEY, weight INTEGER NOT NULL, card BLOB NOT NULL);
        CREATE INDEX cardWeight ON card(weight);

        """

    /// The index that `NearDuplicates` reads: the fingerprints of a host's listed records.
    private static let indexOfHosts = """
        CREATE INDEX recordHost ON record(host, state, id, simHash) WHERE state = 0 AND simHash IS NOT NULL;

        """

    private static let linkTables = """
        -- `page`: the number of a page that was read. `targets`: the numbers of the URLs that it links to (`PackedLinks`), and
        -- `count`: how many. `leadsTo`: the URL that stands for it, because it redirects there or names it as canonical.
        CREATE TABLE link(page INTEGER PRIMARY KEY, count INTEGER NOT NULL DEFAULT 0, leadsTo INTEGER, targets BLOB);

        -- `page`: the number of the URL of a record. `value`: its popularity, as consumers have it, in `Popularity.steps`; null
        -- before the first ranking.
        CREATE TABLE popularity(record INTEGER PRIMARY KEY, page INTEGER NOT NULL, value INTEGER);

        """

    /// `popularity.sequence`: the number of the last change of the value alone; null if there was none. `claims`: whether the record's page
    /// claims a popularity; null if that is not known. `consumer.after`, `until`: a reading of the feed that is not at its end
    /// (`ChangeFeed.Place`).
    private static let popularityChanges = """
        ALTER TABLE popularity ADD COLUMN sequence INTEGER;
        ALTER TABLE popularity ADD COLUMN claims INTEGER;
        CREATE UNIQUE INDEX popularitySequence ON popularity(sequence) WHERE sequence IS NOT NULL;
        ALTER TABLE consumer ADD COLUMN after INTEGER;
        ALTER TABLE consumer ADD COLUMN until INTEGER;

        """

    /// What became of the deep links of records.
    ///
    /// `link`: the number of the deep link in its record, so that rows of one link are found. `since`, `previousSince`: when the
    /// status began. Moments: seconds since 1970.
    private static let deepLinkTables = """
        CREATE TABLE deepLink(
            id INTEGER PRIMARY KEY, record INTEGER NOT NULL, link INTEGER NOT NULL, at INTEGER NOT NULL,
            platform TEXT NOT NULL, storeIdentifier TEXT, bundleIdentifier TEXT, appClipBundleIdentifier TEXT,
            packageName TEXT, appName TEXT, url TEXT, status TEXT, since INTEGER,
            previousURL TEXT, previousStatus TEXT, previousSince INTEGER, reason TEXT);
        CREATE INDEX deepLinkRecord ON deepLink(record, id);

        """

    private static let textTables = """
        -- `record`: its number. `text`: the beginning of the page's main text (`SearchedText`).
        CREATE TABLE pageText(record INTEGER PRIMARY KEY, text TEXT NOT NULL);

        """

    /// What a shard keeps for others.
    private static let shardTables = """
        -- One row, if the storage is a shard. `turn`: the last turn that began; `endsAt`: when it ends, in milliseconds since 1970.
        CREATE TABLE shard(
            id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL, count INTEGER NOT NULL, rule TEXT NOT NULL,
            turn INTEGER NOT NULL, endsAt INTEGER NOT NULL);

        -- URLs that were found for other shards, each once. `key`: `CrawlRequest.mailKey`; `depth`, `seed`: of the way to it;
        -- `shard`: whose it is; `request`: JSON.
        CREATE TABLE outbox(
            key TEXT PRIMARY KEY, sequence INTEGER NOT NULL, shard INTEGER NOT NULL, depth INTEGER NOT NULL,
            seed INTEGER NOT NULL, request BLOB NOT NULL) WITHOUT ROWID;
        CREATE UNIQUE INDEX outboxSequence ON outbox(sequence);

        -- The links of a page as others need them, with keys in place of numbers. `page`: its number; `finding`: JSON, deflated.
        CREATE TABLE toldLinks(page INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, finding BLOB NOT NULL);
        CREATE UNIQUE INDEX toldLinksSequence ON toldLinks(sequence);

        -- What was last told of hosts.
        CREATE TABLE toldHost(
            host INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, urls INTEGER NOT NULL, queued INTEGER NOT NULL,
            nextDue INTEGER, address TEXT);
        CREATE UNIQUE INDEX toldHostSequence ON toldHost(sequence);

        """

    private static let startOfRun = """
        -- `latest`: the latest of the hosts' moments `keptAt` and `lastRequest`.
        ALTER TABLE store ADD COLUMN latest INTEGER NOT NULL DEFAULT 0;
        UPDATE store SET latest = (SELECT max(coalesce(max(keptAt), 0), coalesce(max(lastRequest), 0)) FROM host);
        -- All that `LeaseQueries` asks of hosts.
        DROP INDEX host_lastRequest;
        CREATE INDEX hostAsked ON host(lastRequest, id, queued, nextDue, suspendedUntil);

        """

    private static let gapTable = """
        -- A row for each backup that this storage was restored from: changes between these numbers are not in it, although consumers may
        -- have them. `until`: null in a backup; the first run in it sets it.
        CREATE TABLE gap(after INTEGER NOT NULL, until INTEGER);

        """

    private static let nearerTables = """
        -- Pages to which a nearer way was found after their visit, and whose links do not have the new depth yet.
        CREATE TABLE nearer(page INTEGER PRIMARY KEY);

        -- `number`: of a URL in the outbox, which stays the same when the URL is told again.
        ALTER TABLE outbox ADD COLUMN number INTEGER;
        UPDATE outbox SET number = sequence;
        CREATE UNIQUE INDEX outboxNumber ON outbox(number);

        -- The links of a page to URLs in the outbox, packed like `link.targets`; those that add no depth are marked in place of `nofollow`.
        -- With the sign changed, `page` is one that leads to URLs of this storage which are not in `link`, such as entries of a feed.
        CREATE TABLE away(page INTEGER PRIMARY KEY, targets BLOB NOT NULL);

        """

    // MARK: Views

    /// Views for operators, with names instead of numbers and times as text in UTC. Docs/Operations.md lists the columns.
    ///
    /// The second view finds a host's URLs by a range of `id`. SQLite uses the index on `id >> 35` only for a value that is
    /// given with the statement, not for a column of a joined table.
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
    /// 64-bit FNV-1a with a final mixing step, so that every bit depends on every byte.
    static func storeHash(_ bytes: some Sequence<UInt8>, seed: UInt64 = 0) -> UInt64 {
        var hash = FNV1a(seed: seed)
        hash.add(bytes)
        return storeHash(hash)
    }

    /// The final mixing step alone.
    static func storeHash(_ bytes: FNV1a) -> UInt64 {
        var hash = bytes.value
        hash ^= hash >> 32
        hash &*= 0xD6E8_FEB8_6659_FD93
        return hash ^ hash >> 32
    }
}

extension Date {
    /// Seconds since 1970, limited to 0 ..< 2^40 (about the year 36,800), so that a due time stays below
    /// `URLTable.firstQueuedRank`.
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
