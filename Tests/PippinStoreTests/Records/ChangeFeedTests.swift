import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

@Suite struct ChangeFeedTests {
    private let folder = StorageFolder()

    @Test func `every change has a number, and a cursor gives what came after it`() async throws {
        let store = try StoreUnderTest(folder)
        try await store.upsert("https://a.test/1", says: "one")
        try await store.upsert("https://a.test/2", says: "two")
        #expect(try store.storage.feed.summary() == ["+https://a.test/1", "+https://a.test/2"])
        let cursor = try store.storage.feed.end()
        #expect(try store.storage.feed.summary(since: cursor).isEmpty)
        try await store.delete("https://a.test/1")
        try await store.upsert("https://a.test/3", says: "three")
        #expect(try store.storage.feed.summary(since: cursor) == ["-https://a.test/1", "+https://a.test/3"])
        // Who starts anew hears of each record once, as it is now.
        #expect(try store.storage.feed.summary() == ["+https://a.test/2", "-https://a.test/1", "+https://a.test/3"])
    }

    @Test func `a reading may be limited in bytes, and goes on from there`() async throws {
        let store = try StoreUnderTest(folder)
        for number in 1...50 {
            try await store.upsert(
                "https://a.test/\(number)", says: String(repeating: "\(number) ", count: number % 3 * 200 + 1))
        }
        try await store.delete("https://a.test/20")
        let whole = try store.storage.feed.summary()
        for (maximum, limit) in [(1, Int.max), (2_000, .max), (5_000, 3), (1 << 20, .max), (1 << 20, 49)] {
            var (lines, cursor, rounds): ([String], ChangeFeed.Cursor?, Int) = ([], nil, 0)
            repeat {
                var (bytes, count) = (0, 0)
                cursor = try store.storage.feed.read(since: cursor, limit: limit, maximumBytes: maximum) { change in
                    bytes += change.document.count
                    count += 1
                    lines.append((change.isDeletion ? "-" : "+") + change.identifier)
                }
                #expect((bytes <= maximum || count == 1) && count <= limit)
                rounds += 1
            } while cursor?.isAtEnd == false && rounds < 100
            #expect(lines == whole, "\(maximum), \(limit)")
            #expect(maximum > 1 || rounds == 50)
            #expect(try store.storage.feed.summary(since: cursor).isEmpty)
        }
    }

    @Test func `a record that is written again as it was is no change`() async throws {
        let store = try StoreUnderTest(folder)
        try await store.upsert("https://a.test/1", says: "one")
        let cursor = try store.storage.feed.end()
        try await store.upsert("https://a.test/1", says: "one", at: MadeUpTime.start + 3600)
        try await store.delete("https://a.test/never")
        #expect(try store.storage.feed.end() == cursor)
        try await store.upsert("https://a.test/1", says: "other")
        #expect(try store.storage.feed.summary(since: cursor) == ["+https://a.test/1"])
    }

    @Test func `the text of a page is kept while its record is, and is no part of the record`() async throws {
        let store = try StoreUnderTest(folder)
        func texts() throws -> [String: String] {
            var changes: [ChangeFeed.Change] = []
            try store.storage.feed.read(since: nil) { changes.append($0) }
            #expect(!changes.contains { String(decoding: $0.document, as: UTF8.self).contains("harbour") })
            return try store.storage.feed.texts(of: changes).mapValues(\.unquotable)
        }
        try await store.upsert("https://a.test/1", says: "one", text: "The old harbour.")
        try await store.upsert("https://a.test/2", says: "two")
        #expect(try texts() == ["https://a.test/1": "The old harbour."])
        try await store.upsert("https://a.test/1", says: "three", text: "The new harbour.")
        #expect(try texts() == ["https://a.test/1": "The new harbour."])
        // A run that keeps no texts leaves no old one beside a new record.
        try await store.upsert("https://a.test/1", says: "four")
        #expect(try texts().isEmpty)
        try await store.upsert("https://a.test/1", says: "five", text: "Another harbour.")
        try await store.delete("https://a.test/1")
        try await store.upsert("https://a.test/1", says: "five")
        #expect(try texts().isEmpty)
    }

    @Test func `reading the feed leaves this process's locks on the database as they are`() async throws {
        let store = try StoreUnderTest(folder)
        try await store.upsert("https://a.test/1", says: "one")
        let before = try locksOnDatabase()
        #expect(before > 0)
        #expect(try store.storage.feed.summary() == ["+https://a.test/1"])
        #expect(try locksOnDatabase() == before)
    }

    /// How many ranges of bytes of the database this process has locked (proc(5)).
    private func locksOnDatabase() throws -> Int {
        let file = folder.url.appending(path: StorageDatabase.fileName)
        let inode = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int)
        // `String(contentsOfFile:)` takes the first page for the whole, because the file says that it has no bytes.
        let locks = try FileHandle(forReadingFrom: URL(filePath: "/proc/locks")).readToEnd()
        return String(decoding: locks ?? Data(), as: UTF8.self).split(separator: "\n").filter {
            let columns = $0.split(separator: " ")
            return columns[1] == "POSIX" && columns[4] == "\(getpid())" && columns[5].hasSuffix(":\(inode)")
        }.count
    }

    @Test func `a record that comes back after its deletion is told`() async throws {
        let store = try StoreUnderTest(folder)
        try await store.upsert("https://a.test/1", says: "one")
        try await store.delete("https://a.test/1")
        let cursor = try store.storage.feed.end()
        try await store.upsert("https://a.test/1", says: "one")
        #expect(try store.storage.feed.summary(since: cursor) == ["+https://a.test/1"])
    }

    @Test func `a cursor of another storage is refused`() async throws {
        let store = try StoreUnderTest(folder)
        let other = try StoreUnderTest(StorageFolder())
        let cursor = try other.storage.feed.end()
        #expect(throws: StorageError.self) { try store.storage.feed.summary(since: cursor) }
        let text = try store.storage.feed.end().description
        #expect(ChangeFeed.Cursor(text)?.description == text)
        #expect(ChangeFeed.Cursor("17") == nil)
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func `of records that say the same the first by URL is listed, and the next when it goes`(
        order: [Int]
    ) async throws {
        let store = try StoreUnderTest(folder)
        let names = ["https://a.test/1", "https://www.a.test/2", "http://a.test/1"]
        for index in order { try await store.upsert(names[index], says: "same") }
        try await store.upsert("https://b.test/1", says: "same")
        func listed() throws -> [String] {
            try names.filter {
                guard case .listed = try folder.history(of: $0)?.record else { return false }
                return true
            }
        }
        #expect(try listed() == [names[0]])
        #expect(try folder.history(of: names[2])?.record == .keptBack(identifier: names[2], of: names[0]))
        let elsewhere = "https://b.test/1"
        #expect(
            try folder.history(of: elsewhere)?.record == .listed(identifier: elsewhere, nearDuplicateOf: nil))
        try await store.delete(names[0])
        #expect(try listed() == [names[1]])
        try await store.upsert(names[1], says: "now something else")
        #expect(try listed() == names[1...].map { $0 })
        // Consumers have what is listed, and nothing else.
        var known: Set<String> = []
        try store.storage.feed.read(since: nil) {
            if $0.isDeletion { known.remove($0.identifier) } else { known.insert($0.identifier) }
        }
        #expect(known == ["https://www.a.test/2", "http://a.test/1", "https://b.test/1"])
    }

    @Test func `records of nearly the same text are marked`() async throws {
        let store = try StoreUnderTest(folder)
        let words = (0..<400).map { "word\($0 * 7919 % 1009)" }
        var other = words
        other[200] = "changed"
        try await store.upsert("https://a.test/1", says: words.joined(separator: " "))
        try await store.upsert("https://a.test/2", says: other.joined(separator: " "))
        try await store.upsert("https://a.test/3", says: words.reversed().joined(separator: " "))
        try await store.upsert("https://b.test/4", says: other.joined(separator: " "))
        let originals: [(String, String?)] = [
            ("https://a.test/1", nil), ("https://a.test/2", "https://a.test/1"), ("https://a.test/3", nil),
            ("https://b.test/4", nil),
        ]
        for (name, original) in originals {
            #expect(try folder.history(of: name)?.record == .listed(identifier: name, nearDuplicateOf: original))
        }
    }

    // MARK: The job's file

    private var file: URL { folder.url.appending(path: "records.ndjson") }

    private func lines() throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func `the job's file goes on where it was, whatever a crash left at its end`() async throws {
        do {
            let store = try StoreUnderTest(folder)
            try await store.upsert("https://a.test/1", says: "one")
            try await FeedFollower(storage: store.storage, path: file.path).catchUp()
            try await store.upsert("https://a.test/2", says: "two")
        }
        let whole = try String(contentsOf: file, encoding: .utf8)
        try (whole + "{\"schemaVersion\":1,\"uniqueId").write(to: file, atomically: false, encoding: .utf8)
        let store = try StoreUnderTest(folder)
        let follower = try FeedFollower(storage: store.storage, path: file.path)
        #expect(try String(contentsOf: file, encoding: .utf8) == whole)
        try await follower.catchUp()
        #expect(try lines().count == 2)
        #expect(try lines().last?.contains("https://a.test/2") == true)
    }

    @Test func `a file that was taken away is written anew`() async throws {
        let store = try StoreUnderTest(folder)
        for number in 0..<1200 { try await store.upsert("https://a.test/\(number)", says: "\(number)") }
        try await FeedFollower(storage: store.storage, path: file.path).catchUp()
        try FileManager.default.removeItem(at: file)
        try await store.delete("https://a.test/7")
        try await FeedFollower(storage: store.storage, path: file.path).catchUp()
        #expect(try lines().count == 1200)
        #expect(try lines().last?.contains("\"deleted\":true") == true)
    }

    @Test func `a follower hands on all that changes until the end`() async throws {
        let store = try StoreUnderTest(folder)
        let follower = try FeedFollower(storage: store.storage, path: file.path)
        async let following: Void = follower.follow()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { try await store.upsert("https://a.test/\(number)", says: "\(number)") }
            }
            try await group.waitForAll()
        }
        store.storage.endChanges()
        try await following
        #expect(try lines().count == 200)
    }

    @Test func `bulk actions name the document and its version`() async throws {
        let store = try StoreUnderTest(folder)
        try await store.upsert("https://a.test/1", says: "one")
        try await store.delete("https://a.test/1")
        var actions: [String] = []
        try store.storage.feed.read(since: nil) {
            let action = OpenSearchBulk.action(
                recordIdentifier: $0.identifier, isDeletion: $0.isDeletion, number: $0.sequence, index: "pages")
            actions.append(String(decoding: action, as: UTF8.self))
        }
        #expect(
            actions == [
                #"{"delete":{"_index":"pages","_id":"https://a.test/1","version":2,"version_type":"external_gte"}}"#
                    + "\n"
            ])
        let long = "https://a.test/" + String(repeating: "x", count: 600)
        #expect(OpenSearchBulk.documentIdentifier(long).utf8.count <= 512)
    }
}
