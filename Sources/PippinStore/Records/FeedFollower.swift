import Foundation
import GRDB
import Glibc
import PippinCrawl

/// Hands the changes of a job's records on while it runs, one JSON object a line: to a file, which it keeps complete over
/// all runs, or to an open descriptor, which gets what changes in this run.
///
/// How far the file has come, and how long it is then, stands in the database. A file that is longer is cut to that length,
/// and what it lost is written again: the same lines. A file that is shorter, or gone, or has no end of a line there, is
/// written anew from the beginning of the feed. That is looked at before each writing, since others rotate or empty files
/// while a run goes on.
public actor FeedFollower {
    private struct Position {
        var sequence: Int64 = 0
        var bytes: Int64 = 0
    }

    /// Changes that are read and written at a time.
    static let stretch = 500
    private static let pause = Duration.milliseconds(50)

    private let storage: CrawlStorage
    private let path: String
    /// Nil for a descriptor, whose position nobody keeps.
    private let name: String?
    private let closesDescriptor: Bool
    private var descriptor: Int32
    private var position: Position
    private let executor = BlockingExecutor("pippin.records")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Follows into a file. What is no file (a pipe, a device) gets what changes from now on.
    public init(storage: CrawlStorage, path: String) throws {
        self.storage = storage
        self.path = path
        closesDescriptor = true
        let name = URL(filePath: path).standardizedFileURL.path
        descriptor = try NDJSONSink.open(path, mode: 0)
        do {
            guard try Self.status(descriptor, path).isFile else {
                self.name = nil
                position = Position(sequence: try storage.feed.end().sequence)
                return
            }
            self.name = name
            position =
                try storage.read { database in
                    try StoreStatement(database, "SELECT sequence, bytes FROM consumer WHERE name = ?")
                        .first(.text(name)) { Position(sequence: $0.integer(0), bytes: $0.integer(1)) }
                } ?? Position()
            if try !Self.endsLine(path, at: position.bytes) { position = Position() }
            guard ftruncate(descriptor, off_t(position.bytes)) == 0 else {
                throw NDJSONSink.WriteError(path: path, errorNumber: errno)
            }
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Follows into an open descriptor, from now on.
    public init(storage: CrawlStorage, descriptor: Int32, name: String) throws {
        self.storage = storage
        self.descriptor = descriptor
        path = name
        self.name = nil
        closesDescriptor = false
        position = Position(sequence: try storage.feed.end().sequence)
    }

    deinit {
        if closesDescriptor { close(descriptor) }
    }

    /// Hands on what changes until `CrawlStorage.endChanges` is called, to the last change.
    public func follow() async throws {
        let changes = storage.recordsChanged.stream()
        try await catchUp()
        for await _ in changes {
            try await catchUp()
            // Each writing costs a transaction and two waits for the disk. When the run ends, this delays it once.
            try? await Task.sleep(for: Self.pause)
        }
        try await catchUp()
    }

    /// Hands on what has changed so far. A task that is cancelled waits for no reader.
    func catchUp() async throws {
        while true {
            try findPlace()
            let changes = try storage.feed.changes(after: position.sequence, limit: Self.stretch)
            guard let last = changes.last else { return }
            var lines: [UInt8] = []
            for change in changes {
                lines.append(contentsOf: change.document)
                lines.append(0x0A)
            }
            do {
                try await NDJSONSink.writeUnlessCancelled(lines, to: descriptor, path: path)
            } catch {
                // A full disk leaves no half line behind.
                if name != nil { ftruncate(descriptor, off_t(position.bytes)) }
                throw error
            }
            position.sequence = last.sequence
            position.bytes += Int64(lines.count)
            try keepPosition()
        }
    }

    // MARK: The file's place

    /// Puts the descriptor where the next line goes.
    private func findPlace() throws {
        guard name != nil else { return }
        var own = try Self.status(descriptor, path)
        var named = stat()
        if stat(path, &named) != 0 || named.st_ino != own.file.st_ino || named.st_dev != own.file.st_dev {
            // The file was taken away: a new one has its name, or none.
            let other = try NDJSONSink.open(path, mode: 0)
            close(descriptor)
            descriptor = other
            position = Position()
            own = try Self.status(descriptor, path)
        }
        if own.file.st_size < position.bytes { position = Position() }
        let length = off_t(position.bytes)
        guard own.file.st_size == length || ftruncate(descriptor, length) == 0,
            lseek(descriptor, length, SEEK_SET) == length
        else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
    }

    private static func status(
        _ descriptor: Int32, _ path: String
    ) throws(NDJSONSink.WriteError) -> (file: stat, isFile: Bool) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
        return (status, status.st_mode & S_IFMT == S_IFREG)
    }

    /// Whether the file is as long, and a line ends there; another file that has taken its place does not pass for it easily.
    private static func endsLine(_ path: String, at length: Int64) throws(NDJSONSink.WriteError) -> Bool {
        guard length > 0 else { return true }
        let reader = open(path, O_RDONLY | O_CLOEXEC)
        guard reader >= 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
        defer { close(reader) }
        var byte: UInt8 = 0
        return pread(reader, &byte, 1, off_t(length - 1)) == 1 && byte == 0x0A
    }

    private func keepPosition() throws {
        guard let name else { return }
        // A position must not be ahead of its file.
        guard fdatasync(descriptor) == 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
        let position = position
        try storage.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO consumer VALUES (?, ?, ?)",
                arguments: [name, position.sequence, position.bytes])
        }
    }
}
