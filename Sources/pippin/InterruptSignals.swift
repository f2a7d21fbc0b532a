import Dispatch
import Glibc
import Synchronization

/// Ctrl-C and SIGTERM while a crawl runs: the first asks it to finish, those after it to stop at once. A closed pipe is an error
/// of the write that meets it, not the end of the program.
struct InterruptSignals {
    private let sources: [any DispatchSourceSignal]

    init(first: @escaping @Sendable () -> Void, later: @escaping @Sendable () -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "pippin.signals")
        let count = Counter()
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                count.value += 1
                if count.value == 1 {
                    first()
                } else {
                    later()
                }
            }
            source.resume()
            return source
        }
    }

    /// Ctrl-C ends the program again.
    func end() {
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
    private let cancellations = Mutex<[@Sendable () -> Void]>([])

    func add(_ cancel: @escaping @Sendable () -> Void) {
        cancellations.withLock { $0.append(cancel) }
    }

    func cancel() {
        for cancel in cancellations.withLock({ $0 }) { cancel() }
    }
}
