import Glibc
import PippinCrawl
import PippinPage
import Synchronization

/// Standard output, which is for data.
///
/// Nothing that a page, a file or a server has written commands the terminal that shows it: each form of output has its writer
/// here, and each passes `TerminalText`. Records leave by `NDJSONSink`, as `JSONWriter` has escaped them.
///
/// All throw `NDJSONSink.WriteError`: who asked for the data must hear that it is not all there.
enum StandardOutput {
    /// Text for people, without passwords in addresses.
    static func write(_ text: String, keepsColors: Bool = false) throws {
        try write(raw: Array(TerminalText.shown(UserInformation.hidden(in: text), keepsColors: keepsColors).utf8))
    }

    /// JSON that tells what a page or file says, as it says it.
    static func write(json: [UInt8]) throws { try write(raw: TerminalText.escaped(json)) }

    /// JSON that tells of a crawl, without passwords in addresses.
    static func write(tellingJSON json: [UInt8]) throws { try write(json: UserInformation.hidden(in: json)) }

    static func write(nquads: [UInt8]) throws { try write(raw: TerminalText.escaped(nquads, isNQuads: true)) }

    /// Lines of addresses, as they are.
    static func write(addresses: [UInt8]) throws {
        try write(raw: Array(TerminalText.shown(String(decoding: addresses, as: UTF8.self)).utf8))
    }

    private static func write(raw bytes: [UInt8]) throws {
        try NDJSONSink.write(bytes, to: STDOUT_FILENO, path: "standard output")
    }
}

/// Standard error, which is for everything else, as lines for people or as JSON. What commands a terminal is taken out here,
/// whoever speaks, and passwords in addresses too.
enum StandardError {
    /// - Parameter mayBeLost: whether the message is of the moment, like a line of progress. A crawl does not stand still for
    ///   such a one, should nobody read standard error.
    static func write(_ text: String, mayBeLost: Bool = false) {
        write(raw: safe(text), mayBeLost: mayBeLost)
    }

    /// Shows a line in place of the last one that was shown so.
    static func refresh(_ line: String) {
        write(raw: "\r\(safe(line).safeForTerminal)\u{1B}[K", mayBeLost: true)
    }

    private static func safe(_ text: String) -> String { TerminalText.shown(UserInformation.hidden(in: text)) }

    private static func write(raw text: String, mayBeLost: Bool) {
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

/// Standard error for whoever writes to a stream.
struct StandardErrorStream: TextOutputStream {
    mutating func write(_ text: String) { StandardError.write(text) }
}
