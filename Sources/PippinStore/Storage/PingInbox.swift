import Foundation
import Glibc
import PippinCrawl
import PippinPage

/// Pages that their sites say have changed, in a file of the storage's folder, until the next run of the job takes them. So they can be
/// received while a run holds the storage.
///
///     pings.ndjson ──renamed──► pings-taken.ndjson ──frontier──► removed
///          ▲                                           │ full
///          └───────────────────────────────────────────┘
///
/// A run that dies in between leaves the second file to the next one. Each line is an object with `url` and `at`.
public struct PingInbox: Sendable {
    /// A page, and when its site said that it has changed.
    public struct Change: Sendable, Equatable {
        public let url: WebURL
        public let at: Date

        public init(url: WebURL, at: Date) { (self.url, self.at) = (url, at) }
    }

    /// A file in which changes wait until a run takes it. It is open for as long as anyone remembers it (`FileIdentity`).
    public final class ChangeFile: Sendable {
        fileprivate let descriptor: Int32
        fileprivate let identity: FileIdentity

        fileprivate init(_ descriptor: Int32, _ identity: FileIdentity) {
            (self.descriptor, self.identity) = (descriptor, identity)
        }

        deinit { close(descriptor) }

        fileprivate func unlock() { flock(descriptor, LOCK_UN) }

        /// Whether both are one file.
        public func isSame(as other: ChangeFile) -> Bool { identity == other.identity }
    }

    /// What became of the changes that a run has taken, besides those that it has queued.
    public struct Taken: Sendable, Equatable {
        /// The number of lines that could not be read.
        public var unreadable = 0
        /// The number of changes that wait for another run.
        public var waitOn = 0
        /// The number of changes that were to wait for another run, but for which there was no room any more.
        public var lost = 0

        /// Nothing was taken.
        public init() {}
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

    /// Whether changes still wait in a file, so that the next run gets them.
    public func holds(_ file: ChangeFile) -> Bool { FileIdentity(of: waiting) == file.identity }

    // MARK: Receiving

    /// Adds changes. They are on the disk when this returns.
    ///
    /// - Returns: the file that they wait in; nil if there is no room for them, and then none is added.
    /// - Throws: `OutputError`.
    public func add(_ urls: [WebURL], at date: Date) throws -> ChangeFile? {
        try add(urls.map { Change(url: $0, at: date) })
    }

    private func add(_ changes: some Collection<Change>) throws -> ChangeFile? {
        if let number = OutputFolder.make(folder.path) { throw error(number) }
        var writer = JSONWriter()
        for change in changes {
            writer.object { writer in
                writer.member("url", change.url.href)
                writer.member("at", InternetTime.text(change.at))
            }
            writer.endLine()
        }
        let file = try locked(waiting, flags: O_RDWR | O_CREAT | O_APPEND)
        defer { file.unlock() }
        let descriptor = file.descriptor
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw error(errno) }
        guard Int(size) + writer.bytes.count <= maximumBytes else { return nil }
        var bytes = writer.bytes
        var last: UInt8 = 0
        // Of a program that was killed, half a line may be left.
        if size > 0, pread(descriptor, &last, 1, size - 1) == 1, last != 0x0A { bytes.insert(0x0A, at: 0) }
        try NDJSONSink.write(bytes, to: descriptor, path: waiting)
        guard fsync(descriptor) == 0 else { throw error(errno) }
        return file
    }

    /// Opens a file and locks it. If it was renamed or removed meanwhile, the new one is meant.
    private func locked(_ path: String, flags: Int32) throws -> ChangeFile {
        for _ in 0..<100 {
            let descriptor = OutputFile.open(path, flags: flags)
            guard descriptor >= 0 else { throw error(errno) }
            // Others hold it for as long as they write one ping.
            guard flock(descriptor, LOCK_EX) == 0 else {
                let number = errno
                close(descriptor)
                throw error(number)
            }
            if let own = FileIdentity(of: descriptor), own == FileIdentity(of: path) {
                return ChangeFile(descriptor, own)
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
    /// - Parameters:
    ///   - storage: where `body` queues them. It is safe on the disk before they are forgotten.
    ///   - body: returns the changes that wait for another run.
    /// - Throws: `OutputError`, and the errors of `body`; then nothing is forgotten.
    public func take(
        into storage: CrawlStorage? = nil, _ body: ([Change]) async throws -> [Change]
    ) async throws -> Taken {
        var result = Taken()
        try await take(taken, storage, &result, body)
        guard access(waiting, F_OK) == 0 else { return result }
        let file = try locked(waiting, flags: O_RDWR)
        let isRenamed = rename(waiting, taken) == 0
        let number = errno
        file.unlock()
        guard isRenamed else { throw error(number) }
        // Those of the first file that wait on are among them.
        result.waitOn = 0
        try await take(taken, storage, &result, body)
        return result
    }

    private func take(
        _ path: String, _ storage: CrawlStorage?, _ result: inout Taken, _ body: ([Change]) async throws -> [Change]
    ) async throws {
        guard access(path, F_OK) == 0 else { return }
        // Larger files are not ours, and are read as far as ours go.
        let bytes = try InputFile.bytes(at: path).prefix(2 * Self.maximumBytes)
        var changes: [Change] = []
        var left: [Change] = []
        for line in bytes.split(separator: 0x0A) {
            guard let change = Change(line: line) else {
                result.unreadable += 1
                continue
            }
            changes.append(change)
            if changes.count >= Self.stretch {
                left += try await body(changes)
                changes.removeAll(keepingCapacity: true)
            }
        }
        if !changes.isEmpty { left += try await body(changes) }
        try storage?.feed.sync()
        try keep(left, &result)
        guard unlink(path) == 0 else { throw error(errno) }
    }

    /// Lets changes wait on. Meanwhile others may have come, and taken their room.
    private func keep(_ changes: [Change], _ result: inout Taken) throws {
        var rest = changes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.stretch)
            rest = rest.dropFirst(piece.count)
            if try add(piece) == nil { result.lost += piece.count } else { result.waitOn += piece.count }
        }
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
