import Foundation
import Testing

@testable import PippinCrawl

/// Files that the operator names: what is wrong is said with the path, in the system's words, and nothing is made of nothing.
@Suite struct InputFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-input-\(UUID().uuidString)")

    private func message(_ path: String) -> String {
        do {
            return "read: \(try InputFile.text(at: path))"
        } catch {
            return error.description
        }
    }

    @Test func `each trouble has its sentence`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let here = FileManager.default.currentDirectoryPath
        #expect(message("no-such-file") == "no-such-file: there is no such file in \(here)")
        #expect(message("/no/such/file") == "/no/such/file: there is no such file")
        #expect(message(folder.path) == "\(folder.path): is a folder; name a file")
        #expect(message("") == "\"\": an empty path names no file")
        let file = folder.appending(path: "seeds.txt").path
        try Data([0x61, 0x0A, 0xFF, 0x0A]).write(to: URL(filePath: file))
        #expect(message(file) == "\(file):2: is not UTF-8 text; save the file as UTF-8")
        try Data("a\n\u{E9}".utf8).write(to: URL(filePath: file))
        #expect(message(file) == "read: a\n\u{E9}")
        #expect(message(file + "/below") == "\(file)/below: cannot be read: Not a directory")
    }

    @Test func `files larger than one read are whole`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "large").path
        let bytes = (0..<700_000).map { UInt8($0 % 251) }
        try Data(bytes).write(to: URL(filePath: file))
        #expect(try InputFile.bytes(at: file) == bytes)
    }

    @Test func `folders are made with those above them, and a file in their place is named as the reason`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(OutputFolder.make(folder.path + "/a/b/c") == nil)
        #expect(OutputFolder.make(folder.path + "/a/b/c/") == nil)
        try Data().write(to: folder.appending(path: "file"))
        #expect(OutputFolder.make(folder.path + "/file") == ENOTDIR)
        #expect(OutputFolder.make(folder.path + "/file/below") == ENOTDIR)
        #expect(OutputFolder.make("/proc/none/of/it") == ENOENT)
        let relative = "pippin-relative-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: relative) }
        #expect(OutputFolder.make(relative + "/below/it") == nil)
    }
}
