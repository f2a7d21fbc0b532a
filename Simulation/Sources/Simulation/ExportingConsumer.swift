import Foundation
import PippinStore
import Synchronization

/// A consumer that asks for changes now and then, as `pippin export --cursor-file` does, and keeps the cursor together with them. It
/// lives on another machine: what it has is never lost.
final class ExportingConsumer: Sendable {
    private struct State {
        var consumer = IndexConsumer(name: "export", seesAll: false)
        var cursor: ChangeFeed.Cursor?
        var violations: [String] = []
    }

    private let state = Mutex(State())

    var index: [String: String] { state.withLock { $0.consumer.index } }
    var violations: [String] { state.withLock { $0.violations + $0.consumer.violations } }

    /// Takes what has changed in a storage. A disk that fails, or a storage that is not there yet, is tried again the next time.
    func export(from storage: URL) {
        guard CrawlStorage.exists(in: storage) else { return }
        state.withLock { state in
            var lines: [Data] = []
            do {
                let feed = try ChangeFeed(folder: storage)
                state.cursor = try feed.read(since: state.cursor) { lines.append(Data($0.document)) }
            } catch StorageError.foreignCursor(let cursor) {
                state.violations.append("cursor refused: \(cursor), which an export gave")
                return
            } catch { return }
            for line in lines { state.consumer.take(line) }
        }
    }
}
