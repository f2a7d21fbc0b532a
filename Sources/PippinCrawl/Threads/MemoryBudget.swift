import Synchronization

/// Decides for the whole crawl whether something fits into memory (`fetch.memory`): bodies in transfer, documents under
/// construction, and pages that wait for files of their sites, each at its real size.
///
/// An exchange begins with the memory of an ordinary page and grows with the bytes that arrive. If they do not fit, it waits: a
/// transfer is paused, a reading or a visit is not started. A quarter of the budget is reserved for starting exchanges, so that
/// ordinary pages continue beside any number of large ones. One holder at a time, the oldest that asks, may exceed the budget,
/// so that nothing waits forever. The memory in use is therefore never more than the budget plus one body with its document.
final class MemoryBudget: Sendable {
    private struct State {
        var inUse = 0
        var most = 0
        var beyond: ObjectIdentifier?
        var waiting: [(holding: ObjectIdentifier, wake: @Sendable () -> Void)] = []
    }

    /// The bytes that an ordinary page of 50 kB needs for body and document.
    private static let ordinaryBytes = 512 * 1024

    let limit: Int
    /// The bytes that an exchange begins with.
    let ordinary: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
        ordinary = min(Self.ordinaryBytes, limit / 32)
    }

    /// Whether another exchange can begin.
    var hasRoom: Bool { state.withLock { $0.inUse + ordinary <= limit } }
    var inUse: Int { state.withLock { $0.inUse } }
    /// The highest number of bytes in use so far.
    var most: Int { state.withLock { $0.most } }
    /// The number of exchanges and readings that wait for memory.
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

    /// Changes the bytes of a holder that shrank or asks for no more. Wakes all that wait.
    fileprivate func settle(_ holding: ObjectIdentifier, change: Int) {
        let waiting = state.withLock { state in
            Self.add(change, to: &state)
            state.waiting.removeAll { $0.holding == holding }
            if state.beyond == holding { state.beyond = nil }
            // Those that still do not fit will wait again.
            return state.waiting
        }
        for entry in waiting { entry.wake() }
    }
}

/// One visit's share of a `MemoryBudget`, from the start of its exchange until nothing of it is kept.
final class Holding: Sendable {
    private let budget: MemoryBudget
    private let bytes: Mutex<Int>

    fileprivate init(_ budget: MemoryBudget, bytes: Int) {
        self.budget = budget
        self.bytes = Mutex(bytes)
    }

    deinit { end() }

    /// Asks for room for `total` bytes altogether. Returns false if they do not fit; `wake` is called when that may have
    /// changed.
    func grow(to total: Int, orWake wake: @escaping @Sendable () -> Void) -> Bool {
        bytes.withLock { bytes in
            guard total > bytes else { return true }
            guard budget.grow(self, by: total - bytes, orWake: wake) else { return false }
            bytes = total
            return true
        }
    }

    /// Waits until `total` bytes altogether fit, or until the task is cancelled.
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

    /// Sets the bytes that are really held, even if they do not fit. The holder then asks for no more.
    func settle(at total: Int) {
        let change = bytes.withLock { bytes in
            defer { bytes = total }
            return total - bytes
        }
        budget.settle(ObjectIdentifier(self), change: change)
    }

    func end() { settle(at: 0) }

    /// A gate for one waiting task. It opens once and stays open.
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
