import Foundation
import GRDB
import Glibc
import PippinCrawl
import PippinPage

/// Checks the parts of a job against each other: the database in itself, its counts, the feed, followed files, the search index, the
/// archive. It only reads, in bounded memory, and may run beside a crawl.
///
/// A database is read as it is at one moment, and the search index before the storage that it follows. So what a crawl changes
/// meanwhile is never taken for damage.
public struct StorageCheck: Sendable {
    /// What a check has found.
    public struct Finding: Sendable, Equatable {
        public enum Verdict: Sendable, Equatable {
            /// What was looked at.
            case ok(String)
            /// What is wrong, and what to do.
            case wrong(String, advice: String)
            /// What `fix` has done.
            case fixed(String)
        }

        /// `counts`
        public let name: String
        public let verdict: Verdict
    }

    static let fixAdvice = "pippin check --fix"
    private static let backupAdvice = "restore a backup (pippin backup makes them), or crawl into another folder"

    private let part: JobStorages.Part
    private let isFull: Bool
    let reader: StorageReader

    /// - Parameter isFull: whether everything is read: every index of the database, every line, every word.
    /// - Throws: `StorageError` if there is no storage.
    public init(folder: URL, isFull: Bool) throws {
        try self.init(JobStorages.Part(folder: folder, shard: nil), isFull: isFull)
    }

    /// - Parameter part: the storage of the job, or of one of its shards.
    public init(_ part: JobStorages.Part, isFull: Bool) throws {
        self.part = part
        self.isFull = isFull
        reader = try StorageReader(part)
    }

    /// Whether a run goes on. Numbers move then, and the counts of hosts, which it keeps in memory, are not checked.
    public var isRunning: Bool {
        get throws { try StorageStatus(reader, shown: 1).state == .running }
    }

    /// Makes all checks, one after the other.
    ///
    /// - Parameter archive: the folder of the job's archive; nil if it has none.
    public func run(archive: String?, _ tell: (Finding) throws -> Void) throws {
        func check(_ name: String, _ body: () throws -> Finding.Verdict) throws {
            try tell(Self.finding(name, body))
        }
        try check("database") { try reader.read(integrity) }
        try check("counts", counts)
        if isFull { try check("references") { try reader.read(references) } }
        try check("feed") { try reader.read(feed) }
        for consumer in try reader.read(Self.consumers) {
            try check("consumer \(consumer.name)") { try stableState(of: consumer) }
        }
        // Shards have an index in common.
        if part.shard == nil || SearchIndexer.hasIndex(in: part.folder) {
            try check("search index") { try SearchIndexCheck([part], in: part.folder, isFull: isFull).verdict() }
        }
        if let archive {
            let check = ArchiveCheck(folder: archive, isFull: isFull)
            for problem in check.problems {
                try tell(Finding(name: "archive", verdict: .wrong(problem.what, advice: problem.advice)))
            }
            if check.problems.isEmpty {
                try tell(
                    Finding(
                        name: "archive",
                        verdict: .ok(
                            "\(Wording.count(check.files, "file")), \(Wording.count(check.captures, "capture"))")))
            }
        }
    }

    private static func finding(_ name: String, _ body: () throws -> Finding.Verdict) throws -> Finding {
        do {
            return Finding(name: name, verdict: try body())
        } catch let error as DatabaseError {
            return Finding(name: name, verdict: unreadable(error))
        } catch let error as StorageError where error.exitStatus == .outputFailed {
            return Finding(name: name, verdict: unreadable(error))
        }
    }

    /// Checks the search index that the shards of a job have in common.
    public static func searchIndex(of job: JobStorages, isFull: Bool) throws -> Finding {
        try finding("search index") { try SearchIndexCheck(job.parts, in: job.folder, isFull: isFull).verdict() }
    }

    /// A finding for each shard whose storage is here and cannot be read, by number. Those that a turn makes readable are none.
    public static func unreadable(of job: JobStorages) -> [(shard: Int, finding: Finding)] {
        let advice = "let a turn bring it up or make it anew"
        return job.hindrances.filter { !$0.value.isPassing }.sorted { $0.key < $1.key }.map { number, hindrance in
            (number, Finding(name: "database", verdict: .wrong(hindrance.reason, advice: advice)))
        }
    }

    private static func unreadable(_ error: any Error) -> Finding.Verdict {
        .wrong("cannot be read: \(error)", advice: backupAdvice)
    }

    // MARK: The database

    private func integrity(_ database: Database) throws -> Finding.Verdict {
        let lines = try String.fetchAll(database, sql: "PRAGMA \(isFull ? "integrity_check" : "quick_check")(5)")
        guard lines == ["ok"] else { return .wrong(lines.joined(separator: "; "), advice: Self.backupAdvice) }
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        return .ok(
            "\(pages * 4096 / 1_000_000) MB, of which \(pages > 0 ? free * 100 / pages : 0) % are free (pippin compact)"
        )
    }

    private func counts() throws -> Finding.Verdict {
        let isRunning = try isRunning
        return try reader.read { database in
            // After a kill, the next run counts hosts before it does anything.
            let isOpen = try Bool.fetchOne(database, sql: "SELECT isOpen FROM store") ?? false
            let found = try KeptCounts.differences(database, ofHosts: !isOpen)
            guard found.count == 0 else {
                return .wrong(
                    found.first.prefix(5).map(\.description).joined(separator: "; ")
                        + (found.count > 5 ? "; and \(found.count - 5) more" : ""), advice: Self.fixAdvice)
            }
            let known = try Int.fetchOne(database, sql: "SELECT known FROM store") ?? 0
            return .ok(
                Wording.count(known, "URL") + (isRunning ? "; those of hosts are not checked during a run" : ""))
        }
    }

    /// Columns that name rows of another table, whose key is `id`; and `url`'s hosts, which its numbers contain.
    private static let references: [(table: String, row: String, target: String)] = [
        ("url", "id >> 35", "host"), ("rules", "host", "host"), ("url", "seed", "seed"), ("awaiting", "url", "url"),
        ("judgement", "url", "url"), ("card", "url", "url"), ("deepLink", "record", "record"),
        ("pageText", "record", "record"), ("popularity", "record", "record"),
    ]

    private func references(_ database: Database) throws -> Finding.Verdict {
        var problems: [String] = []
        for (table, row, target) in Self.references {
            let count =
                try Int.fetchOne(
                    database,
                    sql: """
                        SELECT count(*) FROM \(table) AS source
                        WHERE NOT EXISTS (SELECT 1 FROM \(target) AS target WHERE target.id = source.\(row))
                        """) ?? 0
            if count > 0 { problems.append("\(Wording.count(count, "row")) of \(table) without their \(target)") }
        }
        return problems.isEmpty
            ? .ok(Wording.count(Self.references.count, "reference"))
            : .wrong(problems.joined(separator: "; "), advice: Self.backupAdvice)
    }

    // MARK: The feed, and who follows it

    private func feed(_ database: Database) throws -> Finding.Verdict {
        let end = try ChangeFeed.end(of: database)
        let last = try ChangeFeed.lastNumber(of: database)
        guard last <= end.sequence else {
            return .wrong(
                "the last change has number \(last), and the counter is at \(end.sequence)", advice: Self.fixAdvice)
        }
        // Numbers are missing where a record has changed again. What must not be missing is the number of a record.
        let lost =
            try Int.fetchOne(
                database,
                sql: """
                    SELECT count(*) FROM record WHERE state = 0 AND (sequence IS NULL OR document IS NULL)
                        OR state <> 0 AND sequence IS NOT NULL AND deletion IS NULL
                    """) ?? 0
        guard lost == 0 else {
            return .wrong("\(Wording.count(lost, "change")) would never be delivered", advice: Self.backupAdvice)
        }
        let changes = try Int.fetchOne(database, sql: "SELECT count(*) FROM record WHERE sequence IS NOT NULL") ?? 0
        return .ok("\(Wording.count(changes, "change")), cursor \(end)")
    }

    /// A consumer that the storage itself feeds.
    private struct Consumer {
        let name: String
        let sequence: Int64
        let bytes: Int64
        /// The end of the feed when the consumer's position was read.
        let end: Int64
    }

    private static func consumers(_ database: Database) throws -> [Consumer] {
        let end = try ChangeFeed.end(of: database).sequence
        var found: [Consumer] = []
        try StoreStatement(database, "SELECT name, sequence, bytes FROM consumer ORDER BY name").rows {
            found.append(Consumer(name: $0.text(0), sequence: $0.integer(1), bytes: $0.integer(2), end: end))
        }
        return found
    }

    /// What is wrong with a consumer that did not move meanwhile: a run may write, or end a file, while it is looked at.
    private func stableState(of consumer: Consumer) throws -> Finding.Verdict {
        var (consumer, state) = (consumer, try state(of: consumer))
        for _ in 0..<10 {
            guard case .wrong = state,
                let now = try reader.read(Self.consumers).first(where: { $0.name == consumer.name }),
                now.sequence != consumer.sequence || now.bytes != consumer.bytes
            else { break }
            (consumer, state) = (now, try self.state(of: now))
        }
        return state
    }

    private func state(of consumer: Consumer) throws -> Finding.Verdict {
        guard consumer.sequence <= consumer.end else {
            return .wrong(
                "is at change \(consumer.sequence), and the feed ends at \(consumer.end)", advice: Self.backupAdvice)
        }
        guard consumer.name.hasPrefix("/") else {
            return .ok("has all changes up to \(consumer.sequence) of \(consumer.end)")
        }
        if try EndedFiles(of: consumer.name).haveTaken(bytes: consumer.bytes, sequence: consumer.sequence) {
            return .ok("begins after change \(consumer.sequence)")
        }
        let rewritten = "the next run writes it anew; who reads it must begin anew then"
        let descriptor = open(consumer.name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return .wrong(SystemReason.words(errno), advice: "if it was moved or emptied, this is fine: \(rewritten)")
        }
        defer { close(descriptor) }
        var lines = LineCheck(descriptor: descriptor)
        guard try lines.endsLine(at: consumer.bytes) else {
            return .wrong("no line ends at byte \(consumer.bytes), up to which it was written", advice: rewritten)
        }
        guard isFull else { return .ok("\(consumer.bytes / 1_000_000) MB up to change \(consumer.sequence)") }
        if let byte = try lines.firstBadLine(upTo: consumer.bytes) {
            return .wrong("the line at byte \(byte) is no record", advice: "empty the file: \(rewritten)")
        }
        return .ok("\(Wording.count(lines.count, "line")) up to change \(consumer.sequence)")
    }
}

extension StorageCheck {
    /// Fixes what can be computed from the rest: counts of the database, and the search index, which is built anew.
    ///
    /// - Parameter progress: called while the index is built.
    /// - Throws: `StorageError.held` if a run is open; `OutputLock.Held` if another process writes the index.
    public static func fix(
        _ findings: [Finding], in folder: URL, progress: (SearchIndexer.Progress) -> Void = { _ in }
    ) throws -> [Finding] {
        func isWrong(_ name: String) -> Bool {
            findings.contains { finding in
                if case .wrong(_, let advice) = finding.verdict {
                    finding.name == name && advice == fixAdvice
                } else {
                    false
                }
            }
        }
        var fixed: [Finding] = []
        if isWrong("counts") || isWrong("feed") {
            let storage = try CrawlStorage(folder: folder)
            try storage.write { database in
                try KeptCounts.fix(database)
                try database.execute(
                    sql: "UPDATE store SET sequence = max(sequence, ?)",
                    arguments: [ChangeFeed.lastNumber(of: database)])
            }
            try storage.emptyLog()
            fixed.append(Finding(name: "counts", verdict: .fixed("everything was counted anew")))
        }
        if isWrong("search index") {
            let indexer = try SearchIndexer(folder: folder)
            try indexer.startAnew()
            let count = try indexer.catchUp(progress: progress)
            fixed.append(
                Finding(name: "search index", verdict: .fixed("built anew of \(Wording.count(count, "change"))")))
        }
        return fixed
    }
}

/// Reads the lines of a followed file, one piece after the other.
private struct LineCheck {
    let descriptor: Int32
    private(set) var count = 0
    private static let pieceBytes = 1 << 20

    init(descriptor: Int32) { self.descriptor = descriptor }

    private func read(_ bytes: inout [UInt8], at place: Int64, count: Int) throws -> Int {
        let found = pread(descriptor, &bytes, count, off_t(place))
        guard found >= 0 else { throw StorageError.damaged(reason: SystemReason.words(errno)) }
        return found
    }

    func endsLine(at place: Int64) throws -> Bool {
        guard place > 0 else { return true }
        var byte: [UInt8] = [0]
        return try read(&byte, at: place - 1, count: 1) == 1 && byte[0] == 0x0A
    }

    /// The place of the first line that does not begin and end like a record; nil if there is none.
    mutating func firstBadLine(upTo end: Int64) throws -> Int64? {
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        var (place, start, first, last): (Int64, Int64, UInt8?, UInt8) = (0, 0, nil, 0)
        while place < end {
            let found = try read(&piece, at: place, count: min(piece.count, Int(end - place)))
            guard found > 0 else { return start }
            for byte in piece[..<found] {
                place += 1
                if byte == 0x0A {
                    guard first == UInt8(ascii: "{"), last == UInt8(ascii: "}") else { return start }
                    (count, start, first) = (count + 1, place, nil)
                } else {
                    if first == nil { first = byte }
                    last = byte
                }
            }
        }
        return first == nil ? nil : start
    }
}
