/// With what the program ends. The README lists the numbers; they are stable.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    /// Errors were found, robots.txt does not allow it, or nothing matches.
    case findings = 1
    /// Wrong usage or configuration.
    case usage = 2
    /// Some seeds failed, or a page could not be fetched.
    case unavailable = 3
    /// The run can be resumed.
    case limitReached = 4
    /// The run can be resumed.
    case interrupted = 5
    /// Disk, database or another output.
    case outputFailed = 6
    /// Another run holds the storage or an output.
    case held = 7
    case internalError = 70
}

/// An error that ends the program: its description is one sentence for the operator, and it knows the exit status.
public protocol ReportedError: Error, CustomStringConvertible {
    /// With `done` nothing is said.
    var exitStatus: ExitStatus { get }
}
