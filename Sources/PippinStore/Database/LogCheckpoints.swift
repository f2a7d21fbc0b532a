import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Copies the write-ahead log into the database while the frontier goes on writing.
///
/// SQLite's own checkpoint runs inside a commit, and blocks the writer for a second or more while it waits for the disk. This
/// one copies most of the log with its own connection and thread. The writer then copies only the small rest that was
/// committed meanwhile, and the log starts again from the beginning.
///
///     log:  0 ─────────── pages ─────────── most × pages ─────────── + pages ───────────
///           only written  copied beside     the writer waits for     the writer tries again;
///                         the writer        copying and readers      a reader holds the log
///
/// So the log has at most `most` × `pages` and one transaction more, as long as no reader keeps one state of the database open for
/// longer than `patience`. Beside such a reader it grows by all that is written, and `tell` says so. SQLite calls that busy; it is
/// normal. Any other result of a checkpoint is an error of the disk, which `raise` throws. It loses nothing that was committed.
final class LogCheckpoints: Sendable {
    /// The length in pages at which the log is copied: 256 MB. A page that was written many times is copied once.
    static let pages: Int32 = 64_000
    /// When the log has grown to this multiple of `pages`, the writer waits for the copying.
    static let most: Int32 = 2
    /// Bytes of a page, and of its header in the log.
    private static let pageBytes = 4096 + 24
    /// A longer log is held by a reader. With a margin for one transaction.
    static let longestBytes = (Int(most) + 1) * Int(pages) * pageBytes

    private enum Phase {
        case idle
        case copying
        /// The next commit copies the rest.
        case copied
    }

    private struct State {
        var phase = Phase.idle
        /// The length at which the writer waits.
        var waitsAt: Int32
        /// How often a reader has held the log in a row, and its length when that was told.
        var held = 0
        var told: Int32 = 0
        /// The result of a checkpoint that failed.
        var failure = SQLITE_OK
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "pippin.checkpoint")
    private let path: String
    private let pages: Int32
    private let patience: Int32
    private let tell: @Sendable (String) -> Void
    /// Whoever is told may take any time; the writer does not wait.
    private let telling = DispatchQueue(label: "pippin.checkpoint.tell")

    /// - Parameters:
    ///   - path: the database's file.
    ///   - patience: milliseconds that the writer waits for readers of an old state. Our own readers take a tenth of it.
    ///   - tell: gets a sentence when a reader holds the log, and again each time that the log has doubled.
    init(
        path: String, pages: Int32 = LogCheckpoints.pages, patience: Int32 = 250,
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.path = path
        self.pages = pages
        self.patience = patience
        self.tell = tell
        state = Mutex(State(waitsAt: pages * Self.most))
    }

    /// Tells of a log that somebody holds.
    static func sentence(bytes: Int) -> String {
        "The database's log has \(bytes / 1_000_000) MB: a process that reads one state of the storage for long (an open sqlite3 shell, a "
            + "hanging export, a backup) keeps it from being emptied. End that process; the end of a run empties the log then."
    }

    /// Replaces SQLite's automatic checkpoints on the connection that writes.
    func attend(_ database: Database) {
        // Not retained: the connection's configuration keeps this object alive as long as the connection.
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, connection, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogCheckpoints>.fromOpaque(context).takeUnretainedValue().committed(connection, pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Waits for a checkpoint in progress.
    func finish() { queue.sync {} }

    /// How often in a row the log could not start again because of a reader.
    var timesHeld: Int { state.withLock { $0.held } }

    /// Called by whoever commits, as SQLite hides which error its hook returns.
    ///
    /// - Throws: the error of a checkpoint that failed since the last call.
    func raise() throws {
        let code = state.withLock { state in
            defer { state.failure = SQLITE_OK }
            return state.failure
        }
        guard code != SQLITE_OK else { return }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errstr(code)),
            sql: "checkpoint of the log")
    }

    /// Called after each commit, with the log's length in pages.
    private func committed(_ connection: OpaquePointer?, _ pages: Int32) {
        if pages < self.pages {
            state.withLock { ($0.held, $0.told, $0.waitsAt) = (0, 0, self.pages * Self.most) }
        } else {
            if pages >= state.withLock({ $0.waitsAt }) {
                finish()
                restart(connection, pages)
            } else {
                copy(besides: connection)
            }
        }
    }

    private func copy(besides connection: OpaquePointer?) {
        let found = state.withLock { state in
            defer {
                switch state.phase {
                case .idle: state.phase = .copying
                case .copying: break
                case .copied: state.phase = .idle
                }
            }
            return state.phase
        }
        switch found {
        case .idle: queue.async { self.copy() }
        case .copying: break
        case .copied: note(sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil))
        }
    }

    private func copy() {
        var connection: OpaquePointer?
        var code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil)
        // The second pass copies what was written during the first, so that little is left to the writer.
        for _ in 0..<2 where code == SQLITE_OK {
            code = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
        // The extended code says more, for example that it was the sync that failed.
        note(code == SQLITE_OK ? code : connection.map { sqlite3_extended_errcode($0) } ?? code)
        sqlite3_close(connection)
        state.withLock { $0.phase = .copied }
    }

    /// Copies the whole log and waits for those who read an old state, so that the next transaction begins it again.
    private func restart(_ connection: OpaquePointer?, _ pages: Int32) {
        sqlite3_busy_timeout(connection, patience)
        let code = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_RESTART, nil, nil)
        sqlite3_busy_timeout(connection, StoreSchema.patienceForLocks)
        note(code)
        let isHeld = code & 0xFF == SQLITE_BUSY
        let isNews = state.withLock { state in
            state.phase = .idle
            state.held = isHeld ? state.held + 1 : 0
            state.waitsAt = isHeld ? pages + self.pages : self.pages * Self.most
            guard isHeld, pages >= 2 * state.told else { return false }
            state.told = pages
            return true
        }
        if isNews { telling.async { self.tell(Self.sentence(bytes: Int(pages) * Self.pageBytes)) } }
    }

    /// Keeps an error for the next commit. A checkpoint that is busy copies what it can.
    private func note(_ code: Int32) {
        guard ![SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF) else { return }
        state.withLock { if $0.failure == SQLITE_OK { $0.failure = code } }
    }
}
