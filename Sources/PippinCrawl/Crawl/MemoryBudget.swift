import Synchronization

/// The one answer to "does this fit into memory?", for all that the web makes a crawl keep: bodies on their way, documents under
/// construction, and pages that wait for files of their sites, each at its real size (`fetch.memory`).
///
/// An exchange begins with what an ordinary page needs, and grows by what really arrives. What no longer fits waits: a transfer is
/// paused, a reading is not begun, a visit is not started. A quarter of the budget is kept for beginnings, so that ordinary pages
/// go on beside any number of large ones. One at a time, the oldest that asks, may go on beyond the budget, so that
/// nothing waits for ever: what is in use is never more than the budget and one body with its document.
final class MemoryBudget: Sendable {
    private struct State {
        var inUse = 0
        var most = 0
        var beyond: ObjectIdentifier?
        var waiting: [(holding: ObjectIdentifier, wake: @Sendable () -> Void)] = []
    }

    /// What an ordinary page of 50 kB needs, body and document.
    private static let ordinaryBytes = 512 * 1024

    let limit: Int
    /// What an exchange begins with.
    let ordinary: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
        ordinary = min(Self.ordinaryBytes, limit / 32)
    }

    /// Whether another exchange can begin.
    var hasRoom: Bool { state.withLock { $0.inUse + ordinary <= limit } }
    var inUse: Int { state.withLock { $0.inUse } }
    /// The most that was in use at a time.
    var most: Int { state.withLock { $0.most } }
    /// Exchanges and readings that wait until they fit.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func begin() -> Holding {
        let holding = Holding(self, bytes: ordinary)
        state.withLock { Self.add(ordinary, to: &$0) }
        return holding
    }

    private static func add(_ bytes: Int, to state: inout State) {
        state.inUse += bytes
        state.most = max(state.most, state.inUse)
    }

    fileprivate func grow(_ holding: Holding, by bytes: Int, orWake wake: (@Sendable () -> Void)?) -> Bool {
        let id = ObjectIdentifier(holding)
        return state.withLock { state in
            state.waiting.removeAll { $0.holding == id }
            if state.inUse + bytes > limit - limit / 4, state.beyond != id {
                guard state.beyond == nil || wake == nil else {
                    if let wake { state.waiting.append((id, wake)) }
                    return false
                }
                state.beyond = id
            }
            Self.add(bytes, to: &state)
            return true
        }
    }

    /// Less is held than before, or the holder no longer asks for more.
    fileprivate func settle(_ holding: ObjectIdentifier, change: Int) {
        let waiting = state.withLock { state in
            Self.add(change, to: &state)
            state.waiting.removeAll { $0.holding == holding }
            if state.beyond == holding { state.beyond = nil }
            // Those that still do not fit ask to be woken again.
            return state.waiting
        }
        for entry in waiting { entry.wake() }
    }
}

/// What one visit holds of a `MemoryBudget`: from the start of its exchange until nothing of it is kept.
final class Holding: Sendable {
    private let budget: MemoryBudget
    private let bytes: Mutex<Int>

    fileprivate init(_ budget: MemoryBudget, bytes: Int) {
        self.budget = budget
        self.bytes = Mutex(bytes)
    }

    deinit { end() }

    /// Asks for room for `total` bytes in all. False when they do not fit: then `wake` is called when that may have changed.
    func grow(to total: Int, orWake wake: @escaping @Sendable () -> Void) -> Bool {
        bytes.withLock { bytes in
            guard total > bytes else { return true }
            guard budget.grow(self, by: total - bytes, orWake: wake) else { return false }
            bytes = total
            return true
        }
    }

    /// Waits for room for `total` bytes in all, or until the task is cancelled.
    func waitForRoom(_ total: Int) async {
        while !Task.isCancelled {
            let gate = Gate()
            if grow(to: total, orWake: { gate.open() }) { return }
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                gate.open()
            }
        }
    }

    /// What is held really, whether it fits or not, by something that asks for nothing more.
    func settle(at total: Int) {
        let change = bytes.withLock { bytes in
            defer { bytes = total }
            return total - bytes
        }
        budget.settle(ObjectIdentifier(self), change: change)
    }

    func end() { settle(at: 0) }

    /// Opened once, by anybody.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var waiting: CheckedContinuation<Void, Never>?
        }

        private let state = Mutex(State())

        func wait() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting = continuation }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }
    }
}
