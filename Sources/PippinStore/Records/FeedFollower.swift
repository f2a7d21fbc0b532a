import Foundation
import GRDB
import Glibc
import PippinCrawl

/// Hands the changes of a job's records on while it runs, one JSON object a line: to a file, which it keeps complete over
/// all runs, or to an open descriptor, which gets what changes in this run.
///
/// How far the file has come, and how long it is then, stands in the database. A file that is longer is cut to that length
/// when a run begins, and what it lost is written again: the same lines. A file that is shorter, or gone, is written anew
/// from the beginning of the feed.
public actor FeedFollower {
    private struct Position {
        var sequence: Int64
        var bytes: Int64
    }

    /// Changes that are read and written at a time.
    static let stretch = 500

    private let storage: CrawlStorage
    private let descriptor: Int32
    private let path: String
    /// Nil for a descriptor, whose position nobody keeps.
    private let name: String?
    private var position: Position

    /// Follows into a file.
    public init(storage: CrawlStorage, path: String) throws {
        self.storage = storage
        self.path = path
        let name = URL(filePath: path).standardizedFileURL.path
        self.name = name
        descriptor = try NDJSONSink.open(path, mode: 0)
        do {
            let kept = try storage.read { database in
                try StoreStatement(database, "SELECT sequence, bytes FROM consumer WHERE name = ?")
                    .first(.text(name)) { Position(sequence: $0.integer(0), bytes: $0.integer(1)) }
            }
            position = Position(sequence: 0, bytes: 0)
            let length = Int64(lseek(descriptor, 0, SEEK_END))
            if let kept, kept.bytes <= length { position = kept }
            guard ftruncate(descriptor, off_t(position.bytes)) == 0, lseek(descriptor, 0, SEEK_END) == position.bytes
            else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
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
        position = Position(sequence: try storage.feed.end().sequence, bytes: 0)
    }

    deinit {
        if name != nil { close(descriptor) }
    }

    /// Hands on what changes until `CrawlStorage.endChanges` is called, to the last change.
    public func follow() async throws {
        let changes = storage.recordsChanged.stream()
        try catchUp()
        for await _ in changes { try catchUp() }
        try catchUp()
    }

    /// Hands on what has changed so far.
    public func catchUp() throws {
        while true {
            let changes = try storage.feed.changes(after: position.sequence, limit: Self.stretch)
            guard let last = changes.last else { return }
            var lines: [UInt8] = []
            for change in changes {
                lines.append(contentsOf: change.document)
                lines.append(0x0A)
            }
            try write(lines)
            position.sequence = last.sequence
            position.bytes += Int64(lines.count)
            try keepPosition()
        }
    }

    private func write(_ lines: [UInt8]) throws {
        do {
            try NDJSONSink.write(lines, to: descriptor, path: path)
        } catch {
            // The disk filled up in the middle of a line, and whoever reads the file is to find whole ones. If even that
            // fails, the next run does it.
            if name != nil { _ = ftruncate(descriptor, off_t(position.bytes)) }
            throw error
        }
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
