import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore
@testable import Simulation

/// The rotation of the job's NDJSON file.
@Suite struct RecordRotationTests {
    private typealias Rotation = CrawlConfiguration.Rotation

    private let scratch: URL = {
        // Thousands of waits for the disk take no time in memory.
        let memory = URL(filePath: "/dev/shm")
        let isThere = FileManager.default.isWritableFile(atPath: memory.path)
        return (isThere ? memory : FileManager.default.temporaryDirectory).appending(
            path: "pippin-\(UUID().uuidString)")
    }()
    /// The folder of the storage and of the file.
    private var folder: URL { scratch.appending(path: "disk") }
    private var file: URL { folder.appending(path: "records.ndjson") }
    private static let day = 86_400.0

    private func open(_ folder: URL? = nil) throws -> (storage: CrawlStorage, frontier: SQLiteFrontier) {
        let storage = try CrawlStorage(folder: folder ?? self.folder)
        return (storage, try storage.frontier(recrawl: CrawlConfiguration.Recrawl(), date: { MadeUpTime.start }))
    }

    private func add(_ numbers: Range<Int>, to frontier: SQLiteFrontier) async throws {
        for number in numbers {
            let identifier = "https://a.test/\(number)"
            var visit = FinishedVisit.of(
                .page(identifier), changes: [.upsert(RecordDocument(.of(identifier, says: "\(number)")))])
            visit.recordIdentifier = identifier
            _ = try await frontier.finish(visit)
        }
    }

    private func follower(_ storage: CrawlStorage, _ rotation: Rotation, at days: Double = 0) throws -> FeedFollower {
        try FeedFollower(
            storage: storage, path: file.path, rotation: rotation,
            date: { MadeUpTime.start.addingTimeInterval(days * Self.day) })
    }

    /// Names of the rotated files, in the order of the changes in them.
    private func rotated() throws -> [String] {
        func number(_ name: String) -> Int { Int(name.dropLast(".ndjson".count).split(separator: "-").last ?? "") ?? 0 }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("records-") && $0.hasSuffix(".ndjson") }.sorted { number($0) < number($1) }
    }

    /// What all files say, one after the other.
    private func text() throws -> String {
        var text = ""
        for name in try rotated() + ["records.ndjson"] {
            let file = folder.appending(path: name)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            text += try String(contentsOf: file, encoding: .utf8)
        }
        return text
    }

    /// What the whole feed would be as a file.
    private func feed(_ storage: CrawlStorage) throws -> String {
        var text = ""
        try storage.feed.read(since: nil) { text += String(decoding: $0.document, as: UTF8.self) + "\n" }
        return text
    }

    @Test func `a link that leads elsewhere during a run loses nothing`() async throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        let (storage, frontier) = try open()
        func lead(to name: String) throws {
            try? FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(
                at: file, withDestinationURL: folder.appending(path: name + ".ndjson"))
        }
        try lead(to: "a")
        try await add(0..<5, to: frontier)
        let follower = try follower(storage, Rotation(maximumBytes: 5000))
        try await follower.catchUp()
        let before = try String(contentsOf: folder.appending(path: "a.ndjson"), encoding: .utf8)
        try lead(to: "b")
        try await add(5..<100, to: frontier)
        try await follower.catchUp()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("b") }
        let lines = try names.flatMap {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8).split(separator: "\n")
        }
        #expect(try lines.sorted() == feed(storage).split(separator: "\n").sorted() && names.count > 2)
        #expect(try String(contentsOf: folder.appending(path: "a.ndjson"), encoding: .utf8) == before)
    }

    @Test func `a file that has reached its size is followed by the next one`() async throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        let (storage, frontier) = try open()
        try await add(0..<100, to: frontier)
        let follower = try follower(storage, Rotation(maximumBytes: 5000))
        try await follower.catchUp()
        #expect(try text() == feed(storage))
        let names = try rotated()
        #expect(names.count > 3 && names.allSatisfy { $0.hasPrefix("records-20261121T000000Z-") })
        for name in names {
            let bytes = try Data(contentsOf: folder.appending(path: name))
            let last = try #require(bytes.dropLast().lastIndex(of: 0x0A))
            #expect(bytes.count >= 5000 && last < 5000, "\(name) ends with the line that reaches the size")
        }
        // Later runs go on, also without rotation.
        try await add(100..<110, to: frontier)
        try await self.follower(storage, Rotation()).catchUp()
        #expect(try text() == feed(storage))
        #expect(try rotated() == names)
    }

    @Test func `a file that is old enough is followed by the next one, over all runs`() async throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        let (storage, frontier) = try open()
        let rotation = Rotation(maximumAge: .seconds(7 * 86_400), keep: .seconds(20 * 86_400))
        var counts: [Int] = []
        for day in 0..<40 {
            if day % 2 == 0 { try await add(day..<(day + 1), to: frontier) }
            try await follower(storage, rotation, at: Double(day)).catchUp()
            counts.append(try rotated().count)
        }
        // An empty file has no age. Of the files that ended on the days 7, 15, 23, 31 and 39, two are older than 20 days then.
        #expect(counts[6] == 0 && counts[7] == 1 && counts[14] == 1 && counts[15] == 2 && counts[27] == 3)
        #expect(counts[28] == 2 && counts[39] == 3)
        #expect(
            try rotated().map { $0.split(separator: "T")[0] } == ["1214", "1222", "1230"].map { "records-2026\($0)" })
        // What has gone with time is not written again.
        #expect(try feed(storage).hasSuffix(text()) && text().split(separator: "\n").count == 12)
    }

    @Test func `other files stay, and a link to the file does`() async throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        let elsewhere = scratch.appending(path: "elsewhere")
        for folder in [folder, elsewhere] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        let target = elsewhere.appending(path: "all.ndjson")
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        let foreign =
            ["all-x.ndjson", "all-20200101T000000Z.ndjson"]
            + ["all-20200101T000000Z-7.json", "x-20200101T000000Z-7.ndjson"]
        for name in foreign { try Data().write(to: elsewhere.appending(path: name)) }
        let (storage, frontier) = try open()
        for (first, days) in [(0, 0.0), (10, 3), (20, 6)] {
            try await add(first..<(first + 10), to: frontier)
            try await follower(storage, Rotation(maximumBytes: 1, keep: .seconds(4 * 86_400)), at: days).catchUp()
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path).hasSuffix("all.ndjson"))
        let names = try FileManager.default.contentsOfDirectory(atPath: elsewhere.path)
        #expect(Set(foreign).isSubset(of: names))
        #expect(names.count == foreign.count + 1 + 20, "\(names.sorted())")
    }

    // MARK: Crashes

    private struct Moment {
        let name: String
        let copy: URL
        /// What a consumer had read then.
        let seen: String
    }

    /// A run goes on in what a dead one has left.
    private func goesOn(_ moment: String, seen: String) async throws {
        let (storage, frontier) = try open()
        // Whoever looks sees nothing wrong.
        try StorageCheck(folder: folder, isFull: true).run(archive: nil) { finding in
            guard case .wrong(let problem, _) = finding.verdict, finding.name.hasPrefix("consumer") else { return }
            Issue.record("\(moment): \(finding.name): \(problem)")
        }
        try await add(1000..<1003, to: frontier)
        try await follower(storage, Rotation(maximumBytes: 2000), at: 1).catchUp()
        let (text, feed) = (try text(), try feed(storage))
        #expect(text == feed, "\(moment)")
        let whole = seen[..<(seen.lastIndex(of: "\n").map { seen.index(after: $0) } ?? seen.startIndex)]
        #expect(text.hasPrefix(whole), "\(moment): lines that a consumer has read are others now")
    }

    @Test(.slow) func `whenever the process dies or the power goes, each change is in the files once`() async throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        let moments = Mutex<[Moment]>([])
        let watched = Mutex<FaultyDisk?>(nil)
        let (scratch, test) = (scratch, self)
        let disk = try FaultyDisk(folder: folder) { operation in
            guard let disk = watched.withLock(\.self) else { return .happens }
            do {
                for seed in [nil, 1] as [UInt64?] {
                    let name = seed.map { "power-\($0)-\(operation)" } ?? "kill-\(operation)"
                    let copy = scratch.appending(path: name)
                    try disk.copy(to: copy, cuttingPower: seed.map { $0 + 3 * operation })
                    let seen = try test.text()
                    moments.withLock { $0.append(Moment(name: name, copy: copy, seen: seen)) }
                }
            } catch { Issue.record(error) }
            return .happens
        }
        do {
            let (storage, frontier) = try open()
            try await add(0..<3, to: frontier)
            let follower = try follower(storage, Rotation(maximumBytes: 1000))
            try await follower.catchUp()
            for number in 3..<12 {
                try await add(number..<(number + 1), to: frontier)
                watched.withLock { $0 = disk }
                try await follower.catchUp()
                watched.withLock { $0 = nil }
            }
        }
        disk.end()
        let all = moments.withLock(\.self)
        var between = 0
        for moment in all {
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.moveItem(at: moment.copy, to: folder)
            if !FileManager.default.fileExists(atPath: file.path) { between += 1 }
            try await goesOn(moment.name, seen: moment.seen)
        }
        // Otherwise it would prove little.
        #expect(all.count > 100 && between > 10, "\(all.count) moments, \(between) between two files")
    }

    @Test(.slow) func `whatever operation of the disk fails, each change is in the files once`() async throws {
        defer { try? FileManager.default.removeItem(at: scratch) }
        var failed = 0
        for number in 1...30 as ClosedRange<UInt64> {
            let left = Mutex<UInt64?>(nil)
            let disk = try FaultyDisk(folder: folder) { _ in
                left.withLock { left in
                    guard let count = left, count > 0 else { return .happens }
                    left = count - 1
                    return count == 1 ? .fails(ENOSPC) : .happens
                }
            }
            var seen = ""
            do {
                let (storage, frontier) = try open()
                try await add(0..<40, to: frontier)
                let follower = try follower(storage, Rotation(maximumBytes: 2000))
                left.withLock { $0 = number }
                do { try await follower.catchUp() } catch { failed += 1 }
                left.withLock { $0 = nil }
                seen = try text()
            }
            disk.end()
            try await goesOn("operation \(number)", seen: seen)
            try FileManager.default.removeItem(at: folder)
        }
        #expect(failed > 20, "\(failed) of 30 operations were of use")
    }
}
