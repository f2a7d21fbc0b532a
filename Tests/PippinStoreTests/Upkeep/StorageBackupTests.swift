import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// A backup is a storage, made while a run goes on, and whoever has seen more than it has learns so.
@Suite struct StorageBackupTests {
    private let job = CheckedJob()
    private let restored = StorageFolder()

    private func backUp() throws -> StorageBackup { try StorageBackup(of: job.folder.url, to: restored.url) }

    @Test func `a backup that is made during a run has what was committed, and nothing wrong`() async throws {
        try await job.fill()
        let store = try StoreUnderTest(job.folder)
        try await store.upsert("https://new.test/", says: "new")
        let backup = try backUp()
        try await store.upsert("https://later.test/", says: "later")
        let names = try FileManager.default.contentsOfDirectory(atPath: restored.url.path)
        #expect(Set(names) == [StorageDatabase.fileName, SearchSchema.fileName])
        #expect(try backup.cursor == ChangeFeed(folder: restored.url).end() && backup.notes.isEmpty)
        let lines = try ChangeFeed(folder: restored.url).summary()
        #expect(lines.last == "+https://new.test/" && lines.count == 5)
        var wrong: [StorageCheck.Finding] = []
        // The followed file is not in the backup; the original one is where it was.
        try StorageCheck(folder: restored.url, isFull: true).run(archive: nil) { if !$0.isOK { wrong.append($0) } }
        #expect(wrong == [])
        #expect(try StorageStatus(StorageReader(folder: restored.url)).known == 9)
    }

    @Test func `consumers that are not ahead go on, and those that are get an error for ever`() async throws {
        try await job.fill()
        let known = try ChangeFeed(folder: job.folder.url).end()
        _ = try backUp()
        let ahead: ChangeFeed.Cursor
        do {
            let store = try StoreUnderTest(job.folder)
            for number in 0..<20 { try await store.upsert("https://lost.test/\(number)", says: "lost \(number)") }
            ahead = try store.storage.feed.end()
        }
        let feed = try ChangeFeed(folder: restored.url)
        #expect(try feed.summary(since: known) == [])
        #expect { try feed.summary(since: ahead) } throws: { "\($0)".contains("ahead of the backup") }
        let second: ChangeFeed.Cursor
        do {
            let store = try StoreUnderTest(restored)
            #expect(store.storage.isRestored)
            // More changes than were lost.
            for number in 0..<40 { try await store.upsert("https://new.test/\(number)", says: "new \(number)") }
            second = try store.storage.feed.end()
            #expect(try store.storage.feed.summary(since: known).count == 40)
        }
        do {
            let again = try restored.open()
            #expect(again.isRestored, "only a run makes it an ordinary storage")
            _ = try again.begin(at: Date() - 5)
        }
        let again = try restored.open()
        #expect(!again.isRestored)
        #expect { try again.feed.summary(since: ahead) } throws: { "\($0)".contains("ahead of the backup") }
        #expect(try again.feed.summary(since: second) == [])
        // The lost storage does not know what the restored one gave.
        #expect(throws: StorageError.self) { try job.folder.open().feed.summary(since: second) }
    }

    @Test func `the search index of a backup goes on, and one that is ahead is built anew`() async throws {
        try await job.fill()
        _ = try backUp()
        do {
            let store = try StoreUnderTest(job.folder)
            try await store.upsert("https://lost.test/", says: "lost")
            try SearchIndexer(folder: job.folder.url).catchUp()
            try await store.frontier.close(keeping: [])
            try store.storage.emptyLog()
        }
        do {
            let store = try StoreUnderTest(restored)
            try await store.upsert("https://new.test/", says: "new")
        }
        do {
            let index = try SearchIndexer(folder: restored.url)
            #expect(index.reasonOfBuilding == nil)
            #expect(try index.catchUp() == 1)
        }
        let name = SearchSchema.fileName
        try FileManager.default.removeItem(at: restored.url.appending(path: name))
        try FileManager.default.copyItem(
            at: job.folder.url.appending(path: name), to: restored.url.appending(path: name))
        #expect(try SearchIndexer(folder: restored.url).reasonOfBuilding == "it is ahead of the storage")
    }

    @Test func `a followed file is written anew by the first run in a restored storage`() async throws {
        try await job.fill()
        _ = try backUp()
        let storage = try restored.open()
        try Data("{\"uniqueIdentifier\":\"https://lost.test/\"}\n".utf8).write(to: job.records)
        try await FeedFollower(storage: storage, path: job.records.path).catchUp()
        let lines = try String(contentsOf: job.records, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 4 && !lines.contains { $0.contains("lost.test") })
    }

    @Test func `two files with the same name are both copied`() async throws {
        try await job.fill()
        let folders = try ["a", "b"].map { name in
            let folder = job.folder.url.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(name.utf8).write(to: folder.appending(path: "job.txt"))
            return folder.appending(path: "job.txt")
        }
        _ = try StorageBackup(of: job.folder.url, to: restored.url, with: folders)
        let copies = try ["job.txt", "job-2.txt"].map {
            try String(contentsOf: restored.url.appending(path: $0), encoding: .utf8)
        }
        #expect(copies == ["a", "b"])
    }

    @Test func `a folder that is there is left as it is, and half a backup is none`() async throws {
        try await job.fill()
        let half = URL(filePath: restored.url.path + ".new")
        defer { try? FileManager.default.removeItem(at: half) }
        try FileManager.default.createDirectory(at: half, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: half.appending(path: StorageDatabase.fileName))
        _ = try backUp()
        #expect(!FileManager.default.fileExists(atPath: half.path))
        #expect(throws: ReportedFailure.self) { try backUp() }
        try FileManager.default.createDirectory(at: half, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: half.appending(path: "thesis.txt"))
        try FileManager.default.removeItem(at: restored.url)
        #expect(throws: ReportedFailure.self) { try backUp() }
        #expect(FileManager.default.fileExists(atPath: half.appending(path: "thesis.txt").path))
    }
}
