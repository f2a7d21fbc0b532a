import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl

@Suite struct OutputFileTests {
    private static func mode(_ url: URL) -> mode_t {
        var status = stat()
        return lstat(url.path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    private static func scratch() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-output-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test func `what is written is for us and our group alone`() async throws {
        let folder = try Self.scratch()
        defer { try? FileManager.default.removeItem(at: folder) }
        let below = folder.appending(path: "new/folder")
        try WholeFile.write([1], to: below.appending(path: "summary").path, what: "the summary")
        _ = try CrawlLog(path: below.appending(path: "log").path)
        _ = try NDJSONSink(path: below.appending(path: "records").path)
        let archive = try WARCArchive(folder: below.appending(path: "warc").path, userAgent: "Test")
        try await archive.close()
        let lock = try OutputLock([.file(below.appending(path: "records").path, "the records")], owner: "test")
        defer { withExtendedLifetime(lock) {} }
        #expect(Self.mode(below) & 0o027 == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: below.path).sorted()
        #expect(names == ["log", "records", "records.lock", "summary", "warc"])
        for name in names { #expect(Self.mode(below.appending(path: name)) & 0o027 == 0, "\(name)") }
    }

    @Test func `our own links are followed, and those of the system`() throws {
        let folder = try Self.scratch()
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appending(path: "target")
        let link = folder.appending(path: "link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "target")
        _ = try NDJSONSink(path: link.path)
        #expect(FileManager.default.fileExists(atPath: target.path))
        let descriptor = OutputFile.open("/dev/stdout", flags: O_WRONLY)
        #expect(descriptor >= 0)
        close(descriptor)
        try FileManager.default.removeItem(at: target)
        try FileManager.default.createSymbolicLink(atPath: target.path, withDestinationPath: "link")
        #expect(OutputFile.open(link.path, flags: O_WRONLY | O_CREAT) == -1 && errno == ELOOP)
    }

    /// Only root can make a link that somebody else owns.
    @Test(.enabled(if: geteuid() == 0))
    func `a link that another user owns is not followed, nor a folder behind one`() throws {
        let folder = try Self.scratch()
        defer { try? FileManager.default.removeItem(at: folder) }
        let precious = folder.appending(path: "precious")
        try Data("keep me".utf8).write(to: precious)
        let link = folder.appending(path: "link")
        let folderLink = folder.appending(path: "folder")
        let ours = folder.appending(path: "ours")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: precious.path)
        try FileManager.default.createSymbolicLink(atPath: folderLink.path, withDestinationPath: folder.path)
        try FileManager.default.createSymbolicLink(atPath: ours.path, withDestinationPath: "link")
        for path in [link.path, folderLink.path] { #expect(lchown(path, 65_534, 65_534) == 0) }
        let error = #expect(throws: NDJSONSink.WriteError.self) { try NDJSONSink(path: link.path) }
        #expect(error?.description.contains("symbolic link that another user owns") == true)
        #expect(throws: NDJSONSink.WriteError.self) { try NDJSONSink(path: ours.path) }
        #expect(throws: NDJSONSink.WriteError.self) { try NDJSONSink(path: folderLink.path + "/precious") }
        #expect(throws: OutputError.self) { try CrawlLog(path: link.path) }
        #expect(throws: (any Error).self) { try WARCArchive(folder: folderLink.path, userAgent: "Test") }
        #expect(try String(contentsOf: precious, encoding: .utf8) == "keep me")
    }
}
