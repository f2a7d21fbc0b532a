import Foundation
import GRDB
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore
@testable import Simulation

/// A storage of any earlier version becomes one of this version: the same one whichever versions are skipped, and whatever ends the
/// upgrade on its way.
@Suite struct UpgradeTests {
    private let scratch = StorageFolder()

    /// What earlier versions wrote: their storage, with a record that was deleted and kept its content, as theirs did.
    private static let previous =
        PreviousVersionTests.storage + """
            INSERT INTO record VALUES(4,'http://127.0.0.1:8765/old.html',1,4,5,6,7,1795381487,X'7B7D',CAST('{"title":"old"}' AS BLOB));
            UPDATE store SET sequence = 4;
            """

    private static let names = StoreSchema.migrator(of: URL(filePath: "/")).migrations

    private func open(_ folder: URL) throws -> DatabasePool {
        try DatabasePool(
            path: folder.appending(path: StorageDatabase.fileName).path, configuration: StoreSchema.configuration())
    }

    /// A storage with the migrations before one; nil: with all of them.
    private func make(_ folder: URL, before migration: String?) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let database = try open(folder)
        try database.write { try $0.execute(sql: Self.previous) }
        let migrator = StoreSchema.migrator(of: folder)
        for name in Self.names.prefix(while: { $0 != migration }) {
            if let step = PortionedStep.all.first(where: { $0.migration == name }), try database.read(step.isNeeded) {
                try step.run(in: database, rows: 1, committed: {}, tell: { _ in })
            }
            try migrator.migrate(database, upTo: name)
        }
        try database.close()
    }

    /// All tables with their rows, and all indexes and views.
    private func content(_ folder: URL) throws -> [String: [String]] {
        let database = try open(folder)
        defer { #expect(throws: Never.self) { try database.close() } }
        return try database.read { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            var content: [String: [String]] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT type, name, sql FROM sqlite_master") {
                let (type, name): (String, String) = (row["type"], row["name"])
                content["\(type) \(name)"] =
                    type == "table"
                    ? try Row.fetchAll(database, sql: "SELECT * FROM \(name)").map(\.description).sorted()
                    : [row["sql"] ?? ""]
            }
            return content
        }
    }

    /// Brings a storage up, with portions of two rows.
    private func upgrade(_ folder: URL, tell: (String) -> Void = { _ in }) throws {
        let database = try open(folder)
        defer { #expect(throws: Never.self) { try database.close() } }
        do {
            try StoreSchema.upgrade(database, of: folder, rows: 2, tell: tell)
        } catch {
            throw StorageError(error, path: folder.path)
        }
    }

    @Test func `whichever versions are skipped, the storage is the same, and has all that it had`() throws {
        let expected = scratch.url.appending(path: "expected")
        try make(expected, before: nil)
        let content = try content(expected)
        #expect(content["table url"]?.count == 5 && content["table record"]?.count == 4)
        for name in Self.names {
            let folder = scratch.url.appending(path: name)
            try make(folder, before: name)
            #expect(throws: StorageError.self) { try StorageReader(folder: folder) }
            withExtendedLifetime(try CrawlStorage(folder: folder)) {}
            #expect(try self.content(folder) == content, "from before “\(name)”")
        }
        let pages = try Self.pages(in: expected)
        #expect(pages["http://127.0.0.1:8765/2.html"] == "http://127.0.0.1:8765/")
        #expect(content["table record"]?.contains { $0.contains("old.html") && $0.contains("document:NULL") } == true)
    }

    /// Makes a storage of 0.1.0 of one of the version after it.
    private static let to010 = """
        DROP INDEX hostDropped; DROP INDEX hostQueued; DROP INDEX hostDue; DROP INDEX hostSuspended; DROP INDEX hostRests;
        DROP INDEX rulesUntil; DROP INDEX hostTrouble; DROP TABLE judgement; DROP TABLE card;
        ALTER TABLE host DROP COLUMN load; ALTER TABLE host DROP COLUMN dropped; ALTER TABLE host DROP COLUMN trouble;
        ALTER TABLE store DROP COLUMN load; ALTER TABLE store DROP COLUMN dropped; ALTER TABLE store DROP COLUMN hosts;
        ALTER TABLE store DROP COLUMN known; ALTER TABLE store DROP COLUMN queued; ALTER TABLE store DROP COLUMN records;
        ALTER TABLE outcome DROP COLUMN urls; ALTER TABLE url DROP COLUMN sources; ALTER TABLE url DROP COLUMN targets;
        DELETE FROM grdb_migrations WHERE identifier IN ('what went wrong with hosts', 'what reports are made of',
            'counts at hand, and which pages link where', 'what waits is bounded');
        """

    @Test func `a storage of 0.1.0 becomes the same, but for where its URLs were found`() throws {
        let expected = scratch.url.appending(path: "expected")
        try make(expected, before: nil)
        let folder = scratch.url.appending(path: "storage")
        try make(folder, before: Self.names.first)
        try open(folder).write { try $0.execute(sql: Self.to010) }
        withExtendedLifetime(try CrawlStorage(folder: folder)) {}
        try open(expected).write { try $0.execute(sql: "UPDATE url SET foundOn = NULL") }
        #expect(try content(folder) == content(expected))
    }

    /// The URLs with where they were found.
    private static func pages(in folder: URL) throws -> [String: String] {
        var pages: [String: String] = [:]
        let reader = try StorageReader(folder: folder)
        for name in ["", "1.html", "2.html", "gone.html"] {
            let url = try #require(WebURL("http://127.0.0.1:8765/" + name))
            pages[url.href] = try #require(try reader.history(of: url)).foundOn ?? "nowhere"
        }
        return pages
    }

    @Test(.slow) func `an upgrade that ends at any moment goes on, and nothing is lost`() throws {
        let expected = scratch.url.appending(path: "expected")
        try make(expected, before: nil)
        let content = try content(expected)
        let copies = Mutex<[URL]>([])
        let watched = Mutex<FaultyDisk?>(nil)
        let folder = scratch.url.appending(path: "storage")
        try make(folder, before: Self.names.first)
        let disk = try FaultyDisk(folder: folder) { [scratch] operation in
            guard let disk = watched.withLock(\.self) else { return .happens }
            do {
                let isCut = operation.isMultiple(of: 2)
                let copy = scratch.url.appending(path: "\(isCut ? "cut" : "killed")-\(operation)")
                try disk.copy(to: copy, cuttingPower: isCut ? operation : nil)
                copies.withLock { $0.append(copy) }
            } catch {
                Issue.record(error)
            }
            return .happens
        }
        watched.withLock { $0 = disk }
        var told: [String] = []
        try upgrade(folder) { told.append($0) }
        watched.withLock { $0 = nil }
        disk.end()
        #expect(try self.content(folder) == content)
        // URLs, records twice; indexes of both.
        #expect(told.filter { $0.hasPrefix("Upgrading the storage: 2 of ") }.count == 3, "\(told)")
        #expect(told.contains("Upgrading the storage: an index of 5 URLs."))

        var standings: Set<StoreSchema.Standing> = []
        for copy in copies.withLock(\.self) {
            do {
                let database = try open(copy)
                defer { #expect(throws: Never.self) { try database.close() } }
                let standing = try database.read { try StoreSchema.Standing(of: $0, StoreSchema.migrator(of: copy)) }
                standings.insert(standing)
                if standing != .current { #expect(throws: StorageError.self) { try StorageReader(folder: copy) } }
                if standing == .begun {
                    // The previous version takes a migration that it does not know for one of a newer version.
                    var previous = DatabaseMigrator()
                    for name in StoreSchema.previousMigrations.union(Self.names) {
                        previous.registerMigration(name) { _ in }
                    }
                    #expect(try database.read(previous.hasBeenSuperseded))
                }
            }
            try upgrade(copy)
            #expect(try self.content(copy) == content, "\(copy.lastPathComponent)")
            try FileManager.default.removeItem(at: copy)
        }
        #expect(standings == [.older, .begun])
        let count = copies.withLock(\.count)
        #expect(count > 100, "\(count) moments")
    }

    @Test(.slow) func `an upgrade on a disk that becomes full ends with an error, and goes on when there is room`()
        throws
    {
        let expected = scratch.url.appending(path: "expected")
        try make(expected, before: nil)
        let content = try content(expected)
        var (failures, isDone) = (0, false)
        var place = 0
        while !isDone {
            let folder = scratch.url.appending(path: "full-\(place)")
            try make(folder, before: Self.names.first)
            // How many operations happen before the disk is full.
            let left = Mutex(Int.max)
            let disk = try FaultyDisk(folder: folder) { _ in
                left.withLock {
                    $0 -= 1
                    return $0 < 0 ? .isShort : .happens
                }
            }
            do {
                let database = try open(folder)
                try database.read { _ in }
                left.withLock { $0 = place }
                try StoreSchema.upgrade(database, of: folder, rows: 2)
                isDone = true
            } catch {
                failures += 1
                let error = StorageError(error, path: folder.path)
                if case .diskFull = error {} else { Issue.record("\(place): \(error)") }
            }
            disk.end()
            try upgrade(folder)
            #expect(try self.content(folder) == content, "full at \(place)")
            try FileManager.default.removeItem(at: folder)
            place += 7
        }
        #expect(failures > 10)
    }

    @Test func `a storage of a newer version is left alone by all commands`() throws {
        try scratch.open().write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('of the year 2040')") }
        for open in [{ _ = try scratch.open() }, { _ = try StorageReader(folder: scratch.url) }] {
            #expect(performing: open, throws: { "\($0)".contains("a newer version of Pippin has written it") })
        }
    }
}
