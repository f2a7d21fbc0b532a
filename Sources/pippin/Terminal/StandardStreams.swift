import Glibc
import PippinCrawl
import PippinPage
import Synchronization

/// Standard output, which is for data.
///
/// Text from a page, a file or a server must not control the terminal that shows it. So each form of output has its own
/// function here, and each passes its bytes through `TerminalText`. Records are written by `NDJSONSink`, because `JSONWriter`
/// has escaped them.
///
/// All functions throw `NDJSONSink.WriteError`, so that the user learns that the output is incomplete.
enum StandardOutput {
    /// Text for people, without passwords in addresses.
    static func write(_ text: String, keepsColors: Bool = false) throws {
        try write(raw: Array(TerminalText.shown(UserInformation.hidden(in: text), keepsColors: keepsColors).utf8))
    }

    /// The text of a page, including passwords in addresses.
    static func write(pageText text: String) throws { try write(raw: Array(TerminalText.readable(text).utf8)) }

    /// JSON with what a page or file says, including passwords in addresses.
    static func write(json: [UInt8]) throws { try write(raw: TerminalText.escaped(json)) }

    /// JSON about a crawl, without passwords in addresses.
    static func write(tellingJSON json: [UInt8]) throws { try write(json: UserInformation.hidden(in: json)) }

    static func write(nquads: [UInt8]) throws { try write(raw: TerminalText.escaped(nquads, isNQuads: true)) }

    /// Lines of addresses, including passwords in them.
    static func write(addresses: [UInt8]) throws {
        try write(raw: Array(TerminalText.shown(String(decoding: addresses, as: UTF8.self)).utf8))
    }

    /// Lines that `JSONWriter` has made, and so escaped.
    static func write(lines: [UInt8]) throws { try write(raw: lines) }

    private static func write(raw bytes: [UInt8]) throws {
        try NDJSONSink.write(bytes, to: STDOUT_FILENO, path: "standard output")
    }
}

/// Standard error, for everything except data, as lines for people or as JSON. Sequences that control a terminal and
/// passwords in addresses are removed from every message.
enum StandardError {
    /// - Parameter mayBeLost: whether the message is of passing interest, such as a line of progress. If nobody reads
    ///   standard error, it is dropped, so that it does not stop the crawl.
    static func write(_ text: String, mayBeLost: Bool = false) {
        write(raw: safe(text), mayBeLost: mayBeLost)
    }

    /// Shows a line in place of the last line that was shown this way.
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
            // Nobody reads standard error any more, or the disk is full. The message cannot go anywhere else, and the crawl
            // goes on.
            nobodyReads.withLock { $0 = true }
        }
    }

    /// Whether the last message found no reader. If so, messages that may be lost do not wait for one.
    private static let nobodyReads = Mutex(false)
}

/// Writes one line to standard error.
func writeError(_ text: String) {
    StandardError.write(text + "\n")
}

/// Standard error for APIs that write to a stream.
struct StandardErrorStream: TextOutputStream {
    mutating func write(_ text: String) { StandardError.write(text) }
}
