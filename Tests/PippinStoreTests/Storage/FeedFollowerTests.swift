import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinStore

/// The job's NDJSON file, whatever others do to it.
@Suite struct FeedFollowerTests {
    private let folder = StorageFolder()
    private var file: URL { folder.url.appending(path: "out/records.ndjson") }

    private func store(_ count: Int) async throws -> StoreUnderTest {
        let store = try StoreUnderTest(folder)
        for number in 0..<count { try await store.upsert("https://a.test/\(number)", says: "\(number)") }
        return store
    }

    private func text(_ file: URL? = nil) throws -> String {
        try String(contentsOf: file ?? self.file, encoding: .utf8)
    }

    /// What the whole feed would be as a file.
    private func feed(_ store: StoreUnderTest) throws -> String {
        var text = ""
        try store.storage.feed.read(since: nil) { text += String(decoding: $0.document, as: UTF8.self) + "\n" }
        return text
    }

    private enum Meddling: CaseIterable {
        case emptied, cut, longer, removed, renamed, replaced

        func act(on file: URL) throws {
            let bytes = try Data(contentsOf: file)
            // In place, as `truncate` or `logrotate` with copytruncate do.
            func rewrite(_ data: Data) throws {
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: data)
                try handle.close()
            }
            switch self {
            case .emptied: try rewrite(Data())
            case .cut: try rewrite(bytes.dropLast(7))
            case .longer: try rewrite(bytes + Data("{\"half\":".utf8))
            case .removed: try FileManager.default.removeItem(at: file)
            case .renamed: try FileManager.default.moveItem(at: file, to: file.appendingPathExtension("1"))
            case .replaced: try Data(repeating: 0x78, count: bytes.count + 9).write(to: file, options: .atomic)
            }
        }
    }

    @Test(arguments: Meddling.allCases)
    private func `the file is whole again in the next run`(meddling: Meddling) async throws {
        let store = try await store(600)
        try await FeedFollower(storage: store.storage, path: file.path).catchUp()
        #expect(try text() == feed(store))
        try meddling.act(on: file)
        try await store.upsert("https://a.test/new", says: "new")
        try await FeedFollower(storage: store.storage, path: file.path).catchUp()
        #expect(try text() == feed(store))
    }

    @Test(arguments: Meddling.allCases)
    private func `the file is whole again after the next change of the same run`(meddling: Meddling) async throws {
        let store = try await store(600)
        let follower = try FeedFollower(storage: store.storage, path: file.path)
        try await follower.catchUp()
        try meddling.act(on: file)
        try await store.upsert("https://a.test/new", says: "new")
        try await follower.catchUp()
        #expect(try text() == feed(store))
    }

    @Test func `another path gets the whole feed, and the first goes on later`() async throws {
        let store = try await store(3)
        try await FeedFollower(storage: store.storage, path: file.path).catchUp()
        let before = try text()
        let other = folder.url.appending(path: "elsewhere/records.ndjson")
        try await store.delete("https://a.test/1")
        try await FeedFollower(storage: store.storage, path: other.path).catchUp()
        #expect(try text(other) == feed(store))
        #expect(try text() == before)
        try await FeedFollower(storage: store.storage, path: file.path).catchUp()
        #expect(try text().hasPrefix(before) && text().split(separator: "\n").count == 4)
    }

    @Test func `a folder in the file's place is told, and changes nothing`() async throws {
        let store = try await store(3)
        try await FeedFollower(storage: store.storage, path: file.path).catchUp()
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(throws: NDJSONSink.WriteError(path: file.path, errorNumber: EISDIR)) {
            try FeedFollower(storage: store.storage, path: file.path)
        }
        try FileManager.default.removeItem(at: file)
        try await FeedFollower(storage: store.storage, path: file.path).catchUp()
        #expect(try text() == feed(store))
    }

    @Test func `a device gets what changes from now on`() async throws {
        let store = try await store(3)
        let follower = try FeedFollower(storage: store.storage, path: "/dev/null")
        try await store.upsert("https://a.test/new", says: "new")
        try await follower.catchUp()
        let full = try FeedFollower(storage: store.storage, path: "/dev/full")
        try await store.upsert("https://a.test/newer", says: "newer")
        await #expect(throws: NDJSONSink.WriteError(path: "/dev/full", errorNumber: ENOSPC)) {
            try await full.catchUp()
        }
    }

    @Test func `a follower whose reader does not read ends when its task is cancelled`() async throws {
        let store = try await store(0)
        let pipe = try FullPipe()
        let follower = try FeedFollower(storage: store.storage, descriptor: pipe.writeEnd, name: "standard output")
        try await store.upsert("https://a.test/1", says: "1")
        let following = Task { try await follower.follow() }
        following.cancel()
        await #expect(throws: NDJSONSink.WriteError(path: "standard output", errorNumber: ECANCELED)) {
            try await following.value
        }
    }

    @Test func `whoever reads meanwhile finds lines that are records`() async throws {
        let store = try await store(0)
        let follower = try FeedFollower(storage: store.storage, path: file.path)
        async let following: Void = follower.follow()
        var seen = 0
        for number in 0..<300 {
            try await store.upsert(
                "https://a.test/\(number % 40)", says: "\(number) " + String(repeating: "x", count: 900))
            let text = try text()
            // A line that is being written may lack its end; every line that has one is a record.
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                #expect(object?["uniqueIdentifier"] is String)
                seen += 1
            }
        }
        store.storage.endChanges()
        try await following
        #expect(seen > 0)
        #expect(try text().hasSuffix("}\n"))
    }
}
