import Foundation
import Logging
import PippinPage

/// Reads the pages of WARC files on all cores, without network, and writes a line for each in the order of the files.
///
///     one thread reads records ──► pages are decoded, read and written as lines on all others ──► one thread writes lines in order
///
/// A page's time is limited as in a crawl. Memory is limited by the bytes that are between reading and writing, and by a
/// `MemoryBudget` for bodies and documents.
public struct ArchiveReading: Sendable {
    /// What a reading has seen.
    public struct Tally: Sendable, Equatable {
        public var files = 0
        public var records = 0
        /// Captures of pages, by the code of their outcome.
        public var outcomes: [String: Int] = [:]
        /// Damaged records, and files that are no archives or could not be read.
        public var damages = 0

        /// All captures of pages.
        public var pages: Int { outcomes.values.reduce(0, +) }
    }

    /// A damaged record, a line of an index without its record, or a file that cannot be read.
    public struct Trouble: Sendable, CustomStringConvertible {
        public let file: String
        /// The line of an index.
        public var line: Int?
        /// Nil if it concerns the whole file.
        public let offset: UInt64?
        public let reason: String

        public var description: String {
            if let line { return "\(file):\(line): the line \(reason)" }
            return offset.map { "\(file): the record at byte \($0) \(reason)" } ?? "\(file): \(reason)"
        }
    }

    /// The memory for bodies and documents. With the lines between reading and writing, a process stays below 300 MB.
    private static let memoryBytes = 128_000_000
    /// The limits of blocks and lines between reading and writing: enough for all cores while one page takes long. With the
    /// documents of so many bytes, the memory is just full, so that few pages wait for it.
    private static let maximumWaiting = 256
    private static let maximumWaitingBytes = 12_000_000

    private let configuration: CrawlConfiguration
    private let threads: CrawlThreads
    private let memory: MemoryBudget
    private let onlyStated: Bool
    private let line: @Sendable (ArchivedPage) -> [UInt8]

    /// Prepares a reading.
    ///
    /// - Parameters:
    ///   - configuration: the limits of a page, and our name in its directives.
    ///   - onlyStated: whether records leave out what can only be guessed.
    ///   - line: what is written of a page: a line with its end, or nothing. It is called on many threads.
    public init(
        configuration: CrawlConfiguration = CrawlConfiguration(), onlyStated: Bool = false, logger: Logger,
        line: @escaping @Sendable (ArchivedPage) -> [UInt8]
    ) {
        self.init(
            configuration: configuration, onlyStated: onlyStated,
            threads: CrawlThreads(timeout: configuration.fetch.readingTimeout, logger: logger), line: line)
    }

    init(
        configuration: CrawlConfiguration, onlyStated: Bool = false, threads: CrawlThreads,
        line: @escaping @Sendable (ArchivedPage) -> [UInt8]
    ) {
        self.configuration = configuration
        self.onlyStated = onlyStated
        self.threads = threads
        memory = MemoryBudget(limit: Self.memoryBytes)
        self.line = line
    }

    /// Reads files in order.
    ///
    /// - Parameters:
    ///   - paths: files; `-` is standard input.
    ///   - write: writes whole lines; it may block.
    ///   - report: is told of everything that cannot be read, as soon as it is found.
    /// - Throws: `ConfigurationError` before anything is read if a file cannot be opened, and the errors of `write`.
    public func run(
        _ paths: [String], write: @escaping @Sendable ([UInt8]) throws -> Void,
        report: @escaping @Sendable (Trouble) -> Void
    ) async throws -> Tally {
        try await run(paths, write, report) { WARCFileReading($0, maximumBodyBytes: maximumBodyBytes) }
    }

    /// Reads the records that indexes (CDXJ) name, in the order of their lines.
    ///
    /// - Parameters:
    ///   - indexes: files, plain or gzip; `-` is standard input.
    ///   - archives: where the records lie.
    ///   - onlyPages: whether lines are passed over that do not say status 200 and HTML.
    /// - Throws: as `run` does for archives.
    public func run(
        indexes: [String], in archives: IndexedArchives, onlyPages: Bool,
        write: @escaping @Sendable ([UInt8]) throws -> Void, report: @escaping @Sendable (Trouble) -> Void
    ) async throws -> Tally {
        let limits = configuration.fetch
        return try await run(indexes, write, report) {
            IndexedRecords($0, in: archives, onlyPages: onlyPages, limits: limits)
        }
    }

    private func run(
        _ paths: [String], _ write: @escaping @Sendable ([UInt8]) throws -> Void,
        _ report: @escaping @Sendable (Trouble) -> Void, source: @escaping @Sendable (String) -> any ArchiveSource
    ) async throws -> Tally {
        for path in paths where path != "-" { try InputFile.check(path) }
        defer { threads.close() }
        let writer = LineWriter(write)
        return try await threads.run {
            var tally = Tally()
            for path in paths {
                tally.files += 1
                try await read(source(path), writer, report, &tally)
            }
            try await writer.end()
            return tally
        }
    }

    private var maximumBodyBytes: Int { configuration.fetch.maximumBodyBytes }

    // MARK: One file

    /// What was waited for: lines are written while a slow source is still asked for more.
    private enum Event: Sendable {
        case batch(ArchiveBatch)
        case done(Done)
    }

    private struct Done: Sendable {
        let number: Int
        /// The bytes of the block.
        let bytes: Int
        var code: String?
        var line: [UInt8] = []
        var trouble: Trouble?
    }

    private func read(
        _ file: any ArchiveSource, _ writer: LineWriter, _ report: @Sendable (Trouble) -> Void, _ tally: inout Tally
    ) async throws {
        func take(_ trouble: Trouble, _ tally: inout Tally) {
            tally.damages += 1
            report(trouble)
        }
        try await withThrowingTaskGroup(of: Event.self) { group in
            var started = 0
            var written = 0
            var waitingBytes = 0
            var done: [Int: Done] = [:]
            var hasEnded = false
            var isAsked = false
            while true {
                let hasRoom = started - written < Self.maximumWaiting && waitingBytes < Self.maximumWaitingBytes
                if hasRoom, !hasEnded, !isAsked {
                    isAsked = true
                    group.addTask { .batch(await file.next()) }
                }
                switch try await group.next() {
                case nil: return
                case .batch(let batch)?:
                    isAsked = false
                    hasEnded = batch.isLast
                    for trouble in batch.troubles { take(trouble, &tally) }
                    for found in batch.records {
                        let number = started
                        started += 1
                        waitingBytes += found.record.block.count
                        group.addTask { .done(await read(found.record, of: found.file, number: number)) }
                    }
                case .done(let next)?:
                    // What a page takes before its line is written is what its line takes.
                    waitingBytes += next.line.count - next.bytes
                    done[next.number] = next
                    var lines: [UInt8] = []
                    while let ready = done.removeValue(forKey: written) {
                        written += 1
                        waitingBytes -= ready.line.count
                        if let trouble = ready.trouble { take(trouble, &tally) }
                        if let code = ready.code { tally.outcomes[code, default: 0] += 1 }
                        lines += ready.line
                    }
                    if !lines.isEmpty { try await writer.add(lines) }
                }
            }
        }
        tally.records += await file.recordCount
    }

    private func read(_ record: ArchivedRecord, of file: String, number: Int) async -> Done {
        var done = Done(number: number, bytes: record.block.count)
        let answer: ArchivedAnswer
        do throws(ArchivedAnswer.Absence) {
            answer = try ArchivedAnswer(record, maximumBodyBytes: maximumBodyBytes)
        } catch {
            if case .malformed(let reason) = error {
                done.trouble = Trouble(file: file, offset: record.offset, reason: reason)
            }
            return done
        }
        let place = ArchivedPage.Place(record, file: file)
        func page(_ outcome: ArchivedPage.Outcome) -> ArchivedPage {
            ArchivedPage(url: answer.url, status: answer.status, place: place, outcome: outcome)
        }
        switch answer.content {
        case .revisit: (done.code, done.line) = told(page(.revisit))
        case .ended(let outcome): (done.code, done.line) = told(page(.none(outcome)))
        case .page(let response):
            let holding = memory.begin()
            defer { holding.end() }
            switch await ArchivedAnswer.decoded(
                response, isCut: place.truncation != nil, maximumBodyBytes: maximumBodyBytes, memory: holding)
            {
            case .failure(let error):
                // A packed body without a type that is known is no page.
                if response.headers.mediaType != nil { (done.code, done.line) = told(page(.none(.failed(error)))) }
            case .success(let response):
                await holding.waitForRoom((1 + Visit.documentGrowth) * response.body.count)
                let (agent, fields) = (configuration.agent, configuration.fields)
                let (line, onlyStated) = (line, onlyStated)
                let end = await threads.read(answer.url) { interruption -> (String, [UInt8])? in
                    let outcome = ArchivedPage.outcome(
                        of: response, agent: agent, fields: fields, onlyStated: onlyStated,
                        limits: ReadingLimits(interruption: interruption))
                    guard let outcome else { return nil }
                    return (
                        outcome.code,
                        line(
                            ArchivedPage(
                                url: answer.url, status: answer.status, place: place, outcome: outcome))
                    )
                }
                switch end {
                case .read(let read?): (done.code, done.line) = read
                case .read(nil), .stopped: break
                case .timedOut: (done.code, done.line) = told(page(.none(.readingTimedOut)))
                }
            }
        }
        return done
    }

    private func told(_ page: ArchivedPage) -> (String, [UInt8]) { (page.outcome.code, line(page)) }
}

/// Gives records one after the other, in batches.
protocol ArchiveSource: Actor {
    /// The next records. What comes after the last ones is never asked for.
    func next() async -> ArchiveBatch
    /// The records so far.
    var recordCount: Int { get }
}

/// Records of one source, and what it could not read.
struct ArchiveBatch: Sendable {
    struct Found: Sendable {
        let record: ArchivedRecord
        /// The archive's file that it is in.
        let file: String
    }

    var records: [Found] = []
    var troubles: [ArchiveReading.Trouble] = []
    var isLast = false
}

/// Reads the records of one file in batches, on a thread that may wait for the disk or a pipe.
private actor WARCFileReading: ArchiveSource {
    /// A batch ends after so many bytes or records: the change of threads costs as much as a small page.
    private static let batchBytes = 512 * 1024
    private static let batchRecords = 16

    nonisolated let name: String
    private let path: String
    private let maximumBodyBytes: Int
    private var reader: WARCReader?
    private var descriptor: Int32 = -1
    /// What was found before the first record. If there is none, the file is something else, and this is no damage.
    private var early: [WARCReader.Damage] = []
    private let executor = BlockingExecutor("pippin.archive.reading")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ path: String, maximumBodyBytes: Int) {
        self.path = path
        name = path
        self.maximumBodyBytes = maximumBodyBytes
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
    }

    var recordCount: Int { reader?.recordCount ?? 0 }

    func next() -> ArchiveBatch {
        var batch = ArchiveBatch()
        do throws(WARCReader.ReadFailure) {
            try fill(&batch)
        } catch {
            batch.troubles.append(trouble("cannot be read: \(SystemReason.words(error.errorNumber))"))
            batch.isLast = true
        }
        return batch
    }

    private func fill(_ batch: inout ArchiveBatch) throws(WARCReader.ReadFailure) {
        let reader = try opened()
        var bytes = 0
        while bytes < Self.batchBytes, batch.records.count < Self.batchRecords, batch.troubles.isEmpty {
            let maximumBodyBytes = maximumBodyBytes
            let reading = try reader.next {
                ArchivedAnswer.wantedBytes($0, maximumBodyBytes: maximumBodyBytes)
            }
            switch reading {
            case .damage(let damage):
                if reader.recordCount > 0 { batch.troubles.append(trouble(damage)) } else { keepEarly(damage) }
            case .record(let record):
                batch.troubles += early.map { trouble($0) }
                early = []
                guard !record.block.isEmpty || record.kind == .revisit else { continue }
                bytes += record.block.count
                batch.records.append(ArchiveBatch.Found(record: record, file: name))
            case nil:
                batch.isLast = true
                if reader.recordCount == 0 { batch.troubles.append(trouble(foreign)) }
                return
            }
        }
    }

    private func opened() throws(WARCReader.ReadFailure) -> WARCReader {
        if let reader { return reader }
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw WARCReader.ReadFailure(errorNumber: errno) }
        let reader = WARCReader(descriptor: descriptor)
        self.reader = reader
        return reader
    }

    private func keepEarly(_ damage: WARCReader.Damage) {
        if early.count < 100 { early.append(damage) }
    }

    private var foreign: String {
        guard let first = early.first else { return "is empty" }
        return "is not a WARC file: what is at byte \(first.offset) \(first.reason), and no record was found"
    }

    private func trouble(_ damage: WARCReader.Damage) -> ArchiveReading.Trouble {
        ArchiveReading.Trouble(file: name, offset: damage.offset, reason: damage.reason)
    }

    private func trouble(_ reason: String) -> ArchiveReading.Trouble {
        ArchiveReading.Trouble(file: name, offset: nil, reason: reason)
    }
}

/// Writes lines on a thread of its own, so that a slow reader of the output does not stop the reading of pages. A line waits for
/// others for a moment, and no longer: whoever watches or stops a slow reading has all that was read.
private actor LineWriter {
    private static let maximumBytes = 64 << 10
    private static let maximumWait = Duration.milliseconds(200)

    private let write: @Sendable ([UInt8]) throws -> Void
    private var lines: [UInt8] = []
    /// Writes lines that no others followed.
    private var waiting: Task<Void, Never>?
    /// Why those could not be written: whoever adds the next ones is told.
    private var failure: (any Error)?
    private let executor = BlockingExecutor("pippin.archive.lines")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ write: @escaping @Sendable ([UInt8]) throws -> Void) { self.write = write }

    func add(_ more: [UInt8]) throws {
        lines += more
        if lines.count >= Self.maximumBytes { try flush() }
        guard waiting == nil else { return }
        waiting = Task {
            do {
                try await Task.sleep(for: Self.maximumWait)
            } catch {
                // All lines are written.
                return
            }
            self.writeWaiting()
        }
    }

    /// Writes all lines; none follow.
    func end() throws {
        waiting?.cancel()
        try flush()
    }

    private func writeWaiting() {
        waiting = nil
        do {
            try flush()
        } catch {
            failure = error
        }
    }

    private func flush() throws {
        if let failure { throw failure }
        defer { lines.removeAll(keepingCapacity: true) }
        if !lines.isEmpty { try write(lines) }
    }
}
