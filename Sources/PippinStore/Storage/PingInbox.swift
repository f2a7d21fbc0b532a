import Foundation
import Glibc
import PippinCrawl
import PippinPage

/// Pages that their sites say have changed, in a file of the storage's folder, until the next run of the job takes them. So they can be
/// received while a run holds the storage.
///
///     pings.ndjson ──renamed──► pings-taken.ndjson ──frontier──► removed
///
/// A run that dies in between leaves the second file to the next one. Each line is an object with `url` and `at`.
public struct PingInbox: Sendable {
    /// A page, and when its site said that it has changed.
    public struct Change: Sendable, Equatable {
        public let url: WebURL
        public let at: Date
    }

    private let folder: URL
    private let maximumBytes: Int

    /// The limit of what waits: some 300,000 URLs.
    public static let maximumBytes = 32 << 20
    /// How many changes are handed on at a time.
    private static let stretch = 1_000

    private var waiting: String { folder.appending(path: "pings.ndjson").path }
    private var taken: String { folder.appending(path: "pings-taken.ndjson").path }

    /// - Parameter folder: that of the storage.
    public init(_ folder: URL, maximumBytes: Int = PingInbox.maximumBytes) {
        (self.folder, self.maximumBytes) = (folder, maximumBytes)
    }

    /// Whether nothing was received since a run has taken all.
    public var isEmpty: Bool { access(waiting, F_OK) != 0 }

    // MARK: Receiving

    /// Adds changes. They are on the disk when this returns.
    ///
    /// - Returns: false if there is no room for them; then none is added.
    /// - Throws: `OutputError`.
    public func add(_ urls: [WebURL], at date: Date) throws -> Bool {
        if let number = OutputFolder.make(folder.path) { throw error(number) }
        var writer = JSONWriter()
        for url in urls {
            writer.object { writer in
                writer.member("url", url.href)
                writer.member("at", InternetTime.text(date))
            }
            writer.endLine()
        }
        let descriptor = try locked(waiting, flags: O_RDWR | O_CREAT | O_APPEND)
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw error(errno) }
        guard Int(size) + writer.bytes.count <= maximumBytes else { return false }
        var bytes = writer.bytes
        var last: UInt8 = 0
        // Of a program that was killed, half a line may be left.
        if size > 0, pread(descriptor, &last, 1, size - 1) == 1, last != 0x0A { bytes.insert(0x0A, at: 0) }
        try NDJSONSink.write(bytes, to: descriptor, path: waiting)
        guard fsync(descriptor) == 0 else { throw error(errno) }
        return true
    }

    /// Opens a file and locks it. If it was renamed or removed meanwhile, the new one is meant.
    private func locked(_ path: String, flags: Int32) throws -> Int32 {
        for _ in 0..<100 {
            let descriptor = OutputFile.open(path, flags: flags)
            guard descriptor >= 0 else { throw error(errno) }
            // Others hold it for as long as they write one ping.
            guard flock(descriptor, LOCK_EX) == 0 else {
                let number = errno
                close(descriptor)
                throw error(number)
            }
            var own = stat()
            var named = stat()
            if fstat(descriptor, &own) == 0, stat(path, &named) == 0, own.st_ino == named.st_ino,
                own.st_dev == named.st_dev
            {
                return descriptor
            }
            close(descriptor)
        }
        throw error(EAGAIN)
    }

    private func error(_ number: Int32) -> OutputError {
        OutputError(path: waiting, what: "the file of pings", errorNumber: number)
    }

    // MARK: Taking

    /// Hands all changes to `body`, in pieces, and forgets them when it has returned. Only the holder of the storage calls it.
    ///
    /// - Parameter storage: where `body` queues them. It is safe on the disk before they are forgotten.
    /// - Returns: the number of lines that could not be read.
    /// - Throws: `OutputError`, and the errors of `body`; then nothing is forgotten.
    public func take(
        into storage: CrawlStorage? = nil, _ body: ([Change]) async throws -> Void
    ) async throws -> Int {
        var unreadable = try await take(taken, storage, body)
        guard access(waiting, F_OK) == 0 else { return unreadable }
        let descriptor = try locked(waiting, flags: O_RDWR)
        let isRenamed = rename(waiting, taken) == 0
        let number = errno
        close(descriptor)
        guard isRenamed else { throw error(number) }
        unreadable += try await take(taken, storage, body)
        return unreadable
    }

    private func take(
        _ path: String, _ storage: CrawlStorage?, _ body: ([Change]) async throws -> Void
    ) async throws -> Int {
        guard access(path, F_OK) == 0 else { return 0 }
        // Larger files are not ours, and are read as far as ours go.
        let bytes = try InputFile.bytes(at: path).prefix(2 * Self.maximumBytes)
        var unreadable = 0
        var changes: [Change] = []
        for line in bytes.split(separator: 0x0A) {
            guard let change = Change(line: line) else {
                unreadable += 1
                continue
            }
            changes.append(change)
            if changes.count >= Self.stretch {
                try await body(changes)
                changes.removeAll(keepingCapacity: true)
            }
        }
        if !changes.isEmpty { try await body(changes) }
        try storage?.feed.sync()
        guard unlink(path) == 0 else { throw error(errno) }
        return unreadable
    }
}

extension PingInbox.Change {
    fileprivate init?(line: ArraySlice<UInt8>) {
        var parser = JSONParser()
        // What is no JSON is counted by whoever reads the file.
        guard let object = try? parser.parse(line), let url = object["url"]?.string.flatMap({ WebURL($0) }), url.isHTTP,
            let at = object["at"]?.string.flatMap({ W3CDateTime.date(from: $0) })
        else { return nil }
        (self.url, self.at) = (url, at)
    }
}
