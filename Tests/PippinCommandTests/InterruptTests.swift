import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import pippin

/// Ctrl-C ends a process whatever its threads do.
@Suite(.ends)
struct InterruptTests {
    private static func interrupt() { kill(getpid(), SIGINT) }

    /// Until the test's process is ended from elsewhere.
    private static func wait(seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

    @Test func `the second Ctrl-C ends a process whose every thread computes`() async {
        await #expect(processExitsWith: .exitCode(5)) {
            let signals = InterruptSignals(first: {}, later: {})
            for _ in 0..<64 {
                Task.detached { while true {} }
                DispatchQueue.global().async { while true {} }
            }
            let thread = Thread {
                InterruptTests.wait(seconds: 0.2)
                InterruptTests.interrupt()
                InterruptTests.wait(seconds: 0.2)
                InterruptTests.interrupt()
            }
            thread.start()
            InterruptTests.wait(seconds: 30)
            withExtendedLifetime(signals) { exit(99) }
        }
    }

    @Test func `what the signals ask for may hang`() async {
        await #expect(processExitsWith: .exitCode(5)) {
            let signals = InterruptSignals(
                first: { InterruptTests.wait(seconds: 30) }, later: { InterruptTests.wait(seconds: 30) })
            InterruptTests.interrupt()
            InterruptTests.wait(seconds: 0.2)
            InterruptTests.interrupt()
            InterruptTests.wait(seconds: 30)
            withExtendedLifetime(signals) { exit(99) }
        }
    }

    @Test func `the first asks, the second breaks off, and the end comes by itself where nothing hangs`() async {
        await #expect(processExitsWith: .exitCode(12)) {
            let heard = Mutex<[Int32]>([])
            let signals = InterruptSignals(
                first: { heard.withLock { $0.append(1) } },
                later: {
                    heard.withLock { $0.append(2) }
                    exit(heard.withLock { $0 } == [1, 2] ? 12 : 98)
                })
            InterruptTests.interrupt()
            while heard.withLock({ $0 }).isEmpty { InterruptTests.wait(seconds: 0.01) }
            InterruptTests.interrupt()
            InterruptTests.wait(seconds: 30)
            withExtendedLifetime(signals) { exit(99) }
        }
    }

    @Test func `the second still ends a process that has left off listening`() async {
        await #expect(processExitsWith: .exitCode(5)) {
            let signals = InterruptSignals(first: {}, later: {})
            InterruptTests.interrupt()
            InterruptTests.wait(seconds: 0.2)
            InterruptTests.interrupt()
            InterruptTests.wait(seconds: 0.2)
            signals.end()
            InterruptTests.wait(seconds: 30)
            exit(99)
        }
    }
}
