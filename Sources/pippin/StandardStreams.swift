import Glibc
import PippinCrawl
import Synchronization

/// Standard output, which is for data.
enum StandardOutput {
    /// - Throws: `NDJSONSink.WriteError`: who asked for the data must hear that it is not all there.
    static func write(_ bytes: [UInt8]) throws {
        try NDJSONSink.write(bytes, to: STDOUT_FILENO, path: "standard output")
    }

    static func write(_ text: String) throws { try write(Array(text.utf8)) }
}

/// Standard error, which is for everything else.
enum StandardError {
    /// - Parameter mayBeLost: whether the message is of the moment, like a line of progress. A crawl does not stand still for
    ///   such a one, should nobody read standard error.
    static func write(_ text: String, mayBeLost: Bool = false) {
        let wait: Int32 = nobodyReads.withLock { $0 } ? 0 : 1_000
        do {
            try NDJSONSink.write(
                Array(text.utf8), to: STDERR_FILENO, path: "standard error",
                patience: mayBeLost ? .milliseconds(wait) : .unlimited)
            nobodyReads.withLock { $0 = false }
        } catch {
            // Nobody reads it any more, or the disk is full: a message has nowhere else to go, and a crawl goes on without.
            nobodyReads.withLock { $0 = true }
        }
    }

    /// Whether the last message found no reader: then those that may be lost do not wait for one.
    private static let nobodyReads = Mutex(false)
}

/// One line on standard error.
func writeError(_ text: String) {
    StandardError.write(text + "\n")
}
