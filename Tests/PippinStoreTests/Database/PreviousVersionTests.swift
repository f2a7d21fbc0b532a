import Foundation
import GRDB
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// A storage that the version before has written goes on as it was.
@Suite struct PreviousVersionTests {
    private let folder = StorageFolder()
    private let origin = "http://127.0.0.1:8765"

    private func write(_ sql: String) throws {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let path = folder.url.appending(path: StorageDatabase.fileName).path
        try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
    }

    /// Tables, indexes and views, and the columns of each table.
    private static func shape(_ folder: StorageFolder) throws -> Set<String> {
        try folder.open().read { database in
            var shape: Set<String> = []
            for row in try Row.fetchAll(database, sql: "SELECT type, name FROM sqlite_master") {
                let (type, name): (String, String) = (row["type"], row["name"])
                shape.insert("\(type) \(name)")
                guard type == "table" else { continue }
                for column in try database.columns(in: name) {
                    shape.insert("\(name).\(column.name) \(column.type) \(column.isNotNull)")
                }
            }
            return shape
        }
    }

    @Test func `what the version before knew is known`() throws {
        try write(Self.storage)
        #expect(throws: StorageError.self) { try StorageReader(folder: folder.url) }
        _ = try folder.open()
        let status = try StorageStatus(StorageReader(folder: folder.url))
        #expect((status.known, status.records, status.hosts) == (5, 3, 1))
        #expect(status.lastOutcomes == ["recorded": 3, "gone": 2] && status.runs.count == 1)
        let page = try #require(try folder.history(of: origin + "/2.html"))
        #expect(page.record == .listed(identifier: origin + "/2.html", nearDuplicateOf: origin + "/1.html"))
        #expect(page.foundOn == origin + "/" && page.visits.map(\.outcome) == ["recorded"])
        #expect(try folder.history(of: origin + "/gone.html")?.visits.map(\.outcome) == ["gone"])
        var changes: [String] = []
        var versions: [Int?] = []
        try folder.open().feed.read(since: ChangeFeed.Cursor("ab74b49d91b658da-1")) { change in
            changes.append(change.identifier)
            var parser = JSONParser()
            versions.append(try parser.parse(change.document)["schemaVersion"]?.integer)
        }
        #expect(changes == [origin + "/1.html", origin + "/2.html"])
        // A record keeps its form until its page is read again, and `RevalidationKey` sees to it that it is read.
        #expect(versions == [1, 1] && DeepLinkRecord.schemaVersion == 2)
    }

    @Test func `what it knew of deep links begins their history`() async throws {
        try write(Self.storage)
        let store = try StoreUnderTest(folder)
        var record = DeepLinkRecord.of(
            origin + "/1.html", says: "other", at: Date(timeIntervalSince1970: 1_800_000_000))
        var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.smartAppBanner])
        link.storeIdentifier = "901"
        link.verification = DeepLinkRecord.Verification(status: .unverifiable)
        record.deepLinks = [link]
        try await store.write(.upsert(RecordDocument(record)))
        let changes = try #require(try folder.history(of: origin + "/1.html")).deepLinks
        #expect(changes.map(\.kind) == [.added, .changed])
        #expect(changes.last?.before?.status == .verified)
        #expect(changes.last?.before?.since == SchemaOrg.date("2026-11-22T21:04:47Z"))
    }

    @Test func `it has the tables of a new one then`() throws {
        let new = try Self.shape(StorageFolder())
        try write(Self.storage)
        #expect(try Self.shape(folder) == new)
    }

    @Test func `an older one is refused with what to do`() throws {
        try write(Self.storage + "DELETE FROM grdb_migrations WHERE identifier = 'robots.txt of hosts';")
        #expect {
            try folder.open()
        } throws: {
            "\($0)".contains("too old; crawl into another folder")
        }
    }

    /// A storage of that version, as SQL.
    static let storage = """
        CREATE TABLE awaiting(target INTEGER NOT NULL, url INTEGER NOT NULL, PRIMARY KEY (target, url)) WITHOUT ROWID;
        CREATE TABLE card(url INTEGER PRIMARY KEY, weight INTEGER NOT NULL, card BLOB NOT NULL);
        CREATE TABLE consumer(name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO "grdb_migrations" VALUES('runs');
        INSERT INTO "grdb_migrations" VALUES('frontier and records');
        INSERT INTO "grdb_migrations" VALUES('near duplicates are found when asked for');
        INSERT INTO "grdb_migrations" VALUES('what an index refuses');
        INSERT INTO "grdb_migrations" VALUES('robots.txt of hosts');
        INSERT INTO "grdb_migrations" VALUES('what went wrong with hosts');
        INSERT INTO "grdb_migrations" VALUES('what reports are made of');
        INSERT INTO "grdb_migrations" VALUES('counts at hand, and which pages link where');
        INSERT INTO "grdb_migrations" VALUES('what waits is bounded');
        CREATE TABLE host( id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, queued INTEGER NOT NULL, urls INTEGER NOT
            NULL, nextDue INTEGER, suspendedUntil INTEGER, lastRequest INTEGER, nextRequest INTEGER, keptAt INTEGER,
            crawlDelay INTEGER, failures INTEGER NOT NULL, openings INTEGER NOT NULL, responseTime INTEGER, answeredFrom
            TEXT, trouble TEXT, load INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0);
        INSERT INTO "host"
            VALUES(1,'127.0.0.1',0,5,1795467886,NULL,1795381487628,1795381487828,1795381487629,NULL,0,0,47,'127.0.0.1',
            NULL,0,0);
        CREATE TABLE judgement( url INTEGER PRIMARY KEY, at INTEGER NOT NULL, stands INTEGER NOT NULL, entry BLOB NOT
            NULL, failedAt INTEGER, failure BLOB);
        CREATE TABLE nearness(quarter INTEGER NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (quarter,
             record)) WITHOUT ROWID;
        INSERT INTO "nearness" VALUES(3371042717474551187,2);
        INSERT INTO "nearness" VALUES(3371042717474551251,3);
        INSERT INTO "nearness" VALUES(3371042717474573757,2);
        INSERT INTO "nearness" VALUES(3371042717474573757,3);
        INSERT INTO "nearness" VALUES(3371042717474667732,2);
        INSERT INTO "nearness" VALUES(3371042717474667734,3);
        INSERT INTO "nearness" VALUES(3371042717474737420,2);
        INSERT INTO "nearness" VALUES(3371042717474741516,3);
        CREATE TABLE outcome(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, urls INTEGER NOT NULL DEFAULT 0);
        INSERT INTO "outcome" VALUES(1,'gone',2);
        INSERT INTO "outcome" VALUES(2,'recorded',3);
        CREATE TABLE record( id INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, sequence
            INTEGER, version INTEGER NOT NULL, cluster INTEGER NOT NULL, simHash INTEGER, fetchedAt INTEGER NOT NULL,
            deletion BLOB, document BLOB);
        INSERT INTO "record"
            VALUES(1,'http://127.0.0.1:8765/',0,1,3779309413236256138,-664573464912830816,NULL,1795381486,NULL,
            CAST('{"schemaVersion":1,"uniqueIdentifier":"http://127.0.0.1:8765/"}'
            AS BLOB));
        INSERT INTO "record"
            VALUES(2,'http://127.0.0.1:8765/1.html',0,2,-8154729058047252257,-664568309938026015,-3671351976190413421,
            1795381487,NULL,CAST('{"schemaVersion":1,"uniqueIdentifier":"http://127.0.0.1:8765/1.html","deepLinks":[{"platform":"ios","storeIdentifier":"901","sources":["smart-app-banner"],"verification":{"status":"verified"}}],"fetchedAt":"2026-11-22T21:04:47Z"}'
            AS BLOB));
        INSERT INTO "record"
            VALUES(3,'http://127.0.0.1:8765/2.html',0,3,-133288249739024464,-664571987144586092,-2518430462993631789,
            1795381487,NULL,CAST('{"schemaVersion":1,"uniqueIdentifier":"http://127.0.0.1:8765/2.html"}'
            AS BLOB));
        CREATE TABLE refusal( consumer TEXT NOT NULL, identifier TEXT NOT NULL, status INTEGER NOT NULL, reason TEXT NOT
            NULL, PRIMARY KEY (consumer, identifier)) WITHOUT ROWID;
        CREATE TABLE rules( host INTEGER NOT NULL, origin TEXT NOT NULL, until INTEGER NOT NULL, text TEXT, PRIMARY KEY
            (host, origin));
        INSERT INTO "rules" VALUES(1,'http://127.0.0.1:8765',1795467886,NULL);
        CREATE TABLE "run" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "startedAt" DATETIME NOT NULL, "endedAt" DATETIME,
            "ending" TEXT, "visits" INTEGER NOT NULL, "records" INTEGER NOT NULL);
        INSERT INTO "run" VALUES(1,'2026-11-22 21:04:46.230','2026-11-22 21:04:47.642','finished',4,3);
        CREATE TABLE seed( id INTEGER PRIMARY KEY, url TEXT NOT NULL, kind TEXT, storeIdentifier TEXT, bundleIdentifier
            TEXT, packageName TEXT, landingHosts TEXT);
        INSERT INTO "seed" VALUES(1,'http://127.0.0.1:8765/',NULL,NULL,NULL,NULL,'');
        CREATE TABLE store( id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL, turn INTEGER NOT NULL,
            sequence INTEGER NOT NULL, isOpen INTEGER NOT NULL, hosts INTEGER NOT NULL DEFAULT 0, known INTEGER NOT NULL
            DEFAULT 0, queued INTEGER NOT NULL DEFAULT 0, records INTEGER NOT NULL DEFAULT 0, load INTEGER NOT NULL
            DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0);
        INSERT INTO "store" VALUES(1,'ab74b49d91b658da',5,3,0,1,5,0,3,0,0);
        CREATE TABLE url( id INTEGER PRIMARY KEY, address TEXT NOT NULL, state INTEGER NOT NULL, rank INTEGER NOT NULL,
            depth INTEGER NOT NULL, seed INTEGER NOT NULL, flags INTEGER NOT NULL, extras TEXT, visitedAt INTEGER,
            rhythm INTEGER, visits INTEGER, changes INTEGER, failures INTEGER, misses INTEGER, entityTag TEXT,
            lastModified TEXT, contentHash TEXT, record TEXT, canonical INTEGER, detail TEXT, history BLOB, sources
            BLOB, targets BLOB);
        INSERT INTO "url"
            VALUES(45850080773,'h:8765/1.html',1,1795467887,1,1,2460352513,NULL,1795381487,86400,1,0,0,0,NULL,NULL,'9bde7a2ce73a0920','',NULL,NULL,X'0200EF58036B',X'9A684CAE0A000000',NULL);
        INSERT INTO "url"
            VALUES(45873916058,'h:8765/',1,1795467886,0,1,2460352520,NULL,1795381486,86400,1,0,0,0,NULL,NULL,'db7614bf2c8a2467','',NULL,NULL,X'0200EE58036B',NULL,
            X'05B6E0AC0A000000CBA724AF0A000000BAD4FFAF0A000000');
        INSERT INTO "url"
            VALUES(45888088011,'h:8765/2.html',1,1795467887,1,1,2460352513,NULL,1795381487,86400,1,0,0,0,NULL,NULL,'99bd109346c0da42','',NULL,NULL,X'0200EF58036B',X'9A684CAE0A000000',NULL);
        INSERT INTO "url"
            VALUES(45902451898,'h:8765/gone.html',2,1795727087,1,1,1,NULL,1795381487,345600,1,0,0,0,NULL,NULL,NULL,NULL,
            NULL,'404',X'0100EF58036B',X'9A684CAE0A000000',NULL);
        INSERT INTO "url"
            VALUES(52589159807,'H:8765/sitemap.xml',2,1795727086,1,1,2,'{"sitemapHost":"127.0.0.1","sitemapLevel":0}',
            1795381486,345600,1,0,0,0,NULL,NULL,NULL,NULL,NULL,'404',X'0100EE58036B',NULL,NULL);
        CREATE INDEX urlRank ON url(id >> 35, rank);
        CREATE UNIQUE INDEX recordSequence ON record(sequence) WHERE sequence IS NOT NULL;
        CREATE INDEX recordCluster ON record(cluster, substr(identifier, 1, 5) = 'http:', identifier) WHERE state <> 1;
        CREATE INDEX hostTrouble ON host(name) WHERE trouble IS NOT NULL;
        CREATE INDEX cardWeight ON card(weight);
        CREATE INDEX hostQueued ON host(queued DESC, name) WHERE queued > 0;
        CREATE INDEX hostDue ON host(nextDue) WHERE nextDue IS NOT NULL;
        CREATE INDEX hostSuspended ON host(suspendedUntil) WHERE suspendedUntil IS NOT NULL;
        CREATE INDEX hostRests ON host(nextRequest) WHERE nextRequest IS NOT NULL;
        CREATE INDEX rulesUntil ON rules(until);
        CREATE INDEX hostDropped ON host(dropped DESC, name) WHERE dropped > 0;

        """
}
