import Foundation

/// A folder of its own for a test's files.
public struct ScratchFolder: ~Copyable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "pippin-command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Writes a file, and makes the folders that it lies in.
    public func write(_ text: String, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    deinit {
        // Left behind at worst, in a temporary folder.
        try? FileManager.default.removeItem(at: url)
    }
}
