import Foundation
import Testing

extension Trait where Self == TimeLimitTrait {
    /// For tests of what must end: one that hangs fails, and the others go on.
    ///
    /// The limit is longer than the whole run takes. All tests begin at once, so each lasts nearly as long as the run on a machine with
    /// few cores, and a shorter limit would measure the machine.
    public static var ends: Self { .timeLimit(.minutes(15)) }
}

extension Trait where Self == ConditionTrait {
    /// For tests that start another program, such as Python or openssl, or take a second in a debug build: `make test-fast`
    /// skips them.
    public static var slow: Self {
        .disabled(if: TestTool.isFastRun, "make test-fast skips it.")
    }

    /// The test renders pages in a real browser, Debian's chromium-headless-shell in bubblewrap. Beside other tests the browser is so slow
    /// that a page counts as stalled. Where the variable is set a browser is promised: without one the test fails.
    public static var rendersAlone: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["PIPPIN_RENDER_TESTS"] != nil, "make render-test runs it alone.")
    }
}

/// A wait that was longer than `waitUntil` allows.
public struct WaitedInVain: Error, CustomStringConvertible {
    public let description: String
}

/// Waits until a condition holds. After five minutes the test fails, instead of holding up the whole run.
///
/// - Parameter what: the condition in words, for the failure.
public func waitUntil(_ what: String, _ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while !condition() {
        guard ContinuousClock.now < end else { throw WaitedInVain(description: "waited in vain until \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
