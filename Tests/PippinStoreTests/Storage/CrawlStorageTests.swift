import Foundation
import Testing

@testable import PippinStore

@Suite struct CrawlStorageTests {
    private func folder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "pippin-storage-\(UUID().uuidString)")
    }

    @Test func `a storage is held by one job at a time and free again when the job has ended`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let first = try CrawlStorage(folder: folder)
            let error = #expect(throws: StorageError.self) { try CrawlStorage(folder: folder) }
            #expect(error?.description.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
            #expect(try first.runs().isEmpty)
        }
        #expect(throws: Never.self) { try CrawlStorage(folder: folder) }
    }

    @Test func `the ledger keeps runs over openings, newest first, and shows the one that was killed`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        do {
            let storage = try CrawlStorage(folder: folder)
            _ = try storage.begin(at: start)
            let second = try storage.begin(at: start + 60)
            try storage.end(second, at: start + 90, ending: "done", visits: 12, records: 7)
        }
        let runs = try CrawlStorage(folder: folder).runs()
        #expect(runs.map(\.ending) == ["done", nil])
        #expect(runs.first?.records == 7)
        #expect(runs.last?.endedAt == nil)
    }

    @Test func `a ledger that the disk has no room for is trouble of the storage`() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let storage = try CrawlStorage(folder: folder)
        try storage.limitSize(toPages: 1)
        let error = #expect(throws: StorageError.self) {
            for _ in 0..<10_000 { _ = try storage.begin(at: Date(timeIntervalSince1970: 1_700_000_000)) }
        }
        guard case .diskFull? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a folder that cannot be made is reported with its name`() {
        let error = #expect(throws: StorageError.self) {
            try CrawlStorage(folder: URL(filePath: "/proc/pippin-storage"))
        }
        #expect(error?.description.contains("/proc/pippin-storage") == true)
    }
}
