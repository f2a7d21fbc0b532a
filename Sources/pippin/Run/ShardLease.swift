import Foundation
import PippinCrawl
import Synchronization

/// Until when a worker may work on its shard. When that has passed, another machine may have the shard, and ask its hosts: the process ends at
/// once. A driver that stands still renews nothing, and a process that stood still itself ends when it goes on.
///
/// The clock is the machine's since it was started, sleep included (`CLOCK_BOOTTIME`): a renewal says a moment, not how long, so one that
/// was read late promises nothing more.
final class ShardLease: Sendable {
    private struct State {
        var end: Duration?
        var isWatched = false
        var isOver = false
    }

    private let state = Mutex(State())
    /// A machine that slept goes on with what its processes had left to sleep.
    private static let longestSleep = 0.5

    /// Takes a renewal. Without any, nothing ends.
    func extend(to end: Duration) {
        let isFirst = state.withLock { state in
            state.end = end
            defer { state.isWatched = true }
            return !state.isWatched
        }
        guard isFirst else { return }
        let thread = Thread { self.watch() }
        thread.name = "lease"
        thread.start()
    }

    /// From now on it may run out.
    func end() { state.withLock { $0.isOver = true } }

    private func watch() {
        while true {
            let left: Duration? = state.withLock { $0.isOver ? nil : ($0.end ?? .zero) - Self.now() }
            guard let left else { return }
            guard left > .zero else {
                writeError(
                    "pippin: standard input: the driver has not renewed the shard's lease in time, and another machine may have it; the turn "
                        + "can be tried again")
                _exit(ExitStatus.interrupted.rawValue)
            }
            Thread.sleep(forTimeInterval: min(Self.longestSleep, left / .seconds(1)))
        }
    }

    private static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
