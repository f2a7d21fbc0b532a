import PippinPage
import Synchronization

/// The end of a reading.
enum ReadingEnd<Answer: Sendable>: Sendable {
    case read(Answer)
    /// It computed for longer than `fetch.reading_timeout`. Its result is thrown away.
    case timedOut
    /// The run was stopped at once before the reading ended.
    case stopped
}

/// A reading from the point of view of the threads that run it.
protocol ReadingToMake: AnyObject, Sendable {
    /// The URL that is read, for messages.
    var url: WebURL { get }
    var interruption: Interruption { get }
    /// Runs the computation, unless the reading has ended already.
    func compute()
    /// Passes the answer to the waiting task, unless the reading was given up.
    func answer()
    /// Ends the reading without its answer. The waiting task continues at once, even while the computation still runs.
    func giveUp(_ reason: ReadingGivenUp)
}

enum ReadingGivenUp: Sendable {
    case timedOut, stopped
}

/// One piece of computing, and the task that waits for it.
///
///     queued ──► computing ──► computed ──► answered      the first end counts; the answer of a reading that was given up is dropped
///        └───────────┴──► given up
final class AwaitedReading<Answer: Sendable>: ReadingToMake {
    private enum State {
        case new
        case awaited(CheckedContinuation<ReadingEnd<Answer>, Never>)
        case computed(Answer, CheckedContinuation<ReadingEnd<Answer>, Never>)
        case ended(ReadingGivenUp)
        case answered
    }

    let url: WebURL
    let interruption: Interruption
    private let body: @Sendable (Interruption) -> Answer
    private let state = Mutex(State.new)

    init(of url: WebURL, _ interruption: Interruption, _ body: @escaping @Sendable (Interruption) -> Answer) {
        self.url = url
        self.interruption = interruption
        self.body = body
    }

    func compute() {
        // Nothing happens if the reading was stopped. Otherwise the reading before it reached its limit just as it ended.
        guard !interruption.isSet else { return giveUp(.timedOut) }
        let answer = body(interruption)
        // If somebody ended the reading, a reason is set before the flag. A flag without a reason was set by the watching
        // thread.
        guard !interruption.isSet else { return giveUp(.timedOut) }
        state.withLock { state in
            if case .awaited(let continuation) = state { state = .computed(answer, continuation) }
        }
    }

    func answer() {
        let computed = state.withLock { state -> (Answer, CheckedContinuation<ReadingEnd<Answer>, Never>)? in
            guard case .computed(let answer, let continuation) = state else { return nil }
            state = .answered
            return (answer, continuation)
        }
        if let (answer, continuation) = computed { continuation.resume(returning: .read(answer)) }
    }

    func giveUp(_ reason: ReadingGivenUp) {
        var isAnswered = false
        let waiting = state.withLock { state -> CheckedContinuation<ReadingEnd<Answer>, Never>? in
            switch state {
            case .new: state = .ended(reason)
            case .awaited(let continuation), .computed(_, let continuation):
                state = .ended(reason)
                return continuation
            case .ended: break
            // Another reading may go on with this interruption.
            case .answered: isAnswered = true
            }
            return nil
        }
        waiting?.resume(returning: Self.end(reason))
        if !isAnswered { interruption.set() }
    }

    /// Lets a task wait for the reading.
    ///
    /// - Returns: whether the reading must be computed. It may have been given up before the task waited.
    func wait(with continuation: CheckedContinuation<ReadingEnd<Answer>, Never>) -> Bool {
        let end = state.withLock { state -> ReadingGivenUp? in
            if case .ended(let reason) = state { return reason }
            state = .awaited(continuation)
            return nil
        }
        guard let end else { return true }
        continuation.resume(returning: Self.end(end))
        return false
    }

    private static func end(_ reason: ReadingGivenUp) -> ReadingEnd<Answer> {
        switch reason {
        case .timedOut: .timedOut
        case .stopped: .stopped
        }
    }
}
