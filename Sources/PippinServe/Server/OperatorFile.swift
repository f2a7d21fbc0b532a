import PippinStore
import Synchronization

/// What a file of the operator's says, such as keys or synonyms. It is read again when it has changed, so that a key that is taken out
/// counts no more, without a new start of the server.
///
/// While the file is gone or cannot be used, the operator is told why, once. Then what it said before counts, or what was given for that
/// case: of keys, none counts, because one may have been taken out.
public final class OperatorFile<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var file: FileState?
        /// False after a change that another one may follow without another time: then the file is read once more.
        var isSettled: Bool
        var trouble: String?
        /// When it may be looked at again.
        var next: ContinuousClock.Instant
    }

    /// Requests of one second look at the file once.
    private static var interval: Duration { .seconds(1) }

    private let path: String
    private let read: @Sendable (String) throws -> Value
    private let otherwise: Value?
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    /// Reads the file for the first time.
    ///
    /// - Parameters:
    ///   - otherwise: what counts while the file is gone or cannot be used; nil for what it said before.
    ///   - read: makes a value of the file at a path.
    /// - Throws: the errors of `read`.
    public convenience init(
        _ path: String, otherwise: Value? = nil, read: @escaping @Sendable (String) throws -> Value
    ) throws {
        try self.init(path, otherwise: otherwise, clock: { .now }, read: read)
    }

    init(
        _ path: String, otherwise: Value? = nil, clock: @escaping @Sendable () -> ContinuousClock.Instant,
        read: @escaping @Sendable (String) throws -> Value
    ) throws {
        (self.path, self.read, self.otherwise, self.clock) = (path, read, otherwise, clock)
        // The state from before the reading: a change meanwhile is seen later.
        let file = FileState(of: path)
        let value = try read(path)
        state = Mutex(
            State(value: value, file: file, isSettled: file?.isSettled ?? false, next: clock() + Self.interval))
    }

    /// What the file says now.
    ///
    /// - Parameter report: is told why a changed file cannot be used.
    func value(report: (String) -> Void) -> Value {
        let now = clock()
        var trouble: String?
        let value = state.withLock { state in
            guard now >= state.next else { return state.value }
            state.next = now + Self.interval
            let file = FileState(of: path)
            guard !state.isSettled || file != state.file else { return state.value }
            (state.file, state.isSettled) = (file, file?.isSettled ?? true)
            do {
                state.value = try read(path)
                state.trouble = nil
            } catch {
                if let otherwise { state.value = otherwise }
                let what = otherwise == nil ? "what the file said before counts" : "nothing of the file counts any more"
                let sentence = "\(error); \(what)"
                if sentence != state.trouble { trouble = sentence }
                state.trouble = sentence
            }
            return state.value
        }
        if let trouble { report(trouble) }
        return value
    }
}
