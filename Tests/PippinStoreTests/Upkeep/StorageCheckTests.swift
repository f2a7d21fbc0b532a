import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// Each kind of damage is found by the check that is for it, and what can be computed is fixed.
@Suite struct StorageCheckTests {
    private let job = CheckedJob()

    @Test(arguments: [false, true])
    func `a job that ended in order has nothing wrong`(isFull: Bool) async throws {
        try await job.fill()
        let findings = try job.check(isFull: isFull)
        #expect(findings.filter { !$0.isOK } == [])
        #expect(Set(findings.map(\.name)).isSuperset(of: ["database", "counts", "feed", "search index", "archive"]))
    }

    @Test func `a job is checked beside the run that writes it`() async throws {
        try await job.fill()
        let store = try StoreUnderTest(job.folder)
        try await store.upsert("https://new.test/", says: "new")
        #expect(try job.check(isFull: true).filter { !$0.isOK } == [])
    }

    /// Damage, the checks that find it, and whether it can be fixed.
    struct Damage: Sendable, CustomTestStringConvertible {
        let sql: String
        var isOfIndex = false
        let found: Set<String>
        var isFixed = true
        var testDescription: String { sql }
    }

    @Test(arguments: [
        Damage(sql: "UPDATE host SET urls = urls + 1", found: ["counts"]),
        Damage(sql: "UPDATE store SET known = 0, load = 7", found: ["counts"]),
        Damage(sql: "UPDATE outcome SET urls = 50", found: ["counts"]),
        Damage(sql: "DELETE FROM url WHERE id = (SELECT min(id) FROM url)", found: ["counts"]),
        Damage(sql: "UPDATE store SET sequence = 2", found: ["feed", "consumer", "search index"]),
        Damage(sql: "INSERT INTO toldHost VALUES (1, 900, 0, 0, NULL, NULL)", found: ["feed"]),
        Damage(sql: "INSERT INTO pageText VALUES (999, 'text')", found: ["references"], isFixed: false),
        Damage(sql: "UPDATE url SET seed = 99", found: ["references"], isFixed: false),
        Damage(
            sql: "UPDATE record SET sequence = NULL WHERE id = 1", found: ["feed", "search index"], isFixed: false),
        Damage(
            sql: "UPDATE consumer SET sequence = sequence + 100", found: ["consumer", "feed"]),
        Damage(sql: "UPDATE consumer SET bytes = bytes - 3", found: ["consumer"], isFixed: false),
        Damage(
            sql: "DELETE FROM document WHERE id = (SELECT min(id) FROM document)", isOfIndex: true,
            found: ["search index"]),
        Damage(sql: "UPDATE document SET identifier = 'https://none.test/'", isOfIndex: true, found: ["search index"]),
        Damage(sql: "INSERT INTO word VALUES ('ghost', 1, 1)", isOfIndex: true, found: ["search index"]),
        Damage(sql: "UPDATE word SET documents = 50", isOfIndex: true, found: ["search index"]),
        Damage(sql: "UPDATE length SET words = 1", isOfIndex: true, found: ["search index"]),
    ])
    func `damage is found, and fixed if it can be computed`(damage: Damage) async throws {
        try await job.fill()
        try job.execute(damage.sql, inIndex: damage.isOfIndex)
        let findings = try job.check(isFull: true)
        #expect(Set(findings.filter { !$0.isOK }.map(\.kind)) == damage.found, "\(findings.filter { !$0.isOK })")
        let fixed = try StorageCheck.fix(findings, in: job.folder.url)
        #expect(fixed.isEmpty == !damage.found.contains { ["counts", "feed", "search index"].contains($0) })
        let left = try job.check(isFull: true).filter { !$0.isOK }
        #expect(left.isEmpty == damage.isFixed, "\(left)")
    }

    @Test func `a page of the database that is no page is found`() async throws {
        try await job.fill()
        let root = try job.folder.open().read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'link'") ?? 0
        }
        let file = try FileHandle(forUpdating: job.folder.url.appending(path: StorageDatabase.fileName))
        try file.seek(toOffset: UInt64(root - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xAA, count: 4096))
        try file.close()
        #expect(try job.check(isFull: false).filter { !$0.isOK }.map(\.name) == ["database"])
    }

    @Test func `a followed file with half a line, or with other lines, is found`() async throws {
        try await job.fill()
        let file = job.records
        let whole = try Data(contentsOf: file)
        try Data(whole.dropLast(5)).write(to: file)
        #expect(try job.check(isFull: false).filter { !$0.isOK }.map(\.kind) == ["consumer"])
        var other = whole
        other[10...40] = Data(repeating: 0x0A, count: 31)
        try other.write(to: file)
        #expect(try job.check(isFull: false).filter { !$0.isOK } == [])
        #expect(try job.check(isFull: true).filter { !$0.isOK }.map(\.kind) == ["consumer"])
        // What a run has written before it was killed is behind the known position.
        try (whole + Data("{\"half\":".utf8)).write(to: file)
        #expect(try job.check(isFull: true).filter { !$0.isOK } == [])
    }

    @Test func `captures that lie in no file are found`() async throws {
        try await job.fill()
        let file = job.archive.appending(path: "pippin-20261121080000-00000.warc.gz")
        let whole = try Data(contentsOf: file)
        func problems(_ isFull: Bool) throws -> Int {
            try job.check(isFull: isFull).filter { !$0.isOK && $0.name == "archive" }.count
        }
        try whole.dropLast(1).write(to: file)
        #expect(try problems(false) == 1)
        try Data(repeating: 0, count: whole.count).write(to: file)
        #expect(try problems(false) == 0)
        #expect(try problems(true) == 1)
        try FileManager.default.removeItem(at: file)
        #expect(try problems(false) == 1)
        try whole.write(to: file)
        try FileManager.default.removeItem(at: job.archive.appending(path: "pippin-20261121080000-00000.cdxj"))
        #expect(try problems(false) == 1)
    }
}

extension StorageCheck.Finding {
    var isOK: Bool { if case .ok = verdict { true } else { false } }
    /// The name of the check, without what it is of.
    var kind: String { name.hasPrefix("consumer") ? "consumer" : name }
}

/// A storage with all that belongs to it: records, a followed file, a search index, an archive.
final class CheckedJob: Sendable {
    let folder = StorageFolder()
    var records: URL { folder.url.appending(path: "records.ndjson") }
    var archive: URL { folder.url.appending(path: "archive") }

    func fill() async throws {
        let store = try StoreUnderTest(folder)
        let texts = ["blue mug", "red kettle", "green bowl", "white plate"]
        for (number, text) in texts.enumerated() {
            _ = try await store.frontier.add([.page("https://h\(number).test/later")])
            try await store.upsert("https://h\(number).test/", says: text, text: "A \(text) for your kitchen.")
        }
        try await store.delete("https://h3.test/")
        let follower = try FeedFollower(storage: store.storage, path: records.path)
        try await follower.catchUp()
        try SearchIndexer(folder: folder.url).catchUp()
        try await store.frontier.close(keeping: [])
        try store.storage.emptyLog()
        try writeArchive()
    }

    private func writeArchive() throws {
        try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
        let name = "pippin-20261121080000-00000"
        let member = try #require(DeflatedBytes.gzip(Array("WARC/1.1 and more".utf8)))
        try Data(member + member).write(to: archive.appending(path: name + ".warc.gz"))
        let lines = try (0..<2).map { place in
            CDXJLine(
                url: try #require(WebURL("https://h\(place).test/")), stamp: "20261121080000", mime: "text/html",
                status: 200, digest: nil, offset: UInt64(place * member.count), length: member.count,
                file: name + ".warc.gz"
            ).text
        }
        try lines.map { $0 + "\n" }.joined()
            .write(to: archive.appending(path: name + ".cdxj"), atomically: true, encoding: .utf8)
    }

    func check(isFull: Bool) throws -> [StorageCheck.Finding] {
        var findings: [StorageCheck.Finding] = []
        try StorageCheck(folder: folder.url, isFull: isFull).run(archive: archive.path) { findings.append($0) }
        return findings
    }

    func execute(_ sql: String, inIndex: Bool) throws {
        let name = inIndex ? SearchSchema.fileName : StorageDatabase.fileName
        let queue = try DatabaseQueue(path: folder.url.appending(path: name).path)
        try queue.write { try $0.execute(sql: sql) }
    }
}
