import Foundation
import PippinCrawl
import PippinStore
import Synchronization

/// Keeps the search index up to date while the server runs: it looks about once a second for changes of the storages.
///
/// If another process writes the index, that one keeps it up to date, and this one waits until it ends.
final class IndexKeeper: Sendable {
    /// How far the index is, for people.
    enum Standing: Sendable, Equatable {
        case upToDate
        /// Percent of the storage's changes.
        case building(percent: Int)
        case keptByAnother
        /// It cannot be written; the operator is told why.
        case failing
    }

    private static let interval = Duration.seconds(1)
    /// Looking into many shards takes longer, so it is done less often: a fifth of a processor's time at most.
    private static let pausePerLook = 5
    /// Another process may hold the index for minutes.
    private static let patience = Duration.seconds(5)

    private let folder: URL
    private let report: @Sendable (any Error) -> Void
    private let state = Mutex(Standing.building(percent: 0))

    /// - Parameter report: gets errors, such as a full disk. The keeper tries again.
    init(folder: URL, report: @escaping @Sendable (any Error) -> Void) {
        self.folder = folder
        self.report = report
    }

    var standing: Standing { state.withLock { $0 } }

    /// A sentence while the index is not up to date.
    var sentence: String? {
        switch standing {
        case .upToDate, .keptByAnother, .failing: nil
        case .building(let percent): "The index is being built: \(percent) %"
        }
    }

    /// Keeps the index until the task is cancelled. It blocks its thread while it writes.
    func run() async {
        var told = ""
        while !Task.isCancelled {
            do {
                try await keep()
            } catch is CancellationError {
                return
            } catch is OutputLock.Held {
                state.withLock { $0 = .keptByAnother }
            } catch {
                state.withLock { $0 = .failing }
                // Once, and not at each try.
                if "\(error)" != told { report(error) }
                told = "\(error)"
            }
            do { try await Task.sleep(for: Self.patience) } catch { return }
        }
    }

    private func keep() async throws {
        let indexer = try SearchIndexer(folder: folder)
        while true {
            let start = ContinuousClock.now
            let isBehind = try indexer.isBehind()
            let time = ContinuousClock.now - start
            if isBehind {
                try indexer.catchUp(
                    isStopped: { Task.isCancelled },
                    progress: { progress in
                        let percent = Int(100 * progress.done / max(progress.total, 1))
                        state.withLock { $0 = percent < 100 ? .building(percent: percent) : .upToDate }
                    })
            }
            state.withLock { $0 = .upToDate }
            try await Task.sleep(for: max(Self.interval, time * Self.pausePerLook))
        }
    }
}
