import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Copies the write-ahead log into the database while the frontier goes on writing.
///
/// SQLite's own checkpoint runs inside a commit and holds the writer for a second or more, as it waits for the disk. This
/// one copies most of the log on a connection and a thread of its own; what was committed meanwhile, a small rest, is
/// copied by the writer, and the log starts anew. A checkpoint that fails, as on a full disk, loses nothing: the log goes on
/// growing until one succeeds or a commit says what is wrong.
final class LogCheckpoints: Sendable {
    /// Pages in the log from which on it is copied: 256 MB. A page that was written often is copied once.
    static let pages: Int32 = 64_000
    /// A log that has grown to so many times that is waited for.
    static let most: Int32 = 4

    private enum Phase {
        case idle
        case copying
        /// The writer is to copy the rest.
        case copied
    }

    private let phase = Mutex(Phase.idle)
    private let queue = DispatchQueue(label: "pippin.checkpoint")
    private let path: String
    private let pages: Int32

    /// - Parameter path: of the database.
    init(path: String, pages: Int32 = LogCheckpoints.pages) {
        self.path = path
        self.pages = pages
    }

    /// Takes the place of SQLite's automatic checkpoints on the connection that writes.
    func attend(_ database: Database) {
        // The connection's configuration holds this object as long as the connection lives.
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, connection, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogCheckpoints>.fromOpaque(context).takeUnretainedValue().committed(connection, pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Waits for a checkpoint under way.
    func finish() { queue.sync {} }

    /// A commit has made the log so long.
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
            // The second time for what came during the first, so that little is left to the writer.
            for _ in 0..<2 {
                sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
            }
        }
        sqlite3_close(connection)
        phase.withLock { $0 = .copied }
    }
}
