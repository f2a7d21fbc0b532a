import Foundation
import PippinPage
import Synchronization

/// The log of a crawl: one JSON object per line for every visit and every file of a site, written when it ends.
/// Docs/CrawlLog.md has the fields and codes.
///
/// Each line is appended in one write, so a reader never sees a part of one. The path is checked before each line: if another
/// program has moved the file away, a new file is started, so that log rotation needs no signal.
public final class CrawlLog: Sendable {
    private struct File {
        var descriptor: Int32
        var device: dev_t
        var inode: ino_t
        var failure: OutputError?
    }

    private static let what = "the crawl log"

    /// The path of the file.
    public let path: String
    private let file: Mutex<File>

    /// Opens a file for appending. Creates it and the folders above it if they are missing.
    ///
    /// - Throws: `OutputError`.
    public init(path: String) throws(OutputError) {
        self.path = path
        file = Mutex(try Self.open(path))
    }

    deinit {
        file.withLock { _ = close($0.descriptor) }
    }

    /// The error of the first line that could not be written; nil if there was none. It ends the crawl.
    var failure: OutputError? { file.withLock { $0.failure } }

    func write(_ entry: CrawlLogEntry) {
        file.withLock { file in
            guard file.failure == nil else { return }
            do throws(OutputError) {
                try beginAnewIfMoved(&file)
                try WholeFile.append(
                    UserInformation.hidden(in: entry.line), to: file.descriptor, path: path, what: Self.what)
            } catch {
                file.failure = error
            }
        }
    }

    private func beginAnewIfMoved(_ file: inout File) throws(OutputError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_dev == file.device, status.st_ino == file.inode { return }
        let fresh = try Self.open(path)
        close(file.descriptor)
        file = fresh
    }

    private static func open(_ path: String) throws(OutputError) -> File {
        let descriptor = try WholeFile.opened(path, flags: O_WRONLY | O_CREAT | O_APPEND, what: what)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let number = errno
            close(descriptor)
            throw OutputError(path: path, what: what, errorNumber: number)
        }
        return File(descriptor: descriptor, device: status.st_dev, inode: status.st_ino)
    }
}
