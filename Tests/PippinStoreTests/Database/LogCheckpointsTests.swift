import Foundation
import GRDB
import Synchronization
import Testing

@testable import PippinStore

/// The write-ahead log is copied into the database while writing goes on.
@Suite struct LogCheckpointsTests {
    private let folder = StorageFolder()
    private static let pages: Int32 = 50

    private var path: String { folder.url.appending(path: "checkpoints.sqlite").path }

    private final class Told: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ sentence: String) { all.withLock { $0.append(sentence) } }
        var count: Int { all.withLock { $0.count } }
    }

    private func open(_ told: Told = Told()) throws -> DatabasePool {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let checkpoints = LogCheckpoints(path: path, pages: Self.pages, patience: 10, tell: { told.add($0) })
        return try DatabasePool(path: path, configuration: StoreSchema.configuration(checkpoints: checkpoints))
    }

    private func fill(_ pool: DatabasePool, rows: Range<Int>) throws {
        for row in rows {
            try pool.write { try $0.execute(sql: "INSERT INTO filler VALUES (?, randomblob(3000))", arguments: [row]) }
        }
    }

    private func logPages() throws -> Int {
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
        return size / 4096
    }

    @Test func `the log stays short and nothing is lost`() throws {
        do {
            let told = Told()
            let pool = try open(told)
            try pool.write { try $0.execute(sql: "CREATE TABLE filler(id INTEGER PRIMARY KEY, bytes BLOB)") }
            try fill(pool, rows: 0..<2_000)
            // A commit of a few pages passes the bound before it is waited for.
            #expect(try logPages() <= Int(Self.pages * (LogCheckpoints.most + 1)))
            #expect(told.count == 0)
        }
        let pool = try open()
        #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM filler") } == 2_000)
        #expect(try pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    }

    @Test func `who reads an old state makes the log grow, which is told, and it is copied when that ends`() throws {
        let told = Told()
        let pool = try open(told)
        try pool.write { try $0.execute(sql: "CREATE TABLE filler(id INTEGER PRIMARY KEY, bytes BLOB)") }
        let old = try pool.makeSnapshot()
        try fill(pool, rows: 0..<500)
        #expect(try logPages() > 500)
        #expect(try old.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM filler") } == 0)
        #expect((1...4).contains(told.count))
        try old.close()
        try fill(pool, rows: 500..<1_000)
        let database = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        #expect(database / 4096 > 500)
        #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM filler") } == 1_000)
    }

    @Test func `the error of a checkpoint is thrown, and what was committed is kept`() throws {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        // Its own connection finds no database: as good as a disk that fails.
        let checkpoints = LogCheckpoints(path: path + "/nowhere", pages: Self.pages)
        let pool = try DatabasePool(path: path, configuration: StoreSchema.configuration(checkpoints: checkpoints))
        try pool.write { try $0.execute(sql: "CREATE TABLE filler(id INTEGER PRIMARY KEY, bytes BLOB)") }
        let error = #expect(throws: DatabaseError.self) {
            for row in 0..<1_000 {
                try fill(pool, rows: row..<row + 1)
                checkpoints.finish()
                try checkpoints.raise()
            }
        }
        #expect(error?.resultCode == .SQLITE_CANTOPEN)
        let kept = try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM filler") } ?? 0
        #expect(kept > 0 && kept < 1_000)
    }
}
