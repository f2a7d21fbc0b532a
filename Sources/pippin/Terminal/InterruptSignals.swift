import Foundation
import PippinCrawl
import Synchronization

/// Ctrl-C, SIGTERM and SIGHUP while a crawl runs: the first asks it to finish, those after it to stop at once. A closed pipe is an error
/// of the write that meets it, not the end of the program.
///
/// "At once" holds whatever the run waits for or computes:
///
///     signal ──► handler writes a byte ──► thread of its own ──► 1st: `first`
///                                                                2nd: `later`, and `lastWait` later the end, with status 5
///
/// After the second signal no write waits for a reader any more (`PatientWriting`), and no reading for its end
/// (`CrawlThreads`). What hangs even so, as on a disk that does not answer, is left behind. None of these threads needs a
/// thread of somebody else. Nothing is lost by that: what was finished is on disk, as after `kill -9`.
struct InterruptSignals {
    /// Seconds from the second signal to the end of the process, if it has not ended by itself.
    static let lastWait = 0.8

    private struct Handlers {
        let first: @Sendable () -> Void
        let later: @Sendable () -> Void
        var count = 0
    }

    private static let handlers = Mutex<Handlers?>(nil)
    /// SIGHUP stays ignored in a program that was started with `nohup`.
    private static let numbers = [SIGINT, SIGTERM] + (isIgnored(SIGHUP) ? [] : [SIGHUP])

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// - Parameters:
    ///   - first, later: run on threads of their own, one for each signal.
    init(first: @escaping @Sendable () -> Void, later: @escaping @Sendable () -> Void) {
        signal(SIGPIPE, SIG_IGN)
        Self.handlers.withLock { $0 = Handlers(first: first, later: later) }
        Self.listens
        for number in Self.numbers {
            var action = sigaction()
            // What a signal handler may call is little: it passes the signal on.
            action.__sigaction_handler.sa_handler = { _ in
                let error = errno
                var byte: UInt8 = 1
                _ = write(signalPipeEnd, &byte, 1)
                errno = error
            }
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
    }

    /// Ctrl-C ends the program again. A second signal that came before ends it still.
    func end() {
        for number in Self.numbers { signal(number, SIG_DFL) }
        Self.handlers.withLock { $0 = nil }
    }

    /// Starts the thread that hears of signals, once for the life of the process.
    private static let listens: Void = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A handler must never wait: of signals that come faster than they are read, some are not counted.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        signalPipeEnd = ends[1]
        let readEnd = ends[0]
        start {
            var byte: UInt8 = 0
            while true {
                let count = read(readEnd, &byte, 1)
                if count == 1 { heard() } else if count == 0 || errno != EINTR { return }
            }
        }
    }()

    private static func heard() {
        let current = handlers.withLock { handlers -> Handlers? in
            handlers?.count += 1
            return handlers
        }
        guard let current else { return }
        if current.count == 1 { return start { current.first() } }
        if current.count == 2 {
            start {
                Thread.sleep(forTimeInterval: lastWait)
                _exit(5)
            }
        }
        start {
            PatientWriting.giveUp()
            current.later()
        }
    }

    private static func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = "signals"
        thread.start()
    }
}

/// Where the handler of signals writes to. A plain number, because a handler may wait for nothing, and so for no initializer
/// either; unsafe because nobody orders accesses: it is written once, before the first handler is installed.
private nonisolated(unsafe) var signalPipeEnd: Int32 = -1

/// The first or the second Ctrl-C, for tasks: they wait for it, or are cancelled by it.
final class Interrupt: Sendable {
    private struct State {
        var waiting: [AsyncStream<Void>.Continuation] = []
        var hasCome = false
    }

    private let state = Mutex(State())

    func come() {
        let waiting = state.withLock { state in
            state.hasCome = true
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Returns when it has come, or when the task is cancelled.
    func wait() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let hasCome = state.withLock { state in
            state.waiting.append(continuation)
            return state.hasCome
        }
        if hasCome { continuation.finish() }
        for await _ in stream {}
    }

    /// Runs work as a child task that it cancels.
    func cancels<Answer: Sendable>(_ work: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                await self.wait()
                return nil
            }
            defer { group.cancelAll() }
            while let answer = try await group.next() {
                if let answer { return answer }
                group.cancelAll()
            }
            throw CancellationError()
        }
    }
}
