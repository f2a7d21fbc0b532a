import Foundation
import GRDB
import Glibc
import PippinCrawl

/// Passes the changes of a job's records on while the job runs, one JSON object per line. The target is a file, which is kept
/// complete over all runs, or an open descriptor, which gets the changes of this run.
///
/// The database keeps the sequence number that the file has reached, and the file's length there. A longer file is cut to
/// that length, and the lines that it lost are written again. A file that is shorter, missing, or has no line end there is
/// written again from the beginning of the feed. This is checked before each writing, because others may rotate or empty the
/// file during a run.
public actor FeedFollower {
    private struct Position {
        var sequence: Int64 = 0
        var bytes: Int64 = 0
    }

    /// How many changes are read and written at a time.
    static let stretch = 500
    private static let pause = Duration.milliseconds(50)

    private let storage: CrawlStorage
    private let path: String
    /// The name of the file's position in the database; nil for a descriptor, which has none.
    private let name: String?
    private let closesDescriptor: Bool
    private var descriptor: Int32
    private var position: Position
    private let executor = BlockingExecutor("pippin.records")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Follows into a file. A pipe or a device only gets changes from now on.
    ///
    /// - Throws: `NDJSONSink.WriteError` if the file cannot be opened or cut.
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

    /// Follows into an open descriptor, from now on. `name` is for messages.
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

    /// Passes changes on until `CrawlStorage.endChanges` is called, and then up to the last change.
    public func follow() async throws {
        let changes = storage.recordsChanged.stream()
        try await catchUp()
        for await _ in changes {
            try await catchUp()
            // Each writing costs a transaction and two waits for the disk, so changes are collected for a while. This delays
            // the end of a run only once.
            try? await Task.sleep(for: Self.pause)
        }
        try await catchUp()
    }

    /// Passes on all changes so far. If the task is cancelled, it does not wait for a pipe's reader.
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
                // Removes the half line that a full disk has left.
                if name != nil { ftruncate(descriptor, off_t(position.bytes)) }
                throw error
            }
            position.sequence = last.sequence
            position.bytes += Int64(lines.count)
            try keepPosition()
        }
    }

    // MARK: Position in the file

    /// Moves the descriptor to where the next line goes.
    private func findPlace() throws {
        guard name != nil else { return }
        var own = try Self.status(descriptor, path)
        var named = stat()
        if stat(path, &named) != 0 || named.st_ino != own.file.st_ino || named.st_dev != own.file.st_dev {
            // The file was moved or removed. Its name now belongs to a new file, or to none.
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

    /// Whether the file is at least that long, and has a line end there. Another file in its place will rarely have one.
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
        // The stored position must not be ahead of the file.
        guard fdatasync(descriptor) == 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
        let position = position
        try storage.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO consumer VALUES (?, ?, ?)",
                arguments: [name, position.sequence, position.bytes])
        }
    }
}
