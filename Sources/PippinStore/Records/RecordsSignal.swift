import Synchronization

/// Notifies the followers of a job's records. An `AsyncStream` has only one reader, so each follower gets its own.
final class RecordsSignal: Sendable {
    private struct State {
        var followers: [AsyncStream<Void>.Continuation] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// A stream that yields after records have changed, once for several changes, and ends with the run.
    func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.followers.append(continuation) }
            return state.hasEnded
        }
        if hasEnded { continuation.finish() }
        return stream
    }

    func tell() {
        for follower in state.withLock({ $0.followers }) { follower.yield() }
    }

    func end() {
        let followers = state.withLock { state in
            state.hasEnded = true
            defer { state.followers = [] }
            return state.followers
        }
        for follower in followers { follower.finish() }
    }
}
