import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Copies the write-ahead log into the database while the frontier goes on writing.
///
/// SQLite's own checkpoint runs inside a commit, and blocks the writer for a second or more while it waits for the disk. This
/// one copies most of the log with its own connection and thread. The writer then copies only the small rest that was
/// committed meanwhile, and the log starts again from the beginning. A failed checkpoint, for example on a full disk, loses
/// nothing: the log grows until one succeeds or a commit reports the error.
final class LogCheckpoints: Sendable {
    /// The length in pages at which the log is copied: 256 MB. A page that was written many times is copied once.
    static let pages: Int32 = 64_000
    /// When the log has grown to this multiple of `pages`, the writer waits for the copying.
    static let most: Int32 = 4

    private enum Phase {
        case idle
        case copying
        /// The next commit copies the rest.
        case copied
    }

    private let phase = Mutex(Phase.idle)
    private let queue = DispatchQueue(label: "pippin.checkpoint")
    private let path: String
    private let pages: Int32

    /// - Parameter path: the database's file.
    init(path: String, pages: Int32 = LogCheckpoints.pages) {
        self.path = path
        self.pages = pages
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

    /// Called after each commit, with the log's length in pages.
    private func committed(_ connection: OpaquePointer?, _ pages: Int32) {
        guard pages >= self.pages else { return }
        if pages >= self.pages * Self.most { finish() }
        let found = phase.withLock { phase in
            defer {
                switch phase {
                case .idle: phase = .copying
                case .copying: break
                case .copied: phase = .idle
                }
            }
            return phase
        }
        switch found {
        case .idle: queue.async { self.copy() }
        case .copying: break
        case .copied: sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
    }

    private func copy() {
        var connection: OpaquePointer?
        if sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK {
            // The second pass copies what was written during the first, so that little is left to the writer.
            for _ in 0..<2 {
                sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
            }
        }
        sqlite3_close(connection)
        phase.withLock { $0 = .copied }
    }
}
