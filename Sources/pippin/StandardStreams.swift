import Glibc
import PippinCrawl

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
    static func write(_ text: String) {
        do {
            try NDJSONSink.write(Array(text.utf8), to: STDERR_FILENO, path: "standard error")
        } catch {
            // Nobody reads it any more, or the disk is full: a message has nowhere else to go, and a crawl goes on without.
            return
        }
    }
}

/// One line on standard error.
func writeError(_ text: String) {
    StandardError.write(text + "\n")
}
