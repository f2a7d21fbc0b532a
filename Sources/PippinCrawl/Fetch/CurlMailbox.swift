import CCurl
import Synchronization

/// The order of one exchange.
struct CurlOrder: Sendable {
    let id: UInt64
    let request: FetchRequest
    let continuation: CheckedContinuation<Result<CurlAnswer, FetchError>, Never>
}

/// The answer of an exchange.
struct CurlAnswer: Sendable {
    var response: FetchResponse
    /// The content codings that the response's body still has, in the order in which they were applied.
    var codings: [String] = []
}

/// Passes orders from tasks to the thread that drives curl. The thread is woken only while it sleeps, so a burst of orders costs
/// one system call.
final class CurlMailbox: Sendable {
    struct Contents {
        var orders: [CurlOrder] = []
        var cancellations: [UInt64] = []
        var isClosed = false
        /// Whether memory was freed, so that paused exchanges may continue.
        var memoryIsFreed = false

        var isEmpty: Bool { orders.isEmpty && cancellations.isEmpty && !isClosed && !memoryIsFreed }
    }

    private struct State {
        var contents = Contents()
        var isSleeping = false
        var hasEnded = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    // Safe because other threads use it only for `curl_multi_wakeup`, which any thread may call, and only while the mailbox is
    // open. The owning thread frees it after the mailbox was closed.
    nonisolated(unsafe) let multi: UnsafeMutableRawPointer
    private let state = Mutex(State())
    private let lastID = Atomic<UInt64>(0)

    init(multi: UnsafeMutableRawPointer) {
        self.multi = multi
    }

    // MARK: - The tasks' side

    func nextID() -> UInt64 {
        lastID.add(1, ordering: .relaxed).newValue
    }

    func submit(_ order: CurlOrder) {
        let isTaken = state.withLock { state in
            guard !state.contents.isClosed else { return false }
            state.contents.orders.append(order)
            wake(&state)
            return true
        }
        if !isTaken { order.continuation.resume(returning: .failure(.cancelled)) }
    }

    /// Cancels an exchange; ended ones are ignored.
    func cancel(_ id: UInt64) {
        state.withLock { state in
            guard !state.contents.isClosed else { return }
            state.contents.cancellations.append(id)
            wake(&state)
        }
    }

    func memoryIsFreed() {
        state.withLock { state in
            state.contents.memoryIsFreed = true
            wake(&state)
        }
    }

    func close() {
        state.withLock { state in
            guard !state.contents.isClosed else { return }
            state.contents.isClosed = true
            wake(&state)
        }
    }

    /// Returns when the thread has returned all exchanges.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waitingForEnd.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    private func wake(_ state: inout State) {
        guard state.isSleeping, !state.hasEnded else { return }
        state.isSleeping = false
        curl_multi_wakeup(multi)
    }

    // MARK: - The thread's side

    func take() -> Contents {
        state.withLock { state in
            state.isSleeping = false
            guard !state.contents.isEmpty else { return Contents() }
            let contents = state.contents
            state.contents = Contents(isClosed: contents.isClosed)
            return contents
        }
    }

    /// Marks the thread as asleep if there are no orders. Returns false if there are some.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.contents.isEmpty
            return state.isSleeping
        }
    }

    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waitingForEnd = [] }
            return state.waitingForEnd
        }
        for continuation in waiting { continuation.resume() }
    }
}
