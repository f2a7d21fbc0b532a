/// The exit status of the program. The README lists the numbers; they are stable.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    /// Errors were found, robots.txt does not allow the request, or nothing matches.
    case findings = 1
    /// Wrong usage or configuration.
    case usage = 2
    /// Some seeds failed, or a page could not be fetched.
    case unavailable = 3
    /// A limit was reached. The run can be resumed.
    case limitReached = 4
    /// The operator stopped the run. It can be resumed.
    case interrupted = 5
    /// A disk, database or another output failed.
    case outputFailed = 6
    /// Another run uses the storage or an output.
    case held = 7
    case internalError = 70
}

/// An error that ends the program. Its description is one sentence for the operator.
public protocol ReportedError: Error, CustomStringConvertible {
    /// The exit status of the program. With `done`, no message is written.
    var exitStatus: ExitStatus { get }
}

/// A failure that nobody but the operator has to tell from others.
public struct ReportedFailure: ReportedError {
    public let description: String
    public let exitStatus: ExitStatus

    /// - Parameter description: one sentence: what happened, where, and what to do.
    public init(_ description: String, _ exitStatus: ExitStatus) {
        self.description = description
        self.exitStatus = exitStatus
    }
}
