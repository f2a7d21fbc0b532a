import Foundation
import PippinStore
import PippinTestSupport
import Testing

@Suite struct StorageRightsTests {
    @Test func `the storage is for us and our group alone, SQLite's files too`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-rights-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let storage = try CrawlStorage(folder: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names).isSuperset(of: ["lock", "pippin.sqlite", "pippin.sqlite-wal"]))
        for path in [folder.path] + names.map({ folder.appending(path: $0).path }) {
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & 0o027 == 0, "\(path)")
        }
        withExtendedLifetime(storage) {}
    }

    /// Only root can make a link that somebody else owns.
    @Test(.enabled(if: geteuid() == 0)) func `a database behind somebody else's link is left alone`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-rights-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let link = folder.appending(path: "pippin.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/nowhere")
        #expect(lchown(link, 65_534, 65_534) == 0)
        #expect { try CrawlStorage(folder: folder) } throws: { "\($0)".contains("another user owns") }
    }
}
