import Foundation
import GRDB
import Glibc
import PippinCrawl
import PippinPage

/// Passes the changes of a job's records on while the job runs, one JSON object per line: `ChangeFeed.Change.document`. The target
/// is a file, which is kept complete over all runs, or an open descriptor, which gets the changes of this run.
///
/// The database keeps the sequence number that the file has reached, and the file's length there. A file that is shorter, missing,
/// or has no line end there is written again from the beginning of the feed. This is checked before each writing, because others
/// may rotate or empty the file during a run.
///
/// A consumer that reads the file as it grows sees no line vanish and none twice: changes are on the disk before their lines are
/// written, and whole lines beyond the known length, which a run wrote that died, stay and are not written again.
///
/// A file that is large or old enough is rotated: it gets another name (`EndedFiles`), and the next change begins a new file.
/// What was said of the file is then true of the sequence of files.
public actor FeedFollower {
    private struct Position {
        var place = ChangeFeed.Place()
        var bytes: Int64 = 0
        /// When the file got its first line.
        var began: Date?
    }

    /// How many changes are read and written at a time.
    static let stretch = 500
    /// The length of a batch at which it ends before its last change.
    private static let mostBytes = 16_000_000

    private let storage: CrawlStorage
    private let path: String
    /// The name of the file's position in the database; nil for a descriptor, which has none.
    public nonisolated let name: String?
    private let closesDescriptor: Bool
    private var descriptor: Int32
    private var position: Position
    /// Lines that a run has written which died before it could keep its position: the last one of each record.
    private var written: [String: [UInt8]] = [:]
    private let executor: any SerialExecutor
    private let pause: @Sendable () async -> Void
    private let rotation: CrawlConfiguration.Rotation
    /// Found anew each time: a link may lead elsewhere meanwhile.
    private var ended: EndedFiles { EndedFiles(of: path) }
    private let date: @Sendable () -> Date
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Each writing costs a transaction and two waits for the disk, so changes are collected for a while. This delays the end of a
    /// run only once.
    private static let usualPause: @Sendable () async -> Void = { try? await Task.sleep(for: .milliseconds(50)) }

    /// Follows into a file. A pipe or a device only gets changes from now on.
    ///
    /// - Parameters:
    ///   - date: returns the calendar's time.
    ///   - executor: writes: a thread of its own, except in simulated time.
    ///   - pause: waits for more changes; in simulated time, it makes time pass.
    /// - Throws: `NDJSONSink.WriteError` if the file cannot be opened or cut, or a rotated one cannot be removed.
    public init(
        storage: CrawlStorage, path: String, rotation: CrawlConfiguration.Rotation = CrawlConfiguration.Rotation(),
        date: @escaping @Sendable () -> Date = { Date() },
        executor: any SerialExecutor = BlockingExecutor("pippin.records"), pause: (@Sendable () async -> Void)? = nil
    ) throws {
        self.storage = storage
        self.path = path
        self.date = date
        let ended = EndedFiles(of: path)
        self.executor = executor
        self.pause = pause ?? Self.usualPause
        closesDescriptor = true
        let name = URL(filePath: path).standardizedFileURL.path
        descriptor = try NDJSONSink.open(path, mode: 0)
        do {
            guard try Self.status(descriptor, path).isFile else {
                self.name = nil
                self.rotation = CrawlConfiguration.Rotation()
                position = Position(place: ChangeFeed.Place(try storage.feed.end().sequence))
                return
            }
            self.name = name
            self.rotation = rotation
            var kept = try storage.read { database in
                try StoreStatement(
                    database, "SELECT \(ChangeFeed.Place.columns), bytes, began FROM consumer WHERE name = ?"
                ).first(.text(name)) {
                    Position(
                        place: ChangeFeed.Place($0), bytes: $0.integer(3),
                        began: $0.optionalInteger(4).map { Date(storeSeconds: $0) })
                }
            }
            position = Position()
            // A run died after the file had got its other name, and before it could keep that the next one begins.
            let isRotated = try kept.map { try ended.haveTaken(bytes: $0.bytes, sequence: $0.place.sequence) } ?? false
            if isRotated, let last = kept { kept = Position(place: last.place) }
            let isOurs = try kept.map { try Self.endsLine(path, at: $0.bytes) } ?? false
            if let kept, isOurs {
                position = kept
                (written, position.bytes) = try Self.lines(path, after: kept.bytes)
            }
            guard ftruncate(descriptor, off_t(position.bytes)) == 0 else {
                throw NDJSONSink.WriteError(path: path, errorNumber: errno)
            }
            // From now on, lines in the file are ours. What was there before must be gone first.
            if !isOurs || isRotated {
                guard fdatasync(descriptor) == 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
                try ended.syncName()
                try Self.keep(position, of: name, in: storage)
            }
            try Self.removeExpired(ended, rotation, at: date())
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Follows into an open descriptor, from now on. `name` is for messages.
    public init(storage: CrawlStorage, descriptor: Int32, name: String) throws {
        self.storage = storage
        self.descriptor = descriptor
        (rotation, date) = (CrawlConfiguration.Rotation(), { Date() })
        executor = BlockingExecutor("pippin.records")
        pause = Self.usualPause
        path = name
        self.name = nil
        closesDescriptor = false
        position = Position(place: ChangeFeed.Place(try storage.feed.end().sequence))
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
            await pause()
        }
        try await catchUp()
    }

    /// Passes on all changes so far. If the task is cancelled, it does not wait for a pipe's reader.
    func catchUp() async throws {
        while true {
            try findPlace()
            try rotate()
            let (changes, place) = try storage.feed.changes(after: position.place, limit: Self.stretch)
            guard !changes.isEmpty else {
                written = [:]
                // The numbers that are left are of popularities that came with their records.
                if position.place.isWithinReading {
                    position.place = place
                    try keepPosition()
                }
                return
            }
            // Without this, a loss of power could take changes back that a consumer has read.
            if name != nil { try storage.feed.sync() }
            var lines: [UInt8] = []
            var reached = place
            // The line that reaches the size is the file's last.
            // While lines wait to be known again, no file is ended.
            let left = written.isEmpty ? (rotation.maximumBytes ?? .max) - Int(position.bytes) : .max
            let room = min(Self.mostBytes, max(1, left))
            for change in changes where lines.count < room {
                reached.sequence = change.sequence
                if written.removeValue(forKey: change.identifier) == change.document { continue }
                lines.append(contentsOf: change.document)
                lines.append(0x0A)
            }
            do {
                try await NDJSONSink.writeUnlessCancelled(lines, to: descriptor, path: path)
            } catch {
                if name != nil { removeHalfLine(of: lines) }
                throw error
            }
            position.place = reached
            position.bytes += Int64(lines.count)
            try keepPosition()
        }
    }

    /// Removes the half line that a full disk has left. Whole lines stay, because somebody may have read them.
    private func removeHalfLine(of lines: [UInt8]) {
        guard let size = try? Self.status(descriptor, path).file.st_size else { return }
        let there = lines.prefix(max(0, Int(size) - Int(position.bytes)))
        ftruncate(descriptor, off_t(position.bytes) + off_t(there.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0))
    }

    // MARK: Position in the file

    /// Moves the descriptor to where the next line goes.
    private func findPlace() throws {
        guard name != nil else { return }
        var own = try Self.status(descriptor, path)
        if FileIdentity(of: path) != FileIdentity(own.file) {
            // The file was moved or removed. Its name now belongs to a new file, or to none.
            let other = try NDJSONSink.open(path, mode: 0)
            close(descriptor)
            descriptor = other
            try beginAnew()
            own = try Self.status(descriptor, path)
        }
        if own.file.st_size < position.bytes { try beginAnew() }
        let length = off_t(position.bytes)
        guard own.file.st_size == length || ftruncate(descriptor, length) == 0,
            lseek(descriptor, length, SEEK_SET) == length
        else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
    }

    /// Begins an empty file. It lacks nothing if no line was in the one before, which was begun by rotation.
    private func beginAnew() throws {
        if position.bytes > 0 { (position, written) = (Position(), [:]) }
        guard ftruncate(descriptor, 0) == 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
        try ended.syncName()
        try keepPosition()
    }

    /// Ends the file if it is large or old enough, and begins the next one.
    ///
    /// Position and lines are on the disk before the file gets its other name, which tells a run that still finds this position
    /// what has become of the file. The name is on the disk before the new position is kept, and that one before the new file
    /// gets a line (`catchUp`).
    private func rotate() throws {
        let now = date()
        // Lines that wait to be known again belong to this file.
        guard let name, written.isEmpty, position.bytes > 0, let began = position.began,
            rotation.ends(bytes: Int(position.bytes), begun: began, at: now)
        else { return }
        let ended = ended
        let path = ended.path(endingAt: now, sequence: position.place.sequence)
        // A name is taken only if all was written anew within this second: the next lines give another one. And what is moved must be
        // the file that was written.
        let own = FileIdentity(try Self.status(descriptor, self.path).file)
        guard access(path, F_OK) != 0, own == FileIdentity(of: ended.place) else { return }
        try keepPosition()
        try storage.feed.sync()
        guard rename(ended.place, path) == 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
        try ended.syncName()
        position = Position(place: position.place)
        try Self.keep(position, of: name, in: storage)
        let next = try NDJSONSink.open(self.path, mode: 0)
        close(descriptor)
        descriptor = next
        try ended.syncName()
        try Self.removeExpired(ended, rotation, at: now)
    }

    private static func removeExpired(
        _ ended: EndedFiles, _ rotation: CrawlConfiguration.Rotation, at now: Date
    ) throws {
        guard let keep = rotation.keep else { return }
        try ended.remove(endedBefore: now.addingTimeInterval(-(keep / .seconds(1))))
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

    /// The most bytes that a run writes between two positions, with a margin. What is beyond them is not ours.
    private static let mostUnkeptBytes = 64_000_000

    /// The records of whole lines after a place, the last line of each, and where these lines end.
    private static func lines(
        _ path: String, after place: Int64
    ) throws(NDJSONSink.WriteError) -> ([String: [UInt8]], end: Int64) {
        let reader = open(path, O_RDONLY | O_CLOEXEC)
        guard reader >= 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
        defer { close(reader) }
        let length = Int(try status(reader, path).file.st_size) - Int(place)
        guard length > 0, length <= mostUnkeptBytes else { return ([:], place) }
        var bytes = [UInt8](repeating: 0, count: length)
        let count = pread(reader, &bytes, length, off_t(place))
        guard count >= 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
        var (found, end): ([String: [UInt8]], Int64) = ([:], place)
        var rest = bytes[..<count]
        // A loss of power may leave anything behind the last synced line.
        while let newline = rest.firstIndex(of: 0x0A), let identifier = identifier(of: rest[..<newline]) {
            found[identifier] = Array(rest[..<newline])
            rest = rest[(newline + 1)...]
            end = place + Int64(newline + 1)
        }
        return (found, end)
    }

    /// The identifier of the record in a line; nil if the line is not one of ours.
    private static func identifier(of line: ArraySlice<UInt8>) -> String? {
        var parser = JSONParser(limits: .ownText)
        guard let object = try? parser.parse(Array(line)).object else { return nil }
        return object["uniqueIdentifier"]?.string
    }

    private func keepPosition() throws {
        guard let name else { return }
        if position.bytes > 0, position.began == nil { position.began = date() }
        // The stored position must not be ahead of the file.
        guard fdatasync(descriptor) == 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
        try Self.keep(position, of: name, in: storage)
    }

    private static func keep(_ position: Position, of name: String, in storage: CrawlStorage) throws {
        try storage.write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO consumer(name, \(ChangeFeed.Place.columns), bytes, began)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    name, position.place.sequence, position.place.after, position.place.until, position.bytes,
                    position.began?.storeSeconds,
                ])
        }
    }
}
