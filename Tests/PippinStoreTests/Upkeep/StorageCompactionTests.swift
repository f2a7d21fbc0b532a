import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// Space that deleted rows have left is given back, and nothing else changes.
@Suite struct StorageCompactionTests {
    private let job = CheckedJob()

    @Test func `files get smaller, and have what they had`() async throws {
        try await job.fill()
        try job.execute(
            """
            CREATE TABLE filler(bytes BLOB);
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2000)
                INSERT INTO filler SELECT randomblob(3000) FROM number;
            DROP TABLE filler
            """, inIndex: false)
        let lines = try ChangeFeed(folder: job.folder.url).summary()
        // Who reads, such as `pippin serve`, goes on.
        let reader = try StorageReader(folder: job.folder.url)
        let known = try StorageStatus(reader).known
        let compaction = try StorageCompaction(of: job.folder.url)
        #expect(compaction.database.before > 6_000_000 && compaction.database.after < 1_000_000)
        #expect(compaction.index != nil && compaction.notes.isEmpty)
        #expect(try ChangeFeed(folder: job.folder.url).summary() == lines)
        #expect(try StorageStatus(reader).known == known)
        #expect(try job.check(isFull: true).filter { !$0.isOK } == [])
    }

    @Test func `it refuses while a run is open, and makes no storage`() async throws {
        try await job.fill()
        let storage = try job.folder.open()
        #expect { try StorageCompaction(of: job.folder.url) } throws: {
            if case StorageError.held = $0 { true } else { false }
        }
        withExtendedLifetime(storage) {}
        let none = StorageFolder()
        #expect(throws: StorageError.self) { try StorageCompaction(of: none.url) }
        #expect(!FileManager.default.fileExists(atPath: none.url.path))
    }
}
