import Dispatch
import Glibc
import PippinCrawl
import Synchronization

/// Ctrl-C and SIGTERM while a crawl runs: the first asks it to finish, those after it to stop at once. A closed pipe is an error
/// of the write that meets it, not the end of the program.
///
/// "At once" holds whatever the run is waiting for. After the second signal no write waits for a reader any more
/// (`PatientWriting`); what hangs even so, as on a disk that does not answer, is left behind after `lastWait`, with status 5.
/// Nothing is lost by that: what was finished is on disk.
struct InterruptSignals {
    /// From the second signal to the end of the process.
    static let lastWait = DispatchTimeInterval.seconds(5)

    private let sources: [any DispatchSourceSignal]
    private let lastResort: DispatchWorkItem

    /// - Parameters:
    ///   - first, later: run one at a time, and must not wait for anything: the next signal would wait with them.
    init(first: @escaping @Sendable () -> Void, later: @escaping @Sendable () -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "pippin.signals")
        let count = Counter()
        let lastResort = DispatchWorkItem { _exit(5) }
        self.lastResort = lastResort
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                count.value += 1
                guard count.value > 1 else { return first() }
                if count.value == 2 {
                    DispatchQueue.global().asyncAfter(deadline: .now() + Self.lastWait, execute: lastResort)
                }
                PatientWriting.giveUp()
                later()
            }
            source.resume()
            return source
        }
    }

    /// Ctrl-C ends the program again.
    func end() {
        lastResort.cancel()
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }

    // @unchecked because only the handlers above touch it, and they run on one serial queue.
    private final class Counter: @unchecked Sendable {
        var value = 0
    }
}

/// What the second Ctrl-C breaks off: first the crawl, and once that has ended, handing its records over.
final class WorkUnderWay: Sendable {
    private struct State {
        var cancellations: [@Sendable () -> Void] = []
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// What is added after the signal came is broken off at once.
    func add(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancellations.append(cancel)
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    func cancel() {
        let cancellations = state.withLock { state in
            state.isCancelled = true
            return state.cancellations
        }
        for cancel in cancellations { cancel() }
    }
}
